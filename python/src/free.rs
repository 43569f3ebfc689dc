//! Names that are free in a system.

use macrostep_answers::api::Fault;
use macrostep_system::scenario::Scenario;

/// Whether a unit or a law may have this name.
pub fn is_free(s: &Scenario, name: &str) -> Result<(), Fault> {
    if name.is_empty() || name.contains('.') || s.unit(name).is_some() || s.laws.iter().any(|law| law.name == name) {
        let expected = "a name without dots that no other unit and no law has";
        return Err(Fault::usage(format!("unit name: found `{name}`, expected {expected}")));
    }
    Ok(())
}

/// The name of an FMU, without dots and free of others.
pub fn free(s: &Scenario, stem: &str) -> String {
    let stem = stem.replace('.', "_");
    let numbered = (2..).map(|n| format!("{stem}{n}"));
    let mut names = std::iter::once(stem.clone()).chain(numbered);
    names.find(|name| s.unit(name).is_none()).unwrap_or(stem)
}
