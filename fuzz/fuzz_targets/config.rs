//! Any text as settings: read or refused with a reason, and a repository's never reach out.

#![no_main]

use libfuzzer_sys::fuzz_target;

// The file itself: the crate around it brings a network client, which no fuzzer should have to build.
#[allow(dead_code, unused_imports)]
#[path = "../../crates/rawko/src/config.rs"]
mod config;

use config::Config;

/// What only the person may set.
const TEXTS: [&str; 7] = [
    "provider.kind", "provider.url", "provider.keyVariable", "provider.model", "provider.command",
    "extract.autoApprove", "extract.every",
];
const NUMBERS: [&str; 3] = ["extract.budget", "extract.perHour", "inject.holdOut"];

fuzz_target!(|text: &str| {
    let usual = Config::defaults();
    let (mut strange, mut own) = (Config::defaults(), Config::defaults());
    strange.read("config.toml", text, false);
    own.read("config.toml", text, true);
    for ignored in strange.ignored.iter().chain(&own.ignored) {
        assert!(!ignored.why.is_empty(), "{ignored:?}");
    }
    for key in TEXTS {
        assert_eq!(strange.text(key), usual.text(key), "{key}");
    }
    for key in NUMBERS {
        assert_eq!(strange.number(key), usual.number(key), "{key}");
    }
    assert_eq!(strange.amount("provider.inputPrice"), usual.amount("provider.inputPrice"));
    // Whatever is set has its type: nothing that was a number reads as the 0 of a missing one.
    if !text.contains("max") {
        assert_eq!((strange.number("inject.max"), own.number("inject.max")), (5, 5));
    }
    let _ = own.texts("agents.developer.tags");
});
