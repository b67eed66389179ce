//! Vectors of the encoder in the program, or of an embedding model that the person chose, kept beside the index.
//!
//! Derived and disposable, as the index is: one file of each model in `cache/`,
//! replaced whole, signed with the person's key, and taken for empty where it
//! is missing, damaged or foreign. Vectors cost money or hours, so those of the
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
//! | u32 × 3 | numbers in a vector *d*, texts *t*, memories *m* |
//! | (16, f32, i8 × *d*) × *t* | a text's key, what its numbers are multiplied with, its numbers |
//! | (16, u32 *n*, 16 × *n*) × *m* | a memory's key, and its texts' |
//!
//! All numbers are little-endian.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::fs::DirEntry;

use rawko_core::EntryId;

use crate::FileStore;
use crate::atomic::{self, Temporary};
use crate::error::StoreError;
use crate::index::Key;
use crate::lock::Lock;
use crate::pending::Turn;
use crate::plain;

/// What the names of all such files begin with.
const NAME: &str = "vectors";
const MAGIC: &[u8; 8] = b"rawkove1";
const PURPOSE: &[u8] = b"vectors of an embedding model";
/// The largest file that is written and read, in bytes.
const LARGEST: usize = 256 * 1024 * 1024;
/// Models whose vectors are kept.
const MODELS: usize = 3;
/// Bytes before the first text: see the table above.
const HEAD: usize = 8 + 32 + 16 + 3 * 4;

/// Names a text, or what a memory may say, by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextKey([u8; 16]);

impl TextKey {
    /// The key of a text.
    pub fn of(text: &str) -> Self {
        Self::first(blake3::hash(text.as_bytes()))
    }

    /// The key of what a memory of these entries may say, each with whether it may.
    pub(crate) fn of_entries(entries: impl Iterator<Item = (EntryId, bool)>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for (id, speaks) in entries {
            hasher.update(&id.to_bytes());
            hasher.update(&[u8::from(speaks)]);
        }
        Self::first(hasher.finalize())
    }

    fn first(hash: blake3::Hash) -> Self {
        Self(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
    }
}

/// A model's vectors of a store's memories.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    model: TextKey,
    dims: usize,
    texts: BTreeMap<TextKey, Coded>,
    /// The texts that each memory is made of.
    memories: BTreeMap<TextKey, Vec<TextKey>>,
    /// How many texts the memories name.
    named: usize,
    /// Whether something was added that is not kept yet.
    news: bool,
    /// The largest file that they may become.
    largest: usize,
}

/// A direction: whole numbers up to 127, and what makes its length 1.
#[derive(Clone, Debug, PartialEq)]
struct Coded {
    scale: f32,
    numbers: Box<[i8]>,
}

impl Vectors {
    /// None yet, of a model with so many numbers in a vector.
    pub fn new(model: &str, dims: usize) -> Self {
        Self::none(TextKey::of(model), dims)
    }

    fn none(model: TextKey, dims: usize) -> Self {
        let (texts, memories) = (BTreeMap::new(), BTreeMap::new());
        Self { model, dims, texts, memories, named: 0, news: false, largest: LARGEST }
    }

    /// Those that a store keeps of this model; none where it keeps no such.
    pub fn kept(store: &FileStore, model: &str, dims: usize) -> Self {
        let wanted = Self::new(model, dims);
        wanted.file(store).unwrap_or(wanted)
    }

    /// The turn to fill a store's vectors; nothing while another process has it.
    pub fn turn(store: &FileStore) -> Result<Option<Turn>, StoreError> {
        let layout = store.layout();
        atomic::make_folder(layout.root(), &layout.cache())?;
        Ok(Lock::try_take(&layout.cache().join("lock-vectors"))?.map(Turn::of))
    }

    /// The file's name: one for each model, and for each length that a server gives it.
    fn name(&self) -> String {
        let hash = blake3::hash(&[&self.model.0[..], &self.dims.to_le_bytes()].concat());
        format!("{NAME}-{}", &hash.to_hex()[..8])
    }

    /// What a store keeps of the same model.
    fn file(&self, store: &FileStore) -> Option<Self> {
        let bytes = plain::read(&store.layout().cache().join(self.name()), LARGEST as u64).ok()??;
        let kept = Self::read(&bytes, &Key::of(store.home(), store.layout().root()))?;
        (kept.model == self.model && kept.dims == self.dims).then_some(kept)
    }

    /// Keeps these, and what another process kept meanwhile; of memories that are not among `current`, nothing.
    ///
    /// Where nothing was added, nothing is written.
    pub fn keep(&mut self, store: &FileStore, current: &HashSet<TextKey>) -> Result<(), StoreError> {
        if !self.news {
            return Ok(());
        }
        self.retain(current);
        if let Some(other) = self.file(store) {
            self.join(other, current);
        }
        let (name, layout) = (self.name(), store.layout());
        let bytes = self.to_bytes(&Key::of(store.home(), layout.root()));
        atomic::make_folder(layout.root(), &layout.cache())?;
        // Synced: to ask the model for all of them once more costs more than to wait for the disk.
        Temporary::write(&layout.cache(), &bytes)?.rename(&layout.cache().join(&name))?;
        self.news = false;
        forget_others(store, &name);
        Ok(())
    }

