//! The gaps of joints at the ends of windows, and whether they are small enough.

use super::Joints;
use super::largest;
use super::state::JointsState;

/// Roundings in a gap that a force cannot take back.
const ROUNDINGS: f64 = 40.0;

/// A tolerance that is reached where nothing but these roundings is left.
const TOLERANCE: f64 = 1e-12;

/// The largest change of a gap over a window by its rate ġ, relative to the limit `gap_max` of the joint.
const MOVED_MAX: f64 = 100.0;

/// Largest gap of a joint at the ends of the windows so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// Name of the constraint.
    pub name: String,
    /// Largest component of g, in the unit of the coordinates.
    pub gap: f64,
    /// Largest component of ġ, in the unit of the velocities.
    pub rate: f64,
    /// Largest coordinate of its ends.
    pub size: f64,
}

impl Opening {
    /// Whether the joint was so far open that its ends did not move together: by more than 5 % of their coordinates.
    pub fn is_torn(&self) -> bool {
        /// A joint whose coordinates are nothing but rounding is not torn by it.
        const LEAST: f64 = 1e-6;
        self.gap > (0.05 * self.size).max(LEAST)
    }

    /// What is to be said of a joint that is torn.
    pub fn torn(&self) -> String {
        let Opening { name, gap, size, .. } = self;
        format!(
            "constraint `{name}` is torn: a gap of {gap:.1e}, where coordinates reach {size:.1e}; choose a smaller macro step, or a \
             corrector"
        )
    }
}

/// Whether a gap is as small as its limit says; one that is small where it passes through zero is not.
fn is_within(limit: f64, [gap, rate]: [f64; 2], length_s: f64) -> bool {
    gap <= limit && rate * length_s <= MOVED_MAX * limit
}

impl Joints {
    /// Notes the gap of each joint, and the force that corresponds to rounding in it.
    pub(super) fn note(&self, state: &mut JointsState, length_s: f64) {
        let n = self.rows();
        for (i, joint) in self.list.iter().enumerate() {
            let rows = joint.rows.clone();
            let [gap, rate] = [&self.gap, &self.rate].map(|of| largest(&of[rows.clone()]));
            state.present[i] = [gap, rate, joint.sizes[0]];
            let least = rows.map(|i| self.mobility[i * n + i]).filter(|w| *w > 0.0).fold(f64::INFINITY, f64::min);
            let [p, v] = joint.sizes;
            let rounding = ROUNDINGS * f64::EPSILON * (6.0 * p / length_s + 2.0 * v) / (length_s * least);
            state.floor[i] = if rounding.is_finite() { rounding / TOLERANCE } else { 0.0 };
        }
    }

    /// Whether a state is one that windows may go on with.
    pub fn may_solve(&self, state: &JointsState) -> bool {
        let n = self.rows() * self.rows();
        let numbers = state.mobility.iter().chain(&state.floor).chain(&state.turn).chain(&state.correction);
        [0, n].contains(&state.mobility.len()) && numbers.into_iter().all(|x| x.is_finite())
    }

    /// Whether the window run last, of `length_s` seconds, has left the joint of a history as closed as its own limit says; `None`
    /// where it has none.
    pub fn is_closed(&self, state: &JointsState, channel: usize, length_s: f64) -> Option<bool> {
        let place = channel.checked_sub(self.first)?;
        let limit = self.list.get(place)?.gap_max?;
        let [gap, rate, _] = state.present[place];
        Some(is_within(limit, [gap, rate], length_s))
    }

    /// Whether a joint has a limit of its own for its gap.
    pub fn has_limits(&self) -> bool {
        self.list.iter().any(|joint| joint.gap_max.is_some())
    }

    /// Takes the window run last as one of the run.
    pub fn accept(&self, state: &mut JointsState) {
        for (largest, present) in state.largest.iter_mut().zip(&state.present) {
            largest.iter_mut().zip(present).for_each(|(largest, present)| *largest = largest.max(*present));
        }
        self.turning.accept(&mut state.turn);
        self.secant.accept(&mut state.correction);
    }

    /// Largest gaps of the joints so far.
    pub fn openings(&self, state: &JointsState) -> Vec<Opening> {
        let parts = self.list.iter().zip(&state.largest);
        parts.map(|(joint, &[gap, rate, size])| Opening { name: joint.name.clone(), gap, rate, size }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_that_passes_through_zero_is_not_closed() {
        assert!(is_within(1e-9, [1e-9, 1e-6], 1e-2));
        assert!(!is_within(1e-9, [2e-9, 0.0], 1e-2));
        assert!(!is_within(1e-9, [0.0, 1e-3], 1e-2));
    }

    #[test]
    fn a_joint_is_torn_by_its_size() {
        let opening = |gap, size| Opening { name: String::new(), gap, rate: 0.0, size };
        assert!(opening(0.2, 3.0).is_torn() && !opening(0.1, 3.0).is_torn());
        // Rounding of coordinates that are nothing but rounding.
        assert!(!opening(1e-12, 1e-12).is_torn());
    }
}
