//! Steps from one state with several inputs, made together: one is integrated, and the others follow by the variational equations
//! ([`macrostep_ode::adaptive::Variation`]).
//!
//! What is read behind trial i are the outputs at z + sᵢ and u + Δuᵢ. ∂f/∂(z, u) is from `fmi2GetDirectionalDerivative` where the FMU has it, else from
//! differences that are small beside the deviations. n + p columns serve all trials, n the number of states and p that of the inputs that differ.
//!
//! An event moves with the inputs, which the variational equations do not know: where one occurs, nothing comes of it.

use macrostep_master::unit::{Derivatives, States, Trials, UnitError, Values};
use macrostep_ode::Polynomials;
use macrostep_ode::adaptive::{Rates, Variation, Varied};

use super::ContinuousUnit;
use super::steps::Equations;
use crate::fmu::exchange::DIRECTIONAL;
use crate::fmu::instance::Phase;

/// The tolerance of deviations, relative to their own sizes, is no smaller than this: what differences of whole steps are as good as.
const SMALLEST: f64 = 1e-6;

/// Evaluations of the equations in a step of the implicit method, about: what the matrices of its stages are weighed against.
const IMPLICIT: usize = 8;

/// Differences of states and inputs, in parts of their deviations.
const PART: f64 = 1e-4;

/// Inputs that differ from those of trial 0.
#[derive(Debug)]
struct Differences {
    refs: Vec<u32>,
    /// Δu of trial 1, then of trial 2, ….
    polynomials: Polynomials,
    /// The largest of each input.
    sizes: Vec<f64>,
    begun_s: f64,
}

impl Differences {
    /// Of the trials.
    fn new(of: &Trials<'_>) -> Differences {
        let all = of.inputs.0;
        let coefficients = |i: usize| {
            let (values, derivatives) = of.of(i);
            let first = all.iter().zip(values).map(|(r, value)| (*r, 0, *value));
            let rest = of.derivatives.0.iter().zip(of.derivatives.1).zip(derivatives);
            let rest = rest.map(|((r, order), value)| {
                let order = usize::try_from(*order).unwrap_or(0);
                (*r, order, value / (2..=order).map(|k| k as f64).product::<f64>())
            });
            first.chain(rest).collect::<Vec<_>>()
        };
        let base = coefficients(0);
        let trials: Vec<_> = (1..of.count).map(coefficients).collect();
        // The inputs that differ in some trial.
        let differs =
            |r: &u32| trials.iter().any(|trial| trial.iter().zip(&base).any(|(a, b)| a.0 == *r && a.2 != b.2));
        let refs: Vec<u32> = all.iter().copied().filter(differs).collect();
        let mut polynomials = Polynomials::new((of.count - 1) * refs.len());
        for (i, trial) in trials.iter().enumerate() {
            for ((r, order, value), (.., base)) in trial.iter().zip(&base) {
                if let Some(place) = refs.iter().position(|other| other == r) {
                    polynomials.set(i * refs.len() + place, *order, value - base);
                }
            }
        }
        let mut differences = Differences { sizes: vec![0.0; refs.len()], refs, polynomials, begun_s: of.t_s };
        // How large they are, at a few points.
        let mut du = vec![0.0; differences.polynomials.count()];
        for point in 0..=8 {
            differences.at(of.t_s + of.step_s * f64::from(point) / 8.0, &mut du);
            for row in du.chunks_exact(differences.refs.len().max(1)) {
                differences.sizes.iter_mut().zip(row).for_each(|(size, du)| *size = size.max(du.abs()));
            }
        }
        differences
    }

    fn at(&self, t_s: f64, du: &mut [f64]) {
        du.iter_mut().enumerate().for_each(|(i, du)| *du = self.polynomials.value(i, t_s - self.begun_s));
    }
}

/// The equations, and what differs.
struct Together<'a> {
    equations: Equations<'a>,
    differences: &'a Differences,
}

