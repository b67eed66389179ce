//! System calls as strace tells them.

use std::process::{Command, Stdio};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_rawko");

/// One system call of a traced program.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// The how manieth call of this name, from 1: strace's `when`.
    pub(crate) nth: usize,
    /// The arguments as strace prints them.
    pub(crate) args: String,
    /// What it returned; `None` if it never did.
    pub(crate) result: Option<i64>,
}

impl Call {
    /// The quoted arguments.
    pub(crate) fn strings(&self) -> Vec<Vec<u8>> {
        self.args.split('"').skip(1).step_by(2).map(unescape).collect()
    }

    /// The file descriptor that is its first argument, and the path that strace knows of it.
    pub(crate) fn descriptor(&self) -> Option<(i64, String)> {
        let (number, rest) = self.args.split_once('<')?;
        let path = unescape(rest.split_once('>')?.0);
        Some((number.parse().ok()?, String::from_utf8_lossy(&path).into_owned()))
    }

    /// Every path that it names.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = match self.name.as_str() {
            "write" | "pwrite64" | "read" | "pread64" => Vec::new(),
            _ => self.strings().iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect(),
        };
        paths.extend(self.descriptor().map(|(_, path)| path));
        paths
    }

    pub(crate) fn is_below(&self, folder: &str) -> bool {
        self.paths().iter().any(|path| path.contains(folder))
    }

    /// Whether it may change what is on disk, or says something to the person.
    pub(crate) fn changes(&self) -> bool {
        match self.name.as_str() {
            "open" | "openat" => {
                ["O_CREAT", "O_TRUNC", "O_TMPFILE"].iter().any(|flag| self.args.contains(flag))
            }
            name => {
                ["write", "pwrite64", "fsync", "fdatasync", "ftruncate", "flock"].contains(&name)
                    || ["rename", "link", "unlink", "mkdir", "rmdir"]
                        .iter()
                        .any(|start| name.starts_with(start))
            }
        }
    }
}

/// Reads what `strace -f -y -xx -o` wrote.
pub(crate) fn parse(log: &[u8]) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for line in String::from_utf8_lossy(log).lines() {
        let Some((_, line)) = line.split_once(' ') else { continue };
        let Some((name, rest)) = line.trim_start().split_once('(') else { continue };
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        let (args, result) = rest.rsplit_once(" = ").unwrap_or((rest, "?"));
        let result = result.split([' ', '<']).next().and_then(|number| number.parse().ok());
        let nth = calls.iter().filter(|call| call.name == name).count() + 1;
        calls.push(Call { name: name.to_owned(), nth, args: args.to_owned(), result });
    }
    calls
}

/// The calls from the first one on that names a store.
pub(crate) fn from_first_access(calls: &[Call]) -> &[Call] {
    let first = calls.iter().position(|call| call.name != "execve" && call.is_below("/.rawko"));
    &calls[first.unwrap_or(calls.len())..]
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    while let Some(start) = rest.find("\\x") {
        bytes.extend(&rest.as_bytes()[..start]);
        bytes.extend(rest.get(start + 2..start + 4).and_then(|hex| u8::from_str_radix(hex, 16).ok()));
        rest = rest.get(start + 4..).unwrap_or("");
    }
    bytes.extend(rest.as_bytes());
    bytes
}

/// Whether strace works here. In `./test` and CI it must; elsewhere its tests are skipped loudly.
pub(crate) fn is_possible() -> bool {
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    let works = tried.is_ok_and(|status| status.success());
    let must = ["CI", "RAWKO_MUST_TRACE"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(works || !must, "strace must work here: install it, and permit ptrace");
    if !works {
        eprintln!("SKIPPED: strace does not work here, so nothing was proved");
    }
    works
}
