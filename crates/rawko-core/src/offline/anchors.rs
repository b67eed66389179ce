//! The names in a sentence that tie it to this project: paths, flags, identifiers, versions, limits.

/// What kind of name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    /// Code in backticks that is none of the others.
    Code,
    /// A command line in backticks.
    Command,
    /// A file or folder.
    Path,
    /// `--flag`.
    Flag,
    /// A name as code spells it: `snake_case`, `camelCase`, `UPPER_CASE`, `a.b()`.
    Name,
    /// `3.12`.
    Version,
    /// A number with its unit: `20 minutes`.
    Limit,
}

/// A name and its sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub(crate) sort: Sort,
    pub(crate) text: String,
}

/// The names in a text, each once, in order.
pub(crate) fn anchors(text: &str) -> Vec<Anchor> {
    let mut found: Vec<Anchor> = Vec::new();
    let mut add = |sort: Sort, text: &str| {
        let text = text.trim();
        if !text.is_empty() && text.len() <= 200 && !found.iter().any(|known| known.text == text) {
            found.push(Anchor { sort, text: text.to_owned() });
        }
    };
    for quoted in text.split('"').skip(1).step_by(2).filter(|quoted| quoted.contains(' ')) {
        add(Sort::Code, quoted);
    }
    for (n, part) in text.split('`').enumerate() {
        // Between an odd and an even backtick: code, if the last one is closed.
        if n % 2 == 1 {
            add(sort_of_code(part), part);
        } else {
            prose_names(part, &mut add);
        }
    }
    found
}

/// The text with every name as `#`: a cue within a name is none.
pub(crate) fn with_names_blanked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (n, part) in text.split('`').enumerate() {
        if n % 2 == 1 {
            out.push('#');
            continue;
        }
        for raw in part.split_inclusive(char::is_whitespace) {
            let (word, rest) = bared(raw);
            match sort_of_word(word).filter(|sort| !matches!(sort, Sort::Limit | Sort::Version)) {
                Some(_) => out.push_str(&raw.replacen(word, "#", 1)),
                None => out.push_str(rest),
            }
        }
    }
    out
}

/// A word without the marks around it, and as it was.
fn bared(raw: &str) -> (&str, &str) {
    let marks = |c: char| {
        c.is_whitespace() || matches!(c, ',' | '.' | ';' | ':' | '(' | ')' | '"' | '\'' | '!' | '?')
    };
    let word = raw.trim_end_matches(marks);
    // A dot in front belongs to the name: `.env`.
    (word.trim_start_matches(['(', '"', '\'']), raw)
}

/// How many words the text spells as names that are no code: products, places, abbreviations, numbers.
pub(crate) fn proper_names(text: &str) -> usize {
    const TALK: [&str; 12] =
        ["I", "I'm", "I'd", "I've", "I'll", "OK", "TODO", "PR", "MR", "FYI", "LGTM", "WIP"];
    let mut seen: Vec<&str> = Vec::new();
    let mut opens = true;
    for (n, part) in text.split('`').enumerate() {
        if n % 2 == 1 {
            opens = false;
            continue;
        }
        for raw in part.split_whitespace() {
            let word = raw.trim_matches(|c: char| !c.is_alphanumeric());
            let capitals = word.chars().filter(|c| c.is_uppercase()).count();
            let starts = word.starts_with(char::is_uppercase);
            // A port, a size, a code: a number that is told is a property.
            let number = word.len() >= 2 && word.starts_with(|c: char| c.is_ascii_digit());
            let named = number || (starts && !opens && word.len() > 1) || (capitals >= 2 && word.len() <= 24);
            if named && !TALK.contains(&word) && !seen.contains(&word) && sort_of_word(word).is_none() {
                seen.push(word);
            }
            opens = raw.ends_with(['.', '!', '?', ':']);
        }
    }
    seen.len().min(4)
}

fn prose_names(text: &str, add: &mut impl FnMut(Sort, &str)) {
    let words: Vec<&str> = text.split_whitespace().collect();
    for (n, raw) in words.iter().enumerate() {
        let word = raw
            .trim_matches(|c: char| matches!(c, ',' | '.' | ';' | ':' | '(' | ')' | '"' | '\'' | '!' | '?'));
        if let Some(sort) = sort_of_word(word) {
            add(sort, word);
        }
        if is_number(word) && words.get(n + 1).is_some_and(|next| is_unit(next)) {
            add(Sort::Limit, &format!("{word} {}", words[n + 1].trim_end_matches(['.', ',', ';', ':', ')'])));
        }
    }
}

