//! Time as an integer tick. Seconds exist only at the FMI boundary.

/// A communication point or a part of one, counted in ticks from the start.
pub type Tick = i64;

/// The length of a tick: `per_unit` ticks make one `unit_s`.
///
/// Seconds are never accumulated: `t = start + unit·q + unit·(r / per_unit)` with `k = q·per_unit + r`, so that a point
/// which is a whole number of macro steps reads exactly `start + n·H` whatever the fast grid is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Start time \[s\].
    pub start_s: f64,
    /// The macro step H \[s\] that `per_unit` ticks make.
    pub unit_s: f64,
    /// Ticks in a macro step, at least 1.
    pub per_unit: Tick,
}

impl Clock {
    /// Seconds at tick `k`.
    pub fn seconds(&self, k: Tick) -> f64 {
        self.start_s + self.length_s(k)
    }

    /// Seconds that `n` ticks last.
    pub fn length_s(&self, n: Tick) -> f64 {
        if self.per_unit == 1 {
            return self.unit_s * n as f64;
        }
        let (q, r) = (n.div_euclid(self.per_unit), n.rem_euclid(self.per_unit));
        self.unit_s * q as f64 + self.unit_s * (r as f64 / self.per_unit as f64)
    }
}

/// A step of one unit, from one of its communication points to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// First tick.
    pub from: Tick,
    /// Last tick, later than `from`.
    pub to: Tick,
    /// Length \[s\].
    pub length_s: f64,
}

impl Span {
    /// Local time `s = (k − from)/(to − from)` of an instant counted in (possibly broken) ticks.
    pub fn local(&self, k: f64) -> f64 {
        (k - self.from as f64) / (self.to - self.from) as f64
    }
}

/// Greatest common divisor of positive numbers.
pub(crate) fn gcd(a: Tick, b: Tick) -> Tick {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Least common multiple of positive numbers; [`Tick::MAX`] where it is larger.
pub(crate) fn lcm(a: Tick, b: Tick) -> Tick {
    (a / gcd(a, b)).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_macro_steps_read_the_same_on_any_grid() {
        let one = Clock { start_s: 0.0, unit_s: 1e-3, per_unit: 1 };
        let fine = Clock { per_unit: 7, ..one };
        for n in 0..10_000 {
            assert_eq!(one.seconds(n).to_bits(), fine.seconds(7 * n).to_bits());
        }
        assert_eq!(lcm(4, 6), 12);
    }

    #[test]
    fn a_multiple_beyond_all_ticks_stays_the_largest() {
        let largest = [991_031, 993_793, 994_069, 993_647].into_iter().fold(1, lcm);
        assert_eq!((largest, lcm(largest, 7), lcm(largest, 2)), (Tick::MAX, Tick::MAX, Tick::MAX));
    }
}
