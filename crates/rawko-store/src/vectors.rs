//! Vectors of the encoder in the program, or of an embedding model that the person chose, kept beside the index.
//!
//! Derived and disposable, as the index is: one file of each model in `cache/`,
//! replaced whole, signed with the person's key, and taken for empty where it
//! is missing, damaged or foreign. It is read where it lies: opening it checks the signature and builds
//! nothing, so that a hook can afford it. Vectors cost money or hours, so those of the
//! last few models stay, and a file that is full takes no more and loses
//! nothing. A vector belongs to the exact text that was sent for it; which
//! texts a memory is made of is known by its entries, so a search reads no file
//! of a memory whose vectors it has.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 32 | signature of all that follows |
//! | 16 | hash of the model's name |
//! | u32 × 3 | numbers in a vector *d*, memories *m*, texts *t* |
//! | (16, u32 × 3) × *m* | a memory's key, its first text, how many it says, and 1 where the task in which it was found follows those; by key |
//! | (16, f32, i8 × *d*) × *t* | a text's key, what its numbers are multiplied with, its numbers |
//!
//! All numbers are little-endian.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::DirEntry;

use rawko_core::{Alike, EntryId};

use crate::FileStore;
use crate::atomic::{self, Temporary};
use crate::error::StoreError;
use crate::index::Key;
use crate::lock::Lock;
use crate::pending::Turn;
use crate::plain;
use crate::worded;

/// What the names of all such files begin with.
const NAME: &str = "vectors";
const MAGIC: &[u8; 8] = b"rawkove2";
const PURPOSE: &[u8] = b"vectors of an embedding model";
/// The largest file that is written and read, in bytes.
const LARGEST: usize = 256 * 1024 * 1024;
/// Models whose vectors are kept.
const MODELS: usize = 3;
/// Bytes before the signed part, before the first memory, of a memory, and of a text besides its numbers: see the table above.
const UNSIGNED: usize = 8 + 32;
const HEAD: usize = UNSIGNED + 16 + 3 * 4;
const MEMORY: usize = 16 + 3 * 4;
const TEXT: usize = 16 + 4;

/// Names a text, or what a memory may say, by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextKey([u8; 16]);

impl TextKey {
    /// The key of a text.
    pub fn of(text: &str) -> Self {
        Self::first(blake3::hash(text.as_bytes()))
    }

    /// The key of what a memory of these entries may say, each with what it has to say in it.
    pub(crate) fn of_entries(entries: impl Iterator<Item = (EntryId, u8)>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for (id, say) in entries {
            hasher.update(&id.to_bytes());
            hasher.update(&[say]);
        }
        Self::first(hasher.finalize())
    }

    pub(crate) fn bytes(self) -> [u8; 16] {
        self.0
    }

    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    fn first(hash: blake3::Hash) -> Self {
        Self(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
    }
}

/// A model's vectors of a store's memories.
#[derive(Debug)]
pub struct Vectors {
    model: TextKey,
    dims: usize,
    kept: Kept,
    /// What is not kept yet.
    added: BTreeMap<TextKey, Told<Text>>,
    /// Texts whose memory is still to come.
    loose: HashMap<TextKey, Text>,
    /// The single words of the texts, for who wants them.
    words: Option<worded::Kept>,
    /// The largest file that they may become.
    largest: usize,
}

/// The texts of a file, where they lie.
#[derive(Clone, Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    memories: usize,
    texts: usize,
    /// Bytes of a text.
    text: usize,
    /// Where each text is: made for whoever adds to them.
    places: OnceCell<HashMap<TextKey, usize>>,
}

/// The texts that a memory is known by.
#[derive(Clone, Debug)]
struct Told<T> {
    said: Vec<T>,
    /// The task in which it was found.
    found_in: Option<T>,
}

impl<T> Told<T> {
    fn map<'t, U>(&'t self, each: impl Fn(&'t T) -> U) -> Told<U> {
        Told { said: self.said.iter().map(&each).collect(), found_in: self.found_in.as_ref().map(each) }
    }

    fn count(&self) -> usize {
        self.said.len() + usize::from(self.found_in.is_some())
    }

