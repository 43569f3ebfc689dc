//! Stability regions: spectral radii over a window of eigenvalues, the stable fraction, and limits along rays.
//!
//! A point is stable where ρ ≤ 1 + 1e-9, so that the undamped edge counts where a scheme keeps it. The fraction is that of
//! grid points, edges included: it belongs to its window, grid and tolerance, which are part of the result. Along a ray from
//! the origin the limit is the first distance at which ln ρ (per macro step, H = 1) exceeds a growth that is stated: on the
//! undamped axis nearly every explicit scheme grows a little.

use crate::dimensionless::{Probe, Ratios};
use crate::scheme::Scheme;
use macrostep_master::RunError;
use rayon::prelude::*;

/// The range of eigenvalues, and the condition for stability.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Window {
    /// Λr from … to.
    pub re: [f64; 2],
    /// Λi from … to.
    pub im: [f64; 2],
    /// Points along Λr and Λi, both at least 2, edges included.
    pub points: [usize; 2],
    /// Stable is ρ ≤ 1 + tolerance.
    pub tolerance: f64,
}

impl Default for Window {
    /// Λr from −3 to 0, Λi from 0 to 3, 31 × 31, 1e-9.
    fn default() -> Self {
        Window { re: [-3.0, 0.0], im: [0.0, 3.0], points: [31, 31], tolerance: 1e-9 }
    }
}

/// Spectral radii of a scheme over a window.
#[derive(Debug, Clone)]
pub struct Region {
    /// The scheme.
    pub scheme: Scheme,
    /// Λr of the columns.
    pub re: Vec<f64>,
    /// Λi of the rows.
    pub im: Vec<f64>,
    /// ρ, row by row from the lowest Λi.
    pub radius: Vec<f64>,
    /// Share of points with ρ ≤ 1 + tolerance.
    pub stable_fraction: f64,
    /// Limits along rays.
    pub limits: Vec<Limit>,
}

/// How far one may go along a ray from the origin.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Limit {
    /// Angle of the ray from the positive real axis in degrees: 90 undamped, 180 aperiodic.
    pub angle_deg: f64,
    /// First |Λ| at which ln ρ exceeds the growth allowed; `None` where it does not within the length looked at.
    pub limit: Option<f64>,
}

/// Rays along which limits are looked for.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Rays {
    /// Angles in degrees, 90 to 180.
    pub angles_deg: Vec<f64>,
    /// Growth ln ρ per macro step that is allowed.
    pub growth: f64,
    /// |Λ| looked at.
    pub length: f64,
}

impl Default for Rays {
    /// Every 15° from 90° to 180°, growth 1e-3 a macro step, up to |Λ| = 4.
    fn default() -> Self {
        Rays { angles_deg: (0..=6).map(|i| 90.0 + 15.0 * f64::from(i)).collect(), growth: 1e-3, length: 4.0 }
    }
}

/// Points of a ray that are looked at before the limit is refined.
const RAY_POINTS: usize = 80;

/// The even grid over `[low, high]`; the last point is `high` to the bit, and a point near 0 is 0.
fn grid([low, high]: [f64; 2], points: usize) -> Vec<f64> {
    let n = points.max(2) - 1;
    let at = |i: usize| if i == n { high } else { low + (high - low) * i as f64 / n as f64 };
    (0..=n).map(at).map(|x| if x.abs() < 1e-12 * (high - low) { 0.0 } else { x }).collect()
}

/// Regions of all schemes, on all cores; `done` is called after every row of a grid and every ray.
///
/// # Errors
/// The first a unit answers.
pub fn regions(
    schemes: &[Scheme],
    ratios: Ratios,
    window: &Window,
    rays: &Rays,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Region>, RunError> {
    let (re, im) = (grid(window.re, window.points[0]), grid(window.im, window.points[1]));
    let schemes: Vec<Result<Region, RunError>> = schemes
        .par_iter()
        .map(|scheme| {
            // One probe a piece of work: building it costs about as much as a few points.
            let rows: Vec<Vec<f64>> = im
                .par_iter()
                .with_min_len(im.len().div_ceil(4).max(1))
                .map_init(
                    || None,
                    |place: &mut Option<Probe>, &im| {
                        let mut probe = place.take().map_or_else(|| Probe::new(scheme, ratios), Ok)?;
                        let row = re.iter().map(|&re| probe.radius(re, im)).collect::<Result<Vec<f64>, RunError>>();
                        *place = Some(probe);
                        done();
                        row
                    },
                )
                .collect::<Result<_, RunError>>()?;
            // The stable part of the window.
            let radius = rows.concat();
            let stable = radius.iter().filter(|rho| **rho <= 1.0 + window.tolerance).count();
            let stable_fraction = stable as f64 / radius.len() as f64;
            // Limits along rays.
            let mut probe = Probe::new(scheme, ratios)?;
            let mut limits = Vec::new();
            for &angle_deg in &rays.angles_deg {
                limits.push(Limit { angle_deg, limit: limit(&mut probe, angle_deg, rays)? });
                done();
            }
            Ok(Region { scheme: *scheme, re: re.clone(), im: im.clone(), radius, stable_fraction, limits })
        })
        .collect();
    schemes.into_iter().collect()
}

/// First distance along a ray at which growth exceeds what is allowed, refined by bisection to 1e-6.
fn limit(probe: &mut Probe, angle_deg: f64, rays: &Rays) -> Result<Option<f64>, RunError> {
    let (sin, cos) = angle_deg.to_radians().sin_cos();
    // The cosine of 90° and the sine of 180° are rounding.
    let [sin, cos] = [sin, cos].map(|x| if x.abs() < 1e-15 { 0.0 } else { x });
    let mut grows = |r: f64| -> Result<bool, RunError> {
        let rho = probe.radius(r * cos, r * sin)?;
        Ok(rho.is_nan() || rho.ln() > rays.growth)
    };
    let mut low = 0.0;
    for i in 1..=RAY_POINTS {
        let mut high = rays.length * i as f64 / RAY_POINTS as f64;
        if grows(high)? {
            while high - low > 1e-6 {
                let middle = 0.5 * (low + high);
                if grows(middle)? { high = middle } else { low = middle }
            }
            return Ok(Some(0.5 * (low + high)));
        }
        low = high;
    }
    Ok(None)
}
