//! `rawko doctor`: each thing that can be wrong is found, said, and mended where it can be.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, memory, snapshot, workspace};

#[test]
fn a_healthy_store_is_proved_by_using_it() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("add --title Deploy --content x").succeeds();
    assert_snapshot!(sandbox.run("doctor").succeeds().text(), @"
    rawko 0.1.0
    ok   project store     <scratch>/project/.rawko, format 1
    ok   project disk      wrote, synced and read back
    ok   project spool     empty, lock free
    ok   project memories  1 memory, 0 problems
    note person's store    it is empty
                           do: `rawko add --personal` starts it
    ");
    let json = sandbox.run("doctor --json").succeeds().json();
    assert_eq!(json["ok"], true);
    assert_eq!(json["checks"][1]["outcome"], "ok");
}

fn torn() -> String {
    format!("{}\n---\n\n---\ntitle: Torn\nwhenTo", memory("Whole", "kept"))
}

#[test]
fn a_torn_tail_is_found_and_cut_after_a_copy_is_kept() {
    let sandbox = Sandbox::new().memory("torn", torn());
    let _ = sandbox
        .run("doctor")
        .fails(1)
        .says("bad  project memories  1 memory, 1 problem")
        .says("do: run `rawko doctor --repair`");
    let _ = sandbox.run("validate").fails(1).says("an entry is cut off here").says("rawko doctor --repair");
    let _ = sandbox.run("doctor --repair").succeeds().says("cut an unfinished entry off");
    assert_eq!(String::from_utf8(sandbox.read(".rawko/memories/torn.md")), Ok(memory("Whole", "kept")));
    let copies = snapshot(&sandbox.project().join(".rawko/repaired"));
    assert_eq!(copies.len(), 1);
    assert_eq!(copies[0].1, torn().as_bytes());
    let _ = sandbox.run("doctor --repair").succeeds().says("nothing to mend");
    let _ = sandbox.run("show torn").succeeds().says("kept");
}

#[test]
fn an_entry_that_a_person_forgot_to_close_is_never_cut_off() {
    let body = "# How we deploy\n\nAll that a person knows: of it.\n\n- one\n- two\n";
    let whole = memory("By hand", body);
    let unclosed = whole.replacen("\n---\n\n", "\n\n", 1);
    assert_ne!(whole, unclosed);
    let tight = whole.replacen("\n---\n\n", "\n", 1);
    let dashes = whole.replacen("\n---\n\n", "\n----\n\n", 1);
    for (second, line) in [(unclosed, 19), (tight, 19), (dashes, 19)] {
        let text = format!("{}\n---\n\n{second}", memory("Whole", "kept"));
        let sandbox = Sandbox::new().memory("hand", &text);
        let _ = sandbox.run("doctor").fails(1).says("1 memory, 1 problem").says("do: run `rawko validate`");
        let _ =
            sandbox.run("validate --errors-only").fails(1).says(&format!("hand.md:{line}:1")).says("`---`");
        let said = sandbox.run("doctor --repair").fails(1).text();
        assert!(!said.contains("cut"), "{said}");
        assert_eq!(String::from_utf8(sandbox.read(".rawko/memories/hand.md")), Ok(text));
    }
}

