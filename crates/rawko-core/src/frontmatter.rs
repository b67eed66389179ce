//! The fields of an entry: from strict YAML to typed values, and back to text.
//!
//! Reading collects every problem of a block, so that one look mends it all;
//! writing puts the fields in one fixed order, one line each where it can.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::entry::{Frontmatter, Importance, Kind, Status, Trigger};
use crate::keys;
use crate::problem::Problem;
use crate::teach::{self, Mend, instead};
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

/// The fields without which an entry is none.
pub(crate) const REQUIRED: [&str; 5] = ["title", "whenToUse", "importance", "discoveredAt", "discoveredBy"];

/// A block's typed fields, and whether its body is stored guarded.
pub(crate) struct Read {
    pub(crate) frontmatter: Frontmatter,
    pub(crate) guarded: bool,
}

/// Reads one frontmatter block; lines in problems count from 1 within `text`. What stands `below` it may tell what is
/// missing in it.
pub(crate) fn read(text: &str, below: &str) -> Result<Read, Vec<Problem>> {
    let fields = yaml::parse(text).map_err(|problem| vec![problem])?;
    let mut reader = Reader { text, below, fields, problems: Vec::new() };
    let guarded = reader.take(GUARDED).is_some_and(|field| field.value.text() == Some("true"));
    let frontmatter = reader.frontmatter();
    if reader.problems.is_empty() { Ok(Read { frontmatter, guarded }) } else { Err(reader.problems) }
}

/// What a required field tells, and an example of its line: only the writer knows the right one.
struct Wanted {
    what: &'static str,
    line: &'static str,
}

const TITLE: Wanted = Wanted { what: "what it is about", line: "title: \"What this memory is about\"" };
const WHEN: Wanted =
    Wanted { what: "when it helps", line: "whenToUse: [\"word|other word\", \"When doing this or that\"]" };
const AT: Wanted = Wanted { what: "when it was found", line: "discoveredAt: 2026-01-23T10:30:00Z" };
const BY: Wanted = Wanted { what: "who found it", line: "discoveredBy: developer" };

impl Wanted {
    fn add(&self) -> String {
        format!("add {}, such as `{}`", self.what, self.line)
    }

    fn write(&self) -> String {
        format!("write {}, such as `{}`", self.what, self.line)
    }
}

