//! The key by which this person's indexes are known from foreign ones.
//!
//! `cache/` may come with a cloned repository. An index is believed only if
//! its header is signed with a key that lies in the person's own folder, for
//! exactly this store. Without such a folder the key lives as long as the
//! process.

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use crate::atomic::{self, Temporary};
use crate::error::{At, StoreError};
use crate::plain;

const NAME: &str = "cache-key";
const PURPOSE: &str = "rawko search index of one store, version 1";

/// Signs and checks the index of one store.
#[derive(Clone)]
pub(crate) struct Key([u8; 32]);

/// What it is stays out of every message.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key for the store at `root`; made and kept in `home` if there is none yet.
    pub(crate) fn of(home: Option<&Path>, root: &Path) -> Self {
        let secret = home.and_then(|home| kept(home).ok().flatten()).unwrap_or_else(of_this_process);
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let material = [&secret[..], root.as_os_str().as_encoded_bytes()].concat();
        Self(blake3::derive_key(PURPOSE, &material))
    }

    /// Whether the key outlives this process.
    pub(crate) fn is_kept(home: Option<&Path>) -> bool {
        home.is_some_and(|home| kept(home).is_ok_and(|secret| secret.is_some()))
    }

    /// Signs what is said of an index.
    pub(crate) fn sign(&self, parts: &[&[u8]]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        parts.iter().for_each(|part| {
            hasher.update(part);
        });
        hasher.finalize()
    }

    /// The seed of block checksums: nobody without the key can make a block that fits a checksum.
    pub(super) fn seed(&self) -> u64 {
        let hash = self.sign(&[b"seed of block checksums"]);
        u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
    }
}

/// The secret in the person's folder, made if there is none.
fn kept(home: &Path) -> Result<Option<[u8; 32]>, StoreError> {
    let path = home.join(NAME);
    if let Some(bytes) = plain::read(&path, 4096)? {
        // A damaged key is replaced: all it costs is a rebuild.
        if let Ok(secret) = <[u8; 32]>::try_from(&bytes[..]) {
            return Ok(Some(secret));
        }
        std::fs::remove_file(&path).at("remove", &path)?;
    }
    std::fs::create_dir_all(home).at("create", home)?;
    private(&path, &fresh())?;
    // Another process may have been first: what has the name counts.
    Ok(plain::read(&path, 4096)?.and_then(|bytes| bytes.try_into().ok()))
}

fn private(path: &Path, secret: &[u8]) -> Result<(), StoreError> {
    let temporary = Temporary::new(path.parent().unwrap_or(Path::new(".")))?;
    let mut file = temporary.handle()?;
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)).at("keep to yourself", path)?;
    file.write_all(secret).at("write", path)?;
    temporary.link(path).map(drop)
}

fn of_this_process() -> [u8; 32] {
    static SECRET: OnceLock<[u8; 32]> = OnceLock::new();
    *SECRET.get_or_init(fresh)
}

/// Random bytes: from the system, or from what the standard library seeds its hashers with.
fn fresh() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    if let Ok(mut random) = std::fs::File::open("/dev/urandom") {
        let mut bytes = [0; 32];
        if std::io::Read::read_exact(&mut random, &mut bytes).is_ok() {
            hasher.update(&bytes);
        }
    }
    for n in 0..8_u64 {
        let state = std::hash::RandomState::new();
        hasher.update(&std::hash::BuildHasher::hash_one(&state, n).to_le_bytes());
    }
    hasher.update(atomic::unique().as_bytes());
    *hasher.finalize().as_bytes()
}
