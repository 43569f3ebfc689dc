//! *Signal dictionaries*: names that signals go by in a system and those inside it. Whatever is connected to an entry, through
//! any reference to its dictionary, is connected with each other.
//!
//! Reference: \[SSP 1.0\], sections 5.3.7 and 5.3.8.

use super::port::Port;
use super::read::Files;
use super::system::join;
use super::xml::Node;
use crate::finding::Finding;
use crate::scenario::Place;
use std::collections::{BTreeMap, BTreeSet};

/// Dictionaries by the element that stands for each, with their entries.
#[derive(Default)]
pub(super) struct Dictionaries {
    entries: BTreeMap<String, BTreeSet<String>>,
}

/// The element that stands for a dictionary of the system at `path`; a name no component has.
fn element(path: &str, name: &str) -> String {
    join(path, &format!("dictionary {name}"))
}

impl Dictionaries {
    /// Adds one of the system at `path`, inline or in a file of its own.
    pub fn read(&mut self, node: &Node, path: &str, files: &Files, findings: &mut Vec<Finding>) -> Result<(), Finding> {
        node.understood(&["SignalDictionary", "Annotations"], &["type", "source"], findings);
        let name = node.required("name")?;
        let read;
        let list = match (node.attribute("source"), node.child("SignalDictionary")) {
            (Some(uri), _) => {
                read = files.xml(uri, None, &node.place)?;
                read.expect("SignalDictionary", "")?;
                &read
            }
            (None, Some(inline)) => inline,
            (None, None) => {
                return Err(Finding::error(&node.place, format!("signal dictionary `{name}` without entries"), ""));
            }
        };
        list.understood(&["DictionaryEntry", "Enumerations", "Units", "Annotations"], &[], findings);
        let entries = list.all("DictionaryEntry").map(|e| e.required("name").map(str::to_owned));
        self.entries.insert(element(path, name), entries.collect::<Result<_, _>>()?);
        Ok(())
    }

    /// The dictionary of a name, in the system at `path` or the nearest around it.
    pub fn find(&self, name: &str, path: &str) -> Option<String> {
        let mut path = path;
        loop {
            let element = element(path, name);
            if self.entries.contains_key(&element) {
                return Some(element);
            }
            if path.is_empty() {
                return None;
            }
            path = path.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
    }

    /// Whether a port is an entry of one.
    pub fn contains(&self, port: &Port) -> bool {
        self.entries.contains_key(&port.element)
    }

    /// Whether a port is an entry that is there.
    pub fn has(&self, port: &Port) -> bool {
        self.entries.get(&port.element).is_some_and(|entries| entries.contains(&port.connector))
    }

    /// An error where a connection names an entry that is not there.
    pub fn missing(&self, port: &Port, place: &Place) -> Result<(), Finding> {
        let Some(entries) = self.entries.get(&port.element).filter(|entries| !entries.contains(&port.connector)) else {
            return Ok(());
        };
        let known: Vec<&str> = entries.iter().map(String::as_str).collect();
        let what = format!("`{}` is not an entry of its signal dictionary", port.connector);
        Err(Finding::error(place, what, format!("it has `{}`", known.join("`, `"))))
    }
}
