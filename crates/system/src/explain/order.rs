//! Order of execution, delays and loops.

use super::late::{Lateness, late_outputs};
use crate::assemble::Assembly;
use crate::scenario::Endpoint;
use crate::words::{Correct, Family, Sampling};
use macrostep_description::{CoSimulation, shown};
use macrostep_master::{Local, Op, Plan, Refresh, RunError};
use std::collections::{BTreeMap, BTreeSet};

/// The order of execution, and the values that are known at each point.
pub struct Order {
    /// One window.
    pub plan: Plan,
    /// Its length \[s\].
    pub window_s: f64,
    /// Length of a tick of the plan \[s\].
    pub tick_s: f64,
    /// Feed-through groups, as the plan numbers them.
    pub groups: Vec<Vec<usize>>,
    /// Those that are algebraic loops.
    pub loops: Vec<Loop>,
    /// Inputs that are predicted in some step because a source is not known at its end.
    pub lagging: BTreeSet<Endpoint>,
    /// How each unit's feed-through outputs are sampled.
    pub refresh: Vec<Sampled>,
    /// Connected or recorded outputs that answer other values of their inputs than those at their time.
    pub late: BTreeMap<Endpoint, Lateness>,
}

/// Units whose sampled outputs depend on each other at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The units.
    pub units: Vec<usize>,
    /// Those of them whose outputs are left as the units report them.
    pub cut_at: Vec<usize>,
    /// Whether some of these outputs are late.
    pub is_late: bool,
}

impl Loop {
    /// How the loop is treated, in words.
    pub fn treatment(&self) -> &'static str {
        match (self.cut_at.is_empty(), self.is_late) {
            (true, _) => "solved at every communication point",
            (false, false) => "solved with the window, by its correction",
            (false, true) => "not solved",
        }
    }
}

/// How feed-through outputs of a unit are sampled at a communication point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampled {
    /// It sends none.
    None,
    /// Evaluated with the inputs' values there.
    Anew(Refresh),
    /// As the unit reported after its step: with the inputs it had predicted.
    Lagged,
}

/// The delay of a connection.
#[derive(Debug, Clone)]
pub struct Delay {
    /// The input.
    pub to: Endpoint,
    /// What it is made of.
    pub from: Vec<Endpoint>,
    /// Whether a law stands between.
    pub through_law: bool,
    /// How the receiver learns of the signal over its step.
    pub way: String,
    /// Error of the input over a step, as a power of H; 0 where it is iterated.
    pub error_order: u32,
    /// Further lag from sampling.
    pub sampling: &'static str,
}

/// Analyses an assembly.
///
/// # Errors
/// Where the master refuses the method or the times.
pub fn order(a: &Assembly) -> Result<Order, RunError> {
    // The plan of a window, and the groups of units that feed through to each other.
    let (plan, clock) = a.grid.plan(&a.system, &a.method)?;
    let index = |g: &Vec<macrostep_master::UnitId>| g.iter().map(|u| u.index()).collect::<Vec<_>>();
    let groups: Vec<Vec<usize>> = a.system.feedthrough_groups().iter().map(index).collect();
    let s = &a.effective;
    // How outputs of each such unit get up to date: only those with feed-through have to.
    let evaluated: BTreeSet<usize> = groups.iter().flatten().copied().collect();
    let sampled = |u: usize| match Refresh::of(&a.descriptions[u]) {
        _ if !evaluated.contains(&u) => Sampled::None,
        _ if s.coupling.sampling == Sampling::Lagged => Sampled::Lagged,
        Refresh::Reported => Sampled::Lagged,
        way => Sampled::Anew(way),
    };
    let refresh: Vec<Sampled> = (0..s.units.len()).map(sampled).collect();
    // Inputs that are predicted, and outputs that are late for it.
    let lagging = lagging(a, &plan);
    let late = late_outputs(a, &lagging);
    // Groups of more than one unit are loops, cut where a unit keeps its outputs.
    let loops = groups.iter().filter(|g| g.len() > 1).map(|g| {
        let cut_at: Vec<usize> = g.iter().copied().filter(|&u| refresh[u] == Sampled::Lagged).collect();
        let is_late = late.keys().any(|e| cut_at.iter().any(|&u| s.units[u].name == e.unit));
        Loop { units: g.clone(), cut_at, is_late }
    });
    Ok(Order {
        window_s: clock.length_s(plan.window),
        tick_s: clock.length_s(1),
        loops: loops.collect(),
        refresh,
        plan,
        groups,
        lagging,
        late,
    })
}

