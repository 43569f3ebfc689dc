//! How long an import and a micro step take: `cargo bench -p macrostep-models-flexible`.
//!
//! Limits: the import of a mesh of 10 000 nodes with 12 static and 20 fixed-interface shapes within 60 s and 2 GB; one
//! linearly implicit micro step of a body with 16 elastic coordinates within 5 µs.

use std::error::Error;
use std::time::Instant;

use macrostep_flexible::check::Conditioning;
use macrostep_flexible::mesh::Block;
use macrostep_flexible::moving::{MicroStep, Rayleigh};
use macrostep_flexible::{Basis, BodyState, Connector, FlexibleBody, Joint, Material, Report, Structure};
use macrostep_models_flexible::{ARM, ImportedBody, Stored, find};

fn main() -> Result<(), Box<dyn Error>> {
    micro_step()?;
    import()
}

fn micro_step() -> Result<(), Box<dyn Error>> {
    // The body alone: the best mean of twenty runs.
    let body = ImportedBody::from_bytes(ARM)?.0.body;
    let mut micro = MicroStep::new(&body, Joint::HingeZ);
    let mut state = BodyState::rest(body.modes());
    let mut before = vec![0.0; 6 + body.modes()];
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let began = Instant::now();
        for _ in 0..10_000 {
            micro.linearly_implicit(&body, (state.values_mut(), &mut before), 1e-5, |loads| loads.gravity.y = -9.81)?;
        }
        best = best.min(began.elapsed().as_secs_f64() / 10_000.0);
    }
    println!("micro step, {} elastic coordinates, linearly implicit: {:.2} µs", body.modes(), 1e6 * best);

    // The same through the interface of a slave.
    let mut slave = find("flexible_body").ok_or("no body")?.instantiate("arm");
    slave.setup_experiment(0.0, None, None)?;
    slave.enter_initialization()?;
    slave.exit_initialization()?;
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let began = Instant::now();
        for _ in 0..100 {
            // 100 micro steps of 1e-4 s.
            slave.do_step(slave.time_s(), 1e-2, true)?;
        }
        best = best.min(began.elapsed().as_secs_f64() / 10_000.0);
    }
    println!("the same through the slave, 100 micro steps a macro step: {:.2} µs", 1e6 * best);
    Ok(())
}

fn import() -> Result<(), Box<dyn Error>> {
    // A block of second-order elements with both ends named.
    let plane =
        |from: f64, to: f64, count: u32| (0..=count).map(move |i| from + (to - from) * f64::from(i) / f64::from(count));
    let block = Block {
        x: plane(0.0, 1.1, 55).collect(),
        y: plane(-0.05, 0.05, 6).collect(),
        z: plane(-0.05, 0.05, 6).collect(),
    };
    let mut mesh = block.mesh(|_| true);
    mesh.name_plane("LEFT", 0, 0.0, |_| true);
    mesh.name_plane("RIGHT", 0, 1.1, |_| true);
    // The import, part by part.
    let began = Instant::now();
    let lap = |what: &str| println!("  {:6.2} s  {what}", began.elapsed().as_secs_f64());
    let structure = Structure::solid(&mesh, &Material::new(2e11, 0.3, 7850.0)?)?;
    lap("assembled");
    let check = Conditioning::new(&structure, 4)?;
    lap("free frequencies");
    // Reduction: static shapes of both connectors and twenty modes.
    let connectors = [Connector::on(&mesh, "left", "LEFT")?, Connector::on(&mesh, "right", "RIGHT")?];
    let tied = structure.tie(&connectors)?;
    let basis = Basis::craig_bampton(&tied.chain, 20)?;
    lap("reduced, 12 + 20");
    let report = Report::new(&tied.chain, &basis, 0, 10)?;
    lap("compared with the full model");
    // The invariants of the moving frame, and what was reached.
    let body = FlexibleBody::new(&structure, &tied, &basis, 0, Rayleigh::default())?;
    let bytes = body.to_bytes()?.len();
    lap("moving frame");
    println!(
        "import: {} nodes, {} elements, {:.3} kg, {} elastic coordinates, {bytes} bytes, DC error {:.1e}: {:.1} s, {:.2} GB",
        mesh.nodes.len(),
        mesh.elements.len(),
        check.mass_kg,
        body.modes(),
        report.static_error.unwrap_or(f64::NAN),
        began.elapsed().as_secs_f64(),
        peak_memory_gb()
    );
    Ok(())
}

/// The most memory this process has held, where the system says so.
fn peak_memory_gb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).map_or(f64::NAN, |kb| kb / 1024.0 / 1024.0)
}
