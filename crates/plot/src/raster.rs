//! A picture as PNG, with the font the program carries (feature `png`).

use super::PlotError;
use super::canvas::Picture;

/// Whether pictures are written as PNG too.
pub(crate) const AVAILABLE: bool = cfg!(feature = "png");

/// A picture as PNG, `zoom` pixels for one of the SVG.
#[cfg(feature = "png")]
pub(crate) fn png(picture: &Picture, zoom: f32) -> Result<Vec<u8>, PlotError> {
    pixels::png(picture, zoom).map_err(PlotError::Raster)
}

/// Refuses: this build has no PNG.
#[cfg(not(feature = "png"))]
pub(crate) fn png(_picture: &Picture, _zoom: f32) -> Result<Vec<u8>, PlotError> {
    Err(PlotError::Raster("built without the feature `png`: write it as SVG".to_owned()))
}

#[cfg(feature = "png")]
mod pixels {
    use svgtypes::{SimplePathSegment, SimplifyingPathParser};
    use tiny_skia::{
        Color, FillRule, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
    };

    use crate::canvas::{Area, Element, Picture};
    use crate::font;

    /// Pixels, what is cut off, and the zoom.
    struct Sheet {
        pixels: Pixmap,
        mask: Option<Mask>,
        zoom: Transform,
    }

    pub(super) fn png(picture: &Picture, zoom: f32) -> Result<Vec<u8>, String> {
        // A sheet of paper.
        let side = |length: f64| (length as f32 * zoom).round() as u32;
        let (width, height) = (side(picture.width), side(picture.height));
        let mut pixels =
            Pixmap::new(width, height).ok_or_else(|| format!("no memory for {width} × {height} pixels"))?;
        pixels.fill(colour(picture.paper)?);
        let mut sheet = Sheet { pixels, mask: None, zoom: Transform::from_scale(zoom, zoom) };
        // Everything in its order.
        for element in &picture.elements {
            sheet.draw(element)?;
        }
        sheet.pixels.encode_png().map_err(|error| error.to_string())
    }

    impl Sheet {
        fn draw(&mut self, element: &Element) -> Result<(), String> {
            match element {
                Element::Path { commands, colour, width, dash } => {
                    let dash = dash.split(',').filter_map(|length| length.parse().ok()).collect();
                    let dash = StrokeDash::new(dash, 0.0);
                    let stroke = Stroke { width: *width as f32, line_join: LineJoin::Round, dash, ..Stroke::default() };
                    self.stroke(path(commands)?, colour, &stroke)?;
                }
                Element::Fill { commands, colour, crisp } => self.fill(path(commands)?, colour, !crisp, self.zoom)?,
                Element::Disc { centre: [x, y], radius, colour, edge } => {
                    let disc = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
                    self.fill(disc.clone(), colour, true, self.zoom)?;
                    self.stroke(disc, edge, &Stroke::default())?;
                }
                Element::Text { at: [x, y], text, size, colour, anchor, bold, upright } => {
                    // The letters lie on a line that begins, has its middle or ends at the point.
                    let width = font::width(text, *size, *bold);
                    let start = match anchor.as_str() {
                        "middle" => -0.5 * width,
                        "end" => -width,
                        _ => 0.0,
                    };
                    let turn = Transform::from_rotate(if *upright { -90.0 } else { 0.0 });
                    let place = self.zoom.pre_translate(*x as f32, *y as f32).pre_concat(turn);
                    self.fill(letters(text, [start, *size], *bold), colour, true, place)?;
                }
                Element::Clip(area) => self.mask = self.cut(*area),
                Element::Unclip => self.mask = None,
            }
            Ok(())
        }

        fn fill(&mut self, path: Option<Path>, ink: &str, smooth: bool, place: Transform) -> Result<(), String> {
            let paint = paint(ink, smooth)?;
            if let Some(path) = path {
                self.pixels.fill_path(&path, &paint, FillRule::Winding, place, self.mask.as_ref());
            }
            Ok(())
        }

