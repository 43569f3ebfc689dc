//! Recipes name the files that a change has to touch.

use std::collections::BTreeSet;

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

/// The words of a text: names of variants are told apart from longer ones.
fn words_of(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect()
}

/// Variants between these lines; a macro that declares words has the word of each behind an equals sign.
fn declared<'a>(text: &'a str, head: &str) -> Vec<&'a str> {
    let (_, body) = text.split_once(head).expect("the enumeration");
    let indent = body.len() - body.trim_start_matches(['\n', ' ']).len() - 1;
    let (body, _) = body.split_once(&format!("\n{}}}\n", " ".repeat(indent - 4))).expect("its end");
    let lines = body.lines().map(str::trim).filter(|line| line.starts_with(char::is_uppercase));
    lines.map(|line| line.split(['(', ',', ' ']).next().unwrap_or_default()).collect()
}

/// Whoever adds a variant to one of these has to touch each file that names all of them.
#[test]
fn recipes_name_all_files_that_list_variants() {
    let (sources, pages) = (texts(&[".rs"]), texts(&[".md"]));
    let lists = [
        ("new_corrector", "crates/system/src/words.rs", "Correct, \"correct\", default Explicit {", 9),
        ("new_corrector", "master/src/method/correct/mod.rs", "pub enum Correction {", 8),
        ("new_law", "crates/system/src/scenario/law.rs", "pub enum LawKind {", 4),
        ("new_event", "master/src/system/event.rs", "pub enum Direction {", 2),
        ("new_verb", "cli/arguments.rs", "pub enum Verb {", 25),
    ];
    for (recipe, path, head, least) in lists {
        let at = |path: &str| sources.iter().find(|t| t.path == path);
        let all = declared(&at(path).expect("the list").text, head);
        assert!(all.len() > least, "{path}: {all:?}");
        let page = &pages.iter().find(|t| t.path == format!("docs/recipes/{recipe}.md")).expect("the recipe").text;
        // Files that the recipe names are there, and files that name all variants are in the recipe.
        let named: Vec<&str> = page.split('`').filter(|part| part.ends_with(".rs")).collect();
        named.iter().for_each(|path| assert!(at(path).is_some(), "{recipe}: no file `{path}`"));
        for text in sources.iter().filter(|t| !t.path.starts_with("tests/")) {
            let words = words_of(&text.text);
            let lists_all = all.iter().all(|variant| words.contains(variant));
            assert!(!lists_all || named.contains(&text.path.as_str()), "{recipe} does not name `{}`", text.path);
        }
    }
}
