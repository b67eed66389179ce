//! The strict YAML subset of frontmatter: one mapping of strings, lists and maps.
//!
//! YAML's conveniences are an attacker's tools and a reader's traps, so
//! anchors, aliases, merge keys, tags, directives and duplicate keys are
//! errors, and depth, nodes and size have limits. Every node knows where it
//! stands, and an error teaches the fix: most broken frontmatter is one
//! missing pair of quotes.
//!
//! Writing is here too, because the two must agree on every text. A person's
//! frontmatter is never written again; only new entries are.

mod simple;

use std::collections::HashSet;

use granit_parser::{Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle, options};
use serde_json::{Map, Number, Value};

use crate::problem::Problem;
use crate::teach;

/// What to do where a field stands twice.
const TWICE: &str = "keep one of the two, and delete the other; if a git merge wove two entries together here, \
                     undo the merge, run `rawko init` so that git keeps entries whole, and merge again";

/// Largest frontmatter, in bytes.
pub(crate) const MAX_BYTES: usize = 64 * 1024;

/// How large a document of some kind may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) bytes: usize,
    pub(crate) depth: usize,
    pub(crate) nodes: usize,
    /// What the kind is called.
    pub(crate) noun: &'static str,
    /// What to do where a document is too large.
    pub(crate) smaller: &'static str,
}

const FRONTMATTER: Limits = Limits {
    bytes: MAX_BYTES,
    depth: 16,
    nodes: 4_096,
    noun: "frontmatter",
    smaller: "move long lists and data into the body",
};

/// A value with its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Its last line; for a block of text, with the blank lines below it.
    pub(crate) end: usize,
    /// Written between brackets.
    pub(crate) flow: bool,
    pub(crate) yaml: Yaml,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Yaml {
    /// `plain` scalars have no quotes and may be numbers, booleans or null.
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<Field>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) value: Node,
}

/// Parses one mapping; the error's line counts from 1 within `text`.
pub(crate) fn parse(text: &str) -> Result<Vec<Field>, Problem> {
    if text.len() > MAX_BYTES {
        return Err(Problem::error(
            1,
            1,
            format!("the frontmatter has {} bytes, and {MAX_BYTES} is the limit", text.len()),
            "move long text below the closing `---` line",
        ));
    }
    if let Some(fields) = simple::fields(text) {
        return Ok(fields);
    }
    let node = document(text, &FRONTMATTER)?.ok_or_else(|| {
        Problem::error(
            1,
            1,
            "the frontmatter has no fields",
            "write at least title, whenToUse, importance, discoveredAt and discoveredBy",
        )
    })?;
    match node.yaml {
        Yaml::Map(fields) => Ok(fields),
        _ => Err(Problem::error(
            node.line,
            node.column,
            "the frontmatter is no mapping of `key: value` lines",
            "write one `key: value` per line, such as `title: \"…\"`",
        )),
    }
}

/// Parses a text that holds one document, or none.
pub(crate) fn document(text: &str, limits: &Limits) -> Result<Option<Node>, Problem> {
    build(text, limits).map_err(|fault| match fault {
        Fault::Parser(error) => teach::teach(text, &error),
        Fault::Sign(place, what) => teach::refuse(text, place, what),
        Fault::Told(problem) => problem,
    })
}

/// The line of the first fault, without a word on how to mend it: for whoever tries mended forms.
pub(crate) fn fault_line(text: &str) -> Option<usize> {
    const ANY: Limits = Limits { bytes: usize::MAX, depth: 64, nodes: usize::MAX, ..FRONTMATTER };
    build(text, &ANY).err().map(|fault| match fault {
        Fault::Parser(error) => error.marker().line(),
        Fault::Sign((line, _), _) => line,
        Fault::Told(problem) => problem.line,
    })
}

/// Why a text is no document.
enum Fault {
    /// It is no YAML.
    Parser(ScanError),
    /// A sign at a place has a meaning in YAML that is not wanted here.
    Sign((usize, usize), &'static str),
    /// Something else, with its remedy.
    Told(Problem),
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self::Told(problem)
    }
}

fn build(text: &str, limits: &Limits) -> Result<Option<Node>, Fault> {
    if text.len() > limits.bytes {
        let what = format!("the {} has {} bytes, and {} is the limit", limits.noun, text.len(), limits.bytes);
        return Err(Problem::error(1, 1, what, limits.smaller).into());
    }
    if let Some(at) = lone_return(text) {
        let (line, column) = (
            text[..at].matches('\n').count() + 1,
            text[..at].rsplit('\n').next().unwrap_or_default().chars().count() + 1,
        );
        // It would end a line for YAML and for nobody who reads the file.
        let what = "a carriage return without a line feed";
        return Err(Problem::error(
            line,
            column,
            what,
            "delete it, or save the file with LF or CRLF line ends",
        )
        .into());
    }
    let parser = Parser::new_from_str_with_options(text, strict());
    Builder { parser, nodes: 0, limits }.document()
}

