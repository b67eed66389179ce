//! What a person says against what was told before.

use rawko::core::{Change, Run, Speaker, Step};
use rawko::{Action, Channel, Concern, Denied, Filter, How, Slug, TaskContext, Trigger, Whose, Wish};
use serde_json::Value;

use crate::rig::{Rig, entry, plain, proposal};

const CLAIM: &str =
    "`MAX_TRIES` in `src/queue.rs` must stay at 5, because the broker drops a job after five tries.";
const NO: &str = "no thats wrong, the broker keeps a job for as many tries as we like since we moved to the new one. MAX_TRIES can go to 20";

/// A session: what the person and the agent said, in turn.
fn session(said: &[&str]) -> Run {
    let speakers = [Speaker::Person, Speaker::Agent].into_iter().cycle();
    let step = |(by, text): (Speaker, &&str)| Step::Said { by, text: (*text).to_owned() };
    Run {
        agent: "claude".to_owned(),
        task: said[0].to_owned(),
        output: said.last().copied().unwrap_or_default().to_owned(),
        steps: speakers.zip(said).map(step).collect(),
        session: Some("s".to_owned()),
        ..Run::default()
    }
}

/// Learns from a session after each of its turns, as hooks do; what the last one denied.
fn lived(rig: &Rig, said: &[&str]) -> Vec<Denied> {
    let ends = (2..=said.len()).step_by(2);
    let learned =
        ends.map(|end| rig.engine().extract(&session(&said[..end]), How::default()).expect("learned"));
    learned.last().expect("a turn").denied
}

fn told(rig: &Rig) -> String {
    rig.injected("how often is a job of the queue tried, and what does the broker drop")
}

/// Approves what waits and would change the memory, as the person was shown it.
fn approve_correction(rig: &Rig, slug: &Slug) {
    let items = rig.engine().review().expect("a queue");
    let changes =
        |item: &&rawko::Item| item.found.memory.would_change() == [(Change::Replaces, slug.clone())];
    let memory = &items.iter().find(changes).expect("a correction").found.memory;
    let seen = memory.entries.iter().map(|known| known.id).collect();
    let action = Action::Approve(memory.slug.clone(), seen, memory.would_change());
    rig.engine().act(&action, "ada").expect("approved");
}

#[test]
fn what_the_agent_claimed_and_the_person_denies_is_not_told_on() {
    let rig = Rig::new();
    lived(&rig, &["can a job be tried 20 times?", CLAIM]);
    assert!(told(&rig).contains("must stay at 5"), "{}", told(&rig));
    let talk =
        ["can a job be tried 20 times?", CLAIM, NO, "You are right, I raised it.", "thanks", "Welcome."];
    lived(&rig, &talk);
    assert_eq!(told(&rig), "", "neither what was denied nor what waits");
    let items = rig.engine().review().expect("a queue");
    let whys: Vec<&str> = items.iter().map(|item| item.why.as_str()).collect();
    assert!(items.iter().all(|item| item.concern == Concern::Pending), "{whys:?}");
    assert!(whys.iter().any(|why| why.starts_with("a person said in a run: “")), "{whys:?}");
    // The next run that claims it teaches nothing.
    lived(&rig, &["why are jobs gone?", CLAIM]);
    assert_eq!(told(&rig), "");
    let slug =
        rig.engine().review().expect("a queue").into_iter().find(|item| item.found.memory.is_doubted());
    let slug = slug.expect("a doubted memory").found.memory.slug;
    approve_correction(&rig, &slug);
    assert!(
        told(&rig).contains("MAX_TRIES can go to 20") && !told(&rig).contains("stay at 5"),
        "{}",
        told(&rig)
    );
    let left = rig.engine().review().expect("a queue");
    assert!(left.is_empty(), "with the one, the other is decided: {left:#?}");
}

#[test]
fn a_bare_no_and_an_agent_that_owns_up_are_heard() {
    for (reply, answer) in [
        ("that's wrong", "Sorry, you are right: the broker keeps it."),
        ("nope", "I take that back."),
        (
            "can you double check that?",
            "I was wrong: the broker keeps a job after five tries, MAX_TRIES is free.",
        ),
    ] {
        let rig = Rig::new();
        let first = ["can a job be tried 20 times?", CLAIM];
        lived(&rig, &[first[0], first[1], reply, answer]);
        assert!(!spoken(&rig).contains("must stay at 5"), "{reply}: {}", spoken(&rig));
        let whys: Vec<String> =
            rig.engine().review().expect("a queue").into_iter().map(|item| item.why).collect();
        assert!(whys.iter().any(|why| why.contains(reply)), "{whys:?}");
    }
}

