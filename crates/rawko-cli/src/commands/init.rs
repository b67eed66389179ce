//! `rawko init`: a store in this folder.

use rawko::Layout;
use rawko::store::FOLDER;
use serde_json::json;

use crate::args::Init;
use crate::error::Failure;
use crate::open::Place;
use crate::output::{Look, Output};

pub(crate) fn run(args: &Init, place: &Place, out: &Output) -> Result<(), Failure> {
    let layout = Layout::at(place.start.join(FOLDER));
    if place.home.as_deref() == Some(layout.root()) {
        return Err(Failure::usage(
            "this folder's `.rawko` is your own store",
            "run `rawko init` in a project",
        ));
    }
    let made = layout.create()?;
    let shown = |name: &&str| if name.is_empty() { format!("{FOLDER}/") } else { format!("{FOLDER}/{name}") };
    if args.json {
        let made: Vec<String> = made.iter().map(shown).collect();
        return out.json(&json!({ "store": layout.root(), "made": made }));
    }
    if made.is_empty() {
        out.line(format!("Nothing to do: {} is complete.", layout.root().display()))?;
    } else {
        out.line(format!(
            "Made {} in {}.",
            made.iter().map(shown).collect::<Vec<_>>().join(", "),
            place.start.display()
        ))?;
    }
    out.line(out.paint(Look::Faint, "Next: rawko add --title \"…\" --when \"…\" --content \"…\""))
}
