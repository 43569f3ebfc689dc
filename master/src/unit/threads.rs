//! *Threads* for units in this process: steps that do not need each other's results are made at the same time.
//!
//! The plan knows such steps: those that stand between two publications (see [`Op::Begin`](crate::Op::Begin)). Beginning one puts
//! the unit with its step into a queue; a thread that is free takes it from the end, and the master, which goes through the same
//! steps from the beginning, takes those that nobody has taken yet. Each unit gets the same calls with the same values in the same
//! order as without threads, so results are equal to the bit, whatever the number of threads.
//!
//! FMI 2.0.5 has calls of one instance serialised and says nothing against calls of two instances at once, yet libraries with
//! variables of their own exist that cannot bear it. So threads are for whoever asks for them. A step shorter than 5 µs is made
//! by the master itself: handing it over would cost more.

use super::{Derivatives, Described, Failure, Outcome, States, Steps, Unit, UnitError, Values};
use macrostep_description::ModelDescription;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A unit whose steps are longer than this is worth a thread, and one whose steps are shorter than the other is none any more.
const COSTLY: [Duration; 2] = [Duration::from_micros(5), Duration::from_micros(4)];

/// Cheap steps of which one is timed.
const LOOK_EVERY: u64 = 64;

/// How long a thread without work looks out for it before it sleeps.
const PATIENCE: Duration = Duration::from_micros(200);

/// Looks at a word between two looks at the clock.
const SPINS: u32 = 256;

/// States of a job: the master has it, it waits for somebody, somebody is at it, it is done.
const HERE: u8 = 0;
const WAITING: u8 = 1;
const TAKEN: u8 = 2;
const DONE: u8 = 3;

/// A step on its way through the queue.
struct Job {
    state: AtomicU8,
    /// Whether it stands in the queue, where it may be waited for no longer.
    queued: AtomicBool,
    work: Mutex<Option<Work>>,
}

struct Work {
    unit: Box<dyn Unit>,
    step: Step,
    /// What the unit answered, and how long that took.
    answer: Option<(Result<Outcome, UnitError>, Duration)>,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    t_s: f64,
    step_s: f64,
    keep: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that a job is done, also where the step has ended its thread.
struct Done<'a>(&'a Job);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.state.store(DONE, Ordering::Release);
    }
}

