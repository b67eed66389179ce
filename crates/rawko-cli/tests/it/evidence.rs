//! What a memory rests on: it is true now, or says that it no longer is.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A text, the file that it names, what stands there, what may change there, and what makes the text untrue.
const CASES: [[&str; 5]; 6] = [
    [
        "`src/retry.ts` sets `MAX_RETRIES = 5` because the bank blocks a card after ten tries.",
        "src/retry.ts",
        "export const MAX_RETRIES = 5;\n",
        "// how often\nexport const WAIT = 2;\nexport const MAX_RETRIES = 5;\n",
        "export const MAX_RETRIES = 50;\n",
    ],
    [
        "The API listens on port 4000, see `server.cfg`, because 8080 is taken by the proxy.",
        "server.cfg",
        "PORT=4000\n",
        "HOST=x\nPORT = 4000\n",
        "PORT=3000\n",
    ],
    [
        "The project pins stripe 14.2.0 in `package.json` because the next one drops idempotency keys.",
        "package.json",
        "{\n  \"dependencies\": { \"stripe\": \"14.2.0\" }\n}\n",
        "{\n  \"dependencies\": {\n    \"stripe\": \"14.2.0\",\n    \"zod\": \"3.1.0\"\n  }\n}\n",
        "{\n  \"dependencies\": { \"stripe\": \"15.0.0\" }\n}\n",
    ],
    [
        "In `src/client.ts` the function `callApi` returns 12, which the ledger counts on.",
        "src/client.ts",
        "export function callApi() {\n  return 12;\n}\n",
        "export function other() {\n  return 1;\n}\n\nexport function callApi() {\n  return 12;\n}\n",
        "export function callApi() {\n  return 13;\n}\n",
    ],
    [
        "Totals are wrong unless MODE is half-up in `src/round.py`, as the auditors ask.",
        "src/round.py",
        "MODE = 'half-up'\n",
        "import os\nMODE = \"half-up\"\n",
        "MODE = 'half-even'\n",
    ],
    [
        "Uploads go through the proxy that `deploy/nginx.conf` names, since the other one drops them.",
        "deploy/nginx.conf",
        "proxy_pass http://up;\n",
        "proxy_pass http://up;\n",
        "proxy_pass http://down;\n",
    ],
];

fn stale(sandbox: &Sandbox) -> Value {
    let told = sandbox.run("inject --task 'work on the frobnicator' --json").succeeds().json();
    told["chosen"][0]["stale"].clone()
}

#[test]
fn what_a_person_adds_says_so_when_the_file_no_longer_does() {
    for [text, file, before, elsewhere, untrue] in CASES {
        let sandbox = Sandbox::new().file(file, before);
        let add = ["add", "--title", "Frobnicator", "--when", "frobnicator", "--content", text];
        let _ = sandbox.run_words(&add, b"").succeeds();
        assert_eq!(stale(&sandbox), Value::Null, "{text}");
        sandbox.write(file, elsewhere);
        assert_eq!(stale(&sandbox), Value::Null, "another change: {text}");
        sandbox.write(file, untrue);
        assert_ne!(stale(&sandbox), Value::Null, "{text}");
        sandbox.write(file, before);
        assert_eq!(stale(&sandbox), Value::Null, "as it was: {text}");
    }
}

#[test]
fn what_a_person_names_is_completed_and_what_they_do_not_want_is_left_out() {
    let [text, file, before, _, untrue] = CASES[3];
    let front = "title: Frobnicator\nwhenToUse: [frobnicator]\nimportance: high\ndiscoveredAt: 2026-01-01T00:00:00Z\ndiscoveredBy: ada";
    let sandbox = Sandbox::new()
        .file(file, before)
        .file("note.md", format!("---\n{front}\nevidence: [{{file: {file}}}]\n---\n\nText.\n"));
    let _ = sandbox.run("add --file note.md").succeeds();
    let shown = sandbox.run("show frobnicator --json").succeeds().json();
    assert!(shown["evidence"][0]["blob"].as_str().is_some_and(|id| id.len() == 40), "{shown}");
    sandbox.write(file, untrue);
    assert_ne!(stale(&sandbox), Value::Null);
    let sandbox = Sandbox::new().file(file, before);
    let add = ["add", "--no-evidence", "--title", "Frobnicator", "--when", "frobnicator", "--content", text];
    let _ = sandbox.run_words(&add, b"").succeeds();
    assert_eq!(sandbox.run("show frobnicator --json").succeeds().json()["evidence"], Value::Null);
}

#[test]
fn a_large_file_of_which_nothing_is_repeated_may_change() {
    let large = "line of code\n".repeat(400);
    let sandbox = Sandbox::new().file("src/all.ts", &large);
    let text = "Whoever touches `src/all.ts` asks the team first.";
    let add = ["add", "--title", "Frobnicator", "--when", "frobnicator", "--content", text];
    let _ = sandbox.run_words(&add, b"").succeeds();
    sandbox.write("src/all.ts", format!("{large}more\n"));
    assert_eq!(stale(&sandbox), Value::Null);
    std::fs::remove_file(sandbox.project().join("src/all.ts")).expect("removed");
    assert_ne!(stale(&sandbox), Value::Null, "it is gone");
}
