//! An FMU of FMI 3.0 for co-simulation as a unit.
//!
//! Values of all its types are those of FMI 2.0 here: numbers with a point are Reals, whole numbers Integers of 32 bits, binary values texts of
//! hexadecimal digits; an array is as many variables as it has elements ([`access`]).
//!
//! Inputs are polynomials of any degree where the FMU asks for them inside its steps: its calls of `intermediateUpdate` get their values at the
//! time of the call ([`update`]). It is never asked to return early. Where it does by itself, or says that an event has to be handled, the event is
//! handled at that time, and the rest of the step goes on ([`steps`]), so that the master sees one step.
//!
//! Calls of scalars that are `Float64`, `Int32` or `Boolean` are one call of the FMU. Those of other types and of arrays are converted, which
//! allocates.
//!
//! References: FMI 3.0.2, sections 2.2, 2.3 and 4.2.

mod access;
mod instance;
mod library;
mod state;
mod steps;
mod table;
mod texts;
mod update;
mod values;

pub(super) use update::Update;

use std::fmt;
use std::sync::Arc;

use macrostep_description::{CoSimulation, Fmi3, ModelDescription};
use macrostep_fmi3 as abi;
use macrostep_master::unit::Warned;

use super::FmuOptions;
use super::callbacks::Environment;
use super::driven::Driven;
use super::instance::{Counted, Phase};
use super::open::Shared;
use access::Access;
use state::Slots;
use table::Table;

/// An instance of an FMU of FMI 3.0.
pub struct FmuUnit3 {
    access: Access,
    // The environment goes before the library, after the instance was freed in `drop`.
    environment: Environment,
    update: Arc<Update>,
    library: Counted<abi::Functions>,
    t_s: f64,
    do_steps: u64,
    /// After `fmi3Fatal`: never to be called again.
    is_dead: bool,
    phase: Phase,
    /// Start and stop time \[s\] and tolerance, until they are handed over.
    setup: (f64, Option<f64>, Option<f64>),
    /// When the FMU has announced an event \[s\].
    next_event_s: Option<f64>,
    name: String,
    slots: Slots,
    options: FmuOptions,
    warned: Warned,
    told: u8,
    // Before the folder, as in `Fmu`.
    driven: Arc<Driven>,
    #[expect(dead_code, reason = "the folder of the library and its resources lives as long as the instance")]
    shared: Arc<Shared>,
}

// SAFETY: as of `FmuUnit`: calls of an instance are serialised by `&mut self`, and callbacks lock what they touch.
unsafe impl Send for FmuUnit3 {}

impl FmuUnit3 {
    fn model(&self) -> &ModelDescription {
        &self.driven.description
    }

    fn capabilities(&self) -> &CoSimulation {
        &self.driven.co_simulation
    }

    fn table(&self) -> &Arc<Table> {
        &self.access.table
    }

    fn has_event_mode(&self) -> bool {
        self.model().fmi3.as_ref().is_some_and(|fmi3: &Fmi3| fmi3.has_event_mode)
    }
}

impl fmt::Debug for FmuUnit3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FmuUnit3")
            .field("name", &self.name)
            .field("phase", &self.phase)
            .field("t_s", &self.t_s)
            .field("do_steps", &self.do_steps)
            .finish_non_exhaustive()
    }
}
