//! A free–free beam by its modes, with the full or the reduced interface.
//!
//! # Equations
//! ```text
//! η̈_k + 2 ζ ω_k η̇_k + ω_k² η_k = p_k(τ) + φ_k0 f sin Ω t,   y_i = Σ_k φ_ki η_k
//! full:     p_k = Σ_i φ_ki F_iy over all nodes,        u_i = (X_i, y_i, 0)
//! reduced:  p_k = Σ_j φ_kj g_jy over the chosen nodes, u_int_j = (X_j, y_j)
//! ```
//! A step is exact for polynomial inputs: each mode with its excitation is one linear system. Forces along x and z do nothing:
//! the beam bends in the plane only.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | f, Ω | `force`, `frequency` | excitation of node 1 (N), Ω = 2π · frequency (Hz) |
//! | ζ | `damping` | damping ratio of the elastic modes |
//! | η | hidden | modal coordinates (√kg m) |
//!
//! Reference: [Peeters 2024] section 3.

use std::path::Path;

use macrostep_description::{Declared, ModelDescription};
use macrostep_ode::{MAX_DEGREE, Polynomials};
use macrostep_slave::{Fault, Group, Memory, Model, Outcome, Shape, Shared, Span, Tangent};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::Stored;
use crate::declare::{builder, finish, no_derivative};
use crate::linear::exponential;

/// Modes of a beam and the nodes of its reduced interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BeamModes {
    /// Positions X of the nodes (m).
    pub positions: Vec<f64>,
    /// φ_k at all nodes, mode after mode (1/√kg), the two rigid ones first.
    pub shapes: Vec<f64>,
    /// ω_k (rad/s), zero for the rigid ones.
    pub frequencies: Vec<f64>,
    /// Chosen nodes of the reduced interface.
    pub chosen: Vec<usize>,
}

impl Stored for BeamModes {
    const FILE: &'static str = "beam.bin";
    const MAGIC: &'static [u8; 8] = b"FLEXBEM1";

    fn check(&self) -> Result<(), String> {
        let (nodes, modes, found) = (self.positions.len(), self.frequencies.len(), self.shapes.len());
        if found != nodes * modes || modes < 3 {
            return Err(format!("{found} values, expected {nodes} × {modes} of at least 3 modes"));
        }
        match self.chosen.iter().find(|node| **node >= nodes) {
            Some(node) => Err(format!("chosen node {node}, expected one below {nodes}")),
            None => Ok(()),
        }
    }
}

/// The beam: with the reduced interface, or the full one.
#[derive(Debug)]
pub struct Beam<const REDUCED: bool> {
    data: Shared<BeamModes>,
    kept: Option<Propagators>,
    /// Modal forces, derivative after derivative.
    forces: Vec<f64>,
}

/// All 501 positions and forces.
pub type BeamFull = Beam<false>;
/// Positions and dual forces of the chosen nodes, 38 values.
pub type BeamReduced = Beam<true>;

/// Value references of the parameters, and number of them.
const FORCE: usize = 0;
const FREQUENCY: usize = 1;
const DAMPING: usize = 2;
const PARAMETERS: usize = 3;
/// Modes used unless the user says otherwise: those the reduced interface is made for.
const MODES: i32 = 19;

/// What exact steps were made for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Made {
    step_s: f64,
    degree: usize,
    force: f64,
    drive: f64,
    damping: f64,
    modes: usize,
}

/// The two rows of each mode's exponential: (η, η̇, sin, cos, p, ṗ, …) to η and η̇ at the step's end.
#[derive(Debug)]
struct Propagators {
    made: Made,
    rows: Vec<f64>,
}

impl<const REDUCED: bool> Beam<REDUCED> {
    /// `modelIdentifier`.
    pub const IDENTIFIER: &'static str = if REDUCED { "beam_reduced" } else { "beam_full" };

