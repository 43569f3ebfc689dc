//! The definition of a multibody system: bodies, joints, elements, shapes, interface. Immutable once built.

use nalgebra::Unit;

use crate::{
    BodyId, DefinitionError, JointId, JointKind, ShapeId,
    algebra::{Pose, Vec3},
    body::Body,
    contact,
    element::{Coordinate, Limit, Motor, Spring},
    envelope,
    joint::{Joint, JointFrame},
    shape::{Carried, FACETS_MAX, Pair, Shape, Surface},
};

/// Definition of a multibody system.
#[derive(Clone, Debug)]
pub struct System {
    pub(crate) parts: Parts,
    /// Joints and springs in the order of elimination.
    pub(crate) bilateral: Vec<Bilateral>,
    /// For each body the bilateral constraints on it and its side there.
    pub(crate) touching: Vec<Vec<(usize, usize)>>,
    /// First column of each bilateral row in the envelope.
    pub(crate) first: Vec<usize>,
}

/// The elements of a system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub gravity: Vec3,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub motors: Vec<Motor>,
    pub springs: Vec<Spring>,
    pub limits: Vec<Limit>,
    pub shapes: Vec<Carried>,
    pub pairs: Vec<Pair>,
    pub interface: Vec<Coordinate>,
    pub position_passes: usize,
}

/// A joint or spring among the rows that are equations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bilateral {
    pub source: Source,
    pub bodies: [BodyId; 2],
    /// First row.
    pub begin: usize,
    pub rows: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Joint(usize),
    Spring(usize),
}

impl System {
    /// Gravity, m/s², world axes.
    #[must_use]
    pub fn gravity(&self) -> Vec3 {
        self.parts.gravity
    }

    /// The bodies, at assembly.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.parts.bodies
    }

    /// The joints.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.parts.joints
    }

    /// The motors and brakes.
    #[must_use]
    pub fn motors(&self) -> &[Motor] {
        &self.parts.motors
    }

    /// The pairs of shapes that may touch.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        &self.parts.pairs
    }

    /// The shapes and the bodies that carry them, in the order they were added.
    pub fn shapes(&self) -> impl Iterator<Item = (BodyId, &Shape)> {
        self.parts.shapes.iter().map(|carried| (carried.body, &carried.shape))
    }

    /// The interface coordinates; their rates are `w_i = D v`.
    #[must_use]
    pub fn interface(&self) -> &[Coordinate] {
        &self.parts.interface
    }

    /// Corrections of the positions after each step, see [`SystemBuilder::position_passes`].
    #[must_use]
    pub fn position_passes(&self) -> usize {
        self.parts.position_passes
    }

    /// Number of rows that are equations: joints and springs.
    #[must_use]
    pub fn bilateral_rows(&self) -> usize {
        self.first.len()
    }

    /// Most bounded rows a step can have: motors, both stops of each limit, and contacts with their friction.
    #[must_use]
    pub fn bounded_rows_max(&self) -> usize {
        let is_plane = |id: &ShapeId| matches!(self.parts.shapes[id.0].shape, Shape::Plane { .. });
        // A box on a plane touches with its eight corners, round shapes touch one another in one point.
        let points = |pair: &Pair| if pair.shapes.iter().any(is_plane) { 8 } else { 1 };
        let rows = |pair: &Pair| points(pair) * (1 + usize::from(pair.surface.facets / 2));
        let contacts: usize = self.parts.pairs.iter().map(rows).sum();
        self.parts.motors.len() + 2 * self.parts.limits.len() + contacts
    }

    /// Entries stored of the factor of the bilateral rows, a work count.
    #[must_use]
    pub fn envelope_entries(&self) -> usize {
        envelope::Envelope::new(self.first.clone()).stored()
    }
}

/// Collects the elements of a [`System`]; points and axes are given in world axes for the assembly.
#[derive(Clone, Debug, Default)]
pub struct SystemBuilder {
    parts: Parts,
}

impl SystemBuilder {
    /// An empty system under `gravity`, m/s².
    #[must_use]
    pub fn new(gravity: Vec3) -> Self {
        Self { parts: Parts { gravity, ..Default::default() } }
    }

    /// Adds a body.
    pub fn body(&mut self, body: Body) -> BodyId {
        self.parts.bodies.push(body);
        BodyId(self.parts.bodies.len() - 1)
    }