    fn texts(&self) -> impl Iterator<Item = &T> {
        self.said.iter().chain(&self.found_in)
    }
}

/// A text's key, what its numbers are multiplied with so that their length is 1, and its numbers: as they lie in a file.
type Text = Box<[u8]>;

impl Vectors {
    /// None yet, of a model with so many numbers in a vector.
    pub fn new(model: &str, dims: usize) -> Self {
        let kept = Kept { text: TEXT + dims, ..Kept::default() };
        let (added, loose, words) = Default::default();
        Self { model: TextKey::of(model), dims, kept, added, loose, words, largest: LARGEST }
    }

    /// Those that a store keeps of this model; none where it keeps no such.
    pub fn kept(store: &FileStore, model: &str, dims: usize) -> Self {
        let mut vectors = Self::new(model, dims);
        if let Some(kept) = vectors.file(store) {
            vectors.kept = kept;
        }
        vectors
    }

    /// The same of a model that tells single words, too.
    pub fn with_words(store: &FileStore, model: &str, dims: usize) -> Self {
        let vectors = Self::kept(store, model, dims);
        let words = worded::Kept::of(store, vectors.model, &vectors.mark());
        Self { words: Some(words), ..vectors }
    }

    /// The same for who has no time: nothing where the file has more bytes than this.
    pub fn kept_within(store: &FileStore, model: &str, dims: usize, most: u64) -> Option<Self> {
        let path = store.layout().cache().join(Self::new(model, dims).name());
        let is_large = path.symlink_metadata().is_ok_and(|file| file.len() > most);
        (!is_large).then(|| Self::kept(store, model, dims))
    }

    /// The turn to fill a store's vectors; nothing while another process has it.
    pub fn turn(store: &FileStore) -> Result<Option<Turn>, StoreError> {
        let layout = store.layout();
        atomic::make_folder(layout.root(), &layout.cache())?;
        Ok(Lock::try_take(&layout.cache().join("lock-vectors"))?.map(Turn::of))
    }

    /// The file's name.
    fn name(&self) -> String {
        format!("{NAME}-{}", self.mark())
    }

    /// What it has in its name: another for each model, and for each length that a server gives it.
    fn mark(&self) -> String {
        let hash = blake3::hash(&[&self.model.0[..], &self.dims.to_le_bytes()].concat());
        hash.to_hex()[..8].to_owned()
    }

    /// What a store keeps of the same model.
    fn file(&self, store: &FileStore) -> Option<Kept> {
        let bytes = plain::read(&store.layout().cache().join(self.name()), LARGEST as u64).ok()??;
        Kept::read(bytes, self, &Key::of(store.home(), store.layout().root()))
    }

    /// Keeps these, and what another process kept meanwhile; of memories that are not among `current`, nothing.
    ///
    /// Where nothing was added, nothing is written.
    pub fn keep(&mut self, store: &FileStore, current: &HashSet<TextKey>) -> Result<(), StoreError> {
        if !self.added.is_empty() {
            self.keep_vectors(store, current)?;
        }
        let Some(words) = self.words.as_mut().filter(|words| words.has_news()) else { return Ok(()) };
        let told = self.kept.keys().filter_map(|key| self.kept.of(&key));
        words.keep(&told.flat_map(|told| told.said.into_iter().map(key_of)).collect())
    }

    fn keep_vectors(&mut self, store: &FileStore, current: &HashSet<TextKey>) -> Result<(), StoreError> {
        if let Some(other) = self.file(store) {
            self.join(&other, current);
        }
        let (name, layout) = (self.name(), store.layout());
        self.settle(current);
        let signature = Key::of(store.home(), layout.root()).sign(&[PURPOSE, &self.kept.bytes[UNSIGNED..]]);
        self.kept.bytes[8..UNSIGNED].copy_from_slice(signature.as_bytes());
        atomic::make_folder(layout.root(), &layout.cache())?;
        // Synced: to ask the model for all of them once more costs more than to wait for the disk.
        Temporary::write(&layout.cache(), &self.kept.bytes)?.rename(&layout.cache().join(&name))?;
        forget_others(store, &name);
        Ok(())
    }

