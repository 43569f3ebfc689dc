//! From a description to text: one description, one text.

use std::borrow::Cow;
use std::io;

use quick_xml::Writer;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesDecl, BytesPI, BytesStart, Event};
use quick_xml::name::QName;

use super::{INSTRUCTION, write_variables};
use crate::inherit::by_name;
use crate::{
    BaseUnit, CoSimulation, DefaultExperiment, LogCategory, ModelDescription, ModelExchange, Naming, TypeDefinition,
    Unit, VendorAnnotation,
};

pub(super) type Xml = Writer<Vec<u8>>;

/// The text of `modelDescription.xml`: ASCII, an element a line, indented by two, line feeds only. Other characters are
/// references such as `&#955;`, because not every tool reads the text of a file as UTF-8. What a variable has from its declared
/// type stands there only.
///
/// Reading it back gives the same description. Characters XML cannot hold at all (control characters) become U+FFFD.
pub fn write(description: &ModelDescription) -> String {
    text(|xml| root(xml, description))
}

/// The text of a file with this root.
pub(super) fn text(root: impl FnOnce(&mut Xml) -> io::Result<()>) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    let declaration = Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None));
    // A vector takes every byte: nothing of this can fail.
    let written = xml.write_event(declaration).and_then(|()| root(&mut xml));
    debug_assert!(written.is_ok(), "{written:?}");
    let mut text = String::from_utf8(xml.into_inner()).unwrap_or_default();
    text.push('\n');
    text
}

fn root(xml: &mut Xml, d: &ModelDescription) -> io::Result<()> {
    // Attributes of the root.
    let mut tag = Tag::new("fmiModelDescription");
    tag.put("fmiVersion", &d.fmi_version);
    tag.put("modelName", &d.model_name);
    tag.put("guid", &d.guid);
    about(&mut tag, d);
    if d.event_indicators > 0 || d.model_exchange.is_some() {
        tag.put("numberOfEventIndicators", &d.event_indicators.to_string());
    }
    // Parts in the order that the schema demands.
    tag.around(xml, |xml| {
        if let Some(m) = &d.model_exchange {
            model_exchange(xml, m)?;
        }
        if let Some(c) = &d.co_simulation {
            co_simulation(xml, c)?;
        }
        list(xml, "UnitDefinitions", &d.units, unit)?;
        list(xml, "TypeDefinitions", &d.types, simple_type)?;
        list(xml, "LogCategories", &d.log_categories, category)?;
        if let Some(experiment) = &d.default_experiment {
            default_experiment(xml, experiment)?;
        }
        list(xml, "VendorAnnotations", &d.vendor_annotations, |xml, a| annotation(xml, a, ("Tool", "name")))?;
        // Variables, with what differs from their declared types.
        let types = by_name(&d.types);
        Tag::new("ModelVariables")
            .around(xml, |xml| d.variables.iter().try_for_each(|v| write_variables::variable(xml, v, &types)))?;
        write_variables::structure(xml, &d.structure)
    })
}

/// What identifies the model for people, and how its variables are named.
pub(super) fn about(tag: &mut Tag, d: &ModelDescription) {
    tag.maybe("description", d.description.as_deref());
    tag.maybe("author", d.author.as_deref());
    tag.maybe("version", d.version.as_deref());
    tag.maybe("copyright", d.copyright.as_deref());
    tag.maybe("license", d.license.as_deref());
    tag.maybe("generationTool", d.generation_tool.as_deref());
    tag.maybe("generationDateAndTime", d.generation_date_and_time.as_deref());
    if d.naming == Naming::Structured {
        tag.put("variableNamingConvention", "structured");
    }
}

pub(super) fn category(xml: &mut Xml, category: &LogCategory) -> io::Result<()> {
    let mut tag = Tag::new("Category");
    tag.put("name", &category.name);
    tag.maybe("description", category.description.as_deref());
    tag.alone(xml)
}

