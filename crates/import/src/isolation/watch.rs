//! The program under watch: two processes, of which one does the work and the other reports how it ends.
//!
//! A slave in the program's own process can end it by a signal, by `_exit(0)`, by becoming another program, or by never
//! returning. No process can say that of itself, so the program forks before it does anything. The second process works
//! and notes in shared memory what it is in (the unit, the call, its time, the rows recorded). The first one waits: it
//! turns a death into an error and exit code 1, ends a call that never ends, and passes interrupts on.
//!
//! | Event | What becomes of it |
//! |---|---|
//! | the work ends, whatever its exit code | the same exit code, with the last words the work has left |
//! | the working process ends in any other way | one error, with unit, call, time and rows; exit code 1 |
//! | a call takes longer than its limit | the working process is killed; as above |
//! | the first SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU or SIGUSR1, nothing recorded yet | the program ends as by that signal |
//! | the first one in a run | noted; the run ends at its next communication point, or is killed where none comes |
//! | another one within a moment | the same: `timeout` and batch systems send one to the process and one to its group |
//! | the second one | the program ends as by that signal |
//! | the first process is killed | the system kills the second |

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::fmu::{Unpacked, has_python, keep_all};
use macrostep_description::shown;

use super::process::signal_name;
use super::system::{self, board};
use super::words::{kept, shortened};

/// How often the work is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// A slave that is asked again and again for the end of its step gives up by itself at the limit, with better words.
const GRACE: Duration = Duration::from_secs(1);

/// Signals that come within this time are one.
const MOMENT: Duration = Duration::from_millis(200);

/// How long an interrupted run may take to its next communication point.
const PATIENCE: Duration = Duration::from_secs(8);

/// Role of a process.
#[derive(Debug)]
pub enum Role {
    /// It does the work, then says [`finish`].
    Work,
    /// It has seen the work end, and ends with this code.
    Watch(u8),
}

/// Divides the program in two. To be called before there are threads. Where the system refuses, this process does the
/// work unwatched.
pub fn begin() -> Role {
    system::ignore_file_limit();
    keep_all();
    match system::divide() {
        Ok(Some(worker)) => Role::Watch(Watch::new(worker).wait()),
        Ok(None) | Err(_) => Role::Work,
    }
}

/// The work is over: its exit code, and last words for standard error.
pub fn finish(code: u8, words: Option<&str>) -> u8 {
    if system::is_watched() {
        board().words.set(words.unwrap_or_default());
        board().done.store(u32::from(code) + 1, Ordering::Release);
        // An interpreter whose objects are in use cannot be finished in order: FMUs written in Python abort where it is tried.
        if has_python() {
            let _ = std::io::stdout().flush();
            system::exit_now(i32::from(code));
        }
    } else {
        words.into_iter().for_each(system::say);
    }
    code
}

/// Rows go to this file.
pub fn rows_go_to(file: &str) {
    board().file.set(file);
}

/// So many rows are there, the last one of this time in s, in a file of so many bytes.
#[inline]
pub fn row(rows: u64, last_s: f64, bytes: u64) {
    board().rows.store(rows, Ordering::Relaxed);
    board().rows_bytes.store(bytes, Ordering::Relaxed);
    board().last_s.store(last_s.to_bits(), Ordering::Relaxed);
}

/// The file of the rows is longer than they are, which end there; 0 where it is not.
#[inline]
pub fn rows_end_at(bytes: u64) {
    board().rows_end.store(bytes, Ordering::Relaxed);
}

/// Takes away what is behind the rows of a process that has died; whole rows stay.
fn cut_rows() {
    let end = board().rows_end.load(Ordering::Relaxed);
    let Some(before) = end.checked_sub(1) else { return };
    let Ok(file) = File::options().read(true).write(true).open(board().file.get()) else { return };
    // Believed only where a row ends there.
    let mut last = [0];
    if matches!(file.read_at(&mut last, before), Ok(1)) && last == *b"\n" {
        let _ = file.set_len(end);
    }
}

/// Why the working process was killed.
enum Cause {
    /// A call took too long.
    Limit(Duration),
    /// An interrupt that the run had no time for.
    Impatience,
    /// What an FMU has left for the end of the program took too long.
    Exit(Duration),
}

/// One process watching another.
struct Watch {
    worker: i32,
    looked: Instant,
    /// For each unit the call it is in, and since when.
    calls: Vec<(u64, Duration)>,
    /// Since the first interrupt.
    interrupted: Option<Duration>,
    /// When that came.
    signalled: Option<Instant>,
    /// For how long the work has been done.
    over: Duration,
}

impl Watch {
    fn new(worker: i32) -> Watch {
        Watch {
            worker,
            looked: Instant::now(),
            calls: Vec::new(),
            interrupted: None,
            signalled: None,
            over: Duration::ZERO,
        }
    }

    fn wait(mut self) -> u8 {
        loop {
            if let Some(signal) = system::next_signal(LOOK) {
                let is_second = self.signalled.is_some_and(|first| first.elapsed() > MOMENT);
                if is_second || board().listens.load(Ordering::Relaxed) == 0 {
                    self.end_work();
                    system::end_by(signal);
                }
                self.signalled.get_or_insert_with(Instant::now);
                self.interrupted.get_or_insert(Duration::ZERO);
                board().interrupted.store(1, Ordering::Relaxed);
            }
            if let Some(status) = system::ended(self.worker) {
                return self.ended(status);
            }
            if let Some(cause) = self.look() {
                self.end_work();
                // The work was complete before: its exit code stays.
                if let (Cause::Exit(_), Some(code)) = (&cause, done()) {
                    system::say(&format!("warning: everything was written; after that {}", cause.words()));
                    return over(code);
                }
                return failed(&died(&cause.words()));
            }
        }
    }

