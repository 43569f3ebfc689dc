//! *Measures* as they are typed: `NAME=EXPRESSION`, arithmetic on functions of recorded variables, such as
//! `overshoot=max(mass1.x) - last(mass1.x)`, and on the work of the run, `do_steps()` and `time()`.

use std::path::{Path, PathBuf};

/// A function of a run, most of them of a recorded variable.
#[derive(Debug, Clone, PartialEq)]
pub enum Function {
    /// The value at the end.
    Last,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// Mean over time.
    Mean,
    /// Root of the mean square over time.
    Rms,
    /// Integral over time.
    Integral,
    /// Time at which a level is first crossed \[s\].
    Crossing(f64),
    /// Calls of `fmi2DoStep` of all units.
    DoSteps,
    /// Time that the macro steps have taken \[s\].
    Time,
    /// Root mean square of the difference to a column of a CSV file at its times, or the largest absolute value of it.
    Distance {
        /// The largest absolute value.
        is_largest: bool,
        /// The file.
        path: PathBuf,
        /// Its column; `None`: the one called as the variable.
        column: Option<String>,
    },
}

/// A function with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// Which function.
    pub function: Function,
    /// Of which variable, `UNIT.VARIABLE`; `None` where it is of the whole run.
    pub variable: Option<String>,
}

/// Arithmetic on terms, which stand in a list of their own.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// The term of this number.
    Term(usize),
    /// The absolute value.
    Abs(Box<Expression>),
    /// The square root.
    Sqrt(Box<Expression>),
    /// The negative.
    Negative(Box<Expression>),
    /// `+`, `-`, `*` or `/` between two.
    Binary(char, Box<Expression>, Box<Expression>),
}

/// A named expression, and its terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// What its column is called.
    pub name: String,
    /// As typed.
    pub text: String,
    /// What it is.
    pub expression: Expression,
    /// What it is made of.
    pub terms: Vec<Term>,
}

/// Names of all functions, for messages.
const FUNCTIONS: &str = "last(V), min(V), max(V), mean(V), rms(V), integral(V), crossing(V, LEVEL), distance(V, FILE), distance(V, FILE, COLUMN), deviation(V, FILE), deviation(V, FILE, COLUMN), do_steps(), time(), abs(…) or sqrt(…) with V a variable UNIT.VARIABLE";

/// Parentheses inside each other; more are taken for a mistake.
const DEPTH_MAX: usize = 64;

impl Measure {
    /// The files that it compares with.
    pub fn references(&self) -> impl Iterator<Item = &Path> {
        self.terms.iter().filter_map(|term| match &term.function {
            Function::Distance { path, .. } => Some(path.as_path()),
            _ => None,
        })
    }
}

impl std::str::FromStr for Measure {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, expression) = text.split_once('=').ok_or_else(|| "expected NAME=EXPRESSION".to_owned())?;
        let (name, expression) = (name.trim(), expression.trim());
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') && name != "status";
        if !is_name {
            return Err(format!("found the name `{name}`, expected letters, digits and `_`, and not `status`"));
        }
        // In a table, a column of this name would be taken for what is varied.
        if name.parse::<crate::vary::Target>().is_ok() {
            return Err(format!("found the name `{name}`, which is a name of `--vary`; choose another"));
        }
        let mut parser = Parser { text: expression, at: 0, terms: Vec::new(), depth: 0 };
        let parsed = parser.sum()?;
        parser.skip();
        if parser.at < expression.len() {
            return Err(parser.expected("the end, or one of `+ - * /`"));
        }
        if parser.terms.is_empty() {
            return Err(format!("`{expression}` depends on no variable, expected {FUNCTIONS}"));
        }
        Ok(Measure { name: name.to_owned(), text: expression.to_owned(), expression: parsed, terms: parser.terms })
    }
}

