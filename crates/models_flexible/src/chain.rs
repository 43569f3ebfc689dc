//! A reduced chain as a slave: A₂ ẍ + A₁ ẋ + A₀ x = B η with across variables out and through variables in; a
//! heat-conducting rod has A₂ = 0.
//!
//! # Equations
//! ```text
//! Ã₁ q̇ + Ã₀ q = B̃ ηᵐ,   ξᵐ = B̃ᵀ q        across ξᵐ: temperature (K),   through ηᵐ: heat flow into the body (W)
//! ```
//! A step is exact for polynomial inputs.
//!
//! Reference: [Zaiczek 2010] section 2.

use std::path::Path;

use macrostep_description::{BaseUnit, Declared, ModelDescription};
use macrostep_flexible::ReducedChain;
use macrostep_slave::{Fault, Group, Memory, Model, Outcome, Shape, Shared, Span, Tangent};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::Stored;
use crate::declare::{builder, finish, no_derivative};
use crate::linear::LinearSystem;

/// A reduced chain and the names of its connectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RodMatrices {
    /// The matrices.
    pub chain: ReducedChain,
    /// The reduced coordinates of the uniform state 1.
    pub uniform: DVector<f64>,
    /// Names of the connectors.
    pub connectors: Vec<String>,
    /// Name and unit of the across variables, "T" and "K".
    pub across: [String; 2],
    /// Name and unit of the through variables, "Q" and "W".
    pub through: [String; 2],
}

impl Stored for RodMatrices {
    const FILE: &'static str = "chain.bin";
    const MAGIC: &'static [u8; 8] = b"FLEXCHN1";

    fn check(&self) -> Result<(), String> {
        let (r, m) = self.chain.input.shape();
        let square = |a: &DMatrix<f64>| a.shape() == (r, r);
        let fits = square(&self.chain.a0)
            && [&self.chain.a1, &self.chain.a2].into_iter().flatten().all(square)
            && self.uniform.len() == r
            && self.connectors.len() == m;
        if !fits {
            return Err(format!("matrices that do not fit {r} coordinates and {m} connectors"));
        }
        match [&self.across[1], &self.through[1]].into_iter().find(|name| BaseUnit::si(name).is_none()) {
            Some(name) => Err(format!("unit `{name}` is not known")),
            None => Ok(()),
        }
    }
}

/// The chain.
#[derive(Debug)]
pub struct ReducedRod {
    system: LinearSystem,
    output: DMatrix<f64>,
    uniform: DVector<f64>,
    rate: Vec<f64>,
}

impl ReducedRod {
    /// `modelIdentifier`.
    pub const IDENTIFIER: &'static str = "heat_rod";

    /// Model and declaration from its data.
    ///
    /// # Errors
    /// [`Fault::Declaration`] for singular matrices.
    pub fn from_data((data, hash): (Shared<RodMatrices>, String)) -> Result<(Self, ModelDescription), Fault> {
        // First order: ẋ = A x + B u, y = C x.
        let [a, b, output] = data.chain.first_order().map_err(|e| Fault::Declaration(e.to_string()))?;
        let n = a.nrows();
        let [across, across_unit] = &data.across;
        let [through, through_unit] = &data.through;
        let about = "A heat-conducting rod, reduced from its finite element matrices";
        let mut builder = builder(Self::IDENTIFIER, about, &[across_unit, through_unit], Some(&hash));
        // A uniform start, flows in, potentials out.
        let start = Declared::parameter(&format!("{across}0"), 0.0).unit(across_unit);
        let start = builder.add(start.about("uniform state at the start"));
        for name in &data.connectors {
            let flow = Declared::input(&format!("{name}.{through}"), 0.0).unit(through_unit);
            builder.add(flow.about("flow into the body"));
        }
        for name in &data.connectors {
            let potential = Declared::output(&format!("{name}.{across}")).unit(across_unit);
            builder.add(potential.about("potential at the connector").depends(&[]).initially(&[start]));
        }
        builder.experiment(0.0, 100.0, 1.0);
        // The state of a uniform potential of 1; in a system with A₂ its rates are zero.
        let mut uniform = DVector::zeros(n);
        uniform.rows_mut(0, data.uniform.len()).copy_from(&data.uniform);
        let rod = ReducedRod { system: LinearSystem::new(a, b), output, uniform, rate: vec![0.0; n] };
        Ok((rod, finish(builder)?))
    }

    /// The equations as the body of an HTML page.
    pub fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>A2 xi'' + A1 xi' + A0 xi = B eta,   xi_m = B' xi</pre>\n<p>with A2 = 0, reduced to the \
         coordinates of the connectors and a few modes. Across variables are temperatures, through variables heat flows into \
         the body. A step is exact for polynomial inputs.</p>\n<p>Source: Zaiczek, Enge-Rosenblatt, Import of distributed \
         parameter models into lumped parameter model libraries for the example of linearly deformable solid bodies, 2010, \
         section 2.</p>\n"
            .to_string()
    }

    fn connectors(&self) -> usize {
        self.output.nrows()
    }

    fn across(&self, connector: usize, x: &[f64]) -> f64 {
        self.output.row(connector).iter().zip(x).map(|(c, x)| c * x).sum()
    }
}

impl Model for ReducedRod {
    fn declare(resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        Self::from_data(RodMatrices::load(resources)?)
    }

    fn shape(&self) -> Shape {
        Shape { hidden_reals: self.uniform.len(), hidden_integers: 0 }
    }

    fn initialise(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let level = memory.reals[0];
        memory.hidden_reals.iter_mut().zip(&self.uniform).for_each(|(x, one)| *x = level * one);
        Ok(())
    }

    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        let advanced = self.system.advance(&mut memory.hidden_reals, &memory.last_inputs, span.step_s);
        advanced.map_err(|message| Fault::Model { t_s: span.start_s, message })?;
        Ok(Outcome::Done)
    }

    fn evaluate(&mut self, memory: &mut Memory, _: Group) -> Result<(), Fault> {
        let first = 1 + self.connectors();
        for c in 0..self.connectors() {
            memory.reals[first + c] = self.across(c, &memory.hidden_reals);
        }
        Ok(())
    }

    fn output_derivatives(
        &mut self,
        memory: &Memory,
        refs: &[u32],
        _: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        self.system.rate(&memory.hidden_reals, |j| memory.inputs.coefficient(j, 0), &mut self.rate);
        let first = 1 + self.connectors();
        for (reference, value) in refs.iter().zip(values) {
            *value = self.across(*reference as usize - first, &self.rate);
        }
        Ok(())
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        let first = 1 + self.connectors();
        let at_start = memory.phase == macrostep_slave::Phase::Initialization;
        let level: f64 = known.iter().zip(d_known).filter(|(r, _)| at_start && **r == 0).map(|(_, d)| d).sum();
        for (reference, d) in unknown.iter().zip(d_unknown) {
            let Some(c) = (*reference as usize).checked_sub(first) else {
                return Err(no_derivative(memory, *reference, known));
            };
            *d = level * self.across(c, self.uniform.as_slice());
        }
        Ok(())
    }
}
