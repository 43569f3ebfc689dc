//! Pictures of the rows of a sweep, read from the file.
//!
//! | what was varied | picture of each measure |
//! |---|---|
//! | a grid of one number | a line |
//! | a grid of one number and one word | a line a word |
//! | a grid of two numbers | a heat map |
//! | any other grid | the mean over all others, with the smallest and the largest value, against each name |
//! | samples, or a table | points against each name; for samples bars of the Sobol indices |
//!
//! Where more than two names were varied there are parallel coordinates too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use macrostep_plot::{Axis, Bars, Chart, Figure, Heat, Parallel, Series};

use crate::indices::{Indices, indices};
use crate::refused::Refused;
use crate::table::{Definition, rows};
use crate::vary::{Levels, Vary, cell};

/// Rows that are kept for points and indices; of more every k-th.
const ROWS_MAX: u64 = 5000;

/// Cells of a heat map, and points of a line.
const CELLS_MAX: u64 = 250_000;

/// Draws the pictures of a folder, and gives the Sobol indices where points were sampled.
///
/// # Errors
/// [`Refused`] where rows cannot be read, or a picture cannot be written.
pub fn draw(folder: &Path, definition: &Definition, is_drawn: bool) -> Result<Vec<Indices>, Refused> {
    // A whole grid is drawn by its levels; a table and a part of a sweep by their points.
    let varies: Option<Vec<Vary>> = definition.varied.iter().map(|text| text.parse().ok()).collect();
    let grid = varies.as_ref().filter(|_| !definition.sampled && definition.shard == [1, 1]);
    // Of more than two names, all are also shown beside each other.
    if is_drawn && definition.varied.len() > 2 {
        Sample::read(folder, definition)?.parallel(folder, definition)?;
    }
    if let Some(varies) = grid {
        return if is_drawn { of_grid(folder, definition, varies).map(|()| Vec::new()) } else { Ok(Vec::new()) };
    }
    // Points as they are, and indices where they were sampled.
    let sample = Sample::read(folder, definition)?;
    if is_drawn {
        sample.points(folder, definition)?;
    }
    let Some(varies) = varies.filter(|_| definition.sampled) else { return Ok(Vec::new()) };
    let found = sample.indices(definition, &varies);
    // First order and total, with intervals.
    if is_drawn && !found.is_empty() {
        let mut figure = Figure::new("Sobol indices")
            .subtitle("first order: alone; total: together with the others; lines: intervals of 95 %");
        for i in &found {
            let title = format!("{} · the polynomial explains {:.1} %", i.measure, 100.0 * i.explained);
            let names = i.names.iter().map(|index| index.name.clone());
            let bars = Bars::new(&title, Axis::linear("share of the variance", "1").range(0.0, 1.0), names)
                .with("first order", i.names.iter().map(|index| index.first).collect::<Vec<_>>())
                .intervals(i.names.iter().map(|index| index.first_confidence).collect::<Vec<_>>())
                .with("total", i.names.iter().map(|index| index.total).collect::<Vec<_>>())
                .intervals(i.names.iter().map(|index| index.total_confidence).collect::<Vec<_>>());
            figure = figure.with(bars);
        }
        figure.panel_size(800.0, 120.0 + 60.0 * definition.varied.len() as f64).write(folder, "indices")?;
    }
    Ok(found)
}

/// The axis of a varied name.
fn axis(vary: &Vary, unit: &str) -> Axis {
    let name = vary.target.to_string();
    match vary.levels {
        Levels::Range { is_log: true, .. } => Axis::log(&name, unit),
        _ => Axis::linear(&name, unit),
    }
}

/// All levels as numbers; `None` where one is a word.
fn numbers(vary: &Vary) -> Option<Vec<f64>> {
    let n = vary.levels.count()?;
    (0..n).map(|i| crate::vary::number(&vary.levels.level(i))).collect()
}

/// What is known of a measure at one level of one name.
#[derive(Debug, Clone, Copy)]
struct Level {
    count: f64,
    sum: f64,
    min: f64,
    max: f64,
}

impl Level {
    const NONE: Level = Level { count: 0.0, sum: 0.0, min: f64::NAN, max: f64::NAN };

    fn take(&mut self, y: f64) {
        self.count += 1.0;
        self.sum += y;
        (self.min, self.max) = (self.min.min(y), self.max.max(y));
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }
}

