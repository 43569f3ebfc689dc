//! Horizontal bars in groups, with horizontal names, each with its value at its end.

use super::axis::{Axis, Scale, power_of_ten};
use super::canvas::{Area, Canvas, Letters, Stroke};
use super::frame::{self, Entry, MEDIUM, SMALL};
use super::{font, palette};

/// Groups of bars over one axis.
#[derive(Debug, Clone)]
pub struct Bars {
    title: String,
    axis: Axis,
    groups: Vec<String>,
    /// Label, values, and half the widths of their intervals, where there are any.
    kinds: Vec<(String, Vec<f64>, Vec<f64>)>,
    digits: usize,
}

impl Bars {
    /// Bars over `axis`, one group a name.
    pub fn new(title: &str, axis: Axis, groups: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let groups = groups.into_iter().map(Into::into).collect();
        Self { title: title.to_owned(), axis, groups, kinds: Vec::new(), digits: 3 }
    }

    /// Adds one bar to every group, in the groups' order; a value that is not finite leaves its place empty.
    pub fn with(mut self, label: &str, values: impl Into<Vec<f64>>) -> Self {
        self.kinds.push((label.to_owned(), values.into(), Vec::new()));
        self
    }

    /// Draws an interval, value ± half, over each bar that was added last.
    pub fn intervals(mut self, halves: impl Into<Vec<f64>>) -> Self {
        if let Some(last) = self.kinds.last_mut() {
            last.2 = halves.into();
        }
        self
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas, area: Area) {
        // Title, and a legend where there is more than one kind.
        let area = frame::title(canvas, area, &self.title);
        let entries: Vec<Entry> = (self.kinds.iter().enumerate())
            .map(|(i, (label, ..))| Entry {
                label: if self.kinds.len() > 1 { label } else { "" },
                stroke: Stroke::solid(palette::line(i), 9.0),
                joined: true,
                mark: None,
            })
            .collect();
        let area = frame::legend(canvas, area, &entries);

        // Room for the names at the left and for a value at the right.
        let names = self.groups.iter().map(|name| font::width(name, MEDIUM, false)).fold(0.0, f64::max);
        let plot = Area {
            left: area.left + 12.0 + names + 10.0,
            top: area.top + 4.0,
            right: area.right - 78.0,
            bottom: area.bottom - 46.0,
        };
        // The axis, with lines that bars are read against.
        let scale = self.scale();
        self.draw_axis(canvas, plot, scale);

        // A row for each group, with its name, and a bar in it for each kind.
        let row = plot.height() / self.groups.len().max(1) as f64;
        let bar = (row * 0.78 / self.kinds.len().max(1) as f64).min(26.0);
        for (g, group) in self.groups.iter().enumerate() {
            let middle = plot.top + (g as f64 + 0.5) * row;
            let letters = Letters::new(MEDIUM, palette::INK, "end");
            canvas.text([plot.left - 10.0, middle + 4.5], group, letters);
            let first = middle - 0.5 * bar * self.kinds.len() as f64;
            for (k, (_, values, halves)) in self.kinds.iter().enumerate() {
                // A bar from the axis to its value; one of no length is still seen.
                let Some(value) = values.get(g).copied().filter(|value| value.is_finite()) else { continue };
                let top = first + k as f64 * bar;
                let right = plot.left + scale.part(value).clamp(0.0, 1.0) * plot.width();
                let gap = (0.08 * bar).min(2.0);
                canvas.area(
                    Area {
                        left: plot.left,
                        top: top + gap,
                        right: right.max(plot.left + 1.0),
                        bottom: top + bar - gap,
                    },
                    palette::line(k),
                );
                // The interval, and the value behind both.
                let half = halves.get(g).copied().filter(|half| half.is_finite());
                let ends = half.map(|half| {
                    [value - half, value + half].map(|x| plot.left + scale.part(x).clamp(0.0, 1.0) * plot.width())
                });
                let middle = top + 0.5 * bar;
                if let Some([low, high]) = ends {
                    canvas.line([[low, middle], [high, middle]], Stroke::solid(palette::INK, 1.5));
                    for x in [low, high] {
                        canvas.line([[x, middle - 4.0], [x, middle + 4.0]], Stroke::solid(palette::INK, 1.5));
                    }
                }
                let at = [ends.map_or(right, |[_, high]| right.max(high)) + 6.0, middle + 4.0];
                canvas.text(at, &self.words(value), Letters::new(SMALL, palette::INK, "start"));
            }
        }
        // The line that bars begin at.
        canvas.line([[plot.left, plot.top], [plot.left, plot.bottom]], Stroke::solid(palette::SOFT, 1.0));
    }

    fn draw_axis(&self, canvas: &mut Canvas, plot: Area, scale: Scale) {
        let (ticks, _, power) = scale.ticks(((plot.width() / 80.0) as usize).clamp(2, 10));
        for tick in &ticks {
            let x = plot.left + scale.part(tick.value) * plot.width();
            canvas.line([[x, plot.top], [x, plot.bottom]], Stroke::solid(palette::GRID, 1.0));
            canvas.text([x, plot.bottom + 17.0], &tick.label, Letters::new(SMALL, palette::INK, "middle"));
        }
        let tail = if power == 0 { String::new() } else { format!("   (×{})", power_of_ten(power)) };
        let at = [(plot.left + plot.right) / 2.0, plot.bottom + 38.0];
        canvas.text(at, &format!("{}{tail}", self.axis.label()), Letters::new(MEDIUM, palette::INK, "middle"));
    }

    /// A linear axis starts at 0, a logarithmic one at the power of ten below the least value.
    fn scale(&self) -> Scale {
        // Each with half its interval.
        let ends = |(_, values, halves): &(String, Vec<f64>, Vec<f64>)| -> Vec<f64> {
            let half = |i: usize| halves.get(i).copied().filter(|half| half.is_finite()).unwrap_or(0.0);
            values.iter().enumerate().map(|(i, value)| value + half(i)).collect()
        };
        let values = || self.kinds.iter().flat_map(ends).filter(|v| v.is_finite());
        let scale = self.axis.scale(values(), 0.0);
        if scale.log {
            Scale { low: 10f64.powf((scale.low.log10() - 0.05).floor()), ..scale }
        } else {
            Scale { low: scale.low.min(0.0), high: values().fold(0.0, f64::max).max(f64::MIN_POSITIVE), ..scale }
        }
    }

    fn words(&self, value: f64) -> String {
        let size = value.abs();
        if size == 0.0 {
            "0".to_owned()
        } else if (1e-2..1e4).contains(&size) && !self.axis.is_log() {
            let whole = size.log10().floor() as i32 + 1;
            format!("{value:.*}", (self.digits as i32 - whole).max(0) as usize)
        } else {
            format!("{value:.*e}", self.digits - 2)
        }
    }
}