#[test]
fn many_doctors_at_once_find_one_healthy_disk() {
    let sandbox = Sandbox::new();
    let spool = sandbox.project().join(".rawko/spool");
    std::thread::scope(|scope| {
        for mends in [false, false, true] {
            let project = sandbox.project();
            scope.spawn(move || {
                for _ in 0..200 {
                    let store = crate::rig::open(&project);
                    store.prove_writable().expect("the disk is well");
                    if mends {
                        let _ = store.repair().expect("nothing to mend");
                    }
                }
            });
        }
    });
    // What a killed doctor leaves is nobody's, and goes with the next repair.
    fs::write(spool.join(".tmp-probe-x"), "rawko doctor").expect("written");
    let _ = sandbox.run("doctor").succeeds().says("0 problems");
    let _ = sandbox.run("doctor --repair").succeeds();
    let left: Vec<_> = snapshot(&spool).into_iter().filter(|(path, _)| !path.ends_with("lock")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_is_passed_over_is_said_by_list_validate_and_doctor() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new().memory("good", memory("Good", "x"));
    let memories = sandbox.project().join(".rawko/memories");
    symlink("good.md", memories.join("link.md")).expect("a link");
    let made = sandbox.command(std::path::Path::new("mkfifo")).arg(memories.join("fifo.md")).status();
    assert!(made.expect("mkfifo runs").success());
    fs::create_dir(memories.join("folder.md")).expect("a folder");
    for name in ["con.md", "x.MD"] {
        fs::write(memories.join(name), memory("Passed over", "x")).expect("written");
    }
    let _ = sandbox.run("list").succeeds().says("good").says("5 files are passed over: rawko validate");
    assert_eq!(sandbox.run("list --json").json()["problems"], 5);
    let _ = sandbox.run("doctor").succeeds().says("1 memory, 0 problems, 5 files passed over");
    let said = sandbox.run("validate").succeeds().text();
    for name in ["link.md", "fifo.md", "folder.md", "con.md", "x.MD"] {
        assert!(said.contains(&format!("{name}:1:1: warning: skipped")), "{name}:\n{said}");
    }
}

#[test]
fn foreign_files_are_named_wherever_they_lie() {
    let sandbox = Sandbox::new()
        .file(".rawko/memories/.hidden.md", "x")
        .file(".rawko/memories/readme.txt", "x")
        .file(".rawko/memories/deep/er/notes.txt", "x")
        .file(".rawko/memories/.gitkeep", "")
        .file(".rawko/spool/notes.txt", "x");
    let said = sandbox.run("doctor").succeeds().out;
    for name in
        ["memories/.hidden.md", "memories/readme.txt", "memories/deep/er/notes.txt", "spool/notes.txt"]
    {
        assert!(said.contains(&format!("{name} is not rawko's")), "{name}:\n{said}");
    }
    assert!(!said.contains(".gitkeep"), "{said}");
    let _ = sandbox.run("doctor --repair").succeeds();
    assert!(sandbox.project().join(".rawko/spool/notes.txt").exists(), "nothing of others is taken away");
}

#[test]
fn a_damaged_spool_file_is_set_aside() {
    let sandbox = Sandbox::new().file(".rawko/spool/0001.entries", "half a rec");
    let _ = sandbox.run("doctor").fails(1).says("0001.entries is no spool file that rawko wrote whole");
    let _ = sandbox
        .run("doctor --repair")
        .succeeds()
        .says("moved <scratch>/project/.rawko/spool/0001.entries to");
    assert_eq!(snapshot(&sandbox.project().join(".rawko/repaired"))[0].1, b"half a rec");
    let _ = sandbox.run("doctor").succeeds();
}

#[test]
fn a_lock_held_by_another_process_is_said_and_what_it_left_is_finished() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("add --title Deploy --content one").succeeds();
    let lock = fs::File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(sandbox.project().join(".rawko/spool/lock"))
        .expect("a lock file");
    lock.lock().expect("locked");
    let _ = sandbox
        .run("add --title Deploy --content two")
        .succeeds()
        .says("another process moves it into its file");
    let _ = sandbox.run("show deploy").succeeds().says("two");
    let _ = sandbox.run("doctor").succeeds().says("another process is writing; 1 entry waits");
    lock.unlock().expect("unlocked");
    let _ = sandbox.run("doctor").succeeds().says("1 entry waits to be moved into their files");
    let _ = sandbox.run("doctor --repair").succeeds().says("moved 1 spool files").says("empty, lock free");
    assert!(sandbox.read(".rawko/memories/deploy.md").ends_with(b"two\n"));
}

#[test]
fn foreign_files_and_missing_parts_are_noted() {
    let sandbox = Sandbox::new().file(".rawko/notes.txt", "x");
    fs::remove_file(sandbox.project().join(".rawko/.gitignore")).expect("removed");
    let _ = sandbox
        .run("doctor")
        .succeeds()
        .says("notes.txt is not rawko's")
        .says("`.gitignore` is missing")
        .says("note project files ");
    let _ = sandbox.run("doctor --repair").succeeds().says("made `.gitignore`");
    assert!(sandbox.project().join(".rawko/notes.txt").exists());
}

#[test]
fn a_setting_that_was_not_taken_is_said() {
    let sandbox = Sandbox::new().file(".rawko/config.toml", "[inject]\nmaximum = 3\nmax = 'many'\n");
    let _ = sandbox.run("doctor").succeeds().says("inject.maximum in <scratch>/project/.rawko/config.toml");
    let sandbox = Sandbox::new().file(".rawko/config.toml", "[inject\n");
    let _ = sandbox.run("doctor").succeeds().says("it is no TOML");
}

