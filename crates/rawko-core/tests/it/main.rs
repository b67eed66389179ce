//! The promises of the text layer, one file per topic.
//!
//! Tests over the shared corpora look for them in `RAWKO_SHARED`, then beside
//! the workspace; where they are absent the tests say so and check the rest.

mod damage;
mod entry_roundtrip;
mod envelope_fuzz;
mod errors_teach;
#[expect(clippy::disallowed_methods, reason = "the runs are files")]
mod extraction;
mod invisible_text;
mod lint_scores;
mod one_edit;
mod origin;
#[expect(clippy::disallowed_methods, reason = "the sessions are files")]
mod said;
mod secret_scan;
mod session;
#[expect(clippy::disallowed_methods, reason = "corpora are files, and a promise about time needs a clock")]
mod shared;
mod slug_portable;
mod tokens;
mod trust;
