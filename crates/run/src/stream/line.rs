//! Lines of a file of rows.

use crate::number::{NUMBER_MOST, Numbers};

/// Fields of a row, and its end, in room that is reserved once.
#[derive(Debug, Default)]
pub struct Line {
    room: Vec<u8>,
    length: usize,
    numbers: Numbers,
}

/// Most bytes of a number with its comma.
const FIELD: usize = NUMBER_MOST + 1;

impl Line {
    /// A new row, which begins with its time \[s\].
    #[inline]
    pub fn begin(&mut self, t_s: f64) {
        self.reserve(FIELD);
        let Some(room) = self.room.first_chunk_mut() else { unreachable!("reserved above") };
        self.length = self.numbers.write(room, t_s);
    }

    /// Numbers as the next fields.
    #[inline]
    pub fn numbers(&mut self, values: &[f64]) {
        self.reserve(self.length + values.len() * FIELD);
        let (room, mut length) = (self.room.as_mut_slice(), self.length);
        for value in values {
            let Some([comma, room @ ..]) = room[length..].first_chunk_mut::<FIELD>() else {
                unreachable!("reserved above")
            };
            *comma = b',';
            length += 1 + self.numbers.write(room, *value);
        }
        self.length = length;
    }

    /// A text as the next field, in quotes where it needs them.
    pub fn text(&mut self, text: &str) {
        let mut field = String::from(",");
        quote(&mut field, text);
        self.put(field.as_bytes());
    }

    /// The row as it is in the file.
    #[inline]
    pub fn end(&mut self) -> &[u8] {
        self.put(b"\n");
        self.bytes()
    }

    /// All of it so far.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.length]
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        self.reserve(end);
        self.room[self.length..end].copy_from_slice(bytes);
        self.length = end;
    }

    /// Makes room for so many bytes of the row.
    #[inline]
    fn reserve(&mut self, bytes: usize) {
        if self.room.len() < bytes {
            self.grow(bytes);
        }
    }

    #[cold]
    fn grow(&mut self, bytes: usize) {
        self.room.resize(2 * bytes, 0);
    }
}

/// The line of names.
pub fn head<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::from("time");
    for name in names {
        line.push(',');
        quote(&mut line, name);
    }
    line.push('\n');
    line
}

/// A text as a field: in quotes where it needs them.
fn quote(line: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_any_length_follow_each_other() {
        let mut line = Line::default();
        let text = "a, b".repeat(1000);
        for _ in 0..2 {
            line.begin(0.5);
            let mut expected = String::from("0.5");
            let values: Vec<f64> = (0..500).map(|i| -f64::from(i) / 3e200).collect();
            line.numbers(&values);
            for (i, value) in values.iter().enumerate() {
                expected += &format!(",{}", if i == 0 { "-0".to_owned() } else { format!("{value:e}") });
            }
            line.text(&text);
            expected += &format!(",\"{text}\"\n");
            assert_eq!(String::from_utf8_lossy(line.end()), expected);
        }
    }
}
