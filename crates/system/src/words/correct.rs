//! What the words for correctors stand for in the master.

use macrostep_master::correct::{
    Correction, FixedPoint, InterfaceJacobian, MultiVector, Newton, NewtonKrylov, QuasiNewton, Relaxation, SemiImplicit,
};

use super::Correct;

impl Correct {
    /// Whether steps are made more than once.
    pub const fn repeats(self) -> bool {
        !matches!(self, Self::Explicit | Self::LinearImplicit)
    }

    /// As the master has it; tolerance and number of corrections where they are not the default. Those that make a fixed
    /// number of corrections take neither.
    pub fn correction(self, tolerance: Option<f64>, corrections_max: Option<usize>) -> Correction {
        /// Replaces the defaults of a corrector where something else is said.
        macro_rules! with {
            ($corrector:expr, $most:ident) => {{
                let mut corrector = $corrector;
                corrector.tolerance = tolerance.unwrap_or(corrector.tolerance);
                corrector.$most = corrections_max.unwrap_or(corrector.$most);
                corrector
            }};
        }
        let newton = |jacobian| Correction::Newton(with!(Newton::new(jacobian), corrections_max));
        match self {
            Self::Explicit => Correction::Explicit,
            Self::FixedPoint => Correction::FixedPoint(with!(FixedPoint::new(Relaxation::Aitken(1.0)), runs_max)),
            Self::Newton => newton(InterfaceJacobian::FiniteDifferences),
            Self::NewtonDirectional => newton(InterfaceJacobian::Directional),
            Self::IqnIls => Correction::QuasiNewton(with!(QuasiNewton::iqn_ils(), runs_max)),
            Self::IqnImvj => Correction::MultiVector(with!(MultiVector::default(), runs_max)),
            Self::Anderson => Correction::QuasiNewton(with!(QuasiNewton::anderson(5, 1.0), runs_max)),
            Self::NewtonKrylov => Correction::NewtonKrylov(with!(NewtonKrylov::default(), corrections_max)),
            Self::SemiImplicit => Correction::SemiImplicit(SemiImplicit::default()),
            Self::LinearImplicit => Correction::LinearImplicit,
        }
    }
}
