//! Evaluating only the units that read something new gives the same bits as evaluating all.

use super::{Op, Schedule};
use crate::method::predict::{Hermite, IntegratedAcceleration, Jerk, Lagrange, Predictor};
use crate::method::{Method, Sampling};
use crate::step::compiled::CompiledPlan;
use crate::system::feedthrough::FeedThrough;
use crate::system::law::LinearMap;
use crate::time::Tick;
use crate::unit::{Derivatives, Described, Outcome, States, Steps, Tangent, Unit, UnitError, Values};
use crate::{Grid, Signal, Simulation, System};
use macrostep_description::{
    Causality, CoSimulation, Dependencies, DependencyKind, Kind, ModelDescription, RealAttributes, Unknown,
    Variability, Variable, VendorAnnotation,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const INPUTS: usize = 3;
/// A motion x, v, a, and y; the last two have feed-through from some inputs.
const OUTPUTS: [&str; 4] = ["x", "v", "a", "y"];

/// A mass whose acceleration, and an output beside it, follow inputs and their rates at once.
struct Mass {
    name: String,
    description: ModelDescription,
    /// Of a and y.
    gains: [[f64; INPUTS]; 2],
    inputs: [f64; INPUTS],
    rates: [f64; INPUTS],
    state: [f64; 2],
    steps: u64,
    /// Calls of `get_real`.
    reads: Arc<AtomicU64>,
}

impl Mass {
    fn value(&self, reference: u32) -> f64 {
        match reference as usize {
            i if i < INPUTS => self.inputs[i],
            i if i < INPUTS + 2 => self.state[i - INPUTS],
            i => {
                let k = i - INPUTS - 2;
                let followed = (0..INPUTS).map(|j| self.gains[k][j] * (self.inputs[j] + 0.1 * self.rates[j]));
                followed.sum::<f64>() - self.state[k] + 0.25
            }
        }
    }
}

type Done = Result<(), UnitError>;

impl Described for Mass {
    fn name(&self) -> &str {
        &self.name
    }
    fn description(&self) -> &ModelDescription {
        &self.description
    }
}

impl Values for Mass {
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Done {
        refs.iter().zip(values).for_each(|(r, v)| self.inputs[*r as usize] = *v);
        Ok(())
    }
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Done {
        self.reads.fetch_add(1, Ordering::Relaxed);
        refs.iter().zip(values).for_each(|(r, v)| *v = self.value(*r));
        Ok(())
    }
}

impl Derivatives for Mass {
    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Done {
        for ((r, order), v) in refs.iter().zip(orders).zip(values) {
            if *order == 1 {
                self.rates[*r as usize] = *v;
            }
        }
        Ok(())
    }
    fn directional(&mut self, Tangent { unknown, known, d_known: d, d_unknown: out }: Tangent<'_>) -> Done {
        for (y, o) in unknown.iter().zip(out) {
            let gains = self.gains[*y as usize - INPUTS - 2];
            *o = known.iter().zip(d).map(|(u, d)| gains[*u as usize] * d).sum();
        }
        Ok(())
    }
}

impl States for Mass {}

impl Steps for Mass {
    fn step(&mut self, _: f64, step_s: f64, _: bool) -> Result<Outcome, UnitError> {
        self.steps += 1;
        self.state[1] += step_s * self.value(INPUTS as u32 + 2);
        self.state[0] += step_s * self.state[1];
        Ok(Outcome::Done)
    }
    fn do_steps(&self) -> u64 {
        self.steps
    }
}

impl Unit for Mass {}

/// Numbers that only depend on the seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// How a unit's feed-through outputs can be evaluated anew.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    GetAfterSet,
    Directional,
    Neither,
}

