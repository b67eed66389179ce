//! The embedding model of the settings, and what to say where it does not answer.

use std::env;
use std::thread;

use rawko::Engine;
use rawko::provider::{ChoiceError, EMBEDDING_KINDS, Encoder, ProviderError, choose_encoder};

use crate::commands::hook;
use crate::error::Failure;
use crate::hosts::learning;
use crate::open;

/// The model of the settings, where there is one; or, as a note, why it cannot be asked.
pub(crate) fn chosen(engine: &Engine) -> (Option<Encoder>, Option<String>) {
    match choose_encoder(engine.config(), open::variable) {
        Ok(encoder) => (encoder, None),
        Err(error) => {
            let what = format!("the embedding model of your settings cannot be asked: {error}");
            (None, Some(note(&what, &how_to_choose(&error))))
        }
    }
}

/// The model of the settings, for a command that is about nothing else.
pub(crate) fn needed(engine: &Engine) -> Result<Encoder, Failure> {
    match choose_encoder(engine.config(), open::variable) {
        // Somebody waits for this one.
        Ok(Some(encoder)) if encoder.is_built_in() => {
            Ok(Encoder::built_in_on(thread::available_parallelism().map_or(1, usize::from)))
        }
        Ok(Some(encoder)) => Ok(encoder),
        Ok(None) => Err(Failure::wrong(
            "no embedding model is chosen, and the token table needs no filling",
            "set `embedding.kind` in your own config.toml to built-in, openai or ollama",
        )),
        Err(error) => Err(Failure::wrong(error.to_string(), how_to_choose(&error))),
    }
}

/// Has memories read by the encoder in a process of its own, where a search or a prompt met unread ones, or some may speak
/// from now on.
pub(crate) fn catch_up(engine: &Engine, is_unread: bool) {
    let is_off = env::var_os(hook::SWITCH).is_some_and(|value| value == "off") || open::is_inside();
    if is_unread && !is_off && engine.begin_unasked() {
        // A vector is a help and no more. Whoever lives on waits for the child, so that nothing of it stays.
        if let Ok(mut child) = learning::detached(engine.start(), hook::ENCODE, &[]).spawn() {
            let _ = thread::Builder::new().stack_size(64 * 1024).spawn(move || child.wait());
        }
    }
}

/// What to tell a person of a search whose model gave no answer.
pub(crate) fn degraded(encoder: &Encoder, error: &ProviderError) -> String {
    note(&no_vectors(encoder, error), how_to_mend(error))
}

/// The same for an agent: a server's own words could pass for instructions, so only the kind is told.
pub(crate) fn degraded_for_agents(encoder: &Encoder, error: &ProviderError) -> String {
    let what = format!("the embedding model {} gave no vectors: {}", encoder.name(), kind(error));
    note(&what, how_to_mend(error))
}

/// What happened, with what the server said about it, without secrets.
pub(crate) fn no_vectors(encoder: &Encoder, error: &ProviderError) -> String {
    let what = format!("the embedding model {} gave no vectors: {error}", encoder.name());
    rawko::core::redact(&what).into_owned()
}

fn note(what: &str, remedy: &str) -> String {
    let text = format!("{what}; the token table answered instead. To mend it: {remedy}");
    rawko::core::inert_line(&text)
}

/// What happened, in none of the server's words.
fn kind(error: &ProviderError) -> String {
    match error {
        ProviderError::Status { status: status @ (401 | 403), .. } => {
            format!("it refused the key (it answered {status})")
        }
        ProviderError::Status { status, .. } => format!("it answered {status}"),
        ProviderError::Late(_) => "it was late".to_owned(),
        ProviderError::Resting => error.to_string(),
        ProviderError::Connection(_) => "the connection failed".to_owned(),
        ProviderError::Address { .. } => "its address is none that is asked".to_owned(),
        ProviderError::Long => "its answer is too long".to_owned(),
        _ => "its answer has another form".to_owned(),
    }
}

/// What to do about an answer that is none.
pub(crate) fn how_to_mend(error: &ProviderError) -> &'static str {
    match error {
        ProviderError::Status { status: 401 | 403, .. } => {
            "put a key that is valid into the variable of `embedding.keyVariable`"
        }
        ProviderError::Status { status: 400 | 404 | 422, .. } => {
            "see that `embedding.model` is an embedding model which the server at `embedding.url` has"
        }
        ProviderError::Status { status: 429, .. } => "try again later, or ask for a higher limit",
        ProviderError::Late(_) | ProviderError::Resting => {
            "run `rawko index --embed` once, or raise `embedding.timeout`"
        }
        ProviderError::Long => {
            "set `embedding.model` to one of shorter vectors, or see what the server sends"
        }
        ProviderError::Form(_) => {
            "see that `embedding.kind` is what the server speaks, and `embedding.model` an embedding model"
        }
        _ => "see that the server at `embedding.url` runs, and try again",
    }
}

fn how_to_choose(error: &ChoiceError) -> String {
    match error {
        ChoiceError::Unknown(_) => format!("set `embedding.kind` to one of {}", EMBEDDING_KINDS.join(", ")),
        ChoiceError::NoKey { .. } => {
            "set the variable, or name another in `embedding.keyVariable` of your own config.toml".to_owned()
        }
        ChoiceError::Missing { setting, .. } => format!("set `{setting}` in your own config.toml"),
        ChoiceError::Provider(_) => {
            "set `embedding.url` in your own config.toml to https://…, or leave it empty".to_owned()
        }
    }
}
