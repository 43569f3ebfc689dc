//! Lines of a file of rows.

/// The line of names.
pub fn head<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::from("time");
    for name in names {
        line.push(',');
        quote(&mut line, name);
    }
    line.push('\n');
    line
}

/// A text as a field: in quotes where it needs them.
pub fn quote(line: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}
