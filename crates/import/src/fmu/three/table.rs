//! Where the values of variables are in an FMU, by the references that the master uses.

use std::collections::HashMap;

use macrostep_description::{Causality, Kind, ModelDescription, Native, Place, Variability};

/// Places of all variables.
#[derive(Debug, Default)]
pub(super) struct Table {
    places: HashMap<u32, Place>,
    /// Names, for messages.
    names: HashMap<u32, String>,
    /// Whether every Real is a scalar `Float64`, every Integer and enumeration a scalar `Int32`, every Boolean a scalar.
    pub(super) is_plain: Plain,
    /// Continuous inputs that the FMU asks for inside its steps.
    pub(super) asked: Vec<u32>,
    /// The same in the FMU, each array once: `requiredIntermediateVariables`.
    pub(super) required: Vec<u32>,
    /// Inputs and parameters that only events change.
    discrete: std::collections::HashSet<u32>,
}

/// Which types need no conversion.
#[derive(Debug, Default)]
pub(super) struct Plain {
    pub(super) reals: bool,
    pub(super) integers: bool,
    pub(super) booleans: bool,
}

impl Table {
    pub(super) fn of(d: &ModelDescription) -> Table {
        let Some(fmi3) = &d.fmi3 else { return Table::default() };
        let mut table = Table { is_plain: Plain { reals: true, integers: true, booleans: true }, ..Table::default() };
        for (v, place) in d.variables.iter().zip(&fmi3.places) {
            let is_scalar = place.count.is_none();
            match v.kind {
                Kind::Real(_) => table.is_plain.reals &= is_scalar && place.native == Native::Float64,
                Kind::Integer { .. } | Kind::Enumeration { .. } => {
                    table.is_plain.integers &= is_scalar && place.native == Native::Int32;
                }
                Kind::Boolean => table.is_plain.booleans &= is_scalar,
                Kind::String => {}
            }
            if place.is_alias {
                continue;
            }
            table.places.insert(v.value_reference, *place);
            table.names.insert(v.value_reference, v.name.clone());
            let is_input = v.causality == Causality::Input;
            if is_input
                && v.variability == Variability::Continuous
                && place.is_intermediate
                && fmi3.provides_intermediate_update
            {
                table.asked.push(v.value_reference);
                if table.required.last() != Some(&place.reference) {
                    table.required.push(place.reference);
                }
            } else if v.causality == Causality::Parameter || (is_input && v.variability != Variability::Continuous) {
                table.discrete.insert(v.value_reference);
            }
        }
        table
    }

    #[inline]
    pub(super) fn place(&self, reference: u32) -> Option<&Place> {
        self.places.get(&reference)
    }

    pub(super) fn name(&self, reference: u32) -> &str {
        self.names.get(&reference).map_or("?", String::as_str)
    }

    /// Whether some of these are inputs that only events change.
    pub(super) fn is_discrete(&self, refs: &[u32]) -> bool {
        !self.discrete.is_empty() && refs.iter().any(|r| self.discrete.contains(r))
    }

    /// The structural parameters among these.
    pub(super) fn structural(&self, refs: &[u32]) -> Vec<Place> {
        refs.iter().filter_map(|r| self.place(*r)).filter(|place| place.is_structural).copied().collect()
    }
}
