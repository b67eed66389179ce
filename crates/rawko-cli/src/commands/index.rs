//! `rawko index`: the search index now, and the vectors of the embedding model that the person chose.

use std::io::{self, IsTerminal};

use rawko::provider::Encoder;
use rawko::{EmbedError, Embedded, Engine, Rebuilt, StoreError, Whose};
use serde_json::{Value, json};

use super::count;
use crate::args::Index;
use crate::embedding;
use crate::error::Failure;
use crate::open::Place;
use crate::output::Output;

pub(crate) fn run(args: &Index, place: &Place, out: &Output) -> Result<(), Failure> {
    let engine = place.engine()?;
    let stores: Vec<Whose> = engine.stores().map(|(whose, _)| whose).collect();
    if stores.is_empty() {
        return Err(StoreError::NoStore(place.start.clone()).into());
    }
    let encoder = args.embed.then(|| embedding::needed(&engine)).transpose()?;
    let mut told = Vec::new();
    for whose in stores {
        let rebuilt = engine.rebuild(whose, &mut progress("building the index"))?;
        told.push(one(&engine, whose, rebuilt, encoder.as_ref(), args.json, out)?);
    }
    if args.json { out.json(&json!({ "stores": told })) } else { Ok(()) }
}

/// Fills the vectors of one store, where that is wanted, and says what was done.
fn one(
    engine: &Engine,
    whose: Whose,
    rebuilt: Rebuilt,
    encoder: Option<&Encoder>,
    silent: bool,
    out: &Output,
) -> Result<Value, Failure> {
    let built = rebuilt != Rebuilt::Busy;
    let mut value = json!({ "store": whose.as_str(), "built": built });
    let what = if built { "is built" } else { "is not built: another process is building it" };
    let mut said = format!("The {}'s index {what}.", whose.as_str());
    if let Some(encoder) = encoder {
        let mut shown = progress("reading memories");
        let embedded = engine.embed(whose, encoder, &mut |done, all| {
            shown(done, all);
            true
        });
        let embedded = embedded.map_err(|error| failure(encoder, error))?;
        value["memories"] = embedded.memories.into();
        value["sent"] = embedded.sent.into();
        value["left"] = embedded.left.into();
        value["model"] = encoder.name().into();
        let done = if encoder.is_built_in() { "read" } else { "sent" };
        said.push_str(&filled(embedded, &encoder.name(), done));
    }
    if !silent {
        out.say(rawko::core::inert_line(&said))?;
    }
    Ok(value)
}

/// What a filling did, in words.
fn filled(embedded: Embedded, model: &str, done: &str) -> String {
    let memories = count(embedded.memories, "memory has", "memories have");
    let sent = count(embedded.sent, "passage was", "passages were");
    let mut said = format!(" {memories} vectors of {model}; {sent} new and {done}.");
    if embedded.left > 0 {
        let left = count(embedded.left, "memory is", "memories are");
        said.push_str(&format!(" The file of vectors is full: {left} left to the token table."));
    }
    said
}

fn failure(encoder: &Encoder, error: EmbedError) -> Failure {
    match error {
        EmbedError::Store(error) => error.into(),
        EmbedError::Model(error) => Failure::wrong(
            embedding::no_vectors(encoder, &error),
            format!("{}; what came before is kept", embedding::how_to_mend(&error)),
        ),
    }
}

/// A line of progress where somebody looks.
fn progress(what: &'static str) -> impl FnMut(usize, usize) {
    let shown = io::stderr().is_terminal();
    let mut last = 0;
    move |done, all| {
        if shown && all >= 100 && (done >= last + all.div_ceil(100) || done == all) {
            last = done;
            eprint!("\r{what}: {done} of {all}{}", if done == all { "\n" } else { "" });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_is_told() {
        let embedded = Embedded { memories: 1, sent: 2, ..Embedded::default() };
        let said = " 1 memory has vectors of m; 2 passages were new and sent.";
        assert_eq!(filled(embedded, "m", "sent"), said);
        let full = format!("{said} The file of vectors is full: 3 memories are left to the token table.");
        assert_eq!(filled(Embedded { left: 3, ..embedded }, "m", "sent"), full);
    }
}
