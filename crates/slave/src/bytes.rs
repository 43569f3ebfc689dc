//! Saved states as bytes.
//!
//! Layout, little endian: 8 bytes of magic and version, 8 bytes of identity (hash of the GUID), the fields of
//! [`Memory`] each with its length where it has one, and 8 bytes of FNV-1a over all before. Reals go by their bits.

use crate::access::fnv;
use crate::{Fault, Memory, Phase};

const MAGIC: u64 = u64::from_le_bytes(*b"mstep\0\0\x02");

/// Where a memory's fields go: counted, written or read by the same list of fields.
trait Tape {
    fn word(&mut self, x: u64) -> Result<u64, Fault>;
    fn bytes(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault>;

    fn text(&mut self, text: &mut String) -> Result<(), Fault> {
        let mut bytes = std::mem::take(text).into_bytes();
        self.bytes(&mut bytes)?;
        *text = String::from_utf8(bytes).map_err(|e| Fault::Snapshot(e.to_string()))?;
        Ok(())
    }
}

/// Counts bytes.
struct Counter(usize);

impl Tape for Counter {
    fn word(&mut self, x: u64) -> Result<u64, Fault> {
        self.0 += 8;
        Ok(x)
    }
    fn bytes(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        self.0 += 8 + bytes.len();
        Ok(())
    }
}

/// Writes into a list of the right length.
struct Writer<'a>(&'a mut [u8]);

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let list = std::mem::take(&mut self.0);
        let Some((head, tail)) = list.split_at_mut_checked(bytes.len()) else {
            return Err(Fault::Snapshot("the list of bytes is too short".into()));
        };
        head.copy_from_slice(bytes);
        self.0 = tail;
        Ok(())
    }
}

impl Tape for Writer<'_> {
    fn word(&mut self, x: u64) -> Result<u64, Fault> {
        self.put(&x.to_le_bytes())?;
        Ok(x)
    }
    fn bytes(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        self.put(&(bytes.len() as u64).to_le_bytes())?;
        self.put(bytes)
    }
}

/// Reads back.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8], Fault> {
        let Some((head, tail)) = self.0.split_at_checked(count) else {
            return Err(Fault::Snapshot(format!("{} bytes left, expected {count}", self.0.len())));
        };
        self.0 = tail;
        Ok(head)
    }
}

impl Tape for Reader<'_> {
    fn word(&mut self, _: u64) -> Result<u64, Fault> {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(bytes))
    }
    fn bytes(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        let length = self.word(0)?;
        // A length beyond the memory of any machine fails in `take`.
        *bytes = self.take(usize::try_from(length).unwrap_or(usize::MAX))?.to_vec();
        Ok(())
    }
}

/// A length that is written, or checked when read: the shape belongs to the model, not to the state.
fn length(tape: &mut impl Tape, what: &str, expected: usize) -> Result<(), Fault> {
    let found = tape.word(expected as u64)?;
    if found == expected as u64 {
        Ok(())
    } else {
        Err(Fault::Snapshot(format!("{found} {what} found, expected {expected}")))
    }
}

fn real(tape: &mut impl Tape, x: &mut f64) -> Result<(), Fault> {
    *x = f64::from_bits(tape.word(x.to_bits())?);
    Ok(())
}

fn reals(tape: &mut impl Tape, what: &str, list: &mut [f64]) -> Result<(), Fault> {
    length(tape, what, list.len())?;
    list.iter_mut().try_for_each(|x| real(tape, x))
}

fn flag(tape: &mut impl Tape, x: &mut bool) -> Result<(), Fault> {
    *x = match tape.word(u64::from(*x))? {
        0 => false,
        1 => true,
        other => return Err(Fault::Snapshot(format!("flag {other} found, expected 0 or 1"))),
    };
    Ok(())
}

