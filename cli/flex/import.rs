//! `macrostep flex import`: from a finite element model to an FMU of a flexible body.

use std::path::Path;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use macrostep::embedded;
use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::files::write_text;
use macrostep_answers::print;
use macrostep_description::ModelDescription;
use macrostep_flexible::check::Conditioning;
use macrostep_flexible::moving::Rayleigh;
use macrostep_flexible::structure::Assembly;
use macrostep_flexible::{Basis, Error, FlexibleBody, Joint, Report, Tied};
use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_models_flexible::{Body, ImportedBody, Stored};
use macrostep_packager::{Package, libraries};
use macrostep_plot::table::{Table, short};
use serde_json::json;

use super::arguments::ImportArguments;
use super::drawing;
use super::source::Source;
use macrostep_run::checkpoint::whole;

/// Names of the joints on the command line, in the order of [`Joint::ALL`].
const JOINTS: [&str; 6] = ["free", "ball", "hinge_x", "hinge_y", "hinge_z", "clamp"];
/// Elastic frequencies of the free body that are computed to check its matrices.
const FREE: usize = 4;
/// Modes in the picture.
const DRAWN: usize = 4;

/// What was found on the way.
struct Found {
    source: Source,
    tied: Tied,
    basis: Basis,
    reference: usize,
    conditioning: Conditioning,
    report: Report,
    body: ImportedBody,
}

/// Reads, checks, reduces, writes.
///
/// # Errors
/// [`Failure`] of the arguments, the files and the computation.
pub fn run(arguments: &ImportArguments) -> Result<(), Failure> {
    // The FMU never overwrites what it is made from.
    let mut files = Files::default();
    files.reads_option("mesh", arguments.mesh.as_deref());
    files.reads_option("--stiffness", arguments.stiffness.as_deref());
    files.reads_option("--mass", arguments.mass.as_deref());
    files.reads_option("--dof", arguments.dof.as_deref());
    files.writes("--fmu", &arguments.fmu);
    files.are_apart()?;
    // Everything up to the FMU, with the time that it took.
    let began = Instant::now();
    let found = Found::new(arguments)?;
    let guid = pack(&found.body, &arguments.fmu)?;
    let seconds = began.elapsed().as_secs_f64();
    // What was found, as an object or as words.
    let json = found.json(arguments, &guid, seconds);
    if arguments.json {
        print::line(&json)?;
    } else {
        print::line(found.text(arguments, seconds))?;
    }
    // Remarks go to the other stream, so that JSON stays alone.
    for note in &found.source.notes {
        macrostep_answers::print::remark!("note: {note}");
    }
    for warning in found.warnings() {
        eprintln!("warning: {warning}");
    }
    // Report and picture, where a folder is wanted.
    if let Some(folder) = &arguments.out {
        write_text(&folder.join("import.json"), &json.to_string())?;
        found.figure().map_err(Failure::run)?.write(folder, "body")?;
        macrostep_answers::print::remark!("wrote report and picture to `{}`", folder.display());
    }
    Ok(())
}

/// A line on standard error that says what is going on, seen on a terminal only.
fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    bar
}

/// The basis `--reduce` names.
pub(super) fn reduce(text: &str, tied: &Tied) -> Result<Basis, Failure> {
    // `METHOD:VALUES`; every mistake is told together with the forms that there are.
    let usage = |what: &str| Failure::Usage(format!("`--reduce {text}`: {what}"));
    let forms = "expected `cb:STATIC+MODES`, `cb:MODES`, `krylov:MOMENTS@HZ` or `modal:MODES`";
    let (method, values) = text.split_once(':').ok_or_else(|| usage(forms))?;
    let count = |text: &str| text.trim().parse::<usize>().map_err(|_| usage(forms));
    // The letters before the colon name the method.
    match method {
        "cb" => {
            // The number of static shapes is fixed by the connectors: to write it is to check it.
            let (shapes, modes) = values.split_once('+').map_or((None, values), |(s, m)| (Some(s), m));
            let expected = tied.chain.masters;
            match shapes.map(count).transpose()? {
                Some(found) if found != expected => {
                    let connectors = tied.connectors.len();
                    Err(usage(&format!(
                        "{found} static shapes, expected {expected}: six for each of {connectors} connectors"
                    )))
                }
                _ => Basis::craig_bampton(&tied.chain, count(modes)?).map_err(Failure::run),
            }
        }
        "krylov" => {
            // Moments are matched at s = iω of the frequency, so that the square is negative.
            let (moments, at) = values.split_once('@').ok_or_else(|| usage(forms))?;
            let hz: f64 = at.trim().parse().map_err(|_| usage(forms))?;
            if !(hz.is_finite() && hz >= 0.0) {
                return Err(usage(&format!("{hz} Hz, expected a finite frequency of at least 0")));
            }
            Basis::krylov(&tied.chain, -(std::f64::consts::TAU * hz).powi(2), count(moments)?).map_err(Failure::run)
        }
        "modal" => Basis::modal(&tied.chain, count(values)?).map_err(Failure::run),
        _ => Err(usage(forms)),
    }
}

