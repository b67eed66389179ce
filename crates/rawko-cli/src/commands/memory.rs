//! `rawko memory`: the four layers.

pub(crate) mod args;
mod less;

use std::io::{self, Read};

use rawko::core::{Happened, Layer, MemoryEntry, Score, inert_line};
use rawko::{Appended, Channel, Engine, LayerHits, Layers, Learned, LearnedFrom, Ranking, StoreError};
use serde_json::{Value, json};

use self::args::{Append, Command, Import, LayerName, Learn, Memory, Recall, Search, Stats, Which};
use super::{count, wire};
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::{Look, Output};

/// Most text that is taken from standard input.
const MOST_BYTES: u64 = 1024 * 1024;

pub(crate) fn run(args: &Memory, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    if engine.stores().next().is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    match &args.command {
        Command::Append(args) => append(args, &engine, place, out),
        Command::Search(args) => search(args, &engine, place, out),
        Command::Learn(args) => learn(args, &engine, out),
        Command::Recall(args) => recall(args, &engine, out),
        Command::Stats(args) => stats(args, &engine, place, out),
        Command::Import(args) => import(args, &engine, place, out),
        Command::Compact(args) => less::compact(args, &engine, place, out),
        Command::Clear(args) => less::clear(args, &engine, place, out),
        Command::Undo(args) => less::undo(args, &engine, place, out),
    }
}

fn layer(name: LayerName) -> Layer {
    match name {
        LayerName::Working => Layer::Working,
        LayerName::Episodic => Layer::Episodic,
        LayerName::Semantic => Layer::Semantic,
        LayerName::Procedural => Layer::Procedural,
    }
}

fn layers<'e>(engine: &'e Engine) -> Result<Layers<'e>, Failure> {
    let (channel, by) = open::writer();
    Ok(Layers::of(engine, channel, &by)?)
}

/// The layers with a session's working layer; `needed` where nothing can be done without one.
fn in_session<'e>(
    engine: &'e Engine,
    which: &Which,
    place: &Place,
    needed: bool,
) -> Result<Layers<'e>, Failure> {
    let named = which.session.as_deref().or(place.session.as_deref());
    match engine.session(named) {
        Ok(id) => Ok(layers(engine)?.in_session(&id)?),
        Err(_) if named.is_none() && !needed => layers(engine),
        Err(error) => Err(error.into()),
    }
}

fn text(given: &str) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

fn append(args: &Append, engine: &Engine, place: &Place, out: &Output) -> Result<(), Failure> {
    let content = text(&args.content)?;
    if content.trim().is_empty() {
        return Err(Failure::usage(
            "an entry needs a text",
            "write it after the layer, or `-` and pipe it in",
        ));
    }
    let layer = layer(args.layer);
    if layer == Layer::Procedural && args.condition.as_deref().is_none_or(|when| when.trim().is_empty()) {
        return Err(Failure::usage("a rule needs a condition", "add --condition \"deploying the service\""));
    }
    super::say_if_personal(engine, out);
    let mut entry = entry(args, layer, &content)?;
    entry.id = args.id.clone().unwrap_or_default();
    let mut layers = in_session(engine, &args.which, place, layer == Layer::Working)?
        .max_working_entries(args.max_working_entries);
    match layers.append(layer, entry)? {
        Appended::Memory(learned) => told(&learned, args.json, out),
        Appended::Entry(entry) if args.json => {
            out.json(&json!({ "layer": layer.as_str(), "id": entry.id, "timestamp": entry.timestamp }))
        }
        Appended::Entry(entry) => {
            out.line(format!("Added to the {} layer as {}.", layer.as_str(), inert_line(&entry.id)))
        }
    }
}

fn entry(args: &Append, layer: Layer, content: &str) -> Result<MemoryEntry, Failure> {
    let mut entry = MemoryEntry::new(content);
    if layer == Layer::Episodic {
        let Some(kind) = Happened::parse(&args.kind) else {
            return Err(Failure::usage(
                format!("`{}` is no kind of episode", args.kind),
                "use started, finished, failed or note",
            ));
        };
        let agent = args.agent.clone().unwrap_or_else(|| open::writer().1);
        entry = entry.with("kind", kind.as_str()).with("agent", agent);
    }
    for (name, value) in [("key", &args.key), ("condition", &args.condition)] {
        if let Some(value) = value {
            entry = entry.with(name, value.as_str());
        }
    }
    for pair in &args.meta {
        let Some((name, value)) = pair.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(Failure::usage(format!("`{pair}` has no name"), "write --meta task=analysis"));
        };
        entry = entry.with(name, value);
    }
    Ok(entry)
}

