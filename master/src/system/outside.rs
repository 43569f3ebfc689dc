//! Inputs *from outside*: polynomials in time that the caller of a run gives, known over every step with any method. They
//! belong to the caller, as time does: no state of a run holds them.

use crate::error::SystemError;
use crate::ids::UnitId;
use crate::signal::segment::Segment;
use crate::system::{Source, System};
use crate::time::Span;

impl System {
    /// Connects an input to polynomials that the caller of the run gives, see [`crate::Simulation::set_outside`], where
    /// inputs from outside count from 0 in the order of these calls.
    ///
    /// # Errors
    /// Where it is no real input, or fed already.
    pub fn connect_outside(&mut self, unit: UnitId, input: &str) -> Result<(), SystemError> {
        self.feed(Source::Outside(self.outside), unit, input)?;
        self.outside += 1;
        Ok(())
    }
}

/// An input from outside.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outside {
    /// Where its polynomial has its origin \[s\].
    pub origin_s: f64,
    /// Local time is in seconds.
    pub polynomial: Segment,
}

impl Outside {
    /// Its value at `t_s` \[s\].
    #[inline]
    pub fn at(&self, t_s: f64) -> f64 {
        self.polynomial.at(t_s - self.origin_s)
    }

    /// Its first time derivative at `t_s` \[s\], in units of 1/s.
    pub fn rate(&self, t_s: f64) -> f64 {
        let mut rate = Segment::default();
        self.polynomial.differentiate(1.0, &mut rate);
        rate.at(t_s - self.origin_s)
    }

    /// The polynomial over a span that begins at `from_s` \[s\].
    #[inline]
    pub fn segment(&self, from_s: f64, span: &Span, input: &mut Segment) {
        if self.polynomial.degree() == 0 {
            input.copy_from(&self.polynomial);
        } else {
            self.polynomial.part(from_s - self.origin_s, span.length_s, input);
        }
    }
}

/// An input from outside on the way to a unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutsideFeed {
    /// Which of those from outside.
    pub outside: usize,
    /// Place among the unit's inputs.
    pub place: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_gets_its_part_of_the_polynomial() {
        let mut outside = Outside { origin_s: 2.0, ..Outside::default() };
        // 1 + 3 (t − 2) + 5 (t − 2)².
        outside.polynomial.fill(2, |i| [1.0, 3.0, 5.0][i]);
        let (span, mut part) = (Span { from: 0, to: 1, length_s: 0.5 }, Segment::default());
        outside.segment(2.25, &span, &mut part);
        for s in [0.0, 0.3, 1.0] {
            let tau: f64 = 0.25 + 0.5 * s;
            assert!((part.at(s) - (1.0 + 3.0 * tau + 5.0 * tau * tau)).abs() < 1e-14);
        }
        assert!((outside.at(2.5) - 3.75).abs() < 1e-15 && (outside.rate(2.5) - 8.0).abs() < 1e-15);
    }
}
