//! Files that are there whole or not at all.
//!
//! Write without a name, or under a temporary one where the file system wants
//! one, sync, give it its name, sync the folder: when a function here returns
//! `Ok`, the bytes survive a power cut.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use crate::error::{At, StoreError};
use crate::plain;

/// Temporary names start with this; whoever holds the lock may remove old ones.
pub(crate) const TEMPORARY: &str = ".tmp-";

/// A name that no other process or thread makes, in order of time.
pub(crate) fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let millis =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // The hasher's keys are random per process: two processes of one id, in two containers, differ.
    let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), count);
    format!("{millis:012x}-{:08x}-{count:04x}-{:08x}", std::process::id(), random as u32)
}

/// Makes a file of `bytes` if its name is free; `Ok(false)` if it is not. What has no name yet is kept in `scratch`.
pub(crate) fn create(scratch: &Path, bytes: &[u8], to: &Path) -> Result<bool, StoreError> {
    match link_nameless(scratch, bytes, to)? {
        Some(created) => Ok(created),
        None => Temporary::write(scratch, bytes)?.link(to),
    }
}

/// Makes a file of `bytes` under a name in `folder` that nobody else makes.
pub(crate) fn put(folder: &Path, bytes: &[u8], to: &Path) -> Result<(), StoreError> {
    match link_nameless(folder, bytes, to)? {
        Some(true) => Ok(()),
        _ => Temporary::write(folder, bytes)?.rename(to),
    }
}

/// Puts a file in place of whatever has its name in `folder`, for readers that check what they read: the disk is not
/// waited for, and a power cut may leave the name with nothing behind it.
///
/// It has a temporary name only between two calls: a hook may be ended there.
pub(crate) fn put_over(folder: &Path, bytes: &[u8], to: &Path) -> Result<(), StoreError> {
    if let Some(file) = Nameless::write(folder, bytes, to)? {
        // Locked before it has a name that is swept, as every temporary file is.
        let _ = file.0.try_lock();
        let temporary = folder.join(format!("{TEMPORARY}{}", unique()));
        if file.link(&temporary) == Some(true) {
            let named = retry(|| fs::rename(&temporary, to)).at("rename to", to);
            return named.inspect_err(|_| drop(fs::remove_file(&temporary)));
        }
    }
    Temporary::write(folder, bytes)?.rename(to)
}

/// Replaces a file outside any store, whole or not at all; its permissions stay, and a link stays a link.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).at("create", folder)?;
    let known = fs::metadata(&path).ok();
    if let Some(known) = known.as_ref().filter(|known| !known.is_file()) {
        return Err(StoreError::NotPlain { kind: plain::kind(known.file_type()), path });
    }
    let temporary = Temporary::write(folder, bytes)?;
    if let Some(known) = known {
        temporary.file.set_permissions(known.permissions()).at("write", &path)?;
    }
    temporary.rename(&path)
}

/// Makes a file outside any store, whole or not at all; `Ok(false)` if anything has its name, be it a link to nowhere.
pub fn create_new(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).at("create", folder)?;
    create(folder, bytes, path)
}

/// Makes files whose names are free, and tells which were: all are on disk when this returns.
///
/// The disk is waited for once for all of them; the sync of each then costs little, and says whether it went well.
pub(crate) fn create_all(scratch: &Path, files: &[(&Path, &[u8])]) -> Result<Vec<bool>, StoreError> {
    let written = files.iter().map(|(to, bytes)| Nameless::write(scratch, bytes, to));
    let Some(nameless) = written.collect::<Result<Option<Vec<_>>, _>>()? else {
        return files.iter().map(|(to, bytes)| create(scratch, bytes, to)).collect();
    };
    Nameless::start_syncing(scratch);
    for (file, (to, _)) in nameless.iter().zip(files) {
        file.sync(to)?;
    }
    let link = |(file, (to, bytes)): (&Nameless, &(&Path, &[u8]))| match file.link(to) {
        Some(created) => Ok(created),
        None => Temporary::write(scratch, bytes)?.link(to),
    };
    let created = nameless.iter().zip(files).map(link).collect::<Result<_, _>>()?;
    let folders: BTreeSet<&Path> = files.iter().filter_map(|(to, _)| to.parent()).collect();
    folders.into_iter().try_for_each(sync_folder)?;
    Ok(created)
}

/// Writes a file that has no name, and names it once it is synced; `None` where that cannot be done.
fn link_nameless(scratch: &Path, bytes: &[u8], to: &Path) -> Result<Option<bool>, StoreError> {
    let Some(file) = Nameless::write(scratch, bytes, to)? else { return Ok(None) };
    file.sync(to)?;
    match file.link(to) {
        Some(true) => sync_parent(to).map(|()| Some(true)),
        linked => Ok(linked),
    }
}

/// A file that has no name.
///
/// A folder is changed by one process at a time, and the others sleep: here it is changed once for a
/// file, not two or three times, and a crash before that leaves nothing behind.
struct Nameless(File);

#[cfg(target_os = "linux")]
impl Nameless {
    /// Writes one in `scratch`, to be called `to`; `None` where that cannot be done.
    fn write(scratch: &Path, bytes: &[u8], to: &Path) -> Result<Option<Self>, StoreError> {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = libc::O_TMPFILE | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // Whatever stands against it: the way with a temporary name will say so if it stands against that, too.
        let Ok(mut file) = OpenOptions::new().write(true).custom_flags(flags).open(scratch) else {
            return Ok(None);
        };
        file.write_all(bytes).at("write", to)?;
        Ok(Some(Self(file)))
    }

