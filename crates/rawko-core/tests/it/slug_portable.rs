//! Names are portable: every slug is one file on Linux, macOS and Windows, and stays inside its folder.

use std::collections::HashSet;

use proptest::prelude::*;
use rawko_core::{Slug, SlugError};

use crate::shared;

/// What every system takes as a file name, checked by other means than the code does.
fn assert_portable(slug: &Slug) {
    let name = slug.as_str();
    let chars = name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'));
    assert!(chars && !name.starts_with('-') && !name.ends_with('-'), "{name:?}");
    assert!((1..=80).contains(&name.len()), "{name:?}");
    let devices = [
        "con", "prn", "aux", "nul", "com0", "com1", "com9", "lpt0", "lpt1", "lpt9", "conin$", "conout$",
        "clock$",
    ];
    assert!(!devices.contains(&name), "{name:?}");
    assert_eq!(Slug::parse(name).as_ref(), Ok(slug));
    assert_eq!(Slug::from_title(name), *slug, "a name is its own title");
}

/// Whether a path that is joined to a folder could lead out of it or to a device, on any system.
fn could_leave(path: &str) -> bool {
    let parts = || path.split(['/', '\\']).map(|part| part.trim_end_matches(['.', ' ']));
    path.starts_with(['/', '\\'])
        || path.contains(['\0', ':'])
        || path.split(['/', '\\']).any(|part| part == "..")
        || parts().any(str::is_empty)
}

fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match hex {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn slug_portable_for_every_title_of_the_corpus() {
    for line in shared::json_lines("corpora/authored/titles.jsonl") {
        let slug = Slug::from_title(line["title"].as_str().unwrap());
        assert_portable(&slug);
        assert_portable(&slug.numbered(2));
    }
}

#[test]
fn titles_that_collide_on_some_file_system_share_a_slug_or_differ_in_ascii() {
    for pair in shared::json_lines("corpora/authored/unicode-collisions.jsonl") {
        let [a, b] = ["a", "b"].map(|side| Slug::from_title(pair[side].as_str().unwrap()));
        assert_portable(&a);
        assert_portable(&b);
        assert!(a == b || !a.as_str().eq_ignore_ascii_case(b.as_str()), "{pair}");
    }
    for (a, b) in [
        ("café", "cafe\u{301}"),
        ("Straße", "STRASSE"),
        ("README", "readme"),
        ("a\u{200b}b", "ab"),
        ("ﬁx", "fix"),
    ] {
        assert_eq!(Slug::from_title(a), Slug::from_title(b));
    }
    assert_ne!(Slug::from_title("記憶"), Slug::from_title("忘却"));
}

#[test]
fn titles_become_kebab_case() {
    let slug = |title: &str| Slug::from_title(title).as_str().to_owned();
    assert_eq!(slug("OAuth2 Integration Too Broad for MVP"), "oauth2-integration-too-broad-for-mvp");
    assert_eq!(slug("don't use `unwrap()`!"), "dont-use-unwrap");
    assert_eq!(slug("Łódź, Ærø & Ísland"), "lodz-aero-island");
    assert_eq!(slug("CON"), "con-memory");
    assert_eq!(slug("nul.txt"), "nul-txt");
    assert!(slug("  ").starts_with("memory-"));
}

#[test]
fn no_payload_that_could_leave_the_folder_is_a_slug() {
    for file in ["path-traversal", "path-traversal-dotdotpwn-sample"] {
        for path in shared::lines(&format!("corpora/payloads/{file}.txt")) {
            let once = percent_decoded(&path);
            for path in [&path, &once, &percent_decoded(&once)] {
                assert!(!could_leave(path) || Slug::parse(path).is_err(), "{path:?}");
            }
        }
    }
}

#[test]
fn names_of_folders_and_other_scripts_are_slugs() {
    for path in [
        "failures/npm-install",
        "a",
        "codebase-structure/auth/jwt",
        "README",
        "v1.2",
        "über-uns",
        "記憶",
        "a b",
        "-x",
        "COM",
        "console",
    ] {
        assert_eq!(Slug::parse(path).unwrap().as_str(), path);
    }
}

#[test]
fn paths_that_some_system_reads_otherwise_are_refused() {
    for path in [
        "..",
        ".",
        "a/..",
        "../a",
        "a//b",
        "/a",
        "a/",
        "",
        ".git/config",
        "a/.hidden",
        "a\\b",
        "c:a",
        "a.",
        "a ",
        " a",
        "a./b",
        "con",
        "CON.md",
        "aux/x",
        "Com1",
        "lpt9.txt",
        "nul ",
        "COM¹",
        "a\0b",
        "a\nb",
        "a\u{85}b",
        "a\u{202e}b",
        "a\u{200b}b",
        "\u{feff}a",
        "a*",
        "a?",
        "a|b",
        "<a>",
        "\"a\"",
        "a\u{2028}b",
        "a\u{e0041}",
    ] {
        assert!(Slug::parse(path).is_err(), "{path:?}");
    }
    assert_eq!(Slug::parse(&"x".repeat(241)), Err(SlugError::TooLong));
    assert_eq!(Slug::parse("a/a/a/a/a/a/a/a/a"), Err(SlugError::TooLong));
}

#[test]
fn numbered_names_are_other_names() {
    let numbered = |name: &str, n| Slug::parse(name).unwrap().numbered(n).as_str().to_owned();
    assert_eq!(numbered("name", 2), "name-2");
    assert_eq!(numbered("failures/name", 3), "failures/name-3");
    let long = format!("{}-2", "x".repeat(78));
    assert_eq!(numbered(&long, 2), format!("{}-2", "x".repeat(77)));
    let long = format!("{}-2", "x".repeat(77));
    assert_eq!(numbered(&long, 2), format!("{}-2", "x".repeat(76)));
    assert_eq!(numbered(&"x".repeat(80), 12), format!("{}-12", "x".repeat(77)));
    assert!(numbered(&"é".repeat(120), 2).len() <= 240);
}

proptest! {
    #[test]
    fn slug_portable_for_any_title(title in any::<String>()) {
        assert_portable(&Slug::from_title(&title));
    }

    #[test]
    fn numbered_names_are_distinct_and_fit(title in "[a-z0-9-]{1,90}", folders in 0..3usize) {
        let base = Slug::from_title(&title);
        let long = Slug::parse(&format!("{}{base}", "folder/".repeat(folders))).unwrap();
        for slug in [base, long] {
            let names: Vec<Slug> = (2..30).map(|n| slug.numbered(n)).chain([slug.numbered(u32::MAX)]).collect();
            prop_assert!(names.iter().all(|name| Slug::parse(name.as_str()).as_ref() == Ok(name)));
            prop_assert!(slug.as_str().len() > 80 || names.iter().all(|name| name.as_str().len() <= 80));
            let distinct: HashSet<&Slug> = names.iter().chain([&slug]).collect();
            prop_assert_eq!(distinct.len(), names.len() + 1);
        }
    }
}
