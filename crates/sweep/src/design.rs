//! The *design*: which points of the space of varied values are run, one after the other, without keeping them.
//!
//! * grid: all combinations, the first target slowest;
//! * Sobol: the sequence of Joe and Kuo with a random shift modulo 1 for each dimension, which keeps its uniformity;
//! * Latin hypercube: each of N equal parts of every dimension holds one point. The order of the parts is a permutation
//!   that is evaluated place by place, so that nothing grows with N.
//!
//! References: \[Joe & Kuo 2008\]; \[McKay, Beckman & Conover 1979\]; \[Kensler 2013\] for the permutation.

use macrostep_system::scenario::Value;
use sobol::Sobol;
use sobol::params::JoeKuoD6;

use crate::vary::Vary;

/// Targets that a Sobol sequence has dimensions for.
pub const DIMENSIONS_MAX: usize = 100;

/// How points are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design {
    /// All combinations.
    Grid,
    /// A shifted Sobol sequence.
    Sobol {
        /// Number of points.
        samples: u64,
        /// Of the shift.
        seed: u64,
    },
    /// A Latin hypercube.
    Lhs {
        /// Number of points.
        samples: u64,
        /// Of the permutations, and of the places inside the parts.
        seed: u64,
    },
}

impl Design {
    /// How many points there are.
    ///
    /// # Errors
    /// What is missing or too large, in a sentence.
    pub fn rows(self, varies: &[Vary]) -> Result<u64, String> {
        match self {
            Design::Sobol { samples, .. } | Design::Lhs { samples, .. } => {
                if varies.len() > DIMENSIONS_MAX {
                    return Err(format!("{} varied names, expected at most {DIMENSIONS_MAX}", varies.len()));
                }
                Ok(samples)
            }
            Design::Grid => varies.iter().try_fold(1u64, |product, vary| {
                let n = vary
                    .levels
                    .count()
                    .ok_or_else(|| format!("`--vary {vary}` needs a number of values for a grid: `{vary}:N`"))?;
                product
                    .checked_mul(n)
                    .ok_or_else(|| "the grid has more than 1.8e19 points: choose fewer values".to_owned())
            }),
        }
    }

    /// All points in their order.
    pub fn points<'a>(self, varies: &'a [Vary]) -> Box<dyn Iterator<Item = Vec<Value>> + Send + 'a> {
        match self {
            Design::Grid => Box::new((0..self.rows(varies).unwrap_or(0)).map(move |row| grid_point(varies, row))),
            Design::Sobol { samples, seed } => {
                let shifts: Vec<f64> = (0..varies.len()).map(|j| unit(hash(seed, j as u64))).collect();
                let sequence = Sobol::<f64>::new(varies.len(), &JoeKuoD6::minimal());
                let shifted = move |x: Vec<f64>| {
                    let places = x.iter().zip(&shifts).map(|(x, shift)| (x + shift).fract());
                    places.zip(varies).map(|(u, vary)| vary.levels.at(u)).collect()
                };
                Box::new(sequence.map(shifted).take(samples as usize))
            }
            Design::Lhs { samples, seed } => Box::new((0..samples).map(move |row| {
                let place = |j: usize| {
                    let part = permuted(row as u32, samples as u32, hash(seed, j as u64) as u32);
                    (f64::from(part) + unit(hash(seed ^ row, (j as u64) << 32 | 1))) / samples as f64
                };
                varies.iter().enumerate().map(|(j, vary)| vary.levels.at(place(j))).collect()
            })),
        }
    }
}

/// Point `row` of the grid: digits of the number in the mixed base of the levels.
fn grid_point(varies: &[Vary], row: u64) -> Vec<Value> {
    let mut rest = row;
    let mut values: Vec<Value> = varies
        .iter()
        .rev()
        .map(|vary| {
            let n = vary.levels.count().unwrap_or(1).max(1);
            let i = rest % n;
            rest /= n;
            vary.levels.level(i)
        })
        .collect();
    values.reverse();
    values
}

/// A hash of 64 bits (SplitMix64).
fn hash(seed: u64, stream: u64) -> u64 {
    let mut z = seed
        .wrapping_mul(0xD134_2543_DE82_EF95)
        .wrapping_add(stream.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// From 64 bits a number in [0, 1).
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// Place `i` of a permutation of `n` places, chosen by `p`: rounds of an invertible hash over the next power of two, repeated
/// until the result is below `n`.
fn permuted(i: u32, n: u32, p: u32) -> u32 {
    // A mask of all bits up to the highest one of n − 1.
    let mut w = n.saturating_sub(1);
    for shift in [1, 2, 4, 8, 16] {
        w |= w >> shift;
    }
    let mut i = i;
    // Steps of an invertible hash, in the published order. A result outside of the n places goes through it again.
    loop {
        i ^= p;
        i = i.wrapping_mul(0xe170_893d);
        i ^= p >> 16;
        i ^= (i & w) >> 4;
        i ^= p >> 8;
        i = i.wrapping_mul(0x0929_eb3f);
        // Bits of p, products with odd numbers and shifts inside of the mask can all be undone.
        i ^= p >> 23;
        i ^= (i & w) >> 1;
        i = i.wrapping_mul(1 | p >> 27);
        i = i.wrapping_mul(0x6935_fa69);
        i ^= (i & w) >> 11;
        i = i.wrapping_mul(0x74dc_b303);
        i ^= (i & w) >> 2;
        i = i.wrapping_mul(0x9e50_1cc3);
        i ^= (i & w) >> 2;
        i = i.wrapping_mul(0xc860_a3df);
        i &= w;
        i ^= i >> 5;
        if i < n {
            break;
        }
    }
    // A shift by p is a permutation, too.
    ((u64::from(i) + u64::from(p)) % u64::from(n)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vary::number;

    fn varies() -> Vec<Vary> {
        ["a.k=lin:0:1:3", "a.c=lin:0:1:4"].iter().map(|text| text.parse().expect("a range")).collect()
    }

    #[test]
    fn a_grid_has_every_combination_once() {
        let points: Vec<Vec<f64>> =
            Design::Grid.points(&varies()).map(|p| p.iter().filter_map(number).collect()).collect();
        assert_eq!(points.len(), 12);
        assert_eq!(points[0], [0.0, 0.0]);
        assert_eq!(points[1], [0.0, 1.0 / 3.0]);
        assert_eq!(points[11], [1.0, 1.0]);
    }

    #[test]
    fn a_latin_hypercube_has_one_point_in_each_part() {
        for samples in [1, 7, 100, 1000] {
            let design = Design::Lhs { samples, seed: 3 };
            for dimension in 0..2 {
                let varies = varies();
                let mut parts: Vec<u64> = design
                    .points(&varies)
                    .filter_map(|p| number(&p[dimension]).map(|u| (u * samples as f64) as u64))
                    .collect();
                parts.sort_unstable();
                assert_eq!(parts, (0..samples).collect::<Vec<_>>());
            }
        }
    }

    /// The mean of x y over 256 points of a Sobol sequence is far nearer to 1/4 than that of random points, 0.02.
    #[test]
    fn a_sobol_sequence_is_uniform() {
        let (samples, varies) = (256, varies());
        let points = Design::Sobol { samples, seed: 1 }.points(&varies);
        let products: Vec<f64> = points.map(|p| p.iter().filter_map(number).product()).collect();
        let mean = products.iter().sum::<f64>() / samples as f64;
        assert!(products.len() == 256 && (mean - 0.25).abs() < 2e-3, "{mean}");
    }
}
