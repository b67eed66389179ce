//! The questions that a proposal is asked; each answer is a reason to refuse it, or nothing.

use super::claims::{self, Checked};
use super::manner_model::Kind;
use super::prose;
use super::read::{Read, Sentence};
use super::screen::orders;
use super::{Case, Ground, MOST_WORDS, Reason, Wished, orders_model, quoted};
use crate::compare::Relation;
use crate::linear::Measures;
use crate::lint::Lint;
use crate::words::terms;

/// How far a passage must say what is proposed for it to be taken from there.
const TOLD: f32 = 0.83;

impl Case<'_> {
    /// What needs no look at anything else: emptiness and dumps.
    pub(super) fn unfit(&self) -> Option<Reason> {
        let words = self.entry.body.split_whitespace().count();
        if words > MOST_WORDS {
            return Some(Reason::Dump);
        }
        if words < 3 || (words < 6 && self.body.anchors.is_empty()) {
            return Some(Reason::Empty);
        }
        None
    }

    /// Why a person must look at it first: it reads like orders, or says as the run's own what the run only quotes.
    pub(super) fn ordered(&self) -> Option<Reason> {
        if let Some(why) = orders(&Lint::default(), self.entry, &self.whole) {
            return Some(Reason::Orders(why));
        }
        if quoted::repeats_a_quotation(&self.whole, self.circumstances) {
            return Some(Reason::Quoted);
        }
        let words = || "it and the run speak as where others gave orders".to_owned();
        orders_model::are_orders(&self.heard_measures()).then(|| Reason::Orders(words()))
    }

    /// What the agent was given: by rawko, or by an instruction file.
    ///
    /// What says otherwise than a memory shares most words with it, and is no echo of it.
    pub(super) fn borrowed(&self, relation: &Relation) -> Option<Reason> {
        if matches!(relation, Relation::Contradicts(_)) {
            return None;
        }
        let is_told = |text: &str| self.body.told_by(&Read::of(text, self.embedder), self.embedder) >= TOLD;
        // What a person says instead of a memory shares most words with it, too.
        let corrects =
            self.circumstances.wished == Wished::Wholly && !self.entry.frontmatter.supersedes.is_empty();
        if !corrects && is_told(&self.circumstances.injected) {
            return Some(Reason::Echo);
        }
        let restated =
            |(name, text): &(String, String)| is_told(text).then(|| Reason::Instruction(name.clone()));
        self.background.instructions.iter().find_map(restated)
    }

    pub(super) fn checked(&self) -> &Checked {
        self.claims.get_or_init(|| match self.background.ground {
            Some(ground) => {
                let whole = Read::of(&self.whole, self.embedder);
                claims::check(&whole.sentences, ground)
            }
            None => Checked::default(),
        })
    }

    /// Whether every clause of the text makes a claim that is so, or plainly goes on about one that does, and the title
    /// says no more.
    pub(super) fn is_proved_throughout(&self) -> bool {
        let Some(ground) = self.background.ground else { return false };
        let heading = format!("# {}", self.title);
        let said = self.entry.body.lines().filter(|line| line.trim() != heading.trim());
        let clauses = self.clauses(&said.collect::<Vec<_>>().join("\n"));
        let mut clauses = clauses.iter().filter(|clause| !is_little(clause, ground));
        let is_proved =
            |clause: &String| claims::check(&Read::of(clause, self.embedder).sentences, ground).proved > 0;
        clauses.next().is_some_and(is_proved)
            && clauses.all(|clause| goes_on(clause, ground) || is_proved(clause))
            && self.is_titled_by_its_text()
    }

    /// Cuts a text where another clause may begin: at marks, and before words that join one to another.
    fn clauses(&self, text: &str) -> Vec<String> {
        // What stands in backticks is one thing, whatever marks and words are in it.
        let mut code = false;
        let marked: String = text
            .chars()
            .map(|c| {
                code ^= c == '`';
                if !code && matches!(c, ';' | ':' | ',' | '(' | ')' | '–' | '—') { '\n' } else { c }
            })
            .collect();
        let mut clauses = Vec::new();
        for part in Read::of(&marked, self.embedder).sentences.iter().flat_map(|s| s.text.split('\n')) {
            let (mut clause, mut code) = (String::new(), false);
            for word in part.split_whitespace() {
                if !code && is_joint(word) {
                    clauses.push(std::mem::take(&mut clause));
                }
                code ^= word.matches('`').count() % 2 == 1;
                clause.push_str(word);
                clause.push(' ');
            }
            clauses.push(clause);
        }
        clauses
    }

    /// Whether the text has half of the title's words, and says no where the title does.
    fn is_titled_by_its_text(&self) -> bool {
        let words =
            self.title.split_whitespace().map(|word| Sentence { text: String::new(), terms: terms(word) });
        let words: Vec<Sentence> = words.filter(|word| !word.terms.is_empty()).collect();
        let missing = words.iter().filter(|word| self.body.covers(word) < 0.5).count();
        let denies = prose::denies(&self.title.to_lowercase()) && !prose::denies(&self.body.lower);
        !denies && (words.len() < 2 || 2 * missing <= words.len())
    }

    /// What is true and still not worth keeping, holds for one run only, or was never more than a guess.
    pub(super) fn worthless(&self, near: &Measures) -> Option<Reason> {
        match self.manner(near) {
            Kind::Knowledge => None,
            Kind::Status => Some(Reason::Status),
            Kind::Generic => Some(Reason::Generic),
            Kind::Guess => Some(Reason::Hypothetical),
            Kind::Trivia => Some(Reason::Trivia(
                self.retelling().map_or_else(|| "the repository".to_owned(), |(file, _)| file),
            )),
        }
    }
}

