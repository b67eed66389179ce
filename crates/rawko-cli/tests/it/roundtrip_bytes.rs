//! An untouched file is byte-identical after any command, with its BOM and line ends.

use std::fs;

use crate::sandbox::{Sandbox, memory, snapshot};

#[test]
fn roundtrip_bytes() {
    let crlf = memory("Windows", "one\ntwo").replace('\n', "\r\n");
    let sandbox = Sandbox::new()
        .memory("windows", format!("\u{feff}{crlf}"))
        .memory("no-end", memory("No end", "x").trim_end())
        .memory("folder/quoted", memory("'Quoted' # kept", "---\n\nrule\n\n\n\n"))
        .memory("bad", "---\ntitle: [\n---\n")
        .file(".rawko/config.toml", "# mine\r\n[inject]\nmax = 3")
        .file(".rawko/agents/reviewer.md", "anything");
    sandbox.by_table(true);
    let memories = sandbox.project().join(".rawko");
    let before = snapshot(&memories);
    for words in [
        "list",
        "list --json",
        "show windows",
        "show --history no-end",
        "validate",
        "trust --list",
        "trust --yes",
        "init",
        "schema",
        "doctor",
        "trust --revoke",
    ] {
        let _ = sandbox.run(words);
        let after: Vec<_> =
            snapshot(&memories).into_iter().filter(|(path, _)| !path.ends_with("spool/lock")).collect();
        assert_eq!(after, before, "after `rawko {words}`");
    }
    for title in ["Windows", "No end"] {
        let _ = sandbox
            .run(&format!("add --title '{title}' --content 'And more.'"))
            .succeeds()
            .says("now 2 in all");
    }
    for (path, bytes) in before.iter().filter(|(path, _)| path.is_file()) {
        assert!(fs::read(path).expect("it is still there").starts_with(bytes), "{}", path.display());
    }
}
