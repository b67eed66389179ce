//! One thing that happened, as one line of JSON.
//!
//! A line is bounded and free of secrets before it is written. What stands in
//! a file may be torn, or glued to a torn one; then what is whole is still found,
//! because every line starts in a way that no text inside a line can.

use serde_json::{Map, Value};

use crate::layer::MemoryEntry;
use crate::redact::Redactor;

/// How every line starts. Inside a text the quotes are escaped.
const START: &str = "{\"id\":";
/// Most bytes of a text, of a text in what is known of it, of all that, and of a name.
const CONTENT: usize = 64 * 1024;
const VALUE: usize = 4 * 1024;
const METADATA: usize = 64 * 1024;
const ID: usize = 200;
/// Most characters of a prompt or a result in an episode.
const GIST: usize = 600;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// A run started: the text is its prompt.
    Started,
    /// A run finished: the text is its result.
    Finished,
    /// A run failed: the text is its error.
    Failed,
    /// Somebody notes something.
    Note,
}

impl Happened {
    /// The word used in files: `kind`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Note => "note",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Started, Self::Finished, Self::Failed, Self::Note]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }

    /// The episode: what happened to which agent, in a few lines.
    pub fn episode(self, agent: &str, text: &str) -> MemoryEntry {
        let text = gist(text);
        let content = match self {
            Self::Started => format!("{agent} started: {text}"),
            Self::Finished => format!("{agent} finished: {text}"),
            Self::Failed => format!("{agent} failed: {text}"),
            Self::Note => text,
        };
        MemoryEntry::new(content).with("kind", self.as_str()).with("agent", agent)
    }
}

/// The beginning and the end of a text: a prompt says at the start what it is about, a result at the end.
pub fn gist(text: &str) -> String {
    let text = text.trim();
    let count = text.chars().count();
    if count <= GIST {
        return text.to_owned();
    }
    let half = GIST / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{} […] {}", head.trim_end(), tail.trim_start())
}

/// The line of an episode, without secrets and within its bounds; what was cut is said.
pub fn episode_line(entry: &MemoryEntry, redactor: &Redactor) -> String {
    let clean = |text: &str, most: usize| cut(&redactor.redact(text), most);
    let mut metadata = Map::new();
    let mut bytes = 0;
    for (key, value) in &entry.metadata {
        let value = clean_value(value, redactor);
        bytes += key.len() + value.to_string().len();
        if bytes > METADATA {
            metadata
                .insert("cut".to_owned(), Value::from("there was more, and it was too much for one line"));
            break;
        }
        metadata.insert(clean(key, ID), value);
    }
    let clean = MemoryEntry {
        id: clean(&entry.id, ID),
        timestamp: entry.timestamp,
        content: clean(&entry.content, CONTENT),
        metadata,
    };
    serde_json::to_string(&clean).expect("an entry is plain data")
}

fn clean_value(value: &Value, redactor: &Redactor) -> Value {
    match value {
        Value::String(text) => Value::from(cut(&redactor.redact(text), VALUE)),
        Value::Array(_) | Value::Object(_) => {
            // Values inside may be named by their keys, so the whole is looked at as a text.
            let text = value.to_string();
            let clean = redactor.redact(&text);
            if clean == text && text.len() <= VALUE { value.clone() } else { Value::from(cut(&clean, VALUE)) }
        }
        other => other.clone(),
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{} [cut: {} more bytes]", &text[..end], text.len() - end)
}

/// Reads a line; where a torn one stands before a whole one, the whole one.
pub fn read_episode(line: &[u8]) -> Option<MemoryEntry> {
    if let Ok(entry) = serde_json::from_slice(line) {
        return Some(entry);
    }
    let text = std::str::from_utf8(line).ok()?;
    let last = text.rfind(START).filter(|&at| at > 0)?;
    serde_json::from_str(&text[last..]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(entry: &MemoryEntry) -> String {
        episode_line(entry, &Redactor::default())
    }

    #[test]
    fn an_episode_reads_back_as_it_was_written() {
        let mut entry = Happened::Finished.episode("developer", "All {\"id\":\"x\"} tests pass.\nDone.");
        (entry.id, entry.timestamp) = ("e1".to_owned(), 5);
        let text = line(&entry);
        assert!(text.starts_with(START) && !text.contains('\n'), "{text}");
        assert_eq!(read_episode(text.as_bytes()), Some(entry));
    }

    #[test]
    fn a_whole_line_behind_a_torn_one_is_found_and_a_torn_one_is_none() {
        let mut entry = Happened::Note.episode("a", "whole");
        entry.id = "e2".to_owned();
        let whole = line(&entry);
        for end in 1..whole.len() {
            let glued = format!("{}{whole}", &whole[..end]);
            assert_eq!(read_episode(glued.as_bytes()).as_ref(), Some(&entry), "torn at {end}");
            assert_eq!(read_episode(&whole.as_bytes()[..end]), None, "torn at {end}");
        }
    }

    #[test]
    fn secrets_and_what_is_too_long_stay_out_and_the_line_says_so() {
        let key = concat!("ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let entry = MemoryEntry::new(format!("{key} {}", "x".repeat(100_000)))
            .with("prompt", format!("use {key}"))
            .with("deep", serde_json::json!({ "token": key }))
            .with("long", "y".repeat(10_000));
        let text = line(&entry);
        assert!(!text.contains(key), "{}", &text[..200]);
        assert!(text.contains("more bytes]") && text.len() < 80_000, "{}", text.len());
        let mut many = MemoryEntry::new("x");
        for n in 0..100_000 {
            many = many.with(&format!("key{n}"), n);
        }
        let text = line(&many);
        assert!(text.len() < 128 * 1024 && text.contains("too much for one line"), "{}", text.len());
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        let text = format!("Begin {} end", "é".repeat(5_000));
        let short = gist(&text);
        assert!(short.starts_with("Begin") && short.ends_with("end") && short.contains("[…]"));
        assert!(short.chars().count() < 620);
        assert_eq!(gist(" short "), "short");
    }
}