struct Reader<'a> {
    text: &'a str,
    below: &'a str,
    fields: Vec<Field>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn frontmatter(&mut self) -> Frontmatter {
        Frontmatter {
            title: self.title().unwrap_or_default(),
            when_to_use: self.triggers(),
            importance: self.importance(),
            discovered_at: self.discovered_at(),
            discovered_by: self.required("discoveredBy", &BY).unwrap_or_default(),
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

    /// An error whose remedy, `write`, is another line for the whole field.
    fn error(&mut self, field: &Field, what: impl Into<String>, write: &str) {
        let more = field.value.end.saturating_sub(field.line);
        let (place, remedy) = match more {
            _ if field.value.is_null() => ((field.line, field.column), write.to_owned()),
            0 => ((field.line, field.value.column), write.to_owned()),
            1 => ((field.line, field.column), format!("{write} instead of this line and the next")),
            _ => ((field.line, field.column), format!("{write} instead of this line and the next {more}")),
        };
        self.problems.push(Problem::error(place.0, place.1, what, remedy));
    }

    fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number - 1).unwrap_or_default()
    }

    /// An error where there is no such field, unless another one was meant to be it; otherwise the remedy is `add`.
    fn missing(&mut self, key: &'static str, add: &str) {
        let is_new = |field: &&Field| !FIELDS.contains(&field.key.as_str());
        let meant = |field: &Field| {
            let line = self.line(field.line);
            let near = keys::nearest(&field.key, |name| name == key);
            let renamed = near.map(|_| line.replacen(&field.key, key, 1));
            // `whenToUse ["a", "b: c"]` has a colon, further on.
            let torn = || teach::bad_field(line).map(|(_, line)| line).filter(|line| begins_with(line, key));
            renamed.or_else(torn).map(|line| (field.line, instead(&line)))
        };
        let found = self.fields.iter().filter(is_new).find_map(meant);
        let above = || {
            let line = lone_items(self.text).filter(|_| key == "whenToUse")?;
            Some((line, Mend::Above(format!("{key}:")).remedy()))
        };
        let meant = found.or_else(above);
        let lacks = meant.is_none().then_some(key);
        let (line, hint) = meant.unwrap_or_else(|| (1, add.to_owned()));
        let what = format!("the required field `{key}` is missing");
        self.problems.push(Problem { lacks, ..Problem::error(line, 1, what, hint) });
    }

    /// One text; no value is an error for required fields alone.
    fn text(&mut self, field: &Field, write: impl Fn() -> String) -> Option<String> {
        let key = &field.key;
        match field.value.text() {
            Some(text) if !field.value.is_null() && !text.trim().is_empty() => return Some(text.to_owned()),
            Some(_) => self.error(field, format!("`{key}` is empty"), &write()),
            None => {
                let quoted = teach::quoted_value(self.line(field.line)).filter(|_| field.value.flow);
                let write = quoted.map_or_else(write, |line| instead(&line));
                self.error(field, format!("`{key}` must be one text"), &write);
            }
        }
        None
    }

    fn required(&mut self, key: &'static str, wanted: &Wanted) -> Option<String> {
        let Some(field) = self.take(key) else {
            self.missing(key, &wanted.add());
            return None;
        };
        self.text(&field, || wanted.write())
    }

    /// The title; where there is none, the heading below is most likely what it was.
    fn title(&mut self) -> Option<String> {
        let below = self.below;
        let Some(field) = self.take("title") else {
            let add = heading(below).map_or_else(|| TITLE.add(), |title| format!("add the line `{title}`"));
            self.missing("title", &add);
            return None;
        };
        self.text(&field, || heading(below).map_or_else(|| TITLE.write(), |title| instead(&title)))
    }

    fn optional(&mut self, key: &str) -> Option<String> {
        let field = self.take(key).filter(|field| !field.value.is_null())?;
        match field.value.text() {
            Some(text) => Some(text.to_owned()),
            None => self.text(&field, || instead(&format!("{key}: \"…\""))),
        }
    }

    /// A list of texts; a single text counts as a list of one, and no value as none.
    fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(field) = self.take(key) else { return Vec::new() };
        let items = match &field.value.yaml {
            Yaml::List(items) => items.as_slice(),
            Yaml::Scalar { .. } => std::slice::from_ref(&field.value),
            Yaml::Map(_) => {
                let write = instead(&format!("{key}: [one, two]"));
                self.error(&field, format!("`{key}` must be a list of texts"), &write);
                return Vec::new();
            }
        };
        for item in items.iter().filter(|item| item.text().is_none()) {
            let what = format!("`{key}` must be a list of texts");
            let remedy = teach::as_text(self.text, (item.line, item.column), field.value.flow).remedy();
            self.problems.push(Problem::error(item.line, item.column, what, remedy));
        }
        let alone = field.value.text().is_some_and(str::is_empty);
        let filled = items.iter().filter(|item| !item.is_null() && !alone).filter_map(Node::text);
        filled.map(str::to_owned).collect()
    }

    fn one_of<T: Copy>(&mut self, key: &str, known: &[(&str, T)]) -> Option<T> {
        let field = self.take(key).filter(|field| !field.value.is_null())?;
        let found = match &field.value.yaml {
            Yaml::Scalar { text, .. } => text.as_str(),
            Yaml::List(items) if items.len() == 1 => items[0].text().unwrap_or_default(),
            _ => "",
        };
        let named = |text: &str| known.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        let value = named(found).map(|&(_, value)| value).filter(|_| field.value.text().is_some());
        if value.is_none() {
            // `High priority` and `“high”` say what was meant.
            let meant = found.split(|c: char| !c.is_alphanumeric()).find_map(named).map(|&(name, _)| name);
            let names: Vec<&str> = known.iter().map(|&(name, _)| name).collect();
            let what = match field.value.text() {
                Some(found) => format!("`{found}` is no {key}"),
                None => format!("`{key}` must be one word"),
            };
            match meant.or_else(|| nearly(found, &names)) {
                Some(meant) => self.error(&field, what, &instead(&format!("{key}: {meant}"))),
                None => {
                    let remedy = format!("write one of {}", names.join(", "));
                    self.problems.push(Problem::error(field.value.line, field.value.column, what, remedy));
                }
            }
        }
        value
    }

    fn importance(&mut self) -> Importance {
        const MEDIUM: &str = "importance: medium";
        match self.fields.iter().find(|field| field.key == "importance") {
            None => self.missing("importance", &format!("add the line `{MEDIUM}`")),
            Some(field) if field.value.is_null() => {
                let field = field.clone();
                self.error(&field, "`importance` is empty", &instead(MEDIUM));
            }
            Some(_) => {}
        }
        self.one_of("importance", IMPORTANCES).unwrap_or(Importance::Low)
    }

    fn discovered_at(&mut self) -> Timestamp {
        let Some(field) = self.take("discoveredAt") else {
            self.missing("discoveredAt", &AT.add());
            return Timestamp::UNIX_EPOCH;
        };
        let Some(text) = self.text(&field, || AT.write()) else { return Timestamp::UNIX_EPOCH };
        time(&text).unwrap_or_else(|| {
            let what = format!("`{text}` is no time in the form of ISO 8601");
            let meant = meant_time(&text).map(|meant| instead(&format!("discoveredAt: {meant}")));
            self.error(&field, what, &meant.unwrap_or_else(|| AT.write()));
            Timestamp::UNIX_EPOCH
        })
    }

    fn triggers(&mut self) -> Vec<Trigger> {
        let Some(field) = self.take("whenToUse") else {
            self.missing("whenToUse", &WHEN.add());
            return Vec::new();
        };
        if field.value.text().is_some_and(|text| field.value.is_null() || text.trim().is_empty()) {
            self.error(&field, "`whenToUse` is empty", &WHEN.write());
            return Vec::new();
        }
        let items = match &field.value.yaml {
            Yaml::List(items) => items.as_slice(),
            _ => std::slice::from_ref(&field.value),
        };
        let mut triggers = Vec::new();
        for item in items {
            match trigger(item, field.value.flow, self.text) {
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
                let what = "`evidence` must be a list of maps";
                self.error(&field, what, &instead("evidence: [{file: src/a.rs, symbol: name}]"));
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

/// The kinds of a trigger that is a map.
pub(crate) const KINDS: [&str; 4] = ["pattern", "path", "command", "error"];

/// Reads one trigger; `flow` if it stands in brackets.
fn trigger(item: &Node, flow: bool, text: &str) -> Result<Trigger, Problem> {
    let at = |line, column, remedy: String| Problem::error(line, column, "this is no trigger", remedy);
    let wrong = |remedy: String| at(item.line, item.column, remedy);
    match &item.yaml {
        Yaml::Scalar { text, .. } if item.is_null() || text.trim().is_empty() => {
            Err(wrong("write a pattern or a sentence in quotes, or delete it".to_owned()))
        }
        Yaml::Scalar { text, .. } => Ok(Trigger::Text(text.clone())),
        Yaml::Map(fields) if fields.len() == 1 => {
            let field = &fields[0];
            match (field.key.as_str(), field.value.text().filter(|_| !field.value.is_null())) {
                ("pattern", Some(text)) => Ok(Trigger::Pattern(text.to_owned())),
                ("path", Some(text)) => Ok(Trigger::Path(text.to_owned())),
                ("command", Some(text)) => Ok(Trigger::Command(text.to_owned())),
                ("error", Some(text)) => Ok(Trigger::Error(text.to_owned())),
                (_, found) => Err(wrong(not_a_kind(item, field, found.is_some(), flow, text))),
            }
        }
        // `- pattern: a` and below it `path: b`, which has lost its dash.
        Yaml::Map(fields) if !item.flow && fields.len() > 1 && fields[1].line > item.line => {
            let line = text.lines().nth(fields[1].line - 1).unwrap_or_default();
            let indent = " ".repeat(item.column.saturating_sub(3));
            Err(at(fields[1].line, fields[1].column, instead(&format!("{indent}- {}", line.trim_start()))))
        }
        Yaml::Map(_) => Err(wrong("write pattern, path, command and error as items of their own".to_owned())),
        Yaml::List(_) => Err(wrong("write one list, not a list in a list".to_owned())),
    }
}

/// What to write for a map with one key that is no kind of trigger, or no text behind it.
///
/// In braces a map was meant: `{regex: a}`. `- When the build fails: look here` is one to YAML alone.
fn not_a_kind(item: &Node, field: &Field, has_text: bool, flow: bool, text: &str) -> String {
    let key = field.key.to_lowercase();
    let near = KINDS.into_iter().find(|kind| keys::distance(kind, &key) <= 1 || is_short_for(&key, kind));
    let braces = item.line == field.line && item.column < field.column;
    let line = text.lines().nth(field.line - 1).unwrap_or_default();
    let is_quoted = line[teach::byte_at(line, field.value.column)..].starts_with(['"', '\'']);
    match near.or(braces.then_some("pattern")) {
        Some(kind) if has_text => {
            let start = teach::byte_at(line, field.column);
            instead(&format!("{}{}", &line[..start], line[start..].replacen(&field.key, kind, 1)))
        }
        _ if braces => "write `{pattern: \"…\"}` with a text, or delete it".to_owned(),
        Some(kind) => format!("write one text behind `{kind}:`, and an item of its own for each further one"),
        None if is_quoted => format!("write pattern, path, command or error in place of `{}`", field.key),
        None => teach::as_text(text, (item.line, item.column), flow).remedy(),
    }
}

/// Whether a word is one of our kinds without some of its letters: `cmd`, `err`.
fn is_short_for(word: &str, kind: &str) -> bool {
    let mut letters = kind.chars();
    word.len() >= 3 && word.starts_with(&kind[..1]) && word.chars().all(|c| letters.any(|letter| letter == c))
}

/// The title that the first heading of a text would be, as a line.
fn heading(text: &str) -> Option<String> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let heading = first.strip_prefix("# ").map(str::trim).filter(|heading| !heading.is_empty())?;
    Some(format!("title: {}", yaml::quote(heading)))
}

/// The line, from 1, at which items begin that stand below no field of their own.
fn lone_items(text: &str) -> Option<usize> {
    let is_item = |line: &str| line.trim_start().starts_with("- ");
    let lone =
        |(above, line): (&str, &str)| is_item(line) && !is_item(above) && !above.trim_end().ends_with(':');
    text.lines().zip(text.lines().skip(1)).position(lone).map(|at| at + 2)
}

/// Whether a line is the field of this key.
fn begins_with(line: &str, key: &str) -> bool {
    line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'))
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

/// The time that somebody wrote in another order or with other marks.
fn meant_time(text: &str) -> Option<String> {
    const FORMS: [&str; 8] =
        ["%d.%m.%Y", "%Y/%m/%d", "%Y.%m.%d", "%m/%d/%Y", "%d/%m/%Y", "%B %d, %Y", "%d %B %Y", "%d-%m-%Y"];
    let text = text.trim();
    let date = FORMS.iter().find_map(|form| jiff::civil::Date::strptime(form, text).ok());
    date.map(|date| date.to_string()).or_else(|| by_digits(text))
}

/// The time whose digits are all there, in their order, and whose marks are not.
fn by_digits(text: &str) -> Option<String> {
    let time = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let digits: String = time.chars().filter(char::is_ascii_digit).collect();
    let part = |range: std::ops::Range<usize>| digits.get(range);
    let date = format!("{}-{}-{}", part(0..4)?, part(4..6)?, part(6..8)?);
    let text = match digits.len() {
        8 => date,
        14 if fraction.chars().all(|c| c.is_ascii_digit()) => {
            let dot = if fraction.is_empty() { "" } else { "." };
            format!("{date}T{}:{}:{}{dot}{fraction}Z", part(8..10)?, part(10..12)?, part(12..14)?)
        }
        _ => return None,
    };
    self::time(&text).map(|_| text)
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
