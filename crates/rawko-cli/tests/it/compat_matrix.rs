//! Any release reads every older store and appends to it; a newer format is refused, not guessed.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, snapshot, workspace};

fn fixtures() -> PathBuf {
    workspace().join("crates/rawko-store/tests/fixtures")
}

fn copy(from: &Path, sandbox: &Sandbox) {
    for (path, bytes) in snapshot(from).into_iter().filter(|(path, _)| path.is_file()) {
        let name = path.strip_prefix(from).expect("below").to_str().expect("text").to_owned();
        sandbox.write(&format!(".rawko/{name}"), bytes);
    }
}

#[test]
fn compat_matrix() {
    let versions = fs::read_dir(fixtures()).expect("fixtures").flatten().map(|entry| entry.path());
    for version in versions.filter(|path| path.is_dir()) {
        let sandbox = Sandbox::empty();
        copy(&version, &sandbox);
        let before = snapshot(&sandbox.project().join(".rawko/memories"));
        let listed = sandbox.run("list").succeeds();
        let expected = fs::read_to_string(version.with_extension("list.txt"));
        assert_eq!(listed.out, expected.expect("what it lists"), "{}", version.display());
        let _ = sandbox.run("validate --errors-only").succeeds();
        let json = sandbox.run("list --json").json();
        for memory in json["memories"].as_array().expect("a list") {
            let slug = memory["slug"].as_str().expect("a name");
            let said = sandbox.run_words(
                &[
                    "add",
                    "--content",
                    "# More\n\nappended",
                    "--title",
                    memory["title"].as_str().expect("a title"),
                ],
                b"",
            );
            let said = said.succeeds().says(&format!("Saved an entry of {slug}"));
            assert!(said.out.contains("in all"), "{}", said.out);
        }
        for (path, bytes) in before.iter().filter(|(path, _)| path.is_file()) {
            let now = fs::read(path).expect("it is there");
            assert!(now.starts_with(bytes) && now.len() > bytes.len(), "{}", path.display());
        }
        let _ = sandbox.run("validate --errors-only").succeeds();
    }
}

#[test]
fn every_form_of_a_field_is_read_in_the_first_format() {
    let sandbox = Sandbox::empty();
    copy(&fixtures().join("v1"), &sandbox);
    let json = sandbox.run("show all-forms --json").succeeds().json();
    assert_eq!(
        json["whenToUse"],
        serde_json::json!(["deploy|release", {"pattern": "ship it"}, {"path": "ci/*.yml"}, {"command": "git push"}, {"error": "denied"}])
    );
    assert_eq!(json["reviewedBy"]["name"], "Bo");
    assert_eq!(json["evidence"][0]["file"], "ci/deploy.yml");
    let json = sandbox.run("show thread --json --history").succeeds().json();
    assert_eq!(json["history"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["status"], "deprecated");
}

#[test]
fn a_newer_format_is_refused_by_every_command_and_left_alone() {
    let sandbox = Sandbox::empty().file(".rawko/config.toml", "# settings\nformat = 2\n");
    let before = snapshot(&sandbox.project());
    assert_snapshot!(sandbox.run("list").text(), @r"
    error: <scratch>/project/.rawko/config.toml has format 2, and this rawko reads up to 1
    hint: install a newer rawko; nothing was changed
    [exit 1]
    ");
    for words in [
        "init",
        "add --title X --content y",
        "add --personal --title X --content y",
        "show x",
        "show x --raw",
        "validate",
        "doctor",
        "doctor --repair",
        "trust",
        "trust --yes",
        "trust --revoke",
    ] {
        let _ = sandbox.run(words).fails(1).says("has format 2, and this rawko reads up to 1");
    }
    assert_eq!(snapshot(&sandbox.project()), before);
    for newer in ["format=3", "format = 99999999999999999999", "format = 1_000 # far"] {
        sandbox.write(".rawko/config.toml", newer);
        let _ = sandbox.run("list").fails(1).says("has format");
    }
    for same in ["format = 1", "[inject]\nformat = 2", "# format = 2"] {
        sandbox.write(".rawko/config.toml", same);
        let _ = sandbox.run("list").succeeds();
    }
}
