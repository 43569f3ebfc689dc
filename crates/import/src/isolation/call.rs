//! The calls a message is made of, by number.

macro_rules! calls {
    ($($variant:ident = $name:literal | $name_3:literal),* $(,)?) => {
        /// A call to a slave.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Call { $(#[doc = $name] $variant),* }

        /// With their names in FMI 2.0 and in FMI 3.0.
        const ALL: &[(Call, &str, &str)] = &[$((Call::$variant, $name, $name_3)),*];
    };
}

calls! {
    Load = "fmi2Instantiate" | "fmi3InstantiateCoSimulation",
    Setup = "fmi2SetupExperiment" | "fmi3EnterInitializationMode",
    EnterInitialization = "fmi2EnterInitializationMode" | "fmi3EnterInitializationMode",
    ExitInitialization = "fmi2ExitInitializationMode" | "fmi3ExitInitializationMode",
    Reset = "fmi2Reset" | "fmi3Reset",
    Terminate = "fmi2Terminate" | "fmi3Terminate",
    SetReal = "fmi2SetReal" | "fmi3SetFloat64",
    GetReal = "fmi2GetReal" | "fmi3GetFloat64",
    SetInteger = "fmi2SetInteger" | "fmi3SetInt64",
    GetInteger = "fmi2GetInteger" | "fmi3GetInt64",
    SetBoolean = "fmi2SetBoolean" | "fmi3SetBoolean",
    GetBoolean = "fmi2GetBoolean" | "fmi3GetBoolean",
    SetString = "fmi2SetString" | "fmi3SetString",
    GetString = "fmi2GetString" | "fmi3GetString",
    SetInputDerivatives = "fmi2SetRealInputDerivatives" | "fmi3IntermediateUpdate",
    GetOutputDerivatives = "fmi2GetRealOutputDerivatives" | "fmi3GetOutputDerivatives",
    Step = "fmi2DoStep" | "fmi3DoStep",
    Save = "fmi2GetFMUstate" | "fmi3GetFMUState",
    Restore = "fmi2SetFMUstate" | "fmi3SetFMUState",
    Serialize = "fmi2SerializeFMUstate" | "fmi3SerializeFMUState",
    Deserialize = "fmi2DeSerializeFMUstate" | "fmi3DeserializeFMUState",
    Directional = "fmi2GetDirectionalDerivative" | "fmi3GetDirectionalDerivative",
    Quit = "fmi2FreeInstance" | "fmi3FreeInstance",
    Library = "dlopen" | "dlopen",
    Warned = "fmi2Warning" | "fmi3Warning",
    Trials = "fmi2DoStep" | "fmi3DoStep",
}

impl Call {
    /// The call of a number.
    pub fn of(number: u8) -> Option<Call> {
        ALL.get(usize::from(number)).map(|(call, ..)| *call)
    }

    /// Name in FMI 2.0.
    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    /// Name in the version of FMI that a unit is of.
    pub fn name_in(self, is_of_3: bool) -> &'static str {
        if is_of_3 { ALL[self as usize].2 } else { self.name() }
    }

    /// Whether the call only reads values.
    pub fn reads(self) -> bool {
        self.name().starts_with("fmi2Get") && !matches!(self, Call::Save)
    }

    /// The name as it stands in the program, for one that came as text; in FMI 3.0 calls have other names.
    pub fn known(name: &str, is_of_3: bool) -> Option<&'static str> {
        const OTHERS: [&str; 24] = [
            "fmi2GetStatus",
            "fmi2SerializedFMUstateSize",
            "fmi2FreeFMUstate",
            "fmi3SerializedFMUStateSize",
            "fmi3FreeFMUState",
            "fmi3UpdateDiscreteStates",
            "fmi3EnterEventMode",
            "fmi3EnterStepMode",
            "fmi3EnterConfigurationMode",
            "fmi3ExitConfigurationMode",
            "fmi3SetDebugLogging",
            "fmi3GetFloat32",
            "fmi3SetFloat32",
            "fmi3GetInt8",
            "fmi3SetInt8",
            "fmi3GetUInt8",
            "fmi3SetUInt8",
            "fmi3GetInt32",
            "fmi3SetInt32",
            "fmi3GetUInt64",
            "fmi3SetUInt64",
            "fmi3GetBinary",
            "fmi3SetBinary",
            "fmi3Warning",
        ];
        if let Some((call, ..)) = ALL.iter().find(|(_, of_2, _)| *of_2 == name) {
            return Some(call.name_in(is_of_3));
        }
        let all = ALL.iter().flat_map(|(_, of_2, of_3)| [*of_2, *of_3]);
        all.chain(OTHERS).find(|known| *known == name)
    }
}
