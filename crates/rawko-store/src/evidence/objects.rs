//! git's objects, read without git: loose and packed, deltas resolved.
//!
//! Everything is checked against its bounds and nothing is believed beyond
//! them: a damaged or hostile repository gives no object, never a wrong read
//! or an endless one. Folders of other repositories (alternates) stay closed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;

use super::pack::Pack;
use super::{index, open_inside, read_bounded};

/// Larger objects are not read.
pub(super) const LARGEST_OBJECT: usize = 8 << 20;
const LARGEST_INDEX: u64 = 64 << 20;
const LARGEST_REFS: u64 = 8 << 20;
/// Most folders of the past that are looked into.
const MOST_FOLDERS: usize = 2_000;
/// Longest walk back in time from the commit that is checked out.
const MOST_COMMITS: usize = 5_000;

/// How a repository names its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Format {
    Sha1,
    Sha256,
}

impl Format {
    /// Bytes of a name.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// What the repository's settings say.
    fn of(common: &Path) -> Self {
        let settings = small_text(common, "config").unwrap_or_default().to_lowercase();
        let says = |line: &str| {
            line.split_once('=')
                .is_some_and(|(key, value)| key.trim() == "objectformat" && value.trim() == "sha256")
        };
        if settings.lines().any(says) { Self::Sha256 } else { Self::Sha1 }
    }
}

/// The name of a git object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id {
    bytes: [u8; 32],
    format: Format,
}

impl Id {
    /// The name of 20 bytes, or of 32.
    pub(super) fn new<const N: usize>(name: &[u8; N]) -> Self {
        const { assert!(N == 20 || N == 32) };
        let mut bytes = [0; 32];
        bytes[..N].copy_from_slice(name);
        Self { bytes, format: if N == 20 { Format::Sha1 } else { Format::Sha256 } }
    }

    /// The name that stands in these bytes, which are as many as the format has.
    pub(super) fn read(name: &[u8]) -> Option<Self> {
        match name.len() {
            20 => name.first_chunk::<20>().map(Self::new),
            _ => name.first_chunk::<32>().filter(|_| name.len() == 32).map(Self::new),
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if !text.is_ascii() {
            return None;
        }
        let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..text.len().min(65)).step_by(2).map(byte).collect();
        Self::read(&bytes?)
    }

    pub(super) fn format(&self) -> Format {
        self.format
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.format.bytes()]
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// An object's kind and bytes.
pub(super) type Object = (Kind, Vec<u8>);
/// The entries of a folder: name to mode and id.
type Folder = HashMap<Vec<u8>, (bool, Id)>;

/// The objects of one repository.
pub(super) struct Objects {
    /// Holds HEAD and the index; a worktree has its own.
    own: PathBuf,
    /// Holds objects and refs.
    common: PathBuf,
    format: Format,
    packs: Vec<Pack>,
    /// Per commit, its topmost folder.
    tops: RefCell<HashMap<Id, Option<Id>>>,
    folders: RefCell<HashMap<Id, Option<Folder>>>,
}

impl Objects {
    /// Finds the git folder of the repository at `root`.
    pub(super) fn open(root: &Path) -> Option<Self> {
        let (own, common) = git_folders(root)?;
        let format = Format::of(&common);
        let packs = Pack::all(&common.join("objects/pack"), format);
        Some(Self { own, common, format, packs, tops: RefCell::default(), folders: RefCell::default() })
    }

    /// How the repository names its objects.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// The paths in the index.
    pub(super) fn index(&self) -> Option<Vec<String>> {
        let file = open_inside(&self.own, Path::new("index")).ok()?;
        Some(index::paths(&read_bounded(file, LARGEST_INDEX).ok()?, self.format))
    }

