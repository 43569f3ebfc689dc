//! The frame of a chart: title, legend, grid, ticks and words around the plot area.

use super::axis::{Axis, Scale, power_of_ten};
use super::canvas::{Area, Canvas, Letters, Stroke};
use super::series::{Series, draw_mark};
use super::{font, palette};

/// Size of the words at ticks and in legends.
pub(crate) const SMALL: f64 = 12.0;
/// Size of the words along axes.
pub(crate) const MEDIUM: f64 = 13.0;
/// Size of a panel's title.
pub(crate) const LARGE: f64 = 14.5;

/// One line of a legend: a look and a name.
pub(crate) struct Entry<'a> {
    pub(crate) label: &'a str,
    pub(crate) stroke: Stroke<'a>,
    pub(crate) joined: bool,
    pub(crate) mark: Option<usize>,
}

impl<'a> Entry<'a> {
    pub(crate) fn of(series: &'a Series, place: usize) -> Self {
        Self { label: &series.label, stroke: series.stroke(place), joined: series.joined, mark: series.mark }
    }

    fn width(&self) -> f64 {
        font::width(self.label, SMALL, false) + 34.0 + 18.0
    }
}

/// Draws the panel's title at the top of `area` and returns what is left below it.
pub(crate) fn title(canvas: &mut Canvas, area: Area, title: &str) -> Area {
    if title.is_empty() {
        return Area { top: area.top + 8.0, ..area };
    }
    let letters = Letters { bold: true, ..Letters::new(LARGE, palette::INK, "start") };
    canvas.text([area.left + 12.0, area.top + 20.0], title, letters);
    Area { top: area.top + 30.0, ..area }
}

/// Draws a legend in as many rows as it takes, and returns what is left below it.
pub(crate) fn legend(canvas: &mut Canvas, area: Area, entries: &[Entry]) -> Area {
    const ROW: f64 = 18.0;
    if entries.iter().all(|entry| entry.label.is_empty()) {
        return area;
    }
    let left = area.left + 12.0;
    let (mut x, mut y) = (left, area.top + 9.0);
    for entry in entries.iter().filter(|entry| !entry.label.is_empty()) {
        if x > left && x + entry.width() > area.right {
            (x, y) = (left, y + ROW);
        }
        if entry.joined {
            canvas.line([[x, y], [x + 28.0, y]], Stroke { width: entry.stroke.width.max(1.6), ..entry.stroke });
        }
        if let Some(mark) = entry.mark {
            draw_mark(canvas, [x + 14.0, y], mark, entry.stroke.colour);
        }
        canvas.text([x + 34.0, y + 4.0], entry.label, Letters::new(SMALL, palette::INK, "start"));
        x += entry.width();
    }
    Area { top: y + ROW * 0.5 + 6.0, ..area }
}

/// The plot area that remains when ticks and words have their place.
pub(crate) fn plot_area(area: Area, axes: [&Axis; 2], y: &Scale) -> Area {
    let (ticks, _, power) = y.ticks(wanted(area.height(), 48.0));
    let widest = ticks.iter().map(|tick| font::width(&tick.label, SMALL, false)).fold(12.0, f64::max);
    let words = if axes[1].label().is_empty() { 0.0 } else { 20.0 };
    Area {
        left: area.left + 12.0 + words + widest + 8.0,
        top: area.top + if power == 0 { 6.0 } else { 18.0 },
        right: area.right - 18.0,
        bottom: area.bottom - if axes[0].label().is_empty() { 26.0 } else { 46.0 },
    }
}

/// Draws grid, ticks, labels and the two axis lines around the plot area.
pub(crate) fn axes(canvas: &mut Canvas, area: Area, axes: [&Axis; 2], scales: [Scale; 2]) {
    // Below: grid lines, ticks with labels, and small ticks.
    let (major, minor, power) = scales[0].ticks(wanted(area.width(), if scales[0].log { 52.0 } else { 80.0 }));
    for tick in &major {
        let x = area.left + scales[0].part(tick.value) * area.width();
        canvas.line([[x, area.top], [x, area.bottom]], Stroke::solid(palette::GRID, 1.0));
        canvas.line([[x, area.bottom], [x, area.bottom + 5.0]], Stroke::solid(palette::SOFT, 1.0));
        canvas.text([x, area.bottom + 19.0], &tick.label, Letters::new(SMALL, palette::INK, "middle"));
    }
    for value in minor {
        let x = area.left + scales[0].part(value) * area.width();
        canvas.line([[x, area.bottom], [x, area.bottom + 3.0]], Stroke::solid(palette::SOFT, 0.8));
    }
    // The axis in words, with the power that is common to its labels.
    let tail = if power == 0 { String::new() } else { format!("   (×{})", power_of_ten(power)) };
    let middle = (area.left + area.right) / 2.0;
    let words = format!("{}{tail}", axes[0].label());
    canvas.text([middle, area.bottom + 39.0], &words, Letters::new(MEDIUM, palette::INK, "middle"));

    // At the left the same. How wide labels are says where the words stand.
    let (major, minor, power) = scales[1].ticks(wanted(area.height(), if scales[1].log { 30.0 } else { 48.0 }));
    let mut widest = 12.0f64;
    for tick in &major {
        let y = area.bottom - scales[1].part(tick.value) * area.height();
        canvas.line([[area.left, y], [area.right, y]], Stroke::solid(palette::GRID, 1.0));
        canvas.line([[area.left - 5.0, y], [area.left, y]], Stroke::solid(palette::SOFT, 1.0));
        canvas.text([area.left - 8.0, y + 4.2], &tick.label, Letters::new(SMALL, palette::INK, "end"));
        widest = widest.max(font::width(&tick.label, SMALL, false));
    }
    for value in minor {
        let y = area.bottom - scales[1].part(value) * area.height();
        canvas.line([[area.left - 3.0, y], [area.left, y]], Stroke::solid(palette::SOFT, 0.8));
    }
    // The common power stands above this axis.
    if power != 0 {
        let words = format!("×{}", power_of_ten(power));
        canvas.text([area.left - 5.0, area.top - 6.0], &words, Letters::new(SMALL, palette::INK, "start"));
    }
    let letters = Letters { upright: true, ..Letters::new(MEDIUM, palette::INK, "middle") };
    let x = area.left - 8.0 - widest - 10.0;
    canvas.text([x, (area.top + area.bottom) / 2.0], axes[1].label(), letters);

    // The axis lines themselves.
    let corner = [[area.left, area.top], [area.left, area.bottom], [area.right, area.bottom]];
    canvas.line(corner, Stroke::solid(palette::SOFT, 1.0));
}

fn wanted(pixels: f64, each: f64) -> usize {
    (pixels / each).floor().clamp(2.0, 12.0) as usize
}
