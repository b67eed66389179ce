//! `rawko demo`

use crate::sandbox::{Sandbox, snapshot};

#[test]
fn the_demo_ends_well_and_leaves_nothing_behind() {
    let sandbox = Sandbox::empty();
    let before = snapshot(sandbox.scratch());
    let said = sandbox.run("demo").succeeds().says("10. Health").says("checks passed. Nothing is broken");
    // The right memory, its reasons, silence, the reason of that, a search in other words, and a doubt.
    let said = said.says("carries a request key").says("meaning by the sentence encoder");
    let said = said.says("'Change the colour of the footer'\n\n7.").says("stays out: ");
    let said = said.says("changed since this was learned");
    let found = said.out.split_once("'people were billed two times'\n").expect("a search").1;
    assert!(found.lines().next().is_some_and(|first| first.contains("payments-need-an-idempotency-key")));
    assert!(!said.out.contains("has not read"), "{}", said.out);
    assert_eq!(snapshot(sandbox.scratch()), before);
}

#[test]
fn the_scratch_project_can_be_kept() {
    let sandbox = Sandbox::empty();
    let _ = sandbox
        .run("demo --keep")
        .succeeds()
        .says("The scratch project is kept in <scratch>/tmp/rawko-demo-");
    assert!(snapshot(&sandbox.scratch().join("tmp")).len() > 5);
}
