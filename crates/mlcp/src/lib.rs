//! Box-constrained mixed linear complementarity problems (MLCP).
//!
//! Find `z` and the slack `w` such that
//!
//! ```text
//! w = N z + q
//! lo ≤ z ≤ hi
//! z_i = lo_i  ⇒  w_i ≥ 0
//! z_i = hi_i  ⇒  w_i ≤ 0
//! lo_i < z_i < hi_i  ⇒  w_i = 0
//! ```
//!
//! with `N` symmetric positive definite. A row with infinite bounds is an equation (that is what makes the problem
//! *mixed*); a friction row has bounds `±μ z_n` that follow another row of the same problem.
//!
//! | piece | what it is |
//! |---|---|
//! | [`Problem`] | the statement: matrix, offset, bounds, friction, persistent row ids |
//! | [`Solver`] | block principal pivoting with warm start, Murty's rule and descent as fallbacks, passes over friction bounds |
//! | [`gauss_seidel()`] | projected Gauss–Seidel, a cross-check that shares no code with the pivoting |
//! | [`enumerate`] | tries all 3^m sets, the reference for small problems |
//! | [`mod@file`] | problems saved to and loaded from JSON, with every bit of every number |
//!
//! # Notation
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | `N` | [`Problem::matrix`] | `A M⁻¹ Aᵀ + C`, row-major m × m |
//! | `q` | [`Problem::offset`] | slack at `z = 0` |
//! | `z` | [`Solution::z`] | unknowns (impulses in mechanics) |
//! | `w` | [`Solution::w`] | complementarity slack |
//! | `lo`, `hi` | [`Problem::lower`], [`Problem::upper`] | bounds of `z` |
//! | `μ` | [`Friction::coefficient`] | bound of a friction row over the value of its normal row |
//! | α | [`Set::Inside`] | rows strictly inside their bounds (*active*) |
//! | τ | [`Set::Lower`], [`Set::Upper`] | rows at a bound (*tight*) |
//!
//! # References
//!
//! * J. J. Júdice, F. M. Pires: *A block principal pivoting algorithm for large-scale strictly monotone linear
//!   complementarity problems*, Computers & Operations Research 21 (1994) — the block exchange and its fallback.
//! * K. G. Murty: *Note on a Bard-type scheme for solving the complementarity problem*, Opsearch 11 (1974) — the
//!   rule of one index, finite for P-matrices.
//! * C. L. Lawson, R. J. Hanson: *Solving Least Squares Problems* (1974), ch. 23, and P. B. Stark, R. L. Parker:
//!   *Bounded-variable least squares*, Computational Statistics 10 (1995) — the descent.
//! * A. Peiret, F. González, J. Kövecses, M. Teichmann: *Interface models in co-simulation of nonsmooth systems*,
//!   eq. (3) — the problem this crate states.

#![expect(clippy::neg_cmp_op_on_partial_ord, reason = "`!(a > b)` refuses NaN, `a <= b` would let it pass")]

pub mod dense;
mod descent;
mod enumeration;
mod failure;
pub mod file;
mod friction;
mod gauss_seidel;
mod pivoting;
mod problem;
mod set;
mod solver;

pub use enumeration::{ENUMERATION_LIMIT, enumerate};
pub use failure::{Failure, Flaw};
pub use gauss_seidel::{GaussSeidelOptions, gauss_seidel};
pub use problem::{Friction, Problem};
pub use set::{Set, WarmStart};
pub use solver::{Options, Solution, Solver, Statistics};