    /// Model and declaration from its data.
    ///
    /// # Errors
    /// [`Fault::Declaration`]; never for checked data.
    pub fn from_data((data, hash): (Shared<BeamModes>, String)) -> Result<(Self, ModelDescription), Fault> {
        // Parameters of excitation and modes.
        let about = if REDUCED {
            "A free-free beam with a reduced interface: positions and dual forces of a few chosen nodes"
        } else {
            "A free-free beam with the positions of and the forces on all its nodes"
        };
        let mut b = builder(Self::IDENTIFIER, about, &["m", "N", "1/s"], Some(&hash));
        b.add(Declared::parameter("force", 1.0).unit("N").about("amplitude of the excitation of node 1"));
        b.add(Declared::parameter("frequency", 15.0).unit("1/s").about("its frequency in cycles a second"));
        let damping = Declared::parameter("damping", 0.002).range(0.0, 1.0);
        b.add(damping.about("damping ratio of the elastic modes; the rigid ones are undamped"));
        let most = i32::try_from(data.frequencies.len()).unwrap_or(i32::MAX);
        let modes = Declared::parameter("modes", MODES.min(most)).bounds(3, most);
        b.add(modes.about("modes of the beam, the two rigid ones counted"));
        // Forces in and positions out; nothing follows an input without a step.
        let beam = Beam { forces: vec![0.0; (MAX_DEGREE + 1) * data.frequencies.len()], data, kept: None };
        let (names, about) = if REDUCED {
            (["g_int", "u_int"], ["dual force on a chosen node", "position of a chosen node"])
        } else {
            (["F", "u"], ["force on a node", "position of a node"])
        };
        for i in 0..beam.values() {
            b.add(Declared::input(&format!("{}[{}]", names[0], i + 1), 0.0).unit("N").about(about[0]));
        }
        for i in 0..beam.values() {
            let position = Declared::output(&format!("{}[{}]", names[1], i + 1)).unit("m").about(about[1]);
            b.add(position.depends(&[]).initially(&[]));
        }
        b.experiment(0.0, 1.0, 1e-4);
        Ok((beam, finish(b)?))
    }

    /// The equations as the body of an HTML page.
    pub fn documentation_html() -> String {
        let interface = if REDUCED {
            "g_int and u_int list x and y of the chosen nodes; the forces are those the dual of the interface map gives."
        } else {
            "F and u list x, y and z of node after node."
        };
        format!(
            "<h2>Equations</h2>\n<pre>eta_k'' + 2 damping w_k eta_k' + w_k^2 eta_k = sum_i phi_ki F_iy + phi_k1 force sin(2 pi \
             frequency t)\ny_i = sum_k phi_ki eta_k</pre>\n<p>{interface} Forces along x and z do nothing. A step is exact for \
             polynomial inputs.</p>\n<p>Source: Peeters, Vermaut, Naets, Co-Simulation Interface Reduction Based on the \
             Flexible Natural Coordinates Formulation, 2024, section 3.</p>\n"
        )
    }

    /// Components a node.
    const COMPONENTS: usize = if REDUCED { 2 } else { 3 };

    fn interface_nodes(&self) -> usize {
        if REDUCED { self.data.chosen.len() } else { self.data.positions.len() }
    }

    /// Values of the interface in one direction.
    fn values(&self) -> usize {
        Self::COMPONENTS * self.interface_nodes()
    }

    fn node(&self, place: usize) -> usize {
        if REDUCED { self.data.chosen[place] } else { place }
    }

    fn shape(&self, mode: usize) -> &[f64] {
        let n = self.data.positions.len();
        &self.data.shapes[mode * n..(mode + 1) * n]
    }

    fn modes(memory: &Memory) -> usize {
        usize::try_from(memory.integers[0]).unwrap_or(0)
    }

    /// Deflections of the interface nodes by modal amplitudes, each to `put`.
    fn deflect(&self, amplitudes: &[f64], mut put: impl FnMut(usize, f64)) {
        for place in 0..self.interface_nodes() {
            let node = self.node(place);
            let n = self.data.positions.len();
            put(place, amplitudes.iter().enumerate().map(|(k, a)| self.data.shapes[k * n + node] * a).sum());
        }
    }

    /// Derivatives of the modal forces at the step's start into `forces`, derivative after derivative.
    fn gather(&mut self, inputs: &Polynomials, modes: usize) {
        let mut factorial = 1.0;
        for j in 0..=inputs.degree() {
            factorial *= if j > 0 { j as f64 } else { 1.0 };
            for k in 0..modes {
                let shape = self.shape(k);
                let force = |place: usize| inputs.coefficient(Self::COMPONENTS * place + 1, j);
                let sum: f64 = (0..self.interface_nodes()).map(|place| shape[self.node(place)] * force(place)).sum();
                self.forces[j * modes + k] = factorial * sum;
            }
        }
    }

