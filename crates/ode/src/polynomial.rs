//! Inputs as polynomials in the time since a point.
//!
//! # Equations
//! u_i(τ) = Σ_{j=0}^{d} c_ij τ^j with c_ij = u_i^{(j)}/j!; Horner's rule; shift to τ₀ by repeated synthetic division.

/// Highest degree of an input, and highest order of an output's derivative.
pub const MAX_DEGREE: usize = 20;

/// Rows there is room for from the start where there are many inputs: for degree 5, as of all explicit predictors but
/// `jerk:3` and high `poly:K`. With hundreds of inputs, room for all degrees is most of an instance.
const FIRST_ROWS: usize = 6;

/// As many inputs have room for all degrees from the start, 2.6 kB, so that no step takes memory.
const FEW: usize = 16;

/// A polynomial per input, coefficients of equal degree side by side; those beyond [`Polynomials::degree`] are zero.
#[derive(Debug, Clone, Default)]
pub struct Polynomials {
    count: usize,
    degree: usize,
    /// `rows[j · count + i]` = c_ij; as many rows as were needed so far, at least those up to the degree.
    rows: Vec<f64>,
}

impl PartialEq for Polynomials {
    fn eq(&self, other: &Polynomials) -> bool {
        let used = |p: &Polynomials| ..p.count * (p.degree + 1);
        (self.count, self.degree) == (other.count, other.degree)
            && self.rows.get(used(self)) == other.rows.get(used(other))
    }
}

impl Polynomials {
    /// `count` polynomials that are zero.
    pub fn new(count: usize) -> Polynomials {
        let rows = if count <= FEW { MAX_DEGREE + 1 } else { FIRST_ROWS };
        Polynomials { count, degree: 0, rows: vec![0.0; count * rows] }
    }

    /// Number of inputs.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The highest degree of any of them.
    #[inline]
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Coefficient c_ij, u^{(j)}/j!. Both indices must be in range.
    #[inline]
    pub fn coefficient(&self, i: usize, j: usize) -> f64 {
        self.rows.get(j * self.count + i).copied().unwrap_or(0.0)
    }

    /// Makes room for rows up to `degree`: all at once, so that memory is taken once in a life.
    #[inline]
    fn reserve(&mut self, degree: usize) {
        if self.rows.len() < self.count * (degree + 1) {
            self.rows.resize(self.count * (MAX_DEGREE + 1), 0.0);
        }
    }

    /// Sets c_ij, j at most [`MAX_DEGREE`].
    #[inline]
    pub fn set(&mut self, i: usize, j: usize, coefficient: f64) {
        self.reserve(j);
        self.rows[j * self.count + i] = coefficient;
        self.degree = self.degree.max(j);
    }

