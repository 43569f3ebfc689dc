//! The slave's side: takes a message, makes its calls one after the other, answers.
//!
//! A reply begins with the number of calls that were made and whether the next one failed; then come the values that
//! calls gave, in their order, and last the failure.

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::fmu::{Face, Fmu, FmuError, FmuOptions, Instance, LogRecord, keep_all};
use macrostep_master::unit::{Failure, Outcome, UnitError};

use super::call::Call;
use super::guard;
use super::line::{Line, Side};
use super::snapshot::{Saved, Snapshots};
use super::system::{self, Memory, Word};
use super::values::{Scratch, directional, get, set};
use super::wire::{Put, Take};

/// The argument that makes a program serve one slave: it then only calls [`serve`].
pub const ARGUMENT: &str = "--serve-one-slave";

/// Length of the head of a reply.
pub const HEAD: usize = 9;
/// How often the slave looks whether its master still lives.
pub(super) const LOOK: Duration = Duration::from_millis(200);

/// Serves one slave until its master lets it go; the exit code of the program.
pub fn serve() -> u8 {
    let memory = match Memory::open(io::stdin().as_fd()) {
        Ok(memory) => memory,
        Err(e) => {
            eprintln!("error: `{ARGUMENT}` is for the program itself: {e}");
            return 2;
        }
    };
    keep_all();
    system::close_input();
    system::forbid_core_files();
    system::ignore_interrupts();
    system::die_plainly();
    let master = this_master();
    // A process that is to be copied has one thread.
    let snapshots = if memory.word(Word::Forks).load(Ordering::Relaxed) == 0 {
        end_with_master(master);
        None
    } else if let Err(e) = guard::divide(&memory, master) {
        eprintln!("error: no process for a slave that is saved by fork: {e}");
        return 2;
    } else {
        Some(Snapshots::new())
    };
    Server {
        line: Line::new(memory, Side::Slave),
        slave: None,
        was_loaded: false,
        snapshots,
        scratch: Scratch::default(),
    }
    .run();
    0
}

/// The number of the master's process.
pub(super) fn this_master() -> u32 {
    // An interpreter has arguments of its own before these.
    let master = std::env::args_os().skip_while(|a| a != ARGUMENT).nth(1);
    let master = master.and_then(|id| id.to_str()?.parse().ok());
    master.unwrap_or_else(std::os::unix::process::parent_id)
}

/// A thread, because the slave may be in a call that never ends.
///
/// The master's number is handed over, because it may be gone before this process looks for it. The signal the system
/// offers for this would also come when the thread that started the process ends.
pub(super) fn end_with_master(master: u32) {
    std::thread::spawn(move || {
        while std::os::unix::process::parent_id() == master {
            std::thread::sleep(LOOK);
        }
        system::end_own_group();
    });
}

struct Server {
    line: Line,
    slave: Option<Box<dyn Instance>>,
    /// Whether an instance was asked for.
    was_loaded: bool,
    /// Where the slave is saved by fork, not by its own functions.
    snapshots: Option<Snapshots>,
    scratch: Scratch,
}

/// What comes after a message.
enum Next {
    /// Its answer is sent.
    Answer,
    /// The master has let the slave go.
    Leave,
    /// This process is a snapshot that was woken: the rest of the message that is there now.
    Rest,
}

/// Why a call came to nothing.
pub(super) enum Stop {
    /// It failed.
    Failed(UnitError),
    /// The FMU gave no instance.
    Refused(String),
    /// There is no slave to make it any more.
    Lost(String),
    /// The message made no sense, which is a fault of this program.
    Garbled,
    /// The master lets the slave go.
    Quit,
    /// This process was asleep since this call, and was woken for another.
    Awake,
}

impl From<UnitError> for Stop {
    fn from(error: UnitError) -> Self {
        Stop::Failed(error)
    }
}

impl Server {
    fn run(&mut self) {
        let (mut request, mut reply) = (Vec::new(), Vec::new());
        loop {
            while !(self.line.spin() || self.line.sleep(LOOK)) {}
            // The message from its beginning; a snapshot that is woken goes on behind the calls made before.
            let mut from = (0, 0);
            loop {
                if !self.line.memory.take(&mut request) {
                    return;
                }
                match self.answer(&request, from, &mut reply) {
                    Next::Answer => break,
                    Next::Leave => return,
                    Next::Rest => from = Snapshots::place(&self.line.memory),
                }
            }
            // An answer that has no room is replaced by a failure that has.
            if !self.line.memory.put(&reply) {
                let found = format!("an answer of {} bytes, expected at most {}", reply.len(), Memory::message_max());
                begin(&mut reply);
                close(&mut reply, 0, Some((Call::Serialize, Stop::Refused(found))));
                self.line.memory.put(&reply);
            }
            self.line.hand_over();
        }
    }

