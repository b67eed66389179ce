//! A real repository, made by git where git is at hand, read without it.

use std::process::Command;

use rawko_core::{Evidence, Judge, Verdict};

use super::*;

struct Repo {
    folder: tempfile::TempDir,
}

impl Repo {
    /// A git repository, or `None` (said aloud) where there is no git to make one.
    fn new() -> Option<Self> {
        Self::named_by("sha1")
    }

    /// One with this object format; `None` also where this git does not know it.
    fn named_by(format: &str) -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            eprintln!("skipped: there is no git to make a repository with");
            return None;
        }
        let repo = Self::plain();
        repo.git(&["init", "-q", &format!("--object-format={format}"), "."]);
        Some(repo)
    }

    fn plain() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"])
            .args(arguments)
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn commit(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "step"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn tree(&self) -> WorkTree {
        WorkTree::open(self.folder.path()).unwrap()
    }
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn then(tree: &WorkTree, commit: &str, file: &str) -> Option<Content> {
    tree.held_then(When { commit: Some(commit), seconds: None }, &path(file))
}

/// Many versions of a long file, so that packing makes deltas.
fn versions(repo: &Repo, count: usize) -> Vec<(String, String)> {
    let body: String = (0..400).map(|n| format!("line {n} of the file, {}\n", n * 7919 % 1000)).collect();
    let one = |n: usize| {
        let text = format!("version {n}\n{body}end {n}\n");
        repo.write("src/long.txt", &text);
        (repo.commit(), text)
    };
    (0..count).map(one).collect()
}

#[test]
fn the_commit_and_the_files_are_read_without_git() {
    let Some(repo) = Repo::new() else { return };
    repo.write("src/a.ts", "const A = 1;\n");
    let first = repo.commit();
    repo.write("src/a.ts", "const A = 2;\n");
    let second = repo.commit();
    let tree = repo.tree();
    assert_eq!(tree.commit(), Some(second));
    assert_eq!(tree.blob_id(&path("src/a.ts")), Some(repo.git(&["hash-object", "src/a.ts"])));
    assert_eq!(then(&tree, &first, "src/a.ts"), Some(Content::Text("const A = 1;\n".into())));
    assert_eq!(then(&tree, &first, "src/b.ts"), Some(Content::Missing));
    assert_eq!(then(&tree, &first, "src"), Some(Content::Missing));
    assert_eq!(then(&tree, &"0".repeat(40), "src/a.ts"), None);
    let id = repo.git(&["rev-parse", &format!("{first}:src/a.ts")]);
    assert_eq!(tree.blob_text(&id).as_deref(), Some("const A = 1;\n"));
}

#[test]
fn packed_objects_and_refs_are_read() {
    let Some(repo) = Repo::new() else { return };
    let versions = versions(&repo, 12);
    repo.git(&["-c", "pack.depth=50", "gc", "-q", "--aggressive", "--prune=now"]);
    assert!(repo.git(&["count-objects", "-v"]).contains("count: 0\n"), "everything is packed");
    let tree = repo.tree();
    assert_eq!(tree.commit().as_ref(), versions.last().map(|(id, _)| id));
    for (commit, text) in &versions {
        assert_eq!(then(&tree, commit, "src/long.txt"), Some(Content::Text(text.clone())));
    }
}

#[test]
fn a_repository_with_long_names_is_read_too() {
    let Some(repo) = Repo::named_by("sha256") else { return };
    let versions = versions(&repo, 6);
    let check = |tree: &WorkTree| {
        assert_eq!(tree.commit().as_ref(), versions.last().map(|(id, _)| id));
        for (commit, text) in &versions {
            assert_eq!(then(tree, commit, "src/long.txt"), Some(Content::Text(text.clone())));
        }
        let id = repo.git(&["hash-object", "src/long.txt"]);
        assert_eq!((id.len(), tree.blob_id(&path("src/long.txt"))), (64, Some(id.clone())));
        assert!(tree.is_blob(&path("src/long.txt"), &id) && tree.blob_text(&id).is_some());
        assert_eq!(tree.knows(&id[..9]), Some(true));
    };
    check(&repo.tree());
    repo.git(&["-c", "pack.depth=50", "gc", "-q", "--aggressive", "--prune=now"]);
    check(&repo.tree());
    for version in ["2", "4"] {
        repo.git(&["update-index", "--index-version", version]);
        let bytes = fs::read(repo.root().join(".git/index")).unwrap();
        assert_eq!(index::paths(&bytes, Format::Sha256), ["src/long.txt"], "version {version}");
    }
}

#[test]
fn a_project_may_be_a_folder_of_a_repository() {
    let Some(repo) = Repo::new() else { return };
    repo.write("services/api/a.ts", "export const A = 1;\n");
    repo.write("libs/b.ts", "export const B = 1;\n");
    let commit = repo.commit();
    let tree = || WorkTree::open(&repo.root().join("services/api")).unwrap();
    assert_eq!(tree().commit(), Some(commit.clone()));
    assert_eq!(then(&tree(), &commit, "a.ts"), Some(Content::Text("export const A = 1;\n".into())));
    assert_eq!(
        tree().read(&path("services/api/a.ts")),
        tree().read(&path("a.ts")),
        "as the repository has it"
    );
    let verdict = || Judge::new(&tree()).memory(&serde_evidence(&commit), None).verdict();
    assert_eq!(verdict(), Verdict::Fresh);
    fs::rename(repo.root().join("services/api/a.ts"), repo.root().join("services/api/z.ts")).unwrap();
    assert_eq!(verdict(), Verdict::Moved { to: path("z.ts") });
    repo.git(&["add", "-A"]);
    repo.git(&["mv", "services/api/z.ts", "libs/z.ts"]);
    assert_eq!(verdict(), Verdict::Moved { to: path("libs/z.ts") });
    let untracked = repo.root().join("elsewhere");
    fs::create_dir(&untracked).unwrap();
    assert_eq!(
        WorkTree::open(&untracked).unwrap().commit(),
        None,
        "a folder that the repository does not track"
    );
}

#[test]
fn a_damaged_pack_gives_nothing_and_no_panic() {
    let Some(repo) = Repo::new() else { return };
    let versions = versions(&repo, 4);
    repo.git(&["gc", "-q", "--aggressive", "--prune=now"]);
    let packs = repo.root().join(".git/objects/pack");
    let names = || fs::read_dir(&packs).unwrap().flatten().map(|entry| entry.path());
    for file in names().filter(|path| path.extension().is_some_and(|e| e == "pack" || e == "idx")) {
        let sound = fs::read(&file).unwrap();
        let writable = |bytes: &[u8]| {
            fs::remove_file(&file).unwrap();
            fs::write(&file, bytes).unwrap();
        };
        for at in (0..sound.len()).step_by(sound.len() / 60 + 1) {
            let mut bytes = sound.clone();
            bytes[at] ^= 0xff;
            writable(&bytes);
            let tree = repo.tree();
            versions.iter().for_each(|(commit, _)| drop(then(&tree, commit, "src/long.txt")));
            writable(&sound[..at]);
            versions.iter().for_each(|(commit, _)| drop(then(&repo.tree(), commit, "src/long.txt")));
        }
        writable(&sound);
    }
    assert!(then(&repo.tree(), &versions[0].0, "src/long.txt").is_some());
}

#[test]
fn every_version_of_the_index_lists_the_same() {
    let Some(repo) = Repo::new() else { return };
    for name in ["a", "src/deep/one.rs", "src/deep/two.rs", "src/three.rs", "build/kept.rs"] {
        repo.write(name, "x\n");
    }
    repo.git(&["add", "-A", "-f"]);
    for version in ["2", "3", "4"] {
        repo.git(&["update-index", "--index-version", version]);
        if version == "3" {
            repo.write("later", "x\n");
            repo.git(&["add", "-N", "later"]);
        }
        let bytes = fs::read(repo.root().join(".git/index")).unwrap();
        let listed = repo.git(&["ls-files"]);
        assert_eq!(
            index::paths(&bytes, Format::Sha1),
            listed.lines().collect::<Vec<_>>(),
            "version {version}"
        );
        (0..bytes.len()).for_each(|end| drop(index::paths(&bytes[..end], Format::Sha1)));
    }
    assert!(repo.tree().files().contains(&path("build/kept.rs")), "tracked though it looks made");
}

#[test]
fn a_worktree_is_a_repository() {
    let Some(repo) = Repo::new() else { return };
    repo.write("a.txt", "one\n");
    let first = repo.commit();
    let beside = tempfile::tempdir().unwrap();
    let place = beside.path().join("wt");
    repo.git(&["worktree", "add", "-q", "--detach", place.to_str().unwrap()]);
    let tree = WorkTree::open(&place).unwrap();
    assert_eq!(tree.commit(), Some(first.clone()));
    assert_eq!(then(&tree, &first, "a.txt"), Some(Content::Text("one\n".into())));
    assert_eq!(tree.files(), [path("a.txt")]);
    let stranger = beside.path().join("stranger");
    fs::create_dir(&stranger).unwrap();
    fs::write(stranger.join(".git"), format!("gitdir: {}\n", repo.root().join(".git").display())).unwrap();
    assert_eq!(WorkTree::open(&stranger).unwrap().commit(), None, "a folder that git does not know of");
}

#[test]
fn files_that_are_not_tracked_yet_count_and_ignored_ones_do_not() {
    let Some(repo) = Repo::new() else { return };
    repo.write(".gitignore", "*.gen.ts\n/made/\n");
    repo.write("a.ts", "export const A = 1;\n");
    let commit = repo.commit();
    let evidence = serde_evidence(&commit);
    fs::remove_file(repo.root().join("a.ts")).unwrap();
    for name in ["b.gen.ts", "made/c.ts", "node_modules/d/e.ts"] {
        repo.write(name, "export const A = 1;\n");
    }
    let verdict = |repo: &Repo| Judge::new(&repo.tree()).memory(&evidence, None).verdict();
    assert_eq!(verdict(&repo), Verdict::Gone);
    repo.write("lib/f.ts", "export const A = 1;\n");
    assert_eq!(verdict(&repo), Verdict::Moved { to: path("lib/f.ts") });
    repo.git(&["checkout", "-q", "-f", "HEAD", "--", "a.ts"]);
    assert_eq!(verdict(&repo), Verdict::Fresh);
}

fn serde_evidence(commit: &str) -> Evidence {
    let look = rawko_core::Look::Text("export const A = 1;".into());
    let items = vec![rawko_core::Item { file: path("a.ts"), look, blob: None }];
    Evidence { items, commit: Some(commit.to_owned()), problems: Vec::new() }
}

#[test]
fn the_time_stands_in_for_the_commit() {
    let Some(repo) = Repo::new() else { return };
    repo.write("a.txt", "one\n");
    repo.commit();
    let tree = repo.tree();
    let at = |seconds| tree.held_then(When { commit: None, seconds: Some(seconds) }, &path("a.txt"));
    assert_eq!(at(1_800_000_000), Some(Content::Text("one\n".into())));
    assert_eq!(at(1_000_000_000), None, "before the first commit nothing is known");
}

#[test]
fn line_ends_do_not_make_another_blob() {
    let repo = Repo::plain();
    repo.write("a.txt", "one\r\ntwo\r\n");
    assert!(repo.tree().is_blob(&path("a.txt"), "814f4a422927b82f5f8a43f8fab6d3839e3983f2"));
    assert!(!repo.tree().is_blob(&path("a.txt"), &"0".repeat(40)));
}

#[test]
fn large_and_binary_files_are_not_judged() {
    let repo = Repo::plain();
    repo.write("large.txt", &"x".repeat(LARGEST_FILE as usize + 1));
    repo.write("binary", "a\0b");
    fs::create_dir(repo.root().join("folder")).unwrap();
    let read = |name: &str| repo.tree().read(&path(name));
    assert_eq!(read("large.txt"), Content::Unjudged);
    assert_eq!(read("binary"), Content::Unjudged);
    assert_eq!(read("folder"), Content::Missing);
    assert_eq!(read("none/at/all"), Content::Missing);
    assert_eq!(read("large.txt/below"), Content::Missing);
}

#[test]
fn links_and_pipes_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.txt"), "secret\n").unwrap();
    let repo = Repo::plain();
    repo.write("in/a.txt", "a\n");
    symlink(outside.path(), repo.root().join("out")).unwrap();
    symlink(outside.path().join("secret.txt"), repo.root().join("link.txt")).unwrap();
    symlink(repo.root(), repo.root().join("in/circle")).unwrap();
    let made = Command::new("mkfifo").arg(repo.root().join("pipe.txt")).status();
    let tree = repo.tree();
    for name in ["out/secret.txt", "link.txt", "in/circle/in/a.txt"] {
        assert_eq!(tree.read(&path(name)), Content::Unjudged, "{name}");
        assert_eq!(tree.blob_id(&path(name)), None, "{name}");
    }
    if made.is_ok_and(|status| status.success()) {
        assert_eq!(tree.read(&path("pipe.txt")), Content::Unjudged);
    }
    assert_eq!(tree.files(), [path("in/a.txt")]);
}

#[test]
fn what_a_committed_memory_says_is_no_part_of_the_tree() {
    let Some(repo) = Repo::new() else { return };
    repo.write("a.ts", "export const A = 1;\n");
    repo.write(".rawko/memories/m.md", "Deploys go through zorp/deploy.sh.\n");
    repo.commit();
    assert_eq!(repo.tree().files(), [path("a.ts")]);
}
