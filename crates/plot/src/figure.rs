//! A *figure*: panels on a grid under one title, written as SVG and PNG.

use std::path::{Path, PathBuf};

use super::canvas::{Area, Canvas, Letters, Picture};
use super::heat::BAR;
use super::{Bars, Chart, Heat, Parallel, palette, raster};

/// One picture in a figure.
#[derive(Debug, Clone)]
pub enum Panel {
    /// Lines and points.
    Chart(Chart),
    /// Bars.
    Bars(Bars),
    /// A heat map.
    Heat(Heat),
    /// Parallel coordinates.
    Parallel(Parallel),
}

/// Panels on a grid.
#[derive(Debug, Clone)]
pub struct Figure {
    title: String,
    subtitle: String,
    panels: Vec<Panel>,
    columns: usize,
    panel_size: [f64; 2],
    shared_bar: bool,
}

/// A picture that cannot be made or written.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The file system said no.
    #[error("picture `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was said.
        source: std::io::Error,
    },
    /// The picture cannot be rasterised.
    #[error("picture: {0}")]
    Raster(String),
    /// A page that cannot be made of what it is given.
    #[error("page: {0}")]
    Page(String),
}

impl From<Chart> for Panel {
    fn from(chart: Chart) -> Self {
        Self::Chart(chart)
    }
}

impl From<Bars> for Panel {
    fn from(bars: Bars) -> Self {
        Self::Bars(bars)
    }
}

impl From<Heat> for Panel {
    fn from(heat: Heat) -> Self {
        Self::Heat(heat)
    }
}

impl From<Parallel> for Panel {
    fn from(parallel: Parallel) -> Self {
        Self::Parallel(parallel)
    }
}

