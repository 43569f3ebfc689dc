//! Orders and accuracy on every scenario of the laboratory, against fine solutions of the whole system.

use macrostep::factory;
use macrostep_analysis::measure::{Errors, Ladder, Orders, Reference, orders, run};
use macrostep_analysis::models;
use macrostep_analysis::models::Factory;
use macrostep_analysis::pair::{Coupling, Start};
use macrostep_analysis::scheme::{Predict, Schedule, Scheme, Variant};
use macrostep_analysis::{Benchmark, Setup, scenarios};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

fn scenario(name: &str) -> Box<dyn Benchmark> {
    scenarios().into_iter().find(|s| s.card().name == name).expect("a scenario")
}

/// The solutions on a scenario that schemes are compared with, each worked out once.
struct Ladders<'a> {
    scenario: &'a dyn Benchmark,
    made: RefCell<HashMap<[u64; 2], Rc<Ladder<'a>>>>,
}

impl<'a> Ladders<'a> {
    fn new(scenario: &'a dyn Benchmark) -> Self {
        Ladders { scenario, made: RefCell::default() }
    }

    /// Observed orders at macro steps of `global` times the usual one, halved three times; local ones at longer steps, which lie
    /// closer together where the window between rounding and terms of higher order is narrow.
    fn observed(&self, scheme: &Scheme, (global, local): (f64, f64), factory: Factory<'_>) -> [Orders; 2] {
        let card = self.scenario.card();
        let steps = |h: f64, q: f64| -> Vec<f64> { (0..4).map(|i| h * card.step_s / q.powi(i)).collect() };
        let made = self.made.borrow().get(&[global, local].map(f64::to_bits)).cloned();
        let ladder = made.unwrap_or_else(|| {
            let local_s = steps(local, if card.linear { 1.41 } else { 1.19 });
            let ladder = Ladder::new(self.scenario, &steps(global, 2.0), &local_s, card.stop_s).expect("a solution");
            self.made.borrow_mut().entry([global, local].map(f64::to_bits)).or_insert(Rc::new(ladder)).clone()
        });
        let found = ladder.climb(scheme, factory);
        assert_eq!(found.failed, 0, "{scheme}: {:?}", found.told);
        [orders(&found.global), orders(&found.local)]
    }
}

/// Global orders at one part, local ones of position and velocity at two, which may be the same.
fn check(ladders: &Ladders<'_>, scheme: &Scheme, (part, parts): (f64, [f64; 2]), factory: Factory<'_>) {
    let name = ladders.scenario.card().name;
    let [global, mut local] = ladders.observed(scheme, (part, parts[0]), factory);
    if parts[1] != parts[0] {
        local.velocity = ladders.observed(scheme, (part, parts[1]), factory)[1].velocity;
    }
    let [x, v] = scheme.local_orders(ladders.scenario.card().integrations);
    let expected = [scheme.global_order(), scheme.global_order(), x, v];
    let found = [global.position, global.velocity, local.position, local.velocity];
    let ok = found.iter().zip(expected).all(|(f, e)| f.is_some_and(|f| (f - e).abs() <= 0.1));
    assert!(ok, "{name} {scheme}: {found:.3?}, expected {expected:?}");
}

/// Steps at which errors are small enough for theory and large enough for rounding, by the order of the scheme.
fn parts(scheme: &Scheme) -> (f64, f64) {
    match scheme.global_order() as i32 {
        1 => (0.5, 0.5),
        2 => (1.0, 1.0),
        3 => (1.0, 2.0),
        _ => (2.0, 3.0),
    }
}

