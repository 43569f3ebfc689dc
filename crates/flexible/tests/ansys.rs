//! Matrices in the Harwell–Boeing format with a list of equations, as ANSYS writes them. Files and frequencies of the folder `ansys` are
//! those of scipy and numpy (`make.py` there).
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_flexible::check::Conditioning;
use macrostep_flexible::import::{hb, inp};
use macrostep_flexible::{Error, Mesh, Structure};

const STIFFNESS: &str = include_str!("ansys/block.rsa");
const MASS: &str = include_str!("ansys/block.rua");
const MAPPING: &str = include_str!("ansys/block.mapping");
const FREQUENCIES: &str = include_str!("ansys/frequencies.txt");

fn mesh() -> Mesh {
    inp::read(include_str!("ansys/block.inp")).unwrap()
}

/// The elastic frequencies of the free block, and how far they are from those of numpy, relative.
fn off(structure: &Structure) -> f64 {
    let expected: Vec<f64> = FREQUENCIES.lines().map(|line| line.parse().unwrap()).collect();
    let found = Conditioning::new(structure, 12).unwrap();
    assert_eq!(found.frequencies_hz[..6], [0.0; 6]);
    let pairs = found.frequencies_hz[6..].iter().zip(&expected);
    pairs.map(|(f, e)| (f / e - 1.0).abs()).fold(0.0, f64::max)
}

/// The same numbers as ANSYS writes them: one a line, `D` in exponents, and a right-hand side behind.
fn one_a_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let counts: Vec<usize> = lines[1].split_whitespace().map(|field| field.parse().unwrap()).collect();
    let sizes: Vec<usize> = lines[2].split_whitespace().skip(1).map(|field| field.parse().unwrap()).collect();
    let part = |from: usize, count: usize| lines[4 + from..4 + from + count].join(" ");
    let pointers = part(0, counts[1]);
    let rows = part(counts[1], counts[2]);
    let values = part(counts[1] + counts[2], counts[3]);
    let (n, entries) = (sizes[0], sizes[2]);
    let mut all = format!("{:<72}{:<8}\n", "written by HBMAT", "MATRIX");
    all += &format!("{:14}{:14}{:14}{:14}{:14}\n", 2 * n + 1 + 2 * entries, n + 1, entries, entries, n);
    all += &format!("{}{:11}{n:14}{n:14}{entries:14}{:14}\n", &lines[2][..3], "", 0);
    all += "(1I14)          (1I14)          (1D25.15)           (1D25.15)           \n";
    all += "F                          1             0\n";
    for number in pointers.split_whitespace().chain(rows.split_whitespace()) {
        all += &format!("{number:>14}\n");
    }
    for value in values.split_whitespace() {
        all += &format!("{:>25}\n", value.replace('E', "D"));
    }
    (0..n).for_each(|_| all += "    0.000000000000000D+00\n");
    all
}

#[test]
fn frequencies_of_matrices_of_scipy_are_those_of_numpy() {
    let mesh = mesh();
    let found = hb::read(STIFFNESS, MASS, MAPPING, &mesh).unwrap();
    assert_eq!((found.nodes.len(), found.dofs.len()), (12, 36));
    assert!((found.mass_kg() / (7850.0 * 0.2 * 0.06 * 0.04) - 1.0).abs() < 1e-14);
    let worst = off(&found);
    println!("frequencies off by {worst:.1e}");
    assert!(worst < 1e-9, "{worst:e}");
    // Equations in any order of lines, and as ANSYS writes the numbers.
    let mut lines: Vec<&str> = MAPPING.lines().skip(1).collect();
    lines.reverse();
    let other = hb::read(&one_a_line(STIFFNESS), &one_a_line(MASS), &lines.join("\n"), &mesh).unwrap();
    let entries = |s: &Structure| -> Vec<_> { s.stiffness.triplets().chain(s.mass.triplets()).collect() };
    assert_eq!((entries(&other), &other.dofs), (entries(&found), &found.dofs));
    // Stiffness in the place of the mass.
    let found = hb::read(MASS, STIFFNESS, MAPPING, &mesh);
    assert!(matches!(found, Err(Error::NoMass { .. })), "{found:?}");
}

