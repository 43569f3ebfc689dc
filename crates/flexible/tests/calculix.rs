//! CalculiX as judge: the same meshes, written as decks, solved by `ccx`.
//!
//! All are ignored by a plain `cargo test`, which says so, because `ccx` (Debian package `calculix-ccx`) may be missing.
//! `tests/judges/flexible.sh` runs them with `--ignored`; there a missing `ccx` is a failure.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use common::{l_material, t_material, tie};
use macrostep_flexible::eigen::{Modes, Search};
use macrostep_flexible::element::Solid;
use macrostep_flexible::import::{inp, stored};
use macrostep_flexible::mesh::{Element, arm, l_beam, long_beam, t_square};
use macrostep_flexible::moving::Rayleigh;
use macrostep_flexible::{Basis, BodyState, Factor, FlexibleBody, Joint, Loads, Material, Mesh, Sparse, Structure};
use nalgebra::DMatrix;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Runs `ccx` on a deck in a new folder; a missing program is a failure.
fn run(deck: &str) -> tempfile::TempDir {
    if let Err(why) = Command::new("ccx").arg("-v").output() {
        panic!("`ccx` cannot be run ({why}): install CalculiX (Debian: calculix-ccx)");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("body.inp"), deck).unwrap();
    let output = Command::new("ccx")
        .args(["-i", "body"])
        .current_dir(folder.path())
        .env("OMP_NUM_THREADS", "1")
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !log.contains("*ERROR"), "{log}");
    folder
}

fn text(folder: &Path, extension: &str) -> String {
    std::fs::read_to_string(folder.join(format!("body.{extension}"))).unwrap()
}

/// Displacements printed to the `.dat` file, by node label.
fn displacements(dat: &str) -> BTreeMap<usize, [f64; 3]> {
    let mut all = BTreeMap::new();
    for line in dat.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if let [label, x, y, z] = fields.as_slice()
            && let (Ok(label), Ok(x), Ok(y), Ok(z)) = (label.parse(), x.parse(), y.parse(), z.parse())
        {
            all.insert(label, [x, y, z]);
        }
    }
    all
}

/// The first frequencies (Hz) in the `.dat` file.
fn frequencies(dat: &str, count: usize) -> Vec<f64> {
    dat.lines()
        .filter_map(|line| {
            let fields: Vec<f64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
            (fields.len() == 5).then(|| fields[3])
        })
        .take(count)
        .collect()
}

/// The deck of a mesh with its surfaces also as node sets.
fn deck(mesh: &Mesh, material: &Material) -> String {
    let mut mesh = mesh.clone();
    for (name, faces) in mesh.surfaces.clone() {
        mesh.node_sets.insert(format!("N{name}"), mesh.face_nodes(&faces));
    }
    inp::write(&mesh, Some(material))
}

/// A rigid body of a surface's nodes with two extra nodes: translations and rotations of the master.
fn rigid(deck: &mut String, name: &str, at: [f64; 3], label: usize) {
    let [x, y, z] = at;
    writeln!(deck, "*NODE, NSET=REF{name}\n{label}, {x:.13e}, {y:.13e}, {z:.13e}").unwrap();
    writeln!(deck, "*NODE, NSET=ROT{name}\n{}, {x:.13e}, {y:.13e}, {z:.13e}", label + 1).unwrap();
    writeln!(deck, "*RIGID BODY, NSET=N{name}, REF NODE={label}, ROT NODE={}", label + 1).unwrap();
}

#[test]
#[ignore = "needs CalculiX: run by tests/judges/flexible.sh"]
fn stiffness_and_mass_equal_those_of_c3d20() {
    let mesh = l_beam(3, 1);
    let mut text_deck = deck(&mesh, &l_material());
    text_deck.push_str("*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n*END STEP\n");
    let folder = run(&text_deck);
    let read = |e| text(folder.path(), e);
    let theirs = stored::read(&read("sti"), &read("mas"), &read("dof"), &mesh).unwrap();
    let ours = Structure::solid(&mesh, &l_material()).unwrap();
    assert_matrices(&theirs, &ours);
}

/// Both matrices within 1e-7 of their largest entry, whatever the order of the rows.
fn assert_matrices(theirs: &Structure, ours: &Structure) {
    let [stiffness, mass] = in_our_rows(theirs, ours);
    for (name, (a, scale), b) in [("K", stiffness, &ours.stiffness), ("M", mass, &ours.mass)] {
        let difference = a.combine(1.0, b, -1.0).unwrap().max_abs() / scale;
        println!("{name}: largest difference {difference:.1e} of the largest entry");
        assert!(difference < 1e-7, "{name} {difference}");
    }
}

