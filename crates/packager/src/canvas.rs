//! Lines and boxes on a small grey-scale picture, smoothed by their distance to each pixel.

/// A picture that is white at first. Coordinates are pixels, y downwards.
pub(crate) struct Canvas {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Row by row, 0 black, 255 white.
    pub(crate) pixels: Vec<u8>,
}

/// A point.
pub(crate) type Point = (f64, f64);

impl Canvas {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        Canvas { width, height, pixels: vec![255; (width * height) as usize] }
    }

    /// A line from `a` to `b`, `thick` pixels wide, with round ends.
    pub(crate) fn line(&mut self, a: Point, b: Point, thick: f64) {
        let reach = thick / 2.0 + 1.0;
        let clamp = |x: f64, max: u32| x.clamp(0.0, f64::from(max)) as u32;
        let (x0, x1) = (clamp(a.0.min(b.0) - reach, self.width), clamp(a.0.max(b.0) + reach + 1.0, self.width));
        let (y0, y1) = (clamp(a.1.min(b.1) - reach, self.height), clamp(a.1.max(b.1) + reach + 1.0, self.height));
        for y in y0..y1 {
            for x in x0..x1 {
                let distance = distance((f64::from(x) + 0.5, f64::from(y) + 0.5), a, b);
                let ink = (thick / 2.0 + 0.5 - distance).clamp(0.0, 1.0);
                let pixel = &mut self.pixels[(y * self.width + x) as usize];
                *pixel = (*pixel).min((255.0 * (1.0 - ink)) as u8);
            }
        }
    }

    /// Lines from point to point.
    pub(crate) fn path(&mut self, points: &[Point], thick: f64) {
        for pair in points.windows(2) {
            self.line(pair[0], pair[1], thick);
        }
    }

    /// A level arrow from `a` to the right.
    pub(crate) fn arrow(&mut self, a: Point, length: f64) {
        let tip = (a.0 + length, a.1);
        self.path(&[a, tip], 2.0);
        self.path(&[(tip.0 - 6.0, tip.1 - 4.0), tip, (tip.0 - 6.0, tip.1 + 4.0)], 2.0);
    }
}

/// Distance of `p` from the segment `a` to `b`.
fn distance(p: Point, a: Point, b: Point) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (px, py) = (p.0 - a.0, p.1 - a.1);
    let along = ((px * dx + py * dy) / (dx * dx + dy * dy).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (px - along * dx).hypot(py - along * dy)
}
