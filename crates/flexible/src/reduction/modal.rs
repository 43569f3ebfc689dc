//! Modal truncation: the lowest modes of the body with free connectors.

use super::{Basis, Method, independent};
use crate::eigen::{Modes, Search, free_shift};
use crate::{Chain, Error};
use nalgebra::DMatrix;

impl Basis {
    /// The `modes` lowest free modes, the null modes included.
    ///
    /// Warns always: the static response to connector loads can be wrong by tens of per cent, because no static shape
    /// is in the basis.
    ///
    /// # Errors
    /// [`Error::Eigen`] without convergence; [`Error::Shape`] when there are fewer modes than null modes.
    pub fn modal(chain: &Chain, modes: usize) -> Result<Self, Error> {
        let mass = chain.inertia()?;
        let null = independent(&chain.null, Some(mass), 1e-10);
        if modes < null.ncols() {
            let (found, expected) = (modes, null.ncols());
            return Err(Error::Shape { what: "number of free modes", found, expected });
        }
        let shift = free_shift(&chain.a0, mass);
        let found = Modes::sparse(&chain.a0, mass, Search::lowest(modes, shift))?;
        // The exact null modes take the place of the computed ones.
        let elastic = found.vectors.columns(null.ncols(), modes - null.ncols());
        let mut vectors = DMatrix::zeros(chain.size(), modes);
        vectors.columns_mut(0, null.ncols()).copy_from(&null);
        vectors.columns_mut(null.ncols(), elastic.ncols()).copy_from(&elastic);
        let warning = "modal truncation has no static shapes: static errors may be tens of per cent";
        Self::checked(chain, vectors, Method::Modal { modes }, vec![warning.into()])
    }
}
