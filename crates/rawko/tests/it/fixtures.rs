//! Proposals for forty-eight small invented projects, each labelled before it was first judged.
//!
//! `tests/fixtures/admission/<lot>/<project>` holds the project's files, what is known of it, what the session
//! was told and the proposals; a lot was written by one author. What admission makes of them is counted as the
//! evaluation counts it. They teach the linear models (`rawko-eval fit`), so the shares here say
//! that nothing was lost since, not what to expect of other projects: `docs/evaluation.md` tells that.

use std::fs;
use std::path::Path;

use rawko::{Circumstances, Decision, Draft, Engine, Proposal, Slug};
use serde_json::Value;

use crate::rig::now;

/// One proposal with its label and what became of it.
struct Outcome {
    id: String,
    expect: String,
    category: String,
    decision: &'static str,
    right: bool,
    leaked: bool,
    why: String,
}

/// A lot, and the least that must be told right of it: junk refused, keepers kept, updates, contradictions,
/// duplicates refused. The later lots are mostly cases that mislead.
const LOTS: [(&str, [f64; 5]); 20] = [
    ("broad-1", [0.98, 1.00, 1.00, 1.00, 0.91]),
    ("broad-2", [0.85, 1.00, 0.92, 0.71, 0.58]),
    ("broad-3", [0.90, 0.98, 0.92, 0.78, 0.91]),
    ("manner", [0.85, 1.00, 0.00, 0.00, 0.00]),
    ("relations-1", [1.00, 1.00, 0.90, 0.91, 1.00]),
    ("relations-2", [0.97, 1.00, 0.88, 0.95, 0.97]),
    ("relations-3", [0.85, 0.97, 0.88, 0.97, 0.85]),
    ("hard-1", [0.88, 0.96, 0.80, 0.86, 0.85]),
    ("hard-2", [0.84, 0.96, 0.85, 0.95, 0.78]),
    ("hard-3", [0.84, 0.96, 0.80, 0.77, 0.71]),
    ("plain-1", [0.92, 0.95, 0.92, 1.00, 0.70]),
    ("plain-2", [0.85, 0.97, 1.00, 1.00, 0.70]),
    ("plain-3", [0.83, 0.92, 0.85, 0.92, 0.50]),
    ("plain-4", [0.84, 0.97, 1.00, 1.00, 0.60]),
    ("plain-5", [0.86, 0.92, 1.00, 1.00, 0.40]),
    ("plain-6", [0.86, 0.92, 0.85, 0.91, 0.80]),
    ("plain-7", [0.95, 0.98, 1.00, 0.87, 0.80]),
    ("plain-8", [0.94, 0.98, 1.00, 1.00, 0.80]),
    ("plain-9", [0.83, 0.97, 0.77, 0.87, 0.57]),
    ("plain-10", [0.85, 0.97, 0.88, 0.93, 0.50]),
];

#[test]
fn proposals_of_other_projects_are_judged_as_labelled() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/admission");
    let mut short = Vec::new();
    for (lot, least) in LOTS {
        let projects = fs::read_dir(folder.join(lot)).expect("fixtures").flatten().map(|entry| entry.path());
        let all: Vec<Outcome> = projects.flat_map(|project| judged(&project)).collect();
        for one in all.iter().filter(|one| !one.right) {
            eprintln!("{} {} -> {}: {}", one.id, one.category, one.decision, one.why);
        }
        assert!(all.len() >= 100, "{lot}: {}", all.len());
        assert!(!all.iter().any(|one| one.leaked), "{lot}: a secret would be stored");
        let waits = |one: &&Outcome| one.expect == "pending" && !matches!(one.decision, "pending" | "refuse");
        assert_eq!(all.iter().filter(waits).count(), 0, "{lot}: orders became active");
        let mut share = |name: &str, of: &dyn Fn(&&Outcome) -> bool, least: f64| {
            let (right, count) =
                all.iter().filter(of).fold((0, 0), |(r, n), one| (r + usize::from(one.right), n + 1));
            eprintln!("{lot}, {name}: {right}/{count}");
            if (right as f64) < least * f64::from(count) {
                short.push(format!("{lot}, {name}: {right} of {count}, at least {least}"));
            }
        };
        share("junk refused", &|one| one.expect == "refuse", least[0]);
        share("keepers kept", &|one| one.expect == "accept", least[1]);
        share("updates", &|one| one.expect == "update", least[2]);
        share("contradictions", &|one| one.expect == "contradiction", least[3]);
        share("duplicates refused", &|one| one.category.starts_with("dup"), least[4]);
    }
    assert!(short.is_empty(), "{short:#?}");
}

