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

/// Rows that are cut while others are written one by one, before a tail is mapped, or while there is one, are missed when the file is closed: none of
/// these makes the file as long as it was.
#[test]
fn a_file_that_somebody_has_cut_does_not_close() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = &[Value::Real(1.0)];
    let cut = |path: &Path| File::options().write(true).open(path).and_then(|file| file.set_len(3)).expect("cut");
    let tail = |stream: &Stream| Tail::new(&stream.path, stream.identity, stream.bytes, 64);
    for case in ["written", "before a tail", "in a tail"] {
        let path = folder.path().join(case);
        let mut stream = Stream::create(&path, ["x"]).expect("created");
        stream.push(0.0, row).expect("a row");
        stream.push(1.0, row).expect("a row");
        match case {
            "written" => cut(&path),
            "before a tail" => {
                cut(&path);
                assert!(cfg!(not(target_os = "linux")) || tail(&stream).is_err());
            }
            // Where the system maps the tail of a file.
            _ => {
                stream.tail = tail(&stream).ok();
                stream.push(2.0, row).expect("a row");
                cut(&path);
            }
        }
        // Nothing is put into memory of which the file is gone.
        if case != "in a tail" {
            stream.push(3.0, row).expect("a row");
        }
        let error = stream.close().expect_err(case).to_string();
        let (bytes, rows) = (stream.bytes, stream.rows);
        assert!(error.contains(&format!("expected the {bytes} bytes of {rows} rows")), "{case}: {error}");
    }
    // One that nobody has cut does, with a tail too.
    let path = folder.path().join("whole");
    let mut stream = Stream::create(&path, ["x"]).expect("created");
    stream.push(0.0, row).expect("a row");
    stream.tail = tail(&stream).ok();
    stream.push(1.0, row).expect("a row");
    stream.close().expect("whole");
    assert_eq!(std::fs::read_to_string(&path).expect("text"), "time,x\n0,1\n1,1\n");
}
