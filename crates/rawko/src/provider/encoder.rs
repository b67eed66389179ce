//! Embedding models: the sentence encoder in the program, and servers behind HTTP: OpenAI's `/v1/embeddings` and the many
//! that speak it, and Ollama's `/api/embed`.
//!
//! An encoder gets texts that are free of secrets and gives as many vectors, all of one length, or says
//! why not. What they are good for is decided elsewhere.

use std::thread;
use std::time::Duration;

use rawko_core::{AskedWords, SentenceEncoder};
use serde_json::{Value, json};

use super::{Address, ProviderError, Usage, http};

/// Where OpenAI and Ollama are, and the vendor's model.
const OPENAI: &str = "https://api.openai.com";
const OLLAMA: &str = "http://127.0.0.1:11434";
const MODEL: &str = "text-embedding-3-small";
/// Most numbers in a vector.
const MOST_DIMS: usize = 8 * 1024;
/// Most texts in one request.
const AT_ONCE: usize = 32;
/// Bytes of a number in JSON, with all that stands around it.
const NUMBER: usize = 32;

/// How a server of embeddings is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// `/v1/embeddings`: OpenAI, also llama.cpp, LM Studio, vLLM.
    OpenAi,
    /// `/api/embed`.
    Ollama,
}

impl Speaks {
    /// The word in settings and in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
        }
    }
}

/// A model that turns texts into vectors.
#[derive(Clone, Debug)]
pub struct Encoder(Where);

#[derive(Clone, Debug)]
enum Where {
    /// In the program: nothing leaves the machine, and nobody is waited for.
    Inside {
        encoder: Box<SentenceEncoder>,
        threads: usize,
    },
    Server(Server),
}

#[derive(Clone, Debug)]
struct Server {
    speaks: Speaks,
    address: Address,
    key: String,
    model: String,
}

/// Vectors, and what they cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// One for each text, in their order: length 1, all with as many numbers.
    pub vectors: Vec<Vec<f32>>,
    /// The single words of each text, by the encoder in the program; of a server nothing.
    pub words: Vec<Vec<u8>>,
    /// What it cost.
    pub usage: Usage,
}

impl Encoder {
    /// The name of the one in the program, for people.
    pub(crate) const BUILT_IN: &str = "built-in encoder";

    /// The sentence encoder in the program, out of everybody's way.
    pub fn built_in() -> Self {
        Self::built_in_on(1)
    }

    /// The same, on so many threads where there are many texts.
    pub fn built_in_on(threads: usize) -> Self {
        Self(Where::Inside { encoder: Box::new(SentenceEncoder::built_in()), threads: threads.max(1) })
    }

    /// A server, with a key, which a server of one's own may not need; an empty address or model is the vendor's own.
    pub fn new(speaks: Speaks, url: &str, key: &str, model: &str) -> Result<Self, ProviderError> {
        let home = if speaks == Speaks::OpenAi { OPENAI } else { OLLAMA };
        let address = Address::parse(if url.is_empty() { home } else { url })?;
        let model = if model.is_empty() { MODEL } else { model };
        Ok(Self(Where::Server(Server { speaks, address, key: key.to_owned(), model: model.to_owned() })))
    }

    /// Its name for people: how it is spoken to, and the model.
    pub fn name(&self) -> String {
        match &self.0 {
            Where::Inside { .. } => Self::BUILT_IN.to_owned(),
            Where::Server(server) => format!("{} {}", server.speaks.as_str(), server.model),
        }
    }

    /// How it is spoken to, and the model; nothing where it is in the program.
    pub fn server(&self) -> Option<(Speaks, &str)> {
        match &self.0 {
            Where::Inside { .. } => None,
            Where::Server(server) => Some((server.speaks, &server.model)),
        }
    }

    /// Whether it is in the program.
    pub fn is_built_in(&self) -> bool {
        matches!(self.0, Where::Inside { .. })
    }

    /// The name that the vectors of the encoder in the program are kept under.
    pub(crate) fn built_in_id() -> String {
        format!("built-in\n{:016x}", SentenceEncoder::built_in().model_id())
    }

