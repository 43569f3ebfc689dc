//! The properties of a hydraulic cylinder with its valve and controller that a user may vary.

use macrostep_hydraulics::{Cylinder, Profile, Relief, Trapezoid, Valve};

/// Pressure difference below which the flow of a valve is smoothed, Pa.
const SMOOTHING_PA: f64 = 1e5;

/// A cylinder, its valve and its controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CylinderOptions {
    /// Area of the piston on the bore and on the rod side, m².
    pub area_m2: [f64; 2],
    /// Dead volume of each side, m³.
    pub dead_volume_m3: f64,
    /// Stroke, m.
    pub stroke_m: f64,
    /// Bulk modulus of the oil, Pa.
    pub bulk_modulus_pa: f64,
    /// Leakage from side to side, m³/(s·Pa).
    pub leak_m3spa: f64,
    /// Viscous friction, N·s/m.
    pub viscous_nsm: f64,
    /// Flow of the open valve for a root of a pressure difference, m³/(s·√Pa).
    pub valve_gain: f64,
    /// Pressures of supply and tank, Pa.
    pub supply_pa: f64,
    /// As `supply_pa`.
    pub tank_pa: f64,
    /// Time constant of the spool, s.
    pub lag_s: f64,
    /// Gains of the controller: of the position error in 1/m, of the desired speed in s/m.
    pub position_gain: f64,
    /// As `position_gain`.
    pub speed_gain: f64,
    /// Pressure below which the oil cavitates, Pa.
    pub vapour_pa: f64,
    /// Pressure at which the relief valve of each side opens, Pa.
    pub relief_pa: f64,
    /// Flow of an open relief valve for a pressure beyond that, m³/(s·Pa).
    pub relief_gain: f64,
}

/// The limits of pressure unless others are set: vapour pressure of oil, opening and flow of the relief valves. The flow is that of an open
/// valve at a tenth above the opening.
pub const LIMITS: (f64, f64, f64) = (1e3, 25e6, 8e-10);

/// Number, name, unit, least value and description of each property, in the order of [`CylinderOptions::values`].
pub const PROPERTIES: [(&str, &str, f64, &str); 16] = [
    ("bore_area", "m2", 1e-9, "area of the piston on the bore side"),
    ("rod_area", "m2", 1e-9, "area of the piston on the rod side"),
    ("dead_volume", "m3", 1e-9, "dead volume of each side"),
    ("stroke", "m", 1e-3, "stroke"),
    ("bulk_modulus", "Pa", 1.0, "bulk modulus of the oil"),
    ("leak", "m3/(s.Pa)", 0.0, "leakage from side to side"),
    ("viscous_friction", "N.s/m", 0.0, "viscous friction"),
    ("valve_gain", "", 0.0, "flow of the open valve for a root of a pressure difference, in m3/s for 1 Pa"),
    ("supply_pressure", "Pa", 0.0, "pressure of the supply"),
    ("tank_pressure", "Pa", 0.0, "pressure of the tank"),
    ("valve_lag", "s", 1e-6, "time constant of the spool"),
    ("position_gain", "", 0.0, "gain of the controller for the position error, in 1/m"),
    ("speed_gain", "", 0.0, "gain of the controller for the desired speed, in s/m"),
    ("vapour_pressure", "Pa", 0.0, "pressure below which the oil cavitates"),
    ("relief_pressure", "Pa", 0.0, "pressure at which the relief valve of each side opens"),
    ("relief_gain", "m3/(s.Pa)", 0.0, "flow of an open relief valve for a pressure beyond its opening"),
];

impl CylinderOptions {
    /// The values in the order of [`PROPERTIES`].
    #[must_use]
    pub fn values(&self) -> [f64; 16] {
        let [bore, rod] = self.area_m2;
        let oil = [self.dead_volume_m3, self.stroke_m, self.bulk_modulus_pa, self.leak_m3spa, self.viscous_nsm];
        let valve = [self.valve_gain, self.supply_pa, self.tank_pa, self.lag_s];
        let [v, s, k, l, c] = oil;
        let [g, supply, tank, lag] = valve;
        let [vapour, relief, gain] = [self.vapour_pa, self.relief_pa, self.relief_gain];
        let (position, speed) = (self.position_gain, self.speed_gain);
        [bore, rod, v, s, k, l, c, g, supply, tank, lag, position, speed, vapour, relief, gain]
    }

    /// From values in that order.
    #[must_use]
    pub fn of(values: &[f64; 16]) -> Self {
        // Names are taken from both ends of the list, so that each of the three lines is short.
        let [bore, rod, dead_volume_m3, stroke_m, bulk_modulus_pa, leak_m3spa, viscous_nsm, ..] = *values;
        let [.., valve_gain, supply_pa, tank_pa, lag_s, position_gain, speed_gain, _, _, _] = *values;
        let [.., vapour_pa, relief_pa, relief_gain] = *values;
        // Bore and rod side.
        let area_m2 = [bore, rod];
        CylinderOptions {
            area_m2,
            dead_volume_m3,
            stroke_m,
            bulk_modulus_pa,
            leak_m3spa,
            viscous_nsm,
            valve_gain,
            supply_pa,
            tank_pa,
            lag_s,
            position_gain,
            speed_gain,
            vapour_pa,
            relief_pa,
            relief_gain,
        }
    }

    /// The cylinder that is extended by `start_m` at the start, from where its positions count, with desired speeds.
    #[must_use]
    pub fn cylinder(&self, start_m: f64, pulses: Vec<Trapezoid>) -> Cylinder {
        let dead = self.dead_volume_m3;
        let (gain, supply_pa, tank_pa, lag_s) = (self.valve_gain, self.supply_pa, self.tank_pa, self.lag_s);
        Cylinder {
            area_m2: self.area_m2,
            // What is extended at the start belongs to the dead volume of the bore side.
            dead_volume_m3: [dead + self.area_m2[0] * start_m, dead],
            stroke_m: self.stroke_m - start_m,
            bulk_modulus_pa: self.bulk_modulus_pa,
            leak_m3spa: self.leak_m3spa,
            viscous_nsm: self.viscous_nsm,
            valve: Valve { gain, supply_pa, tank_pa, smoothing_pa: SMOOTHING_PA, lag_s },
            relief: Relief { pressure_pa: self.relief_pa, gain: self.relief_gain },
            vapour_pa: self.vapour_pa,
            position_gain: self.position_gain,
            speed_gain: self.speed_gain,
            desired: Profile { pulses },
        }
    }
}
