//! The words of the texts that the sentence encoder has read, kept beside their vectors.
//!
//! A hundred times as many bytes as a vector has, and wanted for the few best of a search alone: so they lie in a file of
//! their own, which grows at its end, and a search reads the list of what lies where and then what it asks for. Derived
//! and disposable as [`crate::Vectors`] are, and signed with the person's key: the list as one, and each text by itself.
//! What is missing, damaged or foreign is taken for not read yet; a text that turned out to be damaged is taken off the list
//! at the end of the search that met it, so that it is read anew. One process at a time adds to them, under a lock; who comes second keeps
//! nothing, and what it had is read again some other time.
//!
//! A file that is made anew has another name, which stands in the list: until the list is replaced, the old one holds.
//! Whoever reads takes the list first, and the file that it names; who finds that taken away meanwhile looks once more.
//! What a crash left without a list is removed by whoever adds to them next.
//!
//! `cache/words-…`, called as the file of the vectors is, and replaced whole:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 32 | signature of what follows |
//! | 16, u64, u32 | hash of the model's name, which file, texts *t* |
//! | (16, u64, u32) × *t* | a text's key, where it lies in that file, how many bytes its words have; by key |
//!
//! `cache/words-…-<file>`: of each text a signature of 16 bytes and its words. All numbers are little-endian.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::FileStore;
use crate::atomic::Temporary;
use crate::error::{At, StoreError};
use crate::index::Key;
use crate::lock::Lock;
use crate::plain;
use crate::vectors::TextKey;

/// What the names of all such files begin with.
const NAME: &str = "words";
const MAGIC: &[u8; 8] = b"rawkowd3";
const OF_LIST: &[u8] = b"list of texts whose words are kept";
const OF_TEXT: &[u8] = b"words of a text";
/// The most bytes of words that are kept, and the largest list that is read. As many bytes of what nobody wants any more
/// may lie between them.
const LARGEST: u64 = 192 * 1024 * 1024;
const LARGEST_LIST: u64 = 32 * 1024 * 1024;
/// More bytes than the words of any text have: where there is less room, there is none.
const LONGEST: u64 = 32 * 1024;
/// Bytes before the signed part of a list, before its texts, of a text in it, and of a text's signature.
const UNSIGNED: usize = 8 + 32;
const HEAD: usize = UNSIGNED + 16 + 8 + 4;
const LISTED: usize = 16 + 8 + 4;
const SIGNED: usize = 16;
/// Looks at a list and its file, of which one may be replaced between the two.
const LOOKS: usize = 3;

/// The words of a store's texts.
#[derive(Debug)]
pub(crate) struct Kept {
    cache: PathBuf,
    /// What the list is called, and every file of these words begins with.
    name: String,
    model: TextKey,
    key: Key,
    /// The texts of the list by key, which file they lie in, and that file.
    list: Vec<u8>,
    number: u64,
    file: Option<File>,
    /// Bytes that the texts of the list have in it, and those that are added.
    size: u64,
    /// What is not kept yet.
    added: BTreeMap<TextKey, Box<[u8]>>,
    /// The most bytes that they may become.
    largest: u64,
    /// Texts of the list that were not what they should be.
    damaged: RefCell<BTreeSet<TextKey>>,
}

/// Where a text's signature and words lie, and how many bytes the words have.
#[derive(Clone, Copy)]
struct Place {
    at: u64,
    bytes: u32,
}

impl Place {
    /// Bytes of the file that are the text's.
    fn size(self) -> u64 {
        SIGNED as u64 + u64::from(self.bytes)
    }
}

impl Kept {
    /// Those that a store keeps of this model, whose files have `mark` in their names; none where it keeps no such.
    pub(crate) fn of(store: &FileStore, model: TextKey, mark: &str) -> Self {
        let (cache, key) = (store.layout().cache(), Key::of(store.home(), store.layout().root()));
        let (list, number, file, size, added, damaged) = Default::default();
        let (name, largest) = (format!("{NAME}-{mark}"), LARGEST);
        let mut kept = Self { cache, name, model, key, list, number, file, size, added, largest, damaged };
        kept.open();
        kept
    }