    /// Whether the work has to be ended, and why.
    fn look(&mut self) -> Option<Cause> {
        let passed = self.looked.elapsed();
        if passed < LOOK {
            return None;
        }
        self.looked = Instant::now();
        // Time in which this process was stopped itself, and with it the work, does not count.
        let passed = passed.min(2 * LOOK);
        if let Some(since) = &mut self.interrupted {
            *since += passed;
            if *since > PATIENCE && board().heard.load(Ordering::Relaxed) == 0 {
                return Some(Cause::Impatience);
            }
        }
        // How long each call goes on: two looks that see the same mark see the same call.
        let limit_ms = board().call_limit_ms.load(Ordering::Relaxed);
        let limit = Duration::from_millis(limit_ms);
        let places = board().places();
        self.calls.resize(places.len(), (0, Duration::ZERO));
        let mut is_over = false;
        for (place, (mark, since)) in places.iter().zip(&mut self.calls) {
            let now = place.mark();
            *since = if now != 0 && now == *mark { *since + passed } else { Duration::ZERO };
            *mark = now;
            is_over |= *since > limit.saturating_add(GRACE);
        }
        // Handlers and destructors that an FMU leaves for the end of the program are calls of it, too.
        if board().done.load(Ordering::Acquire) != 0 {
            self.over += passed;
            if limit_ms > 0 && self.over > limit.saturating_add(GRACE) {
                return Some(Cause::Exit(limit));
            }
        }
        // Under a debugger calls take as long as they want.
        (limit_ms > 0 && is_over && !system::is_traced(self.worker)).then_some(Cause::Limit(limit))
    }

    /// Ends the work and what it has started, and removes what it leaves in the temporary folder.
    fn end_work(&self) {
        system::kill(self.worker);
        while system::ended(self.worker).is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        system::end_descendants();
        cut_rows();
        Unpacked::sweep_of(self.worker.unsigned_abs());
    }

    fn ended(&self, status: ExitStatus) -> u8 {
        // A program that has noted its exit code, and ends with it, has ended as it should.
        match done() {
            Some(code) if status.code() == Some(i32::from(code)) => over(code),
            Some(code) => {
                // After the work: its exit code stays, and what was left is taken away.
                system::say(&format!("warning: everything was written; after that {}{}", end(status), advice()));
                Unpacked::sweep_of(self.worker.unsigned_abs());
                over(code)
            }
            None => {
                // It died: what it has left is taken away, and the rows are cut to whole ones.
                system::end_descendants();
                cut_rows();
                Unpacked::sweep_of(self.worker.unsigned_abs());
                failed(&died(&end(status)))
            }
        }
    }
}

impl Cause {
    fn words(&self) -> String {
        match self {
            Cause::Limit(limit) => {
                format!("no answer within {} s, so the program was ended (`--call-limit`)", limit.as_secs_f64())
            }
            Cause::Exit(limit) => {
                format!(
                    "a handler or destructor of an FMU did not return within {} s (`--call-limit`)",
                    limit.as_secs_f64()
                )
            }
            Cause::Impatience => {
                let patience = PATIENCE.as_secs();
                format!(
                    "interrupted, and no communication point was reached within {patience} s, so the program was ended"
                )
            }
        }
    }
}

/// The work is over: what slaves have started and left would keep files and pipes of the caller open. What the work has left to be said comes
/// last.
fn over(code: u8) -> u8 {
    system::end_descendants();
    let words = board().words.get();
    if !words.is_empty() {
        system::say(&words);
    }
    code
}

/// The exit code that the work has noted.
fn done() -> Option<u8> {
    board().done.load(Ordering::Acquire).checked_sub(1).and_then(|code| u8::try_from(code).ok())
}

/// How the program ended.
fn end(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("the program was ended by signal {signal}{}", signal_name(signal)),
        (None, code) => format!("the program ended itself with status {}", code.unwrap_or(0)),
    }
}

/// Where the work was when it ended so.
fn died(end: &str) -> String {
    let calls = board().places().iter().filter_map(|place| Some((place, place.call()?)));
    let calls: Vec<String> = calls
        .map(|(place, (call, t_s))| {
            let call = call.name_in(place.is_of_3.load(Ordering::Relaxed) != 0);
            format!("unit `{}`: {call} returned nothing at t = {} s", place.name.get(), shown::time(t_s))
        })
        .collect();
    let rows = board().rows.load(Ordering::Relaxed);
    let last_s = f64::from_bits(board().last_s.load(Ordering::Relaxed));
    let file = board().file.get();
    // A file that somebody has made shorter than its rows has not all of them, and may be why writing ended so.
    let expected = board().rows_bytes.load(Ordering::Relaxed);
    let cut = shortened(rows, expected, (Path::new(&file), &file));
    if let Some(cut) = cut.as_ref().filter(|_| end.contains("SIGBUS")) {
        return format!("{end}: {cut}");
    }
    let kept = cut.map_or_else(|| kept(rows, Some(last_s), &file), |cut| format!("; {cut}"));
    match calls.as_slice() {
        [] if board().places().is_empty() => format!("{end}{kept}"),
        [] => format!("{end} outside of any call of a slave{}{kept}", advice()),
        [first, rest @ ..] => {
            let others = if rest.is_empty() { String::new() } else { format!(" ({} more were in calls)", rest.len()) };
            format!("{first}: {end}{others}{}{kept}", advice())
        }
    }
}

fn advice() -> String {
    let advice = board().advice.get();
    if advice.is_empty() { advice } else { format!("; {advice}") }
}

fn failed(words: &str) -> u8 {
    system::say(&format!("error: {words}"));
    1
}
