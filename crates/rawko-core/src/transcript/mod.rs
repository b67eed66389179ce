//! Transcripts of hosts, read as they stream in, into one [`Run`].
//!
//! Formats change weekly, so reading is lenient: what is not understood is
//! passed over, and no bytes are an error. Memory stays bounded: a line past
//! its limit is dropped, and the [`Recorder`] bounds the rest.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;

use serde_json::Value;

use crate::lineage::{is_foreign_tool, is_own_tool};
use crate::run_record::{Recorder, Run, Speaker};

pub use self::opencode::{opencode_prompt, opencode_tool};

/// Most bytes of one line that is still read: more is a picture or a dump.
const LINE: usize = 4 * 1024 * 1024;
/// Most bytes of a document that is written over many lines; of a longer one nothing is read.
const DOCUMENT: usize = 32 * 1024 * 1024;
/// The mark for the order of bytes, as UTF-8 has it.
const BYTE_ORDER: [u8; 3] = [0xEF, 0xBB, 0xBF];
/// Most bytes of plain text: its start and its end.
const PLAIN: usize = 1024 * 1024;
/// So many bytes decide what a transcript is.
const ENOUGH: usize = 64 * 1024;

/// What wrote a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Claude Code: one object per line.
    Claude,
    /// Codex: a rollout, `{timestamp, type, payload}` per line.
    Codex,
    /// Gemini CLI: a chat, one message per line or one document.
    Gemini,
    /// Copilot CLI: events, `{type, data}` per line.
    Copilot,
    /// opencode: `{info, parts}` per line, or one document of them.
    Opencode,
    /// An agent's words, and nothing else.
    Text,
}

impl Format {
    /// Reads the word used on the command line.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "claude" => Some(Self::Claude),
            "codex" => Some(Self::Codex),
            "gemini" => Some(Self::Gemini),
            "copilot" => Some(Self::Copilot),
            "opencode" => Some(Self::Opencode),
            "text" => Some(Self::Text),
            _ => None,
        }
    }

    /// What the start of a transcript looks like.
    fn detect(start: &[u8]) -> Self {
        let objects = start.split(|&byte| byte == b'\n').take(50).filter_map(object);
        for value in objects {
            if value.get("payload").is_some() && value.get("type").is_some() {
                return Self::Codex;
            }
            if value.get("info").is_some()
                && (value.get("parts").is_some() || value.get("messages").is_some())
            {
                return Self::Opencode;
            }
            if value.get("messages").is_some() || value.get("projectHash").is_some() {
                return Self::Gemini;
            }
            match value.get("type").and_then(Value::as_str) {
                Some("gemini") => return Self::Gemini,
                Some(kind) if kind.contains('.') && value.get("data").is_some() => return Self::Copilot,
                Some("user") if value.get("message").is_none() && value.get("content").is_some() => {
                    return Self::Gemini;
                }
                Some(_) => return Self::Claude,
                None => {}
            }
        }
        let text = String::from_utf8_lossy(start);
        let document = text.trim_start().strip_prefix('{').map(str::trim_start);
        if document.is_some_and(|fields| fields.starts_with("\"info\"")) {
            Self::Opencode
        } else if document.is_some() && text.contains("\"messages\"") {
            Self::Gemini
        } else if document.is_some() {
            // A torn transcript is nobody's words.
            Self::Claude
        } else {
            Self::Text
        }
    }
}

/// Reads a transcript piece by piece.
#[derive(Debug)]
pub struct Transcript {
    format: Option<Format>,
    /// What has come and is no whole line yet, or the whole text.
    pending: Vec<u8>,
    /// The line at hand is past its limit.
    dropping: bool,
    /// The end of a plain text whose middle did not fit.
    end: Vec<u8>,
    /// The lines so far of a document that is written over many.
    document: Option<Vec<u8>>,
    /// A part of it did not fit.
    is_lost: bool,
    /// Whether a line was read.
    is_begun: bool,
    /// Bytes of the mark before the text that were read, or that it has none.
    marks: usize,
    recorder: Recorder,
    calls: Calls,
}

/// Calls of tools that have no answer yet, by the host's id, oldest first.
pub(crate) type Calls = std::collections::VecDeque<(String, String, Value)>;

/// Most calls that wait for their answer.
const CALLS: usize = 64;

/// Keeps a call until its answer comes.
pub(crate) fn call(calls: &mut Calls, id: &str, name: &str, input: Value) {
    if calls.len() == CALLS {
        calls.pop_front();
    }
    calls.push_back((id.to_owned(), name.to_owned(), input));
}

