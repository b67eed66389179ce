//! `rawko init`: a store in this folder.

use std::io::{self, IsTerminal};
use std::path::Path;

use rawko::core::inert_line;
use rawko::store::{FOLDER, GIT_ADVICE, Merging};
use rawko::{Channel, Layout, Whose};
use serde_json::json;

use crate::args::Init;
use crate::error::Failure;
use crate::open::{self, Place};
use crate::output::{Look, Output};
use crate::person;

/// Where a repository has its own extractor; it is used once a person trusts it.
const EXTRACTOR_FILE: &str = "agents/memory-extractor.md";
/// Where it has its own agents, in the order of those that are built in.
const AGENT_FILES: [&str; 4] =
    ["agents/planner.md", "agents/developer.md", "agents/tester.md", "agents/reviewer.md"];

pub(crate) fn run(args: &Init, place: &Place, out: &Output) -> Result<(), Failure> {
    let layout = Layout::at(place.start.join(FOLDER));
    if place.home.as_deref() == Some(layout.root()) {
        return Err(Failure::usage(
            "this folder's `.rawko` is your own store",
            "run `rawko init` in a project",
        ));
    }
    layout.check_format()?;
    if !args.here && !layout.root().exists() {
        ask_before_hiding(place)?;
    }
    let is_new = !layout.root().exists();
    let mut made = layout.create()?;
    if args.agents {
        made.extend(write_agents(&layout, place)?);
    }
    let told = layout.tell_git()?;
    let (store, start) = (layout.root().display().to_string(), place.start.display().to_string());
    let shown = |name: &&str| if name.is_empty() { format!("{FOLDER}/") } else { format!("{FOLDER}/{name}") };
    if args.json {
        let made: Vec<String> = made.iter().map(shown).collect();
        return out.json(&json!({ "store": store, "made": made, "toldGit": told.is_some() }));
    }
    if made.is_empty() && told.is_none() {
        out.line(format!("Nothing to do: {} is complete.", inert_line(&store)))?;
    } else if !made.is_empty() {
        let made = made.iter().map(shown).collect::<Vec<_>>().join(", ");
        out.line(format!("Made {made} in {}.", inert_line(&start)))?;
    }
    if is_new {
        note_the_rest(&place.start, out)?;
    }
    if let Some(config) = told {
        let config = rawko::store::shown(&config, &place.start).display().to_string();
        out.line(format!("Told git, in {}, to keep entries whole when it merges.", inert_line(&config)))?;
    }
    if let Merging::Unknown(path) = layout.merging()? {
        let path = inert_line(&path.display().to_string());
        let text = format!(
            "Git could not be told to keep entries whole when it merges: {path} leads to no git folder that knows this one."
        );
        out.line(out.paint(Look::Warn, &text))?;
        out.line(format!("  do: {GIT_ADVICE}"))?;
    }
    out.line(out.paint(Look::Faint, "Next: rawko add --title \"…\" --when \"…\" --content \"…\""))
}

/// Writes the built-in agents where there are none, and gives the names of those files.
///
/// A person's own command vouches for exactly what it wrote: only what comes from elsewhere waits for their word.
fn write_agents(layout: &Layout, place: &Place) -> Result<Vec<&'static str>, Failure> {
    let agents = AGENT_FILES.into_iter().zip(rawko::AGENTS).map(|(file, (_, text))| (file, text));
    let (mut made, mut written) = (Vec::new(), Vec::new());
    for (file, text) in agents.chain([(EXTRACTOR_FILE, rawko::EXTRACTOR)]) {
        if layout.write_new(file, text.as_bytes())? {
            made.push(file);
            written.push(rawko::store::file_id(file, text.as_bytes()));
        }
    }
    if open::writer().0 == Channel::Person
        && let Some(store) = place.engine()?.store(Whose::Project)
    {
        store.approve(&written)?;
    }
    Ok(made)
}

/// A store serves the folder that it is in and what is below: of a repository's subfolder that is seldom meant.
fn note_the_rest(start: &Path, out: &Output) -> Result<(), Failure> {
    let Some(top) = start.ancestors().find(|folder| folder.join(".git").exists()) else { return Ok(()) };
    if top == start {
        return Ok(());
    }
    let top = inert_line(&top.display().to_string()).to_string();
    out.say(format!(
        "The git repository begins in {top}, and its other folders do not hear this store. If they should, delete it here and run `rawko init` there."
    ))
}

/// Whoever works below this folder would no longer hear the store above it: that is seldom meant.
fn ask_before_hiding(place: &Place) -> Result<(), Failure> {
    let above = place.start.parent().and_then(|above| Layout::find(above, place.home.as_deref()).ok());
    let Some(above) = above else { return Ok(()) };
    let project = inert_line(&above.project().display().to_string()).to_string();
    let hides = format!("{project} has a store already, and one here would hide it from this folder");
    let is_asked = io::stdin().is_terminal() && io::stdout().is_terminal();
    if is_asked && person::answered(&format!("{hides}. Make one all the same?"))? {
        return Ok(());
    }
    Err(Failure::wrong(hides, "use the one that is there, or run `rawko init --here`"))
}
