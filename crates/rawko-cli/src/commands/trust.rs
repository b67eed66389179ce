//! `rawko trust`: what a repository brings reaches your agents once you say so.

use std::io::{self, IsTerminal};

use rawko::{Engine, Question, Questions, StoreError, Whose};
use serde_json::json;

use super::count;
use crate::args::Trust;
use crate::embedding;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};
use crate::person;

/// How many questions are listed before the rest is only counted.
const LISTED: usize = 40;
/// How many lines of a text are shown before the rest is only counted.
const SHOWN: usize = 20;

pub(crate) fn run(args: &Trust, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let Some(store) = engine.store(Whose::Project) else {
        let missing = StoreError::NoStore(place.start.clone()).to_string();
        return Err(Failure::wrong(
            missing,
            "run it in a project that has one; your own store needs no word",
        ));
    };
    if !store.approvals().is_kept() {
        return Err(Failure::wrong(
            "there is no folder of yours to keep approvals in",
            "set RAWKO_HOME or HOME",
        ));
    }
    if args.revoke {
        person::says_yes("trust", "Take back every approval of this project?")?;
        let count = engine.distrust()?;
        if args.json {
            return out.json(&json!({ "revoked": count }));
        }
        return out
            .line(format!("Took back {count} approvals: nothing of this project reaches an agent now."));
    }
    if let Some(old) = &args.moved_from {
        let old = place.start.join(old);
        let shown = rawko::core::inert_line(&old.display().to_string()).to_string();
        person::says_yes("trust", &format!("Was this project moved or copied here from {shown}?"))?;
        let count = engine.adopt(&old)?;
        match args.json {
            true => out.json(&json!({ "adopted": count }))?,
            false => out.line(format!("What you wrote or approved in {shown} holds here: {count} texts."))?,
        }
        embedding::catch_up(&engine, count > 0);
        return Ok(());
    }
    let mut questions = engine.questions()?;
    only(&mut questions, &args.names)?;
    ask(args, &engine, questions, out)
}

/// Shows what waits, and records the person's yes to it.
fn ask(args: &Trust, engine: &Engine, mut questions: Questions, out: &Output) -> Result<(), Failure> {
    let (waiting, settled) = (questions.waiting.len(), questions.settled);
    if args.json && !args.yes {
        let list: Vec<_> = questions.waiting.iter().map(in_json).collect();
        return out.json(&json!({ "waiting": list, "settled": settled }));
    }
    if waiting == 0 {
        return if args.json {
            out.json(&json!({ "approved": 0, "settled": settled }))
        } else {
            let settled = count(settled, "entry is", "entries are");
            out.line(format!("Nothing waits: {settled} yours or approved."))
        };
    }
    if args.list && !args.full && args.names.is_empty() {
        return listed(&questions, out);
    }
    if !args.json {
        questions.waiting.iter().take(LISTED).try_for_each(|question| show(question, out))?;
        if waiting > LISTED {
            out.line(format!("… and {} more (rawko trust --list names all)", waiting - LISTED))?;
        }
    }
    // A person says yes to what stands there; a script has seen all of it in the JSON.
    if !has_word(args) {
        questions.waiting.truncate(LISTED);
    }
    let shown = questions.waiting.len();
    if args.list || !is_yes(args, shown)? {
        let (wait, settled) = (count(waiting, "text waits", "texts wait"), count(settled, "is", "are"));
        return out.line(format!("{wait}, {settled} settled. Nothing was changed."));
    }
    engine.trust(&questions)?;
    told(args, &questions, waiting - shown, out)?;
    embedding::catch_up(engine, shown > 0);
    Ok(())
}

/// Says what was approved, and how much still waits.
fn told(args: &Trust, questions: &Questions, left: usize, out: &Output) -> Result<(), Failure> {
    let (shown, settled) = (questions.waiting.len(), questions.settled);
    let settings = questions.waiting.iter().any(|question| question.slug.is_none());
    if args.json {
        return out.json(&json!({ "approved": shown, "settled": settled }));
    }
    out.line(format!(
        "Approved {shown}: exactly these texts may reach your agents. A changed text asks again."
    ))?;
    if settings {
        out.line("Settings and agents among them are in force now.")?;
    }
    match left {
        0 => Ok(()),
        left => out.line(format!("{}: `rawko trust` shows what.", count(left, "more waits", "more wait"))),
    }
}

