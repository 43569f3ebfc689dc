//! The program of an exported system that serves one of the FMUs inside in a process of its own: it lies in the resources, and the
//! library starts it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(macrostep_import::isolation::serve())
}