/// An annotation, in an element of this name, with the tool in this attribute. What the tool says stands in an instruction, which any
/// reader may pass over.
pub(super) fn annotation(
    xml: &mut Xml,
    annotation: &VendorAnnotation,
    (name, key): (&'static str, &str),
) -> io::Result<()> {
    let mut tag = Tag::new(name);
    tag.put(key, &annotation.tool);
    if annotation.attributes.is_empty() {
        return tag.alone(xml);
    }
    let mut inner = Tag::new(INSTRUCTION);
    annotation.attributes.iter().for_each(|(key, value)| inner.put(key, value));
    tag.around(xml, |xml| inner.instruction(xml))
}

fn model_exchange(xml: &mut Xml, m: &ModelExchange) -> io::Result<()> {
    let mut tag = Tag::new("ModelExchange");
    tag.put("modelIdentifier", &m.model_identifier);
    tag.flag("needsExecutionTool", m.needs_execution_tool);
    tag.flag("completedIntegratorStepNotNeeded", m.completed_integrator_step_not_needed);
    tag.flag("canBeInstantiatedOnlyOncePerProcess", m.can_be_instantiated_only_once_per_process);
    tag.flag("canNotUseMemoryManagementFunctions", m.can_not_use_memory_management_functions);
    tag.flag("canGetAndSetFMUstate", m.can_get_and_set_fmu_state);
    tag.flag("canSerializeFMUstate", m.can_serialize_fmu_state);
    tag.flag("providesDirectionalDerivative", m.provides_directional_derivative);
    tag.alone(xml)
}

fn co_simulation(xml: &mut Xml, c: &CoSimulation) -> io::Result<()> {
    let mut tag = Tag::new("CoSimulation");
    // Capabilities that are false or 0 are left out, as in the schema's defaults.
    tag.put("modelIdentifier", &c.model_identifier);
    tag.flag("needsExecutionTool", c.needs_execution_tool);
    tag.flag("canHandleVariableCommunicationStepSize", c.can_handle_variable_communication_step_size);
    tag.flag("canInterpolateInputs", c.can_interpolate_inputs);
    if c.max_output_derivative_order > 0 {
        tag.put("maxOutputDerivativeOrder", &c.max_output_derivative_order.to_string());
    }
    tag.flag("canRunAsynchronuously", c.can_run_asynchronuously);
    tag.flag("canBeInstantiatedOnlyOncePerProcess", c.can_be_instantiated_only_once_per_process);
    tag.flag("canNotUseMemoryManagementFunctions", c.can_not_use_memory_management_functions);
    tag.flag("canGetAndSetFMUstate", c.can_get_and_set_fmu_state);
    tag.flag("canSerializeFMUstate", c.can_serialize_fmu_state);
    tag.flag("providesDirectionalDerivative", c.provides_directional_derivative);
    // Sources, where there are any.
    if c.source_files.is_empty() {
        return tag.alone(xml);
    }
    tag.around(xml, |xml| {
        list(xml, "SourceFiles", &c.source_files, |xml, name| {
            let mut tag = Tag::new("File");
            tag.put("name", name);
            tag.alone(xml)
        })
    })
}

pub(super) fn unit(xml: &mut Xml, unit: &Unit) -> io::Result<()> {
    let mut tag = Tag::new("Unit");
    tag.put("name", &unit.name);
    if unit.base.is_none() && unit.display.is_empty() {
        return tag.alone(xml);
    }
    tag.around(xml, |xml| {
        if let Some(base) = &unit.base {
            base_unit(xml, base)?;
        }
        unit.display.iter().try_for_each(|display| {
            let mut tag = Tag::new("DisplayUnit");
            tag.put("name", &display.name);
            tag.factor_and_offset(display.factor, display.offset);
            tag.alone(xml)
        })
    })
}

fn base_unit(xml: &mut Xml, b: &BaseUnit) -> io::Result<()> {
    let mut tag = Tag::new("BaseUnit");
    let exponents =
        [("kg", b.kg), ("m", b.m), ("s", b.s), ("A", b.a), ("K", b.k), ("mol", b.mol), ("cd", b.cd), ("rad", b.rad)];
    for (name, exponent) in exponents.into_iter().filter(|(_, exponent)| *exponent != 0) {
        tag.put(name, &exponent.to_string());
    }
    tag.factor_and_offset(b.factor, b.offset);
    tag.alone(xml)
}

fn simple_type(xml: &mut Xml, definition: &TypeDefinition) -> io::Result<()> {
    let mut tag = Tag::new("SimpleType");
    tag.put("name", &definition.name);
    tag.maybe("description", definition.description.as_deref());
    tag.around(xml, |xml| write_variables::kind(xml, write_variables::Typed::of_type(&definition.kind)))
}

pub(super) fn default_experiment(xml: &mut Xml, e: &DefaultExperiment) -> io::Result<()> {
    let mut tag = Tag::new("DefaultExperiment");
    tag.real("startTime", e.start_time);
    tag.real("stopTime", e.stop_time);
    tag.real("tolerance", e.tolerance);
    tag.real("stepSize", e.step_size);
    tag.alone(xml)
}

/// A list inside an element of its own, which the schema wants left out where the list is empty.
pub(super) fn list<T>(
    xml: &mut Xml,
    name: &'static str,
    items: &[T],
    mut each: impl FnMut(&mut Xml, &T) -> io::Result<()>,
) -> io::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    Tag::new(name).around(xml, |xml| items.iter().try_for_each(|item| each(xml, item)))
}

