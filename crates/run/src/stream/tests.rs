//! Rows in the file at once.

use super::*;

#[test]
fn every_row_is_in_the_file_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deep/result.csv");
    let mut stream = Stream::create(&path, ["x", "a,b"]).expect("created");
    stream.push(0.0, &[Value::Real(1.0 / 3.0), Value::String("say \"no\"".to_owned())]).expect("a row");
    let read = || std::fs::read_to_string(&path).expect("text");
    assert_eq!(read(), "time,x,\"a,b\"\n0,0.3333333333333333,\"say \"\"no\"\"\"\n");
    stream.push(1e-7, &[Value::Boolean(true), Value::Integer(-4)]).expect("a row");
    assert!(read().ends_with("1e-7,1,-4\n"));
    assert_eq!((stream.rows, stream.last_s), (2, Some(1e-7)));
}

/// What a failed run says of its rows is what is in the file.
#[test]
fn rows_that_somebody_has_cut_are_not_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trace.csv");
    let mut stream = Stream::create(&path, ["x"]).expect("created");
    for k in 0..10 {
        stream.push(f64::from(k), &[Value::Real(1.0)]).expect("a row");
    }
    assert!(stream.kept().starts_with("; 10 rows up to t = 9 s are in"), "{}", stream.kept());
    File::options().write(true).open(&path).and_then(|file| file.set_len(20)).expect("cut");
    assert!(stream.kept().contains("found 20 bytes, expected the"), "{}", stream.kept());
}
