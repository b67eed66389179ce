//! The right memory is reached in a store of any size, whatever else is in it.

use std::fs;
use std::process::Command;

use rawko::core::{EntryId, Profile};
use rawko::{Injection, TaskContext, Whose, Wish};

use crate::rig::Rig;

/// Words that say nothing of any task here.
const WORDS: [&str; 24] = [
    "meeting", "garden", "river", "window", "people", "morning", "paper", "street", "winter", "letter",
    "table", "music", "train", "market", "bridge", "summer", "story", "picture", "kitchen", "teacher",
    "doctor", "island", "mountain", "village",
];

/// A memory's file: fields as YAML beside those that every memory has, and a body.
fn memory(title: &str, when: &str, fields: &str, body: &str) -> String {
    format!(
        "---\ntitle: \"{title}\"\nwhenToUse: {when}\ndiscoveredAt: 2026-01-01T00:00:00Z\ndiscoveredBy: developer\n\
         {fields}\n---\n\n{body}\n"
    )
}

fn put(rig: &Rig, slug: &str, text: &str) {
    rig.file(&format!(".rawko/memories/{slug}.md"), text);
}

/// Approves every memory whose name starts so, and builds the index.
fn settle(rig: &Rig, approved: &str) {
    let engine = rig.engine();
    let all = engine.list(&rawko::Filter::default()).expect("a list").memories;
    let own = all.iter().filter(|found| found.memory.slug.as_str().starts_with(approved));
    let ids: Vec<EntryId> = own.flat_map(|found| found.memory.entries.iter().map(|known| known.id)).collect();
    engine.store(Whose::Project).expect("a store").approve(&ids).expect("approved");
    engine.rebuild(Whose::Project, &mut |_, _| {}).expect("an index");
}

fn ask(rig: &Rig, task: &TaskContext, profile: Profile) -> Injection {
    let wish = Wish { profile: Some(profile), ..Wish::default() };
    rig.engine().inject(task, &wish).expect("an injection")
}

fn chosen(injection: &Injection) -> Vec<&str> {
    let chosen = injection.considered.iter().filter(|one| one.judged.outcome.is_chosen());
    chosen.map(|one| one.judged.slug.as_str()).collect()
}

#[test]
fn classic_takes_the_best_by_its_score_however_many_triggers_match() {
    let rig = Rig::new();
    for n in 0..150 {
        // The names go against the scores, and half of the triggers are louder than the best one's.
        let (when, importance) =
            if n < 145 { ("deploy the shop", "low") } else { ("\"deploy\"", "critical") };
        let text = memory(&format!("Note {n}"), when, &format!("importance: {importance}"), "Some words.");
        put(&rig, &format!("own-{n:03}"), &text);
    }
    settle(&rig, "own");
    let task = TaskContext::of("deploy the shop");
    let found = ask(&rig, &task, Profile::Classic);
    assert_eq!(chosen(&found), ["own-145", "own-146", "own-147", "own-148", "own-149"]);
}

#[test]
fn patterns_that_nobody_approved_take_nothing_from_those_that_somebody_did() {
    let rig = Rig::new();
    for n in 0..60 {
        let costly: Vec<String> = (0..100).map(|m| format!("\"[a-z]?.?{}{}?\"", n, m)).collect();
        let text = memory("Foreign", &format!("[{}]", costly.join(", ")), "importance: low", "Some words.");
        put(&rig, &format!("foreign-{n:03}"), &text);
    }
    let when = "[{command: \"kubectl.*(-n|--namespace)[ =]prod\"}]";
    put(&rig, "own-rule", &memory("Ask before you touch prod", when, "importance: high", "Some words."));
    settle(&rig, "own");
    let task = TaskContext { command: "kubectl delete pod -n prod".into(), ..TaskContext::default() };
    assert_eq!(chosen(&ask(&rig, &task, Profile::Hybrid)), ["own-rule"]);
}

