//! Variables of FMI 3.0 that are arrays: their elements, start values and other names.

use super::three::file;
use macrostep_description::xml::Reading;
use macrostep_description::{Causality, Fmi3, Value};

/// A file with these variables.
fn of(variables: &str) -> Result<Reading, String> {
    file(["", variables, ""])
}

/// What is wrong with them.
fn refused(variables: &str) -> String {
    match of(variables) {
        Ok(_) => panic!("not refused: {variables}"),
        Err(message) => message,
    }
}

fn places(reading: &Reading) -> &Fmi3 {
    reading.description.fmi3.as_ref().expect("FMI 3.0")
}

fn starts(reading: &Reading) -> Vec<Option<&Value>> {
    reading.description.variables.iter().map(|v| v.start.as_ref()).collect()
}

const LENGTH: &str =
    r#"<UInt64 name="n" valueReference="10" causality="structuralParameter" variability="fixed" start="2"/>"#;

/// Row by row, each with its start value, a place in the array, and a reference that nobody else has.
#[test]
fn elements_are_named_row_by_row() {
    let array = r#"<Float64 name="A" valueReference="5" causality="parameter" start="1 2 3 4 5 6">
<Dimension valueReference="10"/><Dimension start="3"/></Float64>
<Float64 name="s" valueReference="4294967294"/>"#;
    let reading = of(&format!("{LENGTH}{array}")).expect("legal");
    let variables = &reading.description.variables;
    let names: Vec<&str> = variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["n", "A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]", "s"]);
    for (n, v) in (1..).zip(&variables[1..7]) {
        assert_eq!(v.start, Some(Value::Real(f64::from(n))), "{}", v.name);
    }
    // References from above, but for the one that is taken.
    let references: Vec<u32> = variables[1..7].iter().map(|v| v.value_reference).collect();
    let top = u32::MAX;
    assert_eq!(references, [top, top - 2, top - 3, top - 4, top - 5, top - 6]);
    let places = &places(&reading).places;
    let found: Vec<_> = places.iter().map(|p| (p.reference, p.element, p.count)).collect();
    let elements = (0..6).map(|n| (5, n, Some(6)));
    assert_eq!(found, [(10, 0, None)].into_iter().chain(elements).chain([(top - 1, 0, None)]).collect::<Vec<_>>());
    // The number of rows is no usual parameter.
    let flags = |p: &macrostep_description::Place| [p.is_structural, p.is_dimension, p.is_alias, p.is_wide];
    assert_eq!(flags(&places[0]), [true, true, false, false]);
    assert_eq!(flags(&places[1]), [false; 4]);
    assert!(reading.warnings.is_empty(), "{:?}", reading.warnings);
}

/// One start value is that of all elements; any other number of them is refused.
#[test]
fn start_values_are_one_for_each_element_or_one_for_all() {
    let array = |list: &str| {
        format!(
            r#"<Float64 name="a" valueReference="1" causality="parameter" start="{list}"><Dimension start="3"/></Float64>"#
        )
    };
    let reading = of(&array("7")).expect("legal");
    assert_eq!(starts(&reading), [Some(&Value::Real(7.0)); 3]);
    for list in ["1 2", "1 2 3 4"] {
        let message = refused(&array(list));
        assert!(message.contains("start values of `a`") && message.contains("3, one for each element"), "{message}");
    }
}

