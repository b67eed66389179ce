//! Ollama's chat: a model on this machine.

use serde_json::{Value, json};

use super::{Address, Answer, Provider, ProviderError, Question, Usage, http, in_a_form_it_knows};

/// Where it listens.
const HOME: &str = "http://127.0.0.1:11434";

/// Ollama.
#[derive(Clone, Debug)]
pub struct Ollama {
    address: Address,
    model: String,
}

impl Ollama {
    /// With a model; an empty address is this machine's.
    pub fn new(url: &str, model: &str) -> Result<Self, ProviderError> {
        let address = Address::parse(if url.is_empty() { HOME } else { url })?;
        Ok(Self { address, model: model.to_owned() })
    }
}

impl Provider for Ollama {
    fn name(&self) -> &str {
        "ollama"
    }

    fn ask(&self, question: &Question<'_>) -> Result<Answer, ProviderError> {
        in_a_form_it_knows(&[true, false], |with_schema| {
            let mut body = json!({
                "model": self.model, "stream": false, "options": { "num_predict": question.max_tokens },
                "messages": [{ "role": "user", "content": question.prompt }],
            });
            if with_schema {
                body["format"] = question.schema.clone();
            }
            answer(&http::post(&self.address.join("/api/chat"), &[], &body, question.timeout)?)
        })
    }
}

fn answer(value: &Value) -> Result<Answer, ProviderError> {
    let count = |name: &str| value[name].as_u64().unwrap_or_default();
    let usage = Usage { input: count("prompt_eval_count"), output: count("eval_count"), dollars: Some(0.0) };
    if value["done_reason"] == "length" {
        return Err(ProviderError::Truncated(usage));
    }
    let text = value["message"]["content"].as_str();
    let text = text.ok_or_else(|| ProviderError::Form("it has no `message.content`".to_owned()))?;
    Ok(Answer { text: text.to_owned(), usage })
}