/// Inputs that are predicted in some step because a source is not known at its end. None where windows are repeated until what
/// was predicted is what came out.
fn lagging(a: &Assembly, plan: &Plan) -> BTreeSet<Endpoint> {
    let s = &a.effective;
    let mut lagging = BTreeSet::new();
    if s.coupling.correct != Correct::Explicit {
        return lagging;
    }
    let supplied = a.system.supplied();
    let mut of_unit = vec![Vec::new(); s.units.len()];
    // What arrives from a line is known before the step.
    for input in supplied.iter().filter(|input| input.line.is_none()) {
        of_unit[input.unit.index()].push(input);
    }
    let mut known = vec![0; s.units.len()];
    for op in &plan.ops {
        match *op {
            Op::Publish { unit, at } => known[unit] = at,
            Op::Advance { unit, to, .. } => {
                let predicted = of_unit[unit].iter().filter(|p| p.sources.iter().any(|(u, _)| known[u.index()] < to));
                let end = |variable: &String| Endpoint { unit: s.units[unit].name.clone(), variable: variable.clone() };
                lagging.extend(predicted.map(|p| end(&p.input)));
            }
            _ => {}
        }
    }
    lagging
}

impl Order {
    /// Whether some sampled output of the input's unit follows it at once.
    pub fn is_followed(&self, a: &Assembly, input: &Endpoint) -> bool {
        let Some(u) = a.effective.unit(&input.unit) else { return false };
        let outputs = a.channels.iter().filter(|c| c.unit == u).flat_map(|c| &c.names);
        outputs.into_iter().any(|o| a.system.followed(a.units[u], o).contains(&input.variable))
    }
}

/// Steps of a window that are written out.
const STEPS_SHOWN: usize = 200;

/// Every step of a window in words, the first 200 of them.
pub fn steps(a: &Assembly, o: &Order) -> Vec<String> {
    // Names and times, as the sentences have them.
    let s = &a.effective;
    let name = |u: usize| format!("`{}`", s.units[u].name);
    let at =
        |tick: i64| if tick == 0 { "t".to_owned() } else { format!("t + {} s", shown::time(o.tick_s * tick as f64)) };
    // Outputs with feed-through, and the way in which they are evaluated anew or left.
    let feedthrough = |u: usize| -> String {
        let outputs = a.channels.iter().filter(|c| c.unit == u).flat_map(|c| &c.names);
        let outputs = outputs.filter(|n| !a.system.followed(a.units[u], n).is_empty());
        outputs.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
    };
    let how = |u: usize| match o.refresh[u] {
        Sampled::Anew(Refresh::GetAfterSet) => "inputs set, outputs read",
        _ => "by directional derivatives",
    };
    let reported = |u: usize| {
        let late = o.late.iter().find(|(end, _)| end.unit == s.units[u].name).map(|(_, late)| late.words());
        let late = late.unwrap_or("known before its step, or iterated");
        format!("{}: {} left as reported, with inputs {late}", name(u), feedthrough(u))
    };
    // How one unit's outputs get up to date at a time.
    let refresh = |u: usize, tick: i64| match o.refresh[u] {
        Sampled::Anew(_) => format!("{}: {} evaluated anew at {} ({})", name(u), feedthrough(u), at(tick), how(u)),
        _ => reported(u),
    };
    // A sentence for each operation of the plan.
    let words = |op: &Op| match *op {
        Op::Advance { unit, from, to } => {
            let own: Vec<&Endpoint> = o.lagging.iter().filter(|e| e.unit == s.units[unit].name).collect();
            let lag: Vec<String> = own.iter().map(|e| format!("`{}`", e.variable)).collect();
            let lag = if lag.is_empty() { String::new() } else { format!(", {} predicted", lag.join(", ")) };
            format!("{} steps from {} to {}{lag}", name(unit), at(from), at(to))
        }
        Op::Begin { unit, from, .. } => format!("{} begins its step at {}, beside the others", name(unit), at(from)),
        // Only outputs that something is made of are published.
        Op::Publish { unit, at: tick } => {
            let outputs = a.channels.iter().filter(|c| c.unit == unit).flat_map(|c| &c.names);
            let outputs: Vec<String> = outputs.map(|n| format!("`{n}`")).collect();
            let outputs = if outputs.is_empty() { "no output that is used".to_owned() } else { outputs.join(", ") };
            format!("{} publishes {outputs} at {}", name(unit), at(tick))
        }
        // A unit by itself, or all of a loop together.
        Op::RefreshUnit { unit, at } => refresh(unit, at),
        Op::Refresh { group, at: tick } => match o.groups[group].as_slice() {
            [unit] => refresh(*unit, tick),
            units if units.iter().all(|&u| matches!(o.refresh[u], Sampled::Anew(_))) => {
                let names: Vec<String> = units.iter().map(|&u| name(u)).collect();
                format!("algebraic loop through {} solved at {}", names.join(", "), at(tick))
            }
            units => units.iter().map(|&u| refresh(u, tick)).collect::<Vec<_>>().join("; "),
        },
    };
    // A long plan is cut, and says so.
    let more = o.plan.ops.len().saturating_sub(STEPS_SHOWN);
    let more = (more > 0).then(|| format!("… and {more} more"));
    o.plan.ops.iter().take(STEPS_SHOWN).map(words).chain(more).collect()
}

