//! `macrostep flex` and the examples `flexible` and `interface` as a user meets them.

use std::path::Path;

use crate::run::{json, program as macrostep};
use clap::Parser;
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
}

#[test]
fn examples_agree_with_the_text() {
    let folder = folder("flex-examples");
    let found = flexible(&["--json", "--out", folder.to_str().expect("UTF-8")]);
    let text = [3.337, 9.121, 44.802, 66.030, 143.173];
    let frequencies = numbers(&found["l_beam"]["frequencies_hz"]);
    assert_eq!(frequencies.len(), 5);
    for (f, text) in frequencies.iter().zip(text) {
        assert!((f / text - 1.0).abs() < 5e-4, "{f} {text}");
    }
    let beam = &found["long_beam"];
    for key in ["u_z", "phi_x", "phi_y"] {
        assert!(beam[key].is_number(), "{key}");
    }
    for (deviation, text) in numbers(&beam["deviation_percent"]).iter().zip([0.06, 0.80, 0.08]) {
        assert!(deviation.abs() <= text, "{deviation} {text}");
    }
    assert!(numbers(&beam["reduced_deviation_percent"]).iter().all(|d| d.abs() <= 4e-3));
    for connector in ["connector1", "connector2"] {
        let settled = numbers(&found["t_square"][connector]);
        let full = numbers(&found["t_square"]["full"][connector]);
        assert!(settled.iter().zip(&full).all(|(a, b)| (a / b - 1.0).abs() < 3e-4));
        // What hangs on the mesh is more than that, and is printed: a finer one is softer.
        let finer = numbers(&found["t_square"]["finer"][connector]);
        assert!(
            full.iter().zip(&finer).all(|(a, b)| (1e-3..2e-2).contains(&(b / a - 1.0).abs())),
            "{full:?} {finer:?}"
        );
    }
    for name in ["l_beam", "long_beam", "t_square"] {
        for kind in ["png", "svg"] {
            assert!(folder.join(format!("{name}.{kind}")).metadata().is_ok_and(|m| m.len() > 2000), "{name}.{kind}");
        }
    }
}

#[test]
fn interface_has_every_key_and_the_expected_errors() {
    let found = interface(&["--step", "1e-3", "--json"]).expect("a result");
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let number = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("`{key}` in {found}"));
    assert_eq!((number("full"), number("reduced")), (501.0, 38.0));
    assert!((number("condition") - 2.2).abs() < 0.1);
    assert!((number("cosimulation_error") / 0.34 - 1.0).abs() < 0.02);
    assert!(number("reduction_error") < 1e-3 * number("cosimulation_error"));
    assert!(number("virtual_work_error") < 1e-12);
    assert!(number("lagged_error") > 2.0 * number("cosimulation_error"));
    // A beam with modes outside the span of the interface is reduced far worse.
    assert!(number("reduction_error_60_modes") > 1e3 * number("reduction_error"));
}

#[test]
fn a_step_that_does_not_divide_the_duration_is_refused() {
    let message = interface(&["--step", "0.3"]).expect_err("no such step").to_string();
    assert!(message.starts_with("`--step 0.3`: expected a step"), "{message}");
}

/// What the example prints.
fn interface(words: &[&str]) -> Result<String, Box<dyn std::error::Error>> {
    crate::interface::run(&crate::interface::Arguments::parse_from(["interface"].iter().chain(words)))
}

/// The object that the example prints.
fn flexible(words: &[&str]) -> Value {
    let arguments = crate::flexible::Arguments::parse_from(["flexible"].iter().chain(words));
    let text = crate::flexible::run(&arguments).expect("a result");
    serde_json::from_str(&text).expect("JSON")
}

/// An empty folder of a test's own.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = crate::common::folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

const DECK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fmus/flexible_body/arm.inp");

