//! Sessions in files: nothing lost among writers, editors and crashes.

use std::fs;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use rawko_core::session::{
    AttemptResult, Message, Revision, Role, SessionId, SessionStatus, State, Step, Update,
};
use rawko_store::{Layout, Sessions};
use serde_json::json;
use tempfile::TempDir;

fn now() -> Timestamp {
    "2026-01-23T10:30:00Z".parse().unwrap()
}

fn begun() -> (TempDir, Sessions, SessionId) {
    let folder = tempfile::tempdir().unwrap();
    let layout = Layout::at(folder.path().join(".rawko"));
    layout.create().unwrap();
    let sessions = Sessions::at(layout);
    let id = sessions.start("A task", "developer", now()).unwrap();
    (folder, sessions, id)
}

fn memory(sessions: &Sessions, id: &SessionId) -> PathBuf {
    sessions.folder(id).join("agent-memory.yaml")
}

fn discover(content: &str) -> Update {
    let entry = json!({ "id": "", "timestamp": "2026-01-23", "type": "data_model", "importance": "low", "content": content });
    Update::Discover(serde_json::from_value(entry).unwrap())
}

fn start(description: &str) -> Update {
    let entry =
        json!({ "id": "", "timestamp": "2026-01-23", "description": description, "result": "in_progress" });
    Update::Start(serde_json::from_value(entry).unwrap())
}

fn finish(result: &str) -> Update {
    Update::Attempt { id: None, changes: json!({ "result": result }).as_object().cloned().unwrap() }
}

fn contents(sessions: &Sessions, id: &SessionId) -> Vec<String> {
    let read = sessions.read_whole(id).unwrap();
    assert_eq!(read.problems, []);
    read.memories
        .into_iter()
        .flat_map(|memory| memory.discoveries)
        .map(|discovery| discovery.content)
        .collect()
}

#[test]
fn writers_at_the_same_moment_lose_nothing() {
    let (_folder, sessions, id) = begun();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (sessions, id) = (&sessions, &id);
            scope.spawn(move || {
                for n in 0..24 {
                    let agent = if n % 2 == 0 { "developer" } else { "tester" };
                    sessions.update(id, agent, &discover(&format!("{writer} {n}")), now()).unwrap();
                }
            });
        }
    });
    let mut found = contents(&sessions, &id);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 192);
    let read = sessions.read(&id).unwrap();
    let ids: Vec<&str> = read.memories[0].discoveries.iter().map(|discovery| discovery.id.as_str()).collect();
    let expected: Vec<String> = (1..=96).map(|n| format!("discovery-{n:03}")).collect();
    assert_eq!(ids, expected);
}

#[test]
fn every_attempt_of_every_session_is_given_the_oldest_first_and_from_the_archive_too() {
    let (_folder, sessions, first) = begun();
    sessions.update(&first, "developer", &start("One"), now()).unwrap();
    sessions.update(&first, "developer", &finish("failure"), now()).unwrap();
    let later = now() + SignedDuration::from_hours(5);
    assert_eq!(sessions.archive(&first, later, later).unwrap().moved, 1);
    sessions.update(&first, "tester", &start("Two"), later).unwrap();
    let second = sessions.start("Another", "developer", later).unwrap();
    sessions.update(&second, "developer", &start("Three"), later).unwrap();
    // A session that cannot be read hides no other.
    let broken = sessions.start("Broken", "developer", later + SignedDuration::from_secs(1)).unwrap();
    fs::write(memory(&sessions, &broken), b"\xff").unwrap();
    let mut all: Vec<(SessionId, String, String, AttemptResult)> = sessions
        .attempts()
        .unwrap()
        .map(|(id, agent, attempt)| (id, agent, attempt.description, attempt.result))
        .collect();
    all[..2].sort_by(|a, b| a.2.cmp(&b.2));
    assert_eq!(
        all,
        [
            (first.clone(), "developer".into(), "One".into(), AttemptResult::Failure),
            (first, "tester".into(), "Two".into(), AttemptResult::InProgress),
            (second, "developer".into(), "Three".into(), AttemptResult::InProgress),
        ]
    );
}

#[test]
fn a_crash_between_archive_and_file_neither_loses_nor_doubles() {
    let (_folder, sessions, id) = begun();
    for n in 0..5 {
        sessions.update(&id, "developer", &discover(&format!("old {n}")), now()).unwrap();
    }
    let before = fs::read(memory(&sessions, &id)).unwrap();
    let later = now() + SignedDuration::from_hours(5);
    assert_eq!(sessions.archive(&id, later, later).unwrap().moved, 5);
    // The archive is there, and the file is as it was: what a crash in between leaves.
    fs::write(memory(&sessions, &id), before).unwrap();
    let all = ["old 0", "old 1", "old 2", "old 3", "old 4"];
    assert_eq!(contents(&sessions, &id), all);
    let archive = sessions.folder(&id).join("agent-memory-archive.yaml");
    let text = fs::read_to_string(&archive).unwrap();
    assert_eq!(sessions.archive(&id, later, later).unwrap().moved, 5);
    assert_eq!(fs::read_to_string(&archive).unwrap(), text, "nothing is written twice");
    assert_eq!(contents(&sessions, &id), all);
    assert_eq!(sessions.archive(&id, later, later).unwrap().moved, 0);
}

