//! An error names its place, and its remedy works when it is carried out to the letter.

use rawko_core::{Problem, parse};

const REST: &str = "importance: high\ndiscoveredAt: 2026-01-23\ndiscoveredBy: me\n";

/// Carries out a remedy: replaces the line, closes or opens the frontmatter above it, or deletes it.
fn carry_out(text: &str, problem: &Problem) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = problem.line - 1;
    let remedy = problem.remedy.as_str();
    if remedy.ends_with("write a `---` line above this line") {
        lines.insert(at, "---".to_owned());
    } else if remedy.starts_with("keep one of the two, and delete the other") {
        lines.remove(at);
    } else if let Some(line) = remedy.strip_prefix("write `").and_then(|rest| rest.strip_suffix('`')) {
        lines[at] = line.to_owned();
    } else if let Some(line) = remedy.strip_prefix("add the line `").and_then(|rest| rest.strip_suffix('`')) {
        lines.insert(at, line.to_owned());
    } else {
        panic!("nothing to carry out: {remedy}");
    }
    lines.join("\n")
}

/// The first problem of a text, as `line:column what`; following the remedies makes it an entry.
fn mended(text: &str) -> (String, String) {
    let mut text = text.to_owned();
    let first = parse(&text).problems.first().cloned().unwrap_or_else(|| panic!("nothing is wrong: {text}"));
    for _ in 0..4 {
        let Some(problem) = parse(&text).problems.first().cloned() else { break };
        text = carry_out(&text, &problem);
    }
    let thread = parse(&text);
    assert_eq!((thread.entries.len(), &thread.problems), (1, &Vec::new()), "{first:?}\n{text}");
    (format!("{}:{} {}", first.line, first.column, first.what), text)
}

/// The problem of a frontmatter with these lines first, checked and mended.
fn problem(lines: &str) -> String {
    mended(&format!("---\n{lines}\n{REST}---\n\nbody\n")).0
}

/// The same with a title and triggers above.
fn below(lines: &str) -> String {
    problem(&format!("title: T\nwhenToUse: x\n{lines}"))
}

#[test]
fn values_with_a_meaning_in_yaml_want_quotes() {
    let star = "a value that starts with `*` is an alias in YAML";
    assert_eq!(problem("title: T\nwhenToUse: *.ts"), format!("3:12 {star}"));
    assert_eq!(problem("title: T\nwhenToUse: [*.ts, src]"), format!("3:13 {star}"));
    assert_eq!(problem("title: T\nwhenToUse:\n  - *.ts"), format!("4:5 {star}"));
    assert_eq!(problem("title: T\nwhenToUse:\n  - path: **/*.ts"), format!("4:11 {star}"));
    let at = "a value that starts with `@` has a meaning of its own in YAML";
    assert_eq!(problem("title: @name\nwhenToUse: x"), format!("2:8 {at}"));
    assert_eq!(problem("title: T\nwhenToUse:\n  - x\n  - @name/package"), format!("5:5 {at}"));
    assert_eq!(
        problem("title: `npm ci` fails\nwhenToUse: x"),
        "2:8 a value that starts with ``` has a meaning of its own in YAML"
    );
    assert_eq!(
        problem("title: !important\nwhenToUse: x"),
        "2:8 a value that starts with `!` is a tag in YAML"
    );
    assert_eq!(problem("title: &x y\nwhenToUse: x"), "2:8 a value that starts with `&` is an anchor in YAML");
    assert_eq!(
        problem("title: > 5 retries\nwhenToUse: x"),
        "2:8 a value that starts with `>` has a meaning of its own in YAML"
    );
    assert_eq!(problem("title: {{name}} is a template\nwhenToUse: x").split_once(' ').unwrap().0, "2:9");
}

#[test]
fn a_colon_inside_a_value_wants_quotes() {
    let colon = "a colon inside a value without quotes";
    assert_eq!(problem("title: Fix: the build\nwhenToUse: x"), format!("2:11 {colon}"));
    assert_eq!(below("discoveredIn: Task: do it"), format!("4:19 {colon}"));
    assert_eq!(below("source: “File: a.ts”"), "4:9 curly quotes mean nothing in YAML");
    assert_eq!(
        problem("title: T\nwhenToUse:\n  - When the build fails: look here"),
        "4:5 this is no trigger"
    );
    assert_eq!(problem("title: T\nwhenToUse:\n  - Note: look here"), "4:5 this is no trigger");
}

