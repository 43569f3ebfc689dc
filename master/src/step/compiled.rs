//! The *compiled plan*: explicit windows in which every input is held or follows a polynomial of low degree, as a list of copies
//! and calls.
//!
//! With a predictor that holds and nothing to take back, a step uses the newest published value of each signal: no
//! older row is ever asked for, no polynomial is made. The plan is turned once into a list of moves over a *row* of newest
//! values, outputs of one unit side by side, so that a unit is read straight into it. Polynomials go through the newest
//! row and those before it, see `past.rs`. Histories have their newest rows again, and unit ports their values, when a
//! call of many windows is over.
//!
//! The same calls with the same values as [`crate::step::window::Window::run`] makes, at a fraction of its cost. Everything
//! else (a law sampled on grids that do not nest, algebraic loops, outputs refreshed by directional
//! derivatives, polynomials of units that step at different rates) is left to the window.

mod held;
mod moves;
mod past;
mod window;
mod wiring;

use held::HeldSteps;
use moves::{Move, advances_before_it_publishes, fuse_held_steps, read_after_steps, reads_in_full};
use past::Past;
use window::{Accounts, Work};
use wiring::UnitWiring;

use crate::method::schedule::Op;
use crate::record::Observer;
use crate::step::feed::Feed;
use crate::step::recorder::Recorder;
use crate::step::sizes::SIZE_MAX;
use crate::step::state::State;
use crate::step::supply::{Coupled, Supply};
use crate::step::unit_port::UnitPort;
use crate::step::window::{Unfinished, Window};
use crate::system::refresh::Refresh;
use crate::time::Tick;
use crate::unit::UnitError;
use std::collections::HashSet;

/// The compiled plan and the newest values.
pub(crate) struct CompiledPlan {
    moves: Vec<Move>,
    wirings: Vec<UnitWiring>,
    held: HeldSteps,
    newest: Vec<f64>,
    /// The row of the next window, where units are read before all have stepped.
    next: Vec<f64>,
    /// The row at the window's start, where a window publishes before its last step.
    before: Option<Vec<f64>>,
    /// The rows before, where inputs are not held.
    past: Option<Past>,
    /// Where in the row the flow of each port of a power bond is.
    flows: Vec<usize>,
}

/// Rows that fall due in a stretch of windows.
pub(crate) struct Rows<'a> {
    pub recorder: &'a mut Recorder,
    pub observer: &'a mut dyn Observer,
    /// Windows until the next row.
    pub until_row: u64,
    /// Windows from one row to the next.
    pub every: u64,
}

/// Where windows are and how many there are to come.
struct Progress {
    now: Tick,
    length: Tick,
    /// Windows to come.
    left: u64,
    /// Windows until the next row.
    until_row: u64,
}

