//! File stamps (size, time, inode): how a file stood when it was indexed, and whether it still does.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

use super::bytes::{Cursor, Damage};

/// The finest step of a file time, in nanoseconds: kernels stamp files by a clock that ticks.
const TICK: i64 = 20_000_000;
/// The same, for file systems that keep whole seconds.
const COARSE_TICK: i64 = 2_000_000_000;

/// How a file stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) size: u64,
    pub(super) changed: i64,
    pub(super) inode: u64,
}

impl Stamp {
    /// Looks at a file; the default stamp if there is none.
    pub(super) fn of(path: &Path) -> Self {
        fs::symlink_metadata(path).map_or(Self::default(), |meta| Self {
            size: meta.len(),
            changed: nanos(&meta),
            inode: inode(&meta),
        })
    }

    pub(super) fn to_bytes(self) -> [u8; 24] {
        let numbers = [self.size, self.changed.cast_unsigned(), self.inode];
        std::array::from_fn(|at| numbers[at / 8].to_le_bytes()[at % 8])
    }

    pub(super) fn take(cursor: &mut Cursor<'_>) -> Result<Self, Damage> {
        Ok(Self { size: cursor.u64()?, changed: cursor.i64()?, inode: cursor.u64()? })
    }

    /// Whether a file with this stamp may have changed without its stamp, for whoever looked at `at`.
    pub(super) fn is_recent(&self, at: i64) -> bool {
        is_recent(self.changed, at)
    }
}

/// Whether a time is so near to the look at it that a later change may have the same time.
pub(super) fn is_recent(changed: i64, looked: i64) -> bool {
    let tick = if changed % 1_000_000_000 == 0 { COARSE_TICK } else { TICK };
    changed.saturating_add(tick) >= looked
}

/// When a file last changed, in nanoseconds since 1970.
pub(super) fn nanos(meta: &Metadata) -> i64 {
    meta.modified().map_or(0, since_1970)
}

/// This moment, in nanoseconds since 1970.
pub(super) fn now() -> i64 {
    since_1970(SystemTime::now())
}

fn since_1970(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}

fn inode(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}
