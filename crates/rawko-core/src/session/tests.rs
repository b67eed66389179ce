//! What writing and changing promise, for values and texts of every kind.

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::yaml;

const SESSION: &str = "20260123-103000-abc1def2-auth-feature";

fn at(time: &str) -> Timestamp {
    time.parse().expect("a time")
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~\n\t]{0,60}",
        "([a-z #:'\"|>-]{0,9}\n){0,5}",
        r"[\n\r \t\u{85}\u{2028}\u{feff}\u{0}\u{1b}a#:-]{0,12}",
        Just("---".to_owned()),
        Just("~".to_owned()),
        Just("0x10\n# not a comment\n".to_owned()),
        Just("null".to_owned()),
        Just("1e3".to_owned()),
        Just("<<".to_owned()),
        "[a-z]{1020,1100}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no such number", |n| n.is_finite()).prop_map(Value::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn back(text: &str) -> Value {
    let node = yaml::document(text, &read::LIMITS).unwrap_or_else(|problem| panic!("{problem:?}\n{text}"));
    node.map_or(Value::Object(Map::new()), |node| node.json().expect("a value"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if option_env!("RAWKO_FULL").is_some() { 40_000 } else { 600 }))]

    #[test]
    fn what_is_written_reads_back(fields in prop::collection::vec((text(), value()), 1..5)) {
        let map: Map<String, Value> = fields.into_iter().collect();
        prop_assert_eq!(back(&emit::fields(&map, 0)), Value::Object(map));
    }

    #[test]
    fn an_update_adds_its_entry_and_nothing_else(before in text(), content in text(), extra in value()) {
        let text = format!("# kept\n{}", edit::whole(&json!({
            "version": "1", "schema": "agent-memory", "sessionId": SESSION, "agent": "developer",
            "createdAt": "2026-01-23T10:31:05.000Z",
            "discoveries": [{ "id": "discovery-007", "timestamp": "2026-01-23T10:31:05.000Z", "content": before }],
            "mine": extra,
        }).as_object().cloned().unwrap_or_default(), false));
        let updated = apply(&text, SESSION, "developer", &discover(&content), at("2026-01-23T11:00:00Z")).expect("an update");
        prop_assert_eq!(&updated.id, "discovery-008");
        prop_assert!(updated.text.starts_with("# kept\n"), "{}", updated.text);
        let (was, mut is) = (back(&text), back(&updated.text));
        let added = is["discoveries"].as_array_mut().and_then(Vec::pop).unwrap_or_default();
        prop_assert_eq!(&added["content"], content.as_str());
        prop_assert_eq!(is, was);
    }
}

fn discover(content: &str) -> Update {
    Update::Discover(Discovery {
        id: String::new(),
        timestamp: Moment(Timestamp::UNIX_EPOCH),
        kind: DiscoveryType::CodePattern,
        importance: crate::Importance::High,
        content: content.to_owned(),
        related_files: Vec::new(),
        action_items: Vec::new(),
        extra: Map::new(),
    })
}

fn start(description: &str) -> Update {
    let attempt =
        json!({ "id": "", "timestamp": "1970-01-01", "description": description, "result": "in_progress" });
    Update::Start(serde_json::from_value(attempt).expect("an attempt"))
}

/// Applies changes one after the other, a minute apart.
fn after(text: &str, changes: &[(&str, Update)]) -> String {
    let mut text = text.to_owned();
    for (n, (agent, update)) in (0..).zip(changes) {
        let now = at("2026-01-23T10:31:05Z") + jiff::SignedDuration::from_mins(n);
        text =
            apply(&text, SESSION, agent, update, now).unwrap_or_else(|error| panic!("{error}\n{text}")).text;
    }
    text
}

