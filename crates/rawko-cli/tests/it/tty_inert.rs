//! Memory text reaches a terminal without control, bidi or escape sequences of its own.

use std::ffi::OsString;
use std::fs;

use crate::sandbox::{Sandbox, json_lines, memory};

/// Characters that could act on a terminal or mislead its reader; the tests' own list, on purpose.
fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(
            c,
            '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}' | '\u{2028}' | '\u{2029}'
        )
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2060}'..='\u{206f}').contains(&c)
        || ('\u{e0000}'..='\u{e007f}').contains(&c)
}

fn inert(words: &[OsString], screen: &str) {
    let colours = regex_lite::Regex::new("\u{1b}\\[(0|1|2|31|32|33)m").expect("a pattern");
    let left = colours.replace_all(screen, "");
    if let Some(c) = left.chars().find(|&c| acts(c)) {
        panic!("rawko {words:?} printed U+{:04X}:\n{left:?}", c as u32);
    }
}

/// A memory each of whose fields carries the text, quoted so that the YAML is good.
fn every_field(text: &str) -> String {
    let quoted: String = text
        .chars()
        .map(|c| {
            if c.is_control() || matches!(c, '"' | '\\') || acts(c) {
                format!("\\U{:08x}", c as u32)
            } else {
                c.to_string()
            }
        })
        .collect();
    let q = format!("\"x{quoted}y\"");
    format!(
        "---\ntitle: {q}\nwhenToUse: [{q}, {{path: {q}}}, {{error: {q}}}]\nimportance: high\n\
         discoveredAt: 2026-01-23T10:30:00Z\ndiscoveredBy: {q}\ntags: [{q}]\ndiscoveredIn: {q}\nsource: {q}\n\
         relatedMemories: [{q}]\nsupersedes: [{q}]\n{q}: {q}\nevidence: [{{file: {q}}}]\n---\n\nbody {text} end\n\n{text}\n"
    )
}

/// Commands that are given the text, or a file of this name, as words.
fn given(text: &str, name: &str) -> Vec<Vec<String>> {
    vec![
        vec!["show".to_owned(), "--".into(), text.into()],
        vec!["list".into(), "--importance".into(), format!("x{text}")],
        vec!["validate".into(), "--".into(), format!("x{text}")],
        vec!["add".into(), format!("--title=x{text}"), format!("--content={text}")],
        vec!["init".into(), "--here".into(), "-C".into(), name.into()],
        vec!["schema".into(), "--".into(), text.into()],
        // What clap itself says of words that it does not know.
        vec![format!("x{text}")],
        vec![format!("--{text}")],
        vec!["review".into(), format!("x{text}")],
        vec!["list".into(), format!("--x{text}")],
        vec!["session".into(), format!("x{text}")],
        vec!["memory".into(), format!("x{text}")],
        vec!["stats".into(), format!("x{text}")],
        vec!["--color".into(), format!("x{text}"), "list".into()],
        vec!["--color".into(), "never".into(), format!("x{text}")],
        vec!["feedback".into(), format!("x{text}")],
        vec!["import".into(), format!("x{text}")],
        vec!["import".into(), name.into()],
        vec!["extract".into(), format!("x{text}")],
        vec!["session".into(), "start".into(), format!("x{text}")],
        vec!["memory".into(), "recall".into(), format!("x{text}")],
    ]
}

/// Commands that show what is in the store.
const PLAIN: [&str; 37] = [
    "list",
    "list --json",
    "validate",
    "validate --json",
    "doctor",
    "doctor --json",
    "trust --list",
    "trust --json",
    "trust --yes",
    "list",
    "search deploy --explain",
    "search deploy --json",
    "inject --task deploy",
    "inject --task deploy --explain",
    "inject --task deploy --json",
    "why",
    "why --list",
    "why --json",
    "why-not field-0 --task deploy",
    "review --list",
    "review --json",
    "stats",
    "stats --json",
    "audit",
    "audit --json",
    "audit --all",
    "session list",
    "session list --json",
    "session show",
    "session validate",
    "memory stats",
    "memory search deploy",
    "memory recall deploy",
    "extract .rawko/memories/field-0.md",
    "import .rawko/memories",
    "feedback field-0 --helped",
    "ledger",
];

