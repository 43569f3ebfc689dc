//! Names of dense outputs: what an output is at the nodes inside the last step.

/// The variable that has `output` at node `node`: `x_node[3]` for `x`, `tip.r_node[1,3]` for `tip.r[1]`.
pub fn node_name(output: &str, node: usize) -> String {
    match output.strip_suffix(']').and_then(|name| name.rsplit_once('[')) {
        Some((name, index)) => format!("{name}_node[{index},{node}]"),
        None => format!("{output}_node[{node}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::node_name;

    #[test]
    fn a_node_is_the_last_index() {
        let names = [("x", "x_node[3]"), ("tip.r[1]", "tip.r_node[1,3]"), ("R[1,2]", "R_node[1,2,3]")];
        assert!(names.iter().all(|(output, expected)| node_name(output, 3) == *expected));
    }
}
