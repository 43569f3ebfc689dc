//! Collects the rows of A and D for a state and a step size.
//!
//! | row | A | φ | C | force |
//! |---|---|---|---|---|
//! | joint | `∂φ/∂q` | violation | of the joint | free |
//! | spring | D of its coordinate | `h k/(h k + d) (s − s₀)` | `1/(h (h k + d))` | free |
//! | motor | D of its coordinate | `−h v_des` | of the motor | `[lower, upper]` |
//! | end stop | ± D of its coordinate | `max(gap, −h v_rec)` | of the stop | `≥ 0` |
//! | contact | `n·(ṗ_A − ṗ_B)` | `max(gap, −h v_rec)` | of the surface | `≥ 0` |
//! | friction | `t·(ṗ_A − ṗ_B)` | 0 | of the surface | `±μ λ_n`; with more than four facets `±μ tan(π/facets) λ_n` |

use std::f64::consts::PI;

use crate::{
    BodyId, State, Surface, System, Vec3,
    algebra::{Pose, Twist, linear, tangent, twist},
    contact::{self, ContactPoint},
    row::{BoundedRow, Bounds, Row, contact_id, limit_id, motor_id},
    system::Source,
};

/// End stops closer than this get a row, m or rad.
const LIMIT_MARGIN: f64 = 0.05;
/// Speed at which an overrun end stop is left, m/s or rad/s.
const LIMIT_RECOVERY: f64 = 0.2;

/// The pose of a body, also of the ground.
pub(crate) fn pose(poses: &[Pose], body: BodyId) -> Pose {
    body.index().map_or_else(Pose::world, |i| poses[i])
}

/// The interface rows; φ is the coordinate.
pub(crate) fn interface(system: &System, poses: &[Pose], rows: &mut Vec<Row>) {
    rows.clear();
    for coordinate in system.interface() {
        let c = coordinate.row(&system.parts.joints, |b| pose(poses, b));
        rows.push(Row::new(c.bodies, c.jacobian, c.value, 0.0));
    }
}

/// Joint and spring rows in the order of elimination.
pub(crate) fn bilateral(system: &System, poses: &[Pose], h: f64, rows: &mut Vec<Row>) {
    rows.clear();
    for constraint in &system.bilateral {
        match constraint.source {
            Source::Joint(i) => {
                let joint = &system.parts.joints[i];
                let (a, b) = (pose(poses, joint.bodies[0]), pose(poses, joint.bodies[1]));
                joint.rows(&a, &b, |r| rows.push(Row::new(joint.bodies, r.jacobian, r.phi, joint.compliance)));
            }
            Source::Spring(i) => {
                let spring = &system.parts.springs[i];
                let c = spring.coordinate.row(&system.parts.joints, |b| pose(poses, b));
                let resistance = h * spring.stiffness + spring.damping;
                let phi = h * spring.stiffness / resistance * (c.value - spring.rest);
                rows.push(Row::new(c.bodies, c.jacobian, phi, 1.0 / (h * resistance)));
            }
        }
    }
}

/// The violation of each joint row in the order of elimination; 0 for springs.
pub(crate) fn violation(system: &System, poses: &[Pose], phi: &mut Vec<f64>) {
    phi.clear();
    for constraint in &system.bilateral {
        match constraint.source {
            Source::Joint(i) => {
                let joint = &system.parts.joints[i];
                joint.rows(&pose(poses, joint.bodies[0]), &pose(poses, joint.bodies[1]), |row| phi.push(row.phi));
            }
            Source::Spring(_) => phi.push(0.0),
        }
    }
}

/// Motor, end stop and contact rows.
pub(crate) fn bounded(system: &System, state: &State, h: f64, rows: &mut Vec<BoundedRow>) {
    rows.clear();
    motors(system, state, h, rows);
    limits(system, state, h, rows);
    for (index, pair) in system.parts.pairs.iter().enumerate() {
        let [a, b] = pair.shapes.map(|s| &system.parts.shapes[s.0]);
        let (pose_a, pose_b) = (pose(&state.poses, a.body), pose(&state.poses, b.body));
        let (bodies, poses, surface) = ([a.body, b.body], [pose_a, pose_b], pair.surface);
        let place = ContactPlace { pair: index, bodies, poses, surface };
        contact::find((&a.shape, &pose_a), (&b.shape, &pose_b), &mut |point| {
            contact_rows(state, h, &place, &point, rows);
        });
    }
}

