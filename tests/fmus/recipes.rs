//! The recipe for a new FMU, done: its files are built, packed, checked and run.

use macrostep_description::rules;
use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::Unit;
use std::path::Path;
use std::process::Command;

const RECIPE: &str = include_str!("../../docs/recipes/new_fmu.md");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The `n`-th block of the recipe in a language.
fn block(language: &str, n: usize) -> String {
    let fence = format!("```{language}\n");
    let from = RECIPE.match_indices(&fence).nth(n).expect("a block of the recipe").0 + fence.len();
    let to = from + RECIPE[from..].find("\n```").expect("its end");
    RECIPE[from..=to].to_string()
}

#[test]
fn the_recipe_for_a_new_fmu_makes_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    // A workspace of its own, and the versions this repository is locked to.
    put("Cargo.toml", format!("{}\n[workspace]\n", block("toml", 0).replace("MACROSTEP", ROOT)));
    put("src/lib.rs", block("rust", 0));
    put("src/bin/pack.rs", block("rust", 1));
    std::fs::copy(Path::new(ROOT).join("Cargo.lock"), folder.path().join("Cargo.lock")).expect("copied");
    let fmu = folder.path().join("pendulum.fmu");
    let cargo = |arguments: &[&str]| {
        let status = Command::new(env!("CARGO"))
            .current_dir(folder.path())
            .env("CARGO_TARGET_DIR", Path::new(ROOT).join("target/recipe"))
            // Built to be run once.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .args(arguments)
            .status()
            .expect("cargo starts");
        assert!(status.success(), "cargo {arguments:?} ended with {status}");
    };
    cargo(&["build"]);
    cargo(&["run", "--bin", "pack", "--", "pendulum.fmu"]);

    let fmu = Fmu::open(&fmu).expect("it opens");
    let faults = rules::check(fmu.description());
    assert!(faults.is_empty(), "{faults:?}");
    small_oscillation(&mut fmu.instantiate("pendulum", &FmuOptions::default()).expect("it is instantiated"));
}

/// φ = φ₀ cos(√(g/l) t) for small φ₀; the cubic term shifts the phase by φ₀²/16 of itself.
fn small_oscillation(pendulum: &mut dyn Unit) {
    let reference = |u: &dyn Unit, name: &str| u.description().variable(name).expect("a variable").value_reference;
    let (phi0, phi) = (reference(pendulum, "phi0"), reference(pendulum, "phi"));
    pendulum.set_real(&[phi0], &[1e-4]).expect("set");
    // Semi-implicit Euler, the default, is of first order; Runge-Kutta 4 leaves nothing to see.
    let integrator = reference(pendulum, "integrator");
    pendulum.set_integer(&[integrator], &[2]).expect("set");
    pendulum.setup(0.0, None, None).expect("set up");
    pendulum.enter_initialization().expect("entered");
    pendulum.exit_initialization().expect("left");
    for n in 0..200 {
        pendulum.step(f64::from(n) * 1e-2, 1e-2, true).expect("a step");
    }
    let mut angle = [0.0];
    pendulum.get_real(&[phi], &mut angle).expect("got");
    let expected = 1e-4 * (9.81_f64.sqrt() * 2.0).cos();
    assert!((angle[0] - expected).abs() < 1e-12, "{} {expected}", angle[0]);
}