impl CompiledPlan {
    /// The compiled plan of a plan with steps `stretch` times as long as made, where it can do what the window does.
    pub fn of(window: &Window, stretch: Tick) -> Option<Self> {
        let Window { unit_ports, sources, plan, groups, balance: bonds, .. } = window;
        let steps_alike = unit_ports.iter().all(|s| s.step == plan.window);
        // Accounts are closed where all units meet.
        let is_whole = |op: &Op| !matches!(*op, Op::Advance { from, to, .. } if (from, to) != (0, plan.window));
        let watches = bonds.as_ref().is_none_or(|b| b.only_watches() && plan.ops.iter().all(is_whole));
        if plan.is_staggered() || !watches || window.revocable {
            return None;
        }
        let jacobi = advances_before_it_publishes(plan);
        let reads_after_set =
            |s: &UnitPort| s.outputs.refresh != Refresh::Directional || s.outputs.refresh_refs.is_empty();
        let law_grids_nest = steps_alike || jacobi || unit_ports.iter().all(|s| s.feeds.iter().all(|f| !f.has_law()));
        let known = unit_ports
            .iter()
            .all(|s| s.dense.is_none() && reads_after_set(s) && s.feeds.iter().all(Feed::is_memoryless))
            && groups.iter().all(|g| g.len() == 1);
        if !(known && law_grids_nest) {
            return None;
        }
        let channels = unit_ports.iter().map(|s| s.outputs.channels.len()).sum();
        let mut places = vec![0; channels];
        let mut size = 0;
        let mut firsts = Vec::new();
        for s in unit_ports {
            firsts.push(size);
            for &(channel, first, _) in &s.outputs.channels {
                places[channel] = size + first;
            }
            size += s.outputs.refs.len();
        }
        let wirings: Vec<UnitWiring> =
            unit_ports.iter().zip(firsts).map(|(s, first)| UnitWiring::of(s, first, &places)).collect();
        // What is not held follows polynomials through the rows before.
        let holds = unit_ports.iter().all(|s| s.holds);
        let past = if holds { None } else { Some(Past::of(window, (&places, size)).filter(|_| steps_alike)?) };
        // Accounts first, in the order of the steps; then what the plan says.
        let mut moves: Vec<Move> = Vec::new();
        let mut met = vec![bonds.is_none(); unit_ports.len()];
        for op in &plan.ops {
            if let Op::Begin { unit, from, to } | Op::Advance { unit, from, to } = op.stretched(stretch)
                && !std::mem::replace(&mut met[unit], true)
                && bonds.as_ref().is_some_and(|b| b.has_port(unit))
            {
                moves.push(Move::CloseAccount { unit, length_s: sources.clock.length_s(to - from) });
            }
        }
        let flows = bonds.iter().flat_map(|b| b.flows()).map(|(channel, c)| places[channel] + c).collect();
        let begun: HashSet<usize> =
            plan.ops.iter().filter_map(|op| if let Op::Begin { unit, .. } = *op { Some(unit) } else { None }).collect();
        let ops = plan.ops.iter().map(|op| op.stretched(stretch));
        moves.extend(ops.filter_map(|op| Move::of(op, (unit_ports, groups), sources.clock, &begun)));
        let before = (holds && !jacobi).then(|| vec![0.0; size]);
        // A unit is read right after its step, where nobody is fed with it before all have stepped.
        let (mut next, mut held) = (Vec::new(), HeldSteps::default());
        if jacobi && reads_in_full(plan, unit_ports) {
            (moves, next) = (read_after_steps(moves), vec![0.0; size]);
            if holds {
                (moves, held) = fuse_held_steps(moves, unit_ports, &wirings);
            }
        }
        Some(CompiledPlan { moves, wirings, held, newest: vec![0.0; size], next, before, past, flows })
    }

    /// Whether all is known that the inputs of the next window follow from.
    pub fn is_ready(&self, window: &Window, state: &State) -> bool {
        let (parts, histories) =
            ((window.unit_ports.as_slice(), state.unit_ports.as_slice()), &state.signals.histories);
        self.past.as_ref().is_none_or(|past| past.is_known(parts, histories, (state.now, window.length(state))))
    }

    /// Runs up to `windows` windows and hands out the rows that fall due; a step that was not finished ends them, as do the
    /// observer and values that are too large.
    pub fn run(
        &mut self,
        window: &mut Window,
        state: &mut State,
        windows: u64,
        mut rows: Rows<'_>,
    ) -> Result<Option<Unfinished>, UnitError> {
        // The newest values into the row.
        let (length, began) = (window.length(state), state.now);
        let Window { unit_ports, sources, balance: bonds, .. } = window;
        let State { signals, unit_ports: states, pace, now: reached, .. } = state;
        let mut coupled = Coupled { unit_ports, states, supply: sources.with(&mut signals.histories, *pace) };
        let mut accounts = bonds.as_ref().zip(signals.balance.as_mut());
        for (wiring, state) in self.wirings.iter().zip(coupled.states.iter()) {
            let values = &state.outputs.values;
            self.newest[wiring.first..wiring.first + values.len()].copy_from_slice(values);
        }
        if let Some(past) = &mut self.past {
            past.load(coupled.unit_ports, |unit| self.wirings[unit].first, coupled.supply.histories);
        }
        // The windows up to a row, and the row.
        let (mut progress, mut ended) =
            (Progress { now: began, length, left: windows, until_row: rows.until_row }, Ok(None));
        while progress.left > 0 {
            let is_over;
            (is_over, ended) = self.windows(&mut coupled, &mut accounts, &mut progress, &mut *rows.observer);
            if is_over {
                break;
            }
            if progress.until_row == 0 {
                progress.until_row = rows.every;
                ended = self.row(&mut coupled, progress.now, &mut rows).map(|()| None);
                if ended.is_err() {
                    break;
                }
            }
            if progress.left > 0 && !rows.observer.goes_on() {
                break;
            }
        }
        let now = progress.now;
        // Unit ports and histories get the newest values back.
        if now > began {
            self.settle(&mut coupled, (now, length));
        }
        *reached = now;
        ended
    }

