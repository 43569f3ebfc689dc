//! What a run is compared with.

use super::super::file;
use super::{Read, Reader};
use crate::finding::Finding;
use crate::scenario::{InputFile, Solution};
use toml::Spanned;

impl Reader<'_> {
    /// A file that is named by its path becomes one of the inputs.
    pub(super) fn solution(&self, s: &Spanned<file::Solution>, inputs: &mut Vec<InputFile>) -> Read<Solution> {
        let of = &s.get_ref().of;
        let text = match of.get_ref() {
            toml::Value::String(text) if !text.trim().is_empty() => text.clone(),
            toml::Value::Float(_) | toml::Value::Integer(_) => of.get_ref().to_string(),
            other => {
                let what = format!("`of` is {} `{other}`", other.type_str());
                let next = "write \"exact\", the name of a built-in system, a file of rows, or a smaller macro step";
                return Err(Finding::error(&self.place(of), what, next));
            }
        };
        let columns = s.get_ref().columns.0.iter();
        let columns = columns.map(|(output, column)| (output.get_ref().clone(), column.clone())).collect();
        let tolerance = s.get_ref().tolerance.as_ref();
        if let Some(found) = tolerance.filter(|t| !(t.get_ref().is_finite() && *t.get_ref() > 0.0)) {
            let what = format!("`tolerance` is {}", found.get_ref());
            return Err(Finding::error(&self.place(found), what, "expected a finite number above 0"));
        }
        let tolerance = tolerance.map(|t| *t.get_ref());
        Ok(Solution { columns, tolerance, ..Solution::of(&text, &self.place(of), self.folder, inputs) })
    }
}
