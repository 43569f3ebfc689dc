//! From a [`Scenario`] to TOML that reads back to the same.

mod law;
mod solution;

use crate::scenario::{
    Bond, Constraint, Endpoint, Event, Gain, InterfaceModel, Joint, JointEnd, Map, Scenario, Setting, StateEvent, Value,
};
use crate::words::{Control, Direction};
use std::fmt::Write;

/// The scenario as a file. Everything is said, defaults included.
pub fn write(scenario: &Scenario) -> String {
    // Where an option has gone before the file, one of two values is left.
    let scenario = &scenario.settled();
    // What is run: times, method, units and their values.
    let mut text = Text(String::new());
    text.header(scenario);
    text.coupling(scenario);
    text.units(scenario);
    for set in &scenario.sets {
        // A parameter set names the unit of each value.
        text.line(format_args!("\n[parameters.{}]", key(&set.name)));
        for (unit, s) in &set.settings {
            text.line(format_args!("{} = {}", basic(&format!("{unit}.{}", s.variable)), assigned(s)));
        }
    }
    // What couples them: connections, laws, maps and bonds.
    text.connections(scenario);
    scenario.laws.iter().for_each(|law| text.law(law));
    for map in &scenario.maps {
        text.map(map);
    }
    for bond in &scenario.bonds {
        text.bond(bond);
    }
    // What happens on the way, and what was before.
    text.inputs(scenario);
    text.timed("events", &scenario.events);
    scenario.state_events.iter().for_each(|event| text.state_event(event));
    text.timed("history", &scenario.history);
    // Interface models and joints, and what is recorded.
    for model in &scenario.interface_models {
        text.interface_model(model);
    }
    for constraint in &scenario.constraints {
        text.constraint(constraint);
    }
    let variables: Vec<String> = scenario.record.variables.iter().map(|(v, _)| v.clone()).collect();
    text.line(format_args!("\n[record]\nvariables = {}\nevery = {}", list(&variables), scenario.record.every.max(1)));
    text.0
}

/// Power bonds alone, as they stand in a file.
pub fn bonds(bonds: &[Bond]) -> String {
    let mut text = Text(String::new());
    bonds.iter().for_each(|bond| text.bond(bond));
    text.0
}

struct Text(String);

impl Text {
    fn line(&mut self, what: std::fmt::Arguments) {
        let written = self.0.write_fmt(what);
        debug_assert!(written.is_ok(), "writing to a string");
        self.0.push('\n');
    }

    fn header(&mut self, s: &Scenario) {
        self.line(format_args!("name = {}", basic(&s.name)));
        if !s.description.is_empty() {
            self.line(format_args!("description = {}", basic(&s.description)));
        }
        if s.bonds_are_all && s.bonds.is_empty() {
            self.line(format_args!("bonds = []"));
        }
        let e = &s.experiment;
        self.line(format_args!("\n[experiment]\nstart = {:?}", e.start_s));
        for (name, number) in
            [("stop", e.stop_s), ("step", e.step_s), ("solver_tolerance", e.solver_tolerance), ("error", e.error)]
        {
            if let Some(number) = number {
                self.line(format_args!("{name} = {number:?}"));
            }
        }
        if e.expect_growth {
            self.line(format_args!("expect_growth = true"));
        }
        if !s.applied.is_empty() {
            self.line(format_args!("parameters = {}", list(&s.applied)));
        }
    }

    fn coupling(&mut self, s: &Scenario) {
        let c = &s.coupling;
        // A named method has its own schedule, prediction and correction.
        match c.method {
            Some(method) => self.line(format_args!("\n[coupling]\nmethod = \"{method}\"")),
            None => self.line(format_args!("\n[coupling]\nschedule = \"{}\"", c.schedule)),
        }
        // Order, prediction and correction.
        if !c.order.is_empty() {
            self.line(format_args!("order = {}", list(&c.order)));
        }
        if c.method.is_none() {
            self.line(format_args!("predict = \"{}\"\ncorrect = \"{}\"", c.predict, c.correct));
        }
        // Variants, and the limits of corrections.
        self.line(format_args!("gs_variant = \"{}\"\nderivative = \"{}\"", c.gs_variant, c.derivative));
        if let Some(tolerance) = c.corrector_tolerance {
            self.line(format_args!("corrector_tolerance = {tolerance:?}"));
        }
        if let Some(most) = c.corrections_max {
            self.line(format_args!("corrections_max = {most}"));
        }
        // Sampling, energy, and how steps are chosen.
        self.line(format_args!("sampling = \"{}\"\nsub_steps = {}", c.sampling, c.sub_steps.max(1)));
        self.line(format_args!("energy = \"{}\"", c.energy));
        let control = &c.control;
        let mut parts = vec![format!("kind = \"{}\"", control.kind)];
        if control.kind != Control::Fixed {
            parts.push(format!("tolerance = {:?}", control.tolerance));
        }
        let steps = [("step_min", control.step_min_s), ("step_max", control.step_max_s)];
        parts.extend(steps.iter().filter_map(|(key, step_s)| step_s.map(|step_s| format!("{key} = {step_s:?}"))));
        self.line(format_args!("control = {{ {} }}", parts.join(", ")));
    }

