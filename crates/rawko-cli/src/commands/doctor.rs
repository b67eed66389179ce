//! `rawko doctor`: health, proved by using the stores.

use rawko::{Check, Outcome};
use serde_json::json;

use crate::args::Doctor;
use crate::commands::setup;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Doctor, place: &Place, out: &Output) -> Result<(), Failure> {
    let mut health = place.engine()?.doctor(args.repair);
    health.checks.extend(setup::examine_all(place));
    if args.json {
        let checks: Vec<_> = health.checks.iter().map(in_json).collect();
        out.json(&json!({ "version": env!("CARGO_PKG_VERSION"), "ok": health.is_good(), "checks": checks }))?;
    } else {
        out.line(format!("rawko {}", env!("CARGO_PKG_VERSION")))?;
        health.checks.iter().try_for_each(|check| show(check, out))?;
    }
    if health.is_good() { Ok(()) } else { Err(Failure::Said) }
}

fn word(outcome: Outcome) -> (&'static str, Look) {
    match outcome {
        Outcome::Ok => ("ok", Look::Good),
        Outcome::Note => ("note", Look::Warn),
        Outcome::Bad => ("bad", Look::Bad),
    }
}

pub(crate) fn show(check: &Check, out: &Output) -> Result<(), Failure> {
    let (word, look) = word(check.outcome);
    let found = rawko::core::inert_line(&check.found);
    out.line(format!("{} {:<17} {found}", out.paint(look, &format!("{word:<4}")), check.name))?;
    if check.remedy.is_empty() { Ok(()) } else { out.line(format!("     {:<17} do: {}", "", check.remedy)) }
}

pub(crate) fn in_json(check: &Check) -> serde_json::Value {
    json!({ "name": check.name, "outcome": word(check.outcome).0, "found": check.found, "remedy": check.remedy })
}
