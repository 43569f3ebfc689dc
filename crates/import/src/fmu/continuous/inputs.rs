//! The continuous inputs, as polynomials in the time since the start of a step.

use std::collections::HashMap;

use macrostep_description::{Causality, Kind, ModelDescription, Variability};
use macrostep_master::unit::{UnitError, Values};
use macrostep_ode::{MAX_DEGREE, Polynomials};

use super::FmuUnit;

/// All continuous inputs of an FMU.
#[derive(Debug, Clone)]
pub(in crate::fmu) struct Inputs {
    refs: Vec<u32>,
    places: HashMap<u32, usize>,
    polynomials: Polynomials,
    /// Those that somebody has set, and that therefore are set at every stage.
    used: Vec<usize>,
    is_used: Vec<bool>,
    /// When the step began that the polynomials are counted from \[s\].
    begun_s: f64,
    /// References and values of those in use, to be handed over.
    put: (Vec<u32>, Vec<f64>),
}

impl Inputs {
    pub(super) fn new(d: &ModelDescription) -> Inputs {
        let is_input = |v: &&macrostep_description::Variable| {
            v.causality == Causality::Input
                && v.variability == Variability::Continuous
                && matches!(v.kind, Kind::Real(_))
        };
        Inputs::of(d.variables.iter().filter(is_input).map(|v| v.value_reference).collect())
    }

    /// Those with these references.
    pub(in crate::fmu) fn of(refs: Vec<u32>) -> Inputs {
        Inputs {
            places: refs.iter().enumerate().map(|(i, r)| (*r, i)).collect(),
            polynomials: Polynomials::new(refs.len()),
            used: Vec::new(),
            is_used: vec![false; refs.len()],
            begun_s: 0.0,
            put: (Vec::new(), Vec::new()),
            refs,
        }
    }

    /// Whether all of these are continuous inputs.
    pub(super) fn are(&self, refs: &[u32]) -> bool {
        refs.iter().all(|r| self.places.contains_key(r))
    }

    /// Those among them that are continuous inputs have these values, and are constant from here on.
    pub(in crate::fmu) fn set(&mut self, refs: &[u32], values: &[f64]) {
        for (r, value) in refs.iter().zip(values) {
            let Some(i) = self.places.get(r).copied() else { continue };
            self.polynomials.flatten(i);
            self.polynomials.values_mut()[i] = *value;
            if !std::mem::replace(&mut self.is_used[i], true) {
                self.used.push(i);
                self.put.0.push(self.refs[i]);
                self.put.1.push(*value);
            }
        }
        self.polynomials.trim();
    }

    /// Their derivatives at the start of the next step.
    pub(in crate::fmu) fn set_derivatives(
        &mut self,
        refs: &[u32],
        orders: &[i32],
        values: &[f64],
    ) -> Result<(), String> {
        for ((r, order), value) in refs.iter().zip(orders).zip(values) {
            let Some(i) = self.places.get(r).copied() else {
                return Err(format!("value reference {r} is no continuous input"));
            };
            let order = usize::try_from(*order).ok().filter(|j| (1..=MAX_DEGREE).contains(j));
            let Some(order) = order else {
                return Err(format!("a derivative of another order than 1 to {MAX_DEGREE}"));
            };
            let factorial: f64 = (2..=order).map(|k| k as f64).product();
            self.polynomials.set(i, order, value / factorial);
        }
        Ok(())
    }

    /// A step begins here \[s\].
    pub(in crate::fmu) fn begin(&mut self, t_s: f64) {
        self.begun_s = t_s;
    }

    /// A step has ended here \[s\]: what nobody sets anew stays as it is now.
    pub(in crate::fmu) fn end(&mut self, t_s: f64) {
        if self.polynomials.degree() > 0 {
            self.polynomials.shift(t_s - self.begun_s);
            (0..self.refs.len()).for_each(|i| self.polynomials.flatten(i));
            self.polynomials.trim();
        }
        self.begun_s = t_s;
    }

    /// Sets them to what they are at this time \[s\].
    pub(super) fn put(&mut self, fmu: &mut FmuUnit, t_s: f64) -> Result<(), UnitError> {
        if self.polynomials.degree() == 0 {
            // They are set already, and do not change.
            return Ok(());
        }
        self.put_all(fmu, t_s)
    }

    /// The same, also where they are constant: after the FMU was somewhere else.
    pub(super) fn put_all(&mut self, fmu: &mut FmuUnit, t_s: f64) -> Result<(), UnitError> {
        let (refs, values) = self.at(t_s);
        fmu.set_real(refs, values)
    }

    /// References of those in use, and their values at this time \[s\].
    pub(in crate::fmu) fn at(&mut self, t_s: f64) -> (&[u32], &[f64]) {
        let tau = t_s - self.begun_s;
        for (value, i) in self.put.1.iter_mut().zip(&self.used) {
            *value = self.polynomials.value(*i, tau);
        }
        (&self.put.0, &self.put.1)
    }

    /// Whether any of them changes in a step.
    pub(in crate::fmu) fn change(&self) -> bool {
        self.polynomials.degree() > 0
    }

    /// The values in use, as they are kept; there are no polynomials between steps.
    pub(in crate::fmu) fn values(&mut self) -> &[f64] {
        self.polynomials.values_mut()
    }

    /// Which of them are in use.
    pub(in crate::fmu) fn in_use(&self) -> &[bool] {
        &self.is_used
    }

    /// Takes back values that were kept.
    pub(in crate::fmu) fn restore(&mut self, t_s: f64, values: &[f64]) {
        (0..self.refs.len()).for_each(|i| self.polynomials.flatten(i));
        self.polynomials.trim();
        self.polynomials.values_mut().copy_from_slice(values);
        self.begun_s = t_s;
    }

    /// Takes over which are in use.
    pub(in crate::fmu) fn use_those(&mut self, in_use: &[bool]) {
        for (i, is_used) in in_use.iter().enumerate() {
            if *is_used && !self.is_used[i] {
                self.is_used[i] = true;
                self.used.push(i);
                self.put.0.push(self.refs[i]);
                self.put.1.push(0.0);
            }
        }
    }
}
