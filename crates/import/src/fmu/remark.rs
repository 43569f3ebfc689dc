//! Violations of the standard by an FMU that need not end the run: each is reported once.

use std::sync::Arc;

use macrostep_description::{Kind, Variable, shown};

use super::{FmuOptions, FmuUnit, floating_point, plain};

/// Where remarks go: one line each, without control characters, that names the unit.
pub type RemarkSink = Arc<dyn Fn(&str) + Send + Sync>;

/// Which of them an instance has had.
#[derive(Debug, Clone, Copy)]
pub(super) enum Remark {
    Environment = 1,
    Boolean = 2,
    NoText = 4,
    NotUtf8 = 8,
}

/// What is said where a call has changed it.
pub(super) const ENVIRONMENT: &str = "changed the floating-point environment (rounding, denormal numbers or traps); the default is restored \
     after each call, so every call of a slave begins with it";

impl Remark {
    /// Says it of a unit at its time, unless `told` has that it was said before.
    pub(super) fn once(self, told: &mut u8, options: &FmuOptions, (unit, t_s): (&str, f64), text: &str) {
        if *told & self as u8 != 0 {
            return;
        }
        *told |= self as u8;
        if let Some(sink) = &options.remark {
            sink(&plain(&format!("unit `{unit}`: {text} (t = {} s; reported once)", shown::time(t_s))));
        }
    }
}

impl FmuUnit {
    /// Makes the floating-point environment the master's own again after a call.
    #[inline(always)]
    pub(super) fn mend(&mut self, call: &'static str) {
        if floating_point::changed() {
            self.mended(call);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn mended(&mut self, call: &'static str) {
        floating_point::restore();
        self.remark(Remark::Environment, &format!("{call} {ENVIRONMENT}"));
    }

    /// Says it, unless it was said before.
    #[cold]
    #[inline(never)]
    pub(super) fn remark(&mut self, kind: Remark, text: &str) {
        kind.once(&mut self.told, &self.options, (&self.name, self.t_s), text);
    }

    /// A value that was read and is none of its type.
    #[cold]
    #[inline(never)]
    pub(super) fn odd(&mut self, kind: Remark, reference: u32, what: &str) {
        let fits = |v: &&Variable| match kind {
            Remark::Boolean => matches!(v.kind, Kind::Boolean),
            _ => matches!(v.kind, Kind::String),
        };
        let variables = &self.model().variables;
        let found = variables.iter().filter(fits).find(|v| v.value_reference == reference);
        let name = found.map_or_else(|| format!("value reference {reference}"), |v| format!("`{}`", v.name));
        self.remark(kind, &format!("{name} {what}"));
    }
}
