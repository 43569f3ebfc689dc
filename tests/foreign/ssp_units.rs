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
    write(&folder, "e.toml", &text.replace("\"mm\"", "\"parsec\""));
    let left = run(&folder, "e.toml");
    assert!(left.code == Some(1) && left.stderr.contains("it is given in `parsec`"), "{left:#?}");
}
