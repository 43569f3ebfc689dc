//! Parallel coordinates: an upright axis a quantity, a line a row through its values, coloured by the value on the last axis.

use super::axis::Axis;
use super::canvas::{Area, Canvas, Letters, Stroke};
use super::frame::{self, MEDIUM, SMALL};
use super::{font, palette};

/// One axis.
#[derive(Debug, Clone)]
struct Upright {
    axis: Axis,
    /// Words that stand for 1, 2, …; none where the axis has numbers.
    words: Vec<String>,
    /// A value a row; what is not finite leaves the row out.
    values: Vec<f64>,
}

/// Rows over axes that stand side by side.
#[derive(Debug, Clone)]
pub struct Parallel {
    title: String,
    axes: Vec<Upright>,
}

impl Parallel {
    /// Without axes yet.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), axes: Vec::new() }
    }

    /// Adds an axis with a value a row.
    pub fn with(mut self, axis: Axis, values: impl Into<Vec<f64>>) -> Self {
        self.axes.push(Upright { axis, words: Vec::new(), values: values.into() });
        self
    }

    /// Adds an axis on which 1, 2, … are words.
    pub fn with_words(mut self, axis: Axis, words: Vec<String>, values: impl Into<Vec<f64>>) -> Self {
        let axis = axis.range(1.0 - 0.05, words.len().max(2) as f64 + 0.05);
        self.axes.push(Upright { axis, words, values: values.into() });
        self
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas, area: Area) {
        // The title, with room at both sides for labels.
        let area = frame::title(canvas, area, &self.title);
        let plot =
            Area { left: area.left + 70.0, top: area.top + 34.0, right: area.right - 70.0, bottom: area.bottom - 16.0 };
        let Some(last) = self.axes.last() else { return };
        // Each axis has a scale of its own.
        let scales: Vec<_> = self.axes.iter().map(|a| a.axis.scale(a.values.iter().copied(), 0.02)).collect();
        let x = |i: usize| plot.left + plot.width() * i as f64 / (self.axes.len().max(2) - 1) as f64;
        let y = |i: usize, value: f64| plot.bottom - scales[i].part(value) * plot.height();
        // Rows from the lowest to the highest value on the last axis, so that the highest are on top.
        let rows = self.axes.iter().map(|a| a.values.len()).min().unwrap_or(0);
        let is_whole = |row: &usize| self.axes.iter().enumerate().all(|(i, a)| y(i, a.values[*row]).is_finite());
        let mut order: Vec<usize> = (0..rows).filter(is_whole).collect();
        order.sort_by(|a, b| last.values[*a].total_cmp(&last.values[*b]));
        // Many lines are thin.
        let width = if order.len() > 300 { 0.7 } else { 1.3 };
        for row in order {
            let colour = palette::shade(scales[self.axes.len() - 1].part(last.values[row]));
            let points = self.axes.iter().enumerate().map(|(i, a)| [x(i), y(i, a.values[row])]);
            canvas.line(points, Stroke::solid(&colour, width));
        }
        // Axes with their ticks over the lines, names above them.
        for (i, a) in self.axes.iter().enumerate() {
            canvas.line([[x(i), plot.top], [x(i), plot.bottom]], Stroke::solid(palette::INK, 1.0));
            let (ticks, _, power) = scales[i].ticks(5);
            // Words in their order, or numbers. Labels have a ground of their own, as lines run below them.
            let named = a.words.iter().enumerate().map(|(n, word)| (n as f64 + 1.0, word.clone()));
            let numbers = ticks.into_iter().map(|tick| (tick.value, tick.label));
            let marks: Vec<(f64, String)> = if a.words.is_empty() { numbers.collect() } else { named.collect() };
            for (value, label) in marks {
                let at = y(i, value);
                canvas.line([[x(i) - 4.0, at], [x(i), at]], Stroke::solid(palette::INK, 1.0));
                let back = Area {
                    left: x(i) - 9.0 - font::width(&label, SMALL, false),
                    top: at - 8.0,
                    right: x(i) - 5.0,
                    bottom: at + 7.0,
                };
                canvas.area(back, palette::PAPER);
                canvas.text([x(i) - 7.0, at + 4.0], &label, Letters::new(SMALL, palette::INK, "end"));
            }
            // The name, with the power that is common to the labels.
            let tail = if power == 0 || !a.words.is_empty() {
                String::new()
            } else {
                format!(" (×{})", super::axis::power_of_ten(power))
            };
            let name = format!("{}{tail}", a.axis.label());
            canvas.text([x(i), plot.top - 14.0], &name, Letters::new(MEDIUM, palette::INK, "middle"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Figure;

    #[test]
    fn every_whole_row_is_a_line() {
        let words = vec!["hold".to_owned(), "linear".to_owned()];
        let parallel = Parallel::new("")
            .with(Axis::log("step", "s"), [1e-3, 1e-2, 1e-1, -1.0])
            .with_words(Axis::linear("predict", ""), words, [1.0, 2.0, 1.0, 2.0])
            .with(Axis::linear("error", "m"), [1.0, 2.0, f64::NAN, 3.0]);
        let svg = Figure::new("").with(parallel).svg();
        // Of four rows one has no value and one no logarithm; three axes, and lines of two points are axes and ticks.
        let lines = svg
            .split("<path")
            .filter(|path| path.split('"').any(|d| d.starts_with('M') && d.matches('L').count() == 2));
        assert_eq!(lines.count(), 2, "{svg}");
        for word in [">hold<", ">linear<", ">step [s]<", ">predict<", ">error [m]<"] {
            assert!(svg.contains(word), "{word}");
        }
    }
}
