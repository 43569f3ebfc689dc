//! The interface model of a nonsmooth multibody system in mobility form, `ẇ_i = W λ_i + b`.
//!
//! With the active rows `A_a` (force strictly inside its bounds; all joints and springs) and the tight rows `A_t`:
//!
//! ```text
//! G_a = A_a M⁻¹ A_aᵀ + C_a       P_c = M⁻¹ A_aᵀ G_a⁻¹ A_a       φ̃ = M⁻¹ A_aᵀ G_a⁻¹ φ_a
//! W   = D (I − P_c) M⁻¹ Dᵀ
//! b   = D [(I − P_c) M⁻¹ (f_a − c + A_tᵀ λ_t) − P_c v/h − φ̃/h²]
//! (I)   D v⁺ = D v + h (W λ_i + b)        for the same active set and tight forces
//! ```
//!
//! The effective mass `M̃ = W⁻¹` and force `λ̃ = M̃ b` of \[Peiret\], eq. (4) and (5), exist only where W is regular;
//! a locked interface has W → 0. `−P_c v/h` carries the centripetal part, `−φ̃/h²` stabilisation and speculative
//! contact; b therefore depends on the size h of the step to come.
//!
//! Friction rows at their bound are either *frozen* (their force is part of `λ_t`) or *slaved* (it follows the normal
//! force, `λ_t = s μ λ_n`): then `B = A_a + (s μ) A_t` on the normal rows replaces `A_aᵀ` on the force side and W is not
//! symmetric.
//!
//! # Notation
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | `W` | [`InterfaceModel::mobility`] | mobility at the interface, r × r |
//! | `b` | [`InterfaceModel::bias`] | acceleration of the interface without interface forces |
//! | `w`, `s` | [`InterfaceModel::speed`], [`InterfaceModel::position`] | interface speed `D v` and coordinate |
//! | `λ_t` | `tight` | forces of tight rows |
//!
//! Reference: \[Peiret\] A. Peiret, F. González, J. Kövecses, M. Teichmann, *Interface models in co-simulation of
//! nonsmooth systems*, eq. (4)–(5).

use macrostep_mlcp::Set;
use nalgebra::{DMatrix, DVector};

use crate::{
    Simulation, StepError,
    active::Active,
    algebra::{Twist, ZERO, add_scaled},
    report,
    row::{Bounds, Row},
};

/// How friction at its bound enters the interface model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionForm {
    /// A constant force; W stays symmetric.
    #[default]
    Frozen,
    /// It follows the normal force; exact as long as sliding goes on, W is not symmetric.
    Slaved,
}

/// Options of the interface model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceOptions {
    /// Form of friction at its bound. Default frozen.
    pub friction: FrictionForm,
    /// Take the active set from the step to come, solved with the last interface forces and not committed, instead of
    /// from the last step. Default true: contact switches are seen one step earlier.
    pub look_ahead: bool,
}

impl Default for InterfaceOptions {
    fn default() -> Self {
        Self { friction: FrictionForm::Frozen, look_ahead: true }
    }
}

/// `ẇ = W λ + b` at the present state, for the step to come.
#[derive(Debug, Default, PartialEq)]
pub struct InterfaceModel {
    /// `W`, row-major r × r, 1/kg (for forces and speeds).
    pub mobility: Vec<f64>,
    /// `b`, r entries, m/s².
    pub bias: Vec<f64>,
    /// `w = D v`, r entries, m/s.
    pub speed: Vec<f64>,
    /// `s`, r entries, m.
    pub position: Vec<f64>,
    /// Bounded rows in the active set it was made for.
    pub active: usize,
    /// Hash of that set, comparable with [`StepReport::active_hash`](crate::StepReport::active_hash).
    pub active_hash: u64,
}

impl Clone for InterfaceModel {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    // The derived one would allocate anew.
    fn clone_from(&mut self, other: &Self) {
        self.mobility.clone_from(&other.mobility);
        self.bias.clone_from(&other.bias);
        self.speed.clone_from(&other.speed);
        self.position.clone_from(&other.position);
        (self.active, self.active_hash) = (other.active, other.active_hash);
    }
}

