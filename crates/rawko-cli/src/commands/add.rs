//! `rawko add`: from flags, a file, standard input or an editor.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use rawko::{
    Admission, Channel, Circumstances, Decision, Draft, Engine, Entry, Importance, Kind, Place as Where,
    Proposal, Saved, Severity, Slug, Status, Store, StoreError, Trigger, Whose,
};
use serde_json::json;

use super::editor::Editor;
use super::show::missing;
use super::{importance, slug};
use crate::args::Add;
use crate::embedding;
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::{Look, Output};

/// Most text that is taken for one memory, in bytes.
const MAX_INPUT: u64 = 1024 * 1024;
/// What the template for the editor says where the writer should.
const TEMPLATE_TITLE: &str = "What this memory is about";
const TEMPLATE_WHEN: [&str; 2] = ["pattern|other pattern", "When doing this or that"];
const TEMPLATE_TEXT: &str = "Where, why and how.";
/// Fields that flags may leave out, and so a text may, each with a line that stands in for it while the text is read.
const WHEN: &str = "whenToUse";
const IMPORTANCE: &str = "importance";
const STAND_INS: [(&str, &str); 2] = [(WHEN, "whenToUse: x\n"), (IMPORTANCE, "importance: medium\n")];
/// Most entries that are added at once.
const MAX_ENTRIES: usize = 200;

pub(crate) fn run(args: &Add, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let whose = whose(args);
    if engine.store(whose).is_none() && args.personal {
        return Err(Failure::wrong(
            "there is no folder of yours to keep memories in",
            "set RAWKO_HOME or HOME",
        ));
    }
    if engine.store(whose).is_none() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    let (channel, name) = open::writer();
    let entries = entries(args, &engine, &name, place)?;
    let mut speaking = 0;
    for entry in entries {
        if channel == Channel::Agent {
            speaking += usize::from(propose(args, &engine, whose, entry, out)?);
            continue;
        }
        let (entry, secrets) = rawko::core::entry_without_secrets(&entry);
        let rests = whose == Whose::Project && !args.no_evidence;
        let entry = if rests { engine.with_evidence(entry) } else { entry };
        let saved = engine.add(&entry, whose, channel)?;
        speaking += usize::from(saved.place != Where::Already);
        report(args, &engine, whose, channel, &saved, None, out)?;
        if !args.json {
            remarks(&entry, &engine, whose, &saved, out)?;
            if !secrets.is_empty() {
                out.say(format!("A secret was left out: {}.", secrets.join(", ")))?;
            }
        }
    }
    embedding::catch_up(&engine, speaking > 0);
    Ok(())
}

/// What the writer should know of what was saved: a name that is not the title's, triggers that do not work.
fn remarks(entry: &Entry, engine: &Engine, whose: Whose, saved: &Saved, out: &Output) -> Result<(), Failure> {
    let title = &entry.frontmatter.title;
    let first = Slug::from_title(title);
    let other = engine.store(whose).filter(|_| saved.is_new && saved.slug != first);
    if let Some(other) = other.and_then(|store| store.read(&first).ok())
        && let Some(fold) = other.now()
    {
        let (first, theirs) = (first.as_str(), rawko::core::inert_line(fold.title));
        out.say(format!(
            "`{first}` is another memory, titled \"{theirs}\"; use exactly that title to add to it."
        ))?;
    }
    for problem in rawko::check_entry(entry) {
        let what = rawko::core::inert_line(&problem.what);
        out.say(format!("{}: {what}", out.paint(Look::Warn, "warning")))?;
        out.say(format!("   {} {}", out.paint(Look::Good, "do:"), rawko::core::inert_line(&problem.remedy)))?;
    }
    Ok(())
}

/// An agent's words are judged before they are kept, whichever door they come through; whether they may speak.
fn propose(args: &Add, engine: &Engine, whose: Whose, entry: Entry, out: &Output) -> Result<bool, Failure> {
    let proposal = Proposal { entry, update_of: None, reasoning: String::new() };
    let found = engine.admit_to(whose, &proposal, &Circumstances::default(), Channel::Agent)?;
    let Some(saved) = found.saved else {
        return Err(Failure::wrong(
            format!("not remembered: {}", found.admission.reason),
            "say what will help later and cannot be read off the code; a person may add anything",
        ));
    };
    report(args, engine, whose, Channel::Agent, &saved, Some(&found.admission), out)?;
    let is_held = found.admission.decision == Decision::Hold;
    if is_held && !args.json {
        out.say(format!("It waits for review: {}.", found.admission.reason))?;
    }
    Ok(!is_held)
}

fn whose(args: &Add) -> Whose {
    if args.personal { Whose::Person } else { Whose::Project }
}

