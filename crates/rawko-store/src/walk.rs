//! Finds the memory files below `memories/`, and reads many of them at once.

use std::fs;
use std::path::{Path, PathBuf};

use rawko_core::{Problem, Slug};

use crate::FileProblem;
use crate::atomic;
use crate::error::{At, StoreError};
use crate::index::folder_time;
use crate::plain;

/// Deepest folder below `memories/` that is looked into.
const MAX_DEPTH: usize = 7;
/// Largest export of another tool that is read, in bytes.
const MAX_EXPORT: u64 = 256 * 1024 * 1024;
/// Files that people put into a folder for git.
const GITS_OWN: [&str; 3] = [".gitkeep", ".gitignore", ".gitattributes"];
/// From how many files on a second thread is worth its start.
const PARALLEL_FROM: usize = 256;

/// The memory files of a store, and what stands among them that is none.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) files: Vec<(Slug, PathBuf)>,
    /// The folders, by their path below `memories/`, with the times they had just before they were listed.
    pub(crate) folders: Vec<(String, i64)>,
    pub(crate) problems: Vec<FileProblem>,
    /// What does not even look like a memory.
    pub(crate) foreign: Vec<PathBuf>,
}

/// Lists the memory files below `folder`.
pub(crate) fn memories(folder: &Path) -> Result<Seen, StoreError> {
    let mut seen = Seen::default();
    if plain::is_folder(folder)? {
        seen.folders.push((String::new(), folder_time(folder)));
        let inside = atomic::retry(|| fs::read_dir(folder)).at("list", folder)?;
        descend(inside, folder, "", 0, &mut seen);
    }
    Ok(seen)
}

fn descend(inside: fs::ReadDir, folder: &Path, below: &str, depth: usize, seen: &mut Seen) {
    for entry in inside {
        let entry = match entry {
            Ok(entry) => entry,
            // What comes behind is not known, and that is said.
            Err(error) => return seen.not_listed(folder, &error),
        };
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            seen.skip(path, "its name is not UTF-8", "rename the file");
            continue;
        };
        let stem = name.strip_suffix(".md");
        if name.starts_with('.') || (stem.is_none() && !kind.is_dir() && !kind.is_symlink()) {
            if kind.is_file() && !name.starts_with('.') && name.to_ascii_lowercase().ends_with(".md") {
                seen.skip(path, "its name does not end in `.md`", "rename the file: small letters");
            } else if !GITS_OWN.contains(&name.as_str()) {
                seen.foreign.push(path);
            }
            continue;
        }
        match stem {
            Some(stem) if kind.is_file() => match Slug::parse(&format!("{below}{stem}")) {
                Ok(slug) => seen.files.push((slug, path)),
                Err(error) => seen.skip(path, &error.to_string(), "rename the file"),
            },
            _ if stem.is_some() || kind.is_symlink() => {
                let what = format!("it is {}, and only plain files are read", plain::kind(kind));
                seen.skip(path, &what, "put a plain file there, or move it out of `memories/`");
            }
            _ if depth >= MAX_DEPTH => seen.skip(path, "its folder is nested too deep", "move it up"),
            _ => {
                seen.folders.push((format!("{below}{name}"), folder_time(&path)));
                match atomic::retry(|| fs::read_dir(&path)) {
                    Ok(inside) => descend(inside, &path, &format!("{below}{name}/"), depth + 1, seen),
                    Err(error) => seen.not_listed(&path, &error),
                }
            }
        }
    }
}

impl Seen {
    fn not_listed(&mut self, folder: &Path, error: &std::io::Error) {
        let what = format!("the folder cannot be listed: {error}");
        let problem = Problem::error(1, 1, what, "check its permissions");
        self.problems.push(FileProblem { slug: None, path: folder.to_owned(), problem });
    }

    fn skip(&mut self, path: PathBuf, what: &str, remedy: &str) {
        let problem = Problem::warning(1, 1, format!("skipped: {what}"), remedy);
        self.problems.push(FileProblem { slug: None, path, problem });
    }
}

/// A memory of the same file name in one of the folders, for titles that somebody filed away.
pub(crate) fn elsewhere(folder: &Path, slug: &Slug) -> Option<Slug> {
    if plain::is_flat(folder) {
        return None;
    }
    let folders = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .filter_map(|entry| {
            let name = entry.file_name().to_str()?.to_owned();
            let slug = Slug::parse(&format!("{name}/{slug}")).ok()?;
            folder.join(format!("{slug}.md")).is_file().then_some(slug)
        })
        .min()
}

/// Reads a file that somebody names as a memory's file is read: plain, and up to a limit.
pub fn read_file(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    plain::read(path, plain::MAX_FILE)
}

/// Reads a file of another tool, which may hold all that the tool remembers.
pub fn read_export(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    plain::read(path, MAX_EXPORT)
}

/// What `validate` says of a file that could not be read.
pub fn unreadable(error: &StoreError) -> Problem {
    let cause = std::error::Error::source(error).map_or(String::new(), |cause| format!(": {cause}"));
    if let StoreError::NotPlain { kind, .. } = error {
        return Problem::error(
            1,
            1,
            format!("it is {kind}, and only plain files are read"),
            "put a plain file there",
        );
    }
    Problem::error(1, 1, format!("the file cannot be read{cause}"), "check its permissions and size")
}

/// What `validate` says of bytes that are no text.
pub fn not_utf8(bytes: &[u8]) -> Problem {
    let valid = std::str::from_utf8(bytes).err().map_or(bytes.len(), |error| error.valid_up_to());
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    Problem::error(line, column, "the file is not UTF-8 text", "save it as UTF-8")
}

/// Applies `read` to every file, on two or more threads where there are many.
pub(crate) fn in_parallel<I: Sync, O: Send>(items: &[I], read: impl Fn(&I) -> O + Sync) -> Vec<O> {
    // Asking for the processors reads several files of the system.
    let processors = || std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let threads = if items.len() < PARALLEL_FROM { 1 } else { processors() };
    if threads < 2 {
        return items.iter().map(read).collect();
    }
    let share = items.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let workers: Vec<_> = items
            .chunks(share)
            .map(|chunk| scope.spawn(|| chunk.iter().map(&read).collect::<Vec<O>>()))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("reading does not panic")).collect()
    })
}