/// Stiffness and mass of theirs with the rows of ours, each with the largest entry of ours.
fn in_our_rows(theirs: &Structure, ours: &Structure) -> [(Sparse, f64); 2] {
    let row: BTreeMap<(usize, usize), usize> =
        ours.dofs.iter().enumerate().map(|(i, d)| ((ours.labels[d.node], d.direction), i)).collect();
    let place: Vec<usize> = theirs.dofs.iter().map(|d| row[&(theirs.labels[d.node], d.direction)]).collect();
    assert_eq!(place.len(), ours.dofs.len());
    [(&theirs.stiffness, &ours.stiffness), (&theirs.mass, &ours.mass)].map(|(a, b)| {
        let moved: Vec<_> = a.triplets().map(|(i, j, v)| (place[i], place[j], v)).collect();
        (Sparse::from_triplets(a.size(), &moved).unwrap(), b.max_abs())
    })
}

/// The mesh of `examples/meshes/link.geo`, tetrahedra with curved edges.
fn link() -> Mesh {
    let mut mesh = inp::read(include_str!("../../../examples/meshes/link.inp")).unwrap();
    mesh.notes.clear();
    mesh
}

#[test]
#[ignore = "needs CalculiX: run by tests/judges/flexible.sh"]
fn stiffness_and_frequencies_equal_those_of_c3d10() {
    let (mesh, material) = (link(), Material::new(2.1e11, 0.3, 7850.0).unwrap());
    let mut text_deck = inp::write(&mesh, Some(&material));
    text_deck.push_str("*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n*END STEP\n");
    let folder = run(&text_deck);
    let read = |e| text(folder.path(), e);
    let theirs = stored::read(&read("sti"), &read("mas"), &read("dof"), &mesh).unwrap();
    let ours = Structure::solid(&mesh, &material).unwrap();
    let [(stiffness, scale), (mass, _)] = in_our_rows(&theirs, &ours);
    let difference = stiffness.combine(1.0, &ours.stiffness, -1.0).unwrap().max_abs() / scale;
    println!("K: largest difference {difference:.1e} of the largest entry");
    assert!(difference < 1e-7, "{difference}");
    // CalculiX integrates this mass with 4 points, which is right for rigid motions and rounds the rest; ours is exact.
    let rigid = ours.rigid_modes(nalgebra::Vector3::new(0.125, 0.0, 0.0));
    let difference = mass.project(&rigid) - ours.mass.project(&rigid);
    assert!(difference.amax() < 1e-3 * ours.mass_kg(), "{difference}");

    let root = mesh.selection("root").unwrap();
    let mut text_deck = inp::write(&mesh, Some(&material));
    text_deck.push_str("*BOUNDARY\nROOT, 1, 3\n*STEP\n*FREQUENCY\n10\n*END STEP\n");
    let folder = run(&text_deck);
    let theirs = frequencies(&text(folder.path(), "dat"), 10);
    assert_eq!(theirs.len(), 10);
    let keep: Vec<usize> =
        (0..ours.dofs.len()).filter(|row| root.binary_search(&ours.dofs[*row].node).is_err()).collect();
    let stiffness = ours.stiffness.submatrix(&keep).unwrap();
    let with = |mass: &Sparse| {
        let mass = mass.submatrix(&keep).unwrap();
        Modes::sparse(&stiffness, &mass, Search::lowest(10, 0.0)).unwrap().frequencies_hz()
    };
    for (i, ((exact, same), judge)) in with(&ours.mass).iter().zip(with(&mass)).zip(&theirs).enumerate() {
        println!("mode {:>2}: {exact:.3} Hz, with the mass of CalculiX {same:.3} Hz, CalculiX {judge:.3} Hz", i + 1);
        assert!((same / judge - 1.0).abs() < 1e-6, "{i}: {same} {judge}");
        assert!((exact / judge - 1.0).abs() < 5e-3, "{i}: {exact} {judge}");
    }
}

#[test]
#[ignore = "needs CalculiX: run by tests/judges/flexible.sh"]
fn l_beam_frequencies_agree_to_1e_5() {
    let mesh = l_beam(36, 2);
    let mut text_deck = deck(&mesh, &l_material());
    text_deck.push_str("*BOUNDARY\nNCLAMP, 1, 3\n*STEP\n*FREQUENCY\n12\n*END STEP\n");
    let folder = run(&text_deck);
    let theirs = frequencies(&text(folder.path(), "dat"), 12);
    assert_eq!(theirs.len(), 12);

    let (_, tied) = tie(&mesh, &l_material(), &["CLAMP"]);
    let keep: Vec<usize> = (6..tied.chain.size()).collect();
    let stiffness = tied.chain.a0.submatrix(&keep).unwrap();
    let mass = tied.chain.a2.as_ref().unwrap().submatrix(&keep).unwrap();
    let ours = Modes::sparse(&stiffness, &mass, Search::lowest(12, 0.0)).unwrap().frequencies_hz();
    for (a, b) in ours.iter().zip(&theirs) {
        println!("{a:.6} Hz, CalculiX {b:.6} Hz, {:+.1e}", a / b - 1.0);
        assert!((a / b - 1.0).abs() < 1e-5);
    }
}

