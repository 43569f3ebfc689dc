//! The *one-step map* of a coupled system, from the code that runs it, and its spectral radius.
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
//! Rows are told by their age, counted from the window's start. A law's own row at the start is evaluated anew before it is
//! used, so it is no part of w. Components that nothing looks at are columns of zeros; they are taken out together with their rows, which takes zeros
//! out of the spectrum and nothing else. Every scheme has its map without a line written for it.
//!
//! The state of a unit must be within reach ([`crate::unit::States::hidden_state`]): native units.

use crate::error::RunError;
use crate::run::Simulation;
use crate::signal::history::History;
use crate::time::Tick;
use nalgebra::DMatrix;

/// Slot in which units keep the state the map is taken at.
const BASE: usize = 7;

/// Windows after which histories hold what they hold after every window.
const SETTLING: usize = 3;

/// Takes one-step maps; its memory is reused from map to map of one simulation.
#[derive(Debug, Default)]
pub struct OneStepMap {
    histories: Vec<History>,
    /// For each history the ages of the rows that belong to the state, in ticks (0 or below).
    ages: Vec<Vec<f64>>,
    now: Tick,
    base: Vec<f64>,
    image: Vec<f64>,
    moved: Vec<f64>,
    matrix: DMatrix<f64>,
    /// Components that are moved; all where nothing is said.
    places: Option<Vec<usize>>,
}

impl OneStepMap {
    /// From now on moves those components only that play a part in the map taken last; for systems of one
    /// structure, and a last map whose parameters were none that make coefficients vanish.
    pub fn keep_structure(&mut self) {
        self.places = Some(significant(&self.matrix));
        self.matrix.fill(0.0);
    }

    /// The map at the present state, with components moved by `delta` of their size, or by `delta` where that is below 1: any
    /// number where all is linear, a small one where it is not. Histories must be full, as [`Simulation::prime`] leaves them. The simulation is left where it was.
    ///
    /// # Errors
    /// [`RunError::Capability`] for a unit whose state is out of reach; what a unit answers to a step.
    pub fn take(&mut self, simulation: &mut Simulation, delta: f64) -> Result<&DMatrix<f64>, RunError> {
        let mut base = std::mem::take(&mut self.base);
        // A window at a time from a saved state, until all rows that w looks at are there.
        for _ in 0..SETTLING {
            self.save(simulation)?;
            read(simulation, &self.ages, &mut base);
            simulation.step()?;
            // Rows inside steps are there after a step only.
            let now = simulation.state.now as f64;
            let ages = |(h, ages): (&History, &Vec<f64>)| ages.iter().all(|age| h.find_at(now + age).is_some());
            let is_known = simulation.window.pre_step.is_none();
            if is_known && simulation.state.signals.histories.iter().zip(&self.ages).all(ages) {
                break;
            }
        }
        // W(w) is what the last of these windows has left.
        let n = base.len();
        read(simulation, &self.ages, &mut self.image);
        if self.matrix.nrows() != n {
            self.matrix = DMatrix::zeros(n, n);
        }
        let places = self.places.take();
        // Columns of zeros that were found to be such are not computed again.
        for j in (0..n).filter(|j| places.as_ref().is_none_or(|p| p.binary_search(j).is_ok())) {
            self.restore(simulation)?;
            let value = base[j] + delta * base[j].abs().max(1.0);
            // The step that doubles leave of δ, so that the quotient is not off by a rounding of w.
            let step = value - base[j];
            write(simulation, &self.ages, j, value);
            simulation.step()?;
            read(simulation, &self.ages, &mut self.moved);
            for i in 0..n {
                self.matrix[(i, j)] = (self.moved[i] - self.image[i]) / step;
            }
        }
        self.restore(simulation)?;
        self.places = places;
        self.base = base;
        Ok(&self.matrix)
    }

