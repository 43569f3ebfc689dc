//! Connections between integers, booleans and strings: sampled, held, and taken back with the window.

use macrostep_description::{Causality, CoSimulation, Kind, ModelDescription, RealAttributes, Variability, Variable};
use macrostep_master::correct::{Correction, InterfaceJacobian, Newton};
use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Unit, UnitError, Values};
use macrostep_master::{Grid, Method, Passage, Schedule, Simulation, System, SystemError, UnitId};

/// Counts: each output is one more than the input of its type.
#[derive(Clone)]
struct Counter {
    name: String,
    description: ModelDescription,
    inputs: Row,
    outputs: Row,
    saved: Option<(Row, Row)>,
    steps: u64,
}

#[derive(Clone, Default, Debug, PartialEq)]
struct Row {
    real: f64,
    integer: i32,
    boolean: bool,
    text: String,
}

/// Inputs 0 … 3 and outputs 4 … 7: Real, Integer, Boolean, String.
fn description() -> ModelDescription {
    let kinds =
        [Kind::Real(RealAttributes::default()), Kind::Integer { min: None, max: None }, Kind::Boolean, Kind::String];
    let names = ["u", "n_in", "b_in", "s_in", "y", "n", "b", "s"];
    let variable = |(i, name): (usize, &&str)| Variable {
        name: (*name).to_owned(),
        value_reference: i as u32,
        description: None,
        causality: if i < 4 { Causality::Input } else { Causality::Output },
        variability: if i % 4 == 0 { Variability::Continuous } else { Variability::Discrete },
        initial: None,
        kind: kinds[i % 4].clone(),
        start: None,
        declared_type: None,
        can_handle_multiple_set: true,
    };
    let co = CoSimulation { can_get_and_set_fmu_state: true, ..CoSimulation::default() };
    let mut d = ModelDescription {
        co_simulation: Some(co),
        variables: names.iter().enumerate().map(variable).collect(),
        ..ModelDescription::default()
    };
    let known = macrostep_description::Dependencies::Known(Vec::new());
    d.structure.outputs =
        (4..8).map(|index| macrostep_description::Unknown { index, dependencies: known.clone() }).collect();
    d
}

fn counter(name: &str, start: i32) -> Box<dyn Unit> {
    let outputs = Row { integer: start, ..Row::default() };
    Box::new(Counter {
        name: name.to_owned(),
        description: description(),
        inputs: Row::default(),
        outputs,
        saved: None,
        steps: 0,
    })
}

impl Described for Counter {
    fn name(&self) -> &str {
        &self.name
    }
    fn description(&self) -> &ModelDescription {
        &self.description
    }
}

impl Values for Counter {
    fn set_real(&mut self, _: &[u32], values: &[f64]) -> Result<(), UnitError> {
        self.inputs.real = values[0];
        Ok(())
    }
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        values[..refs.len()].fill(self.outputs.real);
        Ok(())
    }
    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> {
        assert_eq!(refs, [1]);
        self.inputs.integer = values[0];
        Ok(())
    }
    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError> {
        assert_eq!(refs, [5]);
        values[0] = self.outputs.integer;
        Ok(())
    }
    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError> {
        assert_eq!(refs, [2]);
        self.inputs.boolean = values[0];
        Ok(())
    }
    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError> {
        assert_eq!(refs, [6]);
        values[0] = self.outputs.boolean;
        Ok(())
    }
    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError> {
        assert_eq!(refs, [3]);
        self.inputs.text = values[0].to_owned();
        Ok(())
    }
    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError> {
        assert_eq!(refs, [7]);
        Ok(vec![self.outputs.text.clone()])
    }
}

impl Derivatives for Counter {}

