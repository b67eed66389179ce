//! Small changes to a person's JSON file, comments and all: text goes in, nothing else moves.
//!
//! The file is read into a tree of places, not of values, and never written
//! anew. A change is one insertion; taking the same text out again gives back
//! every byte.

use std::ops::Range;

use serde_json::{Map, Value};

/// Nesting beyond which a file is refused.
const DEEPEST: usize = 64;

/// Text that goes into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Insertion {
    pub(crate) at: usize,
    pub(crate) text: String,
}

/// Why a file cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) line: usize,
    pub(crate) what: String,
}

/// A value, by its place.
#[derive(Debug)]
struct Item {
    span: Range<usize>,
    node: Node,
}

#[derive(Debug)]
enum Node {
    Object(Vec<(String, Item)>, Tail),
    Array(Vec<Item>, Tail),
    Other,
}

/// Where a list ends.
#[derive(Debug)]
struct Tail {
    /// Where another item goes in.
    at: usize,
    /// Whether a comma must come first.
    needs_comma: bool,
}

/// The insertion that brings `value` to the end of the list at `path`; `None` if it is there already.
///
/// A path of one name is a member of the file itself, and is left as it is where it exists.
pub(crate) fn insert(text: &str, path: &[&str], value: &Value) -> Result<Option<Insertion>, Trouble> {
    insert_as(text, path, value, if path.len() == 1 { Leaf::Member } else { Leaf::Item })
}

/// The insertion that makes `value` the member at `path`; `None` if it is, and a refusal if something else is.
pub(crate) fn insert_member(text: &str, path: &[&str], value: &Value) -> Result<Option<Insertion>, Trouble> {
    insert_as(text, path, value, Leaf::Own)
}

/// What a value is to be at its path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaf {
    /// One of a list.
    Item,
    /// A member that may be somebody else's.
    Member,
    /// A member that must be this.
    Own,
}

fn insert_as(text: &str, path: &[&str], value: &Value, as_what: Leaf) -> Result<Option<Insertion>, Trouble> {
    let style = Style::of(text);
    let leaf = if as_what == Leaf::Item { Value::Array(vec![value.clone()]) } else { value.clone() };
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        let whole = style.write(&nested(path, &leaf), 0);
        return Ok(Some(Insertion { at: text.len(), text: format!("{whole}{}", style.newline) }));
    }
    let root = parse(text)?;
    let (mut item, mut depth) = (&root, 0);
    for (n, name) in path.iter().enumerate() {
        let Node::Object(members, tail) = &item.node else {
            return Err(trouble(text, item.span.start, "an object `{…}` is expected here"));
        };
        match members.iter().rev().find(|(known, _)| known == name) {
            Some((_, member)) => (item, depth) = (member, depth + 1),
            None => {
                let inner = nested(&path[n + 1..], &leaf);
                let key = Value::String((*name).to_owned());
                let member = format!("{key}: {}", style.write(&inner, depth + 1));
                return Ok(Some(style.insertion(text, item, tail, &member, depth, members.is_empty())));
            }
        }
    }
    match as_what {
        Leaf::Member => return Ok(None),
        Leaf::Own if item.value(text).as_ref() == Some(value) => return Ok(None),
        Leaf::Own => return Err(trouble(text, item.span.start, "there is another server of this name")),
        Leaf::Item => {}
    }
    let Node::Array(items, tail) = &item.node else {
        return Err(trouble(text, item.span.start, "a list `[…]` is expected here"));
    };
    if items.iter().any(|known| known.value(text).as_ref() == Some(value)) {
        return Ok(None);
    }
    let entry = style.write(value, depth + 1);
    Ok(Some(style.insertion(text, item, tail, &entry, depth, items.is_empty())))
}

/// The text without those entries of the lists below `name` that `ours` takes, and without what is empty then.
pub(crate) fn without(text: &str, name: &str, ours: impl Fn(&str) -> bool) -> Result<String, Trouble> {
    let mut text = text.to_owned();
    while let Some(gone) = first_of_ours(&text, name, &ours)? {
        gone.into_iter().rev().for_each(|range| text.replace_range(range, ""));
    }
    Ok(text)
}

