//! Builds the FMUs of `fmus/` and packs them, so that the program carries them inside.
//!
//! A nested cargo call makes the libraries, in the profile `fmu` and in a target folder of its own beside those of the
//! profiles: debug, release, clippy and doc builds share it, and find it up to date. `crates/packager` makes the
//! archives from the declarations in `crates/models*`; `src/embedded.rs` includes them.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use macrostep_models::ModelEntry;
use macrostep_packager::{Library, Package, Platform};

/// What the libraries are made of. Changes in the packager and the declarations rebuild this very program.
const SOURCES: [&str; 16] = [
    "Cargo.toml",
    "Cargo.lock",
    "fmus",
    "crates/crane",
    "crates/description",
    "crates/export",
    "crates/flexible",
    "crates/fmi2",
    "crates/hydraulics",
    "crates/mlcp",
    "crates/models",
    "crates/models_mechanics",
    "crates/multibody",
    "crates/models_flexible",
    "crates/ode",
    "crates/slave",
];

fn main() -> ExitCode {
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("cargo::error={}", message.replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let root = path("CARGO_MANIFEST_DIR")?;
    let out = path("OUT_DIR")?;
    let target = env::var("TARGET").map_err(|e| format!("TARGET: {e}"))?;
    let platform = Platform::of_target(&target).ok_or_else(|| {
        format!("FMI 2.0 has no platform folder for target `{target}`, expected Linux, Windows or macOS")
    })?;
    let models =
        [macrostep_models::all(), macrostep_models_mechanics::all(), macrostep_models_flexible::all()].concat();
    let libraries = if models.is_empty() { out.clone() } else { build(&root, &out, &target, &models)? };
    for model in &models {
        let fmu = pack(&root, &libraries, platform, model)?;
        write(&out.join(format!("{}.fmu", model.identifier)), &fmu)?;
    }
    let entries: String = models.iter().map(|m| entry(m.identifier)).collect();
    write(&out.join("embedded.rs"), format!("&[\n{entries}]\n").as_bytes())
}

/// One line of the table `src/embedded.rs` includes.
fn entry(name: &str) -> String {
    format!("    (\"{name}\", include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.fmu\"))),\n")
}

/// Runs cargo for the libraries and returns the folder they are in.
fn build(root: &Path, out: &Path, target: &str, models: &[ModelEntry]) -> Result<PathBuf, String> {
    let folder = shared_folder(out);
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo
        .current_dir(root)
        .args(["build", "--locked", "--profile", "fmu", "--target", target, "--target-dir"])
        .arg(&folder);
    for model in models {
        cargo.args(["--package", model.identifier]);
    }
    for (name, _) in env::vars_os().filter(|(name, _)| !name.to_str().is_some_and(is_kept)) {
        cargo.env_remove(name);
    }
    let command = format!("cargo build --profile fmu --target {target} for the packages in `fmus/`");
    match cargo.status() {
        Ok(status) if status.success() => Ok(folder.join(target).join("fmu")),
        Ok(status) => Err(format!(
            "the FMUs were not built: {command} ended with {status}; its messages stand below under `--- stderr`, and \
             `cargo build --profile fmu -p {}` repeats the first of it by hand",
            models[0].identifier
        )),
        Err(e) => Err(format!("the FMUs were not built: {command} did not start: {e}")),
    }
}

/// `target/fmus`, whatever the profile; in `OUT_DIR` where cargo lays its folders out in another way.
fn shared_folder(out: &Path) -> PathBuf {
    let is_build = out.ancestors().nth(2).and_then(Path::file_name).is_some_and(|name| name == "build");
    match out.ancestors().nth(4) {
        Some(target) if is_build => target.join("fmus"),
        _ => out.join("fmus"),
    }
}

/// Variables the nested cargo may see. What the outer one sets for this build (flags, wrappers of clippy, profiles,
/// folders) would make other libraries, or the same ones again and again.
fn is_kept(name: &str) -> bool {
    const KEPT: [&str; 7] =
        ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTR", "CARGO_SOURCE_", "CARGO_MAKEFLAGS", "CARGO_TERM_"];
    const DROPPED: [&str; 9] = [
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CLIPPY_",
        "OUT_DIR",
        "TARGET",
        "PROFILE",
        "LLVM_PROFILE_FILE",
    ];
    if name.starts_with("CARGO_") {
        let is_linker = name.starts_with("CARGO_TARGET_") && name.ends_with("_LINKER");
        return is_linker || KEPT.iter().any(|kept| name.starts_with(kept));
    }
    !DROPPED.iter().any(|dropped| name.starts_with(dropped))
}

fn pack(root: &Path, libraries: &Path, platform: Platform, model: &ModelEntry) -> Result<Vec<u8>, String> {
    let name = model.identifier;
    // Cargo puts `lib` before the name except on Windows; in an FMU there is none.
    let prefix = if matches!(platform, Platform::Win32 | Platform::Win64) { "" } else { "lib" };
    let library = libraries.join(format!("{prefix}{name}{}", platform.suffix()));
    let bytes = fs::read(&library).map_err(|e| {
        let fault = "does `crate-type = [\"cdylib\"]` stand in its Cargo.toml?";
        format!("FMU `{name}`: {}: {e}; {fault}", library.display())
    })?;
    let reference = fs::read_to_string(root.join("fmus").join(name).join("reference.csv")).ok();
    let package = Package {
        description: &model.describe(),
        equations_html: &model.documentation_html(),
        libraries: &[Library { platform, bytes }],
        reference_csv: reference.as_deref(),
        resources: model.resources,
    };
    package.bytes().map_err(|e| format!("FMU `{name}`: {e}"))
}

fn path(name: &str) -> Result<PathBuf, String> {
    env::var_os(name).map(PathBuf::from).ok_or_else(|| format!("{name} is not set: run this by cargo"))
}

/// Writes where the content differs, so that what includes the file is not compiled again without need.
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|before| before == bytes) {
        return Ok(());
    }
    fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}