impl States for Counter {
    fn save(&mut self, _: usize) -> Result<(), UnitError> {
        self.saved = Some((self.inputs.clone(), self.outputs.clone()));
        Ok(())
    }
    fn restore(&mut self, _: usize) -> Result<(), UnitError> {
        (self.inputs, self.outputs) = self.saved.clone().expect("saved before");
        Ok(())
    }
    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        let Row { real, integer, boolean, text } = &self.outputs;
        let flag = [u8::from(*boolean)];
        Ok([&real.to_bits().to_le_bytes()[..], &integer.to_le_bytes(), &flag, text.as_bytes()].concat())
    }
    fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        let (real, rest) = bytes.split_at(8);
        let (integer, rest) = rest.split_at(4);
        self.outputs = Row {
            real: f64::from_bits(u64::from_le_bytes(real.try_into().expect("8 bytes"))),
            integer: i32::from_le_bytes(integer.try_into().expect("4 bytes")),
            boolean: rest[0] == 1,
            text: String::from_utf8(rest[1..].to_vec()).expect("text"),
        };
        Ok(())
    }
}

impl Steps for Counter {
    fn step(&mut self, _: f64, _: f64, _: bool) -> Result<Outcome, UnitError> {
        self.steps += 1;
        self.outputs = Row {
            real: 0.5 * self.inputs.real + 1.0,
            integer: self.inputs.integer + 1,
            boolean: !self.inputs.boolean,
            text: format!("{}{}", self.inputs.text, self.name),
        };
        Ok(Outcome::Done)
    }
    fn do_steps(&self) -> u64 {
        self.steps
    }
}

impl Unit for Counter {}

/// Two counters in a ring, all four types connected both ways.
fn ring(method: &Method) -> (Simulation, [UnitId; 2]) {
    let mut system = System::new();
    let units = [system.add(counter("a", 10)), system.add(counter("b", 20))];
    for (from, to) in [(0, 1), (1, 0)] {
        let y = system.channel(units[from], &["y"]).expect("an output");
        system.connect(y.component(0), units[to], "u").expect("an input");
        for (output, input) in [("n", "n_in"), ("b", "b_in"), ("s", "s_in")] {
            system.link(units[from], output, units[to], input).expect("a link");
        }
    }
    let mut simulation = Simulation::new(system, method, Grid::uniform(1.0, 10.0)).expect("a simulation");
    simulation.initialise().expect("initialised");
    (simulation, units)
}

fn read(simulation: &mut Simulation, unit: UnitId) -> (i32, bool, String) {
    let unit = simulation.unit_mut(unit);
    let (mut n, mut b) = ([0], [false]);
    unit.get_integer(&[5], &mut n).expect("n");
    unit.get_boolean(&[6], &mut b).expect("b");
    (n[0], b[0], unit.get_string(&[7]).expect("s").remove(0))
}

#[test]
fn jacobi_holds_what_was_published_before() {
    let (mut simulation, [a, b]) = ring(&Method::default());
    simulation.step().expect("a step");
    assert_eq!(read(&mut simulation, a), (21, true, "a".to_owned()));
    assert_eq!(read(&mut simulation, b), (11, true, "b".to_owned()));
    simulation.step().expect("a step");
    assert_eq!(read(&mut simulation, a), (12, false, "ba".to_owned()));
    assert_eq!(read(&mut simulation, b), (22, false, "ab".to_owned()));
}

#[test]
fn gauss_seidel_passes_on_what_is_new() {
    let method = Method { schedule: Schedule::GaussSeidel(vec![0, 1]), ..Method::default() };
    let (mut simulation, [a, b]) = ring(&method);
    simulation.step().expect("a step");
    assert_eq!(read(&mut simulation, a), (21, true, "a".to_owned()));
    assert_eq!(read(&mut simulation, b), (22, false, "ab".to_owned()));
}

/// A corrector repeats a window; links count it once.
#[test]
fn a_repeated_window_counts_once() {
    let method = Method {
        correction: Correction::Newton(Newton::new(InterfaceJacobian::FiniteDifferences)),
        schedule: Schedule::GaussSeidel(vec![0, 1]),
        ..Method::default()
    };
    let (mut simulation, [a, b]) = ring(&method);
    simulation.step().expect("a step");
    simulation.step().expect("a step");
    assert!(simulation.statistics().runs > 2, "it was repeated");
    assert_eq!(read(&mut simulation, a), (23, true, "aba".to_owned()));
    assert_eq!(read(&mut simulation, b), (24, false, "abab".to_owned()));
}

