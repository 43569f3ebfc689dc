//! Reasons against a copy of this process as a snapshot of its slave: resources that the copy would lack or share.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::system::{self, FileIdentity};

/// What this process had open before there was a slave, as who has started the program may have left it.
#[derive(Debug)]
pub struct Inherited(Vec<(i32, FileIdentity)>);

impl Inherited {
    /// What is open now.
    pub fn new() -> Inherited {
        Inherited(descriptors())
    }

    /// What was opened since: numbers of descriptors, and what each is open on.
    pub fn opened(&self) -> Vec<(String, String)> {
        // Linux 6.2 and later give the folder the number of descriptors as its length: a few calls instead of reading it.
        let count = fs::metadata("/proc/self/fd").map_or(0, |folder| folder.len());
        let is_as_it_was = |(number, identity): &(i32, FileIdentity)| system::file_identity(*number) == Some(*identity);
        if count == self.0.len() as u64 && self.0.iter().all(is_as_it_was) {
            return Vec::new();
        }

        // Those beyond the standard ones that were not there.
        let is_new = |descriptor: &(i32, FileIdentity)| descriptor.0 > 2 && !self.0.contains(descriptor);
        let target = |(number, _): (i32, FileIdentity)| {
            let target = fs::read_link(format!("/proc/self/fd/{number}")).ok()?;
            Some((number.to_string(), target.to_string_lossy().into_owned()))
        };
        descriptors().into_iter().filter(is_new).filter_map(target).collect()
    }
}

/// Why the slave cannot be saved by fork now, in words; `None` where it can. `shared` says whether memory shared with other
/// processes is looked for, which takes longest.
pub fn refusal(opened: &[(String, String)], shared: bool) -> Option<String> {
    let threads = threads();
    if threads > 1 {
        let more = if threads == 2 { "a thread".to_owned() } else { format!("{} threads", threads - 1) };
        return Some(format!("it has started {more}, which a copy of its process lacks"));
    }
    if system::has_children() {
        return Some("it has started a process, which is not copied with it".to_owned());
    }
    opened.iter().find_map(|(file, target)| held(file, target)).or_else(|| shared.then(shared_memory).flatten())
}

/// How many threads this process has.
fn threads() -> usize {
    // Linux gives the folder a link for each of them beside two of its own: one call instead of five.
    let is_alone = fs::metadata("/proc/self/task").is_ok_and(|folder| folder.nlink() == 3);
    if is_alone { 1 } else { fs::read_dir("/proc/self/task").map_or(1, Iterator::count) }
}

/// Those of the files opened that are open for writing: what is written to them is not taken back.
pub fn written(opened: &[(String, String)]) -> Vec<&str> {
    let is_written = |(file, target): &&(String, String)| {
        // Under its name, or already without one.
        let is_file = Path::new(target).is_file() || target.starts_with('/') && target.ends_with(" (deleted)");
        is_file && described(file).is_some_and(|text| mode(&text) != libc::O_RDONLY)
    };
    opened.iter().filter(is_written).map(|(_, target)| target.as_str()).collect()
}

/// The descriptors of this process, and what tells the file of each from others.
fn descriptors() -> Vec<(i32, FileIdentity)> {
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers: Vec<i32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    // The one that the folder was read by is closed by now.
    numbers.into_iter().filter_map(|number| Some((number, system::file_identity(number)?))).collect()
}

/// Why a descriptor is refused.
fn held(number: &str, target: &str) -> Option<String> {
    let kind = target.split(':').next().unwrap_or_default();
    match kind {
        "socket" => return Some("it holds a socket, whose other end does not go back".to_owned()),
        "pipe" => return Some("it holds a pipe, whose other end does not go back".to_owned()),
        "anon_inode" => return Some(format!("it holds `{target}`, which copies of its process share")),
        _ => {}
    }
    let is_device = |m: fs::Metadata| m.file_type().is_char_device() || m.file_type().is_block_device();
    if fs::metadata(target).is_ok_and(is_device) && !is_harmless(target) {
        return Some(format!("it holds the device `{target}`, which does not go back"));
    }
    let has_lock = described(number)?.lines().any(|line| line.starts_with("lock:"));
    has_lock.then(|| format!("it holds a lock on `{target}`, which belongs to one process"))
}

fn is_harmless(device: &str) -> bool {
    let known = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];
    known.contains(&device) || device.starts_with("/dev/pts/")
}

/// What the system says of a descriptor of this process.
fn described(number: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/self/fdinfo/{number}")).ok()
}

/// How a file is open, of the text about its descriptor.
fn mode(text: &str) -> i32 {
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    flags.and_then(|octal| i32::from_str_radix(octal.trim(), 8).ok()).unwrap_or(libc::O_RDONLY) & libc::O_ACCMODE
}

/// Memory that is written and shared, but for the one the master made.
fn shared_memory() -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let is_shared = |line: &&str| {
        let mode = line.split_whitespace().nth(1).unwrap_or_default();
        mode.starts_with("rw") && mode.ends_with('s') && !line.contains(" /memfd:macrostep ")
    };
    let line = maps.lines().find(is_shared)?;
    let name = line.split_whitespace().nth(5).unwrap_or("without a name");
    Some(format!("it has memory that is shared (`{name}`), which a copy of its process does not keep"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        assert_eq!(mode("pos:\t0\nflags:\t0100002\nmnt_id:\t29\n"), libc::O_RDWR);
        assert_eq!(mode("pos:\t0\nflags:\t0100000\n"), libc::O_RDONLY);
        assert_eq!(held("7", "/dev/null"), None);
        assert!(held("7", "socket:[31337]").is_some_and(|words| words.contains("socket")));
    }
}
