//! Correctors on the pair: they agree, and what they cost.

use crate::common::*;
use macrostep::factory;
use macrostep::pair::{Coupling, Outcome, Pair, run};
use macrostep_master::correct::{
    Correction, FixedPoint, InterfaceJacobian, MultiVector, Newton, NewtonKrylov, QuasiNewton, Relaxation, SemiImplicit,
};
use macrostep_master::{Method, Schedule};

fn correctors() -> [(&'static str, Correction); 7] {
    [
        ("fixed-point", Correction::FixedPoint(FixedPoint::new(Relaxation::Aitken(1.0)))),
        ("newton", Correction::Newton(Newton::new(InterfaceJacobian::FiniteDifferences))),
        ("iqn-ils", Correction::QuasiNewton(QuasiNewton::iqn_ils())),
        ("iqn-imvj", Correction::MultiVector(MultiVector::default())),
        ("anderson", Correction::QuasiNewton(QuasiNewton::anderson(5, 1.0))),
        ("newton-krylov", Correction::NewtonKrylov(NewtonKrylov::default())),
        ("semi-implicit", Correction::SemiImplicit(SemiImplicit::default())),
    ]
}

fn coupled(coupling: Coupling, correction: Correction, schedule: Schedule, step_s: f64) -> Outcome {
    let method = Method { correction, ..classical(1, schedule) };
    run(&Pair::new(coupling, method, step_s, 1.0), &factory::fmu, u64::MAX).expect("the run")
}

/// Work: runs of 500 windows, H = 2 ms, in the decomposition that takes most.
fn runs_max(corrector: &str) -> u64 {
    match corrector {
        "semi-implicit" => 1000,
        // A guess and a correction, and the Jacobian once.
        "newton" => 1012,
        // The same once the secants are known.
        "iqn-ils" | "iqn-imvj" => 1020,
        "anderson" => 2600,
        "fixed-point" => 2600,
        _ => 5000,
    }
}

/// All converge to the same window, to the tolerance; the semi-implicit one to what one correction leaves.
#[test]
fn correctors_agree() {
    let _open = factory::open_all().expect("the FMUs open");
    for coupling in Coupling::ALL {
        for (schedule_name, schedule) in schedules() {
            let newton = coupled(coupling, correctors()[1].1.clone(), schedule.clone(), 2e-3);
            for (name, correction) in correctors() {
                let r = coupled(coupling, correction, schedule.clone(), 2e-3);
                let off = (r.end - newton.end).amax();
                let what = format!("{coupling} {schedule_name} {name}");
                assert_eq!(r.statistics.unconverged, 0, "{what}: {:?}", r.statistics);
                if name == "semi-implicit" {
                    // What one correction leaves is small beside the error of the implicit scheme itself.
                    let gain = r.max_relative_position() / newton.max_relative_position();
                    assert!(gain < 4.0 / 3.0, "{what}: {gain}");
                } else {
                    assert!(off < 1e-8, "{what}: {off:e}");
                }
                let (runs, most) = (r.statistics.runs, runs_max(name));
                assert!(runs <= most, "{what}: {runs} runs of 500 windows, expected at most {most}");
            }
        }
    }
}

/// One rollback, never more, never less.
#[test]
fn semi_implicit_runs_every_window_twice() {
    for coupling in Coupling::ALL {
        let correction = Correction::SemiImplicit(SemiImplicit::default());
        let r = coupled(coupling, correction, Schedule::Jacobi, 1e-2);
        assert_eq!((r.statistics.runs, r.do_steps), (200, [200, 200]), "{coupling}");
    }
}

/// A row of masses with springs that are stiff over a macro step: k H²/m = 0.8 and 2.7.
fn row(masses: usize) -> String {
    let mut text =
        "[experiment]\nstop = 2.0\nstep = 0.02\n[coupling]\nschedule = \"jacobi\"\npredict = \"linear\"\n".to_owned();
    let mut wires = String::from("[connections]\n\"mass1.f\" = \"spring1.f\"\n");
    let mut laws = String::new();
    for i in 1..=masses {
        let (kind, m, start) =
            (if i == 1 { 1 } else { 2 }, if i % 2 == 1 { 1.0 } else { 0.3 }, if i == 1 { 1.0 } else { 0.0 });
        text += &format!(
            "[units.mass{i}]\nfmu = \"embedded:oscillator{kind}_force\"\n\
             set = {{ integrator = \"exact\", m = {m:?}, k = 20.0, x0 = 0.0, v0 = {start:?} }}\n"
        );
        let (left, right) = (i - 1, i);
        if i > 1 {
            wires += &format!("\"mass{i}.f\" = \"spring{left}.f\"\n");
        }
        if i < masses {
            laws += &format!(
                "[laws.spring{i}]\nkind = \"spring-damper\"\nstiffness = 2000.0\noutputs = [\"f\"]\n\
                 inputs = [\"mass{i}.x\", \"mass{i}.v\", \"mass{n}.x\", \"mass{n}.v\"]\n",
                n = i + 1
            );
            if i > 1 {
                wires += &format!("\"mass{i}.f_ext\" = {{ from = \"spring{right}.f\", factor = -1.0 }}\n");
            }
        }
    }
    text + &wires + &laws + "[record]\nvariables = [\"mass*.x\"]\n"
}

/// With more unknowns than secants are kept, what earlier windows have taught saves runs.
#[test]
fn a_kept_jacobian_takes_fewer_runs_than_secants_on_a_row_of_stiff_springs() {
    let folder = crate::common::folder(module_path!());
    for masses in [12, 20] {
        let path = folder.join(format!("row{masses}.toml"));
        std::fs::write(&path, row(masses)).expect("written");
        let path = path.display().to_string();
        let [secants, kept] = ["iqn-ils", "iqn-imvj"].map(|correct| {
            let found = crate::run::json(&["run", &path, "--json", "--correct", correct]);
            assert_eq!(found["unconverged_windows"], 0, "{correct}");
            (found["window_runs"].as_u64().expect("a number"), found["final"]["mass1.x"].as_f64().expect("a number"))
        });
        println!("{masses} masses: iqn-ils {} runs, iqn-imvj {}", secants.0, kept.0);
        assert!(kept.0 < secants.0, "{masses} masses: {kept:?} runs, with secants {secants:?}");
        assert!((kept.1 - secants.1).abs() < 1e-8, "{masses} masses: {kept:?} {secants:?}");
    }
}
