//! Files of text that verbs write beside their results.

use std::path::Path;

use macrostep_system::Scenario;

use crate::claim::folder_at;
use crate::failure::Failure;

/// Writes a scenario that `macrostep run` runs again to the same numbers, below the settings it was made of. Where no key says
/// what was run, there is no file, and standard error says why.
pub fn write_system(path: &Path, settings: &str, system: Result<Scenario, String>) -> Result<(), Failure> {
    match system {
        Ok(system) => {
            let settings: String =
                settings.trim_end().lines().map(|line| format!("{}\n", format!("# {line}").trim_end())).collect();
            write_text(path, &format!("{settings}\n{}", macrostep_system::toml::write(&system)))
        }
        Err(unsaid) => {
            crate::print::remark!("note: no `{}`: a scenario has no key for {unsaid}", path.display());
            // One of an earlier run would say something else.
            if path.exists() { std::fs::remove_file(path).map_err(Failure::file(path)) } else { Ok(()) }
        }
    }
}

/// Writes a text that ends in a line end.
pub fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    path.parent().map_or(Ok(()), folder_at)?;
    std::fs::write(path, format!("{}\n", text.trim_end())).map_err(Failure::file(path))
}
