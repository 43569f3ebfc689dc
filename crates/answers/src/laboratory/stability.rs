//! `macrostep stability`: spectral radii over eigenvalues of the dimensionless model, or over H of a scenario.

use macrostep_analysis::dimensionless::Ratios;
use macrostep_analysis::region::{Limit, Rays, Region, Window, regions};
use macrostep_plot::Table;
use serde::Serialize;

use super::arguments::{StabilityArguments, interval};
use super::json::{self, Parts};
use crate::Carried;
use crate::failure::Failure;
use crate::files::write_text;
use crate::print;
use crate::progress::progress_bar;

/// ln ρ a macro step that is allowed along rays.
const GROWTH: f64 = 1e-3;

/// Stable is ρ ≤ 1 + this.
const TOLERANCE: f64 = 1e-9;

/// Runs, prints, writes.
///
/// # Errors
/// [`Failure`] of the options, the runs or the files.
pub fn run(carried: &'static Carried, arguments: &StabilityArguments) -> Result<(), Failure> {
    // Only the dimensionless model has a plane of regions; a system has a growth rate over H.
    arguments.schemes.refuse_control("stability", "a one-step map is defined for steps of one length only")?;
    if let Some(name) = arguments.subject.typed().filter(|name| *name != "model") {
        return super::sweeps::run(carried, arguments, name);
    }
    if arguments.stop.is_some() {
        let what =
            "`--stop` belongs to a system; the dimensionless model has no run: name a system, or leave `--stop` out";
        return Err(Failure::Usage(what.to_owned()));
    }
    // The dimensionless model has the cuts of the oscillator.
    let schemes = arguments.schemes.schemes(&macrostep_analysis::Oscillator::test_model())?;
    let question = Question::new(arguments)?;
    // Rows of the plane and rays, for each scheme.
    let rows = question.window.points[1] + question.rays.angles_deg.len();
    let bar = progress_bar((schemes.len() * rows) as u64, "rows and rays");
    let found =
        regions(&schemes, question.ratios, &question.window, &question.rays, &|| bar.inc(1)).map_err(Failure::run)?;
    bar.finish_and_clear();

    // The answer, as an object or as a table.
    let answers: Vec<Answer> = found.iter().map(|region| Answer::new(region, &question)).collect();
    let text = json::text(&answers)?;
    if arguments.output.json {
        print::line(&text)?;
    } else {
        print::line(table(&found, &question).terminal())?;
        print::line(question.line())?;
    }
    // Files, with pictures of the regions.
    if let Some(folder) = &arguments.output.out {
        write_text(&folder.join("stability.json"), &text)?;
        write_csv(&folder.join("stability.csv"), &found)?;
        super::regions::write(folder, &found, &question.line())?;
        crate::print::remark!("wrote results and pictures of {} schemes to `{}`", found.len(), folder.display());
    }
    Ok(())
}

/// What the answers belong to.
struct Question {
    ratios: Ratios,
    window: Window,
    rays: Rays,
}

/// One object of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    scheme: String,
    #[serde(flatten)]
    parts: Parts,
    stable_fraction: f64,
    window: &'a Window,
    grid: [usize; 2],
    limits: &'a [Limit],
    limits_growth: f64,
    limits_length: f64,
    ratios: &'a Ratios,
}

impl Question {
    fn new(arguments: &StabilityArguments) -> Result<Self, Failure> {
        // Ratios of the two sides by name; only the mass must not be zero.
        let mut ratios = Ratios::default();
        for setting in &arguments.ratio {
            let place = match setting.name.as_str() {
                "m21" => &mut ratios.m21,
                "re21" => &mut ratios.re21,
                "im21" => &mut ratios.im21,
                "rec1" => &mut ratios.rec1,
                "imc1" => &mut ratios.imc1,
                other => {
                    let expected = "`m21`, `re21`, `im21`, `rec1` or `imc1`";
                    return Err(Failure::Usage(format!("`--ratio {other}`: expected {expected}")));
                }
            };
            // A value that the model can have.
            let value = setting.value;
            if !(value.is_finite() && value >= 0.0 && (setting.name != "m21" || value > 0.0)) {
                return Err(Failure::Usage(format!("`--ratio {}={value}`: expected a positive number", setting.name)));
            }
            *place = value;
        }
        // The window in the plane of the eigenvalue, left of the imaginary axis.
        let (re, im) = (interval("re", &arguments.re)?, interval("im", &arguments.im)?);
        if re[1] > 0.0 {
            return Err(Failure::Usage(format!(
                "`--re` ends at {}, expected at most 0: dampers are not negative",
                re[1]
            )));
        }
        // Rays that leave the origin in that half.
        let points = [arguments.grid as usize; 2];
        let (angles_deg, growth) = (arguments.rays.clone(), arguments.growth.unwrap_or(GROWTH));
        if let Some(angle) = angles_deg.iter().find(|a| !(90.0..=180.0).contains(*a)) {
            return Err(Failure::Usage(format!("`--rays {angle}`: expected degrees from 90 to 180")));
        }
        // What is asked of each point and each ray.
        let window = Window { re, im, points, tolerance: TOLERANCE };
        Ok(Question { ratios, window, rays: Rays { angles_deg, growth, ..Rays::default() } })
    }

    /// What an area and a limit belong to, in words.
    fn line(&self) -> String {
        let Question { ratios, window, rays } = self;
        format!(
            "Λr {} … {} · Λi {} … {} · {} × {} points · stable: ρ ≤ 1 + {:e} · limits: first |Λ| ≤ {} with ln ρ > {:e} · \
             ratios 2:1 m {}, Λr {}, Λi {}; coupling:1 Λr {}, Λi {}",
            window.re[0],
            window.re[1],
            window.im[0],
            window.im[1],
            window.points[0],
            window.points[1],
            window.tolerance,
            rays.length,
            rays.growth,
            ratios.m21,
            ratios.re21,
            ratios.im21,
            ratios.rec1,
            ratios.imc1
        )
    }
}

impl<'a> Answer<'a> {
    fn new(region: &'a Region, question: &'a Question) -> Self {
        Answer {
            scheme: region.scheme.to_string(),
            parts: Parts::new(&region.scheme),
            stable_fraction: region.stable_fraction,
            window: &question.window,
            grid: question.window.points,
            limits: &region.limits,
            limits_growth: question.rays.growth,
            limits_length: question.rays.length,
            ratios: &question.ratios,
        }
    }
}

fn table(found: &[Region], question: &Question) -> Table {
    let mut table = Table::new("scheme | > stable fraction | limits");
    let angles: Vec<String> = question.rays.angles_deg.iter().map(|a| format!("{a:>5.0}°")).collect();
    table.row([String::new(), String::new(), angles.join(" ")]);
    for region in found {
        let limits: Vec<String> =
            region.limits.iter().map(|l| l.limit.map_or("    – ".to_owned(), |l| format!("{l:>6.3}"))).collect();
        table.row([region.scheme.to_string(), format!("{:.4}", region.stable_fraction), limits.join(" ")]);
    }
    table
}

/// One row a point and scheme.
fn write_csv(path: &std::path::Path, found: &[Region]) -> Result<(), Failure> {
    let rows = found.iter().flat_map(|region| {
        region.radius.iter().enumerate().map(move |(n, rho)| {
            let (i, j) = (n % region.re.len(), n / region.re.len());
            vec![region.scheme.to_string(), region.re[i].to_string(), region.im[j].to_string(), rho.to_string()]
        })
    });
    json::csv(path, &["scheme", "lambda_re", "lambda_im", "spectral_radius"], rows)
}