#[test]
fn an_imported_deck_becomes_an_fmu_that_moves() {
    use macrostep_description::rules;
    use macrostep_import::fmu::{Fmu, FmuOptions};
    use macrostep_master::unit::{Steps, Unit, Values};

    let folder = folder("flex-import");
    let path = folder.join("boom.fmu");
    let (out, fmu) = (folder.to_str().expect("UTF-8"), path.to_str().expect("UTF-8"));
    let connectors = ["--connector", "root=HINGE", "--connector", "tip=TIP"];
    let rest = ["--reduce", "cb:12+10", "--joint", "clamp", "--alpha", "8", "--fmu", fmu, "--out", out, "--json"];
    let found = json(&[&["flex", "import", DECK], connectors.as_slice(), &rest].concat());
    assert!((found["mass_kg"].as_f64().expect("a mass") / (7850.0 * 1.8e-4) - 1.0).abs() < 1e-9);
    assert_eq!((&found["elastic_coordinates"], &found["geometric_stiffness"]), (&16.into(), &true.into()));
    assert!(found["dc_error"].as_f64().expect("an error") < 1e-5);
    assert!(numbers(&found["frequency_errors"]).iter().all(|e| e.abs() < 1.6e-2), "{found}");
    // Only the modes that are off by more than 1 % are warned about, each by its number.
    let errors = numbers(&found["frequency_errors"]);
    let off: Vec<usize> = (0..errors.len()).filter(|i| errors[*i].abs() > 0.01).map(|i| i + 1).collect();
    let warnings = found["warnings"].as_array().expect("a list");
    assert_eq!(warnings.len(), usize::from(!off.is_empty()), "{found}");
    for mode in off {
        assert!(warnings[0].as_str().is_some_and(|w| w.contains(&format!("{mode} ("))), "{found}");
    }
    // Six rigid motions: exactly 0, with what counts as 0; the raw values stand beside.
    let free = numbers(&found["free_frequencies_hz"]);
    assert_eq!(free[..6], [0.0; 6]);
    assert!(numbers(&found["free_eigenvalues_rad2_s2"]).len() == free.len());
    assert!(found["free_frequencies_zero_below_hz"].as_f64().is_some_and(|f| f > 0.0 && f < 0.01 * free[6]));
    // Clamped–free bending about the weak axis: 0.5596 √(EI/ρA)/L².
    let first = numbers(&found["full_frequencies_hz"])[0];
    let exact = 0.559_6 * (2e11_f64 * 0.006 * 0.006 / 12.0 / 7850.0).sqrt();
    assert!((first / exact - 1.0).abs() < 0.02, "{first} {exact}");
    assert!(folder.join("body.png").metadata().is_ok_and(|m| m.len() > 2000));

    // Clamped under a tip load it settles at F L³/3EI.
    let fmu = Fmu::from_bytes("boom", &std::fs::read(&path).expect("the FMU")).expect("an FMU");
    assert_eq!(rules::check(fmu.description()), []);
    assert_eq!(fmu.description().model_name, "boom");
    let mut unit = fmu.instantiate("boom", &FmuOptions::default()).expect("an instance");
    let reference = |name: &str| fmu.description().variable(name).expect("a variable").value_reference;
    unit.set_real(&[reference("tip.force[2]")], &[0.1]).expect("set");
    unit.setup(0.0, None, None).expect("set up");
    unit.enter_initialization().expect("entered");
    unit.exit_initialization().expect("left");
    for k in 0..300 {
        unit.step(f64::from(k) * 0.02, 0.02, true).expect("a step");
    }
    let mut tip = [0.0];
    unit.get_real(&[reference("tip.r[2]")], &mut tip).expect("get");
    let expected = 0.1 / (3.0 * 2e11 * 0.03 * 0.006_f64.powi(3) / 12.0);
    // A section five times as wide as high and rigid ends make the solid a little stiffer than a beam.
    assert!((tip[0] / expected - 1.0).abs() < 0.02, "{} {expected}", tip[0]);
}

#[test]
fn what_cannot_be_imported_is_refused_in_one_line() {
    let folder = folder("flex-refused");
    let fmu = folder.join("x.fmu");
    let fmu = fmu.to_str().expect("UTF-8");
    let cases: [(&[&str], i32, &str); 6] = [
        (&["--connector", "a=HINGE", "--connector", "b=HINGE"], 1, "belongs to"),
        (&["--connector", "a=NOWHERE"], 2, "NOWHERE"),
        (&["--connector", "a=nodes:1"], 1, "motions of its master"),
        (&["--connector", "1a=HINGE"], 2, "letters"),
        (&["--connector", "a=HINGE", "--reduce", "cb:12+10"], 2, "12 static shapes, expected 6"),
        (&["--connector", "a=HINGE", "--reduce", "magic:3"], 2, "expected `cb:STATIC+MODES`"),
    ];
    for (arguments, code, words) in cases {
        let output = macrostep(&[&["flex", "import", DECK, "--fmu", fmu], arguments].concat());
        let message = String::from_utf8_lossy(&output.stderr);
        let errors: Vec<&str> = message.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(errors.len() == 1 && errors[0].contains(words), "{arguments:?}: {message}");
    }
    assert!(!Path::new(fmu).exists());
}

/// The mesh of `examples/meshes/link.geo`: tetrahedra, and groups made of elements of its ends.
const LINK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/meshes/link.inp");
const ENDS: [&str; 4] = ["--connector", "root=root", "--connector", "tip=tip"];

