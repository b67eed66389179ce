//! Credentials that are known by where they stand: headers, addresses, key blocks.

use std::ops::Range;

use super::filler::is_stand_in;
use super::named::{is_issued, turns};
use super::{Secret, login, program};

/// Looks for a credential at one place.
pub(super) type Finder = fn(&str, usize) -> Option<Secret>;

/// The words that mark such a place.
pub(super) const PLACES: [(&str, Finder); 64] = [
    ("log in ", logged_in),
    ("login", logged_in),
    ("logs in ", logged_in),
    ("logged in ", logged_in),
    ("sign in ", logged_in),
    ("signs in ", logged_in),
    ("echo ", login::echoed),
    ("pin ", login::pin),
    ("pin:", login::pin),
    ("pin=", login::pin),
    ("puk ", login::pin),
    ("passkey ", login::pin),
    ("passcode ", login::pin),
    (" code ", login::pin),
    ("identified by ", login::identified),
    ("http://", capability),
    ("https://", capability),
    ("totp", one_time),
    ("sid=", login::session),
    ("session=", login::session),
    ("sessionid=", login::session),
    ("auth ", logged_in),
    ("credentials", logged_in),
    ("-----begin", private_key),
    ("://", url_password),
    ("bearer ", header_value),
    ("basic ", header_value),
    ("authorization:", header),
    ("x-api-key:", header),
    ("api-key:", header),
    ("apikey:", header),
    ("token:", header),
    ("private-token:", header),
    ("-u ", curl_login),
    ("--user ", curl_login),
    ("--user=", curl_login),
    (" -p ", option),
    (" -w ", option),
    (" -a ", option),
    (" -p", attached),
    ("cookie", cookies),
    ("sig=", signature),
    (":aa", telegram),
    (".", discord),
    ("-storepass ", option),
    ("%", login_percent),
    (".atlasv1.", terraform),
    ("_mmk", maxmind),
    ("q~", azure),
    ("|", facebook),
    ("cleartextpassword\"", nuget),
    ("secret_key", php_secret),
    (":", program::pgpass),
    (" -k ", program::openssl),
    (" pass:", program::openssl),
    (" -c ", program::snmp),
    (" -a ", program::snmp),
    (" -x ", program::snmp),
    (" -p ", program::mongo),
    ("community", program::community),
    ("seed phrase", program::seed),
    ("seed words", program::seed),
    ("recovery phrase", program::seed),
    ("mnemonic", program::seed),
];

fn private_key(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at..text.floor_char_boundary(at + 200)];
    let head = rest.to_ascii_uppercase();
    let name = head.find("PRIVATE KEY")?;
    let body = at + name + head[name..].find("-----")? + 5;
    let limit = &text[body..text.floor_char_boundary(body + 16_384)];
    let end = limit.find("KEY-----").map(|end| end + 8);
    let end = end.or_else(|| limit.find("KEY BLOCK-----").map(|end| end + 14));
    // A block that was cut off is no less secret.
    let end = body + end.unwrap_or_else(|| cut_off(limit));
    (end - body >= 64).then_some(Secret { range: at..end, rule: "private-key" })
}

/// The lines of a key whose end is missing.
fn cut_off(text: &str) -> usize {
    let is_key = |c: char| c.is_ascii_alphanumeric() || "+/=\\ \r\n\t-:,".contains(c);
    let end = text.find(|c: char| !is_key(c)).unwrap_or(text.len());
    text[..end].find("\n\n").unwrap_or(end)
}

/// `scheme://user:password@host`, and `scheme://key@host`.
fn url_password(text: &str, at: usize) -> Option<Secret> {
    let from = at + 3;
    let rest = &text[from..text.floor_char_boundary(from + 300)];
    let end = rest.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c)).unwrap_or(rest.len());
    let (login, _) = rest[..end].rsplit_once('@')?;
    let rule = "url-password";
    if is_issued(login.split(':').next()?) {
        return Some(Secret { range: from..from + login.len(), rule });
    }
    let (user, password) = login.split_once(':')?;
    let start = from + user.len() + 1;
    let secret = Secret { range: start..start + password.len(), rule };
    (password.len() > 2 && password != user && !is_stand_in(password)).then_some(secret)
}

