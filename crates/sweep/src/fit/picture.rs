//! The picture of a fit: the run beside the data, and their difference.

use std::path::Path;

use macrostep_plot::{Axis, Chart, Figure, Series};

use super::Fit;
use crate::refused::Refused;

/// A measured variable as it is drawn.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub variable: String,
    pub unit: String,
    /// Times \[s\] and values.
    pub run: (Vec<f64>, Vec<f64>),
    /// The same of the data.
    pub data: (Vec<f64>, Vec<f64>),
    /// Run less data at the times of the data.
    pub residual: Vec<f64>,
}

impl Fit {
    /// Writes `fit` as SVG and PNG into a folder that exists.
    ///
    /// # Errors
    /// [`Refused::Plot`] where it cannot be written.
    pub fn draw(&self, folder: &Path) -> Result<(), Refused> {
        let mut figure = Figure::new("Fit: run and data, and their difference").columns(2).panel_size(620.0, 360.0);
        let time = || Axis::linear("time", "s");
        for curve in &self.curves {
            let Curve { variable, unit, run, data, residual } = curve;
            let both = Chart::new(variable, time(), Axis::linear(variable, unit))
                .with(Series::points("data", data.0.clone(), data.1.clone(), 0))
                .with(Series::line("run", run.0.clone(), run.1.clone()).colour(1));
            let difference = Chart::new("run less data", time(), Axis::linear("difference", unit))
                .with(Series::points("", data.0.clone(), residual.clone(), 0));
            figure = figure.with(both).with(difference);
        }
        figure.write(folder, "fit")?;
        Ok(())
    }
}