#[test]
#[ignore = "needs CalculiX: run by tests/judges/flexible.sh"]
fn long_beam_agrees_to_1e_6() {
    let mesh = long_beam();
    let material = Material::new(2e11, 0.3, 7850.0).unwrap();
    let mut text_deck = deck(&mesh, &material);
    rigid(&mut text_deck, "TIP", [1.0, 0.0, 0.0], 900_001);
    text_deck.push_str("*BOUNDARY\nNCLAMP, 1, 3\n*STEP\n*STATIC\n*CLOAD\n");
    text_deck.push_str("900001, 3, 1.0e-4\n900002, 1, 1.0e-4\n900002, 2, 1.0e-4\n");
    text_deck.push_str("*NODE PRINT, NSET=REFTIP\nU\n*NODE PRINT, NSET=ROTTIP\nU\n*END STEP\n");
    let folder = run(&text_deck);
    let dat = displacements(&text(folder.path(), "dat"));
    let theirs = [dat[&900_001][2], dat[&900_002][0], dat[&900_002][1]];

    let (_, tied) = tie(&mesh, &material, &["CLAMP", "TIP"]);
    let keep: Vec<usize> = (6..tied.chain.size()).collect();
    let mut load = DMatrix::zeros(keep.len(), 1);
    (2..5).for_each(|at| load[(at, 0)] = 1e-4);
    let u = Factor::cholesky(&tied.chain.a0.submatrix(&keep).unwrap(), "clamped beam").unwrap().solve(load);
    for (i, name) in ["u_z", "φ_x", "φ_y"].iter().enumerate() {
        let (ours, theirs) = (u[2 + i], theirs[i]);
        println!("{name}: {ours:.7e}, CalculiX {theirs:.7e}, {:+.1e}", ours / theirs - 1.0);
        assert!((ours / theirs - 1.0).abs() < 1e-6, "{name}");
    }
}

#[test]
#[ignore = "needs CalculiX: run by tests/judges/flexible.sh"]
fn rotating_t_square_agrees_to_0_03_per_cent() {
    let mesh = t_square();
    let mut text_deck = deck(&mesh, &t_material());
    rigid(&mut text_deck, "BAR", [0.15, 0.0, 0.0], 900_001);
    rigid(&mut text_deck, "STEM", [0.075, -0.17, 0.0], 900_011);
    text_deck.push_str("*BOUNDARY\nNMOUNT, 1, 3\n*STEP\n*STATIC\n*DLOAD\n");
    // ω² = 100 rad²/s² about the z axis through the mount, gravity along −z.
    text_deck.push_str("EALL, CENTRIF, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0\nEALL, GRAV, 9.81, 0.0, 0.0, -1.0\n");
    text_deck.push_str("*NODE PRINT, NSET=REFBAR\nU\n*NODE PRINT, NSET=REFSTEM\nU\n*END STEP\n");
    let folder = run(&text_deck);
    let dat = displacements(&text(folder.path(), "dat"));

    let damping = macrostep_flexible::moving::Rayleigh { alpha_per_s: 60.0, beta_s: 3e-5 };
    let found = common::settled_t_square(&common::t_body(10, 0, damping));
    for (c, label) in [900_001, 900_011].iter().enumerate() {
        for axis in 0..3 {
            let (ours, theirs) = (found[c][axis], dat[label][axis]);
            println!(
                "connector {} axis {axis}: {ours:.6e} m, CalculiX {theirs:.6e} m, {:+.4} %",
                c + 1,
                100.0 * (ours / theirs - 1.0)
            );
            assert!((ours / theirs - 1.0).abs() < 3e-4);
        }
    }
    // Seeded fault: one per mille more speed (two per mille more load) is seen.
    assert!((found[1].x * 1.002 / dat[&900_011][0] - 1.0).abs() > 3e-4);
}

