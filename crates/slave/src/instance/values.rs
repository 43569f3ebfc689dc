//! Set and Get. Every call is checked whole before anything is written.

use super::Instance;
use crate::access::{BOUNDED, CHANGED, Flags, INPUT, Space};
use crate::phase::*;
use crate::{Fault, Model};

/// # Errors
/// [`Fault::Length`] if the lists differ in length.
#[inline]
pub(super) fn same_length(call: Call, refs: usize, values: usize) -> Result<(), Fault> {
    if refs == values { Ok(()) } else { Err(Fault::Length { call: call.name, found: values, expected: refs }) }
}

/// Flags of all references together.
///
/// # Errors
/// [`Fault::UnknownReference`] for one beyond the list.
#[inline]
pub(super) fn union(call: Call, list: &[Flags], refs: &[u32]) -> Result<Flags, Fault> {
    let mut flags = 0;
    for reference in refs {
        match list.get(*reference as usize) {
            Some(f) => flags |= f,
            None => return Err(unknown(call, *reference, list.len())),
        }
    }
    Ok(flags)
}

#[cold]
pub(super) fn unknown(call: Call, reference: u32, count: usize) -> Fault {
    Fault::UnknownReference { call: call.name, reference, count }
}

impl<M: Model> Instance<M> {
    #[inline(always)]
    pub(super) fn write_reals(&mut self, refs: &[u32], values: &[f64]) -> Result<(), Fault> {
        SET_REAL.check(self.memory.phase)?;
        same_length(SET_REAL, refs.len(), values.len())?;
        // Plainly fine is what may be set now, has no bounds and is a number.
        let permitted = Flags::from(self.memory.phase.bit());
        let list = self.access.reals.as_slice();
        for (reference, value) in refs.iter().zip(values) {
            let Some(flags) = list.get(*reference as usize) else {
                return Err(unknown(SET_REAL, *reference, list.len()));
            };
            if flags & (permitted | BOUNDED) != permitted || !value.is_finite() {
                self.look_closer(*reference, *value)?;
            }
        }
        // All values, and constant inputs where they were polynomials.
        if self.memory.inputs.degree() > 0 {
            self.begin_polynomials(refs);
        }
        let reals = self.memory.reals.as_mut_slice();
        for (reference, value) in refs.iter().zip(values) {
            reals[*reference as usize] = *value;
        }
        self.stale = CHANGED;
        Ok(())
    }

    /// New polynomials for the inputs among these reals, which are known.
    fn begin_polynomials(&mut self, refs: &[u32]) {
        for reference in refs {
            let r = *reference as usize;
            if self.access.reals[r] & INPUT != 0 {
                self.begin_polynomial(self.access.input_of[r]);
            }
        }
    }

    /// Whether a value may be set that is not plainly fine.
    #[cold]
    #[inline(never)]
    fn look_closer(&self, reference: u32, value: f64) -> Result<(), Fault> {
        let (r, phase) = (reference as usize, self.memory.phase);
        let name = || self.access.name(Space::Real, reference);
        if self.access.reals[r] & Flags::from(phase.bit()) == 0 {
            return Err(Fault::NotSettable { name: name(), phase });
        }
        if !value.is_finite() {
            return Err(Fault::NotFinite { call: SET_REAL.name, name: name(), value });
        }
        let (min, max) = self.access.real_bounds[r];
        if min <= value && value <= max { Ok(()) } else { Err(Fault::OutOfRange { name: name(), value, min, max }) }
    }

    /// The first Set of an input after a step begins a new polynomial.
    #[inline]
    pub(super) fn begin_polynomial(&mut self, input: usize) {
        if !self.memory.touched[input] {
            self.memory.inputs.flatten(input);
            self.memory.touched[input] = true;
        }
    }

