//! Choosing, from memories as they are written.

mod behaviour;

use jiff::Timestamp;

use super::*;
use crate::embed::Embedder;
use crate::evidence::Verdict;
use crate::memory::Memory;
use crate::task::TaskContext;
use crate::trust::{Channel, Standing};
use crate::weights::{Inject, Weights};

const NOW: &str = "2026-01-10T12:00:00Z";

/// A memory in a file, as this person wrote it.
fn memory(slug: &str, fields: &str, body: &str) -> Memory {
    written(slug, fields, body, Channel::Person)
}

fn written(slug: &str, fields: &str, body: &str, channel: Channel) -> Memory {
    let default = |key: &str, value: &str| match fields.contains(&format!("{key}:")) {
        true => String::new(),
        false => format!("{key}: {value}\n"),
    };
    let front = [
        default("title", slug),
        default("whenToUse", "\"never asked for\""),
        default("importance", "medium"),
        default("discoveredAt", "2025-06-01T00:00:00Z"),
        default("discoveredBy", "planner"),
    ];
    let text = format!("---\n{}{fields}\n---\n{body}\n", front.concat());
    let thread = crate::thread::parse(&text);
    assert_eq!(thread.entries.len(), 1, "{text}\n{:?}", thread.problems);
    let slug = Slug::parse(slug).unwrap();
    Memory::new(slug, thread, |_| Standing::Wrote(channel), Trust::Human)
}

fn judge(memories: &[Memory], task: &TaskContext, settings: &Settings) -> Vec<Judged> {
    let shelf = Shelf::new(memories, Embedder::built_in());
    let now: Timestamp = NOW.parse().unwrap();
    choose(&shelf.candidates(task, &Weights::TUNED), task, settings, now)
}

fn chosen(judged: &[Judged]) -> Vec<&str> {
    judged.iter().filter(|one| one.outcome.is_chosen()).map(|one| one.slug.as_str()).collect()
}

fn of<'j>(judged: &'j [Judged], slug: &str) -> &'j Judged {
    judged.iter().find(|one| one.slug.as_str() == slug).unwrap()
}

fn gate(judged: &[Judged], slug: &str) -> &'static str {
    match &of(judged, slug).outcome {
        Outcome::Chosen { .. } => "chosen",
        Outcome::Out { gate } => gate.name(),
    }
}

fn by_developer(task: &str) -> TaskContext {
    TaskContext { agent: "developer".to_owned(), ..TaskContext::of(task) }
}

fn classic(memories: &[Memory], task: &str) -> Vec<Judged> {
    judge(memories, &by_developer(task), &Settings { profile: Profile::Classic, ..Settings::default() })
}

fn hybrid(memories: &[Memory], task: &str) -> Vec<Judged> {
    judge(memories, &TaskContext::of(task), &Settings::default())
}

const BACKUP: &str = "The nightly backup copies the ledger database to cold storage. Restore it with the \
    ledger-restore script, and stop the invoice worker before that, or it writes into the old file.";

#[test]
fn the_first_example_of_the_origin_by_its_code() {
    let memories = [
        memory("jwt", "title: Project uses JWT authentication\nimportance: high\nwhenToUse: auth|jwt", ""),
        memory(
            "oauth",
            "title: OAuth2 integration was considered too broad\nimportance: high\nwhenToUse: oauth\n\
             tags: [auth, failures]\ndiscoveredBy: developer",
            "",
        ),
        memory(
            "middleware",
            "title: Express middleware pattern\nimportance: high\nwhenToUse: developer\ntags: [patterns]\n\
             discoveredBy: developer",
            "",
        ),
        memory("schema", "title: Database schema version 2.1\nwhenToUse: schema|database", ""),
    ];
    let judged = classic(&memories, "Add OAuth integration to existing auth system");
    assert_eq!(chosen(&judged), ["oauth", "middleware", "jwt"]);
    assert_eq!(gate(&judged, "schema"), "trigger");
    // The prose counts 15, 10 and 10 for words and tags and forgets the same agent;
    // its code finds `oauth`, `integration`, `to`, `auth` in the first title, `auth` in
    // the second, one shared tag in the third, and gives 10 to the developer's own.
    assert_eq!(of(&judged, "oauth").score.total(), 25.0 + 20.0 + 10.0);
    assert_eq!(of(&judged, "jwt").score.total(), 25.0 + 5.0);
    assert_eq!(of(&judged, "middleware").score.total(), 25.0 + 5.0 + 10.0);
}