/// Writes the FMU of a body, loads it again and returns its GUID.
pub(super) fn pack(body: &ImportedBody, path: &Path) -> Result<String, Failure> {
    let made = body.to_bytes().and_then(|data| {
        let (_, description) = Body::from_data(ImportedBody::shared(&data)?)?;
        Ok((data, description))
    });
    let (data, description) = made.map_err(fault_of(path))?;
    write_fmu(path, Body::IDENTIFIER, &description, (ImportedBody::FILE, &data))
}

/// A fault of the FMU that is written to a file.
pub(super) fn fault_of<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> Failure {
    move |e| Failure::Run(format!("`{}`: {e}", path.display()))
}

/// Writes an FMU with the library of a model of this program and other data, which can be loaded, and returns its GUID.
pub(super) fn write_fmu(
    path: &Path,
    model: &str,
    description: &ModelDescription,
    data: (&str, &[u8]),
) -> Result<String, Failure> {
    let fault = |e: &dyn std::fmt::Display| fault_of(path)(e);
    let carrier = embedded::fmu(model).ok_or_else(|| fault(&format!("this program carries no `{model}`")))?;
    let entry = macrostep_models_flexible::find(model);
    let package = Package {
        description,
        equations_html: &entry.map(|entry| entry.documentation_html()).unwrap_or_default(),
        libraries: &libraries(carrier).map_err(|e| fault(&e))?,
        reference_csv: None,
        resources: &[data],
    };
    let bytes = package.bytes().map_err(|e| fault(&e))?;
    let fmu = Fmu::from_bytes(&description.model_name, &bytes).map_err(|e| fault(&e))?;
    fmu.instantiate("check", &FmuOptions::default()).map_err(|e| fault(&e))?;
    whole(path, &bytes).map_err(Failure::file(path))?;
    Ok(description.guid.clone())
}

/// A fiftieth of the period of the body's first mode, rounded down to 1, 2 or 5 times a power of ten.
pub(super) fn micro_step_of(body: &FlexibleBody) -> f64 {
    micro_step_s(body.frequencies_hz().first().copied().unwrap_or(1.0))
}

/// A fiftieth of a period, rounded down to 1, 2 or 5 times a power of ten.
fn micro_step_s(first_hz: f64) -> f64 {
    let step = 0.02 / first_hz.max(1e-6);
    let power = 10f64.powf(step.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|f| f * power).find(|s| *s <= step).unwrap_or(power)
}

impl Found {
    fn new(arguments: &ImportArguments) -> Result<Found, Failure> {
        // A large body takes a while: each step is named, in lines where there is no terminal.
        let bar = spinner();
        let say = |what: &str| {
            bar.set_message(what.to_owned());
            if bar.is_hidden() {
                eprintln!("{what}");
            }
        };
        // The body, its connectors, and the one that carries the frame.
        say("reading and assembling");
        let source = Source::read(arguments)?;
        let connectors = source.connectors(&arguments.connectors)?;
        let reference = match &arguments.reference {
            None => 0,
            Some(name) => connectors
                .iter()
                .position(|c| c.name == *name)
                .ok_or_else(|| Failure::Usage(format!("`--reference {name}`: there is no such connector")))?,
        };
        // Matrices are checked before anything is made from them.
        say(&format!("checking {}: lowest free frequencies", source.about));
        let conditioning = Conditioning::new(&source.structure, FREE).map_err(Failure::run)?;
        let tied = source.structure.tie(&connectors).map_err(Failure::run)?;
        // The basis, and how well it keeps frequencies and compliance.
        say(&format!("reducing {} coordinates", tied.chain.size()));
        let basis = reduce(&arguments.reduce, &tied)?;
        say("comparing with the full model");
        let report = Report::new(&tied.chain, &basis, reference, arguments.compare).map_err(Failure::run)?;
        // The moving frame; geometric stiffness needs elements, which given matrices do not have.
        say("moving frame");
        let damping = Rayleigh { alpha_per_s: arguments.alpha, beta_s: arguments.beta };
        let make = match source.structure.assembly {
            Assembly::Matrices => FlexibleBody::new,
            _ if arguments.no_geometric_stiffness => FlexibleBody::new,
            _ => FlexibleBody::stiffened,
        };
        let body = make(&source.structure, &tied, &basis, reference, damping).map_err(Failure::run)?;
        bar.finish_and_clear();
        // The micro step follows its lowest elastic frequency unless it is given.
        let stem = arguments.fmu.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let joint = JOINTS.iter().position(|j| *j == arguments.joint).and_then(|i| Joint::ALL.get(i).copied());
        // What goes into the FMU.
        let body = ImportedBody {
            about: format!("Flexible body {stem}: {}, {} elastic coordinates", source.about, body.modes()),
            name: stem,
            micro_step_s: arguments.micro_step.unwrap_or_else(|| micro_step_of(&body)),
            joint: joint.unwrap_or_default(),
            body,
        };
        Ok(Found { source, tied, basis, reference, conditioning, report, body })
    }

