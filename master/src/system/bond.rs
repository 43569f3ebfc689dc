//! *Power bonds* as they are declared: ports of units, between which no power is lost.

/// Where a bond meets a unit.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    pub unit: usize,
    /// Value references of connected inputs and the effort for one unit of each.
    pub inputs: Vec<(u32, f64)>,
    /// Value reference of the flow, a sampled output.
    pub flow: u32,
}

/// Ports between which no power is lost: two with opposite efforts, or more.
#[derive(Debug, Clone)]
pub(crate) struct Bond {
    pub name: String,
    pub ports: Vec<Port>,
}
