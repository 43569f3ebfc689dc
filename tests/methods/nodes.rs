//! Waveforms of units without dense output, which are stepped from node to node.

use std::path::{Path, PathBuf};

use crate::common::*;
use crate::errors::global_errors;
use crate::limited::{Limited, changed_fmu};
use crate::run::{json, program};
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, slope};
use macrostep_master::predict::Spectral;
use macrostep_master::unit::Unit;
use macrostep_master::{Method, RunError, Schedule};
use macrostep_oscillator::{Exact, Parameters};

fn waveform(nodes: usize) -> Method {
    implicit(method(Spectral::new(nodes), Schedule::GaussSeidel(vec![1, 0])))
}

/// Units without dense output; plain ones cannot follow inputs either, nor be read after they were set.
fn without_nodes(is_plain: bool) -> impl Fn(&str, &str) -> Result<Box<dyn Unit>, RunError> {
    move |model, name| {
        Ok(Limited::described(models::native(model, name)?, |d| {
            d.variables.iter_mut().filter(|v| v.name == "dense_nodes").for_each(|v| v.name = "no_nodes".to_owned());
            if is_plain {
                d.vendor_annotations.clear();
                d.co_simulation.as_mut().expect("a slave").can_interpolate_inputs = false;
            }
        }))
    }
}

/// Samples by steps from node to node are those of dense output, so the order is the same: Q + 2, or Q + 1 for odd Q.
#[test]
fn steps_from_node_to_node_have_the_order_of_dense_output() {
    for coupling in Coupling::ALL {
        for nodes in [2, 3] {
            let errors = [0.1, 0.05, 0.025].map(|step_s| {
                let pair = test_pair(coupling, waveform(nodes), step_s);
                let stepped = global_errors(&pair, &without_nodes(false)).expect("the run").position;
                let dense = global_errors(&pair, &models::native).expect("the run").position;
                assert!((stepped / dense - 1.0).abs() < 1e-3, "{coupling} {nodes} {step_s}: {stepped:e} {dense:e}");
                (step_s, stepped)
            });
            let order = slope(&errors, 0.0).expect("an order");
            assert!((order - 4.0).abs() < 0.15, "{coupling} {nodes}: {order} {errors:?}");
        }
    }
}

/// Units that hold their inputs do so at the middle of sub-steps of each part: order 2 in their length, for forces that follow inputs
/// at once as well.
#[test]
fn units_that_hold_their_inputs_are_stepped_as_well() {
    for coupling in Coupling::ALL {
        let errors = [0.04, 0.02, 0.01].map(|step_s| {
            let pair = test_pair(coupling, Method { sub_steps: 2, ..waveform(4) }, step_s);
            (step_s, global_errors(&pair, &without_nodes(true)).expect("the run").position)
        });
        let order = slope(&errors, 0.0).expect("an order");
        assert!((order - 2.0).abs() < 0.15, "{coupling}: {order} {errors:?}");
    }
}

/// Two masses, each with a copy of the spring, from FMUs without dense output whose descriptions `change` has changed.
fn system(folder: &Path, [method, step, set]: [&str; 3], change: impl Fn(&mut String)) -> String {
    let [first, second] = [1, 2].map(|i| {
        let fmu = changed_fmu(&format!("oscillator{i}_displacement"), |xml| {
            let renamed = xml.replace("name=\"dense_nodes\"", "name=\"no_nodes\"");
            assert_ne!(*xml, renamed);
            *xml = renamed;
            change(xml);
        });
        std::fs::write(folder.join(format!("mass{i}.fmu")), fmu).expect("an FMU");
        format!("[units.mass{i}]\nfmu = \"mass{i}.fmu\"\nset = {{ integrator = \"exact\"{set} }}\n")
    });
    let text = format!(
        r#"
[experiment]
stop = 1.0
step = {step}
[coupling]
method = "{method}"
{first}{second}
[connections]
"mass1.xi" = "mass2.x"
"mass1.xi_dot" = "mass2.v"
"mass2.xi" = "mass1.x"
"mass2.xi_dot" = "mass1.v"
[record]
variables = ["mass*.x"]
"#
    );
    let path = folder.join("system.toml");
    std::fs::write(&path, text).expect("a system");
    path.display().to_string()
}

