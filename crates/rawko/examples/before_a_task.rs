//! Before an agent starts: find what is known, give it what matters for its task, and keep the reason.
//!
//! Run it with `cargo run -p rawko --example before_a_task`.

use rawko::{Channel, Draft, Engine, Now, TaskContext, Whose, Wish};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    let now = Now::at("2026-01-23T10:30:00Z".parse()?);
    let engine = Engine::create(&scratch.path().join("shop"), Some(&scratch.path().join("home")), now)?;
    for (title, when, text) in [
        ("Integration tests need Redis", "integration test", "Start it with `docker compose up -d redis`."),
        ("Payments need an idempotency key", "payment|refund", "Without a key a retry charges twice."),
    ] {
        let draft = Draft::new(title, text).when(when).by("developer");
        engine.add(&draft.entry(engine.now()), Whose::Project, Channel::Person)?;
    }

    // A search is for whoever asks: all memories, best first, whatever they are about.
    let found = engine.search("the tests hang without a database", 5, |_| true)?;
    assert_eq!(found.hits[0].memory.slug.as_str(), "integration-tests-need-redis");

    // An injection is for an agent that did not ask: only what matters for its task, within a budget.
    let task = TaskContext::of("Retry failed refunds with backoff");
    let injection = engine.inject(&task, &Wish::default())?;
    assert!(injection.block.contains("a retry charges twice") && !injection.block.contains("Redis"));

    // Handed out, it has a receipt: why each memory came, and what kept the others out.
    let prompt = format!("{}\n{}", engine.hand_out(&injection, &task, None), task.task);
    let receipts = engine.receipts(1, |_| true)?;
    assert_eq!(receipts[0]["chosen"][0]["slug"], "payments-need-an-idempotency-key");

    // And nothing at all where nothing fits.
    let other = TaskContext::of("Change the colour of the footer");
    assert!(engine.inject(&other, &Wish::default())?.block.is_empty());

    println!("{prompt}");
    Ok(())
}

#[test]
fn what_matters_reaches_the_agent() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