    /// Whether a text still has to be read for its words: they are not known, and there is room for them.
    pub(crate) fn wants(&self, text: &TextKey) -> bool {
        !self.added.contains_key(text) && self.find(text).is_none() && self.size + LONGEST <= self.largest
    }

    /// Whether there are words that are not kept yet.
    pub(crate) fn has_news(&self) -> bool {
        !self.added.is_empty()
    }

    /// The words of a text; nothing where they are not known.
    pub(crate) fn words(&self, text: &TextKey) -> Option<Box<[u8]>> {
        let words = self.added.get(text).cloned().or_else(|| self.read(text));
        if words.is_none() && self.find(text).is_some() {
            self.damaged.borrow_mut().insert(*text);
        }
        words
    }

    /// How many bytes the words of a text have; nothing where they are not known.
    pub(crate) fn length(&self, text: &TextKey) -> Option<usize> {
        let listed = || self.find(text).map(|place| place.bytes as usize);
        self.added.get(text).map(|words| words.len()).or_else(listed)
    }

    /// Takes out of the list what was found damaged, so that it is read anew; whether there was any. Nothing else is looked
    /// at: somebody waits for a search.
    pub(crate) fn mend(&mut self) -> Result<bool, StoreError> {
        let damaged = self.damaged.take();
        if damaged.is_empty() {
            return Ok(false);
        }
        let Some(_turn) = Lock::try_take(&self.cache.join("lock-words"))? else { return Ok(false) };
        // Somebody may have replaced the file since it was opened; then nothing is damaged.
        self.open();
        let is_lost = |text: &TextKey| self.find(text).is_some() && self.read(text).is_none();
        let lost: BTreeSet<TextKey> = damaged.into_iter().filter(is_lost).collect();
        if !lost.is_empty() {
            self.put_list(&self.listed().filter(|(text, _)| !lost.contains(text)).collect())?;
            self.open();
        }
        Ok(!lost.is_empty())
    }

    /// Gives a text its words.
    pub(crate) fn add(&mut self, text: TextKey, words: &[u8]) {
        if size_of(words) <= LONGEST {
            self.size += size_of(words);
            self.added.insert(text, words.into());
        }
    }

    /// Keeps these, and what another process kept meanwhile, of the texts in `current`.
    pub(crate) fn keep(&mut self, current: &HashSet<TextKey>) -> Result<(), StoreError> {
        if self.added.is_empty() {
            return Ok(());
        }
        let Some(_turn) = Lock::try_take(&self.cache.join("lock-words"))? else { return Ok(()) };
        self.open();
        let mut places: BTreeMap<TextKey, Place> =
            self.listed().filter(|(text, _)| current.contains(text)).collect();
        let wanted = places.values().map(|place| place.size()).sum::<u64>();
        let mut size = wanted;
        self.added.retain(|text, words| {
            let is_new = current.contains(text) && !places.contains_key(text);
            let is_kept = is_new && size + LONGEST <= self.largest;
            size += if is_kept { size_of(words) } else { 0 };
            is_kept
        });
        let length = self.file.as_ref().and_then(|file| file.metadata().ok()).map(|meta| meta.len());
        match length.filter(|length| *length <= 2 * wanted) {
            Some(length) => self.append(length, &mut places)?,
            None => self.write_anew(&mut places)?,
        }
        self.put_list(&places)?;
        let file = self.file_name();
        remove(&self.cache, |name| *name != file && is_file_of(&self.name, name));
        self.added.clear();
        self.open();
        Ok(())
    }

    /// Writes what was added behind what lies there.
    fn append(&self, mut at: u64, places: &mut BTreeMap<TextKey, Place>) -> Result<(), StoreError> {
        let path = self.file_path();
        let file = plain::open(&path, OpenOptions::new().append(true))?;
        let mut to = BufWriter::new(file);
        for (text, words) in &self.added {
            places.insert(*text, self.put(&mut to, &mut at, text, words).at("write", &path)?);
        }
        to.flush().at("write", &path)?;
        to.get_ref().sync_data().at("sync", &path)
    }

