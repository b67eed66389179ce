//! What somebody wants remembered, before it is an entry.

use jiff::Timestamp;
use rawko_core::{Entry, Frontmatter, Importance, Kind, Status, Trigger};
use serde_json::{Map, Value};

/// The time that an entry written `now` bears: to the thousandth, and never a whole second.
///
/// So entries of two branches differ in a line that may stand only once in an entry, and a merge that weaves
/// them into one is seen.
pub fn stamp(now: Timestamp) -> Timestamp {
    let rounded = now.round(jiff::Unit::Millisecond).unwrap_or(now);
    let whole = rounded.subsec_millisecond() == 0;
    if whole { next(rounded) } else { rounded }
}

/// The time of what is said `now` in a memory whose newest word is of the time `newest`: never before it, nor the same.
///
/// A clock may have jumped back or stand still; and what is said once more must differ from when it was said first.
pub fn stamp_after(newest: Timestamp, now: Timestamp) -> Timestamp {
    if now > newest { now } else { stamp(next(newest)) }
}

fn next(time: Timestamp) -> Timestamp {
    time.checked_add(jiff::SignedDuration::from_millis(1)).unwrap_or(time)
}

/// A memory in the making: everything but the title and the text has a default.
#[derive(Clone, Debug)]
pub struct Draft {
    title: String,
    body: String,
    when: Vec<Trigger>,
    importance: Importance,
    tags: Vec<String>,
    by: String,
    discovered_in: Option<String>,
    source: Option<String>,
    related: Vec<String>,
    kind: Option<Kind>,
    status: Option<Status>,
    supersedes: Vec<String>,
}

impl Draft {
    /// A draft of medium importance whose title is its trigger.
    pub fn new(title: impl Into<String>, body: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            body: body.into(),
            when: Vec::new(),
            importance: Importance::Medium,
            tags: Vec::new(),
            by: "person".to_owned(),
            discovered_in: None,
            source: None,
            related: Vec::new(),
            kind: None,
            status: None,
            supersedes: Vec::new(),
        }
    }

    /// Adds a trigger: a pattern or a sentence.
    pub fn when(mut self, trigger: impl Into<String>) -> Self {
        self.when.push(Trigger::Text(trigger.into()));
        self
    }

    /// Adds a typed trigger.
    pub fn trigger(mut self, trigger: Trigger) -> Self {
        self.when.push(trigger);
        self
    }

    /// Sets how much it matters.
    pub fn importance(mut self, importance: Importance) -> Self {
        self.importance = importance;
        self
    }

    /// Adds a tag.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Says who found it.
    pub fn by(mut self, by: impl Into<String>) -> Self {
        self.by = by.into();
        self
    }

    /// Says during which task it was found.
    pub fn discovered_in(mut self, task: Option<String>) -> Self {
        self.discovered_in = task;
        self
    }

    /// Says where it comes from.
    pub fn source(mut self, source: Option<String>) -> Self {
        self.source = source;
        self
    }

    /// Names a related memory.
    pub fn related(mut self, slug: impl Into<String>) -> Self {
        self.related.push(slug.into());
        self
    }

    /// Sets whether it states something or tells how to act.
    pub fn kind(mut self, kind: Option<Kind>) -> Self {
        self.kind = kind;
        self
    }

    /// Sets where it stands in its life.
    pub fn status(mut self, status: Option<Status>) -> Self {
        self.status = status;
        self
    }

    /// Names a memory that this one replaces.
    pub fn supersedes(mut self, slug: impl Into<String>) -> Self {
        self.supersedes.push(slug.into());
        self
    }

    /// The entry, found at `now`.
    pub fn entry(self, now: Timestamp) -> Entry {
        let when_to_use =
            if self.when.is_empty() { vec![Trigger::Text(self.title.clone())] } else { self.when };
        let frontmatter = Frontmatter {
            title: self.title,
            when_to_use,
            importance: self.importance,
            discovered_at: stamp(now),
            discovered_by: self.by,
            tags: self.tags,
            discovered_in: self.discovered_in,
            source: self.source,
            related_memories: self.related,
            kind: self.kind,
            status: self.status,
            supersedes: self.supersedes,
            evidence: Value::Null,
            should_fire: Vec::new(),
            should_not_fire: Vec::new(),
            trust: None,
            extra: Map::new(),
        };
        Entry { frontmatter, body: self.body }
    }
}
