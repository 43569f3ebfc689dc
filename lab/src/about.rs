//! What there is to choose from: systems with their sliders, and words with their meanings.

use macrostep_system::words::{Control, Correct, Predict, Schedule};
use serde::Serialize;

use crate::answer::Answer;
use crate::map::{POINTS, STEPS_S, STIFFNESSES};
use crate::systems::{System, systems};

/// Everything that controls are made of.
#[derive(Serialize)]
struct About {
    version: &'static str,
    systems: Vec<System>,
    schedule: Vec<Word>,
    predict: Vec<Word>,
    correct: Vec<Word>,
    control: Vec<Word>,
    map: Map,
}

/// A word of a method.
#[derive(Serialize)]
struct Word {
    word: String,
    meaning: String,
}

/// The axes of the stability map.
#[derive(Serialize)]
struct Map {
    points: usize,
    steps_s: [f64; 2],
    stiffnesses: [f64; 2],
}

/// What there is.
///
/// # Errors
/// Where it cannot be written.
pub fn about() -> Result<Answer, String> {
    let word = |word: &str, meaning: &str| Word { word: word.to_owned(), meaning: meaning.to_owned() };
    let about = About {
        version: env!("CARGO_PKG_VERSION"),
        systems: systems(),
        schedule: Schedule::ALL.iter().map(|s| word(s.word(), s.meaning())).collect(),
        predict: Predict::words().map(|(text, meaning)| word(text, meaning)).collect(),
        correct: Correct::ALL.iter().map(|c| word(c.word(), c.meaning())).collect(),
        control: Control::ALL.iter().map(|c| word(c.word(), c.meaning())).collect(),
        map: Map { points: POINTS, steps_s: STEPS_S, stiffnesses: STIFFNESSES },
    };
    Answer::new(&about, Vec::new())
}
