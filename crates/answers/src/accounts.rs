//! Power bonds and chosen steps of a run, as JSON and in words.

use macrostep_master::{Account, Course};
use serde::Serialize;

/// The account of a power bond.
#[derive(Debug, Serialize)]
pub struct PowerBond<'a> {
    name: &'a str,
    residual_energy_j: f64,
    residual_energy_max_j: f64,
    residual_power_max_w: f64,
    power_max_w: f64,
    missed_j: f64,
    passed_j: f64,
}

impl<'a> PowerBond<'a> {
    /// Its name.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Residual energy at the end and at most \[J\], residual power at most \[W\].
    pub fn residuals(&self) -> [f64; 3] {
        [self.residual_energy_j, self.residual_energy_max_j, self.residual_power_max_w]
    }

    /// What the residuals are measured by: the energy passed \[J\], the power at most \[W\].
    pub fn scale(&self) -> [f64; 2] {
        [self.passed_j, self.power_max_w]
    }

    /// The same as numbers of the JSON object.
    pub fn of(account: &'a Account) -> Self {
        PowerBond {
            name: &account.name,
            residual_energy_j: account.residual_energy_j,
            residual_energy_max_j: account.residual_energy_max_j,
            residual_power_max_w: account.residual_power_max_w,
            power_max_w: account.power_max_w,
            missed_j: account.missed_j,
            passed_j: account.passed_j,
        }
    }
}

/// A line about a power bond, on a line of its own.
pub fn bond_line(account: &Account) -> String {
    format!(
        "\npower bond `{}`: residual energy {:.3e} J, at most {:.3e} J, of {:.3e} J that went through · residual power at most {:.3e} W of {:.3e} W",
        account.name,
        account.residual_energy_j,
        account.residual_energy_max_j,
        account.passed_j,
        account.residual_power_max_w,
        account.power_max_w
    )
}

/// The steps that step control has made.
#[derive(Debug, Serialize)]
pub struct ControlCourse {
    windows: u64,
    rejected: u64,
    window_min_s: f64,
    window_max_s: f64,
    degree_min: usize,
    degree_max: usize,
}

impl ControlCourse {
    /// Shortest and longest step \[s\].
    pub fn window_s(&self) -> [f64; 2] {
        [self.window_min_s, self.window_max_s]
    }

    /// Steps that were rejected.
    pub fn rejected(&self) -> u64 {
        self.rejected
    }

    /// Of a run of so many windows.
    pub fn of(course: Course, windows: u64) -> Self {
        let Course { rejected, window_s: [window_min_s, window_max_s], degree: [degree_min, degree_max] } = course;
        ControlCourse { windows, rejected, window_min_s, window_max_s, degree_min, degree_max }
    }
}

/// The steps of step control, as a line that follows another.
pub fn course_line(course: &Course, windows: u64) -> String {
    let Course { rejected, window_s: [shortest, longest], degree: [lowest, highest] } = course;
    let degrees = if *highest > 0 { format!(" · degree {lowest} to {highest}") } else { String::new() };
    format!("\n{windows} steps of {shortest:.3e} to {longest:.3e} s, {rejected} rejected{degrees}")
}
