//! The rules of FMI 2.0.5 and of FMI 3.0.2 for a description.
//!
//! Every rule has a name, the section it comes from, a weight and a function that finds what breaks it. All take time linear in
//! the size of the description. What can only go wrong in the file's form, the reader refuses (feature `xml`).

mod combination;
mod header;
mod names;
mod start;
mod structure;
mod types;
mod variables;

pub use combination::{Combination, combination, default_initial};

use crate::{ModelDescription, shown};

/// Characters of what is said of a violation.
const TEXT_MAX: usize = 240;

/// A rule of the standard.
#[derive(Debug)]
pub struct Rule {
    /// A short name, for messages and for leaving it out.
    pub name: &'static str,
    /// Section of FMI 2.0.5; empty where it has no such rule.
    pub section: &'static str,
    /// The same of FMI 3.0.2.
    pub section_3: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// What it demands, in a sentence.
    pub text: &'static str,
    /// What comes of breaking it.
    pub why: &'static str,
    /// Finds what breaks it.
    find: fn(&ModelDescription, &mut Findings<'_>),
}

/// How much a rule weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The FMU runs everywhere all the same.
    Warning,
    /// The FMU will not run, or runs wrongly, in some tool.
    Error,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// A place where a rule is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// [`Rule::name`].
    pub rule: &'static str,
    /// Section of [`Violation::standard`].
    pub section: &'static str,
    /// "FMI 2.0.5" or "FMI 3.0.2".
    pub standard: &'static str,
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
        let Violation { rule, section, standard, subject, found, expected, .. } = self;
        write!(f, "{subject}: found {found}, expected {expected} (rule `{rule}`, {standard}, section {section})")
    }
}

/// The rules of the standard that a description follows.
pub fn of(description: &ModelDescription) -> impl Iterator<Item = &'static Rule> {
    ALL.iter().filter(|rule| !rule.place(description).1.is_empty())
}

/// All violations of all rules, in the order of [`ALL`].
pub fn check(description: &ModelDescription) -> Vec<Violation> {
    let mut violations = Vec::new();
    for rule in of(description) {
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
        let subject = format!("variable `{}`", shown::text(name));
        self.push(Some(at), subject, found.into(), expected.into());
    }

    fn push(&mut self, variable: Option<usize>, subject: String, found: String, expected: String) {
        let (standard, section) = self.rule.place(self.description);
        // Texts of the file may be of any length.
        let [subject, found, expected] =
            [subject, found, expected].map(|text| shown::cut(&text, TEXT_MAX).into_owned());
        self.violations.push(Violation { rule: self.rule.name, section, standard, variable, subject, found, expected });
    }
}

/// Rules that these tools are known to break with FMUs that run everywhere all the same.
const TOLERATED: [(&str, &[&str]); 1] = [("aliases", &["Dymola", "OpenModelica", "JModelica", "OPTIMICA"])];

impl Rule {
    /// The standard that a description follows, and the rule's section there.
    pub fn place(&self, description: &ModelDescription) -> (&'static str, &'static str) {
        if description.fmi3.is_some() { ("FMI 3.0.2", self.section_3) } else { ("FMI 2.0.5", self.section) }
    }

    /// How much it weighs in a description: breaking it is a warning where the tool in the header is known for it.
    pub fn weight(&self, description: &ModelDescription) -> Severity {
        let tool = description.generation_tool.as_deref().unwrap_or_default().to_lowercase();
        let tools = TOLERATED.iter().filter(|(name, _)| *name == self.name).flat_map(|(_, tools)| *tools);
        let is_known = tools.into_iter().any(|known| tool.contains(&known.to_lowercase()));
        if is_known { Severity::Warning } else { self.severity }
    }
}

/// The rule of this name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    ALL.iter().find(|rule| rule.name == name)
}

