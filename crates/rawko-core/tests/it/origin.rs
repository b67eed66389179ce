//! Every complete example of the origin documents is a memory.

use rawko_core::{Entry, Importance, Trigger, parse};

use crate::shared;

/// The Markdown examples of a document: from a line that opens a `markdown` fence with a `---` below
/// to the fence line before the next heading of the document; fences inside an example come in pairs.
fn examples(document: &str) -> Vec<String> {
    let lines: Vec<&str> = document.lines().collect();
    let mut examples = Vec::new();
    let mut n = 0;
    while n + 1 < lines.len() {
        if lines[n] == "```markdown" && lines[n + 1] == "---" {
            let (mut end, mut inside) = (n + 1, false);
            while inside || lines[end] != "```" || opens_a_pair(&lines[end..]) {
                if lines[end].starts_with("```") {
                    inside = !inside;
                }
                end += 1;
            }
            examples.push(lines[n + 1..end].join("\n"));
            n = end;
        }
        n += 1;
    }
    examples
}

/// Whether a bare fence line starts a drawing inside the example: text follows at once, not a blank line.
fn opens_a_pair(lines: &[&str]) -> bool {
    lines.get(1).is_some_and(|line| !line.is_empty())
}

fn all_examples() -> Vec<String> {
    let documents = shared::files("seeds")
        .into_iter()
        .filter(|(name, _)| name.starts_with("000") || name.starts_with("001"));
    documents.flat_map(|(_, text)| examples(&text)).collect()
}

#[test]
fn every_complete_example_of_the_origin_is_a_memory() {
    let all = all_examples();
    if all.is_empty() {
        return;
    }
    // Those with `...` in place of fields show a shape, not a memory.
    let complete: Vec<&String> = all.iter().filter(|text| !text.contains("\n...\n")).collect();
    let read: Vec<String> = complete.iter().map(|text| summary(text)).collect();
    let expected = [
        "Authentication Module Structure, high, planner, 2 triggers, auth codebase-structure important",
        "Project File Structure, critical, planner, 2 triggers, structure codebase important",
        "OAuth2 Integration Too Broad for MVP, high, developer, 2 triggers, auth failures scope",
        "Express Middleware Pattern, high, developer, 2 triggers, patterns conventions middleware",
        "Clear, specific title, high, agent-name, 2 triggers, tag1 tag2",
        "Project File Organization, critical, planner, 2 triggers, structure important codebase",
        "Error Handling Pattern in Express Handlers, high, developer, 2 triggers, patterns conventions error-handling",
        "OAuth2 Integration Was Too Broad, high, developer, 2 triggers, failures decisions auth",
        "Session Store Integration Required, high, planner, 2 triggers, constraints auth architecture",
    ];
    assert_eq!(read, expected);
}

/// An example's fields in one line, once its body is found to be whole.
fn summary(text: &str) -> String {
    let thread = parse(text);
    assert_eq!((thread.entries.len(), &thread.problems), (1, &Vec::new()), "{text}");
    let Entry { frontmatter: front, body } = &thread.entries[0].entry;
    assert!(
        body.starts_with("# ") && text.ends_with(body),
        "the body goes to the end of the example: {body}"
    );
    assert!(front.discovered_at.to_string().starts_with("2026-01-23T1"));
    let (triggers, tags) = (front.when_to_use.len(), front.tags.join(" "));
    format!(
        "{}, {}, {}, {triggers} triggers, {tags}",
        front.title,
        front.importance.as_str(),
        front.discovered_by
    )
}

#[test]
fn an_example_with_its_left_out_fields_filled_in_is_one_entry_with_its_update() {
    let rest =
        "whenToUse: auth\nimportance: high\ndiscoveredAt: \"2026-01-23T10:30:00Z\"\ndiscoveredBy: planner\n";
    for text in all_examples().iter().filter(|text| text.contains("\n...\n")) {
        let (before, after) = text.split_once("...\n").unwrap();
        let after = after
            .strip_prefix("discoveredAt: 2026-01-23T10:30:00Z\ndiscoveredBy: planner\n")
            .unwrap_or(after);
        let thread = parse(&format!("{before}{rest}{after}"));
        assert_eq!((thread.entries.len(), thread.problems), (1, Vec::new()), "{text}");
    }
}

