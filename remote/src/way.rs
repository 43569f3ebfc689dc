//! The side of the master: letters to who serves an FMU, sent again until one is answered.

use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use macrostep_import::isolation::Way;
use macrostep_import::isolation::far::OFFER;
use zenoh::pubsub::Publisher;
use zenoh::qos::CongestionControl;
use zenoh::query::{ConsolidationMode, QueryTarget};
use zenoh::sample::Sample;
use zenoh::{Session, Wait};

use crate::access;
use crate::letter::{Answer, Id, Letter, VERSION, Wish, answer, key_of, reply, reply_key};

/// How long nothing may be heard.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long an answer is waited for before the letter is taken for lost; while it is made, its receiver says so every second.
const WAIT: Duration = Duration::from_secs(5);

/// How long a reply that is published is waited for before it is asked for.
const SOON: Duration = Duration::from_secs(1);

/// The same for letters of many bytes: at least so many a second.
const SLOWEST: u64 = 1 << 20;

/// Replies that may wait to be read: one is expected, and some may be late.
const REPLIES_MAX: usize = 4;

/// How often who serves hears that the instance is needed.
const KEEP: Duration = Duration::from_secs(5);

/// A pause where nobody answers.
const PAUSE: Duration = Duration::from_millis(50);

/// A way to one instance.
pub struct Post {
    session: Session,
    /// Calls are published here, and their replies come there, with the number of the message.
    calls: Publisher<'static>,
    replies: Receiver<(u64, Vec<u8>)>,
    address: String,
    key: String,
    digest: String,
    id: Id,
    /// Of the last message.
    number: u64,
    kept: Instant,
}

/// Opens a way to the FMU whose description is in a folder.
///
/// # Errors
/// In words.
pub fn open(folder: PathBuf) -> Result<Post, String> {
    let offer = folder.join(OFFER);
    let text = std::fs::read_to_string(&offer).map_err(|e| format!("{}: {e}", offer.display()))?;
    let mut lines = text.lines();
    let (address, digest) = (lines.next().unwrap_or_default().to_owned(), lines.next().unwrap_or_default().to_owned());
    let key = key_of(&address)?;
    let session = access::client()?;
    let id = session.zid().to_le_bytes();
    // Calls go one way, and their replies come the other.
    let (came, replies) = sync_channel(REPLIES_MAX);
    let hear = move |sample: Sample| {
        if let Some((number, body)) = reply(&sample.payload().to_bytes()) {
            let _ = came.try_send((number, body.to_vec()));
        }
    };
    let failed = |e| format!("`{address}`: {e}");
    session.declare_subscriber(reply_key(&id)).callback(hear).background().wait().map_err(failed)?;
    let calls = session.declare_publisher(key.clone()).congestion_control(CongestionControl::Block).express(true);
    let calls = calls.wait().map_err(failed)?;
    Ok(Post { session, calls, replies, address, key, digest, id, number: 0, kept: Instant::now() })
}

/// Prints digest and description of the FMU at an address.
///
/// # Errors
/// In words, where nobody answers, or more than one.
pub fn offered(address: &str) -> Result<(), String> {
    let key = key_of(address)?;
    let session = access::client()?;
    let began = Instant::now();
    let nobody =
        || format!("nobody serves `{address}`: start `macrostep-remote serve` there, and see ZENOH_CONFIG for both");
    let offer = loop {
        let mut offers =
            ask(&session, &key, &Letter { wish: Wish::Offer, id: [0; 16], number: 0, body: &[] }, WAIT, false);
        if offers.len() > 1 {
            return Err(format!("{} programs serve `{address}`, expected one", offers.len()));
        }
        match offers.pop() {
            Some((Answer::Done, offer)) => break offer,
            Some((_, words)) => return Err(String::from_utf8_lossy(&words).into_owned()),
            None if began.elapsed() > WAIT => return Err(nobody()),
            None => std::thread::sleep(PAUSE),
        }
    };
    let _ = session.close().wait();
    // A line with the version first.
    let end = offer.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let found = String::from_utf8_lossy(&offer[..end]).into_owned();
    if found != VERSION {
        return Err(format!(
            "`{address}` is served by version {found}, expected {VERSION}: use the same on both machines"
        ));
    }
    let written = std::io::stdout().write_all(offer.get(end + 1..).unwrap_or_default());
    written.map_err(|e| e.to_string())
}