fn description(gains: &[[f64; INPUTS]; 2], way: Way) -> ModelDescription {
    // Inputs first, then a motion and outputs with feed-through; v and a are derivatives.
    let variable = |(i, name): (usize, String)| Variable {
        name,
        value_reference: i as u32,
        description: None,
        causality: if i < INPUTS { Causality::Input } else { Causality::Output },
        variability: Variability::Continuous,
        initial: None,
        kind: Kind::Real(RealAttributes {
            derivative: (i == INPUTS + 1 || i == INPUTS + 2).then(|| i - 1),
            ..RealAttributes::default()
        }),
        start: None,
        declared_type: None,
        can_handle_multiple_set: true,
    };
    // Directional derivatives are offered only where outputs are to be evaluated by them.
    let names = (0..INPUTS).map(|i| format!("u{i}")).chain(OUTPUTS.map(str::to_owned));
    let co = CoSimulation {
        can_interpolate_inputs: true,
        provides_directional_derivative: way == Way::Directional,
        ..CoSimulation::default()
    };
    let mut d = ModelDescription {
        co_simulation: Some(co),
        variables: names.enumerate().map(variable).collect(),
        ..ModelDescription::default()
    };
    // Outputs may be read right after inputs are set where a vendor annotation says so.
    if way == Way::GetAfterSet {
        let attributes = vec![("getAfterSet".to_owned(), "true".to_owned())];
        d.vendor_annotations.push(VendorAnnotation { tool: "macrostep".to_owned(), attributes });
    }
    // Outputs with feed-through depend on the inputs with a gain that is not zero.
    let known =
        |k: usize| (0..INPUTS).filter(|&j| gains[k][j] != 0.0).map(|j| (j, DependencyKind::Dependent)).collect();
    d.structure.outputs = (0..OUTPUTS.len())
        .map(|o| Unknown {
            index: INPUTS + o,
            dependencies: Dependencies::Known(if o < 2 { Vec::new() } else { known(o - 2) }),
        })
        .collect();
    d
}

/// A random system of up to seven units and a method for it; `reads` counts.
fn draw(seed: u64, predictor: Arc<dyn Predictor>, way: Way, reads: &Arc<AtomicU64>) -> (System, Method, Grid) {
    let mut draw = Draw(seed);
    // Units with random gains, of which half are zero.
    let n = 2 + draw.below(6);
    let mut system = System::new();
    let units: Vec<_> = (0..n)
        .map(|u| {
            let gain = |draw: &mut Draw| if draw.below(2) == 0 { 0.0 } else { 0.05 * (1 + draw.below(4)) as f64 };
            let gains = [0; 2].map(|_| [0; INPUTS].map(|_| gain(&mut draw)));
            system.add(Box::new(Mass {
                name: format!("m{u}"),
                description: description(&gains, way),
                gains,
                inputs: [0.0; INPUTS],
                rates: [0.0; INPUTS],
                state: [draw.below(9) as f64, draw.below(9) as f64],
                steps: 0,
                reads: Arc::clone(reads),
            }))
        })
        .collect();
    // A motion and an output with feed-through of each, in channels of their own.
    let channels: Vec<_> = units
        .iter()
        .map(|&u| [system.channel(u, &["x", "v", "a"]).expect("a motion"), system.channel(u, &["y"]).expect("y")])
        .collect();
    let signal = |draw: &mut Draw| -> Signal {
        let channels = channels[draw.below(n)];
        match draw.below(4) {
            3 => channels[1].component(0),
            i => channels[0].component(i),
        }
    };
    // Inputs from nothing, a law of two signals, or a signal.
    for &unit in &units {
        for input in 0..INPUTS {
            let name = format!("u{input}");
            match draw.below(5) {
                0 => {}
                1 => {
                    let map = LinearMap::new(2, vec![0.5, -0.25]).expect("a map");
                    let law = system.law(Box::new(map), &[signal(&mut draw), signal(&mut draw)]);
                    system.connect_law(law, 0, unit, &name).expect("an input");
                }
                _ => system.connect(signal(&mut draw), unit, &name).expect("an input"),
            }
        }
    }
    // A schedule in random order; rates only where it is not symmetric.
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).for_each(|i| order.swap(i, draw.below(i + 1)));
    let (kind, shares) = (draw.below(4), [(1, 1), (1, 1), (1, 2), (1, 3), (2, 3)]);
    let schedule = match kind {
        0 => Schedule::Jacobi,
        1 => Schedule::Palindromic(order),
        _ => Schedule::GaussSeidel(order),
    };
    let rates = kind != 1 && draw.below(2) == 0;
    let shares = (0..n).map(|_| if rates { shares[draw.below(shares.len())] } else { (1, 1) }).collect();
    let method = Method { predictor, schedule, ..Method::default() };
    (system, method, Grid { shares, ..Grid::uniform(0.01, 1.0) })
}

