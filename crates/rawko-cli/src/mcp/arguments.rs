//! What a model gave to a tool, read with errors that it can mend.

use rawko::core::{in_a_line, inert_line};
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::error::Failure;

/// Longest text of one argument, in bytes.
const LONGEST: usize = 256 * 1024;
/// Most items in a list.
const MOST: usize = 50;

/// A sentence for a model: what is wrong, and what to do.
#[derive(Debug)]
pub(super) struct Mend(pub(super) String);

impl From<Failure> for Mend {
    fn from(failure: Failure) -> Self {
        let (message, hint) = match failure {
            Failure::Wrong { message, hint } | Failure::Usage { message, hint } => (message, hint),
            Failure::Closed | Failure::Said | Failure::Code(_) => ("it failed".to_owned(), None),
        };
        let hint = hint.map_or(String::new(), |hint| format!(" ({hint})"));
        Self(in_a_line(&format!("{message}{hint}"), 600))
    }
}

impl From<rawko::StoreError> for Mend {
    fn from(error: rawko::StoreError) -> Self {
        Failure::from(error).into()
    }
}

pub(super) fn mend<T>(sentence: impl Into<String>) -> Result<T, Mend> {
    Err(Mend(sentence.into()))
}

/// The arguments of one call.
#[derive(Debug)]
pub(super) struct Arguments(JsonObject);

impl Arguments {
    /// Takes them if all have names that the tool knows.
    pub(super) fn new(given: Option<JsonObject>, known: &JsonObject) -> Result<Self, Mend> {
        let given = given.unwrap_or_default();
        let names = known.get("properties").and_then(Value::as_object);
        let is_known = |name: &String| names.is_some_and(|names| names.contains_key(name));
        if let Some(stranger) = given.keys().find(|name| !is_known(name)) {
            let names: Vec<&str> =
                names.into_iter().flat_map(|names| names.keys()).map(String::as_str).collect();
            return mend(format!(
                "there is no argument `{}`: use {}",
                in_a_line(stranger, 40),
                names.join(", ")
            ));
        }
        Ok(Self(given))
    }

    fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text, if there is one.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Mend> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.len() > LONGEST => {
                mend(format!("`{name}` has over {LONGEST} bytes: give the part that matters"))
            }
            Some(Value::String(text)) => {
                Ok(Some(text).filter(|text| !text.trim().is_empty()).map(|text| text.trim()))
            }
            Some(_) => mend(format!("`{name}` must be a text")),
        }
    }

    /// A text that must be there; `what` says what it is.
    pub(super) fn need(&self, name: &str, what: &str) -> Result<&str, Mend> {
        self.text(name)?.map_or_else(|| mend(format!("`{name}` is missing: give {what}")), Ok)
    }

    /// A word of a few; `None` where it is not given.
    pub(super) fn word<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
        words: &[&str],
    ) -> Result<Option<T>, Mend> {
        let Some(word) = self.text(name)? else { return Ok(None) };
        match parse(word) {
            Some(parsed) => Ok(Some(parsed)),
            None => {
                mend(format!("`{}` is no {name}: use {}", in_a_line(&inert_line(word), 40), words.join(", ")))
            }
        }
    }

    /// A list of texts; a single text is a list of one.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, Mend> {
        let items = match self.given(name) {
            None => return Ok(Vec::new()),
            Some(Value::String(text)) => return Ok(vec![text.trim().to_owned()]),
            Some(Value::Array(items)) => items,
            Some(_) => return mend(format!("`{name}` must be a list of texts")),
        };
        if items.len() > MOST {
            return mend(format!("`{name}` has over {MOST} items: give the ones that matter"));
        }
        let text = |item: &Value| {
            item.as_str().filter(|text| text.len() <= 2_000).map(|text| text.trim().to_owned())
        };
        match items.iter().map(text).collect::<Option<Vec<_>>>() {
            Some(texts) => Ok(texts.into_iter().filter(|text| !text.is_empty()).collect()),
            None => mend(format!("`{name}` must be a list of short texts")),
        }
    }

    /// A number from 1 to `most`.
    pub(super) fn number(&self, name: &str, otherwise: usize, most: usize) -> Result<usize, Mend> {
        match self.given(name) {
            None => Ok(otherwise),
            Some(value) => match value.as_u64().filter(|&number| number > 0) {
                Some(number) => Ok(usize::try_from(number).unwrap_or(most).min(most)),
                None => mend(format!("`{name}` must be a number from 1 to {most}")),
            },
        }
    }

    /// Yes or no, which must be said.
    pub(super) fn yes(&self, name: &str) -> Result<bool, Mend> {
        match self.given(name) {
            Some(Value::Bool(yes)) => Ok(*yes),
            _ => mend(format!("`{name}` must be true or false")),
        }
    }
}
