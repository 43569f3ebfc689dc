//! A whole system as linear equations, and their solution by the matrix exponential.
//!
//! ```text
//!     y = C z + D u + y₀ ,   ż = rows of y ,   u = K y + k
//!     (I − K D) u = K (C z + y₀) + k   ⇒   ż = A z + b ,   (z, 1)(t) = e^{M (t − t₀)} (z₀, 1) ,   M = (A b; 0 0)
//! ```
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | y, z, u | `outputs`, `start` | outputs, states and connected inputs of all units |
//! | K, k | `Coupling` | connections and laws of the master |
//! | M | `generator` | states and a 1 |

mod part;

use super::laws;
use super::wiring::converted;
use super::{Assembly, starts};
use crate::catalogue::Catalogue;
use crate::check::amount;
use crate::finding::Finding;
use crate::scenario::{Connection, Endpoint, Gain, Law, LawKind, Names, Place};
use macrostep_description::{ModelDescription, Variable};
use macrostep_master::Affine;
use nalgebra::{DMatrix, DVector};
use part::{Part, Subject, Times, part};

/// The solution of a linear system.
#[derive(Debug, Clone)]
pub struct Linear {
    generator: DMatrix<f64>,
    start: DVector<f64>,
    start_s: f64,
    /// Names `UNIT.VARIABLE` of the outputs that are linear.
    pub names: Vec<String>,
    /// A row for each of them: what it is made of.
    outputs: DMatrix<f64>,
}

/// Steps of one length between two states that are stepped by a matrix of their own: rounding adds up over this many, and over as many of
/// the long ones as there are.
const BLOCK: u64 = 64;

impl Linear {
    /// The outputs at times \[s\] that ascend. Those that are whole steps of `step_s` \[s\] after the start need a product a step. A value
    /// depends on its time alone, to the last bit.
    pub fn course(self, step_s: f64) -> impl FnMut(f64) -> Vec<f64> {
        let Linear { generator, start, start_s, outputs, .. } = self;
        let transition = move |span_s: f64| (&generator * span_s).exp();
        let (one, many) = (transition(step_s), transition(BLOCK as f64 * step_s));
        // After n steps: the state, and that after the last whole block.
        let (mut n, mut z, mut block) = (0u64, start.clone(), start.clone());
        move |t_s| {
            let span_s = t_s - start_s;
            let near_s = 4.0 * f64::EPSILON * t_s.abs().max(span_s);
            while (n + 1) as f64 * step_s <= span_s + near_s {
                n += 1;
                if n.is_multiple_of(BLOCK) {
                    block = &many * &block;
                    z.copy_from(&block);
                } else {
                    z = &one * &z;
                }
            }
            let is_at = (n as f64 * step_s - span_s).abs() <= near_s;
            let y = if is_at { &outputs * &z } else { &outputs * (transition(span_s) * &start) };
            y.as_slice().to_vec()
        }
    }
}

/// The equations of an assembled scenario.
///
/// # Errors
/// What is in it that is not linear.
pub fn linear(a: &Assembly, catalogue: &dyn Catalogue) -> Result<Linear, Finding> {
    let s = &a.effective;
    let place = s.solution.as_ref().map_or_else(Place::default, |solution| solution.place.clone());
    let next = "compare with a built-in system, a file of rows, or a run with a smaller macro step";
    let refused = |what: String| {
        Finding::error(&place, format!("an exact solution: found {what}, expected a linear system"), next)
    };
    if let Some(what) = foreign(a) {
        return Err(refused(what.to_owned()));
    }
    // Each unit by itself.
    let names = Names::of(s);
    let mut parts = Vec::new();
    for (u, unit) in s.units.iter().enumerate() {
        let description = &a.descriptions[u];
        let values = starts(&names, u, description)?;
        let share = f64::from(unit.share.0) / f64::from(unit.share.1);
        let times = Times {
            start_s: s.experiment.start_s,
            stop_s: s.experiment.stop_s,
            step_s: share * s.experiment.step_s.unwrap_or(1e-3),
        };
        let is_fed = |name: &str| s.targets().any(|(to, _)| to.unit == unit.name && to.variable == name);
        let made = part(&Subject { entry: unit, description, starts: &values }, &times, is_fed, catalogue);
        parts.push(made.map_err(|why| refused(format!("unit `{}`, {why}", unit.name)))?);
    }
    // What couples them, and all of it together.
    let coupling = Coupling { a, names: &names, parts: &parts, catalogue };
    let (k, offset) = coupling.matrices().map_err(refused)?;
    whole(a, &parts, (&k, &offset)).map_err(refused)
}

