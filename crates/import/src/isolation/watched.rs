//! A unit in this process whose calls are on the [`Board`](super::board::Board), so that the watching process can name the
//! call that ended the process, or never ended.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use macrostep_description::ModelDescription;
use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Tangent, Unit, UnitError, Values};

use super::board::Place;
use super::call::Call;
use super::system::board;
use crate::fmu::{Face, Fmu, FmuError, FmuOptions};

/// Advice about a slave that ends the program, if the verb has the option.
pub const ADVICE: &str = "`--isolate` runs it in a process of its own";

/// Where a unit writes that has no place of its own on the board.
static NOWHERE: Place = Place::new();

/// Places of units that are gone.
static FREE: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// A unit's place on the board, as long as the unit lives.
struct Notes {
    place: &'static Place,
    number: Option<usize>,
}

impl Notes {
    fn new(name: &str, is_of_3: bool) -> Notes {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let number = free.or_else(|| board().take());
        let place = number.and_then(|n| board().place(n)).unwrap_or(&NOWHERE);
        if number.is_some() {
            place.at(0.0);
            place.is_of_3.store(u32::from(is_of_3), Ordering::Relaxed);
            place.name.set(name);
        }
        Notes { place, number }
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        // A slave that ends its thread unwinds this far: the call it has done that in stays on the board.
        if self.place.is_free() {
            self.place.end();
            FREE.lock().unwrap_or_else(PoisonError::into_inner).extend(self.number);
        }
    }
}

/// Does `work`, which is a call to foreign code by the unit `name`; `advice` is what a user can do where it ends the
/// program.
pub fn during<T>(name: &str, call: Call, advice: &str, work: impl FnOnce() -> T) -> T {
    board().advice.set(advice);
    let notes = Notes::new(name, false);
    notes.place.begin(call, 1);
    let answer = work();
    notes.place.end();
    answer
}

/// Marks the calls of a unit where it is noted. Dropped before the unit, it marks the call that frees it.
struct Marks {
    place: &'static Place,
    count: u64,
}

impl Marks {
    #[inline]
    fn begin(&mut self, call: Call) {
        self.count += 1;
        self.place.begin(call, self.count);
    }
}

impl Drop for Marks {
    fn drop(&mut self) {
        if self.place.is_free() {
            self.place.begin(Call::Quit, 0);
        }
    }
}

/// A unit whose calls are on the board. Each costs three stores to memory nobody else touches. What a call touches stands first.
#[repr(C)]
struct Watched<U> {
    // Dropped in this order.
    marks: Marks,
    inner: U,
    _notes: Notes,
}

/// An instance of an FMU in this process by its face: each call is on the board, and so is making it; a call may take as long as `limit`, 0 for
/// ever. `advice` is what a user can do where it ends the program.
///
/// # Errors
/// Those of the FMU.
pub fn watched(
    fmu: &Fmu,
    name: &str,
    options: &FmuOptions,
    limit: Duration,
    advice: &str,
) -> Result<Box<dyn Unit>, FmuError> {
    let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    board().call_limit_ms.store(limit_ms, Ordering::Relaxed);
    board().advice.set(advice);
    // Each face is a type of its own, so that a step is one call.
    Ok(match fmu.face() {
        Face::CoSimulation if fmu.is_of_3() => Box::new(noted(fmu, name, || fmu.instantiate_3(name, options))?),
        Face::CoSimulation => Box::new(noted(fmu, name, || fmu.instantiate(name, options))?),
        Face::ModelExchange => Box::new(noted(fmu, name, || fmu.instantiate_equations(name, options))?),
    })
}

/// Makes a unit whose calls are noted.
fn noted<U: Unit>(fmu: &Fmu, name: &str, make: impl FnOnce() -> Result<U, FmuError>) -> Result<Watched<U>, FmuError> {
    let notes = Notes::new(name, fmu.is_of_3());
    notes.place.begin(Call::Load, 1);
    let made = make();
    notes.place.end();
    let inner = made?;
    Ok(Watched { marks: Marks { place: notes.place, count: 1 }, inner, _notes: notes })
}

/// Calls that are passed on between two notes.
macro_rules! passed_on {
    ($(fn $name:ident(&mut self $(, $argument:ident: $type:ty)*) -> $answer:ty = $call:ident;)*) => {$(
        #[inline(always)]
        fn $name(&mut self $(, $argument: $type)*) -> $answer {
            self.marks.begin(Call::$call);
            let answer = self.inner.$name($($argument),*);
            self.marks.place.end();
            answer
        }
    )*};
}

impl<U: Unit> Described for Watched<U> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn description(&self) -> &ModelDescription {
        self.inner.description()
    }

    fn inner(&self) -> Option<&dyn Unit> {
        Some(&self.inner)
    }

    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(Some(&mut self.inner))
    }
}

impl<U: Unit> Values for Watched<U> {
    passed_on! {
        fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError> = SetReal;
        fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> = GetReal;
        fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> = SetInteger;
        fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError> = GetInteger;
        fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError> = SetBoolean;
        fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError> = GetBoolean;
        fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError> = SetString;
        fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError> = GetString;
    }
}

impl<U: Unit> Derivatives for Watched<U> {
    passed_on! {
        fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError> = SetInputDerivatives;
        fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), UnitError> = GetOutputDerivatives;
        fn directional(&mut self, of: Tangent<'_>) -> Result<(), UnitError> = Directional;
    }
}

impl<U: Unit> States for Watched<U> {
    passed_on! {
        fn save(&mut self, slot: usize) -> Result<(), UnitError> = Save;
        fn restore(&mut self, slot: usize) -> Result<(), UnitError> = Restore;
        fn serialize(&mut self) -> Result<Vec<u8>, UnitError> = Serialize;
        fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError> = Deserialize;
    }
}

impl<U: Unit> Steps for Watched<U> {
    #[inline(always)]
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.marks.place.at(t_s);
        self.marks.begin(Call::Step);
        let answer = self.inner.step(t_s, step_s, keep);
        self.marks.place.end();
        self.marks.place.at(t_s + step_s);
        // What is mostly answered, without a copy of what else could be.
        if let Ok(Outcome::Done) = answer { Ok(Outcome::Done) } else { answer }
    }

    fn do_steps(&self) -> u64 {
        self.inner.do_steps()
    }
}

impl<U: Unit> Unit for Watched<U> {
    fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError> {
        self.marks.place.at(start_s);
        self.marks.begin(Call::Setup);
        let answer = self.inner.setup(start_s, stop_s, tolerance);
        self.marks.place.end();
        answer
    }

    passed_on! {
        fn enter_initialization(&mut self) -> Result<(), UnitError> = EnterInitialization;
        fn exit_initialization(&mut self) -> Result<(), UnitError> = ExitInitialization;
        fn reset(&mut self) -> Result<(), UnitError> = Reset;
        fn terminate(&mut self) -> Result<(), UnitError> = Terminate;
    }
}
