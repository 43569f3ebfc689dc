//! Options of the verbs that compare coupling schemes.

use std::path::PathBuf;

use clap::Args;
use macrostep_analysis::Benchmark;
use macrostep_analysis::models;
use macrostep_analysis::scheme::{Named, Scheme, named};

use super::subject::SubjectArguments;
use crate::Carried;
use crate::choices::{
    Control, Correct, Coupling, Derivative, Energy, Fast, Predict, Rate, Sampling, Schedule, Units, Variant, typed,
};
use crate::failure::Failure;
use crate::numbers::positive;

/// A set of schemes: every combination of the lists, and named methods beside them.
#[derive(Debug, Args)]
pub struct SchemeArguments {
    /// What the subsystems exchange, separated by commas [default: all cuts of the scenario]
    #[arg(long, value_enum, value_name = "COUPLING", value_delimiter = ',')]
    pub coupling: Vec<Coupling>,
    /// Named methods, separated by commas: jerk, waveform, waveform:Q, palindromic (see `macrostep oscillator --help`). Combinations are then
    /// tried only if a schedule, predictor or corrector is given too [default: none]
    #[arg(long, value_name = "METHOD", value_delimiter = ',')]
    pub method: Vec<Named>,
    /// Orders of the steps, separated by commas [default: jacobi,gs12]
    #[arg(long, value_enum, value_name = "SCHEDULE", value_delimiter = ',')]
    pub schedule: Vec<Schedule>,
    /// Predictions of the inputs, separated by commas: hold, linear, quadratic, poly:K, ia0, ia1, ia2, ia:K, h3, h5, jerk,
    /// jerk:3, rates, mean, spectral:Q, kalman:K:R [default: hold,linear,quadratic,ia0,ia1]
    #[arg(long, value_name = "PREDICTOR", value_delimiter = ',')]
    pub predict: Vec<Predict>,
    /// For ia with Gauss–Seidel: polynomials of a motion that is known up to the step's end, separated by commas
    #[arg(long, value_enum, value_name = "VARIANT", value_delimiter = ',', default_value = "h3")]
    pub gs_variant: Vec<Variant>,
    /// Correctors, separated by commas [default: explicit]
    #[arg(long, value_enum, value_name = "CORRECT", value_delimiter = ',')]
    pub correct: Vec<Correct>,
    /// Energy corrections, separated by commas
    #[arg(long, value_enum, value_name = "ENERGY", value_delimiter = ',', default_value = "monitor")]
    pub energy: Vec<Energy>,
    /// Kinds of step control, separated by commas; the longest step is the first of `--steps`
    #[arg(long, value_enum, value_name = "CONTROL", value_delimiter = ',', default_value = "fixed")]
    pub control: Vec<Control>,
    /// H slow / H fast, as 5 or 3/2
    #[arg(long, value_name = "R", default_value = "1")]
    pub rate: Rate,
    /// The fast subsystem, of the first two
    #[arg(long, value_enum, default_value = "2")]
    pub fast: Fast,
    /// Evaluation of a coupling force or acceleration that a subsystem sends
    #[arg(long, value_enum, default_value = "updated")]
    pub sampling: Sampling,
    /// Velocity of a displacement input
    #[arg(long, value_enum, default_value = "passed")]
    pub derivative: Derivative,
}

/// Where results go.
#[derive(Debug, Args)]
pub struct OutputArguments {
    /// Folder for CSV, JSON and pictures; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
}

