//! Tables for a terminal and for Markdown files: thin rules, numbers to the right, nothing said by colour alone.

use std::borrow::Cow;
use std::io::{self, Write};

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, TableStyle};

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

    /// For a terminal. Lines are never wrapped: a wide table is read better scrolled than folded.
    pub fn terminal(&self) -> String {
        self.render(RULED)
    }

    /// For a Markdown file.
    pub fn markdown(&self) -> String {
        self.render(ASCII_MARKDOWN)
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
