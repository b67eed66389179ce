//! What one session of a host has heard already: a small file in the cache.
//!
//! A hook is a new process each time, so what it said must be written down
//! somewhere. The file is a help and no more: without it something is said
//! twice. Who spoke in a session is kept in the same form, but in the log. Lines are only ever appended, one write each. A line `reset` says that
//! the host's model forgot what came before.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::atomic;
use crate::error::{At, StoreError};
use crate::layout::Layout;
use crate::plain;

/// A session's file past this size starts anew.
const MOST_BYTES: u64 = 1024 * 1024;
/// Files that nobody touched for so long are removed.
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);
/// Of the others, the newest are kept, as many and as large as this.
const MOST_FILES: usize = 256;
const MOST_OF_ALL: u64 = 16 * 1024 * 1024;
/// How many files are looked at for that.
const LOOKED_AT: usize = 2048;
/// Digits of a file's name.
const DIGITS: usize = 24;
/// How long another process that reads and writes the same file is waited for.
const PATIENCE: Duration = Duration::from_millis(60);

/// How the keys of events begin that stay known though the model forgets: its turns are counted.
pub const LASTING: &str = "turn-";

/// What a session has heard.
#[derive(Debug)]
pub struct Given {
    path: PathBuf,
    file: Option<File>,
    /// What was given since the model last forgot, in order.
    given: Vec<String>,
    /// What it forgot then, and was not given since.
    lost: Vec<String>,
    /// Events that were dealt with since then, and those that [last](LASTING).
    events: HashSet<String>,
    /// The last of them.
    last: Option<String>,
}

impl Given {
    /// Opens a session's file; where that is not possible, nothing is known and nothing is kept.
    pub fn open(layout: &Layout, session: &str) -> Self {
        Self::in_folder(layout, &heard(layout), session)
    }

    /// Opens what is kept of who spoke in a session: no cache, for it decides whose words are believed.
    pub fn marks(layout: &Layout, session: &str) -> Self {
        Self::in_folder(layout, &marks(layout), session)
    }

    /// The same where anything is kept: most sessions hear nobody else, and asking leaves nothing behind.
    pub fn known_marks(layout: &Layout, session: &str) -> Option<Self> {
        path_in(&marks(layout), session).is_file().then(|| Self::marks(layout, session))
    }

    fn in_folder(layout: &Layout, folder: &Path, session: &str) -> Self {
        let path = path_in(folder, session);
        let mut all = Self {
            path,
            file: None,
            given: Vec::new(),
            lost: Vec::new(),
            events: HashSet::new(),
            last: None,
        };
        let _ = all.read(layout, folder);
        all
    }

    fn read(&mut self, layout: &Layout, folder: &Path) -> Result<(), StoreError> {
        atomic::make_folder(layout.root(), folder)?;
        let mut options = OpenOptions::new();
        let mut file = plain::open(&self.path, options.read(true).append(true).create(true))?;
        wait_for(&file);
        // What is asked for is in use, though nothing be added to it.
        let _ = file.set_modified(SystemTime::now());
        let mut text = String::new();
        if file.metadata().at("look at", &self.path)?.len() > MOST_BYTES {
            file.set_len(0).at("empty", &self.path)?;
        }
        // A line cut by a crash names nothing, and is no loss.
        let _ = (&mut file).take(MOST_BYTES).read_to_string(&mut text);
        text.lines().for_each(|line| self.take(line));
        self.file = Some(file);
        Ok(())
    }

    fn take(&mut self, line: &str) {
        match line.split_once(' ') {
            None if line == "reset" => {
                if !self.given.is_empty() {
                    self.lost = std::mem::take(&mut self.given);
                }
                self.events.retain(|key| key.starts_with(LASTING));
            }
            None if line == "clear" => {
                self.take("reset");
                self.lost.clear();
            }
            Some(("event", key)) => {
                self.events.insert(key.to_owned());
                self.last = Some(key.to_owned());
            }
            Some(("given", name)) => {
                self.lost.retain(|lost| lost != name);
                self.given.push(name.to_owned());
            }
            _ => {}
        }
    }

