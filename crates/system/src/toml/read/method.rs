//! `[coupling]`: the method.

use super::*;

impl Reader<'_> {
    pub(super) fn coupling(&self, c: &Spanned<file::Coupling>) -> Read<Coupling> {
        // The method word by word. What is not said is the default.
        let place = self.place(c);
        let c = c.get_ref();
        let mut coupling = Coupling {
            method: None,
            schedule: self.word("schedule", &c.schedule)?,
            order: c.order.clone(),
            predict: self.word("predict", &c.predict)?,
            gs_variant: self.word("gs_variant", &c.gs_variant)?,
            derivative: self.word("derivative", &c.derivative)?,
            correct: self.word("correct", &c.correct)?,
            corrector_tolerance: match &c.corrector_tolerance {
                Some(t) if !(*t.get_ref() > 0.0 && *t.get_ref() < 1.0) => {
                    let what =
                        format!("`corrector_tolerance` is {}, expected a number above 0 and below 1", t.get_ref());
                    return Err(Finding::error(&self.place(t), what, "1e-12 is the default"));
                }
                t => t.as_ref().map(|t| *t.get_ref()),
            },
            // Limits of corrections and sub-steps, how outputs are sampled, what is done about energy, and how steps are chosen.
            corrections_max: self.within("corrections_max", &c.corrections_max, 1_000_000)?.map(|n| n as usize),
            sampling: self.word("sampling", &c.sampling)?,
            sub_steps: self.within("sub_steps", &c.sub_steps, 1_000_000)?.unwrap_or(1) as usize,
            energy: self.word("energy", &c.energy)?,
            control: c.control.as_ref().map_or(Ok(StepChoice::default()), |control| self.control(control.get_ref()))?,
            place,
        };
        // A named method is more than one word: it replaces schedule, prediction and correction.
        if let Some(method) = &c.method {
            coupling.take(self.method(method, c)?);
        }
        Ok(coupling)
    }

    /// A method by its name, which leaves no room for the parts it has.
    pub(super) fn method(&self, method: &Spanned<String>, c: &file::Coupling) -> Read<Named> {
        let said = method.get_ref();
        let named = said
            .parse()
            .map_err(|expected| Finding::error(&self.place(method), format!("`method` is `{said}`, {expected}"), ""))?;
        let parts = [("schedule", &c.schedule), ("predict", &c.predict), ("correct", &c.correct)];
        match parts.iter().find_map(|(key, part)| part.as_ref().map(|part| (key, part))) {
            None => Ok(named),
            Some((key, part)) => {
                let place = line(&self.place(method));
                let what = format!("`{key} = \"{}\"` beside `method = \"{said}\"` at {place}", part.get_ref());
                Err(Finding::error(&self.place(part), what, "`method` already contains it: remove one of them"))
            }
        }
    }

    pub(super) fn control(&self, c: &file::Control) -> Read<StepChoice> {
        let above = |key: &str, value: &Option<Spanned<f64>>| match value {
            Some(x) if !(x.get_ref().is_finite() && *x.get_ref() > 0.0) => {
                let what = format!("`{key}` is {}, expected a finite number above 0", x.get_ref());
                Err(Finding::error(&self.place(x), what, ""))
            }
            x => Ok(x.as_ref().map(|x| *x.get_ref())),
        };
        let kind = self.word("kind", &c.kind)?;
        let tolerance = above("tolerance", &c.tolerance)?;
        let (step_min_s, step_max_s) = (above("step_min", &c.step_min)?, above("step_max", &c.step_max)?);
        let keys = [("tolerance", &c.tolerance), ("step_min", &c.step_min), ("step_max", &c.step_max)];
        let said = keys.iter().find_map(|(key, value)| value.as_ref().map(|value| (key, value)));
        if let (Control::Fixed, Some((key, value))) = (kind, said) {
            let what = format!("`{key}` without step control");
            return Err(Finding::error(&self.place(value), what, "add `kind = \"error\"`, or `kind = \"ecco\"`"));
        }
        let default = StepChoice::default();
        Ok(StepChoice { kind, tolerance: tolerance.unwrap_or(default.tolerance), step_min_s, step_max_s })
    }
}
