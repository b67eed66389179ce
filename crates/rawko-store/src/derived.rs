//! Small derived files in the cache: there whole, or not at all, or rebuilt.

use crate::atomic::{self, Temporary};
use crate::error::StoreError;
use crate::layout::Layout;
use crate::plain;

/// Keeps derived bytes under a name; they may be deleted at any time.
pub fn derive(layout: &Layout, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = layout.cache();
    atomic::make_folder(layout.root(), &folder)?;
    Temporary::write(&folder, bytes)?.rename(&folder.join(name))
}

/// Derived bytes, where they are there and can be read.
pub fn derived(layout: &Layout, name: &str) -> Option<Vec<u8>> {
    plain::read(&layout.cache().join(name), plain::MAX_FILE).ok()?
}