#[test]
fn quotes_are_closed_once_and_escape_what_they_hold() {
    assert_eq!(problem("title: \"Fix the build\nwhenToUse: x"), "2:8 the quote `\"` is not closed");
    assert_eq!(problem("title: 'Fix the build\nwhenToUse: x"), "2:8 the quote `'` is not closed");
    assert_eq!(problem("title: Fix\nwhenToUse: [\"a, b]"), "3:12 the `[` is not closed");
    assert_eq!(problem("title: T\nwhenToUse:\n  - \"one\n  - two"), "4:5 the quote `\"` is not closed");
    assert_eq!(
        problem("title: \"Fix the build\nwhenToUse: [\"a\", \"b\"]\ndiscoveredIn: \"Task: x\""),
        "2:8 the quote `\"` is not closed"
    );
    let after = "the text goes on after its closing quote";
    assert_eq!(problem("title: \"Fix\" the build\nwhenToUse: x"), format!("2:8 {after}"));
    assert_eq!(problem("title: \"Use \"strict\" mode\"\nwhenToUse: x"), format!("2:8 {after}"));
    assert_eq!(problem("title: 'don't'\nwhenToUse: x"), format!("2:8 {after}"));
    let (what, text) = mended(&format!("---\ntitle: T\nwhenToUse: \"src\\d+\\.ts\"\n{REST}---\n"));
    assert_eq!(what, "3:12 a backslash in double quotes starts an escape that YAML does not know");
    assert_eq!(parse(&text).entries[0].entry.frontmatter.when_to_use[0].text(), "src\\d+\\.ts");
}

#[test]
fn brackets_are_closed() {
    assert_eq!(below("tags: [a, b"), "4:7 the `[` is not closed");
    assert_eq!(below("tags: [a, b]]"), "4:7 the `[` is not closed");
    assert_eq!(below("team: {a: b"), "4:7 the `{` is not closed");
    assert_eq!(problem("title: T\nwhenToUse: [fix.*[0-9]+, \"x\""), "3:12 the `[` is not closed");
}

#[test]
fn indentation_is_by_blanks_and_like_the_neighbours() {
    let tab = "a tab in the indentation, which YAML does not allow";
    assert_eq!(problem("title: T\nwhenToUse:\n\t- a\n\t- b"), format!("4:1 {tab}"));
    assert_eq!(below("team:\n\tname: x"), format!("5:1 {tab}"));
    let other = "this line is not indented like its neighbours";
    assert_eq!(problem("title: T\nwhenToUse:\n  - a\n - b"), format!("5:2 {other}"));
    assert_eq!(problem("title: T\n  whenToUse: x"), format!("3:3 {other}"));
}

#[test]
fn fields_are_written_key_colon_blank_value() {
    assert_eq!(problem("title:Fix\nwhenToUse: x"), "2:1 the blank after the colon is missing");
    assert_eq!(problem("title: T\nwhenToUse:x"), "3:1 the blank after the colon is missing");
    assert_eq!(problem("title = Fix\nwhenToUse: x"), "2:1 the colon is missing");
    assert_eq!(problem("title: T\nwhenToUse x"), "3:1 the colon is missing");
    assert_eq!(below("title: Other"), "4:1 `title` stands here a second time");
    assert_eq!(problem("Title: T\nwhenToUse: x").split_once(' ').unwrap().0, "2:1");
    assert_eq!(problem("title: T"), "2:1 the required field `whenToUse` is missing");
}

#[test]
fn words_and_dates_are_guessed_from_what_was_written() {
    let fields = |importance: &str, date: &str| {
        let fields = format!(
            "title: T\nwhenToUse: x\nimportance: {importance}\ndiscoveredAt: {date}\ndiscoveredBy: me"
        );
        let (what, text) = mended(&format!("---\n{fields}\n---\n\nbody\n"));
        let front = parse(&text).entries.remove(0).entry.frontmatter;
        (what, front.importance.as_str(), front.discovered_at.to_string())
    };
    let words = "is no importance";
    let at = "2026-01-23T00:00:00Z".to_owned();
    assert_eq!(
        fields("High priority", "2026-01-23"),
        (format!("4:13 `High priority` {words}"), "high", at.clone())
    );
    assert_eq!(
        fields("“critical”", "2026-01-23"),
        (format!("4:13 `“critical”` {words}"), "critical", at.clone())
    );
    for date in
        ["23.01.2026", "2026/01/23", "01/23/2026", "23/01/2026", "January 23, 2026", "23 January 2026"]
    {
        let what = format!("5:15 `{date}` is no time in the form of ISO 8601");
        assert_eq!(fields("low", date), (what, "low", at.clone()));
    }
}

#[test]
fn missing_and_mistyped_rules_are_named() {
    let fields = format!("title: T\nwhenToUse: x\n{REST}");
    let what = |text: &str| mended(text).0;
    assert_eq!(
        what(&format!("{fields}---\n\nbody\n")),
        "1:1 the `---` line above the first field is missing"
    );
    assert_eq!(what(&format!("---\n{fields}\n# Heading\n\nbody\n")), "7:1 the frontmatter is not closed");
    assert_eq!(what(&format!("---\n{fields}The body, at once.\n")), "7:1 the frontmatter is not closed");
    assert_eq!(what(&format!("---\n{fields}--\n\nbody\n")), "7:1 the frontmatter is closed with `--`");
    assert_eq!(what(&format!("---\n{fields}-----\n\nbody\n")), "7:1 the frontmatter is closed with `-----`");
    assert_eq!(what(&format!("---\n{fields}...\n\nbody\n")), "7:1 the frontmatter is closed with `...`");
    assert_eq!(
        what(&format!("---\n{fields}\nThe body says so.\n\n---\n\nmore\n")),
        "8:1 this line is no `key: value`"
    );
}