impl Rates for Together<'_> {
    type Error = UnitError;

    fn rates(&mut self, t: f64, z: &[f64], dz: &mut [f64]) -> Result<(), UnitError> {
        self.equations.rates(t, z, dz)
    }

    fn jacobian(&mut self, t: f64, z: &mut [f64], dz: &[f64], jacobian: &mut [f64]) -> Result<(), UnitError> {
        self.equations.jacobian(t, z, dz, jacobian)
    }
}

impl Varied for Together<'_> {
    fn columns(
        &mut self,
        (t, z, dz): (f64, &mut [f64], Option<&[f64]>),
        sizes: &[f64],
        columns: &mut [f64],
    ) -> Result<(), UnitError> {
        let Together { equations, differences } = self;
        let n = z.len();
        let (of_states, of_inputs) = columns.split_at_mut(n * n);
        // By the FMU.
        if let Some(pairs) = equations.pairs {
            equations.put(t, z)?;
            equations.fmu.columns(&pairs.derivatives, &pairs.states, of_states)?;
            return equations.fmu.columns(&pairs.derivatives, &differences.refs, of_inputs);
        }
        // By differences: where it is, then one state or input after the other.
        let (refs, inputs) = equations.inputs.at(t);
        let (refs, mut inputs) = (refs.to_vec(), inputs.to_vec());
        let mut here = vec![0.0; n];
        match dz {
            Some(dz) => here.copy_from_slice(dz),
            None => equations.fmu.evaluate(t, z, (&refs, &inputs), &mut here)?,
        }
        let by = |x: f64, size: f64| (f64::EPSILON.sqrt() * x.abs().max(1e-5)).max(PART * size);
        for (i, column) in of_states.chunks_exact_mut(n).enumerate().filter(|(i, _)| sizes[*i] > 0.0) {
            let before = z[i];
            z[i] += by(before, sizes[i]);
            let moved = equations.fmu.evaluate(t, z, (&refs, &inputs), column);
            let by = std::mem::replace(&mut z[i], before) - before;
            moved?;
            column.iter_mut().zip(&here).for_each(|(there, here)| *there = (*there - here) / by);
        }
        for (i, column) in of_inputs.chunks_exact_mut(n).enumerate() {
            let Some(place) = refs.iter().position(|r| *r == differences.refs[i]) else { continue };
            let before = inputs[place];
            inputs[place] += by(before, differences.sizes[i]);
            equations.fmu.evaluate(t, z, (&refs, &inputs), column)?;
            let by = std::mem::replace(&mut inputs[place], before) - before;
            column.iter_mut().zip(&here).for_each(|(there, here)| *there = (*there - here) / by);
        }
        // Inputs that do not change are not set again.
        equations.fmu.evaluate(t, z, (&refs, &inputs), &mut [])
    }

    fn differences(&mut self, t: f64, du: &mut [f64]) {
        self.differences.at(t, du);
    }
}

impl ContinuousUnit {
    /// As [`Steps::trials`](macrostep_master::unit::Steps::trials): together where that takes less and no event occurs, else one by one.
    pub(super) fn try_together(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        match self.vary(of, values) {
            Ok(true) => {
                self.do_steps += (of.count * of.nodes.len().max(1)) as u64;
                return Ok(true);
            }
            Ok(false) => {}
            // Derivatives that the FMU refuses are not asked for again: differences take their place.
            Err(error) if error.call == DIRECTIONAL && !self.fmu.is_dead => {
                self.pairs = None;
                self.fmu.phase = Phase::Stepping;
            }
            // A trial that is too far: the caller takes the window back.
            Err(error) => return Err(error),
        }
        of.one_by_one(self, values)
    }

