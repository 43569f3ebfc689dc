//! Keys that all JSON of these verbs has.

use macrostep_analysis::Scheme;
use serde::Serialize;

use crate::choices::typed;
use crate::failure::Failure;

/// A scheme by its parts, beside its name.
#[derive(Debug, Serialize)]
pub struct Parts {
    coupling: &'static str,
    letters: &'static str,
    schedule: String,
    predict: String,
    gs_variant: String,
    derivative: String,
    correct: String,
    sampling: String,
    energy: String,
    control: String,
    rate: String,
    fast: String,
}

impl Parts {
    /// Of a scheme.
    pub fn new(scheme: &Scheme) -> Self {
        Parts {
            coupling: scheme.coupling.name(),
            letters: scheme.coupling.letters(),
            schedule: scheme.schedule.short().to_owned(),
            predict: scheme.predict.to_string(),
            gs_variant: typed(scheme.variant),
            derivative: typed(scheme.derivative),
            correct: typed(scheme.correct),
            sampling: typed(scheme.sampling),
            energy: typed(scheme.energy),
            control: typed(scheme.control),
            rate: scheme.rate.to_string(),
            fast: typed(scheme.fast),
        }
    }
}

/// A value as indented JSON.
///
/// # Errors
/// [`Failure::Json`].
pub fn text(value: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(value)?)
}

/// Writes rows as CSV.
///
/// # Errors
/// [`Failure::File`].
pub fn csv(path: &std::path::Path, header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<(), Failure> {
    let failed = |error: csv::Error| Failure::file(path)(std::io::Error::other(error));
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    writer.write_record(header).map_err(failed)?;
    for row in rows {
        writer.write_record(&row).map_err(failed)?;
    }
    writer.flush().map_err(Failure::file(path))
}
