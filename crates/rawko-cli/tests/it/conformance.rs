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
const SMALL: &str = "a_session_under_two_hours_past_50_kb_is_named_with_a_remedy_that_works";
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
    ("importance", &["low", "medium", "high", "critical"], "every_level_of_importance_is_taken"),
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
            "status",
            "duration_ms",
            "iterations",
            "tokensUsed",
            "progress",
            "subTasks",
            "currentIssue",
            "nextStep",
        ],
        FILE,
    ),
    ("attempt, artifacts", &["path", "action", "status", "content"], FILE),
    ("attempt, tokensUsed", &["input", "output"], FILE),
    ("attempt", &["error", "lessons", "nextAttempt"], FAILED),
    ("attempt result", &["success", "failure", "partial", "in_progress"], WORDS),
    ("decision", &["type", "description", "reasoning", "impact", "reversible", "relatedDiscoveries"], FILE),
    ("decision", &["alternatives"], FAILED),
    ("decision type", &["architectural", "implementation", "skip", "workaround", "compromise"], WORDS),
    (
        "context",
        &[
            "currentPlanStep",
            "planStepStatus",
            "filesInScope",
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
    ("context, filesInScope", &["path", "status", "purpose"], FILE),
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
    ("size", &["Small session", "≤ 50 KB"], SMALL),
    ("size", &["Medium session", "≤ 100 KB", "Long session"], LARGE),
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

const EPISODES: &str = "episodes_are_written_as_the_origin_has_them_and_found_again";
const CLASSIC: &str = "the_classic_score_counts_as_the_origin_does";
const KEYS: &str = "a_key_is_learned_again_and_its_history_stays";
const RULE: &str = "a_rule_is_injected_where_its_condition_holds";
const WORKING: &str = "the_working_layer_lives_in_a_session_and_keeps_the_newest";
const COMPACT: &str = "compacting_sums_up_in_the_origins_form_and_undo_brings_all_back";
const CLEAR: &str = "clearing_asks_leaves_a_tombstone_and_can_be_undone";
const IMPORT: &str = "the_origins_files_are_imported_as_they_are_and_wait_for_the_person";
const RECORDED: &str = "runs_are_recorded_without_being_asked";
const DEFAULTS: &str = "the_defaults_are_the_origins";
const API: &str = "every_call_of_the_origin_works_on_the_library";

/// Each documented thing of the memory manager, in the origin's order.
const LAYERS: &[(&str, &[&str], &str)] = &[
    ("layer", &["working", "episodic", "semantic", "procedural"], DEFAULTS),
    ("working", &["maxWorkingEntries", "Auto-trimmed"], WORKING),
    ("append", &["append", "MemoryType", "MemoryEntry"], EPISODES),
    ("append", &["metadata.key"], KEYS),
    ("append", &["metadata.condition"], RULE),
    ("search", &["search", "limit"], API),
    ("search", &["2 points per occurrence", "1 point", "Recency bonus", "zero-score"], CLASSIC),
    ("learn", &["learn", "overwritten"], KEYS),
    ("recall", &["recall", "null"], KEYS),
    ("compact", &["compact", "keepLast", "summarizeOlder", "[Summary of 15 entries]"], COMPACT),
    ("compact", &["rules only"], "rules_past_the_newest_are_retired_and_their_files_stay"),
    ("compact", &["CompactOptions"], DEFAULTS),
    (
        "statistics",
        &[
            "getStats",
            "MemoryStats",
            "workingMemoryTokens",
            "episodicEntryCount",
            "semanticEntryCount",
            "proceduralRuleCount",
            "totalStorageBytes",
        ],
        API,
    ),
    ("clear", &["clear"], CLEAR),
    ("direct access", &["getWorkingMemory", "getEpisodicMemory"], API),
    ("entry", &["id", "timestamp", "content", "metadata"], EPISODES),
    ("knowledge", &["KnowledgeEntry", "key", "value"], KEYS),
    ("rule", &["ProceduralRule", "condition", "action"], RULE),
    ("files", &["episodic.json", "semantic.json", "procedural.json", "Map.entries()"], IMPORT),
    ("planned", &["AgentRuntime integration", "prompt and result summary"], RECORDED),
    ("planned", &["Memory-augmented prompts"], "a_sub_agent_shares_its_parents_store_and_hears_its_memories"),
    (
        "planned",
        &["LLM-powered compaction"],
        "a_provider_sums_up_and_where_it_fails_the_local_form_stands_in",
    ),
    ("planned", &["Cross-session learning"], "knowledge_is_proposed_from_episodes_through_admission"),
    ("planned", &["Procedural rule application"], RULE),
    ("planned", &["Lazy loading"], "opening_the_layers_reads_nothing"),
    (
        "planned",
        &["cross-agent memory sharing"],
        "a_sub_agent_shares_its_parents_store_and_hears_its_memories",
    ),
];

const START: &str = "<!-- session: made by a test -->";
const END: &str = "<!-- session: end -->";
const LAYERS_START: &str = "<!-- layers: made by a test -->";
const LAYERS_END: &str = "<!-- layers: end -->";

type Rows = &'static [(&'static str, &'static [&'static str], &'static str)];

fn table(rows: Rows, start: &str, end: &str) -> String {
    let mut out = format!("{start}\n\n| part | documented | test |\n|---|---|---|\n");
    for (part, words, test) in rows {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        out.push_str(&format!("| {part} | {} | `{test}` |\n", words.join(" ")));
    }
    out + "\n" + end
}

/// The text of an origin document, where it is on this machine.
fn origin(number: &str) -> Option<String> {
    let documents = fs::read_dir(corpus("../seeds")?).expect("documents").flatten();
    let documents = documents.filter(|entry| entry.file_name().to_string_lossy().starts_with(number));
    Some(documents.map(|entry| fs::read_to_string(entry.path()).expect("a document")).collect())
}

fn every_test_is_there(rows: Rows) {
    let mut code = String::new();
    sources(&workspace().join("crates"), &mut code);
    for (part, _, test) in rows {
        // Indented where it is in a module of its own file.
        let named = [format!("\nfn {test}()"), format!("\n    fn {test}()")];
        assert!(named.iter().any(|named| code.contains(named)), "{part}: no test is named `{test}`");
    }
}

/// Holds the page against what the test would write; `RAWKO_BLESS` writes it.
fn page_has(rows: Rows, start: &str, end: &str) {
    let path = workspace().join("docs/conformance.md");
    let text = fs::read_to_string(&path).expect("docs/conformance.md");
    let (before, rest) = text.split_once(start).expect("the table's start");
    let (_, after) = rest.split_once(end).expect("the table's end");
    let made = format!("{before}{}{after}", table(rows, start, end));
    if std::env::var_os("RAWKO_BLESS").is_some() {
        fs::write(&path, &made).expect("written");
    } else {
        assert_eq!(text, made, "docs/conformance.md is old: RAWKO_BLESS=1 cargo test conformance");
    }
}

#[test]
fn conformance_of_the_four_layers() {
    every_test_is_there(LAYERS);
    if let Some(origin) = origin("004") {
        for word in LAYERS.iter().flat_map(|(_, words, _)| *words) {
            let found = origin.contains(word) || origin.to_lowercase().contains(&word.to_lowercase());
            assert!(found, "the origin has no `{word}`");
        }
        for name in names(&origin) {
            let known = LAYERS.iter().any(|(_, words, _)| words.contains(&name.as_str()));
            // The interface of all calls, and names in examples.
            let of_example =
                ["IMemoryManager", "type", "entry", "query", "opts", "knowledge", "agentId", "task"];
            assert!(known || of_example.contains(&name.as_str()), "`{name}` of the origin is in no row");
        }
    }
    page_has(LAYERS, LAYERS_START, LAYERS_END);
}

/// Every field, type and call that the origin's TypeScript declares.
fn names(origin: &str) -> Vec<String> {
    let mut names = Vec::new();
    for example in origin.split("\n```typescript\n").skip(1).filter_map(|part| part.split("\n```").next()) {
        for line in example.lines() {
            let line = line.trim().split("//").next().unwrap_or_default();
            let declared = line.strip_prefix("interface ").or(line.strip_prefix("type "));
            if let Some(name) = declared.and_then(|rest| rest.split_whitespace().next()) {
                names.push(name.to_owned());
            } else if let Some((name, _)) = line.split_once(':') {
                let name = name.split('(').next().unwrap_or_default().trim_end_matches('?');
                let name = name.rsplit(['.', ' ']).next().unwrap_or_default();
                names.extend(
                    (!name.is_empty() && name.chars().all(char::is_alphanumeric)).then(|| name.to_owned()),
                );
            }
        }
    }
    names
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
    every_test_is_there(SESSION);
    if let Some(origin) = origin("002") {
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
    page_has(SESSION, START, END);
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
