//! Long beam, L-beam and T-square beside the numbers of the text.

use std::path::Path;

use macrostep::drawing::{TOP, Wire, moved};
use macrostep_flexible::Error;
use macrostep_plot::Table;
use macrostep_plot::{Axis, Chart, Figure, Series};
use serde_json::json;

use super::l_beam::{ANSYS_HZ, LBeam, THEORY_HZ};
use super::long_beam::{self, LongBeam, SLIDES_PERCENT};
use super::t_square::{SPIN_UP_S, TSquare};
use super::{Arguments, Failed};

const NAMES: [&str; 3] = ["u_z", "phi_x", "phi_y"];

/// What the examples gave.
struct Found {
    l_beam: LBeam,
    long_beam: LongBeam,
    t_square: TSquare,
}

/// Computes and writes; what is to be printed.
///
/// # Errors
/// Those of the computation and the files.
pub fn run(arguments: &Arguments) -> Result<String, Failed> {
    let found = Found::new()?;
    let json = found.json().to_string();
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("examples.json"), &json)?;
        found.pictures(folder)?;
    }
    Ok(if arguments.json { json } else { found.tables() })
}

impl Found {
    fn new() -> Result<Found, Error> {
        eprintln!("L-beam: frequencies");
        let l_beam = LBeam::new(36, 2)?;
        eprintln!("long beam: static deflection");
        let long_beam = LongBeam::new()?;
        eprintln!("T-square: spin-up and settling");
        Ok(Found { l_beam, long_beam, t_square: TSquare::new()? })
    }

    fn json(&self) -> serde_json::Value {
        let (b, t) = (&self.long_beam, &self.t_square);
        let (deviation, reduced) = (b.deviation_percent(), b.reduced_deviation_percent());
        json!({
            "l_beam": { "frequencies_hz": self.l_beam.frequencies_hz },
            "long_beam": {
                "u_z": b.full[0], "phi_x": b.full[1], "phi_y": b.full[2],
                "deviation_percent": deviation.as_slice(),
                "reduced_deviation_percent": reduced.as_slice(),
            },
            "t_square": {
                "connector1": t.settled[0].as_slice(), "connector2": t.settled[1].as_slice(),
                "full": { "connector1": t.full[0].as_slice(), "connector2": t.full[1].as_slice() },
                "finer": { "connector1": t.finer[0].as_slice(), "connector2": t.finer[1].as_slice() },
            },
        })
    }

    fn tables(&self) -> String {
        [
            "Long beam: free end under f_z = 1e-4 N, t_x = t_y = 1e-4 N m".to_owned(),
            self.long_beam_table().terminal(),
            "L-beam: in-plane frequencies, one end clamped".to_owned(),
            self.l_beam_table().terminal(),
            "The columns of the paper are for one mesh: a finer one is softer and differs more from them; the result of \
             beam theory is 65.6 Hz, not 66.687 Hz"
                .to_owned(),
            "T-square: settled at 10 rad/s, displacements in body axes".to_owned(),
            self.t_square_table().terminal(),
        ]
        .join("\n\n")
    }

    fn long_beam_table(&self) -> Table {
        // The three motions of the loaded end, with the deviations that are given in the text.
        let mut table = Table::new(
            " | > full model | > beam theory | > deviation [%] | > text [%] | > reduced − full [%] | > text [%]",
        );
        let b = &self.long_beam;
        let (deviation, reduced) = (b.deviation_percent(), b.reduced_deviation_percent());
        // The first is a displacement, the others are angles.
        for i in 0..3 {
            table.row([
                format!("{} [{}]", NAMES[i], if i == 0 { "m" } else { "rad" }),
                format!("{:.6e}", b.full[i]),
                format!("{:.6e}", b.theory[i]),
                format!("{:+.4}", deviation[i]),
                format!("{:.2}", SLIDES_PERCENT[0][i]),
                format!("{:+.1e}", reduced[i]),
                format!("{:.2e}", SLIDES_PERCENT[1][i]),
            ]);
        }
        table
    }

    fn l_beam_table(&self) -> Table {
        let mut table = Table::new(
            "> mode | > found [Hz] | > text, ANSYS = Dymola [Hz] | > difference [%] | > text, theory [Hz] | \
             > difference [%]",
        );
        for (i, f) in self.l_beam.frequencies_hz.iter().enumerate() {
            table.row([
                format!("{}", i + 1),
                format!("{f:.4}"),
                format!("{:.3}", ANSYS_HZ[i]),
                format!("{:+.4}", 100.0 * (f / ANSYS_HZ[i] - 1.0)),
                format!("{:.3}", THEORY_HZ[i]),
                format!("{:+.3}", 100.0 * (f / THEORY_HZ[i] - 1.0)),
            ]);
        }
        table
    }

    fn t_square_table(&self) -> Table {
        // A row for each connector and axis.
        let mut table = Table::new(
            "connector | axis | > reduced, settled [µm] | > full, static [µm] | > difference [%] | \
             > mesh twice as fine [µm] | > of the mesh [%]",
        );
        let t = &self.t_square;
        // Displacements in µm; how far the mesh itself is off is seen from one that is twice as fine.
        for (c, ((settled, full), finer)) in t.settled.iter().zip(&t.full).zip(&t.finer).enumerate() {
            for (axis, name) in ["x", "y", "z"].iter().enumerate() {
                let (u, e, fine) = (settled[axis], full[axis], finer[axis]);
                table.row([
                    format!("{}", c + 1),
                    (*name).to_owned(),
                    format!("{:.6}", 1e6 * u),
                    format!("{:.6}", 1e6 * e),
                    format!("{:+.4}", 100.0 * (u / e - 1.0)),
                    format!("{:.6}", 1e6 * fine),
                    format!("{:+.3}", 100.0 * (e / fine - 1.0)),
                ]);
            }
        }
        table
    }