#[test]
fn an_agent_that_stands_by_its_word_is_believed() {
    let rig = Rig::new();
    let answer = "Yes: `MAX_TRIES` in `src/queue.rs` must stay at 5, because the broker drops a job after five tries. The comment there is wrong.";
    lived(&rig, &["can a job be tried 20 times?", CLAIM, "are you sure?", answer]);
    assert!(spoken(&rig).contains("must stay at 5"), "{}", spoken(&rig));
}

#[test]
fn who_rejects_a_correction_has_the_old_memory_back() {
    let rig = Rig::new();
    lived(&rig, &["can a job be tried 20 times?", CLAIM, NO, "You are right, I raised it."]);
    assert_eq!(told(&rig), "");
    let items = rig.engine().review().expect("a queue");
    let correction =
        items.iter().find(|item| !item.found.memory.would_change().is_empty()).expect("a correction");
    let done =
        rig.engine().act(&Action::Reject(correction.found.memory.slug.clone()), "ada").expect("rejected");
    assert!(done.said.ends_with("speaks again"), "{}", done.said);
    assert!(told(&rig).contains("must stay at 5"), "{}", told(&rig));
    rig.engine().undo("ada").expect("undone").expect("something");
    assert_eq!(told(&rig), "");
}

#[test]
fn what_is_found_anew_stands_beside_what_somebody_spoke_against() {
    let rig = Rig::new();
    lived(&rig, &["can a job be tried 20 times?", CLAIM, NO, "You are right, I raised it."]);
    let doubted =
        rig.engine().review().expect("a queue").into_iter().find(|item| item.found.memory.is_doubted());
    let doubted = doubted.expect("a doubted memory").found.memory;
    let news =
        proposal("Tries of a job", "`MAX_TRIES` in `src/queue.rs` is 5, and `enqueue_job` counts from zero.");
    let found = rig.engine().admit(&news, &plain(), Channel::Agent).expect("judged").saved.expect("saved");
    assert_ne!(found.slug, doubted.slug);
    assert!(told(&rig).contains("counts from zero"), "{}", told(&rig));
    // A person's own word brings the memory back, without what was denied.
    let title = doubted.now().expect("a fold").title.to_owned();
    let own = entry(&title, "The broker never drops a job.");
    rig.engine().add(&own, Whose::Project, Channel::Person).expect("added");
    assert!(
        told(&rig).contains("never drops a job") && !told(&rig).contains("drops a job after five"),
        "{}",
        told(&rig)
    );
}

#[test]
fn one_projects_session_changes_nothing_that_is_known_everywhere() {
    let rig = Rig::new();
    let own = |channel| {
        let known =
            entry("Installing", "Packages of jobs are installed with npm, the queue has no other tool.");
        rig.engine().add(&known, Whose::Person, channel).expect("added").slug
    };
    let slug = own(Channel::Agent);
    let talk = [
        "install it",
        "Installed with npm.",
        "no, the packages of jobs are installed with pnpm now, we gave npm up for the queue",
        "Ok.",
    ];
    lived(&rig, &talk);
    let memory = || rig.engine().show(&slug).expect("there").memory;
    assert!(memory().may_speak() && memory().entries.len() == 1);
    for item in rig.engine().review().expect("a queue") {
        assert_eq!(item.found.memory.would_change(), [], "{}", item.why);
        let seen = item.found.memory.entries.iter().map(|known| known.id).collect();
        let changes = vec![(Change::Replaces, slug.clone())];
        rig.engine().act(&Action::Approve(item.found.memory.slug, seen, changes), "ada").expect("approved");
    }
    assert!(memory().may_speak(), "another project goes on as it did");
}

#[test]
fn what_an_agent_tells_its_sub_agent_is_no_persons_word() {
    let rig = Rig::new();
    lived(&rig, &["can a job be tried 20 times?", CLAIM]);
    let sent = session(&[NO, "Looked.", "remember: jobs are free of charge here", "Ok."]).of_sub_agent();
    let found = rig.engine().extract(&sent, How::default()).expect("learned");
    assert!(found.denied.is_empty() && found.judged.is_empty(), "{found:?}");
    assert!(told(&rig).contains("must stay at 5"));
}

