//! Block diagrams: boxes with ports, arrows between them, and a time chart of the units.
//!
//! Boxes stand in layers from left to right, sources first; arrows that run back pass below, arrows over several layers
//! above. What an arrow means is said by its dashes as well as its colour.

mod arrows;
mod blocks;
mod lanes;
mod layout;

pub use lanes::{Bar, Lane, Mark};

use crate::canvas::{Canvas, Letters, Picture};
use crate::{PlotError, palette, raster};
use layout::Layout;
use std::path::Path;

/// A box with inputs at its left and outputs at its right.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// In bold.
    pub title: String,
    /// Below it.
    pub subtitle: String,
    /// Names of inputs.
    pub inputs: Vec<String>,
    /// Names of outputs.
    pub outputs: Vec<String>,
    /// Inputs that outputs follow at once.
    pub through: Vec<(usize, usize)>,
    /// Whether it is part of an algebraic loop.
    pub looped: bool,
    /// Drawn as something the master evaluates.
    pub is_law: bool,
}

/// The meaning of an arrow for its signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Known at the end of the receiver's step.
    Known,
    /// Predicted over the receiver's step.
    Predicted,
    /// Part of an algebraic loop.
    Looped,
}

/// A signal from an output to an input.
#[derive(Debug, Clone)]
pub struct Arrow {
    /// Block and output.
    pub from: (usize, usize),
    /// Block and input.
    pub to: (usize, usize),
    /// Beside it.
    pub label: String,
    /// What it says.
    pub way: Way,
}

/// A picture of a system.
#[derive(Debug, Clone, Default)]
pub struct Diagram {
    /// In bold above.
    pub title: String,
    /// Below it.
    pub subtitle: String,
    /// The boxes.
    pub blocks: Vec<Block>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
    /// Words above the time chart.
    pub lanes_title: String,
    /// Rows of the time chart; none, none is drawn.
    pub lanes: Vec<Lane>,
    /// Length of the time chart in its own unit, and what its ends are called.
    pub span: (f64, String, String),
    /// Lines of text below.
    pub notes: Vec<String>,
}

/// Left, right and lower edge of the picture.
const MARGIN: f64 = 24.0;

impl Diagram {
    /// The picture as SVG.
    pub fn svg(&self) -> String {
        self.picture().svg()
    }

    fn picture(&self) -> Picture {
        // Where everything stands.
        let layout = Layout::new(&self.blocks, &self.arrows);
        let mut canvas = Canvas::default();
        // Title and subtitle.
        let mut top = 12.0;
        canvas.text(
            [MARGIN, top + 20.0],
            &self.title,
            Letters { bold: true, ..Letters::new(18.0, palette::INK, "start") },
        );
        top += 30.0;
        if !self.subtitle.is_empty() {
            canvas.text([MARGIN, top + 12.0], &self.subtitle, Letters::new(12.5, palette::SOFT, "start"));
            top += 22.0;
        }
        // Arrows, and boxes over them; below, what the arrows' looks mean.
        let mut width = layout.width + 2.0 * MARGIN;
        let at = |p: [f64; 2]| [p[0] + MARGIN, p[1] + top];
        arrows::draw(&mut canvas, self, &layout, at);
        blocks::draw(&mut canvas, &self.blocks, &layout, at);
        let mut bottom = top + layout.height + 8.0;
        bottom = arrows::legend(&mut canvas, self, [MARGIN, bottom + 16.0], &mut width);
        // The time chart, and notes.
        if !self.lanes.is_empty() {
            bottom = lanes::draw(&mut canvas, self, [MARGIN, bottom + 14.0], &mut width);
        }
        for note in &self.notes {
            bottom += 18.0;
            canvas.text([MARGIN, bottom], note, Letters::new(12.0, palette::SOFT, "start"));
            width = width.max(2.0 * MARGIN + crate::font::width(note, 12.0, false));
        }
        // As wide as its widest part.
        let titled = crate::font::width(&self.title, 18.0, true);
        let below = crate::font::width(&self.subtitle, 12.5, false);
        canvas.finish(width.max(titled.max(below) + 2.0 * MARGIN).ceil(), (bottom + MARGIN).ceil(), palette::PAPER)
    }

    /// Writes the picture; the file extension `.svg` or `.png` gives the format.
    ///
    /// # Errors
    /// [`PlotError`] with the file that could not be written.
    pub fn write(&self, path: &Path) -> Result<(), PlotError> {
        let picture = self.picture();
        let is_png = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
        let bytes = if is_png { raster::png(&picture, 2.0)? } else { picture.svg().into_bytes() };
        std::fs::write(path, bytes).map_err(|source| PlotError::File { path: path.to_owned(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(name: &str) -> Block {
        Block {
            title: name.to_owned(),
            inputs: vec!["u".to_owned()],
            outputs: vec!["y <".to_owned()],
            ..Block::default()
        }
    }

    fn arrow(from: usize, to: usize) -> Arrow {
        Arrow { from: (from, 0), to: (to, 0), label: String::new(), way: Way::Known }
    }

    #[test]
    fn sources_stand_left_and_loops_do_not_hang() {
        let blocks = [block("a"), block("b"), block("c")];
        let arrows = [arrow(1, 0), arrow(0, 1), arrow(0, 2), arrow(2, 2)];
        let layout = Layout::new(&blocks, &arrows);
        assert!(layout.boxes[0].left < layout.boxes[1].left);
        assert_eq!(layout.boxes[1].left, layout.boxes[2].left);
        assert_eq!(layout.is_back, [true, false, false, true]);
        let diagram = Diagram {
            blocks: blocks.to_vec(),
            arrows: arrows.to_vec(),
            title: "a & b".to_owned(),
            ..Diagram::default()
        };
        assert!(diagram.svg().contains("y &lt;") && diagram.svg().contains("a &amp; b"));
    }
}
