//! A double-acting cylinder behind a proportional valve, with its position controller.
//!
//! ```text
//! λ   = A1 p1 − A2 p2 − b_f w
//! p1' = β/(V1 + A1 s)       · (Q1 − A1 w − c_l (p1 − p2))
//! p2' = β/(V2 + A2 (S − s)) · (Q2 + A2 w + c_l (p1 − p2))
//! x > 0:  Q1 = Kv x q(p_P − p1),  Q2 = −Kv x q(p2 − p_T)
//! x < 0:  Q1 = Kv x q(p1 − p_T),  Q2 = −Kv x q(p_P − p2)
//! x'  = (u − x)/τ,   u = sat(k_s (s_des − s) + k_v (v_des − w)),   s_des = ∫ v_des
//! q(d) = d/(d² + Δp0²)^¼
//! ```
//!
//! Oil does not pull: at the vapour pressure p_v a chamber of volume V opens a cavity V_v with `V_v' = −(flow in)` and stays at
//! p_v until the cavity is filled again. The state is then `p* = p_v − β V_v/V < p_v`, and `max(p*, p_v)` acts. Above p_r a
//! relief valve lets `K_r (p − p_r)` out of a chamber to the tank.
//!
//! Micro step, semi-implicit: `λ_k` from `p_k`, `w_k`; then `w_{k+1}` by the prediction; `p`, `x`, `s_des` with
//! `w_{k+1}`; last `s_{k+1} = s_k + h_f w_{k+1}`.
//!
//! # Notation
//!
//! | symbol | code | unit |
//! |---|---|---|
//! | A1, A2 | `area_m2` | m² |
//! | V1, V2 | `dead_volume_m3` | m³ |
//! | S | `stroke_m` | m |
//! | β | `bulk_modulus_pa` | Pa |
//! | c_l | `leak_m3spa` | m³/(s Pa) |
//! | b_f | `viscous_nsm` | N s/m |
//! | Kv | [`Valve::gain`] | m³/(s √Pa) |
//! | p_P, p_T | [`Valve::supply_pa`], [`Valve::tank_pa`] | Pa |
//! | Δp0 | [`Valve::smoothing_pa`] | Pa |
//! | p_v | `vapour_pa` | Pa |
//! | p_r, K_r | [`Relief::pressure_pa`], [`Relief::gain`] | Pa, m³/(s Pa) |
//! | τ | [`Valve::lag_s`] | s |
//! | k_s, k_v | `position_gain`, `speed_gain` | 1/m, s/m |

use crate::Profile;

/// A proportional valve with a first-order spool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Valve {
    /// Flow gain at full spool.
    pub gain: f64,
    /// Pressure of the supply.
    pub supply_pa: f64,
    /// Pressure of the tank.
    pub tank_pa: f64,
    /// Pressure below which the orifice law is smoothed.
    pub smoothing_pa: f64,
    /// Time constant of the spool.
    pub lag_s: f64,
}

/// A relief valve from each chamber to the tank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relief {
    /// Pressure at which it opens.
    pub pressure_pa: f64,
    /// Flow for a pressure beyond that.
    pub gain: f64,
}

/// Definition of a cylinder and its controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Cylinder {
    /// Piston areas: bore side (pushes out) and rod side.
    pub area_m2: [f64; 2],
    /// Dead volumes of the two sides.
    pub dead_volume_m3: [f64; 2],
    /// Stroke.
    pub stroke_m: f64,
    /// Bulk modulus of the oil.
    pub bulk_modulus_pa: f64,
    /// Leakage between the chambers.
    pub leak_m3spa: f64,
    /// Viscous friction.
    pub viscous_nsm: f64,
    /// The valve.
    pub valve: Valve,
    /// Relief valves.
    pub relief: Relief,
    /// Pressure below which the oil cavitates.
    pub vapour_pa: f64,
    /// Gain of the position error.
    pub position_gain: f64,
    /// Gain of the speed error.
    pub speed_gain: f64,
    /// Desired speed.
    pub desired: Profile,
}

