//! The time chart: a row for each unit, bars for steps, marks for operations at an instant, numbered in order of execution.

use super::Diagram;
use crate::canvas::{Area, Canvas, Letters, Stroke};
use crate::font::width;
use crate::palette;

/// A row.
#[derive(Debug, Clone, Default)]
pub struct Lane {
    /// At its left.
    pub name: String,
    /// Steps.
    pub bars: Vec<Bar>,
    /// Instants.
    pub marks: Vec<Mark>,
}

/// A step from one instant to another, in the chart's unit.
#[derive(Debug, Clone)]
pub struct Bar {
    /// Start.
    pub from: f64,
    /// End.
    pub to: f64,
    /// On it.
    pub label: String,
}

/// Something at an instant.
#[derive(Debug, Clone)]
pub struct Mark {
    /// When.
    pub at: f64,
    /// In it.
    pub label: String,
    /// Whether it is an evaluation of feed-through outputs rather than a publication.
    pub is_refresh: bool,
}

const ROW: f64 = 34.0;

/// Draws the chart and returns its lower edge.
pub(super) fn draw(canvas: &mut Canvas, d: &Diagram, [left, top]: [f64; 2], wide: &mut f64) -> f64 {
    // Names at the left, and the window as wide as the diagram allows.
    let names = d.lanes.iter().map(|l| width(&l.name, 12.0, false)).fold(0.0, f64::max);
    let first = left + names + 16.0;
    let last = (*wide - left - 90.0).max(first + 560.0);
    *wide = wide.max(last + 100.0);
    let scale = (last - first) / d.span.0.max(f64::MIN_POSITIVE);
    // The title, and the window's beginning and end.
    canvas.text(
        [left, top + 12.0],
        &d.lanes_title,
        Letters { bold: true, ..Letters::new(13.5, palette::INK, "start") },
    );
    let above = top + 24.0;
    let bottom = above + ROW * d.lanes.len() as f64;
    for x in [first, last] {
        canvas.line([[x, above], [x, bottom + 4.0]], Stroke::solid(palette::GRID, 1.5));
    }
    // A row for each unit, with bars for its steps.
    for (i, lane) in d.lanes.iter().enumerate() {
        let y = above + ROW * (i as f64 + 0.5);
        canvas.text([left, y + 4.0], &lane.name, Letters::new(12.0, palette::INK, "start"));
        canvas.line([[first, y], [last, y]], Stroke::solid(palette::GRID, 1.0));
        for bar in &lane.bars {
            let (from, to) = (first + scale * bar.from, first + scale * bar.to);
            let area = Area { left: from + 1.5, top: y - 8.0, right: to - 1.5, bottom: y + 8.0 };
            canvas.area(area, palette::line(4));
            canvas.text([(from + to) / 2.0, y + 4.0], &bar.label, Letters::new(11.0, palette::INK, "middle"));
        }
        // Several marks at one instant stand side by side.
        for (n, mark) in lane.marks.iter().enumerate() {
            let before = lane.marks[..n].iter().filter(|m| m.at == mark.at).count() as f64;
            let x = first + scale * mark.at + 20.0 * before;
            let colour = palette::line(if mark.is_refresh { 5 } else { 2 });
            canvas.disc([x, y], 9.0, colour, palette::PAPER);
            canvas.text([x, y + 3.8], &mark.label, Letters::new(10.5, palette::PAPER, "middle"));
        }
    }
    // Times at both ends, and what colours mean.
    canvas.text([first, bottom + 18.0], &d.span.1, Letters::new(12.0, palette::SOFT, "middle"));
    canvas.text([last, bottom + 18.0], &d.span.2, Letters::new(12.0, palette::SOFT, "middle"));
    let mut x = first + 70.0;
    for (colour, words) in [(4, "step"), (2, "outputs published"), (5, "feed-through evaluated anew")] {
        if colour == 5 && !d.lanes.iter().any(|l| l.marks.iter().any(|m| m.is_refresh)) {
            continue;
        }
        canvas.disc([x, bottom + 14.0], 5.0, palette::line(colour), palette::PAPER);
        canvas.text([x + 10.0, bottom + 18.0], words, Letters::new(12.0, palette::SOFT, "start"));
        x += 34.0 + width(words, 12.0, false);
    }
    bottom + 24.0
}
