//! Space at the end of a file of rows, as memory that is mapped to the file. Rows that are put there survive the end of the
//! process, as written rows do, and cost only a copy. The file is longer than its rows as long as there is space; zeros
//! follow them.

use std::fs::File;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use macrostep_import::isolation::{Region, watch};

use crate::claim::identity;

/// Bytes the file grows by; more where a row is longer.
const PIECE: usize = 256 << 10;

/// Where memory may begin in a file: a multiple of the page sizes there are.
const PAGE: u64 = 64 << 10;

/// Space that lasts longer than this is no longer needed: rows may as well be written one by one.
const LASTING: Duration = Duration::from_millis(200);

/// Space behind the rows of a file.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    identity: Option<(u64, u64)>,
    region: Region,
    /// Where in the file the region begins.
    start: u64,
    /// Bytes of it that are rows.
    used: usize,
    began: Instant,
}

impl Tail {
    /// Space behind the first `bytes` of the file of this name, for a row of so many at least.
    ///
    /// # Errors
    /// Where the file is not this one, or the system has no such room for it.
    pub fn new(path: &Path, identity: Option<(u64, u64)>, bytes: u64, row: usize) -> Result<Tail> {
        let (region, start) = region((path, identity), bytes, row)?;
        Ok(Tail {
            path: path.to_owned(),
            identity,
            region,
            start,
            used: (bytes - start) as usize,
            began: Instant::now(),
        })
    }

    /// Adds a row; false where there is no room any more, or none is needed.
    #[inline]
    pub fn put(&mut self, row: &[u8]) -> bool {
        if !self.region.put(self.used, row) && !self.grow(row) {
            return false;
        }
        self.used += row.len();
        watch::rows_end_at(self.start + self.used as u64);
        true
    }

    /// More room, where rows come fast, with the row in it.
    #[cold]
    fn grow(&mut self, row: &[u8]) -> bool {
        if self.began.elapsed() > LASTING {
            return false;
        }
        let end = self.start + self.used as u64;
        let Ok((region, start)) = region((&self.path, self.identity), end, row.len()) else { return false };
        (self.region, self.start, self.used, self.began) = (region, start, (end - start) as usize, Instant::now());
        self.region.put(self.used, row)
    }
}

impl Drop for Tail {
    /// The file ends with its rows again.
    fn drop(&mut self) {
        let end = self.start + self.used as u64;
        if let Ok(file) = open((&self.path, self.identity), end) {
            // Whoever closes the file of rows looks at its length.
            let _ = file.set_len(end);
        }
        watch::rows_end_at(0);
    }
}

/// Memory behind the first `bytes` of a file, and where it begins.
fn region(file: (&Path, Option<(u64, u64)>), bytes: u64, row: usize) -> Result<(Region, u64)> {
    let start = bytes / PAGE * PAGE;
    let length = ((bytes - start) as usize + row).div_ceil(PIECE) * PIECE;
    Ok((Region::grow(&open(file, bytes)?, start, length)?, start))
}

/// The file of this name, where it is still this one and has its rows: one that somebody has cut must not become as long again, or nobody would
/// see that rows are gone. It is not kept open: a slave in this process may close it.
fn open((path, expected): (&Path, Option<(u64, u64)>), bytes: u64) -> Result<File> {
    let file = File::options().read(true).write(true).open(path)?;
    let metadata = file.metadata()?;
    if identity(&metadata) != expected {
        return Err(Error::other("another file of this name"));
    }
    if metadata.len() < bytes {
        return Err(Error::other("shorter than its rows"));
    }
    Ok(file)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_file_at_once_and_it_ends_with_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        std::fs::write(&path, "time,x\n").expect("written");
        let metadata = std::fs::metadata(&path).expect("a file");
        let mut tail = Tail::new(&path, identity(&metadata), 7, 9).expect("space");
        let mut expected = b"time,x\n".to_vec();
        for n in 0..60_000u64 {
            let row = format!("{n},{}\n", n * n);
            // A slow machine may find that no room is needed any more.
            if !tail.put(row.as_bytes()) {
                break;
            }
            expected.extend_from_slice(row.as_bytes());
            if n % 10_000 == 0 {
                let found = std::fs::read(&path).expect("bytes");
                let (rows, rest) = found.split_at(expected.len());
                assert!(rows == expected && rest.iter().all(|b| *b == 0) && !rest.is_empty(), "row {n}");
            }
        }
        assert!(expected.len() > PIECE, "one piece at least");
        drop(tail);
        assert!(std::fs::read(&path).expect("bytes") == expected, "nothing but rows");
        let other = Tail::new(&folder.path().join("none.csv"), identity(&metadata), 7, 9);
        assert!(other.is_err(), "no file is made");
    }
}
