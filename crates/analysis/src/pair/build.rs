//! From a pair to a simulation.

use super::{Integrator, Kind, Pair, Start};
use macrostep_description::Kind as Type;
use macrostep_master::predict::Edge;
use macrostep_master::unit::Unit;
use macrostep_master::{
    ChannelId, Grid, Law, LawId, Port, RunError, Series, Simulation, SpringDamper, System, SystemError, UnitId,
};
use macrostep_oscillator::Exact;

use crate::models::Factory;

/// A pair ready to run.
pub struct Coupled {
    /// Initialised and primed.
    pub simulation: Simulation,
    /// Subsystems 1 and 2.
    pub units: [UnitId; 2],
    /// Their motions (x, v, and a and jerk where the predictor wants them).
    pub motions: [ChannelId; 2],
    /// The coupling law where the master evaluates it.
    pub law: Option<LawId>,
    /// The coupling force where a subsystem sends it.
    force: Option<ChannelId>,
}

impl Coupled {
    /// Begins anew with other parameters, start and history of the same pair: cheaper than [`build`].
    ///
    /// # Errors
    /// As [`build`].
    pub fn reset_with(&mut self, pair: &Pair) -> Result<(), RunError> {
        let kinds = pair.coupling.kinds();
        if let Some(law) = self.law {
            self.simulation.replace_law(law, spring(pair));
        }
        self.simulation.restart(|unit, slave| set_parameters(slave, pair, unit.index(), kinds[unit.index()]))?;
        if pair.start == Start::Exact {
            prime(&mut self.simulation, pair, self.force);
        }
        Ok(())
    }
}

/// The simulation of a pair, initialised and primed.
///
/// # Errors
/// Where a unit is not an oscillator of the benchmark, refuses a parameter, or lacks what the method needs.
pub fn build(pair: &Pair, factory: Factory<'_>) -> Result<Coupled, RunError> {
    // The two oscillators, of the models that the coupling names.
    let mut system = System::new();
    let kinds = pair.coupling.kinds();
    let mut units = Vec::new();
    for (i, kind) in kinds.into_iter().enumerate() {
        let model = format!("oscillator{}_{}", i + 1, if kind == Kind::Force { "force" } else { "displacement" });
        let mut unit = factory(&model, &format!("oscillator{}", i + 1))?;
        set_parameters(unit.as_mut(), pair, i, kind)?;
        units.push(system.add(unit));
    }
    let units = [units[0], units[1]];
    // Motions and forces between them, external forces, and a power bond where the method needs one.
    let Channels { motions, force, law } = connect(&mut system, pair, &units)?;
    pull(&mut system, pair, &units)?;
    if pair.bond {
        bond(&mut system, pair, &units)?;
    }
    // Times, and the simulation. An exact start fills the histories with the solution.
    let grid = Grid { start_s: 0.0, step_s: pair.step_s, stop_s: Some(pair.stop_s), shares: pair.shares.to_vec() };
    let mut simulation = Simulation::new(system, &pair.method, grid)?;
    simulation.initialise()?;
    if pair.start == Start::Exact {
        prime(&mut simulation, pair, force);
    }
    Ok(Coupled { simulation, units, motions, law, force })
}

/// The motions, and the coupling force: a channel, or a law.
struct Channels {
    motions: [ChannelId; 2],
    force: Option<ChannelId>,
    law: Option<LawId>,
}

fn spring(pair: &Pair) -> Box<dyn Law> {
    Box::new(SpringDamper { stiffness: pair.parameters.k_c, damping: pair.parameters.c_c })
}

/// Channels and connections.
fn connect(system: &mut System, pair: &Pair, units: &[UnitId; 2]) -> Result<Channels, SystemError> {
    let predicted_motion = pair.method.predictor.edge() == Edge::BeforeLaw;
    // A motion as far as the predictor uses it.
    let wanted = pair.method.predictor.components().clamp(2, 4);
    let names = &["x", "v", "a", "jerk"][..wanted];
    let motions = [system.channel(units[0], names)?, system.channel(units[1], names)?];
    // Where motions are predicted, nobody's force is taken: it is made by the law.
    let kinds = pair.coupling.kinds();
    let owner = kinds.iter().position(|k| *k == Kind::Displacement).filter(|_| !predicted_motion);
    let mut force = None;
    let mut law = None;
    // Each side gets the other's motion, the owner's force, or that of the law in the master.
    for i in 0..2 {
        let other = motions[1 - i];
        match (kinds[i], owner) {
            (Kind::Displacement, _) => {
                system.connect(other.component(0), units[i], "xi")?;
                system.connect(other.component(1), units[i], "xi_dot")?;
            }
            // A force by its owner, where one side has the spring.
            (Kind::Force, Some(owner)) => {
                let channel = system.channel(units[owner], &["f_c"])?;
                system.connect(channel.component(0), units[i], "f")?;
                force = Some(channel);
            }
            // A force by the law, made once for both sides.
            (Kind::Force, None) => {
                let [a, b] = motions;
                let inputs = [a.component(0), a.component(1), b.component(0), b.component(1)];
                let law = *law.get_or_insert_with(|| system.law(spring(pair), &inputs));
                system.connect_law(law, 0, units[i], "f")?;
            }
        }
    }
    Ok(Channels { motions, force, law })
}

