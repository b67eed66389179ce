//! In what manner something is said: as lasting knowledge, or as a report, common advice, a guess, a retelling of code.
//!
//! No single word decides. Some thirty measures are taken of the words, of the
//! run that they come from and of the repository, and a linear model
//! (`manner_model`) weighs them beside the common words; its weights come from labelled proposals.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Case;
use super::manner_model::{self, Kind};
use super::prose::{self, count};
use super::read::{Sentence, Span, bare, has_word, is_particular, prose_words, spans, told};
use crate::linear::{Measures, capped, flag};
use crate::words::terms;

/// The share of a text's names that a file must have for the text to be its retelling.
const NAMED: f32 = 0.8;
/// Names of a text that are looked up, and files that may be what it retells.
const LOOKED: usize = 24;
/// How many sentences before and behind the nearest one belong to it.
const AROUND: usize = 3;
/// The share of its words that a run must say without doubt to have said it plainly.
const PLAINLY: f32 = 0.9;

/// The measures of a relation that also say something of the manner: a report or a guess is about nothing known, and
/// what gives another value is no retelling.
const NEAR: [&str; 9] =
    ["covered", "meaning", "number", "replaced", "value", "meant", "rare", "subject", "ahead"];

impl Case<'_> {
    /// The manner in which a proposal is said.
    pub(super) fn manner(&self, near: &Measures) -> Kind {
        manner_model::choose(&self.manner_measures(near))
    }

    /// What the manner is judged by, brought to about 0 to 1; with how it stands to the nearest memory.
    pub(super) fn manner_measures(&self, near: &Measures) -> Measures {
        let sentences: Vec<String> = self.body.sentences.iter().map(|s| told(&s.text)).collect();
        let all = sentences.len().max(1) as f32;
        let share = |is: &dyn Fn(&String) -> bool| sentences.iter().filter(|s| is(s)).count() as f32 / all;
        let prose = sentences.join(" ");
        let said = |words: &[&str], most: usize| capped(count(&prose, words), most);
        let (text, anchors) = (&self.entry.body, &self.body.anchors);
        let code = spans(text).iter().filter(|span| matches!(span, Span::Code(_))).count();
        let particular = text.split_whitespace().map(bare).filter(|word| is_particular(word)).count();
        let numbers =
            text.split_whitespace().map(bare).filter(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        let named = self.body.sentences.iter().map(|s| names_in(&s.text)).sum::<usize>();
        // Without a repository a text is taken at its word.
        let has = |word: &&String| self.background.ground.is_none_or(|g| g.says_word(word) != Some(false));
        let looked = anchors.len().min(LOOKED);
        let own = anchors.iter().take(looked).filter(has).count();
        let lists = self.body.sentences.iter().map(|s| s.text.matches(", ").count()).max().unwrap_or(0);
        let words = text.split_whitespace().count();
        let run = self.run();
        let mut values = vec![
            ("report", said(prose::REPORT, 3)),
            ("moment", said(prose::MOMENT, 2)),
            ("deeds", share(&|s| prose::tells_a_deed(s.trim_start()))),
            ("past", share(&|s| prose::is_past(s))),
            ("calendar", said(prose::CALENDAR, 2)),
            ("office", said(prose::OFFICE, 2)),
            ("lasting", said(prose::LASTING, 4)),
            ("insight", said(prose::INSIGHT, 4)),
            ("plain", flag(!prose::has_insight(&prose))),
            ("orders", share(&|s| prose::advises(s))),
            ("praise", said(prose::PRAISE, 3)),
            ("here", said(prose::HERE, 2)),
            ("hedged", said(prose::DOUBT, 3)),
            ("code", capped(code, 4)),
            ("bare", flag(code == 0)),
            ("particular", capped(particular, 5)),
            ("numbers", capped(numbers.count(), 4)),
            ("names", capped(named, 3)),
            ("anchorless", flag(anchors.is_empty())),
            ("own", capped(own, 4)),
            ("strange", capped(looked - own, 4)),
            ("retold", self.retelling().map_or(0.0, |(_, share)| share)),
            ("lists", capped(lists, 6)),
            ("short", flag(words < 14)),
            ("long", capped(words, 120)),
            ("doubted", run.doubted),
            ("asserted", run.asserted),
            ("refuted", run.refuted),
            ("refutes", capped(run.refutes, 2)),
            ("denied", run.denied),
            ("planned", run.planned),
        ];
        values.extend(NEAR.map(|name| (name, near.get(name))));
        Measures { values, ..self.heard_measures() }
    }

    /// The file that the text retells most, and the share of the text's words that it has.
    pub(super) fn retelling(&self) -> Option<(String, f32)> {
        let ground = self.background.ground?;
        let anchors = &self.body.anchors;
        if anchors.is_empty() {
            return None;
        }
        let names = |path: &str, text: &str| {
            let path = path.to_lowercase();
            let known = |anchor: &&String| text.contains(anchor.as_str()) || path.contains(anchor.as_str());
            anchors.iter().filter(known).count() as f32 >= NAMED * anchors.len() as f32
        };
        // A record of what happened, the run's own among them, is no source that somebody would read instead.
        let is_record = |path: &str| [".jsonl", ".ndjson", ".log"].iter().any(|end| path.ends_with(end));
        let sources = ground.texts().filter(|(path, _)| !is_record(path));
        let named = sources.filter(|(path, text)| names(path, text)).take(LOOKED);
        let told = named
            .map(|(path, text)| (path.to_owned(), self.body.covered_by(&terms(text).into_iter().collect())));
        told.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// The words of the proposal's prose, and those of the run where it comes nearest to it, as `run:because`; and what
    /// the sentence encoder hears in both.
    pub(super) fn heard_measures(&self) -> Measures {
        let (_, around) = self.heard();
        let encoded = self.in_run.get_or_init(|| self.voice.within(&self.output.sentences[around.clone()]));
        let told = |sentence: &Sentence| prose_words(&sentence.text);
        let heard: BTreeSet<String> = self.output.sentences[around].iter().flat_map(told).collect();
        let heard = heard.into_iter().map(|word| format!("run:{word}"));
        let words = prose_words(&self.whole).into_iter().chain(heard).collect();
        Measures { values: Vec::new(), words, encoded: encoded.clone() }
    }

    /// How near each sentence of the run comes to what is proposed, and which of them belong to the nearest.
    fn heard(&self) -> (Vec<f32>, Range<usize>) {
        let near = |sentence: &Sentence| {
            self.body.covers(sentence).max(self.body.covered_by(&sentence.terms.iter().copied().collect()))
        };
        let near: Vec<f32> = self.output.sentences.iter().map(near).collect();
        let nearest = (0..near.len()).max_by(|a, b| near[*a].total_cmp(&near[*b]));
        let around = |at: usize| at.saturating_sub(AROUND)..near.len().min(at + AROUND + 1);
        let around = nearest.map_or(0..0, around);
        (near, around)
    }

    /// How the run's own words speak of what is proposed, at the place where they come nearest to it.
    fn run(&self) -> Run {
        let sentences = &self.output.sentences;
        let (near, around) = self.heard();
        if around.is_empty() {
            // Nobody doubts what is told without a run.
            return Run { asserted: 1.0, ..Run::default() };
        }
        let (mut run, mut plain) = (Run::default(), Vec::new());
        for at in around {
            let lower = sentences[at].text.to_lowercase();
            let beyond = |words: &[&str]| {
                words.iter().any(|word| has_word(&lower, word) && !has_word(&self.body.lower, word))
            };
            let (doubts, refutes) = (beyond(prose::DOUBT), beyond(prose::REFUTES));
            if doubts {
                run.doubted = run.doubted.max(near[at]);
            }
            if beyond(prose::PLANS) {
                run.planned = run.planned.max(near[at]);
            }
            if refutes {
                let before = at.checked_sub(1).map_or(0.0, |at| near[at]);
                run.refutes += 1;
                run.refuted = run.refuted.max(near[at]).max(before * 0.8);
            }
            if prose::takes_back_beyond(&lower, &self.body.lower) {
                run.denied = run.denied.max(near[at]);
            }
            if !doubts && !refutes {
                plain.extend(sentences[at].terms.iter().copied());
            }
        }
        run.asserted = self.body.covered_by(&plain.into_iter().collect());
        // What the run plainly says is no guess, whatever else it doubts.
        if run.asserted >= PLAINLY { Run { asserted: run.asserted, ..Run::default() } } else { run }
    }
}

/// How a run speaks of what is proposed.
#[derive(Default)]
struct Run {
    /// How near a sentence is that believes or supposes it.
    doubted: f32,
    /// How near one is that plans or wishes it.
    planned: f32,
    /// How near one is that says it was wrong or of no use.
    refuted: f32,
    /// How many sentences say so of anything.
    refutes: usize,
    /// How near one is that says no to it.
    denied: f32,
    /// The share of its words that the run plainly says.
    asserted: f32,
}

/// Words with a capital letter inside a sentence: somebody or something has a name.
fn names_in(sentence: &str) -> usize {
    let acronym = |word: &str| {
        bare(word).trim_end_matches('s').chars().all(|c| c.is_uppercase() || c == '-' || c == '/')
    };
    let is_name = |word: &&str| word.starts_with(char::is_uppercase) && word.len() > 2 && !acronym(word);
    sentence.split_whitespace().skip(1).filter(is_name).count()
}
