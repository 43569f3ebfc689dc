//! Boxes.

use super::Block;
use super::layout::Layout;
use crate::canvas::{Canvas, Letters, Stroke, put, short};
use crate::palette;

/// Faces of units and of what the master evaluates.
const FACES: [&str; 2] = ["#f4f7fb", "#fdf6e9"];

pub(super) fn draw(canvas: &mut Canvas, blocks: &[Block], layout: &Layout, at: impl Fn([f64; 2]) -> [f64; 2]) {
    for (b, block) in blocks.iter().enumerate() {
        // The box: round for laws, and thick in a loop.
        let area = layout.boxes[b];
        let ([left, top], [right, bottom]) = (at([area.left, area.top]), at([area.right, area.bottom]));
        let outline = rounded([left, top], [right, bottom], if block.is_law { 14.0 } else { 5.0 });
        canvas.fill(&outline, FACES[usize::from(block.is_law)], false);
        let (colour, width) = if block.looped { (palette::line(1), 2.4) } else { (palette::INK, 1.3) };
        canvas.path(&outline, Stroke::solid(colour, width));
        // Its title, and what it is.
        let middle = (left + right) / 2.0;
        canvas.text(
            [middle, top + 18.0],
            &block.title,
            Letters { bold: true, ..Letters::new(13.5, palette::INK, "middle") },
        );
        canvas.text([middle, top + 33.0], &block.subtitle, Letters::new(10.5, palette::SOFT, "middle"));
        // Ports: inputs at the left, outputs at the right.
        for (i, name) in block.inputs.iter().enumerate() {
            let [x, y] = at(layout.input((b, i)));
            canvas.text([x + 9.0, y + 4.0], name, Letters::new(12.0, palette::INK, "start"));
        }
        for (i, name) in block.outputs.iter().enumerate() {
            let [x, y] = at(layout.output((b, i)));
            canvas.text([x - 9.0, y + 4.0], name, Letters::new(12.0, palette::INK, "end"));
        }
        // Feed-through from port to port, between their names.
        for &(input, output) in &block.through {
            let (from, to) = (at(layout.input((b, input))), at(layout.output((b, output))));
            let gap = |name: Option<&String>| name.map_or(0.0, |n| crate::font::width(n, 12.0, false) + 13.0);
            let from = [from[0] + gap(block.inputs.get(input)), from[1]];
            let to = [to[0] - gap(block.outputs.get(output)), to[1]];
            let colour = if block.looped { palette::line(1) } else { palette::SOFT };
            canvas.line([from, to], Stroke { colour, width: 1.2, dash: "2,3" });
        }
    }
}

fn rounded([left, top]: [f64; 2], [right, bottom]: [f64; 2], r: f64) -> String {
    let mut path = String::new();
    let [l, t, x, b] = [left, top, right, bottom].map(short);
    put(
        &mut path,
        format_args!(
            "M{} {t}H{}Q{x} {t} {x} {}V{}Q{x} {b} {} {b}H{}Q{l} {b} {l} {}V{}Q{l} {t} {} {t}Z",
            short(left + r),
            short(right - r),
            short(top + r),
            short(bottom - r),
            short(right - r),
            short(left + r),
            short(bottom - r),
            short(top + r),
            short(left + r)
        ),
    );
    path
}
