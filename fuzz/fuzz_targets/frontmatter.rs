//! Any text between two `---` lines: read or refused with a remedy, and what is read survives writing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rawko_core::{Severity, parse};

fuzz_target!(|fields: &str| {
    let text = format!("---\n{fields}\n---\n\nbody\n");
    let lines = text.lines().count().max(1);
    let thread = parse(&text);
    for problem in &thread.problems {
        assert!((1..=lines + 1).contains(&problem.line) && problem.column >= 1, "{problem:?}");
        assert!(!problem.what.is_empty() && !problem.remedy.is_empty(), "{problem:?}");
    }
    let failed = thread.problems.iter().any(|problem| problem.severity == Severity::Error);
    assert!(failed || !thread.entries.is_empty());
    for found in &thread.entries {
        let written = parse(&found.entry.to_text());
        // Written out with quotes and escapes, fields may outgrow the limit that the original kept.
        let too_large = written.problems.iter().any(|problem| problem.what.contains("limit"));
        assert!(too_large || written.entries.len() == 1, "{:?}", written.problems);
        assert!(too_large || written.entries[0].entry == found.entry);
    }
});