/// The fields, in the order of the layout.
fn fields(tape: &mut impl Tape, memory: &mut Memory, stored: usize) -> Result<(), Fault> {
    // Variables; reals behind the last that is stored are computed from the others.
    reals(tape, "reals", &mut memory.reals[..stored])?;
    length(tape, "integers", memory.integers.len())?;
    for x in &mut memory.integers {
        let word = tape.word(i64::from(*x) as u64)? as i64;
        *x = i32::try_from(word).map_err(|e| Fault::Snapshot(e.to_string()))?;
    }
    length(tape, "Booleans", memory.booleans.len())?;
    memory.booleans.iter_mut().try_for_each(|x| flag(tape, x))?;
    length(tape, "strings", memory.strings.len())?;
    memory.strings.iter_mut().try_for_each(|x| tape.text(x))?;
    // What the model keeps beside them.
    reals(tape, "hidden reals", &mut memory.hidden_reals)?;
    length(tape, "hidden integers", memory.hidden_integers.len())?;
    for x in &mut memory.hidden_integers {
        *x = tape.word(*x as u64)? as i64;
    }
    tape.bytes(&mut memory.kept)?;
    // Polynomials of the inputs, of this step and the last.
    for polynomials in [&mut memory.inputs, &mut memory.last_inputs] {
        let degree = tape.word(polynomials.degree() as u64)?;
        reals(tape, "coefficients", polynomials.rows_mut())?;
        polynomials.set_degree(usize::try_from(degree).unwrap_or(usize::MAX));
    }
    length(tape, "inputs", memory.touched.len())?;
    memory.touched.iter_mut().try_for_each(|x| flag(tape, x))?;
    // Times, and where in its life the instance is.
    for x in [&mut memory.time_s, &mut memory.last_step_s, &mut memory.start_s, &mut memory.stop_s] {
        real(tape, x)?;
    }
    let phase = tape.word(memory.phase as u64)?;
    let known = u8::try_from(phase).ok().and_then(Phase::from_number);
    memory.phase = known.ok_or_else(|| Fault::Snapshot(format!("state {phase} found, expected 0 to 5")))?;
    flag(tape, &mut memory.wants_termination)
}

/// Number of bytes.
pub(crate) fn size(memory: &mut Memory, stored: usize) -> Result<usize, Fault> {
    let mut counter = Counter(3 * 8);
    fields(&mut counter, memory, stored)?;
    Ok(counter.0)
}

/// Writes all of `bytes`, whose length must be [`size`].
pub(crate) fn write(memory: &mut Memory, stored: usize, identity: u64, bytes: &mut [u8]) -> Result<(), Fault> {
    let (found, expected) = (bytes.len(), size(memory, stored)?);
    if found != expected {
        return Err(Fault::Snapshot(format!("room for {found} bytes found, expected {expected}")));
    }
    let body = expected - 8;
    let mut writer = Writer(&mut bytes[..body]);
    writer.word(MAGIC)?;
    writer.word(identity)?;
    fields(&mut writer, memory, stored)?;
    let check = fnv(&bytes[..body]);
    bytes[body..].copy_from_slice(&check.to_le_bytes());
    Ok(())
}

/// Reads into a memory that has the model's shape; on an error it is in no particular state.
pub(crate) fn read(memory: &mut Memory, stored: usize, identity: u64, bytes: &[u8]) -> Result<(), Fault> {
    let Some((body, check)) = bytes.split_last_chunk::<8>() else {
        return Err(Fault::Snapshot(format!("{} bytes found, expected at least 8", bytes.len())));
    };
    let mut reader = Reader(body);
    if reader.word(0)? != MAGIC {
        return Err(Fault::Snapshot("these bytes are no state of macrostep, or of another version".into()));
    }
    if reader.word(0)? != identity {
        return Err(Fault::Snapshot("these bytes are the state of another model".into()));
    }
    if fnv(body) != u64::from_le_bytes(*check) {
        return Err(Fault::Snapshot("the bytes were changed: their checksum is wrong".into()));
    }
    fields(&mut reader, memory, stored)?;
    if reader.0.is_empty() { Ok(()) } else { Err(Fault::Snapshot(format!("{} bytes too many", reader.0.len()))) }
}
