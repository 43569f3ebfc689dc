//! `macrostep export`: a system as one FMU.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use macrostep::embedded;
use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_answers::system::{Opened, convert, start};
use macrostep_container::{
    Choice, FMUS, INTERFACE, Interface, SCENARIO, Slaves, Wanted, choose, describe, slave_program,
};
use macrostep_description::ModelDescription;
use macrostep_import::fmu::{LOCK, regular};
use macrostep_packager::{Fmi, Library, Package, Platform};
use macrostep_system::scenario::{Place, Source};
use macrostep_system::{Assembly, Fmus, Scenario, toml};

use super::arguments::ExportArguments;
use crate::factory::CARRIED;
use crate::fmus;

/// The name of the container's library.
const CONTAINER: &str = "container";

/// Files of an archive by their paths.
type Entries = BTreeMap<String, Vec<u8>>;

/// Writes the FMU and prints its name.
///
/// # Errors
/// [`Failure`] where the system cannot run as an FMU; then nothing is written.
pub fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    if arguments.system.threads.is_some() {
        let why = "the FMUs inside step in the thread of the tool that loads the FMU";
        return Err(Failure::conflict("--threads", "export", why));
    }
    // The system as it runs. A slave of it may change the working folder.
    let here = std::env::current_dir().map_err(Failure::file(Path::new(".")))?;
    let mut opened = Opened::without_notes(&CARRIED, &arguments.system)?;
    opened.share_one_process();
    // Power bonds that nobody names are for runs that have a second look.
    opened.document.scenario.bonds_are_all = true;
    if !arguments.outputs.is_empty() {
        let outputs = arguments.outputs.iter().map(|pattern| (pattern.clone(), Place::option("--outputs")));
        opened.document.scenario.record.variables = outputs.collect();
    }
    apart(arguments, &opened)?;
    let assembly = opened.assemble()?;
    let (interface, mut scenario, descriptions) = chosen(arguments, &assembly)?;
    // It is made once, so that what keeps it from running is told here and not by another tool.
    start(assembly).map_err(Failure::run)?;
    // What lies inside.
    let mut resources = Entries::new();
    let platforms = arguments.platforms.as_deref().map(fmus::platforms).transpose()?.unwrap_or_default();
    place(&mut scenario, (opened.fmus(), &platforms), &mut resources)?;
    let libraries = libraries(&scenario, &platforms, &resources)?;
    let text = toml::write(&scenario);
    let inside = toml::read(&text, SCENARIO, Path::new("")).map_err(|f| Failure::Run(f.to_string()))?;
    let description = describe(&inside, &descriptions, &interface).map_err(Failure::Run)?;
    resources.insert(SCENARIO.to_owned(), text.into_bytes());
    resources.insert(INTERFACE.to_owned(), interface.text().map_err(Failure::Run)?.into_bytes());
    if let Some(program) = embedded::slave_program().map_err(Failure::Run)? {
        resources.insert(slave_program(), program);
    }
    let bytes = packed((&description, &scenario), (libraries.as_slice(), arguments.fmi.into()), &resources)?;
    convert::write(&here.join(&arguments.out), &bytes)?;
    print::line(arguments.out.display())
}

/// What is written is not what is read.
fn apart(arguments: &ExportArguments, opened: &Opened) -> Result<(), Failure> {
    let mut files = Files::default();
    files.reads_system(&arguments.system.system, &opened.document.scenario, Path::new(""));
    files.writes("--out", &arguments.out);
    files.are_apart()
}

/// What shows, and the scenario that records it.
fn chosen(
    arguments: &ExportArguments,
    assembly: &Assembly,
) -> Result<(Interface, Scenario, Vec<Arc<ModelDescription>>), Failure> {
    let mut scenario = assembly.effective.clone();
    let stem = arguments.out.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let title = if scenario.name.is_empty() { &stem } else { &scenario.name };
    let choice = Choice { scenario: &scenario, descriptions: &assembly.descriptions, recorded: &assembly.recorded };
    let wanted = Wanted { inputs: &arguments.inputs, parameters: &arguments.shown_parameters };
    let mut interface = choose(&choice, title, &wanted).map_err(|e| Failure::Usage(e.to_string()))?;
    interface.slaves = slaves(arguments);
    scenario.record.variables = interface.outputs.iter().map(|name| (name.clone(), Place::default())).collect();
    scenario.record.every = 1;
    Ok((interface, scenario, assembly.descriptions.clone()))
}

