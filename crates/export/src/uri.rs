//! The folder of the resources.

use std::path::PathBuf;

/// The path of a `file:` URI: `file:/path`, `file:///path`, `file://localhost/path`, with percent escapes. `None` for other
/// schemes and for text that is no URI.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")).and_then(|_| uri.get(5..))?;
    let path = match rest.strip_prefix("//") {
        Some(authority) => authority.get(authority.find('/')?..)?,
        None => rest,
    };
    let path = String::from_utf8(unescape(path.as_bytes())).ok()?;
    let bytes = path.as_bytes();
    // A drive letter follows the slash on Windows: "/C:/folder".
    let drive = bytes.len() > 2 && bytes[0] == b'/' && bytes[1].is_ascii_alphabetic() && bytes[2] == b':';
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

/// Replaces %XX by its byte.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let escaped = if *first == b'%' { tail.get(..2).and_then(hexadecimal) } else { None };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    bytes
}

/// The byte two hexadecimal digits stand for.
fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digits = core::str::from_utf8(digits).ok()?;
    u8::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_file_uris() {
        for (uri, expected) in [
            ("file:/a/b", Some("/a/b")),
            ("file:///a/b", Some("/a/b")),
            ("FILE:///a/b", Some("/a/b")),
            ("file://localhost/a", Some("/a")),
            ("file:///a%20b/%C3%BC", Some("/a b/ü")),
            ("file:///a b/ü", Some("/a b/ü")),
            ("file:///C:/x", Some("C:/x")),
            ("file:///100%", Some("/100%")),
            ("file:///a%+1", Some("/a%+1")),
            ("file://nothing", None),
            ("http://host/a", None),
            ("", None),
            ("ü", None),
        ] {
            assert_eq!(path(uri), expected.map(PathBuf::from), "{uri}");
        }
    }
}
