//! Heat maps: a value on a grid of two quantities as colour, with the curve on which it takes a chosen level.
//!
//! Colours are steps, not a continuum: a step can be found again in the bar beside the map, and runs of one colour are drawn
//! as one rectangle. The level curve is found by marching squares on the cells' middles.

use super::axis::{Axis, Scale};
use super::canvas::{Area, Canvas, Letters, Stroke, put, short};
use super::frame::{self, MEDIUM, SMALL};
use super::palette;

/// Number of colours.
const STEPS: usize = 24;
/// Width taken by a colour bar and its words, in pixels.
pub(crate) const BAR: f64 = 84.0;

/// Values on a grid, row by row from the lowest y; a value that is not finite is left grey.
#[derive(Debug, Clone)]
pub struct Heat {
    title: String,
    axes: [Axis; 2],
    x: Vec<f64>,
    y: Vec<f64>,
    values: Vec<f64>,
    range: Option<[f64; 2]>,
    quantity: String,
    level: Option<f64>,
    sides: bool,
    bar: bool,
}

impl Heat {
    /// A map of `values[j * x.len() + i]` at the middles (`x[i]`, `y[j]`), which grow evenly on their axes.
    pub fn new(title: &str, axes: [Axis; 2], x: impl Into<Vec<f64>>, y: impl Into<Vec<f64>>, values: Vec<f64>) -> Self {
        Self {
            title: title.to_owned(),
            axes,
            x: x.into(),
            y: y.into(),
            values,
            range: None,
            quantity: String::new(),
            level: None,
            sides: false,
            bar: true,
        }
    }

    /// The quantity of the values, with unit, for the colour bar.
    pub fn quantity(mut self, words: &str) -> Self {
        self.quantity = words.to_owned();
        self
    }

