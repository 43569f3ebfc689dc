//! Instances: what they are given, what they share, what they leave behind.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::{States, Steps, Unit, Values};

use crate::make::{fmu, fmu_with, ready};

#[test]
fn types_other_than_real() {
    let mut unit = ready(&fmu(), "plain");
    let mut flags = [false, true];
    unit.get_boolean(&[0, 1], &mut flags).expect("booleans");
    assert_eq!(flags, [true, false]);
    let texts = unit.get_string(&[0, 1]).expect("strings");
    assert!(texts[0].starts_with("file:///") && texts[0].ends_with("/resources"), "{texts:?}");
    assert_eq!(texts[1], "");
}

#[test]
fn every_message_arrives_whatever_its_form() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let options = FmuOptions {
        log: Some(Arc::new(move |record| {
            sink.lock().expect("not poisoned").push((
                record.status,
                record.category.to_owned(),
                record.text.to_owned(),
            ));
        })),
        ..FmuOptions::default()
    };
    let _unit = fmu().instantiate("talk", &options).expect("an instance");
    let heard = heard.lock().expect("not poisoned");
    let short: Vec<(i32, &str, &str)> = heard.iter().take(4).map(|(s, c, t)| (*s, c.as_str(), t.as_str())).collect();
    assert_eq!(short, [(0, "a", "x is 7 of  1.50"), (1, "", "100% done, #r12# left"), (0, "b", "%n"), (42, "c", "")]);
    assert_eq!(heard.len(), 6);
    assert_eq!(heard[5].2.len(), 4095);
}

#[test]
fn a_refused_instance_says_why() {
    let error = fmu().instantiate("null", &FmuOptions::default()).expect_err("NULL").to_string();
    assert_eq!(error, "FMU `slave`: instance `null`: fmi2Instantiate returned NULL: not in the mood");
    assert!(fmu().instantiate("a\0b", &FmuOptions::default()).is_err());
}

#[test]
fn log_categories_are_those_declared() {
    let choose = |category: &str| {
        let options = FmuOptions { log_categories: vec![category.to_owned()], ..FmuOptions::default() };
        fmu().instantiate("plain", &options).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(choose("known"), Ok(()));
    assert!(choose("unknown").is_err_and(|e| e.contains("`unknown` is not declared, expected one of `known`")));
}

#[test]
fn states_are_saved_restored_and_given_back() {
    // An archive, and so a library, of its own: the count of states is one for all instances.
    let fmu = Fmu::from_bytes("states", &fmu_with("canRunAsynchronuously=\"false\"", &[])).expect("an FMU");
    let mut watch = ready(&fmu, "plain");
    let mut alive = || {
        let mut count = [0];
        watch.get_integer(&[0], &mut count).expect("the count");
        count[0]
    };
    let mut unit = ready(&fmu, "plain");
    let y = |unit: &mut dyn Unit| {
        let mut y = [0.0];
        unit.get_real(&[1], &mut y).expect("read");
        y[0]
    };
    unit.set_real(&[0], &[1.0]).expect("set");
    unit.save(0).expect("saved");
    unit.step(0.0, 1.0, false).expect("a step");
    unit.save(3).expect("saved");
    unit.save(3).expect("saved again");
    assert_eq!(alive(), 2);
    unit.restore(0).expect("restored");
    assert_eq!(y(&mut unit), 0.0);
    unit.restore(3).expect("restored");
    assert_eq!(y(&mut unit), 1.0);
    assert!(unit.restore(1).is_err_and(|e| e.to_string().contains("slot 1 was never saved")));
    let bytes = unit.serialize().expect("bytes");
    assert_eq!(bytes.len(), 24);
    let mut other = ready(&fmu, "plain");
    other.deserialize(&bytes).expect("a state");
    assert_eq!(y(&mut other), 1.0);
    assert!(other.deserialize(&bytes[1..]).is_err());
    drop((unit, other));
    assert_eq!(alive(), 0);
    let mut huge = ready(&fmu, "huge");
    assert!(huge.serialize().is_err_and(|e| e.to_string().contains("a state of 18446744073709551615 bytes")));
}

#[test]
fn only_one_where_only_one_may_be() {
    let fmu = Fmu::from_bytes("one", &fmu_with("canBeInstantiatedOnlyOncePerProcess=\"true\"", &[])).expect("an FMU");
    let first = ready(&fmu, "plain");
    let error = fmu.instantiate("second", &FmuOptions::default()).expect_err("one is alive").to_string();
    assert!(error.contains("run each in a process of its own"), "{error}");
    drop(first);
    let _second = ready(&fmu, "plain");
}

#[test]
fn an_fmu_opened_again_is_the_same_and_is_removed_at_the_end() {
    let bytes = fmu_with("canInterpolateInputs=\"false\"", &[]);
    let start = Instant::now();
    let units: Vec<_> = (0..1000)
        .map(|_| {
            Fmu::from_bytes("again", &bytes)
                .expect("an FMU")
                .instantiate("plain", &FmuOptions::default())
                .expect("an instance")
        })
        .collect();
    println!("1000 instances in {:?}", start.elapsed());
    let fmu = Fmu::from_bytes("again", &bytes).expect("an FMU");
    let folder = fmu.folder().to_owned();
    assert!(folder.join("resources").is_dir());
    assert_eq!(fmu.load().expect("loaded").len(), 1, "NULL for the platform of the types");
    drop(fmu);
    assert!(folder.exists());
    drop(units);
    assert!(!folder.exists());
}

#[test]
fn a_folder_opens_like_an_archive() {
    let packed = fmu();
    let fmu = Fmu::open(packed.folder()).expect("a folder");
    drop(ready(&fmu, "plain"));
    drop(fmu);
    assert!(packed.folder().exists());
}
