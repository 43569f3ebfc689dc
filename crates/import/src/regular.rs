//! Files with an end: a device may give bytes for ever, and opening a pipe may wait for ever.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::Path;

/// Opens a regular file; devices and pipes are never opened.
///
/// # Errors
/// What the system says, and where it is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let metadata = fs::metadata(path)?;
    let refuse =
        |found: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, format!("found {found}, expected a file")));
    if metadata.is_dir() {
        return refuse("a folder");
    }
    if !metadata.is_file() {
        return refuse("a device or pipe");
    }
    let mut file = File::open(path)?;
    if metadata.len() <= POINTER_MAX && is_pointer(&mut file)? {
        return refuse("a Git LFS pointer in its place: run `git lfs pull` where it was cloned to get it");
    }
    Ok(file)
}

/// Pointers of Git LFS are shorter than this, by their specification.
const POINTER_MAX: u64 = 1024;

/// With what they all begin.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1";

/// Whether a file is what Git leaves in the place of a large one; read from its beginning, where it is left again.
fn is_pointer(file: &mut File) -> io::Result<bool> {
    let mut start = Vec::with_capacity(POINTER.len());
    Read::take(&mut *file, POINTER.len() as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == POINTER)
}

/// Longest file of data: more does not fit into the memory of the machines this runs on.
const DATA_MAX: u64 = 4 << 30;

/// As [`open`], for a table of data, which is read whole.
///
/// # Errors
/// As [`open`], and where it is longer than 4 GiB.
pub fn data(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    let found = file.metadata()?.len();
    if found > DATA_MAX {
        let what = format!("found {found} bytes, expected at most {DATA_MAX}: thin the rows out or divide the file");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok(file)
}

/// Standard input as a table of data, which ends in an error where it is longer than a file may be.
pub fn standard_input() -> impl Read {
    Bounded { from: io::stdin().lock(), left: DATA_MAX }
}

/// A stream of at most so many bytes.
struct Bounded<R> {
    from: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to)?;
        let left = self.left.checked_sub(read as u64);
        self.left =
            left.ok_or_else(|| io::Error::other(format!("more bytes than the {DATA_MAX} that are read at most")))?;
        Ok(read)
    }
}

/// All bytes of a file.
///
/// # Errors
/// As [`open`], and where it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut bytes = Vec::with_capacity(file.metadata().map_or(0, |m| m.len() as usize));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file as text.
///
/// # Errors
/// As [`read`], and where it is not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let wrong = |e: std::string::FromUtf8Error| {
        io::Error::new(io::ErrorKind::InvalidData, format!("not UTF-8: {}", e.utf8_error()))
    };
    String::from_utf8(read(path)?).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_has_an_end() {
        let read = |left| Bounded { from: &b"12345"[..], left }.read_to_end(&mut Vec::new());
        assert!(read(4).is_err_and(|e| e.to_string().contains("more bytes")));
        assert_eq!(read(5).expect("all of it"), 5);
    }

    /// A folder, a device, a pipe that nobody writes to, and a file without an end in sight are refused at once.
    #[test]
    fn data_have_an_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().join("x.csv");
        assert!(data(folder.path()).is_err_and(|e| e.to_string().contains("a folder")));
        fs::write(&at, "time\n0\n").expect("written");
        assert!(data(&at).is_ok());
        // It has no blocks on the disk.
        File::options().write(true).open(&at).and_then(|file| file.set_len(DATA_MAX + 1)).expect("longer");
        assert!(data(&at).is_err_and(|e| e.to_string().contains("expected at most 4294967296")));
        #[cfg(target_os = "linux")]
        {
            let pipe = folder.path().join("pipe");
            let mode = rustix::fs::Mode::from_raw_mode(0o600);
            rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).expect("a pipe");
            for path in [pipe.as_path(), Path::new("/dev/zero")] {
                assert!(data(path).is_err_and(|e| e.to_string().contains("a device or pipe")));
            }
        }
    }
}
