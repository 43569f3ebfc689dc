//! `--resume` continues its own rows and no others.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::make;
use crate::run::{Left, macrostep};

/// 100 steps of 0.01 s; the last checkpoint is that of step 60.
const RUN: &[&str] =
    &["simulate", "mass.fmu", "--step", "0.01", "--stop", "1", "--output-variable", "x", "--out", "out"];

fn kept(name: &str) -> PathBuf {
    let folder = make::folder(name);
    let fmu = macrostep::embedded::fmu("oscillator1_force").expect("carried");
    std::fs::write(folder.join("mass.fmu"), fmu).expect("the FMU");
    let left = macrostep(&folder, &[RUN, &["--checkpoint", "c.ck", "--checkpoint-every", "60"]].concat());
    assert_eq!(left.code, Some(0), "{left:#?}");
    folder
}

fn resume(folder: &Path) -> Left {
    macrostep(folder, &[RUN, &["--resume", "c.ck"]].concat())
}

fn rows(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("out/trace.csv")).expect("rows")
}

#[test]
fn rows_of_somebody_else_are_refused_and_stay() {
    let folder = kept("resume_foreign");
    let whole = rows(&folder);
    let left = resume(&folder);
    assert_eq!((left.code, rows(&folder) == whole), (Some(0), true), "its own rows are continued: {left:#?}");
    let another = whole.replacen("\n0.1,", "\n0.1,1", 1);
    for text in ["my,precious,data\n".repeat(2000), another, whole[..500].to_owned(), String::new()] {
        std::fs::write(folder.join("out/trace.csv"), &text).expect("written");
        let left = resume(&folder);
        assert_eq!(left.code, Some(1), "{left:#?}");
        let error = left.error();
        assert!(error.contains("out/trace.csv`: found ") && error.contains("of the run that is continued"), "{error}");
        assert_eq!(rows(&folder), text, "nothing was changed");
    }
}

#[test]
fn a_new_file_is_announced_with_the_time_it_begins_after() {
    let folder = kept("resume_new");
    std::fs::remove_file(folder.join("out/trace.csv")).expect("removed");
    let left = resume(&folder);
    assert_eq!(left.code, Some(0), "{left:#?}");
    assert!(left.stderr.contains("note: `out/trace.csv` is a new file, which begins after t = 0.6 s"), "{left:#?}");
    assert_eq!(rows(&folder).lines().count(), 41);
    assert!(rows(&folder).lines().nth(1).is_some_and(|row| row.starts_with("0.61,")));
}

#[test]
fn another_file_of_inputs_is_another_run() {
    let folder = kept("resume_inputs");
    let input = |f: &str| std::fs::write(folder.join("in.csv"), format!("time,f\n0,{f}\n")).expect("inputs");
    let driven = |more: &[&str]| macrostep(&folder, &[RUN, &["--input", "in.csv"], more].concat());
    input("1");
    assert_eq!(driven(&["--checkpoint", "c.ck", "--checkpoint-every", "60"]).code, Some(0));
    let whole = rows(&folder);
    input("2");
    let other = driven(&["--resume", "c.ck"]);
    assert_eq!((other.code, rows(&folder) == whole), (Some(1), true), "{other:#?}");
    assert!(other.error().contains("found a run with inputs `input` of "), "{other:#?}");
    input("1");
    let same = driven(&["--resume", "c.ck"]);
    assert_eq!((same.code, rows(&folder) == whole), (Some(0), true), "{same:#?}");
}

/// As the program writes it.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    run: String,
    steps: u64,
    rows: u64,
    bytes: u64,
    last_s: Option<f64>,
    digest: [u8; 32],
    units: Vec<Vec<u8>>,
    engine: Vec<u8>,
}

