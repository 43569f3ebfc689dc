//! Loggers called with another environment than the FMU was given, as several tools do: NULL, or a small number.

use crate::make;
use crate::run::macrostep;

const SYSTEM: &str = include_str!("../cases/foreign/loggers.toml");

#[test]
fn a_message_belongs_to_the_instance_that_is_running() {
    for (name, environment) in [("logger_one", "(void *)1"), ("logger_null", "NULL")] {
        let folder = make::folder(name);
        let log = format!("s->back->log({environment}, \"x\", ERROR, \"logStatusError\", \"no solution of %d\", 7)");
        let defines = [("AT_STEP", format!("{log}; return ERROR"))];
        let defines: Vec<(&str, &str)> = defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &defines)).expect("the FMU");
        std::fs::write(folder.join("quiet.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
        std::fs::write(folder.join("s.toml"), SYSTEM).expect("the scenario");
        for isolate in [&[][..], &["--isolate"]] {
            let alone = macrostep(&folder, &[&["simulate", "slave.fmu", "--out", "out"][..], isolate].concat());
            assert_eq!((alone.code, alone.rows.as_ref().map(Vec::len)), (Some(1), Some(5)), "{alone:#?}");
            assert!(alone.error().contains("fmi2DoStep returned fmi2Error"), "{alone:#?}");
            assert!(alone.error().contains("no solution of 7"), "{alone:#?}");
            let options = ["run", "s.toml", "--out", "out", "--no-pictures", "--logging-on"];
            let system = macrostep(&folder, &[&options[..], isolate].concat());
            assert_eq!(system.code, Some(1), "{system:#?}");
            assert!(system.error().contains("unit `second`: fmi2DoStep"), "{system:#?}");
            assert!(system.error().contains("no solution of 7"), "{system:#?}");
            assert!(
                system.stderr.contains("log: `second` (fmi2Error, logStatusError): no solution of 7"),
                "{system:#?}"
            );
        }
    }
}

/// In `fmi2Instantiate`, where no instance has been handed out yet, and in `fmi2FreeInstance`.
#[test]
fn the_first_and_the_last_call_may_log() {
    let folder = make::folder("logger_ends");
    let defines = [
        ("AT_INSTANTIATE", "back->log((void *)2, name, OK, \"logAll\", \"made\")"),
        ("AT_FREE", "s->back->log((void *)2, NULL, OK, NULL, \"freed\")"),
    ];
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &defines)).expect("the FMU");
    for isolate in [&[][..], &["--isolate"]] {
        let left =
            macrostep(&folder, &[&["simulate", "slave.fmu", "--out", "out", "--logging-on"][..], isolate].concat());
        assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(11)), "{left:#?}");
        assert!(left.stderr.contains("`slave` (fmi2OK, logAll): made"), "{left:#?}");
        assert!(left.stderr.contains("`slave` (fmi2OK): freed"), "{left:#?}");
    }
}

/// On a thread of the FMU nobody knows whose message it is where several instances are alive; it harms nobody.
#[test]
fn a_thread_of_the_fmu_may_log_with_anything() {
    let folder = make::folder("logger_thread");
    let defines = [
        (
            "AT_LOAD",
            "} static void *say(void *s) { ((slave *)s)->back->log((void *)3, \"x\", OK, \"logAll\", \"aside\"); return 0;",
        ),
        ("AT_STEP", "pthread_t t; pthread_create(&t, 0, say, s); pthread_join(t, 0)"),
    ];
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &defines)).expect("the FMU");
    std::fs::write(folder.join("quiet.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    std::fs::write(folder.join("s.toml"), SYSTEM).expect("the scenario");
    let left = macrostep(&folder, &["simulate", "slave.fmu", "--out", "out", "--logging-on"]);
    assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(11)), "{left:#?}");
    assert!(left.stderr.contains("`slave` (fmi2OK, logAll): aside"), "{left:#?}");
    let left = macrostep(&folder, &["run", "s.toml", "--out", "out", "--no-pictures"]);
    assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(11)), "{left:#?}");
}

