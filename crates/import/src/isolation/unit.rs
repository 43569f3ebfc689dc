//! A slave in a process of its own, as a [`Unit`](macrostep_master::unit::Unit).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::fmu::Fmu;
use macrostep_description::ModelDescription;
use macrostep_master::unit::{Distance, Failure, Outcome, UnitError};

use super::call::Call;
use super::limits::{Isolation, Limits};
use super::line::{Line, Side};
use super::process::{Process, signal_name};
use super::reading::{self, Readings};
use super::server::HEAD;
use super::system::{Memory, Word};
use super::wire::{Put, Take};
use super::{far, gateway};

impl Isolation {
    /// An instance of an FMU in a process of its own, in the state after `fmi2Instantiate`. The FMU's library is not
    /// loaded in this process.
    ///
    /// # Errors
    /// Where the process is not started, or the FMU is not instantiated there.
    pub fn instantiate(&self, fmu: &Fmu, name: &str) -> Result<IsolatedUnit, UnitError> {
        self.start(fmu, name, None)
    }

    /// As [`Isolation::instantiate`], and the instance goes back by fork, whatever the FMU offers: its process is copied, and
    /// the copy sleeps as the snapshot. The unit's description says that it can get and set its state.
    ///
    /// # Errors
    /// As [`Isolation::instantiate`].
    pub fn instantiate_by_fork(&self, fmu: &Fmu, name: &str) -> Result<IsolatedUnit, UnitError> {
        let mut description = fmu.description().clone();
        if let Some(co_simulation) = &mut description.co_simulation {
            co_simulation.can_get_and_set_fmu_state = true;
        }
        self.start(fmu, name, Some(Arc::new(description)))
    }

    /// Starts the process and makes the instance there; with a description of what it can by fork.
    fn start(&self, fmu: &Fmu, name: &str, by_fork: Option<Arc<ModelDescription>>) -> Result<IsolatedUnit, UnitError> {
        // Whatever fails here, there is no instance.
        let failed = |message: String| {
            let status = "no instance".to_owned();
            UnitError::from(Failure {
                unit: name.to_owned(),
                call: Call::Load.name_in(fmu.is_of_3()),
                status,
                t_s: 0.0,
                message,
            })
        };
        // Shared memory first, as the process finds in it whether it is to go back by fork.
        let (memory, file) = Memory::create().map_err(|e| failed(format!("no shared memory: {e}")))?;
        memory.word(Word::Forks).store(u32::from(by_fork.is_some()), Ordering::SeqCst);
        // The process, with its output where that is kept.
        // Where the slave is far away it is the one that carries messages there, and the limit of memory is kept there.
        let (program, arguments, limits) = match fmu.is_remote() {
            true => (
                far::program().ok_or_else(|| failed(far::absent()))?,
                vec![far::USE.into()],
                Limits { memory_bytes: u64::MAX, ..self.limits },
            ),
            false => (self.program.clone(), self.arguments.clone(), self.limits),
        };
        let process = Process::start((&program, &arguments), file, self)
            .map_err(|e| failed(format!("no process of `{}`: {e}", program.display())))?;
        let mut unit = IsolatedUnit {
            name: name.to_owned(),
            fmu: fmu.clone(),
            by_fork,
            line: Line::new(memory, Side::Master),
            process,
            limits,
            // No message is under way, and no reading is known.
            message: Vec::new(),
            reply: Vec::new(),
            request: Vec::new(),
            readings: Readings::default(),
            waiting: 0,
            begun: None,
            has_stepped: false,
            is_clean: false,
            gone: None,
            distance: fmu.is_remote().then_some(Distance { round_trips: 0, shortest_s: f64::INFINITY }),
            sent: Instant::now(),
            t_s: 0.0,
            end_s: 0.0,
            do_steps: 0,
        };
        // The instance is made there; what the process holds from now on is the slave's.
        let flags = gateway::flags(fmu, (self.logging_on, self.output.is_some()), unit.by_fork.is_some());
        unit.load(flags, self.limits.memory_bytes)
            .map_err(|e| failed(format!("FMU `{}`: {}", fmu.name(), e.message)))?;
        unit.process.settle(&unit.line);
        Ok(unit)
    }
}

