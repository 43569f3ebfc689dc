//! Integration with steps of a chosen length: systems whose size is known only when they run, as those in FMUs for model exchange.
//!
//! [`Integrator`] begins with an explicit method of order 8 ([`explicit`](self)) and goes over to an implicit one of order 5, Radau IIA, where the
//! equations turn out to be stiff. Both have a continuous solution inside the step done last, in which events are looked for.
//!
//! # Equations
//! Local errors e of a step are kept below the tolerance, in the norm of Hairer and Wanner:
//!
//! ```text
//! ‖e‖ = √( 1/n Σ (eᵢ/sᵢ)² ) ≤ 1,   sᵢ = r (nᵢ + max(|zᵢ(t)|, |zᵢ(t+h)|))
//! ```
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | z, ż | `z`, `dz` | states and their rates, n of them |
//! | t, h | `t`, `h` | time and step (s) |
//! | r | `relative` | relative tolerance |
//! | nᵢ | `nominal` | size of state i, as large as it usually is |
//!
//! # References
//! E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations I, 2nd edition, Springer 1993, sections II.4 to II.6.
//! E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, 2nd edition, Springer 1996, sections IV.2 (stiffness noticed) and IV.8 (Radau IIA).

mod explicit;
mod lu;
mod radau;
mod table;
mod variation;

use explicit::Explicit;
use radau::Radau;
use variation::shortest;
pub use variation::{Variation, Varied};

/// Equations ż = f(t, z) that may fail.
pub trait Rates {
    /// Why they do.
    type Error;

    /// f at the time `t` \[s\] and the states `z`, into `dz`.
    ///
    /// # Errors
    /// Where it cannot be evaluated there. Values that are not finite are no error: a shorter step is tried.
    fn rates(&mut self, t: f64, z: &[f64], dz: &mut [f64]) -> Result<(), Self::Error>;

    /// ∂f/∂z where f is `dz`, row by row into `jacobian`. By default from differences, n evaluations of f. The states may be moved, and are
    /// put back.
    ///
    /// # Errors
    /// As [`Rates::rates`].
    fn jacobian(&mut self, t: f64, z: &mut [f64], dz: &[f64], jacobian: &mut [f64]) -> Result<(), Self::Error> {
        differences(self, (t, z, dz), jacobian)
    }
}

/// ∂f/∂z from differences at (t, z, f), row by row. The states are moved, and put back.
///
/// # Errors
/// As [`Rates::rates`].
pub fn differences<R: Rates + ?Sized>(
    equations: &mut R,
    (t, z, dz): (f64, &mut [f64], &[f64]),
    jacobian: &mut [f64],
) -> Result<(), R::Error> {
    let n = z.len();
    for j in 0..n {
        // Half of the digits for the difference, half for the derivative.
        let here = z[j];
        z[j] = here + f64::EPSILON.sqrt() * here.abs().max(1e-5);
        let by = z[j] - here;
        // Column j, for the time being where row j is to stand.
        let there = &mut jacobian[j * n..(j + 1) * n];
        let moved = equations.rates(t, z, there);
        z[j] = here;
        moved?;
        there.iter_mut().zip(dz).for_each(|(there, dz)| *there = (*there - dz) / by);
    }
    transpose(n, jacobian);
    Ok(())
}

/// Makes columns of the rows of n × n numbers.
pub fn transpose(n: usize, matrix: &mut [f64]) {
    for i in 0..n {
        (0..i).for_each(|j| matrix.swap(i * n + j, j * n + i));
    }
}

/// Why a step was not done.
#[derive(Debug, Clone, PartialEq)]
pub enum Stopped<E> {
    /// The equations failed.
    Rates(E),
    /// Rates are not finite, however short the step: time \[s\].
    NotFinite(f64),
    /// The tolerance is not met with the shortest step there is: time \[s\].
    TooShort(f64),
}

impl<E> From<E> for Stopped<E> {
    fn from(error: E) -> Self {
        Stopped::Rates(error)
    }
}

/// How a step ended.
enum Tried {
    /// It is good, and the next one may have this length \[s\].
    Done { next: f64 },
    /// It is to be done again with this length \[s\].
    Again { next: f64 },
}

/// Numbers of what was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Steps that count.
    pub steps: u64,
    /// Steps that were done again.
    pub rejected: u64,
    /// Evaluations of f.
    pub rates: u64,
    /// Jacobian matrices.
    pub jacobians: u64,
}

/// A point of a solution: time, states, rates.
#[derive(Debug, Clone, PartialEq, Default)]
struct Place {
    t: f64,
    z: Vec<f64>,
    dz: Vec<f64>,
}