/// `macrostep stability`.
#[derive(Debug, Args)]
pub struct StabilityArguments {
    /// The schemes.
    #[command(flatten)]
    pub schemes: SchemeArguments,
    /// The system.
    #[command(flatten)]
    pub subject: SubjectArguments,
    /// Ratio of the dimensionless model: m21, re21, im21, rec1 or imc1; may be repeated [default: all 1]
    #[arg(long, value_name = "NAME=VALUE")]
    pub ratio: Vec<crate::choices::Setting>,
    /// Window Λr from,to of the dimensionless model
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        num_args = 1,
        allow_negative_numbers = true,
        default_value = "-3,0"
    )]
    pub re: Vec<f64>,
    /// Window Λi from,to of the dimensionless model
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        num_args = 1,
        allow_negative_numbers = true,
        default_value = "0,3"
    )]
    pub im: Vec<f64>,
    /// Points along each side of the window, edges included; for a scenario, macro steps a decade
    #[arg(long, value_name = "N", default_value = "31", value_parser = clap::value_parser!(u64).range(2..=2001))]
    pub grid: u64,
    /// Rays of limits: angles in degrees, 90 undamped, 180 aperiodic
    #[arg(long, value_name = "DEG", value_delimiter = ',', default_value = "90,105,120,135,150,165,180")]
    pub rays: Vec<f64>,
    /// Growth allowed: ln ρ a macro step along rays [default: 1e-3]; for a system ln ρ / H in 1/s [default: what makes its
    /// run grow by 1 %]
    #[arg(long, value_name = "G", value_parser = positive, allow_negative_numbers = true)]
    pub growth: Option<f64>,
    /// Range of macro steps from,to in seconds for a system [default: a hundredth to thirty times its usual one, of a file not below its span/2e5]
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1)]
    pub steps: Vec<f64>,
    /// End of a run of a system in seconds [default: the scenario's]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `macrostep converge`.
