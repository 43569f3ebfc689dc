//! *Constraints*: joints between units, as parts of a system. The equations are those of `step/joints`.

use crate::error::SystemError;
use crate::ids::{Signal, UnitId};
use crate::system::relation::Relation;
use crate::system::{Source, System};

/// A number that is sampled, or stays as it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Coordinate {
    Sampled(Signal),
    Fixed(f64),
}

/// One end of a joint.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// On units.
    Free {
        /// Coordinates, see [`Relation`].
        position: Vec<Signal>,
        /// Velocities.
        velocity: Vec<Signal>,
        /// Inputs of force, each on the unit of the velocity in its place and conjugate to it.
        force: Vec<(UnitId, String)>,
    },
    /// At rest, with these coordinates.
    Fixed(Vec<f64>),
}

/// A component of the force on an end of a constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Part {
    pub constraint: usize,
    pub end: usize,
    pub component: usize,
}

/// A joint between units.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// For messages.
    pub name: String,
    /// What it keeps at zero.
    pub relation: Relation,
    /// What it joins.
    pub ends: [End; 2],
    /// Whether the force is held over a window and closes the velocity alone: to compare with.
    pub is_held: bool,
    /// What the joint may be open by at most at a window's end, in the unit of its coordinates: windows are repeated until then, in
    /// place of the corrector's tolerance for its force.
    pub gap_max: Option<f64>,
}

/// A constraint as a part of a system.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConstraintNode {
    pub name: String,
    pub relation: Relation,
    pub position: [Vec<Coordinate>; 2],
    pub velocity: [Vec<Coordinate>; 2],
    /// Unit, and value reference of the input, of either end.
    pub force: [Vec<(usize, u32)>; 2],
    pub is_held: bool,
    pub gap_max: Option<f64>,
}

impl ConstraintNode {
    /// Coordinates that the direction of its forces follows.
    pub fn followed(&self) -> impl Iterator<Item = Signal> + '_ {
        let followed = self.position.iter().flatten().filter(|_| self.relation.bends());
        followed.filter_map(|c| match c {
            Coordinate::Sampled(signal) => Some(*signal),
            Coordinate::Fixed(_) => None,
        })
    }
}

impl System {
    /// Adds a joint and feeds the inputs of force of its ends. Without a corrector the units must offer directional derivatives.
    ///
    /// # Errors
    /// [`SystemError::LawShape`] for other numbers of signals than the relation has, other errors for inputs that are none or fed
    /// already. The system is then as it was.
    pub fn constrain(&mut self, constraint: Constraint) -> Result<(), SystemError> {
        // What an end that is refused has fed before is taken back.
        let first = self.connections.len();
        let node = match self.joined(constraint) {
            Ok(node) => node,
            Err(refused) => {
                self.unfeed(first);
                return Err(refused);
            }
        };
        self.constraints.push(node);
        Ok(())
    }

    /// The joint, with the inputs of force of its ends fed.
    fn joined(&mut self, constraint: Constraint) -> Result<ConstraintNode, SystemError> {
        let Constraint { name, relation, ends, is_held, gap_max } = constraint;
        let (coordinates, velocities) = (relation.coordinates(), relation.velocities());
        // The relation says how many coordinates, velocities and forces an end has.
        let shape = |what, found, expected| {
            if found == expected { Ok(()) } else { Err(SystemError::LawShape { what, found, expected }) }
        };
        // The inputs of force know the joint by its number.
        let number = self.constraints.len();
        let (mut position, mut velocity, mut force) = ([vec![], vec![]], [vec![], vec![]], [vec![], vec![]]);
        // An end on the ground has known coordinates and no velocity; it gets no force.
        for (e, end) in ends.into_iter().enumerate() {
            match end {
                End::Fixed(values) => {
                    shape("fixed coordinates", values.len(), coordinates)?;
                    position[e] = values.into_iter().map(Coordinate::Fixed).collect();
                    velocity[e] = vec![Coordinate::Fixed(0.0); velocities];
                }
                End::Free { position: p, velocity: v, force: inputs } => {
                    shape("coordinates of a joint's end", p.len(), coordinates)?;
                    shape("velocities of a joint's end", v.len(), velocities)?;
                    shape("forces of a joint's end", inputs.len(), velocities)?;
                    // Each force must act on the unit whose velocity it works on.
                    for (component, ((unit, input), v)) in inputs.iter().zip(&v).enumerate() {
                        shape("forces on the unit of their velocity", unit.0, self.channels[v.channel].unit)?;
                        let part = Part { constraint: number, end: e, component };
                        self.feed(Source::Reaction(part), *unit, input)?;
                        let reference = self.connections.last().map_or(0, |c| c.reference);
                        force[e].push((unit.0, reference));
                    }
                    position[e] = p.into_iter().map(Coordinate::Sampled).collect();
                    velocity[e] = v.into_iter().map(Coordinate::Sampled).collect();
                }
            }
        }
        Ok(ConstraintNode { name, relation, position, velocity, force, is_held, gap_max })
    }
}
