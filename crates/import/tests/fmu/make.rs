//! FMUs for the tests.

use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use macrostep_import::fmu::{Fmu, FmuOptions, FmuUnit};
use macrostep_master::unit::Unit;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

const DESCRIPTION: &str = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="slave" guid="{slave}">
  <CoSimulation modelIdentifier="slave" canGetAndSetFMUstate="true" canSerializeFMUstate="true" FLAGS=""/>
  <LogCategories><Category name="known"/></LogCategories>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="1" causality="output" initial="calculated"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>"#;

/// Where this machine's library belongs.
pub fn library_path() -> String {
    let folder = match (cfg!(target_os = "macos"), cfg!(target_arch = "x86_64")) {
        (true, _) => "darwin64",
        (false, true) => "linux64",
        (false, false) => "aarch64-linux",
    };
    format!("binaries/{folder}/slave{}", if cfg!(target_os = "macos") { ".dylib" } else { ".so" })
}

/// The library of the slave, compiled with `defines`.
pub fn library(defines: &[&str]) -> Vec<u8> {
    compiled("slave.c", defines)
}

/// The library of a file of this folder, compiled with `defines`.
pub fn compiled(source: &str, defines: &[&str]) -> Vec<u8> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "slave-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    ));
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(if source == "equations.c" { "../../tests/kit" } else { "tests/fmu" })
        .join(source);
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(compiler);
    command.args(["-shared", "-fPIC", "-w", "-O1", "-o"]).arg(&out).arg(&source).arg("-lm").args(defines);
    assert!(command.status().expect("a C compiler").success());
    let bytes = std::fs::read(&out).expect("the library");
    std::fs::remove_file(&out).expect("it is ours");
    bytes
}

/// An archive of these files.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(bytes).expect("its bytes");
    }
    zip.finish().expect("an archive").into_inner()
}

/// The FMU, with further flags in `CoSimulation`, its library compiled with `defines`.
pub fn fmu_with(flags: &str, defines: &[&str]) -> Vec<u8> {
    let description = DESCRIPTION.replace("FLAGS=\"\"", flags);
    archive(&[("modelDescription.xml", description.as_bytes()), (&library_path(), &library(defines))])
}

/// The FMU that most tests share.
pub fn fmu() -> Fmu {
    static BYTES: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| fmu_with("", &[]));
    Fmu::from_bytes("slave", &BYTES).expect("an FMU")
}

/// An instance that is ready to step.
pub fn ready(fmu: &Fmu, name: &str) -> FmuUnit {
    ready_with(fmu, name, &FmuOptions::default())
}

/// An instance with options that is ready to step.
pub fn ready_with(fmu: &Fmu, name: &str, options: &FmuOptions) -> FmuUnit {
    let mut unit = fmu.instantiate(name, options).expect("an instance");
    unit.setup(0.0, None, None).expect("set up");
    unit.enter_initialization().expect("initialising");
    unit.exit_initialization().expect("initialised");
    unit
}

/// The archive with another file in it.
pub fn with(fmu: &[u8], name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.merge_archive(ZipArchive::new(Cursor::new(fmu)).expect("an archive")).expect("merged");
    zip.start_file(name, SimpleFileOptions::default()).expect("an entry");
    zip.write_all(bytes).expect("its bytes");
    zip.finish().expect("an archive").into_inner()
}
