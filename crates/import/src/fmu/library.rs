//! The shared library in an FMU: where it is, how it is loaded, its functions.

use std::ffi::{CStr, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use libloading::Library;
use macrostep_fmi2::{self as abi, Functions};

#[cfg(target_os = "linux")]
use super::python;
use super::{Face, Fault, Fmu, FmuOptions, floating_point, image, plain};

/// A loaded library. Its functions stay valid as long as it lives.
#[derive(Debug)]
pub(super) struct Loaded<F = Functions> {
    pub(super) functions: F,
    /// Instances alive.
    pub(super) instances: AtomicUsize,
    /// Set by the first `fmi2Fatal`: all instances are corrupted (FMI 2.0.5, section 2.1.3).
    pub(super) is_corrupted: AtomicBool,
    /// What is strange about it, for the user.
    pub(super) warnings: Vec<String>,
    /// Whether an instance has said so.
    told: AtomicBool,
    // Held only to be dropped, and with it unloaded, unless it has to stay.
    library: Option<Library>,
    /// Whether it is written in Python.
    pub(super) stays: bool,
}

/// Libraries stay loaded as long as this process, which is the program's own or that of a slave: threads, timers and handlers of an FMU may
/// live longer than its instances, and code that is taken away under them ends the process.
pub(crate) fn keep_all() {
    KEEPS.store(true, Ordering::Relaxed);
}

static KEEPS: AtomicBool = AtomicBool::new(false);

impl<F> Drop for Loaded<F> {
    fn drop(&mut self) {
        if (self.stays || KEEPS.load(Ordering::Relaxed))
            && let Some(library) = self.library.take()
        {
            std::mem::forget(library);
        }
    }
}

/// A library that is open, and what was found on the way.
pub(super) struct Opened {
    pub(super) library: Library,
    /// Its path in the archive.
    pub(super) shown: String,
    /// Whether it has changed the floating-point environment.
    environment: bool,
    stays: bool,
}

impl Opened {
    /// Opens the library of `model_identifier` in an unpacked FMU; where it is written in Python, for the interpreter that is named.
    pub(super) fn of(folder: &Path, model_identifier: &str, fmu: &Fmu) -> Result<Opened, Fault> {
        #[cfg(target_os = "linux")]
        let interpreter = fmu.python();
        let path = find(folder, model_identifier, fmu.is_of_3())?;
        let shown = shown(folder, &path);
        let bytes = fs::read(&path).map_err(|e| Fault::file(&path, &e))?;
        if let Some((found, expected)) = image::fault(&bytes) {
            return Err(Fault::Library { library: shown, found, expected });
        }
        #[cfg(target_os = "linux")]
        let is_hosted = python::is_hosted(&bytes);
        drop(bytes);
        #[cfg(target_os = "linux")]
        python::has_packages(folder).map_err(|reason| Fault::NotLoaded { library: shown.clone(), reason })?;
        // Absolute, or the system looks in its own folders first.
        let path = fs::canonicalize(&path).map_err(|e| Fault::file(&path, &e))?;
        #[cfg_attr(not(target_os = "linux"), allow(unused_mut))]
        let mut loaded = open(&path);
        // Written in Python: that is loaded first. An interpreter in a process cannot be taken away again.
        #[cfg(target_os = "linux")]
        let stays = is_hosted || loaded.as_ref().is_err_and(|e| python::is_missing(&cause(e)));
        #[cfg(not(target_os = "linux"))]
        let stays = false;
        #[cfg(target_os = "linux")]
        if stays {
            python::share(interpreter).map_err(|reason| Fault::NotLoaded { library: shown.clone(), reason })?;
            loaded = loaded.or_else(|_| open(&path));
        }
        // An initialiser of a library compiled for fast mathematics changes it.
        let environment = floating_point::changed();
        floating_point::restore();
        let library = loaded.map_err(|e| Fault::NotLoaded { library: shown.clone(), reason: reason(&e) })?;
        Ok(Opened { library, shown, environment, stays })
    }

    /// The address of a symbol; NULL where there is none.
    pub(super) fn symbol(&self, name: &CStr) -> *const c_void {
        // SAFETY: the symbol is only taken as an address here.
        unsafe { self.library.get::<*const c_void>(name) }.map_or(std::ptr::null(), |symbol| *symbol)
    }

    /// With its functions, and what is strange about them.
    pub(super) fn with<F>(self, functions: F, mut warnings: Vec<String>) -> Loaded<F> {
        let shown = &self.shown;
        if self.environment {
            warnings.push(format!(
                "library `{shown}` changed the floating-point environment (rounding, denormal numbers or traps) when it was loaded; the default is restored"
            ));
        }
        Loaded {
            functions,
            instances: AtomicUsize::new(0),
            is_corrupted: AtomicBool::new(false),
            warnings,
            told: AtomicBool::new(false),
            library: Some(self.library),
            stays: self.stays,
        }
    }
}

impl Loaded {
    /// Loads the library of `model_identifier` from an unpacked FMU of FMI 2.0.
    pub(super) fn load(folder: &Path, model_identifier: &str, fmu: &Fmu) -> Result<Loaded, Fault> {
        let opened = Opened::of(folder, model_identifier, fmu)?;
        let lookup = |name: &'static CStr| -> *const c_void {
            match opened.symbol(name) {
                // Equations have no steps of their own.
                none if none.is_null() && name == c"fmi2DoStep" && fmu.face() == Face::ModelExchange => {
                    no_step as *const c_void
                }
                symbol => symbol,
            }
        };
        // SAFETY: a library of an FMU exports functions of the types in the FMI headers under these names (FMI 2.0.5,
        // section 2.1.1); that they outlive the table is what `Loaded` is for.
        let functions = match unsafe { Functions::load(lookup) } {
            Ok(functions) => functions,
            Err(missing) => return Err(Fault::Missing { library: opened.shown, missing }),
        };
        if fmu.face() == Face::ModelExchange {
            let missing = missing_for_exchange(&functions);
            if !missing.is_empty() {
                return Err(Fault::Missing { library: opened.shown, missing });
            }
        }
        let warnings = warnings(&functions, &opened.shown);
        Ok(opened.with(functions, warnings))
    }
}