fn hostile(texts: &[String]) -> (Sandbox, Vec<Vec<OsString>>) {
    let mut sandbox = Sandbox::new();
    let mut all: Vec<Vec<OsString>> = Vec::new();
    let mut config = String::new();
    for (n, text) in texts.iter().enumerate() {
        sandbox = sandbox.memory(&format!("field-{n}"), every_field(text));
        // Raw in the frontmatter: wrong values and broken YAML, so that problems quote it.
        sandbox = sandbox
            .memory(&format!("wrong-{n}"), memory("Wrong", "x").replace("high", &format!("\"{text}\"")));
        sandbox =
            sandbox.memory(&format!("broken-{n}"), format!("---\ntitle: [{text}\n\t{text}: {{\n---\n{text}"));
        let name = text.replace(['/', '\0'], "_");
        for folder in ["memories", "agents", "."] {
            // Some names are too long or not allowed here: then nobody can bring them either.
            let _ = fs::write(
                sandbox.project().join(".rawko").join(folder).join(format!("{name}.md")),
                every_field(text),
            );
        }
        let _ = fs::create_dir(sandbox.project().join(&name));
        config.push_str(&format!(
            "{} = {}\n",
            serde_json::json!(format!("k{n}{text}")),
            serde_json::json!(text)
        ));
        let shown = format!("field-{n}");
        for line in [
            &["show", &shown][..],
            &["show", &shown, "--history"],
            &["show", &shown, "--raw"],
            &["show", &shown, "--json"],
        ] {
            all.push(line.iter().map(OsString::from).collect());
        }
        if !text.contains('\0') {
            let given = given(text, &name);
            all.extend(given.iter().map(|words| words.iter().map(OsString::from).collect()));
        }
    }
    sandbox.write(".rawko/config.toml", config);
    all.extend(PLAIN.iter().map(|line| line.split(' ').map(OsString::from).collect()));
    (sandbox, all)
}

#[test]
fn tty_inert() {
    let texts: Vec<String> = json_lines("authored/terminal-escapes.jsonl")
        .iter()
        .filter_map(|case| case["text"].as_str().map(str::to_owned))
        .collect();
    let (sandbox, commands) = hostile(&texts);
    for words in &commands {
        let (screen, code) = sandbox.on_terminal(words, "");
        assert!((0..=2).contains(&code), "{words:?}: {screen}");
        inert(words, &screen);
    }
    // What a log or another program gets is inert as well, but for `--raw`, which is exact.
    for words in commands.iter().filter(|words| !words.iter().any(|word| word == "--raw")) {
        let said = sandbox.run_words(words, b"");
        inert(words, &format!("{}{}", String::from_utf8_lossy(&said.raw), said.err));
    }
}

#[test]
fn a_wrong_word_of_the_command_line_forges_no_line_and_takes_no_colour_that_was_refused() {
    let sandbox = Sandbox::new();
    for words in [&["review", "x\nhint: forged"][..], &["x\nhint: forged"], &["list", "--x\nhint: forged"]] {
        let said = sandbox.run_words(words, b"").fails(2);
        assert!(said.out.is_empty() && !said.err.contains("\nhint: forged"), "{}", said.err);
    }
    for words in
        [&["--color", "never", "lst"][..], &["--color=never", "list", "--x"], &["--color=never", "--help"]]
    {
        let (screen, _) = sandbox.on_terminal(words, "");
        assert!(screen.contains("Usage") && !screen.contains('\u{1b}'), "{screen:?}");
    }
    // What is no text is refused like anything else.
    let odd = std::os::unix::ffi::OsStringExt::from_vec(b"x\xff\x9b".to_vec());
    inert(&[], &sandbox.run_words(&[OsString::from("list"), odd], b"").fails(2).err);
}

#[test]
fn a_text_cannot_forge_a_line_of_ours() {
    let text = every_field("\nerror: forged\nhint: forged\n");
    let sandbox = Sandbox::new().memory("forged", text);
    for words in [
        "list",
        "trust --list",
        "doctor",
        "validate",
        "search deploy",
        "inject --task deploy --explain",
        "why",
    ] {
        let said = sandbox.run(words).text();
        assert!(!said.lines().any(|line| line.starts_with("error: forged")), "{words}:\n{said}");
    }
    let shown = sandbox.run("show forged").out;
    let (head, _) = shown.split_once("\n\n").expect("a head and a body");
    assert!(!head.lines().any(|line| line.starts_with("error: forged")), "{head}");
}
