//! The general second-order chain with connectors, before and after reduction.
//!
//! ```text
//! A₂ ξ̈ + A₁ ξ̇ + A₀ ξ = B ηᵐ,   ξᵐ = Bᵀ ξ          (discretised, connectors tied)
//! Ã₂ q̈ + Ã₁ q̇ + Ã₀ q = B̃ ηᵐ,   Ãₖ = Vᵀ Aₖ V, B̃ = Vᵀ B, ξ ≈ V q
//! ```
//!
//! Mechanics: A₂ mass, A₁ damping, A₀ stiffness, across variables displacements, through variables forces. Heat: A₂ = 0,
//! A₁ capacity, A₀ conductance, across variables temperatures, through variables heat flows into the body.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | ξᵐ, ηᵐ | across and through variables of the connectors ("masters") |
//! | Φ | tie map, ξ_full = Φ ξ |
//! | V | reduction basis |
//!
//! # References
//! [Zaiczek 2010] section 2, "Connector Definitions" and "Model Order Reduction".

#[cfg(feature = "solve")]
use crate::Basis;
use crate::{Error, RowMap, Sparse};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// Discretised chain with its connector variables in front: coordinates 0 .. `masters` are ξᵐ.
#[derive(Debug, Clone)]
pub struct Chain {
    /// A₀, n × n.
    pub a0: Sparse,
    /// A₁, n × n, absent when zero.
    pub a1: Option<Sparse>,
    /// A₂, n × n, absent when zero.
    pub a2: Option<Sparse>,
    /// Modes that cost nothing (rigid motions, uniform temperature), n × r; A₀ times it is zero.
    pub null: DMatrix<f64>,
    /// Variables per connector: 6 for mechanics, 1 for scalars.
    pub width: usize,
    /// Number of connector variables, `width` times the number of connectors.
    pub masters: usize,
}

impl Chain {
    /// Ties the nodes of each connector to one scalar master: ξ_s = ξ_m, flows add up.
    ///
    /// `a1`, `a0` and `a2` are in the untied coordinates; `connectors` lists the tied coordinates of each connector.
    /// The null mode is the uniform one.
    ///
    /// # Errors
    /// [`Error::NoSlaves`], [`Error::SharedNode`] or [`Error::Shape`] for impossible connectors.
    pub fn scalar(
        a0: &Sparse,
        a1: Option<&Sparse>,
        a2: Option<&Sparse>,
        connectors: &[Vec<usize>],
    ) -> Result<(Self, RowMap), Error> {
        // Each tied coordinate follows the master of its connector, and of one only.
        let size = a0.size();
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); size];
        for (index, slaves) in connectors.iter().enumerate() {
            if slaves.is_empty() {
                return Err(Error::NoSlaves { connector: index.to_string() });
            }
            for &slave in slaves {
                let row = rows.get_mut(slave).ok_or(Error::Shape {
                    what: "slave coordinate",
                    found: slave,
                    expected: size,
                })?;
                // Tied twice is refused: it would tie both masters to each other.
                if let Some(&(first, _)) = row.first() {
                    let (first, second) = (first.to_string(), index.to_string());
                    return Err(Error::SharedNode { node: slave, first, second });
                }
                row.push((index, 1.0));
            }
        }
        // Masters come first, then the coordinates that are free.
        let mut columns = connectors.len();
        for row in rows.iter_mut().filter(|row| row.is_empty()) {
            row.push((columns, 1.0));
            columns += 1;
        }
        // Matrices of the tied body: Φᵀ A Φ.
        let map = RowMap { columns, rows };
        let tie = |a: Option<&Sparse>| a.map(|a| a.congruence(&map)).transpose();
        let chain = Self {
            a0: a0.congruence(&map)?,
            a1: tie(a1)?,
            a2: tie(a2)?,
            null: DMatrix::from_element(columns, 1, 1.0),
            width: 1,
            masters: connectors.len(),
        };
        Ok((chain, map))
    }

    /// Number of coordinates n.
    pub fn size(&self) -> usize {
        self.a0.size()
    }

    /// Number of connectors.
    pub fn connectors(&self) -> usize {
        self.masters / self.width
    }

    /// The matrix of the highest derivative there is: A₂, or A₁ when A₂ = 0.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when both are absent.
    pub fn inertia(&self) -> Result<&Sparse, Error> {
        let missing = || Error::Unsupported("a chain with neither A1 nor A2 has no dynamics".into());
        self.a2.as_ref().or(self.a1.as_ref()).ok_or_else(missing)
    }

    /// Projects the chain on a basis.
    #[cfg(feature = "solve")]
    pub fn reduce(&self, basis: &Basis) -> ReducedChain {
        let v = &basis.vectors;
        ReducedChain {
            a0: self.a0.project(v),
            a1: self.a1.as_ref().map(|a| a.project(v)),
            a2: self.a2.as_ref().map(|a| a.project(v)),
            input: v.rows(0, self.masters).transpose(),
        }
    }
}