#[test]
fn the_second_example_of_the_origin_injects_nothing() {
    let memories = [memory("jwt", "title: Project uses JWT\nwhenToUse: auth|login|jwt", "")];
    assert!(chosen(&classic(&memories, "Add email notifications")).is_empty());
}

#[test]
fn the_third_example_of_the_origin_by_its_code() {
    let common = "importance: high\ndiscoveredBy: developer\nwhenToUse: implement";
    let memories = [
        memory(
            "auth",
            &format!("{common}\ntitle: Authentication module structure\ndiscoveredAt: 2026-01-07T13:00:00Z"),
            "",
        ),
        memory("middleware", &format!("{common}\ntitle: Middleware pattern\ntags: [patterns]"), ""),
        memory(
            "three-days",
            &format!("{common}\ntitle: Authentication\ndiscoveredAt: 2026-01-07T12:00:00Z"),
            "",
        ),
    ];
    let judged = classic(&memories, "Implement password reset feature");
    // The prose gives 10 for "auth", which is not in the task, and 10 for one tag.
    assert_eq!(of(&judged, "auth").score.total(), 25.0 + 5.0 + 10.0);
    assert_eq!(of(&judged, "middleware").score.total(), 25.0 + 5.0 + 10.0);
    assert_eq!(of(&judged, "three-days").score.total(), 25.0 + 10.0, "three days are not under 72 hours");
    assert_eq!(chosen(&judged), ["auth", "middleware", "three-days"], "ties go by name");
}

#[test]
fn classic_takes_the_settings_of_an_agent() {
    let memories = [
        memory("a", "whenToUse: deploy\nimportance: low", ""),
        memory("b", "whenToUse: deploy\nimportance: high\ntags: [ops]", ""),
        memory("c", "whenToUse: deploy\nimportance: high", ""),
    ];
    let settings = Settings {
        profile: Profile::Classic,
        max: 1,
        min_importance: Importance::Medium,
        agent_tags: Some(vec!["ops".to_owned()]),
        score_bonus: 90.0,
    };
    let judged = judge(&memories, &by_developer("deploy it"), &settings);
    assert_eq!(chosen(&judged), ["b"]);
    assert_eq!((gate(&judged, "a"), gate(&judged, "c")), ("min-importance", "full"));
    assert_eq!(of(&judged, "b").score.total(), 100.0, "no score is above 100");
}

#[test]
fn a_score_is_the_sum_of_its_parts() {
    let memories = [memory("backup", "title: Restoring the ledger backup\ndiscoveredBy: developer", BACKUP)];
    for profile in [Profile::Classic, Profile::Hybrid] {
        let settings = Settings { profile, score_bonus: 200.0, ..Settings::default() };
        let judged =
            judge(&memories, &by_developer("restore the ledger database from the backup"), &settings);
        let sum: f32 = judged[0].score.parts().iter().map(|part| part.points).sum();
        assert!((sum - judged[0].score.total()).abs() < 0.001);
        assert_eq!(judged[0].score.total(), 100.0);
    }
    assert_eq!(Score::of([Part { name: "x", points: -5.0 }]).total(), 0.0);
}

