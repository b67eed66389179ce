//! What an agent and an arbiter are told of a session, word for word as the origin builds it.
//!
//! Each note stands in a line of its own that it cannot leave, and speaks for nobody else.

use crate::render::in_a_line;
use crate::session::types::{AgentMemory, Attempt, AttemptResult};

/// How many discoveries and failures an agent is told of.
const DISCOVERIES: usize = 5;
const FAILURES: usize = 3;
/// Longest line that enters a prompt, in characters: with nine of them the whole stays below 9,500.
const LONGEST_LINE: usize = 900;
/// Longest lesson of a failure, in characters.
const LONGEST_LESSON: usize = 300;
/// How many agents' work an arbiter is told of, the newest.
const AGENTS: usize = 32;

/// The agent's prompt with what it knows of this session.
pub fn build_agent_system_prompt(system_prompt: &str, memory: &AgentMemory) -> String {
    let memory_context = format_memory_context(memory);
    format!(
        "{system_prompt}\n\n## Prior Context from This Session\n\n{memory_context}\n\n\
         Use this context to avoid repeating discoveries or failed approaches."
    )
}

/// The five newest discoveries, the three newest failures, the current step and what is in the way.
pub fn format_memory_context(memory: &AgentMemory) -> String {
    let mut context = String::new();
    let mut discoveries: Vec<_> = memory.discoveries.iter().collect();
    discoveries.sort_by_key(|discovery| std::cmp::Reverse(discovery.timestamp));
    discoveries.truncate(DISCOVERIES);
    if !discoveries.is_empty() {
        context += "## Key Discoveries\n";
        for discovery in discoveries {
            context += &format!("- [{}] {}\n", discovery.kind.as_str(), first_line(&discovery.content));
        }
    }
    let mut failures: Vec<&Attempt> =
        memory.attempts.iter().filter(|attempt| attempt.result == AttemptResult::Failure).collect();
    failures.sort_by_key(|attempt| std::cmp::Reverse(attempt.timestamp));
    failures.truncate(FAILURES);
    if !failures.is_empty() {
        context += "\n## Recently Failed Approaches (Don't Repeat)\n";
        for attempt in failures {
            context +=
                &cap(&format!("- {}: {}", one_line(&attempt.description), first_line(what_failed(attempt))));
            context.push('\n');
            // The origin's line is the one above; what was learned from it stands below.
            if let Some(lessons) = attempt.lessons.as_deref().filter(|lessons| !lessons.trim().is_empty()) {
                context += &cap_at(&format!("  - Lesson: {}", one_line(lessons.trim())), LONGEST_LESSON);
                context.push('\n');
            }
        }
    }
    if let Some(now) = &memory.context {
        context += "\n## Current Task Context\n";
        if let Some(step) = now.current_plan_step {
            context += &format!("- Step: {step}\n");
        }
        if !now.blockers.is_empty() {
            context += &cap(&format!("- Blockers: {}", one_line(&now.blockers.join(", "))));
            context.push('\n');
        }
    }
    context
}

/// The last attempt of each agent, for whoever chooses the next one; `newer` are the agents whose memory has a
/// version that cannot be read, and are named.
pub fn build_arbiter_select_prompt(memories: &[AgentMemory], newer: &[(String, u32)]) -> String {
    let work = previous_agent_work(memories, newer);
    format!("{work}\n\nUse this to make informed decisions about which agent should work next.\n  ")
}

/// The last attempt of each agent, for those who work.
pub fn previous_agent_work(memories: &[AgentMemory], newer: &[(String, u32)]) -> String {
    let mut last: Vec<(&str, &Attempt)> =
        memories.iter().filter_map(|memory| Some((memory.agent.as_str(), memory.attempts.last()?))).collect();
    if last.len() > AGENTS {
        last.sort_by_key(|(_, attempt)| std::cmp::Reverse(attempt.timestamp));
        last.truncate(AGENTS);
    }
    let longest = 9_000 / last.len().clamp(10, AGENTS);
    let unread = newer.iter().take(AGENTS).map(|(agent, version)| {
        let line = format!(
            "**{}**: Unknown - its memory has version {version}, too new to be read",
            one_line(agent)
        );
        cap_at(&line, longest)
    });
    let lines: Vec<String> = last
        .iter()
        .map(|(agent, attempt)| {
            let line = format!(
                "**{}**: Last attempt ({}) - {}",
                one_line(agent),
                attempt.result.as_str(),
                one_line(&attempt.description)
            );
            cap_at(&line, longest)
        })
        .chain(unread)
        .collect();
    format!("\n## Previous Agent Work This Session\n\n{}", lines.join("\n"))
}

/// What an attempt says of its failure: its output, or its error where it has none.
pub(crate) fn what_failed(attempt: &Attempt) -> &str {
    attempt.output.as_deref().or(attempt.error.as_deref()).unwrap_or_default()
}

pub(crate) fn first_line(text: &str) -> String {
    cap(&one_line(text.split('\n').next().unwrap_or_default().trim_end_matches('\r')))
}

fn one_line(text: &str) -> String {
    in_a_line(text, usize::MAX)
}

fn cap(text: &str) -> String {
    cap_at(text, LONGEST_LINE)
}

pub(crate) fn cap_at(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