fn entries(args: &Add, engine: &Engine, name: &str, place: &Place) -> Result<Vec<Entry>, Failure> {
    if args.file.is_none() && has_flags(args) {
        return from_flags(args, engine, name).map(|entry| vec![entry]);
    }
    match &args.file {
        Some(path) if path.as_os_str() == "-" => {
            from_markdown(args, &stdin()?, "standard input", engine, name)
        }
        Some(path) => {
            let path = if path.is_absolute() { path.clone() } else { place.start.join(path) };
            from_markdown(args, &read_file(&path)?, &path.display().to_string(), engine, name)
        }
        None if io::stdin().is_terminal() => from_editor(args, engine, name, place),
        None => from_markdown(args, &stdin()?, "standard input", engine, name),
    }
}

/// Whether any of the memory's parts is given as a flag: then all of it is.
fn has_flags(args: &Add) -> bool {
    let lists =
        [&args.when, &args.when_path, &args.when_command, &args.when_error, &args.tag, &args.supersedes];
    let texts = [&args.title, &args.content, &args.importance, &args.by, &args.discovered_in];
    args.procedure || lists.iter().any(|list| !list.is_empty()) || texts.iter().any(|text| text.is_some())
}

fn from_flags(args: &Add, engine: &Engine, name: &str) -> Result<Entry, Failure> {
    let Some(title) = args.title.as_ref().filter(|title| !title.trim().is_empty()) else {
        return Err(Failure::usage("a memory needs a title", "add --title \"What it is about\""));
    };
    let content = match args.content.as_deref() {
        Some("-") => stdin()?,
        Some(text) => text.to_owned(),
        None if io::stdin().is_terminal() => String::new(),
        None => stdin()?,
    };
    if content.trim().is_empty() {
        return Err(Failure::usage(
            "a memory needs a text",
            "add --content \"…\", or `--content -` and pipe it in",
        ));
    }
    // A text from elsewhere may end its lines otherwise than the file that it comes into.
    let content = content.trim_end().replace("\r\n", "\n");
    let body = if content.trim_start().starts_with('#') {
        content
    } else {
        format!("# {}\n\n{content}", title.trim())
    };
    let SoFar { importance: standing, triggers, newest } = so_far(args, engine, title);
    let mut draft = Draft::new(title.clone(), body)
        .by(args.by.clone().unwrap_or_else(|| name.to_owned()))
        .importance(args.importance.as_deref().map_or(Ok(standing), importance)?)
        .discovered_in(args.discovered_in.clone())
        .kind(args.procedure.then_some(Kind::Procedure));
    draft = args.when.iter().fold(draft, |draft, when| draft.when(when));
    draft = args.when_path.iter().fold(draft, |draft, when| draft.trigger(Trigger::Path(when.clone())));
    draft = args.when_command.iter().fold(draft, |draft, when| draft.trigger(Trigger::Command(when.clone())));
    draft = args.when_error.iter().fold(draft, |draft, when| draft.trigger(Trigger::Error(when.clone())));
    if [&args.when, &args.when_path, &args.when_command, &args.when_error].iter().all(|list| list.is_empty())
    {
        draft = triggers.into_iter().fold(draft, Draft::trigger);
    }
    draft = args.tag.iter().fold(draft, |draft, tag| draft.tag(tag));
    for name in &args.supersedes {
        let replaced = slug(name)?;
        match engine.show(&replaced) {
            Ok(found) if found.whose == whose(args) && is_titled(engine, &found, title) => {
                return Err(Failure::usage(
                    format!("`{replaced}` cannot replace itself: that is the memory you add to"),
                    "leave --supersedes out, or give the new memory another title",
                ));
            }
            Ok(_) => draft = draft.supersedes(replaced.as_str()),
            Err(StoreError::Missing(_)) => return Err(missing(engine, &replaced)),
            Err(error) => return Err(error.into()),
        }
    }
    let entry = draft.entry(newest.map_or(engine.now(), |newest| rawko::stamp_after(newest, engine.now())));
    readable(&entry)?;
    Ok(entry)
}

/// Whether what has this title is appended to this memory.
fn is_titled(engine: &Engine, found: &rawko::Found, title: &str) -> bool {
    let titled = engine.store(found.whose).and_then(|store| store.titled(title).ok().flatten());
    titled.is_some_and(|memory| memory.slug == found.memory.slug)
}

/// What the memory of a title says already.
struct SoFar {
    importance: Importance,
    triggers: Vec<Trigger>,
    newest: Option<jiff::Timestamp>,
}