/// For rules that are found broken elsewhere: by whoever reads the archive, the file or the library.
fn elsewhere(_: &ModelDescription, _: &mut Findings<'_>) {}

macro_rules! rules {
    ($($name:literal, $section:literal, $section_3:literal, $severity:ident, $find:path: $text:literal, $why:literal;)*) => {
        /// All rules.
        pub const ALL: &[Rule] =
            &[$(Rule {
                name: $name, section: $section, section_3: $section_3, severity: Severity::$severity, text: $text, why: $why, find: $find,
            }),*];
    };
}

rules! {
    "archive", "2.3", "2.5.1", Warning, elsewhere: "paths in the archive have forward slashes and no part `.`",
        "Tools on other systems do not find the files.";
    "form", "2.2", "2.4", Error, elsewhere: "the file follows the schema",
        "Tools that validate the file refuse it, FMPy by default.";
    "fmi-version", "2.2.1", "2.4.1", Error, header::fmi_version: "`fmiVersion` is 2.0 or 3.0",
        "Tools take it for another version, or refuse it.";
    "model-name", "2.2.1", "2.4.1", Warning, header::model_name: "a model has a name",
        "No tool needs it; users cannot see which model it is.";
    "guid", "2.2.1", "2.4.1", Warning, header::guid: "the GUID is given",
        "A tool cannot see that library and description belong together.";
    "generation-date", "2.2.1", "2.4.1", Error, header::generation_date: "`generationDateAndTime` is an `xs:dateTime`",
        "Tools that validate the file refuse it, FMPy by default.";
    "characters", "2.2", "2.4", Error, names::characters: "texts hold only characters XML can hold",
        "The file cannot be read.";
    "faces", "2.2.1", "2.4", Error, header::faces: "there is a `CoSimulation` or a `ModelExchange` element",
        "No tool can run the FMU.";
    "model-identifier", "4.3.1", "2.4.2", Warning, header::model_identifier: "the model identifier is a C identifier",
        "The library is found, but source code would not compile.";
    "source-files", "4.3.1", "", Warning, elsewhere: "source files are listed once",
        "No effect where the library is used.";
    "capabilities", "4.3.1", "2.4.2", Error, header::capabilities: "a face that serialises states can get and set them",
        "A tool relies on it and calls functions that do not exist.";
    "log-categories", "2.2.4", "2.4.5", Warning, header::log_categories: "log categories have unique names",
        "Categories are switched on by name, so both are switched on together.";
    "default-experiment", "2.2.5", "2.4.6", Error, header::default_experiment: "times, step and tolerance can be used",
        "A tool that uses them divides by 0, never ends or refuses the FMU.";
    "units", "2.2.2", "2.4.3", Error, types::units: "units are defined once, with finite factors other than 0",
        "Values are converted by another factor, or not at all.";
    "unit-references", "2.2.2", "2.4.3", Error, types::unit_references: "units and display units named by variables and types are defined",
        "Importers refuse the file, FMPy by default; others convert nothing.";
    "types", "2.2.3", "2.4.4", Error, types::definitions: "types have unique names, and items of enumerations unique names and values",
        "Tools differ in which of the two they use.";
    "declared-types", "2.2.7", "2.4.7.4", Error, types::declared: "declared types exist and are of the variable's type; enumerations have one",
        "Units, bounds and items are lost, or the file is refused.";
    "variables-exist", "2.2.7", "2.4.7", Error, variables::exist: "there is a variable",
        "Tools that validate the file refuse it, FMPy by default.";
    "unique-names", "2.2.7", "2.4.7", Error, names::unique: "variables have unique names",
        "Tools differ in which of the two they use.";
    "names", "2.2.9", "2.4.7.5.1", Warning, names::convention: "names follow the naming convention",
        "Tools that show names as a tree show a wrong tree.";
    "aliases", "2.2.7", "", Error, variables::aliases: "variables of one type and value reference agree, and one of them has a start",
        "One value has two units of measurement, or is set twice; the last value wins.";
    "combination", "2.2.7", "2.4.7.4", Error, variables::legal_combination: "causality and variability go together",
        "Importers refuse the file, FMPy by default.";
    "continuous", "2.2.7", "2.4.7.4", Error, variables::continuous: "only a Real is continuous",
        "Importers refuse the file, FMPy by default.";
    "initial", "2.2.7", "2.4.7.4", Error, variables::initial: "`initial` is one the combination allows",
        "Importers refuse the file, FMPy by default.";
    "independent", "2.2.7", "2.4.7.4", Error, variables::independent: "at most one variable is independent, and it is a Real",
        "Time is set through the wrong variable.";
    "derivative-of", "2.2.7", "2.4.7.5", Warning, variables::derivative_of: "`derivative` names a continuous Real; `reinit` is for model exchange",
        "A co-simulation master does not use states.";
    "intermediate-update", "", "4.2.2", Warning, variables::intermediate: "`intermediateUpdate` is given for continuous inputs and outputs, where the FMU provides it (FMI 3.0)",
        "It has no effect on other variables.";
    "terminals", "", "2.4.9", Warning, variables::terminals: "terminals have unique names, and their members are variables",
        "Tools that connect by terminals do not connect these.";
    "multiple-set", "2.2.7", "2.4.7.4", Warning, variables::multiple_set: "`canHandleMultipleSetPerTimeInstant` is given for inputs only",
        "It has no effect on other variables.";
    "start-given", "2.2.7", "2.4.7.4", Error, start::given: "a variable has a start value exactly if `initial` is exact or approx, or if it is an input",
        "Importers refuse the file, FMPy by default; others set a value that is calculated.";
    "start-type", "2.2.7", "2.4.7.4", Error, start::typed: "a start value is of the variable's type and finite",
        "Tools differ in the value that they set.";
    "start-range", "2.2.7", "2.4.7.5", Warning, start::range: "min ≤ start ≤ max, and nominal is not 0",
        "Few tools check bounds.";
    "outputs", "2.2.8", "2.4.8", Error, structure::outputs: "`Outputs` lists every output once and nothing else",
        "Tools that take the outputs from it lose some.";
    "derivatives", "2.2.8", "2.4.8", Warning, structure::derivatives: "`Derivatives` lists variables with `derivative`, each once",
        "A co-simulation master does not use states.";
    "states", "2.2.8", "2.4.8", Error, structure::states_of_exchange: "with model exchange, each state is a continuous output or local variable, has one derivative that `Derivatives` lists, and it alone may have `reinit`",
        "Importers integrate other states than the library has.";
    "initial-unknowns", "2.2.8", "2.4.8", Warning, structure::initial_unknowns: "`InitialUnknowns` is the exact set, ascending",
        "Only masters that solve loops during initialisation use it.";
    "dependencies", "2.2.8", "", Warning, structure::dependencies: "dependencies are knowns, each once, ascending, of kinds that fit",
        "With a wrong one a master looks for a loop that does not exist.";
    "library", "2.3", "2.5.1.4", Error, elsewhere: "the library can be loaded here, has all functions and is of the FMI version that the description names",
        "The FMU does not run on this machine, or a tool refuses it.";
}
