//! Channels, laws and connections, as parts of a system.

use crate::ids::Signal;
use crate::system::constraint::Part;
use crate::system::interface::Predicted;
use crate::system::law::Law;

/// Outputs of one unit that are sampled and predicted together: a value, or a motion with its derivatives.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    pub unit: usize,
    pub refs: Vec<u32>,
    /// Positions of the variables in the unit's description.
    pub variables: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct LawNode {
    pub law: Box<dyn Law>,
    pub inputs: Vec<Signal>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Source {
    Signal(Signal),
    Law {
        law: usize,
        output: usize,
    },
    /// What an interface model predicts.
    Predicted {
        model: usize,
        what: Predicted,
    },
    /// An end of a line with delay.
    Line {
        line: usize,
        end: usize,
    },
    /// The mean of a signal over the receiver's step.
    Mean(Signal),
    /// A series of the system.
    Series(usize),
    /// What the caller of a run gives.
    Outside(usize),
    /// The force of a joint on one of its ends.
    Reaction(Part),
}

#[derive(Debug, Clone)]
pub(crate) struct Connection {
    pub unit: usize,
    pub reference: u32,
    /// Position of the variable in the unit's description.
    pub variable: usize,
    pub source: Source,
}