/// The call that an answer belongs to.
pub(crate) fn answered(calls: &mut Calls, id: &str) -> Option<(String, Value)> {
    let at = calls.iter().position(|(known, ..)| known == id)?;
    calls.remove(at).map(|(_, name, input)| (name, input))
}

impl Transcript {
    /// A reader for a format, or for what it turns out to be.
    pub fn new(format: Option<Format>) -> Self {
        Self {
            format,
            pending: Vec::new(),
            dropping: false,
            end: Vec::new(),
            document: None,
            is_lost: false,
            is_begun: false,
            marks: 0,
            recorder: Recorder::default(),
            calls: Calls::new(),
        }
    }

    /// Takes the next piece.
    pub fn push(&mut self, mut bytes: &[u8]) {
        // A mark that some editors and shells put before a text.
        while let (Some(mark), Some(byte)) = (BYTE_ORDER.get(self.marks), bytes.first()) {
            if mark != byte {
                let kept = std::mem::replace(&mut self.marks, BYTE_ORDER.len());
                return [&BYTE_ORDER[..kept], bytes].into_iter().for_each(|part| self.push(part));
            }
            (self.marks, bytes) = (self.marks + 1, &bytes[1..]);
        }
        while !bytes.is_empty() {
            if self.format.is_none() {
                let take = bytes.len().min(ENOUGH + LINE - self.pending.len().min(LINE));
                self.pending.extend_from_slice(&bytes[..take]);
                bytes = &bytes[take..];
                // One whole line is needed, and as much as makes it plain.
                if self.pending.len() >= ENOUGH
                    && (self.pending.contains(&b'\n') || self.pending.len() > LINE)
                {
                    self.settle();
                }
                continue;
            }
            if self.format == Some(Format::Text) {
                return self.text(bytes);
            }
            let line = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..line.unwrap_or(bytes.len())];
            self.part(part, line.is_some());
            bytes = &bytes[line.map_or(bytes.len(), |at| at + 1)..];
        }
    }

    /// What was read so far.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The run.
    pub fn finish(mut self) -> Run {
        if self.format.is_none() {
            self.settle();
        }
        match self.format {
            Some(Format::Text) => {
                let mut text = String::from_utf8_lossy(&self.pending).into_owned();
                if !self.end.is_empty() {
                    text.push_str("\n…\n");
                    text.push_str(&String::from_utf8_lossy(&self.end));
                }
                self.recorder.said(Speaker::Agent, &text);
            }
            _ => self.part(&[], true),
        }
        if let Some(document) = self.document.take().filter(|_| !self.is_lost) {
            match object(&document) {
                Some(document) => self.value(&document),
                // Its first line was broken, and it is none.
                None => document
                    .split(|&byte| byte == b'\n')
                    .filter_map(object)
                    .for_each(|value| self.value(&value)),
            }
        }
        self.recorder.finish()
    }

    /// Decides what the transcript is, and reads again what came before that was known.
    fn settle(&mut self) {
        let start = std::mem::take(&mut self.pending);
        let format = Format::detect(&start);
        self.format = Some(format);
        self.push(&start);
    }

    fn text(&mut self, bytes: &[u8]) {
        let room = PLAIN - self.pending.len().min(PLAIN);
        let (now, later) = bytes.split_at(room.min(bytes.len()));
        self.pending.extend_from_slice(now);
        self.end.extend_from_slice(&later[later.len().saturating_sub(PLAIN)..]);
        let over = self.end.len().saturating_sub(PLAIN);
        // Moving the end down each time would be quadratic in small pieces; twice the room makes it linear.
        if over > PLAIN || (over > 0 && bytes.len() >= PLAIN) {
            self.end.drain(..over);
        }
    }

    /// A piece of a line, and whether the line ends with it.
    fn part(&mut self, part: &[u8], ends: bool) {
        if !self.dropping && self.pending.len() + part.len() > LINE {
            self.dropping = true;
            self.is_lost |= self.document.is_some();
            self.pending.clear();
        }
        if !self.dropping {
            if ends && self.pending.is_empty() {
                self.line(part);
            } else {
                self.pending.extend_from_slice(part);
                if ends {
                    let line = std::mem::take(&mut self.pending);
                    self.line(&line);
                }
            }
        }
        if ends {
            self.dropping = false;
        }
    }

    fn line(&mut self, line: &[u8]) {
        if let Some(document) = &mut self.document {
            self.is_lost |= document.len() + line.len() >= DOCUMENT;
            if !self.is_lost {
                document.extend_from_slice(line);
                document.push(b'\n');
            }
            return;
        }
        let is_first = !self.is_begun;
        self.is_begun |= !line.trim_ascii().is_empty();
        match object(line) {
            Some(value) => self.value(&value),
            None if is_first && self.may_be_document() && line.trim_ascii().starts_with(b"{") => {
                self.document = Some([line, b"\n"].concat());
            }
            None => {}
        }
    }

    /// Whether the format has documents that are written over many lines.
    fn may_be_document(&self) -> bool {
        matches!(self.format, Some(Format::Gemini | Format::Opencode))
    }

    fn value(&mut self, value: &Value) {
        match self.format {
            Some(Format::Claude) => claude::read(value, &mut self.calls, &mut self.recorder),
            Some(Format::Codex) => codex::read(value, &mut self.calls, &mut self.recorder),
            Some(Format::Gemini) => gemini::read(value, &mut self.recorder),
            Some(Format::Copilot) => copilot::read(value, &mut self.calls, &mut self.recorder),
            Some(Format::Opencode) => opencode::read(value, &mut self.recorder),
            Some(Format::Text) | None => {}
        }
    }
}

