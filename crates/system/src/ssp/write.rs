//! From a [`Scenario`] to a description.

use super::annotation::OPENMODELICA;
use super::elsewhere::hides_unit;
use super::losses::{identifier, losses, step};
use super::values::in_the_end;
use super::wires::is_ours;
use super::{ANNOTATION, OWN_VALUES};
use crate::assemble::matches;
use crate::check::{Converted, convert, type_name};
use crate::finding::Finding;
use crate::scenario::{Scenario, Setting, Unit, Value};
use macrostep_description::{Causality, Kind, ModelDescription, Unit as Measure, Variable};
use macrostep_import::Face;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// The scenario as `.ssd`: `sources` are the URIs of the units' FMUs. With it come warnings about what other tools will not
/// understand.
pub fn write(s: &Scenario, descriptions: &[Arc<ModelDescription>], sources: &[String]) -> (String, Vec<Finding>) {
    // The root. A name that is no identifier stands in the description.
    let mut text = Text::new();
    text.line(format_args!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
    text.line(format_args!(
        "<ssd:SystemStructureDescription xmlns:ssc=\"{NS}Common\" xmlns:ssd=\"{NS}Description\" \
         xmlns:ssv=\"{NS}ParameterValues\" xmlns:ssm=\"{NS}ParameterMapping\" version=\"1.0\" name=\"{}\"{} \
         generationTool=\"macrostep\">",
        identifier(&s.name),
        description(&s.description)
    ));
    let named = if identifier(&s.name) == s.name { String::new() } else { description(&s.name) };
    text.open("ssd:System", &format!(" name=\"{}\"{named}", identifier(&s.name)));
    // Parameter sets, components, connections and annotations of the one system.
    text.sets(s, descriptions);
    text.open("ssd:Elements", "");
    for (u, source) in sources.iter().enumerate().take(s.units.len()) {
        text.component(s, u, descriptions, source);
    }
    text.close("ssd:Elements");
    text.connections(s, descriptions);
    text.annotations(s, descriptions);
    text.close("ssd:System");
    // Units of measurement and times, which SSP has beside the system.
    text.measures(s, descriptions);
    let stop = s.experiment.stop_s.map(|stop| format!(" stopTime=\"{stop:?}\"")).unwrap_or_default();
    text.line(format_args!("<ssd:DefaultExperiment startTime=\"{:?}\"{stop}/>", s.experiment.start_s));
    text.close("ssd:SystemStructureDescription");
    (text.out, losses(s, descriptions))
}

const NS: &str = "http://ssp-standard.org/SSP1/SystemStructure";

/// Namespace of OMSimulator's annotation.
const OPENMODELICA_NS: &str = "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd";

fn description(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" description=\"{}\"", escape(text)) }
}

/// For an attribute: line ends would otherwise be read as blanks.
pub(super) fn escape(text: &str) -> String {
    quick_xml::escape::escape(text).replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;")
}

pub(super) struct Text {
    out: String,
    depth: usize,
}

impl Text {
    /// Without a line, for a file of its own.
    pub fn new() -> Self {
        Text { out: String::new(), depth: 0 }
    }

    /// The text as a file.
    pub fn end(self) -> String {
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", self.out)
    }

    /// Namespaces that the root of a file declares; nothing inside of one.
    pub fn declarations(&self) -> String {
        let is_root = self.out.is_empty();
        if is_root { format!(" xmlns:ssc=\"{NS}Common\" xmlns:ssv=\"{NS}ParameterValues\"") } else { String::new() }
    }

