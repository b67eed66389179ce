//! Who decides what is worth remembering, beside the rules: models and programs that answer a prompt.
//!
//! A provider gets a prompt and a schema and gives back text; what the text is
//! worth is judged elsewhere. Providers block, have a time limit, and fail in
//! a few named ways, each of which says whether trying later may help.

mod address;
mod anthropic;
mod encoder;
mod host;
mod http;
mod ollama;
mod openai;
mod scripted;
mod settings;

use std::time::Duration;

use serde_json::Value;

pub use self::address::Address;
pub use self::anthropic::Anthropic;
pub use self::encoder::{Encoded, Encoder, Speaks};
pub use self::host::{Host, INSIDE};
pub use self::ollama::Ollama;
pub use self::openai::{Dialect, OpenAi};
pub use self::scripted::Scripted;
pub use self::settings::{ChoiceError, choose_encoder, choose_provider};
pub use crate::config::{EMBEDDING_KINDS, KINDS};

/// What a provider is asked.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The prompt, free of secrets.
    pub prompt: &'a str,
    /// What the answer must look like, in the strict form.
    pub schema: &'a Value,
    /// Most tokens of the answer.
    pub max_tokens: u64,
    /// Most time for the answer, retries included.
    pub timeout: Duration,
}

/// What came back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The text: JSON if all went well.
    pub text: String,
    /// What it cost.
    pub usage: Usage,
}

/// Tokens and money.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens that went in.
    pub input: u64,
    /// Tokens that came out.
    pub output: u64,
    /// Dollars, where the provider says so or the settings have prices.
    pub dollars: Option<f64>,
}

/// Something that answers prompts.
pub trait Provider {
    /// Its name in the log.
    fn name(&self) -> &str;

    /// Asks once; retries within the time limit are the provider's own.
    fn ask(&self, question: &Question<'_>) -> Result<Answer, ProviderError>;
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The model declined, and counted what that took.
    #[error("the model refused: {0}")]
    Refused(String, Usage),
    /// The answer reached its token limit, and was counted.
    #[error("the answer was cut at its token limit")]
    Truncated(Usage),
    /// The provider said no.
    #[error("the provider answered {status}: {message}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
        /// How long it asks to be left alone.
        after: Option<Duration>,
    },
    /// It took too long.
    #[error("there was no answer within {} s", .0.as_secs_f64())]
    Late(Duration),
    /// It was late a moment ago, and is not asked again yet.
    #[error("it gave no answer in time a moment ago, and is left alone for a minute")]
    Resting,
    /// The answer is longer than any that is read.
    #[error("the answer is longer than 4 MiB")]
    Long,
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Connection(String),
    /// What came back is not in the provider's form.
    #[error("the answer is not in the provider's form: {0}")]
    Form(String),
    /// A host program could not be run, or failed.
    #[error("`{program}` {what}")]
    Program {
        /// The program.
        program: String,
        /// What became of it.
        what: String,
    },
    /// The address is one that rawko does not call.
    #[error("`{url}` is no address to send to: {why}")]
    Address {
        /// The address.
        url: String,
        /// Why not.
        why: &'static str,
    },
}

impl ProviderError {
    /// Whether the same question would be answered in the same way for ever: a model that declined declines again.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Refused(..))
    }

    /// What was counted though there is no answer.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Refused(_, usage) | Self::Truncated(usage) => *usage,
            _ => Usage::default(),
        }
    }

    /// How long the provider asks to be left alone.
    pub fn after(&self) -> Option<Duration> {
        match self {
            Self::Status { after, .. } => *after,
            _ => None,
        }
    }

    /// Whether the provider did not understand the form of the request, so that a plainer one may do.
    fn is_about_form(&self) -> bool {
        matches!(self, Self::Status { status: 400 | 404 | 422, .. })
    }
}

impl Usage {
    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        let dollars = match (self.dollars, other.dollars) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        Self { input: self.input + other.input, output: self.output + other.output, dollars }
    }
}

/// Most bytes of a provider's words that are looked at.
const SAID: usize = 4 * 1024;

/// A provider's own words, short enough for a message.
///
/// Half a secret would not be known for one: it is taken out before the text is cut.
fn quoted(text: &str) -> String {
    let text = rawko_core::inert_line(&text[..text.floor_char_boundary(SAID)]);
    rawko_core::redact(&text).chars().take(300).collect()
}

/// Asks in each form, the strictest first, until the provider understands one.
fn in_a_form_it_knows<F: Copy>(
    forms: &[F],
    mut ask: impl FnMut(F) -> Result<Answer, ProviderError>,
) -> Result<Answer, ProviderError> {
    let (last, stricter) = forms.split_last().expect("there is a plain form");
    for form in stricter {
        match ask(*form) {
            Err(error) if error.is_about_form() => {}
            done => return done,
        }
    }
    ask(*last)
}
