//! The calls of a [`Unit`], one to one.

use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_fmi3 as abi;
use macrostep_master::unit::{
    Derivatives, Described, Outcome, States, Steps, Tangent, Unit, UnitError, Values, Warned,
};

use super::super::instance::Phase;
use super::FmuUnit3;

impl Described for FmuUnit3 {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &ModelDescription {
        self.model()
    }

    fn shared_description(&self) -> Arc<ModelDescription> {
        Arc::clone(&self.driven.description)
    }

    fn kind(&self) -> &'static str {
        "fmu"
    }
}

impl Values for FmuUnit3 {
    #[inline]
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError> {
        const CALL: &str = "fmi3SetFloat64";
        if self.are_none(CALL, refs.len(), values.len())? {
            return Ok(());
        }
        if self.table().is_discrete(refs) {
            return self.at_event(|unit| {
                let done = unit.access.set_reals(refs, values);
                unit.handed(done)
            });
        }
        let done = self.access.set_reals(refs, values);
        self.handed(done)?;
        self.update.lock().inputs.set(refs, values);
        Ok(())
    }

    #[inline]
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        if self.are_none("fmi3GetFloat64", refs.len(), values.len())? {
            return Ok(());
        }
        let done = self.access.get_reals(refs, values);
        self.handed(done)
    }

    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> {
        const CALL: &str = "fmi3SetInt64";
        if self.are_none(CALL, refs.len(), values.len())? {
            return Ok(());
        }
        if !self.table().structural(refs).is_empty() {
            return self.configure(refs, values);
        }
        self.at_event(|unit| {
            let done = unit.access.set_integers(refs, values);
            unit.handed(done)
        })
    }

    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError> {
        if self.are_none("fmi3GetInt64", refs.len(), values.len())? {
            return Ok(());
        }
        let done = self.access.get_integers(refs, values);
        self.handed(done)
    }

    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError> {
        if self.are_none("fmi3SetBoolean", refs.len(), values.len())? {
            return Ok(());
        }
        let values: Vec<u8> = values.iter().map(|b| u8::from(*b)).collect();
        self.at_event(|unit| {
            let done = unit.access.set_booleans(refs, &values);
            unit.handed(done)
        })
    }

    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError> {
        if self.are_none("fmi3GetBoolean", refs.len(), values.len())? {
            return Ok(());
        }
        let mut booleans = vec![abi::FALSE; values.len()];
        let done = self.access.get_booleans(refs, &mut booleans);
        self.handed(done)?;
        values.iter_mut().zip(&booleans).for_each(|(value, b)| *value = *b != abi::FALSE);
        Ok(())
    }

    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError> {
        if self.are_none("fmi3SetString", refs.len(), values.len())? {
            return Ok(());
        }
        let values: Vec<String> = values.iter().map(|text| (*text).to_owned()).collect();
        self.at_event(|unit| {
            let read = |native, refs: &[u32], count| unit.read_texts(native, refs, count);
            let write = |native, refs: &[u32], texts: &[String]| unit.write_texts(native, refs, texts);
            let done = unit.access.put("fmi3SetString", (refs, &values), read, write);
            unit.handed(done)
        })
    }

    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError> {
        let mut texts = vec![String::new(); refs.len()];
        if self.are_none("fmi3GetString", refs.len(), refs.len())? {
            return Ok(texts);
        }
        let read = |native, refs: &[u32], count| self.read_texts(native, refs, count);
        let done = self.access.picked("fmi3GetString", refs, read, |i, text| texts[i] = text);
        self.handed(done)?;
        Ok(texts)
    }
}

impl Derivatives for FmuUnit3 {
    #[inline]
    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError> {
        const CALL: &str = "fmi3IntermediateUpdate";
        if self.are_none(CALL, refs.len(), values.len())? || self.are_none(CALL, refs.len(), orders.len())? {
            return Ok(());
        }
        let set = self.update.lock().inputs.set_derivatives(refs, orders, values);
        set.map_err(|why| {
            self.refusal(CALL, format!("{why} with `intermediateUpdate`, expected one to follow a polynomial"))
        })
    }

    fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), UnitError> {
        const CALL: &str = "fmi3GetOutputDerivatives";
        if self.are_none(CALL, refs.len(), values.len())? {
            return Ok(());
        }
        let Some(get) = self.access.functions.get_output_derivatives else { return Err(self.lacks(CALL)) };
        // Those of scalars; of an array there would be as many as it has elements.
        let places: Vec<u32> = refs
            .iter()
            .filter_map(|r| self.table().place(*r))
            .filter(|p| p.count.is_none())
            .map(|p| p.reference)
            .collect();
        if places.len() != refs.len() || orders.len() != refs.len() {
            return Err(self.refusal(CALL, "derivatives of elements of an array, expected those of scalars"));
        }
        // SAFETY: alive, as checked here; all lists have the lengths passed.
        let status = unsafe {
            get(self.access.instance, places.as_ptr(), places.len(), orders.as_ptr(), values.as_mut_ptr(), values.len())
        };
        self.answered(CALL, status)
    }

    fn directional(&mut self, of: Tangent<'_>) -> Result<(), UnitError> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        const CALL: &str = "fmi3GetDirectionalDerivative";
        if !self.capabilities().provides_directional_derivative {
            return Err(self.refusal(CALL, "`providesDirectionalDerivatives` is false: use finite differences"));
        }
        self.are_none(CALL, known.len(), d_known.len())?;
        self.are_none(CALL, unknown.len(), d_unknown.len())?;
        let Some(get) = self.access.functions.get_directional_derivative else { return Err(self.lacks(CALL)) };
        // Arrays are differentiated as a whole.
        let (knowns, seeds) = (self.whole(known), &mut vec![0.0; self.whole(known).count]);
        let unknowns = self.whole(unknown);
        knowns.at.iter().zip(d_known).for_each(|(at, seed)| seeds[*at] = *seed);
        let mut slopes = vec![0.0; unknowns.count];
        // SAFETY: alive, as checked here; all lists have the lengths passed.
        let status = unsafe {
            get(
                self.access.instance,
                unknowns.refs.as_ptr(),
                unknowns.refs.len(),
                knowns.refs.as_ptr(),
                knowns.refs.len(),
                seeds.as_ptr(),
                seeds.len(),
                slopes.as_mut_ptr(),
                slopes.len(),
            )
        };
        self.answered(CALL, status)?;
        d_unknown.iter_mut().zip(&unknowns.at).for_each(|(slope, at)| *slope = slopes[*at]);
        Ok(())
    }
}

