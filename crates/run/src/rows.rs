//! The rows of a run: in a file, as curves, in memory, and the last one for the result.

use macrostep_import::isolation::Cut;
use macrostep_master::record::Column;
use macrostep_master::record::Observer;
use macrostep_master::{RunError, SavedState, Simulation};

use crate::collected::Collected;
use crate::comparison::{Comparison, Found};
use crate::error::Error;
use crate::finite::{NotFinite, are_finite, seen};
use crate::sink::{Sink, goes_on};
use crate::stream::Stream;
use crate::thinned::Thinned;

/// Rows as they come; the last one is kept.
#[derive(Debug, Default)]
pub struct Rows {
    /// The file that they go to.
    pub stream: Option<Stream>,
    /// Curves for the pictures, where there will be any.
    pub curves: Option<Thinned>,
    /// Recorded, those of an earlier part of the run counted.
    pub count: u64,
    /// Time of the last row \[s\]; NaN before the first.
    pub last_s: f64,
    /// Its values.
    pub last: Vec<f64>,
    /// Its texts, each with its place among them.
    pub texts: Vec<(usize, String)>,
    /// All of them, where they are wanted in memory.
    pub collected: Option<Collected>,
    /// What they are compared with, which gives them columns of errors.
    pub comparison: Option<Comparison>,
    /// What was recorded and is no finite number, if anything.
    pub not_finite: Option<NotFinite>,
    /// Ends the run from outside.
    pub cut: Option<Cut>,
}

impl Rows {
    /// None yet.
    pub fn new(stream: Option<Stream>) -> Self {
        Rows { stream, last_s: f64::NAN, ..Rows::default() }
    }

    /// None yet, and all are kept in memory.
    pub fn collected(cut: Cut) -> Self {
        Rows { collected: Some(Collected::default()), cut: Some(cut), ..Rows::new(None) }
    }

    /// The columns of the rows: those that are recorded, and those of errors.
    pub fn columns<'a>(&'a self, recorded: &'a [Column]) -> &'a [Column] {
        self.comparison.as_ref().map_or(recorded, Comparison::columns)
    }

    /// Goes on from a saved state; what is left of it is the simulation's.
    ///
    /// # Errors
    /// Where it is that of another run.
    pub fn resume(&mut self, saved: SavedState) -> Result<SavedState, Error> {
        let (engine, seen, found): (Vec<u8>, _, Option<Found>) = postcard::from_bytes(&saved.engine)?;
        self.not_finite = seen;
        if let (Some(comparison), Some(found)) = (&mut self.comparison, found) {
            comparison.resume(found);
        }
        Ok(SavedState { units: saved.units, engine })
    }
}

impl Observer for Rows {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        if !are_finite(values) || self.not_finite.is_some() {
            self.not_finite = seen(self.not_finite, (t_s, values), &self.texts);
        }
        let values = match &mut self.comparison {
            Some(comparison) => comparison.row(t_s, values),
            None => values,
        };
        if let Some(stream) = &mut self.stream {
            stream.row(t_s, values);
        }
        if let Some(curves) = &mut self.curves {
            curves.row(t_s, values);
        }
        if let Some(collected) = &mut self.collected {
            collected.row(t_s, values);
        }
        self.count += 1;
        self.last_s = t_s;
        self.last.clear();
        self.last.extend_from_slice(values);
    }

    fn event(&mut self, t_s: f64, values: &[f64], texts: &[(usize, String)]) {
        if !texts.is_empty() {
            self.texts(texts);
        }
        self.row(t_s, values);
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        if let Some(stream) = &mut self.stream {
            stream.texts(texts);
        }
        if let Some(collected) = &mut self.collected {
            collected.texts(texts);
        }
        self.texts.clear();
        self.texts.extend_from_slice(texts);
    }

    fn goes_on(&mut self) -> bool {
        goes_on(self.stream.as_ref()) && !self.cut.as_ref().is_some_and(Cut::is_set)
    }
}

impl Sink for Rows {
    fn is_cut(&self) -> bool {
        self.cut.as_ref().is_some_and(Cut::is_set)
    }

    fn stream(&mut self) -> Option<&mut Stream> {
        self.stream.as_mut()
    }

    fn end(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        // Their row is in the file.
        let mut end = Rows { comparison: self.comparison.take(), ..Rows::default() };
        let ended = simulation.observe(&mut end);
        (self.last_s, self.last, self.texts, self.comparison) = (end.last_s, end.last, end.texts, end.comparison);
        ended
    }

    fn saved_state(&mut self, simulation: &mut Simulation) -> Result<SavedState, RunError> {
        let saved = simulation.saved_state()?;
        // What the rows have shown goes with it.
        let found = self.comparison.as_ref().map(Comparison::found);
        let engine = postcard::to_stdvec(&(&saved.engine, self.not_finite, found));
        let engine = engine.map_err(|e| RunError::grid("checkpoint", e.to_string(), "a state that can be written"))?;
        Ok(SavedState { units: saved.units, engine })
    }
}
