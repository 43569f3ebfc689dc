//! The *subjects* of a sweep: its system, or each of the systems that are values of `system`, with what is measured of it.

use macrostep_system::scenario::Value;
use macrostep_system::{Finding, Scenario};

use crate::expression::Measure;
use crate::gauge::Measures;
use crate::points::Points;
use crate::refused::Refused;
use crate::runner::{Ending, Runner, Way, way};
use crate::study::{Study, Units};
use crate::vary::{Key, Target, cell, digits};

/// A system by the name that it has among the values of `system`; nothing where that is not varied.
#[derive(Clone, Copy)]
pub struct System<'n, 'a> {
    /// As it is typed.
    pub name: &'n str,
    /// What is run.
    pub scenario: &'n Scenario,
    /// Where its FMUs come from.
    pub units: Units<'a>,
}

/// A system and its measures.
pub(crate) struct Subject<'a> {
    pub study: Study<'a>,
    pub measures: Measures,
}

impl<'a> Subject<'a> {
    /// Everything that can be wrong before the first run is looked at; points learn what takes whole numbers only.
    ///
    /// # Errors
    /// [`Refused`] for a target, a value or a measure that is none.
    pub fn new(
        system: System<'_, 'a>,
        points: &mut Points,
        measures: &[Measure],
    ) -> Result<(Self, Vec<Finding>), Refused> {
        // Variables of measures are recorded, each once.
        let mut variables: Vec<String> =
            measures.iter().flat_map(|m| &m.terms).filter_map(|t| t.variable.clone()).collect();
        variables.sort();
        variables.dedup();
        let (mut study, findings) = Study::new(system.scenario, system.units, points.targets(), &variables)?;
        system.name.clone_into(&mut study.name);
        if matches!(points, Points::Table { .. }) {
            study.option = "--table";
        }
        // What can be looked at of values and measures before any run.
        points.fit_to(&study)?;
        if let Some((measure, text)) = measures
            .iter()
            .flat_map(|m| m.terms.iter().filter_map(move |t| Some((m, t.variable.as_ref()?))))
            .find(|(_, v)| study.is_text(v))
        {
            let Measure { name, text: typed, .. } = measure;
            return Err(Refused::Usage(format!("`--measure {name}={typed}`: `{text}` is a text, expected a number")));
        }
        // References have to lie in the run, where its end is not varied.
        let measures = Measures::new(measures.to_vec(), &study).map_err(Refused::Usage)?;
        if !study.targets.contains(&Target::Key(Key::Stop)) {
            let e = &study.scenario().experiment;
            measures.overlap(e.start_s, e.stop_s.unwrap_or(f64::INFINITY)).map_err(Refused::Usage)?;
        }
        Ok((Subject { study, measures }, findings))
    }

    /// How its simulations are brought back, found with its first two points.
    pub fn way<'p>(&self, points: impl Iterator<Item = Result<Vec<Value>, String>> + 'p) -> Way {
        let mut own = points.flatten().filter(|values| self.study.has(values));
        match (own.next(), own.next()) {
            (Some(first), Some(second)) => way(&self.study, [&first, &second]),
            _ => Way::New,
        }
    }

    /// One run, and the fields of its row.
    pub fn row(&self, runner: &mut Runner<'_, 'a>, values: &[Value]) -> (Ending, Vec<String>) {
        let mut gauge = self.measures.gauge();
        let ending = runner.run(values, &mut gauge);
        let list = &self.measures.list;
        let measured = if ending.is_whole() { gauge.values(runner.cost()) } else { vec![f64::NAN; list.len()] };
        // A run at its end may lack a measure.
        let undefined: Vec<&str> =
            list.iter().zip(&measured).filter(|(_, x)| !x.is_finite()).map(|(m, _)| m.name.as_str()).collect();
        let status = match &ending {
            Ending::Done if !undefined.is_empty() => format!("undefined: {}", undefined.join(", ")),
            ending => ending.status(),
        };
        let finite = |x: &f64| if x.is_finite() { digits(*x) } else { String::new() };
        let fields = values.iter().map(cell).chain(measured.iter().map(finite)).chain([status]).collect();
        (ending, fields)
    }
}
