//! The files that memories speak of: a repository's working tree and its git objects, read only.
//!
//! No git process is started. Nothing outside the repository is opened: every
//! part of a path must be a plain folder and the last a plain file, so links,
//! pipes and devices are passed over, and every read is bounded.

mod ignore;
mod index;
mod objects;
mod pack;
mod sha1;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use rawko_core::{Content, RepoPath, Tree, When};

use ignore::Ignored;
pub(crate) use objects::git_folders;
use objects::{Id, Objects};

/// Larger files are not judged.
const LARGEST_FILE: u64 = 1 << 20;
/// Most files listed when something is looked for elsewhere.
const MOST_FILES: usize = 50_000;
/// Most folders entered for that.
const MOST_FOLDERS: usize = 10_000;

/// A recorded commit, and the seconds that stand in for one.
type Origin = (Option<String>, Option<i64>);

/// A repository as its working tree stands, with its past where git has it.
pub struct WorkTree {
    root: PathBuf,
    objects: OnceCell<Option<Objects>>,
    /// The commit that a memory's origin was found to mean.
    commits: RefCell<HashMap<Origin, Option<Id>>>,
}

impl WorkTree {
    /// Opens the folder that holds the repository's files.
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { root: root.canonicalize()?, objects: OnceCell::new(), commits: RefCell::default() })
    }

    /// The id of the commit that is checked out, if this is a git repository.
    pub fn commit(&self) -> Option<String> {
        self.objects()?.head().map(|id| id.to_string())
    }

    /// Whether git has an object whose id starts with these digits; `None` where there is no git.
    pub fn knows(&self, digits: &str) -> Option<bool> {
        self.objects().map(|objects| objects.knows(&digits.to_ascii_lowercase()))
    }

    /// The git blob id that a file has now.
    pub fn blob_id(&self, path: &RepoPath) -> Option<String> {
        self.bytes(path).ok().flatten().map(|bytes| sha1::blob_id(&bytes).to_string())
    }

    fn objects(&self) -> Option<&Objects> {
        self.objects.get_or_init(|| Objects::open(&self.root)).as_ref()
    }

    /// A file's bytes: `Ok(None)` where there is none, an error where it may not be read.
    fn bytes(&self, path: &RepoPath) -> io::Result<Option<Vec<u8>>> {
        match open_inside(&self.root, Path::new(path.as_str())) {
            Ok(file) => read_bounded(file, LARGEST_FILE).map(Some),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn commit_at(&self, when: When<'_>) -> Option<Id> {
        let key = (when.commit.map(str::to_owned), when.seconds);
        if let Some(known) = self.commits.borrow().get(&key) {
            return *known;
        }
        let objects = self.objects()?;
        let named = when.commit.and_then(Id::parse).filter(|id| objects.is_commit(*id));
        let found = named.or_else(|| objects.commit_before(when.seconds?));
        self.commits.borrow_mut().insert(key, found);
        found
    }

    /// Tracked files, then those that are neither tracked nor ignored.
    fn list(&self) -> Vec<RepoPath> {
        let index = self.objects().and_then(Objects::index).unwrap_or_default();
        let mut paths: Vec<RepoPath> = index.iter().filter_map(|path| RepoPath::new(path).ok()).collect();
        paths.extend(walk(&self.root));
        paths.sort();
        paths.dedup();
        paths.truncate(MOST_FILES);
        paths
    }
}

impl Tree for WorkTree {
    fn read(&self, path: &RepoPath) -> Content {
        match self.bytes(path) {
            Ok(Some(bytes)) => text(bytes),
            Ok(None) => Content::Missing,
            Err(_) => Content::Unjudged,
        }
    }

    fn is_blob(&self, path: &RepoPath, id: &str) -> bool {
        let (Ok(Some(bytes)), Some(id)) = (self.bytes(path), Id::parse(id)) else { return false };
        sha1::blob_id(&bytes) == id
            || (bytes.contains(&b'\r') && sha1::blob_id(&without_returns(&bytes)) == id)
    }

    fn files(&self) -> Vec<RepoPath> {
        self.list()
    }

    fn blob_text(&self, id: &str) -> Option<String> {
        let bytes = self.objects()?.blob(Id::parse(id)?)?;
        match text(bytes) {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    fn held_then(&self, when: When<'_>, path: &RepoPath) -> Option<Content> {
        let commit = self.commit_at(when)?;
        let objects = self.objects()?;
        match objects.blob_at(commit, path.as_str())? {
            Some(id) => Some(objects.blob(id).map_or(Content::Unjudged, text)),
            None => Some(Content::Missing),
        }
    }
}

fn text(bytes: Vec<u8>) -> Content {
    if bytes.contains(&0) {
        return Content::Unjudged;
    }
    String::from_utf8(bytes).map_or_else(
        // A stray byte of an older encoding does not make a file unreadable.
        |error| Content::Text(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        Content::Text,
    )
}

fn without_returns(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            kept.push(*byte);
        }
    }
    kept
}

/// Opens a plain file below `root`; no part of the way may be a link.
pub(crate) fn open_inside(root: &Path, relative: &Path) -> io::Result<File> {
    let refused =
        || io::Error::new(io::ErrorKind::PermissionDenied, "not a plain file inside the repository");
    let mut path = root.to_path_buf();
    let mut parts = relative.components().peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else { return Err(refused()) };
        path.push(name);
        let kind = fs::symlink_metadata(&path)?.file_type();
        match parts.peek() {
            Some(_) if kind.is_file() => return Err(io::ErrorKind::NotFound.into()),
            Some(_) if kind.is_dir() => {}
            None if kind.is_file() => {}
            None if kind.is_dir() => return Err(io::ErrorKind::NotFound.into()),
            _ => return Err(refused()),
        }
    }
    let file = File::open(&path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused()) }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// All of a file, or an error where it is larger than `most`.
pub(crate) fn read_bounded(file: File, most: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(length.min(most) as usize + 1);
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// The plain files below `root` that are not ignored; other repositories inside are passed over.
pub(crate) fn walk(root: &Path) -> Vec<RepoPath> {
    let ignored = Ignored::read(root);
    let (mut found, mut folders, mut entered) = (Vec::new(), vec![String::new()], 0);
    while let Some(folder) = folders.pop() {
        entered += 1;
        if entered > MOST_FOLDERS || found.len() > MOST_FILES {
            break;
        }
        let Ok(entries) = fs::read_dir(root.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if ignored.covers(&path, kind.is_dir()) {
                continue;
            }
            if kind.is_dir() && !root.join(&path).join(".git").exists() {
                folders.push(path);
            } else if kind.is_file() {
                found.extend(RepoPath::new(&path).ok());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
