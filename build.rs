//! Builds the libraries of the FMUs in `fmus/`, so that the program carries them inside: with the feature `full` all of them and the library
//! of exported systems, else those of the two-mass oscillator.
//!
//! A nested cargo call makes the libraries, in the profile `fmu` and in a target folder of its own beside those of the
//! profiles: debug, release, clippy and doc builds share it, and find it up to date. `cli/embedded.rs` includes them,
//! compressed; the program makes the archives from its own declarations when they are asked for.
//!
//! The libraries have most of their code in common: one of them goes in as it is, and is the dictionary that others are compressed
//! with; two of those are dictionaries of the rest. Together they take a tenth of their length. Without the feature `full` they go in as
//! they are, because the library that compresses takes longer to compile than they do.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

#[cfg(feature = "full")]
use zstd_safe::{CCtx, CParameter, compress_bound, get_error_name};

/// What the libraries are made of. The program depends on the same crates, and is made anew with them anyway.
const SOURCES: [&str; 5] = ["Cargo.toml", "Cargo.lock", "fmus", "crates", "master"];

/// The FMUs of a build without the feature `full`: the oscillator, cut at its forces and at its displacements.
const SMALL: [&str; 4] =
    ["oscillator1_displacement", "oscillator1_force", "oscillator2_displacement", "oscillator2_force"];

/// The package whose library serves every exported system.
const CONTAINER: &str = "container";

/// The program of the same package that serves an FMU of such a system in a process of its own.
const SLAVE: &str = "macrostep-slave";

/// Packages whose libraries are dictionaries, where there are libraries to be compressed. The first goes in as it is; the others, compressed with it, have code that it lacks:
/// matrices, and bodies with joints.
const BASES: [&str; 3] = ["oscillator1_displacement", "beam_full", "crane"];

/// How hard the libraries are compressed: level 22 takes half as long again and saves nothing.
#[cfg(feature = "full")]
const LEVEL: i32 = 19;

/// How hard they are compressed to see which dictionary is the best, and for the tests, which wait for it and send nobody the program.
#[cfg(feature = "full")]
const TRIAL_LEVEL: i32 = 3;

/// How far back a frame may refer, as a power of two of bytes: over the dictionary and a library.
#[cfg(feature = "full")]
const WINDOW: CParameter = CParameter::WindowLog(23);

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
    let is_full = cfg!(feature = "full");
    let known = names(&root.join("fmus"))?;
    let (names, absent): (Vec<_>, Vec<_>) =
        known.into_iter().partition(|name| is_full || SMALL.contains(&name.as_str()));
    // The library of exported systems, and the program beside it.
    let container = is_full.then_some(CONTAINER);
    let folder = build(&root, &out, &target, names.iter().map(String::as_str).chain(container))?;
    let libraries = names.iter().map(|name| library(&folder, &target, name)).collect::<Result<Vec<_>, _>>()?;
    // The dictionaries, of which the first goes in as it is.
    let bases = BASES.iter().filter(|base| names.iter().any(|name| name == *base));
    let bases = bases.map(|name| library(&folder, &target, name)).collect::<Result<Vec<_>, _>>()?;
    let Some(base) = bases.first() else { return Err("there is no dictionary".to_owned()) };
    write(&out.join("base.library"), base)?;
    // The libraries and the reference results compressed, and a table of them.
    let mut table = String::from("[\n");
    for (name, library) in names.iter().zip(&libraries) {
        let nearest = if BASES.contains(&name.as_str()) { 0 } else { nearest(library, &bases)? };
        write(&out.join(format!("{name}.library")), &compressed(library, &bases[nearest])?)?;
        let reference = root.join("fmus").join(name).join("reference.csv");
        let text = if reference.exists() {
            fs::read(&reference).map_err(|e| format!("{}: {e}", reference.display()))?
        } else {
            Vec::new()
        };
        write(&out.join(format!("{name}.reference")), &compressed(&text, &[])?)?;
        let file = |kind| format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.{kind}\"))");
        let dictionary = Some(BASES[nearest]).filter(|_| nearest > 0);
        table += &format!("    Built::new({name:?}, {dictionary:?}, {}, {}),\n", file("library"), file("reference"));
    }
    if is_full {
        exported(&folder, &out, &target, base)?;
    }
    write(&out.join("absent.rs"), format!("&{absent:?}").as_bytes())?;
    write(&out.join("count.rs"), names.len().to_string().as_bytes())?;
    write(&out.join("embedded.rs"), format!("{table}]\n").as_bytes())
}

