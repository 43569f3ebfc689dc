//! The laboratory: scenarios of native models, run in a browser.
//!
//! ```text
//! controls ─► Question (JSON) ─► Scenario ─► TOML, shown ─► reader ─► assemble ─► Simulation ─► rows ─► curves
//!                                                                          solution ─┘
//! ```
//!
//! The page writes its question at [`question()`], asks by [`ask`] and reads the answer at [`answer()`] and [`numbers`]. Everything behind that is the program's own: words,
//! scenarios, reader, master, models, solutions, stability. Nothing is computed in the page but places on the screen.

mod about;
mod answer;
mod command;
mod exports;
mod map;
mod others;
mod pair;
mod question;
mod run;
mod systems;

pub use exports::{answer, answer_length, ask, numbers, numbers_length, question};

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings that a link asks for: the beginning of its system, and what the fragment says, as `settings.js` reads it.
    fn settings(fragment: &str) -> question::Settings {
        let said: Vec<(&str, &str)> = fragment.split('&').map(|part| part.split_once('=').expect("a value")).collect();
        let (_, name) = said.iter().find(|(key, _)| *key == "system").expect("a system");
        let system = systems::systems().into_iter().find(|s| s.name == *name).expect("a system of the laboratory");
        let mut settings = serde_json::json!({
            "system": name, "cut": system.cuts[0].0, "schedule": system.schedule, "predict": system.predict, "correct": system.correct,
            "control": "fixed", "control_tolerance": 1e-4, "step": system.step, "stop": system.stop, "rate": "1", "fast": "2", "values": {},
        });
        for (key, value) in said {
            let number = || value.parse::<f64>().expect("a number");
            match settings.get(key) {
                Some(known) if known.is_number() => settings[key] = number().into(),
                Some(_) => settings[key] = value.into(),
                None => {
                    assert!(system.sliders.iter().any(|slider| slider.name == key), "`{key}` of `{fragment}`");
                    settings["values"][key] = number().into();
                }
            }
        }
        assert!(system.cuts.iter().any(|cut| settings["cut"] == cut.0), "the cut of `{fragment}`");
        serde_json::from_value(settings).expect("settings")
    }

    /// Steps that are chosen: each is shown, they fill the run, and rows are compared at the times they have.
    #[test]
    fn chosen_steps_are_shown() {
        let fragment = "system=pair&cut=f-f&control=error&control_tolerance=1e-5&step=0.1";
        let answer = run::run(&settings(fragment)).expect("a run");
        let json: serde_json::Value = serde_json::from_str(&answer.text).expect("JSON");
        let rows = json["rows"].as_u64().expect("rows") as usize;
        let names: Vec<&str> =
            json["columns"].as_array().expect("columns").iter().filter_map(|c| c["name"].as_str()).collect();
        let column = |name: &str| {
            let place = names.iter().position(|known| *known == name).expect("a column");
            &answer.numbers[place * rows..][..rows]
        };
        let (times, steps) = (column("time"), column("step"));
        assert!((steps[1..].iter().sum::<f64>() - 10.0).abs() < 1e-9 && times[rows - 1] == 10.0);
        assert!(steps.iter().all(|step| (0.1 / 1024.0 - 1e-12..0.1 + 1e-12).contains(step)));
        // `macrostep oscillator` has 7.0e-5 against the exact solution, see docs/methods.md.
        let off = json["off"].as_f64().expect("an error");
        assert!((6e-5..8e-5).contains(&off), "{off}");
        assert!(json["commands"].to_string().contains("--control error --control-tolerance 1e-5"));
        assert_eq!(json["panels"][3]["stairs"], true);
        // Where there would be too many of them, this is said.
        let fragment = "system=pair&cut=f-f&control=ecco&control_tolerance=1e-15&step=0.001&stop=200";
        let refused = run::run(&settings(fragment)).map(|_| ()).expect_err("too many");
        assert!(refused.contains("100000 macro steps"), "{refused}");
    }

    /// Every link of the documents into the laboratory has settings that there are, and a run to show.
    #[test]
    fn links_of_the_documents_show_a_run() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let mut links = 0;
        for file in std::fs::read_dir(docs).expect("docs").filter_map(|entry| Some(entry.ok()?.path())) {
            let text =
                if file.extension().is_some_and(|e| e == "md") { std::fs::read_to_string(&file) } else { continue };
            let text = text.expect("text");
            let mut parts = text.split("](lab/laboratory.html#");
            let mut before = parts.next().expect("a text");
            for link in parts {
                let (label, fragment) = (before.rsplit('[').next(), link.split(')').next().expect("an end"));
                before = link;
                let answer = run::run(&settings(fragment)).unwrap_or_else(|why| panic!("`{fragment}`: {why}"));
                let json: serde_json::Value = serde_json::from_str(&answer.text).expect("JSON");
                println!("{fragment}: {}", json["verdict"]);
                // Where a link is named by a verdict, it is that one.
                if let Some(word @ ("ok" | "doubtful" | "growing")) = label {
                    assert_eq!(json["verdict"], word, "`{fragment}`");
                }
                assert!(json.get("error").is_none_or(serde_json::Value::is_null), "`{fragment}`: {}", json["error"]);
                links += 1;
            }
        }
        assert!(links >= 30, "{links} links");
    }
}
