//! G5: a person's edits win, and what nobody edits stays as it is, byte for byte.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rawko::store::contract;
use rawko::{Channel, Store, Target};

use crate::rig::{Rig, check};
use crate::trace;

/// How a program saves a file.
#[derive(Clone, Copy, Debug)]
enum Editor {
    Rename,
    InPlace,
    Git,
}

/// A person's version of the memory: longer than any entry that is appended.
fn version(n: usize) -> String {
    let note = "A line that a person wrote and wants to keep.\n".repeat(20);
    let front =
        "title: Alpha\nwhenToUse: deploy\nimportance: high\ndiscoveredAt: 2026-01-01\ndiscoveredBy: me";
    format!("---\n{front}\n---\n\n# By hand {n}\n\n{note}")
}

fn save(rig: &Rig, editor: Editor, n: usize) {
    let path = rig.memory("alpha");
    match editor {
        Editor::Rename => {
            let temporary = rig.root().join("memories/.alpha.md.swp");
            fs::write(&temporary, version(n)).expect("the editor writes its copy");
            fs::rename(temporary, path).expect("the editor replaces the file");
        }
        Editor::InPlace => fs::write(path, version(n)).expect("the editor saves in place"),
        // Git removes the file and makes it anew, and refuses if rawko made it in between: then a
        // person tries again.
        Editor::Git => {
            let tag = format!("v{}", n % 2);
            let saved =
                (0..100).any(|_| git(rig, &["checkout", "-q", &tag, "--", ".rawko/memories/alpha.md"]));
            assert!(saved, "git checks an older version out");
        }
    }
}

fn git(rig: &Rig, args: &[&str]) -> bool {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=me", "-c", "user.email=me@example.org"]).args(args);
    command.current_dir(rig.project()).output().expect("git starts").status.success()
}

fn race(editor: Editor, appends: usize) {
    let rig = Rig::new();
    fs::write(rig.memory("alpha"), version(0)).expect("the first version");
    assert!(git(&rig, &["init", "-q"]));
    for n in 0..2 {
        fs::write(rig.memory("alpha"), version(n)).expect("a version");
        let steps: [&[&str]; 3] = [
            &["add", ".rawko/memories/alpha.md"],
            &["commit", "-q", "-m", "a version"],
            &["tag", &format!("v{n}")],
        ];
        assert!(steps.iter().all(|args| git(&rig, args)), "git keeps a version");
    }
    let mut saves = 0;
    let (done, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    let append = |n: usize| {
        let entry = contract::entry("Alpha", &format!("# Entry {n}\n\nBy rawko."), n as i64);
        rig.store().append(&entry, &Target::Title, Channel::Agent).expect("an entry is saved")
    };
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                append(written.fetch_add(1, Ordering::Relaxed));
            }
        });
        while written.load(Ordering::Relaxed) < appends && !writer.is_finished() {
            save(&rig, editor, saves);
            saves += 1;
        }
        done.store(true, Ordering::Release);
    });
    save(&rig, editor, saves);
    let last = if matches!(editor, Editor::Git) { version(saves % 2) } else { version(saves) };
    let from = written.into_inner();
    let later: Vec<_> =
        (from..from + 5).map(|n| (append(n).slug.to_string(), format!("# Entry {n}\n\nBy rawko."))).collect();
    rig.store().settle(Duration::from_secs(1)).expect("the spool is moved");
    let file = fs::read_to_string(rig.memory("alpha")).expect("the memory is text");
    assert!(file.starts_with(&last), "{editor:?}: every byte that was saved last is there:\n{file}");
    let (found, errors) = rig.entries();
    assert_eq!(errors, 0, "{editor:?}");
    let possible: Vec<_> = found.keys().cloned().collect();
    check(&found, &later, &possible).unwrap_or_else(|wrong| panic!("{editor:?}: {wrong}"));
    println!("editor_race: {editor:?}: {saves} saves against {from} appends");
}

#[test]
fn editor_race() {
    race(Editor::Rename, 100);
    race(Editor::InPlace, 100);
    race(Editor::Git, 100);
}

