//! The trait of equations.

use crate::{Scalar, Vector};

/// An ordinary differential equation with parameters p, states z, inputs u and outputs y:
///
/// ```text
/// z(0) = z₀(p),   ż = f(t, p, z, u),   y = g(t, p, z, u, u̇)
/// ```
///
/// written once over a [`Scalar`]. Everything else (integration, directional derivatives, time derivatives of outputs,
/// linear maps) follows from it.
pub trait System: Sized + Send + 'static {
    /// p, an array of scalars.
    type Parameters<S: Scalar>: Vector<S>;
    /// z; positions first, see [`System::POSITIONS`].
    type States<S: Scalar>: Vector<S>;
    /// u.
    type Inputs<S: Scalar>: Vector<S>;
    /// y.
    type Outputs<S: Scalar>: Vector<S>;

    /// How many of the first states are positions: semi-implicit Euler advances the others first and the positions
    /// with the new values of the others.
    const POSITIONS: usize;

    /// Whether f is linear (affine) in z and u and does not depend on t, so that it can be integrated exactly.
    const LINEAR: bool;

    /// z₀(p).
    fn start<S: Scalar>(p: &Self::Parameters<S>) -> Self::States<S>;

    /// f; it must not read the rates of the inputs.
    fn rates<S: Scalar>(at: &Point<Self, S>) -> Self::States<S>;

    /// g.
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> Self::Outputs<S>;
}

/// Where equations are evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Point<E: System, S: Scalar> {
    /// Time t.
    pub t: S,
    /// Parameters.
    pub p: E::Parameters<S>,
    /// States.
    pub z: E::States<S>,
    /// Inputs.
    pub u: E::Inputs<S>,
    /// Rates of the inputs, from the polynomials in use; zero for an input that is held.
    pub du: E::Inputs<S>,
}
