//! `macrostep check FMU`: the strict rules of FMI 2.0.5, each finding with its rule and section. Errors are what keeps the FMU
//! from running, or makes it run wrongly, in some tool; warnings are the rest.

mod rollback;

use std::path::PathBuf;

use clap::Args;
use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::junit::{Case, Suite, Verdict};
use macrostep_answers::print;
use macrostep_description::rules::{self, Severity};
use macrostep_import::fmu::Fmu;
use macrostep_import::isolation::{Call, during};
use serde_json::{Value as Json, json};

use crate::{embedded, info};
use rollback::Trials;

/// `macrostep check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The FMU: a file, a folder it was unpacked into, or `embedded:NAME` for one of this program's
    #[arg(value_name = "FMU")]
    pub fmu: PathBuf,
    /// Do not load the library: loading runs its initialisers in this process
    #[arg(long)]
    pub no_library: bool,
    /// Test rollback: ten steps, back, the same ten steps again, by its own state functions and by fork, on instances in processes
    /// of their own [default: off]
    #[arg(long, conflicts_with = "no_library")]
    pub rollback: bool,
    /// Also write the rules as tests to this file, in the JUnit format that CI systems read [default: none]
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print one JSON object instead of lines [default: off]
    #[arg(long)]
    pub json: bool,
}

/// The rule that needs the library to be loaded.
const LIBRARY: &str = "library";

/// What breaks a rule, and where.
struct Finding {
    rule: &'static str,
    severity: Severity,
    /// The standard and its section.
    place: (&'static str, &'static str),
    /// The variable it is about.
    variable: Option<String>,
    /// Line of `modelDescription.xml`.
    line: Option<u32>,
    /// A sentence.
    text: String,
}

impl Finding {
    fn severity(&self) -> Severity {
        self.severity
    }

    fn json(&self) -> Json {
        json!({
            "severity": self.severity().to_string(),
            "rule": self.rule,
            "section": self.place.1,
            "variable": self.variable,
            "line": self.line,
            "text": self.text,
        })
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (severity, (standard, section)) = (self.severity(), self.place);
        write!(f, "{severity}: {} (rule `{}`, {standard}, section {section})", self.text, self.rule)
    }
}

/// Prints every finding, first those of the description, then that of the library.
///
/// # Errors
/// [`Failure::Run`] where one is an error, or where the FMU cannot be read at all.
pub fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let file = arguments.fmu.display().to_string();
    let fmu = opened(arguments, &file)?;
    let mut findings = of_description(&fmu);
    // What is known is printed before any code of the FMU runs, which may end this process.
    if !arguments.json {
        findings.iter().try_for_each(print::line)?;
    }
    // Findings of the library, printed apart from those that are there already.
    if !arguments.no_library {
        let known = findings.len();
        findings.extend(of_library(&fmu)?);
        if !arguments.json {
            findings[known..].iter().try_for_each(print::line)?;
        }
    }
    // Going back, by the FMU's own functions and by fork.
    let trials = arguments.rollback.then(|| Trials::of(&fmu)).transpose()?;
    if let Some(trials) = trials.as_ref().filter(|_| !arguments.json) {
        trials.print()?;
    }
    // Counts, and the rules as tests.
    let rules = rules::of(fmu.description()).count();
    let errors = findings.iter().filter(|f| f.severity() == Severity::Error).count();
    let warnings = findings.len() - errors;
    if let Some(path) = &arguments.junit {
        suite((&file, arguments.no_library), &fmu, &findings, trials.as_ref()).write(path)?;
    }
    // One object, or a closing line where nothing is wrong enough to fail; errors are counted in the failure below.
    if arguments.json {
        let mut document = json!({
            "fmu": file,
            "rules": rules,
            "library": !arguments.no_library,
            "errors": errors,
            "warnings": warnings,
            "findings": findings.iter().map(Finding::json).collect::<Vec<_>>(),
        });
        if let Some(trials) = &trials {
            document["rollback"] = trials.json();
        }
        print::line(document)?;
    } else if errors == 0 {
        // Rules that were kept are those that were looked at.
        let (n, not) = match arguments.no_library {
            true => (rules - 1, format!("; `{LIBRARY}` not looked at")),
            false => (rules, String::new()),
        };
        print::line(match warnings {
            0 => format!("`{file}` keeps all {n} rules{not}"),
            _ => format!("`{file}`: no error, {}{not}", print::counted(warnings as u64, "warning")),
        })?;
    }
    // Without errors of rules it can still fail to go back.
    if errors == 0 {
        let failure = trials.and_then(|trials| trials.failure(&file));
        return failure.map_or(Ok(()), |words| Err(Failure::Run(words)));
    }
    let what = format!("{} and {}", print::counted(errors as u64, "error"), print::counted(warnings as u64, "warning"));
    Err(Failure::Run(format!("`{file}` breaks rules: {what}, listed above; `macrostep simulate` may still run it")))
}

