//! The person's editor: a text goes in, and what they made of it is used or kept.
//!
//! Its file goes only when the text is in a safe place. Whatever fails before
//! that, the editor itself included, leaves the file and says how to use it.

use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use super::add::read_file;
use crate::error::Failure;
use crate::open::Place;

/// The editor that the person set; with flags, perhaps, such as `code --wait`.
pub(super) struct Editor(String);

impl Editor {
    /// The one of the environment.
    pub(super) fn find() -> Option<Self> {
        let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
        ["VISUAL", "EDITOR"].into_iter().find_map(set).map(Self)
    }

    /// Lets the person change a text, and gives what they made of it to `take`.
    ///
    /// Where that fails, the person is told by `again` how to take it from its file.
    pub(super) fn change<T>(
        &self,
        text: &str,
        place: &Place,
        again: impl Fn(&Path) -> String,
        take: impl FnOnce(String) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let name = format!("rawko-{}-{}.md", std::process::id(), jiff::Timestamp::now().as_nanosecond());
        let path = env::temp_dir().join(name);
        // Only as a new file: the folder may be everybody's, and a link there is somebody's trap.
        let written = fs::File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| {
            Failure::wrong(format!("cannot write {}: {error}", path.display()), "check TMPDIR")
        })?;
        let ended = self.open(&path, place);
        let changed = read_file(&path);
        if changed.as_ref().is_ok_and(|changed| changed == text) {
            let _ = fs::remove_file(&path);
            ended?;
            return Err(Failure::wrong("nothing was changed", "save the file in the editor"));
        }
        match ended.and(changed).and_then(take) {
            Err(Failure::Wrong { message, hint } | Failure::Usage { message, hint }) => {
                let hint = hint.map_or(String::new(), |hint| format!("{hint} "));
                Err(Failure::wrong(message, format!("{hint}(your text is kept: {})", again(&path))))
            }
            taken => {
                let _ = fs::remove_file(&path);
                taken
            }
        }
    }

    fn open(&self, path: &Path, place: &Place) -> Result<(), Failure> {
        let Self(editor) = self;
        let mut words = editor.split_whitespace();
        let program = words.next().unwrap_or(editor);
        match Command::new(program).args(words).arg(path).current_dir(&place.start).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failure::wrong(format!("the editor ended with {status}"), "try again")),
            Err(error) => {
                Err(Failure::wrong(format!("cannot start `{editor}`: {error}"), "set $EDITOR to a program"))
            }
        }
    }
}
