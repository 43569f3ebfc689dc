//! The options of one oscillator run, with all defaults filled in and all combinations checked.
//!
//! | symbol | code | unit | meaning |
//! |---|---|---|---|
//! | H | `step_s` | s | macro step of the slow side |
//! | R | `rate` | 1 | the fast side steps H/R |
//! | h | `micro_s` | s | micro step inside a subsystem |
//! | T | `stop_s` | s | end of the run |

mod meaning;

use std::collections::BTreeMap;

use clap::Parser;
use macrostep_analysis::models;
use macrostep_analysis::pair::Kind;
use macrostep_analysis::scheme::{Family, Named, Recipe, Scheme};
use macrostep_benchmarks::Oscillator;
use macrostep_oscillator::{Exact, Parameters, State};
use macrostep_system::scenario::{Coupling as Coupled, Event, Place, Setting, StepChoice, Value};
use serde::Serialize;

use crate::arguments::{Arguments, OscillatorArguments, Verb};
use crate::failure::Failure;
use crate::forces::Forces;
use crate::slaves::SlaveArguments;
use crate::terms::{
    Case, Control, Correct, Coupling, Derivative, Energy, Fast, Integrator, Predict, Rate, Sampling, Schedule, Start,
    Units, Variant, typed,
};

/// More macro steps than this in a run are taken for a mistake.
pub const STEPS_MAX: f64 = 1e8;

/// The effective scenario: all settings of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OscillatorOptions {
    /// Row of Table 1 the parameters started from.
    pub case: Case,
    /// The named method, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Named>,
    /// What the subsystems exchange.
    pub coupling: Coupling,
    /// Who steps when.
    #[serde(serialize_with = "in_short")]
    pub schedule: Schedule,
    /// Prediction of the inputs.
    pub predict: Predict,
    /// What integrated acceleration makes of a known end; it means nothing with other predictors and Jacobi.
    pub gs_variant: Variant,
    /// Correction of a macro step.
    pub correct: Correct,
    /// Macro step of the slow side in s.
    pub step_s: f64,
    /// H slow / H fast.
    pub rate: Rate,
    /// The fast side; it means nothing at rate 1.
    pub fast: Fast,
    /// Macro steps H1, H2 of the two subsystems in s.
    pub macro_s: [f64; 2],
    /// Micro steps of subsystem 1 and 2 in s; with exact integration their macro steps.
    pub micro_s: [f64; 2],
    /// Integrator inside the subsystems.
    pub integrator: Integrator,
    /// Choice of the macro step.
    pub control: Control,
    /// Relative tolerance of that choice; it means nothing with fixed steps.
    pub control_tolerance: f64,
    /// Correction of the energy the coupling makes.
    pub energy: Energy,
    /// Samples before t = 0.
    pub start: Start,
    /// Evaluation of a coupling force a subsystem sends.
    pub sampling: Sampling,
    /// Velocity of a displacement input.
    pub derivative: Derivative,
    /// End of the run in s.
    pub stop_s: f64,
    /// Every how many communication points a row is recorded.
    pub record_every: u64,
    /// What the subsystems are.
    pub units: Units,
    /// Where FMUs run.
    pub slaves: SlaveArguments,
    /// External forces on the masses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<Forces>,
    /// Physical properties, those of the case with the settings.
    #[serde(serialize_with = "by_name")]
    pub parameters: Parameters,
}

