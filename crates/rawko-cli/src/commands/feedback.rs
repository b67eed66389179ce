//! `rawko feedback`: what memories turned out to be worth.

use rawko::{Engine, StoreError, Tally};
use serde_json::{Value, json};

use super::show::missing;
use super::slug;
use crate::args::Feedback;
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::{Look, Output};

pub(crate) fn run(args: &Feedback, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    if engine.stores().next().is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    match &args.name {
        Some(name) => one(args, &engine, name, place.session.as_deref(), out),
        None if args.helped || args.useless => {
            Err(Failure::usage("no memory is named", "say which: `rawko feedback NAME --helped`"))
        }
        None => all(args, &engine, out),
    }
}

fn one(
    args: &Feedback,
    engine: &Engine,
    name: &str,
    session: Option<&str>,
    out: &Output,
) -> Result<(), Failure> {
    let slug = slug(name)?;
    let (_, by) = open::writer();
    let result = match (args.helped, args.useless) {
        (true, _) => engine.rate(&slug, true, &by, session),
        (_, true) => engine.rate(&slug, false, &by, session),
        _ => engine.show(&slug).map(|_| engine.tally(&slug)),
    };
    let tally = match result {
        Ok(tally) => tally,
        Err(StoreError::Missing(slug)) => return Err(missing(engine, &slug)),
        Err(error) => return Err(error.into()),
    };
    if args.json {
        return out.json(&in_json(slug.as_str(), tally));
    }
    out.line(format!("{}: {}", out.paint(Look::Strong, slug.as_str()), words(tally)))
}

fn all(args: &Feedback, engine: &Engine, out: &Output) -> Result<(), Failure> {
    for (_, store) in engine.stores() {
        // A look at the truth: the derived file may be old or gone, and a store may not be writable.
        let _ = engine.count_feedback(store);
    }
    let mut tallies = engine.tallies();
    tallies.sort_by(|a, b| b.1.usefulness().total_cmp(&a.1.usefulness()).then_with(|| a.0.cmp(&b.0)));
    let lift = engine.lift()?;
    if args.json {
        let memories: Vec<Value> =
            tallies.iter().map(|(slug, tally)| in_json(slug.as_str(), *tally)).collect();
        let lift = lift.map(|lift| json!({ "with": { "well": lift.with.0, "of": lift.with.1 }, "without": { "well": lift.without.0, "of": lift.without.1 } }));
        return out.json(&json!({ "memories": memories, "lift": lift }));
    }
    if tallies.is_empty() {
        out.line("Nothing is known yet: memories are judged when a run is extracted before which they were injected.")?;
    }
    for (slug, tally) in &tallies {
        out.line(format!(
            "{:3.0} %  {}  {}",
            tally.usefulness() * 100.0,
            out.paint(Look::Strong, slug.as_str()),
            words(*tally)
        ))?;
    }
    if let Some(lift) = lift {
        out.line(format!(
            "Runs that ended well: {} of {} with memory, {} of {} where it was held back.",
            lift.with.0, lift.with.1, lift.without.0, lift.without.1
        ))?;
    }
    Ok(())
}

pub(super) fn words(tally: Tally) -> String {
    let all = tally.used + tally.unused;
    let told = [
        (all, format!("used {} of {all} times", tally.used)),
        (tally.helped, format!("{} said that it helped", tally.helped)),
        (tally.useless, format!("{} said that it did not", tally.useless)),
    ];
    let told: Vec<String> =
        told.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words).collect();
    match told.is_empty() {
        true => "nothing is known of its use yet".to_owned(),
        false => format!("{}, usefulness {:.0} %", told.join(", "), tally.usefulness() * 100.0),
    }
}

pub(super) fn in_json(slug: &str, tally: Tally) -> Value {
    let usefulness = (f64::from(tally.usefulness()) * 1000.0).round() / 1000.0;
    json!({
        "slug": slug, "used": tally.used, "unused": tally.unused,
        "helped": tally.helped, "useless": tally.useless, "usefulness": usefulness,
    })
}
