//! A body stays a body: `parse(write(entry)) == entry` for every text.
//!
//! 10,000 generated bodies run by default; the promised 1,000,000 by
//! `RAWKO_FULL=1 cargo test --release -p rawko-core --test it entry_roundtrip`.

use proptest::prelude::*;
use rawko_core::{
    Entry, Importance, Kind, SEPARATOR, Status, Trigger, Trust, entry_from_json, entry_json, parse,
};
use serde_json::{Map, Value, json};

use crate::shared::{self, Random, entry, frontmatter};

/// Lines and line ends that could mislead a reader of entries.
const PIECES: &[&str] = &[
    "---",
    "---",
    "--- ",
    "---\t",
    "----",
    " ---",
    "\\---",
    "\\\\---",
    "...",
    "***",
    "+++",
    "- - -",
    "```",
    "```yaml",
    "````",
    "~~~",
    "~~~~ x",
    "   ```",
    "    ```",
    "\\```",
    "`",
    "``` a`b",
    "title: x",
    "\"title\": x",
    "'title': y",
    "title:",
    "whenToUse: [a]",
    "importance: critical",
    "trust: human",
    "guardedBody: true",
    "discoveredAt: 2026-01-01",
    "discoveredBy: me",
    "# Heading",
    "## Update (2026-01-24)",
    "- item",
    "key: value",
    "<<<<<<< HEAD",
    "=======",
    ">>>>>>> branch",
    "\u{feff}",
    "\0",
    "\\",
    "\\\\",
    " ",
    "  ",
    "\t",
    "é",
    "e\u{301}",
    "\u{2028}",
    "\u{85}",
    "👩‍👩‍👧",
    "漢字",
    "\u{202e}",
    "{",
    "[",
    "\"",
    "'",
    "|",
    ">",
    "%YAML 1.2",
    "&a",
    "*a",
    "!!x",
    "\n",
    "\n",
    "\n",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\n---\n",
    "\n---\n\n",
    "\n\n---\n\n---\n",
    "\n```\n",
    "\n~~~\n",
];

fn body(random: &mut Random) -> String {
    let pieces = random.below(14);
    (0..pieces).map(|_| *random.pick(PIECES)).collect()
}

/// Checks an entry alone, and between itself and an entry that would close any open fence.
fn reads_back(entry: &Entry) -> Result<(), String> {
    let text = entry.to_text();
    let alone = parse(&text);
    if alone.entries.len() != 1 || alone.entries[0].entry != *entry {
        return Err(format!("alone: {text:?}\n{alone:?}"));
    }
    let next = shared::entry("```\n````````\n~~~\n~~~~~~~~\nnext");
    let followed = parse(&format!("{text}{SEPARATOR}{}{SEPARATOR}{text}", next.to_text()));
    let found: Vec<&Entry> = followed.entries.iter().map(|found| &found.entry).collect();
    if found != [entry, &next, entry] {
        return Err(format!("followed: {text:?}\n{followed:?}"));
    }
    // An approval is bound to this text, and must outlive what is appended.
    if followed.entries[0].text != alone.entries[0].text || followed.entries[2].text != alone.entries[0].text
    {
        return Err(format!("another text once followed: {text:?}"));
    }
    Ok(())
}

#[test]
fn entry_roundtrip_of_generated_bodies() {
    let count = if shared::full() { 1_000_000 } else { 10_000 };
    let mut random = Random(1);
    for _ in 0..count {
        reads_back(&entry(&body(&mut random))).unwrap();
    }
}

#[test]
fn entry_roundtrip_of_every_known_nasty_text_as_body_and_as_field() {
    let texts = shared::nasty_texts();
    for (n, text) in texts.iter().enumerate() {
        reads_back(&entry(text)).unwrap();
        // Joined with a neighbour, examples stand in contexts that nobody wrote down.
        reads_back(&entry(&format!("{}\n---\n{text}", texts[n / 2]))).unwrap();
        let mut entry = entry("body");
        entry.frontmatter.title = format!("t{text}");
        entry.frontmatter.discovered_by = format!("{text}.");
        entry.frontmatter.when_to_use = vec![Trigger::Text(format!("x{text}")), Trigger::Path(text.clone())];
        entry.frontmatter.tags = vec![text.clone(), String::new()];
        entry.frontmatter.source = Some(text.clone());
        entry.frontmatter.extra = Map::from_iter([(format!("x{text}"), json!({ text.as_str(): [text] }))]);
        reads_back(&entry).unwrap();
    }
}

#[test]
fn extra_fields_cannot_set_a_known_one() {
    let mut escalating = entry("body");
    for key in ["title", "trust", "importance", "guardedBody", "whenToUse"] {
        escalating.frontmatter.extra.insert(key.to_owned(), json!("human"));
    }
    assert_eq!(parse(&escalating.to_text()).entries[0].entry, entry("body"));
}

