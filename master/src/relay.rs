//! The *relay*: explicit windows in which every input is held or follows a polynomial of low degree, as a list of copies
//! and calls.
//!
//! With a predictor that holds and nothing to take back, a step consumes the newest published value of each signal: no
//! older row is ever asked for, no polynomial is made. The plan is turned once into a list of moves over a *board* of
//! newest values, outputs of one unit side by side, so that a unit is read straight into it. Polynomials go through the newest
//! board and those before it, see `past.rs`. Histories have their newest rows again, and stations their values, when a stretch of
//! windows is over.
//!
//! The same calls with the same values as [`crate::window::Window::run`] makes, at a fraction of its cost; whatever the
//! relay does not know (a law sampled on grids that do not nest, algebraic loops, outputs refreshed by directional
//! derivatives, polynomials of units that step at different rates) is left to the window.

mod moves;
mod past;
mod port;
mod seat;

use moves::{Move, advances_before_it_publishes, read_after_steps, reads_in_full, visits};
use past::Past;
use port::Port;
use seat::Seats;

use crate::feed::Feed;
use crate::power::{EnergyBalance, EnergyBalanceState};
use crate::record::{Observer, Recorder};
use crate::run::SIZE_MAX;
use crate::schedule::Op;
use crate::state::State;
use crate::station::{Refresh, Station, StationState};
use crate::supply::Supply;
use crate::time::{Span, Tick};
use crate::unit::{Outcome, UnitError};
use crate::window::{Unfinished, Window};
use std::collections::HashSet;

/// The compiled plan and the newest values.
pub(crate) struct Relay {
    moves: Vec<Move>,
    ports: Vec<Port>,
    seats: Seats,
    board: Vec<f64>,
    /// The board of the next window, where units are read before all have stepped.
    next: Vec<f64>,
    /// The board at the window's start, where a window publishes before its last step.
    before: Option<Vec<f64>>,
    /// The boards before, where inputs are not held.
    past: Option<Past>,
    /// Where on the board the flow of each port of a power bond is.
    flows: Vec<usize>,
}

/// The accounts of power bonds, where there are any.
type Accounts<'a> = Option<(&'a EnergyBalance, &'a mut EnergyBalanceState)>;

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
struct Course {
    now: Tick,
    length: Tick,
    /// Windows to come.
    left: u64,
    /// Windows until the next row.
    until_row: u64,
}

/// What a window works on, as slices, so that their places are known to a whole stretch.
struct Desk<'a> {
    moves: &'a [Move],
    ports: &'a mut [Port],
    seats: &'a mut Seats,
    board: &'a mut Vec<f64>,
    next: &'a mut Vec<f64>,
    past: Option<&'a mut Past>,
    flows: &'a [usize],
    stations: &'a mut [Station],
    states: &'a mut [StationState],
}

