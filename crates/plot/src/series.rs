//! A *series*: points (x, y) with a name and a look.

use super::axis::Scale;
use super::canvas::{Area, Canvas, Stroke, put, short};
use super::palette;

/// Points in the order given, joined or marked.
#[derive(Debug, Clone)]
pub struct Series {
    pub(crate) label: String,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) colour: Option<usize>,
    pub(crate) dash: &'static str,
    pub(crate) width: f64,
    pub(crate) joined: bool,
    pub(crate) mark: Option<usize>,
    pub(crate) notes: Vec<String>,
}

/// Dashes of lines of the first eight colours, the second, and so on.
const DASHES: [&str; 4] = ["", "9,3", "2,2.5", "9,3,2,3"];

/// Number of different marks.
pub(crate) const MARKS: usize = 5;

impl Series {
    /// A solid line.
    pub fn line(label: &str, x: impl Into<Vec<f64>>, y: impl Into<Vec<f64>>) -> Self {
        Self {
            label: label.to_owned(),
            x: x.into(),
            y: y.into(),
            colour: None,
            dash: "",
            width: 1.6,
            joined: true,
            mark: None,
            notes: Vec::new(),
        }
    }

    /// Marks without a line; `mark` picks circle, square, triangle, diamond or cross.
    pub fn points(label: &str, x: impl Into<Vec<f64>>, y: impl Into<Vec<f64>>, mark: usize) -> Self {
        Self { joined: false, ..Self::line(label, x, y).marked(mark) }
    }

    /// Dashes instead of a solid line, for a reference.
    pub fn dashed(mut self) -> Self {
        self.dash = "7,4";
        self
    }

    /// Dots instead of a solid line.
    pub fn dotted(mut self) -> Self {
        self.dash = "1.5,3";
        self
    }

    /// A mark at each point: circle, square, triangle, diamond, cross.
    pub fn marked(mut self, mark: usize) -> Self {
        self.mark = Some(mark);
        self
    }

    /// Colour by number instead of by place in the chart.
    pub fn colour(mut self, number: usize) -> Self {
        self.colour = Some(number);
        self
    }

    /// Width of the line in pixels.
    pub fn width(mut self, pixels: f64) -> Self {
        self.width = pixels;
        self
    }

    /// Words beside the points, one each.
    pub fn notes(mut self, notes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.notes = notes.into_iter().map(Into::into).collect();
        self
    }

    /// Colour, width and dashes. When all colours have had their turn the dashes change.
    pub(crate) fn stroke(&self, place: usize) -> Stroke<'static> {
        let number = self.colour.unwrap_or(place);
        let dash = if self.dash.is_empty() { DASHES[number / palette::LINES.len() % DASHES.len()] } else { self.dash };
        Stroke { colour: palette::line(number), width: self.width, dash }
    }

    /// The points in pixels of `area`.
    pub(crate) fn pixels(&self, area: Area, scales: [Scale; 2]) -> Vec<[f64; 2]> {
        let place = |(x, y): (&f64, &f64)| {
            [area.left + scales[0].part(*x) * area.width(), area.bottom - scales[1].part(*y) * area.height()]
        };
        self.x.iter().zip(&self.y).map(place).collect()
    }
}

/// The same picture with at most four points a pixel column: first, lowest, highest, last.
///
/// Lines that run back in x, or have few points for their width, come back as they are.
pub(crate) fn thinned(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let forward = points.windows(2).all(|pair| pair[1][0] >= pair[0][0]);
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return points };
    if !forward || (points.len() as f64) < 4.0 * (last[0] - first[0]).abs().max(100.0) {
        return points;
    }
    let mut kept: Vec<[f64; 2]> = Vec::new();
    for column in points.chunk_by(|a, b| a[0].floor() == b[0].floor()) {
        let finite = || (0..column.len()).filter(|i| column[*i][1].is_finite());
        let by_height = |i: &usize, j: &usize| column[*i][1].total_cmp(&column[*j][1]);
        let mut indices = [Some(0), finite().min_by(by_height), finite().max_by(by_height), Some(column.len() - 1)];
        indices.sort_unstable();
        for (n, index) in indices.iter().enumerate() {
            if let Some(index) = index.filter(|_| n == 0 || indices[n - 1] != *index) {
                kept.push(column[index]);
            }
        }
    }
    kept
}

/// Draws a mark; all have about the same area.
pub(crate) fn draw_mark(canvas: &mut Canvas, [x, y]: [f64; 2], mark: usize, colour: &str) {
    // A point that is NaN is not drawn.
    if !(x.is_finite() && y.is_finite()) {
        return;
    }
    // A shape of straight sides around the point.
    let at = |corners: &[[f64; 2]]| {
        let mut path = String::new();
        for (i, [dx, dy]) in corners.iter().enumerate() {
            put(&mut path, format_args!("{}{} {}", if i == 0 { 'M' } else { 'L' }, short(x + dx), short(y + dy)));
        }
        path.push('Z');
        path
    };
    // The shapes in turn; a disc and a cross are drawn in their own way.
    let shape = match mark % MARKS {
        0 => return canvas.disc([x, y], 4.0, colour, palette::PAPER),
        1 => at(&[[-3.6, -3.6], [3.6, -3.6], [3.6, 3.6], [-3.6, 3.6]]),
        2 => at(&[[0.0, -5.0], [4.7, 3.4], [-4.7, 3.4]]),
        3 => at(&[[0.0, -5.2], [5.2, 0.0], [0.0, 5.2], [-5.2, 0.0]]),
        _ => {
            let (x, y) = (short(x), short(y));
            return canvas.path(&format!("M{x} {y}m-4 -4l8 8m0 -8l-8 8"), Stroke::solid(colour, 2.0));
        }
    };
    // A bright edge tells marks apart that lie on each other.
    canvas.fill(&shape, colour, false);
    canvas.path(&shape, Stroke::solid(palette::PAPER, 1.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_every_extreme_of_a_pixel_column() {
        let mut points: Vec<[f64; 2]> =
            (0..100_000).map(|i| [f64::from(i) * 0.005, (f64::from(i) * 0.3).sin()]).collect();
        points[54_321][1] = 7.0;
        points[54_322][1] = -7.0;
        let thin = thinned(points.clone());
        assert!(thin.len() <= 4 * 501 && thin.len() > 1000, "{}", thin.len());
        assert!(thin.contains(&points[54_321]) && thin.contains(&points[54_322]));
        assert_eq!((thin.first(), thin.last()), (points.first(), points.last()));
        assert!(thin.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
    }

    #[test]
    fn lines_differ_in_dashes_where_colours_repeat() {
        let look = |place: usize| {
            let stroke = Series::line("", [], []).stroke(place);
            (stroke.colour, stroke.dash)
        };
        let looks: std::collections::HashSet<_> = (0..32).map(look).collect();
        assert_eq!(looks.len(), 32);
        assert_eq!(look(7).1, "");
    }

    #[test]
    fn short_lines_and_loops_stay_whole() {
        let few: Vec<[f64; 2]> = (0..300).map(|i| [f64::from(i), 0.0]).collect();
        assert_eq!(thinned(few.clone()), few);
        let turn: Vec<[f64; 2]> = (0..9000).map(|i| [f64::from(i).cos(), f64::from(i).sin()]).collect();
        assert_eq!(thinned(turn.clone()), turn);
    }
}
