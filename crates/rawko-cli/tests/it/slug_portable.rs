//! Names are valid on every system, and titles that collide there never share a file.

use std::collections::HashSet;

use crate::sandbox::{Sandbox, json_lines};

const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com1", "lpt1"];

fn portable(slug: &str) -> bool {
    slug.len() <= 84
        && !slug.is_empty()
        && slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !RESERVED.contains(&slug)
}

fn save(sandbox: &Sandbox, title: &str) -> Option<String> {
    let said = sandbox.run_words(&["add", "--json", "--content=x", &format!("--title={title}")], b"");
    if said.code != 0 {
        // An empty title is refused; everything else is saved.
        assert!(title.trim().is_empty() || title.contains('\0'), "{title:?}: {}", said.text());
        return None;
    }
    Some(said.json()["slug"].as_str().expect("a name").to_owned())
}

#[test]
fn every_title_gets_a_portable_name_of_its_own() {
    let sandbox = Sandbox::new();
    let mut names = HashSet::new();
    let mut titles = HashSet::new();
    for case in json_lines("authored/titles.jsonl") {
        let title = case["title"].as_str().expect("a title").to_owned();
        if title.contains('\0') || !titles.insert(title.clone()) {
            continue;
        }
        if let Some(slug) = save(&sandbox, &title) {
            assert!(portable(&slug), "{title:?} became {slug}");
            assert!(names.insert(slug.clone()), "{title:?} shares {slug}");
            assert_eq!(sandbox.run_words(&["show", "--json", &slug], b"").json()["title"], title);
        }
    }
}

#[test]
fn slug_portable() {
    for case in json_lines("authored/unicode-collisions.jsonl") {
        let sandbox = Sandbox::new();
        let (a, b) = (case["a"].as_str().expect("one"), case["b"].as_str().expect("another"));
        let (one, two) = (save(&sandbox, a), save(&sandbox, b));
        assert!(one.is_none() || one != two, "{case}");
        let shown = |slug: &Option<String>| {
            slug.as_ref()
                .map(|slug| sandbox.run_words(&["show", "--json", slug], b"").json()["entries"].clone())
        };
        let entries = |n: usize| [&one, &two].map(|slug| slug.as_ref().map(|_| n.into()));
        assert_eq!([shown(&one), shown(&two)], entries(1), "{case}");
        // What is added later goes to the one of its title, letter by letter.
        let more = |title: &str| {
            let words = ["add", "--json", "--content=more", &format!("--title={title}")];
            let said = sandbox.run_words(&words, b"");
            (said.code == 0).then(|| said.json()["slug"].as_str().expect("a name").to_owned())
        };
        assert_eq!([more(a), more(b)], [one.clone(), two.clone()], "{case}");
        assert_eq!([shown(&one), shown(&two)], entries(2), "{case}");
    }
}
