//! A hydraulic circuit as a slave that integrates the interface model of what it drives.
//!
//! # Equations
//! Over a step H from t, in N = H/h_f micro steps of h_f, or in the next larger whole number of shorter ones, with w_0, s_0, W and b as they stand at the step's start:
//! ```text
//! λ_k     = A1 p1 − A2 p2 − b_f w_k
//! w_{k+1} = w_0                              hold
//!         = w_0 + (w_0 − w_{−1}) t_{k+1}/H    linear
//!         = w_k + h_f (W λ_k + b)            interface model
//! p, x, s_des with w_{k+1},   s_{k+1} = s_k + h_f w_{k+1}
//! ```
//! `macrostep_hydraulics` has the equations of the chambers, the valve and the controller.
//!
//! # Notation
//! | symbol | variable | meaning |
//! |---|---|---|
//! | w_0, s_0 | `w0[i]`, `s0[i]` | interface speed (m/s) and position (m), inputs held in the step |
//! | W, b | `W[i,j]`, `b[i]` | interface model, inputs held in the step; W is the lower triangle by rows |
//! | λ̄, λ_N | `lam_mean[i]`, `lam_end[i]` | mean force over the last step, force at its end (N) |
//! | w_N, s_N | `w_pred[i]`, `s_pred[i]` | predicted speed and position at its end |
//! | λ | `lam[i]` | force at the present state and `w0` (N): the output that feeds through |
//! | w_{−1} | hidden | `w0` of the step before; where that had another length H₋, w_0 − (w_0 − w_{−1}) H/H₋ |
//!
//! A step of one micro step with `hold` makes this a plain force-out, velocity-in slave: the master can then do the
//! prediction itself.

mod declare;

use std::marker::PhantomData;
use std::path::Path;

use macrostep_description::{ModelDescription, Variable};
use macrostep_hydraulics::{
    Circuit, CircuitState, CylinderState, FastSide, Forces, Interface, Prediction, Window, window,
};
use macrostep_slave::{Fault, Group, Memory, Model, Outcome, Phase, Shape, Span, Tangent};

#[cfg(feature = "list")]
pub(crate) use declare::page;

use crate::circuits::Drive;

/// What a micro step costs.
const WORK: u64 = 10;

/// Steps that differ by less than this part are of one length.
const SAME: f64 = 1e-9;

/// Hidden reals of a cylinder.
const CYLINDER: usize = 5;

/// Value references and places of the hidden state; r is the number of cylinders.
#[derive(Debug, Clone, Copy)]
struct Layout {
    r: usize,
    /// Own real parameters of the circuit.
    reals: usize,
}

impl Layout {
    /// Micro step.
    const MICRO: usize = 0;

    fn packed(&self) -> usize {
        self.r * (self.r + 1) / 2
    }
    fn start_force(&self) -> usize {
        1 + self.reals
    }
    fn speed(&self) -> usize {
        self.start_force() + self.r
    }
    fn position(&self) -> usize {
        self.speed() + self.r
    }
    fn mobility(&self) -> usize {
        self.position() + self.r
    }
    fn bias(&self) -> usize {
        self.mobility() + self.packed()
    }
    fn outputs(&self) -> usize {
        self.bias() + self.r
    }
    /// Hidden: cylinders, speed before, mean and end force, predicted speed and position, length of the step before, work.
    fn hidden(&self) -> usize {
        (CYLINDER + 5) * self.r + 2
    }
    /// Place of the length of the step before, s.
    fn step_before(&self) -> usize {
        self.hidden() - 2
    }
}

/// A hydraulic circuit of the kind `D`.
#[derive(Debug)]
pub struct Hydraulics<D> {
    layout: Layout,
    /// Parameters the circuit was made of, and the circuit.
    cache: Option<(Vec<f64>, Circuit)>,
    scratch: Scratch,
    drive: PhantomData<fn() -> D>,
}

/// Lists that are used again in every step.
#[derive(Debug)]
struct Scratch {
    state: CircuitState,
    speed: Vec<f64>,
    before: Vec<f64>,
    mobility: Vec<f64>,
    forces: Forces,
}

impl Default for Scratch {
    fn default() -> Self {
        let (speed, before, mobility) = (Vec::new(), Vec::new(), Vec::new());
        Scratch { state: CircuitState { cylinders: Vec::new() }, speed, before, mobility, forces: Forces::default() }
    }
}

impl<D: Drive> Hydraulics<D> {
    fn circuit(&mut self, memory: &Memory) -> &Circuit {
        let reals = &memory.reals[1..1 + self.layout.reals];
        if self.cache.as_ref().is_some_and(|(of, _)| of != reals) {
            self.cache = None;
        }
        &self.cache.get_or_insert_with(|| (reals.to_vec(), D::circuit(reals))).1
    }

