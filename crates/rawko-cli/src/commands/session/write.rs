//! The commands that change a session.

use rawko::core::session::{
    Alternative, Attempt, AttemptResult, Decision, DecisionType, Discovery, DiscoveryType, Moment, Revision,
    SessionId, SessionStatus, Step, Update,
};
use serde_json::{Map, Value, json};

use super::args::{
    Adopt, Archive, AttemptFields, AttemptFinish, AttemptStart, AttemptUpdate, Context, Decide, Discover,
    End, Start, Whom,
};
use super::{Scene, agent_name, entry_name, text, word};
use crate::commands::{count, importance};
use crate::error::Failure;
use crate::output::Look;
use crate::person;

impl Scene<'_> {
    pub(super) fn start(&self, args: &Start) -> Result<(), Failure> {
        let task = text(&args.task)?;
        if task.trim().is_empty() {
            return Err(Failure::usage(
                "a session needs a task",
                "say what it is about: rawko session start \"…\"",
            ));
        }
        let agent = agent_name(args.agent.as_deref().unwrap_or(&crate::open::writer().1))?;
        super::super::say_if_personal(&self.engine, self.out);
        let id = self.engine.start_session(&task, &agent)?;
        if !args.step.is_empty() {
            let step = |text: &String| Step { description: text.clone(), status: Some("pending".to_owned()) };
            let steps = args.step.iter().map(step).collect();
            let revision = Revision { agent: Some(agent.clone()), reason: None, steps };
            self.engine.plan_session(&id, &revision)?;
        }
        if args.json {
            let folder = self.engine.sessions()?.folder(&id).display().to_string();
            return self.out.json(&json!({ "session": id.as_str(), "agent": agent, "folder": folder }));
        }
        self.out.line(format!("Started {}.", self.out.paint(Look::Strong, id.as_str())))
    }

    pub(super) fn discover(&self, args: &Discover) -> Result<(), Failure> {
        let words: Vec<&str> = DiscoveryType::ALL.iter().map(|kind| kind.as_str()).collect();
        let content = text(&args.content)?;
        if content.trim().is_empty() {
            return Err(Failure::usage("a discovery needs a text", "say what was learned"));
        }
        let discovery = Discovery {
            id: entry_name(args.id.as_deref())?,
            timestamp: Moment(self.engine.now()),
            kind: word(&args.kind, DiscoveryType::parse(&args.kind), "type of discovery", &words)?,
            importance: importance(&args.importance)?,
            content,
            related_files: args.file.clone(),
            action_items: args.action.clone(),
            extra: Map::new(),
        };
        self.update(&args.whom, Update::Discover(discovery), args.json)
    }

    pub(super) fn attempt_start(&self, args: &AttemptStart) -> Result<(), Failure> {
        let description = text(&args.description)?;
        if description.trim().is_empty() {
            return Err(Failure::usage("an attempt needs a description", "say what is tried, in a line"));
        }
        let mut fields = Map::new();
        fields.insert("id".to_owned(), Value::from(entry_name(args.id.as_deref())?));
        fields.insert("timestamp".to_owned(), Value::from(Moment(self.engine.now()).text()));
        fields.extend(args.step.map(|step| ("planStep".to_owned(), Value::from(step))));
        fields.insert("description".to_owned(), Value::from(description));
        fields.insert("result".to_owned(), Value::from(AttemptResult::InProgress.as_str()));
        fields.extend(said(&args.fields)?);
        let attempt: Attempt =
            serde_json::from_value(Value::Object(fields)).expect("the fields of an attempt");
        self.update(&args.whom, Update::Start(attempt), args.fields.json)
    }

    pub(super) fn attempt_update(&self, args: &AttemptUpdate) -> Result<(), Failure> {
        let changes = said(&args.fields)?;
        if changes.is_empty() {
            return Err(Failure::usage(
                "nothing to say of the attempt",
                "use --progress, --status, --sub-task, --issue or --next",
            ));
        }
        self.update(&args.whom, Update::Attempt { id: args.id.clone(), changes }, args.fields.json)
    }

    pub(super) fn attempt_finish(&self, args: &AttemptFinish) -> Result<(), Failure> {
        let words = ["success", "failure", "partial"];
        let result = AttemptResult::parse(&args.result).filter(|result| *result != AttemptResult::InProgress);
        let result = word(&args.result, result, "result of an attempt that ended", &words)?;
        let mut changes = said(&args.fields)?;
        changes.insert("result".to_owned(), Value::from(result.as_str()));
        let texts = [
            ("output", &args.output),
            ("error", &args.error),
            ("lessons", &args.lessons),
            ("nextAttempt", &args.next_attempt),
        ];
        for (key, given) in texts {
            if let Some(given) = given {
                changes.insert(key.to_owned(), Value::from(text(given)?));
            }
        }
        if !args.artifact.is_empty() {
            let artifact = |given: &String| match given.rsplit_once('=') {
                Some((path, action)) => json!({ "path": path, "action": action, "status": result.as_str() }),
                None => json!({ "path": given, "status": result.as_str() }),
            };
            changes.insert("artifacts".to_owned(), args.artifact.iter().map(artifact).collect());
        }
        changes.extend(args.duration_ms.map(|n| ("duration_ms".to_owned(), Value::from(n))));
        changes.extend(args.iterations.map(|n| ("iterations".to_owned(), Value::from(n))));
        let tokens = [("input", args.tokens_in), ("output", args.tokens_out)];
        let tokens: Map<String, Value> =
            tokens.into_iter().filter_map(|(key, n)| Some((key.to_owned(), Value::from(n?)))).collect();
        if !tokens.is_empty() {
            changes.insert("tokensUsed".to_owned(), Value::Object(tokens));
        }
        self.update(&args.whom, Update::Attempt { id: args.id.clone(), changes }, args.fields.json)
    }

    pub(super) fn decide(&self, args: &Decide) -> Result<(), Failure> {
        let words: Vec<&str> = DecisionType::ALL.iter().map(|kind| kind.as_str()).collect();
        let alternative = |given: &String| match given.split_once('=') {
            Some((name, reason)) => Alternative::Named {
                name: name.to_owned(),
                reason: Some(reason.to_owned()),
                extra: Map::new(),
            },
            None => Alternative::Text(given.clone()),
        };
        let decision = Decision {
            id: entry_name(args.id.as_deref())?,
            timestamp: Moment(self.engine.now()),
            kind: word(&args.kind, DecisionType::parse(&args.kind), "type of decision", &words)?,
            description: text(&args.description)?,
            reasoning: args.reasoning.as_deref().map(text).transpose()?,
            alternatives: args.alternative.iter().map(alternative).collect(),
            impact: args.impact.as_deref().map(importance).transpose()?,
            reversible: args.reversible,
            related_discoveries: args.related.clone(),
            extra: Map::new(),
        };
        self.update(&args.whom, Update::Decide(decision), args.json)
    }

    pub(super) fn context(&self, args: &Context) -> Result<(), Failure> {
        let changes = understood(args)?;
        if !changes.is_empty() {
            return self.update(&args.whom, Update::Context(changes), args.json);
        }
        let id = self.session(args.whom.which.session.as_deref())?;
        let agent = self.agent(&id, args.whom.agent.as_deref())?;
        let memories = self.engine.sessions()?.read(&id)?.memories;
        let known = memories.into_iter().find(|memory| memory.agent == agent);
        let known = known.and_then(|memory| memory.context).unwrap_or_default();
        let value = serde_json::to_value(&known).unwrap_or_default();
        if args.json {
            return self.out.json(&json!({ "session": id.as_str(), "agent": agent, "context": value }));
        }
        match value.as_object().filter(|fields| !fields.is_empty()) {
            Some(fields) => {
                fields.iter().try_for_each(|(key, value)| super::read::field(self.out, key, value))
            }
            None => self.out.line("No context is set: rawko session context --step 1"),
        }
    }

    pub(super) fn end(&self, args: &End) -> Result<(), Failure> {
        let id = self.session(args.which.session.as_deref())?;
        let status = SessionStatus::parse(&args.status).filter(|status| *status != SessionStatus::Open);
        let status = word(&args.status, status, "way to end a session", &["done", "failed", "stopped"])?;
        self.engine.end_session(&id, status, args.summary.as_deref())?;
        if args.json {
            return self.out.json(&json!({ "session": id.as_str(), "status": status.as_str() }));
        }
        self.out.line(format!("Ended {}: {}.", self.out.paint(Look::Strong, id.as_str()), status.as_str()))
    }

    pub(super) fn adopt(&self, args: &Adopt) -> Result<(), Failure> {
        let id = self.session(Some(&args.session))?;
        let what = format!("Let agents be told what session {id} says?");
        person::says_yes("session adopt", &what)?;
        self.engine.adopt_session(&id)?;
        self.out.line(format!("Adopted {}.", self.out.paint(Look::Strong, id.as_str())))
    }

    pub(super) fn archive(&self, args: &Archive) -> Result<(), Failure> {
        let id = self.session(args.which.session.as_deref())?;
        let done = self.engine.archive_session(&id, args.keep)?;
        if args.json {
            return self
                .out
                .json(&json!({ "session": id.as_str(), "moved": done.moved, "bytes": done.bytes }));
        }
        let name = self.out.paint(Look::Strong, id.as_str());
        match done.moved {
            0 => self.out.say(format!(
                "Nothing to archive in {name}: nothing that ended is older than that; `--keep 0` takes all that ended."
            )),
            n => self.out.line(format!(
                "Archived {} of {name}; the file has {} KB now.",
                count(n, "entry", "entries"),
                done.bytes.div_ceil(1024)
            )),
        }
    }

    fn update(&self, whom: &Whom, update: Update, json: bool) -> Result<(), Failure> {
        let id = self.session(whom.which.session.as_deref())?;
        let agent = self.agent(&id, whom.agent.as_deref())?;
        let done = self.engine.update_session(&id, &agent, update)?;
        if json {
            return self.out.json(&json!({
                "session": id.as_str(), "agent": agent, "id": done.id, "already": done.already, "archived": done.archived,
            }));
        }
        self.told(&id, &agent, &done)
    }

    fn told(&self, id: &SessionId, agent: &str, done: &rawko::store::Updated) -> Result<(), Failure> {
        let what = if done.id.is_empty() { "context" } else { &done.id };
        let what = self.out.paint(Look::Strong, what);
        let agent = self.out.paint(Look::Faint, agent);
        if done.already {
            return self.out.line(format!("Nothing to do: {what} of {agent} is in {id} already."));
        }
        self.out.line(format!("Saved {what} of {agent} in {id}."))?;
        match done.archived {
            0 => Ok(()),
            n => self.out.line(format!("{} went to the archive.", count(n, "older entry", "older entries"))),
        }
    }
}

