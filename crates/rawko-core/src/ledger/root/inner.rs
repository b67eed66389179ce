//! Moves that ran inside another one.

use super::{At, Command, Root, tools};

/// Whether a line looks like the call of a program that nobody knows: a plain name, and an option behind it.
fn is_told_options(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let plain = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_./".contains(&byte))
    };
    words.next().is_some_and(|name| name.len() > 1 && plain(name) && !name.starts_with('-'))
        && words.any(|word| word.starts_with('-') && word.len() > 1)
}

/// Moves that ran inside this one: lines that a runner echoed, and the target or script it says had failed.
pub(super) fn inner(command: &Command, at: At<'_>, text: &str) -> Vec<Root> {
    let Some(step) = command.blamed(text) else { return Vec::new() };
    if !tools::ECHOES.contains(&step.program.as_str()) && !step.program.starts_with("./") {
        return Vec::new();
    }
    let folder = step.folder.clone();
    let here = At { root: at.root, cwd: &folder };
    let key = |text: &str| Root::Inner(Command::of(text, here).key());
    let mut found = Vec::new();
    let echoed = text.lines().take(400).filter_map(|line| {
        let mark = ["> ", "$ ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
        let line = mark.unwrap_or(line);
        let mut words = line.split_whitespace();
        let first = words.next()?;
        let more = words.next().is_some();
        (more
            && !line.starts_with(' ')
            && line.len() < 300
            && (tools::is_known(tools::program(first)) || is_told_options(line))
            && (line.ends_with(" .") || line.ends_with("/...") || !line.ends_with(['.', ':', ','])))
        .then_some((mark.is_some(), line))
    });
    // A mark before it says that it is no talk.
    let echoed: Vec<(bool, &str)> = echoed.collect();
    let last = echoed.iter().rev().find(|(marked, _)| *marked).or(echoed.last());
    found.extend(last.map(|(_, line)| key(line)));
    for line in text.lines().rev().take(60) {
        if let Some((_, rest)) = line.split_once("*** [") {
            let target = rest.split(']').next().unwrap_or_default().rsplit(": ").next().unwrap_or_default();
            found.push(key(&format!("make {target}")));
        }
        if let Some((_, rest)) = line.split_once("needed by ") {
            let target =
                rest.trim_start_matches(['\'', '`', '"']).split(['\'', '`', '"']).next().unwrap_or_default();
            found.extend(
                (!target.is_empty() && step.program == "make").then(|| key(&format!("make {target}"))),
            );
        }
        // "error: Recipe `x` failed": whoever started it, a hook of git, say.
        let lower = line.to_lowercase();
        for (before, program) in tools::FAILED_TASKS {
            let Some(at) = lower.find(before).filter(|_| lower.contains("fail")) else { continue };
            let name = line.get(at + before.len()..).unwrap_or_default();
            let name = name.split(['`', '"', '\'']).next().unwrap_or_default();
            found.extend((!name.is_empty()).then(|| key(&format!("{program} {name}"))));
        }
        let script = line.strip_prefix("> ").and_then(|rest| {
            let mut words = rest.split_whitespace();
            words.next().filter(|name| name.contains('@'))?;
            words.next()
        });
        for program in ["npm", "pnpm", "yarn"] {
            found.extend(script.map(|script| key(&format!("{program} run {script}"))));
        }
    }
    found.truncate(8);
    found
}
