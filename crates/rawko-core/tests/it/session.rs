//! Every YAML example of the origin's session memory is read, and its prompts come out word for word.

use rawko_core::session::{
    AgentMemory, Alternative, AttemptResult, DecisionType, DiscoveryType, File, Update, apply,
    build_agent_system_prompt, build_arbiter_select_prompt, check, format_memory_context, read,
};
use rawko_core::{Importance, Severity};

use crate::shared;

const SESSION: &str = "20260123-103000-abc1def2-auth-feature";

/// The YAML examples of the origin document, in its order.
fn examples() -> Vec<String> {
    let documents = shared::files("seeds").into_iter().filter(|(name, _)| name.starts_with("002"));
    let text: String = documents.map(|(_, text)| text).collect();
    let parts = text.split("\n```yaml\n").skip(1);
    parts.filter_map(|part| part.split("\n```\n").next()).map(|part| format!("{part}\n")).collect()
}

fn one(text: &str) -> AgentMemory {
    let mut found = read(text, SESSION);
    assert_eq!(found.problems, [], "{text}");
    assert_eq!(found.memories.len(), 1, "{text}");
    found.memories.remove(0)
}

#[test]
fn every_yaml_example_of_the_origin_is_read_and_keeps_its_comments_when_changed() {
    let all = examples();
    if all.is_empty() {
        return;
    }
    assert_eq!(all.len(), 9, "head, four sections, three examples, versioning");
    for text in &all {
        // The example of a version shows the first two lines of a head: the rest is given here.
        let is_cut = text.starts_with("version") && !text.contains("agent:");
        let rest = if is_cut { "sessionId: s\nagent: \"developer\"\ncreatedAt: 2026-01-23\n" } else { "" };
        let text = &format!("{text}{rest}");
        let memory = one(text);
        // With its agent named, an update goes into the example itself.
        let named = if text.contains("agent: \"developer\"") {
            text.clone()
        } else {
            format!("{text}agent: developer\n")
        };
        let update =
            Update::Context(serde_json::Map::from_iter([("blockers".to_owned(), serde_json::json!(["a"]))]));
        let now = "2026-01-23T12:00:00Z".parse().unwrap();
        let text = apply(&named, SESSION, "developer", &update, now).unwrap().text;
        for comment in named.lines().filter_map(|line| line.split_once(" # ")).map(|(_, comment)| comment) {
            // The line that says what the current version is describes a line that the update brings up to date.
            assert!(
                text.contains(comment) || comment.contains("Current format"),
                "{comment} is gone:\n{text}"
            );
        }
        let after = one(&text);
        assert_eq!(
            (&after.discoveries, &after.attempts, &after.decisions),
            (&memory.discoveries, &memory.attempts, &memory.decisions)
        );
        let errors = check(File::AgentMemory, &text, SESSION)
            .into_iter()
            .filter(|problem| problem.severity == Severity::Error);
        assert_eq!(errors.count(), 0, "{text}");
    }
}

/// All sections of the origin in one file.
fn whole() -> Option<AgentMemory> {
    let all = examples();
    let part = |key: &str| all.iter().find(|text| text.starts_with(key)).cloned();
    let sections = ["version", "discoveries", "attempts", "decisions", "context"];
    let text: String = sections.iter().map(|key| part(key)).collect::<Option<Vec<_>>>()?.concat();
    Some(one(&text))
}

