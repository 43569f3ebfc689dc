//! Files of values over time, and what a run is compared with.

use super::{Text, basic, key};
use crate::scenario::{Scenario, SolutionOf};

impl Text {
    pub(super) fn inputs(&mut self, s: &Scenario) {
        if !s.inputs.is_empty() {
            self.line(format_args!("\n[inputs]"));
        }
        for file in &s.inputs {
            self.line(format_args!("{} = {}", key(&file.name), basic(&file.shown)));
        }
        self.solution(s);
    }

    fn solution(&mut self, s: &Scenario) {
        let Some(solution) = &s.solution else { return };
        match &solution.of {
            SolutionOf::Finer(step_s) => self.line(format_args!("\n[solution]\nof = {step_s:?}")),
            of => self.line(format_args!("\n[solution]\nof = {}", basic(&of.to_string()))),
        }
        if !solution.columns.is_empty() {
            let columns = solution.columns.iter().map(|(name, column)| format!("{} = {}", basic(name), basic(column)));
            self.line(format_args!("columns = {{ {} }}", columns.collect::<Vec<_>>().join(", ")));
        }
        if let Some(tolerance) = solution.tolerance {
            self.line(format_args!("tolerance = {tolerance:?}"));
        }
    }
}
