//! The two plants, crane and actuator, and their manoeuvres.

use macrostep_crane::{actuator, crane};

/// A multibody system with its hydraulics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plant {
    /// The crane: 18 bodies, two cylinders.
    Crane(Manoeuvre),
    /// A mass on a guide with dry friction, one cylinder, a stop.
    Actuator,
}

/// The motion of the crane and its conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Manoeuvre {
    /// Grasp the log, lift it, swing the jib
    #[default]
    Usual,
    /// 2 kN of grip: the log is lost
    WeakGrip,
    /// No friction between claws and log, and 5 kN of grip, which would hold it with friction
    NoFriction,
    /// No friction between claws and log, the usual 20 kN: the shape of the claws holds it
    FormGrip,
    /// Friction 0.1 between claws and log
    LowFriction,
    /// The pillar turns at 0.3 rad/s while the log is lifted
    Slewing,
    /// The log lies 20° oblique
    Oblique,
    /// The jib cylinder runs into its end stop
    EndStops,
}

impl Manoeuvre {
    /// All of them.
    pub const ALL: [Manoeuvre; 8] = [
        Manoeuvre::Usual,
        Manoeuvre::WeakGrip,
        Manoeuvre::NoFriction,
        Manoeuvre::FormGrip,
        Manoeuvre::LowFriction,
        Manoeuvre::Slewing,
        Manoeuvre::Oblique,
        Manoeuvre::EndStops,
    ];

    /// Parameters of the mechanics and of the hydraulics that differ from the usual ones.
    pub fn parameters(self) -> [&'static [(&'static str, f64)]; 2] {
        match self {
            Manoeuvre::Usual => [&[], &[]],
            Manoeuvre::WeakGrip => [&[("grip_force", 2e3)], &[]],
            Manoeuvre::NoFriction => [&[("claw_friction", 0.0), ("grip_force", 5e3)], &[]],
            Manoeuvre::FormGrip => [&[("claw_friction", 0.0)], &[]],
            Manoeuvre::LowFriction => [&[("claw_friction", 0.1)], &[]],
            Manoeuvre::Slewing => [&[("slew_speed", 0.3)], &[]],
            Manoeuvre::Oblique => [&[("log_yaw", 0.349_065_850_398_865_9)], &[]],
            Manoeuvre::EndStops => [&[], &[("jib_speed", 0.25)]],
        }
    }
}

impl Plant {
    /// Model identifiers of the mechanics and the hydraulics.
    pub fn models(self) -> [&'static str; 2] {
        match self {
            Plant::Crane(_) => ["crane", "crane_hydraulics"],
            Plant::Actuator => ["stop_mass", "stop_hydraulics"],
        }
    }

    /// Number of interface coordinates.
    pub fn rows(self) -> usize {
        if self == Plant::Actuator { 1 } else { 2 }
    }

    /// End of the manoeuvre \[s\].
    pub fn end_s(self) -> f64 {
        if self == Plant::Actuator { actuator::END_S } else { 8.0 }
    }

    /// Whether this is a crane, which has a log and poses.
    pub fn is_crane(self) -> bool {
        self != Plant::Actuator
    }

    /// Parameters of the mechanics and of the hydraulics that differ from the declared start values.
    pub fn parameters(self) -> [&'static [(&'static str, f64)]; 2] {
        match self {
            Plant::Crane(manoeuvre) => manoeuvre.parameters(),
            Plant::Actuator => [&[], &[]],
        }
    }

    /// Number of bodies with poses among the outputs.
    pub fn bodies(self) -> usize {
        if self.is_crane() { crane::LOG + 1 } else { 0 }
    }
}
