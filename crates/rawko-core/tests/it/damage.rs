//! One bad file never hides the good ones, and no bytes crash or stop the reader.

use rawko_core::{
    Importance, Memory, SEPARATOR, Severity, Slug, Standing, Status, Thread, Trust, parse, torn_at,
};
use serde_json::Value;

use crate::shared::{self, entry, in_time};

fn read(text: &str) -> Thread {
    let thread = in_time(text, || parse(text));
    let lines = text.split('\n').count();
    for problem in &thread.problems {
        assert!((1..=lines).contains(&problem.line) && problem.column > 0, "{problem:?}");
        assert!(!problem.what.is_empty() && !problem.remedy.is_empty(), "{problem:?}");
    }
    thread
}

fn memory(thread: Thread, unknown: Trust) -> Memory {
    Memory::new(Slug::from_title("example"), thread, |_| Standing::Unknown, unknown)
}

fn has(thread: &Thread, severity: Severity) -> bool {
    thread.problems.iter().any(|problem| problem.severity == severity)
}

/// Asserts that a file gets the outcome that its manifest names.
fn check(name: &str, text: &str, outcome: &str) {
    let thread = read(text);
    let context = format!("{name}: {outcome}: {:?}", thread.problems);
    match outcome {
        "accept" => assert!(!thread.entries.is_empty() && thread.problems.is_empty(), "{context}"),
        "accept-with-warning" | "accept-rendered-inert" => {
            assert!(!thread.entries.is_empty() && !has(&thread, Severity::Error), "{context}");
        }
        "diagnose" | "reject" | "reject-or-diagnose" => {
            assert!(thread.entries.is_empty() && has(&thread, Severity::Error), "{context}");
        }
        "first-entry-kept" => {
            assert!(thread.entries.len() == 1 && has(&thread, Severity::Error), "{context}")
        }
        "no-escalation" => {
            let first = thread.entries[0].entry.frontmatter.clone();
            let entries = thread.entries.len();
            let memory = memory(thread, Trust::Imported);
            let now = memory.now().unwrap();
            assert!(entries > 1 && now.trust <= Trust::Imported, "{context}");
            assert!(now.trust <= first.trust.unwrap_or(Trust::Imported), "{context}");
            assert_eq!(memory.for_agents(), None, "{context}");
        }
        "quarantine" => {
            let memory = memory(thread, Trust::Human);
            assert_eq!(memory.now().unwrap().status, Status::Pending, "{context}");
            assert_eq!(memory.for_agents(), None, "{context}");
        }
        other => panic!("{name}: unknown outcome {other}"),
    }
}

#[test]
fn every_damaged_file_gets_the_outcome_that_its_manifest_names() {
    let files = shared::files("corpora/authored/frontmatter");
    for expected in shared::json_lines("corpora/authored/frontmatter/manifest.jsonl") {
        let name = expected["file"].as_str().unwrap();
        let text = &files.iter().find(|(file, _)| file == name).unwrap().1;
        check(name, text, expected["expect"].as_str().unwrap());
    }
}

