//! `rawko review`: what waits for a person, one by one, and what they decide.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use rawko::core::{Change, Waiting};
use rawko::{Action, Concern, Engine, Filter, Item, Memory, Slug};
use serde_json::{Value, json};

use super::add::stdin;
use super::editor::Editor;
use super::{count, importance, say_what_waits, slug};
use crate::args::Review;
use crate::embedding;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};
use crate::person;

const KINDS: [Concern; 6] = [
    Concern::Pending,
    Concern::Contradiction,
    Concern::Duplicate,
    Concern::Stale,
    Concern::Eager,
    Concern::Unused,
];

pub(crate) fn run(args: &Review, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    if let (Some(name), None) = (&args.edit, &args.content) {
        person::here("review")?;
        return correct(&engine, &slug(name)?, place, |action| {
            let by = person::says_yes("review", &asked(action))?;
            act(&engine, action, &by, args.json, out)
        });
    }
    if let Some(action) = action(args, &engine)? {
        if let Action::Approve(name, _, changes) = &action
            && !args.json
            && !person::has_given_word()
        {
            told(&engine.show(name)?.memory, out)?;
            changes.iter().try_for_each(|(_, other)| beside(&engine, other, out))?;
        }
        let by = person::says_yes("review", &asked(&action))?;
        return act(&engine, &action, &by, args.json, out);
    }
    let kind = args.kind.as_deref().map(kind).transpose()?;
    let items: Vec<Item> =
        engine.review()?.into_iter().filter(|item| kind.is_none_or(|kind| item.concern == kind)).collect();
    if args.json {
        return out.json(&json!({ "items": items.iter().map(in_json).collect::<Vec<_>>() }));
    }
    if items.is_empty() {
        let memories = engine.list(&Filter::default())?.memories;
        let waiting = Waiting::among(memories.iter().map(|found| &found.memory));
        if waiting == Waiting::default() {
            return out.line("Nothing waits for you.");
        }
        return say_what_waits(waiting, out);
    }
    if args.list || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        items.iter().try_for_each(|item| listed(item, out))?;
        let pending = items.iter().filter(|item| item.concern == Concern::Pending).count();
        let told = count(pending, "memory waits", "memories wait");
        let others = match items.len() - pending {
            0 => String::new(),
            n => format!(", {} worth a look", count(n, "more thing is", "more things are")),
        };
        return out.line(format!(
            "{told} for your review{others}: run `rawko review` in a terminal, or name an action (`rawko review --help`)"
        ));
    }
    let by = person::here("review")?;
    ask_all(&engine, &items, &by, place, out)
}

fn kind(word: &str) -> Result<Concern, Failure> {
    KINDS.into_iter().find(|kind| kind.as_str() == word).ok_or_else(|| {
        let all: Vec<&str> = KINDS.iter().map(|kind| kind.as_str()).collect();
        Failure::usage(format!("`{word}` is no kind of thing to review"), format!("use {}", all.join(", ")))
    })
}

/// The action that the words name, if they name one.
fn action(args: &Review, engine: &Engine) -> Result<Option<Action>, Failure> {
    let two = |names: &[String]| -> Result<_, Failure> { Ok((slug(&names[0])?, slug(&names[1])?)) };
    Ok(Some(if let Some(name) = &args.approve {
        let memory = engine.show(&slug(name)?)?.memory;
        approved(&memory, args.beside)
    } else if let Some(name) = &args.reject {
        Action::Reject(slug(name)?)
    } else if let Some(name) = &args.drop {
        let memory = engine.show(&slug(name)?)?.memory;
        dropped(&memory).ok_or_else(|| {
            let hint = format!("`rawko review --reject {}` keeps the whole memory from agents", memory.slug);
            Failure::wrong(format!("`{}` has one text only", memory.slug), hint)
        })?
    } else if let Some(names) = &args.merge {
        let (from, into) = two(names)?;
        if from == into {
            return Err(Failure::usage("a memory cannot be merged into itself", "name two memories"));
        }
        Action::Merge(from, into)
    } else if let Some(names) = &args.supersede {
        let (old, new) = two(names)?;
        if old == new {
            return Err(Failure::usage("a memory cannot replace itself", "name two memories"));
        }
        Action::Supersede(old, new)
    } else if let Some(words) = &args.rate {
        Action::Rate(slug(&words[0])?, importance(&words[1])?)
    } else if let (Some(name), Some(content)) = (&args.edit, args.content.as_deref()) {
        corrected(slug(name)?, if content == "-" { stdin()? } else { content.to_owned() })?
    } else {
        return Ok(None);
    }))
}

/// The action that gives a memory another text.
fn corrected(slug: Slug, text: String) -> Result<Action, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::usage("a memory needs a text", "`--reject` keeps a memory from agents"));
    }
    Ok(Action::Correct(slug, text))
}