/// An element being put together.
pub(super) struct Tag(BytesStart<'static>);

impl Tag {
    pub(super) fn new(name: &'static str) -> Self {
        Tag(BytesStart::new(name))
    }

    pub(super) fn put(&mut self, key: &str, value: &str) {
        self.0.push_attribute(Attribute { key: QName(key), value: escaped(value) });
    }

    pub(super) fn maybe(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    pub(super) fn real(&mut self, key: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.put(key, &real_text(value));
        }
    }

    /// A flag whose default is false.
    pub(super) fn flag(&mut self, key: &str, value: bool) {
        if value {
            self.put(key, "true");
        }
    }

    fn factor_and_offset(&mut self, factor: f64, offset: f64) {
        // By bits: −0 is not the default 0.
        self.real("factor", (factor.to_bits() != 1.0_f64.to_bits()).then_some(factor));
        self.real("offset", (offset.to_bits() != 0.0_f64.to_bits()).then_some(offset));
    }

    pub(super) fn alone(self, xml: &mut Xml) -> io::Result<()> {
        xml.write_event(Event::Empty(self.0))
    }

    /// As a processing instruction; attributes hold no `>`, so nothing in them ends it.
    fn instruction(self, xml: &mut Xml) -> io::Result<()> {
        let content: &str = &self.0;
        xml.write_event(Event::PI(BytesPI::new(content)))
    }

    pub(super) fn around(self, xml: &mut Xml, inside: impl FnOnce(&mut Xml) -> io::Result<()>) -> io::Result<()> {
        let end = self.0.to_end().into_owned();
        xml.write_event(Event::Start(self.0))?;
        inside(xml)?;
        xml.write_event(Event::End(end))
    }
}

/// A number as `xs:double` spells it, with the fewest digits that read back to the same bits.
pub(super) fn real_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    let text = format!("{value:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Blanks other than the space would come back as spaces (XML 1.0, section 3.3.3), so they go as references, as does all that
/// is not ASCII.
fn escaped(value: &str) -> Cow<'_, str> {
    let special = |c: char| matches!(c, '\u{0}'..'\u{20}' | '\u{fffe}' | '\u{ffff}');
    if !value.contains(|c: char| special(c) || !c.is_ascii() || matches!(c, '&' | '<' | '>' | '"')) {
        return Cow::Borrowed(value);
    }
    let mut text = String::with_capacity(value.len() + 16);
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\t' => text.push_str("&#9;"),
            '\n' => text.push_str("&#10;"),
            '\r' => text.push_str("&#13;"),
            c if special(c) => text.push(char::REPLACEMENT_CHARACTER),
            c if c.is_ascii() => text.push(c),
            c => text.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `xs:double` has them.
    #[test]
    fn numbers_are_spelled_as_the_schema_has_them() {
        let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2.0, -0.5, 1e-7];
        assert_eq!(values.map(real_text), ["NaN", "INF", "-INF", "2", "-0.5", "1e-7"]);
    }
}
