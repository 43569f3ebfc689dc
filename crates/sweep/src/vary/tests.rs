//! Ranges, whole numbers and their parts.

use super::*;

#[test]
fn ranges_end_where_they_are_told() {
    let vary: Vary = "a.k=log:0.1:10:5".parse().expect("a range");
    let values: Vec<f64> = (0..5).filter_map(|i| number(&vary.levels.level(i))).collect();
    assert_eq!((values[0], values[4]), (0.1, 10.0));
    assert_eq!(values[2], 1.0);
    assert_eq!(vary.to_string(), "a.k=log:0.1:10.0:5");
    for (i, x) in values.iter().enumerate() {
        assert!((vary.levels.place(&digits(*x)).expect("a place") - i as f64 / 4.0).abs() < 1e-12);
    }
}

#[test]
fn decades_and_tenths_are_round() {
    let values = |text: &str| -> Vec<f64> {
        let vary: Vary = text.parse().expect("a range");
        (0..vary.levels.count().expect("a count")).filter_map(|i| number(&vary.levels.level(i))).collect()
    };
    let decades: Vec<f64> = (-6..=3).map(|n| format!("1e{n}").parse().expect("a number")).collect();
    assert_eq!(values("a.k=log:1e-6:1e3:10"), decades);
    assert_eq!(values("a.k=log:1e-6:1e3:19").into_iter().step_by(2).collect::<Vec<_>>(), decades);
    assert_eq!(values("a.k=lin:0:1:11")[3], 0.3);
    // What has no short form keeps its bits.
    assert_eq!(values("a.k=log:1:10:3")[1], 10.0_f64.powf(0.5));
}

fn whole(text: &str) -> Levels {
    let mut vary: Vary = text.parse().expect("a range");
    if let Levels::Range { is_whole, .. } = &mut vary.levels {
        *is_whole = true;
    }
    vary.levels
}

#[test]
fn whole_numbers_have_whole_levels() {
    assert!(whole("a.n=log:1:100:3").are_whole() && whole("a.n=lin:1:7:4").are_whole());
    assert_eq!(whole("a.n=log:1:100:3").level(1), Value::Integer(10));
    assert!(!whole("a.n=log:1:5:3").are_whole() && !whole("a.n=lin:1:6:3").are_whole());
    assert!(!whole("a.n=lin:0.5:6").are_whole() && whole("a.n=lin:1:6").are_whole());
}

/// The places of sampled values are spread evenly: one in n of them lies in each n-th of the range.
#[test]
fn whole_numbers_are_sampled_as_they_are_placed() {
    for text in ["a.n=log:10:1000", "a.n=log:1:100"] {
        let levels = whole(text);
        for i in 0..1000 {
            let u = (f64::from(i) + 0.5) / 1000.0;
            let (value, next) = (levels.at(u), number(&levels.at(u)).expect("a number"));
            // No further away than half of its part.
            let part = ((next + 1.0) / next).ln() / 10.0_f64.ln() / 2.0;
            let place = levels.place(&cell(&value)).expect("a place");
            assert!((place - u).abs() <= 0.5 * part + 1e-3, "{text}: {value} at {u} stands at {place}");
        }
    }
}

#[test]
fn what_is_no_range_is_refused() {
    for (text, why) in [
        ("a.k", "expected NAME="),
        ("k=1,2", "expected UNIT.VARIABLE or one of"),
        ("a.k=lin:2:1:3", "reversed"),
        ("a.k=lin:1:1:3", "empty"),
        ("a.k=log:0:1:3", "positive LOW"),
        ("a.k=lin:1:2:1", "at least 2"),
        ("a.k=lin:1:x:3", "expected LOW:HIGH"),
        ("a.k=1,nan", "finite"),
        ("a.k=", "no values"),
    ] {
        let error = text.parse::<Vary>().expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }
}
