//! Our table at the end of a person's TOML file, and out again: the rest is never read as anything but lines.

use super::jsonc::{Insertion, Trouble};

/// The table of our server.
const TABLE: &str = "mcp_servers.rawko";

/// The insertion that puts our table at the end; `None` if it is there as it should be.
pub(super) fn insert(text: &str, block: &str) -> Result<Option<Insertion>, Trouble> {
    if text.contains(block) {
        return Ok(None);
    }
    let taken = text.lines().position(|line| {
        let line: String = line.split_whitespace().collect();
        is_table(&line) || line.starts_with("mcp_servers=") || line.starts_with("mcp_servers.rawko")
    });
    if let Some(n) = taken {
        return Err(Trouble { line: n + 1, what: "there is another server of this name".to_owned() });
    }
    let gap = match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    Ok(Some(Insertion { at: text.len(), text: format!("{gap}{block}") }))
}

/// The text without our table and the tables below it, where it starts this program.
pub(super) fn without(text: &str) -> String {
    if !has(text) {
        return text.to_owned();
    }
    let (mut kept, mut ours) = (String::with_capacity(text.len()), false);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            ours = is_table(&line.split_whitespace().collect::<String>());
        }
        if !ours {
            kept.push_str(line);
        }
    }
    kept
}

/// Whether our table is there and starts this program.
pub(super) fn has(text: &str) -> bool {
    let mut lines = text.lines().skip_while(|line| !is_table(&line.split_whitespace().collect::<String>()));
    lines.next().is_some()
        && lines
            .take_while(|line| !line.trim_start().starts_with('['))
            .any(|line| line.trim_start().starts_with("args") && line.contains("\"mcp\""))
}

fn is_table(line: &str) -> bool {
    let name = line.strip_prefix('[').map(|name| name.replace(['"', '\''], ""));
    let name = name.as_deref().and_then(|name| name.split(']').next());
    name.is_some_and(|name| {
        name == TABLE || name.strip_prefix(TABLE).is_some_and(|rest| rest.starts_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "[mcp_servers.rawko]\ncommand = \"rawko\"\nargs = [\"mcp\"]\n";

    #[test]
    fn our_table_goes_in_and_out() {
        for text in ["", "a = 1", "a = 1\n", "[x]\ny = 2\n\n"] {
            let step = insert(text, BLOCK).expect("it fits").expect("it is new");
            let with = format!("{text}{}", step.text);
            assert!(has(&with) && insert(&with, BLOCK) == Ok(None), "{with}");
            assert_eq!(without(&with).trim_end(), text.trim_end());
            let more = format!("{with}[mcp_servers.rawko.env]\nA = \"1\"\n[z]\nb = 3\n");
            assert_eq!(without(&more), format!("{}[z]\nb = 3\n", &with[..with.len() - BLOCK.len()]));
        }
    }

    #[test]
    fn another_server_of_the_name_is_left_alone() {
        for (text, line) in [
            ("a = 1\n[mcp_servers.rawko]\ncommand = \"theirs\"\n", 2),
            ("[ mcp_servers . \"rawko\" ]\nurl = 1\n", 1),
            ("mcp_servers = {}\n", 1),
            ("mcp_servers.rawko.command = \"x\"\n", 1),
        ] {
            assert_eq!(insert(text, BLOCK).map_err(|trouble| trouble.line), Err(line), "{text}");
            assert_eq!(without(text), text);
        }
    }
}
