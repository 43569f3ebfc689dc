//! *Laws*: relations between outputs and inputs that the master evaluates itself.
//!
//! A law stands on connections: constitutive equations of a coupling element (a spring–damper, a nonlinear spring, an
//! orifice) or a linear map. It takes instantaneous values, or, where the prediction sits before it, polynomials.

use crate::signal::nodes::{NODES_MAX, Transform, lobatto};
use crate::signal::segment::Segment;

/// A memoryless relation `y = g(u)`.
pub trait Law: Send + std::fmt::Debug {
    /// How many outputs it has.
    fn outputs(&self) -> usize;

    /// `y = g(u)`. Must not allocate.
    fn evaluate(&self, u: &[f64], y: &mut [f64]);

    /// The law applied to polynomials: exact for a linear law that overrides this, otherwise the polynomial of degree
    /// max(2·degree, 3) through its values at Chebyshev–Lobatto nodes of the step.
    fn segments(&self, u: &[Segment], y: &mut [Segment]) {
        sample(self.outputs(), |u, y| self.evaluate(u, y), u, y);
    }
}

/// Spring and damper between two bodies: `f^c = k_c (x_1 − x_2) + c_c (v_1 − v_2)`, \[LIM 2021\] eq. (8).
///
/// Inputs `x_1, v_1, x_2, v_2` [m, m/s]; output `f^c` \[N\], the force body 1 exerts on body 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpringDamper {
    /// Stiffness k_c [N/m].
    pub stiffness: f64,
    /// Damping c_c [N·s/m].
    pub damping: f64,
}

impl Law for SpringDamper {
    fn outputs(&self) -> usize {
        1
    }

    #[inline]
    fn evaluate(&self, u: &[f64], y: &mut [f64]) {
        y[0] = self.stiffness * (u[0] - u[2]) + self.damping * (u[1] - u[3]);
    }

    fn segments(&self, u: &[Segment], y: &mut [Segment]) {
        let degree = u.iter().map(Segment::degree).max().unwrap_or(0);
        y[0].fill(degree, |i| {
            self.stiffness * (u[0].coefficient(i) - u[2].coefficient(i))
                + self.damping * (u[1].coefficient(i) - u[3].coefficient(i))
        });
    }
}

/// A linear map `y = T u` on a connection, in compressed rows. Its dual `Tᵀ` belongs on the way back, so that power is
/// conserved: `F·(T u̇) = (Tᵀ F)·u̇`; [`crate::Simulation::watch_work`] checks a pair of maps for that in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearMap {
    columns: usize,
    /// Where each row begins among the entries, and where the last one ends.
    starts: Vec<usize>,
    /// Column and value of each entry.
    entries: Vec<(usize, f64)>,
}

impl LinearMap {
    /// A dense map with `columns` inputs from its rows, one after the other; the length of `t` is a multiple of `columns`,
    /// or `None`. Zeros are kept.
    pub fn new(columns: usize, t: Vec<f64>) -> Option<Self> {
        if columns == 0 || t.is_empty() || !t.len().is_multiple_of(columns) {
            return None;
        }
        let starts = (0..=t.len() / columns).map(|row| row * columns).collect();
        let entries = t.into_iter().enumerate().map(|(i, value)| (i % columns, value)).collect();
        Some(LinearMap { columns, starts, entries })
    }

    /// A sparse map with `columns` inputs from its rows, each a list of column and value; `None` without rows or with a
    /// column out of range.
    pub fn sparse(columns: usize, rows: impl IntoIterator<Item = Vec<(usize, f64)>>) -> Option<Self> {
        let mut map = LinearMap { columns, starts: vec![0], entries: Vec::new() };
        for row in rows {
            map.entries.extend(row);
            map.starts.push(map.entries.len());
        }
        (map.starts.len() > 1 && map.entries.iter().all(|(column, _)| *column < columns)).then_some(map)
    }

    /// The dual map `Tᵀ`.
    pub fn dual(&self) -> Self {
        let mut rows = vec![Vec::new(); self.columns];
        for (row, range) in self.starts.windows(2).enumerate() {
            for &(column, value) in &self.entries[range[0]..range[1]] {
                rows[column].push((row, value));
            }
        }
        let mut dual = LinearMap { columns: self.starts.len() - 1, starts: vec![0], entries: Vec::new() };
        for row in rows {
            dual.entries.extend(row);
            dual.starts.push(dual.entries.len());
        }
        dual
    }

    /// Number of inputs.
    pub fn columns(&self) -> usize {
        self.columns
    }

