//! Names that come near one that does not exist.

/// Letters of a name that are compared: names of hostile files may be long.
const LETTERS_MAX: usize = 64;

/// The four names that come nearest, the nearest first, by the Levenshtein distance of their first 64 letters without regard to case.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let first = |text: &str| text.to_lowercase().chars().take(LETTERS_MAX).collect::<String>();
    let name = first(name);
    let mut scored: Vec<(usize, &str)> =
        names.into_iter().map(|known| (strsim::levenshtein(&name, &first(known)), known)).collect();
    scored.sort_by_key(|(distance, _)| *distance);
    scored.into_iter().take(4).map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_comes_first() {
        assert_eq!(nearest("Pressure", ["flow", "preasure", "x"])[0], "preasure");
        assert_eq!(nearest("a", ["b"; 9]).len(), 4);
        assert!(nearest("a", []).is_empty());
    }
}