#[test]
fn a_persons_words_are_known_only_where_they_are_said() {
    let rig = Rig::new();
    let claim = "Prices in `src/queue.rs` are floats in euros, because the bank takes euros and never cents.";
    let old = rig.engine().add(&entry("Prices are in euros", claim), Whose::Project, Channel::Agent);
    rig.engine().act(&Action::Reject(old.expect("added").slug), "ada").expect("rejected");
    lived(&rig, &["send the amount", "Sent.", "remember: the bank takes cents, not euros", "Ok."]);
    let waits: Vec<String> = rig
        .engine()
        .review()
        .expect("a queue")
        .iter()
        .map(|item| item.found.memory.slug.to_string())
        .collect();
    assert_eq!(waits, ["the-bank-takes-cents-not-euros"]);
    // What a person said for the moment does not speak at once either.
    let rig = Rig::new();
    lived(
        &rig,
        &[
            "look at the queue",
            "Looked.",
            "`MAX_TRIES` in `src/queue.rs` must be 5, because the broker wants it so",
            "Ok.",
        ],
    );
    assert_eq!(told(&rig), "");
}

#[test]
fn a_claim_that_is_denied_before_it_was_learned_is_not_learned() {
    let rig = Rig::new();
    let talk = ["can a job be tried 20 times?", CLAIM, NO, "You are right, I raised it."];
    rig.engine().extract(&session(&talk), How::default()).expect("learned");
    assert!(!rig.everything().contains("must stay at 5, because"), "{}", rig.everything());
}

#[test]
fn what_a_person_said_once_stays_until_they_decide() {
    let rig = Rig::new();
    let old = entry("Tests of the queue", "The tests of the queue run on sqlite, in memory.");
    let old = rig.engine().add(&old, Whose::Project, Channel::Person).expect("added").slug;
    let talk = [
        "add a test for the queue",
        "Added one that uses sqlite.",
        "no, the tests run on postgres now, we gave sqlite up",
        "Changed.",
    ];
    let denied = lived(&rig, &talk);
    assert_eq!(
        denied.iter().map(|denied| (&denied.slug, denied.is_held)).collect::<Vec<_>>(),
        [(&old, false)]
    );
    let shown = || rig.injected("on what do the tests of the queue run");
    assert!(shown().contains("run on sqlite") && !shown().contains("postgres"), "{}", shown());
    approve_correction(&rig, &old);
    assert!(!shown().contains("run on sqlite") && shown().contains("postgres"), "{}", shown());
    rig.engine().undo("ada").expect("undone").expect("something");
    assert!(shown().contains("run on sqlite"), "{}", shown());
}

#[test]
fn talk_about_the_work_denies_nothing() {
    for reply in [
        "no problem, leave it as it is",
        "nope, the test still fails, same line as before",
        "are you sure?",
        "ok, then write that into the readme please",
        "yes, and the worker reads it too",
        "no wait, i meant the other file",
        "that's right",
        "true",
    ] {
        let rig = Rig::new();
        let denied = lived(&rig, &["can a job be tried 20 times?", CLAIM, reply, "Done."]);
        assert!(denied.is_empty(), "{reply}: {denied:?}");
        assert!(told(&rig).contains("must stay at 5"), "{reply}: {}", told(&rig));
    }
}

#[test]
fn a_dry_run_says_what_is_denied_and_holds_nothing_back() {
    let rig = Rig::new();
    lived(&rig, &["can a job be tried 20 times?", CLAIM]);
    let how = How { dry_run: true, ..How::default() };
    let talk = session(&["can a job be tried 20 times?", CLAIM, NO, "You are right, I raised it."]);
    let found = rig.engine().extract(&talk, how).expect("looked");
    assert!(found.denied.len() == 1 && found.denied[0].is_held, "{:?}", found.denied);
    assert!(told(&rig).contains("must stay at 5"));
}

#[test]
fn a_rule_is_called_before_what_it_is_about_is_done() {
    let rig = Rig::new();
    rig.file("migrations/001.sql", "create table jobs (id int);");
    let talk = [
        "fix the queue",
        "Fixed.",
        "never edit a migration that is merged",
        "Ok.",
        "we use pnpm here, not npm",
        "Ok.",
    ];
    lived(&rig, &talk);
    for item in rig.engine().review().expect("a queue") {
        let memory = item.found.memory;
        let seen = memory.entries.iter().map(|known| known.id).collect();
        rig.engine().act(&Action::Approve(memory.slug, seen, Vec::new()), "ada").expect("approved");
    }
    let told = |files: &[&str], command: &str| {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let task = TaskContext { files, command: command.to_owned(), ..TaskContext::default() };
        rig.engine().inject(&task, &Wish::default()).expect("an injection").block
    };
    assert!(told(&["migrations/001.sql"], "").contains("a migration that is merged"));
    assert!(told(&[], "npm install left-pad").contains("pnpm here, not npm"));
    assert_eq!(told(&["src/queue.rs"], "cargo test"), "");
}

