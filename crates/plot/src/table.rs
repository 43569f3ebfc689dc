//! Tables for a terminal and for Markdown files: thin rules, numbers to the right, nothing said by colour alone.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::OnceLock;

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, TableStyle};
use terminal_size::Width;

/// One rule under the header, none between rows.
const RULED: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// To which side the cells of a column are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// Rows of text under a header.
#[derive(Debug, Clone)]
pub struct Table {
    header: Vec<String>,
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns; the unit stands in the header, as in `time [s]`.
    pub fn new<const N: usize>(columns: [(&str, Align); N]) -> Self {
        Self {
            header: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
            align: columns.iter().map(|(_, align)| *align).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) -> &mut Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    /// For standard output. On a terminal that is too narrow the table is divided: columns that have no room follow below, behind the
    /// words that each row begins with. Into a file or a pipe lines are as wide as they are.
    pub fn terminal(&self) -> String {
        match output_width() {
            Some(columns) => self.within(columns),
            None => self.render(RULED),
        }
    }

    /// For a Markdown file.
    pub fn markdown(&self) -> String {
        self.render(ASCII_MARKDOWN)
    }

    /// In parts of at most so many characters in a line, where a column and the words before it have room.
    fn within(&self, columns: usize) -> String {
        // The room that each column needs.
        let cell = |row: &Vec<String>, i: usize| row.get(i).map_or(0, |cell| width(cell));
        let room = |i: usize| self.rows.iter().map(|row| cell(row, i)).fold(width(&self.header[i]), usize::max) + 3;
        let rooms: Vec<usize> = (0..self.header.len()).map(room).collect();
        // The words at the left of every part: one column at least.
        let words = self.align.iter().take_while(|align| **align == Align::Left).count().clamp(1, rooms.len().max(1));
        let words = if 2 * rooms.iter().take(words).sum::<usize>() > columns { 1 } else { words };
        // Each part is a table of its own, with the words before it; a text that is too long for a part has several lines.
        let part = |kept: &Vec<usize>| {
            let beyond = kept.iter().map(|i| rooms[*i]).sum::<usize>().saturating_sub(columns + 1);
            let longest = kept.iter().copied().filter(|i| self.align[*i] == Align::Left).max_by_key(|i| rooms[*i]);
            let cell = |i: usize, cells: &Vec<String>| {
                let text = cells.get(i).map_or("", String::as_str);
                let is_long = beyond > 0 && longest == Some(i);
                if is_long { within(text, rooms[i].saturating_sub(beyond + 3)) } else { text.to_owned() }
            };
            let of = |cells: &Vec<String>| kept.iter().map(|i| cell(*i, cells)).collect();
            let align = kept.iter().map(|i| self.align[*i]).collect();
            Table { header: of(&self.header), align, rows: self.rows.iter().map(of).collect() }.render(RULED)
        };
        divided(&rooms, words, columns).iter().map(part).collect::<Vec<_>>().join("\n\n")
    }

    fn render(&self, style: TableStyle) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(style).set_content_arrangement(ContentArrangement::Disabled).set_header(&self.header);
        for row in &self.rows {
            table.add_row(row);
        }
        for (column, align) in table.column_iter_mut().zip(&self.align) {
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
        }
        table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }
}