#[test]
fn a_relevant_memory_enters_a_store_of_one_and_stays_silent_otherwise() {
    let memories = [memory("backup", "title: Restoring the ledger backup", BACKUP)];
    let judged = hybrid(&memories, "The ledger database is broken, restore it from last night's backup");
    assert_eq!(chosen(&judged), ["backup"]);
    let judged = hybrid(&memories, "Make the login button green on small screens");
    assert_eq!(gate(&judged, "backup"), "relevance");
    assert!(chosen(&hybrid(&[], "anything at all")).is_empty());
    assert!(chosen(&hybrid(&memories, "")).is_empty());
}

#[test]
fn what_is_not_in_use_never_enters() {
    let task = "The ledger database is broken, restore it from last night's backup";
    let title = "title: Restoring the ledger backup\nwhenToUse: restore.*backup\nimportance: critical";
    for status in ["deprecated", "superseded", "rejected", "pending"] {
        let memories = [memory("backup", &format!("{title}\nstatus: {status}"), BACKUP)];
        for profile in [Profile::Classic, Profile::Hybrid] {
            let settings = Settings { profile, ..Settings::default() };
            let judged = judge(&memories, &TaskContext::of(task), &settings);
            assert_eq!(gate(&judged, "backup"), "status", "{status}");
        }
    }
    for channel in [Channel::Foreign, Channel::Import] {
        let judged = hybrid(&[written("backup", title, BACKUP, channel)], task);
        assert_eq!(gate(&judged, "backup"), "trust");
    }
}

#[test]
fn a_superseded_memory_gives_way_unless_the_other_is_worth_less() {
    let task = "The ledger database is broken, restore it from last night's backup";
    let old = memory("old", "title: Restoring the ledger backup", BACKUP);
    let by = "title: Restore by the panel\nsupersedes: [old]";
    let new = memory("new", by, "Use the panel.");
    assert_eq!(gate(&hybrid(&[old.clone(), new], task), "old"), "superseded");
    let lesser = written("new", by, "Use the panel.", Channel::Agent);
    assert_eq!(gate(&hybrid(&[old.clone(), lesser], task), "old"), "chosen");
    let not_in_use = memory("new", &format!("{by}\nstatus: pending"), "Use the panel.");
    assert_eq!(gate(&hybrid(&[old, not_in_use], task), "old"), "chosen");
}

#[test]
fn of_two_that_replace_each_other_the_newer_stands() {
    let task = "Restore the backup of the shop";
    let one = "title: Restore by the panel\ndiscoveredAt: 2026-01-01\nsupersedes: [two]";
    let two = "title: Restore by the script\ndiscoveredAt: 2026-02-01\nsupersedes: [one]";
    let one = memory("one", one, "The backup of the shop is restored by the panel.");
    let two = memory("two", two, "The backup of the shop is restored by the script.");
    for memories in [[one.clone(), two.clone()], [two, one]] {
        let judged = hybrid(&memories, task);
        assert_eq!(gate(&judged, "one"), "superseded");
        assert_ne!(gate(&judged, "two"), "superseded");
    }
}

#[test]
fn a_newer_memory_that_calls_the_older_one_wrong_takes_its_place() {
    let task = "The ledger database is broken, restore it from last night's backup";
    let old = memory("old", "title: Restoring the ledger backup", BACKUP);
    let body = format!("The earlier note is outdated: the ledger-restore script is gone. {BACKUP}");
    let new = memory("new", "title: Ledger restore by panel\ndiscoveredAt: 2025-09-01T00:00:00Z", &body);
    let judged = hybrid(&[old.clone(), new.clone()], task);
    assert_eq!((gate(&judged, "old"), gate(&judged, "new")), ("corrected", "chosen"));
    assert!(of(&judged, "new").relevance >= of(&judged, "old").relevance);

    let foreign = written("old", "title: Restoring the ledger backup", BACKUP, Channel::Import);
    let judged = hybrid(&[foreign, new.clone()], task);
    assert_eq!(gate(&judged, "old"), "trust");
    assert!(
        of(&judged, "new").score.parts().iter().all(|part| part.name != "corrects"),
        "untrusted text calls nobody"
    );

    let earlier = memory("new", "title: Ledger restore by panel\ndiscoveredAt: 2025-01-01T00:00:00Z", &body);
    assert_eq!(gate(&hybrid(&[old.clone(), earlier], task), "old"), "chosen", "only the newer one corrects");
    let elsewhere = "The earlier note was wrong: the logo is blue, and the font of the page is larger.";
    let other = memory("new", "title: Logo\ndiscoveredAt: 2025-09-01T00:00:00Z", elsewhere);
    assert_eq!(gate(&hybrid(&[old, other], task), "old"), "chosen", "it speaks of something else");
}

