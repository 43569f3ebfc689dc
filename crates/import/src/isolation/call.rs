//! The calls a message is made of, by number.

macro_rules! calls {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// A call to a slave.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Call { $(#[doc = $name] $variant),* }

        const ALL: &[(Call, &str)] = &[$((Call::$variant, $name)),*];
    };
}

calls! {
    Load = "fmi2Instantiate",
    Setup = "fmi2SetupExperiment",
    EnterInitialization = "fmi2EnterInitializationMode",
    ExitInitialization = "fmi2ExitInitializationMode",
    Reset = "fmi2Reset",
    Terminate = "fmi2Terminate",
    SetReal = "fmi2SetReal",
    GetReal = "fmi2GetReal",
    SetInteger = "fmi2SetInteger",
    GetInteger = "fmi2GetInteger",
    SetBoolean = "fmi2SetBoolean",
    GetBoolean = "fmi2GetBoolean",
    SetString = "fmi2SetString",
    GetString = "fmi2GetString",
    SetInputDerivatives = "fmi2SetRealInputDerivatives",
    GetOutputDerivatives = "fmi2GetRealOutputDerivatives",
    Step = "fmi2DoStep",
    Save = "fmi2GetFMUstate",
    Restore = "fmi2SetFMUstate",
    Serialize = "fmi2SerializeFMUstate",
    Deserialize = "fmi2DeSerializeFMUstate",
    Directional = "fmi2GetDirectionalDerivative",
    Quit = "fmi2FreeInstance",
    Library = "dlopen",
    Warned = "fmi2Warning",
}

impl Call {
    /// The call of a number.
    pub fn of(number: u8) -> Option<Call> {
        ALL.get(usize::from(number)).map(|(call, _)| *call)
    }

    /// Name in FMI 2.0.
    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    /// Whether the call only reads values.
    pub fn reads(self) -> bool {
        self.name().starts_with("fmi2Get") && !matches!(self, Call::Save)
    }

    /// The name as it stands in the program, for one that came as text.
    pub fn known(name: &str) -> Option<&'static str> {
        const OTHERS: [&str; 3] = ["fmi2GetStatus", "fmi2SerializedFMUstateSize", "fmi2FreeFMUstate"];
        ALL.iter().map(|(_, known)| *known).chain(OTHERS).find(|known| *known == name)
    }
}
