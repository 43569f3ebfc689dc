//! Relations between outputs and inputs that the master evaluates: laws, linear maps and interface models.

use super::bond::Gain;
use super::connection::Endpoint;
use super::place::Place;

/// The speed that a slow unit has at its interface, integrated on the grid of the fast unit that drives it: `ẇ = W λ + b`. For r
/// forces there are r speeds, positions and biases, and r (r + 1)/2 mobilities.
#[derive(Debug, Clone, PartialEq)]
pub struct InterfaceModel {
    /// λ, outputs of the fast unit.
    pub force: Vec<Endpoint>,
    /// w, outputs of the slow unit.
    pub speed: Vec<Endpoint>,
    /// s, outputs of the slow unit.
    pub position: Vec<Endpoint>,
    /// W, outputs of the slow unit: the lower triangle by rows.
    pub mobility: Vec<Endpoint>,
    /// b, outputs of the slow unit.
    pub bias: Vec<Endpoint>,
    /// Inputs of the fast unit that get the speeds; as many as there are, or none.
    pub to_speed: Vec<Endpoint>,
    /// Inputs of the fast unit that get the positions; as many as there are, or none.
    pub to_position: Vec<Endpoint>,
    /// How often a macro step is repeated at most where the slow unit arrives at another speed than was predicted.
    pub repeat: u32,
    /// w as predicted at a step's end, outputs of a fast unit that integrates the model itself; none where the master does.
    pub predicted: Vec<Endpoint>,
    /// What is compared with it, outputs of the slow unit; none where that is w.
    pub arrived: Vec<Endpoint>,
    /// Where.
    pub place: Place,
}

impl InterfaceModel {
    /// All outputs it is made of.
    pub fn sources(&self) -> impl Iterator<Item = &Endpoint> {
        let own = [&self.force, &self.speed, &self.position, &self.mobility, &self.bias];
        own.into_iter().chain([&self.predicted, &self.arrived]).flatten()
    }
}

/// A relation between outputs and inputs that the master evaluates.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    /// Name, unique among units and laws.
    pub name: String,
    /// Which relation.
    pub kind: LawKind,
    /// What it is evaluated of.
    pub inputs: Vec<Endpoint>,
    /// Names of what comes out.
    pub outputs: Vec<String>,
    /// Where.
    pub place: Place,
}

/// Relations.
#[derive(Debug, Clone, PartialEq)]
pub enum LawKind {
    /// `f = k (x₁ − x₂) + c (v₁ − v₂)`; inputs x₁, v₁, x₂, v₂; the force body 1 exerts on body 2.
    SpringDamper {
        /// k \[N/m\]: a number, or a parameter `UNIT.NAME` of a unit.
        stiffness: Gain,
        /// c \[N·s/m\], likewise.
        damping: Gain,
    },
    /// `f = Σ kᵢ dⁱ + c ḋ` of `d = x₁ − x₂`; inputs x₁, v₁, x₂, v₂.
    NonlinearSpring {
        /// k₁, k₂, … \[N/mⁱ\].
        coefficients: Vec<f64>,
        /// c \[N·s/m\].
        damping: f64,
    },
    /// Flow through an orifice, `q = k sign(Δp) √|Δp|` of `Δp = p₁ − p₂`, linear for |Δp| below `laminar`.
    Orifice {
        /// k.
        coefficient: f64,
        /// Pressure difference below which the flow is laminar.
        laminar: f64,
    },
    /// The program that runs the scenario gives it, under the law's name: see [`crate::Catalogue::law`].
    Given,
    /// A line with delay between two motions; inputs x₁, v₁, x₂, v₂; outputs: what goes to end 1 and to end 2.
    Line(Line),
}

/// A link with delay.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Impedance or stiffness.
    pub size: LineSize,
    /// Delay τ \[s\].
    pub delay_s: f64,
    /// Who makes the local part Z v of the force at each end.
    pub ends: [LineEnd; 2],
}

/// The size of a line: an impedance, or a stiffness with Z = k τ.
#[derive(Debug, Clone, PartialEq)]
pub enum LineSize {
    /// Z \[N·s/m\].
    Impedance(Gain),
    /// k \[N/m\].
    Stiffness(Gain),
}

/// Where the local part Z v of the force at an end is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineEnd {
    /// The unit, whose parameter is told the impedance, and whose input gets the wave.
    Inside(Endpoint),
    /// The master, by directional derivatives of the unit.
    Feedback,
    /// The master, with the speed at the step's start.
    Hold,
}

impl Line {
    /// What it is given by, and what that is divided by to make the impedance.
    pub fn gain(&self) -> &Gain {
        match &self.size {
            LineSize::Impedance(gain) | LineSize::Stiffness(gain) => gain,
        }
    }

    /// Z of the number that [`Line::gain`] stands for.
    pub fn impedance(&self, amount: f64) -> f64 {
        match self.size {
            LineSize::Impedance(_) => amount,
            LineSize::Stiffness(_) => amount * self.delay_s,
        }
    }
}

impl LineEnd {
    /// `feedback`, `hold` or `UNIT.PARAMETER`.
    pub fn parse(text: &str) -> Option<LineEnd> {
        match text {
            "feedback" => Some(LineEnd::Feedback),
            "hold" => Some(LineEnd::Hold),
            _ => Endpoint::parse(text).map(LineEnd::Inside),
        }
    }
}

impl std::fmt::Display for LineEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LineEnd::Inside(parameter) => parameter.fmt(f),
            LineEnd::Feedback => f.write_str("feedback"),
            LineEnd::Hold => f.write_str("hold"),
        }
    }
}

/// `to = M · from`, and back `reaction.to = Mᵀ · reaction.from`: power is conserved.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// As many outputs as `matrix` has columns.
    pub from: Vec<Endpoint>,
    /// As many inputs as `matrix` has rows.
    pub to: Vec<Endpoint>,
    /// Rows of M.
    pub matrix: Vec<Vec<f64>>,
    /// The way back by the dual map.
    pub reaction: Option<Reaction>,
    /// Where.
    pub place: Place,
}

/// The way back through a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Reaction {
    /// As many outputs as the matrix has rows.
    pub from: Vec<Endpoint>,
    /// As many inputs as the matrix has columns.
    pub to: Vec<Endpoint>,
}