fn of_grid(folder: &Path, d: &Definition, varies: &[Vary]) -> Result<(), Refused> {
    // Rows of the grid, the last name fastest.
    let counts: Vec<u64> = varies.iter().map(|vary| vary.levels.count().unwrap_or(1)).collect();
    let all: u64 = counts.iter().product();
    let measures = d.measures.len();
    // Two names at most are drawn as they are; of more, each by itself.
    let is_whole = varies.len() <= 2 && all <= CELLS_MAX;
    let mut cells = vec![vec![f64::NAN; if is_whole { all as usize } else { 0 }]; measures];
    let mut levels: Vec<Vec<Vec<Level>>> =
        vec![counts.iter().map(|n| vec![Level::NONE; (*n).min(CELLS_MAX) as usize]).collect(); measures];
    // One pass over the file: each value goes to its cell, and to the level of each name by itself.
    for (row, record) in rows(folder)?.into_records().enumerate() {
        let record = record.map_err(|e| Refused::Run(e.to_string()))?;
        for (m, text) in record.iter().skip(varies.len()).take(measures).enumerate() {
            let Ok(y) = text.parse::<f64>() else { continue };
            if let Some(place) = cells[m].get_mut(row) {
                *place = y;
            }
            let mut rest = row as u64;
            for (j, n) in counts.iter().enumerate().rev() {
                if let Some(level) = levels[m][j].get_mut((rest % n) as usize) {
                    level.take(y);
                }
                rest /= n;
            }
        }
    }
    // A picture for each measure, by how many names there are and whether they are numbers.
    let mut figure = Figure::new("Sweep").subtitle(&d.varied.join("   ")).columns(if varies.len() > 1 { 2 } else { 1 });
    for (m, name) in d.head().into_iter().skip(varies.len()).take(measures).enumerate() {
        let measured = Measured { name: &name, units: &d.units, varies, cells: &cells[m], levels: &levels[m] };
        figure = measured.added_to(figure);
    }
    figure.panel_size(620.0, 420.0).write(folder, "measures")?;
    Ok(())
}

/// A measure over the values that are varied.
struct Measured<'a> {
    name: &'a str,
    /// Units of measurement of what is varied.
    units: &'a [String],
    varies: &'a [Vary],
    /// Values of the whole grid, none where it is not drawn as it is.
    cells: &'a [f64],
    /// Levels of each name by itself.
    levels: &'a [Vec<Level>],
}

impl Measured<'_> {
    /// The figure with the pictures of the measure.
    fn added_to(&self, mut figure: Figure) -> Figure {
        let Measured { name, units, varies, cells, levels } = *self;
        let is_whole = !cells.is_empty();
        let numbers: Vec<Option<Vec<f64>>> = varies.iter().map(numbers).collect();
        match (varies, numbers.as_slice()) {
            // A line over one number.
            ([x], [Some(values)]) if is_whole => {
                let line = Series::line(name, values.clone(), cells.to_vec());
                figure = figure.with(Chart::new(name, axis(x, &units[0]), Axis::linear(name, "")).with(line));
            }
            // A heat map over two, where steps are even.
            ([y, x], [Some(rows), Some(columns)]) if is_whole && even(y) && even(x) => {
                let axes = [axis(x, &units[1]), axis(y, &units[0])];
                let heat = Heat::new(name, axes, columns.clone(), rows.clone(), cells.to_vec());
                figure = figure.with(heat.quantity(name));
            }
            ([a, b], [first, second]) if is_whole && (first.is_some() != second.is_some()) => {
                // One of them is a word: a line each.
                let is_first = first.is_some();
                let (number, word, unit) = if is_first { (a, b, &units[0]) } else { (b, a, &units[1]) };
                let values = first.as_ref().or(second.as_ref()).cloned().unwrap_or_default();
                let mut chart = Chart::new(name, axis(number, unit), Axis::linear(name, ""));
                for w in 0..word.levels.count().unwrap_or(0) {
                    let n = values.len();
                    let words = word.levels.count().unwrap_or(1) as usize;
                    let at = |i: usize| if is_first { i * words + w as usize } else { w as usize * n + i };
                    let y: Vec<f64> = (0..n).map(|i| cells[at(i)]).collect();
                    chart = chart.with(Series::line(&cell(&word.levels.level(w)), values.clone(), y));
                }
                figure = figure.with(chart);
            }
            _ => {
                // Anything else: mean and extremes over each name by itself.
                for (j, vary) in varies.iter().enumerate() {
                    let known = &levels[j];
                    let x = numbers[j].clone().unwrap_or_else(|| (1..=known.len()).map(|i| i as f64).collect());
                    let part = |of: fn(&Level) -> f64| known.iter().map(of).collect::<Vec<f64>>();
                    let chart = Chart::new(name, axis(vary, &units[j]), Axis::linear(name, ""))
                        .with(Series::line("mean", x.clone(), part(Level::mean)))
                        .with(Series::line("smallest", x.clone(), part(|l| l.min)).dashed())
                        .with(Series::line("largest", x, part(|l| l.max)).dashed());
                    figure = figure.with(chart);
                }
            }
        }
        figure
    }
}

/// Whether levels grow evenly on their axis, as a heat map needs.
fn even(vary: &Vary) -> bool {
    matches!(vary.levels, Levels::Range { .. })
}

/// Some of the rows, in memory.
struct Sample {
    /// Texts of what is varied.
    points: Vec<Vec<String>>,
    /// Values of the measures.
    measures: Vec<Vec<f64>>,
}