    /// Units of measurement that the files of these values had to define.
    pub fn units<'a>(&mut self, settings: impl Iterator<Item = &'a Setting>) {
        let defined = |s: &Setting| Some(Measure { name: s.unit.clone()?, base: Some(s.base?), display: Vec::new() });
        let own: BTreeSet<String> = settings.filter_map(defined).map(|measure| base(&measure)).collect();
        if !own.is_empty() {
            self.open("ssv:Units", "");
            own.iter().for_each(|line| self.line(format_args!("{line}")));
            self.close("ssv:Units");
        }
    }

    pub fn line(&mut self, what: std::fmt::Arguments) {
        if !self.out.is_empty() {
            self.out.extend(std::iter::repeat_n("  ", self.depth));
        }
        let written = self.out.write_fmt(what);
        debug_assert!(written.is_ok(), "writing to a string");
        self.out.push('\n');
        if self.out.ends_with("generationTool=\"macrostep\">\n") {
            self.depth = 1;
        }
    }

    pub fn open(&mut self, name: &str, attributes: &str) {
        self.line(format_args!("<{name}{attributes}>"));
        self.depth += 1;
    }

    pub fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(format_args!("</{name}>"));
    }

    fn component(&mut self, s: &Scenario, u: usize, descriptions: &[Arc<ModelDescription>], source: &str) {
        // The component's FMU.
        let (unit, d) = (&s.units[u], &*descriptions[u]);
        self.open(
            "ssd:Component",
            &format!(
                " name=\"{}\" type=\"application/x-fmu-sharedlibrary\" source=\"{}\" implementation=\"{}\"",
                escape(&unit.name),
                escape(source),
                if unit.source.face() == Some(Face::ModelExchange) { "ModelExchange" } else { "CoSimulation" }
            ),
        );
        // Connectors: only those that something needs, as an FMU may have thousands of variables.
        let shown = shown(s, &unit.name, d, descriptions);
        let connectors: Vec<&Variable> = d.variables.iter().filter(|v| shown.contains(v.name.as_str())).collect();
        if !connectors.is_empty() {
            self.open("ssd:Connectors", "");
            for v in connectors {
                self.open("ssd:Connector", &format!(" name=\"{}\" kind=\"{}\"", escape(&v.name), kind(v.causality)));
                let measure = if hides_unit(s, (&unit.name, v), descriptions) { "" } else { v.unit() };
                self.line(format_args!("{}", typed(v, measure)));
                self.close("ssd:Connector");
            }
            self.close("ssd:Connectors");
        }
        // Its start values: those of the applied sets too, which some tools do not look for at the system.
        let own = in_the_end(s, &unit.name, d);
        if !own.is_empty() {
            self.open("ssd:ParameterBindings", "");
            let settings: Vec<(String, &Setting)> = own.iter().map(|p| (p.variable.clone(), p)).collect();
            self.binding(OWN_VALUES, &settings, |_| Some(d));
            self.close("ssd:ParameterBindings");
        }
        self.close("ssd:Component");
    }

    /// The applied sets, at the system.
    fn sets(&mut self, s: &Scenario, descriptions: &[Arc<ModelDescription>]) {
        let sets: Vec<_> = s.applied.iter().filter_map(|name| s.sets.iter().find(|set| set.name == *name)).collect();
        if sets.is_empty() {
            return;
        }
        self.open("ssd:ParameterBindings", "");
        // The last one wins here and there.
        for set in sets {
            let settings: Vec<(String, &Setting)> =
                set.settings.iter().map(|(u, p)| (format!("{u}.{}", p.variable), p)).collect();
            self.binding(&set.name, &settings, |i| s.unit(&set.settings[i].0).map(|u| &*descriptions[u]));
        }
        self.close("ssd:ParameterBindings");
    }

    fn binding<'d>(
        &mut self,
        name: &str,
        settings: &[(String, &Setting)],
        of: impl Fn(usize) -> Option<&'d ModelDescription>,
    ) {
        self.open("ssd:ParameterBinding", "");
        self.open("ssd:ParameterValues", "");
        let named: Vec<_> = settings.iter().enumerate().map(|(i, (target, p))| (target.clone(), *p, of(i))).collect();
        self.set(name, &named);
        for name in ["ssd:ParameterValues", "ssd:ParameterBinding"] {
            self.close(name);
        }
    }

    /// Units of measurement of the connectors.
    fn measures(&mut self, s: &Scenario, descriptions: &[Arc<ModelDescription>]) {
        let mut written: BTreeSet<String> = BTreeSet::new();
        let mut lines = Vec::new();
        for (unit, d) in s.units.iter().zip(descriptions) {
            let shown = shown(s, &unit.name, d, descriptions);
            let names = d.variables.iter().filter(|v| shown.contains(v.name.as_str())).map(Variable::unit);
            let own: BTreeSet<&str> = names.filter(|n| !n.is_empty()).collect();
            for measure in d.units.iter().filter(|m| own.contains(m.name.as_str())) {
                if written.insert(measure.name.clone()) {
                    lines.push(base(measure));
                }
            }
        }
        if lines.is_empty() {
            return;
        }
        self.open("ssd:Units", "");
        for line in lines {
            self.line(format_args!("{line}"));
        }
        self.close("ssd:Units");
    }

    /// What other tools read of theirs, and then what only this program reads.
    fn annotations(&mut self, s: &Scenario, descriptions: &[Arc<ModelDescription>]) {
        self.open("ssd:Annotations", "");
        // OMSimulator looks at the first annotation only.
        if let Some(step) = step(s, descriptions) {
            self.open("ssc:Annotation", &format!(" type=\"{OPENMODELICA}\""));
            self.open("oms:Annotations", &format!(" xmlns:oms=\"{OPENMODELICA_NS}\""));
            self.open("oms:SimulationInformation", "");
            self.line(format_args!(
                "<oms:FixedStepMaster description=\"oms-ma\" stepSize=\"{step:?}\" absoluteTolerance=\"0.0001\" relativeTolerance=\"0.0001\"/>"
            ));
            for name in ["oms:SimulationInformation", "oms:Annotations", "ssc:Annotation"] {
                self.close(name);
            }
        }
        self.ours(s, descriptions);
        self.close("ssd:Annotations");
    }

    fn ours(&mut self, s: &Scenario, descriptions: &[Arc<ModelDescription>]) {
        let mut extra = s.clone();
        // The name stands in the description where it is no identifier.
        if identifier(&s.name) == s.name {
            extra.name.clear();
        }
        extra.description.clear();
        extra.experiment.stop_s = None;
        let plain = |u: &Unit| {
            let Unit { share, step_parameter, solver_tolerance, motions, source, .. } = u;
            (*share, step_parameter, solver_tolerance, source.python()) == ((1, 1), &None, &None, None)
                && motions.is_empty()
                && source.face().is_none()
        };
        extra.units.retain(|u| !plain(u));
        for unit in &mut extra.units {
            unit.settings.clear();
        }
        extra.sets.retain(|set| !s.applied.contains(&set.name));
        extra.applied.clear();
        extra.connections.retain(|c| is_ours(c, s, descriptions) || c.law.is_some() || c.is_mean);
        let toml = crate::toml::write(&extra).replace("]]>", "]]]]><![CDATA[>");
        self.open("ssc:Annotation", &format!(" type=\"{ANNOTATION}\""));
        self.line(format_args!(
            "<scenario xmlns=\"https://macrostep.example/scenario\"><![CDATA[\n{toml}]]></scenario>"
        ));
        self.close("ssc:Annotation");
    }
}