    /// Forgets words that turned out to be damaged, so that they are read anew; whether there were any. A healthy store
    /// pays nothing for it.
    pub fn mend_words(&mut self) -> Result<bool, StoreError> {
        self.words.as_mut().map_or(Ok(false), worded::Kept::mend)
    }

    /// Drops what belongs to none of these memories.
    pub fn retain(&mut self, current: &HashSet<TextKey>) {
        if self.kept.keys().any(|key| !current.contains(&key)) {
            let added = std::mem::take(&mut self.added);
            self.settle(current);
            self.added = added;
        }
        self.added.retain(|key, _| current.contains(key));
    }

    /// Puts what was added beside what lay there, of these memories.
    fn settle(&mut self, current: &HashSet<TextKey>) {
        let mut all: BTreeMap<TextKey, Told<&[u8]>> = BTreeMap::new();
        for key in self.kept.keys().filter(|key| current.contains(key)) {
            all.extend(self.kept.of(&key).map(|told| (key, told)));
        }
        for (key, told) in self.added.iter().filter(|(key, _)| current.contains(key)) {
            all.insert(*key, told.map(|text| &text[..]));
        }
        self.kept = Kept::laid_out(self.model, self.dims, &all);
        self.added.clear();
        self.loose.clear();
    }

    /// Adds what another process has of these memories, as far as there is room.
    fn join(&mut self, other: &Kept, current: &HashSet<TextKey>) {
        for key in other.keys() {
            let told = other.of(&key).filter(|_| current.contains(&key) && !self.has_memory(&key));
            if let Some(told) = told.filter(|told| self.has_room(1, told.count())) {
                self.added.insert(key, told.map(|text| Box::from(*text)));
            }
        }
    }

    /// Whether so many more memories, of so many texts in all, can be kept.
    pub fn has_room(&self, memories: usize, texts: usize) -> bool {
        // What was read for its words alone has its place already.
        let news = || self.added.iter().filter(|(key, _)| self.kept.of(key).is_none());
        let memories = self.kept.memories + news().count() + memories;
        let texts = self.kept.texts + news().map(|(_, told)| told.count()).sum::<usize>() + texts;
        HEAD + memories * MEMORY + texts * self.kept.text <= self.largest
    }

