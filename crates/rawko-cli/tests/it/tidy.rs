//! What no compiler checks: documents name files that exist, tests are not forgotten, layers stay apart.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::workspace;

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let (mut all, mut folders) = (Vec::new(), vec![workspace().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The code of a source file, without its unit tests and comments.
fn code(path: &Path) -> String {
    if path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs") {
        return String::new();
    }
    without_tests(&text(path))
}

/// A source text without what is only for tests, and without comments. Its form is rustfmt's.
fn without_tests(text: &str) -> String {
    let mut code = Vec::new();
    let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code.push(line);
            continue;
        }
        // The item below: one line, or all lines up to the brace that stands as far in as its attribute.
        let end = line.replace("#[cfg(test)]", "}");
        let mut item = lines.by_ref().skip_while(|line| line.trim_start().starts_with("#["));
        if item.next().is_some_and(|first| !first.ends_with([';', '}'])) {
            let _ = item.find(|line| *line == end);
        }
    }
    code.join("\n")
}

/// Whether code names this item, spelled out or between the braces of a `use`.
fn uses(code: &str, path: &str) -> bool {
    let names = |list: &str, name: &str| {
        list.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    code.contains(path)
        || path.split_once("::").is_some_and(|(crate_name, name)| {
            let opening = format!("{crate_name}::{{");
            let lists = code.split(&opening).skip(1);
            lists.filter_map(|rest| rest.split(';').next()).any(|list| names(list, name))
        })
}

#[test]
fn tidiness_sees_all_code_and_no_tests() {
    let text = "#[cfg(test)]\nmod tests;\nuse std::{\n    collections::HashMap,\n    fs,\n};\n\nfn a() {}\n\n\
                #[cfg(test)]\n#[allow(dead_code)]\nmod more {\n    fn b() {\n    }\n}\n\nfn c() {} // std::env\n";
    let code = without_tests(text);
    assert!(code.contains("fn a()") && code.contains("fn c()"), "{code}");
    assert!(!code.contains("mod tests") && !code.contains("fn b()") && !code.contains("env"), "{code}");
    assert!(uses(&code, "std::fs") && !uses(&code, "std::env"));
    assert!(uses("std::env::var(x)", "std::env") && !uses("use std::{fmt, hash};\nfs;", "std::fs"));
}

#[test]
fn documents_name_files_that_exist() {
    const TOP: [&str; 9] =
        ["crates/", "docs/", "evals/", "fuzz/", "src/", "test", ".ci/", "model/", "integrations/"];
    let mut documents: Vec<PathBuf> =
        ["docs", "model", "integrations", "fuzz"].iter().flat_map(|folder| files(folder, "md")).collect();
    documents.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| workspace().join(name)));
    let mut gone = Vec::new();
    for document in documents.iter().filter(|path| path.is_file()) {
        let text = text(document);
        for name in text.split('`').skip(1).step_by(2).filter(|name| !name.contains(char::is_whitespace)) {
            let is_beside = name.ends_with(".py") && document.starts_with(workspace().join("model"));
            let is_path = is_beside
                || TOP.iter().any(|top| name.starts_with(top) && (top.ends_with('/') || name == *top));
            let is_pattern = name.contains(['*', '<', '{', '…', '$']);
            let beside = document.parent().expect("a folder").join(name);
            if is_path
                && !is_pattern
                && !name.starts_with("src/")
                && !workspace().join(name).exists()
                && !beside.exists()
            {
                gone.push(format!("{}: {name}", document.display()));
            }
        }
    }
    assert!(gone.is_empty(), "documents name what is gone:\n{}", gone.join("\n"));
}

#[test]
fn the_code_map_names_every_source_file() {
    let map = text(&workspace().join("ARCHITECTURE.md"));
    let mut missing = Vec::new();
    for crate_name in ["rawko-core", "rawko-store", "rawko", "rawko-cli"] {
        let source = format!("crates/{crate_name}/src");
        let part = map.split(&format!("**`crates/{crate_name}`**")).nth(1).expect("a part of the map");
        let part = part.split("\n**`").next().unwrap_or_default();
        let words: Vec<&str> = part.split('`').skip(1).step_by(2).collect();
        let is_named = |name: &Path| {
            let module = name.with_extension("").display().to_string();
            ["", "/", ".rs"].iter().any(|ending| {
                let name = format!("{module}{ending}");
                words
                    .iter()
                    .any(|word| *word == name || word.strip_prefix(&format!("{source}/")) == Some(&name))
            })
        };
        for path in files(&source, "rs") {
            // A module's folder is named by its module, and whatever is in a folder by the folder.
            let below = path.strip_prefix(workspace().join(&source)).expect("it is below");
            if !below.ancestors().filter(|name| !name.as_os_str().is_empty()).any(is_named) {
                missing.push(format!("{source}/{}", below.display()));
            }
        }
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md does not name:\n{}", missing.join("\n"));
}

#[test]
fn no_test_file_is_forgotten() {
    for main in files("crates", "rs").iter().filter(|path| path.ends_with("tests/it/main.rs")) {
        let mods = text(main);
        for file in fs::read_dir(main.parent().expect("a folder")).expect("tests").flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let Some(stem) = name.strip_suffix(".rs").filter(|stem| *stem != "main") else { continue };
            assert!(
                mods.lines().any(|line| line.trim() == format!("mod {stem};")),
                "{name} is no `mod` in {}",
                main.display()
            );
        }
    }
}

#[test]
fn the_core_is_pure() {
    let banned = [
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        "SystemTime",
        "Instant::now",
        "Timestamp::now",
    ];
    for path in files("crates/rawko-core/src", "rs") {
        let code = code(&path);
        let found: Vec<_> = banned.iter().filter(|word| uses(&code, word)).collect();
        assert!(found.is_empty(), "{} uses {found:?}", path.display());
    }
}

/// A fuzz target takes this file by itself, and no other step of the tests builds it.
#[test]
fn the_settings_need_nothing_else_of_their_crate() {
    assert!(!code(&workspace().join("crates/rawko/src/config.rs")).contains("crate::"));
}

#[test]
fn libraries_do_not_print() {
    for folder in ["crates/rawko/src", "crates/rawko-store/src", "crates/rawko-core/src"] {
        for path in files(folder, "rs") {
            let code = code(&path);
            assert!(!code.contains("println!(") && !code.contains("eprint!("), "{} prints", path.display());
        }
    }
}

#[test]
fn libraries_are_handed_what_stands_in_the_environment() {
    for path in files("crates/rawko/src", "rs").iter().chain(&files("crates/rawko-store/src", "rs")) {
        assert!(!uses(&code(path), "std::env"), "{} looks at the environment", path.display());
    }
}

#[test]
fn no_machine_is_named() {
    // Put together here, so that this file does not find itself.
    let needles = [["/wo", "rk/"].concat(), ["/ro", "ot/"].concat()];
    let Ok(listed) = Command::new("git").args(["ls-files", "-z"]).current_dir(workspace()).output() else {
        return eprintln!("skipped: there is no git on this machine");
    };
    for name in String::from_utf8_lossy(&listed.stdout).split('\0').filter(|name| !name.is_empty()) {
        let bytes = fs::read(workspace().join(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        // `src/work/` is a folder of some project, not this machine's.
        let alone = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
        let found = needles.iter().find(|n| text.match_indices(n.as_str()).any(|(at, _)| alone(at)));
        assert!(found.is_none(), "{name} names {found:?}");
    }
}
