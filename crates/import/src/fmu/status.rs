//! Names of statuses.

use macrostep_fmi2 as abi;

/// "fmi2Error", "unknown status 42".
pub(super) fn name(status: abi::Status) -> String {
    match abi::status_name(status) {
        Some(name) => name.to_owned(),
        None => format!("unknown status {status}"),
    }
}
