//! The four layers: their words, the classic score, and a summary in the origin's form.
//!
//! A layer is a way to look at what the store holds anyway. What is here is
//! what all four share: an entry as the origin has it, how well one answers a
//! query by simple counting, and what many older ones come to in one.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::rank::Part;

/// Most entries that a working layer keeps, where nobody says otherwise.
pub const MAX_WORKING_ENTRIES: usize = 50;
/// Most results of a search, where nobody says otherwise.
pub const SEARCH_LIMIT: usize = 10;

/// Most entries that a summary names one by one.
const NAMED: usize = 20;
/// Characters of an entry's text in a summary.
const SHOWN: usize = 120;
/// Points for each occurrence of a term, for a term that appears at all, and for this very moment.
const OCCURRENCE: f64 = 2.0;
const PARTIAL: f64 = 1.0;
const RECENT: f64 = 0.5;
const DAY: f64 = 24.0 * 3600.0 * 1000.0;

/// One of the four layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// What is at hand in this process or session.
    Working,
    /// What happened, in order.
    Episodic,
    /// What is known, by key.
    Semantic,
    /// What to do when.
    Procedural,
}

impl Layer {
    /// All of them, in the origin's order.
    pub const ALL: [Self; 4] = [Self::Working, Self::Episodic, Self::Semantic, Self::Procedural];

    /// The word used in files and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Episodic => "episodic",
            Self::Semantic => "semantic",
            Self::Procedural => "procedural",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.as_str() == word)
    }
}

/// One entry of a layer, and one line of the episodes' files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryEntry {
    /// Its name; made where it is empty.
    #[serde(default)]
    pub id: String,
    /// When it was, in milliseconds since 1970; made where it is 0.
    #[serde(default, deserialize_with = "number")]
    pub timestamp: i64,
    /// What it says.
    pub content: String,
    /// What else is known of it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// Something that is known, by its key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnowledgeEntry {
    /// The key.
    pub key: String,
    /// What is known.
    pub value: String,
    /// When it was learned, in milliseconds since 1970.
    #[serde(default, deserialize_with = "number")]
    pub timestamp: i64,
}

/// What to do when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProceduralRule {
    /// When.
    pub condition: String,
    /// What to do.
    pub action: String,
    /// When it was learned, in milliseconds since 1970.
    #[serde(default, deserialize_with = "number")]
    pub timestamp: i64,
}

/// How to compact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactOptions {
    /// The newest entries that stay as they are: `keepLast`.
    pub keep_last: usize,
    /// Whether the older ones leave a summary: `summarizeOlder`.
    pub summarize_older: bool,
}

impl Default for CompactOptions {
    fn default() -> Self {
        Self { keep_last: 10, summarize_older: true }
    }
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryStats {
    /// Tokens of the working layer: a quarter of its characters.
    pub working_memory_tokens: usize,
    /// Episodes.
    pub episodic_entry_count: usize,
    /// Memories that state something.
    pub semantic_entry_count: usize,
    /// Memories that tell what to do.
    pub procedural_rule_count: usize,
    /// Bytes of all layers.
    pub total_storage_bytes: u64,
}

/// A number as another program wrote it: whole, with a fraction, or none at all.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    let value = Value::deserialize(from)?;
    Ok(value.as_i64().or_else(|| value.as_f64().map(|number| number as i64)).unwrap_or_default())
}

impl MemoryEntry {
    /// An entry that says this, without a name or a time yet.
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// With one more thing that is known of it.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.to_owned(), value.into());
        self
    }

    /// A text of what is known of it; empty where there is none.
    pub fn text(&self, key: &str) -> &str {
        self.metadata.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// When it was; `None` where that is no time at all.
    pub fn time(&self) -> Option<Timestamp> {
        Timestamp::from_millisecond(self.timestamp).ok()
    }

    /// Everything that a search looks at: the text, and what is known of it.
    pub fn searched(&self) -> String {
        if self.metadata.is_empty() {
            return self.content.clone();
        }
        format!("{} {}", self.content, Value::Object(self.metadata.clone()))
    }

    /// How well it answers, as the origin counts: 2 points for each occurrence of each term, 1 for a term that
    /// appears, up to half a point for the last 24 hours; 0 where no term appears.
    pub fn classic(&self, query: &str, now: Timestamp) -> f64 {
        self.classic_parts(query, now).iter().map(|part| f64::from(part.points)).sum()
    }

    /// What that score is made of.
    pub fn classic_parts(&self, query: &str, now: Timestamp) -> [Part; 2] {
        let text = self.searched().to_lowercase();
        let query = query.to_lowercase();
        let points = |term: &str| match text.matches(term).count() {
            0 => 0.0,
            count => OCCURRENCE * count as f64 + PARTIAL,
        };
        let sum: f64 = query.split_whitespace().map(points).sum();
        let age = (now.as_millisecond() - self.timestamp).max(0) as f64;
        let recent = if sum > 0.0 { RECENT * (1.0 - age / DAY).max(0.0) } else { 0.0 };
        [("occurrences", sum), ("recency", recent)].map(|(name, points)| Part { name, points: points as f32 })
    }
}

