//! The FMUs this program carries, seen by its own importer and rules.

use macrostep::embedded::{names, packed};
use macrostep_description::{Causality, ModelDescription, rules};
use macrostep_import::fmu::{Fmu, FmuOptions, FmuUnit};
use macrostep_master::unit::{Derivatives, Outcome, States, Steps, Unit, Values};
use macrostep_models::ModelEntry;
use macrostep_slave::{Snapshot, Tangent};

/// The step a model recommends \[s\].
fn step_s(d: &ModelDescription) -> f64 {
    d.default_experiment.as_ref().and_then(|e| e.step_size).expect("a recommended step")
}

/// Every model with its FMU, as it is written to a file.
fn each(mut test: impl FnMut(&ModelEntry, &Fmu)) {
    let models = macrostep_analysis::catalogue::all();
    assert_eq!(models.len(), names().count());
    for entry in &models {
        let bytes = packed(entry.identifier).expect("an embedded FMU");
        test(entry, &Fmu::from_bytes(entry.identifier, bytes).expect("an FMU"));
    }
}

fn ready(fmu: &Fmu) -> FmuUnit {
    let mut unit = fmu.instantiate("own", &FmuOptions::default()).expect("an instance");
    unit.setup(0.0, None, None).expect("set up");
    unit.enter_initialization().expect("initialising");
    unit.exit_initialization().expect("initialised");
    unit
}

fn reals(d: &ModelDescription, causality: Causality) -> Vec<u32> {
    d.variables.iter().filter(|v| v.causality == causality && v.real().is_some()).map(|v| v.value_reference).collect()
}

/// Inputs of step `k`, none smooth.
fn inputs(k: usize, u: &mut [f64]) {
    u.iter_mut().enumerate().for_each(|(i, u)| *u = ((k * 7 + i * 3) % 16) as f64 / 1024.0);
}

#[test]
fn they_say_what_was_declared_and_break_no_rule() {
    each(|entry, fmu| {
        assert_eq!(fmu.description(), &entry.describe());
        assert_eq!(fmu.warnings(), []);
        assert_eq!(rules::check(fmu.description()), []);
        assert_eq!(fmu.load().expect("loaded"), [""; 0]);
        for file in ["documentation/index.html", "documentation/licenses/MIT.txt", "model.png", "resources"] {
            assert!(fmu.folder().join(file).exists(), "{}: {file}", entry.identifier);
        }
        let page = std::fs::read_to_string(fmu.folder().join("documentation/index.html")).expect("the page");
        assert!(page.contains(&entry.documentation_html()), "{}", entry.identifier);
    });
}

#[test]
fn a_wrong_guid_or_an_empty_name_gives_no_instance() {
    each(|_, fmu| {
        assert!(fmu.instantiate("", &FmuOptions::default()).is_err());
        let folder = fmu.folder().join("modelDescription.xml");
        let text = std::fs::read_to_string(&folder).expect("the description");
        let copy = tempfile::tempdir().expect("a folder");
        let wrong = text.replace(&fmu.description().guid, "{wrong}");
        std::fs::write(copy.path().join("modelDescription.xml"), wrong).expect("written");
        for folder in ["binaries", "resources"] {
            copy_folder(&fmu.folder().join(folder), &copy.path().join(folder));
        }
        let error = Fmu::open(copy.path()).expect("an FMU").instantiate("own", &FmuOptions::default());
        let message = error.expect_err("another GUID").to_string();
        assert!(message.contains("fmi2Instantiate returned NULL: ") && message.contains("{wrong}"), "{message}");
    });
}

#[test]
fn without_its_data_there_is_no_instance() {
    each(|entry, fmu| {
        let Some((file, _)) = entry.resources.first() else { return };
        let copy = tempfile::tempdir().expect("a folder");
        copy_folder(fmu.folder(), copy.path());
        let path = copy.path().join("resources").join(file);
        let bytes = std::fs::read(&path).expect("the data");
        let refused = || {
            let made = Fmu::open(copy.path()).expect("an FMU").instantiate("own", &FmuOptions::default());
            made.expect_err("no instance").to_string()
        };
        std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("written");
        assert!(refused().contains(file), "{}", refused());
        std::fs::remove_file(&path).expect("removed");
        assert!(refused().contains(file), "{}", refused());
        // Other data of the right form: another declaration, so another GUID.
        let mut other = bytes;
        *other.last_mut().expect("bytes") ^= 1;
        std::fs::write(&path, other).expect("written");
        refused();
    });
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// The native unit and the FMU give equal bits, through a rollback and a state that goes from one to the other.
#[test]
fn native_and_fmu_agree_to_the_bit() {
    each(|entry, fmu| {
        let d = entry.describe();
        let (inputs_at, outputs_at) = (reals(&d, Causality::Input), reals(&d, Causality::Output));
        let step_s = step_s(&d);
        let (mut u, mut y, mut z) =
            (vec![0.0; inputs_at.len()], vec![0.0; outputs_at.len()], vec![0.0; outputs_at.len()]);
        let mut unit = ready(fmu);
        let mut native = entry.instantiate("own");
        native.setup_experiment(0.0, None, None).expect("set up");
        native.enter_initialization().expect("initialising");
        native.exit_initialization().expect("initialised");
        for k in 0..100 {
            let t_s = k as f64 * step_s;
            inputs(k, &mut u);
            if k == 50 {
                // Something else first, then back.
                unit.save(0).expect("saved");
                unit.set_real(&inputs_at, &vec![0.5; u.len()]).expect("set");
                unit.step(t_s, step_s, false).expect("a step");
                unit.restore(0).expect("restored");
            }
            unit.set_real(&inputs_at, &u).expect("set");
            native.set_real(&inputs_at, &u).expect("set");
            assert_eq!(unit.step(t_s, step_s, true), Ok(Outcome::Done));
            native.do_step(t_s, step_s, true).expect("a step");
            unit.get_real(&outputs_at, &mut y).expect("read");
            native.get_real(&outputs_at, &mut z).expect("read");
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&y), bits(&z), "{} at step {k}", entry.identifier);
        }
        assert_eq!(unit.do_steps(), 101);
        let mut snapshot = Snapshot::default();
        native.save(&mut snapshot).expect("saved");
        let mut bytes = vec![0; native.serialized_size(&snapshot).expect("a size")];
        native.serialize(&snapshot, &mut bytes).expect("serialised");
        assert_eq!(unit.serialize().expect("serialised"), bytes, "{}", entry.identifier);
        let mut fresh = ready(fmu);
        fresh.deserialize(&bytes).expect("a state");
        fresh.get_real(&outputs_at, &mut y).expect("read");
        assert_eq!(y, z, "{}", entry.identifier);
    });
}

#[test]
fn directional_derivatives_come_through() {
    each(|entry, fmu| {
        assert!(fmu.capabilities().provides_directional_derivative, "{}", entry.identifier);
        let d = fmu.description();
        let (known, unknown) = (reals(d, Causality::Input), reals(d, Causality::Output));
        let mut derivatives = vec![f64::NAN; unknown.len()];
        let seed: Vec<f64> = (0..known.len()).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect();
        ready(fmu).directional(Tangent::new(&unknown, &known, &seed, &mut derivatives)).expect("derivatives");
        assert!(derivatives.iter().all(|x| x.is_finite()), "{}: {derivatives:?}", entry.identifier);
    });
}
