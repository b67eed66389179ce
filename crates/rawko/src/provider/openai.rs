//! OpenAI's Chat Completions and Responses, and the many servers that speak the former.

use serde_json::{Value, json};

use super::{Address, Answer, Provider, ProviderError, Question, Usage, http, in_a_form_it_knows, quoted};

/// Where the vendor is.
const HOME: &str = "https://api.openai.com";
const MODEL: &str = "gpt-5-mini";

/// Which of the two ways of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `/v1/chat/completions`: also llama.cpp, LM Studio, vLLM.
    Chat,
    /// `/v1/responses`.
    Responses,
}

/// OpenAI, or a server that speaks as it does.
#[derive(Clone, Debug)]
pub struct OpenAi {
    address: Address,
    key: String,
    model: String,
    dialect: Dialect,
    is_vendor: bool,
}

#[derive(Clone, Copy)]
enum Form {
    Schema,
    Object,
    Plain,
}

impl OpenAi {
    /// With a key, which a server of one's own may not need; an empty address or model is the vendor's own.
    pub fn new(url: &str, key: &str, model: &str, dialect: Dialect) -> Result<Self, ProviderError> {
        let address = Address::parse(if url.is_empty() { HOME } else { url })?;
        let model = if model.is_empty() { MODEL } else { model };
        let is_vendor = url.is_empty() || url.starts_with(HOME);
        Ok(Self { address, key: key.to_owned(), model: model.to_owned(), dialect, is_vendor })
    }

    fn post(&self, body: &Value, question: &Question<'_>) -> Result<Value, ProviderError> {
        let bearer = format!("Bearer {}", self.key);
        let headers: &[(&str, &str)] =
            if self.key.is_empty() { &[] } else { &[("authorization", bearer.as_str())] };
        let path = match self.dialect {
            Dialect::Chat => "/v1/chat/completions",
            Dialect::Responses => "/v1/responses",
        };
        http::post(&self.address.join(path), headers, body, question.timeout)
    }

    fn chat(&self, form: Form, question: &Question<'_>) -> Value {
        let limit = if self.is_vendor { "max_completion_tokens" } else { "max_tokens" };
        let mut body =
            json!({ "model": self.model, "messages": [{ "role": "user", "content": question.prompt }] });
        body[limit] = json!(question.max_tokens);
        match form {
            Form::Schema => {
                let schema = json!({ "name": "decision", "schema": question.schema, "strict": true });
                body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
            }
            Form::Object => {
                body["response_format"] = json!({ "type": "json_object", "schema": question.schema })
            }
            Form::Plain => {}
        }
        body
    }

    fn responses(&self, form: Form, question: &Question<'_>) -> Value {
        let mut body = json!({ "model": self.model, "input": question.prompt, "max_output_tokens": question.max_tokens, "store": false });
        match form {
            Form::Schema => {
                let format = json!({ "type": "json_schema", "name": "decision", "schema": question.schema, "strict": true });
                body["text"] = json!({ "format": format });
            }
            Form::Object => body["text"] = json!({ "format": { "type": "json_object" } }),
            Form::Plain => {}
        }
        body
    }
}

impl Provider for OpenAi {
    fn name(&self) -> &str {
        match self.dialect {
            Dialect::Chat => "openai",
            Dialect::Responses => "responses",
        }
    }

    fn ask(&self, question: &Question<'_>) -> Result<Answer, ProviderError> {
        in_a_form_it_knows(&[Form::Schema, Form::Object, Form::Plain], |form| match self.dialect {
            Dialect::Chat => from_chat(&self.post(&self.chat(form, question), question)?),
            Dialect::Responses => from_responses(&self.post(&self.responses(form, question), question)?),
        })
    }
}

fn from_chat(value: &Value) -> Result<Answer, ProviderError> {
    let choice = &value["choices"][0];
    let count = |name: &str| value["usage"][name].as_u64().unwrap_or_default();
    let usage = Usage { input: count("prompt_tokens"), output: count("completion_tokens"), dollars: None };
    if let Some(refusal) = choice["message"]["refusal"].as_str() {
        return Err(ProviderError::Refused(quoted(refusal), usage));
    }
    match choice["finish_reason"].as_str() {
        Some("length") => return Err(ProviderError::Truncated(usage)),
        Some("content_filter") => {
            return Err(ProviderError::Refused("the content filter".to_owned(), usage));
        }
        _ => {}
    }
    let text = choice["message"]["content"].as_str();
    let text =
        text.ok_or_else(|| ProviderError::Form("it has no `choices[0].message.content`".to_owned()))?;
    Ok(Answer { text: text.to_owned(), usage })
}

fn from_responses(value: &Value) -> Result<Answer, ProviderError> {
    let count = |name: &str| value["usage"][name].as_u64().unwrap_or_default();
    let usage = Usage { input: count("input_tokens"), output: count("output_tokens"), dollars: None };
    if value["status"] == "incomplete" {
        return Err(ProviderError::Truncated(usage));
    }
    let parts = || {
        let messages =
            value["output"].as_array().into_iter().flatten().filter(|item| item["type"] == "message");
        messages.flat_map(|item| item["content"].as_array().into_iter().flatten())
    };
    if let Some(refusal) = parts().find_map(|part| part["refusal"].as_str()) {
        return Err(ProviderError::Refused(quoted(refusal), usage));
    }
    let texts: Vec<&str> = parts().filter_map(|part| part["text"].as_str()).collect();
    if texts.is_empty() {
        return Err(ProviderError::Form("it has no `output_text`".to_owned()));
    }
    Ok(Answer { text: texts.join("\n"), usage })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_and_cut_answers_are_no_answers() {
        let chat = |reason: &str, refusal: Value| {
            from_chat(
                &json!({ "choices": [{ "finish_reason": reason, "message": { "content": "x", "refusal": refusal } }] }),
            )
        };
        assert!(matches!(chat("length", Value::Null), Err(ProviderError::Truncated(_))));
        assert!(matches!(chat("stop", json!("no")), Err(ProviderError::Refused(..))));
        assert_eq!(chat("stop", Value::Null).expect("an answer").text, "x");
        let part =
            json!({ "output": [{ "type": "message", "content": [{ "type": "refusal", "refusal": "no" }] }] });
        assert!(matches!(from_responses(&part), Err(ProviderError::Refused(..))));
        assert!(matches!(
            from_responses(&json!({ "status": "incomplete" })),
            Err(ProviderError::Truncated(_))
        ));
    }
}
