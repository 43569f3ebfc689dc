//! FMUs that another program serves, maybe on another machine: how they are found.
//!
//! The program `macrostep-remote` carries the messages of [`isolation`](super) over Zenoh. It is started in the place of the process that
//! would have the slave, so this program has nothing of Zenoh inside.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::fmu::{Fault, Unpacked};

/// A file in the folder of a description: address and digest, a line each.
pub const OFFER: &str = "offer.txt";

/// The program that carries messages.
const PROGRAM: &str = "macrostep-remote";

/// The first argument that makes it carry those of one slave.
pub const USE: &str = "use";

/// The first argument that makes it ask for a description.
pub const OFFERED: &str = "offered";

/// The program that carries messages: beside the one that runs, or on the path.
pub(super) fn program() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|own| own.parent().map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    beside.into_iter().chain(std::env::split_paths(&path)).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// What a user can do where the program is missing.
pub(super) fn absent() -> String {
    format!("the program `{PROGRAM}` is neither beside this one nor on the PATH: build it as docs/remote.md says")
}

/// A folder with the description of the FMU at an address, and what tells this FMU from others of the name.
///
/// # Errors
/// In the words of the program that asks for it.
pub(crate) fn offered(address: &str) -> Result<Unpacked, Fault> {
    let program = program().ok_or_else(|| Fault::Remote(absent()))?;
    let asked = Command::new(&program).args([OFFERED, address]).stdin(Stdio::null()).output();
    let asked = asked.map_err(|e| Fault::file(&program, &e))?;
    if !asked.status.success() {
        let words = String::from_utf8_lossy(&asked.stderr);
        let words = words.lines().last().unwrap_or_default();
        return Err(Fault::Remote(words.strip_prefix("error: ").unwrap_or(words).to_owned()));
    }
    // A line with the digest, then the description.
    let end = asked.stdout.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (digest, rest) = asked.stdout.split_at(end);
    let folder = Unpacked::new().map_err(|e| Fault::file(&std::env::temp_dir(), &e))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).map_err(|e| Fault::file(&path, &e))
    };
    write(OFFER, format!("{address}\n{}\n", String::from_utf8_lossy(digest)).as_bytes())?;
    write("modelDescription.xml", rest.get(1..).unwrap_or_default())?;
    Ok(folder)
}
