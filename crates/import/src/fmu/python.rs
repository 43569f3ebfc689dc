//! Python for FMUs that are written in it, as those of PythonFMU: their libraries expect that the library of an interpreter is in the process,
//! with its symbols for all, and name none. This program does not link to Python; it looks for an interpreter when such a library is
//! loaded, asks it where its library and its packages are, and loads that library.
//!
//! Looked for, the first that is there: the interpreter that the unit names (key `python`), the one that the variable [`VARIABLE`] names (option
//! `--python`), that of the active virtual environment, `python3` and `python` on the path. A process has one interpreter.
//!
//! FMUs of UniFMU start an interpreter of the path in a process of its own instead. They wait for ever where it ends for want of a package,
//! so that is asked before.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use libloading::os::unix::{Library as Unix, RTLD_GLOBAL, RTLD_NOW};

use super::Unpacked;

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

/// What Python reads when it is initialised: it makes exceptions tell their traceback.
const HOOK: &str = include_str!("sitecustomize.py");

/// The folder with [`HOOK`], until Python was initialised.
static HOOKED: Mutex<Option<Unpacked>> = Mutex::new(None);

/// From now on this interpreter is the one that is used. To be called before there are threads.
pub fn use_python(interpreter: &Path) {
    // SAFETY: no other thread reads the environment meanwhile, because there is none yet, as the caller sees to.
    unsafe { env::set_var(VARIABLE, interpreter) };
    prefer(Some(interpreter));
}

/// FMUs that start a process of their own, as those of UniFMU, call it `python3` and look for it on the path: the folder of this interpreter comes
/// first there; without one the path is as it was.
pub(super) fn prefer(interpreter: Option<&Path>) {
    /// The path as the program has got it, once it was changed.
    static PATH: Mutex<Option<OsString>> = Mutex::new(None);
    let mut path = PATH.lock().unwrap_or_else(PoisonError::into_inner);
    let named = env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let interpreter = interpreter.map(Path::to_owned).or(named);
    if path.is_none() && interpreter.is_none() {
        return;
    }
    let own = path.get_or_insert_with(|| env::var_os("PATH").unwrap_or_default());
    let folder = interpreter.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.and_then(|folder| std::path::absolute(folder).ok());
    if let Ok(list) = env::join_paths(folder.into_iter().chain(env::split_paths(&*own))) {
        // SAFETY: no code of this program reads the environment while an FMU is loaded or instantiated.
        unsafe { env::set_var("PATH", list) };
    }
}

/// Whether an FMU of UniFMU would find the packages that the program it starts needs; other FMUs need none.
///
/// # Errors
/// In words for a user: what is missing, and what to do.
pub(super) fn has_packages(folder: &Path) -> Result<(), String> {
    let Ok(text) = fs::read_to_string(folder.join("resources/launch.toml")) else { return Ok(()) };
    // `backend = "zmq"`, and under `[zmq]` the command for each system.
    let value = |line: &str, key: &str| Some(line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim().to_owned());
    let Some(backend) = text.lines().find_map(|line| value(line.trim(), "backend")) else { return Ok(()) };
    let head = format!("[{}]", backend.trim_matches('"'));
    let section =
        text.lines().map(str::trim).skip_while(|line| *line != head).skip(1).take_while(|line| !line.starts_with('['));
    let Some(command) = section.into_iter().find_map(|line| value(line, "linux")) else { return Ok(()) };
    let Some(program) = command.split('"').nth(1).filter(|name| name.starts_with("python")) else { return Ok(()) };
    let (code, packages) = match head.as_str() {
        "[zmq]" => ("import zmq", "pyzmq"),
        "[grpc]" => ("import grpc, google.protobuf", "grpcio protobuf"),
        _ => return Ok(()),
    };
    answer(OsStr::new(program), code).map(|_| ()).map_err(|reason| {
        format!(
            "it starts `{program}` of the path, which needs the packages `{packages}`: {reason}; install them \
             (`{program} -m pip install {packages}`), or name an interpreter that has them by `--python` or the key `python` of the unit"
        )
    })
}

/// The interpreter that this process is, where it is one.
static HOST: OnceLock<PathBuf> = OnceLock::new();

/// This process is that interpreter: FMUs that are written in Python and loaded into it run in it, and in no other.
pub fn within_python(interpreter: PathBuf) {
    let _ = HOST.set(interpreter);
}

/// Whether a library was not loaded because it expects Python.
pub(super) fn is_missing(error: &str) -> bool {
    ["undefined symbol: Py", "undefined symbol: _Py"].iter().any(|start| error.contains(start))
}

/// Whether a library that was loaded takes the interpreter that this process is.
pub(super) fn is_hosted(library: &[u8]) -> bool {
    HOST.get().is_some() && library.windows(MARK.len()).any(|bytes| bytes == MARK)
}

/// What the tables of all libraries name that call Python.
const MARK: &[u8] = b"PyGILState_Ensure";

