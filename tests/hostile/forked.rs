//! Slaves that go back by fork: reasons against it are reported, no process outlives the run, and limits hold for the
//! present process of the slave.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use macrostep_import::fmu::Fmu;
use macrostep_import::isolation::IsolatedUnit;
use macrostep_master::unit::{States, Steps, Unit, Values};
use rayon::prelude::*;

use crate::hostile::systems;
use crate::make;
use crate::run::{Left, macrostep};

/// What a slave holds that no copy of its process has, or that copies share.
pub struct Held {
    pub title: &'static str,
    /// What it does when it is instantiated.
    at_instantiate: &'static str,
    says: &'static str,
}

const HELD: &[Held] = &[
    Held {
        title: "a thread",
        at_instantiate: "{ pthread_t p; pthread_create(&p, NULL, sleeper, NULL); }",
        says: "it has started a thread",
    },
    Held {
        title: "a process",
        at_instantiate: "if (fork() == 0) { sleep(3); _exit(0); }",
        says: "it has started a process",
    },
    Held {
        title: "a socket",
        at_instantiate: "{ int two[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, two); }",
        says: "it holds a socket",
    },
    Held { title: "a pipe", at_instantiate: "{ int two[2]; pipe(two); }", says: "it holds a pipe" },
    Held {
        title: "a lock",
        at_instantiate: "flock(open(\"lock\", O_CREAT | O_RDWR, 0600), LOCK_EX)",
        says: "it holds a lock on `",
    },
    Held {
        title: "shared memory",
        at_instantiate: "mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)",
        says: "it has memory that is shared",
    },
];

const SYSTEM: &str = include_str!("../cases/hostile/pair-by-fork.toml");

/// What was met.
pub struct Met {
    pub held: &'static Held,
    pub left: Left,
}

/// Each in a system that repeats its steps.
pub fn all() -> &'static [Met] {
    static MET: OnceLock<Vec<Met>> = OnceLock::new();
    let met = |held: &'static Held| {
        let folder = make::folder(&format!("forked/{}", held.title.replace(' ', "_")));
        std::fs::write(folder.join("a.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
        let bytes = make::fmu(make::XML, &[("AT_INSTANTIATE", held.at_instantiate)]);
        std::fs::write(folder.join("b.fmu"), bytes).expect("the FMU");
        std::fs::write(folder.join("system.toml"), SYSTEM).expect("the system");
        Met { held, left: macrostep(&folder, &["run", "system.toml", "--out", "out"]) }
    };
    MET.get_or_init(|| HELD.par_iter().map(met).collect())
}

#[test]
fn what_a_copy_of_a_process_lacks_is_refused() {
    for Met { held, left } in all() {
        assert_eq!(left.code, Some(1), "{}: {left:#?}", held.title);
        let error = left.error();
        let is_said = error.contains("unit `b`: fmi2GetFMUstate") && error.contains(held.says);
        assert!(is_said && error.contains("without rollback"), "{}: {error}", held.title);
    }
}

