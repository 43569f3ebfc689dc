//! What slaves have warned of.

use macrostep_master::{Grade, Simulation, Verdict};

/// Warnings of slaves, a sentence each, and the verdict that they are.
pub fn told(simulation: &mut Simulation) -> (Vec<String>, Verdict) {
    let warned = simulation.warned();
    let sentences: Vec<String> = warned.iter().map(|(unit, warned)| warned.sentence(unit)).collect();
    sentences.iter().for_each(|sentence| eprintln!("warning: {sentence}"));
    let count: u64 = warned.iter().map(|(_, warned)| warned.count).sum();
    let reason = format!("slaves returned fmi2Warning {count} times; the warnings say when and why");
    let verdict = Verdict::new(Grade::Doubtful, reason, Some(count as f64));
    (sentences, if count > 0 { verdict } else { Verdict::default() })
}
