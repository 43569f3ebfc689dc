//! The font the program carries: DejaVu Sans in two weights, for measuring text and for rasterising it.

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// Families as SVG names them: the one carried, then one of the same widths, then any.
pub(crate) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// Width of a text in pixels at a font size in pixels.
pub(crate) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let Ok(font) = FontRef::new(bytes(bold)) else { return text.chars().count() as f64 * size * 0.6 };
    let metrics = font.glyph_metrics(Size::new(size as f32), LocationRef::default());
    let charmap = font.charmap();
    text.chars()
        .map(|c| charmap.map(c).and_then(|glyph| metrics.advance_width(glyph)).map_or(size * 0.6, f64::from))
        .sum()
}

/// The font file of a weight.
pub(crate) fn bytes(bold: bool) -> &'static [u8] {
    if bold { dejavu::sans::bold() } else { dejavu::sans::regular() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_letters_of_mechanics() {
        let font = FontRef::new(bytes(false)).expect("a font");
        for c in "abcxyz0123456789 ξηλωζρΔ ₀₁₂ ⁰¹²³⁴⁵⁶⁷⁸⁹⁻ ×·−√≤≥∞ẋẍ |[]()".chars()
        {
            assert!(font.charmap().map(c).is_some(), "no glyph for `{c}`");
        }
    }

    #[test]
    fn widths_grow_with_size_and_weight() {
        assert!(width("error", 20.0, false) > 1.9 * width("error", 10.0, false));
        assert!(width("error", 10.0, true) > width("error", 10.0, false));
    }
}
