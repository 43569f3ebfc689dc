//! Sizes of signals: the scales of residuals, trials and the resolution of nodes.
//!
//! A size is that of a component of a channel, over all its samples: a sample near a zero of the signal is not measured with
//! itself. Sizes grow by windows that have converged and by nothing else, so that a trial or a window that went wrong cannot
//! make later residuals look small.

use crate::savable::savable;
use crate::signal::history::History;
use crate::signal::nodes::{NODES_MAX, Transform};
use crate::signal::segment::Segment;

/// Sampled values larger than this are those of a run that has diverged.
pub(crate) const SIZE_MAX: f64 = 1e100;

savable! {
/// Sizes of all components of all channels.
#[derive(Default)]
pub(crate) struct Sizes {
    /// First place of each channel.
    first: Vec<usize>,
    /// From this channel on, all components have one size: forces of a joint.
    shared: usize,
    /// Largest absolute values in windows that have converged.
    accepted: Vec<f64>,
    /// The same with the first guess of the window under way: what trials are sized by.
    begun: Vec<f64>,
    /// The same with the guess evaluated last: what residuals are measured with.
    present: Vec<f64>,
    /// What nodes leave out of each component, relative to its size.
    left_out: Vec<f64>,
}
}

impl Sizes {
    /// Of channels of the given widths, of which nothing is known; from `shared` on, components have one size.
    pub fn new(widths: impl Iterator<Item = usize>, shared: usize) -> Self {
        let (mut first, mut n) = (Vec::new(), 0);
        for width in widths {
            first.push(n);
            n += width;
        }
        let zeros = || vec![0.0; n];
        Sizes { first, shared, accepted: zeros(), begun: zeros(), present: zeros(), left_out: zeros() }
    }

    fn place(&self, (channel, component): (usize, usize)) -> usize {
        self.first[channel] + if channel < self.shared { component } else { 0 }
    }

    /// The first place of a channel, and whether it is that of all components.
    fn room(&self, channel: usize) -> (usize, bool) {
        (self.first[channel], channel >= self.shared)
    }

    /// A window begins.
    pub fn begin(&mut self) {
        self.begun.copy_from_slice(&self.accepted);
        self.present.copy_from_slice(&self.accepted);
    }

    /// A guess is looked at: what earlier guesses of the window came to is forgotten.
    pub fn look(&mut self) {
        self.present.copy_from_slice(&self.accepted);
    }

    /// Takes the first guess of the components of a channel.
    pub fn guess(&mut self, channel: usize, values: &[f64]) {
        let room = self.room(channel);
        grow(&mut self.begun, room, values);
    }

    /// Takes values of the guess under way.
    pub fn see(&mut self, channel: usize, values: &[f64]) {
        let room = self.room(channel);
        grow(&mut self.present, room, values);
    }

    /// Whether all known values of a component are zero.
    pub fn is_zero(&self, place: (usize, usize)) -> bool {
        self.present[self.place(place)] == 0.0
    }

    /// Whether that is so of some component of a channel of this width.
    pub fn is_some_zero(&self, channel: usize, width: usize) -> bool {
        let (first, is_one) = self.room(channel);
        self.present[first..][..if is_one { 1 } else { width }].contains(&0.0)
    }

    /// Takes a value of one component of the guess under way.
    pub fn see_at(&mut self, place: (usize, usize), value: f64) {
        let i = self.place(place);
        self.present[i] = self.present[i].max(value.abs());
    }

    /// What was seen is that of a window that has converged.
    pub fn accept(&mut self) {
        self.accepted.copy_from_slice(&self.present);
    }

    /// Sets the parts that nodes leave out to 0.
    pub fn clear_left_out(&mut self) {
        self.left_out.fill(0.0);
    }

    /// Takes the part of a component that nodes leave out in a step.
    pub fn leave_out(&mut self, place: (usize, usize), value: f64) {
        let (i, part) = (self.place(place), value / self.of_residual(place));
        self.left_out[i] = self.left_out[i].max(part);
    }

    /// The part of a channel that nodes leave out, relative to its size, and its component.
    pub fn left_out(&self, channel: usize) -> (f64, usize) {
        let end = self.first.get(channel + 1).copied().unwrap_or(self.left_out.len());
        let parts = self.left_out[self.first[channel]..end].iter().enumerate();
        parts.fold((0.0, 0), |worst, (component, part)| if *part > worst.0 { (*part, component) } else { worst })
    }

    /// Largest absolute value of a component so far; 0 where nothing is known.
    pub fn known(&self, place: (usize, usize)) -> f64 {
        self.present[self.place(place)]
    }

    /// Scale of a residual; 1 for a signal that starts at zero and has no known size.
    pub fn of_residual(&self, place: (usize, usize)) -> f64 {
        let size = self.present[self.place(place)];
        if size > 0.0 { size } else { 1.0 }
    }

    /// How large trials are.
    pub fn of_trial(&self, place: (usize, usize)) -> f64 {
        let size = self.begun[self.place(place)];
        if size > 0.0 { size } else { self.of_residual(place) }
    }
}

/// Lets sizes grow to absolute values of the components of a channel: each from the first place on, or all of them the first place.
#[inline]
fn grow(sizes: &mut [f64], (first, is_one): (usize, bool), values: &[f64]) {
    let sizes = &mut sizes[first..];
    if is_one {
        values.iter().for_each(|v| sizes[0] = sizes[0].max(v.abs()));
    } else {
        sizes.iter_mut().zip(values).for_each(|(size, v)| *size = size.max(v.abs()));
    }
}

/// A waveform of one component over a step: the rows of a history from `first` on, at `nodes` + 1 nodes.
pub(crate) struct Waveform<'a> {
    pub history: &'a History,
    pub first: usize,
    pub nodes: usize,
    pub component: usize,
}

impl Waveform<'_> {
    fn value(&self, node: usize) -> f64 {
        self.history.value(self.first + node, self.component)
    }

    /// Largest absolute value.
    pub fn size(&self) -> f64 {
        (0..=self.nodes).map(|i| self.value(i).abs()).fold(0.0, f64::max)
    }

    /// The part that nodes leave out, from the decay of the last Chebyshev coefficients: the two highest by their ratio
    /// to the two before, which would be the next two.
    pub fn left_out(&self) -> f64 {
        let mut a = [0.0; NODES_MAX + 1];
        Transform::of(self.nodes).coefficients(|i| self.value(i), &mut a);
        let pair = |k: usize| a[k].abs() + a[k - 1].abs();
        if self.nodes < 3 {
            return 0.0;
        }
        let (last, before) = (pair(self.nodes), pair(self.nodes - 2));
        if before > 0.0 { last * (last / before).min(1.0) } else { last }
    }

    /// Rounding of its polynomial in powers of local time, which inputs are given in.
    pub fn rounding(&self) -> f64 {
        let mut p = Segment::default();
        Transform::of(self.nodes).polynomial(|i| self.value(i), &mut p);
        p.coefficients().iter().map(|c| c.abs()).sum::<f64>() * f64::EPSILON
    }
}
