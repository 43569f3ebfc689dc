//! Import from decks, stored matrices and MatrixMarket; damaged files.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::check::Conditioning;
use macrostep_flexible::eigen::{Modes, Search};
use macrostep_flexible::import::{inp, market, stored};
use macrostep_flexible::mesh::{l_beam, t_square};
use macrostep_flexible::{Connector, Error, Material, Structure};
use std::fmt::Write as _;

/// First frequency in Hz of the L-beam clamped at one end.
fn first_clamped_hz(structure: &Structure) -> f64 {
    let mesh = l_beam(36, 2);
    let tied = structure.tie(&[Connector::on(&mesh, "clamp", "CLAMP").unwrap()]).unwrap();
    let keep: Vec<usize> = (6..tied.chain.size()).collect();
    let stiffness = tied.chain.a0.submatrix(&keep).unwrap();
    let mass = tied.chain.a2.as_ref().unwrap().submatrix(&keep).unwrap();
    // A small shift, because a damaged stiffness need not be positive definite.
    Modes::sparse(&stiffness, &mass, Search::lowest(1, 1e3)).unwrap().frequencies_hz()[0]
}

#[test]
fn text_with_14_digits_shifts_and_with_10_digits_destroys_the_lowest_frequency() {
    let mesh = l_beam(36, 2);
    let structure = Structure::solid(&mesh, &common::l_material()).unwrap();
    let sound = Conditioning::new(&structure, 4).unwrap();
    assert!(sound.warnings.is_empty(), "{sound}");
    assert!(sound.rigid_residual < 1e-16 && sound.asymmetry < 1e-14, "{sound}");
    // Six zero modes, not five and not seven; the mass is that of the drawing.
    assert!(sound.frequencies_hz[..6].iter().all(|f| f.abs() < 0.02) && sound.frequencies_hz[6] > 10.0);
    assert!((sound.mass_kg / (7900.0 * 0.012 * 0.005 * 2.0) - 1.0).abs() < 1e-12);
    let exact = first_clamped_hz(&structure);
    let damaged = |digits| {
        let (sti, mas, dof) = stored::write(&structure, digits);
        let read = stored::read(&sti, &mas, &dof, &mesh).unwrap();
        let report = Conditioning::new(&read, 4).unwrap();
        let shift = (first_clamped_hz(&read) / exact - 1.0).abs();
        println!("{digits} digits: first clamped frequency off by {shift:.1e}\n{report}");
        (shift, report)
    };
    let (full, report) = damaged(17);
    assert!(full < 1e-5 && report.warnings.is_empty());
    let (shifted, report) = damaged(14);
    assert!(shifted > 5e-5 && shifted < 1e-2, "{shifted}");
    assert!(report.warnings.iter().any(|w| w.contains("low eigenvalues")), "{report}");
    let (destroyed, report) = damaged(10);
    assert!(destroyed > 0.1, "{destroyed}");
    assert!(report.warnings.len() == 2, "{report}");
}

#[test]
fn deck_round_trip_keeps_mesh_sets_surfaces_and_material() {
    let mesh = t_square();
    let material = common::t_material();
    let mut expected = mesh.clone();
    expected.node_sets.insert("NALL".into(), (0..mesh.nodes.len()).collect());
    expected.element_sets.insert("EALL".into(), (0..mesh.elements.len()).collect());
    expected.material = Some(material);
    let found = inp::read(&inp::write(&mesh, Some(&material))).unwrap();
    for (a, b) in found.nodes.iter().zip(&expected.nodes) {
        assert!((a - b).amax() < 1e-14);
    }
    assert_eq!(found.elements, expected.elements);
    assert_eq!(found.surfaces, expected.surfaces);
    assert_eq!(found.node_sets, expected.node_sets);
    assert_eq!(found.element_sets, expected.element_sets);
    assert_eq!(found.material, expected.material);
}

