//! A *station* is a unit at its place in a run: its inputs and their feeds, its sampled outputs, and how both are
//! exchanged with it. The only file that calls a unit during a window.

use crate::dense::Dense;
use crate::feed::{Feed, Supply, feeds_of};
use crate::jacobian::{Response, responses};
use crate::memento::Numbers;
use crate::method::{Method, Sampling};
use crate::segment::Segment;
use crate::system::System;
use crate::time::{Span, Tick};
use crate::unit::{Outcome, Unit, UnitError};
use macrostep_description::ModelDescription;

/// How a feed-through output is brought to the inputs' true values at a communication point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    /// Set the inputs, get the outputs: for units that are known to allow a Get after a Set without a step between.
    GetAfterSet,
    /// Reported value + directional derivative × change of the inputs: within FMI 2.0.5, exact for linear feed-through.
    Directional,
    /// Left as reported: the unit offers neither, or "lagged" sampling is wanted.
    Reported,
}

impl Refresh {
    /// The best way a description allows.
    pub fn of(description: &ModelDescription) -> Self {
        let ours = description.vendor_annotations.iter().filter(|a| a.tool == "macrostep");
        let flag = |a: &macrostep_description::VendorAnnotation| {
            a.attributes.iter().any(|(name, value)| name == "getAfterSet" && value == "true")
        };
        let co = description.co_simulation.as_ref();
        if ours.into_iter().any(flag) {
            Refresh::GetAfterSet
        } else if co.is_some_and(|c| c.provides_directional_derivative) {
            Refresh::Directional
        } else {
            Refresh::Reported
        }
    }
}

pub(crate) struct Station {
    pub unit: Box<dyn Unit>,
    pub step: Tick,
    /// Whether the unit is in the step that [`Station::advance`] ends.
    pub begun: bool,
    /// Whether inputs are constants, so that no polynomials are made.
    pub holds: bool,
    /// Whether feed-through outputs are sampled with the inputs' rates too.
    rates: bool,
    /// Samples inside the steps, where the method wants them.
    pub dense: Option<Dense>,
    pub inputs: Inputs,
    pub outputs: Outputs,
    pub feeds: Vec<Feed>,
    /// How sampled outputs answer the inputs, for estimating an interface Jacobian.
    pub responses: Vec<Response>,
}

/// Connected inputs of a unit.
pub(crate) struct Inputs {
    pub refs: Vec<u32>,
    pub values: Vec<f64>,
    /// What the unit holds at the end of its last step.
    held: Vec<f64>,
    change: Vec<f64>,
    segments: Vec<Segment>,
    row: Vec<f64>,
    /// What an energy correction adds to each.
    offset: Option<Vec<f64>>,
    /// First time derivatives, where they are sampled with.
    rates: Vec<f64>,
    first_orders: Vec<i32>,
    /// Whether the unit takes input derivatives; else it gets sub-steps.
    interpolates: bool,
    sub_steps: usize,
    /// Highest order sent so far: once sent, orders are sent always, because a slave may keep them.
    order: usize,
    /// Whether the unit was given `sent` since its last step, so that the same values need not be sent again.
    pub shown: bool,
    sent: Vec<f64>,
    derivative_refs: Vec<u32>,
    derivative_orders: Vec<i32>,
    derivatives: Vec<f64>,
}

/// Sampled outputs of a unit.
pub(crate) struct Outputs {
    pub refs: Vec<u32>,
    pub values: Vec<f64>,
    /// Channels of this unit: number of the channel, first place in `values`, width.
    pub channels: Vec<(usize, usize, usize)>,
    pub refresh: Refresh,
    /// Value references of feed-through outputs and their places in `values`.
    pub refresh_refs: Vec<u32>,
    pub refresh_places: Vec<usize>,
    refreshed: Vec<f64>,
    reported: Vec<f64>,
    /// The outputs without feed-through, and whether they are the first ones.
    state_refs: Vec<u32>,
    state_places: Vec<usize>,
    state_values: Vec<f64>,
    state_first: bool,
}