/// The text without the member `name` of the object `holder`, where `ours` takes it, and without what is empty then.
pub(crate) fn without_member(
    text: &str,
    holder: &str,
    name: &str,
    ours: impl Fn(&str) -> bool,
) -> Result<String, Trouble> {
    let mut text = text.to_owned();
    if text.trim().is_empty() {
        return Ok(text);
    }
    let root = parse(&text)?;
    let held = root.member(holder).map(Item::members).unwrap_or_default();
    let mine = held.iter().position(|(key, item)| key == name && ours(&text[item.span.clone()]));
    let Some(mine) = mine else { return Ok(text) };
    let (all, n) = if held.len() > 1 {
        (held, mine)
    } else {
        let place = root.members().iter().position(|(key, _)| key == holder).unwrap_or_default();
        (root.members(), place)
    };
    let spans: Vec<Range<usize>> = all.iter().map(|(key, item)| with_key(&text, key, item)).collect();
    let gone = if spans.len() > 1 { with_comma(&text, &spans, n) } else { spans };
    gone.into_iter().rev().for_each(|range| text.replace_range(range, ""));
    Ok(text)
}

/// The value of a member of a member.
pub(crate) fn inner_member(text: &str, holder: &str, name: &str) -> Option<Value> {
    parse(text).ok()?.member(holder)?.member(name)?.value(text)
}

/// Every entry of the lists below `name`, with the name of its list.
pub(crate) fn entries(text: &str, name: &str) -> Result<Vec<(String, Value)>, Trouble> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = parse(text)?;
    let mut found = Vec::new();
    for (list, item) in root.member(name).map(Item::members).unwrap_or_default() {
        found.extend(item.items().iter().filter_map(|entry| Some((list.clone(), entry.value(text)?))));
    }
    Ok(found)
}

/// The value of a member of the file itself.
pub(crate) fn member(text: &str, name: &str) -> Option<Value> {
    parse(text).ok()?.member(name)?.value(text)
}

fn first_of_ours(
    text: &str,
    name: &str,
    ours: &impl Fn(&str) -> bool,
) -> Result<Option<Vec<Range<usize>>>, Trouble> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let root = parse(text)?;
    let Some(hooks) = root.member(name) else { return Ok(None) };
    for (n, (_, list)) in hooks.members().iter().enumerate() {
        let items = list.items();
        let Some(mine) = items.iter().position(|item| ours(&text[item.span.clone()])) else { continue };
        // A group may hold somebody else's hook beside ours: that one stays, and so does the group.
        let inner = items[mine].member("hooks").map(Item::items).unwrap_or_default();
        if let Some(one) = inner.iter().position(|item| ours(&text[item.span.clone()]))
            && inner.len() > 1
        {
            let spans: Vec<Range<usize>> = inner.iter().map(|item| item.span.clone()).collect();
            return Ok(Some(with_comma(text, &spans, one)));
        }
        let spans: Vec<Range<usize>> = items.iter().map(|item| item.span.clone()).collect();
        if items.len() > 1 {
            return Ok(Some(with_comma(text, &spans, mine)));
        }
        let lists: Vec<Range<usize>> =
            hooks.members().iter().map(|(key, item)| with_key(text, key, item)).collect();
        if lists.len() > 1 {
            return Ok(Some(with_comma(text, &lists, n)));
        }
        let place = root.members().iter().position(|(key, _)| key == name).unwrap_or_default();
        let all: Vec<Range<usize>> =
            root.members().iter().map(|(key, item)| with_key(text, key, item)).collect();
        return Ok(Some(if all.len() > 1 { with_comma(text, &all, place) } else { vec![all[0].clone()] }));
    }
    Ok(None)
}

/// One of several spans with the comma that joins it: the one before, or for the first the one behind.
///
/// A comment between the two is somebody's, and stays.
fn with_comma(text: &str, spans: &[Range<usize>], n: usize) -> Vec<Range<usize>> {
    let (between, whole) = match n {
        0 => (spans[0].end..spans[1].start, spans[0].start..spans[1].start),
        _ => (spans[n - 1].end..spans[n].start, spans[n - 1].end..spans[n].end),
    };
    if !text[between.clone()].contains('/') {
        return vec![whole];
    }
    let mut reader = Reader { text, at: between.start };
    let comma = reader.skip().ok().map(|()| reader.at..reader.at + 1);
    let mut gone: Vec<Range<usize>> = comma.into_iter().chain([spans[n].clone()]).collect();
    gone.sort_by_key(|range| range.start);
    gone
}

