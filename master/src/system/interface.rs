//! *Interface models*, which predict the motion of a slow unit on the grid of a fast one, as parts of a system.

use crate::error::SystemError;
use crate::ids::{InterfaceId, Signal, UnitId};
use crate::system::{Source, System};

/// Where an interface model comes from: a definition, as part of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct InterfaceModel {
    /// λ, r signals of the fast unit.
    pub force: Vec<Signal>,
    /// w, r signals of the slow unit.
    pub speed: Vec<Signal>,
    /// s, r signals of the slow unit.
    pub position: Vec<Signal>,
    /// W, r (r + 1)/2 signals of the slow unit.
    pub mobility: Vec<Signal>,
    /// b, r signals of the slow unit.
    pub bias: Vec<Signal>,
    /// How often a window is repeated at most where the slow unit arrives at another speed than was predicted; 0 for never.
    pub repeat: u32,
    /// The predicted speed at a step's end, r signals of a fast unit that integrates the model itself; none where the master does.
    pub predicted: Vec<Signal>,
    /// The speed at a step's end that W and b predict, r signals of the slow unit; none where that is `speed`.
    pub arrived: Vec<Signal>,
}

/// The part of a prediction that an input gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicted {
    /// Speed i at the end of the micro step.
    Speed(usize),
    /// Position i at its beginning.
    Position(usize),
}

impl System {
    /// Adds an interface model: for r forces r speeds, positions and biases, and r (r + 1)/2 mobilities; r predicted and arrived
    /// speeds, or none.
    ///
    /// # Errors
    /// [`SystemError::LawShape`] for other numbers.
    pub fn interface(&mut self, model: InterfaceModel) -> Result<InterfaceId, SystemError> {
        let r = model.force.len();
        let lists = [&model.speed, &model.position, &model.bias, &model.mobility];
        for (list, expected) in lists.into_iter().zip([r.max(1), r.max(1), r.max(1), r.max(1) * (r + 1) / 2]) {
            if list.len() != expected {
                return Err(SystemError::LawShape { what: "inputs", found: list.len(), expected });
            }
        }
        for list in [&model.predicted, &model.arrived].into_iter().filter(|list| !list.is_empty()) {
            if list.len() != r {
                return Err(SystemError::LawShape { what: "inputs", found: list.len(), expected: r });
            }
        }
        self.interfaces.push(model);
        Ok(InterfaceId(self.interfaces.len() - 1))
    }

    /// Feeds an input of the fast unit with the motion an interface model predicts; the unit's communication step is the
    /// micro step.
    pub fn connect_predicted(
        &mut self,
        model: InterfaceId,
        what: Predicted,
        unit: UnitId,
        input: &str,
    ) -> Result<(), SystemError> {
        let (Predicted::Speed(i) | Predicted::Position(i)) = what;
        let r = self.interfaces[model.0].force.len();
        if i >= r {
            return Err(SystemError::LawShape { what: "outputs", found: r, expected: i + 1 });
        }
        self.feed(Source::Predicted { model: model.0, what }, unit, input)
    }
}