    /// Makes the calls from a place in the message on, behind so many that were made by the process before this one.
    fn answer(&mut self, request: &[u8], (from, before): (usize, u64), reply: &mut Vec<u8>) -> Next {
        // The calls of the message one after the other, up to the first that fails.
        begin(reply);
        let mut take = Take::new(request.get(from..).unwrap_or_default());
        let mut done = before;
        let mut stop = None;
        while let Some(call) = take.byte().and_then(Call::of) {
            // Which call it is stays visible to the master, should this process end in it.
            self.line.enter(call, done);
            // With snapshots by fork, going back is a matter of processes, not of the slave.
            let made = match (call, &self.snapshots) {
                (Call::Save, Some(_)) => self.fork(&mut take),
                (Call::Restore, Some(_)) => self.go_back(&mut take, request.len(), done),
                _ => self.call(call, &mut take, reply),
            };
            match made {
                Ok(()) => done += 1,
                Err(Stop::Quit) => return Next::Leave,
                Err(Stop::Awake) => return Next::Rest,
                Err(other) => {
                    stop = Some((call, other));
                    break;
                }
            }
        }
        close(reply, done, stop);
        Next::Answer
    }

    /// Saves the slave with its process.
    fn fork(&mut self, take: &mut Take<'_>) -> Result<(), Stop> {
        let slot = slot(take)?;
        let (Some(slave), Some(snapshots)) = (&mut self.slave, &self.snapshots) else { return Err(Stop::Garbled) };
        let memory = &self.line.memory;
        match snapshots.save(memory, slot, slave.name()) {
            Ok(Saved::Now) => Ok(()),
            Ok(Saved::Awake) => {
                // What was said once since then stays said.
                *slave.remarks() |= memory.word(Word::Told).load(Ordering::Relaxed) as u8;
                Err(Stop::Awake)
            }
            Err(reason) => Err(slave.refused(Call::Save.name(), reason).into()),
        }
    }

    /// Goes back to a snapshot, whose process makes the rest of the message's calls; returns only where there is none.
    fn go_back(&mut self, take: &mut Take<'_>, length: usize, done: u64) -> Result<(), Stop> {
        let slot = slot(take)?;
        let (Some(slave), Some(snapshots)) = (&mut self.slave, &self.snapshots) else { return Err(Stop::Garbled) };
        let memory = &self.line.memory;
        memory.word(Word::Told).fetch_or(u32::from(*slave.remarks()), Ordering::Relaxed);
        let reason = snapshots.restore(memory, slot, (length - take.rest().len(), done + 1));
        Err(slave.refused(Call::Restore.name(), reason).into())
    }

    fn call(&mut self, call: Call, take: &mut Take<'_>, reply: &mut Vec<u8>) -> Result<(), Stop> {
        // Calls that need no slave, or end it.
        match call {
            // Once, and as whoever has started this process says: another machine must not choose files of this one.
            Call::Load if std::mem::replace(&mut self.was_loaded, true) => return Err(Stop::Garbled),
            Call::Load => return self.load(take),
            Call::Quit => {
                self.slave = None;
                return Err(Stop::Quit);
            }
            _ => {}
        }
        let Server { slave: Some(slave), scratch, .. } = self else { return Err(Stop::Garbled) };
        let slave = slave.as_mut();
        match call {
            // Settings and the phases of a run.
            Call::Setup => {
                let (start_s, stop_s, tolerance) = (real(take)?, option(take)?, option(take)?);
                slave.setup(start_s, stop_s, tolerance)?;
            }
            Call::EnterInitialization => slave.enter_initialization()?,
            Call::ExitInitialization => slave.exit_initialization()?,
            Call::Reset => slave.reset()?,
            Call::Terminate => slave.terminate()?,
            // A step is done, or discarded with the time it reached.
            Call::Step => {
                let (t_s, step_s, keep) = (real(take)?, real(take)?, take.byte().ok_or(Stop::Garbled)? != 0);
                match slave.step(t_s, step_s, keep)? {
                    Outcome::Done => reply.byte(0),
                    Outcome::Discarded { reached_s, terminated } => {
                        reply.byte(1 + u8::from(terminated));
                        reply.real(reached_s);
                    }
                }
            }
            // States, by the FMU's own functions.
            Call::Save => slave.save(slot(take)?)?,
            Call::Restore => slave.restore(slot(take)?)?,
            Call::Serialize => reply.bytes(&slave.serialize()?),
            Call::Deserialize => slave.deserialize(take.bytes().ok_or(Stop::Garbled)?)?,
            Call::Directional => directional(slave, scratch, take, reply)?,
            Call::Trials => super::trials::make(slave, take, reply)?,
            Call::Warned => super::warned::put(slave, reply),
            Call::SetReal | Call::SetInteger | Call::SetBoolean | Call::SetString | Call::SetInputDerivatives => {
                set(call, slave, scratch, take)?;
            }
            _ => get(call, slave, scratch, take, reply)?,
        }
        Ok(())
    }

