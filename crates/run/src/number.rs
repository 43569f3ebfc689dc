//! Numbers as text in files of rows.

/// Most bytes of a number: `-2.2250738585072014e-308`.
pub const NUMBER_MOST: usize = 24;

/// Texts that are kept for numbers to come.
const KNOWN: usize = 256;

/// Puts the shortest digits that read back to the same bits at the beginning of `room`, and returns how many bytes they are: the
/// plain form from 1e-4 to 1e16, else with an exponent, as `{}` and `{:e}` write them.
#[inline]
pub fn write_number(room: &mut [u8; NUMBER_MOST], value: f64) -> usize {
    const LEAST: u64 = 1e-4f64.to_bits();
    const SIZES: u64 = 1e16f64.to_bits() - LEAST;
    // Bits of positive numbers are in the order of the numbers.
    if value.abs().to_bits().wrapping_sub(LEAST) >= SIZES {
        return write_unlike(room, value);
    }
    let mut buffer = zmij::Buffer::new();
    let digits = buffer.format_finite(value).as_bytes();
    let n = digits.len();
    if !(copied::<16>(room, digits) || copied::<8>(room, digits) || copied::<4>(room, digits)) {
        room[..n].copy_from_slice(digits);
    }
    if digits.ends_with(b".0") { n - 2 } else { n }
}

/// Copies digits in two pieces of this length that overlap, which takes no call; false where there are fewer.
#[inline(always)]
fn copied<const PIECE: usize>(room: &mut [u8; NUMBER_MOST], digits: &[u8]) -> bool {
    let (Some(first), Some(last)) = (digits.first_chunk::<PIECE>(), digits.last_chunk::<PIECE>()) else { return false };
    let n = digits.len();
    room[..PIECE].copy_from_slice(first);
    room[n - PIECE..n].copy_from_slice(last);
    true
}

/// As [`write_number`], of numbers whose form is not that of the digits as they come.
fn write_unlike(room: &mut [u8; NUMBER_MOST], value: f64) -> usize {
    let mut buffer = zmij::Buffer::new();
    let (digits, size) = (buffer.format(value).as_bytes(), value.abs());
    let mut n = 0;
    let mut put = |bytes: &[u8]| {
        room[n..n + bytes.len()].copy_from_slice(bytes);
        n += bytes.len();
    };
    if (1e-5..1e-4).contains(&size) {
        // The plain form: 0.0000 and the digits.
        let places = b"0.0000".len();
        let (sign, digits) = digits.split_at(usize::from(digits[0] == b'-'));
        let (first, rest) = digits[places..].split_at(1);
        put(sign);
        put(first);
        if !rest.is_empty() {
            put(b".");
            put(rest);
        }
        put(b"e-5");
    } else if let Some(plus) = digits.iter().position(|b| *b == b'+') {
        // Without the sign of the exponent.
        put(&digits[..plus]);
        put(&digits[plus + 1..]);
    } else {
        put(digits.strip_suffix(b".0").unwrap_or(digits));
    }
    n
}

/// Texts of numbers that were written before: outputs that stay as they are, and the same output of two units, are
/// copied.
#[derive(Debug)]
pub struct Numbers {
    /// Each at a place that follows from the bits of its number.
    known: Box<[Text; KNOWN]>,
}

#[derive(Debug, Clone, Copy)]
struct Text {
    bits: u64,
    length: usize,
    bytes: [u8; NUMBER_MOST],
}

impl Numbers {
    /// As [`write_number`].
    #[inline(always)]
    pub fn write(&mut self, room: &mut [u8; NUMBER_MOST], value: f64) -> usize {
        /// 2⁶⁴ divided by the golden ratio: its products spread over all upper bits.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let bits = value.to_bits();
        let text = &mut self.known[(bits.wrapping_mul(SPREAD) >> (u64::BITS - KNOWN.ilog2())) as usize];
        if text.bits != bits {
            text.bits = bits;
            text.length = write_number(&mut text.bytes, value);
        }
        *room = text.bytes;
        text.length
    }
}

impl Default for Numbers {
    fn default() -> Self {
        // Zero is known.
        let mut zero = Text { bits: 0, length: 1, bytes: [0; NUMBER_MOST] };
        zero.bytes[0] = b'0';
        Numbers { known: Box::new([zero; KNOWN]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64) -> String {
        let mut room = [b'?'; NUMBER_MOST];
        let n = write_number(&mut room, value);
        String::from_utf8_lossy(&room[..n]).into_owned()
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
            (-f64::MIN_POSITIVE, "-2.2250738585072014e-308"),
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

    #[test]
    fn a_known_text_is_that_of_its_bits() {
        let (mut numbers, mut room) = (Numbers::default(), [b'?'; NUMBER_MOST]);
        // Numbers that meet at one place of the texts, and some again and again.
        for i in 0..10_000 {
            for value in [f64::from(i) * 1e-3, 0.0, -0.0, 1.0 / 3.0, f64::from(i % 7), f64::NAN, -f64::NAN] {
                let n = numbers.write(&mut room, value);
                assert_eq!(String::from_utf8_lossy(&room[..n]), text(value));
            }
        }
    }
}
