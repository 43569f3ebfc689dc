//! Texts that the program and the watching process share.

use macrostep_description::shown;

/// Where the rows of a run that failed are, as the end of a sentence; empty where they go nowhere.
pub fn kept(rows: u64, last_s: Option<f64>, file: &str) -> String {
    let up_to = last_s.map(|t_s| format!(" up to t = {} s", shown::time(t_s))).unwrap_or_default();
    match rows {
        _ if file.is_empty() => String::new(),
        0 => "; no row was recorded before".to_owned(),
        1 => format!("; 1 row{up_to} is in `{file}`"),
        n => format!("; {n} rows{up_to} are in `{file}`"),
    }
}
