//! Names of things that an error says do not exist.

use super::{Root, Step, lack, tools};

#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "database", "role", "user", "relation", "table", "schema", "column", "view", "sequence", "type", "pathspec", "branch", "ref", "reference", "revision",
    "argument", "remote", "tag", "container", "image", "network", "volume", "service", "workspace", "namespace", "context", "upstream",
    "extension", "index", "collection", "bucket", "queue", "topic", "secret", "cluster", "profile", "pod", "deployment", "environment",
    "commit", "stash", "worktree", "submodule", "kind", "stack", "configmap", "ingress", "job", "cronjob", "statefulset", "daemonset", "node",
    "release", "function", "procedure", "keyspace", "stream", "stage", "refspec", "machine", "device", "simulator", "emulator", "connection",
    "repository", "group", "extra", "unit", "scheme", "kernel", "lane", "project", "feature", "toolchain", "chart", "repo", "catalog", "warehouse", "app", "site",
];
/// Nouns of things that a program runs by name.
#[rustfmt::skip]
const TARGETS: &[&str] = &[
    "script", "command", "subcommand", "task", "recipe", "target", "goal", "generator", "job", "session", "testenv", "environment", "lifecycle",
    "packages", "alias",
];
/// Nouns of what is brought by installing or publishing.
#[rustfmt::skip]
const PACKAGES: &[&str] = &[
    "artifact", "package", "dependency", "module", "chart", "image", "provider", "plugin", "gem", "crate", "formula", "library", "kind",
    "extension", "toolchain", "target", "component", "driver", "browser", "executable", "program", "command", "template", "sdk", "framework",
];

/// Nouns of what a database holds, or is.
#[rustfmt::skip]
const DATA: &[&str] = &[
    "database", "role", "user", "relation", "table", "schema", "column", "view", "sequence", "type", "extension", "index", "collection", "keyspace",
    "function", "procedure",
];

/// What stands before the place of a thing.
const WITHIN: &[&str] = &["in", "from", "on", "within", "of", "at", "to"];

/// A thing of this noun and name.
fn thing(word: &str, name: &str) -> Root {
    if noun(word, DATA) { Root::Datum(name.to_owned()) } else { Root::Absent(name.to_owned()) }
}

const QUOTES: [char; 9] = ['"', '\'', '`', '“', '”', '‘', '’', '«', '»'];

/// A word without brackets and stops.
fn unstopped(word: &str) -> &str {
    word.trim_matches([',', ';', '(', ')', '[', ']']).trim_end_matches([':', '.', '!', '?', ','])
}

/// A word without quotes and stops, and whether it was quoted.
pub(super) fn bare(word: &str) -> (&str, bool) {
    // `[x]"}}` is the end of a sentence in JSON.
    let word = match word.find(']').filter(|_| word.starts_with('[')) {
        Some(end) => &word[..=end],
        None => word,
    };
    let plain = unstopped(word);
    let inner = plain.trim_matches(QUOTES);
    // `profile (x)` and `index [x]` are as good as quotes.
    let ends = word.trim_end_matches([':', '.', '!', '?', ',', ';']);
    let within = |open: char, close: char| ends.starts_with(open) && ends.ends_with(close);
    let bracketed = ends.len() > 2 && (within('(', ')') || within('[', ']'));
    (inner, bracketed || inner.len() + 2 <= plain.len())
}

/// Whether a word is the first or the last of several between quotes, which are one name together.
pub(super) fn is_of_a_phrase(word: &str) -> bool {
    let word = unstopped(word);
    word.starts_with(QUOTES) != word.ends_with(QUOTES)
}

fn noun(word: &str, nouns: &[&str]) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic()).to_ascii_lowercase();
    let first = word.split('.').next().unwrap_or_default();
    nouns.contains(&first) || first.strip_suffix('s').is_some_and(|one| nouns.contains(&one))
}

/// The kind of things that a word names, in one spelling.
pub(super) fn noun_of(word: &str) -> Option<String> {
    /// Names for what a commit is known by.
    const REFS: &[&str] = &[
        "pathspec",
        "branch",
        "ref",
        "reference",
        "refspec",
        "revision",
        "argument",
        "tag",
        "commit",
        "upstream",
    ];
    let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic()).to_ascii_lowercase();
    let first = word.split('.').next().unwrap_or_default();
    let one =
        [first, first.strip_suffix('s').unwrap_or(first)].into_iter().find(|one| NOUNS.contains(one))?;
    let one = match one {
        one if REFS.contains(&one) => "ref",
        "repository" => "repo",
        "unit" => "service",
        one => one,
    };
    Some(one.to_owned())
}

