//! `rawko feedback`: what memories turned out to be worth.

use std::fs;

use crate::sandbox::Sandbox;

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    let _ = sandbox
        .run("add --title 'How a migration runs' --when migration --content 'Every migration runs through `bin/migrate.sh` with a lock timeout.'")
        .succeeds();
    // Scores are compared: the encoder is to have read it from the first on.
    let _ = sandbox.run("index --embed").succeeds();
    sandbox
}

#[test]
fn what_was_used_after_it_was_injected_is_known_by_show_and_feedback() {
    let sandbox = project();
    let _ = sandbox.run("feedback").succeeds().says("Nothing is known yet");
    let _ = sandbox.run("inject --task 'Write the migration'").succeeds().says("bin/migrate.sh");
    let _ =
        sandbox.feed("extract --task 'Write the migration'", "I ran bin/migrate.sh on staging.\n").succeeds();
    let _ = sandbox
        .run("feedback")
        .succeeds()
        .says("how-a-migration-runs")
        .says("used 1 of 1 times, usefulness 60 %");
    let _ = sandbox.run("show how-a-migration-runs").succeeds().says("used 1 of 1 times");
    assert_eq!(sandbox.run("show how-a-migration-runs --json").succeeds().json()["use"]["used"], 1);
    let _ = sandbox
        .run("feedback how-a-migration-runs --useless")
        .succeeds()
        .says("used 1 of 1 times, 1 said that it did not, usefulness 38 %");
    let _ = sandbox.run("feedback how-a-migration-runs --helped --json").succeeds().says("\"helped\": 1");
}

#[test]
fn mistakes_are_told_with_a_remedy() {
    let sandbox = project();
    let _ = sandbox.run("feedback --helped").fails(2).says("say which");
    let _ = sandbox
        .run("feedback how-a-migration-run --helped")
        .fails(1)
        .says("the nearest name is `how-a-migration-runs`");
    let _ = sandbox.run("feedback x --helped --useless").fails(2);
    let _ = Sandbox::empty().homeless().run("feedback").fails(1).says("rawko init");
}

#[test]
fn what_is_held_back_is_said_in_the_receipt_and_counted() {
    let sandbox = project();
    fs::write(sandbox.scratch().join("home/config.toml"), "[inject]\nholdOut = 1\n").expect("settings");
    let said = sandbox.run("inject --task 'Write the migration'").succeeds();
    assert_eq!(said.out, "", "one in one is held back");
    let _ =
        sandbox.feed("extract --task 'Write the migration'", "I ran bin/migrate.sh on staging.\n").succeeds();
    assert_eq!(sandbox.run("stats --json").succeeds().json()["brought"], 0, "nobody heard it");
    let value = sandbox.run("feedback --json").succeeds().json();
    assert_eq!(
        (&value["lift"]["without"]["of"], value["memories"].as_array().map(Vec::len)),
        (&1.into(), Some(0)),
        "{value}"
    );
}

#[test]
fn what_helped_rises_and_what_did_not_falls() {
    let sandbox = project();
    let score = |sandbox: &Sandbox| {
        let value = sandbox.run("inject --task 'Write the migration' --json --explain").succeeds().json();
        let one = &value["chosen"][0];
        (one["score"].as_f64().expect("a score"), one["parts"]["usefulness"].as_f64().unwrap_or_default())
    };
    let before = score(&sandbox);
    let _ = sandbox.run("feedback how-a-migration-runs --helped").succeeds();
    let helped = score(&sandbox);
    assert_eq!(before.1, 0.0, "nothing is known yet");
    assert!(helped.0 > before.0 && helped.1 > 0.0, "{helped:?} after {before:?}");
    for _ in 0..4 {
        let _ = sandbox.run("feedback how-a-migration-runs --useless").succeeds();
    }
    let useless = score(&sandbox);
    assert!(useless.0 < before.0 && useless.1 < 0.0, "{useless:?} after {before:?}");
    let _ = sandbox.run("inject --task 'Write the migration' --explain").succeeds().says("usefulness");
}