    /// Writes what is wanted of the old file, and what was added, into a new one: one at a time, because there may be more
    /// of them than memory should hold. The list still names the old one.
    fn write_anew(&mut self, places: &mut BTreeMap<TextKey, Place>) -> Result<(), StoreError> {
        self.number += 1;
        let (path, mut at) = (self.file_path(), 0);
        let temporary = Temporary::new(&self.cache)?;
        let mut to = BufWriter::new(temporary.handle()?);
        for text in std::mem::take(places).into_keys() {
            if let Some(words) = self.read(&text) {
                places.insert(text, self.put(&mut to, &mut at, &text, &words).at("write", &path)?);
            }
        }
        for (text, words) in &self.added {
            places.insert(*text, self.put(&mut to, &mut at, text, words).at("write", &path)?);
        }
        to.flush().at("write", &path)?;
        to.get_ref().sync_data().at("sync", &path)?;
        drop(to);
        temporary.rename(&path)
    }

    fn put(&self, to: &mut impl Write, at: &mut u64, text: &TextKey, words: &[u8]) -> std::io::Result<Place> {
        let place = Place { at: *at, bytes: words.len() as u32 };
        *at += place.size();
        to.write_all(&self.signature(text, words))?;
        to.write_all(words)?;
        Ok(place)
    }

    /// Replaces the list. Synced: without it, all would have to be read again.
    fn put_list(&self, places: &BTreeMap<TextKey, Place>) -> Result<(), StoreError> {
        Temporary::write(&self.cache, &self.laid_out(places))?.rename(&self.list_path())
    }

    /// The bytes of a list.
    fn laid_out(&self, places: &BTreeMap<TextKey, Place>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + places.len() * LISTED);
        bytes.extend(MAGIC);
        bytes.extend([0; 32]);
        bytes.extend(self.model.bytes());
        bytes.extend(self.number.to_le_bytes());
        bytes.extend((places.len() as u32).to_le_bytes());
        for (text, place) in places {
            bytes.extend(text.bytes());
            bytes.extend(place.at.to_le_bytes());
            bytes.extend(place.bytes.to_le_bytes());
        }
        let signature = self.key.sign(&[OF_LIST, &bytes[UNSIGNED..]]);
        bytes[8..UNSIGNED].copy_from_slice(signature.as_bytes());
        bytes
    }

    fn list_path(&self) -> PathBuf {
        self.cache.join(&self.name)
    }

    fn file_name(&self) -> String {
        format!("{}-{}", self.name, self.number)
    }

    fn file_path(&self) -> PathBuf {
        self.cache.join(self.file_name())
    }

    /// Takes what lies in the cache now.
    fn open(&mut self) {
        // Whoever made the file anew has taken away the one that an older list names.
        let found = (0..LOOKS).any(|_| self.look().is_some());
        if !found {
            (self.list, self.file) = Default::default();
        }
        self.size = self.listed().map(|(_, place)| place.size()).sum();
    }

    /// Takes the list, and then the file that it names; nothing where one of them is missing, or too short for the other: a
    /// list without its file would have nothing read again.
    fn look(&mut self) -> Option<()> {
        (self.number, self.list) = self.open_list()?;
        let file = plain::open(&self.file_path(), OpenOptions::new().read(true)).ok()?;
        let length = file.metadata().ok()?.len();
        let is_whole = self.listed().all(|(_, place)| place.at.saturating_add(place.size()) <= length);
        self.file = Some(file).filter(|_| is_whole);
        is_whole.then_some(())
    }

    /// Which file a list names, and its texts; nothing where it is of another model or person, or damaged.
    fn open_list(&self) -> Option<(u64, Vec<u8>)> {
        let mut bytes = plain::read(&self.list_path(), LARGEST_LIST).ok()??;
        let (signature, signed) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<32>()?;
        // A `blake3::Hash` is compared in constant time.
        let is_signed = self.key.sign(&[OF_LIST, signed]) == *signature;
        let number = signed.strip_prefix(&self.model.bytes())?.first_chunk()?;
        let number = u64::from_le_bytes(*number);
        is_signed.then(|| (number, bytes.split_off(HEAD)))
    }

    /// Every text of the list, and where it lies.
    fn listed(&self) -> impl Iterator<Item = (TextKey, Place)> {
        self.list.as_chunks::<LISTED>().0.iter().map(entry)
    }

    fn find(&self, text: &TextKey) -> Option<Place> {
        let all = self.list.as_chunks::<LISTED>().0;
        let found = all.binary_search_by_key(text, |one| entry(one).0).ok()?;
        Some(entry(&all[found]).1)
    }

    fn read(&self, text: &TextKey) -> Option<Box<[u8]>> {
        let (place, file) = (self.find(text)?, self.file.as_ref()?);
        let mut both = vec![0; SIGNED + place.bytes as usize];
        plain::read_at(file, &mut both, place.at).ok()?;
        let words = both.split_off(SIGNED);
        (both == self.signature(text, &words)).then(|| words.into())
    }

    fn signature(&self, text: &TextKey, words: &[u8]) -> [u8; SIGNED] {
        *self
            .key
            .sign(&[OF_TEXT, &self.model.bytes(), &text.bytes(), words])
            .as_bytes()
            .first_chunk()
            .expect("a hash has 32 bytes")
    }
}

