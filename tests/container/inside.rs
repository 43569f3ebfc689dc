//! A container of FMI 3.0 whose importer sets an input inside its steps (`inside.c`): the input is followed from macro step to macro step, however long the
//! importer's own step is.

use std::path::Path;
use std::process::Command;

use macrostep_import::fmu::Fmu;

use super::{empty, succeeds};

/// A mass on a spring whose force comes from outside. Inside, the force of a macro step is a line.
const MASS: &str = include_str!("../cases/container/force-from-outside.toml");

/// The output at the end, and how often the importer was asked, with these steps.
fn end(folder: &Path, step: &str) -> (f64, u64) {
    let fmu = Fmu::open(folder.join("container.fmu")).expect("the container");
    let reference = |name: &str| {
        let at = fmu.description().variables.iter().position(|v| v.name == name);
        (at.unwrap_or_else(|| panic!("{name}")) + 1).to_string()
    };
    let output = Command::new(folder.join("inside"))
        .arg(folder.join("unpacked/binaries/x86_64-linux/container.so"))
        .arg(folder.join("unpacked/resources/"))
        .args([&fmu.description().guid, &reference("mass.f"), &reference("mass.x"), step, "2"])
        .output()
        .expect("the importer");
    let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{step}: {why}");
    let (value, asked) = said.trim().split_once(' ').expect("two numbers");
    (value.parse().expect("a number"), asked.parse().expect("a number"))
}

#[test]
fn an_input_is_followed_from_macro_step_to_macro_step() {
    let folder = empty("inside");
    std::fs::write(folder.join("mass.toml"), MASS).expect("written");
    succeeds(&folder, &["export", "mass.toml", "--out", "container.fmu", "--fmi", "3"]);
    let archive = std::fs::File::open(folder.join("container.fmu")).expect("the container");
    zip::ZipArchive::new(archive).expect("an archive").extract(folder.join("unpacked")).expect("unpacked");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/container/inside.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-w", "-o", "inside"]).arg(source).args(["-ldl", "-lm"]).current_dir(&folder);
    assert!(compiler.status().expect("a C compiler").success());

    // Nineteen waves and a jump: the importer's steps are those of the grid inside, ten of them, and all of them.
    let (fine, _) = end(&folder, "0.001");
    for step in ["0.01", "0.5", "2"] {
        let (value, asked) = end(&folder, step);
        println!("{step} s: {:.1e} m, asked {asked} times", value - fine);
        assert!((value - fine).abs() <= 1e-10 * fine.abs().max(1.0), "{step}: {value} {fine}");
        // As seldom as the signal allows: waves of a tenth of a second need some hundred questions each second, and the jump is found by halving.
        assert!(asked <= 6000, "{step}: {asked}");
    }
}