#[test]
fn written_files_have_no_blanks_at_line_ends() {
    let mut full = entry("body");
    full.frontmatter.evidence = json!([{"file": "src/a.rs"}]);
    full.frontmatter.should_fire = vec!["fix it".to_owned()];
    assert!(full.to_text().lines().all(|line| line == line.trim_end()), "{}", full.to_text());
}

#[test]
fn other_line_ends_leave_every_entry_whole() {
    let text = format!("{}{SEPARATOR}{}", entry("one\n\ntwo  ").to_text(), entry("three").to_text());
    let bodies = |text: &str| -> Vec<String> {
        parse(text).entries.into_iter().map(|found| found.entry.body.replace("\r\n", "\n")).collect()
    };
    assert_eq!(bodies(&text), ["one\n\ntwo  ", "three"]);
    assert_eq!(bodies(&text.replace('\n', "\r\n")), ["one\n\ntwo  ", "three"]);
}

#[test]
fn a_body_that_needs_no_guard_is_written_as_it_is() {
    let plain = "# Heading\n\n---\n\n## Update (2026-01-24)\n\n```yaml\n---\ntitle: x\n---\n```\n";
    assert!(entry(plain).to_text().contains(plain));
    assert!(!entry(plain).to_text().contains("guardedBody"));
    assert!(entry("~~~\nopen").to_text().contains("guardedBody: true"));
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "\\PC{0,40}",
        "[ -~\n\t]{0,60}",
        prop::collection::vec(prop::sample::select(PIECES), 0..8).prop_map(|pieces| pieces.concat()),
        prop::sample::select(vec![
            "true",
            "null",
            "~",
            "1e3",
            "0x1F",
            "012",
            "no",
            "2026-01-01",
            "",
            "-",
            "<<",
            ".inf"
        ])
        .prop_map(str::to_owned),
    ]
}

/// What a required field may be: any text that is not blank.
fn said() -> impl Strategy<Value = String> {
    text().prop_map(|text| if text.trim().is_empty() { format!("{text}x") } else { text })
}

fn trigger() -> impl Strategy<Value = Trigger> {
    prop_oneof![
        said().prop_map(Trigger::Text),
        text().prop_map(Trigger::Pattern),
        text().prop_map(Trigger::Path),
        text().prop_map(Trigger::Command),
        text().prop_map(Trigger::Error),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|fields| Value::from(Map::from_iter(fields))),
        ]
    })
}

prop_compose! {
    fn any_entry()(
        title in said(),
        when_to_use in prop::collection::vec(trigger(), 0..4),
        discovered_by in said(),
        seconds in -377_705_023_201i64..=253_402_207_200,
        nanos in 0..1_000_000_000i32,
        lists in prop::collection::vec(prop::collection::vec(text(), 0..3), 5),
        options in prop::collection::vec(prop::option::of(text()), 2),
        words in (0..4usize, 0..3usize, 0..6usize, 0..5usize),
        evidence in prop_oneof![Just(Value::Null), prop::collection::vec(value(), 0..3).prop_map(Value::from)],
        extra in prop::collection::vec((text(), value()), 0..3),
        body in text(),
    ) -> Entry {
        let mut front = frontmatter();
        front.title = title;
        front.when_to_use = when_to_use;
        front.discovered_by = discovered_by;
        front.discovered_at = jiff::Timestamp::new(seconds, nanos).unwrap_or_default();
        [front.tags, front.related_memories, front.supersedes, front.should_fire, front.should_not_fire] =
            lists.try_into().unwrap();
        [front.discovered_in, front.source] = options.try_into().unwrap();
        front.importance = [Importance::Low, Importance::Medium, Importance::High, Importance::Critical][words.0];
        front.kind = [None, Some(Kind::Knowledge), Some(Kind::Procedure)][words.1];
        front.status = [None, Some(Status::Active), Some(Status::Pending), Some(Status::Deprecated),
            Some(Status::Superseded), Some(Status::Rejected)][words.2];
        front.trust =
            [None, Some(Trust::Human), Some(Trust::Agent), Some(Trust::Imported), Some(Trust::Untrusted)][words.3];
        front.evidence = evidence;
        front.extra = extra.into_iter().map(|(key, value)| (format!("{key}_"), value)).collect();
        Entry { frontmatter: front, body }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn entry_roundtrip_of_any_fields(entry in any_entry()) {
        prop_assert_eq!(reads_back(&entry), Ok(()));
    }

    #[test]
    fn an_entry_in_json_loses_nothing(entry in any_entry()) {
        let text = serde_json::to_string(&entry_json(&entry)).unwrap();
        prop_assert_eq!(entry_from_json(&serde_json::from_str(&text).unwrap()), Ok(entry));
    }

    #[test]
    fn any_text_is_read_without_a_crash(text in text(), more in text()) {
        parse(&text);
        parse(&format!("---\n{text}\n---\n{more}"));
    }
}
