//! The schemes that advice is chosen from.

use crate::scenario::Benchmark;
use crate::scheme::{Control, Correct, Family, Named, Predict, Schedule, Scheme, named};

/// All schemes with steps of one length that are tried, on every cut: those of high order first, which bound what the others
/// may cost.
pub fn candidates(benchmark: &dyn Benchmark) -> Vec<Scheme> {
    // Predictors of explicit schemes.
    let hermite = |degree| Predict { family: Family::Hermite, degree };
    let explicit = [
        Predict::jerk(3),
        Predict::jerk(2),
        Predict::integrated(1),
        Predict::integrated(2),
        Predict::integrated(0),
        Predict::classical(3),
        Predict::classical(2),
        Predict::classical(1),
        Predict::classical(0),
    ];
    // Correctors of implicit schemes.
    let correctors = [
        Correct::Newton,
        Correct::IqnIls,
        Correct::Anderson,
        Correct::NewtonKrylov,
        Correct::FixedPoint,
        Correct::SemiImplicit,
    ];
    let couplings = benchmark.card().couplings;
    // High order first.
    let mut all = Vec::new();
    for &coupling in couplings {
        all.extend([16, 12, 8].map(|q| named(Named::Waveform(Some(q)), coupling)));
    }
    // Explicit schemes, in all orders of the units.
    for predict in explicit {
        for &coupling in couplings {
            for schedule in [Schedule::GaussSeidel, Schedule::GaussSeidelReversed, Schedule::Jacobi] {
                all.push(Scheme::new(coupling, schedule, predict));
            }
        }
    }
    // Implicit schemes: Newton and IQN-ILS from three predictors each, the others from one.
    for &coupling in couplings {
        for correct in correctors {
            let quasi_newton = matches!(correct, Correct::Newton | Correct::IqnIls);
            let predictors = [Predict::classical(2), hermite(3), hermite(5)];
            for predict in predictors.into_iter().take(if quasi_newton { 3 } else { 1 }) {
                all.push(Scheme { correct, ..Scheme::new(coupling, Schedule::Jacobi, predict) });
            }
        }
        // For units that cannot go back: where the master has the laws they are stable beyond explicit schemes, those of low degree longest.
        for predict in [Predict::classical(2), Predict::integrated(1), Predict::classical(1), Predict::classical(0)] {
            let correct = Correct::LinearImplicit;
            all.push(Scheme { correct, ..Scheme::new(coupling, Schedule::Jacobi, predict) });
        }
        all.push(named(Named::Palindromic, coupling));
    }
    // What the file says of sampling and derivatives holds for all of them.
    let written = benchmark.written();
    let like = |scheme: Scheme| match written {
        Some(Scheme { sampling, derivative, variant, .. }) => Scheme { sampling, derivative, variant, ..scheme },
        None => scheme,
    };
    all.into_iter().map(like).collect()
}

/// Schemes with step control, on the cut and with the schedule of the best other one.
pub fn controlled(best: &Scheme) -> Vec<Scheme> {
    let schedule = if best.schedule.is_palindromic() { Schedule::Jacobi } else { best.schedule };
    let of = |predict| Scheme {
        control: Control::Error,
        sampling: best.sampling,
        ..Scheme::new(best.coupling, schedule, predict)
    };
    [Predict::integrated(1), Predict::classical(2)].map(of).to_vec()
}
