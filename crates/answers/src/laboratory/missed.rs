//! What `macrostep advise` says where no scheme meets a tolerance.

use macrostep_analysis::Benchmark;
use macrostep_analysis::advise::{LeftOut, Question};
use macrostep_analysis::missed::Unadvised;
use serde::Serialize;

use super::json::{self, Parts};
use crate::failure::Failure;
use crate::print;

/// The object of `--json` where no scheme meets the tolerance.
#[derive(Serialize)]
struct NoAnswer<'a> {
    scenario: &'a str,
    tolerance: f64,
    stop_s: f64,
    /// Always `null`: there is none.
    advised: Option<()>,
    /// The scheme that comes nearest.
    nearest: Option<NearestChoice>,
    /// Schemes that ran and do not meet it, by reason.
    missed: &'a [LeftOut],
    left_out: &'a [LeftOut],
    error: &'a str,
}

#[derive(Serialize)]
struct NearestChoice {
    scheme: String,
    #[serde(flatten)]
    parts: Parts,
    step_s: f64,
    /// As estimated.
    predicted_error: f64,
    order: f64,
    /// The macro step that the tolerance would take by the order; `null` where rounding hides such an error.
    step_for_tolerance_s: Option<f64>,
}

/// What is said where there is no advice: one object where that is asked for, the nearest miss and the reasons, a line each, before the error.
///
/// # Errors
/// Where the object cannot be printed.
pub fn missed(
    why: Unadvised,
    benchmark: &dyn Benchmark,
    question: &Question,
    is_json: bool,
) -> Result<Failure, Failure> {
    let text = why.to_string();
    if let Unadvised::Missed(missed) = &why
        && is_json
    {
        let nearest = missed.nearest.map(|near| NearestChoice {
            scheme: near.scheme.to_string(),
            parts: Parts::new(&near.scheme),
            step_s: near.step_s,
            predicted_error: near.error,
            order: near.order,
            step_for_tolerance_s: near.step_for(question.tolerance),
        });
        let answer = NoAnswer {
            scenario: benchmark.name(),
            tolerance: question.tolerance,
            stop_s: question.stop_s,
            advised: None,
            nearest,
            missed: &missed.short,
            left_out: &missed.left_out,
            error: text.lines().next().unwrap_or_default(),
        };
        print::line(json::text(&answer)?)?;
    }
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    lines.for_each(|line| eprintln!("{line}"));
    Ok(Failure::run(first))
}
