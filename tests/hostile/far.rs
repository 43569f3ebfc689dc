//! A slave whose master may be anybody: messages as bytes, as they come from another machine.

use macrostep_import::fmu::Fmu;
use macrostep_import::isolation::{Host, Isolation, Limits};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::make;

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

/// The message that makes an instance of the FMU in a folder.
fn load(folder: &str) -> Vec<u8> {
    let mut bytes = vec![0];
    [folder, "", "slave"].iter().for_each(|part| text(&mut bytes, part));
    bytes.push(0);
    bytes.extend_from_slice(&u64::MAX.to_le_bytes());
    bytes
}

fn host(fmu: &Fmu) -> Host {
    let isolation = Isolation::of(env!("CARGO_BIN_EXE_macrostep").into(), Limits::default());
    let mut reply = Vec::new();
    let host = isolation.host(fmu, &load("/nowhere"), &mut reply).expect("a process");
    assert_eq!(reply, [1, 0, 0, 0, 0, 0, 0, 0, 0], "the folder is the one here: {reply:?}");
    host
}

/// What is no message that makes an instance makes none; a second one chooses no file of this machine.
#[test]
fn the_far_side_chooses_no_files_here() {
    let fmu = Fmu::from_bytes("slave.fmu", &make::fmu(make::XML, &[])).expect("opened");
    let isolation = Isolation::of(env!("CARGO_BIN_EXE_macrostep").into(), Limits::default());
    let good = load("/nowhere");
    let mut reply = Vec::new();
    for length in 0..good.len() {
        assert!(isolation.host(&fmu, &good[..length], &mut reply).is_err(), "{length} bytes");
    }
    let folder = fmu.folder().display().to_string();
    host(&fmu).exchange(&load(&folder), &mut reply);
    let words = String::from_utf8_lossy(&reply).into_owned();
    assert!(reply[8] == 1 && words.contains("could not be read"), "{words}");
}

/// Whatever comes, there is a reply, and in the end at most this slave is gone.
#[test]
fn hostile_messages_are_answered() {
    let fmu = Fmu::from_bytes("slave.fmu", &make::fmu(make::XML, &[])).expect("opened");
    let (mut random, mut slave) = (StdRng::seed_from_u64(34), host(&fmu));
    let mut reply = Vec::new();
    for n in 0..500 {
        let length = random.random_range(0..60);
        let mut message: Vec<u8> = (0..length).map(|_| random.random()).collect();
        // Mostly calls that there are, with lists of few values; none that lets the slave go.
        if let Some(first) = message.first_mut() {
            *first %= 22;
        }
        if let Some(lengths) = message.get_mut(1..9) {
            lengths[usize::from(n % 3 == 0)..].fill(0);
        }
        slave.exchange(&message, &mut reply);
        assert!(reply.len() >= 9, "message {n}: {reply:?}");
        if String::from_utf8_lossy(&reply).contains("its process") {
            slave = host(&fmu);
        }
    }
}