/// State of a cylinder and its controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CylinderState {
    /// Chamber pressures, Pa; below the vapour pressure a measure of the cavity, see [`Cylinder::pressures`].
    pub pressure_pa: [f64; 2],
    /// Spool position, −1 … 1.
    pub spool: f64,
    /// Desired position, m.
    pub desired_m: f64,
    /// Position as integrated from the predicted speed, m; set to the slow side's at each communication point.
    pub position_m: f64,
}

/// The smoothed orifice law `q(d) = d/(d² + Δp0²)^¼`, √Pa.
#[must_use]
pub fn orifice(difference_pa: f64, smoothing_pa: f64) -> f64 {
    difference_pa / (difference_pa * difference_pa + smoothing_pa * smoothing_pa).sqrt().sqrt()
}

impl Cylinder {
    /// A state at rest at position `s` whose force is `force_n`: the pressure of side `given` (0 or 1) is taken, the
    /// other follows.
    #[must_use]
    pub fn holding(&self, position_m: f64, force_n: f64, given: usize, pressure_pa: f64) -> CylinderState {
        let [a1, a2] = self.area_m2;
        let pressure_pa = if given == 0 {
            [pressure_pa, (a1 * pressure_pa - force_n) / a2]
        } else {
            [(force_n + a2 * pressure_pa) / a1, pressure_pa]
        };
        CylinderState { pressure_pa, spool: 0.0, desired_m: position_m, position_m }
    }

    /// Pressures in the chambers, Pa: not below the vapour pressure.
    #[must_use]
    pub fn pressures(&self, state: &CylinderState) -> [f64; 2] {
        state.pressure_pa.map(|p| p.max(self.vapour_pa))
    }

    /// `λ = A1 p1 − A2 p2 − b_f w`, N.
    #[must_use]
    pub fn force(&self, state: &CylinderState, speed_ms: f64) -> f64 {
        let ([a1, a2], [p1, p2]) = (self.area_m2, self.pressures(state));
        a1 * p1 - a2 * p2 - self.viscous_nsm * speed_ms
    }

    /// Flows into the two chambers, m³/s.
    #[must_use]
    pub fn flows(&self, state: &CylinderState) -> [f64; 2] {
        let (valve, [p1, p2], x) = (&self.valve, self.pressures(state), state.spool);
        let q = |difference: f64| orifice(difference, valve.smoothing_pa);
        if x > 0.0 {
            [valve.gain * x * q(valve.supply_pa - p1), -valve.gain * x * q(p2 - valve.tank_pa)]
        } else {
            [valve.gain * x * q(p1 - valve.tank_pa), -valve.gain * x * q(valve.supply_pa - p2)]
        }
    }

    /// Volumes of the chambers at a position, m³.
    #[must_use]
    pub fn volumes(&self, position_m: f64) -> [f64; 2] {
        let ([a1, a2], [v1, v2]) = (self.area_m2, self.dead_volume_m3);
        [v1 + a1 * position_m, v2 + a2 * (self.stroke_m - position_m)]
    }

    /// What cavity and relief valve make of a pressure, in a chamber whose volume changes in the step.
    fn within_limits(&self, pressure_pa: f64, [before_m3, after_m3]: [f64; 2], step_s: f64) -> f64 {
        let Relief { pressure_pa: opening_pa, gain } = self.relief;
        if pressure_pa > opening_pa {
            // Implicit, because the valve is stiff: the flow is that of the pressure at the end.
            let stiffness = step_s * self.bulk_modulus_pa * gain / before_m3;
            return opening_pa + (pressure_pa - opening_pa) / (1.0 + stiffness);
        }
        if pressure_pa < self.vapour_pa {
            // A cavity keeps its volume when the chamber grows.
            return self.vapour_pa - (self.vapour_pa - pressure_pa) * (before_m3 / after_m3);
        }
        pressure_pa
    }