impl Place {
    fn copy_from(&mut self, other: &Place) {
        self.t = other.t;
        self.z.copy_from_slice(&other.z);
        self.dz.copy_from_slice(&other.dz);
    }
}

/// States that are moved through time.
#[derive(Debug, Clone)]
pub struct Integrator {
    /// r.
    relative: f64,
    /// nᵢ.
    nominal: Vec<f64>,
    /// Where the last step began, and where it ended.
    old: Place,
    now: Place,
    /// Whether `now.dz` is f there.
    is_known: bool,
    /// Length of the next step \[s\]; 0: not known.
    next: f64,
    explicit: Explicit,
    /// Whether the equations turned out to be stiff; the implicit method is there from then on.
    is_stiff: bool,
    radau: Option<Box<Radau>>,
    work: Work,
}

/// What an [`Integrator`] continues with, beside its states.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Memory {
    /// Length of the next step \[s\]; 0: not known.
    pub next: f64,
    /// Whether the equations turned out to be stiff.
    pub is_stiff: bool,
    /// Steps that looked stiff, and steps since that did not.
    pub looks: (u32, u32),
}

impl Integrator {
    /// For states of these usual sizes, with a relative tolerance that is larger than rounding.
    pub fn new(nominal: &[f64], relative: f64) -> Integrator {
        let n = nominal.len();
        let place = Place { t: 0.0, z: vec![0.0; n], dz: vec![0.0; n] };
        let nominal = nominal.iter().map(|x| if x.is_finite() && *x != 0.0 { x.abs() } else { 1.0 }).collect();
        Integrator {
            relative: relative.clamp(1e-14, 0.1),
            nominal,
            old: place.clone(),
            now: place,
            is_known: false,
            next: 0.0,
            explicit: Explicit::new(n),
            is_stiff: false,
            radau: None,
            work: Work::default(),
        }
    }

    /// States that are there at a time \[s\]: at the start, or after they or their equations have jumped.
    pub fn begin(&mut self, t: f64, z: &[f64]) {
        self.now.t = t;
        self.now.z.copy_from_slice(z);
        self.is_known = false;
        if let Some(radau) = &mut self.radau {
            radau.begin();
        }
    }

    /// The length of the next step is chosen anew, too: what it was has no meaning any more.
    pub fn forget(&mut self) {
        self.next = 0.0;
    }

    /// What it would continue with.
    pub fn memory(&self) -> Memory {
        Memory { next: self.next, is_stiff: self.is_stiff, looks: self.explicit.looks() }
    }

    /// Continues with that.
    pub fn remember(&mut self, memory: Memory) {
        self.next = memory.next;
        self.explicit.look_as(memory.looks);
        self.go_over(memory.is_stiff);
        self.rest();
    }

    /// Continues with no more than its memory, as it does after [`Integrator::remember`]: a Jacobian matrix is not used any longer.
    pub fn rest(&mut self) {
        if let Some(radau) = &mut self.radau {
            radau.forget();
        }
    }

    /// Goes over to the implicit method, or back.
    fn go_over(&mut self, is_stiff: bool) {
        self.is_stiff = is_stiff;
        if is_stiff && self.radau.is_none() {
            self.radau = Some(Box::new(Radau::new(self.now.z.len())));
        }
    }

    /// Time \[s\].
    pub fn time(&self) -> f64 {
        self.now.t
    }

    /// Time at which the last step began \[s\].
    pub fn began(&self) -> f64 {
        self.old.t
    }

    /// The states now.
    pub fn states(&self) -> &[f64] {
        &self.now.z
    }

    /// What was done.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Whether the equations turned out to be stiff.
    pub fn is_stiff(&self) -> bool {
        self.is_stiff
    }

    /// One step that is not beyond `end` \[s\].
    ///
    /// # Errors
    /// [`Stopped`]; the states are those before the step.
    pub fn step<R: Rates>(&mut self, equations: &mut R, end: f64) -> Result<(), Stopped<R::Error>> {
        // f here, which the step before has left where nothing has jumped.
        if !self.is_known {
            equations.rates(self.now.t, &self.now.z, &mut self.now.dz)?;
            self.work.rates += 1;
            self.is_known = true;
        }
        if self.now.z.is_empty() {
            self.old.t = self.now.t;
            self.now.t = end;
            return Ok(());
        }
        if self.next <= 0.0 {
            self.next = self.first(equations, end)?;
        }
        self.old.copy_from(&self.now);
        let tried = self.until_done(equations, end);
        if tried.is_err() {
            self.now.copy_from(&self.old);
        }
        tried
    }