impl<F> Loaded<F> {
    /// Says what is strange about the library, once for all its instances; the first one has this name.
    pub(super) fn remark(&self, unit: &str, options: &FmuOptions) {
        let Some(sink) = &options.remark else { return };
        if !self.warnings.is_empty() && !self.told.swap(true, Ordering::Relaxed) {
            self.warnings.iter().for_each(|w| sink(&plain(&format!("unit `{unit}`: {w}"))));
        }
    }

    /// Whether some instance returned `fmi2Fatal`.
    #[inline]
    pub(super) fn is_corrupted(&self) -> bool {
        self.is_corrupted.load(Ordering::Relaxed)
    }
}

/// In the place of `fmi2DoStep`, where a library for model exchange has none: it is never called.
extern "C" fn no_step(_: abi::Component, _: f64, _: f64, _: abi::Boolean) -> abi::Status {
    abi::ERROR
}

/// The functions of model exchange that are not there, of those that no integration can do without.
fn missing_for_exchange(f: &Functions) -> Vec<&'static str> {
    let there = [
        ("fmi2EnterEventMode", f.enter_event_mode.is_some()),
        ("fmi2NewDiscreteStates", f.new_discrete_states.is_some()),
        ("fmi2EnterContinuousTimeMode", f.enter_continuous_time_mode.is_some()),
        ("fmi2CompletedIntegratorStep", f.completed_integrator_step.is_some()),
        ("fmi2SetTime", f.set_time.is_some()),
        ("fmi2SetContinuousStates", f.set_continuous_states.is_some()),
        ("fmi2GetDerivatives", f.get_derivatives.is_some()),
        ("fmi2GetEventIndicators", f.get_event_indicators.is_some()),
        ("fmi2GetContinuousStates", f.get_continuous_states.is_some()),
    ];
    there.iter().filter(|(_, is_there)| !is_there).map(|(name, _)| *name).collect()
}

/// Folders in `binaries/` with code for this machine: that of FMI 2.0, then that of FMI 3.0, which some tools use.
pub(super) const FOLDERS: &[&str] = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    &["linux64", "x86_64-linux"]
} else if cfg!(all(target_os = "linux", target_arch = "x86")) {
    &["linux32", "x86-linux"]
} else if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
    &["aarch64-linux", "linux64"]
} else if cfg!(all(windows, target_arch = "x86_64")) {
    &["win64", "x86_64-windows"]
} else if cfg!(all(windows, target_arch = "x86")) {
    &["win32", "x86-windows"]
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    &["darwin64", "aarch64-darwin"]
} else if cfg!(target_os = "macos") {
    &["darwin64", "x86_64-darwin"]
} else {
    &[]
};