impl Station {
    /// The station of unit `u` of the system.
    pub fn new(system: &System, u: usize, unit: Box<dyn Unit>, step: Tick, method: &Method) -> Self {
        let description = &system.descriptions[u];
        let co = description.co_simulation.as_ref();
        let interpolates = co.is_some_and(|c| c.can_interpolate_inputs);
        let refs: Vec<u32> = system.connections.iter().filter(|c| c.unit == u).map(|c| c.reference).collect();
        let feeds = feeds_of(system, u, &refs, method.predictor.edge(), method.predictor.depth());
        let refresh = match method.sampling {
            Sampling::Updated => Refresh::of(description),
            Sampling::Lagged => Refresh::Reported,
        };
        let outputs = Outputs::new(system, u, refresh);
        let width = system.channels.iter().map(|c| c.refs.len()).max().unwrap_or(1);
        let n = refs.len();
        let inputs = Inputs {
            values: vec![0.0; n],
            held: vec![0.0; n],
            change: vec![0.0; n],
            segments: vec![Segment::default(); n],
            row: vec![0.0; width],
            offset: None,
            rates: vec![0.0; n],
            first_orders: vec![1; n],
            interpolates,
            sub_steps: method.sub_steps.max(1),
            order: 0,
            shown: false,
            sent: vec![0.0; n],
            derivative_refs: Vec::new(),
            derivative_orders: Vec::new(),
            derivatives: Vec::new(),
            refs,
        };
        let (holds, rates) = (method.predictor.holds(), method.predictor.rates() && interpolates);
        Station {
            unit,
            step,
            begun: false,
            holds,
            rates,
            dense: None,
            inputs,
            outputs,
            feeds,
            responses: responses(system, u),
        }
    }

    /// Feeds the unit over `span`, steps it and reads its outputs.
    #[inline]
    pub fn advance(&mut self, supply: &mut Supply, span: &Span, keep: bool) -> Result<Outcome, UnitError> {
        let t_s = supply.clock.seconds(span.from);
        let outcome = if self.begun {
            self.begun = false;
            self.unit.step(t_s, span.length_s, keep)?
        } else if self.holds {
            for feed in &mut self.feeds {
                feed.constants(supply, span.from, span.to, &mut self.inputs.values);
            }
            self.inputs.shift_values();
            self.hold(t_s, span.length_s, keep)?
        } else {
            for feed in &mut self.feeds {
                feed.segments(supply, span, &mut self.inputs.segments, &mut self.inputs.values);
            }
            self.inputs.shift_segments();
            self.follow(t_s, span.length_s, keep)?
        };
        self.inputs.shown = false;
        if outcome == Outcome::Done {
            let Outputs { values, .. } = &mut self.outputs;
            let mut values = std::mem::take(values);
            let read = self.outputs.read_into(self.unit.as_mut(), &mut values);
            self.outputs.values = values;
            read?;
            if let Some(dense) = &mut self.dense {
                dense.read(self.unit.as_mut(), span)?;
            }
        }
        Ok(outcome)
    }

    /// Feeds the unit over `span` and begins its step, which [`Station::advance`] ends. A unit that needs sub-steps makes
    /// all of them there.
    pub fn begin(&mut self, supply: &mut Supply, span: &Span, keep: bool) -> Result<(), UnitError> {
        if self.holds {
            for feed in &mut self.feeds {
                feed.constants(supply, span.from, span.to, &mut self.inputs.values);
            }
            self.inputs.shift_values();
            self.set_constants()?;
        } else if self.inputs.interpolates {
            for feed in &mut self.feeds {
                feed.segments(supply, span, &mut self.inputs.segments, &mut self.inputs.values);
            }
            self.inputs.shift_segments();
            self.set_segments(span.length_s)?;
        } else {
            return Ok(());
        }
        self.begun = true;
        self.unit.begin_step(supply.clock.seconds(span.from), span.length_s, keep)
    }

    /// A step with constant inputs, those in `inputs.values`.
    #[inline]
    pub fn hold(&mut self, t_s: f64, length_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.set_constants()?;
        self.unit.step(t_s, length_s, keep)
    }

    /// A step with polynomial inputs.
    fn follow(&mut self, t_s: f64, length_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        if self.set_segments(length_s)? {
            self.unit.step(t_s, length_s, keep)
        } else {
            self.sub_steps(t_s, length_s, keep)
        }
    }

    /// Sets the inputs to `inputs.values` for a step.
    #[inline]
    pub fn set_constants(&mut self) -> Result<(), UnitError> {
        if self.outputs.refresh == Refresh::Directional {
            self.inputs.held.copy_from_slice(&self.inputs.values);
        }
        if self.inputs.are_shown() { Ok(()) } else { self.set_inputs() }
    }

