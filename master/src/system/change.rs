//! *Changes*: values that units get at communication points, as parts of a system.

use crate::unit::Start;

/// A value set at a time.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub unit: usize,
    pub at_s: f64,
    pub value: Start,
}
