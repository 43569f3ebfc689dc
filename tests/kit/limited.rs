//! Units and FMUs with fewer capabilities than those they are made from, as FMUs of other tools have.
#![allow(dead_code)] // each test file uses its part

use std::io::{Cursor, Read, Write};

use macrostep::embedded;
use macrostep_description::{CoSimulation, ModelDescription};
use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Tangent, Unit, UnitError, Values};
use zip::write::{SimpleFileOptions, ZipWriter};

/// A unit whose description has been cut down. A call it no longer offers is a panic; so is `fmi2GetReal` after
/// `fmi2SetReal` without a step between, unless its annotation says that it may be.
pub struct Limited {
    unit: Box<dyn Unit>,
    description: ModelDescription,
    /// Whether the initialisation is over.
    steps: bool,
    /// Whether inputs were set since the last step.
    was_set: bool,
}

impl Limited {
    /// What `cut` leaves of its attributes.
    pub fn boxed(unit: Box<dyn Unit>, cut: impl Fn(&mut CoSimulation)) -> Box<dyn Unit> {
        let cut = |d: &mut ModelDescription| cut(d.co_simulation.as_mut().expect("a co-simulation slave"));
        Limited::described(unit, cut)
    }

    /// Without the annotation that outputs may be read after inputs were set, and what `cut` leaves of its attributes.
    pub fn foreign(unit: Box<dyn Unit>, cut: impl Fn(&mut CoSimulation)) -> Box<dyn Unit> {
        Limited::described(unit, |d| {
            d.vendor_annotations.clear();
            cut(d.co_simulation.as_mut().expect("a co-simulation slave"));
        })
    }

    /// With a description that `cut` has changed.
    pub fn described(unit: Box<dyn Unit>, cut: impl Fn(&mut ModelDescription)) -> Box<dyn Unit> {
        let mut description = unit.description().clone();
        cut(&mut description);
        Box::new(Limited { unit, description, steps: false, was_set: false })
    }

    fn offers(&self, what: impl Fn(&CoSimulation) -> bool, function: &str) {
        assert!(what(self.description.co_simulation.as_ref().expect("a slave")), "{function} is not offered");
    }
}

type Done = Result<(), UnitError>;

impl Described for Limited {
    fn name(&self) -> &str {
        self.unit.name()
    }
    fn description(&self) -> &ModelDescription {
        &self.description
    }
    fn inner(&self) -> Option<&dyn Unit> {
        Some(self.unit.as_ref())
    }
    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(Some(self.unit.as_mut()))
    }
}

impl Values for Limited {
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Done {
        self.was_set = true;
        self.unit.set_real(refs, values)
    }
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Done {
        let may = !self.steps || !self.was_set || !self.description.vendor_annotations.is_empty();
        assert!(may, "fmi2GetReal after fmi2SetReal without a step between");
        self.unit.get_real(refs, values)
    }
}

impl Derivatives for Limited {
    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Done {
        self.offers(|c| c.can_interpolate_inputs, "fmi2SetRealInputDerivatives");
        self.unit.set_input_derivatives(refs, orders, values)
    }
    fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Done {
        self.offers(|c| c.max_output_derivative_order > 0, "fmi2GetRealOutputDerivatives");
        self.unit.get_output_derivatives(refs, orders, values)
    }
    fn directional(&mut self, of: Tangent<'_>) -> Done {
        self.offers(|c| c.provides_directional_derivative, "fmi2GetDirectionalDerivative");
        self.unit.directional(of)
    }
}

impl States for Limited {
    fn save(&mut self, slot: usize) -> Done {
        self.offers(|c| c.can_get_and_set_fmu_state, "fmi2GetFMUstate");
        self.unit.save(slot)
    }
    fn restore(&mut self, slot: usize) -> Done {
        self.offers(|c| c.can_get_and_set_fmu_state, "fmi2SetFMUstate");
        self.was_set = false;
        self.unit.restore(slot)
    }
    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        self.offers(|c| c.can_serialize_fmu_state, "fmi2SerializeFMUstate");
        self.unit.serialize()
    }
    fn deserialize(&mut self, bytes: &[u8]) -> Done {
        self.offers(|c| c.can_serialize_fmu_state, "fmi2DeSerializeFMUstate");
        self.unit.deserialize(bytes)
    }
    fn hidden_state(&mut self) -> Option<&mut [f64]> {
        None
    }
}

impl Steps for Limited {
    fn do_steps(&self) -> u64 {
        self.unit.do_steps()
    }
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.was_set = false;
        self.unit.step(t_s, step_s, keep)
    }
}

impl Unit for Limited {
    fn exit_initialization(&mut self) -> Done {
        (self.steps, self.was_set) = (true, false);
        self.unit.exit_initialization()
    }
    fn reset(&mut self) -> Done {
        self.steps = false;
        self.unit.reset()
    }
}

/// The FMU of one of our models without some attributes of its description, those of `CoSimulation` or of the annotation.
/// GUID and library stay, so that it loads.
pub fn cut_fmu(model: &str, attributes: &[&str]) -> Vec<u8> {
    changed_fmu(model, |xml| {
        for attribute in attributes {
            // Capabilities of the other face have the same names, and stand before.
            let from = xml.find("<CoSimulation").unwrap_or_else(|| panic!("{model} is none for co-simulation"));
            let found = xml[from..].find(&format!(" {attribute}=\""));
            let start = from + found.unwrap_or_else(|| panic!("{model} has no {attribute}"));
            let value = start + attribute.len() + 3;
            let end = value + xml[value..].find('"').expect("a value") + 1;
            xml.replace_range(start..end, "");
        }
    })
}

/// The FMU of one of our models with a description that `change` has changed.
pub fn changed_fmu(model: &str, change: impl Fn(&mut String)) -> Vec<u8> {
    let whole = embedded::fmu(model).expect("carried");
    let mut from = zip::ZipArchive::new(Cursor::new(whole)).expect("an archive");
    let mut to = ZipWriter::new(Cursor::new(Vec::new()));
    for i in 0..from.len() {
        let mut entry = from.by_index(i).expect("an entry");
        if entry.name().expect("a name") != "modelDescription.xml" {
            to.raw_copy_file(entry).expect("copied");
            continue;
        }
        let mut xml = String::new();
        entry.read_to_string(&mut xml).expect("a description");
        change(&mut xml);
        to.start_file("modelDescription.xml", SimpleFileOptions::default()).expect("an entry");
        to.write_all(xml.as_bytes()).expect("its bytes");
    }
    to.finish().expect("the archive").into_inner()
}
