//! Values with a unit of their own, in SSP and TOML.

use super::ssp::{description, finals, run, stepped, values, write};
use crate::make;
use crate::run::macrostep;

/// A value in another unit than the variable's keeps it on every way that a scenario goes.
#[test]
fn a_value_in_another_unit_keeps_it() {
    let folder = make::folder("foreign-ssp-unit");
    let units = "<Unit name=\"mm\"><BaseUnit m=\"1\" factor=\"0.001\"/></Unit><Unit name=\"m\">";
    let xml =
        make::XML.replace("<Unit name=\"m\">", units).replace("<Real start=\"1\"/>", "<Real start=\"1\" unit=\"m\"/>");
    std::fs::write(folder.join("a.fmu"), make::fmu(&xml, &[])).expect("written");
    let given = values(&[("u", "2500")]).replace("\"2500\"", "\"2500\" unit=\"mm\"");
    let part = format!("<ssd:Component name=\"a\" source=\"a.fmu\">{given}</ssd:Component>");
    write(&folder, "s.ssd", &description(&format!("<ssd:Elements>{part}</ssd:Elements>{}", stepped("0.1"))));
    let with_u = |file: &str| {
        let left = macrostep(&folder, &["run", file, "--json", "--record", "a.u"]);
        finals(&left)["a.u"].as_f64().expect("a number")
    };
    assert_eq!(with_u("s.ssd"), 2.5);
    // What a run leaves, and what is converted there and back; a whole number in TOML is a real one.
    assert_eq!(macrostep(&folder, &["run", "s.ssd", "--out", "out", "--no-pictures"]).code, Some(0));
    assert_eq!(macrostep(&folder, &["convert", "s.ssd", "c.toml"]).code, Some(0));
    let text = std::fs::read_to_string(folder.join("c.toml")).expect("a scenario");
    assert!(text.contains("u = { value = 2500.0, unit = \"mm\" }"), "{text}");
    write(&folder, "w.toml", &text.replace("2500.0", "2500"));
    assert_eq!(macrostep(&folder, &["convert", "w.toml", "d.ssd"]).code, Some(0));
    for file in ["out/scenario.toml", "c.toml", "w.toml", "d.ssd"] {
        assert_eq!(with_u(file), 2.5, "{file}");
    }
    // What nobody declares or decorates is a warning with what was assumed; what contradicts is refused.
    let assumed = [
        (
            "parsec",
            2500.0,
            "nobody declares `parsec`: the number is taken in `m`; `--set \"a.u=NUMBER\"` gives a number in `m`",
        ),
        ("[m]", 2500.0, "`a.u` = 2500.0 in `[m]`: `[m]` is taken as `m`"),
        ("( m )", 2500.0, "`( m )` is taken as `m`"),
        ("-", 2500.0, "`-` is no unit: the number is taken in `m`"),
        ("1", 2500.0, "`1` is no unit: the number is taken in `m`"),
        ("[mm]", 2.5, "`[mm]` is taken as `mm`, and converted to `m`"),
    ];
    for (unit, expected, says) in assumed {
        write(&folder, "e.toml", &text.replace("\"mm\"", &format!("\"{unit}\"")));
        let left = run(&folder, "e.toml");
        assert!(left.stderr.contains("warning: e.toml") && left.stderr.contains(says), "{left:#?}");
        assert_eq!(with_u("e.toml"), expected, "{unit}");
        // A number alone overrides the unit, too.
        let left = macrostep(&folder, &["run", "e.toml", "--json", "--record", "a.u", "--set", "a.u=3"]);
        assert!(finals(&left)["a.u"] == 3.0 && !left.stderr.contains("taken"), "{left:#?}");
    }
    for (unit, is_refused) in [("K", true), ("[s]", true), ("m", false)] {
        write(&folder, "e.toml", &text.replace("\"mm\"", &format!("\"{unit}\"")));
        let left = run(&folder, "e.toml");
        let says = format!("expected a value in `m`; it is given in `{unit}`, which is another quantity");
        assert!(left.stderr.contains(&says) == is_refused && (left.code == Some(0)) != is_refused, "{left:#?}");
    }
}

