//! The fields of an entry: from strict YAML to typed values, and back to text.
//!
//! Reading collects every problem of a block, so that one look mends it all;
//! writing puts the fields in one fixed order, one line each where it can.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::entry::{Frontmatter, Importance, Kind, Status, Trigger};
use crate::problem::Problem;
use crate::teach::{self, instead};
use crate::trust::Trust;
use crate::yaml::{self, Field, Node, Yaml};

/// The field that marks a body stored with guarded lines; see `thread.rs`.
pub(crate) const GUARDED: &str = "guardedBody";

/// Every field that rawko knows: none of them can hide among the unknown ones.
pub const FIELDS: [&str; 17] = [
    "title",
    "whenToUse",
    "importance",
    "discoveredAt",
    "discoveredBy",
    "tags",
    "discoveredIn",
    "source",
    "relatedMemories",
    "kind",
    "status",
    "supersedes",
    "evidence",
    "shouldFire",
    "shouldNotFire",
    "trust",
    GUARDED,
];

/// A block's typed fields, and whether its body is stored guarded.
pub(crate) struct Read {
    pub(crate) frontmatter: Frontmatter,
    pub(crate) guarded: bool,
}

/// Reads one frontmatter block; lines in problems count from 1 within `text`.
pub(crate) fn read(text: &str) -> Result<Read, Vec<Problem>> {
    let fields = yaml::parse(text).map_err(|problem| vec![problem])?;
    let mut reader = Reader { text, fields, problems: Vec::new() };
    let guarded = reader.take(GUARDED).is_some_and(|field| field.value.text() == Some("true"));
    let frontmatter = reader.frontmatter();
    if reader.problems.is_empty() { Ok(Read { frontmatter, guarded }) } else { Err(reader.problems) }
}

