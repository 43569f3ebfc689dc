//! The model: a scenario as a slave.

use std::path::Path;

use macrostep_description::{ModelDescription, shown};
use macrostep_master::RunError;
use macrostep_slave::{Fault, Group, Memory, Message, Model, Outcome, Phase, Shared, Span, Tangent, Topic};
use macrostep_system::words::Control;

use crate::contents::Contents;
use crate::declaration::{Alias, Type};
use crate::messages::Messages;
use crate::running::{Made, Running, failed};

/// Steps inside that one step outside may take, at most.
const WINDOWS_MAX: f64 = 1e9;

/// A system of FMUs as a slave.
pub struct Container {
    contents: Shared<Contents>,
    /// The run inside; `None` before initialisation.
    running: Option<Running>,
    messages: Messages,
    /// Whether it was told that outputs are interpolated; once is enough.
    has_told: bool,
}

impl std::fmt::Debug for Container {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Container").field("is_running", &self.running.is_some()).finish_non_exhaustive()
    }
}

impl Container {
    /// The run, told what has changed outside.
    fn told(&mut self, memory: &Memory) -> Result<&mut Running, Fault> {
        let Some(running) = &mut self.running else {
            return Err(failed(memory.time_s, &"the run inside has not begun"));
        };
        running.tell(&self.contents, memory).map_err(|e| failed(memory.time_s, &e))?;
        Ok(running)
    }
}

impl Model for Container {
    fn declare(resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        let contents = Contents::open(resources)?;
        let description = contents.description.clone();
        Ok((Container { contents, running: None, messages: Messages::default(), has_told: false }, description))
    }

    fn initialise(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let made = Made::of(&self.contents, memory);
        if self.running.as_ref().is_some_and(|running| running.is_fresh && running.made == made) {
            return Ok(());
        }
        // Instances that may be alive once only must go before others come.
        self.running = None;
        let running = Running::start(&self.contents, &self.messages, made, memory);
        self.running = Some(running.map_err(|why| failed(memory.start_s, &why))?);
        Ok(())
    }

