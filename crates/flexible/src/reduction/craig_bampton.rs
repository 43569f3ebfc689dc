//! Craig–Bampton reduction.
//!
//! ```text
//! V = [  I                0  ]
//!     [ −K_ii⁻¹ K_ib     Φ_i ],   K_ii Φ_i = M_ii Φ_i Ω²
//! ```
//!
//! # References
//! Craig, Bampton, *Coupling of Substructures for Dynamic Analyses*, AIAA Journal 6 (1968), equations 9 to 15.

use super::{Basis, Method, others};
use crate::eigen::{Modes, Search};
use crate::{Chain, Error, Factor};
use nalgebra::DMatrix;

impl Basis {
    /// One static shape per connector variable and the `modes` lowest modes with all connectors fixed.
    ///
    /// # Errors
    /// [`Error::Factorisation`] when fixing the connectors leaves the body free (no connector, or a disconnected
    /// part), [`Error::Eigen`] when the modes do not converge.
    pub fn craig_bampton(chain: &Chain, modes: usize) -> Result<Self, Error> {
        let (n, b) = (chain.size(), chain.masters);
        let inner = others(n, 0..b);
        let stiffness = chain.a0.submatrix(&inner)?;
        let factor = Factor::cholesky(&stiffness, "stiffness with fixed connectors")?;
        let coupling = DMatrix::from_fn(n - b, b, |i, j| chain.a0.get(inner[i], j));
        let mut vectors = DMatrix::zeros(n, b + modes);
        vectors.view_mut((0, 0), (b, b)).fill_with_identity();
        vectors.view_mut((b, 0), (n - b, b)).copy_from(&-factor.solve(coupling));
        if modes > 0 {
            let mass = chain.inertia()?.submatrix(&inner)?;
            let found = Modes::sparse(&stiffness, &mass, Search::lowest(modes, 0.0))?;
            vectors.view_mut((b, b), (n - b, modes)).copy_from(&found.vectors);
        }
        Self::checked(chain, vectors, Method::CraigBampton { modes }, Vec::new())
    }
}
