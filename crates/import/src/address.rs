//! Addresses of FMUs that another program serves: `zenoh://NAME` in the place of a path.

use std::path::{Path, PathBuf};

/// What an address begins with.
pub const SCHEME: &str = "zenoh://";

/// Whether a path is an address.
pub fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with(SCHEME))
}

/// A path that begins in a folder; an address stays as it is.
pub fn placed(folder: &Path, path: &Path) -> PathBuf {
    if is_address(path) { path.to_owned() } else { folder.join(path) }
}
