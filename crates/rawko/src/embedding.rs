//! A sentence encoder in place of the token table: who is asked, what is sent, and what is kept.
//!
//! For processes that may wait: `rawko search`, the MCP tool `search`, and the library behind them; before a prompt
//! (`inject/alike.rs`) the vectors that were made here are read, and no memory is. The
//! encoder is the one in the program, or a server that the person chose. The vectors of memories are kept
//! beside the index, so that a search encodes the question and the few passages
//! that are new; `Engine::embed` does all. Whatever goes wrong, the token table answers, and the
//! reason is told once.
//!
//! What is sent to a server is what an agent could be told: memories that may speak to one, without secrets.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use rawko_core::{AskedWords, Memory, SentenceEncoder, Slug, Speech, redact};
use rawko_store::{FileStore, Index, Store, StoreError, TextKey, UsageLog, Vectors};
use serde_json::{Value, json};

use crate::config::EMBEDDING_KINDS;
use crate::engine::{Engine, Whose};
use crate::provider::{Encoded, Encoder, ProviderError};

/// Most new passages that one search sends to a server: somebody waits.
const NEWS: usize = 16;
/// Most that it has encoded in the program, at some tens of milliseconds each.
const NEWS_INSIDE: usize = 4;
/// The most memories that are encoded in the program without being asked to: more take the better part of an hour.
const MOST_UNASKED: usize = 10_000;
/// Most memories that a search reads to see whether their passages are new.
const READ: usize = 64;
/// Most time for one request where nobody waits for an answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long searches leave a model alone that was late: each of them would wait for it in vain.
const REST: SignedDuration = SignedDuration::from_secs(60);
/// Who was late with a question, and who with passages.
const LATE_WITH_QUESTION: &str = "embedding-late-question";
const LATE_WITH_PASSAGES: &str = "embedding-late-passages";
/// The note of a process that encodes behind others: that it has begun, or that it could not help; and how long the
/// next waits after each.
const ENCODING: &str = "encoding";
const BEGUN: &str = "begun";
const IN_VAIN: &str = "in vain";
const BEGINNING: SignedDuration = SignedDuration::from_secs(60);
const TRIED: SignedDuration = SignedDuration::from_hours(1);
/// Time after which vectors are kept, so that a long filling that is stopped has not been in vain; and the encoder's own,
/// for which a search may be waiting.
const KEEP: Duration = Duration::from_secs(60);
const KEEP_OWN: Duration = Duration::from_secs(5);

/// What was sent to fill a store's vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Embedded {
    /// Memories that have vectors now.
    pub memories: usize,
    /// Passages that were new, and sent.
    pub sent: usize,
    /// Memories that there is no room for: the token table answers for them.
    pub left: usize,
    /// Memories that have no vector still, or not all of their words: there was no room or no time, or they could not be
    /// read.
    pub missing: usize,
}

/// Why vectors could not be filled.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model gave no vectors.
    #[error(transparent)]
    Model(#[from] ProviderError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A question put to a model, for one search.
pub(crate) struct Meant<'e> {
    pub(crate) encoder: &'e Encoder,
    /// The question's vector.
    pub(crate) question: Vec<f32>,
    /// Its single words, where the encoder tells them.
    pub(crate) words: Option<AskedWords>,
    /// How long the search may wait, and until when.
    limit: Duration,
    until: Instant,
    /// New passages that may still be sent.
    left: usize,
    /// What went wrong with passages.
    pub(crate) trouble: Option<ProviderError>,
    /// Memories that have no vector yet, though they may.
    pub(crate) waiting: usize,
    /// Those of them that are read unasked behind the search.
    pub(crate) read_behind: usize,
    /// Whether anything is: these, or the single words of what was found.
    pub(crate) wants_reading: bool,
}

impl<'e> Meant<'e> {
    /// Has the single words of something that was found read behind the search, where that is done unasked.
    pub(crate) fn miss_words(&mut self, memories: usize) {
        self.wants_reading |= self.encoder.is_built_in() && memories <= MOST_UNASKED;
    }