/// External forces, which are known over every step.
fn pull(system: &mut System, pair: &Pair, units: &[UnitId; 2]) -> Result<(), RunError> {
    let Some(force) = &pair.force else { return Ok(()) };
    let bad = |found: &str, expected: &str| RunError::Grid {
        what: "external forces",
        found: found.to_owned(),
        expected: expected.to_owned(),
    };
    if pair.start == Start::Exact {
        return Err(bad("samples of the exact solution before the start", "histories that begin at the start"));
    }
    for (i, unit) in units.iter().enumerate() {
        let series = Series::new(force.times_s().to_vec(), force.on(i));
        let series = series.ok_or_else(|| bad("none", "values at times that do not decrease"))?;
        system.connect_series(series, *unit, "f_ext")?;
    }
    Ok(())
}

/// The coupling as a power bond: power = effort on a mass × its velocity.
fn bond(system: &mut System, pair: &Pair, units: &[UnitId; 2]) -> Result<(), SystemError> {
    let p = &pair.parameters;
    // A force f acts as −f on mass 1 and as +f on mass 2; the other end of the coupling pulls at either.
    let force = [[("f", -1.0)], [("f", 1.0)]];
    let displacement = [("xi", p.k_c), ("xi_dot", p.c_c)];
    let kinds = pair.coupling.kinds();
    let port = |i: usize| Port {
        unit: units[i],
        inputs: if kinds[i] == Kind::Force { &force[i] } else { &displacement },
        flow: "v",
    };
    system.bond("coupling", &[port(0), port(1)])
}

fn set_parameters(unit: &mut dyn Unit, pair: &Pair, i: usize, kind: Kind) -> Result<(), RunError> {
    let p = &pair.parameters;
    let (n, d) = pair.shares[i];
    let micro_s = pair.micro_step_s.unwrap_or(pair.step_s * f64::from(n) / f64::from(d));
    let mut values =
        vec![("m", p.m[i]), ("k", p.k[i]), ("c", p.c[i]), ("x0", p.x0[i]), ("v0", p.v0[i]), ("micro_step", micro_s)];
    if kind == Kind::Displacement {
        values.extend([("k_c", p.k_c), ("c_c", p.c_c)]);
    }
    for (name, value) in values {
        let reference = reference(unit, name)?;
        unit.set_real(&[reference], &[value])?;
    }
    let reference = reference(unit, "integrator")?;
    let value = item(unit, pair.integrator)?;
    unit.set_integer(&[reference], &[value])?;
    Ok(())
}

fn unknown(unit: &dyn Unit, name: &str) -> SystemError {
    SystemError::UnknownVariable {
        unit: unit.name().to_string(),
        variable: name.to_string(),
        hint: "is this an oscillator of the benchmark?".to_string(),
    }
}

fn reference(unit: &dyn Unit, name: &str) -> Result<u32, SystemError> {
    unit.description().variable(name).map(|v| v.value_reference).ok_or_else(|| unknown(unit, name))
}

/// Value of an integrator in the unit's enumeration.
fn item(unit: &dyn Unit, integrator: Integrator) -> Result<i32, SystemError> {
    let description = unit.description();
    let types = description.types.iter().map(|t| &t.kind);
    let items = types.filter_map(|k| if let Type::Enumeration { items, .. } = k { Some(items) } else { None });
    let found = items.flatten().find(|i| i.name == integrator.item());
    found.map(|i| i.value).ok_or_else(|| unknown(unit, integrator.item()))
}

/// Exact history before the start.
fn prime(simulation: &mut Simulation, pair: &Pair, force: Option<ChannelId>) {
    let Ok(exact) = Exact::new(&pair.parameters) else { return };
    let p = &pair.parameters;
    simulation.prime(|channel, t_s, row| {
        let z = exact.at(t_s);
        if Some(channel) == force {
            row[0] = p.coupling_force(&z);
            return;
        }
        let motion = p.motion(channel.index(), &z);
        let n = row.len();
        row.copy_from_slice(&motion[..n]);
    });
}
