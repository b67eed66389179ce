//! What a person's words in a run speak against: memories that are told, and were not right or are not any more.
//!
//! What only agents said is held back until a person has looked: a claim that somebody denied must not be told on. A
//! person's memory stays, whatever is heard. In both cases what the person says instead waits, and its approval
//! takes the old memory's place. Where they say nothing instead, a person's memory is only marked for review.
//!
//! Who does not name what they mean ("it's 50 now", "that rule is gone") means what the session was just given, if that is plain.

use std::cell::OnceCell;

use jiff::Timestamp;
use rawko_core::{
    Channel, DENIED_BY, Denial, Entry, Given, Memory, Proposal, Reply, Run, Slug, Status, Told, Trigger,
    Trust, Wished, correction, in_a_line, replies, wished,
};
use rawko_store::{Store, StoreError, UsageLog};
use serde_json::json;

use crate::engine::Engine;
use crate::feedback::OLD;
use crate::given::{before, messages};
use crate::review::word;

/// Most memories that one message denies: more is a sign that it is about something else.
const OF_A_MESSAGE: usize = 3;
/// Bytes of a memory that are held against a message.
const HEARD: usize = 1_500;
/// Most letters of what somebody said that are kept with what they denied.
const QUOTED: usize = 300;

/// A memory that a person speaks against in a run.
#[derive(Clone, Debug)]
pub struct Denied {
    /// The memory.
    pub slug: Slug,
    /// What the person says instead.
    pub denial: Denial,
    /// Whether it is held back until a person has looked.
    pub is_held: bool,
    /// Whether it goes on speaking, and a person is to look at it because nothing was said instead.
    pub is_marked: bool,
    /// What called the memory before a command or an edit.
    acts: Vec<Trigger>,
}

impl Engine {
    /// The memories that a person speaks against in a run, each once.
    pub(crate) fn denied(&self, run: &Run) -> Result<Vec<Denied>, StoreError> {
        let mut found: Vec<Denied> = Vec::new();
        let (replies, messages) = (replies(run), messages(run));
        let turns = if replies.iter().any(Reply::names_nothing) { self.given_to(run)? } else { Vec::new() };
        for (newest, reply) in replies.iter().enumerate() {
            let given = before(&turns, &messages, messages.len() - 1 - newest);
            let mut denials = self.denied_by(reply, &given, Memory::may_speak)?;
            if denials.is_empty() {
                denials.extend(self.denied_of_given(reply, &given)?);
            }
            denials.sort_by(|(_, a), (_, b)| b.sure.total_cmp(&a.sure));
            for (memory, denial) in denials.into_iter().take(OF_A_MESSAGE) {
                if !found.iter().any(|denied| denied.slug == memory.slug) {
                    let is_held = self.is_for_us_to_doubt(&memory);
                    let is_marked = denial.text.is_empty() && is_vouched_for(&memory);
                    let acts = acts(&memory);
                    found.push(Denied { slug: memory.slug, denial, is_held, is_marked, acts });
                }
            }
        }
        Ok(found)
    }

    /// The memories that a message speaks against: those that say what the agent said before and the person denies, and
    /// those that are known from before.
    fn denied_by(
        &self,
        reply: &Reply<'_>,
        given: &[(Slug, bool)],
        is_meant: impl Fn(&Memory) -> bool,
    ) -> Result<Vec<(Memory, Denial)>, StoreError> {
        let (mut denied, mut stored) = (Vec::new(), Vec::new());
        let claims = OnceCell::new();
        for (memory, title, text) in self.near_to(reply, is_meant)? {
            // What the agent only repeats is not its claim, and who says "it" may mean something else.
            let told = Told { title: &title, text: &text, is_stored: true };
            if given.iter().any(|(slug, _)| *slug == memory.slug) && reply.leaves_unnamed(&told) {
                continue;
            }
            let is_claim = reply.claims().iter().any(|claim| reply.says(&text, claim));
            let claims = || claims.get_or_init(|| reply.denied_claims());
            let claim =
                is_claim.then(|| claims().iter().find(|(claim, _)| reply.says(&text, claim))).flatten();
            match claim {
                Some((_, denial)) => denied.push((memory, denial.clone())),
                None if reply.was_said(&text) => {}
                None => stored.push((memory, title, text)),
            }
        }
        let told = stored.iter().map(|(_, title, text)| Told { title, text, is_stored: true });
        let denials = reply.denies(&told.collect::<Vec<_>>());
        denied.extend(denials.into_iter().map(|(n, denial)| (stored[n].0.clone(), denial)));
        Ok(denied)
    }

