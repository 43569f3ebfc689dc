//! Axes: their names, their ranges, the places of their ticks.
//!
//! A linear axis has ticks at 1, 2 or 5 times a power of ten; a power common to all labels is drawn out beside the axis. A
//! logarithmic axis has labels at powers of ten, every n-th where they are many, at 2 and 5 between them where they are few.

/// One axis of a chart.
#[derive(Debug, Clone)]
pub struct Axis {
    label: String,
    log: bool,
    range: Option<[f64; 2]>,
}

/// Values to pixels along one axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) log: bool,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Where a mark stands and what is written at it; minor marks have no words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

impl Axis {
    /// Even steps. The unit is `1` for a number without one, and empty where it is not known.
    pub fn linear(quantity: &str, unit: &str) -> Self {
        let label = if matches!(unit, "1" | "") { quantity.to_owned() } else { format!("{quantity} [{unit}]") };
        Self { label, log: false, range: None }
    }

    /// Even ratios.
    pub fn log(quantity: &str, unit: &str) -> Self {
        Self { log: true, ..Self::linear(quantity, unit) }
    }

    /// Fixes both ends; without it the data do.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some([low, high]);
        self
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    pub(crate) fn is_log(&self) -> bool {
        self.log
    }

    /// The span shown: the fixed one, or that of the values with `margin` of its length added at both ends.
    pub(crate) fn scale(&self, values: impl Iterator<Item = f64>, margin: f64) -> Scale {
        if let Some([low, high]) = self.range {
            return Scale { log: self.log, low, high };
        }
        let mut values: Vec<f64> = values.filter(|v| v.is_finite() && (!self.log || *v > 0.0)).collect();
        values.sort_by(f64::total_cmp);
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
            return Scale { log: self.log, low: 0.1, high: 1.0 };
        };
        if self.log {
            // The dips of an error at its changes of sign are not worth the height: one value in a hundred may lie below.
            let (mut low, mut high) = (first.max(values[values.len() / 100] / 3.0).log10(), last.log10());
            if high - low < 1.0 {
                (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
            }
            let pad = margin * (high - low);
            return Scale { log: true, low: 10f64.powf(low - pad), high: 10f64.powf(high + pad) };
        }
        // A constant gets a span of its own, or rounding errors would fill the picture.
        let size = first.abs().max(last.abs());
        let span = last - first;
        if span <= 1e-9 * size || span == 0.0 {
            let half = if size == 0.0 { 1.0 } else { 0.1 * size };
            return Scale { log: false, low: first - half, high: last + half };
        }
        Scale { log: false, low: first - margin * span, high: last + margin * span }
    }
}