/// Saves at every moment between an append's first look at its file and its sync, with the appending process stopped.
#[test]
fn editor_race_at_every_call() {
    if !trace::is_possible() {
        return;
    }
    // It holds a fence, so that below an open one it would not be read.
    let body = "# Entry\n\n```\nBy rawko.\n```";
    let words = ["add", "--title", "Alpha", "--content", body];
    let start = || {
        let rig = Rig::new().by_table();
        fs::write(rig.memory("alpha"), version(0)).expect("the first version");
        rig
    };
    let (_, calls) = start().traced(&words, None);
    let synced = calls.iter().position(|call| call.name == "fsync" && call.is_below("/memories/alpha.md"));
    let upto = &calls[..=synced.expect("the memory is synced")];
    let written = upto.iter().rposition(|call| call.name == "write" && call.is_below("/memories/alpha.md"));
    let last_look = &calls[written.expect("the memory is written") - 1];
    assert!(last_look.is_below("/memories/alpha.md"), "the file is looked at right before: {last_look:?}");
    // It ends in an open fence, without a line end: what is put below it blindly is not read. The second is as long as
    // what was there: no look at a length sees it.
    let saved = format!("{}\n```\nopen", version(1));
    let kept = version(1).len() - "\n```\nopen".len();
    let as_long = format!("{}\n```\nopen", &version(1)[..kept]);
    assert_eq!(as_long.len(), version(0).len());
    let mut saves = 0;
    for call in upto.iter().filter(|call| call.is_below("/memories/alpha.md")) {
        for (saved, in_place) in [(&saved, true), (&saved, false), (&as_long, true), (&as_long, false)] {
            let rig = start();
            let ran = rig.stopped(&words, call, || {
                let copy = rig.root().join("memories/.alpha.md.swp");
                let path = if in_place { rig.memory("alpha") } else { copy.clone() };
                fs::write(path, saved).expect("the editor writes");
                assert!(
                    in_place || fs::rename(copy, rig.memory("alpha")).is_ok(),
                    "the editor replaces the file"
                );
            });
            let place =
                format!("stopped at {} number {}, in place: {in_place}: {ran:?}", call.name, call.nth);
            assert_eq!(ran.code, Some(0), "{place}");
            rig.store().settle(Duration::from_secs(1)).expect("the spool is moved");
            let file = fs::read_to_string(rig.memory("alpha")).expect("the memory is text");
            assert!(file.starts_with(saved), "{place}: every byte that was saved is there:\n{file}");
            let (found, errors) = rig.entries();
            let ours = ("alpha".to_owned(), body.to_owned());
            assert_eq!((found.get(&ours), errors), (Some(&1), 0), "{place}:\n{file}");
            // Nothing was put blindly into what a person had just saved. Between the last look and the
            // write nobody can help it: there the entry stands once more, where it is read.
            let is_last = in_place && (&call.name, call.nth) == (&last_look.name, last_look.nth);
            // That a file is as long as before is all that the last look sees.
            let is_too_late = is_last || saved.len() == version(0).len();
            assert!(is_too_late || file.matches("By rawko.").count() == 1, "{place}:\n{file}");
            saves += 1;
        }
    }
    println!("editor_race_at_every_call: {saves} saves in the middle of an append");
}

#[test]
fn roundtrip_bytes() {
    let rig = Rig::new();
    let plain = version(1);
    let files = [
        ("bom", format!("\u{feff}{plain}").into_bytes()),
        ("crlf", plain.replace('\n', "\r\n").into_bytes()),
        ("no-newline", plain.trim_end().as_bytes().to_vec()),
        ("blank-end", format!("{plain}\n\n  \n").into_bytes()),
        ("damaged", b"---\ntitle: cut o".to_vec()),
        ("not-utf8", b"---\ntitle: \xff\n---\n".to_vec()),
        ("empty", Vec::new()),
    ];
    files.iter().for_each(|(name, bytes)| fs::write(rig.memory(name), bytes).expect("a file is written"));
    for args in [
        &["list"][..],
        &["show", "bom"],
        &["show", "crlf", "--history"],
        &["validate"],
        &["doctor"],
        &["add", "--title", "Other", "--content", "# Other\n\nx"],
        &["add", "--title", "Other", "--content", "# More\n\nx"],
        &["trust", "--yes"],
        &["trust", "--revoke"],
        &["init"],
    ] {
        assert!(rig.run(args).code.is_some(), "{args:?}");
        for (name, bytes) in &files {
            assert_eq!(&fs::read(rig.memory(name)).expect("it is there"), bytes, "{name} after {args:?}");
        }
    }
    // An append leaves every byte above it as it was.
    for name in ["bom", "crlf", "no-newline", "blank-end"] {
        let before = fs::read(rig.memory(name)).expect("it is there");
        let slug = rawko::Slug::parse(name).expect("a name");
        let entry = contract::entry("Alpha", "# Appended\n\nx", 0);
        rig.store()
            .append(&entry, &Target::Memory(slug.clone()), Channel::Person)
            .expect("an entry is saved");
        let after = fs::read(rig.memory(name)).expect("it is there");
        assert!(after.len() > before.len() && after.starts_with(&before), "{name}");
        assert_eq!(rig.store().read(&slug).expect("it is read").entries.len(), 2, "{name}");
    }
}