    // A grid that is known before, and a run that is at a point of it: else inputs count from the next point on.
    fn own_step_s(&self, _memory: &Memory) -> Option<f64> {
        let is_fixed = self.contents.scenario.coupling.control.kind == Control::Fixed;
        let running = self.running.as_ref().filter(|running| is_fixed && running.between.is_none())?;
        Some(running.simulation.shortest_s())
    }

    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        self.told(memory)?;
        let Some(running) = &mut self.running else { return Ok(Outcome::Done) };
        // Only after another step a very short one may be what is left over by rounding.
        let shortest_s = running.simulation.shortest_s();
        if memory.last_step_s == 0.0 && span.is_remainder(shortest_s) {
            let expected = format!("more than a millionth of {shortest_s} s, a step inside");
            let (call, what) = ("fmi2DoStep", "communicationStepSize");
            return Err(Fault::Time { call, what, found: span.step_s, expected });
        }
        // So many windows are a mistake, and would look like a slave that hangs.
        if span.step_s > WINDOWS_MAX * shortest_s {
            let expected = format!("at most {WINDOWS_MAX:e} steps of {shortest_s} s inside");
            let (call, what) = ("fmi2DoStep", "communicationStepSize");
            return Err(Fault::Time { call, what, found: span.step_s, expected });
        }
        let stepped = running.step(&self.contents, memory, span);
        let (ahead, t_s) = (running.between.as_ref().map(|between| between.after.t_s), running.simulation.time_s());
        match stepped {
            Ok(()) => {
                running.judged.tell(&running.simulation, &self.messages);
                if let Some(ahead_s) = ahead.filter(|_| !std::mem::replace(&mut self.has_told, true)) {
                    self.messages.say(Topic::Warning, ahead_of(span.start_s + span.step_s, ahead_s));
                }
                Ok(Outcome::Done)
            }
            Err(error @ RunError::Discarded { terminated, .. }) => {
                self.messages.say(Topic::Discard, error.to_string());
                Ok(Outcome::Discarded { reached_s: t_s, terminated })
            }
            Err(error) => Err(failed(span.start_s, &error)),
        }
    }

    fn evaluate(&mut self, memory: &mut Memory, _group: Group) -> Result<(), Fault> {
        self.told(memory)?;
        let Some(running) = &mut self.running else { return Ok(()) };
        running.show(&self.contents, memory).map_err(|e| failed(memory.time_s, &e))
    }

    fn output_derivatives(
        &mut self,
        memory: &Memory,
        refs: &[u32],
        orders: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        self.told(memory)?;
        let Some(running) = &mut self.running else { return Ok(()) };
        let outputs = &self.contents.table.outputs;
        for ((reference, order), value) in refs.iter().zip(orders).zip(values) {
            let is_it = |a: &&Alias| a.kind == Type::Real && a.outer == *reference as usize;
            let Some(alias) = outputs.iter().find(is_it) else { continue };
            if let Some(between) = &running.between {
                let message = "between two points of the grid inside there are derivatives of order 1 only";
                let refused = || Fault::Unavailable { call: "fmi2GetRealOutputDerivatives", message };
                let i = outputs.iter().position(|a| a.outer == alias.outer && a.kind == Type::Real);
                let known = i.filter(|_| *order == 1).map(|i| between.rate(i, memory.time_s));
                *value = known.ok_or_else(refused)?;
                continue;
            }
            *value = running.output_derivative(alias, *order).map_err(|e| {
                self.messages.say(Topic::Discard, e.to_string());
                let message = "the unit inside does not give this derivative at present";
                Fault::Unavailable { call: "fmi2GetRealOutputDerivatives", message }
            })?;
        }
        Ok(())
    }

    fn keep_state(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        memory.kept.clear();
        // Before initialisation there is no run, and while it lasts the run follows from the memory.
        if self.running.is_none() || matches!(memory.phase, Phase::Instantiated | Phase::Initialization) {
            return Ok(());
        }
        let refused = |why: String| Fault::Snapshot(why);
        let running = self.told(memory)?;
        memory.kept = running.keep().map_err(refused)?;
        Ok(())
    }

    fn recall_state(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        // Before initialisation there was no run.
        if memory.kept.is_empty() {
            self.running = None;
            return Ok(());
        }
        let made = Made::of(&self.contents, memory);
        let t_s = memory.time_s;
        if self.running.as_ref().is_none_or(|running| !running.made.serves(&made)) {
            self.running = None;
            let running = Running::start(&self.contents, &self.messages, made, memory);
            self.running = Some(running.map_err(|why| failed(t_s, &why))?);
        }
        let Some(running) = &mut self.running else { return Ok(()) };
        running.recall(&memory.kept, &self.contents, memory).map_err(|why| failed(t_s, &why))
    }

    fn messages(&mut self) -> Vec<Message> {
        self.messages.take()
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        let table = &self.contents.table;
        let real = |a: &&Alias, r: &u32| a.kind == Type::Real && a.outer == *r as usize;
        let inputs = known.iter().map(|r| table.reals.iter().position(|a| real(&a, r))).collect::<Option<Vec<_>>>();
        let outputs =
            unknown.iter().map(|r| table.outputs.iter().position(|a| real(&a, r))).collect::<Option<Vec<_>>>();
        // Of outputs by inputs, and of a run that has begun.
        let is_running = self.running.is_some() && !matches!(memory.phase, Phase::Instantiated | Phase::Initialization);
        let (Some(inputs), Some(outputs), true) = (inputs, outputs, is_running) else {
            let name = |refs: &[u32]| {
                let mut variables = self.contents.description.variables.iter().filter(|v| v.real().is_some());
                let found = refs.first().and_then(|r| variables.find(|v| v.value_reference == *r));
                found.map(|v| v.name.clone()).unwrap_or_default()
            };
            return Err(Fault::NotDifferentiable { unknown: name(unknown), known: name(known), phase: memory.phase });
        };
        let known: Vec<(usize, f64)> = inputs.into_iter().zip(d_known.iter().copied()).collect();
        let running = self.told(memory)?;
        if running.between.is_some() {
            let message = "outputs follow inputs at points of the grid inside, and the time is between two of them";
            return Err(Fault::Unavailable { call: "fmi2GetDirectionalDerivative", message });
        }
        running.tangent(&known, &outputs, d_unknown).map_err(|e| failed(memory.time_s, &e))
    }
}

/// What is to be known about a step that ends between two points of the grid inside.
fn ahead_of(t_s: f64, ahead_s: f64) -> String {
    let (t, ahead) = (shown::time(t_s), shown::time(ahead_s));
    format!(
        "at t = {t} s the run inside is at {ahead} s, the next point of its grid: outputs between two points are interpolated, and inputs count \
         from the next point on; communication steps that are whole windows inside need neither (said once)"
    )
}
