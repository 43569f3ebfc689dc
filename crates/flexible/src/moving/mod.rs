//! The deformable body in a moving reference frame.
//!
//! The frame (r₀, A) is fixed to the reference connector; a material point is at xᵢ = Rᵢ + Sᵢ q in body axes, with S = 0
//! at the reference connector. With Y⁰ = R, Yᵏ = Sᵏ, p = (1, q):
//!
//! ```text
//! cᵃ = 1ᵀ m Yᵃ,  Dᵃᵇ = (Yᵃ)ᵀ m Yᵇ                                              (once, at import)
//! s = Σ pₐ cᵃ,  Gᵇ = Σ pₐ Dᵃᵇ,  J = Σ p_b Gᵇ,  Θ = tr(J) I − J,  H = Σ q̇_k Gᵏ
//! C = [c¹ …],  bᵏ_i = ε_ijl Gᵏ_jl,  B = [b¹ …],  M_kl = tr Dᵏˡ
//!
//! [ m I   −s̃   C ] [a ]   [ ω̃² s + 2 ω̃ C q̇                 ]   [F]
//! [ s̃     Θ    B ] [ω̇ ] + [ ω × Θ ω + 2 (tr(H) I − Hᵀ) ω    ] = [T]
//! [ Cᵀ    Bᵀ   M ] [q̈ ]   [ h_k + (K q + D q̇)_k             ]   [Q]
//!
//! h_k = Σ_ij (ω̃²)_ij Gᵏ_ji + 2 Σ_l q̇_l Σ_ij ω̃_ij Dˡᵏ_ji
//! ```
//!
//! Gravity adds [m I; s̃; Cᵀ] g; connector c adds F += f, T += x_c × f + t, Q += S_cᵀ f + Θ_cᵀ t. The coordinates q are
//! chosen M-orthonormal with diagonal stiffness (modes of the body clamped at its reference connector), so M = I.
//!
//! Geometric stiffening is there where the body holds the [`GeometricStiffness`] of unit loads, which
//! [`FlexibleBody::stiffened`] computes; without it see [`FlexibleBody::spin_warning`].
//!
//! # Notation
//! | symbol | meaning | unit |
//! |---|---|---|
//! | r₀, A | origin and orientation of the frame | m, – |
//! | a, ω, ω̇ | acceleration of the origin, spin and its rate, in body axes | m/s², rad/s, rad/s² |
//! | q | elastic coordinates, M-orthonormal | √kg m |
//! | m | mass scalars per node pair; their sum in the equations | kg |
//! | s, Θ | first and second moments of mass about the origin | kg m, kg m² |
//! | S_c, Θ_c | displacement and rotation shapes at connector c | 1/√kg, 1/(√kg m) |
//!
//! # References
//! [Zaiczek 2010] section 3, "Inclusion of non-linear terms", equations of motion of the moving reference frame.
//! Shabana, *Dynamics of Multibody Systems*, 4th ed., chapter 5 (inertia shape integrals).

mod alpha;
#[cfg(feature = "solve")]
mod assemble;
mod body;
mod dopri;
mod dynamics;
mod geometric;
mod joint;
mod micro;
mod output;
mod solve;
mod state;
#[cfg(feature = "solve")]
mod stiffen;
mod store;

pub use alpha::{AlphaMemory, Base, FrameMotion, GeneralizedAlpha, StepEnd};
pub use body::{ConnectorShape, FlexibleBody, Rayleigh};
pub use dopri::{Dopri, DopriStatistics};
pub use dynamics::Workspace;
pub use geometric::{GeometricStiffness, Symmetric};
pub use joint::Joint;
pub use micro::MicroStep;
pub use output::{ConnectorMotion, Momenta};
pub use state::{BodyState, Loads, Wrench};