    /// Asks for the question's vector; nothing where the model cannot read the question.
    pub(crate) fn ask(
        engine: &Engine,
        encoder: &'e Encoder,
        question: &str,
    ) -> Result<Option<Self>, ProviderError> {
        if engine.was_late(encoder, LATE_WITH_QUESTION) {
            return Err(ProviderError::Resting);
        }
        let limit = Duration::from_millis(engine.config().number("embedding.timeout"));
        let until = Instant::now() + limit;
        let question = rawko_core::question(question);
        let asked = engine.encode_question(encoder, &question, limit);
        let (question, words) =
            asked.inspect_err(|error| engine.note_late(encoder, LATE_WITH_QUESTION, error))?;
        let left = if encoder.is_built_in() { NEWS_INSIDE } else { NEWS };
        let is_read = question.iter().any(|number| *number != 0.0);
        Ok(is_read.then_some(Self {
            encoder,
            question,
            words,
            limit,
            until,
            left,
            trouble: None,
            waiting: 0,
            read_behind: 0,
            wants_reading: false,
        }))
    }

    /// A store's vectors, with those of a few memories that are new.
    pub(crate) fn vectors(
        &mut self,
        engine: &Engine,
        store: &FileStore,
        index: &mut Index<'_>,
    ) -> Result<Vectors, StoreError> {
        let speaking = index.speaking()?;
        let mut vectors = kept(store, self.encoder, self.question.len());
        let news: Vec<&(Slug, TextKey)> =
            speaking.iter().filter(|(_, key)| !vectors.has_memory(key)).take(READ).collect();
        let mut batch = Batch::default();
        for (slug, key) in news {
            let Ok(memory) = store.read(slug) else { continue };
            // Changed since the index saw it: its vectors would be kept under another text's name.
            if store.speech_key(&memory) != *key {
                continue;
            }
            let speech = read_by(self.encoder, &memory);
            let news = batch.news(&speech, &vectors);
            if news <= self.left && batch.fits(&speech, &vectors) {
                batch.add(*key, &speech, &vectors);
            }
        }
        self.left -= batch.texts.len();
        let rests = !batch.memories.is_empty() && engine.was_late(self.encoder, LATE_WITH_PASSAGES);
        if !batch.memories.is_empty() && !rests && self.trouble.is_none() {
            let limit = self.until.saturating_duration_since(Instant::now());
            match batch.send(engine, self.encoder, &mut vectors, limit, false) {
                // What cannot be kept is asked for again: a cache is a help and no more.
                Ok(()) => drop(vectors.keep(store, &speaking.iter().map(|(_, key)| *key).collect())),
                // What was left of the time says nothing to anybody.
                Err(error @ ProviderError::Late(_)) => {
                    engine.note_late(self.encoder, LATE_WITH_PASSAGES, &error);
                    self.trouble = Some(ProviderError::Late(self.limit));
                }
                Err(error) => self.trouble = Some(error),
            }
        }
        let waiting = speaking.iter().filter(|(_, key)| !vectors.has_memory(key)).count();
        self.waiting += waiting;
        if self.encoder.is_built_in() && speaking.len() <= MOST_UNASKED {
            self.read_behind += waiting;
            self.wants_reading |= waiting > 0;
        }
        Ok(vectors)
    }
}

impl Engine {
    /// Whether the sentence encoder in the program has a say before a prompt: unless the person chose another. A server
    /// never has, and a word that is none chose nothing.
    pub(crate) fn reads_sentences(&self) -> bool {
        let kind = self.config().text("embedding.kind");
        kind == "built-in" || !EMBEDDING_KINDS.contains(&kind)
    }

    /// Whether what was met without a vector should be encoded now, by a process that the caller starts: not while another
    /// does so, nor soon after one that could not help, nor where that cannot be noted or what it makes not be signed, nor
    /// where the person wants no encoder.
    pub fn begin_unasked(&self) -> bool {
        let (begun, in_vain) = (self.place(BEGUN), self.place(IN_VAIN));
        self.persons().filter(|_| self.reads_sentences()).is_some_and(|store| {
            !self.is_noted(store, ENCODING, &begun, BEGINNING)
                && !self.is_noted(store, ENCODING, &in_vain, TRIED)
                && store.can_sign()
                && self.note(store, ENCODING, &begun).is_ok()
        })
    }