/// `https://chat.example/hooks/11/…`, `?k=…`: who knows a part of an address that nobody typed may do what it serves.
fn capability(text: &str, at: usize) -> Option<Secret> {
    const LONG: usize = 20;
    const TURNS: usize = 6;
    let rest = &text[at..text.floor_char_boundary(at + 400)];
    let ends = |c: char| c.is_whitespace() || "\"'`<>),".contains(c);
    let address = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let is_issued = |part: &&str| {
        let has = |test: fn(&u8) -> bool| part.bytes().any(|byte| test(&byte));
        let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
        let longest = part.split(['-', '_']).map(str::len).max().unwrap_or(0);
        longest >= LONG && is_mixed && turns(part) >= TURNS && !is_stand_in(part)
    };
    let part = address.split(['/', '?', '&', '=', '#', ':', '.', '@', ';', '%']).find(is_issued)?;
    let from = at + (part.as_ptr() as usize - address.as_ptr() as usize);
    Some(Secret { range: from..from + part.len(), rule: "url-token" })
}

/// The seed of one-time passwords, in base 32.
fn one_time(text: &str, at: usize) -> Option<Secret> {
    const NEAR: usize = 80;
    let is_digit = |c: char| c.is_ascii_uppercase() || ('2'..='7').contains(&c);
    let rest = &text[at..text.floor_char_boundary(at + NEAR)];
    let seed = rest.split(|c: char| !is_digit(c)).find(|word| word.len() >= 16)?;
    let from = at + rest.find(seed)?;
    let end = from + text[from..].find(|c: char| !is_digit(c)).unwrap_or(text.len() - from);
    (turns(seed) > 1).then_some(Secret { range: from..end, rule: "told-token" })
}

/// `Authorization: Bearer …`, `X-Api-Key: …`.
fn header(text: &str, at: usize) -> Option<Secret> {
    let colon = at + text[at..].find(':')?;
    let rest = text[colon + 1..].trim_start_matches([' ', '\t']);
    let from = text.len() - rest.len();
    let scheme = ["bearer ", "basic ", "token ", "api-token ", "digest "];
    let lower = rest[..rest.floor_char_boundary(12)].to_ascii_lowercase();
    let skip = scheme.iter().find(|scheme| lower.starts_with(**scheme)).map_or(0, |scheme| scheme.len());
    value(text, from + skip)
}

fn header_value(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at..];
    let from = at + rest.find(' ')? + 1;
    let found = value(text, from)?;
    // "basic configuration" is prose.
    let candidate = &text[found.range.clone()];
    let mixed = candidate.bytes().any(|byte| byte.is_ascii_digit()) && candidate.len() >= 16;
    mixed.then_some(found)
}

fn value(text: &str, from: usize) -> Option<Secret> {
    let rest = &text[from..text.floor_char_boundary(from + 2048)];
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_=~@.+/-:".contains(c);
    let end = rest.find(|c: char| !allowed(c)).unwrap_or(rest.len());
    let found = rest[..end].trim_end_matches(['.', ',', ':']);
    let secret = Secret { range: from..from + found.len(), rule: "auth-header" };
    let telling = found.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=') || found.len() > 20;
    (found.len() >= 8 && telling && !is_stand_in(found)).then_some(secret)
}

/// `curl -u user:password`.
fn curl_login(text: &str, at: usize) -> Option<Secret> {
    text[text.ceil_char_boundary(at.saturating_sub(1000))..at].rfind("curl")?;
    let option = text[at..].find([' ', '='])? + 1;
    let rest = text[at + option..].trim_start();
    let from = text.len() - rest.len();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let inner = rest.trim_start_matches(['"', '\'']);
    let from = from + (rest.len() - inner.len());
    let ends = |c: char| match quote {
        Some(quote) => c == quote || c == '\n',
        None => c.is_whitespace(),
    };
    let inner = &inner[..inner.floor_char_boundary(200)];
    let login = &inner[..inner.find(ends).unwrap_or(inner.len())];
    let (user, password) = login.split_once(':')?;
    let (start, kept) = if password.is_empty() {
        (from, user)
    } else {
        (from + user.len() + 1, password.trim_end_matches(['"', '\'']))
    };
    let secret = Secret { range: start..start + kept.len(), rule: "curl-auth-user" };
    (kept.len() > 2 && !is_stand_in(kept) && !user.starts_with(['<', '$'])).then_some(secret)
}

