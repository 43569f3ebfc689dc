//! Options in sentences, as keywords of Python.

use super::commands;

/// The same sentence with keywords in the place of options: `predict=linear` for `--predict linear`, `isolate=True` for `--isolate`. What stands
/// in a command that begins with `macrostep` stays, because it is typed in a shell.
pub fn keywords(sentence: &str) -> String {
    let flags: Vec<String> = commands()
        .iter()
        .flat_map(|command| {
            command
                .get_opts()
                .filter(|o| !o.get_action().takes_values())
                .filter_map(|o| o.get_long())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    let mut out = String::with_capacity(sentence.len());
    let (mut rest, mut before) = (sentence, "");
    while let Some(at) = rest.find("--") {
        let (text, option) = rest.split_at(at);
        out.push_str(text);
        before = if text.contains('`') { &text[text.rfind('`').map_or(0, |tick| tick + 1)..] } else { before };
        let name = option[2..].split(|c: char| !(c.is_ascii_lowercase() || c == '-')).next().unwrap_or_default();
        let is_word = !text.ends_with(|c: char| c.is_alphanumeric() || c == '-') && !name.is_empty();
        let is_typed = before.trim_start().starts_with("macrostep");
        if !is_word || is_typed {
            let length = 2 + name.len();
            out.push_str(&option[..length]);
            rest = &option[length..];
            continue;
        }
        out.push_str(&name.replace('-', "_"));
        out.push('=');
        rest = &option[2 + name.len()..];
        if flags.iter().any(|flag| flag == name) {
            out.push_str("True");
            continue;
        }
        rest = rest.strip_prefix('=').unwrap_or(rest);
        // A value in the same quotes.
        let quote = text.chars().next_back().filter(|c| "`'".contains(*c));
        rest = quote.filter(|q| !rest.starts_with(*q)).and_then(|_| rest.strip_prefix(' ')).unwrap_or(rest);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::keywords;

    #[test]
    fn options_become_keywords() {
        let cases = [
            ("`--predict linear` and `--step 1e-3`", "`predict=linear` and `step=1e-3`"),
            ("`--isolate` or `--workers 2` uses", "`isolate=True` or `workers=2` uses"),
            ("`--solver-tolerance`: found 0", "`solver_tolerance=`: found 0"),
            ("invalid value 'x' for '--predict <P>': found", "invalid value 'x' for 'predict=<P>': found"),
            ("`macrostep verify --tolerance 1e-3` tells", "`macrostep verify --tolerance 1e-3` tells"),
            ("a -- b and x--y", "a -- b and x--y"),
            ("`a` and --set=b", "`a` and set=b"),
        ];
        for (sentence, expected) in cases {
            assert_eq!(keywords(sentence), expected);
        }
    }
}
