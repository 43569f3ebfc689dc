//! Values of outputs before the start, as the master needs them.

use super::Sampled;
use crate::scenario::{Scenario, Value};
use macrostep_master::{ChannelId, RunError, Simulation};

/// Parts of a macro step that a time may be off the one asked for.
const OFF_MAX: f64 = 1e-6;

/// Rows of channels at all times the method looks back to.
///
/// # Errors
/// [`RunError::Grid`] where the history does not have a value.
pub(super) fn rows(
    s: &Scenario,
    channels: &[Sampled],
    simulation: &mut Simulation,
) -> Result<Vec<(ChannelId, f64, Vec<f64>)>, RunError> {
    // A value of the history at a time, which is allowed to be off by a part of the macro step.
    let step_s = s.experiment.step_s.unwrap_or(f64::NAN);
    let value = |unit: &str, name: &str, t_s: f64| {
        let at = s.history.iter().filter(|row| (row.at_s - t_s).abs() <= OFF_MAX * step_s);
        let mut values = at.flat_map(|row| &row.settings);
        let value = values.find(|(u, setting)| u == unit && setting.variable == name);
        match value.map(|(_, setting)| &setting.value) {
            Some(Value::Real(x)) => Ok(*x),
            Some(Value::Integer(i)) => Ok(*i as f64),
            _ => Err(RunError::grid(
                "history",
                format!("no value of `{unit}.{name}` at {t_s:?} s"),
                "one in [[history]]: this method uses values of that time",
            )),
        }
    };
    // Channels are asked for several times where several inputs are made of them.
    let mut rows: Vec<(ChannelId, f64, Vec<f64>)> = Vec::new();
    for (id, t_s) in simulation.before() {
        if rows.iter().any(|(known, at_s, _)| *known == id && *at_s == t_s) {
            continue;
        }
        let Some(channel) = channels.iter().find(|c| c.id == id) else { continue };
        let unit = &s.units[channel.unit].name;
        let row = channel.names.iter().map(|name| value(unit, name, t_s)).collect::<Result<_, _>>()?;
        rows.push((id, t_s, row));
    }
    Ok(rows)
}
