//! The variables that show states and their rates.

use macrostep_description::VariableId;

use super::NODES;
use crate::Declaration;

/// The variable of each state and of its rate: an output where one shows it, else a local variable behind all outputs, states before rates.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub states: Vec<VariableId>,
    pub rates: Vec<VariableId>,
    /// States that no output shows.
    pub hidden: Vec<usize>,
    /// States whose rates no output shows.
    pub unrated: Vec<usize>,
    /// The states in the order of the variables of their rates, which is that of `Derivatives`.
    pub order: Vec<usize>,
}

impl Shown {
    /// Of so many states; `outputs` is the first output.
    pub fn new(d: &Declaration, states: usize, outputs: VariableId) -> Shown {
        let mut shown = Shown::default();
        let mut next = outputs.0 + d.outputs.len() + d.dense.len() * NODES;
        let mut variable = |output: Option<usize>, k: usize, locals: &mut Vec<usize>| match output {
            Some(y) => VariableId(outputs.0 + y),
            None => {
                locals.push(k);
                next += 1;
                VariableId(next - 1)
            }
        };
        // States first, then rates.
        let state = |k: usize| d.states.iter().find(|(z, _)| *z == k).map(|(_, y)| *y);
        for k in 0..states {
            let id = variable(state(k), k, &mut shown.hidden);
            shown.states.push(id);
        }
        for k in 0..states {
            let rate = state(k).and_then(|y| d.derivatives.iter().find(|(_, of)| *of == y));
            let id = variable(rate.map(|(y, _)| *y), k, &mut shown.unrated);
            shown.rates.push(id);
        }
        shown.order = (0..states).collect();
        shown.order.sort_by_key(|k| shown.rates[*k]);
        shown
    }

    /// Whether one variable is the rate of the state that the other one shows.
    pub fn is_rate(&self, rate: VariableId, state: VariableId) -> bool {
        self.states.iter().zip(&self.rates).any(|pair| pair == (&state, &rate))
    }
}
