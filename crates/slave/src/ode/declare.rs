//! The description of a model of equations.

use macrostep_description::{
    Builder, CoSimulation, Declared, DependencyKind, Kind, ModelDescription, Value, VariableId, node_name,
};
use macrostep_ode::{MAX_DEGREE, MAX_NODES, Point, Scalar, Trace, Vector};

use super::shown::Shown;
use super::{IS_EXCHANGED, NODES, Ode, Rhythm};
use crate::ode::propagate::Exact;
use crate::{Declaration, Equations, Fault, builder, capabilities};

/// Builds model and description.
pub(super) fn declare<E: Equations>() -> Result<(Ode<E>, ModelDescription), Fault> {
    let mut declaration = Declaration { micro_step_s: 1e-3, ..Declaration::default() };
    E::declare(&mut declaration);
    let sizes = Sizes {
        identifier: E::IDENTIFIER,
        about: E::ABOUT,
        is_linear: E::LINEAR,
        parameters: Ode::<E>::P,
        inputs: Ode::<E>::U,
        outputs: Ode::<E>::Y,
        states: Ode::<E>::Z,
    };
    sizes.check(&declaration)?;
    let (shown, description) = describe(sizes, &declaration, dependencies::<E>(&declaration))?;
    // The model knows variables by their place.
    let reals = description.variables.iter().filter(|v| matches!(v.kind, Kind::Real(_)));
    let model = Ode {
        dense: declaration.dense.iter().map(|(output, ..)| *output).collect(),
        shown,
        names: reals.map(|v| v.name.clone()).collect(),
        states: declaration.states,
        exact: Exact::default(),
        rhythm: Rhythm::default(),
    };
    Ok((model, description))
}

/// What is known of equations beside their declaration. All that follows from it is compiled once, and not for every model.
#[derive(Clone, Copy)]
struct Sizes {
    identifier: &'static str,
    about: &'static str,
    is_linear: bool,
    /// Components of the vectors p, u, y and z.
    parameters: usize,
    inputs: usize,
    outputs: usize,
    states: usize,
}

/// The description, and what of the equations it shows.
fn describe(sizes: Sizes, d: &Declaration, follow: [Vec<Follows>; 3]) -> Result<(Shown, ModelDescription), Fault> {
    // Parameters and inputs, which together are known during initialisation.
    let mut b = sizes.begin(d);
    let mut initially_known: Vec<VariableId> = d.parameters.iter().map(|p| b.add(p.clone())).collect();
    if sizes.states > 0 {
        sizes.integration(&mut b, d);
    }
    let inputs: Vec<VariableId> = d.inputs.iter().map(|u| b.add(u.clone())).collect();
    initially_known.extend(&inputs);
    // What the equations compute: outputs, their nodes, and states with their rates.
    let shown = Shown::new(d, if IS_EXCHANGED { sizes.states } else { 0 }, b.next_id());
    let running_known: Vec<VariableId> = inputs.iter().chain(&shown.states).copied().collect();
    let known = Known { running: &running_known, initial: &initially_known };
    let [outputs_follow, rates_follow, states_follow] = follow;
    add_outputs(&mut b, d, &shown, (&outputs_follow, known));
    add_nodes(&mut b, d, (&outputs_follow, known));
    add_locals(&mut b, &shown, (&states_follow, &rates_follow), known);
    Ok((shown, b.finish().map_err(|e| Fault::Declaration(e.to_string()))?))
}

/// What is known while running, and while initialising.
#[derive(Clone, Copy)]
struct Known<'a> {
    running: &'a [VariableId],
    initial: &'a [VariableId],
}

