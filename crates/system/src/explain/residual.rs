//! Energy residuals of a run: what each bond has given the system that no unit has.

use super::bond::{Bond, bonds};
use crate::assemble::assemble;
use crate::catalogue::Catalogue;
use crate::finding::Finding;
use crate::scenario::{Endpoint, Place, Scenario};
use crate::tap::{Step, Tapped};
use macrostep_master::RunError;
use macrostep_master::record::Trace;

/// What a bond did in a run.
#[derive(Debug, Clone)]
pub struct Residual {
    /// The bond.
    pub bond: Bond,
    /// ∫ |P| dt of the power through it, in the units of the signals (J for SI).
    pub exchanged: f64,
    /// ΔE at the end.
    pub energy: f64,
    /// Largest |ΔE| on the way.
    pub energy_max: f64,
}

/// Runs the scenario and adds up what its bonds do. Outputs are taken at the windows' ends and linear between, inputs as the
/// units were fed; Simpson's rule, which is exact for inputs of degree up to two.
///
/// # Errors
/// As [`assemble()`] and the run.
pub fn residuals(scenario: &Scenario, catalogue: &dyn Catalogue) -> Result<Result<Vec<Residual>, RunError>, Vec<Finding>> {
    let tapped = Tapped::new(catalogue);
    let mut watched = scenario.clone();
    let failed = |e: String| vec![Finding::error(&scenario.experiment.place, e, "")];
    let descriptions = scenario.units.iter().map(|u| catalogue.description(&u.source)).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let bonds = bonds(scenario, &descriptions);
    if bonds.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let terms = || bonds.iter().flat_map(|b| &b.terms);
    watched.record.variables = terms().map(|t| (t.output.to_string(), Place::default())).collect();
    let (assembly, _) = assemble(&watched, &tapped)?;
    let reference = |e: &Endpoint| {
        let u = scenario.unit(&e.unit)?;
        descriptions[u].variable(&e.variable).map(|v| v.value_reference)
    };
    for term in terms() {
        if let Some(reference) = reference(&term.input) {
            tapped.watch(&term.input, reference);
        }
    }
    let e = &assembly.effective.experiment;
    let span_s = e.stop_s.unwrap_or(0.0) - e.start_s;
    Ok((|| {
        let mut simulation = assembly.simulation()?;
        simulation.initialise()?;
        let windows = simulation.windows_in(span_s)?;
        let mut trace = Trace::new(simulation.columns().to_vec());
        let mut sums: Vec<Residual> =
            bonds.iter().map(|b| Residual { bond: b.clone(), exchanged: 0.0, energy: 0.0, energy_max: 0.0 }).collect();
        simulation.observe(&mut trace)?;
        let mut before = trace.rows().next_back().map(<[f64]>::to_vec).unwrap_or_default();
        for _ in 0..windows {
            simulation.step()?;
            let mut row = Trace::new(simulation.columns().to_vec());
            simulation.observe(&mut row)?;
            let after = row.rows().next_back().map(<[f64]>::to_vec).unwrap_or_default();
            let output = |e: &Endpoint, t: f64| {
                let i = row.index(&e.to_string()).unwrap_or(0);
                let part = (t - before[0]) / (after[0] - before[0]);
                before[i] + part * (after[i] - before[i])
            };
            let steps = tapped.drain();
            for r in &mut sums {
                add(r, &steps, &output);
            }
            before = after;
        }
        Ok(sums)
    })())
}

fn add(r: &mut Residual, steps: &[(Endpoint, Step)], output: &dyn Fn(&Endpoint, f64) -> f64) {
    for term in &r.bond.terms {
        for (_, step) in steps.iter().filter(|(end, _)| *end == term.input) {
            let [u0, um, u1] = step.values;
            let (t0, h) = (step.from_s, step.length_s);
            let power = |u: f64, t: f64| u / term.factor * output(&term.output, t);
            let p = [power(u0, t0), power(um, t0 + 0.5 * h), power(u1, t0 + h)];
            r.energy += term.sign * h * (p[0] + 4.0 * p[1] + p[2]) / 6.0;
            if term.sign > 0.0 {
                r.exchanged += h * (p[0].abs() + 4.0 * p[1].abs() + p[2].abs()) / 6.0;
            }
        }
    }
    r.energy_max = r.energy_max.max(r.energy.abs());
}