#[test]
fn deck_features_and_refusals() {
    let mut deck = inp::write(&l_beam(2, 1), None);
    deck.push_str(
        "** a comment\n*NSET, NSET=Some, GENERATE\n1, 9, 4\n*nset, nset=Both\nSome, 2\n*STEP\n*STATIC\n*END STEP\n",
    );
    let mesh = inp::read(&deck).unwrap();
    assert_eq!(mesh.node_sets["SOME"], vec![0, 4, 8]);
    assert_eq!(mesh.node_sets["BOTH"], vec![0, 1, 4, 8]);
    assert!(mesh.material.is_none());
    // Blank coordinates are 0 where they stand.
    let blank = inp::read("*NODE\n1, , 2.0,\n2, 1, 3\n").unwrap().nodes;
    assert_eq!((blank[0].x, blank[0].y, blank[0].z, blank[1].y), (0.0, 2.0, 0.0, 3.0));

    let unsupported = inp::read("*ELEMENT, TYPE=C3D20R\n1, 1\n");
    assert!(matches!(unsupported, Err(Error::Parse { line: 1, ref what, .. }) if what.contains("C3D20R")));
    let bad = inp::read("*NODE\n1, 0.0, zero, 1.0\n");
    assert!(matches!(bad, Err(Error::Parse { line: 2, .. })), "{bad:?}");
    let short = inp::read("*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D20\n1, 1, 1, 1\n*STEP\n");
    assert!(matches!(short, Err(Error::Parse { line: 5, .. })), "{short:?}");
    let twice = inp::read("*NODE\n1, 0, 0, 0\n1, 0, 0, 1\n");
    assert!(matches!(twice, Err(Error::Parse { line: 3, .. })), "{twice:?}");
    assert!(matches!(mesh.selection("nowhere"), Err(Error::UnknownSet { .. })));
}

#[test]
fn a_deck_of_a_mesh_generator_is_read_with_its_groups() {
    let mut mesh = inp::read(include_str!("../../../examples/meshes/link.inp")).unwrap();
    assert_eq!(mesh.census(), "317 C3D10 elements");
    // Elements of the ends are no part of the body; their groups are sets of its nodes.
    let [note] = mesh.notes.as_slice() else { panic!("{:?}", mesh.notes) };
    assert!(note.contains("CPS6") && note.contains("sets can be connectors"), "{note}");
    assert_eq!(mesh.leave_out_free_nodes(), 0);
    for (name, x) in [("root", 0.0), ("tip", 0.25)] {
        let nodes = mesh.selection(name).unwrap();
        assert!(nodes.len() > 10 && nodes.iter().all(|n| (mesh.nodes[*n].x - x).abs() < 1e-9), "{name}");
    }
    assert_eq!(mesh.selection("body").unwrap().len(), mesh.nodes.len());
    assert!(mesh.element_sets.contains_key("BODY") && !mesh.element_sets.contains_key("ROOT"));
}

#[test]
fn nodes_of_no_solid_are_left_out() {
    let mut deck = inp::write(&l_beam(2, 1), None);
    deck.push_str(
        "*NODE\n9001, 5, 5, 5\n9002, 6, 6, 6\n*ELEMENT, TYPE=T3D2, ELSET=LINE\n9001, 9001, 9002\n9002, 9001, 1\n",
    );
    let mut mesh = inp::read(&deck).unwrap();
    let before = mesh.nodes.len();
    assert_eq!(mesh.selection("line").unwrap().len(), 3);
    assert_eq!(mesh.leave_out_free_nodes(), 2);
    assert_eq!((mesh.nodes.len(), mesh.selection("line").unwrap()), (before - 2, vec![0]));
    let mut expected = l_beam(2, 1);
    expected.nodes.iter_mut().zip(&mesh.nodes).for_each(|(a, b)| *a = *b);
    assert_eq!((mesh.nodes, mesh.elements), (expected.nodes, expected.elements));
}