/// Integrated acceleration and classical schemes of one system, all cuts, all schedules.
fn all_orders(name: &str, factory: Factory<'_>, schemes: &dyn Fn(Coupling, Schedule) -> Vec<Scheme>) {
    let scenario = scenario(name);
    let ladders = Ladders::new(scenario.as_ref());
    for &coupling in scenario.card().couplings {
        for order in [Schedule::Jacobi, Schedule::GaussSeidel, Schedule::GaussSeidelReversed] {
            for scheme in schemes(coupling, order) {
                let (global, local) = parts(&scheme);
                // What is not linear has larger terms of higher order; low orders keep steps whose errors are not rounding.
                let is_shortened = !scenario.card().linear && scheme.global_order() > 2.0;
                // Where a mass owns the spring, errors of positions are nearer to rounding.
                let shortened = if coupling == Coupling::ForceForce { [0.65; 2] } else { [0.8, 0.55] };
                let local = if is_shortened { shortened.map(|part| part * local) } else { [local; 2] };
                check(&ladders, &scheme, (global, local), factory);
            }
        }
    }
}

fn five(coupling: Coupling, order: Schedule) -> Vec<Scheme> {
    Predict::five().map(|predict| Scheme::new(coupling, order, predict)).to_vec()
}

/// With degree 2 the derivative of a cubic through a known end is one order too few.
fn six(coupling: Coupling, order: Schedule) -> Vec<Scheme> {
    let degree_2 = Scheme { variant: Variant::H5, ..Scheme::new(coupling, order, Predict::integrated(2)) };
    [five(coupling, order), vec![degree_2]].concat()
}

#[test]
fn orders_of_the_oscillator_natively() {
    all_orders("test-model", &models::native, &six);
}

#[test]
fn orders_of_the_oscillator_through_fmus() {
    let _open = factory::open_all().expect("the FMUs");
    all_orders("test-model", &factory::fmu, &six);
}

#[test]
fn orders_of_a_nonlinear_spring() {
    all_orders("nonlinear-spring", &models::native, &five);
}

#[test]
fn orders_of_a_chain_of_five_masses() {
    all_orders("chain", &models::native, &five);
}

#[test]
fn orders_of_a_circuit_through_fmus() {
    let _open = factory::open_all().expect("the FMUs");
    all_orders("circuit", &factory::fmu, &five);
}

#[test]
fn orders_of_a_cylinder_with_its_load() {
    let scenario = scenario("cylinder");
    let ladders = Ladders::new(scenario.as_ref());
    for order in [Schedule::Jacobi, Schedule::GaussSeidel] {
        for scheme in five(Coupling::ForceDisplacement, order) {
            let (global, local) = parts(&scheme);
            check(&ladders, &scheme, (global, [local; 2]), &models::native);
        }
    }
}

/// The pressure, integrated from p̈ twice, is predicted one order better than a force made of an extrapolated motion; with
/// the load first, nothing extrapolated is left on the other side, and the whole is of one order more.
#[test]
fn a_cylinder_after_its_load_gains_an_order() {
    let scheme = Scheme::new(Coupling::ForceDisplacement, Schedule::GaussSeidelReversed, Predict::integrated(0));
    let [global, _] = Ladders::new(scenario("cylinder").as_ref()).observed(&scheme, (2.0, 2.0), &models::native);
    assert!(global.position.is_some_and(|p| (p - 3.0).abs() <= 0.1), "{global:?}");
}

/// At the usual step of each scenario, integrated acceleration is nearer to the fine solution than the classical scheme of
/// equal order.
#[test]
fn integrated_acceleration_is_the_more_accurate() {
    for scenario in scenarios() {
        let card = scenario.card();
        let reference = Reference::new(scenario.as_ref(), card.step_s, card.stop_s).expect("a solution");
        for &coupling in card.couplings {
            let error = |predict| -> Errors {
                let scheme = Scheme::new(coupling, Schedule::Jacobi, predict);
                let setup = Setup { start: Start::Exact, ..Setup::new(&scheme, card.step_s, &models::native) };
                run(scenario.as_ref(), &setup, &reference).expect("a run").error
            };
            for degree in 0..=1 {
                let (ours, classical) = (error(Predict::integrated(degree)), error(Predict::classical(degree + 1)));
                println!(
                    "{} {coupling} ia{degree}: {:.2e}, classical of equal order {:.2e}, {:.1} times",
                    card.name,
                    ours.position,
                    classical.position,
                    classical.position / ours.position
                );
                assert!(ours.position < classical.position, "{} {coupling} degree {degree}", card.name);
            }
        }
    }
}
