//! Tables for a terminal and for Markdown files: thin rules, numbers to the right, nothing said by colour alone.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::OnceLock;

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, TableStyle};
use terminal_size::Width;

/// One rule under the header, none between rows.
const RULED: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// The head of a column.
#[derive(Debug, Clone)]
struct Column {
    name: String,
    /// Whether its cells are numbers, which are set to the right.
    is_number: bool,
}

/// The columns of a head such as `method | > error | > time [s]`: `>` is before those of numbers.
fn columns(head: &str) -> Vec<Column> {
    let column = |name: &str| {
        let (name, number) = (name.trim(), name.trim().strip_prefix('>'));
        Column { name: number.unwrap_or(name).trim_start().to_owned(), is_number: number.is_some() }
    };
    head.split('|').map(column).collect()
}

/// Rows of text under a header.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with the columns of this head, `|` between them and `>` before those of numbers; the unit of measurement belongs to
    /// the name, as in `method | > error | > time [s]`.
    pub fn new(head: &str) -> Self {
        Self { columns: columns(head), rows: Vec::new() }
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
        let text = self.render(ASCII_MARKDOWN);
        // A colon at the end of its rule sets a column to the right.
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let (rule, rows) = rest.split_once('\n').unwrap_or((rest, ""));
        let rules = rule.trim_matches('|').split('|').zip(&self.columns);
        let marked = rules.map(|(rule, c)| if c.is_number { format!("{}:", &rule[1..]) } else { rule.to_owned() });
        format!("{head}\n|{}|\n{rows}", marked.collect::<Vec<_>>().join("|")).trim_end().to_owned()
    }

    /// In parts of at most so many characters in a line, where a column and the words before it have room.
    fn within(&self, columns: usize) -> String {
        // The room that each column needs.
        let cell = |row: &Vec<String>, i: usize| row.get(i).map_or(0, |cell| width(cell));
        let room =
            |i: usize| self.rows.iter().map(|row| cell(row, i)).fold(width(&self.columns[i].name), usize::max) + 3;
        let rooms: Vec<usize> = (0..self.columns.len()).map(room).collect();
        // The words at the left of every part: one column at least.
        let words = self.columns.iter().take_while(|c| !c.is_number).count().clamp(1, rooms.len().max(1));
        let words = if 2 * rooms.iter().take(words).sum::<usize>() > columns { 1 } else { words };
        // Each part is a table of its own, with the words before it; a text that is too long for a part has several lines.
        let part = |kept: &Vec<usize>| {
            let beyond = kept.iter().map(|i| rooms[*i]).sum::<usize>().saturating_sub(columns + 1);
            let longest = kept.iter().copied().filter(|i| !self.columns[*i].is_number).max_by_key(|i| rooms[*i]);
            let cell = |i: usize, text: &str| {
                let is_long = beyond > 0 && longest == Some(i);
                if is_long { within(text, rooms[i].saturating_sub(beyond + 3)) } else { text.to_owned() }
            };
            let of =
                |cells: &Vec<String>| kept.iter().map(|i| cell(*i, cells.get(*i).map_or("", String::as_str))).collect();
            let head = |i: &usize| Column { name: cell(*i, &self.columns[*i].name), ..self.columns[*i] };
            Table { columns: kept.iter().map(head).collect(), rows: self.rows.iter().map(of).collect() }.render(RULED)
        };
        divided(&rooms, words, columns).iter().map(part).collect::<Vec<_>>().join("\n\n")
    }

    fn render(&self, style: TableStyle) -> String {
        let mut table = comfy_table::Table::new();
        let head = self.columns.iter().map(|c| &c.name);
        table
            .load_style(style)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(head)
            .add_rows(&self.rows);
        for (column, Column { is_number, .. }) in table.column_iter_mut().zip(&self.columns) {
            column.set_cell_alignment(if *is_number { CellAlignment::Right } else { CellAlignment::Left });
        }
        table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }
}