    /// Encodes what has no vector yet, as far as that is done unasked: by the encoder in the program, one process at a
    /// time, until a point in time, and not in stores of very many memories.
    pub fn embed_unasked(&self, until: Instant) -> Result<(), StoreError> {
        let Some(own) = self.persons() else { return Ok(()) };
        loop {
            let Some(turn) = Vectors::turn(own)? else { return Ok(()) };
            self.note(own, ENCODING, &self.place(BEGUN))?;
            let helped = self.embed_small(until);
            self.note(own, ENCODING, &if helped { String::new() } else { self.place(IN_VAIN) })?;
            drop(turn);
            // Whoever added memories meanwhile found this one at work, and started none. From the note on they do: who
            // looks behind it misses nobody.
            if !helped || Instant::now() >= until || !self.has_unread() {
                return Ok(());
            }
        }
    }

    /// Encodes what has no vector in the stores that are not too large; whether that helped all of them.
    fn embed_small(&self, until: Instant) -> bool {
        let (encoder, mut helped) = (Encoder::built_in(), None);
        for (whose, store) in self.stores() {
            let done = match self.speaking_unasked(store) {
                Ok(None) => continue,
                Ok(Some(_)) => match self.embed(whose, &encoder, &mut |_, _| Instant::now() < until) {
                    Ok(done) => done.sent > 0 || done.missing == 0,
                    Err(_) => false,
                },
                Err(_) => false,
            };
            helped = Some(done && helped.unwrap_or(true));
        }
        helped.unwrap_or(false)
    }

    /// Whether a memory has no vector that could have one unasked.
    fn has_unread(&self) -> bool {
        let (id, dims) = (Encoder::built_in_id(), SentenceEncoder::DIMS);
        self.stores().any(|(_, store)| {
            let speaking = self.speaking_unasked(store).ok().flatten().unwrap_or_default();
            let vectors = Vectors::with_words(store, &id, dims);
            speaking.iter().any(|(_, key)| !vectors.has_all(key))
        })
    }

    /// The memories of a store that may speak by now; nothing where they are too many to be read unasked.
    fn speaking_unasked(&self, store: &FileStore) -> Result<Option<Vec<(Slug, TextKey)>>, StoreError> {
        store.approvals().catch_up()?;
        let speaking = self.whole_index(store)?.speaking()?;
        Ok(Some(speaking).filter(|speaking| speaking.len() <= MOST_UNASKED))
    }

    /// Where notes are kept that hold for this person: a project may be read-only.
    fn persons(&self) -> Option<&FileStore> {
        self.store(Whose::Person).or_else(|| self.home_store())
    }

    /// Names the stores in reach, and what was done about them.
    fn place(&self, what: &str) -> String {
        let roots = self.stores().map(|(_, store)| store.layout().root().display().to_string());
        roots.chain([what.to_owned()]).collect::<Vec<_>>().join("\n")
    }