/// The action that takes the newest of several entries back.
fn dropped(memory: &Memory) -> Option<Action> {
    memory.newest_of_several().map(|known| Action::Drop(memory.slug.clone(), known.id))
}

/// The action that lets exactly what was shown reach agents, in the place of what it would change or beside it.
fn approved(memory: &Memory, beside: bool) -> Action {
    let shown = memory.entries.iter().map(|known| known.id).collect();
    let changes = if beside { Vec::new() } else { memory.would_change() };
    Action::Approve(memory.slug.clone(), shown, changes)
}

/// What a person says yes to.
fn asked(action: &Action) -> String {
    let changes = match action {
        Action::Approve(_, _, changes) => changes.as_slice(),
        _ => &[],
    };
    if !changes.is_empty() {
        let told = changes.iter().map(|(change, other)| match change {
            Change::Replaces => format!(", in place of `{other}`"),
            Change::Updates => format!(", as an entry of `{other}`"),
        });
        let told: String = told.collect();
        return format!("Approve `{}`{told} (--beside leaves that as it is)?", action.slugs().0);
    }
    match action.slugs() {
        (slug, None) => format!("{} `{slug}`?", sentence(action.as_str())),
        (slug, Some(other)) => format!("{} `{slug}`, with `{other}`?", sentence(action.as_str())),
    }
}

fn act(engine: &Engine, action: &Action, by: &str, json: bool, out: &Output) -> Result<(), Failure> {
    let done = engine.act(action, by)?;
    match json {
        true => out.json(&json!({ "action": done.action, "slug": done.slug.as_str(), "said": done.said }))?,
        false => out.line(format!("{}. `rawko undo` takes it back.", sentence(&done.said)))?,
    }
    embedding::catch_up(engine, true);
    Ok(())
}

pub(super) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn listed(item: &Item, out: &Output) -> Result<(), Failure> {
    let kind = out.paint(Look::Warn, &format!("{:14}", item.concern.as_str()));
    let name = out.paint(Look::Strong, item.found.memory.slug.as_str());
    out.line(format!("{kind} {name}  {}", out.paint(Look::Faint, &rawko::core::inert_line(&item.why))))
}

fn in_json(item: &Item) -> Value {
    let fold = item.found.memory.now();
    json!({
        "kind": item.concern.as_str(), "slug": item.found.memory.slug.as_str(), "store": item.found.whose.as_str(),
        "other": item.other.as_ref().map(|slug| slug.as_str()), "why": item.why,
        "title": fold.as_ref().map(|fold| fold.title), "status": fold.as_ref().map(|fold| fold.status.as_str()),
        "body": fold.as_ref().map(|fold| fold.text()),
    })
}

/// Shows one thing after the other and does what the person says.
fn ask_all(engine: &Engine, items: &[Item], by: &str, place: &Place, out: &Output) -> Result<(), Failure> {
    for (n, item) in items.iter().enumerate() {
        out.line("")?;
        out.line(out.paint(Look::Faint, &format!("{} of {}", n + 1, items.len())))?;
        show(engine, item, out)?;
        loop {
            let is_done = match ask(item)?.as_str() {
                "n" | "" => break,
                "q" => return Ok(()),
                "u" => super::undo::take_back(engine, by, false, out).map(|()| false),
                "e" => {
                    let slug = &item.found.memory.slug;
                    correct(engine, slug, place, |action| act(engine, action, by, false, out)).map(|()| true)
                }
                key => match chosen(key, item) {
                    Some(action) => act(engine, &action, by, false, out).map(|()| true),
                    None => out.line("a key of the list, please").map(|()| false),
                },
            };
            match is_done {
                Ok(true) => break,
                Ok(false) => {}
                // What cannot be done to this one is no reason to leave the others.
                Err(Failure::Wrong { message, hint } | Failure::Usage { message, hint }) => {
                    out.line(sentence(&rawko::core::inert_line(&message)))?;
                    hint.map_or(Ok(()), |hint| out.line(rawko::core::inert_line(&hint)))?;
                }
                Err(failure) => return Err(failure),
            }
        }
    }
    out.line("That was all.")
}

fn show(engine: &Engine, item: &Item, out: &Output) -> Result<(), Failure> {
    listed(item, out)?;
    told(&item.found.memory, out)?;
    let changed = item.found.memory.would_change().into_iter().map(|(_, other)| other);
    item.other.clone().into_iter().chain(changed).try_for_each(|other| beside(engine, &other, out))
}

/// The text of the memory that another is held against.
fn beside(engine: &Engine, other: &Slug, out: &Output) -> Result<(), Failure> {
    out.line(out.paint(Look::Faint, &format!("beside `{other}`:")))?;
    engine.show(other).map_or(Ok(()), |other| told(&other.memory, out))
}

