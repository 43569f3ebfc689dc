//! The functions a library exports.

use crate::*;

macrostep_fmi2::function_table! {
    /// One function pointer per exported symbol. Calling one is unsafe: the pointers must obey the standard.
    ///
    /// What no co-simulation can do without is a plain pointer; what foreign libraries are known to leave out although the standard demands
    /// it is an `Option`.
    struct Functions;
    /// The symbols a library cannot do without.
    required REQUIRED_SYMBOLS {
        /// `fmi3InstantiateCoSimulation(instanceName, instantiationToken, resourcePath, visible, loggingOn, eventModeUsed, earlyReturnAllowed,
        /// requiredIntermediateVariables, nRequiredIntermediateVariables, instanceEnvironment, logMessage, intermediateUpdate)`.
        instantiate = "fmi3InstantiateCoSimulation":
            fn(Str, Str, Str, Boolean, Boolean, Boolean, Boolean, *const ValueReference, usize, InstanceEnvironment, Option<LogMessage>,
                Option<IntermediateUpdate>) -> Instance;
        /// `fmi3FreeInstance(instance)`.
        free_instance = "fmi3FreeInstance": fn(Instance) -> ();
        /// `fmi3EnterInitializationMode(instance, toleranceDefined, tolerance, startTime, stopTimeDefined, stopTime)`.
        enter_initialization_mode = "fmi3EnterInitializationMode": fn(Instance, Boolean, f64, f64, Boolean, f64) -> Status;
        /// `fmi3ExitInitializationMode(instance)`.
        exit_initialization_mode = "fmi3ExitInitializationMode": fn(Instance) -> Status;
        /// `fmi3Terminate(instance)`.
        terminate = "fmi3Terminate": fn(Instance) -> Status;
        /// `fmi3GetFloat64(instance, valueReferences, nValueReferences, values, nValues)`.
        get_float64 = "fmi3GetFloat64": fn(Instance, *const ValueReference, usize, *mut f64, usize) -> Status;
        /// `fmi3SetFloat64(instance, valueReferences, nValueReferences, values, nValues)`.
        set_float64 = "fmi3SetFloat64": fn(Instance, *const ValueReference, usize, *const f64, usize) -> Status;
        /// `fmi3DoStep(instance, currentCommunicationPoint, communicationStepSize, noSetFMUStatePriorToCurrentPoint, eventHandlingNeeded,
        /// terminateSimulation, earlyReturn, lastSuccessfulTime)`.
        do_step = "fmi3DoStep":
            fn(Instance, f64, f64, Boolean, *mut Boolean, *mut Boolean, *mut Boolean, *mut f64) -> Status;
    }
    /// The symbols a foreign library may lack.
    optional OPTIONAL_SYMBOLS {
        /// `fmi3GetVersion()`.
        get_version = "fmi3GetVersion": fn() -> Str;
        /// `fmi3SetDebugLogging(instance, loggingOn, nCategories, categories)`.
        set_debug_logging = "fmi3SetDebugLogging": fn(Instance, Boolean, usize, *const Str) -> Status;
        /// `fmi3Reset(instance)`.
        reset = "fmi3Reset": fn(Instance) -> Status;
        /// `fmi3GetFloat32(instance, valueReferences, nValueReferences, values, nValues)`.
        get_float32 = "fmi3GetFloat32": fn(Instance, *const ValueReference, usize, *mut f32, usize) -> Status;
        /// `fmi3SetFloat32(instance, valueReferences, nValueReferences, values, nValues)`.
        set_float32 = "fmi3SetFloat32": fn(Instance, *const ValueReference, usize, *const f32, usize) -> Status;
        /// `fmi3GetInt8(instance, valueReferences, nValueReferences, values, nValues)`.
        get_int8 = "fmi3GetInt8": fn(Instance, *const ValueReference, usize, *mut i8, usize) -> Status;
        /// `fmi3SetInt8(instance, valueReferences, nValueReferences, values, nValues)`.
        set_int8 = "fmi3SetInt8": fn(Instance, *const ValueReference, usize, *const i8, usize) -> Status;
        /// `fmi3GetUInt8(instance, valueReferences, nValueReferences, values, nValues)`.
        get_uint8 = "fmi3GetUInt8": fn(Instance, *const ValueReference, usize, *mut u8, usize) -> Status;
        /// `fmi3SetUInt8(instance, valueReferences, nValueReferences, values, nValues)`.
        set_uint8 = "fmi3SetUInt8": fn(Instance, *const ValueReference, usize, *const u8, usize) -> Status;
        /// `fmi3GetInt16(instance, valueReferences, nValueReferences, values, nValues)`.
        get_int16 = "fmi3GetInt16": fn(Instance, *const ValueReference, usize, *mut i16, usize) -> Status;
        /// `fmi3SetInt16(instance, valueReferences, nValueReferences, values, nValues)`.
        set_int16 = "fmi3SetInt16": fn(Instance, *const ValueReference, usize, *const i16, usize) -> Status;
        /// `fmi3GetUInt16(instance, valueReferences, nValueReferences, values, nValues)`.
        get_uint16 = "fmi3GetUInt16": fn(Instance, *const ValueReference, usize, *mut u16, usize) -> Status;
        /// `fmi3SetUInt16(instance, valueReferences, nValueReferences, values, nValues)`.
        set_uint16 = "fmi3SetUInt16": fn(Instance, *const ValueReference, usize, *const u16, usize) -> Status;
        /// `fmi3GetInt32(instance, valueReferences, nValueReferences, values, nValues)`.
        get_int32 = "fmi3GetInt32": fn(Instance, *const ValueReference, usize, *mut i32, usize) -> Status;
        /// `fmi3SetInt32(instance, valueReferences, nValueReferences, values, nValues)`.
        set_int32 = "fmi3SetInt32": fn(Instance, *const ValueReference, usize, *const i32, usize) -> Status;
        /// `fmi3GetUInt32(instance, valueReferences, nValueReferences, values, nValues)`.
        get_uint32 = "fmi3GetUInt32": fn(Instance, *const ValueReference, usize, *mut u32, usize) -> Status;
        /// `fmi3SetUInt32(instance, valueReferences, nValueReferences, values, nValues)`.
        set_uint32 = "fmi3SetUInt32": fn(Instance, *const ValueReference, usize, *const u32, usize) -> Status;
        /// `fmi3GetInt64(instance, valueReferences, nValueReferences, values, nValues)`.
        get_int64 = "fmi3GetInt64": fn(Instance, *const ValueReference, usize, *mut i64, usize) -> Status;
        /// `fmi3SetInt64(instance, valueReferences, nValueReferences, values, nValues)`.
        set_int64 = "fmi3SetInt64": fn(Instance, *const ValueReference, usize, *const i64, usize) -> Status;
        /// `fmi3GetUInt64(instance, valueReferences, nValueReferences, values, nValues)`.
        get_uint64 = "fmi3GetUInt64": fn(Instance, *const ValueReference, usize, *mut u64, usize) -> Status;
        /// `fmi3SetUInt64(instance, valueReferences, nValueReferences, values, nValues)`.
        set_uint64 = "fmi3SetUInt64": fn(Instance, *const ValueReference, usize, *const u64, usize) -> Status;
        /// `fmi3GetBoolean(instance, valueReferences, nValueReferences, values, nValues)`.
        get_boolean = "fmi3GetBoolean": fn(Instance, *const ValueReference, usize, *mut Boolean, usize) -> Status;
        /// `fmi3SetBoolean(instance, valueReferences, nValueReferences, values, nValues)`.
        set_boolean = "fmi3SetBoolean": fn(Instance, *const ValueReference, usize, *const Boolean, usize) -> Status;
        /// `fmi3GetString(instance, valueReferences, nValueReferences, values, nValues)`.
        get_string = "fmi3GetString": fn(Instance, *const ValueReference, usize, *mut Str, usize) -> Status;
        /// `fmi3SetString(instance, valueReferences, nValueReferences, values, nValues)`.
        set_string = "fmi3SetString": fn(Instance, *const ValueReference, usize, *const Str, usize) -> Status;
        /// `fmi3GetBinary(instance, valueReferences, nValueReferences, valueSizes, values, nValues)`.
        get_binary = "fmi3GetBinary": fn(Instance, *const ValueReference, usize, *mut usize, *mut Binary, usize) -> Status;
        /// `fmi3SetBinary(instance, valueReferences, nValueReferences, valueSizes, values, nValues)`.
        set_binary = "fmi3SetBinary": fn(Instance, *const ValueReference, usize, *const usize, *const Binary, usize) -> Status;
        /// `fmi3GetFMUState(instance, FMUState)`.
        get_fmu_state = "fmi3GetFMUState": fn(Instance, *mut FmuState) -> Status;
        /// `fmi3SetFMUState(instance, FMUState)`.
        set_fmu_state = "fmi3SetFMUState": fn(Instance, FmuState) -> Status;
        /// `fmi3FreeFMUState(instance, FMUState)`.
        free_fmu_state = "fmi3FreeFMUState": fn(Instance, *mut FmuState) -> Status;
        /// `fmi3SerializedFMUStateSize(instance, FMUState, size)`.
        serialized_fmu_state_size = "fmi3SerializedFMUStateSize": fn(Instance, FmuState, *mut usize) -> Status;
        /// `fmi3SerializeFMUState(instance, FMUState, serializedState, size)`.
        serialize_fmu_state = "fmi3SerializeFMUState": fn(Instance, FmuState, *mut Byte, usize) -> Status;
        /// `fmi3DeserializeFMUState(instance, serializedState, size, FMUState)`.
        deserialize_fmu_state = "fmi3DeserializeFMUState": fn(Instance, *const Byte, usize, *mut FmuState) -> Status;
        /// `fmi3GetDirectionalDerivative(instance, unknowns, nUnknowns, knowns, nKnowns, seed, nSeed, sensitivity, nSensitivity)`.
        get_directional_derivative = "fmi3GetDirectionalDerivative":
            fn(Instance, *const ValueReference, usize, *const ValueReference, usize, *const f64, usize, *mut f64, usize) -> Status;
        /// `fmi3EnterConfigurationMode(instance)`.
        enter_configuration_mode = "fmi3EnterConfigurationMode": fn(Instance) -> Status;
        /// `fmi3ExitConfigurationMode(instance)`.
        exit_configuration_mode = "fmi3ExitConfigurationMode": fn(Instance) -> Status;
        /// `fmi3EnterEventMode(instance)`.
        enter_event_mode = "fmi3EnterEventMode": fn(Instance) -> Status;
        /// `fmi3UpdateDiscreteStates(instance, discreteStatesNeedUpdate, terminateSimulation, nominalsOfContinuousStatesChanged,
        /// valuesOfContinuousStatesChanged, nextEventTimeDefined, nextEventTime)`.
        update_discrete_states = "fmi3UpdateDiscreteStates":
            fn(Instance, *mut Boolean, *mut Boolean, *mut Boolean, *mut Boolean, *mut Boolean, *mut f64) -> Status;
        /// `fmi3EnterStepMode(instance)`.
        enter_step_mode = "fmi3EnterStepMode": fn(Instance) -> Status;
        /// `fmi3GetOutputDerivatives(instance, valueReferences, nValueReferences, orders, values, nValues)`.
        get_output_derivatives = "fmi3GetOutputDerivatives":
            fn(Instance, *const ValueReference, usize, *const i32, *mut f64, usize) -> Status;
    }
}

#[cfg(test)]
mod tests {
    use core::ffi::{CStr, c_void};

    use super::*;

    #[test]
    fn missing_required_symbols_are_named() {
        // SAFETY: NULL for every symbol.
        let missing = unsafe { Functions::load(|_| core::ptr::null()) }.expect_err("all are missing");
        assert_eq!(missing, REQUIRED_SYMBOLS);
    }

    #[test]
    fn optional_functions_may_be_missing() {
        extern "C" fn any() {}
        let lookup = |name: &CStr| {
            let is_required = REQUIRED_SYMBOLS.iter().any(|required| *required == name.to_string_lossy());
            if is_required { any as *const c_void } else { core::ptr::null() }
        };
        // SAFETY: nothing of it is called.
        let functions = unsafe { Functions::load(lookup) }.expect("all that is required");
        assert!(functions.get_int64.is_none() && functions.get_fmu_state.is_none());
    }
}
