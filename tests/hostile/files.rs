//! Files with wrong or malicious content.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::make::{self, LIBRARY, XML, archive, fmu, library, replaced, with};
use crate::run::{Left, macrostep};

/// What Git leaves in the place of a large file that was not fetched.
const LFS: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

/// A file that is refused.
pub struct Refused {
    pub title: &'static str,
    /// Makes it.
    make: fn() -> Vec<u8>,
    says: &'static [&'static str],
}

const XML_NAME: &str = "modelDescription.xml";

const REFUSED: &[Refused] = &[
    Refused { title: "no archive", make: || b"not a zip".to_vec(), says: &["slave.fmu", "not a ZIP archive"] },
    Refused { title: "an empty file", make: Vec::new, says: &["not a ZIP archive"] },
    Refused {
        title: "an archive cut off",
        make: || {
            let mut all = with("hostile", "hostile");
            all.truncate(all.len() / 2);
            all
        },
        says: &["not a ZIP archive"],
    },
    Refused {
        title: "a bomb of 300 MB",
        make: make::bomb,
        says: &["resources/data.bin", "314572800 bytes packed into", "at most 100 to 1"],
    },
    Refused { title: "a link", make: make::link, says: &["resources/passwd", "a link or device"] },
    Refused {
        title: "a way out of the folder",
        make: || archive(&[(XML_NAME, XML.as_bytes()), ("resources/../../x", b"")]),
        says: &["an empty part or `..`"],
    },
    Refused {
        title: "an absolute path",
        make: || archive(&[(XML_NAME, XML.as_bytes()), ("/etc/x", b"")]),
        says: &["an absolute path"],
    },
    Refused {
        title: "a way out of the folder by backslashes",
        make: || archive(&[(XML_NAME, XML.as_bytes()), ("resources\\..\\..\\x", b"")]),
        says: &["an empty part or `..`"],
    },
    Refused {
        title: "two names that differ in case only",
        make: || archive(&[(XML_NAME, XML.as_bytes()), ("resources/a", b""), ("resources/A", b"")]),
        says: &["a second entry of this name"],
    },
    Refused {
        title: "no description",
        make: || archive(&[("readme.txt", b"")]),
        says: &["modelDescription.xml", "is this an FMU?"],
    },
    Refused { title: "a description that is no XML", make: || fmu("<<<", &[]), says: &["line 1"] },
    Refused {
        title: "elements 100 000 deep",
        make: || {
            fmu(
                &replaced(
                    "<ModelVariables>",
                    &format!("<VendorAnnotations><Tool name=\"x\">{}", "<a>".repeat(100_000)),
                ),
                &[],
            )
        },
        says: &["line 6", "128 nested elements"],
    },
    Refused {
        title: "entities that grow",
        make: || {
            fmu(
                &replaced(
                    "<fmiModelDescription",
                    "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n<fmiModelDescription",
                ),
                &[],
            )
        },
        says: &["line 2", "document type"],
    },
    Refused {
        title: "an entity that reads a file",
        make: || {
            fmu(
                &replaced(
                    "<fmiModelDescription",
                    "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\n<fmiModelDescription",
                ),
                &[],
            )
        },
        says: &["document type"],
    },
    Refused {
        title: "a start value that is a word",
        make: || with("<Real start=\"1\"/>", "<Real start=\"abc\"/>"),
        says: &["line 7", "`abc`", "number"],
    },
    Refused {
        title: "a value reference out of range",
        make: || with("valueReference=\"1\"", "valueReference=\"4294967296\""),
        says: &["line 8", "4294967296"],
    },
    Refused {
        title: "index 0 in the model structure",
        make: || with("index=\"2\"", "index=\"0\""),
        says: &["line 14", "0"],
    },
    Refused {
        title: "index 999 in the model structure",
        make: || with("index=\"2\"", "index=\"999\""),
        says: &["line 14", "999", "1 to 5"],
    },
    Refused {
        title: "two variables of one name",
        make: || with("name=\"steps\"", "name=\"x\""),
        says: &["line 9", "`x` again", "line 8"],
    },
    Refused {
        title: "FMI 3.1",
        make: || with("fmiVersion=\"2.0\"", "fmiVersion=\"3.1\""),
        says: &["line 2", "3.1", "`2.0` or `3.0`", "export it again as one of these"],
    },
    Refused {
        title: "FMI 1.0",
        make: || with("fmiVersion=\"2.0\"", "fmiVersion=\"1.0\""),
        says: &["line 2", "1.0", "`2.0`", "export it again as one of these, for co-simulation"],
    },
    Refused {
        title: "a pointer of Git LFS",
        make: || LFS.as_bytes().to_vec(),
        says: &["found a Git LFS pointer in its place", "`git lfs pull`"],
    },
    Refused {
        title: "model exchange without its functions",
        make: || {
            let flag = " canHandleVariableCommunicationStepSize=\"true\"";
            fmu(&replaced("<CoSimulation", "<ModelExchange").replacen(flag, "", 1), &[])
        },
        says: &["lacks fmi2EnterEventMode, fmi2NewDiscreteStates", "fmi2GetDerivatives"],
    },
    Refused {
        title: "no library for this machine",
        make: || archive(&[(XML_NAME, XML.as_bytes()), ("binaries/win64/hostile.dll", b"MZ")]),
        says: &["no library for this machine", "binaries/win64/hostile.dll", "binaries/linux64/hostile.so"],
    },
    Refused {
        title: "a library cut off",
        make: || {
            let whole = library(&[]);
            archive(&[(XML_NAME, XML.as_bytes()), (LIBRARY, &whole[..40])])
        },
        says: &["hostile.so", "which end within"],
    },
    Refused {
        title: "a library that is a script",
        make: || archive(&[(XML_NAME, XML.as_bytes()), (LIBRARY, b"#!/bin/sh\nexit 0\n")]),
        says: &["23 21 2F 62", "ELF"],
    },
    Refused {
        title: "an identifier that leads elsewhere",
        make: || with("modelIdentifier=\"hostile\"", "modelIdentifier=\"../../hostile\""),
        says: &["no library for this machine"],
    },
];