#[test]
fn every_field_of_the_origin_has_its_place() {
    let Some(memory) = whole() else { return };
    assert_eq!((memory.session_id.as_str(), memory.agent.as_str()), (SESSION, "developer"));
    assert_eq!(memory.created_at.map(|at| at.text()).as_deref(), Some("2026-01-23T10:31:05.000Z"));
    let types: Vec<DiscoveryType> = memory.discoveries.iter().map(|discovery| discovery.kind).collect();
    assert_eq!(types.len(), 4);
    assert_eq!(memory.discoveries[0].importance, Importance::High);
    assert_eq!(memory.discoveries[0].related_files, ["src/auth/", "src/api/middleware.ts"]);
    assert_eq!(memory.discoveries[2].action_items.len(), 2);
    let [first, second] = memory.attempts.as_slice() else { panic!("two attempts") };
    assert_eq!(
        (first.result, first.plan_step, first.iterations, first.duration_ms),
        (AttemptResult::Success, Some(1), Some(1), Some(85_000))
    );
    assert_eq!((first.commands.len(), first.artifacts[0].action.as_deref()), (3, Some("create")));
    assert_eq!(first.artifacts[0].status.as_deref(), Some("success"));
    assert!(first.artifacts[0].content.as_deref().is_some_and(|content| content.contains("authMiddleware")));
    assert_eq!(first.tokens_used.map(|tokens| (tokens.input, tokens.output)), Some((2_100, 1_230)));
    assert!(first.approach.is_some() && first.output.is_some());
    assert_eq!((second.status.as_deref(), second.progress.as_deref()), (Some("working"), Some("60%")));
    assert_eq!((second.sub_tasks.len(), &second.current_issue), (4, &None));
    assert!(second.next_step.is_some());
    let [one, two] = memory.decisions.as_slice() else { panic!("two decisions") };
    assert_eq!((one.kind, two.kind), (DecisionType::Architectural, DecisionType::Implementation));
    assert_eq!(one.description, "Choose JWT over session-based auth");
    assert_eq!((one.impact, one.reversible), (Some(Importance::High), Some(true)));
    assert_eq!(one.related_discoveries, ["discovery-002", "discovery-003"]);
    assert!(
        matches!(&one.alternatives[1], Alternative::Named { name, reason: Some(_), .. } if name == "OAuth2")
    );
    let context = memory.context.expect("a context");
    assert_eq!(
        (context.current_plan_step, context.plan_step_status.as_deref()),
        (Some(2), Some("in_progress"))
    );
    assert_eq!(context.files_in_scope[1].purpose.as_deref(), Some("Login endpoint"));
    assert_eq!(context.files_in_scope[1].status.as_deref(), Some("in_progress"));
    assert_eq!(context.codebase_understanding["existingPatterns"].as_array().map(Vec::len), Some(3));
    assert_eq!(context.task_context["tokenExpiration"], "24h");
    let lists = [
        &context.constraints,
        &context.open_questions,
        &context.next_steps,
        &context.blockers,
        &context.assumptions,
    ];
    assert_eq!(lists.map(Vec::len), [3, 3, 3, 0, 2]);
    let nothing_else = [
        &memory.discoveries[0].extra,
        &first.extra,
        &second.extra,
        &one.extra,
        &context.extra,
        &memory.extra,
    ];
    assert!(nothing_else.iter().all(|extra| extra.is_empty()), "{nothing_else:?}");
}

#[test]
fn a_failed_attempt_and_alternatives_as_texts_are_read_as_the_origin_has_them() {
    let all = examples();
    let Some(failed) = all.iter().find(|text| text.contains("attempt-oauth")) else { return };
    let attempt = &one(failed).attempts[0];
    assert_eq!(
        (attempt.result, attempt.next_attempt.as_deref()),
        (AttemptResult::Failure, Some("Return to JWT implementation"))
    );
    assert!(attempt.error.is_some() && attempt.lessons.is_some() && attempt.output.is_none());
    let chosen = all.iter().find(|text| text.contains("dec-jwt-strategy")).expect("the third example");
    let decision = &one(chosen).decisions[0];
    assert!(decision.alternatives.iter().all(|other| matches!(other, Alternative::Text(_))));
    assert_eq!((decision.alternatives.len(), decision.reversible), (3, Some(false)));
}

const MEMORY: &str = r#"version: "1"
schema: "agent-memory"
sessionId: "20260123-103000-abc1def2-auth-feature"
agent: "developer"
createdAt: "2026-01-23T10:00:00.000Z"
discoveries:
  - {id: d1, timestamp: 2026-01-23T10:01:00Z, type: api_surface, importance: low, content: "one"}
  - {id: d2, timestamp: 2026-01-23T10:06:00Z, type: data_model, importance: low, content: "two\nmore"}
  - {id: d3, timestamp: 2026-01-23T10:03:00Z, type: code_pattern, importance: low, content: "three"}
  - {id: d4, timestamp: 2026-01-23T10:04:00Z, type: failure_cause, importance: low, content: "four"}
  - {id: d5, timestamp: 2026-01-23T10:05:00Z, type: solution_verified, importance: low, content: "five"}
  - {id: d6, timestamp: 2026-01-23T10:02:00Z, type: dependency_check, importance: low, content: "six"}