/// Whether what follows a name says that it is not there: not where it goes on to speak of another thing.
fn lacks_behind(after: &[&str]) -> bool {
    // `user 'x': Unknown database 'y'`, `type 'X' has no member 'y'`
    let other = |word: &&str| noun_of(word).is_some() || bare(word).1;
    let goes_on = after.first().is_some_and(|word| ["unknown", "no"].contains(&word.to_lowercase().as_str()))
        && after[1..].iter().any(other);
    !goes_on && !lacks_part(after) && lack::behind(after)
}

/// Whether words speak of a part that a thing in the sources does not have: the thing itself is there.
pub(super) fn lacks_part(words: &[&str]) -> bool {
    const PARTS: &[&str] = &["member", "attribute", "property", "method", "field", "overload", "export"];
    words.iter().any(|word| PARTS.contains(&bare(word).0))
}

/// Whether a line says that what is not there is on its way: that is no error.
pub(super) fn is_notice(lower: &str) -> bool {
    #[rustfmt::skip]
    const NOTICES: &[&str] = &["installing it now", "creating it", "will be created", "creating now", "locally", "falling back", "using default"];
    NOTICES.iter().any(|notice| lower.contains(notice))
}

/// Names that stand behind a noun, next to words that say that there is none: `database "x" does not exist`.
pub(super) fn absent(line: &str, lower: &str) -> Vec<Root> {
    if is_notice(lower) {
        return Vec::new();
    }
    let words: Vec<&str> = line.split_whitespace().take(80).collect();
    let mut found = Vec::new();
    for n in 0..words.len().saturating_sub(1) {
        if !noun(words[n], NOUNS) {
            continue;
        }
        let (name, quoted) = bare(words[n + 1]);
        let before = &words[n.saturating_sub(4)..n];
        let after = &words[n + 2..words.len().min(n + 6)];
        let told = words[n].ends_with(':') || words[n].eq_ignore_ascii_case("ref");
        // Of where it was looked for, nothing is said: `not found in namespace "x"`.
        let within = before.last().is_some_and(|word| WITHIN.contains(&word.to_ascii_lowercase().as_str()));
        let lacks = lack::before(before) && !within || quoted && lacks_behind(after);
        if name.len() > 1 && lacks && (quoted || told) && !name.contains("://") && !name.starts_with('-') {
            found.push(thing(words[n], name));
        }
    }
    found
}

/// Addresses next to words that say that there is nothing: `repository 'https://x/y' not found`.
pub(super) fn addresses(line: &str) -> Vec<String> {
    const NEAR: usize = 4;
    let words: Vec<&str> = line.split_whitespace().take(80).collect();
    let gone = |at: &usize| {
        lack::before(&words[at.saturating_sub(NEAR)..*at])
            || lack::behind(&words[at + 1..words.len().min(at + 1 + NEAR)])
    };
    (0..words.len()).filter(gone).filter_map(|at| address(words[at])).collect()
}

/// One spelling of an address, where a word is one.
pub(super) fn address(word: &str) -> Option<String> {
    let (_, place) = bare(word).0.split_once("://")?;
    let place = place.trim_end_matches('/').trim_end_matches(".git");
    Some(format!("://{place}")).filter(|_| place.contains('/'))
}

/// Names without quotes, where the command was given them: `network x not found`, `no such container: x`.
pub(super) fn repeated(step: &Step, line: &str, lower: &str) -> Vec<Root> {
    let words: Vec<&str> = line.split_whitespace().take(80).collect();
    let mut found = Vec::new();
    for n in (0..words.len().saturating_sub(1)).filter(|n| noun(words[*n], NOUNS) && !is_notice(lower)) {
        let within =
            n.checked_sub(1).is_some_and(|at| WITHIN.contains(&words[at].to_ascii_lowercase().as_str()));
        let after = &words[n + 2..words.len().min(n + 6)];
        let next = words[n + 1..words.len().min(n + 5)].iter().map(|word| bare(word));
        // `revision identified by 'x'`
        let far = next.skip(1).find(|(_, quoted)| *quoted).filter(|_| lack::before(&words[..n]));
        let near = Some(bare(words[n + 1]))
            .filter(|_| !is_of_a_phrase(words[n + 1]))
            .filter(|_| lack::before(&words[n.saturating_sub(4)..n]) || lacks_behind(after));
        let near =
            near.map(|(name, _)| name.trim_end_matches(".service")).filter(|name| is_given(step, name));
        found.extend(
            near.or(far.map(|(name, _)| name))
                .filter(|name| !within && name.len() > 1)
                .map(|name| thing(words[n], name)),
        );
        // `The bucket does not exist` is the one of the address.
        let bucket = noun(words[n], &["bucket", "container"]) && lack::behind(&words[n + 1..]);
        let addresses = step.words.iter().filter_map(|word| word.split_once("://")).filter(|_| bucket);
        found.extend(
            addresses
                .filter_map(|(_, place)| place.split('/').next())
                .map(|name| Root::Absent(name.to_owned())),
        );
    }
    found
}

