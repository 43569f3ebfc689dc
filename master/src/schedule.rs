//! *Schedules* and the *plan* made from them: when units advance and when their samples are published.
//!
//! A plan is a plain list. Jacobi publishes after everybody has advanced from a communication point; Gauss–Seidel
//! publishes at once, so that later units interpolate by themselves; multirate is steps of different length in the
//! same list. The plan does no arithmetic on signals.
//!
//! Palindromic (Strang) composition of units 1 … m: half steps of 1 … m − 1, a whole step of m, and the half steps back.
//! It is its own mirror image, hence of even order: 2 with held inputs, and with displacement-driven units an exact
//! splitting of the coupled equations, so that it conserves energy where each unit alone does. The last half step of a
//! window and the first of the next are one step of unit 1; what unit 1 was at the communication point between is its
//! dense output at mid-step. n windows then cost n + 1 steps of unit 1 and n of unit m. Reference: \[Hairer 2006\],
//! section II.5.

use crate::time::{Tick, lcm};

/// Who sees whose new outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// All units step from what is known at the communication point.
    Jacobi,
    /// Units step in this order (positions of all units); each sees what the ones before it have published.
    GaussSeidel(Vec<usize>),
    /// Units step in this order by halves, the last by a whole step, and back in the opposite order; each sees what has
    /// been published before.
    Palindromic(Vec<usize>),
}

impl Schedule {
    /// The order of units, where there is one.
    pub fn order(&self) -> Option<&[usize]> {
        match self {
            Schedule::Jacobi => None,
            Schedule::GaussSeidel(order) | Schedule::Palindromic(order) => Some(order),
        }
    }

    /// Ticks a step must be a multiple of.
    pub(crate) fn parts(&self) -> Tick {
        if matches!(self, Schedule::Palindromic(_)) { 2 } else { 1 }
    }
}

/// One entry of a plan. Ticks count from the window's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// The unit begins the step that its next [`Op::Advance`] ends, beside others.
    Begin {
        /// Which unit.
        unit: usize,
        /// Start of the step.
        from: Tick,
        /// End of the step.
        to: Tick,
    },
    /// The unit steps.
    Advance {
        /// Which unit.
        unit: usize,
        /// Start of the step.
        from: Tick,
        /// End of the step.
        to: Tick,
    },
    /// The unit's outputs at the end of its last step become known.
    Publish {
        /// Which unit.
        unit: usize,
        /// When.
        at: Tick,
    },
    /// Feed-through outputs of a group of units are evaluated with the inputs' values at this instant; a group of more
    /// than one is an algebraic loop.
    Refresh {
        /// Position in the list of groups.
        group: usize,
        /// When.
        at: Tick,
    },
    /// The same for one unit of a loop whose other units are elsewhere in time.
    RefreshUnit {
        /// Which unit.
        unit: usize,
        /// When.
        at: Tick,
    },
}

impl Op {
    /// The same where all steps are `n` times as long.
    #[inline]
    pub(crate) fn stretched(self, n: Tick) -> Op {
        match self {
            Op::Begin { unit, from, to } => Op::Begin { unit, from: from * n, to: to * n },
            Op::Advance { unit, from, to } => Op::Advance { unit, from: from * n, to: to * n },
            Op::Publish { unit, at } => Op::Publish { unit, at: at * n },
            Op::Refresh { group, at } => Op::Refresh { group, at: at * n },
            Op::RefreshUnit { unit, at } => Op::RefreshUnit { unit, at: at * n },
        }
    }
}

/// What happens in one window, the shortest span after which all units meet again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Length of the window.
    pub window: Tick,
    /// In order of execution; where half steps of neighbouring windows are merged, those of the first window.
    pub ops: Vec<Op>,
    /// What takes the place of `ops` from a window's start on, earliest first: a staggered plan begins and ends with half
    /// steps.
    later: Vec<(Tick, Vec<Op>)>,
    /// A window without neighbours, where `ops` is a part of a staggered plan.
    whole: Option<Vec<Op>>,
}

