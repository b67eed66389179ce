//! Small derived files in the cache: there whole, or not at all, or rebuilt.

use crate::FileStore;
use crate::atomic;
use crate::error::StoreError;
use crate::index::Key;
use crate::layout::Layout;
use crate::plain;

/// Keeps derived bytes under a name; they may be deleted at any time.
pub fn derive(layout: &Layout, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = layout.cache();
    atomic::make_folder(layout.root(), &folder)?;
    atomic::put_over(&folder, bytes, &folder.join(name))
}

/// Derived bytes, where they are there and can be read.
pub fn derived(layout: &Layout, name: &str) -> Option<Vec<u8>> {
    plain::read(&layout.cache().join(name), plain::MAX_FILE).ok()?
}

/// As [`derive()`], signed: what came with a repository is not taken for what this person's programs kept here.
pub fn derive_signed(store: &FileStore, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let signed = [mac(store, name, bytes).as_bytes(), b"\n", bytes].concat();
    derive(store.layout(), name, &signed)
}

/// Bytes that [`derive_signed()`] kept for this person in this store.
pub fn derived_signed(store: &FileStore, name: &str) -> Option<Vec<u8>> {
    let kept = derived(store.layout(), name)?;
    let end = kept.iter().position(|&byte| byte == b'\n')?;
    let (signature, bytes) = (&kept[..end], &kept[end + 1..]);
    (signature == mac(store, name, bytes).as_bytes()).then(|| bytes.to_vec())
}

fn mac(store: &FileStore, name: &str, bytes: &[u8]) -> String {
    let key = Key::of(store.home(), store.layout().root());
    key.sign(&[b"derived", name.as_bytes(), b"\n", bytes]).to_hex().to_string()
}
