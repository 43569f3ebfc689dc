//! A page that shows the crane in motion: bodies in three dimensions, drawn by a script inside the page, no other files.
//!
//! Tines and log are the shapes that touch; the members are drawn between their joints, as the joints' places at the start
//! say (metres, crane plane).

use macrostep_crane::crane::{self, CraneOptions, LOG};
use macrostep_multibody::{DefinitionError, Pose, Shape, Vec3};
use serde_json::{Value, json};

use macrostep_benchmarks::Multirate;

use super::runs::{Columns, Outcome};

const PAGE: &str = include_str!("animation.html");

/// A member drawn along a line of the crane plane: body, from, to (x, z), half width or width and height, colour.
enum Member {
    /// Body, from, to, radius, colour.
    Tube(usize, [f64; 2], [f64; 2], f64, [f64; 3]),
    /// Body, from, to, width and height, colour.
    Beam(usize, [f64; 2], [f64; 2], [f64; 2], [f64; 3]),
}

const YELLOW: [f64; 3] = [0.93, 0.69, 0.13];
const DARK: [f64; 3] = [0.22, 0.25, 0.29];
const STEEL: [f64; 3] = [0.78, 0.81, 0.84];
const RED: [f64; 3] = [0.75, 0.22, 0.17];
const BARK: [f64; 3] = [0.43, 0.3, 0.19];
const WOOD: [f64; 3] = [0.85, 0.7, 0.48];

/// All members; numbers of bodies as in the crane's definition.
fn members() -> Vec<Member> {
    // From the column to the grapple, with the cylinders between: body, both ends, size, colour.
    use Member::{Beam, Tube};
    vec![
        Tube(0, [0.0, 0.0], [0.0, 0.12], 0.42, DARK),
        Tube(0, [0.0, 0.12], [0.0, 1.95], 0.17, YELLOW),
        Beam(0, [0.0, 0.92], [0.28, 0.90], [0.16, 0.12], YELLOW),
        Tube(0, [0.0, 1.9], [0.0, 2.1], 0.2, DARK),
        Beam(1, [0.0, 2.0], [1.6, 2.9], [0.2, 0.28], YELLOW),
        Beam(1, [1.5, 2.84], [3.208, 3.634], [0.2, 0.22], YELLOW),
        Tube(2, [0.25, 0.90], [0.62, 1.64], 0.085, DARK),
        Tube(3, [0.55, 1.5], [0.959, 2.320], 0.045, STEEL),
        Beam(4, [3.315, 3.979], [3.208, 3.634], [0.14, 0.12], YELLOW),
        Beam(4, [3.145, 3.72], [4.42, 2.14], [0.18, 0.2], YELLOW),
        Tube(5, [1.111, 2.903], [2.0, 3.511], 0.075, DARK),
        Tube(6, [1.9, 3.4426], [2.674, 3.972], 0.04, STEEL),
        Beam(7, [2.806, 3.542], [2.674, 3.972], [0.1, 0.08], RED),
        Beam(8, [2.674, 3.972], [3.315, 3.979], [0.07, 0.08], RED),
        Beam(9, [3.9, 2.78], [4.907, 1.536], [0.12, 0.13], STEEL),
        Tube(10, [4.907, 1.576], [4.907, 1.336], 0.045, DARK),
        Beam(11, [4.907, 1.36], [4.907, 1.06], [0.3, 0.16], RED),
        Beam(11, [4.74, 1.086], [5.074, 1.086], [0.36, 0.09], RED),
        Beam(12, [4.787, 1.086], [4.808, 1.291], [0.1, 0.07], DARK),
        Beam(13, [5.027, 1.086], [5.005, 1.291], [0.1, 0.07], DARK),
        Tube(14, [4.808, 1.291], [4.93, 1.291], 0.035, DARK),
        Tube(15, [4.88, 1.291], [5.005, 1.291], 0.02, STEEL),
        Beam(16, [4.833, 1.152], [5.073, 1.021], [0.05, 0.03], STEEL),
    ]
}

