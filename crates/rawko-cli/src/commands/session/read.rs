//! The commands that only read a session.

use rawko::core::inert_line;
use rawko::core::session::{AgentMemory, Alternative, File, Metadata, SessionId, SessionStatus};
use rawko::store::Sessions;
use rawko::{END_LEFT, SessionHit, SessionSummary};
use serde_json::{Value, json};

use super::args::{Arbiter, List, Prompt, Search, Show};
use super::{Scene, text};
use crate::commands::{count, wire};
use crate::error::Failure;
use crate::output::{Look, Output};

impl Scene<'_> {
    pub(super) fn list(&self, args: &List) -> Result<(), Failure> {
        let is_open = |summary: &SessionSummary| {
            summary.metadata.as_ref().is_none_or(|metadata| metadata.status == SessionStatus::Open)
        };
        let mut all = self.engine.list_sessions()?;
        all.retain(|summary| !args.open || is_open(summary));
        all.truncate(args.limit);
        if args.json {
            let sessions: Vec<Value> = all.iter().map(in_json).collect();
            return self.out.json(&json!({ "sessions": sessions }));
        }
        if all.is_empty() {
            return self.out.line("No sessions: rawko session start \"what it is about\"");
        }
        let row = |summary: &SessionSummary| {
            let of = |get: fn(&Metadata) -> String| summary.metadata.as_ref().map_or("?".to_owned(), get);
            vec![
                summary.id.to_string(),
                of(|metadata| metadata.status.as_str().to_owned())
                    + if summary.is_left { ", left" } else { "" },
                summary.last_sign.map_or("?".to_owned(), minute),
                of(|metadata| metadata.agent.clone().unwrap_or_default()),
                of(|metadata| metadata.task.clone()),
            ]
        };
        let head = ["session", "status", "last sign", "agent", "task"];
        self.out.table(&head, &all.iter().map(row).collect::<Vec<_>>())?;
        match all.iter().filter(|summary| summary.is_left).count() {
            0 => Ok(()),
            n => {
                let one = "session is open though its run was ended from outside";
                let left = count(n, one, "sessions are open though their runs were ended from outside");
                self.out.say(format!("{left}: {END_LEFT}"))
            }
        }
    }

    pub(super) fn show(&self, args: &Show) -> Result<(), Failure> {
        let sessions = self.engine.sessions()?;
        let id =
            self.session(args.session.as_deref()).map_err(|failure| match (failure, sessions.ids()) {
                // What was open a moment ago is what one wants to see.
                (Failure::Wrong { message, .. }, Ok(ids)) if args.session.is_none() && !ids.is_empty() => {
                    Failure::wrong(
                        message,
                        format!("none goes on; the newest: rawko session show {}", ids[0]),
                    )
                }
                (failure, _) => failure,
            })?;
        let summary = self.engine.summarize_session(id.clone())?;
        let metadata = summary.metadata.clone();
        let read = if args.all { sessions.read_whole(&id)? } else { sessions.read(&id)? };
        let takes = |memory: &&AgentMemory| args.agent.as_ref().is_none_or(|agent| *agent == memory.agent);
        let memories: Vec<&AgentMemory> = read.memories.iter().filter(takes).collect();
        if let (Some(agent), true) = (&args.agent, memories.is_empty()) {
            let names: Vec<&str> = read.memories.iter().map(|memory| memory.agent.as_str()).collect();
            let hint = format!("there are: {}", names.join(", "));
            return Err(Failure::wrong(format!("`{agent}` has no memory of {id}"), hint));
        }
        if args.json {
            let mut value = in_json(&summary);
            value["agents"] = memories.iter().map(|memory| memory_json(memory)).collect();
            for (name, file) in
                [("plan", File::Plan), ("conversation", File::Conversation), ("state", File::Context)]
            {
                value[name] = Value::Object(sessions.fields(&id, file).unwrap_or_default());
            }
            value["problems"] = Value::from(read.problems.len());
            return self.out.json(&value);
        }
        let out = self.out;
        out.line(out.paint(Look::Strong, id.as_str()))?;
        if let Some(metadata) = &metadata {
            label(out, "task", &metadata.task)?;
            label(out, "status", metadata.status.as_str())?;
            if let Some(summary) = &metadata.summary {
                label(out, "summary", summary)?;
            }
            if let Some(run) = where_it_is(&sessions, &summary) {
                label(out, "run", &run)?;
            }
        }
        if let Some(at) = summary.last_sign {
            label(out, "last sign", &minute(at))?;
        }
        memories.iter().try_for_each(|memory| show_memory(out, memory))?;
        if !read.problems.is_empty() {
            let text = format!(
                "{} in its files: rawko session validate {id}",
                count(read.problems.len(), "problem", "problems")
            );
            out.line(out.paint(Look::Warn, &text))?;
        }
        Ok(())
    }

    pub(super) fn prompt(&self, args: &Prompt) -> Result<(), Failure> {
        let id = self.session(args.whom.which.session.as_deref())?;
        let agent = self.agent(&id, args.whom.agent.as_deref())?;
        let system = text(&args.system)?;
        let prompt = self.engine.session_prompt(&id, &agent, &system)?;
        // Without a prompt of the agent's own, nothing stands before the heading.
        let prompt = if system.is_empty() { prompt.trim_start() } else { &prompt };
        if args.json {
            let newer = self.newer(&id)?;
            let said = json!({ "session": id.as_str(), "agent": agent, "prompt": prompt, "newer": newer });
            return self.out.json(&said);
        }
        if prompt.is_empty() { Ok(()) } else { self.out.text(prompt) }
    }

    pub(super) fn arbiter(&self, args: &Arbiter) -> Result<(), Failure> {
        let id = self.session(args.which.session.as_deref())?;
        let prompt = self.engine.session_arbiter(&id)?;
        if args.json {
            let newer = self.newer(&id)?;
            return self.out.json(&json!({ "session": id.as_str(), "prompt": prompt, "newer": newer }));
        }
        self.out.text(&prompt)
    }

    /// The agents whose memory has a version that this rawko does not read.
    fn newer(&self, id: &SessionId) -> Result<Vec<Value>, Failure> {
        let newer = self.engine.sessions()?.read(id)?.newer.into_iter();
        Ok(newer.map(|(agent, version)| json!({ "agent": agent, "version": version })).collect())
    }

    pub(super) fn search(&self, args: &Search) -> Result<(), Failure> {
        let only = args.session.as_deref().map(|name| self.session(Some(name))).transpose()?;
        let hits = self.engine.search_sessions(&args.query, only.as_ref(), args.limit)?;
        if args.json {
            let hits: Vec<Value> = hits.iter().map(hit_json).collect();
            return self.out.json(&json!({ "query": args.query, "hits": hits }));
        }
        if hits.is_empty() {
            return self.out.line("Nothing fits.");
        }
        hits.iter().try_for_each(|hit| self.show_hit(hit, args.explain))
    }

    fn show_hit(&self, hit: &SessionHit, explain: bool) -> Result<(), Failure> {
        let out = self.out;
        let score = format!("{:>5.1}", hit.score.total());
        out.line(format!(
            "{score}  {}  {}",
            out.paint(Look::Strong, &inert_line(&hit.id)),
            inert_line(&hit.title)
        ))?;
        let place =
            format!("       {} of {} in {}, {}", hit.kind, inert_line(&hit.agent), hit.session, hit.at);
        out.line(out.paint(Look::Faint, &place))?;
        if explain {
            out.line(format!("       = {}", wire::parts_in_a_line(&hit.score)))?;
        }
        Ok(())
    }
}

