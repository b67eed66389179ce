//! `rawko demo`

use crate::sandbox::{Sandbox, snapshot};

#[test]
fn the_demo_ends_well_and_leaves_nothing_behind() {
    let sandbox = Sandbox::empty();
    let before = snapshot(sandbox.scratch());
    let _ = sandbox.run("demo").succeeds().says("6. Health").says("checks passed. Nothing is broken");
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
