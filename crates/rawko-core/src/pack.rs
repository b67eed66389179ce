//! What fits the budget, and where a body is cut.
//!
//! Whatever enters a prompt has a hard cap, in tokens and in characters. The
//! chosen memories share it fairly: short ones stay whole, and what they leave
//! goes to the long ones. A body is cut between paragraphs, before a heading,
//! or at the end of a sentence, and never inside a code fence or a character.

use crate::fence::Fence;

/// How much may enter a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Estimated tokens; see [`tokens`].
    pub tokens: usize,
    /// Characters, whatever the tokens: hosts cut longer text off.
    pub characters: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { tokens: 1_500, characters: Self::MOST_CHARACTERS }
    }
}

impl Budget {
    /// No host takes more without cutting.
    pub const MOST_CHARACTERS: usize = 9_500;
}

/// Estimates how many tokens a text costs, without a tokenizer.
///
/// A word costs one token and one more for every six letters past the first
/// six, three digits cost one, two marks cost one, a line end one, and a letter of a
/// script without spaces one.
pub fn tokens(text: &str) -> usize {
    let mut total = 0.0_f32;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = class(first);
        let end = rest.find(|c| self::class(c) != class).unwrap_or(rest.len());
        let length = rest[..end].chars().count() as f32;
        total += match class {
            Class::Letter => (length / 6.0).ceil().max(1.0),
            Class::Digit => (length / 3.0).ceil(),
            Class::Mark => (length / 2.0).ceil(),
            Class::Line => 1.0,
            Class::Blank => {
                if length > 1.0 {
                    1.0
                } else {
                    0.0
                }
            }
            Class::Wide => length,
            Class::Other => length / 2.0,
        };
        rest = &rest[end..];
    }
    total.ceil() as usize
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Mark,
    Line,
    Blank,
    Wide,
    Other,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        '\n' | '\r' => Class::Line,
        ' ' | '\t' => Class::Blank,
        c if c.is_ascii() => Class::Mark,
        '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{1f000}'.. => Class::Wide,
        c if c.is_alphabetic() => Class::Other,
        _ => Class::Wide,
    }
}

/// Shares a budget out over texts, in order; `None` for those that no longer fit at all.
///
/// `overhead` is what each text costs besides itself: its heading and notes.
pub fn share(texts: &[(&str, Budget)], budget: Budget) -> Vec<Option<String>> {
    let mut kept = texts.len();
    // Fewer memories, said properly, rather than many scraps.
    while kept > 0 {
        let fixed = total(texts[..kept].iter().map(|(_, overhead)| *overhead));
        let left = Budget {
            tokens: budget.tokens.saturating_sub(fixed.tokens),
            characters: budget.characters.saturating_sub(fixed.characters),
        };
        let fits = fixed.tokens <= budget.tokens && fixed.characters <= budget.characters;
        if fits && (kept == 1 || left.tokens / kept >= SCRAP) {
            let shares = divide(&texts[..kept], left);
            let cuts = texts[..kept].iter().zip(shares).map(|((text, _), share)| Some(cut(text, share)));
            return cuts.chain(texts[kept..].iter().map(|_| None)).collect();
        }
        kept -= 1;
    }
    texts.iter().map(|_| None).collect()
}

/// Fewer tokens than this say nothing useful.
const SCRAP: usize = 40;

fn total(parts: impl Iterator<Item = Budget>) -> Budget {
    parts.fold(Budget { tokens: 0, characters: 0 }, |sum, part| Budget {
        tokens: sum.tokens + part.tokens,
        characters: sum.characters + part.characters,
    })
}

fn cost(text: &str) -> Budget {
    Budget { tokens: tokens(text), characters: text.chars().count() }
}

/// Fair shares: who needs less than the rest's equal share gets all it needs.
fn divide(texts: &[(&str, Budget)], left: Budget) -> Vec<Budget> {
    let needs: Vec<Budget> = texts.iter().map(|(text, _)| cost(text)).collect();
    let fair = |need: &dyn Fn(&Budget) -> usize, all: usize| {
        let mut order: Vec<usize> = (0..needs.len()).collect();
        order.sort_by_key(|&n| need(&needs[n]));
        let mut shares = vec![0; needs.len()];
        let mut remaining = all;
        for (done, &n) in order.iter().enumerate() {
            let equal = remaining / (needs.len() - done);
            shares[n] = need(&needs[n]).min(equal);
            remaining -= shares[n];
        }
        shares
    };
    let by_tokens = fair(&|need| need.tokens, left.tokens);
    let by_characters = fair(&|need| need.characters, left.characters);
    by_tokens
        .into_iter()
        .zip(by_characters)
        .map(|(tokens, characters)| Budget { tokens, characters })
        .collect()
}

