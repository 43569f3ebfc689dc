//! Making of a plan: the next unit to step, the samples that are published then, and the feed-through outputs to evaluate.

use super::Op;
use crate::system::feedthrough::{FeedThrough, Reader};
use crate::time::Tick;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Draft<'a> {
    steps: &'a [Tick],
    feed: &'a FeedThrough,
    window: Tick,
    /// How far each unit has published.
    at: Vec<Tick>,
    pub ops: Vec<Op>,
    /// Groups each unit is in.
    places: Vec<Vec<usize>>,
    /// Groups that are algebraic loops.
    loops: Vec<usize>,
    /// Groups that something new is known for since they were evaluated last, by the instant their units are at.
    due: BTreeMap<Tick, BTreeSet<usize>>,
    /// Units whose feed-through outputs may have changed by that.
    changed: Vec<bool>,
}

impl<'a> Draft<'a> {
    /// An empty one, for units with these steps in a window.
    pub fn new(steps: &'a [Tick], feed: &'a FeedThrough, window: Tick) -> Self {
        let n = steps.len();
        let mut places = vec![Vec::new(); n];
        for (g, group) in feed.groups.iter().enumerate() {
            group.iter().for_each(|&u| places[u].push(g));
        }
        let loops = (0..feed.groups.len()).filter(|&g| feed.groups[g].len() > 1).collect();
        let (at, ops, due, changed) = (vec![0; n], Vec::new(), BTreeMap::new(), vec![false; n]);
        Draft { steps, feed, window, at, ops, places, loops, due, changed }
    }

    pub fn jacobi(&mut self) {
        let mut now = 0;
        loop {
            // Everybody whose step ends now is heard before anybody starts from here.
            let arriving: Vec<usize> = (0..self.steps.len()).filter(|&u| now > 0 && now % self.steps[u] == 0).collect();
            self.publish(&arriving, now);
            if now == self.window {
                return;
            }
            for u in 0..self.steps.len() {
                if now % self.steps[u] == 0 {
                    self.ops.push(Op::Advance { unit: u, from: now, to: now + self.steps[u] });
                }
            }
            now = (0..self.steps.len())
                .map(|u| (now / self.steps[u] + 1) * self.steps[u])
                .min()
                .unwrap_or(self.window)
                .min(self.window);
        }
    }

    pub fn gauss_seidel(&mut self, order: &[usize]) {
        // Steps of one length: in order.
        if self.steps.iter().all(|step| *step == self.window) {
            order.iter().for_each(|&u| self.go(u, self.window));
            return;
        }
        while let Some(u) = self.next(order) {
            self.go(u, self.at[u] + self.steps[u]);
        }
    }

    /// Half steps in order, a whole one, and back. The first unit starts from `back` where it has come to already in the
    /// window before, and goes on to `beyond`.
    pub fn palindromic(&mut self, order: &[usize], back: Tick, beyond: Tick) {
        let half = self.window / 2;
        let (Some((&last, before)), Some(&first)) = (order.split_last(), order.first()) else { return };
        self.at[first] = back;
        for &u in before {
            if self.at[u] < half {
                self.go(u, half);
            }
        }
        self.go(last, self.window);
        for &u in before.iter().rev() {
            self.go(u, if u == first { beyond } else { self.window });
        }
    }

    fn go(&mut self, unit: usize, to: Tick) {
        self.ops.push(Op::Advance { unit, from: self.at[unit], to });
        self.publish(&[unit], to);
    }

    /// The first unit in the order that later ones are waiting for: it is not ahead of them, or its step ends no later
    /// than theirs.
    fn next(&self, order: &[usize]) -> Option<usize> {
        let open: Vec<usize> = order.iter().copied().filter(|&u| self.at[u] < self.window).collect();
        let goes_before =
            |a: usize, b: usize| self.at[a] <= self.at[b] || self.at[a] + self.steps[a] <= self.at[b] + self.steps[b];
        open.iter().enumerate().find(|&(i, &a)| open[i + 1..].iter().all(|&b| goes_before(a, b))).map(|(_, &a)| a)
    }

    /// What units, ascending, are at `at` becomes known, and what follows it at once is evaluated: the groups that read
    /// something new, in their order. A loop is solved whenever anything becomes known, because solving it again from its
    /// solution may change last bits.
    fn publish(&mut self, units: &[usize], at: Tick) {
        if units.is_empty() {
            return;
        }
        for &u in units {
            self.forget(u);
            self.at[u] = at;
            self.ops.push(Op::Publish { unit: u, at });
        }
        // What may be evaluated anew: the units themselves, who reads them, and loops.
        let feed = self.feed;
        for &u in units {
            self.tell(&[Reader { unit: u, follows: true }]);
            self.tell(&feed.of_published[u]);
        }
        self.due.entry(at).or_default().extend(&self.loops);
        // In the order of evaluation; what a group tells those before it is for the next time.
        let mut from = 0;
        while let Some(&g) = self.due.get(&at).and_then(|due| due.range(from..).next()) {
            from = g + 1;
            self.evaluate(g, units, at);
        }
    }

    /// Evaluates a group that is at `at` as a whole, else those of its units that are published now.
    fn evaluate(&mut self, g: usize, units: &[usize], at: Tick) {
        let feed = self.feed;
        let group = &feed.groups[g];
        if group.iter().all(|&u| self.at[u] == at) {
            self.ops.push(Op::Refresh { group: g, at });
            let changed = group.len() > 1 || self.changed[group[0]];
            for &u in group {
                self.forget(u);
                self.changed[u] = false;
            }
            if changed {
                group.iter().for_each(|&u| self.tell(&feed.of_refreshed[u]));
            }
            return;
        }
        for &unit in group.iter().filter(|u| units.binary_search(u).is_ok()) {
            self.ops.push(Op::RefreshUnit { unit, at });
            self.tell(&feed.of_refreshed[unit]);
        }
    }

    /// Something new is known to these units: they are evaluated as soon as anything becomes known at the instant they are at.
    fn tell(&mut self, readers: &[Reader]) {
        for reader in readers.iter().filter(|reader| !self.places[reader.unit].is_empty()) {
            self.changed[reader.unit] |= reader.follows;
            self.due.entry(self.at[reader.unit]).or_default().extend(&self.places[reader.unit]);
        }
    }

    /// Nothing new is known to this unit.
    fn forget(&mut self, unit: usize) {
        if let Some(due) = self.due.get_mut(&self.at[unit]) {
            self.places[unit].iter().for_each(|place| _ = due.remove(place));
        }
    }
}
