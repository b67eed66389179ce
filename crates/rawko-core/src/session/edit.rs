//! Changes one document's text and leaves the rest of it as a person wrote it.
//!
//! A change is made twice: to the value, and as lines put into the text. The
//! new text is read again, and where it does not say what the value says, the
//! document is written anew from the value. So comments and layout survive
//! where lines can be put between them, and a strange layout costs comments,
//! never an entry.

use serde_json::{Map, Value};

use crate::session::emit;
use crate::session::read::{self, Document, VERSION};
use crate::yaml::{Field, Node, Yaml};

/// The text of one document while it is changed.
pub(crate) struct Edit {
    text: String,
    document: Document,
    /// How large the text would be of a change that could not be made.
    lost: Option<usize>,
}

impl Edit {
    /// A document, alone in its text.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut text = text.to_owned();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let document = read::document(&text, 0..text.len(), 0).ok()??;
        Some(Self { text, document, lost: None })
    }

    /// A document that was read from just this text.
    pub(crate) fn read(text: &str, document: Document) -> Option<Self> {
        if text.ends_with('\n') {
            Some(Self { text: text.to_owned(), document, lost: None })
        } else {
            Self::of(text)
        }
    }

    pub(crate) fn value(&self) -> &Map<String, Value> {
        &self.document.value
    }

    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// The text with every change in it; where one could not be made, how large it would be.
    pub(crate) fn into_text(self) -> Result<String, usize> {
        self.lost.map_or(Ok(self.text), Err)
    }

    /// Adds an item to the list of a section.
    pub(crate) fn push(self, section: &str, item: Value) -> Self {
        let mut value = self.document.value.clone();
        let list = value.entry(section).or_insert(Value::Null);
        match list {
            Value::Array(items) => items.push(item.clone()),
            list => *list = Value::Array(vec![item.clone()]),
        }
        let lines = Lines::of(&self.text);
        let text = match self.document.field(section) {
            None => {
                let mut text = self.text.clone();
                text.push('\n');
                emit::field(&mut text, section, &value[section], 0);
                text
            }
            Some(Field { value: Node { yaml: Yaml::List(items), flow: false, .. }, .. })
                if !items.is_empty() =>
            {
                let last = items.last().map_or(0, |item| lines.last(item));
                lines.insert_after(last, &emit::items(&[item], lines.dash(&items[0])))
            }
            Some(field) => lines.replace(field, &field_text(section, &value[section], 0)),
        };
        self.checked(text, value)
    }

    /// Sets fields of an item of a section, or, without a number, of the section itself.
    pub(crate) fn set(mut self, section: &str, item: Option<usize>, changes: &Map<String, Value>) -> Self {
        for (key, change) in changes {
            self = self.set_one(section, item, key, change);
        }
        self
    }

    /// Sets a field of the document itself.
    pub(crate) fn set_top(self, key: &str, change: &Value) -> Self {
        let mut value = self.document.value.clone();
        value.insert(key.to_owned(), change.clone());
        let new = field_text(key, change, 0);
        let text = match self.document.field(key) {
            Some(field) => Lines::of(&self.text).replace(field, &new),
            None => format!("{}{new}", self.text),
        };
        self.checked(text, value)
    }

    fn set_one(self, section: &str, item: Option<usize>, key: &str, change: &Value) -> Self {
        let mut value = self.document.value.clone();
        let target = match item {
            Some(n) => value.get_mut(section).and_then(|list| list.get_mut(n)),
            None => Some(value.entry(section).or_insert(Value::Null)),
        };
        let Some(target) = target else { return self };
        if !target.is_object() {
            *target = Value::Object(Map::new());
        }
        target[key] = change.clone();
        let field = self.document.field(section);
        let node = field.and_then(|field| match (&field.value.yaml, item) {
            (Yaml::List(items), Some(n)) => items.get(n),
            (_, None) => Some(&field.value),
            _ => None,
        });
        let lines = Lines::of(&self.text);
        let text = match node.map(|node| (&node.yaml, node)) {
            Some((Yaml::Map(fields), node)) if !node.flow && !fields.is_empty() => {
                let indent = fields[0].column - 1;
                let new = field_text(key, change, indent);
                match fields.iter().find(|field| field.key == key) {
                    Some(field) => lines.replace(field, &new),
                    None => lines.insert_after(lines.last(node), &new),
                }
            }
            _ => match (field, value.get(section)) {
                (Some(field), Some(whole)) => lines.replace(field, &field_text(section, whole, 0)),
                (_, whole) => {
                    format!("{}\n{}", self.text, field_text(section, whole.unwrap_or(&Value::Null), 0))
                }
            },
        };
        self.checked(text, value)
    }

    /// Takes the items of a section out that `goes` names, and gives their text as it was.
    pub(crate) fn take(self, section: &str, goes: &[bool]) -> (Self, String) {
        let mut value = self.document.value.clone();
        let Some(Value::Array(items)) = value.get_mut(section) else { return (self, String::new()) };
        let taken: Vec<Value> =
            items.iter().zip(goes).filter(|(_, goes)| **goes).map(|(item, _)| item.clone()).collect();
        let mut numbers = 0..;
        items.retain(|_| !numbers.next().and_then(|n: usize| goes.get(n)).is_some_and(|goes| *goes));
        let lines = Lines::of(&self.text);
        let Some(field) = self.document.field(section) else { return (self, String::new()) };
        let Yaml::List(nodes) = &field.value.yaml else { return (self, String::new()) };
        let (mut moved, mut out) = (String::new(), vec![false; lines.all.len()]);
        if !field.value.flow {
            for (n, node) in nodes.iter().enumerate().filter(|(n, _)| goes.get(*n).is_some_and(|goes| *goes))
            {
                // What stands above an entry goes with it.
                let first = if n == 0 { field.line + 1 } else { lines.last(&nodes[n - 1]) + 1 };
                for line in first.max(field.line + 1)..=lines.last(node) {
                    out[line - 1] = true;
                    moved.push_str(lines.all[line - 1]);
                }
            }
        }
        let text = if items.is_empty() {
            lines.replace(field, &field_text(section, &Value::Array(Vec::new()), 0))
        } else {
            lines.all.iter().zip(&out).filter(|(_, out)| !**out).map(|(line, _)| *line).collect()
        };
        let written = format!("{section}:\n{moved}");
        let same = Edit::of(&written)
            .is_some_and(|edit| edit.value().get(section) == Some(&Value::Array(taken.clone())));
        let moved = if same { written } else { field_text(section, &Value::Array(taken), 0) };
        (self.checked(text, value), moved)
    }

    /// Brings a document of version 0 to the current version.
    pub(crate) fn migrated(self, session: &str) -> Self {
        let mut value = self.document.value.clone();
        read::migrate(&mut value, session);
        let lines = Lines::of(&self.text);
        let head = ["version", "schema", "sessionId", "agent", "createdAt"];
        let missing: Map<String, Value> = value
            .iter()
            .filter(|(key, value)| {
                head.contains(&key.as_str()) && self.document.value.get(*key) != Some(value)
            })
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let old = missing.keys().filter_map(|key| self.document.field(key));
        let gone: Vec<usize> = old.flat_map(|field| field.line..=lines.last(&field.value)).collect();
        let first = self.document.fields().first().map_or(1, |field| field.line);
        let mut text = String::new();
        for (number, line) in (1..).zip(&lines.all) {
            if number == first {
                text.push_str(&emit::fields(&missing, 0));
                text.push('\n');
            }
            if !gone.contains(&number) {
                text.push_str(line);
            }
        }
        self.checked(text, value)
    }

    /// The new text where it says what the value says, otherwise the value written anew.
    fn checked(self, text: String, value: Map<String, Value>) -> Self {
        let lost = self.lost;
        match Self::of(&text) {
            Some(edit) if edit.document.value == value => Self { lost, ..edit },
            _ => {
                let text = whole(&value, self.text.starts_with("---"));
                match Self::of(&text) {
                    Some(edit) => Self { lost, ..edit },
                    None => Self { lost: lost.max(Some(text.len())), ..self },
                }
            }
        }
    }
}

