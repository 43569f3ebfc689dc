//! The archive, checked entry by entry before anything of it is written.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::Path;

use macrostep_description::{shown, xml::Warning};
use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use super::Fault;

/// How much an archive may unpack to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries.
    pub entries_max: usize,
    /// Bytes of all entries together.
    pub total_bytes_max: u64,
    /// An entry may be this many times larger than it is in the archive, if it is larger than
    /// [`Limits::small_bytes_max`].
    pub ratio_max: u64,
    /// Bytes of an entry that is never held against its ratio.
    pub small_bytes_max: u64,
}

impl Default for Limits {
    /// 100 000 entries, 4 GiB, ratio 100 above 16 MiB: the largest real FMUs stay well below, and text seldom packs
    /// better than 30 to 1.
    fn default() -> Self {
        Limits { entries_max: 100_000, total_bytes_max: 4 << 30, ratio_max: 100, small_bytes_max: 16 << 20 }
    }
}

/// Unpacks into an empty folder; returns how many bytes that are and what was put up with. Nothing is written unless every
/// entry is acceptable.
pub(super) fn unpack(archive: impl Read + Seek, folder: &Path, limits: &Limits) -> Result<(u64, Vec<Warning>), Fault> {
    let mut zip = ZipArchive::new(archive).map_err(|e| Fault::Archive(e.to_string()))?;
    let (total, warnings) = check(&mut zip, limits)?;
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).map_err(|e| Fault::Archive(e.to_string()))?;
        let name = plain(&name_of(&file)?);
        let path = folder.join(name.trim_end_matches('/'));
        // `./` is the folder itself.
        if name.is_empty() {
            continue;
        }
        let parent = if name.ends_with('/') { Some(path.as_path()) } else { path.parent() };
        if let Some(parent) = parent {
            fs::create_dir_all(parent).map_err(|e| Fault::file(parent, &e))?;
        }
        if !name.ends_with('/') {
            write(&mut file, &name, &path)?;
        }
    }
    Ok((total, warnings))
}

/// Writes one file; its size in the archive's directory is a claim until it has been read.
fn write<R: Read>(file: &mut ZipFile<'_, R>, name: &str, path: &Path) -> Result<(), Fault> {
    let claimed = file.size();
    let mut out = File::create_new(path).map_err(|e| Fault::file(path, &e))?;
    let written =
        io::copy(&mut file.take(claimed.saturating_add(1)), &mut out).map_err(|e| match e.raw_os_error() {
            // What the system says is of the file that is written, not of the archive, which is in memory.
            Some(_) => Fault::file(path, &e),
            None => refused(name, format!("damaged data ({e})"), "data that can be unpacked"),
        })?;
    if written != claimed {
        let found = format!("{written} bytes or more");
        return Err(refused(name, found, format!("{claimed} bytes, by the directory of the archive")));
    }
    Ok(())
}

/// The size of all entries together and what was put up with, where each of them is acceptable.
fn check<R: Read + Seek>(zip: &mut ZipArchive<R>, limits: &Limits) -> Result<(u64, Vec<Warning>), Fault> {
    if zip.has_duplicate_names() {
        return Err(Fault::Archive("two entries of one name: pack it again".to_owned()));
    }
    if zip.len() > limits.entries_max {
        return Err(Fault::Archive(format!("{} entries, expected at most {}", zip.len(), limits.entries_max)));
    }
    if zip.has_overlapping_files().map_err(|e| Fault::Archive(e.to_string()))? {
        return Err(Fault::Archive("entries that share their data, as in a ZIP bomb".to_owned()));
    }
    let mut total: u64 = 0;
    let mut strange: Vec<String> = Vec::new();
    let mut seen = HashSet::with_capacity(zip.len());
    for index in 0..zip.len() {
        // Raw: the headers only, without a decompressor.
        let file = zip.by_index_raw(index).map_err(|e| Fault::Archive(e.to_string()))?;
        let name = name_of(&file)?;
        let path = plain(&name);
        check_name(&name)?;
        check_entry(&file, &name, limits)?;
        if path != name {
            strange.push(name);
        }
        // File systems of Windows and macOS do not tell case.
        if !seen.insert(path.trim_end_matches('/').to_lowercase()) {
            return Err(refused(&path, "a second entry of this name", "each name once, whatever its case"));
        }
        total = total.saturating_add(file.size());
        if total > limits.total_bytes_max {
            let found = format!("more than {} bytes unpacked", limits.total_bytes_max);
            return Err(refused(&path, found, "less: if you trust the archive, unpack it and use the unpacked files"));
        }
    }
    Ok((total, put_right(&strange)))
}

