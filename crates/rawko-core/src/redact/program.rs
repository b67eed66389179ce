//! Credentials as programs keep and take them: lines of password files, options that are given nothing else, communities,
//! words that restore a wallet.

use super::filler::is_stand_in;
use super::{Secret, login, place};
use crate::embed::Embedder;

/// `db.internal:5432:orders:report:…`: a line of `.pgpass`.
pub(super) fn pgpass(text: &str, at: usize) -> Option<Secret> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-*".contains(c);
    let rest = &text[at + 1..text.floor_char_boundary(at + 300)];
    let mut fields = rest.splitn(4, ':');
    let (port, base, user, password) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let is_port = port == "*" || (3..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit());
    let is_name = |name: &str| {
        name == "*"
            || name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part)
    };
    if !is_port || !is_name(base) || !is_name(user) || !text[..at].ends_with(is_part) {
        return None;
    }
    let from = at + 1 + (password.as_ptr() as usize - rest.as_ptr() as usize);
    no_word(text, from)
}

/// `openssl enc -aes-256-cbc -k …`, `openssl rsa -passin pass:…`.
pub(super) fn openssl(text: &str, at: usize) -> Option<Secret> {
    let end = at
        + text[at..].trim_start().find([' ', ':'])?
        + (text[at..].len() - text[at..].trim_start().len())
        + 1;
    runs(text, at, |program| program == "openssl").then(|| argument(text, end)).flatten()
}

/// `snmpwalk -v2c -c …`, `snmpget -A … -X …`.
pub(super) fn snmp(text: &str, at: usize) -> Option<Secret> {
    let is_option = [" -c ", " -A ", " -X "].iter().any(|option| text[at..].starts_with(option));
    (is_option && runs(text, at, |program| program.starts_with("snmp")))
        .then(|| argument(text, at + 4))
        .flatten()
}

/// `mongosh -u ops -p …`: these take a password there and nothing else.
pub(super) fn mongo(text: &str, at: usize) -> Option<Secret> {
    let is_option = text[at..].starts_with(" -p ");
    (is_option && runs(text, at, |program| program.starts_with("mongo")))
        .then(|| argument(text, at + 4))
        .flatten()
}

/// "The SNMP community is …", `rocommunity …`, `snmp-server community … RO`.
pub(super) fn community(text: &str, at: usize) -> Option<Secret> {
    /// So far around it somebody says of which protocol it is.
    const NEAR: usize = 80;
    let before = text[text.ceil_char_boundary(at.saturating_sub(NEAR))..at].to_ascii_lowercase();
    let behind = &text[at + "community".len()..text.floor_char_boundary(at + NEAR)];
    let is_one = before.contains("snmp") || behind.to_ascii_lowercase().contains("snmp");
    if !is_one && !before.ends_with("ro") && !before.ends_with("rw") {
        return None;
    }
    let mut rest = behind.trim_start_matches([' ', ':', '=']);
    while let Some((_, next)) = rest
        .split_once([' ', ':'])
        .filter(|(word, _)| ["string", "name", "is", "was", "still", "now", ""].contains(word))
    {
        rest = next;
    }
    let quoted = rest.trim_start_matches(['"', '\'', '`']);
    let from = at + "community".len() + (behind.len() - quoted.len());
    let found = no_word(text, from)?;
    let has_sign = |c: char| c.is_ascii_digit() || "-_!#$%&*+~@".contains(c);
    // A word unheard of may still be one of prose.
    (quoted.len() < rest.len() || text[found.range.clone()].contains(has_sign)).then_some(found)
}