    /// The memory of those that the session was given which a message speaks against without naming it.
    ///
    /// What was held back or replaced since is held against it like the others: a message means the same the next time that it
    /// is heard.
    fn denied_of_given(
        &self,
        reply: &Reply<'_>,
        given: &[(Slug, bool)],
    ) -> Result<Option<(Memory, Denial)>, StoreError> {
        let mut known: Vec<(Memory, String, String, bool)> = Vec::new();
        for (slug, is_latest) in given {
            let memory = match self.show(slug) {
                Err(StoreError::Missing(_)) => continue,
                found => found?.memory,
            };
            if let Some((title, text)) = what_it_says(&memory) {
                known.push((memory, title, text, *is_latest));
            }
        }
        let told = known.iter().map(|(_, title, text, latest)| Given { title, text, is_latest: *latest });
        let Some((n, denial)) = reply.against_given(&told.collect::<Vec<_>>()) else { return Ok(None) };
        let memory = known.swap_remove(n).0;
        let names_another = || self.denied_by(reply, given, |_| true).map(|denied| !denied.is_empty());
        Ok(if memory.may_speak() && !names_another()? { Some((memory, denial)) } else { None })
    }

    /// The memories that agents are told and that a message, or the agent's words before it, speak of.
    fn near_to(
        &self,
        reply: &Reply<'_>,
        is_meant: impl Fn(&Memory) -> bool,
    ) -> Result<Vec<(Memory, String, String)>, StoreError> {
        let mut found: Vec<(Memory, String, String)> = Vec::new();
        for text in [reply.message(), reply.answered()] {
            for memory in self.speaking_of(text, &[])? {
                let is_known = found.iter().any(|(known, ..)| known.slug == memory.slug);
                if let Some((title, text)) = what_it_says(&memory).filter(|_| !is_known && is_meant(&memory))
                {
                    found.push((memory, title, text));
                }
            }
        }
        Ok(found)
    }

    /// Whether only agents vouch for a memory, and it is of the store that the run is learned into: what is known
    /// everywhere is not for one project's session to silence.
    fn is_for_us_to_doubt(&self, memory: &Memory) -> bool {
        let own = self.home_store().and_then(|store| store.read(&memory.slug).ok());
        own.is_some_and(|own| own.is_same(memory))
            && memory.standing().all(|known| known.trust <= Trust::Agent)
    }

    /// Lets a memory that only agents vouch for wait, because a person said otherwise; a person's goes on speaking, and is
    /// shown in review.
    pub(crate) fn doubt(&self, denied: &Denied) -> Result<(), StoreError> {
        let found = self.show(&denied.slug)?;
        let Some(store) = self.store(found.whose) else { return Ok(()) };
        let said = in_a_line(&denied.denial.said, QUOTED);
        // Somebody may have had a word since.
        let is_ours = if denied.is_held {
            self.is_for_us_to_doubt(&found.memory)
        } else {
            is_vouched_for(&found.memory) && !was_said_of(&found.memory, &said, self.now())
        };
        if !found.memory.may_speak() || !is_ours {
            return Ok(());
        }
        let by = found.memory.for_agents().map_or("agent", |fold| fold.discovered_by).to_owned();
        let mut entry = word(&found.memory, &by, self.now());
        entry.frontmatter.status = Some(Status::Pending);
        entry.frontmatter.extra.insert(DENIED_BY.to_owned(), json!(said));
        let title = entry.frontmatter.title.clone();
        let saved = self.append(entry, found.whose, &denied.slug, Channel::Agent)?;
        let line = json!({
            "kind": "admission", "at": self.now().to_string(), "title": title, "by": by, "decision": "pending",
            "reason": "denied", "why": format!("a person said in a run: “{said}”"),
            "slug": denied.slug.as_str(), "id": saved.id.to_string(),
        });
        // The log helps to explain; nothing fails for want of it.
        let _ = UsageLog::of(store.layout()).append(&line, self.now());
        Ok(())
    }
}