/// The library of exported systems and the program beside it, compressed with the dictionary `base`.
fn exported(folder: &Path, out: &Path, target: &str, base: &[u8]) -> Result<(), String> {
    write(&out.join("container.library"), &compressed(&library(folder, target, CONTAINER)?, base)?)?;
    // Processes of their own are made on Linux only.
    let slave = folder.join(SLAVE);
    let slave = if target.contains("linux") {
        fs::read(&slave).map_err(|e| format!("{}: {e}", slave.display()))?
    } else {
        Vec::new()
    };
    write(&out.join("slave.program"), &compressed(&slave, base)?)
}

/// Names of the packages in `fmus/`: each folder is one.
fn names(folder: &Path) -> Result<Vec<String>, String> {
    let read = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(read)? {
        let entry = entry.map_err(read)?;
        if entry.path().join("Cargo.toml").exists() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Runs cargo for the libraries and returns the folder they are in.
fn build<'a>(root: &Path, out: &Path, target: &str, names: impl Iterator<Item = &'a str>) -> Result<PathBuf, String> {
    let folder = shared_folder(out);
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo
        .current_dir(root)
        .args(["build", "--locked", "--profile", "fmu", "--target", target, "--target-dir"])
        .arg(&folder);
    let names: Vec<&str> = names.collect();
    for name in &names {
        cargo.args(["--package", name]);
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
            names.first().unwrap_or(&"NAME")
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

/// The library of an FMU, as cargo has made it.
fn library(folder: &Path, target: &str, name: &str) -> Result<Vec<u8>, String> {
    // Cargo puts `lib` before the name except on Windows; in an FMU there is none.
    let (prefix, suffix) = match target {
        windows if windows.contains("windows") => ("", ".dll"),
        darwin if darwin.contains("darwin") => ("lib", ".dylib"),
        _ => ("lib", ".so"),
    };
    let library = folder.join(format!("{prefix}{name}{suffix}"));
    let fault = "does `crate-type = [\"cdylib\"]` stand in its Cargo.toml?";
    fs::read(&library).map_err(|e| format!("FMU `{name}`: {}: {e}; {fault}", library.display()))
}

/// The dictionary that makes a library the shortest.
#[cfg(feature = "full")]
fn nearest(library: &[u8], bases: &[Vec<u8>]) -> Result<usize, String> {
    let length = |base: &Vec<u8>| frame(library, base, TRIAL_LEVEL).map(|frame| frame.len());
    let lengths = bases.iter().map(length).collect::<Result<Vec<_>, _>>()?;
    Ok((0..lengths.len()).min_by_key(|i| lengths[*i]).unwrap_or(0))
}

/// Nothing is compressed, and the first dictionary is as good as any.
#[cfg(not(feature = "full"))]
fn nearest(_: &[u8], _: &[Vec<u8>]) -> Result<usize, String> {
    Ok(0)
}

/// `bytes` as the program carries them: a frame that is read with the dictionary `base`.
#[cfg(feature = "full")]
fn compressed(bytes: &[u8], base: &[u8]) -> Result<Vec<u8>, String> {
    let is_release = env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    frame(bytes, base, if is_release { LEVEL } else { TRIAL_LEVEL })
}

/// `bytes` as the program carries them: as they are.
#[cfg(not(feature = "full"))]
fn compressed(bytes: &[u8], _: &[u8]) -> Result<Vec<u8>, String> {
    Ok(bytes.to_vec())
}

/// `bytes` as a Zstandard frame that is read with the dictionary `base`.
#[cfg(feature = "full")]
fn frame(bytes: &[u8], base: &[u8], level: i32) -> Result<Vec<u8>, String> {
    let failed = |code| format!("compressing: {}", get_error_name(code));
    let mut context = CCtx::create();
    for parameter in [CParameter::CompressionLevel(level), WINDOW] {
        context.set_parameter(parameter).map_err(failed)?;
    }
    context.ref_prefix(base).map_err(failed)?;
    let mut frame = Vec::with_capacity(compress_bound(bytes.len()));
    context.compress2(&mut frame, bytes).map_err(failed)?;
    Ok(frame)
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
