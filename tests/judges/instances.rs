//! A thousand instances of every FMU, or as many as are asked for, fewer of large ones and in FMI 3.0, used and freed.
//! `tests/judges/valgrind.sh` looks for leaks.
//!
//! `cargo run --example instances` also prints how long that took and how much memory it needed.

use std::error::Error;
use std::time::Instant;

use macrostep::embedded;
use macrostep_import::Face;
use macrostep_import::fmu::{Fmu, FmuError, FmuOptions};
use macrostep_master::unit::Unit;
use macrostep_packager::Fmi;

fn main() -> Result<(), Box<dyn Error>> {
    // All of one FMU are alive at once; of those with data or contacts, and in FMI 3.0, a tenth.
    let count: usize = std::env::args().nth(1).map_or(Ok(1000), |count| count.parse())?;
    for name in embedded::names() {
        let bytes = embedded::fmu(name).ok_or("carried")?;
        lives(name, if macrostep_models::find(name).is_some() { count } else { count / 10 }, |i| {
            Fmu::from_bytes(name, bytes)?.instantiate(&format!("{name} {i}"), &FmuOptions::default())
        })?;
        // By its equations, where it has that face.
        if let Ok(fmu) = Fmu::from_bytes(name, bytes)?.by_face(Some(Face::ModelExchange)) {
            lives(&format!("{name} by its equations"), count / 10, |i| {
                fmu.instantiate_equations(&format!("{name} {i}"), &FmuOptions::default())
            })?;
        }
        // The same library through the functions of FMI 3.0.
        let three = embedded::packed_for(name, Fmi::Three, Vec::new()).ok_or("carried")??;
        let title = format!("{name} in FMI 3.0");
        lives(&title, count / 10, |i| {
            Fmu::from_bytes(name, &three)?.instantiate_3(&format!("{name} {i}"), &FmuOptions::default())
        })?;
    }
    Ok(())
}

/// Instances that are all alive at once, each with a life of its own.
fn lives<U: Unit>(name: &str, count: usize, make: impl Fn(usize) -> Result<U, FmuError>) -> Result<(), Box<dyn Error>> {
    let before = resident_kib();
    let start = Instant::now();
    // Opened anew each time: the archive is unpacked and the library loaded once all the same.
    let mut units = (0..count).map(make).collect::<Result<Vec<_>, _>>()?;
    let made = start.elapsed();
    let grown = resident_kib().saturating_sub(before);
    units.iter_mut().try_for_each(|unit| life(unit))?;
    println!("{name}: {count} instances in {made:?}, {grown} KiB");
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
    if unit.get_real(&[u32::MAX], &mut [0.0]).is_ok() {
        return Err(format!("`{}` has a variable with the last reference", unit.name()).into());
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
