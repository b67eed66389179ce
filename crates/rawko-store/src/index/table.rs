//! Sorted records of a key and a place: a lookup reads the groups that may have its keys, and no others.
//!
//! In front of the records stand how many there are and the first key of
//! every group of them. Many keys are looked up at once, and groups that lie
//! close together are read together.

use super::bytes::{Cursor, Damage};
use super::pages::{BLOCK, Pages, Section, Writer};

/// Bytes of a record: a key, and a place.
const RECORD: usize = 16;
/// Records of a group: as many as fill a block.
const GROUP: usize = BLOCK / RECORD;
/// How far apart two groups are that are read together: dearer than what lies between is asking twice.
const NEAR: usize = 4;

/// Writes a section of sorted records.
pub(super) fn write(writer: &mut Writer, section: Section, records: &[(u64, u64)]) -> std::io::Result<()> {
    if !records.is_empty() {
        let firsts = records.chunks(GROUP).map(|group| group[0].0);
        let head = std::iter::once(records.len() as u64).chain(firsts);
        let mut head: Vec<u8> = head.flat_map(u64::to_le_bytes).collect();
        head.resize(head.len().next_multiple_of(BLOCK), 0);
        writer.put(&head)?;
    }
    for (key, place) in records {
        writer.put(&key.to_le_bytes())?;
        writer.put(&place.to_le_bytes())?;
    }
    writer.end(section)
}

/// The places of these keys, which are sorted.
pub(super) fn places(pages: &Pages, section: Section, keys: &[u64]) -> Result<Vec<u64>, Damage> {
    let length = pages.length(section);
    if length == 0 {
        return Ok(Vec::new());
    }
    let count = Cursor::new(&pages.read(section, 0..8)?).u64()?;
    if count > length / RECORD as u64 {
        return Err(Damage("a table is longer than its section"));
    }
    let count = count as usize;
    let head = 8 + 8 * count.div_ceil(GROUP);
    let firsts = pages.read(section, 8..head as u64)?;
    let records = head.next_multiple_of(BLOCK);
    let (mut found, mut asked) = (Vec::new(), 0);
    for run in groups(&firsts, keys).chunk_by(|one, next| next - one <= NEAR) {
        let behind = count.min((run[run.len() - 1] + 1) * GROUP);
        let range = records + run[0] * GROUP * RECORD..records + behind * RECORD;
        let bytes = pages.read(section, range.start as u64..range.end as u64)?;
        // Both are sorted: whoever is behind goes on.
        let mut cursor = Cursor::new(&bytes);
        while !cursor.is_empty() {
            let (key, place) = (cursor.u64()?, cursor.u64()?);
            while keys.get(asked).is_some_and(|asked| *asked < key) {
                asked += 1;
            }
            if keys.get(asked) == Some(&key) {
                found.push(place);
            }
        }
    }
    Ok(found)
}

/// The groups that may have one of these keys, in order, by the first key of each.
fn groups(firsts: &[u8], keys: &[u64]) -> Vec<usize> {
    let firsts = firsts.as_chunks().0;
    let until = |is_before: &dyn Fn(u64) -> bool| {
        firsts.partition_point(|first| is_before(u64::from_le_bytes(*first)))
    };
    let mut found = Vec::new();
    for key in keys {
        // A key may begin at the end of one group and go on in the next ones.
        let first = until(&|first| first < *key).saturating_sub(1);
        found.extend(first..until(&|first| first <= *key));
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_stand_in_several_groups_and_in_none_but_those_are_asked() {
        let firsts: Vec<u8> = [10_u64, 20, 20, 20, 30].into_iter().flat_map(u64::to_le_bytes).collect();
        let groups = |keys: &[u64]| groups(&firsts, keys);
        assert_eq!(groups(&[20]), [0, 1, 2, 3]);
        assert_eq!(groups(&[10, 15, 19]), [0]);
        assert_eq!(groups(&[9]), [0; 0]);
        assert_eq!(groups(&[25, 30, 99]), [3, 4]);
        assert_eq!(groups(&[]), [0; 0]);
    }
}