/// The plan by the old rule: whenever units publish, all groups that are there as a whole are evaluated in their order, and of
/// the others the units that publish.
fn everything(ops: &[Op], groups: &[Vec<usize>], n: usize) -> Vec<Op> {
    // When each unit published last, and those that did since the last evaluation.
    let (mut at, mut out): (Vec<Tick>, Vec<Op>) = (vec![0; n], Vec::new());
    let mut published: Vec<usize> = Vec::new();
    let plain = ops.iter().filter(|op| !matches!(op, Op::Refresh { .. } | Op::RefreshUnit { .. }));
    let mut plain = plain.copied().peekable();
    while let Some(op) = plain.next() {
        // Steps stay, and evaluations come after the last of the units that publish together.
        out.push(op);
        let Op::Publish { unit, at: now } = op else { continue };
        at[unit] = now;
        published.push(unit);
        if matches!(plain.peek(), Some(Op::Publish { .. })) {
            continue;
        }
        for (g, group) in groups.iter().enumerate() {
            if group.iter().all(|&u| at[u] == now) {
                out.push(Op::Refresh { group: g, at: now });
            } else {
                let here = group.iter().filter(|u| published.contains(u));
                out.extend(here.map(|&unit| Op::RefreshUnit { unit, at: now }));
            }
        }
        published.clear();
    }
    out
}

/// All variables of all units after each of 12 windows in bits, and how often units were read in them.
fn run(seed: u64, predictor: Arc<dyn Predictor>, way: Way, (old, stretch): (bool, bool)) -> (Vec<u64>, u64) {
    let reads = Arc::new(AtomicU64::new(0));
    let (system, method, grid) = draw(seed, predictor, way, &reads);
    let n = system.units.len();
    let mut simulation = Simulation::new(system, &method, grid).expect("a simulation");
    if old {
        let window = &mut simulation.window;
        window.plan.ops = everything(&window.plan.ops, &window.groups, n);
        simulation.compiled = simulation.compiled.take().and_then(|_| CompiledPlan::of(&simulation.window, 1));
    }
    simulation.initialise().expect("initialised");
    let refs: Vec<u32> = (0..(INPUTS + OUTPUTS.len()) as u32).collect();
    let (mut bits, mut values) = (Vec::new(), vec![0.0; refs.len()]);
    let mut made = 0;
    for _ in 0..12 {
        let before = reads.load(Ordering::Relaxed);
        // One that diverges does so by either rule.
        let ended = if stretch { simulation.run(1, 1, &mut ()) } else { simulation.step().map(drop) };
        if ended.is_err() {
            break;
        }
        made += reads.load(Ordering::Relaxed) - before;
        for unit_port in &mut simulation.window.unit_ports {
            unit_port.unit.get_real(&refs, &mut values).expect("read");
            bits.extend(values.iter().map(|v| v.to_bits()));
        }
        let histories = &simulation.state.signals.histories;
        bits.extend(histories.iter().filter(|h| !h.is_empty()).flat_map(|h| h.row(h.newest())).map(|v| v.to_bits()));
    }
    (bits, made)
}

