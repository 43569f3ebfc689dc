//! Joints between units: orders, gaps, redundant rows, units that offer nothing but rollback, and what is refused.

mod rods;

use macrostep_master::correct::{Correction, FixedPoint, Newton, QuasiNewton};
use macrostep_master::predict::Hermite;
use macrostep_master::{Constraint, End, Grid, Method, Relation, RunError, Simulation, System, UnitId};
use rods::{end, rod, set};

/// Two rods of a double pendulum at rest.
#[derive(Clone, Copy)]
struct Pendulum {
    mass_kg: [f64; 2],
    length_m: [f64; 2],
    angle: [f64; 2],
}

const USUAL: Pendulum = Pendulum { mass_kg: [1.0; 2], length_m: [1.0; 2], angle: [2.0, 1.0] };

/// How it is run.
#[derive(Clone)]
struct Way {
    correction: Correction,
    is_held: bool,
    gap_max: Option<f64>,
    plain: bool,
    sub_steps: usize,
}

fn iqn(tolerance: f64) -> Correction {
    Correction::QuasiNewton(QuasiNewton { tolerance, ..QuasiNewton::iqn_ils() })
}

fn way(correction: Correction) -> Way {
    Way { correction, is_held: false, gap_max: None, plain: false, sub_steps: 1 }
}

impl Pendulum {
    fn simulation(&self, way: &Way, step_s: f64, stop_s: f64) -> Result<(Simulation, [UnitId; 2]), RunError> {
        let mut system = System::new();
        let upper = system.add(rod("rod_hinged", "upper", way.plain));
        let lower = system.add(rod("rod_free", "lower", way.plain));
        let ([m1, m2], [l1, l2], [phi1, phi2]) = (self.mass_kg, self.length_m, self.angle);
        set(&mut system, upper, "rod_hinged", &[("m", m1), ("l", l1), ("phi0", phi1)]);
        let place = [("x0", l1 * phi1.sin()), ("y0", -l1 * phi1.cos())];
        let own = [("m", m2), ("l", l2), ("phi0", phi2), place[0], place[1]];
        set(&mut system, lower, "rod_free", &own);
        let ends = [end(&mut system, upper, "b", false), end(&mut system, lower, "a", false)];
        let relation = Relation::Coincident(vec![0.0; 2]);
        system.constrain(Constraint {
            name: "elbow".to_owned(),
            relation,
            ends,
            is_held: way.is_held,
            gap_max: way.gap_max,
        })?;
        let method = Method { correction: way.correction.clone(), sub_steps: way.sub_steps, ..Method::default() };
        let mut simulation = Simulation::new(system, &method, Grid::uniform(step_s, stop_s))?;
        simulation.initialise()?;
        Ok((simulation, [upper, lower]))
    }

    /// φ of both rods at the end, what the joint was open by, and what it has cost.
    fn run(&self, way: &Way, step_s: f64, stop_s: f64) -> ([f64; 2], [f64; 2], macrostep_master::Statistics) {
        let (mut simulation, units) = self.simulation(way, step_s, stop_s).expect("a simulation");
        go_on(&mut simulation, (stop_s / step_s).round() as usize);
        let opening = &simulation.openings()[0];
        let opening = [opening.gap, opening.rate];
        let statistics = simulation.statistics();
        (units.map(|u| read(&mut simulation, u, "phi")), opening, statistics)
    }