fn with_key(text: &str, key: &str, item: &Item) -> Range<usize> {
    let quoted = Value::String(key.to_owned()).to_string();
    let start = text[..item.span.start].rfind(&quoted).unwrap_or(item.span.start);
    start..item.span.end
}

/// A value below so many names.
fn nested(path: &[&str], value: &Value) -> Value {
    path.iter()
        .rev()
        .fold(value.clone(), |inner, name| Value::Object(Map::from_iter([((*name).to_owned(), inner)])))
}

impl Item {
    fn members(&self) -> &[(String, Item)] {
        match &self.node {
            Node::Object(members, _) => members,
            _ => &[],
        }
    }

    fn items(&self) -> &[Item] {
        match &self.node {
            Node::Array(items, _) => items,
            _ => &[],
        }
    }

    fn member(&self, name: &str) -> Option<&Item> {
        self.members().iter().rev().find(|(known, _)| known == name).map(|(_, item)| item)
    }

    fn value(&self, text: &str) -> Option<Value> {
        Some(match &self.node {
            Node::Object(members, _) => {
                let members = members.iter().map(|(key, item)| Some((key.clone(), item.value(text)?)));
                Value::Object(members.collect::<Option<Map<_, _>>>()?)
            }
            Node::Array(items, _) => {
                Value::Array(items.iter().map(|item| item.value(text)).collect::<Option<Vec<_>>>()?)
            }
            Node::Other => serde_json::from_str(&text[self.span.clone()]).ok()?,
        })
    }
}

/// How a file is written.
struct Style {
    newline: &'static str,
    indent: String,
}

impl Style {
    fn of(text: &str) -> Self {
        let indented = |line: &str| {
            let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
            (blank > 0 && line[blank..].starts_with('"')).then(|| line[..blank].to_owned())
        };
        Self {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            indent: text.lines().find_map(indented).unwrap_or_else(|| "  ".to_owned()),
        }
    }

    fn line(&self, depth: usize) -> String {
        format!("{}{}", self.newline, self.indent.repeat(depth))
    }

    /// A value whose first line stands `depth` deep.
    fn write(&self, value: &Value, depth: usize) -> String {
        use serde::Serialize;
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        value.serialize(&mut serializer).expect("values of text and numbers serialise");
        String::from_utf8_lossy(&bytes).replace('\n', &self.line(depth))
    }

    /// Puts an item, already written, at the end of a list that stands `depth` deep.
    fn insertion(
        &self,
        text: &str,
        list: &Item,
        tail: &Tail,
        item: &str,
        depth: usize,
        empty: bool,
    ) -> Insertion {
        let comma = if tail.needs_comma { "," } else { "" };
        let mut inserted = format!("{comma}{}{item}", self.line(depth + 1));
        let behind = &text[tail.at..list.span.end - 1];
        if empty || !behind.contains('\n') {
            inserted.push_str(&self.line(depth));
        }
        Insertion { at: tail.at, text: inserted }
    }
}

