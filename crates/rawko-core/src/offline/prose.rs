//! Messages into units: one list item, or one sentence with those that lean on it.

use super::refuted::is_guess;
use super::stand::grouped;
use super::talk::{is_announcement, is_request, without_opening, without_talk};
use crate::fence::Fence;

/// Something said about one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) text: String,
    /// The heading or the line above it.
    pub(crate) under: String,
    /// Said below a heading that lists what was changed.
    pub(crate) done: bool,
}

impl Unit {
    fn new(text: String) -> Self {
        Self { text, under: String::new(), done: false }
    }
}

/// The units of a message that sums up.
pub(crate) fn units(message: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut section = Section::default();
    let mut lead = String::new();
    for block in blocks(message) {
        match block {
            Block::Heading(text) => (section, lead) = (Section::of(&text), String::new()),
            _ if section.skips() => {}
            Block::Item(text) => {
                let under = if lead.is_empty() { section.title.clone() } else { lead.clone() };
                let texts = split_list(without_opening(&with_code_kept(&text)), &under).into_iter();
                units.extend(texts.map(|text| Unit { text, under: under.clone(), done: section.done }));
            }
            Block::Code(code) => {
                if !lead.is_empty() && code.lines().count() <= 2 {
                    let code =
                        code.lines().map(|line| format!("`{}`", line.trim())).collect::<Vec<_>>().join(" ");
                    units.push(Unit::new(format!("{} {code}", std::mem::take(&mut lead))));
                }
            }
            Block::Paragraph(text) => {
                if let Some((label, rest)) = text.split_once(':')
                    && is_about_later(label)
                    && label.split_whitespace().count() <= 4
                    && !rest.is_empty()
                {
                    section = Section::of(label);
                    continue;
                }
                if text.ends_with(':') {
                    (lead, section) = (text, Section::default());
                    section.skip = is_about_later(&lead);
                    continue;
                }
                if text.starts_with('`') && text.ends_with('`') && !lead.is_empty() {
                    units.push(Unit::new(format!("{} {text}", std::mem::take(&mut lead))));
                    continue;
                }
                let texts = split_list(&with_code_kept(&text), &std::mem::take(&mut lead));
                let groups = texts.into_iter().flat_map(|text| grouped(&text));
                units.extend(groups.map(|text| Unit {
                    text,
                    under: section.title.clone(),
                    done: section.done,
                }));
            }
        }
    }
    units
}

/// What the agent says between two acts: short, about one thing, so it stays together.
pub(crate) fn remark(message: &str) -> Vec<Unit> {
    let flat: Vec<Block> = blocks(message);
    let [Block::Paragraph(text)] = flat.as_slice() else { return units(message) };
    let telling =
        sentences(text).into_iter().filter(|sentence| !is_announcement(sentence) && !is_guess(sentence));
    let telling: Vec<String> = telling.map(|sentence| without_opening(&sentence).to_owned()).collect();
    if telling.is_empty() {
        return Vec::new();
    }
    if telling.len() > REMARK {
        return grouped(&telling.join(" ")).into_iter().map(Unit::new).collect();
    }
    vec![Unit::new(telling.join(" "))]
}

/// What a person says after the agent began: what they ask for falls away, what they explain stays.
pub(crate) fn correction(message: &str) -> Vec<Unit> {
    let mut kept = Vec::new();
    for block in blocks(message) {
        let (Block::Paragraph(text) | Block::Item(text)) = block else { continue };
        let bare = sentences(&text).into_iter().map(|sentence| without_opening(&sentence).to_owned());
        let telling: Vec<String> = bare.filter(|sentence| !is_request(sentence)).map(ended).collect();
        if !telling.is_empty() {
            kept.push(Unit::new(telling.join(" ")));
        }
    }
    kept
}

/// The sentences that a person typed, small talk before them left out; what they quote or show is not theirs.
pub(crate) fn typed_sentences(message: &str) -> Vec<String> {
    let shows = |line: &&str| {
        line.trim_start().starts_with('>') || line.starts_with("    ") || line.starts_with('\t')
    };
    let typed: Vec<&str> = message.lines().filter(|line| !shows(line)).collect();
    let mut found = Vec::new();
    for block in blocks(&typed.join("\n").replace('’', "'")) {
        let (Block::Paragraph(text) | Block::Item(text)) = block else { continue };
        let text = without_quotes(&text);
        found.extend(sentences(&text).iter().map(|sentence| ended(without_talk(sentence).to_owned())));
    }
    found.retain(|sentence| sentence.contains(char::is_alphanumeric));
    found
}

