//! Never the same mistake twice: when two moves are the same, what a failure teaches, and when it no longer holds.
//!
//! A [`Move`] is what an agent is about to do. Its [`Move::keys`] are what a
//! failure of the same move, or of one with the same root, was kept under; a
//! [`Failure`] found that way is compared in full by [`Failure::speaks_to`].
//! Whether the files that it depended on are still the same is for the caller
//! to say: nothing here touches one.
//!
//! In reading order:
//!
//! | module | its question |
//! |---|---|
//! | `shell`, `step`, `command` | which programs run, and what of their words can matter? |
//! | `step::same` | are two runs the same move? |
//! | `failure` | does a failure teach anything, and what does it say without its accidents? |
//! | `root` | what does an error say is missing, and who needs the same (`root::needs`)? |
//! | `mend` | does a command that succeeded supply it? |
//! | `inputs` | which files does a failure depend on? |
//! | `record` | all of this together: a failure as it is kept, and to which moves it speaks |
//! | `credentials`, `place` | secrets in commands, paths in one spelling |
//! | `tools` | all that is known of programs by name, and nowhere else |
//!
//! A rule that warns has to be surer than one that is quiet: an agent that is
//! warned for nothing stops listening.

mod command;
mod credentials;
mod failure;
mod inputs;
mod mend;
mod place;
mod record;
mod root;
mod shell;
mod step;
mod tools;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub use self::command::Command;
pub use self::failure::{NotLearned, exit_code, gist, signature};
pub use self::inputs::{Inputs, Sources};
pub use self::place::At;
pub use self::record::{Because, Failure, State};
pub use self::root::Root;

/// What an agent is about to do, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Run a command line.
    Command(Command),
    /// Replace text in a file.
    Edit {
        /// The file, relative to the root.
        path: String,
        /// The text to be replaced.
        old: String,
        /// Every occurrence of it.
        all: bool,
    },
    /// Read a file.
    Read {
        /// The file, relative to the root.
        path: String,
    },
    /// Write a whole file.
    Write {
        /// The file, relative to the root.
        path: String,
        /// The text.
        content: String,
    },
    /// Another tool of the host.
    Other {
        /// Its name.
        tool: String,
        /// Its input, in one spelling.
        input: String,
    },
}

/// What became of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was made.
    Succeeded {
        /// What it printed.
        output: String,
    },
    /// It failed.
    Failed {
        /// The exit code, where there is one.
        exit: Option<i32>,
        /// What it printed.
        error: String,
        /// Somebody stopped it.
        interrupted: bool,
    },
}

impl Move {
    /// A command line.
    pub fn command(text: &str, at: At<'_>) -> Self {
        Self::Command(Command::of(text, at))
    }

    /// A host's tool call: its name and its input.
    pub fn of_tool(tool: &str, input: &Value, at: At<'_>) -> Self {
        let text = |names: &[&str]| names.iter().find_map(|name| input[*name].as_str());
        let path = || {
            text(&["file_path", "path", "filePath", "notebook_path", "absolute_path"])
                .and_then(|path| place::inside(at, &cwd(at), path))
        };
        let name = tool.to_ascii_lowercase();
        if let Some(command) =
            text(&["command", "cmd", "script"]).filter(|_| !input["old_string"].is_string())
        {
            return Self::command(command, at);
        }
        match (path(), text(&["old_string", "old_str", "oldString", "old_text"])) {
            (Some(path), Some(old)) => {
                let all =
                    input["replace_all"].as_bool().or(input["replaceAll"].as_bool()).unwrap_or_default();
                Self::Edit { path, old: old.to_owned(), all }
            }
            (Some(path), None) if input["edits"].is_array() => {
                Self::Edit { path, old: old_texts(&input["edits"]), all: false }
            }
            (Some(path), None) if name.contains("write") || name.contains("create") => Self::Write {
                path,
                content: text(&["content", "file_text", "text"]).unwrap_or_default().to_owned(),
            },
            (Some(path), None) if name.contains("read") || name.contains("view") => Self::Read { path },
            _ => Self::Other { tool: tool.to_owned(), input: sorted(input).to_string() },
        }
    }

    /// What the same move shares with this one.
    fn key(&self) -> String {
        match self {
            Self::Command(command) => command.key(),
            Self::Edit { path, old, all } => format!("edit\0{path}\0{all}\0{old}"),
            Self::Read { path } => format!("read\0{path}"),
            Self::Write { path, content } => format!("write\0{path}\0{content}"),
            Self::Other { tool, input } => format!("tool\0{tool}\0{input}"),
        }
    }

    /// What this move and the same one share, as a number.
    pub fn fingerprint(&self) -> u64 {
        hash(&self.key())
    }

    /// The hashes under which a failure that speaks to this move may have been kept.
    pub fn keys(&self) -> Vec<u64> {
        let mut keys = vec![hash(&self.key())];
        if let Self::Command(command) = self {
            let steps = command.main().into_iter().chain(command.meets(&|_| false));
            let forms = steps.flat_map(|step| [step.loose_key(), credentials::without(step).loose_key()]);
            keys.extend(forms.map(|key| hash(&key)));
        }
        keys.extend(root::needs(self).iter().map(|root| hash(&root.key())));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Why its failure teaches nothing; `None` if it does.
    pub fn not_learned(&self, exit: Option<i32>, error: &str, interrupted: bool) -> Option<NotLearned> {
        failure::not_learned(self, exit, error, interrupted)
    }

    /// Whether it can have mended anything: not where it only looked.
    pub fn may_mend(&self) -> bool {
        match self {
            Self::Command(command) => {
                let mut done = command.proven().into_iter().chain(command.started());
                done.any(|step| !step.only_looks())
            }
            _ => true,
        }
    }

    /// Which files its failure depends on.
    pub fn inputs(&self, at: At<'_>, error: &str) -> Inputs {
        inputs::inputs(self, at, error)
    }

    /// It in one line, for people.
    pub fn text(&self) -> String {
        let text = match self {
            Self::Command(command) => command.text.clone(),
            Self::Edit { path, old, .. } => format!("edit {path}: replace {:?}", old.trim()),
            Self::Read { path } => format!("read {path}"),
            Self::Write { path, .. } => format!("write {path}"),
            Self::Other { tool, input } => format!("{tool} {input}"),
        };
        text[..failure::floor(&text, text.len().min(2000))].to_owned()
    }
}

fn cwd(at: At<'_>) -> String {
    place::inside(at, "", at.cwd).unwrap_or_default()
}

fn old_texts(edits: &Value) -> String {
    let texts = edits.as_array().into_iter().flatten().filter_map(|edit| edit["old_string"].as_str());
    texts.collect::<Vec<_>>().join("\0")
}

/// JSON with its keys in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            keys.into_iter()
                .map(|key| (key.clone(), sorted(&map[key])))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        other => other.clone(),
    }
}

/// The hash that a key is looked up by.
pub(super) fn hash(key: &str) -> u64 {
    u64::from_le_bytes(*blake3::hash(key.as_bytes()).as_bytes().first_chunk().expect("a hash has 32 bytes"))
}
