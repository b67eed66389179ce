//! What holds for one run only: counts, durations, ids, dates. It is cut away before anything is judged.

use regex_lite::Regex;

use super::cues::NORM;
use super::prose::sentences;

/// The patterns of what does not last, compiled once for a run.
#[derive(Debug)]
pub(crate) struct Rules {
    measured: Vec<Rule>,
    status: Vec<Rule>,
}

/// A pattern over text of lower case, and the parts of which one must stand in it: a look for them is much cheaper.
#[derive(Debug)]
struct Rule {
    needs: &'static [&'static str],
    pattern: Regex,
}

impl Rule {
    fn is_match(&self, lower: &str, has_digit: bool) -> bool {
        let possible = if self.needs.is_empty() {
            has_digit
        } else {
            self.needs.iter().any(|part| lower.contains(part))
        };
        possible && self.pattern.is_match(lower)
    }
}

/// Counts, durations and ids of one run; without parts a digit is needed.
const MEASURED: [(&[&str], &str); 17] = [
    (&[" of "], r"\b\d[\d,]*\s(of|out of)\s(the\s)?\d"),
    (
        &[" were ", " was ", " been ", " got "],
        r"\b\d[\d,]*\s\w+\s(were|was|have been|has been|got)\s\w+(ed|en|t)\b",
    ),
    (&[], r"\b\d+\s?(m|min|h)\s?\d+(\.\d+)?\s?(s|m|min)?\b"),
    (&[], r"\b\d+\.\d+\s?(s|sec|secs|seconds|ms|m|min|mins|minutes|h)\b"),
    (
        &["pass", "fail", "skip", "succe", "example", "assert", "insertion", "deletion", "errors"],
        r"\b\d[\d,]*\s(passed|failed|skipped|successful|succeeded|passing|failing|failures?|examples?|assertions|previous errors|insertions|deletions)\b",
    ),
    (
        &[
            "pass", "green", "ok", "succe", "ran", "run", "changed", "updated", "touched", "total", "built",
            "fixed", "remain", "left",
        ],
        r"\b\d[\d,]*\s(tests?|specs?|suites?|checks?|tasks?|files?|packages?|modules?|occurrences|errors?|warnings?|commits?)\s(are\s|were\s|have\s|now\s|all\s)*(pass|passed|green|ok|succeed|ran|run|changed|updated|touched|total|built|fixed|remain|left)\w*\b",
    ),
    (&["all "], r"\ball\s\d[\d,]*\s\w+"),
    (&["0x"], r"\b0x[0-9a-f]{5,}\b"),
    (&["-"], r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}"),
    (
        &[
            "pid",
            "process",
            "thread",
            "goroutine",
            "run",
            "job",
            "build",
            "pipeline",
            "pr",
            "mr",
            "request",
            "ticket",
        ],
        r"\b(pid|process|thread|goroutine|run|job|build|pipeline|pr|mr|pull request|merge request|ticket|request id)\s#?\d{2,}\b",
    ),
    (&["#"], r"(?:^|[\s(])#\d+\b"),
    (
        &["yesterday", "tomorrow", "tonight", "morning", "week", "today"],
        r"\b(yesterday|tomorrow|tonight|this morning|last week|next week|as of today)\b|^today\b|\b\w+ed today\b",
    ),
    (
        &["day"],
        r"\b(on|by|next|last|this|since)\s(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b[.,;)]?($|\s[a-z]+ed\b)",
    ),
    (
        &["faster", "slower", "better", "worse", "smaller", "bigger", "larger", "less", "more", "quicker"],
        r"\b(\d+(\.\d+)?|two|three|four|five|six|ten)\s?(x|×|%|percent|times)\s(\w+\s)?(faster|slower|better|worse|smaller|bigger|larger|less|more|quicker)\b",
    ),
    (
        &["took", " in ", "down to", "now at"],
        r"\b(took|finished in|done in|completed in|built in|down to|now at)\s(about\s|only\s)?\d",
    ),
    (&["20"], r"\b20\d\d-[01]\d-[0-3]\d\b"),
    (&["("], r"\(\d+/\d+\)"),
];