#[test]
fn the_first_discovery_makes_the_file_as_the_origin_lays_it_out() {
    let text =
        after("", &[("developer", discover("Uses Deno.\nNo npm.\n")), ("tester", discover("One line"))]);
    insta::assert_snapshot!(text, @r#"
    version: "1"
    schema: "agent-memory"

    sessionId: "20260123-103000-abc1def2-auth-feature"
    agent: "developer"
    createdAt: "2026-01-23T10:31:05.000Z"

    discoveries:
      - id: "discovery-001"
        timestamp: "2026-01-23T10:31:05.000Z"
        type: "code_pattern"
        importance: "high"
        content: |
          Uses Deno.
          No npm.

    ---
    version: "1"
    schema: "agent-memory"

    sessionId: "20260123-103000-abc1def2-auth-feature"
    agent: "tester"
    createdAt: "2026-01-23T10:32:05.000Z"

    discoveries:
      - id: "discovery-001"
        timestamp: "2026-01-23T10:32:05.000Z"
        type: "code_pattern"
        importance: "high"
        content: "One line"
    "#);
}

const EDITED: &str = "\
# My notes on this session.
version: \"1\"
schema: agent-memory   # as it is
sessionId: 20260123-103000-abc1def2-auth-feature
agent: 'developer'
createdAt: 2026-01-23T10:31:05Z

# What we know
discoveries:
- id: disc-auth-001  # by hand
  timestamp: 2026-01-23T10:31:10Z
  type: data_model
  importance: low
  content: |
    Text
    # that looks like a comment
  # and a comment
  team: core

attempts:
  # the first one
  - {id: attempt-001, timestamp: 2026-01-23T10:31:11Z, description: flow, result: in_progress}
context:
  currentPlanStep: 2 # of five
  blockers: []
# the end
---
agent: tester
notes: [1, 2]
";

#[test]
fn comments_and_unknown_fields_of_a_person_survive_updates() {
    let changes = [
        ("developer", discover("New.")),
        ("developer", start("Try")),
        (
            "developer",
            Update::Context(
                json!({ "currentPlanStep": 3, "blockers": ["CI is red"] }).as_object().cloned().unwrap(),
            ),
        ),
        (
            "developer",
            Update::Attempt {
                id: Some("attempt-002".into()),
                changes: json!({ "result": "failure", "output": "a\nb\n" }).as_object().cloned().unwrap(),
            },
        ),
        ("tester", discover("Slow.")),
    ];
    let text = after(EDITED, &changes);
    for kept in [
        "# My notes on this session.",
        "# as it is",
        "# What we know",
        "# by hand",
        "# and a comment",
        "# the first one",
        "# the end",
        "team: core",
        "notes: [1, 2]",
    ] {
        assert!(text.contains(kept), "{kept} is gone:\n{text}");
    }
    let read = read(&text, SESSION);
    assert_eq!(read.problems, []);
    let [developer, tester] = read.memories.as_slice() else { panic!("{text}") };
    assert_eq!(developer.discoveries.len(), 2);
    assert_eq!(developer.discoveries[0].extra["team"], "core");
    assert_eq!(developer.discoveries[0].content, "Text\n# that looks like a comment\n");
    assert_eq!(
        (developer.attempts[1].result, developer.attempts[1].output.as_deref()),
        (AttemptResult::Failure, Some("a\nb\n"))
    );
    assert_eq!(developer.context.as_ref().and_then(|context| context.current_plan_step), Some(3));
    assert_eq!((tester.discoveries.len(), &tester.extra["notes"]), (1, &json!([1, 2])));
}

#[test]
fn an_update_of_a_flow_entry_finishes_it_and_the_newest_open_one_is_meant() {
    let done = json!({ "result": "success", "duration_ms": 12 }).as_object().cloned().unwrap();
    let text = after(EDITED, &[("developer", Update::Attempt { id: None, changes: done.clone() })]);
    let memory = read(&text, SESSION).memories.remove(0);
    assert_eq!(
        (memory.attempts[0].result, memory.attempts[0].duration_ms),
        (AttemptResult::Success, Some(12))
    );
    let again = apply(
        &text,
        SESSION,
        "developer",
        &Update::Attempt { id: None, changes: done.clone() },
        at("2026-01-23T11:00:00Z"),
    );
    assert_eq!(again, Err(UpdateError::NothingGoesOn { agent: "developer".into() }));
    let other = Update::Attempt { id: Some("attempt-9".into()), changes: done };
    let error = apply(&text, SESSION, "developer", &other, at("2026-01-23T11:00:00Z"));
    assert_eq!(error, Err(UpdateError::NoAttempt { agent: "developer".into(), id: "attempt-9".into() }));
}

#[test]
fn the_same_name_twice_is_one_entry_and_a_clock_that_went_back_makes_no_older_one() {
    let named = |content: &str| {
        let Update::Discover(discovery) = discover(content) else { unreachable!() };
        Update::Discover(Discovery { id: "from-hook-1".into(), ..discovery })
    };
    let text = after("", &[("a", named("One.")), ("a", named("Two."))]);
    let earlier = apply(&text, SESSION, "a", &discover("Later."), at("2020-01-01T00:00:00Z")).unwrap();
    let memory = read(&earlier.text, SESSION).memories.remove(0);
    assert_eq!(memory.discoveries.len(), 2);
    assert!(memory.discoveries[1].timestamp > memory.discoveries[0].timestamp);
}

#[test]
fn one_damaged_document_hides_and_blocks_no_other() {
    let text = format!("{EDITED}---\nagent: broken\nattempts: [\n---\nversion: \"2\"\nagent: future\n");
    let found = read(&text, SESSION);
    assert_eq!(found.memories.len(), 2);
    assert_eq!(found.newer, [("future".to_owned(), 2)]);
    assert_eq!(found.problems.len(), 2, "{:?}", found.problems);
    let ok = apply(&text, SESSION, "tester", &discover("x"), at("2026-01-23T11:00:00Z")).unwrap();
    assert!(ok.text.contains("attempts: [\n---\nversion: \"2\""), "{}", ok.text);
    let now = at("2026-01-23T11:00:00Z");
    assert!(matches!(apply(&text, SESSION, "broken", &discover("x"), now), Err(UpdateError::Damaged(_))));
    assert_eq!(
        apply(&text, SESSION, "future", &discover("x"), now),
        Err(UpdateError::TooNew { agent: "future".into(), found: 2 })
    );
}

#[test]
fn texts_and_lists_beyond_any_use_are_refused() {
    let error = apply("", SESSION, "a", &discover(&"x".repeat(MAX_TEXT + 1)), at("2026-01-23T11:00:00Z"));
    assert_eq!(error, Err(UpdateError::TooLong { field: "content".into() }));
}

#[test]
fn every_text_of_a_change_passes_the_one_place_where_secrets_go() {
    let clean = |text: &str| text.replace("hunter2", "[secret]");
    let changes = json!({ "output": "hunter2", "artifacts": [{ "path": "x", "content": "hunter2" }] });
    let text = after(
        "",
        &[
            ("a", cleaned(discover("pw hunter2"), &clean)),
            ("a", cleaned(start("use hunter2"), &clean)),
            (
                "a",
                cleaned(Update::Attempt { id: None, changes: changes.as_object().cloned().unwrap() }, &clean),
            ),
        ],
    );
    assert_eq!((text.contains("hunter2"), text.matches("[secret]").count()), (false, 4), "{text}");
}

/// A file with entries every ten minutes from 08:00 on, and comments among them.
fn long(entries: usize) -> String {
    let mut text = "version: \"1\"\nschema: agent-memory\nsessionId: s\nagent: developer\ncreatedAt: \"2026-01-23T08:00:00Z\"\n".to_owned();
    for n in 0..entries {
        let now = at("2026-01-23T08:00:00Z") + jiff::SignedDuration::from_mins(10 * n as i64);
        let change = if n % 3 == 0 {
            start(&format!("Attempt {n}"))
        } else {
            discover(&format!("Finding {n}.\nMore of it.\n"))
        };
        text = apply(&text, SESSION, "developer", &change, now).unwrap().text;
        if n % 3 == 0 && n > 0 {
            let result = if n % 2 == 0 { "failure" } else { "success" };
            let done =
                json!({ "result": result, "output": format!("Output {n}") }).as_object().cloned().unwrap();
            text = apply(&text, SESSION, "developer", &Update::Attempt { id: None, changes: done }, now)
                .unwrap()
                .text;
        }
    }
    text.replace("  - id: \"discovery-003\"", "  # by hand\n  - id: \"discovery-003\" # too")
}

#[test]
fn archiving_moves_what_is_older_as_it_stands_and_says_what_it_was() {
    let text = long(24);
    let now = at("2026-01-23T12:00:00Z");
    let done =
        archive(&text, SESSION, cutoff(&text, now), &Archived::default(), now).expect("something is old");
    let (old, new) = (read(&done.archive, SESSION), read(&done.text, SESSION));
    assert_eq!((&old.problems, &new.problems), (&vec![], &vec![]), "{}\n{}", done.archive, done.text);
    let (was, old, new) = (&read(&text, SESSION).memories[0], &old.memories[0], &new.memories[0]);
    // The attempt that goes on stays, though it is the oldest.
    assert_eq!(new.attempts[0].id, "attempt-001");
    assert!(new.discoveries.iter().all(|discovery| discovery.timestamp.0 >= at("2026-01-23T10:00:00Z")));
    assert_eq!([&old.discoveries[..], &new.discoveries[..]].concat(), was.discoveries);
    assert_eq!(old.attempts.len() + new.attempts.len(), was.attempts.len());
    assert_eq!(done.moved, old.discoveries.len() + old.attempts.len());
    assert!(done.archive.contains("# by hand") && done.archive.contains("# too"), "{}", done.archive);
    let [history] = new.history.as_slice() else { panic!("{:?}", new.history) };
    assert_eq!(
        (history.discoveries as usize, history.attempts as usize),
        (old.discoveries.len(), old.attempts.len())
    );
    assert!(history.summary.contains("(failure) Attempt 6: Output 6"), "{}", history.summary);
    // Names go on where they were.
    let next = apply(&done.text, SESSION, "developer", &discover("x"), now).unwrap();
    assert_eq!(next.id, format!("discovery-{:03}", was.discoveries.len() + 1));
}

#[test]
fn what_a_crash_left_in_both_files_is_moved_without_being_written_twice() {
    let text = long(24);
    let now = at("2026-01-23T12:00:00Z");
    let first = archive(&text, SESSION, cutoff(&text, now), &Archived::default(), now).unwrap();
    let mut archived = Archived::default();
    archived.add(&first.archive);
    let again = archive(&text, SESSION, cutoff(&text, now), &archived, now).unwrap();
    assert_eq!((again.archive.as_str(), again.moved), ("", first.moved));
    assert_eq!(read(&again.text, SESSION).memories, read(&first.text, SESSION).memories);
    assert_eq!(archive(&first.text, SESSION, cutoff(&first.text, now), &archived, now), None);
}

#[test]
fn summaries_stay_few_and_their_numbers_add_up() {
    let mut text = String::new();
    let mut archives = String::new();
    for n in 0..40 {
        let now = at("2026-01-23T08:00:00Z") + jiff::SignedDuration::from_hours(3 * n);
        text = apply(&text, SESSION, "a", &discover(&format!("Finding {n}")), now).unwrap().text;
        if let Some(done) = archive(&text, SESSION, cutoff(&text, now), &Archived::default(), now) {
            text = done.text;
            archives.push_str(&format!("---\n{}\n", done.archive));
        }
    }
    let memory = read(&text, SESSION).memories.remove(0);
    assert!(memory.history.len() <= 13, "{}", memory.history.len());
    assert_eq!(memory.history.iter().map(|history| history.discoveries).sum::<u64>(), 39);
    assert_eq!(read(&archives, SESSION).memories[0].discoveries.len(), 39);
    assert_eq!(memory.discoveries[0].id, "discovery-040");
}

#[test]
fn a_file_far_too_large_loses_its_older_half_however_young_it_is() {
    let now = at("2026-01-23T12:00:00Z");
    let mut text = String::new();
    for n in 0..12 {
        let line = format!("{n} {}\n", "x".repeat(99));
        text = apply(&text, SESSION, "a", &discover(&line.repeat(1000)), now).unwrap().text;
    }
    assert!(text.len() > HARD_BYTES);
    let done = archive(&text, SESSION, cutoff(&text, now), &Archived::default(), now).unwrap();
    assert!(done.text.len() < HARD_BYTES * 6 / 10 && done.text.len() > HARD_BYTES / 4, "{}", done.text.len());
}

#[test]
fn a_change_that_does_not_fit_is_refused_and_not_reported_as_made() {
    let now: jiff::Timestamp = "2026-01-02T03:04:05Z".parse().expect("a time");
    let text = super::begin("s", "developer", now);
    // Ten megabytes in texts that each may be.
    let changes = (0..40).map(|n| (format!("note{n}"), serde_json::Value::from("x ".repeat(128 * 1024))));
    let made = super::apply(&text, "s", "developer", &super::Update::Context(changes.collect()), now);
    assert!(
        matches!(made, Err(super::UpdateError::Full(bytes)) if bytes > super::MAX_BYTES),
        "{:?}",
        made.map(|made| made.text.len())
    );
}

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("fields")
}

