//! `macrostep recover` removes a part of one row at most, and keeps it.

use crate::make;
use crate::run::macrostep;

#[test]
fn a_file_that_is_no_rows_stays_as_it_is() {
    let folder = make::folder("recover_none");
    for text in [
        "She said \"hi\nline2\nline3\n",
        "no line end, and no time",
        "time,\"a\n0,1\n1,2\n2,3\n",
        "time,x\n0,1\n1,\"2\n2,3\n3,4\n",
        "time,x\n0,1\nbehind the rows",
        "",
    ] {
        std::fs::write(folder.join("file.csv"), text).expect("written");
        let left = macrostep(&folder, &["recover", "file.csv"]);
        assert_eq!(left.code, Some(1), "{text:?}: {left:#?}");
        assert!(left.error().contains("`file.csv`, line "), "{left:#?}");
        assert_eq!(std::fs::read_to_string(folder.join("file.csv")).expect("there"), text);
        assert!(!folder.join("file.csv.cut").exists());
    }
}

#[test]
fn what_is_cut_is_kept() {
    let folder = make::folder("recover_cut");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("there");
    std::fs::write(folder.join("file.csv"), "time,x\n0,1\n0.5,2\n1,").expect("written");
    let left = macrostep(&folder, &["recover", "file.csv"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    let said = "`file.csv`: 2 rows up to t = 0.5 s; 2 bytes of a broken row moved to `file.csv.cut`\n";
    assert_eq!(left.stdout, said);
    assert_eq!((read("file.csv").as_str(), read("file.csv.cut").as_str()), ("time,x\n0,1\n0.5,2\n", "1,"));
    // What was cut before stays, too.
    std::fs::write(folder.join("file.csv"), "time,x\n0,1\n0.").expect("written");
    let left = macrostep(&folder, &["recover", "file.csv", "--json"]);
    assert!(left.stdout.contains("\"removed_to\":\"file.csv.cut\""), "{left:#?}");
    assert_eq!((read("file.csv").as_str(), read("file.csv.cut").as_str()), ("time,x\n0,1\n", "1,0."));
}

/// A program that was killed leaves room for rows: zeros, which nobody misses.
#[test]
fn room_behind_the_rows_is_cut_and_kept_nowhere() {
    let folder = make::folder("recover_room");
    for (rest, kept) in [("", None), ("1,", Some("1,"))] {
        std::fs::write(folder.join("file.csv"), format!("time,x\n0,1\n0.5,2\n{rest}{}", "\0".repeat(70_000)))
            .expect("written");
        let left = macrostep(&folder, &["recover", "file.csv", "--json"]);
        assert_eq!(left.code, Some(0), "{left:#?}");
        let said: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
        assert_eq!((&said["rows"], &said["removed_bytes"]), (&2.into(), &rest.len().into()), "{said}");
        assert_eq!(std::fs::read_to_string(folder.join("file.csv")).expect("a file"), "time,x\n0,1\n0.5,2\n");
        assert_eq!(std::fs::read_to_string(folder.join("file.csv.cut")).ok().as_deref(), kept);
    }
}
