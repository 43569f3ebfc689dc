//! External forces on the masses of the oscillator, from a file.

use std::path::{Path, PathBuf};

use macrostep::values::cut;
use macrostep_import::fmu::regular;
use macrostep_oscillator::Force;
use macrostep_system::Scenario;
use macrostep_system::input::{InputError, InputTable};
use macrostep_system::scenario::{Connection, Endpoint, InputFile, Place};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::failure::Failure;

/// Forces, and the file they are from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forces {
    /// Where it is.
    pub file: PathBuf,
    /// What tells its content from others.
    sha256: String,
    /// Forces over time.
    #[serde(skip)]
    pub force: Force,
}

impl Forces {
    /// Its name beside a scenario.
    pub const BESIDE: &str = "force.csv";

    /// Columns of the file: forces on mass 1 and mass 2 in N.
    const COLUMNS: [&str; 2] = ["f1", "f2"];

    /// Reads a file.
    ///
    /// # Errors
    /// [`Failure::File`], and [`Failure::Run`] with the line and what is wrong there.
    pub fn read(path: &Path) -> Result<Forces, Failure> {
        let bytes = regular::read(path).map_err(Failure::file(path))?;
        let failed = |e: InputError| Failure::Run(format!("`--force {}`, {e}", path.display()));
        let table = InputTable::read(&bytes[..], cut).map_err(failed)?;
        let at = |line, reason| failed(InputError { line, reason });
        if table.names != Forces::COLUMNS {
            let found = cut(&table.names.join("`, `"));
            return Err(at(1, format!("columns `{found}`, expected `f1`, `f2`, the forces on mass 1 and mass 2 in N")));
        }
        let mut values = vec![[0.0; 2]; table.times_s.len()];
        for (mass, name) in Forces::COLUMNS.into_iter().enumerate() {
            let texts = table.column(name).into_iter().flatten();
            for (value, (line, text)) in values.iter_mut().zip(texts) {
                let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
                let expected = || at(line, format!("`{name}` is `{}`, expected a finite number", cut(text)));
                value[mass] = number.ok_or_else(expected)?;
            }
        }
        // Times are as the table has checked them.
        let force = Force::new(table.times_s, values);
        let force = force.ok_or_else(|| at(2, "no values, expected at least one row".to_owned()))?;
        Ok(Forces { file: path.to_owned(), sha256: format!("{:x}", Sha256::digest(&bytes)), force })
    }

    /// Both masses of a scenario get the forces of the file beside it.
    pub fn feed(scenario: &mut Scenario) {
        let name = "force".to_owned();
        for (i, column) in Forces::COLUMNS.into_iter().enumerate() {
            let from = Endpoint { unit: name.clone(), variable: column.to_owned() };
            let to = Endpoint { unit: format!("mass{}", i + 1), variable: "f_ext".to_owned() };
            scenario.connections.push(Connection::new(from, to, Place::default()));
        }
        let (path, shown) = (Forces::BESIDE.into(), Forces::BESIDE.to_owned());
        scenario.inputs.push(InputFile { name, path, shown, place: Place::default() });
    }
}