impl Plan {
    /// The plan of a schedule for units with steps of `steps[u]` ticks and feed-through `groups` in the order in which
    /// they are to be evaluated.
    pub fn new(schedule: &Schedule, steps: &[Tick], groups: &[Vec<usize>]) -> Self {
        let window = steps.iter().copied().fold(1, lcm);
        let mut draft = Draft { steps, groups, window, at: vec![0; steps.len()], ops: Vec::new() };
        match schedule {
            Schedule::Jacobi => draft.jacobi(),
            Schedule::GaussSeidel(order) => draft.gauss_seidel(order),
            Schedule::Palindromic(order) => draft.palindromic(order, 0, window),
        }
        Plan { window, ops: draft.ops, later: Vec::new(), whole: None }
    }

    /// The palindromic plan with the half steps of neighbouring windows merged, until the window that starts at `last`,
    /// after which all units are together.
    pub fn staggered(order: &[usize], steps: &[Tick], groups: &[Vec<usize>], last: Option<Tick>) -> Self {
        let window = steps.iter().copied().fold(1, lcm);
        let half = window / 2;
        let ops = |from: Tick, to: Tick| {
            let mut draft = Draft { steps, groups, window, at: vec![0; steps.len()], ops: Vec::new() };
            draft.palindromic(order, from, to);
            draft.ops
        };
        let whole = ops(0, window);
        let (opening, merged, closing) = (ops(0, window + half), ops(half, window + half), ops(half, window));
        let mut later = vec![(window, merged)];
        match last {
            Some(last) if last < window => return Plan { window, ops: whole, later: Vec::new(), whole: None },
            Some(last) => {
                // Two windows: nothing lies between opening and closing.
                later.retain(|(from, _)| *from < last);
                later.extend([(last, closing), (last + window, whole.clone())]);
            }
            None => {}
        }
        Plan { window, ops: opening, later, whole: Some(whole) }
    }

    /// What is carried out in the window that starts at `now`.
    #[inline]
    pub(crate) fn ops_at(&self, now: Tick) -> &[Op] {
        self.later.iter().rev().find(|(from, _)| *from <= now).map_or(&self.ops, |(_, ops)| ops)
    }

    /// Before the first window: goes back to windows of whole palindromes, after which all units are together.
    pub(crate) fn unmerge(&mut self) {
        if let Some(whole) = self.whole.take() {
            (self.ops, self.later) = (whole, Vec::new());
        }
    }

    /// Whether half steps of neighbouring windows are merged.
    pub fn is_staggered(&self) -> bool {
        self.whole.is_some()
    }

    /// The same plan with steps that need nothing of each other begun together, where `is_parallel(unit)`.
    pub fn beside(mut self, is_parallel: impl Fn(usize) -> bool) -> Plan {
        let mut ops = Vec::with_capacity(2 * self.ops.len());
        for (i, &op) in self.ops.iter().enumerate() {
            let begins = matches!(op, Op::Advance { .. })
                && !matches!(i.checked_sub(1).map(|j| self.ops[j]), Some(Op::Advance { .. }));
            if begins {
                let together = self.ops[i..].iter().map_while(|op| match *op {
                    Op::Advance { unit, from, to } => Some((unit, from, to)),
                    _ => None,
                });
                let parallel = together.filter(|(unit, ..)| is_parallel(*unit));
                ops.extend(parallel.map(|(unit, from, to)| Op::Begin { unit, from, to }));
            }
            ops.push(op);
        }
        self.ops = ops;
        self
    }

    /// Instants at which a unit publishes, each once, ascending.
    pub fn published(&self, unit: usize) -> Vec<Tick> {
        let mut at: Vec<Tick> = self
            .ops
            .iter()
            .filter_map(|op| match op {
                Op::Publish { unit: u, at } if *u == unit => Some(*at),
                _ => None,
            })
            .collect();
        at.sort_unstable();
        at.dedup();
        at
    }
}

struct Draft<'a> {
    steps: &'a [Tick],
    groups: &'a [Vec<usize>],
    window: Tick,
    /// How far each unit has published.
    at: Vec<Tick>,
    ops: Vec<Op>,
}

