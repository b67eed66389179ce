//! `rawko show`

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, memory};

fn two_entries() -> Sandbox {
    let sandbox = Sandbox::new();
    let _ = sandbox
        .run("add --title 'Deploy from main' --when 'deploy|release' --when-path 'ci/*.yml' --importance high --tag ops --content 'Cut from main.'")
        .succeeds();
    let _ = sandbox.run("add --title 'Deploy from main' --content 'Tags are signed.' --by tester").succeeds();
    sandbox
}

#[test]
fn a_memory_is_shown_as_what_it_says_now() {
    assert_snapshot!(two_entries().run("show deploy-from-main").succeeds().text(), @"
    Deploy from main
    name          deploy-from-main
    store         project
    importance    high
    status        active
    trust         human
    when          deploy|release
    when          file ci/*.yml
    tags          ops
    found         <time> by tester

    # Deploy from main

    Tags are signed.

    # Deploy from main

    Cut from main.
    ");
}

#[test]
fn history_shows_every_entry_oldest_first() {
    let text = two_entries().run("show --history .rawko/memories/deploy-from-main.md").succeeds().out;
    let (_, entries) = text.split_once("\n\n").expect("a head and entries");
    assert_snapshot!(entries, @"
    entry 1: <time> by ada, high, trust human
    # Deploy from main

    Cut from main.

    entry 2: <time> by tester, high, trust human
    # Deploy from main

    Tags are signed.
    ");
    let json = two_entries().run("show --history --json deploy-from-main").succeeds().json();
    assert_eq!(json["history"][1]["body"], "# Deploy from main\n\nTags are signed.");
}

#[test]
fn raw_is_exact_to_the_byte() {
    let bytes = b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\nany\x1b[31m \xff\xfe bytes";
    let sandbox = Sandbox::new().memory("odd", bytes);
    assert_eq!(sandbox.run("show --raw odd").succeeds().raw, bytes);
}

#[test]
fn a_wrong_name_gets_the_nearest() {
    assert_snapshot!(two_entries().run("show deploy-from-mian").text(), @r"
    error: no memory is named `deploy-from-mian`
    hint: the nearest name is `deploy-from-main`
    [exit 1]
    ");
    let _ =
        two_entries().run("show nothing-like-it-at-all").fails(1).says("hint: `rawko list` shows the names");
}

#[test]
fn a_damaged_memory_says_where_to_look() {
    let sandbox = Sandbox::new().memory("bad", "---\ntitle: x\n");
    let _ = sandbox.run("show bad").fails(1).says("no entry of `bad` can be read").says("rawko validate");
}

#[test]
fn unknown_fields_are_shown() {
    let text = memory("Odd", "x").replace("importance", "reviewedBy: {name: Bo, times: [1, 2]}\nimportance");
    let sandbox = Sandbox::new().memory("odd", text);
    let _ = sandbox.run("show odd").succeeds().says(r#"reviewedBy    {"name":"Bo","times":["#);
    assert_eq!(sandbox.run("show odd --json").json()["reviewedBy"]["name"], "Bo");
}

#[test]
fn a_part_of_a_name_finds_the_whole_and_a_strange_one_nothing() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("add --title 'Totals are cents' --content 'Never floats.'").succeeds();
    let _ = sandbox.run("add --title Shop --content 'It sells.'").succeeds();
    let _ = sandbox.run("show totals").fails(1).says("the nearest name is `totals-are-cents`");
    let _ = sandbox.run("show nope").fails(1).says("`rawko list` shows the names");
}

#[test]
fn a_memory_is_shown_by_its_exact_title() {
    let sandbox = Sandbox::new();
    let _ =
        sandbox.run("add --title 'Deploy: from Main!' --when deploy --content 'Cut it there.'").succeeds();
    let _ = sandbox.run("show 'Deploy: from Main!'").succeeds().says("Cut it there.");
    let _ = sandbox.run("show 'Deploy: from Main!' --raw").succeeds().says("Cut it there.");
    let _ = sandbox.run("show 'Deploy: from Mai'").fails(2);
    // Where two have the title, neither is meant.
    let _ =
        sandbox.run("add --personal --title 'Deploy: from Main!' --when deploy --content Mine.").succeeds();
    std::fs::rename(
        sandbox.scratch().join("home/memories/deploy-from-main.md"),
        sandbox.scratch().join("home/memories/other.md"),
    )
    .expect("renamed");
    let _ = sandbox.run("show 'Deploy: from Main!'").fails(2);
}