#[test]
fn the_same_text_twice_enters_once() {
    let task = "The ledger database is broken, restore it from last night's backup";
    let memories = [
        memory("one", "title: Restoring the ledger backup", BACKUP),
        memory("two", "title: Restoring the ledger backup", BACKUP),
    ];
    let judged = hybrid(&memories, task);
    assert_eq!((gate(&judged, "one"), gate(&judged, "two")), ("chosen", "duplicate"));
}

#[test]
fn bound_triggers_and_conditions_of_procedures_are_enough() {
    let memories = [
        memory("path", "whenToUse: [{path: 'db/migrations/**'}]", "Number them by date."),
        memory("error", "whenToUse: [{error: 'EADDRINUSE'}]", "Another copy is running: stop it."),
        memory("rule", "whenToUse: changelog\nkind: procedure", "Newest on top."),
        memory("text", "whenToUse: changelog", "It is written by hand."),
    ];
    let task = TaskContext {
        files: vec!["db/migrations/0001_init.sql".to_owned()],
        error: "Error: listen EADDRINUSE: address already in use".to_owned(),
        ..TaskContext::of("Bring the changelog up to date")
    };
    let judged = judge(&memories, &task, &Settings::default());
    for slug in ["path", "error", "rule"] {
        assert_eq!(gate(&judged, slug), "chosen", "{slug}");
    }
    assert!(of(&judged, "text").relevance < of(&judged, "rule").relevance);
}

#[test]
fn a_trigger_whose_sentence_nearly_says_the_task_is_enough() {
    let body = "Stop the container of the message broker and delete its volume.";
    let memories = [memory("broker", "title: Broker leftovers\nwhenToUse: The suite hangs in CI", body)];
    let shelf = Shelf::new(&memories, Embedder::built_in());
    let task = TaskContext::of("our test suite hung again in the CI pipeline");
    let candidates = shelf.candidates(&task, &Weights::TUNED);
    for (says, outcome) in [(Inject::TUNED.says, "chosen"), (0.0, "relevance")] {
        let w = Inject { says, ..Inject::TUNED };
        let judged = choose_by(&candidates, &task, &Settings::default(), NOW.parse().unwrap(), &w);
        assert_eq!(gate(&judged, "broker"), outcome, "{:?}", of(&judged, "broker"));
    }
}

#[test]
fn the_best_decides_whether_to_speak_and_the_others_are_measured_by_it() {
    let w = &Inject::TUNED;
    assert_eq!(hybrid::needed(w.needed - 0.1, false, w.needed, w), w.needed);
    assert!(hybrid::needed(w.needed, true, w.needed, w) < w.needed);
    assert!(hybrid::needed(2.0 * w.needed, true, w.needed, w) > w.needed);
}

/// What becomes of memories of which the encoder tells this, in their order.
fn likened(memories: &[Memory], task: &str, alike: &[Option<Alike>]) -> Vec<Judged> {
    let shelf = Shelf::new(memories, Embedder::built_in());
    let task = TaskContext::of(task);
    let mut candidates = shelf.candidates(&task, &Weights::TUNED);
    candidates.iter_mut().zip(alike).for_each(|(candidate, alike)| candidate.alike = *alike);
    choose(&candidates, &task, &Settings::default(), NOW.parse().unwrap())
}

