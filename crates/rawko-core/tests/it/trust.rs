//! Trust is proved, not claimed, and the fold lets no entry reach beyond its own.

use proptest::prelude::*;
use rawko_core::{
    Awaits, Channel, Entry, EntryId, Fold, Importance, Kind, Known, LEARNED_KEY, Memory, SEPARATOR, Slug,
    Standing, Status, Trigger, Trust, WITHDRAWS, parse,
};
use serde_json::json;

use crate::shared::entry;

const TRUSTS: [Trust; 4] = [Trust::Untrusted, Trust::Imported, Trust::Agent, Trust::Human];
const CHANNELS: [Channel; 4] = [Channel::Foreign, Channel::Import, Channel::Agent, Channel::Person];

/// An entry with the channel that wrote it; its body and title name it.
#[derive(Clone, Debug)]
struct Written {
    entry: Entry,
    standing: Standing,
}

impl Written {
    fn trust(&self) -> Trust {
        self.standing.trust(self.entry.frontmatter.trust, Trust::Imported)
    }
}

fn memory(written: &[Written]) -> Memory {
    let texts: Vec<String> = written.iter().map(|written| written.entry.to_text()).collect();
    let thread = parse(&texts.join(SEPARATOR));
    assert_eq!(thread.entries.len(), written.len(), "{:?}", thread.problems);
    let slug = Slug::from_title("example");
    let standings: Vec<(EntryId, Standing)> = thread
        .entries
        .iter()
        .zip(written)
        .map(|(found, written)| (EntryId::of(&slug, &found.text), written.standing))
        .collect();
    let standing = move |id: &EntryId| {
        standings.iter().find(|(known, _)| known == id).map_or(Standing::Unknown, |&(_, standing)| standing)
    };
    Memory::new(slug, thread, standing, Trust::Imported)
}

/// Everything that an entry must be worth something to change.
fn protected(fold: &Fold<'_>) -> String {
    format!(
        "{:?}",
        (
            (fold.title, fold.importance, fold.kind, fold.status, fold.evidence),
            (fold.discovered_at, fold.discovered_by),
            (
                &fold.when_to_use,
                &fold.supersedes,
                &fold.tags,
                &fold.related_memories,
                fold.discovered_in,
                fold.source,
                &fold.extra
            )
        )
    )
}

fn standing() -> impl Strategy<Value = Standing> {
    prop_oneof![
        4 => prop::sample::select(CHANNELS.to_vec()).prop_map(Standing::Wrote),
        1 => Just(Standing::Approved),
        1 => Just(Standing::Unknown),
    ]
}

/// The entry, and it takes back all that the memory says.
fn withdrawing(mut written: Written, memory: &Memory) -> Written {
    let all: Vec<String> = memory.entries.iter().map(|known| known.id.to_string()).collect();
    written.entry.frontmatter.extra.insert(WITHDRAWS.to_owned(), json!(all));
    written
}

prop_compose! {
    fn written()(
        standing in standing(),
        claim in prop::option::of(prop::sample::select(TRUSTS.to_vec())),
        day in 1..6u8,
        importance in prop::sample::select(vec![Importance::Low, Importance::Medium, Importance::High, Importance::Critical]),
        status in prop::option::of(prop::sample::select(vec![Status::Active, Status::Pending, Status::Deprecated, Status::Superseded, Status::Rejected])),
        kind in prop::option::of(prop::sample::select(vec![Kind::Knowledge, Kind::Procedure])),
        name in "[a-z]{6}",
        hidden in prop::bool::weighted(0.1),
        optional in any::<bool>(),
    ) -> Written {
        let mut entry = entry(&format!("body {name}{}", if hidden { "\u{200b}" } else { "" }));
        let front = &mut entry.frontmatter;
        front.title = format!("title {name}");
        front.trust = claim;
        front.discovered_at = format!("2026-01-0{day}T00:00:00Z").parse().unwrap();
        (front.importance, front.status, front.kind) = (importance, status, kind);
        front.when_to_use = vec![Trigger::Text(format!("when {name}"))];
        front.discovered_by = format!("by {name}");
        front.tags = vec![format!("tag {name}")];
        if optional {
            front.supersedes = vec![format!("old {name}")];
            front.related_memories = vec![format!("near {name}")];
            front.discovered_in = Some(format!("in {name}"));
            front.source = Some(format!("from {name}"));
            front.evidence = json!([{ "file": name }]);
            front.extra.insert("team".to_owned(), json!(name));
        }
        Written { entry, standing }
    }
}

