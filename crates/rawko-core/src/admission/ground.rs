//! The repository that claims are checked against, read as far as a claim needs it.

use std::cell::OnceCell;
use std::ops::Range;

use super::read::has_word;
use crate::evidence::{Content, RepoPath, Tree, hash_of_symbol};

/// Most bytes of a repository that are looked through for a name.
const MOST_BYTES: usize = 8 << 20;
/// Most files of it.
const MOST_FILES: usize = 4_000;

/// A repository, as far as claims are checked against it.
pub struct Ground<'t> {
    tree: &'t dyn Tree,
    /// Whether a short commit id names a commit here; `None` where there is no history to ask.
    commit: &'t dyn Fn(&str) -> Option<bool>,
    files: OnceCell<Vec<String>>,
    contents: OnceCell<Contents>,
}

/// Everything that the files say.
struct Contents {
    /// All texts, lower case, one behind the other.
    text: String,
    /// Each file's path and where its text stands.
    files: Vec<(String, Range<usize>)>,
    /// Whether nothing was left out.
    whole: bool,
}

impl<'t> Ground<'t> {
    /// The repository behind a tree of files.
    pub fn new(tree: &'t dyn Tree, commit: &'t dyn Fn(&str) -> Option<bool>) -> Self {
        Self { tree, commit, files: OnceCell::new(), contents: OnceCell::new() }
    }

    /// The paths of all files.
    pub(crate) fn files(&self) -> &[String] {
        self.files.get_or_init(|| self.tree.files().iter().map(|path| path.as_str().to_owned()).collect())
    }

    /// What a file holds.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        match self.tree.read(&RepoPath::new(path).ok()?) {
            Content::Text(text) => Some(text),
            Content::Missing | Content::Unjudged => None,
        }
    }

    /// What a file holds, lower case.
    pub(crate) fn lower(&self, path: &str) -> Option<String> {
        self.text(path).map(|text| text.to_lowercase())
    }

    /// Whether a file defines a name of code.
    pub(crate) fn defines(&self, path: &str, name: &str) -> bool {
        let Ok(file) = RepoPath::new(path) else { return false };
        match self.tree.read(&file) {
            Content::Text(text) => hash_of_symbol(path, &text, name).is_some(),
            Content::Missing | Content::Unjudged => false,
        }
    }

    /// The file that a path or a bare name means, if it is there.
    pub(crate) fn file(&self, name: &str) -> Option<&str> {
        let name = name.trim_start_matches("./").trim_end_matches('/');
        let ends = |path: &&String| {
            path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        self.files().iter().find(ends).map(String::as_str)
    }

    /// Whether a folder of this name is there.
    pub(crate) fn folder(&self, name: &str) -> bool {
        let inner = format!("{}/", name.trim_start_matches("./").trim_end_matches('/'));
        self.files().iter().any(|path| path.starts_with(&inner) || path.contains(&format!("/{inner}")))
    }

    /// Whether the words stand anywhere in the files; `None` where not all of them could be read.
    pub(crate) fn says(&self, words: &str) -> Option<bool> {
        let contents = self.contents.get_or_init(|| self.read_all());
        let found = contents.text.contains(&words.to_lowercase());
        (found || contents.whole).then_some(found)
    }

    /// The path and the text, lower case, of every file that was read.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let contents = self.contents.get_or_init(|| self.read_all());
        contents.files.iter().map(|(path, range)| (path.as_str(), &contents.text[range.clone()]))
    }

    /// Whether a word stands anywhere in the files, with no letter or digit beside it; `None` as with [`Ground::says`].
    pub(crate) fn says_word(&self, word: &str) -> Option<bool> {
        let contents = self.contents.get_or_init(|| self.read_all());
        let found = has_word(&contents.text, &word.to_lowercase());
        (found || contents.whole).then_some(found)
    }

    /// The exact versions that stand beside a name in the files.
    pub(crate) fn pinned(&self, name: &str) -> Vec<String> {
        let contents = self.contents.get_or_init(|| self.read_all());
        let lines: Vec<&str> = contents.text.lines().collect();
        let named = lines.iter().enumerate().filter(|(_, line)| line.len() < 300 && has_word(line, name));
        // A name may stand a line or two above its version: tables, blocks, lock files.
        let below = |at: usize| {
            let next = lines[at + 1..].iter().take(3).take_while(|line| !line.trim().is_empty());
            let is_version = |line: &&&str| line.contains("version") || has_word(line, "git_tag");
            next.filter(|line| line.len() < 300).filter(is_version).take(1)
        };
        let lines = named.flat_map(|(at, line)| std::iter::once(line).chain(below(at)));
        let versions = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_digit() && c != '.'));
        let exact = versions
            .map(|version| version.trim_matches('.'))
            .filter(|version| version.matches('.').count() >= 2);
        exact.map(str::to_owned).take(100).collect()
    }

    /// Whether a commit of this id is there.
    pub(crate) fn commit(&self, id: &str) -> Option<bool> {
        (self.commit)(id)
    }

    fn read_all(&self) -> Contents {
        let (mut text, mut files) = (String::new(), Vec::new());
        let mut whole = self.files().len() <= MOST_FILES;
        for path in self.files().iter().take(MOST_FILES) {
            if text.len() > MOST_BYTES {
                whole = false;
                break;
            }
            text.push_str(&path.to_lowercase());
            text.push('\n');
            let start = text.len();
            text.push_str(&self.lower(path).unwrap_or_default());
            files.push((path.clone(), start..text.len()));
            text.push('\n');
        }
        Contents { text, files, whole }
    }
}