/// What an end of a line gets, and the order of its error.
fn arrival(delay_s: f64, local: Local) -> (String, u32) {
    let wave = format!("the mean of the wave that left {} s before", shown::time(delay_s));
    match local {
        Local::Inside => (format!("{wave}; the unit adds Z v itself"), 2),
        Local::Feedback => (format!("{wave}, and Z v by directional derivatives"), 2),
        Local::Hold => (format!("{wave}, and Z v of the step's start: stable for small Z H only"), 1),
    }
}

/// Every connection's way through time.
pub fn delays(a: &Assembly, o: &Order) -> Vec<Delay> {
    // The names of units, and the inputs that anything feeds.
    let s = &a.effective;
    let c = &s.coupling;
    let name = |u: usize| s.units[u].name.clone();
    let supplied = a.system.supplied();
    let lines = supplied.iter().map(|p| {
        let to = Endpoint { unit: name(p.unit.index()), variable: p.input.clone() };
        let sources = p.sources.iter().map(|(u, v)| Endpoint { unit: name(u.index()), variable: v.clone() });
        let from: Vec<Endpoint> = sources.collect();
        // Whether all sources are motions: sampled together with their velocity and acceleration.
        let motion = from.iter().all(|e| {
            a.channels
                .iter()
                .any(|ch| s.units[ch.unit].name == e.unit && ch.names.len() >= 3 && ch.names.contains(&e.variable))
        });
        // Integrated acceleration of degree k meets a motion as polynomials of degree k + 2 do, other signals as k + 1.
        let degree = match c.predict.family {
            Family::Integrated if !motion => c.predict.degree + 1,
            _ => c.predict.fed_degree(),
        };
        // The first that applies: a line, a file, iteration, prediction, or the value that is known.
        let (way, error_order) = if let Some((delay_s, local)) = p.line {
            arrival(delay_s, local)
        } else if from.is_empty() {
            ("a line between its values at both ends, from a file".to_owned(), 2)
        } else if c.correct == Correct::LinearImplicit {
            ("from a linear model of the units, before the step".to_owned(), (degree + 1).min(2))
        } else if c.correct != Correct::Explicit {
            ("iterated until it fits".to_owned(), 0)
        } else if o.lagging.contains(&to) {
            (format!("predicted by {}: the one-step lag", c.predict), degree + 1)
        } else if degree == 0 {
            ("the value at the step's end, held".to_owned(), 1)
        } else {
            ("interpolated to the step's end".to_owned(), degree + 1)
        };
        // Of a polynomial a unit gets what it takes.
        let u = p.unit.index();
        let offers = |ability: fn(&CoSimulation) -> bool| a.descriptions[u].co_simulation.as_ref().is_some_and(ability);
        let declared = if offers(|c| c.can_interpolate_inputs) { degree } else { 0 };
        let takes = a.taken[u].as_ref().map_or(declared as usize, |taken| taken.order);
        let varies = offers(|c| c.can_handle_variable_communication_step_size);
        let is_polynomial = p.line.is_none() && degree > 0;
        let (way, error_order) = match (takes, c.sub_steps) {
            _ if !is_polynomial || takes >= degree as usize => (way, error_order),
            (0, 0 | 1) => (format!("{way}; held at its value in the middle of the step"), 1),
            (0, n) => (format!("{way}; held in {n} sub-steps, at the value in the middle of each"), 1),
            (n, _) if varies => (format!("{way}; in parts of degree {n}, as many as it needs"), error_order),
            (n, _) => (format!("{way}; in one part of degree {n}, the nearest"), n as u32 + 1),
        };
        let sampling = from.iter().find_map(|end| o.late.get(end)).map_or("", |late| late.sampling());
        Delay { to, from, through_law: p.through_law, way, error_order, sampling }
    });
    let mut lines: Vec<Delay> = lines.collect();
    // Links are no signals: what is not real at one end is held as it is.
    for c in &s.connections {
        if lines.iter().all(|d| d.to != c.to) {
            let (to, from) = (c.to.clone(), vec![c.from.clone()]);
            let way = "not real at both ends: as its unit gave it last, held".to_owned();
            lines.push(Delay { to, from, through_law: false, way, error_order: 1, sampling: "" });
        }
    }
    lines
}
