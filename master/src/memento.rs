//! A *memento*: all that changes in a run, taken at a communication point and given back to a simulation of the same
//! system, method and grid, which then goes on bit by bit.
//!
//! What a slave knows is its serialised state. What the master knows is numbers; each part of it lists them once, for
//! taking and for giving back. What follows from the definition (plans, lists of references, which samples are guessed) is
//! made again.

use crate::error::RunError;

/// A run at a communication point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memento {
    /// Serialised states of the units, in their order.
    pub states: Vec<Vec<u8>>,
    /// What the master knows.
    pub numbers: Vec<f64>,
}

/// Numbers on their way out of a simulation or back into it.
#[derive(Debug)]
pub enum Numbers<'a> {
    /// Out.
    Take(&'a mut Vec<f64>),
    /// Back, and whether there were too few of them or some that cannot be.
    Give {
        /// Those not given back yet.
        rest: &'a [f64],
        /// Whether something did not fit.
        misfit: bool,
    },
}

impl Numbers<'_> {
    /// Whether numbers come back.
    pub fn are_given(&self) -> bool {
        matches!(self, Numbers::Give { .. })
    }

    /// One number.
    pub fn real(&mut self, x: &mut f64) {
        match self {
            Numbers::Take(list) => list.push(*x),
            Numbers::Give { rest, misfit } => match rest.split_first() {
                Some((first, others)) => (*x, *rest) = (*first, others),
                None => *misfit = true,
            },
        }
    }

    /// A whole number below 2⁵³.
    pub fn count(&mut self, n: &mut i64) {
        let mut x = *n as f64;
        self.real(&mut x);
        *n = x as i64;
    }

    /// As [`Numbers::count`], for a length or place.
    pub fn size(&mut self, n: &mut usize) {
        let mut x = *n as f64;
        self.real(&mut x);
        *n = x as usize;
    }

    /// A flag.
    pub fn flag(&mut self, b: &mut bool) {
        let mut x = f64::from(u8::from(*b));
        self.real(&mut x);
        *b = x != 0.0;
    }

    /// Numbers of a list whose length follows from the definition. None of them is NaN: a run ends where one is.
    pub fn list(&mut self, list: &mut [f64]) {
        list.iter_mut().for_each(|x| self.real(x));
        if let Numbers::Give { misfit, .. } = self {
            *misfit |= list.iter().any(|x| x.is_nan());
        }
    }

    /// A list whose length is a matter of the run.
    pub fn grown(&mut self, list: &mut Vec<f64>) {
        let mut n = list.len();
        self.size(&mut n);
        if let Numbers::Give { rest, misfit } = self {
            if n > rest.len() {
                *misfit = true;
                return;
            }
            list.resize(n, 0.0);
        }
        self.list(list);
    }
}

/// A memento that does not fit.
pub(crate) fn misfit(found: String, expected: String) -> RunError {
    RunError::Grid { what: "memento", found, expected }
}

fn unkept_by(found: &str) -> RunError {
    let expected = "a method whose state can be kept: run it without checkpoints".to_owned();
    RunError::Grid { what: "checkpoint", found: found.to_owned(), expected }
}

impl crate::Simulation {
    /// Takes a memento. To be called between windows; every unit must be able to serialise its state.
    ///
    /// # Errors
    /// Those of the units, and where the method keeps what no memento holds.
    pub fn memento(&mut self) -> Result<Memento, RunError> {
        let mut memento = Memento::default();
        for station in &mut self.window.stations {
            memento.states.push(station.unit.serialize()?);
        }
        match self.pass(&mut Numbers::Take(&mut memento.numbers)) {
            None => Ok(memento),
            Some(unkept) => Err(unkept_by(unkept)),
        }
    }

    /// Goes on where a simulation of the same system, method and grid was when the memento was taken. To be called after
    /// [`crate::Simulation::initialise`].
    ///
    /// # Errors
    /// Where it is one of another simulation, and those of the units.
    pub fn resume(&mut self, memento: &Memento) -> Result<(), RunError> {
        let (found, expected) = (memento.states.len(), self.window.stations.len());
        if found != expected {
            return Err(misfit(format!("{found} states"), format!("those of {expected} units")));
        }
        for (station, state) in self.window.stations.iter_mut().zip(&memento.states) {
            station.unit.deserialize(state)?;
        }
        let mut numbers = Numbers::Give { rest: &memento.numbers, misfit: false };
        if let Some(unkept) = self.pass(&mut numbers) {
            return Err(unkept_by(unkept));
        }
        match numbers {
            Numbers::Give { rest: [], misfit: false } => Ok(()),
            _ => {
                Err(misfit(format!("{} numbers", memento.numbers.len()), "those of this system and method".to_owned()))
            }
        }
    }
}