    /// How many numbers a vector has.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kept.memories == 0 && self.added.is_empty()
    }

    /// Whether it is known what a memory is made of.
    pub fn has_memory(&self, memory: &TextKey) -> bool {
        self.added.contains_key(memory) || self.kept.of(memory).is_some()
    }

    /// Whether no more can be known of what a memory says, of its single words neither.
    pub fn has_all(&self, memory: &TextKey) -> bool {
        let has_words = |told: Told<&[u8]>| told.said.iter().all(|text| self.has_words(text));
        self.added.contains_key(memory) || self.kept.of(memory).is_some_and(has_words)
    }

    /// Whether a text has its vector: of a task in which something was found, nothing else is wanted.
    pub fn has_text(&self, text: &TextKey) -> bool {
        self.text(text).is_some()
    }

    /// Whether no more can be known of a text that a memory says, of its single words neither.
    pub fn has_said(&self, text: &TextKey) -> bool {
        self.text(text).is_some_and(|text| self.has_words(text))
    }

    /// A text that is kept, or whose memory is still to come.
    fn text(&self, text: &TextKey) -> Option<&[u8]> {
        let kept = || self.kept.place(text).map(|at| self.kept.text_at(at));
        self.loose.get(text).map(|text| &text[..]).or_else(kept)
    }

    /// Whether no more can be known of a text's words: they are known, or not asked for, or there is no room for them, or
    /// the text could not be read.
    fn has_words(&self, text: &[u8]) -> bool {
        self.words.as_ref().is_none_or(|words| is_unread(text) || !words.wants(&key_of(text)))
    }

    /// How many memories have a vector.
    pub fn memories(&self) -> usize {
        let kept = self.kept.keys().filter_map(|key| self.kept.of(&key));
        kept.filter(|told| told.count() > 0).count()
            + self.added.values().filter(|told| told.count() > 0).count()
    }

    /// Gives a text its vector, which has as many numbers as the others; it is kept with a memory that names it.
    pub fn add_text(&mut self, text: TextKey, vector: &[f32]) {
        debug_assert_eq!(vector.len(), self.dims, "vectors of one model have one length");
        self.loose.insert(text, coded(text, vector));
    }

    /// Gives a text its single words, as its model tells them.
    pub fn add_words(&mut self, text: TextKey, words: &[u8]) {
        if let Some(all) = &mut self.words {
            all.add(text, words);
        }
    }

    /// The single words of each text that a memory says and the model could read; nothing where one's are not known, or all
    /// have more bytes than `most`: those are not read.
    pub fn words(&self, memory: &TextKey, most: usize) -> Option<Vec<Box<[u8]>>> {
        let words = self.words.as_ref()?;
        let told = match self.added.get(memory) {
            Some(told) => told.map(|text| &text[..]),
            None => self.kept.of(memory)?,
        };
        let read = told.said.into_iter().filter(|text| !is_unread(text));
        let texts: Vec<TextKey> = read.map(key_of).collect();
        let length = texts.iter().map(|text| words.length(text)).sum::<Option<usize>>()?;
        (length <= most).then(|| texts.iter().map(|text| words.words(text)).collect())?
    }

    /// Says what a memory is known by: texts that have vectors. One that may say nothing is known by none.
    pub fn add_memory(&mut self, memory: TextKey, said: &[TextKey], found_in: Option<TextKey>) {
        let known = |key: &TextKey| self.text(key).map(Text::from);
        let found_in = found_in.as_ref().and_then(known);
        let told = Told { said: said.iter().filter_map(known).collect(), found_in };
        self.added.insert(memory, told);
    }

    /// How alike a memory and a vector are; nothing where the memory has none. What the vector asks for is not known here.
    pub fn likeness(&self, memory: &TextKey, to: &[f32]) -> Option<Alike> {
        let told = match self.added.get(memory) {
            Some(told) => told.map(|text| dot(text, to)),
            None => self.kept.of(memory)?.map(|text| dot(text, to)),
        };
        Some(Alike {
            said: told.said.into_iter().flatten().reduce(f32::max)?,
            found_in: told.found_in.flatten(),
            asks: 0.0,
        })
    }
}

impl Kept {
    /// What these texts are as a file, not yet signed.
    fn laid_out(model: TextKey, dims: usize, all: &BTreeMap<TextKey, Told<&[u8]>>) -> Self {
        let texts = all.values().map(Told::count).sum();
        let text = TEXT + dims;
        let mut bytes = Vec::with_capacity(HEAD + all.len() * MEMORY + texts * text);
        bytes.extend(MAGIC);
        bytes.extend([0; UNSIGNED - 8]);
        bytes.extend(model.0);
        [dims, all.len(), texts].into_iter().for_each(|count| put_count(&mut bytes, count));
        let mut first = 0;
        for (memory, told) in all {
            bytes.extend(memory.0);
            let counts = [first, told.said.len(), usize::from(told.found_in.is_some())];
            counts.into_iter().for_each(|count| put_count(&mut bytes, count));
            first += told.count();
        }
        all.values().flat_map(Told::texts).for_each(|text| bytes.extend(*text));
        Self { bytes, memories: all.len(), texts, text, places: OnceCell::new() }
    }

    /// A file of these vectors' model; nothing where it is another's, or damaged.
    fn read(bytes: Vec<u8>, of: &Vectors, key: &Key) -> Option<Self> {
        let (signature, signed) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<32>()?;
        // A `blake3::Hash` is compared in constant time.
        if key.sign(&[PURPOSE, signed]) != *signature {
            return None;
        }
        let (model, counts) = signed.split_first_chunk::<16>()?;
        let counts = counts.as_chunks::<4>().0.get(..3)?;
        let [dims, memories, texts] = [0, 1, 2].map(|at| u32::from_le_bytes(counts[at]) as usize);
        let text = TEXT + of.dims;
        let length =
            memories.checked_mul(MEMORY)?.checked_add(texts.checked_mul(text)?)?.checked_add(HEAD)?;
        let is_ours = *model == of.model.0 && dims == of.dims && length == bytes.len();
        is_ours.then_some(Self { bytes, memories, texts, text, places: OnceCell::new() })
    }

