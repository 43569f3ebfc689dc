//! Many windows in one call: by the compiled plan where possible, else one by one.

use super::Simulation;
use crate::error::RunError;
use crate::record::Observer;
use crate::step::compiled::Rows;
use crate::step::growth::Growth;
use crate::time::Tick;

impl Simulation {
    /// Runs `windows` windows and hands the observer a row at the start and after every `every`-th one.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    pub fn run(&mut self, windows: u64, every: u64, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.observe(observer)?;
        self.advance(windows, (0, every), observer).map(|_| ())
    }

    /// Up to `windows` windows, fewer where the observer ends the run or steps that are chosen reach its stop; returns how many. Windows are counted from `done` on,
    /// and the observer gets a row after those whose number is a multiple of `every`.
    ///
    /// # Errors
    /// What a unit answers, or [`RunError::Diverged`]. Windows until then are in [`Simulation::statistics`].
    pub fn advance(
        &mut self,
        windows: u64,
        (done, every): (u64, u64),
        observer: &mut dyn Observer,
    ) -> Result<u64, RunError> {
        let every = every.max(1);
        let mut made = 0;
        // Steps that are chosen end at the stop time.
        let is_chosen = self.state.control.is_some();
        while made < windows && observer.goes_on() && !(is_chosen && self.is_over()) {
            let until_row = every - (done + made) % every;
            let windows_compiled = self.windows_compiled(windows - made);
            if windows_compiled > 0 {
                made += self.run_compiled(windows_compiled, (until_row, every), observer)?;
            } else {
                let stepped = self.step();
                self.crossings.hand_out(observer);
                stepped?;
                made += 1;
                if until_row == 1 {
                    self.observe(observer)?;
                }
            }
        }
        Ok(made)
    }

    /// Up to `windows` windows without rows, each of which `look` is shown as it ends; the run goes on while it says so. Returns how many.
    ///
    /// # Errors
    /// As [`Simulation::advance`], and those of `look`.
    pub fn follow(
        &mut self,
        windows: u64,
        mut look: impl FnMut(&mut Simulation) -> Result<bool, RunError>,
    ) -> Result<u64, RunError> {
        let mut made = 0;
        while made < windows && self.advance(1, (made, u64::MAX), &mut ())? == 1 {
            made += 1;
            if !look(self)? {
                break;
            }
        }
        Ok(made)
    }

    /// How many of the next windows the compiled plan can take: none before the shorter one at the end or a value that is set.
    fn windows_compiled(&self, windows: u64) -> u64 {
        if self.compiled.as_ref().is_none_or(|compiled| !compiled.is_ready(&self.window, &self.state)) {
            return 0;
        }
        let (now, length) = (self.state.now, self.window.length(&self.state));
        let whole = self.rest.as_ref().map_or(Tick::MAX, |rest| (rest.from - now) / length);
        let unchanged = self.changes.windows_before(self.state.changes_past, self.time_s(), self.window_s());
        // Pairs of maps under watch are looked at after each window.
        let watched = if self.watches.is_empty() { u64::MAX } else { 1 };
        // Signals are looked at for growth now and then.
        let unseen = Growth::until_look(self.state.statistics.windows);
        windows.min(u64::try_from(whole).unwrap_or(0)).min(unchanged).min(watched).min(unseen)
    }

    /// Windows by the compiled plan, with the rows that fall due; returns how many.
    fn run_compiled(
        &mut self,
        windows: u64,
        (until_row, every): (u64, u64),
        observer: &mut dyn Observer,
    ) -> Result<u64, RunError> {
        let Some(compiled) = self.compiled.as_mut() else { return Ok(0) };
        let (began, length) = (self.state.now, self.window.length(&self.state));
        let rows = Rows { recorder: &mut self.recorder, observer, until_row, every };
        let result = compiled.run(&mut self.window, &mut self.state, windows, rows);
        // What was done, and whether it is to be relied on.
        let done = ((self.state.now - began) / length) as u64;
        self.state.statistics.windows += done;
        self.state.statistics.runs += done;
        let result = match result {
            Ok(None) => Ok(()),
            Ok(Some(unfinished)) => Err(self.window.unfinished(&self.state, unfinished)),
            Err(error) => Err(error.into()),
        };
        result.map_err(|error| self.blamed(error))?;
        self.state.look_at_signals(self.channels, &self.rated, &self.window.sources.clock);
        self.check_size()?;
        self.check_work()?;
        Ok(done)
    }
}
