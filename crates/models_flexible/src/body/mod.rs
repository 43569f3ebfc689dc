//! A deformable body in its moving frame as a slave; the body comes from the resources.
//!
//! # Equations
//! Those of [`macrostep_flexible::moving`]. Per connector c a force and a torque come in and a pose and velocities go out, all
//! in world axes:
//!
//! ```text
//! r_c = r₀ + A (R_c + S_c q),   R_c = A Rot(Θ_c q),   v_c = ṙ_c,   w_c = A (ω + Θ_c q̇),   a_c = v̇_c
//! ```
//!
//! Poses and velocities depend on states only; accelerations, which are solved for when they are read, follow the loads at once.
//! A connector that is a point, such as a node of a surface, has no rotation: neither `torque`, `R` nor `w` are declared for it.
//! r and v are known inside the last step as well (`C.r_node[i,k]`, `C.v_node[i,k]` at node k of `dense_nodes`). `joint` holds the frame, that is the reference connector,
//! in the world. Where the data hold geometric stiffness, `geometric_stiffness` takes it into account.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | f, t | `C.force[i]`, `C.torque[i]` | on connector C, at its deformed position (N), (N·m) |
//! | g | `gravity[i]` | (m/s²) |
//! | r_c, R_c | `C.r[i]`, `C.R[i,j]` | position (m), orientation (connector to world) |
//! | v_c, w_c, a_c | `C.v[i]`, `C.w[i]`, `C.a[i]` | velocity (m/s), angular velocity (rad/s), acceleration (m/s²) |
//! | r₀, φ₀, v₀, ω₀ | `r0`, `phi0`, `v0`, `w0` | frame at the start; φ₀ a rotation vector, ω₀ in body axes |
//!
//! Reference: [Zaiczek 2010] section 3.

mod acceleration;
mod advance;
mod declare;
mod motion;

pub use declare::documentation_html;

use std::path::Path;

use macrostep_description::{Kind, ModelDescription, Variable};
use macrostep_flexible::moving::{ConnectorShape, Dopri, MicroStep};
use macrostep_flexible::{BodyState, FlexibleBody, Joint};
use macrostep_slave::{Fault, Group, Memory, Model, Outcome, Shape, Shared, Span, Tangent};
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::Stored;
use crate::stored::{hash, refused};

/// A reduced body with its name, as it is stored in an FMU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportedBody {
    /// `modelName`.
    pub name: String,
    /// One sentence of description.
    pub about: String,
    /// Start value of `micro_step` (s).
    pub micro_step_s: f64,
    /// Start value of `joint`.
    pub joint: Joint,
    /// The body.
    pub body: FlexibleBody,
}

impl Stored for ImportedBody {
    const FILE: &'static str = "body.bin";
    const MAGIC: &'static [u8; 8] = b"FLEXFMU1";

    fn check(&self) -> Result<(), String> {
        let bytes = self.body.to_bytes().map_err(|e| e.to_string())?;
        FlexibleBody::from_bytes(&bytes).map_err(|e| e.to_string())?;
        let step = self.micro_step_s;
        if step > 0.0 && step.is_finite() {
            Ok(())
        } else {
            Err(format!("micro step {step} s, expected a positive one"))
        }
    }

    /// With geometric stiffness other magic stands in front, and the stiffness behind; all else is as without it.
    fn to_bytes(&self) -> Result<Vec<u8>, Fault> {
        let failed = |e: postcard::Error| refused::<Self>(&e.to_string());
        match &self.body.geometric {
            None => postcard::to_extend(self, Self::MAGIC.to_vec()).map_err(failed),
            Some(geometric) => {
                let bytes = postcard::to_extend(self, STIFFENED.to_vec()).map_err(failed)?;
                postcard::to_extend(geometric, bytes).map_err(failed)
            }
        }
    }

