//! Values that are secrets because of the noun that names them.
//!
//! The head of a name decides, as in any English compound: `api_token` names
//! a token, `token_url` an address, `keyword` no key. The value must then look
//! like something nobody typed: letters and digits without a word's shape.

use std::ops::Range;

use super::filler::{entropy, is_stand_in};
use super::{Secret, login, program};
use crate::embed::Embedder;

/// Nouns that name credentials; each may also be the end of a longer word.
pub(super) fn nouns() -> impl Iterator<Item = &'static str> {
    OTHERS.into_iter().chain(PASSWORDS)
}

/// Those that name what somebody types to get in.
const PASSWORDS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "psk",
    "passcode",
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "senha",
    "wachtwoord",
    "lösenord",
    "пароль",
    "密码",
];

/// The others.
const OTHERS: [&str; 11] =
    ["access", "auth", "api", "credential", "creds", "key", "pass", "pw", "pwd", "secret", "token"];

/// Heads that name a credential itself.
const HEADS: [&str; 17] = [
    "key",
    "apikey",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pw",
    "pwd",
    "pass",
    "credential",
    "credentials",
    "creds",
    "auth",
    "bearer",
    "login",
    "accesskey",
];

/// Heads that name something about a credential.
#[rustfmt::skip]
const OTHER_HEADS: [&str; 50] = [
    "id", "ids", "name", "version", "url", "uri", "endpoint", "file", "path", "size", "length", "len", "alias", "type",
    "code", "frame", "word", "words", "board", "store", "storetype", "ring", "pair", "press", "pressed", "selector",
    "signature", "mesh", "stone", "up", "down", "left", "right", "tag", "chars", "str", "source", "results", "author",
    "accessor", "accessibility", "host", "hash", "distance", "variable", "index", "idx", "ing", "min", "max",
];

/// What before a head makes it public.
#[rustfmt::skip]
const PUBLIC: [&str; 17] = [
    "public", "pub", "primary", "foreign", "csrf", "bucket", "schema", "sequence", "natural", "hot", "idx", "sort",
    "partition", "cache", "random", "rapid", "with",
];

/// A name, and what is assigned to it.
pub(super) struct Assignment {
    /// The value, without quotes.
    pub(super) value: Range<usize>,
    /// Where the name ends.
    pub(super) name_end: usize,
    /// Whether the value is in quotes, or directly behind an `=`.
    pub(super) tight: bool,
    /// Whether it merely follows behind a comma, without quotes.
    pub(super) listed: bool,
}

/// Reads `…name" := "value"` from inside the name on.
pub(super) fn assignment(text: &str, from: usize) -> Option<Assignment> {
    let bytes = text.as_bytes();
    let name_end = from + bytes[from..].iter().take(24).position(|byte| b"=>:|?,".contains(byte))?;
    let inside = |at: usize| {
        bytes[at].is_ascii_alphanumeric() || b" \t\r\n_.-'\"`".contains(&bytes[at]) || is_escape(&bytes[at..])
    };
    if !(from..name_end).all(inside) {
        return None;
    }
    let operator = bytes[name_end..].iter().take(4).take_while(|byte| b"=>:|?,".contains(byte)).count();
    let start = name_end + operator;
    let opens = |at: &usize| b"`'\"= \t\r\n".contains(&bytes[*at]) || is_escape(&bytes[*at..]);
    let gap = (start..bytes.len()).take(9).take_while(opens).count();
    let end = value_end(text, start + gap);
    let quoted = bytes[start..start + gap].iter().any(|byte| b"`'\"".contains(byte));
    let comma = bytes[name_end] == b',';
    let tight = quoted || gap == 0;
    (end > start + gap).then_some(Assignment {
        value: start + gap..end,
        name_end,
        tight,
        listed: comma && !quoted,
    })
}

/// Whether a backslash stands here before a quote: JSON within JSON has them before each.
fn is_escape(rest: &[u8]) -> bool {
    let behind = rest.iter().take(8).position(|byte| *byte != b'\\').unwrap_or(0);
    behind > 0 && matches!(rest[behind], b'"' | b'\'')
}