/// What of a scenario is not linear, or not only of its states.
fn foreign(a: &Assembly) -> Option<&'static str> {
    let s = &a.effective;
    let has_inputs = s.connections.iter().any(|c| s.input(&c.from.unit).is_some());
    [
        (has_inputs, "inputs from a file"),
        (!s.events.is_empty() || !s.state_events.is_empty(), "events"),
        (!s.maps.is_empty(), "a map"),
        (!s.interface_models.is_empty(), "an interface model"),
        (!s.constraints.is_empty(), "a constraint"),
    ]
    .into_iter()
    .find(|(is_there, _)| *is_there)
    .map(|(_, what)| what)
}

/// What feeds the inputs.
struct Coupling<'a> {
    a: &'a Assembly,
    names: &'a Names<'a>,
    parts: &'a [Part],
    catalogue: &'a dyn Catalogue,
}

impl Coupling<'_> {
    /// K and k.
    fn matrices(&self) -> Result<(DMatrix<f64>, DVector<f64>), String> {
        let (m, p) = self.parts.iter().fold((0, 0), |(m, p), part| (m + part.inputs.len(), p + part.outputs.len()));
        let (mut k, mut offset) = (DMatrix::zeros(m, p), DVector::zeros(m));
        for c in &self.a.effective.connections {
            let row = self.place(&c.to, |part| &part.inputs).ok_or_else(|| format!("`{}`, which is not real", c.to))?;
            // A law of the master, or an output.
            let (terms, constant) = match self.names.law(&c.from.unit) {
                Some(law) => self.law(law, &c.from.variable)?,
                None => (vec![(self.output(&c.from)?, 1.0)], 0.0),
            };
            let then = self.then(c);
            terms.into_iter().for_each(|(column, factor)| k[(row, column)] += then.factor * factor);
            offset[row] += then.factor * constant + then.offset;
        }
        Ok((k, offset))
    }

    /// Where a variable is among those of all units.
    fn place(&self, end: &Endpoint, of: impl Fn(&Part) -> &Vec<String>) -> Option<usize> {
        let u = self.names.unit(&end.unit)?;
        let before: usize = self.parts[..u].iter().map(|part| of(part).len()).sum();
        of(&self.parts[u]).iter().position(|name| *name == end.variable).map(|i| before + i)
    }

    /// An output, which is linear.
    fn output(&self, end: &Endpoint) -> Result<usize, String> {
        let is_linear = self.parts.iter().flat_map(|part| &part.is_linear);
        let place = self.place(end, |part| &part.outputs);
        place
            .filter(|i| is_linear.clone().nth(*i) == Some(&true))
            .ok_or_else(|| format!("`{end}`, which is not linear"))
    }

    /// What a connection does to its value.
    fn then(&self, c: &Connection) -> Affine {
        if self.names.law(&c.from.unit).is_some() {
            return Affine { factor: c.factor, offset: c.offset };
        }
        converted(c, self.variable(&c.from), self.variable(&c.to))
    }

    fn variable(&self, end: &Endpoint) -> Option<(&ModelDescription, &Variable)> {
        let description = &*self.a.descriptions[self.names.unit(&end.unit)?];
        description.variable(&end.variable).map(|v| (description, v))
    }

    /// An output of a law as a sum of outputs of units.
    fn law(&self, law: &Law, output: &str) -> Result<(Vec<(usize, f64)>, f64), String> {
        let of_unit = |name: &str| self.names.unit(name).map(|u| &*self.a.descriptions[u]);
        let amount = |gain: &Gain| amount(self.names, gain, of_unit).unwrap_or(f64::NAN);
        let LawKind::SpringDamper { .. } = law.kind else {
            return Err(format!("law `{}`, which is no `spring-damper`", law.name));
        };
        let made = laws::of(law, amount, self.catalogue).ok_or_else(|| format!("law `{}`", law.name))?;
        let place = law.outputs.iter().position(|name| name == output).unwrap_or(0);
        let value = |u: &[f64]| {
            let mut y = vec![0.0; made.outputs()];
            made.evaluate(u, &mut y);
            y[place]
        };
        let constant = value(&vec![0.0; law.inputs.len()]);
        let mut terms = Vec::new();
        for (i, end) in law.inputs.iter().enumerate() {
            let mut u = vec![0.0; law.inputs.len()];
            u[i] = 1.0;
            terms.push((self.output(end)?, value(&u) - constant));
        }
        Ok((terms, constant))
    }
}

