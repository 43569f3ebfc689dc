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

use macrostep_analysis::models::{self, Factory};
use macrostep_benchmarks::beam::{self, beam};
use macrostep_master::record::Trace;
use macrostep_master::{RunError, Sampling};
use macrostep_reduction::InterfaceMap;
use macrostep_system::scenario::Place;
use macrostep_system::words::{Correct, Predict};
use nalgebra::DMatrix;

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

/// Nodes of the beam.
const NODES: usize = 167;

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
    /// Prediction of positions and forces.
    pub predict: Predict,
    /// Correction of a step.
    pub correct: Correct,
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

/// T of the interface in three components a node; components that it does not map are 0.
fn forward(map: &InterfaceMap) -> DMatrix<f64> {
    let (t, c) = (map.scalar(), map.space().components());
    let entry = |i: usize, j: usize| if i % 3 == j % c { t[(i / 3, j / c)] } else { 0.0 };
    DMatrix::from_fn(3 * t.nrows(), c * t.ncols(), entry)
}

/// The forces at the chosen nodes: no dual.
fn sampled(map: &InterfaceMap) -> DMatrix<f64> {
    let (nodes, c) = (map.nodes(), map.space().components());
    let entry = |i: usize, j: usize| f64::from(u8::from(j == 3 * nodes[i / c] + i % c));
    DMatrix::from_fn(c * nodes.len(), 3 * map.scalar().nrows(), entry)
}

fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

impl BeamOnSprings<'_> {
    /// Runs beam and springs in Jacobi.
    ///
    /// # Errors
    /// Where a unit is missing, refuses a value or fails, and [`RunError::VirtualWork`] for a broken pair of maps.
    pub fn run(&self, factory: Factory<'_>) -> Result<BeamRun, RunError> {
        // The scenario with the deflections of all nodes that are known.
        let mut scenario = beam(&self.scenario_interface(), self.modes);
        let stop_s = self.step_s * self.steps as f64;
        (scenario.experiment.step_s, scenario.experiment.stop_s) = (Some(self.step_s), Some(stop_s));
        (scenario.coupling.predict, scenario.coupling.correct) = (self.predict, self.correct);
        let exchanged = self.map().map_or(3 * NODES, InterfaceMap::reduced_size);
        scenario.record.variables = self.recorded(exchanged).into_iter().map(|name| (name, Place::default())).collect();
        let mut assembly = models::assembly(&scenario, factory)?;
        assembly.method.sampling = self.sampling;
        // The pair of maps is watched for the virtual work that it makes.
        let laws = assembly.laws.clone();
        let mut simulation = assembly.simulation()?;
        if let [forward, back] = laws[..] {
            simulation.watch_work(forward, back)?;
        }
        simulation.initialise()?;
        let mut trace = Trace::new(simulation.columns().to_vec());
        simulation.run(self.steps as u64, 1, &mut trace)?;
        let work_defect = simulation.statistics().work_defect;
        simulation.terminate()?;
        Ok(BeamRun { deflections: self.deflections(&trace), exchanged, work_defect })
    }

    /// The interface as the scenario has it. A broken pair of maps is one whose way back is not the dual.
    fn scenario_interface(&self) -> beam::Interface {
        let maps =
            |there: DMatrix<f64>, back: DMatrix<f64>| beam::Interface::Maps { there: rows(&there), back: rows(&back) };
        match self.interface {
            Interface::Full => beam::Interface::Full,
            Interface::Adapter(_) => beam::Interface::Adapter,
            Interface::Reduced(map) => maps(forward(map), forward(map).transpose()),
            Interface::Broken(map) => maps(forward(map), sampled(map)),
        }
    }

    /// What is recorded: the vertical position of each node of the interface.
    fn recorded(&self, exchanged: usize) -> Vec<String> {
        let (shown, components) = self.map().map_or(("u", 3), |map| ("u_int", map.space().components()));
        (0..exchanged / components).map(|node| format!("beam.{shown}[{}]", components * node + 2)).collect()
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
