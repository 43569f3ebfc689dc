//! Values of any type from text, and the words for them.

use macrostep_description::{Kind, ModelDescription, Value, Variable, shown};
use macrostep_import::fmu::plain;
use macrostep_system::near::nearest;

/// A text from outside, as a message shows it: its first letters where it is long, and no control characters.
pub fn cut(text: &str) -> String {
    plain(&shown::text(text))
}

/// "Real", "Integer", …
pub fn type_name(variable: &Variable) -> &'static str {
    kind_name(&variable.kind)
}

/// The same of a type.
pub fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Real(_) => "Real",
        Kind::Integer { .. } => "Integer",
        Kind::Boolean => "Boolean",
        Kind::String => "String",
        Kind::Enumeration { .. } => "Enumeration",
    }
}

/// A variant's name as the standard writes it.
pub fn word(variant: impl std::fmt::Debug) -> String {
    let mut text = format!("{variant:?}");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

/// The variable of a name.
///
/// # Errors
/// A sentence with names that come near.
pub fn find<'a>(description: &'a ModelDescription, name: &str) -> Result<&'a Variable, String> {
    description.variable(name).ok_or_else(|| format!("no variable `{}`; {}", cut(name), near(description, name)))
}

/// Names that come near.
pub fn near(description: &ModelDescription, name: &str) -> String {
    let nearest = nearest(name, description.variables.iter().map(|v| v.name.as_str()));
    let names: Vec<String> = nearest.into_iter().map(cut).collect();
    if names.is_empty() { "there is none at all".to_owned() } else { format!("nearest are `{}`", names.join("`, `")) }
}

/// A value of the variable's type; of an enumeration also the name of an item.
///
/// # Errors
/// What was found and what is expected.
pub fn parse(description: &ModelDescription, variable: &Variable, text: &str) -> Result<Value, String> {
    // Blanks around a number or word mean nothing; those of a text belong to it.
    let text = if matches!(variable.kind, Kind::String) { text } else { text.trim() };
    // Messages name the variable, and cut long texts.
    let bad = |expected: &str| format!("`{}` is `{}`, expected {expected}", cut(&variable.name), cut(text));
    // Numbers within their type, words of a Boolean, and any text.
    match &variable.kind {
        Kind::Real(_) => match text.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(Value::Real(x)),
            _ => Err(bad("a finite number")),
        },
        Kind::Integer { .. } => text.parse().map(Value::Integer).map_err(|_| bad("a whole number of 32 bits")),
        Kind::Boolean => match text {
            "true" | "1" => Ok(Value::Boolean(true)),
            "false" | "0" => Ok(Value::Boolean(false)),
            _ => Err(bad("true, false, 1 or 0")),
        },
        Kind::String => Ok(Value::String(text.to_owned())),
        // The name of an item, or its number; any number where no items are declared.
        Kind::Enumeration { .. } => {
            let items = items(description, variable);
            let is_one = |number: &i32| items.is_empty() || items.iter().any(|i| i.1 == *number);
            let named = items.iter().find(|i| i.0 == text).map(|i| i.1);
            named.or_else(|| text.parse().ok().filter(is_one)).map(Value::Integer).ok_or_else(|| {
                let names: Vec<String> = items.iter().map(|(name, number)| format!("`{name}` ({number})")).collect();
                if names.is_empty() {
                    bad("the number of an item")
                } else {
                    bad(&format!("one of {}", names.join(", ")))
                }
            })
        }
    }
}

/// Names and values of the items of an enumeration.
fn items<'a>(description: &'a ModelDescription, variable: &'a Variable) -> Vec<(&'a str, i32)> {
    let of = |kind: &'a Kind| match kind {
        Kind::Enumeration { items, .. } => items.iter().map(|i| (i.name.as_str(), i.value)).collect(),
        _ => Vec::new(),
    };
    let own = of(&variable.kind);
    let declared = variable.declared_type.as_deref();
    let shared = || description.types.iter().find(|t| Some(t.name.as_str()) == declared).map(|t| of(&t.kind));
    if own.is_empty() { shared().unwrap_or_default() } else { own }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("1.5 m"), "1.5 m");
        let text = "é".repeat(1000);
        assert_eq!(cut(&text), format!("{}… (2000 bytes)", "é".repeat(60)));
        assert_eq!(cut("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
    }
}