    fn rows(&self) -> impl Iterator<Item = &[(usize, f64)]> {
        self.starts.windows(2).map(|range| &self.entries[range[0]..range[1]])
    }
}

impl Law for LinearMap {
    fn outputs(&self) -> usize {
        self.starts.len() - 1
    }

    fn evaluate(&self, u: &[f64], y: &mut [f64]) {
        for (y, row) in y.iter_mut().zip(self.rows()) {
            *y = row.iter().map(|(column, t)| t * u[*column]).sum();
        }
    }

    fn segments(&self, u: &[Segment], y: &mut [Segment]) {
        let degree = u.iter().map(Segment::degree).max().unwrap_or(0);
        for (y, row) in y.iter_mut().zip(self.rows()) {
            y.fill(degree, |i| row.iter().map(|(column, t)| t * u[*column].coefficient(i)).sum());
        }
    }
}

/// Most inputs and outputs a law has that is applied to polynomials by sampling.
pub const SAMPLED_MAX: usize = 32;

/// Outputs that go through together, so that the stack stays small whatever their number.
const GROUP: usize = 4;

/// Applies `g` at Chebyshev–Lobatto nodes and interpolates.
pub(crate) fn sample(outputs: usize, g: impl Fn(&[f64], &mut [f64]), u: &[Segment], y: &mut [Segment]) {
    let degree = u.iter().map(Segment::degree).max().unwrap_or(0);
    let (mut values, mut result) = ([0.0; SAMPLED_MAX], [0.0; SAMPLED_MAX]);
    // The law at the local time s.
    let mut at = |s: f64, result: &mut [f64]| {
        for (v, p) in values.iter_mut().zip(u) {
            *v = p.at(s);
        }
        g(&values[..u.len()], &mut result[..outputs]);
    };
    // Held inputs make held outputs: one evaluation.
    if degree == 0 {
        at(0.0, &mut result);
        y.iter_mut().zip(&result[..outputs]).for_each(|(y, value)| y.set_constant(*value));
        return;
    }
    // As many nodes as a product of two inputs needs, where there is room.
    let n = (2 * degree).clamp(3, NODES_MAX);
    let mut nodes = [[0.0; NODES_MAX + 1]; GROUP];
    // Outputs in groups, so that values at the nodes need no heap.
    for first in (0..outputs).step_by(GROUP) {
        let group = first..(first + GROUP).min(outputs);
        for j in 0..=n {
            at(lobatto(j, n), &mut result);
            nodes.iter_mut().zip(group.clone()).for_each(|(values, o)| values[j] = result[o]);
        }
        for (values, o) in nodes.iter().zip(group) {
            Transform::of(n).polynomial(|i| values[i], &mut y[o]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Product;
    impl Law for Product {
        fn outputs(&self) -> usize {
            1
        }
        fn evaluate(&self, u: &[f64], y: &mut [f64]) {
            y[0] = u[0] * u[1];
        }
    }

    #[test]
    fn laws_on_polynomials_agree_with_laws_on_values() {
        let mut u = [Segment::default(); 4];
        for (n, p) in u.iter_mut().enumerate() {
            p.fill(n, |i| (i as f64 + 1.0) * (n as f64 - 1.5));
        }
        let map = LinearMap::new(2, vec![1.0, 2.0, -3.0, 0.5]).expect("well formed");
        let laws: [&dyn Law; 3] = [&SpringDamper { stiffness: 3.0, damping: 0.2 }, &Product, &map];
        for law in laws {
            let mut y = [Segment::default(); 2];
            let inputs = if law.outputs() == 2 { 2 } else { 4 };
            law.segments(&u[4 - inputs..], &mut y[..law.outputs()]);
            for s in [0.0, 0.25, 1.0] {
                let at: Vec<f64> = u[4 - inputs..].iter().map(|p| p.at(s)).collect();
                let mut expected = [0.0; 2];
                law.evaluate(&at, &mut expected);
                for (y, e) in y.iter().zip(&expected).take(law.outputs()) {
                    assert!((y.at(s) - e).abs() < 1e-11, "{law:?}");
                }
            }
        }
        assert_eq!(map.dual().dual(), map);
        let sparse = LinearMap::sparse(2, [vec![(0, 1.0), (1, 2.0)], vec![(0, -3.0), (1, 0.5)]]);
        assert_eq!(sparse, Some(map));
        assert_eq!(LinearMap::sparse(2, [vec![(2, 1.0)]]), None);
    }
}