fn judged(project: &Path) -> Vec<Outcome> {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let (work, home) = (scratch.path().join("work"), scratch.path().join("home"));
    copy(&project.join("repo"), &work);
    copy(&project.join("memories"), &work.join(".rawko/memories"));
    fs::create_dir_all(&home).expect("a home");
    fs::write(home.join("config.toml"), "[extract]\nautoApprove = \"all\"\n").expect("settings");
    let engine = Engine::create(&work, Some(&home), now()).expect("a store");
    engine.trust(&engine.questions().expect("questions")).expect("trusted");
    let engine = Engine::open(&work, Some(&home), now()).expect("stores");
    let injected = fs::read_to_string(project.join("injected.txt")).expect("a text");
    let cases = fs::read_to_string(project.join("candidates.jsonl")).expect("proposals");
    cases.lines().map(|line| judge(&engine, &injected, &with_secrets(line))).collect()
}

/// A case with its invented credentials, which no file holds in clear.
fn with_secrets(line: &str) -> Value {
    let case: Value = serde_json::from_str(line).expect("a case");
    let Some(secrets) = case["secret_b64"].as_object() else { return case };
    let mut line = line.to_owned();
    for (name, value) in secrets {
        let value = serde_json::to_string(&decode(value.as_str().unwrap_or_default())).expect("a text");
        line = line.replace(&format!("«{name}»"), value.trim_matches('"'));
    }
    serde_json::from_str(&line).expect("a case")
}

fn decode(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        bits = bits << 6 | DIGITS.iter().position(|known| *known == byte).expect("base64") as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    String::from_utf8(bytes).expect("text")
}

fn judge(engine: &Engine, injected: &str, case: &Value) -> Outcome {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let candidate = &case["candidate"];
    let draft = Draft::new(text(&candidate["memoryTitle"]), text(&candidate["content"]));
    let entry =
        draft.when(text(&candidate["frontmatter"]["whenToUse"][0])).by("developer").entry(engine.now());
    let update_of = candidate["updateOf"].as_str().and_then(|slug| Slug::parse(slug).ok());
    let proposal = Proposal { entry, update_of, reasoning: text(&candidate["reasoning"]) };
    let circumstances = Circumstances {
        is_persons: false,
        task: text(&case["input"]["task"]),
        output: text(&case["input"]["agentOutput"]),
        injected: injected.to_owned(),
        lowest: None,
        looked_through: true,
        wished: rawko::core::Wished::No,
    };
    let found = engine.consider(&proposal, &circumstances).expect("judged");
    let stored = if found.decision == Decision::Refuse { String::new() } else { found.entry.to_text() };
    let decision = found.decision.as_str();
    let aimed = found.target.as_ref().is_some_and(|slug| case["target"] == slug.as_str());
    let sound =
        |expected: &Value| expected == decision && (aimed || !matches!(decision, "update" | "contradiction"));
    let also = case["alsoOk"].as_array().is_some_and(|also| also.iter().any(sound));
    Outcome {
        id: text(&case["id"]),
        expect: text(&case["expect"]),
        category: text(&case["reason"]),
        decision,
        right: sound(&case["expect"]) || also,
        leaked: case["redact"].as_array().into_iter().flatten().any(|secret| stored.contains(&text(secret))),
        why: found.reason.to_string(),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).map(drop).expect("copied");
        }
    }
}
