//! The physical properties of the oscillator, Table 1, and the quantities that follow from them and a state alone.
//!
//! ```text
//!         ⎡      0             0             1             0      ⎤
//!     A = ⎢      0             0             0             1      ⎥                                        (5)
//!         ⎢ −(k1+k_c)/m1    k_c/m1     −(c1+c_c)/m1     c_c/m1    ⎥
//!         ⎣   k_c/m2     −(k2+k_c)/m2     c_c/m2     −(c2+c_c)/m2 ⎦
//!
//!     f^c = k_c (x1 − x2) + c_c (v1 − v2)                                                                  (8)
//!     E   = ½ Σ m_i v_i² + ½ Σ k_i x_i² + ½ k_c (x1 − x2)²
//! ```
//!
//! Notation: see the crate. Reference: [LIM 2021], Table 1, equations (5) and (8).

use nalgebra::{Matrix4, Vector2};

use crate::State;

/// Physical properties and the state at t = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Masses m1, m2 in kg, above 0.
    pub m: [f64; 2],
    /// Springs to the ground k1, k2 in N/m, 0 or above.
    pub k: [f64; 2],
    /// Dampers to the ground c1, c2 in N·s/m, 0 or above.
    pub c: [f64; 2],
    /// Spring between the masses in N/m, 0 or above.
    pub k_c: f64,
    /// Damper between the masses in N·s/m, 0 or above.
    pub c_c: f64,
    /// Displacements at t = 0 in m.
    pub x0: [f64; 2],
    /// Velocities at t = 0 in m/s.
    pub v0: [f64; 2],
}

/// A parameter that makes no oscillator.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// NaN or infinite.
    #[error("parameter `{name}` is {found}, expected a finite number")]
    NotFinite {
        /// Name as in [`Parameters::NAMES`].
        name: &'static str,
        /// Value found.
        found: f64,
    },
    /// A mass that is zero or negative.
    #[error("parameter `{name}` is {found} kg, expected above 0")]
    NotPositive {
        /// Name as in [`Parameters::NAMES`].
        name: &'static str,
        /// Value found in kg.
        found: f64,
    },
    /// A negative stiffness or damping.
    #[error("parameter `{name}` is {found} {unit}, expected 0 or above")]
    Negative {
        /// Name as in [`Parameters::NAMES`].
        name: &'static str,
        /// Value found.
        found: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// A name no parameter has.
    #[error("no parameter `{name}`, expected one of {}", Parameters::NAMES.map(|name| format!("`{name}`")).join(", "))]
    Unknown {
        /// Name found.
        name: String,
    },
}

