//! A disk that keeps what was synced and may keep or lose the rest.
//!
//! A file's bytes last once the file is synced, a name once its folder is.
//! Everything else is pending: a crash keeps any subset of pending names and
//! any part of pending bytes, cut short or with zeros where they should be.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use crate::trace::Call;

/// A file's content, by path: what a crash left.
pub(crate) type Image = BTreeMap<String, Option<Vec<u8>>>;

type Inode = usize;

#[derive(Clone, Debug)]
enum Node {
    File { durable: Vec<u8>, written: Vec<u8> },
    Folder { durable: BTreeMap<String, Inode>, names: BTreeMap<String, Inode>, pending: Vec<Change> },
}

/// A change of a folder's names, made in one piece.
#[derive(Clone, Debug)]
struct Change {
    add: Option<(String, Inode)>,
    remove: Option<String>,
}

impl Change {
    fn apply(&self, names: &mut BTreeMap<String, Inode>) {
        if let Some(name) = &self.remove {
            names.remove(name);
        }
        if let Some((name, inode)) = &self.add {
            names.insert(name.clone(), *inode);
        }
    }
}

/// What is open in a process.
#[derive(Clone, Debug)]
struct Open {
    inode: Inode,
    offset: usize,
    append: bool,
}

/// The disk, with everything below one folder.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    root: String,
    nodes: Vec<Node>,
    open: HashMap<i64, Open>,
}

impl Disk {
    /// What is there now, all of it durable.
    pub(crate) fn of(root: &Path) -> Self {
        let mut disk =
            Self { root: root.to_string_lossy().into_owned(), nodes: Vec::new(), open: HashMap::new() };
        disk.load(root);
        disk
    }

    fn load(&mut self, path: &Path) -> Inode {
        let inode = self.nodes.len();
        if path.is_dir() {
            self.nodes.push(Node::Folder {
                durable: BTreeMap::new(),
                names: BTreeMap::new(),
                pending: Vec::new(),
            });
            for entry in fs::read_dir(path).expect("a folder is listed").flatten() {
                let child = self.load(&entry.path());
                let name = entry.file_name().to_string_lossy().into_owned();
                if let Node::Folder { durable, names, .. } = &mut self.nodes[inode] {
                    durable.insert(name.clone(), child);
                    names.insert(name, child);
                }
            }
        } else {
            let bytes = fs::read(path).expect("a file is read");
            self.nodes.push(Node::File { durable: bytes.clone(), written: bytes });
        }
        inode
    }

    fn names(&self, folder: Inode) -> &BTreeMap<String, Inode> {
        match &self.nodes[folder] {
            Node::Folder { names, .. } => names,
            Node::File { .. } => panic!("a file is no folder"),
        }
    }

    /// The folder and name of a path below the root.
    fn place(&self, path: &str) -> Option<(Inode, String)> {
        let below = path.strip_prefix(&self.root)?.trim_matches('/');
        let (folders, name) = below.rsplit_once('/').unwrap_or(("", below));
        let folder = folders
            .split('/')
            .filter(|part| !part.is_empty())
            .try_fold(0, |at, part| self.names(at).get(part).copied())?;
        Some((folder, name.to_owned()))
    }

    fn find(&self, path: &str) -> Option<Inode> {
        let (folder, name) = self.place(path)?;
        if name.is_empty() { Some(0) } else { self.names(folder).get(&name).copied() }
    }

    fn change(&mut self, folder: Inode, change: Change) {
        if let Node::Folder { names, pending, .. } = &mut self.nodes[folder] {
            change.apply(names);
            pending.push(change);
        }
    }

    /// Another process begins.
    pub(crate) fn begin_process(&mut self) {
        self.open.clear();
    }

    /// Carries a system call out; whether it changed anything.
    pub(crate) fn play(&mut self, call: &Call) -> bool {
        let Some(result) = call.result.filter(|result| *result >= 0) else { return false };
        let paths: Vec<String> =
            call.strings().iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
        let fd = call.descriptor().map(|(fd, _)| fd);
        match call.name.as_str() {
            "openat" | "open" => self.opened(&paths[0], &call.args, result),
            "close" => fd.and_then(|fd| self.open.remove(&fd)).is_some_and(|_| false),
            "write" => fd.is_some_and(|fd| self.wrote(fd, &call.strings()[0], result as usize)),
            "fsync" | "fdatasync" => fd
                .and_then(|fd| self.open.get(&fd).map(|open| open.inode))
                .is_some_and(|inode| self.synced(inode)),
            "link" | "linkat" => self.linked(&paths[0], &paths[1]),
            "rename" | "renameat" | "renameat2" => self.renamed(&paths[0], &paths[1]),
            "unlink" | "unlinkat" => self.removed(&paths[0]),
            "mkdir" | "mkdirat" => self.made_folder(&paths[0]),
            "lseek" | "pwrite64" | "ftruncate" | "truncate" | "rmdir" | "dup" | "dup2"
            | "copy_file_range" | "writev" => {
                assert!(!call.is_below(&self.root), "the model has no {}", call.name);
                false
            }
            _ => false,
        }
    }