    /// Encodes every passage that has no vector yet; `progress` is told memories done and all, and says whether to go on.
    pub fn embed(
        &self,
        whose: Whose,
        encoder: &Encoder,
        progress: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Embedded, EmbedError> {
        let Some(store) = self.store(whose) else { return Ok(Embedded::default()) };
        let speaking = self.whole_index(store)?.speaking()?;
        let mut done = Embedded::default();
        if speaking.is_empty() {
            return Ok(done);
        }
        let current: HashSet<TextKey> = speaking.iter().map(|(_, key)| *key).collect();
        // One text tells how many numbers the model's vectors have, and so whether the kept ones are its.
        let dims = self.encode(encoder, &["rawko"], PATIENCE, true)?.vectors[0].len();
        let mut vectors = kept(store, encoder, dims);
        vectors.retain(&current);
        let (mut batch, mut kept) = (Batch::default(), Instant::now());
        let filled = (|| {
            for (at, (slug, key)) in speaking.iter().enumerate() {
                if vectors.has_all(key) {
                    continue;
                }
                let Ok(memory) = store.read(slug) else { continue };
                if store.speech_key(&memory) != *key {
                    continue;
                }
                let speech = read_by(encoder, &memory);
                if !vectors.has_memory(key) && !batch.fits(&speech, &vectors) {
                    done.left += 1;
                    continue;
                }
                batch.add(*key, &speech, &vectors);
                if batch.texts.len() < Encoder::at_once(dims) {
                    continue;
                }
                done.sent += batch.texts.len();
                std::mem::take(&mut batch).send(self, encoder, &mut vectors, PATIENCE, true)?;
                if !progress(at + 1, speaking.len()) {
                    return Ok(());
                }
                if kept.elapsed() >= if encoder.is_built_in() { KEEP_OWN } else { KEEP } {
                    vectors.keep(store, &current)?;
                    kept = Instant::now();
                }
            }
            done.sent += batch.texts.len();
            batch.send(self, encoder, &mut vectors, PATIENCE, true)?;
            progress(speaking.len(), speaking.len());
            Ok(())
        })();
        vectors.keep(store, &current)?;
        let missing = speaking.iter().filter(|(_, key)| !vectors.has_all(key)).count();
        filled.map(|()| Embedded { memories: vectors.memories(), missing, ..done })
    }

    /// Whether a model was late with this a moment ago.
    fn was_late(&self, encoder: &Encoder, with: &str) -> bool {
        self.home_store().is_some_and(|store| self.is_noted(store, with, &encoder.id(), REST))
    }

    /// Notes that a model was late, if it was; where that cannot be kept, the next search waits again.
    fn note_late(&self, encoder: &Encoder, with: &str, error: &ProviderError) {
        if let (ProviderError::Late(_), Some(store)) = (error, self.home_store()) {
            let _ = self.note(store, with, &encoder.id());
        }
    }

    /// Whether something was noted in a store, of a model or a place, within some time.
    fn is_noted(&self, store: &FileStore, what: &str, of: &str, within: SignedDuration) -> bool {
        let noted = || {
            let noted: Value = serde_json::from_slice(&rawko_store::derived_signed(store, what)?).ok()?;
            let at: Timestamp = noted["at"].as_str().filter(|_| noted["of"] == of)?.parse().ok()?;
            Some(self.now().duration_since(at))
        };
        noted().is_some_and(|since| !since.is_negative() && since < within)
    }

    /// Notes something of a model or a place, at this moment.
    fn note(&self, store: &FileStore, what: &str, of: &str) -> Result<(), StoreError> {
        let noted = json!({ "of": of, "at": self.now().to_string() });
        rawko_store::derive_signed(store, what, noted.to_string().as_bytes())
    }

    /// A question's vector, and its single words where the encoder tells them.
    fn encode_question(
        &self,
        encoder: &Encoder,
        question: &str,
        limit: Duration,
    ) -> Result<(Vec<f32>, Option<AskedWords>), ProviderError> {
        if let Some(asked) = encoder.ask(question) {
            return Ok(asked);
        }
        let mut encoded = self.encode(encoder, &[question], limit, false)?;
        Ok((encoded.vectors.pop().expect("as many vectors as texts"), None))
    }

    /// Asks a model, and logs what that cost.
    fn encode(
        &self,
        encoder: &Encoder,
        texts: &[&str],
        limit: Duration,
        patiently: bool,
    ) -> Result<Encoded, ProviderError> {
        let answer = encoder.encode(texts, limit, patiently);
        let Some((speaks, model)) = encoder.server() else { return answer };
        let (usage, error) = match &answer {
            Ok(encoded) => (encoded.usage, None),
            Err(error) => (Default::default(), Some(redact(&error.to_string()).into_owned())),
        };
        let price = self.config().amount("embedding.price");
        let dollars = usage.dollars.or((price > 0.0).then(|| usage.input as f64 * price / 1e6));
        let line = json!({
            "kind": "embedding", "at": self.now().to_string(), "provider": speaks.as_str(),
            "model": model, "texts": texts.len(), "bytes": texts.iter().map(|text| text.len()).sum::<usize>(),
            "tokensIn": usage.input, "dollars": dollars, "error": error,
        });
        // Searching works where nothing can be written.
        if let Some(store) = self.home_store() {
            let _ = UsageLog::of(store.layout()).append(&line, self.now());
        }
        answer
    }
}

/// Memories whose vectors are asked for together.
#[derive(Default)]
struct Batch {
    /// Each with the keys of what it says, and of the task in which it was found.
    memories: Vec<(TextKey, Vec<TextKey>, Option<TextKey>)>,
    texts: Vec<(TextKey, String)>,
}

impl Batch {
    /// How many texts there would be to send with these.
    fn news(&self, speech: &Speech, vectors: &Vectors) -> usize {
        self.texts.len() + lacking(speech, vectors).count()
    }

