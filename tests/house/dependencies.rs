//! What this depends on: the oldest compiler that Cargo.toml promises builds it, and deny.toml allows its licences and where it comes from.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};

/// Major and minor number of a version.
fn version(text: &str) -> (u32, u32) {
    let mut parts = text.split('.').map(|part| part.parse().expect("a number"));
    (parts.next().expect("a version"), parts.next().unwrap_or(0))
}

/// All packages, those for other platforms and features included.
fn packages() -> Vec<Value> {
    let found = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // Without `--offline`: crates for other platforms are not on a fresh machine yet.
        .args(["metadata", "--locked", "--format-version", "1"])
        .output()
        .expect("cargo");
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let packages = found["packages"].as_array().expect("packages").clone();
    assert!(packages.len() > 100, "{} packages", packages.len());
    packages
}

/// A file of the root in TOML.
fn toml_of(name: &str) -> toml::Table {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("a file");
    text.parse().expect("TOML")
}

#[test]
fn dependencies_are_built_by_the_oldest_compiler() {
    let oldest = version(env!("CARGO_PKG_RUST_VERSION"));
    let packages = packages();
    let is_newer = |p: &&Value| p["rust_version"].as_str().is_some_and(|needed| version(needed) > oldest);
    let newer: Vec<&Value> = packages.iter().filter(is_newer).map(|package| &package["name"]).collect();
    assert!(newer.is_empty(), "newer than {oldest:?}: {newer:?}");
    // Clippy refuses functions of the standard library that came later, in every crate.
    assert_eq!(toml_of("clippy.toml")["msrv"].as_str().map(version), Some(oldest));
}

/// Whether each of the licences that an expression needs is among these.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let parsed = Expression::parse_mode(expression, ParseMode::LAX);
    parsed.is_ok_and(|parsed| parsed.evaluate(|needed| allowed.contains(&needed.to_string().as_str())))
}

#[test]
fn licences_of_dependencies_are_permissive() {
    let deny = toml_of("deny.toml");
    let licences = &deny["licenses"];
    let words = |list: &'static str, of: &toml::Value| -> Vec<String> {
        let list = of[list].as_array().expect("a list");
        list.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let allowed = words("allow", licences);
    for package in packages() {
        // Our own packages have no source.
        let Some(source) = package["source"].as_str() else { continue };
        let name = package["name"].as_str().expect("a name");
        assert!(source.starts_with("registry+"), "{name} comes from {source}");
        let exceptions = licences["exceptions"].as_array().expect("a list");
        let excepted = exceptions.iter().filter(|exception| exception["crate"].as_str() == Some(name));
        let excepted: Vec<String> = excepted.flat_map(|exception| words("allow", exception)).collect();
        let allowed: Vec<&str> = allowed.iter().chain(&excepted).map(String::as_str).collect();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence, &allowed), "{name}: licence `{licence}`, expected of {allowed:?}");
    }
}

#[test]
fn licences_are_read_as_they_are_meant() {
    for (expression, expected) in [
        ("MIT OR GPL-3.0-only", true),
        ("MIT AND GPL-3.0-only", false),
        ("MIT/GPL-3.0", true),
        ("(MIT OR Zlib) AND ISC", true),
        ("ISC WITH LLVM-exception", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &["MIT", "ISC"]), expected, "{expression}");
    }
}
