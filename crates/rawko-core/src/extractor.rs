//! The extractor as an agent: a Markdown file with its limits, whose body is the prompt.

use crate::agent::Agent;
use crate::run_record::Run;

/// What an extractor's file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extractor {
    /// Its name.
    pub name: String,
    /// Most rounds: the first answer and its repair.
    pub rounds: u32,
    /// Most time for one answer, in milliseconds.
    pub timeout_ms: u64,
    /// Most tokens of one answer.
    pub max_tokens: u64,
    /// The prompt, with its places in braces.
    pub prompt: String,
}

impl Extractor {
    /// Reads an agent file; what it does not say has the origin's value.
    pub fn read(text: &str) -> Self {
        let agent = Agent::read("memory-extractor", text);
        let limit = |value: Option<u64>, default: u64, most: u64| value.unwrap_or(default).clamp(1, most);
        Self {
            rounds: limit(agent.max_iterations, 1, 2) as u32,
            timeout_ms: limit(agent.timeout_ms, 30_000, 600_000),
            max_tokens: limit(agent.max_tokens, 2_048, 32_768),
            name: agent.name,
            prompt: agent.prompt,
        }
    }

    /// The prompt for one run. Each place is filled once, so that no text can open another place.
    pub fn fill(&self, run: &Run, output: &str, memories: &str, schema: &str) -> String {
        let error = run.error.as_deref().unwrap_or("none");
        let places = [
            ("{agent}", run.agent.as_str()),
            ("{task}", run.task.as_str()),
            ("{result}", run.result.as_str()),
            ("{error}", error),
            ("{agentOutput}", output),
            ("{existingMemories}", memories),
            ("{schema}", schema),
        ];
        let mut out = String::new();
        let mut rest = self.prompt.as_str();
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            let place = places.iter().find(|(place, _)| rest[at..].starts_with(place));
            let (text, used) = place.map_or(("{", 1), |(place, text)| (*text, place.len()));
            out.push_str(text);
            rest = &rest[at + used..];
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "---\nname: memory-extractor\ndisplayName: X\ntools:\n  allowed: [Read]\nlimits:\n  maxIterations: 1\n  timeout: 5000\n  maxTokens: 99\n---\n\n# Do\n\n{task} {unknown} {agentOutput}\n";

    #[test]
    fn limits_are_read_and_what_is_absent_has_the_origins_value() {
        let extractor = Extractor::read(FILE);
        assert_eq!((extractor.rounds, extractor.timeout_ms, extractor.max_tokens), (1, 5_000, 99));
        let bare = Extractor::read("Just a prompt.");
        assert_eq!(
            (bare.timeout_ms, bare.max_tokens, bare.prompt.as_str()),
            (30_000, 2_048, "Just a prompt.")
        );
    }

    #[test]
    fn a_filled_text_opens_no_other_place() {
        let run = Run { task: "{agentOutput}".to_owned(), ..Run::default() };
        let filled = Extractor::read(FILE).fill(&run, "{task}", "", "");
        assert_eq!(filled, "# Do\n\n{agentOutput} {unknown} {task}");
    }
}
