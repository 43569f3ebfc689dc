//! Feeds of a multirate interface: the motion that the interface model predicts, and the mean of a force over a step.

use crate::method::predict::Motion;
use crate::step::supply::{Pick, Supply};
use crate::system::interface::{InterfaceModel, Predicted};
use crate::time::Tick;

/// The prediction of an interface model on the way to the fast unit.
pub(crate) struct InterfaceFeed {
    /// Which model of the system.
    pub model: usize,
    of: InterfaceModel,
    motion: Motion,
    /// Which history holds w and s at this unit's communication points.
    history: usize,
    row: Vec<f64>,
    pub picks: Vec<(Predicted, usize)>,
}

impl InterfaceFeed {
    pub fn new(model: usize, of: &InterfaceModel, pick: (Predicted, usize), history: usize) -> Self {
        let r = of.speed.len();
        InterfaceFeed {
            model,
            of: of.clone(),
            motion: Motion::new(r),
            history,
            row: vec![0.0; 2 * r],
            picks: vec![pick],
        }
    }

    /// Which history holds the motion: speeds, then positions.
    pub fn history(&self) -> usize {
        self.history
    }

    pub fn channels(&self) -> Vec<usize> {
        let of = &self.of;
        let all = [&of.force, &of.speed, &of.position, &of.mobility, &of.bias];
        let mut list: Vec<usize> = all.into_iter().flatten().map(|s| s.channel).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Makes the micro step `from` … `to` and writes the unit's inputs in it.
    pub fn constants(&mut self, supply: &mut Supply<'_>, from: Tick, to: Tick, inputs: &mut [f64]) {
        self.locate(supply, from);
        let InterfaceFeed { of, motion, .. } = self;
        let slow = [(&of.mobility, &mut motion.mobility), (&of.bias, &mut motion.bias), (&of.force, &mut motion.force)];
        for (signals, values) in slow {
            for (signal, value) in signals.iter().zip(values) {
                let history = &supply.histories[signal.channel];
                *value = history.value(history.not_after(from), signal.component);
            }
        }
        let step_s = supply.clock.length_s(to - from);
        motion.kick(step_s);
        self.hand_out(inputs);
        self.motion.drift(step_s);
        let r = self.motion.speed.len();
        self.row[..r].copy_from_slice(&self.motion.speed);
        self.row[r..].copy_from_slice(&self.motion.position);
        supply.histories[self.history].put(to, &self.row);
    }

    /// Writes the motion at an instant.
    pub fn values(&mut self, supply: &Supply<'_>, at: Tick, inputs: &mut [f64]) {
        self.locate(supply, at);
        self.hand_out(inputs);
    }

    /// The motion at `at`: what the slow unit says there, else what was predicted, else the last the slow unit said.
    fn locate(&mut self, supply: &Supply<'_>, at: Tick) {
        let InterfaceFeed { of, motion, history, .. } = self;
        let history = &supply.histories[*history];
        let said = of.speed.first().is_some_and(|s| supply.histories[s.channel].find(at).is_some());
        let predicted = if said || history.is_empty() { None } else { history.find(at) };
        if let Some(i) = predicted {
            let (speed, position) = history.row(i).split_at(motion.speed.len());
            motion.speed.copy_from_slice(speed);
            motion.position.copy_from_slice(position);
            return;
        }
        for (signals, values) in [(&of.speed, &mut motion.speed), (&of.position, &mut motion.position)] {
            for (signal, value) in signals.iter().zip(values) {
                let history = &supply.histories[signal.channel];
                *value = history.value(history.not_after(at), signal.component);
            }
        }
    }

    fn hand_out(&self, inputs: &mut [f64]) {
        for &(what, place) in &self.picks {
            inputs[place] = match what {
                Predicted::Speed(i) => self.motion.speed[i],
                Predicted::Position(i) => self.motion.position[i],
            };
        }
    }
}

/// The mean of a channel's samples over a step: keeps the impulse of a force that a faster unit gives.
pub(crate) struct MeanFeed {
    pub channel: usize,
    pub picks: Vec<Pick>,
}

impl MeanFeed {
    /// The mean of the samples at instants of the last span as long as `from` … `to` that is known: [from, to) where the
    /// channel reaches `to`, else the span before `from`. A single sample stands for itself.
    pub fn constants(&self, supply: &Supply<'_>, from: Tick, to: Tick, inputs: &mut [f64]) {
        let history = &supply.histories[self.channel];
        let end = if history.reaches(to) { to } else { from };
        let begin = end - (to - from);
        for &(component, place) in &self.picks {
            let (mut sum, mut count) = (0.0, 0.0);
            for i in (0..history.len()).filter(|i| (begin as f64..end as f64).contains(&history.at(*i))) {
                sum += history.value(i, component);
                count += 1.0;
            }
            inputs[place] = if count > 0.0 { sum / count } else { history.value(history.not_after(end), component) };
        }
    }
}