/// What `count` older entries come to, in the origin's form: the newest of them are named; the archive has them
/// whole.
pub fn summary(count: usize, newest: &[MemoryEntry]) -> String {
    let mut text = summary_head(count);
    let named = &newest[newest.len().saturating_sub(NAMED)..];
    for entry in named {
        text.push_str(&format!("\n- {}", summary_line(entry)));
    }
    if count > named.len() {
        text.push_str(&format!("\n- ... ({} more)", count - named.len()));
    }
    text
}

/// The first line of a summary.
pub fn summary_head(entries: usize) -> String {
    format!("[Summary of {entries} {}]", if entries == 1 { "entry" } else { "entries" })
}

fn summary_line(entry: &MemoryEntry) -> String {
    let words = entry.content.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = words.chars().take(SHOWN).collect();
    if line.len() < words.len() {
        line.push_str("...");
    }
    let known = entry.metadata.iter().filter_map(|(key, value)| {
        let value = match value {
            Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return None,
        };
        (value.chars().count() <= 40 && !value.is_empty()).then(|| format!("{key}={value}"))
    });
    let known = known.take(4).collect::<Vec<_>>().join(", ");
    if known.is_empty() { line } else { format!("{line} [{known}]") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-01-23T10:30:00Z".parse().expect("a time")
    }

    /// The entry that the origin shows.
    fn entry(age_hours: i64) -> MemoryEntry {
        let entry = MemoryEntry::new("Agent analyzed security vulnerabilities in src/");
        let timestamp = now().as_millisecond() - age_hours * 3_600_000;
        MemoryEntry { id: "entry-1".to_owned(), timestamp, ..entry }
            .with("agentId", "agent-001")
            .with("task", "security-scan")
    }

    #[test]
    fn the_classic_score_counts_as_the_origin_does() {
        // `security` twice (2 + 2, and 1 for appearing), `vulnerabilities` once (2 + 1).
        assert_eq!(entry(48).classic("security vulnerabilities", now()), 8.0);
        assert_eq!(entry(0).classic("Security  VULNERABILITIES", now()), 8.5);
        assert_eq!(entry(12).classic("security vulnerabilities", now()), 8.25);
        assert_eq!(entry(48).classic("secur", now()), 5.0);
        assert_eq!(entry(48).classic("agent-001", now()), 3.0);
        // What is merely new answers nothing.
        assert_eq!(entry(0).classic("deployment", now()), 0.0);
        assert_eq!(entry(0).classic("", now()), 0.0);
        assert_eq!(entry(-5).classic("security", now()), 5.5);
    }

    #[test]
    fn a_summary_has_the_origins_form() {
        let entries = [
            MemoryEntry::new("Agent analyzed file1.csv").with("task", "analysis"),
            MemoryEntry::new("Found 3 anomalies\nin section A").with("severity", "high"),
        ];
        let mut fifteen = entries.to_vec();
        fifteen.resize(15, MemoryEntry::new("x".repeat(500)));
        let text = summary(15, &fifteen);
        assert!(
            text.starts_with(
                "[Summary of 15 entries]\n- Agent analyzed file1.csv [task=analysis]\n- Found 3 anomalies in section A [severity=high]\n- xxx"
            ),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() < 130));
        let many = vec![MemoryEntry::new("y"); 1_000];
        let text = summary(1_000, &many);
        assert!(text.ends_with("\n- ... (980 more)") && text.lines().count() == 22, "{text}");
    }

    #[test]
    fn the_defaults_are_the_origins() {
        assert_eq!((MAX_WORKING_ENTRIES, SEARCH_LIMIT), (50, 10));
        let options = CompactOptions::default();
        assert_eq!((options.keep_last, options.summarize_older), (10, true));
        assert_eq!(Layer::ALL.map(Layer::as_str), ["working", "episodic", "semantic", "procedural"]);
        assert_eq!(Layer::parse("semantic"), Some(Layer::Semantic));
    }

    #[test]
    fn entries_of_the_origins_files_are_read_as_they_are() {
        let entry: MemoryEntry =
            serde_json::from_str(r#"{"id":"e","timestamp":1700000000000.5,"content":"x"}"#).expect("read");
        assert_eq!((entry.timestamp, entry.metadata.len()), (1_700_000_000_000, 0));
        let rule: ProceduralRule =
            serde_json::from_str(r#"{"condition":"deploying","action":"run the tests"}"#).expect("read");
        assert_eq!(rule.timestamp, 0);
    }
}