    /// φ of both rods of the whole pendulum at the end: Runge–Kutta of order 4.
    fn exact(&self, stop_s: f64, steps: usize) -> [f64; 2] {
        let ([m1, m2], [l1, l2], g) = (self.mass_kg, self.length_m, 9.81);
        let rates = |[p1, p2, w1, w2]: [f64; 4]| {
            let (m11, m22, m12) =
                (m1 * l1 * l1 / 3.0 + m2 * l1 * l1, m2 * l2 * l2 / 3.0, m2 * l1 * l2 / 2.0 * (p1 - p2).cos());
            let sine = m2 * l1 * l2 / 2.0 * (p1 - p2).sin();
            let r1 = -(m1 / 2.0 + m2) * g * l1 * p1.sin() - sine * w2 * w2;
            let r2 = -m2 * g * l2 / 2.0 * p2.sin() + sine * w1 * w1;
            let det = m11 * m22 - m12 * m12;
            [w1, w2, (m22 * r1 - m12 * r2) / det, (m11 * r2 - m12 * r1) / det]
        };
        let h = stop_s / steps as f64;
        let mut z = [self.angle[0], self.angle[1], 0.0, 0.0];
        let plus = |z: [f64; 4], k: [f64; 4], h: f64| -> [f64; 4] { std::array::from_fn(|i| z[i] + h * k[i]) };
        for _ in 0..steps {
            let k1 = rates(z);
            let k2 = rates(plus(z, k1, h / 2.0));
            let k3 = rates(plus(z, k2, h / 2.0));
            let k4 = rates(plus(z, k3, h));
            z = std::array::from_fn(|i| z[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        [z[0], z[1]]
    }
}

fn go_on(simulation: &mut Simulation, windows: usize) {
    for _ in 0..windows {
        simulation.step().expect("a step");
    }
}

fn read(simulation: &mut Simulation, unit: UnitId, name: &str) -> f64 {
    let unit = simulation.unit_mut(unit);
    let reference = unit.description().variable(name).expect("an output").value_reference;
    let mut value = [0.0];
    unit.get_real(&[reference], &mut value).expect("readable");
    value[0]
}

fn error(a: [f64; 2], b: [f64; 2]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Observed order of the error of both angles after 1 s, from H to H/2.
fn order(way: &Way, step_s: f64) -> f64 {
    let exact = USUAL.exact(1.0, 100_000);
    let [coarse, fine] = [step_s, step_s / 2.0].map(|h| error(USUAL.run(way, h, 1.0).0, exact));
    (coarse / fine).log2()
}

#[test]
fn a_linear_force_has_order_four_and_leaves_no_gap() {
    for correction in [iqn(1e-10), Correction::FixedPoint(FixedPoint { tolerance: 1e-10, ..FixedPoint::default() })] {
        let way = way(correction);
        let found = order(&way, 0.02);
        assert!((3.8..4.2).contains(&found), "order {found}");
        let (_, [gap, rate], statistics) = USUAL.run(&way, 0.01, 1.0);
        assert!(gap < 2e-11 && rate < 1e-8 && statistics.unconverged == 0, "{gap:.1e} {rate:.1e} {statistics:?}");
    }
}

/// What a window tells of how W turns makes corrections right to the first order in H: without it there are 5.6 runs a window.
#[test]
fn corrections_converge_in_few_runs() {
    let correction = Correction::FixedPoint(FixedPoint { tolerance: 1e-10, ..FixedPoint::default() });
    let (_, [gap, _], statistics) = USUAL.run(&way(correction), 0.01, 20.0);
    let runs = statistics.runs as f64 / statistics.windows as f64;
    assert!(runs < 3.6 && gap < 1e-11 && statistics.unconverged == 0, "{runs} runs, gap {gap:.1e}, {statistics:?}");
}

#[test]
fn a_force_that_is_held_drifts() {
    let way = Way { is_held: true, ..way(iqn(1e-10)) };
    let found = order(&way, 0.01);
    assert!((1.8..2.2).contains(&found), "order {found}");
    let (_, [gap, rate], _) = USUAL.run(&way, 0.01, 1.0);
    assert!(gap > 1e-4 && rate < 1e-8, "{gap:.1e} {rate:.1e}");
}

#[test]
fn units_that_offer_nothing_but_rollback_are_joined() {
    let way = Way { plain: true, sub_steps: 4, ..way(iqn(1e-10)) };
    let found = order(&way, 0.02);
    assert!((3.7..4.3).contains(&found), "order {found}");
    let (_, [gap, _], statistics) = USUAL.run(&way, 0.01, 1.0);
    assert!(gap < 2e-11 && statistics.unconverged == 0, "{gap:.1e} {statistics:?}");
    // What sub-steps make of the force's change is known: few of them do not take more runs than many.
    let correction = Correction::FixedPoint(FixedPoint { tolerance: 1e-10, ..FixedPoint::default() });
    let runs = [2, 16].map(|sub_steps| {
        let way = Way { sub_steps, correction: correction.clone(), ..way.clone() };
        USUAL.run(&way, 0.01, 1.0).2.runs
    });
    assert!(runs[0] as f64 <= 1.1 * runs[1] as f64, "{runs:?}");
    // One sub-step has one force: it cannot close position and velocity.
    let refused =
        USUAL.simulation(&Way { sub_steps: 1, ..way }, 0.01, 1.0).map(|_| ()).expect_err("refused").to_string();
    assert!(refused.contains("unit `upper`") && refused.contains("sub_steps"), "{refused}");
}

#[test]
fn masses_and_lengths_a_thousand_apart_are_joined() {
    let cases =
        [([1e3, 1.0], [1.0, 1.0]), ([1.0, 1.0], [1e3, 1.0]), ([1.0, 1.0], [1.0, 1e3]), ([1.0, 1e3], [1.0, 1.0])];
    for (mass_kg, length_m) in cases {
        let pendulum = Pendulum { mass_kg, length_m, angle: [2.0, 1.0] };
        let (phi, [gap, _], _) = pendulum.run(&way(iqn(1e-10)), 0.0025, 1.0);
        let found = error(phi, pendulum.exact(1.0, 100_000));
        assert!(found < 2e-6 && gap < 1e-8, "{mass_kg:?} {length_m:?}: error {found:.1e}, gap {gap:.1e}");
    }
}

/// Three rods welded into a triangle: nine rows, of which six are enough. It spins and falls as one body.
#[test]
fn redundant_rows_of_a_closed_loop_share_the_force() {
    let (mut system, turn, spin) = (System::new(), std::f64::consts::TAU / 3.0, 2.0);
    let units = ["one", "two", "three"].map(|name| system.add(rod("rod_free", name, false)));
    let (mut corner, mut centre) = ([0.0, 0.0], [0.0, 0.0]);
    for (i, unit) in units.into_iter().enumerate() {
        let (phi, [x, y]) = (turn * i as f64, corner);
        let rates = [("omega0", spin), ("vx0", -spin * y), ("vy0", spin * x)];
        set(&mut system, unit, "rod_free", &[&rates[..], &[("phi0", phi), ("x0", x), ("y0", y)]].concat());
        corner = [x + phi.sin(), y - phi.cos()];
        centre = [centre[0] + x / 3.0, centre[1] + y / 3.0];
    }
    for i in 0..3 {
        let ends = [end(&mut system, units[i], "b", true), end(&mut system, units[(i + 1) % 3], "a", true)];
        // The last one closes the turn.
        let offset = if i < 2 { -turn } else { 2.0 * turn };
        let (name, relation) = (format!("corner {i}"), Relation::Coincident(vec![0.0, 0.0, offset]));
        system.constrain(Constraint { name, relation, ends, is_held: false, gap_max: None }).expect("a joint");
    }
    let method = Method { correction: iqn(1e-10), ..Method::default() };
    let mut simulation = Simulation::new(system, &method, Grid::uniform(0.01, 20.0)).expect("a simulation");
    simulation.initialise().expect("closed at the start");
    go_on(&mut simulation, 100);
    // No joint is open, and the body moves as one.
    assert_eq!(simulation.statistics().unconverged, 0);
    for opening in simulation.openings() {
        assert!(opening.gap < 1e-10 && opening.rate < 1e-8, "{opening:?}");
    }
    let turned = read(&mut simulation, units[0], "phi");
    let height = units.iter().map(|u| read(&mut simulation, *u, "y_a") / 3.0).sum::<f64>();
    let fallen = centre[1] + spin * centre[0] - 0.5 * 9.81;
    assert!((turned - spin).abs() < 1e-7 && (height - fallen).abs() < 1e-7, "{turned} {height} {fallen}");
    // Forces that move nothing do not build up: what holds a rod in its turn is 2.3 N.
    go_on(&mut simulation, 1900);
    for unit in units {
        let force = ["fx_a", "fy_a", "fx_b", "fy_b"].map(|name| read(&mut simulation, unit, name).abs());
        assert!(force.iter().all(|f| *f < 10.0), "{force:?} N");
    }
}

#[test]
fn a_checkpoint_goes_on_bit_by_bit() {
    for plain in [false, true] {
        let way = Way { plain, sub_steps: 2, ..way(iqn(1e-10)) };
        let (mut simulation, units) = USUAL.simulation(&way, 0.01, 1.0).expect("a simulation");
        go_on(&mut simulation, 30);
        let checkpoint = simulation.saved_state().expect("a checkpoint");
        go_on(&mut simulation, 30);
        let (mut again, _) = USUAL.simulation(&way, 0.01, 1.0).expect("a simulation");
        again.resume(&checkpoint).expect("resumed");
        go_on(&mut again, 30);
        for unit in units {
            let [a, b] = [&mut simulation, &mut again].map(|s| read(s, unit, "phi").to_bits());
            assert_eq!(a, b, "plain {plain}");
        }
        assert_eq!(simulation.openings(), again.openings());
    }
}

/// A rod hangs by one end on a massless link of 1 m: no energy comes or goes, and the link keeps its length.
#[test]
fn a_distance_keeps_energy() {
    let drift = |step_s: f64| {
        let mut system = System::new();
        let unit = system.add(rod("rod_free", "rod", false));
        set(&mut system, unit, "rod_free", &[("x0", 0.6), ("y0", -0.8), ("phi0", 1.0), ("omega0", 0.5)]);
        let ends = [End::Fixed(vec![0.0; 2]), end(&mut system, unit, "a", false)];
        let relation = Relation::Distance { dimensions: 2, length_m: 1.0 };
        system
            .constrain(Constraint { name: "link".to_owned(), relation, ends, is_held: false, gap_max: None })
            .expect("a joint");
        let method =
            Method { predictor: std::sync::Arc::new(Hermite::H3), correction: iqn(1e-10), ..Method::default() };
        let mut simulation = Simulation::new(system, &method, Grid::uniform(step_s, 1.0)).expect("a simulation");
        simulation.initialise().expect("closed at the start");
        let before = read(&mut simulation, unit, "energy");
        go_on(&mut simulation, (1.0 / step_s).round() as usize);
        assert_eq!(simulation.statistics().unconverged, 0);
        assert!(simulation.openings()[0].gap < 1e-10, "{:?}", simulation.openings());
        (read(&mut simulation, unit, "energy") - before).abs()
    };
    let (coarse, fine) = (drift(0.02), drift(0.01));
    assert!(fine < 1e-5 && coarse / fine > 7.0, "{coarse:.2e} {fine:.2e} J");
}

/// A tolerance is one of the force, also where steps are so short that rounding in the gap takes large forces to remove.
#[test]
fn a_tolerance_is_of_the_force_at_short_steps() {
    let correction = Correction::FixedPoint(FixedPoint { tolerance: 1e-6, ..FixedPoint::default() });
    let (_, [gap, _], statistics) = USUAL.run(&way(correction), 1e-3, 0.5);
    // H² W δλ, with a part of 1e-6 of 72 N.
    assert!(gap < 1e-9 && statistics.unconverged == 0, "{gap:e} m, {statistics:?}");
}

/// Rods that fall freely pull at each other with rounding alone, of which no Jacobian is to be made.
#[test]
fn rods_that_fall_together_converge() {
    let (mut system, mut place, mut last) = (System::new(), [0.0, 0.0], None);
    for (name, phi) in [("first", 2.0f64), ("second", 1.0), ("third", 0.3)] {
        let unit = system.add(rod("rod_free", name, false));
        set(&mut system, unit, "rod_free", &[("phi0", phi), ("x0", place[0]), ("y0", place[1])]);
        place = [place[0] + phi.sin(), place[1] - phi.cos()];
        let Some(before) = last.replace(unit) else { continue };
        let ends = [end(&mut system, before, "b", false), end(&mut system, unit, "a", false)];
        let relation = Relation::Coincident(vec![0.0; 2]);
        let joint = Constraint { name: name.to_owned(), relation, ends, is_held: false, gap_max: None };
        system.constrain(joint).expect("a joint");
    }
    let correction = Correction::Newton(Newton { tolerance: 1e-10, ..Newton::default() });
    let method = Method { correction, ..Method::default() };
    let mut simulation = Simulation::new(system, &method, Grid::uniform(0.005, 0.5)).expect("a simulation");
    simulation.initialise().expect("closed at the start");
    go_on(&mut simulation, 100);
    assert_eq!(simulation.statistics().unconverged, 0);
}

/// Windows that are run once: the force is foretold. The joint is open by what that misses, and does not drift.
#[test]
fn a_force_that_is_foretold_has_order_four_and_does_not_drift() {
    let way = way(Correction::Explicit);
    let found = order(&way, 0.005);
    assert!(found > 3.8, "order {found}");
    let (phi, [gap, _], statistics) = USUAL.run(&way, 0.0025, 1.0);
    assert!(gap < 1e-6 && error(phi, USUAL.exact(1.0, 100_000)) < 2e-6, "gap {gap:e}");
    assert_eq!(statistics.runs, statistics.windows);
    let (_, [gap, rate], _) = USUAL.run(&way, 0.0025, 40.0);
    assert!(gap < 1e-4 && rate < 1e-1, "gap {gap:e}, rate {rate:e}");
}

#[test]
fn what_cannot_be_joined_is_refused_in_words() {
    // Explicit coupling foretells the force, where it is known what it moves, and repeats nothing.
    let refused = |way: &Way| USUAL.simulation(way, 0.01, 1.0).map(|_| ()).expect_err("refused").to_string();
    let explicit = refused(&Way { plain: true, sub_steps: 2, ..way(Correction::Explicit) });
    let words = ["constraints", "unit `upper`", "directional derivatives", "iqn-ils"];
    assert!(words.iter().all(|word| explicit.contains(word)), "{explicit}");
    let limited = refused(&Way { gap_max: Some(1e-9), ..way(Correction::Explicit) });
    assert!(limited.contains("limit of the gap of `elbow`"), "{limited}");
    // An open joint is named with what is found.
    let mut system = System::new();
    let upper = system.add(rod("rod_hinged", "upper", false));
    let ends = [end(&mut system, upper, "b", false), End::Fixed(vec![0.0, -1.001])];
    let relation = Relation::Coincident(vec![0.0; 2]);
    system
        .constrain(Constraint { name: "pin".to_owned(), relation, ends, is_held: false, gap_max: None })
        .expect("a joint");
    let method = Method { correction: iqn(1e-10), ..Method::default() };
    let mut simulation = Simulation::new(system, &method, Grid::uniform(0.01, 1.0)).expect("a simulation");
    let open = simulation.initialise().expect_err("open").to_string();
    assert!(open.contains("`pin`") && open.contains("coordinates") && open.contains("1.000e-3"), "{open}");
}

/// A joint that is refused leaves no input fed.
#[test]
fn a_refused_joint_can_be_mended_and_added() {
    let mut system = System::new();
    let unit = system.add(rod("rod_free", "one", false));
    let End::Free { position, velocity, force } = end(&mut system, unit, "a", false) else {
        panic!("an end on a unit")
    };
    let ground = End::Fixed(vec![0.0; 2]);
    let mut joint = |second: &str| {
        let force = vec![force[0].clone(), (unit, second.to_owned())];
        let ends = [End::Free { position: position.clone(), velocity: velocity.clone(), force }, ground.clone()];
        let relation = Relation::Coincident(vec![0.0; 2]);
        system.constrain(Constraint { name: "pin".to_owned(), relation, ends, is_held: false, gap_max: None })
    };
    assert!(joint("fy_nowhere").is_err() && joint("fx_a").is_err());
    joint("fy_a").expect("no input is fed yet");
    assert!(joint("fy_a").is_err());
}

/// A joint with a limit of its own is open by no more, in about three runs a window; with the tolerance that closes it as far there
/// are more.
#[test]
fn a_joint_is_closed_as_far_as_its_limit_says() {
    let correction = |tolerance| Correction::FixedPoint(FixedPoint { tolerance, ..FixedPoint::default() });
    let way = Way { gap_max: Some(1e-12), ..way(correction(1e-12)) };
    let (_, [gap, rate], statistics) = USUAL.run(&way, 0.01, 20.0);
    let runs = statistics.runs as f64 / statistics.windows as f64;
    assert!(gap <= 1e-12 && rate < 1e-8 && statistics.unconverged == 0, "{gap:.1e} {rate:.1e} {statistics:?}");
    assert!(runs < 3.05, "{runs} runs");
}