/// `mosquitto_sub -P …`, `ldapsearch -w …`, `redis-cli -a …`: what is typed behind a short option and looks like no word.
fn option(text: &str, at: usize) -> Option<Secret> {
    let from =
        at + text[at..].trim_start().find(' ')? + 1 + (text[at..].len() - text[at..].trim_start().len());
    let quoted = text[from..].trim_start_matches(['"', '\'']);
    let from = text.len() - quoted.len();
    let before = &text[text.ceil_char_boundary(at.saturating_sub(200))..at];
    let command = before.rsplit(['\n', '`', ';', '|', '&']).next().unwrap_or(before);
    if is_password_option(command, &text[at + 1..at + 3]) {
        return plain_word(text, from);
    }
    if [" -u ", " -U ", "--user", "--login"].iter().any(|login| command.contains(login)) {
        // In small letters it may be a database, a package or a port, unless the command itself is to log in.
        let is_password = [" -P ", " -W "].iter().any(|option| text[at..].starts_with(option))
            || command.split_whitespace().any(|word| word == "login");
        let typed = || typed(text, from, "command-line-password").filter(|_| is_password);
        if let Some(secret) = told_token(text, from).or_else(typed) {
            return Some(secret);
        }
    }
    if let Some(secret) = login::pair(text, from) {
        return Some(secret);
    }
    // Without a name that logs in and without a mark it may be any argument.
    let is_marked = |secret: &Secret| text[secret.range.clone()].contains(MARKS);
    typed(text, from, "command-line-password").filter(is_marked)
}

/// Whether a program takes a password behind this option and nothing else.
fn is_password_option(command: &str, option: &str) -> bool {
    let mut words =
        command.split_whitespace().map(|word| word.rsplit(['/', '"', '\'']).next().unwrap_or(word));
    match option {
        "-p" => words.any(|word| word == "sshpass" || word == "login"),
        "-a" => words.any(|word| word == "redis-cli" || word == "redis-benchmark"),
        "-P" => words.any(|word| word == "unzip" || word == "zip" || word == "sqlcmd"),
        _ => false,
    }
}

/// `mysql -pX`, `sshpass -pX`: a password without a space before it.
fn attached(text: &str, at: usize) -> Option<Secret> {
    let from = at + " -p".len();
    let before = &text[text.ceil_char_boundary(at.saturating_sub(200))..at];
    let command = before.rsplit(['\n', '`', ';', '|', '&']).next().unwrap_or(before);
    let takes = |word: &str| {
        let name = word.rsplit(['/', '"', '\'']).next().unwrap_or(word);
        matches!(name, "sshpass" | "7z" | "7za" | "rar" | "unrar")
            || name.starts_with("mysql")
            || name.starts_with("mariadb")
    };
    let is_option = text[at..].starts_with(" -p") && !text[from..].starts_with(char::is_whitespace);
    if !is_option || !command.split_whitespace().any(takes) {
        return None;
    }
    let quoted = text[from..].trim_start_matches(['"', '\'']);
    plain_word(text, text.len() - quoted.len())
}

/// The word that starts here, where only a password can stand; one of plain letters may be prose about it.
fn plain_word(text: &str, from: usize) -> Option<Secret> {
    let rest = &text[from..text.floor_char_boundary(from + 200)];
    let end = rest.find(|c: char| c.is_whitespace() || "\"'`<>".contains(c)).unwrap_or(rest.len());
    let value = rest[..end].trim_end_matches(['.', ',', ';', ')', '\\']);
    let telling = value.len() >= 12 || value.contains(|c: char| c.is_ascii_digit() || MARKS.contains(&c));
    let is_password = value.len() >= 4 && telling && value.contains(|c: char| c.is_ascii_alphabetic());
    (is_password && !value.starts_with('-') && !is_stand_in(value))
        .then(|| Secret { range: from..from + value.len(), rule: "command-line-password" })
}

/// `Cookie: session=…; other=…`, and the first pair of `Set-Cookie: …; Path=/`.
fn cookies(text: &str, at: usize) -> Option<Secret> {
    /// Most bytes of a header.
    const HEADER: usize = 4096;
    let behind = at + "cookie".len();
    let mark =
        text.as_bytes()[behind..].iter().take(12).take_while(|byte| b"\"'\\: \t".contains(byte)).count();
    let from = behind + mark;
    if !text[behind..from].contains(':') {
        return None;
    }
    let rest = &text[from..text.floor_char_boundary(from + HEADER)];
    let end = rest.find(|c: char| c.is_control() || "\"'`<>\\".contains(c)).unwrap_or(rest.len());
    let is_set = text[..at].ends_with('-');
    let all = if is_set { rest[..end].split(';').next().unwrap_or("") } else { &rest[..end] };
    let is_name = |name: &str| !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '/');
    let is_secret = |pair: &str| {
        let Some((name, value)) = pair.trim().split_once('=') else { return false };
        let value = value.trim();
        let mixed = value.bytes().any(|byte| byte.is_ascii_digit())
            && value.bytes().any(|byte| byte.is_ascii_alphabetic())
            && !value.contains(char::is_whitespace);
        is_name(name) && value.len() >= 8 && mixed && !is_stand_in(value)
    };
    // The pairs up to the last that is one: prose may go on behind them.
    let (mut stop, mut passed) = (0, 0);
    for pair in all.split(';') {
        if is_secret(pair) {
            stop = passed + pair.trim_end().len();
        }
        passed += pair.len() + 1;
    }
    (stop > 0).then(|| Secret { range: from..from + stop, rule: "cookie" })
}

