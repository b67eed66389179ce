//! From the hash of a move to where its failures stand: a sorted table of fixed rows.

const MAGIC: &[u8; 8] = b"rawkoL2\n";
const ROW: usize = 20;
/// Most rows: older ones make room.
const MOST_ROWS: usize = 16_384;

/// Where a line stands: in which month's file, at which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) month: u32,
    pub(super) offset: u64,
}

/// The table.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The newest month seen.
    pub(super) month: u32,
    /// How much of that month's file was seen.
    pub(super) seen: u64,
    rows: Vec<(u64, Spot)>,
}

impl Table {
    /// Reads what [`Table::bytes`] wrote; `None` for anything else.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (month, rest) = rest.split_first_chunk::<4>()?;
        let (seen, rest) = rest.split_first_chunk::<8>()?;
        let rows = rest.chunks_exact(ROW).filter_map(|row| {
            let (key, row) = row.split_first_chunk::<8>()?;
            let (month, row) = row.split_first_chunk::<4>()?;
            let offset = row.first_chunk::<8>()?;
            Some((
                u64::from_le_bytes(*key),
                Spot { month: u32::from_le_bytes(*month), offset: u64::from_le_bytes(*offset) },
            ))
        });
        let rows: Vec<_> = rows.collect();
        let whole = rest.len() % ROW == 0 && rows.is_sorted_by_key(|(key, _)| *key);
        whole.then(|| Self { month: u32::from_le_bytes(*month), seen: u64::from_le_bytes(*seen), rows })
    }

    /// The table as bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.month.to_le_bytes());
        bytes.extend(self.seen.to_le_bytes());
        for (key, spot) in &self.rows {
            bytes.extend(key.to_le_bytes());
            bytes.extend(spot.month.to_le_bytes());
            bytes.extend(spot.offset.to_le_bytes());
        }
        bytes
    }

    pub(super) fn find(&self, key: u64) -> impl Iterator<Item = Spot> {
        let start = self.rows.partition_point(|(found, _)| *found < key);
        self.rows[start..].iter().take_while(move |(found, _)| *found == key).map(|(_, spot)| *spot)
    }

    pub(super) fn insert(&mut self, keys: &[u64], spot: Spot) {
        for &key in keys {
            let at = self.rows.partition_point(|row| *row < (key, spot));
            if self.rows.get(at) != Some(&(key, spot)) {
                self.rows.insert(at, (key, spot));
            }
        }
        if self.rows.len() > MOST_ROWS {
            let mut spots = self.spots();
            spots.truncate(spots.len() / 8 + 1);
            self.rows.retain(|(_, spot)| !spots.contains(spot));
        }
    }

    pub(super) fn remove(&mut self, spot: Spot) {
        self.rows.retain(|(_, found)| *found != spot);
    }

    /// Every line that is in the table, oldest first.
    pub(super) fn spots(&self) -> Vec<Spot> {
        let mut spots: Vec<Spot> = self.rows.iter().map(|(_, spot)| *spot).collect();
        spots.sort_unstable();
        spots.dedup();
        spots
    }
}
