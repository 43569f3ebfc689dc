//! Values as bytes and back; everything that is read is checked.

/// Writes values.
pub trait Put {
    /// One byte.
    fn byte(&mut self, value: u8);
    /// A whole number.
    fn number(&mut self, value: u64);
    /// A real.
    fn real(&mut self, value: f64);
    /// A text with its length.
    fn text(&mut self, value: &str);
    /// Bytes with their length.
    fn bytes(&mut self, value: &[u8]);
    /// A list with its length.
    fn list<T: Copy, const N: usize>(&mut self, values: &[T], bytes: fn(T) -> [u8; N]);
}

impl Put for Vec<u8> {
    fn byte(&mut self, value: u8) {
        self.push(value);
    }

    fn number(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn real(&mut self, value: f64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.number(value.len() as u64);
        self.extend_from_slice(value);
    }

    fn list<T: Copy, const N: usize>(&mut self, values: &[T], bytes: fn(T) -> [u8; N]) {
        self.number(values.len() as u64);
        for value in values {
            self.extend_from_slice(&bytes(*value));
        }
    }
}

/// Reads values; `None` where there are none that make sense.
#[derive(Debug)]
pub struct Take<'a> {
    rest: &'a [u8],
}

impl<'a> Take<'a> {
    /// From the first byte on.
    pub fn new(bytes: &'a [u8]) -> Self {
        Take { rest: bytes }
    }

    /// The remaining bytes.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Leaves out a list of values of `size` bytes each.
    pub fn skip(&mut self, size: usize) -> Option<()> {
        let length = usize::try_from(self.number()?).ok()?.checked_mul(size)?;
        self.rest = self.rest.get(length..)?;
        Some(())
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*head)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[b]| b)
    }

    pub fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn real(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (head, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(head)
    }

    /// A text; bytes that are not UTF-8 are replaced.
    pub fn text(&mut self) -> Option<String> {
        self.bytes().map(|b| String::from_utf8_lossy(b).into_owned())
    }

    /// A list, put behind what `into` holds.
    pub fn list<T, const N: usize>(&mut self, into: &mut Vec<T>, value: fn([u8; N]) -> T) -> Option<()> {
        let length = usize::try_from(self.number()?).ok()?;
        let (head, rest) = self.rest.split_at_checked(length.checked_mul(N)?)?;
        self.rest = rest;
        into.extend(head.as_chunks::<N>().0.iter().map(|b| value(*b)));
        Some(())
    }

    /// A list exactly as long as `into`.
    pub fn fill<T, const N: usize>(&mut self, into: &mut [T], value: fn([u8; N]) -> T) -> Option<()> {
        if self.number()? != into.len() as u64 {
            return None;
        }
        for place in into {
            *place = value(self.array()?);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_taken() {
        let mut bytes = Vec::new();
        bytes.byte(7);
        bytes.real(-0.0);
        bytes.text("é");
        bytes.list(&[1.0, f64::NAN], f64::to_le_bytes);
        let mut take = Take::new(&bytes);
        assert_eq!((take.byte(), take.real().map(f64::to_bits)), (Some(7), Some((-0.0_f64).to_bits())));
        assert_eq!(take.text().as_deref(), Some("é"));
        let mut values = [0.0; 2];
        assert!(take.fill(&mut values, f64::from_le_bytes).is_some() && values[1].is_nan());
        assert!(take.byte().is_none());
    }

    #[test]
    fn impossible_lengths_are_refused() {
        let mut bytes = Vec::new();
        bytes.number(u64::MAX);
        let mut values: Vec<f64> = Vec::new();
        assert!(Take::new(&bytes).list(&mut values, f64::from_le_bytes).is_none());
        assert!(Take::new(&bytes).bytes().is_none());
    }
}
