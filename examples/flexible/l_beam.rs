//! Natural frequencies of the L-shaped beam, clamped at one end.
//!
//! The slides list the in-plane modes only. Their ANSYS column belongs to about the mesh used here and is not
//! mesh-converged: a finer mesh moves away from it. Their theory column holds for modes 1, 2, 3 and 5; its fourth entry
//! is not what beam theory gives (65.6 Hz).

use macrostep_flexible::eigen::{Modes, Search};
use macrostep_flexible::mesh::l_beam;
use macrostep_flexible::{Connector, Error, Material, Mesh, Structure};
use nalgebra::{DMatrix, Vector3};

/// In-plane frequencies of the slides by ANSYS and by Dymola, which agree in all digits, Hz.
pub const ANSYS_HZ: [f64; 5] = [3.337, 9.121, 44.802, 66.030, 143.173];
/// In-plane frequencies of the slides by theory, Hz.
pub const THEORY_HZ: [f64; 5] = [3.331, 9.070, 44.772, 66.687, 143.179];

/// In-plane modes of the clamped beam.
#[derive(Debug, Clone)]
pub struct LBeam {
    /// The mesh they belong to.
    pub mesh: Mesh,
    /// Frequencies in Hz, ascending.
    pub frequencies_hz: Vec<f64>,
    /// Shapes of these modes: a displacement of every node, scaled to a largest one of 1.
    pub shapes: Vec<Vec<Vector3<f64>>>,
}

/// Steel of the slides: E 2.1e11 Pa, G 82e9 Pa, ρ 7900 kg/m³.
///
/// # Errors
/// Never: the constants are sound.
pub fn material() -> Result<Material, Error> {
    Material::new(2.1e11, 2.1e11 / (2.0 * 82e9) - 1.0, 7900.0)
}

impl LBeam {
    /// The first five in-plane modes on a mesh of `along` × `across` × 1 elements a leg (36 × 2 in the example).
    ///
    /// # Errors
    /// Those of the eigenvalue search.
    pub fn new(along: usize, across: usize) -> Result<Self, Error> {
        let mesh = l_beam(along, across);
        let structure = Structure::solid(&mesh, &material()?)?;
        let tied = structure.tie(&[Connector::on(&mesh, "clamp", "CLAMP")?])?;
        let keep: Vec<usize> = (6..tied.chain.size()).collect();
        let stiffness = tied.chain.a0.submatrix(&keep)?;
        let mass = tied.chain.inertia()?.submatrix(&keep)?;
        let modes = Modes::sparse(&stiffness, &mass, Search::lowest(12, 0.0))?;
        let fields = tied.map.multiply(&modes.vectors.clone().insert_rows(0, 6, 0.0));
        let in_plane = is_in_plane(&structure, &fields);
        let frequencies = modes.frequencies_hz();
        let chosen: Vec<usize> = (0..frequencies.len()).filter(|i| in_plane[*i]).take(ANSYS_HZ.len()).collect();
        Ok(Self {
            frequencies_hz: chosen.iter().map(|i| frequencies[*i]).collect(),
            shapes: chosen.iter().map(|i| shape(&fields, *i)).collect(),
            mesh,
        })
    }
}

/// Modes whose motion along z carries less than half of the mass-weighted motion.
fn is_in_plane(structure: &Structure, fields: &DMatrix<f64>) -> Vec<bool> {
    let mut across = fields.clone();
    for (row, dof) in structure.dofs.iter().enumerate() {
        if dof.direction != 2 {
            across.row_mut(row).fill(0.0);
        }
    }
    let weighted = structure.mass.multiply(&across);
    (0..fields.ncols()).map(|i| across.column(i).dot(&weighted.column(i)) < 0.5).collect()
}

/// Column `i` of a nodal field, three rows a node, scaled to a largest displacement of 1.
fn shape(fields: &DMatrix<f64>, i: usize) -> Vec<Vector3<f64>> {
    let column = fields.column(i);
    let all: Vec<Vector3<f64>> =
        (0..column.len() / 3).map(|n| Vector3::new(column[3 * n], column[3 * n + 1], column[3 * n + 2])).collect();
    let largest = all.iter().map(Vector3::norm).fold(f64::MIN_POSITIVE, f64::max);
    all.into_iter().map(|u| u / largest).collect()
}