    /// Opens the folder the master has unpacked, limits the memory, makes the instance.
    fn load(&mut self, take: &mut Take<'_>) -> Result<(), Stop> {
        let mut path = || Some(Path::new(OsStr::from_bytes(take.bytes()?)));
        let (folder, python) = (path().ok_or(Stop::Garbled)?, path().ok_or(Stop::Garbled)?);
        let name = take.text().ok_or(Stop::Garbled)?;
        let (flags, memory_bytes) = take.byte().zip(take.number()).ok_or(Stop::Garbled)?;
        let (logging_on, shows_all) = (flags & 1 != 0, flags & 2 != 0);
        let face = if flags & 4 == 0 { Face::CoSimulation } else { Face::ModelExchange };
        let refused = |e: FmuError| Stop::Refused(e.fault.to_string());
        let fmu = Fmu::open(folder).and_then(|fmu| fmu.by_face(Some(face))).map_err(refused)?.in_python(Some(python));
        let now = super::process::memory_of(std::process::id()).map_or(0, |(size, _)| size);
        // Twice the limit, so that the master finds what is touched and says so; where it cannot be set, that look is left.
        let _ = system::limit_address_space(now.saturating_add(memory_bytes.saturating_mul(2)));
        let show = |record: &LogRecord<'_>| system::say(&format!("log: {}", record.plain()));
        let log = (logging_on || shows_all).then(|| Arc::new(show) as _);
        let remark = Some(Arc::new(|text: &str| system::say(&format!("warning: {text}"))) as _);
        let options = FmuOptions { logging_on, log, remark, ..FmuOptions::default() };
        self.slave = Some(fmu.made(&name, &options).map_err(refused)?);
        Ok(())
    }
}

pub(super) fn begin(reply: &mut Vec<u8>) {
    reply.clear();
    reply.extend_from_slice(&[0; HEAD]);
}

/// Writes the head, and the failure behind the values.
pub(super) fn close(reply: &mut Vec<u8>, done: u64, stop: Option<(Call, Stop)>) {
    reply[..8].copy_from_slice(&done.to_le_bytes());
    let Some((call, stop)) = stop else { return };
    reply[8] = 1;
    let (name, status, t_s, message) = match &stop {
        Stop::Failed(error) => {
            let Failure { call, status, t_s, message, .. } = &**error;
            (*call, status.as_str(), *t_s, message.as_str())
        }
        Stop::Refused(reason) => (call.name(), "no instance", 0.0, reason.as_str()),
        Stop::Lost(reason) => (call.name(), "nothing", f64::NAN, reason.as_str()),
        Stop::Garbled | Stop::Quit | Stop::Awake => {
            (call.name(), "nothing", 0.0, "the message to its process could not be read")
        }
    };
    reply.text(name);
    reply.text(status);
    reply.real(t_s);
    reply.text(message);
}

fn real(take: &mut Take<'_>) -> Result<f64, Stop> {
    take.real().ok_or(Stop::Garbled)
}

/// NaN stands for nothing.
fn option(take: &mut Take<'_>) -> Result<Option<f64>, Stop> {
    real(take).map(|x| (!x.is_nan()).then_some(x))
}

fn slot(take: &mut Take<'_>) -> Result<usize, Stop> {
    take.number().and_then(|n| usize::try_from(n).ok()).ok_or(Stop::Garbled)
}
