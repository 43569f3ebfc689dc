//! Steps of the outer master: with the run inside up to their end, or ahead of it.

use macrostep_master::{RunError, Simulation, UnitId};
use macrostep_slave::{Memory, Span};

use crate::between::{Between, Row};
use crate::contents::Contents;
use crate::declaration::Type;
use crate::running::{Running, reals, wanted};

/// Part of a shortest window that an end of a step may be off a point of the grid inside.
const NEAR: f64 = 1e-6;

/// Part by which a number of windows may be off a whole one.
const WHOLE: f64 = 1e-9;

/// Part of a shortest window by which the sum of a master may have drifted.
const DRIFT: f64 = 1e-3;

impl Running {
    /// A step begins at `t_s` \[s\]: inputs that came without derivatives go on as they did over the step before, where that is asked for.
    fn begin(&mut self, contents: &Contents, memory: &Memory, t_s: f64) {
        self.wanted = wanted(contents, memory);
        let Some(extrapolation) = &mut self.extrapolation else { return };
        extrapolation.begin(t_s, reals(contents, memory).collect());
        for i in 0..self.wanted.count() {
            if (1..=self.wanted.degree()).all(|j| self.wanted.coefficient(i, j) == 0.0) {
                self.wanted.set(i, 1, extrapolation.slope(i));
            }
        }
    }

    /// A step of the outer master. Where windows can be shortened the run ends with it, else at the first point of its grid that is not before
    /// its end. Inputs that were set between two points count from the second one on.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn step(&mut self, contents: &Contents, memory: &Memory, span: Span) -> Result<(), RunError> {
        self.is_fresh = false;
        let (from_s, is_ahead) = (self.simulation.time_s(), self.between.is_some());
        let to_s = self.end_s(span);
        let left_s = to_s - from_s;
        let is_there = left_s <= NEAR * self.simulation.shortest_s();
        // A run that is ahead has these windows behind it, and one on the grid takes no time for what is rounding.
        if is_there {
            if is_ahead {
                self.begin(contents, memory, span.start_s);
                self.between = self.between.take().filter(|_| left_s < -NEAR * self.simulation.shortest_s());
            }
            return Ok(());
        }
        // Inputs, as they are where the run inside is.
        if is_ahead {
            self.begin(contents, memory, span.start_s);
            self.wanted.shift(from_s - span.start_s);
            self.between = None;
            self.tell_others(contents, memory)?;
            self.give()?;
        } else if self.extrapolation.is_some() {
            self.begin(contents, memory, from_s);
            self.give()?;
        }
        self.go(contents, to_s)?;
        // The slave moves the origin of its polynomials in the same way.
        if self.told.degree() > 0 {
            let is_whole = !is_ahead && self.between.is_none();
            self.told.shift(if is_whole { span.step_s } else { self.simulation.time_s() - from_s });
        }
        Ok(())
    }

    /// Where the run inside is to be after a step \[s\]. Masters add up their time: whole windows from a point of the grid end on it, though
    /// the sum has drifted from it by rounding.
    fn end_s(&self, span: Span) -> f64 {
        let (from_s, shortest_s) = (self.simulation.time_s(), self.simulation.shortest_s());
        let windows = span.step_s / shortest_s;
        let is_whole = windows > 0.5 && (windows - windows.round()).abs() <= WHOLE * windows;
        let is_near = (from_s - span.start_s).abs() <= DRIFT * shortest_s;
        if is_whole && is_near && self.between.is_none() { from_s + span.step_s } else { span.start_s + span.step_s }
    }

    /// Windows up to `to_s` \[s\], or one beyond.
    fn go(&mut self, contents: &Contents, to_s: f64) -> Result<(), RunError> {
        if self.is_free {
            return self.simulation.reach_any(to_s);
        }
        let units = &self.units;
        let mut before = None;
        let is_beyond = self.simulation.pass(to_s, |simulation| {
            before = Some(row(simulation, units, contents)?);
            Ok(())
        })?;
        if let Some(before) = before.filter(|_| is_beyond) {
            let after = row(&mut self.simulation, units, contents)?;
            self.between = Some(Between { before, after });
        }
        Ok(())
    }
}

/// The outputs where a run is, with the derivatives that its units give.
fn row(simulation: &mut Simulation, units: &[UnitId], contents: &Contents) -> Result<Row, RunError> {
    let mut row = Row::default();
    simulation.observe(&mut row)?;
    for alias in &contents.table.outputs {
        let unit = simulation.unit_mut(units[alias.unit]);
        let order = unit.description().co_simulation.as_ref().map_or(0, |c| c.max_output_derivative_order);
        let mut rate = [0.0];
        // A unit may have none at the moment: then it is a line.
        let is_given = alias.kind == Type::Real
            && order > 0
            && unit.get_output_derivatives(&[alias.inner], &[1], &mut rate).is_ok()
            && rate[0].is_finite();
        row.rates.push(is_given.then_some(rate[0]));
    }
    Ok(row)
}
