//! Proposals for nine small invented projects, each labelled before it was first judged.
//!
//! `tests/fixtures/admission/<project>` holds the project's files, what is known of it, what the session
//! was told and the proposals. What admission makes of them is counted as the evaluation
//! counts it, so that a rule which only fits one set of texts is seen.

use std::fs;
use std::path::{Path, PathBuf};

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

#[test]
fn proposals_of_other_projects_are_judged_as_labelled() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/admission");
    let mut projects: Vec<PathBuf> =
        fs::read_dir(folder).expect("fixtures").flatten().map(|entry| entry.path()).collect();
    projects.sort();
    let all: Vec<Outcome> = projects.iter().flat_map(|project| judged(project)).collect();
    for one in all.iter().filter(|one| !one.right) {
        eprintln!("{} {} -> {}: {}", one.id, one.category, one.decision, one.why);
    }
    assert!(all.len() >= 230, "{}", all.len());
    assert!(!all.iter().any(|one| one.leaked), "a secret would be stored");
    let active =
        all.iter().filter(|one| one.expect == "pending" && !matches!(one.decision, "pending" | "refuse"));
    assert_eq!(active.count(), 0, "orders became active");
    let share = |name: &str, of: &dyn Fn(&&Outcome) -> bool, least: f64| {
        let (right, count) =
            all.iter().filter(of).fold((0, 0), |(r, n), one| (r + usize::from(one.right), n + 1));
        eprintln!("{name}: {right}/{count}");
        assert!(right as f64 >= least * f64::from(count), "{name}: {right} of {count}, at least {least}");
    };
    share("junk refused", &|one| one.expect == "refuse", 0.95);
    share("keepers kept", &|one| one.expect == "accept", 0.92);
    share("updates", &|one| one.expect == "update", 0.80);
    share("contradictions", &|one| one.expect == "contradiction", 0.85);
    share("duplicates refused", &|one| one.category.starts_with("dup"), 0.85);
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
    cases
        .lines()
        .map(|line| judge(&engine, &injected, &serde_json::from_str(line).expect("a case")))
        .collect()
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
        task: text(&case["input"]["task"]),
        output: text(&case["input"]["agentOutput"]),
        injected: injected.to_owned(),
        lowest: None,
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
