//! A *segment* is what an input of a unit follows: a polynomial per scalar over one of its steps.
//!
//! `p(s) = Σ c_i s^i` in local time `s = (t − t_from)/h`, so that `d^n p/dt^n = n!·c_n / h^n` at the step's start: the
//! numbers of `fmi2SetRealInputDerivatives` (FMI 2.0.5, section 4.2.2).

/// Highest degree a segment can have.
pub const DEGREE_MAX: usize = 22;

/// A polynomial in local time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    degree: usize,
    c: [f64; DEGREE_MAX + 1],
}

impl Default for Segment {
    fn default() -> Self {
        Segment { degree: 0, c: [0.0; DEGREE_MAX + 1] }
    }
}

impl Segment {
    /// Degree in use.
    #[inline]
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Coefficients `c_0 … c_degree`.
    #[inline]
    pub fn coefficients(&self) -> &[f64] {
        &self.c[..=self.degree]
    }

    /// Coefficient of `s^i`, 0 above the degree.
    #[inline]
    pub fn coefficient(&self, i: usize) -> f64 {
        if i <= self.degree { self.c[i] } else { 0.0 }
    }

    /// Makes it a constant.
    #[inline]
    pub fn set_constant(&mut self, value: f64) {
        self.degree = 0;
        self.c[0] = value;
    }

    /// Adds a constant.
    #[inline]
    pub fn shift(&mut self, value: f64) {
        self.c[0] += value;
    }

    /// Takes the coefficients of another.
    #[inline]
    pub fn copy_from(&mut self, other: &Segment) {
        self.degree = other.degree;
        // Constants and lines are the commonest: without a call.
        (self.c[0], self.c[1]) = (other.c[0], other.c[1]);
        if other.degree > 1 {
            self.c[2..=other.degree].copy_from_slice(&other.c[2..=other.degree]);
        }
    }

    /// Sets coefficients from `f(i)`, `i = 0 … degree`; a degree above [`DEGREE_MAX`] is cut.
    pub fn fill(&mut self, degree: usize, mut f: impl FnMut(usize) -> f64) {
        self.degree = degree.min(DEGREE_MAX);
        for i in 0..=self.degree {
            self.c[i] = f(i);
        }
    }

    /// Value at local time `s`.
    #[inline]
    ///
    /// ```
    /// use macrostep_master::Segment;
    ///
    /// // 1 + 2 s + 3 s²
    /// let mut p = Segment::default();
    /// p.fill(2, |i| i as f64 + 1.0);
    /// assert_eq!(p.at(0.5), 2.75);
    /// ```
    pub fn at(&self, s: f64) -> f64 {
        self.coefficients().iter().rev().fold(0.0, |p, c| p * s + c)
    }

    /// The derivative with respect to *time*, for a step of `length_s` seconds, into `out`.
    pub fn differentiate(&self, length_s: f64, out: &mut Segment) {
        out.fill(self.degree.saturating_sub(1), |i| self.coefficient(i + 1) * (i + 1) as f64 / length_s);
    }

    /// The integral over time from local time `anchor`, where it has the value `value`, into `out`.
    pub fn integrate(&self, length_s: f64, anchor: f64, value: f64, out: &mut Segment) {
        out.fill(self.degree + 1, |i| if i == 0 { 0.0 } else { self.c[i - 1] * length_s / i as f64 });
        let offset = value - out.at(anchor);
        out.c[0] += offset;
    }

    /// Derivative with respect to time at the step's start, of the order of how many factors i/H, i = 1, 2, …, there are.
    #[inline]
    pub fn taylor(&self, factors: &[f64]) -> f64 {
        factors.iter().fold(self.coefficient(factors.len()), |x, factor| x * factor)
    }

