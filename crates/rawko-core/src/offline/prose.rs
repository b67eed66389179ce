//! Messages into units: one list item, or one sentence with those that lean on it.

use crate::fence::Fence;

/// Something said that stands on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) text: String,
}

/// Most sentences of a remark that is taken whole.
const REMARK: usize = 4;

/// The units of a message that sums up.
pub(crate) fn units(message: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut section = String::new();
    let mut lead = String::new();
    for block in blocks(message) {
        match block {
            Block::Heading(text) => (section, lead) = (text, String::new()),
            _ if is_about_later(&section) => {}
            Block::Item(text) => {
                lead.clear();
                push(&mut units, with_code_kept(&text));
            }
            Block::Code(code) => {
                if !lead.is_empty() && code.lines().count() <= 2 {
                    let code = code.lines().map(|line| format!("`{}`", line.trim())).collect::<Vec<_>>().join(" ");
                    push(&mut units, format!("{} {code}", std::mem::take(&mut lead)));
                }
            }
            Block::Paragraph(text) => {
                if let Some(rest) = labelled(&text) {
                    section = rest;
                    continue;
                }
                if text.ends_with(':') {
                    lead = text;
                    continue;
                }
                if text.starts_with('`') && text.ends_with('`') && !lead.is_empty() {
                    push(&mut units, format!("{} {text}", std::mem::take(&mut lead)));
                    continue;
                }
                lead.clear();
                section.clear();
                grouped(&text).into_iter().for_each(|text| push(&mut units, text));
            }
        }
    }
    units
}

/// What the agent says between two acts: short, about one thing, so it stays together.
pub(crate) fn remark(message: &str) -> Vec<Unit> {
    let flat: Vec<Block> = blocks(message);
    let sentences: Vec<String> = match flat.as_slice() {
        [Block::Paragraph(text)] => sentences(text),
        _ => return units(message),
    };
    let telling: Vec<String> = sentences.into_iter().filter(|sentence| !is_announcement(sentence)).collect();
    if telling.is_empty() || telling.len() > REMARK {
        return telling.into_iter().map(|text| Unit { text }).collect();
    }
    vec![Unit { text: telling.join(" ") }]
}

/// What a person says after the agent began: what they ask for falls away, what they explain stays.
pub(crate) fn correction(message: &str) -> Vec<Unit> {
    let mut kept = Vec::new();
    for block in blocks(message) {
        let (Block::Paragraph(text) | Block::Item(text)) = block else { continue };
        let telling = sentences(&text).into_iter().filter(|sentence| !is_request(sentence));
        let telling: Vec<String> = telling.map(|sentence| without_opening(&sentence).to_owned()).collect();
        if !telling.is_empty() {
            kept.push(Unit { text: telling.join(" ") });
        }
    }
    kept
}

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
    let bullet = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| line.strip_prefix("• "));
    if bullet.is_some() {
        return bullet.map(str::trim);
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &line[digits..];
    let marked = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
    marked.filter(|_| (1..=2).contains(&digits)).map(str::trim)
}

/// `Next steps: …` or `Findings:` at the start of a paragraph: a section in a line, where it is about what comes later.
fn labelled(text: &str) -> Option<String> {
    let (label, rest) = text.split_once(':')?;
    (is_about_later(label) && label.split_whitespace().count() <= 4 && !rest.is_empty()).then(|| label.to_owned())
}

/// Sections that say what comes next or what was checked, not what was learned.
fn is_about_later(section: &str) -> bool {
    const LATER: [&str; 17] = [
        "next step", "todo", "to do", "to-do", "follow-up", "follow up", "remaining", "open question", "open point",
        "verification", "test result", "status", "changes made", "what i did", "what i changed", "files changed",
        "outlook",
    ];
    let lower = section.to_lowercase();
    LATER.iter().any(|word| lower.starts_with(word))
}

