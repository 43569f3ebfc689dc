//! A *checkpoint*: a run at a communication point, as bytes, from which a simulation of the same definition continues bit
//! by bit.
//!
//! What a unit knows is its serialised state. What the engine knows is its state, field by field with the fields' names, a
//! version, and digests of the definition it belongs to.

use crate::error::RunError;
use crate::run::Simulation;
use crate::step::state::State;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Changes with what a state holds.
const VERSION: u32 = 7;

/// A run at a communication point.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SavedState {
    /// Serialised states of the units, in their order.
    pub units: Vec<Vec<u8>>,
    /// The state of the engine.
    pub engine: Vec<u8>,
}

/// A named part and its bytes.
type Part = (String, Vec<u8>);

/// What the bytes of an engine hold.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    definition: Vec<Part>,
    fields: Vec<Part>,
}

fn mismatch(found: String, expected: &str) -> RunError {
    RunError::grid("saved state", found, expected.to_owned())
}

fn encoded<T: Serialize>(name: &str, field: &T) -> Result<Part, RunError> {
    let bytes = postcard::to_stdvec(field);
    bytes.map(|bytes| (name.to_owned(), bytes)).map_err(|e| mismatch(format!("`{name}`: {e}"), "a state in bytes"))
}

fn decoded<T: DeserializeOwned>(fields: &[Part], name: &str) -> Result<T, RunError> {
    let missing = || mismatch(format!("no field `{name}`"), "one of this version: start the run again");
    let (_, bytes) = fields.iter().find(|(n, _)| n == name).ok_or_else(missing)?;
    postcard::from_bytes(bytes)
        .map_err(|e| mismatch(format!("field `{name}`: {e}"), "one of this version: start the run again"))
}

/// Both ways of a struct, field by field; one that is left out does not compile.
macro_rules! fields {
    ($kind:ident { $($field:ident),* $(,)? }) => {
        fn write(state: &$kind) -> Result<Vec<Part>, RunError> {
            let $kind { $($field),* } = state;
            Ok(vec![$(encoded(stringify!($field), $field)?),*])
        }

        fn read(fields: &[Part]) -> Result<$kind, RunError> {
            Ok($kind { $($field: decoded(fields, stringify!($field))?),* })
        }
    };
}

fields!(State {
    now,
    pace,
    signals,
    unit_ports,
    loops,
    joints,
    guess,
    learnt,
    control,
    watches,
    statistics,
    doubts,
    growth,
    resolution,
    changes_past,
    events,
    diverged,
});

impl Simulation {
    /// Takes a checkpoint. To be called between windows; every unit must be able to serialise its state.
    ///
    /// # Errors
    /// Those of the units.
    pub fn saved_state(&mut self) -> Result<SavedState, RunError> {
        let units = self.window.unit_ports.iter_mut().map(|s| s.unit.serialize()).collect::<Result<_, _>>()?;
        let kept = Kept { version: VERSION, definition: self.definition.0.clone(), fields: write(&self.state)? };
        let (_, engine) = encoded("state", &kept)?;
        Ok(SavedState { units, engine })
    }

    /// Whether a state is one that a run of this definition may have left.
    fn is_sound(&self, state: &State) -> Result<(), RunError> {
        let initial = self.initial();
        let (histories, fresh) = (&state.signals.histories, &initial.signals.histories);
        let sampled = histories.iter().take(self.channels).all(|h| !h.is_empty());
        let known = histories.len() == fresh.len() && histories.iter().zip(fresh).all(|(h, f)| h.may_replace(f));
        let (unit_ports, fresh) = (&state.unit_ports, &initial.unit_ports);
        let placed = unit_ports.len() == fresh.len() && unit_ports.iter().zip(fresh).all(|(s, f)| s.may_replace(f));
        let paced = state.pace.stretch >= 1 && state.pace.degree < self.window.sources.family.len();
        let alike = |s: &State| {
            let known = (s.control.is_some(), s.signals.balance.is_some());
            let seen = (s.growth.len(), s.resolution.len());
            (s.loops.len(), s.watches.len(), s.events.shape(), known, s.guess.shape(), s.joints.shape(), seen)
        };
        let solved = self.window.joints.may_solve(&state.joints);
        if known && sampled && placed && paced && solved && alike(state) == alike(&initial) {
            return Ok(());
        }
        Err(mismatch("a state with impossible values".to_owned(), "an unchanged file: start the run again"))
    }

    /// Goes on where a simulation of the same definition was when the checkpoint was taken. To be called after
    /// [`Simulation::initialise`].
    ///
    /// # Errors
    /// Where it is one of another definition or version, and those of the units.
    pub fn resume(&mut self, saved: &SavedState) -> Result<(), RunError> {
        // Whether it is one of this definition.
        let other = |_| mismatch("something else".to_owned(), "one of a run of this version");
        let (version, _) = postcard::take_from_bytes::<u32>(&saved.engine).map_err(other)?;
        if version != VERSION {
            return Err(mismatch(format!("version {version}"), "one of this version: start the run again"));
        }
        let kept: Kept = postcard::from_bytes(&saved.engine).map_err(other)?;
        if let Some(part) = self.definition.difference(&kept.definition) {
            return Err(mismatch(format!("one of a run with other {part}"), "one of this system, method and grid"));
        }
        let (found, expected) = (saved.units.len(), self.window.unit_ports.len());
        if found != expected {
            return Err(mismatch(format!("states of {found} units"), &format!("those of {expected}")));
        }
        // The state of the engine, and of the units.
        let state = read(&kept.fields)?;
        self.is_sound(&state)?;
        self.state = state;
        for (unit_port, state) in self.window.unit_ports.iter_mut().zip(&saved.units) {
            unit_port.unit.deserialize(state)?;
        }
        Ok(())
    }
}
