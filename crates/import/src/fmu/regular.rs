//! Files with an end: a device may give bytes for ever, and opening a pipe may wait for ever.

use std::fs::{self, File};
use std::io::{self, Read};
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
    File::open(path)
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