#[test]
fn a_mesh_of_a_generator_becomes_an_fmu() {
    let folder = folder("flex-generated");
    let fmu = folder.join("link.fmu");
    let fmu = ["--fmu", fmu.to_str().expect("UTF-8"), "--reduce", "cb:12+12", "--json"];
    // Three numbers, with commas or with blanks between them, before or after the mesh.
    let materials: [&[&str]; 4] = [
        &[LINK, "--material", "2.1e11,0.3,7850"],
        &[LINK, "--material", "2.1e11", "0.3", "7850"],
        &["--material", "2.1e11,0.3,7850", LINK],
        &["--material", "2.1e11", "0.3", "7850", LINK],
    ];
    let made = materials.map(|material| json(&[&["flex", "import"], material, &ENDS, &fmu].concat()));
    for found in &made {
        assert_eq!(found["guid"], made[0]["guid"]);
        assert_eq!(numbers(&found["free_frequencies_hz"])[..6], [0.0; 6]);
        assert!(found["notes"][0].as_str().is_some_and(|note| note.contains("CPS6")), "{found}");
    }
    // A density in t/mm³ is asked about.
    let light = ["flex", "import", LINK, "--material", "2.1e5,0.3,7.85e-9"];
    let light = json(&[&light[..], &ENDS, &fmu].concat());
    assert!(light["notes"].to_string().contains("7.85e-9 kg/m³: is the deck in mm or t?"), "{light}");
    // First bending of a clamped bar, 0.5596 √(EI/ρA)/L², with a bore of a quarter of its height.
    let beam = 0.559_6 * (2.1e11_f64 * 0.02 * 0.02 / 12.0 / 7850.0).sqrt() / 0.25_f64.powi(2);
    let first = numbers(&made[0]["full_frequencies_hz"])[0];
    assert!((first / beam - 1.0).abs() < 0.05, "{first} {beam}");
}

#[test]
fn a_wrong_material_is_a_usage_error_that_says_the_form() {
    let folder = folder("flex-material");
    let fmu = folder.join("x.fmu");
    let fmu = ["--fmu", fmu.to_str().expect("UTF-8")];
    let cases: [(&[&str], &str); 5] = [
        (&[], "names no material; give one with `--material E,NU,RHO` in Pa, 1 and kg/m³"),
        (&["--material", "2.1e11,0.3"], "expected `E,NU,RHO`: three numbers, in Pa, 1 and kg/m³"),
        (&["--material", "2.1e11", "steel", "7850"], "expected `E,NU,RHO`"),
        (&["--material", "2.1e11,0.7,7850"], "`poisson` is 0.7, expected a number in (-1, 0.5)"),
        (&["--material", "2.1e11,0.3,7850,1"], "expected `E,NU,RHO`"),
    ];
    for (material, words) in cases {
        let output = macrostep(&[&["flex", "import", LINK], material, &ENDS, &fmu].concat());
        let message = String::from_utf8_lossy(&output.stderr);
        let errors: Vec<&str> = message.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(output.status.code(), Some(2), "{material:?}: {message}");
        assert!(errors.len() == 1 && errors[0].contains(words), "{material:?}: {message}");
    }
}

#[test]
fn the_coupled_pendulum_prints_its_errors() {
    let found = flexible(&["pendulum", "--stop", "0.02", "--native", "--json"]);
    let runs = found["coupled"].as_array().expect("a list");
    let error = |i: usize| runs[i]["tip_error_m"].as_f64().expect("a number");
    assert_eq!(runs.len(), 36);
    assert!(error(7) < error(3) && error(3) < error(0), "{found}");
    assert!(error(0) < 1e-2 && error(7) < 1e-5, "{found}");
    // Integrated acceleration below quadratic extrapolation, the waveform below both.
    assert!(error(18) < 0.1 * error(10) && error(33) < 1e-9, "{found}");
}

/// The deck of the arm with the nodes along the middle of its lower side as the set LOWER; returns how many there are.
fn arm_with_a_lower_side(path: &Path) -> usize {
    let deck = include_str!("../../fmus/flexible_body/arm.inp");
    let at = |line: &&str| -> Option<(u32, f64, f64)> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [label, _, y, z] = fields[..] else { return None };
        Some((label.parse().ok()?, y.parse().ok()?, z.parse().ok()?))
    };
    let nodes = deck.lines().skip(1).take_while(|line| !line.starts_with('*'));
    let is_lower = |(_, y, z): &(u32, f64, f64)| (y + 3e-3).abs() < 1e-9 && z.abs() < 1e-9;
    let labels: Vec<String> =
        nodes.filter_map(|line| at(&line)).filter(is_lower).map(|(n, ..)| n.to_string()).collect();
    let set = format!("*NSET, NSET=LOWER\n{}\n*MATERIAL", labels.join("\n"));
    std::fs::write(path, deck.replace("*MATERIAL", &set)).expect("a deck");
    labels.len()
}

