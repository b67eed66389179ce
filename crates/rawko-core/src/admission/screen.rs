//! What every text goes through, also one that is stored whatever it is worth: secrets out, orders seen.

use super::Reason;
use crate::entry::{Entry, Status};
use crate::lint::Lint;
use crate::redact::{Redactor, without};

/// Why the text, or any field of it, reads like orders; `whole` is title and body.
pub(super) fn orders(lint: &Lint, entry: &Entry, whole: &str) -> Option<String> {
    let front = &entry.frontmatter;
    let triggers = front.when_to_use.iter().map(crate::entry::Trigger::text);
    let fields = triggers.chain(front.tags.iter().map(String::as_str));
    let mut looked = vec![whole, front.title.as_str(), front.discovered_by.as_str()];
    // Many a trigger is the title once more.
    fields.for_each(|field| {
        if !looked.contains(&field) {
            looked.push(field);
        }
    });
    looked.into_iter().find_map(|text| lint.look(text))
}

/// What is done to every text that comes in past admission: an import is stored, whatever it is worth.
#[derive(Clone, Debug)]
pub struct Screened {
    /// What to store: without secrets, and waiting where it reads like orders.
    pub entry: Entry,
    /// The rules of the secrets that were taken out.
    pub secrets: Vec<&'static str>,
    /// Why it waits, beyond what its trust says: it reads like orders, or holds what a reader would not see.
    pub waits: Option<String>,
}

/// Screens entries; its rules are compiled once, because that takes longer than to screen one.
#[derive(Default)]
pub struct Screener {
    lint: Lint,
    redactor: Redactor,
}

impl Screener {
    /// Takes the secrets out of an entry, and looks whether it must wait for a person.
    pub fn screen(&self, entry: &Entry) -> Screened {
        let (mut entry, secrets) = without_secrets(&self.redactor, entry);
        let whole = format!("{}.\n{}", entry.frontmatter.title, entry.body);
        let orders = orders(&self.lint, &entry, &whole).map(|why| Reason::Orders(why).to_string());
        let waits = orders.or_else(|| crate::hidden::hidden(&whole).map(|what| format!("it holds {what}")));
        let status = &mut entry.frontmatter.status;
        if waits.is_some() && status.unwrap_or_default() == Status::Active {
            *status = Some(Status::Pending);
        }
        Screened { entry, secrets, waits }
    }
}

/// The entry with secrets out of every field, and the rules that knew them: for every door, a person's too.
pub fn entry_without_secrets(entry: &Entry) -> (Entry, Vec<&'static str>) {
    without_secrets(&Redactor::default(), entry)
}

/// The entry with secrets out of every field, and the rules that knew them.
///
/// What one field shows to be a secret is one in every other field too.
pub(super) fn without_secrets(redactor: &Redactor, entry: &Entry) -> (Entry, Vec<&'static str>) {
    let mut entry = entry.clone();
    let mut known: Vec<(String, &'static str)> = Vec::new();
    each_text(&mut entry, &mut |text| {
        let secrets = redactor.secrets(text);
        for secret in &secrets {
            let found = (text[secret.range.clone()].to_owned(), secret.rule);
            // One secret in three fields is one.
            if !known.contains(&found) {
                known.push(found);
            }
        }
        if !secrets.is_empty() {
            *text = without(text, &secrets);
        }
    });
    each_text(&mut entry, &mut |text| {
        for (value, rule) in &known {
            if value.len() > 5 && text.contains(value.as_str()) {
                *text = text.replace(value.as_str(), &format!("‹secret:{rule}›"));
            }
        }
    });
    (entry, known.into_iter().map(|(_, rule)| rule).collect())
}

/// Shows every text of an entry to `visit`.
fn each_text(entry: &mut Entry, visit: &mut dyn FnMut(&mut String)) {
    visit(&mut entry.body);
    let front = &mut entry.frontmatter;
    visit(&mut front.title);
    visit(&mut front.discovered_by);
    front.discovered_in.iter_mut().chain(&mut front.source).for_each(&mut *visit);
    let lists = [
        &mut front.tags,
        &mut front.related_memories,
        &mut front.supersedes,
        &mut front.should_fire,
        &mut front.should_not_fire,
    ];
    lists.into_iter().flatten().for_each(&mut *visit);
    front.when_to_use.iter_mut().for_each(|trigger| visit(trigger.text_mut()));
    each_value(&mut front.evidence, visit);
    each_field(&mut front.extra, visit);
}

/// The names of fields, too: whoever chooses a field chooses its name.
fn each_field(fields: &mut serde_json::Map<String, serde_json::Value>, visit: &mut dyn FnMut(&mut String)) {
    *fields = std::mem::take(fields)
        .into_iter()
        .map(|(mut name, mut value)| {
            visit(&mut name);
            each_value(&mut value, visit);
            (name, value)
        })
        .collect();
}

fn each_value(value: &mut serde_json::Value, visit: &mut dyn FnMut(&mut String)) {
    match value {
        serde_json::Value::String(text) => visit(text),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| each_value(item, visit)),
        serde_json::Value::Object(fields) => each_field(fields, visit),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_scrubbed_as_texts_are() {
        let secret = ["ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
        let text = format!(
            "---\ntitle: Jobs\nwhenToUse:\n  - job\nimportance: high\ndiscoveredAt: 2026-01-23T10:30:00Z\ndiscoveredBy: ada\nsupersedes:\n  - {secret}\nnote:\n  {secret}: 1\n{secret}: 2\n---\n\nA job is held.\n"
        );
        let entry = crate::parse(&text).entries.remove(0).entry;
        assert!(entry.to_text().contains(&secret));
        let (clean, secrets) = super::entry_without_secrets(&entry);
        assert!(!clean.to_text().contains("ghp_") && secrets.len() == 1, "{}", clean.to_text());
    }
}
