//! A *second look* at a run that is doubtful or grows, or that nothing speaks against but its long steps: the same system with half the macro step, over a part of the run.
//!
//! With y_H and y_{H/2} a sampled signal at the common communication points of the first n of N windows,
//!
//! ```text
//! apart = max_signals  max |y_H − y_{H/2}| / max |y_{H/2}|  ·  N/n
//! ```
//!
//! A signal counts as at least a thousandth of the largest that its unit gives in the same unit of measurement: what a body moves out of its
//! plane is rounding and the asymmetry of its mesh, and may double without harm.
//!
//! With step control the second run follows the steps that the first one has chosen, in halves (`led.rs`).
//!
//! Errors that a coupling makes grow with time at least as fast as the time itself, so that what is small by this is small at the end. A run whose
//! error is above its amplitude is apart from one with half the macro step by about a half of it.
//!
//! Where nodes of waveforms were too few, it tells how large errors are: with error(H/2) ≤ error(H)/2, which any order gives where H is
//! small enough for an order,
//!
//! ```text
//! |y_H − y| ≤ |y_H − y_{H/2}| + |y_{H/2} − y|   so that   error(H) ≤ 2 |y_H − y_{H/2}|
//! ```

use crate::error::RunError;
use crate::run::Simulation;
use crate::run::led::Chosen;
use crate::run::verdict::{Grade, Second, Verdict, WINDOWS_MIN};

/// Windows of the first run that are looked at; the second has twice as many.
const WINDOWS_MAX: u64 = 5000;

/// The part of a run that is looked at first where nothing speaks against it: with both runs of half the macro step and the one of a quarter
/// its steps are 9 times as many, so that all together are no more than those of the run.
const PART: u64 = 9;
/// And so many windows at least.
const PART_MIN: u64 = 4;
/// A part of the run that is less than this of its time tells nothing: step control begins with the shortest windows.
const OF_RUN_MAX: f64 = 2.0 * PART as f64;

/// Runs this much apart, relative to the signals, do not confirm a doubt; less where the rest of the run follows from a part of it.
const APART: f64 = 0.2;
const APART_BY_PART: f64 = 0.08;

/// A whole run that is no more apart from one with half the macro step, though a part of it was, is not confirmed by a quarter: what begins anew in
/// the first windows is small in all of them.
const CLEAR: f64 = 0.05;

/// Half the macro step halves an error of order 1. Errors that are not clear and become no smaller than this are not those of the macro step alone: they tell
/// nothing of how large the rest is. A few windows, whose inputs begin anew, do not show it.
const SHRUNK: f64 = 0.75;
const STUCK: &str = "smaller macro steps do not make it better: look at the units' own steps, and compare with another method by `macrostep verify`";

/// What a signal is at least, in parts of the largest of its unit in the same unit of measurement.
const SMALL: f64 = 1e-3;

/// By how much errors are larger than the difference to a run with half the macro step, at most, where half the macro step halves them.
const HALVED: f64 = 2.0;

impl Verdict {
    /// The verdict after a second look at a run of `windows` windows. `made` gives a simulation that is initialised, with the macro step of the
    /// run divided by a number, or `None` where the system cannot be run with it. A verdict that has nothing to do with the coupling stays as it
    /// is, and so does one without a second run, or with one that was broken off because `goes_on` is no longer true.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn second_look(
        self,
        made: &mut dyn FnMut(f64) -> Option<Simulation>,
        windows: u64,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Verdict, RunError> {
        if self.second == Second::Nothing || windows == 0 {
            return Ok(self);
        }
        let most = windows.min(WINDOWS_MAX);
        let part = if self.second == Second::Unwatched { (windows / PART).max(PART_MIN).min(most) } else { most };
        // What begins anew in the first windows weighs more in a part of them than in the whole, which decides.
        match self.clone().looked_at(made, (windows, part), goes_on)? {
            Some(verdict) if part == most || verdict.grade == Grade::Ok => Ok(verdict),
            _ if part < most => Ok(self.clone().looked_at(made, (windows, most), goes_on)?.unwrap_or(self)),
            _ => Ok(self),
        }
    }

