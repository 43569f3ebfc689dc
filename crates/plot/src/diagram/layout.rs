//! The places of boxes: layers from left to right by the longest path of arrows that do not run back.

use super::{Arrow, Block};
use crate::canvas::Area;
use crate::font::width;

/// Height of a port's line.
pub(super) const LINE: f64 = 19.0;
/// Height of a box's title.
pub(super) const HEAD: f64 = 44.0;
/// Between boxes of a layer.
const GAP: f64 = 34.0;
/// Between parallel arrows.
pub(super) const TRACK: f64 = 11.0;

pub(super) struct Layout {
    pub boxes: Vec<Area>,
    pub is_back: Vec<bool>,
    /// Whether an arrow passes above, over layers between.
    pub is_over: Vec<bool>,
    /// Upper and lower edge of all boxes.
    pub band: (f64, f64),
    pub width: f64,
    pub height: f64,
}

impl Layout {
    pub fn new(blocks: &[Block], arrows: &[Arrow]) -> Self {
        // Which arrows run back, the layer of each box, and which arrows pass over others.
        let is_back = back(blocks.len(), arrows);
        let layer = layers(blocks.len(), arrows, &is_back);
        let is_over: Vec<bool> =
            arrows.iter().zip(&is_back).map(|(a, back)| !back && layer[a.to.0] > layer[a.from.0] + 1).collect();
        // Boxes by layer, and how tall they are together.
        let count = layer.iter().max().map_or(0, |m| m + 1);
        let sizes: Vec<(f64, f64)> = blocks.iter().map(size).collect();
        let in_layer = |l: usize| (0..blocks.len()).filter(|&b| layer[b] == l).collect::<Vec<_>>();
        let layers: Vec<Vec<usize>> = (0..count).map(in_layer).collect();
        let tall = |members: &[usize]| -> f64 {
            members.iter().map(|&b| sizes[b].1).sum::<f64>() + GAP * members.len().saturating_sub(1) as f64
        };
        let height = layers.iter().map(|m| tall(m)).fold(0.0, f64::max);
        // Room above for the arrows that pass there.
        let above = 14.0 + TRACK * is_over.iter().filter(|o| **o).count() as f64;
        // Room beside a layer for the arrows that turn there.
        let tracks = arrows.len() as f64;
        let side = 46.0 + (4.0 * tracks).min(90.0);
        // Layers from left to right, each in the middle of the height.
        let mut boxes = vec![Area { left: 0.0, top: 0.0, right: 0.0, bottom: 0.0 }; blocks.len()];
        let mut left = side;
        for members in &layers {
            let wide = members.iter().map(|&b| sizes[b].0).fold(0.0, f64::max);
            let mut top = above + (height - tall(members)) / 2.0;
            for &b in members {
                boxes[b] = Area { left, top, right: left + wide, bottom: top + sizes[b].1 };
                top += sizes[b].1 + GAP;
            }
            left += wide + side + 24.0;
        }
        // Room below for the arrows that run back.
        let below = 14.0 + TRACK * is_back.iter().filter(|b| **b).count() as f64;
        Layout {
            boxes,
            is_back,
            is_over,
            band: (above, above + height),
            width: (left - 24.0).max(side),
            height: above + height + below,
        }
    }

    /// Where an arrow enters a box, and where it leaves one.
    pub fn input(&self, (block, input): (usize, usize)) -> [f64; 2] {
        let area = self.boxes[block];
        [area.left, area.top + HEAD + LINE * (input as f64 + 0.5)]
    }

    pub fn output(&self, (block, output): (usize, usize)) -> [f64; 2] {
        let area = self.boxes[block];
        [area.right, area.top + HEAD + LINE * (output as f64 + 0.5)]
    }
}

fn size(block: &Block) -> (f64, f64) {
    let widest = |names: &[String]| names.iter().map(|n| width(n, 12.0, false)).fold(0.0, f64::max);
    let ports = widest(&block.inputs) + widest(&block.outputs) + 64.0;
    let title = width(&block.title, 13.5, true).max(width(&block.subtitle, 10.5, false)) + 24.0;
    let lines = block.inputs.len().max(block.outputs.len());
    (ports.max(title).max(110.0), HEAD + LINE * lines as f64 + 8.0)
}

/// Arrows that close a circle when boxes are visited in their order.
fn back(n: usize, arrows: &[Arrow]) -> Vec<bool> {
    // What is known of a box: not visited, on the path that is followed, or done with.
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut seen = vec![Seen::No; n];
    let mut is_back = vec![false; arrows.len()];
    // Arrows that leave each box.
    let leaving: Vec<Vec<usize>> =
        (0..n).map(|b| (0..arrows.len()).filter(|&a| arrows[a].from.0 == b).collect()).collect();
    // Depth first from each box, without recursion: a path of boxes, each with its next arrow.
    for root in 0..n {
        if seen[root] != Seen::No {
            continue;
        }
        seen[root] = Seen::Open;
        let mut path = vec![(root, 0)];
        while let Some((b, i)) = path.pop() {
            let Some(&a) = leaving[b].get(i) else {
                seen[b] = Seen::Done;
                continue;
            };
            // An arrow to a box on the path closes a circle.
            path.push((b, i + 1));
            let to = arrows[a].to.0;
            match seen[to] {
                Seen::Open => is_back[a] = true,
                Seen::No => {
                    seen[to] = Seen::Open;
                    path.push((to, 0));
                }
                Seen::Done => {}
            }
        }
    }
    is_back
}

/// Longest path from a source.
fn layers(n: usize, arrows: &[Arrow], is_back: &[bool]) -> Vec<usize> {
    let mut layer = vec![0; n];
    for _ in 0..n {
        let mut moved = false;
        for (a, _) in arrows.iter().zip(is_back).filter(|(_, back)| !**back) {
            if layer[a.to.0] < layer[a.from.0] + 1 {
                layer[a.to.0] = layer[a.from.0] + 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    layer
}
