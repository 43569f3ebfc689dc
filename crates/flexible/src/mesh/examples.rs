//! The three bodies of Zaiczek and Enge-Rosenblatt.
//!
//! # References
//! [Zaiczek 2010] T. Zaiczek, O. Enge-Rosenblatt, *Import of distributed parameter models into lumped parameter model
//! libraries for the example of linearly deformable solid bodies*, EOOLT 2010, section 4.

use super::block::extend;
use super::{Block, Mesh};

/// Long beam of 1 m along x with a section of 10 × 10 mm centred on the axis.
///
/// 4 × 4 elements in the section; along the beam 8 in each end of 20 mm and 36 between. Surfaces `CLAMP` (x = 0) and
/// `TIP` (x = 1 m).
pub fn long_beam() -> Mesh {
    let mut x = vec![0.0];
    extend(&mut x, 0.02, 8);
    extend(&mut x, 0.98, 36);
    extend(&mut x, 1.0, 8);
    let section: Vec<f64> = (0..=4).map(|i| -0.005 + 0.0025 * f64::from(i)).collect();
    let mut mesh = Block { x, y: section.clone(), z: section }.mesh(|_| true);
    mesh.name_plane("CLAMP", 0, 0.0, |_| true);
    mesh.name_plane("TIP", 0, 1.0, |_| true);
    mesh
}

/// L-shaped beam: legs of 1 m along +x and +y on their centre lines from the corner, 12 mm in the plane, 5 mm thick.
///
/// `along` elements a leg outside the corner block of 12 × 12 mm, `across` in the plane, one through the thickness.
/// Surfaces `CLAMP` (x = 1 m) and `TIP` (y = 1 m). The mesh of the example has `along` 36 and `across` 2.
pub fn l_beam(along: usize, across: usize) -> Mesh {
    let half = 0.006;
    let mut line = vec![-half];
    extend(&mut line, half, across);
    extend(&mut line, 1.0, along);
    let grid = Block { x: line.clone(), y: line, z: vec![-0.0025, 0.0025] };
    let mut mesh = grid.mesh(|c| c.x < half || c.y < half);
    mesh.name_plane("CLAMP", 0, 1.0, |_| true);
    mesh.name_plane("TIP", 1, 1.0, |_| true);
    mesh
}

/// T-square: crossbar of 15 × 4 cm along x, stem of 15 × 4 cm along −y below its middle, 2 cm thick.
///
/// Four elements per 4 cm, two through the thickness. Surfaces `MOUNT` (x = 0), `BAR` (x = 15 cm, connector 1) and
/// `STEM` (end of the stem, connector 2). The origin is the centre of the mount face.
pub fn t_square() -> Mesh {
    finer_t_square(1)
}

/// [`t_square`] with every element divided into `times` along each edge.
pub fn finer_t_square(times: usize) -> Mesh {
    let mut x = vec![0.0];
    extend(&mut x, 0.055, 6 * times);
    extend(&mut x, 0.095, 4 * times);
    extend(&mut x, 0.15, 6 * times);
    let mut y = vec![-0.17];
    extend(&mut y, -0.02, 15 * times);
    extend(&mut y, 0.02, 4 * times);
    let mut z = vec![-0.01];
    extend(&mut z, 0.0, times);
    extend(&mut z, 0.01, times);
    let grid = Block { x, y, z };
    let mut mesh = grid.mesh(|c| c.y > -0.02 || (c.x > 0.055 && c.x < 0.095));
    mesh.name_plane("MOUNT", 0, 0.0, |_| true);
    mesh.name_plane("BAR", 0, 0.15, |_| true);
    mesh.name_plane("STEM", 1, -0.17, |_| true);
    mesh
}

/// Slender arm of 1 m along x, 6 mm along y and 30 mm along z, the origin in its left end.
///
/// 24 × 1 × 2 elements. Surfaces `HINGE` (x = 0) and `TIP` (x = 1 m).
pub fn arm() -> Mesh {
    let mut x = vec![0.0];
    extend(&mut x, 1.0, 24);
    let mut mesh = Block { x, y: vec![-0.003, 0.003], z: vec![-0.015, 0.0, 0.015] }.mesh(|_| true);
    mesh.name_plane("HINGE", 0, 0.0, |_| true);
    mesh.name_plane("TIP", 0, 1.0, |_| true);
    mesh
}