/// Removes every file of the words whose files have `mark` in their names.
pub(crate) fn forget(cache: &Path, mark: &str) {
    let list = format!("{NAME}-{mark}");
    remove(cache, |name| *name == list || is_file_of(&list, name));
}

/// Whether a name is one of a file that a list may name.
fn is_file_of(list: &str, name: &str) -> bool {
    let number = name.strip_prefix(list).and_then(|rest| rest.strip_prefix('-'));
    number.is_some_and(|number| number.parse::<u64>().is_ok())
}

/// Removes the files of the cache whose names are such; what cannot be removed stays.
fn remove(cache: &Path, is_such: impl Fn(&str) -> bool) {
    for file in std::fs::read_dir(cache).into_iter().flatten().flatten() {
        if file.file_name().to_str().is_some_and(&is_such) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

/// Bytes of the file that a text takes.
fn size_of(words: &[u8]) -> u64 {
    (SIGNED + words.len()) as u64
}

fn entry(listed: &[u8; LISTED]) -> (TextKey, Place) {
    let (key, rest) = listed.split_first_chunk().expect("a text begins with its key");
    let (at, bytes) = rest.split_first_chunk().expect("then comes its place");
    let bytes = u32::from_le_bytes(*bytes.first_chunk().expect("and its length"));
    (TextKey::from_bytes(*key), Place { at: u64::from_le_bytes(*at), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic;
    use crate::layout::Layout;

    fn store(folder: &tempfile::TempDir) -> FileStore {
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        atomic::make_folder(layout.root(), &layout.cache()).expect("a cache");
        let now = "2026-01-23T10:30:00Z".parse().expect("a time");
        FileStore::project(layout, Some(&folder.path().join("home")), now).expect("a store")
    }

    fn kept(store: &FileStore) -> Kept {
        Kept::of(store, TextKey::of("model"), "mark")
    }

    fn texts<const N: usize>(names: [&str; N]) -> HashSet<TextKey> {
        names.iter().map(|name| TextKey::of(name)).collect()
    }

    /// Keeps the words of one text beside what is there, and drops what is not among these.
    fn keep<const N: usize>(store: &FileStore, name: &str, words: &[u8], current: [&str; N]) {
        let mut all = kept(store);
        all.add(TextKey::of(name), words);
        all.keep(&texts(current)).expect("kept");
    }

    /// A store that keeps the words of two texts.
    fn two(folder: &tempfile::TempDir) -> FileStore {
        let store = store(folder);
        keep(&store, "a", b"first", ["a"]);
        keep(&store, "b", b"second text", ["a", "b"]);
        store
    }

    fn said(kept: &Kept, text: &str) -> Option<Vec<u8>> {
        kept.words(&TextKey::of(text)).map(|words| words.to_vec())
    }

    #[test]
    fn what_is_kept_is_read_back() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let words = kept(&two(&folder));
        assert_eq!(said(&words, "a").as_deref(), Some(&b"first"[..]));
        assert_eq!(said(&words, "b").as_deref(), Some(&b"second text"[..]));
        assert!(
            !words.wants(&TextKey::of("a")) && words.wants(&TextKey::of("c")) && said(&words, "c").is_none()
        );
    }

    #[test]
    fn what_another_process_kept_stays_and_what_belongs_to_no_memory_goes() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = store(&folder);
        let mut words = kept(&store);
        words.add(TextKey::of("c"), b"third");
        two(&folder);
        words.keep(&texts(["b", "c"])).expect("kept");
        assert_eq!(said(&words, "b").as_deref(), Some(&b"second text"[..]));
        let again = kept(&store);
        assert_eq!(["a", "b", "c"].map(|text| said(&again, text).is_some()), [false, true, true]);
    }

    #[test]
    fn who_comes_second_keeps_nothing_and_damages_nothing() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        let _turn = Lock::try_take(&store.layout().cache().join("lock-words")).expect("a lock");
        keep(&store, "c", b"third", ["a", "b", "c"]);
        assert_eq!(["a", "b", "c"].map(|text| said(&kept(&store), text).is_some()), [true, true, false]);
    }

    #[test]
    fn the_file_grows_at_its_end_and_is_made_anew_once_most_of_it_is_wanted_by_nobody() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        let file = || std::fs::read(kept(&store).file_path()).expect("the file");
        let before = file();
        keep(&store, "c", b"third", ["b", "c"]);
        assert!(file().starts_with(&before) && file().len() > before.len());
        keep(&store, "d", &[1; 2_000], ["c", "d"]);
        keep(&store, "e", b"fifth", ["c", "e"]);
        assert_eq!(file().len(), 2 * (SIGNED + 5), "`c` and `e` alone");
        assert_eq!(["c", "d", "e"].map(|text| said(&kept(&store), text).is_some()), [true, false, true]);
    }

    #[test]
    fn where_there_is_no_room_nothing_is_wanted() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        let wants = |largest| Kept { largest, ..kept(&store) }.wants(&TextKey::of("c"));
        let full = 2 * SIGNED as u64 + 5 + 11 + LONGEST;
        assert!(wants(full) && !wants(full - 1));
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for_and_what_was_kept_stays() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        let names: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        let current: HashSet<TextKey> =
            names.iter().map(|name| TextKey::of(name)).chain(texts(["a", "b"])).collect();
        let mut words = Kept { largest: LONGEST + 10_000, ..kept(&store) };
        names.iter().for_each(|name| words.add(TextKey::of(name), &[7; 1_000]));
        words.keep(&current).expect("kept");
        let again = Kept { largest: LONGEST + 10_000, ..kept(&store) };
        let known = names.iter().filter(|name| said(&again, name).is_some()).count();
        assert!((9..=10).contains(&known) && said(&again, "a").is_some(), "{known}");
        assert!(!names.iter().any(|name| again.wants(&TextKey::of(name))), "or they would be read for ever");
    }

    #[test]
    fn what_turns_out_to_be_damaged_is_read_anew() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        let path = kept(&store).file_path();
        let mut bytes = std::fs::read(&path).expect("the file");
        let at = bytes.windows(5).position(|five| five == b"first").expect("the words of `a`");
        bytes[at] ^= 1;
        std::fs::write(&path, bytes).expect("written");
        let mut words = kept(&store);
        assert!(!words.mend().expect("looked") && !words.wants(&TextKey::of("a")), "nobody has met it");
        assert!(said(&words, "a").is_none() && words.mend().expect("mended"));
        assert!(words.wants(&TextKey::of("a")) && said(&words, "b").is_some());
        keep(&store, "a", b"first", ["a", "b"]);
        assert_eq!(said(&kept(&store), "a").as_deref(), Some(&b"first"[..]));
    }

    #[test]
    fn of_what_is_damaged_only_what_was_met_is_looked_at() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        let path = kept(&store).file_path();
        let length = std::fs::metadata(&path).expect("the file").len();
        std::fs::write(&path, vec![0; length as usize]).expect("written");
        let mut words = kept(&store);
        assert!(said(&words, "a").is_none() && words.mend().expect("mended"));
        assert_eq!(["a", "b"].map(|text| words.wants(&TextKey::of(text))), [true, false]);
        assert!(!words.mend().expect("looked"), "once");
    }

    #[test]
    fn words_of_another_model_or_person_are_none() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        assert!(said(&Kept::of(&store, TextKey::of("another"), "mark"), "a").is_none());
        let (layout, now) = (store.layout().clone(), "2026-01-23T10:30:00Z".parse().expect("a time"));
        let other = FileStore::project(layout, Some(&folder.path().join("another-home")), now);
        assert!(said(&kept(&other.expect("a store")), "a").is_none());
    }

    fn files(store: &FileStore) -> Vec<String> {
        let files = std::fs::read_dir(store.layout().cache()).expect("a cache").flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| name.starts_with(NAME)).collect();
        names.sort();
        names
    }

    #[test]
    fn until_the_list_is_replaced_the_old_file_holds_and_what_a_crash_left_is_removed_later() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        let (mut crashed, reader) = (kept(&store), kept(&store));
        crashed.add(TextKey::of("0"), b"comes before the others");
        let mut places = crashed.listed().collect();
        crashed.write_anew(&mut places).expect("written, and then the power was cut");
        let right = |words: &Kept| said(words, "a").is_some() && said(words, "b").is_some();
        assert!(right(&kept(&store)) && right(&reader), "nobody has lost anything");
        assert_eq!(files(&store), ["words-mark", "words-mark-1", "words-mark-2"]);
        keep(&store, "c", b"third", ["a", "b", "c"]);
        assert!(right(&kept(&store)), "it grows as if nothing had been");
        assert_eq!(files(&store), ["words-mark", "words-mark-1"]);
        // Most of it is wanted by nobody now.
        keep(&store, "d", &[1; 2_000], ["a", "b", "c", "d"]);
        keep(&store, "e", b"fifth", ["a", "b", "e"]);
        assert_eq!(files(&store), ["words-mark", "words-mark-2"]);
        assert!(right(&kept(&store)) && right(&reader), "who has it open reads on");
    }

    #[test]
    fn the_words_of_two_models_lie_side_by_side_and_are_forgotten_one_by_one() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        let other = || Kept::of(&store, TextKey::of("another"), "other");
        let mut words = other();
        words.add(TextKey::of("a"), b"otherwise");
        words.keep(&texts(["a"])).expect("kept");
        assert_eq!(said(&kept(&store), "a").as_deref(), Some(&b"first"[..]));
        assert_eq!(said(&other(), "a").as_deref(), Some(&b"otherwise"[..]));
        forget(&store.layout().cache(), "other");
        assert!(said(&kept(&store), "a").is_some() && said(&other(), "a").is_none());
    }

    #[test]
    fn with_any_byte_changed_or_cut_off_no_wrong_word_is_told() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = two(&folder);
        let right = [&b"first"[..], b"second text"];
        for path in [kept(&store).list_path(), kept(&store).file_path()] {
            let bytes = std::fs::read(&path).expect("the file");
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                for damaged in [&changed[..], &bytes[..at]] {
                    std::fs::write(&path, damaged).expect("written");
                    let told = ["a", "b"].map(|text| said(&kept(&store), text));
                    assert!(
                        told.iter()
                            .zip(right)
                            .all(|(told, right)| told.as_deref().is_none_or(|told| told == right))
                    );
                    assert!(told.contains(&None), "every byte counts: {at} of {}", path.display());
                }
            }
            std::fs::write(&path, &bytes).expect("written");
        }
    }

    #[test]
    fn where_nothing_was_added_nothing_is_written() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let store = store(&folder);
        kept(&store).keep(&texts(["a"])).expect("nothing to do");
        assert!(!kept(&store).list_path().exists() && !kept(&store).file_path().exists());
    }
}