fn points(judged: &Judged, name: &str) -> f32 {
    judged.score.parts().iter().filter(|part| part.name == name).map(|part| part.points).sum()
}

#[test]
fn what_the_encoder_finds_alike_enters_in_whatever_words_it_is_written() {
    let memories = [memory("backup", "", BACKUP), memory("font", "", "Headings are set in a serif face.")];
    let task = "how do we get yesterday's bookkeeping numbers back";
    let alike = |said: f32, found_in: f32| Some(Alike { said, found_in: Some(found_in), asks: 0.0 });
    assert!(chosen(&hybrid(&memories, task)).is_empty(), "the token table does not find it");
    let judged = likened(&memories, task, &[alike(0.62, 0.6), alike(0.1, 0.1)]);
    assert_eq!(chosen(&judged), ["backup"], "{judged:?}");
    let judged = likened(&memories, task, &[alike(0.3, 0.2), alike(0.1, 0.1)]);
    assert!(chosen(&judged).is_empty(), "a little alike is not enough: {judged:?}");
}

#[test]
fn where_the_encoder_has_read_a_memory_the_token_table_has_no_say() {
    let memories = [memory("backup", "", BACKUP), memory("other", "", BACKUP)];
    let task = "restore the nightly backup of the ledger database";
    let judged = likened(&memories, task, &[Some(Alike { said: 0.4, found_in: None, asks: 0.0 }), None]);
    let by_table = points(of(&hybrid(&memories, task), "other"), "meaning");
    assert_eq!(points(of(&judged, "other"), "meaning"), by_table);
    assert!((points(of(&judged, "backup"), "meaning") - by_table).abs() > 1.0, "{judged:?}");
    assert_eq!(points(of(&judged, "backup"), "found in"), 0.0, "nobody said in which task it was found");
}

#[test]
fn what_one_memory_needs_does_not_depend_on_whether_another_was_read() {
    let memories = [memory("backup", "", BACKUP), memory("font", "", "Headings are set in a serif face.")];
    let needed = |judged: &[Judged]| match of(judged, "backup").outcome {
        Outcome::Out { gate: Gate::Relevance { needed, .. } } => needed,
        ref other => panic!("{other:?}"),
    };
    let task = "unrelated words about nothing";
    let read = likened(&memories, task, &[None, Some(Alike { said: 0.1, found_in: None, asks: 0.0 })]);
    assert_eq!(needed(&read), needed(&hybrid(&memories, task)));
}

#[test]
fn an_errand_needs_more_and_what_asks_for_experience_less() {
    let memories = [memory("backup", "", BACKUP)];
    let task = "how do we get yesterday's bookkeeping numbers back";
    let asked =
        |asks: f32| likened(&memories, task, &[Some(Alike { said: 0.56, found_in: Some(0.3), asks })]);
    assert_eq!(chosen(&asked(2.0)), ["backup"], "{:?}", asked(2.0));
    let errand = asked(-2.0);
    assert!(chosen(&errand).is_empty(), "{errand:?}");
    let Outcome::Out { gate } = &errand[0].outcome else { panic!("{errand:?}") };
    assert!(gate.to_string().contains("the task reads like an errand, which asks for 8.0 more"), "{gate}");
}

