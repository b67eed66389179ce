//! Text that cannot act on a terminal or a log.
//!
//! Memory text is data from anywhere. What reaches a terminal has no control,
//! escape or direction character of its own: each is shown as its code.

use std::borrow::Cow;

/// The text with every character that could act on a terminal shown as `\u{…}`.
///
/// Line ends and tabs stay; a carriage return before a line end goes.
pub fn inert(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.replace("\r\n", "\n").chars() {
        if acts(c) { out.push_str(&format!("\\u{{{:x}}}", c as u32)) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// As [`inert`], on one line: for titles, names and table cells.
pub fn inert_line(text: &str) -> String {
    inert(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// JSON whose strings show acting characters as JSON escapes, so that it reads back exactly.
pub fn inert_json(json: &str) -> Cow<'_, str> {
    let acts_in_json = |c: char| acts(c) && c != '\r';
    if !json.chars().any(acts_in_json) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    let mut units = [0; 2];
    for c in json.chars() {
        if acts_in_json(c) {
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{feff}' | '\u{2028}' | '\u{2029}' => true,
        '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_show_and_do_nothing() {
        assert_eq!(inert("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(inert("right\u{202e}left"), "right\\u{202e}left");
        assert_eq!(inert("two\r\nlines\tand a tab"), "two\nlines\tand a tab");
        assert_eq!(inert("over\rwritten"), "over\\u{d}written");
        assert_eq!(inert_line("a\nb\u{9b}c"), "a b\\u{9b}c");
    }

    #[test]
    fn json_reads_back_exactly() {
        let text = "a\u{9b}\u{202e}\u{7f}\u{e0041}é🏴";
        let json = serde_json::to_string(text).expect("text serialises");
        let shown = inert_json(&json);
        assert!(!shown.chars().any(acts));
        assert_eq!(serde_json::from_str::<String>(&shown).expect("still JSON"), text);
    }
}
