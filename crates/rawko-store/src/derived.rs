//! Small derived files in the cache: there whole, or not at all, or rebuilt.
//!
//! Whoever reads one knows it by its signature: it may be damaged, or have come with a repository. So the disk is
//! never waited for.

use crate::FileStore;
use crate::atomic;
use crate::error::StoreError;
use crate::index::Key;
use crate::layout::Layout;
use crate::plain;

/// Keeps derived bytes under a name; they may be deleted at any time.
pub fn derive_signed(store: &FileStore, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    derive(store.layout(), &key(store), name, bytes)
}

/// Bytes that [`derive_signed()`] kept for this person in this store.
pub fn derived_signed(store: &FileStore, name: &str) -> Option<Vec<u8>> {
    derived(store.layout(), &key(store), name)
}

fn key(store: &FileStore) -> Key {
    Key::of(store.home(), store.layout().root())
}

/// As [`derive_signed()`], for whoever has the key.
pub(crate) fn derive(layout: &Layout, key: &Key, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = layout.cache();
    atomic::make_folder(layout.root(), &folder)?;
    let signed = [mac(key, name, bytes).as_bytes(), b"\n", bytes].concat();
    atomic::put_over(&folder, &signed, &folder.join(name))
}

/// As [`derived_signed()`], for whoever has the key.
pub(crate) fn derived(layout: &Layout, key: &Key, name: &str) -> Option<Vec<u8>> {
    let kept = plain::read(&layout.cache().join(name), plain::MAX_KEPT).ok()??;
    let end = kept.iter().position(|&byte| byte == b'\n')?;
    let (signature, bytes) = (&kept[..end], &kept[end + 1..]);
    (signature == mac(key, name, bytes).as_bytes()).then(|| bytes.to_vec())
}

fn mac(key: &Key, name: &str, bytes: &[u8]) -> String {
    key.sign(&[b"derived", name.as_bytes(), b"\n", bytes]).to_hex().to_string()
}
