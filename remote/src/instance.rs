//! One instance of an FMU that is served: its process, and the letters to it one after the other.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use macrostep_import::fmu::Fmu;
use macrostep_import::isolation::{Host, Isolation};
use zenoh::pubsub::Publisher;
use zenoh::qos::CongestionControl;
use zenoh::query::Query;
use zenoh::{Session, Wait};

use crate::letter::{Answer, Id, Letter, Wish, answered, replied, reply_key};

/// After so long without a word of its master an instance is let go.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often who waits hears that its message is being made.
const BUSY: Duration = Duration::from_secs(1);

/// Answers a letter. Where its sender is gone nobody reads it.
pub fn reply(query: &Query, answer: Answer, body: &[u8]) {
    let reply = query.reply(query.key_expr(), answered(answer, body));
    let _ = reply.express(true).wait();
}

/// What is known of the letters.
struct Desk {
    /// Number of the last message made, and its reply.
    done: u64,
    last: Vec<u8>,
    /// Whether the next one is being made.
    is_busy: bool,
    /// Who asks for its reply, and since when; without a question it is published.
    waits: Option<(Query, Instant)>,
    heard: Instant,
}

/// An instance, as letters see it.
pub struct Instance {
    desk: Arc<Mutex<Desk>>,
    messages: Sender<Vec<u8>>,
    /// Who has made it, and when.
    holder: String,
    since: Instant,
}

fn look(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the replies to calls of an instance are published.
///
/// # Errors
/// In words, where the session is closed.
pub fn replies(session: &Session, id: &Id) -> Result<Publisher<'static>, String> {
    let declared = session.declare_publisher(reply_key(id)).congestion_control(CongestionControl::Block).express(true);
    declared.wait().map_err(|e| e.to_string())
}

impl Instance {
    /// One whose first message is the one of the letter to come; `over` is told how many messages it was sent, when it is gone.
    pub fn new(
        (fmu, isolation): (Fmu, Isolation),
        holder: String,
        replies: Publisher<'static>,
        over: impl FnOnce(u64) + Send + 'static,
    ) -> Instance {
        let desk = Desk { done: 0, last: Vec::new(), is_busy: false, waits: None, heard: Instant::now() };
        let (desk, (messages, incoming)) = (Arc::new(Mutex::new(desk)), channel());
        let own = Arc::clone(&desk);
        std::thread::spawn(move || {
            work(&own, &incoming, (&fmu, &isolation), &replies);
            let messages = look(&own).done;
            over(messages);
        });
        Instance { desk, messages, holder, since: Instant::now() }
    }

    /// Makes a call that was published, if it is the next one; who hears nothing asks for its reply.
    pub fn call(&self, letter: &Letter<'_>) {
        let mut desk = look(&self.desk);
        desk.heard = Instant::now();
        if letter.number == desk.done + 1 && !desk.is_busy {
            self.begin(&mut desk, letter.body);
        }
    }

    fn begin(&self, desk: &mut Desk, message: &[u8]) {
        desk.is_busy = true;
        let _ = self.messages.send(message.to_vec());
    }

    /// Answers a letter, or keeps who has sent it until there is an answer. `message` is what it brings.
    pub fn take(&self, letter: &Letter<'_>, message: &[u8], query: Query) {
        let mut desk = look(&self.desk);
        desk.heard = Instant::now();
        let next = desk.done + 1;
        let brings = matches!(letter.wish, Wish::Open | Wish::Call);
        match letter.number {
            n if n == desk.done => reply(&query, Answer::Done, &desk.last),
            n if n == next && (desk.is_busy || brings) => {
                if !desk.is_busy {
                    self.begin(&mut desk, message);
                }
                desk.waits = Some((query, Instant::now()));
            }
            n if n == next => reply(&query, Answer::Missing, &[]),
            n => {
                let words =
                    format!("found message {n} of an instance, expected message {next}: does another master use it?");
                reply(&query, Answer::Refused, words.as_bytes());
            }
        }
    }

    /// Who has it, and for how long.
    pub fn holder(&self) -> String {
        format!("{} for {} s", self.holder, self.since.elapsed().as_secs())
    }

    /// Its master is still there.
    pub fn keep(&self) {
        look(&self.desk).heard = Instant::now();
    }

    /// Tells who waits that its message is being made.
    pub fn tell_busy(&self) {
        let mut desk = look(&self.desk);
        if desk.waits.as_ref().is_some_and(|(_, since)| since.elapsed() > BUSY)
            && let Some((query, _)) = desk.waits.take()
        {
            reply(&query, Answer::Busy, &[]);
        }
    }
}

/// Makes messages until the instance is let go.
fn work(
    desk: &Mutex<Desk>,
    incoming: &Receiver<Vec<u8>>,
    (fmu, isolation): (&Fmu, &Isolation),
    replies: &Publisher<'_>,
) {
    let mut host: Option<Host> = None;
    let mut answer = Vec::new();
    loop {
        let message = match incoming.recv_timeout(BUSY) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) if look(desk).heard.elapsed() < PATIENCE => continue,
            Err(_) => return,
        };
        // The first one makes it.
        let made = match &mut host {
            Some(host) => {
                host.exchange(&message, &mut answer);
                Ok(())
            }
            None => isolation.host(fmu, &message, &mut answer).map(|new| host = Some(new)),
        };
        let mut desk = look(desk);
        (desk.is_busy, desk.heard) = (false, Instant::now());
        let waits = desk.waits.take();
        match made {
            Ok(()) => {
                desk.done += 1;
                std::mem::swap(&mut desk.last, &mut answer);
                match waits {
                    Some((query, _)) => reply(&query, Answer::Done, &desk.last),
                    // Where it does not arrive, it is asked for.
                    None => drop(replies.put(replied(desk.done, &desk.last)).wait()),
                }
            }
            Err(words) => {
                if let Some((query, _)) = waits {
                    reply(&query, Answer::Refused, words.as_bytes());
                }
                return;
            }
        }
    }
}
