//! A failure becomes a memory as everything does that agents say: through admission.

use rawko_core::ledger::Failure;
use rawko_core::{Channel, Circumstances, Lesson, Lore, Run, inert_line};
use rawko_store::StoreError;

use crate::engine::Engine;
use crate::extract::Judged;

/// Most characters of a title.
const TITLE: usize = 90;

impl Engine {
    /// Proposes what a failure taught; `None` where nobody said why it failed or what helps.
    ///
    /// What the command printed stays in the ledger: only the words of whoever found out go on.
    pub fn learn_failure(&self, failure: &Failure, dry_run: bool) -> Result<Option<Judged>, StoreError> {
        let Some(text) = told(failure) else { return Ok(None) };
        let title: String = format!("{} fails", failure.moved).chars().take(TITLE).collect();
        let files = failure.state.files.iter().filter(|(_, hash)| hash != "-").map(|(path, _)| path.clone());
        let lesson = Lesson {
            lore: Lore::Failure,
            title,
            text,
            strength: 1.0,
            reason: "a failure that somebody understood".to_owned(),
            by_person: false,
            sums_up: true,
            commands: vec![(failure.moved.clone(), failure.exit.unwrap_or(1))],
            error: None,
            cure: String::new(),
            files: files.take(3).collect(),
        };
        let session = Some(failure.session.clone()).filter(|session| !session.is_empty());
        let run = Run { agent: failure.agent.clone(), session, ..Run::default() };
        let proposal = lesson.proposal(&run, self.now());
        let circumstances = Circumstances::default();
        let (admission, saved) = if dry_run {
            (self.foresee(self.home(), &proposal, &circumstances, Channel::Agent)?, None)
        } else {
            let admitted = self.admit(&proposal, &circumstances, Channel::Agent)?;
            (admitted.admission, admitted.saved)
        };
        Ok(Some(Judged { proposal, admission, saved }))
    }
}

fn told(failure: &Failure) -> Option<String> {
    let said = [&failure.cause, &failure.lesson].into_iter().flatten().map(|text| inert_line(text));
    let said: Vec<String> = said.filter(|text| !text.trim().is_empty()).collect();
    (!said.is_empty()).then(|| format!("`{}` failed: {}", failure.moved.replace('`', "'"), said.join(" ")))
}