fn sort_of_code(code: &str) -> Sort {
    if code.contains(' ') && looks_like_a_command(code) {
        return Sort::Command;
    }
    sort_of_word(code).unwrap_or(Sort::Code)
}

/// The sort of a bare word, if it is a name at all.
fn sort_of_word(word: &str) -> Option<Sort> {
    if word.starts_with("--") && word.len() > 3 {
        return Some(Sort::Flag);
    }
    if word.contains("://") || word.contains(' ') || word.len() < 2 {
        return None;
    }
    if is_path(word) {
        return Some(Sort::Path);
    }
    if is_version(word) {
        return Some(Sort::Version);
    }
    if word.len() > 2 && is_limit(word) {
        return Some(Sort::Limit);
    }
    is_name(word).then_some(Sort::Name)
}

pub(crate) fn is_path(word: &str) -> bool {
    let is_folder =
        word.ends_with('/') && word.len() > 3 && word.starts_with(|c: char| c.is_ascii_alphanumeric());
    let word = word.trim_end_matches('/');
    let sound = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '+' | '*' | '[' | ']')
    };
    if word.is_empty() || !word.chars().all(sound) || word.contains("//") {
        return false;
    }
    let last = word.rsplit('/').next().unwrap_or_default();
    let extension = last.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    let has_extension = (1..=5).contains(&extension.len())
        && extension.chars().any(|c| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric() && !c.is_ascii_uppercase());
    let dotted_file = word.starts_with('.')
        && word.len() > 3
        && word.chars().skip(1).all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    let parts = word.split('/').count();
    (has_extension && last.len() > extension.len() + 1)
        || dotted_file
        || is_folder
        || parts > 2
        || (parts == 2 && has_extension)
}

fn is_version(word: &str) -> bool {
    let word = word.trim_start_matches(['v', '^', '~', '=', '>', '<']);
    let mut parts = word.split('.');
    let count = word.split('.').count();
    (2..=4).contains(&count)
        && parts.all(|part| !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit()))
}

fn is_number(word: &str) -> bool {
    const WORDS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    word.chars().next().is_some_and(|c| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '_'))
        || WORDS.contains(&word.to_lowercase().as_str())
}

fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 40] = [
        "s",
        "ms",
        "ns",
        "min",
        "h",
        "hours",
        "hour",
        "minutes",
        "minute",
        "seconds",
        "second",
        "days",
        "day",
        "weeks",
        "kb",
        "mb",
        "gb",
        "tb",
        "kib",
        "mib",
        "gib",
        "bytes",
        "bits",
        "messages",
        "requests",
        "rows",
        "connections",
        "characters",
        "times",
        "retries",
        "workers",
        "threads",
        "entries",
        "items",
        "documents",
        "m",
        "k",
        "percent",
        "%",
        "parallel",
    ];
    let word = word.trim_end_matches(['.', ',', ';', ':', ')']).to_lowercase();
    UNITS.contains(&word.as_str())
}

/// `60s`, `10MB`, `3s`.
fn is_limit(word: &str) -> bool {
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    digits > 0 && digits < word.len() && is_unit(&word[digits..])
}

/// A name as code spells it.
fn is_name(word: &str) -> bool {
    let sound = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '.' | ':' | '(' | ')' | '-' | '@' | '$' | '/' | '=' | '*')
    };
    if !word.chars().all(sound) || !word.chars().any(|c| c.is_ascii_alphabetic()) {
        return false;
    }
    let inner = word.trim_matches('_');
    let snake = inner.contains('_') && inner.len() > 3;
    let bytes = word.as_bytes();
    let camel = bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let called = word.ends_with("()");
    let assigned = word.contains('=') && word.len() > 3;
    let upper = word.len() >= 4
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && word.contains('_');
    let scoped = word.contains("::") || word.starts_with('@') && word.len() > 2;
    let shouted = word.len() >= 5 && word.bytes().all(|b| b.is_ascii_uppercase());
    let with_digit =
        word.len() > 3 && bytes[0].is_ascii_lowercase() && word.bytes().any(|b| b.is_ascii_digit());
    shouted || snake || camel || called || assigned || upper || scoped || with_digit
}

/// Whether code in backticks is something to type into a shell.
pub(crate) fn looks_like_a_command(code: &str) -> bool {
    let first = code.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
    let is_program = !first.starts_with('-')
        && first
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '/' | '.'))
        && first.chars().any(|c| c.is_ascii_lowercase());
    is_program && !code.contains(" = ") && !code.ends_with(';') && !code.contains("...")
}