    fn units(&mut self, s: &Scenario) {
        // A table for each unit, without what is as usual.
        for unit in &s.units {
            self.line(format_args!("\n[units.{}]\nfmu = {}", key(&unit.name), basic(&unit.source.to_string())));
            if unit.share != (1, 1) {
                self.line(format_args!("step = \"{}/{}\"", unit.share.0, unit.share.1));
            }
            let python = unit.source.python().map(|interpreter| interpreter.display().to_string());
            let face = unit.source.face().map(|face| face.word().to_owned());
            for (key, text) in [("step_parameter", &unit.step_parameter), ("python", &python), ("face", &face)] {
                text.iter().for_each(|text| self.line(format_args!("{key} = {}", basic(text))));
            }
            if let Some(tolerance) = unit.solver_tolerance {
                self.line(format_args!("solver_tolerance = {tolerance:?}"));
            }
            if !unit.motions.is_empty() {
                let motions: Vec<String> = unit.motions.iter().map(|m| list(m)).collect();
                self.line(format_args!("motions = [{}]", motions.join(", ")));
            }
            // Start values are a table of their own.
            if !unit.settings.is_empty() {
                self.line(format_args!("[units.{}.set]", key(&unit.name)));
                for setting in &unit.settings {
                    self.line(format_args!("{} = {}", key(&setting.variable), assigned(setting)));
                }
            }
        }
    }

    fn connections(&mut self, s: &Scenario) {
        if s.connections.is_empty() {
            return;
        }
        self.line(format_args!("\n[connections]"));
        // Each connection in the shortest form that reads back to the same.
        for c in &s.connections {
            let (to, from) = (basic(&c.to.to_string()), basic(&c.from.to_string()));
            let law = c.law.as_ref().map(|name| format!(", law = {}", basic(name))).unwrap_or_default();
            // All stand behind the numbers; no connection has more than one of them.
            let law = if c.rounds { format!(", round = true{law}") } else { law };
            let law = if c.is_held { format!(", hold = true{law}") } else { law };
            let (factor, offset, converts) = (c.factor, c.offset, c.converts);
            // A mean has no factor, no table and no law.
            if c.is_mean {
                self.line(format_args!("{to} = {{ from = {from}, mean = true, convert_units = {converts} }}"));
            } else if !c.table.is_empty() {
                let lines: Vec<String> = c.table.iter().map(|(a, b)| format!("[{}, {}]", value(a), value(b))).collect();
                let lines = lines.join(", ");
                self.line(format_args!(
                    "{to} = {{ from = {from}, factor = {factor:?}, offset = {offset:?}, convert_units = {converts}, table = [{lines}]{law} }}"
                ));
            } else if factor == 1.0 && offset == 0.0 && converts {
                let plain = if law.is_empty() { from } else { format!("{{ from = {from}{law} }}") };
                self.line(format_args!("{to} = {plain}"));
            } else {
                self.line(format_args!(
                    "{to} = {{ from = {from}, factor = {factor:?}, offset = {offset:?}, convert_units = {converts}{law} }}"
                ));
            }
        }
    }

    fn map(&mut self, map: &Map) {
        self.line(format_args!(
            "\n[[maps]]\nfrom = {}\nto = {}\nmatrix = {:?}",
            endpoints(&map.from),
            endpoints(&map.to),
            map.matrix
        ));
        if let Some(r) = &map.reaction {
            self.line(format_args!("reaction = {{ from = {}, to = {} }}", endpoints(&r.from), endpoints(&r.to)));
        }
    }

    fn timed(&mut self, key: &str, events: &[Event]) {
        for event in events {
            let set = event.settings.iter();
            let set = set.map(|(unit, s)| format!("{} = {}", basic(&format!("{unit}.{}", s.variable)), assigned(s)));
            let set = set.collect::<Vec<_>>().join(", ");
            self.line(format_args!("\n[[{key}]]\nat = {:?}\nset = {{ {set} }}", event.at_s));
        }
    }