#[test]
fn maps_are_united_and_an_attempts_lists_grow() {
    let context = |value: Value| ("a", Update::Context(fields(value)));
    let more = |value: Value| ("a", Update::Attempt { id: None, changes: fields(value) });
    let text = after(
        "",
        &[
            context(json!({ "codebaseUnderstanding": { "runtime": "Deno", "k": 1 }, "blockers": ["CI"] })),
            context(
                json!({ "codebaseUnderstanding": { "k": 2 }, "taskContext": { "t": 1 }, "blockers": ["DNS"] }),
            ),
            ("a", start("Try")),
            more(
                json!({ "commands": ["one"], "subTasks": [{ "description": "Route", "status": "pending" }] }),
            ),
            more(json!({ "commands": ["two"], "tokensUsed": { "input": 1 },
                "subTasks": [{ "description": "Route", "status": "complete" }, { "description": "Test", "status": "pending" }] })),
            more(
                json!({ "tokensUsed": { "output": 2 }, "artifacts": [{ "path": "a.rs", "action": "create" }] }),
            ),
            more(json!({ "artifacts": [{ "path": "a.rs", "status": "success" }] })),
        ],
    );
    let memory = read(&text, SESSION).memories.remove(0);
    let context = memory.context.expect("a context");
    assert_eq!(Value::Object(context.codebase_understanding), json!({ "runtime": "Deno", "k": 2 }));
    assert_eq!((context.task_context.len(), context.blockers), (1, vec!["DNS".to_owned()]));
    let attempt = serde_json::to_value(&memory.attempts[0]).expect("a value");
    assert_eq!(attempt["commands"], json!(["one", "two"]));
    assert_eq!(attempt["subTasks"][0]["status"], "complete");
    assert_eq!(attempt["subTasks"].as_array().map(Vec::len), Some(2));
    assert_eq!(attempt["tokensUsed"], json!({ "input": 1, "output": 2 }));
    assert_eq!(attempt["artifacts"], json!([{ "path": "a.rs", "action": "create", "status": "success" }]));
    let many = json!({ "commands": vec!["x"; MAX_ITEMS] });
    let many = Update::Attempt { id: None, changes: fields(many) };
    let full = apply(&text, SESSION, "a", &many, at("2026-01-23T11:00:00Z"));
    assert_eq!(full, Err(UpdateError::TooLong { field: "commands".into() }), "with those that are there");
}