/// The proposals of a run with what a person said instead of what they denied: each names what it would replace.
pub(crate) fn with_corrections(
    run: &Run,
    denied: &[Denied],
    proposals: Vec<Proposal>,
    now: jiff::Timestamp,
) -> Vec<(Proposal, bool)> {
    let mut all: Vec<(Proposal, bool)> = Vec::new();
    for one in denied.iter().filter(|one| !one.denial.text.is_empty()) {
        let same = all.iter_mut().find(|(known, _)| known.entry.body.contains(&one.denial.text));
        let front = match same {
            Some((known, _)) => {
                known.entry.frontmatter.supersedes.push(one.slug.to_string());
                &mut known.entry.frontmatter
            }
            None => {
                all.push((correction(run, &one.denial, &one.slug, now), true));
                let Some((added, _)) = all.last_mut() else { continue };
                &mut added.entry.frontmatter
            }
        };
        let new: Vec<Trigger> =
            one.acts.iter().filter(|act| !front.when_to_use.contains(act)).cloned().collect();
        front.when_to_use.extend(new);
    }
    // What is said in a correction is not proposed once more.
    let is_said = |proposal: &Proposal| {
        let Entry { frontmatter, body } = &proposal.entry;
        let told = body.replace(&format!("# {}", frontmatter.title), "");
        denied.iter().any(|one| wished(&one.denial.text, std::slice::from_ref(&told)) > Wished::No)
    };
    all.extend(proposals.into_iter().filter(|proposal| !is_said(proposal)).map(|proposal| (proposal, false)));
    all
}

/// Whether a person vouches for a memory: what an agent's door writes into it neither silences nor changes it.
fn is_vouched_for(memory: &Memory) -> bool {
    memory.standing().any(|known| known.trust > Trust::Agent)
}

/// Whether these very words were noted against a memory in a session that may still be read again, whatever a person made
/// of them; in a later one, "that rule is gone" is said anew.
fn was_said_of(memory: &Memory, said: &str, now: Timestamp) -> bool {
    let is_late = |at: Timestamp| now.duration_since(at) < OLD;
    let notes = memory.entries.iter().map(|known| &known.entry.frontmatter);
    notes
        .into_iter()
        .any(|note| note.extra.get(DENIED_BY) == Some(&json!(said)) && is_late(note.discovered_at))
}

/// What calls a memory before a command or an edit.
fn acts(memory: &Memory) -> Vec<Trigger> {
    let triggers = memory.for_agents().map(|fold| fold.when_to_use).unwrap_or_default();
    let acts =
        triggers.into_iter().filter(|trigger| matches!(trigger, Trigger::Command(_) | Trigger::Path(_)));
    acts.cloned().collect()
}

/// What a memory tells agents: its title, and its text without headings.
fn what_it_says(memory: &Memory) -> Option<(String, String)> {
    let fold = memory.for_agents()?;
    let text = fold.text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let text = lines.join("\n");
    let text = text[..text.floor_char_boundary(HEARD)].trim().to_owned();
    (!text.is_empty()).then(|| (fold.title.to_owned(), text))
}