const SUFFIX: &str = if cfg!(windows) {
    ".dll"
} else if cfg!(target_os = "macos") {
    ".dylib"
} else {
    ".so"
};

fn find(folder: &Path, model_identifier: &str, is_of_3: bool) -> Result<PathBuf, Fault> {
    let binaries = folder.join("binaries");
    let name = format!("{model_identifier}{SUFFIX}");
    // An identifier is a name, not a path out of the folder.
    let is_name = !model_identifier.contains(['/', '\\', ':']);
    let candidates = FOLDERS.iter().map(|platform| binaries.join(platform).join(&name));
    if let Some(path) = candidates.into_iter().find(|path| is_name && path.is_file()) {
        return Ok(path);
    }
    // The platforms of FMI 3.0 have a dash in their names.
    let expected = FOLDERS.iter().find(|platform| platform.contains('-') == is_of_3);
    let found = present(folder, &binaries);
    Err(Fault::NoLibrary {
        found: if found.is_empty() { "no libraries".to_owned() } else { found.join(", ") },
        expected: format!("binaries/{}/{name}", expected.or(FOLDERS.first()).unwrap_or(&"(a platform FMI knows)")),
    })
}

/// The first files in the folders of `binaries/`.
fn present(folder: &Path, binaries: &Path) -> Vec<String> {
    const SHOWN: usize = 8;
    let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<String> = entries(binaries)
        .flat_map(|platform| entries(&platform).collect::<Vec<_>>())
        .map(|p| shown(folder, &p))
        .collect();
    found.sort();
    found.truncate(SHOWN);
    found
}

/// The path as it stands in the archive.
fn shown(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

#[cfg(unix)]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::unix::{Library as Unix, RTLD_LOCAL, RTLD_NOW};
    #[cfg(target_os = "linux")]
    share_libm();
    // SAFETY: the initialisers of a foreign library run here; that they behave is the trust a user puts into an FMU.
    unsafe { Unix::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Library::from)
}

/// The first cause of an error.
fn cause(error: &libloading::Error) -> String {
    use std::error::Error;
    let mut error: &dyn Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// What the system says of a library that is not loaded: the cause, where there is one.
fn reason(error: &libloading::Error) -> String {
    let text = cause(error);
    let hint = if text.contains("undefined symbol") {
        "; it does not name the library that has it: load that library first, with LD_PRELOAD"
    } else if text.contains("failed to map segment") {
        "; is the temporary folder on a file system mounted with `noexec`? TMPDIR chooses another"
    } else {
        ""
    };
    text + hint
}

/// Many FMUs use functions of libm without being linked against it; they find them if it was loaded globally before.
#[cfg(target_os = "linux")]
fn share_libm() {
    use libloading::os::unix::{Library as Unix, RTLD_GLOBAL, RTLD_NOW};
    static SHARED: std::sync::Once = std::sync::Once::new();
    SHARED.call_once(|| {
        // SAFETY: the system's libm has no initialisers that could do harm. Where there is none of that name (musl keeps
        // it in libc), nothing is missing.
        if let Ok(libm) = unsafe { Unix::open(Some("libm.so.6"), RTLD_NOW | RTLD_GLOBAL) } {
            // Stays loaded as long as the process.
            let _ = libm.into_raw();
        }
    });
}

#[cfg(windows)]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library as Windows};
    // SAFETY: as on Unix. The flag makes Windows look for further DLLs beside this one.
    unsafe { Windows::load_with_flags(path, LOAD_WITH_ALTERED_SEARCH_PATH) }.map(Library::from)
}

fn warnings(functions: &Functions, library: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    let asked = [
        ("fmi2GetVersion", functions.get_version, "2.0"),
        ("fmi2GetTypesPlatform", functions.get_types_platform, "default"),
    ];
    for (name, function, expected) in asked {
        let Some(function) = function else {
            warnings.push(format!("library `{library}` lacks {name}"));
            continue;
        };
        // SAFETY: takes nothing, and may be called before anything else (FMI 2.0.5, section 2.1.4).
        let answer = unsafe { function() };
        let found = if answer.is_null() {
            "NULL".to_owned()
        } else {
            // SAFETY: not NULL, and a zero-terminated string of the library by the standard.
            unsafe { CStr::from_ptr(answer) }.to_string_lossy().into_owned()
        };
        if found != expected {
            warnings.push(format!("library `{library}`: {name} returned `{found}`, expected `{expected}`"));
        }
    }
    warnings
}
