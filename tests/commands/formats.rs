//! Rows in the formats of other tools hold the rows.

use std::process::{Command, Output};

fn macrostep(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).output().expect("the program starts")
}

/// Name, rows, columns and values of each matrix of a MATLAB 4 file.
fn matrices(bytes: &[u8]) -> Vec<(String, [usize; 2], Vec<u8>)> {
    let (mut rest, mut found) = (bytes, Vec::new());
    while !rest.is_empty() {
        let head: Vec<i32> =
            rest[..20].chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().expect("4 bytes"))).collect();
        let [kind, rows, columns, imaginary, length] = head[..] else { panic!("{head:?}") };
        assert_eq!(imaginary, 0);
        let each = match kind {
            0 => 8,
            20 => 4,
            51 => 1,
            other => panic!("kind {other}"),
        };
        let [rows, columns, length] = [rows, columns, length].map(|n| usize::try_from(n).expect("a number"));
        let name = std::str::from_utf8(&rest[20..20 + length - 1]).expect("UTF-8").to_owned();
        let values = &rest[20 + length..20 + length + each * rows * columns];
        found.push((name, [rows, columns], values.to_vec()));
        rest = &rest[20 + length + values.len()..];
    }
    found
}

#[test]
fn a_matlab_4_file_holds_the_bits_of_the_rows() {
    let folder = crate::common::folder(module_path!());
    let [out, mat] = ["run", "pair.mat"].map(|n| folder.join(n).to_str().expect("UTF-8").to_owned());
    let run = macrostep(&["run", "case-1", "--stop", "0.5", "--out", &out, "--mat", &mat, "--no-pictures"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let found = matrices(&std::fs::read(&mat).expect("a file"));
    let names: Vec<&str> = found.iter().map(|(name, _, _)| name.as_str()).collect();
    assert_eq!(names, ["Aclass", "name", "description", "dataInfo", "data_1", "data_2"]);

    // Every value of every row, to the bit.
    let trace = std::fs::read_to_string(folder.join("run/trace.csv")).expect("rows");
    let head: Vec<&str> = trace.lines().next().expect("a head").split(',').map(|n| n.trim_matches('"')).collect();
    let rows: Vec<f64> =
        trace.lines().skip(1).flat_map(|l| l.split(',').map(|x| x.parse::<f64>().expect("a number"))).collect();
    let (_, shape, values) = &found[5];
    assert_eq!(*shape, [head.len(), 501]);
    let values: Vec<f64> = values.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("8 bytes"))).collect();
    assert!(values.iter().zip(&rows).all(|(a, b)| a.to_bits() == b.to_bits()));

    // Names and units.
    let texts = |(_, [length, _], letters): &(String, [usize; 2], Vec<u8>)| -> Vec<String> {
        let text = |c: &[u8]| String::from_utf8_lossy(c).trim_end_matches('\0').to_owned();
        letters.chunks_exact(*length).map(text).collect()
    };
    assert_eq!(texts(&found[1]), head);
    let at = head.iter().position(|n| *n == "mass1.v").expect("a velocity");
    assert_eq!(texts(&found[2])[at], "[m/s]");

    // Units are beside the rows too, for every column in its order, and `recover` has them from there.
    let units = std::fs::read_to_string(folder.join("run/trace.units.csv")).expect("units");
    let names: Vec<&str> = units.lines().skip(1).filter_map(|line| Some(line.split_once(',')?.0)).collect();
    assert_eq!((units.lines().next(), names), (Some("variable,unit"), head));
    assert!(units.lines().any(|line| line == "mass1.v,m/s"), "{units}");
    let again = folder.join("again.mat");
    let recovered = macrostep(&["recover", &format!("{out}/trace.csv"), "--mat", again.to_str().expect("UTF-8")]);
    assert!(recovered.status.success(), "{}", String::from_utf8_lossy(&recovered.stderr));
    assert!(std::fs::read(again).expect("a file") == std::fs::read(&mat).expect("a file"));
}

#[test]
fn a_format_needs_rows_in_a_file_and_never_overwrites_them() {
    let refused = macrostep(&["run", "case-1", "--mat", "x.mat"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("`--mat` needs `--out`"), "{said}");
    let folder = crate::common::folder(module_path!()).join("same");
    let [out, trace] = ["", "trace.csv"].map(|n| folder.join(n).to_str().expect("UTF-8").to_owned());
    let refused = macrostep(&["run", "case-1", "--stop", "0.1", "--out", &out, "--mat", &trace]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("--mat"), "{said}");
}
