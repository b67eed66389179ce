//! Paths of the tool's files: names below `/memories` that can lead nowhere else.

use rawko_core::Slug;

/// The folder that all paths begin with.
const ROOT: &str = "/memories";
/// Longest path, in bytes.
const LONGEST: usize = 400;
/// How many names with the same slug are looked at first.
const MOST_ALIKE: u32 = 9;

/// A path below the root, in one form: no empty part, no `.`, no `..`, no trailing `/`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FilePath(String);

impl FilePath {
    /// Reads a path; the error is the tool's.
    pub(super) fn parse(given: &str) -> Result<Self, String> {
        let rest = given.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(rest) = rest else { return Err(format!("Path must start with {ROOT}, got: {given}")) };
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        if given.len() > LONGEST || parts.iter().any(|part| leads_away(part)) {
            return Err(format!("Path {given} would escape {ROOT} directory"));
        }
        // A path becomes a title, a trigger and a file's name.
        if rawko_core::redact(given) != given {
            return Err("Path holds what looks like a credential: choose another name".to_owned());
        }
        Ok(Self(std::iter::once(ROOT).chain(parts).collect::<Vec<_>>().join("/")))
    }

    /// As [`FilePath::parse`], for something that is to be a file.
    pub(super) fn file(given: &str) -> Result<Self, String> {
        Self::parse(given).and_then(|path| match path.is_root() {
            true => Err(format!("Path {given} is the {ROOT} directory itself, not a file")),
            false => Ok(path),
        })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_root(&self) -> bool {
        self.0 == ROOT
    }

    pub(super) fn is_below(&self, folder: &Self) -> bool {
        self.0.strip_prefix(&folder.0).is_some_and(|rest| rest.starts_with('/'))
    }

    /// What is left behind a folder's name.
    pub(super) fn within(&self, folder: &Self) -> &str {
        self.0.strip_prefix(&folder.0).map_or("", |rest| rest.trim_start_matches('/'))
    }

    /// The folders above, the root left out.
    pub(super) fn above(&self) -> impl Iterator<Item = Self> + '_ {
        let cuts = self.0.match_indices('/').skip(2);
        cuts.map(|(at, _)| Self(self.0[..at].to_owned()))
    }

    /// This path after a folder above it, or itself, was renamed.
    pub(super) fn moved(&self, old: &Self, new: &Self) -> Self {
        Self(format!("{}{}", new.0, &self.0[old.0.len()..]))
    }

    /// The names that the file's memory has, unless many files have names that are alike.
    pub(super) fn slugs(&self) -> Vec<Slug> {
        let first = Slug::from_title(&self.0);
        let alike = (2..=MOST_ALIKE).map(|n| first.numbered(n));
        std::iter::once(first.clone()).chain(alike).collect()
    }

    /// The path as words, for a trigger; as it is where it has none.
    pub(super) fn words(&self) -> String {
        let name = self.within(&Self(ROOT.to_owned()));
        let last = name.rfind('/').map_or(0, |at| at + 1);
        // An ending goes, but what begins with its dot is the name itself.
        let end = name[last..].rfind('.').filter(|dot| *dot > 0).map_or(name.len(), |dot| last + dot);
        let between = |c: char| c.is_whitespace() || matches!(c, '/' | '_' | '-' | '.');
        let words: Vec<&str> = name[..end].split(between).filter(|word| !word.is_empty()).collect();
        if words.is_empty() { self.0.clone() } else { words.join(" ") }
    }
}

/// Whether a part of a path could mean another place, here or wherever it is decoded once more.
fn leads_away(part: &str) -> bool {
    let lower = part.to_lowercase();
    let encoded = ["%2e", "%2f", "%5c", "%00", "%25"].iter().any(|code| lower.contains(code));
    let dots = part.trim().chars().all(|c| matches!(c, '.' | '\u{ff0e}' | '\u{2024}'));
    dots || encoded || part.chars().any(|c| c == '\\' || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_form_and_lead_nowhere_else() {
        let parse = |text: &str| FilePath::parse(text).map(|path| path.0);
        assert_eq!(parse("/memories/").as_deref(), Ok("/memories"));
        assert_eq!(parse("/memories//a/b.md/").as_deref(), Ok("/memories/a/b.md"));
        assert_eq!(parse("/memories/Ünïcode/日本.md").as_deref(), Ok("/memories/Ünïcode/日本.md"));
        assert_eq!(parse("/memories/.hidden").as_deref(), Ok("/memories/.hidden"));
        for text in [
            "",
            "memories",
            "/etc/passwd",
            "/memoriesx/a",
            "../memories",
            "/memories/../a",
            "/memories/a/../../b",
            "/memories/.",
            "/memories/...",
            "/memories/%2e%2e/a",
            "/memories/a%2Fb",
            "/memories/..%5Ca",
            "/memories/a\\b",
            "/memories/a\0b",
            "/memories/a\nb",
            "/memories/．．/a",
            "/memories/%252e",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        assert!(FilePath::file("/memories").is_err());
    }

    #[test]
    fn every_path_makes_a_trigger() {
        for (path, words) in [
            ("/memories/api_notes-v2.md", "api notes v2"),
            ("/memories/v1.2/the plan.txt", "v1 2 the plan"),
            ("/memories/.env", "env"),
            ("/memories/.rawko/x", "rawko x"),
            ("/memories/.md", "md"),
            ("/memories/_.md", "/memories/_.md"),
            ("/memories/---.md", "/memories/---.md"),
        ] {
            assert_eq!(FilePath::parse(path).expect("a path").words(), words, "{path}");
        }
    }
}