/// What an entry says where its writer does not: what the memory of this title says already.
///
/// Only what may reach an agent counts: a person's entry must not vouch for a stranger's triggers and importance.
fn so_far(args: &Add, engine: &Engine, title: &str) -> SoFar {
    let memory = engine.store(whose(args)).and_then(|store| store.titled(title).ok().flatten());
    let fold = memory.as_ref().and_then(|memory| memory.for_agents()).filter(|fold| fold.title == title);
    let standing = memory.as_ref().and_then(|memory| memory.now()).filter(|fold| fold.title == title);
    let newest = standing.map(|fold| fold.discovered_at);
    let nothing = SoFar { importance: Importance::Medium, triggers: Vec::new(), newest };
    fold.map_or(nothing, |fold| SoFar {
        importance: fold.importance,
        newest: Some(fold.discovered_at),
        triggers: fold.when_to_use.into_iter().cloned().collect(),
    })
}

/// Refuses an entry that could be written but not read again, such as one with an empty name.
fn readable(entry: &Entry) -> Result<(), Failure> {
    let problems = rawko::core::parse(&entry.to_text()).problems;
    match problems.iter().find(|problem| problem.severity == Severity::Error) {
        Some(problem) => Err(Failure::usage(problem.what.clone(), problem.remedy.clone())),
        None => Ok(()),
    }
}

/// Every entry of a Markdown text; a text with an error adds nothing.
///
/// When and by whom something was found is known here, so an entry may leave it out; and what flags may.
fn from_markdown(
    args: &Add,
    text: &str,
    from: &str,
    engine: &Engine,
    name: &str,
) -> Result<Vec<Entry>, Failure> {
    let (text, lacking) = completed(&signed(text, engine, name));
    let thread = rawko::core::parse(&text);
    if let Some(problem) = thread.problems.iter().find(|problem| problem.severity == Severity::Error) {
        let message = format!("{from}, line {}, column {}: {}", problem.line, problem.column, problem.what);
        return Err(Failure::wrong(message, format!("{}; nothing was added", problem.remedy)));
    }
    if thread.entries.len() > MAX_ENTRIES {
        let message =
            format!("{from} has {} entries, and {MAX_ENTRIES} are taken at once", thread.entries.len());
        return Err(Failure::wrong(message, "split it; nothing was added"));
    }
    let entries = thread.entries.into_iter().zip(lacking);
    let filled = entries.map(|(found, lacks)| filled_in(args, engine, found.entry, &lacks));
    filled.map(without_template).collect()
}

/// The text with a line for every field that flags may leave out and an entry does, and which those are of each entry.
fn completed(text: &str) -> (String, Vec<Vec<&'static str>>) {
    let problems = rawko::core::parse(text).problems;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut completed, mut lacking, mut from) = (String::new(), Vec::new(), 0);
    for close in rawko::core::closing_lines(text) {
        let here = problems.iter().filter(|problem| (from..close).contains(&(problem.line - 1)));
        let lacks: Vec<&str> = here.filter_map(|problem| problem.lacks).collect();
        completed.push_str(&lines[from..close].concat());
        let stand_ins = STAND_INS.iter().filter(|(key, _)| lacks.contains(key));
        completed.extend(stand_ins.map(|(_, line)| *line));
        lacking.push(lacks);
        from = close;
    }
    completed.push_str(&lines[from..].concat());
    (completed, lacking)
}

/// The entry with what it says nothing of: what the memory of its title says already or, where that is nothing, what
/// flags have.
fn filled_in(args: &Add, engine: &Engine, mut entry: Entry, lacks: &[&str]) -> Entry {
    if lacks.is_empty() {
        return entry;
    }
    let SoFar { importance, triggers, .. } = so_far(args, engine, &entry.frontmatter.title);
    let front = &mut entry.frontmatter;
    if lacks.contains(&WHEN) {
        let by_title = || vec![Trigger::Text(front.title.clone())];
        front.when_to_use = if triggers.is_empty() { by_title() } else { triggers };
    }
    if lacks.contains(&IMPORTANCE) {
        front.importance = importance;
    }
    entry
}

/// The entry without what the template for the editor says in its writer's stead.
fn without_template(mut entry: Entry) -> Result<Entry, Failure> {
    let front = &mut entry.frontmatter;
    if front.title == TEMPLATE_TITLE {
        return Err(Failure::wrong("the title is still the template's", "write what it is about"));
    }
    let before = front.when_to_use.len();
    front.when_to_use.retain(|trigger| !TEMPLATE_WHEN.contains(&trigger.text()));
    if front.when_to_use.is_empty() && before > 0 {
        front.when_to_use.push(Trigger::Text(front.title.clone()));
    }
    if let Some(below) = entry.body.strip_prefix(&format!("# {TEMPLATE_TITLE}")) {
        entry.body = format!("# {}{below}", front.title);
    }
    if entry.body.lines().any(|line| line == TEMPLATE_TEXT) {
        return Err(Failure::wrong("the text is still the template's", "write where, why and how"));
    }
    Ok(entry)
}

