//! How the running program is started again.

use std::ffi::OsString;
use std::io::{Error, ErrorKind};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Program and first arguments, where this is no program of its own.
static COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();

/// From now on this program is started again by `command`: a program and its first arguments. For a library that another program
/// has loaded, as a module of an interpreter; what was said first holds.
pub fn started_by(command: Vec<OsString>) {
    let _ = COMMAND.set(command);
}

/// The dynamic loader of this process, which starts programs that need not be executable files.
pub(super) fn loader() -> std::io::Result<PathBuf> {
    if !cfg!(target_os = "linux") {
        return Err(Error::new(ErrorKind::Unsupported, "slaves in processes of their own need Linux"));
    }
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    let is_loader = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.starts_with("ld-") && name.contains(".so")
    };
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    let found = paths.filter(|path| !path.ends_with(" (deleted)")).find(is_loader).map(PathBuf::from);
    found.ok_or_else(|| Error::new(ErrorKind::NotFound, "this program has no dynamic loader"))
}

/// The program that is running, and its first arguments.
pub(super) fn this_program() -> std::io::Result<(PathBuf, Vec<OsString>)> {
    match COMMAND.get().map(Vec::as_slice) {
        None => Ok((std::env::current_exe()?, Vec::new())),
        Some([program, arguments @ ..]) => Ok((program.into(), arguments.to_vec())),
        Some([]) => Err(Error::new(ErrorKind::NotFound, "the file of the interpreter is not known")),
    }
}