#[test]
fn a_common_word_calls_no_memory_that_is_about_something_else() {
    let pattern =
        [memory("webhooks", "whenToUse: payment|refund", "Provider events arrive twice: keep their ids.")];
    let command = [memory(
        "webhooks",
        "whenToUse:\n  - command: refund",
        "Provider events arrive twice: keep their ids.",
    )];
    let alike = |said: f32| [Some(Alike { said, found_in: None, asks: 0.0 })];
    let translate = "translate the refund policy into French";
    assert_eq!(chosen(&hybrid(&pattern, translate)), ["webhooks"], "by the trigger alone it would be called");
    assert_eq!(chosen(&likened(&pattern, "refund it", &alike(0.17))), ["webhooks"], "that is all it says");
    assert!(chosen(&likened(&pattern, translate, &alike(0.17))).is_empty());
    assert_eq!(chosen(&likened(&pattern, "retry a refund that failed", &alike(0.4))), ["webhooks"]);
    let shelf = Shelf::new(&command, Embedder::built_in());
    let task =
        TaskContext { command: "tool refund 17".to_owned(), ..TaskContext::of("fix the typo on the cover") };
    let mut bound = shelf.candidates(&task, &Weights::TUNED);
    bound[0].alike = Some(Alike { said: 0.17, found_in: None, asks: -3.0 });
    let judged = choose(&bound, &task, &Settings::default(), NOW.parse().unwrap());
    assert_eq!(chosen(&judged), ["webhooks"], "what is bound to a command is meant to be enough: {judged:?}");
}

#[test]
fn words_side_by_side_call_whatever_the_encoder_makes_of_the_task() {
    let alike = [Some(Alike { said: 0.17, found_in: None, asks: -1.0 })];
    let text = "They are written by a generator: change the schema, and run `make gen`.";
    let chosen_by = |when: &str, task: &str| {
        let memories = [memory("generated", when, text)];
        let judged = likened(&memories, task, &alike);
        chosen(&judged).len() == 1
    };
    let task = "add a field to the vessel manifest";
    assert!(chosen_by("whenToUse: generated|vessel manifest", task));
    assert!(!chosen_by("whenToUse: generated|manifest", task), "one word may mean anything");
    assert!(!chosen_by("whenToUse: generated|vessel manifest", "add the manifest of a vessel"));
}

#[test]
fn in_a_store_of_few_memories_words_tell_less_and_meaning_is_enough() {
    let task = "how do we get yesterday's ledger numbers back";
    let of_store = |others: usize, said: f32| {
        let other = |n: usize| memory(&format!("m{n}"), "", "Headings are set in a serif face.");
        let memories: Vec<Memory> =
            std::iter::once(memory("backup", "", BACKUP)).chain((0..others).map(other)).collect();
        let far = Some(Alike { said: 0.1, found_in: None, asks: 0.0 });
        let mut alike = vec![far; memories.len()];
        alike[0] = Some(Alike { said, ..alike[0].unwrap() });
        likened(&memories, task, &alike)
    };
    let words = |judged: &[Judged]| points(of(judged, "backup"), "words");
    let (few, many) = (of_store(4, 0.1), of_store(80, 0.1));
    assert!(words(&few) > 0.0 && words(&few) < words(&many), "{} {}", words(&few), words(&many));
    assert_eq!(chosen(&of_store(4, 0.5)), ["backup"]);
    assert!(chosen(&of_store(4, 0.2)).is_empty() && chosen(&of_store(80, 0.2)).is_empty());
}

#[test]
fn a_task_that_is_like_everything_is_like_nothing() {
    let memories: Vec<Memory> = (0..40).map(|n| memory(&format!("m{n}"), "", "Text.")).collect();
    let task = "how do we get yesterday's bookkeeping numbers back";
    let alike = [Some(Alike { said: 0.8, found_in: Some(0.8), asks: 0.0 }); 40];
    assert!(chosen(&likened(&memories, task, &alike)).is_empty());
}

#[test]
fn importance_lowers_what_is_needed() {
    let needed = |importance: &str| {
        let judged = hybrid(&[memory("m", &format!("importance: {importance}"), "Text.")], "unrelated words");
        match of(&judged, "m").outcome {
            Outcome::Out { gate: Gate::Relevance { needed, .. } } => needed,
            ref other => panic!("{other:?}"),
        }
    };
    let all = ["critical", "high", "medium", "low"].map(needed);
    assert!(all.is_sorted() && all[0] < all[3], "{all:?}");
}