/// What marks a cut.
const CUT: &str = "\n\n[…]";

/// The beginning of a text that fits, whole blocks first.
pub fn cut(text: &str, budget: Budget) -> String {
    let text = text.trim();
    let fits = |text: &str| {
        let cost = cost(text);
        cost.tokens <= budget.tokens && cost.characters <= budget.characters
    };
    if fits(text) {
        return text.to_owned();
    }
    // What is beyond the cap in characters cannot be kept: leave it out before looking closer.
    let end = text.char_indices().nth(budget.characters + 1).map_or(text.len(), |(at, _)| at);
    let is_whole = end == text.len();
    let text = &text[..end];
    let mut kept = String::new();
    let mut blocks = blocks(text);
    if !is_whole {
        // The last one is cut somewhere, and its fence may be open.
        blocks.pop();
    }
    for block in blocks {
        let longer = if kept.is_empty() { block.to_owned() } else { format!("{kept}\n\n{block}") };
        if !fits(&format!("{longer}{CUT}")) {
            break;
        }
        kept = longer;
    }
    // A heading with nothing below it says nothing.
    while let Some(last) =
        kept.rsplit("\n\n").next().filter(|last| last.starts_with('#') && !last.contains('\n'))
    {
        kept.truncate(kept.len() - last.len());
        kept.truncate(kept.trim_end().len());
    }
    if kept.is_empty() {
        kept = first_of_block(text, |text| fits(&format!("{text}{CUT}")));
    }
    match kept.is_empty() {
        true => Some(CUT.trim_start()).filter(|cut| fits(cut)).unwrap_or_default().to_owned(),
        false => format!("{kept}{CUT}"),
    }
}

/// Paragraphs, lists and whole code fences.
fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut fence: Option<Fence> = None;
    for line in text.split_inclusive('\n') {
        match fence {
            Some(open) if open.closed_by(line.trim_end_matches('\n')) => fence = None,
            Some(_) => {}
            None if line.trim().is_empty() => {
                if !text[start..at].trim().is_empty() {
                    blocks.push(text[start..at].trim_end());
                }
                start = at + line.len();
            }
            None => fence = Fence::opened_by(line.trim_end_matches('\n')),
        }
        at += line.len();
    }
    if !text[start..].trim().is_empty() {
        blocks.push(text[start..].trim_end());
    }
    blocks
}

/// As much of a first block as fits: whole lines of code with the fence closed, or whole sentences.
fn first_of_block(text: &str, fits: impl Fn(&str) -> bool) -> String {
    let block = blocks(text).into_iter().find(|block| !block.starts_with('#')).unwrap_or_default();
    if block.lines().any(|line| Fence::opened_by(line).is_some()) {
        return whole_lines(block, fits);
    }
    let ends = |stops: &[&str]| -> Vec<usize> {
        let mut ends: Vec<usize> = stops
            .iter()
            .flat_map(|stop| block.match_indices(stop).map(|(at, _)| at + stop.trim_end().len()))
            .collect();
        ends.sort_unstable();
        ends
    };
    // A longer beginning never fits where a shorter one does not.
    let longest = |ends: Vec<usize>| {
        let fitting = ends.partition_point(|&end| fits(&block[..end]));
        fitting.checked_sub(1).map(|last| &block[..ends[last]])
    };
    let between = || block.char_indices().filter(|(_, c)| !extends(*c)).map(|(at, _)| at).skip(1).collect();
    let kept = longest(ends(&[". ", "! ", "? ", ".\n", ":\n", "\n", "。", "！", "？"]))
        .or_else(|| longest(ends(&[" "])))
        .or_else(|| longest(between()))
        .unwrap_or_default();
    // A line cut short may read as a fence that the whole line is not.
    let last = kept.rfind('\n').map_or(0, |at| at + 1);
    let opens = Fence::opened_by(&kept[last..]).is_some();
    if opens { kept[..last].trim_end().to_owned() } else { kept.trim_end().to_owned() }
}