    /// One micro step to the speed `speed_ms` at its end; `time_s` is its beginning.
    pub fn advance(&self, state: &mut CylinderState, speed_ms: f64, step_s: f64, time_s: f64) {
        let ([a1, a2], [p1, p2]) = (self.area_m2, self.pressures(state));
        let (s, w) = (state.position_m, speed_ms);
        let [q1, q2] = self.flows(state);
        let leak = self.leak_m3spa * (p1 - p2);
        let volume = self.volumes(s);
        let [p1, p2] = state.pressure_pa;
        let after = [
            p1 + step_s * self.bulk_modulus_pa / volume[0] * (q1 - a1 * w - leak),
            p2 + step_s * self.bulk_modulus_pa / volume[1] * (q2 + a2 * w + leak),
        ];
        let then = self.volumes(s + step_s * w);
        state.pressure_pa = [0, 1].map(|k| self.within_limits(after[k], [volume[k], then[k]], step_s));
        let v_des = self.desired.at(time_s);
        let command = self.position_gain * (state.desired_m - s) + self.speed_gain * (v_des - w);
        state.spool += step_s / self.valve.lag_s * (command.clamp(-1.0, 1.0) - state.spool);
        state.desired_m += step_s * v_des;
        state.position_m += step_s * w;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cylinder() -> Cylinder {
        let valve = Valve { gain: 4e-7, supply_pa: 16e6, tank_pa: 1e5, smoothing_pa: 1e5, lag_s: 8e-3 };
        Cylinder {
            area_m2: [40e-4, 25e-4],
            dead_volume_m3: [4e-4; 2],
            stroke_m: 0.6,
            bulk_modulus_pa: 1e9,
            leak_m3spa: 0.0,
            viscous_nsm: 1e4,
            valve,
            relief: Relief { pressure_pa: 25e6, gain: 8e-10 },
            vapour_pa: 1e3,
            position_gain: 10.0,
            speed_gain: 0.1,
            desired: Profile::default(),
        }
    }

    #[test]
    fn orifice_is_a_square_root_far_from_zero_and_linear_near_it() {
        assert!((orifice(9e6, 1e5) / 3e3 - 1.0).abs() < 1e-4);
        assert!((orifice(1.0, 1e5) * 1e5_f64.sqrt() - 1.0).abs() < 1e-9);
        assert_eq!(orifice(-4e6, 1e5), -orifice(4e6, 1e5));
    }

    #[test]
    fn holding_states_hold() {
        let c = cylinder();
        for given in [0, 1] {
            let mut state = c.holding(0.2, 9810.0, given, 6e6);
            assert!((c.force(&state, 0.0) - 9810.0).abs() < 1e-9);
            let before = state;
            c.advance(&mut state, 0.0, 2e-4, 0.0);
            assert_eq!(state, before);
        }
    }

    #[test]
    fn closed_chambers_are_springs() {
        // Moving by ds with the valve closed changes the force by −β (A1²/V1 + A2²/V2) ds.
        let c = cylinder();
        let mut state = c.holding(0.2, 0.0, 0, 6e6);
        c.advance(&mut state, 1e-3, 1e-3, 0.0);
        let stiffness = 1e9 * (40e-4_f64.powi(2) / (4e-4 + 40e-4 * 0.2) + 25e-4_f64.powi(2) / (4e-4 + 25e-4 * 0.4));
        assert!((c.force(&state, 0.0) + stiffness * 1e-6).abs() < 1e-6);
    }

    #[test]
    fn leakage_equalises_the_chambers() {
        let mut c = cylinder();
        c.leak_m3spa = 1e-9;
        let mut state = c.holding(0.2, 0.0, 0, 6e6);
        for _ in 0..10_000 {
            c.advance(&mut state, 0.0, 2e-5, 0.0);
        }
        let [p1, p2] = state.pressure_pa;
        assert!((p1 - p2).abs() < 1e3 && p1 > 6e6, "{p1} {p2}");
        // What leaves one chamber enters the other.
        let (v1, v2) = (4e-4 + 40e-4 * 0.2, 4e-4 + 25e-4 * 0.4);
        assert!((v1 * (p1 - 6e6) + v2 * (p2 - 9.6e6)).abs() < 1e-3 * v1 * 1e6);
    }

    /// The power of valves, leak and relief is that of the piston and of the oil, with any spool and speed, and the volume of oil that
    /// enters is what the chambers hold more: through cavities and open relief valves.
    #[test]
    fn power_and_volume_balance_for_any_command() {
        let mut c = cylinder();
        c.leak_m3spa = 1e-11;
        let mut state = c.holding(0.3, 9810.0, 0, 6e6);
        let (h, beta) = (1e-4, c.bulk_modulus_pa);
        let (mut net_j, mut turnover_j, mut cavity, mut relief) = (0.0, 0.0, 0, 0);
        for k in 0..100_000 {
            // A spool that swings to and fro, and a piston that is driven against it.
            let t = h * k as f64;
            let w = 0.25 * (2.1 * t).sin() * (1.0 + (0.7 * t).cos());
            state.spool = (3.0 * (1.3 * t).sin()).clamp(-1.0, 1.0);
            let (before, q) = (state, c.flows(&state));
            let (p, volume) = (c.pressures(&before), c.volumes(before.position_m));
            c.advance(&mut state, w, h, t);
            let (after, then) = (c.pressures(&state), c.volumes(state.position_m));
            assert!(after.iter().all(|p| *p >= c.vapour_pa), "{after:?}");
            for i in 0..2 {
                let sign = 1.0 - 2.0 * i as f64;
                let inflow = q[i] - sign * c.leak_m3spa * (p[0] - p[1]);
                let swept = sign * c.area_m2[i] * w;
                let out = c.relief.gain * (after[i] - c.relief.pressure_pa).max(0.0);
                let vapour = |p: f64, v: f64| (c.vapour_pa - p).max(0.0) * v / beta;
                let opened = vapour(state.pressure_pa[i], then[i]) - vapour(before.pressure_pa[i], volume[i]);
                // Volumes: in, less what the piston swept and the relief valve let out, compresses the oil or fills the cavity.
                let compressed = (after[i] - p[i]) * volume[i] / beta;
                let volume_error = h * (inflow - swept - out) - compressed + opened;
                assert!(volume_error.abs() <= 1e-16 * (1.0 + volume[i]), "{volume_error:e} m³ at {t} s");
                // Powers, at the mean pressure.
                let mean_pa = 0.5 * (p[i] + after[i]);
                let stored_j = volume[i] / (2.0 * beta) * (after[i].powi(2) - p[i].powi(2)) - c.vapour_pa * opened;
                net_j += mean_pa * h * (inflow - swept - out) - stored_j;
                turnover_j += (mean_pa * h * inflow).abs();
                cavity += usize::from(state.pressure_pa[i] < c.vapour_pa);
                relief += usize::from(out > 0.0);
            }
        }
        assert!(cavity > 1000 && relief > 1000, "{cavity} steps with a cavity, {relief} with an open relief valve");
        assert!(net_j.abs() <= 1e-6 * turnover_j, "{net_j} J of {turnover_j} J");
    }

    #[test]
    fn flow_goes_from_supply_to_tank() {
        let c = cylinder();
        let mut state = c.holding(0.2, 0.0, 0, 6e6);
        state.spool = 0.5;
        let [q1, q2] = c.flows(&state);
        assert!(q1 > 0.0 && q2 < 0.0);
        state.spool = -0.5;
        let [q1, q2] = c.flows(&state);
        assert!(q1 < 0.0 && q2 > 0.0);
    }
}
