//! Recorded numbers that are infinite or NaN: an output that nothing is connected with may be one and disturb no unit.

use serde::{Deserialize, Serialize};

/// What was recorded and is no finite number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NotFinite {
    /// Time of the first such row \[s\].
    pub t_s: f64,
    /// Its first such column.
    pub column: usize,
    /// What is there.
    pub found: f64,
    /// Such rows.
    pub rows: u64,
    /// Whether the last row is one.
    pub is_last: bool,
}

/// Whether all numbers are finite. 0 times a finite number is 0, and times others NaN: sums of four at a time cost a row
/// next to nothing.
#[inline]
pub(crate) fn are_finite(values: &[f64]) -> bool {
    let (blocks, rest) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for block in blocks {
        for (sum, x) in sums.iter_mut().zip(block) {
            *sum += x * 0.0;
        }
    }
    rest.iter().fold(sums[0] + sums[1] + sums[2] + sums[3], |sum, x| sum + x * 0.0) == 0.0
}

/// What was seen up to this row, whose numbers are not all finite; those of texts, whose columns are `texts`, are none.
#[cold]
pub(crate) fn seen(
    known: Option<NotFinite>,
    (t_s, values): (f64, &[f64]),
    texts: &[(usize, String)],
) -> Option<NotFinite> {
    let is_text = |column: usize| texts.iter().any(|(place, _)| *place == column);
    let column = (0..values.len()).find(|column| !values[*column].is_finite() && !is_text(*column));
    match (known, column) {
        (Some(known), _) => {
            Some(NotFinite { rows: known.rows + u64::from(column.is_some()), is_last: column.is_some(), ..known })
        }
        (None, Some(column)) => Some(NotFinite { t_s, column, found: values[column], rows: 1, is_last: true }),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{NotFinite, are_finite, seen};

    #[test]
    fn rows_with_numbers_that_are_none_are_counted() {
        assert!(are_finite(&[]) && are_finite(&[-1e308, 1e308, 0.0]));
        assert!(
            !are_finite(&[0.0, f64::NAN]) && !are_finite(&[f64::INFINITY]) && !are_finite(&[f64::NEG_INFINITY, 1.0])
        );
        // A text is NaN among the numbers.
        let texts = [(0, String::new())];
        assert_eq!(seen(None, (0.0, &[f64::NAN, 1.0]), &texts), None);
        let first = seen(None, (0.5, &[f64::NAN, f64::INFINITY]), &texts);
        assert_eq!(first, Some(NotFinite { t_s: 0.5, column: 1, found: f64::INFINITY, rows: 1, is_last: true }));
        let then = seen(first, (0.6, &[f64::NAN, 1.0]), &texts).expect("still there");
        assert_eq!((then.rows, then.is_last, then.t_s), (1, false, 0.5));
    }
}
