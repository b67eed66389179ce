//! `rawko stats`

use crate::sandbox::{Sandbox, memory};

#[test]
fn the_whole_store_is_shown_with_growth_use_and_health() {
    let sandbox = Sandbox::new();
    let _ = Sandbox::empty().homeless().run("stats").fails(1).says("rawko init");
    let empty = sandbox.run("stats").succeeds().says("0 memories in 0 entries");
    assert!(empty.out.contains("nothing is known yet"), "{}", empty.out);
    let _ = sandbox
        .run("add --title 'Deploy from main' --when 'deploy' --content 'Releases are cut from main.'")
        .succeeds();
    let _ = sandbox.run("memory append procedural 'Ask first.' --condition 'changing the schema'").succeeds();
    let _ = sandbox.run("memory append episodic 'it happened'").succeeds();
    let _ = sandbox.run("inject --task 'deploy the service'").succeeds().says("Releases");
    let _ = sandbox.run("inject --task 'rename a variable'").succeeds();
    let _ = sandbox.run("feedback deploy-from-main --helped").succeeds();
    let sandbox = sandbox.memory("foreign", memory("Foreign", "x")).memory("broken", "---\ntitle: [\n---\n");
    let json = sandbox.run("stats --json").succeeds().json();
    assert_eq!((&json["memories"], &json["rules"], &json["episodes"]), (&3.into(), &1.into(), &1.into()));
    assert_eq!(
        (&json["added"][11], &json["injected"][11], &json["happened"][11]),
        (&2.into(), &1.into(), &1.into())
    );
    assert_eq!((&json["brought"], &json["silent"]), (&1.into(), &1.into()));
    assert_eq!(json["used"], 1, "a word is one");
    // What came with the files waits for `rawko trust`, not for a review.
    assert_eq!((&json["waiting"], &json["unapproved"]), (&0.into(), &1.into()));
    assert!(json["problems"].as_u64() > Some(0));
    assert!(json["bytes"]["memories"].as_u64() > Some(100));
    let said = sandbox.run("stats").succeeds();
    for part in [
        "Growth",
        "entries added  ···········█  2, 2 this week",
        "Use",
        "used       ████",
        "Health",
        "`rawko trust`",
        "on disk",
    ] {
        assert!(said.out.contains(part), "`{part}` is not in:\n{}", said.out);
    }
}

#[test]
fn a_store_without_memories_is_counted_without_gaps() {
    let said = Sandbox::new().run("stats").succeeds().out;
    assert!(said.contains("  0 memories in 0 entries\n") && !said.contains("; 0 rules"), "{said}");
}