/// Whether a command was given a name, alone or as a part: `x/web`, `--network=x`.
fn is_given(step: &Step, name: &str) -> bool {
    let words = step.raw_words().chain(step.sub.as_deref());
    let mut parts = words.flat_map(|word| word.split(['/', ':', '@', '=', ',']).chain([word]));
    parts.any(|part| part == name)
}

/// What no registry, repository or remote has, where the command asked for it: to fetch it is not to make it.
pub(super) fn unpublished(step: &Step, line: &str, lower: &str) -> Vec<String> {
    #[rustfmt::skip]
    const SAYS: &[&str] = &[
        "no matching distribution", "no matching version", "unable to locate package", "no available formula", "no formulae", "404", "not in this registry",
        "could not find a version", "no such package", "package not found", "pull access denied", "manifest unknown", "repository does not exist",
        "does not appear to be a git repository", "no cask with this name",
    ];
    let image = tools::family(&step.program) == "docker" && lower.trim_end().ends_with(": not found");
    let repo = lower.contains("repo ") && lower.contains("not found");
    let gone = image || repo || SAYS.iter().any(|phrase| lower.contains(phrase));
    let words = line.split_whitespace().map(|word| bare(word).0).take(80);
    let addresses =
        words.clone().filter_map(|word| word.split_once("://")?.1.split_once('/')).map(|(_, path)| path);
    let asked = |word: &&str| word.len() > 1 && (is_given(step, word) || image && word.contains(':'));
    words.clone().chain(addresses).filter(|_| gone).filter(asked).map(str::to_owned).collect()
}

/// Names in the lines below one that says that there is no such thing: `{ platform: x, name: y }`.
pub(super) fn described(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines().take(400).peekable();
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().take(80).collect();
        let lacks = line.trim_end().ends_with(':')
            && lack::anywhere(&words)
            && words.iter().any(|word| noun(word, NOUNS));
        while lacks && lines.peek().is_some_and(|next| next.starts_with([' ', '\t'])) {
            let parts = lines.next().unwrap_or_default().split([',', '{', '}']);
            let pairs = parts.filter_map(|part| part.split_once([':', '=']));
            let named = pairs.filter(|(key, _)| matches!(key.trim(), "name" | "id" | "identifier" | "title"));
            found.extend(named.map(|(_, name)| bare(name.trim()).0.to_owned()).filter(|name| name.len() > 1));
        }
    }
    found
}

/// The module that a line says cannot be imported.
pub(super) fn module(line: &str, lower: &str) -> Option<String> {
    #[rustfmt::skip]
    const PHRASES: &[&str] = &[
        "no module named ", "no such module ", "cannot find module ", "cannot find package ", "cannot load such file -- ", "could not find gem ",
        "can't resolve ", "unresolved import ", "no required module provides package ", "failed to resolve import ", "could not resolve \"",
        "there is no package called ", "can't locate ",
    ];
    let says = |phrase: &&str| *phrase != "can't locate " || lower.contains("@inc");
    let at = PHRASES
        .iter()
        .filter(|phrase| says(phrase))
        .find_map(|phrase| Some(lower.find(phrase)? + phrase.len()));
    let (name, _) = match at {
        Some(at) => bare(line.get(at..)?.split_whitespace().next()?),
        None => lacking_package(line)?,
    };
    let name = name.trim_end_matches(['"', '\'', '`', ':', ';', ',']);
    // `Text/CSV.pm` is Text::CSV.
    let name = name.strip_suffix(".pm").map_or_else(|| name.to_owned(), |name| name.replace('/', "::"));
    (name.len() > 1 && !name.starts_with(['.', '/'])).then_some(name)
}

/// `package x not found`, `module x is not installed`.
fn lacking_package(line: &str) -> Option<(&str, bool)> {
    let words: Vec<&str> = line.split_whitespace().take(60).collect();
    let at = words
        .windows(2)
        .position(|pair| ["package", "module", "library"].contains(&pair[0].to_ascii_lowercase().as_str()))?;
    let behind = words.get(at + 2..words.len().min(at + 5)).unwrap_or_default();
    (lack::behind(behind) || behind.ends_with(&["not", "installed"])).then(|| bare(words[at + 1]))
}