#[test]
fn a_full_archive_is_followed_by_another_and_all_are_read() {
    let (_folder, sessions, id) = begun();
    for n in 0..22 {
        let at = now() + SignedDuration::from_hours(3 * n);
        sessions.update(&id, "developer", &discover(&format!("{n} {}", "x".repeat(250_000))), at).unwrap();
    }
    assert!(sessions.folder(&id).join("agent-memory-archive-002.yaml").exists());
    let numbers: Vec<String> =
        contents(&sessions, &id).iter().map(|text| text.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(numbers, (0..22).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn plan_conversation_and_state_grow_and_end_is_said() {
    let (_folder, sessions, id) = begun();
    let path = |name: &str| sessions.folder(&id).join(name);
    fs::write(path("plan.yaml"), format!("# mine\n{}", fs::read_to_string(path("plan.yaml")).unwrap()))
        .unwrap();
    let steps = vec![Step { description: "One".into(), status: Some("pending".into()) }];
    let revision = Revision { agent: None, reason: Some("new facts".into()), steps };
    assert_eq!(sessions.plan(&id, &revision, now()).unwrap(), "plan-001");
    assert_eq!(sessions.plan(&id, &revision, now()).unwrap(), "plan-002");
    let message =
        Message { role: Role::Agent, agent: Some("developer".into()), content: "Done.\nReally.\n".into() };
    assert_eq!(sessions.say(&id, &message, now()).unwrap(), "message-002");
    let state = State { state: Some("running".into()), agent: Some("tester".into()), round: Some(2) };
    sessions.set_state(&id, &state, now()).unwrap();
    sessions.end(&id, SessionStatus::Stopped, Some("by Ctrl-C"), now()).unwrap();
    let metadata = sessions.metadata(&id).unwrap();
    assert_eq!((metadata.status, metadata.summary.as_deref()), (SessionStatus::Stopped, Some("by Ctrl-C")));
    assert!(fs::read_to_string(path("plan.yaml")).unwrap().starts_with("# mine\n"));
    assert!(fs::read_to_string(path("context.yaml")).unwrap().contains("round: 2"));
    let files = sessions.files(&id).unwrap();
    assert!(files.iter().all(|file| file.problems.is_empty()), "{files:?}");
    assert!(sessions.newest_open().is_err());
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_kept() {
    let (_folder, sessions, id) = begun();
    let path = memory(&sessions, &id);
    let text = fs::read_to_string(&path).unwrap().replace('\n', "\r\n");
    fs::write(&path, format!("\u{feff}{text}# mine\r\n")).unwrap();
    sessions.update(&id, "developer", &discover("x"), now()).unwrap();
    let after = fs::read_to_string(&path).unwrap();
    assert!(after.starts_with('\u{feff}') && after.contains("# mine\r\n"), "{after:?}");
    assert_eq!(contents(&sessions, &id), ["x"]);
}

#[test]
fn sessions_sort_as_they_began_within_a_second_too() {
    let (_folder, sessions, first) = begun();
    let mut begun = vec![first];
    for n in 0..40 {
        // At the very same moment, and a little later in the same second.
        let at = now() + SignedDuration::from_millis(n / 4);
        begun.push(sessions.start("A task", "developer", at).unwrap());
        assert_eq!(sessions.newest_open().unwrap(), begun[begun.len() - 1]);
    }
    begun.reverse();
    assert_eq!(sessions.ids().unwrap(), begun);
    let later = sessions.start("A task", "developer", now() + SignedDuration::from_millis(500)).unwrap();
    assert!(later.as_str().starts_with("20260123-103000-7a120"), "{later}: half a million microseconds");
}

#[test]
fn archived_entries_stand_among_the_others_by_their_time() {
    let (_folder, sessions, id) = begun();
    sessions.update(&id, "developer", &start("It goes on"), now()).unwrap();
    sessions.update(&id, "developer", &start("Newer"), now() + SignedDuration::from_secs(1)).unwrap();
    sessions.update(&id, "developer", &finish("failure"), now()).unwrap();
    let order = || {
        let memory = sessions.read_whole(&id).unwrap().memories.remove(0);
        memory.attempts.into_iter().map(|attempt| attempt.description).collect::<Vec<_>>()
    };
    let before = order();
    let later = now() + SignedDuration::from_hours(5);
    assert_eq!(sessions.archive(&id, later, later).unwrap().moved, 1);
    assert_eq!((order(), before.last().map(String::as_str)), (before.clone(), Some("Newer")));
}

#[test]
fn a_name_that_was_archived_adds_nothing_again() {
    let (_folder, sessions, id) = begun();
    let named = json!({ "id": "mine", "timestamp": "2026-01-23", "type": "data_model", "importance": "low", "content": "x" });
    let named = Update::Discover(serde_json::from_value(named).unwrap());
    assert!(!sessions.update(&id, "developer", &named, now()).unwrap().already);
    let later = now() + SignedDuration::from_hours(5);
    assert_eq!(sessions.archive(&id, later, later).unwrap().moved, 1);
    assert!(sessions.update(&id, "developer", &named, later).unwrap().already);
    assert!(!sessions.update(&id, "tester", &named, later).unwrap().already, "each agent has its own names");
    assert_eq!(contents(&sessions, &id), ["x", "x"]);
}

#[test]
fn a_file_that_is_gone_is_a_problem() {
    let (_folder, sessions, id) = begun();
    fs::remove_file(memory(&sessions, &id)).unwrap();
    fs::remove_file(sessions.folder(&id).join("plan.yaml")).unwrap();
    let files = sessions.files(&id).unwrap();
    let wrong: Vec<&str> =
        files.iter().flat_map(|file| &file.problems).map(|problem| problem.what.as_str()).collect();
    assert_eq!((files.len(), wrong), (5, vec!["plan.yaml is not there", "agent-memory.yaml is not there"]));
}
