//! Data that a corrector keeps from earlier windows.

use super::fixed_point::FixedPointState;
use super::krylov::KrylovState;
use super::multi_vector::MultiVectorState;
use super::newton::NewtonState;
use super::quasi_newton::QuasiNewtonState;
use super::semi_implicit::SemiImplicitState;
use crate::savable::savable;

savable! {
/// The data that a corrector keeps from earlier windows, and the vectors it works with: a part of the state of a run.
/// Each corrector has a place of its own; all are empty at first, and where the method or the step has changed.
#[derive(Default)]
pub struct Learnt {
    pub(super) fixed_point: FixedPointState,
    pub(super) newton: Option<Box<NewtonState>>,
    pub(super) quasi_newton: Option<Box<QuasiNewtonState>>,
    pub(super) multi_vector: Option<Box<MultiVectorState>>,
    pub(super) krylov: Option<Box<KrylovState>>,
    pub(super) semi_implicit: Option<Box<SemiImplicitState>>,
    /// What a corrector of your own keeps.
    pub numbers: Vec<f64>,
}
}