/// The task, target or script that a line says is not known.
pub(super) fn target(line: &str, lower: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().take(60).collect();
    let lacks = lack::anywhere(&words)
        || ["don't know how", "is not a", "no rule", "invalid choice", "no bin", "no test"]
            .iter()
            .any(|phrase| lower.contains(phrase));
    if !lacks || lower.contains("command not found") {
        return None;
    }
    (0..words.len()).filter(|n| noun(words[*n], TARGETS)).find_map(|n| {
        let next = words.get(n + 1..words.len().min(n + 3)).unwrap_or_default();
        let before = n.checked_sub(1).map(|before| words[before]);
        // `task 'x'`, `command: x`, `'x' is not a git command`
        let quoted = next.iter().map(|word| bare(word)).find(|(_, quoted)| *quoted);
        let found = words.iter().position(|word| *word == "found:").and_then(|at| words.get(at + 1));
        let told = next.first().filter(|_| words[n].ends_with(':')).or(found).map(|word| bare(word));
        let ahead =
            words[..n].iter().map(|word| bare(word)).find(|(_, quoted)| *quoted).filter(|_| before.is_some());
        let (name, _) = quoted.or(told).or(ahead)?;
        (name.len() > 1).then(|| name.to_owned())
    })
}

/// A header or a library of the system: `libpq-fe.h`, `-lssl`, `libz.so.1`.
fn native(word: &str) -> Option<String> {
    let header = word.ends_with(".h") || word.ends_with(".hpp") || word.ends_with(".pc");
    let library =
        word.starts_with("lib") && (word.contains(".so") || word.ends_with(".dylib") || word.ends_with(".a"));
    let linked = word.strip_prefix("-l").filter(|name| name.len() > 1);
    linked
        .or(Some(word).filter(|_| header || library))
        .map(|name| format!("lib{}", name.trim_start_matches("lib")))
}

/// Names of what an error says is lacking and could be installed, published or made.
pub(in super::super) fn lacks(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().take(200).filter(|line| line.len() < 1000) {
        let lower = line.to_lowercase();
        found.extend(module(line, &lower));
        found.extend(absent(line, &lower).iter().filter_map(|root| root.name().map(str::to_owned)));
        let words: Vec<&str> = line.split_whitespace().take(80).collect();
        let gone = lack::anywhere(&words)
            || ["not installed", "not be installed"].iter().any(|phrase| lower.contains(phrase));
        if !gone {
            continue;
        }
        found.extend(words.iter().filter_map(|word| native(bare(word).0)));
        let coordinates = words
            .iter()
            .map(|word| bare(word).0)
            .filter(|word| word.matches(':').count() >= 2 && !word.contains('/'));
        found.extend(coordinates.map(str::to_owned));
        // `X not installed`, `X is not installed`
        let installed = words.windows(2).position(|pair| {
            pair[0].eq_ignore_ascii_case("not") && bare(pair[1]).0.eq_ignore_ascii_case("installed")
        });
        let mut before = installed.map(|at| &words[..at]).unwrap_or_default().iter().rev();
        let is = |word: &&str| ["is", "are", "was"].contains(&word.to_ascii_lowercase().as_str());
        found.extend(before.find(|word| !is(word)).map(|word| bare(word).0.to_owned()));
        if words.iter().any(|word| noun(word, PACKAGES)) {
            // Whose it is and where it was asked for is not what is lacking.
            let owner = |at: usize| at > 0 && ["name:", "namespace:", "from", "in"].contains(&words[at - 1]);
            let named = words.iter().enumerate().filter(|(at, _)| !owner(*at)).map(|(_, word)| bare(word));
            let quoted = named.filter(|(name, quoted)| *quoted && name.len() > 1);
            found.extend(quoted.map(|(name, _)| name.to_owned()));
        }
    }
    found.sort();
    found.dedup();
    found.truncate(24);
    found
}

/// Whether an error misses what a migration would bring.
pub(in super::super) fn names_schema(lower: &str) -> bool {
    lower.contains("migrat")
        || lower.contains("no such table")
        || lower.contains("no such column")
        || lower.contains("unknown column")
        || lower.lines().any(|line| {
            (line.contains("does not exist") || line.contains("doesn't exist"))
                && ["relation", "table", "column", "schema"].iter().any(|noun| line.contains(noun))
        })
}
