//! What FMI 2.0.5 demands of a description, rule by rule.
//!
//! Every rule has a name, the section it comes from and a function that finds what breaks it. All take time linear in
//! the size of the description. What can only go wrong in the file's form, the reader refuses (feature `xml`).

mod combination;
mod header;
mod names;
mod start;
mod structure;
mod types;
mod variables;

pub use combination::{Combination, combination, default_initial};

use crate::ModelDescription;

/// A rule of the standard.
#[derive(Debug)]
pub struct Rule {
    /// A short name, for messages and for leaving it out.
    pub name: &'static str,
    /// Section of FMI 2.0.5.
    pub section: &'static str,
    /// What it demands, in a sentence.
    pub text: &'static str,
    /// Finds what breaks it.
    find: fn(&ModelDescription, &mut Findings<'_>),
}

/// A place where a rule is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// [`Rule::name`].
    pub rule: &'static str,
    /// [`Rule::section`].
    pub section: &'static str,
    /// Position of the variable it is about, if it is about one.
    pub variable: Option<usize>,
    /// What it is about: "variable `x`", "unit `m`".
    pub subject: String,
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Violation { rule, section, subject, found, expected, .. } = self;
        write!(f, "{subject}: found {found}, expected {expected} (rule `{rule}`, FMI 2.0.5, section {section})")
    }
}

/// All violations of all rules, in the order of [`ALL`].
pub fn check(description: &ModelDescription) -> Vec<Violation> {
    let mut violations = Vec::new();
    for rule in ALL {
        (rule.find)(description, &mut Findings { rule, description, violations: &mut violations });
    }
    violations
}

/// Where a rule reports.
struct Findings<'a> {
    rule: &'static Rule,
    description: &'a ModelDescription,
    violations: &'a mut Vec<Violation>,
}

impl Findings<'_> {
    fn add(&mut self, subject: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) {
        self.push(None, subject.into(), found.into(), expected.into());
    }

    fn variable(&mut self, at: usize, found: impl Into<String>, expected: impl Into<String>) {
        let name = self.description.variables.get(at).map_or("?", |v| v.name.as_str());
        self.push(Some(at), format!("variable `{name}`"), found.into(), expected.into());
    }

    fn push(&mut self, variable: Option<usize>, subject: String, found: String, expected: String) {
        let Rule { name, section, .. } = *self.rule;
        self.violations.push(Violation { rule: name, section, variable, subject, found, expected });
    }
}

macro_rules! rules {
    ($($name:literal, $section:literal, $find:path: $text:literal;)*) => {
        /// All rules.
        pub const ALL: &[Rule] = &[$(Rule { name: $name, section: $section, text: $text, find: $find }),*];
    };
}

rules! {
    "fmi-version", "2.2.1", header::fmi_version: "`fmiVersion` is 2.0";
    "model-name", "2.2.1", header::model_name: "a model has a name";
    "guid", "2.2.1", header::guid: "the GUID is given";
    "characters", "2.2", names::characters: "texts hold only characters XML can hold";
    "co-simulation", "4.3.1", header::co_simulation: "there is a `CoSimulation` element";
    "model-identifier", "4.3.1", header::model_identifier: "the model identifier is a C identifier";
    "capabilities", "4.3.1", header::capabilities: "an FMU that serialises states can get and set them";
    "log-categories", "2.2.4", header::log_categories: "log categories have unique names";
    "default-experiment", "2.2.5", header::default_experiment: "times, step and tolerance are finite and in order";
    "units", "2.2.2", types::units: "units are defined once, with finite factors other than 0";
    "unit-references", "2.2.2", types::unit_references: "units and display units named by variables and types are defined";
    "types", "2.2.3", types::definitions: "types have unique names, and items of enumerations unique names and values";
    "declared-types", "2.2.7", types::declared: "declared types exist and are of the variable's type; enumerations have one";
    "variables-exist", "2.2.7", variables::exist: "there is a variable";
    "unique-names", "2.2.7", names::unique: "variables have unique names";
    "names", "2.2.9", names::convention: "names follow the naming convention";
    "aliases", "2.2.7", variables::aliases: "variables of one type and value reference agree, and one of them has a start";
    "combination", "2.2.7", variables::legal_combination: "causality and variability go together";
    "continuous", "2.2.7", variables::continuous: "only a Real is continuous";
    "initial", "2.2.7", variables::initial: "`initial` is one the combination allows";
    "independent", "2.2.7", variables::independent: "at most one variable is independent, and it is a Real";
    "derivative-of", "2.2.7", variables::derivative_of: "`derivative` names a continuous Real; `reinit` is for model exchange";
    "multiple-set", "2.2.7", variables::multiple_set: "`canHandleMultipleSetPerTimeInstant` stands at inputs only";
    "start-given", "2.2.7", start::given: "a start value stands exactly where `initial` is exact or approx, or at an input";
    "start-type", "2.2.7", start::typed: "a start value is of the variable's type and finite";
    "start-range", "2.2.7", start::range: "min ≤ start ≤ max, and nominal is not 0";
    "outputs", "2.2.8", structure::outputs: "`Outputs` lists every output once and nothing else";
    "derivatives", "2.2.8", structure::derivatives: "`Derivatives` lists variables with `derivative`, each once";
    "initial-unknowns", "2.2.8", structure::initial_unknowns: "`InitialUnknowns` is the exact set, ascending";
    "dependencies", "2.2.8", structure::dependencies: "dependencies are knowns, each once, ascending, of kinds that fit";
}
