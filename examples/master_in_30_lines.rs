//! Two FMUs from disk, coupled by a master of 30 lines: prints the position of mass 1 after 10 s.
//!
//! ```text
//! cargo run --release -- fmus --out fmus-out
//! cargo run --release --example master_in_30_lines fmus-out/oscillator1_displacement.fmu fmus-out/oscillator2_force.fmu
//! ```

use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::correct::{Correction, Newton};
use macrostep_master::predict::Spectral;
use macrostep_master::{Grid, Method, Simulation, System};
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let [first, second] =
        [1, 2].map(|n| std::env::args().nth(n).ok_or("usage: master_in_30_lines FIRST.fmu SECOND.fmu"));
    let (first, second) = (Fmu::open(first?)?, Fmu::open(second?)?);

    // Mass 1 owns the coupling spring: it gets the motion of mass 2, and gives the force.
    let mut system = System::new();
    let one = system.add(first.unit("mass 1", &FmuOptions::default())?);
    let two = system.add(second.unit("mass 2", &FmuOptions::default())?);
    let own = system.channel(one, &["x", "v"])?;
    let motion = system.channel(two, &["x", "v"])?;
    let force = system.channel(one, &["f_c"])?;
    system.connect(motion.component(0), one, "xi")?;
    system.connect(motion.component(1), one, "xi_dot")?;
    system.connect(force.component(0), two, "f")?;

    // Waveforms through 17 nodes of each macro step of 0.1 s, repeated until both agree.
    let (predictor, correction) = (Arc::new(Spectral::new(16)), Correction::Newton(Newton::default()));
    let method = Method { predictor, correction, ..Method::default() };
    let mut simulation = Simulation::new(system, &method, Grid::uniform(0.1, 10.0))?;
    simulation.initialise()?;
    for _ in 0..100 {
        simulation.step()?;
    }
    println!("x1(10) = {} m", simulation.latest(own)[0]);
    Ok(simulation.terminate()?)
}