/// The page for a run of the crane with frames.
///
/// # Errors
/// [`DefinitionError`] never for these data.
pub fn page(run: &Multirate, outcome: &Outcome) -> Result<String, DefinitionError> {
    // Where bodies stand at the start: members are given in the crane's plane, and drawn in the body's own frame.
    let system = crane::system(&CraneOptions::default())?;
    let poses: Vec<Pose> = system.bodies().iter().map(|b| b.pose).collect();
    let mut bodies: Vec<Vec<Value>> = vec![Vec::new(); poses.len()];
    let list = |v: &Vec3| json!([round(v.x), round(v.y), round(v.z)]);
    for member in members() {
        let local = |body: usize, at: [f64; 2]| list(&poses[body].local(&Vec3::new(at[0], 0.0, at[1])));
        match member {
            Member::Tube(body, a, b, radius, colour) => {
                let part = json!({"kind": "tube", "a": local(body, a), "b": local(body, b), "radius": radius, "colour": colour});
                bodies[body].push(part);
            }
            // A tube is round; a beam has a width and a height.
            Member::Beam(body, a, b, [wide, high], colour) => {
                let ends = [local(body, a), local(body, b)];
                let part =
                    json!({"kind": "beam", "a": ends[0], "b": ends[1], "wide": wide, "high": high, "colour": colour});
                bodies[body].push(part);
            }
        }
    }
    // Shapes that touch: tines, and the log.
    for (body, shape) in system.shapes() {
        let Some(body) = body.index() else { continue };
        // Tines are capsules; of the cylinders only the log is a body to be seen.
        match *shape {
            Shape::Capsule { ends: [a, b], radius } => {
                bodies[body]
                    .push(json!({"kind": "capsule", "a": list(&a), "b": list(&b), "radius": radius, "colour": DARK}));
            }
            Shape::Cylinder { centre, axis, half_length, radius } if body == LOG => {
                let ends = [-half_length, half_length].map(|s| list(&(centre + axis * s)));
                bodies[body].push(
                    json!({"kind": "tube", "a": ends[0], "b": ends[1], "radius": radius, "colour": BARK, "end": WOOD}),
                );
            }
            _ => {}
        }
    }
    // What the script gets: bodies, where they are in each frame, and curves.
    let data = json!({
        "title": "Hydraulic crane, 18 bodies and 22 joints",
        "scheme": format!("{}, H = {} ms, hydraulics {} ms", run.scheme, 1e3 * run.step_s, 1e3 * run.micro_s),
        "side": [0, 1, 0],
        "bodies": bodies,
        "frames": frames(outcome),
        "height": at_frames(outcome, "log_height"),
        "lines": [
            line(outcome, &Quantity { name: "cylinder speed", unit: "mm/s", of: Columns::speed, scale: 1e3 }),
            line(outcome, &Quantity { name: "cylinder force", unit: "kN", of: Columns::force, scale: 1e-3 }),
        ],
    });
    // `</` must not end the script element.
    Ok(PAGE.replace("__DATA__", &data.to_string().replace("</", "<\\/")))
}

fn frames(outcome: &Outcome) -> Vec<Value> {
    let pose = |p: &[f64]| p.iter().map(|x| round(*x)).collect::<Vec<_>>();
    let frame = |(t, poses): &(f64, Vec<f64>)| json!({"t": round(*t), "p": poses.chunks_exact(7).map(pose).collect::<Vec<_>>()});
    outcome.frames.iter().map(frame).collect()
}

/// A column of each cylinder, times `scale` in `unit`.
struct Quantity {
    name: &'static str,
    unit: &'static str,
    of: fn(usize) -> String,
    scale: f64,
}

/// A quantity of both cylinders at the frames.
fn line(outcome: &Outcome, Quantity { name, unit, of, scale }: &Quantity) -> Value {
    let values = [0, 1].map(|i| at_frames(outcome, &of(i)).iter().map(|v| round(v * scale)).collect::<Vec<_>>());
    json!({"name": name, "unit": unit, "digits": 1, "values": values})
}

/// A column of the trace at the frames.
fn at_frames(outcome: &Outcome, name: &str) -> Vec<f64> {
    let [time, values] = ["time", name].map(|n| outcome.trace.column(n).unwrap_or_default());
    let at = |t: f64| values.get(time.partition_point(|s| *s < t - 1e-12)).copied().unwrap_or(0.0);
    outcome.frames.iter().map(|(t, _)| round(at(*t))).collect()
}

/// A tenth of a millimetre is finer than a screen shows.
fn round(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}