/// Whether an `&` here goes on to the next name of an address: `&x=1`.
fn is_next_parameter(rest: &[u8]) -> bool {
    let name =
        rest[1..].iter().take(40).take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-[]".contains(byte));
    let name = name.count();
    name > 0 && rest.get(1 + name) == Some(&b'=')
}

/// Where a value that starts here ends.
fn value_end(text: &str, from: usize) -> usize {
    let rest = &text.as_bytes()[from..];
    let ends = |at: usize| {
        let byte = rest[at];
        byte.is_ascii_whitespace()
            || b"`'\";<>(){},".contains(&byte)
            || !byte.is_ascii()
            || (byte == b'\\' && matches!(rest.get(at + 1), Some(b'n' | b'r')))
            || (byte == b'&' && is_next_parameter(&rest[at..]))
    };
    let length = (0..rest.len().min(400)).find(|at| ends(*at)).unwrap_or(rest.len().min(400));
    let value = &text[from..from + length];
    from + value.trim_end_matches(['.', ':', '!', '?', '\\']).len()
}

/// Whether a vendor's short word is only made of the ends of others, as in `sumOf`.
pub(super) fn is_inside_word(text: &str, word: &Range<usize>) -> bool {
    let turns = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    word.len() < 5 && text.as_bytes()[word.clone()].windows(2).any(turns)
}

/// Whether nobody typed a value: letters and digits take turns in it as in no name.
pub(super) fn is_issued(value: &str) -> bool {
    /// Shorter ones are names with a number, and one that turns less often is made of words.
    const LONG: usize = 12;
    const TURNS: usize = 4;
    value.len() >= LONG && turns(value) >= TURNS && is_random(value, 3.0)
}

/// How often a digit follows something else, or the other way round.
pub(super) fn turns(value: &str) -> usize {
    value.as_bytes().windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count()
}

/// "AppKey is …", "the token `…`": "is" says what `=` does, and so does nothing at all.
fn stated(text: &str, noun: &Range<usize>) -> Option<Secret> {
    const COPULAS: [&str; 6] = ["is", "was", "now", "currently", "being", "used"];
    let end = text.floor_char_boundary((noun.end + 120).min(text.len()));
    let behind = text[noun.end..end].trim_start_matches(['`', '"', '\'', '*', ')', ']']);
    let mut rest = behind.trim_start_matches([' ', ':', '=', ',']);
    if rest.len() == behind.len() {
        return None;
    }
    while let Some((_, next)) = rest.split_once(' ').filter(|(word, _)| COPULAS.contains(word)) {
        rest = next;
    }
    let value = rest.trim_start_matches(['`', '"', '\'', '*', '(', '[', '<', '_']);
    let from = end - value.len();
    let value = from..value_end(text, from);
    let is_public =
        word_before(text, noun).is_some_and(|word| PUBLIC.contains(&word.to_ascii_lowercase().as_str()));
    let is_head = super::place::names_credentials(text, noun.clone());
    let found = &text[value.clone()];
    (is_head && !is_public && is_issued(found) && !is_stand_in(found))
        .then_some(Secret { range: value, rule: "told-credential" })
}

/// The word before the name that a noun is the end of.
fn word_before<'t>(text: &'t str, noun: &Range<usize>) -> Option<&'t str> {
    let part = |c: char| c.is_ascii_alphanumeric() || "_.-`".contains(c);
    let before = &text[text.ceil_char_boundary(noun.start.saturating_sub(80))..noun.start];
    before.trim_end_matches(part).split_whitespace().next_back()
}

