//! What an `fmi3Instance` points to.

use macrostep_description::{Kind, ModelDescription};
use macrostep_fmi3::{ERROR, Instance, Status};
use macrostep_slave::{Fault, Model};

use super::inside::Inside;
use crate::pointers::Problem;
use crate::shell::{Failure, Guarded, Shell, inside};

/// A shell with what FMI 3.0 has beside it.
#[derive(Debug)]
pub(super) struct Handle<M> {
    pub guarded: Guarded<M>,
    pub references: References,
    pub inside: Inside,
}

/// The types of our variables in FMI 3.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Float64,
    Int32,
    /// Of enumerations.
    Int64,
    Boolean,
    String,
}

/// Types and value references of FMI 2.0 by those of FMI 3.0 less 1.
#[derive(Debug, Default)]
pub(super) struct References(Vec<(Type, u32)>);

impl References {
    pub fn of(d: &ModelDescription) -> References {
        let of_kind = |kind: &Kind| match kind {
            Kind::Real(_) => Type::Float64,
            Kind::Integer { .. } => Type::Int32,
            Kind::Enumeration { .. } => Type::Int64,
            Kind::Boolean => Type::Boolean,
            Kind::String => Type::String,
        };
        References(d.variables.iter().map(|v| (of_kind(&v.kind), v.value_reference)).collect())
    }

    /// The reference of FMI 2.0 of a variable that has this type.
    pub fn of_type(&self, reference: u32, of: Type) -> Result<u32, Problem> {
        let found = (reference as usize).checked_sub(1).and_then(|at| self.0.get(at));
        match found {
            Some((found, local)) if *found == of => Ok(*local),
            Some((found, _)) => Err(format!("value reference {reference} of type {found:?} found, expected {of:?}")),
            None => Err(format!("value reference {reference} found, expected one from 1 to {}", self.0.len())),
        }
    }

    /// The same of several.
    pub fn all_of_type(&self, references: &[u32], of: Type) -> Result<Vec<u32>, Problem> {
        references.iter().map(|reference| self.of_type(*reference, of)).collect()
    }
}

/// The handle behind an instance, `None` for NULL.
///
/// # Safety
/// `instance` is NULL or was returned by `instantiate::<M>` and lives for `'a`.
pub(super) unsafe fn handle<'a, M: Model>(instance: Instance) -> Option<&'a Handle<M>> {
    // SAFETY: by this function's contract. What changes in a handle is behind cells and locks.
    unsafe { instance.cast::<Handle<M>>().as_ref() }
}

/// Runs `body` on the shell behind `instance`, as [`crate::shell::enter`] does; faults get the names of FMI 3.0.
///
/// # Safety
/// As [`crate::shell::enter`].
pub(super) unsafe fn enter<M: Model>(
    instance: Instance,
    name: &'static str,
    mut body: impl FnMut(&mut Shell<M>, &Handle<M>) -> Result<(), Failure>,
) -> Status {
    #[inline(never)]
    unsafe fn one<M: Model>(instance: Instance, name: &'static str, body: Body<'_, M>) -> Status {
        // SAFETY: by the contract of `enter`.
        unsafe { enter_quickly(instance, name, body) }
    }
    // SAFETY: by this function's contract.
    unsafe { one(instance, name, &mut body) }
}

/// What a call does with the shell.
type Body<'a, M> = &'a mut dyn FnMut(&mut Shell<M>, &Handle<M>) -> Result<(), Failure>;

/// The same for calls of a step, put into the caller.
///
/// # Safety
/// As [`crate::shell::enter`].
#[inline]
pub(super) unsafe fn enter_quickly<M: Model>(
    instance: Instance,
    name: &'static str,
    body: impl FnOnce(&mut Shell<M>, &Handle<M>) -> Result<(), Failure>,
) -> Status {
    // SAFETY: by this function's contract.
    let Some(handle) = (unsafe { handle::<M>(instance) }) else {
        return ERROR;
    };
    let named = |failure| match failure {
        Failure::Slave(fault) => Failure::Slave(Fault::in_call(fault, name)),
        other => other,
    };
    // SAFETY: by this function's contract.
    unsafe { inside(&handle.guarded, name, |shell| body(shell, handle).map_err(named)) }
}