#[test]
fn a_filter_loses_no_match_behind_the_best_hundred() {
    let rig = Rig::new();
    for n in 0..150 {
        let word = |k: usize| WORDS[(n / 8 + k) % WORDS.len()];
        let body = format!("The {} of the {} saw the worker, the cache and the queue.", word(1), word(2));
        let title = format!("Note {n} on the {}", word(0));
        put(&rig, &format!("own-{n:03}"), &memory(&title, "never", "importance: low", &body));
    }
    let fields = "importance: low\ntags: [kitchen]";
    put(&rig, "own-coffee", &memory("Coffee", "coffee", fields, "The worker at the queue for coffee."));
    settle(&rig, "own");
    let is_tagged = |memory: &rawko::Memory| memory.now().is_some_and(|fold| fold.tags == ["kitchen"]);
    let hits = rig.engine().search("worker cache queue", 5, is_tagged).expect("a search").hits;
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].memory.slug.as_str(), "own-coffee");
}

/// Words of a chronicle that is about nothing in particular.
fn chronicle(words: usize) -> String {
    // Each paragraph has three words of its own.
    let sentence = |n: usize| {
        let word = |k: usize| WORDS[(n / 8 + k) % WORDS.len()];
        format!("The {} of the {} and the {} saw a {}.", word(0), word(1), word(2), word(0))
    };
    let sentences: Vec<String> = (0..words / 11).map(sentence).collect();
    sentences.chunks(8).map(|some| some.join(" ")).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn a_passage_in_a_long_body_is_found() {
    let rig = Rig::new();
    for n in 0..60 {
        let body = format!("Module {n} of the importer reads a spreadsheet and writes rows into table {n}.");
        put(
            &rig,
            &format!("own-{n:03}"),
            &memory(&format!("Importer {n}"), "never", "importance: low", &body),
        );
    }
    let passage = "The payment gateway drops webhooks that are answered later than ten seconds, so the refund worker must \
                   acknowledge first and book the refund afterwards.";
    let body = format!("{}\n\n{passage}\n\n{}", chronicle(2500), chronicle(2500));
    put(&rig, "own-chronicle", &memory("Chronicle of the year", "never", "importance: high", &body));
    settle(&rig, "own");
    let task =
        TaskContext::of("The payment gateway drops our webhooks, make the refund worker acknowledge faster");
    let found = ask(&rig, &task, Profile::Hybrid);
    assert_eq!(chosen(&found), ["own-chronicle"]);
    assert!(found.block.contains("acknowledge first and book the refund"), "{}", found.block);
    let hits = rig.engine().search(&task.task, 5, |_| true).expect("a search").hits;
    assert_eq!(hits[0].memory.slug.as_str(), "own-chronicle");
    let other = TaskContext::of("Add a dark mode switch to the settings page");
    assert_eq!(chosen(&ask(&rig, &other, Profile::Hybrid)), [""; 0]);
}

#[test]
fn a_file_renamed_among_many_is_found() {
    let rig = Rig::new();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(rig.project());
        git.env("GIT_COMMITTER_DATE", "2025-12-01T00:00:00Z").output()
    };
    if git(&["init", "-q", "."]).is_err() {
        eprintln!("SKIPPED: there is no git to make a repository with");
        return;
    }
    let filler = "export const unrelated = () => 42;\n".repeat(600);
    for n in 0..400 {
        rig.file(&format!("src/f{n:03}.ts"), &filler);
    }
    rig.file("src/a.ts", "export const POOL_SIZE = 17;\n");
    assert!(git(&["add", "src"]).is_ok() && git(&["commit", "-q", "-m", "x"]).is_ok());
    let fields = "importance: high\nevidence: [{file: src/a.ts, text: \"POOL_SIZE = 17\"}]";
    put(
        &rig,
        "own-pool",
        &memory("The pool has 17 connections", "pool size", fields, "The pool size is 17."),
    );
    settle(&rig, "own");
    fs::rename(rig.project().join("src/a.ts"), rig.project().join("src/zz.ts")).expect("renamed");
    let found = ask(&rig, &TaskContext::of("Raise the pool size of the connections"), Profile::Hybrid);
    let stale: Vec<_> = found.considered.iter().filter_map(|one| one.stale.clone()).collect();
    assert_eq!(stale, ["src/a.ts moved to src/zz.ts"]);
}
