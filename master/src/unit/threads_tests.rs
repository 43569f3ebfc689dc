//! Units on threads: at the same time, with the same answers, and never lost.

use super::{Derivatives, Described, Outcome, States, Steps, Threads, Unit, UnitError, Values};
use macrostep_description::ModelDescription;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a step waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// What two units do at the same time.
#[derive(Default)]
struct Meeting {
    /// Steps begun, of all units.
    begun: AtomicU64,
    /// Steps that saw another one begin before they ended.
    met: AtomicU64,
}

/// Sums the lengths of its steps. Every step is long enough for a thread; from the second on, it is over when another unit's has
/// begun too, or after a while.
struct Slow {
    name: String,
    description: ModelDescription,
    meeting: Arc<Meeting>,
    sum: f64,
    steps: u64,
    /// The step that fails.
    fails_at: u64,
}

type Done = Result<(), UnitError>;

impl Described for Slow {
    fn name(&self) -> &str {
        &self.name
    }
    fn description(&self) -> &ModelDescription {
        &self.description
    }
}

impl Values for Slow {
    fn get_real(&mut self, _: &[u32], values: &mut [f64]) -> Done {
        values.fill(self.sum);
        Ok(())
    }
}

impl Derivatives for Slow {}

impl States for Slow {}

impl Steps for Slow {
    fn step(&mut self, t_s: f64, step_s: f64, _: bool) -> Result<Outcome, UnitError> {
        self.steps += 1;
        self.sum += step_s;
        std::thread::sleep(Duration::from_micros(50));
        if self.steps == 1 {
            return Ok(Outcome::Done);
        }
        let (before, began) = (self.meeting.begun.fetch_add(1, Ordering::SeqCst), Instant::now());
        let partner = before - before % 2 + 2;
        while self.meeting.begun.load(Ordering::SeqCst) < partner && began.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        if self.meeting.begun.load(Ordering::SeqCst) >= partner {
            self.meeting.met.fetch_add(1, Ordering::SeqCst);
        }
        if self.steps == self.fails_at {
            return Ok(Outcome::Discarded { reached_s: t_s, terminated: false });
        }
        Ok(Outcome::Done)
    }
    fn do_steps(&self) -> u64 {
        self.steps
    }
}

impl Unit for Slow {}

/// Two units on two threads.
fn two(meeting: &Arc<Meeting>, fails_at: u64) -> [Box<dyn Unit>; 2] {
    let threads = Arc::new(Threads::new(2).expect("a thread"));
    ["a", "b"].map(|name| {
        threads.unit(Box::new(Slow {
            name: name.to_owned(),
            description: ModelDescription::default(),
            meeting: Arc::clone(meeting),
            sum: 0.0,
            steps: 0,
            fails_at,
        }))
    })
}

/// A step of both, as the plan has it.
fn step(units: &mut [Box<dyn Unit>; 2], n: u64) -> [Outcome; 2] {
    let t_s = n as f64 * 0.1;
    units.iter_mut().for_each(|unit| unit.begin_step(t_s, 0.1, true).expect("begun"));
    units.each_mut().map(|unit| unit.step(t_s, 0.1, true).expect("a step"))
}

#[test]
fn long_steps_are_made_at_the_same_time() {
    let meeting = Arc::new(Meeting::default());
    let mut units = two(&meeting, 0);
    assert!(units.iter().all(|unit| unit.is_parallel()));
    // The first step is made by the caller; from then on each meets the other one.
    (0..50).for_each(|n| assert_eq!(step(&mut units, n), [Outcome::Done; 2]));
    assert_eq!(meeting.met.load(Ordering::SeqCst), 98);
    // Nothing is lost: the same sum as without threads.
    let expected = (0..50).fold(0.0, |sum: f64, _| sum + 0.1);
    for unit in &mut units {
        let mut value = [0.0];
        unit.get_real(&[0], &mut value).expect("read");
        assert_eq!((value[0].to_bits(), unit.do_steps()), (expected.to_bits(), 50));
    }
}

#[test]
fn a_step_that_is_begun_and_never_ended_is_waited_for() {
    let meeting = Arc::new(Meeting::default());
    let mut units = two(&meeting, 3);
    step(&mut units, 0);
    step(&mut units, 1);
    // One fails, and nobody asks for the other one's step: it is over before the unit is called again.
    units.iter_mut().for_each(|unit| unit.begin_step(0.2, 0.1, true).expect("begun"));
    let outcome = units[0].step(0.2, 0.1, true).expect("a step");
    assert!(matches!(outcome, Outcome::Discarded { .. }));
    let lacking = units[1].restore(0).expect_err("a unit without states");
    assert_eq!(lacking.to_string(), "unit `b`: fmi2SetFMUstate returned fmi2Error: the unit does not have this call");
    assert_eq!(units.map(|unit| unit.do_steps()), [3, 3]);
}
