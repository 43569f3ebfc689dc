//! The beam on springs cut in two units and coupled again, with all positions and forces or with those of a few nodes.
//!
//! | interface | beam | on the way to the springs | on the way back |
//! |---|---|---|---|
//! | full | `beam_full` | u, 501 values | F, 501 values |
//! | reduced | `beam_reduced` | u = T u_int, 38 values | g_int = Tᵀ F, 38 values |
//! | reduced, by an adapter | `beam_reduced`, `interface_adapter` | the same in a unit of its own | |
//!
//! T is a linear map on the connection, its dual on the way back; the master checks their virtual work.
//!
//! Reference: [Peeters 2024] section 3.

use macrostep_description::ModelDescription;
use macrostep_master::record::Trace;
use macrostep_master::unit::Unit;
use macrostep_master::{
    ChannelId, Grid, LawId, LinearMap, Method, RunError, Sampling, Simulation, System, SystemError, UnitId,
};
use macrostep_reduction::InterfaceMap;
use nalgebra::DMatrix;

use crate::models::Factory;

/// The interface between beam and springs.
#[derive(Debug, Clone, Copy)]
pub enum Interface<'a> {
    /// All positions and forces.
    Full,
    /// Those of the chosen nodes, mapped by the master.
    Reduced(&'a InterfaceMap),
    /// The same, the way back being something else than the dual of the way forward: to show what that costs.
    Broken(&'a InterfaceMap),
    /// Those of the chosen nodes, mapped by a unit of its own.
    Adapter(&'a InterfaceMap),
}

/// A coupled run.
#[derive(Debug, Clone, Copy)]
pub struct BeamOnSprings<'a> {
    /// The interface.
    pub interface: Interface<'a>,
    /// Modes of the beam, rigid ones counted.
    pub modes: usize,
    /// Communication step H (s).
    pub step_s: f64,
    /// Number of steps.
    pub steps: usize,
    /// Forces of the present positions, or of those a step ago.
    pub sampling: Sampling,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct BeamRun {
    /// Deflections of all nodes (m), nodes × (steps + 1); mapped from the chosen nodes where only these are known.
    pub deflections: DMatrix<f64>,
    /// Values exchanged per step in one direction.
    pub exchanged: usize,
    /// Largest virtual work defect the master found; 0 without maps.
    pub work_defect: f64,
}

/// The first `count` names `name[1]`, `name[2]`, …
fn names(name: &str, count: usize) -> Vec<String> {
    (1..=count).map(|i| format!("{name}[{i}]")).collect()
}

/// How many variables `name[1]`, … a description has.
fn count(description: &ModelDescription, name: &str) -> usize {
    (1..).take_while(|i| description.variable(&format!("{name}[{i}]")).is_some()).count()
}

fn channel(system: &mut System, unit: UnitId, name: &str, count: usize) -> Result<ChannelId, SystemError> {
    let names = names(name, count);
    system.channel(unit, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

fn connect(system: &mut System, from: ChannelId, unit: UnitId, name: &str, count: usize) -> Result<(), SystemError> {
    names(name, count).iter().enumerate().try_for_each(|(i, input)| system.connect(from.component(i), unit, input))
}

/// T of the interface in three components a node, as a law.
fn forward(map: &InterfaceMap) -> Option<LinearMap> {
    let (t, c) = (map.scalar(), map.space().components());
    let row = |i: usize| {
        let (node, d) = (i / 3, i % 3);
        if d < c { (0..t.ncols()).map(|j| (c * j + d, t[(node, j)])).collect() } else { Vec::new() }
    };
    LinearMap::sparse(c * t.ncols(), (0..3 * t.nrows()).map(row))
}

/// The forces at the chosen nodes as a law: no dual.
fn sampled(map: &InterfaceMap) -> Option<LinearMap> {
    let c = map.space().components();
    let rows = map.nodes().iter().flat_map(|node| (0..c).map(move |d| vec![(3 * node + d, 1.0)]));
    LinearMap::sparse(3 * map.scalar().nrows(), rows)
}

impl BeamOnSprings<'_> {
    /// Runs beam and springs in Jacobi with hold.
    ///
    /// # Errors
    /// Where a unit is missing, refuses a value or fails, and [`RunError::VirtualWork`] for a broken pair of maps.
    pub fn run(&self, factory: Factory<'_>) -> Result<BeamRun, RunError> {
        // The beam and the springs.
        let mut system = System::new();
        let full = matches!(self.interface, Interface::Full);
        let mut beam = factory(if full { "beam_full" } else { "beam_reduced" }, "beam")?;
        self.set_modes(beam.as_mut())?;
        let shown = if full { "u" } else { "u_int" };
        let exchanged = count(beam.description(), shown);
        let beam = system.add(beam);
        let springs = system.add(factory("spring_field", "springs")?);
        // What they exchange, coupled in Jacobi with hold.
        let u = channel(&mut system, beam, shown, exchanged)?;
        let watched = self.couple(&mut system, (beam, u), springs, factory)?;
        let method = Method { sampling: self.sampling, ..Method::default() };
        let stop_s = self.step_s * self.steps as f64;
        let mut simulation = Simulation::new(system, &method, Grid::uniform(self.step_s, stop_s))?;
        // The pair of maps is watched for the virtual work that it makes.
        if let Some((forward, back)) = watched {
            simulation.watch_work(forward, back)?;
        }
        // Deflections are recorded.
        for name in self.recorded(shown, exchanged) {
            simulation.record(beam, &name, &name)?;
        }
        simulation.initialise()?;
        let mut trace = Trace::new(simulation.columns().to_vec());
        simulation.run(self.steps as u64, 1, &mut trace)?;
        let work_defect = simulation.statistics().work_defect;
        simulation.terminate()?;
        Ok(BeamRun { deflections: self.deflections(&trace), exchanged, work_defect })
    }

    fn set_modes(&self, beam: &mut dyn Unit) -> Result<(), RunError> {
        let reference = beam.description().variable("modes").map(|v| v.value_reference);
        let missing = || SystemError::UnknownVariable {
            unit: beam.name().to_string(),
            variable: "modes".to_string(),
            hint: "is this the beam on springs?".to_string(),
        };
        let reference = reference.ok_or_else(missing)?;
        Ok(beam.set_integer(&[reference], &[i32::try_from(self.modes).unwrap_or(i32::MAX)])?)
    }

    /// Connections; returns the pair of maps to be watched, if there is one.
    fn couple(
        &self,
        system: &mut System,
        (beam, u): (UnitId, ChannelId),
        springs: UnitId,
        factory: Factory<'_>,
    ) -> Result<Option<(LawId, LawId)>, RunError> {
        const FULL: usize = 501;
        // All positions and forces, or a unit of its own between them: no maps in the master.
        let (map, dual) = match self.interface {
            Interface::Full => {
                let force = channel(system, springs, "F", FULL)?;
                connect(system, u, springs, "u", FULL)?;
                connect(system, force, beam, "F", FULL)?;
                return Ok(None);
            }
            Interface::Adapter(map) => {
                let adapter = system.add(factory("interface_adapter", "adapter")?);
                let force = channel(system, springs, "F", FULL)?;
                let expanded = channel(system, adapter, "u", FULL)?;
                let dual = channel(system, adapter, "g_int", map.reduced_size())?;
                connect(system, u, adapter, "u_int", map.reduced_size())?;
                connect(system, expanded, springs, "u", FULL)?;
                connect(system, force, adapter, "F", FULL)?;
                connect(system, dual, beam, "g_int", map.reduced_size())?;
                return Ok(None);
            }
            // A broken pair of maps is one whose way back is not the dual.
            Interface::Reduced(map) => (map, true),
            Interface::Broken(map) => (map, false),
        };
        // Maps in the master: out to the springs, and back to the beam.
        let force = channel(system, springs, "F", FULL)?;
        let shape = || SystemError::LawShape { what: "entries", found: 0, expected: map.reduced_size() };
        let forward = forward(map).ok_or_else(shape)?;
        let back = if dual { forward.dual() } else { sampled(map).ok_or_else(shape)? };
        let signals = |channel: ChannelId, n: usize| (0..n).map(|i| channel.component(i)).collect::<Vec<_>>();
        let forward = system.law(Box::new(forward), &signals(u, map.reduced_size()));
        let back = system.law(Box::new(back), &signals(force, FULL));
        // Each output to the input of its name.
        for (i, input) in names("u", FULL).iter().enumerate() {
            system.connect_law(forward, i, springs, input)?;
        }
        for (i, input) in names("g_int", map.reduced_size()).iter().enumerate() {
            system.connect_law(back, i, beam, input)?;
        }
        Ok(Some((forward, back)))
    }

    /// What is recorded: the vertical position of each node of the interface.
    fn recorded(&self, shown: &str, exchanged: usize) -> Vec<String> {
        let components = self.map().map_or(3, |map| map.space().components());
        (0..exchanged / components).map(|node| format!("{shown}[{}]", components * node + 2)).collect()
    }

    fn map(&self) -> Option<&InterfaceMap> {
        match self.interface {
            Interface::Full => None,
            Interface::Reduced(map) | Interface::Broken(map) | Interface::Adapter(map) => Some(map),
        }
    }

    /// Deflections of every node, over time.
    fn deflections(&self, trace: &Trace) -> DMatrix<f64> {
        let rows: Vec<&[f64]> = trace.rows().collect();
        // `time` stands first.
        let recorded = DMatrix::from_fn(trace.columns().len() - 1, rows.len(), |i, k| rows[k][i + 1]);
        match self.map() {
            None => recorded,
            Some(map) => map.scalar() * recorded,
        }
    }
}