fn lone_return(text: &str) -> Option<usize> {
    text.match_indices('\r').map(|(at, _)| at).find(|at| !text[at + 1..].starts_with('\n'))
}

/// What the parser refuses by itself, and what [`Builder`] shall see.
fn strict() -> Options {
    options! { disallow_directives: true, emit_unresolved_aliases: true }
}

struct Builder<'a> {
    parser: Parser<'a, granit_parser::StrInput<'a>>,
    nodes: usize,
    limits: &'a Limits,
}

impl<'a> Builder<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Fault> {
        match self.parser.next_event() {
            Some(Ok(found)) => Ok(found),
            Some(Err(error)) => Err(Fault::Parser(error)),
            None => {
                let what = format!("the {} ends too early", self.limits.noun);
                Err(Problem::error(1, 1, what, "write `key: value` lines").into())
            }
        }
    }

    fn document(mut self) -> Result<Option<Node>, Fault> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentStart(..) => {}
                Event::StreamEnd | Event::DocumentEnd => return Ok(None),
                event => {
                    let node = self.node(event, span, 0)?;
                    return self.finish(node).map(Some);
                }
            }
        }
    }

    /// Nothing may follow the one mapping.
    fn finish(&mut self, node: Node) -> Result<Node, Fault> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::DocumentEnd => {}
                Event::StreamEnd => return Ok(node),
                _ => {
                    return Err(refuse(
                        &span,
                        &format!("a second document in the {}", self.limits.noun),
                        "keep one block of `key: value` lines; close it with `---`, not `...`",
                    )
                    .into());
                }
            }
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Fault> {
        self.nodes += 1;
        let Limits { nodes, depth: deepest, noun, smaller, .. } = self.limits;
        if self.nodes > *nodes || depth > *deepest {
            let what = format!("the {noun} is too large: at most {nodes} values, nested {deepest} deep");
            return Err(refuse(&span, &what, smaller).into());
        }
        let (line, column) = place(&span);
        let (mut end, mut flow) = (span.end.line(), false);
        let yaml = match event {
            Event::Scalar(text, style, anchor, tag) => {
                Self::no_extras(&span, anchor, tag.is_some())?;
                if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
                    end = (end - 1).max(line);
                }
                Yaml::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain }
            }
            Event::SequenceStart(style, anchor, tag) => {
                Self::no_extras(&span, anchor, tag.is_some())?;
                flow = style == StructureStyle::Flow;
                Yaml::List(self.list(depth, flow, &mut end)?)
            }
            Event::MappingStart(style, anchor, tag) => {
                Self::no_extras(&span, anchor, tag.is_some())?;
                flow = style == StructureStyle::Flow;
                Yaml::Map(self.map(depth, flow, &mut end)?)
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                let what = "a value that starts with `*` is an alias in YAML";
                return Err(Fault::Sign((line, column), what));
            }
            _ => return Err(refuse(&span, "a value is missing here", "write a value after the key").into()),
        };
        Ok(Node { line, column, end, flow, yaml })
    }

    fn no_extras(span: &Span, anchor: usize, tagged: bool) -> Result<(), Fault> {
        let what = match (anchor, tagged) {
            (0, false) => return Ok(()),
            (0, true) => "a value that starts with `!` is a tag in YAML",
            _ => "a value that starts with `&` is an anchor in YAML",
        };
        Err(Fault::Sign(place(span), what))
    }

    fn list(&mut self, depth: usize, flow: bool, end: &mut usize) -> Result<Vec<Node>, Fault> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, span) => {
                    let last = items.last().filter(|_| !flow);
                    *end = last.map_or(span.end.line(), |item: &Node| item.end);
                    return Ok(items);
                }
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize, flow: bool, end: &mut usize) -> Result<Vec<Field>, Fault> {
        let mut fields: Vec<Field> = Vec::new();
        let mut keys: HashSet<String> = HashSet::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                let last = fields.last().filter(|_| !flow);
                *end = last.map_or(span.end.line(), |field| field.value.end);
                return Ok(fields);
            }
            let (line, column) = place(&span);
            let Yaml::Scalar { text: key, plain } = self.node(event, span, depth + 1)?.yaml else {
                let what = "a key that is no text: values that start with `{` or `[` need quotes";
                return Err(Fault::Sign((line, column), what));
            };
            if plain && key == "<<" {
                return Err(Problem::error(line, column, "a merge key (`<<`)", "write the fields out").into());
            }
            if !is_new(&key, &fields, &mut keys) {
                let what = format!("`{key}` stands here a second time");
                return Err(Problem::error(line, column, what, TWICE).into());
            }
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            fields.push(Field { key, line, column, value });
        }
    }
}

