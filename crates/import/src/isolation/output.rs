//! The output of isolated slaves, kept in memory until it is read.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

use rustix::fs::MemfdFlags;

/// Bytes after which the memory is used from its beginning again.
const LENGTH_MAX: u64 = 1 << 20;

/// Bytes read at once; a longer line is cut there.
const PIECE: usize = 1 << 16;

/// Takes the place of standard output and standard error of slaves in processes of their own.
#[derive(Debug)]
pub struct Output {
    file: File,
    /// Bytes that were read.
    read: Mutex<u64>,
}

impl Output {
    /// Empty.
    ///
    /// # Errors
    /// Where the system gives no memory.
    pub fn new() -> io::Result<Output> {
        let file = File::from(rustix::fs::memfd_create(c"macrostep-output", MemfdFlags::CLOEXEC)?);
        Ok(Output { file, read: Mutex::new(0) })
    }

    /// For a process to write to.
    pub(super) fn end(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Whole lines that were written since the last call.
    pub fn lines(&self) -> Vec<String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut lines, mut piece) = (Vec::new(), vec![0; PIECE]);
        loop {
            let length = self.file.read_at(&mut piece, *read).unwrap_or(0);
            // Up to the last end of a line.
            let end = piece[..length].iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
            let Some(end) = end.or((length == PIECE).then_some(PIECE)) else { break };
            let text = String::from_utf8_lossy(&piece[..end]);
            lines.extend(text.lines().map(crate::fmu::plain));
            *read += end as u64;
        }
        // Writers share the place of this file, so that they begin anew too.
        if *read > LENGTH_MAX && self.file.set_len(0).is_ok() && (&self.file).seek(SeekFrom::Start(0)).is_ok() {
            *read = 0;
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_are_read_once_and_memory_is_used_again() {
        let output = Output::new().expect("memory");
        let mut end = output.end().expect("an end");
        end.write_all(b"one\ntwo\nth").expect("written");
        assert_eq!(output.lines(), ["one", "two"]);
        end.write_all(b"ree\n").expect("written");
        assert_eq!(output.lines(), ["three"]);
        let long = vec![b'x'; 2 << 20];
        end.write_all(&long).expect("written");
        end.write_all(b"\n").expect("written");
        assert_eq!(output.lines().iter().map(String::len).sum::<usize>(), 2 << 20);
        end.write_all(b"last\n").expect("written");
        assert_eq!(output.lines(), ["last"]);
        assert_eq!(output.file.metadata().expect("its length").len(), 5);
    }
}
