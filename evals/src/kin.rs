//! Makes the table of kin words from the embedding's token table.

use std::collections::BTreeMap;
use std::path::Path;

use rawko_core::rank::kin::{Kin, LEAST, MOST};
use rawko_core::{Embedder, Term, Vector, analyse};

use crate::set::Result;

/// Reads the words of a token table (`static.bin`) and writes the nearest stems of every stem.
pub(crate) fn run(table: &Path, out: &Path) -> Result<()> {
    let bytes = std::fs::read(table).map_err(|e| format!("cannot read {}: {e}", table.display()))?;
    let embedder = Embedder::read(&bytes).map_err(|e| format!("{}: {e}", table.display()))?;
    let stems = stems(names(&bytes).ok_or("the table's names cannot be read")?);
    let vectors: Vec<Vector> = stems.values().map(|forms| embedder.embed(forms)).collect();
    let mut rows = Vec::new();
    for (place, term) in stems.keys().enumerate() {
        if place % 2_000 == 0 {
            eprintln!("kin: {place} of {} stems", stems.len());
        }
        rows.push((*term, nearest(place, &vectors)));
    }
    let written = Kin::write(embedder.model_id(), &rows);
    std::fs::write(out, written).map_err(|e| format!("cannot write {}: {e}", out.display()))
}

fn nearest(place: usize, vectors: &[Vector]) -> Vec<(u16, f32)> {
    let mut kin: Vec<(u16, f32)> = (0..)
        .zip(vectors)
        .map(|(other, vector)| (other, vector.dot(&vectors[place])))
        .filter(|(other, alike)| usize::from(*other) != place && *alike >= LEAST)
        .collect();
    kin.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    kin.truncate(MOST);
    kin
}

/// Whole words of the vocabulary by stem, the forms of each joined.
fn stems(names: Vec<&str>) -> BTreeMap<Term, String> {
    let mut stems: BTreeMap<Term, String> = BTreeMap::new();
    for name in names {
        if name.len() > 2 && name.bytes().all(|b| b.is_ascii_lowercase()) {
            analyse(name, |stem, _| {
                let forms = stems.entry(Term::of(stem)).or_default();
                forms.push_str(name);
                forms.push(' ');
            });
        }
    }
    stems
}

/// The names in a token table; the layout is told in `rawko-core/src/embed/table.rs`.
fn names(bytes: &[u8]) -> Option<Vec<&str>> {
    let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let (count, slots) = (number(24)?, number(32)?);
    let starts = 40 + 2 * slots + 2 * count;
    let text = starts + 4 * (count + 1);
    let name = |n: usize| {
        let (from, to) = (number(starts + 4 * n)?, number(starts + 4 * (n + 1))?);
        std::str::from_utf8(bytes.get(text + from..text + to)?).ok()
    };
    (0..count).map(name).collect()
}
