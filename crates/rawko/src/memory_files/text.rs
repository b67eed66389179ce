//! What the tool says about texts, in the vendor's words.

use super::path::FilePath;

/// Longest file that is shown, in lines; also the width of a line number.
const MOST_LINES: usize = 999_999;
const WIDTH: usize = 6;
/// Levels of folders that a listing shows.
const LEVELS: usize = 2;

/// A file with line numbers.
pub(super) fn numbered(given: &str, text: &str, range: Option<(i64, i64)>) -> Result<String, String> {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() > MOST_LINES {
        return Err(format!("File {given} exceeds maximum line limit of 999,999 lines."));
    }
    let (first, last) = match range {
        None => (1, lines.len()),
        Some((first, last)) => {
            let first = usize::try_from(first.max(1)).unwrap_or(1);
            let last = if last == -1 { lines.len() } else { usize::try_from(last).unwrap_or(0) };
            (first, last.min(lines.len()))
        }
    };
    let shown = lines.iter().enumerate().take(last).skip(first - 1);
    let shown: Vec<String> = shown.map(|(n, line)| format!("{:>WIDTH$}\t{line}", n + 1)).collect();
    Ok(format!("Here's the content of {given} with line numbers:\n{}", shown.join("\n")))
}

/// A folder, with the sizes of what is in it.
pub(super) fn listing(given: &str, folder: &FilePath, files: &[(&FilePath, usize)]) -> String {
    let given = given.trim_end_matches('/');
    let all: usize = files.iter().map(|(_, bytes)| bytes).sum();
    let mut lines = vec![format!("{}\t{given}", size(all))];
    let mut told: Vec<String> = Vec::new();
    for (path, bytes) in files {
        let parts: Vec<&str> = path.within(folder).split('/').collect();
        if parts.iter().any(|part| part.starts_with('.') || *part == "node_modules") {
            continue;
        }
        for level in 1..=parts.len().min(LEVELS) {
            let name = parts[..level].join("/");
            if level == parts.len() {
                lines.push(format!("{}\t{given}/{name}", size(*bytes)));
            } else if !told.contains(&name) {
                let prefix = format!("{}/{name}/", folder.as_str());
                let below = files.iter().filter(|(path, _)| path.as_str().starts_with(&prefix));
                lines.push(format!("{}\t{given}/{name}/", size(below.map(|(_, bytes)| bytes).sum())));
                told.push(name);
            }
        }
    }
    format!(
        "Here're the files and directories up to 2 levels deep in {given}, excluding hidden items and node_modules:\n{}",
        lines.join("\n")
    )
}

/// A size as the tool writes it: one decimal, unless it is whole.
fn size(bytes: usize) -> String {
    let units = ["B", "K", "M", "G"];
    let unit = (bytes.max(1).ilog2() as usize / 10).min(units.len() - 1);
    let value = bytes as f64 / 1024_f64.powi(i32::try_from(unit).unwrap_or(0));
    if value.fract() == 0.0 {
        format!("{value:.0}{}", units[unit])
    } else {
        format!("{value:.1}{}", units[unit])
    }
}

/// The text with `old`, which must stand there once, replaced; and the lines around it.
pub(super) fn replaced(given: &str, text: &str, old: &str, new: &str) -> Result<(String, String), String> {
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(old).filter(|_| !old.is_empty()) {
        places.push(from + at);
        from += at + text[from + at..].chars().next().map_or(1, char::len_utf8);
    }
    match places[..] {
        [] => {
            Err(format!("No replacement was performed, old_str `{old}` did not appear verbatim in {given}."))
        }
        [at] => {
            let edited = format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
            let changed = line_of(at);
            let (first, last) = (changed.saturating_sub(2).max(1), changed + 2);
            let lines = edited.split('\n').enumerate().take(last).skip(first - 1);
            let snippet: Vec<String> = lines.map(|(n, line)| format!("{:>WIDTH$}\t{line}", n + 1)).collect();
            let snippet = snippet.join("\n");
            Ok((edited, snippet))
        }
        _ => {
            let lines: Vec<String> = places.iter().map(|&at| line_of(at).to_string()).collect();
            Err(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
                lines.join(", ")
            ))
        }
    }
}

/// The text with lines put in behind line `line`.
pub(super) fn inserted(text: &str, line: i64, inserted: &str) -> Result<String, String> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let Some(at) = usize::try_from(line).ok().filter(|at| *at <= lines.len()) else {
        return Err(format!(
            "Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {}]",
            lines.len()
        ));
    };
    lines.insert(at, inserted.trim_end_matches('\n'));
    Ok(format!("{}\n", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_decimal_unless_whole() {
        for (bytes, want) in [
            (0, "0B"),
            (1, "1B"),
            (1023, "1023B"),
            (1024, "1K"),
            (1536, "1.5K"),
            (4096, "4K"),
            (1_572_864, "1.5M"),
        ] {
            assert_eq!(size(bytes), want);
        }
    }

    #[test]
    fn a_replacement_shows_five_lines() {
        let (edited, snippet) = replaced("/memories/x", "a\nb\nc\nd\ne\nf\ng", "d", "ü").expect("once");
        assert_eq!(edited, "a\nb\nc\nü\ne\nf\ng");
        assert_eq!(snippet, "     2\tb\n     3\tc\n     4\tü\n     5\te\n     6\tf");
        assert!(replaced("/memories/x", "aaa", "aa", "b").is_err(), "occurrences may overlap");
    }

    #[test]
    fn lines_go_in_behind_a_line() {
        assert_eq!(inserted("a\nb\n", 0, "x\n").as_deref(), Ok("x\na\nb\n"));
        assert_eq!(inserted("a\nb", 2, "x").as_deref(), Ok("a\nb\nx\n"));
        assert_eq!(inserted("", 0, "x").as_deref(), Ok("x\n"));
        assert!(inserted("a\nb\n", 3, "x").is_err() && inserted("a", -1, "x").is_err());
    }
}
