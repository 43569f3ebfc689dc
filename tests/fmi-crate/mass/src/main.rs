//! `modelDescription.xml` and `terminalsAndIcons.xml` of the FMU, into a folder.

use std::path::Path;

use exported::Mass;
use fmi::schema::fmi3::{Fmi3CoSimulation, Fmi3ModelDescription, Fmi3ModelExchange};
use fmi_export::fmi3::Model;

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    let metadata = Mass::build_toplevel_metadata();
    let identifier = || "exported".to_owned();
    let description = Fmi3ModelDescription {
        fmi_version: "3.0".to_owned(),
        model_name: "Exported".to_owned(),
        instantiation_token: Mass::INSTANTIATION_TOKEN.to_owned(),
        generation_tool: Some("fmi-export".to_owned()),
        model_exchange: Some(Fmi3ModelExchange { model_identifier: identifier(), ..Default::default() }),
        co_simulation: Some(Fmi3CoSimulation {
            model_identifier: identifier(),
            can_handle_variable_communication_step_size: Some(true),
            ..Default::default()
        }),
        model_variables: metadata.model_variables,
        model_structure: metadata.model_structure,
        ..Default::default()
    };
    let text = fmi::schema::serialize(&description, false).expect("a description");
    std::fs::write(Path::new(&folder).join("modelDescription.xml"), text).expect("written");
    let text = fmi::schema::serialize(&metadata.terminals.expect("a terminal"), false).expect("terminals");
    std::fs::write(Path::new(&folder).join("terminalsAndIcons.xml"), text).expect("written");
}
