//! The two ends of a way that messages are carried over: [`relay`] has the master on its other side, a [`Host`] the slave.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use super::call::Call;
use super::limits::{Isolation, Limits};
use super::line::{Line, Side};
use super::process::Process;
use super::server::{LOOK, Stop, begin, close, end_with_master, this_master};
use super::system::{self, Memory, Word};
use super::wire::{Put, Take};
use crate::fmu::{Face, Fmu};

/// Of the flags of a slave that is made: it is to go back by fork.
pub(super) const BY_FORK: u8 = 8;

/// A way to a slave.
pub trait Way {
    /// Sends a message and waits for the reply.
    ///
    /// # Errors
    /// In words, where there will be none; there will be no later one either.
    fn exchange(&mut self, request: &[u8], reply: &mut Vec<u8>) -> Result<(), String>;

    /// Nothing was asked for a moment.
    fn idle(&mut self);
}

/// Carries the messages of the master that has started this process, over the way that `open` opens for an FMU by the folder of its
/// description; the exit code of the program.
pub fn relay<W: Way>(open: impl FnOnce(PathBuf) -> Result<W, String>) -> u8 {
    let memory = match Memory::open(io::stdin().as_fd()) {
        Ok(memory) => memory,
        Err(e) => {
            eprintln!("error: this is for the program itself: {e}");
            return 2;
        }
    };
    system::close_input();
    system::forbid_core_files();
    system::ignore_interrupts();
    end_with_master(this_master());
    let mut line = Line::new(memory, Side::Slave);
    let (mut open, mut way, mut lost) = (Some(open), None, String::new());
    let (mut request, mut reply) = (Vec::new(), Vec::new());
    loop {
        while !(line.spin() || line.sleep(LOOK)) {
            way.iter_mut().for_each(W::idle);
        }
        if !line.memory.take(&mut request) || request == [Call::Quit as u8] {
            return 0;
        }
        // Which call it is, should this process be killed in it.
        let call = if open.is_some() { Call::Load } else { Call::Step };
        line.enter(call, 0);
        if let Some(open) = open.take() {
            let folder = Load::read(&request).map(|load| load.folder);
            match folder.ok_or_else(|| "a message without an FMU".to_owned()).and_then(open) {
                Ok(opened) => way = Some(opened),
                Err(words) => lost = words,
            }
        }
        // Once lost, it stays so.
        if let Some(open) = &mut way
            && let Err(words) = open.exchange(&request, &mut reply)
        {
            (way, lost) = (None, words);
        }
        if way.is_none() {
            refuse(&mut reply, call, lost.clone());
        }
        if !line.memory.put(&reply) {
            let length = reply.len();
            refuse(&mut reply, call, format!("an answer of {length} bytes"));
            line.memory.put(&reply);
        }
        line.hand_over();
    }
}

/// The reply to a message of which no call was made.
fn refuse(reply: &mut Vec<u8>, call: Call, words: String) {
    begin(reply);
    close(reply, 0, Some((call, Stop::Lost(words))));
}

/// A slave in a process of its own, for messages that come as bytes.
pub struct Host {
    line: Line,
    process: Process,
    limits: Limits,
    /// Why there are no more answers.
    ended: Option<String>,
    /// Its folder lives as long as its instance.
    _fmu: Fmu,
}

impl Isolation {
    /// Starts the process for an FMU and makes its instance as the first message of a master says, but from the folder here and with the
    /// limits here, or less memory where it says so; the reply.
    ///
    /// # Errors
    /// In words, where the message is none that makes an instance, or the process is not started.
    pub fn host(&self, fmu: &Fmu, request: &[u8], reply: &mut Vec<u8>) -> Result<Host, String> {
        let load = Load::read(request).ok_or_else(|| "found no message that makes an instance".to_owned())?;
        let (memory, file) = Memory::create().map_err(|e| format!("no shared memory: {e}"))?;
        memory.word(Word::Forks).store(u32::from(load.flags & BY_FORK != 0), Ordering::SeqCst);
        let process = Process::start((&self.program, &self.arguments), file, self)
            .map_err(|e| format!("no process of `{}`: {e}", self.program.display()))?;
        let line = Line::new(memory, Side::Master);
        let limits = Limits { memory_bytes: self.limits.memory_bytes.min(load.memory_bytes), ..self.limits };
        let mut host = Host { line, process, limits, ended: None, _fmu: fmu.clone() };
        let mut message = Vec::new();
        put_load(&mut message, fmu, (&load.name, load.flags), limits.memory_bytes);
        host.exchange(&message, reply);
        host.process.settle(&host.line);
        Ok(host)
    }
}

impl Host {
    /// Makes the calls of a message. Without an answer the reply is a failure that says why.
    pub fn exchange(&mut self, request: &[u8], reply: &mut Vec<u8>) {
        let memory = &mut self.line.memory;
        if self.ended.is_none() && !memory.put(request) {
            self.ended =
                Some(format!("a message of {} bytes, expected at most {}", request.len(), Memory::message_max()));
        }
        if self.ended.is_none() {
            self.line.hand_over();
            match self.process.answer(&self.line, &self.limits, request.len() as u64) {
                Ok(()) if self.line.memory.take(reply) => return,
                Ok(()) => self.ended = Some("its process sent an answer that cannot be read".to_owned()),
                Err(ended) => self.ended = Some(ended.0),
            }
        }
        refuse(reply, self.line.call().unwrap_or(Call::Step), self.ended.clone().unwrap_or_default());
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.process.kill();
    }
}

/// What the first message of a master says.
struct Load {
    folder: PathBuf,
    name: String,
    flags: u8,
    memory_bytes: u64,
}

impl Load {
    fn read(request: &[u8]) -> Option<Load> {
        let mut take = Take::new(request);
        if take.byte().and_then(Call::of)? != Call::Load {
            return None;
        }
        let folder = PathBuf::from(std::ffi::OsStr::from_bytes(take.bytes()?));
        take.bytes()?;
        Some(Load { folder, name: take.text()?, flags: take.byte()?, memory_bytes: take.number()? })
    }
}

/// The message that makes an instance: the folder, the interpreter it may run in, its name and its flags, and its memory.
pub(super) fn put_load(message: &mut Vec<u8>, fmu: &Fmu, (name, flags): (&str, u8), memory_bytes: u64) {
    message.byte(Call::Load as u8);
    message.bytes(fmu.folder().as_os_str().as_bytes());
    message.bytes(fmu.python().map_or(&[], |interpreter| interpreter.as_os_str().as_bytes()));
    message.text(name);
    message.byte(flags);
    message.number(memory_bytes);
}

/// The flags of a slave that is made.
pub(super) fn flags(fmu: &Fmu, (logging_on, shows_all): (bool, bool), by_fork: bool) -> u8 {
    let is_equations = fmu.face() == Face::ModelExchange;
    let fork = if by_fork { BY_FORK } else { 0 };
    u8::from(logging_on) | u8::from(shows_all) << 1 | u8::from(is_equations) << 2 | fork
}