    /// Writes out whatever waits on this disk. What fails is told by the sync of its file.
    fn start_syncing(scratch: &Path) {
        let _ = File::open(scratch).map(rustix::fs::syncfs);
    }

    /// Gives it its name if nothing has it; `None` where that cannot be done.
    fn link(&self, to: &Path) -> Option<bool> {
        use rustix::fs::{AtFlags, CWD, linkat};
        use std::os::fd::AsRawFd;
        let nameless = format!("/proc/self/fd/{}", self.0.as_raw_fd());
        let link =
            || linkat(CWD, nameless.as_str(), CWD, to, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from);
        match retry(link) {
            Ok(()) => Some(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Some(false),
            Err(_) => None,
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Nameless {
    fn write(_: &Path, _: &[u8], _: &Path) -> Result<Option<Self>, StoreError> {
        Ok(None)
    }

    fn start_syncing(_: &Path) {}

    fn link(&self, _: &Path) -> Option<bool> {
        None
    }
}

impl Nameless {
    fn sync(&self, to: &Path) -> Result<(), StoreError> {
        self.0.sync_all().at("sync", to)
    }
}

/// Bytes on disk under a temporary name; removed again unless given a name.
///
/// Its file is locked as long as its writer lives, so that what a crash left
/// behind can be told from what is being written, without a clock.
pub(crate) struct Temporary {
    /// Empty once the file has its name.
    path: PathBuf,
    file: File,
}

impl Temporary {
    /// Makes an empty one in `folder`, to be written by the caller through another handle.
    pub(crate) fn new(folder: &Path) -> Result<Self, StoreError> {
        /// Where a file system tells a file's number in two ways, no try would be the last.
        const TRIES: usize = 8;
        for n in 1.. {
            let path = folder.join(format!("{TEMPORARY}{}", unique()));
            let file = plain::open(&path, OpenOptions::new().write(true).create_new(true))?;
            // Where the file system has no locks, a leftover stays until it is old.
            let swept = matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock));
            let ours = file.metadata().at("look at", &path)?;
            // Whoever sweeps may have found it before it was locked: then it is gone, or about to be.
            let is_ours =
                !swept && path.symlink_metadata().is_ok_and(|named| plain::same_file(&named, &ours));
            if is_ours || n == TRIES {
                return Ok(Self { path, file });
            }
        }
        unreachable!("the last try returns")
    }

    /// Writes and syncs `bytes` in `folder`.
    pub(crate) fn write(folder: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let temporary = Self::new(folder)?;
        (&temporary.file).write_all(bytes).at("write", &temporary.path)?;
        temporary.file.sync_all().at("sync", &temporary.path)?;
        Ok(temporary)
    }

    /// Another handle on the same file.
    pub(crate) fn handle(&self) -> Result<File, StoreError> {
        self.file.try_clone().at("open", &self.path)
    }

    /// Gives the file its name, replacing what had it.
    pub(crate) fn rename(mut self, to: &Path) -> Result<(), StoreError> {
        retry(|| fs::rename(&self.path, to)).at("rename to", to)?;
        self.path.clear();
        sync_parent(to)
    }

    /// Gives the file its name if nothing has it; `Ok(false)` if something does.
    pub(crate) fn link(self, to: &Path) -> Result<bool, StoreError> {
        match retry(|| fs::hard_link(&self.path, to)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            Err(source) => return Err(StoreError::Io { action: "create", path: to.to_owned(), source }),
        }
        sync_parent(to).map(|()| true)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A leftover is harmless: it has no name that anyone reads.
        if !self.path.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Does it again where a signal came between; the standard library does so for reading, writing and syncing.
pub(crate) fn retry<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match act() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Removes the temporary files of a folder whose writers are gone, if they were made at least `age` ago.
pub(crate) fn sweep(folder: &Path, age: Duration) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let made = |name: &str| u64::from_str_radix(name.split('-').next()?, 16).ok().map(Duration::from_millis);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY)) else { continue };
        let is_old = made(name).is_none_or(|made| now.saturating_sub(made) >= age);
        if is_old
            && let Ok(file) = plain::open(&entry.path(), OpenOptions::new().write(true))
            && file.try_lock().is_ok()
        {
            // Locked until it is removed: its writer may only now come to lock it.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes the names in a file's folder last.
pub(crate) fn sync_parent(path: &Path) -> Result<(), StoreError> {
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Makes the names in a folder last.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    if cfg!(unix) { File::open(folder).and_then(|open| open.sync_all()).at("sync", folder) } else { Ok(()) }
}

/// Makes a folder of the store with its parents, and makes them last; existing ones must be real folders.
///
/// Every part below `root` is looked at: behind a link, the last part is a real folder of somebody else.
pub(crate) fn make_folder(root: &Path, folder: &Path) -> Result<(), StoreError> {
    let mut path = root.to_owned();
    for part in plain::below(root, folder)? {
        path.push(part);
        if plain::is_folder(&path)? {
            continue;
        }
        match retry(|| fs::create_dir(&path)) {
            // Another process made it, or something else: the next look tells.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && plain::is_folder(&path)? => {}
            made => {
                made.at("create", &path)?;
                sync_parent(&path)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn whoever_sweeps_takes_no_file_that_is_about_to_get_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let (folder, done) = (folder.path(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    sweep(folder, Duration::ZERO);
                }
            });
            let put = (0..2_000).try_for_each(|_| put_over(folder, b"derived", &folder.join("name")));
            done.store(true, Ordering::Relaxed);
            put.expect("the file got its name");
        });
    }
}
