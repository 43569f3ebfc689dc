//! The two-mass oscillator cut in two, in every decomposition of the benchmark.
//!
//! | name | subsystems 1 / 2 | subsystem 1 gets | subsystem 2 gets | coupling law |
//! |---|---|---|---|---|
//! | f-s | D / F | ξ = x2, ξ̇ = v2 | f = f^c | in subsystem 1 |
//! | s-f | F / D | f = f^c | ξ = x1, ξ̇ = v1 | in subsystem 2 |
//! | s-s | D / D | ξ = x2, ξ̇ = v2 | ξ = x1, ξ̇ = v1 | in both |
//! | f-f | F / F | f = f^c | f = f^c | in the master |
//!
//! References: \[LIM 2021\], section 2; equation (8) is the coupling law.

use crate::parts::{bond, obeying, port, record, rest, set, spring, system, times, unit, wire};
use clap::ValueEnum;
use macrostep_oscillator::Parameters;
use macrostep_system::scenario::{Coupling as Method, Gain, LawKind, Scenario, Unit, Value};

/// The kinds of both subsystems: D (owns the coupling, driven by a displacement) or F (driven by a force).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, serde::Serialize)]
pub enum Coupling {
    /// D/F: mass 1 owns the coupling, mass 2 is driven by its force
    #[value(name = "f-s")]
    #[serde(rename = "f-s")]
    ForceDisplacement,
    /// F/D: mass 2 owns the coupling, mass 1 is driven by its force
    #[value(name = "s-f")]
    #[serde(rename = "s-f")]
    DisplacementForce,
    /// D/D: each mass has a copy of the coupling and is driven by the other's displacement
    #[value(name = "s-s")]
    #[serde(rename = "s-s")]
    DisplacementDisplacement,
    /// F/F: the coupling law stands outside, both masses are driven by its force
    #[value(name = "f-f")]
    #[serde(rename = "f-f")]
    ForceForce,
    /// As in the file of a system
    #[value(skip)]
    #[serde(rename = "as-written")]
    AsWritten,
}

/// The kind of a subsystem: driven by a displacement or by a force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// By the other's motion (D): it owns k_c and c_c.
    Displacement,
    /// By a force (F).
    Force,
}

impl Coupling {
    /// All four, in the order of the benchmark, the mirror second.
    pub const ALL: [Coupling; 4] = [
        Coupling::ForceDisplacement,
        Coupling::DisplacementForce,
        Coupling::DisplacementDisplacement,
        Coupling::ForceForce,
    ];

    /// Kinds of subsystems 1 and 2; of a file, whose units are not known here, as if the master had the law.
    pub fn kinds(self) -> [Kind; 2] {
        match self {
            Coupling::ForceDisplacement => [Kind::Displacement, Kind::Force],
            Coupling::DisplacementForce => [Kind::Force, Kind::Displacement],
            Coupling::DisplacementDisplacement => [Kind::Displacement, Kind::Displacement],
            Coupling::ForceForce | Coupling::AsWritten => [Kind::Force, Kind::Force],
        }
    }

    /// The benchmark's name, "f-s".
    pub fn name(self) -> &'static str {
        match self {
            Coupling::ForceDisplacement => "f-s",
            Coupling::DisplacementForce => "s-f",
            Coupling::DisplacementDisplacement => "s-s",
            Coupling::ForceForce => "f-f",
            Coupling::AsWritten => "as-written",
        }
    }

    /// The letters, "D/F".
    pub fn letters(self) -> &'static str {
        match self {
            Coupling::ForceDisplacement => "D/F",
            Coupling::DisplacementForce => "F/D",
            Coupling::DisplacementDisplacement => "D/D",
            Coupling::ForceForce => "F/F",
            Coupling::AsWritten => "as written",
        }
    }

    /// Name in words.
    pub fn words(self) -> &'static str {
        match self {
            Coupling::ForceDisplacement => "force-displacement",
            Coupling::DisplacementForce => "displacement-force",
            Coupling::DisplacementDisplacement => "displacement-displacement",
            Coupling::ForceForce => "force-force",
            Coupling::AsWritten => "as written",
        }
    }
}

/// The four decompositions as a researcher would list them.
impl std::fmt::Display for Coupling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name(), self.letters())
    }
}

/// Integrator inside a subsystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, serde::Serialize)]
pub enum Integrator {
    /// Semi-implicit Euler, equation (7), order 1
    #[value(name = "sie")]
    #[serde(rename = "sie")]
    SemiImplicitEuler,
    /// Classical Runge–Kutta, order 4
    #[value(name = "rk4")]
    #[serde(rename = "rk4")]
    RungeKutta4,
    /// Matrix exponential with polynomial input: only the coupling error is left
    #[default]
    #[serde(rename = "exact")]
    Exact,
}

impl Integrator {
    /// Name of the item in the FMUs' enumeration.
    pub fn item(self) -> &'static str {
        match self {
            Integrator::SemiImplicitEuler => "semi_implicit_euler",
            Integrator::RungeKutta4 => "runge_kutta_4",
            Integrator::Exact => "exact",
        }
    }
}

/// The integrator of a unit and its micro step \[s\].
pub(crate) fn integrate(unit: &mut Unit, integrator: Integrator, micro_s: Option<f64>) {
    set(unit, "integrator", Value::Text(integrator.item().to_owned()));
    if let Some(micro_s) = micro_s {
        set(unit, "micro_step", Value::Real(micro_s));
    }
}

