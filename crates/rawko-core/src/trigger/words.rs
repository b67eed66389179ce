//! How much a word says: natural-language triggers and the strength of literal hits.
//!
//! Without statistics of a corpus a word's worth is guessed from two lists and
//! its length: function words and the boilerplate of conditions ("when a task
//! asks for") say nothing, the everyday words of programming little, a long or
//! odd word much. A caller that knows how rare a stem is says so instead.

use std::collections::BTreeSet;

use crate::stem::stem;
use crate::trigger::text::{Part, fold, words_of};
use crate::word_list::WordList;
use crate::words::is_sign;

/// How rare a stem is: 0 for one found everywhere, 1 for one found almost nowhere.
pub type Rarity<'a> = &'a dyn Fn(&str) -> f32;

/// Words between the first and the last of a trigger's words, to be read as one thought.
const WINDOW: u32 = 60;

/// Words that carry no topic: function words, and how conditions are phrased.
static STOP: WordList = WordList::of(
    " \
    a about after again all already also am an and another any anyone anything are as asked asking \
    asks at be because been before being between both but by can cannot come comes could deal dealing \
    deals did do does doing don't done during each either else etc even ever every for from go goes \
    going had has have having he her here him his how i if in into involve involved involves involving \
    is isn't it it's its just know less like look looking looks make may me mention mentioned \
    mentioning mentions might more most much must my need needed needing needs never no nor not of off \
    on once one only onto or other others our out over own per please rather relate related relates \
    relating same say says see seen she should since so some someone something still such task tasks \
    than that the their them then there these they thing things this those though through to too touch \
    touched touches touching toward under until up upon us use used user's uses using very want wanted \
    wants was way we were what whatever when whenever where whether which while who whole whom whose \
    why will with within without work worked working works would you your ",
);

/// Stems that every project's tasks are full of.
static COMMON: WordList = WordList::of(
    " \
    add allow app applic bug build call case chang check class code command configur creat data \
    default delet differ document enabl ensur error exist fail fals featur field file find fix follow \
    format function get give handl help implement import improv input issu keep key line list load log \
    messag method miss modul name new null number object old option output packag page paramet part \
    pass path place point print problem process program project read refactor remov replac request \
    resolv respons result return right run save set show simpl start step stop string style support \
    system test text true type unit updat user valid valu version warn write wrong ",
);

/// The content words of a text as stems, each once, in reading order.
pub(crate) fn content_stems(text: &str) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for word in words_of(text) {
        let folded = fold(word);
        if is_stop(&folded) || folded.chars().count() <= 1 {
            continue;
        }
        let stem = stem(&folded);
        if !stems.iter().any(|known| *known == stem) {
            stems.push(stem.into_owned());
        }
    }
    stems
}

/// How much a stem says, from 0 to 1.
pub(crate) fn worth(stem: &str, rarity: Option<Rarity>) -> f32 {
    if let Some(rarity) = rarity {
        return rarity(stem).clamp(0.02, 1.0);
    }
    if COMMON.has(stem) {
        return 0.25;
    }
    let odd = stem.contains(|c: char| c == '_' || c.is_numeric());
    // A sign says as much as a syllable or two.
    match stem.chars().map(|c| if is_sign(c) { 3 } else { 1 }).sum() {
        0..=2 => 0.15,
        3.. if odd => 0.95,
        3 => 0.5,
        4 => 0.65,
        5 => 0.8,
        _ => 0.9,
    }
}

/// How much a literal says, from 0 to 1: its words together, more for what is written like a name in code.
pub(crate) fn worth_of_literal(literal: &str, rarity: Option<Rarity>) -> f32 {
    let mut silence = 1.0;
    for word in words_of(literal) {
        silence *= 1.0 - if is_stop(word) { 0.02 } else { worth(&stem(word), rarity) };
    }
    let said: f32 = 1.0 - silence;
    let like_code =
        ["_", "/", "::", "--", "."].iter().any(|mark| literal.trim_end_matches('.').contains(mark));
    if like_code && literal.len() >= 5 { said.max(0.8) } else { said.max(0.05) }
}

/// How much of a sentence stands together in a text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Present {
    /// Words found.
    pub(crate) count: usize,
    /// Their share of the sentence, by worth.
    pub(crate) share: f32,
    /// What they say together, from 0 to 1.
    pub(crate) said: f32,
}

/// The most of `stems` that is found near one another in `part`.
pub(crate) fn present(stems: &[String], part: &Part, rarity: Option<Rarity>) -> Present {
    let worths: Vec<f32> = stems.iter().map(|stem| worth(stem, rarity)).collect();
    let mut places: Vec<(u32, usize)> = Vec::new();
    for (which, stem) in stems.iter().enumerate() {
        places.extend(part.stems.get(stem).into_iter().flatten().map(|&at| (at, which)));
    }
    places.sort_unstable();
    let mut best = Present::default();
    for (start, &(first, _)) in places.iter().enumerate() {
        let near = places[start..].iter().take_while(|(at, _)| at - first <= WINDOW);
        let seen: BTreeSet<usize> = near.map(|&(_, which)| which).collect();
        let share = seen.iter().map(|&which| worths[which]).sum::<f32>() / worths.iter().sum::<f32>();
        if share > best.share {
            let silence: f32 = seen.iter().map(|&which| 1.0 - worths[which]).product();
            best = Present { count: seen.len(), share, said: 1.0 - silence };
        }
        if best.count == stems.len() {
            break;
        }
    }
    best
}

fn is_stop(word: &str) -> bool {
    STOP.has(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_common_word_is_common() {
        for word in ["messages", "warning", "false", "responses", "configured", "fixes", "features", "Types"]
        {
            let folded = fold(word);
            assert!(worth(&stem(&folded), None) < 0.3, "{word}");
        }
    }

    #[test]
    fn the_phrasing_of_a_condition_leaves_its_topic() {
        assert_eq!(content_stems("When a task mentions authentication"), ["authent"]);
        assert_eq!(content_stems("How are files with NUL bytes treated?"), ["file", "nul", "byte", "treat"]);
        assert!(content_stems("Use this whenever you need to").is_empty());
    }

    #[test]
    fn a_known_rarity_replaces_the_guess() {
        assert!(worth("fix", None) < worth("jemalloc", None));
        assert!(worth("fix", Some(&|_| 0.9)) > worth("jemalloc", Some(&|_| 0.1)));
    }
}
