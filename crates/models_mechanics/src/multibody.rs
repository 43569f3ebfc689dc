//! A multibody system as a slave: forces in, speeds and the interface model out.
//!
//! # Equations
//! ```text
//! M v⁺ − Aᵀ z = M v + H (f_a − c + Dᵀ λ_i),   w = D v,   s the interface coordinates
//! ẇ = W λ_i + b,   so that   D v⁺ = D v + H (W λ_i + b)   while the active set holds
//! ```
//! Every step of the method has the same length H, because b is that of the *next* step: the fixed parameter `communication_step`
//! or, where that is 0, the first step. Until the first step W and b are then those of the recommended step. Communication steps
//! may have any length, see `stepping`.
//! λ_i is constant over a step; where its input is a polynomial, its mean is taken, which keeps the impulse.
//!
//! # Notation
//! | symbol | variable | meaning |
//! |---|---|---|
//! | λ_i | `lam_i[i]` | interface force (N), input |
//! | w, s | `w[i]`, `s[i]` | interface speed (m/s) and coordinate (m) |
//! | D(q_n) v⁺ | `w_step[i]` | speed after the last step in the directions of its start (m/s): what (I) predicts |
//! | ẇ | `der(w[i])` | W λ_i + b (m/s²), the only output that depends on an input |
//! | W | `W[i,j]` | mobility (1/kg), lower triangle by rows |
//! | b | `b[i]` | acceleration without interface forces (m/s²) |
//! | M̃, λ̃ | `mass_eff[i,j]`, `force_eff[i]` | W⁻¹ and W⁻¹ b, 0 where W is singular |
//!
//! The state has positions, velocities, time, and what the solver remembers: sets for the warm start, lagged friction
//! bounds, last λ_i. Saved and restored it goes on with the same bits.
//!
//! Reference: \[Peiret\] A. Peiret, F. González, J. Kövecses, M. Teichmann, *Interface models in co-simulation of
//! nonsmooth systems*, eq. (3)–(5).

mod declare;
mod derivative;
mod output;
mod stepping;

use std::marker::PhantomData;
use std::path::Path;

use macrostep_description::{Kind, ModelDescription, Variable};
use macrostep_multibody::{FlatState, InterfaceOptions, Simulation, State, StepError};
use macrostep_slave::{Fault, Group, Memory, Message, Model, Outcome, Phase, Shape, Span, Tangent};

#[cfg(feature = "list")]
pub(crate) use declare::page;

use crate::plants::Plant;
use crate::tape::{Note, Tape};

/// Lengths that H may have, s.
const STEPS_S: std::ops::RangeInclusive<f64> = 1e-6..=1.0;

/// Value references.
#[derive(Debug, Clone, Copy)]
struct Layout {
    /// Interface coordinates.
    r: usize,
    /// Own real and integer parameters of the plant.
    reals: usize,
    integers: usize,
    /// Own outputs of the plant.
    own: usize,
}

impl Layout {
    /// Communication step.
    const STEP: usize = 0;
    /// Outputs between `w_step` and the plant's own.
    const COMMON: usize = 10;
    /// Integer outputs about the last step.
    const STEP_COUNTS: usize = 5;

    fn packed(&self) -> usize {
        self.r * (self.r + 1) / 2
    }
    fn force(&self) -> usize {
        1 + self.reals
    }
    fn outputs(&self) -> usize {
        self.force() + self.r
    }
    fn dense(&self) -> usize {
        self.outputs() + 4 * self.r + Self::COMMON + self.own
    }
}

/// A multibody system of the kind `P`.
#[derive(Debug)]
pub struct Multibody<P> {
    layout: Layout,
    tape: Tape,
    /// What the memory says, ready to be computed with.
    cache: Option<Cache>,
    /// Room for lists of r and r × r numbers.
    scratch: [Vec<f64>; 2],
    /// What is to be told about steps off the grid, once.
    remark: stepping::Remark,
    plant: PhantomData<fn() -> P>,
}

#[derive(Debug)]
struct Cache {
    reals: Vec<f64>,
    integers: Vec<i32>,
    simulation: Simulation,
    /// The state of `simulation` as it stands in the memory.
    flat: FlatState,
}

impl<P: Plant> Multibody<P> {
    /// The simulation for the parameters in the memory, in no particular state.
    fn defined(&mut self, memory: &Memory) -> Result<&mut Cache, Fault> {
        let reals = &memory.reals[1..1 + self.layout.reals];
        let integers = &memory.integers[..self.layout.integers];
        let fits = self.cache.as_ref().is_some_and(|c| c.reals == reals && c.integers == integers);
        if !fits {
            let system =
                P::system(reals, integers).map_err(|e| Fault::Model { t_s: memory.time_s, message: e.to_string() })?;
            let simulation = Simulation::new(system);
            let flat = simulation.state().to_flat();
            self.cache = Some(Cache { reals: reals.to_vec(), integers: integers.to_vec(), simulation, flat });
        }
        let missing = || Fault::Model { t_s: memory.time_s, message: "there is no simulation".into() };
        self.cache.as_mut().ok_or_else(missing)
    }

