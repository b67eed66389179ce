//! What people say in a session that is meant to last, and what is not.
//!
//! `tests/fixtures/said`: invented sessions, a file by each author, each with the sentences of the person that last. They
//! teach the model (`rawko-eval said`), so the counts here say that nothing was lost since; a fourth author's taught
//! nothing, and tell what to expect of others.

use std::fs;
use std::path::Path;

use rawko_core::{Run, Speaker, Step, extract_offline};
use serde_json::Value;

const UNSEEN: &str = "said-unseen.jsonl";

/// What came of some sessions.
#[derive(Debug, Default)]
struct Outcome {
    lasting: usize,
    heard: usize,
    silent: usize,
    quiet: usize,
    proposed: usize,
    right: usize,
}

fn run(case: &Value) -> Run {
    let mut run = Run::default();
    for message in case["messages"].as_array().expect("messages") {
        let text = message[1].as_str().expect("words").to_owned();
        let step = match message[0].as_str() {
            Some("person") => Step::Said { by: Speaker::Person, text },
            Some("agent") => Step::Said { by: Speaker::Agent, text },
            _ => {
                let (command, output) = text.split_once(" => ").unwrap_or((&text, ""));
                Step::Command { command: command.to_owned(), exit: Some(0), output: output.to_owned() }
            }
        };
        run.steps.push(step);
    }
    if let Some(Step::Said { text, .. }) = run.steps.first() {
        run.task.clone_from(text);
    }
    if let Some(Step::Said { by: Speaker::Agent, text }) = run.steps.last() {
        run.output.clone_from(text);
    }
    run
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Whether most words of one text stand in the other.
fn says(text: &str, sentence: &str) -> bool {
    let (text, sentence) = (words(text), words(sentence));
    let told = sentence.iter().filter(|word| text.contains(word)).count();
    told * 10 >= sentence.len() * 6
}

fn outcome(file: &str) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file);
    let mut outcome = Outcome::default();
    for line in fs::read_to_string(path).expect("fixtures").lines() {
        let case: Value = serde_json::from_str(line).expect("a case");
        let lasting: Vec<&str> =
            case["lasting"].as_array().expect("sentences").iter().filter_map(Value::as_str).collect();
        let run = run(&case);
        let agent = |text: &str| {
            run.steps
                .iter()
                .any(|step| matches!(step, Step::Said { by: Speaker::Agent, text: said } if says(said, text)))
        };
        // What the agent said of its work is another matter.
        let proposed: Vec<String> = extract_offline(&run, jiff::Timestamp::UNIX_EPOCH)
            .into_iter()
            .map(|proposal| proposal.entry.body)
            .filter(|body| !agent(body))
            .collect();
        for sentence in &lasting {
            let heard = proposed.iter().any(|body| says(body, sentence));
            outcome.heard += usize::from(heard);
            if !heard {
                eprintln!("{} not heard: {sentence}", case["id"]);
            }
        }
        for body in &proposed {
            let right = lasting.iter().any(|sentence| says(body, sentence));
            outcome.right += usize::from(right);
            if !right {
                eprintln!("{} should not last: {}", case["id"], body.trim());
            }
        }
        outcome.lasting += lasting.len();
        outcome.proposed += proposed.len();
        outcome.silent += usize::from(lasting.is_empty());
        outcome.quiet += usize::from(lasting.is_empty() && proposed.is_empty());
    }
    eprintln!("{file}: {outcome:?}");
    outcome
}

#[test]
fn what_people_say_to_keep_is_heard_and_little_else() {
    let least = [
        ("said/1.jsonl", 70, 53),
        ("said/2.jsonl", 58, 84),
        ("said/3.jsonl", 41, 55),
        ("said/4.jsonl", 45, 56),
        ("said/5.jsonl", 43, 63),
        (UNSEEN, 31, 61),
    ];
    for (file, heard, quiet) in least {
        let outcome = outcome(file);
        assert!(outcome.heard >= heard && outcome.quiet >= quiet, "{file}: {outcome:?}");
    }
}
