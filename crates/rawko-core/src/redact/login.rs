//! Passwords beside who logs in with them, and the looks of words that somebody made up to get in.

use std::ops::Range;

use super::Secret;
use super::filler::is_stand_in;
use super::named::is_reference;
use crate::embed::Embedder;

/// The word that starts here, unless it stands for something else.
pub(super) fn word(text: &str, from: usize, rule: &'static str) -> Option<Secret> {
    let rest = &text[from..text.floor_char_boundary(from + 80)];
    let end = rest.find(|c: char| c.is_whitespace() || "\"'`)<>,;|".contains(c)).unwrap_or(rest.len());
    let value = rest[..end].trim_end_matches(['.', ':', '?', '\\']);
    let is_one = value.len() >= 6 && !value.starts_with('-') && !is_stand_in(value);
    is_one.then(|| Secret { range: from..from + value.len(), rule })
}

/// Whether a value is none of the words that people write: one with a digit among its letters, or one unheard of.
pub(super) fn is_no_word(value: &str) -> bool {
    let letters = value.contains(|c: char| c.is_ascii_alphabetic());
    letters && (value.contains(|c: char| c.is_ascii_digit()) || !Embedder::built_in().knows(value))
}

/// Whether somebody made a word up to get in: unheard of, with a number, and no name of a file, a host or a version.
pub(super) fn is_invented(value: &str) -> bool {
    /// Shorter stretches of letters are abbreviations.
    const LONG: usize = 5;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_!#$%&*+~@".contains(c);
    let stretches = value.split(|c: char| !c.is_ascii_alphabetic()).filter(|letters| letters.len() >= LONG);
    value.len() >= 8
        && value.chars().all(is_part)
        && value.contains(|c: char| c.is_ascii_digit())
        && !value.starts_with(|c: char| c.is_ascii_digit())
        && { stretches }.any(|letters| !Embedder::built_in().knows(&letters.to_lowercase()))
}

/// A word that starts here and that somebody made up.
pub(super) fn invented(text: &str, from: usize, rule: &'static str) -> Option<Secret> {
    word(text, from, rule).filter(|found| is_invented(&text[found.range.clone()]))
}

/// `login robot password …`, "user ops, pw …": behind who logs in and the noun, the next word is it.
pub(super) fn beside_user(text: &str, noun: &Range<usize>) -> Option<Secret> {
    const WHO: [&str; 5] = ["user", "username", "login", "account", "as"];
    const BETWEEN: [&str; 3] = ["and", "with", "the"];
    let before = &text[text.ceil_char_boundary(noun.start.saturating_sub(60))..noun.start];
    let bare = |word: &'_ str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words = before.rsplit([' ', '\n']).map(bare);
    let mut words = words.filter(|word| !word.is_empty() && !BETWEEN.contains(&word.as_str()));
    words.nth(1).filter(|who| WHO.contains(&who.as_str()))?;
    let rest = text[noun.end..].trim_start_matches([' ', ':', '=']);
    let from = text.len() - rest.trim_start_matches(['"', '\'', '`']).len();
    let found = word(text, from, "told-credential").filter(|_| from > noun.end)?;
    let value = &text[found.range.clone()];
    (is_no_word(value) && !is_reference(value)).then_some(found)
}

/// `admin:…`, `demo/…`: the second half of a pair in a sentence that speaks of logging in.
pub(super) fn pair(text: &str, from: usize) -> Option<Secret> {
    let whole = word(text, from, "told-credential")?;
    let (user, password) = text[whole.range.clone()].split_once([':', '/'])?;
    let is_user = !user.is_empty() && user.chars().all(|c| c.is_ascii_alphanumeric() || "._-@".contains(c));
    (is_user && is_invented(password))
        .then(|| Secret { range: whole.range.start + user.len() + 1..whole.range.end, rule: whole.rule })
}

/// `echo … | sudo -S`, `echo … | docker login --password-stdin`: what is handed to a program that asks for a password.
pub(super) fn echoed(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at + "echo ".len()..text.floor_char_boundary(at + 200)];
    let from = at + "echo ".len() + (rest.len() - rest.trim_start_matches(['"', '\'', ' ']).len());
    let found = word(text, from, "command-line-password")?;
    let line = rest.split('\n').next().unwrap_or(rest);
    let (_, command) = line.split_once('|')?;
    let asks = ["-stdin", "sudo -S", "passwd", "--passphrase-fd"].iter().any(|sign| command.contains(sign));
    asks.then_some(found)
}

/// `PIN 4821`, "the pairing code is 739104": digits that open something.
pub(super) fn pin(text: &str, at: usize) -> Option<Secret> {
    const OPENS: [&str; 9] =
        ["pairing", "unlock", "access", "door", "entry", "security", "lock", "pin", "one-time"];
    let noun = text[at..].trim_start();
    let name = &noun[..noun.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(noun.len())];
    let is_name = match name.to_ascii_lowercase().as_str() {
        // In small letters it is one of a chip or of a version.
        "pin" | "puk" => name.bytes().all(|byte| byte.is_ascii_uppercase()),
        "code" => {
            let before = text[..at].rsplit(|c: char| !c.is_ascii_alphabetic() && c != '-').next();
            before.is_some_and(|word| OPENS.contains(&word.to_ascii_lowercase().as_str()))
        }
        _ => true,
    };
    if !is_name
        || text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') && text[at..].starts_with(name)
    {
        return None;
    }
    let end = text.len() - noun.len() + name.len();
    let rest = &text[end..text.floor_char_boundary((end + 60).min(text.len()))];
    let rest = rest.split(['.', ',', ';', '\n']).next().unwrap_or(rest);
    let is_value = |word: &&str| {
        let digits = word.trim_matches(['`', '"', '\'', '(', ')', ':', '=']);
        (4..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    // Right behind the noun, or behind "is".
    let words: Vec<&str> = rest.split([' ', ':', '=']).filter(|word| !word.is_empty()).collect();
    let told = words.iter().position(|word| ["is", "was"].contains(word)).map_or(0, |is| is + 1);
    let value = words.get(told).filter(|word| is_value(word))?;
    let digits = value.trim_matches(|c: char| !c.is_ascii_digit());
    let from = digits.as_ptr() as usize - text.as_ptr() as usize;
    Some(Secret { range: from..from + digits.len(), rule: "told-credential" })
}

/// `IDENTIFIED BY '…'`.
pub(super) fn identified(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at + "identified by ".len()..];
    let inner = rest.strip_prefix(['"', '\''])?;
    word(text, text.len() - inner.len(), "told-credential")
}

/// `sessionid=…`: what keeps somebody logged in.
pub(super) fn session(text: &str, at: usize) -> Option<Secret> {
    let from = at + text[at..].find('=')? + 1;
    word(text, from, "cookie").filter(|found| {
        let value = &text[found.range.clone()];
        value.len() >= 16 && super::named::is_issued(value)
    })
}