/// `?sv=…&sig=…`: what signs an address of a storage account.
fn signature(text: &str, at: usize) -> Option<Secret> {
    const NEAR: usize = 400;
    let from = at + "sig=".len();
    let rest = &text[from..text.floor_char_boundary(from + NEAR)];
    let allowed = |c: char| c.is_ascii_alphanumeric() || "%+/=_-".contains(c);
    let value = &rest[..rest.find(|c: char| !allowed(c)).unwrap_or(rest.len())];
    let before = &text[text.ceil_char_boundary(at.saturating_sub(NEAR))..at];
    let line = |text: &str| text.contains("sv=") || text.contains("se=");
    let near = before.rsplit(char::is_whitespace).next().unwrap_or("");
    let behind = rest.split(char::is_whitespace).next().unwrap_or("");
    let is_part = before.ends_with(['?', '&', ' ', '"', '\'']) && (line(near) || line(behind));
    (is_part && value.len() >= 20 && !is_stand_in(value))
        .then(|| Secret { range: from..from + value.len(), rule: "azure-sas-signature" })
}

/// `123456789:AA…`: a bot's number and its token.
fn telegram(text: &str, at: usize) -> Option<Secret> {
    let digits = text[..at].len() - text[..at].trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let start = at - digits.min(20);
    let (_, end) = around(text, at, 1, |c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let fits = (8..=10).contains(&digits) && end - at - 1 == 35 && text[at..].starts_with(":AA");
    let is_alone = text[..start].strip_suffix("bot").unwrap_or(&text[..start]);
    (fits && !is_alone.ends_with(|c: char| c.is_ascii_alphanumeric()))
        .then_some(Secret { range: start..end, rule: "telegram-bot-api-token" })
}

/// `M….……….…`: a bot's number in base 64, six signs of time, and what signs them.
fn discord(text: &str, at: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let time = bytes.get(at + 1..at + 7)?;
    if bytes.get(at + 7) != Some(&b'.') || !time.iter().all(is_part) {
        return None;
    }
    let number = bytes[..at].iter().rev().take(30).take_while(|byte| is_part(byte)).count();
    let signed = bytes[at + 8..].iter().take(60).take_while(|byte| is_part(byte)).count();
    let fits = (23..=28).contains(&number) && (27..=40).contains(&signed);
    let start = at - number;
    (fits && b"MNO".contains(&bytes[start]))
        .then_some(Secret { range: start..at + 8 + signed, rule: "discord-bot-token" })
}

/// Whether a noun of credentials stands here as a word of its own, or as the last of a name: `token`, `API_KEY`.
pub(super) fn names_credentials(text: &str, noun: Range<usize>) -> bool {
    const HEADS: [&str; 6] = ["token", "secret", "password", "passphrase", "credential", "key"];
    let is_head = HEADS.iter().any(|head| text[noun.clone()].eq_ignore_ascii_case(head));
    let behind = text[noun.end..].strip_prefix(['s', 'S']).unwrap_or(&text[noun.end..]);
    let is_hump = text[noun.start..].starts_with(char::is_uppercase);
    // `accesstoken` is a token, `monkey` is no key.
    let is_apart = is_hump
        || !text[noun.clone()].eq_ignore_ascii_case("key")
        || !text[..noun.start].ends_with(|c: char| c.is_alphanumeric());
    is_head && is_apart && !behind.starts_with(|c: char| c.is_alphanumeric())
}

/// A word that starts here and is a credential by its looks alone: long, alone, and of both cases and digits in turn.
pub(super) fn opaque(text: &str, from: usize) -> Option<Secret> {
    const LONG: usize = 20;
    const TURNS: usize = 6;
    let rest = &text[from..];
    let word = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())];
    let is_tied = |c: char| c.is_alphanumeric() || "/:=+.-_@#~\\%$".contains(c);
    let has = |test: fn(&u8) -> bool| word.bytes().any(|byte| test(&byte));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let ends = rest[word.len()..].trim_start_matches(['.', ':']);
    // An issuer may put its name before it: `acme_…`.
    let issuer = text[..from].strip_suffix(['_', '-']).filter(|_| word.len() >= LONG + 4);
    let issuer = issuer.map_or(&text[..from], |name| name.trim_end_matches(|c: char| c.is_ascii_lowercase()));
    let alone = !issuer.ends_with(is_tied) && !ends.starts_with(is_tied);
    (word.len() >= LONG && is_mixed && alone && turns(word) >= TURNS && !is_stand_in(word))
        .then_some(Secret { range: from..from + word.len(), rule: "told-token" })
}