/// A text without what somebody else says in it: a row of words between quotation marks.
fn without_quotes(text: &str) -> String {
    /// So many words are said by somebody; fewer are a name or a term.
    const ROW: usize = 4;
    let is_mark = |c: char| matches!(c, '"' | '“' | '”' | '„' | '«' | '»');
    // 5" is a length.
    let marks: Vec<usize> = text
        .char_indices()
        .filter(|(at, c)| is_mark(*c) && !(*c == '"' && text[..*at].ends_with(|c: char| c.is_ascii_digit())))
        .map(|(at, _)| at)
        .collect();
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    // A mark that nothing closes opens nothing.
    for pair in marks.chunks_exact(2) {
        let (open, close) = (pair[0], pair[1]);
        let behind = close + text[close..].chars().next().map_or(1, char::len_utf8);
        if text[open..close].split_whitespace().count() >= ROW {
            out.push_str(&text[from..open]);
            out.push('…');
            from = behind;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// A sentence with the mark that ends it, whatever was typed.
fn ended(mut sentence: String) -> String {
    if !sentence.ends_with(['.', '!', '?', ':', '`', ')']) {
        sentence.push('.');
    }
    sentence
}

/// Most sentences of a remark that is taken whole.
const REMARK: usize = 4;

#[derive(Debug)]
enum Block {
    Heading(String),
    Item(String),
    Paragraph(String),
    Code(String),
}

/// The blocks of a Markdown text, tables left out.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut fence: Option<(Fence, String)> = None;
    let mut open = false;
    for line in text.lines() {
        if let Some((mark, code)) = &mut fence {
            if mark.closed_by(line) {
                blocks.push(Block::Code(std::mem::take(code)));
                fence = None;
            } else {
                code.push_str(line);
                code.push('\n');
            }
            open = false;
            continue;
        }
        if let Some(mark) = Fence::opened_by(line) {
            fence = Some((mark, String::new()));
            continue;
        }
        let line = line.trim();
        if line.is_empty() || line.starts_with('|') {
            open = false;
        } else if let Some(heading) = heading(line) {
            blocks.push(Block::Heading(heading));
            open = false;
        } else if let Some(item) = item(line) {
            blocks.push(Block::Item(item.to_owned()));
            open = true;
        } else if open {
            if let Some(Block::Item(text) | Block::Paragraph(text)) = blocks.last_mut() {
                text.push(' ');
                text.push_str(line);
            }
        } else {
            blocks.push(Block::Paragraph(line.to_owned()));
            open = true;
        }
    }
    blocks
}

fn heading(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix('#') {
        return Some(rest.trim_matches(['#', ' ', ':']).to_owned());
    }
    let bold = line.strip_prefix("**")?.trim_end_matches(':').strip_suffix("**")?;
    (!bold.contains("**")).then(|| bold.trim_end_matches(':').to_owned())
}

fn item(line: &str) -> Option<&str> {
    let bullet =
        line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| line.strip_prefix("• "));
    if bullet.is_some() {
        return bullet.map(str::trim);
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &line[digits..];
    let marked = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
    marked.filter(|_| (1..=2).contains(&digits)).map(str::trim)
}

/// A part of a message under one heading.
#[derive(Debug, Default)]
struct Section {
    title: String,
    done: bool,
    skip: bool,
}

impl Section {
    fn of(title: &str) -> Self {
        const DONE: [&str; 7] =
            ["what i did", "what i changed", "changes", "change", "files changed", "what changed", "done"];
        let lower = title.to_lowercase();
        let done = DONE.iter().any(|word| lower.starts_with(word));
        Self { title: title.to_owned(), done, skip: is_about_later(title) }
    }

    fn skips(&self) -> bool {
        self.skip
    }
}

/// Sections that say what comes next or what was checked, not what was learned.
fn is_about_later(section: &str) -> bool {
    const LATER: [&str; 22] = [
        "idea",
        "some idea",
        "suggestion",
        "some thought",
        "thought",
        "proposal",
        "recommendation",
        "next",
        "todo",
        "to do",
        "to-do",
        "follow-up",
        "follow up",
        "remaining",
        "open",
        "verification",
        "verified",
        "test",
        "status",
        "outlook",
        "still to",
        "left",
    ];
    let lower = section.to_lowercase();
    LATER.iter().any(|word| {
        lower
            .strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() && c != 's'))
    })
}

fn with_code_kept(text: &str) -> String {
    text.replace("**", "")
}

/// A sentence that counts reasons `(1) …; (2) …` is several; one that counts steps is one.
fn split_list(text: &str, above: &str) -> Vec<String> {
    let Some((lead, _)) = text.split_once("(1) ") else { return vec![text.to_owned()] };
    let lead = format!("{above} {lead}").to_lowercase();
    let counts_reasons = ["reason", "cause", "problem", "issue", "finding", "mistake", "fault"]
        .iter()
        .any(|word| lead.contains(word));
    if !counts_reasons {
        return vec![text.to_owned()];
    }
    let mut parts = Vec::new();
    let mut rest = text;
    for n in 1..=9 {
        let Some((_, after)) = rest.split_once(&format!("({n}) ")) else { break };
        let next = after.find(&format!("({}) ", n + 1)).unwrap_or(after.len());
        parts.push(after[..next].trim_end_matches([' ', ';', ',']).to_owned());
        rest = &after[next..];
    }
    // What follows the last item in sentences of their own is not part of it.
    if let Some(last) = parts.pop() {
        parts.extend(grouped(&last));
    }
    parts
}

/// The sentences of a text; code and abbreviations end none.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (at, c) in text.char_indices() {
        match c {
            '`' => in_code = !in_code,
            '.' | '!' | '?' if !in_code => {
                let after = &text[at + 1..];
                if ends_here(&text[start..at], after) {
                    found.push(text[start..=at].trim().to_owned());
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    found.push(text[start..].trim().to_owned());
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn ends_here(before: &str, after: &str) -> bool {
    const SHORT: [&str; 8] = ["e.g", "i.e", "vs", "etc", "cf", "approx", "incl", "resp"];
    if !after.starts_with(char::is_whitespace) {
        return false;
    }
    let word = before.rsplit([' ', '(']).next().unwrap_or_default();
    let next = after.trim_start().chars().next();
    // Who begins sentences small begins the next one small too.
    let small = before.trim_start().starts_with(char::is_lowercase) && word.len() >= 2;
    !SHORT.contains(&word.to_lowercase().as_str())
        && next.is_some_and(|c| {
            c.is_uppercase()
                || c.is_ascii_digit()
                || matches!(c, '`' | '"' | '(' | '\'' | '-')
                || (small && c.is_lowercase())
        })
}