/// The FMU. One that cannot be read is an error in the JUnit file too, so that CI systems show why.
fn opened(arguments: &CheckArguments, file: &str) -> Result<Fmu, Failure> {
    // The report never overwrites the FMU.
    let mut files = Files::default();
    files.reads("FMU", &arguments.fmu);
    files.writes_option("--junit", arguments.junit.as_deref());
    files.are_apart()?;
    let opened = info::open(&arguments.fmu, embedded::packed);
    if let (Some(path), Err(failure)) = (&arguments.junit, &opened) {
        Suite::error(format!("macrostep check {file}"), file, failure).write(path)?;
    }
    opened
}

/// The findings as tests: one for each rule, for the library, and for going back where that was tried.
fn suite((file, no_library): (&str, bool), fmu: &Fmu, findings: &[Finding], trials: Option<&Trials>) -> Suite {
    // Every rule is a test, and so is a name of a finding that is none of them.
    let mut names: Vec<&str> = rules::of(fmu.description()).map(|rule| rule.name).collect();
    for finding in findings {
        if !names.contains(&finding.rule) {
            names.push(finding.rule);
        }
    }
    // Errors of a rule fail its test; warnings only remark on it.
    let case = |name: &str| {
        let of = |severity: Severity| {
            let found = findings.iter().filter(move |f| f.rule == name && f.severity() == severity);
            let lines: Vec<String> = found.map(ToString::to_string).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        };
        let verdict = match of(Severity::Error) {
            Some(said) => Verdict::Failed(said),
            None if no_library && name == LIBRARY => Verdict::Skipped("`--no-library` does not load it".to_owned()),
            None => Verdict::Passed,
        };
        Case { name: name.to_owned(), class: file.to_owned(), remark: of(Severity::Warning), verdict }
    };
    // Going back is the last test, where it was tried.
    let mut cases: Vec<Case> = names.into_iter().map(case).collect();
    cases.extend(trials.map(|trials| {
        let verdict = trials.failure(file).map_or(Verdict::Passed, Verdict::Failed);
        Case { name: "rollback".to_owned(), class: file.to_owned(), remark: None, verdict }
    }));
    Suite { name: format!("macrostep check {file}"), cases }
}

/// The standard that an FMU follows, and the section of a rule there.
fn place(rule: &str, fmu: &Fmu) -> (&'static str, &'static str) {
    rules::rule(rule).map_or(("FMI", "2"), |rule| rule.place(fmu.description()))
}

/// What the archive and the description break, read and judged without the library.
fn of_description(fmu: &Fmu) -> Vec<Finding> {
    let weight = |name: &str| rules::rule(name).map_or(Severity::Error, |rule| rule.weight(fmu.description()));
    let place = |name: &str| place(name, fmu);
    let put_up_with = fmu.warnings().iter().map(|w| Finding {
        rule: w.rule,
        severity: weight(w.rule),
        place: place(w.rule),
        variable: None,
        line: (w.line > 0).then_some(w.line),
        text: w.to_string(),
    });
    let variables = &fmu.description().variables;
    let broken = rules::check(fmu.description()).into_iter().map(|v| Finding {
        rule: v.rule,
        severity: weight(v.rule),
        place: (v.standard, v.section),
        variable: v.variable.and_then(|at| variables.get(at)).map(|v| v.name.clone()),
        line: None,
        text: format!("{}: found {}, expected {}", v.subject, v.found, v.expected),
    });
    put_up_with.chain(broken).collect()
}

/// Loads the library of each face; that it cannot be loaded is a finding like others.
fn of_library(fmu: &Fmu) -> Result<Vec<Finding>, Failure> {
    print::keep()?;
    let advice = "its library does this when it is loaded; `--no-library` does not load it";
    let mut texts = Vec::new();
    for face in fmu.faces() {
        let fmu = fmu.clone().by_face(Some(face)).map_err(Failure::run)?;
        texts.extend(match during(fmu.name(), Call::Library, advice, || fmu.load()) {
            Ok(strange) => strange,
            Err(e) => vec![format!("{}; `--no-library` does not load it", e.fault)],
        });
    }
    // Both faces of one library say the same.
    texts.dedup();
    let severity = rules::rule(LIBRARY).map_or(Severity::Error, |rule| rule.severity);
    let place = place(LIBRARY, fmu);
    let finding = |text| Finding { rule: LIBRARY, severity, place, variable: None, line: None, text };
    Ok(texts.into_iter().map(finding).collect())
}
