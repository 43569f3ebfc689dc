//! Lines and points over two axes: motion over time, errors over time on a logarithmic axis, errors over step size with
//! slopes, error over work.

use super::axis::{Axis, Scale};
use super::canvas::{Area, Canvas, Letters, Stroke};
use super::frame::{self, Entry, SMALL};
use super::series::{Series, draw_mark, thinned};
use super::{font, palette};

/// Series over a pair of axes.
#[derive(Debug, Clone)]
pub struct Chart {
    title: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    slopes: Vec<Slope>,
    levels: Vec<(f64, String)>,
    is_equal: bool,
    is_bare: bool,
}

/// A triangle whose long side rises `order` decades in y for one in x.
#[derive(Debug, Clone, Copy)]
struct Slope {
    order: f64,
    corner: [f64; 2],
    ratio: f64,
}

impl Chart {
    /// An empty chart.
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self {
            title: title.to_owned(),
            x,
            y,
            series: Vec::new(),
            slopes: Vec::new(),
            levels: Vec::new(),
            is_equal: false,
            is_bare: false,
        }
    }

    /// Adds a series on top of those before.
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Adds a triangle of slope `order` on two logarithmic axes, its right angle at (x·`ratio`, y).
    pub fn slope(mut self, order: f64, corner: [f64; 2], ratio: f64) -> Self {
        self.slopes.push(Slope { order, corner, ratio });
        self
    }

    /// Adds a dashed horizontal line with words above it, such as a tolerance.
    pub fn level(mut self, y: f64, words: &str) -> Self {
        self.levels.push((y, words.to_owned()));
        self
    }

    /// As many pixels for a unit of x as for one of y, so that a circle is a circle; both axes are linear.
    pub fn equal(mut self) -> Self {
        self.is_equal = true;
        self
    }

    /// Without axes, for what is seen aslant, whose coordinates on the paper mean nothing.
    pub fn bare(mut self) -> Self {
        self.is_bare = true;
        self
    }

    /// Where the plot area would begin, of an area of this size: as far right as the words at its ticks need.
    pub(crate) fn indent(&self, area: Area) -> f64 {
        self.draw(&mut Canvas::default(), area, 0.0).left - area.left
    }

    /// Draws it, with the plot area at least `indent` from the left, and returns that area.
    pub(crate) fn draw(&self, canvas: &mut Canvas, area: Area, indent: f64) -> Area {
        // Title and legend; what is left is for the plot.
        let left = area.left + indent;
        let area = frame::title(canvas, area, &self.title);
        let entries: Vec<Entry> = self.series.iter().enumerate().map(|(i, series)| Entry::of(series, i)).collect();
        let area = frame::legend(canvas, area, &entries);

        // The plot area. With equal axes, a metre is as long on one as on the other.
        let mut scales = self.scales();
        let area = if self.is_bare { area } else { frame::plot_area(area, [&self.x, &self.y], &scales[1]) };
        let area = Area { left: area.left.max(left), ..area };
        if self.is_equal {
            scales = equal(scales, area);
        }
        if !self.is_bare {
            frame::axes(canvas, area, [&self.x, &self.y], scales);
        }
        // Curves, with some room at both sides for marks at the ends, and levels.
        canvas.clipped(Area { left: area.left - 6.0, right: area.right + 6.0, ..area }, |canvas| {
            for (place, series) in self.series.iter().enumerate() {
                draw_series(canvas, area, scales, (place, series));
            }
            for (value, words) in &self.levels {
                let y = area.bottom - scales[1].part(*value) * area.height();
                let stroke = Stroke { colour: palette::SOFT, width: 1.2, dash: "3,3" };
                canvas.line([[area.left, y], [area.right, y]], stroke);
                // Above the line, or below it where the upper edge is near.
                let base = if y - 18.0 < area.top { y + 14.0 } else { y - 5.0 };
                canvas.text([area.right - 4.0, base], words, Letters::new(SMALL, palette::SOFT, "end"));
            }
        });
        // Slopes are drawn over all.
        for slope in &self.slopes {
            slope.draw(canvas, area, scales);
        }
        area
    }

    /// Lines touch the left and right edge, points and everything else keep away from it.
    fn scales(&self) -> [Scale; 2] {
        let marked = self.series.iter().any(|series| series.mark.is_some());
        let x = self.series.iter().flat_map(|series| series.x.iter().copied());
        let corners = self.slopes.iter().flat_map(|slope| [slope.corner[1], slope.top()]);
        let y = self.series.iter().flat_map(|series| series.y.iter().copied());
        let y = y.chain(self.levels.iter().map(|(value, _)| *value)).chain(corners);
        [self.x.scale(x, if marked { 0.06 } else { 0.0 }), self.y.scale(y, if self.y.is_log() { 0.03 } else { 0.05 })]
    }
}

impl Slope {
    fn top(&self) -> f64 {
        self.corner[1] * self.ratio.powf(self.order)
    }

    fn draw(&self, canvas: &mut Canvas, area: Area, scales: [Scale; 2]) {
        let place =
            |x, y| [area.left + scales[0].part(x) * area.width(), area.bottom - scales[1].part(y) * area.height()];
        let [x, y] = self.corner;
        let [left, right, top] = [place(x, y), place(x * self.ratio, y), place(x * self.ratio, self.top())];
        let path =
            format!("M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z", left[0], left[1], right[0], right[1], top[0], top[1]);
        canvas.fill(&path, "#f2f2f2", false);
        canvas.path(&path, Stroke::solid(palette::SOFT, 1.0));
        let words = format!("{}", self.order);
        let beside = [right[0] + 5.0, (right[1] + top[1]) / 2.0 + 4.0];
        canvas.text(beside, &words, Letters::new(SMALL, palette::INK, "start"));
        let below = [(left[0] + right[0]) / 2.0, right[1] + 13.0];
        canvas.text(below, "1", Letters::new(SMALL, palette::INK, "middle"));
    }
}

/// The same middles, with the larger of both spans a pixel on both axes.
fn equal(scales: [Scale; 2], area: Area) -> [Scale; 2] {
    let pixels = [area.width(), area.height()];
    let each = (0..2).map(|i| (scales[i].high - scales[i].low) / pixels[i]).fold(0.0, f64::max);
    [0, 1].map(|i| {
        let (middle, half) = (f64::midpoint(scales[i].low, scales[i].high), 0.5 * each * pixels[i]);
        Scale { low: middle - half, high: middle + half, ..scales[i] }
    })
}

fn draw_series(canvas: &mut Canvas, area: Area, scales: [Scale; 2], (place, series): (usize, &Series)) {
    let points = series.pixels(area, scales);
    let stroke = series.stroke(place);
    if series.joined {
        canvas.line(thinned(points.clone()), stroke);
    }
    if let Some(mark) = series.mark {
        for point in &points {
            draw_mark(canvas, *point, mark, stroke.colour);
        }
    }
    for (point, words) in points.iter().zip(&series.notes) {
        // To the left of the point where the right edge is near.
        let outside = point[0] + 9.0 + font::width(words, SMALL, false) > area.right;
        let (x, anchor) = if outside { (point[0] - 9.0, "end") } else { (point[0] + 9.0, "start") };
        canvas.text([x, point[1] + 4.0], words, Letters::new(SMALL, palette::SOFT, anchor));
    }
}