    /// Drops what belongs to none of these memories.
    pub fn retain(&mut self, current: &HashSet<TextKey>) {
        self.memories.retain(|key, _| current.contains(key));
        self.named = self.memories.values().map(Vec::len).sum();
        let used: HashSet<TextKey> = self.memories.values().flatten().copied().collect();
        self.texts.retain(|key, _| used.contains(key));
    }

    /// Adds what another process has of these memories, as far as there is room.
    fn join(&mut self, mut other: Self, current: &HashSet<TextKey>) {
        for (memory, texts) in other.memories {
            if !current.contains(&memory) || self.has_memory(&memory) || !self.has_room(1, texts.len()) {
                continue;
            }
            for text in &texts {
                if let Some(coded) = other.texts.remove(text) {
                    self.texts.entry(*text).or_insert(coded);
                }
            }
            self.add_memory(memory, texts);
        }
    }

    /// Whether so many more memories, of so many texts in all, can be kept.
    pub fn has_room(&self, memories: usize, texts: usize) -> bool {
        let texts_are = (self.texts.len() + texts) * (16 + 4 + self.dims);
        let memories_are = (self.memories.len() + memories) * (16 + 4) + (self.named + texts) * 16;
        HEAD + texts_are + memories_are <= self.largest
    }

    /// How many numbers a vector has.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Whether it is known what a memory is made of.
    pub fn has_memory(&self, memory: &TextKey) -> bool {
        self.memories.contains_key(memory)
    }

    /// Whether a text has a vector.
    pub fn has_text(&self, text: &TextKey) -> bool {
        self.texts.contains_key(text)
    }

    /// How many memories have a vector.
    pub fn memories(&self) -> usize {
        self.memories.values().filter(|texts| !texts.is_empty()).count()
    }

    /// Gives a text its vector, which has as many numbers as the others.
    pub fn add_text(&mut self, text: TextKey, vector: &[f32]) {
        debug_assert_eq!(vector.len(), self.dims, "vectors of one model have one length");
        self.texts.insert(text, Coded::of(vector));
        self.news = true;
    }

    /// Says what a memory is made of: texts that have vectors. One that may say nothing is made of none.
    pub fn add_memory(&mut self, memory: TextKey, texts: Vec<TextKey>) {
        self.named += texts.len();
        let before = self.memories.insert(memory, texts);
        self.named -= before.map_or(0, |texts| texts.len());
        self.news = true;
    }

    /// How alike a memory's best text and a vector are; nothing where the memory has none.
    pub fn likeness(&self, memory: &TextKey, to: &[f32]) -> Option<f32> {
        let texts = self.memories.get(memory)?.iter().filter_map(|text| self.texts.get(text));
        texts.map(|coded| coded.dot(to)).reduce(f32::max)
    }

    fn to_bytes(&self, key: &Key) -> Vec<u8> {
        let size = HEAD + self.texts.len() * (20 + self.dims) + self.memories.len() * 20 + self.named * 16;
        let mut bytes = Vec::with_capacity(size);
        bytes.extend(MAGIC);
        // The signature's place: what it signs comes first.
        bytes.extend([0; 32]);
        bytes.extend(self.model.0);
        for count in [self.dims, self.texts.len(), self.memories.len()] {
            put_count(&mut bytes, count);
        }
        for (text, coded) in &self.texts {
            bytes.extend(text.0);
            bytes.extend(coded.scale.to_le_bytes());
            bytes.extend(coded.numbers.iter().map(|number| number.to_le_bytes()[0]));
        }
        for (memory, texts) in &self.memories {
            bytes.extend(memory.0);
            put_count(&mut bytes, texts.len());
            texts.iter().for_each(|text| bytes.extend(text.0));
        }
        let signature = key.sign(&[PURPOSE, &bytes[8 + 32..]]);
        bytes[8..8 + 32].copy_from_slice(signature.as_bytes());
        bytes
    }

