//! The answer of `macrostep advise` in words.

use macrostep_plot::Table;
use macrostep_plot::table::short;

use super::{Advice, Answer, as_toml};
use crate::failure::Failure;
use crate::print;

/// Candidates shown in the table.
const SHOWN: usize = 8;

/// Prints the answer in words.
///
/// # Errors
/// [`Failure::File`] where standard output cannot be written.
pub fn say(answer: &Answer<'_>, advice: &Advice) -> Result<(), Failure> {
    say_system(answer)?;
    say_schemes(answer, advice)?;
    say_best(answer)
}

/// A number in three digits, or a dash.
fn number(x: Option<f64>) -> String {
    x.map_or("–".to_owned(), short)
}

/// What the system is: connections, units, the loop.
fn say_system(answer: &Answer<'_>) -> Result<(), Failure> {
    // Power through the connections, where there are any, with the frequencies it has.
    let mut table =
        Table::new("unit: effort · flow | > largest power [W] | > rms [W] | > strongest [Hz] | > 99 % below [Hz]");
    for c in answer.connections {
        let [strongest, most] = [number(c.frequency_hz), number(c.frequency_99_hz)];
        table.row([c.name.clone(), short(c.power_max_w), short(c.power_rms_w), strongest, most]);
    }
    if !answer.connections.is_empty() {
        print::line(table.terminal())?;
    }
    // What the units can do that a method needs.
    for u in answer.units {
        let yes = |b: bool| if b { "yes" } else { "no" };
        print::prose(format!(
            "unit {}: interpolates inputs {}, output derivatives {}, rollback {}, directional derivatives {}",
            u.unit,
            yes(u.interpolates_inputs),
            u.output_derivatives,
            yes(u.rollback),
            yes(u.directional_derivatives)
        ))?;
    }
    // Feedback of the loop, and how a usual scheme does with a guess of H.
    let guess = &answer.first_guess;
    print::prose(format!(
        "loop gain {} · first guess {} with H = {:.4e} s: {}, growth rate {} 1/s",
        number(answer.loop_gain),
        guess.scheme,
        guess.step_s,
        match guess.growth_rate {
            _ if guess.unstable => "unstable",
            Some(_) => "stable",
            None => "growth not known",
        },
        number(guess.growth_rate)
    ))?;
    Ok(())
}

/// The cheapest schemes, and those that cannot be had.
fn say_schemes(answer: &Answer<'_>, advice: &Advice) -> Result<(), Failure> {
    if !answer.no_time.is_empty() {
        print::line(format!("no time was left for: {}; a larger `--limit` gives more", answer.no_time.join(", ")))?;
    }
    // The cheapest schemes; the JSON object has all of them.
    // Where messages are waited for, they decide.
    let is_far = advice.candidates.iter().any(|c| c.far.is_some());
    let head = "scheme | > H [s] | > predicted error | > order | > growth rate [1/s] | > do_steps";
    let mut table = Table::new(&if is_far { format!("{head} | > round trips | > time [s]") } else { head.to_owned() });
    for c in advice.candidates.iter().take(SHOWN) {
        let (h, order) = (format!("{:.4e}", c.step_s), format!("{:.2}", c.order));
        let order = if c.order.is_finite() { order } else { "–".to_owned() };
        let growth = number(Some(c.growth_rate).filter(|g| !g.is_nan()));
        let row = [c.scheme.to_string(), h, short(c.error), order, growth, c.do_steps.to_string()];
        let waits = c.far.map(|far| [far.round_trips.to_string(), short(far.run_s)]);
        table.row(row.into_iter().chain(waits.into_iter().flatten()));
    }
    print::line(table.terminal())?;
    // Schemes that cannot be had, a few of each reason by name.
    for left in answer.left_out {
        let some = left.schemes.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if left.schemes.len() > 3 { format!(" and {} more", left.schemes.len() - 3) } else { String::new() };
        print::prose(format!("left out: {some}{more}: {}", left.why))?;
    }
    Ok(())
}

/// The advice, and what it gave when it was run.
fn say_best(answer: &Answer<'_>) -> Result<(), Failure> {
    // The advice in a line, and as what is to be put into a scenario.
    let best = &answer.advice;
    print::prose(format!(
        "{}, tolerance {:e}: {} with H = {:.4e} s, predicted error {:.2e}, growth rate {} 1/s",
        answer.scenario,
        answer.tolerance,
        best.scheme,
        best.step_s,
        best.predicted_error,
        number(best.growth_rate)
    ))?;
    if let (Some(trips), Some(trip_s), Some(run_s)) = (best.round_trips, best.round_trip_s, best.run_s) {
        let each = format!("{:.3} ms", 1e3 * trip_s);
        print::prose(format!("far away: {trips} round trips of {each}; the run takes about {run_s:.3} s"))?;
    }
    for tried in answer.faces.iter().flat_map(|faces| &faces.tried) {
        let came_to = match (&tried.scheme, tried.step_s, tried.do_steps) {
            (Some(scheme), Some(step_s), Some(calls)) => format!("{scheme} with H = {step_s:.4e} s, {calls} do_steps"),
            _ => "no scheme meets the tolerance".to_owned(),
        };
        print::prose(format!("by {}: {came_to}", tried.face))?;
    }
    if let Some(faces) = &answer.faces {
        print::prose(format!("taken for `{}`: {}", faces.units.join("`, `"), faces.taken))?;
    }
    print::line(format!("In a scenario\n{}", as_toml(&answer.advised)))?;
    // What the advised run really gave.
    if let Some(a) = &answer.applied {
        print::prose(format!(
            "applied: measured error {}, {} of the predicted, {} do_steps in {:.4} s, units: {}",
            number(a.measured_error),
            number(a.measured_over_predicted),
            a.do_steps,
            a.wall_s,
            a.units
        ))?;
    }
    // An error of the reference that is as large as a tenth of the predicted one limits what was measured.
    if let Some(error) = answer.reference_error.filter(|e| *e > 0.1 * best.predicted_error) {
        print::prose(format!(
            "the reference run has an error of {error:.0e} itself: the measured error is not more accurate than that"
        ))?;
    }
    Ok(())
}
