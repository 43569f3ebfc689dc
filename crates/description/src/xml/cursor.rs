//! A walk over the elements of a text, bounded in depth, that always knows the line.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::finding::{Warnings, quoted, refuse};
use super::{DEPTH_MAX, INSTRUCTION, ReadError};

/// The start of an element, and where.
pub(super) struct Start<'a> {
    pub(super) tag: BytesStart<'a>,
    pub(super) line: u32,
}

/// Stands between two elements.
pub(super) struct Cursor<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    depth: usize,
    /// Whether the cursor is in a processing instruction, which ends at once.
    in_instruction: bool,
    /// Up to `counted` bytes into the text, `line` has been counted.
    counted: usize,
    line: u32,
    /// What was put up with so far.
    pub(super) warnings: Warnings,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        // `<a/>` reads as `<a></a>`: one way for an element to end.
        reader.config_mut().expand_empty_elements = true;
        Cursor { text, reader, depth: 0, in_instruction: false, counted: 0, line: 1, warnings: Warnings::default() }
    }

    /// The next child of the element the cursor is in, `None` where that element ends. At depth 0 the only child is
    /// the root, and the end is the end of the text.
    pub(super) fn child(&mut self) -> Result<Option<Start<'a>>, ReadError> {
        self.next(false)
    }

    /// As [`Cursor::child`]; an instruction `<?annotation KEY="VALUE" …?>` counts as an empty element.
    pub(super) fn child_or_instruction(&mut self) -> Result<Option<Start<'a>>, ReadError> {
        self.next(true)
    }

    fn next(&mut self, instructions: bool) -> Result<Option<Start<'a>>, ReadError> {
        // An instruction has no end tag: it ends where its children are asked for.
        if std::mem::take(&mut self.in_instruction) {
            self.depth -= 1;
            return Ok(None);
        }
        loop {
            // The line is where the event begins; of an error, where it was met.
            let line = self.line();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(e) => return refuse(self.error_line(), e.to_string(), "well-formed XML"),
            };
            match event {
                // A child begins, or the element ends.
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > DEPTH_MAX {
                        return refuse(line, format!("{DEPTH_MAX} nested elements and one more"), "a flat file");
                    }
                    return Ok(Some(Start { tag, line }));
                }
                Event::End(_) if self.depth == 0 => return refuse(line, "an end tag", "an element it belongs to"),
                Event::End(_) => {
                    self.depth -= 1;
                    return Ok(None);
                }
                // The text may end outside of the root only.
                Event::Eof if self.depth == 0 => return Ok(None),
                Event::Eof => {
                    return refuse(
                        line,
                        format!("the end of the file, {} elements open", self.depth),
                        "their end tags",
                    );
                }
                // An instruction with attributes reads as an empty element.
                Event::PI(instruction) if instructions && instruction.target() == INSTRUCTION => {
                    let tag = BytesStart::from_content(instruction.to_string(), INSTRUCTION.len());
                    self.depth += 1;
                    self.in_instruction = true;
                    return Ok(Some(Start { tag, line }));
                }
                // Entities are not read, and text between elements means nothing.
                Event::DocType(_) => {
                    return refuse(line, "a document type (`<!DOCTYPE`)", "none: entities are not read");
                }
                Event::GeneralRef(name) => self.reference(line, &name)?,
                Event::Text(t) => self.stray_text(line, &t),
                Event::CData(t) => self.stray_text(line, &t),
                _ => {}
            }
        }
    }

    /// Leaves the element the cursor is in, whatever is inside.
    pub(super) fn skip(&mut self) -> Result<(), ReadError> {
        let outside = self.depth - 1;
        while self.depth > outside {
            self.child_quietly()?;
        }
        Ok(())
    }

    fn child_quietly(&mut self) -> Result<(), ReadError> {
        let kept = std::mem::take(&mut self.warnings);
        let result = self.child();
        self.warnings = kept;
        result.map(|_| ())
    }

    /// Line of the next event.
    fn line(&mut self) -> u32 {
        self.line_at(self.reader.buffer_position())
    }

    fn error_line(&mut self) -> u32 {
        self.line_at(self.reader.error_position())
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

    /// `&lt;` and the like between elements mean nothing here; `&bomb;` could mean anything.
    fn reference(&mut self, line: u32, name: &BytesRef<'_>) -> Result<(), ReadError> {
        let known = match name.resolve_char_ref() {
            Ok(c) => c.is_some() || matches!(&**name, "lt" | "gt" | "amp" | "apos" | "quot"),
            Err(_) => false,
        };
        if !known {
            return refuse(line, format!("the entity `&{};`", &**name), "one of the five entities of XML");
        }
        Ok(())
    }

    fn stray_text(&mut self, line: u32, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.warnings.push(line, || format!("the text {}", quoted(text)), "elements only");
        }
    }
}
