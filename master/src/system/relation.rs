//! What a joint keeps at zero, as equations of the coordinates of its two ends, and how their rates follow the velocities there.
//!
//! | relation | g | rows |
//! |---|---|---|
//! | [`Relation::Coincident`] | p₁ − p₂ − offset | one a coordinate |
//! | [`Relation::Distance`] | (\|p₁ − p₂\|² − L²)/(2 L) | 1 |
//! | [`Relation::Hinge`] | x₁ − x₂, a₁ × a₂ | 6, of which 5 count |
//! | [`Relation::Rigid`] | x₁ − x₂, ½ Σ a₁ₖ × a₂ₖ | 6 |
//!
//! In space the coordinates of an end are a point x and unit vectors aₖ that turn with the body; its velocities are those of
//! the point and ω, its forces a force and a moment. Then `ġ = G₁ v₁ + G₂ v₂` and the ends get `fᵢ = −Gᵢᵀ λ`, with
//! `d(a₁ × a₂)/dt = (a₁ a₂ᵀ − a₁·a₂ I) ω₁ + (a₁·a₂ I − a₂ a₁ᵀ) ω₂`.

/// Equations between the coordinates of two ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Relation {
    /// Coordinates are equal, those of the first end larger by the offset.
    Coincident(Vec<f64>),
    /// Two points have a distance.
    Distance {
        /// 2 in the plane, 3 in space.
        dimensions: usize,
        /// Their distance \[m\], larger than 0.
        length_m: f64,
    },
    /// In space: points coincide, and an axis of either end.
    Hinge,
    /// In space: points coincide, and three axes of either end.
    Rigid,
}

/// Most rows and velocities of a relation that bends, for room on the stack.
const BENT_MAX: usize = 6 * 12;

impl Relation {
    /// How many equations.
    pub fn rows(&self) -> usize {
        match self {
            Relation::Coincident(offset) => offset.len(),
            Relation::Distance { .. } => 1,
            Relation::Hinge | Relation::Rigid => 6,
        }
    }

    /// Coordinates of an end.
    pub fn coordinates(&self) -> usize {
        match self {
            Relation::Coincident(offset) => offset.len(),
            Relation::Distance { dimensions, .. } => *dimensions,
            Relation::Hinge => 6,
            Relation::Rigid => 12,
        }
    }

    /// Velocities, and forces, of an end.
    pub fn velocities(&self) -> usize {
        if *self == Relation::Rigid { 6 } else { self.coordinates() }
    }

    /// Whether G changes with the coordinates.
    pub fn bends(&self) -> bool {
        !matches!(self, Relation::Coincident(_))
    }

    /// g of the coordinates of both ends.
    pub(crate) fn gap(&self, [p, q]: [&[f64]; 2], g: &mut [f64]) {
        match self {
            Relation::Coincident(offset) => {
                for (i, g) in g.iter_mut().enumerate() {
                    *g = p[i] - q[i] - offset[i];
                }
            }
            Relation::Distance { length_m, .. } => {
                let square: f64 = p.iter().zip(q).map(|(p, q)| (p - q) * (p - q)).sum();
                // (d² − L²)/(2 L) without a difference of squares.
                let distance = square.sqrt();
                g[0] = (distance - length_m) * (distance + length_m) / (2.0 * length_m);
            }
            Relation::Hinge | Relation::Rigid => {
                for i in 0..3 {
                    (g[i], g[3 + i]) = (p[i] - q[i], 0.0);
                }
                for (a, b, weight) in self.axes([p, q]) {
                    for i in 0..3 {
                        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                        g[3 + i] += weight * (a[j] * b[k] - a[k] * b[j]);
                    }
                }
            }
        }
    }

    /// G, row by row: the columns of the velocities of the first end, then those of the second.
    pub(crate) fn slopes(&self, [p, q]: [&[f64]; 2], slopes: &mut [f64]) {
        slopes.fill(0.0);
        match self {
            Relation::Coincident(offset) => {
                // The identity and its negative, as in p₁ − p₂.
                let n = offset.len();
                for i in 0..n {
                    (slopes[i * 2 * n + i], slopes[i * 2 * n + n + i]) = (1.0, -1.0);
                }
            }
            Relation::Distance { dimensions: n, length_m } => {
                // The unit vector along the line between the ends.
                for i in 0..*n {
                    let slope = (p[i] - q[i]) / length_m;
                    (slopes[i], slopes[n + i]) = (slope, -slope);
                }
            }
            Relation::Hinge | Relation::Rigid => {
                // Points: as if coincident, without the axes.
                for i in 0..3 {
                    (slopes[i * 12 + i], slopes[i * 12 + 6 + i]) = (1.0, -1.0);
                }
                // Axes: d(a₁ × a₂)/dt by ω₁ and by ω₂.
                for (a, b, weight) in self.axes([p, q]) {
                    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    for i in 0..3 {
                        let row = (3 + i) * 12;
                        slopes[row + 3 + i] -= weight * dot;
                        slopes[row + 9 + i] += weight * dot;
                        for j in 0..3 {
                            slopes[row + 3 + j] += weight * a[i] * b[j];
                            slopes[row + 9 + j] -= weight * b[i] * a[j];
                        }
                    }
                }
            }
        }
    }