/// A force that follows the inputs at once, from FMUs that hold theirs and say nothing beyond FMI: at each node it is that of the inputs
/// there, so that the order is 2 in the length of the sub-steps; and the bond sees the inputs of the whole step.
#[test]
fn forces_at_nodes_follow_the_inputs_there() {
    let folder = empty("forces");
    for name in ["oscillator1_displacement", "oscillator2_force"] {
        let plain = changed_fmu(name, |xml| {
            let (from, to) =
                (xml.find("<VendorAnnotations>").expect("some"), xml.find("</VendorAnnotations>").expect("an end"));
            xml.replace_range(from..to + "</VendorAnnotations>".len(), "");
            cut(xml, "canInterpolateInputs");
            *xml = xml.replace("name=\"dense_nodes\"", "name=\"no_nodes\"");
        });
        std::fs::write(folder.join(format!("{name}.fmu")), plain).expect("an FMU");
    }
    let text = include_str!("../cases/methods/plain-waveform.toml");
    let path = folder.join("system.toml");
    std::fs::write(&path, text).expect("a system");
    let exact = Exact::new(&Parameters::case_1()).expect("a solution").at(1.0);
    let errors = ["0.04", "0.02", "0.01"].map(|step| {
        let result = json(&["run", &path.display().to_string(), "--step", step, "--json"]);
        let residual_j = result["power_bonds"][0]["residual_energy_max_j"].as_f64().expect("an energy");
        assert!(residual_j < 1e-6, "{residual_j:e} J");
        let error = last(&result).iter().zip(&exact).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
        (step.parse().expect("a number"), error)
    });
    let order = slope(&errors, 0.0).expect("an order");
    assert!((order - 2.0).abs() < 0.15, "{order} {errors:?}");
}

fn last(result: &serde_json::Value) -> [f64; 2] {
    ["mass1.x", "mass2.x"].map(|name| result["final"][name].as_f64().expect("a position"))
}

fn cut(xml: &mut String, attribute: &str) {
    let without = xml.replace(&format!(" {attribute}=\"true\""), "");
    assert_ne!(*xml, without, "{attribute}");
    *xml = without;
}

fn empty(name: &str) -> PathBuf {
    let folder = folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// FMUs without dense output: order 4, the same bits where they go back by fork, and after a checkpoint.
#[test]
fn waveforms_of_fmus_without_dense_output() {
    let folder = empty("fmus");
    let exact = Exact::new(&Parameters::case_1()).expect("a solution").at(1.0);
    let error = |result: &serde_json::Value| {
        assert_eq!(result["unconverged_windows"], 0, "{result}");
        last(result).iter().zip(&exact).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max)
    };
    let run = |step: &str, nodes: &str| {
        let path = system(&folder, [&format!("waveform:{nodes}"), step, ""], |_| ());
        json(&["run", &path, "--json"])
    };
    let [coarse, fine] = ["0.05", "0.025"].map(|step| run(step, "2"));
    let order = (error(&coarse) / error(&fine)).log2();
    assert!((order - 4.0).abs() < 0.2, "{order}");
    let whole = run("0.05", "8");
    assert!(error(&whole) < 1e-9, "{:e}", error(&whole));
    // A checkpoint in the middle.
    let path = folder.join("system.toml").display().to_string();
    let kept = folder.join("kept").display().to_string();
    json(&["run", &path, "--json", "--checkpoint", &kept, "--checkpoint-every", "12"]);
    assert_eq!(
        last(&json(&["run", &path, "--json", "--resume", &kept])).map(f64::to_bits),
        last(&whole).map(f64::to_bits)
    );
    // By fork.
    if cfg!(target_os = "linux") {
        let path = system(&folder, ["waveform:8", "0.05", ""], |xml| {
            ["canGetAndSetFMUstate", "canSerializeFMUstate"].iter().for_each(|a| cut(xml, a));
        });
        let forked = json(&["run", &path, "--json"]);
        assert_eq!(last(&forked).map(f64::to_bits), last(&whole).map(f64::to_bits));
    }
}

/// Steps that a unit does not take are refused in words; halves of its step are steps of one length.
#[test]
fn steps_that_units_do_not_take_are_refused() {
    let folder = empty("refused");
    let refused = |method: &str, set: &str, change: &dyn Fn(&mut String)| {
        let path = system(&folder, [method, "0.1", set], change);
        let output = program(&["run", &path]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code() != Some(0)).then_some(said)
    };
    let even = |xml: &mut String| cut(xml, "canHandleVariableCommunicationStepSize");
    let said = refused("waveform:4", "", &even).expect("refused");
    let words = ["`mass1`", "`dense_nodes`", "`canHandleVariableCommunicationStepSize`", "waveform:2"];
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
    assert_eq!(refused("waveform:2", "", &even), None);
    let multiple = |xml: &mut String| {
        *xml = xml.replace(" getAfterSet=\"true\"", " getAfterSet=\"true\" stepMultipleOf=\"micro_step\"");
    };
    let said = refused("waveform:4", ", micro_step = 0.05", &multiple).expect("refused");
    assert!(["`mass1`", "multiples of 5e-2 s", "waveform:2"].iter().all(|word| said.contains(word)), "{said}");
    assert_eq!(refused("waveform:2", ", micro_step = 0.05", &multiple), None);
}
