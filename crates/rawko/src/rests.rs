//! Evidence for what a person adds: what the memory rests on, so that it says when that is no longer so.

use rawko_core::{Entry, Ground, complete, rests_on};
use rawko_store::WorkTree;
use serde_json::Value;

use crate::admit::held_now;
use crate::engine::{Engine, Whose};

impl Engine {
    /// The entry with what it rests on in the project's files as they are now.
    ///
    /// What its writer names is completed with hashes, and left as it is otherwise. Where nothing is named, the files
    /// that the text names and what it repeats of them are. Nothing is refused: a person may say anything.
    pub fn with_evidence(&self, mut entry: Entry) -> Entry {
        let tree = self.store(Whose::Project).and_then(|store| WorkTree::open(store.layout().project()).ok());
        let Some(tree) = tree else { return entry };
        let completed = |evidence: &Value| {
            complete(evidence, &tree, &|path| tree.blob_id(path), tree.commit().as_deref()).0
        };
        entry.frontmatter.evidence = match &entry.frontmatter.evidence {
            Value::Null => {
                let commit = |digits: &str| tree.knows(digits);
                let found = rests_on(&entry.body, &Ground::new(&tree, &commit));
                held_now(completed(&found), &tree)
            }
            given => completed(given),
        };
        entry
    }
}