const FIELDS: &str = "importance: high\ndiscoveredAt: 2026-01-23T10:30:00Z\ndiscoveredBy: planner\n";

fn triggers(when_to_use: &str) -> Vec<Trigger> {
    let thread = parse(&format!("---\ntitle: \"T\"\nwhenToUse: {when_to_use}\n{FIELDS}---\n\nbody\n"));
    assert_eq!(thread.problems, []);
    thread.entries[0].entry.frontmatter.when_to_use.clone()
}

fn text(text: &str) -> Trigger {
    Trigger::Text(text.to_owned())
}

#[test]
fn when_to_use_takes_every_form_that_the_origin_shows() {
    assert_eq!(triggers("When task mentions authentication"), [text("When task mentions authentication")]);
    assert_eq!(
        triggers("[error|exception|handle.*error, \"Writing Express handlers\"]"),
        [text("error|exception|handle.*error"), text("Writing Express handlers")]
    );
    assert_eq!(
        triggers("\n  - pattern: \"auth|login\"\n  - pattern: \"implement.*auth\""),
        [Trigger::Pattern("auth|login".to_owned()), Trigger::Pattern("implement.*auth".to_owned())]
    );
    assert_eq!(
        triggers(
            "\n- \"find.*file\"\n- path: src/**/*.ts\n- {command: npm install}\n- error: \"E404: gone\"\n- plain words"
        ),
        [
            text("find.*file"),
            Trigger::Path("src/**/*.ts".to_owned()),
            Trigger::Command("npm install".to_owned()),
            Trigger::Error("E404: gone".to_owned()),
            text("plain words"),
        ]
    );
    assert_eq!(
        triggers("|\n  Internal agent, runs after every agent.\n"),
        [text("Internal agent, runs after every agent.\n")]
    );
}

#[test]
fn times_may_be_bare_quoted_without_offset_or_a_date_alone() {
    let at = |time: &str| {
        let thread = parse(&format!(
            "---\ntitle: T\nwhenToUse: x\nimportance: Low\ndiscoveredAt: {time}\ndiscoveredBy: a\n---\nb"
        ));
        assert_eq!(thread.problems, [], "{time}");
        thread.entries[0].entry.frontmatter.discovered_at.to_string()
    };
    for time in [
        "2026-01-23T10:30:00Z",
        "\"2026-01-23T10:30:00Z\"",
        "2026-01-23T12:30:00+02:00",
        "2026-01-23T10:30:00",
        "2026-01-23 10:30:00",
        "2026-01-23T10:30",
    ] {
        assert_eq!(at(time), "2026-01-23T10:30:00Z");
    }
    assert_eq!(at("2026-01-23"), "2026-01-23T00:00:00Z");
}

#[test]
fn updates_and_corrections_written_by_hand_are_body() {
    let body = "# Title\n\nOriginal content...\n\n---\n\n## Update (2026-01-24)\n\nMore.\n\n## Correction (Found error)\n\n```sh\ngrep x  # Output: 12\n```";
    let text = format!(
        "---\n# YAML frontmatter\ntitle: \"T\"\nwhenToUse: x\n{FIELDS}tags: [auth, important]\nteam: core\n---\n\n{body}\n"
    );
    let thread = parse(&text);
    assert_eq!(thread.problems, []);
    let [found] = thread.entries.as_slice() else { panic!("{thread:?}") };
    assert_eq!(found.entry.body, body);
    assert_eq!(found.entry.frontmatter.importance, Importance::High);
    assert_eq!(found.entry.frontmatter.tags, ["auth", "important"]);
    assert_eq!(found.entry.frontmatter.extra["team"], "core");
}

#[test]
fn entries_appended_in_both_of_the_origin_ways_are_entries() {
    let one = format!("---\ntitle: T\nwhenToUse: x\n{FIELDS}---\n\nbody");
    for between in ["\n\n", "\n\n---\n\n", "\n", "\n---\n"] {
        let thread = parse(&format!("{one} one{between}{one} two"));
        let bodies: Vec<&str> = thread.entries.iter().map(|found| found.entry.body.as_str()).collect();
        assert_eq!(bodies, ["body one", "body two"], "{between:?}");
    }
}