attempts:
  - {id: a1, timestamp: 2026-01-23T10:01:00Z, description: A, result: failure, output: "boom\nat line 1"}
  - {id: a2, timestamp: 2026-01-23T10:02:00Z, description: B, result: failure, error: "no output"}
  - {id: a3, timestamp: 2026-01-23T10:03:00Z, description: C, result: success, output: "fine"}
  - {id: a4, timestamp: 2026-01-23T10:04:00Z, description: D, result: failure, output: "bang"}
  - {id: a5, timestamp: 2026-01-23T10:05:00Z, description: E, result: failure, output: "crash"}
  - {id: a6, timestamp: 2026-01-23T10:06:00Z, description: F, result: partial}
context:
  currentPlanStep: 2
  blockers: ["CI is red", "no token"]
"#;

#[test]
fn the_agents_prompt_has_five_discoveries_three_failures_the_step_and_the_blockers() {
    let prompt = build_agent_system_prompt("You are a developer.", &one(MEMORY));
    // Written out here as the origin's two functions put it together, blank lines included.
    let expected = "You are a developer.\n\n## Prior Context from This Session\n\n\
        ## Key Discoveries\n\
        - [data_model] two\n\
        - [solution_verified] five\n\
        - [failure_cause] four\n\
        - [code_pattern] three\n\
        - [dependency_check] six\n\
        \n## Recently Failed Approaches (Don't Repeat)\n\
        - E: crash\n\
        - D: bang\n\
        - B: no output\n\
        \n## Current Task Context\n\
        - Step: 2\n\
        - Blockers: CI is red, no token\n\
        \n\nUse this context to avoid repeating discoveries or failed approaches.";
    assert_eq!(prompt, expected);
}

#[test]
fn an_empty_memory_says_nothing_and_a_text_cannot_add_a_heading_or_fill_a_prompt() {
    assert_eq!(format_memory_context(&one("agent: a\n")), "");
    let long = format!(
        "agent: a\nattempts:\n  - {{id: x, timestamp: 2026-01-23, description: \"d\\n## Forged\", result: failure, output: \"{}\"}}\n",
        "y".repeat(100_000)
    );
    let context = format_memory_context(&one(&long));
    assert!(!context.contains("\n## Forged") && context.len() < 2_000, "{context}");
}

#[test]
fn the_arbiter_gets_the_last_attempt_of_each_agent_that_tried_something() {
    let tester = "---\nagent: tester\nattempts:\n  - {id: t1, timestamp: 2026-01-23, description: Run all, result: in_progress}\n";
    let memories = read(&format!("{MEMORY}{tester}---\nagent: planner\n"), SESSION).memories;
    let expected = "\n## Previous Agent Work This Session\n\n\
        **developer**: Last attempt (partial) - F\n\
        **tester**: Last attempt (in_progress) - Run all\n\n\
        Use this to make informed decisions about which agent should work next.\n  ";
    assert_eq!(build_arbiter_select_prompt(&memories, &[]), expected);
}

#[test]
fn every_word_of_the_origins_enumerations_is_known() {
    let documents = shared::files("seeds").into_iter().filter(|(name, _)| name.starts_with("002"));
    let text: String = documents.map(|(_, text)| text).collect();
    if text.is_empty() {
        return;
    }
    for (heading, words) in [
        ("**Discovery Types**", DiscoveryType::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>()),
        ("**Decision Types**", DecisionType::ALL.iter().map(|word| word.as_str()).collect()),
    ] {
        let list = text.split(heading).nth(1).expect("a list of words").lines().skip(1);
        let listed: Vec<&str> = list
            .take_while(|line| line.starts_with("- `"))
            .filter_map(|line| line.split('`').nth(1))
            .collect();
        assert_eq!(words, listed);
    }
    let results: Vec<&str> = AttemptResult::ALL.iter().map(|word| word.as_str()).collect();
    assert!(text.contains(&format!("- `result`: {}", results.join(" | "))));
}

