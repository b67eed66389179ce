//! Commands that a program runs in another place: on a host, in a container, in a pod.

use super::super::command::Command;
use super::super::place::At;
use super::Step;

impl Step {
    /// The command that it runs elsewhere; its paths and ports are not those of here.
    pub(in super::super) fn remote(&self) -> Option<Command> {
        let tool = self.tool();
        let mut plain = 0;
        let mut wanted = tool.remote.iter().find(|(sub, _)| sub.is_empty()).map(|(_, places)| *places);
        let mut words = self.raw.iter().skip(1).enumerate();
        while let Some((at, word)) = words.next() {
            if wanted == Some(plain) {
                let at = at + 1 + usize::from(word == "--");
                return Some(elsewhere(self.raw.get(at..)?));
            }
            if word == "--" {
                continue;
            }
            if word.starts_with('-') {
                let name =
                    tool.flags.iter().find(|(other, _)| other == word).map_or(word.as_str(), |(_, one)| one);
                if tool.values.contains(&name) {
                    words.next();
                }
            } else if wanted.is_some() {
                plain += 1;
            } else {
                wanted = tool.remote.iter().find(|(sub, _)| sub == word).map(|(_, places)| *places);
            }
        }
        None
    }
}

/// A single word is a shell's whole line.
fn elsewhere(words: &[String]) -> Command {
    let quoted = |word: &String| {
        let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=@,+%".contains(&byte));
        if plain { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    let text = match words {
        [line] => line.clone(),
        words => words.iter().map(quoted).collect::<Vec<_>>().join(" "),
    };
    Command::of(&text, At { root: "/", cwd: "/" })
}
