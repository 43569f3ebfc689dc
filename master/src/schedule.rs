//! *Schedules* and the *plan* made from them: when units advance and when their samples are published.
//!
//! A plan is a plain list. Jacobi publishes after everybody has advanced from a communication point; Gauss–Seidel
//! publishes at once, so that later units interpolate by themselves; multirate is steps of different length in the
//! same list. The plan does no arithmetic on signals.

use crate::time::{Tick, lcm};

/// Who sees whose new outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// All units step from what is known at the communication point.
    Jacobi,
    /// Units step in this order (positions of all units); each sees what the ones before it have published.
    GaussSeidel(Vec<usize>),
}

/// One entry of a plan. Ticks count from the window's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
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

/// What happens in one window, the shortest span after which all units meet again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Length of the window.
    pub window: Tick,
    /// In order of execution.
    pub ops: Vec<Op>,
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
        }
        Plan { window, ops: draft.ops }
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
    fn fast_first_and_slow_first() {
        let order = |s: &[usize]| -> Vec<usize> {
            let plan = Plan::new(&Schedule::GaussSeidel(s.to_vec()), &[3, 1], &[]);
            plan.ops.iter().filter_map(|o| if let Op::Advance { unit, .. } = o { Some(*unit) } else { None }).collect()
        };
        assert_eq!(order(&[0, 1]), [0, 1, 1, 1]);
        assert_eq!(order(&[1, 0]), [1, 1, 1, 0]);
    }

    proptest! {
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
