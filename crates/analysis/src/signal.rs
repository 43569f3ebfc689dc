//! Measures of sampled signals: size, frequency content.

use std::f64::consts::TAU;

/// Root mean square.
pub fn rms(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt() }
}

/// Frequency content of samples `step_s` seconds apart: that of the strongest component, and that below which 99 % of the
/// power lies, both in Hz. The mean is taken out and the ends are faded (Hann). `None` for less than 8 samples or no motion.
pub fn frequencies(values: &[f64], step_s: f64) -> Option<[f64; 2]> {
    let n = values.len();
    if n < 8 {
        return None;
    }
    // Without its mean and with faded ends, as the samples are no whole number of periods.
    let mean = values.iter().sum::<f64>() / n as f64;
    let faded: Vec<f64> = values
        .iter()
        .enumerate()
        .map(|(i, x)| (x - mean) * (0.5 - 0.5 * (TAU * i as f64 / (n - 1) as f64).cos()))
        .collect();
    // Power of each frequency, without the mean's.
    let power: Vec<f64> = (1..=n / 2)
        .map(|k| {
            let part = |f: fn(f64) -> f64| -> f64 {
                faded.iter().enumerate().map(|(i, x)| x * f(TAU * (k * i % n) as f64 / n as f64)).sum()
            };
            part(f64::cos).powi(2) + part(f64::sin).powi(2)
        })
        .collect();
    let total: f64 = power.iter().sum();
    if total <= 0.0 || !total.is_finite() {
        return None;
    }
    // The strongest one, and the one up to which nearly all power lies.
    let strongest = power.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(k, _)| k);
    let mut below = 0.0;
    let most = power.iter().position(|p| {
        below += p;
        below >= 0.99 * total
    });
    let hertz = |k: usize| (k + 1) as f64 / (n as f64 * step_s);
    Some([hertz(strongest), hertz(most.unwrap_or(power.len() - 1))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tones_are_found() {
        let (n, h) = (500, 1e-2);
        let tone = |f: f64, t: f64| (TAU * f * t).sin();
        let values: Vec<f64> = (0..n).map(|i| i as f64 * h).map(|t| 5.0 + 3.0 * tone(2.0, t) + tone(11.0, t)).collect();
        let [strongest, most] = frequencies(&values, h).expect("a motion");
        assert!((strongest - 2.0).abs() < 0.21 && (most - 11.0).abs() < 0.41, "{strongest} {most}");
        assert_eq!(frequencies(&[1.0; 100], h), None);
        assert!((rms(&[3.0, -3.0]) - 3.0).abs() < 1e-15);
    }
}
