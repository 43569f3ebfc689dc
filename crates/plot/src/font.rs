//! The font the program carries: DejaVu Sans in two weights, for measuring text and for rasterising it.

use std::sync::OnceLock;

use ttf_parser::Face;

/// Families as SVG names them: the one carried, then one of the same widths, then any.
pub(crate) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// Width of a text in pixels at a font size in pixels.
pub(crate) fn width(text: &str, size: f64, bold: bool) -> f64 {
    text.chars().map(|letter| advance(letter, bold)).sum::<f64>() * size
}

/// Way from a letter to the next as a part of the font size.
pub(crate) fn advance(letter: char, bold: bool) -> f64 {
    let advance = face(bold).and_then(|face| {
        let units = face.glyph_hor_advance(face.glyph_index(letter)?)?;
        Some(f64::from(units) / f64::from(face.units_per_em()))
    });
    advance.unwrap_or(0.6)
}

/// A weight of the font, read once.
pub(crate) fn face(bold: bool) -> Option<&'static Face<'static>> {
    static FACES: [OnceLock<Option<Face<'static>>>; 2] = [const { OnceLock::new() }; 2];
    let bytes = if bold { dejavu::sans::bold } else { dejavu::sans::regular };
    FACES[usize::from(bold)].get_or_init(|| Face::parse(bytes(), 0).ok()).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_letters_of_mechanics() {
        let font = face(false).expect("a font");
        for c in "abcxyz0123456789 ξηλωζρΔ ₀₁₂ ⁰¹²³⁴⁵⁶⁷⁸⁹⁻ ×·−√≤≥∞ẋẍ |[]()".chars()
        {
            assert!(font.glyph_index(c).is_some(), "no glyph for `{c}`");
        }
    }

    #[test]
    fn widths_grow_with_size_and_weight() {
        assert!(width("error", 20.0, false) > 1.9 * width("error", 10.0, false));
        assert!(width("error", 10.0, true) > width("error", 10.0, false));
    }
}