    /// Lowers the degree to `degree`: the polynomial of that degree that is the nearest over the step in the mean square. Its moments
    /// ∫p sⁱ ds up to i = `degree` are those of the whole polynomial, so a smooth unit is moved alike up to a higher order.
    ///
    /// Removes multiples of the monic shifted Legendre polynomials s^d + Σ l_k s^k, which are orthogonal to all lower powers; from
    /// k = d down l_k = −l_{k+1} (k + 1)²/((d − k)(d + k + 1)), l_d = 1 (Abramowitz and Stegun, 22.3.8 with x = 2s − 1).
    pub fn project(&mut self, degree: usize) {
        while self.degree > degree {
            let (d, highest) = (self.degree, self.c[self.degree]);
            let mut l = 1.0;
            for k in (0..d).rev() {
                l *= -(((k + 1) * (k + 1)) as f64) / ((d - k) * (d + k + 1)) as f64;
                self.c[k] -= highest * l;
            }
            self.degree -= 1;
        }
    }

    /// The largest second derivative with respect to local time, at evenly spaced points of the step.
    pub fn curvature(&self) -> f64 {
        let points = 4 * self.degree.max(1);
        let second = |s: f64| (2..=self.degree).rev().fold(0.0, |sum, i| sum * s + (i * (i - 1)) as f64 * self.c[i]);
        (0..=points).map(|j| second(j as f64 / points as f64).abs()).fold(0.0, f64::max)
    }

    /// The same polynomial seen from a part of the step: local time `s = a + b·s'`, into `out`.
    pub fn part(&self, a: f64, b: f64, out: &mut Segment) {
        out.set_constant(0.0);
        for i in (0..=self.degree).rev() {
            // out ← out·(a + b s') + c_i
            let n = if i == self.degree { 0 } else { out.degree + 1 };
            if n > 0 {
                out.c[n] = 0.0;
                for j in (0..=n).rev() {
                    let below = if j > 0 { out.c[j - 1] } else { 0.0 };
                    out.c[j] = a * out.c[j] + b * below;
                }
                out.degree = n;
            }
            out.c[0] += self.c[i];
        }
    }
}

/// Values at one abscissa: `f, f', f'', …` with respect to the abscissa, for [`interpolate`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet {
    /// Abscissa.
    pub s: f64,
    /// `f, f', f''`; only the first `len` count.
    pub values: [f64; 3],
    /// How many values are given, 1 … 3.
    pub len: usize,
}

/// The polynomial of lowest degree through all jets (Hermite interpolation by divided differences with repeated nodes,
/// e.g. Stoer & Bulirsch, section 2.1.5), into `out`. Abscissas must differ; conditions beyond [`DEGREE_MAX`] + 1 are
/// left out.
///
/// ```
/// use macrostep_master::{Jet, Segment, interpolate};
///
/// // Values 0 and 1 at the ends, rates 0 at both: 3 s² − 2 s³.
/// let jets = [0.0, 1.0].map(|s| Jet { s, values: [s, 0.0, 0.0], len: 2 });
/// let mut p = Segment::default();
/// interpolate(&jets, &mut p);
/// assert_eq!(p.coefficients(), [0.0, 0.0, 3.0, -2.0]);
/// ```
pub fn interpolate(jets: &[Jet], out: &mut Segment) {
    // Nodes, each as often as its jet has conditions, with the value there and the jet it is from.
    let mut z = [0.0; DEGREE_MAX + 1];
    let mut owner = [0usize; DEGREE_MAX + 1];
    let mut d = [0.0; DEGREE_MAX + 1];
    let mut n = 0;
    for (j, jet) in jets.iter().enumerate() {
        for _ in 0..jet.len {
            if n <= DEGREE_MAX {
                z[n] = jet.s;
                owner[n] = j;
                d[n] = jet.values[0];
                n += 1;
            }
        }
    }
    if n == 0 {
        out.set_constant(0.0);
        return;
    }
    // Divided differences; between nodes of one jet they are p⁽ⁿ⁾/n!.
    let mut factorial = 1.0;
    for level in 1..n {
        factorial *= level as f64;
        for i in (level..n).rev() {
            d[i] = if owner[i] == owner[i - level] {
                jets[owner[i]].values[level] / factorial
            } else {
                (d[i] - d[i - 1]) / (z[i] - z[i - level])
            };
        }
    }
    newton_to_monomial(&z[..n], &d[..n], out);
}