impl Parameters {
    /// Names for [`Parameters::set`] and [`Parameters::named`], in the order of Table 1.
    pub const NAMES: [&'static str; 12] =
        ["m1", "m2", "k1", "k_c", "k2", "c1", "c_c", "c2", "x1_0", "x2_0", "v1_0", "v2_0"];

    /// Units of [`Parameters::NAMES`].
    pub const UNITS: [&'static str; 12] =
        ["kg", "kg", "N/m", "N/m", "N/m", "N.s/m", "N.s/m", "N.s/m", "m", "m", "m/s", "m/s"];

    /// Case 1 of Table 1: no damping, so the energy is constant.
    pub const fn case_1() -> Self {
        Self {
            m: [1.0, 1.0],
            k: [10.0, 1000.0],
            c: [0.0, 0.0],
            k_c: 100.0,
            c_c: 0.0,
            x0: [0.0, 0.0],
            v0: [100.0, -100.0],
        }
    }

    /// Case 2 of Table 1: case 1 with three dampers of 0.01 N·s/m.
    pub const fn case_2() -> Self {
        Self { c: [0.01, 0.01], c_c: 0.01, ..Self::case_1() }
    }

    /// The model on which orders are measured. Unlike both cases it has a damped coupling and an initial acceleration, so
    /// that no term of an error vanishes by chance.
    pub const fn test_model() -> Self {
        Self { m: [1.0, 1.5], k: [10.0, 20.0], c: [0.2, 0.3], k_c: 15.0, c_c: 0.5, x0: [0.1, -0.2], v0: [1.0, 0.5] }
    }

    /// Names and values, in the order of [`Parameters::NAMES`].
    pub fn named(&self) -> [(&'static str, f64); 12] {
        let values = [
            self.m[0], self.m[1], self.k[0], self.k_c, self.k[1], self.c[0], self.c_c, self.c[1], self.x0[0],
            self.x0[1], self.v0[0], self.v0[1],
        ];
        std::array::from_fn(|i| (Self::NAMES[i], values[i]))
    }

    /// Sets one parameter by its name in [`Parameters::NAMES`].
    ///
    /// # Errors
    /// [`ParameterError::Unknown`]. The value is looked at by [`Parameters::validate`] only.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), ParameterError> {
        let place = match name {
            "m1" => &mut self.m[0],
            "m2" => &mut self.m[1],
            "k1" => &mut self.k[0],
            "k2" => &mut self.k[1],
            "k_c" => &mut self.k_c,
            "c1" => &mut self.c[0],
            "c2" => &mut self.c[1],
            "c_c" => &mut self.c_c,
            "x1_0" => &mut self.x0[0],
            "x2_0" => &mut self.x0[1],
            "v1_0" => &mut self.v0[0],
            "v2_0" => &mut self.v0[1],
            _ => return Err(ParameterError::Unknown { name: name.to_owned() }),
        };
        *place = value;
        Ok(())
    }

    /// Checks that everything is finite, masses are above 0, stiffness and damping 0 or above.
    ///
    /// # Errors
    /// The first parameter, in the order of Table 1, that is not.
    pub fn validate(&self) -> Result<(), ParameterError> {
        for ((name, found), unit) in self.named().into_iter().zip(Self::UNITS) {
            if !found.is_finite() {
                return Err(ParameterError::NotFinite { name, found });
            }
            if unit == "kg" && found <= 0.0 {
                return Err(ParameterError::NotPositive { name, found });
            }
            if unit.starts_with('N') && found < 0.0 {
                return Err(ParameterError::Negative { name, found, unit });
            }
        }
        Ok(())
    }

    /// State at t = 0.
    pub fn start(&self) -> State {
        State::new(self.x0[0], self.x0[1], self.v0[0], self.v0[1])
    }

    /// A of ż = A z, equation (5).
    pub fn system_matrix(&self) -> Matrix4<f64> {
        let Self { m, k, c, k_c, c_c, .. } = *self;
        #[rustfmt::skip]
        let a = Matrix4::new(
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0,
            -(k[0] + k_c) / m[0], k_c / m[0], -(c[0] + c_c) / m[0], c_c / m[0],
            k_c / m[1], -(k[1] + k_c) / m[1], c_c / m[1], -(c[1] + c_c) / m[1],
        );
        a
    }

    /// f^c in N, equation (8) with the true state of both masses.
    pub fn coupling_force(&self, z: &State) -> f64 {
        self.k_c * (z[0] - z[1]) + self.c_c * (z[2] - z[3])
    }

    /// ẍ1, ẍ2 in m/s² from equation (1) without external forces.
    pub fn acceleration(&self, z: &State) -> Vector2<f64> {
        let f_c = self.coupling_force(z);
        Vector2::new(
            (-self.k[0] * z[0] - self.c[0] * z[2] - f_c) / self.m[0],
            (-self.k[1] * z[1] - self.c[1] * z[3] + f_c) / self.m[1],
        )
    }

    /// (x, v, a, ȧ) of mass `i`, counted from 0, in m, m/s, m/s², m/s³ without external forces.
    pub fn motion(&self, i: usize, z: &State) -> [f64; 4] {
        // The equations are linear and homogeneous: the rate of the acceleration is the acceleration of the rates.
        let a = self.acceleration(z);
        let jerk = self.acceleration(&State::new(z[2], z[3], a[0], a[1]));
        [z[i], z[2 + i], a[i], jerk[i]]
    }

    /// Kinetic energy in J.
    pub fn kinetic_energy(&self, z: &State) -> f64 {
        0.5 * (self.m[0] * z[2] * z[2] + self.m[1] * z[3] * z[3])
    }

    /// Energy in the three springs in J.
    pub fn potential_energy(&self, z: &State) -> f64 {
        let stretch = z[0] - z[1];
        0.5 * (self.k[0] * z[0] * z[0] + self.k[1] * z[1] * z[1] + self.k_c * stretch * stretch)
    }

    /// Mechanical energy E in J.
    pub fn energy(&self, z: &State) -> f64 {
        self.kinetic_energy(z) + self.potential_energy(z)
    }

    /// dE/dt = −Σ c_i v_i² − c_c (v1 − v2)² in W, never above 0.
    pub fn energy_rate(&self, z: &State) -> f64 {
        let slip = z[2] - z[3];
        -self.c[0] * z[2] * z[2] - self.c[1] * z[3] * z[3] - self.c_c * slip * slip
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_sets_its_own_parameter() {
        for (i, name) in Parameters::NAMES.into_iter().enumerate() {
            let mut parameters = Parameters::case_2();
            parameters.set(name, 0.125).expect("a known name");
            for (j, (found, value)) in parameters.named().into_iter().enumerate() {
                assert_eq!(value == 0.125, i == j, "set `{name}`, read `{found}`");
            }
        }
    }

    #[test]
    fn bad_parameters_are_named_with_their_value() {
        let refusal = |name: &str, value: f64| {
            let mut parameters = Parameters::case_1();
            parameters.set(name, value).and_then(|()| parameters.validate()).expect_err("refused").to_string()
        };
        assert_eq!(refusal("m2", 0.0), "parameter `m2` is 0 kg, expected above 0");
        assert_eq!(refusal("k_c", -3.5), "parameter `k_c` is -3.5 N/m, expected 0 or above");
        assert_eq!(refusal("c1", -1.0), "parameter `c1` is -1 N.s/m, expected 0 or above");
        assert_eq!(refusal("x1_0", f64::NAN), "parameter `x1_0` is NaN, expected a finite number");
        assert!(refusal("k3", 1.0).starts_with("no parameter `k3`, expected one of `m1`, `m2`"));
        assert_eq!(Parameters::case_2().validate(), Ok(()));
    }

    #[test]
    fn acceleration_and_power_agree_with_the_system_matrix() {
        let parameters = Parameters::test_model();
        let z = State::new(0.3, -0.7, 1.1, 2.3);
        let rate = parameters.system_matrix() * z;
        let a = parameters.acceleration(&z);
        assert!((rate[2] - a[0]).abs() < 1e-13 && (rate[3] - a[1]).abs() < 1e-13);

        // dE/dt by the chain rule on E(z) with ż = A z.
        let h = 1e-6;
        let difference = (parameters.energy(&(z + h * rate)) - parameters.energy(&(z - h * rate))) / (2.0 * h);
        assert!((difference - parameters.energy_rate(&z)).abs() < 1e-7);
    }

    /// Position, speed, acceleration and its rate of each mass, by ż = A z and z̈ = A² z.
    #[test]
    fn motion_is_that_of_the_system_matrix() {
        let parameters = Parameters { m: [1.0, 2.5], ..Parameters::test_model() };
        let z = State::new(0.3, -0.7, 1.1, 2.3);
        let rate = parameters.system_matrix() * z;
        let second = parameters.system_matrix() * rate;
        for i in 0..2 {
            let expected = [z[i], z[2 + i], rate[2 + i], second[2 + i]];
            let found = parameters.motion(i, &z);
            assert!(
                found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + b.abs())),
                "mass {i}: {found:?}"
            );
        }
    }
}
