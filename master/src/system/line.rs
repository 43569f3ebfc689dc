//! *Lines*: links with delay, as parts of a system. The equations are those of `step/line.rs`.

use crate::ids::Signal;

/// Where the local part σ Z v of the force at an end is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Local {
    /// Inside the unit, which knows Z and gets the wave: stable for every step up to the delay.
    Inside,
    /// In the master, with the mean speed over the step as the unit's directional derivative foretells it: exact for a mass under a force that
    /// is otherwise constant.
    Feedback,
    /// In the master, with the speed at the step's start: stable only where Z H is small against the mass at the end.
    Hold,
}

/// A line between two units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Impedance Z, force by speed \[N·s/m\]; positive.
    pub impedance: f64,
    /// Delay τ \[s\], at least the macro step.
    pub delay_s: f64,
    /// Displacement of each end \[m\].
    pub position: [Signal; 2],
    /// Speed of each end \[m/s\].
    pub speed: [Signal; 2],
    /// Where the local part is evaluated at each end.
    pub local: [Local; 2],
}

/// Energy in a line, lost in it and sent through it. Energies \[J\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineAccount {
    /// Energy under way: of the waves that have left one end and not arrived at the other. Never negative.
    pub stored_j: f64,
    /// Energy lost to sampling so far: what left the ends, less what arrived and what is under way. Negative: energy was created.
    pub lost_j: f64,
    /// Energy that has left the ends so far, which sizes the other two.
    pub sent_j: f64,
}