#[test]
#[ignore = "needs CalculiX: run by tests/judges/flexible.sh"]
fn frequencies_of_a_rotating_arm_agree_to_0_1_per_cent() {
    let mesh = arm();
    let squared = 77.0_f64.powi(2);
    let mut text_deck = deck(&mesh, &t_material());
    text_deck.push_str("*BOUNDARY\nNHINGE, 1, 3\n*STEP, NLGEOM\n*STATIC\n*DLOAD\n");
    writeln!(text_deck, "EALL, CENTRIF, {squared}, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0\n*END STEP").unwrap();
    text_deck.push_str("*STEP, PERTURBATION\n*FREQUENCY\n5\n*END STEP\n");
    let folder = run(&text_deck);
    let theirs = frequencies(&text(folder.path(), "dat"), 5);
    assert_eq!(theirs.len(), 5);

    // Stiffness of the reduced body in uniform rotation, by differences of its forces about the stretched arm.
    let (structure, tied) = tie(&mesh, &t_material(), &["HINGE"]);
    let basis = Basis::craig_bampton(&tied.chain, 20).unwrap();
    let body = FlexibleBody::stiffened(&structure, &tied, &basis, 0, Rayleigh::default()).unwrap();
    let n = body.modes();
    let force = |q: &[f64]| {
        let mut state = BodyState::rest(n);
        state.set_spin(nalgebra::Vector3::z() * squared.sqrt());
        state.elastic_mut().copy_from_slice(q);
        body.held_forces(&state, &Loads::none(1), Joint::Clamp).unwrap()[6..].to_vec()
    };
    // The forces are linear in q where the frame does not move: any place will do.
    let (rest, mut stiffness) = (force(&vec![0.0; n]), DMatrix::zeros(n, n));
    for k in 0..n {
        let mut q = vec![0.0; n];
        q[k] = 1.0;
        force(&q).iter().zip(&rest).enumerate().for_each(|(i, (f, r))| stiffness[(i, k)] = r - f);
    }
    let symmetric = (&stiffness + stiffness.transpose()) * 0.5;
    let mut ours: Vec<f64> =
        symmetric.symmetric_eigenvalues().iter().map(|v| v.sqrt() / std::f64::consts::TAU).collect();
    ours.sort_by(f64::total_cmp);
    for (i, (a, b)) in ours.iter().zip(&theirs).enumerate() {
        println!(
            "mode {}: {a:.4} Hz, CalculiX {b:.4} Hz, {:+.1e}; at rest {:.4} Hz",
            i + 1,
            a / b - 1.0,
            body.frequencies_hz()[i]
        );
        assert!((a / b - 1.0).abs() < 1e-3, "{i}: {a} {b}");
    }
}

/// A bar of bricks with incompatible modes.
fn bricks() -> Mesh {
    let counts = [6, 2, 2];
    let mut mesh = Mesh::default();
    let index = |[i, j, k]: [usize; 3]| (k * (counts[1] + 1) + j) * (counts[0] + 1) + i;
    for k in 0..=counts[2] {
        for j in 0..=counts[1] {
            for i in 0..=counts[0] {
                mesh.nodes.push(nalgebra::Vector3::new(0.05 * i as f64, 0.02 * j as f64, 0.01 * k as f64));
            }
        }
    }
    for k in 0..counts[2] {
        for j in 0..counts[1] {
            for i in 0..counts[0] {
                let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
                let nodes = corners.map(|[a, b, c]: [usize; 3]| index([i + a, j + b, k + c])).to_vec();
                mesh.elements.push(Element { solid: Solid::C3d8i, nodes });
            }
        }
    }
    mesh.node_labels = (1..=mesh.nodes.len()).collect();
    mesh.element_labels = (1..=mesh.elements.len()).collect();
    let root = (0..mesh.nodes.len()).filter(|n| n % (counts[0] + 1) == 0).collect();
    mesh.node_sets.insert("ROOT".into(), root);
    mesh
}

#[test]
#[ignore = "needs CalculiX: run by tests/judges/flexible.sh"]
fn deflections_equal_those_of_c3d8i() {
    let (mesh, material) = (bricks(), t_material());
    let ours = Structure::solid(&mesh, &material).unwrap();
    let root = mesh.selection("root").unwrap();
    let (label, last) = (mesh.nodes.len(), 3 * mesh.nodes.len());
    let keep: Vec<usize> =
        (0..ours.dofs.len()).filter(|row| root.binary_search(&ours.dofs[*row].node).is_err()).collect();
    let stiffness = ours.stiffness.submatrix(&keep).unwrap();
    // A force on one corner of the free end bends and twists the bar.
    let mut text_deck = inp::write(&mesh, Some(&material));
    text_deck.push_str("*BOUNDARY\nROOT, 1, 3\n*STEP\n*STATIC\n*CLOAD\n");
    writeln!(text_deck, "{label}, 3, 100.0\n*NODE PRINT, NSET=NALL\nU\n*END STEP").unwrap();
    let folder = run(&text_deck);
    let theirs = displacements(&text(folder.path(), "dat"))[&label];
    let force = DMatrix::from_fn(keep.len(), 1, |row, _| if keep[row] == last - 1 { 100.0 } else { 0.0 });
    let u = Factor::cholesky(&stiffness, "clamped bar").unwrap().solve(force);
    for axis in 0..3 {
        let found = u[keep.iter().position(|row| *row == last - 3 + axis).unwrap()];
        println!("axis {axis}: {found:.7e} m, CalculiX {:.7e} m", theirs[axis]);
        assert!((found / theirs[axis] - 1.0).abs() < 1e-5);
    }
}
