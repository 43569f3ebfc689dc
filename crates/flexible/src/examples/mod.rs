//! The three examples of the text: static deflection of a long beam, frequencies of an L-shaped beam, a T-square in
//! uniform rotation. The meshes are those of [`crate::mesh`].
//!
//! # References
//! [Zaiczek 2010] section 4, "Simulation Examples".

pub mod l_beam;
pub mod long_beam;
pub mod t_square;

use crate::{Chain, Connector, Error, Factor, Material, Mesh, Structure, Tied};
use nalgebra::DMatrix;

/// A structure and its connectors on surfaces of the mesh, named after these.
fn tie(mesh: &Mesh, material: &Material, surfaces: &[&str]) -> Result<(Structure, Tied), Error> {
    let structure = Structure::solid(mesh, material)?;
    let connectors: Vec<Connector> = surfaces.iter().map(|s| Connector::on(mesh, s, s)).collect::<Result<_, _>>()?;
    let tied = structure.tie(&connectors)?;
    Ok((structure, tied))
}

/// Static solution with the first connector clamped; `load` has one row per tied coordinate, and so has the result.
fn clamped_static(chain: &Chain, load: &DMatrix<f64>) -> Result<DMatrix<f64>, Error> {
    let keep: Vec<usize> = (chain.width..chain.size()).collect();
    let stiffness = chain.a0.submatrix(&keep)?;
    let solved = Factor::cholesky(&stiffness, "clamped stiffness")?.solve(load.select_rows(&keep));
    Ok(solved.insert_rows(0, chain.width, 0.0))
}