    /// The simulation in the state in the memory.
    fn current(&mut self, memory: &Memory) -> Result<&mut Cache, Fault> {
        let tape = self.tape;
        let cache = self.defined(memory)?;
        if !tape.holds(memory, &cache.flat) {
            tape.read(memory, &mut cache.flat);
            let damaged = |e: macrostep_multibody::StateError| Fault::Snapshot(e.to_string());
            let state = State::from_flat(cache.simulation.system(), &cache.flat).map_err(damaged)?;
            cache.simulation.restore(&state).map_err(damaged)?;
        }
        Ok(cache)
    }

    /// The length H of the method's steps, s; `None` before the first step where it decides.
    fn fixed_step_s(&self, memory: &Memory) -> Option<f64> {
        [memory.reals[Layout::STEP], self.tape.step_s(memory)].into_iter().find(|step_s| *step_s > 0.0)
    }

    /// The length of the next step that W and b are for, s.
    fn next_step_s(&self, memory: &Memory) -> f64 {
        self.fixed_step_s(memory).unwrap_or(P::EXPERIMENT.0)
    }

    fn options(memory: &Memory) -> InterfaceOptions {
        InterfaceOptions { look_ahead: memory.booleans[0], ..InterfaceOptions::default() }
    }
}

fn failed(t_s: f64) -> impl Fn(StepError) -> Fault {
    move |e| Fault::Model { t_s, message: e.to_string() }
}

impl<P: Plant> Model for Multibody<P> {
    fn declare(_resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        declare::declare()
    }

    fn shape(&self) -> Shape {
        self.tape.shape()
    }

    fn group(&self, variable: &Variable) -> Group {
        let reference = variable.value_reference as usize;
        let dense = match variable.kind {
            Kind::Real(_) => reference >= self.layout.dense(),
            Kind::Integer { .. } => reference >= self.layout.integers + Layout::STEP_COUNTS,
            _ => true,
        };
        if dense { Group::Dense } else { Group::Outputs }
    }

    fn initialise(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let (tape, layout) = (self.tape, self.layout);
        let step_s = self.next_step_s(memory);
        if !STEPS_S.contains(&step_s) {
            let (low, high) = (STEPS_S.start(), STEPS_S.end());
            let message = format!("`communication_step` = {step_s} s found, expected 0 or {low} s to {high} s");
            return Err(Fault::Model { t_s: memory.start_s, message });
        }
        let cache = self.defined(memory)?;
        let simulation = &mut cache.simulation;
        let mut state = State::assembly(simulation.system());
        state.interface_forces.copy_from_slice(&memory.reals[layout.force()..layout.outputs()]);
        state.clock.origin_s = memory.start_s;
        simulation.restore(&state).map_err(|e| Fault::Snapshot(e.to_string()))?;

        // Without a step behind it the model takes all brakes as holding and all contacts as open.
        let options = InterfaceOptions { look_ahead: false, ..InterfaceOptions::default() };
        let model = simulation.interface_model(step_s, &options).map_err(failed(memory.start_s))?;
        let holding = model.holding_forces().unwrap_or_else(|| vec![0.0; layout.r]);
        state.write_flat(&mut cache.flat);
        tape.write(memory, &cache.flat)?;
        tape.set_holding(memory, &holding);
        let mut scratch = std::mem::take(&mut self.scratch);
        let [position, speed] = &mut scratch;
        self.current(memory)?.simulation.interface(position, speed);
        tape.set_step_speed(memory, speed);
        self.scratch = scratch;
        tape.set_note(memory, &Note::default());
        tape.set_step_s(memory, 0.0);
        tape.set_between(memory, false);
        Ok(())
    }

    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        self.advance(memory, span)?;
        Ok(Outcome::Done)
    }

    fn evaluate(&mut self, memory: &mut Memory, group: Group) -> Result<(), Fault> {
        match group {
            Group::Outputs => self.evaluate_outputs(memory),
            Group::Dense => self.evaluate_model(memory),
            Group::Rates => Ok(()),
        }
    }

    fn messages(&mut self) -> Vec<Message> {
        self.remark.take().into_iter().collect()
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        let initial = memory.phase == Phase::Initialization;
        self.differentiate(memory, initial, derivative::Along { unknown, known, d_known, d_unknown })
    }
}
