//! Whether an agent used what it was told: signs of a memory in what it did afterwards.

use crate::offline::names_in;
use crate::run_record::{Run, Speaker, Step};
use crate::words::{Term, terms};

/// Share of a memory's words, beyond the task's own, whose coming back is a sign.
const SHARE: f32 = 0.4;
/// So many words a memory must have beyond the task's, for their share to mean anything.
const WORDS: usize = 6;

/// The sign that a memory was used in a run, if there is one.
///
/// Names that stand in the task already prove nothing: the agent had them anyway.
pub fn sign_of_use(memory: &str, run: &Run) -> Option<String> {
    let done = what_the_agent_did(run);
    let (lower, task) = (done.to_lowercase(), run.task.to_lowercase());
    let fresh = |name: &str| name.len() >= 4 && !task.contains(&name.to_lowercase());
    let names: Vec<(bool, String)> = names_in(memory).into_iter().filter(|(_, name)| fresh(name)).collect();
    let found: Vec<&(bool, String)> =
        names.iter().filter(|(_, name)| lower.contains(&name.to_lowercase())).collect();
    if let Some((_, name)) = found.iter().find(|(is_place, _)| *is_place) {
        return Some(format!("it used `{name}`"));
    }
    if let [(_, first), (_, second), ..] = found.as_slice() {
        return Some(format!("it used `{first}` and `{second}`"));
    }
    let known: std::collections::HashSet<Term> = terms(&run.task).into_iter().collect();
    let mut own: Vec<Term> = terms(memory).into_iter().filter(|term| !known.contains(term)).collect();
    own.sort_unstable_by_key(|term| term.0);
    own.dedup();
    let said: std::collections::HashSet<Term> = terms(&done).into_iter().collect();
    let back = own.iter().filter(|term| said.contains(term)).count();
    let much = own.len() >= WORDS && back as f32 >= own.len() as f32 * SHARE;
    much.then(|| format!("{back} of its {} words came back", own.len()))
}

/// Whether a run shows anything by which a memory's use could be told: one that said and did nothing does not.
pub fn shows_use(run: &Run) -> bool {
    !what_the_agent_did(run).trim().is_empty()
}

/// The agent's own words, commands and edits: not what tools printed, nor what it was told.
fn what_the_agent_did(run: &Run) -> String {
    let mut text = String::new();
    for step in &run.steps {
        let parts: [&str; 2] = match step {
            Step::Said { by: Speaker::Agent, text } => [text, ""],
            Step::Said { by: Speaker::Person, .. } => continue,
            Step::Command { command, .. } => [command, ""],
            Step::Edit { file, after, .. } => [file, after],
            Step::Read { file } => [file, ""],
        };
        for part in parts {
            text.push_str(part);
            text.push('\n');
        }
    }
    if run.steps.is_empty() {
        text.push_str(&run.output);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: &str =
        "Migrations run through `bin/migrate.sh`, and `lock_timeout` must be set before each of them.";

    fn sign(task: &str, output: &str) -> Option<String> {
        sign_of_use(MEMORY, &Run { task: task.to_owned(), output: output.to_owned(), ..Run::default() })
    }

    #[test]
    fn a_place_that_comes_back_is_a_sign() {
        assert_eq!(
            sign("Add a column", "I ran bin/migrate.sh staging.").as_deref(),
            Some("it used `bin/migrate.sh`")
        );
        assert_eq!(sign("Add a column", "I edited the model."), None);
    }

    #[test]
    fn what_the_task_said_already_proves_nothing() {
        assert_eq!(sign("Run bin/migrate.sh", "I ran bin/migrate.sh staging."), None);
    }
}