/// A document written from its value.
pub(crate) fn whole(value: &Map<String, Value>, marked: bool) -> String {
    let mut text = if marked { "---\n".to_owned() } else { String::new() };
    let mut before = "";
    for (key, value) in value {
        // As the origin lays it out: the head, a blank line, then each section after one.
        if value.is_array() || value.is_object() || before == "schema" {
            text.push('\n');
        }
        emit::field(&mut text, key, value, 0);
        before = key;
    }
    text
}

/// A new agent's document, without entries.
pub(crate) fn head(session: &str, agent: &str, created: &str, schema: &str) -> Map<String, Value> {
    let fields = [
        ("version", VERSION.to_string().as_str()),
        ("schema", schema),
        ("sessionId", session),
        ("agent", agent),
        ("createdAt", created),
    ]
    .map(|(key, value)| (key.to_owned(), Value::from(value)));
    fields.into_iter().collect()
}

fn field_text(key: &str, value: &Value, indent: usize) -> String {
    let mut out = String::new();
    emit::field(&mut out, key, value, indent);
    out
}

/// A text by its lines, which are counted from 1.
struct Lines<'a> {
    all: Vec<&'a str>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        Self { all: text.split_inclusive('\n').collect() }
    }

    /// The last line of a node that is not blank.
    fn last(&self, node: &Node) -> usize {
        let mut last = node.end.clamp(1, self.all.len());
        while last > node.line && self.all[last - 1].trim().is_empty() {
            last -= 1;
        }
        last
    }

    /// How far in the dash of an item stands.
    fn dash(&self, item: &Node) -> usize {
        let line = self.all[item.line.clamp(1, self.all.len()) - 1];
        let before: Vec<char> = line.chars().take(item.column - 1).collect();
        before.iter().rposition(|c| *c == '-').unwrap_or(0)
    }

    fn insert_after(&self, line: usize, new: &str) -> String {
        let (before, after) = self.all.split_at(line.min(self.all.len()));
        [&before.concat(), new, &after.concat()].concat()
    }

    /// The text with a field's lines replaced; what stands before the key on its line stays, and a comment behind it.
    fn replace(&self, field: &Field, new: &str) -> String {
        let first = self.all[field.line - 1];
        let at = first.char_indices().nth(field.column - 1).map_or(first.len(), |(at, _)| at);
        let before = self.all[..field.line - 1].concat();
        let after = self.all[self.last(&field.value).max(field.line)..].concat();
        let comment = comment(first[at..].trim_end());
        let new = new.trim_start_matches(' ');
        let (head, rest) = new.split_at(new.find('\n').unwrap_or(new.len()));
        [&before, &first[..at], head, comment, rest, &after].concat()
    }
}

/// The comment at the end of a line with the blanks before it, or nothing; a `#` in quotes opens none.
fn comment(line: &str) -> &str {
    let (mut quote, mut before, mut escaped) = (None, ' ', false);
    for (at, c) in line.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            // Two of them inside single quotes are one of the text.
            Some('\'') if c == '\'' && line[at + 1..].starts_with('\'') => escaped = true,
            Some(open) => quote = (c != open).then_some(open),
            None if c == '#' && before.is_whitespace() => return &line[line[..at].trim_end().len()..],
            None if matches!(c, '"' | '\'') && (before.is_whitespace() || "[{,:".contains(before)) => {
                quote = Some(c);
            }
            None => {}
        }
        before = c;
    }
    ""
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_comment_is_what_stands_behind_the_value() {
        for (line, comment) in [
            ("a: b # why", " # why"),
            ("a: 'it''s # x' # why", " # why"),
            ("a: 'it''s # x'", ""),
            (r#"a: "x \" # y" # why"#, " # why"),
            ("a: b#c", ""),
        ] {
            assert_eq!(super::comment(line), comment, "{line}");
        }
    }
}
