//! What stands in an FMU, and that its bytes depend on nothing else.

use std::io::{Cursor, Read};

use macrostep_description::{Causality, xml};
use macrostep_description::{
    CoSimulation, Dependencies, DependencyKind, Initial, Kind, ModelDescription, ModelStructure, RealAttributes,
    Unknown, Value, Variability, Variable,
};
use macrostep_packager::{Library, PackError, Package, Platform, combine, merge};
use zip::ZipArchive;

fn variable(
    name: &str,
    reference: u32,
    causality: Causality,
    initial: Option<Initial>,
    start: Option<f64>,
) -> Variable {
    Variable {
        name: name.to_owned(),
        value_reference: reference,
        description: Some("a < b & c".to_owned()),
        causality,
        variability: Variability::Continuous,
        initial,
        kind: Kind::Real(RealAttributes { min: Some(-1.0), ..RealAttributes::default() }),
        start: start.map(Value::Real),
        declared_type: None,
        can_handle_multiple_set: true,
    }
}

fn description() -> ModelDescription {
    let known =
        |known: &[usize]| Dependencies::Known(known.iter().map(|at| (*at, DependencyKind::Dependent)).collect());
    let unknown = Unknown { index: 1, dependencies: known(&[0]) };
    ModelDescription {
        fmi_version: "2.0".to_owned(),
        model_name: "Gain <k>".to_owned(),
        guid: "{g}".to_owned(),
        co_simulation: Some(CoSimulation { model_identifier: "gain".to_owned(), ..CoSimulation::default() }),
        variables: vec![
            variable("u", 0, Causality::Input, None, Some(0.0)),
            variable("y", 1, Causality::Output, Some(Initial::Calculated), None),
        ],
        structure: ModelStructure {
            outputs: vec![unknown.clone()],
            derivatives: Vec::new(),
            initial_unknowns: vec![unknown],
        },
        ..ModelDescription::default()
    }
}

/// The first bytes of a library, enough to tell its platform.
fn library(platform: Platform) -> Library {
    let mut bytes = match platform {
        Platform::Win32 | Platform::Win64 => b"MZ".to_vec(),
        Platform::Darwin64 => vec![0xCF, 0xFA, 0xED, 0xFE],
        Platform::Linux32 => vec![0x7F, b'E', b'L', b'F', 1],
        Platform::Linux64 | Platform::Aarch64Linux => vec![0x7F, b'E', b'L', b'F', 2],
    };
    bytes.resize(64, 0);
    bytes[18] = match platform {
        Platform::Linux32 => 3,
        Platform::Aarch64Linux => 183,
        _ => 62,
    };
    Library { platform, bytes }
}

fn pack(libraries: &[Library]) -> Result<Vec<u8>, PackError> {
    let d = description();
    Package {
        description: &d,
        equations_html: "<h2>Equations</h2><pre>y = k u</pre>",
        libraries,
        reference_csv: Some("time,y\n0,0\n"),
        resources: &[("k.bin", b"1")],
    }
    .bytes()
}

fn names(fmu: &[u8]) -> Vec<String> {
    let mut zip = ZipArchive::new(Cursor::new(fmu)).expect("an archive");
    (0..zip.len()).map(|i| zip.by_index(i).expect("an entry").name().expect("a name").into_owned()).collect()
}

fn text(fmu: &[u8], name: &str) -> String {
    let mut text = String::new();
    let mut zip = ZipArchive::new(Cursor::new(fmu)).expect("an archive");
    zip.by_name(name).expect("the entry").read_to_string(&mut text).expect("text");
    text
}

