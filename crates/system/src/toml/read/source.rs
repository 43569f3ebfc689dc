//! The FMU of a unit, and what it runs in.

use super::{Read, Reader, file};
use crate::finding::Finding;
use crate::scenario::Source;
use macrostep_import::{Face, address};
use std::path::{Path, PathBuf};
use toml::Spanned;

impl Reader<'_> {
    /// The FMU, embedded in this program, from a file beside the scenario, or served by another program.
    pub(super) fn source(&self, name: &str, unit: &file::Unit) -> Read<Source> {
        let shown = unit.fmu.get_ref();
        let Source::Embedded(embedded) = Source::named(shown) else {
            let python = unit.python.as_ref().map(|python| self.interpreter(python.get_ref()));
            let face = unit.face.as_ref().map(|face| self.face(name, face)).transpose()?;
            let path = Path::new(shown);
            if let (true, Some(python)) = (address::is_address(path), &unit.python) {
                let what = format!("`python` of unit `{name}`, whose FMU another program serves");
                return Err(Finding::error(&self.place(python), what, "remove the key"));
            }
            let path = address::placed(self.folder, path);
            return Ok(Source::File { path, shown: shown.clone(), python, face });
        };
        if let Some(python) = &unit.python {
            let what =
                format!("`python` of unit `{name}`, whose FMU is carried in this program and not written in Python");
            return Err(Finding::error(&self.place(python), what, "remove the key"));
        }
        if let Some(face) = &unit.face {
            let what = format!("`face` of unit `{name}`, whose FMU is carried in this program and has one face");
            return Err(Finding::error(&self.place(face), what, "remove the key"));
        }
        Ok(Source::Embedded(embedded))
    }

    /// The face that an FMU is driven by.
    fn face(&self, name: &str, word: &Spanned<String>) -> Read<Face> {
        Face::of(word.get_ref()).ok_or_else(|| {
            let words = Face::ALL.map(|face| format!("`{face}`")).join(" or ");
            let what = format!("`face` of unit `{name}`: found `{}`", word.get_ref());
            Finding::error(&self.place(word), what, format!("expected {words}"))
        })
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
