//! What of a working tree is made rather than written.
//!
//! Only the plain core of `.gitignore` is understood, and a line that takes
//! something back is left out: passing over a file too many makes something
//! "gone" instead of "moved", which is the careful side.

use std::fs::File;
use std::path::Path;

use super::{open_inside, read_bounded};

/// Folders that hold what tools made, in nearly every repository.
const MADE: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".rawko",
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    "vendor",
    "venv",
    ".venv",
    "__pycache__",
    ".tox",
    ".mypy_cache",
    ".pytest_cache",
    ".idea",
    ".gradle",
    ".next",
    "coverage",
];
/// Longest ignore file that is read.
const LONGEST: u64 = 64 * 1024;

/// The patterns of the repository's own ignore files.
pub(super) struct Ignored {
    patterns: Vec<Pattern>,
}

struct Pattern {
    text: String,
    /// Matches from the root, not in every folder.
    rooted: bool,
    folders_only: bool,
}

impl Ignored {
    /// Reads `.gitignore` and git's own exclusions at `root`.
    pub(super) fn read(root: &Path) -> Self {
        let files = [".gitignore", ".git/info/exclude"].map(|name| open_inside(root, Path::new(name)));
        let text = |file: File| read_bounded(file, LONGEST).ok();
        let texts = files.into_iter().flatten().filter_map(text);
        let patterns = texts.flat_map(|bytes| {
            String::from_utf8_lossy(&bytes).lines().filter_map(pattern).collect::<Vec<_>>()
        });
        Self { patterns: patterns.collect() }
    }

    /// Whether a path is ignored; its folders have been asked before.
    pub(super) fn covers(&self, path: &str, is_folder: bool) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_folder && MADE.contains(&name) {
            return true;
        }
        self.patterns.iter().any(|pattern| {
            let text = if pattern.rooted { path } else { name };
            (is_folder || !pattern.folders_only) && glob(pattern.text.as_bytes(), text.as_bytes())
        })
    }
}

fn pattern(line: &str) -> Option<Pattern> {
    let line = line.trim();
    if line.is_empty() || line.starts_with(['#', '!']) {
        return None;
    }
    let folders_only = line.ends_with('/');
    let text = line.trim_end_matches('/').trim_start_matches("**/");
    let rooted = text.contains('/');
    Some(Pattern { text: text.trim_start_matches('/').to_owned(), rooted, folders_only })
}

/// `*` and `?` within a folder, `**` across; the last star is the only one that is tried again.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<Star> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                let behind = p + pattern[p..].iter().take_while(|c| **c == b'*').count();
                star = Some(Star { behind, at: t, across: behind - p > 1 });
                p = behind;
            }
            Some(b'?') if text[t] != b'/' => (p, t) = (p + 1, t + 1),
            Some(c) if *c == text[t] => (p, t) = (p + 1, t + 1),
            _ => match &mut star {
                Some(star) if star.across || text[star.at] != b'/' => {
                    star.at += 1;
                    (p, t) = (star.behind, star.at);
                }
                _ => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

/// A star that was passed, and how far it reaches so far.
struct Star {
    behind: usize,
    at: usize,
    across: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(line: &str, path: &str, is_folder: bool) -> bool {
        Ignored { patterns: pattern(line).into_iter().collect() }.covers(path, is_folder)
    }

    #[test]
    fn plain_patterns_are_understood() {
        assert!(covers("*.log", "a/b.log", false));
        assert!(covers("/gen", "gen", true));
        assert!(!covers("/gen", "a/gen", true));
        assert!(covers("cache/", "a/cache", true));
        assert!(!covers("cache/", "cache", false));
        assert!(covers("docs/*.html", "docs/a.html", false));
        assert!(!covers("docs/*.html", "docs/a/b.html", false));
        assert!(covers("docs/**", "docs/a/b.html", false));
        assert!(!covers("# *.rs", "a.rs", false));
    }
}
