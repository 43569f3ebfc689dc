//! A *cut*: ends a run from outside, wherever it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Clones are one cut. Who runs looks at it at communication points, and at each slave that is waited for.
#[derive(Debug, Clone, Default)]
pub struct Cut(Arc<AtomicBool>);

impl Cut {
    /// Ends all runs that check this cut.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was set.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
