//! Offers FMUs: answers letters until the program is interrupted.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use macrostep_import::address::SCHEME;
use macrostep_import::fmu::{Fmu, regular};
use macrostep_import::isolation::{Isolation, Limits};
use sha2::{Digest, Sha256};
use zenoh::query::Query;
use zenoh::sample::Sample;
use zenoh::{Session, Wait};

use crate::access;
use crate::instance::{Instance, replies, reply};
use crate::letter::{Answer, Id, Letter, VERSION, Wish, key};

/// Characters of what a master says of itself that others are told.
const HOLDER_MAX: usize = 100;
/// Holders of instances that are named.
const HOLDERS: usize = 3;

/// How often who waits is thought of.
const TICK: Duration = Duration::from_millis(500);

/// What an instance may take, and how many there may be of each FMU.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub call_s: f64,
    pub memory_mib: u64,
    pub instances: u64,
}

/// An FMU that is served.
struct Served {
    session: Session,
    fmu: Fmu,
    isolation: Isolation,
    digest: String,
    address: String,
    instances_max: u64,
    instances: Mutex<HashMap<Id, Instance>>,
}

/// Serves FMUs until interrupted.
///
/// # Errors
/// In words, where one cannot be read, or there is no session for it.
pub fn run(files: &[PathBuf], name: Option<String>, bounds: Bounds) -> Result<(), String> {
    if name.is_some() && files.len() > 1 {
        return Err(format!(
            "`--name` with {} FMUs, expected one: leave it out, and they have the names of their files",
            files.len()
        ));
    }
    let call = Duration::try_from_secs_f64(bounds.call_s).map_err(|e| format!("`--call-limit`: {e}"))?;
    let limits = Limits { call, memory_bytes: bounds.memory_mib.saturating_mul(1 << 20) };
    let isolation = Isolation::of_this_program(limits).map_err(|e| format!("the path of this program: {e}"))?;
    let session = access::server()?;
    let mut all = Vec::new();
    for file in files {
        // The file is read once: what is served is what has the digest.
        let failed = |e: std::io::Error| format!("`{}`: {e}", file.display());
        let bytes = regular::read(file).map_err(failed)?;
        let fmu = Fmu::from_bytes(&file.display().to_string(), &bytes).map_err(|e| e.to_string())?;
        let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let name = name.clone().unwrap_or(stem);
        let key = key(&name)?;
        let digest = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let served = Arc::new(Served {
            session: session.clone(),
            fmu,
            isolation: isolation.clone(),
            digest,
            address: format!("{SCHEME}{name}"),
            instances_max: bounds.instances,
            instances: Mutex::default(),
        });
        if session
            .get(&key)
            .payload(Letter { wish: Wish::Offer, id: [0; 16], number: 0, body: &[] }.bytes())
            .wait()
            .is_ok_and(|found| found.recv().is_ok())
        {
            return Err(format!("`{SCHEME}{name}` is served already: choose another `--name`"));
        }
        listen(&served, &key).map_err(|e| format!("`{key}`: {e}"))?;
        served.say(&format!("served from `{}`", file.display()));
        all.push(served);
    }
    loop {
        std::thread::sleep(TICK);
        for served in &all {
            served.instances.lock().unwrap_or_else(PoisonError::into_inner).values().for_each(Instance::tell_busy);
        }
    }
}

/// From now on letters for the FMU are taken.
fn listen(served: &Arc<Served>, key: &str) -> Result<(), zenoh::Error> {
    let own = Arc::clone(served);
    let take = move |query| take(&own, query);
    served.session.declare_queryable(key).callback(take).background().wait()?;
    let own = Arc::clone(served);
    let call = move |sample: Sample| called(&own, &sample.payload().to_bytes());
    served.session.declare_subscriber(key).callback(call).background().wait()
}