/// Two equations of one node; values with a scale factor in the format.
const SMALL: &str = "two rows                                                                KEY\n\
    \x20            3             1             1             1\n\
    RSA                        2             2             3             0\n\
    (3I4)           (3I4)           (1P,3E12.4)         \n\
    \x20  1   3   4\n\
    \x20  1   2   2\n\
    \x20 2.0000E+00 -1.0000E+00  2.0000E+00\n";

#[test]
fn damaged_matrices_are_refused_with_the_line() {
    let mesh = inp::read("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n").unwrap();
    let mapping = "eqn node dof\n1 1 UX\n2 2 UX\n";
    let mass = SMALL.replace("-1.0000E+00", " 0.0000E+00");
    let good = hb::read(SMALL, &mass, mapping, &mesh).unwrap();
    let mut triplets: Vec<_> = good.stiffness.triplets().collect();
    triplets.sort_by_key(|(i, j, _)| (*i, *j));
    assert_eq!(triplets, [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)]);

    let swap = |from: &str, to: &str| SMALL.replace(from, to);
    let cases = [
        (swap("RSA", "CSA"), 3, "type `CSA`"),
        (swap("RSA", "RSE"), 3, "type `RSE`"),
        (swap("RSA                        2 ", "RSA                        3 "), 3, "3 × 2"),
        (swap("     3             0", "999999             0"), 3, "999999 entries announced"),
        (swap("(1P,3E12.4)", "(binary)"), 4, "format `(binary)`"),
        (swap("(1P,3E12.4)", ""), 4, "2 formats"),
        (swap("  1   3   4", "  0   2   3"), 5, "from 0 to 3"),
        (swap("  1   3   4", "  1   4   3"), 5, "from 1 to 3"),
        (swap("  1   3   4", "  2   3   4"), 5, "from 2 to 4"),
        (swap("  1   3   4", "  1   5   4"), 5, "ascending"),
        (swap("  1   3   4", "  1   4"), 5, "2 pointers in lines 5 to 5, expected 3"),
        (swap("  1   2   2", "  1   3   2"), 6, "entry (3, 1)"),
        (swap("  1   2   2", "  1   0   2"), 6, "entry (0, 1)"),
        (swap("  1   2   2", "  1   1   2"), 6, "entry (1, 1) is listed twice"),
        (swap("  1   2   2", "  1   2   x"), 6, "found `x`"),
        (swap("-1.0000E+00", "        NaN"), 7, "finite"),
        (swap("  2.0000E+00 -1.0000E+00  2.0000E+00\n", ""), 6, "0 values"),
        (swap("  1   2   2", "  1   2   1"), 6, "other triangle"),
        ("title\n1 1 1 1\n".to_owned(), 3, "ends in its header"),
    ];
    for (text, line, words) in cases {
        let found = hb::read(&text, &mass, mapping, &mesh);
        let is_it = matches!(&found, Err(Error::Parse { line: at, what, .. }) if *at == line && what.contains(words));
        assert!(is_it, "{text}: {found:?}");
    }
    // Fields without a blank between them.
    let tight = swap("(1P,3E12.4)", "(1P,3E11.4)")
        .replace("  2.0000E+00 -1.0000E+00  2.0000E+00", " 2.0000E+00-1.0000E+00 2.0000E+00");
    let found = hb::read(&tight, &mass, mapping, &mesh).unwrap();
    assert_eq!(found.stiffness.triplets().count(), 4);
    // A list of other equations.
    let cases = [
        ("1 1 UX\n3 2 UX\n", 2, "equation 3, expected 2"),
        ("1 1 UX\n1 2 UX\n", 2, "equation 1, expected 2"),
        ("1 1 UX\n2 7 UX\n", 2, "node 7 is not in the node table"),
        ("1 1 UX\n2 2 TEMP\n", 2, "found `2 2 TEMP`"),
        ("1 1 UX\n2 2\n", 2, "expected equation, node"),
    ];
    for (mapping, line, words) in cases {
        let found = hb::read(SMALL, &mass, mapping, &mesh);
        let is_it = matches!(&found, Err(Error::Parse { line: at, what, .. }) if *at == line && what.contains(words));
        assert!(is_it, "{mapping}: {found:?}");
    }
    let found = hb::read(SMALL, &mass, "1 1 UX\n", &mesh);
    assert!(matches!(&found, Err(Error::Parse { line: 3, what, .. }) if what.contains("the list of equations has 1")));
}
