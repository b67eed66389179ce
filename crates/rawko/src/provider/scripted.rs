//! A provider that says what it was told to say: for tests and examples.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::{Answer, Provider, ProviderError, Question, Usage};

/// Answers from a list, and remembers what it was asked.
#[derive(Debug, Default)]
pub struct Scripted {
    answers: RefCell<VecDeque<Result<String, ProviderError>>>,
    asked: RefCell<Vec<String>>,
}

impl Scripted {
    /// With these answers, in order.
    pub fn new(answers: impl IntoIterator<Item = Result<String, ProviderError>>) -> Self {
        Self { answers: RefCell::new(answers.into_iter().collect()), asked: RefCell::default() }
    }

    /// The prompts so far.
    pub fn asked(&self) -> Vec<String> {
        self.asked.borrow().clone()
    }
}

impl Provider for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn ask(&self, question: &Question<'_>) -> Result<Answer, ProviderError> {
        self.asked.borrow_mut().push(question.prompt.to_owned());
        let next = self.answers.borrow_mut().pop_front();
        let next = next.unwrap_or_else(|| Err(ProviderError::Connection("the script has ended".to_owned())));
        next.map(|text| Answer { text, usage: Usage { input: 10, output: 5, dollars: None } })
    }
}
