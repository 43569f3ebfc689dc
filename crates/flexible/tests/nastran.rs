//! Matrices of Nastran: DMIG and OUTPUT4, written here and read by the crate; damaged ones.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::import::{dmig, inp, op4, stored};
use macrostep_flexible::mesh::l_beam;
use macrostep_flexible::{Error, Sparse, Structure};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The lower triangle of both matrices as DMIG: in fields of 16 characters, or between commas with all digits.
fn as_dmig(structure: &Structure, is_free: bool) -> String {
    let at = |i: usize| (structure.labels[structure.dofs[i].node], structure.dofs[i].direction + 1);
    let mut text = String::from("$ punched\n");
    for (name, matrix) in [("KAAX", &structure.stiffness), ("MAAX", &structure.mass)] {
        let mut before = usize::MAX;
        let mut lower: Vec<_> = matrix.triplets().filter(|(i, j, _)| i >= j).collect();
        lower.sort_by_key(|(i, j, _)| (*j, *i));
        if is_free {
            writeln!(text, "DMIG,{name},0,6,2,0").unwrap();
        } else {
            writeln!(text, "{:<8}{name:<8}{:>8}{:>8}{:>8}{:>8}", "DMIG", 0, 6, 2, 0).unwrap();
        }
        for (i, j, value) in lower {
            let ((row, c), (column, d)) = (at(i), at(j));
            match (is_free, before == j) {
                (true, true) => writeln!(text, "+,{row},{c},{value:e}").unwrap(),
                (true, false) => writeln!(text, "DMIG,{name},{column},{d},,{row},{c},{value:e}").unwrap(),
                (false, is_same) => {
                    if !is_same {
                        writeln!(text, "{:<8}{name:<16}{column:>16}{d:>16}", "DMIG*").unwrap();
                    }
                    let digits = format!("{value:.8E}").replace('E', "D");
                    writeln!(text, "{:<8}{row:>16}{c:>16}{digits:>16}", "*").unwrap();
                }
            }
            before = j;
        }
    }
    text
}

/// Both matrices as text of OUTPUT4: dense columns, or strings of values with short or with long headers.
fn as_op4(structure: &Structure, form: &str) -> String {
    let mut text = String::new();
    let size = structure.dofs.len();
    let values = |text: &mut String, run: &[f64]| {
        for line in run.chunks(3) {
            let fields: String = line.iter().map(|v| format!("{:>23}", exponent(*v))).collect();
            writeln!(text, "{fields}").unwrap();
        }
    };
    for (name, matrix) in [("KAAX", &structure.stiffness), ("MAAX", &structure.mass)] {
        let rows = if form == "bigmat" { -(size as i64) } else { size as i64 };
        writeln!(text, "{size:>8}{rows:>8}{:>8}{:>8}{name:<8}1P,3E23.16", 6, 2).unwrap();
        for j in 0..size {
            let mut column: Vec<(usize, f64)> = matrix.triplets().filter(|t| t.1 == j).map(|t| (t.0, t.2)).collect();
            column.sort_by_key(|(i, _)| *i);
            if form == "dense" {
                let (first, last) = (column[0].0, column[column.len() - 1].0);
                let mut run = vec![0.0; last - first + 1];
                column.iter().for_each(|(i, v)| run[i - first] = *v);
                writeln!(text, "{:>8}{:>8}{:>8}", j + 1, first + 1, 2 * run.len()).unwrap();
                values(&mut text, &run);
                continue;
            }
            // Runs of rows without a gap.
            let mut runs: Vec<(usize, Vec<f64>)> = Vec::new();
            for (i, v) in column {
                match runs.last_mut() {
                    Some((first, run)) if *first + run.len() == i => run.push(v),
                    _ => runs.push((i, vec![v])),
                }
            }
            writeln!(text, "{:>8}{:>8}{:>8}", j + 1, 0, runs.iter().map(|r| 2 * r.1.len() + 1).sum::<usize>()).unwrap();
            for (first, run) in runs {
                let length = 2 * run.len() + 1;
                match form {
                    "bigmat" => writeln!(text, "{length:>8}{:>8}", first + 1).unwrap(),
                    _ => writeln!(text, "{:>12}", 65536 * length + first + 1).unwrap(),
                }
                values(&mut text, &run);
            }
        }
        writeln!(text, "{:>8}{:>8}{:>8}\n{:>23}", size + 1, 1, 1, "1.0000000000000000E+00").unwrap();
    }
    text
}

/// As Fortran writes it: two digits of the exponent, with its sign.
fn exponent(value: f64) -> String {
    let text = format!("{value:.16E}");
    let (digits, power) = text.split_once('E').unwrap();
    format!("{digits}E{:+03}", power.parse::<i32>().unwrap())
}

