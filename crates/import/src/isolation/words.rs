//! Texts that the program and the watching process share.

use std::path::Path;

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

/// What is wrong with the file of rows at this path, `shown` in messages, where it is shorter than what was written to it, or is gone.
pub fn shortened(rows: u64, bytes: u64, (path, shown): (&Path, &str)) -> Option<String> {
    let found = match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() || metadata.len() >= bytes => return None,
        Ok(metadata) => format!("{} bytes", metadata.len()),
        Err(_) if bytes == 0 => return None,
        Err(error) => error.to_string(),
    };
    Some(format!(
        "`{shown}` was cut while it was written: found {found}, expected the {bytes} bytes of {rows} rows; run again with `--out` in a folder that \
         nothing else writes to"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that was made shorter, or is gone, does not have the rows; a longer one, or what is no file, may have them.
    #[test]
    fn a_file_that_was_cut_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trace.csv");
        let told = |bytes| shortened(3, bytes, (&path, "out/trace.csv"));
        assert!(told(0).is_none() && told(10).is_some_and(|text| text.contains("expected the 10 bytes of 3 rows")));
        std::fs::write(&path, "0123456789").expect("a file");
        assert!(told(9).is_none() && told(10).is_none());
        let text = told(11).expect("a text");
        assert!(
            text.starts_with("`out/trace.csv` was cut while it was written: found 10 bytes, expected the 11 bytes"),
            "{text}"
        );
        assert!(shortened(3, 11, (Path::new("/dev/null"), "/dev/null")).is_none());
    }
}
