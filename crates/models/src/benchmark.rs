//! The two cases of the benchmark, Table 1 of [LIM 2021].
//!
//! [LIM 2021]: *Co-simulation benchmarks: Linear oscillator*, Laboratorio de Ingeniería Mecánica, Universidade da Coruña.

/// Parameters of one mass with its spring and damper to the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OscillatorParameters {
    /// Mass (kg).
    pub m: f64,
    /// Stiffness to the ground (N/m).
    pub k: f64,
    /// Damping to the ground (N·s/m).
    pub c: f64,
    /// Displacement at the start (m).
    pub x0: f64,
    /// Velocity at the start (m/s).
    pub v0: f64,
}

/// A row of Table 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// Mass 1 and mass 2.
    pub oscillators: [OscillatorParameters; 2],
    /// Stiffness of the coupling (N/m).
    pub k_c: f64,
    /// Damping of the coupling (N·s/m).
    pub c_c: f64,
}

impl Case {
    /// The parameters of an FMU of mass `side` (1 or 2): pairs of parameter name and value. `k_c` and `c_c` are there
    /// for the displacement-driven kind and for the coupling; the force-driven kind has no such parameters.
    pub fn parameters(&self, side: usize) -> [(&'static str, f64); 7] {
        let o = self.oscillators[usize::from(side == 2)];
        let coupling = [("k_c", self.k_c), ("c_c", self.c_c)];
        let [kc, cc] = coupling;
        [("m", o.m), ("k", o.k), ("c", o.c), ("x0", o.x0), ("v0", o.v0), kc, cc]
    }
}

/// Case 1, undamped: the start values of the FMUs.
pub const fn case_1() -> Case {
    case(0.0)
}

/// Case 2, all dampers 0.01 N·s/m.
pub const fn case_2() -> Case {
    case(0.01)
}

/// Both cases differ in the dampers only.
const fn case(c: f64) -> Case {
    let one = OscillatorParameters { m: 1.0, k: 10.0, c, x0: 0.0, v0: 100.0 };
    let two = OscillatorParameters { m: 1.0, k: 1000.0, c, x0: 0.0, v0: -100.0 };
    Case { oscillators: [one, two], k_c: 100.0, c_c: c }
}