    /// The pose of a body at assembly.
    #[must_use]
    pub fn pose(&self, body: BodyId) -> Pose {
        body.index().map_or_else(Pose::world, |i| self.parts.bodies[i].pose)
    }

    /// Adds a joint between bodies A and B. `compliance` is C of its rows.
    pub fn joint(
        &mut self,
        name: &str,
        kind: JointKind,
        bodies: [BodyId; 2],
        frame: JointFrame,
        compliance: f64,
    ) -> JointId {
        let poses = bodies.map(|b| self.pose(b));
        let axis = Unit::try_new(frame.axis, 0.0).map_or_else(Vec3::x, Unit::into_inner);
        let joint = Joint::assemble(name, kind, bodies, poses, JointFrame { axis, ..frame });
        self.parts.joints.push(Joint { compliance, ..joint });
        JointId(self.parts.joints.len() - 1)
    }

    /// Adds a motor or brake.
    pub fn motor(&mut self, motor: Motor) {
        self.parts.motors.push(motor);
    }

    /// Adds a spring and damper.
    pub fn spring(&mut self, spring: Spring) {
        self.parts.springs.push(spring);
    }

    /// Adds end stops.
    pub fn limit(&mut self, limit: Limit) {
        self.parts.limits.push(limit);
    }

    /// Adds a shape in body axes.
    pub fn shape(&mut self, body: BodyId, shape: Shape) -> ShapeId {
        self.parts.shapes.push(Carried { body, shape });
        ShapeId(self.parts.shapes.len() - 1)
    }

    /// Lets two shapes touch.
    pub fn pair(&mut self, name: &str, shapes: [ShapeId; 2], surface: Surface) {
        self.parts.pairs.push(Pair { name: name.to_owned(), shapes, surface });
    }

    /// Adds an interface coordinate; the order of calls is the order of λ_i, w_i and s_i.
    pub fn interface(&mut self, coordinate: Coordinate) {
        self.parts.interface.push(coordinate);
    }

    /// Corrects the positions after each step by `passes` simplified Newton steps on the joint violation,
    /// `q ← q ⊕ −M⁻¹ A_bᵀ N_bb⁻¹ φ(q)` with the matrices of the beginning of the step. Default 0, the plain semi-implicit
    /// rule. Velocities, hence interface model and identity (I), do not change; one pass brings the violation from order
    /// h² to order h³.
    pub fn position_passes(&mut self, passes: usize) {
        self.parts.position_passes = passes;
    }

    /// Checks the definition and orders its rows.
    ///
    /// # Errors
    /// The first [`DefinitionError`] found.
    pub fn build(self) -> Result<System, DefinitionError> {
        check(&self.parts)?;
        let (bilateral, first) = arrange(&self.parts);
        let mut touching = vec![Vec::new(); self.parts.bodies.len()];
        for (k, constraint) in bilateral.iter().enumerate() {
            for (side, body) in constraint.bodies.iter().enumerate() {
                if let Some(i) = body.index() {
                    touching[i].push((k, side));
                }
            }
        }
        Ok(System { parts: self.parts, bilateral, touching, first })
    }
}

/// Orders joints and springs, and finds the envelope of their rows.
fn arrange(parts: &Parts) -> (Vec<Bilateral>, Vec<usize>) {
    // Joints and springs, with their bodies and how many rows they have.
    let joint = |(i, j): (usize, &Joint)| (Source::Joint(i), j.bodies, j.kind.rows());
    let spring = |(i, s): (usize, &Spring)| (Source::Spring(i), s.coordinate.bodies(&parts.joints), 1);
    let list: Vec<_> =
        parts.joints.iter().enumerate().map(joint).chain(parts.springs.iter().enumerate().map(spring)).collect();
    // Those with a body in common are coupled; their order keeps the envelope small.
    let joined = |a: &[BodyId; 2], b: &[BodyId; 2]| a.iter().any(|x| x.index().is_some() && b.contains(x));
    let neighbours: Vec<Vec<usize>> = (0..list.len())
        .map(|i| (0..list.len()).filter(|&j| j != i && joined(&list[i].1, &list[j].1)).collect())
        .collect();
    let weight: Vec<usize> = list.iter().map(|c| c.2).collect();
    let order = envelope::order(&neighbours, &weight);

    let (mut bilateral, mut begin_of, mut begin) = (Vec::new(), vec![0; list.len()], 0);
    for &i in &order {
        let (source, bodies, rows) = list[i];
        bilateral.push(Bilateral { source, bodies, begin, rows });
        begin_of[i] = begin;
        begin += rows;
    }
    // A row's envelope begins at the first row it is coupled with.
    let mut first = Vec::with_capacity(begin);
    for &i in &order {
        let nearest = neighbours[i].iter().map(|&j| begin_of[j]).chain([begin_of[i]]).min().unwrap_or(0);
        first.extend((0..weight[i]).map(|_| nearest));
    }
    (bilateral, first)
}