    /// Notes an event; `false` if it was dealt with before.
    pub fn is_first(&mut self, key: &str) -> bool {
        let is_first = self.events.insert(key.to_owned());
        if is_first {
            self.write(&format!("event {key}\n"));
            self.last = Some(key.to_owned());
        }
        is_first
    }

    /// The last event that was dealt with.
    pub fn last_event(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// The events that were dealt with.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(String::as_str)
    }

    /// Whether the model has heard this.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|given| given == name)
    }

    /// What the model has heard, in order.
    pub fn given(&self) -> &[String] {
        &self.given
    }

    /// What it had heard and has forgotten.
    pub fn lost(&self) -> &[String] {
        &self.lost
    }

    /// Notes what the model hears now.
    pub fn give(&mut self, names: impl IntoIterator<Item = String>) {
        let names: Vec<String> = names.into_iter().filter(|name| !name.contains('\n')).collect();
        if !names.is_empty() {
            self.write(&names.iter().map(|name| format!("given {name}\n")).collect::<String>());
        }
        names.iter().for_each(|name| self.take(&format!("given {name}")));
    }

    /// Notes that the model forgets all.
    ///
    /// What happens then happens anew, though it be told in the same words.
    pub fn forget(&mut self) {
        if !self.given.is_empty() || !self.events.is_empty() {
            self.write("reset\n");
            self.take("reset");
        }
    }

    /// Notes that the model starts anew, and is to be reminded of nothing.
    pub fn clear(&mut self) {
        self.write("clear\n");
        self.take("clear");
    }

    fn write(&mut self, lines: &str) {
        if let Some(file) = &mut self.file {
            let _ = file.write_all(lines.as_bytes());
        }
    }

    /// Removes the files of sessions that ended long ago, and of the oldest where there are too many.
    pub fn sweep(layout: &Layout) {
        Self::sweep_to(layout, &heard(layout), MOST_FILES, MOST_OF_ALL);
        // By their age alone: a session must not outlive its marks because it has many sub-agents.
        Self::sweep_to(layout, &marks(layout), usize::MAX, u64::MAX);
    }

    fn sweep_to(layout: &Layout, folder: &Path, most: usize, bytes: u64) {
        if !plain::is_folder_of(layout.root(), folder).unwrap_or(false) {
            return;
        }
        let now = SystemTime::now();
        let files = fs::read_dir(folder).into_iter().flatten().flatten().take(LOOKED_AT);
        let is_ours = |entry: &fs::DirEntry| plain::is_hash_name(&entry.file_name(), DIGITS);
        let known = |entry: fs::DirEntry| {
            let meta = entry.metadata().ok()?;
            Some((meta.modified().ok()?, meta.len(), entry.path()))
        };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = files.filter(is_ours).filter_map(known).collect();
        files.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
        let mut sum = 0;
        for (n, (at, length, path)) in files.into_iter().enumerate() {
            sum += length;
            let is_old = now.duration_since(at).is_ok_and(|age| age > KEPT);
            if is_old || n >= most || sum > bytes {
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn path_in(folder: &Path, session: &str) -> PathBuf {
    folder.join(&blake3::hash(session.as_bytes()).to_hex().as_str()[..DIGITS])
}

/// What sessions have heard.
fn heard(layout: &Layout) -> PathBuf {
    layout.cache().join("hooks")
}

/// Who spoke in them.
fn marks(layout: &Layout) -> PathBuf {
    layout.log().join("strangers")
}

/// Waits a moment for whoever has the file; it is better to say something twice than to wait long.
fn wait_for(file: &File) {
    let start = Instant::now();
    while file.try_lock().is_err() && start.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Layout) {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join(".rawko"));
        layout.create().expect("a store");
        (folder, layout)
    }

    #[test]
    fn what_was_given_is_known_to_the_next_process_until_the_model_forgets() {
        let (_folder, layout) = store();
        let mut given = Given::open(&layout, "s1");
        given.give(["a".to_owned(), "b".to_owned()]);
        assert!(given.is_first("e1"));
        drop(given);
        let mut given = Given::open(&layout, "s1");
        assert!(given.has("a") && given.has("b") && !given.has("c"));
        assert!(!given.is_first("e1"));
        given.forget();
        given.give(["b".to_owned()]);
        drop(given);
        let given = Given::open(&layout, "s1");
        assert_eq!((given.given(), given.lost()), (&["b".to_owned()][..], &["a".to_owned()][..]));
        assert!(!Given::open(&layout, "s2").has("b"));
    }

    #[test]
    fn of_many_sessions_the_newest_are_kept() {
        let (_folder, layout) = store();
        let write = |n: u64| {
            let mut given = Given::open(&layout, &format!("s{n}"));
            given.give(["a memory of forty letters, more or less!".to_owned()]);
            let age = Duration::from_secs(1_000 - n);
            given.file.expect("a file").set_modified(SystemTime::now() - age).expect("a time");
        };
        let is_known = |n: u64| !Given::open(&layout, &format!("s{n}")).given().is_empty();
        (0..40).for_each(write);
        Given::sweep_to(&layout, &heard(&layout), 10, u64::MAX);
        assert!((30..40).all(is_known) && !(0..30).any(is_known));
        // By size: the newest ten have said it twice now, so there is room for five of them.
        (0..40).for_each(write);
        Given::sweep_to(&layout, &heard(&layout), usize::MAX, 5 * 2 * 47);
        assert!((35..40).all(is_known) && !(0..35).any(is_known));
    }

    #[test]
    fn who_spoke_in_a_session_is_known_as_long_as_it_goes_on() {
        let (_folder, layout) = store();
        let age = |given: Given, age: Duration| {
            given.file.expect("a file").set_modified(SystemTime::now() - age).expect("a time");
        };
        let is_known = || Given::marks(&layout, "s1").events().any(|key| key == "strangers");
        let mut marks = Given::marks(&layout, "s1");
        assert!(marks.is_first("strangers"));
        age(marks, Duration::from_secs(3600));
        // Every sub-agent has a file of its own.
        (0..=MOST_FILES).for_each(|n| drop(Given::open(&layout, &format!("agent {n}"))));
        Given::sweep(&layout);
        fs::remove_dir_all(layout.cache()).expect("the cache may go at any time");
        assert!(is_known());
        age(Given::marks(&layout, "s1"), KEPT / 2);
        assert!(is_known());
        let file = Given::marks(&layout, "s1").file.expect("a file");
        let since = SystemTime::now()
            .duration_since(file.metadata().and_then(|meta| meta.modified()).expect("a time"));
        assert!(since.is_ok_and(|since| since < KEPT / 2), "it was asked for just now");
        age(Given::marks(&layout, "s1"), 2 * KEPT);
        Given::sweep(&layout);
        assert!(!is_known());
    }

    #[test]
    fn a_cache_that_is_a_link_is_not_written_to() {
        let (folder, layout) = store();
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).expect("a folder");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&elsewhere, layout.cache()).expect("a link");
        let mut given = Given::open(&layout, "s1");
        given.give(["a".to_owned()]);
        assert_eq!(fs::read_dir(&elsewhere).expect("a folder").count(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_swept_behind_a_link_and_nothing_that_is_not_ours() {
        let (folder, layout) = store();
        let old = |path: PathBuf| {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            let file = File::create(&path).expect("a file");
            file.set_modified(SystemTime::now() - 2 * KEPT).expect("a time");
            path
        };
        let ours = format!("{:024x}", 7);
        let outside = ["pre-commit", &ours].map(|name| old(folder.path().join(".git/hooks").join(name)));
        std::os::unix::fs::symlink("../.git", layout.cache()).expect("a link");
        Given::sweep(&layout);
        let mut given = Given::open(&layout, "s1");
        given.give(["a".to_owned()]);
        assert!(outside.iter().all(|path| path.exists()));
        assert_eq!(fs::read_dir(folder.path().join(".git/hooks")).expect("a folder").count(), 2);
        fs::remove_file(layout.cache()).expect("the link");
        let [other, ours] = ["pre-commit", &ours].map(|name| old(layout.cache().join("hooks").join(name)));
        Given::sweep(&layout);
        assert!(other.exists() && !ours.exists());
    }
}
