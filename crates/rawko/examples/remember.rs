//! Remember something, read it back, correct it: the library in one sitting.
//!
//! Run it with `cargo run -p rawko --example remember`.

use rawko::{Channel, Draft, Engine, Importance, Now, Slug, Whose};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Everything is handed in: where the project is, where the person's own folder is, and what time it is.
    let scratch = tempfile::tempdir()?;
    let now = Now::at("2026-01-23T10:30:00Z".parse()?);
    let engine = Engine::create(&scratch.path().join("shop"), Some(&scratch.path().join("home")), now)?;

    // A memory is one concept. Its triggers say when an agent should hear of it.
    let draft =
        Draft::new("Payments need an idempotency key", "# Payments\n\nWithout a key a retry charges twice.")
            .when("payment|refund")
            .importance(Importance::Critical)
            .by("developer");
    let saved = engine.add(&draft.entry(engine.now()), Whose::Project, Channel::Person)?;
    assert_eq!(saved.slug.as_str(), "payments-need-an-idempotency-key");

    // Reading gives the fold of its entries: what it says now.
    let found = engine.show(&saved.slug)?;
    assert_eq!(found.memory.now().map(|fold| fold.importance), Some(Importance::Critical));

    // A correction is appended to the same memory, and its words come first. Nothing is overwritten.
    let correction = Draft::new("Payments need an idempotency key", "The header is `Idempotency-Key`.")
        .when("payment|refund")
        .importance(Importance::Critical);
    engine.append(correction.entry(engine.now()), Whose::Project, &saved.slug, Channel::Person)?;
    let found = engine.show(&Slug::parse("payments-need-an-idempotency-key")?)?;
    let fold = found.memory.now().ok_or("a memory has entries")?;
    assert_eq!(fold.bodies[0].text, "The header is `Idempotency-Key`.");
    assert_eq!(found.memory.entries.len(), 2);

    println!("{}\n\n{}", fold.title, fold.text());
    Ok(())
}

#[test]
fn remembering_works() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