    /// Steps from `old` until one is good.
    fn until_done<R: Rates>(&mut self, equations: &mut R, end: f64) -> Result<(), Stopped<R::Error>> {
        let t = self.old.t;
        let shortest = shortest(t, end);
        let mut h = self.next;
        loop {
            // The last step ends exactly at the end, and the one before is not so long that a tiny rest remains.
            let (rest, wanted) = (end - t, h);
            let is_last = 1.01 * h >= rest;
            if is_last {
                h = rest;
            }
            self.now.t = if is_last { end } else { t + h };
            let span = Span { old: &self.old, h, relative: self.relative, nominal: &self.nominal };
            let tried = match &mut self.radau {
                Some(radau) if self.is_stiff => radau.step(equations, &span, &mut self.now, &mut self.work)?,
                _ => self.explicit.step(equations, &span, &mut self.now, &mut self.work)?,
            };
            match tried {
                Tried::Done { next } => {
                    self.work.steps += 1;
                    // A step that was cut says nothing against a longer one.
                    self.next = if is_last { next.max(wanted) } else { next };
                    if !self.is_stiff && self.explicit.is_stiff() {
                        self.go_over(true);
                        self.rest();
                    }
                    return Ok(());
                }
                Tried::Again { next } => {
                    self.work.rejected += 1;
                    // A rest that is rounding is done at any length, since nothing shorter can be tried.
                    if next < shortest {
                        let is_finite = self.now.z.iter().chain(&self.now.dz).all(|x| x.is_finite());
                        return Err(if is_finite { Stopped::TooShort(t) } else { Stopped::NotFinite(t) });
                    }
                    h = next;
                }
            }
        }
    }

    /// Length of the first step \[s\] (Hairer, Nørsett, Wanner, section II.4): an explicit Euler step of it would change the states by
    /// about a hundredth of their sizes, and its error follows from how much the rates change.
    fn first<R: Rates>(&mut self, equations: &mut R, end: f64) -> Result<f64, R::Error> {
        // The place of the last step is free: this one is about to begin.
        let Integrator { now: Place { t, z, dz }, old: Place { z: there, dz: rates, .. }, relative, nominal, .. } =
            self;
        let span = end - *t;
        let norm = |x: &dyn Fn(usize) -> f64| {
            let sum: f64 = (0..z.len()).map(|i| (x(i) / (*relative * (nominal[i] + z[i].abs()))).powi(2)).sum();
            (sum / z.len() as f64).sqrt()
        };
        let (d0, d1) = (norm(&|i| z[i]), norm(&|i| dz[i]));
        let h0 = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 } else { 0.01 * d0 / d1 }.min(span);
        // One Euler step, to see how the rates change.
        (0..z.len()).for_each(|i| there[i] = z[i] + h0 * dz[i]);
        equations.rates(*t + h0, there, rates)?;
        self.work.rates += 1;
        let d2 = norm(&|i| rates[i] - dz[i]) / h0;
        let largest = d1.max(d2);
        let h1 = if largest <= 1e-15 { (1e-3 * h0).max(1e-6) } else { (0.01 / largest).powf(1.0 / 8.0) };
        let h = (100.0 * h0).min(h1).min(span);
        Ok(if h.is_finite() && h > 0.0 { h } else { 1e-6 * span })
    }

    /// The states at a time \[s\] in the last step, by its continuous solution.
    ///
    /// # Errors
    /// Where the equations fail: the first look into a step takes three more evaluations of them.
    pub fn inside<R: Rates>(&mut self, equations: &mut R, t: f64, z: &mut [f64]) -> Result<(), R::Error> {
        let h = self.now.t - self.old.t;
        let theta = if h == 0.0 { 1.0 } else { (t - self.old.t) / h };
        match &self.radau {
            Some(radau) if radau.has_step() => radau.inside(&self.old, theta, z),
            _ => {
                self.work.rates += self.explicit.look_inside(equations, &self.old, &self.now)?;
                self.explicit.inside(&self.old, theta, z);
            }
        }
        Ok(())
    }
}

/// A step that is tried.
struct Span<'a> {
    old: &'a Place,
    h: f64,
    relative: f64,
    nominal: &'a [f64],
}

impl Span<'_> {
    /// sᵢ, the error allowed in state i, which is z at the end.
    fn scale(&self, i: usize, z: f64) -> f64 {
        self.relative * (self.nominal[i] + self.old.z[i].abs().max(z.abs()))
    }

    /// Number of states.
    fn n(&self) -> usize {
        self.old.z.len()
    }
}

#[cfg(test)]
mod tests;