    /// A row at the end of a window.
    #[inline]
    fn row(&mut self, coupled: &mut Coupled<'_>, now: Tick, rows: &mut Rows<'_>) -> Result<(), UnitError> {
        rows.recorder.read(coupled, now, Some(self))?;
        rows.recorder.tell(coupled.supply.clock.seconds(now), rows.observer);
        Ok(())
    }

    /// The newest values of a unit's outputs.
    #[inline]
    pub fn outputs(&self, unit: usize) -> &[f64] {
        &self.newest[self.wirings[unit].first..]
    }

    /// The newest values into the inputs of a unit.
    #[inline]
    pub fn feed(&mut self, unit: usize, supply: &Supply<'_>, inputs: &mut [f64]) {
        self.wirings[unit].gather(&self.newest, supply, inputs);
    }

    /// Windows up to the next row. Whether the run is over, and why: a step that was not finished, a unit's error, or neither
    /// where the observer ends it or values are too large.
    fn windows(
        &mut self,
        Coupled { unit_ports, states, supply }: &mut Coupled<'_>,
        accounts: &mut Accounts<'_>,
        progress: &mut Progress,
        observer: &mut dyn Observer,
    ) -> (bool, Result<Option<Unfinished>, UnitError>) {
        let CompiledPlan { moves, wirings, held, newest, next, before, past, flows } = self;
        let mut work = Work { moves, wirings, held, newest, next, past: past.as_mut(), flows, unit_ports, states };
        let (count, mut done, mut now) = (progress.left.min(progress.until_row), 0, progress.now);
        let ended = loop {
            if let Some(before) = before {
                before.copy_from_slice(work.newest);
            }
            if let Some(past) = &mut work.past {
                past.begin(work.newest);
            }
            let ended = work.window(supply, accounts, now, done == 0);
            if !matches!(ended, Ok(None)) {
                // What the window has published does not count.
                if let Some(before) = before {
                    work.newest.copy_from_slice(before);
                }
                if let Some(past) = &mut work.past {
                    past.take_back(work.newest);
                }
                break (true, ended);
            }
            now += progress.length;
            done += 1;
            // A run that has diverged ends at once.
            if !work.newest.iter().all(|x| x.abs() <= SIZE_MAX) {
                break (true, Ok(None));
            }
            if done == count || !observer.goes_on() {
                break (done < count, Ok(None));
            }
        };
        *progress = Progress { now, left: progress.left - done, until_row: progress.until_row - done, ..*progress };
        ended
    }

    /// Gives unit ports and histories the newest values back, as known at `now`.
    fn settle(&mut self, Coupled { unit_ports, states, supply }: &mut Coupled<'_>, (now, length): (Tick, Tick)) {
        if let Some(past) = &mut self.past {
            past.settle(unit_ports, |unit| self.wirings[unit].first, supply.histories, (now, length));
        }
        for ((wiring, unit_port), state) in self.wirings.iter().zip(unit_ports.iter()).zip(states.iter_mut()) {
            let n = state.outputs.values.len();
            state.outputs.values.copy_from_slice(&self.newest[wiring.first..wiring.first + n]);
            unit_port.publish(state, supply, now);
        }
    }
}