/// Says what became of something that was to be learned.
fn told(learned: &Learned, as_json: bool, out: &Output) -> Result<(), Failure> {
    let Some(saved) = &learned.saved else {
        let why = learned.why.as_deref().unwrap_or("it was refused");
        return Err(Failure::wrong(
            format!("not remembered: {why}"),
            "say what will help later and cannot be read off the code; a person may add anything",
        ));
    };
    if as_json {
        return out
            .json(&json!({ "slug": saved.slug.as_str(), "id": saved.id.to_string(), "isNew": saved.is_new,
            "waits": learned.waits, "why": learned.why }));
    }
    let what = if saved.is_new { "Learned as" } else { "Added to" };
    out.line(format!("{what} {}.", out.paint(Look::Strong, saved.slug.as_str())))?;
    match &learned.why {
        Some(why) if learned.waits => out.line(format!("It waits for review: {}.", inert_line(why))),
        _ => Ok(()),
    }
}

fn search(args: &Search, engine: &Engine, place: &Place, out: &Output) -> Result<(), Failure> {
    let ranking = if args.classic { Ranking::Classic } else { Ranking::Own };
    let layers = in_session(engine, &args.which, place, false)?;
    let found = layers.search(args.layer.map(layer), &args.query, args.limit, ranking)?;
    if args.json {
        let hit = |(layer, entry, score): &(Layer, MemoryEntry, Score)| {
            let total = (f64::from(score.total()) * 100.0).round() / 100.0;
            json!({ "layer": layer.as_str(), "score": total, "parts": wire::parts(score), "id": entry.id,
                "timestamp": entry.timestamp, "content": entry.content, "metadata": entry.metadata })
        };
        return out.json(&json!({ "hits": found.hits.iter().map(hit).collect::<Vec<_>>(),
            "episodes": { "lookedAt": found.looked_at, "unread": found.unread, "torn": found.torn } }));
    }
    if found.hits.is_empty() {
        out.line("Nothing fits.")?;
    }
    for (layer, entry, score) in &found.hits {
        let at = entry.time().map_or(String::new(), |at| at.strftime("%Y-%m-%d %H:%M").to_string());
        let head = format!("{:>5.1}  {}  {at}  {}", score.total(), layer.as_str(), inert_line(&entry.id));
        out.line(out.paint(Look::Faint, &head))?;
        if args.explain {
            out.line(format!("      = {}", wire::parts_in_a_line(score)))?;
        }
        let words: String = entry.content.split_whitespace().collect::<Vec<_>>().join(" ");
        out.text(&format!("       {}", words.chars().take(300).collect::<String>()))?;
    }
    bounds(&found, ranking, out)
}

/// Says what a search did not see.
fn bounds(found: &LayerHits, ranking: Ranking, out: &Output) -> Result<(), Failure> {
    if found.unread > 0 {
        let unread = count(found.unread, "older episode", "older episodes");
        let finds = match ranking {
            Ranking::Own => "a rarer word finds them",
            Ranking::Classic => "whole words without --classic find them",
        };
        out.line(format!("{unread} may hold one of these words and were not read; {finds}."))?;
    }
    if found.torn > 0 {
        let torn = count(found.torn, "line", "lines");
        out.line(format!("{torn} of the log cannot be read, and were passed over."))?;
    }
    Ok(())
}

fn learn(args: &Learn, engine: &Engine, out: &Output) -> Result<(), Failure> {
    let layers = layers(engine)?;
    if args.from_episodes {
        let learned = layers.learn_from_episodes(args.last, args.dry_run)?;
        return lessons(&learned, args, out);
    }
    let (key, value) = (args.key.as_deref().unwrap_or_default(), args.value.as_deref().unwrap_or_default());
    let value = text(value)?;
    if key.trim().is_empty() || value.trim().is_empty() {
        return Err(Failure::usage(
            "a key and a value are needed",
            "rawko memory learn dataset-format \"CSV with headers\"",
        ));
    }
    super::say_if_personal(engine, out);
    told(&layers.learn(key, &value)?, args.json, out)
}

