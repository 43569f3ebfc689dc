//! The functions that the page calls: bytes in, bytes and numbers out.
//!
//! The memory of a WebAssembly module is open to its page, so no `unsafe` code is needed on this side: the page writes the question to where
//! [`question`] says, and reads what [`ask`] has left.
#![allow(unsafe_code)]

use std::cell::RefCell;

use crate::answer::Answer;
use crate::question::Question;
use crate::{about, map, run};

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<(String, Vec<f64>)> = const { RefCell::new((String::new(), Vec::new())) };
}

/// Where a question of so many bytes is to be written.
#[unsafe(no_mangle)]
pub extern "C" fn question(bytes: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(bytes, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question. What cannot be answered is an answer with `error`.
#[unsafe(no_mangle)]
pub extern "C" fn ask() {
    let question = QUESTION.with_borrow(|bytes| serde_json::from_slice::<Question>(bytes));
    let answered = question.map_err(|e| format!("question: {e}")).and_then(|question| answered(&question));
    let answered = answered.unwrap_or_else(|error| Answer::failed(&error));
    ANSWER.with_borrow_mut(|(text, numbers)| (*text, *numbers) = (answered.text, answered.numbers));
}

fn answered(question: &Question) -> Result<Answer, String> {
    match question {
        Question::About => about::about(),
        Question::Run(settings) => run::run(settings),
        Question::Map { settings, rows } => map::map(settings, rows),
    }
}

/// The answer as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|(text, _)| text.as_ptr())
}

/// Its bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    ANSWER.with_borrow(|(text, _)| text.len())
}

/// The numbers that belong to it.
#[unsafe(no_mangle)]
pub extern "C" fn numbers() -> *const f64 {
    ANSWER.with_borrow(|(_, numbers)| numbers.as_ptr())
}

/// How many.
#[unsafe(no_mangle)]
pub extern "C" fn numbers_length() -> usize {
    ANSWER.with_borrow(|(_, numbers)| numbers.len())
}
