//! Values in the FMU: its types are converted, elements of arrays are picked out of them and put into them.

use std::collections::BTreeMap;
use std::sync::Arc;

use macrostep_description::Native;
use macrostep_fmi3::{self as abi, Functions};

use super::table::Table;

/// The instance and its functions for values.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) instance: abi::Instance,
    pub(super) functions: Functions,
    pub(super) table: Arc<Table>,
}

/// Why values were not handed over.
#[derive(Debug)]
pub(super) enum Bad {
    /// The library has no such function.
    Lacks(&'static str),
    /// It answered with another status than `fmi3OK`; after a warning the values are there.
    Status(&'static str, abi::Status),
    /// The master asks for something that is not there.
    Refused(&'static str, String),
}

/// Makes a call that takes as many values as elements.
macro_rules! call {
    ($self:ident, $function:ident, $name:literal, $refs:ident, $values:expr, $count:expr) => {{
        let Some(function) = $self.functions.$function else { return Err(Bad::Lacks($name)) };
        // SAFETY: the instance is alive, as the unit has checked; both lists have the lengths passed and live during the call.
        let status = unsafe { function($self.instance, $refs.as_ptr(), $refs.len(), $values, $count) };
        match status {
            abi::OK => {}
            status => return Err(Bad::Status($name, status)),
        }
    }};
}

/// The values of a type, read into numbers of another one.
macro_rules! read {
    ($self:ident, $function:ident, $name:literal, $type:ty, $refs:ident, $count:ident) => {{
        let mut values: Vec<$type> = vec![Default::default(); $count];
        call!($self, $function, $name, $refs, values.as_mut_ptr(), values.len());
        values.into_iter().map(Into::into).collect()
    }};
}

/// Numbers, written as values of a type.
macro_rules! write {
    ($self:ident, $function:ident, $name:literal, $type:ty, $refs:ident, $numbers:ident) => {{
        let outside = |x| format!("{x}, expected a number of {}, the type of the variable", stringify!($type));
        let of_type = |x: &_| <$type>::try_from(*x).map_err(|_| Bad::Refused($name, outside(*x)));
        let values: Vec<$type> = $numbers.iter().map(of_type).collect::<Result<_, _>>()?;
        call!($self, $function, $name, $refs, values.as_ptr(), values.len());
    }};
}

impl Access {
    /// Reals of scalars and arrays of one type; as many values as elements.
    fn read_reals(&self, native: Native, refs: &[u32], count: usize) -> Result<Vec<f64>, Bad> {
        if native == Native::Float32 {
            return Ok(read!(self, get_float32, "fmi3GetFloat32", f32, refs, count));
        }
        let mut values = vec![0.0; count];
        self.read_plain(refs, &mut values)?;
        Ok(values)
    }

    fn write_reals(&self, native: Native, refs: &[u32], values: &[f64]) -> Result<(), Bad> {
        if native == Native::Float32 {
            let values: Vec<f32> = values.iter().map(|x| *x as f32).collect();
            call!(self, set_float32, "fmi3SetFloat32", refs, values.as_ptr(), values.len());
            return Ok(());
        }
        self.write_plain(refs, values)
    }

    /// Scalars of type `Float64`.
    #[inline]
    pub(super) fn read_plain(&self, refs: &[u32], values: &mut [f64]) -> Result<(), Bad> {
        // SAFETY: as in `call!`.
        let status = unsafe {
            (self.functions.get_float64)(self.instance, refs.as_ptr(), refs.len(), values.as_mut_ptr(), values.len())
        };
        if status == abi::OK { Ok(()) } else { Err(Bad::Status("fmi3GetFloat64", status)) }
    }

    #[inline]
    pub(super) fn write_plain(&self, refs: &[u32], values: &[f64]) -> Result<(), Bad> {
        // SAFETY: as in `call!`.
        let status = unsafe {
            (self.functions.set_float64)(self.instance, refs.as_ptr(), refs.len(), values.as_ptr(), values.len())
        };
        if status == abi::OK { Ok(()) } else { Err(Bad::Status("fmi3SetFloat64", status)) }
    }

    /// Whole numbers of one type.
    fn read_integers(&self, native: Native, refs: &[u32], count: usize) -> Result<Vec<i128>, Bad> {
        Ok(match native {
            Native::Int8 => read!(self, get_int8, "fmi3GetInt8", i8, refs, count),
            Native::UInt8 => read!(self, get_uint8, "fmi3GetUInt8", u8, refs, count),
            Native::Int16 => read!(self, get_int16, "fmi3GetInt16", i16, refs, count),
            Native::UInt16 => read!(self, get_uint16, "fmi3GetUInt16", u16, refs, count),
            Native::Int32 => read!(self, get_int32, "fmi3GetInt32", i32, refs, count),
            Native::UInt32 => read!(self, get_uint32, "fmi3GetUInt32", u32, refs, count),
            Native::UInt64 => read!(self, get_uint64, "fmi3GetUInt64", u64, refs, count),
            // Enumerations are numbers of 64 bits.
            _ => read!(self, get_int64, "fmi3GetInt64", i64, refs, count),
        })
    }

    fn write_integers(&self, native: Native, refs: &[u32], numbers: &[i128]) -> Result<(), Bad> {
        match native {
            Native::Int8 => write!(self, set_int8, "fmi3SetInt8", i8, refs, numbers),
            Native::UInt8 => write!(self, set_uint8, "fmi3SetUInt8", u8, refs, numbers),
            Native::Int16 => write!(self, set_int16, "fmi3SetInt16", i16, refs, numbers),
            Native::UInt16 => write!(self, set_uint16, "fmi3SetUInt16", u16, refs, numbers),
            Native::Int32 => write!(self, set_int32, "fmi3SetInt32", i32, refs, numbers),
            Native::UInt32 => write!(self, set_uint32, "fmi3SetUInt32", u32, refs, numbers),
            Native::UInt64 => write!(self, set_uint64, "fmi3SetUInt64", u64, refs, numbers),
            _ => write!(self, set_int64, "fmi3SetInt64", i64, refs, numbers),
        }
        Ok(())
    }

    fn read_booleans(&self, refs: &[u32], count: usize) -> Result<Vec<u8>, Bad> {
        Ok(read!(self, get_boolean, "fmi3GetBoolean", u8, refs, count))
    }

    fn write_booleans(&self, refs: &[u32], values: &[u8]) -> Result<(), Bad> {
        call!(self, set_boolean, "fmi3SetBoolean", refs, values.as_ptr(), values.len());
        Ok(())
    }

    pub(super) fn get_reals(&self, refs: &[u32], values: &mut [f64]) -> Result<(), Bad> {
        if self.table.is_plain.reals {
            return self.read_plain(refs, values);
        }
        let read = |native, refs: &[u32], count| self.read_reals(native, refs, count);
        self.picked("fmi3GetFloat64", refs, read, |i, value| values[i] = value)
    }

    pub(super) fn set_reals(&self, refs: &[u32], values: &[f64]) -> Result<(), Bad> {
        if self.table.is_plain.reals {
            return self.write_plain(refs, values);
        }
        let read = |native, refs: &[u32], count| self.read_reals(native, refs, count);
        self.put("fmi3SetFloat64", (refs, values), read, |native, refs, values| self.write_reals(native, refs, values))
    }

    pub(super) fn get_integers(&self, refs: &[u32], values: &mut [i32]) -> Result<(), Bad> {
        if self.table.is_plain.integers {
            call!(self, get_int32, "fmi3GetInt32", refs, values.as_mut_ptr(), values.len());
            return Ok(());
        }
        let read = |native, refs: &[u32], count| self.read_integers(native, refs, count);
        let mut wide = None;
        self.picked("fmi3GetInt64", refs, read, |i, value: i128| match i32::try_from(value) {
            Ok(value) => values[i] = value,
            Err(_) => wide = wide.or(Some((refs[i], value))),
        })?;
        match wide {
            Some((r, value)) => {
                let found = format!(
                    "`{}` is {value}, expected a number of 32 bits: record another variable",
                    self.table.name(r)
                );
                Err(Bad::Refused("fmi3GetInt64", found))
            }
            None => Ok(()),
        }
    }

    pub(super) fn set_integers(&self, refs: &[u32], values: &[i32]) -> Result<(), Bad> {
        if self.table.is_plain.integers {
            call!(self, set_int32, "fmi3SetInt32", refs, values.as_ptr(), values.len());
            return Ok(());
        }
        let read = |native, refs: &[u32], count| self.read_integers(native, refs, count);
        let numbers: Vec<i128> = values.iter().map(|x| i128::from(*x)).collect();
        let write = |native, refs: &[u32], values: &[i128]| self.write_integers(native, refs, values);
        self.put("fmi3SetInt64", (refs, &numbers), read, write)
    }

    pub(super) fn get_booleans(&self, refs: &[u32], values: &mut [u8]) -> Result<(), Bad> {
        if self.table.is_plain.booleans {
            call!(self, get_boolean, "fmi3GetBoolean", refs, values.as_mut_ptr(), values.len());
            return Ok(());
        }
        let read = |_, refs: &[u32], count| self.read_booleans(refs, count);
        self.picked("fmi3GetBoolean", refs, read, |i, value| values[i] = value)
    }

    pub(super) fn set_booleans(&self, refs: &[u32], values: &[u8]) -> Result<(), Bad> {
        if self.table.is_plain.booleans {
            return self.write_booleans(refs, values);
        }
        let read = |_, refs: &[u32], count| self.read_booleans(refs, count);
        self.put("fmi3SetBoolean", (refs, values), read, |_, refs, values| self.write_booleans(refs, values))
    }

    /// Reads what the references are in, scalars of one type and arrays one by one, and hands each value over with its position.
    pub(super) fn picked<T: Clone>(
        &self,
        call: &'static str,
        refs: &[u32],
        read: impl Fn(Native, &[u32], usize) -> Result<Vec<T>, Bad>,
        mut take: impl FnMut(usize, T),
    ) -> Result<(), Bad> {
        for ((native, _), group) in self.groups(call, refs)? {
            let values = read(native, &group.refs, group.count)?;
            for (i, at) in group.members {
                take(i, values[at].clone());
            }
        }
        Ok(())
    }

    /// Writes values to where the references are; an array of which only some elements are given keeps the others.
    pub(super) fn put<T: Clone>(
        &self,
        call: &'static str,
        (refs, values): (&[u32], &[T]),
        read: impl Fn(Native, &[u32], usize) -> Result<Vec<T>, Bad>,
        write: impl Fn(Native, &[u32], &[T]) -> Result<(), Bad>,
    ) -> Result<(), Bad> {
        for ((native, _), group) in self.groups(call, refs)? {
            let mut all: Vec<T> = if group.is_whole() {
                group.members.iter().map(|(i, _)| values[*i].clone()).collect()
            } else {
                read(native, &group.refs, group.count)?
            };
            group.members.iter().for_each(|(i, at)| all[*at] = values[*i].clone());
            write(native, &group.refs, &all)?;
        }
        Ok(())
    }

    /// The references by their type, and by the array that they are elements of.
    fn groups(&self, call: &'static str, refs: &[u32]) -> Result<BTreeMap<(Native, Option<u32>), Group>, Bad> {
        let mut groups: BTreeMap<(Native, Option<u32>), Group> = BTreeMap::new();
        for (i, r) in refs.iter().enumerate() {
            let Some(place) = self.table.place(*r) else {
                return Err(Bad::Refused(call, format!("value reference {r} is that of no variable")));
            };
            let group = groups.entry((place.native, place.count.map(|_| place.reference))).or_default();
            match place.count {
                None => {
                    group.members.push((i, group.refs.len()));
                    group.refs.push(place.reference);
                    group.count += 1;
                }
                Some(count) => {
                    group.members.push((i, place.element as usize));
                    group.refs = vec![place.reference];
                    group.count = count as usize;
                }
            }
        }
        Ok(groups)
    }
}

/// References that one call takes.
#[derive(Default)]
struct Group {
    refs: Vec<u32>,
    /// How many values they have.
    count: usize,
    /// Positions in the master's list, and among the values.
    members: Vec<(usize, usize)>,
}

impl Group {
    /// Whether its members are all its values, in their order.
    fn is_whole(&self) -> bool {
        self.members.len() == self.count && self.members.iter().enumerate().all(|(i, (_, at))| i == *at)
    }
}
