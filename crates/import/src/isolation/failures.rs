//! What a call of a slave in a process of its own fails with.

use macrostep_master::unit::{Failure, UnitError};

use super::call::Call;
use super::unit::IsolatedUnit;
use super::wire::Take;

impl IsolatedUnit {
    #[cold]
    #[inline(never)]
    pub(super) fn error(&self, call: &'static str, status: &str, message: String) -> UnitError {
        let (unit, status) = (self.name.clone(), status.to_owned());
        UnitError::from(Failure { unit, call, status, t_s: self.t_s, message })
    }

    /// The failure in which the process was lost, which all later calls say again.
    #[cold]
    pub(super) fn lost(&mut self, call: Call, words: String) -> UnitError {
        let error = self.error(self.called(call), "nothing", words);
        self.gone.insert(error).clone()
    }

    /// The failure in a reply, behind what calls before it gave.
    #[cold]
    pub(super) fn failure(&mut self, at: usize) -> UnitError {
        let mut take = Take::new(self.reply.get(at..).unwrap_or_default());
        let parts = (|| Some((take.text()?, take.text()?, take.real()?, take.text()?)))();
        let Some((call, status, t_s, message)) = parts else { return self.garbled() };
        // Without a time, nobody knows more than what was asked.
        if !t_s.is_nan() {
            self.t_s = t_s;
        }
        self.error(Call::known(&call, self.fmu.is_of_3()).unwrap_or("a call"), &status, message)
    }

    #[cold]
    pub(crate) fn garbled(&mut self) -> UnitError {
        self.process.kill();
        let found = "its process sent an answer that cannot be read: it has overwritten memory of the program";
        self.lost(Call::Step, found.to_owned())
    }
}
