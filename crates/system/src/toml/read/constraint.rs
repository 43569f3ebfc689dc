//! Joints between units.

use super::*;
use crate::scenario::{Constraint, Joint, JointEnd, JointForce};

impl Reader<'_> {
    pub(super) fn constraint(&self, number: usize, constraint: &Spanned<file::Constraint>) -> Read<Constraint> {
        let (place, c) = (self.place(constraint), constraint.get_ref());
        // A name for messages, and the kind with what belongs to it alone.
        let name = c.name.clone().unwrap_or_else(|| format!("constraint {}", number + 1));
        let offset = c.offset.clone();
        let kind = match c.kind.get_ref().as_str() {
            "ball" => Joint::Ball,
            "hinge" => Joint::Hinge,
            // The same pose, or the same values, up to an offset.
            "rigid" => Joint::Rigid { offset },
            "equal" => Joint::Equal { offset },
            // Two points at a distance, which has no default.
            "distance" => match c.length {
                Some(length) => Joint::Distance { length },
                None => {
                    let what = format!("constraint `{name}` of kind `distance` without `length`");
                    return Err(Finding::error(&place, what, "add `length = …` in metres"));
                }
            },
            other => {
                let what =
                    format!("constraint of kind `{other}`, expected `ball`, `hinge`, `rigid`, `distance` or `equal`");
                return Err(Finding::error(&self.place(&c.kind), what, ""));
            }
        };
        // What belongs to another kind was most likely meant for something else.
        let takes_offset = matches!(kind, Joint::Rigid { .. } | Joint::Equal { .. });
        let stray = [
            (c.length.is_some() && kind.word() != "distance").then_some("length"),
            (!c.offset.is_empty() && !takes_offset).then_some("offset"),
        ];
        if let Some(key) = stray.into_iter().flatten().next() {
            let what = format!("constraint `{name}` of kind `{}` with `{key}`", kind.word());
            return Err(Finding::error(&place, what, format!("remove `{key}`")));
        }
        // How the force goes over a step, and the two ends.
        let force = match &c.force {
            None => JointForce::Linear,
            Some(word) => match word.get_ref().as_str() {
                "linear" => JointForce::Linear,
                "hold" => JointForce::Hold,
                other => {
                    let what = format!("`force` is `{other}`, expected `linear` or `hold`");
                    return Err(Finding::error(&self.place(word), what, ""));
                }
            },
        };
        let ends = [self.joint_end(&name, &c.first)?, self.joint_end(&name, &c.second)?];
        Ok(Constraint { name, kind, force, gap_max: c.gap_max, ends, place })
    }

    fn joint_end(&self, name: &str, end: &Spanned<file::JointEnd>) -> Read<JointEnd> {
        let (place, e) = (self.place(end), end.get_ref());
        let is_free = !(e.position.is_empty() && e.velocity.is_empty() && e.force.is_empty());
        match &e.fixed {
            Some(values) if !is_free => Ok(JointEnd::Fixed(values.clone())),
            None if is_free => Ok(JointEnd::Free {
                position: self.endpoints(&e.position)?,
                velocity: self.endpoints(&e.velocity)?,
                force: self.endpoints(&e.force)?,
            }),
            _ => {
                let next = "write `position`, `velocity` and `force` of a unit, or `fixed = [0.0, 0.0]` alone";
                Err(Finding::error(
                    &place,
                    format!("an end of constraint `{name}` that is neither of a unit nor fixed"),
                    next,
                ))
            }
        }
    }
}
