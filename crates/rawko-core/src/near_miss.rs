//! Warnings about valid YAML that reads as something else than its writer meant.
//!
//! YAML joins lines, takes quotes inside a value as letters and keeps any key.
//! These are the slips that it hides; each is a warning with the line to
//! write. What is no YAML, or no entry, `teach.rs` and `frontmatter.rs` tell.

use crate::frontmatter::{FIELDS, KINDS};
use crate::keys;
use crate::problem::Problem;
use crate::teach::{self, Mend, bare, indent_of, quoted_list, value_start};
use crate::thread::Found;
use crate::yaml::{self, Field, Node, Yaml, quote};

/// Fields that are lists, and those whose items never hold a comma.
const LISTS: [&str; 6] =
    ["whenToUse", "tags", "relatedMemories", "supersedes", "shouldFire", "shouldNotFire"];
const NAMES: [&str; 3] = ["tags", "relatedMemories", "supersedes"];

/// Warns of what an entry's fields say otherwise than they look; lines count within the entry's file.
pub fn near_misses(found: &Found) -> Vec<Problem> {
    let block: Vec<&str> = found.text.lines().skip(1).take_while(|line| !line.starts_with("---")).collect();
    let Ok(fields) = yaml::parse(&block.join("\n")) else { return Vec::new() };
    let mut look = Look { lines: &block, problems: Vec::new() };
    for field in &fields {
        look.key(field, &fields);
        look.value(field);
    }
    look.body(&fields);
    look.problems.into_iter().map(|problem| problem.below(found.line)).collect()
}

struct Look<'a> {
    lines: &'a [&'a str],
    problems: Vec<Problem>,
}

