//! The functions a library exports.

use crate::*;

crate::function_table! {
    /// One function pointer per exported symbol. Calling one is unsafe: the pointers must obey the standard.
    ///
    /// What no co-simulation can do without is a plain pointer; what foreign libraries are known to leave out although the standard demands
    /// it is an `Option`.
    struct Functions;
    /// The symbols a library cannot do without.
    required REQUIRED_SYMBOLS {
        /// `fmi2Instantiate(instanceName, fmuType, fmuGUID, fmuResourceLocation, functions, visible, loggingOn)`.
        instantiate = "fmi2Instantiate":
            fn(Str, Type, Str, Str, *const CallbackFunctions, Boolean, Boolean) -> Component;
        /// `fmi2FreeInstance(c)`.
        free_instance = "fmi2FreeInstance": fn(Component) -> ();
        /// `fmi2SetupExperiment(c, toleranceDefined, tolerance, startTime, stopTimeDefined, stopTime)`.
        setup_experiment = "fmi2SetupExperiment": fn(Component, Boolean, Real, Real, Boolean, Real) -> Status;
        /// `fmi2EnterInitializationMode(c)`.
        enter_initialization_mode = "fmi2EnterInitializationMode": fn(Component) -> Status;
        /// `fmi2ExitInitializationMode(c)`.
        exit_initialization_mode = "fmi2ExitInitializationMode": fn(Component) -> Status;
        /// `fmi2Terminate(c)`.
        terminate = "fmi2Terminate": fn(Component) -> Status;
        /// `fmi2GetReal(c, vr, nvr, value)`.
        get_real = "fmi2GetReal": fn(Component, *const ValueReference, usize, *mut Real) -> Status;
        /// `fmi2SetReal(c, vr, nvr, value)`.
        set_real = "fmi2SetReal": fn(Component, *const ValueReference, usize, *const Real) -> Status;
        /// `fmi2DoStep(c, currentCommunicationPoint, communicationStepSize, noSetFMUStatePriorToCurrentPoint)`.
        do_step = "fmi2DoStep": fn(Component, Real, Real, Boolean) -> Status;
    }
    /// The symbols a foreign library may lack.
    optional OPTIONAL_SYMBOLS {
        /// `fmi2GetTypesPlatform()`.
        get_types_platform = "fmi2GetTypesPlatform": fn() -> Str;
        /// `fmi2GetVersion()`.
        get_version = "fmi2GetVersion": fn() -> Str;
        /// `fmi2SetDebugLogging(c, loggingOn, nCategories, categories)`.
        set_debug_logging = "fmi2SetDebugLogging": fn(Component, Boolean, usize, *const Str) -> Status;
        /// `fmi2Reset(c)`.
        reset = "fmi2Reset": fn(Component) -> Status;
        /// `fmi2GetInteger(c, vr, nvr, value)`.
        get_integer = "fmi2GetInteger": fn(Component, *const ValueReference, usize, *mut Integer) -> Status;
        /// `fmi2GetBoolean(c, vr, nvr, value)`.
        get_boolean = "fmi2GetBoolean": fn(Component, *const ValueReference, usize, *mut Boolean) -> Status;
        /// `fmi2GetString(c, vr, nvr, value)`.
        get_string = "fmi2GetString": fn(Component, *const ValueReference, usize, *mut Str) -> Status;
        /// `fmi2SetInteger(c, vr, nvr, value)`.
        set_integer = "fmi2SetInteger": fn(Component, *const ValueReference, usize, *const Integer) -> Status;
        /// `fmi2SetBoolean(c, vr, nvr, value)`.
        set_boolean = "fmi2SetBoolean": fn(Component, *const ValueReference, usize, *const Boolean) -> Status;
        /// `fmi2SetString(c, vr, nvr, value)`.
        set_string = "fmi2SetString": fn(Component, *const ValueReference, usize, *const Str) -> Status;
        /// `fmi2GetFMUstate(c, state)`.
        get_fmu_state = "fmi2GetFMUstate": fn(Component, *mut FmuState) -> Status;
        /// `fmi2SetFMUstate(c, state)`.
        set_fmu_state = "fmi2SetFMUstate": fn(Component, FmuState) -> Status;
        /// `fmi2FreeFMUstate(c, state)`.
        free_fmu_state = "fmi2FreeFMUstate": fn(Component, *mut FmuState) -> Status;
        /// `fmi2SerializedFMUstateSize(c, state, size)`.
        serialized_fmu_state_size = "fmi2SerializedFMUstateSize": fn(Component, FmuState, *mut usize) -> Status;
        /// `fmi2SerializeFMUstate(c, state, serializedState, size)`.
        serialize_fmu_state = "fmi2SerializeFMUstate": fn(Component, FmuState, *mut Byte, usize) -> Status;
        /// `fmi2DeSerializeFMUstate(c, serializedState, size, state)`.
        deserialize_fmu_state = "fmi2DeSerializeFMUstate":
            fn(Component, *const Byte, usize, *mut FmuState) -> Status;
        /// `fmi2GetDirectionalDerivative(c, vUnknown_ref, nUnknown, vKnown_ref, nKnown, dvKnown, dvUnknown)`.
        get_directional_derivative = "fmi2GetDirectionalDerivative":
            fn(Component, *const ValueReference, usize, *const ValueReference, usize, *const Real, *mut Real)
                -> Status;
        /// `fmi2SetRealInputDerivatives(c, vr, nvr, order, value)`.
        set_real_input_derivatives = "fmi2SetRealInputDerivatives":
            fn(Component, *const ValueReference, usize, *const Integer, *const Real) -> Status;
        /// `fmi2GetRealOutputDerivatives(c, vr, nvr, order, value)`.
        get_real_output_derivatives = "fmi2GetRealOutputDerivatives":
            fn(Component, *const ValueReference, usize, *const Integer, *mut Real) -> Status;
        /// `fmi2CancelStep(c)`.
        cancel_step = "fmi2CancelStep": fn(Component) -> Status;
        /// `fmi2GetStatus(c, kind, value)`.
        get_status = "fmi2GetStatus": fn(Component, StatusKind, *mut Status) -> Status;
        /// `fmi2GetRealStatus(c, kind, value)`.
        get_real_status = "fmi2GetRealStatus": fn(Component, StatusKind, *mut Real) -> Status;
        /// `fmi2GetIntegerStatus(c, kind, value)`.
        get_integer_status = "fmi2GetIntegerStatus": fn(Component, StatusKind, *mut Integer) -> Status;
        /// `fmi2GetBooleanStatus(c, kind, value)`.
        get_boolean_status = "fmi2GetBooleanStatus": fn(Component, StatusKind, *mut Boolean) -> Status;
        /// `fmi2GetStringStatus(c, kind, value)`.
        get_string_status = "fmi2GetStringStatus": fn(Component, StatusKind, *mut Str) -> Status;
    }
    /// The symbols of model exchange (FMI 2.0.5, section 3.2), which a library for co-simulation alone has not.
    optional MODEL_EXCHANGE_SYMBOLS {
        /// `fmi2EnterEventMode(c)`.
        enter_event_mode = "fmi2EnterEventMode": fn(Component) -> Status;
        /// `fmi2NewDiscreteStates(c, eventInfo)`.
        new_discrete_states = "fmi2NewDiscreteStates": fn(Component, *mut EventInfo) -> Status;
        /// `fmi2EnterContinuousTimeMode(c)`.
        enter_continuous_time_mode = "fmi2EnterContinuousTimeMode": fn(Component) -> Status;
        /// `fmi2CompletedIntegratorStep(c, noSetFMUStatePriorToCurrentPoint, enterEventMode, terminateSimulation)`.
        completed_integrator_step = "fmi2CompletedIntegratorStep":
            fn(Component, Boolean, *mut Boolean, *mut Boolean) -> Status;
        /// `fmi2SetTime(c, time)`.
        set_time = "fmi2SetTime": fn(Component, Real) -> Status;
        /// `fmi2SetContinuousStates(c, x, nx)`.
        set_continuous_states = "fmi2SetContinuousStates": fn(Component, *const Real, usize) -> Status;
        /// `fmi2GetDerivatives(c, derivatives, nx)`.
        get_derivatives = "fmi2GetDerivatives": fn(Component, *mut Real, usize) -> Status;
        /// `fmi2GetEventIndicators(c, eventIndicators, ni)`.
        get_event_indicators = "fmi2GetEventIndicators": fn(Component, *mut Real, usize) -> Status;
        /// `fmi2GetContinuousStates(c, x, nx)`.
        get_continuous_states = "fmi2GetContinuousStates": fn(Component, *mut Real, usize) -> Status;
        /// `fmi2GetNominalsOfContinuousStates(c, x_nominal, nx)`.
        get_nominals_of_continuous_states = "fmi2GetNominalsOfContinuousStates":
            fn(Component, *mut Real, usize) -> Status;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_is_listed() {
        // FMI 2.0.5: 25 common functions (section 2.1) and 9 of co-simulation (section 4.2); 10 of model exchange (section 3.2).
        assert_eq!(REQUIRED_SYMBOLS.len() + OPTIONAL_SYMBOLS.len(), 34);
        assert_eq!(MODEL_EXCHANGE_SYMBOLS.len(), 10);
    }

    #[test]
    fn missing_required_symbols_are_named() {
        // SAFETY: NULL for every symbol.
        let missing = unsafe { Functions::load(|_| core::ptr::null()) }.expect_err("all are missing");
        assert_eq!(missing, REQUIRED_SYMBOLS);
    }
}
