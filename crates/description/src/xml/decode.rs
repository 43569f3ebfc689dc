//! From bytes to text: byte order marks and the encodings that occur in FMUs.

use std::borrow::Cow;

use super::ReadError;
use super::finding::refuse;

/// The text of a file in UTF-8, UTF-16 (with a mark, or recognised by its first character), ISO 8859-1 or
/// Windows-1252 (both by the declaration).
///
/// # Errors
/// Where the bytes are none of these.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [b'<', 0, ..] => utf16(bytes, u16::from_le_bytes),
        [0, b'<', ..] => utf16(bytes, u16::from_be_bytes),
        _ => match declared(bytes).as_str() {
            "" | "utf-8" | "utf8" | "us-ascii" | "ascii" => utf8(bytes),
            "iso-8859-1" | "iso8859-1" | "latin1" | "latin-1" | "windows-1252" | "cp1252" => Ok(single_byte(bytes)),
            other => refuse(1, format!("encoding `{other}`"), "UTF-8"),
        },
    }
}

fn utf8(bytes: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(e) => {
            let before = &bytes[..e.valid_up_to()];
            let byte = bytes.get(e.valid_up_to()).copied().unwrap_or_default();
            let line = 1 + before.iter().filter(|b| **b == b'\n').count();
            refuse(u32::try_from(line).unwrap_or(u32::MAX), format!("byte 0x{byte:02X}"), "text in UTF-8")
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, ReadError> {
    if !bytes.len().is_multiple_of(2) {
        return refuse(1, format!("UTF-16 in {} bytes", bytes.len()), "an even number of bytes");
    }
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut line = 1;
    let mut text = String::with_capacity(bytes.len() / 2);
    for c in char::decode_utf16(units) {
        match c {
            Ok(c) => {
                line += u32::from(c == '\n');
                text.push(c);
            }
            Err(e) => {
                return refuse(line, format!("half a surrogate pair, 0x{:04X}", e.unpaired_surrogate()), "UTF-16");
            }
        }
    }
    Ok(Cow::Owned(text))
}

/// ISO 8859-1, with the characters Windows has between 0x80 and 0x9F (control characters otherwise, and none of XML).
fn single_byte(bytes: &[u8]) -> Cow<'_, str> {
    const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
    let high: Vec<char> = WINDOWS.chars().collect();
    bytes
        .iter()
        .map(|b| match b {
            0x80..=0x9F => high.get(usize::from(b - 0x80)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
            _ => char::from(*b),
        })
        .collect()
}

/// The `encoding` of the XML declaration in lower case; empty where none is given.
fn declared(bytes: &[u8]) -> String {
    let head: String = bytes.iter().take(200).map(|b| char::from(*b)).collect();
    let Some(declaration) = head.trim_start().strip_prefix("<?xml") else { return String::new() };
    let declaration = declaration.split("?>").next().unwrap_or_default();
    let Some((_, after)) = declaration.split_once("encoding") else { return String::new() };
    let value = after.trim_start().trim_start_matches('=').trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    quote.and_then(|q| value[1..].split(q).next()).unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "<?xml version=\"1.0\"?>\n<a b=\"ξ€\"/>";
        let mark = "\u{feff}".to_owned() + text;
        let little: Vec<u8> = mark.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = mark.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let bare: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [text.as_bytes(), mark.as_bytes(), &little, &big, &bare] {
            assert_eq!(decode(bytes).as_deref(), Ok(text));
        }
    }

    #[test]
    fn one_byte_encodings_are_taken_from_the_declaration() {
        let bytes = b"<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xB0\x80'/>";
        assert!(decode(bytes).is_ok_and(|t| t.ends_with("<a b='°€'/>")));
        assert!(decode(b"<?xml version='1.0' encoding='EBCDIC'?><a/>").is_err_and(|e| e.found.contains("ebcdic")));
    }

    #[test]
    fn broken_text_is_refused_with_its_line() {
        assert!(decode(b"<a>\n\n\xFF</a>").is_err_and(|e| e.line == 3));
        assert!(decode(b"\xFF\xFE<\0a").is_err());
        assert!(decode(b"\xFF\xFE\n\0\x00\xD8\n\0").is_err_and(|e| e.line == 2));
    }
}
