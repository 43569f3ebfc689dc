//! What is to be said of a run that has ended: warnings of slaves, and windows that nearly converged.

use macrostep_description::shown;
use macrostep_master::record::Column;
use macrostep_master::{Grade, Simulation, Unconverged, Verdict};
use macrostep_run::{NotFinite, Rows};

use crate::print::counted;

/// Warnings of slaves, a sentence each, and the verdict that they are.
pub fn told(simulation: &mut Simulation) -> (Vec<String>, Verdict) {
    let warned = simulation.warned();
    let sentences: Vec<String> = warned.iter().map(|(unit, warned)| warned.sentence(unit)).collect();
    sentences.iter().for_each(|sentence| eprintln!("warning: {sentence}"));
    let count: u64 = warned.iter().map(|(_, warned)| warned.count).sum();
    let reason = format!("slaves warned {}; the warnings say when and why", counted(count, "time"));
    let verdict = Verdict::new(Grade::Doubtful, reason, Some(count as f64));
    (sentences, if count > 0 { verdict } else { Verdict::default() })
}

/// The verdict on what was recorded: a result with numbers that are infinite or NaN is doubtful, and one that ends with them has failed.
pub fn recorded(columns: &[Column], rows: &Rows) -> Verdict {
    let Some(NotFinite { t_s, column, found, rows, is_last }) = rows.not_finite else { return Verdict::default() };
    let name = columns.get(column).map(|column| column.name.as_str()).unwrap_or_default();
    let (grade, last) = if is_last { (Grade::Failed, ", the last among them") } else { (Grade::Doubtful, "") };
    let rows = counted(rows, "row");
    let reason = format!(
        "`{name}` is {found} at t = {} s, and what is recorded is not finite in {rows}{last}",
        shown::time(t_s)
    );
    Verdict::new(grade, reason, Some(found))
}

/// What is said of windows that missed the tolerance of the corrector by too little to matter, also to standard error.
pub fn nearly(seen: &Unconverged) -> String {
    let Unconverged { t_s, windows, signal, found, .. } = seen;
    let (steps, t_s) = (counted(*windows, "macro step"), shown::time(*t_s));
    let sentence = format!(
        "{steps} stayed above the tolerance of the corrector, the first from t = {t_s} s with a residual of {found:.1e} of the size of `{signal}`; \
         together they leave no more than macro steps that meet it"
    );
    eprintln!("warning: {sentence}");
    sentence
}