#[derive(Debug, Args)]
pub struct ConvergeArguments {
    /// The schemes.
    #[command(flatten)]
    pub schemes: SchemeArguments,
    /// The system.
    #[command(flatten)]
    pub subject: SubjectArguments,
    /// Macro steps of runs in seconds, separated by commas [default: 9, from 4 times to 1/16 of the scenario's usual one;
    /// for jerk 5 times, for spectral:Q 50 times as long; whole multiples where units need them]
    #[arg(long, value_name = "H", value_delimiter = ',')]
    pub steps: Vec<f64>,
    /// Macro steps of local errors in seconds, separated by commas [default: from 8 times to 1/8 of the scenario's usual one;
    /// for jerk and spectral:Q as above]
    #[arg(long, value_name = "H", value_delimiter = ',')]
    pub local_steps: Vec<f64>,
    /// End of a run in seconds [default: the scenario's]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Kind of the subsystems
    #[arg(long, value_enum, default_value = "native")]
    pub units: Units,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `macrostep compare`.
#[derive(Debug, Args)]
#[command(
    after_help = "A run that failed, diverged or did not converge is a row that says so; exit code 1 if one has failed"
)]
pub struct CompareArguments {
    /// The schemes.
    #[command(flatten)]
    pub schemes: SchemeArguments,
    /// The system.
    #[command(flatten)]
    pub subject: SubjectArguments,
    /// Macro steps in seconds, separated by commas [default: 6, from 8 times to 1/4 of the scenario's usual one; for jerk 5 times,
    /// for spectral:Q 50 times as long; whole multiples where units need them]
    #[arg(long, value_name = "H", value_delimiter = ',')]
    pub steps: Vec<f64>,
    /// Tolerances of step control, separated by commas
    #[arg(long, value_name = "TOL", value_delimiter = ',', default_value = "1e-3,1e-4,1e-5,1e-6,1e-7")]
    pub control_tolerance: Vec<f64>,
    /// End of a run in seconds [default: the scenario's]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Runs of each scheme and step; the shortest time counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u64).range(1..))]
    pub repeat: u64,
    /// Samples before t = 0
    #[arg(long, value_enum, default_value = "ramp")]
    pub start: crate::choices::Start,
    /// Kind of the subsystems
    #[arg(long, value_enum, default_value = "fmu")]
    pub units: Units,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// `macrostep advise`.
#[derive(Debug, Args)]
pub struct AdviseArguments {
    /// The system.
    #[command(flatten)]
    pub subject: SubjectArguments,
    /// Largest position error allowed, relative to the amplitude
    #[arg(long, value_name = "ERROR", default_value = "1e-3", value_parser = positive, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// End of the run in seconds [default: the scenario's]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// First guess of the macro step in seconds [default: a fiftieth of the run, an eighth where a unit is on another machine]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Time for trials in seconds, at most a sixth of it for one method, a half where a unit is on another machine; methods that are not finished are left out, and named
    #[arg(long, value_name = "SECONDS", default_value = "100", value_parser = positive, allow_negative_numbers = true)]
    pub limit: f64,
    /// Run the advised scheme and compare its error with the predicted one [default: off]
    #[arg(long)]
    pub apply: bool,
    /// Kind of the subsystems; growth rates come from native units
    #[arg(long, value_enum, default_value = "fmu")]
    pub units: Units,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArguments,
}

/// What was typed, or what is usual.
fn or_usual<T: Copy>(typed: &[T], usual: &[T]) -> Vec<T> {
    if typed.is_empty() { usual.to_vec() } else { typed.to_vec() }
}

impl SchemeArguments {
    /// Named methods and every combination, without repetitions of the same scheme; for a system with a method of its
    /// own, that method and the changes to it by options.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a cut the system does not have, and for parts that do not go together.
    pub fn schemes(&self, of: &dyn Benchmark) -> Result<Vec<Scheme>, Failure> {
        // A file fixes what the schemes of a named system may choose.
        let (has, written) = (of.card().couplings, of.written());
        if let Some(option) = written.and(self.not_of_files()) {
            let message = format!(
                "`--{option}` cannot be combined with a file: the file already says what the units exchange and in which order"
            );
            return Err(Failure::Usage(message));
        }
        // Cuts that the system does not have.
        if let Some(missing) = self.coupling.iter().find(|c| !has.contains(c)) {
            let known: Vec<&str> = has.iter().map(|c| c.name()).collect();
            let message = format!("`--coupling {}`: the scenario has `{}`", missing.name(), known.join("`, `"));
            return Err(Failure::Usage(message));
        }
        // Every cut with named methods, then with combinations of parts.
        let mut all: Vec<Scheme> = Vec::new();
        for coupling in or_usual(&self.coupling, has) {
            let named = self.method.iter().map(|method| named(*method, coupling));
            for scheme in named.chain(self.combinations(coupling, written)) {
                // Parts that do not go together are refused, schemes with the same name taken once.
                for &energy in &self.energy {
                    for &control in &self.control {
                        // A named method may choose steps by itself.
                        let control = if control == Control::Fixed { scheme.control } else { control };
                        let scheme = self.with_rest(Scheme { energy, control, ..scheme }, written);
                        if let Err([one, other, why]) = scheme.check() {
                            return Err(Failure::conflict(one, other, &why));
                        }
                        if all.iter().all(|s| s.to_string() != scheme.to_string()) {
                            all.push(scheme);
                        }
                    }
                }
            }
        }
        Ok(all)
    }

    /// An option that was typed and belongs to the cuts of this program's systems.
    fn not_of_files(&self) -> Option<&'static str> {
        let typed = [
            ("coupling", !self.coupling.is_empty()),
            ("rate", self.rate != Rate::default()),
            ("fast", self.fast != Fast::default()),
        ];
        typed.iter().find(|(_, is_typed)| *is_typed).map(|(name, _)| *name)
    }

    /// Schedules × predictors × variants × corrections of a cut.
    fn combinations(&self, coupling: Coupling, written: Option<Scheme>) -> Vec<Scheme> {
        let only_named = self.schedule.is_empty() && self.predict.is_empty() && self.correct.is_empty();
        if only_named && !self.method.is_empty() {
            return Vec::new();
        }
        let of = |usual: &[Schedule]| written.map_or(usual.to_vec(), |s| vec![s.schedule]);
        let schedules = or_usual(&self.schedule, &of(&[Schedule::Jacobi, Schedule::GaussSeidel]));
        let predictors = written.map_or(Predict::five().to_vec(), |s| vec![s.predict]);
        let corrects = written.map_or(vec![Correct::Explicit], |s| vec![s.correct]);
        let mut all = Vec::new();
        for schedule in schedules {
            for predict in or_usual(&self.predict, &predictors) {
                for &variant in &self.gs_variant {
                    for correct in or_usual(&self.correct, &corrects) {
                        all.push(Scheme { variant, correct, ..Scheme::new(coupling, schedule, predict) });
                    }
                }
            }
        }
        all
    }

