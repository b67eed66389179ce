//! Memories in the forms of other tools, and in rawko's own for safekeeping.
//!
//! [`entry_json`] loses nothing and is read back by
//! [`entry_from_json`]. What goes to a host's own files ([`ExportedFile`],
//! [`agents_section`]) is only what may reach an agent anyway, and stands where
//! rawko finds it again: everything else in those files is left as it is.

mod claude;
mod json;
mod section;

use crate::entry::{Importance, Trigger};
use crate::memory::{Fold, Memory};

pub use self::claude::{ExportedFile, claude_file, claude_index};
pub use self::json::{entry_from_json, entry_json};
pub(crate) use self::section::outside_markers;
pub use self::section::{MarkerError, agents_section, spliced};

/// What agents may know of a memory, where they may know anything of it and it matters enough.
pub fn exportable(memory: &Memory, least: Importance) -> Option<Fold<'_>> {
    memory.for_agents().filter(|fold| fold.may_be_injected() && fold.importance >= least)
}

/// When a memory is of use, in a line; its title where it has no triggers.
fn hook(fold: &Fold<'_>) -> String {
    let said = |trigger: &&Trigger| match trigger {
        Trigger::Text(text) | Trigger::Pattern(text) => text.clone(),
        Trigger::Path(text) => format!("files {text}"),
        Trigger::Command(text) => format!("command {text}"),
        Trigger::Error(text) => format!("error {text}"),
    };
    let all = fold.when_to_use.iter().map(said).collect::<Vec<_>>().join("; ");
    let line = all.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { fold.title.to_owned() } else { line.chars().take(300).collect() }
}