    /// Values of the darkest and the lightest colour; without it the data say.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some([low, high]);
        self
    }

    /// Draws the curve on which the value is `level`.
    pub fn contour(mut self, level: f64) -> Self {
        self.level = Some(level);
        self
    }

    /// Draws the curve on which the value is `level`, and colours what is below it blue, above it orange, the level pale.
    pub fn sides_of(mut self, level: f64) -> Self {
        self.sides = true;
        self.contour(level)
    }

    /// Leaves the colour bar away, for small multiples that share one.
    pub(crate) fn without_bar(mut self) -> Self {
        self.bar = false;
        self
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas, area: Area) {
        // Title, axes and the room for the bar. Cells reach half their size beyond the outer values.
        let area = frame::title(canvas, area, &self.title);
        let [low, high] = self.span();
        let scales = [edges(&self.axes[0], &self.x), edges(&self.axes[1], &self.y)];
        let area = Area { right: area.right - if self.bar { BAR } else { 0.0 }, ..area };
        let plot = frame::plot_area(area, [&self.axes[0], &self.axes[1]], &scales[1]);
        frame::axes(canvas, plot, [&self.axes[0], &self.axes[1]], scales);

        // The step of a value; one that is NaN has none.
        let step = |value: f64| -> Option<usize> {
            let part = (value - low) / (high - low);
            part.is_finite().then(|| (part * STEPS as f64).floor().clamp(0.0, (STEPS - 1) as f64) as usize)
        };
        self.draw_cells(canvas, plot, step);
        // The level, with a bright edge so that it is seen on all colours.
        if let Some(level) = self.level {
            let path = self.contour_path(plot, level);
            canvas.path(&path, Stroke::solid(palette::PAPER, 4.0));
            canvas.path(&path, Stroke::solid(palette::INK, 1.8));
        }
        // The frame, and the bar beside it.
        let frame = [
            [plot.left, plot.top],
            [plot.right, plot.top],
            [plot.right, plot.bottom],
            [plot.left, plot.bottom],
            [plot.left, plot.top],
        ];
        canvas.line(frame, Stroke::solid(palette::SOFT, 1.0));
        if self.bar {
            self.draw_bar(canvas, Area { left: plot.right + 16.0, right: plot.right + 30.0, ..plot });
        }
    }

    fn span(&self) -> [f64; 2] {
        let finite = || self.values.iter().copied().filter(|value| value.is_finite());
        let found = [finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max)];
        let [low, high] = self.range.unwrap_or(found);
        if low < high { [low, high] } else { [low.min(0.0), low.min(0.0) + 1.0] }
    }

    /// Colour of one of the steps, by the value at its middle.
    fn colour(&self, step: usize) -> String {
        let part = (step as f64 + 0.5) / STEPS as f64;
        match self.level.filter(|_| self.sides) {
            Some(level) => {
                let [low, high] = self.span();
                palette::side((low + part * (high - low) - level) / (high - level).max(level - low))
            }
            None => palette::shade(part),
        }
    }

    /// Runs of equal colour in a row become one rectangle, all rectangles of a colour one path.
    fn draw_cells(&self, canvas: &mut Canvas, plot: Area, step: impl Fn(f64) -> Option<usize>) {
        canvas.area(plot, "#d0d0d0");
        let (nx, ny) = (self.x.len(), self.y.len());
        let mut paths = vec![String::new(); STEPS];
        let (dx, dy) = (plot.width() / nx as f64, plot.height() / ny as f64);
        for (j, row) in self.values.chunks_exact(nx.max(1)).take(ny).enumerate() {
            let (top, bottom) = (short(plot.bottom - (j + 1) as f64 * dy), short(plot.bottom - j as f64 * dy));
            let mut first = 0;
            for run in row.chunk_by(|a, b| step(*a) == step(*b)) {
                let (left, right) =
                    (short(plot.left + first as f64 * dx), short(plot.left + (first + run.len()) as f64 * dx));
                if let Some(colour) = step(run[0]) {
                    put(&mut paths[colour], format_args!("M{left} {top}H{right}V{bottom}H{left}Z"));
                }
                first += run.len();
            }
        }
        for (colour, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            canvas.fill(path, &self.colour(colour), true);
        }
    }

    /// Marching squares: each square of four middles adds the one or two pieces that separate above from below.
    fn contour_path(&self, plot: Area, level: f64) -> String {
        // Middles of the cells, and values from the level on.
        let (nx, ny) = (self.x.len(), self.y.len());
        let (dx, dy) = (plot.width() / nx as f64, plot.height() / ny as f64);
        let middle = |i: usize, j: usize| [plot.left + (i as f64 + 0.5) * dx, plot.bottom - (j as f64 + 0.5) * dy];
        let value = |i: usize, j: usize| self.values[j * nx + i] - level;
        let mut path = String::new();
        for j in 0..ny.saturating_sub(1) {
            for i in 0..nx.saturating_sub(1) {
                // Each side whose ends lie on both sides of the level is crossed, where the line between them says.
                let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                let crossings: Vec<[f64; 2]> = (0..4)
                    .filter_map(|n| {
                        let (a, b) = (corners[n], corners[(n + 1) % 4]);
                        let (va, vb) = (value(a.0, a.1), value(b.0, b.1));
                        let crosses = va.is_finite() && vb.is_finite() && (va < 0.0) != (vb < 0.0);
                        let (pa, pb, part) = (middle(a.0, a.1), middle(b.0, b.1), va / (va - vb));
                        crosses.then(|| [pa[0] + (pb[0] - pa[0]) * part, pa[1] + (pb[1] - pa[1]) * part])
                    })
                    .collect();
                // Two crossings make a piece; at a saddle, four make two.
                for piece in crossings.chunks_exact(2) {
                    let [[x0, y0], [x1, y1]] = [piece[0].map(short), piece[1].map(short)];
                    put(&mut path, format_args!("M{x0} {y0}L{x1} {y1}"));
                }
            }
        }
        path
    }

    /// The colour bar in `area`, with the level marked.
    pub(crate) fn draw_bar(&self, canvas: &mut Canvas, area: Area) {
        // Steps of colour, the lowest at the bottom.
        let [low, high] = self.span();
        let height = area.height() / STEPS as f64;
        for n in 0..STEPS {
            let bottom = area.bottom - n as f64 * height;
            let [left, right, top, bottom] = [area.left, area.right, bottom - height, bottom].map(short);
            let path = format!("M{left} {top}H{right}V{bottom}H{left}Z");
            canvas.fill(&path, &self.colour(n), true);
        }
        // Values beyond an end have the colour of that end: an arrow says so.
        let (middle, half) = ((area.left + area.right) / 2.0, area.width() / 2.0);
        for (is_beyond, edge, tip, n) in [
            (self.values.iter().any(|v| *v > high), area.top, area.top - 9.0, STEPS - 1),
            (self.values.iter().any(|v| *v < low), area.bottom, area.bottom + 9.0, 0),
        ] {
            if is_beyond {
                let [left, right, tip, edge] = [middle - half, middle + half, tip, edge].map(short);
                canvas.fill(&format!("M{left} {edge}H{right}L{} {tip}Z", short(middle)), &self.colour(n), false);
            }
        }
        // Ticks with labels, the level, and the quantity.
        let scale = Scale { log: false, low, high };
        let (ticks, _, _) = scale.ticks(((area.height() / 48.0) as usize).clamp(2, 8));
        for tick in &ticks {
            let y = area.bottom - scale.part(tick.value) * area.height();
            canvas.line([[area.right, y], [area.right + 4.0, y]], Stroke::solid(palette::SOFT, 1.0));
            canvas.text([area.right + 7.0, y + 4.2], &tick.label, Letters::new(SMALL, palette::INK, "start"));
        }
        if let Some(level) = self.level.filter(|level| (low..=high).contains(level)) {
            let y = area.bottom - scale.part(level) * area.height();
            canvas.line([[area.left - 3.0, y], [area.right + 3.0, y]], Stroke::solid(palette::INK, 2.0));
        }
        let letters = Letters { upright: true, ..Letters::new(MEDIUM, palette::INK, "middle") };
        canvas.text([area.right + 48.0, (area.top + area.bottom) / 2.0], &self.quantity, letters);
    }
}

/// From the outer edge of the first cell to that of the last.
fn edges(axis: &Axis, middles: &[f64]) -> Scale {
    let (Some(&first), Some(&last)) = (middles.first(), middles.last()) else {
        return axis.scale(std::iter::empty(), 0.0);
    };
    let half = 0.5 / (middles.len().max(2) - 1) as f64;
    if axis.is_log() {
        let wing = (last / first).powf(half);
        Scale { log: true, low: first / wing, high: last * wing }
    } else {
        let wing = (last - first) * half;
        Scale { log: false, low: first - wing, high: last + wing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contour_of_a_plane_is_where_it_should_be() {
        // value = x on a grid of 10 × 3 cells of 10 pixels; x = 4.5 lies in the middle of cells 4 and 5, at 50 pixels.
        let x: Vec<f64> = (0..10).map(f64::from).collect();
        let values: Vec<f64> = (0..3).flat_map(|_| x.clone()).collect();
        let axes = [Axis::linear("x", "1"), Axis::linear("y", "1")];
        let heat = Heat::new("", axes, x, vec![0.0, 1.0, 2.0], values);
        let path = heat.contour_path(Area { left: 0.0, top: 0.0, right: 100.0, bottom: 30.0 }, 4.5);
        assert_eq!(path, "M50 25L50 15M50 15L50 5");
    }
}