impl Job {
    /// Whether the caller is the one to do it.
    fn take(&self) -> bool {
        self.state.compare_exchange(WAITING, TAKEN, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    /// Does what was taken.
    fn run(&self) {
        let _done = Done(self);
        if let Some(work) = &mut *locked(&self.work) {
            let (Step { t_s, step_s, keep }, began) = (work.step, Instant::now());
            let outcome = work.unit.step(t_s, step_s, keep);
            work.answer = Some((outcome, began.elapsed()));
        }
    }
}

/// What master and threads share.
#[derive(Default)]
struct Shared {
    queue: Mutex<Vec<Arc<Job>>>,
    /// Jobs in the queue.
    queued: AtomicUsize,
    sleeping: AtomicUsize,
    ended: AtomicBool,
    door: Mutex<()>,
    bell: Condvar,
}

impl Shared {
    fn post(&self, job: &Arc<Job>) {
        if !job.queued.swap(true, Ordering::SeqCst) {
            let mut queue = locked(&self.queue);
            queue.push(Arc::clone(job));
            self.queued.store(queue.len(), Ordering::SeqCst);
        }
        // Whoever goes to sleep has looked at the queue with the door held.
        if self.sleeping.load(Ordering::SeqCst) > 0 {
            drop(locked(&self.door));
            self.bell.notify_one();
        }
    }

    /// The newest job that nobody is at yet, taken.
    fn next(&self) -> Option<Arc<Job>> {
        while self.queued.load(Ordering::SeqCst) > 0 {
            let mut queue = locked(&self.queue);
            let job = queue.pop();
            self.queued.store(queue.len(), Ordering::SeqCst);
            drop(queue);
            let job = job?;
            job.queued.store(false, Ordering::SeqCst);
            if job.take() {
                return Some(job);
            }
        }
        None
    }

    fn work(&self) {
        let mut idle = Instant::now();
        while !self.ended.load(Ordering::SeqCst) {
            if let Some(job) = self.next() {
                job.run();
                idle = Instant::now();
            } else if idle.elapsed() < PATIENCE {
                self.look_out(|| self.queued.load(Ordering::SeqCst) > 0);
            } else {
                self.sleep();
                idle = Instant::now();
            }
        }
    }

    /// Waits a moment, no longer than until there is something.
    fn look_out(&self, is_there: impl Fn() -> bool) {
        for _ in 0..SPINS {
            if is_there() {
                return;
            }
            spin_loop();
        }
        thread::yield_now();
    }

    fn sleep(&self) {
        let door = locked(&self.door);
        self.sleeping.fetch_add(1, Ordering::SeqCst);
        if self.queued.load(Ordering::SeqCst) == 0 && !self.ended.load(Ordering::SeqCst) {
            drop(self.bell.wait(door).unwrap_or_else(PoisonError::into_inner));
        }
        self.sleeping.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Threads that units in this process step on beside the one that calls.
pub struct Threads {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    units: AtomicUsize,
}

impl Threads {
    /// `n` threads, the caller's among them.
    ///
    /// # Errors
    /// What the system says where it gives no thread.
    pub fn new(n: usize) -> std::io::Result<Threads> {
        let mut threads = Threads { shared: Arc::default(), workers: Vec::new(), units: AtomicUsize::new(0) };
        for i in 1..n {
            let shared = Arc::clone(&threads.shared);
            let worker = thread::Builder::new().name(format!("steps {i}")).spawn(move || shared.work())?;
            threads.workers.push(worker);
        }
        Ok(threads)
    }

    /// The same unit, which may step beside others.
    pub fn unit(self: &Arc<Self>, unit: Box<dyn Unit>) -> Box<dyn Unit> {
        // Room for all, so that none is made in a step.
        let units = self.units.fetch_add(1, Ordering::Relaxed) + 1;
        let mut queue = locked(&self.shared.queue);
        let missing = units.saturating_sub(queue.len());
        queue.reserve(missing);
        drop(queue);
        let job = Job { state: AtomicU8::new(HERE), queued: AtomicBool::new(false), work: Mutex::new(None) };
        Box::new(Beside {
            name: unit.name().to_owned(),
            description: unit.shared_description(),
            kind: unit.kind(),
            unit: Some(unit),
            job: Arc::new(job),
            threads: Arc::clone(self),
            steps: 0,
            lasts: Duration::ZERO,
            is_costly: false,
        })
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        drop(locked(&self.shared.door));
        self.shared.bell.notify_all();
        for worker in self.workers.drain(..) {
            // One that was ended by a slave is gone already.
            let _ = worker.join();
        }
    }
}

/// A unit that may step beside others.
struct Beside {
    /// `None` while a step is on its way.
    unit: Option<Box<dyn Unit>>,
    job: Arc<Job>,
    threads: Arc<Threads>,
    name: String,
    description: Arc<ModelDescription>,
    kind: &'static str,
    /// Steps begun or made.
    steps: u64,
    /// How long a step takes, the newest counting most.
    lasts: Duration,
    is_costly: bool,
}

impl Beside {
    /// How long a step took.
    fn took(&mut self, time: Duration) {
        self.lasts = if self.lasts.is_zero() { time } else { (self.lasts * 3 + time) / 4 };
        self.is_costly = self.lasts > COSTLY[usize::from(self.is_costly)];
    }

    /// The unit back from its step, and what came of it; nothing where nobody had begun.
    fn back(&mut self) -> Option<Result<Outcome, UnitError>> {
        let shared = Arc::clone(&self.threads.shared);
        // Somebody else is at it: meanwhile others can be helped.
        while self.job.state.load(Ordering::Acquire) == TAKEN {
            match shared.next() {
                Some(other) => other.run(),
                None => shared.look_out(|| self.job.state.load(Ordering::Acquire) != TAKEN),
            }
        }
        let work = locked(&self.job.work).take();
        self.job.state.store(HERE, Ordering::Release);
        let Work { unit, answer, .. } = work?;
        self.unit = Some(unit);
        let (outcome, time) = answer?;
        self.took(time);
        Some(outcome)
    }

    /// The unit, whose step is over or will not be made.
    fn here(&mut self) -> Result<&mut dyn Unit, UnitError> {
        if self.unit.is_none() {
            // What nobody has begun is taken back.
            if self.job.take() {
                self.job.state.store(DONE, Ordering::Release);
            }
            let _ = self.back();
        }
        match &mut self.unit {
            Some(unit) => Ok(unit.as_mut()),
            None => Err(lost(&self.name, f64::NAN)),
        }
    }

    /// A step by the caller itself.
    fn step_here(&mut self, step: Step) -> Result<Outcome, UnitError> {
        let is_timed = self.lasts.is_zero() || self.steps.is_multiple_of(LOOK_EVERY);
        self.steps += 1;
        let began = is_timed.then(Instant::now);
        let outcome = self.here()?.step(step.t_s, step.step_s, step.keep);
        if let Some(began) = began {
            self.took(began.elapsed());
        }
        outcome
    }
}

/// A step that has taken its thread along.
fn lost(name: &str, t_s: f64) -> UnitError {
    let (unit, status) = (name.to_owned(), "nothing".to_owned());
    let message = "it ended the thread that made the step".to_owned();
    UnitError::from(Failure { unit, call: "fmi2DoStep", status, t_s, message })
}

impl Drop for Beside {
    fn drop(&mut self) {
        // Not before its step is over.
        let _ = self.here();
    }
}

type Answer = Result<(), UnitError>;

impl Described for Beside {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn shared_description(&self) -> Arc<ModelDescription> {
        Arc::clone(&self.description)
    }

    fn kind(&self) -> &'static str {
        self.kind
    }

    fn inner(&self) -> Option<&dyn Unit> {
        self.unit.as_deref()
    }

    /// Not before its step is over.
    #[inline]
    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        self.here().map(Some)
    }
}

impl Values for Beside {}

impl Derivatives for Beside {}

impl States for Beside {}

impl Steps for Beside {
    fn is_parallel(&self) -> bool {
        !self.threads.workers.is_empty()
    }

    fn do_steps(&self) -> u64 {
        self.unit.as_ref().map_or(self.steps, |unit| unit.do_steps())
    }

    #[inline]
    fn begin_step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Answer {
        if !self.is_costly {
            return Ok(());
        }
        self.here()?;
        let Some(unit) = self.unit.take() else { return Ok(()) };
        self.steps += 1;
        *locked(&self.job.work) = Some(Work { unit, step: Step { t_s, step_s, keep }, answer: None });
        self.job.state.store(WAITING, Ordering::SeqCst);
        self.threads.shared.post(&self.job);
        Ok(())
    }

    #[inline]
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        if self.unit.is_some() {
            return self.step_here(Step { t_s, step_s, keep });
        }
        if self.job.take() {
            self.job.run();
        }
        // The step may have ended the thread that made it.
        self.back().unwrap_or_else(|| Err(lost(&self.name, t_s)))
    }
}

impl Unit for Beside {}