/// An instance in a process of its own.
pub struct IsolatedUnit {
    pub(crate) name: String,
    pub(crate) fmu: Fmu,
    /// What it declares, where it goes back by fork.
    pub(crate) by_fork: Option<Arc<ModelDescription>>,
    line: Line,
    pub(super) process: Process,
    limits: Limits,
    /// Calls not sent yet, then those sent.
    pub(crate) message: Vec<u8>,
    pub(crate) reply: Vec<u8>,
    /// The reading that is asked for.
    pub(crate) request: Vec<u8>,
    pub(super) readings: Readings,
    /// Calls in `message`, those behind a step not counted.
    pub(crate) waiting: u64,
    /// A step the slave is in: its time and length.
    pub(crate) begun: Option<(f64, f64)>,
    pub(super) has_stepped: bool,
    /// Whether nothing was set since the last step.
    pub(super) is_clean: bool,
    /// Why the process has ended.
    pub(super) gone: Option<UnitError>,
    /// Messages to a unit that is far away, and the shortest time that one has taken.
    pub(super) distance: Option<Distance>,
    sent: Instant,
    pub(crate) t_s: f64,
    /// End of the step last sent.
    pub(super) end_s: f64,
    pub(crate) do_steps: u64,
}

/// Longest message put off.
pub(super) const MESSAGE_MAX: usize = 1 << 20;

/// How long a slave may take to free itself.
const FAREWELL: Duration = Duration::from_secs(1);

impl IsolatedUnit {
    /// Number of the process the master has started. All that the slave starts is in its group, unless the slave leaves that.
    pub fn process(&self) -> u32 {
        self.process.id()
    }

    fn load(&mut self, flags: u8, memory_bytes: u64) -> Result<(), UnitError> {
        gateway::put_load(&mut self.message, &self.fmu, (&self.name, flags), memory_bytes);
        self.finish_now()
    }

