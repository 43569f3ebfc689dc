//! What variables take over from their declared types.
//!
//! A `SimpleType` says how its variables are unless they say so themselves (FMI 2.0.5, section 2.2.7, `declaredType`). It is
//! taken over once, when a description is read or declared, so that nobody behind has to ask the type.

use std::collections::HashMap;

use crate::{Kind, ModelDescription, RealAttributes, TypeDefinition};

impl ModelDescription {
    /// Gives each variable the attributes of its declared type that it does not have itself: unit, display unit,
    /// quantity, bounds, nominal value and flags. Doing so again changes nothing. A type of another element is passed
    /// over.
    pub fn inherit_types(&mut self) {
        let types = by_name(&self.types);
        for v in &mut self.variables {
            let declared = v.declared_type.as_deref().and_then(|name| types.get(name));
            let Some(of_type) = declared.map(|t| &t.kind) else { continue };
            match (&mut v.kind, of_type) {
                (Kind::Real(own), Kind::Real(of_type)) => real(own, of_type),
                (Kind::Integer { min, max }, Kind::Integer { min: least, max: most })
                | (Kind::Enumeration { min, max, .. }, Kind::Enumeration { min: least, max: most, .. }) => {
                    *min = min.or(*least);
                    *max = max.or(*most);
                }
                _ => {}
            }
        }
    }
}

/// Types by their names; of two of one name the first.
pub(crate) fn by_name(types: &[TypeDefinition]) -> HashMap<&str, &TypeDefinition> {
    types.iter().rev().map(|t| (t.name.as_str(), t)).collect()
}

fn real(own: &mut RealAttributes, of_type: &RealAttributes) {
    let RealAttributes { quantity, unit, display_unit, relative_quantity, unbounded, min, max, nominal, .. } = of_type;
    let inherit = |own: &mut Option<String>, of_type: &Option<String>| {
        if own.is_none() {
            own.clone_from(of_type);
        }
    };
    inherit(&mut own.quantity, quantity);
    inherit(&mut own.unit, unit);
    // A display unit belongs to its unit: a variable with another one has none of this type's.
    if own.unit == *unit {
        inherit(&mut own.display_unit, display_unit);
    }
    own.relative_quantity |= *relative_quantity;
    own.unbounded |= *unbounded;
    own.min = own.min.or(*min);
    own.max = own.max.or(*max);
    own.nominal = own.nominal.or(*nominal);
}