/// What waits, a line for each memory and file.
fn listed(questions: &Questions, out: &Output) -> Result<(), Failure> {
    let same = |a: &Question, b: &Question| a.slug.is_some() && a.slug == b.slug;
    for of_one in questions.waiting.chunk_by(same) {
        let mut by: Vec<&str> = of_one.iter().map(|question| question.by.as_str()).collect();
        by.sort_unstable();
        by.dedup();
        let entries = count(of_one.len(), "entry", "entries");
        let whose = of_one[0]
            .slug
            .as_ref()
            .map(|_| format!("{entries} by {}; ", rawko::core::inert_line(&by.join(", "))));
        head(&of_one[0], &whose.unwrap_or_default(), out)?;
    }
    let (wait, settled) = (questions.waiting.len(), questions.settled);
    let (wait, settled) = (count(wait, "text waits", "texts wait"), count(settled, "is", "are"));
    out.line(format!("{wait}, {settled} settled. `rawko trust --list <name>` or --full shows the texts."))
}

/// Whether a script carries the person's word for all of it.
fn has_word(args: &Trust) -> bool {
    args.yes && person::has_given_word()
}

/// Whether the person approves: `--yes` is enough only in a script that carries their word.
fn is_yes(args: &Trust, shown: usize) -> Result<bool, Failure> {
    person::here("trust")?;
    if has_word(args) {
        return Ok(true);
    }
    // Nor can somebody be asked who has been shown nothing.
    if args.json || !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "nobody is here to ask",
            "look with `rawko trust --list --full`, then `rawko trust --yes`",
        ));
    }
    let texts = count(shown, "text", "texts");
    person::answered(&format!("Approve {texts} as shown? (`rawko trust <name>` approves one memory)"))
}

fn show(question: &Question, out: &Output) -> Result<(), Failure> {
    head(question, "", out)?;
    show_text(question, out)
}

/// What waits, whose it is, and why.
fn head(question: &Question, whose: &str, out: &Output) -> Result<(), Failure> {
    let name = question.slug.as_ref().map_or(question.title.as_str(), |slug| slug.as_str());
    let title = if question.slug.is_some() {
        rawko::core::inert_line(&question.title)
    } else {
        "settings or agent".to_owned()
    };
    let why = out.paint(Look::Faint, &format!("{whose}{}", question.why));
    out.line(format!("{}  {title}  {why}", out.paint(Look::Strong, name)))
}

/// Keeps what belongs to the named memories, or files such as `config.toml`.
fn only(questions: &mut Questions, names: &[String]) -> Result<(), Failure> {
    let is = |question: &Question, name: &String| match &question.slug {
        Some(slug) => slug.as_str() == name.trim_end_matches(".md"),
        None => question.title == *name,
    };
    if let Some(name) = names.iter().find(|name| !questions.waiting.iter().any(|question| is(question, name)))
    {
        let message = format!("nothing named `{}` waits for your word", rawko::core::inert_line(name));
        return Err(Failure::wrong(message, "see what waits: `rawko trust --list`"));
    }
    questions.waiting.retain(|question| names.is_empty() || names.iter().any(|name| is(question, name)));
    Ok(())
}

/// The text of a question, indented and cut where it is long: what a person says yes to.
fn show_text(question: &Question, out: &Output) -> Result<(), Failure> {
    let lines: Vec<&str> = question.text.lines().collect();
    for line in lines.iter().take(SHOWN) {
        out.line(format!("    {}", rawko::core::inert(line)).trim_end())?;
    }
    if lines.len() > SHOWN {
        let place = match &question.slug {
            Some(slug) => format!("rawko show {slug} --history"),
            None => format!("{}/{}", rawko::store::FOLDER, rawko::core::inert_line(&question.title)),
        };
        out.line(format!("    … {} lines more: {place}", lines.len() - SHOWN))?;
    }
    Ok(())
}

fn in_json(question: &Question) -> serde_json::Value {
    json!({
        "slug": question.slug.as_ref().map(|slug| slug.as_str()), "title": question.title,
        "by": question.by, "why": question.why, "text": question.text, "id": question.id.to_string(),
    })
}