    fn read_state(&self, memory: &Memory, state: &mut CircuitState) {
        let cylinder =
            |h: &[f64]| CylinderState { pressure_pa: [h[0], h[1]], spool: h[2], desired_m: h[3], position_m: h[4] };
        let hidden = memory.hidden_reals[..CYLINDER * self.layout.r].chunks_exact(CYLINDER);
        state.cylinders.clear();
        state.cylinders.extend(hidden.map(cylinder));
    }

    fn store(&self, memory: &mut Memory, state: &CircuitState) {
        for (h, c) in memory.hidden_reals.chunks_exact_mut(CYLINDER).zip(&state.cylinders) {
            h.copy_from_slice(&[c.pressure_pa[0], c.pressure_pa[1], c.spool, c.desired_m, c.position_m]);
        }
    }

    /// Speed before, mean and end force, predicted speed and position, work.
    fn record<'a>(&self, memory: &'a mut Memory) -> &'a mut [f64] {
        &mut memory.hidden_reals[CYLINDER * self.layout.r..]
    }

    /// The division of a step: micro steps as the parameter has them, or slightly shorter ones of one length where it is no multiple.
    fn divide(&self, memory: &Memory, span: Span) -> Result<Window, Fault> {
        let micro_s = memory.reals[Layout::MICRO];
        span.micro_steps(micro_s, WORK)?;
        let shorter_s = span.step_s / (span.step_s / micro_s).ceil();
        let division = Window::divide(span.start_s, span.step_s, micro_s);
        division.or_else(|_| Window::divide(span.start_s, span.step_s, shorter_s)).map_err(|_| Fault::Time {
            call: "fmi2DoStep",
            what: "communicationStepSize",
            found: span.step_s,
            expected: format!("at most 1e9 micro steps of {micro_s} s, the parameter `micro_step`"),
        })
    }

    /// The speed a step of this length ago, on the line through the last two: steps may differ in length.
    fn scale_before(&self, memory: &Memory, step_s: f64, speed: &[f64], before: &mut [f64]) {
        let before_s = memory.hidden_reals[self.layout.step_before()];
        if (step_s - before_s).abs() <= SAME * step_s || before_s <= 0.0 {
            return;
        }
        for (b, w) in before.iter_mut().zip(speed) {
            *b = w - (w - *b) * (step_s / before_s);
        }
    }

    /// Writes W as a full matrix, by rows.
    fn read_mobility(&self, memory: &Memory, mobility: &mut Vec<f64>) {
        let (r, packed) = (self.layout.r, &memory.reals[self.layout.mobility()..]);
        let place = |i: usize, j: usize| if i >= j { i * (i + 1) / 2 + j } else { j * (j + 1) / 2 + i };
        mobility.clear();
        mobility.extend((0..r).flat_map(|i| (0..r).map(move |j| packed[place(i, j)])));
    }

    /// Writes what a window gave into the hidden memory.
    fn keep(&self, memory: &mut Memory, scratch: &Scratch) {
        let forces = &scratch.forces;
        self.store(memory, &scratch.state);
        let parts = [&scratch.speed, &forces.mean, &forces.end, &forces.speed, &forces.position];
        for (to, from) in self.record(memory).chunks_exact_mut(self.layout.r).zip(parts) {
            to.copy_from_slice(from);
        }
        memory.hidden_reals[self.layout.hidden() - 1] += forces.work_j;
        memory.hidden_integers[0] = 1;
    }
}

/// The parameter `prediction`.
fn prediction(memory: &Memory) -> Prediction {
    match memory.integers[0] {
        1 => Prediction::Hold,
        2 => Prediction::Linear,
        _ => Prediction::InterfaceModel,
    }
}

impl<D: Drive> Model for Hydraulics<D> {
    fn declare(_resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        declare::declare()
    }

    fn shape(&self) -> Shape {
        Shape { hidden_reals: self.layout.hidden(), hidden_integers: 1 }
    }

    fn group(&self, _: &Variable) -> Group {
        Group::Outputs
    }

