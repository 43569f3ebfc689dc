//! The words of two units with steps of their own.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use serde::Serialize;

/// The subsystem with the smaller macro step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum, Serialize)]
pub enum Fast {
    /// Mass 1
    #[value(name = "1")]
    #[serde(rename = "1")]
    One,
    /// Mass 2, the stiffer one in the benchmark
    #[value(name = "2")]
    #[serde(rename = "2")]
    #[default]
    Two,
}

/// H slow / H fast, 1 or above: `5` or `3/2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rate {
    /// Numerator, in lowest terms.
    pub over: u32,
    /// Denominator, in lowest terms.
    pub under: u32,
}

/// Equal steps.
impl Default for Rate {
    fn default() -> Self {
        Rate { over: 1, under: 1 }
    }
}

/// Name of a value as it is typed.
pub fn typed<T: ValueEnum>(value: T) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        /// Steps of the fast side in one of the slow side.
        const RATE_MAX: u32 = 10_000;
        let (over, under) = text.split_once('/').unwrap_or((text, "1"));
        let parse = |part: &str| part.parse::<u32>().ok().filter(|part| (1..=RATE_MAX).contains(part));
        match (parse(over), parse(under)) {
            (Some(over), Some(under)) if over >= under => {
                let common = common_divisor(over, under);
                Ok(Self { over: over / common, under: under / common })
            }
            _ => Err(format!("expected a ratio of 1 or above, as `5` or `3/2`, of numbers up to {RATE_MAX}")),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.under == 1 { write!(f, "{}", self.over) } else { write!(f, "{}/{}", self.over, self.under) }
    }
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

impl Serialize for Rate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_kept_in_lowest_terms() {
        assert_eq!("6/4".parse::<Rate>().expect("a rate"), Rate { over: 3, under: 2 });
        assert_eq!("5".parse::<Rate>().expect("a rate").to_string(), "5");
        for text in ["0", "1/2", "2/0", "-3", "1.5", "3/", "10001"] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }
}