/// Reduced chain in coordinates q; the across variables are `inputᵀ q`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReducedChain {
    /// Ã₀, r × r.
    pub a0: DMatrix<f64>,
    /// Ã₁, r × r.
    pub a1: Option<DMatrix<f64>>,
    /// Ã₂, r × r.
    pub a2: Option<DMatrix<f64>>,
    /// B̃, r × masters.
    pub input: DMatrix<f64>,
}

/// Exact step of a reduced chain under through variables held constant: x⁺ = F x + G ηᵐ.
#[derive(Debug, Clone)]
pub struct ChainStep {
    transition: DMatrix<f64>,
    drive: DMatrix<f64>,
    output: DMatrix<f64>,
}

impl ReducedChain {
    /// The chain as a first-order system ẋ = A x + B ηᵐ, ξᵐ = C x, with x = q when A₂ = 0, else (q, q̇): A, B and C.
    ///
    /// # Errors
    /// [`Error::Factorisation`] when the matrix of the highest derivative is singular.
    pub fn first_order(&self) -> Result<[DMatrix<f64>; 3], Error> {
        let (r, m) = self.input.shape();
        let singular = |what| Error::Factorisation { what, reason: "singular".into() };
        let order = if self.a2.is_some() { 2 } else { 1 };
        let n = order * r;
        let top = self.a2.as_ref().or(self.a1.as_ref()).ok_or_else(|| singular("highest matrix"))?;
        let top = top.clone().lu();
        let solve = |b: &DMatrix<f64>| top.solve(b).ok_or_else(|| singular("highest matrix"));
        let (mut system, mut drive) = (DMatrix::zeros(n, n), DMatrix::zeros(n, m));
        let last = n - r;
        system.view_mut((last, 0), (r, r)).copy_from(&-solve(&self.a0)?);
        if order == 2 {
            system.view_mut((0, r), (r, r)).fill_with_identity();
            if let Some(a1) = &self.a1 {
                system.view_mut((r, r), (r, r)).copy_from(&-solve(a1)?);
            }
        }
        drive.rows_mut(last, r).copy_from(&solve(&self.input)?);
        let mut output = DMatrix::zeros(m, n);
        output.columns_mut(0, r).copy_from(&self.input.transpose());
        Ok([system, drive, output])
    }

    /// Exact step of size `step_s` (s) by the exponential of the augmented first-order system.
    ///
    /// # Errors
    /// As [`ReducedChain::first_order`].
    pub fn step(&self, step_s: f64) -> Result<ChainStep, Error> {
        let [a, b, output] = self.first_order()?;
        let (n, m) = b.shape();
        let mut system = DMatrix::zeros(n + m, n + m);
        system.view_mut((0, 0), (n, n)).copy_from(&a);
        system.view_mut((0, n), (n, m)).copy_from(&b);
        let exponential = (system * step_s).exp();
        Ok(ChainStep {
            transition: exponential.view((0, 0), (n, n)).into_owned(),
            drive: exponential.view((0, n), (n, m)).into_owned(),
            output,
        })
    }
}

impl ChainStep {
    /// Length of the state vector.
    pub fn size(&self) -> usize {
        self.transition.nrows()
    }

    /// Advances the state by one step under through variables `through` (length masters).
    pub fn advance(&self, state: &mut DVector<f64>, through: &DVector<f64>) {
        *state = &self.transition * &*state + &self.drive * through;
    }

    /// Across variables of the connectors.
    pub fn across(&self, state: &DVector<f64>) -> DVector<f64> {
        &self.output * state
    }
}