#[test]
fn links_are_of_one_type_and_into_one_input() {
    let mut system = System::new();
    let (a, b) = (system.add(counter("a", 0)), system.add(counter("b", 0)));
    let wrong = |e| matches!(e, Err(SystemError::WrongVariable { .. }));
    assert!(wrong(system.link(a, "n", b, "b_in")));
    assert!(wrong(system.link(a, "y", b, "u")));
    assert!(wrong(system.link(a, "n_in", b, "n_in")));
    system.link(a, "n", b, "n_in").expect("a link");
    assert!(matches!(system.link(a, "n", b, "n_in"), Err(SystemError::ConnectedTwice { .. })));
}

fn three_steps(simulation: &mut Simulation) {
    for _ in 0..3 {
        simulation.step().expect("a step");
    }
}

/// What links carry is part of a saved state.
#[test]
fn a_run_with_links_continues_where_it_was() {
    for schedule in [Schedule::Jacobi, Schedule::GaussSeidel(vec![0, 1])] {
        let method = Method { schedule, ..Method::default() };
        let (mut simulation, [a, b]) = ring(&method);
        three_steps(&mut simulation);
        let saved = simulation.saved_state().expect("a saved state");
        three_steps(&mut simulation);
        let (mut again, _) = ring(&method);
        again.resume(&saved).expect("resumed");
        three_steps(&mut again);
        for unit in [a, b] {
            assert_eq!(read(&mut again, unit), read(&mut simulation, unit));
        }
    }
}

/// A table replaces values; one that is not in it ends the run and says where.
#[test]
fn tables_replace_values() {
    let by = |table: &[(i32, f64)]| Passage { table: table.to_vec(), ..Passage::default() };
    let run = |integers: &[(i32, f64)]| {
        let mut system = System::new();
        let units = [system.add(counter("a", 10)), system.add(counter("b", 20))];
        system.link_by((units[0], "n"), (units[1], "n_in"), by(integers)).expect("a link");
        system.link_by((units[0], "b"), (units[1], "b_in"), by(&[(0, 1.0), (1, 0.0)])).expect("a link");
        let mut simulation =
            Simulation::new(system, &Method::default(), Grid::uniform(1.0, 10.0)).expect("a simulation");
        simulation.initialise()?;
        simulation.step()?;
        simulation.step()?;
        Ok::<_, macrostep_master::RunError>(read(&mut simulation, units[1]))
    };
    // After one step `a` has counted its unconnected input 0 to 1, and turned false to true.
    assert_eq!(run(&[(10, 7.0), (1, -3.0)]).expect("a run"), (-2, true, "b".to_owned()));
    let error = run(&[(10, 7.0), (2, -3.0)]).expect_err("1 is in no line").to_string();
    assert!(error.contains("unit `a`") && error.contains("1 of `n`") && error.contains("t = 1 s"), "{error}");
    assert!(error.contains("the table of its connection has 10, 2"), "{error}");
}