impl Look<'_> {
    fn line(&self, number: usize) -> &str {
        self.lines.get(number - 1).copied().unwrap_or_default()
    }

    fn warn(&mut self, line: usize, what: &str, mend: &Mend) {
        let column = indent_of(self.line(line)) + 1;
        self.problems.push(Problem::warning(line, column, what, mend.remedy()));
    }

    /// A misspelt field is kept, and does nothing.
    fn key(&mut self, field: &Field, fields: &[Field]) {
        let is_free = |name: &str| !fields.iter().any(|field| field.key == name);
        if FIELDS.contains(&field.key.as_str()) {
            return;
        }
        if let Some(meant) = keys::nearest(&field.key, is_free) {
            let what = format!("`{}` is no field that rawko knows, so it has no effect", field.key);
            let line = self.line(field.line).replacen(&field.key, meant, 1);
            self.warn(field.line, &what, &Mend::Instead(line));
        }
    }

    /// A body whose frontmatter was never closed: below an empty line or a heading, a sentence with a colon in it.
    fn body(&mut self, fields: &[Field]) {
        let starts = |field: &Field| {
            let above = self.line(field.line.saturating_sub(1).max(1));
            let is_apart = above.trim().is_empty() || above.starts_with('#');
            (is_apart && field.key.contains(' ')).then(|| teach::body_start(self.lines, field.line - 1) + 1)
        };
        let unknown = |field: &&Field| !FIELDS.contains(&field.key.as_str());
        if let Some(line) = fields.iter().rev().take_while(unknown).filter_map(starts).last() {
            self.warn(
                line,
                "from here on, this reads like a body, and is taken as fields",
                &Mend::CloseAbove,
            );
        }
    }

    fn value(&mut self, field: &Field) {
        let key = field.key.as_str();
        if !FIELDS.contains(&key) {
            return;
        }
        match &field.value.yaml {
            Yaml::List(items) => items.iter().for_each(|item| self.item(key, field, item)),
            Yaml::Map(_) => self.item(key, field, &field.value),
            Yaml::Scalar { text, .. } if NAMES.contains(&key) && text.contains(',') => {
                self.names(field, text)
            }
            Yaml::Scalar { .. } => self.item(key, field, &field.value),
        }
    }

    /// `tags: a, b`
    fn names(&mut self, field: &Field, text: &str) {
        let names = text.trim_matches(['[', ']']).split(',').map(|name| yaml::word(bare(name)));
        let list: Vec<String> = names.collect();
        let what = format!("this is one name for `{}`, with a comma in it", field.key);
        self.warn(field.line, &what, &Mend::Instead(format!("{}: [{}]", field.key, list.join(", "))));
    }

    fn item(&mut self, key: &str, field: &Field, node: &Node) {
        let scalar = match &node.yaml {
            Yaml::Map(fields) if fields.len() == 1 => &fields[0].value,
            _ => node,
        };
        let Yaml::Scalar { text, plain } = &scalar.yaml else { return };
        if *plain && LISTS.contains(&key) && self.dashes(field, scalar, text) {
            return;
        }
        if key == "whenToUse" && text.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n')) {
            self.escapes(scalar);
        }
        if *plain && scalar.line == scalar.end {
            self.marks(key, scalar, text);
        }
    }

    /// Items that YAML reads as one text: `-a`, a text with items below it, an item without its dash.
    fn dashes(&mut self, field: &Field, scalar: &Node, text: &str) -> bool {
        let alone = std::ptr::eq(scalar, &field.value);
        if alone && scalar.line > field.line && text.starts_with('-') {
            let line = self.line(scalar.line);
            let (indent, rest) = line.split_at(indent_of(line));
            let mended = format!("{indent}- {}", rest.trim_start_matches('-').trim_start());
            self.warn(scalar.line, "the blank after the `-` is missing", &Mend::Instead(mended));
            return true;
        }
        let is_item = |n: &usize| self.line(*n).trim_start().starts_with(['-', '"', '\'']);
        let Some(at) = (scalar.line + 1..=scalar.end).find(is_item) else { return false };
        let what = "YAML takes this line as part of the text above it";
        if alone && scalar.line == field.line {
            let value = self.line(field.line).split_once(':').map_or("", |(_, value)| value.trim());
            let mend = Mend::Split(format!("{}:", field.key), format!("  - {value}"));
            self.warn(field.line, "the lines below this one are no items, but part of its text", &mend);
            return true;
        }
        let above = self.line(scalar.line);
        let item = self.line(at).trim_start().trim_start_matches('-').trim_start();
        let mended = format!("{}- {item}", &above[..indent_of(above)]);
        self.warn(at, what, &Mend::Instead(mended));
        true
    }

    /// `"\bword\b"`, where `\b` is a backspace in YAML.
    fn escapes(&mut self, scalar: &Node) {
        let line = self.line(scalar.line);
        let start = teach::byte_at(line, scalar.column);
        let end = start + teach::item_end(&line[start..]);
        let (raw, behind) = (line[start..end].trim_end(), &line[end..]);
        let Some(inner) = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) else { return };
        let mended = format!("{}'{}'{behind}", &line[..start], inner.replace('\'', "''"));
        let what = "a backslash in double quotes makes a control character here";
        self.warn(scalar.line, what, &Mend::Instead(mended));
    }

    /// Quotes, brackets, colons and comments that are not what they look like.
    fn marks(&mut self, key: &str, scalar: &Node, text: &str) {
        let line = self.line(scalar.line);
        let start = teach::byte_at(line, scalar.column);
        let (before, raw) = line.split_at(start);
        // Of a list in brackets, the other items stay as they are.
        let behind = raw.strip_prefix(text).unwrap_or_default();
        let with = |value: String| Mend::Instead(format!("{before}{value}{behind}"));
        let kind = KINDS.iter().find_map(|kind| {
            let rest = text.strip_prefix(kind)?;
            let value = rest.trim_start_matches([':', ' ', '=']);
            (value.len() < rest.len() && value.starts_with(['"', '\''])).then(|| format!("{kind}: {value}"))
        });
        let curly = ['\u{201c}', '\u{201d}', '\u{201e}'];
        let warning = if let Some(mended) = kind.filter(|_| key == "whenToUse") {
            Some(("a colon and a blank are missing, so this is a plain text", with(mended)))
        } else if text.ends_with(']') && !text.contains('[') && LISTS.contains(&key) {
            Some(("the `[` of this list is missing", with(quoted_list(text).0)))
        } else if text.ends_with('"') && text.matches('"').count() == 1 {
            Some((
                "the quote at the end was never opened, so it is part of the text",
                with(quote(bare(text))),
            ))
        } else if text.starts_with(curly) && text.ends_with(curly) {
            Some(("curly quotes mean nothing in YAML, so they are part of the text", with(quote(bare(text)))))
        } else {
            let cut = behind.trim_start();
            let is_cut = cut.starts_with('#') && !cut.starts_with("# ") && cut.len() > 1;
            let whole = format!("{before}{}", quote(raw.trim_end()));
            is_cut.then_some(("from the `#` on, this is a comment", Mend::Instead(whole)))
        };
        if let Some((what, mend)) = warning.filter(|_| value_start(line).is_some()) {
            self.warn(scalar.line, what, &mend);
        }
    }
}
