//! Which side of its box a row is on, and the memory of it between problems.

use serde::{Deserialize, Serialize};

/// The position of an unknown in its box.
///
/// A row whose box has zero width is reported as [`Set::Lower`]: it is tight, whatever its slack says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Set {
    /// At the lower bound, slack ≥ 0 (tight).
    #[default]
    Lower,
    /// Strictly inside, slack = 0 (active).
    Inside,
    /// At the upper bound, slack ≤ 0 (tight).
    Upper,
}

impl Set {
    /// Direction of the bound: −1 at the lower, +1 at the upper, 0 inside.
    #[must_use]
    pub fn sign(self) -> f64 {
        match self {
            Set::Lower => -1.0,
            Set::Inside => 0.0,
            Set::Upper => 1.0,
        }
    }

    /// A code that survives serialisation to integers: 0, 1, 2.
    #[must_use]
    pub fn code(self) -> u64 {
        match self {
            Set::Lower => 0,
            Set::Inside => 1,
            Set::Upper => 2,
        }
    }

    /// The inverse of [`Set::code`]; `None` for any other number.
    #[must_use]
    pub fn from_code(code: u64) -> Option<Self> {
        match code {
            0 => Some(Set::Lower),
            1 => Some(Set::Inside),
            2 => Some(Set::Upper),
            _ => None,
        }
    }
}

/// Sets of an earlier solution by the persistent ids of its rows.
///
/// Rows that vanish are forgotten, rows that appear start from a guess of the solver; contact points may come and go
/// between two problems without disturbing the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarmStart {
    /// Sorted by id.
    entries: Vec<(u64, Set)>,
}

impl WarmStart {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the memory by `(id, set)` pairs; of equal ids the first wins.
    pub fn fill(&mut self, pairs: impl Iterator<Item = (u64, Set)>) {
        self.entries.clear();
        self.entries.extend(pairs);
        // Sorted input, the usual case, must not allocate.
        if !self.entries.is_sorted_by_key(|entry| entry.0) {
            self.entries.sort_by_key(|entry| entry.0);
        }
        self.entries.dedup_by_key(|entry| entry.0);
    }

    /// The remembered set of row `id`.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<Set> {
        let at = self.entries.binary_search_by_key(&id, |e| e.0).ok()?;
        Some(self.entries[at].1)
    }

    /// All pairs in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Set)> + '_ {
        self.entries.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_id_whatever_their_order() {
        let mut warm = WarmStart::new();
        warm.fill([(9, Set::Upper), (2, Set::Inside), (9, Set::Lower)].into_iter());
        assert_eq!(warm.get(9), Some(Set::Upper));
        assert_eq!(warm.get(2), Some(Set::Inside));
        assert_eq!(warm.get(3), None);
    }

    #[test]
    fn codes_are_inverse() {
        for set in [Set::Lower, Set::Inside, Set::Upper] {
            assert_eq!(Set::from_code(set.code()), Some(set));
        }
        assert_eq!(Set::from_code(3), None);
    }
}
