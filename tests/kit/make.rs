//! FMUs and files with faults, made by the tests that need them.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// A description that is as it should be.
pub const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="hostile" guid="{hostile}">
  <CoSimulation modelIdentifier="hostile" canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions>
  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.1"/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input" variability="continuous"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="x" valueReference="1" causality="output" variability="continuous" initial="exact"><Real start="0" unit="m"/></ScalarVariable>
    <ScalarVariable name="steps" valueReference="0" causality="output" variability="discrete" initial="exact"><Integer start="0"/></ScalarVariable>
    <ScalarVariable name="flag" valueReference="0" causality="parameter" variability="fixed" initial="exact"><Boolean start="false"/></ScalarVariable>
    <ScalarVariable name="text" valueReference="0" causality="parameter" variability="fixed" initial="exact"><String start="a"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="2" dependencies=""/><Unknown index="3" dependencies=""/></Outputs>
  </ModelStructure>
</fmiModelDescription>
"#;

/// The same in FMI 3.0.
pub const XML_3: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="hostile" instantiationToken="{hostile}">
  <CoSimulation modelIdentifier="hostile" canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions>
  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.1"/>
  <ModelVariables>
    <Float64 name="u" valueReference="0" causality="input" variability="continuous" start="1"/>
    <Float64 name="x" valueReference="1" causality="output" variability="continuous" initial="exact" start="0" unit="m"/>
    <Int32 name="steps" valueReference="2" causality="output" variability="discrete" initial="exact" start="0"/>
    <Boolean name="flag" valueReference="3" causality="parameter" variability="fixed" initial="exact" start="false"/>
    <String name="text" valueReference="4" causality="parameter" variability="fixed" initial="exact"><Start value="a"/></String>
    <Float64 name="time" valueReference="5" causality="independent" variability="continuous"/>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="1" dependencies=""/>
    <Output valueReference="2" dependencies=""/>
  </ModelStructure>
</fmiModelDescription>
"#;

/// Where a library for this machine lies.
pub const LIBRARY: &str = "binaries/linux64/hostile.so";

/// Where it lies in FMI 3.0.
pub const LIBRARY_3: &str = "binaries/x86_64-linux/hostile.so";

/// An empty folder under the target folder, for the test that asks: tests run side by side, and two may choose one name.
pub fn folder(name: &str) -> PathBuf {
    // The test's own thread has its name.
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("test").replace("::", "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The library of the slave that misbehaves with these macros.
pub fn library(defines: &[(&str, &str)]) -> Vec<u8> {
    compiled("slave.c", defines)
}

/// The library of a file of this folder with these macros. Tests that ask for the same one get one that is compiled once.
pub fn compiled(source: &str, defines: &[(&str, &str)]) -> Vec<u8> {
    static MADE: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let key = format!("{source} {defines:?}");
    let known = MADE.lock().expect("a map").get(&key).cloned();
    known.unwrap_or_else(|| {
        let library = compile(source, defines);
        MADE.lock().expect("a map").insert(key, library.clone());
        library
    })
}

fn compile(source: &str, defines: &[(&str, &str)]) -> Vec<u8> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let out = std::env::temp_dir().join(format!("macrostep-hostile-{}-{number}.so", std::process::id()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kit").join(source);
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-w", "-pthread", "-o"]).arg(&out);
    for (name, value) in defines {
        compiler.arg(format!("-D{name}={value}"));
    }
    let status = compiler.arg(&source).arg("-lm").status().expect("a C compiler, as building the importer needs");
    assert!(status.success(), "{} with {defines:?}", source.display());
    let bytes = std::fs::read(&out).expect("the library");
    let _ = std::fs::remove_file(&out);
    bytes
}

/// An archive of these entries.
pub fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in entries {
        zip.start_file(*name, options).expect("an entry");
        zip.write_all(bytes).expect("its bytes");
    }
    zip.finish().expect("the archive").into_inner()
}

/// An FMU with another description and these macros.
pub fn fmu(xml: &str, defines: &[(&str, &str)]) -> Vec<u8> {
    archive(&[("modelDescription.xml", xml.as_bytes()), (LIBRARY, &library(defines))])
}

/// An FMU of FMI 3.0 with these macros.
pub fn fmu_3(defines: &[(&str, &str)]) -> Vec<u8> {
    let library = library(&[defines, &[("THREE", "1"), ("VERSION", "\"3.0\"")]].concat());
    archive(&[("modelDescription.xml", XML_3.as_bytes()), (LIBRARY_3, &library)])
}

/// An FMU that is as it should be but for a part of its description.
pub fn with(from: &str, to: &str) -> Vec<u8> {
    fmu(&replaced(from, to), &[])
}

/// The description with a part replaced.
pub fn replaced(from: &str, to: &str) -> String {
    assert!(XML.contains(from), "{from}");
    XML.replacen(from, to, 1)
}

/// An archive with a symbolic link.
pub fn link() -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    zip.start_file("modelDescription.xml", options).expect("an entry");
    zip.write_all(XML.as_bytes()).expect("its bytes");
    zip.add_symlink("resources/passwd", "/etc/passwd", options).expect("a link");
    zip.finish().expect("the archive").into_inner()
}

/// 300 MB of zeros in 300 kB.
pub fn bomb() -> Vec<u8> {
    let zeros = vec![0; 1 << 20];
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    zip.start_file("modelDescription.xml", options).expect("an entry");
    zip.write_all(XML.as_bytes()).expect("its bytes");
    zip.start_file("resources/data.bin", options).expect("an entry");
    (0..300).for_each(|_| zip.write_all(&zeros).expect("its bytes"));
    zip.finish().expect("the archive").into_inner()
}