/// Whether a character belongs to the one before it: an accent, or a part of a picture.
fn extends(c: char) -> bool {
    unicode_categories::UnicodeCategories::is_mark(c)
        || matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{1f1e6}'..='\u{1f1ff}')
}

/// As many lines as fit, with an open fence closed.
fn whole_lines(block: &str, fits: impl Fn(&str) -> bool) -> String {
    let (mut kept, mut best) = (String::new(), String::new());
    let mut fence: Option<Fence> = None;
    for line in block.lines() {
        match fence {
            Some(open) if open.closed_by(line) => fence = None,
            Some(_) => {}
            None => fence = Fence::opened_by(line),
        }
        kept = if kept.is_empty() { line.to_owned() } else { format!("{kept}\n{line}") };
        let closed = fence.map_or(kept.clone(), |open| format!("{kept}\n{}", open.closing()));
        if !fits(&closed) {
            break;
        }
        best = closed;
    }
    // A fence with nothing in it says nothing.
    if best.lines().count() > 2 || !best.starts_with(['`', '~']) { best } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(tokens: usize) -> Budget {
        Budget { tokens, characters: 9_500 }
    }

    #[test]
    fn a_text_that_fits_stays_whole() {
        assert_eq!(cut("one\n\ntwo\n", within(100)), "one\n\ntwo");
    }

    #[test]
    fn a_long_text_is_cut_between_paragraphs_and_leaves_no_lone_heading() {
        let text = "First paragraph here.\n\n## Next\n\nA second paragraph that is much longer than the budget allows for it.";
        assert_eq!(cut(text, within(12)), "First paragraph here.\n\n[…]");
    }

    #[test]
    fn a_fence_is_kept_whole_or_closed() {
        let text = "```sh\nline one of code\nline two of code\nline three of code\n```";
        assert_eq!(cut(text, within(16)), "```sh\nline one of code\n```\n\n[…]");
        let text = "Before.\n\n```sh\nfirst\n\nsecond after a blank line\nthird\n```\n\nAfter.";
        assert_eq!(cut(text, within(12)), "Before.\n\n[…]");
    }

    #[test]
    fn a_long_sentence_is_cut_at_a_word_and_never_inside_a_character() {
        let cut = cut(&"überaus ".repeat(100), within(30));
        assert!(cut.ends_with("überaus\n\n[…]"), "{cut}");
    }

    #[test]
    fn a_text_without_blanks_is_cut_between_characters() {
        for text in
            ["配置文件必须放在项目的根目录".repeat(60), "👩\u{200d}👧".repeat(200), "การตั้งค่า".repeat(80)]
        {
            let cut = cut(&text, within(30));
            let kept = cut.strip_suffix("\n\n[…]").expect("a mark");
            assert!(!kept.is_empty() && text.starts_with(kept), "{cut}");
            assert!(!extends(text[kept.len()..].chars().next().expect("more")), "{cut}");
        }
        assert_eq!(cut("word ".repeat(50).as_str(), within(3)), "[…]");
    }

    #[test]
    fn many_blank_lines_leave_no_fence_open() {
        let text =
            format!("Intro line.\n{}```sh\n{}```", "\n".repeat(9_200), "echo one two three\n".repeat(200));
        assert_eq!(cut(&text, within(1_400)), "Intro line.\n\n[…]");
    }

    #[test]
    fn short_texts_leave_their_share_to_long_ones() {
        let none = Budget { tokens: 0, characters: 0 };
        let long = "word ".repeat(400);
        let shared = share(&[("short text", none), (&long, none)], within(200));
        assert_eq!(shared[0].as_deref(), Some("short text"));
        assert!(tokens(shared[1].as_deref().expect("kept")) > 150);
    }

    #[test]
    fn what_would_be_a_scrap_is_left_out() {
        let none = Budget { tokens: 10, characters: 10 };
        let long = "word ".repeat(400);
        let shared = share(&[(&long, none), (&long, none), (&long, none)], within(110));
        assert_eq!(shared.iter().filter(|text| text.is_some()).count(), 2);
    }
}
