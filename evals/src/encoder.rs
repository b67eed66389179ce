//! Another embedding model than the built-in table, behind HTTP, as `rawko search` can have one.

use std::sync::OnceLock;
use std::time::Duration;

use rawko::provider::{Encoder, Speaks};
use rawko_core::rank::Document;

use crate::set::{Result, Set};

/// Texts in one request, and the most bytes of one: as the product has them.
const BATCH: usize = 32;
const LONGEST: usize = 2_000;

static CHOSEN: OnceLock<Encoder> = OnceLock::new();

/// Takes `KIND,URL,MODEL` for the rest of the program.
pub(crate) fn use_server(words: &str) -> Result<()> {
    let [kind, url, model] = words.splitn(3, ',').collect::<Vec<_>>()[..] else {
        return Err("--embedding needs KIND,URL,MODEL".to_owned());
    };
    let speaks = match kind {
        "openai" => Speaks::OpenAi,
        "ollama" => Speaks::Ollama,
        other => return Err(format!("there is no kind `{other}` of embedding server")),
    };
    let encoder = Encoder::new(speaks, url, "", model).map_err(|error| error.to_string())?;
    CHOSEN.set(encoder).map_err(|_| "--embedding is given twice".to_owned())
}

/// The vectors of a set's passages, by document, and of its questions.
pub(crate) struct Vectors {
    docs: Vec<Vec<Vec<f32>>>,
    questions: Vec<Vec<f32>>,
}

impl Vectors {
    /// Asks the chosen model; nothing where none is chosen.
    pub(crate) fn of(set: &Set) -> Result<Option<Self>> {
        let Some(encoder) = CHOSEN.get() else { return Ok(None) };
        let passages = |doc: &crate::set::Doc| {
            let document = Document { title: &doc.title, body: &doc.body, ..Document::default() };
            document.passages().map(str::to_owned).collect::<Vec<_>>()
        };
        let texts: Vec<Vec<String>> = set.docs.iter().map(passages).collect();
        let mut all =
            encode(encoder, &texts.iter().flatten().map(String::as_str).collect::<Vec<_>>())?.into_iter();
        let docs = texts.iter().map(|texts| all.by_ref().take(texts.len()).collect()).collect();
        let questions = encode(encoder, &set.questions.iter().map(|q| q.text.as_str()).collect::<Vec<_>>())?;
        Ok(Some(Self { docs, questions }))
    }

    /// How alike a document's best passage and a question are.
    pub(crate) fn likeness(&self, doc: usize, question: usize) -> Option<f32> {
        let dot = |one: &Vec<f32>| one.iter().zip(&self.questions[question]).map(|(a, b)| a * b).sum::<f32>();
        self.docs[doc].iter().map(dot).reduce(f32::max)
    }
}

fn encode(encoder: &Encoder, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    let mut vectors = Vec::with_capacity(texts.len());
    for (n, batch) in texts.chunks(BATCH).enumerate() {
        let cut: Vec<&str> = batch.iter().map(|text| &text[..text.floor_char_boundary(LONGEST)]).collect();
        let encoded =
            encoder.encode(&cut, Duration::from_secs(120), true).map_err(|error| error.to_string())?;
        vectors.extend(encoded.vectors);
        if n % 20 == 19 {
            eprintln!("embedding: {} of {} texts", vectors.len(), texts.len());
        }
    }
    Ok(vectors)
}