    /// Names the model among all servers: vectors of different ones cannot be compared.
    pub(crate) fn id(&self) -> String {
        match &self.0 {
            Where::Inside { .. } => Self::built_in_id(),
            Where::Server(server) => {
                format!("{}\n{}\n{}", server.speaks.as_str(), server.address.join(""), server.model)
            }
        }
    }

    /// How many texts to send at once, so that vectors of so many numbers fit into an answer.
    pub(crate) fn at_once(dims: usize) -> usize {
        (http::BODY / (NUMBER * dims.max(1))).clamp(1, AT_ONCE)
    }

    /// A question's vector and its single words by the encoder in the program, zeros where it cannot read it; nothing of a
    /// server.
    pub(crate) fn ask(&self, question: &str) -> Option<(Vec<f32>, Option<AskedWords>)> {
        let Where::Inside { encoder, .. } = &self.0 else { return None };
        let asked = encoder.encode_question(question);
        Some(asked.map_or_else(
            || (vec![0.0; SentenceEncoder::DIMS], None),
            |(vector, words)| (vector, Some(words)),
        ))
    }

    /// The vectors of some texts. `patiently` tries a server that is busy again within the time limit.
    ///
    /// The encoder in the program gives a vector of zeros for a text that it cannot read.
    pub fn encode(
        &self,
        texts: &[&str],
        timeout: Duration,
        patiently: bool,
    ) -> Result<Encoded, ProviderError> {
        match &self.0 {
            Where::Inside { encoder, threads } => {
                let (vectors, words) = inside(encoder, *threads, texts);
                Ok(Encoded { vectors, words, usage: Usage::default() })
            }
            Where::Server(server) => server.encode(texts, timeout, patiently),
        }
    }
}

/// The vectors of some texts by the encoder in the program, each thread with its share of them.
fn inside(encoder: &SentenceEncoder, threads: usize, texts: &[&str]) -> (Vec<Vec<f32>>, Vec<Vec<u8>>) {
    let unread = || (vec![0.0; SentenceEncoder::DIMS], Vec::new());
    let read = |text: &&str| encoder.encode_words(text).map_or_else(unread, |read| (read.vector, read.words));
    let share = |texts: &[&str]| texts.iter().map(read).collect::<Vec<_>>();
    let each = texts.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let (first, others) = texts.split_at(each.min(texts.len()));
        let others: Vec<_> = others.chunks(each).map(|texts| scope.spawn(move || share(texts))).collect();
        let mut all = share(first);
        for started in others {
            all.extend(started.join().expect("encoding does not panic"));
        }
        all.into_iter().unzip()
    })
}

impl Server {
    fn encode(&self, texts: &[&str], timeout: Duration, patiently: bool) -> Result<Encoded, ProviderError> {
        let bearer = format!("Bearer {}", self.key);
        let headers: &[(&str, &str)] =
            if self.key.is_empty() { &[] } else { &[("authorization", bearer.as_str())] };
        let path = match self.speaks {
            Speaks::OpenAi => "/v1/embeddings",
            Speaks::Ollama => "/api/embed",
        };
        let body = json!({ "model": self.model, "input": texts });
        let tries = if patiently { http::TRIES } else { 1 };
        let value = http::post_at_most(&self.address.join(path), headers, &body, timeout, tries)?;
        let (vectors, usage) = match self.speaks {
            Speaks::OpenAi => (from_openai(&value), &value["usage"]["prompt_tokens"]),
            Speaks::Ollama => (listed(&value["embeddings"]), &value["prompt_eval_count"]),
        };
        let dollars = (self.speaks == Speaks::Ollama).then_some(0.0);
        let usage = Usage { input: usage.as_u64().unwrap_or_default(), output: 0, dollars };
        let vectors = checked(vectors.map_err(ProviderError::Form)?, texts.len());
        Ok(Encoded { vectors: vectors.map_err(ProviderError::Form)?, words: Vec::new(), usage })
    }
}

/// The vectors in OpenAI's form, put in order by their `index` where they have one.
fn from_openai(value: &Value) -> Result<Vec<Vec<f32>>, String> {
    let items = value["data"].as_array().ok_or("it has no `data`")?;
    let mut placed: Vec<(u64, Vec<f32>)> = Vec::with_capacity(items.len());
    for (at, item) in (0..).zip(items) {
        placed.push((item["index"].as_u64().unwrap_or(at), numbers(&item["embedding"])?));
    }
    placed.sort_by_key(|(index, _)| *index);
    if (0..).zip(&placed).any(|(at, (index, _))| at != *index) {
        return Err("an `index` is missing or there twice".to_owned());
    }
    Ok(placed.into_iter().map(|(_, vector)| vector).collect())
}

