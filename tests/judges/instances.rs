//! A thousand instances of every FMU, fewer of large ones, used and freed; `tests/judges/valgrind.sh` looks for leaks.
//!
//! `cargo run --example instances` also prints how long that took and how much memory it needed.

use std::error::Error;
use std::time::Instant;

use macrostep::embedded;
use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::Unit;

/// Instances of each FMU, all alive at once: of models of equations, and of those with data or contacts.
const COUNT: usize = 1000;
const FEW: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    for name in embedded::names() {
        let bytes = embedded::fmu(name).ok_or("carried")?;
        let count = if macrostep_models::find(name).is_some() { COUNT } else { FEW };
        let before = resident_kib();
        let start = Instant::now();
        let mut units = Vec::with_capacity(count);
        for i in 0..count {
            // Opened anew each time: the archive is unpacked and the library loaded once all the same.
            units.push(Fmu::from_bytes(name, bytes)?.instantiate(&format!("{name} {i}"), &FmuOptions::default())?);
        }
        let made = start.elapsed();
        let grown = resident_kib().saturating_sub(before);
        for unit in &mut units {
            life(unit)?;
        }
        println!("{name}: {count} instances in {made:?}, {grown} KiB");
    }
    Ok(())
}

/// Everything an instance can be asked that takes memory.
fn life(unit: &mut dyn Unit) -> Result<(), Box<dyn Error>> {
    unit.setup(0.0, None, None)?;
    unit.enter_initialization()?;
    unit.exit_initialization()?;
    unit.save(0)?;
    let experiment = unit.description().default_experiment;
    let step_s = experiment.and_then(|e| e.step_size).ok_or("no recommended step")?;
    unit.step(0.0, step_s, false)?;
    unit.save(1)?;
    unit.save(1)?;
    unit.restore(0)?;
    let bytes = unit.serialize()?;
    unit.deserialize(&bytes)?;
    // Refused, and so logged: messages take memory too.
    if unit.step(0.0, -1.0, false).is_ok() {
        return Err(format!("`{}` made a step of -1 s", unit.name()).into());
    }
    unit.reset()?;
    Ok(())
}

/// Memory of this process, as Linux tells it; 0 elsewhere.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
