//! The oldest compiler that builds this, as Cargo.toml says: no dependency needs a newer one, and the lint of newer functions knows it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Major and minor number of a version.
fn version(text: &str) -> (u32, u32) {
    let mut parts = text.split('.').map(|part| part.parse().expect("a number"));
    (parts.next().expect("a version"), parts.next().unwrap_or(0))
}

#[test]
fn dependencies_are_built_by_the_oldest_compiler() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let oldest = version(env!("CARGO_PKG_RUST_VERSION"));
    let found = Command::new(env!("CARGO"))
        .current_dir(root)
        // Without `--offline`: crates for other platforms are not on a fresh machine yet.
        .args(["metadata", "--locked", "--format-version", "1"])
        .output()
        .expect("cargo");
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let packages = found["packages"].as_array().expect("packages");
    let newer: Vec<&Value> = packages
        .iter()
        .filter(|package| package["rust_version"].as_str().is_some_and(|needed| version(needed) > oldest))
        .map(|package| &package["name"])
        .collect();
    assert!(packages.len() > 100 && newer.is_empty(), "newer than {oldest:?}: {newer:?} of {}", packages.len());
    // Clippy refuses functions of the standard library that came later, in every crate.
    let lints = std::fs::read_to_string(root.join("clippy.toml")).expect("clippy.toml");
    let lints: toml::Table = lints.parse().expect("TOML");
    assert_eq!(lints["msrv"].as_str().map(version), Some(oldest));
}