impl Expression {
    /// Its value, given that of each term.
    pub fn value(&self, terms: &[f64]) -> f64 {
        match self {
            Expression::Number(x) => *x,
            Expression::Term(i) => terms.get(*i).copied().unwrap_or(f64::NAN),
            Expression::Abs(a) => a.value(terms).abs(),
            Expression::Sqrt(a) => a.value(terms).sqrt(),
            Expression::Negative(a) => -a.value(terms),
            Expression::Binary(sign, a, b) => {
                let (a, b) = (a.value(terms), b.value(terms));
                match sign {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    _ => a / b,
                }
            }
        }
    }
}

/// By recursive descent: a sum of products of factors.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    terms: Vec<Term>,
    depth: usize,
}

impl Parser<'_> {
    fn skip(&mut self) {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
    }

    fn next_of(&mut self, signs: &[char]) -> Option<char> {
        self.skip();
        let found = self.text[self.at..].chars().next().filter(|c| signs.contains(c))?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn expected(&self, what: &str) -> String {
        let rest = &self.text[self.at..];
        let found = if rest.is_empty() { "the end".to_owned() } else { format!("`{rest}`") };
        format!("`{}`: found {found}, expected {what}", self.text)
    }

    fn sum(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("more than {DEPTH_MAX} parentheses inside each other"));
        }
        let mut left = self.product()?;
        while let Some(sign) = self.next_of(&['+', '-']) {
            left = Expression::Binary(sign, Box::new(left), Box::new(self.product()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut left = self.factor()?;
        while let Some(sign) = self.next_of(&['*', '/']) {
            left = Expression::Binary(sign, Box::new(left), Box::new(self.factor()?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Expression, String> {
        let is_negative = self.next_of(&['-']).is_some();
        let plain = self.plain()?;
        Ok(if is_negative { Expression::Negative(Box::new(plain)) } else { plain })
    }

    fn plain(&mut self) -> Result<Expression, String> {
        if self.next_of(&['(']).is_some() {
            return self.closed();
        }
        // A word or a number, up to what cannot be part of one.
        self.skip();
        let rest = &self.text[self.at..];
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number();
        }
        // Only names of functions are words, so that a parenthesis follows.
        let length = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        if !rest[length..].trim_start().starts_with('(') {
            return Err(self.expected(FUNCTIONS));
        }
        // Functions of expressions have one inside; all others have variables and numbers.
        let begin = self.at;
        self.at += length;
        self.next_of(&['(']);
        match name.as_str() {
            "abs" => Ok(Expression::Abs(Box::new(self.closed()?))),
            "sqrt" => Ok(Expression::Sqrt(Box::new(self.closed()?))),
            _ => {
                let arguments = self.arguments()?;
                // A name that is no function is shown from its beginning.
                let Some(term) = term(&name, &arguments)? else {
                    self.at = begin;
                    return Err(self.expected(FUNCTIONS));
                };
                self.terms.push(term);
                Ok(Expression::Term(self.terms.len() - 1))
            }
        }
    }

    fn number(&mut self) -> Result<Expression, String> {
        let rest = &self.text[self.at..];
        // The longest beginning that is a number.
        let ends = (1..=rest.len().min(40)).rev().filter(|n| rest.is_char_boundary(*n));
        let read = ends.into_iter().find_map(|n| rest[..n].parse::<f64>().ok().map(|x| (n, x)));
        let (n, x) = read.filter(|(_, x)| x.is_finite()).ok_or_else(|| self.expected("a finite number"))?;
        self.at += n;
        Ok(Expression::Number(x))
    }

    fn closed(&mut self) -> Result<Expression, String> {
        let inside = self.sum()?;
        self.next_of(&[')']).map(|_| inside).ok_or_else(|| self.expected("`)`"))
    }

    /// What stands between the parentheses, divided at commas that are in no further ones.
    fn arguments(&mut self) -> Result<Vec<String>, String> {
        // Commas and parentheses inside of others, also of indices, belong to their argument.
        let (mut depth, mut out) = (0, vec![String::new()]);
        for (i, c) in self.text[self.at..].char_indices() {
            match c {
                ')' if depth == 0 => {
                    self.at += i + 1;
                    return Ok(out.iter().map(|argument| argument.trim().to_owned()).collect());
                }
                ',' if depth == 0 => {
                    out.push(String::new());
                    continue;
                }
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
            // Anything else belongs to the argument under way.
            if let Some(last) = out.last_mut() {
                last.push(c);
            }
        }
        // The text ends before the parenthesis does.
        self.at = self.text.len();
        Err(self.expected("`)`"))
    }
}

/// A function by its name; `None` where there is none.
fn term(name: &str, arguments: &[String]) -> Result<Option<Term>, String> {
    // The function, by name and number of arguments.
    let function = match (name, arguments) {
        ("last", [_]) => Function::Last,
        ("min", [_]) => Function::Min,
        ("max", [_]) => Function::Max,
        ("mean", [_]) => Function::Mean,
        ("rms", [_]) => Function::Rms,
        ("integral", [_]) => Function::Integral,
        // A level that is crossed is a finite number.
        ("crossing", [_, level]) => {
            let level = level.parse::<f64>().ok().filter(|x| x.is_finite());
            Function::Crossing(level.ok_or_else(|| format!("crossing(…, {}): expected a finite number", arguments[1]))?)
        }
        // Work is that of the whole run, of no variable.
        ("do_steps" | "time", [nothing]) if nothing.is_empty() => {
            let function = if name == "time" { Function::Time } else { Function::DoSteps };
            return Ok(Some(Term { function, variable: None }));
        }
        // A reference is a file, with a column of its own name or another.
        ("distance" | "deviation", [_, path, column @ ..]) if column.len() < 2 => {
            Function::Distance { is_largest: name == "deviation", path: path.into(), column: column.first().cloned() }
        }
        _ => return Ok(None),
    };
    // The variable comes first in all others.
    let variable = arguments[0].clone();
    if !variable.contains('.') {
        return Err(format!("{name}({variable}): expected a variable UNIT.VARIABLE"));
    }
    Ok(Some(Term { function, variable: Some(variable) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_follow_the_rules_of_arithmetic() {
        let measure: Measure = "a=2*max(m.x[1,2]) - -abs(min(m.y)-1e1)/(4 - 2)".parse().expect("a measure");
        let variables: Vec<&str> = measure.terms.iter().filter_map(|t| t.variable.as_deref()).collect();
        assert_eq!(variables, ["m.x[1,2]", "m.y"]);
        assert_eq!(measure.expression.value(&[3.0, 4.0]), 2.0 * 3.0 + 6.0 / 2.0);
        let der: Measure = "a=last(m.der(x))".parse().expect("a measure");
        assert_eq!(der.terms[0].variable.as_deref(), Some("m.der(x)"));
        let work: Measure = "a=1e-3*do_steps()".parse().expect("a measure");
        assert_eq!((work.expression.value(&[5000.0]), &work.terms[0].variable), (5.0, &None));
    }

    #[test]
    fn what_is_no_measure_is_refused() {
        for (text, why) in [
            ("max(m.x)", "NAME=EXPRESSION"),
            ("a b=max(m.x)", "letters, digits"),
            ("a=max(m.x", "`)`"),
            ("a=max(x)", "UNIT.VARIABLE"),
            ("a=peak(m.x)", "expected last(V)"),
            ("a=max(m.x)+", "found the end"),
            ("a=max(m.x) 3", "the end, or one of"),
            ("a=3*4", "depends on no variable"),
            ("a=do_steps(m.x)", "expected last(V)"),
            ("a=deviation(m.x)", "expected last(V)"),
            ("a=crossing(m.x, high)", "finite number"),
            ("status=max(m.x)", "and not `status`"),
            ("step=max(m.x)", "which is a name of `--vary`"),
        ] {
            let error = text.parse::<Measure>().expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