    fn memory_at(&self, at: usize) -> &[u8; MEMORY] {
        self.bytes[HEAD + at * MEMORY..].first_chunk().expect("there are so many memories")
    }

    fn text_at(&self, at: usize) -> &[u8] {
        &self.bytes[HEAD + self.memories * MEMORY + at * self.text..][..self.text]
    }

    /// The keys of the memories, in order.
    fn keys(&self) -> impl Iterator<Item = TextKey> {
        (0..self.memories).map(|at| key_of(self.memory_at(at)))
    }

    /// The texts of a memory; nothing where it is not known.
    fn of(&self, memory: &TextKey) -> Option<Told<&[u8]>> {
        let (mut from, mut to) = (0, self.memories);
        while from < to {
            let middle = usize::midpoint(from, to);
            match key_of(self.memory_at(middle)) < *memory {
                true => from = middle + 1,
                false => to = middle,
            }
        }
        let found =
            (from < self.memories).then(|| self.memory_at(from)).filter(|one| key_of(*one) == *memory)?;
        let [first, said, found_in] = [16, 20, 24].map(|at| {
            u32::from_le_bytes(*found[at..].first_chunk().expect("a memory has three counts")) as usize
        });
        let behind = first.checked_add(said)?;
        let is_inside = behind.checked_add(found_in)? <= self.texts;
        is_inside.then(|| Told {
            said: (first..behind).map(|at| self.text_at(at)).collect(),
            found_in: (found_in > 0).then(|| self.text_at(behind)),
        })
    }

    /// Where a text is.
    fn place(&self, text: &TextKey) -> Option<usize> {
        let places = || (0..self.texts).map(|at| (key_of(self.text_at(at)), at)).collect();
        self.places.get_or_init(places).get(text).copied()
    }
}

fn key_of(bytes: &[u8]) -> TextKey {
    TextKey(*bytes.first_chunk().expect("memories and texts begin with a key"))
}

/// A vector as it lies in a file: whole numbers up to 127, and what makes their length 1; 0 where the text could not be
/// read, and is like nothing.
fn coded(text: TextKey, vector: &[f32]) -> Text {
    let most = vector.iter().fold(f32::MIN_POSITIVE, |most, number| most.max(number.abs()));
    let numbers: Vec<i8> = vector.iter().map(|number| (number / most * 127.0).round() as i8).collect();
    let length = numbers.iter().map(|&number| f32::from(number).powi(2)).sum::<f32>().sqrt();
    let mut bytes = Vec::with_capacity(TEXT + numbers.len());
    bytes.extend(text.0);
    let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
    bytes.extend(scale.to_le_bytes());
    bytes.extend(numbers.iter().map(|number| number.to_le_bytes()[0]));
    bytes.into()
}

/// Whether a text could not be read.
fn is_unread(text: &[u8]) -> bool {
    text[TEXT - 4..TEXT] == 0.0f32.to_le_bytes()
}

/// How alike a text and a vector are; nothing where the text could not be read.
fn dot(text: &[u8], to: &[f32]) -> Option<f32> {
    let (head, numbers) = text.split_at(TEXT);
    let scale = f32::from_le_bytes(*head.last_chunk().expect("a scale follows the key"));
    // Added up side by side: one sum would have to wait for itself at every number.
    const LANES: usize = 16;
    let mut sums = [0.0; LANES];
    let number = |byte: u8| f32::from(byte.cast_signed());
    let ((ours, our_rest), (theirs, their_rest)) = (numbers.as_chunks::<LANES>(), to.as_chunks::<LANES>());
    for (ours, theirs) in ours.iter().zip(theirs) {
        for lane in 0..LANES {
            sums[lane] += number(ours[lane]) * theirs[lane];
        }
    }
    let rest = our_rest.iter().zip(their_rest).map(|(ours, theirs)| number(*ours) * theirs);
    let sum = sums.iter().sum::<f32>() + rest.sum::<f32>();
    (scale > 0.0).then_some(scale * sum)
}