#[test]
fn the_task_in_which_a_memory_was_found_says_when_it_is_wanted() {
    let found_in = |task: &str| {
        let fields = format!("title: Response flushing\n{task}");
        [memory("flushing", &fields, "Set the interval to -1 for event streams, or Go fills 4 KB first.")]
    };
    let task = "answers of the chat arrive in bursts";
    let words = |judged: &[Judged]| {
        of(judged, "flushing").score.parts().iter().find(|p| p.name == "words").map_or(0.0, |p| p.points)
    };
    let with = hybrid(&found_in("discoveredIn: \"Task: messages arrive in bursts\""), task);
    let without = hybrid(&found_in(""), task);
    assert!(words(&with) > words(&without) + 10.0, "{with:?} {without:?}");
}

#[test]
fn a_related_memory_lends_some_of_its_relevance_where_it_may_enter_itself() {
    let other = "The invoice worker keeps one file open per tenant.";
    let lent = |status: &str| {
        let fields = format!("title: Ledger backup and restore\nrelatedMemories: [files]\nstatus: {status}");
        let memories = [memory("backup", &fields, BACKUP), memory("files", "title: Open files", other)];
        let judged = hybrid(&memories, "restore the ledger backup from cold storage");
        let points = |slug: &str, name: &str| {
            of(&judged, slug).score.parts().iter().find(|p| p.name == name).map_or(0.0, |p| p.points)
        };
        (points("files", "related"), points("backup", "related"))
    };
    assert!(lent("active").0 > 5.0, "it is named");
    assert!(lent("active").1 > 0.0, "and speaks for the one that names it");
    assert_eq!(lent("deprecated").0, 0.0);
}

/// `memories` low ones about widgets and one critical one about deploys.
fn widgets_and_a_deploy(memories: usize) -> Vec<Memory> {
    let kinds = ["oak", "tin", "glass", "felt", "slate", "cork", "brass", "linen"];
    let widget = |kind: &&str| {
        let body =
            format!("Every {kind} widget gets its own coat of lacquer; {kind} drinks more than others.");
        memory(
            &format!("widget-{kind}"),
            &format!("title: Paint for {kind}\nimportance: low\nwhenToUse: widget"),
            &body,
        )
    };
    let deploy = memory(
        "deploy",
        "title: Releases are cut from main\nimportance: critical\nwhenToUse: deploy",
        "Nothing else is built by the pipeline.",
    );
    kinds.iter().take(memories).map(widget).chain([deploy]).collect()
}

#[test]
fn where_places_are_few_importance_decides_who_gets_one() {
    let judged = hybrid(&widgets_and_a_deploy(8), "paint a widget and deploy it");
    let chosen = chosen(&judged);
    assert!(chosen.len() == 5 && chosen.contains(&"deploy"), "{judged:?}");
    assert!(judged.windows(2).take(4).all(|two| two[0].score.total() >= two[1].score.total()), "best first");
}

#[test]
fn a_critical_memory_whose_trigger_matches_needs_little_and_is_not_measured_by_the_best() {
    let told = |importance: &str| {
        let fields = format!("title: Ledger rules\nimportance: {importance}\nwhenToUse: billing");
        let memories = [
            memory("ledger", &fields, "Two people look at every change."),
            memory("backup", "title: Nightly backup of the ledger database to cold storage", BACKUP),
        ];
        let task = "split the huge class of the billing service and restore the nightly backup of the ledger database \
                    from cold storage";
        gate(&hybrid(&memories, task), "ledger")
    };
    assert_eq!((told("critical"), told("medium")), ("chosen", "relevance"));
}