/// The text with `discoveredAt` and `discoveredBy` in each of its entries, where they are missing.
fn signed(text: &str, engine: &Engine, name: &str) -> String {
    let at = format!("discoveredAt: {}\n", rawko::stamp(engine.now()));
    let by = format!("discoveredBy: {}\n", serde_json::Value::from(name));
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_rule = |line: &&str| line.trim_start_matches('\u{feff}').trim_end() == "---";
    let mut signed = String::new();
    let mut from = 0;
    for close in rawko::core::closing_lines(text) {
        let open = lines[from..close].iter().rposition(is_rule).map_or(from, |at| from + at);
        let missing = |key: &str| !lines[open..close].iter().any(|line| line.starts_with(key));
        signed.push_str(&lines[from..close].concat());
        signed.push_str(if missing("discoveredAt:") { &at } else { "" });
        signed.push_str(if missing("discoveredBy:") { &by } else { "" });
        from = close;
    }
    signed.push_str(&lines[from..].concat());
    signed
}

fn from_editor(args: &Add, engine: &Engine, name: &str, place: &Place) -> Result<Vec<Entry>, Failure> {
    let editor = Editor::find().ok_or_else(|| {
        Failure::usage("there is nothing to add", "use --title and --content, --file, or set $EDITOR")
    })?;
    let draft = Draft::new(TEMPLATE_TITLE, format!("# {TEMPLATE_TITLE}\n\n{TEMPLATE_TEXT}\n")).by(name);
    let draft = TEMPLATE_WHEN.iter().fold(draft, |draft, when| draft.when(*when));
    let template = draft.entry(engine.now()).to_text();
    let again = |path: &Path| format!("rawko add --file {}", path.display());
    editor.change(&template, place, again, |text| from_markdown(args, &text, "what you wrote", engine, name))
}

pub(super) fn stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
    text(bytes, "standard input")
}

pub(super) fn read_file(path: &Path) -> Result<String, Failure> {
    let unreadable = |error: io::Error| {
        Failure::usage(format!("cannot read {}: {error}", path.display()), "name a Markdown file")
    };
    let file = fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_INPUT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    text(bytes, &path.display().to_string())
}

fn text(bytes: Vec<u8>, from: &str) -> Result<String, Failure> {
    if bytes.len() as u64 > MAX_INPUT {
        let message = format!("{from} has over {MAX_INPUT} bytes");
        return Err(Failure::wrong(message, "a memory is one concept: split it"));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::wrong(format!("{from} is not UTF-8 text"), "save it as UTF-8"))
}

fn report(
    args: &Add,
    engine: &Engine,
    whose: Whose,
    channel: Channel,
    saved: &Saved,
    judged: Option<&Admission>,
    out: &Output,
) -> Result<(), Failure> {
    let store = engine.store(whose);
    let memory = store.map(|store| store.read(&saved.slug)).transpose()?;
    let entries = memory.map_or(Vec::new(), |memory| memory.entries);
    let known = entries.iter().find(|known| known.id == saved.id);
    let waits = known.and_then(|known| known.waits());
    let is_vouched = store.is_none_or(|store| store.approvals().is_kept());
    let path = store.map(|store| store.layout().memory(&saved.slug).display().to_string());
    let place = match saved.place {
        Where::File => "file",
        Where::Spool => "spool",
        Where::Already => "already",
    };
    if args.json {
        let status = known.and_then(|known| known.entry.frontmatter.status).unwrap_or_default();
        let status = if waits.is_some() || !is_vouched { Status::Pending } else { status };
        return out.json(&json!({
            "status": status.as_str(), "reason": judged.map(|judged| judged.reason.name()),
            "why": judged.map(|judged| judged.reason.to_string()),
            "slug": saved.slug.as_str(), "id": saved.id.to_string(), "store": whose.as_str(), "new": saved.is_new,
            "place": place, "path": path, "trust": channel.proves().as_str(), "waits": waits,
        }));
    }
    let name = out.paint(Look::Strong, saved.slug.as_str());
    match (saved.place, saved.is_new) {
        (Where::Already, _) => out.say(format!("Nothing to do: {name} says exactly this already."))?,
        (Where::Spool, _) => {
            out.say(format!("Saved an entry of {name}; another process moves it into its file."))?
        }
        (Where::File, true) => out.say(format!("Saved {name}."))?,
        (Where::File, false) => {
            out.say(format!("Saved an entry of {name}, now {} in all.", entries.len()))?
        }
    }
    match waits {
        Some(waits) => out.say(format!("It waits for your word, because it holds {waits}: `rawko trust`.")),
        None if !is_vouched => out.say(
            "It waits, because there is no folder of yours to note that you wrote it: set RAWKO_HOME or HOME, then `rawko trust`.",
        ),
        None => Ok(()),
    }
}
