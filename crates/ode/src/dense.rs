//! The nodes at which dense output is sampled.

/// Most intervals between nodes.
pub const MAX_NODES: usize = 20;

/// Chebyshev–Lobatto node `i` of `q` (0 … q) on [0, 1]: (1 − cos(π i/q))/2, ascending, exactly 0, 1/2 and 1 where
/// these are nodes.
pub fn lobatto_node(i: usize, q: usize) -> f64 {
    match i {
        0 => 0.0,
        _ if i >= q => 1.0,
        _ if 2 * i == q => 0.5,
        // The half-angle form keeps full precision near 0.
        _ => (0.5 * std::f64::consts::PI * i as f64 / q as f64).sin().powi(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_ascend_and_are_symmetric() {
        for q in 1..=MAX_NODES {
            // Without rounding where the node is a whole or a half.
            assert_eq!((lobatto_node(0, q), lobatto_node(q, q)), (0.0, 1.0));
            assert!(q % 2 == 1 || lobatto_node(q / 2, q) == 0.5);
            for i in 0..q {
                assert!(lobatto_node(i, q) < lobatto_node(i + 1, q));
                assert!((lobatto_node(i, q) + lobatto_node(q - i, q) - 1.0).abs() < 1e-15);
            }
            let expected = 0.5 * (1.0 - (std::f64::consts::PI / q as f64).cos());
            assert!((lobatto_node(1, q) - expected).abs() < 1e-15);
        }
    }
}