/// The arm falls on a bed of springs under its lower side: through all nodes of this side, and through ten of them.
#[test]
fn a_surface_is_coupled_through_few_nodes_as_through_all() {
    let folder = crate::common::folder(module_path!()).join("surface");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let count = arm_with_a_lower_side(&folder.join("arm.inp"));
    let ends = ["--connector", "hinge=HINGE", "--connector", "tip=TIP", "--surface", "LOWER"];
    // Heights of the tip over time.
    let run = |name: &str, values: usize| -> Vec<f64> {
        let (deck, fmu, out, values) = (path("arm.inp"), path(&format!("{name}.fmu")), path(name), values.to_string());
        let body = ["flex", "surface", &deck, "--values", &values, "--fmu", &fmu, "--out", &out, "--json"];
        let found = json(&[&body[..], &ends].concat());
        assert_eq!(found["full"], 3 * count);
        let maps = std::fs::read_to_string(folder.join(name).join("maps.toml")).expect("maps");
        let system = format!(
            "[experiment]\nstop = 0.05\nstep = 1e-4\n[coupling]\npredict = \"linear\"\n\
             [units.body]\nfmu = \"{name}.fmu\"\nset = {{ joint = \"hinge_z\", \"gravity[2]\" = -9.81, micro_step = 2e-5 }}\n\
             [units.field]\nfmu = \"embedded:spring_field\"\nset = {{ k = 2000.0, y0 = -3e-3 }}\n\
             [record]\nvariables = [\"body.tip.r[2]\"]\n{maps}"
        );
        let system_path = path(&format!("{name}.toml"));
        std::fs::write(&system_path, system).expect("a system");
        let output = macrostep(&["run", &system_path, "--out", &out]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let rows = std::fs::read_to_string(folder.join(name).join("trace.csv")).expect("rows");
        rows.lines().skip(1).map(|row| row.split(',').nth(1).and_then(|y| y.parse().ok()).expect("a height")).collect()
    };
    let (few, all) = (run("few", 30), run("all", 3 * count));
    let largest = all.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
    let off = few.iter().zip(&all).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    println!("{count} nodes: tip {largest:.2e} m at most, off by {off:.2e} m through ten of them");
    // In the air the tip would be 18 mm lower by now.
    assert!(few.len() == 501 && (1e-4..6e-3).contains(&largest), "{largest}");
    // Six nodes in place of ten are 5e-3 off.
    assert!(off < 2e-4 * largest, "{off:e} of {largest:e}");
}

/// The arm falls in water: a hydrostatic pressure on the facets of its skin, by 20 of its 446 nodes. By Archimedes that is less gravity by the
/// ratio of the densities, however the arm turns.
#[test]
fn an_arm_under_water_falls_as_archimedes_says() {
    let folder = folder("under-water");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let (fmu, facets, out) = (path("arm.fmu"), path("skin.fmu"), path("arm"));
    let ends = ["--connector", "hinge=HINGE", "--connector", "tip=TIP", "--values", "60", "--json"];
    let found =
        json(&[&["flex", "surface", DECK, "--fmu", &fmu, "--facets", &facets, "--out", &out], &ends[..]].concat());
    assert_eq!(found["full"], 3 * 446);
    // A row for each facet: 24 × 1 × 2 elements.
    let rows = std::fs::read_to_string(folder.join("arm/facets.csv")).expect("facets");
    let count = rows.lines().count() - 1;
    assert_eq!(count, 2 * (24 + 2 * 24 + 2));
    // A node has a force, and no rotation that a torque could turn.
    let fmu = macrostep_import::fmu::Fmu::from_bytes("arm", &std::fs::read(&fmu).expect("the FMU")).expect("an FMU");
    let nodes: Vec<_> = fmu.description().variables.iter().filter(|v| v.name.starts_with('n')).collect();
    let has = |part: &str| nodes.iter().any(|v| v.name.contains(part));
    assert!(has(".force[1]") && has(".r[1]") && has(".v[1]") && has(".a[1]"));
    assert!(!has(".torque[") && !has(".R[") && !has(".w["));
    // The tip over time, under water and in air with this gravity.
    let run = |name: &str, gravity: f64, more: &str| -> Vec<[f64; 2]> {
        let system = format!(
            "[experiment]\nstop = 0.3\nstep = 5e-3\n[coupling]\npredict = \"linear\"\n\
             [units.body]\nfmu = \"arm.fmu\"\nset = {{ joint = \"hinge_z\", \"gravity[2]\" = {gravity} }}\n\
             [record]\nvariables = [\"body.tip.r[1]\", \"body.tip.r[2]\"]\n{more}"
        );
        let system_path = path(&format!("{name}.toml"));
        std::fs::write(&system_path, system).expect("a system");
        let output = macrostep(&["run", &system_path, "--out", &path(name)]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let rows = std::fs::read_to_string(folder.join(name).join("trace.csv")).expect("rows");
        let row = |row: &str| {
            let mut fields = row.split(',').skip(1).map(|x| x.parse().expect("a number"));
            [fields.next().expect("x"), fields.next().expect("y")]
        };
        rows.lines().skip(1).map(row).collect()
    };
    // The pressure is that of springs: 9810 Pa for each metre below 0, in the middle of each facet.
    let mut water = String::from(
        "[units.field]\nfmu = \"skin.fmu\"\n[units.sea]\nfmu = \"embedded:spring_field\"\nset = { k = 9810.0 }\n[connections]\n",
    );
    for f in 1..=count {
        let middle = 3 * f - 1;
        let pressure = format!("{{ from = \"sea.F[{middle}]\", convert_units = false }}");
        water += &format!("\"sea.u[{middle}]\" = \"field.c[{middle}]\"\n\"field.p[{f}]\" = {pressure}\n");
    }
    water += &std::fs::read_to_string(folder.join("arm/maps.toml")).expect("maps");
    let wet = run("wet", -9.81, &water);
    let dry = run("dry", -9.81 * (1.0 - 1000.0 / 7850.0), "");
    let far = run("far", -9.81, "");
    let apart = |a: &[[f64; 2]]| a.iter().zip(&dry).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max);
    println!("tip fell to {:.3} m, off by {:.2e} m; in air by {:.2e} m", dry[60][1], apart(&wet), apart(&far));
    // The tip falls by more than half a metre, and without water by a twentieth of this more.
    assert!(dry[60][1] < -0.45 && apart(&far) > 0.03);
    assert!(apart(&wet) < 2e-3 * apart(&far), "{:e}", apart(&wet));
    // A node set has no facets.
    let output = macrostep(&[
        "flex",
        "surface",
        DECK,
        "--connector",
        "hinge=HINGE",
        "--surface",
        "NOWHERE",
        "--facets",
        &facets,
    ]);
    assert_eq!(output.status.code(), Some(2));
}

/// Matrices of scipy in the format of ANSYS become an FMU; the frequencies of the free block are those of numpy.
#[test]
fn matrices_of_ansys_become_an_fmu() {
    let folder = folder("ansys");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/flexible/tests/ansys");
    let file = |name: &str| data.join(name).to_str().expect("UTF-8").to_owned();
    let fmu = folder.join("block.fmu").to_str().expect("UTF-8").to_owned();
    let (mesh, stiffness, mass) = (file("block.inp"), file("block.rsa"), file("block.rua"));
    let body = ["--connector", "root=ROOT", "--connector", "tip=TIP", "--reduce", "cb:12+8", "--fmu", &fmu, "--json"];
    let import = |k: &str, m: &[&str]| {
        [&["flex", "import", &mesh, "--stiffness", k], m, &body[..]]
            .concat()
            .iter()
            .map(|s| (*s).to_owned())
            .collect::<Vec<String>>()
    };
    let run = |arguments: &[String]| macrostep(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let found = json(&import(&stiffness, &["--mass", &mass]).iter().map(String::as_str).collect::<Vec<_>>());
    let expected: Vec<f64> = std::fs::read_to_string(file("frequencies.txt"))
        .expect("frequencies")
        .lines()
        .map(|f| f.parse().expect("a number"))
        .collect();
    for (f, e) in numbers(&found["free_frequencies_hz"])[6..].iter().zip(&expected) {
        assert!((f / e - 1.0).abs() < 1e-9, "{f} {e}");
    }
    assert!((found["mass_kg"].as_f64().expect("a mass") / 3.768 - 1.0).abs() < 1e-12);
    // Without a mass, and with both exchanged.
    let refused = [
        (import(&stiffness, &[]), 2, "--mass"),
        (import(&mass, &["--mass", &stiffness, "--dof", &file("block.mapping")]), 1, "exchanged"),
    ];
    for (arguments, code, words) in refused {
        let output = run(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && message.contains(words), "{message}");
    }
}
