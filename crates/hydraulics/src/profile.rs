//! Desired speeds: sums of trapezoids in time.

/// A pulse that rises, holds and falls within its span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trapezoid {
    /// Start, s.
    pub begin_s: f64,
    /// End, s.
    pub end_s: f64,
    /// Duration of each of the two ramps inside the span, s; 0 for a rectangle.
    pub ramp_s: f64,
    /// Value between the ramps.
    pub value: f64,
}

impl Trapezoid {
    fn at(&self, time_s: f64) -> f64 {
        if time_s < self.begin_s || time_s >= self.end_s {
            return 0.0;
        }
        let edge = (time_s - self.begin_s).min(self.end_s - time_s);
        if edge < self.ramp_s { self.value * edge / self.ramp_s } else { self.value }
    }
}

/// A desired speed, m/s.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The pulses; their values add.
    pub pulses: Vec<Trapezoid>,
}

impl Profile {
    /// The value at a time.
    #[must_use]
    pub fn at(&self, time_s: f64) -> f64 {
        self.pulses.iter().map(|pulse| pulse.at(time_s)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area_is_that_of_a_trapezoid() {
        let profile = Profile { pulses: vec![Trapezoid { begin_s: 1.0, end_s: 2.4, ramp_s: 0.2, value: -0.05 }] };
        let area: f64 = (0..30_000).map(|k| profile.at(1e-4 * (k as f64 + 0.5)) * 1e-4).sum();
        assert!((area + 0.05 * 1.2).abs() < 1e-9);
        assert_eq!([0.9, 1.1, 1.7, 2.5].map(|t| (1e3 * profile.at(t)).round()), [0.0, -25.0, -50.0, 0.0]);
    }
}