fn listed(value: &Value) -> Result<Vec<Vec<f32>>, String> {
    value.as_array().ok_or("it has no `embeddings`")?.iter().map(numbers).collect()
}

fn numbers(value: &Value) -> Result<Vec<f32>, String> {
    let values = value.as_array().ok_or("a vector is no list")?;
    let number =
        |value: &Value| value.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
    values
        .iter()
        .map(number)
        .collect::<Option<_>>()
        .ok_or_else(|| "a vector has what is no number".to_owned())
}

/// As many vectors as texts, all with as many numbers, each made one long.
fn checked(mut vectors: Vec<Vec<f32>>, count: usize) -> Result<Vec<Vec<f32>>, String> {
    if vectors.len() != count {
        return Err(format!("it has {} vectors for {count} texts", vectors.len()));
    }
    let dims = vectors.first().map_or(1, Vec::len);
    if !(1..=MOST_DIMS).contains(&dims) || vectors.iter().any(|vector| vector.len() != dims) {
        return Err("its vectors are empty, too long, or not all as long".to_owned());
    }
    for vector in &mut vectors {
        let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        if length == 0.0 {
            return Err("a vector is zero".to_owned());
        }
        vector.iter_mut().for_each(|number| *number = (f64::from(*number) / length) as f32);
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openai(data: Value, count: usize) -> Result<Vec<Vec<f32>>, String> {
        checked(from_openai(&json!({ "data": data }))?, count)
    }

    #[test]
    fn vectors_stand_in_the_order_of_their_texts_and_are_one_long() {
        let data = json!([{ "index": 1, "embedding": [0.0, 2.0] }, { "index": 0, "embedding": [3.0, 4.0] }]);
        assert_eq!(openai(data, 2).expect("two"), [[0.6, 0.8], [0.0, 1.0]]);
        assert_eq!(openai(json!([{ "embedding": [5] }]), 1).expect("one"), [[1.0]]);
    }

    #[test]
    fn on_any_number_of_threads_the_vectors_stand_in_the_order_of_their_texts() {
        let texts = ["ok", "run the tests", "", "deploy by hand", "five words are odd here"];
        let encode = |threads, texts: &[&str]| {
            let encoder = Encoder::built_in_on(threads);
            encoder.encode(texts, Duration::ZERO, false).expect("vectors").vectors
        };
        let alone = encode(1, &texts);
        assert_eq!(alone.len(), texts.len());
        assert!(alone[2].iter().all(|number| *number == 0.0) && alone[0] != alone[1]);
        for threads in [0, 2, 3, 8] {
            assert_eq!(encode(threads, &texts), alone, "{threads}");
        }
        assert!(encode(4, &[]).is_empty());
    }

    #[test]
    fn long_vectors_are_asked_for_a_few_at_a_time() {
        let counts = [1, 384, 3_072, MOST_DIMS, usize::MAX / NUMBER].map(Encoder::at_once);
        assert_eq!(counts, [32, 32, 32, 16, 1]);
    }

    #[test]
    fn what_is_no_vector_for_each_text_is_refused() {
        for (data, count) in [
            (json!([]), 1),
            (json!([{ "embedding": [1] }, { "embedding": [1] }]), 1),
            (json!([{ "index": 0, "embedding": [1] }, { "index": 0, "embedding": [1] }]), 2),
            (json!([{ "embedding": [1] }, { "embedding": [1, 2] }]), 2),
            (json!([{ "embedding": [] }]), 1),
            (json!([{ "embedding": [0, 0] }]), 1),
            (json!([{ "embedding": [1, null] }]), 1),
            (json!([{ "embedding": [1e39] }]), 1),
            (json!([{ "embedding": "AACAPw==" }]), 1),
            (json!("text"), 1),
        ] {
            assert!(openai(data.clone(), count).is_err(), "{data}");
        }
        assert!(listed(&json!(null)).is_err());
    }
}