impl States for FmuUnit3 {
    fn save(&mut self, slot: usize) -> Result<(), UnitError> {
        self.save_slot(slot)
    }

    fn restore(&mut self, slot: usize) -> Result<(), UnitError> {
        self.restore_slot(slot)
    }

    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        self.write_state()
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        self.read_state(bytes)
    }
}

impl Steps for FmuUnit3 {
    #[inline]
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.do_steps += 1;
        self.advance(t_s, step_s, keep)
    }

    fn do_steps(&self) -> u64 {
        self.do_steps
    }
}

impl Unit for FmuUnit3 {
    fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError> {
        // They are handed over when the initialisation begins.
        self.setup = (start_s, stop_s, tolerance);
        self.t_s = start_s;
        self.alive("fmi3EnterInitializationMode")
    }

    fn enter_initialization(&mut self) -> Result<(), UnitError> {
        self.enter_initialization_mode()
    }

    fn exit_initialization(&mut self) -> Result<(), UnitError> {
        self.exit_initialization_mode()
    }

    fn reset(&mut self) -> Result<(), UnitError> {
        self.warned = Warned::default();
        self.change("fmi3Reset", self.access.functions.reset)?;
        (self.phase, self.next_event_s) = (Phase::Instantiated, None);
        let asked = &self.access.table.asked;
        self.update.lock().inputs = super::super::continuous::inputs::Inputs::of(asked.clone());
        Ok(())
    }

    fn terminate(&mut self) -> Result<(), UnitError> {
        self.change("fmi3Terminate", Some(self.access.functions.terminate))?;
        self.phase = Phase::Terminated;
        Ok(())
    }

    fn warned(&mut self) -> Option<Warned> {
        (self.warned.count > 0).then(|| self.warned.clone())
    }
}

/// Variables of the FMU, arrays as a whole, and where elements are in the list of their values.
struct Whole {
    refs: Vec<u32>,
    count: usize,
    at: Vec<usize>,
}

impl FmuUnit3 {
    /// Whether nothing is asked for; refuses lists of different lengths, and calls of a dead instance.
    #[inline]
    fn are_none(&mut self, call: &'static str, refs: usize, values: usize) -> Result<bool, UnitError> {
        if refs != values {
            return Err(self.refusal(call, format!("{values} values for {refs} value references, expected as many")));
        }
        self.alive(call)?;
        Ok(refs == 0)
    }

    fn whole(&self, refs: &[u32]) -> Whole {
        let mut whole = Whole { refs: Vec::new(), count: 0, at: Vec::with_capacity(refs.len()) };
        let mut begins = std::collections::HashMap::new();
        for place in refs.iter().filter_map(|r| self.table().place(*r)) {
            let begin = *begins.entry(place.reference).or_insert_with(|| {
                whole.refs.push(place.reference);
                let begin = whole.count;
                whole.count += place.count.unwrap_or(1) as usize;
                begin
            });
            whole.at.push(begin + place.element as usize);
        }
        whole
    }

    /// Sets structural parameters in configuration mode. One that is the length of an array keeps its value: the description has as many
    /// elements.
    fn configure(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> {
        const CALL: &str = "fmi3EnterConfigurationMode";
        let mut now = vec![0; refs.len()];
        let done = self.access.get_integers(refs, &mut now);
        self.handed(done)?;
        if now == values {
            return Ok(());
        }
        for (i, r) in refs.iter().enumerate() {
            let is_length = self.table().place(*r).is_some_and(|place| place.is_dimension);
            if is_length && now[i] != values[i] {
                let (name, found, expected) = (self.table().name(*r), values[i], now[i]);
                let why = format!(
                    "`{name}` = {found}, expected {expected}, its start value: arrays have as many elements as the description says; export the FMU with another start value"
                );
                return Err(self.refusal(CALL, why));
            }
        }
        if self.phase != Phase::Instantiated {
            return Err(self.refusal(CALL, "a structural parameter after the initialisation has begun"));
        }
        self.change(CALL, self.access.functions.enter_configuration_mode)?;
        let done = self.access.set_integers(refs, values);
        self.handed(done)?;
        self.change("fmi3ExitConfigurationMode", self.access.functions.exit_configuration_mode)
    }
}
