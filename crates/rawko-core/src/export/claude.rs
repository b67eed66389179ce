//! Claude Code's own memory: a topic file each, and a line in `MEMORY.md`.
//!
//! A topic file bears a mark made of its own text, so that a later export knows
//! a file that it wrote and nobody has changed since from one that is somebody's.

use crate::memory::Fold;
use crate::slug::Slug;
use crate::yaml;

/// The field with the mark.
const MARK: &str = "  rawko: ";

/// A topic file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// Its name, without a folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The topic file of a memory.
pub fn claude_file(slug: &Slug, fold: &Fold<'_>) -> ExportedFile {
    let name = slug.as_str().replace('/', "-");
    let kind = match fold.kind {
        crate::entry::Kind::Procedure => "feedback",
        crate::entry::Kind::Knowledge => "project",
    };
    let body = fold.text();
    let description = super::hook(fold);
    let head = format!(
        "---\nname: {}\ndescription: {}\nmetadata:\n  type: {kind}\n",
        yaml::word(&name),
        yaml::quote(&description)
    );
    let below = format!("---\n\n{}\n", body.trim());
    let text = format!("{head}{MARK}{}\n{below}", mark(&head, &below));
    ExportedFile { name: format!("{name}.md"), text }
}

impl ExportedFile {
    /// Whether a file is one that rawko wrote, and nobody has changed since.
    pub fn is_untouched(text: &str) -> bool {
        let Some((head, rest)) = text.split_once(MARK) else { return false };
        let Some((found, below)) = rest.split_once('\n') else { return false };
        found == mark(head, below)
    }
}

fn mark(head: &str, below: &str) -> String {
    blake3::hash(format!("{head}{below}").as_bytes()).to_hex()[..16].to_owned()
}

/// The lines of `MEMORY.md` for these files, without the marks around them.
pub fn claude_index(memories: &[(Slug, Fold<'_>)]) -> String {
    let line = |(slug, fold): &(Slug, Fold<'_>)| {
        let title = fold.title.replace(['[', ']', '\n'], " ");
        let hook: String = super::hook(fold).chars().take(120).collect();
        format!("- [{}]({}.md) — {hook}", title.trim(), slug.as_str().replace('/', "-"))
    };
    memories.iter().map(line).collect::<Vec<_>>().join("\n").replace("<!--", "&lt;!--")
}