fn motors(system: &System, state: &State, h: f64, rows: &mut Vec<BoundedRow>) {
    let time_s = state.clock.time_s();
    for (i, motor) in system.parts.motors.iter().enumerate() {
        let c = motor.coordinate.row(&system.parts.joints, |b| pose(&state.poses, b));
        let row = Row::new(c.bodies, c.jacobian, -h * motor.speed.at(time_s), motor.compliance);
        rows.push(BoundedRow { row, bounds: Bounds::Force(motor.lower_n, motor.upper_n), id: motor_id(i) });
    }
}

fn limits(system: &System, state: &State, h: f64, rows: &mut Vec<BoundedRow>) {
    for (i, limit) in system.parts.limits.iter().enumerate() {
        let c = limit.coordinate.row(&system.parts.joints, |b| pose(&state.poses, b));
        let stops = [(c.value - limit.lower, 1.0), (limit.upper - c.value, -1.0)];
        for (side, (gap, sign)) in stops.into_iter().enumerate() {
            let jacobian = c.jacobian.map(|half| half.map(|entry| sign * entry));
            let row = Row::new(c.bodies, jacobian, gap.max(-h * LIMIT_RECOVERY), limit.compliance);
            if gap < LIMIT_MARGIN + h * (-row.rate(&state.velocities)).max(0.0) {
                rows.push(BoundedRow { row, bounds: Bounds::Unilateral, id: limit_id(i, side) });
            }
        }
    }
}

/// Where a contact point was found.
struct ContactPlace {
    pair: usize,
    bodies: [BodyId; 2],
    poses: [Pose; 2],
    surface: Surface,
}

impl ContactPlace {
    /// Velocity of A against B along `e` at the contact points.
    fn jacobian(&self, point: &ContactPoint, e: &crate::algebra::Vec3) -> [Twist; 2] {
        let arm = |k: usize| point.points[k] - self.poses[k].position;
        [twist(*e, arm(0).cross(e)), twist(-e, -arm(1).cross(e))]
    }
}

fn contact_rows(state: &State, h: f64, place: &ContactPlace, point: &ContactPoint, rows: &mut Vec<BoundedRow>) {
    let surface = &place.surface;
    let fastest: f64 = place.bodies.iter().filter_map(|b| b.index()).map(|i| speed_bound(&state.velocities[i])).sum();
    // Cheap test first: most points are far away.
    if point.gap_m > surface.margin_m + h * fastest {
        return;
    }
    // The normal row, unless the point cannot be reached at its own speed.
    let phi = point.gap_m.max(-h * surface.recovery_ms);
    let jacobian = place.jacobian(point, &point.normal);
    let row = Row::new(place.bodies, jacobian, phi, surface.compliance);
    if point.gap_m > surface.margin_m + h * (-row.rate(&state.velocities)).max(0.0) {
        return;
    }
    // A number that says which point of which pair a row is of.
    let normal = rows.len();
    let id = |row: u64| contact_id(place.pair, point.feature, row);
    rows.push(BoundedRow { row, bounds: Bounds::Unilateral, id: id(0) });
    if surface.friction == 0.0 {
        return;
    }
    // Friction in half as many directions as facets: each row acts both ways.
    let first = tangent(&point.normal, &point.tangent);
    let second = point.normal.cross(&first);
    let (directions, coefficient) = (surface.facets / 2, facet_coefficient(surface));
    for k in 0..directions {
        let t = direction(&first, &second, f64::from(k) / f64::from(directions));
        let row = Row::new(place.bodies, place.jacobian(point, &t), 0.0, surface.compliance);
        rows.push(BoundedRow { row, bounds: Bounds::Friction { normal, coefficient }, id: id(u64::from(k) + 1) });
    }
}

/// Bound of one direction of friction over the normal force: n directions, π/n apart, of bounds c reach all forces of a regular
/// polygon of 2 n sides, whose inner radius is c cot(π/2n); that is μ.
fn facet_coefficient(surface: &Surface) -> f64 {
    match surface.facets {
        4 => surface.friction,
        facets => surface.friction * (PI / f64::from(facets)).tan(),
    }
}

/// The tangent at an angle of `part` of π from `first` towards `second`.
fn direction(first: &Vec3, second: &Vec3, part: f64) -> Vec3 {
    match part {
        0.0 => *first,
        // Exactly, where the sine and cosine would round.
        0.5 => *second,
        _ => first * (PI * part).cos() + second * (PI * part).sin(),
    }
}

/// A bound of the speed of body points within about ten metres of the centre.
fn speed_bound(velocity: &Twist) -> f64 {
    linear(velocity).norm() + 10.0 * crate::algebra::angular(velocity).norm()
}
