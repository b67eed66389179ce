//! One document's card: how its file stood, its name, the ids of its entries and, where it has one entry, a sketch of it.
//!
//! Whether a memory is chosen hangs on its fields, not on its body. With the
//! fields at hand the files of the many that are looked at stay closed, and
//! only those of the few that are chosen are opened. A memory of several
//! entries has no sketch: who may say what among them is told by its file.

use jiff::Timestamp;
use rawko_core::{Doubts, EntryId, Frontmatter, Importance, Kind, Sketch, Slug, Status, Trust};
use serde_json::{Map, Value};

use super::bytes::{Cursor, Damage, put_text, put_varint};
use super::document::{put_triggers, take_triggers};
use super::stamp::Stamp;

const CORRECTS: u8 = 1;
const CONFLICT: u8 = 1 << 1;
const WOVEN: u8 = 1 << 2;
const HIDDEN: u8 = 1 << 3;
const EVIDENCE: u8 = 1 << 4;
const SET_ASIDE: u8 = 1 << 5;
/// Bytes of an entry's id.
const ID: usize = 16;
/// Heads a card without a sketch.
const NO_SKETCH: u8 = u8::MAX;

const IMPORTANCES: [Importance; 4] =
    [Importance::Low, Importance::Medium, Importance::High, Importance::Critical];
const KINDS: [Kind; 2] = [Kind::Knowledge, Kind::Procedure];
const STATUSES: [Status; 5] =
    [Status::Active, Status::Pending, Status::Deprecated, Status::Superseded, Status::Rejected];
const TRUSTS: [Trust; 4] = [Trust::Untrusted, Trust::Imported, Trust::Agent, Trust::Human];

/// Writes a document's card; `time` is its place in time.
pub(super) fn encode(
    stamp: Stamp,
    time: i64,
    slug: &Slug,
    entries: &[EntryId],
    sketch: Option<&Sketch>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend(stamp.to_bytes());
    out.extend(time.to_le_bytes());
    put_text(&mut out, slug.as_str());
    put_varint(&mut out, entries.len() as u64);
    out.extend(entries.iter().flat_map(|id| id.to_bytes()));
    match sketch {
        Some(sketch) => put_sketch(&mut out, sketch),
        None => out.push(NO_SKETCH),
    }
    out
}

/// How the file stood, and the document's place in time.
pub(super) fn times(card: &[u8]) -> Result<(Stamp, i64), Damage> {
    take_times(&mut Cursor::new(card))
}

fn take_times(cursor: &mut Cursor<'_>) -> Result<(Stamp, i64), Damage> {
    Ok((Stamp::take(cursor)?, cursor.i64()?))
}

/// What is behind the times.
fn behind_times(card: &[u8]) -> Result<Cursor<'_>, Damage> {
    let mut cursor = Cursor::new(card);
    take_times(&mut cursor)?;
    Ok(cursor)
}

/// The name on a card.
pub(super) fn slug(card: &[u8]) -> Result<Slug, Damage> {
    Slug::parse(behind_times(card)?.text()?).map_err(|_| Damage("a slug is none"))
}

/// The ids on a card.
pub(super) fn entries(card: &[u8]) -> Result<Vec<EntryId>, Damage> {
    let mut cursor = behind_times(card)?;
    cursor.text()?;
    take_ids(&mut cursor)
}

/// Whether the one entry of a card with a sketch waits for a review or is out of use.
pub(super) fn is_set_aside(card: &[u8]) -> Result<bool, Damage> {
    let mut cursor = behind_times(card)?;
    cursor.text()?;
    let count = cursor.count()?;
    cursor.take(count.saturating_mul(ID))?;
    let flags = cursor.u8()?;
    Ok(flags != NO_SKETCH && flags & SET_ASIDE != 0)
}

/// The sketch on a card, where it has one.
pub(super) fn sketch(card: &[u8]) -> Result<Option<Sketch>, Damage> {
    let mut cursor = behind_times(card)?;
    cursor.text()?;
    let ids = take_ids(&mut cursor)?;
    match (&ids[..], cursor.u8()?) {
        (_, NO_SKETCH) => Ok(None),
        (&[id], flags) => take_sketch(&mut cursor, id, flags).map(Some),
        _ => Err(Damage("a sketch is of no one entry")),
    }
}

fn take_texts(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Damage> {
    let count = cursor.count()?;
    (0..count).map(|_| cursor.text().map(str::to_owned)).collect()
}

fn take_ids(cursor: &mut Cursor<'_>) -> Result<Vec<EntryId>, Damage> {
    let count = cursor.count()?;
    (0..count).map(|_| cursor.chunk::<ID>().map(|id| EntryId::from_bytes(*id))).collect()
}

fn put_sketch(out: &mut Vec<u8>, sketch: &Sketch) {
    let Sketch { line, front, corrects, doubts, .. } = sketch;
    let flags = [
        (CORRECTS, *corrects),
        (CONFLICT, doubts.conflict),
        (WOVEN, doubts.woven),
        (HIDDEN, doubts.hidden.is_some()),
        (EVIDENCE, !front.evidence.is_null()),
        (SET_ASIDE, front.status.is_some_and(|status| status != Status::Active)),
    ];
    out.push(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag).sum());
    put_varint(out, *line as u64);
    put_text(out, &front.title);
    put_triggers(out, &front.when_to_use);
    out.push(place(&IMPORTANCES, Some(front.importance)));
    out.push(place(&KINDS, front.kind));
    out.push(place(&STATUSES, front.status));
    out.push(place(&TRUSTS, front.trust));
    out.extend(front.discovered_at.as_second().to_le_bytes());
    out.extend(front.discovered_at.subsec_nanosecond().to_le_bytes());
    put_text(out, &front.discovered_by);
    for texts in [&front.tags, &front.related_memories, &front.supersedes] {
        put_varint(out, texts.len() as u64);
        texts.iter().for_each(|text| put_text(out, text));
    }
    if let Some(hidden) = &doubts.hidden {
        put_text(out, hidden);
    }
    if !front.evidence.is_null() {
        put_text(out, &front.evidence.to_string());
    }
}