/// The L-beam's matrices, which are those of CalculiX (tests `calculix`), by way of Nastran's formats.
#[test]
fn matrices_of_nastran_are_those_of_the_mesh() {
    let mesh = l_beam(4, 1);
    let structure = Structure::solid(&mesh, &common::l_material()).unwrap();
    let dofs = stored::write(&structure, 17).2;
    // The largest difference of two matrices, relative to the largest entry.
    let off = |a: &Sparse, b: &Sparse| {
        let mut rest: BTreeMap<(usize, usize), f64> = b.triplets().map(|(i, j, v)| ((i, j), v)).collect();
        let largest = rest.values().fold(0.0_f64, |m, v| m.max(v.abs()));
        a.triplets().for_each(|(i, j, v)| *rest.entry((i, j)).or_insert(0.0) -= v);
        rest.values().fold(0.0_f64, |m, v| m.max(v.abs())) / largest
    };
    // Rows of DMIG stand by labels, which are those of the mesh in order.
    let free = as_dmig(&structure, true);
    let mut read = vec![("DMIG, free fields".to_owned(), dmig::read(&free, &free, &mesh).unwrap())];
    for form in ["dense", "strings", "bigmat"] {
        let text = as_op4(&structure, form);
        read.push((format!("OP4, {form}"), op4::read(&text, &text, &dofs, &mesh).unwrap()));
    }
    // The decimals of all but fixed fields are those of the binary numbers.
    for (what, found) in &read {
        assert_eq!((&found.labels, &found.dofs), (&structure.labels, &structure.dofs), "{what}");
        // Both triangles of the assembly agree to rounding only, and DMIG lists one.
        let worst = off(&found.stiffness, &structure.stiffness).max(off(&found.mass, &structure.mass));
        assert!(worst <= if what.starts_with("OP4") { 0.0 } else { 1e-15 }, "{what}: {worst:e}");
    }
    let fixed = as_dmig(&structure, false);
    let found = dmig::read(&fixed, &fixed, &mesh).unwrap();
    let worst = off(&found.stiffness, &structure.stiffness).max(off(&found.mass, &structure.mass));
    println!("fields of 16 characters: off by {worst:.1e} of the largest entry");
    assert!(worst > 0.0 && worst < 1e-8);
}

#[test]
fn damaged_matrices_of_nastran_are_refused_with_the_line() {
    let mesh = inp::read("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n").unwrap();
    let mass = "DMIG,MAAX,0,6,2,0\nDMIG,MAAX,1,1,,1,1,1.0\n";
    let cases = [
        ("DMIG,KAAX,0,6,4,0\n", 1, "type 4"),
        ("DMIG,KAAX,0,6,2,0\nDMIG,KAAX,1,0,,1,1,1.0\n", 2, "component 0"),
        ("DMIG,KAAX,0,6,2,0\nDMIG,KAAX,1,1,,1,1,one\n", 2, "expected a number"),
        ("DMIG,KAAX,0,6,2,0\nDMIG,KAAX,1,1,,2,1,1.0\nDMIG,KAAX,2,1,,1,1,1.0\n", 3, "listed twice"),
        ("DMIG,KAAX,0,6,2,0\nDMIG,KAAX,1,1,,1,1,1.0\nDMIG,KAAX,1,1,,1,1,1.0\n", 3, "listed twice"),
        ("DMIG,KAAX,0,6,2,0\nDMIG,KAAX,7,1,,7,1,1.0\n", 1, "node 7 is not in the node table"),
        ("DMIG,KAAX,1,1,,1,1,1.0\n", 1, "before its header"),
        ("GRID,1\n", 1, "no matrix whose name begins with `K`"),
    ];
    for (text, line, words) in cases {
        let found = dmig::read(text, mass, &mesh);
        let is_it = matches!(&found, Err(Error::Parse { line: at, what, .. }) if *at == line && what.contains(words));
        assert!(is_it, "{text}: {found:?}");
    }
    // Exponents without a letter.
    let short = "DMIG,KAAX,0,6,2,0\nDMIG,KAAX,1,1,,1,1,-1.5+3\n";
    assert_eq!(dmig::read(short, mass, &mesh).unwrap().stiffness.triplets().collect::<Vec<_>>(), [(0, 0, -1500.0)]);

    // A square matrix lists both triangles.
    let square = |name: &str, off: &str| {
        let entry = |column: usize, row: usize, value: &str| format!("DMIG,{name},{column},1,,{row},1,{value}\n");
        let header = format!("DMIG,{name},0,1,2,0\n");
        header + &entry(1, 1, "2.0") + &entry(1, 2, off) + &entry(2, 1, off) + &entry(2, 2, "2.0")
    };
    let found = dmig::read(&square("KAAX", "-1.0"), &square("MAAX", "0.0"), &mesh).unwrap();
    let mut triplets: Vec<_> = found.stiffness.triplets().collect();
    triplets.sort_by_key(|(i, j, _)| (*i, *j));
    assert_eq!(triplets, [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)]);

    let header = "       1       1       6       2KAAX    1P,3E23.16\n";
    let end = "       2       1       1\n 1.0000000000000000E+00\n";
    let good = format!("{header}       1       1       2\n 2.0000000000000000E+00\n{end}");
    let mass = good.replace("KAAX", "MAAX");
    assert_eq!(
        op4::read(&good, &mass, "1.1\n", &mesh).unwrap().stiffness.triplets().collect::<Vec<_>>(),
        [(0, 0, 2.0)]
    );
    let cases = [
        (good.replace("       2KAAX", "       4KAAX"), 1, "type 4"),
        (good.replace("1P,3E23.16", "binary"), 1, "expected one as"),
        (good.replace("1       1       2\n", "1       1       6\n"), 4, "6 words are promised"),
        (good.replace("1       1       2\n", "1       3       2\n"), 3, "row 3"),
        (good.replace("1       1       2\n", "1       0       2\n"), 3, "a value in row 1 of column 1"),
        (good.replace(end, ""), 3, "before its last column"),
    ];
    for (text, line, words) in cases {
        let found = op4::read(&text, &mass, "1.1\n", &mesh);
        let is_it = matches!(&found, Err(Error::Parse { line: at, what, .. }) if *at == line && what.contains(words));
        assert!(is_it, "{text}: {found:?}");
    }
    assert!(op4::read(&good, &mass, "1.1\n1.2\n", &mesh).is_err());
}
