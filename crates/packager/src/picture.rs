//! `model.png`: a block with an arrow for each input and each output, and a decaying oscillation in it.

use macrostep_description::{Causality, ModelDescription};

use crate::PackError;
use crate::canvas::{Canvas, Point};

const WIDTH: u32 = 240;
const HEIGHT: u32 = 160;
/// Corners of the block.
const LEFT_TOP: Point = (50.0, 20.0);
const RIGHT_BOTTOM: Point = (190.0, 140.0);
/// More arrows than this on one side would run together.
const ARROWS_MAX: usize = 8;

/// The picture, encoded.
pub(crate) fn png(d: &ModelDescription) -> Result<Vec<u8>, PackError> {
    let canvas = draw(d);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, canvas.width, canvas.height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    // The archive packs it, where it is to be small.
    encoder.set_compression(png::Compression::NoCompression);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&canvas.pixels)?;
    writer.finish()?;
    Ok(bytes)
}

fn draw(d: &ModelDescription) -> Canvas {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let ((left, top), (right, bottom)) = (LEFT_TOP, RIGHT_BOTTOM);
    canvas.path(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], 3.0);
    for (causality, x) in [(Causality::Input, left - 34.0), (Causality::Output, right + 4.0)] {
        let count = d.variables.iter().filter(|v| v.causality == causality).count().min(ARROWS_MAX);
        for i in 0..count {
            let y = top + (bottom - top) * (i + 1) as f64 / (count + 1) as f64;
            canvas.arrow((x, y), 30.0);
        }
    }
    let middle = f64::midpoint(top, bottom);
    canvas.line((left + 12.0, middle), (right - 12.0, middle), 1.0);
    // x(t) = e^(−2 t) cos(6 π t) over one unit of time.
    let wave: Vec<Point> = (0..=200)
        .map(|i| {
            let t = f64::from(i) / 200.0;
            let x = (-2.0 * t).exp() * (6.0 * std::f64::consts::PI * t).cos();
            (left + 12.0 + t * (right - left - 24.0), middle - 44.0 * x)
        })
        .collect();
    canvas.path(&wave, 2.0);
    canvas
}
