//! `--watch`: the page of a run on this machine's loopback, while its rows arrive.
//!
//! The page asks twice a second for what is new. The run puts it ready between macro steps, only where somebody asks; nothing here
//! holds it up. A page that is open when the run ends gets the last state too.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use macrostep_plot::Page;

use crate::failure::Failure;

/// Shortest time between two states that are put ready.
const EVERY: Duration = Duration::from_millis(400);

/// Who has not asked for so long has gone away.
const GONE: Duration = Duration::from_secs(2);

/// Longest head of a request.
const HEAD_MAX: u64 = 8192;

/// Most requests at the same time.
const REQUESTS_MAX: usize = 16;

/// The server of one run.
#[derive(Debug)]
pub struct Watch {
    shared: Arc<Shared>,
    server: Option<JoinHandle<()>>,
    /// When a state was put ready last.
    ready: Option<Instant>,
    port: u16,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    requests: AtomicUsize,
    is_over: AtomicBool,
}

/// What is served.
#[derive(Debug, Default)]
struct State {
    /// The page with the state it begins with.
    page: Arc<String>,
    /// The state.
    data: Arc<String>,
    /// When somebody asked for it last.
    asked: Option<Instant>,
    /// Whether the last state was served.
    is_seen: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    /// Serves this page from now on, on a port of 127.0.0.1; 0 stands for any that is free.
    ///
    /// # Errors
    /// [`Failure`] where the port cannot be had.
    pub fn serve(port: u16, page: &Page) -> Result<Watch, Failure> {
        let taken = |e: std::io::Error| Failure::Run(format!("`--watch {port}`: 127.0.0.1:{port}: {e}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(taken)?;
        let port = listener.local_addr().map_err(taken)?.port();
        let shared = Arc::new(Shared::default());
        {
            let mut state = shared.state();
            (state.page, state.data) = (Arc::new(page.live_html()?), Arc::new(page.data()?));
        }
        let served = Arc::clone(&shared);
        let server = std::thread::Builder::new().name("watch".to_owned()).spawn(move || serve(&listener, &served));
        let server = Some(server.map_err(taken)?);
        crate::print::remark!("note: the run can be watched at http://127.0.0.1:{port}/");
        Ok(Watch { shared, server, ready: None, port })
    }

    /// Whether somebody looks and has an old state.
    pub fn is_due(&self) -> bool {
        self.ready.is_none_or(|at| at.elapsed() >= EVERY)
            && self.shared.state().asked.is_some_and(|at| at.elapsed() < GONE)
    }

    /// Puts a state ready.
    ///
    /// # Errors
    /// [`Failure`] where it cannot be put into words.
    pub fn show(&mut self, page: &Page) -> Result<(), Failure> {
        let data = Arc::new(page.data()?);
        self.shared.state().data = data;
        self.ready = Some(Instant::now());
        Ok(())
    }

    /// Serves the last state to who is still there, and ends.
    ///
    /// # Errors
    /// As [`Watch::show`].
    pub fn end(mut self, page: &Page) -> Result<(), Failure> {
        let data = Arc::new(page.data()?);
        {
            let mut state = self.shared.state();
            (state.data, state.is_seen) = (data, false);
        }
        let is_watched = || self.shared.state().asked.is_some_and(|at| at.elapsed() < GONE);
        let began = Instant::now();
        while is_watched() && !self.shared.state().is_seen && began.elapsed() < GONE {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.close();
        Ok(())
    }

    fn close(&mut self) {
        let Some(server) = self.server.take() else { return };
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes the server, which looks whether it is over.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        let _ = server.join();
        // What is being written reaches its reader.
        let began = Instant::now();
        while self.shared.requests.load(Ordering::SeqCst) > 0 && began.elapsed() < GONE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.close();
    }
}

/// Takes requests until the run is over.
fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    let port = listener.local_addr().map_or(0, |address| address.port());
    for stream in listener.incoming() {
        if shared.is_over.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        if shared.requests.fetch_add(1, Ordering::SeqCst) >= REQUESTS_MAX {
            shared.requests.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let served = Arc::clone(shared);
        let answer = move || {
            // A reader that goes away takes nothing along.
            let _ = answer(&stream, &served, port);
            served.requests.fetch_sub(1, Ordering::SeqCst);
        };
        if std::thread::Builder::new().spawn(answer).is_err() {
            shared.requests.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// A connection that is read until a time, however slowly bytes come.
struct Within<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Read for Within<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        // A limit of zero would mean none.
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(bytes)
    }
}

/// Answers one request: the page, its data, or that there is nothing.
fn answer(mut stream: &TcpStream, shared: &Shared, port: u16) -> std::io::Result<()> {
    // Who does not send the whole head in time, or does not read, is given up.
    stream.set_write_timeout(Some(GONE))?;
    let mut lines = BufReader::new(Within { stream, end: Instant::now() + GONE }.take(HEAD_MAX)).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let (mut is_here, mut hosts, mut is_whole) = (false, 0, false);
    for line in lines {
        let line = line?;
        if line.is_empty() {
            is_whole = true;
            break;
        }
        // A page of elsewhere may have this address under a name of its own.
        if let Some((_, host)) = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("host")) {
            hosts += 1;
            is_here = [format!("127.0.0.1:{port}"), format!("localhost:{port}")].iter().any(|own| own == host.trim());
        }
    }
    // Two paths, and only by the addresses of this machine.
    let is_asked = |path: &str| is_here && is_whole && request.starts_with(&format!("GET {path} "));
    let (status, kind, body) = if hosts > 1 {
        // Of two names one may be of elsewhere (RFC 9112, section 3.2).
        ("400 Bad Request", "text/plain; charset=utf-8", Arc::new("Two lines `Host`, expected one.\n".to_owned()))
    } else if is_asked("/") {
        ("200 OK", "text/html; charset=utf-8", Arc::clone(&shared.state().page))
    } else if is_asked("/data") {
        let mut state = shared.state();
        (state.asked, state.is_seen) = (Some(Instant::now()), true);
        ("200 OK", "application/json", Arc::clone(&state.data))
    } else {
        ("404 Not Found", "text/plain; charset=utf-8", Arc::new("There is `/`, the page of a run.\n".to_owned()))
    };
    // The answer is not kept by the browser: the next one has more rows.
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}
