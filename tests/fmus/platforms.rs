//! `macrostep fmus --platforms`: archives with the libraries of several platforms.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use macrostep_packager::Platform;

/// `macrostep fmus --out out --platforms libraries` in a folder.
fn fmus(folder: &Path) -> Output {
    let arguments = ["fmus", "--out", "out", "--platforms", "libraries"];
    Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).current_dir(folder).output().expect("started")
}

/// A folder with what stands for the libraries of a platform.
fn libraries(test: &str, platform: &str, suffix: &str, begin: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join(test);
    let libraries = folder.join("libraries").join(platform);
    std::fs::create_dir_all(&libraries).expect("a folder");
    for name in macrostep::embedded::names() {
        std::fs::write(libraries.join(format!("{name}{suffix}")), format!("{begin} of {name}")).expect("a library");
    }
    folder
}

fn file(archive: &[u8], path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).expect("an archive");
    archive.by_name(path).expect(path).read_to_end(&mut bytes).expect(path);
    bytes
}

#[test]
fn libraries_of_another_platform_stand_beside_those_of_this_one() {
    let folder = libraries("beside", "win64", ".dll", "MZ");
    let output = fmus(&folder);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let here = Platform::here().expect("a platform of FMI");
    for name in macrostep::embedded::names() {
        let together = std::fs::read(folder.join("out").join(format!("{name}.fmu"))).expect("written");
        let alone = macrostep::embedded::packed(name).expect("carried");
        assert_eq!(file(&together, &Platform::Win64.path(name)), format!("MZ of {name}").into_bytes());
        for path in ["modelDescription.xml", &here.path(name)] {
            assert_eq!(file(&together, path), file(alone, path), "{name}: {path}");
        }
    }
}

/// What is run in this process is what is written to files, without what is for people.
#[test]
fn an_archive_to_be_run_has_the_files_of_the_written_one() {
    for name in macrostep::embedded::names() {
        let [run, written] =
            [macrostep::embedded::fmu(name), macrostep::embedded::packed(name)].map(|a| a.expect("carried"));
        let names = |archive: &[u8]| {
            let archive = zip::ZipArchive::new(Cursor::new(archive)).expect("an archive");
            archive.file_names().map(|n| n.expect("a name").into_owned()).collect::<Vec<_>>()
        };
        let is_for_people = |path: &String| path.starts_with("documentation/") || path == "model.png";
        let expected: Vec<String> = names(written).into_iter().filter(|path| !is_for_people(path)).collect();
        assert_eq!(names(run), expected, "{name}");
        assert!(expected.len() >= 3, "{name}: {expected:?}");
        for path in expected.iter().filter(|path| !path.ends_with('/')) {
            assert_eq!(file(run, path), file(written, path), "{name}: {path}");
        }
    }
}

/// FMUs with a library for the platform get it, the others are named.
#[test]
fn libraries_that_are_not_there_are_named() {
    let folder = libraries("some", "win64", ".dll", "MZ");
    let absent = "oscillator1_force";
    std::fs::remove_file(folder.join("libraries/win64").join(format!("{absent}.dll"))).expect("removed");
    let output = fmus(&folder);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("so not for that platform: oscillator1_force\n"), "{text}");
    let names = |name: &str| {
        let bytes = std::fs::read(folder.join("out").join(format!("{name}.fmu"))).expect("written");
        let archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
        archive.file_names().any(|n| n.expect("a name").starts_with("binaries/win64"))
    };
    assert!(names("oscillator2_force") && !names(absent));
}

#[test]
fn what_is_no_library_is_refused_before_anything_is_written() {
    let cases = [
        ("unknown", "windows", ".dll", "MZ", 2, "is no platform of FMI; expected `darwin64`"),
        ("missing", "win64", ".so", "MZ", 1, "beam_full.dll"),
        ("other", "win64", ".dll", "ELF", 1, "FMU `beam_full`"),
    ];
    for (test, platform, suffix, begin, code, said) in cases {
        let folder = libraries(test, platform, suffix, begin);
        let output = fmus(&folder);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(said), "{text}");
        assert!(!folder.join("out").exists());
    }
}

#[test]
fn containers_have_the_platforms_of_all_fmus_inside() {
    let folder = libraries("container", "win64", ".dll", "MZ");
    let windows = folder.join("libraries/win64");
    std::fs::write(windows.join("container.dll"), "MZ of a container").expect("a library");
    let export = |out: &str| {
        let arguments = ["export", "case-1:f-s", "--out", out, "--platforms", "libraries"];
        Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).current_dir(&folder).output().expect("started")
    };
    let output = export("both.fmu");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let archive = std::fs::read(folder.join("both.fmu")).expect("written");
    let own = macrostep_import::fmu::Fmu::from_bytes("both", &archive).expect("the container");
    let identifier = &own.description().co_simulation.as_ref().expect("co-simulation").model_identifier;
    assert_eq!(file(&archive, &Platform::Win64.path(identifier)), b"MZ of a container");
    let inside = "resources/fmus/oscillator2_force/";
    let path = format!("{inside}{}", Platform::Win64.path("oscillator2_force"));
    assert_eq!(file(&archive, &path), b"MZ of oscillator2_force");
    // Without one of them there is no such container.
    std::fs::remove_file(windows.join("oscillator2_force.dll")).expect("removed");
    let output = export("one.fmu");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("no library for win64: unit `mass2` has none"), "{text}");
    let archive = std::fs::read(folder.join("one.fmu")).expect("written");
    let names = zip::ZipArchive::new(Cursor::new(archive)).expect("an archive");
    assert!(names.file_names().all(|name| !name.expect("a name").starts_with("binaries/win64")));
}
