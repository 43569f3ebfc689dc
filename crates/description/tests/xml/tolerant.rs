//! Faults of real files, and which of them the reader accepts.

use macrostep_description::xml::{ReadError, Reading, read, read_str, write};
use macrostep_description::{Causality, Dependencies, Initial, Kind, RealAttributes, Value, Variability, rules};

use crate::sample::sample;

/// A file with these lines inside its `ModelVariables` and these after it. The first inner line is line 5.
fn file(variables: &str, after: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\">\n\
         <CoSimulation modelIdentifier=\"m\"/>\n<ModelVariables>\n{variables}\n</ModelVariables>\n{after}\n\
         </fmiModelDescription>"
    )
}

fn reading(variables: &str, after: &str) -> Reading {
    read_str(&file(variables, after)).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(variables: &str, after: &str) -> ReadError {
    read_str(&file(variables, after)).expect_err("a refusal")
}

const X: &str = r#"<ScalarVariable name="x" valueReference="1"><Real/></ScalarVariable>"#;

#[test]
fn every_encoding_reads_the_same() {
    let text = write(&sample());
    let wide: Vec<u8> =
        "\u{feff}".chars().chain(text.chars()).collect::<String>().encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(read(&wide).map(|r| r.description), Ok(sample()));
    assert_eq!(read(format!("\u{feff}{text}").as_bytes()).map(|r| r.description), Ok(sample()));
    let windows = text.replace('\n', "\r\n");
    assert_eq!(read(windows.as_bytes()).map(|r| r.description), Ok(sample()));
}

#[test]
fn the_standards_defaults_are_filled_in() {
    let r = reading(
        "<ScalarVariable name='a' valueReference='0'><Integer/></ScalarVariable>\
         <ScalarVariable name='b' valueReference='1' causality='output'><Real start='1'/></ScalarVariable>\
         <ScalarVariable name='c' valueReference='2' causality='parameter' variability='fixed'><Boolean start='1'/></ScalarVariable>",
        "<ModelStructure/>",
    );
    let v = &r.description.variables;
    assert_eq!(
        (v[0].causality, v[0].variability, v[0].initial),
        (Causality::Local, Variability::Discrete, Some(Initial::Calculated))
    );
    assert_eq!((v[1].variability, v[1].initial), (Variability::Continuous, Some(Initial::Calculated)));
    assert_eq!((v[2].initial, &v[2].start), (Some(Initial::Exact), &Some(Value::Boolean(true))));
    assert_eq!(r.warnings.iter().map(|w| w.rule).collect::<Vec<_>>(), ["continuous"]);
}

#[test]
fn what_is_unknown_is_noted_with_its_line_and_passed_over() {
    let r = reading(
        &format!(
            "<ScalarVariable name=\"u\" valueReference=\"0\" colour=\"red\">\n<Annotations><Tool name=\"t\"/></Annotations><Real start=\" 1.5 \"/>\n</ScalarVariable>{X}"
        ),
        "<Extra><deep><deeper/></deep></Extra>\n<ModelStructure><![CDATA[ <no> &markup; ]]>\n<Outputs/></ModelStructure>",
    );
    assert_eq!(r.description.variables[0].start, Some(Value::Real(1.5)));
    let notes: Vec<(u32, &str)> = r.warnings.iter().map(|w| (w.line, w.found.as_str())).collect();
    assert_eq!(
        notes,
        [
            (5, "the attribute `colour` of `ScalarVariable`"),
            (9, "the element `Extra` in `fmiModelDescription`"),
            (10, "the text `<no> &markup;`"),
        ]
    );
    assert_eq!(r.variable_lines, [5, 7]);
}

#[test]
fn sloppy_values_are_noted_and_taken() {
    let r = reading(
        "<ScalarVariable name='a' valueReference='0'><Integer start='2.0'/></ScalarVariable>\
         <ScalarVariable name='b' valueReference='0'><Boolean start='True'/></ScalarVariable>",
        "<ModelStructure><Outputs><Unknown index='1' dependencies='1 2' dependenciesKind='fixed'/></Outputs></ModelStructure>",
    );
    assert_eq!(r.description.variables[0].start, Some(Value::Integer(2)));
    assert_eq!(r.description.variables[1].start, Some(Value::Boolean(true)));
    assert!(matches!(&r.description.structure.outputs[0].dependencies, Dependencies::Known(k) if k.len() == 2));
    assert_eq!(r.warnings.iter().filter(|w| w.rule == "form").count(), 3);
}

#[test]
fn nested_elements_of_vendors_are_their_own_affair() {
    let annotations = "<VendorAnnotations><Tool name='deep'><a b='1'>words<c><d e='2'/>more</c></a></Tool>\
         <Tool name='macrostep'><?annotation getAfterSet=\"true\" data='&lt;&#955;'?></Tool>\
         <Tool name='macrostep'><Annotation getAfterSet='true'/></Tool>\
         <Tool name='two'><a/><b/></Tool></VendorAnnotations>";
    let r = reading(X, annotations);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let kept: Vec<_> = r.description.vendor_annotations.iter().map(|a| a.attributes.clone()).collect();
    let flag = pair("getAfterSet", "true");
    assert_eq!(kept, [vec![pair("b", "1")], vec![flag.clone(), pair("data", "<λ")], vec![flag], vec![]]);
    let notes: Vec<&str> = r.warnings.iter().map(|w| w.found.as_str()).collect();
    assert_eq!(notes, ["a further element `b` of tool `two`"]);
}

#[test]
fn an_instruction_anywhere_else_is_nothing() {
    let r = reading(&format!("<?annotation a='1'?>{X}<?xml-stylesheet href='x'?>"), "<?annotation a='1'?>");
    assert_eq!((r.description.variables.len(), r.warnings.len()), (1, 0));
}

#[test]
fn names_that_are_listed_twice_count_once() {
    let text = file(X, "<LogCategories><Category name='all'/><Category name='all'/></LogCategories>").replace(
        "<CoSimulation modelIdentifier=\"m\"/>",
        "<CoSimulation modelIdentifier=\"m\"><SourceFiles><File name='a.c'/><File name='a.c'/></SourceFiles></CoSimulation>",
    );
    let r = read_str(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(r.description.co_simulation.map(|c| c.source_files), Some(vec!["a.c".to_owned()]));
    assert_eq!(r.description.log_categories.len(), 1);
    let rules: Vec<_> = r.warnings.iter().map(|w| (w.rule, w.found.as_str())).collect();
    assert_eq!(
        rules,
        [("source-files", "`a.c` again in `SourceFiles`"), ("log-categories", "`all` again in `LogCategories`")]
    );
}

#[test]
fn variables_that_cannot_have_the_default_variability_are_one_warning() {
    let integer = |n: u32| format!("<ScalarVariable name='i{n}' valueReference='{n}'><Integer/></ScalarVariable>\n");
    let r = reading(&format!("{X}\n{}{}{}", integer(0), integer(1), integer(2)), "");
    let found: Vec<_> = r.warnings.iter().map(|w| (w.rule, w.line, w.found.as_str())).collect();
    assert_eq!(found, [("continuous", 6, "variable `i0` (and 2 more), no Real, without `variability`")]);
}

/// Types, one variable of each, and what of a Real's attributes each has in the end.
const TYPES: &str = "<TypeDefinitions>\
    <SimpleType name='Pressure'><Real quantity='Pressure' unit='bar' displayUnit='kPa' relativeQuantity='true' \
    unbounded='true' min='0' max='10' nominal='2'/></SimpleType>\
    <SimpleType name='Gear'><Integer min='1' max='6'/></SimpleType>\
    <SimpleType name='Mode'><Enumeration min='1' max='2'><Item name='off' value='1'/><Item name='on' value='2'/></Enumeration></SimpleType>\
    </TypeDefinitions>";

#[test]
fn variables_take_over_what_their_types_say_and_they_do_not() {
    let of = |name: &str, element: &str| {
        format!("<ScalarVariable name='{name}' valueReference='0' variability='discrete'>{element}</ScalarVariable>")
    };
    let variables = [
        of("all", "<Real declaredType='Pressure'/>"),
        of("own", "<Real declaredType='Pressure' unit='Pa' min='1' relativeQuantity='false' unbounded='false'/>"),
        of("gear", "<Integer declaredType='Gear' max='4'/>"),
        of("mode", "<Enumeration declaredType='Mode'/>"),
        of("gone", "<Real declaredType='Gone'/>"),
        of("other", "<Real declaredType='Gear'/>"),
    ]
    .concat();
    // Before or after the variables: tools do not agree on the order.
    for text in [
        file(&variables, TYPES),
        file(&variables, "").replacen("<ModelVariables>", &format!("{TYPES}<ModelVariables>"), 1),
    ] {
        let r = read_str(&text).unwrap_or_else(|e| panic!("{e}"));
        let v = |name: &str| r.description.variable(name).unwrap_or_else(|| panic!("`{name}`"));
        let real = |name: &str| v(name).real().unwrap_or_else(|| panic!("`{name}`"));
        let all = RealAttributes {
            quantity: Some("Pressure".to_owned()),
            unit: Some("bar".to_owned()),
            display_unit: Some("kPa".to_owned()),
            relative_quantity: true,
            unbounded: true,
            min: Some(0.0),
            max: Some(10.0),
            nominal: Some(2.0),
            ..RealAttributes::default()
        };
        assert_eq!(*real("all"), all);
        // The display unit of the type is one of bar, not of Pa.
        let own = RealAttributes {
            unit: Some("Pa".to_owned()),
            display_unit: None,
            relative_quantity: false,
            unbounded: false,
            min: Some(1.0),
            ..all
        };
        assert_eq!(*real("own"), own);
        assert_eq!(v("gear").kind, Kind::Integer { min: Some(1), max: Some(4) });
        assert_eq!(v("mode").kind, Kind::Enumeration { items: Vec::new(), min: Some(1), max: Some(2) });
        assert_eq!((real("gone"), real("other")), (&RealAttributes::default(), &RealAttributes::default()));
        // Written, only what is its own stands at a variable, and reading gives the same.
        let written = write(&r.description);
        assert!(written.contains("<Real declaredType=\"Pressure\"/>"), "{written}");
        assert!(
            written.contains("unit=\"Pa\" relativeQuantity=\"false\" unbounded=\"false\" min=\"1\"/>"),
            "{written}"
        );
        assert!(written.contains("<Integer declaredType=\"Gear\" max=\"4\"/>"), "{written}");
        assert_eq!(read_str(&written).map(|again| again.description), Ok(r.description));
    }
}

#[test]
fn long_texts_and_large_numbers_are_cut_in_messages() {
    let long = "n".repeat(1 << 20);
    let twice = X.replace("\"x\"", &format!("\"{long}\""));
    assert!(refusal(&format!("{twice}{twice}"), "").to_string().len() < 300);
    let start = X.replace("<Real/>", &format!("<Real start='{long}'/>"));
    assert!(refusal(&start, "").to_string().len() < 300);
    let wide = X
        .replace("<Real/>", "<Real min='1e300' max='-1e300' start='1e-300'/>")
        .replace("\"x\"", &format!("\"{long}\""));
    for violation in rules::check(&reading(&wide, "").description) {
        let text = violation.to_string();
        assert!(text.len() < 400, "{text}");
        assert!(!text.contains("00000000"), "{text}");
    }
}

#[test]
fn entities_of_attributes_are_resolved() {
    let r = reading(
        "<ScalarVariable name='&lt;&#120;&#x3BE;&amp;&gt;' valueReference='0' description='a\tb\r\nc&#10;d'><Real/></ScalarVariable>",
        "",
    );
    assert_eq!(r.description.variables[0].name, "<xξ&>");
    assert_eq!(r.description.variables[0].description.as_deref(), Some("a b c\nd"));
}

#[test]
fn what_would_make_a_run_wrong_is_refused_with_its_line() {
    let cases = [
        (format!("{X}\n{X}"), "", 6, "variable `x` again (first in line 5)"),
        (X.replace("\"1\"", "\"4294967296\""), "", 5, "valueReference=`4294967296` in `ScalarVariable`"),
        (X.replace("\"1\"", "\"-1\""), "", 5, "valueReference=`-1` in `ScalarVariable`"),
        (X.replace("<Real/>", "<Real start=\"abc\"/>"), "", 5, "start=`abc` in `Real`"),
        (X.replace("<Real/>", "<Integer start=\"3000000000\"/>"), "", 5, "start=`3000000000` in `Integer`"),
        (X.replace("<Real/>", "<Real derivative=\"7\"/>"), "", 5, "derivative of `x` 7"),
        (X.replace("<Real/>", "<Real derivative=\"0\"/>"), "", 5, "derivative 0"),
        (X.replace("<Real/>", ""), "", 5, "variable `x` without a type"),
        (X.replace("<Real/>", "<Real/>\n<Real/>"), "", 5, "variable `x` with two types"),
        (X.replace("name", "name=\"y\" name"), "", 5, "attribute `name` of `ScalarVariable` twice"),
        (X.to_owned(), "<ModelStructure><Outputs>\n<Unknown index=\"0\"/></Outputs></ModelStructure>", 8, "index 0"),
        (
            X.to_owned(),
            "<ModelStructure><Outputs><Unknown index=\"999\"/></Outputs></ModelStructure>",
            7,
            "index of `Outputs` 999",
        ),
        (
            X.to_owned(),
            "<ModelStructure><Outputs><Unknown index=\"1\" dependencies=\"2\"/></Outputs></ModelStructure>",
            7,
            "dependency in `Outputs` 2",
        ),
        (X.to_owned(), "<DefaultExperiment stopTime=\"soon\"/>", 7, "stopTime=`soon` in `DefaultExperiment`"),
        (X.replace("name", "causality=\"inout\" name"), "", 5, "causality=`inout` in `ScalarVariable`"),
        (X.to_owned(), "<UnitDefinitions/>\n<UnitDefinitions/>", 8, "`UnitDefinitions` again (first in line 7)"),
        (X.to_owned(), "<TypeDefinitions/>\n<TypeDefinitions/>", 8, "`TypeDefinitions` again (first in line 7)"),
        (X.to_owned(), "<ModelStructure/>\n\n<ModelStructure/>", 9, "`ModelStructure` again (first in line 7)"),
    ];
    for (variables, after, line, found) in cases {
        let e = refusal(&variables, after);
        assert_eq!((e.line, e.found.as_str()), (line, found), "{e}");
    }
    let e = read_str(&file(X, "").replace("\"2.0\"", "\"3.1\"")).expect_err("another version");
    assert_eq!((e.line, e.found.as_str()), (2, "fmiVersion=`3.1`"));
}

#[test]
fn two_roots_or_none_are_refused() {
    assert!(read_str("").is_err());
    assert!(read_str("<other/>").is_err_and(|e| e.found.contains("`other`")));
    assert!(read_str(&(file(X, "") + "<fmiModelDescription/>")).is_err());
    assert!(read_str(&file(X, "").replace("</fmiModelDescription>", "")).is_err());
}