/// A table of any number of rows that is written row by row, twice asked for and never held.
///
/// It looks as [`Table::terminal`].
#[derive(Debug, Clone)]
pub struct Listing<const N: usize> {
    columns: [(&'static str, Align); N],
}

impl<const N: usize> Listing<N> {
    /// A listing with these columns.
    pub fn new(columns: [(&'static str, Align); N]) -> Self {
        Self { columns }
    }

    /// Writes header and rows. `rows` calls what it is given with each row in turn, the same rows each time.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(
        &self,
        out: &mut dyn Write,
        rows: impl Fn(&mut dyn FnMut(&[Cow<'_, str>; N]) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.write_within(out, output_width(), rows)
    }

    /// As [`Listing::write`], in lines of so many characters.
    fn write_within(
        &self,
        out: &mut dyn Write,
        columns: Option<usize>,
        rows: impl Fn(&mut dyn FnMut(&[Cow<'_, str>; N]) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let header = self.columns.map(|(name, _)| Cow::Borrowed(name));
        let mut widths = header.clone().map(|name| width(&name));
        rows(&mut |row| {
            widths.iter_mut().zip(row).for_each(|(widest, cell)| *widest = width(cell).max(*widest));
            Ok(())
        })?;
        // A part after the other where a terminal is too narrow, with the first column before each.
        let rooms: Vec<usize> = widths.iter().map(|widest| widest + 3).collect();
        let parts = match columns {
            Some(columns) => divided(&rooms, 1, columns),
            None => vec![(0..N).collect()],
        };
        let mut line = String::new();
        for (n, kept) in parts.iter().enumerate() {
            if n > 0 {
                writeln!(out)?;
            }
            self.put(out, &mut line, (&header, &widths, kept))?;
            let rule = kept.iter().map(|i| rooms[*i]).sum::<usize>().saturating_sub(1);
            writeln!(out, "{}", "─".repeat(rule))?;
            rows(&mut |row| self.put(out, &mut line, (row, &widths, kept)))?;
        }
        Ok(())
    }

    fn put(
        &self,
        out: &mut dyn Write,
        line: &mut String,
        (row, widths, kept): (&[Cow<'_, str>; N], &[usize; N], &[usize]),
    ) -> io::Result<()> {
        line.clear();
        for i in kept.iter().copied() {
            let cell = &row[i];
            let blanks = std::iter::repeat_n(' ', widths[i].saturating_sub(width(cell)));
            line.push_str(if line.is_empty() { " " } else { "   " });
            match self.columns[i].1 {
                Align::Left => line.extend(cell.chars().chain(blanks)),
                Align::Right => line.extend(blanks.chain(cell.chars())),
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// Columns that need these rooms in parts of so many characters, each with the first `words` of them before it; a part has one
/// more at least.
fn divided(rooms: &[usize], words: usize, columns: usize) -> Vec<Vec<usize>> {
    let before: usize = rooms.iter().take(words).sum();
    let mut parts: Vec<Vec<usize>> = vec![(0..words).collect()];
    let mut filled = before;
    for (i, room) in rooms.iter().enumerate().skip(words) {
        if filled + room > columns + 1 && parts.last().is_some_and(|part| part.len() > words) {
            parts.push((0..words).collect());
            filled = before;
        }
        filled += room;
        parts.last_mut().into_iter().for_each(|part| part.push(i));
    }
    parts
}

/// A text in lines of at most so many characters, divided between words; a word that is longer has a line of its own. What is divided
/// goes on below the words behind the first gap of two blanks, or below the first word.
pub fn within(text: &str, columns: usize) -> String {
    let line = |line: &str| {
        if width(line) <= columns {
            return line.to_owned();
        }
        // Where the words begin that are divided, and what stands before them.
        let blanks = line.len() - line.trim_start().len();
        let gap = line[blanks..].find("  ").map_or(blanks, |gap| blanks + gap);
        let begin = line[gap..].find(|c| c != ' ').map_or(blanks, |words| gap + words);
        let begin = if 2 * width(&line[..begin]) > columns { blanks } else { begin };
        let indent = " ".repeat(width(&line[..begin]));
        let mut lines = vec![line[..begin].to_owned()];
        let mut is_new = true;
        for word in line[begin..].split_whitespace() {
            if let Some(last) = lines.last_mut() {
                if is_new || width(last) + 1 + width(word) <= columns {
                    let blank = if is_new { "" } else { " " };
                    *last = format!("{last}{blank}{word}");
                } else {
                    lines.push(format!("{indent}{word}"));
                }
            }
            is_new = false;
        }
        lines.join("\n")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

/// How many characters a line of standard output has, where it is a terminal; looked at once, so that a program which puts another
/// file in its place calls this before.
pub fn output_width() -> Option<usize> {
    static WIDTH: OnceLock<Option<usize>> = OnceLock::new();
    let look = || terminal_size::terminal_size_of(io::stdout()).map(|(Width(columns), _)| usize::from(columns));
    *WIDTH.get_or_init(look)
}

/// How many characters a line of the terminal has, or what `COLUMNS` says where there is none.
pub fn terminal_width() -> Option<usize> {
    let terminal = terminal_size::terminal_size().map(|(Width(columns), _)| usize::from(columns));
    terminal.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok())
}

/// A number in three digits as a table shows it: `1.24e-2`, `0` for zero, `-` where there is none.
pub fn short(value: impl Into<Option<f64>>) -> String {
    match value.into() {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if !value.is_finite() => value.to_string(),
        Some(value) => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new([("coupling", Align::Left), ("error", Align::Right)]);
        table.row(["f-s (D/F)", "1.20e-2"]).row(["s-s", "7e-3"]);
        table
    }

    #[test]
    fn numbers_stand_to_the_right_and_no_escape_is_printed() {
        let text = sample().terminal();
        assert!(!text.contains('\u{1b}'));
        assert!(text.lines().any(|line| line == " s-s            7e-3"), "{text}");
    }

    #[test]
    fn a_narrow_terminal_divides_a_table() {
        let mut table = Table::new([
            ("coupling", Align::Left),
            ("error", Align::Right),
            ("energy", Align::Right),
            ("time [s]", Align::Right),
        ]);
        table.row(["f-s (D/F)", "1.20e-2", "3", "0.5"]).row(["s-s", "7e-3", "4", "0.25"]);
        assert_eq!(table.within(200), table.terminal());
        let text = table.within(34);
        assert!(text.lines().all(|line| width(line) <= 34), "{text}");
        // Every cell is there once, the words in front of both parts.
        for (cell, times) in [("1.20e-2", 1), ("0.25", 1), ("energy", 1), ("f-s (D/F)", 2), ("s-s", 2)] {
            assert_eq!(text.matches(cell).count(), times, "{cell}:\n{text}");
        }
        assert_eq!(table.within(5).lines().filter(|line| line.contains("f-s")).count(), 3);
    }

    #[test]
    fn long_texts_are_divided_between_words() {
        let mut table = Table::new([("property", Align::Left), ("value", Align::Left)]);
        table.row(["model", "a mass on a spring"]).row(["by", "us"]);
        let text = table.within(22);
        assert!(text.lines().all(|line| width(line) <= 22), "{text}");
        assert!(text.contains(" model      a mass on\n            a spring\n by         us"), "{text}");
        // Behind a name and a gap, behind a number, and a word that is too long.
        assert_eq!(within("crane   a crane of bodies", 16), "crane   a crane\n        of\n        bodies");
        assert_eq!(within("   1  unit a steps", 12), "   1  unit a\n      steps");
        assert_eq!(within("no gap in here", 9), "no gap in\nhere");
        assert_eq!(within("────────────", 4), "────────────");
    }

    #[test]
    fn a_narrow_terminal_divides_a_listing() {
        let listing = Listing::new([("coupling", Align::Left), ("error", Align::Right), ("energy", Align::Right)]);
        let rows = [["f-s (D/F)", "1.20e-2", "3"], ["s-s", "7e-3", "4"]];
        let text = |columns| {
            let mut out = Vec::new();
            let each = |each: &mut dyn FnMut(&[Cow<'_, str>; 3]) -> io::Result<()>| {
                rows.iter().try_for_each(|row| each(&row.map(Cow::Borrowed)))
            };
            listing.write_within(&mut out, columns, each).expect("written");
            String::from_utf8(out).expect("text")
        };
        let mut table = Table::new([("coupling", Align::Left), ("error", Align::Right), ("energy", Align::Right)]);
        rows.iter().for_each(|row| {
            table.row(*row);
        });
        assert_eq!(text(None), table.terminal() + "\n");
        assert_eq!(text(Some(24)), table.within(24) + "\n");
    }

    #[test]
    fn a_listing_looks_as_a_table() {
        let mut out = Vec::new();
        let listing = Listing::new([("coupling", Align::Left), ("error", Align::Right)]);
        let rows = [["f-s (D/F)", "1.20e-2"], ["s-s", "7e-3"]];
        listing.write(&mut out, |each| rows.iter().try_for_each(|row| each(&row.map(Cow::Borrowed)))).expect("written");
        assert_eq!(String::from_utf8(out).expect("text"), sample().terminal() + "\n");
    }

    #[test]
    fn markdown_marks_the_alignment() {
        let text = sample().markdown();
        assert!(text.starts_with("| coupling "), "{text}");
        assert_eq!(text.lines().count(), 4, "{text}");
    }

    #[test]
    fn short_numbers() {
        assert_eq!([short(0.012_41), short(0.0), short(None), short(f64::INFINITY)], ["1.24e-2", "0", "-", "inf"]);
    }
}
