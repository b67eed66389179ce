//! What a store promises is kept.

use std::cell::RefCell;

use rawko_store::contract::keeps_the_contract;
use rawko_store::{FileStore, Layout};

#[test]
fn the_file_store_keeps_the_contract() {
    let folders = RefCell::new(Vec::new());
    keeps_the_contract(|| {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let layout = Layout::at(folder.path().join("project/.rawko"));
        let store =
            FileStore::project(layout, Some(&folder.path().join("home")), jiff::Timestamp::UNIX_EPOCH);
        folders.borrow_mut().push(folder);
        store.expect("an empty store opens")
    });
}
