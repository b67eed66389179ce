//! The sentence encoder in place of the token table, as `rawko search` has it: the one in the program, or a server.

use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use rawko::provider::{Encoder, Speaks};
use rawko_core::rank::Document;
use rawko_core::{Alike, SentenceEncoder, Speech, asks};

use crate::set::{Result, Set};

/// Texts in one request, and the most bytes of one: as the product has them.
const BATCH: usize = 32;
const LONGEST: usize = 2_000;

/// Nothing inside is the token table alone.
static CHOSEN: OnceLock<Option<Encoder>> = OnceLock::new();

/// Takes `built-in`, `table` or `KIND,URL,MODEL` for the rest of the program.
pub(crate) fn use_model(words: &str) -> Result<()> {
    let chosen = match words {
        "built-in" => Some(built_in()),
        "table" => None,
        _ => Some(server(words)?),
    };
    CHOSEN.set(chosen).map_err(|_| "--embedding is given twice".to_owned())
}

/// Takes the token table alone, unless something else was asked for.
pub(crate) fn use_table() -> Result<()> {
    match CHOSEN.get_or_init(|| None) {
        None => Ok(()),
        Some(_) => Err("tuning goes by the token table: leave --embedding out".to_owned()),
    }
}

fn server(words: &str) -> Result<Encoder> {
    let [kind, url, model] = words.splitn(3, ',').collect::<Vec<_>>()[..] else {
        return Err("--embedding needs built-in, table or KIND,URL,MODEL".to_owned());
    };
    let speaks = match kind {
        "openai" => Speaks::OpenAi,
        "ollama" => Speaks::Ollama,
        other => return Err(format!("there is no kind `{other}` of embedding server")),
    };
    Encoder::new(speaks, url, "", model).map_err(|error| error.to_string())
}

/// The vectors of a set's passages, by document, and of its questions.
pub(crate) struct Vectors {
    docs: Vec<Vec<Vec<f32>>>,
    questions: Vec<Vec<f32>>,
}

impl Vectors {
    /// Asks the chosen model; nothing where that is the token table alone.
    pub(crate) fn of(set: &Set) -> Result<Option<Self>> {
        let Some(encoder) = CHOSEN.get_or_init(|| Some(built_in())) else { return Ok(None) };
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

    /// How alike a document's best passage and a question are; nothing where the model cannot read the question.
    pub(crate) fn likeness(&self, doc: usize, question: usize) -> Option<f32> {
        if self.questions[question].iter().all(|number| *number == 0.0) {
            return None;
        }
        let dot = |one: &Vec<f32>| one.iter().zip(&self.questions[question]).map(|(a, b)| a * b).sum::<f32>();
        self.docs[doc].iter().map(dot).reduce(f32::max)
    }
}

/// How alike each task and each memory are, by task and then by memory, as injections have it: by the encoder in the
/// program, or by nothing where the token table alone was chosen.
pub(crate) fn alike(tasks: &[&str], memories: &[Speech]) -> Result<Vec<Vec<Option<Alike>>>> {
    let none = || tasks.iter().map(|_| vec![None; memories.len()]).collect();
    let Some(encoder) = CHOSEN.get_or_init(|| Some(built_in())) else { return Ok(none()) };
    if !encoder.is_built_in() {
        return Ok(none());
    }
    let texts = memories.iter().flat_map(|speech| speech.said.iter().chain(&speech.found_in));
    let mut all = encode(encoder, &texts.map(String::as_str).collect::<Vec<_>>())?.into_iter();
    let mut take = |count: usize| all.by_ref().take(count).collect::<Vec<Vec<f32>>>();
    let memories: Vec<[Vec<Vec<f32>>; 2]> = memories
        .iter()
        .map(|speech| [take(speech.said.len()), take(usize::from(speech.found_in.is_some()))])
        .collect();
    let asked: Vec<Option<Vec<f32>>> =
        tasks.iter().map(|task| SentenceEncoder::built_in().encode_task(task)).collect();
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let of = |task: &Option<Vec<f32>>| {
        let best = |texts: &Vec<Vec<f32>>| {
            let read = texts.iter().filter(|text| text.iter().any(|number| *number != 0.0));
            let task = task.as_ref()?;
            read.map(|text| dot(text, task)).reduce(f32::max)
        };
        let asks = task.as_deref().map_or(0.0, asks);
        let alike = |[said, found_in]: &[Vec<Vec<f32>>; 2]| {
            Some(Alike { said: best(said)?, found_in: best(found_in), asks })
        };
        memories.iter().map(alike).collect()
    };
    Ok(asked.iter().map(of).collect())
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

fn built_in() -> Encoder {
    Encoder::built_in_on(thread::available_parallelism().map_or(1, usize::from))
}
