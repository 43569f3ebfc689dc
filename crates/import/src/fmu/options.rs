//! How an FMU is instantiated.

use std::ffi::CString;
use std::fmt;
use std::time::Duration;

use macrostep_description::ModelDescription;

use super::{LogSink, RemarkSink};

/// Options of one instance.
#[derive(Clone)]
pub struct FmuOptions {
    /// `loggingOn`. Messages of errors come in any case.
    pub logging_on: bool,
    /// Categories for `fmi2SetDebugLogging`; empty leaves that call out.
    pub log_categories: Vec<String>,
    /// Where messages go; `None` keeps only the last one, for errors.
    pub log: Option<LogSink>,
    /// Where remarks go: what the FMU does against the standard that need not end the run, each said once.
    pub remark: Option<RemarkSink>,
    /// `visible`: whether the FMU may open windows.
    pub visible: bool,
    /// How long a step may stay `fmi2Pending`.
    pub pending_limit: Duration,
    /// Bytes a serialised state may have.
    pub state_bytes_max: usize,
}

impl FmuOptions {
    /// The categories as strings of C, where the FMU declares all of them; else what is wrong.
    pub(super) fn categories_of(&self, description: &ModelDescription) -> Result<Vec<CString>, String> {
        let declared = &description.log_categories;
        if let Some(unknown) = self.log_categories.iter().find(|c| declared.iter().all(|d| d.name != **c)) {
            let names: Vec<String> = declared.iter().map(|d| format!("`{}`", d.name)).collect();
            return Err(format!("log category `{unknown}` is not declared, expected one of {}", names.join(", ")));
        }
        Ok(self.log_categories.iter().filter_map(|c| CString::new(c.as_str()).ok()).collect())
    }
}

impl Default for FmuOptions {
    /// Quiet and invisible, a minute for an asynchronous step, 1 GiB for a state.
    fn default() -> Self {
        FmuOptions {
            logging_on: false,
            log_categories: Vec::new(),
            log: None,
            remark: None,
            visible: false,
            pending_limit: Duration::from_secs(60),
            state_bytes_max: 1 << 30,
        }
    }
}

impl fmt::Debug for FmuOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FmuOptions")
            .field("logging_on", &self.logging_on)
            .field("log_categories", &self.log_categories)
            .field("visible", &self.visible)
            .field("pending_limit", &self.pending_limit)
            .finish_non_exhaustive()
    }
}
