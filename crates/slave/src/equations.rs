//! Models given by ordinary differential equations: the part that the author writes.

use macrostep_description::{BaseUnit, Declared};
use macrostep_ode::System;

/// A [`System`] with names, units and start values for its vectors. From it follow description, dependencies (found by
/// running the equations on names), integration, directional and output derivatives, dense output, saved states.
///
/// A pendulum, driven by a moment, is a whole model:
///
/// ```
/// use macrostep_description::Declared;
/// use macrostep_ode::{Point, Scalar, System};
/// use macrostep_slave::{Declaration, Equations, Instance, Ode, Slave, Tangent};
///
/// /// φ̈ = −(g/l) sin φ + M.
/// #[derive(Debug)]
/// struct Pendulum;
///
/// impl System for Pendulum {
///     type Parameters<S: Scalar> = [S; 2]; // l, φ₀
///     type States<S: Scalar> = [S; 2]; // φ, φ̇
///     type Inputs<S: Scalar> = [S; 1]; // M
///     type Outputs<S: Scalar> = [S; 2]; // φ, φ̈
///     const POSITIONS: usize = 1;
///     const LINEAR: bool = false;
///
///     fn start<S: Scalar>(p: &[S; 2]) -> [S; 2] {
///         [p[1], S::from(0.0)]
///     }
///     fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
///         [at.z[1], at.u[0] - at.z[0].sin() * 9.81 / at.p[0]]
///     }
///     fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
///         [at.z[0], Self::rates(at)[1]]
///     }
/// }
///
/// impl Equations for Pendulum {
///     const IDENTIFIER: &'static str = "pendulum";
///     const ABOUT: &'static str = "A pendulum driven by a moment";
///
///     fn declare(d: &mut Declaration) {
///         d.si_units(&["m", "rad"]);
///         d.parameter(Declared::parameter("l", 1.0).unit("m").range(1e-9, f64::INFINITY).about("length"));
///         d.parameter(Declared::parameter("phi0", 0.1).unit("rad").about("angle at the start"));
///         d.input(Declared::input("M", 0.0).about("moment by moment of inertia"));
///         let phi = d.output(Declared::output("phi").unit("rad").about("angle"));
///         d.output(Declared::output("alpha").about("angular acceleration"));
///         d.shows_state(phi, 0);
///         d.micro_step(1e-3);
///     }
///     fn documentation_html() -> String {
///         "<pre>phi'' = -(g/l) sin(phi) + M</pre>".into()
///     }
/// }
///
/// # fn main() -> Result<(), macrostep_slave::Fault> {
/// let mut pendulum = Instance::<Ode<Pendulum>>::new("p", None)?;
/// let reference = |name: &str| pendulum.description().variable(name).map_or(u32::MAX, |v| v.value_reference);
/// let [phi, alpha] = ["phi", "alpha"].map(reference);
/// pendulum.setup_experiment(0.0, None, None)?;
/// pendulum.enter_initialization()?;
/// pendulum.exit_initialization()?;
/// pendulum.do_step(0.0, 0.5, true)?;
/// let (mut angle, mut slope) = ([0.0], [0.0]);
/// pendulum.get_real(&[phi], &mut angle)?;
/// pendulum.directional_derivative(Tangent::new(&[alpha], &[phi], &[1.0], &mut slope))?;
/// assert!((slope[0] + 9.81 * angle[0].cos()).abs() < 1e-14);
/// # Ok(())
/// # }
/// ```
///
/// `macrostep_export::export_fmu!(Ode<Pendulum>)` in a `cdylib` makes the library of its FMU.
pub trait Equations: System {
    /// `modelIdentifier`, a C identifier.
    const IDENTIFIER: &'static str;

    /// One sentence of description.
    const ABOUT: &'static str;

    /// Declares units, then parameters, inputs and outputs in the order of the vectors p, u and y. Dependencies need not
    /// be stated.
    fn declare(d: &mut Declaration);

    /// The equations as the body of an HTML page, for `documentation/index.html`; the packager adds title and tables.
    fn documentation_html() -> String;
}

/// Takes the declarations of [`Equations::declare`].
#[derive(Debug, Clone, Default)]
pub struct Declaration {
    pub(crate) units: Vec<(String, BaseUnit)>,
    pub(crate) parameters: Vec<Declared>,
    pub(crate) inputs: Vec<Declared>,
    pub(crate) outputs: Vec<Declared>,
    /// Pairs of derivative and what it is the derivative of, both outputs.
    pub(crate) derivatives: Vec<(usize, usize)>,
    /// Output and description of each dense output.
    pub(crate) dense: Vec<(usize, String)>,
    /// Pairs of state and the output that shows it.
    pub(crate) states: Vec<(usize, usize)>,
    pub(crate) micro_step_s: f64,
    pub(crate) experiment: Option<(f64, f64, f64)>,
}

impl Declaration {
    /// Defines a unit by its exponents.
    pub fn unit(&mut self, name: &str, base: BaseUnit) {
        self.units.push((name.into(), base));
    }

    /// Defines units of the SI by their names ([`BaseUnit::si`]); a name it does not know stays undefined, which the
    /// declaration's check finds where a variable uses it.
    pub fn si_units(&mut self, names: &[&str]) {
        for (name, base) in names.iter().filter_map(|name| BaseUnit::si(name).map(|base| (name, base))) {
            self.unit(name, base);
        }
    }

    /// The next element of p.
    pub fn parameter(&mut self, declared: Declared) {
        self.parameters.push(declared);
    }

    /// The next element of u.
    pub fn input(&mut self, declared: Declared) {
        self.inputs.push(declared);
    }

    /// The next element of y; returns its position.
    pub fn output(&mut self, declared: Declared) -> usize {
        self.outputs.push(declared);
        self.outputs.len() - 1
    }

    /// Declares that an output is a state, so that derivatives with respect to it are available.
    pub fn shows_state(&mut self, output: usize, state: usize) {
        self.states.push((state, output));
    }

    /// Declares that an output is the time derivative of another.
    pub fn derivative(&mut self, output: usize, of: usize) {
        self.derivatives.push((output, of));
    }

    /// Offers an output also at the nodes inside the last step, under the names of
    /// [`node_name`](macrostep_description::node_name).
    pub fn dense(&mut self, output: usize, about: &str) {
        self.dense.push((output, about.into()));
    }

    /// Start value of the parameter `micro_step` (s).
    pub fn micro_step(&mut self, step_s: f64) {
        self.micro_step_s = step_s;
    }

    /// `DefaultExperiment`: start, stop and macro step (s).
    pub fn experiment(&mut self, start_s: f64, stop_s: f64, step_s: f64) {
        self.experiment = Some((start_s, stop_s, step_s));
    }
}
