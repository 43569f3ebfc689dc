//! A mass on a spring under a force, as the crate `fmi-export` makes FMUs of FMI 3.0. `main.rs` writes its description.

use fmi::fmi3::{Fmi3Error, Fmi3Res};
use fmi_export::FmuModel;
use fmi_export::fmi3::{CSDoStepResult, Context, DefaultLoggingCategory, UserModel};

/// Micro steps of the semi-implicit Euler method in a step.
const MICRO_STEPS: u32 = 10;

/// A mass on a spring; its flange is a terminal.
#[derive(FmuModel, Default, Debug)]
#[model(model_exchange = true, co_simulation = true, user_model = false)]
#[terminal(name = "flange", matching_rule = "plug")]
pub struct Mass {
    /// Force.
    #[variable(causality = Input, variability = Continuous, start = 0.5)]
    pub f: f64,
    /// Displacement.
    #[variable(causality = Output, variability = Continuous, start = 1.0, initial = Exact)]
    pub x: f64,
    #[variable(causality = Local, variability = Continuous, derivative = x, initial = Calculated)]
    der_x: f64,
    /// Velocity.
    #[variable(causality = Output, variability = Continuous, start = 0.0, initial = Exact)]
    pub v: f64,
    #[variable(causality = Local, variability = Continuous, derivative = v, initial = Calculated)]
    der_v: f64,
    #[variable(causality = Parameter, variability = Fixed, start = 1.0, initial = Exact)]
    pub m: f64,
    #[variable(causality = Parameter, variability = Fixed, start = 10.0, initial = Exact)]
    pub k: f64,
    #[variable(causality = Output, variability = Discrete, start = 0, initial = Exact)]
    pub steps: i32,
}

impl UserModel for Mass {
    type LoggingCategory = DefaultLoggingCategory;

    fn calculate_values(&mut self, _: &dyn Context<Self>) -> Result<Fmi3Res, Fmi3Error> {
        self.der_x = self.v;
        self.der_v = (self.f - self.k * self.x) / self.m;
        Ok(Fmi3Res::OK)
    }

    fn do_step(&mut self, context: &mut dyn Context<Self>, t: f64, step: f64, _: bool) -> Result<CSDoStepResult, Fmi3Error> {
        let h = step / f64::from(MICRO_STEPS);
        for _ in 0..MICRO_STEPS {
            self.calculate_values(context)?;
            self.v += h * self.der_v;
            self.x += h * self.v;
        }
        self.steps += 1;
        context.set_time(t + step);
        Ok(CSDoStepResult::completed(t + step))
    }
}

fmi_export::export_fmu!(Mass);
