//! The validation example: beam and spring field stepped apart, exchanging the full or the reduced interface.
//!
//! ```text
//! updated:  beam over [T_N, T_N + H] under F(T_N) = −k u(T_N)
//! lagged:   beam over [T_N, T_N + H] under F(T_N − H)         (both stepped in Jacobi: one step of delay more)
//! ```
//!
//! # References
//! [Peeters 2024] section 3, figure 2.

use crate::beam::ModalBeam;
use crate::map::virtual_work_defect;
use crate::springs::SpringField;
use crate::{Error, InterfaceMap, Space};
use nalgebra::{DMatrix, DVector};

/// When the spring forces reach the beam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// Forces of the beam's present position.
    Updated,
    /// Forces one step older.
    Lagged,
}

/// How forces go back through a reduced interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Return {
    /// g = Tᵀ F.
    Dual,
    /// Only the forces at the chosen nodes: wrong, kept to show what it costs.
    Sampled,
}

/// A finished co-simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Deflections in m, nodes × (steps + 1).
    pub deflections: DMatrix<f64>,
    /// Values exchanged per step in one direction.
    pub exchanged: usize,
    /// Largest virtual work defect of an exchange, see [`virtual_work_defect`]; zero for the full interface.
    pub work_defect: f64,
}

/// The coupled problem.
#[derive(Debug, Clone, Copy)]
pub struct Coupled<'a> {
    /// The beam.
    pub beam: &'a ModalBeam,
    /// Stiffness of each spring in N/m.
    pub spring_n_m: f64,
    /// Communication step H in s.
    pub step_s: f64,
    /// Number of steps.
    pub steps: usize,
}

impl Coupled<'_> {
    /// Exchanges all positions and forces, three components a node.
    ///
    /// # Errors
    /// Those of the spring field.
    pub fn full(&self, exchange: Exchange) -> Result<Run, Error> {
        let rest = self.rest(Space::Spatial)?;
        let mut force = vec![0.0; rest.len()];
        let springs = SpringField::new(self.spring_n_m, rest.clone(), 3)?;
        let deflections = self.run(exchange, |y| {
            springs.forces(&positions(&rest, y, 3), &mut force)?;
            let vertical = DVector::from_iterator(y.len(), force.iter().skip(1).step_by(3).copied());
            Ok(self.beam.modal_force(&vertical))
        })?;
        Ok(Run { deflections, exchanged: rest.len(), work_defect: 0.0 })
    }

    /// Exchanges positions and forces at the nodes of a map only.
    ///
    /// # Errors
    /// [`Error::Shape`] when the map belongs to another beam, and those of the spring field.
    pub fn reduced(&self, exchange: Exchange, map: &InterfaceMap, back: Return) -> Result<Run, Error> {
        let c = map.space().components();
        let rest = self.rest(map.space())?;
        let springs = SpringField::new(self.spring_n_m, rest.clone(), c)?;
        let (mut rebuilt, mut force) = (vec![0.0; rest.len()], vec![0.0; rest.len()]);
        let (mut sent, mut received) = (vec![0.0; map.reduced_size()], vec![0.0; map.reduced_size()]);
        let (mut work_defect, mut moved) = (0.0_f64, None);
        let deflections = self.run(exchange, |y| {
            map.restrict(&positions(&rest, y, c), &mut sent)?;
            map.expand(&sent, &mut rebuilt)?;
            springs.forces(&rebuilt, &mut force)?;
            match back {
                Return::Dual => map.dual(&force, &mut received)?,
                Return::Sampled => map.restrict(&force, &mut received)?,
            }
            // The motion since the last exchange serves as virtual displacement.
            let step = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
            if let Some((full, reduced)) = moved.replace((rebuilt.clone(), sent.clone())) {
                let (full, reduced): (Vec<f64>, Vec<f64>) = (step(&rebuilt, &full), step(&sent, &reduced));
                work_defect = work_defect.max(virtual_work_defect(&force, &full, &received, &reduced));
            }
            let mut vertical = DVector::zeros(y.len());
            for (values, &node) in received.chunks_exact(c).zip(map.nodes()) {
                vertical[node] = values[1];
            }
            Ok(self.beam.modal_force(&vertical))
        })?;
        Ok(Run { deflections, exchanged: map.reduced_size(), work_defect })
    }

    /// Undeformed positions with as many components as the space has.
    fn rest(&self, space: Space) -> Result<Vec<f64>, Error> {
        let shapes = self.beam.interface_shapes(2)?;
        Ok(shapes
            .positions()
            .iter()
            .flat_map(|x| x.iter().take(space.components()).copied().collect::<Vec<_>>())
            .collect())
    }

    /// The loop shared by both interfaces; `respond` gives the modal spring forces of deflections.
    fn run(
        &self,
        exchange: Exchange,
        mut respond: impl FnMut(&DVector<f64>) -> Result<DVector<f64>, Error>,
    ) -> Result<DMatrix<f64>, Error> {
        // At rest, with the forces that belong to it.
        let step = self.beam.step(self.step_s);
        let mut state = self.beam.rest();
        let mut y = self.beam.deflections(&state);
        let mut all = DMatrix::zeros(y.len(), self.steps + 1);
        let mut older = respond(&y)?;
        // Forces of now, or those of a step before.
        for i in 1..=self.steps {
            let present = respond(&y)?;
            let force = match exchange {
                Exchange::Updated => &present,
                Exchange::Lagged => &older,
            };
            self.beam.advance(&step, &mut state, force);
            older = present;
            y = self.beam.deflections(&state);
            all.set_column(i, &y);
        }
        Ok(all)
    }
}

/// Positions of all nodes, the second component moved by the deflections.
fn positions(rest: &[f64], deflections: &DVector<f64>, components: usize) -> Vec<f64> {
    let mut all = rest.to_vec();
    all.iter_mut().skip(1).step_by(components).zip(deflections.iter()).for_each(|(x, y)| *x += y);
    all
}

/// Root mean square of a − b over that of `reference`.
pub fn relative_rms(a: &DMatrix<f64>, b: &DMatrix<f64>, reference: &DMatrix<f64>) -> f64 {
    (a - b).norm() / reference.norm()
}