    fn state_event(&mut self, event: &StateEvent) {
        // What crosses zero.
        self.line(format_args!("\n[[events]]\nwhen = {}", basic(&event.of.to_string())));
        if let Some(minus) = &event.minus {
            self.line(format_args!("minus = {}", basic(&minus.to_string())));
        }
        if event.threshold != 0.0 {
            self.line(format_args!("threshold = {:?}", event.threshold));
        }
        if event.direction != Direction::default() {
            self.line(format_args!("direction = \"{}\"", event.direction));
        }
        if event.one_sided {
            self.line(format_args!("one_sided = true"));
        }
        // What is set, and how often that may be.
        let settings = event.settings.iter();
        let settings = settings.map(|(unit, s)| (format!("{unit}.{}", s.variable), assigned(s)));
        let taken = event.taken.iter().map(|t| {
            let (from, factor, offset) = (basic(&t.from.to_string()), t.factor, t.offset);
            (t.to.to_string(), format!("{{ from = {from}, factor = {factor:?}, offset = {offset:?} }}"))
        });
        let set: Vec<String> = settings.chain(taken).map(|(to, value)| format!("{} = {value}", basic(&to))).collect();
        self.line(format_args!("set = {{ {} }}\nmax = {}", set.join(", "), event.most));
        if let Some(span_s) = event.span_s {
            self.line(format_args!("span = {span_s:?}"));
        }
    }

    fn interface_model(&mut self, m: &InterfaceModel) {
        // The outputs it is made of.
        self.line(format_args!("\n[[interface_models]]"));
        let lists = [
            ("force", &m.force),
            ("speed", &m.speed),
            ("position", &m.position),
            ("mobility", &m.mobility),
            ("bias", &m.bias),
        ];
        for (name, ends) in lists {
            self.line(format_args!("{name} = {}", endpoints(ends)));
        }
        // The inputs it feeds, and how it repeats steps.
        let (speed, position) = (endpoints(&m.to_speed), endpoints(&m.to_position));
        self.line(format_args!("to = {{ speed = {speed}, position = {position} }}"));
        for (name, ends) in [("predicted", &m.predicted), ("arrived", &m.arrived)] {
            if !ends.is_empty() {
                self.line(format_args!("{name} = {}", endpoints(ends)));
            }
        }
        if m.repeat > 0 {
            self.line(format_args!("repeat = {}", m.repeat));
        }
    }

    fn constraint(&mut self, c: &Constraint) {
        let (name, kind, force) = (basic(&c.name), c.kind.word(), c.force.word());
        self.line(format_args!("\n[[constraints]]\nname = {name}\nkind = \"{kind}\"\nforce = \"{force}\""));
        match &c.kind {
            Joint::Distance { length } => self.line(format_args!("length = {length:?}")),
            Joint::Rigid { offset } | Joint::Equal { offset } if !offset.is_empty() => {
                self.line(format_args!("offset = {offset:?}"));
            }
            _ => {}
        }
        if let Some(gap_max) = c.gap_max {
            self.line(format_args!("gap_max = {gap_max:?}"));
        }
        for (which, end) in ["first", "second"].into_iter().zip(&c.ends) {
            match end {
                JointEnd::Fixed(values) => self.line(format_args!("{which} = {{ fixed = {values:?} }}")),
                JointEnd::Free { position, velocity, force } => {
                    let [position, velocity, force] = [position, velocity, force].map(|ends| endpoints(ends));
                    self.line(format_args!(
                        "{which} = {{ position = {position}, velocity = {velocity}, force = {force} }}"
                    ));
                }
            }
        }
    }

    fn bond(&mut self, bond: &Bond) {
        self.line(format_args!("\n[[bonds]]\nname = {}\nports = [", basic(&bond.name)));
        for port in &bond.ports {
            let inputs: Vec<String> = port.inputs.iter().map(|(i, g)| format!("{} = {}", key(i), gain(g))).collect();
            let (flow, inputs) = (basic(&port.flow.to_string()), inputs.join(", "));
            self.line(format_args!("    {{ flow = {flow}, inputs = {{ {inputs} }} }},"));
        }
        self.line(format_args!("]"));
    }
}

/// A number, or the name of a parameter.
fn gain(gain: &Gain) -> String {
    match gain {
        Gain::Number(x) => value(&Value::Real(*x)),
        Gain::Parameter { .. } => basic(&gain.to_string()),
    }
}

/// A key, quoted where it must be.
pub fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_owned() } else { basic(name) }
}

/// A basic string, on one line.
fn basic(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|t| basic(t)).collect();
    format!("[{}]", texts.join(", "))
}

fn endpoints(ends: &[Endpoint]) -> String {
    list(&ends.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// A start value, with its unit where it is a number in another than the variable's own.
fn assigned(setting: &Setting) -> String {
    match (&setting.unit, &setting.value) {
        (Some(unit), v @ (Value::Real(_) | Value::Integer(_))) => {
            let base = setting.base.map(|base| {
                let parts: Vec<String> = base.parts().map(|(key, number)| format!("{key} = {number:?}")).collect();
                format!(", base = {{ {} }}", parts.join(", "))
            });
            format!("{{ value = {}, unit = {}{} }}", value(v), basic(unit), base.unwrap_or_default())
        }
        (_, v) => value(v),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Real(x) if x.is_nan() => "nan".to_owned(),
        Value::Real(x) => format!("{x:?}"),
        Value::Integer(i) => i.to_string(),
        Value::Boolean(b) => b.to_string(),
        Value::Text(t) => basic(t),
    }
}
