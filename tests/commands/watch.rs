//! `run --watch`: the page of a run on the loopback while its rows arrive, gone when the run is over.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A run that is slowed down, its port, and what reads its messages.
fn watched(arguments: &[&str]) -> (Child, u16, BufReader<std::process::ChildStderr>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
    command.args(["run", "case-1", "--step", "0.01", "--json", "--watch"]).args(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut said = BufReader::new(child.stderr.take().expect("messages"));
    let mut line = String::new();
    while !line.contains("http://127.0.0.1:") {
        line.clear();
        assert!(said.read_line(&mut line).expect("a line") > 0, "no address");
    }
    let port = line.trim().trim_end_matches('/').rsplit(':').next().expect("a port").parse().expect("a number");
    (child, port, said)
}

/// Status line and body of an answer; `None` where nobody answers.
fn get(port: u16, path: &str, host: &str) -> Option<(String, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.lines().next()?.to_owned(), body.to_owned()))
}

#[test]
fn the_page_follows_the_run() {
    let (mut child, port, _said) = watched(&["--stop", "6", "--real-time", "3"]);
    let host = format!("127.0.0.1:{port}");
    let (status, page) = get(port, "/", &host).expect("an answer");
    assert!(status.contains("200") && page.contains("fetch(\"data\"") && page.contains("\"live\":true"), "{status}");
    // States that grow, until the last one.
    let rows = |state: &Value| {
        let facts = state["facts"].as_array().expect("facts");
        let fact = facts.iter().find(|fact| fact[0] == "rows").map(|fact| fact[1].as_str().expect("text").to_owned());
        fact.map_or(0, |rows| rows.parse::<u64>().expect("a number"))
    };
    let mut seen = Vec::new();
    let last = loop {
        let (status, body) = get(port, "/data", &host).expect("an answer");
        assert!(status.contains("200"), "{status}");
        let state: Value = serde_json::from_str(&body).expect("JSON");
        seen.push(rows(&state));
        if state["live"] == false {
            break state;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    assert!(seen.windows(2).all(|pair| pair[0] <= pair[1]), "{seen:?}");
    assert!(seen.iter().filter(|rows| (1..601).contains(*rows)).count() > 1, "{seen:?}");
    assert_eq!(seen.last(), Some(&601));
    assert_eq!(last["curves"].as_array().map(Vec::len), Some(5), "{last}");
    assert_eq!(last["tables"][0]["columns"].as_array().map(Vec::len), Some(6), "calls and times of units");
    assert!(child.wait().expect("its end").success());
    assert!(get(port, "/", &host).is_none(), "nobody serves any more");
}

#[test]
fn pages_of_elsewhere_get_nothing() {
    let (mut child, port, _said) = watched(&["--stop", "1000", "--real-time"]);
    for (path, host) in [("/data", "example.org".to_owned()), ("/etc/passwd", format!("127.0.0.1:{port}"))] {
        let (status, body) = get(port, path, &host).expect("an answer");
        assert!(status.contains("404") && !body.contains("curves"), "{status} {body}");
    }
    // Ctrl-C ends the run and the server.
    if cfg!(unix) {
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    } else {
        child.kill().expect("ended");
    }
    assert!(!child.wait().expect("its end").success());
    assert!(get(port, "/", &format!("127.0.0.1:{port}")).is_none());
}

/// Connections that send a byte now and then do not shut the page out, and of two names of a host none is believed.
#[test]
fn heads_have_an_end() {
    let (mut child, port, _said) = watched(&["--stop", "1000", "--real-time"]);
    let host = format!("127.0.0.1:{port}");
    // Two lines: the first one of elsewhere, then the last one.
    for hosts in [format!("example.org\r\nHost: {host}"), format!("{host}\r\nhost: example.org")] {
        let (status, body) = get(port, "/data", &hosts).expect("an answer");
        assert!(status.contains("400") && !body.contains("curves"), "{status} {body}");
    }
    // As many as there may be at a time; each sends a byte every half second.
    let mut slow: Vec<TcpStream> =
        (0..16).map(|_| TcpStream::connect(("127.0.0.1", port)).expect("a connection")).collect();
    let began = std::time::Instant::now();
    let mut served = false;
    while !served && began.elapsed().as_secs() < 6 {
        // Those that were given up take nothing.
        slow.iter_mut().for_each(|stream| drop(stream.write_all(b"G")));
        std::thread::sleep(std::time::Duration::from_millis(500));
        served = get(port, "/data", &host).is_some_and(|(status, _)| status.contains("200"));
    }
    child.kill().expect("ended");
    child.wait().expect("its end");
    assert!(served, "nobody else was served for {:?}", began.elapsed());
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port();
    let run = crate::run::program(&["run", "case-1", "--watch", &port.to_string()]);
    assert_eq!(run.status.code(), Some(1));
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(said.contains(&format!("`--watch {port}`: 127.0.0.1:{port}:")), "{said}");
}
