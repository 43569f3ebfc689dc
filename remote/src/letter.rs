//! What messages travel in: which instance, which message of it, and what is wanted.
//!
//! Every message of an instance has a number, and only the one after the last that was made is made. One that comes again gets the
//! reply of the first time. So a master may ask again whenever it has heard nothing.
//!
//! Letters are queries, and answers their replies. A call is published first, and so is its reply: a query takes longer, because each end
//! of it keeps a clock for it. Where no reply comes, a query asks for it, and all goes on as if the call had been a query that was lost.
//!
//! The body of a letter is the message that a slave in a process of its own gets in shared memory, byte for byte: there is one encoding of
//! calls (`isolation/wire.rs` of crates/import). Shared memory needs nothing of a letter's head: two processes take turns there, and no
//! message is lost or comes twice.

use macrostep_import::address::SCHEME;

/// The keys of all FMUs begin with it.
const PREFIX: &str = "macrostep/";

/// The keys of all replies that are published.
const REPLIES: &str = "macrostep-replies/";

/// What both ends must agree in.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Version, digest and description.
    Offer = 0,
    /// An instance, by its first message, of the FMU with this digest.
    Open = 1,
    /// A message.
    Call = 2,
    /// The reply to a message sent before.
    Again = 3,
    /// The instance is no longer needed.
    Close = 4,
    /// The instance is needed still.
    Keep = 5,
}

/// What is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The reply.
    Done = 0,
    /// It is being made.
    Busy = 1,
    /// There is no such instance.
    Unknown = 2,
    /// The message has not come.
    Missing = 3,
    /// In words.
    Refused = 4,
}

/// Names an instance.
pub type Id = [u8; 16];

/// A letter to who serves.
#[derive(Debug, PartialEq)]
pub struct Letter<'a> {
    pub wish: Wish,
    pub id: Id,
    pub number: u64,
    pub body: &'a [u8],
}

const HEAD: usize = 1 + 16 + 8;

impl Letter<'_> {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + self.body.len());
        bytes.push(self.wish as u8);
        bytes.extend_from_slice(&self.id);
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(self.body);
        bytes
    }

    /// `None` where the bytes make no sense.
    pub fn read(bytes: &[u8]) -> Option<Letter<'_>> {
        let (head, body) = bytes.split_first_chunk::<HEAD>()?;
        let wishes = [Wish::Offer, Wish::Open, Wish::Call, Wish::Again, Wish::Close, Wish::Keep];
        let wish = wishes.into_iter().find(|wish| *wish as u8 == head[0])?;
        let (id, number) = (head[1..17].try_into().ok()?, u64::from_le_bytes(head[17..].try_into().ok()?));
        Some(Letter { wish, id, number, body })
    }
}

/// An answer as bytes.
pub fn answered(answer: Answer, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 + body.len());
    bytes.push(answer as u8);
    bytes.extend_from_slice(body);
    bytes
}

/// An answer from its bytes; `None` where they make no sense.
pub fn answer(bytes: &[u8]) -> Option<(Answer, &[u8])> {
    let (first, body) = bytes.split_first()?;
    let answers = [Answer::Done, Answer::Busy, Answer::Unknown, Answer::Missing, Answer::Refused];
    Some((answers.into_iter().find(|answer| *answer as u8 == *first)?, body))
}

/// Where the replies to calls of an instance are published.
pub fn reply_key(id: &Id) -> String {
    id.iter().fold(REPLIES.to_owned(), |key, byte| key + &format!("{byte:02x}"))
}

/// A reply that is published: the number of the message, and the reply.
pub fn replied(number: u64, body: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes(), body].concat()
}

/// A reply from its bytes; `None` where they make no sense.
pub fn reply(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, body) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*number), body))
}

/// The key of a name.
///
/// # Errors
/// Where it is none.
pub fn key(name: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_alphanumeric() || "_.-/".contains(c);
    let is_whole = name.split('/').all(|part| !part.is_empty());
    if is_whole && name.chars().all(is_plain) {
        return Ok(format!("{PREFIX}{name}"));
    }
    Err(format!("found the name `{name}`, expected letters, digits, `_`, `.`, `-`, and `/` between them"))
}

/// The key of an address.
///
/// # Errors
/// Where it is none.
pub fn key_of(address: &str) -> Result<String, String> {
    let name = address.strip_prefix(SCHEME);
    key(name.ok_or_else(|| format!("found `{address}`, expected `{SCHEME}NAME`"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_read_as_written() {
        let letter = Letter { wish: Wish::Again, id: [7; 16], number: 3, body: b"xy" };
        let bytes = letter.bytes();
        assert_eq!(Letter::read(&bytes), Some(letter));
        assert_eq!(reply(&replied(258, b"z")), Some((258, b"z".as_slice())));
        assert_eq!(answer(&answered(Answer::Missing, b"z")), Some((Answer::Missing, b"z".as_slice())));
    }

    /// Whatever comes, it is read or it is not.
    #[test]
    fn hostile_bytes_are_no_letters() {
        let good = Letter { wish: Wish::Call, id: [0; 16], number: 1, body: b"" }.bytes();
        assert!((0..good.len()).all(|n| Letter::read(&good[..n]).is_none()));
        for wish in 6..=u8::MAX {
            let mut bytes = good.clone();
            bytes[0] = wish;
            assert!(Letter::read(&bytes).is_none());
        }
        assert!(reply(&[0; 7]).is_none() && answer(b"").is_none() && (5..=u8::MAX).all(|n| answer(&[n]).is_none()));
    }

    #[test]
    fn names_are_no_patterns() {
        assert_eq!(key_of("zenoh://pump/left-2").as_deref(), Ok("macrostep/pump/left-2"));
        for name in ["zenoh://", "zenoh://**", "zenoh://a//b", "zenoh:///a", "zenoh://a$*", "a", "zenoh://a?x"] {
            assert!(key_of(name).is_err(), "{name}");
        }
    }
}
