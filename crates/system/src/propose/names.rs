//! Names of units, and how much the names of two variables have in common.

use std::collections::BTreeSet;

/// A name for each unit from those of the files: without dots, and each once.
pub(super) fn of_units(stems: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for stem in stems {
        let plain: String =
            stem.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect();
        let plain = if plain.is_empty() { "unit".to_owned() } else { plain };
        let numbered = (2..).map(|n| format!("{plain}_{n}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !names.contains(name));
        names.push(free.unwrap_or(plain));
    }
    names
}

/// How much two names have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// Nothing that counts.
    None,
    /// The words of one are among those of the other.
    Within,
    /// The same words in any order: `r_tip` and `tip.r`.
    Words,
    /// They are the same but for case.
    Same,
}

/// The likeness of two names. Elements of arrays are like elements with the same indices only.
pub(super) fn likeness(a: &str, b: &str) -> Likeness {
    let [(a, a_index), (b, b_index)] = [a, b].map(split);
    if a_index != b_index {
        return Likeness::None;
    }
    if a.eq_ignore_ascii_case(b) {
        return Likeness::Same;
    }
    let [a, b] = [words(a), words(b)];
    if !a.is_empty() && a == b {
        return Likeness::Words;
    }
    let is_within = !a.is_empty() && !b.is_empty() && (a.is_subset(&b) || b.is_subset(&a));
    if is_within { Likeness::Within } else { Likeness::None }
}

/// Whether two names have a word in common, and the same indices.
pub(super) fn shares_word(a: &str, b: &str) -> bool {
    let [(a, a_index), (b, b_index)] = [a, b].map(split);
    a_index == b_index && !words(a).is_disjoint(&words(b))
}

/// A name without its last index, and the index with its brackets.
pub(super) fn split(name: &str) -> (&str, &str) {
    match name.rfind('[') {
        Some(at) if name.ends_with(']') => name.split_at(at),
        _ => (name, ""),
    }
}

/// The words of a name in small letters, without those that say a direction only.
pub(super) fn words(name: &str) -> BTreeSet<String> {
    const DIRECTIONS: [&str; 4] = ["in", "out", "input", "output"];
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).filter(|word| !DIRECTIONS.contains(&word.as_str())).collect()
}
