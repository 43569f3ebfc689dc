//! *Events* in a run: the side each is on, crossings that are expected, and the search for the tick of one.

use crate::savable::savable;
use crate::signal::history::History;
use crate::step::supply::Supply;
use crate::system::event::Event;
use crate::time::Tick;
use serde::{Deserialize, Serialize};

/// Events that a summary names, at most.
const NAMED_MAX: usize = 1000;

/// An event that has happened.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Happened {
    /// Position of the event in the system.
    pub event: usize,
    /// When \[s\].
    pub t_s: f64,
}

savable! {
/// What has become of the events of a run.
#[derive(Default)]
pub(crate) struct EventsState {
    /// Sign of g from which each event is crossed; 0 where that is not known yet.
    pub sides: Vec<i8>,
    /// |g| of each where it happened, until g has left zero; −1 after that.
    pub met: Vec<f64>,
    /// g of each at the newest points since the last event, the newest last: where no rate is known.
    points: Vec<Vec<(Tick, f64)>>,
    /// When each happened last.
    recent: Vec<Vec<Tick>>,
    /// How many there were.
    pub count: u64,
    pub named: Vec<Happened>,
    /// Largest time by which one may have been missed \[s\].
    pub late_s: f64,
    /// Longest next window, in shortest ones; 0: any.
    pub growth: Tick,
    /// Whether the next window only lets units take what they were given.
    pub settles: bool,
}
}

/// g over time from now on: value, rate and half its rate, by seconds.
type Parabola = [f64; 3];

/// Sign of a number, 0 for 0 and NaN.
fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

impl EventsState {
    /// Before the first window.
    pub fn new(events: &[Event]) -> Self {
        EventsState {
            sides: vec![0; events.len()],
            met: vec![-1.0; events.len()],
            points: vec![Vec::with_capacity(4); events.len()],
            recent: events.iter().map(|e| Vec::with_capacity(e.most as usize + 1)).collect(),
            ..EventsState::default()
        }
    }

    /// Number of events.
    pub fn shape(&self) -> [usize; 4] {
        [self.sides.len(), self.met.len(), self.points.len(), self.recent.len()]
    }

    /// Sides at the start of a run, or after events.
    pub fn begin(&mut self, events: &[Event], histories: &[History], at: Tick) {
        for (i, event) in events.iter().enumerate() {
            let g = event.value(histories, at);
            let is_zero = g.abs() <= 2.0 * self.met[i] || g == 0.0;
            if !is_zero {
                self.met[i] = -1.0;
            }
            self.sides[i] = match self.sides[i] {
                side if event.one_sided && side != 0 => side,
                _ if is_zero => event.sum(histories, at, 1).map_or(0, sign),
                _ => sign(g),
            };
            self.points[i].clear();
            self.points[i].push((at, g));
        }
    }

    /// Whether event `i` is crossed where g is `g`. Right after an event g is zero but for rounding, maybe behind the crossing: while
    /// it comes back from there, it is not crossed a second time.
    pub fn is_crossed(&self, (i, event): (usize, &Event), histories: &[History], at: Tick, g: f64) -> bool {
        let side = f64::from(self.sides[i]);
        let comes_back = || match event.sum(histories, at, 1) {
            Some(rate) => side * rate > 0.0,
            None => self.points[i].last().is_some_and(|(_, before)| side * g > side * before),
        };
        event.is_crossed(self.sides[i], g) && !(g.abs() <= 2.0 * self.met[i] && comes_back())
    }

    /// After a window without a crossing.
    pub fn pass(&mut self, events: &[Event], histories: &[History], at: Tick) {
        for (i, event) in events.iter().enumerate() {
            let g = event.value(histories, at);
            if g.abs() > 2.0 * self.met[i] && g != 0.0 {
                (self.sides[i], self.met[i]) = (sign(g), -1.0);
            }
            if self.points[i].len() == 3 {
                self.points[i].remove(0);
            }
            self.points[i].push((at, g));
        }
    }

    /// Notes that an event happens, by position; false where it has happened too often within its span.
    pub fn note(&mut self, (i, event): (usize, &Event), (at, t_s): (Tick, f64), span: Tick) -> bool {
        self.count += 1;
        if self.named.len() < NAMED_MAX {
            self.named.push(Happened { event: i, t_s });
        }
        let recent = &mut self.recent[i];
        if recent.len() > event.most as usize {
            recent.remove(0);
        }
        recent.push(at);
        recent.len() <= event.most as usize || at - recent[0] > span
    }

    /// When the first crossing is to be expected \[s\] from now on: by declared rates, else through the newest points.
    pub fn foreseen(&self, events: &[Event], supply: &Supply<'_>, at: Tick) -> Option<f64> {
        let expected = events.iter().enumerate().filter_map(|(i, event)| {
            let side = self.sides[i];
            let counts = event.is_crossed(side, 0.0);
            let parabola = self.parabola((i, event), supply, at);
            counts.then(|| first_root(parabola, f64::from(side))).flatten()
        });
        expected.reduce(f64::min)
    }

