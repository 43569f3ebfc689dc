//! The micro steps of a fast subsystem over one macro step.
//!
//! ```text
//! λ_k     = force(x_k, w_k)
//! w_{k+1} = w_0                                  hold
//!         = w_0 + (w_0 − w_{−1}) t_{k+1}/H        linear
//!         = w_k + h_f (W λ_k + b)                interface model
//! x_{k+1} = advance(x_k, w_{k+1})
//! s_{k+1} = s_k + h_f w_{k+1}
//! mean λ  = (λ_0 + … + λ_{N−1})/N,   end λ = force(x_N, w_N)
//! ```
//!
//! With the interface model and the mean force the predicted speed at the end is the one the slow side will have,
//! `w_N = w_0 + H (W λ̄ + b) = D v⁺`, as long as its active set holds. It is not the prediction alone that stabilises a
//! coupling but the prediction, the order (fast side first) and the mean force together; state all three with a result.

use thiserror::Error;

/// A subsystem that gives forces and takes speeds.
pub trait FastSide {
    /// Everything that changes.
    type State: Clone;

    /// Writes the interface forces λ for the state and the interface speeds.
    fn force(&self, state: &Self::State, speed: &[f64], force: &mut [f64]);

    /// One micro step of `step_s` from `time_s`, with the interface speed at its end.
    fn advance(&self, state: &mut Self::State, speed: &[f64], step_s: f64, time_s: f64);

    /// Takes over the interface position of the slow side at a communication point. A subsystem that keeps no position
    /// does nothing.
    fn synchronise(&self, _state: &mut Self::State, _position: &[f64]) {}
}

/// Where the interface speed within a macro step comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prediction {
    /// The last value.
    Hold,
    /// The line through the last two values.
    Linear,
    /// The interface model of the slow side.
    InterfaceModel,
}

/// Which force is handed to the slow side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The force at the end of the macro step.
    End,
    /// The mean over the macro step: keeps the impulse.
    Mean,
}

/// The known values of the slow side at the beginning of a macro step, and the prediction of its speed from them; all
/// slices have r entries, `mobility` r × r.
#[derive(Clone, Copy, Debug)]
pub struct Interface<'a> {
    /// Where the speed within the macro step comes from.
    pub prediction: Prediction,
    /// Positions s.
    pub position: &'a [f64],
    /// Speeds `w_0`.
    pub speed: &'a [f64],
    /// Speeds one macro step earlier, `w_{−1}`; used by [`Prediction::Linear`].
    pub speed_before: &'a [f64],
    /// `W`, row-major; used by [`Prediction::InterfaceModel`].
    pub mobility: &'a [f64],
    /// `b`; used by [`Prediction::InterfaceModel`].
    pub bias: &'a [f64],
}

/// A macro step and its division.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Beginning, s.
    pub begin_s: f64,
    /// Micro step h_f, s.
    pub micro_s: f64,
    /// Number of micro steps N ≥ 1.
    pub count: usize,
}

/// The forces of a window; r entries each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Mean force.
    pub mean: Vec<f64>,
    /// Force at the end.
    pub end: Vec<f64>,
    /// Predicted speed at the end.
    pub speed: Vec<f64>,
    /// Predicted position at the end.
    pub position: Vec<f64>,
    /// Work of the forces on the predicted motion, `Σ_k h_f λ_k·(w_k + w_{k+1})/2`, J.
    pub work_j: f64,
}

/// A macro step that micro steps do not divide.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("macro step {macro_s} s is not a multiple of the micro step {micro_s} s")]
pub struct WindowError {
    /// The macro step.
    pub macro_s: f64,
    /// The micro step.
    pub micro_s: f64,
}

impl Window {
    /// Divides a macro step of `macro_s` seconds.
    ///
    /// # Errors
    /// [`WindowError`] when the ratio is off an integer ≥ 1 by more than 1e-9.
    pub fn divide(begin_s: f64, macro_s: f64, micro_s: f64) -> Result<Self, WindowError> {
        let (ratio, error) = (macro_s / micro_s, WindowError { macro_s, micro_s });
        let count = ratio.round();
        // Written so that NaN is refused, too.
        let divides = count >= 1.0 && (ratio - count).abs() <= 1e-9 * count && count < 1e9;
        if divides { Ok(Self { begin_s, micro_s: macro_s / count, count: count as usize }) } else { Err(error) }
    }
}