    /// Pairs of axes, each with its weight.
    fn axes<'a>(&self, [p, q]: [&'a [f64]; 2]) -> impl Iterator<Item = (&'a [f64], &'a [f64], f64)> + use<'a> {
        let (first, last) = (3, self.coordinates());
        let weight = if *self == Relation::Rigid { 0.5 } else { 1.0 };
        p[first..last].chunks_exact(3).zip(q[first..last].chunks_exact(3)).map(move |(a, b)| (a, b, weight))
    }

    /// The forces `−Gᵀ λ` on the first end, then those on the second.
    pub(crate) fn forces(&self, ends: [&[f64]; 2], lambda: &[f64], forces: &mut [f64]) {
        let n = self.velocities();
        if !self.bends() {
            for (i, lambda) in lambda.iter().enumerate() {
                (forces[i], forces[n + i]) = (-lambda, *lambda);
            }
            return;
        }
        let mut room = [0.0; BENT_MAX];
        let slopes = &mut room[..self.rows() * 2 * n];
        self.slopes(ends, slopes);
        for (j, force) in forces.iter_mut().enumerate().take(2 * n) {
            *force = -lambda.iter().enumerate().map(|(i, lambda)| slopes[i * 2 * n + j] * lambda).sum::<f64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body in space: a point and three axes, moved by a velocity and ω over a short time.
    fn moved(p: &[f64], v: &[f64], dt: f64) -> Vec<f64> {
        let mut out = p.to_vec();
        for i in 0..3 {
            out[i] += dt * v[i];
        }
        for axis in 0..(p.len() - 3) / 3 {
            let a = &p[3 + 3 * axis..6 + 3 * axis];
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                out[3 + 3 * axis + i] += dt * (v[3 + j] * a[k] - v[3 + k] * a[j]);
            }
        }
        out
    }

    #[test]
    fn rates_of_the_gap_are_slopes_times_velocities() {
        let plain = |p: &[f64], v: &[f64], dt: f64| p.iter().zip(v).map(|(p, v)| p + dt * v).collect::<Vec<_>>();
        type Move<'a> = &'a dyn Fn(&[f64], &[f64], f64) -> Vec<f64>;
        let cases: [(Relation, Move<'_>); 4] = [
            (Relation::Coincident(vec![0.5, -1.0]), &plain),
            (Relation::Distance { dimensions: 3, length_m: 1.5 }, &plain),
            (Relation::Hinge, &moved),
            (Relation::Rigid, &moved),
        ];
        let value = |i: usize| (1.7 * i as f64 + 0.3).sin();
        for (relation, advance) in cases {
            let (n, nv, m) = (relation.coordinates(), relation.velocities(), relation.rows());
            let ends: [Vec<f64>; 2] = std::array::from_fn(|e| (0..n).map(|i| value(i + 20 * e)).collect());
            let rates: [Vec<f64>; 2] = std::array::from_fn(|e| (0..nv).map(|i| value(i + 7 + 40 * e)).collect());
            let mut slopes = vec![0.0; m * 2 * nv];
            relation.slopes([&ends[0], &ends[1]], &mut slopes);
            let gap = |dt: f64| {
                let at: [Vec<f64>; 2] = std::array::from_fn(|e| advance(&ends[e], &rates[e], dt));
                let mut g = vec![0.0; m];
                relation.gap([&at[0], &at[1]], &mut g);
                g
            };
            let (before, after) = (gap(-1e-5), gap(1e-5));
            for i in 0..m {
                let row = &slopes[i * 2 * nv..(i + 1) * 2 * nv];
                let rate: f64 = row.iter().zip(rates.iter().flatten()).map(|(g, v)| g * v).sum();
                assert!((rate - (after[i] - before[i]) / 2e-5).abs() < 1e-8, "{relation:?} row {i}");
            }
            // Forces give as much power as the gap takes: f·v = −λ·ġ.
            let lambda: Vec<f64> = (0..m).map(|i| value(i + 90)).collect();
            let mut forces = vec![0.0; 2 * nv];
            relation.forces([&ends[0], &ends[1]], &lambda, &mut forces);
            let power: f64 = forces.iter().zip(rates.iter().flatten()).map(|(f, v)| f * v).sum();
            let rate = |i: usize| (after[i] - before[i]) / 2e-5;
            let taken: f64 = lambda.iter().enumerate().map(|(i, l)| l * rate(i)).sum();
            assert!((power + taken).abs() < 1e-8, "{relation:?}");
        }
    }
}