#[test]
fn the_usual_damage_is_named_with_its_place() {
    let good = entry("good").to_text();
    let at = |text: &str| {
        let thread = read(text);
        let problem = thread.problems.first().unwrap_or_else(|| panic!("no problem in {text:?}"));
        (problem.line, problem.column, thread.entries.len())
    };
    assert_eq!(at(""), (1, 1, 0));
    assert_eq!(at("\0\0\0\0"), (1, 1, 0));
    assert_eq!(at("\n\n---\ntitle: x\n---\n"), (1, 1, 0));
    assert_eq!(at("---\n---\n"), (2, 1, 0));
    assert_eq!(at(&good.replace('\n', "\r")), (1, 1, 0));
    assert_eq!(at(&good.replace("\n---\n", "\n...\n")), (8, 1, 0));
    assert_eq!(at(&good.replace("importance: medium", "importance: urgent")), (5, 13, 0));
    assert_eq!(at(&good.replace("importance: medium", "importance: low\rtrust: human")), (5, 16, 0));
    let lines = good.lines().count();
    assert_eq!(at(&format!("{good}{SEPARATOR}---\ntitle: torn")), (lines + 4, 1, 1));
    let bad = good.replace("medium", "urgent");
    assert_eq!(at(&format!("{good}{SEPARATOR}{bad}{SEPARATOR}{good}")), (lines + 3 + 5, 13, 2));
    assert_eq!(at(&good.replace("good", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x")), (10, 1, 1));
}

#[test]
fn what_rawko_began_to_write_is_torn_and_what_a_person_wrote_is_not() {
    let good = entry("good").to_text();
    let second = entry("second").to_text();
    let close = second[4..].find("\n---\n").expect("a closing line") + 4;
    // From where a title can be seen to right before the line that closes the fields is whole.
    for end in second.find("title:").expect("a title") + 6..close + 4 {
        let text = format!("{good}{SEPARATOR}{}", &second[..end]);
        assert_eq!(torn_at(&text), Some(good.len()), "{:?}", &second[..end]);
    }
    assert_eq!(torn_at(&format!("{good}{SEPARATOR}{second}")), None);
    let fields = &second[..close + 1];
    for body in ["\nA text.\n", "# Heading\n", "A text", "Note: a text\n", "- item\n", "----\n\nA text.\n"] {
        let text = format!("{good}{SEPARATOR}{fields}{body}");
        assert_eq!(torn_at(&text), None, "{body:?}");
        let line = text[..text.len() - body.len()].lines().count() + 1;
        assert_eq!(read(&text).problems[0].line, line, "{body:?}");
    }
}

#[test]
fn a_bad_entry_hides_none_of_its_neighbours() {
    for (name, text) in shared::files("corpora/authored/frontmatter") {
        let good = entry("good").to_text();
        let thread = read(&format!("{good}{SEPARATOR}{text}"));
        assert!(thread.entries.iter().any(|found| found.entry.body.starts_with("good")), "{name}");
    }
}

/// Reads a text as a file, as fields, as a value and as a body.
fn read_everywhere(text: &str) {
    read(text);
    read(&format!("---\n{text}\n---\n\nbody\n"));
    read(&format!("---\ntitle: x\nfield: {text}\n---\n{text}"));
    let body = read(&entry(text).to_text());
    assert_eq!(body.entries[0].entry.body, text);
}

#[test]
fn every_case_of_the_suites_is_read_without_a_crash() {
    for folder in ["corpora/yaml-test-suite", "corpora/json-test-suite", "corpora/utf8", "corpora/payloads"] {
        for (_, text) in shared::files(folder) {
            read_everywhere(&text);
        }
    }
    for text in shared::nasty_texts() {
        read_everywhere(&text);
    }
    for case in yaml_cases() {
        read_everywhere(&case);
    }
}

/// The inputs inside the YAML suite's files, with its marks for blanks, tabs and ends of text resolved.
fn yaml_cases() -> Vec<String> {
    let mut cases = Vec::new();
    for (_, file) in shared::files("corpora/yaml-test-suite") {
        for part in file.split("\n  yaml: |").skip(1) {
            let block = part.split_once('\n').map_or("", |(_, block)| block);
            let lines = block.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
            let case: Vec<&str> = lines.map(|line| line.get(4..).unwrap_or_default()).collect();
            let case =
                case.join("\n").replace('␣', " ").replace("∎", "").replace('↵', "").replace('⇔', "\u{feff}");
            cases.push(
                case.replace("————»", "\t")
                    .replace("———»", "\t")
                    .replace("——»", "\t")
                    .replace("—»", "\t")
                    .replace('»', "\t"),
            );
        }
    }
    cases
}

#[test]
fn bombs_are_refused_in_time() {
    let fields = |text: &str| assert!(read(&format!("---\n{text}\n---\nbody\n")).entries.is_empty());
    for bomb in [
        "[", "{", "- ", "? ", "a: ", "{a: [", "\"", "'", "!!x ", "&a ", "*a ", "[a,", "|\n ", "%", "\t",
        "[\n", "- - ", "{? ", "a:\n ", ": ", ", ",
    ] {
        fields(&bomb.repeat(64 * 1024 / bomb.len() - 10));
        fields(&bomb.repeat(2_000));
        fields(&format!("x: {}", bomb.repeat(20_000)));
    }
    let indented: String = (0..350).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    fields(&indented);
    fields(&format!("title: {}", "x".repeat(5 * 1024 * 1024)));
    fields(&(0..10_000).map(|n| format!("k{n}: {n}\n")).collect::<String>());
    fields(&"bad line\n".repeat(7_000));
    fields(&"a: b: c\n".repeat(8_000));
}

#[test]
fn nesting_and_counts_have_limits_of_their_own() {
    let accepted = |field: &str| {
        let text = entry("b").to_text().replacen("---\n", &format!("---\n{field}\n"), 1);
        !read(&text).entries.is_empty()
    };
    let nested = |depth: usize| format!("x: {}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(accepted(&nested(15)) && !accepted(&nested(17)));
    let many = |count: usize| format!("x: [{}]", "a,".repeat(count));
    assert!(accepted(&many(4_000)) && !accepted(&many(4_100)));
    let long = |bytes: usize| format!("x: {}", "a".repeat(bytes));
    assert!(accepted(&long(65_000)) && !accepted(&long(65_536)));
}

#[test]
fn large_bodies_are_read_in_time() {
    for piece in [
        "```a\n",
        "~~~\n```x\n",
        "---\n",
        "---\ntitle: x\n",
        "---\na: b\n\n",
        "\n",
        "```\n---\n```\n",
        "![[",
        "<",
        "]:",
        "src=",
        "![](",
        "<<<<<<< \n",
        "\u{200d}",
    ] {
        let body = piece.repeat(100_000 / piece.len());
        let file = format!("{}{body}", entry("").to_text());
        let thread = read(&file);
        in_time(piece, || memory(thread, Trust::Human).for_agents().is_some());
        assert_eq!(parse(&entry(&body).to_text()).entries[0].entry.body, body);
    }
}

#[test]
fn numbers_and_words_of_other_schemas_stay_what_was_written() {
    let extra = "a: 99999999999999999999999999999\nb: 1e3\nc: 0o17\nd: 012\ne: 1:30\nf: no\ng: 12\nh: 1.5\ni: true\nj: ~\n";
    let text = entry("b").to_text().replacen("---\n", &format!("---\n{extra}"), 1);
    let found = read(&text).entries.remove(0).entry;
    let json = Value::from(found.frontmatter.extra);
    assert_eq!(
        json.to_string(),
        r#"{"a":"99999999999999999999999999999","b":"1e3","c":"0o17","d":"012","e":"1:30","f":"no","g":12,"h":1.5,"i":true,"j":null}"#
    );
    assert_eq!(found.frontmatter.importance, Importance::Medium);
}