/// Integrates `fast` over a window and writes its forces.
pub fn window<F: FastSide>(fast: &F, state: &mut F::State, window: &Window, slow: &Interface<'_>, forces: &mut Forces) {
    let r = slow.speed.len();
    // Both sides begin from what the slow side says.
    fast.synchronise(state, slow.position);
    for (list, start) in [(&mut forces.speed, slow.speed), (&mut forces.position, slow.position)] {
        list.clear();
        list.extend_from_slice(start);
    }
    for list in [&mut forces.mean, &mut forces.end] {
        list.clear();
        list.resize(r, 0.0);
    }
    let (h, count) = (window.micro_s, window.count as f64);
    forces.work_j = 0.0;
    // Force of the micro step; the mean is over all of them.
    for k in 0..window.count {
        fast.force(state, &forces.speed, &mut forces.end);
        for (mean, force) in forces.mean.iter_mut().zip(&forces.end) {
            *mean += force / count;
        }
        // Work by the mean of the speeds before and after the prediction.
        forces.work_j += 0.5 * h * dot(&forces.end, &forces.speed);
        predict(slow, h, (k + 1) as f64 / count, forces);
        forces.work_j += 0.5 * h * dot(&forces.end, &forces.speed);
        // The fast side and the position go with the predicted speed.
        fast.advance(state, &forces.speed, h, window.begin_s + k as f64 * h);
        for (s, w) in forces.position.iter_mut().zip(&forces.speed) {
            *s += h * w;
        }
    }
    // The force at the end, with the speed there.
    fast.force(state, &forces.speed, &mut forces.end);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The speed after the next micro step, at the fraction `at` of the window.
fn predict(slow: &Interface<'_>, h: f64, at: f64, forces: &mut Forces) {
    match slow.prediction {
        Prediction::Hold => {}
        Prediction::Linear => {
            for (i, w) in forces.speed.iter_mut().enumerate() {
                *w = slow.speed[i] + (slow.speed[i] - slow.speed_before[i]) * at;
            }
        }
        Prediction::InterfaceModel => {
            let r = slow.speed.len();
            for (i, w) in forces.speed.iter_mut().enumerate() {
                let row = slow.mobility[i * r..(i + 1) * r].iter().zip(&forces.end);
                *w += h * (row.map(|(w, force)| w * force).sum::<f64>() + slow.bias[i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A spring: state is its elongation.
    struct Spring;

    impl FastSide for Spring {
        type State = f64;

        fn force(&self, state: &f64, _speed: &[f64], force: &mut [f64]) {
            force[0] = -*state;
        }

        fn advance(&self, state: &mut f64, speed: &[f64], step_s: f64, _time_s: f64) {
            *state += step_s * speed[0];
        }
    }

    fn run(prediction: Prediction) -> Forces {
        let (position, speed, speed_before, mobility, bias) = (&[0.0], &[1.0], &[0.5], &[2.0], &[-3.0]);
        let slow = Interface { prediction, position, speed, speed_before, mobility, bias };
        let division = Window::divide(0.0, 0.1, 0.001).expect("divides");
        let (mut state, mut forces) = (0.0, Forces::default());
        window(&Spring, &mut state, &division, &slow, &mut forces);
        forces
    }

    #[test]
    fn speeds_follow_the_prediction() {
        assert_eq!(run(Prediction::Hold).speed, [1.0]);
        assert!((run(Prediction::Linear).speed[0] - 1.5).abs() < 1e-12);
        // The impulse of the mean force is exactly what the interface model has integrated.
        let forces = run(Prediction::InterfaceModel);
        let expected = 1.0 + 0.1 * (2.0 * forces.mean[0] - 3.0);
        assert!((forces.speed[0] - expected).abs() < 1e-14);
        assert!(forces.end[0] < forces.mean[0] && forces.mean[0] < 0.0);
    }

    #[test]
    fn micro_steps_must_divide() {
        assert_eq!(Window::divide(0.0, 0.016, 0.0002).map(|w| w.count), Ok(80));
        assert!(Window::divide(0.0, 0.0163, 0.0002).is_err());
        assert!(Window::divide(0.0, 0.0001, 0.0002).is_err());
        assert!(Window::divide(0.0, f64::NAN, 0.0002).is_err());
    }
}
