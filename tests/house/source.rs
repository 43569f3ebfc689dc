//! The files of the source.

use std::path::{Path, PathBuf};

/// A text file: its path from the root with `/`, and its text.
pub struct Text {
    pub path: String,
    pub text: String,
}

/// Files under the root whose names end so; hidden folders, build folders and the list of words are left out.
pub fn texts(endings: &[&str]) -> Vec<Text> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the source") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                if !name.starts_with('.') && name != "target" {
                    folders.push(path);
                }
                continue;
            }
            let shown = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            if endings.iter().any(|ending| name.ends_with(ending)) && shown != "tests/house/tidy.rs" {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                found.push(Text { path: shown, text });
            }
        }
    }
    // Fewer would mean that the search has lost its way.
    assert!(found.len() > 20, "{} files found", found.len());
    found
}

/// Fails with all findings at once.
pub fn none(findings: Vec<String>) {
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}