    fn from_bytes(bytes: &[u8]) -> Result<(Self, String), Fault> {
        let failed = |e: postcard::Error| refused::<Self>(&e.to_string());
        let (stiffened, rest) = match (bytes.strip_prefix(Self::MAGIC), bytes.strip_prefix(STIFFENED)) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return Err(refused::<Self>("it does not begin with the bytes of this model's data")),
        };
        let (mut value, mut left): (Self, _) = postcard::take_from_bytes(rest).map_err(failed)?;
        if stiffened {
            let (geometric, behind) = postcard::take_from_bytes(left).map_err(failed)?;
            (value.body.geometric, left) = (Some(geometric), behind);
        }
        if !left.is_empty() {
            return Err(refused::<Self>(&format!("{} bytes after the end", left.len())));
        }
        value.check().map_err(|what| refused::<Self>(&what))?;
        Ok((value, hash(bytes)))
    }
}

/// First bytes of data with geometric stiffness.
const STIFFENED: &[u8; 8] = b"FLEXFMU2";

/// The body as a model.
#[derive(Debug)]
pub struct Body {
    data: Shared<ImportedBody>,
    /// The body without geometric stiffness, where the data have it.
    plain: Option<FlexibleBody>,
    micro: MicroStep,
    dopri: Dopri,
    state: BodyState,
    acceleration: Vec<f64>,
    /// Number of forces and torques at connectors.
    loads: usize,
    /// What each pose and velocity that is shown belongs to: its connector, and its place among the values of one.
    motions: Vec<(usize, usize)>,
    /// What is kept of a step that is walked through once more: whole micro steps, and with a part of one.
    walk: Vec<f64>,
}

/// Value references of the parameters.
const R0: usize = 0;
const PHI0: usize = 3;
const V0: usize = 6;
const W0: usize = 9;
const MICRO_STEP: usize = 12;
const TOLERANCE: usize = 13;
/// First input.
const INPUTS: usize = 14;
/// Number of parameters that set the start.
const PARAMETERS: usize = 12;
/// Pose and velocities of a connector, the orientation and the velocity among these, and its acceleration.
const MOTION: usize = 18;
const R_OF_MOTION: usize = 3;
const V_OF_MOTION: usize = 12;
const ACCELERATION: usize = 3;
/// Value reference of the parameter `dense_nodes`, an integer.
const DENSE_NODES: usize = 2;

impl Body {
    /// `modelIdentifier`.
    pub const IDENTIFIER: &'static str = "flexible_body";

    /// Model and declaration from its data.
    ///
    /// # Errors
    /// [`Fault::Declaration`] for connector names that cannot be names of variables.
    pub fn from_data((data, hash): (Shared<ImportedBody>, String)) -> Result<(Self, ModelDescription), Fault> {
        let description = declare::describe(&data, &hash)?;
        let body = &data.body;
        let state = BodyState::rest(body.modes());
        let (micro, dopri) = (MicroStep::new(body, data.joint), Dopri::new(body));
        let acceleration = vec![0.0; 6 + body.modes()];
        let plain = body.geometric.is_some().then(|| FlexibleBody { geometric: None, ..body.clone() });
        let walk = vec![0.0; 2 * (state.values().len() + acceleration.len() + 1)];
        // A point shows position and velocity only.
        let places = |is_point: bool| (0..MOTION).filter(move |i| !is_point || i % V_OF_MOTION < R_OF_MOTION);
        let shown = |(c, shape): (usize, &ConnectorShape)| places(shape.is_point()).map(move |place| (c, place));
        let motions = body.connectors.iter().enumerate().flat_map(shown).collect();
        let loads = body.connectors.iter().map(|shape| if shape.is_point() { 3 } else { 6 }).sum();
        Ok((Body { data, plain, micro, dopri, state, acceleration, loads, motions, walk }, description))
    }

    fn connectors(&self) -> usize {
        self.data.body.connectors.len()
    }

    /// Value reference of the first output.
    fn outputs(&self) -> usize {
        INPUTS + self.loads + 3
    }

    /// Value reference of the first acceleration, and of the first dense output.
    fn accelerations(&self) -> usize {
        self.outputs() + self.motions.len()
    }

    fn nodes(&self) -> usize {
        self.accelerations() + ACCELERATION * self.connectors()
    }

