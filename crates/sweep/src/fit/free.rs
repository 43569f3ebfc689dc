//! Free parameters: their ranges, searched on a linear or a logarithmic scale.

use macrostep_system::scenario::Endpoint;

use crate::vary::Levels;

/// A range over more than this factor is gone through by equal factors.
const LOG_FROM: f64 = 10.0;

/// A parameter that is free between two bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Free {
    /// Which.
    pub name: Endpoint,
    /// Its range.
    pub levels: Levels,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// `UNIT.VARIABLE=LOW:HIGH`.
impl std::str::FromStr for Free {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("found `{text}`, expected UNIT.VARIABLE=LOW:HIGH");
        let (name, range) = text.split_once('=').ok_or_else(expected)?;
        let name = Endpoint::parse(name.trim()).ok_or_else(expected)?;
        let (low, high) = range.split_once(':').ok_or_else(expected)?;
        let real = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(expected);
        let (low, high) = (real(low)?, real(high)?);
        if low >= high {
            return Err(format!("the range from {low:?} to {high:?} is empty or reversed, expected LOW below HIGH"));
        }
        let is_log = low > 0.0 && high / low > LOG_FROM;
        let levels = Levels::Range { is_log, low, high, count: None, is_whole: false };
        Ok(Free { name, levels, low, high })
    }
}

impl Free {
    /// The value at a place between 0 and 1.
    pub(super) fn value(&self, z: f64) -> f64 {
        match self.levels {
            Levels::Range { is_log: true, low, high, .. } => (low * (high / low).powf(z)).clamp(low, high),
            _ => self.low + (self.high - self.low) * z,
        }
    }

    /// Derivative of the value by the place.
    pub(super) fn slope(&self, z: f64) -> f64 {
        match self.levels {
            Levels::Range { is_log: true, low, high, .. } => self.value(z) * (high / low).ln(),
            _ => self.high - self.low,
        }
    }

    /// The place of a value, where it is in the range.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let place = match self.levels {
            Levels::Range { is_log: true, low, high, .. } => (value / low).ln() / (high / low).ln(),
            _ => (value - self.low) / (self.high - self.low),
        };
        (0.0..=1.0).contains(&place).then_some(place)
    }
}