impl Relay {
    /// The relay of a plan with steps `stretch` times as long as made, where it can do what the window does.
    pub fn of(window: &Window, stretch: Tick) -> Option<Self> {
        let Window { stations, sources, plan, groups, balance: bonds, .. } = window;
        let steps_alike = stations.iter().all(|s| s.step == plan.window);
        // Accounts are closed where all units meet.
        let is_whole = |op: &Op| !matches!(*op, Op::Advance { from, to, .. } if (from, to) != (0, plan.window));
        let watches = bonds.as_ref().is_none_or(|b| b.only_watches() && plan.ops.iter().all(is_whole));
        if plan.is_staggered() || !watches || window.revocable {
            return None;
        }
        let jacobi = advances_before_it_publishes(plan);
        let reads_after_set =
            |s: &Station| s.outputs.refresh != Refresh::Directional || s.outputs.refresh_refs.is_empty();
        let law_grids_nest = steps_alike || jacobi || stations.iter().all(|s| s.feeds.iter().all(|f| !f.has_law()));
        let known =
            stations.iter().all(|s| s.dense.is_none() && reads_after_set(s) && s.feeds.iter().all(Feed::is_memoryless))
                && groups.iter().all(|g| g.len() == 1);
        if !(known && law_grids_nest) {
            return None;
        }
        let channels = stations.iter().map(|s| s.outputs.channels.len()).sum();
        let mut places = vec![0; channels];
        let mut size = 0;
        let mut firsts = Vec::new();
        for s in stations {
            firsts.push(size);
            for &(channel, first, _) in &s.outputs.channels {
                places[channel] = size + first;
            }
            size += s.outputs.refs.len();
        }
        let ports: Vec<Port> = stations.iter().zip(firsts).map(|(s, first)| Port::of(s, first, &places)).collect();
        // What is not held follows polynomials through boards.
        let holds = stations.iter().all(|s| s.holds);
        let past = if holds { None } else { Some(Past::of(window, (&places, size)).filter(|_| steps_alike)?) };
        // Accounts first, in the order of the steps; then what the plan says.
        let mut moves: Vec<Move> = Vec::new();
        let mut met = vec![bonds.is_none(); stations.len()];
        for op in &plan.ops {
            if let Op::Begin { unit, from, to } | Op::Advance { unit, from, to } = op.stretched(stretch)
                && !std::mem::replace(&mut met[unit], true)
                && bonds.as_ref().is_some_and(|b| b.has_port(unit))
            {
                moves.push(Move::Meet { unit, length_s: sources.clock.length_s(to - from) });
            }
        }
        let flows = bonds.iter().flat_map(|b| b.flows()).map(|(channel, c)| places[channel] + c).collect();
        let begun: HashSet<usize> =
            plan.ops.iter().filter_map(|op| if let Op::Begin { unit, .. } = *op { Some(unit) } else { None }).collect();
        let ops = plan.ops.iter().map(|op| op.stretched(stretch));
        moves.extend(ops.filter_map(|op| Move::of(op, (stations, groups), sources.clock, &begun)));
        let before = (holds && !jacobi).then(|| vec![0.0; size]);
        // A unit is read right after its step, where nobody is fed with it before all have stepped.
        let (mut next, mut seats) = (Vec::new(), Seats::default());
        if jacobi && reads_in_full(plan, stations) {
            (moves, next) = (read_after_steps(moves), vec![0.0; size]);
            if holds {
                (moves, seats) = visits(moves, stations, &ports);
            }
        }
        Some(Relay { moves, ports, seats, board: vec![0.0; size], next, before, past, flows })
    }

    /// Whether all is known that the inputs of the next window follow from.
    pub fn is_ready(&self, window: &Window, state: &State) -> bool {
        let (parts, histories) = ((window.stations.as_slice(), state.stations.as_slice()), &state.signals.histories);
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
        // The newest values onto the board.
        let (length, began) = (window.length(state), state.now);
        let Window { stations, sources, balance: bonds, .. } = window;
        let State { signals, stations: states, pace, now: reached, .. } = state;
        let mut supply = sources.with(&mut signals.histories, *pace);
        let mut accounts = bonds.as_ref().zip(signals.balance.as_mut());
        for (port, state) in self.ports.iter().zip(states.iter()) {
            let values = &state.outputs.values;
            self.board[port.first..port.first + values.len()].copy_from_slice(values);
        }
        if let Some(past) = &mut self.past {
            past.load(stations, |unit| self.ports[unit].first, supply.histories);
        }
        // The windows up to a row, and the row.
        let (mut course, mut ended) =
            (Course { now: began, length, left: windows, until_row: rows.until_row }, Ok(None));
        while course.left > 0 {
            let is_over;
            (is_over, ended) =
                self.windows((stations, states), &mut supply, &mut accounts, (&mut course, &mut *rows.observer));
            if is_over {
                break;
            }
            if course.until_row == 0 {
                course.until_row = rows.every;
                ended = self.row((stations, states), &mut supply, course.now, &mut rows).map(|()| None);
                if ended.is_err() {
                    break;
                }
            }
            if course.left > 0 && !rows.observer.goes_on() {
                break;
            }
        }
        let now = course.now;
        // Stations and histories get the newest values back.
        if now > began {
            self.settle((stations, states), &mut supply, (now, length));
        }
        *reached = now;
        ended
    }

