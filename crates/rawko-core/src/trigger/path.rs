//! A `path` trigger: a glob over the files in play.
//!
//! `*` and `?` stay within one folder, `**` crosses folders, `{a,b}` chooses.
//! A relative glob matches at the end of a path, whole names only, and a glob
//! that names a folder matches what is below it. A leading `/` means the root
//! of the project.

use crate::trigger::pattern::trim;
use crate::trigger::text::fold;

/// The glob as an anchored regular expression.
pub(crate) fn to_regex(glob: &str) -> String {
    let glob = fold(trim(glob)).replace('\\', "/");
    let glob = glob.strip_prefix("./").unwrap_or(&glob);
    let (start, glob) = match glob.strip_prefix('/') {
        Some(rest) => ("^/?", rest),
        None => ("(?:^|/)", glob),
    };
    format!("{start}{}(?:/.*)?$", body(glob.trim_end_matches('/')))
}

/// Whether each brace and bracket of a glob has its other half.
pub(crate) fn is_balanced(glob: &str) -> bool {
    [('{', '}'), ('[', ']')]
        .iter()
        .all(|&(open, close)| glob.matches(open).count() == glob.matches(close).count())
}

fn body(glob: &str) -> String {
    let balanced = glob.matches('{').count() == glob.matches('}').count();
    let mut out = String::new();
    let mut rest = glob;
    let mut depth = 0_usize;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '*' if rest.starts_with('*') => {
                rest = rest.trim_start_matches('*');
                let whole_name = out.is_empty() || out.ends_with('/');
                match rest.strip_prefix('/').filter(|_| whole_name) {
                    Some(below) => {
                        rest = below;
                        out.push_str("(?:.*/)?");
                    }
                    None => out.push_str(".*"),
                }
            }
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '{' if balanced => {
                depth += 1;
                out.push_str("(?:");
            }
            '}' if balanced && depth > 0 => {
                depth -= 1;
                out.push(')');
            }
            ',' if depth > 0 => out.push('|'),
            c if c.is_ascii_punctuation() && !matches!(c, '/' | '_' | '<' | '>') => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push_str(&")".repeat(depth));
    out
}

/// How much a glob says: a bare wildcard nothing, a kind of file little, a name much.
pub(crate) fn worth(glob: &str) -> f32 {
    let glob = trim(glob);
    let named = glob
        .split(['/', '\\'])
        .filter(|name| !name.starts_with("*.") && !name.starts_with("**"))
        .any(|name| name.chars().filter(|c| c.is_alphanumeric()).count() >= 2);
    let wild = glob.contains(['*', '?', '{']);
    match (named, wild) {
        (true, false) => 1.0,
        (true, true) => 0.9,
        (false, _) if glob.contains(char::is_alphanumeric) => 0.35,
        (false, _) => 0.05,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, file: &str) -> bool {
        regex_lite::Regex::new(&to_regex(glob)).unwrap().is_match(file)
    }

    #[test]
    fn globs_match_the_end_of_paths() {
        for (glob, file) in [
            ("*.rs", "src/main.rs"),
            ("src/**/*.rs", "src/main.rs"),
            ("src/**/*.rs", "crates/a/src/b/c.rs"),
            ("**/auth/**", "src/auth/login.ts"),
            ("{a,b}.{js,ts}", "x/b.ts"),
            ("src/auth", "src/auth/login.ts"),
            ("src/auth/", "src/auth/login.ts"),
            ("./Cargo.toml", "cargo.toml"),
            ("/cargo.toml", "cargo.toml"),
            ("test_?.py", "test_1.py"),
            ("a{b", "a{b"),
            ("a}{b", "a}b"),
        ] {
            assert!(matches(glob, file), "{glob} on {file}");
        }
    }

    #[test]
    fn globs_stay_within_names_and_folders() {
        for (glob, file) in [
            ("src/*.rs", "src/a/b.rs"),
            ("auth.rs", "oauth.rs"),
            ("*.rs", "main.rss"),
            ("/cargo.toml", "crates/a/cargo.toml"),
            ("a.c", "abc"),
        ] {
            assert!(!matches(glob, file), "{glob} on {file}");
        }
    }

    #[test]
    fn a_wildcard_alone_says_nothing() {
        assert!(worth("**/*") < 0.1);
        assert!(worth("*.rs") < worth("src/**/*.rs"));
        assert!(worth("src/**/*.rs") < worth("src/lib.rs"));
    }
}
