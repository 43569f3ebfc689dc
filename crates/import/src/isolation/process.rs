//! The process of a slave: started, watched, ended.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::cut::Cut;
use super::limits::{Isolation, Limits};
use super::line::Line;
use super::server::ARGUMENT;
use super::system::{self, Word};
use super::written::Written;

/// How often a waiting master looks after the process.
const LOOK: Duration = Duration::from_millis(10);

/// The process.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// What the system says of the slave's memory; read again and again without allocating.
    memory: Option<File>,
    /// Whose memory that is: with snapshots by fork another process after each rollback.
    living: u32,
    looked: Instant,
    /// Address space when last looked at.
    size_bytes: u64,
    /// Address space before there was a slave.
    own_bytes: u64,
    /// After it was waited for: its number may be another's.
    is_over: bool,
    /// Ends it from outside.
    cut: Option<Cut>,
    /// The last that it wrote, for errors.
    written: Written,
}

/// Why there will be no answer.
#[derive(Debug, Clone)]
pub struct Ended(pub String);

impl Process {
    /// Starts `program` with its first arguments as a slave, in the folder of `isolation`; the file of the shared memory is its standard
    /// input. What it writes goes to the output of `isolation`, or to standard error.
    pub fn start(
        (program, arguments): (&Path, &[OsString]),
        memory: File,
        isolation: &Isolation,
    ) -> io::Result<Process> {
        let cut = isolation.cut.clone();
        let (written, output, errors) = match &isolation.output {
            Some(output) => (Written::nothing(), Stdio::from(output.end()?), Stdio::from(output.end()?)),
            None => {
                let (written, end) = Written::listen()?;
                (written, Stdio::from(end.try_clone()?), Stdio::from(end))
            }
        };
        // A group of its own: signals for the program's group do not reach it, and what it starts is ended with it.
        let mut command = Command::new(program);
        if let Some(folder) = &isolation.folder {
            command.current_dir(folder);
        }
        let child = command
            .args(arguments)
            .args([ARGUMENT, &std::process::id().to_string()])
            .stdin(Stdio::from(memory))
            .stdout(output)
            .stderr(errors)
            .process_group(0)
            .spawn()?;
        let (living, memory) = (child.id(), memory_file(child.id()));
        let looked = Instant::now();
        Ok(Process { child, memory, living, looked, size_bytes: 0, own_bytes: u64::MAX, is_over: false, cut, written })
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What the process has now is its own; what is added is the slave's.
    pub fn settle(&mut self, line: &Line) {
        self.follow(line);
        self.own_bytes = self.memory.as_ref().and_then(memory_in).map_or(u64::MAX, |(size, _)| size);
    }

    /// Looks at the process that has the slave now.
    fn follow(&mut self, line: &Line) {
        let living = line.memory.word(Word::Living).load(Ordering::Relaxed);
        if living != 0 && living != self.living {
            (self.living, self.memory) = (living, memory_file(living));
        }
    }

    /// Waits for the answer of the other side to a message of at most so many calls; each of them may take as long as a call may.
    ///
    /// # Errors
    /// In words, where there will be none; the process is gone then.
    pub fn answer(&mut self, line: &Line, limits: &Limits, mut calls: u64) -> Result<(), Ended> {
        if line.spin() {
            return self.look(line, limits);
        }
        let (mut began, mut mark) = (Instant::now(), line.mark());
        loop {
            if line.sleep(LOOK) {
                return self.look(line, limits);
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                self.kill();
                // The last thing it did may have been to answer.
                return if line.is_mine() {
                    Ok(())
                } else {
                    Err(Ended(self.words(status, limits) + &self.written.last()))
                };
            }
            self.look(line, limits)?;
            if line.mark() != mark && calls > 1 {
                (began, mark, calls) = (Instant::now(), line.mark(), calls - 1);
            }
            if began.elapsed() > limits.call {
                self.kill();
                let limit = limits.call.as_secs_f64();
                let last = self.written.last();
                return Err(Ended(format!(
                    "no answer within {limit} s, so its process was killed (`--call-limit`){last}"
                )));
            }
        }
    }

    /// Kills the process where it has too much memory, or its run was cut.
    fn look(&mut self, line: &Line, limits: &Limits) -> Result<(), Ended> {
        if self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        if self.cut.as_ref().is_some_and(Cut::is_set) {
            self.kill();
            return Err(Ended("interrupted".to_owned()));
        }
        self.follow(line);
        let Some((size, resident)) = self.memory.as_ref().and_then(memory_in) else { return Ok(()) };
        self.size_bytes = size;
        if resident <= limits.memory_bytes {
            return Ok(());
        }
        self.kill();
        let (found, limit) = (resident >> 20, limits.memory_bytes >> 20);
        let last = self.written.last();
        Err(Ended(format!(
            "its process had {found} MiB of memory, expected at most {limit} MiB, and was killed (`--memory-limit`){last}"
        )))
    }

    fn words(&self, status: ExitStatus, limits: &Limits) -> String {
        let mut text = match (status.signal(), status.code()) {
            (Some(signal), _) => format!("its process was ended by signal {signal}{}", signal_name(signal)),
            (None, Some(code)) => format!("its process ended itself with status {code} in the middle of the call"),
            (None, None) => "its process ended".to_owned(),
        };
        let asked = self.size_bytes.saturating_sub(self.own_bytes);
        if asked > limits.memory_bytes {
            let (found, limit) = (asked >> 20, limits.memory_bytes >> 20);
            text += &format!(" when it had asked for {found} MiB of memory, of {limit} MiB allowed (`--memory-limit`)");
        }
        text + "; `--logging-on` shows what it said before"
    }

    /// Ends the process, whatever it does, and all it has started.
    pub fn kill(&mut self) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        system::kill_group(self.child.id());
        // Where it is gone already there is nothing to kill, and waiting collects it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for the process to end by itself, then ends it; the signal it has ended by, where it was one.
    pub fn leave(&mut self, at_most: Duration) -> Option<i32> {
        let began = Instant::now();
        while began.elapsed() < at_most {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.signal();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    }
}

/// Address space and resident memory of a process, in bytes.
pub fn memory_of(process: u32) -> Option<(u64, u64)> {
    memory_in(&memory_file(process)?)
}

fn memory_file(process: u32) -> Option<File> {
    File::open(format!("/proc/{process}/statm")).ok()
}

fn memory_in(file: &File) -> Option<(u64, u64)> {
    // On Linux for x86-64 and most others a page has 4096 bytes; a larger page only makes the limit milder.
    const PAGE: u64 = 4096;
    let mut bytes = [0; 128];
    let length = file.read_at(&mut bytes, 0).ok()?;
    let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
    let mut pages = text.split_whitespace().map(|n| n.parse::<u64>().ok());
    Some((pages.next()?? * PAGE, pages.next()?? * PAGE))
}

/// A signal in words, in brackets; empty for the unusual.
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV: it accessed memory that it does not have",
        libc::SIGABRT => "SIGABRT: it aborted",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGKILL => "SIGKILL: a user or the system killed it, the system for lack of memory",
        libc::SIGTERM => "SIGTERM",
        _ => return String::new(),
    };
    format!(" ({name})")
}