/// A memory's text with everything in it visible: hidden characters are shown as their codes.
fn told(memory: &Memory, out: &Output) -> Result<(), Failure> {
    let Some(fold) = memory.now() else { return Ok(()) };
    out.line(out.paint(Look::Strong, &rawko::core::inert_line(&decoded(fold.title))))?;
    let triggers: Vec<&str> = fold.when_to_use.iter().map(|trigger| trigger.text()).collect();
    let triggers = decoded(&format!("when: {}", triggers.join(" · ")));
    out.line(out.paint(Look::Faint, &rawko::core::inert_line(&triggers)))?;
    out.text(&decoded(&fold.text()))
}

/// What a reader would not see, spelled out: tags and selectors that carry letters as those letters.
pub(super) fn decoded(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut smuggled = String::new();
    for c in text.chars() {
        let letter = match c as u32 {
            code @ 0xe0020..=0xe007e => char::from_u32(code - 0xe0000),
            code @ 0xfe00..=0xfe0f => char::from_u32(code - 0xfe00),
            code @ 0xe0100..=0xe01ef => char::from_u32(code - 0xe0100 + 16),
            _ => None,
        };
        match letter {
            Some(letter) if !letter.is_control() => smuggled.push(letter),
            Some(_) => smuggled.push('·'),
            None => {
                spell(&mut shown, &mut smuggled);
                match c {
                    '\u{200b}'..='\u{200f}'
                    | '\u{202a}'..='\u{202e}'
                    | '\u{2060}'..='\u{2069}'
                    | '\u{feff}'
                    | '\u{0}'..='\u{8}'
                    | '\u{b}'..='\u{c}'
                    | '\u{e}'..='\u{1f}'
                    | '\u{7f}'..='\u{9f}' => {
                        shown.push_str(&format!("‹U+{:04X}›", c as u32));
                    }
                    _ => shown.push(c),
                }
            }
        }
    }
    spell(&mut shown, &mut smuggled);
    shown
}

fn spell(shown: &mut String, smuggled: &mut String) {
    // One selector behind an emoji is writing; several in a row are a message.
    if smuggled.chars().count() > 1 {
        shown.push_str(&format!("‹hidden: {smuggled}›"));
    }
    smuggled.clear();
}

fn ask(item: &Item) -> Result<String, Failure> {
    let two = if item.other.is_some() { "[m]erge  [s]uperseded by it  " } else { "" };
    let several = item.found.memory.newest_of_several().map_or("", |_| "[d]rop the newest entry  ");
    let beside = if item.found.memory.would_change().is_empty() { "" } else { "approve [b]eside it  " };
    let mut screen = io::stdout().lock();
    write!(
        screen,
        "[a]pprove  {beside}[r]eject  {several}{two}[1-4] rate, low to critical  [e]dit  [u]ndo  [n]ext  [q]uit > "
    )?;
    screen.flush()?;
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer)? == 0 {
        return Ok("q".to_owned());
    }
    Ok(answer.trim().to_lowercase())
}

fn chosen(key: &str, item: &Item) -> Option<Action> {
    use rawko::Importance::{Critical, High, Low, Medium};
    let name = item.found.memory.slug.clone();
    match (key, &item.other) {
        ("a", _) => Some(approved(&item.found.memory, false)),
        ("b", _) if !item.found.memory.would_change().is_empty() => Some(approved(&item.found.memory, true)),
        ("r", _) => Some(Action::Reject(name)),
        ("d", _) => dropped(&item.found.memory),
        ("m", Some(other)) => Some(Action::Merge(name, other.clone())),
        ("s", Some(other)) => Some(Action::Supersede(name, other.clone())),
        ("1", _) => Some(Action::Rate(name, Low)),
        ("2", _) => Some(Action::Rate(name, Medium)),
        ("3", _) => Some(Action::Rate(name, High)),
        ("4", _) => Some(Action::Rate(name, Critical)),
        _ => None,
    }
}

/// Lets the person change a memory's text in their editor, and what they made of it be done.
fn correct(
    engine: &Engine,
    slug: &Slug,
    place: &Place,
    act: impl FnOnce(&Action) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let editor = Editor::find().ok_or_else(|| {
        Failure::usage("there is no editor to write in", "add --content \"…\", or set $EDITOR")
    })?;
    let text = engine.show(slug)?.memory.now().map(|fold| fold.text()).unwrap_or_default();
    let again = |path: &Path| format!("rawko review --edit {slug} --content - < {}", path.display());
    editor.change(&text, place, again, |text| act(&corrected(slug.clone(), text)?))
}