/// Words that put one thing beside another.
const BESIDE: [&str; 6] = ["and", "but", "or", "then", "so", "while"];
/// Words with which a clause begins that says why something is so, also without a comma.
const REASONS: [&str; 4] = ["because", "which", "whereas", "although"];
/// Further words with which one begins that only goes on about what was said. No "if" and no "when": orders begin so.
const OPENINGS: [&str; 5] = ["it", "its", "they", "otherwise", "since"];

fn plain_word(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// Whether another clause may begin with a word.
fn is_joint(word: &str) -> bool {
    let word = plain_word(word);
    BESIDE.contains(&word.as_str()) || REASONS.contains(&word.as_str())
}

/// The words of a clause, without the one that only puts it beside another.
fn words_of(clause: &str) -> Vec<&str> {
    let beside = |word: &&str| BESIDE.contains(&plain_word(word).as_str());
    clause.split_whitespace().skip_while(beside).collect()
}

/// Whether a clause says a little more of what stands before it, in plain words: nothing in it could be run or opened.
fn goes_on(clause: &str, ground: &Ground<'_>) -> bool {
    /// More words than this say something of their own.
    const MOST: usize = 12;
    let words = words_of(clause);
    let opens = |first: &&str| {
        let first = plain_word(first);
        OPENINGS.contains(&first.as_str()) || REASONS.contains(&first.as_str())
    };
    words.first().is_some_and(opens)
        && words.len() <= MOST
        && words.into_iter().all(|word| is_plain(word, ground))
}

/// Whether a word could be neither run nor opened: one of prose, a number, or a name that the repository has.
fn is_plain(word: &str, ground: &Ground<'_>) -> bool {
    /// Longer ones are keys, hashes and texts in disguise.
    const LONGEST: usize = 24;
    let word = word.trim_end_matches(['.', ',', '!', '?', ')']).trim_start_matches('(');
    let is_word = |c: char| c.is_alphabetic() || matches!(c, '-' | '\'' | '’');
    let is_name = |name: &str| {
        name.chars().all(|c| c.is_alphanumeric() || c == '_') && ground.says_word(name) == Some(true)
    };
    let name = word.strip_prefix('`').and_then(|word| word.strip_suffix('`'));
    word.len() <= LONGEST
        && (word.chars().all(is_word)
            || word.trim_end_matches('%').parse::<f32>().is_ok()
            || name.is_some_and(is_name))
}

/// Whether a clause is one word, such as `Note` before a colon or the last thing of a list, or says where or for what
/// in three: by itself it says nothing.
fn is_little(clause: &str, ground: &Ground<'_>) -> bool {
    const ARTICLES: [&str; 5] = ["a", "an", "the", "its", "their"];
    const PLACES: [&str; 8] = ["in", "on", "at", "for", "by", "with", "under", "per"];
    let words: Vec<String> = words_of(clause).into_iter().map(plain_word).collect();
    let places = words.first().is_some_and(|first| PLACES.contains(&first.as_str()));
    let said = words.iter().filter(|word| !word.is_empty() && !ARTICLES.contains(&word.as_str())).count();
    (said <= 1 || (places && said <= 3)) && clause.split_whitespace().all(|word| is_plain(word, ground))
}
