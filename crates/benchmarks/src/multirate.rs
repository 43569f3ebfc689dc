//! A multibody system, the hydraulics that drive it, and the scheme of their coupling.

use crate::plant::Plant;

/// Interface speed within a macro step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Prediction {
    /// The last value
    Hold,
    /// The line through the last two values
    Linear,
    /// ẇ = W λ + b
    #[serde(rename = "im")]
    #[value(name = "im")]
    InterfaceModel,
}

/// Order of the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Both use values of the beginning of the macro step
    Jacobi,
    /// The hydraulics step first; the mechanics then use their force
    FastFirst,
}

/// The force the mechanics get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// At the end of the macro step
    End,
    /// Its mean over the macro step
    Mean,
}

/// Where the interface model is integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// The fast unit
    Fast,
    /// The master
    Master,
}

/// How the two are coupled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Scheme {
    /// Interface speed within a macro step.
    pub prediction: Prediction,
    /// Order of the steps.
    pub order: Order,
    /// The force the mechanics get.
    pub delivery: Delivery,
    /// Whether W and b are those of the next active set, solved with the last force, and not those of the last step's.
    pub look_ahead: bool,
    /// Who predicts.
    pub place: Place,
    /// How often a macro step is repeated at most where the mechanics arrive at another speed than the interface model predicted.
    pub repeat: u32,
}

impl Scheme {
    /// Interface model, fast side first, mean force: stable at large steps. Without look-ahead, in the fast unit.
    pub const RECOMMENDED: Scheme = Scheme {
        prediction: Prediction::InterfaceModel,
        order: Order::FastFirst,
        delivery: Delivery::Mean,
        look_ahead: false,
        place: Place::Fast,
        repeat: 0,
    };

    /// The recommended scheme with steps repeated up to twice: for steps over 32 ms.
    pub const REPEATED: Scheme = Scheme { repeat: 2, ..Scheme::RECOMMENDED };

    /// The recommended scheme with another prediction, order and delivery.
    pub const fn of(prediction: Prediction, order: Order, delivery: Delivery) -> Scheme {
        Scheme { prediction, order, delivery, ..Scheme::RECOMMENDED }
    }

    /// All predictions, orders and deliveries, and the recommended scheme with look-ahead and with steps that are repeated.
    pub fn all() -> Vec<Scheme> {
        let mut list = Vec::new();
        for prediction in [Prediction::Hold, Prediction::Linear, Prediction::InterfaceModel] {
            for order in [Order::Jacobi, Order::FastFirst] {
                list.extend([Delivery::End, Delivery::Mean].map(|delivery| Scheme::of(prediction, order, delivery)));
            }
        }
        list.push(Scheme { look_ahead: true, ..Scheme::RECOMMENDED });
        list.push(Scheme::REPEATED);
        list
    }
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let prediction = match self.prediction {
            Prediction::Hold => "hold",
            Prediction::Linear => "linear",
            Prediction::InterfaceModel => "interface model",
        };
        let order = if self.order == Order::Jacobi { "Jacobi" } else { "fast first" };
        let delivery = if self.delivery == Delivery::End { "end force" } else { "mean force" };
        let look = if self.look_ahead { ", look-ahead" } else { "" };
        let place = if self.place == Place::Master { ", in the master" } else { "" };
        let repeated = match self.repeat {
            0 => String::new(),
            n => format!(", repeated up to {n} times"),
        };
        write!(f, "{prediction}, {order}, {delivery}{look}{place}{repeated}")
    }
}

/// A run to be made.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Multirate {
    /// What is coupled.
    pub plant: Plant,
    /// How.
    pub scheme: Scheme,
    /// Macro step H \[s\].
    pub step_s: f64,
    /// Micro step h_f of the hydraulics \[s\], which divides H.
    pub micro_s: f64,
    /// End \[s\]; whole macro steps are made up to it.
    pub stop_s: f64,
}

/// Micro step of the hydraulics unless another is given \[s\].
pub const MICRO_S: f64 = macrostep_crane::crane::MICRO_S;

/// Macro step of a run unless another is given \[s\].
pub const STEP_S: f64 = 0.016;

impl Multirate {
    /// The usual manoeuvre by a scheme with macro steps of `step_s`.
    pub fn new(plant: Plant, scheme: Scheme, step_s: f64) -> Self {
        Multirate { plant, scheme, step_s, micro_s: MICRO_S, stop_s: plant.end_s() }
    }

    /// Where the last whole macro step ends \[s\].
    pub fn end_s(&self) -> f64 {
        (self.stop_s / self.step_s + 1e-9).floor().max(0.0) * self.step_s
    }

    /// The reference of this run: the recommended scheme with macro steps as long as the micro step.
    pub fn reference(&self) -> Self {
        Multirate { scheme: Scheme::RECOMMENDED, step_s: self.micro_s, ..self.clone() }
    }
}
