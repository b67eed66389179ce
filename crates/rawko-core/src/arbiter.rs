//! What a run does next: every phase and every way from one to another is named here.
//!
//! Who chooses may be a model or the rules below; either way the same machine
//! decides what may follow what, and nothing outside it does.

use std::fmt;

use crate::agent::Agent;
use crate::run_record::RunResult;

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The next agent is being chosen.
    Choosing,
    /// An agent is at work.
    Running,
    /// What it did is written down.
    Recording,
    /// What it taught is decided.
    Extracting,
    /// The task is done.
    Done,
    /// It was given up.
    GaveUp,
    /// Somebody stopped it, or a limit was reached.
    Stopped,
}

/// What leads from one phase to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    /// An agent was chosen.
    Chosen,
    /// The agent ended, well or not.
    Ended,
    /// It is written down.
    Recorded,
    /// What it taught is decided.
    Extracted,
    /// Nothing is left to do.
    Finished,
    /// Nobody can go on.
    Hopeless,
    /// A limit of rounds, time or cost was reached, or a person stopped it.
    Limit,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 7] = [
        Self::Choosing,
        Self::Running,
        Self::Recording,
        Self::Extracting,
        Self::Done,
        Self::GaveUp,
        Self::Stopped,
    ];

    /// The phase that a signal leads to; `None` where it has no meaning.
    pub fn after(self, signal: Signal) -> Option<Self> {
        match (self, signal) {
            (Self::Choosing, Signal::Chosen) => Some(Self::Running),
            (Self::Choosing, Signal::Finished) => Some(Self::Done),
            (Self::Choosing, Signal::Hopeless) => Some(Self::GaveUp),
            (Self::Choosing, Signal::Limit) => Some(Self::Stopped),
            (Self::Running, Signal::Ended) => Some(Self::Recording),
            (Self::Recording, Signal::Recorded) => Some(Self::Extracting),
            (Self::Extracting, Signal::Extracted) => Some(Self::Choosing),
            _ => None,
        }
    }

    /// Whether nothing follows.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Done | Self::GaveUp | Self::Stopped)
    }

    /// The word used in files and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Choosing => "choosing",
            Self::Running => "running",
            Self::Recording => "recording",
            Self::Extracting => "extracting",
            Self::Done => "done",
            Self::GaveUp => "gave up",
            Self::Stopped => "stopped",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One agent's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whose.
    pub agent: String,
    /// How it ended.
    pub result: RunResult,
    /// What it said last, sampled.
    pub said: String,
}

impl Turn {
    /// What it found wanting in another's work.
    pub fn complaint(&self) -> Option<&str> {
        let is_one = self.result == RunResult::Partial && !self.said.trim().is_empty();
        is_one.then(|| self.said.trim_start().trim_start_matches(WANTING).trim_start_matches([':', ' ']))
    }
}

/// By its first word an agent says that it found the work wanting.
pub const WANTING: &str = "FAILED";

/// What an arbiter says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This agent goes on, and why.
    Next(String, String),
    /// The task is done, and why.
    Done(String),
    /// It cannot be done, and why.
    GiveUp(String),
}

/// How often an agent tries unless its file says otherwise.
const TRIES: u64 = 2;

/// Puts agents into the order in which they are asked.
pub fn in_order(agents: &mut [Agent]) {
    agents
        .sort_by(|a, b| (a.order.unwrap_or(u64::MAX), &a.name).cmp(&(b.order.unwrap_or(u64::MAX), &b.name)));
}

