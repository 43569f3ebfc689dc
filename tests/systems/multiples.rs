//! Units that make steps of one length of their own (`communication_step`) in a macro step that is a multiple of it: the numbers are right, and what is no
//! multiple is refused.

use std::path::{Path, PathBuf};

use crate::run::{json, program as macrostep};

fn folder(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join("multiples").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// An actuator lifts a mass against a stop; an interface model predicts the mass for the hydraulics.
fn actuator(folder: &Path, micro_steps: u32, own_steps: u32) -> PathBuf {
    let (micro_s, step_s) = (2e-4, 2e-4 * f64::from(micro_steps));
    let text = format!(
        "[experiment]\nstop = 0.4\nstep = {step_s}\n[coupling]\nschedule = \"gauss-seidel\"\norder = [\"fast\", \"slow\"]\n\
         [units.slow]\nfmu = \"embedded:stop_mass\"\nset = {{ communication_step = {own_s}, look_ahead = true, \"lam_i[1]\" = 0.0 }}\n\
         [units.fast]\nfmu = \"embedded:stop_hydraulics\"\nstep = \"1/{micro_steps}\"\n\
         set = {{ micro_step = {micro_s}, prediction = 1, \"lam_start[1]\" = 0.0 }}\n\
         [connections]\n\"slow.lam_i[1]\" = {{ from = \"fast.lam[1]\", mean = true }}\n\
         [[interface_models]]\nforce = [\"fast.lam[1]\"]\nspeed = [\"slow.w[1]\"]\nposition = [\"slow.s[1]\"]\n\
         mobility = [\"slow.W[1,1]\"]\nbias = [\"slow.b[1]\"]\nto = {{ speed = [\"fast.w0[1]\"], position = [\"fast.s0[1]\"] }}\n\
         [record]\nvariables = [\"slow.s[1]\"]\n",
        own_s = step_s / f64::from(own_steps),
    );
    let path = folder.join("actuator.toml");
    std::fs::write(&path, text).expect("written");
    path
}

/// Positions of the mass every 20 ms.
fn positions(folder: &Path, micro_steps: u32, own_steps: u32) -> Vec<f64> {
    let (path, out) = (actuator(folder, micro_steps, own_steps), folder.join("out"));
    let found =
        json(&["run", &path.display().to_string(), "--json", "--no-pictures", "--out", &out.display().to_string()]);
    assert_eq!(found["units"][0]["do_steps"], 2000 / micro_steps);
    let trace = std::fs::read_to_string(out.join("trace.csv")).expect("the trace");
    let rows = trace.lines().skip(1).step_by(100 / micro_steps as usize);
    rows.map(|row| row.split(',').nth(1).and_then(|x| x.parse().ok()).expect("a number")).collect()
}

/// Own steps that are parts of the macro step: nearer to the solution than one step, and the nearer the shorter the macro step is.
#[test]
fn an_interface_model_is_as_right_with_parts_of_the_macro_step() {
    let folder = folder("interface");
    let solution = positions(&folder, 1, 1);
    let error = |micro_steps, own_steps| {
        let found = positions(&folder, micro_steps, own_steps);
        assert_eq!(found.len(), solution.len());
        found.iter().zip(&solution).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    for own_steps in [2, 5] {
        let (long, short) = (error(20, own_steps), error(10, own_steps));
        assert!(long < 0.7 * error(20, 1) && short < 0.7 * error(10, 1), "{own_steps}: {long:e}, {short:e}");
        assert!(short < 0.6 * long && short < 5e-4, "{own_steps}: {long:e}, {short:e}");
    }
}

/// Lengths that are no multiples, between communication points and between nodes of a waveform.
#[test]
fn what_is_no_multiple_is_refused() {
    let folder = folder("refused");
    let text = |own_s: &str| {
        format!(
            "[experiment]\nstop = 0.1\nstep = 0.01\n[units.block]\nfmu = \"embedded:incline_block\"\nset = {{ communication_step = {own_s} }}\n\
             [units.mass]\nfmu = \"embedded:oscillator2_force\"\n[connections]\n\"mass.f\" = \"block.contacts\"\n"
        )
    };
    let run = |own_s: &str, method: &str| {
        let path = folder.join("block.toml");
        std::fs::write(&path, text(own_s)).expect("written");
        let out = folder.join("out").display().to_string();
        let output =
            macrostep(&["run", &path.display().to_string(), "--no-pictures", "--out", &out, &format!("--{method}")]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (own_s, method, expected) in [
        ("0.01", "schedule=jacobi", None),
        ("0.002", "schedule=jacobi", None),
        ("1e-5", "schedule=jacobi", None),
        ("0.005", "method=waveform:2", None),
        ("0.003", "schedule=jacobi", Some("unit `block` is stepped by 1e-2 s; it takes multiples of 3e-3 s")),
        ("0.02", "schedule=jacobi", Some("unit `block` is stepped by 1e-2 s; it takes multiples of 2e-2 s")),
        ("10.0", "schedule=jacobi", Some("unit `block` is stepped by 1e-2 s; it takes multiples of 1e1 s")),
        (
            "0.01",
            "method=waveform:2",
            Some("is stepped from node to node, by 5.0000e-3 s; it takes multiples of 1e-2 s"),
        ),
        (
            "0.005",
            "method=waveform:4",
            Some("is stepped from node to node, by 1.4645e-3 s; it takes multiples of 5e-3 s"),
        ),
    ] {
        let (code, said) = run(own_s, method);
        let good = match expected {
            Some(words) => code == Some(1) && said.contains(words),
            None => code == Some(0),
        };
        assert!(good, "{own_s}, {method}: {said}");
    }
}
