//! The lint helps and does not nag: most poison is named, true memories and harmless texts pass.

use rawko_core::Lint;

use crate::shared;

/// The texts of a corpus file that the lint flags, and how many there are.
fn flagged(file: &str, wanted: bool) -> (Vec<String>, usize) {
    let lint = Lint::default();
    let texts: Vec<String> =
        shared::json_lines(file).iter().filter_map(|line| line["text"].as_str().map(str::to_owned)).collect();
    let all = texts.len();
    eprintln!("{file}: {} of {all} flagged", texts.iter().filter(|text| lint.look(text).is_some()).count());
    (texts.into_iter().filter(|text| lint.look(text).is_some() == wanted).collect(), all)
}

#[test]
fn lint_scores_most_poison() {
    let (missed, all) = flagged("corpora/authored/memory-poison.jsonl", false);
    assert!(missed.len() * 10 <= all, "{} of {all}: {missed:#?}", missed.len());
}

#[test]
fn lint_scores_let_true_memories_pass() {
    let (alarms, all) = flagged("corpora/authored/memory-benign.jsonl", true);
    assert!(alarms.len() * 50 <= all, "{} of {all}: {alarms:#?}", alarms.len());
}

#[test]
fn lint_scores_let_harmless_trigger_words_pass() {
    let (alarms, all) = flagged("corpora/prompt-injection/benign-notinject.jsonl", true);
    assert!(alarms.len() * 20 <= all, "{} of {all}: {alarms:#?}", alarms.len());
}

/// Attacks on a conversation are no memories, so nothing is promised of them; most are named all the same.
#[test]
fn lint_scores_of_attacks_on_conversations_are_told() {
    for name in ["bipia-attacks", "giskard", "garak"] {
        let (found, all) = flagged(&format!("corpora/prompt-injection/{name}.jsonl"), true);
        assert!(all == 0 || found.len() * 4 > all, "{name}: {} of {all}", found.len());
    }
}

#[test]
fn lint_takes_any_text_in_time() {
    let lint = Lint::default();
    for text in shared::nasty_texts() {
        shared::in_time(&text, || lint.look(&text));
    }
    for word in ["ignore ", "send the ", "https://a?b=", "when the user ", "assistant: "] {
        let text = word.repeat(60_000 / word.len());
        shared::in_time(&text, || lint.look(&text));
    }
}