#[test]
fn everything_is_in_its_place() {
    let fmu = pack(&[library(Platform::Win64), library(Platform::Linux64)]).expect("an FMU");
    assert_eq!(
        names(&fmu),
        [
            "modelDescription.xml",
            "binaries/linux64/gain.so",
            "binaries/win64/gain.dll",
            "documentation/index.html",
            "documentation/licenses/Apache-2.0.txt",
            "documentation/licenses/MIT.txt",
            "documentation/reference.csv",
            "model.png",
            "resources/",
            "resources/k.bin",
        ]
    );
    assert_eq!(xml::read_str(&text(&fmu, "modelDescription.xml")).expect("our text").description, description());
    let page = text(&fmu, "documentation/index.html");
    for part in [
        "<h1>Gain &lt;k&gt;</h1>",
        "<pre>y = k u</pre>",
        "<td>≥ -1</td>",
        "<td>a &lt; b &amp; c</td>",
        "<tr><td>y</td><td>u</td></tr>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_picture_is_a_picture() {
    let fmu = pack(&[library(Platform::Linux64)]).expect("an FMU");
    let mut bytes = Vec::new();
    let mut zip = ZipArchive::new(Cursor::new(&fmu)).expect("an archive");
    zip.by_name("model.png").expect("the picture").read_to_end(&mut bytes).expect("bytes");
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("its pixels");
    assert!(pixels.iter().any(|p| *p < 50) && pixels.contains(&255));
}

#[test]
fn the_same_input_gives_the_same_bytes_in_any_order() {
    let one = pack(&[library(Platform::Win64), library(Platform::Linux64)]).expect("an FMU");
    let other = pack(&[library(Platform::Linux64), library(Platform::Win64)]).expect("an FMU");
    assert_eq!(one, other);
    let mut zip = ZipArchive::new(Cursor::new(&one)).expect("an archive");
    for index in 0..zip.len() {
        let file = zip.by_index(index).expect("an entry");
        assert_eq!(file.last_modified().map(|t| t.year()), Some(1980));
        assert!(!file.name().expect("a name").contains('\\'));
    }
}

#[test]
fn merging_gives_what_packing_together_gives() {
    let together = pack(&[library(Platform::Linux64), library(Platform::Win64)]).expect("an FMU");
    let linux = pack(&[library(Platform::Linux64)]).expect("an FMU");
    let windows = pack(&[library(Platform::Win64)]).expect("an FMU");
    assert_eq!(merge(&linux, &library(Platform::Win64)).expect("merged"), together);
    assert_eq!(combine(&[&linux, &windows, &linux]).expect("combined"), together);
}

#[test]
fn what_does_not_belong_is_refused() {
    let linux = pack(&[library(Platform::Linux64)]).expect("an FMU");
    let said = |result: Result<Vec<u8>, PackError>| result.expect_err("a refusal").to_string();
    assert_eq!(said(merge(&linux, &library(Platform::Linux64))), "two libraries for linux64: pass one");
    let wrong = Library { platform: Platform::Win64, ..library(Platform::Linux64) };
    assert_eq!(
        said(merge(&linux, &wrong)),
        "`binaries/win64/gain.dll` begins with 7F 45 4C 46, expected a library for win64 (MZ)"
    );
    assert!(said(pack(&[])).starts_with("`Gain <k>` has no library"));
    let mut other = description();
    other.guid = "{h}".to_owned();
    let other = Package {
        description: &other,
        equations_html: "",
        libraries: &[library(Platform::Win64)],
        reference_csv: None,
        resources: &[],
    };
    let other = other.bytes().expect("an FMU");
    assert!(said(combine(&[&linux, &other])).contains("GUID `{h}`, expected `{g}`"));
    let mut broken = description();
    broken.structure.outputs.clear();
    let broken = Package {
        description: &broken,
        equations_html: "",
        libraries: &[library(Platform::Win64)],
        reference_csv: None,
        resources: &[],
    };
    assert!(said(broken.bytes()).contains("rule `outputs`, FMI 2.0.5, section 2.2.8"));
}

/// The crate carries the licences as files of its own, so that it can be published: they are those of the project.
#[test]
fn the_licences_are_those_of_the_project() {
    assert_eq!(include_str!("../LICENSE-MIT"), include_str!("../../../LICENSE-MIT"));
    assert_eq!(include_str!("../LICENSE-APACHE"), include_str!("../../../LICENSE-APACHE"));
}