/// Where a session's run is, or where it was when something ended it; `None` where there was none.
fn where_it_is(sessions: &Sessions, summary: &SessionSummary) -> Option<String> {
    let (state, since) = sessions.state(&summary.id).ok()??;
    let (phase, round) = (state.state?, state.round?);
    let agent = state.agent.map_or(String::new(), |agent| format!(" {agent}"));
    let since = since.map_or(String::new(), |since| format!(", since {since}"));
    let end = match summary.is_left {
        true => {
            let end = END_LEFT.replace("<id>", summary.id.wordless());
            format!("; its process is gone, so this is where it stopped: {end}")
        }
        false => String::new(),
    };
    Some(format!("{phase}{agent} after {}{since}{end}", count(round as usize, "turn", "turns")))
}

/// A time to the minute.
fn minute(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn in_json(summary: &SessionSummary) -> Value {
    let id = summary.id.as_str();
    let Some(metadata) = &summary.metadata else { return json!({ "session": id, "status": null }) };
    json!({
        "session": id, "status": metadata.status.as_str(), "task": metadata.task, "agent": metadata.agent,
        "createdAt": metadata.created_at, "endedAt": metadata.ended_at, "summary": metadata.summary,
        "lastSign": summary.last_sign.map(|at| at.to_string()), "left": summary.is_left,
    })
}

fn memory_json(memory: &AgentMemory) -> Value {
    let mut value = json!({
        "agent": memory.agent, "sessionId": memory.session_id, "createdAt": memory.created_at,
        "discoveries": memory.discoveries, "attempts": memory.attempts, "decisions": memory.decisions,
        "context": memory.context, "history": memory.history,
    });
    memory.extra.iter().for_each(|(key, extra)| value[key] = extra.clone());
    value
}

fn hit_json(hit: &SessionHit) -> Value {
    json!({
        "session": hit.session.as_str(), "agent": hit.agent, "kind": hit.kind, "id": hit.id, "at": hit.at.to_string(),
        "title": hit.title, "text": hit.text, "score": hit.score.total(),
        "parts": wire::parts(&hit.score),
    })
}

fn label(out: &Output, name: &str, value: &str) -> Result<(), Failure> {
    out.line(format!("{} {}", out.paint(Look::Faint, &format!("{name:<13}")), inert_line(value)))
}

/// A field with its value, lists and maps on lines of their own.
pub(super) fn field(out: &Output, name: &str, value: &Value) -> Result<(), Failure> {
    match value {
        Value::String(text) => label(out, &inert_line(name), text),
        Value::Array(items) => items.iter().try_for_each(|item| match item.as_str() {
            Some(text) => label(out, &inert_line(name), text),
            None => label(out, &inert_line(name), &item.to_string()),
        }),
        Value::Object(map) => map.iter().try_for_each(|(key, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            label(out, &inert_line(name), &format!("{key}: {text}"))
        }),
        value => label(out, &inert_line(name), &value.to_string()),
    }
}

fn show_memory(out: &Output, memory: &AgentMemory) -> Result<(), Failure> {
    out.line("")?;
    out.line(out.paint(Look::Strong, &format!("## {}", inert_line(&memory.agent))))?;
    for history in &memory.history {
        entry(
            out,
            &history.id,
            "history",
            &format!("{} to {}", history.from.text(), history.to.text()),
            &history.summary,
        )?;
    }
    for discovery in &memory.discoveries {
        let kind = format!("{}, {}", discovery.kind.as_str(), discovery.importance.as_str());
        let text = with_fields(&discovery.content, discovery, &["content"]);
        entry(out, &discovery.id, &kind, &discovery.timestamp.text(), &text)?;
    }
    for attempt in &memory.attempts {
        let text = with_fields(&attempt.description, attempt, &["description"]);
        entry(out, &attempt.id, attempt.result.as_str(), &attempt.timestamp.text(), &text)?;
    }
    for decision in &memory.decisions {
        let others = decision.alternatives.iter().map(|other| match other {
            Alternative::Text(text) => format!("not: {text}"),
            Alternative::Named { name, reason, .. } => {
                format!("not: {name} ({})", reason.as_deref().unwrap_or("no reason given"))
            }
        });
        let text = [decision.description.clone(), decision.reasoning.clone().unwrap_or_default()]
            .into_iter()
            .chain(others)
            .collect::<Vec<_>>()
            .join("\n");
        let text = with_fields(&text, decision, &["description", "reasoning", "alternatives"]);
        entry(out, &decision.id, decision.kind.as_str(), &decision.timestamp.text(), &text)?;
    }
    match serde_json::to_value(&memory.context) {
        Ok(Value::Object(fields)) => fields.iter().try_for_each(|(key, value)| field(out, key, value)),
        _ => Ok(()),
    }
}

/// A text, and below it each field of its entry that is set; `shown` are in the text, or above it.
fn with_fields<T: serde::Serialize>(text: &str, entry: &T, shown: &[&str]) -> String {
    let above = ["id", "timestamp", "type", "importance", "result"];
    let mut text = text.trim_end().to_owned();
    let Ok(Value::Object(fields)) = serde_json::to_value(entry) else { return text };
    for (key, value) in fields.iter().filter(|(key, _)| !above.contains(&key.as_str())) {
        let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for item in items.iter().filter(|_| !shown.contains(&key.as_str())) {
            text.push_str(&format!("\n{key}: {}", in_words(item)));
        }
    }
    text
}

/// A value in a line, as a person would say it.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim_end().to_owned(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let pair = |(key, value): (&String, &Value)| format!("{key} {}", in_words(value));
            fields.iter().map(pair).collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}

fn entry(out: &Output, id: &str, kind: &str, at: &str, text: &str) -> Result<(), Failure> {
    let head = format!("({kind}) {at}");
    out.line(format!("{} {}", out.paint(Look::Strong, &inert_line(id)), out.paint(Look::Faint, &head)))?;
    text.lines().filter(|line| !line.trim().is_empty()).try_for_each(|line| out.text(&format!("    {line}")))
}
