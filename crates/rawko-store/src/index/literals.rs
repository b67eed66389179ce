//! A trigram index over triggers: which may match a task, found without looking at each.
//!
//! A trigger can match only where one of its literals or stems stands (see
//! `rawko_core::literals`). A literal is filed under the rarest of its
//! three-byte windows: a task's own windows lead to the few literals that may
//! stand in it, and those are looked for. Triggers that give up no literal are
//! always candidates.

use std::collections::{BTreeSet, HashMap};

use rawko_core::{ENOUGH_SHARE, Literals, TaskText, Term, Trigger, literals};

use super::bytes::{Cursor, Damage, put_text, put_varint};
use super::document::{put_triggers, take_triggers};
use super::pages::{BLOCK, Pages, Section, Writer};
use super::table;

/// Bytes of `Literals` that are read first of what lies at a place: most has fewer.
const USUAL: u64 = 256;

/// Where the literals of one sort of triggers lie: windows, texts and triggers, stems, those without literals.
pub(super) type Sort = [Section; 4];

/// Triggers that look at all that is said of a task.
pub(super) const BARE: Sort = [Section::Grams, Section::Literals, Section::Stems, Section::Always];

/// Triggers that look at a command, a file or an error alone: few, and all that a tool's use asks for.
pub(super) const TYPED: Sort =
    [Section::TypedGrams, Section::TypedLiterals, Section::TypedStems, Section::TypedAlways];

/// Whether a trigger looks at one kind of text alone.
pub(super) fn is_typed(trigger: &Trigger) -> bool {
    matches!(trigger, Trigger::Path(_) | Trigger::Command(_) | Trigger::Error(_))
}

/// What triggers ask for, being collected, by sort.
#[derive(Default)]
pub(super) struct Collected {
    bare: Filed,
    typed: Filed,
}

impl Collected {
    /// Adds a document's triggers (numbers only grow), with what [`literals`] gave for each.
    pub(super) fn add(&mut self, doc: u32, triggers: Vec<Trigger>, asked: Vec<Literals>) {
        for (trigger, asked) in triggers.into_iter().zip(asked) {
            let filed = if is_typed(&trigger) { &mut self.typed } else { &mut self.bare };
            filed.add(doc, trigger, asked);
        }
    }

    /// Writes the sections of [`BARE`] and [`TYPED`].
    pub(super) fn write(self, writer: &mut Writer) -> std::io::Result<()> {
        self.bare.write(writer, BARE)?;
        self.typed.write(writer, TYPED)
    }
}

/// Triggers of one sort. Memories often share triggers: each distinct one is kept once.
#[derive(Default)]
struct Filed {
    numbers: HashMap<Trigger, usize>,
    /// Per distinct trigger, the documents that have it.
    triggers: Vec<(Trigger, Vec<u32>)>,
    substrings: HashMap<String, Vec<usize>>,
    /// Triggers by number, each with the word's share in bytes of 255ths.
    stems: HashMap<String, Vec<(usize, u8)>>,
    always: Vec<usize>,
}

impl Filed {
    fn add(&mut self, doc: u32, trigger: Trigger, asked: Literals) {
        if let Some(number) = self.numbers.get(&trigger) {
            return self.triggers[*number].1.push(doc);
        }
        let number = self.triggers.len();
        self.numbers.insert(trigger.clone(), number);
        self.triggers.push((trigger, vec![doc]));
        match asked {
            Literals::Always => self.always.push(number),
            Literals::AnyOf { substrings, words } => {
                substrings.into_iter().for_each(|text| file(&mut self.substrings, text, number));
                for (stem, share) in words {
                    let share = (share * 255.0).ceil().clamp(0.0, 255.0) as u8;
                    self.stems.entry(stem).or_default().push((number, share));
                }
            }
        }
    }

    /// Writes the sections of one sort.
    fn write(self, writer: &mut Writer, sort: Sort) -> std::io::Result<()> {
        let [in_grams, in_literals, in_stems, in_always] = sort;
        let mut often: HashMap<u64, u32> = HashMap::new();
        self.substrings
            .keys()
            .flat_map(|text| grams(text))
            .for_each(|gram| *often.entry(gram).or_default() += 1);
        let rarest = |text: &str| grams(text).min_by_key(|gram| (often.get(gram), *gram)).unwrap_or(0);
        let mut lists = Vec::new();
        let mut at = Vec::with_capacity(self.triggers.len());
        for (trigger, docs) in &self.triggers {
            at.push(lists.len() as u64);
            put_triggers(&mut lists, std::slice::from_ref(trigger));
            put_growing(&mut lists, docs.iter().map(|&doc| u64::from(doc)));
        }
        let put_places =
            |out: &mut Vec<u8>, numbers: &[usize]| put_growing(out, numbers.iter().map(|&n| at[n]));
        let mut by_gram: Vec<(u64, u64)> = Vec::with_capacity(self.substrings.len());
        for (text, places) in sorted(&self.substrings) {
            by_gram.push((rarest(text), lists.len() as u64));
            put_text(&mut lists, text);
            put_places(&mut lists, places);
        }
        by_gram.sort_unstable();
        let mut by_stem: Vec<(u64, u64)> = Vec::with_capacity(self.stems.len());
        for (stem, triggers) in sorted(&self.stems) {
            by_stem.push((Term::of(stem).0, lists.len() as u64));
            let numbers: Vec<usize> = triggers.iter().map(|(number, _)| *number).collect();
            put_places(&mut lists, &numbers);
            lists.extend(triggers.iter().map(|(_, share)| share));
        }
        by_stem.sort_unstable();
        table::write(writer, in_grams, &by_gram)?;
        writer.put(&lists)?;
        writer.end(in_literals)?;
        table::write(writer, in_stems, &by_stem)?;
        let mut always = Vec::new();
        put_places(&mut always, &self.always);
        writer.put(&always)?;
        writer.end(in_always)
    }
}

