//! Laws a scenario may name.

use crate::catalogue::Catalogue;
use crate::scenario::{self, Gain, LawKind};
use macrostep_master::{Law, NonlinearSpring, Orifice, SpringDamper};

/// The law of the master for one of the scenario; none for one with a memory, and for one that nobody gives.
pub(super) fn of(
    law: &scenario::Law,
    amount: impl Fn(&Gain) -> f64,
    catalogue: &dyn Catalogue,
) -> Option<Box<dyn Law>> {
    Some(match &law.kind {
        LawKind::SpringDamper { stiffness, damping } => {
            SpringDamper { stiffness: amount(stiffness), damping: amount(damping) }.into()
        }
        LawKind::NonlinearSpring { coefficients, damping } => {
            NonlinearSpring { coefficients: coefficients.clone(), damping: *damping }.into()
        }
        LawKind::Orifice { coefficient, laminar } => Orifice { coefficient: *coefficient, laminar: *laminar }.into(),
        LawKind::Given => return catalogue.law(&law.name),
        LawKind::Line(_) => return None,
    })
}
