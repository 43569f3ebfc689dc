//! From a pair to a simulation.

use super::{Coupling, Integrator, Kind, Pair, Start};
use macrostep_description::Kind as Type;
use macrostep_master::predict::Edge;
use macrostep_master::unit::Unit;
use macrostep_master::{ChannelId, Grid, RunError, Simulation, SpringDamper, System, SystemError, UnitId};
use macrostep_oscillator::Exact;

/// Makes a unit from a model identifier and an instance name: through an FMU or natively.
pub type Foundry<'a> = &'a dyn Fn(&str, &str) -> Result<Box<dyn Unit>, RunError>;

/// A pair ready to run.
pub struct Coupled {
    /// Initialised and primed.
    pub simulation: Simulation,
    /// Subsystems 1 and 2.
    pub units: [UnitId; 2],
    /// Their motions (x, v, and a where the predictor wants it).
    pub motions: [ChannelId; 2],
}

/// The simulation of a pair, initialised and primed.
///
/// # Errors
/// Where a unit is not an oscillator of the benchmark, refuses a parameter, or lacks what the method needs.
pub fn build(pair: &Pair, foundry: Foundry<'_>) -> Result<Coupled, RunError> {
    let mut system = System::new();
    let kinds = pair.coupling.kinds();
    let mut units = Vec::new();
    for (i, kind) in kinds.into_iter().enumerate() {
        let model = format!("oscillator{}_{}", i + 1, if kind == Kind::Force { "force" } else { "displacement" });
        let mut unit = foundry(&model, &format!("oscillator{}", i + 1))?;
        set_parameters(unit.as_mut(), pair, i, kind)?;
        units.push(system.add(unit));
    }
    let units = [units[0], units[1]];
    let (motions, force) = connect(&mut system, pair, &units)?;
    let grid = Grid { start_s: 0.0, step_s: pair.step_s, stop_s: Some(pair.stop_s), shares: pair.shares.to_vec() };
    let mut simulation = Simulation::new(system, &pair.method, grid)?;
    simulation.initialise()?;
    if pair.start == Start::Exact {
        prime(&mut simulation, pair, force);
    }
    Ok(Coupled { simulation, units, motions })
}

/// The motions, and the channel of the coupling force where there is one.
type Channels = ([ChannelId; 2], Option<ChannelId>);

/// Channels and connections.
fn connect(system: &mut System, pair: &Pair, units: &[UnitId; 2]) -> Result<Channels, SystemError> {
    let predicted_motion = pair.method.predictor.edge() == Edge::BeforeLaw;
    let names: &[&str] = if predicted_motion { &["x", "v", "a"] } else { &["x", "v"] };
    let motions = [system.channel(units[0], names)?, system.channel(units[1], names)?];
    let kinds = pair.coupling.kinds();
    let owner = kinds.iter().position(|k| *k == Kind::Displacement).filter(|_| !predicted_motion);
    let mut force = None;
    let mut law = None;
    for i in 0..2 {
        let other = motions[1 - i];
        match (kinds[i], owner) {
            (Kind::Displacement, _) => {
                system.connect(other.component(0), units[i], "xi")?;
                system.connect(other.component(1), units[i], "xi_dot")?;
            }
            (Kind::Force, Some(owner)) => {
                let channel = system.channel(units[owner], &["f_c"])?;
                system.connect(channel.component(0), units[i], "f")?;
                force = Some(channel);
            }
            (Kind::Force, None) => {
                let law = *law.get_or_insert_with(|| {
                    let p = &pair.parameters;
                    let spring = SpringDamper { stiffness: p.k_c, damping: p.c_c };
                    let [a, b] = motions;
                    system.law(Box::new(spring), &[a.component(0), a.component(1), b.component(0), b.component(1)])
                });
                system.connect_law(law, 0, units[i], "f")?;
            }
        }
    }
    Ok((motions, force))
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
        let i = channel.index();
        let motion = [z[i], z[2 + i], p.acceleration(&z)[i]];
        let n = row.len();
        row.copy_from_slice(&motion[..n]);
    });
}

/// The four decompositions as a researcher would list them.
impl std::fmt::Display for Coupling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name(), self.letters())
    }
}
