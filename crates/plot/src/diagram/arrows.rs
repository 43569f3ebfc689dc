//! Arrows and the meaning of their style.

use super::layout::{Layout, TRACK};
use super::{Diagram, Way};
use crate::canvas::{Canvas, Letters, Stroke, put, short};
use crate::font::width;
use crate::palette;

fn stroke(way: Way) -> Stroke<'static> {
    match way {
        Way::Known => Stroke { colour: palette::line(2), width: 1.7, dash: "" },
        Way::Predicted => Stroke { colour: palette::line(0), width: 1.7, dash: "7,4" },
        Way::Looped => Stroke { colour: palette::line(1), width: 2.4, dash: "" },
    }
}

const MEANINGS: [(Way, &str); 3] = [
    (Way::Known, "known at the end of the receiver's step"),
    (Way::Predicted, "predicted over the receiver's step: the lag of one step"),
    (Way::Looped, "algebraic loop"),
];

pub(super) fn draw(canvas: &mut Canvas, d: &Diagram, layout: &Layout, at: impl Fn([f64; 2]) -> [f64; 2]) {
    // Arrows turn at different places, and each detour has a track of its own, so that few lie on each other.
    let (mut below, mut above) = (0.0, 0.0);
    for (a, arrow) in d.arrows.iter().enumerate() {
        let (from, to) = (layout.output(arrow.from), layout.input(arrow.to));
        let turn = 10.0 + (4.0 * a as f64) % 88.0;
        // Back below all boxes, over several layers above them, or straight on.
        let path: Vec<[f64; 2]> = if layout.is_back[a] {
            below += 1.0;
            let y = layout.band.1 + 2.0 + TRACK * below;
            vec![from, [from[0] + turn, from[1]], [from[0] + turn, y], [to[0] - turn, y], [to[0] - turn, to[1]], to]
        } else if layout.is_over[a] {
            above += 1.0;
            let y = layout.band.0 - 2.0 - TRACK * above;
            vec![from, [from[0] + turn, from[1]], [from[0] + turn, y], [to[0] - turn, y], [to[0] - turn, to[1]], to]
        } else {
            let middle = from[0] + turn + 6.0;
            vec![from, [middle, from[1]], [middle, to[1]], to]
        };
        // The line, its head, and what is done to the value on the way.
        let path: Vec<[f64; 2]> = path.into_iter().map(&at).collect();
        let stroke = stroke(arrow.way);
        canvas.line(path.clone(), stroke);
        let [x, y] = at(to);
        let mut head = String::new();
        let [x0, x1, up, down, mid] = [x - 9.0, x, y - 4.2, y + 4.2, y].map(short);
        put(&mut head, format_args!("M{x0} {up}L{x1} {mid}L{x0} {down}Z"));
        canvas.fill(&head, stroke.colour, false);
        if !arrow.label.is_empty() {
            canvas.text([x - 12.0, y - 5.0], &arrow.label, Letters::new(10.5, stroke.colour, "end"));
        }
    }
}

/// One line of samples for the looks in use; returns its lower edge.
pub(super) fn legend(canvas: &mut Canvas, d: &Diagram, [left, top]: [f64; 2], wide: &mut f64) -> f64 {
    let mut x = left;
    let mut item = |canvas: &mut Canvas, stroke: Stroke, words: &str| {
        canvas.line([[x, top - 4.0], [x + 30.0, top - 4.0]], stroke);
        canvas.text([x + 36.0, top], words, Letters::new(12.0, palette::INK, "start"));
        x += 60.0 + width(words, 12.0, false);
    };
    for (way, words) in MEANINGS.iter().filter(|(way, _)| d.arrows.iter().any(|a| a.way == *way)) {
        item(canvas, stroke(*way), words);
    }
    if d.blocks.iter().any(|b| !b.through.is_empty()) {
        item(canvas, Stroke { colour: palette::SOFT, width: 1.2, dash: "2,3" }, "direct feed-through");
    }
    *wide = wide.max(x);
    top + 6.0
}
