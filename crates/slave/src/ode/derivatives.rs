//! Derivatives of outputs, in time and along a direction.
//!
//! # Equations
//! y^{(n)}(t) = n! y_n from the Taylor series along the solution; ẏ = ∂g/∂u · u̇ + ∂g/∂z · ż by dual numbers with the states
//! fixed. During initialisation the states follow the parameters, z = z₀(p), and these are knowns as well.

use macrostep_ode::{Dual, Point, Vector, output_series};

use super::{IS_EXCHANGED, NODES, Ode};
use crate::{Equations, Fault, Memory, Phase, Tangent};

/// What a value reference stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Parameter(usize),
    MicroStep,
    Input(usize),
    Output(usize),
    /// A dense output, of this output.
    Node(usize),
    /// A state that no output shows.
    State(usize),
    /// The rate of this state, which no output shows.
    Rate(usize),
}

impl<E: Equations> Ode<E> {
    fn role(&self, reference: u32) -> Role {
        let r = reference as usize;
        if r < Self::P {
            Role::Parameter(r)
        } else if r < Self::INPUTS {
            Role::MicroStep
        } else if r < Self::OUTPUTS {
            Role::Input(r - Self::INPUTS)
        } else if r < Self::DENSE {
            Role::Output(r - Self::OUTPUTS)
        } else if let Some(local) = r.checked_sub(self.locals()) {
            let shown = &self.shown;
            let hidden = shown.hidden.get(local).copied().map(Role::State);
            hidden.unwrap_or_else(|| Role::Rate(shown.unrated[local - shown.hidden.len()]))
        } else {
            Role::Node(self.dense[(r - Self::DENSE) / NODES])
        }
    }

    pub(super) fn time_derivatives(&self, memory: &Memory, refs: &[u32], orders: &[i32], values: &mut [f64]) {
        // Orders were checked to be from 1 to 20.
        let highest = orders.iter().max().map_or(0, |n| *n as usize);
        let z = &memory.hidden_reals[..Self::Z];
        let y = output_series::<E>(memory.time_s, &memory.reals[..Self::P], z, &memory.inputs, highest);
        for ((reference, order), value) in refs.iter().zip(orders).zip(values) {
            *value = match self.role(*reference) {
                Role::Output(i) => {
                    let n = *order as usize;
                    y.as_slice()[i].coefficient(n) * (1..=n).map(|j| j as f64).product::<f64>()
                }
                // Sampled: constant between steps.
                _ => 0.0,
            };
        }
    }

    pub(super) fn tangents(&self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        // What is asked for must be computed, now or at a node.
        let at_start = memory.phase == Phase::Initialization;
        for reference in unknown {
            if !matches!(self.role(*reference), Role::Output(_) | Role::Node(_) | Role::State(_) | Role::Rate(_)) {
                return Err(self.no_derivative(memory, &[*reference], known.first().copied().unwrap_or(*reference)));
            }
        }
        // Seeds of the dual numbers.
        let mut dp = E::Parameters::<f64>::from_fn(|_| 0.0);
        let mut du = E::Inputs::<f64>::from_fn(|_| 0.0);
        let mut dz = E::States::<f64>::from_fn(|_| 0.0);
        // Knowns: inputs, during initialisation parameters, and later outputs that show a state.
        for (reference, d) in known.iter().zip(d_known) {
            match self.role(*reference) {
                Role::Input(i) => du.as_mut_slice()[i] += d,
                Role::Parameter(i) if at_start => dp.as_mut_slice()[i] += d,
                Role::MicroStep if at_start => {}
                Role::Output(y) if !at_start => match self.state_shown_by(y) {
                    Some(i) => dz.as_mut_slice()[i] += d,
                    None => return Err(self.no_derivative(memory, unknown, *reference)),
                },
                Role::State(i) if !at_start => dz.as_mut_slice()[i] += d,
                _ => return Err(self.no_derivative(memory, unknown, *reference)),
            }
        }
        // One evaluation for all unknowns.
        let at = self.point(memory, dp, du, dz);
        let y = E::outputs(&at);
        let has_rates = IS_EXCHANGED && unknown.iter().any(|reference| matches!(self.role(*reference), Role::Rate(_)));
        let rates = has_rates.then(|| E::rates(&at));
        for (reference, d) in unknown.iter().zip(d_unknown) {
            *d = match self.role(*reference) {
                Role::Output(i) => y.as_slice()[i].tangent,
                Role::Node(i) if at_start => y.as_slice()[i].tangent,
                Role::State(i) => at.z.as_slice()[i].tangent,
                Role::Rate(i) => rates.as_ref().map_or(0.0, |rates| rates.as_slice()[i].tangent),
                // What lies inside the last step does not follow present inputs.
                _ => 0.0,
            };
        }
        Ok(())
    }

    /// Where the equations are evaluated, with these changes.
    fn point(&self, memory: &Memory, dp: E::Parameters<f64>, du: E::Inputs<f64>, dz: E::States<f64>) -> Point<E, Dual> {
        let p = E::Parameters::<Dual>::from_fn(|i| Dual::new(memory.reals[i], dp.as_slice()[i]));
        let z = if memory.phase == Phase::Initialization {
            E::start(&p)
        } else {
            E::States::<Dual>::from_fn(|i| Dual::new(memory.hidden_reals[i], dz.as_slice()[i]))
        };
        let coefficient = |i, j| memory.inputs.coefficient(i, j);
        Point {
            t: Dual::from(memory.time_s),
            p,
            z,
            u: E::Inputs::<Dual>::from_fn(|i| Dual::new(coefficient(i, 0), du.as_slice()[i])),
            du: E::Inputs::<Dual>::from_fn(|i| Dual::from(coefficient(i, 1))),
        }
    }

    fn state_shown_by(&self, output: usize) -> Option<usize> {
        self.states.iter().find(|(_, y)| *y == output).map(|(z, _)| *z)
    }

    #[cold]
    fn no_derivative(&self, memory: &Memory, unknown: &[u32], known: u32) -> Fault {
        let name = |r: &u32| self.names.get(*r as usize).cloned().unwrap_or_default();
        Fault::NotDifferentiable {
            unknown: unknown.first().map(name).unwrap_or_default(),
            known: name(&known),
            phase: memory.phase,
        }
    }
}