    /// A row at the end of a window.
    #[inline]
    fn row(
        &mut self,
        (stations, states): (&mut [Station], &mut [StationState]),
        supply: &mut Supply<'_>,
        now: Tick,
        rows: &mut Rows<'_>,
    ) -> Result<(), UnitError> {
        rows.recorder.read((stations, states), (supply, now), Some(self))?;
        rows.recorder.tell(supply.clock.seconds(now), rows.observer);
        Ok(())
    }

    /// The newest values of a unit's outputs.
    #[inline]
    pub fn outputs(&self, unit: usize) -> &[f64] {
        &self.board[self.ports[unit].first..]
    }

    /// The newest values into the inputs of a unit.
    #[inline]
    pub fn feed(&mut self, unit: usize, supply: &Supply<'_>, inputs: &mut [f64]) {
        self.ports[unit].gather(&self.board, supply, inputs);
    }

    /// Windows up to the next row. Whether the run is over, and why: a step that was not finished, a unit's error, or neither
    /// where the observer ends it or values are too large.
    fn windows(
        &mut self,
        (stations, states): (&mut [Station], &mut [StationState]),
        supply: &mut Supply<'_>,
        accounts: &mut Accounts<'_>,
        (course, observer): (&mut Course, &mut dyn Observer),
    ) -> (bool, Result<Option<Unfinished>, UnitError>) {
        let Relay { moves, ports, seats, board, next, before, past, flows } = self;
        let mut desk = Desk { moves, ports, seats, board, next, past: past.as_mut(), flows, stations, states };
        let (count, mut done, mut now) = (course.left.min(course.until_row), 0, course.now);
        let ended = loop {
            if let Some(before) = before {
                before.copy_from_slice(desk.board);
            }
            if let Some(past) = &mut desk.past {
                past.begin(desk.board);
            }
            let ended = desk.window(supply, accounts, now, done == 0);
            if !matches!(ended, Ok(None)) {
                // What the window has published does not count.
                if let Some(before) = before {
                    desk.board.copy_from_slice(before);
                }
                if let Some(past) = &mut desk.past {
                    past.take_back(desk.board);
                }
                break (true, ended);
            }
            now += course.length;
            done += 1;
            // A run that has diverged ends at once.
            if !desk.board.iter().all(|x| x.abs() <= SIZE_MAX) {
                break (true, Ok(None));
            }
            if done == count || !observer.goes_on() {
                break (done < count, Ok(None));
            }
        };
        *course = Course { now, left: course.left - done, until_row: course.until_row - done, ..*course };
        ended
    }

    /// Gives stations and histories the newest values back, as known at `now`.
    fn settle(
        &mut self,
        (stations, states): (&mut [Station], &mut [StationState]),
        supply: &mut Supply<'_>,
        (now, length): (Tick, Tick),
    ) {
        if let Some(past) = &mut self.past {
            past.settle(stations, |unit| self.ports[unit].first, supply.histories, (now, length));
        }
        for ((port, station), state) in self.ports.iter().zip(stations).zip(states) {
            let n = state.outputs.values.len();
            state.outputs.values.copy_from_slice(&self.board[port.first..port.first + n]);
            station.publish(state, supply, now);
        }
    }
}