    /// The values at τ = 0.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.rows[..self.count]
    }

    /// Makes input `i` constant.
    #[inline]
    pub fn flatten(&mut self, i: usize) {
        for j in 1..=self.degree {
            self.rows[j * self.count + i] = 0.0;
        }
    }

    /// Lowers the degree while the highest coefficients are all zero.
    #[inline]
    pub fn trim(&mut self) {
        while self.degree > 0 && self.row(self.degree).iter().all(|c| *c == 0.0) {
            self.degree -= 1;
        }
    }

    /// u_i(τ).
    #[inline(always)]
    pub fn value(&self, i: usize, tau: f64) -> f64 {
        if self.degree == 0 {
            return self.rows[i];
        }
        if self.degree == 1 {
            return self.rows[self.count + i] * tau + self.rows[i];
        }
        if self.degree == 2 {
            return (self.rows[2 * self.count + i] * tau + self.rows[self.count + i]) * tau + self.rows[i];
        }
        self.horner(i, tau)
    }

    /// u_i(τ) by Horner's rule. A function of its own, so that those of low degree go without a call.
    fn horner(&self, i: usize, tau: f64) -> f64 {
        let mut place = self.degree * self.count + i;
        let mut sum = self.rows[place];
        while place >= self.count {
            place -= self.count;
            sum = sum * tau + self.rows[place];
        }
        sum
    }

    /// u̇_i(τ).
    #[inline]
    pub fn rate(&self, i: usize, tau: f64) -> f64 {
        if self.degree == 1 {
            return 0.0 * tau + self.rows[self.count + i];
        }
        if self.degree == 2 {
            return (0.0 * tau + 2.0 * self.rows[2 * self.count + i]) * tau + self.rows[self.count + i];
        }
        (1..=self.degree).rev().fold(0.0, |sum, j| sum * tau + j as f64 * self.coefficient(i, j))
    }

    /// Moves the origin to τ₀: afterwards u(0) is what u(τ₀) was.
    #[inline]
    pub fn shift(&mut self, tau: f64) {
        // Lines and parabolas are the commonest.
        match self.degree {
            1 => self.add_row_above(0, tau),
            2 => [1, 0, 1].into_iter().for_each(|j| self.add_row_above(j, tau)),
            _ => self.shift_all(tau),
        }
    }

    fn shift_all(&mut self, tau: f64) {
        for lowest in 0..self.degree {
            for j in (lowest..self.degree).rev() {
                self.add_row_above(j, tau);
            }
        }
    }

    /// Adds to row j of all inputs τ₀ times the row above it.
    #[inline(always)]
    fn add_row_above(&mut self, j: usize, tau: f64) {
        let (rows, above) = self.rows.split_at_mut((j + 1) * self.count);
        for (c, next) in rows[j * self.count..].iter_mut().zip(above) {
            *c += tau * *next;
        }
    }

    /// Becomes a copy of polynomials of the same number, copying only what is not zero; memory is taken for a higher
    /// degree than ever before only.
    #[inline]
    pub fn copy_from(&mut self, other: &Polynomials) {
        // Nearly always both are constants.
        if self.degree | other.degree == 0 {
            self.rows[..self.count].copy_from_slice(&other.rows[..self.count]);
            return;
        }
        self.copy_rows(other);
    }

    fn copy_rows(&mut self, other: &Polynomials) {
        self.reserve(other.degree);
        let used = (other.degree + 1) * self.count;
        self.rows[..used].copy_from_slice(&other.rows[..used]);
        for x in &mut self.rows[used..(self.degree.max(other.degree) + 1) * self.count] {
            *x = 0.0;
        }
        self.degree = other.degree;
    }

    /// All coefficients up to [`MAX_DEGREE`], row by row, for saving and restoring; follow a change by
    /// [`Polynomials::set_degree`].
    pub fn rows_mut(&mut self) -> &mut [f64] {
        self.reserve(MAX_DEGREE);
        &mut self.rows
    }

    /// Sets the degree after [`Polynomials::rows_mut`]; rows beyond must be zero.
    pub fn set_degree(&mut self, degree: usize) {
        self.degree = degree.min(MAX_DEGREE);
        self.reserve(self.degree);
    }

    fn row(&self, j: usize) -> &[f64] {
        &self.rows[j * self.count..(j + 1) * self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_keeps_the_function() {
        let mut p = Polynomials::new(2);
        for j in 0..=5 {
            p.set(0, j, 1.0 / (1.0 + j as f64));
            p.set(1, j, (j as f64) - 2.5);
        }
        let q = p.clone();
        p.shift(0.3);
        for i in 0..2 {
            for tau in [0.0, 0.2, 1.0, -0.7] {
                assert!((p.value(i, tau) - q.value(i, tau + 0.3)).abs() < 1e-13);
                assert!((p.rate(i, tau) - q.rate(i, tau + 0.3)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_shift_of_any_degree_is_synthetic_division() {
        let tau = 0.3;
        for degree in 0..=5 {
            let mut c: Vec<f64> = (0..=degree).map(|j| 1.0 / (3.0 + j as f64)).collect();
            let mut p = Polynomials::new(2);
            c.iter().enumerate().for_each(|(j, c)| p.set(1, j, *c));
            p.shift(tau);
            for lowest in 0..degree {
                (lowest..degree).rev().for_each(|j| c[j] += tau * c[j + 1]);
            }
            assert_eq!((0..=degree).map(|j| p.coefficient(1, j)).collect::<Vec<f64>>(), c);
            assert!((0..=degree).all(|j| p.coefficient(0, j) == 0.0));
        }
    }

    #[test]
    fn values_and_rates_of_any_degree_are_those_of_horners_rule() {
        let (mut p, c) = (Polynomials::new(3), [0.7, -1.3, 0.4, 2.9]);
        for degree in 0..c.len() {
            p.set(1, degree, c[degree]);
            for tau in [0.0, 0.3, -1.1] {
                let value = c[..degree].iter().rev().fold(c[degree], |sum, c| sum * tau + c);
                let rate = (1..=degree).rev().fold(0.0, |sum, j| sum * tau + j as f64 * c[j]);
                assert_eq!((p.value(1, tau), p.rate(1, tau)), (value, rate), "{degree} {tau}");
                assert_eq!((p.value(0, tau), p.rate(2, tau)), (0.0, 0.0));
            }
        }
    }

    #[test]
    fn memory_for_high_degrees_is_taken_when_they_are_used() {
        assert_eq!(Polynomials::new(FEW).rows.len(), FEW * (MAX_DEGREE + 1));
        let n = FEW + 1;
        let (mut p, mut q) = (Polynomials::new(n), Polynomials::new(n));
        assert_eq!((p.rows.len(), p.coefficient(2, MAX_DEGREE)), (n * FIRST_ROWS, 0.0));
        p.set(1, MAX_DEGREE, 2.0);
        q.copy_from(&p);
        assert_eq!((q.coefficient(1, MAX_DEGREE), &q), (2.0, &p));
        q.copy_from(&Polynomials::new(n));
        assert_eq!(q, Polynomials::new(n));
        // What is saved has one length, whatever was used.
        assert_eq!(Polynomials::new(n).rows_mut().len(), q.rows_mut().len());
    }

    #[test]
    fn copy_clears_what_the_other_does_not_have() {
        let (mut p, mut q) = (Polynomials::new(1), Polynomials::new(1));
        p.set(0, 3, 7.0);
        q.set(0, 1, 2.0);
        p.copy_from(&q);
        assert_eq!(p, q);
        p.flatten(0);
        p.trim();
        assert_eq!(p.degree(), 0);
    }

    /// Each coefficient has its own place, and two are equal where all that is used is.
    #[test]
    fn coefficients_have_their_own_places() {
        let mut p = Polynomials::new(3);
        for (i, j) in [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)] {
            p.set(i, j, (10 * i + j) as f64 + 1.0);
        }
        assert_eq!(
            (p.row(0), p.row(1), p.row(2)),
            (&[1.0, 11.0, 21.0][..], &[2.0, 12.0, 22.0][..], &[3.0, 13.0, 23.0][..])
        );
        // One is made constant, and the others stay.
        let mut q = p.clone();
        q.flatten(1);
        assert_eq!((q.row(0), q.row(1), q.row(2)), (p.row(0), &[2.0, 0.0, 22.0][..], &[3.0, 0.0, 23.0][..]));
        assert!(p != q && q != Polynomials::new(3) && Polynomials::new(3) != Polynomials::new(2));
        // Values at the start, and all of them for saving.
        q.values_mut().copy_from_slice(&[7.0, 8.0, 9.0]);
        assert_eq!([0, 1, 2].map(|i| q.coefficient(i, 0)), [7.0, 8.0, 9.0]);
        q.rows_mut()[3 * 2] = 0.25;
        assert_eq!((q.coefficient(0, 2), q.rows_mut().len()), (0.25, 3 * (MAX_DEGREE + 1)));
    }

    /// Room that is there already is enough up to its last row.
    #[test]
    fn memory_is_taken_only_when_it_is_needed() {
        let n = FEW + 1;
        let mut p = Polynomials::new(n);
        p.set(0, FIRST_ROWS - 1, 1.0);
        assert_eq!(p.rows.len(), n * FIRST_ROWS);
        p.set(0, FIRST_ROWS, 1.0);
        assert_eq!(p.rows.len(), n * (MAX_DEGREE + 1));
    }
}