/// Outputs, with the dependencies that the equations themselves show.
fn add_outputs(b: &mut Builder, d: &Declaration, shown: &Shown, (follow, known): (&[Follows], Known<'_>)) {
    let mut outputs: Vec<VariableId> = Vec::new();
    for (output, follows) in d.outputs.iter().zip(follow) {
        let mut output = follows.of(output.clone(), known);
        for (_, of) in d.derivatives.iter().filter(|(derivative, _)| *derivative == outputs.len()) {
            let is_rate = shown.is_rate(b.next_id(), outputs[*of]);
            output =
                if is_rate { output.state_derivative_of(outputs[*of]) } else { output.derivative_of(outputs[*of]) };
        }
        outputs.push(b.add(output));
    }
}

/// Nodes of dense outputs lie in the last step: they follow no input of now.
fn add_nodes(b: &mut Builder, d: &Declaration, (follow, known): (&[Follows], Known<'_>)) {
    for (output, about) in &d.dense {
        for i in 0..NODES {
            let node = Declared::discrete_output(&node_name(d.outputs[*output].name(), i), 0.0)
                .like(&d.outputs[*output])
                .about(&format!("{about} at node {i} of the last step"))
                .depends(&[])
                .initially(&members(follow[*output].initial.all(), known.initial).collect::<Vec<_>>());
            b.add(node);
        }
    }
}

/// States and rates that no output shows: the equations are known whole, so that others can integrate them.
fn add_locals(b: &mut Builder, shown: &Shown, (states, rates): (&[Follows], &[Follows]), known: Known<'_>) {
    if !IS_EXCHANGED {
        return;
    }
    for (i, k) in shown.hidden.iter().enumerate() {
        let local = Declared::local(&format!("state[{}]", i + 1)).about("state that no output shows");
        b.add(states[*k].of(local, Known { running: &[], ..known }));
    }
    for k in &shown.unrated {
        let state = shown.states[*k];
        let local = Declared::local(&format!("der({})", b.name(state))).about("its rate").state_derivative_of(state);
        b.add(rates[*k].of(local, known));
    }
    b.model_exchange();
}

impl Sizes {
    /// # Errors
    /// [`Fault::Declaration`] where the declaration and the vectors of the equations differ.
    fn check(self, d: &Declaration) -> Result<(), Fault> {
        // As many variables as the vectors have components.
        let counts = [
            ("parameters", d.parameters.len(), self.parameters),
            ("inputs", d.inputs.len(), self.inputs),
            ("outputs", d.outputs.len(), self.outputs),
        ];
        for (what, found, expected) in counts {
            if found != expected {
                return Err(Fault::Declaration(format!("{found} {what} declared, expected {expected}")));
            }
        }
        // Dependencies are sets of 128 bits.
        if self.inputs + self.parameters.max(self.states) > 128 {
            return Err(Fault::Declaration("more than 128 parameters and inputs, or states and inputs".into()));
        }
        // All of them real.
        let reals = [&d.parameters, &d.inputs, &d.outputs].into_iter().flatten();
        for declared in reals {
            if !declared.is_real() {
                return Err(Fault::Declaration("equations have real parameters, inputs and outputs only".into()));
            }
        }
        // Dense outputs interpolate states, and a derivative comes after what it is the rate of.
        if !d.dense.is_empty() && self.states == 0 {
            return Err(Fault::Declaration("dense output without states".into()));
        }
        let early = d.derivatives.iter().all(|(derivative, of)| of < derivative && *derivative < d.outputs.len());
        let shown = d.states.iter().all(|(z, y)| *z < self.states && *y < d.outputs.len());
        let dense = d.dense.iter().all(|(y, ..)| *y < d.outputs.len());
        if early && shown && dense {
            Ok(())
        } else {
            Err(Fault::Declaration("a derivative, state or dense output names no output declared before".into()))
        }
    }

    /// Everything but the variables.
    fn begin(self, declaration: &Declaration) -> Builder {
        let mut b = builder(self.identifier, self.about);
        for (name, base) in &declaration.units {
            b.unit(name, *base);
        }
        b.capabilities(CoSimulation {
            can_handle_variable_communication_step_size: true,
            can_interpolate_inputs: true,
            max_output_derivative_order: MAX_DEGREE as u32,
            ..capabilities()
        });
        if let Some((start_s, stop_s, step_s)) = declaration.experiment {
            b.experiment(start_s, stop_s, step_s);
        }
        b
    }

    /// Parameters of integration and dense output.
    fn integration(self, b: &mut Builder, declaration: &Declaration) {
        b.si_units(&["s"]);
        let micro_step = Declared::parameter("micro_step", declaration.micro_step_s)
            .unit("s")
            .range(1e-12, f64::INFINITY)
            .about("micro step h; a macro step H is divided into round(H/h) equal ones, at least one");
        b.add(micro_step);
        let mut items = vec![
            ("semi_implicit_euler", "order 1, inputs read at the micro step's start"),
            ("runge_kutta_4", "order 4, inputs read at the stages"),
        ];
        if self.is_linear {
            items.push(("exact", "matrix exponential over the whole macro step"));
        }
        b.enumeration("Integrator", "Method that advances the states", &items);
        // The default sees inputs inside of a micro step, and takes steps of any length at the same price.
        let integrator = Declared::parameter("integrator", 2).of_type("Integrator").bounds(1, items.len() as i32);
        b.add(integrator.about("method that advances the states"));
        if !declaration.dense.is_empty() {
            let nodes = Declared::parameter("dense_nodes", 12).bounds(1, MAX_NODES as i32);
            b.add(nodes.about("q: dense output has the q + 1 Chebyshev-Lobatto nodes of the last step"));
        }
    }
}

/// What a value depends on.
struct Follows {
    running: Trace,
    initial: Trace,
}

impl Follows {
    /// A variable that shows it, where these are known.
    fn of(&self, declared: Declared, known: Known<'_>) -> Declared {
        let kinds = [
            (self.running.constant, DependencyKind::Constant),
            (self.running.fixed, DependencyKind::Fixed),
            (self.running.dependent, DependencyKind::Dependent),
        ];
        let of_kind = |(set, kind): (u128, DependencyKind)| members(set, known.running).map(move |id| (id, kind));
        let depends: Vec<_> = kinds.into_iter().flat_map(of_kind).collect();
        declared.depends(&depends).initially(&members(self.initial.all(), known.initial).collect::<Vec<_>>())
    }
}

/// What outputs, rates and states depend on: runs the equations on names, at the start values.
fn dependencies<E: Equations>(d: &Declaration) -> [Vec<Follows>; 3] {
    let start = |list: &[Declared], i: usize| list[i].start().and_then(Value::as_real).unwrap_or(0.0);
    let at = |p: E::Parameters<Trace>, z: E::States<Trace>, first_input: usize| {
        let input = |i| Trace::known(first_input + i, start(&d.inputs, i));
        let (u, du) = (E::Inputs::<Trace>::from_fn(input), E::Inputs::<Trace>::from_fn(input));
        Point { t: Trace::from(0.0), p, z, u, du }
    };
    // While running, parameters are no knowns; inputs and states are.
    let p = E::Parameters::<Trace>::from_fn(|i| Trace::parameter(start(&d.parameters, i)));
    let z = E::start(&p);
    let state = |k: usize| Trace::known(Ode::<E>::U + k, z.as_slice()[k].value());
    let running = at(p, E::States::<Trace>::from_fn(state), 0);
    // While initialising, parameters and inputs.
    let p = E::Parameters::<Trace>::from_fn(|i| Trace::known(i, start(&d.parameters, i)));
    let initial = at(p, E::start(&p), Ode::<E>::P);
    both(evaluated::<E>(&running), evaluated::<E>(&initial))
}

/// Outputs, rates and states at a point.
#[inline(never)]
fn evaluated<E: Equations>(at: &Point<E, Trace>) -> [Vec<Trace>; 3] {
    let rates = if IS_EXCHANGED { E::rates(at).as_slice().to_vec() } else { Vec::new() };
    [E::outputs(at).as_slice().to_vec(), rates, at.z.as_slice().to_vec()]
}

/// Pairs of what was found while running and while initialising.
fn both(running: [Vec<Trace>; 3], initial: [Vec<Trace>; 3]) -> [Vec<Follows>; 3] {
    let mut running = running.into_iter();
    initial.map(|initial| {
        let pairs = running.next().unwrap_or_default().into_iter().zip(initial);
        pairs.map(|(running, initial)| Follows { running, initial }).collect()
    })
}

fn members(set: u128, list: &[VariableId]) -> impl Iterator<Item = VariableId> {
    list.iter().enumerate().filter(move |(i, _)| set >> i & 1 == 1).map(|(_, id)| *id)
}