    /// Whether a memory can be kept with these.
    fn fits(&self, speech: &Speech, vectors: &Vectors) -> bool {
        let named: usize = self.memories.iter().map(|(_, said, _)| said.len() + 1).sum();
        vectors.has_room(self.memories.len() + 1, named + speech.said.len() + 1)
    }

    fn add(&mut self, memory: TextKey, speech: &Speech, vectors: &Vectors) {
        let said = speech.said.iter().map(|text| TextKey::of(text)).collect();
        self.memories.push((memory, said, speech.found_in.as_deref().map(TextKey::of)));
        for (key, text) in lacking(speech, vectors) {
            if !self.texts.iter().any(|(known, _)| *known == key) {
                self.texts.push((key, text.to_owned()));
            }
        }
    }

    /// Asks for the texts' vectors. A memory counts as known once all of its texts have theirs.
    fn send(
        self,
        engine: &Engine,
        encoder: &Encoder,
        vectors: &mut Vectors,
        limit: Duration,
        patiently: bool,
    ) -> Result<(), ProviderError> {
        for texts in self.texts.chunks(Encoder::at_once(vectors.dims())) {
            let wanted: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
            let found = engine.encode(encoder, &wanted, limit, patiently)?;
            if !found.vectors.iter().all(|vector| vector.len() == vectors.dims()) {
                return Err(ProviderError::Form("its vectors have another length than before".to_owned()));
            }
            // A task in which something was found is held against a prompt, which has no time for single words.
            let is_said = |key: &TextKey| self.memories.iter().any(|(_, said, _)| said.contains(key));
            let worded = texts.iter().zip(found.words).filter(|((key, _), _)| is_said(key));
            worded.for_each(|((key, _), words)| vectors.add_words(*key, &words));
            texts.iter().zip(found.vectors).for_each(|((key, _), vector)| vectors.add_text(*key, &vector));
        }
        for (key, said, found_in) in self.memories {
            vectors.add_memory(key, &said, found_in);
        }
        Ok(())
    }
}

/// The texts of a memory that have to be encoded: what it says for its words, too, and the task in which it was found for
/// its vector alone.
fn lacking<'s>(speech: &'s Speech, vectors: &Vectors) -> impl Iterator<Item = (TextKey, &'s str)> {
    let keyed = |text: &'s String| (TextKey::of(text), text.as_str());
    let said = speech.said.iter().map(keyed).filter(|(key, _)| !vectors.has_said(key));
    said.chain(speech.found_in.iter().map(keyed).filter(|(key, _)| !vectors.has_text(key)))
}

/// The vectors that a store keeps of an encoder, with the single words where it tells them.
fn kept(store: &FileStore, encoder: &Encoder, dims: usize) -> Vectors {
    let of = if encoder.is_built_in() { Vectors::with_words } else { Vectors::kept };
    of(store, &encoder.id(), dims)
}

