//! Opens plain files and folders, and nothing else.
//!
//! Everything in a store may have come with a cloned repository. Links are
//! never followed, pipes never block, devices are never read, and a file is
//! read up to a limit.

use std::ffi::OsStr;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Components, Path};

use crate::error::{At, StoreError};

/// Largest memory file that is read, in bytes: no text of that size was found that takes a second to be read, judged and
/// indexed (`any_bytes`).
pub(crate) const MAX_FILE: u64 = 2 * 1024 * 1024;

/// Largest file of rawko's own that is read whole, in bytes.
pub(crate) const MAX_KEPT: u64 = 8 * 1024 * 1024;

/// Whether an error says that a file is larger than what is read.
pub(crate) fn is_too_large(error: &StoreError) -> bool {
    matches!(error, StoreError::Io { source, .. } if source.kind() == io::ErrorKind::FileTooLarge)
}

/// A word for a file type that is no plain file.
pub(crate) fn kind(of: FileType) -> &'static str {
    if of.is_symlink() {
        "a symbolic link"
    } else if of.is_dir() {
        "a folder"
    } else if of.is_file() {
        "a file"
    } else {
        "a pipe, socket or device"
    }
}

fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    // O_NONBLOCK: opening a pipe must not wait for a writer.
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
}

/// Opens a plain file; a link, pipe or device is an error.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> Result<File, StoreError> {
    open_known(path, options).map(|(file, _)| file)
}

/// As [`open`], with what the system says of the file.
fn open_known(path: &Path, options: &mut OpenOptions) -> Result<(File, Metadata), StoreError> {
    let file = no_follow(options).open(path).map_err(|source| {
        if is_loop(&source) {
            return StoreError::NotPlain { path: path.to_owned(), kind: "a symbolic link" };
        }
        StoreError::Io { action: "open", path: path.to_owned(), source }
    })?;
    let meta = file.metadata().at("look at", path)?;
    if meta.is_file() {
        Ok((file, meta))
    } else {
        Err(StoreError::NotPlain { path: path.to_owned(), kind: kind(meta.file_type()) })
    }
}

fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

/// Reads a plain file of at most `limit` bytes; `None` if there is none.
///
/// The size is looked at before and after: a file that grew meanwhile is read
/// again, so that a reader never takes half of an append for the whole.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
    loop {
        let (mut file, before) = match open_known(path, OpenOptions::new().read(true)) {
            Ok(opened) => opened,
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if before.len() > limit {
            let source = io::Error::new(io::ErrorKind::FileTooLarge, format!("it has over {limit} bytes"));
            return Err(StoreError::Io { action: "read", path: path.to_owned(), source });
        }
        let mut bytes = Vec::with_capacity(before.len() as usize + 1);
        (&mut file).take(before.len()).read_to_end(&mut bytes).at("read", path)?;
        let after = file.metadata().at("look at", path)?;
        if after.len() == bytes.len() as u64 {
            return Ok(Some(bytes));
        }
    }
}

/// Fills `bytes` from a place in a file.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// The first bytes of a plain file, at most `limit`, as far as they are text; `None` if there is no such file.
pub(crate) fn head(path: &Path, limit: u64) -> Option<String> {
    let mut bytes = Vec::new();
    open(path, OpenOptions::new().read(true)).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    let valid = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
    bytes.truncate(valid);
    String::from_utf8(bytes).ok()
}

/// Whether a folder surely has no folders in it: on most file systems each of them is a link to it.
pub(crate) fn is_flat(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    folder.symlink_metadata().is_ok_and(|meta| meta.nlink() == 2)
}

/// Refuses a folder that is a link or no folder; `Ok(false)` if there is none.
pub(crate) fn is_folder(path: &Path) -> Result<bool, StoreError> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => Ok(true),
        Ok(meta) => Err(StoreError::NotPlain { path: path.to_owned(), kind: kind(meta.file_type()) }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::Io { action: "look at", path: path.to_owned(), source }),
    }
}

/// Whether surely nothing has this name.
pub(crate) fn is_free(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// The parts of a path below `root`; a path that is elsewhere is refused.
pub(crate) fn below<'p>(root: &Path, path: &'p Path) -> Result<Components<'p>, StoreError> {
    let parts = path.strip_prefix(root).map(Path::components);
    parts.map_err(|_| StoreError::NotPlain { path: path.to_owned(), kind: "outside the store" })
}

/// Whether a folder of the store at `root` is there, and neither it nor one above it is a link.
pub(crate) fn is_folder_of(root: &Path, folder: &Path) -> Result<bool, StoreError> {
    let mut path = root.to_owned();
    for part in below(root, folder)? {
        path.push(part);
        if !is_folder(&path)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a file's name is one that we make of a hash: so many hexadecimal digits and nothing else.
pub(crate) fn is_hash_name(name: &OsStr, digits: usize) -> bool {
    let name = name.as_encoded_bytes();
    name.len() == digits && name.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether two looks saw the same file.
pub(crate) fn same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.dev() == b.dev() && a.ino() == b.ino()
}