fn check(parts: &Parts) -> Result<(), DefinitionError> {
    // Elements of which the equations are made: positive masses, and coordinates that are there.
    for body in &parts.bodies {
        positive(&body.name, "mass_kg", body.mass_kg)?;
        let least = body.inertia_kgm2.symmetric_eigenvalues().min();
        positive(&body.name, "inertia_kgm2", least)?;
    }
    for joint in &parts.joints {
        not_negative(&joint.name, "compliance", joint.compliance)?;
        different(&joint.name, joint.bodies)?;
    }
    // Elements on a coordinate, with bounds in order and no negative stiffness.
    for motor in &parts.motors {
        coordinate(parts, &motor.name, &motor.coordinate)?;
        not_negative(&motor.name, "compliance", motor.compliance)?;
        not_negative(&motor.name, "upper_n - lower_n", motor.upper_n - motor.lower_n)?;
    }
    for spring in &parts.springs {
        coordinate(parts, &spring.name, &spring.coordinate)?;
        not_negative(&spring.name, "stiffness", spring.stiffness)?;
        not_negative(&spring.name, "damping", spring.damping)?;
        positive(&spring.name, "stiffness + damping", spring.stiffness + spring.damping)?;
    }
    for limit in &parts.limits {
        coordinate(parts, &limit.name, &limit.coordinate)?;
        not_negative(&limit.name, "compliance", limit.compliance)?;
        not_negative(&limit.name, "upper - lower", limit.upper - limit.lower)?;
    }
    // Pairs of shapes on two bodies, for which contact is implemented.
    for pair in &parts.pairs {
        let [a, b] = pair.shapes.map(|s| &parts.shapes[s.0]);
        different(&pair.name, [a.body, b.body])?;
        not_negative(&pair.name, "friction", pair.surface.friction)?;
        not_negative(&pair.name, "compliance", pair.surface.compliance)?;
        // As many facets as directions can be spread over evenly.
        let facets = pair.surface.facets;
        if facets % 4 != 0 || !(4..=FACETS_MAX).contains(&facets) {
            let (value, expected) = (f64::from(facets), "4, 8, 12 or 16");
            return Err(DefinitionError::Value { element: pair.name.clone(), field: "facets", value, expected });
        }
        if !contact::supported(&a.shape, &b.shape) {
            let (first, second) = (a.shape.kind(), b.shape.kind());
            return Err(DefinitionError::Pair { element: pair.name.clone(), first, second });
        }
    }
    parts.interface.iter().try_for_each(|c| coordinate(parts, "interface", c))
}

fn coordinate(parts: &Parts, element: &str, coordinate: &Coordinate) -> Result<(), DefinitionError> {
    if let Coordinate::Joint(id) = coordinate {
        let joint = &parts.joints[id.0];
        if !matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic) {
            let kind = format!("{:?}", joint.kind).to_lowercase();
            return Err(DefinitionError::Coordinate { element: element.to_owned(), joint: joint.name.clone(), kind });
        }
    }
    different(element, coordinate.bodies(&parts.joints))
}

fn different(element: &str, bodies: [BodyId; 2]) -> Result<(), DefinitionError> {
    if bodies[0] == bodies[1] { Err(DefinitionError::Bodies { element: element.to_owned() }) } else { Ok(()) }
}

fn positive(element: &str, field: &'static str, value: f64) -> Result<(), DefinitionError> {
    let element = element.to_owned();
    if value > 0.0 { Ok(()) } else { Err(DefinitionError::Value { element, field, value, expected: "> 0" }) }
}

fn not_negative(element: &str, field: &'static str, value: f64) -> Result<(), DefinitionError> {
    let element = element.to_owned();
    if value >= 0.0 { Ok(()) } else { Err(DefinitionError::Value { element, field, value, expected: ">= 0" }) }
}