#[test]
fn what_reads_nothing_new_need_not_be_evaluated() {
    let predictors: [Arc<dyn Predictor>; 5] = [
        Arc::new(Lagrange::new(0)),
        Arc::new(Lagrange::new(1)),
        Arc::new(Hermite::H3),
        Arc::new(IntegratedAcceleration::new(0)),
        Arc::new(Jerk::default()),
    ];
    let (mut all, mut some, mut fewer) = (0, 0, 0);
    // The bits of runs by the old rule and by the new one, and how often outputs are read.
    for seed in 0..400 {
        for predictor in &predictors {
            for way in [Way::GetAfterSet, Way::Directional, Way::Neither] {
                for stretch in [false, true] {
                    let (old, before) = run(seed, Arc::clone(predictor), way, (true, stretch));
                    let (new, after) = run(seed, Arc::clone(predictor), way, (false, stretch));
                    assert!(old == new, "seed {seed}, {predictor:?}, stretch {stretch}");
                    assert!(after <= before, "seed {seed}, {predictor:?}");
                    (all, some, fewer) = (all + before, some + after, fewer + usize::from(after < before));
                }
            }
        }
    }
    // The comparison is of something.
    assert!(fewer > 1000 && some < all, "{some} of {all} reads, fewer in {fewer} runs");
}

/// A chain of `n` units, each of which drives the next by an output with feed-through from the one after it.
fn chain(n: usize, order: impl Iterator<Item = usize>) -> (u64, usize) {
    // All units have the same gains.
    let reads = Arc::new(AtomicU64::new(0));
    let gains = [[0.1, 0.0, 0.0], [0.0, 0.2, 0.0]];
    let mut system = System::new();
    let units: Vec<_> = (0..n)
        .map(|u| {
            let (inputs, rates, reads) = ([0.0; INPUTS], [0.0; INPUTS], Arc::clone(&reads));
            let (name, description) = (format!("m{u}"), description(&gains, Way::GetAfterSet));
            system.add(Box::new(Mass { name, description, gains, inputs, rates, state: [1.0, 0.0], steps: 0, reads }))
        })
        .collect();
    // A position to the unit before, and the output with feed-through to the one after.
    for u in 0..n - 1 {
        let x = system.channel(units[u + 1], &["x"]).expect("x");
        let y = system.channel(units[u], &["y"]).expect("y");
        system.connect(x.component(0), units[u], "u1").expect("an input");
        system.connect(y.component(0), units[u + 1], "u0").expect("an input");
    }
    // One window, and the reads it takes.
    let method = Method { schedule: Schedule::GaussSeidel(order.collect()), ..Method::default() };
    let mut simulation = Simulation::new(system, &method, Grid::uniform(0.01, 1.0)).expect("a simulation");
    simulation.initialise().expect("initialised");
    reads.store(0, Ordering::Relaxed);
    simulation.step().expect("a window");
    (reads.load(Ordering::Relaxed), simulation.window.plan.ops.len())
}

#[test]
fn a_chain_costs_as_much_as_it_is_long() {
    for n in [10, 100, 1000] {
        // Each unit but the last is read after its step, evaluated then, and again when the one after it is there.
        let (reads, ops) = chain(n, 0..n);
        assert_eq!((reads, ops), (3 * n as u64 - 2, 4 * n - 2), "{n} units in order");
        // Backwards it also gets the force of the one before it, as published and as evaluated then.
        let (reads, ops) = chain(n, (0..n).rev());
        assert_eq!((reads, ops), (4 * n as u64 - 6, 5 * n - 6), "{n} units backwards");
    }
}

#[test]
fn lagged_sampling_evaluates_nothing() {
    let reads = Arc::new(AtomicU64::new(0));
    let (system, mut method, grid) = draw(3, Arc::new(Lagrange::new(0)), Way::GetAfterSet, &reads);
    method.sampling = Sampling::Lagged;
    assert!(!FeedThrough::of(&system, false).groups.is_empty());
    let simulation = Simulation::new(system, &method, grid).expect("a simulation");
    assert!(!simulation.plan().ops.iter().any(|op| matches!(op, Op::Refresh { .. } | Op::RefreshUnit { .. })));
}