impl Draft<'_> {
    fn jacobi(&mut self) {
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

    fn gauss_seidel(&mut self, order: &[usize]) {
        while let Some(u) = self.next(order) {
            let (from, to) = (self.at[u], self.at[u] + self.steps[u]);
            self.ops.push(Op::Advance { unit: u, from, to });
            self.publish(&[u], to);
        }
    }

    /// Half steps in order, a whole one, and back. The first unit starts from `back` where it has come to already in the
    /// window before, and goes on to `beyond`.
    fn palindromic(&mut self, order: &[usize], back: Tick, beyond: Tick) {
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

    fn publish(&mut self, units: &[usize], at: Tick) {
        if units.is_empty() {
            return;
        }
        for &u in units {
            self.at[u] = at;
            self.ops.push(Op::Publish { unit: u, at });
        }
        for (g, group) in self.groups.iter().enumerate() {
            if group.iter().all(|&u| self.at[u] == at) {
                self.ops.push(Op::Refresh { group: g, at });
            } else {
                let here = group.iter().filter(|u| units.contains(u));
                self.ops.extend(here.map(|&unit| Op::RefreshUnit { unit, at }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn advance(unit: usize, from: Tick, to: Tick) -> Op {
        Op::Advance { unit, from, to }
    }

    #[test]
    fn the_two_single_rate_schedules() {
        let jacobi = Plan::new(&Schedule::Jacobi, &[1, 1], &[vec![0]]);
        let (p0, p1) = (Op::Publish { unit: 0, at: 1 }, Op::Publish { unit: 1, at: 1 });
        let refresh = Op::Refresh { group: 0, at: 1 };
        assert_eq!(jacobi.ops, [advance(0, 0, 1), advance(1, 0, 1), p0, p1, refresh]);
        let gs21 = Plan::new(&Schedule::GaussSeidel(vec![1, 0]), &[1, 1], &[]);
        assert_eq!(gs21.ops, [advance(1, 0, 1), p1, advance(0, 0, 1), p0]);
    }

    #[test]
    fn parallel_units_begin_before_anybody_waits() {
        let begin = |unit| Op::Begin { unit, from: 0, to: 1 };
        let jacobi = Plan::new(&Schedule::Jacobi, &[1, 1, 1], &[]).beside(|unit| unit != 1);
        assert_eq!(jacobi.ops[..5], [begin(0), begin(2), advance(0, 0, 1), advance(1, 0, 1), advance(2, 0, 1)]);
        let gs = Plan::new(&Schedule::GaussSeidel(vec![0, 1]), &[1, 1], &[]).beside(|_| true);
        let (p0, p1) = (Op::Publish { unit: 0, at: 1 }, Op::Publish { unit: 1, at: 1 });
        assert_eq!(gs.ops, [begin(0), advance(0, 0, 1), p0, begin(1), advance(1, 0, 1), p1]);
    }

    #[test]
    fn a_staggered_plan_merges_the_halves_of_neighbouring_windows() {
        let steps = |plan: &Plan, now: Tick| -> Vec<(usize, Tick, Tick)> {
            let advance = |o: &Op| if let Op::Advance { unit, from, to } = *o { Some((unit, from, to)) } else { None };
            plan.ops_at(now).iter().filter_map(advance).collect()
        };
        let plan = Plan::staggered(&[0, 1], &[2, 2], &[], Some(6));
        assert_eq!(steps(&plan, 0), [(0, 0, 1), (1, 0, 2), (0, 1, 3)]);
        assert_eq!(steps(&plan, 2), [(1, 0, 2), (0, 1, 3)]);
        assert_eq!(steps(&plan, 4), [(1, 0, 2), (0, 1, 3)]);
        assert_eq!(steps(&plan, 6), [(1, 0, 2), (0, 1, 2)]);
        assert_eq!(steps(&plan, 8), [(0, 0, 1), (1, 0, 2), (0, 1, 2)]);
        assert_eq!(plan.ops_at(8), Plan::new(&Schedule::Palindromic(vec![0, 1]), &[2, 2], &[]).ops);
        let two = Plan::staggered(&[1, 0], &[2, 2], &[], Some(2));
        assert_eq!(steps(&two, 2), [(0, 0, 2), (1, 1, 2)]);
        let three = Plan::new(&Schedule::Palindromic(vec![0, 1, 2]), &[2, 2, 2], &[]);
        assert_eq!(steps(&three, 0), [(0, 0, 1), (1, 0, 1), (2, 0, 2), (1, 1, 2), (0, 1, 2)]);
    }

    #[test]
    fn a_stretched_plan_is_the_plan_of_longer_steps() {
        let order = Schedule::GaussSeidel(vec![1, 0]);
        let plan = Plan::new(&order, &[3, 2], &[vec![0]]);
        let stretched: Vec<Op> = plan.ops.iter().map(|op| op.stretched(7)).collect();
        let longer = Plan::new(&order, &[21, 14], &[vec![0]]);
        assert_eq!((7 * plan.window, stretched), (longer.window, longer.ops));
    }

    #[test]
    fn fast_first_and_slow_first() {
        let order = |s: &[usize]| -> Vec<usize> {
            let plan = Plan::new(&Schedule::GaussSeidel(s.to_vec()), &[3, 1], &[]);
            plan.ops.iter().filter_map(|o| if let Op::Advance { unit, .. } = o { Some(*unit) } else { None }).collect()
        };
        assert_eq!(order(&[0, 1]), [0, 1, 1, 1]);
        assert_eq!(order(&[1, 0]), [1, 1, 1, 0]);
    }

    /// What a unit has reported is refreshed in the window in which it has stepped: a snapshot between windows need not hold it.
    #[track_caller]
    fn refreshes_follow_steps(plan: &Plan, groups: &[Vec<usize>], n: usize) {
        let mut reached = vec![0; n];
        for op in &plan.ops {
            match *op {
                Op::Advance { unit, to, .. } => reached[unit] = to,
                Op::Refresh { group, at } => assert!(groups[group].iter().all(|&u| reached[u] == at), "{plan:?}"),
                Op::RefreshUnit { unit, at } => assert_eq!(reached[unit], at, "{plan:?}"),
                Op::Begin { .. } | Op::Publish { .. } => {}
            }
        }
    }

    proptest! {
        #[test]
        fn every_refresh_follows_a_step_of_its_units(
            steps in prop::collection::vec(1i64..7, 2..5), gs: bool, seed in 0usize..24, cut in 1usize..4
        ) {
            let n = steps.len();
            let mut order: Vec<usize> = (0..n).collect();
            order.rotate_left(seed % n);
            let groups: Vec<Vec<usize>> = order.chunks(cut).map(<[usize]>::to_vec).collect();
            let schedule = if gs { Schedule::GaussSeidel(order) } else { Schedule::Jacobi };
            refreshes_follow_steps(&Plan::new(&schedule, &steps, &groups), &groups, n);
        }

        #[test]
        fn every_plan_tiles_the_window(steps in prop::collection::vec(1i64..7, 1..5), gs: bool, seed in 0usize..24) {
            let mut order: Vec<usize> = (0..steps.len()).collect();
            order.rotate_left(seed % steps.len());
            let schedule = if gs { Schedule::GaussSeidel(order) } else { Schedule::Jacobi };
            let plan = Plan::new(&schedule, &steps, &[]);
            for (u, step) in steps.iter().enumerate() {
                prop_assert_eq!(plan.window % step, 0);
                let (mut reached, mut published) = (0, 0);
                for op in &plan.ops {
                    match *op {
                        Op::Advance { unit, from, to } if unit == u => {
                            prop_assert_eq!((from, to), (reached, reached + step));
                            prop_assert_eq!(published, reached);
                            reached = to;
                        }
                        Op::Publish { unit, at } if unit == u => {
                            prop_assert_eq!(at, reached);
                            published = at;
                        }
                        _ => {}
                    }
                }
                prop_assert_eq!((reached, published), (plan.window, plan.window));
            }
        }
    }
}
