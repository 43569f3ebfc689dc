//! A drawing, element by element, in pixels from the upper left corner, and its text as SVG.

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

/// One thing that was drawn.
#[derive(Debug)]
pub(crate) enum Element {
    /// Outline by SVG path commands.
    Path { commands: String, colour: String, width: f64, dash: String },
    /// Filled shape by SVG path commands; `crisp` leaves no seam between neighbours.
    Fill { commands: String, colour: String, crisp: bool },
    /// Disc with an edge of one pixel.
    Disc { centre: [f64; 2], radius: f64, colour: String, edge: String },
    /// Text with its base line at the point.
    Text { at: [f64; 2], text: String, size: f64, colour: String, anchor: String, bold: bool, upright: bool },
    /// Up to the next [`Element::Unclip`], what lies outside is cut off.
    Clip(Area),
    /// Nothing is cut off any more.
    Unclip,
}

/// The picture so far.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    elements: Vec<Element>,
}

/// A finished picture.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Colour of the ground.
    pub(crate) paper: &'static str,
    pub(crate) elements: Vec<Element>,
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
        let [commands, colour, dash] = [commands, colour, dash].map(str::to_owned);
        self.elements.push(Element::Path { commands, colour, width, dash });
    }

    /// Filled shape by SVG path commands; `crisp` leaves no seam between neighbours.
    pub(crate) fn fill(&mut self, commands: &str, colour: &str, crisp: bool) {
        let [commands, colour] = [commands, colour].map(str::to_owned);
        self.elements.push(Element::Fill { commands, colour, crisp });
    }

    /// Filled rectangle.
    pub(crate) fn area(&mut self, area: Area, colour: &str) {
        let Area { left, top, right, bottom } = area;
        let [left, top, right, bottom] = [left, top, right, bottom].map(short);
        self.fill(&format!("M{left} {top}H{right}V{bottom}H{left}Z"), colour, false);
    }

    /// Disc.
    pub(crate) fn disc(&mut self, centre: [f64; 2], radius: f64, colour: &str, edge: &str) {
        let [colour, edge] = [colour, edge].map(str::to_owned);
        self.elements.push(Element::Disc { centre: centre.map(short), radius, colour, edge });
    }

    /// Text with its base line at the point; upright text reads from bottom to top.
    pub(crate) fn text(&mut self, at: [f64; 2], text: &str, letters: Letters) {
        let Letters { size, colour, anchor, bold, upright } = letters;
        let [text, colour, anchor] = [text, colour, anchor].map(str::to_owned);
        self.elements.push(Element::Text { at: at.map(short), text, size, colour, anchor, bold, upright });
    }

    /// What `draw` draws is cut off at the edges of `area`.
    pub(crate) fn clipped(&mut self, area: Area, draw: impl FnOnce(&mut Self)) {
        self.elements.push(Element::Clip(area));
        draw(self);
        self.elements.push(Element::Unclip);
    }

    /// The whole picture.
    pub(crate) fn finish(self, width: f64, height: f64, paper: &'static str) -> Picture {
        Picture { width, height, paper, elements: self.elements }
    }
}

impl Picture {
    /// The picture as SVG.
    pub(crate) fn svg(&self) -> String {
        let Self { width, height, paper, elements } = self;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>\n",
            font::FAMILY
        );
        for (place, element) in elements.iter().enumerate() {
            element.write(&mut svg, place);
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl Element {
    /// Writes itself as SVG; `place` makes the name of a clip path.
    fn write(&self, svg: &mut String, place: usize) {
        // Each element as one line of SVG; clips enclose what follows them.
        match self {
            Self::Path { commands, colour, width, dash } => {
                let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
                let head = format_args!("<path d=\"{commands}\" fill=\"none\" stroke=\"{colour}\"");
                put(svg, format_args!("{head} stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}/>\n"));
            }
            Self::Fill { commands, colour, crisp } => {
                let crisp = if *crisp { " shape-rendering=\"crispEdges\"" } else { "" };
                put(svg, format_args!("<path d=\"{commands}\" fill=\"{colour}\"{crisp}/>\n"));
            }
            // Marks and texts.
            Self::Disc { centre: [x, y], radius, colour, edge } => {
                let disc = format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{colour}\"");
                put(svg, format_args!("{disc} stroke=\"{edge}\" stroke-width=\"1\"/>\n"));
            }
            Self::Text { at: [x, y], text, size, colour, anchor, bold, upright } => {
                let weight = if *bold { " font-weight=\"bold\"" } else { "" };
                let turn = if *upright { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
                let head = format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\"");
                put(svg, format_args!("{head} text-anchor=\"{anchor}\"{weight}{turn}>{}</text>\n", escape(text)));
            }
            // A clip path has a name of its own in the picture.
            Self::Clip(area) => {
                let [left, top] = [area.left, area.top].map(short);
                let [width, height] = [area.width(), area.height()].map(short);
                let rect = format_args!("<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>");
                put(
                    svg,
                    format_args!("<clipPath id=\"c{place}\">{rect}</clipPath>\n<g clip-path=\"url(#c{place})\">\n"),
                );
            }
            Self::Unclip => svg.push_str("</g>\n"),
        }
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