impl Sample {
    fn read(folder: &Path, d: &Definition) -> Result<Sample, Refused> {
        let n = d.varied.len();
        let every = d.rows.div_ceil(ROWS_MAX).max(1);
        let mut sample = Sample { points: Vec::new(), measures: Vec::new() };
        for (row, record) in rows(folder)?.into_records().enumerate() {
            let record = record.map_err(|e| Refused::Run(e.to_string()))?;
            if !(row as u64).is_multiple_of(every) {
                continue;
            }
            sample.points.push(record.iter().take(n).map(str::to_owned).collect());
            let measured = record.iter().skip(n).take(d.measures.len());
            sample.measures.push(measured.map(|text| text.parse().unwrap_or(f64::NAN)).collect());
        }
        Ok(sample)
    }

    /// Each measure against each name that is a number.
    fn points(&self, folder: &Path, d: &Definition) -> Result<(), Refused> {
        let head = d.head();
        let mut figure = Figure::new("Sweep").subtitle(&d.varied.join("   ")).columns(d.varied.len().clamp(1, 4));
        for (m, measure) in head.iter().skip(d.varied.len()).take(d.measures.len()).enumerate() {
            for (j, name) in head.iter().take(d.varied.len()).enumerate() {
                let words: BTreeMap<&str, usize> = self.points.iter().map(|p| (p[j].as_str(), 0)).collect();
                let places: BTreeMap<&str, f64> =
                    words.keys().enumerate().map(|(i, word)| (*word, i as f64 + 1.0)).collect();
                let x: Vec<f64> = self.points.iter().map(|p| p[j].parse().unwrap_or(places[p[j].as_str()])).collect();
                let y: Vec<f64> = self.measures.iter().map(|values| values[m]).collect();
                let axis = match d.varied[j].parse::<Vary>() {
                    Ok(vary) => axis(&vary, &d.units[j]),
                    Err(_) => Axis::linear(name, &d.units[j]),
                };
                figure = figure
                    .with(Chart::new(measure, axis, Axis::linear(measure, "")).with(Series::points(measure, x, y, 0)));
            }
        }
        figure.panel_size(480.0, 360.0).write(folder, "measures")?;
        Ok(())
    }

    /// All names and one measure over each other, a picture a measure; a line is a row.
    fn parallel(&self, folder: &Path, d: &Definition) -> Result<(), Refused> {
        // A panel for each measure, in which lines go through an axis for each name.
        let head = d.head();
        let mut figure = Figure::new("Sweep").subtitle("each line is a run; its colour is the value on the last axis");
        for (m, measure) in head.iter().skip(d.varied.len()).take(d.measures.len()).enumerate() {
            let mut parallel = Parallel::new(measure);
            // An axis of numbers, or of words in alphabetical order.
            for (j, name) in head.iter().take(d.varied.len()).enumerate() {
                let axis = match d.varied[j].parse::<Vary>() {
                    Ok(vary) => axis(&vary, &d.units[j]),
                    Err(_) => Axis::linear(name, &d.units[j]),
                };
                let numbers: Option<Vec<f64>> = self.points.iter().map(|p| p[j].parse().ok()).collect();
                parallel = match numbers {
                    Some(numbers) => parallel.with(axis, numbers),
                    None => {
                        let words: BTreeSet<&str> = self.points.iter().map(|p| p[j].as_str()).collect();
                        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
                        let place =
                            |p: &Vec<String>| words.iter().position(|w| *w == p[j]).map_or(0.0, |n| n as f64 + 1.0);
                        let values: Vec<f64> = self.points.iter().map(place).collect();
                        parallel.with_words(axis, words, values)
                    }
                };
            }
            // The measure is the last axis, and gives the colour.
            let values: Vec<f64> = self.measures.iter().map(|values| values[m]).collect();
            figure = figure.with(parallel.with(Axis::linear(measure, ""), values));
        }
        figure.panel_size(200.0 + 170.0 * d.varied.len() as f64, 380.0).write(folder, "parallel")?;
        Ok(())
    }

    /// Of every measure for which there are any.
    fn indices(&self, d: &Definition, varies: &[Vary]) -> Vec<Indices> {
        let names: Vec<String> = varies.iter().map(|vary| vary.target.to_string()).collect();
        let of = |(m, measure): (usize, String)| {
            let known = self.points.iter().zip(&self.measures).filter(|(_, values)| values[m].is_finite());
            let place = |point: &Vec<String>| -> Option<Vec<f64>> {
                varies.iter().zip(point).map(|(vary, text)| vary.levels.place(text)).collect()
            };
            let placed = known.filter_map(|(point, values)| Some((place(point)?, values[m])));
            let (places, y): (Vec<Vec<f64>>, Vec<f64>) = placed.unzip();
            indices(&measure, &names, &places, &y)
        };
        d.head().into_iter().skip(varies.len()).take(d.measures.len()).enumerate().filter_map(of).collect()
    }
}
