//! The FMU of a unit, and what it runs in.

use super::{Read, Reader, file};
use crate::finding::Finding;
use crate::scenario::Source;
use std::path::{Path, PathBuf};

impl Reader<'_> {
    /// The FMU, embedded in this program or from a file beside the scenario.
    pub(super) fn source(&self, name: &str, unit: &file::Unit) -> Read<Source> {
        let shown = unit.fmu.get_ref();
        let Some(embedded) = shown.strip_prefix("embedded:") else {
            let python = unit.python.as_ref().map(|python| self.interpreter(python.get_ref()));
            return Ok(Source::File { path: self.folder.join(shown), shown: shown.clone(), python });
        };
        if let Some(python) = &unit.python {
            let what =
                format!("`python` of unit `{name}`, whose FMU is carried in this program and not written in Python");
            return Err(Finding::error(&self.place(python), what, "remove the key"));
        }
        Ok(Source::Embedded(embedded.to_owned()))
    }

    /// An interpreter: a name is looked up on the path, a path begins in the folder of the file.
    fn interpreter(&self, named: &Path) -> PathBuf {
        if named.components().count() < 2 {
            return named.to_owned();
        }
        let path = self.folder.join(named);
        std::path::absolute(&path).unwrap_or(path)
    }
}
