//! Writes the data of the FMUs into `fmus/NAME/resources`: `cargo run -p macrostep-models-flexible --example resources`.

use std::error::Error;
use std::fs;
use std::path::Path;

use macrostep_flexible::import::inp;
use macrostep_flexible::moving::Rayleigh;
use macrostep_flexible::{Basis, Connector, FlexibleBody, Joint, Material, Structure, mesh};
use macrostep_models_flexible::{AdapterMatrix, BeamModes, FacetMesh, ImportedBody, RodMatrices, Stored};
use macrostep_reduction::beam::{BeamConstants, ModalBeam};
use macrostep_reduction::{InterfaceMap, Space};

#[path = "../tests/rod/mod.rs"]
mod rod;

/// Modes stored; the interface is made for the first 19.
const MODES: usize = 60;
const SHAPES: usize = 19;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fmus");
    let put = |fmu: &str, file: &str, bytes: &[u8]| {
        let path = root.join(fmu).join(file);
        println!("{fmu}/{file}: {} bytes", bytes.len());
        fs::write(path, bytes)
    };
    let (beam, map) = interface()?;
    for fmu in ["beam_full", "beam_reduced"] {
        put(fmu, "resources/beam.bin", &beam.to_bytes()?)?;
    }
    put("interface_adapter", "resources/map.bin", &map.to_bytes()?)?;
    put("surface_pressure", "resources/facets.bin", &cube().to_bytes()?)?;
    put("heat_rod", "resources/chain.bin", &heat_rod()?.to_bytes()?)?;
    let (body, deck) = arm()?;
    put("flexible_body", "resources/body.bin", &body.to_bytes()?)?;
    put("flexible_body", "arm.inp", deck.as_bytes())?;
    Ok(())
}

/// The beam of [Peeters 2024] and the map of its interface.
fn interface() -> Result<(BeamModes, AdapterMatrix), Box<dyn Error>> {
    let beam = ModalBeam::new(BeamConstants::default(), MODES)?;
    let shapes = beam.interface_shapes(SHAPES)?;
    let map = InterfaceMap::new(&shapes, Space::Planar)?;
    let modes = BeamModes {
        positions: shapes.positions().iter().map(|x| x.x).collect(),
        shapes: beam.shapes().as_slice().to_vec(),
        frequencies: beam.frequencies().to_vec(),
        chosen: map.nodes().to_vec(),
    };
    let scalar = map.scalar();
    let matrix = AdapterMatrix {
        nodes: scalar.nrows(),
        chosen: scalar.ncols(),
        components: map.space().components(),
        scalar: scalar.transpose().as_slice().to_vec(),
    };
    Ok((modes, matrix))
}

/// A steel rod of 0.5 m, 200 linear elements, both ends connectors, ten modes beside them.
fn heat_rod() -> Result<RodMatrices, Box<dyn Error>> {
    let chain = rod::chain(200)?;
    let basis = Basis::craig_bampton(&chain, 10)?;
    // The reduced coordinates of the uniform state: both connectors at 1, no inner mode.
    let uniform = nalgebra::DVector::from_fn(basis.size(), |i, _| if i < 2 { 1.0 } else { 0.0 });
    Ok(RodMatrices {
        chain: chain.reduce(&basis),
        uniform,
        connectors: vec!["left".into(), "right".into()],
        across: ["T".into(), "K".into()],
        through: ["Q".into(), "W".into()],
    })
}

/// The skin of a cube of 0.1 m, one element.
fn cube() -> FacetMesh {
    let planes = || vec![0.0, 0.1];
    let mesh = mesh::Block { x: planes(), y: planes(), z: planes() }.mesh(|_| true);
    let (nodes, facets) = mesh.surface(&mesh.boundary());
    FacetMesh { nodes: nodes.into_iter().map(|node| mesh.nodes[node]).collect(), facets }
}

/// A slender steel arm, hinged at one end, Craig–Bampton 12 + 10; and its mesh as an input deck.
fn arm() -> Result<(ImportedBody, String), Box<dyn Error>> {
    let mesh = mesh::arm();
    let material = Material::new(2e11, 0.3, 7850.0)?;
    let structure = Structure::solid(&mesh, &material)?;
    let connectors = [Connector::on(&mesh, "hinge", "HINGE")?, Connector::on(&mesh, "tip", "TIP")?];
    let tied = structure.tie(&connectors)?;
    let basis = Basis::craig_bampton(&tied.chain, 10)?;
    let damping = Rayleigh { alpha_per_s: 0.0, beta_s: 1e-4 };
    let body = ImportedBody {
        name: "arm".into(),
        about: "A slender steel arm of 1 m x 6 mm x 30 mm, hinged about z at one end".into(),
        micro_step_s: 1e-4,
        joint: Joint::HingeZ,
        body: FlexibleBody::stiffened(&structure, &tied, &basis, 0, damping)?,
    };
    Ok((body, inp::write(&mesh, Some(&material))))
}
