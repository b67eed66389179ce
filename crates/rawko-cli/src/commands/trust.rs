//! `rawko trust`: what a repository brings reaches your agents once you say so.

use std::io::{self, BufRead, IsTerminal, Write};

use rawko::{Channel, Question, StoreError, Whose};
use serde_json::json;

use crate::args::Trust;
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::{Look, Output};

/// How many questions are listed before the rest is only counted.
const LISTED: usize = 40;

pub(crate) fn run(args: &Trust, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let Some(store) = engine.store(Whose::Project) else {
        return Err(StoreError::NoStore(place.start.clone()).into());
    };
    if !store.approvals().is_kept() {
        return Err(Failure::wrong(
            "there is no folder of yours to keep approvals in",
            "set RAWKO_HOME or HOME",
        ));
    }
    if args.revoke {
        let count = engine.distrust()?;
        if args.json {
            return out.json(&json!({ "revoked": count }));
        }
        return out
            .line(format!("Took back {count} approvals: nothing of this project reaches an agent now."));
    }
    let questions = engine.questions()?;
    let (waiting, settled) = (questions.waiting.len(), questions.settled);
    if args.json && !args.yes {
        let list: Vec<_> = questions.waiting.iter().map(in_json).collect();
        return out.json(&json!({ "waiting": list, "settled": settled }));
    }
    if waiting == 0 {
        return if args.json {
            out.json(&json!({ "approved": 0, "settled": settled }))
        } else {
            out.line(format!("Nothing waits: {settled} entries are yours or approved."))
        };
    }
    if !args.json {
        questions.waiting.iter().take(LISTED).try_for_each(|question| show(question, out))?;
        if waiting > LISTED {
            out.line(format!("… and {} more (rawko trust --list --json shows all)", waiting - LISTED))?;
        }
    }
    if !args.list {
        refuse_agents()?;
    }
    if args.list || !(args.yes || asked(waiting)?) {
        return out.line(format!("{waiting} wait, {settled} are settled. Nothing was changed."));
    }
    engine.trust(&questions)?;
    if args.json {
        return out.json(&json!({ "approved": waiting, "settled": settled }));
    }
    out.line(format!(
        "Approved {waiting}: exactly these texts may reach your agents. A changed text asks again."
    ))
}

fn show(question: &Question, out: &Output) -> Result<(), Failure> {
    let name = question.slug.as_ref().map_or(question.title.as_str(), |slug| slug.as_str());
    let title = if question.slug.is_some() {
        rawko::core::inert_line(&question.title)
    } else {
        "settings or agent".to_owned()
    };
    let why = out.paint(Look::Faint, &question.why);
    out.line(format!("{}  {title}  {why}", out.paint(Look::Strong, name)))
}

/// Agents cannot approve their own writes, nor what a repository brings.
fn refuse_agents() -> Result<(), Failure> {
    match open::writer() {
        (Channel::Agent, host) => Err(Failure::wrong(
            format!("an agent cannot approve: this runs inside {host}"),
            "a person runs `rawko trust` in a terminal of their own",
        )),
        _ => Ok(()),
    }
}

fn asked(waiting: usize) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "nobody is here to ask",
            "look with `rawko trust --list`, then `rawko trust --yes`",
        ));
    }
    let mut screen = io::stdout().lock();
    write!(screen, "Read them with `rawko show`. Approve these {waiting}? [y/N] ")?;
    screen.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn in_json(question: &Question) -> serde_json::Value {
    json!({
        "slug": question.slug.as_ref().map(|slug| slug.as_str()), "title": question.title,
        "why": question.why, "id": question.id.to_string(),
    })
}
