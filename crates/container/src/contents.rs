//! The content of `resources/`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_import::fmu::regular;
use macrostep_slave::{Fault, Shared, shared};
use macrostep_system::{Catalogue, Fmus, Scenario, toml as scenario_toml};
use serde::{Deserialize, Serialize};

use crate::declaration::{Table, declare};
use crate::slaves::Slaves;

/// Name of the scenario's file.
pub const SCENARIO: &str = "scenario.toml";

/// Name of the file with the variables of the container.
pub const INTERFACE: &str = "interface.toml";

/// Folder of the FMUs.
pub const FMUS: &str = "fmus";

/// Which variables of the units show, each as `UNIT.NAME`, and how the FMUs are run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// `modelName`.
    pub name: String,
    /// `modelIdentifier`.
    pub identifier: String,
    /// Inputs nothing inside feeds.
    pub inputs: Vec<String>,
    /// What is recorded.
    pub outputs: Vec<String>,
    /// Parameters.
    pub parameters: Vec<String>,
    /// Where the FMUs run.
    pub slaves: Slaves,
}

/// The files, read; one for all instances.
pub(crate) struct Contents {
    pub scenario: Scenario,
    pub fmus: Fmus,
    pub description: ModelDescription,
    pub table: Table,
    /// Of the units.
    pub descriptions: Vec<Arc<ModelDescription>>,
    pub slaves: Slaves,
    /// The folder.
    pub resources: PathBuf,
}

impl Contents {
    /// Reads the folder of the resources.
    ///
    /// # Errors
    /// [`Fault::Declaration`] where a file is missing or wrong.
    pub fn open(resources: Option<&Path>) -> Result<Shared<Contents>, Fault> {
        let folder = resources.ok_or_else(|| refused("no folder of resources, which hold the system"))?;
        let read = |name: &str| {
            let path = folder.join(name);
            regular::text(&path).map_err(|e| refused(format!("`{}`: {e}", path.display())))
        };
        let (scenario, interface) = (read(SCENARIO)?, read(INTERFACE)?);
        // The same files in another folder are FMUs of their own.
        let key = format!("{}\n{scenario}\n{interface}", folder.display());
        shared(&key, || Contents::read(folder, &scenario, &interface))
    }

    fn read(folder: &Path, scenario_text: &str, interface_text: &str) -> Result<Contents, Fault> {
        // The files themselves.
        let shown = folder.join(SCENARIO).display().to_string();
        let scenario = scenario_toml::read(scenario_text, &shown, folder).map_err(|f| refused(f.to_string()))?;
        let interface: Interface = toml::from_str(interface_text)
            .map_err(|e| refused(format!("`{}`: {}", folder.join(INTERFACE).display(), e.message())))?;
        // What the FMUs declare.
        let fmus = Fmus::new(|_| None);
        let of_unit = |unit: &macrostep_system::scenario::Unit| {
            fmus.description(&unit.source).map_err(|reason| refused(format!("unit `{}`: {reason}", unit.name)))
        };
        let descriptions: Vec<Arc<ModelDescription>> = scenario.units.iter().map(of_unit).collect::<Result<_, _>>()?;
        // What the container declares.
        let (description, table) = declare(&scenario, &descriptions, &interface).map_err(refused)?;
        let (slaves, resources) = (interface.slaves, folder.to_owned());
        Ok(Contents { scenario, fmus, description, table, descriptions, slaves, resources })
    }
}

impl Interface {
    /// The text of the file.
    ///
    /// # Errors
    /// Where a name cannot be written.
    pub fn text(&self) -> Result<String, String> {
        toml::to_string(self).map_err(|e| e.to_string())
    }
}

/// Why there is no instance.
pub(crate) fn refused(why: impl Into<String>) -> Fault {
    Fault::Declaration(why.into())
}
