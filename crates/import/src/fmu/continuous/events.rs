//! Events: sign changes of indicators, and what an FMU does then.

use macrostep_master::unit::UnitError;

use super::ContinuousUnit;
use super::steps::Equations;

/// Updates of the discrete states at one event, at most.
const UPDATES_MAX: usize = 1000;

/// Looks into a step for an event, at most: intervals are at least halved by every third.
const LOOKS_MAX: usize = 200;

/// Event indicators: at the point that signs are compared with, and at another one.
#[derive(Debug, Clone)]
pub(super) struct Indicators {
    pub(super) before: Vec<f64>,
    pub(super) now: Vec<f64>,
    /// Values at the ends of the interval in which an event is looked for.
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Indicators {
    pub(super) fn new(count: usize) -> Indicators {
        let none = vec![0.0; count];
        Indicators { before: none.clone(), now: none.clone(), low: none.clone(), high: none }
    }

    /// Whether a sign is another one now.
    fn have_changed(&self) -> bool {
        self.before.iter().zip(&self.now).any(|(before, now)| (*before > 0.0) != (*now > 0.0))
    }

    /// Where a straight line through an indicator that changes crosses zero, in parts of the interval; the first of them.
    fn crossing(&self) -> f64 {
        let signs = self.before.iter().zip(self.low.iter().zip(&self.high));
        let changing = signs.filter(|(before, (_, high))| (**before > 0.0) != (**high > 0.0));
        let parts = changing.map(|(_, (low, high))| low / (low - high));
        parts.filter(|part| part.is_finite()).fold(1.0, f64::min)
    }
}

/// Whether the FMU wants the run to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    Continue,
    Terminate,
}

impl ContinuousUnit {
    /// Compares the signs of the indicators here with those before.
    pub(super) fn have_signs_changed(&mut self) -> Result<bool, UnitError> {
        self.fmu.get_indicators(&mut self.indicators.now)?;
        Ok(self.indicators.have_changed())
    }

    /// The signs here are those that later ones are compared with.
    pub(super) fn take_signs(&mut self) -> Result<(), UnitError> {
        self.fmu.get_indicators(&mut self.indicators.before)
    }

    /// Looks in the last step of the integrator for the first point at which a sign has changed, to the last bits of time; the FMU is there
    /// afterwards, and the integrator begins there.
    pub(super) fn go_to_event(&mut self) -> Result<f64, UnitError> {
        let (mut low_s, mut high_s) = (self.integrator.began(), self.integrator.time());
        self.indicators.low.copy_from_slice(&self.indicators.before);
        self.indicators.high.copy_from_slice(&self.indicators.now);
        for look in 0..LOOKS_MAX {
            // By a straight line, not too close to the ends; sometimes in the middle, so that the interval shrinks for sure.
            let part = if look % 3 == 2 { 0.5 } else { self.indicators.crossing().clamp(0.01, 0.99) };
            let t_s = low_s + part * (high_s - low_s);
            if t_s <= low_s || t_s >= high_s {
                break;
            }
            self.look_at(t_s)?;
            if self.indicators.have_changed() {
                high_s = t_s;
                self.indicators.high.copy_from_slice(&self.indicators.now);
            } else {
                low_s = t_s;
                self.indicators.low.copy_from_slice(&self.indicators.now);
            }
        }
        // There, with a sign that has changed for certain.
        self.look_at(high_s)?;
        self.integrator.begin(high_s, &self.z);
        Ok(high_s)
    }

    /// Puts the FMU to a point inside the last step, and reads its indicators.
    fn look_at(&mut self, t_s: f64) -> Result<(), UnitError> {
        let mut equations = Equations { fmu: &mut self.fmu, inputs: &mut self.inputs, pairs: self.pairs.as_ref() };
        self.integrator.inside(&mut equations, t_s, &mut self.z)?;
        self.put(t_s)?;
        self.fmu.get_indicators(&mut self.indicators.now)
    }

    /// An event at the point where the FMU is.
    pub(super) fn event(&mut self, t_s: f64) -> Result<Wish, UnitError> {
        self.fmu.enter_event_mode()?;
        self.events += 1;
        self.update(t_s)
    }

    /// Updates the discrete states of an FMU in event mode until they stay, and goes on in continuous-time mode.
    pub(super) fn update(&mut self, t_s: f64) -> Result<Wish, UnitError> {
        let (mut nominals_changed, mut updates) = (false, 0);
        let info = loop {
            let info = self.fmu.new_discrete_states()?;
            nominals_changed |= info.nominals_of_continuous_states_changed != 0;
            if info.terminate_simulation != 0 {
                return Ok(Wish::Terminate);
            }
            if info.new_discrete_states_needed == 0 {
                break info;
            }
            updates += 1;
            if updates >= UPDATES_MAX {
                let why = format!(
                    "`newDiscreteStatesNeeded` after {UPDATES_MAX} updates, expected discrete states that stay"
                );
                return Err(self.fmu.nonsense("fmi2NewDiscreteStates", &why));
            }
        };
        // An event that lies behind is one at once, and would be one for ever.
        let next_s = (info.next_event_time_defined != 0).then_some(info.next_event_time);
        if let Some(next_s) = next_s.filter(|next_s| next_s.is_nan() || *next_s <= t_s) {
            let why = format!("`nextEventTime` is {next_s} s at t = {t_s} s, expected a later time");
            return Err(self.fmu.nonsense("fmi2NewDiscreteStates", &why));
        }
        self.next_event_s = next_s;
        self.fmu.enter_continuous_time_mode()?;
        // The integration goes on from what the FMU has now.
        if nominals_changed {
            self.begin()?;
        } else {
            self.fmu.get_states(&mut self.z)?;
        }
        self.integrator.begin(t_s, &self.z);
        self.integrator.forget();
        self.take_signs()?;
        Ok(Wish::Continue)
    }
}