/// One warning for all names that are no plain paths.
fn put_right(names: &[String]) -> Vec<Warning> {
    let Some(first) = names.first() else { return Vec::new() };
    let others = if names.len() == 1 { String::new() } else { format!(" (and {} more)", names.len() - 1) };
    let what = if first.contains('\\') { "backslashes" } else { "a part `.`" };
    let found = format!("the archive entry `{}`{others} with {what}", shown::text(first));
    vec![Warning { rule: "archive", line: 0, found, expected: "paths with forward slashes and without `.`".to_owned() }]
}

/// The path that a name stands for: tools of Windows have written backslashes, and others parts `.`. Nothing, or `/`, where there is no other
/// part.
fn plain(name: &str) -> String {
    let parts: Vec<&str> = name.split(['/', '\\']).filter(|part| *part != ".").collect();
    parts.join("/")
}

fn name_of<R: Read>(file: &ZipFile<'_, R>) -> Result<String, Fault> {
    match file.name() {
        Ok(name) => Ok(name.into_owned()),
        Err(e) => Err(refused(&String::from_utf8_lossy(file.name_raw()), format!("a name of no text ({e})"), "UTF-8")),
    }
}

fn check_name(name: &str) -> Result<(), Fault> {
    const EXPECTED: &str = "a relative path with forward slashes";
    let path = name.replace('\\', "/");
    let found = if path.starts_with('/') || path.contains(':') {
        "an absolute path"
    } else if path.trim_end_matches('/').split('/').any(|part| matches!(part, "" | "..")) {
        "an empty part or `..`"
    } else if path.chars().any(char::is_control) {
        "a control character"
    } else {
        return Ok(());
    };
    Err(refused(&shown::text(name).escape_debug().to_string(), found, EXPECTED))
}

fn check_entry<R: Read>(file: &ZipFile<'_, R>, name: &str, limits: &Limits) -> Result<(), Fault> {
    const FILE_TYPE: u32 = 0o170_000;
    const REGULAR: u32 = 0o100_000;
    const FOLDER: u32 = 0o040_000;
    // Some tools write permissions without a file type.
    let kind = file.unix_mode().map_or(0, |mode| mode & FILE_TYPE);
    if file.is_symlink() || !matches!(kind, 0 | REGULAR | FOLDER) {
        return Err(refused(name, "a link or device", "files and folders"));
    }
    if file.encrypted() {
        return Err(refused(name, "an encrypted file", "plain files"));
    }
    if !matches!(file.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
        let found = format!("the compression method {}, which is not supported", file.compression());
        return Err(refused(name, found, "stored or deflated (FMI 2.0.5, section 2.3): pack it again"));
    }
    if file.size() > limits.small_bytes_max && file.size() / limits.ratio_max > file.compressed_size() {
        let found = format!("{} bytes packed into {}", file.size(), file.compressed_size());
        let expected = format!(
            "at most {} to 1: if you trust the archive, unpack it and use the unpacked files",
            limits.ratio_max
        );
        return Err(refused(name, found, expected));
    }
    Ok(())
}

fn refused(entry: &str, found: impl Into<String>, expected: impl Into<String>) -> Fault {
    Fault::Entry { entry: shown::text(entry).into_owned(), found: found.into(), expected: expected.into() }
}