fn take_sketch(cursor: &mut Cursor<'_>, id: EntryId, flags: u8) -> Result<Sketch, Damage> {
    const UNKNOWN: Damage = Damage("a code is unknown");
    let line = cursor.varint()? as usize;
    let title = cursor.text()?.to_owned();
    let when_to_use = take_triggers(cursor)?;
    let importance = of(&IMPORTANCES, cursor.u8()?)?.ok_or(UNKNOWN)?;
    let (kind, status) = (of(&KINDS, cursor.u8()?)?, of(&STATUSES, cursor.u8()?)?);
    let trust = of(&TRUSTS, cursor.u8()?)?;
    let (second, nanosecond) = (cursor.i64()?, cursor.u32()?.cast_signed());
    let discovered_at = Timestamp::new(second, nanosecond).map_err(|_| Damage("a time is none"))?;
    let discovered_by = cursor.text()?.to_owned();
    let (tags, related_memories, supersedes) =
        (take_texts(cursor)?, take_texts(cursor)?, take_texts(cursor)?);
    let has = |flag: u8| flags & flag != 0;
    let hidden = if has(HIDDEN) { Some(cursor.text()?.to_owned()) } else { None };
    let evidence = match has(EVIDENCE) {
        true => serde_json::from_str(cursor.text()?).map_err(|_| Damage("evidence is no JSON"))?,
        false => Value::Null,
    };
    let front = Frontmatter {
        title,
        when_to_use,
        importance,
        discovered_at,
        discovered_by,
        tags,
        discovered_in: None,
        source: None,
        related_memories,
        kind,
        status,
        supersedes,
        evidence,
        should_fire: Vec::new(),
        should_not_fire: Vec::new(),
        trust,
        extra: Map::new(),
    };
    let doubts = Doubts { conflict: has(CONFLICT), woven: has(WOVEN), hidden };
    Ok(Sketch { id, line, front, corrects: has(CORRECTS), doubts })
}

/// A value's place in a list, counted from 1; 0 for none.
fn place<T: PartialEq>(all: &[T], one: Option<T>) -> u8 {
    one.and_then(|one| all.iter().position(|known| *known == one)).map_or(0, |at| at as u8 + 1)
}

fn of<T: Copy>(all: &[T], place: u8) -> Result<Option<T>, Damage> {
    match place.checked_sub(1) {
        None => Ok(None),
        Some(at) => all.get(usize::from(at)).copied().map(Some).ok_or(Damage("a code is unknown")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "---\ntitle: \"Corrects the older note\"\nwhenToUse: [\"deploy.*prod\", {path: \"src/**\"}, {command: \"make\"}]\n\
        tags: [ops, ci]\nimportance: high\nkind: procedure\nstatus: pending\ntrust: agent\nrelatedMemories: [other]\nsupersedes: [old]\n\
        evidence: [{file: src/a.rs, quote: \"fn a\"}]\ndiscoveredAt: 2026-01-01T00:00:00.25Z\ndiscoveredBy: tester\n---\n\nA body\u{200b}.\n";

    #[test]
    fn a_card_reads_back() {
        let slug = Slug::from_title("A name");
        let found = rawko_core::parse(TEXT).entries.remove(0);
        let sketch_of = Sketch::of(&slug, &found);
        assert!(
            sketch_of.corrects && sketch_of.doubts.hidden.is_some() && !sketch_of.front.evidence.is_null()
        );
        let stamp = Stamp { size: 1, changed: -2, inode: 3 };
        let card = encode(stamp, 7, &slug, &[sketch_of.id], Some(&sketch_of));
        assert_eq!(super::slug(&card), Ok(slug.clone()));
        assert_eq!(entries(&card), Ok(vec![sketch_of.id]));
        assert_eq!(sketch(&card), Ok(Some(sketch_of.clone())));
        assert_eq!(times(&card), Ok((stamp, 7)));
        assert_eq!(is_set_aside(&card), Ok(true));
        let bare = encode(stamp, 7, &slug, &[sketch_of.id, sketch_of.id], None);
        assert_eq!((sketch(&bare), entries(&bare).map(|ids| ids.len())), (Ok(None), Ok(2)));
        assert_eq!(is_set_aside(&bare), Ok(false));
        for length in 0..card.len() {
            assert!(sketch(&card[..length]).is_err(), "{length}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_card_or_damage(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = (slug(&bytes), entries(&bytes), is_set_aside(&bytes), sketch(&bytes));
        }
    }
}
