//! The models that are packed as FMUs, with the data they carry.

use macrostep_description::ModelDescription;
use macrostep_models::ModelEntry;
use macrostep_slave::{Equations, Fault, Instance, Model, Slave};

use crate::{
    Adapter, AdapterMatrix, BeamFull, BeamModes, BeamReduced, Body, FacetMesh, Facets, ImportedBody, Payload,
    ReducedRod, RodMatrices, Springs, Stored, TipPayload,
};

/// A slender arm, hinged at one end: the body in the FMU `flexible_body` until another is imported.
pub const ARM: &[u8] = include_bytes!("../../../fmus/flexible_body/resources/body.bin");
const BEAM: &[u8] = include_bytes!("../../../fmus/beam_full/resources/beam.bin");
const MAP: &[u8] = include_bytes!("../../../fmus/interface_adapter/resources/map.bin");
const ROD: &[u8] = include_bytes!("../../../fmus/heat_rod/resources/chain.bin");

/// The skin of a cube of 0.1 m: the surface in the FMU `surface_pressure` until another is taken.
const CUBE: &[u8] = include_bytes!("../../../fmus/surface_pressure/resources/facets.bin");

/// Model and declaration of each model with data.
fn arm() -> Result<(Body, ModelDescription), Fault> {
    Body::from_data(ImportedBody::shared(ARM)?)
}

fn beam_full() -> Result<(BeamFull, ModelDescription), Fault> {
    BeamFull::from_data(BeamModes::shared(BEAM)?)
}

fn beam_reduced() -> Result<(BeamReduced, ModelDescription), Fault> {
    BeamReduced::from_data(BeamModes::shared(BEAM)?)
}

fn adapter() -> Result<(Adapter, ModelDescription), Fault> {
    Adapter::from_data(AdapterMatrix::shared(MAP)?)
}

fn rod() -> Result<(ReducedRod, ModelDescription), Fault> {
    ReducedRod::from_data(RodMatrices::shared(ROD)?)
}

fn facets() -> Result<(Facets, ModelDescription), Fault> {
    Facets::from_data(FacetMesh::shared(CUBE)?)
}

fn boxed<M: Model>(name: &str, made: Result<(M, ModelDescription), Fault>) -> Result<Box<dyn Slave>, Fault> {
    Ok(Box::new(Instance::of(name, made?)?))
}

/// Every model of this crate.
pub fn all() -> Vec<ModelEntry> {
    // Models with resources, then those that are equations only.
    vec![
        ModelEntry::of_resources(
            Body::IDENTIFIER,
            || arm().map(|(_, d)| d),
            |name| boxed(name, arm()),
            crate::body::documentation_html,
            &[(ImportedBody::FILE, ARM)],
        ),
        ModelEntry::of_resources(
            BeamFull::IDENTIFIER,
            || beam_full().map(|(_, d)| d),
            |name| boxed(name, beam_full()),
            BeamFull::documentation_html,
            &[(BeamModes::FILE, BEAM)],
        ),
        ModelEntry::of_resources(
            BeamReduced::IDENTIFIER,
            || beam_reduced().map(|(_, d)| d),
            |name| boxed(name, beam_reduced()),
            BeamReduced::documentation_html,
            &[(BeamModes::FILE, BEAM)],
        ),
        ModelEntry::of_resources(
            Adapter::IDENTIFIER,
            || adapter().map(|(_, d)| d),
            |name| boxed(name, adapter()),
            Adapter::documentation_html,
            &[(AdapterMatrix::FILE, MAP)],
        ),
        ModelEntry::of_resources(
            ReducedRod::IDENTIFIER,
            || rod().map(|(_, d)| d),
            |name| boxed(name, rod()),
            ReducedRod::documentation_html,
            &[(RodMatrices::FILE, ROD)],
        ),
        ModelEntry::of_resources(
            Facets::IDENTIFIER,
            || facets().map(|(_, d)| d),
            |name| boxed(name, facets()),
            Facets::documentation_html,
            &[(FacetMesh::FILE, CUBE)],
        ),
        ModelEntry::of_model::<Springs>(Springs::IDENTIFIER, Springs::documentation_html),
        ModelEntry::of_model::<Payload>(TipPayload::IDENTIFIER, TipPayload::documentation_html),
    ]
}

/// The model of this identifier.
pub fn find(identifier: &str) -> Option<ModelEntry> {
    all().into_iter().find(|e| e.identifier == identifier)
}
