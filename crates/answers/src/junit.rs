//! Verdicts as JUnit XML, which CI systems show as tests.

use std::path::Path;

use quick_xml::Writer;
use quick_xml::events::BytesText;

use crate::failure::Failure;

/// The checks of one verb.
#[derive(Debug)]
pub struct Suite {
    /// Of which verb, and about what.
    pub name: String,
    /// One test each.
    pub cases: Vec<Case>,
}

/// One thing that was looked at.
#[derive(Debug)]
pub struct Case {
    /// What.
    pub name: String,
    /// What it belongs to.
    pub class: String,
    /// What is to be known of it though it passed.
    pub remark: Option<String>,
    /// What came of it.
    pub verdict: Verdict,
}

/// The result of a test.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Passed,
    /// Not as it should be, in a sentence.
    Failed(String),
    /// It could not be looked at, with the reason.
    Error(String),
    /// It was not looked at, with the reason.
    Skipped(String),
}

impl Suite {
    /// Of which nothing could be looked at.
    pub fn error(name: String, class: &str, failure: &Failure) -> Suite {
        let verdict = Verdict::Error(failure.to_string());
        let case = Case { name: "run".to_owned(), class: class.to_owned(), remark: None, verdict };
        Suite { name, cases: vec![case] }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// [`Failure::File`] where it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut bytes = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_vec();
        self.put(&mut Writer::new_with_indent(&mut bytes, b' ', 2)).map_err(Failure::file(path))?;
        bytes.push(b'\n');
        std::fs::write(path, bytes).map_err(Failure::file(path))
    }

    fn put(&self, xml: &mut Writer<&mut Vec<u8>>) -> std::io::Result<()> {
        let count = |is: fn(&Verdict) -> bool| self.cases.iter().filter(|case| is(&case.verdict)).count().to_string();
        let suites = xml.create_element("testsuites").with_attribute(("name", "macrostep"));
        let inner = |xml: &mut Writer<&mut Vec<u8>>| {
            xml.create_element("testsuite")
                .with_attribute(("name", clean(&self.name).as_str()))
                .with_attribute(("tests", self.cases.len().to_string().as_str()))
                .with_attribute(("failures", count(|v| matches!(v, Verdict::Failed(_))).as_str()))
                .with_attribute(("errors", count(|v| matches!(v, Verdict::Error(_))).as_str()))
                .with_attribute(("skipped", count(|v| matches!(v, Verdict::Skipped(_))).as_str()))
                .write_inner_content(|xml| self.cases.iter().try_for_each(|case| case.put(xml)))?;
            Ok(())
        };
        suites.write_inner_content(inner)?;
        Ok(())
    }
}

impl Case {
    fn put(&self, xml: &mut Writer<&mut Vec<u8>>) -> std::io::Result<()> {
        // Attributes, without characters that XML has no form for.
        let (name, class) = (clean(&self.name), clean(&self.class));
        let case = xml.create_element("testcase").with_attribute(("name", name.as_str()));
        let case = case.with_attribute(("classname", class.as_str()));
        // What went wrong, or was left out, is an element of its own.
        let (tag, said) = match &self.verdict {
            Verdict::Passed => ("", None),
            Verdict::Failed(said) => ("failure", Some(clean(said))),
            Verdict::Error(said) => ("error", Some(clean(said))),
            Verdict::Skipped(said) => ("skipped", Some(clean(said))),
        };
        // A test that passed with nothing to remark has no content.
        let remark = self.remark.as_deref().map(clean);
        if said.is_none() && remark.is_none() {
            case.write_empty()?;
            return Ok(());
        }
        // The failure and the remark.
        case.write_inner_content(|xml| {
            if let Some(said) = &said {
                xml.create_element(tag).with_attribute(("message", said.as_str())).write_empty()?;
            }
            if let Some(remark) = &remark {
                xml.create_element("system-out").write_text_content(BytesText::new(remark))?;
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// Without the characters that XML 1.0 cannot hold.
fn clean(text: &str) -> String {
    let is_held = |c: &char| matches!(c, '\t' | '\n' | '\r') || (*c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'));
    text.chars().filter(is_held).collect()
}