/// A word that starts here and that nobody typed: long, letters and digits in turn, no number of base 16, and no
/// part of a path or of a checksum.
pub(super) fn told_token(text: &str, from: usize) -> Option<Secret> {
    /// Letters and digits of such a word at least, and how often one follows the other.
    const LONG: usize = 32;
    const TURNS: usize = 6;
    let rest = &text[from..];
    let until = |ends: fn(char) -> bool| rest.find(ends).unwrap_or(rest.len());
    let word = &rest[..until(|c| !c.is_ascii_alphanumeric())];
    // Others may be tied to it: `first-second`.
    let whole =
        rest[..until(|c| !c.is_ascii_alphanumeric() && c != '-' && c != '_')].trim_end_matches(['-', '_']);
    let is_tied = |c: char| c.is_alphanumeric() || "/:=+.-@".contains(c);
    let alone =
        !text[..from].ends_with(is_tied) && !rest[whole.len()..].starts_with(['/', ':', '=', '+', '@']);
    let is_number = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let random = word.len() >= LONG && turns(word) >= TURNS && !is_number;
    (alone && random).then_some(Secret { range: from..from + whole.len(), rule: "told-token" })
}

/// `smbclient -U user%password`.
fn login_percent(text: &str, at: usize) -> Option<Secret> {
    let before = &text[text.ceil_char_boundary(at.saturating_sub(80))..at];
    let (_, user) = before.rsplit_once("-U ")?;
    (!user.contains(char::is_whitespace)).then(|| typed(text, at + 1, "command-line-password")).flatten()
}

/// A password in a sentence that speaks of logging in: "log in as ops / Gr4vel-Pit!77".
fn logged_in(text: &str, at: usize) -> Option<Secret> {
    /// So far the sentence goes on about it.
    const NEAR: usize = 120;
    let sentence = &text[at..text.floor_char_boundary(at + NEAR)];
    let sentence = sentence.split('\n').next().unwrap_or(sentence);
    let sentence = &sentence[..sentence.find(". ").unwrap_or(sentence.len())];
    let starts = sentence.match_indices([' ', '/', ':', '`', '"', '\'', '(']).map(|(mark, _)| at + mark + 1);
    let is_phrase = |value: &str| value.split('-').count() >= 3;
    let made_up = |secret: &Secret| {
        let value = &text[secret.range.clone()];
        is_disguised(value) || is_phrase(value)
    };
    // `ops` / `…`
    let is_second = |from: usize| text[..from].trim_end_matches([' ', '`', '"', '\'']).ends_with('/');
    let told = |from: usize| {
        let second = || login::invented(text, from, "told-credential").filter(|_| is_second(from));
        typed(text, from, "told-credential").filter(made_up).or_else(second)
    };
    starts.filter_map(|from| told(from).or_else(|| login::pair(text, from))).next()
}

/// Whether a word is written so that nobody guesses it: a mark that no name has, or a digit for a letter.
pub(super) fn is_disguised(word: &str) -> bool {
    let is_name =
        word.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    let for_a_letter = |three: &[u8]| {
        three[0].is_ascii_alphabetic() && three[1].is_ascii_digit() && three[2].is_ascii_lowercase()
    };
    !is_name && (word.contains(MARKS) || word.as_bytes().windows(3).any(for_a_letter))
}

/// Marks that people put into passwords and not into names.
const MARKS: [char; 10] = ['!', '#', '$', '%', '^', '&', '*', '+', '~', '@'];