    /// Sets the inputs to their polynomials; false where the unit cannot follow them and needs sub-steps.
    fn set_segments(&mut self, length_s: f64) -> Result<bool, UnitError> {
        let x = &mut self.inputs;
        if self.outputs.refresh == Refresh::Directional {
            let end = if x.interpolates { 1.0 } else { 1.0 - 0.5 / x.sub_steps as f64 };
            for (held, p) in x.held.iter_mut().zip(&x.segments) {
                *held = p.at(end);
            }
        }
        let degree = x.segments.iter().map(Segment::degree).max().unwrap_or(0);
        if degree == 0 && x.order == 0 {
            for (v, p) in x.values.iter_mut().zip(&x.segments) {
                *v = p.coefficient(0);
            }
            self.set_constants()?;
        } else if x.interpolates {
            self.send_polynomials(degree, length_s)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `fmi2SetReal` of all connected inputs.
    #[inline]
    fn set_inputs(&mut self) -> Result<(), UnitError> {
        if self.inputs.refs.is_empty() {
            return Ok(());
        }
        self.unit.set_real(&self.inputs.refs, &self.inputs.values)
    }

    /// Values and derivatives at the step's start, all inputs in one call each.
    fn send_polynomials(&mut self, degree: usize, length_s: f64) -> Result<(), UnitError> {
        let x = &mut self.inputs;
        x.reach(degree);
        let n = x.refs.len();
        for (i, p) in x.segments.iter().enumerate() {
            x.values[i] = p.coefficient(0);
            for order in 1..=x.order {
                x.derivatives[(order - 1) * n + i] = p.taylor(order, length_s);
            }
        }
        self.set_inputs()?;
        let x = &self.inputs;
        self.unit.set_input_derivatives(&x.derivative_refs, &x.derivative_orders, &x.derivatives)
    }

    /// For a unit that holds its inputs: steps in which it holds the polynomial's value at the middle.
    fn sub_steps(&mut self, t_s: f64, length_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        let n = self.inputs.sub_steps;
        for i in 0..n {
            let s = (i as f64 + 0.5) / n as f64;
            for (v, p) in self.inputs.values.iter_mut().zip(&self.inputs.segments) {
                *v = p.at(s);
            }
            self.set_inputs()?;
            let sub_s = length_s / n as f64;
            let outcome = self.unit.step(t_s + length_s * (i as f64 / n as f64), sub_s, keep)?;
            if outcome != Outcome::Done {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Done)
    }

    /// What it knows, for a memento.
    pub fn pass(&mut self, numbers: &mut Numbers<'_>) {
        let Station { inputs: x, outputs: y, feeds, .. } = self;
        for list in [&mut x.values, &mut x.held, &mut x.sent, &mut y.values, &mut y.reported] {
            numbers.list(list);
        }
        numbers.flag(&mut x.shown);
        let mut has_offset = x.offset.is_some();
        numbers.flag(&mut has_offset);
        if has_offset {
            numbers.list(x.offset.get_or_insert_with(|| vec![0.0; x.values.len()]));
        }
        let mut order = x.order;
        numbers.size(&mut order);
        // More than a polynomial can have would be a memento of something else.
        x.reach(order.min(64));
        feeds.iter_mut().filter_map(Feed::history_mut).for_each(|history| history.pass(numbers));
    }

    /// Goes back to a saved state.
    pub fn restore(&mut self, slot: usize) -> Result<(), UnitError> {
        (self.inputs.shown, self.begun) = (false, false);
        self.unit.restore(slot)
    }

    /// Makes the outputs read last known to everybody.
    #[inline]
    pub fn publish(&self, supply: &mut Supply, at: Tick) {
        for &(channel, first, width) in &self.outputs.channels {
            if let Some(dense) = &self.dense {
                dense.publish(&mut supply.histories[channel], first);
            }
            supply.histories[channel].put(at, &self.outputs.values[first..first + width]);
        }
    }

    /// Sampled output `place` at `at`: the last one read, or what was published of it where the unit is ahead.
    #[inline]
    pub fn sampled(&self, supply: &Supply, place: usize, at: Tick) -> f64 {
        if self.dense.is_some() {
            let channel =
                self.outputs.channels.iter().find(|(_, first, width)| (*first..first + width).contains(&place));
            if let Some(&(channel, first, _)) = channel {
                let history = &supply.histories[channel];
                return history.value(history.not_after(at), place - first);
            }
        }
        self.outputs.values[place]
    }

    /// Evaluates feed-through outputs with the inputs' values at `at` and publishes them.
    #[inline]
    pub fn refresh(&mut self, supply: &mut Supply, at: Tick) -> Result<(), UnitError> {
        let (x, y) = (&mut self.inputs, &mut self.outputs);
        if y.refresh == Refresh::Reported || y.refresh_refs.is_empty() {
            return Ok(());
        }
        for feed in &mut self.feeds {
            feed.values(supply, at, &mut x.row, &mut x.values);
        }
        match y.refresh {
            Refresh::GetAfterSet if self.rates => {
                self.unit.set_real(&x.refs, &x.values)?;
                x.sent.copy_from_slice(&x.values);
                x.shown = true;
                let step_s = supply.clock.length_s(self.step);
                for feed in &mut self.feeds {
                    feed.rates(supply, at, step_s, &mut x.row, &mut x.rates);
                }
                self.unit.set_input_derivatives(&x.refs, &x.first_orders, &x.rates)?;
                self.unit.get_real(&y.refresh_refs, &mut y.refreshed)?;
            }
            Refresh::GetAfterSet => set_and_get(self.unit.as_mut(), x, y)?,
            Refresh::Directional => {
                for ((change, value), held) in x.change.iter_mut().zip(&x.values).zip(&x.held) {
                    *change = value - held;
                }
                self.unit.directional(&y.refresh_refs, &x.refs, &x.change, &mut y.refreshed)?;
                for (d, reported) in y.refreshed.iter_mut().zip(&y.reported) {
                    *d += reported;
                }
            }
            Refresh::Reported => {}
        }
        for (&place, &v) in y.refresh_places.iter().zip(&y.refreshed) {
            y.values[place] = v;
        }
        self.publish(supply, at);
        Ok(())
    }

    /// Evaluates feed-through outputs by setting `inputs.values` and getting; the first of `values` are the outputs.
    #[inline]
    pub fn refresh_into(&mut self, values: &mut [f64]) -> Result<(), UnitError> {
        let y = &mut self.outputs;
        set_and_get(self.unit.as_mut(), &mut self.inputs, y)?;
        for (&place, &v) in y.refresh_places.iter().zip(&y.refreshed) {
            values[place] = v;
        }
        Ok(())
    }

    /// Keeps what the unit itself said of its feed-through outputs, before they are refreshed.
    #[inline]
    pub fn keep_reported(&mut self) {
        let y = &mut self.outputs;
        if y.refresh == Refresh::Directional {
            for (r, &place) in y.reported.iter_mut().zip(&y.refresh_places) {
                *r = y.values[place];
            }
        }
    }

    /// Sets the inputs to their values at `at`, which is what the unit then holds.
    pub fn show_inputs(&mut self, supply: &mut Supply, at: Tick) -> Result<(), UnitError> {
        self.inputs.shown = false;
        for feed in &mut self.feeds {
            feed.values(supply, at, &mut self.inputs.row, &mut self.inputs.values);
        }
        self.inputs.held.copy_from_slice(&self.inputs.values);
        self.set_inputs()
    }

    /// True values of the inputs at `at`, as far as they are known.
    pub fn true_inputs(&mut self, supply: &mut Supply, at: Tick, out: &mut [f64]) {
        for feed in &mut self.feeds {
            feed.values(supply, at, &mut self.inputs.row, out);
        }
    }

    /// Values of the inputs at the end of `span`, as they are predicted before it.
    pub fn predicted_inputs(&mut self, supply: &mut Supply, span: &Span, out: &mut [f64]) {
        for feed in &mut self.feeds {
            feed.segments(supply, span, &mut self.inputs.segments, &mut self.inputs.values);
        }
        for (v, p) in out.iter_mut().zip(&self.inputs.segments) {
            *v = p.at(1.0);
        }
    }

    /// Input `i` as it was fed in the step just made, at its start (0) or end (1).
    #[inline]
    pub fn applied(&self, i: usize, s: f64) -> f64 {
        if self.holds { self.inputs.values[i] } else { self.inputs.segments[i].at(s) }
    }

    /// Reads all sampled outputs and publishes them.
    pub fn sample(&mut self, supply: &mut Supply, at: Tick) -> Result<(), UnitError> {
        self.unit.get_real(&self.outputs.refs, &mut self.outputs.values)?;
        self.keep_reported();
        self.publish(supply, at);
        Ok(())
    }
}

#[inline]
fn set_and_get(unit: &mut dyn Unit, x: &mut Inputs, y: &mut Outputs) -> Result<(), UnitError> {
    unit.set_real(&x.refs, &x.values)?;
    x.sent.copy_from_slice(&x.values);
    x.shown = true;
    unit.get_real(&y.refresh_refs, &mut y.refreshed)
}

impl Inputs {
    /// Derivatives up to this order are sent from now on.
    #[inline]
    fn reach(&mut self, degree: usize) {
        for order in self.order + 1..=degree {
            self.derivative_refs.extend_from_slice(&self.refs);
            self.derivative_orders.extend(self.refs.iter().map(|_| order as i32));
            self.derivatives.resize(self.derivative_refs.len(), 0.0);
            self.order = order;
        }
    }

    /// Sets what is added to the inputs from now on.
    pub fn set_offset(&mut self, offset: &[f64]) {
        self.offset.get_or_insert_with(|| vec![0.0; offset.len()]).copy_from_slice(offset);
    }

    /// Adds the offset to constants.
    #[inline]
    fn shift_values(&mut self) {
        if let Some(offset) = &self.offset {
            self.values.iter_mut().zip(offset).for_each(|(v, d)| *v += d);
        }
    }

    /// Adds the offset to polynomials.
    #[inline]
    fn shift_segments(&mut self) {
        if let Some(offset) = &self.offset {
            self.segments.iter_mut().zip(offset).for_each(|(p, d)| p.shift(*d));
        }
    }

    /// Whether the unit holds exactly `values` already, by a refresh since its last step.
    #[inline]
    fn are_shown(&self) -> bool {
        self.shown && self.values.iter().zip(&self.sent).all(|(v, s)| v.to_bits() == s.to_bits())
    }
}

impl Outputs {
    /// Reads the unit after a step: everything but what is evaluated by setting the inputs and getting, anyway. The
    /// first of `values` are the outputs.
    #[inline]
    pub fn read_into(&mut self, unit: &mut dyn Unit, values: &mut [f64]) -> Result<(), UnitError> {
        if self.refresh != Refresh::GetAfterSet {
            return unit.get_real(&self.refs, &mut values[..self.refs.len()]);
        }
        let n = self.state_refs.len();
        if self.state_first {
            return unit.get_real(&self.state_refs, &mut values[..n]);
        }
        unit.get_real(&self.state_refs, &mut self.state_values)?;
        for (&place, &v) in self.state_places.iter().zip(&self.state_values) {
            values[place] = v;
        }
        Ok(())
    }

    /// Values of the feed-through outputs.
    pub fn refreshed_values(&self) -> impl Iterator<Item = f64> + '_ {
        self.refresh_places.iter().map(|&place| self.values[place])
    }

    /// Takes the first values given as those of the feed-through outputs; returns how many that are.
    pub fn set_refreshed(&mut self, y: &[f64]) -> usize {
        for (&place, &v) in self.refresh_places.iter().zip(y) {
            self.values[place] = v;
        }
        self.refresh_places.len()
    }

    fn new(system: &System, u: usize, refresh: Refresh) -> Self {
        let (mut refs, mut channels): (Vec<u32>, Vec<_>) = (Vec::new(), Vec::new());
        let (mut refresh_refs, mut refresh_places) = (Vec::new(), Vec::new());
        for (number, channel) in system.channels.iter().enumerate().filter(|(_, c)| c.unit == u) {
            channels.push((number, refs.len(), channel.refs.len()));
            for (&reference, &variable) in channel.refs.iter().zip(&channel.variables) {
                if !system.feedthrough(u, variable).is_empty() {
                    refresh_refs.push(reference);
                    refresh_places.push(refs.len());
                }
                refs.push(reference);
            }
        }
        let (n, m) = (refs.len(), refresh_refs.len());
        let state_places: Vec<usize> = (0..n).filter(|place| !refresh_places.contains(place)).collect();
        Outputs {
            state_refs: state_places.iter().map(|&place| refs[place]).collect(),
            state_values: vec![0.0; state_places.len()],
            state_first: state_places.iter().copied().eq(0..state_places.len()),
            state_places,
            refs,
            values: vec![0.0; n],
            channels,
            refresh,
            refresh_refs,
            refresh_places,
            refreshed: vec![0.0; m],
            reported: vec![0.0; m],
        }
    }
}
