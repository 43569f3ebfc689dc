//! Exact steps, with what they need kept from step to step.

use macrostep_ode::exact::{LinearMap, Propagator};
use macrostep_ode::{Polynomials, Vector};

use crate::{Equations, Fault, Span};

/// Propagators kept: enough for the nodes of a dense output and a few step lengths.
const KEPT: usize = 32;

/// A cache of propagators for one set of parameters.
#[derive(Debug)]
pub(super) struct Exact<E: Equations> {
    /// Parameters the rest belongs to.
    made_for: Option<(E::Parameters<f64>, LinearMap)>,
    kept: Vec<Propagator>,
    /// The one to replace next.
    oldest: usize,
    /// The one used last.
    recent: usize,
}

impl<E: Equations> Default for Exact<E> {
    fn default() -> Exact<E> {
        Exact { made_for: None, kept: Vec::new(), oldest: 0, recent: 0 }
    }
}

impl<E: Equations> Exact<E> {
    /// Advances `z` over a span that starts at the origin of the polynomials `u`.
    pub fn advance(
        &mut self,
        p: E::Parameters<f64>,
        u: &Polynomials,
        span: Span,
        z: &mut E::States<f64>,
    ) -> Result<(), Fault> {
        // Other parameters make another matrix, for which nothing that is kept serves.
        let current = self.made_for.as_ref().is_some_and(|(made, _)| made.as_slice() == p.as_slice());
        if !current {
            self.made_for = Some((p, LinearMap::of::<E>(p.as_slice())));
            self.kept.clear();
            (self.oldest, self.recent) = (0, 0);
        }
        let Some((_, map)) = &self.made_for else {
            return Ok(());
        };
        // The propagator used last mostly serves again; else another one that is kept, or a new one.
        let (h, degree) = (span.step_s, u.degree());
        let serves = |k: &Propagator| k.serves(h, degree);
        if !self.kept.get(self.recent).is_some_and(serves) {
            self.recent = match self.kept.iter().position(serves) {
                Some(found) => found,
                None => Self::make(&mut self.kept, &mut self.oldest, map, span, degree)?,
            };
        }
        self.kept[self.recent].advance(map, u, z);
        Ok(())
    }

    /// Makes a propagator, and returns where it is kept.
    #[cold]
    fn make(
        kept: &mut Vec<Propagator>,
        oldest: &mut usize,
        map: &LinearMap,
        span: Span,
        degree: usize,
    ) -> Result<usize, Fault> {
        let Some(propagator) = Propagator::new(map, span.step_s, degree) else {
            let message = format!("the matrix exponential of a step of {} s does not exist", span.step_s);
            return Err(Fault::Model { t_s: span.start_s, message });
        };
        if kept.len() < KEPT {
            kept.push(propagator);
            return Ok(kept.len() - 1);
        }
        let place = *oldest;
        kept[place] = propagator;
        *oldest = (place + 1) % KEPT;
        Ok(place)
    }
}