fn file(all: &mut HashMap<String, Vec<usize>>, text: String, number: usize) {
    let numbers = all.entry(text).or_default();
    if numbers.last() != Some(&number) {
        numbers.push(number);
    }
}

/// In order, so that the same files give the same index.
fn sorted<T: Ord>(all: &HashMap<String, T>) -> Vec<(&String, &T)> {
    let mut all: Vec<_> = all.iter().collect();
    all.sort_unstable();
    all
}

/// What a document's triggers ask for.
pub(super) fn asked(triggers: &[Trigger]) -> Vec<Literals> {
    triggers.iter().map(literals).collect()
}

fn grams(text: &str) -> impl Iterator<Item = u64> {
    text.as_bytes().array_windows::<3>().map(|[a, b, c]| u64::from(u32::from_le_bytes([*a, *b, *c, 0])))
}

/// Numbers that grow, as the steps between them.
fn put_growing(out: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = u64>) {
    put_varint(out, numbers.len() as u64);
    let mut last = 0;
    for number in numbers {
        put_varint(out, number - last);
        last = number;
    }
}

fn take_growing(cursor: &mut Cursor<'_>) -> Result<Vec<u64>, Damage> {
    let mut last = 0_u64;
    (0..cursor.count()?)
        .map(|_| {
            last = last.checked_add(cursor.varint()?).ok_or(Damage("a list of triggers has no end"))?;
            Ok(last)
        })
        .collect()
}

/// The distinct triggers of one sort that may match a task, each with the documents that have it.
pub(super) fn candidates(
    pages: &Pages,
    text: &TaskText,
    sort: Sort,
) -> Result<Vec<(Trigger, Vec<u64>)>, Damage> {
    let [in_grams, in_literals, in_stems, in_always] = sort;
    let always = pages.whole(in_always)?;
    let mut found: BTreeSet<u64> = take_growing(&mut Cursor::new(&always))?.into_iter().collect();
    let mut windows: Vec<u64> = text.texts().flat_map(grams).collect();
    windows.sort_unstable();
    windows.dedup();
    let filed = table::places(pages, in_grams, &windows)?;
    let lists = Lists::for_places(pages, in_literals, filed.len())?;
    for at in filed {
        found.extend(lists.at(at, |cursor| {
            let literal = cursor.text()?;
            let stands = text.texts().any(|text| text.contains(literal));
            if stands { take_growing(cursor) } else { Ok(Vec::new()) }
        })?);
    }
    found.extend(by_words(pages, in_stems, text, &lists)?);
    let lists = Lists::for_places(pages, in_literals, found.len())?;
    let trigger = |at: u64| {
        lists.at(at, |cursor| {
            let trigger = take_triggers(cursor)?.pop().ok_or(Damage("a trigger is not there"))?;
            Ok((trigger, take_growing(cursor)?))
        })
    };
    found.into_iter().map(trigger).collect()
}

/// The triggers of which a task has enough words.
fn by_words(
    pages: &Pages,
    in_stems: Section,
    text: &TaskText,
    lists: &Lists<'_>,
) -> Result<Vec<u64>, Damage> {
    let mut stems: Vec<u64> = text.stems().map(|stem| Term::of(stem).0).collect();
    stems.sort_unstable();
    stems.dedup();
    let mut shares: HashMap<u64, u32> = HashMap::new();
    for at in table::places(pages, in_stems, &stems)? {
        let of_stem = lists.at(at, |cursor| {
            let triggers = take_growing(cursor)?;
            let shares = cursor.take(triggers.len())?;
            Ok(triggers.into_iter().zip(shares.to_vec()))
        })?;
        for (trigger, share) in of_stem {
            *shares.entry(trigger).or_default() += u32::from(share);
        }
    }
    let enough = (ENOUGH_SHARE * 255.0) as u32;
    Ok(shares.into_iter().filter(|(_, share)| *share >= enough).map(|(trigger, _)| trigger).collect())
}

/// What lies in `Literals`: read as it is asked for, or whole where that is cheaper.
struct Lists<'a> {
    pages: &'a Pages,
    section: Section,
    whole: Option<Vec<u8>>,
}

impl<'a> Lists<'a> {
    /// For so many places.
    fn for_places(pages: &'a Pages, section: Section, places: usize) -> Result<Self, Damage> {
        let is_most = places as u64 >= pages.length(section) / BLOCK as u64;
        let whole = if is_most { Some(pages.whole(section)?) } else { None };
        Ok(Self { pages, section, whole })
    }

    /// What is taken at a place.
    fn at<T>(&self, at: u64, take: impl Fn(&mut Cursor<'_>) -> Result<T, Damage>) -> Result<T, Damage> {
        if let Some(whole) = &self.whole {
            let rest = whole.get(at as usize..).ok_or(Damage("a literal is not there"))?;
            return take(&mut Cursor::new(rest));
        }
        let end = self.pages.length(self.section);
        let mut length = USUAL;
        loop {
            let behind = at.saturating_add(length).min(end);
            match take(&mut Cursor::new(&self.pages.read(self.section, at..behind)?)) {
                // It may be longer than what was read of it.
                Err(_) if behind < end => length = length.saturating_mul(8),
                taken => return taken,
            }
        }
    }
}