/// A Boolean and an integer feed real inputs, and a real output an integer: by the table, then factor and offset, then rounded. What
/// is not real is held: over a step of 1 s each receiver has had the value of the step before, and no line through two of them.
#[test]
fn numbers_of_all_types_meet() {
    let passage = |factor, offset, rounds| Passage { factor, offset, rounds, ..Passage::default() };
    let table = Passage { table: vec![(0, 0.25), (1, 4.0)], ..Passage::default() };
    let to_real = [("n", passage(1.0, 0.0, false)), ("n", passage(-0.5, 3.0, false)), ("b", table)];
    for (i, (output, passage)) in to_real.into_iter().enumerate() {
        for predictor in [0, 1] {
            let mut system = System::new();
            let units = [system.add(counter("a", 10)), system.add(counter("b", 20))];
            system.link_by((units[0], output), (units[1], "u"), passage.clone()).expect("a link");
            system.link(units[1], "n", units[0], "n_in").expect("a link");
            system.link(units[1], "b", units[0], "b_in").expect("a link");
            // A wave of a real signal, so that a predictor has something to do.
            let y = system.channel(units[1], &["y"]).expect("an output");
            system.connect(y.component(0), units[0], "u").expect("an input");
            let predictor = std::sync::Arc::new(macrostep_master::predict::Lagrange::new(predictor));
            let method = Method { predictor, ..Method::default() };
            let mut simulation = Simulation::new(system, &method, Grid::uniform(1.0, 10.0)).expect("a simulation");
            simulation.initialise().expect("initialised");
            // What `b` makes of its input: y = u/2 + 1.
            let mut seen = Vec::new();
            for _ in 0..3 {
                simulation.step().expect("a step");
                let mut y = [0.0];
                simulation.unit_mut(units[1]).get_real(&[4], &mut y).expect("y");
                seen.push(2.0 * (y[0] - 1.0));
            }
            // `a` has 10, 21, 2 and false, true, false at the beginnings of these steps.
            let expected = [[10.0, 21.0, 2.0], [-2.0, -7.5, 2.0], [0.25, 4.0, 0.25]][i];
            assert_eq!(seen, expected, "{output}");
        }
    }
    // 2.5 · 1.5 + 0.25 = 4, and the half that is rounded goes away from zero.
    for (factor, offset, expected) in [(2.5, 0.25, 4), (1.0, 0.0, 2), (1.0, 1.0, 3), (-1.0, 0.0, -2), (0.0, 2.4, 2)] {
        let mut system = System::new();
        let units = [system.add(counter("a", 10)), system.add(counter("b", 20))];
        let held = passage(0.0, 1.0, false);
        system.link_by((units[1], "n"), (units[0], "u"), held).expect("a link");
        system.link_by((units[0], "y"), (units[1], "n_in"), passage(factor, offset, true)).expect("a link");
        let mut simulation =
            Simulation::new(system, &Method::default(), Grid::uniform(1.0, 10.0)).expect("a simulation");
        simulation.initialise().expect("initialised");
        simulation.step().expect("a step");
        simulation.step().expect("a step");
        assert_eq!(read(&mut simulation, units[1]).0, expected + 1, "y = 1.5 with {factor}, {offset}");
    }
}

/// What has no meaning is refused, and a number that the input does not take ends the run where it came.
#[test]
fn numbers_that_do_not_fit_are_refused() {
    let mut system = System::new();
    let (a, b) = (system.add(counter("a", 0)), system.add(counter("b", 0)));
    let rounded = || Passage { rounds: true, ..Passage::default() };
    for (output, input, passage) in [
        ("y", "n_in", Passage::default()),
        ("y", "b_in", rounded()),
        ("y", "u", rounded()),
        ("s", "u", Passage::default()),
        ("n", "s_in", Passage::default()),
    ] {
        let refused = system.link_by((a, output), (b, input), passage);
        assert!(matches!(refused, Err(SystemError::WrongVariable { .. })), "{output} to {input}");
    }
    // A real input that a link feeds has its source.
    system.link_by((a, "b"), (b, "u"), Passage::default()).expect("a link");
    let y = system.channel(a, &["y"]).expect("an output");
    assert!(matches!(system.connect(y.component(0), b, "u"), Err(SystemError::ConnectedTwice { .. })));
    // Half of 21 is no integer, and 2 is no Boolean.
    for (output, input, factor, expected) in
        [("n", "n_in", 0.5, "0.5 of it, but `b.n_in` takes whole numbers"), ("b", "b_in", 2.0, "2 of it, but `b.b_in`")]
    {
        let mut system = System::new();
        let (a, b) = (system.add(counter("a", 10)), system.add(counter("b", 20)));
        let passage = Passage { factor, ..Passage::default() };
        system.link_by((a, output), (b, input), passage).expect("a link");
        let mut simulation =
            Simulation::new(system, &Method::default(), Grid::uniform(1.0, 10.0)).expect("a simulation");
        simulation.initialise().expect("10 and false fit");
        let error = simulation.step().expect_err("1 and true do not").to_string();
        assert!(error.contains(expected) && error.contains("t = 1 s"), "{error}");
    }
}
