//! Runs the program and collects its output and files.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What a command left.
#[derive(Debug, Clone)]
pub struct Left {
    /// What was typed.
    pub command: String,
    /// Exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Lines of `out/trace.csv` without the first; `None` where there is no such file.
    pub rows: Option<Vec<String>>,
}

/// Longer than this is a hang.
const PATIENCE: Duration = Duration::from_secs(240);

/// `macrostep` with these arguments in a folder.
pub fn macrostep(folder: &Path, arguments: &[&str]) -> Left {
    let file = |name: &str| File::create(folder.join(name)).expect("a file for output");
    let mut child = Command::new(env!("CARGO_BIN_EXE_macrostep"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file("stdout"))
        .stderr(file("stderr"))
        .spawn()
        .expect("the program starts");
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("its status") {
            break status;
        }
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("`macrostep {}` hangs", arguments.join(" "));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |name: &str| String::from_utf8_lossy(&std::fs::read(folder.join(name)).expect("output")).into_owned();
    let rows = std::fs::read_to_string(folder.join("out/trace.csv")).ok();
    Left {
        command: format!("macrostep {}", arguments.join(" ")),
        code: status.code(),
        stdout: text("stdout"),
        stderr: text("stderr"),
        rows: rows.map(|csv| csv.lines().skip(1).map(str::to_owned).collect()),
    }
}

/// `macrostep` with these arguments, in the folder of the tests.
pub fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).output().expect("the program starts")
}

/// The same, which must end well.
#[track_caller]
pub fn done(arguments: &[&str]) -> Output {
    let output = program(arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "macrostep {}: {message}", arguments.join(" "));
    output
}

/// What it prints, as JSON.
#[track_caller]
pub fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_slice(&done(arguments).stdout).expect("one JSON object")
}

/// The largest error of an output beside the solution of a run, relative to its amplitude.
#[track_caller]
pub fn error(run: &serde_json::Value, name: &str) -> f64 {
    let outputs = run["errors"]["outputs"].as_array().expect("errors");
    let output = outputs.iter().find(|output| output["name"] == name).expect("the output");
    output["relative"].as_f64().expect("a number")
}

impl Left {
    /// The only line that begins with `error: `, with what differs from run to run left out.
    pub fn error(&self) -> String {
        let errors: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        let [error] = errors.as_slice() else { panic!("expected one error: {self:#?}") };
        // The memory found depends on the moment somebody looked.
        match (error.find("process had "), error.find(" MiB of memory, expected")) {
            (Some(from), Some(to)) => format!("{}process had …{}", &error[..from], &error[to..]),
            _ => (*error).to_owned(),
        }
    }
}
