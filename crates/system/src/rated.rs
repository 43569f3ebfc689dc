//! Output derivatives as outputs: what `fmi2GetRealOutputDerivatives` gives of an output stands beside it as a variable
//! `der(NAME)`, declared as its derivative, so that a predictor that looks for rates finds them where declared ones are.

use macrostep_description::{
    Causality, Dependencies, Kind, ModelDescription, RealAttributes, Unknown, Variability, Variable,
};
use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Trials, Unit, UnitError, Values};
use std::collections::HashSet;
use std::sync::Arc;

/// The description with the derivatives of its continuous outputs that it gives and does not declare; the same where there are none.
pub fn rated(description: Arc<ModelDescription>) -> Arc<ModelDescription> {
    // Only an FMU that gives output derivatives has any.
    let gives = description.co_simulation.as_ref().is_some_and(|co| co.max_output_derivative_order > 0);
    if !gives {
        return description;
    }
    // Real continuous outputs whose derivative no variable is yet.
    let variables = &description.variables;
    let declared: HashSet<usize> = variables.iter().filter_map(|v| v.real().and_then(|r| r.derivative)).collect();
    let is_rated = |v: &Variable| {
        v.causality == Causality::Output && v.variability == Variability::Continuous && v.real().is_some()
    };
    let list: Vec<usize> = (0..variables.len()).filter(|i| is_rated(&variables[*i]) && !declared.contains(i)).collect();
    // New value references come after all others, as far as there is room for them.
    let Some(first) = first_reference(&description).filter(|first| first.checked_add(list.len() as u32).is_some())
    else {
        return description;
    };
    // One variable more for each such output.
    let mut out = ModelDescription::clone(&description);
    for (reference, of) in (first..).zip(list) {
        let index = out.variables.len();
        let name = format!("der({})", variables[of].name);
        out.variables.push(Variable {
            name,
            value_reference: reference,
            description: None,
            causality: Causality::Local,
            variability: Variability::Continuous,
            initial: None,
            kind: Kind::Real(RealAttributes { derivative: Some(of), ..RealAttributes::default() }),
            start: None,
            declared_type: None,
            can_handle_multiple_set: true,
        });
        // It is read after steps; no input is said to reach it at once.
        out.structure.outputs.push(Unknown { index, dependencies: Dependencies::Known(Vec::new()) });
    }
    Arc::new(out)
}

/// The first value reference behind all others.
fn first_reference(description: &ModelDescription) -> Option<u32> {
    description.variables.iter().map(|v| v.value_reference).max().map_or(Some(0), |last| last.checked_add(1))
}

/// A unit whose output derivatives are variables.
pub struct Rated {
    unit: Box<dyn Unit>,
    description: Arc<ModelDescription>,
    /// Value references of variables of its own begin here; those of `of` are the outputs they belong to.
    first: u32,
    of: Vec<u32>,
    orders: Vec<i32>,
    /// Whether a step has been done: before it there are no derivatives, and they read 0.
    has_stepped: bool,
}

impl Rated {
    /// A unit with its [`rated`] description.
    pub fn new(unit: Box<dyn Unit>, description: Arc<ModelDescription>) -> Self {
        let own = unit.description().variables.len();
        let first = first_reference(unit.description()).unwrap_or(u32::MAX);
        let bases = description.variables[own..].iter().filter_map(|v| v.real().and_then(|r| r.derivative));
        let of: Vec<u32> = bases.map(|i| description.variables[i].value_reference).collect();
        let orders = vec![1; of.len()];
        Rated { unit, description, first, of, orders, has_stepped: false }
    }
}

impl Described for Rated {
    fn name(&self) -> &str {
        self.unit.name()
    }

    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn shared_description(&self) -> Arc<ModelDescription> {
        Arc::clone(&self.description)
    }

    fn inner(&self) -> Option<&dyn Unit> {
        Some(self.unit.as_ref())
    }

    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(Some(self.unit.as_mut()))
    }
}

impl Values for Rated {
    /// Runs of variables of the unit and of derivatives, in the order given.
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        let mut at = 0;
        while at < refs.len() {
            let is_own = refs[at] < self.first;
            let n = refs[at..].iter().take_while(|r| (**r < self.first) == is_own).count();
            let (refs, values) = (&refs[at..at + n], &mut values[at..at + n]);
            if is_own {
                self.unit.get_real(refs, values)?;
            } else if self.has_stepped {
                for (reference, value) in refs.iter().zip(values.chunks_exact_mut(1)) {
                    let place = (reference - self.first) as usize;
                    self.unit.get_output_derivatives(&self.of[place..=place], &self.orders[place..=place], value)?;
                }
            } else {
                values.fill(0.0);
            }
            at += n;
        }
        Ok(())
    }
}

impl Derivatives for Rated {}

impl States for Rated {}

impl Steps for Rated {
    fn do_steps(&self) -> u64 {
        self.unit.do_steps()
    }

    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.has_stepped = true;
        self.unit.step(t_s, step_s, keep)
    }

    fn trials(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        if of.outputs.iter().any(|r| *r >= self.first) {
            return of.one_by_one(self, values);
        }
        self.has_stepped = true;
        self.unit.trials(of, values)
    }
}

impl Unit for Rated {
    fn enter_initialization(&mut self) -> Result<(), UnitError> {
        self.has_stepped = false;
        self.unit.enter_initialization()
    }

    fn reset(&mut self) -> Result<(), UnitError> {
        self.has_stepped = false;
        self.unit.reset()
    }
}