/// A credential behind one of the [`nouns`].
pub(super) fn find(text: &str, noun: Range<usize>) -> Option<Secret> {
    // Both are words of prose and of test reports, too: only as the whole end of a name that is given a value.
    let is_short = ["pass", "pw", "pwd"].iter().any(|short| text[noun.clone()].eq_ignore_ascii_case(short));
    if is_short && text[noun.end..].starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let found = assignment(text, noun.end).and_then(|found| assigned(text, &noun, &found, is_short));
    let found = found.or_else(|| option_value(text, &noun)).or_else(|| login::beside_user(text, &noun));
    let found = found.or_else(|| if is_short { None } else { told(text, &noun) });
    let found = found.or_else(|| stated(text, &noun)).or_else(|| bytes_behind(text, &noun));
    let is_password = PASSWORDS.iter().any(|name| text[noun.clone()].eq_ignore_ascii_case(name));
    found.or_else(|| if is_password { program::named_behind(text, &noun) } else { None })
}

/// `--password …`, `-storepass …`, `--api-key …`: what an option is given that is named for a credential.
fn option_value(text: &str, noun: &Range<usize>) -> Option<Secret> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let before = &text[text.ceil_char_boundary(noun.start.saturating_sub(40))..noun.start];
    let name = &before[before.trim_end_matches(part).len()..];
    let rest = text[noun.end..].strip_prefix(' ').filter(|_| name.starts_with('-'))?;
    let from = text.len() - rest.trim_start_matches(['"', '\'']).len();
    let found = login::word(text, from, "command-line-password")?;
    let value = &text[found.range.clone()];
    let is_secret = match standing(&format!("{name}{}", &text[noun.clone()])) {
        Standing::Password => login::is_no_word(value),
        Standing::Credential => {
            login::is_invented(value) || super::place::is_disguised(value) || is_issued(value)
        }
        Standing::Perhaps | Standing::Other => false,
    };
    (is_secret && !is_reference(value)).then_some(found)
}

fn assigned(text: &str, noun: &Range<usize>, found: &Assignment, is_short: bool) -> Option<Secret> {
    if found.listed {
        return None;
    }
    let value = &text[found.value.clone()];
    let bytes = text.as_bytes();
    let before = bytes[..noun.start].iter().rev().take(50);
    let start =
        noun.start - before.take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte)).count();
    let name = text[start..found.name_end].trim_matches(|c: char| !c.is_ascii_alphanumeric());
    if name.contains('\n') {
        return None;
    }
    let is_secret = match standing(name) {
        // `PASS: name_of_a_test2` reports on a test.
        Standing::Password if is_short && words(name).len() < 2 => found.tight && is_random(value, 3.0),
        Standing::Password => {
            found.tight && value.len() >= 6 && is_typed_password(value)
                || is_random(value, 3.0)
                || is_plain_password(text, name, found)
        }
        _ if is_short => false,
        Standing::Credential => {
            found.tight && value.len() >= 10 && is_random(value, 2.0)
                || is_random(value, 3.3)
                || name.ends_with("SECRET") && is_plain_password(text, name, found)
        }
        Standing::Perhaps => value.len() >= 10 && is_random(value, 3.0),
        Standing::Other => false,
    };
    let secret = Secret { range: found.value.clone(), rule: "generic-api-key" };
    (is_secret && !is_stand_in(value)).then_some(secret)
}

/// What the head of a name says.
enum Standing {
    Password,
    Credential,
    Perhaps,
    Other,
}

fn standing(name: &str) -> Standing {
    let words = words(name);
    let Some(head) = words.iter().rev().find(|word| word.len() > 1) else { return Standing::Other };
    let is = |list: &[&str], word: &String| list.contains(&word.as_str());
    if words.iter().any(|word| is(&PUBLIC, word)) || is(&OTHER_HEADS, head) {
        return Standing::Other;
    }
    if name.split(['.', '-', '_']).next_back().is_some_and(|last| last.contains(' ')) && words.len() > 4 {
        return Standing::Other;
    }
    match head.as_str() {
        "pw" | "pwd" | "pass" => Standing::Password,
        _ if PASSWORDS.iter().any(|noun| head.ends_with(noun)) => Standing::Password,
        // `SSHPASS`, `-storepass`
        _ if head.ends_with("pass") && is_given_a_value(name) => Standing::Password,
        _ if is(&HEADS, head) => Standing::Credential,
        _ if OTHER_HEADS.iter().any(|other| other.len() > 3 && head.ends_with(other)) => Standing::Other,
        _ if words
            .iter()
            .any(|word| ["author", "monkey", "turkey", "keyboard", "keyword"].contains(&word.as_str())) =>
        {
            Standing::Other
        }
        _ => Standing::Perhaps,
    }
}

