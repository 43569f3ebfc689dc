//! Archives and libraries that are refused before any of their code runs.

use macrostep_import::fmu::{Fmu, FmuOptions, Limits};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::make::{archive, fmu_with, library, library_path, with};

fn fault(bytes: &[u8]) -> String {
    let result = Fmu::from_bytes("bad.fmu", bytes).and_then(|fmu| fmu.instantiate("s", &FmuOptions::default()));
    result.map(|_| ()).expect_err("a refusal").to_string()
}

#[test]
fn paths_out_of_the_folder_are_refused() {
    let good = fmu_with("", &[]);
    for name in ["../x", "a/../../x", "/etc/x", "C:/x", "\\etc\\x", "a\\..\\..\\x", "C:\\x", "a//x", "./../x", "a\nb"] {
        let message = fault(&with(&good, name, b"x"));
        assert!(message.starts_with("FMU `bad.fmu`: archive entry `"), "{name}: {message}");
        assert!(message.ends_with("expected a relative path with forward slashes"), "{name}: {message}");
    }
}

#[test]
fn parts_that_mean_nothing_are_put_up_with() {
    let good = fmu_with("", &[]);
    let fmu = Fmu::from_bytes("dots.fmu", &with(&with(&good, "./", b""), "./resources/./x", b"x")).expect("an FMU");
    let warnings: Vec<_> = fmu.warnings().iter().map(|w| (w.rule, w.to_string())).collect();
    let expected = "found the archive entry `./` (and 1 more) with a part `.`, expected paths with forward slashes and without `.`";
    assert_eq!(warnings, [("archive", expected.to_owned())]);
    assert!(fmu.folder().join("resources/x").is_file());
    // Packed by a tool of Windows.
    let fmu =
        Fmu::from_bytes("slashes.fmu", &with(&with(&good, "resources\\", b""), "resources\\x", b"x")).expect("an FMU");
    let found = fmu.warnings().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(found.starts_with("found the archive entry `resources\\`"), "{found}");
    assert!(found.contains("with backslashes, expected paths with forward slashes"), "{found}");
    assert!(fmu.folder().join("resources/x").is_file());
    let twice = with(&with(&good, "resources/x", b"1"), "resources/./x", b"2");
    assert!(fault(&twice).contains("a second entry of this name"));
}

#[test]
fn other_compression_is_named() {
    // The method stands at byte 8 of the local header and byte 10 of the directory's.
    let mut bytes = archive(&[("modelDescription.xml", b"<x/>")]);
    for at in 0..bytes.len() - 12 {
        let offset = match &bytes[at..at + 4] {
            b"PK\x03\x04" => 8,
            b"PK\x01\x02" => 10,
            _ => continue,
        };
        bytes[at + offset] = 12;
    }
    let message = fault(&bytes);
    assert!(message.contains("found the compression method Bzip2, which is not supported"), "{message}");
}

#[test]
fn links_are_refused() {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.add_symlink("resources", "/etc", SimpleFileOptions::default()).expect("a link");
    let bytes = zip.finish().expect("an archive").into_inner();
    assert!(fault(&bytes).contains("found a link or device"));
}

#[test]
fn names_given_twice_are_refused() {
    let different_case = archive(&[("a", b"1"), ("A", b"2")]);
    assert!(fault(&different_case).contains("a second entry of this name"));
    let mut same = archive(&[("twin-1", b"1"), ("twin-2", b"2")]);
    for at in 0..same.len() - 6 {
        if &same[at..at + 6] == b"twin-2" {
            same[at + 5] = b'1';
        }
    }
    assert!(fault(&same).contains("two entries of one name"));
}

#[test]
fn bombs_are_refused_before_they_are_unpacked() {
    let bomb = archive(&[("modelDescription.xml", b"<x/>"), ("resources/zeros", &vec![0; 100 << 20])]);
    assert!(bomb.len() < 1 << 20);
    assert!(fault(&bomb).contains("`resources/zeros`: found 104857600 bytes packed into"));
    let limits = Limits { total_bytes_max: 10, ..Limits::default() };
    let error = Fmu::with_limits("big", &archive(&[("a", b"12345678"), ("b", b"12345678")]), &limits);
    assert!(error.expect_err("too large").to_string().contains("`b`: found more than 10 bytes unpacked"));
    let limits = Limits { entries_max: 1, ..Limits::default() };
    assert!(Fmu::with_limits("many", &archive(&[("a", b""), ("b", b"")]), &limits).is_err());
}

#[test]
fn what_is_no_fmu_is_named() {
    assert!(fault(b"text").contains("not a ZIP archive"));
    assert!(fault(&archive(&[("a", b"")])).contains("`modelDescription.xml`: found no such file at the root"));
    let xml = b"<fmiModelDescription fmiVersion=\"3.1\"/>";
    let message = fault(&archive(&[("modelDescription.xml", xml)]));
    let expected =
        "FMU `bad.fmu`: modelDescription.xml, line 1: found fmiVersion=`3.1`, expected `2.0` or `3.0`: export it again";
    assert!(message.starts_with(expected), "{message}");
    let exchange =
        b"<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\"><ModelExchange/></fmiModelDescription>";
    assert!(
        fault(&archive(&[("modelDescription.xml", exchange)])).contains("`ModelExchange` without `modelIdentifier`")
    );
    let nothing = b"<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\"></fmiModelDescription>";
    assert!(fault(&archive(&[("modelDescription.xml", nothing)])).contains("it offers neither a `CoSimulation`"));
    let gone = Fmu::open("/nowhere/at/all.fmu").expect_err("no file").to_string();
    assert!(gone.starts_with("FMU `/nowhere/at/all.fmu`: No such file"), "{gone}");
}

const XML: &[u8] = b"<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\">\
    <CoSimulation modelIdentifier=\"slave\"/></fmiModelDescription>";

#[test]
fn a_library_for_elsewhere_or_in_part_is_refused() {
    let path = library_path();
    let whole = library(&[]);
    let half = archive(&[("modelDescription.xml", XML), (&path, &whole[..whole.len() / 3])]);
    let message = fault(&half);
    assert!(message.contains("bytes, which end within") || message.contains("at its start"), "{message}");
    let none = archive(&[("modelDescription.xml", XML), ("binaries/win31/slave.dll", b"MZ")]);
    let expected = format!("no library for this machine: found binaries/win31/slave.dll, expected `{path}`");
    assert_eq!(fault(&none), format!("FMU `bad.fmu`: {expected}"));
    assert!(fault(&archive(&[("modelDescription.xml", XML)])).contains("found no libraries"));
    let out = String::from_utf8_lossy(XML).replace("\"slave\"", "\"../../slave\"");
    assert!(fault(&archive(&[("modelDescription.xml", out.as_bytes()), (&path, &whole)])).contains("no library"));
}

#[test]
fn missing_functions_are_named() {
    let fmu = fmu_with("", &["-Dfmi2DoStep=other1", "-Dfmi2SetReal=other2"]);
    assert_eq!(fault(&fmu), format!("FMU `bad.fmu`: library `{}` lacks fmi2SetReal, fmi2DoStep", library_path()));
}