#[test]
fn a_low_memory_does_not_enter_by_the_company_of_a_better_one() {
    let w = Inject { needed: 10.0, share: 0.1, ..Inject::TUNED };
    let task = TaskContext::of("restore the nightly backup of the ledger from cold storage");
    let needed = |importance: &str| {
        let fields = format!("title: Tea\nimportance: {importance}");
        let memories = [
            memory("backup", "title: Nightly backup of the ledger database", BACKUP),
            memory("tea", &fields, "There is tea at four in the kitchen."),
        ];
        let shelf = Shelf::new(&memories, Embedder::built_in());
        let candidates = shelf.candidates(&task, &Weights::TUNED);
        let judged = choose_by(&candidates, &task, &Settings::default(), NOW.parse().unwrap(), &w);
        match of(&judged, "tea").outcome {
            Outcome::Out { gate: Gate::Relevance { needed, .. } } => needed,
            ref other => panic!("{other:?}"),
        }
    };
    assert!(needed("medium") < w.needed);
    assert_eq!(needed("low"), w.needed + w.low);
}

#[test]
fn use_and_staleness_move_the_score() {
    let memories = [memory("backup", "title: Restoring the ledger backup", BACKUP)];
    let task = TaskContext::of("The ledger database is broken, restore it from last night's backup");
    let shelf = Shelf::new(&memories, Embedder::built_in());
    let total = |verdict: Option<Verdict>, usefulness: f32| {
        let mut candidates = shelf.candidates(&task, &Weights::TUNED);
        candidates[0].staleness = verdict;
        candidates[0].usefulness = usefulness;
        choose(&candidates, &task, &Settings::default(), NOW.parse().unwrap())[0].score.total()
    };
    let plain = total(None, 0.0);
    assert_eq!(total(Some(Verdict::Fresh), 0.0), plain);
    assert!(total(Some(Verdict::Changed), 0.0) < plain);
    assert!(total(Some(Verdict::Gone), 0.0) < total(Some(Verdict::Changed), 0.0));
    assert!(total(None, 1.0) > plain && total(None, -1.0) < plain);
}

#[test]
fn recency_counts_for_what_was_searched_and_not_for_what_was_called() {
    let has_recency = |trigger: &str| {
        let fields = format!(
            "title: Restoring the ledger backup\ndiscoveredAt: {NOW}\nwhenToUse: [{{error: '{trigger}'}}]"
        );
        let task = TaskContext {
            error: "LEDGER_CORRUPT".to_owned(),
            ..TaskContext::of("The ledger database is broken, restore it from last night's backup")
        };
        let judged = judge(&[memory("backup", &fields, BACKUP)], &task, &Settings::default());
        assert_eq!(gate(&judged, "backup"), "chosen");
        judged[0].score.parts().iter().any(|part| part.name == "recency")
    };
    assert!(has_recency("another"));
    assert!(!has_recency("LEDGER_CORRUPT"));
}

#[test]
fn the_order_of_candidates_does_not_matter() {
    let memories: Vec<Memory> = ["ledger backup", "ledger restore", "invoice worker", "cold storage"]
        .iter()
        .enumerate()
        .map(|(n, title)| memory(&format!("m{n}"), &format!("title: {title}"), BACKUP))
        .collect();
    let task = TaskContext::of("restore the ledger from cold storage");
    let shelf = Shelf::new(&memories, Embedder::built_in());
    let mut candidates = shelf.candidates(&task, &Weights::TUNED);
    let ask =
        |candidates: &[Candidate<'_>]| choose(candidates, &task, &Settings::default(), NOW.parse().unwrap());
    let forward = ask(&candidates);
    candidates.reverse();
    assert_eq!(ask(&candidates), forward);
}

#[test]
fn every_gate_reads_as_a_sentence() {
    let slug = Slug::parse("other").unwrap();
    assert_eq!(Gate::Corrected { by: slug }.to_string(), "`other` is newer and corrects it");
    let gate = Gate::Relevance { needed: 27.0, had: 12.34, errand: 0.4 };
    assert_eq!(
        gate.to_string(),
        "it needs 27.0 points of relevance (trigger, words, meaning, found in) and has 12.3"
    );
}
