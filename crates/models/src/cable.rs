//! An electrical transmission line: a distributed parameter system, divided into cells of finite volume.
//!
//! # Equations
//! ```text
//! C' ∂u/∂t = −∂i/∂x − G' u,   L' ∂i/∂t = −∂u/∂x − R' i                       the line, current towards end 2
//! C_k u̇_k = i_{k−1} − i_k − G_k u_k,      k = 0 … N                          i_{−1} = i_1, −i_N = i_2 flow into the line
//! L/N di_k/dt = u_k − u_{k+1} − R/N i_k,  k = 0 … N − 1
//! C_k = C/N, G_k = G/N inside, half of that at both ends
//! E = Σ C_k u_k²/2 + Σ L/N i_k²/2,   P = Σ G_k u_k² + Σ R/N i_k²,   Ė = u_1 i_1 + u_2 i_2 − P
//! ```
//! Both ends are driven by currents, so that their voltages are states and nothing feeds through. Without losses the line has the
//! impedance √(L/C) and the delay √(L C); standing wave m of the cells with open ends has the frequency 2 N sin(m π/(2 N))/√(L C), below m π/√(L C) by the
//! part (m π/(2 N))²/6.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | L, C, R, G | `L`, `C`, `R`, `G` | of the whole line: inductance (H), capacitance (F), resistance (Ω), leakage (1/Ω) |
//! | u_0 | `u0` | voltage of end 1 at the start (V); it falls evenly to 0 at end 2 |
//! | i_1, i_2 | `i_1`, `i_2` | currents into both ends (A) |
//! | u_1, u_2 | `u_1`, `u_2` | voltages of both ends (V), with their rates `du_1`, `du_2` (V/s) |
//! | E, P | `energy`, `loss` | stored energy (J), power lost (W) |
//! | N | `CELLS` | cells |
//!
//! Reference: \[Zaiczek 2010\], the line as an example of a distributed system between lumped ones.

use macrostep_description::Declared;
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations};

/// Cells of finite volume.
const CELLS: usize = 20;
/// Voltages, at the ends of all cells.
const NODES: usize = CELLS + 1;

/// A transmission line driven by the currents into both ends.
#[derive(Debug)]
pub struct TransmissionLine;

/// What part of a cell's capacitance and leakage stands at node k.
#[inline]
fn part(k: usize) -> f64 {
    if k == 0 || k == CELLS { 0.5 } else { 1.0 }
}

impl System for TransmissionLine {
    type Parameters<S: Scalar> = [S; 5];
    type States<S: Scalar> = [S; NODES + CELLS];
    type Inputs<S: Scalar> = [S; 2];
    type Outputs<S: Scalar> = [S; 6];
    const POSITIONS: usize = NODES;
    const LINEAR: bool = true;

    fn start<S: Scalar>(p: &[S; 5]) -> [S; NODES + CELLS] {
        std::array::from_fn(|k| p[4] * (if k < NODES { 1.0 - k as f64 / CELLS as f64 } else { 0.0 }))
    }

    #[inline]
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; NODES + CELLS] {
        let ([l, c, r, g, _], z, cells) = (at.p, at.z, CELLS as f64);
        // The current that arrives at node k from the left, and the one that leaves to the right.
        let arrives = |k: usize| if k == 0 { at.u[0] } else { z[NODES + k - 1] };
        let leaves = |k: usize| if k == CELLS { -at.u[1] } else { z[NODES + k] };
        std::array::from_fn(|n| {
            if n < NODES {
                ((arrives(n) - leaves(n)) * cells - g * z[n] * part(n)) / (c * part(n))
            } else {
                let k = n - NODES;
                ((z[k] - z[k + 1]) * cells - r * z[n]) / l
            }
        })
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 6] {
        let ([l, c, r, g, _], z, rates) = (at.p, at.z, Self::rates(at));
        // Σ u_k² with the parts of the nodes, and Σ i_k².
        let none = S::from(0.0);
        let voltages = (0..NODES).fold(none, |sum, k| sum + z[k] * z[k] * part(k));
        let currents = (NODES..NODES + CELLS).fold(none, |sum, k| sum + z[k] * z[k]);
        let energy = (c * voltages + l * currents) * (0.5 / CELLS as f64);
        let loss = (g * voltages + r * currents) * (1.0 / CELLS as f64);
        [z[0], z[CELLS], rates[0], rates[CELLS], energy, loss]
    }
}

impl Equations for TransmissionLine {
    const IDENTIFIER: &'static str = "transmission_line";
    const ABOUT: &'static str = "Electrical transmission line of 20 cells, driven by the currents into both ends";

    fn declare(d: &mut Declaration) {
        d.si_units(&["s", "V", "V/s", "A", "H", "F", "Ohm", "1/Ohm", "J", "W"]);
        let parameter = Declared::parameter;
        let (least, most) = (1e-15, f64::INFINITY);
        d.parameter(parameter("L", 2.5e-5).unit("H").range(least, most).about("inductance of the whole line"));
        d.parameter(parameter("C", 1e-8).unit("F").range(least, most).about("capacitance of the whole line"));
        d.parameter(parameter("R", 1.0).unit("Ohm").range(0.0, most).about("resistance of the whole line"));
        d.parameter(parameter("G", 0.0).unit("1/Ohm").range(0.0, most).about("leakage of the whole line"));
        d.parameter(
            parameter("u0", 1.0).unit("V").about("voltage of end 1 at the start, falling evenly to 0 at end 2"),
        );
        d.input(Declared::input("i_1", 0.0).unit("A").about("current into end 1"));
        d.input(Declared::input("i_2", 0.0).unit("A").about("current into end 2"));
        let one = d.output(Declared::output("u_1").unit("V").about("voltage of end 1"));
        let two = d.output(Declared::output("u_2").unit("V").about("voltage of end 2"));
        let rates = [("du_1", "rate of the voltage of end 1"), ("du_2", "rate of the voltage of end 2")];
        let rates = rates.map(|(name, about)| d.output(Declared::output(name).unit("V/s").about(about)));
        d.output(Declared::output("energy").unit("J").about("stored energy"));
        d.output(Declared::output("loss").unit("W").about("power lost in resistance and leakage"));
        d.shows_state(one, 0);
        d.shows_state(two, CELLS);
        d.derivative(rates[0], one);
        d.derivative(rates[1], two);
        d.micro_step(5e-9);
        d.experiment(0.0, 5e-6, 5e-8);
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>C_k du_k/dt = i_(k-1) - i_k - G_k u_k,         k = 0 ... 20\n\
         L/20 di_k/dt = u_k - u_(k+1) - R/20 i_k,     k = 0 ... 19\n\
         dE/dt = u_1 i_1 + u_2 i_2 - P</pre>\n\
         <p>C_k = C/20 and G_k = G/20, half of that at both ends. i_1 flows into node 0 and i_2 into node 20. Without losses the \
         impedance of the line is sqrt(L/C) and its delay sqrt(L C); waves much longer than a cell run at that speed.</p>\n"
            .to_string()
    }
}
