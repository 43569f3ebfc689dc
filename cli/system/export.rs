//! `macrostep export`: a system as one FMU.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use macrostep::embedded;
use macrostep_container::{Choice, FMUS, INTERFACE, Interface, SCENARIO, Wanted, choose, describe};
use macrostep_description::ModelDescription;
use macrostep_import::fmu::regular;
use macrostep_packager::Package;
use macrostep_system::scenario::{Place, Source};
use macrostep_system::{Assembly, Fmus, Scenario, toml};

use super::arguments::ExportArguments;
use super::{Opened, convert, name, start};
use crate::distinct::Files;
use crate::failure::Failure;
use crate::print;

/// Files of an archive by their paths.
type Entries = BTreeMap<String, Vec<u8>>;

/// Writes the FMU and prints its name.
///
/// # Errors
/// [`Failure`] where the system cannot run as an FMU; then nothing is written.
pub fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    if arguments.system.slaves.isolate {
        let why = "the FMUs inside run in the process of the tool that loads the FMU";
        return Err(Failure::conflict("--isolate", "export", why));
    }
    // The system as it runs.
    let mut opened = Opened::without_notes(&arguments.system)?;
    if !arguments.outputs.is_empty() {
        let outputs = arguments.outputs.iter().map(|pattern| (pattern.clone(), Place::option("--outputs")));
        opened.document.scenario.record.variables = outputs.collect();
    }
    apart(arguments, &opened)?;
    let assembly = opened.assemble()?;
    let (interface, mut scenario, descriptions) = chosen(arguments, &assembly)?;
    // It is made once, so that what keeps it from running is told here and not by another tool.
    start(assembly).map_err(|e| Failure::Run(e.to_string()))?;
    // What lies inside.
    let mut resources = Entries::new();
    place(&mut scenario, opened.fmus(), &mut resources)?;
    let text = toml::write(&scenario);
    let inside = toml::read(&text, SCENARIO, Path::new("")).map_err(|f| Failure::Run(f.to_string()))?;
    let description = describe(&inside, &descriptions, &interface).map_err(Failure::Run)?;
    resources.insert(SCENARIO.to_owned(), text.into_bytes());
    resources.insert(INTERFACE.to_owned(), interface.text().map_err(Failure::Run)?.into_bytes());
    let bytes = packed(&description, &scenario, &resources)?;
    convert::write(&arguments.out, &bytes)?;
    print::line(arguments.out.display())
}

/// What is written is not what is read.
fn apart(arguments: &ExportArguments, opened: &Opened) -> Result<(), Failure> {
    let mut files = Files::default();
    if name(&arguments.system.system).is_none() {
        files.reads("scenario", &arguments.system.system);
    }
    files.reads_units(&opened.document.scenario, Path::new(""));
    opened.document.scenario.inputs.iter().for_each(|file| files.reads("inputs", &file.path));
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
    let interface = choose(&choice, title, &wanted).map_err(|e| Failure::Usage(e.to_string()))?;
    scenario.record.variables = interface.outputs.iter().map(|name| (name.clone(), Place::default())).collect();
    scenario.record.every = 1;
    Ok((interface, scenario, assembly.descriptions.clone()))
}

/// Puts FMUs and files of inputs among the resources, and their names into the scenario.
fn place(scenario: &mut Scenario, fmus: &Fmus, resources: &mut Entries) -> Result<(), Failure> {
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
                names.insert(unit.source.clone(), folder.clone());
                folder
            }
        };
        unit.source = Source::File { path: Path::new(&folder).to_owned(), shown: folder };
    }
    for file in &mut scenario.inputs {
        let name = format!("inputs/{}.csv", file.name);
        resources.insert(name.clone(), regular::read(&file.path).map_err(Failure::file(&file.path))?);
        (file.path, file.shown) = (Path::new(&name).to_owned(), name);
    }
    Ok(())
}

/// Takes all files of a folder; links are not followed.
fn take(folder: &Path, name: &str, resources: &mut Entries) -> Result<(), Failure> {
    for entry in fs::read_dir(folder).map_err(Failure::file(folder))? {
        let entry = entry.map_err(Failure::file(folder))?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(Failure::file(folder))?);
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if kind.is_dir() {
            // Folders stay, empty ones too: a slave may look for its resources.
            resources.insert(format!("{name}/"), Vec::new());
            take(&path, &name, resources)?;
        } else if kind.is_file() {
            resources.insert(name, fs::read(&path).map_err(Failure::file(&path))?);
        }
    }
    Ok(())
}

/// The archive.
fn packed(description: &ModelDescription, scenario: &Scenario, resources: &Entries) -> Result<Vec<u8>, Failure> {
    let resources: Vec<(&str, &[u8])> =
        resources.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let package = Package {
        description,
        equations_html: &documentation(scenario),
        libraries: &[embedded::container().map_err(Failure::Run)?],
        reference_csv: None,
        resources: &resources,
    };
    package.bytes().map_err(|e| Failure::Run(e.to_string()))
}

/// What is coupled and how, as the body of a page.
fn documentation(s: &Scenario) -> String {
    let plain = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<p>A system of FMUs coupled inside. The scenario, as <code>resources/{SCENARIO}</code> says it:</p>\n<pre>{}</pre>\n",
        plain(&toml::write(s))
    )
}