/// A password of one word that starts here.
pub(super) fn typed(text: &str, from: usize, rule: &'static str) -> Option<Secret> {
    let rest = &text[from..text.floor_char_boundary((from + 80).min(text.len()))];
    let end = rest.find(|c: char| c.is_whitespace() || "\"'`)<>,;".contains(c)).unwrap_or(rest.len());
    let value = rest[..end].trim_end_matches(['.', ':', '?']);
    let has = |test: fn(&u8) -> bool| usize::from(value.bytes().any(|byte| test(&byte)));
    let kinds = has(u8::is_ascii_digit)
        + has(u8::is_ascii_lowercase)
        + has(u8::is_ascii_uppercase)
        + usize::from(value.contains(MARKS));
    let code = value.contains(['/', '(', '[', '{', '=', ':']) || value.split('.').count() > 2;
    (value.len() >= 8 && kinds >= 3 && has(u8::is_ascii_digit) == 1 && !code && !is_stand_in(value))
        .then(|| Secret { range: from..from + value.len(), rule })
}

/// Widens from a mark in the middle to the whole token, and says how long its parts are.
fn around(text: &str, at: usize, mark: usize, allowed: fn(char) -> bool) -> (usize, usize) {
    let before = &text[text.ceil_char_boundary(at.saturating_sub(80))..at];
    let start = at - (before.len() - before.trim_end_matches(allowed).len());
    let after = &text[at + mark..text.floor_char_boundary(at + mark + 120)];
    let end = at + mark + (after.len() - after.trim_start_matches(allowed).len());
    (start, end)
}

fn terraform(text: &str, at: usize) -> Option<Secret> {
    let (start, end) =
        around(text, at, ".atlasv1.".len(), |c| c.is_ascii_alphanumeric() || "_=-".contains(c));
    let fits = at - start >= 14 && end - at >= 69;
    fits.then_some(Secret { range: at - 14..end, rule: "hashicorp-tf-api-token" })
}

fn maxmind(text: &str, at: usize) -> Option<Secret> {
    let (start, end) = around(text, at, "_mmk".len(), |c| c.is_ascii_alphanumeric() || c == '_');
    (end == at + 4 && at - start == 36).then_some(Secret { range: start..end, rule: "maxmind-license-key" })
}

fn azure(text: &str, at: usize) -> Option<Secret> {
    let (start, end) = around(text, at, 2, |c| c.is_ascii_alphanumeric() || "_~.-".contains(c));
    let is_form = text[..at].ends_with(|c: char| c.is_ascii_digit()) && at - start == 4;
    let fits = is_form && &text[at..at + 1] == "Q" && (31..=34).contains(&(end - at - 2));
    fits.then_some(Secret { range: start..end, rule: "azure-ad-client-secret" })
}

fn facebook(text: &str, at: usize) -> Option<Secret> {
    let digits = text[..at].len() - text[..at].trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (_, end) = around(text, at, 1, |c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let fits = (15..=16).contains(&digits) && (27..=40).contains(&(end - at - 1));
    fits.then_some(Secret { range: at - digits..end, rule: "facebook-access-token" })
}

fn nuget(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at..text.floor_char_boundary(at + 300)];
    let start = at + rest.find("value=\"")? + 7;
    let end = start + text[start..].find('"')?;
    let value = &text[start..end];
    (value.len() >= 8 && !is_stand_in(value))
        .then_some(Secret { range: start..end, rule: "nuget-config-password" })
}

fn php_secret(text: &str, at: usize) -> Option<Secret> {
    let rest = &text[at..text.floor_char_boundary(at + 60)];
    let start = at + rest.find("=>")? + rest.split("=>").nth(1)?.find("sk_")? + 2;
    let length = text[start..].find(|c: char| c.is_whitespace() || "\"'".contains(c))?;
    (length == 32).then_some(Secret { range: start..start + length, rule: "freemius-secret-key" })
}
/// The secret that belongs to the key id before it: credentials of two parts are told together.
pub(super) fn other_half(text: &str, id: &Secret) -> Option<Secret> {
    /// How far behind its id it stands.
    const NEAR: usize = 120;
    if id.rule != "aws-access-token" {
        return None;
    }
    let end = text.floor_char_boundary((id.range.end + NEAR).min(text.len()));
    let rest = &text[id.range.end..end];
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '+');
    let mut at = id.range.end;
    for word in rest.split(|c| !is_part(c)) {
        let mixed = word.bytes().any(|b| b.is_ascii_uppercase())
            && word.bytes().any(|b| b.is_ascii_lowercase())
            && word.bytes().any(|b| b.is_ascii_digit());
        if word.len() == 40 && mixed {
            return Some(Secret { range: at..at + 40, rule: "aws-secret-key" });
        }
        at += word.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
    }
    None
}