impl Desk<'_> {
    /// One window; a step that was not finished ends it. Before it a row may have set inputs where `is_after_row`.
    #[inline(always)]
    fn window(
        &mut self,
        supply: &mut Supply<'_>,
        accounts: &mut Accounts<'_>,
        now: Tick,
        is_after_row: bool,
    ) -> Result<Option<Unfinished>, UnitError> {
        let Desk { moves, ports, seats, board, next, past, flows, stations, states } = self;
        for m in moves.iter() {
            match *m {
                Move::Visit { ref visits, to, length_s } => {
                    let step = (supply.clock.seconds(now), length_s);
                    let units = (&mut **stations, &mut **states);
                    let ended = seats.visit(visits, (board, next), units, step, is_after_row);
                    // Units were given what they were to have when accounts were closed at the window's start.
                    if let Some((bonds, accounts)) = accounts {
                        let span = Span { from: now, to: now + to, length_s };
                        seats.stepped(visits).for_each(|u| bonds.depart(accounts, &stations[u], u, &span));
                    }
                    if let Some((unit, outcome)) = ended? {
                        return Ok(Some((unit, outcome, now)));
                    }
                }
                Move::Advance { unit, step: (from, to), length_s } => {
                    let (station, state, at) = (&mut stations[unit], &mut states[unit], now + from);
                    let outcome = match past {
                        None => {
                            ports[unit].gather(board, supply, &mut station.inputs.values);
                            station.hold(state, supply.clock.seconds(at), length_s, true)?
                        }
                        Some(past) => {
                            past.follow(unit, board, length_s, &mut station.inputs.segments);
                            station.follow(state, supply.clock.seconds(at), length_s, true)?
                        }
                    };
                    if let Some((bonds, accounts)) = accounts {
                        bonds.depart(accounts, station, unit, &Span { from: at, to: now + to, length_s });
                    }
                    match outcome {
                        Outcome::Done => state.inputs.shown = false,
                        outcome => return Ok(Some((unit, outcome, at))),
                    }
                }
                Move::Meet { unit, length_s } => {
                    let Some((bonds, accounts)) = accounts else { continue };
                    let span = Span { from: now, to: now, length_s };
                    let truth = &mut stations[unit].inputs.values;
                    ports[unit].gather(board, supply, truth);
                    bonds.meet(accounts, (unit, &span), truth, |port| board[flows[port]]);
                }
                Move::Begin { unit, from, length_s } => {
                    let station = &mut stations[unit];
                    match past {
                        None => {
                            ports[unit].gather(board, supply, &mut station.inputs.values);
                            station.set_constants(&mut states[unit])?;
                        }
                        Some(past) => {
                            past.follow(unit, board, length_s, &mut station.inputs.segments);
                            station.set_segments(&mut states[unit], length_s)?;
                        }
                    }
                    station.unit.begin_step(supply.clock.seconds(now + from), length_s, true)?;
                }
                Move::End { unit, step: (from, to), length_s } => {
                    let (station, at) = (&mut stations[unit], now + from);
                    let outcome = station.unit.step(supply.clock.seconds(at), length_s, true)?;
                    if let Some((bonds, accounts)) = accounts {
                        bonds.depart(accounts, station, unit, &Span { from: at, to: now + to, length_s });
                    }
                    match outcome {
                        Outcome::Done => states[unit].inputs.shown = false,
                        outcome => return Ok(Some((unit, outcome, at))),
                    }
                }
                Move::Publish { unit } => {
                    let first = ports[unit].first;
                    let Station { unit, outputs, .. } = &mut stations[unit];
                    outputs.read_into(unit.as_mut(), &mut board[first..])?;
                }
                Move::Read { unit } => {
                    let first = ports[unit].first;
                    let Station { unit, outputs, .. } = &mut stations[unit];
                    outputs.read_into(unit.as_mut(), &mut next[first..])?;
                }
                Move::Turn => std::mem::swap(*board, *next),
                Move::Refresh { unit } => {
                    let port = &mut ports[unit];
                    let station = &mut stations[unit];
                    port.gather(board, supply, &mut station.inputs.values);
                    station.refresh_into(&mut states[unit], &mut board[port.first..])?;
                }
            }
        }
        Ok(None)
    }
}
