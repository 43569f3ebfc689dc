//! A *runner* makes the runs of one worker. It keeps its simulations: FMUs are loaded once, and brought back between runs.
//!
//! What an FMU brings back is not always all of it. Therefore [`way`] makes one run twice, with another one between them, and
//! compares all recorded values bit by bit: first with `fmi2Reset`, then with a state saved after instantiation. Where
//! neither gives the bits of a new instance, every run has new instances.

use std::time::Instant;

use macrostep_import::isolation::interrupt;
use macrostep_master::record::Observer;
use macrostep_master::unit::Start;
use macrostep_master::{Grade, RunError, Second, Simulation, UnitId};
use macrostep_system::scenario::Value;
use macrostep_system::{Catalogue, assemble, second_look};

use crate::saved_reset::SavedReset;
use crate::study::Study;
use crate::vary::Target;

/// Simulations that differ in structure and are kept at the same time.
const KEPT_MAX: usize = 8;

/// Macro steps between two looks at the clock.
const STRETCH: u64 = 1000;

/// How simulations are brought back to their start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// `fmi2Reset`.
    Reset,
    /// A state saved after instantiation.
    Saved,
    /// New instances.
    New,
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Way::Reset => "fmi2Reset",
            Way::Saved => "fmi2SetFMUstate",
            Way::New => "new instances",
        })
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// At its stop time.
    Done,
    /// At its stop time, with macro steps that did not converge.
    Unconverged(String),
    /// At its stop time, with a verdict that is doubtful.
    Doubtful(String),
    /// At its stop time, and the coupling makes it grow.
    Growing(String),
    /// Signals grew beyond all bounds.
    Diverged(String),
    /// It could not begin or go on.
    Failed(String),
    /// It took longer than allowed.
    TooLong(String),
    /// An FMU said that none of its instances may be used any more.
    Fatal(String),
    /// Somebody asked for an end.
    Interrupted,
}

impl Ending {
    /// The text in the column `status`.
    pub fn status(&self) -> String {
        match self {
            Ending::Done => "ok".to_owned(),
            Ending::Unconverged(why) => format!("unconverged: {why}"),
            Ending::Doubtful(why) => format!("doubtful: {why}"),
            Ending::Growing(why) => format!("growing: {why}"),
            Ending::Diverged(why) => format!("diverged: {why}"),
            Ending::Failed(why) | Ending::Fatal(why) => format!("failed: {why}"),
            Ending::TooLong(why) => format!("stopped: {why}"),
            Ending::Interrupted => "interrupted".to_owned(),
        }
    }

    /// Whether the rows go on to the stop time.
    pub fn is_whole(&self) -> bool {
        matches!(self, Ending::Done | Ending::Unconverged(_) | Ending::Doubtful(_) | Ending::Growing(_))
    }

    /// Whether its values may be compared with data.
    pub fn is_usable(&self) -> bool {
        self.is_whole() && !matches!(self, Ending::Growing(_))
    }
}

/// What the last run of a runner has cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// Calls of `fmi2DoStep` of all units.
    pub do_steps: u64,
    /// Time of the macro steps \[s\].
    pub wall_s: f64,
}

/// The simulations of one worker.
pub struct Runner<'s, 'a> {
    study: &'s Study<'a>,
    way: Way,
    /// The newest last.
    kept: Vec<(Vec<Value>, Simulation)>,
    cost: Cost,
    /// Whether doubtful runs get a second look, too; it takes several times as long as the run.
    looks_at_doubts: bool,
}

impl<'s, 'a> Runner<'s, 'a> {
    /// Without any simulation yet.
    pub fn new(study: &'s Study<'a>, way: Way) -> Self {
        Runner { study, way, kept: Vec::new(), cost: Cost::default(), looks_at_doubts: false }
    }

    /// With a second look at doubtful runs.
    #[must_use]
    pub fn looking_at_doubts(self) -> Self {
        Runner { looks_at_doubts: true, ..self }
    }

