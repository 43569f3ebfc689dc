//! *Links*: connections between variables that are not real. They are sampled when their unit publishes and held by the
//! receiver until its next step; no predictor, law or corrector sees them.

use crate::unit::{Unit, UnitError};

/// Types of linked variables; an enumeration is an integer to FMI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Integer,
    Boolean,
    Text,
}

/// One output to one input.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub from: usize,
    pub output: u32,
    pub to: usize,
    pub input: u32,
    pub kind: Type,
}

/// A value of any of the types.
#[derive(Debug, Clone, PartialEq)]
enum Held {
    Integer(i32),
    Boolean(bool),
    Text(String),
}

/// All links of a run and what they carry.
pub(crate) struct Links {
    links: Vec<Link>,
    /// As the sources said after their last step.
    read: Vec<Held>,
    /// As everybody knows them.
    published: Vec<Held>,
    /// As published at the start of the window under way.
    saved: Vec<Held>,
}

impl Links {
    pub fn new(links: Vec<Link>) -> Self {
        let start = |link: &Link| match link.kind {
            Type::Integer => Held::Integer(0),
            Type::Boolean => Held::Boolean(false),
            Type::Text => Held::Text(String::new()),
        };
        let held: Vec<Held> = links.iter().map(start).collect();
        Links { links, read: held.clone(), published: held.clone(), saved: held }
    }

    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Gives a unit its inputs.
    pub fn supply(&self, unit: usize, to: &mut dyn Unit) -> Result<(), UnitError> {
        for (link, held) in self.links.iter().zip(&self.published).filter(|(l, _)| l.to == unit) {
            match held {
                Held::Integer(i) => to.set_integer(&[link.input], &[*i])?,
                Held::Boolean(b) => to.set_boolean(&[link.input], &[*b])?,
                Held::Text(t) => to.set_string(&[link.input], &[t])?,
            }
        }
        Ok(())
    }

    /// Reads a unit's outputs after its step.
    pub fn read(&mut self, unit: usize, from: &mut dyn Unit) -> Result<(), UnitError> {
        for (link, held) in self.links.iter().zip(&mut self.read).filter(|(l, _)| l.from == unit) {
            match link.kind {
                Type::Integer => {
                    let mut value = [0];
                    from.get_integer(&[link.output], &mut value)?;
                    *held = Held::Integer(value[0]);
                }
                Type::Boolean => {
                    let mut value = [false];
                    from.get_boolean(&[link.output], &mut value)?;
                    *held = Held::Boolean(value[0]);
                }
                Type::Text => *held = Held::Text(from.get_string(&[link.output])?.pop().unwrap_or_default()),
            }
        }
        Ok(())
    }

    /// Makes known what was read of a unit.
    pub fn publish(&mut self, unit: usize) {
        for (i, _) in self.links.iter().enumerate().filter(|(_, l)| l.from == unit) {
            self.published[i].clone_from(&self.read[i]);
        }
    }

    /// A window begins that may be taken back.
    pub fn begin_window(&mut self) {
        self.saved.clone_from(&self.published);
    }

    /// Takes back what the window under way has published.
    pub fn rewind(&mut self) {
        self.published.clone_from(&self.saved);
    }
}
