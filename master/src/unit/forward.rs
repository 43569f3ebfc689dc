//! Calls of a [`Unit`](super::Unit) by their names: passed on to another unit, or without effect.

/// Hands calls on to another unit: `forward! { self => self.unit; setup terminate … }` inside an `impl Unit`. What comes before the
/// semicolon is whom they go to, and may end in `?`.
#[macro_export]
macro_rules! forward {
    ($self:ident => $to:expr; $($call:ident)*) => {
        $($crate::unit_call!($call [to $self $to]);)*
    };
}

/// Answers calls with nothing: `idle! { self; setup terminate … }` inside an `impl Unit` of a unit that has no use for them. Nothing
/// is `false` of `is_parallel` and `gains_by_trials`, `None` of `hidden_state`, `warned` and `distance`, a copy of the description of `shared_description`, and
/// steps one by one of `trials`.
#[macro_export]
macro_rules! idle {
    ($self:ident; $($call:ident)*) => {
        $($crate::unit_call!($call [idle $self]);)*
    };
}

/// A call of [`Unit`](crate::unit::Unit) by its name, with a body.
#[doc(hidden)]
#[macro_export]
macro_rules! unit_call {
    (name [to $self:ident $to:expr]) => {
        fn name(&$self) -> &str {
            $to.name()
        }
    };
    (description [to $self:ident $to:expr]) => {
        fn description(&$self) -> &macrostep_description::ModelDescription {
            $to.description()
        }
    };
    (shared_description [to $self:ident $to:expr]) => {
        fn shared_description(&$self) -> std::sync::Arc<macrostep_description::ModelDescription> {
            $to.shared_description()
        }
    };
    (shared_description [idle $self:ident]) => {
        fn shared_description(&$self) -> std::sync::Arc<macrostep_description::ModelDescription> {
            std::sync::Arc::new($self.description().clone())
        }
    };
    (kind [to $self:ident $to:expr]) => {
        fn kind(&$self) -> &'static str {
            $to.kind()
        }
    };
    (is_parallel [to $self:ident $to:expr]) => {
        fn is_parallel(&$self) -> bool {
            $to.is_parallel()
        }
    };
    (is_parallel [idle $self:ident]) => {
        fn is_parallel(&$self) -> bool {
            false
        }
    };
    (gains_by_trials [to $self:ident $to:expr]) => {
        fn gains_by_trials(&$self) -> bool {
            $to.gains_by_trials()
        }
    };
    (gains_by_trials [idle $self:ident]) => {
        fn gains_by_trials(&$self) -> bool {
            false
        }
    };
    (distance [to $self:ident $to:expr]) => {
        fn distance(&$self) -> Option<$crate::unit::Distance> {
            $to.distance()
        }
    };
    (distance [idle $self:ident]) => {
        fn distance(&$self) -> Option<$crate::unit::Distance> {
            None
        }
    };
    (trials [to $self:ident $to:expr]) => {
        fn trials(&mut $self, of: &$crate::unit::Trials<'_>, values: &mut [f64]) -> Result<bool, $crate::unit::UnitError> {
            $to.trials(of, values)
        }
    };
    (trials [idle $self:ident]) => {
        fn trials(&mut $self, of: &$crate::unit::Trials<'_>, values: &mut [f64]) -> Result<bool, $crate::unit::UnitError> {
            of.one_by_one($self, values)
        }
    };
    (do_steps [to $self:ident $to:expr]) => {
        fn do_steps(&$self) -> u64 {
            $to.do_steps()
        }
    };
    (warned [to $self:ident $to:expr]) => {
        fn warned(&mut $self) -> Option<$crate::unit::Warned> {
            $to.warned()
        }
    };
    (warned [idle $self:ident]) => {
        fn warned(&mut $self) -> Option<$crate::unit::Warned> {
            None
        }
    };
    (hidden_state [to $self:ident $to:expr]) => {
        fn hidden_state(&mut $self) -> Option<&mut [f64]> {
            $to.hidden_state()
        }
    };
    (hidden_state [idle $self:ident]) => {
        fn hidden_state(&mut $self) -> Option<&mut [f64]> {
            None
        }
    };
    (setup $body:tt) => {
        $crate::unit_call!(@ $body setup(start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> ());
    };
    (enter_initialization $body:tt) => { $crate::unit_call!(@ $body enter_initialization() -> ()); };
    (exit_initialization $body:tt) => { $crate::unit_call!(@ $body exit_initialization() -> ()); };
    (reset $body:tt) => { $crate::unit_call!(@ $body reset() -> ()); };
    (terminate $body:tt) => { $crate::unit_call!(@ $body terminate() -> ()); };
    (set_real $body:tt) => { $crate::unit_call!(@ $body set_real(refs: &[u32], values: &[f64]) -> ()); };
    (get_real $body:tt) => { $crate::unit_call!(@ $body get_real(refs: &[u32], values: &mut [f64]) -> ()); };
    (set_integer $body:tt) => { $crate::unit_call!(@ $body set_integer(refs: &[u32], values: &[i32]) -> ()); };
    (get_integer $body:tt) => { $crate::unit_call!(@ $body get_integer(refs: &[u32], values: &mut [i32]) -> ()); };
    (set_boolean $body:tt) => { $crate::unit_call!(@ $body set_boolean(refs: &[u32], values: &[bool]) -> ()); };
    (get_boolean $body:tt) => { $crate::unit_call!(@ $body get_boolean(refs: &[u32], values: &mut [bool]) -> ()); };
    (set_string $body:tt) => { $crate::unit_call!(@ $body set_string(refs: &[u32], values: &[&str]) -> ()); };
    (get_string $body:tt) => { $crate::unit_call!(@ $body get_string(refs: &[u32]) -> Vec<String>); };
    (set_input_derivatives $body:tt) => {
        $crate::unit_call!(@ $body set_input_derivatives(refs: &[u32], orders: &[i32], values: &[f64]) -> ());
    };
    (get_output_derivatives $body:tt) => {
        $crate::unit_call!(@ $body get_output_derivatives(refs: &[u32], orders: &[i32], values: &mut [f64]) -> ());
    };
    (step $body:tt) => { $crate::unit_call!(@ $body step(t_s: f64, step_s: f64, keep: bool) -> $crate::unit::Outcome); };
    (begin_step $body:tt) => { $crate::unit_call!(@ $body begin_step(t_s: f64, step_s: f64, keep: bool) -> ()); };
    (save $body:tt) => { $crate::unit_call!(@ $body save(slot: usize) -> ()); };
    (restore $body:tt) => { $crate::unit_call!(@ $body restore(slot: usize) -> ()); };
    (serialize $body:tt) => { $crate::unit_call!(@ $body serialize() -> Vec<u8>); };
    (deserialize $body:tt) => { $crate::unit_call!(@ $body deserialize(bytes: &[u8]) -> ()); };
    (directional $body:tt) => { $crate::unit_call!(@ $body directional(of: $crate::unit::Tangent<'_>) -> ()); };
    (@ [to $self:ident $to:expr] $name:ident($($argument:ident: $type:ty),*) -> $answer:ty) => {
        #[inline]
        fn $name(&mut $self, $($argument: $type),*) -> Result<$answer, $crate::unit::UnitError> {
            $to.$name($($argument),*)
        }
    };
    (@ [idle $self:ident] $name:ident($($argument:ident: $type:ty),*) -> $answer:ty) => {
        fn $name(&mut $self, $($argument: $type),*) -> Result<$answer, $crate::unit::UnitError> {
            $(let _ = $argument;)*
            Ok(<$answer>::default())
        }
    };
}
