//! The *one-step map* of a coupled system, from the very code that runs it, and its spectral radius.
//!
//! What a run carries from window to window is the state of its units and the newest rows of all histories, those of laws
//! included: together a vector w. A window makes of it `w_{N+1} = A w_N + b`, linear where units and laws are. Column j of
//! A is what the window makes of the state with component j moved by δ, less what it makes of the state itself:
//!
//! ```text
//! A e_j = (W(w + δ e_j) − W(w)) / δ
//! ρ(A) = max |λ_i|        growth rate = ln ρ / H
//! ```
//!
//! Components that nothing looks at are columns of zeros; they are taken out together with their rows, which takes zeros
//! out of the spectrum and nothing else. Every scheme has its map without a line written for it.
//!
//! The state of a unit must be within reach ([`crate::unit::Unit::hidden_state`]): native units.

use crate::error::RunError;
use crate::history::History;
use crate::run::Simulation;
use crate::time::Tick;
use nalgebra::DMatrix;

/// Slot in which units keep the state the map is taken at.
const BASE: usize = 7;

/// Takes one-step maps; its memory is reused from map to map of one simulation.
#[derive(Debug, Default)]
pub struct OneStepMap {
    histories: Vec<History>,
    now: Tick,
    base: Vec<f64>,
    image: Vec<f64>,
    moved: Vec<f64>,
    matrix: DMatrix<f64>,
}

impl OneStepMap {
    /// The map at the present state, with components moved by `delta`: any number where all is linear, a small one where
    /// it is not. Histories must be full, as [`Simulation::prime`] leaves them. The simulation is left where it was.
    ///
    /// # Errors
    /// [`RunError::Capability`] for a unit whose state is out of reach; what a unit answers to a step.
    pub fn take(&mut self, simulation: &mut Simulation, delta: f64) -> Result<&DMatrix<f64>, RunError> {
        self.save(simulation)?;
        let mut base = std::mem::take(&mut self.base);
        read(simulation, &mut base);
        let n = base.len();
        simulation.step()?;
        read(simulation, &mut self.image);
        if self.matrix.nrows() != n {
            self.matrix = DMatrix::zeros(n, n);
        }
        for j in 0..n {
            self.restore(simulation)?;
            let value = base[j] + delta;
            let step = value - base[j];
            write(simulation, j, value);
            simulation.step()?;
            read(simulation, &mut self.moved);
            for i in 0..n {
                self.matrix[(i, j)] = (self.moved[i] - self.image[i]) / step;
            }
        }
        self.restore(simulation)?;
        self.base = base;
        Ok(&self.matrix)
    }

    fn save(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        let window = simulation.window_mut();
        self.now = window.now;
        for s in &mut window.stations {
            if s.unit.hidden_state().is_none() {
                return Err(RunError::Capability {
                    needs: "a one-step map",
                    capability: "state within reach",
                    unit: s.unit.name().to_string(),
                    hint: "choose native units",
                });
            }
            s.unit.save(BASE)?;
        }
        let count = window.histories_mut().count();
        if self.histories.len() != count {
            self.histories = window.histories_mut().map(|h| h.clone()).collect();
        } else {
            self.histories.iter_mut().zip(window.histories_mut()).for_each(|(to, from)| to.copy_from(from));
        }
        Ok(())
    }

    fn restore(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        let window = simulation.window_mut();
        window.now = self.now;
        for s in &mut window.stations {
            s.unit.restore(BASE)?;
        }
        window.histories_mut().zip(&self.histories).for_each(|(to, from)| to.copy_from(from));
        Ok(())
    }
}

/// The state vector of a run: units first, then histories.
fn read(simulation: &mut Simulation, out: &mut Vec<f64>) {
    out.clear();
    let window = simulation.window_mut();
    for s in &mut window.stations {
        out.extend_from_slice(s.unit.hidden_state().unwrap_or_default());
    }
    for h in window.histories_mut() {
        out.extend_from_slice(h.tail_mut().1);
    }
}

/// Sets component `j` of the state vector.
fn write(simulation: &mut Simulation, mut j: usize, value: f64) {
    let window = simulation.window_mut();
    for s in &mut window.stations {
        let state = s.unit.hidden_state().unwrap_or_default();
        if let Some(place) = state.get_mut(j) {
            *place = value;
            return;
        }
        j -= state.len();
    }
    for h in window.histories_mut() {
        let rows = h.tail_mut().1;
        if let Some(place) = rows.get_mut(j) {
            *place = value;
            return;
        }
        j -= rows.len();
    }
}

/// Largest absolute value of the eigenvalues; not a number where the matrix holds what is none.
pub fn spectral_radius(matrix: &DMatrix<f64>) -> f64 {
    if matrix.iter().any(|x| !x.is_finite()) {
        return f64::NAN;
    }
    let kept = significant(matrix);
    let n = kept.len();
    let small = DMatrix::from_fn(n, n, |i, j| matrix[(kept[i], kept[j])]);
    match n {
        0 => 0.0,
        1 => small[(0, 0)].abs(),
        // An iteration that does not end is left to the slower way.
        _ => match nalgebra::linalg::Schur::try_new(small.clone(), f64::EPSILON, 200 * n) {
            Some(schur) => schur.complex_eigenvalues().iter().fold(0.0, |max: f64, z| max.max(z.norm())),
            None => by_squaring(small),
        },
    }
}

/// Places of the components that neither are columns nor rows of zeros, once such have been taken out.
fn significant(matrix: &DMatrix<f64>) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..matrix.nrows()).collect();
    loop {
        let used = |&j: &usize| kept.iter().any(|&i| matrix[(i, j)] != 0.0) && kept.iter().any(|&i| matrix[(j, i)] != 0.0);
        let next: Vec<usize> = kept.iter().copied().filter(|j| used(j)).collect();
        if next.len() == kept.len() {
            return kept;
        }
        kept = next;
    }
}

/// `‖A^(2^k)‖^(1/2^k)` by repeated squaring with the size taken out each time.
fn by_squaring(mut a: DMatrix<f64>) -> f64 {
    let (mut ln_size, mut weight) = (0.0, 1.0);
    for _ in 0..40 {
        let size = a.norm();
        if size == 0.0 {
            return 0.0;
        }
        ln_size += weight * size.ln();
        a /= size;
        a = &a * &a;
        weight *= 0.5;
    }
    ln_size.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_radius_of_a_rotation_and_of_what_nothing_looks_at() {
        let (c, s) = (0.9 * 0.3f64.cos(), 0.9 * 0.3f64.sin());
        // The third component copies the first and is never read; the fourth is never written.
        let a = DMatrix::from_row_slice(4, 4, &[c, -s, 0.0, 5.0, s, c, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(significant(&a), [0, 1]);
        assert!((spectral_radius(&a) - 0.9).abs() < 1e-14);
        assert!((by_squaring(a) - 0.9).abs() < 1e-9);
        assert_eq!(spectral_radius(&DMatrix::from_row_slice(2, 2, &[0.0, 1.0, 0.0, 0.0])), 0.0);
        assert!(spectral_radius(&DMatrix::from_element(2, 2, f64::NAN)).is_nan());
    }
}