fn push(units: &mut Vec<Unit>, text: String) {
    for text in split_list(&text) {
        units.push(Unit { text });
    }
}

fn with_code_kept(text: &str) -> String {
    text.replace("**", "")
}

/// A sentence that counts reasons `(1) …; (2) …` is several; one that counts steps is one.
fn split_list(text: &str) -> Vec<String> {
    let Some((lead, _)) = text.split_once("(1) ") else { return vec![text.to_owned()] };
    let lead = lead.to_lowercase();
    let counts_reasons =
        ["reason", "cause", "problem", "issue", "finding", "mistake", "fault"].iter().any(|word| lead.contains(word));
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

/// Sentences, each with those after it that lean on it.
fn grouped(paragraph: &str) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for sentence in sentences(&with_code_kept(paragraph)) {
        match groups.last_mut() {
            Some(group) if leans(&sentence) && !is_announcement(&sentence) => {
                group.push(' ');
                group.push_str(&sentence);
            }
            _ => groups.push(sentence),
        }
    }
    groups
}

/// Whether a sentence means little without the one before it.
fn leans(sentence: &str) -> bool {
    const LEANING: [&str; 16] = [
        "it", "this", "these", "those", "they", "that", "otherwise", "therefore", "so", "reason", "reasons", "hence",
        "there", "its", "because", "both",
    ];
    let first = sentence.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    LEANING.contains(&first.as_str())
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
    !SHORT.contains(&word.to_lowercase().as_str())
        && next.is_some_and(|c| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '`' | '"' | '(' | '\'' | '-'))
}

/// Says what the agent is about to do, or just did; no more than that.
pub(crate) fn is_announcement(sentence: &str) -> bool {
    const STARTS: [&str; 34] = [
        "i'll ", "i’ll ", "i will ", "i am going", "i'm going", "i'm ", "let me ", "let's ", "now ", "next", "first,",
        "going to ", "also checking", "checking ", "looking ", "trying ", "running ", "done", "then i", "time to ",
        "ok", "great", "good", "perfect", "let us ", "i need to ", "i want to ", "i should ", "one moment", "hm",
        "thanks", "here is", "here are", "i ran ",
    ];
    let lower = sentence.to_lowercase();
    if STARTS.iter().any(|start| lower.starts_with(start)) {
        return true;
    }
    // "Renaming it to …", "Setting a linker …": an act, unless the gerund is what the sentence is about.
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_act = first.ends_with("ing") && first.len() > 5 && first.chars().all(char::is_alphabetic);
    is_act && !words.any(|word| matches!(word, "is" | "are" | "fails" | "needs" | "must" | "does" | "breaks" | "means" | "requires" | "takes"))
}

/// Asks for something, or is only polite.
fn is_request(sentence: &str) -> bool {
    const STARTS: [&str; 14] = [
        "please", "can you", "could you", "would you", "thanks", "thank you", "works", "great", "ok", "good", "yes",
        "looks good", "nice", "perfect",
    ];
    let lower = sentence.to_lowercase();
    lower.ends_with('?') || (STARTS.iter().any(|start| lower.starts_with(start)) && !lower.contains(": "))
}

/// A sentence without the small talk that opens it: `One thing: …`, `No, …`.
fn without_opening(sentence: &str) -> &str {
    if let Some((opening, rest)) = sentence.split_once(": ") {
        let small = opening.split_whitespace().count() <= 3 && !opening.contains(['`', '/', '_']);
        let talk = ["one thing", "note", "one more thing", "fyi", "btw", "by the way", "careful", "no", "hint", "remember", "important"];
        if small && talk.contains(&opening.to_lowercase().as_str()) {
            return rest;
        }
    }
    ["No, ", "Yes, but ", "But ", "Also, ", "Well, ", "Actually, ", "Hm, ", "Stop, ", "Wait, "]
        .iter()
        .find_map(|opening| sentence.strip_prefix(opening))
        .unwrap_or(sentence)
}
