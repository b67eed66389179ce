//! An error names its place, and its remedy works when it is carried out to the letter.

use rawko_core::{Frontmatter, Problem, near_misses, parse};

const REST: &str = "importance: high\ndiscoveredAt: 2026-01-23\ndiscoveredBy: me\n";

/// Carries out a remedy to the letter; `None` where it takes a person.
pub(crate) fn carry_out(text: &str, problem: &Problem) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = problem.line - 1;
    // An example is as good as another line to whoever knows nothing better.
    let remedy = match problem.remedy.split_once(", such as `") {
        Some((verb, line)) if verb.starts_with("add ") => format!("add the line `{line}"),
        Some((_, line)) => format!("write `{line}"),
        None => problem.remedy.clone(),
    };
    let remedy = remedy.as_str();
    let quoted = |start: &str, end: &str| {
        remedy.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)).map(str::to_owned)
    };
    let instead = remedy
        .strip_prefix("write `")
        .and_then(|rest| rest.split_once("` instead of this line and the next"));
    if remedy.ends_with("write a `---` line above this line") {
        lines.insert(at, "---".to_owned());
    } else if remedy.starts_with("keep one of the two, and delete the other") {
        lines.remove(at);
    } else if let Some((line, more)) = instead {
        lines.splice(at..=at + more.trim().parse().unwrap_or(1), [line.to_owned()]);
    } else if let Some(both) = quoted("write `", "`") {
        let parts = both.split("`, and below it `").map(str::to_owned).collect::<Vec<_>>();
        lines.splice(at..=at, parts);
    } else if let Some(line) =
        quoted("add the line `", "`").or_else(|| quoted("add the line `", "` above this line"))
    {
        lines.insert(at, line);
    } else {
        return None;
    }
    Some(lines.join("\n"))
}