fn trouble(text: &str, at: usize, what: &str) -> Trouble {
    let line = text.as_bytes()[..at.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1;
    Trouble { line, what: what.to_owned() }
}

fn parse(text: &str) -> Result<Item, Trouble> {
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
    reader.skip()?;
    let root = reader.value(0)?;
    reader.skip()?;
    if reader.at < text.len() {
        return Err(reader.trouble("the file should end here"));
    }
    Ok(root)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn trouble(&self, what: &str) -> Trouble {
        trouble(self.text, self.at, what)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes over blanks and comments.
    fn skip(&mut self) -> Result<(), Trouble> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let comment = match rest.as_bytes().get(blank..blank + 2) {
                Some(b"//") => rest[blank..].find('\n').unwrap_or(rest.len() - blank),
                Some(b"/*") => match rest[blank..].find("*/") {
                    Some(end) => end + 2,
                    None => return Err(self.trouble("a comment has no end")),
                },
                _ => 0,
            };
            self.at += blank + comment;
            if comment == 0 {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Item, Trouble> {
        let start = self.at;
        let node = match self.next() {
            _ if depth > DEEPEST => return Err(self.trouble("it is nested too deeply")),
            Some(b'{') => {
                let (members, tail) = self.list(b'}', depth)?;
                Node::Object(members, tail)
            }
            Some(b'[') => {
                let (items, tail) = self.list(b']', depth)?;
                Node::Array(items.into_iter().map(|(_, item)| item).collect(), tail)
            }
            Some(b'"') => {
                self.string()?;
                Node::Other
            }
            _ => {
                let rest = self.rest();
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
                self.at += end.unwrap_or(rest.len());
                Node::Other
            }
        };
        if self.at == start {
            return Err(self.trouble("a value is expected here"));
        }
        Ok(Item { span: start..self.at, node })
    }

    fn string(&mut self) -> Result<String, Trouble> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while bytes.get(end).is_some_and(|&byte| byte != b'"') {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let quoted = self.text.get(self.at..end + 1).ok_or_else(|| self.trouble("a text has no end"))?;
        let read = serde_json::from_str(quoted).map_err(|_| self.trouble("this is no JSON text"))?;
        self.at = end + 1;
        Ok(read)
    }

    fn list(&mut self, close: u8, depth: usize) -> Result<(Vec<(String, Item)>, Tail), Trouble> {
        self.at += 1;
        let mut items = Vec::new();
        let mut tail = Tail { at: self.at, needs_comma: false };
        loop {
            self.skip()?;
            if self.next() == Some(close) {
                self.at += 1;
                return Ok((items, tail));
            }
            if tail.needs_comma {
                return Err(self.trouble("a comma is missing here"));
            }
            let mut key = String::new();
            if close == b'}' {
                if self.next() != Some(b'"') {
                    return Err(self.trouble("a name in double quotes is expected here"));
                }
                key = self.string()?;
                self.skip()?;
                if self.next() != Some(b':') {
                    return Err(self.trouble("a colon is missing here"));
                }
                self.at += 1;
                self.skip()?;
            }
            let item = self.value(depth + 1)?;
            tail = Tail { at: self.at, needs_comma: true };
            items.push((key, item));
            self.skip()?;
            if self.next() == Some(b',') {
                self.at += 1;
                tail = Tail { at: self.at, needs_comma: false };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with(text: &str, path: &[&str], value: Value) -> String {
        let mut out = text.to_owned();
        if let Some(Insertion { at, text }) = insert(text, path, &value).expect("it fits") {
            out.insert_str(at, &text);
        }
        out
    }

    #[test]
    fn an_entry_goes_to_the_end_and_everything_else_stays() {
        let text = "{\n\t// mine\n\t\"a\": 1, /* b */\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"x\": 1} // last\n\t\t]\n\t}\n}\n";
        insta::assert_snapshot!(with(text, &["hooks", "Stop"], json!({ "y": 2 })).replace('\t', "  "), @r#"
        {
          // mine
          "a": 1, /* b */
          "hooks": {
            "Stop": [
              {"x": 1},
              {
                "y": 2
              } // last
            ]
          }
        }
        "#);
    }

    #[test]
    fn what_is_missing_is_made() {
        for (text, want) in [
            ("", "{\n  \"h\": {\n    \"s\": [\n      1\n    ]\n  }\n}\n"),
            ("{}", "{\n  \"h\": {\n    \"s\": [\n      1\n    ]\n  }\n}"),
            ("{\"a\":1}", "{\"a\":1,\n  \"h\": {\n    \"s\": [\n      1\n    ]\n  }\n}"),
            ("{\"h\":{}}", "{\"h\":{\n    \"s\": [\n      1\n    ]\n  }}"),
            ("{\"h\":{\"s\":[]}}", "{\"h\":{\"s\":[\n      1\n    ]}}"),
            ("{\"h\":{\"s\":[2,]}}", "{\"h\":{\"s\":[2,\n      1\n    ]}}"),
            (
                "{\r\n    \"a\": 1\r\n}",
                "{\r\n    \"a\": 1,\r\n    \"h\": {\r\n        \"s\": [\r\n            1\r\n        ]\r\n    }\r\n}",
            ),
            ("{\"h\":{\"s\":[1]}}", "{\"h\":{\"s\":[1]}}"),
        ] {
            assert_eq!(with(text, &["h", "s"], json!(1)), want, "{text}");
        }
    }

    #[test]
    fn a_file_that_is_no_json_is_refused_with_its_line() {
        for (text, line) in [
            ("{", 1),
            ("{\n\"a\" 1}", 2),
            ("[]", 1),
            ("{\"h\": 1}", 1),
            ("{\"h\":\n{\"s\": {}}}", 2),
            ("{} x", 1),
            ("{\"a\": \"x}", 1),
            ("{\"a\": 1 \"b\": 2}", 1),
            ("{/*", 1),
        ] {
            assert_eq!(
                insert(text, &["h", "s"], &json!({})).map_err(|trouble| trouble.line),
                Err(line),
                "{text}"
            );
        }
        let deep = "[".repeat(100_000);
        assert!(insert(&format!("{{\"a\": {deep}"), &["h", "s"], &json!({})).is_err());
    }

    #[test]
    fn ours_are_taken_out_whatever_became_of_the_file() {
        let gone = |text: &str| without(text, "h", |entry| entry.contains("ours")).expect("it is JSON");
        assert_eq!(gone(r#"{"h": {"s": ["ours"]}, "b": 1}"#), r#"{"b": 1}"#);
        assert_eq!(
            gone(r#"{"b": 1, "h": {"s": ["ours"], "t": ["ours", "x"]}}"#),
            r#"{"b": 1, "h": {"t": ["x"]}}"#
        );
        assert_eq!(gone(r#"{"h": {"s": ["x", "ours"]}}"#), r#"{"h": {"s": ["x"]}}"#);
        assert_eq!(gone(r#"{"h": {"s": ["ours"]}}"#), "{}");
        assert_eq!(gone("{\"b\": 1, // mine\n\"h\": {\"s\": [\"ours\"]}}"), "{\"b\": 1 // mine\n}");
        assert_eq!(gone("{\"h\": {\"s\": [\"ours\"]}, /* mine */ \"b\": 1}"), "{ /* mine */ \"b\": 1}");
        assert_eq!(gone(r#"{"h": {"s": []}}"#), r#"{"h": {"s": []}}"#);
    }

    #[test]
    fn a_hook_beside_ours_in_one_group_stays() {
        let gone = |text: &str| without(text, "h", |entry| entry.contains("ours")).expect("it is JSON");
        assert_eq!(
            gone(r#"{"h": {"s": [{"matcher": "x", "hooks": ["ours 1", "mine", "ours 2"]}, "other"]}}"#),
            r#"{"h": {"s": [{"matcher": "x", "hooks": ["mine"]}, "other"]}}"#
        );
        assert_eq!(gone(r#"{"h": {"s": [{"hooks": ["ours"]}]}, "b": 1}"#), r#"{"b": 1}"#);
    }

    #[test]
    fn a_server_goes_in_and_out_and_nobody_elses_is_touched() {
        let own = json!({ "command": "ours" });
        for text in ["{\n  \"m\": {\n    \"a\": {} // mine\n  }\n}\n", "{\"m\": {}}", "{}", "{\"x\": 1}"] {
            let step = insert_member(text, &["m", "r"], &own).expect("it fits").expect("it is new");
            let mut with = text.to_owned();
            with.insert_str(step.at, &step.text);
            assert_eq!(inner_member(&with, "m", "r"), Some(own.clone()), "{with}");
            assert_eq!(insert_member(&with, &["m", "r"], &own), Ok(None));
            assert!(insert_member(&with, &["m", "r"], &json!({})).is_err());
            let without = without_member(&with, "m", "r", |text| text.contains("ours")).expect("JSON");
            assert_eq!(inner_member(&without, "m", "r"), None, "{without}");
            assert_eq!(member(&without, "x"), member(text, "x"));
            assert_eq!(inner_member(&without, "m", "a"), inner_member(text, "m", "a"));
        }
        let theirs = r#"{"m": {"r": {"command": "theirs"}}}"#;
        assert_eq!(without_member(theirs, "m", "r", |text| text.contains("ours")).as_deref(), Ok(theirs));
    }
}