#[test]
fn a_kind_that_is_misspelt_is_named_with_its_line_and_what_to_write() {
    let sandbox = Sandbox::new();
    let home = sandbox.scratch().join("person").display().to_string();
    std::fs::create_dir(&home).expect("a home");
    let sandbox = sandbox.with("HOME", &home);
    let _ = sandbox.run("setup claude --yes").succeeds();
    let settings = sandbox.scratch().join("home/config.toml");
    for (word, remedy) in [
        ("bult-in", "write `kind = \"built-in\"`"),
        ("builtin", "write `kind = \"built-in\"`"),
        ("gpt", "write one of built-in, table, openai, ollama"),
    ] {
        std::fs::write(&settings, format!("# mine\n[embedding]\nkind = \"{word}\"\n")).expect("settings");
        for command in ["doctor", "setup claude --check"] {
            let said = sandbox.run(command);
            let what =
                format!("embedding.kind in <scratch>/home/config.toml:3: `{word}` is none of its words");
            let _ = said.says(&what).says(&format!("do: {remedy}"));
        }
        let said = sandbox.run("validate");
        let _ = said.says(":3:1: warning: embedding.kind: ").says(&format!("do: {remedy}"));
    }
    std::fs::write(&settings, "[embedding]\nkind = \"table\"\n").expect("settings");
    let _ = sandbox.run("setup claude --check").succeeds();
}

#[test]
fn doctor_truth() {
    let sandbox = Sandbox::new().by_a_stranger();
    let _ = sandbox.program();
    let _ = sandbox.run("list").succeeds();
    for folder in ["spool", "memories", ""] {
        let path = sandbox.project().join(".rawko").join(folder);
        fs::set_permissions(path, fs::Permissions::from_mode(0o555)).expect("read-only");
    }
    let _ =
        sandbox.run("doctor").fails(1).says("bad  project disk").says("Permission denied").says("do: check");
    let json = sandbox.run("doctor --json").fails(1).json();
    assert_eq!(json["ok"], false);
    let _ = sandbox.run("add --title X --content y").fails(1).says("Permission denied");
}

#[test]
fn doctor_truth_of_the_persons_own_folder() {
    let sandbox = Sandbox::new().by_a_stranger();
    let home = sandbox.scratch().join("home");
    let set = |folder: &std::path::Path, mode: u32| {
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("set");
    };
    let store = sandbox.project().join(".rawko");
    for folder in [&home, &store, &store.join("spool"), &store.join("memories")] {
        set(folder, 0o777);
    }
    let _ = sandbox.run("doctor").succeeds();
    set(&home, 0o555);
    let _ = sandbox.run("doctor").fails(1).says("bad  project trust").says("nothing can be added");
    let _ = sandbox.run("add --title X --when y --content z").fails(1).says("Permission denied");
}

#[test]
fn a_disk_that_cannot_be_written_is_bad_whatever_the_reason() {
    let sandbox = Sandbox::new();
    let spool = sandbox.project().join(".rawko/spool");
    fs::remove_dir_all(&spool).expect("removed");
    fs::write(&spool, "a file in its place").expect("written");
    let _ =
        sandbox.run("doctor").fails(1).says("bad  project disk").says("is a file, and rawko follows none");
}

#[test]
fn every_row_is_on_the_page_for_those_who_wonder() {
    let read = |path: &str| fs::read_to_string(workspace().join(path)).expect("a file of the project");
    let page = read("docs/guide/troubleshooting.md");
    let source = read("crates/rawko/src/doctor.rs");
    let named = source.split("name(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let rows: std::collections::BTreeSet<String> = named.map(|row| format!("project {row}")).collect();
    assert!(rows.len() >= 8 && rows.contains("project spool"), "{rows:?}");
    let others = [
        "settings",
        "project store",
        "person's store",
        "project repair",
        "host …",
        "host codex",
        "host claude",
    ];
    for row in rows.iter().map(String::as_str).chain(others) {
        assert!(page.contains(&format!("| `{row}")), "`{row}` is not in docs/guide/troubleshooting.md");
    }
    for row in ["settings", "project store", "person's store", "{} repair"] {
        assert!(source.contains(&format!("\"{row}\"")), "`{row}` is no row any more");
    }
}

#[test]
fn a_home_that_is_a_file_is_said_with_what_to_look_at() {
    let sandbox = Sandbox::new().file("home", "");
    let home = sandbox.project().join("home").display().to_string();
    let _ = sandbox.with("RAWKO_HOME", &home).run("doctor").fails(1).says("RAWKO_HOME");
}