impl Figure {
    /// An empty figure of one column and panels of 960 × 420 pixels.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            subtitle: String::new(),
            panels: Vec::new(),
            columns: 1,
            panel_size: [960.0, 420.0],
            shared_bar: false,
        }
    }

    /// A second line under the title, in small letters: how it was made.
    pub fn subtitle(mut self, words: &str) -> Self {
        self.subtitle = words.to_owned();
        self
    }

    /// Adds a panel: to the right of the last, or below where the row is full.
    pub fn with(mut self, panel: impl Into<Panel>) -> Self {
        self.panels.push(panel.into());
        self
    }

    /// Panels in a row.
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns.max(1);
        self
    }

    /// Width and height of each panel in pixels of the SVG; the PNG has twice as many.
    pub fn panel_size(mut self, width: f64, height: f64) -> Self {
        self.panel_size = [width, height];
        self
    }

    /// One colour bar at the right for all heat maps, which must have the same range: that of the first is drawn.
    pub fn shared_bar(mut self) -> Self {
        self.shared_bar = true;
        self
    }

    /// The picture as SVG.
    pub fn svg(&self) -> String {
        self.picture().svg()
    }

    fn picture(&self) -> Picture {
        let mut canvas = Canvas::default();
        // Title and subtitle, where there are any.
        let [width, height] = self.panel_size;
        let mut top = 6.0;
        if !self.title.is_empty() {
            let letters = Letters { bold: true, ..Letters::new(18.0, palette::INK, "start") };
            canvas.text([12.0, top + 22.0], &self.title, letters);
            top += 32.0;
        }
        if !self.subtitle.is_empty() {
            canvas.text([12.0, top + 14.0], &self.subtitle, Letters::new(12.5, palette::SOFT, "start"));
            top += 24.0;
        }
        // Charts of a column begin at the same place.
        // A figure with few panels is as wide as they are.
        let columns = self.columns.min(self.panels.len().max(1));
        let mut indents = vec![0.0f64; columns];
        for (n, panel) in self.panels.iter().enumerate() {
            if let Panel::Chart(chart) = panel {
                let area = Area { left: 0.0, top: 0.0, right: width, bottom: height };
                indents[n % columns] = indents[n % columns].max(chart.indent(area));
            }
        }
        // Panels row by row.
        for (n, panel) in self.panels.iter().enumerate() {
            let (left, above) = ((n % columns) as f64 * width, top + (n / columns) as f64 * height);
            let area = Area { left, top: above, right: left + width, bottom: above + height };
            match panel {
                Panel::Chart(chart) => {
                    chart.draw(&mut canvas, area, indents[n % columns]);
                }
                Panel::Bars(bars) => bars.draw(&mut canvas, area),
                Panel::Heat(heat) if self.shared_bar => heat.clone().without_bar().draw(&mut canvas, area),
                Panel::Heat(heat) => heat.draw(&mut canvas, area),
                Panel::Parallel(parallel) => parallel.draw(&mut canvas, area),
            }
        }
        // One bar at the right for all maps, taken from the first of them.
        let rows = self.panels.len().div_ceil(columns).max(1);
        let (mut right, bottom) = (columns as f64 * width, top + rows as f64 * height);
        let first = self.panels.iter().find_map(|panel| if let Panel::Heat(heat) = panel { Some(heat) } else { None });
        if let Some(heat) = first.filter(|_| self.shared_bar) {
            heat.draw_bar(
                &mut canvas,
                Area { left: right, top: top + 36.0, right: right + 14.0, bottom: bottom - 46.0 },
            );
            right += BAR;
        }
        canvas.finish(right, bottom, palette::PAPER)
    }

    /// The same picture as PNG, two pixels for one of the SVG.
    ///
    /// # Errors
    /// [`PlotError::Raster`] where the picture is larger than memory allows, or without the feature `png`.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        raster::png(&self.picture(), 2.0)
    }

    /// Writes `NAME.svg` and, with the feature `png`, `NAME.png` into a folder that exists, and returns the paths.
    ///
    /// # Errors
    /// [`PlotError`] with the file that could not be written.
    pub fn write(&self, folder: &Path, name: &str) -> Result<Vec<PathBuf>, PlotError> {
        let picture = self.picture();
        let mut files = vec![("svg", picture.svg().into_bytes())];
        if raster::AVAILABLE {
            files.push(("png", raster::png(&picture, 2.0)?));
        }
        let write = |(kind, bytes): (&str, Vec<u8>)| {
            let path = folder.join(format!("{name}.{kind}"));
            match std::fs::write(&path, bytes) {
                Ok(()) => Ok(path),
                Err(source) => Err(PlotError::File { path, source }),
            }
        };
        files.into_iter().map(write).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Series};

    fn figure(title: &str) -> Figure {
        let chart = Chart::new("", Axis::linear("time", "s"), Axis::log("error", "1"));
        Figure::new(title).with(chart.with(Series::line("a < b & c", [0.0, 1.0, 2.0], [1e-3, 0.0, 1e-1])))
    }

    /// Pixels darker than grey in the rows of the title.
    #[cfg(feature = "png")]
    fn ink(figure: &Figure) -> usize {
        let png = figure.png().expect("a picture");
        let pixels = tiny_skia::Pixmap::decode_png(&png).expect("a PNG");
        let rows = pixels.width() as usize * 60;
        pixels.pixels().iter().take(rows).filter(|pixel| pixel.red() < 100).count()
    }

    #[test]
    #[cfg(feature = "png")]
    fn words_are_in_the_png_without_any_font_on_the_machine() {
        assert!(ink(&figure("Wwwwwwww")) > 1000);
        assert!(ink(&figure("Wwwwwwww")) > 2 * ink(&figure("i")));
    }

    #[test]
    fn words_do_not_break_the_svg() {
        let picture = figure("x < y & z").picture();
        let svg = picture.svg();
        assert!(svg.contains("x &lt; y &amp; z") && svg.contains("a &lt; b &amp; c"));
        assert_eq!(raster::png(&picture, 1.0).is_ok(), raster::AVAILABLE);
    }

    #[test]
    fn charts_of_a_column_begin_at_the_same_place() {
        let chart = |high: f64| {
            let series = Series::line("", [0.0, 1.0], [0.0, high]);
            Chart::new("", Axis::linear("time", "s"), Axis::linear("value", "m")).with(series)
        };
        let figure = Figure::new("").with(chart(0.02)).with(chart(20_000.0)).panel_size(400.0, 300.0);
        // The axis lines: down, and along the time.
        let svg = figure.svg();
        let corners = svg.split("d=\"M").skip(1).filter_map(|d| {
            let numbers: Vec<f64> = d.split('"').next()?.split(['L', ' ']).filter_map(|x| x.parse().ok()).collect();
            (numbers.len() == 6 && numbers[0] == numbers[2] && numbers[3] == numbers[5]).then(|| numbers[0])
        });
        let lefts: Vec<f64> = corners.collect();
        assert_eq!(lefts.len(), 2, "{svg}");
        assert_eq!(lefts[0], lefts[1]);
    }

    #[test]
    fn a_circle_is_a_circle() {
        let angle = |n: usize| n as f64 * 0.1;
        let circle = || {
            let [x, y] = [f64::cos, f64::sin].map(|f| (0..63).map(|n| f(angle(n))).collect::<Vec<f64>>());
            Chart::new("", Axis::linear("x", "m"), Axis::linear("y", "m")).with(Series::line("", x, y))
        };
        let spans = |chart: Chart| {
            let svg = Figure::new("").with(chart).panel_size(700.0, 300.0).svg();
            let longest =
                svg.split("d=\"M").skip(1).filter_map(|d| d.split('"').next()).max_by_key(|d| d.len()).expect("a line");
            let numbers: Vec<f64> = longest.split(['L', ' ']).filter_map(|x| x.parse().ok()).collect();
            [0, 1].map(|i| {
                let of = || numbers.iter().skip(i).step_by(2).copied();
                of().fold(f64::MIN, f64::max) - of().fold(f64::MAX, f64::min)
            })
        };
        let [wide, high] = spans(circle().equal());
        assert!((wide / high - 1.0).abs() < 0.01, "{wide} × {high}");
        let [wide, high] = spans(circle());
        assert!(wide / high > 1.5, "{wide} × {high}");
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let error = figure("").write(Path::new("no/such/folder"), "name").expect_err("refused");
        assert!(error.to_string().contains("no/such/folder/name.svg"), "{error}");
    }
}
