//! What holds for one run only: counts, durations, ids, dates. It is cut away before anything is judged.

use regex_lite::Regex;

use super::cues::NORM;
use super::prose::sentences;

/// The patterns of what does not last, compiled once for a run.
#[derive(Debug)]
pub(crate) struct Rules {
    measured: Vec<Regex>,
    status: Vec<Regex>,
}

/// Counts, durations and ids of one run.
const MEASURED: [&str; 17] = [
    r"(?i)\b\d[\d,]*\s(of|out of)\s(the\s)?\d",
    r"(?i)\b\d[\d,]*\s\w+\s(were|was|have been|has been|got)\s\w+(ed|en|t)\b",
    r"(?i)\b\d+\s?(m|min|h)\s?\d+(\.\d+)?\s?(s|m|min)?\b",
    r"(?i)\b\d+\.\d+\s?(s|sec|secs|seconds|ms|m|min|mins|minutes|h)\b",
    r"(?i)\b\d[\d,]*\s(passed|failed|skipped|successful|succeeded|passing|failing|failures?|examples?|batches|replacements|assertions|previous errors|insertions|deletions)\b",
    r"(?i)\b\d[\d,]*\s(tests?|specs?|suites?|checks?|tasks?|files?|packages?|modules?|occurrences|errors?|warnings?|commits?)\s(are\s|were\s|have\s|now\s|all\s)*(pass|passed|green|ok|succeed|ran|run|changed|updated|touched|total|built|fixed|remain|left)\w*\b",
    r"(?i)\ball\s\d[\d,]*\s\w+",
    r"\b0x[0-9a-fA-F]{5,}\b",
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}",
    r"(?i)\b(pid|goroutine|thread id|run|job|build|pipeline|pr|mr|pull request|merge request|ticket|request id|lock id)\s#?\d{2,}\b",
    r"(?:^|[\s(])#\d+\b",
    r"(?i)\b(yesterday|tomorrow|tonight|this morning|last week|next week|as of today)\b|^today\b|\b\w+ed today\b",
    r"(?i)\b(on|by|next|last|this|since)\s(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b[.,;)]?($|\s[a-z]+ed\b)",
    r"(?i)\b(\d+(\.\d+)?|two|three|four|five|six|ten)\s?(x|×|%|percent|times)\s(\w+\s)?(faster|slower|better|worse|smaller|bigger|larger|less|more|quicker)\b",
    r"(?i)\b(took|takes now|finished in|done in|completed in|built in|down to|now at)\s(about\s|only\s)?\d",
    r"\b20\d\d-[01]\d-[0-3]\d\b",
    r"\(\d+/\d+\)",
];

/// How things stand now, and talk.
const STATUS: [&str; 12] = [
    r"(?i)\bstill (needs?|has|have) (to|a|an|some)\b|\b(remains|yet) to be\b|\bone-off\b|\bout of scope\b|\bfollow-ups?\b|\b(separate|another) (pr|pull request|ticket|issue|commit)\b",
    r"(?i)\b(so|hence|thus|therefore|and|but),?\s(it|this|that)\s?('s not|is not|was not|isn't|wasn't)\s?(it|the|a|about|because|after)\b",
    r"(?i)\b(innocent|not to blame|not at fault|not the (culprit|cause|reason|problem))\b|\bfor now\b|\bis back (at|to)\b",
    r"(?i)\b(ignoring|disregarding)\s(that|this|it|both|them|those)\b|\bprompt injection\b",
    r"(?i)\b(tests?|suites?|checks?|lint|linter|ci|build|pipeline|everything|it|all)\s(\w+\s)?(is|are|now)\s(all\s)?(green|clean|passing|fine|happy|ok)\b",
    r"(?i)\b(works?|working|builds?|runs?|passes|pass|starts?)\s(again|now)\b[.!]?$",
    r"(?i)\b(let me know|happy to|feel free|would you like|do you want|shall i|should i|want me to|thank you|thanks|lgtm|you're welcome|cheers)\b",
    r"(?i)\b(committed|pushed|merged|opened a (pr|pull request)|working tree is clean|rolled everything back)\b",
    r"(?i)^(all|every)\s(unit\s|integration\s)?(tests?|checks?)\s(pass|passed|are green)",
    r"(?i)\b(some day|at some point|in a follow-up|as a follow-up|later on|todo)\b",
    r"(?i)\b(i|we) (will|'ll|plan to|are going to|am going to)\b",
    r"(?i)\binstructions? (aimed|for|to) (at )?(ai|agents?|assistants?|models?)\b|\baimed at agents\b",
];

impl Rules {
    pub(crate) fn new() -> Self {
        let compiled = |patterns: &[&str]| {
            patterns
                .iter()
                .map(|pattern| Regex::new(pattern).expect("the built-in patterns compile"))
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
        self.measured.iter().any(|rule| rule.is_match(text)) || has_a_hash(text)
    }

    fn is_status(&self, text: &str) -> bool {
        self.status.iter().any(|rule| rule.is_match(text))
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
