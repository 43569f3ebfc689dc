//! Which causality, variability and `initial` go together (FMI 2.0.5, section 2.2.7, the two tables).

use crate::{Causality, Initial, Variability};

/// The standard's rule for a pair of causality and variability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combination {
    /// There is no such variable.
    Illegal,
    /// `initial` must not be given.
    None,
    /// The first of these is the default, the others may be given.
    Of(&'static [Initial]),
}

/// The entry of the table.
pub fn combination(causality: Causality, variability: Variability) -> Combination {
    use Causality::{CalculatedParameter, Independent, Input, Local, Output, Parameter};
    use Initial::{Approx, Calculated, Exact};
    use Variability::{Constant, Continuous, Discrete, Fixed, Tunable};
    match (causality, variability) {
        (Parameter, Fixed | Tunable) | (Output | Local, Constant) => Combination::Of(&[Exact]),
        (CalculatedParameter | Local, Fixed | Tunable) => Combination::Of(&[Calculated, Approx]),
        (Output | Local, Discrete | Continuous) => Combination::Of(&[Calculated, Exact, Approx]),
        (Input, Discrete | Continuous) | (Independent, Continuous) => Combination::None,
        _ => Combination::Illegal,
    }
}

/// `initial` where the file does not give it; `None` where it must not be given or the combination is illegal.
pub fn default_initial(causality: Causality, variability: Variability) -> Option<Initial> {
    match combination(causality, variability) {
        Combination::Of(allowed) => allowed.first().copied(),
        Combination::None | Combination::Illegal => None,
    }
}