    /// What the last run has cost.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// One run with these values of the targets; rows go to the observer.
    pub fn run(&mut self, values: &[Value], observer: &mut dyn Observer) -> Ending {
        let (starts, structure) = match self.divided(values) {
            Ok(divided) => divided,
            Err(ending) => return ending,
        };
        let set = |unit: UnitId, slave: &mut dyn macrostep_master::unit::Unit| -> Result<(), RunError> {
            let mut own = starts.iter().filter(|(u, _)| *u == unit.index());
            own.try_for_each(|(_, start)| start.set(slave)).map_err(RunError::from)
        };
        // A simulation of this structure at its start.
        let place = self.kept.iter().position(|(known, _)| *known == structure);
        let begun = match place {
            Some(i) => {
                let (_, mut simulation) = self.kept.remove(i);
                simulation.restart(set).map(|()| simulation).map_err(|error| ended(&error))
            }
            None => self.made(values).and_then(|mut simulation| match simulation.initialise_with(set) {
                Ok(()) => Ok(simulation),
                Err(error) => Err(ended(&error)),
            }),
        };
        let mut simulation = match begun {
            Ok(simulation) => simulation,
            Err(ending) => return ending,
        };
        // The run. What has failed is not used again.
        let count = |simulation: &Simulation| simulation.do_steps().iter().sum::<u64>();
        let (before, began) = (count(&simulation), Instant::now());
        let ending = self.steps(&mut simulation, values, observer);
        self.cost = Cost { wall_s: began.elapsed().as_secs_f64(), do_steps: count(&simulation).saturating_sub(before) };
        if self.way != Way::New && ending.is_whole() {
            if self.kept.len() >= KEPT_MAX {
                self.kept.remove(0);
            }
            self.kept.push((structure, simulation));
        }
        ending
    }

    /// Start values with their units, and the values that are structural.
    fn divided(&self, values: &[Value]) -> Result<(Vec<(usize, Start)>, Vec<Value>), Ending> {
        let (mut starts, mut structure) = (Vec::new(), Vec::new());
        for ((target, value), is_structural) in self.study.targets.iter().zip(values).zip(&self.study.is_structural) {
            match target {
                Target::Variable(e) if !is_structural => {
                    let start = self.study.start(e, value).map_err(|finding| Ending::Failed(finding.to_string()))?;
                    starts.push((self.study.scenario.unit(&e.unit).unwrap_or(usize::MAX), start));
                }
                _ => structure.push(value.clone()),
            }
        }
        Ok((starts, structure))
    }

    /// A simulation that was never run.
    fn made(&self, values: &[Value]) -> Result<Simulation, Ending> {
        let scenario = self.study.scenario_of(values).map_err(Ending::Failed)?;
        let first = |findings: Vec<macrostep_system::Finding>| {
            Ending::Failed(findings.first().map_or_else(String::new, ToString::to_string))
        };
        let assembly = match self.way {
            Way::Saved => assemble(&scenario, &SavedReset(self.study.units)),
            Way::Reset | Way::New => assemble(&scenario, self.study.units),
        };
        let (assembly, _) = assembly.map_err(first)?;
        assembly.simulation().map_err(|error| ended(&error))
    }

    /// All macro steps to the stop time.
    fn steps(&self, simulation: &mut Simulation, values: &[Value], observer: &mut dyn Observer) -> Ending {
        match self.stretches(simulation, values, observer) {
            Ok(Some(ending)) => ending,
            Ok(None) => self.judged(simulation, values),
            Err(error) => ended(&error),
        }
    }