/// A message of fmi2Warning counts where the call returns fmi2OK, and one of another kind after it does not hide it.
#[test]
fn warnings_that_are_only_logged_are_told() {
    let folder = make::folder("logger_logged");
    let step = "if (s->steps % 4 == 3) { s->back->log(s->back->environment, \"x\", WARNING, \"w\", \"cold: %d\", s->steps); s->back->log(s->back->environment, \"x\", OK, \"w\", \"fine\"); }";
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[("AT_EVERY_STEP", step)])).expect("the FMU");
    for isolate in [&[][..], &["--isolate"]] {
        let left = macrostep(&folder, &[&["simulate", "slave.fmu", "--out", "out"][..], isolate].concat());
        assert_eq!(left.code, Some(0), "{left:#?}");
        let said = "warning: unit `slave`: fmi2Warning 2 times, the first: fmi2DoStep at t = 0.3 s: cold: 3; the last: fmi2DoStep at t = 0.7 s: cold: 7";
        assert!(left.stderr.contains(said), "{left:#?}");
    }
}

/// Calls that went on with a warning are counted, with the first and the last message, in every place where warnings are.
#[test]
fn warnings_are_told_with_call_time_and_message() {
    let folder = make::folder("logger_warnings");
    let step = "s->back->log(s->back->environment, \"x\", WARNING, \"w\", \"too\\tcold: %d\", ++s->steps); s->x += h * s->u; return WARNING";
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[("AT_EVERY_STEP", step)])).expect("the FMU");
    std::fs::write(folder.join("quiet.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    std::fs::write(folder.join("s.toml"), SYSTEM).expect("the scenario");
    let said = "unit `second`: fmi2Warning 10 times, the first: fmi2DoStep at t = 0 s: too\\tcold: 1; the last: fmi2DoStep at \
                t = 0.9 s: too\\tcold: 10";
    for isolate in [&[][..], &["--isolate"]] {
        let left = macrostep(&folder, &[&["run", "s.toml", "--json"][..], isolate].concat());
        assert_eq!(left.code, Some(0), "{left:#?}");
        assert!(left.stderr.contains(&format!("warning: {said}")), "{left:#?}");
        let summary: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
        assert_eq!(summary["warnings"][0], said, "{summary}");
        assert_eq!((&summary["verdict"]["grade"], &summary["verdict"]["found"]), (&"doubtful".into(), &10.0.into()));
        // Of one FMU alone, too.
        let left = macrostep(&folder, &[&["simulate", "slave.fmu", "--out", "out", "--json"][..], isolate].concat());
        assert_eq!(left.code, Some(0), "{left:#?}");
        let said = said.replace("`second`", "`slave`");
        assert!(left.stderr.contains(&format!("warning: {said}")), "{left:#?}");
        let summary: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
        assert_eq!(summary["warnings"].as_array().and_then(|all| all.last()), Some(&said.into()), "{summary}");
    }
}

/// Of several messages before an error the first one that says an error is the cause.
#[test]
fn the_first_error_message_is_the_cause() {
    let folder = make::folder("logger_cause");
    let say =
        |status: &str, text: &str| format!("s->back->log(s->back->environment, \"x\", {status}, \"c\", \"{text}\")");
    let step =
        [say("OK", "hello"), say("ERROR", "the pipe is empty"), say("ERROR", "so nothing works"), say("OK", "bye")]
            .join("; ");
    let defines = [("AT_STEP", format!("{step}; return ERROR"))];
    let defines: Vec<(&str, &str)> = defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &defines)).expect("the FMU");
    for isolate in [&[][..], &["--isolate"]] {
        let left = macrostep(&folder, &[&["simulate", "slave.fmu", "--out", "out"][..], isolate].concat());
        assert!(left.error().contains(": the pipe is empty (and 2 more messages)"), "{left:#?}");
        assert!(!left.error().contains("bye"), "{left:#?}");
    }
}