/// Removes the files of models beyond the newest few, and their words; what cannot be removed stays.
fn forget_others(store: &FileStore, ours: &str) {
    let Ok(files) = std::fs::read_dir(store.layout().cache()) else { return };
    let of_another = |file: &DirEntry| {
        let name = file.file_name();
        name != ours && name.to_str().is_some_and(|name| name.starts_with(NAME))
    };
    let mut others: Vec<DirEntry> = files.flatten().filter(of_another).collect();
    others.sort_by_key(|file| Reverse(file.metadata().and_then(|meta| meta.modified()).ok()));
    for file in others.iter().skip(MODELS - 1) {
        let _ = std::fs::remove_file(file.path());
        let name = file.file_name();
        if let Some(mark) = name.to_str().and_then(|name| name.strip_prefix(NAME)?.strip_prefix('-')) {
            worded::forget(&store.layout().cache(), mark);
        }
    }
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend(u32::try_from(count).expect("a store has fewer than 2^32 passages").to_le_bytes());
}

#[cfg(test)]
mod tests {
    use rawko_core::Channel;

    use super::*;
    use crate::layout::Layout;
    use crate::{Store, Target};

    fn store(folder: &tempfile::TempDir) -> FileStore {
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        let now = "2026-01-23T10:30:00Z".parse().expect("a time");
        FileStore::project(layout, Some(&folder.path().join("home")), now).expect("a store")
    }

    fn some() -> (Vectors, HashSet<TextKey>) {
        let (memory, text) = (TextKey::of("memory"), TextKey::of("text"));
        let mut vectors = Vectors::new("model", 2);
        vectors.add_text(text, &[3.0, -4.0]);
        vectors.add_memory(memory, &[text], None);
        (vectors, HashSet::from([memory]))
    }