/// Variables of a unit that are connectors: those connected, and recorded ones. Tools that show connectors only have no texts.
fn shown(s: &Scenario, unit: &str, d: &ModelDescription, descriptions: &[Arc<ModelDescription>]) -> BTreeSet<String> {
    let maps = s.maps.iter().flat_map(|m| {
        let reaction = m.reaction.iter().flat_map(|r| r.from.iter().chain(&r.to));
        m.from.iter().chain(&m.to).chain(reaction)
    });
    let joints = s.constraints.iter().flat_map(|c| c.outputs().chain(c.inputs()));
    let connected = s.connections.iter().flat_map(|c| [&c.from, &c.to]);
    let ends = connected.chain(s.laws.iter().flat_map(|l| &l.inputs)).chain(maps).chain(joints);
    // What is recorded where nothing is said: real outputs outside of arrays, else all outputs.
    let is_output = |v: &Variable| v.causality == Causality::Output;
    let is_plain = |v: &Variable| is_output(v) && v.real().is_some() && !v.name.contains('[');
    let has_plain = descriptions.iter().any(|d| d.variables.iter().any(is_plain));
    let is_recorded = |v: &&Variable| {
        let column = format!("{unit}.{}", v.name);
        let is_wanted = match s.record.variables.as_slice() {
            [] if has_plain => is_plain(v),
            [] => is_output(v),
            patterns => patterns.iter().any(|(pattern, _)| matches(pattern, &column)),
        };
        is_wanted && !matches!(v.kind, Kind::String)
    };
    let recorded = d.variables.iter().filter(is_recorded).map(|v| v.name.clone());
    ends.filter(|e| e.unit == unit).map(|e| e.variable.clone()).chain(recorded).collect()
}

