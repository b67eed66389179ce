//! The files that memories speak of: a repository's working tree and its git objects, read only.
//!
//! No git process is started. Nothing outside the repository is opened: every
//! part of a path must be a plain folder and the last a plain file, so links,
//! pipes and devices are passed over, and every read is bounded.

mod digest;
mod ignore;
mod index;
mod objects;
mod pack;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use rawko_core::{Content, RepoPath, Tree, When};

use ignore::Ignored;
pub(crate) use objects::git_folders;
use objects::{Format, Id, Objects};

/// Larger files are not judged.
const LARGEST_FILE: u64 = 1 << 20;
/// Most files listed when something is looked for elsewhere.
const MOST_FILES: usize = 50_000;
/// Most folders entered for that.
const MOST_FOLDERS: usize = 10_000;

/// A recorded commit, and the seconds that stand in for one.
type Origin = (Option<String>, Option<i64>);

/// A project's files as they stand, with their past where git has it.
///
/// A project may be a folder of a repository. A path is then looked for below the project first, and where it is not
/// there, from the top of the repository.
pub struct WorkTree {
    root: PathBuf,
    repository: OnceCell<Option<Repository>>,
    /// The commit that a memory's origin was found to mean.
    commits: RefCell<HashMap<Origin, Option<Id>>>,
}

/// The repository that a project is, or is in.
struct Repository {
    objects: Objects,
    top: PathBuf,
    /// The project's path below `top` with a slash behind it; empty where it is the same folder.
    below: String,
}

impl Repository {
    /// The nearest repository at or above `root`; one above it only where that tracks the folder.
    fn of(root: &Path) -> Option<Self> {
        let top = root.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
        let objects = Objects::open(top)?;
        let parts: Option<Vec<&str>> =
            root.strip_prefix(top).ok()?.iter().map(|part| part.to_str()).collect();
        let below = parts?.join("/");
        if below.is_empty() {
            return Some(Self { objects, top: top.to_owned(), below });
        }
        let is_tracked = objects.has_folder(objects.head()?, &below);
        is_tracked.then(|| Self { objects, top: top.to_owned(), below: below + "/" })
    }

    /// The blob that a path of the project had in a commit, as [`Objects::blob_at`] gives it.
    fn blob_at(&self, commit: Id, path: &RepoPath) -> Option<Option<Id>> {
        match self.objects.blob_at(commit, &format!("{}{}", self.below, path.as_str()))? {
            None if !self.below.is_empty() => self.objects.blob_at(commit, path.as_str()),
            found => Some(found),
        }
    }

    /// The tracked files, as paths of the project where they are below it.
    fn tracked(&self) -> Vec<RepoPath> {
        let index = self.objects.index().unwrap_or_default();
        let inside =
            |path: &String| path.strip_prefix(&self.below).map_or_else(|| path.clone(), str::to_owned);
        index.iter().map(inside).filter_map(|path| RepoPath::new(&path).ok()).collect()
    }
}

impl WorkTree {
    /// Opens a project's folder.
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { root: root.canonicalize()?, repository: OnceCell::new(), commits: RefCell::default() })
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
        let format = self.objects().map_or(Format::Sha1, Objects::format);
        self.bytes(path).ok().flatten().map(|bytes| digest::blob_id(&bytes, format).to_string())
    }

    fn repository(&self) -> Option<&Repository> {
        self.repository.get_or_init(|| Repository::of(&self.root)).as_ref()
    }

    fn objects(&self) -> Option<&Objects> {
        self.repository().map(|repository| &repository.objects)
    }

    /// A file's bytes: `Ok(None)` where there is none, an error where it may not be read.
    fn bytes(&self, path: &RepoPath) -> io::Result<Option<Vec<u8>>> {
        let relative = Path::new(path.as_str());
        let opened = match open_inside(&self.root, relative) {
            Err(error) if is_absent(&error) => match self.repository() {
                Some(above) if !above.below.is_empty() => open_inside(&above.top, relative),
                _ => Err(error),
            },
            opened => opened,
        };
        match opened {
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
        let mut paths = self.repository().map(Repository::tracked).unwrap_or_default();
        // What a memory says is no proof of what it says, committed or not.
        paths.retain(|path| !path.as_str().split('/').any(|folder| folder == ".rawko"));
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
        let is = |bytes: &[u8]| digest::blob_id(bytes, id.format()) == id;
        is(&bytes) || (bytes.contains(&b'\r') && is(&without_returns(&bytes)))
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
        let repository = self.repository()?;
        match repository.blob_at(self.commit_at(when)?, path)? {
            Some(id) => Some(repository.objects.blob(id).map_or(Content::Unjudged, text)),
            None => Some(Content::Missing),
        }
    }

    fn was_there(&self, when: When<'_>, path: &RepoPath) -> Option<bool> {
        Some(self.repository()?.blob_at(self.commit_at(when)?, path)?.is_some())
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
