//! `rawko demo`: the product on a scratch project, in one go.

use std::env;
use std::fs;
use std::path::Path;

use rawko::{Channel, Draft, Engine, Filter, Importance, Now, Outcome, Store, TaskContext, Whose, Wish};

use super::inject;
use crate::args::Demo;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Demo, place: &Place, out: &Output) -> Result<(), Failure> {
    let folder = env::temp_dir().join(format!("rawko-demo-{}", std::process::id()));
    let project = folder.join("shop");
    // Not `create_dir_all` for the first: a folder that is there already is somebody else's.
    fs::create_dir(&folder).and_then(|()| fs::create_dir(&project)).map_err(|error| {
        Failure::wrong(format!("cannot make {}: {error}", folder.display()), "check TMPDIR")
    })?;
    let shown = show(&project, &folder.join("home"), place, out);
    if args.keep {
        out.line(format!("\nThe scratch project is kept in {}.", project.display()))?;
    } else {
        let _ = fs::remove_dir_all(&folder);
    }
    shown
}

fn show(project: &Path, home: &Path, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = Engine::create(project, Some(home), Now::at(place.now))?;
    step(out, "1. A project gets a store, and three things are worth remembering.")?;
    for draft in memories() {
        let saved = engine.add(&draft.entry(engine.now()), Whose::Project, Channel::Person)?;
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
    let correction = Draft::new(
        "Payments need an idempotency key",
        "## Correction\n\nThe header is `Idempotency-Key`, not `X-Request-Id`.",
    );
    let saved = engine.add(
        &correction.when("payment|refund").importance(Importance::Critical).entry(engine.now()),
        Whose::Project,
        Channel::Person,
    )?;
    let memory = engine.store(Whose::Project).map(|store| store.read(&saved.slug)).transpose()?;
    if let Some(fold) = memory.as_ref().and_then(|memory| memory.now()) {
        fold.bodies
            .iter()
            .filter_map(|body| body.text.lines().last())
            .try_for_each(|line| out.line(format!("   {}", rawko::core::inert(line))))?;
    }
    step(out, "4. A task arrives. What reaches the agent, and why:")?;
    let task = TaskContext::of("Retry a refund when the payment service times out");
    out.line(format!("   task: {}", task.task))?;
    let injection = engine.inject(&task, &Wish::default())?;
    out.text(&injection.block.lines().map(|line| format!("   {line}\n")).collect::<String>())?;
    injection.considered.iter().try_for_each(|considered| inject::one(considered, out))?;
    step(out, "5. Another task arrives. Nothing fits, so nothing is said:")?;
    let task = TaskContext::of("Change the colour of the footer");
    let silent = engine.inject(&task, &Wish::default())?;
    out.line(format!("   task: {}", task.task))?;
    out.line(format!("   {} characters reach the agent", silent.block.chars().count()))?;
    step(out, "6. Health is proved by writing, syncing and reading back.")?;
    let health = engine.doctor(false);
    let count = |outcome| health.checks.iter().filter(|check| check.outcome == outcome).count();
    let (good, bad) = (count(Outcome::Ok), count(Outcome::Bad));
    let verdict = if bad == 0 { "Nothing is broken".to_owned() } else { format!("{bad} are broken") };
    out.line(format!("   {good} checks passed. {verdict}: `rawko doctor` shows each of them."))
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
