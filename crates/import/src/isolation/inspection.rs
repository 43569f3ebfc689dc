//! What stands against a copy of this process as a snapshot of its slave: what the copy would lack, and what it would share.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use super::system;

/// What this process had open before there was a slave, as who has started the program may have left it.
#[derive(Debug)]
pub struct Inherited(Vec<(String, String)>);

impl Inherited {
    /// What is open now.
    pub fn new() -> Inherited {
        Inherited(descriptors().collect())
    }

    /// What was opened since.
    fn opened(&self) -> impl Iterator<Item = (String, String)> {
        descriptors().filter(|descriptor| !self.0.contains(descriptor))
    }
}

/// Why the slave cannot be saved by fork now, in words; `None` where it can. `shared` says whether memory shared with other
/// processes is looked for, which takes longest.
pub fn refusal(inherited: &Inherited, shared: bool) -> Option<String> {
    let threads = fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads > 1 {
        let more = if threads == 2 { "a thread".to_owned() } else { format!("{} threads", threads - 1) };
        return Some(format!("it has started {more}, which a copy of its process lacks"));
    }
    if system::has_children() {
        return Some("it has started a process, which is not copied with it".to_owned());
    }
    inherited.opened().find_map(|(file, target)| held(&file, &target)).or_else(|| shared.then(shared_memory).flatten())
}

/// Files that are open for writing: what is written to them is not taken back.
pub fn written(inherited: &Inherited) -> Vec<String> {
    let is_written = |(file, target): &(String, String)| {
        // Under its name, or already without one.
        let is_file = Path::new(target).is_file() || target.starts_with('/') && target.ends_with(" (deleted)");
        is_file && described(file).is_some_and(|text| mode(&text) != libc::O_RDONLY)
    };
    inherited.opened().filter(is_written).map(|(_, target)| target).collect()
}

/// Numbers of the descriptors beyond the standard ones, and what each is open on.
fn descriptors() -> impl Iterator<Item = (String, String)> {
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let number = entry.file_name().into_string().ok()?;
        let target = fs::read_link(entry.path()).ok()?;
        let is_standard = matches!(number.as_str(), "0" | "1" | "2");
        (!is_standard).then(|| (number, target.to_string_lossy().into_owned()))
    })
}

/// Why a descriptor is refused.
fn held(number: &str, target: &str) -> Option<String> {
    let kind = target.split(':').next().unwrap_or_default();
    match kind {
        "socket" => return Some("it holds a socket: who is at its other end does not go back".to_owned()),
        "pipe" => return Some("it holds a pipe: who is at its other end does not go back".to_owned()),
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