    fn initialise(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let layout = self.layout;
        let forces = memory.reals[layout.start_force()..layout.speed()].to_vec();
        let circuit = self.circuit(memory);
        let mut state = D::start(circuit, &forces);
        let (speed, position) = (&memory.reals[layout.speed()..layout.position()], &memory.reals[layout.position()..]);
        let mut force = vec![0.0; layout.r];
        circuit.force(&state, speed, &mut force);
        circuit.synchronise(&mut state, &position[..layout.r]);
        for (cylinder, s) in state.cylinders.iter_mut().zip(position) {
            cylinder.desired_m = *s;
        }
        let (speed, position) = (speed.to_vec(), position[..layout.r].to_vec());
        self.store(memory, &state);
        let parts = [&speed, &force, &force, &speed, &position];
        for (to, from) in self.record(memory).chunks_exact_mut(layout.r).zip(parts) {
            to.copy_from_slice(from);
        }
        memory.hidden_reals[layout.step_before()] = 0.0;
        memory.hidden_reals[layout.hidden() - 1] = 0.0;
        memory.hidden_integers[0] = 0;
        Ok(())
    }

    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        let layout = self.layout;
        // Where a master adds up its time, the last step may be rounding.
        if memory.last_step_s > 0.0 && span.is_remainder(memory.reals[Layout::MICRO]) {
            return Ok(Outcome::Done);
        }
        let (r, division) = (layout.r, self.divide(memory, span)?);
        // The state, and the interface as it stands at the step's start.
        let mut scratch = std::mem::take(&mut self.scratch);
        self.read_state(memory, &mut scratch.state);
        self.read_mobility(memory, &mut scratch.mobility);
        scratch.speed.clear();
        scratch.speed.extend_from_slice(&memory.reals[layout.speed()..layout.position()]);
        scratch.before.clear();
        // In the first step there is no speed before.
        let is_first = memory.hidden_integers[0] == 0;
        scratch.before.extend_from_slice(if is_first { &scratch.speed } else { &self.record(memory)[..r] });
        self.scale_before(memory, span.step_s, &scratch.speed, &mut scratch.before);
        let slow = Interface {
            prediction: prediction(memory),
            position: &memory.reals[layout.position()..layout.mobility()],
            speed: &scratch.speed,
            speed_before: &scratch.before,
            mobility: &scratch.mobility,
            bias: &memory.reals[layout.bias()..layout.outputs()],
        };
        // The micro steps; nothing is kept where a force is not finite.
        let forces = &mut scratch.forces;
        window(self.circuit(memory), &mut scratch.state, &division, &slow, forces);
        let finite = forces.mean.iter().chain(&forces.end).chain(&forces.position).all(|x| x.is_finite());
        if finite {
            self.keep(memory, &scratch);
            memory.hidden_reals[layout.step_before()] = span.step_s;
        }
        self.scratch = scratch;
        if finite {
            Ok(Outcome::Done)
        } else {
            let message = format!("the forces left the finite numbers in a step of {} s", span.step_s);
            Err(Fault::Model { t_s: span.start_s, message })
        }
    }

    fn evaluate(&mut self, memory: &mut Memory, _: Group) -> Result<(), Fault> {
        let layout = self.layout;
        let r = layout.r;
        let mut scratch = std::mem::take(&mut self.scratch);
        self.read_state(memory, &mut scratch.state);
        let (circuit, first) = (self.circuit(memory), layout.outputs());
        // Mean and end force, predicted speed and position, as they were kept.
        let kept = CYLINDER * r + r..CYLINDER * r + 5 * r;
        memory.reals[first..first + 4 * r].copy_from_slice(&memory.hidden_reals[kept]);
        let (known, computed) = memory.reals.split_at_mut(first + 4 * r);
        circuit.force(&scratch.state, &known[layout.speed()..layout.position()], &mut computed[..r]);
        for (i, c) in scratch.state.cylinders.iter().enumerate() {
            let pressures = circuit.cylinders[i].pressures(c);
            computed[r + 2 * i..r + 2 * i + 2].copy_from_slice(&pressures);
            computed[3 * r + i] = c.spool;
            computed[4 * r + i] = c.desired_m;
        }
        computed[5 * r] = memory.hidden_reals[layout.hidden() - 1];
        self.scratch = scratch;
        Ok(())
    }

    /// `∂λ/∂w0 = −b_f`; no other output follows an input without a step.
    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        let layout = self.layout;
        let (inputs, force) = (layout.speed()..layout.outputs(), layout.outputs() + 4 * layout.r);
        for (u, d) in unknown.iter().zip(d_unknown) {
            // Outputs by inputs only, and nothing in initialisation.
            let u = *u as usize;
            for k in known.iter().map(|k| *k as usize) {
                if memory.phase == Phase::Initialization || u < layout.outputs() || !inputs.contains(&k) {
                    let (unknown, known) = (format!("real {u}"), format!("real {k}"));
                    return Err(Fault::NotDifferentiable { unknown, known, phase: memory.phase });
                }
            }
            // The force of a cylinder follows its own speed only.
            let cylinder = u.wrapping_sub(force);
            let slope = self.circuit(memory).cylinders.get(cylinder).map_or(0.0, |c| -c.viscous_nsm);
            let own =
                known.iter().zip(d_known).filter(|(k, _)| (**k as usize).wrapping_sub(layout.speed()) == cylinder);
            *d = own.map(|(_, dk)| slope * dk).sum();
        }
        Ok(())
    }
}