/// How things stand now, what is left to do, and talk.
const STATUS: [(&[&str], &str); 12] = [
    (
        &["still ", "remains", "yet to", "one-off", "of scope", "follow-up", "separate", "another"],
        r"\bstill (needs?|has|have) (to|a|an|some)\b|\b(remains|yet) to be\b|\bone-off\b|\bout of scope\b|\bfollow-ups?\b|\b(separate|another) (pr|pull request|ticket|issue|commit)\b",
    ),
    (
        &["'s not", "is not", "was not", "isn't", "wasn't"],
        r"\b(so|hence|thus|therefore|and|but),?\s(it|this|that)\s?('s not|is not|was not|isn't|wasn't)\s?(it|the|a|about|because|after)\b",
    ),
    (
        &["innocent", "blame", "fault", "not the", "for now", "is back"],
        r"\b(innocent|not to blame|not at fault|not the (culprit|cause|reason|problem))\b|\bfor now\b|\bis back (at|to)\b",
    ),
    (
        &["ignoring", "disregarding", "injection"],
        r"\b(ignoring|disregarding)\s(that|this|it|both|them|those)\b|\bprompt injection\b",
    ),
    (
        &["green", "clean", "passing", "fine", "happy", "ok"],
        r"\b(tests?|suites?|checks?|lint|linter|ci|build|pipeline|everything|it|all)\s(\w+\s)?(is|are|now)\s(all\s)?(green|clean|passing|fine|happy|ok)\b",
    ),
    (&["again", "now"], r"\b(works?|working|builds?|runs?|passes|pass|starts?)\s(again|now)\b[.!]?$"),
    (
        &[
            "let me know",
            "happy to",
            "feel free",
            "you like",
            "you want",
            "all i",
            "ould i",
            "want me",
            "thank",
            "lgtm",
            "welcome",
            "cheers",
        ],
        r"\b(let me know|happy to|feel free|would you like|do you want|shall i|should i|want me to|thank you|thanks|lgtm|you're welcome|cheers)\b",
    ),
    (
        &["committed", "pushed", "merged", "opened a", "working tree"],
        r"\b(committed|pushed|merged|opened a (pr|pull request)|working tree is clean)\b",
    ),
    (&["test", "check"], r"^(all|every)\s(unit\s|integration\s)?(tests?|checks?)\s(pass|passed|are green)"),
    (&["some day", "some point", "later on", "todo"], r"\b(some day|at some point|later on|todo)\b"),
    (&[" will", "'ll", "plan to", "going to"], r"\b(i|we) (will|'ll|plan to|are going to|am going to)\b"),
    (
        &["instruction", "aimed at"],
        r"\binstructions? (aimed|for|to) (at )?(ai|agents?|assistants?|models?)\b|\baimed at agents\b",
    ),
];

impl Rules {
    pub(crate) fn new() -> Self {
        let compiled = |rules: &[(&'static [&'static str], &str)]| {
            rules
                .iter()
                .map(|&(needs, pattern)| Rule {
                    needs,
                    pattern: Regex::new(pattern).expect("the built-in patterns compile"),
                })
                .collect()
        };
        Self { measured: compiled(&MEASURED), status: compiled(&STATUS) }
    }

    /// A text without what does not last; `None` where nothing is left.
    pub(crate) fn clean(&self, text: &str, is_echo: impl Fn(&str) -> bool) -> Option<String> {
        if text.len() > 4_000 {
            return None;
        }
        let kept: Vec<String> = sentences(text)
            .iter()
            .filter(|sentence| !is_echo(sentence))
            .filter_map(|sentence| self.clean_sentence(sentence))
            .collect();
        // "Found it." opens a remark and says nothing.
        let says = |sentence: &&String| {
            sentence.split_whitespace().count() > 3
                || sentence.contains('`')
                || NORM.worth_in(&sentence.to_lowercase()) > 0.0
        };
        let telling: Vec<&str> = kept.iter().filter(says).map(String::as_str).collect();
        let text = telling.join(" ");
        (text.split_whitespace().count() >= 5).then_some(text)
    }

    /// Whether a text is of this run only.
    pub(crate) fn is_measured(&self, text: &str) -> bool {
        let (lower, digit) = (text.to_lowercase(), text.bytes().any(|b| b.is_ascii_digit()));
        self.measured.iter().any(|rule| rule.is_match(&lower, digit)) || has_a_hash(text)
    }

    fn is_status(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        self.status.iter().any(|rule| rule.is_match(&lower, false))
    }

    fn clean_sentence(&self, sentence: &str) -> Option<String> {
        if !self.is_measured(sentence) && !self.is_status(sentence) {
            return Some(sentence.to_owned());
        }
        let bare = self.without_asides(sentence);
        if !self.is_measured(&bare) && !self.is_status(&bare) {
            return Some(bare);
        }
        let clauses: Vec<&str> = bare.split("; ").collect();
        let lasting: Vec<&str> = clauses
            .iter()
            .copied()
            .filter(|clause| !self.is_measured(clause) && !self.is_status(clause))
            .collect();
        // The rest of a sentence means little without its first clause.
        if lasting.first() != clauses.first() {
            return None;
        }
        let mut text = lasting.join("; ");
        if !text.ends_with('.') {
            text.push('.');
        }
        Some(text)
    }

    /// The sentence without the brackets that hold a measurement.
    fn without_asides(&self, sentence: &str) -> String {
        let mut out = String::new();
        let mut rest = sentence;
        while let Some(open) = rest.find('(') {
            let Some(close) = rest[open..].find(')').map(|at| open + at + 1) else { break };
            let aside = &rest[open..close];
            out.push_str(if self.is_measured(aside) { rest[..open].trim_end() } else { &rest[..close] });
            rest = &rest[close..];
        }
        out.push_str(rest);
        out
    }
}

/// A word of hex digits, letters among them: a commit, a digest, an address.
pub(crate) fn has_a_hash(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        word.len() >= 7
            && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            && digits >= 2
            && digits < word.len()
            || (word.len() >= 7 && digits == word.len())
    })
}