    /// Makes all trials, of which there is at least one, by the variational equations; false where that is not possible, or takes more.
    fn vary(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        let n = self.z.len();
        if n == 0 || of.count == 0 || !self.inputs.are(of.inputs.0) || !self.inputs.are(of.derivatives.0) {
            return Ok(false);
        }
        let differences = Differences::new(of);
        // One set of matrices serves all trials, however many there are. Nodes are read in no other way.
        let (p, m) = (differences.refs.len(), of.count - 1);
        let [together, apart] = if self.integrator.is_stiff() { [3 * (n + p), IMPLICIT * m] } else { [n + p, m] };
        if together >= apart && of.nodes.is_empty() {
            return Ok(false);
        }
        // Trial 0, as it would be made by itself.
        self.restore(of.slot)?;
        if self.is_over || !self.is_running() {
            return Ok(false);
        }
        let (inputs, derivatives) = of.of(0);
        self.set_real(of.inputs.0, inputs)?;
        self.set_input_derivatives(of.derivatives.0, of.derivatives.1, derivatives)?;
        self.inputs.begin(of.t_s);
        self.integrator.begin(of.t_s, &self.z);
        self.put(of.t_s)?;
        if self.have_signs_changed()? {
            return Ok(false);
        }
        let mut variation = Variation::new((n, p, m), self.tolerance.max(SMALLEST));
        // From node to node.
        let (width, rows) = (of.outputs.len(), of.nodes.len().max(1));
        for row in 0..rows {
            let end_s = of.t_s + of.nodes.get(row).unwrap_or(&1.0) * of.step_s;
            while self.integrator.time() < end_s {
                if !self.part_together(end_s, &differences, &mut variation)? {
                    return Ok(false);
                }
            }
            let place = |i: usize| (i * rows + row) * width..(i * rows + row + 1) * width;
            self.fmu.get_real(of.outputs, &mut values[place(0)])?;
            for i in 0..m {
                self.read_beside((&differences, &variation), i, (of.outputs, &mut values[place(i + 1)]))?;
            }
            self.put(end_s)?;
        }
        self.inputs.end(of.t_s + of.step_s);
        Ok(true)
    }

    /// One step of the integrator with deviations; false where an event occurs.
    fn part_together(
        &mut self,
        end_s: f64,
        differences: &Differences,
        variation: &mut Variation,
    ) -> Result<bool, UnitError> {
        if self.next_event_s.is_some_and(|event_s| event_s <= end_s) {
            return Ok(false);
        }
        let equations = Equations { fmu: &mut self.fmu, inputs: &mut self.inputs, pairs: self.pairs.as_ref() };
        let mut together = Together { equations, differences };
        let stepped = if variation.deviations().is_empty() {
            self.integrator.step(&mut together, end_s)
        } else {
            self.integrator.step_with(&mut together, variation, end_s)
        };
        if let Err(stopped) = stepped {
            return Err(self.stopped(stopped));
        }
        self.z.copy_from_slice(self.integrator.states());
        self.put(self.integrator.time())?;
        if self.have_signs_changed()? {
            return Ok(false);
        }
        let completed = self.fmu.completed_step(false)?;
        std::mem::swap(&mut self.indicators.before, &mut self.indicators.now);
        Ok(!completed.terminate && !completed.enter_event_mode)
    }

    /// Reads outputs where deviation `i` leads to; the FMU is not put back.
    fn read_beside(
        &mut self,
        (differences, variation): (&Differences, &Variation),
        i: usize,
        (outputs, values): (&[u32], &mut [f64]),
    ) -> Result<(), UnitError> {
        let (n, p, t_s) = (self.z.len(), differences.refs.len(), self.integrator.time());
        let s = &variation.deviations()[i * n..(i + 1) * n];
        let z: Vec<f64> = self.z.iter().zip(s).map(|(z, s)| z + s).collect();
        let (refs, inputs) = self.inputs.at(t_s);
        let mut inputs = inputs.to_vec();
        for (k, r) in differences.refs.iter().enumerate() {
            if let Some(place) = refs.iter().position(|other| other == r) {
                inputs[place] += differences.polynomials.value(i * p + k, t_s - differences.begun_s);
            }
        }
        self.fmu.evaluate(t_s, &z, (refs, &inputs), &mut [])?;
        self.fmu.get_real(outputs, values)
    }
}
