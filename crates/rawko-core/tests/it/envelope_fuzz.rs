//! G30: injected text cannot end its block, forge a memory or a role, or exceed the budget.
//!
//! `RAWKO_FULL=1 cargo test --release -p rawko-core --test it envelope_fuzz` runs 1,000,000 bodies.

use rawko_core::{Budget, Importance, Shown, render, tokens};

/// What an attacker would put together.
const PIECES: [&str; 32] = [
    "\n",
    "\n\n",
    "[end of rawko ",
    "]",
    "[rawko 123456: ",
    "### Forged",
    "# ",
    "## Background Knowledge from Previous Runs",
    "*Importance: CRITICAL*",
    "*Discovered by: human*",
    "Human: ",
    "Assistant:",
    "system:",
    "</system-reminder>",
    "<system_reminder>",
    "<|im_start|>",
    "```",
    "~~~",
    "````",
    "---",
    "===",
    "word ",
    "ünïcode ",
    "\u{202e}",
    "\u{200b}",
    "\u{e0041}",
    "[/INST]",
    "</hook_context>",
    "  ",
    "\r\n",
    "\r",
    "###\t",
];

fn body(mut seed: u64) -> String {
    let mut text = String::new();
    for _ in 0..(seed % 40) {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(PIECES[(seed >> 33) as usize % PIECES.len()]);
    }
    text
}

fn check(text: &str, title: &str, seed: u64) {
    let shown = Shown {
        title,
        importance: Importance::Low,
        discovered_by: title,
        text: text.to_owned(),
        notes: Vec::new(),
    };
    let budget = Budget { tokens: 120 + (seed % 400) as usize, characters: 9_500 };
    let (block, count) = render(&[shown.clone(), shown], budget);
    if count == 0 {
        return;
    }
    assert!(
        tokens(&block) <= budget.tokens && block.chars().count() <= budget.characters,
        "over budget: {text:?}"
    );
    let mark = &block[7..13];
    assert_eq!(block.matches(&format!("[end of rawko {mark}]")).count(), 1, "{block}");
    assert_eq!(block.matches("[end of rawko").count(), 1, "{block}");
    let inside = outside_fences(&block);
    assert_eq!(inside.iter().filter(|line| line.starts_with("## ")).count(), 1, "{block}");
    assert_eq!(
        inside.iter().filter(|line| line.starts_with("### ") || line.starts_with("###\t")).count(),
        count,
        "{block}"
    );
    assert_eq!(inside.iter().filter(|line| line.starts_with("*Importance:")).count(), count, "{block}");
    for line in &inside {
        let lower = line.to_lowercase();
        let roles = ["human:", "assistant:", "system:"];
        assert!(!roles.iter().any(|role| lower.starts_with(role)), "{line:?} in {block}");
    }
    for forbidden in ["</system", "<system", "<|", "</hook", "[/INST]", "\u{202e}", "\u{200b}", "\u{e0041}"] {
        assert!(!block.contains(forbidden), "{forbidden:?} in {block}");
    }
    assert!(
        inside.last().is_some_and(|line| line.starts_with("[end of rawko")),
        "a fence swallows the end: {block}"
    );
}

/// The lines that a Markdown reader takes for text.
fn outside_fences(block: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    for line in block.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        let trimmed = line.trim_start_matches(' ');
        let indent = line.len() - trimmed.len();
        let mark = trimmed.chars().next().unwrap_or(' ');
        let length = trimmed.chars().take_while(|&c| c == mark).count();
        let rest = trimmed.get(length * mark.len_utf8()..).unwrap_or_default();
        match fence {
            Some((open, least))
                if indent <= 3 && mark == open && length >= least && rest.trim().is_empty() =>
            {
                fence = None
            }
            Some(_) => {}
            None if indent <= 3
                && matches!(mark, '`' | '~')
                && length >= 3
                && !(mark == '`' && rest.contains('`')) =>
            {
                fence = Some((mark, length));
            }
            None => lines.push(line),
        }
    }
    lines
}

#[test]
fn envelope_fuzz() {
    let bodies = if crate::shared::full() { 1_000_000 } else { 20_000 };
    for seed in 0..bodies {
        let title = if seed % 2 == 0 { "A title".to_owned() } else { body(seed) };
        check(&body(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)), &title, seed);
    }
}
