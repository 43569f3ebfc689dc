//! `macrostep docs`: the pages of the documentation, which the program carries.

use clap::Args;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_system::near::nearest;

/// Pages of `docs/` by their names.
macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/", $name, ".md")))),*]
    };
}

/// Each page with its text, in the order in which they are read.
const PAGES: &[(&str, &str)] = pages![
    "start",
    "tutorial",
    "systems",
    "keys",
    "methods",
    "errors",
    "check",
    "containers",
    "remote",
    "sweep",
    "calibration",
    "python",
    "notation",
    "fmus",
    "oscillator",
    "crane",
    "interface",
    "flexible",
    "faces",
    "fmi3",
    "robustness",
    "platforms",
    "other-tools",
    "laboratory",
    "papers",
    "gallery",
    "state-of-the-art",
    "references",
];

/// `macrostep docs`.
#[derive(Debug, Args)]
pub struct DocsArguments {
    /// Page to print, as `methods` or `docs/methods.md` [default: the list of pages]
    #[arg(value_name = "PAGE")]
    pub page: Option<String>,
}

/// Prints a page, or the list of them.
///
/// # Errors
/// [`Failure::Usage`] with the nearest names for a page that does not exist.
pub fn run(arguments: &DocsArguments) -> Result<(), Failure> {
    let Some(asked) = &arguments.page else {
        return print::stream(|out| {
            PAGES.iter().try_for_each(|(name, text)| writeln!(out, "{name:<18}{}", title(text)))
        });
    };
    // As it is typed, as messages name it, and as a link in another page does.
    let name = asked.split('#').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix(".md").unwrap_or(name);
    match PAGES.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => print::stream(|out| out.write_all(text.as_bytes())),
        None => {
            let near = nearest(name, PAGES.iter().map(|(known, _)| *known));
            Err(Failure::Usage(format!("no page `{asked}`; the nearest are `{}`", near.join("`, `"))))
        }
    }
}

/// The first heading of a page.
fn title(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No page of the folder is missing, and each has a title.
    #[test]
    fn all_pages_are_there() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).expect("the folder");
        let names = folder.filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".md")?.to_owned()));
        // The table of contents of the book is no page.
        let mut found: Vec<String> = names.filter(|name| name != "SUMMARY").collect();
        let mut carried: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
        found.sort();
        carried.sort_unstable();
        assert_eq!(found, carried);
        assert!(PAGES.iter().all(|(_, text)| !title(text).is_empty()));
    }
}