/// The first problem of a text, as `line:column what`; following the remedies makes it an entry.
fn mended(text: &str) -> (String, String) {
    let mut text = text.to_owned();
    let first = parse(&text).problems.first().cloned().unwrap_or_else(|| panic!("nothing is wrong: {text}"));
    for _ in 0..4 {
        let Some(problem) = parse(&text).problems.first().cloned() else { break };
        text = carry_out(&text, &problem).unwrap_or_else(|| panic!("nothing to carry out: {problem:?}"));
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
    assert_eq!(problem("title: Fix\nwhenToUse: [\"a, b]"), "3:12 this list is not written right");
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

#[test]
fn a_body_in_an_unclosed_frontmatter_is_seen_although_it_reads_as_fields() {
    let fields = format!("title: T\nwhenToUse: x\n{REST}");
    let misses = |text: &str| parse(text).entries.iter().flat_map(near_misses).collect::<Vec<_>>();
    for (body, line) in
        [("\n# T\n\nUse `make`. Note: not from main.\n", 8), ("\nNote this: x\nAnd that: y\n", 8)]
    {
        let found = misses(&format!("---\n{fields}{body}\n---\n\nmore\n"));
        assert_eq!(found.iter().map(|problem| problem.line).collect::<Vec<_>>(), [line], "{body}");
        assert!(found[0].remedy.contains("`---` line above"), "{}", found[0].remedy);
    }
    assert_eq!(misses(&format!("---\n{fields}Team lead: mara\n\nowner: ines\n---\n\nbody\n")), []);
    let prose = parse(&format!("---\n{fields}\n# T\n\nThe body says so.\n\n---\n\nmore\n"));
    assert_eq!(prose.problems[0].line, 8, "its heading is part of the body");
}

#[test]
fn a_kind_of_trigger_that_is_not_ours_is_named_and_not_quoted() {
    let remedy = |item: &str| {
        let thread = parse(&format!("---\ntitle: T\nwhenToUse:\n  - {item}\n{REST}---\n\nbody\n"));
        thread.problems[0].remedy.clone()
    };
    assert_eq!(remedy("cmd: \"make deploy*\""), "write `  - command: \"make deploy*\"`");
    assert_eq!(remedy("glob: \"src/**\""), "write pattern, path, command or error in place of `glob`");
    let several = "write one text behind `command:`, and an item of its own for each further one";
    assert_eq!(remedy("command: [\"make deploy*\"]"), several);
}

/// What a frontmatter says once the remedies of its problems, near misses too, are carried out.
fn said(lines: &str) -> (String, Frontmatter) {
    let mut text = format!("---\n{lines}\n---\n\nbody\n");
    let problems = |text: &str| {
        let thread = parse(text);
        thread.entries.iter().flat_map(near_misses).chain(thread.problems.clone()).collect::<Vec<_>>()
    };
    let told = |problem: &Problem| format!("{}: {}", problem.line, problem.remedy);
    let first = problems(&text).first().map(told).unwrap_or_else(|| panic!("nothing is wrong: {text}"));
    for _ in 0..4 {
        let Some(problem) = problems(&text).first().cloned() else { break };
        text = carry_out(&text, &problem).unwrap_or_else(|| panic!("nothing to carry out: {problem:?}"));
    }
    assert_eq!(problems(&text), [], "{text}");
    (first, parse(&text).entries.remove(0).entry.frontmatter)
}

/// The first remedy for these triggers, and the triggers in the end.
fn triggers(when: &str) -> (String, Vec<String>) {
    let (remedy, front) = said(&format!("title: T\n{when}\n{}", REST.trim_end()));
    (remedy, front.when_to_use.iter().map(|trigger| trigger.text().to_owned()).collect())
}

#[test]
fn a_list_keeps_its_items() {
    for (list, remedy, items) in [
        ("[fix: the build, x]", "[\"fix: the build\", x]", &["fix: the build", "x"][..]),
        ("[TypeError:, x]", "[\"TypeError:\", x]", &["TypeError:", "x"]),
        ("[{regex: a}]", "[{pattern: a}]", &["a"]),
        ("[src/{a,b}/*.ts]", "[\"src/{a,b}/*.ts\"]", &["src/{a,b}/*.ts"]),
        ("[\"a|b, \"c\"]", "[\"a|b\", \"c\"]", &["a|b", "c"]),
        ("[\"a|b\" \"c\"]", "[\"a|b\", \"c\"]", &["a|b", "c"]),
        ("[\"a\", b\"]", "[\"a\", \"b\"]", &["a", "b"]),
        ("[a, [0-9]+ errors]", "[\"a\", \"[0-9]+ errors\"]", &["a", "[0-9]+ errors"]),
        ("[0-9]+ errors", "\"[0-9]+ errors\"", &["[0-9]+ errors"]),
        ("\"a|b\", \"c\"]", "[\"a|b\", \"c\"]", &["a|b", "c"]),
    ] {
        let (told, read) = triggers(&format!("whenToUse: {list}"));
        assert_eq!(
            (told, read.as_slice()),
            (format!("3: write `whenToUse: {remedy}`"), &items.map_str()[..])
        );
    }
}

#[test]
fn an_item_without_its_dash_is_the_one_that_is_blamed() {
    let (told, read) = triggers("whenToUse:\n  - \"a|b\"\n  \"When the suite hangs\"\ntags: [testing]");
    assert_eq!((told.as_str(), read.len()), ("5: write `  - \"When the suite hangs\"`", 2));
    let (told, read) = triggers("whenToUse:\n  - \"a|b\"\n  \"When the suite hangs\"");
    assert_eq!((told.as_str(), read.len()), ("5: write `  - \"When the suite hangs\"`", 2));
    let (told, read) = triggers("whenToUse\n  - a\n  - b");
    assert_eq!((told.as_str(), read.len()), ("3: write `whenToUse:`", 2));
    let (told, read) = triggers("  - a\n  - b");
    assert_eq!((told.as_str(), read.len()), ("3: add the line `whenToUse:` above this line", 2));
}

#[test]
fn a_misspelt_field_keeps_its_value() {
    let fields = |from: &str, to: &str| {
        let good = format!("title: T\nwhenToUse: x\n{}\ntags: [a]", REST.trim_end());
        let (told, front) = said(&good.replace(from, to));
        assert_eq!((front.title.as_str(), front.importance.as_str()), ("T", "high"));
        assert_eq!(front.tags[0], "a");
        assert_eq!((front.when_to_use[0].text(), front.discovered_by.as_str()), ("x", "me"));
        assert!(front.discovered_at.to_string().starts_with("2026-01-23"));
        told
    };
    assert_eq!(fields("importance", "importence"), "4: write `importance: high`");
    assert_eq!(fields("title", "titl"), "2: write `title: T`");
    assert_eq!(fields("whenToUse", "when_to_use"), "3: write `whenToUse: x`");
    assert_eq!(fields("discoveredAt", "discovered_at"), "5: write `discoveredAt: 2026-01-23`");
    assert_eq!(fields("tags", "Tags"), "7: write `tags: [a]`");
    assert_eq!(fields("[a]", "a, b").split(": ").last(), Some("[a, b]`"));
}

#[test]
fn an_empty_field_is_an_error_where_it_is_required_and_nothing_elsewhere() {
    let good = format!("---\ntitle: T\nwhenToUse: x\n{REST}---\n\nbody\n");
    for (from, key) in [
        ("title: T", "title"),
        ("whenToUse: x", "whenToUse"),
        ("importance: high", "importance"),
        ("discoveredAt: 2026-01-23", "discoveredAt"),
        ("discoveredBy: me", "discoveredBy"),
    ] {
        for nothing in ["", " ~", " null", " \"\""] {
            let thread = parse(&good.replace(from, &format!("{key}:{nothing}")));
            let what: Vec<&str> = thread.problems.iter().map(|problem| problem.what.as_str()).collect();
            let empty = format!("`{key}` is empty");
            let word = key == "importance" && nothing.contains('"');
            assert!(thread.entries.is_empty() && (word || what == [empty]), "{key}:{nothing} {what:?}");
        }
    }
    let optional = "tags:\nsource: ~\nkind:\nrelatedMemories: null\nstatus: null\n---";
    let thread = parse(&good.replacen("\n---", &format!("\n{optional}"), 1));
    assert_eq!(thread.problems, []);
    let front = &thread.entries[0].entry.frontmatter;
    assert_eq!((&front.tags, &front.source, front.kind, front.status), (&vec![], &None, None, None));
    let (told, front) =
        said(&format!("title: T\nwhenToUse: x\n{}", REST.trim_end().replace("high", "[high]")));
    assert_eq!((told.as_str(), front.importance.as_str()), ("4: write `importance: high`", "high"));
}

#[test]
fn what_reads_as_something_else_is_told() {
    let items = ["deploy", "release"];
    for (when, told) in [
        ("whenToUse:\n  -deploy\n  -release", "4: write `  - deploy`"),
        ("whenToUse:\n  -\"deploy\"\n  -\"release\"", "4: write `  - \"deploy\"`"),
        ("whenToUse: deploy\n  - release", "3: write `whenToUse:`, and below it `  - deploy`"),
        ("whenToUse:\n  - deploy\n    - release", "5: write `  - release`"),
        ("whenToUse:\n  - deploy\n    \"release\"", "5: write `  - \"release\"`"),
        ("whenToUse:\n  - deploy\"\n  - release", "4: write `  - \"deploy\"`"),
        ("whenToUse: [“deploy”, release]", "3: write `whenToUse: [\"deploy\", release]`"),
        ("whenToUse:\n  - pattern:\"deploy\"\n  - release", "4: write `  - pattern: \"deploy\"`"),
    ] {
        assert_eq!(triggers(when), (told.to_owned(), items.map_str()), "{when}");
    }
    let (told, read) = triggers("whenToUse: [\"\\bfoo\\b\", x]");
    assert_eq!((told.as_str(), read[0].as_str()), ("3: write `whenToUse: ['\\bfoo\\b', x]`", "\\bfoo\\b"));
    let (told, front) = said(&format!("title: Fix issue #12 soon\nwhenToUse: x\n{}", REST.trim_end()));
    assert_eq!(
        (told.as_str(), front.title.as_str()),
        ("2: write `title: \"Fix issue #12 soon\"`", "Fix issue #12 soon")
    );
}

#[test]
fn what_is_written_as_it_is_meant_gets_no_warning() {
    for when in [
        "whenToUse: -force",
        "whenToUse: When deploying, or rolling back",
        "whenToUse:\n  - When the text\n    goes on below",
        "whenToUse: [\"a\\tb\", 'it''s', don't, 5\" disks and 3\" ones]",
        "whenToUse: x # every day",
        "team: x\nwhenToUse: x",
    ] {
        let thread = parse(&format!("---\ntitle: T\n{when}\n{REST}---\n\nbody\n"));
        assert_eq!((&thread.problems, near_misses(&thread.entries[0])), (&vec![], vec![]), "{when}");
    }
}

#[test]
fn the_line_above_the_fields_is_three_dashes_and_nothing_else() {
    let good = format!("---\ntitle: T\nwhenToUse: x\n{REST}---\n\nbody\n");
    assert_eq!(parse(&format!("\u{feff}{good}")).problems, []);
    for before in ["\u{feff}\u{feff}", " ", "-", "\u{200b}"] {
        let (what, _) = mended(&format!("{before}{good}"));
        assert_eq!(what, "1:1 the line that opens the frontmatter is not `---` alone", "{before:?}");
    }
    let (what, text) = mended(&good.replace("me\n---", "me---"));
    assert_eq!(what, "6:1 the `---` that closes the frontmatter stands behind a field");
    assert_eq!(parse(&text).entries[0].entry.frontmatter.discovered_by, "me");
}

/// Owned texts of a list of them.
trait MapStr {
    fn map_str(&self) -> Vec<String>;
}

impl MapStr for [&str] {
    fn map_str(&self) -> Vec<String> {
        self.iter().map(|&text| text.to_owned()).collect()
    }
}

#[test]
fn what_only_the_writer_knows_is_an_example_and_what_the_text_tells_is_not() {
    let remedy = |text: &str| parse(text).problems[0].remedy.clone();
    let untitled = format!("---\nwhenToUse: x\n{REST}---\n\n# Build: on \"one\" machine\n\nText.\n");
    assert_eq!(remedy(&untitled), "add the line `title: \"Build: on \\\"one\\\" machine\"`");
    assert_eq!(mended(&untitled).0, "2:1 the required field `title` is missing");
    let bare = untitled.replace("# Build", "Build");
    assert_eq!(remedy(&bare), "add what it is about, such as `title: \"What this memory is about\"`");
    for wrong in ["2026-13-45", "yesterday", "\"\""] {
        let text = format!("---\ntitle: T\nwhenToUse: x\n{REST}---\n\nText.\n").replace("2026-01-23", wrong);
        assert_eq!(remedy(&text), "write when it was found, such as `discoveredAt: 2026-01-23T10:30:00Z`");
    }
}