    #[inline(always)]
    pub(super) fn read_reals(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), Fault> {
        GET_REAL.check(self.memory.phase)?;
        same_length(GET_REAL, refs.len(), values.len())?;
        let needed = union(GET_REAL, &self.access.reals, refs)?;
        self.refresh(needed)?;
        for (reference, value) in refs.iter().zip(values) {
            *value = self.memory.reals[*reference as usize];
        }
        Ok(())
    }

    /// # Errors
    /// [`Fault::UnknownReference`] and [`Fault::NotSettable`].
    fn settable(&self, call: Call, space: Space, list: &[Flags], refs: &[u32]) -> Result<(), Fault> {
        let phase = self.memory.phase;
        for reference in refs {
            match list.get(*reference as usize) {
                None => return Err(unknown(call, *reference, list.len())),
                Some(f) if f & Flags::from(phase.bit()) == 0 => {
                    return Err(Fault::NotSettable { name: self.access.name(space, *reference), phase });
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    pub(super) fn write_integers(&mut self, refs: &[u32], values: &[i32]) -> Result<(), Fault> {
        SET_INTEGER.check(self.memory.phase)?;
        same_length(SET_INTEGER, refs.len(), values.len())?;
        self.settable(SET_INTEGER, Space::Integer, &self.access.integers, refs)?;
        for (reference, value) in refs.iter().zip(values) {
            let (min, max) = self.access.integer_bounds[*reference as usize];
            if *value < min || *value > max {
                let name = self.access.name(Space::Integer, *reference);
                let [value, min, max] = [*value, min, max].map(f64::from);
                return Err(Fault::OutOfRange { name, value, min, max });
            }
        }
        for (reference, value) in refs.iter().zip(values) {
            self.memory.integers[*reference as usize] = *value;
        }
        self.stale = CHANGED;
        Ok(())
    }

    pub(super) fn read_integers(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), Fault> {
        GET_INTEGER.check(self.memory.phase)?;
        same_length(GET_INTEGER, refs.len(), values.len())?;
        let needed = union(GET_INTEGER, &self.access.integers, refs)?;
        self.refresh(needed)?;
        for (reference, value) in refs.iter().zip(values) {
            *value = self.memory.integers[*reference as usize];
        }
        Ok(())
    }

    pub(super) fn write_booleans(&mut self, refs: &[u32], values: &[bool]) -> Result<(), Fault> {
        SET_BOOLEAN.check(self.memory.phase)?;
        same_length(SET_BOOLEAN, refs.len(), values.len())?;
        self.settable(SET_BOOLEAN, Space::Boolean, &self.access.booleans, refs)?;
        for (reference, value) in refs.iter().zip(values) {
            self.memory.booleans[*reference as usize] = *value;
        }
        self.stale = CHANGED;
        Ok(())
    }

    pub(super) fn read_booleans(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), Fault> {
        GET_BOOLEAN.check(self.memory.phase)?;
        same_length(GET_BOOLEAN, refs.len(), values.len())?;
        let needed = union(GET_BOOLEAN, &self.access.booleans, refs)?;
        self.refresh(needed)?;
        for (reference, value) in refs.iter().zip(values) {
            *value = self.memory.booleans[*reference as usize];
        }
        Ok(())
    }

    pub(super) fn write_strings(&mut self, refs: &[u32], values: &[&str]) -> Result<(), Fault> {
        SET_STRING.check(self.memory.phase)?;
        same_length(SET_STRING, refs.len(), values.len())?;
        self.settable(SET_STRING, Space::String, &self.access.strings, refs)?;
        for (reference, value) in refs.iter().zip(values) {
            let text = &mut self.memory.strings[*reference as usize];
            text.clear();
            text.push_str(value);
        }
        self.stale = CHANGED;
        Ok(())
    }

    pub(super) fn read_strings(&mut self, refs: &[u32]) -> Result<Vec<&str>, Fault> {
        GET_STRING.check(self.memory.phase)?;
        let needed = union(GET_STRING, &self.access.strings, refs)?;
        self.refresh(needed)?;
        Ok(refs.iter().map(|r| self.memory.strings[*r as usize].as_str()).collect())
    }
}
