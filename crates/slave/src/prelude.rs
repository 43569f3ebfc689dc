//! Parts that the declarations of all slaves share, because one library and one [`Instance`](crate::Instance) are used for
//! all.

use macrostep_description::{Builder, CoSimulation};

/// A builder with version, log categories and the annotation that outputs may be read after inputs were set.
pub fn builder(identifier: &str, about: &str) -> Builder {
    let mut b = Builder::new(identifier, about);
    b.version(env!("CARGO_PKG_VERSION"));
    b.log_category("logStatusError", "Calls that failed");
    b.log_category("logStatusDiscard", "Calls that were refused and changed nothing");
    b.log_category("logStatusFatal", "Failures that ended an instance");
    b.log_category("logEvents", "Set-up, initialisation, reset and termination");
    b.annotate("getAfterSet", "true");
    b
}

/// What every instance can do: its state is saved and serialised, its derivatives are asked for; a model adds whether its
/// step may vary, whether it interpolates inputs, and the order of its output derivatives.
pub fn capabilities() -> CoSimulation {
    CoSimulation {
        can_not_use_memory_management_functions: true,
        can_get_and_set_fmu_state: true,
        can_serialize_fmu_state: true,
        provides_directional_derivative: true,
        ..CoSimulation::default()
    }
}