    fn pictures(&self, folder: &Path) -> Result<(), Failed> {
        self.l_beam_figure().write(folder, "l_beam")?;
        self.long_beam_figure()?.write(folder, "long_beam")?;
        self.t_square_figure().write(folder, "t_square")?;
        Ok(())
    }

    fn l_beam_figure(&self) -> Figure {
        let (mesh, size) = (&self.l_beam.mesh, [420.0, 420.0]);
        let wire = Wire::of(mesh);
        let mut figure = Figure::new("L-shaped beam: in-plane modes").columns(3).panel_size(size[0], size[1]);
        let room: Vec<_> = self.l_beam.shapes.iter().flat_map(|shape| moved(&mesh.nodes, shape, 0.25)).collect();
        for (i, (shape, f)) in self.l_beam.shapes.iter().zip(&self.l_beam.frequencies_hz).enumerate() {
            let title = format!("mode {}: {f:.3} Hz (text {:.3} Hz)", i + 1, ANSYS_HZ[i]);
            let chart = TOP
                .chart(&title, &room, size)
                .with(wire.series("at rest", &mesh.nodes, TOP).colour(6).width(0.6))
                .with(wire.series("mode", &moved(&mesh.nodes, shape, 0.25), TOP).colour(0).width(0.9));
            figure = figure.with(chart);
        }
        figure.subtitle("36 × 2 × 1 elements a leg · clamped at the right end · largest displacement drawn as 0.25 m")
    }

    fn long_beam_figure(&self) -> Result<Figure, Error> {
        let b = &self.long_beam;
        let (x, u): (Vec<f64>, Vec<f64>) = b.line.iter().copied().unzip();
        let material = long_beam::material()?;
        let theory: Vec<f64> = x.iter().map(|x| long_beam::theory_u_z(&material, *x)).collect();
        let chart = Chart::new("", Axis::linear("x", "m"), Axis::linear("u_z", "m"))
            .with(Series::line("full model", x.clone(), u.clone()))
            .with(Series::line("beam theory", x.clone(), theory.clone()).dashed().colour(6));
        let end = theory.last().copied().unwrap_or(f64::NAN);
        let off: Vec<f64> = u.iter().zip(&theory).map(|(u, t)| 100.0 * (u - t) / end).collect();
        let difference = Chart::new("", Axis::linear("x", "m"), Axis::linear("difference / end deflection", "%"))
            .with(Series::line("full model − beam theory", x, off));
        Ok(Figure::new("Long beam: deflection of its axis")
            .subtitle("f_z = 1e-4 N, t_x = t_y = 1e-4 N m at the free end · 4 × 4 × 52 elements")
            .with(chart)
            .with(difference)
            .panel_size(960.0, 340.0))
    }

    fn t_square_figure(&self) -> Figure {
        let (t, size) = (&self.t_square, [560.0, 520.0]);
        // What is seen from above: the bending under gravity is along the line of sight.
        let largest = t.field.iter().map(|u| u.xy().norm()).fold(f64::MIN_POSITIVE, f64::max);
        // A power of ten by which it is enlarged, so that the largest displacement can be seen.
        let scale = 10f64.powf((0.02 / largest).log10().floor());
        let deformed = moved(&t.mesh.nodes, &t.field, scale);
        let wire = Wire::of(&t.mesh);
        let room: Vec<_> = t.mesh.nodes.iter().chain(&deformed).copied().collect();
        // The mesh at rest and, over it, the rotating one.
        let body = TOP
            .chart(&format!("deformation, enlarged {scale:.0e} times"), &room, size)
            .with(wire.series("at rest", &t.mesh.nodes, TOP).colour(6).width(0.6))
            .with(wire.series("rotating", &deformed, TOP).colour(0).width(0.9));
        // How the reduced body comes to rest, the full one as a level.
        let mut settling =
            Chart::new("settling of the reduced body", Axis::linear("time", "s"), Axis::linear("u", "µm"));
        let time: Vec<f64> = t.history.iter().map(|(time, _)| *time).collect();
        let ends = [t.history[0].0, t.history[t.history.len() - 1].0];
        // A curve for each connector and axis, dashed where it should settle.
        for (c, full) in t.full.iter().enumerate() {
            for (axis, name) in ["x", "y"].iter().enumerate() {
                let u: Vec<f64> = t.history.iter().map(|(_, u)| 1e6 * u[c][axis]).collect();
                let place = 2 * c + axis;
                let label = format!("connector {}, u_{name}", c + 1);
                let level = [1e6 * full[axis]; 2];
                // One entry of the legend for all dashed lines.
                let full = if place == 0 { "dashed: full, static" } else { "" };
                settling = settling
                    .with(Series::line(&label, time.clone(), u).colour(place))
                    .with(Series::line(full, ends, level).colour(place).dashed().width(1.0));
            }
        }
        // Both charts side by side.
        Figure::new("T-square in uniform rotation")
            .subtitle(&format!(
                "10 rad/s about z after a spin-up of {SPIN_UP_S} s · gravity along −z · frame at the mount"
            ))
            .columns(2)
            .with(body)
            .with(settling)
            .panel_size(size[0], size[1])
    }
}