/// The polynomial through values alone, one at each of the abscissas `z`, which must differ: what [`interpolate`] makes of
/// them, to the bit.
#[inline]
pub fn interpolate_values<const N: usize>(z: [f64; N], mut d: [f64; N], out: &mut Segment) {
    for level in 1..N {
        for i in (level..N).rev() {
            d[i] = (d[i] - d[i - 1]) / (z[i] - z[i - level]);
        }
    }
    newton_to_monomial(&z, &d, out);
}

/// `Σ d_i Π_{j<i} (s − z_j)` in powers of `s`.
#[inline]
fn newton_to_monomial(z: &[f64], d: &[f64], out: &mut Segment) {
    let n = d.len();
    out.degree = 0;
    out.c[0] = d[n - 1];
    for i in (0..n - 1).rev() {
        let top = out.degree + 1;
        out.c[top] = 0.0;
        for j in (0..=top).rev() {
            let below = if j > 0 { out.c[j - 1] } else { 0.0 };
            out.c[j] = below - z[i] * out.c[j];
        }
        out.degree = top;
        out.c[0] += d[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn interpolation_hits_values_and_derivatives(
            v in prop::collection::vec(-5.0f64..5.0, 9), shift in -2.0f64..2.0
        ) {
            let jets: Vec<Jet> = (0..3)
                .map(|i| Jet { s: shift + i as f64, values: [v[3 * i], v[3 * i + 1], v[3 * i + 2]], len: 3 - i })
                .collect();
            let mut p = Segment::default();
            interpolate(&jets, &mut p);
            prop_assert_eq!(p.degree(), 5);
            let (mut p1, mut p2) = (Segment::default(), Segment::default());
            p.differentiate(1.0, &mut p1);
            p1.differentiate(1.0, &mut p2);
            for j in &jets {
                for (n, q) in [p, p1, p2].iter().take(j.len).enumerate() {
                    prop_assert!((q.at(j.s) - j.values[n]).abs() < 1e-7, "{} {}", q.at(j.s), j.values[n]);
                }
            }
        }

        #[test]
        fn values_alone_are_interpolated_to_the_same_bits(v in prop::array::uniform3(-5.0f64..5.0), shift in -2.0f64..2.0) {
            let z = [shift, shift - 1.0, shift - 2.5];
            let jets: Vec<Jet> = (0..3).map(|i| Jet { s: z[i], values: [v[i], 0.0, 0.0], len: 1 }).collect();
            let (mut p, mut q) = (Segment::default(), Segment::default());
            interpolate(&jets, &mut p);
            interpolate_values(z, v, &mut q);
            prop_assert_eq!(p.coefficients().len(), 3);
            for (a, b) in p.coefficients().iter().zip(q.coefficients()) {
                prop_assert_eq!(a.to_bits(), b.to_bits());
            }
        }

        #[test]
        fn a_part_and_the_whole_agree(c in prop::collection::vec(-3.0f64..3.0, 6), a in 0.0f64..1.0, b in 0.1f64..1.0) {
            let (mut p, mut q) = (Segment::default(), Segment::default());
            p.fill(5, |i| c[i]);
            p.part(a, b, &mut q);
            for s in [0.0, 0.3, 1.0] {
                prop_assert!((q.at(s) - p.at(a + b * s)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn integral_and_derivative_undo_each_other() {
        let (mut p, mut q, mut r) = (Segment::default(), Segment::default(), Segment::default());
        p.fill(3, |i| 1.0 + i as f64);
        p.integrate(0.5, -1.0, 7.0, &mut q);
        assert!((q.at(-1.0) - 7.0).abs() < 1e-14);
        q.differentiate(0.5, &mut r);
        for s in [-1.0, 0.0, 0.7] {
            assert!((r.at(s) - p.at(s)).abs() < 1e-13);
        }
        assert!((q.taylor(&[1.0 / 0.5]) - p.at(0.0)).abs() < 1e-14);
    }
}
