//! `.ssp` archives, unpacked and packed.

use crate::finding::Finding;
use crate::scenario::Place;
use macrostep_import::fmu::{Fault, Limits, Unpacked};
use macrostep_import::regular;
use std::io::{BufReader, Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// A file for an archive.
pub struct Entry {
    /// Path in it, with forward slashes.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Unpacks into a folder that is removed when the result is dropped, checked as the archive of an FMU is. `left`: bytes that
/// all archives of a description may still unpack to.
pub(super) fn unpack(path: &Path, shown: &str, left: &AtomicU64) -> Result<Unpacked, Finding> {
    let place = Place { file: shown.into(), line: 0, column: 0 };
    let failed =
        |e: &dyn std::fmt::Display| Finding::error(&place, e.to_string(), "is this a system structure package?");
    let file = regular::open(path).map_err(|e| failed(&e))?;
    let limits = Limits { total_bytes_max: left.load(Ordering::Relaxed), ..Limits::default() };
    let (folder, bytes) = Unpacked::of_archive(BufReader::new(file), &limits).map_err(|e| match &e {
        Fault::Entry { .. } => Finding::error(&place, e.to_string(), ""),
        _ => failed(&e),
    })?;
    left.fetch_sub(bytes, Ordering::Relaxed);
    Ok(folder)
}

/// One file of an archive, or of the folder it was unpacked to.
pub(super) fn file(archive: &Path, name: &str) -> std::io::Result<Vec<u8>> {
    let name = name.strip_prefix("./").unwrap_or(name);
    let inside = Path::new(name).components().all(|c| matches!(c, std::path::Component::Normal(_)));
    if !inside {
        return Err(std::io::Error::other("it leads out of the archive"));
    }
    if archive.is_dir() {
        return super::xml::bytes(&archive.join(name));
    }
    let mut archive = ZipArchive::new(regular::open(archive)?).map_err(std::io::Error::other)?;
    let entry = archive.by_name(name).map_err(std::io::Error::other)?;
    let mut bytes = Vec::new();
    entry.take(super::xml::BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Packs files in the given order, with fixed dates: the same files give the same archive.
///
/// # Errors
/// Where the sink fails.
pub fn pack(entries: &[Entry], sink: impl Write + Seek) -> std::io::Result<()> {
    let mut zip = ZipWriter::new(sink);
    for entry in entries {
        // What is compressed already is stored.
        let stored = entry.path.ends_with(".fmu") || entry.path.ends_with(".ssp");
        let method = if stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default().compression_method(method).last_modified_time(DateTime::default());
        zip.start_file(&entry.path, options)?;
        zip.write_all(&entry.bytes)?;
    }
    zip.finish()?;
    Ok(())
}
