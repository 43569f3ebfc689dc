//! Python for FMUs that are written in it, as those of PythonFMU: their libraries expect that the library of an interpreter is in the process,
//! with its symbols for all, and name none. This program does not link to Python; it looks for an interpreter when such a library is
//! loaded, asks it where its library and its packages are, and loads that library.
//!
//! Looked for, the first that is there: the interpreter that the variable [`VARIABLE`] names (option `--python`), that of the active virtual
//! environment, `python3` and `python` on the path.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use libloading::os::unix::{Library as Unix, RTLD_GLOBAL, RTLD_NOW};

/// Names the interpreter to use; processes of slaves inherit it.
const VARIABLE: &str = "MACROSTEP_PYTHON";

/// What an interpreter is asked: its shared library, where Python is installed, and where packages are; a line each.
const QUESTION: &str = "\
import os, sys, sysconfig
of = sysconfig.get_config_var
names = [of('INSTSONAME'), of('LDLIBRARY')]
folders = [of('LIBDIR'), os.path.join(sys.base_prefix, 'lib')]
paths = [os.path.join(f, n) for f in folders for n in names if f and n and '.so' in n]
print(next((p for p in paths if os.path.isfile(p)), ''))
print(sys.base_prefix)
for path in sys.path:
    if path: print(path)
";

/// From now on this interpreter is the one that is used. To be called before there are threads.
pub fn use_python(interpreter: &Path) {
    // SAFETY: no other thread reads the environment meanwhile, because there is none yet, as the caller sees to.
    unsafe { env::set_var(VARIABLE, interpreter) };
    // FMUs that start a process of their own, as those of UniFMU, call it `python3` and look for it on the path.
    let folder = interpreter.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Some(folder) = folder.and_then(|folder| std::path::absolute(folder).ok()) else { return };
    if let Ok(path) = env::join_paths(std::iter::once(folder).chain(listed("PATH"))) {
        // SAFETY: as above.
        unsafe { env::set_var("PATH", path) };
    }
}

/// Whether a library was not loaded because it expects Python.
pub(super) fn is_missing(error: &str) -> bool {
    ["undefined symbol: Py", "undefined symbol: _Py"].iter().any(|start| error.contains(start))
}

/// Whether an interpreter was loaded.
pub(crate) fn is_there() -> bool {
    IS_THERE.load(Ordering::Relaxed)
}

static IS_THERE: AtomicBool = AtomicBool::new(false);

/// Loads the library of an interpreter for the whole process, once; later calls have the same answer.
///
/// # Errors
/// In words for a user: what was looked for, and what to do.
pub(super) fn share() -> Result<(), String> {
    static SHARED: OnceLock<Result<(), String>> = OnceLock::new();
    SHARED.get_or_init(load).clone()
}

fn load() -> Result<(), String> {
    let mut tried = Vec::new();
    for interpreter in interpreters() {
        let shown = interpreter.to_string_lossy().into_owned();
        let found = match ask(&interpreter) {
            Ok(found) => found,
            Err(reason) => {
                tried.push(format!("`{shown}`: {reason}"));
                continue;
            }
        };
        // Where Python finds its own modules, and those of the environment: what it is told before it is initialised.
        let packages = env::join_paths(found.paths.iter().cloned().chain(listed("PYTHONPATH")));
        let packages = packages.map_err(|e| format!("`{shown}`: {e}"))?;
        // SAFETY: the library that reads these is loaded behind this, once in a process; no code of this program reads the
        // environment while an FMU is loaded.
        unsafe {
            env::set_var("PYTHONHOME", &found.home);
            env::set_var("PYTHONPATH", packages);
        }
        // SAFETY: the initialisers of an interpreter's library prepare its data; it stays loaded as long as the process.
        match unsafe { Unix::open(Some(&found.library), RTLD_NOW | RTLD_GLOBAL) } {
            Ok(library) => {
                let _ = library.into_raw();
                IS_THERE.store(true, Ordering::Relaxed);
                return Ok(());
            }
            Err(e) => tried.push(format!("`{shown}`: {e}")),
        }
    }
    let tried = if tried.is_empty() { "nothing of these is there".to_owned() } else { tried.join("; ") };
    Err(format!(
        "it is written in Python and expects the library of an interpreter: looked for `--python PATH`, an active virtual environment, \
         `python3` and `python` on the path; {tried}; install a Python with its shared library (on Debian libpython3-dev) \
         and name it by `--python`"
    ))
}

/// Interpreters to ask: only the one that is named, if one is.
fn interpreters() -> Vec<OsString> {
    if let Some(named) = env::var_os(VARIABLE).filter(|name| !name.is_empty()) {
        return vec![named];
    }
    let environment =
        env::var_os("VIRTUAL_ENV").map(|folder| PathBuf::from(folder).join("bin/python").into_os_string());
    let on_path =
        ["python3", "python"].into_iter().filter(|name| listed("PATH").any(|folder| folder.join(name).is_file()));
    environment.into_iter().chain(on_path.map(OsString::from)).collect()
}

/// The folders that a variable of the environment lists.
fn listed(variable: &str) -> impl Iterator<Item = PathBuf> {
    let list = env::var_os(variable).unwrap_or_default();
    env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect::<Vec<_>>().into_iter()
}

/// The answers of an interpreter.
struct Found {
    library: PathBuf,
    home: String,
    paths: Vec<PathBuf>,
}

fn ask(interpreter: &OsString) -> Result<Found, String> {
    let mut command = Command::new(interpreter);
    // Without the variables that were set for another interpreter, and without what a user's start-up file prints.
    command.args(["-c", QUESTION]).stdin(Stdio::null()).env_remove("PYTHONHOME").env_remove("PYTHONSTARTUP");
    let output = command.output().map_err(|e| format!("it was not started: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default().to_owned();
        return Err(format!("it does not answer: {last}"));
    }
    let mut lines = text.lines();
    let library = PathBuf::from(lines.next().unwrap_or_default());
    let home = lines.next().unwrap_or_default().to_owned();
    if library.as_os_str().is_empty() {
        return Err("it has no shared library".to_owned());
    }
    Ok(Found { library, home, paths: lines.map(PathBuf::from).collect() })
}