impl OscillatorOptions {
    /// Options of `macrostep oscillator` as typed, without the verb.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn typed(words: &str) -> Result<Self, Failure> {
        match Arguments::try_parse_from(["macrostep", "oscillator"].into_iter().chain(words.split(' '))) {
            Ok(Arguments { verb: Some(Verb::Oscillator(arguments)), .. }) => Self::new(&arguments),
            other => Err(Failure::Usage(other.err().map_or(words.to_owned(), |e| e.to_string()))),
        }
    }

    /// Fills in defaults and refuses combinations without a meaning.
    ///
    /// # Errors
    /// [`Failure::Usage`] naming the two options, or the parameter.
    pub fn new(arguments: &OscillatorArguments) -> Result<Self, Failure> {
        // Defaults, and what a named method stands for.
        let fast = arguments.fast.unwrap_or(Fast::Two);
        let recipe = recipe(arguments)?;
        let own_steps = macro_steps(recipe.step_s, arguments.rate, fast);
        // What a method says of the choice of steps, where no other one is typed.
        let by_method = arguments.method.and_then(Named::control).filter(|_| arguments.control == Control::Fixed);
        let (control, tolerance) = by_method.unwrap_or((arguments.control, 1e-4));
        // Micro steps are the steps of each side unless they are typed.
        let options = Self {
            // The method.
            case: arguments.case,
            method: arguments.method,
            coupling: recipe.coupling,
            schedule: recipe.schedule,
            predict: recipe.predict,
            // What is typed or usual, and steps of both sides.
            gs_variant: arguments.gs_variant.unwrap_or_default(),
            correct: recipe.correct,
            step_s: recipe.step_s,
            rate: arguments.rate,
            fast,
            macro_s: own_steps,
            micro_s: arguments.micro.map_or(own_steps, |micro_s| [micro_s; 2]),
            // Integrator, control, start and the rest as they are typed.
            integrator: arguments.integrator,
            control,
            control_tolerance: arguments.control_tolerance.unwrap_or(tolerance),
            energy: arguments.energy,
            start: arguments.start,
            sampling: arguments.sampling,
            derivative: arguments.derivative,
            stop_s: arguments.stop,
            record_every: arguments.record_every,
            units: arguments.units,
            slaves: arguments.slaves,
            // Files and parameters, which may be refused.
            force: arguments.force.as_deref().map(Forces::read).transpose()?,
            parameters: parameters(arguments)?,
        };
        // Only now is all known that has to go together.
        check_steps(arguments, options.step_s, own_steps)?;
        meaning::check_meaning(arguments, &options)?;
        Ok(options)
    }

    /// The settings of the run as TOML, every default filled in.
    ///
    /// # Errors
    /// [`Failure::Toml`] where a setting cannot be written so.
    pub fn settings(&self) -> Result<String, Failure> {
        Ok(toml::to_string(self)?)
    }

    /// The scheme of the run.
    pub fn scheme(&self) -> Scheme {
        Scheme {
            variant: self.gs_variant,
            derivative: self.derivative,
            correct: self.correct,
            sampling: self.sampling,
            energy: self.energy,
            control: self.control,
            control_tolerance: self.control_tolerance,
            rate: self.rate,
            fast: self.fast,
            ..Scheme::new(self.coupling, self.schedule, self.predict)
        }
    }

    /// The run as a scenario of two FMUs, `mass1` and `mass2`.
    ///
    /// # Errors
    /// What no key of a scenario says, as it is typed.
    pub fn system(&self) -> Result<macrostep_system::Scenario, String> {
        // The method, in the keys of a scenario.
        let method = Coupled {
            schedule: self.schedule,
            predict: self.predict,
            gs_variant: self.gs_variant,
            derivative: self.derivative,
            correct: self.correct,
            sampling: self.sampling,
            energy: self.energy,
            control: StepChoice { kind: self.control, tolerance: self.control_tolerance, ..Default::default() },
            sub_steps: 1,
            ..Default::default()
        };
        // What else a run is: parameters, steps of each side, integrator.
        let shares = self.scheme().shares(2);
        let run = Oscillator {
            parameters: self.parameters,
            coupling: self.coupling,
            method,
            step_s: self.step_s,
            shares: [shares[0], shares[1]],
            micro_step_s: (self.micro_s != self.macro_s).then_some(self.micro_s[0]),
            integrator: self.integrator,
            stop_s: self.stop_s,
            every: self.record_every,
        };
        // The scenario, with a past where it starts from the exact solution, and forces as inputs from a file.
        let mut scenario = run.scenario();
        if self.start == Start::Exact {
            scenario.history = self.past(&scenario)?;
        }
        if self.force.is_some() {
            Forces::feed(&mut scenario);
        }
        Ok(scenario)
    }

    /// The exact solution before the start, at the times the method looks back to.
    fn past(&self, scenario: &macrostep_system::Scenario) -> Result<Vec<Event>, String> {
        let exact = Exact::new(&self.parameters).map_err(|e| e.to_string())?;
        let mut simulation = models::simulation(scenario, &models::native).map_err(|e| e.to_string())?;
        let mut times_s: Vec<f64> = simulation.before().into_iter().map(|(_, t_s)| t_s).collect();
        times_s.sort_by(f64::total_cmp);
        times_s.dedup();
        Ok(times_s.into_iter().map(|at_s| self.was(at_s, &exact.at(at_s))).collect())
    }

    /// Outputs of both masses at a state.
    fn was(&self, at_s: f64, z: &State) -> Event {
        let p = &self.parameters;
        let mut settings = Vec::new();
        for (i, kind) in self.coupling.kinds().into_iter().enumerate() {
            let motion = ["x", "v", "a", "jerk"].into_iter().zip(p.motion(i, z));
            let force = (kind == Kind::Displacement).then(|| ("f_c", p.coupling_force(z)));
            settings.extend(motion.chain(force).map(|(name, value)| {
                (format!("mass{}", i + 1), Setting::new(name, Value::Real(value), Place::default()))
            }));
        }
        Event { at_s, settings, place: Place::default() }
    }

    /// Number of macro steps of the slow side.
    pub fn steps(&self) -> u64 {
        (self.stop_s / self.step_s).round() as u64
    }

    /// One line that tells runs apart, letters beside the name of the coupling.
    pub fn line(&self) -> String {
        let rate = if self.rate.over == 1 {
            String::new()
        } else {
            format!(" · rate {} (mass {} fast)", self.rate, typed(self.fast))
        };
        format!(
            "case {} · {} ({}) · {} · {} · {} · H = {} s{rate} · integrator {}",
            typed(self.case),
            typed(self.coupling),
            self.coupling.letters(),
            self.schedule.short(),
            self.predict,
            typed(self.correct),
            self.step_s,
            typed(self.integrator),
        )
    }
}