/// Where the FMUs inside run.
fn slaves(arguments: &ExportArguments) -> Slaves {
    let a = &arguments.system.slaves;
    Slaves {
        isolate: a.isolate,
        call_limit_s: a.call_limit,
        memory_limit_mib: a.memory_limit,
        logging_on: a.logging_on,
        rollback: arguments.system.rollback,
    }
}

/// Puts FMUs and files of inputs among the resources, and their names into the scenario.
fn place(
    scenario: &mut Scenario,
    (fmus, platforms): (&Fmus, &[(Platform, PathBuf)]),
    resources: &mut Entries,
) -> Result<(), Failure> {
    let mut names: BTreeMap<Source, String> = BTreeMap::new();
    for unit in &mut scenario.units {
        let folder = match names.get(&unit.source) {
            Some(folder) => folder.clone(),
            None => {
                let stem = unit.source.stem();
                let free = |name: &String| !names.values().any(|taken| taken == name);
                let numbered = (2..).map(|n| format!("{FMUS}/{stem}-{n}"));
                let mut candidates = std::iter::once(format!("{FMUS}/{stem}")).chain(numbered);
                let folder = candidates.find(free).unwrap_or_default();
                let fmu = fmus.fmu(&unit.source).map_err(Failure::Run)?;
                take(fmu.folder(), &folder, resources)?;
                // Those this program carries have other platforms where their libraries are.
                if let Source::Embedded(name) = &unit.source {
                    for library in platforms.iter().filter_map(|of| fmus::library(of, name).ok()) {
                        resources.insert(format!("{folder}/{}", library.platform.path(name)), library.bytes);
                    }
                }
                names.insert(unit.source.clone(), folder.clone());
                folder
            }
        };
        unit.source = Source::file(&folder, folder.as_str()).driven_as(&unit.source);
    }
    for file in &mut scenario.inputs {
        let name = format!("inputs/{}.csv", file.name);
        resources.insert(name.clone(), regular::read(&file.path).map_err(Failure::file(&file.path))?);
        (file.path, file.shown) = (Path::new(&name).to_owned(), name);
    }
    Ok(())
}

/// Takes all files of a folder but the mark that somebody uses it; links are not followed.
fn take(folder: &Path, name: &str, resources: &mut Entries) -> Result<(), Failure> {
    for entry in fs::read_dir(folder).map_err(Failure::file(folder))? {
        let entry = entry.map_err(Failure::file(folder))?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(Failure::file(folder))?);
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if kind.is_dir() {
            // Folders stay, empty ones too: a slave may look for its resources.
            resources.insert(format!("{name}/"), Vec::new());
            take(&path, &name, resources)?;
        } else if kind.is_file() && !name.ends_with(LOCK) {
            resources.insert(name, fs::read(&path).map_err(Failure::file(&path))?);
        }
    }
    Ok(())
}

/// The libraries for this platform and for those of the others that all FMUs inside have.
fn libraries(
    scenario: &Scenario,
    platforms: &[(Platform, PathBuf)],
    resources: &Entries,
) -> Result<Vec<Library>, Failure> {
    let mut libraries = Vec::new();
    for of in platforms {
        let has = |folder: &str| {
            let path = format!("{folder}/binaries/{}/", of.0.folder());
            resources.keys().any(|file| file.starts_with(&path) && file.len() > path.len())
        };
        match scenario.units.iter().find(|unit| !has(&unit.source.to_string())) {
            None => libraries.push(fmus::library(of, CONTAINER)?),
            Some(unit) => {
                macrostep_answers::print::remark!(
                    "note: no library for {}: unit `{}` has none",
                    of.0.folder(),
                    unit.name
                )
            }
        }
    }
    let own = embedded::container().map_err(Failure::Run)?;
    if libraries.iter().all(|library| library.platform != own.platform) {
        libraries.push(own);
    }
    Ok(libraries)
}

/// The archive.
fn packed(
    (description, scenario): (&ModelDescription, &Scenario),
    (libraries, fmi): (&[Library], Fmi),
    resources: &Entries,
) -> Result<Vec<u8>, Failure> {
    let resources: Vec<(&str, &[u8])> =
        resources.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let package = Package {
        description,
        equations_html: &documentation(scenario),
        libraries,
        reference_csv: None,
        resources: &resources,
    };
    package.bytes_of(fmi).map_err(Failure::run)
}

/// What is coupled and how, as the body of a page.
fn documentation(s: &Scenario) -> String {
    let plain = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<p>A system of FMUs coupled inside. The scenario, as <code>resources/{SCENARIO}</code> says it:</p>\n<pre>{}</pre>\n",
        plain(&toml::write(s))
    )
}
