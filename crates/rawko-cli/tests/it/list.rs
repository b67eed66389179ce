//! `rawko list`

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, memory};

fn three() -> Sandbox {
    let sandbox = Sandbox::new();
    for words in [
        "add --title 'Deploy from main' --when deploy --importance high --tag ops --tag git --by ada --content 'Cut from main.'",
        "add --title 'Tests need Redis' --when 'test:int' --importance low --tag ops --by tester --content 'On port 6380.'",
        "add --personal --title 'I like short names' --content 'In every language.'",
    ] {
        let _ = sandbox.run(words).succeeds();
    }
    sandbox
}

#[test]
fn memories_of_both_stores_are_listed() {
    assert_snapshot!(three().run("list").succeeds().text(), @"
    name                importance  status  store    title
    deploy-from-main    high        active  project  Deploy from main
    tests-need-redis    low         active  project  Tests need Redis
    i-like-short-names  medium      active  person   I like short names
    ");
}

#[test]
fn each_filter_narrows_and_all_must_fit() {
    let sandbox = three();
    let names = |words: &str| {
        let json = sandbox.run(&format!("list --json {words}")).succeeds().json();
        let names = json["memories"].as_array().expect("a list").iter();
        names.map(|memory| memory["slug"].as_str().expect("a name").to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("--tag OPS"), "deploy-from-main tests-need-redis");
    assert_eq!(names("--tag ops --tag git"), "deploy-from-main");
    assert_eq!(names("--importance low"), "tests-need-redis");
    assert_eq!(names("--agent Tester"), "tests-need-redis");
    assert_eq!(names("--status active --importance high"), "deploy-from-main");
    assert_eq!(names("--status deprecated"), "");
    assert_eq!(names("6380"), "tests-need-redis");
    assert_eq!(names("LANGUAGE"), "i-like-short-names");
    assert_snapshot!(sandbox.run("list nothing-like-this").text(), @"No memory fits.");
}

#[test]
fn a_word_that_is_no_level_is_used_wrongly() {
    assert_snapshot!(three().run("list --importance huge").text(), @r"
    error: `huge` is no importance
    hint: use low, medium, high or critical
    [exit 2]
    ");
    let _ = three().run("list --status gone").fails(2).says("`gone` is no status");
}

#[test]
fn the_table_fits_the_terminal_and_cuts_no_name() {
    let long = "A title that goes on and on, far beyond what any narrow terminal could ever show in one line";
    let name = "a-folder/a-name-that-somebody-must-type";
    for columns in [60, 80, 200] {
        let sandbox = Sandbox::new()
            .with("COLUMNS", &columns.to_string())
            .memory("wide", memory("日本語のとても長い題名がここにありますのでとても長いです", "x"));
        let sandbox = sandbox.memory(name, memory(long, "x"));
        let text = sandbox.run("list").succeeds().out;
        for line in text.lines().filter(|line| line.contains("high")) {
            let wide = line.chars().filter(|c| ('\u{2e80}'..'\u{a4cf}').contains(c)).count();
            let width = line.chars().count() + wide;
            // Where the names alone fill the line, they are still whole.
            assert!(width <= columns.max(90), "{columns}: {line}");
            assert!(line.starts_with(name) || line.starts_with("wide "), "{columns}: {line}");
        }
        assert_eq!(text.contains(long), columns == 200, "{text}");
    }
}

#[test]
fn what_waits_and_what_is_broken_is_said_below() {
    let sandbox = Sandbox::new().memory("good", memory("Good", "x")).memory("bad", "no frontmatter");
    assert_snapshot!(sandbox.run("list").succeeds().text(), @"
    name  importance  status  store    title
    good  high        waits   project  Good
    1 memory waits for your approval before reaching an agent: rawko trust
    This folder is new to rawko. If you moved it here: rawko trust --moved-from <where it was>
    1 problem in memory files: rawko validate
    ");
}

#[test]
fn an_empty_place_says_what_comes_next() {
    assert_snapshot!(Sandbox::empty().run("list").text(), @"No memories, and no store in this folder or above it: rawko init");
    assert_snapshot!(Sandbox::new().run("list").text(), @"No memories yet: rawko add");
    let _ = Sandbox::empty().homeless().run("list --json").fails(1).says("there is no store");
}

#[test]
fn what_waits_is_a_status_to_list_by() {
    let sandbox = Sandbox::new().file("CLAUDE.md", "# Deploy\n\nFrom main, because CI looks there.\n");
    let _ = sandbox.run("import CLAUDE.md").succeeds();
    let _ = sandbox.run("add --title Mine --content 'Known.'").succeeds();
    let said = sandbox.run("list --status waits").succeeds().out;
    assert!(said.contains("deploy") && !said.contains("mine"), "{said}");
}

#[test]
fn every_status_that_can_be_asked_for_is_in_the_hint() {
    let _ = Sandbox::new().run("list --status foo").fails(2).says("superseded, rejected or waits");
}