        fn stroke(&mut self, path: Option<Path>, ink: &str, stroke: &Stroke) -> Result<(), String> {
            let paint = paint(ink, true)?;
            if let Some(path) = path {
                self.pixels.stroke_path(&path, &paint, stroke, self.zoom, self.mask.as_ref());
            }
            Ok(())
        }

        /// The mask of an area; none where it is empty.
        fn cut(&self, area: Area) -> Option<Mask> {
            let [left, top, right, bottom] = [area.left, area.top, area.right, area.bottom].map(|edge| edge as f32);
            let rect = Rect::from_ltrb(left, top, right, bottom)?;
            let mut mask = Mask::new(self.pixels.width(), self.pixels.height())?;
            mask.fill_path(&PathBuilder::from_rect(rect), FillRule::Winding, true, self.zoom);
            Some(mask)
        }
    }

    fn paint(ink: &str, smooth: bool) -> Result<Paint<'static>, String> {
        let mut paint = Paint { anti_alias: smooth, ..Paint::default() };
        paint.set_color(colour(ink)?);
        Ok(paint)
    }

    /// A colour as SVG writes it.
    fn colour(text: &str) -> Result<Color, String> {
        let colour: svgtypes::Color = text.parse().map_err(|error| format!("colour `{text}`: {error}"))?;
        Ok(Color::from_rgba8(colour.red, colour.green, colour.blue, colour.alpha))
    }

    /// SVG path commands as a path; none where it has no length.
    fn path(commands: &str) -> Result<Option<Path>, String> {
        let mut path = PathBuilder::new();
        for segment in SimplifyingPathParser::from(commands) {
            match segment.map_err(|error| format!("path `{commands}`: {error}"))? {
                SimplePathSegment::MoveTo { x, y } => path.move_to(x as f32, y as f32),
                SimplePathSegment::LineTo { x, y } => path.line_to(x as f32, y as f32),
                SimplePathSegment::Quadratic { x1, y1, x, y } => path.quad_to(x1 as f32, y1 as f32, x as f32, y as f32),
                SimplePathSegment::CurveTo { x1, y1, x2, y2, x, y } => {
                    let [x1, y1, x2, y2, x, y] = [x1, y1, x2, y2, x, y].map(|part| part as f32);
                    path.cubic_to(x1, y1, x2, y2, x, y);
                }
                SimplePathSegment::ClosePath => path.close(),
            }
        }
        Ok(path.finish())
    }

    /// The outlines of a text in pixels: from `start` to the right on the line y = 0, y growing downwards.
    fn letters(text: &str, [start, size]: [f64; 2], bold: bool) -> Option<Path> {
        let face = font::face(bold)?;
        let scale = (size / f64::from(face.units_per_em())) as f32;
        let mut outlines = Outlines { path: PathBuilder::new(), left: 0.0, scale };
        let mut left = start;
        for letter in text.chars() {
            outlines.left = left as f32;
            face.glyph_index(letter).and_then(|glyph| face.outline_glyph(glyph, &mut outlines));
            left += font::advance(letter, bold) * size;
        }
        outlines.path.finish()
    }

    /// Takes the outlines of letters, which come in units of the font, and moves them to their places.
    struct Outlines {
        path: PathBuilder,
        left: f32,
        scale: f32,
    }

    impl Outlines {
        fn at(&self, x: f32, y: f32) -> (f32, f32) {
            (self.left + self.scale * x, -self.scale * y)
        }
    }

    impl ttf_parser::OutlineBuilder for Outlines {
        fn move_to(&mut self, x: f32, y: f32) {
            let (x, y) = self.at(x, y);
            self.path.move_to(x, y);
        }

        fn line_to(&mut self, x: f32, y: f32) {
            let (x, y) = self.at(x, y);
            self.path.line_to(x, y);
        }

        fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
            let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
            self.path.quad_to(x1, y1, x, y);
        }

        fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
            let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
            self.path.cubic_to(x1, y1, x2, y2, x, y);
        }

        fn close(&mut self) {
            self.path.close();
        }
    }
}