/// The equations of all units, coupled.
fn whole(a: &Assembly, parts: &[Part], (k, offset): (&DMatrix<f64>, &DVector<f64>)) -> Result<Linear, String> {
    // All units one below the other.
    let size = |of: fn(&Part) -> usize| parts.iter().map(of).sum::<usize>();
    let (p, n, m) = (size(|part| part.outputs.len()), size(|part| part.states.len()), size(|part| part.inputs.len()));
    let (mut c, mut d) = (DMatrix::zeros(p, n), DMatrix::zeros(p, m));
    let (mut y0, mut start, mut rates) = (DVector::zeros(p), DVector::zeros(n + 1), Vec::new());
    let (mut row, mut column, mut input) = (0, 0, 0);
    for (part, unit) in parts.iter().zip(&a.effective.units) {
        if let Some(i) = part.rates.iter().find(|i| !part.is_linear[**i]) {
            return Err(format!("`{}.{}`, which is not linear", unit.name, part.outputs[*i]));
        }
        c.view_mut((row, column), part.c.shape()).copy_from(&part.c);
        d.view_mut((row, input), part.d.shape()).copy_from(&part.d);
        y0.rows_mut(row, part.outputs.len()).copy_from(&part.y0);
        start.rows_mut(column, part.states.len()).copy_from(&part.start);
        rates.extend(part.rates.iter().map(|i| row + i));
        (row, column, input) = (row + part.outputs.len(), column + part.states.len(), input + part.inputs.len());
    }
    if n == 0 {
        return Err("no state".to_owned());
    }
    start[n] = 1.0;
    // Inputs from states, by which outputs follow from states alone.
    let loops = DMatrix::identity(m, m) - k * &d;
    let known = augmented(&(k * &c), &(k * &y0 + offset));
    // Without connections there is nothing to solve.
    let solved = if m == 0 { Some(known) } else { loops.lu().solve(&known) };
    let u = solved.filter(|u| u.iter().all(|x| x.is_finite())).ok_or("an algebraic loop without a solution")?;
    let y = augmented(&c, &y0) + d * u;
    let generator = DMatrix::from_fn(n + 1, n + 1, |i, j| if i < n { y[(rates[i], j)] } else { 0.0 });
    // Outputs that are compared.
    let (mut names, mut rows, mut i) = (Vec::new(), Vec::new(), 0);
    for ((part, unit), description) in parts.iter().zip(&a.effective.units).zip(&a.descriptions) {
        for (name, is_linear) in part.outputs.iter().zip(&part.is_linear) {
            let v = description.variables.iter().position(|v| v.name == *name);
            if *is_linear && !v.is_some_and(|v| super::sees_derivatives(description, v)) {
                names.push(format!("{}.{name}", unit.name));
                rows.push(y.row(i).into_owned());
            }
            i += 1;
        }
    }
    if rows.is_empty() {
        return Err("no output that is linear".to_owned());
    }
    let outputs = DMatrix::from_rows(&rows);
    Ok(Linear { generator, start, start_s: a.effective.experiment.start_s, names, outputs })
}

/// A matrix with one more column.
fn augmented(matrix: &DMatrix<f64>, column: &DVector<f64>) -> DMatrix<f64> {
    let mut wide = matrix.clone().insert_column(matrix.ncols(), 0.0);
    wide.column_mut(matrix.ncols()).copy_from(column);
    wide
}
