//! Meshes and matrices of other tools: faults are reported with file and line.

use std::path::Path;

use crate::make;
use crate::run::macrostep;

/// Nodes of one tetrahedron, lines 1 to 11.
const NODES: &str =
    "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,.5,0,0\n6,.5,.5,0\n7,0,.5,0\n8,0,0,.5\n9,.5,0,.5\n10,0,.5,.5\n";

/// The error of `macrostep flex import` on a mesh with these further arguments.
fn refused(folder: &Path, mesh: &str, more: &[&str]) -> String {
    let rest = ["--connector", "a=nodes:1,2,3", "--material", "2e11,0.3,7850", "--fmu", "x.fmu"];
    let left = macrostep(folder, &[&["flex", "import", mesh], rest.as_slice(), more].concat());
    assert_eq!(left.code, Some(1), "{}", left.stderr);
    left.error()
}

#[test]
fn errors_of_a_deck_name_file_and_line() {
    let folder = make::folder("meshes-decks");
    let tetrahedron = "*ELEMENT, TYPE=C3D10\n1, 1,2,3,4,5,6,7,8,9,10\n";
    let cases = [
        (tetrahedron.replace(",10\n", ",99\n"), "input deck, line 13: node 99 is used but not defined"),
        (
            tetrahedron.replace("C3D10", "C3D8"),
            "line 12: element type `C3D8` is not supported, expected C3D20 or C3D10",
        ),
        (tetrahedron.replace("1,2,3,4,", "2,1,3,4,"), "element 1 is inverted"),
        ("*ELEMENT, TYPE=CPS3\n1, 1,2,3\n".to_owned(), "no elements found, expected C3D20 or C3D10"),
    ];
    for (elements, words) in cases {
        std::fs::write(folder.join("mesh.inp"), format!("{NODES}{elements}")).expect("a deck");
        let error = refused(&folder, "mesh.inp", &[]);
        assert!(error.contains("`mesh.inp`") && error.contains(words), "{error}");
    }
}

#[test]
fn matrices_are_held_against_the_node_table_before_memory_is_taken() {
    let folder = make::folder("meshes-matrices");
    std::fs::write(folder.join("nodes.txt"), "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n").expect("a table");
    let size = "999999999 999999999 1\n1 1 1.0\n";
    std::fs::write(folder.join("k.mtx"), format!("%%MatrixMarket matrix coordinate real symmetric\n{size}"))
        .expect("a matrix");
    let error = refused(&folder, "nodes.txt", &["--stiffness", "k.mtx", "--mass", "k.mtx"]);
    assert!(error.contains("line 2: a matrix of 999999999 rows, expected 12"), "{error}");
}

#[test]
fn a_device_is_no_mesh() {
    let folder = make::folder("meshes-devices");
    for device in ["/dev/zero", "/dev/stdin", "."] {
        let error = refused(&folder, device, &[]);
        assert!(error.contains("expected a file"), "{error}");
    }
}