    /// The name of a call in the version of FMI that the FMU is of.
    pub(super) fn called(&self, call: Call) -> &'static str {
        call.name_in(self.fmu.is_of_3())
    }

    /// A call that begins in the message.
    #[inline]
    pub(crate) fn call(&mut self, call: Call) -> Result<&mut Vec<u8>, UnitError> {
        if self.begun.is_some() {
            self.collect()?;
        }
        if let Some(gone) = &self.gone {
            return Err(gone.clone());
        }
        self.message.byte(call as u8);
        Ok(&mut self.message)
    }

    /// What was put into the message is a call that may wait for the next step.
    #[inline]
    pub(crate) fn put_off(&mut self) -> Result<(), UnitError> {
        self.waiting += 1;
        self.is_clean = false;
        self.readings.forget();
        if self.message.len() > MESSAGE_MAX { self.exchange(0) } else { Ok(()) }
    }

    /// What was put into the message is a call that changes the state, and is made now; by a unit that is far away, with the next that
    /// gives values.
    pub(crate) fn finish(&mut self) -> Result<(), UnitError> {
        if self.distance.is_some() {
            return self.put_off();
        }
        self.finish_now()
    }

    /// As [`IsolatedUnit::finish`], wherever the unit is.
    pub(crate) fn finish_now(&mut self) -> Result<(), UnitError> {
        self.is_clean = false;
        self.readings.forget();
        self.waiting += 1;
        self.exchange(0)
    }

    /// Sends the message and waits; what the calls gave is behind the head of the reply. `readings` of the calls are
    /// behind those counted.
    pub(crate) fn exchange(&mut self, readings: usize) -> Result<(), UnitError> {
        self.send()?;
        self.receive(readings)
    }

    #[inline]
    pub(super) fn send(&mut self) -> Result<(), UnitError> {
        let length = self.message.len();
        if self.distance.is_some() {
            self.sent = Instant::now();
        }
        let fits = self.line.memory.put(&self.message);
        self.message.clear();
        if !fits {
            self.waiting = 0;
            let found = format!("a message of {length} bytes, expected at most {}", Memory::message_max());
            return Err(self.error(self.called(Call::Deserialize), "nothing", found));
        }
        self.line.hand_over();
        Ok(())
    }

    #[inline]
    fn receive(&mut self, readings: usize) -> Result<(), UnitError> {
        let asked = std::mem::take(&mut self.waiting);
        let done = self.answer(asked + readings as u64, (1, readings > 0))?;
        // A reading that fails is told when its values are asked for; any other call at once.
        if done < asked {
            return Err(self.failure(HEAD));
        }
        Ok(())
    }

    /// Waits for the reply to so many calls, that may take as long as those of `steps` steps: how many were made. Where that is less, a failure stands behind
    /// what they gave. `reads` says whether there are readings behind the last step.
    #[inline]
    pub(super) fn answer(&mut self, asked: u64, (steps, reads): (u32, bool)) -> Result<u64, UnitError> {
        // Without an answer, the process has ended, or was ended in the call that shared memory names.
        let limits = Limits { call: self.limits.call.saturating_mul(steps), ..self.limits };
        if let Err(ended) = self.process.answer(&self.line, &limits, asked) {
            let call = self.line.call().unwrap_or(Call::Load);
            // A reading behind a step is one of the step's end.
            if call.reads() && reads {
                self.t_s = self.end_s;
            }
            return Err(self.lost(call, ended.0));
        }
        if let Some(distance) = &mut self.distance {
            distance.round_trips += 1;
            distance.shortest_s = distance.shortest_s.min(self.sent.elapsed().as_secs_f64());
        }
        // An answer is long enough for its head, and its count fits what was asked.
        if !self.line.memory.take(&mut self.reply) || self.reply.len() < HEAD {
            return Err(self.garbled());
        }
        let done = self.done();
        let failed = self.reply[HEAD - 1] != 0;
        if done > asked || (done < asked) != failed {
            return Err(self.garbled());
        }
        Ok(done)
    }

    /// How many calls the reply answers.
    #[inline]
    fn done(&self) -> u64 {
        Take::new(&self.reply).number().unwrap_or(0)
    }

    /// Sends a step with everything put off before it and all readings behind it.
    pub(crate) fn send_step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<(), UnitError> {
        let message = self.call(Call::Step)?;
        message.real(t_s);
        message.real(step_s);
        message.byte(u8::from(keep));
        self.waiting += 1;
        (self.t_s, self.end_s) = (t_s, t_s + step_s);
        self.do_steps += 1;
        self.readings.forget();
        self.readings.ask(&mut self.message);
        self.send()?;
        self.begun = Some((t_s, step_s));
        Ok(())
    }

    /// Waits for the step the slave is in.
    pub(crate) fn collect(&mut self) -> Result<Outcome, UnitError> {
        let Some((t_s, step_s)) = self.begun.take() else { return Ok(Outcome::Done) };
        let asked = self.waiting;
        self.receive(self.readings.len())?;
        let answered = (self.done() - asked) as usize;
        let mut take = Take::new(&self.reply[HEAD..]);
        let outcome = match take.byte() {
            Some(0) => Some(Outcome::Done),
            Some(n @ 1..=2) => take.real().map(|reached_s| Outcome::Discarded { reached_s, terminated: n == 2 }),
            _ => None,
        };
        let learned = self.readings.learn(answered, &mut take);
        let (Some(outcome), Some(())) = (outcome, learned) else { return Err(self.garbled()) };
        self.t_s = if let Outcome::Discarded { reached_s, .. } = outcome { reached_s } else { t_s + step_s };
        (self.has_stepped, self.is_clean) = (true, true);
        Ok(outcome)
    }

    /// The values of the reading in `request`: known, or asked for now.
    pub(crate) fn read(&mut self, call: Call) -> Result<&[u8], UnitError> {
        if self.begun.is_some() {
            self.collect()?;
        }
        if self.readings.find(&self.request).is_none() {
            let asked = self.request_now(call)?;
            let mut take = Take::new(&self.reply[HEAD..]);
            let Some(bytes) = reading::values(call, &mut take) else { return Err(self.garbled()) };
            if !asked || !self.readings.keep(&self.request, bytes) {
                return Ok(&self.reply[HEAD..HEAD + bytes.len()]);
            }
        }
        Ok(self.readings.find(&self.request).unwrap_or_default())
    }

    /// Makes the reading by itself; whether it is one to be made behind each step.
    fn request_now(&mut self, call: Call) -> Result<bool, UnitError> {
        self.call(call)?;
        self.message.pop();
        self.message.extend_from_slice(&self.request);
        self.waiting += 1;
        self.exchange(0)?;
        Ok(self.has_stepped && self.is_clean)
    }

    pub(crate) fn filled(&mut self, call: Call, done: Option<()>) -> Result<(), UnitError> {
        let lengths =
            || self.error(self.called(call), "nothing", "as many values as value references expected".to_owned());
        done.ok_or_else(lengths)
    }

    pub(crate) fn begin_request(&mut self, call: Call, refs: &[u32]) {
        self.request.clear();
        reading::request(&mut self.request, call, refs);
    }
}

impl Drop for IsolatedUnit {
    fn drop(&mut self) {
        if self.gone.is_some() || self.begun.is_some() {
            self.process.kill();
            return;
        }
        self.message.clear();
        self.message.byte(Call::Quit as u8);
        if self.line.memory.put(&self.message) {
            self.line.hand_over();
            if let Some(signal) = self.process.leave(FAREWELL) {
                let (name, call) = (&self.name, self.called(Call::Quit));
                let signal = format!("{signal}{}", signal_name(signal));
                super::system::say(&format!(
                    "warning: unit `{name}`: {call}: its process was ended by signal {signal}"
                ));
            }
        }
        self.process.kill();
    }
}

impl fmt::Debug for IsolatedUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IsolatedUnit")
            .field("name", &self.name)
            .field("process", &self.process)
            .field("t_s", &self.t_s)
            .field("do_steps", &self.do_steps)
            .finish_non_exhaustive()
    }
}