    /// The commit that is checked out.
    pub(super) fn head(&self) -> Option<Id> {
        let head = small_text(&self.own, "HEAD")?;
        let Some(name) = head.trim().strip_prefix("ref: ") else { return Id::parse(&head) };
        let sound = name.starts_with("refs/") && !name.split('/').any(|part| part.is_empty() || part == "..");
        let loose = sound.then(|| small_text(&self.common, name)).flatten();
        loose.as_deref().and_then(Id::parse).or_else(|| self.packed_ref(name))
    }

    fn packed_ref(&self, name: &str) -> Option<Id> {
        let file = open_inside(&self.common, Path::new("packed-refs")).ok()?;
        let bytes = read_bounded(file, LARGEST_REFS).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().find(|line| line.split_once(' ').is_some_and(|(_, found)| found == name))?;
        Id::parse(line.split_once(' ')?.0)
    }

    pub(super) fn is_commit(&self, id: Id) -> bool {
        matches!(self.object(id), Some((Kind::Commit, _)))
    }

    /// Whether an object's name starts with these lower-case hexadecimal digits, at least four.
    pub(super) fn knows(&self, digits: &str) -> bool {
        let sound = (4..=2 * self.format.bytes()).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        sound && (self.packs.iter().any(|pack| pack.starting(digits).is_some()) || self.has_loose(digits))
    }

    fn has_loose(&self, digits: &str) -> bool {
        let (folder, rest) = digits.split_at(2);
        let names = fs::read_dir(self.common.join("objects").join(folder)).into_iter().flatten().flatten();
        names
            .map(|entry| entry.file_name())
            .any(|name| name.to_str().is_some_and(|name| name.starts_with(rest)))
    }

    /// The newest commit on the way back from HEAD, first parents only, that is not younger than `seconds`.
    pub(super) fn commit_before(&self, seconds: i64) -> Option<Id> {
        let mut id = self.head()?;
        for _ in 0..MOST_COMMITS {
            let (Kind::Commit, bytes) = self.object(id)? else { return None };
            let text = String::from_utf8_lossy(&bytes);
            let header = text.split("\n\n").next()?;
            let committer = header.lines().find_map(|line| line.strip_prefix("committer "))?;
            let time: i64 = committer.rsplit(' ').nth(1)?.parse().ok()?;
            if time <= seconds {
                return Some(id);
            }
            id = Id::parse(header.lines().find_map(|line| line.strip_prefix("parent "))?)?;
        }
        None
    }

    /// The blob at `path` in a commit: `None` where the commit cannot be read, `Some(None)` where it has none.
    pub(super) fn blob_at(&self, commit: Id, path: &str) -> Option<Option<Id>> {
        Some(self.at(commit, path)?.filter(|(is_folder, _)| !is_folder).map(|(_, id)| id))
    }

    /// Whether a commit has a folder at `path`.
    pub(super) fn has_folder(&self, commit: Id, path: &str) -> bool {
        self.at(commit, path).flatten().is_some_and(|(is_folder, _)| is_folder)
    }

    /// What a commit has at `path`, and whether it is a folder.
    fn at(&self, commit: Id, path: &str) -> Option<Option<(bool, Id)>> {
        let mut found = (true, self.top_of(commit)?);
        for part in path.split('/') {
            let (true, folder) = found else { return Some(None) };
            let Some(next) = self.entry(folder, part.as_bytes())? else { return Some(None) };
            found = next;
        }
        Some(Some(found))
    }

    /// The bytes of a blob.
    pub(super) fn blob(&self, id: Id) -> Option<Vec<u8>> {
        match self.object(id)? {
            (Kind::Blob, bytes) => Some(bytes),
            _ => None,
        }
    }

    fn top_of(&self, commit: Id) -> Option<Id> {
        let read = || {
            let (Kind::Commit, bytes) = self.object(commit)? else { return None };
            let name = bytes.strip_prefix(b"tree ")?.get(..2 * self.format.bytes())?;
            Id::parse(std::str::from_utf8(name).ok()?)
        };
        *self.tops.borrow_mut().entry(commit).or_insert_with(read)
    }

