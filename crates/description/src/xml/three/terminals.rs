//! `terminalsAndIcons.xml`: which variables are connected together. Icons are passed over.

use crate::xml::ReadError;
use crate::xml::cursor::Cursor;
use crate::xml::decode::decode;
use crate::xml::element::Element;
use crate::xml::finding::{quoted, refuse};
use crate::{Member, Terminal};

/// Reads the terminals, those inside others after them.
///
/// # Errors
/// Where the file is not XML, or a terminal or member lacks what it is known by. The lines are those of this file.
pub fn read_terminals(bytes: &[u8]) -> Result<Vec<Terminal>, ReadError> {
    let text = decode(bytes)?;
    let mut cursor = Cursor::new(&text);
    let Some(root) = cursor.child()? else {
        return refuse(1, "no element", "`fmiTerminalsAndIcons`");
    };
    if root.local_name() != "fmiTerminalsAndIcons" {
        return refuse(root.line, format!("the root element {}", quoted(root.local_name())), "`fmiTerminalsAndIcons`");
    }
    let mut terminals = Vec::new();
    while let Some(start) = cursor.child()? {
        match start.local_name() {
            "Terminals" => list(&mut cursor, "", &mut terminals)?,
            _ => cursor.skip()?,
        }
    }
    Ok(terminals)
}

/// The terminals of an element that has begun; `outside` is the name of the terminal around them, with a point.
fn list(cursor: &mut Cursor<'_>, outside: &str, terminals: &mut Vec<Terminal>) -> Result<(), ReadError> {
    while let Some(start) = cursor.child()? {
        match start.local_name() {
            "Terminal" => terminal(cursor, Element::new(&start)?, outside, terminals)?,
            _ => cursor.skip()?,
        }
    }
    Ok(())
}

fn terminal(
    cursor: &mut Cursor<'_>,
    mut e: Element<'_>,
    outside: &str,
    terminals: &mut Vec<Terminal>,
) -> Result<(), ReadError> {
    let name = format!("{outside}{}", e.required("name")?);
    let (rule, kind) = (e.required("matchingRule")?, e.text("terminalKind"));
    let at = terminals.len();
    terminals.push(Terminal { name: name.clone(), rule, kind, members: Vec::new() });
    while let Some(start) = cursor.child()? {
        let mut e = Element::new(&start)?;
        match e.name {
            "Terminal" => terminal(cursor, e, &format!("{name}."), terminals)?,
            "TerminalMemberVariable" => {
                let [name, kind] = ["memberName", "variableKind"].map(|key| e.text(key).unwrap_or_default());
                terminals[at].members.push(Member { name, variable: e.required("variableName")?, kind });
                cursor.skip()?;
            }
            // What flows in and what flows out of a stream.
            "TerminalStreamMemberVariable" => {
                for way in ["inStream", "outStream"] {
                    let name = e.text(&format!("{way}MemberName")).unwrap_or_default();
                    let variable = e.required(&format!("{way}VariableName"))?;
                    terminals[at].members.push(Member { name, variable, kind: "stream".to_owned() });
                }
                cursor.skip()?;
            }
            _ => cursor.skip()?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"<?xml version="1.0"?>
<fmiTerminalsAndIcons fmiVersion="3.0">
  <GraphicalRepresentation><CoordinateSystem x1="0" y1="0" x2="1" y2="1"/></GraphicalRepresentation>
  <Terminals>
    <Terminal name="flange" matchingRule="plug" terminalKind="rotational">
      <TerminalMemberVariable variableName="phi" memberName="phi" variableKind="signal"/>
      <TerminalMemberVariable variableName="tau_in" memberName="tau" variableKind="inflow"/>
      <Terminal name="heat" matchingRule="bus">
        <TerminalStreamMemberVariable inStreamVariableName="h_in" outStreamVariableName="h_out" inStreamMemberName="h"/>
      </Terminal>
      <TerminalGraphicalRepresentation defaultConnectionColor="0 0 0"/>
    </Terminal>
  </Terminals>
</fmiTerminalsAndIcons>"#;

    #[test]
    fn terminals_are_read_with_those_inside() {
        let terminals = read_terminals(FILE.as_bytes()).expect("a file");
        let member = |name: &str, variable: &str, kind: &str| {
            let [name, variable, kind] = [name, variable, kind].map(str::to_owned);
            Member { name, variable, kind }
        };
        let expected = [
            Terminal {
                name: "flange".to_owned(),
                rule: "plug".to_owned(),
                kind: Some("rotational".to_owned()),
                members: vec![member("phi", "phi", "signal"), member("tau", "tau_in", "inflow")],
            },
            Terminal {
                name: "flange.heat".to_owned(),
                rule: "bus".to_owned(),
                kind: None,
                members: vec![member("h", "h_in", "stream"), member("", "h_out", "stream")],
            },
        ];
        assert_eq!(terminals, expected);
    }

    #[test]
    fn a_file_that_is_none_is_told_by_its_line() {
        let no_variable = FILE.replace("variableName=\"phi\" ", "");
        let error = read_terminals(no_variable.as_bytes()).expect_err("no variable");
        assert_eq!((error.line, error.expected.as_str()), (6, "the attribute `variableName`"));
        assert!(read_terminals(b"<fmiModelDescription/>").is_err());
    }
}
