//! What the origin documents promise, each with the test that shows it: `docs/conformance.md`.
//!
//! `RAWKO_BLESS=1 cargo test conformance` writes the table anew.

use std::fs;
use std::path::Path;

use crate::sandbox::{corpus, workspace};

const FILE: &str = "every_field_of_the_origin_has_its_place";
const FAILED: &str = "a_failed_attempt_and_alternatives_as_texts_are_read_as_the_origin_has_them";
const WORDS: &str = "every_word_of_the_origins_enumerations_is_known";
const PROMPT: &str = "the_agents_prompt_has_five_discoveries_three_failures_the_step_and_the_blockers";
const ARBITER: &str = "the_arbiter_gets_the_last_attempt_of_each_agent_that_tried_something";
const COMMANDS: &str = "a_session_has_its_five_files_and_every_command_adds_to_them";
const LARGE: &str = "a_file_past_100_kb_is_archived_and_doctor_says_what_is_too_large";
const ARCHIVE: &str = "archiving_moves_what_is_older_as_it_stands_and_says_what_it_was";
const VERSIONS: &str = "a_newer_version_is_refused_and_older_ones_are_brought_up_to_date";
const VALIDATE: &str = "validate_names_line_column_and_remedy";

/// Each documented thing of the session memory, in the origin's order: the word in the document, and its test.
const SESSION: &[(&str, &[&str], &str)] = &[
    (
        "files",
        &["context.yaml", "conversation.yaml", "plan.yaml", "metadata.yaml", "agent-memory.yaml"],
        COMMANDS,
    ),
    ("head", &["version", "schema", "sessionId", "agent", "createdAt"], FILE),
    ("discovery", &["id", "timestamp", "type", "importance", "content", "relatedFiles", "actionItems"], FILE),
    ("importance", &["low", "medium", "high", "critical"], VALIDATE_WORDS),
    (
        "discovery type",
        &[
            "codebase_structure",
            "dependency_check",
            "code_pattern",
            "api_surface",
            "data_model",
            "complexity_assessment",
            "failure_cause",
            "solution_verified",
        ],
        WORDS,
    ),
    (
        "attempt",
        &[
            "planStep",
            "description",
            "approach",
            "commands",
            "result",
            "output",
            "artifacts",
            "path",
            "action",
            "status",
            "duration_ms",
            "iterations",
            "tokensUsed",
            "input",
            "progress",
            "subTasks",
            "currentIssue",
            "nextStep",
        ],
        FILE,
    ),
    ("attempt", &["error", "lessons", "nextAttempt"], FAILED),
    ("attempt result", &["success", "failure", "partial", "in_progress"], WORDS),
    ("decision", &["reasoning", "impact", "reversible", "relatedDiscoveries"], FILE),
    ("decision", &["alternatives"], FAILED),
    ("decision type", &["architectural", "implementation", "skip", "workaround", "compromise"], WORDS),
    (
        "context",
        &[
            "currentPlanStep",
            "planStepStatus",
            "filesInScope",
            "purpose",
            "codebaseUnderstanding",
            "mainLanguage",
            "runtime",
            "framework",
            "existingPatterns",
            "taskContext",
            "constraints",
            "openQuestions",
            "nextSteps",
            "blockers",
            "assumptions",
        ],
        FILE,
    ),
    (
        "when to update",
        &["On discovery", "On attempt start", "On attempt completion", "On decision"],
        COMMANDS,
    ),
    ("function", &["buildAgentSystemPrompt", "formatMemoryContext"], PROMPT),
    ("function", &["buildArbiterSelectPrompt"], ARBITER),
    (
        "examples",
        &["Discovery Flow", "Failed Attempt", "Architecture Decision"],
        "every_yaml_example_of_the_origin_is_read_and_keeps_its_comments_when_changed",
    ),
    ("size", &["Small session", "Medium session", "Long session"], LARGE),
    ("archive", &["last 2 hours", "history", "agent-memory-archive.yaml"], ARCHIVE),
    ("versioning", &["Increment version", "Keep old versions readable"], VERSIONS),
    ("validation", &["Validate syntax", "Validate structure"], VALIDATE),
    ("integration", &["Agent initialization", "During execution", "On completion"], COMMANDS),
    (
        "integration",
        &["Arbiter decisions", "Debugging"],
        "an_agent_and_an_arbiter_are_told_what_the_origin_tells_them",
    ),
];

const VALIDATE_WORDS: &str = "what_cannot_be_done_is_said_with_what_to_do";
const START: &str = "<!-- session: made by a test -->";
const END: &str = "<!-- session: end -->";

fn table() -> String {
    let mut out = format!("{START}\n\n| part | documented | test |\n|---|---|---|\n");
    for (part, words, test) in SESSION {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        out.push_str(&format!("| {part} | {} | `{test}` |\n", words.join(" ")));
    }
    out + "\n" + END
}

/// Every Rust file of the crates.
fn sources(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            all.push_str(&fs::read_to_string(path).expect("a source file"));
        }
    }
}

#[test]
fn conformance_of_the_session_memory() {
    let mut code = String::new();
    sources(&workspace().join("crates"), &mut code);
    for (part, _, test) in SESSION {
        assert!(code.contains(&format!("\nfn {test}()")), "{part}: no test is named `{test}`");
    }
    if let Some(seeds) = corpus("../seeds") {
        let origin = fs::read_dir(seeds).expect("documents").flatten();
        let origin = origin.filter(|entry| entry.file_name().to_string_lossy().starts_with("002"));
        let origin: String =
            origin.map(|entry| fs::read_to_string(entry.path()).expect("a document")).collect();
        for word in SESSION.iter().flat_map(|(_, words, _)| *words) {
            assert!(origin.contains(word), "the origin has no `{word}`");
        }
        for key in keys(&origin) {
            let known = SESSION.iter().any(|(_, words, _)| words.contains(&key.as_str()));
            // Names of things in the example task, and of an alternative's two fields, which `alternatives` shows.
            let of_example = [
                "authType",
                "passwordHashing",
                "tokenExpiration",
                "name",
                "reason",
                "discoveries",
                "attempts",
                "decisions",
                "context",
            ];
            assert!(known || of_example.contains(&key.as_str()), "`{key}` of the origin is in no row");
        }
    }
    let path = workspace().join("docs/conformance.md");
    let text = fs::read_to_string(&path).expect("docs/conformance.md");
    let (before, rest) = text.split_once(START).expect("the table's start");
    let (_, after) = rest.split_once(END).expect("the table's end");
    let made = format!("{before}{}{after}", table());
    if std::env::var_os("RAWKO_BLESS").is_some() {
        fs::write(&path, &made).expect("written");
    } else {
        assert_eq!(text, made, "docs/conformance.md is old: RAWKO_BLESS=1 cargo test conformance");
    }
}

/// Every key of the origin's YAML examples.
fn keys(origin: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for example in origin.split("\n```yaml\n").skip(1).filter_map(|part| part.split("\n```\n").next()) {
        let mut block: Option<usize> = None;
        for line in example.lines().filter(|line| !line.trim().is_empty()) {
            let indent = line.len() - line.trim_start().len();
            if block.is_some_and(|outer| indent > outer) {
                continue;
            }
            block = line
                .trim_end()
                .ends_with('|')
                .then_some(indent + if line.trim_start().starts_with("- ") { 2 } else { 0 });
            let text = line.trim_start().trim_start_matches("- ");
            if let Some((key, rest)) = text.split_once(':')
                && (rest.is_empty() || rest.starts_with(' '))
                && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            {
                keys.push(key.to_owned());
            }
        }
    }
    keys
}
