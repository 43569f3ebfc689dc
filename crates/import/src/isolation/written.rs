//! What the process of a slave writes: passed on to standard error at once, and its end kept for the error that may follow, because
//! the cause stands there and nowhere else, as with the traceback of a slave in Python.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes and lines that are kept.
const BYTES_MAX: usize = 4096;
const LINES_MAX: usize = 12;

/// How long the last words may take to arrive; who is left to write them has gone out of the process group.
const PATIENCE: Duration = Duration::from_millis(200);

/// The last of what was written. Dropped, it waits until all has been passed on.
#[derive(Debug)]
pub struct Written {
    kept: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Written {
    /// Where none listens: what is written goes elsewhere.
    pub fn nothing() -> Written {
        Written { kept: Arc::default(), reader: None }
    }

    /// Listens, and where a process is to write.
    ///
    /// # Errors
    /// Where the system gives no pipe or no thread.
    pub fn listen() -> io::Result<(Written, PipeWriter)> {
        let (from, to) = io::pipe()?;
        let kept = Arc::new(Mutex::new(Vec::with_capacity(2 * BYTES_MAX)));
        let keep = Arc::clone(&kept);
        let reader = std::thread::Builder::new().name("slave output".to_owned()).spawn(move || pass_on(from, &keep))?;
        Ok((Written { kept, reader: Some(reader) }, to))
    }

    /// The last lines in one, to follow an error; empty where nothing was written. The process is gone.
    pub fn last(&self) -> String {
        self.wait();
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let lines: Vec<String> = text.lines().map(crate::fmu::plain).filter(|line| !line.is_empty()).collect();
        match lines.len().checked_sub(LINES_MAX) {
            _ if lines.is_empty() => String::new(),
            more => format!("; it wrote last: {}", lines[more.unwrap_or(0)..].join(" | ")),
        }
    }

    fn wait(&self) {
        let began = Instant::now();
        while self.reader.as_ref().is_some_and(|reader| !reader.is_finished()) && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        self.wait();
    }
}

/// Copies until nobody is left who could write.
fn pass_on(mut from: PipeReader, keep: &Mutex<Vec<u8>>) {
    let mut piece = [0; BYTES_MAX];
    loop {
        let length = match from.read(&mut piece) {
            Ok(0) => return,
            Ok(length) => length,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        // A closed standard error is no reason to stop a slave that writes to it.
        let _ = io::stderr().write_all(&piece[..length]);
        let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..length]);
        let more = kept.len().saturating_sub(BYTES_MAX);
        kept.drain(..more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept() {
        let (written, mut to) = Written::listen().expect("a pipe");
        for n in 0..3000 {
            writeln!(to, "line {n}").expect("written");
        }
        write!(to, "\n\tat\u{1b}[1m the end").expect("written");
        drop(to);
        let last = written.last();
        assert!(last.starts_with("; it wrote last: line 2989 | line 2990 | "), "{last}");
        assert!(last.ends_with(" | line 2999 | \\tat\\u{1b}[1m the end"), "{last}");
        assert_eq!(Written::nothing().last(), "");
    }
}