/// Start values are read by their type, and those that no 32 bits hold are left out.
#[test]
fn start_values_have_their_types() {
    let one = |element: &str, attribute: &str| {
        format!(r#"<{element} name="v" valueReference="1" causality="parameter" variability="fixed" {attribute}"#)
    };
    for (element, text, expected) in [
        ("Boolean", "true", Value::Boolean(true)),
        ("Boolean", "1", Value::Boolean(true)),
        ("Boolean", "false", Value::Boolean(false)),
        ("Boolean", "0", Value::Boolean(false)),
        ("Int64", "-2147483648", Value::Integer(i32::MIN)),
        ("Float32", "1.5", Value::Real(1.5)),
    ] {
        let reading = of(&one(element, &format!(r#"start="{text}"/>"#))).expect("legal");
        assert_eq!((starts(&reading), places(&reading).places[0].is_wide), (vec![Some(&expected)], false), "{text}");
    }
    for (element, text, expected) in
        [("String", "a b", "a b"), ("Binary", "0A fF", "0aff"), ("Binary", "", ""), ("String", "", "")]
    {
        let reading = of(&one(element, &format!(r#"><Start value="{text}"/></{element}>"#))).expect("legal");
        assert_eq!(starts(&reading), [Some(&Value::String(expected.to_owned()))], "{text}");
    }
    let wide = of(&one("Int64", r#"start="5000000000"/>"#)).expect("legal");
    assert_eq!((starts(&wide), places(&wide).places[0].is_wide), (vec![None], true));
    for (element, text) in [("Boolean", "yes"), ("Float64", "much"), ("Int32", "1.5")] {
        let message = refused(&one(element, &format!(r#"start="{text}"/>"#)));
        assert!(message.contains(text) && message.contains(element), "{message}");
    }
    for text in ["0A1", "0G"] {
        let message = refused(&one("Binary", &format!(r#"><Start value="{text}"/></Binary>"#)));
        assert!(message.contains(text) && message.contains("Binary"), "{message}");
    }
}

/// Another name of an array is one of each element, without a start value and with a unit to be shown in.
#[test]
fn other_names_are_those_of_elements() {
    let reading =
        of(r#"<Float64 name="a" valueReference="1" causality="output" variability="discrete" unit="m" displayUnit="m">
<Dimension start="2"/><Alias name="b" description="the other" displayUnit="mm"/></Float64>"#)
        .expect("legal");
    let variables = &reading.description.variables;
    let names: Vec<&str> = variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["a[1]", "a[2]", "b[1]", "b[2]"]);
    let other = &variables[3];
    assert_eq!(
        (other.causality, &other.start, other.description.as_deref()),
        (Causality::Local, &None, Some("the other"))
    );
    assert_eq!(other.value_reference, variables[1].value_reference);
    let shown = |n: usize| variables[n].real().and_then(|a| a.display_unit.as_deref());
    assert_eq!([shown(1), shown(3)], [Some("m"), Some("mm")]);
    let aliases: Vec<bool> = places(&reading).places.iter().map(|p| p.is_alias).collect();
    assert_eq!((aliases, places(&reading).places[3].element), (vec![false, false, true, true], 1));
}

/// A derivative has as many elements as its state.
#[test]
fn derivatives_are_those_of_elements() {
    let pair = |length: usize, state: u32| {
        format!(
            r#"<Float64 name="x" valueReference="1"><Dimension start="2"/></Float64>
<Float64 name="v" valueReference="2" derivative="{state}"><Dimension start="{length}"/></Float64>"#
        )
    };
    let derivatives = |reading: &Reading| -> Vec<Option<usize>> {
        reading.description.variables.iter().map(|v| v.real().and_then(|a| a.derivative)).collect()
    };
    let reading = of(&pair(2, 1)).expect("legal");
    assert_eq!((derivatives(&reading), reading.warnings.len()), (vec![None, None, Some(0), Some(1)], 0));
    let reading = of(&pair(3, 1)).expect("read");
    assert_eq!((derivatives(&reading), reading.warnings.len()), (vec![None; 5], 1));
    let message = refused(&pair(2, 9));
    assert!(message.contains("value reference 9") && message.contains("`v`"), "{message}");
}

/// Lengths are numbers, or structural parameters with a start value that are no arrays.
#[test]
fn lengths_are_numbers_or_structural_parameters() {
    let array = r#"<Float64 name="a" valueReference="1"><Dimension valueReference="10"/></Float64>"#;
    let constant =
        LENGTH.replace(r#"causality="structuralParameter" variability="fixed""#, r#"variability="constant""#);
    for length in [LENGTH, &constant] {
        assert_eq!(of(&format!("{length}{array}")).expect("legal").description.variables.len(), 3, "{length}");
    }
    let wrong = [
        LENGTH.replace("UInt64", "UInt32"),
        LENGTH.replace("structuralParameter", "parameter"),
        LENGTH.replace(r#"start="2"/>"#, r#"start="2"><Dimension start="1"/></UInt64>"#),
        LENGTH.replace(r#" start="2""#, ""),
        String::new(),
    ];
    for length in wrong {
        let message = refused(&format!("{length}{array}"));
        assert!(
            message.contains("`a` by value reference 10") || message.contains("without a start value"),
            "{message}"
        );
    }
    for attributes in ["", r#"start="1" valueReference="10""#] {
        let message =
            refused(&format!(r#"{LENGTH}<Float64 name="a" valueReference="1"><Dimension {attributes}/></Float64>"#));
        assert!(message.contains("both or none"), "{message}");
    }
    let deep = |n: usize| {
        format!(r#"<Float64 name="a" valueReference="1">{}</Float64>"#, r#"<Dimension start="1"/>"#.repeat(n))
    };
    assert!(of(&deep(8)).is_ok() && refused(&deep(9)).contains("more than 8 dimensions"));
}

/// All elements together are bounded, with their other names, and so are their texts.
#[test]
fn arrays_are_bounded() {
    let array = |reference: u32, length: u64, [attributes, inside]: [&str; 2]| {
        format!(
            r#"<Float64 name="a{reference}" valueReference="{reference}" {attributes}><Dimension start="{length}"/>{inside}</Float64>"#
        )
    };
    let plain = ["", ""];
    let two = |first, second| format!("{}{}", array(1, first, plain), array(2, second, plain));
    assert_eq!(of(&two(60_000, 40_000)).expect("legal").description.variables.len(), 100_000);
    let alias = ["", r#"<Alias name="b"/>"#];
    assert_eq!(of(&array(1, 50_000, alias)).expect("legal").description.variables.len(), 100_000);
    // What each element has a copy of: 700 bytes of 100 000 elements are more than 64 MiB, 300 twice are not.
    let long = "x".repeat(700);
    let half = "x".repeat(300);
    let texts = |text: &str| {
        let (description, unit) = (format!(r#"description="{text}""#), format!(r#"unit="{text}""#));
        let alias = format!(r#"<Alias name="b" description="{text}"/>"#);
        [array(1, 50_000, [&description, &alias]), array(1, 100_000, [&unit, ""])]
    };
    for variables in texts(&half) {
        assert!(of(&variables).is_ok());
    }
    let too_many = [two(60_000, 40_001), array(1, 50_001, alias), two(u64::MAX, 2), array(1, u64::MAX / 2 + 2, alias)];
    for variables in too_many.into_iter().chain(texts(&long)) {
        let message = refused(&variables);
        assert!(message.contains("more than 100000 elements"), "{message}");
    }
}