#[test]
fn trust_lattice_a_claim_lowers_and_never_raises() {
    let claims = || TRUSTS.into_iter().map(Some).chain([None]);
    for unknown in TRUSTS {
        for claim in claims() {
            for channel in CHANNELS {
                let trust = Standing::Wrote(channel).trust(claim, unknown);
                assert_eq!(trust, claim.unwrap_or(Trust::Human).min(channel.proves()));
            }
            assert_eq!(Standing::Unknown.trust(claim, unknown), claim.unwrap_or(Trust::Human).min(unknown));
            assert_eq!(Standing::Approved.trust(claim, unknown), Trust::Human);
        }
    }
    assert_eq!(TRUSTS.map(Trust::may_be_injected), [false, false, true, true]);
    assert!(CHANNELS.map(Channel::proves).is_sorted());
}

#[test]
fn an_approval_is_bound_to_the_text_and_outlives_line_ends_and_appends() {
    let slug = Slug::from_title("example");
    let ids = |text: &str| -> Vec<EntryId> {
        parse(text).entries.iter().map(|found| EntryId::of(&slug, &found.text)).collect()
    };
    let text = entry("Do it.  \n\nSo.").to_text();
    let id = ids(&text)[0];
    assert_eq!(ids(&text.replace('\n', "\r\n"))[0], id);
    assert_eq!(ids(&format!("{text}{SEPARATOR}{}", entry("more").to_text()))[0], id);
    assert_eq!(ids(&format!("{text}{SEPARATOR}{}", entry("more").to_text()).replace('\n', "\r\n"))[0], id);
    assert_eq!(ids(text.trim_end())[0], id);
    for changed in
        [text.replace("Do it", "Do It"), text.replace("medium", "high"), text.replace("So.", "So. ")]
    {
        assert_ne!(ids(&changed)[0], id);
    }
    assert_ne!(EntryId::of(&Slug::from_title("other"), &parse(&text).entries[0].text), id);
    assert_eq!(EntryId::parse(&id.to_string()), Some(id));
    for wrong in ["", "+0000000000000000000000000000000", "zz", "é000000000000000000000000000000"] {
        assert_eq!(EntryId::parse(wrong), None);
    }
}

proptest! {
    #[test]
    fn trust_lattice_no_entry_is_worth_more_than_its_channel(thread in prop::collection::vec(written(), 1..6)) {
        let memory = memory(&thread);
        for Known { standing, trust, entry, .. } in &memory.entries {
            let most = match standing {
                Standing::Approved => Trust::Human,
                Standing::Wrote(channel) => channel.proves(),
                Standing::Unknown => Trust::Imported,
                Standing::Withdrawn => Trust::Untrusted,
            };
            prop_assert!(*trust <= most);
            prop_assert!(*standing == Standing::Approved || entry.frontmatter.trust.is_none_or(|claim| *trust <= claim));
        }
    }

    #[test]
    fn fold_monotone_an_entry_of_lower_trust_changes_nothing_that_stands(
        thread in prop::collection::vec(written(), 1..6),
        mut added in written(),
        withdraws in any::<bool>(),
    ) {
        let highest = thread.iter().map(Written::trust).max().unwrap();
        let before = memory(&thread);
        if withdraws {
            added = withdrawing(added, &before);
        }
        let after = memory(&[thread.clone(), vec![added.clone()]].concat());
        if added.trust() < highest {
            let (before, after) = (before.now().unwrap(), after.now().unwrap());
            prop_assert_eq!(protected(&before), protected(&after));
            // What is worth most is said first, as it was.
            prop_assert_eq!(before.bodies.first(), after.bodies.first());
        }
        if !added.trust().may_be_injected() {
            prop_assert_eq!(before.for_agents(), after.for_agents());
        }
    }

    #[test]
    fn fold_monotone_agents_see_what_stands_and_only_words_that_may_be_said(thread in prop::collection::vec(written(), 1..6)) {
        let memory = memory(&thread);
        let Some(fold) = memory.for_agents() else { return Ok(()) };
        prop_assert!(fold.trust.may_be_injected());
        prop_assert_eq!(&fold.waits, &None);
        for known in &memory.entries {
            let said = fold.bodies.iter().any(|body| body.text == known.entry.body);
            prop_assert!(!said || known.may_be_injected());
        }
    }

    #[test]
    fn lineage_min_what_is_made_of_entries_is_worth_the_least_of_them(
        thread in prop::collection::vec(written(), 1..6),
        channel in prop::sample::select(CHANNELS.to_vec()),
    ) {
        let least = thread.iter().map(Written::trust).min().unwrap();
        let memory = memory(&thread);
        let fold = memory.now().unwrap();
        prop_assert_eq!(fold.trust, least);
        // A summary of the memory claims the fold's trust, whoever writes it.
        prop_assert!(Standing::Wrote(channel).trust(Some(fold.trust), Trust::Human) <= least);
    }

    #[test]
    fn a_replayed_entry_changes_nothing(thread in prop::collection::vec(written(), 1..6), replayed in any::<prop::sample::Index>()) {
        let before = memory(&thread);
        let replayed = replayed.get(&thread).clone();
        let after = memory(&[thread, vec![replayed]].concat());
        prop_assert_eq!(before.now(), after.now());
        prop_assert_eq!(before.for_agents(), after.for_agents());
        prop_assert_eq!(before.entries.len(), after.entries.len());
    }
}