/// Whether a name is a variable's or an option's, and no word of prose such as "bypass".
fn is_given_a_value(name: &str) -> bool {
    let is_prose = ["bypass", "compass"].iter().any(|word| name.to_ascii_lowercase().ends_with(word));
    !is_prose && (name.starts_with('-') || !name.contains(|c: char| c.is_ascii_lowercase()))
}

/// The words of a name, lower case: `apiToken_v2` is api, token, v2.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut last, mut open) = ('_', false);
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            open = false;
        } else {
            if !open || (last.is_ascii_lowercase() && c.is_ascii_uppercase()) {
                words.push(String::new());
            }
            words.last_mut().expect("just pushed").push(c.to_ascii_lowercase());
            open = true;
        }
        last = c;
    }
    words
}

/// Letters and digits that nobody would write as words.
fn is_random(value: &str, bits: f32) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_.=-+/~@%$!#".contains(c);
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let longest = value.split(['_', '.', '-', '/', '=']).map(str::len).max().unwrap_or(0);
    value.chars().all(allowed)
        && letters > 0
        && digits > 0
        && !value.contains("://")
        && !value.starts_with(['/', '~', '.'])
        && (longest >= 9 || is_uuid(value))
        && !is_version(value)
        && entropy(value) >= bits
}

fn is_uuid(value: &str) -> bool {
    let lengths: Vec<usize> = value.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Two dots between digits: a version, a host or a member of something.
fn is_version(value: &str) -> bool {
    let parts: Vec<&str> = value.split('.').collect();
    parts.len() > 1
        && parts.iter().any(|part| part.len() < 4 || part.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// A password that somebody typed: it has a digit or a mark in it, and is no code.
fn is_typed_password(value: &str) -> bool {
    let marks = value.bytes().filter(|byte| byte.is_ascii_digit() || b"!@#$%^&*+~".contains(byte)).count();
    let code = value.contains(['(', ')', '[', ']', '/']) || value.contains("::") || is_version(value);
    marks > 0 && value.bytes().any(|byte| byte.is_ascii_alphabetic()) && !code
}

/// A password of plain letters: all that its name is given, and no name, type or word about it.
///
/// What a variable in capitals is set to can hardly be anything else; elsewhere a common word may speak of the password.
fn is_plain_password(text: &str, name: &str, found: &Assignment) -> bool {
    let value = &text[found.value.clone()];
    let quoted = text[..found.value.start].ends_with(['"', '\'', '`']);
    let behind = text[found.value.end..].trim_start_matches(['.', '!', '?', '\\']);
    let is_set = text.as_bytes()[found.name_end] == b'=' && found.tight;
    let is_all = match behind.chars().next() {
        None | Some('\n' | '\r') => true,
        Some('"' | '\'') => quoted,
        // The end of code within prose.
        Some('`') => true,
        Some(c) => is_set && !quoted && (c.is_whitespace() || "&;".contains(c)),
    };
    let is_variable = is_set && !name.contains(|c: char| c.is_ascii_lowercase());
    is_all && value.len() >= 6 && !is_reference(value) && (is_variable || !Embedder::built_in().knows(value))
}

/// Whether a value only names where a secret is: a name of code, a path, or anything that speaks of secrets itself.
pub(super) fn is_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let humps =
        value.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    let is_name = humps && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_name
        || value.contains(['/', '(', '[', ':', '.', '_', '|', '=', ' '])
        || ["pass", "pwd", "secret", "token", "cred", "key"].iter().any(|noun| lower.contains(noun))
}

/// Words behind which a password is told, words that say what it is for, and words that may stand before it.
const IS: [&str; 14] =
    ["is", "was", "is:", "=", ":", "ist", "lautet", "lautet:", "est", "es", "é", "è", "är", "war"];
#[rustfmt::skip]
const FOR: [&str; 20] = [
    "for", "of", "to", "on", "at", "in", "between", "there", "für", "von", "zum", "zur", "im", "auf", "de", "du", "del",
    "della", "para", "pour",
];
const STILL: [&str; 6] = ["still", "now", "always", "currently", "again", "just"];

/// Where the words behind "password" tell it: "… is V", "… for staging is V", "… V"; and whether they say "is".
fn where_told(rest: &str) -> Option<(usize, bool)> {
    /// So many words may say what it is for.
    const MOST: usize = 7;
    let (mut at, mut is_for, mut is_told) = (0, false, false);
    for (n, word) in rest.split(' ').enumerate().take(MOST + 4) {
        match word {
            "" => {}
            _ if is_told && STILL.contains(&word) => {}
            _ if is_told => return Some((at, true)),
            _ if IS.contains(&word) => is_told = true,
            _ if FOR.contains(&word) => is_for = true,
            _ if is_for && word.ends_with(':') => is_told = true,
            _ if !is_for => return Some((at, false)),
            _ if n > MOST || word.ends_with(['.', ',', ';']) => return None,
            _ => {}
        }
        at += word.len() + 1;
    }
    None
}

/// A password that a sentence tells: one that looks typed, a phrase, or anything in quotes behind "is".
fn told_password(text: &str, from: usize) -> Option<Secret> {
    let end = text.floor_char_boundary((from + 120).min(text.len()));
    let (at, says_is) = where_told(text[from..end].split('\n').next().unwrap_or_default())?;
    let (rule, told) = ("told-credential", &text[(from + at).min(end)..end]);
    let bare = told.trim_start_matches(['"', '\'', '`']);
    let start = from + at + (told.len() - bare.len());
    if let Some(found) = super::place::typed(text, start, rule).or_else(|| login::invented(text, start, rule))
    {
        return Some(found);
    }
    // In quotes behind "is", or right behind the noun, it can hardly be anything else.
    let is_given = says_is || at == 0;
    let quote = told.chars().next().filter(|c| bare.len() < told.len() && is_given && "\"'`".contains(*c));
    let length = match quote {
        Some(quote) => bare.find(quote)?,
        None => bare.find(|c: char| c.is_whitespace() || ",;)".contains(c)).unwrap_or(bare.len()),
    };
    let value =
        if quote.is_some() { &bare[..length] } else { bare[..length].trim_end_matches(['.', ':', '?']) };
    let is_phrase = value.split('-').count() >= 4 && is_typed_password(value);
    let is_told = is_phrase || quote.is_some() && value.len() >= 6 && !Embedder::built_in().knows(value);
    let is_told = is_told && !is_reference(value) || quote.is_some() && is_row_of_words(value);
    (is_told && !is_stand_in(value)).then(|| Secret { range: start..start + value.len(), rule })
}

/// Whether a value is words in a row that make no sentence: none of them is short.
fn is_row_of_words(value: &str) -> bool {
    let is_word = |word: &str| word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    value.split(' ').count() >= 4 && value.split(' ').all(is_word)
}

/// `key: 8F 3A 61 …`, `key[] = {0x8F, 0x3A, …}`: bytes in a row right behind the noun.
fn bytes_behind(text: &str, noun: &Range<usize>) -> Option<Secret> {
    const LEAST: usize = 8;
    let rest = &text[noun.end..text.floor_char_boundary(noun.end + 400)];
    let is_mark = |c: char| !c.is_alphanumeric();
    let is_byte = |word: &str| {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let words = rest.split(is_mark).filter(|word| !word.is_empty());
    let row: Vec<&str> =
        words.skip_while(|word| ["is", "was"].contains(word)).take_while(|word| is_byte(word)).collect();
    let place = |word: &str| noun.end + (word.as_ptr() as usize - rest.as_ptr() as usize);
    let (first, last) = (*row.first()?, *row.last()?);
    (row.len() >= LEAST)
        .then(|| Secret { range: place(first)..place(last) + last.len(), rule: "told-credential" })
}

/// Whether a key is one of cryptography, by the word before its noun or by its name: its value may be a number of base 16.
fn is_of_cryptography(text: &str, noun: &Range<usize>) -> bool {
    const KINDS: [&str; 9] =
        ["aes", "private", "secret", "encryption", "signing", "shared", "master", "root", "hmac"];
    let before = &text[text.ceil_char_boundary(noun.start.saturating_sub(40))..noun.end];
    let name = &before[before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len()..];
    let is_variable = words(name).len() > 1 && matches!(standing(name), Standing::Credential);
    let kind = word_before(text, noun).map(str::to_ascii_lowercase);
    is_variable || kind.is_some_and(|word| KINDS.contains(&word.as_str()))
}

/// `RX7K-22PQ-9LMN-41TZ`: groups of capitals and digits, as licences have them.
fn is_grouped(word: &str) -> bool {
    let has = |test: fn(&u8) -> bool| word.bytes().any(|byte| test(&byte));
    let is_group = |group: &str| {
        (4..=6).contains(&group.len())
            && group.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    word.split('-').count() >= 4
        && word.split('-').all(is_group)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
}

/// A credential in a sentence: "the key that worked was …", "and secret …".
fn told(text: &str, noun: &Range<usize>) -> Option<Secret> {
    let end = text.floor_char_boundary((noun.end + 120).min(text.len()));
    let rest = &text[noun.end..end];
    let name = text[noun.clone()].to_lowercase();
    let behind = rest.len() - rest.trim_start_matches([' ', '\n', ',', '(', ':']).len();
    if behind > 0 && (name == "secret" || PASSWORDS.contains(&name.as_str())) {
        // A secret may be anything, unless it looks like one.
        let is_one = |found: &Secret| {
            let value = &text[found.range.clone()];
            name != "secret" || super::place::is_disguised(value) || turns(value) >= 4
        };
        if let Some(found) = told_password(text, noun.end + behind).filter(is_one) {
            return Some(found);
        }
    }
    if !rest.starts_with(char::is_whitespace) && !rest.starts_with("s ") && !rest.starts_with("` ") {
        return None;
    }
    let sentence = rest.split(['\n', ';']).next().unwrap_or(rest);
    // A key may be one of a table or of a cache, and what is random in its sentence a hash.
    let is_key = text[noun.clone()].eq_ignore_ascii_case("key");
    let is_crypto = is_key && is_of_cryptography(text, noun);
    let is_number = |word: &str| word.len() >= 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut from = noun.end;
    for word in sentence.split(' ').take(6) {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let at = from + word.find(bare).unwrap_or(0);
        let is_told = is_unspeakable(bare)
            || !is_key && is_issued(bare)
            || is_crypto && is_number(bare)
            || is_key && is_grouped(bare);
        if bare.len() >= 16 && is_told && !is_stand_in(bare) {
            let whole = at..value_end(text, at);
            return Some(Secret { range: whole, rule: "told-credential" });
        }
        if word.ends_with(['.', ':']) && word.len() > 2 {
            return None;
        }
        from += word.len() + 1;
    }
    None
}

/// One long stretch of letters and digits in which both cases or many changes occur.
fn is_unspeakable(word: &str) -> bool {
    let longest = word.split(['_', '.', '-', '/']).max_by_key(|part| part.len()).unwrap_or(word);
    let has = |test: fn(&u8) -> bool| longest.bytes().any(|byte| test(&byte));
    longest.len() >= 16
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && longest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+=".contains(&byte))
}
