//! The exported symbols of FMI 3.0.

/// Exports a model, given by its type, as the functions of FMI 3.0 for co-simulation, in a module `fmi3_functions`: a part of
/// [`export_fmu!`](crate::export_fmu).
#[doc(hidden)]
#[macro_export]
macro_rules! export_fmi3 {
    ($model:ty) => {
        /// The functions of FMI 3.0 for co-simulation.
        pub mod fmi3_functions {
            #![allow(
                unsafe_code, non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments, missing_docs
            )]
            use $crate::{fmi3::*, three};

            /// The model, named where the caller of the macro names it.
            mod exported {
                use super::super::*;
                pub type Model = $model;
            }
            use exported::Model;

            type Refs = *const ValueReference;

            $crate::export_fmi3! { @functions
                fmi3FreeInstance(c: Instance) -> () => three::free_instance::<Model>(c);
                fmi3SetDebugLogging(c: Instance, on: Boolean, count: usize, categories: *const Str) -> Status
                    => three::set_debug_logging::<Model>(c, on, count, categories);
                fmi3InstantiateCoSimulation(
                    name: Str, token: Str, resources: Str, _visible: Boolean, logging_on: Boolean, event_mode_used: Boolean,
                    _early_return: Boolean, required: Refs, required_count: usize, environment: InstanceEnvironment,
                    log: Option<LogMessage>, update: Option<IntermediateUpdate>
                ) -> Instance => three::instantiate::<Model>(three::Wanted {
                    name, token, resources, logging_on, event_mode_used, required, required_count, environment, log, update
                });
                fmi3InstantiateModelExchange(
                    _name: Str, _token: Str, _resources: Str, _visible: Boolean, _logging_on: Boolean,
                    environment: InstanceEnvironment, log: Option<LogMessage>
                ) -> Instance => three::instantiate_other("fmi3InstantiateModelExchange", environment, log);
                fmi3InstantiateScheduledExecution(
                    _name: Str, _token: Str, _resources: Str, _visible: Boolean, _logging_on: Boolean,
                    environment: InstanceEnvironment, log: Option<LogMessage>, _update: *const core::ffi::c_void,
                    _lock: *const core::ffi::c_void, _unlock: *const core::ffi::c_void
                ) -> Instance => three::instantiate_other("fmi3InstantiateScheduledExecution", environment, log);
                fmi3EnterInitializationMode(
                    c: Instance, tolerance_defined: Boolean, tolerance: f64, start: f64, stop_defined: Boolean, stop: f64
                ) -> Status => three::enter_initialization_mode::<Model>(
                    c, tolerance_defined, tolerance, start, stop_defined, stop
                );
                fmi3ExitInitializationMode(c: Instance) -> Status => three::exit_initialization_mode::<Model>(c);
                fmi3Terminate(c: Instance) -> Status => three::terminate::<Model>(c);
                fmi3Reset(c: Instance) -> Status => three::reset::<Model>(c);
                fmi3GetFloat64(c: Instance, refs: Refs, count: usize, values: *mut f64, n: usize) -> Status
                    => three::get_float64::<Model>(c, refs, count, values, n);
                fmi3SetFloat64(c: Instance, refs: Refs, count: usize, values: *const f64, n: usize) -> Status
                    => three::set_float64::<Model>(c, refs, count, values, n);
                fmi3GetInt32(c: Instance, refs: Refs, count: usize, values: *mut i32, n: usize) -> Status
                    => three::get_int32::<Model>(c, refs, count, values, n);
                fmi3SetInt32(c: Instance, refs: Refs, count: usize, values: *const i32, n: usize) -> Status
                    => three::set_int32::<Model>(c, refs, count, values, n);
                fmi3GetInt64(c: Instance, refs: Refs, count: usize, values: *mut i64, n: usize) -> Status
                    => three::get_int64::<Model>(c, refs, count, values, n);
                fmi3SetInt64(c: Instance, refs: Refs, count: usize, values: *const i64, n: usize) -> Status
                    => three::set_int64::<Model>(c, refs, count, values, n);
                fmi3GetBoolean(c: Instance, refs: Refs, count: usize, values: *mut Boolean, n: usize) -> Status
                    => three::get_boolean::<Model>(c, refs, count, values, n);
                fmi3SetBoolean(c: Instance, refs: Refs, count: usize, values: *const Boolean, n: usize) -> Status
                    => three::set_boolean::<Model>(c, refs, count, values, n);
                fmi3GetString(c: Instance, refs: Refs, count: usize, values: *mut Str, n: usize) -> Status
                    => three::get_string::<Model>(c, refs, count, values, n);
                fmi3SetString(c: Instance, refs: Refs, count: usize, values: *const Str, n: usize) -> Status
                    => three::set_string::<Model>(c, refs, count, values, n);
                fmi3GetBinary(
                    c: Instance, refs: Refs, count: usize, _sizes: *mut usize, _values: *mut Binary, _n: usize
                ) -> Status => three::none_of_type::<Model>(c, "fmi3GetBinary", refs, count);
                fmi3SetBinary(
                    c: Instance, refs: Refs, count: usize, _sizes: *const usize, _values: *const Binary, _n: usize
                ) -> Status => three::none_of_type::<Model>(c, "fmi3SetBinary", refs, count);
                fmi3GetClock(c: Instance, refs: Refs, count: usize, _values: *mut Boolean) -> Status
                    => three::none_of_type::<Model>(c, "fmi3GetClock", refs, count);
                fmi3SetClock(c: Instance, refs: Refs, count: usize, _values: *const Boolean) -> Status
                    => three::none_of_type::<Model>(c, "fmi3SetClock", refs, count);
                fmi3GetFMUState(c: Instance, state: *mut FmuState) -> Status => three::get_fmu_state::<Model>(c, state);
                fmi3SetFMUState(c: Instance, state: FmuState) -> Status => three::set_fmu_state::<Model>(c, state);
                fmi3FreeFMUState(c: Instance, state: *mut FmuState) -> Status
                    => three::free_fmu_state::<Model>(c, state);
                fmi3SerializedFMUStateSize(c: Instance, state: FmuState, size: *mut usize) -> Status
                    => three::serialized_fmu_state_size::<Model>(c, state, size);
                fmi3SerializeFMUState(c: Instance, state: FmuState, bytes: *mut Byte, size: usize) -> Status
                    => three::serialize_fmu_state::<Model>(c, state, bytes, size);
                fmi3DeserializeFMUState(c: Instance, bytes: *const Byte, size: usize, state: *mut FmuState) -> Status
                    => three::deserialize_fmu_state::<Model>(c, bytes, size, state);
                fmi3GetDirectionalDerivative(
                    c: Instance, unknowns: Refs, unknown_count: usize, knowns: Refs, known_count: usize, seed: *const f64,
                    seed_count: usize, sensitivity: *mut f64, sensitivity_count: usize
                ) -> Status => three::get_directional_derivative::<Model>(c, three::Direction {
                    unknowns, unknown_count, knowns, known_count, seed, seed_count, sensitivity, sensitivity_count
                });
                fmi3GetOutputDerivatives(
                    c: Instance, refs: Refs, count: usize, orders: *const i32, values: *mut f64, n: usize
                ) -> Status => three::get_output_derivatives::<Model>(c, refs, count, orders, values, n);
                fmi3DoStep(
                    c: Instance, t: f64, step: f64, keep: Boolean, event_needed: *mut Boolean, terminate: *mut Boolean,
                    early: *mut Boolean, last_time: *mut f64
                ) -> Status => three::do_step::<Model>(c, t, step, keep, three::Answers { event_needed, terminate, early, last_time });
            }

            // Types that no variable has.
            $crate::export_fmi3! { @absent
                fmi3GetFloat32: *mut f32, fmi3SetFloat32: *const f32, fmi3GetInt8: *mut i8, fmi3SetInt8: *const i8,
                fmi3GetUInt8: *mut u8, fmi3SetUInt8: *const u8, fmi3GetInt16: *mut i16, fmi3SetInt16: *const i16,
                fmi3GetUInt16: *mut u16, fmi3SetUInt16: *const u16, fmi3GetUInt32: *mut u32, fmi3SetUInt32: *const u32,
                fmi3GetUInt64: *mut u64, fmi3SetUInt64: *const u64
            }

            // What the description says that the FMU does not have. A caller passes more than the instance, which nobody reads.
            $crate::export_fmi3! { @refused
                fmi3EnterEventMode fmi3EnterStepMode fmi3EnterConfigurationMode fmi3ExitConfigurationMode
                fmi3GetNumberOfVariableDependencies fmi3GetVariableDependencies fmi3GetAdjointDerivative
                fmi3GetIntervalDecimal fmi3GetIntervalFraction fmi3GetShiftDecimal fmi3GetShiftFraction
                fmi3SetIntervalDecimal fmi3SetIntervalFraction fmi3SetShiftDecimal fmi3SetShiftFraction
                fmi3EvaluateDiscreteStates fmi3UpdateDiscreteStates fmi3EnterContinuousTimeMode
                fmi3CompletedIntegratorStep fmi3SetTime fmi3SetContinuousStates fmi3GetContinuousStateDerivatives
                fmi3GetEventIndicators fmi3GetContinuousStates fmi3GetNominalsOfContinuousStates
                fmi3GetNumberOfEventIndicators fmi3GetNumberOfContinuousStates fmi3ActivateModelPartition
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn fmi3GetVersion() -> Str {
                VERSION.as_ptr()
            }

            /// The address of an exported function, for a table in the same program.
            pub fn address(symbol: &core::ffi::CStr) -> *const core::ffi::c_void {
                match symbol.to_bytes() {
                    b"fmi3GetVersion" => fmi3GetVersion as *const core::ffi::c_void,
                    other => {
                        let found = [address_of_function(other), address_of_absent(other), address_of_refused(other)];
                        found.into_iter().find(|address| !address.is_null()).unwrap_or(core::ptr::null())
                    }
                }
            }
        }
    };
    (@functions $( $symbol:ident($($arg:ident: $type:ty),*) -> $return:ty => $call:expr; )*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol($($arg: $type),*) -> $return {
                // SAFETY: the contract of the C function is the contract of the call.
                unsafe { $call }
            }
        )*
        $crate::export_fmi3! { @address address_of_function, $($symbol)* }
    };
    (@absent $( $symbol:ident: $values:ty ),*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol(c: Instance, refs: Refs, count: usize, _values: $values, _n: usize) -> Status {
                // SAFETY: the contract of the C function is the contract of the call.
                unsafe { three::none_of_type::<Model>(c, stringify!($symbol), refs, count) }
            }
        )*
        $crate::export_fmi3! { @address address_of_absent, $($symbol)* }
    };
    (@refused $( $symbol:ident )*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol(c: Instance) -> Status {
                // SAFETY: the contract of the C function is the contract of the call.
                unsafe { three::refuse::<Model>(c, stringify!($symbol)) }
            }
        )*
        $crate::export_fmi3! { @address address_of_refused, $($symbol)* }
    };
    (@address $name:ident, $( $symbol:ident )*) => {
        fn $name(symbol: &[u8]) -> *const core::ffi::c_void {
            $(
                if symbol == stringify!($symbol).as_bytes() {
                    return $symbol as *const core::ffi::c_void;
                }
            )*
            core::ptr::null()
        }
    };
}