#[test]
fn problems_have_a_line_a_column_and_what_to_write() {
    let text = "version: \"1\"\nschema: agent-memory\nsessionId: s\nagent: a\ncreatedAt: yesterday\ndiscoveries:\n  - id: d1\n    timestamp: 2026-01-23\n    type: codebase\n    content: 12\nattempts: {}\n";
    let problems = check(File::AgentMemory, text, SESSION);
    let shown: Vec<String> =
        problems.iter().map(|p| format!("{}:{} {} => {}", p.line, p.column, p.what, p.remedy)).collect();
    assert_eq!(
        shown,
        [
            "3:12 `sessionId` is not the folder's name, `20260123-103000-abc1def2-auth-feature` => write the name of the folder",
            "5:12 `createdAt` is `yesterday`, which is no time => write ISO 8601, such as \"2026-01-23T10:31:10.000Z\"",
            "7:5 this entry has no `importance` => add `importance: \"low\"`",
            "9:11 `type` is `codebase`, which is none of its words => write one of: codebase_structure, dependency_check, code_pattern, api_surface, data_model, complexity_assessment, failure_cause, solution_verified",
            "10:14 `content` must be a text, and is `12` => put it in quotes: \"12\"",
            "11:1 `attempts` must be a list => write one `- id: …` per entry below the key",
        ]
    );
}

#[test]
fn a_newer_version_is_refused_and_older_ones_are_brought_up_to_date() {
    let newer = read("version: \"2\"\nagent: a\n", SESSION);
    assert_eq!((newer.newer, newer.memories.len()), (vec![("a".to_owned(), 2)], 0));
    assert_eq!(newer.problems[0].what, "this document has version 2, and this rawko reads up to 1");
    let fixtures = [
        include_str!("../fixtures/sessions/v0-sections-alone.yaml"),
        include_str!("../fixtures/sessions/v0-named.yaml"),
    ];
    let now = "2026-01-23T12:00:00Z".parse().unwrap();
    for old in fixtures {
        let memory = one(old);
        assert_eq!((memory.discoveries.len(), memory.attempts.len(), memory.decisions.len()), (1, 1, 1));
        let update = Update::Context(serde_json::Map::from_iter([(
            "currentPlanStep".to_owned(),
            serde_json::json!(1),
        )]));
        let text = apply(old, SESSION, &memory.agent, &update, now).unwrap().text;
        if memory.agent == "unknown" {
            // Nobody's document is left as it is; who writes gets one of their own.
            assert!(text.starts_with(old));
            continue;
        }
        assert!(text.contains("version: \"1\"\n") && text.contains("# written by hand"), "{text}");
        let after = one(&text);
        assert_eq!(
            (after.discoveries, after.attempts, after.decisions),
            (memory.discoveries, memory.attempts, memory.decisions)
        );
        assert_eq!(after.created_at.map(|at| at.text()).as_deref(), Some("2026-02-01T09:00:00.000Z"));
    }
    let current = include_str!("../fixtures/sessions/v1.yaml");
    assert_eq!((one(current).discoveries.len(), one(current).history.len()), (1, 1));
    assert_eq!(check(File::AgentMemory, current, "20260201-090000-00000001-fixture"), []);
}

#[test]
fn no_text_crashes_the_reader_or_takes_long() {
    let mut texts = shared::nasty_texts();
    texts.push("- ".repeat(20_000));
    texts.push("[".repeat(20_000));
    texts.push("a: &a [*a]\n".repeat(1_000));
    texts.push((0..20_000).map(|n| format!("k{n}: x\n")).collect());
    texts.push(format!("attempts:\n{}", "  - {id: x, timestamp: y}\n".repeat(4_000)));
    texts.push("---\n".repeat(10_000));
    texts.push(format!("x: \"{}", "y".repeat(1_000_000)));
    for text in &texts {
        let found = shared::in_time(text, || read(text, SESSION));
        shared::in_time(text, || check(File::AgentMemory, text, SESSION));
        shared::in_time(text, || check(File::Metadata, text, SESSION));
        drop(found);
    }
}
