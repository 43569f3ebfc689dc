//! An XML file as a tree with lines; its size is bounded, and so are depth and attributes by [`Reader`].

use crate::finding::Finding;
use crate::scenario::Place;
use macrostep_description::xml::{self, Part, ReadError, Reader};
use macrostep_import::regular;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes of a file.
pub(super) const BYTES_MAX: usize = 64 << 20;

/// With what the names of all namespaces of SSP begin.
pub(super) const NAMESPACES: &str = "http://ssp-standard.org/SSP";

/// An element.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Without its prefix; `{NAMESPACE}NAME` where the namespace is another one than SSP's.
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Node>,
    pub text: String,
    pub place: Place,
}

/// A file, not more of it than may be read.
pub(super) fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    regular::open(path)?.take(BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The root element of a text.
pub(super) fn parse(bytes: &[u8], file: &str) -> Result<Node, Finding> {
    let file: Arc<str> = file.into();
    let at = |line: u32| Place { file: file.clone(), line, column: 0 };
    if bytes.len() > BYTES_MAX {
        return Err(Finding::error(&at(0), format!("{} bytes, expected at most {BYTES_MAX}", bytes.len()), ""));
    }
    let root = xml::decode(bytes).and_then(|text| tree(&text, &at));
    root.map_err(|e| Finding::error(&at(e.line), format!("{}, expected {}", e.found, e.expected), ""))
}

fn tree(text: &str, at: &dyn Fn(u32) -> Place) -> Result<Node, ReadError> {
    let (mut reader, mut open) = (Reader::new(text), Vec::<Node>::new());
    // Prefixes that each open element has declared, and their namespaces.
    let mut scopes: Vec<Vec<(String, String)>> = Vec::new();
    loop {
        match reader.next_part()? {
            // Namespaces that an element declares hold for its own name already.
            Part::Start(start) => {
                let attributes = start.attributes()?.into_iter();
                let attributes: Vec<_> = attributes.map(|a| (a.key.to_owned(), a.value.into_owned())).collect();
                scopes.push(declared(&attributes));
                let name = named(start.name(), &scopes);
                let place = at(start.line);
                open.push(Node { name, attributes, children: Vec::new(), text: String::new(), place });
            }
            // The end of an element gives it to its parent; the root's is the end of reading.
            Part::End => {
                scopes.pop();
                let Some(node) = open.pop() else { continue };
                match open.last_mut() {
                    Some(parent) => parent.children.push(node),
                    None => return Ok(node),
                }
            }
            Part::Text(text, _) => {
                if let Some(node) = open.last_mut() {
                    node.text.push_str(&text);
                }
            }
            Part::Instruction(_) => {}
            Part::Eof(line) => {
                let (found, expected) = ("the end of the file".to_owned(), "a root element".to_owned());
                return Err(ReadError { line, found, expected });
            }
        }
    }
}

/// Prefixes that attributes declare, the empty one for names without.
fn declared(attributes: &[(String, String)]) -> Vec<(String, String)> {
    let prefix = |key: &str| match key.strip_prefix("xmlns") {
        Some("") => Some(String::new()),
        Some(rest) => rest.strip_prefix(':').map(str::to_owned),
        None => None,
    };
    attributes.iter().filter_map(|(key, value)| Some((prefix(key)?, value.clone()))).collect()
}

/// An element's name without its prefix where it is SSP's or nobody's.
fn named(name: &str, scopes: &[Vec<(String, String)>]) -> String {
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    let declared = scopes.iter().rev().flatten().find(|(known, _)| known == prefix);
    match declared {
        Some((_, uri)) if !uri.is_empty() && !uri.starts_with(NAMESPACES) => format!("{{{uri}}}{local}"),
        _ => local.to_owned(),
    }
}

impl Node {
    /// The root of a file must be this element of SSP.
    pub fn expect(&self, name: &str, next: &str) -> Result<(), Finding> {
        let what = match self.name.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            _ if self.name == name => return Ok(()),
            Some((uri, local)) if local == name => {
                let what = format!("`{name}` of the namespace `{uri}`, expected one that begins with `{NAMESPACES}`");
                return Err(Finding::error(&self.place, what, "export it as SSP 1.0"));
            }
            _ => format!("`{}`, expected `{name}`", self.name),
        };
        Err(Finding::error(&self.place, what, next))
    }

    /// The name without a namespace.
    pub fn local(&self) -> &str {
        self.name.rsplit('}').next().unwrap_or(&self.name)
    }

    pub fn attribute(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    pub fn required(&self, key: &str) -> Result<&str, Finding> {
        self.attribute(key)
            .ok_or_else(|| Finding::error(&self.place, format!("`{}` without `{key}`", self.name), "add the attribute"))
    }

    /// A value of an attribute, or the default where it is not given.
    pub fn parsed<T: std::str::FromStr>(&self, key: &str, default: T, expected: &str) -> Result<T, Finding> {
        let Some(text) = self.attribute(key) else { return Ok(default) };
        text.trim().parse().map_err(|_| {
            Finding::error(&self.place, format!("`{key}` of `{}` is `{text}`, expected {expected}", self.name), "")
        })
    }

    pub fn flag(&self, key: &str) -> Result<bool, Finding> {
        match self.attribute(key).map(str::trim) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(text) => {
                let what = format!("`{key}` of `{}` is `{text}`, expected `true` or `false`", self.name);
                Err(Finding::error(&self.place, what, ""))
            }
        }
    }

    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|n| n.name == name)
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.children.iter().filter(move |n| n.name == name)
    }

    /// Children of a child.
    pub fn list<'a>(&'a self, list: &str, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.child(list).into_iter().flat_map(move |n| n.all(name))
    }

    /// A warning for every child whose name is not among those understood, and every attribute likewise.
    pub fn understood(&self, children: &[&str], attributes: &[&str], findings: &mut Vec<Finding>) {
        for n in self.children.iter().filter(|n| !children.contains(&n.name.as_str())) {
            if NEW.contains(&n.name.as_str()) {
                let what = format!("{} (of SSP 2.0) has no effect on a run", n.name);
                findings.push(Finding::note(&n.place, what, "it is left out"));
                continue;
            }
            let what = format!("`{}` in `{}` is not understood", n.name, self.name);
            findings.push(Finding::warning(&n.place, what, "it is left out"));
        }
        let common = ["id", "description", "version", "name"];
        for (key, _) in &self.attributes {
            let known = attributes.contains(&key.as_str())
                || common.contains(&key.as_str())
                || METADATA.contains(&key.as_str());
            if !known && key != "xmlns" && !key.contains(':') {
                let what = format!("the attribute `{key}` of `{}` is not understood", self.name);
                findings.push(Finding::warning(&self.place, what, "it is left out"));
            }
        }
    }
}

/// Elements of SSP 2.0 that may stand in many others.
pub(super) const NEW: [&str; 2] = ["MetaData", "Signature"];

/// Attributes of the root elements that say who made a file.
const METADATA: [&str; 6] =
    ["author", "fileversion", "copyright", "license", "generationTool", "generationDateAndTime"];
