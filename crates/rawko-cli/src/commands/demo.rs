//! `rawko demo`: the product on a scratch project, in one go.
//!
//! What a person would type is shown and done: the commands themselves answer.

use std::env;
use std::fs;
use std::path::Path;

use clap::Parser;
use rawko::provider::Encoder;
use rawko::{Channel, Draft, Engine, Filter, Importance, Now, Outcome, Store, Whose};

use crate::args::{Cli, Demo};
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

const CLIENT: &str = "src/payments/client.ts";
const TASK: &str = "Retry a refund when the payment service times out";

pub(crate) fn run(args: &Demo, place: &Place, out: &Output) -> Result<(), Failure> {
    let folder = env::temp_dir().join(format!("rawko-demo-{}", std::process::id()));
    let project = folder.join("shop");
    // Not `create_dir_all` for the first: a folder that is there already is somebody else's.
    fs::create_dir(&folder).and_then(|()| fs::create_dir_all(project.join("src/payments"))).map_err(
        |error| Failure::wrong(format!("cannot make {}: {error}", folder.display()), "check TMPDIR"),
    )?;
    let here = Place { start: project, home: Some(folder.join("home")), session: None, now: place.now };
    let shown = show(&here, out);
    if args.keep {
        out.line(format!("\nThe scratch project is kept in {}.", here.start.display()))?;
    } else {
        let _ = fs::remove_dir_all(&folder);
    }
    shown
}

fn show(here: &Place, out: &Output) -> Result<(), Failure> {
    let project = here.start.as_path();
    write(project, "export const header = 'Idempotency-Key'\n")?;
    let engine = Engine::create(project, here.home.as_deref(), Now::at(here.now))?;
    step(out, "1. A project gets a store, and three things are worth remembering.")?;
    for draft in memories() {
        let entry = engine.with_evidence(draft.entry(engine.now()));
        let saved = engine.add(&entry, Whose::Project, Channel::Person)?;
        out.line(format!("   saved {}", out.paint(Look::Strong, saved.slug.as_str())))?;
    }
    step(out, "2. They are plain Markdown files that you can read, edit and commit.")?;
    let listing = engine.list(&Filter::default())?;
    if let (Some(found), Some(store)) = (listing.memories.first(), engine.store(Whose::Project)) {
        let text = store.raw(&found.memory.slug)?.unwrap_or_default();
        out.text(
            &String::from_utf8_lossy(&text).lines().map(|line| format!("   {line}\n")).collect::<String>(),
        )?;
    }
    step(out, "3. A correction is appended. Nothing is overwritten, and the newest word comes first.")?;
    correct(&engine, out)?;
    // Elsewhere a process behind `add` has the sentence encoder read them.
    let _ = engine.embed(Whose::Project, &Encoder::built_in(), &mut |_, _| true);
    step(out, "4. A task arrives. What reaches the agent:")?;
    rawko(here, out, &["inject", "--task", TASK])?;
    step(out, "5. And why: every score is a sum of named parts.")?;
    rawko(here, out, &["why"])?;
    step(out, "6. Another task arrives. Nothing fits, so nothing is said:")?;
    rawko(here, out, &["inject", "--task", "Change the colour of the footer"])?;
    step(out, "7. Why one memory stayed silent:")?;
    rawko(here, out, &["why-not", "moving-the-cart-to-graphql-failed", "--task", TASK])?;
    step(out, "8. Somebody looks for one in words that it does not have:")?;
    rawko(here, out, &["search", "--limit", "1", "--", "people were billed two times"])?;
    step(out, "9. The file that a memory names is changed. What it says is doubted until somebody looks:")?;
    write(project, "export const header = 'X-Charge-Once'\n")?;
    rawko(here, out, &["inject", "--task", TASK])?;
    step(out, "10. Health is proved by writing, syncing and reading back.")?;
    let health = engine.doctor(false);
    let count = |outcome| health.checks.iter().filter(|check| check.outcome == outcome).count();
    let (good, bad) = (count(Outcome::Ok), count(Outcome::Bad));
    let verdict = if bad == 0 { "Nothing is broken".to_owned() } else { format!("{bad} are broken") };
    out.line(format!("   {good} checks passed. {verdict}: `rawko doctor` shows each of them."))
}

fn correct(engine: &Engine, out: &Output) -> Result<(), Failure> {
    let correction = Draft::new(
        "Payments need an idempotency key",
        "## Correction\n\nThe header is `Idempotency-Key`, not `X-Request-Id`.",
    );
    let correction = correction.when("payment|refund").importance(Importance::Critical);
    let saved = engine.add(&correction.entry(engine.now()), Whose::Project, Channel::Person)?;
    let memory = engine.store(Whose::Project).map(|store| store.read(&saved.slug)).transpose()?;
    let Some(fold) = memory.as_ref().and_then(|memory| memory.now()) else { return Ok(()) };
    let last = fold.bodies.iter().filter_map(|body| body.text.lines().last());
    last.into_iter().try_for_each(|line| out.line(format!("   {}", rawko::core::inert(line))))
}

/// Shows a command, and runs it.
fn rawko(here: &Place, out: &Output, words: &[&str]) -> Result<(), Failure> {
    let quoted = words.iter().map(|word| match word.contains(' ') {
        true => format!("'{word}'"),
        false => (*word).to_owned(),
    });
    let typed = quoted.filter(|word| word != "--").collect::<Vec<_>>().join(" ");
    out.line(out.paint(Look::Faint, &format!("$ rawko {typed}")))?;
    let cli = Cli::try_parse_from(["rawko"].iter().chain(words)).expect("the demo's own words are right");
    crate::act(&cli.command, here, out)
}

fn write(project: &Path, text: &str) -> Result<(), Failure> {
    fs::write(project.join(CLIENT), text)
        .map_err(|error| Failure::wrong(format!("cannot write {CLIENT}: {error}"), "check TMPDIR"))
}
fn step(out: &Output, text: &str) -> Result<(), Failure> {
    out.line("")?;
    out.line(out.paint(Look::Strong, text))
}

fn memories() -> [Draft; 3] {
    [
        Draft::new(
            "Payments need an idempotency key",
            "# Payments need an idempotency key\n\nEvery call to the payment service in `src/payments/client.ts` carries a request key. Without one a retry charges the customer twice, which happened in March.",
        )
        .when("payment|refund|charge")
        .when("When calling the payment service")
        .importance(Importance::Critical)
        .tag("constraints")
        .by("developer"),
        Draft::new(
            "Integration tests need Redis",
            "# Integration tests need Redis\n\n`npm run test:int` hangs without a Redis on port 6380. Start it with `docker compose up -d redis-test` first; the default port is taken by the development instance.",
        )
        .when("integration test|test:int")
        .importance(Importance::High)
        .tag("testing")
        .by("tester"),
        Draft::new(
            "Moving the cart to GraphQL failed",
            "# Moving the cart to GraphQL failed\n\nThe gateway caches POST bodies, so cart updates were served stale. We went back to REST; do not try again before the gateway is replaced.",
        )
        .when("graphql|cart api")
        .importance(Importance::High)
        .tag("failures")
        .by("developer"),
    ]
}
