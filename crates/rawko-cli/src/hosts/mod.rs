//! The hosts: what each calls an event, how it wants an answer, and what `rawko setup` writes for it.
//!
//! A host is a row of tables in a file of its own. What is done about an event
//! is decided in the library, from one common value; nothing here decides.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
pub(crate) mod input;
pub(crate) mod learning;
mod notes;
mod opencode;
pub(crate) mod reading;
pub(crate) mod settings;

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub(crate) use self::codex::kept_from_running as kept_from_running_by_codex;

use serde_json::{Value, json};

/// A program that runs a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Claude,
    Codex,
    Gemini,
    Copilot,
    Cursor,
    Opencode,
}

/// What an event is about, in every dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    SessionStart,
    Prompt,
    BeforeTool,
    AfterTool,
    ToolFailed,
    SubagentStart,
    SubagentStop,
    Compacting,
    TurnDone,
    TurnFailed,
    SessionEnd,
}

/// One event of one host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// What the host calls it.
    pub(crate) name: &'static str,
    /// What it is about.
    pub(crate) kind: Kind,
    /// Whether the host takes an answer to it.
    pub(crate) hears: bool,
    /// Which tools it is wanted for; empty for all, or where it is about no tool.
    pub(crate) tools: &'static str,
}

/// An event that the host takes an answer to.
const fn heard(name: &'static str, kind: Kind) -> Told {
    Told { name, kind, hears: true, tools: "" }
}

/// An event that is only noted.
const fn noted(name: &'static str, kind: Kind) -> Told {
    Told { name, kind, hears: false, tools: "" }
}

impl Told {
    const fn of(mut self, tools: &'static str) -> Self {
        self.tools = tools;
        self
    }
}

/// How a host wants its answer.
enum Form {
    /// `{"hookSpecificOutput": {"hookEventName": …, "additionalContext": …}}`
    Wrapped,
    /// One field at the top.
    Field(&'static str),
}

impl Host {
    pub(crate) const ALL: [Self; 6] =
        [Self::Claude, Self::Codex, Self::Gemini, Self::Copilot, Self::Cursor, Self::Opencode];

    /// The word for it on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Cursor => "cursor",
            Self::Opencode => "opencode",
        }
    }

    /// Its name for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Copilot => "Copilot CLI",
            Self::Cursor => "Cursor",
            Self::Opencode => "opencode",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.name().eq_ignore_ascii_case(word))
    }

    /// Its programs, as found on a search path.
    pub(crate) fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Cursor => &["cursor", "cursor-agent"],
            Self::Claude => &["claude"],
            Self::Codex => &["codex"],
            Self::Gemini => &["gemini"],
            Self::Copilot => &["copilot"],
            Self::Opencode => &["opencode"],
        }
    }

    /// What it tells.
    pub(crate) fn events(self) -> &'static [Told] {
        match self {
            Self::Claude => claude::EVENTS,
            Self::Codex => codex::EVENTS,
            Self::Gemini => gemini::EVENTS,
            Self::Copilot => copilot::EVENTS,
            Self::Cursor => cursor::EVENTS,
            Self::Opencode => opencode::EVENTS,
        }
    }

    /// One of its events, by the name it has there.
    pub(crate) fn event(self, name: &str) -> Option<Told> {
        self.events().iter().find(|told| told.name == name).copied()
    }

    /// A text in the form in which the host takes it; `asks` is why it should ask the person first, if it can.
    pub(crate) fn say(self, event: &str, text: &str, asks: Option<&str>) -> String {
        let form = match self {
            Self::Claude | Self::Codex | Self::Gemini => Form::Wrapped,
            Self::Copilot => Form::Field("additionalContext"),
            Self::Cursor => Form::Field("additional_context"),
            Self::Opencode => Form::Field("text"),
        };
        let mut value: Value = match form {
            Form::Wrapped => {
                json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
            }
            Form::Field(name) => json!({ name: text }),
        };
        // Codex drops an answer with a field that it does not know, and the others cannot ask.
        if let (Self::Claude, Some(why)) = (self, asks) {
            value["hookSpecificOutput"]["permissionDecision"] = json!("ask");
            value["hookSpecificOutput"]["permissionDecisionReason"] = json!(why);
        }
        value.to_string()
    }

    /// What `rawko setup` wants to find in which file.
    ///
    /// The hooks come first; where the server of the tools has a file of its own, it comes second.
    pub(crate) fn wants(self, scope: Scope, machine: &Machine, program: &str) -> Vec<Wanted> {
        match self {
            Self::Claude => claude::wants(scope, machine, program),
            Self::Codex => codex::wants(scope, machine, program),
            Self::Gemini => gemini::wants(scope, machine, program),
            Self::Copilot => copilot::wants(scope, machine, program),
            Self::Cursor => cursor::wants(scope, machine, program),
            Self::Opencode => opencode::wants(scope, machine, program),
        }
    }

    /// The folder that tells that the host is used on this machine.
    pub(crate) fn folder(self, machine: &Machine) -> PathBuf {
        match self {
            Self::Claude => machine.folder("CLAUDE_CONFIG_DIR", ".claude"),
            Self::Codex => machine.folder("CODEX_HOME", ".codex"),
            Self::Gemini => machine.home.join(".gemini"),
            Self::Copilot => machine.folder("COPILOT_HOME", ".copilot"),
            Self::Cursor => machine.home.join(".cursor"),
            Self::Opencode => machine.xdg_config().join("opencode"),
        }
    }
}

