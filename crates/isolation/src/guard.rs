//! What a slave in this very process can do to the program, made as harmless as a process allows: it may end the
//! program, but neither in silence nor with success, and it may not write where results go.

use std::ffi::CString;
use std::fs::File;
use std::io;

use crate::process::signal_name;
use crate::system::{self, DEADLY};

/// From now on standard output goes to standard error; what is returned is the real one.
///
/// # Errors
/// Where the system refuses.
pub fn divert_output() -> io::Result<File> {
    system::divert_output()
}

/// As long as it lives, a slave that crashes this process, or ends it, leaves an error on standard error and exit code 1.
#[derive(Debug)]
pub struct Guard(());

impl Guard {
    /// `subject` says who may be to blame, `advice` what the user can do. One at a time is enough for a program: a later
    /// one takes the place of an earlier one.
    pub fn new(subject: &str, advice: &str) -> Guard {
        let text = |what: &str| CString::new(format!("error: {subject} {what}; {advice}\n")).unwrap_or_default();
        let deaths = DEADLY.map(|signal| text(&format!("was ended by signal {signal}{}", signal_name(signal))));
        system::watch(deaths, text("ended the whole program in the middle of a run, by `exit`"));
        Guard(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        system::unwatch();
    }
}
