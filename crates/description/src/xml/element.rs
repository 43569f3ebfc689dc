//! One element with its attributes, which are taken by name; attributes that are not taken give a note.

use std::borrow::Cow;
use std::str::FromStr;

use super::ReadError;
use super::cursor::Cursor;
use super::finding::{Warnings, quoted, refuse};
use super::reader::{Attribute, Start};

/// An element and its attributes.
pub(super) struct Element<'e> {
    /// Its name without the prefix.
    pub(super) name: &'e str,
    /// Its line.
    pub(super) line: u32,
    /// Those not yet asked for.
    attributes: Vec<Attribute<'e>>,
}

impl<'e> Element<'e> {
    /// Reads the attributes, entities and blanks resolved.
    pub(super) fn new(start: &'e Start<'_>) -> Result<Self, ReadError> {
        Ok(Element { name: start.local_name(), line: start.line, attributes: start.attributes()? })
    }

    /// The value of an attribute as it stands.
    pub(super) fn take(&mut self, key: &str) -> Option<Cow<'e, str>> {
        let at = self.attributes.iter().position(|a| a.key == key)?;
        Some(self.attributes.remove(at).value)
    }

    /// The value of an attribute that stays there.
    pub(super) fn look(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|a| a.key == key).map(|a| a.value.as_ref())
    }

    /// The value as a string of its own.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        self.take(key).map(Cow::into_owned)
    }

    /// An attribute no run can do without.
    pub(super) fn required(&mut self, key: &str) -> Result<String, ReadError> {
        match self.take(key) {
            Some(value) => Ok(value.into_owned()),
            None => refuse(self.line, format!("`{}` without `{key}`", self.name), format!("the attribute `{key}`")),
        }
    }

    /// A number; blanks around it are no part of it.
    pub(super) fn number<T: FromStr>(&mut self, key: &str, expected: &str) -> Result<Option<T>, ReadError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => refuse(self.line, format!("{key}={} in `{}`", quoted(&value), self.name), expected),
        }
    }

    /// A `Real`; `INF`, `-INF` and `NaN` included.
    pub(super) fn real(&mut self, key: &str) -> Result<Option<f64>, ReadError> {
        self.number(key, "a number")
    }

    /// An `Integer`. Some tools write `1.0`, which is put up with.
    pub(super) fn integer(&mut self, key: &str, warnings: &mut Warnings) -> Result<Option<i32>, ReadError> {
        const EXPECTED: &str = "an integer of 32 bits";
        let Some(value) = self.take(key) else { return Ok(None) };
        if let Ok(number) = value.trim().parse() {
            return Ok(Some(number));
        }
        let found = || format!("{key}={} in `{}`", quoted(&value), self.name);
        let whole = value.trim().parse().ok().filter(|x: &f64| x.fract() == 0.0 && x.abs() < 2e9);
        match whole {
            Some(number) => {
                warnings.push(self.line, found, EXPECTED);
                // In range, as tested above.
                Ok(Some(number as i32))
            }
            None => refuse(self.line, found(), EXPECTED),
        }
    }

    /// A `Boolean`: `true`, `false`, `1` or `0`; capitals are put up with.
    pub(super) fn boolean(&mut self, key: &str, warnings: &mut Warnings) -> Result<Option<bool>, ReadError> {
        const EXPECTED: &str = "`true` or `false`";
        let Some(value) = self.take(key) else { return Ok(None) };
        let found = || format!("{key}={} in `{}`", quoted(&value), self.name);
        let known = |text: &str| match text {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        };
        if let Some(answer) = known(value.trim()) {
            return Ok(Some(answer));
        }
        match known(&value.trim().to_ascii_lowercase()) {
            Some(answer) => {
                warnings.push(self.line, found, EXPECTED);
                Ok(Some(answer))
            }
            None => refuse(self.line, found(), EXPECTED),
        }
    }

    /// A flag that is false where it is not given.
    pub(super) fn flag(&mut self, key: &str, warnings: &mut Warnings) -> Result<bool, ReadError> {
        Ok(self.boolean(key, warnings)?.unwrap_or(false))
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, ReadError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match words.iter().find(|(word, _)| *word == value.trim()) {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => {
                let names: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
                refuse(self.line, format!("{key}={} in `{}`", quoted(&value), self.name), names.join(", "))
            }
        }
    }

    /// Attributes this reader has a reason not to keep.
    pub(super) fn ignore(&mut self, keys: &[&str]) {
        self.attributes.retain(|a| !keys.contains(&a.key));
    }

    /// All attributes left, in the order of the file.
    pub(super) fn rest(self) -> Vec<(String, String)> {
        self.attributes.into_iter().map(|a| (a.key.to_owned(), a.value.into_owned())).collect()
    }

    /// A note for each attribute that nobody asked for; those of a name space are not ours to judge.
    pub(super) fn done(self, warnings: &mut Warnings) {
        for attribute in self.attributes.iter().filter(|a| !a.key.contains(':') && a.key != "xmlns") {
            let found = || format!("the attribute `{}` of `{}`", attribute.key, self.name);
            warnings.push(self.line, found, "an attribute of the standard");
        }
    }
}

/// An element of no meaning here: noted and passed over.
pub(super) fn unknown(cursor: &mut Cursor<'_>, element: &Element<'_>, parent: &str) -> Result<(), ReadError> {
    let found = || format!("the element `{}` in `{parent}`", element.name);
    cursor.warnings.push(element.line, found, "an element of the standard");
    cursor.skip()
}
