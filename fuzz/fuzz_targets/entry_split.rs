//! Any text as a body, alone and followed by another entry; and any text as a whole file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rawko_core::{Entry, SEPARATOR, glance, parse};

const NEXT: &str = "---\ntitle: next\nwhenToUse: next\nimportance: low\ndiscoveredAt: 2026-01-01\ndiscoveredBy: me\n---\n\n```\n~~~\n";

fuzz_target!(|text: &str| {
    let whole = parse(text);
    if glance(text).is_some() {
        let joined = parse(&format!("{text}\n{SEPARATOR}{NEXT}"));
        assert_eq!(joined.entries.len(), whole.entries.len() + 1);
    }
    let entry = Entry { body: text.to_owned(), ..parse(NEXT).entries.remove(0).entry };
    let written = entry.to_text();
    let alone = parse(&written).entries;
    assert!(alone.len() == 1 && alone[0].entry == entry);
    let followed = parse(&format!("{written}{SEPARATOR}{NEXT}")).entries;
    assert!(followed.len() == 2 && followed[0].entry == entry);
    assert_eq!(followed[0].text, alone[0].text);
});
