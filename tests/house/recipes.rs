//! Recipes name the files that a change has to touch.

use super::source::{Text, texts};

/// Variants of `pub enum NAME` in this text.
fn variants<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let (_, body) = text.split_once(&format!("pub enum {name} {{\n")).expect("the enumeration");
    let (body, _) = body.split_once("\n}\n").expect("its end");
    let lines = body.lines().map(str::trim).filter(|line| line.starts_with(char::is_uppercase));
    lines.map(|line| line.split(['(', ',', ' ']).next().unwrap_or_default()).collect()
}

/// A file that names every family of predictors has a `match` over them: the compiler refuses it where a new one is missing.
#[test]
fn the_recipe_of_a_predictor_names_all_files_that_list_the_families() {
    let sources = texts(&[".rs"]);
    let words = sources.iter().find(|t| t.path == "crates/system/src/words/predict.rs").expect("the words");
    let families = variants(&words.text, "Family");
    assert!(families.len() > 6 && families.contains(&"Kalman"), "{families:?}");
    let names_all = |t: &&Text| families.iter().all(|family| t.text.contains(&format!("Family::{family}")));
    let asked: Vec<&str> =
        sources.iter().filter(|t| !t.path.starts_with("tests/")).filter(names_all).map(|t| t.path.as_str()).collect();
    let recipe = &texts(&[".md"]).into_iter().find(|t| t.path == "docs/recipes/new_predictor.md").expect("it").text;
    // Those that it names are those that are asked for.
    let mut named: Vec<&str> = recipe.split('`').filter(|part| part.starts_with("crates/")).collect();
    named.sort_unstable();
    let mut asked = asked;
    asked.sort_unstable();
    assert_eq!(named, asked);
}
