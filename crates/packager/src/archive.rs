//! An archive whose bytes depend on nothing but its content.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipArchive, ZipWriter};

use crate::PackError;

/// Path of the description.
pub(crate) const DESCRIPTION: &str = "modelDescription.xml";

/// How the files of an archive are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    /// For files. The highest level takes more than twice as long as the usual one, and saves 3 %.
    Deflated,
    /// As they are: for an archive that is read at once and thrown away.
    Stored,
}

/// Files by path, with forward slashes; a path that ends in one is an empty folder.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Files(pub(crate) BTreeMap<String, Vec<u8>>);

impl Files {
    pub(crate) fn put(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), bytes.into());
    }

    /// The archive: the description first, then by path.
    pub(crate) fn write(&self, compression: Compression) -> Result<Vec<u8>, PackError> {
        // Nothing in an entry depends on the time or the machine.
        let (method, level) = match compression {
            Compression::Deflated => (CompressionMethod::Deflated, None),
            Compression::Stored => (CompressionMethod::Stored, None),
        };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .compression_level(level)
            .last_modified_time(DateTime::default())
            .system(System::Unix);
        // The description comes first, so that it is found at once.
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let first = self.0.get_key_value(DESCRIPTION);
        for (path, bytes) in first.into_iter().chain(self.0.iter().filter(|(path, _)| *path != DESCRIPTION)) {
            if path.ends_with('/') {
                zip.add_directory(path.as_str(), options.compression_method(CompressionMethod::Stored))?;
                continue;
            }
            // Libraries may be run.
            let mode = if path.starts_with("binaries/") { 0o755 } else { 0o644 };
            zip.start_file(path.as_str(), options.unix_permissions(mode))?;
            zip.write_all(bytes)?;
        }
        Ok(zip.finish()?.into_inner())
    }

    /// What an archive of ours holds. Made for files that are trusted: our own, packed elsewhere.
    pub(crate) fn read(fmu: &[u8]) -> Result<Files, PackError> {
        let mut zip = ZipArchive::new(Cursor::new(fmu))?;
        let mut files = Files::default();
        for index in 0..zip.len() {
            let mut file = zip.by_index(index)?;
            let path = file.name()?.into_owned();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            files.put(path, bytes);
        }
        Ok(files)
    }
}
