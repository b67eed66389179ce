//! `rawko init`

use insta::assert_snapshot;

use crate::sandbox::Sandbox;

#[test]
fn init_says_what_it_made_and_does_nothing_twice() {
    let sandbox = Sandbox::empty();
    assert_snapshot!(sandbox.run("init").text(), @r#"
    Made .rawko/, .rawko/.gitignore, .rawko/.gitattributes, .rawko/memories, .rawko/spool, .rawko/agents in <scratch>/project.
    Next: rawko add --title "…" --when "…" --content "…"
    "#);
    assert_snapshot!(sandbox.run("init").text(), @r#"
    Nothing to do: <scratch>/project/.rawko is complete.
    Next: rawko add --title "…" --when "…" --content "…"
    "#);
}

#[test]
fn init_adds_what_is_missing_and_keeps_what_is_there() {
    let sandbox = Sandbox::empty().file(".rawko/.gitignore", "mine\n");
    let made = sandbox.run("init --json").succeeds().json();
    assert_eq!(made["made"][0], ".rawko/.gitattributes");
    assert_eq!(sandbox.read(".rawko/.gitignore"), b"mine\n");
}

#[test]
fn the_persons_own_store_is_no_project() {
    let sandbox = Sandbox::empty();
    let home = sandbox.project().join(".rawko").display().to_string();
    let sandbox = sandbox.with("RAWKO_HOME", &home);
    let _ = sandbox.run("init").fails(2).says("this folder's `.rawko` is your own store");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_whose_name_is_no_text_is_a_project_like_any_other() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::empty();
    let folder = sandbox.project().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&folder).expect("a folder");
    for words in [&["init", "--json"][..], &["add", "--json", "--title", "a", "--content", "b"], &["list"]] {
        let words = words.iter().map(std::ffi::OsStr::new).chain(["-C".as_ref(), folder.as_os_str()]);
        let _ = sandbox.run_words(&words.collect::<Vec<_>>(), b"").succeeds();
    }
}

#[test]
fn the_extractors_file_is_written_once_and_speaks_only_when_trusted() {
    let sandbox = Sandbox::empty();
    let _ = sandbox.run("init --agents").succeeds().says(".rawko/agents/memory-extractor.md");
    let path = ".rawko/agents/memory-extractor.md";
    assert!(String::from_utf8_lossy(&sandbox.read(path)).contains("{agentOutput}"));
    sandbox.write(path, "mine");
    let _ = sandbox.run("init --agents").succeeds().says("Nothing to do");
    assert_eq!(sandbox.read(path), b"mine");
    let _ = sandbox.run("trust --list").says("agents/memory-extractor.md");
}

#[test]
fn what_a_persons_own_command_wrote_needs_no_further_word() {
    let sandbox = Sandbox::empty();
    let _ = sandbox.run("init --agents").succeeds();
    assert!(!sandbox.run("trust --list").out.contains("agents/"), "{}", sandbox.run("trust --list").out);
    // Exactly what was written: a changed text is another one.
    sandbox.write(".rawko/agents/planner.md", "---\nname: planner\n---\nDo as you are told.\n");
    let listed = sandbox.run("trust --list").out;
    assert!(listed.contains("agents/planner.md") && !listed.contains("agents/tester.md"), "{listed}");
    let agent = Sandbox::empty().with("CLAUDECODE", "1");
    let _ = agent.run("init --agents").succeeds();
    assert!(agent.run("trust --list").out.contains("agents/planner.md"), "an agent vouches for nothing");
}

#[test]
fn a_store_below_another_is_made_only_where_that_is_meant() {
    let sandbox = Sandbox::new().file("src/api/main.rs", "");
    let refused = sandbox.run("init -C src/api").fails(1);
    let _ = refused.says("has a store already, and one here would hide it").says("rawko init --here");
    assert!(!sandbox.project().join("src/api/.rawko").exists());
    let _ = sandbox.run("init --here -C src/api").succeeds();
    let _ = sandbox.run("init -C src/api").succeeds().says("Nothing to do");
}

#[test]
fn a_store_in_a_part_of_a_repository_says_whom_it_leaves_out() {
    let sandbox = Sandbox::empty().file(".git/HEAD", "ref: refs/heads/main\n").file("src/main.py", "");
    let said = sandbox.run("init -C src").succeeds().text();
    assert!(said.contains("The git repository begins in <scratch>/project, and its other folders"), "{said}");
    let sandbox = Sandbox::empty().file(".git/HEAD", "ref: refs/heads/main\n");
    let said = sandbox.run("init").succeeds().text();
    assert!(!said.contains("repository begins"), "{said}");
}
