//! Anthropic's Messages.

use serde_json::{Value, json};

use super::{Address, Answer, Provider, ProviderError, Question, Usage, http, in_a_form_it_knows};

/// Where the vendor is.
const HOME: &str = "https://api.anthropic.com";
const MODEL: &str = "claude-haiku-4-5";

/// Anthropic's Messages.
#[derive(Clone, Debug)]
pub struct Anthropic {
    address: Address,
    key: String,
    model: String,
}

#[derive(Clone, Copy)]
enum Form {
    Schema,
    Tool,
    Plain,
}

impl Anthropic {
    /// With a key; an empty address or model is the vendor's own.
    pub fn new(url: &str, key: &str, model: &str) -> Result<Self, ProviderError> {
        let address = Address::parse(if url.is_empty() { HOME } else { url })?;
        let model = if model.is_empty() { MODEL } else { model };
        Ok(Self { address, key: key.to_owned(), model: model.to_owned() })
    }
}

impl Provider for Anthropic {
    fn name(&self) -> &str {
        "anthropic"
    }

    fn ask(&self, question: &Question<'_>) -> Result<Answer, ProviderError> {
        in_a_form_it_knows(&[Form::Schema, Form::Tool, Form::Plain], |form| {
            let headers = [("x-api-key", self.key.as_str()), ("anthropic-version", "2023-06-01")];
            let url = self.address.join("/v1/messages");
            let body = request(&self.model, form, question);
            answer(&http::post(&url, &headers, &body, question.timeout)?)
        })
    }
}

fn request(model: &str, form: Form, question: &Question<'_>) -> Value {
    let mut body = json!({
        "model": model, "max_tokens": question.max_tokens,
        "messages": [{ "role": "user", "content": question.prompt }],
    });
    match form {
        Form::Schema => {
            body["output_config"] = json!({ "format": { "type": "json_schema", "schema": question.schema } });
        }
        Form::Tool => {
            body["tools"] = json!([{ "name": "decide", "description": "Says what is worth remembering.", "input_schema": question.schema }]);
            body["tool_choice"] = json!({ "type": "tool", "name": "decide" });
        }
        Form::Plain => {}
    }
    body
}

fn answer(value: &Value) -> Result<Answer, ProviderError> {
    let count = |name: &str| value["usage"][name].as_u64().unwrap_or_default();
    let input =
        count("input_tokens") + count("cache_read_input_tokens") + count("cache_creation_input_tokens");
    let usage = Usage { input, output: count("output_tokens"), dollars: None };
    match value["stop_reason"].as_str() {
        Some("max_tokens") => return Err(ProviderError::Truncated(usage)),
        Some("refusal") => return Err(ProviderError::Refused("stop_reason is `refusal`".to_owned(), usage)),
        _ => {}
    }
    let blocks =
        value["content"].as_array().ok_or_else(|| ProviderError::Form("it has no `content`".to_owned()))?;
    let called =
        blocks.iter().find(|block| block["type"] == "tool_use").map(|block| block["input"].to_string());
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    let text = called.unwrap_or_else(|| texts.collect::<Vec<_>>().join("\n"));
    Ok(Answer { text, usage })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_and_a_cut_answer_are_no_answers() {
        let said = |reason: &str| {
            answer(&json!({ "stop_reason": reason, "content": [{ "type": "text", "text": "x" }] }))
        };
        assert!(matches!(said("refusal"), Err(ProviderError::Refused(..))));
        assert!(matches!(said("max_tokens"), Err(ProviderError::Truncated(_))));
        assert_eq!(said("end_turn").expect("an answer").text, "x");
    }
}
