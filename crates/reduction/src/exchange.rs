//! Exchange of nodes: which nodes tell the others best.
//!
//! With rows x_i of rigid shapes (of great weight w) and of what a motion has beside them, the best linear map of the values at the nodes P to
//! all others leaves
//!
//! ```text
//! ‖X − X X_P⁺ X_P‖,   X = [w R, E]
//! ```
//!
//! With all nodes of P but one taken out of the rows, x′ = x (I − B Bᵀ) with B a basis of the rows of the others, node i takes
//! (x′_i G x′_iᵀ) / |x′_i|² from the square of what is left, G = X′ᵀ X′. The one that takes most comes in. Node after node of P is tried until
//! none is exchanged any more.
//!
//! Effective independence, where this begins, keeps T small, whatever the motion. It does not look at what the shapes leave out, and
//! which T carries from the chosen nodes to all others.
//!
//! # References
//! [Fedorov 1972] V. V. Fedorov, *Theory of Optimal Experiments*, Academic Press, 1972, chapter 3 (exchange of points).

use crate::gram_schmidt::orthonormalise;
use nalgebra::DMatrix;

/// Weight of the rigid shapes, relative to the norm of the motion.
const RIGID_WEIGHT: f64 = 30.0;
/// A node comes in where it takes more than this factor of what the one that goes took: rounding never decides.
const GAIN: f64 = 1.0 + 1e-6;
/// Rows shorter than this part of the longest are rounding of nodes that say nothing new.
const DEPENDENT: f64 = 1e-11;
/// Most rounds over all nodes.
const ROUNDS: usize = 50;

/// `nodes`, with those exchanged that others tell the motion better than: `rigid` has orthonormal columns, `motion` a row for each node. Ascending.
pub fn exchange(rigid: &DMatrix<f64>, motion: &DMatrix<f64>, mut nodes: Vec<usize>) -> Vec<usize> {
    // Rows of all nodes.
    let (count, kept) = (rigid.nrows(), rigid.ncols());
    let weight = RIGID_WEIGHT * motion.norm();
    let mut rows = (rigid * weight).resize_horizontally(kept + motion.ncols(), 0.0);
    rows.columns_mut(kept, motion.ncols()).copy_from(motion);
    let shortest = DEPENDENT * rows.row_iter().map(|row| row.norm()).fold(0.0, f64::max);
    // Node after node, until a whole round has left all where they are.
    let (mut place, mut settled) = (0, 0);
    for _ in 0..ROUNDS * nodes.len() {
        if settled == nodes.len() {
            break;
        }
        // What the others leave, and how much of it each node would take.
        let mut others = nodes.clone();
        others.remove(place);
        let basis = orthonormalise(&rows.select_rows(&others).transpose()).columns;
        let left = &rows - (&rows * &basis) * basis.transpose();
        let shared = &left * left.tr_mul(&left);
        let taken = |i: usize| {
            let square = left.row(i).norm_squared();
            if square > shortest * shortest { left.row(i).dot(&shared.row(i)) / square } else { 0.0 }
        };
        // The best one outside comes in if it takes more.
        let outside = (0..count).filter(|i| !nodes.contains(i));
        let best = outside.map(|i| (i, taken(i))).max_by(|a, b| a.1.total_cmp(&b.1));
        settled += 1;
        if let Some((node, _)) = best.filter(|(_, found)| *found > GAIN * taken(nodes[place])) {
            nodes[place] = node;
            settled = 0;
        }
        place = (place + 1) % nodes.len();
    }
    nodes.sort_unstable();
    nodes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // in a test a panic is the answer
mod tests {
    use super::*;

    /// The best of all triples of nodes, from a bad one; the rigid shape is a constant.
    #[test]
    fn nodes_are_those_that_leave_least() {
        let n = 12;
        let rigid = orthonormalise(&DMatrix::from_element(n, 1, 1.0)).columns;
        let at = |i: usize| i as f64 / (n - 1) as f64;
        let mut motion =
            DMatrix::from_fn(n, 3, |i, j| [at(i).sin(), 0.3 * (9.0 * at(i)).cos(), 0.1 * at(i).powi(5)][j]);
        motion -= &rigid * rigid.tr_mul(&motion);
        let mut rows = (&rigid * (RIGID_WEIGHT * motion.norm())).resize_horizontally(4, 0.0);
        rows.columns_mut(1, 3).copy_from(&motion);
        let left = |nodes: &[usize]| {
            let basis = orthonormalise(&rows.select_rows(nodes).transpose()).columns;
            (&rows - (&rows * &basis) * basis.transpose()).norm()
        };
        let triples = (0..n).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| [k, j, i])));
        let best = triples.min_by(|a, b| left(a).total_cmp(&left(b))).unwrap();
        assert!(left(&[8, 10, 11]) > 10.0 * left(&best));
        assert_eq!(exchange(&rigid, &motion, vec![8, 10, 11]), best);
    }
}
