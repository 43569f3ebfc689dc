//! Numbers as text in files of rows.

/// Appends the shortest digits that read back to the same bits: the plain form from 1e-4 to 1e16, else with an exponent, as
/// `{}` and `{:e}` write them.
#[inline]
pub fn write_number(text: &mut String, value: f64) {
    let mut room = zmij::Buffer::new();
    let digits = room.format(value);
    let size = value.abs();
    if (1e-5..1e-4).contains(&size) {
        // The plain form: 0.0000 and the digits.
        let (sign, digits) = if value < 0.0 { ("-", &digits[7..]) } else { ("", &digits[6..]) };
        let (first, rest) = digits.split_at(1);
        text.push_str(sign);
        text.push_str(first);
        if !rest.is_empty() {
            text.push('.');
            text.push_str(rest);
        }
        text.push_str("e-5");
    } else if size >= 1e16
        && let Some((digits, exponent)) = digits.split_once("e+")
    {
        // Without the sign of the exponent.
        text.push_str(digits);
        text.push('e');
        text.push_str(exponent);
    } else {
        text.push_str(digits.strip_suffix(".0").unwrap_or(digits));
    }
}

#[cfg(test)]
mod tests {
    use super::write_number;

    fn text(value: f64) -> String {
        let mut text = String::new();
        write_number(&mut text, value);
        text
    }

    /// As the standard library writes it, the last of equally near digits apart.
    #[track_caller]
    fn is_shortest(value: f64) {
        let size = value.abs();
        let plain = size == 0.0 || !value.is_finite() || (1e-4..1e16).contains(&size);
        let (found, expected) = (text(value), if plain { format!("{value}") } else { format!("{value:e}") });
        if found != expected {
            let digits = |text: &str| text.trim_start_matches('-').find('e').unwrap_or(text.len());
            assert_eq!((found.len(), digits(&found)), (expected.len(), digits(&expected)), "{found} {expected}");
        }
        let back: f64 = found.parse().expect("a number");
        assert!(back.to_bits() == value.to_bits() || value.is_nan() && back.is_nan(), "{found} {expected}");
    }

    #[test]
    fn digits_are_the_shortest_that_read_back() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (1e-4, "0.0001"),
            (9.5e-5, "9.5e-5"),
            (-2e-5, "-2e-5"),
            (1e-7, "1e-7"),
            (9999999999999998.0, "9999999999999998"),
            (1e16, "1e16"),
            (-1.5e300, "-1.5e300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(text(value), expected);
        }
        for exponent in -1074..1024 {
            let value = 2f64.powi(exponent);
            for bits in [value.to_bits().saturating_sub(1), value.to_bits(), value.to_bits() + 1] {
                is_shortest(f64::from_bits(bits));
                is_shortest(-f64::from_bits(bits));
            }
        }
        // Any bits, and sizes that occur.
        let mut x = 88172645463325252_u64;
        for _ in 0..100_000 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let unit = (x >> 11) as f64 * 2f64.powi(-53);
            for value in [f64::from_bits(x), unit, (unit - 0.5) * 1e-4, (x % 1_000_000) as f64 * 1e-3] {
                is_shortest(value);
            }
        }
    }
}