/// Entries as `channel day body`, then what a change to each does to it.
fn thread(entries: &[(Channel, u8, &str)]) -> Vec<Written> {
    entries
        .iter()
        .map(|&(channel, day, body)| {
            let mut entry = entry(body);
            entry.frontmatter.title = body.to_owned();
            entry.frontmatter.when_to_use = vec![Trigger::Text(body.to_owned())];
            entry.frontmatter.discovered_at = format!("2026-01-0{day}T00:00:00Z").parse().unwrap();
            Written { entry, standing: Standing::Wrote(channel) }
        })
        .collect()
}

fn said<'f>(fold: &'f Fold<'_>) -> Vec<&'f str> {
    fold.bodies.iter().map(|body| body.text.as_ref()).collect()
}

#[test]
fn words_of_more_trust_come_first_and_keep_their_date() {
    let mut written = thread(&[
        (Channel::Agent, 1, "agent before"),
        (Channel::Person, 2, "person"),
        (Channel::Person, 3, "person again"),
        (Channel::Agent, 4, "agent after"),
    ]);
    written.iter_mut().for_each(|one| one.entry.frontmatter.discovered_by = one.entry.body.clone());
    let memory = memory(&written);
    let now = memory.for_agents().unwrap();
    assert_eq!(said(&now), ["person again", "person", "agent after", "agent before"]);
    assert!(now.bodies.iter().all(|body| body.text == body.by), "each has its writer");
    assert_eq!(
        (now.discovered_by, now.discovered_at.to_string().as_str()),
        ("person again", "2026-01-03T00:00:00Z")
    );
}

#[test]
fn time_orders_entries_and_the_file_breaks_ties() {
    let memory = memory(&thread(&[
        (Channel::Agent, 3, "c"),
        (Channel::Agent, 1, "a"),
        (Channel::Agent, 3, "d"),
        (Channel::Agent, 2, "b"),
    ]));
    let now = memory.now().unwrap();
    assert_eq!(said(&now), ["d", "c", "b", "a"]);
    assert_eq!(now.title, "d");
}

#[test]
fn an_entry_dated_in_the_past_does_not_slip_below_a_trusted_one() {
    let memory = memory(&thread(&[(Channel::Person, 5, "person"), (Channel::Agent, 1, "agent")]));
    let now = memory.for_agents().unwrap();
    assert_eq!(now.when_to_use, [&Trigger::Text("person".to_owned())]);
    assert_eq!(said(&now), ["person", "agent"]);
}

#[test]
fn an_entry_dated_in_the_future_does_not_outlast_a_person() {
    let memory = memory(&thread(&[(Channel::Agent, 9, "agent"), (Channel::Person, 2, "person")]));
    assert_eq!(memory.for_agents().unwrap().title, "person");
}

#[test]
fn what_came_first_keeps_its_triggers_when_a_person_adds_to_it() {
    let memory = memory(&thread(&[(Channel::Agent, 1, "agent"), (Channel::Person, 2, "person")]));
    let now = memory.for_agents().unwrap();
    assert_eq!(now.when_to_use.len(), 2);
    assert_eq!(now.title, "person");
}

#[test]
fn an_update_that_waits_for_review_does_not_speak_until_it_is_approved() {
    let mut written = thread(&[(Channel::Person, 1, "person"), (Channel::Agent, 2, "agent")]);
    written[1].entry.frontmatter.status = Some(Status::Pending);
    let waiting = memory(&written);
    assert_eq!(said(&waiting.for_agents().unwrap()), ["person"]);
    assert_eq!(waiting.held_back().len(), 1);
    written[1].standing = Standing::Approved;
    let approved = memory(&written);
    let fold = approved.for_agents().unwrap();
    assert_eq!((fold.status, said(&fold)), (Status::Active, vec!["agent", "person"]));
}

