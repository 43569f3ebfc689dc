//! Chains of five hinged rods of different masses: what order they have at which macro step, and where they do not converge.

mod rods;

use macrostep_master::correct::{Correction, FixedPoint};
use macrostep_master::unit::Unit;
use macrostep_master::{Constraint, End, Estimate, Grid, Method, Relation, RunError, Simulation, StepControl, System};
use rods::{end, rod, set};

/// Angles at the start, from rest.
const ANGLES: [f64; 5] = [1.0, 0.4, -0.3, 0.8, 0.1];

/// The largest at the top, each 2.66 times the next.
const DOWN: [f64; 5] = [50.0, 18.8, 7.07, 2.66, 1.0];

/// Light and heavy ones in turn, a light one at the top.
const TURNS: [f64; 5] = [1.0, 20.0, 1.0, 20.0, 1.0];

/// Angles of all rods after half a second, and macro steps that did not converge; with or without steps that are chosen.
fn run(mass_kg: [f64; 5], step_s: f64, control: Option<StepControl>) -> Result<([f64; 5], u64), RunError> {
    let mut system = System::new();
    let (mut place, mut ends) = ([0.0, 0.0], Vec::<End>::new());
    let mut units = Vec::new();
    for (i, (m, phi)) in mass_kg.into_iter().zip(ANGLES).enumerate() {
        let model = if i == 0 { "rod_hinged" } else { "rod_free" };
        let unit = system.add(rod(model, &format!("rod{i}"), false));
        let own = [("m", m), ("l", 1.0), ("phi0", phi), ("micro_step", 2.5e-4), ("x0", place[0]), ("y0", place[1])];
        set(&mut system, unit, model, if i == 0 { &own[..4] } else { &own });
        place = [place[0] + phi.sin(), place[1] - phi.cos()];
        // The joint to the rod before.
        if let Some(first) = ends.pop() {
            let ends = [first, end(&mut system, unit, "a", false)];
            let relation = Relation::Coincident(vec![0.0; 2]);
            let name = format!("joint{i}");
            system.constrain(Constraint { name, relation, ends, is_held: false, gap_max: None })?;
        }
        if i < 4 {
            ends.push(end(&mut system, unit, "b", false));
        }
        units.push(unit);
    }
    let correction = Correction::FixedPoint(FixedPoint { tolerance: 1e-10, ..FixedPoint::default() });
    let method = Method { correction, control, ..Method::default() };
    let mut simulation = Simulation::new(system, &method, Grid::uniform(step_s, 0.5))?;
    simulation.initialise()?;
    while !simulation.is_over() {
        simulation.step()?;
    }
    let angle = |unit: &mut dyn Unit| {
        let reference = unit.description().variable("phi").expect("an output").value_reference;
        let mut value = [0.0];
        unit.get_real(&[reference], &mut value).expect("readable");
        value[0]
    };
    let angles = std::array::from_fn(|i| angle(simulation.unit_mut(units[i])));
    Ok((angles, simulation.statistics().unconverged))
}

/// Observed order from three macro steps of ratio 2, the largest of `step_s` seconds.
fn order(mass_kg: [f64; 5], step_s: f64) -> f64 {
    let [a, b, c] = [1.0, 0.5, 0.25].map(|part| {
        let (angles, unconverged) = run(mass_kg, part * step_s, None).expect("a run");
        assert_eq!(unconverged, 0, "{mass_kg:?} at {} s", part * step_s);
        angles
    });
    let off = |a: [f64; 5], b: [f64; 5]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    (off(a, b) / off(b, c)).log2()
}

/// A heavy rod above light ones, with a ratio of 50 in all, and rods of 1 and 20 kg in turn.
#[test]
fn chains_are_of_order_4() {
    for (mass_kg, step_s) in [([1.0; 5], 5e-3), (DOWN, 1e-2), (TURNS, 2.5e-3)] {
        let found = order(mass_kg, step_s);
        println!("{mass_kg:?} kg, from {step_s} s: order {found:.2}");
        assert!(found > 3.8, "{mass_kg:?} kg: {found}");
    }
}

/// Light rods that carry 50 times their mass do not converge at 5 ms, and say so; steps that are halved where they do not converge get there.
#[test]
fn light_rods_that_carry_heavy_ones() {
    let mass_kg = [1.0, 50.0, 1.0, 50.0, 1.0];
    let is_told = match run(mass_kg, 5e-3, None) {
        Ok((_, unconverged)) => unconverged > 0,
        Err(error) => error.to_string().contains("did not converge"),
    };
    assert!(is_told);
    let fine = run(mass_kg, 6.25e-4, None).expect("a run").0;
    let control = Some(StepControl { parts: 64, ..StepControl::new(Estimate::Error, 1e-3) });
    let (chosen, unconverged) = run(mass_kg, 5e-3, control).expect("a run");
    let off = chosen.iter().zip(fine).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("{mass_kg:?} kg, at most 5 ms: {unconverged} not converged, {off:.1e} rad off");
    assert!(unconverged == 0 && off < 1e-4, "{unconverged}, {off:e}");
}