    fn warnings(&self) -> impl Iterator<Item = &String> {
        self.conditioning.warnings.iter().chain(&self.report.warnings)
    }

    fn frequencies(values: &[f64]) -> Vec<f64> {
        values.iter().map(|v| v.max(0.0).sqrt() / std::f64::consts::TAU).collect()
    }

    fn json(&self, arguments: &ImportArguments, guid: &str, seconds: f64) -> serde_json::Value {
        json!({
            "fmu": arguments.fmu, "guid": guid, "seconds": seconds, "peak_memory_bytes": peak_memory_bytes(),
            "nodes": self.source.structure.nodes.len(),
            "mass_kg": self.conditioning.mass_kg,
            "connectors": self.tied.connectors.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
            "free_frequencies_hz": self.conditioning.frequencies_hz,
            "free_frequencies_zero_below_hz": self.conditioning.zero_hz,
            "free_eigenvalues_rad2_s2": self.conditioning.eigenvalues,
            "rigid_residual": self.conditioning.rigid_residual,
            "full_frequencies_hz": Self::frequencies(&self.report.full),
            "reduced_frequencies_hz": Self::frequencies(&self.report.reduced),
            "frequency_errors": self.report.errors,
            "dc_error": self.report.static_error,
            "elastic_coordinates": self.body.body.modes(),
            "geometric_stiffness": self.body.body.geometric.is_some(),
            "micro_step_s": self.body.micro_step_s,
            "notes": self.source.notes,
            "warnings": self.warnings().collect::<Vec<_>>(),
        })
    }

    fn text(&self, arguments: &ImportArguments, seconds: f64) -> String {
        // Frequencies with the reference connector fixed, of the full and the reduced model.
        let mut table = Table::new("> mode | > full [Hz] | > reduced [Hz] | > error");
        let (full, reduced) = (Self::frequencies(&self.report.full), Self::frequencies(&self.report.reduced));
        for (i, error) in self.report.errors.iter().enumerate() {
            table.row([format!("{}", i + 1), format!("{:.4}", full[i]), format!("{:.4}", reduced[i]), short(*error)]);
        }
        // The connectors, and which of them the frame is at.
        let c = &self.conditioning;
        let connector = |(i, c): (usize, &macrostep_flexible::Connector)| {
            let at = c.position;
            let frame = if i == self.reference { ", the frame" } else { "" };
            format!("  {}: {} nodes at ({:.4}, {:.4}, {:.4}) m{frame}", c.name, c.nodes.len(), at.x, at.y, at.z)
        };
        let connectors: Vec<String> = self.tied.connectors.iter().enumerate().map(connector).collect();
        // A static compliance needs a second connector to load.
        let dc = self.report.static_error.map_or("none with one connector".to_owned(), short);
        // From the body to the FMU that was written.
        format!(
            "{}, {:.6} kg\nconnectors\n{}\nlowest free frequencies [Hz], the first six rigid: {}\nresistance to rigid motions: \
             {} of the stiffness\n\nwith connector {} fixed\n{}\n\nerror of the static compliance: {dc}\n{} elastic coordinates, \
             {} geometric stiffness, micro step {:e} s\nwrote `{}` in {seconds:.1} s",
            self.source.about,
            c.mass_kg,
            connectors.join("\n"),
            c.frequencies(),
            short(c.rigid_residual),
            self.tied.connectors[self.reference].name,
            table.terminal(),
            self.body.body.modes(),
            if self.body.body.geometric.is_some() { "with" } else { "without" },
            self.body.micro_step_s,
            arguments.fmu.display(),
        )
    }

    /// Mesh, connectors and the first modes with the reference connector fixed.
    fn figure(&self) -> Result<macrostep_plot::Figure, Error> {
        let shapes = drawing::mode_shapes(&self.tied, &self.basis, self.reference, DRAWN)?;
        let structure = &self.source.structure;
        Ok(drawing::body(&self.body.name, (structure, self.source.mesh.as_ref()), &self.tied.connectors, &shapes))
    }
}

/// The most memory this process has held, where the system says so.
fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(1024 * line.split_whitespace().nth(1)?.parse::<u64>().ok()?)
}
