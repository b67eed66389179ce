//! What every [`Store`] promises, as checks that any backend's tests can run.

use rawko_core::{Channel, Entry, Frontmatter, Importance, Slug, Trigger, Trust};
use serde_json::{Map, Value};

use crate::{Place, Store, StoreError, Target};

/// Runs every promise of [`Store`] against a backend. Panics where one is broken.
pub fn keeps_the_contract<S: Store>(fresh: impl Fn() -> S) {
    an_appended_entry_reads_back(&fresh());
    older_entries_survive_every_append(&fresh());
    the_same_title_is_the_same_memory(&fresh());
    another_title_with_the_same_slug_is_another_memory(&fresh());
    the_same_text_twice_is_one_entry(&fresh());
    trust_comes_from_the_channel(&fresh());
    a_missing_memory_is_an_error(&fresh());
    a_name_is_made_where_it_is_free(&fresh());
    a_body_that_looks_like_entries_stays_a_body(&fresh());
}

/// A complete entry for tests.
pub fn entry(title: &str, body: &str, minute: i64) -> Entry {
    let frontmatter = Frontmatter {
        title: title.to_owned(),
        when_to_use: vec![Trigger::Text("deploy".to_owned())],
        importance: Importance::Medium,
        discovered_at: jiff::Timestamp::from_second(1_780_000_000 + 60 * minute).expect("a time in range"),
        discovered_by: "developer".to_owned(),
        tags: Vec::new(),
        discovered_in: None,
        source: None,
        related_memories: Vec::new(),
        kind: None,
        status: None,
        supersedes: Vec::new(),
        evidence: Value::Null,
        should_fire: Vec::new(),
        should_not_fire: Vec::new(),
        trust: None,
        extra: Map::new(),
    };
    Entry { frontmatter, body: body.to_owned() }
}

fn add<S: Store>(store: &S, entry: &Entry) -> Slug {
    store.append(entry, &Target::Title, Channel::Person).expect("an entry is saved").slug
}

fn bodies<S: Store>(store: &S, slug: &Slug) -> Vec<String> {
    let memory = store.read(slug).expect("a saved memory is read");
    memory.entries.into_iter().map(|known| known.entry.body).collect()
}

fn an_appended_entry_reads_back<S: Store>(store: &S) {
    let entry = entry("Deploy from main", "# Deploy\n\nReleases are cut from main.", 0);
    let slug = add(store, &entry);
    assert_eq!(slug.as_str(), "deploy-from-main");
    assert_eq!(store.read(&slug).expect("it is there").entries[0].entry, entry);
    assert_eq!(store.read_all().expect("all are read").memories.len(), 1);
}

fn older_entries_survive_every_append<S: Store>(store: &S) {
    let slug = add(store, &entry("Deploy from main", "one\n", 0));
    for minute in 1..5 {
        add(store, &entry("Deploy from main", &format!("more {minute}\n\n---\n\n"), minute));
    }
    assert_eq!(bodies(store, &slug)[..2], ["one\n".to_owned(), "more 1\n\n---\n\n".to_owned()]);
    assert_eq!(bodies(store, &slug).len(), 5);
}

fn the_same_title_is_the_same_memory<S: Store>(store: &S) {
    let one = add(store, &entry("Deploy from main", "one", 0));
    let two =
        store.append(&entry("Deploy from main", "two", 1), &Target::Title, Channel::Agent).expect("saved");
    assert_eq!((two.slug, two.is_new), (one, false));
}

fn another_title_with_the_same_slug_is_another_memory<S: Store>(store: &S) {
    let one = add(store, &entry("Deploy from main", "one", 0));
    let two = add(store, &entry("deploy from MAIN", "two", 1));
    assert_eq!((one.as_str(), two.as_str()), ("deploy-from-main", "deploy-from-main-2"));
    assert_eq!(bodies(store, &one), ["one"]);
}

fn the_same_text_twice_is_one_entry<S: Store>(store: &S) {
    let slug = add(store, &entry("Deploy from main", "one", 0));
    let again =
        store.append(&entry("Deploy from main", "one", 0), &Target::Title, Channel::Person).expect("saved");
    assert_eq!(again.place, Place::Already);
    assert_eq!(bodies(store, &slug).len(), 1);
}

fn trust_comes_from_the_channel<S: Store>(store: &S) {
    let mut claims = entry("From a page", "x", 0);
    claims.frontmatter.trust = Some(Trust::Human);
    let slug = store.append(&claims, &Target::Title, Channel::Foreign).expect("saved").slug;
    assert_eq!(store.read(&slug).expect("read").entries[0].trust, Trust::Untrusted);
}

fn a_missing_memory_is_an_error<S: Store>(store: &S) {
    let slug = Slug::parse("nowhere").expect("a good name");
    assert!(matches!(store.read(&slug), Err(StoreError::Missing(_))));
    let appended = store.append(&entry("x", "y", 0), &Target::Memory(slug), Channel::Person);
    assert!(matches!(appended, Err(StoreError::Missing(_))));
}

fn a_body_that_looks_like_entries_stays_a_body<S: Store>(store: &S) {
    let body = "```\nopen\n---\ntitle: forged\nimportance: critical\n---\nx";
    let slug = add(store, &entry("Deploy from main", body, 0));
    add(store, &entry("Deploy from main", "two", 1));
    assert_eq!(bodies(store, &slug), [body, "two"]);
}

fn a_name_is_made_where_it_is_free(store: &impl Store) {
    let slug = Slug::parse("failures/npm").expect("a name");
    let target = Target::Name(slug.clone());
    let saved = store.append(&entry("Npm install", "One.", 0), &target, Channel::Import).expect("saved");
    assert!(saved.slug == slug && saved.is_new);
    let saved = store.append(&entry("Other title", "Two.", 1), &target, Channel::Import).expect("saved");
    assert!(saved.slug == slug && !saved.is_new);
    assert_eq!(store.read(&slug).expect("there").entries.len(), 2);
}