fn kind(c: Causality) -> &'static str {
    match c {
        Causality::Parameter => "parameter",
        Causality::CalculatedParameter => "calculatedParameter",
        Causality::Input => "input",
        Causality::Output | Causality::Local | Causality::Independent => "output",
    }
}

fn typed(v: &Variable, measure: &str) -> String {
    match &v.kind {
        Kind::Real(_) if measure.is_empty() => "<ssc:Real/>".to_owned(),
        Kind::Real(_) => format!("<ssc:Real unit=\"{}\"/>", escape(measure)),
        Kind::Enumeration { .. } => "<ssc:Integer/>".to_owned(),
        _ => format!("<ssc:{}/>", type_name(v).rsplit(' ').next().unwrap_or("Real")),
    }
}

/// A value in the type of its variable.
pub(super) fn value(setting: &Setting, d: Option<&ModelDescription>) -> String {
    let variable = d.and_then(|d| d.variable(&setting.variable).map(|v| (d, v)));
    let unit = setting.unit.as_ref().map(|u| format!(" unit=\"{}\"", escape(u))).unwrap_or_default();
    match (&setting.value, variable) {
        (Value::Text(t), Some((d, v))) if matches!(v.kind, Kind::Enumeration { .. }) => {
            // Other tools read the number only, and the connectors of enumerations are integers here.
            match convert(setting, v, d) {
                Ok(Converted::Integer(i)) => format!("<ssv:Integer value=\"{i}\"/>"),
                _ => format!("<ssv:Enumeration value=\"{}\"/>", escape(t)),
            }
        }
        // Integers have no unit in SSP.
        (Value::Integer(i), Some((_, v))) if v.real().is_some() => {
            format!("<ssv:Real value=\"{:?}\"{unit}/>", *i as f64)
        }
        (Value::Integer(i), _) => format!("<ssv:Integer value=\"{i}\"/>"),
        (Value::Real(x), _) => format!("<ssv:Real value=\"{}\"{unit}/>", double(*x)),
        (Value::Boolean(b), _) => format!("<ssv:Boolean value=\"{b}\"/>"),
        (Value::Text(t), _) => format!("<ssv:String value=\"{}\"/>", escape(t)),
    }
}

/// As XML Schema writes a double.
fn double(x: f64) -> String {
    if x.is_nan() {
        "NaN".to_owned()
    } else if x.is_infinite() {
        if x > 0.0 { "INF".to_owned() } else { "-INF".to_owned() }
    } else {
        format!("{x:?}")
    }
}

fn base(measure: &Measure) -> String {
    let Some(b) = measure.base else {
        return format!("<ssc:Unit name=\"{}\"><ssc:BaseUnit/></ssc:Unit>", escape(&measure.name));
    };
    // Exponents are whole numbers.
    let number =
        |name: &str, x: f64| if matches!(name, "factor" | "offset") { format!("{x:?}") } else { x.to_string() };
    let attributes: String = b.parts().map(|(name, x)| format!(" {name}=\"{}\"", number(name, x))).collect();
    format!("<ssc:Unit name=\"{}\"><ssc:BaseUnit{attributes}/></ssc:Unit>", escape(&measure.name))
}