    fn opened(&mut self, path: &str, args: &str, fd: i64) -> bool {
        let Some((folder, name)) = self.place(path) else { return false };
        if args.contains("O_TMPFILE") {
            // A file without a name: nothing of it is left by a crash until it gets one.
            self.nodes.push(Node::File { durable: Vec::new(), written: Vec::new() });
            self.open.insert(fd, Open { inode: self.nodes.len() - 1, offset: 0, append: false });
            return false;
        }
        let existing = self.find(path);
        let inode = existing.unwrap_or_else(|| {
            self.nodes.push(Node::File { durable: Vec::new(), written: Vec::new() });
            let inode = self.nodes.len() - 1;
            self.change(folder, Change { add: Some((name, inode)), remove: None });
            inode
        });
        assert!(!args.contains("O_TRUNC"), "the model has no truncation");
        self.open.insert(fd, Open { inode, offset: 0, append: args.contains("O_APPEND") });
        existing.is_none()
    }

    fn wrote(&mut self, fd: i64, bytes: &[u8], count: usize) -> bool {
        let Some(open) = self.open.get_mut(&fd) else { return false };
        let Node::File { written, .. } = &mut self.nodes[open.inode] else { return false };
        let at = if open.append { written.len() } else { open.offset };
        written.resize(written.len().max(at + count), 0);
        written[at..at + count].copy_from_slice(&bytes[..count]);
        open.offset = at + count;
        true
    }

    fn synced(&mut self, inode: Inode) -> bool {
        match &mut self.nodes[inode] {
            Node::File { durable, written } => {
                let changed = durable != written;
                durable.clone_from(written);
                changed
            }
            Node::Folder { durable, names, pending } => {
                durable.clone_from(names);
                !std::mem::take(pending).is_empty()
            }
        }
    }

    fn linked(&mut self, from: &str, to: &str) -> bool {
        let nameless = from.strip_prefix("/proc/self/fd/").and_then(|fd| fd.parse().ok());
        let source = match nameless {
            Some(fd) => self.open.get(&fd).map(|open| open.inode),
            None => self.find(from),
        };
        let (Some(inode), Some((folder, name))) = (source, self.place(to)) else { return false };
        self.change(folder, Change { add: Some((name, inode)), remove: None });
        true
    }

    fn renamed(&mut self, from: &str, to: &str) -> bool {
        let (Some(inode), Some((folder, old)), Some((new_folder, new))) =
            (self.find(from), self.place(from), self.place(to))
        else {
            return false;
        };
        assert_eq!(folder, new_folder, "the model has no rename between folders");
        self.change(folder, Change { add: Some((new, inode)), remove: Some(old) });
        true
    }

    fn removed(&mut self, path: &str) -> bool {
        let Some((folder, name)) = self.place(path) else { return false };
        self.change(folder, Change { add: None, remove: Some(name) });
        true
    }

    fn made_folder(&mut self, path: &str) -> bool {
        let Some((folder, name)) = self.place(path) else { return false };
        self.nodes.push(Node::Folder {
            durable: BTreeMap::new(),
            names: BTreeMap::new(),
            pending: Vec::new(),
        });
        let inode = self.nodes.len() - 1;
        self.change(folder, Change { add: Some((name, inode)), remove: None });
        true
    }

    /// How many pending changes of names there are.
    pub(crate) fn pending_names(&self) -> usize {
        let pending = |node: &Node| match node {
            Node::Folder { pending, .. } => pending.len(),
            Node::File { .. } => 0,
        };
        self.nodes.iter().map(pending).sum()
    }

    /// How many ways there are to keep a part of the pending bytes of all files, each cut at the same share.
    pub(crate) fn pending_bytes(&self) -> usize {
        let pending = |node: &Node| match node {
            Node::File { durable, written } => written.len() - durable.len(),
            Node::Folder { .. } => 0,
        };
        self.nodes.iter().map(pending).max().unwrap_or(0)
    }

    /// What a crash leaves that keeps the pending names in `kept` (a bit each) and `bytes` pending bytes
    /// of every file, with zeros for the rest where `zeros` is set.
    pub(crate) fn crashed(&self, kept: u64, bytes: usize, zeros: bool) -> Image {
        let mut image = Image::new();
        let mut bit = 0;
        let names: Vec<BTreeMap<String, Inode>> = self
            .nodes
            .iter()
            .map(|node| match node {
                Node::File { .. } => BTreeMap::new(),
                Node::Folder { durable, pending, .. } => {
                    let mut names = durable.clone();
                    for change in pending {
                        if kept >> (bit % 64) & 1 == 1 {
                            change.apply(&mut names);
                        }
                        bit += 1;
                    }
                    names
                }
            })
            .collect();
        let mut queue = vec![(String::new(), 0)];
        while let Some((path, inode)) = queue.pop() {
            match &self.nodes[inode] {
                Node::Folder { .. } => {
                    image.insert(path.clone(), None);
                    queue.extend(names[inode].iter().map(|(name, child)| (format!("{path}/{name}"), *child)));
                }
                Node::File { durable, written } => {
                    let keep = (durable.len() + bytes).min(written.len());
                    let mut content = written[..keep].to_vec();
                    if zeros {
                        content.resize(written.len(), 0);
                    }
                    image.insert(path, Some(content));
                }
            }
        }
        image
    }
}

/// Puts what a crash left into an empty folder.
pub(crate) fn restore(image: &Image, into: &Path) {
    for (path, content) in image {
        let target = into.join(path.trim_start_matches('/'));
        match content {
            None => fs::create_dir_all(target).expect("a folder is made"),
            Some(bytes) => fs::write(target, bytes).expect("a file is written"),
        }
    }
}