/// The parameters of a case.
pub fn case_parameters(case: Case) -> Parameters {
    match case {
        Case::One => Parameters::case_1(),
        Case::Two => Parameters::case_2(),
    }
}

/// What is typed, what a named method says, and defaults, in this order.
fn recipe(arguments: &OscillatorArguments) -> Result<Recipe, Failure> {
    // Defaults.
    let mut recipe = Recipe {
        coupling: Coupling::ForceDisplacement,
        schedule: Schedule::Jacobi,
        predict: Predict::classical(1),
        correct: Correct::Explicit,
        step_s: 1e-3,
    };
    // A method names schedule, predictor and corrector: to type one of them too would contradict it, or repeat it.
    if let Some(method) = arguments.method {
        let parts = [
            arguments.schedule.map(|s| format!("--schedule {}", s.short())),
            arguments.predict.map(|p| format!("--predict {p}")),
            arguments.correct.map(|c| format!("--correct {}", typed(c))),
        ];
        if let Some(part) = parts.into_iter().flatten().next() {
            return Err(Failure::conflict(format!("--method {method}"), part, "the method already contains it"));
        }
        recipe = macrostep_analysis::scheme::recipe(method);
    }
    // What is typed goes before what the method says.
    Ok(Recipe {
        coupling: arguments.coupling.unwrap_or(recipe.coupling),
        schedule: arguments.schedule.unwrap_or(recipe.schedule),
        predict: arguments.predict.unwrap_or(recipe.predict),
        correct: arguments.correct.unwrap_or(recipe.correct),
        step_s: arguments.step.unwrap_or(recipe.step_s),
    })
}

fn macro_steps(step_s: f64, rate: Rate, fast: Fast) -> [f64; 2] {
    let fast_s = step_s * f64::from(rate.under) / f64::from(rate.over);
    match fast {
        Fast::One => [fast_s, step_s],
        Fast::Two => [step_s, fast_s],
    }
}

fn parameters(arguments: &OscillatorArguments) -> Result<Parameters, Failure> {
    let mut parameters = case_parameters(arguments.case);
    for (i, setting) in arguments.set.iter().enumerate() {
        if let Some(other) = arguments.set[..i].iter().find(|other| other.name == setting.name) {
            let typed = |value: f64| format!("--set {}={value}", setting.name);
            return Err(Failure::conflict(typed(other.value), typed(setting.value), "set it once"));
        }
        let value = setting.value;
        parameters.set(&setting.name, value).map_err(|error| Failure::Usage(format!("`--set`: {error}")))?;
    }
    parameters.validate().map_err(|error| Failure::Usage(format!("`--set`: {error}")))?;
    Ok(parameters)
}

/// Steps must tile what they divide.
fn check_steps(arguments: &OscillatorArguments, step_s: f64, own_steps: [f64; 2]) -> Result<(), Failure> {
    // The options as they are named in a conflict.
    let stop = format!("--stop {}", arguments.stop);
    let step = format!("--step {step_s}");
    let rate = format!("--rate {}", arguments.rate);
    // The run is made of macro steps, and of the steps of each side.
    if arguments.stop / step_s > STEPS_MAX {
        return Err(Failure::conflict(stop, step, "more than 1e8 macro steps"));
    }
    if !divides(step_s, arguments.stop) {
        return Err(Failure::conflict(stop, step, "the run is not a whole number of macro steps"));
    }
    for own_s in own_steps {
        if !divides(own_s, arguments.stop) {
            return Err(Failure::conflict(rate, stop, "the run is not a whole number of steps of the fast side"));
        }
    }
    // Micro steps make up both.
    let Some(micro_s) = arguments.micro else { return Ok(()) };
    let micro = format!("--micro {micro_s}");
    if arguments.integrator == Integrator::Exact {
        return Err(Failure::conflict(micro, "--integrator exact", "exact integration has no micro steps"));
    }
    if !divides(micro_s, step_s) {
        return Err(Failure::conflict(micro, step, "a macro step is not a whole number of micro steps"));
    }
    if own_steps.iter().any(|own_s| !divides(micro_s, *own_s)) {
        return Err(Failure::conflict(micro, rate, "a step of the fast side is not a whole number of micro steps"));
    }
    Ok(())
}

/// Whether `whole` is a positive whole number of `part`, up to rounding.
fn divides(part: f64, whole: f64) -> bool {
    let ratio = whole / part;
    ratio > 0.5 && (ratio - ratio.round()).abs() <= 1e-9 * ratio
}

fn by_name<S: serde::Serializer>(parameters: &Parameters, serializer: S) -> Result<S::Ok, S::Error> {
    BTreeMap::from(parameters.named()).serialize(serializer)
}

/// Of two units: gs12, gs21.
fn in_short<S: serde::Serializer>(schedule: &Schedule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(schedule.short())
}
