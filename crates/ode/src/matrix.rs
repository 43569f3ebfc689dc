//! Small dense square matrices, enough for a matrix exponential.

/// A square matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    n: usize,
    a: Vec<f64>,
}

impl Matrix {
    /// The n × n matrix with these elements.
    pub fn from_fn(n: usize, mut element: impl FnMut(usize, usize) -> f64) -> Matrix {
        let mut a = Vec::with_capacity(n * n);
        for i in 0..n {
            for j in 0..n {
                a.push(element(i, j));
            }
        }
        Matrix { n, a }
    }

    /// The identity.
    pub fn identity(n: usize) -> Matrix {
        Matrix::from_fn(n, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    /// Rows, and columns.
    pub fn size(&self) -> usize {
        self.n
    }

    /// Element (i, j).
    #[inline]
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.a[i * self.n + j]
    }

    /// `self · b`.
    pub fn times(&self, b: &Matrix) -> Matrix {
        let mut product = b.clone();
        self.times_into(b, &mut product);
        product
    }

    /// `self · b` into a matrix of the same size.
    #[inline]
    pub fn times_into(&self, b: &Matrix, product: &mut Matrix) {
        // Sizes of the oscillators are known to the compiler: no loop bounds and no checks. The order of the sums is the same.
        match self.n {
            0 => {}
            1 => product_of::<1>(&self.a, &b.a, &mut product.a),
            2 => product_of::<2>(&self.a, &b.a, &mut product.a),
            4 => product_of::<4>(&self.a, &b.a, &mut product.a),
            n => {
                for (row, of) in product.a.chunks_exact_mut(n).zip(self.a.chunks_exact(n)) {
                    for (j, x) in row.iter_mut().enumerate() {
                        *x = of.iter().zip(b.a[j..].iter().step_by(n)).map(|(x, y)| x * y).sum();
                    }
                }
            }
        }
    }

    /// `self = I + factor · b`.
    #[inline]
    pub fn set_shifted(&mut self, factor: f64, b: &Matrix) {
        let n = self.n.max(1);
        for (i, (row, from)) in self.a.chunks_exact_mut(n).zip(b.a.chunks_exact(n)).enumerate() {
            for (j, (x, y)) in row.iter_mut().zip(from).enumerate() {
                *x = factor * y + if i == j { 1.0 } else { 0.0 };
            }
        }
    }

    /// `self *= factor`.
    pub fn scale(&mut self, factor: f64) {
        self.a.iter_mut().for_each(|x| *x *= factor);
    }

    /// `self · x`, into `y`.
    #[inline]
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = (0..self.n).map(|k| self.at(i, k) * x[k]).sum();
        }
    }

    /// `factor · self`.
    pub fn scaled(&self, factor: f64) -> Matrix {
        Matrix { n: self.n, a: self.a.iter().map(|x| factor * x).collect() }
    }

    /// `self += factor · b`.
    pub fn add_scaled(&mut self, factor: f64, b: &Matrix) {
        for (x, y) in self.a.iter_mut().zip(&b.a) {
            *x += factor * y;
        }
    }

    /// Largest sum of absolute values in a row.
    pub fn norm_inf(&self) -> f64 {
        (0..self.n).map(|i| (0..self.n).map(|j| self.at(i, j).abs()).sum()).fold(0.0, f64::max)
    }

    /// Whether every element is finite.
    pub fn is_finite(&self) -> bool {
        self.a.iter().all(|x| x.is_finite())
    }

    /// Powers of two d with D⁻¹ A D of about equal row and column sums (Osborne's balancing), exact in floating point.
    pub fn balance(&self) -> Vec<f64> {
        let mut d = vec![1.0_f64; self.n];
        for _ in 0..8 {
            let before = d.clone();
            for i in 0..self.n {
                let others = || (0..self.n).filter(|j| *j != i);
                let row: f64 = others().map(|j| (self.at(i, j) * d[j] / d[i]).abs()).sum();
                let column: f64 = others().map(|j| (self.at(j, i) * d[i] / d[j]).abs()).sum();
                if row > 0.0 && column > 0.0 {
                    d[i] *= (0.5 * (row / column).log2()).round().exp2();
                }
            }
            if d == before {
                break;
            }
        }
        d
    }

    /// D⁻¹ A D for a diagonal D.
    pub fn similar(&self, d: &[f64]) -> Matrix {
        Matrix::from_fn(self.n, |i, j| self.at(i, j) * d[j] / d[i])
    }
}

/// The product of two N × N matrices, row by row.
#[inline]
fn product_of<const N: usize>(a: &[f64], b: &[f64], product: &mut [f64]) {
    let (a, _) = a.as_chunks::<N>();
    let (b, _) = b.as_chunks::<N>();
    let (product, _) = product.as_chunks_mut::<N>();
    for (row, of) in product.iter_mut().zip(a) {
        *row = std::array::from_fn(|j| of.iter().zip(b).map(|(x, y)| x * y[j]).sum());
    }
}
