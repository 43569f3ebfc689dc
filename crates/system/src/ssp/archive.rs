//! `.ssp` archives, unpacked and packed.

use crate::finding::Finding;
use crate::scenario::Place;
use macrostep_master::unit::fmu::Unpacked;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// Bytes all files of an archive may have.
const BYTES_MAX: u64 = 4 << 30;
/// Files in an archive.
const FILES_MAX: usize = 10_000;

/// A file for an archive.
pub struct Entry {
    /// Path in it, with forward slashes.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Unpacks into a folder that is removed when the result is dropped.
pub(super) fn unpack(path: &Path, shown: &str) -> Result<Unpacked, Finding> {
    let place = Place { file: shown.into(), line: 0, column: 0 };
    let failed =
        |e: &dyn std::fmt::Display| Finding::error(&place, e.to_string(), "is this a system structure package?");
    let file = File::open(path).map_err(|e| failed(&e))?;
    let mut archive = ZipArchive::new(file).map_err(|e| failed(&e))?;
    let folder = Unpacked::new().map_err(|e| failed(&e))?;
    if archive.len() > FILES_MAX {
        return Err(failed(&format!("{} files, expected at most {FILES_MAX}", archive.len())));
    }
    let mut left = BYTES_MAX;
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).map_err(|e| failed(&e))?;
        let name = entry.name().map_err(|e| failed(&e))?.into_owned();
        let Some(inside) = entry.enclosed_name().filter(|_| !name.contains('\\') && !entry.is_symlink()) else {
            return Err(failed(&format!("entry `{name}` leads out of the archive")));
        };
        let target = folder.path().join(inside);
        if entry.is_dir() {
            std::fs::create_dir_all(&target).map_err(|e| failed(&e))?;
            continue;
        }
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(|e| failed(&e))?;
        }
        // A file that is there already is a second entry of the same name.
        let mut out = File::create_new(&target).map_err(|e| failed(&format!("entry `{name}`: {e}")))?;
        let copied = std::io::copy(&mut Read::by_ref(&mut entry).take(left), &mut out).map_err(|e| failed(&e))?;
        left -= copied;
        if left == 0 {
            return Err(failed(&format!("more than {BYTES_MAX} bytes unpacked")));
        }
    }
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
    let mut archive = ZipArchive::new(File::open(archive)?).map_err(std::io::Error::other)?;
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