    /// The exact steps for the present settings.
    fn prepare(&mut self, made: Made) -> Result<(), String> {
        let size = 5 + made.degree;
        let mut rows = Vec::with_capacity(2 * size * made.modes);
        // Columns: η, η̇, sine, cosine, and the derivatives of the input.
        for k in 0..made.modes {
            let omega = self.data.frequencies[k];
            // The mode, excited by the sine.
            let mut system = DMatrix::zeros(size, size);
            system[(0, 1)] = 1.0;
            system[(1, 0)] = -omega * omega;
            system[(1, 1)] = -2.0 * made.damping * omega;
            system[(1, 2)] = self.shape(k)[0] * made.force;
            system[(1, 4)] = 1.0;
            // The oscillation, and inputs as a chain of integrators.
            system[(2, 3)] = made.drive;
            system[(3, 2)] = -made.drive;
            for j in 4..size - 1 {
                system[(j, j + 1)] = 1.0;
            }
            // Only the rows of η and η̇ are needed.
            let exponential = exponential(&system, made.step_s)?;
            for row in 0..2 {
                rows.extend(exponential.row(row).iter());
            }
        }
        self.kept = Some(Propagators { made, rows });
        Ok(())
    }
}

impl<const REDUCED: bool> Model for Beam<REDUCED> {
    fn declare(resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        Self::from_data(BeamModes::load(resources)?)
    }

    fn shape(&self) -> Shape {
        Shape { hidden_reals: 2 * self.data.frequencies.len(), hidden_integers: 0 }
    }

    fn initialise(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        memory.hidden_reals.fill(0.0);
        Ok(())
    }

    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        // Propagators are made anew where something they follow from has changed.
        let modes = Self::modes(memory);
        let drive = std::f64::consts::TAU * memory.reals[FREQUENCY];
        let degree = memory.last_inputs.degree();
        let (force, damping) = (memory.reals[FORCE], memory.reals[DAMPING]);
        let made = Made { step_s: span.step_s, degree, force, drive, damping, modes };
        if self.kept.as_ref().is_none_or(|kept| kept.made != made) {
            self.prepare(made).map_err(|message| Fault::Model { t_s: span.start_s, message })?;
        }
        // Modal forces, and the phase of the excitation at the start.
        self.gather(&memory.last_inputs, modes);
        let (sine, cosine) = (drive * span.start_s).sin_cos();
        let (amplitudes, rates) = memory.hidden_reals.split_at_mut(self.data.frequencies.len());
        let rows = self.kept.iter().flat_map(|kept| kept.rows.chunks_exact(2 * (5 + degree)));
        // Each mode by its two rows.
        for (k, rows) in rows.enumerate() {
            let z = [amplitudes[k], rates[k], sine, cosine];
            let advance = |row: &[f64]| {
                let own: f64 = row.iter().zip(z).map(|(a, z)| a * z).sum();
                row[4..].iter().enumerate().fold(own, |sum, (j, a)| sum + a * self.forces[j * modes + k])
            };
            let (first, second) = rows.split_at(5 + degree);
            (amplitudes[k], rates[k]) = (advance(first), advance(second));
        }
        if amplitudes.iter().chain(rates.iter()).all(|x| x.is_finite()) {
            return Ok(Outcome::Done);
        }
        let message = format!("the modal coordinates are not finite after a step of {} s", span.step_s);
        Err(Fault::Model { t_s: span.start_s, message })
    }

    fn evaluate(&mut self, memory: &mut Memory, _: Group) -> Result<(), Fault> {
        let first = PARAMETERS + self.values();
        let modes = Self::modes(memory);
        let reals = &mut memory.reals;
        self.deflect(&memory.hidden_reals[..modes], |place, y| {
            let at = first + Self::COMPONENTS * place;
            reals[at] = self.data.positions[self.node(place)];
            reals[at + 1] = y;
            if !REDUCED {
                reals[at + 2] = 0.0;
            }
        });
        Ok(())
    }

    fn output_derivatives(
        &mut self,
        memory: &Memory,
        refs: &[u32],
        _: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        let (first, modes, all) = (PARAMETERS + self.values(), Self::modes(memory), self.data.frequencies.len());
        let rates = &memory.hidden_reals[all..all + modes];
        for (reference, value) in refs.iter().zip(values) {
            let i = *reference as usize - first;
            let node = self.node(i / Self::COMPONENTS);
            let vertical = i % Self::COMPONENTS == 1;
            *value = if vertical { rates.iter().enumerate().map(|(k, r)| self.shape(k)[node] * r).sum() } else { 0.0 };
        }
        Ok(())
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_unknown, .. } = of;
        let first = PARAMETERS + self.values();
        if let Some(wrong) = unknown.iter().find(|r| (**r as usize) < first) {
            return Err(no_derivative(memory, *wrong, known));
        }
        // Positions are states, and at the start at rest whatever the parameters.
        d_unknown.fill(0.0);
        Ok(())
    }
}