/// A run of the oscillator.
#[derive(Debug, Clone)]
pub struct Oscillator {
    /// Masses, springs, dampers, start.
    pub parameters: Parameters,
    /// Decomposition.
    pub coupling: Coupling,
    /// How it is coupled; an order of the units names `mass1` and `mass2`.
    pub method: Method,
    /// The macro step H \[s\] of the slow subsystem.
    pub step_s: f64,
    /// Communication steps of subsystems 1 and 2 as fractions of H.
    pub shares: [(u32, u32); 2],
    /// Micro step h \[s\] of the subsystems; `None`: their communication steps.
    pub micro_step_s: Option<f64>,
    /// Micro integrator.
    pub integrator: Integrator,
    /// End \[s\].
    pub stop_s: f64,
    /// Every how many windows a row is recorded.
    pub every: u64,
}

impl Oscillator {
    /// Jacobi with linear prediction, exact subsystems, one rate.
    pub fn new(parameters: Parameters, coupling: Coupling, [step_s, stop_s]: [f64; 2]) -> Self {
        let method = crate::parts::predicted(macrostep_system::words::Predict::classical(1));
        let (shares, integrator) = ([(1, 1); 2], Integrator::Exact);
        Oscillator { parameters, coupling, method, step_s, shares, micro_step_s: None, integrator, stop_s, every: 1 }
    }

    /// As a scenario of two FMUs, `mass1` and `mass2`.
    pub fn scenario(&self) -> Scenario {
        let name = format!("two masses, {}", self.coupling.words());
        let mut s = system(&name, "two-mass oscillator", times(self.step_s, self.stop_s));
        s.coupling = self.method.clone();
        s.units = vec![self.mass(0), self.mass(1)];
        self.connect(&mut s);
        s.bonds = vec![bond("coupling", vec![self.port(0), self.port(1)])];
        let owners = self.coupling.kinds().contains(&Kind::Displacement);
        let force = if owners { "mass*.f_c" } else { "mass*.f" };
        // Where half steps are merged, motions alone are known between them.
        let recorded = ["mass*.x", "mass*.v", force];
        s.record = record(if self.method.schedule.is_palindromic() { &recorded[..2] } else { &recorded });
        s.record.every = self.every;
        s
    }

    fn kind(&self, i: usize) -> Kind {
        self.coupling.kinds()[i]
    }

    fn mass(&self, i: usize) -> Unit {
        let p = &self.parameters;
        // The owner of the spring knows its properties.
        let (kind, mut parameters) = match self.kind(i) {
            Kind::Displacement => ("displacement", vec![("k_c", p.k_c), ("c_c", p.c_c)]),
            Kind::Force => ("force", Vec::new()),
        };
        let own = [("m", p.m[i]), ("k", p.k[i]), ("c", p.c[i]), ("x0", p.x0[i]), ("v0", p.v0[i])];
        parameters.splice(0..0, own);
        let name = format!("mass{}", i + 1);
        let mut mass = unit(&name, &format!("oscillator{}_{kind}", i + 1), &parameters);
        integrate(&mut mass, self.integrator, self.micro_step_s);
        mass.step_parameter = self.micro_step_s.is_none().then(|| "micro_step".to_owned());
        rest(&mut mass, &["f_ext"]);
        mass.share = self.shares[i];
        mass
    }

    /// Connections, and the law that a force obeys.
    fn connect(&self, s: &mut Scenario) {
        let p = &self.parameters;
        for i in 0..2 {
            let (own, other) = (i + 1, 2 - i);
            let input = |name: &str| format!("mass{own}.{name}");
            match (self.kind(i), self.kind(1 - i)) {
                (Kind::Displacement, _) => s.connections.extend([
                    wire(&input("xi"), &format!("mass{other}.x")),
                    wire(&input("xi_dot"), &format!("mass{other}.v")),
                ]),
                (Kind::Force, Kind::Displacement) => {
                    s.connections.push(obeying(&input("f"), &format!("mass{other}.f_c"), "spring"));
                }
                (Kind::Force, Kind::Force) => s.connections.push(wire(&input("f"), "spring.f")),
            }
        }
        let kinds = self.coupling.kinds();
        let mut law = spring("spring", [p.k_c, p.c_c], ["mass1.x", "mass1.v", "mass2.x", "mass2.v"]);
        match kinds.iter().position(|kind| *kind == Kind::Displacement) {
            // Both own it.
            Some(_) if kinds[0] == kinds[1] => return,
            // A change of the owner's parameters changes the law.
            Some(owner) => {
                let parameter =
                    |name| Gain::Parameter { name: format!("mass{}.{name}", owner + 1), is_negative: false };
                law.kind = LawKind::SpringDamper { stiffness: parameter("k_c"), damping: parameter("c_c") };
            }
            None => {}
        }
        s.laws.push(law);
    }

    /// Power = effort on a mass × its velocity. A force f acts as −f on mass 1 and as +f on mass 2; the other end of the
    /// coupling pulls at either.
    fn port(&self, i: usize) -> macrostep_system::scenario::Port {
        let flow = format!("mass{}.v", i + 1);
        let mut port = port(&flow, &[("f", [-1.0, 1.0][i])]);
        if self.kind(i) == Kind::Displacement {
            let own = |input: &str, name: &str| (input.to_owned(), Gain::parse(name));
            port.inputs = vec![own("xi", "k_c"), own("xi_dot", "c_c")];
        }
        port
    }
}