/// A refused file and what the program said.
pub struct Met {
    pub refused: &'static Refused,
    pub left: Left,
}

/// All of them.
pub fn all() -> &'static [Met] {
    static MET: OnceLock<Vec<Met>> = OnceLock::new();
    MET.get_or_init(|| {
        let meet = |refused: &'static Refused| {
            let folder = make::folder(&format!("files/{}", refused.title.replace(' ', "_")));
            std::fs::write(folder.join("slave.fmu"), (refused.make)()).expect("the file");
            Met { refused, left: macrostep(&folder, &["simulate", "slave.fmu", "--out", "out"]) }
        };
        REFUSED.par_iter().map(meet).collect()
    })
}

#[test]
fn files_that_cannot_be_used_are_refused_and_named() {
    for Met { refused, left } in all() {
        assert_eq!(left.code, Some(1), "{}: {left:#?}", refused.title);
        let error = left.error();
        assert!(error.contains("slave.fmu"), "{}: {error}", refused.title);
        refused
            .says
            .iter()
            .for_each(|part| assert!(error.contains(part), "{}: `{part}` is not in {error}", refused.title));
    }
}

#[test]
fn what_a_run_can_do_without_is_a_warning_and_breaks_a_rule() {
    let cases = [
        ("unit=\"m\"", "unit=\"parsec\"", "unit-references"),
        ("startTime=\"0\" stopTime=\"1\"", "startTime=\"0\" stopTime=\"INF\"", "default-experiment"),
        ("stepSize=\"0.1\"", "stepSize=\"-0.1\"", "default-experiment"),
        ("stepSize=\"0.1\"", "stepSize=\"0\"", "default-experiment"),
        ("guid=", "surprise=\"1\" guid=", "form"),
        ("<CoSimulation", "<CoSimulation needsExecutionTool=\"true\"", ""),
    ];
    for (i, (from, to, rule)) in cases.into_iter().enumerate() {
        let folder = make::folder(&format!("warnings/{i}"));
        std::fs::write(folder.join("slave.fmu"), with(from, to)).expect("the FMU");
        let left =
            macrostep(&folder, &["simulate", "slave.fmu", "--step", "0.1", "--stop", "1", "--out", "out", "--json"]);
        assert_eq!(left.code, Some(0), "{to}: {left:#?}");
        assert_eq!(left.rows.as_ref().map(Vec::len), Some(11), "{to}: {left:#?}");
        let defaults = macrostep(&folder, &["simulate", "slave.fmu"]);
        assert_eq!(defaults.code, Some(0), "{to}: {defaults:#?}");
        let checked = macrostep(&folder, &["check", "slave.fmu"]);
        assert_eq!(checked.code, Some(i32::from(!rule.is_empty())), "{to}: {checked:#?}");
        assert!(checked.stdout.contains(rule), "{to}: {checked:#?}");
    }
}

#[test]
fn a_library_that_crashes_when_it_is_loaded_is_named_by_check() {
    let folder = make::folder("check");
    std::fs::write(folder.join("slave.fmu"), fmu(XML, &[("AT_LOAD", "raise(SIGSEGV)")])).expect("the FMU");
    let left = macrostep(&folder, &["check", "slave.fmu"]);
    assert_eq!(left.code, Some(1), "{left:#?}");
    assert!(left.error().contains("signal 11 (SIGSEGV") && left.error().contains("--no-library"), "{left:#?}");
    assert_eq!(macrostep(&folder, &["check", "--no-library", "slave.fmu"]).code, Some(0));
}

/// Systems and tables that Git has left a pointer for.
#[test]
fn pointers_of_git_lfs_are_told() {
    let folder = make::folder("hostile-pointers");
    std::fs::write(folder.join("a.fmu"), fmu(XML, &[])).expect("the FMU");
    std::fs::write(folder.join("in.csv"), LFS).expect("a table");
    let text = include_str!("../cases/hostile/inputs-by-pointer.toml");
    std::fs::write(folder.join("table.toml"), text).expect("a scenario");
    for file in ["s.ssp", "s.ssd", "s.toml", "table.toml"] {
        if file != "table.toml" {
            std::fs::write(folder.join(file), LFS).expect("a pointer");
        }
        let left = macrostep(&folder, &["run", file]);
        assert!(left.code != Some(0) && left.error().contains("found a Git LFS pointer in its place"), "{left:#?}");
    }
    let left = macrostep(&folder, &["simulate", "a.fmu", "--input", "in.csv"]);
    assert!(left.code != Some(0) && left.error().contains("found a Git LFS pointer in its place"), "{left:#?}");
}
