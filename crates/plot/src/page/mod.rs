//! One HTML page that needs no network, with curves that zoom together, tables and texts.
//!
//! What is shown is data in the page; a script that the page carries draws it with uPlot (MIT, `uplot/LICENSE`). The page follows
//! the browser's choice of light and dark. A page that a program serves while a run goes on asks that program for what is new. Who has more rows than a screen has columns thins them before.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::PlotError;

/// The content of a page, from top to bottom.
#[derive(Debug, Default)]
pub struct Page {
    /// Title of the page.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// Short facts, each with its name.
    pub facts: Vec<(String, String)>,
    /// What went wrong, if something did.
    pub error: Option<String>,
    /// Warnings, a line each.
    pub warnings: Vec<String>,
    /// What is to be known of the curves.
    pub note: String,
    /// Times of all curves, ascending.
    pub time: Vec<f64>,
    /// Curves over that time, those of one unit of measurement in one panel.
    pub curves: Vec<Curve>,
    /// Tables.
    pub tables: Vec<Sheet>,
    /// A picture as SVG, with its title.
    pub picture: Option<(String, String)>,
    /// Texts as they are, each with its title.
    pub texts: Vec<(String, String)>,
    /// Whether what is shown goes on.
    pub is_live: bool,
}

/// One curve.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// Name.
    pub name: String,
    /// Unit of measurement; empty for none.
    pub unit: String,
    /// Whether values hold until the next one, as those of Integers and Booleans do.
    pub is_stepped: bool,
    /// A value a time; NaN leaves a gap.
    pub values: Vec<f64>,
}

/// A table with a title.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Sheet {
    /// Title.
    pub title: String,
    /// A line that says what the columns are.
    pub note: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<String>>,
}

/// What the script of the page reads.
#[derive(Serialize)]
struct Content<'a> {
    title: &'a str,
    subtitle: &'a str,
    facts: &'a [(String, String)],
    error: Option<&'a str>,
    warnings: &'a [String],
    note: &'a str,
    time: String,
    curves: Vec<Line<'a>>,
    tables: &'a [Sheet],
    picture: Option<[&'a str; 2]>,
    texts: &'a [(String, String)],
    live: bool,
}

/// A curve: `offset` plus each of the numbers of 32 bits in `values`.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    unit: &'a str,
    stepped: bool,
    offset: f64,
    values: String,
}

impl Page {
    /// The page as text.
    ///
    /// # Errors
    /// [`PlotError`] where a curve has not one value a time.
    pub fn html(&self) -> Result<String, PlotError> {
        self.filled("")
    }

    /// The page as text that asks whoever serves it for `data`, as [`Page::data`] gives them, twice a second.
    ///
    /// # Errors
    /// As [`Page::html`].
    pub fn live_html(&self) -> Result<String, PlotError> {
        self.filled(concat!("<script>\n", include_str!("live.js"), "</script>\n"))
    }

    fn filled(&self, live: &str) -> Result<String, PlotError> {
        // Nothing in the data can end the element that holds it.
        let data = self.data()?.replace('<', "\\u003c");
        let parts = [
            ("{{title}}", escaped(&self.title)),
            ("{{library_style}}", include_str!("uplot/uPlot.min.css").to_owned()),
            ("{{style}}", include_str!("page.css").to_owned()),
            ("{{library}}", include_str!("uplot/uPlot.iife.min.js").trim_end().to_owned()),
            ("{{script}}", concat!(include_str!("chart.js"), include_str!("page.js")).to_owned()),
            ("{{live}}", live.to_owned()),
            ("{{data}}", data),
        ];
        Ok(filled(include_str!("page.html"), &parts))
    }

    /// The data of the page's script, as JSON.
    ///
    /// # Errors
    /// [`PlotError`] where a curve has not one value a time.
    pub fn data(&self) -> Result<String, PlotError> {
        // A curve has a value for each time.
        if let Some(curve) = self.curves.iter().find(|c| c.values.len() != self.time.len()) {
            return Err(PlotError::Page(format!(
                "curve `{}` has {} values, expected {}, one a row",
                curve.name,
                curve.values.len(),
                self.time.len()
            )));
        }
        // A picture is text in the page, so that it is one file.
        let picture = self.picture.as_ref().map(|(title, svg)| (title, STANDARD.encode(svg)));
        let content = Content {
            // All that the script shows.
            title: &self.title,
            subtitle: &self.subtitle,
            facts: &self.facts,
            error: self.error.as_deref(),
            warnings: &self.warnings,
            note: &self.note,
            time: doubles(&self.time),
            curves: self.curves.iter().map(Curve::line).collect(),
            tables: &self.tables,
            picture: picture.as_ref().map(|(title, svg)| [title.as_str(), svg.as_str()]),
            texts: &self.texts,
            live: self.is_live,
        };
        serde_json::to_string(&content).map_err(|e| PlotError::Page(e.to_string()))
    }

    /// Writes it.
    ///
    /// # Errors
    /// [`PlotError`] with the file that could not be written.
    pub fn write(&self, path: &Path) -> Result<(), PlotError> {
        std::fs::write(path, self.html()?).map_err(|source| PlotError::File { path: path.to_path_buf(), source })
    }
}

impl Curve {
    fn line(&self) -> Line<'_> {
        // The middle of what is shown, so that 32 bits are enough for what changes.
        let ends = self.values.iter().filter(|x| x.is_finite());
        let [low, high] = ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(*x), b.max(*x)]);
        let offset = if low <= high { 0.5 * low + 0.5 * high } else { 0.0 };
        let bytes: Vec<u8> = self.values.iter().flat_map(|x| ((x - offset) as f32).to_le_bytes()).collect();
        Line { name: &self.name, unit: &self.unit, stepped: self.is_stepped, offset, values: STANDARD.encode(bytes) }
    }
}

fn doubles(values: &[f64]) -> String {
    STANDARD.encode(values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The template with its places filled, each once, so that nothing inside a part is taken for a place.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    for (place, text) in parts {
        if let Some((before, after)) = rest.split_once(place) {
            out.push_str(before);
            out.push_str(text);
            rest = after;
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: usize) -> Page {
        let time: Vec<f64> = (0..rows).map(|i| i as f64 * 1e-3).collect();
        let values: Vec<f64> = time.iter().map(|t| 1e6 + t.sin()).collect();
        let curve = Curve { name: "a</script>b".into(), unit: "m".into(), values, ..Curve::default() };
        Page { title: "two <masses>".into(), time, curves: vec![curve], ..Page::default() }
    }

    #[test]
    fn data_cannot_leave_their_element() {
        let html = page(10).html().expect("a page");
        assert_eq!(html.matches("</script>").count(), 3);
        assert!(html.contains("<title>two &lt;masses&gt;</title>"));
        assert!(!html.contains("{{"), "every place is filled");
    }

    #[test]
    fn ten_signals_of_many_rows_are_a_small_page() {
        // As many points as thinned curves have.
        let mut page = page(8192);
        page.curves = (0..10).map(|i| Curve { name: format!("x{i}"), ..page.curves[0].clone() }).collect();
        assert!(page.html().expect("a page").len() < 1_000_000);
    }

    #[test]
    fn a_curve_without_its_values_is_refused() {
        let mut page = page(10);
        page.time.pop();
        let refused = page.html().expect_err("refused");
        assert!(refused.to_string().contains("10 values, expected 9"), "{refused}");
    }
}
