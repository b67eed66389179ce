//! Which provider the person chose, from settings and environment.

use super::{Anthropic, Dialect, Encoder, Host, Ollama, OpenAi, Provider, ProviderError, Speaks};
use crate::config::Config;

/// Why there is no provider.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// The word is none of [`KINDS`](super::KINDS).
    #[error("there is no provider `{0}`")]
    Unknown(String),
    /// The key is not in the environment.
    #[error("{kind} needs a key, and the environment variable {variable} is not set")]
    NoKey {
        /// The provider.
        kind: &'static str,
        /// Where its key is looked for.
        variable: String,
    },
    /// Something else is missing.
    #[error("{kind} needs `{setting}`")]
    Missing {
        /// The provider.
        kind: &'static str,
        /// The setting.
        setting: &'static str,
    },
    /// The address will not do.
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

/// The provider of this name, or of the settings; `None` is `offline`.
///
/// `variable` looks into the environment: this library does not.
pub fn choose_provider(
    config: &Config,
    kind: Option<&str>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Box<dyn Provider>>, ChoiceError> {
    let kind = kind.unwrap_or_else(|| config.text("provider.kind"));
    let (url, model, command) =
        (config.text("provider.url"), config.text("provider.model"), config.text("provider.command"));
    let address =
        |name: &str| if url.is_empty() { variable(name).unwrap_or_default() } else { url.to_owned() };
    let key = |kind: &'static str, usual: &str| {
        let named = config.text("provider.keyVariable");
        // The vendor's key is for the vendor: an address of the settings gets one that they name, or none.
        let name = if named.is_empty() && url.is_empty() { usual } else { named };
        if name.is_empty() {
            return Err(ChoiceError::Missing { kind, setting: "provider.keyVariable" });
        }
        variable(name).ok_or_else(|| ChoiceError::NoKey { kind, variable: name.to_owned() })
    };
    let program = |usual: &'static str| if command.is_empty() { usual } else { command };
    let chosen: Box<dyn Provider> = match kind {
        "offline" | "" => return Ok(None),
        "anthropic" => Box::new(Anthropic::new(
            &address("ANTHROPIC_BASE_URL"),
            &key("anthropic", "ANTHROPIC_API_KEY")?,
            model,
        )?),
        "openai" | "responses" => {
            let (dialect, kind) =
                if kind == "openai" { (Dialect::Chat, "openai") } else { (Dialect::Responses, "responses") };
            let address = address("OPENAI_BASE_URL");
            // A server of one's own needs no key; the vendor does.
            let key = match key(kind, "OPENAI_API_KEY") {
                Err(_) if !address.is_empty() => String::new(),
                key => key?,
            };
            Box::new(OpenAi::new(&address, &key, model, dialect)?)
        }
        "ollama" if model.is_empty() => {
            return Err(ChoiceError::Missing { kind: "ollama", setting: "provider.model" });
        }
        "ollama" => Box::new(Ollama::new(url, model)?),
        "claude" => Box::new(Host::claude(program("claude"), model)),
        "codex" => {
            let scratch = variable("TMPDIR").unwrap_or_else(|| "/tmp".to_owned());
            Box::new(Host::codex(program("codex"), model, scratch))
        }
        "gemini" => Box::new(Host::gemini(program("gemini"), model)),
        "command" if command.trim().is_empty() => {
            return Err(ChoiceError::Missing { kind: "command", setting: "provider.command" });
        }
        "command" => Box::new(Host::command(command.split_whitespace().map(str::to_owned).collect())),
        other => return Err(ChoiceError::Unknown(other.to_owned())),
    };
    Ok(Some(chosen))
}

/// The embedding model of the settings; `None` is the token table alone.
///
/// `variable` looks into the environment: this library does not.
pub fn choose_encoder(
    config: &Config,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Encoder>, ChoiceError> {
    let (url, model) = (config.text("embedding.url"), config.text("embedding.model"));
    let named = config.text("embedding.keyVariable");
    let chosen = match config.text("embedding.kind") {
        "built-in" | "" => Encoder::built_in(),
        "table" => return Ok(None),
        "openai" => {
            let address =
                if url.is_empty() { variable("OPENAI_BASE_URL").unwrap_or_default() } else { url.to_owned() };
            // The vendor's key is for the vendor: an address of the settings gets one that they name, or none.
            let name = if named.is_empty() && url.is_empty() { "OPENAI_API_KEY" } else { named };
            // A server of one's own needs no key; the vendor does.
            let key = match Some(name).filter(|name| !name.is_empty()).and_then(variable) {
                None if address.is_empty() => {
                    return Err(ChoiceError::NoKey { kind: "openai", variable: name.to_owned() });
                }
                key => key.unwrap_or_default(),
            };
            Encoder::new(Speaks::OpenAi, &address, &key, model)?
        }
        "ollama" if model.is_empty() => {
            return Err(ChoiceError::Missing { kind: "ollama", setting: "embedding.model" });
        }
        "ollama" => {
            let key = Some(named).filter(|name| !name.is_empty()).and_then(variable);
            Encoder::new(Speaks::Ollama, url, &key.unwrap_or_default(), model)?
        }
        other => return Err(ChoiceError::Unknown(other.to_owned())),
    };
    Ok(Some(chosen))
}
