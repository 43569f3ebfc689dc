//! `modelDescription.xml`, read and written.
//!
//! [`write()`] is deterministic: one description gives one text, so it can be kept as a snapshot. [`read()`] is tolerant:
//! what a run can do without is a [`Warning`], what would make a run wrong is a [`ReadError`]; both name the line, what
//! stands there and what should.
//!
//! Hostile input: [`Reader`] bounds what a text in XML may be, for these files and for those of SSP; warnings are bounded.
//!
//! References: FMI 2.0.5, sections 2.2 and 4.3; XML 1.0, sections 2.11 and 3.3.3.

mod cursor;
mod decode;
mod element;
mod finding;
mod header;
mod read;
mod reader;
mod structure;
mod three;
mod units;
mod variables;
mod write;
mod write_variables;

pub use decode::decode;
pub use finding::{ReadError, Warning};
pub use read::{Reading, read, read_str};
pub use reader::{Attribute, Part, Reader, Start};
pub use three::{read_terminals, write_3};
pub use write::write;

/// Elements may be nested this deep; the standard needs five, vendor annotations some more.
pub const DEPTH_MAX: usize = 128;

/// Attributes of one element; the standard needs fifteen.
pub const ATTRIBUTES_MAX: usize = 64;

/// Warnings kept of one file; the last one then says how many more there are.
pub const WARNINGS_MAX: usize = 200;

/// Target of the processing instruction that holds an annotation of ours: `<Tool name="macrostep"><?annotation
/// getAfterSet="true"?></Tool>`. The schema allows any element there and we read one, but tools that are made from the schema
/// cannot; all of them pass over instructions.
const INSTRUCTION: &str = "annotation";