impl Scale {
    /// Part of the way from low to high; NaN for what has no logarithm.
    pub(crate) fn part(&self, value: f64) -> f64 {
        if self.log {
            if value <= 0.0 { f64::NAN } else { (value / self.low).log10() / (self.high / self.low).log10() }
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// Labelled ticks, unlabelled ticks, and the power of ten taken out of the labels (0 for none).
    pub(crate) fn ticks(&self, wanted: usize) -> (Vec<Tick>, Vec<f64>, i32) {
        if self.log { self.log_ticks(wanted) } else { self.linear_ticks(wanted) }
    }

    fn linear_ticks(&self, wanted: usize) -> (Vec<Tick>, Vec<f64>, i32) {
        let rough = (self.high - self.low) / wanted.max(2) as f64;
        let decade = 10f64.powf(rough.log10().floor());
        let within = |step: f64| ((self.low / step - 1e-9).ceil() as i64, (self.high / step + 1e-9).floor() as i64);
        let round = [10.0, 5.0, 2.0, 1.0, 0.5, 0.2].map(|n| n * decade);
        let wide = round.iter().rposition(|s| *s >= rough * 0.999).unwrap_or(0);
        // Fewer than three ticks do not show a scale.
        let legible = |s: &&f64| within(**s).1 - within(**s).0 >= 2;
        let step = *round[wide..].iter().find(legible).unwrap_or(&round[wide]);
        let size = self.low.abs().max(self.high.abs());
        let power = if (1e-3..1e5).contains(&size) { 0 } else { size.log10().floor() as i32 };
        let digits = (power - (step * 1.0001).log10().floor() as i32).max(0) as usize;

        let (first, last) = within(step);
        let tick = |n: i64| {
            let value = n as f64 * step;
            let shown = value / 10f64.powi(power);
            let label = format!("{:.digits$}", if n == 0 { 0.0 } else { shown }).replace('-', "−");
            Tick { value, label }
        };
        ((first..=last).map(tick).collect(), Vec::new(), power)
    }

    fn log_ticks(&self, wanted: usize) -> (Vec<Tick>, Vec<f64>, i32) {
        // How many powers of ten there are, and every which one gets a label.
        let (low, high) = (self.low.log10(), self.high.log10());
        let decades = high - low;
        let stride = (decades / wanted.max(2) as f64).ceil().max(1.0) as i32;
        let (first, last) = ((low - 1e-9).ceil() as i32, (high + 1e-9).floor() as i32);

        // Labels at powers of ten whose exponents are multiples of the stride.
        let aligned = |n: &i32| n.rem_euclid(stride) == 0;
        let mut labelled: Vec<Tick> =
            (first..=last).filter(aligned).map(|n| Tick { value: 10f64.powi(n), label: power_of_ten(n) }).collect();

        // Small ticks: the powers between them, or the digits from 2 to 9 where there is room.
        let inside = |v: &f64| (self.low * 0.999_999..=self.high * 1.000_001).contains(v);
        let between = |n: i32| (2..10).map(move |d| f64::from(d) * 10f64.powi(n));
        let minor: Vec<f64> = if stride > 1 {
            (first..=last).filter(|n| !aligned(n)).map(|n| 10f64.powi(n)).collect()
        } else if decades <= 6.0 {
            (first - 1..=last).flat_map(between).filter(inside).collect()
        } else {
            Vec::new()
        };
        // With few powers in sight, 2 and 5 are labelled, too.
        if decades < 1.6 || labelled.len() < 2 {
            let few = (first - 1..=last).flat_map(|n| [(2, n), (5, n)]);
            let tick = |(d, n): (i32, i32)| Tick {
                value: f64::from(d) * 10f64.powi(n),
                label: format!("{d}·{}", power_of_ten(n)),
            };
            labelled.extend(few.map(tick).filter(|tick| inside(&tick.value)));
            // Numbers of a few digits are read sooner than powers.
            if self.low >= 1e-3 && self.high < 1e4 {
                for tick in &mut labelled {
                    let digits = (-(tick.value * 1.0001).log10().floor()).max(0.0) as usize;
                    tick.label = format!("{:.digits$}", tick.value);
                }
            }
        }
        (labelled, minor, 0)
    }
}

/// `10⁻³`; the powers 0 and 1 in plain digits.
pub(crate) fn power_of_ten(n: i32) -> String {
    match n {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        _ => format!("10{}", n.to_string().chars().map(raised).collect::<String>()),
    }
}

fn raised(c: char) -> char {
    match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, wanted: usize) -> (Vec<String>, i32) {
        let (ticks, _, power) = scale.ticks(wanted);
        (ticks.into_iter().map(|tick| tick.label).collect(), power)
    }

    #[test]
    fn linear_ticks_are_round() {
        let scale = Scale { log: false, low: -0.32, high: 1.04 };
        assert_eq!(labels(scale, 6), (["0.0", "0.5", "1.0"].map(str::to_owned).to_vec(), 0));
        let scale = Scale { log: false, low: 0.0, high: 10.0 };
        assert_eq!(labels(scale, 5).0, ["0", "2", "4", "6", "8", "10"]);
    }

    #[test]
    fn a_low_picture_has_three_ticks() {
        assert_eq!(labels(Scale { log: false, low: -1.2, high: 1.2 }, 2).0, ["−1", "0", "1"]);
        assert_eq!(labels(Scale { log: false, low: 0.9, high: 4.1 }, 2).0, ["1", "2", "3", "4"]);
    }

    #[test]
    fn a_large_power_is_drawn_out() {
        let (labels, power) = labels(Scale { log: false, low: 0.0, high: 3e-7 }, 4);
        assert_eq!((labels.join(" "), power), ("0 1 2 3".to_owned(), -7));
    }

    #[test]
    fn log_ticks_skip_where_decades_are_many() {
        assert_eq!(labels(Scale { log: true, low: 1e-4, high: 1.0 }, 8).0, ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]);
        assert_eq!(labels(Scale { log: true, low: 1e-16, high: 1.0 }, 5).0, ["10⁻¹⁶", "10⁻¹²", "10⁻⁸", "10⁻⁴", "1"]);
    }

    #[test]
    fn a_log_axis_of_few_decades_has_plain_numbers() {
        let mut found = labels(Scale { log: true, low: 0.09, high: 2.2 }, 5).0;
        found.sort();
        assert_eq!(found, ["0.1", "0.2", "0.5", "1", "2"]);
        let mut found = labels(Scale { log: true, low: 9e-6, high: 2.2e-5 }, 5).0;
        found.sort();
        assert_eq!(found, ["10⁻⁵", "2·10⁻⁵"]);
    }

    #[test]
    fn the_span_of_a_log_axis_ignores_what_is_not_positive() {
        let scale = Axis::log("error", "1").scale([0.0, -1.0, 1e-3, 10.0, f64::NAN].into_iter(), 0.0);
        assert!((scale.low / 1e-3 - 1.0).abs() < 1e-12 && (scale.high / 10.0 - 1.0).abs() < 1e-12, "{scale:?}");
        assert!(scale.part(0.0).is_nan() && (scale.part(0.1) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_constant_gets_a_span() {
        let scale = Axis::linear("energy", "J").scale([1e4, 1e4 + 1e-9].into_iter(), 0.05);
        assert_eq!((scale.low.round(), scale.high.round()), (9000.0, 11000.0));
    }
}