    fn read(bytes: &[u8], key: &Key) -> Option<Self> {
        let (signature, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<32>()?;
        // A `blake3::Hash` is compared in constant time.
        if key.sign(&[PURPOSE, body]) != *signature {
            return None;
        }
        let mut rest = body;
        let model = take_key(&mut rest)?;
        let (dims, texts, memories) =
            (take_count(&mut rest)?, take_count(&mut rest)?, take_count(&mut rest)?);
        let mut read = Self::none(model, dims);
        // They lie in order: a tree of them is built at once.
        let mut coded = Vec::with_capacity(texts.min(rest.len() / (20 + dims)));
        for _ in 0..texts {
            let text = take_key(&mut rest)?;
            let (scale, after) = rest.split_first_chunk::<4>()?;
            let (numbers, after) = after.split_at_checked(dims)?;
            rest = after;
            let numbers = numbers.iter().map(|number| i8::from_le_bytes([*number])).collect();
            coded.push((text, Coded { scale: f32::from_le_bytes(*scale), numbers }));
        }
        read.texts = coded.into_iter().collect();
        for _ in 0..memories {
            let (memory, count) = (take_key(&mut rest)?, take_count(&mut rest)?);
            let texts: Vec<TextKey> = (0..count).map(|_| take_key(&mut rest)).collect::<Option<_>>()?;
            read.named += texts.len();
            read.memories.insert(memory, texts);
        }
        rest.is_empty().then_some(read)
    }
}

impl Coded {
    fn of(vector: &[f32]) -> Self {
        let most = vector.iter().fold(f32::MIN_POSITIVE, |most, number| most.max(number.abs()));
        let numbers: Box<[i8]> = vector.iter().map(|number| (number / most * 127.0).round() as i8).collect();
        let length = numbers.iter().map(|&number| f32::from(number).powi(2)).sum::<f32>().sqrt();
        Self { scale: 1.0 / length.max(1.0), numbers }
    }

    fn dot(&self, to: &[f32]) -> f32 {
        // Added up side by side: one sum would have to wait for itself at every number.
        const LANES: usize = 16;
        let mut sums = [0.0; LANES];
        let ((ours, our_rest), (theirs, their_rest)) =
            (self.numbers.as_chunks::<LANES>(), to.as_chunks::<LANES>());
        for (ours, theirs) in ours.iter().zip(theirs) {
            for lane in 0..LANES {
                sums[lane] += f32::from(ours[lane]) * theirs[lane];
            }
        }
        let rest = our_rest.iter().zip(their_rest).map(|(ours, theirs)| f32::from(*ours) * theirs);
        self.scale * (sums.iter().sum::<f32>() + rest.sum::<f32>())
    }
}

/// Removes the files of models beyond the newest few; what cannot be removed stays.
fn forget_others(store: &FileStore, ours: &str) {
    let Ok(files) = std::fs::read_dir(store.layout().cache()) else { return };
    let of_another = |file: &DirEntry| {
        let name = file.file_name();
        name != ours && name.to_str().is_some_and(|name| name.starts_with(NAME))
    };
    let mut others: Vec<DirEntry> = files.flatten().filter(of_another).collect();
    others.sort_by_key(|file| Reverse(file.metadata().and_then(|meta| meta.modified()).ok()));
    others.iter().skip(MODELS - 1).for_each(|file| drop(std::fs::remove_file(file.path())));
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend(u32::try_from(count).expect("a store has fewer than 2^32 passages").to_le_bytes());
}

fn take_count(rest: &mut &[u8]) -> Option<usize> {
    let (count, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*count) as usize)
}

fn take_key(rest: &mut &[u8]) -> Option<TextKey> {
    let (key, after) = rest.split_first_chunk::<16>()?;
    *rest = after;
    Some(TextKey(*key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

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
        vectors.add_memory(memory, vec![text]);
        (vectors, HashSet::from([memory]))
    }

    #[test]
    fn what_is_kept_is_read_back_and_a_likeness_is_a_cosine() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (mut vectors, current) = some();
        vectors.keep(&store(&folder), &current).expect("kept");
        let kept = Vectors::kept(&store(&folder), "model", 2);
        assert_eq!(kept, vectors);
        let likeness = kept.likeness(&TextKey::of("memory"), &[0.6, -0.8]).expect("a likeness");
        assert!((likeness - 1.0).abs() < 0.01, "{likeness}");
        assert_eq!(kept.likeness(&TextKey::of("other"), &[0.6, -0.8]), None);
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
        vectors.news = true;
        vectors.keep(&store, &current).expect("kept again");
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
        other.add_memory(TextKey::of("newer"), vec![TextKey::of("more")]);
        current.insert(TextKey::of("newer"));
        other.keep(&store, &current).expect("kept");
        assert_eq!(Vectors::kept(&store, "model", 2).memories(), 2);
        current.remove(&TextKey::of("memory"));
        other.news = true;
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
        let room = |largest: u64| Vectors { largest: largest as usize, ..vectors.clone() };
        // One more of the same size: a text of 20 + 2 bytes, a memory of 20 + 16.
        assert!(room(size).has_room(0, 0) && !room(size - 1).has_room(0, 0));
        assert!(room(size + 58).has_room(1, 1) && !room(size + 57).has_room(1, 1));
        let (memory, text) = (TextKey::of("newer"), TextKey::of("more"));
        let mut other = Vectors { largest: size as usize, ..Vectors::new("model", 2) };
        other.add_text(text, &[1.0, 0.0]);
        other.add_memory(memory, vec![text]);
        current.insert(memory);
        other.keep(&store, &current).expect("kept");
        let kept = Vectors::kept(&store, "model", 2);
        assert_eq!((kept.memories(), kept.has_memory(&memory)), (1, true), "as many as there is room for");
    }
}