/// The rules' choice: the agents whose triggers the task calls, or all where it calls none, one after the other.
///
/// One that broke off ([`RunResult::Failure`]) or said nothing tries again. One that found the work wanting
/// ([`Turn::complaint`]) sends it back to the agent before it. Either as often as its file allows.
pub fn by_order(agents: &[Agent], is_called: impl Fn(&Agent) -> bool, turns: &[Turn]) -> Choice {
    let called: Vec<&Agent> = agents.iter().filter(|agent| is_called(agent)).collect();
    let asked: Vec<&Agent> = if called.is_empty() { agents.iter().collect() } else { called };
    let mut is_done = vec![false; asked.len()];
    for turn in turns {
        let Some(at) = asked.iter().position(|agent| agent.name == turn.agent) else { continue };
        is_done[at] = turn.result == RunResult::Success;
        if turn.complaint().is_some() {
            is_done[at.saturating_sub(1)] = false;
        }
    }
    let bad = |agent: &&&Agent| {
        let own = turns.iter().filter(|turn| turn.agent == agent.name && turn.result != RunResult::Success);
        own.count() as u64 >= agent.max_iterations.unwrap_or(TRIES).max(1)
    };
    if let Some(agent) = asked.iter().find(bad) {
        return Choice::GiveUp(format!("{} did not succeed as often as it may try", agent.name));
    }
    match asked.iter().zip(&is_done).find(|(_, done)| !**done) {
        Some((agent, _)) => {
            let again = turns.iter().any(|turn| turn.agent == agent.name);
            let why = if again { "its work is not done yet" } else { "it is next in order" };
            Choice::Next(agent.name.clone(), why.to_owned())
        }
        None if asked.is_empty() => Choice::GiveUp("there is no agent".to_owned()),
        None => Choice::Done("every agent that was asked has succeeded".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents() -> Vec<Agent> {
        let agent =
            |name: &str, order| Agent { name: name.to_owned(), order: Some(order), ..Agent::default() };
        let mut agents = vec![agent("tester", 2), agent("developer", 1)];
        in_order(&mut agents);
        agents
    }

    fn turn(agent: &str, result: RunResult) -> Turn {
        Turn { agent: agent.to_owned(), result, said: "FAILED: it is slow.".to_owned() }
    }

    #[test]
    fn no_end_leads_on_and_every_other_phase_leads_to_an_end() {
        use Signal::{Chosen, Ended, Extracted, Finished, Hopeless, Limit, Recorded};
        let signals = [Chosen, Ended, Recorded, Extracted, Finished, Hopeless, Limit];
        for phase in Phase::ALL {
            let ways = signals.iter().filter(|signal| phase.after(**signal).is_some()).count();
            assert_eq!(ways == 0, phase.is_end(), "{phase}");
        }
        let round = [Chosen, Ended, Recorded, Extracted];
        assert_eq!(
            round.iter().try_fold(Phase::Choosing, |phase, signal| phase.after(*signal)),
            Some(Phase::Choosing)
        );
    }

    #[test]
    fn agents_go_in_order_try_again_and_end() {
        let agents = agents();
        let next = |turns: &[Turn]| by_order(&agents, |_| false, turns);
        assert!(matches!(next(&[]), Choice::Next(name, _) if name == "developer"));
        let failed = turn("developer", RunResult::Failure);
        assert!(matches!(next(std::slice::from_ref(&failed)), Choice::Next(name, _) if name == "developer"));
        assert!(matches!(next(&[failed.clone(), failed.clone()]), Choice::GiveUp(_)));
        let done = [failed, turn("developer", RunResult::Success)];
        assert!(matches!(next(&done), Choice::Next(name, _) if name == "tester"));
        let back = [turn("developer", RunResult::Success), turn("tester", RunResult::Partial)];
        assert!(matches!(next(&back), Choice::Next(name, _) if name == "developer"));
        let silent = Turn { said: String::new(), ..back[1].clone() };
        let again = [back[0].clone(), silent];
        assert!(matches!(next(&again), Choice::Next(name, _) if name == "tester"), "it blamed nobody");
        let early = [turn("tester", RunResult::Success)];
        assert!(matches!(next(&early), Choice::Next(name, _) if name == "developer"), "nobody is left out");
        let all = [turn("developer", RunResult::Success), turn("tester", RunResult::Success)];
        assert!(matches!(next(&all), Choice::Done(_)));
    }

    #[test]
    fn a_task_that_calls_agents_is_theirs_alone() {
        let agents = agents();
        let choice = by_order(&agents, |agent| agent.name == "tester", &[]);
        assert!(matches!(choice, Choice::Next(name, _) if name == "tester"));
    }
}
