//! The exported symbols.

/// Exports a model, given by its type, as the functions of FMI 2.0, and of FMI 3.0 for co-simulation, in modules `fmi2_functions` and
/// `fmi3_functions`. A library may do so once.
#[macro_export]
macro_rules! export_fmu {
    ($model:ty) => {
        $crate::export_fmi3! { $model }

        /// The functions of FMI 2.0 for co-simulation and model exchange.
        pub mod fmi2_functions {
            #![allow(unsafe_code, non_snake_case, clippy::missing_safety_doc, missing_docs)]
            use super::*;
            use $crate::{calls, fmi2::*};

            $crate::export_fmu! { @functions $model,
                fmi2Instantiate => instantiate(
                    name: Str, kind: Type, guid: Str, resources: Str, callbacks: *const CallbackFunctions,
                    visible: Boolean, logging_on: Boolean
                ) -> Component;
                fmi2FreeInstance => free_instance(c: Component) -> ();
                fmi2SetDebugLogging => set_debug_logging(
                    c: Component, on: Boolean, count: usize, categories: *const Str
                ) -> Status;
                fmi2SetupExperiment => setup_experiment(
                    c: Component, tolerance_defined: Boolean, tolerance: Real, start: Real, stop_defined: Boolean,
                    stop: Real
                ) -> Status;
                fmi2EnterInitializationMode => enter_initialization_mode(c: Component) -> Status;
                fmi2ExitInitializationMode => exit_initialization_mode(c: Component) -> Status;
                fmi2Terminate => terminate(c: Component) -> Status;
                fmi2Reset => reset(c: Component) -> Status;
                fmi2GetReal => get_real(
                    c: Component, refs: *const ValueReference, count: usize, values: *mut Real
                ) -> Status;
                fmi2GetInteger => get_integer(
                    c: Component, refs: *const ValueReference, count: usize, values: *mut Integer
                ) -> Status;
                fmi2GetBoolean => get_boolean(
                    c: Component, refs: *const ValueReference, count: usize, values: *mut Boolean
                ) -> Status;
                fmi2GetString => get_string(
                    c: Component, refs: *const ValueReference, count: usize, values: *mut Str
                ) -> Status;
                fmi2SetReal => set_real(
                    c: Component, refs: *const ValueReference, count: usize, values: *const Real
                ) -> Status;
                fmi2SetInteger => set_integer(
                    c: Component, refs: *const ValueReference, count: usize, values: *const Integer
                ) -> Status;
                fmi2SetBoolean => set_boolean(
                    c: Component, refs: *const ValueReference, count: usize, values: *const Boolean
                ) -> Status;
                fmi2SetString => set_string(
                    c: Component, refs: *const ValueReference, count: usize, values: *const Str
                ) -> Status;
                fmi2GetFMUstate => get_fmu_state(c: Component, state: *mut FmuState) -> Status;
                fmi2SetFMUstate => set_fmu_state(c: Component, state: FmuState) -> Status;
                fmi2FreeFMUstate => free_fmu_state(c: Component, state: *mut FmuState) -> Status;
                fmi2SerializedFMUstateSize => serialized_fmu_state_size(
                    c: Component, state: FmuState, size: *mut usize
                ) -> Status;
                fmi2SerializeFMUstate => serialize_fmu_state(
                    c: Component, state: FmuState, bytes: *mut Byte, size: usize
                ) -> Status;
                fmi2DeSerializeFMUstate => deserialize_fmu_state(
                    c: Component, bytes: *const Byte, size: usize, state: *mut FmuState
                ) -> Status;
                fmi2GetDirectionalDerivative => get_directional_derivative(
                    c: Component, unknown: *const ValueReference, unknowns: usize, known: *const ValueReference,
                    knowns: usize, d_known: *const Real, d_unknown: *mut Real
                ) -> Status;
                fmi2SetRealInputDerivatives => set_real_input_derivatives(
                    c: Component, refs: *const ValueReference, count: usize, orders: *const Integer,
                    values: *const Real
                ) -> Status;
                fmi2GetRealOutputDerivatives => get_real_output_derivatives(
                    c: Component, refs: *const ValueReference, count: usize, orders: *const Integer,
                    values: *mut Real
                ) -> Status;
                fmi2DoStep => do_step(c: Component, t: Real, step: Real, keep: Boolean) -> Status;
                fmi2CancelStep => cancel_step(c: Component) -> Status;
                fmi2GetStatus => get_status(c: Component, kind: StatusKind, value: *mut Status) -> Status;
                fmi2GetRealStatus => get_real_status(c: Component, kind: StatusKind, value: *mut Real) -> Status;
                fmi2GetIntegerStatus => get_integer_status(
                    c: Component, kind: StatusKind, value: *mut Integer
                ) -> Status;
                fmi2GetBooleanStatus => get_boolean_status(
                    c: Component, kind: StatusKind, value: *mut Boolean
                ) -> Status;
                fmi2GetStringStatus => get_string_status(c: Component, kind: StatusKind, value: *mut Str) -> Status;
                fmi2EnterEventMode => enter_event_mode(c: Component) -> Status;
                fmi2NewDiscreteStates => new_discrete_states(c: Component, info: *mut EventInfo) -> Status;
                fmi2EnterContinuousTimeMode => enter_continuous_time_mode(c: Component) -> Status;
                fmi2CompletedIntegratorStep => completed_integrator_step(
                    c: Component, keep: Boolean, enter_event_mode: *mut Boolean, terminate: *mut Boolean
                ) -> Status;
                fmi2SetTime => set_time(c: Component, t: Real) -> Status;
                fmi2SetContinuousStates => set_continuous_states(
                    c: Component, states: *const Real, count: usize
                ) -> Status;
                fmi2GetDerivatives => get_derivatives(
                    c: Component, derivatives: *mut Real, count: usize
                ) -> Status;
                fmi2GetEventIndicators => get_event_indicators(
                    c: Component, indicators: *mut Real, count: usize
                ) -> Status;
                fmi2GetContinuousStates => get_continuous_states(
                    c: Component, states: *mut Real, count: usize
                ) -> Status;
                fmi2GetNominalsOfContinuousStates => get_nominals_of_continuous_states(
                    c: Component, nominals: *mut Real, count: usize
                ) -> Status;
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn fmi2GetTypesPlatform() -> Str {
                TYPES_PLATFORM.as_ptr()
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn fmi2GetVersion() -> Str {
                VERSION.as_ptr()
            }

            /// The address of an exported function, for a table in the same program.
            pub fn address(symbol: &core::ffi::CStr) -> *const core::ffi::c_void {
                match symbol.to_bytes() {
                    b"fmi2GetTypesPlatform" => fmi2GetTypesPlatform as *const core::ffi::c_void,
                    b"fmi2GetVersion" => fmi2GetVersion as *const core::ffi::c_void,
                    other => address_with_instance(other),
                }
            }
        }
    };
    (@functions $model:ty, $( $symbol:ident => $call:ident($($arg:ident: $type:ty),*) -> $return:ty; )*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol($($arg: $type),*) -> $return {
                // SAFETY: the contract of the C function is the contract of the call.
                unsafe { calls::$call::<$model>($($arg),*) }
            }
        )*

        fn address_with_instance(symbol: &[u8]) -> *const core::ffi::c_void {
            $(
                if symbol == stringify!($symbol).as_bytes() {
                    return $symbol as *const core::ffi::c_void;
                }
            )*
            core::ptr::null()
        }
    };
}