/// `explain` has tried whether a unit goes back by fork, and notes recommend only what works.
#[test]
fn what_cannot_go_back_is_not_recommended() {
    for starts_thread in [false, true] {
        let folder = make::folder(&format!("forked_explained_{starts_thread}"));
        let held: &[(&str, &str)] = if starts_thread { &[("AT_INSTANTIATE", HELD[0].at_instantiate)] } else { &[] };
        std::fs::write(folder.join("a.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
        std::fs::write(folder.join("b.fmu"), make::fmu(make::XML, held)).expect("the FMU");
        std::fs::write(folder.join("system.toml"), SYSTEM.replace("newton", "explicit")).expect("the system");
        let left = macrostep(&folder, &["explain", "system.toml", "--no-run"]);
        assert_eq!(left.code, Some(0), "{left:#?}");
        let implicit: Vec<&str> = left.stdout.lines().filter(|line| line.contains("implicit")).collect();
        let said = implicit.join("\n");
        let why = "`b`: no snapshot by fork, because it has started a thread";
        assert_eq!(said.matches(why).count(), if starts_thread { 2 } else { 0 }, "{}", left.stdout);
        assert_eq!(said.contains("implicit: no, `b` cannot go back"), starts_thread, "{said}");
        assert_eq!(said.contains("`--method waveform:4`"), !starts_thread, "{said}");
        assert_eq!(said.contains("yes; `a`, `b` by fork of a process of its own"), !starts_thread, "{said}");
    }
}

#[test]
fn files_that_are_written_are_warned_of_once() {
    let folder = make::folder("forked_files");
    std::fs::write(folder.join("a.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    let writes =
        [("AT_INSTANTIATE", "file = fopen(\"log.txt\", \"w\")"), ("AT_EVERY_STEP", "fprintf(file, \"step\\n\")")];
    std::fs::write(folder.join("b.fmu"), make::fmu(make::XML, &writes)).expect("the FMU");
    std::fs::write(folder.join("system.toml"), SYSTEM).expect("the system");
    let left = macrostep(&folder, &["run", "system.toml", "--json"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    let warnings = left.stderr.lines().filter(|l| l.contains("`b` goes back by fork and writes `")).count();
    assert_eq!(warnings, 1, "{left:#?}");
    // Each step that was made is there once: what a copy had not written yet is not written twice.
    let result: serde_json::Value = serde_json::from_str(&left.stdout).expect("one JSON object");
    let steps = std::fs::read_to_string(folder.join("log.txt")).expect("written").lines().count();
    assert_eq!(result["units"][1]["do_steps"].as_u64(), Some(steps as u64), "{result}");
}

/// Crashes, hangs and want of memory in a step that may be repeated.
#[test]
fn limits_follow_the_process_that_has_the_slave() {
    systems::forked();
}

fn unit() -> IsolatedUnit {
    let fmu = Fmu::from_bytes("slave.fmu", &make::fmu(make::XML, &[])).expect("opened");
    let mut unit = crate::common::isolation().instantiate_by_fork(&fmu, "slave").expect("an instance");
    unit.setup(0.0, None, None).expect("set up");
    unit.enter_initialization().expect("entered");
    unit.exit_initialization().expect("left");
    unit
}

/// Takes `n` steps of 0.5 s with this input; x' = u.
fn step(unit: &mut IsolatedUnit, n: usize, u: f64) {
    unit.set_real(&[0], &[u]).expect("set");
    (0..n).for_each(|_| assert!(unit.step(0.0, 0.5, false).is_ok()));
}

fn x(unit: &mut IsolatedUnit) -> f64 {
    let mut x = [f64::NAN];
    unit.get_real(&[1], &mut x).expect("read");
    x[0]
}

/// Processes of a group: number, state and resident pages of each.
fn group(leader: u32) -> Vec<(u32, char, u64)> {
    let all = std::fs::read_dir("/proc").expect("processes").flatten();
    all.filter_map(|entry| {
        let process: u32 = entry.file_name().to_str()?.parse().ok()?;
        let text = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let fields: Vec<&str> = text.rsplit_once(") ")?.1.split_whitespace().collect();
        let is_member = fields[2].parse() == Ok(leader);
        is_member.then(|| (process, fields[0].chars().next().unwrap_or('?'), fields[21].parse().unwrap_or(0)))
    })
    .collect()
}

/// Waits until the group has so many processes; zombies count.
fn wait_for(leader: u32, n: usize) {
    let began = Instant::now();
    while group(leader).len() != n {
        assert!(began.elapsed() < Duration::from_secs(10), "expected {n}: {:?}", group(leader));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn slots_are_states_of_their_own() {
    let mut unit = unit();
    step(&mut unit, 1, 2.0);
    unit.save(0).expect("saved");
    step(&mut unit, 1, 4.0);
    unit.save(7).expect("saved");
    step(&mut unit, 1, 8.0);
    assert_eq!(x(&mut unit), 7.0);
    for (slot, value) in [(0, 1.0), (7, 3.0), (7, 3.0), (0, 1.0)] {
        unit.restore(slot).expect("put off");
        assert_eq!(x(&mut unit), value, "slot {slot}");
        step(&mut unit, 1, 16.0);
        assert_eq!(x(&mut unit), value + 8.0, "slot {slot}");
    }
    // Back to before another slot was saved: that one stays.
    unit.restore(0).expect("put off");
    unit.save(7).expect("saved");
    step(&mut unit, 3, 1.0);
    unit.restore(7).expect("put off");
    assert_eq!(x(&mut unit), 1.0);
    let never = unit.restore(3).and_then(|()| unit.get_real(&[1], &mut [0.0])).expect_err("refused").to_string();
    assert!(never.contains("fmi2SetFMUstate") && never.contains("slot 3 was never saved"), "{never}");
    assert_eq!(x(&mut unit), 1.0, "a refusal changes nothing");
}

#[test]
fn ten_thousand_rollbacks_leave_no_process_and_no_memory() {
    let mut unit = unit();
    let leader = unit.process();
    let mut pages = Vec::new();
    for n in 0..10_000 {
        unit.save(0).expect("put off");
        step(&mut unit, 1, 1.0);
        unit.restore(0).expect("put off");
        step(&mut unit, 1, 2.0);
        if n == 100 || n == 9_999 {
            assert_eq!(x(&mut unit), f64::from(n + 1));
            // The guard, the process with the slave, and one snapshot.
            wait_for(leader, 3);
            pages.push(group(leader).iter().map(|(_, _, pages)| pages).sum::<u64>());
        }
    }
    assert!(pages[1] <= pages[0] + pages[0] / 10, "pages after 100 and 10 000: {pages:?}");
    drop(unit);
    wait_for(leader, 0);
}

#[test]
fn whatever_is_killed_no_process_is_left() {
    let kill = |process: u32| {
        let killed = std::process::Command::new("kill").args(["-KILL", &process.to_string()]).status();
        assert!(killed.expect("kill").success());
    };
    // The guard is the leader; the snapshots have higher numbers than the slave, as long as none was woken.
    for (victim, says) in [(0, "signal 9"), (1, "signal 9"), (2, "its process was killed")] {
        let mut unit = unit();
        let leader = unit.process();
        unit.save(0).expect("put off");
        step(&mut unit, 1, 1.0);
        wait_for(leader, 3);
        let mut members: Vec<u32> =
            group(leader).iter().map(|(process, ..)| *process).filter(|p| *p != leader).collect();
        members.sort_unstable();
        members.insert(0, leader);
        kill(members[victim]);
        wait_for(leader, if victim == 2 { 2 } else { usize::from(victim < 2) });
        let said = unit.restore(0).and_then(|()| unit.get_real(&[1], &mut [0.0])).expect_err("gone").to_string();
        assert!(said.contains(says), "{victim}: {said}");
        drop(unit);
        wait_for(leader, 0);
    }
}
