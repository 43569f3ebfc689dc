//! The parts of a text in XML one after the other, bounded in depth and attributes, each with its line. Descriptions of FMUs and of
//! systems are read with it.
//!
//! There is no document type, hence no entity but the five of XML and character references; time is linear in the length of the text.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::finding::refuse;
use super::{ATTRIBUTES_MAX, DEPTH_MAX, ReadError};

/// A part of the text.
#[derive(Debug)]
pub enum Part<'a> {
    /// An element begins. `<a/>` begins and ends.
    Start(Start<'a>),
    /// A processing instruction, which has no end.
    Instruction(Start<'a>),
    /// Text between elements and its line, with entities resolved; it may come in pieces.
    Text(Cow<'a, str>, u32),
    /// The element ends that began last.
    End,
    /// The text ends in this line, outside of all elements.
    Eof(u32),
}

/// The start of an element, and where.
#[derive(Debug)]
pub struct Start<'a> {
    tag: BytesStart<'a>,
    /// Its line, from 1.
    pub line: u32,
}

/// A name and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute<'e> {
    /// The name with its prefix.
    pub key: &'e str,
    /// The value, entities and blanks resolved.
    pub value: Cow<'e, str>,
}

impl Start<'_> {
    /// The name with its prefix.
    pub fn name(&self) -> &str {
        self.tag.name().into_inner()
    }

    /// The name without a prefix.
    pub fn local_name(&self) -> &str {
        self.tag.local_name().into_inner()
    }

    /// All attributes in the order of the text.
    ///
    /// # Errors
    /// Where one stands there twice, there are more than [`ATTRIBUTES_MAX`], or one is not well-formed.
    pub fn attributes(&self) -> Result<Vec<Attribute<'_>>, ReadError> {
        let (line, name) = (self.line, self.local_name());
        // Each is compared with all before it, so that there must not be many.
        let mut attributes: Vec<Attribute<'_>> = Vec::with_capacity(8);
        for attribute in self.tag.attributes().with_checks(false) {
            let attribute = match attribute {
                Ok(a) => a,
                Err(e) => return refuse(line, format!("in `{name}`, {e}"), "attributes as NAME=\"VALUE\""),
            };
            let key = attribute.key.into_inner();
            if attributes.len() == ATTRIBUTES_MAX {
                return refuse(line, format!("`{name}` with more than {ATTRIBUTES_MAX} attributes"), "fewer");
            }
            if attributes.iter().any(|a| a.key == key) {
                return refuse(line, format!("attribute `{key}` of `{name}` twice"), "once");
            }
            // Entities and blanks as XML says.
            match attribute.normalized_value(XmlVersion::Implicit1_0) {
                Ok(value) => attributes.push(Attribute { key, value }),
                Err(e) => return refuse(line, format!("in `{key}` of `{name}`, {e}"), "entities of XML only"),
            }
        }
        Ok(attributes)
    }
}

/// Stands between two parts of a text.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    reader: quick_xml::Reader<&'a [u8]>,
    depth: usize,
    /// Up to `counted` bytes into the text, `line` has been counted.
    counted: usize,
    line: u32,
}

impl<'a> Reader<'a> {
    /// Before the first part of a text.
    pub fn new(text: &'a str) -> Self {
        let mut reader = quick_xml::Reader::from_str(text);
        // `<a/>` reads as `<a></a>`: one way for an element to end.
        reader.config_mut().expand_empty_elements = true;
        Reader { text, reader, depth: 0, counted: 0, line: 1 }
    }

    /// Elements that have begun and not ended.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The next part; comments and declarations are none.
    ///
    /// # Errors
    /// Where the text is not well-formed, more than [`DEPTH_MAX`] elements are nested, or there is a document type or an entity other than
    /// those of XML.
    pub fn next_part(&mut self) -> Result<Part<'a>, ReadError> {
        loop {
            // The line is where the event begins; of an error, where it was met.
            let line = self.line_at(self.reader.buffer_position());
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(e) => {
                    return refuse(self.line_at(self.reader.error_position()), e.to_string(), "well-formed XML");
                }
            };
            return Ok(match event {
                // An element begins or ends.
                Event::Start(_) if self.depth == DEPTH_MAX => {
                    return refuse(line, format!("{DEPTH_MAX} nested elements and one more"), "a flat file");
                }
                Event::Start(tag) => {
                    self.depth += 1;
                    Part::Start(Start { tag, line })
                }
                Event::End(_) if self.depth == 0 => return refuse(line, "an end tag", "an element it belongs to"),
                Event::End(_) => {
                    self.depth -= 1;
                    Part::End
                }
                // The text may end outside of the root only.
                Event::Eof if self.depth == 0 => Part::Eof(line),
                Event::Eof => {
                    let found = format!("the end of the file, {} elements open", self.depth);
                    return refuse(line, found, "their end tags");
                }
                Event::PI(instruction) => {
                    let target = instruction.target().len();
                    Part::Instruction(Start { tag: BytesStart::from_content(instruction.to_string(), target), line })
                }
                Event::DocType(_) => {
                    return refuse(line, "a document type (`<!DOCTYPE`)", "none: entities are not read");
                }
                Event::GeneralRef(name) => Part::Text(entity(line, &name)?.to_string().into(), line),
                Event::Text(text) => Part::Text(text.into_inner(), line),
                Event::CData(text) => Part::Text(text.into_inner(), line),
                Event::Comment(_) | Event::Decl(_) | Event::Empty(_) => continue,
            });
        }
    }

    fn line_at(&mut self, position: u64) -> u32 {
        let end = usize::try_from(position).unwrap_or(usize::MAX).min(self.text.len());
        if end > self.counted {
            let newlines = self.text.as_bytes()[self.counted..end].iter().filter(|b| **b == b'\n').count();
            self.line = self.line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
            self.counted = end;
        }
        self.line
    }
}

/// What `&NAME;` means; others than those of XML could be made to grow without a bound.
fn entity(line: u32, name: &BytesRef<'_>) -> Result<char, ReadError> {
    match &**name {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "apos" => Ok('\''),
        "quot" => Ok('"'),
        text => match name.resolve_char_ref() {
            Ok(Some(c)) => Ok(c),
            _ => refuse(line, format!("the entity `&{text};`"), "one of the five entities of XML"),
        },
    }
}
