//! The definition of a run, as digests: a state of another definition is refused.

use crate::method::Method;
use crate::run::grid::Grid;
use crate::system::{Connection, LawNode, System};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The parts of a definition, each with a digest of what it says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition(pub Vec<(String, Vec<u8>)>);

/// Takes text into a digest as it is written.
#[derive(Default)]
struct Digester(Sha256);

impl Write for Digester {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

impl Definition {
    /// That of a system, with its units, that a method couples on a grid.
    pub fn new(system: &System, method: &Method, grid: &Grid) -> Self {
        // What units are is in their GUIDs; start values are part of their states.
        let units: Vec<[&str; 2]> = system.units.iter().map(|u| [u.name(), u.description().guid.as_str()]).collect();
        let channels: Vec<(usize, &[u32])> = system.channels.iter().map(|c| (c.unit, c.refs.as_slice())).collect();
        let connections: Vec<&Connection> = system.connections.iter().collect();
        let laws: Vec<&LawNode> = system.laws.iter().collect();
        // All that decides on results, each part by the name that a refusal gives it.
        let parts: [(&str, &dyn std::fmt::Debug); 14] = [
            ("units", &units),
            ("channels", &channels),
            ("connections", &connections),
            ("laws", &laws),
            ("links", &system.links),
            ("interface models", &system.interfaces),
            ("lines with delay", &system.lines),
            ("constraints", &system.constraints),
            ("inputs over time", &system.series),
            ("values set at a time", &system.changes),
            ("events", &system.events),
            ("power bonds", &system.bonds),
            ("method", method),
            ("grid", grid),
        ];
        Definition(parts.into_iter().map(|(name, part)| (name.to_owned(), digest(part))).collect())
    }

    /// The first part in which another definition differs.
    pub fn difference(&self, other: &[(String, Vec<u8>)]) -> Option<&str> {
        let same = |(name, digest): &&(String, Vec<u8>)| !other.iter().any(|(n, d)| n == name && d == digest);
        self.0.iter().find(same).map(|(name, _)| name.as_str())
    }
}

fn digest(part: &dyn std::fmt::Debug) -> Vec<u8> {
    let mut digester = Digester::default();
    // Writing into a digest does not fail.
    let _ = write!(digester, "{part:?}");
    digester.0.finalize()[..16].to_vec()
}