    /// A folder's entry; folders are kept, since many paths of one commit are asked for.
    fn entry(&self, tree: Id, name: &[u8]) -> Option<Option<(bool, Id)>> {
        let mut folders = self.folders.borrow_mut();
        if folders.len() >= MOST_FOLDERS && !folders.contains_key(&tree) {
            return None;
        }
        let folder = folders.entry(tree).or_insert_with(|| match self.object(tree) {
            Some((Kind::Tree, bytes)) => Some(folder(&bytes, self.format)),
            _ => None,
        });
        folder.as_ref().map(|folder| folder.get(name).copied())
    }

    fn object(&self, id: Id) -> Option<Object> {
        self.loose(id).or_else(|| self.packed(id, 0))
    }

    fn loose(&self, id: Id) -> Option<Object> {
        let name = id.to_string();
        let path = format!("objects/{}/{}", &name[..2], &name[2..]);
        let file = open_inside(&self.common, Path::new(&path)).ok()?;
        let mut bytes = Vec::new();
        ZlibDecoder::new(file).take(LARGEST_OBJECT as u64).read_to_end(&mut bytes).ok()?;
        let end = bytes.iter().take(64).position(|b| *b == 0)?;
        let header = std::str::from_utf8(&bytes[..end]).ok()?;
        let (kind, size) = header.split_once(' ')?;
        let kind = match kind {
            "commit" => Kind::Commit,
            "tree" => Kind::Tree,
            "blob" => Kind::Blob,
            "tag" => Kind::Tag,
            _ => return None,
        };
        let size: usize = size.parse().ok()?;
        let body = bytes.split_off(end + 1);
        (size == body.len()).then_some((kind, body))
    }

    fn packed(&self, id: Id, depth: usize) -> Option<Object> {
        let base = |base: Id, depth: usize| self.loose(base).or_else(|| self.packed(base, depth));
        self.packs.iter().find_map(|pack| pack.object(pack.offset(id)?, depth, &base))
    }
}

/// The entries of a tree object.
fn folder(mut bytes: &[u8], format: Format) -> Folder {
    let mut entries = Folder::new();
    while let Some(space) = bytes.iter().position(|b| *b == b' ') {
        let Some(length) = bytes[space..].iter().position(|b| *b == 0) else { break };
        let end = space + length;
        let behind = end + 1 + format.bytes();
        let Some(id) = bytes.get(end + 1..behind).and_then(Id::read) else { break };
        let mode = &bytes[..space];
        if mode == b"40000" || mode.starts_with(b"100") {
            entries.insert(bytes[space + 1..end].to_vec(), (mode == b"40000", id));
        }
        bytes = &bytes[behind..];
    }
    entries
}

/// The git folder of the repository at `root`, and the one that it shares with its worktrees: mostly the same.
pub(crate) fn git_folders(root: &Path) -> Option<(PathBuf, PathBuf)> {
    let own = git_folder(root)?;
    let common = match small_text(&own, "commondir") {
        Some(text) => own.join(text.trim()).canonicalize().ok()?,
        None => own.clone(),
    };
    Some((own, common))
}

/// `.git`, or where a worktree's `.git` file leads, if that place knows the worktree.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let dot = root.join(".git");
    let kind = fs::symlink_metadata(&dot).ok()?.file_type();
    if kind.is_dir() {
        return Some(dot);
    }
    let text = kind.is_file().then(|| small_text(root, ".git")).flatten()?;
    let named = root.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    // A file may name any folder; only one that points back at it, as git's own do, is entered.
    let back = small_text(&named, "gitdir").and_then(|text| named.join(text.trim()).canonicalize().ok());
    let is_module = || root.ancestors().skip(1).any(|above| named.starts_with(above.join(".git/modules")));
    (back == Some(dot) || is_module()).then_some(named)
}

fn small_text(folder: &Path, name: &str) -> Option<String> {
    let file = open_inside(folder, Path::new(name)).ok()?;
    String::from_utf8(read_bounded(file, 64 * 1024).ok()?).ok()
}
