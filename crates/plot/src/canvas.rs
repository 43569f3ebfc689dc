//! SVG, element by element, in pixels from the upper left corner.

use std::fmt::Write;

use super::font;

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stroke<'a> {
    pub(crate) colour: &'a str,
    pub(crate) width: f64,
    /// Lengths of dash and gap in pixels, comma-separated, or empty.
    pub(crate) dash: &'a str,
}

/// How a text is set: anchor `start`, `middle` or `end`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Letters<'a> {
    pub(crate) size: f64,
    pub(crate) colour: &'a str,
    pub(crate) anchor: &'a str,
    pub(crate) bold: bool,
    pub(crate) upright: bool,
}

/// The picture so far.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    body: String,
    clips: usize,
}

impl Area {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

impl<'a> Stroke<'a> {
    pub(crate) fn solid(colour: &'a str, width: f64) -> Self {
        Self { colour, width, dash: "" }
    }
}

impl<'a> Letters<'a> {
    pub(crate) fn new(size: f64, colour: &'a str, anchor: &'a str) -> Self {
        Self { size, colour, anchor, bold: false, upright: false }
    }
}

impl Canvas {
    /// A line through points; a point that is not finite breaks it.
    pub(crate) fn line(&mut self, points: impl IntoIterator<Item = [f64; 2]>, stroke: Stroke) {
        let mut path = String::new();
        let mut up = true;
        for [x, y] in points {
            if !(x.is_finite() && y.is_finite()) {
                up = true;
                continue;
            }
            put(&mut path, format_args!("{}{} {}", if up { 'M' } else { 'L' }, short(x), short(y)));
            up = false;
        }
        self.path(&path, stroke);
    }

    /// Outline by SVG path commands.
    pub(crate) fn path(&mut self, commands: &str, stroke: Stroke) {
        if commands.is_empty() {
            return;
        }
        let Stroke { colour, width, dash } = stroke;
        let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        put(
            &mut self.body,
            format_args!(
                "<path d=\"{commands}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
                 stroke-linejoin=\"round\"{dash}/>\n"
            ),
        );
    }

    /// Filled shape by SVG path commands; `crisp` leaves no seam between neighbours.
    pub(crate) fn fill(&mut self, commands: &str, colour: &str, crisp: bool) {
        let crisp = if crisp { " shape-rendering=\"crispEdges\"" } else { "" };
        put(&mut self.body, format_args!("<path d=\"{commands}\" fill=\"{colour}\"{crisp}/>\n"));
    }

    /// Filled rectangle.
    pub(crate) fn area(&mut self, area: Area, colour: &str) {
        let Area { left, top, right, bottom } = area;
        let [left, top, right, bottom] = [left, top, right, bottom].map(short);
        self.fill(&format!("M{left} {top}H{right}V{bottom}H{left}Z"), colour, false);
    }

    /// Disc.
    pub(crate) fn disc(&mut self, [x, y]: [f64; 2], radius: f64, colour: &str, edge: &str) {
        put(
            &mut self.body,
            format_args!(
                "<circle cx=\"{}\" cy=\"{}\" r=\"{radius}\" fill=\"{colour}\" stroke=\"{edge}\" stroke-width=\"1\"/>\n",
                short(x),
                short(y)
            ),
        );
    }

    /// Text with its base line at the point; upright text reads from bottom to top.
    pub(crate) fn text(&mut self, [x, y]: [f64; 2], text: &str, letters: Letters) {
        let Letters { size, colour, anchor, bold, upright } = letters;
        let weight = if bold { " font-weight=\"bold\"" } else { "" };
        let [x, y] = [short(x), short(y)];
        let turn = if upright { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        put(
            &mut self.body,
            format_args!(
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\" text-anchor=\"{anchor}\"{weight}{turn}>\
                 {}</text>\n",
                escape(text)
            ),
        );
    }

    /// What `draw` draws is cut off at the edges of `area`.
    pub(crate) fn clipped(&mut self, area: Area, draw: impl FnOnce(&mut Self)) {
        self.clips += 1;
        put(
            &mut self.body,
            format_args!(
                "<clipPath id=\"c{id}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n\
                 <g clip-path=\"url(#c{id})\">\n",
                short(area.left),
                short(area.top),
                short(area.width()),
                short(area.height()),
                id = self.clips
            ),
        );
        draw(self);
        self.body.push_str("</g>\n");
    }

    /// The whole picture.
    pub(crate) fn finish(self, width: f64, height: f64, paper: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>\n{}</svg>\n",
            font::FAMILY,
            self.body
        )
    }
}

/// A hundredth of a pixel is enough.
pub(crate) fn short(value: f64) -> f64 {
    let rounded = (value.clamp(-1e5, 1e5) * 100.0).round() / 100.0;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Appends to a string, which cannot fail.
pub(crate) fn put(text: &mut String, what: std::fmt::Arguments) {
    let written = text.write_fmt(what);
    debug_assert!(written.is_ok(), "writing to a string");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