/// A line that is a JSON object.
fn object(line: &[u8]) -> Option<Value> {
    let line = line.trim_ascii();
    if line.first() != Some(&b'{') {
        return None;
    }
    serde_json::from_slice(line).ok().filter(Value::is_object)
}

/// The text in a value that is a string, or a list of parts with text.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(part_text).collect();
            texts.join("\n")
        }
        Value::Object(_) => part_text(value).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

fn part_text(part: &Value) -> Option<&str> {
    part.as_str()
        .or_else(|| part["text"].as_str())
        .or_else(|| part["functionResponse"]["response"]["output"].as_str())
        .or_else(|| part["content"].as_str())
}

/// An exit code that a text begins with: `Exit code 3`, `exit code: 3`.
pub(crate) fn exit_in(text: &str) -> Option<i32> {
    let start: String = text.chars().take(400).collect::<String>().to_ascii_lowercase();
    let at = start.find("exit code")?;
    let rest = start[at + 9..].trim_start_matches([':', ' ', '=']);
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse().ok()
}

/// An exit code that is told as a number.
pub(crate) fn exit_of_shell(value: &Value) -> Option<i32> {
    value.as_i64().and_then(|code| i32::try_from(code).ok())
}

/// What a tool of any host did, by what its input looks like.
pub(crate) fn act(recorder: &mut Recorder, name: &str, input: &Value, exit: Option<i32>, output: &str) {
    let word = |keys: &[&str]| keys.iter().find_map(|key| input[*key].as_str()).map(str::to_owned);
    let lower = name.to_ascii_lowercase();
    let file = word(&["file_path", "path", "filePath", "notebook_path", "absolute_path"]);
    if is_own_tool(name) {
        // What our own tools answered is what memories say, not what was learned here.
        recorder.injected(output);
    } else if is_foreign_tool(name) {
        // A page speaks for somebody else; nothing of it counts as seen here.
        recorder.stranger();
    } else if let Some(command) = command_of(input) {
        recorder.command(&command, exit, output);
    } else if let Some(file) = file {
        if !edit_or_read(recorder, &lower, &file, input, exit) {
            recorder.showed(&file, output);
        }
    } else {
        recorder.heard(output);
    }
}

/// Notes what was done to a file, and tells whether it was changed: what an edit shows are the agent's own words.
fn edit_or_read(recorder: &mut Recorder, name: &str, file: &str, input: &Value, exit: Option<i32>) -> bool {
    let word = |keys: &[&str]| keys.iter().find_map(|key| input[*key].as_str());
    let after = word(&["new_string", "content", "file_text", "new_str", "newString"]);
    if exit.is_some_and(|code| code != 0) {
        // It was tried and refused: nothing changed.
    } else if let Some(after) = after {
        recorder.edit(file, word(&["old_string", "old_str", "oldString"]).unwrap_or_default(), after);
    } else if let Some(edits) = input["edits"].as_array() {
        for edit in edits.iter().take(20) {
            let text = |key: &str| edit[key].as_str().unwrap_or_default();
            recorder.edit(file, text("old_string"), text("new_string"));
        }
    } else if name.contains("read") || name.contains("view") || name.contains("open") {
        recorder.read(file);
    }
    after.is_some() || input["edits"].is_array()
}

/// The command line in a tool's input: a string, or a list of words.
fn command_of(input: &Value) -> Option<String> {
    let value = input.get("command").or_else(|| input.get("cmd"))?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, flag, script] if shell.ends_with("sh") && flag.starts_with('-') => {
                    Some((*script).to_owned())
                }
                [] => None,
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
