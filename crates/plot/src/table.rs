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
        let before: usize = rooms.iter().take(words).sum();
        // Columns go into a part as long as there is room, one at least.
        let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
        let mut filled = before;
        for i in words..rooms.len() {
            if filled + rooms[i] > columns + 1 && parts.last().is_some_and(|part| !part.is_empty()) {
                parts.push(Vec::new());
                filled = before;
            }
            filled += rooms[i];
            parts.last_mut().into_iter().for_each(|part| part.push(i));
        }
        // Each part is a table of its own, with the words before it.
        let part = |columns: &Vec<usize>| {
            let kept: Vec<usize> = (0..words).chain(columns.iter().copied()).collect();
            let of = |cells: &Vec<String>| kept.iter().map(|i| cells.get(*i).cloned().unwrap_or_default()).collect();
            let align = kept.iter().map(|i| self.align[*i]).collect();
            Table { header: of(&self.header), align, rows: self.rows.iter().map(of).collect() }.render(RULED)
        };
        parts.iter().map(part).collect::<Vec<_>>().join("\n\n")
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
        let header = self.columns.map(|(name, _)| Cow::Borrowed(name));
        let mut widths = header.clone().map(|name| width(&name));
        rows(&mut |row| {
            widths.iter_mut().zip(row).for_each(|(widest, cell)| *widest = width(cell).max(*widest));
            Ok(())
        })?;
        let mut line = String::new();
        self.put(out, &mut line, (&header, &widths))?;
        let rule = widths.iter().map(|widest| widest + 2).sum::<usize>() + N.saturating_sub(1);
        writeln!(out, "{}", "─".repeat(rule))?;
        rows(&mut |row| self.put(out, &mut line, (row, &widths)))
    }

    fn put(
        &self,
        out: &mut dyn Write,
        line: &mut String,
        (row, widths): (&[Cow<'_, str>; N], &[usize; N]),
    ) -> io::Result<()> {
        line.clear();
        for (i, cell) in row.iter().enumerate() {
            let blanks = std::iter::repeat_n(' ', widths[i].saturating_sub(width(cell)));
            line.push_str(if i == 0 { " " } else { "   " });
            match self.columns[i].1 {
                Align::Left => line.extend(cell.chars().chain(blanks)),
                Align::Right => line.extend(blanks.chain(cell.chars())),
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
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
