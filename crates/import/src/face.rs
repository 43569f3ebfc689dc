//! *Faces*: the ways in which an FMU can be driven.
//!
//! Whatever its face, an FMU is a unit with capabilities. One for model exchange has those that its own integrator gives it here: it takes steps of
//! any length and inputs of any degree.

/// Relative tolerance of the integrator of FMUs for model exchange, where nobody asks for another one.
pub const INTEGRATOR_TOLERANCE: f64 = 1e-10;

/// How an FMU is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Face {
    /// By steps: it has a solver of its own.
    CoSimulation,
    /// By its equations, which are integrated here.
    ModelExchange,
}

impl Face {
    /// All of them.
    pub const ALL: [Face; 2] = [Face::CoSimulation, Face::ModelExchange];

    /// As it is written in scenarios and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Face::CoSimulation => "co-simulation",
            Face::ModelExchange => "model-exchange",
        }
    }

    /// By its word.
    pub fn of(word: &str) -> Option<Face> {
        Face::ALL.into_iter().find(|face| face.word() == word)
    }
}

impl std::fmt::Display for Face {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}
