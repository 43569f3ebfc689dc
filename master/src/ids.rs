//! Identifiers of the parts of a system: positions in the lists of its definition.

/// A unit of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitId(pub(crate) usize);

/// A channel of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelId(pub(crate) usize);

/// A law of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LawId(pub(crate) usize);

/// An interface model of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterfaceId(pub(crate) usize);

/// A line with delay of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineId(pub(crate) usize);

/// One component of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal {
    pub(crate) channel: usize,
    pub(crate) component: usize,
}

impl ChannelId {
    /// Component `i`: 0 the value, i its i-th time derivative.
    pub fn component(self, i: usize) -> Signal {
        Signal { channel: self.0, component: i }
    }

    /// Position among the channels, in the order of their declaration.
    pub fn index(self) -> usize {
        self.0
    }
}

impl UnitId {
    /// Position among the units, in the order of their declaration.
    pub fn index(self) -> usize {
        self.0
    }
}
