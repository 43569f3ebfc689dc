//! From a [`Scenario`] to a description.

use super::annotation::OPENMODELICA;
use super::losses::{identifier, losses, step};
use super::wires::is_ours;
use super::{ANNOTATION, OWN_VALUES};
use crate::assemble::matches;
use crate::check::{Converted, convert, type_name};
use crate::finding::Finding;
use crate::scenario::{Scenario, Setting, Unit, Value};
use macrostep_description::{Causality, Kind, ModelDescription, Unit as Measure, Variable};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// The scenario as `.ssd`: `sources` are the URIs of the units' FMUs. With it come warnings about what other tools will not
/// understand.
pub fn write(s: &Scenario, descriptions: &[Arc<ModelDescription>], sources: &[String]) -> (String, Vec<Finding>) {
    // The root. A name that is no identifier stands in the description.
    let mut text = Text { out: String::new(), depth: 0 };
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
        text.component(s, u, &descriptions[u], source);
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

    fn component(&mut self, s: &Scenario, u: usize, d: &ModelDescription, source: &str) {
        // The component's FMU.
        let unit = &s.units[u];
        self.open(
            "ssd:Component",
            &format!(
                " name=\"{}\" type=\"application/x-fmu-sharedlibrary\" source=\"{}\" implementation=\"CoSimulation\"",
                escape(&unit.name),
                escape(source)
            ),
        );
        // Connectors: only those that something needs, as an FMU may have thousands of variables.
        let shown = shown(s, &unit.name, d);
        let connectors: Vec<&Variable> = d.variables.iter().filter(|v| shown.contains(v.name.as_str())).collect();
        if !connectors.is_empty() {
            self.open("ssd:Connectors", "");
            for v in connectors {
                self.open("ssd:Connector", &format!(" name=\"{}\" kind=\"{}\"", escape(&v.name), kind(v.causality)));
                self.line(format_args!("{}", typed(v)));
                self.close("ssd:Connector");
            }
            self.close("ssd:Connectors");
        }
        // Start values of its own.
        if !unit.settings.is_empty() {
            self.open("ssd:ParameterBindings", "");
            let settings: Vec<(String, &Setting)> = unit.settings.iter().map(|p| (p.variable.clone(), p)).collect();
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
        self.open("ssv:ParameterSet", &format!(" version=\"1.0\" name=\"{}\"", escape(name)));
        self.open("ssv:Parameters", "");
        for (i, (target, setting)) in settings.iter().enumerate() {
            self.open("ssv:Parameter", &format!(" name=\"{}\"", escape(target)));
            self.line(format_args!("{}", value(setting, of(i))));
            self.close("ssv:Parameter");
        }
        self.close("ssv:Parameters");
        // Units that a file had to define.
        let own = settings
            .iter()
            .filter_map(|(_, s)| Some(Measure { name: s.unit.clone()?, base: Some(s.base?), display: Vec::new() }));
        let own: BTreeSet<String> = own.map(|measure| base(&measure)).collect();
        if !own.is_empty() {
            self.open("ssv:Units", "");
            own.iter().for_each(|line| self.line(format_args!("{line}")));
            self.close("ssv:Units");
        }
        for name in ["ssv:ParameterSet", "ssd:ParameterValues", "ssd:ParameterBinding"] {
            self.close(name);
        }
    }

    /// Units of measurement of the connectors.
    fn measures(&mut self, s: &Scenario, descriptions: &[Arc<ModelDescription>]) {
        let mut written: BTreeSet<String> = BTreeSet::new();
        let mut lines = Vec::new();
        for (unit, d) in s.units.iter().zip(descriptions) {
            let shown = shown(s, &unit.name, d);
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
        let plain =
            |u: &Unit| u.share == (1, 1) && u.step_parameter.is_none() && u.tolerance.is_none() && u.motions.is_empty();
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

/// Variables of a unit that are connectors: those connected, and recorded ones.
fn shown(s: &Scenario, unit: &str, d: &ModelDescription) -> BTreeSet<String> {
    let maps = s.maps.iter().flat_map(|m| {
        let reaction = m.reaction.iter().flat_map(|r| r.from.iter().chain(&r.to));
        m.from.iter().chain(&m.to).chain(reaction)
    });
    let joints = s.constraints.iter().flat_map(|c| c.outputs().chain(c.inputs()));
    let connected = s.connections.iter().flat_map(|c| [&c.from, &c.to]);
    let ends = connected.chain(s.laws.iter().flat_map(|l| &l.inputs)).chain(maps).chain(joints);
    let is_recorded = |v: &&Variable| {
        let column = format!("{unit}.{}", v.name);
        v.real().is_some() && s.record.variables.iter().any(|(pattern, _)| matches(pattern, &column))
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

fn typed(v: &Variable) -> String {
    match &v.kind {
        Kind::Real(_) if v.unit().is_empty() => "<ssc:Real/>".to_owned(),
        Kind::Real(_) => format!("<ssc:Real unit=\"{}\"/>", escape(v.unit())),
        Kind::Enumeration { .. } => "<ssc:Integer/>".to_owned(),
        _ => format!("<ssc:{}/>", type_name(v).rsplit(' ').next().unwrap_or("Real")),
    }
}

/// A value in the type of its variable.
fn value(setting: &Setting, d: Option<&ModelDescription>) -> String {
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
