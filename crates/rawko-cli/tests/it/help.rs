//! What holds for every command: help, exit codes, pipes, colour, `-C`, schemas and completions.

use std::process::Stdio;

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, memory};

const COMMANDS: &[&str] = &[
    "init",
    "add",
    "list",
    "show",
    "search",
    "index",
    "inject",
    "extract",
    "feedback",
    "why",
    "why-not",
    "validate",
    "doctor",
    "session",
    "memory",
    "stats",
    "trust",
    "review",
    "undo",
    "audit",
    "replay",
    "run",
    "exec",
    "agents",
    "import",
    "export",
    "setup",
    "hook",
    "mcp",
    "memory-tool",
    "ledger",
    "demo",
    "schema",
    "completions",
];

#[test]
fn every_option_of_every_command_has_a_sentence() {
    let sandbox = Sandbox::empty().with("COLUMNS", "100");
    let top = sandbox.run("--help").succeeds().out;
    for command in COMMANDS {
        assert!(top.contains(&format!("  {command} ")), "{command} is not in the help");
        let help = sandbox.run(&format!("{command} --help")).succeeds().out;
        assert!(help.contains("Usage: rawko"), "{help}");
        let (options, _) = help.split_once("\nExamples:").unwrap_or((&help, ""));
        let mut lines = options.lines().skip_while(|line| !line.ends_with(':')).peekable();
        while let Some(line) = lines.next() {
            let word = line.trim_start();
            let is_option = line.starts_with("  ") && !line.starts_with("          ") && !word.is_empty();
            if is_option {
                let same = word.split_once("  ").is_some_and(|(_, sentence)| !sentence.trim().is_empty());
                let below = lines.peek().is_some_and(|below| below.starts_with("          "));
                assert!(same || below, "`{word}` of `{command}` has no sentence:\n{help}");
            }
        }
    }
    let listed =
        top.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let listed = listed.filter_map(|line| line.split_whitespace().next());
    // What helps with commands is listed among them.
    let listed: Vec<&str> = listed.filter(|word| *word != "help").collect();
    assert_eq!(listed, COMMANDS, "a new command wants its tests");
}

#[test]
fn exit_codes_are_0_1_and_2() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run("--version").code, 0);
    assert_eq!(sandbox.run("show nothing").code, 1);
    for words in [
        "",
        "bogus",
        "list --bogus",
        "show",
        "show ../x",
        "list -C nowhere",
        "schema nothing",
        "trust --list --yes",
    ] {
        let said = sandbox.run(words).fails(2);
        assert!(!said.err.is_empty() && said.out.is_empty(), "{words}: {}", said.text());
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut sandbox = Sandbox::new();
    for n in 0..300 {
        sandbox = sandbox.memory(&format!("memory-{n}"), memory(&format!("Memory {n}"), "x"));
    }
    for words in
        [&["list"][..], &["list", "--json"], &["validate"], &["completions", "zsh"], &["trust", "--list"]]
    {
        let mut command = sandbox.command(&sandbox.program());
        let mut child =
            command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("ended");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{words:?}");
    }
}

#[test]
fn colour_is_for_terminals_unless_asked_for_or_refused() {
    let sandbox = Sandbox::new().memory("deploy", memory("Deploy", "x"));
    let coloured = |text: &str| text.contains("\u{1b}[");
    let shown = |sandbox: &Sandbox, words: &[&str]| coloured(&sandbox.on_terminal(words, "").0);
    assert!(shown(&sandbox, &["show", "deploy"]));
    assert!(!shown(&sandbox, &["show", "deploy", "--color", "never"]));
    assert!(!coloured(&sandbox.run("show deploy").out));
    assert!(coloured(&sandbox.run("show deploy --color always").out));
    let refused = sandbox.with("NO_COLOR", "1");
    assert!(!shown(&refused, &["show", "deploy"]));
    assert!(coloured(&refused.run("show deploy --color always").out));
}

#[test]
fn another_folder_can_be_named_and_stores_are_found_upwards() {
    let sandbox =
        Sandbox::new().memory("deploy", memory("Deploy", "x")).file("src/deep/x.rs", "").file("bad.md", "x");
    let _ = sandbox.run("list -C src/deep").succeeds().says("deploy");
    let _ = sandbox.run("-C src/deep show deploy").succeeds();
    let _ = sandbox.run("-C src validate ../bad.md").fails(1).says("bad.md:1:1");
    assert_snapshot!(sandbox.run("list -C nowhere").text(), @r"
    error: cannot use nowhere: No such file or directory (os error 2)
    hint: name a folder that exists
    [exit 2]
    ");
}

#[test]
fn schemas_are_json_and_wrong_names_get_the_list() {
    let sandbox = Sandbox::empty();
    for name in sandbox.run("schema").succeeds().out.lines() {
        assert!(sandbox.run(&format!("schema {name}")).succeeds().json()["$schema"].is_string(), "{name}");
    }
    let _ = sandbox.run("schema nothing").fails(2).says("there are: memory");
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = Sandbox::empty().run(&format!("completions {shell}")).succeeds().out;
        assert!(COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
    }
}

#[test]
fn help_is_a_command_too() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run("help").succeeds().out, sandbox.run("--help").succeeds().out);
    assert_eq!(sandbox.run("help add").succeeds().out, sandbox.run("add --help").succeeds().out);
    let deep = sandbox.run("help session discover").succeeds().out;
    assert_eq!(deep, sandbox.run("session discover --help").succeeds().out);
}