impl InterfaceModel {
    /// Number of interface coordinates r.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bias.len()
    }

    /// `W` as a matrix.
    #[must_use]
    pub fn mobility_matrix(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.size(), self.size(), &self.mobility)
    }

    /// The symmetric part of `W`, lower triangle by rows, r(r+1)/2 entries; all of W in the frozen form.
    #[must_use]
    pub fn packed_mobility(&self) -> Vec<f64> {
        let r = self.size();
        let entry = |i: usize, j: usize| 0.5 * (self.mobility[i * r + j] + self.mobility[j * r + i]);
        (0..r).flat_map(|i| (0..=i).map(move |j| entry(i, j))).collect()
    }

    /// Effective mass `M̃ = W⁻¹` and force `λ̃ = M̃ b`; `None` where W is singular (relative pivot 1e-12).
    #[must_use]
    pub fn effective(&self) -> Option<(DMatrix<f64>, DVector<f64>)> {
        let w = self.mobility_matrix();
        let singular = w.singular_values();
        if self.size() == 0 || singular.min() <= 1e-12 * singular.max() {
            return None;
        }
        let mass = w.try_inverse()?;
        let force = &mass * DVector::from_column_slice(&self.bias);
        Some((mass, force))
    }

    /// The interface forces that keep the interface at constant speed, `W λ + b = 0`; `None` where W is singular.
    #[must_use]
    pub fn holding_forces(&self) -> Option<Vec<f64>> {
        self.effective().map(|(_, force)| force.iter().map(|f| -f).collect())
    }
}

/// The four parts of b, each with r entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BiasTerms {
    /// `D (I − P_c) M⁻¹ (f_a − c)`.
    pub applied: Vec<f64>,
    /// `D (I − P_c) M⁻¹ A_tᵀ λ_t`.
    pub tight: Vec<f64>,
    /// `−D P_c v/h`.
    pub centripetal: Vec<f64>,
    /// `−D φ̃/h²`.
    pub stabilisation: Vec<f64>,
}

/// Memory of the computation.
#[derive(Clone, Debug, Default)]
pub(crate) struct InterfaceMemory {
    set: Vec<Set>,
    hash: u64,
    /// Forces of the tight rows; 0 for active and slaved rows.
    tight: Vec<f64>,
    active: Active,
    field: Vec<Twist>,
    model: InterfaceModel,
}

impl Simulation {
    /// The interface model for a next step of `h` seconds.
    ///
    /// It uses the factorisation that the next step needs anyway. The state does not change.
    ///
    /// # Errors
    /// [`StepError`] as [`Simulation::step`].
    pub fn interface_model(&mut self, h: f64, options: &InterfaceOptions) -> Result<&InterfaceModel, StepError> {
        self.prepare_model(h, options)?;
        let (r, mut memory) = (self.system.interface().len(), std::mem::take(&mut self.interface_memory));
        let model = &mut memory.model;
        let rows = &self.configuration.interface;
        model.speed.clear();
        model.speed.extend(rows.iter().map(|row| row.rate(&self.state.velocities)));
        model.position.clear();
        model.position.extend(rows.iter().map(|row| row.phi));
        model.active = memory.active.rows.len();
        model.active_hash = memory.hash;
        model.mobility.clear();
        model.mobility.resize(r * r, 0.0);
        model.bias.clear();

        // Columns of W: the response to a unit force.
        for j in 0..r {
            memory.rest();
            rows[j].push(&mut memory.field, 1.0);
            self.project(&mut memory, |row, field| row.rate(field));
            for i in 0..r {
                memory.model.mobility[i * r + j] = rows[i].couple(&rows[j]) + rows[i].rate(&memory.active.response);
            }
        }
        // b: the response to everything else, v/h and φ/h² only through the constraints.
        memory.rest();
        self.add_applied(&mut memory.field);
        self.add_tight(&mut memory);
        let velocities = &self.state.velocities;
        self.project(&mut memory, |row, field| row.rate(field) + row.rate(velocities) / h + row.phi / (h * h));
        memory.model.bias.extend(rows.iter().map(|row| row.rate(&memory.field) + row.rate(&memory.active.response)));
        self.interface_memory = memory;
        Ok(&self.interface_memory.model)
    }