/// All answers to a letter, or the first that knows of it.
fn ask(session: &Session, key: &str, letter: &Letter<'_>, wait: Duration, first: bool) -> Vec<(Answer, Vec<u8>)> {
    let mut found = Vec::new();
    let asked = session
        .get(key)
        .payload(letter.bytes())
        .target(QueryTarget::All)
        .consolidation(ConsolidationMode::None)
        .congestion_control(CongestionControl::Block)
        .express(true)
        .timeout(wait)
        .wait();
    let Ok(replies) = asked else { return found };
    while let Ok(reply) = replies.recv() {
        let Ok(sample) = reply.result() else { continue };
        let bytes = sample.payload().to_bytes();
        let Some((answer, body)) = answer(&bytes) else { continue };
        found.push((answer, body.to_vec()));
        if first && answer != Answer::Unknown {
            return found;
        }
    }
    found
}

impl Post {
    fn ask(&self, wish: Wish, body: &[u8], wait: Duration) -> Option<(Answer, Vec<u8>)> {
        let letter = Letter { wish, id: self.id, number: self.number, body };
        ask(&self.session, &self.key, &letter, wait, true).pop()
    }

    /// Publishes a call; the reply, if it comes soon.
    fn call(&self, body: &[u8]) -> Option<Vec<u8>> {
        let letter = Letter { wish: Wish::Call, id: self.id, number: self.number, body };
        self.calls.put(letter.bytes()).wait().ok()?;
        let until = Instant::now() + SOON + slow(body);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.replies.recv_timeout(left).ok()? {
                (number, reply) if number == self.number => return Some(reply),
                // Of a message whose reply was asked for.
                _ => {}
            }
        }
    }
}

/// What the bytes of a letter may take on a slow link.
fn slow(body: &[u8]) -> Duration {
    Duration::from_secs(body.len() as u64 / SLOWEST)
}

impl Way for Post {
    fn exchange(&mut self, request: &[u8], reply: &mut Vec<u8>) -> Result<(), String> {
        // The first message goes with what the FMU is expected to be, and who asks.
        let opening = [self.digest.as_bytes(), b"\n", holder().as_bytes(), b"\n", request].concat();
        let (wish, body) = if self.number == 0 { (Wish::Open, opening.as_slice()) } else { (Wish::Call, request) };
        self.number += 1;
        let (mut heard, mut is_new) = (Instant::now(), wish == Wish::Open);
        if !is_new && let Some(found) = self.call(body) {
            *reply = found;
            return Ok(());
        }
        let long = WAIT + slow(body);
        loop {
            let answer = if is_new { self.ask(wish, body, long) } else { self.ask(Wish::Again, &[], WAIT) };
            if answer.is_some() {
                heard = Instant::now();
            }
            is_new = false;
            match answer {
                Some((Answer::Done, body)) => {
                    *reply = body;
                    return Ok(());
                }
                Some((Answer::Busy, _)) => {}
                Some((Answer::Missing, _)) => is_new = true,
                // Before it is made, nobody knows the instance.
                Some((Answer::Unknown, _)) if wish == Wish::Open => is_new = true,
                Some((Answer::Unknown, _)) => {
                    let address = &self.address;
                    return Err(format!(
                        "`{address}` does not know this instance: it was started anew, or heard nothing for too long"
                    ));
                }
                Some((Answer::Refused, words)) => return Err(String::from_utf8_lossy(&words).into_owned()),
                None if heard.elapsed() > PATIENCE => {
                    return Err(format!("nothing was heard of `{}` for {} s", self.address, PATIENCE.as_secs()));
                }
                None => std::thread::sleep(PAUSE),
            }
        }
    }

    fn idle(&mut self) {
        if self.number > 0 && self.kept.elapsed() > KEEP {
            self.kept = Instant::now();
            let letter = Letter { wish: Wish::Keep, id: self.id, number: self.number, body: &[] };
            // Nobody waits for an answer.
            let _ =
                self.session.get(&self.key).payload(letter.bytes()).target(QueryTarget::All).callback(|_| ()).wait();
        }
    }
}

/// The program that has started this process, for others who want the same instance.
fn holder() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("process {} on `{}`", std::os::unix::process::parent_id(), host.trim())
}

impl Drop for Post {
    fn drop(&mut self) {
        self.ask(Wish::Close, &[], Duration::from_millis(500));
        let _ = self.session.close().wait();
    }
}