/// A table of any number of rows that is written row by row, twice asked for and never held.
///
/// It looks as [`Table::terminal`].
#[derive(Debug, Clone)]
pub struct Listing {
    columns: Vec<Column>,
}

/// Is given the rows of a [`Listing`], one after the other.
pub type Each<'a> = dyn FnMut(&[Cow<'_, str>]) -> io::Result<()> + 'a;

impl Listing {
    /// A listing with the columns of this head, as [`Table::new`] has them.
    pub fn new(head: &str) -> Self {
        Self { columns: columns(head) }
    }

    /// Writes header and rows. `rows` calls what it is given with each row in turn, the same rows each time.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut dyn Write, rows: impl Fn(&mut Each<'_>) -> io::Result<()>) -> io::Result<()> {
        self.write_within(out, output_width(), rows)
    }

    /// As [`Listing::write`], in lines of so many characters.
    fn write_within(
        &self,
        out: &mut dyn Write,
        columns: Option<usize>,
        rows: impl Fn(&mut Each<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let header: Vec<Cow<'_, str>> = self.columns.iter().map(|c| Cow::Borrowed(c.name.as_str())).collect();
        let mut widths: Vec<usize> = header.iter().map(|name| width(name)).collect();
        rows(&mut |row| {
            widths.iter_mut().zip(row).for_each(|(widest, cell)| *widest = width(cell).max(*widest));
            Ok(())
        })?;
        // A part after the other where a terminal is too narrow, with the first column before each.
        let rooms: Vec<usize> = widths.iter().map(|widest| widest + 3).collect();
        let parts = match columns {
            Some(columns) => divided(&rooms, 1, columns),
            None => vec![(0..header.len()).collect()],
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
        (row, widths, kept): (&[Cow<'_, str>], &[usize], &[usize]),
    ) -> io::Result<()> {
        line.clear();
        for i in kept.iter().copied() {
            let cell = &row[i];
            let blanks = std::iter::repeat_n(' ', widths[i].saturating_sub(width(cell)));
            line.push_str(if line.is_empty() { " " } else { "   " });
            match self.columns[i].is_number {
                false => line.extend(cell.chars().chain(blanks)),
                true => line.extend(blanks.chain(cell.chars())),
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
        let mut table = Table::new("coupling | > error");
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
        let mut table = Table::new("coupling | > error | > energy | > time [s]");
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
        let mut table = Table::new("property | value");
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
        let listing = Listing::new("coupling | > error | > energy");
        let rows = [["f-s (D/F)", "1.20e-2", "3"], ["s-s", "7e-3", "4"]];
        let text = |columns| {
            let mut out = Vec::new();
            let each = |each: &mut Each<'_>| rows.iter().try_for_each(|row| each(&row.map(Cow::Borrowed)));
            listing.write_within(&mut out, columns, each).expect("written");
            String::from_utf8(out).expect("text")
        };
        let mut table = Table::new("coupling | > error | > energy");
        rows.iter().for_each(|row| {
            table.row(*row);
        });
        assert_eq!(text(None), table.terminal() + "\n");
        assert_eq!(text(Some(24)), table.within(24) + "\n");
    }

    #[test]
    fn a_listing_looks_as_a_table() {
        let mut out = Vec::new();
        let listing = Listing::new("coupling | > error");
        let rows = [["f-s (D/F)", "1.20e-2"], ["s-s", "7e-3"]];
        listing.write(&mut out, |each| rows.iter().try_for_each(|row| each(&row.map(Cow::Borrowed)))).expect("written");
        assert_eq!(String::from_utf8(out).expect("text"), sample().terminal() + "\n");
    }

    #[test]
    fn markdown_marks_the_alignment() {
        let text = sample().markdown();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert_eq!(lines[..2], ["| coupling  |   error |", "|-----------|--------:|"], "{text}");
    }

    #[test]
    fn short_numbers() {
        assert_eq!([short(0.012_41), short(0.0), short(None), short(f64::INFINITY)], ["1.24e-2", "0", "-", "inf"]);
    }
}