    /// The four parts of b one by one; their sum is the b of [`Simulation::interface_model`].
    ///
    /// # Errors
    /// [`StepError`] as [`Simulation::step`].
    pub fn bias_terms(&mut self, h: f64, options: &InterfaceOptions) -> Result<BiasTerms, StepError> {
        // Each part is D of a field of accelerations, less what the active rows take of it.
        self.prepare_model(h, options)?;
        let mut memory = std::mem::take(&mut self.interface_memory);
        let rows = &self.configuration.interface;
        let all = |memory: &InterfaceMemory| -> Vec<f64> {
            rows.iter().map(|row| row.rate(&memory.field) + row.rate(&memory.active.response)).collect()
        };
        // D (I − P_c) M⁻¹ (f_a − c).
        memory.rest();
        self.add_applied(&mut memory.field);
        self.project(&mut memory, |row, field| row.rate(field));
        let applied = all(&memory);
        // D (I − P_c) M⁻¹ A_tᵀ λ_t.
        memory.rest();
        self.add_tight(&mut memory);
        self.project(&mut memory, |row, field| row.rate(field));
        let tight = all(&memory);
        // −D P_c v/h.
        memory.rest();
        let velocities = &self.state.velocities;
        self.project(&mut memory, |row, _| row.rate(velocities) / h);
        let centripetal = all(&memory);
        // −D φ̃/h².
        self.project(&mut memory, |row, _| row.phi / (h * h));
        let stabilisation = all(&memory);
        self.interface_memory = memory;
        Ok(BiasTerms { applied, tight, centripetal, stabilisation })
    }

    /// Active set, tight forces, slaves and the factor of the active block.
    fn prepare_model(&mut self, h: f64, options: &InterfaceOptions) -> Result<(), StepError> {
        // A step is solved ahead with the forces of now, which stay as they are.
        self.assemble(h)?;
        if options.look_ahead {
            let forces = std::mem::take(&mut self.state.interface_forces);
            let outcome = self.solve(h, &forces);
            self.state.interface_forces = forces;
            outcome?;
        }
        // The active set and forces at bounds, of that step or of the last one made.
        let mut memory = std::mem::take(&mut self.interface_memory);
        if options.look_ahead {
            memory.set.clone_from(&self.trial.solution.set);
            memory.tight.clear();
            memory.tight.extend(self.trial.solution.z.iter().map(|z| z / h));
        } else {
            self.recall(&mut memory);
        }
        // What tells one set from another, and the factor of its block.
        memory.hash = report::hash(&self.configuration, &memory.set, &memory.tight);
        memory.field.resize(self.state.velocities.len(), ZERO);
        let slaved = options.friction == FrictionForm::Slaved;
        let outcome = memory.active.factor(&self.configuration, &memory.set, slaved);
        // Rows that the model solves for have no given force.
        for &u in &memory.active.rows {
            memory.tight[u] = 0.0;
        }
        for slave in &memory.active.slaves {
            memory.tight[slave.0] = 0.0;
        }
        self.interface_memory = memory;
        let time_s = self.state.clock.time_s();
        outcome.map_err(|b| StepError::Redundant { time_s, row: b.row, pivot: b.pivot })
    }

    /// Sets and tight forces as the last step left them.
    fn recall(&self, memory: &mut InterfaceMemory) {
        memory.set.clear();
        memory.tight.clear();
        for bounded in &self.configuration.bounded {
            // A motor that never moved holds, a contact that never was is open.
            let unseen = if matches!(bounded.bounds, Bounds::Force(..)) { Set::Inside } else { Set::Lower };
            let set = self.state.remembered(bounded.id).map_or(unseen, |m| m.set);
            let force = match (bounded.bounds, set) {
                (_, Set::Inside) | (Bounds::Unilateral, _) => 0.0,
                (Bounds::Force(lower, _), Set::Lower) => lower,
                (Bounds::Force(_, upper), Set::Upper) => upper,
                (Bounds::Friction { normal, coefficient }, _) => {
                    let id = self.configuration.bounded[normal].id;
                    set.sign() * coefficient * self.state.remembered(id).map_or(0.0, |m| m.force.max(0.0))
                }
            };
            memory.set.push(set);
            memory.tight.push(force);
        }
    }

    /// Solves `G_a z = −g` for the right-hand sides `g(row, field)`.
    fn project(&self, memory: &mut InterfaceMemory, g: impl Fn(&Row, &[Twist]) -> f64) {
        let field = &memory.field;
        memory.active.solve(&self.configuration, field.len(), |row| g(row, field));
    }

    /// Adds `M⁻¹ (f_a − c)`.
    fn add_applied(&self, field: &mut [Twist]) {
        for (i, value) in field.iter_mut().enumerate() {
            let acceleration = self.configuration.free_acceleration(&self.system, i, &self.state.velocities[i]);
            add_scaled(value, 1.0, &acceleration);
        }
    }

    /// Adds `M⁻¹ A_tᵀ λ_t`.
    fn add_tight(&self, memory: &mut InterfaceMemory) {
        for (bounded, &force) in self.configuration.bounded.iter().zip(&memory.tight) {
            bounded.row.push(&mut memory.field, force);
        }
    }
}

impl InterfaceMemory {
    fn rest(&mut self) {
        self.field.fill(ZERO);
    }
}