#[test]
fn a_forged_checkpoint_with_a_valid_digest_is_refused() {
    let folder = kept("resume_forged");
    let file = folder.join("c.ck");
    let whole = std::fs::read(&file).expect("written");
    let before = rows(&folder);
    let start = whole.iter().position(|b| *b == b'\n').expect("a first line") + 1;
    let forged = |change: &dyn Fn(&mut Checkpoint)| {
        let mut checkpoint: Checkpoint = postcard::from_bytes(&whole[start + 32..]).expect("a checkpoint");
        change(&mut checkpoint);
        let body = postcard::to_stdvec(&checkpoint).expect("bytes");
        std::fs::write(&file, [&whole[..start], Sha256::digest(&body).as_slice(), &body].concat()).expect("written");
        let left = resume(&folder);
        assert_eq!(left.code, Some(1), "{left:#?}");
        assert_eq!(rows(&folder), before, "nothing was changed");
        left.error()
    };
    let steps = forged(&|c| c.steps = u64::MAX);
    assert!(steps.contains("c.ck`: found 18446744073709551615 steps and 61 rows"), "{steps}");
    let many = forged(&|c| c.rows = 62);
    assert!(many.contains("60 steps and 62 rows"), "{many}");
    let short = forged(&|c| {
        c.bytes = 5;
        c.digest = Sha256::digest(b"time,").into();
    });
    assert!(short.contains("found other rows, expected those of the run"), "{short}");
    let other = forged(&|c| c.bytes -= 1);
    assert!(other.contains("found other rows"), "{other}");
    // A file of the version before.
    std::fs::write(&file, [b"macrostep checkpoint 2\n", &whole[start..]].concat()).expect("written");
    let older = resume(&folder).error();
    let expected = "c.ck`: found a checkpoint of another version of this program, expected one of this version";
    assert!(older.contains(expected), "{older}");
}

#[test]
fn numbers_that_are_none_are_refused() {
    let folder = make::folder("resume_nan");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/oscillator-f-s.toml");
    std::fs::copy(example, folder.join("system.toml")).expect("copied");
    let run = ["run", "system.toml", "--step", "0.01", "--stop", "1", "--no-pictures", "--out", "out"];
    let keep = ["--checkpoint", "c.ck", "--checkpoint-every", "60"];
    assert_eq!(macrostep(&folder, &[&run[..], &keep].concat()).code, Some(0));
    let file = folder.join("c.ck");
    let whole = std::fs::read(&file).expect("written");
    let start = whole.iter().position(|b| *b == b'\n').expect("a first line") + 1;
    let again = |nan: bool| {
        let mut checkpoint: Checkpoint = postcard::from_bytes(&whole[start + 32..]).expect("a checkpoint");
        // The engine knows the last row of each output that is connected; the row at t = 0.6 s has some of them.
        let rows = std::fs::read_to_string(folder.join("out/trace.csv")).expect("rows");
        let row = rows.lines().find(|row| row.starts_with("0.6,")).expect("a row");
        let values: Vec<f64> = row.split(',').skip(1).filter_map(|x| x.parse().ok()).collect();
        let is_known = |bytes: &[u8]| values.iter().any(|x| x.fract() != 0.0 && bytes == x.to_le_bytes());
        let places = checkpoint.engine.windows(8).enumerate().filter(|(_, bytes)| is_known(bytes));
        let places = places.map(|(place, _)| place);
        let places: Vec<usize> = places.collect();
        assert!(!places.is_empty(), "{row}");
        if nan {
            places.iter().for_each(|p| checkpoint.engine[*p..p + 8].copy_from_slice(&f64::NAN.to_le_bytes()));
        }
        let body = postcard::to_stdvec(&checkpoint).expect("bytes");
        std::fs::write(&file, [&whole[..start], Sha256::digest(&body).as_slice(), &body].concat()).expect("written");
        macrostep(&folder, &[&run[..], &["--resume", "c.ck"]].concat())
    };
    let left = again(true);
    assert_eq!(left.code, Some(1), "{left:#?}");
    assert_eq!(left.rows.map(|rows| rows.len()), Some(101), "nothing was taken back");
    assert_eq!(again(false).code, Some(0));
}
