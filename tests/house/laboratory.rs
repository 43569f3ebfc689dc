//! The page of the laboratory is made of the sources that are here: a digest of them is kept beside it.

use std::path::Path;
use std::process::Command;

/// The page that the program carries, and what is known of it.
const BUILT: &str = "lab/dist/sources.txt";

#[test]
fn the_page_is_made_of_these_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = std::fs::read_to_string(root.join(BUILT)).expect("the digest of the page's sources");
    let digest = Command::new("sh").arg(root.join("lab/build")).arg("digest").output().expect("a shell");
    assert!(digest.status.success(), "{}", String::from_utf8_lossy(&digest.stderr));
    let found = String::from_utf8_lossy(&digest.stdout);
    let kept = kept.lines().find_map(|line| line.strip_prefix("sources "));
    assert_eq!(
        kept,
        Some(found.trim()),
        "the page of the laboratory is older than its sources; `lab/build` builds it anew, with `rustup target add wasm32-unknown-unknown`"
    );
}