    /// How a run at its stop time has ended by its verdict, after a second look where that makes a difference.
    fn judged(&self, simulation: &mut Simulation, values: &[Value]) -> Ending {
        // Accounts are closed before they are judged.
        simulation.accounts();
        let first = simulation.verdict();
        let is_open = first.second != Second::Nothing && (first.grade == Grade::Growing || self.looks_at_doubts);
        let scenario = if is_open { self.study.whole_scenario(values).ok() } else { None };
        let verdict = match scenario {
            Some(scenario) => {
                let of = (&scenario, self.study.units as &dyn Catalogue);
                second_look(first, of, simulation.statistics().windows, &|| !interrupt::asked())
            }
            None => first,
        };
        if interrupt::asked() {
            return Ending::Interrupted;
        }
        match verdict.grade {
            Grade::Growing if !self.study.scenario.experiment.expect_growth => Ending::Growing(verdict.reason),
            Grade::Ok | Grade::Growing => Ending::Done,
            Grade::Doubtful => Ending::Doubtful(verdict.reason),
            Grade::Failed => Ending::Unconverged(verdict.reason),
        }
    }

    fn stretches(
        &self,
        simulation: &mut Simulation,
        values: &[Value],
        observer: &mut dyn Observer,
    ) -> Result<Option<Ending>, RunError> {
        // A run that takes longer than the limit is ended, and so is one that is interrupted.
        let began = Instant::now();
        let limit = self.study.limit;
        let is_late = || limit.is_some_and(|limit| began.elapsed() > limit);
        let late = || Ending::TooLong(format!("longer than {} s", limit.unwrap_or_default().as_secs_f64()));
        // Steps that are chosen are counted by nobody before.
        let is_chosen = simulation.course().is_some();
        let mut left = if is_chosen { u64::MAX } else { simulation.windows_in(self.span_s(values))? };
        simulation.observe(observer)?;
        loop {
            let windows = left.min(STRETCH);
            let made = simulation.advance(windows, (0, 1), observer)?;
            left -= made;
            if left == 0 || made < windows {
                return Ok(None);
            }
            if interrupt::asked() || is_late() {
                return Ok(Some(if is_late() { late() } else { Ending::Interrupted }));
            }
        }
    }

    /// Length of a run \[s\].
    fn span_s(&self, values: &[Value]) -> f64 {
        let e = &self.study.scenario.experiment;
        let stop = Target::Key(crate::vary::Key::Stop);
        let varied = self.study.targets.iter().position(|target| *target == stop).and_then(|i| values.get(i));
        varied.and_then(crate::vary::number).or(e.stop_s).unwrap_or(f64::NAN) - e.start_s
    }
}

/// A failed run in words.
fn ended(error: &RunError) -> Ending {
    match error {
        RunError::Diverged(diverged) => Ending::Diverged(diverged.to_string()),
        RunError::Unit(unit) if unit.status.contains("fmi2Fatal") || unit.message.contains("fmi2Fatal before") => {
            Ending::Fatal(error.to_string())
        }
        _ => Ending::Failed(error.to_string()),
    }
}

/// The bits of all rows of a run.
#[derive(Default)]
struct Digest(u64);

impl Observer for Digest {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        for x in [&[t_s], values].concat() {
            self.0 = (self.0.rotate_left(5) ^ x.to_bits()).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }
}

/// The cheapest way that gives the bits of new instances, found with runs at two points.
pub fn way(study: &Study<'_>, points: [&[Value]; 2]) -> Way {
    let digest = |runner: &mut Runner<'_, '_>, point: &[Value]| {
        let mut digest = Digest::default();
        let ending = runner.run(point, &mut digest);
        (ending, digest.0)
    };
    let fresh = digest(&mut Runner::new(study, Way::New), points[0]);
    if !fresh.0.is_whole() {
        return Way::New;
    }
    let can_save =
        study.descriptions().iter().all(|d| d.co_simulation.as_ref().is_some_and(|c| c.can_get_and_set_fmu_state));
    let ways = if can_save { vec![Way::Reset, Way::Saved] } else { vec![Way::Reset] };
    let is_equal = |way: &Way| {
        let mut runner = Runner::new(study, *way);
        digest(&mut runner, points[1]);
        digest(&mut runner, points[0]) == fresh
    };
    ways.into_iter().find(is_equal).unwrap_or(Way::New)
}
