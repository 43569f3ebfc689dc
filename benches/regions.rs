//! The time of all forty stability maps at 61 × 61 points, on all cores.
//!
//! ```sh
//! cargo bench --bench regions            # prints seconds and microseconds a point
//! cargo bench --bench regions -- 31      # another grid
//! ```

use macrostep_analysis::Scheme;
use macrostep_analysis::dimensionless::Ratios;
use macrostep_analysis::region::{Rays, Window, regions};
use std::time::Instant;

fn main() {
    // Cargo passes `--bench`; a number is the grid.
    let points = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(61);
    let window = Window { points: [points; 2], ..Window::default() };
    let rays = Rays { angles_deg: Vec::new(), ..Rays::default() };
    let schemes = Scheme::forty();
    let began = Instant::now();
    let maps = regions(&schemes, Ratios::default(), &window, &rays, &|| ()).expect("the maps");
    let wall_s = began.elapsed().as_secs_f64();
    let count: usize = maps.iter().map(|m| m.radius.len()).sum();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let each_us = wall_s * 1e6 * cores as f64 / count as f64;
    println!(
        "{} maps of {points} × {points} points: {wall_s:.2} s on {cores} cores, {each_us:.0} µs a point and core",
        maps.len()
    );
}