    fn parabola(&self, (i, event): (usize, &Event), supply: &Supply<'_>, at: Tick) -> Parabola {
        let g = event.value(supply.histories, at);
        if let Some(rate) = event.sum(supply.histories, at, 1) {
            return [g, rate, 0.5 * event.sum(supply.histories, at, 2).unwrap_or(0.0)];
        }
        // Divided differences of the newest points.
        let seconds = |from: Tick, to: Tick| supply.clock.length_s(to - from);
        match self.points[i].as_slice() {
            [.., (a, ga), (b, gb), (c, gc)] => {
                let (first, last) = ((gb - ga) / seconds(*a, *b), (gc - gb) / seconds(*b, *c));
                let second = (last - first) / seconds(*a, *c);
                [g, last + second * seconds(*b, *c), second]
            }
            [(a, ga), (b, gb)] => [g, (gb - ga) / seconds(*a, *b), 0.0],
            _ => [g, 0.0, 0.0],
        }
    }
}

/// The first time after 0 at which a parabola that is on `side`, or comes to be there, leaves it.
fn first_root([c, b, a]: Parabola, side: f64) -> Option<f64> {
    let (c, b, a) = (side * c, side * b, side * a);
    // It is zero now, and the other root counts.
    if c <= 0.0 {
        return (b > 0.0 && a < 0.0).then(|| -b / a);
    }
    let root = b * b - 4.0 * a * c;
    if root < 0.0 {
        return None;
    }
    // Without cancellation: the smaller one above 0.
    let q = -0.5 * (b + root.sqrt().copysign(b));
    let roots = [q / a, c / q];
    roots.into_iter().filter(|t| t.is_finite() && *t > 0.0).reduce(f64::min)
}

/// Whole ticks between which a crossing lies, and g at both ends of those events that are crossed.
#[derive(Debug, Default)]
pub(crate) struct Bracket {
    pub low: Tick,
    pub high: Tick,
    /// g at both ends, and the end that was replaced last (−1, 1).
    ends: Vec<(f64, f64, i8)>,
}

impl Bracket {
    /// From the start of a window to its end.
    pub fn begin(&mut self, length: Tick, start: impl Iterator<Item = f64>, end: &[f64]) {
        (self.low, self.high) = (0, length);
        self.ends.clear();
        self.ends.extend(start.zip(end).map(|(start, end)| (start, *end, 0)));
    }

    /// The next length to try, by the Illinois rule on the first crossing: strictly inside.
    ///
    /// Reference: \[Dowell & Jarratt 1971\].
    pub fn next(&self, is_crossed: impl Fn(usize) -> bool) -> Tick {
        let width = (self.high - self.low) as f64;
        let crossed = self.ends.iter().enumerate().filter(|(i, _)| is_crossed(*i));
        let part = crossed.map(|(_, &(low, high, _))| match () {
            () if low * high < 0.0 => low / (low - high),
            () if high == 0.0 && low != 0.0 => 1.0,
            () => 0.5,
        });
        let part = part.fold(1.0, f64::min);
        (self.low + (part * width).round() as Tick).clamp(self.low + 1, self.high - 1)
    }

    /// Takes g at the length tried as one of the ends.
    pub fn narrow(&mut self, tried: Tick, g: &[f64], is_crossed: bool) {
        let replaced = if is_crossed { 1 } else { -1 };
        for ((low, high, last), g) in self.ends.iter_mut().zip(g) {
            if is_crossed {
                *high = *g;
                *low *= if *last == replaced { 0.5 } else { 1.0 };
            } else {
                *low = *g;
                *high *= if *last == replaced { 0.5 } else { 1.0 };
            }
            *last = replaced;
        }
        if is_crossed {
            self.high = tried;
        } else {
            self.low = tried;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bracket_closes_on_the_first_tick_behind_the_crossing() {
        for root in [1.0, 3.3, 500.25, 1e6 + 0.5, 999_999_999.5] {
            let g = |l: Tick| 1.0 - ((l as f64 / root).powi(3) + l as f64 / root) / 2.0;
            let mut bracket = Bracket::default();
            bracket.begin(1 << 30, [g(0)].into_iter(), &[g(1 << 30)]);
            let mut tried = 0;
            while bracket.high - bracket.low > 1 {
                let l = bracket.next(|_| true);
                bracket.narrow(l, &[g(l)], g(l) <= 0.0);
                tried += 1;
            }
            assert!(bracket.high == root.ceil() as Tick && tried < 64, "{root}: {bracket:?}, {tried}");
        }
    }

    #[test]
    fn roots_behind_one_that_is_now() {
        // 2 t − t²/2 from 0, seen from above: falls through at 4.
        assert_eq!(first_root([-1e-12, 2.0, -0.5], 1.0), Some(4.0));
        assert_eq!(first_root([1.0, -1.0, 0.0], 1.0), Some(1.0));
        assert_eq!(first_root([-1.0, 0.0, 0.25], -1.0), Some(2.0));
        assert_eq!(first_root([1.0, 1.0, 0.0], 1.0), None);
    }
}