struct Reader<'a> {
    text: &'a str,
    fields: Vec<Field>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn frontmatter(&mut self) -> Frontmatter {
        Frontmatter {
            title: self.required("title", "title: \"What this memory is about\"").unwrap_or_default(),
            when_to_use: self.triggers(),
            importance: self.importance(),
            discovered_at: self.discovered_at(),
            discovered_by: self.required("discoveredBy", "discoveredBy: developer").unwrap_or_default(),
            tags: self.texts("tags"),
            discovered_in: self.optional("discoveredIn"),
            source: self.optional("source"),
            related_memories: self.texts("relatedMemories"),
            kind: self.one_of("kind", &[("knowledge", Kind::Knowledge), ("procedure", Kind::Procedure)]),
            status: self.one_of("status", STATUSES),
            supersedes: self.texts("supersedes"),
            evidence: self.evidence(),
            should_fire: self.texts("shouldFire"),
            should_not_fire: self.texts("shouldNotFire"),
            trust: self.one_of("trust", TRUSTS),
            extra: self.rest(),
        }
    }

    fn take(&mut self, key: &str) -> Option<Field> {
        let at = self.fields.iter().position(|field| field.key == key)?;
        Some(self.fields.remove(at))
    }

    fn error(&mut self, field: &Field, what: impl Into<String>, remedy: impl Into<String>) {
        self.problems.push(Problem::error(field.value.line, field.value.column, what, remedy));
    }

    fn missing(&mut self, key: &str, remedy: &str) {
        let near = self.fields.iter().find(|field| field.key.eq_ignore_ascii_case(key));
        let (line, hint) = match near {
            Some(field) => {
                let line = self.text.lines().nth(field.line - 1).unwrap_or_default();
                (field.line, instead(&line.replacen(&field.key, key, 1)))
            }
            None => (1, format!("add the line `{remedy}`")),
        };
        self.problems.push(Problem::error(line, 1, format!("the required field `{key}` is missing"), hint));
    }

    fn required(&mut self, key: &str, remedy: &str) -> Option<String> {
        let Some(field) = self.take(key) else {
            self.missing(key, remedy);
            return None;
        };
        match field.value.text().map(str::trim) {
            Some(text) if !text.is_empty() => field.value.text().map(str::to_owned),
            Some(_) => {
                self.error(&field, format!("`{key}` is empty"), format!("write `{remedy}`"));
                None
            }
            None => {
                self.error(&field, format!("`{key}` must be one text"), format!("write `{remedy}`"));
                None
            }
        }
    }

    fn optional(&mut self, key: &str) -> Option<String> {
        let field = self.take(key)?;
        if field.value.text().is_none() {
            self.error(&field, format!("`{key}` must be one text"), format!("write `{key}: \"…\"`"));
        }
        field.value.text().map(str::to_owned)
    }

    /// A list of texts; a single text counts as a list of one.
    fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(field) = self.take(key) else { return Vec::new() };
        match &field.value.yaml {
            Yaml::Scalar { text, .. } if text.is_empty() => Vec::new(),
            Yaml::Scalar { text, .. } => vec![text.clone()],
            Yaml::List(items) if items.iter().all(|item| item.text().is_some()) => {
                items.iter().filter_map(|item| item.text().map(str::to_owned)).collect()
            }
            _ => {
                self.error(
                    &field,
                    format!("`{key}` must be a list of texts"),
                    format!("write `{key}: [one, two]`"),
                );
                Vec::new()
            }
        }
    }

    fn one_of<T: Copy>(&mut self, key: &str, known: &[(&str, T)]) -> Option<T> {
        let field = self.take(key)?;
        let found = field.value.text().unwrap_or_default();
        let named = |text: &str| known.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        let value = named(found).map(|&(_, value)| value);
        if value.is_none() {
            // `High priority` and `“high”` say what was meant.
            let meant = found.split(|c: char| !c.is_alphanumeric()).find_map(named).map(|&(name, _)| name);
            let names: Vec<&str> = known.iter().map(|&(name, _)| name).collect();
            let what = format!("`{found}` is no {key}");
            let remedy = match meant.or_else(|| nearly(found, &names)) {
                Some(meant) => instead(&format!("{key}: {meant}")),
                None => format!("write one of {}", names.join(", ")),
            };
            self.error(&field, what, remedy);
        }
        value
    }

    fn importance(&mut self) -> Importance {
        if !self.fields.iter().any(|field| field.key == "importance") {
            self.missing("importance", "importance: medium");
        }
        self.one_of("importance", IMPORTANCES).unwrap_or(Importance::Low)
    }

    fn discovered_at(&mut self) -> Timestamp {
        let Some(field) = self.take("discoveredAt") else {
            self.missing("discoveredAt", "discoveredAt: 2026-01-23T10:30:00Z");
            return Timestamp::UNIX_EPOCH;
        };
        let text = field.value.text().unwrap_or_default();
        time(text).unwrap_or_else(|| {
            let what = format!("`{text}` is no time in the form of ISO 8601");
            let meant = meant_date(text).unwrap_or_else(|| "2026-01-23T10:30:00Z".to_owned());
            self.error(&field, what, instead(&format!("discoveredAt: {meant}")));
            Timestamp::UNIX_EPOCH
        })
    }

    fn triggers(&mut self) -> Vec<Trigger> {
        let Some(field) = self.take("whenToUse") else {
            self.missing("whenToUse", "whenToUse: [\"word|other word\", \"When doing this or that\"]");
            return Vec::new();
        };
        let items = match &field.value.yaml {
            Yaml::List(items) => items.as_slice(),
            _ => std::slice::from_ref(&field.value),
        };
        let mut triggers = Vec::new();
        for item in items {
            match trigger(item, self.text) {
                Ok(trigger) => triggers.push(trigger),
                Err(problem) => self.problems.push(problem),
            }
        }
        triggers
    }

    fn evidence(&mut self) -> Value {
        let Some(field) = self.take("evidence") else { return Value::Null };
        let value = self.json(&field);
        match value {
            Value::Object(_) => Value::Array(vec![value]),
            Value::Array(_) | Value::Null => value,
            _ => {
                self.error(
                    &field,
                    "`evidence` must be a list of maps",
                    "write `- {file: src/a.rs, symbol: name}`",
                );
                Value::Null
            }
        }
    }

    fn json(&mut self, field: &Field) -> Value {
        field.value.json().unwrap_or_else(|problem| {
            self.problems.push(problem);
            Value::Null
        })
    }

    fn rest(&mut self) -> Map<String, Value> {
        let fields = std::mem::take(&mut self.fields);
        fields.into_iter().map(|field| (field.key.clone(), self.json(&field))).collect()
    }
}

const IMPORTANCES: &[(&str, Importance)] = &[
    ("low", Importance::Low),
    ("medium", Importance::Medium),
    ("high", Importance::High),
    ("critical", Importance::Critical),
];
const STATUSES: &[(&str, Status)] = &[
    ("active", Status::Active),
    ("pending", Status::Pending),
    ("deprecated", Status::Deprecated),
    ("superseded", Status::Superseded),
    ("rejected", Status::Rejected),
];
const TRUSTS: &[(&str, Trust)] = &[
    ("human", Trust::Human),
    ("agent", Trust::Agent),
    ("imported", Trust::Imported),
    ("untrusted", Trust::Untrusted),
];

/// The word that `found` is but for swapped letters or its end.
fn nearly<'a>(found: &str, names: &[&'a str]) -> Option<&'a str> {
    let found = found.to_lowercase();
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let alike = |name: &str| name.chars().zip(found.chars()).take_while(|(a, b)| a == b).count();
    names.iter().copied().find(|name| sorted(name) == sorted(&found) || alike(name) >= 4.min(name.len()))
}