#[test]
fn a_comment_beside_a_section_or_above_its_first_entry_stays_in_one_of_the_files() {
    let text = "version: \"1\"\nschema: agent-memory\nsessionId: s\nagent: a\ncreatedAt: 2026-01-23T08:00:00Z\n\
        discoveries:  # none yet\nattempts: []   # see [1]\ndecisions:  # \"chosen\"\n  # the first one\n  \
        - {id: d, timestamp: 2026-01-23T08:00:00Z, type: skip, description: \"x # y\"}\n  # the second one\n  \
        - {id: e, timestamp: 2026-01-23T08:00:00Z, type: skip, description: z}\n\
        context:\n  currentPlanStep: 1 # of five\n  planStepStatus: \"a # b\" # why\n";
    let set = fields(json!({ "currentPlanStep": 2, "planStepStatus": "c" }));
    let next = after(text, &[("a", discover("New.")), ("a", start("Try")), ("a", Update::Context(set))]);
    for kept in [
        "discoveries:  # none yet\n",
        "attempts:   # see [1]\n",
        "Step: 2 # of five\n",
        "Status: \"c\" # why\n",
    ] {
        assert!(next.contains(kept), "{kept} is gone:\n{next}");
    }
    let now = at("2026-01-24T08:00:00Z");
    let done = archive(&next, SESSION, now, &Archived::default(), now).expect("all of it is old");
    assert!(done.text.contains("decisions: []  # \"chosen\"\n"), "{}", done.text);
    for kept in ["# the first one", "# the second one"] {
        assert!(done.archive.contains(kept), "{kept} is gone:\n{}", done.archive);
    }
    assert_eq!(read(&done.archive, SESSION).memories[0].decisions.len(), 2);
}

#[test]
fn a_name_or_a_key_with_a_secret_is_none() {
    let clean = |text: &str| text.replace("hunter2", "[secret]");
    let Update::Discover(named) = discover("x") else { unreachable!() };
    let named = Update::Discover(Discovery { id: "by-hunter2".into(), ..named });
    let known = Update::Context(fields(json!({ "taskContext": { "hunter2": 1 } })));
    let text = after("", &[("a", cleaned(named, &clean)), ("a", cleaned(known, &clean))]);
    assert!(!text.contains("hunter2") && text.contains("id: \"discovery-001\""), "{text}");
}

#[test]
fn the_arbiter_is_told_whose_memory_is_too_new_and_of_all_others() {
    let text = format!("{}---\nversion: \"2\"\nagent: future\n", after("", &[("a", start("Try"))]));
    let found = read(&text, SESSION);
    let prompt = build_arbiter_select_prompt(&found.memories, &found.newer);
    assert!(prompt.contains("**a**: Last attempt (in_progress) - Try\n**future**: Unknown"), "{prompt}");
}
