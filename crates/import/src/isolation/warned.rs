//! The warnings of a slave, from its process to the master's.

use macrostep_master::unit::{Warned, Warning};

use super::wire::{Put, Take};
use crate::fmu::Instance;

/// Puts them into a reply.
pub fn put(slave: &mut dyn Instance, reply: &mut Vec<u8>) {
    let warned = slave.warned().unwrap_or_default();
    reply.number(warned.count);
    for Warning { t_s, call, message } in [&warned.first, &warned.last] {
        reply.real(*t_s);
        reply.text(call);
        reply.text(message);
    }
}

/// Takes them from a reply; `None` where it makes no sense.
pub fn take(take: &mut Take<'_>) -> Option<Warned> {
    let count = take.number()?;
    let mut one = || Some(Warning { t_s: take.real()?, call: take.text()?, message: take.text()? });
    Some(Warned { count, first: one()?, last: one()? })
}