/// "The seed phrase is …": the twelve words or more that restore a wallet or an account.
pub(super) fn seed(text: &str, at: usize) -> Option<Secret> {
    const WORDS: usize = 12;
    const NEAR: usize = 80;
    const PROSE: [&str; 12] =
        ["the", "and", "for", "are", "but", "not", "that", "this", "with", "from", "was", "has"];
    let rest = &text[at..text.floor_char_boundary(at + 500)];
    let is_word = |word: &&str| {
        (3..=8).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase()) && !PROSE.contains(word)
    };
    let mut row: Vec<&str> = Vec::new();
    let place = |word: &str| at + (word.as_ptr() as usize - rest.as_ptr() as usize);
    // Each may have its number before it.
    let pieces = rest.split(|c: char| c.is_whitespace() || ",.:;()\"'`".contains(c));
    for piece in pieces.filter(|piece| !piece.is_empty() && !piece.bytes().all(|b| b.is_ascii_digit())) {
        if is_word(&piece) {
            row.push(piece);
        } else if row.len() >= WORDS {
            break;
        } else {
            row.clear();
        }
        if row.is_empty() && place(piece) > at + NEAR {
            return None;
        }
    }
    // What leads to them is no part of them.
    let lead = row.iter().take(4).rposition(|word| ["phrase", "words", "mnemonic", "seed"].contains(word));
    let row = &row[lead.map_or(0, |at| at + 1)..];
    let (first, last) = (row.first()?, row.last()?);
    (row.len() >= WORDS)
        .then(|| Secret { range: place(first)..place(last) + last.len(), rule: "told-credential" })
}

/// "`…` as the password for staging": the word before, where the noun is no part of a longer name.
pub(super) fn named_behind(text: &str, noun: &std::ops::Range<usize>) -> Option<Secret> {
    const GOES_ON: [&str; 16] = [
        "for",
        "of",
        "on",
        "in",
        "at",
        "to",
        "and",
        "or",
        "there",
        "when",
        "until",
        "everywhere",
        "too",
        "as",
        "but",
        "so",
    ];
    let next = text[noun.end..].trim_start_matches(' ').split(|c: char| !c.is_alphanumeric()).next()?;
    let is_whole =
        text[noun.end..].starts_with([' ', '.', ',', ';', ')', '\n', ':']) || text.len() == noun.end;
    if !is_whole || !next.is_empty() && !GOES_ON.contains(&next) {
        return None;
    }
    let before = &text[text.ceil_char_boundary(noun.start.saturating_sub(100))..noun.start];
    let lead = [" as the ", " as its ", " as our ", " as a ", " as "];
    let before = lead.iter().find_map(|lead| before.strip_suffix(lead))?;
    let inner = before.trim_end_matches(['"', '\'', '`']);
    let value = inner.rsplit(|c: char| c.is_whitespace() || "\"'`(".contains(c)).next()?;
    let from = value.as_ptr() as usize - text.as_ptr() as usize;
    let rule = "told-credential";
    let quoted = inner.len() < before.len();
    let is_unheard = value.len() >= 6
        && value.bytes().all(|b| b.is_ascii_alphabetic())
        && !super::named::is_reference(value)
        && !Embedder::built_in().knows(&value.to_lowercase());
    let plain = || {
        (quoted && is_unheard && !is_stand_in(value))
            .then(|| Secret { range: from..from + value.len(), rule })
    };
    let found = place::typed(text, from, rule).or_else(|| login::invented(text, from, rule));
    found.filter(|found| !super::named::is_reference(&text[found.range.clone()])).or_else(plain)
}

/// Whether the command that goes on here runs such a program.
fn runs(text: &str, at: usize, is: impl Fn(&str) -> bool) -> bool {
    let before = &text[text.ceil_char_boundary(at.saturating_sub(200))..at];
    let command = before.rsplit(['\n', '`', ';', '|', '&']).next().unwrap_or(before);
    command.split_whitespace().any(|word| is(word.rsplit(['/', '"', '\'', '(']).next().unwrap_or(word)))
}

/// What an option is given here, in quotes or not.
fn argument(text: &str, from: usize) -> Option<Secret> {
    let quoted = text[from..].trim_start_matches([' ', '"', '\'']);
    let found = no_word(text, text.len() - quoted.len())?;
    (!text[found.range.clone()].contains('/')).then_some(Secret { rule: "command-line-password", ..found })
}

/// The word that starts here, unless people write it.
fn no_word(text: &str, from: usize) -> Option<Secret> {
    login::word(text, from, "told-credential").filter(|found| login::is_no_word(&text[found.range.clone()]))
}