/// Whether a mapping has no such key yet; `keys` is filled where looking through `fields` would take long.
fn is_new(key: &str, fields: &[Field], keys: &mut HashSet<String>) -> bool {
    if fields.len() < 32 {
        return !fields.iter().any(|field| field.key == key);
    }
    if keys.is_empty() {
        keys.extend(fields.iter().map(|field| field.key.clone()));
    }
    keys.insert(key.to_owned())
}

fn place(span: &Span) -> (usize, usize) {
    (span.start.line(), span.start.col() + 1)
}

fn refuse(span: &Span, what: &str, remedy: &str) -> Problem {
    let (line, column) = place(span);
    Problem::error(line, column, what, remedy)
}

impl Node {
    /// The scalar as text, whatever it looks like.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.yaml {
            Yaml::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether there is no value: nothing, `~` or `null`, without quotes.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.yaml, Yaml::Scalar { text, plain: true } if is_nothing(text))
    }

    /// The value as JSON, for fields that rawko does not know.
    pub(crate) fn json(&self) -> Result<Value, Problem> {
        Ok(match &self.yaml {
            Yaml::Scalar { text, plain: false } => Value::String(text.clone()),
            Yaml::Scalar { text, plain: true } => plain(text).ok_or_else(|| {
                Problem::error(
                    self.line,
                    self.column,
                    format!("`{text}` is no number that can be kept"),
                    format!("put it in quotes: \"{text}\""),
                )
            })?,
            Yaml::List(items) => Value::Array(items.iter().map(Self::json).collect::<Result<_, _>>()?),
            Yaml::Map(fields) => {
                let mut map = Map::new();
                for field in fields {
                    map.insert(field.key.clone(), field.value.json()?);
                }
                Value::Object(map)
            }
        })
    }
}

/// A plain scalar by YAML's core schema; `None` for numbers JSON cannot hold.
fn plain(text: &str) -> Option<Value> {
    Some(match text {
        _ if is_nothing(text) => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return None,
        _ if text.trim_start_matches(['+', '-']).eq_ignore_ascii_case(".inf") => return None,
        _ => match number(text) {
            Some(number) => Value::Number(number),
            None => Value::String(text.to_owned()),
        },
    })
}

/// What YAML reads as no value.
fn is_nothing(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Numbers that print back as they were written; everything else stays text.
fn number(text: &str) -> Option<Number> {
    let integer = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    let number = integer.ok().or_else(|| Number::from_f64(text.parse().ok()?));
    number.filter(|number| number.to_string() == text)
}

/// Writes a text as a YAML scalar on one line that reads back exactly.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if needs_escape(c) && (c as u32) < 0x10000 => out.push_str(&format!("\\u{:04X}", c as u32)),
            c if needs_escape(c) => out.push_str(&format!("\\U{:08X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Control, line-breaking, invisible and non-characters: they stay visible in the file.
fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || (c as u32) & 0xfffe == 0xfffe
        || matches!(c, '\u{fdd0}'..='\u{fdef}' | '\u{e0000}'..='\u{e007f}')
}

/// Writes a word without quotes where that is safe, as people do for tags and names.
pub(crate) fn word(text: &str) -> String {
    let plain = !text.is_empty()
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        && matches!(self::plain(text), Some(Value::String(_)));
    if plain { text.to_owned() } else { quote(text) }
}

/// Writes a JSON value in flow form on one line.
pub(crate) fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.to_string(),
        Value::String(text) => quote(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let fields: Vec<String> = map.iter().map(|(key, value)| field(key, value, " ")).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// Writes `key: value`; `between` stands before the colon of a key too long for YAML's short form.
pub(crate) fn field(key: &str, value: &Value, between: &str) -> String {
    let key = word(key);
    // YAML looks for the colon within 1,024 characters.
    if key.len() < 1_000 {
        format!("{key}: {}", flow(value))
    } else {
        format!("? {key}{between}: {}", flow(value))
    }
}
