//! Paths in commands and errors: one spelling for one file, and names that are made up anew each time.

/// The folder of a repository and where in it a command is started; both without a trailing slash.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The repository's folder, absolute.
    pub root: &'a str,
    /// The working folder, absolute or below the root.
    pub cwd: &'a str,
}

/// Joins and tidies: no `.`, no `//`, `..` taken back where it can be; `None` if it leaves the root.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// A path below the root, relative to it; `None` for any other.
pub(super) fn inside(at: At<'_>, folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        let rest = path.strip_prefix(at.root.trim_end_matches('/'))?;
        return (rest.is_empty() || rest.starts_with('/')).then(|| join("", rest)).flatten();
    }
    if path.starts_with('~') || path.starts_with('$') {
        return None;
    }
    join(folder, path)
}

/// A word with the shell's names for where it is written out: `$PWD/x`, `$(git rev-parse --show-toplevel)/x`.
pub(super) fn written_out(at: At<'_>, folder: &str, word: &str) -> String {
    if !word.contains(['$', '`']) {
        return word.to_owned();
    }
    let root = at.root.trim_end_matches('/');
    let here = match folder {
        "" => root.to_owned(),
        folder if folder.starts_with('/') => folder.to_owned(),
        folder => format!("{root}/{folder}"),
    };
    let word = word.replace("$(git rev-parse --show-toplevel)", root);
    let word = ["${PWD}", "$(pwd)", "`pwd`"].iter().fold(word, |word, name| word.replace(name, &here));
    let mut parts = word.split("$PWD");
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // `$PWD_OLD` is another.
        let longer = part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        written.push_str(if longer { "$PWD" } else { &here });
        written.push_str(part);
    }
    written
}

/// `path`, which is relative to the root, as seen from `folder`.
pub(super) fn seen_from(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut parts = vec![".."; from.len() - shared];
    parts.extend(&to[shared..]);
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// Whether a path is in a folder for temporary files.
pub(super) fn is_temporary(path: &str) -> bool {
    [
        "/tmp/",
        "/var/tmp/",
        "/private/tmp/",
        "/var/folders/",
        "/private/var/folders/",
        "/dev/shm/",
        "$TMPDIR/",
        "${TMPDIR}/",
    ]
    .iter()
    .any(|folder| path.starts_with(folder))
}

/// A temporary path with its random parts taken out.
pub(super) fn without_random(path: &str) -> String {
    let part = |part: &str| -> String {
        let pieces: Vec<&str> = part.split_inclusive(['.', '-', '_']).collect();
        pieces
            .iter()
            .map(|piece| {
                let word = piece.trim_end_matches(['.', '-', '_']);
                if is_random(word) { format!("*{}", &piece[word.len()..]) } else { (*piece).to_owned() }
            })
            .collect()
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Whether a piece of a temporary name looks made up: digits, a mix of cases or of letters and digits.
fn is_random(word: &str) -> bool {
    let count = |test: fn(&u8) -> bool| word.bytes().filter(test).count();
    let (digits, upper, lower) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    if word.len() < 3 || digits + upper + lower < word.len() {
        return false;
    }
    let mixed = digits > 0 && upper + lower > 0 && word.len() >= 4;
    let cased = lower > 0 && upper > 0 && !word[1..].bytes().all(|byte| byte.is_ascii_lowercase());
    digits == word.len() || mixed || cased && word.len() >= 4 || upper >= 6
}

/// Whether a word may name a file: it has a slash, or an ending.
pub(super) fn looks_like_path(word: &str) -> bool {
    let plain = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-/+@~%,=[]".contains(&byte) || byte >= 0x80)
    };
    if word.is_empty() || word.len() > 300 || word.starts_with('-') || word.contains("://") || !plain(word) {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    word.contains('/') && word.len() > 1
        || ending
        || name.len() > 2
            && name.starts_with('.')
            && name.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric())
        || matches!(name, "Makefile" | "Dockerfile" | "Gemfile" | "Rakefile")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_spelling() {
        let at = At { root: "/r", cwd: "/r/a" };
        assert_eq!(inside(at, "a", "./b/../c.txt").as_deref(), Some("a/c.txt"));
        assert_eq!(inside(at, "a", "/r/a/c.txt").as_deref(), Some("a/c.txt"));
        assert_eq!(inside(at, "a", "/ra/c.txt"), None);
        assert_eq!(inside(at, "a", "../../x"), None);
        assert_eq!(seen_from("a/b", "a/c/d"), "../c/d");
        assert_eq!(seen_from("a", "a"), ".");
    }

    #[test]
    fn random_names_are_the_same_name() {
        assert_eq!(without_random("/tmp/tmp.aB3xYz/out"), without_random("/tmp/tmp.Qw9k2L/out"));
        assert_eq!(without_random("/tmp/report-4711.xml"), "/tmp/report-*.xml");
        assert_eq!(without_random("/tmp/report.xml"), "/tmp/report.xml");
    }
}
