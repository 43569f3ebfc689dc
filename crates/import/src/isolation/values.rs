//! Values in messages: set on the slave, or read from it, on its side.

use macrostep_master::unit::Tangent;

use super::call::Call;
use super::server::Stop;
use super::wire::{Put, Take};
use crate::fmu::Instance;

/// Lists that are used again and again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    refs: Vec<u32>,
    more: Vec<u32>,
    orders: Vec<i32>,
    reals: Vec<f64>,
    gradient: Vec<f64>,
    integers: Vec<i32>,
    booleans: Vec<bool>,
}

/// A list into a buffer that held another.
fn list<T, const N: usize>(take: &mut Take<'_>, into: &mut Vec<T>, value: fn([u8; N]) -> T) -> Result<(), Stop> {
    into.clear();
    take.list(into, value).ok_or(Stop::Garbled)
}

pub(super) fn set(call: Call, slave: &mut dyn Instance, s: &mut Scratch, take: &mut Take<'_>) -> Result<(), Stop> {
    // All of them begin with the value references.
    list(take, &mut s.refs, u32::from_le_bytes)?;
    match call {
        Call::SetReal => {
            list(take, &mut s.reals, f64::from_le_bytes)?;
            slave.set_real(&s.refs, &s.reals)?;
        }
        Call::SetInputDerivatives => {
            list(take, &mut s.orders, i32::from_le_bytes)?;
            list(take, &mut s.reals, f64::from_le_bytes)?;
            slave.set_input_derivatives(&s.refs, &s.orders, &s.reals)?;
        }
        // Other types have a list of values each, and texts come one by one.
        Call::SetInteger => {
            list(take, &mut s.integers, i32::from_le_bytes)?;
            slave.set_integer(&s.refs, &s.integers)?;
        }
        Call::SetBoolean => {
            list(take, &mut s.booleans, |[b]: [u8; 1]| b != 0)?;
            slave.set_boolean(&s.refs, &s.booleans)?;
        }
        _ => {
            let texts: Option<Vec<String>> = s.refs.iter().map(|_| take.text()).collect();
            let texts = texts.ok_or(Stop::Garbled)?;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            slave.set_string(&s.refs, &texts)?;
        }
    }
    Ok(())
}

pub(super) fn get(
    call: Call,
    slave: &mut dyn Instance,
    s: &mut Scratch,
    take: &mut Take<'_>,
    reply: &mut Vec<u8>,
) -> Result<(), Stop> {
    // All of them begin with the value references, and give as many values.
    list(take, &mut s.refs, u32::from_le_bytes)?;
    let n = s.refs.len();
    match call {
        Call::GetReal => {
            s.reals.resize(n, 0.0);
            slave.get_real(&s.refs, &mut s.reals)?;
            reply.list(&s.reals, f64::to_le_bytes);
        }
        Call::GetOutputDerivatives => {
            list(take, &mut s.orders, i32::from_le_bytes)?;
            s.reals.resize(n, 0.0);
            slave.get_output_derivatives(&s.refs, &s.orders, &mut s.reals)?;
            reply.list(&s.reals, f64::to_le_bytes);
        }
        Call::GetInteger => {
            s.integers.resize(n, 0);
            slave.get_integer(&s.refs, &mut s.integers)?;
            reply.list(&s.integers, i32::to_le_bytes);
        }
        Call::GetBoolean => {
            s.booleans.resize(n, false);
            slave.get_boolean(&s.refs, &mut s.booleans)?;
            reply.list(&s.booleans, |b| [u8::from(b)]);
        }
        Call::GetString => {
            let texts = slave.get_string(&s.refs)?;
            reply.number(texts.len() as u64);
            texts.iter().for_each(|text| reply.text(text));
        }
        _ => return Err(Stop::Garbled),
    }
    Ok(())
}

pub(super) fn directional(
    slave: &mut dyn Instance,
    s: &mut Scratch,
    take: &mut Take<'_>,
    reply: &mut Vec<u8>,
) -> Result<(), Stop> {
    list(take, &mut s.refs, u32::from_le_bytes)?;
    list(take, &mut s.more, u32::from_le_bytes)?;
    list(take, &mut s.reals, f64::from_le_bytes)?;
    s.gradient.resize(s.refs.len(), 0.0);
    slave.directional(Tangent::new(&s.refs, &s.more, &s.reals, &mut s.gradient))?;
    reply.list(&s.gradient, f64::to_le_bytes);
    Ok(())
}