fn trigger(item: &Node, text: &str) -> Result<Trigger, Problem> {
    let wrong = |remedy: &str| Problem::error(item.line, item.column, "this is no trigger", remedy);
    match &item.yaml {
        Yaml::Scalar { text, .. } if text.trim().is_empty() => {
            Err(wrong("write a pattern or a sentence, or delete the line"))
        }
        Yaml::Scalar { text, .. } => Ok(Trigger::Text(text.clone())),
        Yaml::Map(fields) if fields.len() == 1 => {
            match (fields[0].key.as_str(), fields[0].value.text().map(str::to_owned)) {
                ("pattern", Some(text)) => Ok(Trigger::Pattern(text)),
                ("path", Some(text)) => Ok(Trigger::Path(text)),
                ("command", Some(text)) => Ok(Trigger::Command(text)),
                ("error", Some(text)) => Ok(Trigger::Error(text)),
                // `- When the build fails: look here` is a map to YAML, and a sentence to its writer.
                _ => {
                    let line = text.lines().nth(item.line - 1).unwrap_or_default();
                    Err(wrong(&instead(&teach::quoted_item(line))))
                }
            }
        }
        Yaml::Map(_) => Err(wrong("write pattern, path, command and error as items of their own")),
        Yaml::List(_) => Err(wrong("write one list, not a list in a list")),
    }
}

/// Reads an ISO 8601 time: with an offset, without one (UTC), or a date alone.
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    let utc = jiff::tz::TimeZone::UTC;
    if let Ok(at) = text.parse::<jiff::civil::DateTime>() {
        return utc.to_timestamp(at).ok();
    }
    utc.to_timestamp(text.parse::<jiff::civil::Date>().ok()?.at(0, 0, 0, 0)).ok()
}

/// The date that somebody wrote in another order or with other marks.
fn meant_date(text: &str) -> Option<String> {
    const FORMS: [&str; 8] =
        ["%d.%m.%Y", "%Y/%m/%d", "%Y.%m.%d", "%m/%d/%Y", "%d/%m/%Y", "%B %d, %Y", "%d %B %Y", "%d-%m-%Y"];
    let text = text.trim();
    let date = FORMS.iter().find_map(|form| jiff::civil::Date::strptime(form, text).ok());
    date.map(|date| date.to_string())
}

/// Writes the lines between the two `---` lines.
pub(crate) fn write(front: &Frontmatter, guarded: bool) -> String {
    let mut out = Lines::default();
    out.line("title", &yaml::quote(&front.title));
    out.items("whenToUse", front.when_to_use.iter().map(trigger_text));
    out.words("tags", &front.tags);
    out.line("importance", front.importance.as_str());
    out.line("discoveredAt", &front.discovered_at.to_string());
    out.line("discoveredBy", &yaml::word(&front.discovered_by));
    for (key, value) in [("discoveredIn", &front.discovered_in), ("source", &front.source)] {
        if let Some(text) = value {
            out.line(key, &yaml::quote(text));
        }
    }
    out.words("relatedMemories", &front.related_memories);
    if let Some(kind) = front.kind {
        out.line("kind", kind.as_str());
    }
    if let Some(status) = front.status {
        out.line("status", status.as_str());
    }
    out.words("supersedes", &front.supersedes);
    if let Value::Array(items) = &front.evidence {
        out.items("evidence", items.iter().map(yaml::flow));
    }
    for (key, examples) in [("shouldFire", &front.should_fire), ("shouldNotFire", &front.should_not_fire)] {
        if !examples.is_empty() {
            out.items(key, examples.iter().map(|text| yaml::quote(text)));
        }
    }
    if let Some(trust) = front.trust {
        out.line("trust", trust.as_str());
    }
    for (key, value) in front.extra.iter().filter(|(key, _)| !FIELDS.contains(&key.as_str())) {
        out.0.extend([yaml::field(key, value, "\n"), "\n".to_owned()]);
    }
    if guarded {
        out.line(GUARDED, "true");
    }
    out.0
}

/// Lines of YAML, without blanks at their ends: editors take those away, and the text is what is approved.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, key: &str, value: &str) {
        self.0.extend([key, ": ", value, "\n"]);
    }

    /// One item a line; `[]` for none.
    fn items(&mut self, key: &str, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.map(|item| format!("  - {item}\n")).collect();
        if items.is_empty() {
            return self.line(key, "[]");
        }
        self.0.extend([key, ":\n"]);
        self.0.extend(items);
    }

    /// Short texts on one line; nothing for none.
    fn words(&mut self, key: &str, words: &[String]) {
        if !words.is_empty() {
            let words: Vec<String> = words.iter().map(|text| yaml::word(text)).collect();
            self.line(key, &format!("[{}]", words.join(", ")));
        }
    }
}

fn trigger_text(trigger: &Trigger) -> String {
    match trigger {
        Trigger::Text(text) => yaml::quote(text),
        Trigger::Pattern(text) => format!("pattern: {}", yaml::quote(text)),
        Trigger::Path(text) => format!("path: {}", yaml::quote(text)),
        Trigger::Command(text) => format!("command: {}", yaml::quote(text)),
        Trigger::Error(text) => format!("error: {}", yaml::quote(text)),
    }
}