/// What the options say of an attempt.
fn said(args: &AttemptFields) -> Result<Map<String, Value>, Failure> {
    let mut fields = Map::new();
    let texts = [
        ("approach", &args.approach),
        ("status", &args.status),
        ("progress", &args.progress),
        ("currentIssue", &args.issue),
        ("nextStep", &args.next),
    ];
    for (key, given) in texts {
        if let Some(given) = given {
            fields.insert(key.to_owned(), Value::from(text(given)?));
        }
    }
    if !args.command.is_empty() {
        fields.insert("commands".to_owned(), json!(args.command));
    }
    if !args.sub_task.is_empty() {
        let part = |given: &String| match given.rsplit_once('=') {
            Some((description, status)) => json!({ "description": description, "status": status }),
            None => json!({ "description": given, "status": "pending" }),
        };
        fields.insert("subTasks".to_owned(), args.sub_task.iter().map(part).collect());
    }
    Ok(fields)
}

/// What the options say of a context.
fn understood(args: &Context) -> Result<Map<String, Value>, Failure> {
    const LISTS: [&str; 6] =
        ["constraints", "openQuestions", "nextSteps", "blockers", "assumptions", "filesInScope"];
    let mut fields = Map::new();
    fields.extend(args.step.map(|step| ("currentPlanStep".to_owned(), Value::from(step))));
    fields.extend(args.step_status.clone().map(|word| ("planStepStatus".to_owned(), Value::from(word))));
    let files = args.file.iter().map(|given| {
        let mut parts = given.splitn(3, '=');
        let mut file = Map::new();
        for key in ["path", "status", "purpose"] {
            file.extend(parts.next().map(|part| (key.to_owned(), Value::from(part))));
        }
        Value::Object(file)
    });
    let files: Vec<Value> = files.collect();
    if !files.is_empty() {
        fields.insert("filesInScope".to_owned(), Value::Array(files));
    }
    let maps = [("codebaseUnderstanding", &args.know), ("taskContext", &args.task)];
    for (key, given) in maps.into_iter().filter(|(_, given)| !given.is_empty()) {
        let mut map = Map::new();
        for pair in given {
            let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
                return Err(Failure::usage(
                    format!("`{pair}` is no key with a value"),
                    "write it as `runtime=Deno`",
                ));
            };
            map.insert(key.to_owned(), Value::from(value));
        }
        fields.insert(key.to_owned(), Value::Object(map));
    }
    let lists = [&args.constraint, &args.question, &args.next, &args.blocker, &args.assumption];
    for (key, given) in LISTS.iter().zip(lists).filter(|(_, given)| !given.is_empty()) {
        fields.insert((*key).to_owned(), json!(given));
    }
    for name in &args.clear {
        let key = word(name, LISTS.iter().find(|list| **list == name.as_str()), "list of a context", &LISTS)?;
        fields.insert((*key).to_owned(), Value::Array(Vec::new()));
    }
    Ok(fields)
}
