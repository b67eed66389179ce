//! Finds the memory files below `memories/`, and reads many of them at once.

use std::fs;
use std::path::{Path, PathBuf};

use rawko_core::{Problem, Slug};

use crate::FileProblem;
use crate::atomic;
use crate::error::{At, StoreError};
use crate::plain;

/// Deepest folder below `memories/` that is looked into.
const MAX_DEPTH: usize = 7;
/// From how many files on a second thread is worth its start.
const PARALLEL_FROM: usize = 256;

/// The memory files of a store, and what stands among them that is none.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) files: Vec<(Slug, PathBuf)>,
    pub(crate) problems: Vec<FileProblem>,
}

/// Lists the memory files below `folder`.
pub(crate) fn memories(folder: &Path) -> Result<Seen, StoreError> {
    let mut seen = Seen::default();
    if plain::is_folder(folder)? {
        descend(folder, "", 0, &mut seen)?;
    }
    Ok(seen)
}

fn descend(folder: &Path, below: &str, depth: usize, seen: &mut Seen) -> Result<(), StoreError> {
    for entry in atomic::retry(|| fs::read_dir(folder)).at("list", folder)? {
        let entry = entry.at("list", folder)?;
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            seen.skip(path, "its name is not UTF-8", "rename the file");
            continue;
        };
        let stem = name.strip_suffix(".md");
        if name.starts_with('.') || (stem.is_none() && !kind.is_dir()) {
            continue;
        }
        match stem {
            Some(stem) if kind.is_file() => match Slug::parse(&format!("{below}{stem}")) {
                Ok(slug) => seen.files.push((slug, path)),
                Err(error) => seen.skip(path, &error.to_string(), "rename the file"),
            },
            Some(_) => {
                let what = format!("it is {}, and only plain files are read", plain::kind(kind));
                seen.skip(path, &what, "put a plain file there, or move it out of `memories/`");
            }
            None if depth < MAX_DEPTH => descend(&path, &format!("{below}{name}/"), depth + 1, seen)?,
            None => seen.skip(path, "its folder is nested too deep", "move it up"),
        }
    }
    Ok(())
}

impl Seen {
    fn skip(&mut self, path: PathBuf, what: &str, remedy: &str) {
        let problem = Problem::warning(1, 1, format!("skipped: {what}"), remedy);
        self.problems.push(FileProblem { slug: None, path, problem });
    }
}

/// A memory of the same file name in one of the folders, for titles that somebody filed away.
pub(crate) fn elsewhere(folder: &Path, slug: &Slug) -> Option<Slug> {
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

/// What `validate` says of a file that could not be read.
pub(crate) fn unreadable(error: &StoreError) -> Problem {
    let cause = std::error::Error::source(error).map_or(String::new(), |cause| format!(": {cause}"));
    Problem::error(1, 1, format!("the file cannot be read{cause}"), "check its permissions and size")
}

/// Applies `read` to every file, on two or more threads where there are many.
pub(crate) fn in_parallel<I: Sync, O: Send>(items: &[I], read: impl Fn(&I) -> O + Sync) -> Vec<O> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    if items.len() < PARALLEL_FROM || threads < 2 {
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