    #[test]
    fn what_is_kept_is_read_back_and_a_likeness_is_a_cosine() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (mut vectors, current) = some();
        vectors.keep(&store(&folder), &current).expect("kept");
        let kept = Vectors::kept(&store(&folder), "model", 2);
        assert!(kept.has_memory(&TextKey::of("memory")) && kept.has_text(&TextKey::of("text")));
        let likeness = kept.likeness(&TextKey::of("memory"), &[0.6, -0.8]).expect("a likeness").said;
        assert!((likeness - 1.0).abs() < 0.01, "{likeness}");
        assert_eq!(kept.likeness(&TextKey::of("other"), &[0.6, -0.8]), None);
    }

    #[test]
    fn what_a_memory_says_and_the_task_it_was_found_in_are_told_apart() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (mut vectors, mut current) = some();
        let (memory, task) = (TextKey::of("found"), TextKey::of("task"));
        vectors.add_text(task, &[1.0, 0.0]);
        vectors.add_memory(memory, &[TextKey::of("text")], Some(task));
        current.insert(memory);
        for kept in [false, true] {
            let Alike { said, found_in, .. } = vectors.likeness(&memory, &[0.0, -1.0]).expect("a likeness");
            assert!((said - 0.8).abs() < 0.01 && found_in.is_some_and(|one| one.abs() < 0.01), "{kept}");
            let other = vectors.likeness(&TextKey::of("memory"), &[0.0, -1.0]).expect("a likeness");
            assert_eq!((other.said, other.found_in), (said, None));
            vectors.keep(&store(&folder), &current).expect("kept");
            vectors = Vectors::kept(&store(&folder), "model", 2);
        }
    }

    #[test]
    fn what_a_person_approves_is_known_by_another_key() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let entry = crate::contract::entry("Deploys", "From main.", 0);
        let saved = store(&folder).append(&entry, &Target::Title, Channel::Agent).expect("saved");
        let key = || {
            let store = store(&folder);
            let memory = store.read(&saved.slug).expect("a memory");
            (store.speech_key(&memory), memory.entries[0].id)
        };
        let (before, id) = key();
        store(&folder).approve(&[id]).expect("approved");
        assert_ne!(key().0, before, "what waited may speak now, and other words may count");
    }

    #[test]
    fn a_text_that_could_not_be_read_is_like_nothing() {
        let (mut vectors, _) = some();
        let (mixed, unread, text) = (TextKey::of("mixed"), TextKey::of("unread"), TextKey::of("zeros"));
        vectors.add_text(text, &[0.0, 0.0]);
        vectors.add_memory(mixed, &[text, TextKey::of("text")], Some(text));
        vectors.add_memory(unread, &[text], None);
        let alike = vectors.likeness(&mixed, &[-0.6, 0.8]).expect("a likeness");
        assert!(alike.said < -0.9 && alike.found_in.is_none(), "{alike:?}");
        assert_eq!(vectors.likeness(&unread, &[0.6, -0.8]), None);
        assert!(vectors.has_memory(&unread), "it is not tried again");
    }

    #[test]
    fn a_text_that_could_not_be_read_keeps_no_words_from_the_others() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = store(&folder);
        let (key, title, body) = (TextKey::of("memory"), TextKey::of("題"), TextKey::of("body"));
        let mut vectors = Vectors::with_words(&store, "model", 2);
        vectors.add_text(title, &[0.0, 0.0]);
        vectors.add_text(body, &[1.0, 0.0]);
        vectors.add_words(body, b"words");
        vectors.add_memory(key, &[title, body], None);
        vectors.keep(&store, &HashSet::from([key])).expect("kept");
        let again = Vectors::with_words(&store, "model", 2);
        assert!(again.has_all(&key));
        assert_eq!(again.words(&key, 100).expect("of what was read").len(), 1);
    }

    #[test]
    fn words_for_which_there_is_no_room_are_not_even_read() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = store(&folder);
        let (key, text) = (TextKey::of("memory"), TextKey::of("text"));
        let mut vectors = Vectors::with_words(&store, "model", 2);
        vectors.add_text(text, &[1.0, 0.0]);
        vectors.add_words(text, b"words");
        vectors.add_memory(key, &[text], None);
        vectors.keep(&store, &HashSet::from([key])).expect("kept");
        let mut again = Vectors::with_words(&store, "model", 2);
        assert_eq!(again.words(&key, 5).map(|words| words.len()), Some(1));
        let file = store.layout().cache().join(format!("words-{}-1", again.mark()));
        let length = std::fs::metadata(&file).expect("the words").len();
        std::fs::write(&file, vec![0; length as usize]).expect("damaged");
        assert!(again.words(&key, 4).is_none() && again.has_all(&key));
        assert!(!again.mend_words().expect("looked"), "nobody has met the damage");
        assert!(again.words(&key, 5).is_none() && again.mend_words().expect("mended"));
    }

    #[test]
    fn vectors_of_another_model_length_or_person_are_none() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (mut vectors, current) = some();
        vectors.keep(&store(&folder), &current).expect("kept");
        assert_eq!(Vectors::kept(&store(&folder), "another", 2).memories(), 0);
        assert_eq!(Vectors::kept(&store(&folder), "model", 3).memories(), 0);
        let other = FileStore::project(
            store(&folder).layout().clone(),
            Some(&folder.path().join("another-home")),
            "2026-01-23T10:30:00Z".parse().expect("a time"),
        );
        assert_eq!(Vectors::kept(&other.expect("a store"), "model", 2).memories(), 0);
    }

    #[test]
    fn a_file_with_any_byte_changed_or_cut_off_is_none_and_is_written_anew() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = store(&folder);
        let (mut vectors, current) = some();
        vectors.keep(&store, &current).expect("kept");
        let path = store.layout().cache().join(vectors.name());
        let bytes = std::fs::read(&path).expect("the file");
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            for damaged in [&changed[..], &bytes[..at]] {
                std::fs::write(&path, damaged).expect("written");
                assert_eq!(Vectors::kept(&store, "model", 2).memories(), 0, "at {at}");
            }
        }
        some().0.keep(&store, &current).expect("kept again");
        assert_eq!(std::fs::read(&path).expect("the file"), bytes);
    }

    #[test]
    fn what_another_process_kept_stays_and_what_is_no_memory_goes() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = store(&folder);
        let (mut vectors, mut current) = some();
        vectors.keep(&store, &current).expect("kept");
        let mut other = Vectors::new("model", 2);
        other.add_text(TextKey::of("more"), &[1.0, 0.0]);
        other.add_memory(TextKey::of("newer"), &[TextKey::of("more")], None);
        current.insert(TextKey::of("newer"));
        other.keep(&store, &current).expect("kept");
        assert_eq!(Vectors::kept(&store, "model", 2).memories(), 2);
        current.remove(&TextKey::of("memory"));
        other.add_memory(TextKey::of("newer"), &[TextKey::of("more")], None);
        other.keep(&store, &current).expect("kept");
        let kept = Vectors::kept(&store, "model", 2);
        assert_eq!((kept.memories(), kept.has_text(&TextKey::of("text"))), (1, false));
    }

    fn files(store: &FileStore) -> Vec<String> {
        let files = std::fs::read_dir(store.layout().cache()).into_iter().flatten().flatten();
        files.filter_map(|file| file.file_name().into_string().ok()).collect()
    }

    #[test]
    fn each_model_has_its_file_and_the_newest_three_stay() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = store(&folder);
        let (_, current) = some();
        let model = |name: &str| Vectors { model: TextKey::of(name), ..some().0 };
        for name in ["model", "second", "third"] {
            model(name).keep(&store, &current).expect("kept");
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
        for name in ["model", "second", "third"] {
            assert_eq!(Vectors::kept(&store, name, 2).memories(), 1, "{name}");
        }
        let words = format!("words-{}-1", model("model").mark());
        std::fs::write(store.layout().cache().join(words), "").expect("its words");
        model("fourth").keep(&store, &current).expect("kept");
        let counts = ["model", "second", "third", "fourth"].map(|n| Vectors::kept(&store, n, 2).memories());
        assert_eq!(counts, [0, 1, 1, 1]);
        let names = files(&store);
        assert_eq!(names.len(), MODELS, "{names:?}");
        assert!(names.iter().all(|name| name.starts_with("vectors-") && name.len() == 16), "{names:?}");
    }

    #[test]
    fn where_nothing_was_added_nothing_is_written() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = store(&folder);
        Vectors::new("model", 2).keep(&store, &HashSet::new()).expect("nothing to do");
        assert_eq!(files(&store), [""; 0]);
        some().0.keep(&store, &some().1).expect("kept");
        // Whoever added nothing takes nothing away.
        Vectors::kept(&store, "model", 2).keep(&store, &HashSet::new()).expect("nothing to do");
        assert_eq!(Vectors::kept(&store, "model", 2).memories(), 1);
    }

    #[test]
    fn a_full_file_takes_no_more_and_loses_nothing() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = store(&folder);
        let (mut vectors, mut current) = some();
        vectors.keep(&store, &current).expect("kept");
        let size = std::fs::metadata(store.layout().cache().join(vectors.name())).expect("a file").len();
        let room = |largest: u64| Vectors { largest: largest as usize, ..Vectors::kept(&store, "model", 2) };
        // One more of the same size: a text of 20 + 2 bytes, a memory of 28.
        assert!(room(size).has_room(0, 0) && !room(size - 1).has_room(0, 0));
        assert!(room(size + 50).has_room(1, 1) && !room(size + 49).has_room(1, 1));
        let (memory, text) = (TextKey::of("newer"), TextKey::of("more"));
        let mut other = Vectors { largest: size as usize, ..Vectors::new("model", 2) };
        other.add_text(text, &[1.0, 0.0]);
        other.add_memory(memory, &[text], None);
        current.insert(memory);
        other.keep(&store, &current).expect("kept");
        let kept = Vectors::kept(&store, "model", 2);
        assert_eq!((kept.memories(), kept.has_memory(&memory)), (1, true), "as many as there is room for");
    }
}