    /// The same after a look at the first windows: the second number of the first. `None` where these tell nothing: too small a
    /// part of the time, or no point that could be compared.
    fn looked_at(
        self,
        made: &mut dyn FnMut(f64) -> Option<Simulation>,
        (windows, seen): (u64, u64),
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Verdict>, RunError> {
        let (limit, part) = match seen < windows {
            true => (APART_BY_PART, format!(" of the first {seen} macro steps")),
            false => (APART, String::new()),
        };
        // The run, and half its macro step.
        let (Some(mut whole), Some(mut half)) = (made(1.0), made(2.0)) else { return Ok(Some(self)) };
        let mut course = Vec::new();
        let leap = |whole: &mut Simulation, half: &mut Simulation| lead(whole, half, &mut course);
        let first = apart([&mut whole, &mut half], seen, goes_on, leap)?;
        // The first windows of step control are short ones.
        let by_time = whole.times_longer().filter(|_| whole.is_chosen() && seen < windows);
        let of_run = by_time.unwrap_or(windows as f64 / seen as f64);
        let (unseen, shorter) = (whole.by_resolution(), whole.shorter());
        end([whole, half]);
        let Some(first) = first else { return Ok(None) };
        if of_run > OF_RUN_MAX && seen < windows.min(WINDOWS_MAX) {
            return Ok(None);
        }
        let first = first * of_run;
        if self.second == Second::HowMuch {
            return Ok(Some(self.measured(HALVED * first, &part)));
        }
        if first > limit {
            let differ = format!("a second run{part} with half the macro step differs");
            return Ok(Some(self.denied(first, &differ, shorter)));
        }
        // Both may be wrong alike: half the macro step is to be confirmed in its turn.
        let is_clear = self.second == Second::Unwatched && seen == windows && first <= CLEAR;
        if !is_clear && let (Some(mut half), Some(mut quarter)) = (made(2.0), made(4.0)) {
            let points = if half.is_chosen() { course.len() as u64 } else { 2 * seen };
            let mut course = course.iter();
            let leap = |half: &mut Simulation, quarter: &mut Simulation| follow(half, quarter, course.next());
            let second = apart([&mut half, &mut quarter], points, goes_on, leap)?;
            end([half, quarter]);
            let Some(second) = second.map(|second| second * of_run) else { return Ok(Some(self)) };
            let is_stuck = first > CLEAR && second > SHRUNK * first && windows >= WINDOWS_MIN;
            if second > limit || is_stuck {
                let differ = format!("runs{part} with a half and a quarter of the macro step differ");
                return Ok(Some(self.denied(second, &differ, if is_stuck { STUCK } else { shorter })));
            }
        }
        // Runs that leap over the same motion agree with each other.
        Ok(Some(unseen))
    }

    /// What is said before a second look.
    pub fn at_first_look(&self) -> String {
        match self.grade {
            Grade::Ok if self.second == Second::Unwatched => {
                "power bonds say little of what the coupling misses; a second run with half the macro step, of a part at first, tells more".to_owned()
            }
            Grade::Ok => "macro steps are few or long, or signals grow; a second run with half the macro step tells whether that matters".to_owned(),
            grade => format!("at first look the run is {grade}; a second run with half the macro step decides"),
        }
    }

    /// The same, with runs that are this much apart.
    fn denied(self, apart: f64, differ: &str, shorter: &str) -> Verdict {
        let by = if apart >= 1.0 {
            "more than the signals are".to_owned()
        } else {
            format!("{:.0} % of the signals", 100.0 * apart)
        };
        let (grade, reason) = match self.grade {
            // What grows here and does not where steps are shorter, the coupling makes.
            Grade::Ok if apart >= 1.0 && self.second == Second::Growth => {
                (Grade::Growing, format!("signals grow, and {differ} by {by}; {shorter}, or a corrector"))
            }
            Grade::Ok => (
                Grade::Doubtful,
                format!("macro steps may be too long for so many of them: {differ} by {by}; {shorter}"),
            ),
            grade => return Verdict { grade, reason: format!("{}; {differ} by {by}", self.reason), ..self },
        };
        Verdict { grade, reason, found: Some(apart), ..self }
    }
}

/// One macro step of a run, and two of half its length; says whether both can be compared then. Steps that control has chosen are added to the
/// course.
fn lead(whole: &mut Simulation, half: &mut Simulation, course: &mut Vec<Chosen>) -> Result<bool, RunError> {
    if !whole.is_chosen() {
        return follow(whole, half, None);
    }
    if whole.is_over() {
        return Ok(false);
    }
    let chosen = whole.choose()?;
    course.push(chosen);
    Ok(!half.follow_chosen(&chosen, 2)? && !chosen.has_event)
}

/// The same with half the macro step and a quarter of it; over the whole of a step that was chosen.
fn follow(half: &mut Simulation, quarter: &mut Simulation, chosen: Option<&Chosen>) -> Result<bool, RunError> {
    let Some(chosen) = chosen else {
        return half.step().and_then(|_| quarter.step()).and_then(|_| quarter.step()).map(|_| true);
    };
    let events = [half.follow_chosen(chosen, 2)?, quarter.follow_chosen(chosen, 4)?];
    Ok(events == [false, false])
}

/// Ends simulations of a second look; what the units say to it changes nothing.
fn end<const N: usize>(simulations: [Simulation; N]) {
    for mut simulation in simulations {
        let _ = simulation.terminate();
    }
}

impl Verdict {
    /// The same with errors of at most this part of the signals, by a look at all macro steps or a part of them.
    fn measured(self, errors: f64, part: &str) -> Verdict {
        let by =
            if errors < 1.0 { format!("{errors:.1e} of the signals") } else { "as large as the signals".to_owned() };
        let reason =
            format!("{}; by a second run{part} with half the macro step errors are at most about {by}", self.reason);
        Verdict { reason, found: Some(errors), ..self }
    }
}

/// The largest difference of a signal at `points` points, relative to its largest value; infinite where one of both diverges, `None` where it was
/// broken off, or no point could be compared. `leap` takes both to the next point, and says whether they can be compared there.
fn apart(
    [coarse, fine]: [&mut Simulation; 2],
    points: u64,
    goes_on: &dyn Fn() -> bool,
    mut leap: impl FnMut(&mut Simulation, &mut Simulation) -> Result<bool, RunError>,
) -> Result<Option<f64>, RunError> {
    let widths: usize = coarse.compared().map(<[f64]>::len).sum();
    let (mut differences, mut sizes) = (vec![0.0f64; widths], vec![0.0f64; widths]);
    let mut is_compared = false;
    for _ in 0..points {
        if !goes_on() {
            return Ok(None);
        }
        match leap(coarse, fine) {
            Ok(true) => is_compared = true,
            Ok(false) => continue,
            Err(RunError::Diverged(_)) => return Ok(Some(f64::INFINITY)),
            Err(error) => return Err(error),
        }
        let pairs = coarse.compared().flatten().zip(fine.compared().flatten());
        for ((difference, size), (a, b)) in differences.iter_mut().zip(&mut sizes).zip(pairs) {
            (*difference, *size) = (difference.max((a - b).abs()), size.max(b.abs()));
        }
    }
    Ok(is_compared.then(|| share(&differences, &sizes, &families(coarse))))
}

/// The largest difference in parts of the size of its signal, which counts as a part of the largest of its family at least.
fn share(differences: &[f64], sizes: &[f64], families: &[usize]) -> f64 {
    let mut largest = vec![0.0f64; sizes.len()];
    families.iter().zip(sizes).for_each(|(&family, &size)| largest[family] = largest[family].max(size));
    let signals = differences.iter().zip(sizes).zip(families);
    let scaled = signals.map(|((difference, size), family)| (difference, size.max(SMALL * largest[*family])));
    scaled.map(|(difference, scale)| if scale > 0.0 { difference / scale } else { 0.0 }).fold(0.0, f64::max)
}

/// For each value of [`Simulation::compared`] the place of the first one that comes from the same unit in the same unit of measurement; its
/// own where none is declared.
fn families(run: &Simulation) -> Vec<usize> {
    // The first place of each channel.
    let (mut first, mut families) = (Vec::new(), Vec::new());
    for row in run.compared() {
        first.push(families.len());
        families.extend(families.len()..families.len() + row.len());
    }
    for port in &run.window.unit_ports {
        let variables = &port.unit.description().variables;
        // Few: units of measurement that are there.
        let mut heads: Vec<(&str, usize)> = Vec::new();
        for &(channel, place, width) in &port.outputs.channels {
            let width = width.min(first.get(channel + 1).unwrap_or(&families.len()) - first[channel]);
            for k in 0..width {
                let (unit, own) = (variables[port.outputs.variables[place + k]].unit(), first[channel] + k);
                match heads.iter().find(|(of, _)| *of == unit) {
                    Some((_, head)) => families[own] = *head,
                    None if unit.is_empty() => {}
                    None => heads.push((unit, own)),
                }
            }
        }
    }
    families
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn what_is_small_beside_its_family_may_differ() {
        // Two of one family, of which the second is a millionth and twice as large in the other run; then the same in families of their own.
        let (differences, sizes) = ([1e-3, 1e-6], [1.0, 1e-6]);
        assert_eq!(share(&differences, &sizes, &[0, 0]), 1e-3);
        assert_eq!(share(&differences, &sizes, &[0, 1]), 1.0);
        // The order in which they come makes no difference, and what is zero in both runs is equal.
        assert_eq!(share(&[1e-6, 1e-3, 0.0], &[1e-6, 1.0, 0.0], &[0, 0, 2]), 1e-3);
    }
}
