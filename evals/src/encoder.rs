//! The sentence encoder in place of the token table, as `rawko search` has it: the one in the program, or a server.

use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use rawko::provider::{Encoded, Encoder, Speaks, Usage};
use rawko_core::rank::Document;
use rawko_core::{Alike, AskedWords, SentenceEncoder, Speech, asks};

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
    /// The single words of the same, where the encoder in the program told them.
    words: Vec<Vec<Vec<u8>>>,
    asked: Vec<Option<AskedWords>>,
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
        let all = encode(encoder, &texts.iter().flatten().map(String::as_str).collect::<Vec<_>>())?;
        let asked: Vec<&str> = set.questions.iter().map(|q| q.text.as_str()).collect();
        let questions = encode(encoder, &asked)?.vectors;
        let asked = match encoder.is_built_in() {
            true => asked.into_iter().map(asked_words).collect(),
            false => vec![None; asked.len()],
        };
        Ok(Some(Self {
            docs: by_doc(&texts, all.vectors),
            questions,
            words: by_doc(&texts, all.words),
            asked,
        }))
    }

    /// The words of a question, where the encoder told them.
    pub(crate) fn asked(&self, question: usize) -> Option<&AskedWords> {
        self.asked[question].as_ref()
    }

    /// Per passage of a document, how alike the nearest of its words is to each of a question.
    pub(crate) fn nearest(&self, doc: usize, asked: &AskedWords) -> Vec<Vec<f32>> {
        self.words[doc].iter().filter_map(|words| asked.nearest(words)).collect()
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

/// What there is of each text, by the documents that they are of.
fn by_doc<T>(texts: &[Vec<String>], all: Vec<T>) -> Vec<Vec<T>> {
    let mut all = all.into_iter();
    texts.iter().map(|texts| all.by_ref().take(texts.len()).collect()).collect()
}

/// The words of a question as the encoder in the program knows them.
fn asked_words(question: &str) -> Option<AskedWords> {
    let question = &question[..question.floor_char_boundary(LONGEST)];
    Some(SentenceEncoder::built_in().encode_question(question)?.1)
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
    let mut all = encode(encoder, &texts.map(String::as_str).collect::<Vec<_>>())?.vectors.into_iter();
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

fn encode(encoder: &Encoder, texts: &[&str]) -> Result<Encoded> {
    let mut all = Encoded { vectors: Vec::new(), words: Vec::new(), usage: Usage::default() };
    for (n, batch) in texts.chunks(BATCH).enumerate() {
        let cut: Vec<&str> = batch.iter().map(|text| &text[..text.floor_char_boundary(LONGEST)]).collect();
        let encoded =
            encoder.encode(&cut, Duration::from_secs(120), true).map_err(|error| error.to_string())?;
        all.vectors.extend(encoded.vectors);
        all.words.extend(encoded.words);
        if n % 20 == 19 {
            eprintln!("embedding: {} of {} texts", all.vectors.len(), texts.len());
        }
    }
    Ok(all)
}

fn built_in() -> Encoder {
    Encoder::built_in_on(thread::available_parallelism().map_or(1, usize::from))
}