/// For whom a host is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The person, in all projects.
    User,
    /// Everybody, in this project.
    Project,
}

/// What of this machine decides where files are.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The person's home.
    pub(crate) home: PathBuf,
    /// The project's folder.
    pub(crate) project: PathBuf,
    /// Looks up a variable that holds an absolute path.
    pub(crate) variable: fn(&str) -> Option<PathBuf>,
}

impl Machine {
    fn folder(&self, variable: &str, otherwise: &str) -> PathBuf {
        (self.variable)(variable).unwrap_or_else(|| self.home.join(otherwise))
    }

    fn xdg_config(&self) -> PathBuf {
        self.folder("XDG_CONFIG_HOME", ".config")
    }
}

/// What `rawko setup` wants in a file.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// The file.
    pub(crate) file: PathBuf,
    /// What is to be in it.
    pub(crate) what: What,
}

/// What is to be in a file.
#[derive(Debug)]
pub(crate) enum What {
    /// Exactly this: the file is ours.
    Whole(String),
    /// Entries in a JSON file that belongs to the person.
    Entries {
        /// Path to a list, and the entry in it.
        lists: Vec<(Vec<&'static str>, Value)>,
        /// The object that holds servers, and ours.
        server: Option<(&'static str, Value)>,
    },
    /// A table at the end of a TOML file that belongs to the person.
    Block(String),
}

impl Wanted {
    /// Hooks in a JSON file.
    fn hooks(file: PathBuf, lists: Vec<(Vec<&'static str>, Value)>) -> Self {
        Self { file, what: What::Entries { lists, server: None } }
    }

    /// A server in a JSON file of its own.
    fn server(file: PathBuf, holder: &'static str, server: Value) -> Self {
        Self { file, what: What::Entries { lists: Vec::new(), server: Some((holder, server)) } }
    }
}

/// The hook entries that Claude Code and those who took its form want: one group for each event.
fn groups(
    host: Host,
    program: &str,
    entry: impl Fn(&Told, String) -> Value,
) -> Vec<(Vec<&'static str>, Value)> {
    let group = |told: &Told| {
        let command = command(host, program, told);
        let mut group = json!({});
        if !told.tools.is_empty() {
            group["matcher"] = json!(told.tools);
        }
        group["hooks"] = json!([entry(told, command)]);
        (vec!["hooks", told.name], group)
    };
    host.events().iter().map(group).collect()
}

/// What a shell is to run for an event.
fn command(host: Host, program: &str, told: &Told) -> String {
    format!("{} hook {} {}", quoted(program), host.name(), told.name)
}

/// A program's path as one word of a shell.
fn quoted(program: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:".contains(c);
    if program.chars().all(is_plain) {
        program.to_owned()
    } else {
        format!("'{}'", program.replace('\'', "'\\''"))
    }
}

/// Bytes from the end of a host's notes that are read.
const TAIL: u64 = 512 * 1024;

/// The end of a host's own notes of a session: whole lines, but for the first.
fn tail(notes: &Path) -> Option<String> {
    if !fs::symlink_metadata(notes).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(notes).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists that `rawko setup` would write.
    fn written(host: Host) -> Value {
        let machine = Machine { home: "/home".into(), project: "/project".into(), variable: |_| None };
        let wanted = host.wants(Scope::User, &machine, "rawko").swap_remove(0);
        let What::Entries { lists, .. } = wanted.what else { panic!("{host:?}") };
        let mut hooks = json!({});
        lists.into_iter().for_each(|(path, entry)| hooks[path[1]] = json!([entry]));
        hooks
    }

    #[test]
    fn the_plugin_and_the_extension_do_what_setup_does() {
        let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON")["hooks"].clone();
        let plugin = include_str!("../../../../integrations/claude-plugin/rawko/hooks/hooks.json");
        assert_eq!(read(plugin), written(Host::Claude));
        let extension = include_str!("../../../../integrations/gemini-extension/hooks/hooks.json");
        assert_eq!(read(extension), written(Host::Gemini));
        let server = json!({ "rawko": { "command": "rawko", "args": ["mcp"] } });
        let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON")["mcpServers"].clone();
        let plugin = include_str!("../../../../integrations/claude-plugin/rawko/.mcp.json");
        let extension = include_str!("../../../../integrations/gemini-extension/gemini-extension.json");
        assert_eq!((read(plugin), read(extension)), (server.clone(), server));
    }

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted("/usr/bin/rawko"), "/usr/bin/rawko");
        assert_eq!(quoted("/my tools/it's"), r"'/my tools/it'\''s'");
    }
}