/// Refuses another interpreter than the one that this process is.
fn hosted(host: &Path, named: Option<&Path>) -> Result<(), String> {
    let variable = env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let Some(named) = named.map(Path::to_owned).or(variable) else { return Ok(()) };
    // A bare name is looked for on the path. Links are not followed: those of virtual environments lead to one file.
    let found = match named.components().count() {
        1 => listed("PATH").map(|folder| folder.join(&named)).find(|path| path.is_file()),
        _ => std::path::absolute(&named).ok(),
    };
    if found.as_deref() == Some(host) {
        return Ok(());
    }
    Err(format!(
        "it is to run in `{}`, but it was loaded from Python: its process is the interpreter `{}`, and a process has one; start your script by \
         `{}`, leave the key `python` out, or run the system by the program `macrostep`",
        named.display(),
        host.display(),
        named.display()
    ))
}

/// Whether an interpreter was loaded.
pub(crate) fn is_there() -> bool {
    IS_THERE.load(Ordering::Relaxed)
}

static IS_THERE: AtomicBool = AtomicBool::new(false);

/// The interpreter whose library was loaded.
static SHARED: Mutex<Option<OsString>> = Mutex::new(None);

/// Loads the library of an interpreter for the whole process, once: that which is named, where one is.
///
/// # Errors
/// In words for a user: what was looked for, and what to do; or that another one is there.
pub(super) fn share(named: Option<&Path>) -> Result<(), String> {
    if let Some(host) = HOST.get() {
        return hosted(host, named);
    }
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    match (&*shared, named) {
        (None, _) => *shared = Some(load(named)?),
        (Some(used), Some(named)) if used != named.as_os_str() => {
            return Err(format!(
                "it is to run in `{}`, but `{}` runs in this process already, and a process has one interpreter; `--isolate` gives each FMU a \
                 process of its own",
                named.display(),
                used.to_string_lossy()
            ));
        }
        _ => {}
    }
    Ok(())
}

/// Python was initialised: what it reads then is not needed any more.
pub(super) fn settle() {
    HOOKED.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// The folder with what Python is to read first, if it can be written.
fn hooked() -> Option<PathBuf> {
    let folder = Unpacked::new().ok()?;
    fs::write(folder.path().join("sitecustomize.py"), HOOK).ok()?;
    let path = folder.path().to_owned();
    *HOOKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder);
    Some(path)
}

fn load(named: Option<&Path>) -> Result<OsString, String> {
    let mut tried = Vec::new();
    for interpreter in interpreters(named) {
        let shown = interpreter.to_string_lossy().into_owned();
        let found = match ask(&interpreter) {
            Ok(found) => found,
            Err(reason) => {
                tried.push(format!("`{shown}`: {reason}"));
                continue;
            }
        };
        // Where Python finds its own modules, and those of the environment: what it is told before it is initialised.
        let packages =
            env::join_paths(hooked().into_iter().chain(found.paths.iter().cloned()).chain(listed("PYTHONPATH")));
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
                return Ok(interpreter);
            }
            Err(e) => tried.push(format!("`{shown}`: {e}")),
        }
    }
    let tried = if tried.is_empty() { "nothing of these is there".to_owned() } else { tried.join("; ") };
    Err(format!(
        "it is written in Python and expects the library of an interpreter: looked for the key `python` of the unit, `--python PATH`, an active \
         virtual environment, `python3` and `python` on the path; {tried}; install a Python with its shared library (on Debian \
         libpython3-dev) and name it by `--python`, or by the key `python` of the unit"
    ))
}

/// Interpreters to ask: only the one that is named, if one is.
fn interpreters(named: Option<&Path>) -> Vec<OsString> {
    let named = named.map(|path| path.as_os_str().to_owned());
    if let Some(named) = named.or_else(|| env::var_os(VARIABLE).filter(|name| !name.is_empty())) {
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

fn ask(interpreter: &OsStr) -> Result<Found, String> {
    let text = answer(interpreter, QUESTION)?;
    let mut lines = text.lines();
    let library = PathBuf::from(lines.next().unwrap_or_default());
    let home = lines.next().unwrap_or_default().to_owned();
    if library.as_os_str().is_empty() {
        return Err("it has no shared library".to_owned());
    }
    Ok(Found { library, home, paths: lines.map(PathBuf::from).collect() })
}

/// What an interpreter prints when it runs this code.
fn answer(interpreter: &OsStr, code: &str) -> Result<String, String> {
    let mut command = Command::new(interpreter);
    // Without the variables that were set for another interpreter, and without what a user's start-up file prints.
    command.args(["-c", code]).stdin(Stdio::null()).env_remove("PYTHONHOME").env_remove("PYTHONSTARTUP");
    let output = command.output().map_err(|e| format!("it was not started: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default().to_owned();
        return Err(format!("it does not answer: {last}"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