/// A signal through a connector of a system in another unit: the same number as without it, or an error, where units and transformations
/// alternate.
#[test]
fn a_connector_between_systems_has_a_unit_of_its_own() {
    let folder = make::folder("foreign-ssp-between");
    let xml = make::XML.replace("<Real start=\"1\"/>", "<Real start=\"1\" unit=\"m\"/>");
    std::fs::write(folder.join("a.fmu"), make::fmu(&xml, &[])).expect("written");
    let (half, suppressed) = ("<ssc:LinearTransformation factor=\"0.5\"/>", " suppressUnitConversion=\"true\"");
    // The unit of the connector between, both connections, and the part of it that arrives, or what is said.
    let cases = [
        ("", ["", ""], ["", ""], Ok(1.0)),
        ("mm", ["", ""], ["", ""], Ok(1.0)),
        ("m", [half, half], ["", ""], Ok(0.25)),
        ("mm", ["", half], ["", ""], Ok(0.5)),
        ("mm", [half, ""], ["", ""], Err("from `mm` to `m` at `sub/p.u`, behind a transformation")),
        ("mm", ["", ""], [suppressed, ""], Err("from `mm` to `m` at `sub/p.u`, beside a part with")),
        ("mm", ["", ""], ["", suppressed], Err("from `m` to `mm` at `sub.in`, beside a part with")),
        ("mm", ["", ""], [suppressed, suppressed], Ok(1.0)),
    ];
    for (unit, then, how, expected) in cases {
        let connector = |name: &str, kind: &str, unit: &str| {
            let unit = if unit.is_empty() { String::new() } else { format!(" unit=\"{unit}\"") };
            format!("<ssd:Connector name=\"{name}\" kind=\"{kind}\"><ssc:Real{unit}/></ssd:Connector>")
        };
        let component = |name: &str| {
            let own = [connector("u", "input", "m"), connector("x", "output", "m")].concat();
            format!(
                "<ssd:Component name=\"{name}\" source=\"a.fmu\"><ssd:Connectors>{own}</ssd:Connectors></ssd:Component>"
            )
        };
        let (inner, outer) = (component("p"), component("q"));
        let between = connector("in", "input", unit);
        let text = format!(
            "<ssd:Elements>{outer}<ssd:System name=\"sub\"><ssd:Connectors>{between}</ssd:Connectors><ssd:Elements>{inner}</ssd:Elements>\
             <ssd:Connections><ssd:Connection startConnector=\"in\" endElement=\"p\" endConnector=\"u\"{}>{}</ssd:Connection></ssd:Connections>\
             </ssd:System></ssd:Elements><ssd:Connections><ssd:Connection startElement=\"q\" startConnector=\"x\" endElement=\"sub\" \
             endConnector=\"in\"{}>{}</ssd:Connection></ssd:Connections>{}",
            how[1],
            then[1],
            how[0],
            then[0],
            stepped("0.1")
        );
        write(&folder, "s.ssd", &description(&text));
        let left = run(&folder, "s.ssd");
        let expected = match expected {
            Ok(expected) => expected,
            Err(says) => {
                assert!(left.code == Some(1) && left.stderr.contains(says), "{left:#?}");
                continue;
            }
        };
        // q.x = t, which p takes one step later: its x is the sum of (0 … 0.9) · 0.1 · factor.
        let end = finals(&left)["sub/p.x"].as_f64().expect("a number");
        assert!((end - 0.45 * expected).abs() < 1e-12, "{unit} {end}: {left:#?}");
    }
}

/// A unit that the file with the values defines, or the description around it, and no FMU knows, is converted; also in what is written.
#[test]
fn units_that_the_file_defines_are_converted() {
    let folder = make::folder("foreign-ssp-own-units");
    let xml = make::XML.replace("<Real start=\"1\"/>", "<Real start=\"1\" unit=\"m\"/>");
    std::fs::write(folder.join("a.fmu"), make::fmu(&xml, &[])).expect("written");
    let given = values(&[("u", "2500")]).replace("\"2500\"", "\"2500\" unit=\"tick\"");
    let units = |base: &str, prefix: &str| {
        format!("<{prefix}:Units><ssc:Unit name=\"tick\"><ssc:BaseUnit {base}/></ssc:Unit></{prefix}:Units>")
    };
    let part = |given: &str| format!("<ssd:Component name=\"a\" source=\"a.fmu\">{given}</ssd:Component>");
    let inside = |base: &str| given.replace("</ssv:Parameters>", &format!("</ssv:Parameters>{}", units(base, "ssv")));
    let whole = |given: &str| description(&format!("<ssd:Elements>{}</ssd:Elements>{}", part(given), stepped("0.1")));
    let (with, without) = (whole(&inside("m=\"1\" factor=\"4e-3\"")), whole(&given));
    let around = without.replace("</ssd:System>", &format!("</ssd:System>{}", units("m=\"1\" factor=\"4e-3\"", "ssd")));
    let of = |file: &str| macrostep(&folder, &["run", file, "--json", "--record", "a.u"]);
    for text in [with, around] {
        write(&folder, "s.ssd", &text);
        let left = of("s.ssd");
        assert!(finals(&left)["a.u"] == 10.0 && !left.stderr.contains("taken"), "{left:#?}");
        // There and back, without what defined it.
        let made = macrostep(&folder, &["convert", "s.ssd", "c.toml"]);
        assert_eq!(made.code, Some(0), "{made:#?}");
        assert_eq!(macrostep(&folder, &["convert", "c.toml", "d.ssd"]).code, Some(0));
        for file in ["c.toml", "d.ssd"] {
            assert_eq!(finals(&of(file))["a.u"], 10.0, "{file}");
        }
    }
    write(&folder, "s.ssd", &without);
    let left = of("s.ssd");
    assert!(finals(&left)["a.u"] == 2500.0 && left.stderr.contains("nobody declares `tick`"), "{left:#?}");
    for (base, says) in [("K=\"1\"", "another quantity"), ("parsec=\"1\"", "`parsec` of a `BaseUnit` is `1`")] {
        write(&folder, "s.ssd", &whole(&inside(base)));
        let left = of("s.ssd");
        assert!(left.code == Some(1) && left.stderr.contains(says), "{left:#?}");
    }
}

#[test]
fn a_unit_that_two_fmus_define_differently_is_told() {
    let folder = make::folder("foreign-ssp-defined");
    std::fs::write(folder.join("a.fmu"), make::fmu(make::XML, &[])).expect("written");
    let text = include_str!("../cases/foreign/two-definitions-of-a-unit.toml");
    write(&folder, "s.toml", text);
    for (base, is_told) in [("<BaseUnit m=\"1\"/>", false), ("<BaseUnit m=\"1\" factor=\"2\"/>", true)] {
        std::fs::write(folder.join("b.fmu"), make::with("<BaseUnit m=\"1\"/>", base)).expect("written");
        let left = macrostep(&folder, &["convert", "s.toml", "s.ssd"]);
        let says = left.stderr.contains("`m` is another unit of measurement in `a` than in `b`");
        assert!(left.code == Some(0) && says == is_told, "{left:#?}");
    }
}
