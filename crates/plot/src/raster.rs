//! An SVG text as PNG, with the fonts the program carries (feature `png`).

use super::PlotError;

/// Whether pictures are written as PNG too.
pub(crate) const AVAILABLE: bool = cfg!(feature = "png");

/// SVG as PNG, `zoom` pixels for one of the SVG.
#[cfg(feature = "png")]
pub(crate) fn png(svg: &str, zoom: f32) -> Result<Vec<u8>, PlotError> {
    use resvg::{tiny_skia, usvg};
    let options = usvg::Options { fontdb: database(), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| PlotError::Raster(error.to_string()))?;
    let size = tree.size();
    let (width, height) = ((size.width() * zoom).round() as u32, (size.height() * zoom).round() as u32);
    let mut pixels = tiny_skia::Pixmap::new(width, height)
        .ok_or_else(|| PlotError::Raster(format!("no memory for {width} × {height} pixels")))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(zoom, zoom), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PlotError::Raster(error.to_string()))
}

/// Refuses: this build has no PNG.
#[cfg(not(feature = "png"))]
pub(crate) fn png(_svg: &str, _zoom: f32) -> Result<Vec<u8>, PlotError> {
    Err(PlotError::Raster("built without the feature `png`: write it as SVG".to_owned()))
}

/// The two weights as a font database, made once.
#[cfg(feature = "png")]
fn database() -> std::sync::Arc<resvg::usvg::fontdb::Database> {
    use std::sync::{Arc, OnceLock};
    static DATABASE: OnceLock<Arc<resvg::usvg::fontdb::Database>> = OnceLock::new();
    let make = || {
        let mut database = resvg::usvg::fontdb::Database::new();
        database.load_font_data(super::font::bytes(false).to_vec());
        database.load_font_data(super::font::bytes(true).to_vec());
        database.set_sans_serif_family("DejaVu Sans");
        Arc::new(database)
    };
    DATABASE.get_or_init(make).clone()
}
