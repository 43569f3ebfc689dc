//! Units of macrostep on other machines, over Zenoh.
//!
//! ```text
//! macrostep ─ shared memory ─ macrostep-remote use ═ Zenoh ═ macrostep-remote serve ─ shared memory ─ process of the slave
//! ```
//!
//! The messages are those that slaves in processes of their own get anyway. This program carries them: `serve` offers FMUs, each instance in
//! a process of its own; `use` stands in the place of a slave's process on the master's side. macrostep starts it for FMUs whose address is
//! `zenoh://NAME`. docs/remote.md says how it is used.

mod access;
mod instance;
mod letter;
mod serve;
mod way;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::serve::Bounds;
use clap::{Parser, Subcommand};
use macrostep_import::isolation::far::USE;
use macrostep_import::isolation::{ARGUMENT, relay, serve as serve_slave};

/// Units of macrostep on other machines. The Zenoh session is that of the file in ZENOH_CONFIG; without one it stays on this machine.
#[derive(Parser)]
#[command(name = "macrostep-remote", version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Offer FMUs to other machines, until interrupted
    Serve {
        /// Files of FMUs
        #[arg(required = true)]
        fmus: Vec<PathBuf>,
        /// Name of the FMU, where it is one [default: its file's]
        #[arg(long)]
        name: Option<String>,
        /// Longest time a call of a slave may take, in s
        #[arg(long, value_name = "S", default_value = "60")]
        call_limit: f64,
        /// Largest memory of a slave, in MiB
        #[arg(long, value_name = "MIB", default_value = "4096")]
        memory_limit: u64,
        /// Most instances of each FMU at a time: 1 where there is one licence, or one machine behind it
        #[arg(long, value_name = "N", default_value = "64", value_parser = clap::value_parser!(u64).range(1..))]
        instances: u64,
    },
    /// Print digest and description of an FMU that is served
    Offered {
        /// zenoh://NAME
        address: String,
    },
}

fn main() -> ExitCode {
    let first = std::env::args().nth(1).unwrap_or_default();
    if first == ARGUMENT {
        return ExitCode::from(serve_slave());
    }
    if first == USE {
        return ExitCode::from(relay(way::open));
    }
    let done = match Arguments::parse().verb {
        Verb::Serve { fmus, name, call_limit, memory_limit, instances } => {
            serve::run(&fmus, name, Bounds { call_s: call_limit, memory_mib: memory_limit, instances })
        }
        Verb::Offered { address } => way::offered(&address),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            eprintln!("error: {words}");
            ExitCode::FAILURE
        }
    }
}
