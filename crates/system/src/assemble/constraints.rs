//! Joints in the master.

use super::channels::Channels;
use super::refused;
use crate::finding::Finding;
use crate::scenario::{Constraint, Endpoint, Joint, JointEnd, JointForce, Names};
use macrostep_master as master;
use macrostep_master::{End, Relation, Signal, System, UnitId};

pub(super) fn declare(
    names: &Names<'_>,
    channels: &Channels,
    (system, units): (&mut System, &[UnitId]),
) -> Result<(), Finding> {
    for c in &names.scenario().constraints {
        // The signals the joint's ends are sampled from.
        let not_sampled =
            |end: &Endpoint| Finding::error(&c.place, format!("`{end}` is not sampled"), "name a real output");
        let signals = |ends: &[Endpoint]| -> Result<Vec<Signal>, Finding> {
            ends.iter().map(|end| channels.signal(end).ok_or_else(|| not_sampled(end))).collect()
        };
        // A fixed end has values of its own; a free one is sampled from outputs and gets the force at inputs.
        let end = |end: &JointEnd| match end {
            JointEnd::Fixed(values) => Ok(End::Fixed(values.clone())),
            JointEnd::Free { position, velocity, force } => {
                let inputs = force.iter().filter_map(|e| Some((units[names.unit(&e.unit)?], e.variable.clone())));
                Ok(End::Free { position: signals(position)?, velocity: signals(velocity)?, force: inputs.collect() })
            }
        };
        // The joint, as the master takes it.
        let ends = [end(&c.ends[0])?, end(&c.ends[1])?];
        let is_held = c.force == JointForce::Hold;
        let (name, relation, gap_max) = (c.name.clone(), relation(c), c.gap_max);
        let joint = master::Constraint { name, relation, ends, is_held, gap_max };
        system.constrain(joint).map_err(refused(&c.place))?;
    }
    Ok(())
}

/// The joint's equations.
fn relation(c: &Constraint) -> Relation {
    let n = c.ends[0].coordinates();
    let none = || vec![0.0; n];
    match &c.kind {
        Joint::Hinge if n == 6 => Relation::Hinge,
        Joint::Rigid { .. } if n == 12 => Relation::Rigid,
        Joint::Ball | Joint::Hinge => Relation::Coincident(none()),
        Joint::Rigid { offset } | Joint::Equal { offset } => {
            Relation::Coincident(if offset.is_empty() { none() } else { offset.clone() })
        }
        Joint::Distance { length } => Relation::Distance { dimensions: n, length_m: *length },
    }
}