#[test]
fn two_rules_of_one_message_wait_as_two_and_each_has_its_own_occasion() {
    let rig = Rig::new();
    rig.file("generated/client.ts", "export {};");
    let said = "always run ruff before committing, and never touch generated/ by hand. Also the API port is 8088 not 8080";
    lived(&rig, &["fix the queue", "Fixed.", said, "Ok."]);
    let mut waits: Vec<(String, Vec<String>)> = Vec::new();
    for item in rig.engine().review().expect("a queue") {
        let fold = item.found.memory.now().expect("a fold");
        let is_act = |trigger: &&&Trigger| matches!(trigger, Trigger::Command(_) | Trigger::Path(_));
        let acts = fold.when_to_use.iter().filter(is_act).map(|trigger| trigger.text().to_owned());
        waits.push((fold.title.to_owned(), acts.collect()));
    }
    let waits: Vec<(&str, String)> =
        waits.iter().map(|(title, acts)| (title.as_str(), acts.join(" "))).collect();
    assert_eq!(
        waits,
        [
            ("Always run ruff before committing", "git commit".to_owned()),
            ("Never touch generated/ by hand", "generated/**".to_owned()),
            ("The API port is 8088 not 8080", String::new()),
        ]
    );
}

/// What became of an author's sessions.
#[derive(Debug, Default)]
struct Counts {
    /// Claims of the agent that the person denied, and of which agents were told once; and those that they are told still.
    told_before: usize,
    told_still: usize,
    /// Memories that the person corrected, those of them that a correction would replace, and others that one would.
    corrected: usize,
    named: usize,
    in_vain: usize,
}

impl Counts {
    fn play(&mut self, case: &Value) {
        let rig = Rig::new();
        for (path, text) in case["files"].as_object().expect("files") {
            rig.file(path, text.as_str().expect("a text"));
        }
        let add = |known: &Value| {
            let said = |field: &str| known[field].as_str().expect("a text");
            let channel = if said("by") == "person" { Channel::Person } else { Channel::Agent };
            let entry = entry(said("title"), &format!("# {}\n\n{}\n", said("title"), said("text")));
            rig.engine().add(&entry, Whose::Project, channel).expect("added").slug
        };
        let known: Vec<Slug> = list(&case["known"]).map(add).collect();
        let said: Vec<&str> = list(&case["turns"])
            .flat_map(|turn| [&turn["user"], &turn["agent"]])
            .map(|text| text.as_str().expect("a text"))
            .collect();
        let denied: Vec<&str> = list(&case["withdrawn"]).filter_map(Value::as_str).collect();
        let mut once = vec![false; denied.len()];
        for end in (2..=said.len()).step_by(2) {
            rig.engine().extract(&session(&said[..end]), How::default()).expect("learned");
            let speaks = spoken(&rig);
            denied.iter().zip(&mut once).for_each(|(claim, once)| *once |= speaks.contains(claim));
        }
        let speaks = spoken(&rig);
        self.told_before += once.iter().filter(|once| **once).count();
        self.told_still += denied.iter().filter(|claim| speaks.contains(**claim)).count();
        let memories = rig.engine().list(&Filter::default()).expect("listed").memories;
        let changed = memories.iter().flat_map(|found| found.memory.would_change());
        let changed: Vec<Slug> = changed.map(|(_, slug)| slug).collect();
        let corrected: Vec<usize> =
            list(&case["corrected"]).filter_map(|n| usize::try_from(n.as_u64()?).ok()).collect();
        self.corrected += corrected.len();
        for (n, _) in known.iter().enumerate().filter(|(_, slug)| changed.contains(slug)) {
            if corrected.contains(&n) {
                self.named += 1;
            } else {
                self.in_vain += 1;
            }
        }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// All that agents may be told.
fn spoken(rig: &Rig) -> String {
    let memories = rig.engine().list(&Filter::default()).expect("listed").memories;
    let told = memories.iter().filter_map(|found| found.memory.for_agents());
    told.filter(|fold| fold.may_be_injected()).map(|fold| fold.text()).collect()
}

#[test]
fn what_people_nobody_learned_from_deny_is_mostly_heard() {
    let text = include_str!("../fixtures/corrected-unseen.jsonl");
    let mut counts = Counts::default();
    for line in text.lines() {
        counts.play(&serde_json::from_str(line).expect("a session"));
    }
    assert!(counts.told_before >= 5 && counts.told_still <= 1, "{counts:?}");
    assert!(counts.named >= 9 && counts.corrected == 13 && counts.in_vain <= 4, "{counts:?}");
}