#[test]
fn hidden_text_and_open_conflicts_wait() {
    let held = |body: &str, standing: Standing| {
        let memory = memory(&[Written { entry: entry(body), standing }]);
        assert_eq!(memory.now().unwrap().waits.is_some(), memory.for_agents().is_none());
        memory.for_agents().is_none()
    };
    let person = Standing::Wrote(Channel::Person);
    assert!(!held("plain", person));
    assert!(held("a\u{200b}b", person) && !held("a\u{200b}b", Standing::Approved));
    assert!(held("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x", Standing::Approved));
    let mut named = entry("plain");
    named.frontmatter.discovered_by = "me\u{202e}".to_owned();
    assert_eq!(memory(&[Written { entry: named, standing: person }]).for_agents(), None);
}

#[test]
fn a_new_text_brings_a_memory_back_without_what_was_taken_out_of_use() {
    let said = |channel: Channel, status: Option<Status>, body: &str| {
        let mut entry = entry(body);
        entry.frontmatter.status = status;
        Written { entry, standing: Standing::Wrote(channel) }
    };
    let now = |written: &[Written]| {
        let memory = memory(written);
        let fold = memory.now().expect("a fold");
        let bodies: Vec<String> = fold.bodies.iter().map(|body| body.text.trim().to_owned()).collect();
        (fold.status, bodies)
    };
    let old = said(Channel::Person, None, "Old.");
    let cleared = said(Channel::Person, Some(Status::Deprecated), "");
    let again = |channel| said(channel, Some(Status::Active), "New.");
    let back = now(&[old.clone(), cleared.clone(), again(Channel::Person)]);
    assert_eq!(back, (Status::Active, vec!["New.".to_owned()]));
    let undone = now(&[old.clone(), cleared.clone(), said(Channel::Person, Some(Status::Active), "")]);
    assert_eq!(undone, (Status::Active, vec!["Old.".to_owned()]), "a word alone brings all of it back");
    let agent = now(&[old, cleared, again(Channel::Agent)]);
    assert_eq!(agent, (Status::Deprecated, vec!["Old.".to_owned(), "New.".to_owned()]));
}

#[test]
fn what_is_taken_back_says_nothing_and_its_history_stays() {
    let written = thread(&[(Channel::Person, 1, "first"), (Channel::Person, 2, "second")]);
    let bodies = |written: &[Written]| {
        let memory = memory(written);
        assert_eq!(memory.entries.len(), written.len());
        memory.for_agents().map_or(Vec::new(), |fold| {
            fold.bodies.iter().map(|body| body.text.to_string()).collect::<Vec<_>>()
        })
    };
    let last =
        |written: &[Written]| Memory { entries: memory(written).entries.split_off(1), ..memory(written) };
    let word = |channel, name: &str, of: &Memory| withdrawing(thread(&[(channel, 3, name)]).remove(0), of);
    let taken_back = [written.clone(), vec![word(Channel::Person, "word", &last(&written))]].concat();
    assert_eq!(bodies(&taken_back), ["first"], "the word itself says nothing");
    let by_an_agent = [written.clone(), vec![word(Channel::Agent, "word", &last(&written))]].concat();
    assert_eq!(bodies(&by_an_agent), ["second", "first", "word"], "not what is worth more");
    let above = memory(&taken_back).entries.split_off(2);
    let again = word(Channel::Person, "again", &Memory { entries: above, ..memory(&taken_back) });
    assert_eq!(
        bodies(&[taken_back, vec![again]].concat()),
        ["second", "first"],
        "a word can be taken back, too"
    );
    // A word about what comes below it is about nothing: nobody can take back what is not said yet.
    let early = [vec![word(Channel::Person, "word", &last(&written))], written].concat();
    assert_eq!(bodies(&early), ["word", "second", "first"]);
}

#[test]
fn a_memory_of_which_all_is_taken_back_is_out_of_use_and_waits_for_nobody() {
    let mut written = thread(&[(Channel::Foreign, 1, "first")]);
    assert_eq!(memory(&written).awaits(), Some(Awaits::Review));
    written.push(withdrawing(thread(&[(Channel::Person, 2, "word")]).remove(0), &memory(&written)));
    let memory = memory(&written);
    assert_eq!((memory.awaits(), memory.now().unwrap().status), (None, Status::Deprecated));
    assert_eq!(memory.for_agents(), None);
}

#[test]
fn a_new_value_of_a_key_stands_for_the_ones_before_it_as_far_as_its_trust_reaches() {
    let values = |second: Channel| {
        let mut written = thread(&[(Channel::Person, 1, "old"), (second, 2, "new")]);
        for one in &mut written {
            one.entry.frontmatter.extra.insert(LEARNED_KEY.to_owned(), json!("key"));
        }
        let memory = memory(&written);
        memory.for_agents().unwrap().bodies.iter().map(|body| body.text.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(values(Channel::Person), ["new"]);
    assert_eq!(values(Channel::Agent), ["old", "new"]);
}
