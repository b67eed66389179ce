//! Secrets do not settle: known forms are found, what only looks like one stays.

use rawko_core::{Redactor, redact};

use crate::shared;

/// Standard base64, as the corpus keeps its samples out of scanners' sight.
fn decode(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let digit = DIGITS.iter().position(|known| *known == byte).expect("base64") as u32;
        bits = bits << 6 | digit;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn samples(file: &str) -> Vec<(String, String)> {
    let of = |line: &serde_json::Value| {
        let field = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        (field("rule"), decode(&field("b64")))
    };
    shared::json_lines(file).iter().map(of).collect()
}

#[test]
fn secret_scan_finds_the_known_forms() {
    let redactor = Redactor::default();
    let samples = samples("corpora/secrets/positives.jsonl");
    let missed: Vec<_> = samples.iter().filter(|(_, text)| redactor.secrets(text).is_empty()).collect();
    eprintln!("secrets: {} of {} missed", missed.len(), samples.len());
    assert!(missed.len() * 100 <= samples.len(), "{} of {}: {missed:#?}", missed.len(), samples.len());
}

#[test]
fn secret_scan_leaves_what_only_looks_like_a_secret() {
    let redactor = Redactor::default();
    let samples = samples("corpora/secrets/gitleaks-false-positives.jsonl");
    // A text may look like one thing and be another: its own rule must not speak.
    let own = |rule: &str, found: &str| rule == found || rule.starts_with("curl-") && found == "auth-header";
    let is_false =
        |(rule, text): &&(String, String)| redactor.secrets(text).iter().any(|secret| own(rule, secret.rule));
    let alarms: Vec<_> = samples.iter().filter(is_false).collect();
    eprintln!("false alarms: {} of {}", alarms.len(), samples.len());
    assert!(alarms.len() * 100 <= samples.len(), "{} of {}: {alarms:#?}", alarms.len(), samples.len());
}

#[test]
fn secret_scan_is_silent_on_true_memories() {
    for line in shared::json_lines("corpora/authored/memory-benign.jsonl") {
        let text = line["text"].as_str().unwrap_or_default();
        assert_eq!(redact(text), text);
    }
}

#[test]
fn secret_scan_takes_any_text_in_time() {
    let redactor = Redactor::default();
    for text in shared::nasty_texts() {
        shared::in_time(&text, || redactor.redact(&text).into_owned());
    }
    for word in ["key ", "ey", "token=", "curl -u ", "https://a:", "password ", "pypi-AgEIcHlwaS5vcmc"] {
        let text = word.repeat(100_000 / word.len());
        shared::in_time(&text, || redactor.redact(&text).into_owned());
    }
}
