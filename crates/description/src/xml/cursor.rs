//! A walk over the elements of a description.

use super::finding::{Warnings, quoted};
use super::reader::{Part, Reader, Start};
use super::{INSTRUCTION, ReadError};

/// Stands between two elements.
pub(super) struct Cursor<'a> {
    reader: Reader<'a>,
    /// Whether the cursor is in a processing instruction, which ends at once.
    in_instruction: bool,
    /// What was put up with so far.
    pub(super) warnings: Warnings,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Cursor { reader: Reader::new(text), in_instruction: false, warnings: Warnings::default() }
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
            return Ok(None);
        }
        loop {
            match self.reader.next_part()? {
                Part::Start(start) => return Ok(Some(start)),
                Part::End | Part::Eof(_) => return Ok(None),
                Part::Instruction(start) if instructions && start.name() == INSTRUCTION => {
                    self.in_instruction = true;
                    return Ok(Some(start));
                }
                Part::Instruction(_) => {}
                // Text between elements means nothing.
                Part::Text(text, line) => {
                    let text = text.trim();
                    if !text.is_empty() {
                        self.warnings.push(line, || format!("the text {}", quoted(text)), "elements only");
                    }
                }
            }
        }
    }

    /// Leaves the element the cursor is in, whatever is inside.
    pub(super) fn skip(&mut self) -> Result<(), ReadError> {
        if std::mem::take(&mut self.in_instruction) {
            return Ok(());
        }
        let outside = self.reader.depth() - 1;
        while self.reader.depth() > outside {
            self.reader.next_part()?;
        }
        Ok(())
    }
}