/// Takes a call that was published.
fn called(served: &Served, bytes: &[u8]) {
    let Some(letter) = Letter::read(bytes).filter(|letter| letter.wish == Wish::Call) else { return };
    let instances = served.instances.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(instance) = instances.get(&letter.id) {
        instance.call(&letter);
    }
}

/// Answers one letter.
fn take(served: &Arc<Served>, query: Query) {
    let bytes = query.payload().map(|payload| payload.to_bytes().into_owned()).unwrap_or_default();
    let Some(letter) = Letter::read(&bytes) else {
        return reply(&query, Answer::Refused, b"found bytes that are no letter of this program");
    };
    if letter.wish == Wish::Offer {
        return reply(&query, Answer::Done, &served.offer());
    }
    let mut instances = served.instances.lock().unwrap_or_else(PoisonError::into_inner);
    match (letter.wish, instances.get(&letter.id)) {
        (Wish::Close, _) => {
            let gone = instances.remove(&letter.id);
            drop(instances);
            drop(gone);
            reply(&query, Answer::Done, &[]);
        }
        (Wish::Keep, Some(instance)) => {
            instance.keep();
            reply(&query, Answer::Done, &[]);
        }
        (Wish::Open, found) => {
            // Before the message stand the digest and who asks, a line each.
            let mut parts = letter.body.splitn(3, |byte| *byte == b'\n');
            let [digest, holder, message] = [(); 3].map(|()| parts.next().unwrap_or_default());
            if let Some(instance) = found {
                return instance.take(&letter, message, query);
            }
            if let Err(words) = served.may_open(digest, &instances) {
                return reply(&query, Answer::Refused, words.as_bytes());
            }
            let (own, id) = (Arc::downgrade(served), letter.id);
            let over = move |messages| {
                if let Some(own) = own.upgrade() {
                    own.say(&format!("an instance is gone after {messages} messages"));
                    own.instances.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                }
            };
            let holder = String::from_utf8_lossy(holder).chars().take(HOLDER_MAX).collect();
            let replies = match replies(&served.session, &id) {
                Ok(replies) => replies,
                Err(words) => return reply(&query, Answer::Refused, words.as_bytes()),
            };
            let instance = Instance::new((served.fmu.clone(), served.isolation.clone()), holder, replies, over);
            instance.take(&letter, message, query);
            instances.insert(letter.id, instance);
        }
        (_, Some(instance)) => instance.take(&letter, letter.body, query),
        (_, None) => reply(&query, Answer::Unknown, &[]),
    }
}

impl Served {
    /// A line on standard output; where that is closed, nobody reads it.
    fn say(&self, what: &str) {
        let _ = writeln!(std::io::stdout(), "`{}`: {what}", self.address);
    }

    /// Version, digest and description.
    fn offer(&self) -> Vec<u8> {
        let path = self.fmu.folder().join("modelDescription.xml");
        let description = std::fs::read(path).unwrap_or_default();
        [VERSION.as_bytes(), b"\n", self.digest.as_bytes(), b"\n", &description].concat()
    }

    fn may_open(&self, digest: &[u8], open: &HashMap<Id, Instance>) -> Result<(), String> {
        if digest != self.digest.as_bytes() {
            let found = String::from_utf8_lossy(digest);
            let short = |digest: &str| digest.get(..12).unwrap_or(digest).to_owned();
            return Err(format!(
                "the FMU that is served is another one than was described: its digest is {}…, expected {}…; start a new run",
                short(&self.digest),
                short(&found)
            ));
        }
        let (count, most) = (open.len() as u64, self.instances_max);
        if count >= most {
            let holders: Vec<String> = open.values().take(HOLDERS).map(Instance::holder).collect();
            let more = if open.len() > HOLDERS { format!(" and {} more", open.len() - HOLDERS) } else { String::new() };
            return Err(format!(
                "{count} of {most} instances of `{}` are in use, held by {}{more}; wait for an end there, or serve with a larger `--instances`",
                self.address,
                holders.join(", ")
            ));
        }
        Ok(())
    }
}
