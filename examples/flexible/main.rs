//! Flexible bodies from finite elements: the three examples of the text beside its numbers, and an arm with a payload at its tip, coupled and
//! in one piece. What docs/flexible.md shows is made here.
//!
//! ```text
//! cargo run --release --example flexible -- --out out/flexible            long beam, L-beam and T-square
//! cargo run --release --example flexible -- pendulum --out out/pendulum   the arm by nine methods over the macro step
//! ```
//!
//! The meshes are those of `macrostep_flexible::mesh`; arm and payload are FMUs, or the same models natively.
//!
//! # References
//! [Zaiczek 2010] section 4, "Simulation Examples".

pub mod arm;
mod l_beam;
mod long_beam;
mod pendulum;
mod t_square;
mod text;

use std::error::Error;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use macrostep_flexible::{Chain, Connector, Factor, Material, Mesh, Structure, Tied};
use nalgebra::DMatrix;

/// What is asked for.
#[derive(Debug, Parser)]
pub struct Arguments {
    /// What is computed
    #[arg(value_enum, default_value = "text")]
    what: What,
    /// End of the pendulum's runs in seconds
    #[arg(long, default_value = "1")]
    stop: f64,
    /// Run arm and payload in this process, not the FMUs
    #[arg(long)]
    native: bool,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Folder for pictures and the result; made if missing [default: nothing is written]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// What is computed.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    Text,
    Pendulum,
}

/// The end of a computation that fails.
type Failed = Box<dyn Error>;

fn main() -> Result<(), Failed> {
    println!("{}", run(&Arguments::parse())?);
    Ok(())
}

/// Computes and writes; what is to be printed.
///
/// # Errors
/// Those of the computation and the files.
pub fn run(arguments: &Arguments) -> Result<String, Failed> {
    match arguments.what {
        What::Text => text::run(arguments),
        What::Pendulum => pendulum::run(arguments),
    }
}

/// A structure and its connectors on surfaces of the mesh, named after these.
fn tie(mesh: &Mesh, material: &Material, surfaces: &[&str]) -> Result<(Structure, Tied), macrostep_flexible::Error> {
    let structure = Structure::solid(mesh, material)?;
    let connectors: Vec<Connector> = surfaces.iter().map(|s| Connector::on(mesh, s, s)).collect::<Result<_, _>>()?;
    let tied = structure.tie(&connectors)?;
    Ok((structure, tied))
}

/// Static solution with the first connector clamped; `load` has one row per tied coordinate, and so has the result.
fn clamped_static(chain: &Chain, load: &DMatrix<f64>) -> Result<DMatrix<f64>, macrostep_flexible::Error> {
    let keep: Vec<usize> = (chain.width..chain.size()).collect();
    let stiffness = chain.a0.submatrix(&keep)?;
    let solved = Factor::cholesky(&stiffness, "clamped stiffness")?.solve(load.select_rows(&keep));
    Ok(solved.insert_rows(0, chain.width, 0.0))
}