    fn save(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        // Between windows whose half steps are merged units are not together; whole symmetric steps are another plan.
        let Simulation { window, state, .. } = simulation;
        if state.now == 0 {
            window.set_half_steps_apart(state);
        }
        self.now = state.now;
        // The state of the units.
        for s in &mut window.unit_ports {
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
        // The rows of the histories, and how old they are.
        let channels = window.unit_ports.iter().map(|s| s.outputs.channels.len()).sum::<usize>();
        self.ages.clear();
        for (n, h) in state.signals.histories.iter().enumerate() {
            let ages = (0..h.len()).map(|i| h.at(i) - self.now as f64).filter(|age| n < channels || *age < 0.0);
            let mut ages: Vec<f64> = ages.collect();
            ages.drain(..ages.len().saturating_sub(h.depth()));
            self.ages.push(ages);
        }
        self.histories.clone_from(&state.signals.histories);
        Ok(())
    }

    fn restore(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        simulation.state.now = self.now;
        for s in &mut simulation.window.unit_ports {
            s.unit.restore(BASE)?;
        }
        simulation.state.signals.histories.clone_from(&self.histories);
        Ok(())
    }
}

/// The state vector of a run: units first, then histories. A row that is not there is NaN.
fn read(simulation: &mut Simulation, ages: &[Vec<f64>], out: &mut Vec<f64>) {
    out.clear();
    let Simulation { window, state, .. } = simulation;
    for s in &mut window.unit_ports {
        out.extend_from_slice(s.unit.hidden_state().unwrap_or_default());
    }
    let now = state.now as f64;
    for (h, ages) in state.signals.histories.iter().zip(ages) {
        for age in ages {
            match h.find_at(now + age) {
                Some(i) => out.extend_from_slice(h.row(i)),
                None => out.extend(std::iter::repeat_n(f64::NAN, h.width())),
            }
        }
    }
}

/// Sets component `j` of the state vector.
fn write(simulation: &mut Simulation, ages: &[Vec<f64>], mut j: usize, value: f64) {
    let Simulation { window, state: run, .. } = simulation;
    for s in &mut window.unit_ports {
        let state = s.unit.hidden_state().unwrap_or_default();
        if let Some(place) = state.get_mut(j) {
            *place = value;
            return;
        }
        j -= state.len();
    }
    let now = run.now as f64;
    for (h, ages) in run.signals.histories.iter_mut().zip(ages) {
        let (row, component) = (j / h.width(), j % h.width());
        if let Some(age) = ages.get(row) {
            if let Some(i) = h.find_at(now + age) {
                h.row_mut(i)[component] = value;
            }
            return;
        }
        j -= ages.len() * h.width();
    }
}

/// The *loop gain* of a window: the spectral radius of the interface Jacobian ∂G/∂y, how strongly what comes out of a window
/// answers what was guessed of its end; fixed-point iteration contracts by it. From the units' directional derivatives, at
/// the present state of an implicit simulation. `None` where units offer none, or nothing is guessed.
///
/// # Errors
/// What a unit answers.
pub fn loop_gain(simulation: &mut Simulation) -> Result<Option<f64>, RunError> {
    let jacobian = simulation.interface_jacobian()?;
    Ok(jacobian.as_ref().map(spectral_radius))
}

/// Largest absolute value of the eigenvalues; NaN if the matrix has values that are not finite.
///
/// ```
/// use macrostep_master::spectral_radius;
/// use nalgebra::DMatrix;
///
/// // A turn that shrinks by a half.
/// assert!((spectral_radius(&DMatrix::from_row_slice(2, 2, &[0.0, 0.5, -0.5, 0.0])) - 0.5).abs() < 1e-15);
/// ```
pub fn spectral_radius(matrix: &DMatrix<f64>) -> f64 {
    if matrix.iter().any(|x| !x.is_finite()) {
        return f64::NAN;
    }
    let kept = significant(matrix);
    let n = kept.len();
    let mut small = DMatrix::from_fn(n, n, |i, j| matrix[(kept[i], kept[j])]);
    balance(&mut small);
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

/// Scales components by powers of 2 until rows and columns are of like size, which changes no eigenvalue: charges beside
/// rates of currents lose theirs to rounding otherwise. Reference: \[Parlett 1969\].
fn balance(matrix: &mut DMatrix<f64>) {
    let n = matrix.nrows();
    for _ in 0..100 {
        let mut changed = false;
        for i in 0..n {
            let off = |f: &dyn Fn(usize) -> f64| (0..n).filter(|j| *j != i).map(|j| f(j).abs()).sum::<f64>();
            let (column, row) = (off(&|j| matrix[(j, i)]), off(&|j| matrix[(i, j)]));
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let factor = (0.5 * (row / column).log2()).round().exp2();
            if column * factor + row / factor < 0.95 * (column + row) {
                matrix.column_mut(i).scale_mut(factor);
                matrix.row_mut(i).scale_mut(1.0 / factor);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Places of the components that neither are columns nor rows of zeros, once such have been taken out.
pub fn significant(matrix: &DMatrix<f64>) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..matrix.nrows()).collect();
    loop {
        let used =
            |&j: &usize| kept.iter().any(|&i| matrix[(i, j)] != 0.0) && kept.iter().any(|&i| matrix[(j, i)] != 0.0);
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
    fn components_of_any_unit_have_the_same_radius() {
        let (c, s) = (0.9 * 0.3f64.cos(), 0.9 * 0.3f64.sin());
        let scale = [1e-6, 1.0, 1e9, 1e-3];
        let plain = [[c, -s, 0.2, 0.1], [s, c, 0.0, 0.3], [0.1, 0.0, 0.4, 0.0], [0.0, 0.2, 0.1, 0.3]];
        let a = DMatrix::from_fn(4, 4, |i, j| plain[i][j]);
        let scaled = DMatrix::from_fn(4, 4, |i, j| plain[i][j] * scale[i] / scale[j]);
        assert!((spectral_radius(&a) - spectral_radius(&scaled)).abs() < 1e-12);
    }

    #[test]
    fn the_radius_of_a_rotation_and_of_what_nothing_looks_at() {
        let (c, s) = (0.9 * 0.3f64.cos(), 0.9 * 0.3f64.sin());
        // The third component copies the first and is never read; the fourth is never written.
        let a =
            DMatrix::from_row_slice(4, 4, &[c, -s, 0.0, 5.0, s, c, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(significant(&a), [0, 1]);
        assert!((spectral_radius(&a) - 0.9).abs() < 1e-14);
        assert!((by_squaring(a) - 0.9).abs() < 1e-9);
        assert_eq!(spectral_radius(&DMatrix::from_row_slice(2, 2, &[0.0, 1.0, 0.0, 0.0])), 0.0);
        assert!(spectral_radius(&DMatrix::from_element(2, 2, f64::NAN)).is_nan());
    }
}