fn lessons(learned: &LearnedFrom, args: &Learn, out: &Output) -> Result<(), Failure> {
    if args.json {
        let judged: Vec<Value> = learned
            .judged
            .iter()
            .map(|judged| {
                let admission = &judged.admission;
                json!({ "title": admission.entry.frontmatter.title, "decision": admission.decision.as_str(),
                    "reason": admission.reason.name(), "why": admission.reason.to_string(),
                    "slug": judged.saved.as_ref().map(|saved| saved.slug.as_str()) })
            })
            .collect();
        return out
            .json(&json!({ "episodes": learned.episodes, "dryRun": args.dry_run, "proposals": judged }));
    }
    out.line(format!("Read {}.", count(learned.episodes, "episode", "episodes")))?;
    if learned.judged.is_empty() {
        return out.line("They taught nothing that lasts.");
    }
    for judged in &learned.judged {
        let title = inert_line(&judged.admission.entry.frontmatter.title);
        let decision = judged.admission.decision.as_str();
        out.line(format!("{decision}: {}", out.paint(Look::Strong, &title)))?;
        out.line(format!("    {}", inert_line(&judged.admission.reason.to_string())))?;
    }
    Ok(())
}

fn recall(args: &Recall, engine: &Engine, out: &Output) -> Result<(), Failure> {
    let Some(found) = layers(engine)?.recall(&args.key)? else {
        if args.json {
            out.json(&Value::Null)?;
            return Err(Failure::Said);
        }
        return Err(Failure::wrong(
            format!("nothing is known of `{}`", args.key),
            "`rawko memory search` finds it by other words",
        ));
    };
    if args.json {
        return out.json(&json!({ "key": found.entry.key, "value": found.entry.value,
            "timestamp": found.entry.timestamp, "slug": found.slug.as_str(), "versions": found.versions,
            "waits": found.waits }));
    }
    out.text(&found.entry.value)?;
    if found.waits {
        out.line(out.paint(Look::Warn, "(it waits for a person: `rawko review`)"))?;
    }
    Ok(())
}

fn stats(args: &Stats, engine: &Engine, place: &Place, out: &Output) -> Result<(), Failure> {
    let stats = in_session(engine, &args.which, place, false)?.stats()?;
    if args.json {
        return out.json(&serde_json::to_value(stats).unwrap_or_default());
    }
    out.line(format!("working     {} tokens", stats.working_memory_tokens))?;
    out.line(format!("episodic    {}", count(stats.episodic_entry_count, "episode", "episodes")))?;
    out.line(format!("semantic    {}", count(stats.semantic_entry_count, "memory", "memories")))?;
    out.line(format!("procedural  {}", count(stats.procedural_rule_count, "rule", "rules")))?;
    out.line(format!("all of it   {} bytes", stats.total_storage_bytes))
}

fn import(args: &Import, engine: &Engine, place: &Place, out: &Output) -> Result<(), Failure> {
    let folder = place.start.join(&args.folder);
    let done = layers(engine)?.import(&folder)?;
    if done.files == 0 && (done.unread.is_empty() || !folder.is_dir()) {
        return Err(Failure::wrong(
            format!("{} has none of episodic.json, semantic.json and procedural.json", folder.display()),
            "name the folder that has them, such as .rlm-data/memory",
        ));
    }
    let unread: Vec<String> =
        done.unread.iter().map(|(path, why)| format!("{}: {why}", path.display())).collect();
    if args.json {
        out.json(
            &json!({ "episodic": done.episodic, "semantic": done.semantic, "procedural": done.procedural,
            "known": done.known, "unread": unread }),
        )?;
    } else {
        out.line(format!(
            "Imported {}, {} and {}; {} there already.",
            count(done.episodic, "episode", "episodes"),
            count(done.semantic, "thing known", "things known"),
            count(done.procedural, "rule", "rules"),
            if done.known == 1 { "1 was".to_owned() } else { format!("{} were", done.known) },
        ))?;
        if done.semantic + done.procedural > 0 {
            out.line("They wait for your word: `rawko review`.")?;
        }
        unread.iter().try_for_each(|line| out.text(&format!("not read: {line}")))?;
    }
    if unread.is_empty() { Ok(()) } else { Err(Failure::Said) }
}

/// Agents do not empty a memory that is not theirs alone.
fn refuse_agents(what: &str) -> Result<(), Failure> {
    match open::writer() {
        (Channel::Agent, host) => Err(Failure::wrong(
            format!("an agent cannot {what}: this runs inside {host}"),
            "a person runs it in a terminal of their own",
        )),
        _ => Ok(()),
    }
}