/// What an encoder is given of a memory: only the one in the program is asked about tasks, so no other gets those.
fn read_by(encoder: &Encoder, memory: &Memory) -> Speech {
    let speech = Speech::of(memory);
    let found_in = speech.found_in.filter(|_| encoder.is_built_in());
    Speech { found_in, ..speech }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::engine::Now;
    use crate::provider::Speaks;
    use crate::{Channel, Draft};

    fn engine(folder: &tempfile::TempDir) -> Engine {
        let now = Now::at("2026-01-23T10:30:00Z".parse().expect("a time"));
        Engine::create(&folder.path().join("project"), Some(&folder.path().join("home")), now)
            .expect("a store")
    }

    /// Adds a memory that was found in a task, and tells its file.
    fn add(engine: &Engine, title: &str, task: Option<&str>) -> PathBuf {
        let draft = Draft::new(title, "Deploys are frozen in December.").when("deploy");
        let entry = draft.discovered_in(task.map(str::to_owned)).entry(engine.now());
        let slug = engine.add(&entry, Whose::Project, Channel::Person).expect("saved").slug;
        let layout = engine.store(Whose::Project).expect("a store").layout();
        layout.memories().join(format!("{slug}.md"))
    }

    /// Makes a file as old as an index believes without a look at what is in it.
    fn age(file: &Path) {
        let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let opened = fs::File::options().append(true).open(file).expect("the file");
        opened.set_modified(old).expect("aged");
    }

    /// Removes the words that a project's store keeps.
    fn lose_words(engine: &Engine) {
        let cache = engine.store(Whose::Project).expect("a store").layout().cache();
        let files = fs::read_dir(cache).expect("a cache").flatten();
        let words = files.filter(|file| file.file_name().to_string_lossy().starts_with("words"));
        words.for_each(|file| fs::remove_file(file.path()).expect("removed"));
    }

    #[test]
    fn a_task_in_which_several_memories_were_found_is_encoded_once() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let engine = engine(&folder);
        let sent = || {
            let done = engine.embed(Whose::Project, &Encoder::built_in(), &mut |_, _| true);
            done.expect("encoded").sent
        };
        add(&engine, "Freeze", Some("prepare the Christmas release"));
        assert_eq!(sent(), 3, "a title, a text and a task");
        add(&engine, "No deploys", Some("prepare the Christmas release"));
        assert_eq!(sent(), 1, "another title");
        lose_words(&engine);
        assert_eq!(sent(), 3, "two titles and a text for their words");
    }

    #[test]
    fn words_that_cannot_be_read_are_tried_once_and_then_left_alone() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let engine = engine(&folder);
        let file = add(&engine, "Freeze", None);
        age(&file);
        let _ = engine.rebuild(Whose::Project, &mut |_, _| ()).expect("built");
        let until = || Instant::now() + Duration::from_secs(20);
        engine.embed_unasked(until()).expect("read");
        let (own, in_vain) = (engine.persons().expect("a store"), engine.place(IN_VAIN));
        assert!(!engine.is_noted(own, ENCODING, &in_vain, TRIED) && !engine.has_unread());
        lose_words(&engine);
        let length = fs::metadata(&file).expect("the file").len();
        fs::write(&file, vec![0xff; length as usize]).expect("what is no memory");
        age(&file);
        let end = until();
        engine.embed_unasked(end).expect("tried");
        assert!(engine.has_unread() && Instant::now() < end, "it went on until its time was over");
        assert!(engine.is_noted(own, ENCODING, &in_vain, TRIED), "the next would try again at once");
    }

    #[test]
    fn lateness_is_one_models_and_passes_with_the_minute() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let at = |time: &str| {
            let now = Now::at(format!("2026-01-23T{time}Z").parse().expect("a time"));
            Engine::create(&folder.path().join("project"), Some(&folder.path().join("home")), now)
                .expect("a store")
        };
        let model = |name: &str| Encoder::new(Speaks::Ollama, "", "", name).expect("an encoder");
        let was_late = |time: &str, name: &str| at(time).was_late(&model(name), LATE_WITH_QUESTION);
        let refused = ProviderError::Connection("refused".to_owned());
        at("10:30:00").note_late(&model("m"), LATE_WITH_QUESTION, &refused);
        assert!(!was_late("10:30:01", "m"), "whoever refuses at once costs no time");
        at("10:30:00").note_late(&model("m"), LATE_WITH_QUESTION, &ProviderError::Late(PATIENCE));
        assert!(was_late("10:30:00", "m") && was_late("10:30:59", "m"));
        assert!(!was_late("10:31:00", "m") && !was_late("10:29:59", "m"), "also where the clock went back");
        assert!(!was_late("10:30:01", "n") && !at("10:30:01").was_late(&model("m"), LATE_WITH_PASSAGES));
    }
}
