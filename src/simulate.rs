//! From options to a coupled pair: the one place where the words of the command line become a method.

use macrostep::pair::{self, Outcome, Pair};
use macrostep::{foundry, pair as scenario};
use macrostep_master::correct::{
    Correction, FixedPoint, InterfaceJacobian, Newton, NewtonKrylov, QuasiNewton, Relaxation, SemiImplicit,
};
use macrostep_master::predict;
use macrostep_master::{self as master, EnergyCorrection, Estimate, Method, StepControl};

use crate::failure::Failure;
use crate::options::OscillatorOptions;
use crate::predict::{Family, Predict};
use crate::slaves;
use crate::terms::{
    Control, Correct, Coupling, Derivative, Energy, Fast, Integrator, Sampling, Schedule, Start, Units,
};

/// Runs one scenario; `progress` is told from time to time how many macro points were done since the last time.
///
/// # Errors
/// [`Failure::Run`] with the unit, call and time where the run failed.
pub fn run(options: &OscillatorOptions, progress: &mut dyn FnMut(u64)) -> Result<Outcome, Failure> {
    let isolation = slaves::isolation(&options.slaves)?;
    let isolated = |model: &str, name: &str| match &isolation {
        Some(isolation) => foundry::isolated(isolation, model, name),
        None => foundry::fmu(model, name),
    };
    let units: pair::Foundry<'_> = match options.units {
        Units::Fmu => &isolated,
        Units::Native => &foundry::native,
    };
    pair::run(&pair_of(options), units, options.record_every, progress).map_err(|e| Failure::Run(e.to_string()))
}

/// The pair that the options describe.
fn pair_of(options: &OscillatorOptions) -> Pair {
    let own = (options.rate.under, options.rate.over);
    Pair {
        parameters: options.parameters,
        coupling: coupling(options.coupling),
        method: method(options),
        step_s: options.step_s,
        shares: match options.fast {
            Fast::One => [own, (1, 1)],
            Fast::Two => [(1, 1), own],
        },
        micro_step_s: (options.micro_s != options.macro_s).then_some(options.micro_s[0]),
        integrator: match options.integrator {
            Integrator::Sie => scenario::Integrator::SemiImplicitEuler,
            Integrator::Rk4 => scenario::Integrator::RungeKutta4,
            Integrator::Exact => scenario::Integrator::Exact,
        },
        start: match options.start {
            Start::Ramp => scenario::Start::Ramp,
            Start::Exact => scenario::Start::Exact,
        },
        bond: true,
        stop_s: options.stop_s,
    }
}

/// The scenario's word for a coupling.
pub fn coupling(coupling: Coupling) -> scenario::Coupling {
    match coupling {
        Coupling::ForceDisplacement => scenario::Coupling::ForceDisplacement,
        Coupling::DisplacementForce => scenario::Coupling::DisplacementForce,
        Coupling::DisplacementDisplacement => scenario::Coupling::DisplacementDisplacement,
        Coupling::ForceForce => scenario::Coupling::ForceForce,
    }
}

fn method(options: &OscillatorOptions) -> Method {
    let derivative = match options.derivative {
        Derivative::Passed => predict::Derivative::Passed,
        Derivative::Numdiff => predict::Derivative::Differentiated,
    };
    Method {
        predictor: options.predict.predictor(derivative, options.gs_variant.of_master()),
        schedule: match options.schedule {
            Schedule::Jacobi => master::Schedule::Jacobi,
            Schedule::Gs12 => master::Schedule::GaussSeidel(vec![0, 1]),
            Schedule::Gs21 => master::Schedule::GaussSeidel(vec![1, 0]),
            Schedule::Palindromic => master::Schedule::Palindromic(vec![0, 1]),
        },
        correction: match options.correct {
            Correct::Explicit => Correction::Explicit,
            Correct::FixedPoint => Correction::FixedPoint(FixedPoint::new(Relaxation::Aitken(1.0))),
            Correct::Newton => Correction::Newton(Newton::new(InterfaceJacobian::FiniteDifferences)),
            Correct::IqnIls => Correction::QuasiNewton(QuasiNewton::iqn_ils()),
            Correct::Anderson => Correction::QuasiNewton(QuasiNewton::anderson(5, 1.0)),
            Correct::NewtonKrylov => Correction::NewtonKrylov(NewtonKrylov::default()),
            Correct::SemiImplicit => Correction::SemiImplicit(SemiImplicit::default()),
        },
        sampling: match options.sampling {
            Sampling::Updated => master::Sampling::Updated,
            Sampling::Lagged => master::Sampling::Lagged,
        },
        energy: match options.energy {
            Energy::Monitor => EnergyCorrection::Monitor,
            Energy::Nepce => EnergyCorrection::Nepce,
            Energy::Leak => EnergyCorrection::Leak,
        },
        control: control(options, derivative),
        ..Method::default()
    }
}

/// Macro step control, with all degrees of the predictor's family to choose from.
fn control(options: &OscillatorOptions, derivative: predict::Derivative) -> Option<StepControl> {
    /// Beyond these, extrapolation gains nothing.
    const DEGREE_MAX: u32 = 4;
    let estimate = match options.control {
        Control::Fixed => return None,
        Control::Error => Estimate::Error,
        Control::Ecco => Estimate::Ecco,
    };
    let mut control = StepControl::new(estimate, options.control_tolerance);
    let chosen = estimate == Estimate::Error;
    // Integrated accelerations predict velocities one degree higher.
    control.lowest = match options.predict.family {
        Family::Integrated if chosen => 1,
        Family::Integrated => options.predict.degree as usize + 1,
        Family::Classical if chosen => 0,
        Family::Classical | Family::Spectral => options.predict.degree as usize,
        Family::Hermite | Family::Jerk => options.predict.degree as usize - 1,
    };
    if chosen && matches!(options.predict.family, Family::Classical | Family::Integrated) {
        let degrees = (0..=DEGREE_MAX).map(|degree| Predict { degree, ..options.predict });
        control.family = degrees.map(|p| p.predictor(derivative, options.gs_variant.of_master())).collect();
    }
    Some(control)
}