    /// Length of what changes in a step: the state, the accelerations of the step before and the step of Dormand–Prince. It
    /// stands twice in the memory, now and at the start of the last step.
    fn changing(&self) -> usize {
        self.size() + self.acceleration.len() + 1
    }

    /// State at the start by these parameters.
    fn set_start(&mut self, joint: Joint, parameter: impl Fn(usize) -> f64) {
        let vector = |first: usize| Vector3::from_fn(|i, _| parameter(first + i));
        self.state.values_mut().fill(0.0);
        self.state.set_position(vector(R0));
        self.state.set_orientation(UnitQuaternion::from_scaled_axis(vector(PHI0)));
        self.state.set_velocity(released(vector(V0), joint, 0));
        self.state.set_spin(released(vector(W0), joint, 3));
    }

    /// Length of the state.
    fn size(&self) -> usize {
        self.state.values().len()
    }

    /// The body as `geometric_stiffness` wants it.
    fn body(&self, memory: &Memory) -> &FlexibleBody {
        chosen(&self.data, &self.plain, memory)
    }

    fn joint(memory: &Memory) -> Joint {
        let item = usize::try_from(memory.integers[1]).unwrap_or(1);
        Joint::ALL.get(item.wrapping_sub(1)).copied().unwrap_or_default()
    }
}

/// The body with geometric stiffness, or without where there is a choice and the parameter says so.
fn chosen<'a>(data: &'a ImportedBody, plain: &'a Option<FlexibleBody>, memory: &Memory) -> &'a FlexibleBody {
    match plain {
        Some(plain) if !memory.booleans[0] => plain,
        _ => &data.body,
    }
}

/// Three parameters as a vector.
fn parameter(memory: &Memory, first: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&memory.reals[first..first + 3])
}

/// `v` with the components that a joint locks at zero; `first` is 0 for translations and 3 for rotations.
fn released(v: Vector3<f64>, joint: Joint, first: usize) -> Vector3<f64> {
    Vector3::from_fn(|i, _| if joint.locks()[first + i] { 0.0 } else { v[i] })
}

impl Model for Body {
    fn declare(resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        Self::from_data(ImportedBody::load(resources)?)
    }

    fn shape(&self) -> Shape {
        Shape { hidden_reals: 2 * self.changing(), hidden_integers: 2 }
    }

    fn group(&self, variable: &Variable) -> Group {
        let reference = variable.value_reference as usize;
        match variable.kind {
            Kind::Real(_) if reference >= self.nodes() => Group::Dense,
            Kind::Real(_) if reference >= self.accelerations() => Group::Rates,
            _ => Group::Outputs,
        }
    }

    fn initialise(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        self.set_start(Self::joint(memory), |i| memory.reals[i]);
        let (size, kept) = (self.size(), self.changing());
        memory.hidden_reals.fill(0.0);
        for first in [0, kept] {
            memory.hidden_reals[first..first + size].copy_from_slice(self.state.values());
        }
        memory.hidden_integers.fill(0);
        Ok(())
    }

    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        self.advance(memory, span)?;
        if memory.hidden_reals.iter().all(|x| x.is_finite()) {
            return Ok(Outcome::Done);
        }
        let message = format!("the state is not finite after a step of {} s: try a smaller `micro_step`", span.step_s);
        Err(Fault::Model { t_s: span.start_s, message })
    }

    fn evaluate(&mut self, memory: &mut Memory, group: Group) -> Result<(), Fault> {
        match group {
            Group::Outputs => self.show(memory),
            Group::Dense => self.show_nodes(memory),
            Group::Rates => self.show_accelerations(memory),
        }
    }

    fn output_derivatives(
        &mut self,
        memory: &Memory,
        refs: &[u32],
        _: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        self.rates(memory, refs, values)?;
        self.jerks(memory, refs, values)
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        if let Some(wrong) = unknown.iter().find(|r| (**r as usize) < self.outputs()) {
            return Err(crate::declare::no_derivative(memory, *wrong, known));
        }
        self.tangents(memory, unknown, (known, d_known), d_unknown);
        self.acceleration_tangents(memory, unknown, (known, d_known), d_unknown)
    }
}