#[test]
fn every_error_of_a_deck_names_its_line() {
    let nodes = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n";
    let cases = [
        ("*ELEMENT, TYPE=C3D8, ELSET=A\n", 6, "`C3D8` is not supported, expected C3D20 or C3D10"),
        ("*ELEMENT, TYPE=MASS\n", 6, "`MASS` is not supported"),
        ("*ELGEN, ELSET=A\n1, 4, 2, 1\n", 6, "`*ELGEN` is not supported"),
        ("*ELEMENT, TYPE=C3D10, INPUT=more.inp\n", 6, "`*ELEMENT` from another file"),
        ("*INSTANCE, NAME=A, PART=P\n*END INSTANCE\n*INSTANCE, NAME=B, PART=P\n", 8, "a second `*INSTANCE`"),
        ("*ELEMENT, TYPE=C3D10\n7, 1,2,3,4,1,2,3,\n4,1,99999999\n", 7, "node 99999999 is used but not defined"),
        ("*ELEMENT, TYPE=CPS3, ELSET=A\n8, 1, 2, 3\n9, 1, 2, 55\n", 8, "node 55 is used"),
        ("*ELEMENT, TYPE=C3D10\n7, 1,2,3,4,1,2,3,4,1,2,3\n", 7, "element 7 has 11 nodes, expected 10"),
        ("*ELEMENT, TYPE=C3D10\n7, 1,2,3\n*STEP\n", 8, "fewer than 10"),
        ("*NSET, NSET=A\n1, 2\n3, 77\n", 8, "node 77 is used"),
        ("*ELSET, ELSET=A\n5\n", 7, "element 5 is used"),
        ("*NSET, NSET=A, GENERATE\n1, 999999999999\n", 7, "expected at most 10000000"),
        ("*SURFACE, NAME=S\nNOWHERE, S1\n", 7, "no element set"),
        ("*ELEMENT, TYPE=C3D10\n7, 1,2,3,4,1,2,3,4,1,2\n*SURFACE, NAME=S\n7, S5\n", 9, "has no face S5, it has 4"),
        ("*SHELL SECTION, ELSET=A\n0.01\n", 6, "expected a body of solid elements only"),
        ("*INCLUDE, INPUT=other.inp\n", 6, "`*INCLUDE` is not supported"),
        ("*MATERIAL, NAME=A\n*MATERIAL, NAME=B\n", 7, "second material"),
    ];
    for (text, expected, words) in cases {
        match inp::read(&format!("{nodes}{text}")) {
            Err(Error::Parse { line, what, .. }) => assert!(line == expected && what.contains(words), "{line}: {what}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    let tied = inp::read(&format!("{nodes}*TIE, NAME=T\nA, B\n")).unwrap();
    assert!(tied.notes[0].contains("`*TIE` (line 6) not read"), "{:?}", tied.notes);
}

#[test]
fn a_matrix_of_another_size_is_refused_before_anything_is_allocated() {
    let table = "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    let claims = |size: &str| format!("%%MatrixMarket matrix coordinate real symmetric\n{size}\n1 1 1.0\n");
    let refused = |matrix: String, table: &str| match market::read(&matrix, &matrix, table) {
        Err(Error::Parse { line: 2, what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert!(refused(claims("999999999 999999999 1"), table).contains("999999999 rows, expected 12"));
    assert!(refused(claims("12 12 99999999999"), table).contains("99999999999 entries announced in a file of"));
    assert!(market::matrix(&claims("999999999 999999999 1"), None).is_err());
}

#[test]
fn matrix_market_round_trip_and_refusals() {
    let mesh = l_beam(3, 1);
    let structure = Structure::solid(&mesh, &common::l_material()).unwrap();
    let mut table = String::from("# label x y z\n");
    for (label, x) in structure.labels.iter().zip(&structure.nodes) {
        writeln!(table, "{label}, {:e} {:e}\t{:e}", x.x, x.y, x.z).unwrap();
    }
    let (k, m) = (market::write(&structure.stiffness), market::write(&structure.mass));
    let read = market::read(&k, &m, &table).unwrap();
    assert_eq!(read.nodes, structure.nodes);
    // One triangle as a whole matrix is told.
    for (k, m) in [(&k, &m.replace("symmetric", "general")), (&k.replace("symmetric", "general"), &m)] {
        let refused = Conditioning::new(&market::read(k, m, &table).unwrap(), 4);
        assert!(matches!(&refused, Err(Error::Unsupported(what)) if what.contains("is not symmetric")), "{refused:?}");
    }
    // The text keeps one triangle, the assembled halves differ by rounding.
    for (a, b) in [(&read.mass, &structure.mass), (&read.stiffness, &structure.stiffness)] {
        assert!(a.combine(1.0, b, -1.0).unwrap().max_abs() < 1e-15 * b.max_abs());
    }

    let truncated = &m[..m.len() / 2];
    assert!(market::matrix(truncated, None).is_err());
    assert!(market::matrix("%%MatrixMarket matrix array real general\n2 2\n", None).is_err());
    let outside = "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n";
    assert!(matches!(market::matrix(outside, None), Err(Error::Parse { line: 3, .. })));
    // An entry given twice would be added to itself; in a symmetric matrix its mirror image is the same entry.
    for kind in ["general\n2 2 2\n2 1 1.0\n2 1 1.0\n", "symmetric\n2 2 2\n2 1 1.0\n1 2 1.0\n"] {
        let twice = market::matrix(&format!("%%MatrixMarket matrix coordinate real {kind}"), None);
        assert!(
            matches!(twice, Err(Error::Parse { line: 4, ref what, .. }) if what.contains("listed twice")),
            "{twice:?}"
        );
    }
    let commented = "%%MatrixMarket matrix coordinate real general\n  % one\n2 2 1\n\t%two\n2 1 1.0\n";
    assert_eq!(market::matrix(commented, None).unwrap().get(1, 0), 1.0);
}

#[test]
fn damaged_stored_matrices_are_refused_with_their_line() {
    let mesh = l_beam(2, 1);
    let structure = Structure::solid(&mesh, &common::l_material()).unwrap();
    let (sti, mas, dof) = stored::write(&structure, 17);
    let line = |result: Result<Structure, Error>| match result {
        Err(Error::Parse { format, line, .. }) => (format, line),
        other => panic!("{other:?}"),
    };
    assert_eq!(line(stored::read(&sti.replacen("1 1 ", "1 x ", 1), &mas, &dof, &mesh)), (".sti", 1));
    assert_eq!(line(stored::read(&sti, &format!("{mas}9 2 1.0\n"), &dof, &mesh)).0, ".mas");
    assert_eq!(line(stored::read(&sti, &format!("{mas}{mas}"), &dof, &mesh)), (".mas", mas.lines().count() + 1));
    assert_eq!(line(stored::read(&sti, &mas.replacen('e', "?", 1), &dof, &mesh)), (".mas", 1));
    assert_eq!(line(stored::read(&sti, &mas, &dof.replacen(".2", ".9", 1), &mesh)), (".dof", 2));
    assert_eq!(line(stored::read(&sti, &mas, &format!("99999.1\n{dof}"), &mesh)), (".dof", 1));
    let cut: String = dof.lines().take(10).map(|l| format!("{l}\n")).collect();
    assert_eq!(line(stored::read(&sti, &mas, &cut, &mesh)).0, ".sti");
}

/// A slender body away from the origin: its coordinates are rounded, its stiffness was in no file.
#[test]
fn an_assembled_body_is_not_said_to_be_rounded_in_a_file() {
    let mut deck = String::from("*NODE\n");
    for i in 0..9_u32 {
        for (k, (y, z)) in [(0.0, 0.0), (0.0138, 0.0), (0.0138, 0.0297), (0.0, 0.0297)].iter().enumerate() {
            let x = 20.0 + 0.1034 * f64::from(i);
            writeln!(deck, "{}, {x:.4}, {:.4}, {:.4}", 4 * i as usize + k + 1, y - 13.3, z + 7.7).unwrap();
        }
    }
    deck.push_str("*ELEMENT, TYPE=C3D8I\n");
    for i in 0..8 {
        let nodes: Vec<String> = (1..9).map(|k| (4 * i + k).to_string()).collect();
        writeln!(deck, "{}, {}", i + 1, nodes.join(", ")).unwrap();
    }
    let mesh = inp::read(&deck).unwrap();
    let structure = Structure::solid(&mesh, &Material::new(1.36e8, 0.436, 4725.0).unwrap()).unwrap();
    let found = Conditioning::new(&structure, 4).unwrap();
    assert!(found.rigid_residual > 1e-16 && found.warnings.is_empty(), "{found}");
    // It is the body: its mass, and six motions without energy below the elastic ones.
    let mass_kg = 4725.0 * 0.8272 * 0.0138 * 0.0297;
    assert!((found.mass_kg / mass_kg - 1.0).abs() < 1e-9, "{found}");
    assert!(found.frequencies_hz[..6].iter().all(|f| *f == 0.0) && found.frequencies_hz[6] > 0.0, "{found}");
    // The same body from a file of eleven digits is said to be rounded.
    let (stiffness, mass, dofs) = stored::write(&structure, 11);
    let read = stored::read(&stiffness, &mass, &dofs, &mesh).unwrap();
    let found = Conditioning::new(&read, 4).unwrap();
    assert!(found.warnings.iter().any(|w| w.contains("was the stiffness rounded in a text file?")), "{found}");
}