    /// What is the same for all; what a file says holds where nothing else is typed.
    fn with_rest(&self, scheme: Scheme, written: Option<Scheme>) -> Scheme {
        let SchemeArguments { rate, fast, sampling, derivative, .. } = *self;
        let typed = Scheme { rate, fast, sampling, derivative, ..scheme };
        let Some(written) = written else { return typed };
        let sampling = if sampling == Sampling::default() { written.sampling } else { sampling };
        let derivative = if derivative == Derivative::default() { written.derivative } else { derivative };
        let variant = if scheme.variant == Variant::default() { written.variant } else { scheme.variant };
        Scheme { sampling, derivative, variant, ..typed }
    }

    /// Steps that are chosen, where only steps of one length mean something.
    ///
    /// # Errors
    /// [`Failure::Usage`] with what else to do.
    pub fn refuse_control(&self, verb: &str, why: &str) -> Result<(), Failure> {
        let control = self.control.iter().find(|c| **c != Control::Fixed).map(|c| format!("--control {}", typed(*c)));
        let method = self.method.iter().find(|m| m.control().is_some()).map(|m| format!("--method {m}"));
        let Some(control) = control.or(method) else { return Ok(()) };
        Err(Failure::conflict(control, format!("macrostep {verb}"), &format!("{why}; `macrostep compare` runs it")))
    }
}

/// Two ascending numbers of an option.
///
/// # Errors
/// [`Failure::Usage`] naming the option.
pub fn interval(option: &str, values: &[f64]) -> Result<[f64; 2], Failure> {
    match values {
        [a, b] if a.is_finite() && b.is_finite() && a < b => Ok([*a, *b]),
        _ => Err(Failure::Usage(format!("`--{option}` is {values:?}, expected two ascending numbers as `0.1,2`"))),
    }
}

/// The macro steps that a verb tries.
pub struct Ladder<'a> {
    /// The option, and the steps typed with it.
    pub option: &'static str,
    /// What was typed.
    pub typed: &'a [f64],
    /// Where none are: this one times powers of 2 with these exponents, but none longer than the longest.
    pub usual_s: f64,
    /// The longest step \[s\].
    pub longest_s: f64,
    /// Exponents of 2 of the steps beside the usual one.
    pub exponents: &'static [f64],
}

impl Ladder<'_> {
    /// The steps, each the nearest that the units allow.
    ///
    /// # Errors
    /// [`Failure::Usage`] naming the option.
    pub fn steps(&self, benchmark: &dyn Benchmark) -> Result<Vec<f64>, Failure> {
        let Ladder { option, typed, usual_s, longest_s, exponents } = *self;
        if let Some(bad) = typed.iter().find(|h| !(h.is_finite() && **h > 0.0)) {
            return Err(Failure::Usage(format!("`--{option}`: {bad} found, expected numbers above 0")));
        }
        if !typed.is_empty() {
            return Ok(typed.to_vec());
        }
        let steps = exponents.iter().map(|e| benchmark.allowed_step_s(usual_s * e.exp2())).filter(|h| *h <= longest_s);
        let mut steps: Vec<f64> = steps.collect();
        steps.dedup();
        Ok(steps)
    }
}

/// Where the units of a run come from.
pub fn factory(carried: &'static Carried, units: Units) -> macrostep_analysis::models::Factory<'static> {
    match units {
        Units::Fmu => &carried.unit,
        Units::Native => &models::native,
    }
}
