//! Laws.

use super::{Text, endpoints, gain, key, list};
use crate::scenario::{Law, LawKind, LineSize};

impl Text {
    pub(super) fn law(&mut self, law: &Law) {
        self.line(format_args!("\n[laws.{}]", key(&law.name)));
        // The law's kind with its constants, and what it is between.
        match &law.kind {
            // Springs between two motions.
            LawKind::SpringDamper { stiffness, damping } => {
                self.line(format_args!(
                    "kind = \"spring-damper\"\nstiffness = {}\ndamping = {}",
                    gain(stiffness),
                    gain(damping)
                ));
            }
            LawKind::NonlinearSpring { coefficients, damping } => self.line(format_args!(
                "kind = \"nonlinear-spring\"\ncoefficients = {coefficients:?}\ndamping = {damping:?}"
            )),
            // Flow laws and lines.
            LawKind::Orifice { coefficient, laminar } => {
                self.line(format_args!("kind = \"orifice\"\ncoefficient = {coefficient:?}\nlaminar = {laminar:?}"));
            }
            LawKind::Given => self.line(format_args!("kind = \"given\"")),
            // A line by the one of its numbers that was given.
            LawKind::Line(line) => {
                let (key, amount) = match &line.size {
                    LineSize::Impedance(amount) => ("impedance", amount),
                    LineSize::Stiffness(amount) => ("stiffness", amount),
                };
                let ends = line.ends.each_ref().map(ToString::to_string);
                self.line(format_args!("kind = \"line\"\n{key} = {}\ndelay = {:?}", gain(amount), line.delay_s));
                self.line(format_args!("ends = {}", list(&ends)));
            }
        }
        self.line(format_args!("inputs = {}\noutputs = {}", endpoints(&law.inputs), list(&law.outputs)));
    }
}
