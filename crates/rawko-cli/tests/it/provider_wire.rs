//! Providers on the wire: the scripted model of `shared/realclient`, and a server that says exactly what a test needs.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, corpus, json_lines, which};

const FACT: &str = "`src/pool.rs` must keep `MAX_POOL` at 5, because the database allows 20 connections.";

fn decision() -> Value {
    json!({
        "shouldCreateMemory": true, "reasoning": "a limit", "memoryTitle": "The pool holds five connections", "content": FACT,
        "frontmatter": { "whenToUse": ["pool|connection"], "tags": ["constraints"], "importance": "high" },
    })
}

/// A project whose person has chosen a provider, with little patience.
fn project(kind: &str, url: &str) -> Sandbox {
    let sandbox =
        Sandbox::new().file("src/pool.rs", "pub const MAX_POOL: usize = 5;\n").with("KEY", "not-a-real-key");
    let home = sandbox.scratch().join("home");
    let config = format!(
        "[provider]\nkind = \"{kind}\"\nurl = \"{url}\"\nkeyVariable = \"KEY\"\nmodel = \"m\"\ninputPrice = 1000.0\noutputPrice = 2000.0\n"
    );
    fs::write(home.join("config.toml"), config).expect("settings");
    let built_in =
        include_str!("../../../rawko/prompts/memory-extractor.md").replace("timeout: 30000", "timeout: 3000");
    fs::create_dir_all(home.join("agents")).expect("a folder");
    fs::write(home.join("agents/memory-extractor.md"), built_in).expect("an extractor");
    sandbox
}

/// The scripted model of `shared/realclient`, while it is held.
struct Model {
    child: Child,
    url: String,
    log: PathBuf,
}

impl Model {
    fn start(sandbox: &Sandbox, script: &Value, text: &str) -> Option<Self> {
        let program = corpus("../realclient/fakellm.py")?;
        let Some(python) = which("python3") else {
            eprintln!("SKIPPED: there is no python3 on this machine");
            return None;
        };
        let (log, steps) = (sandbox.scratch().join("tmp/requests"), sandbox.scratch().join("tmp/steps"));
        fs::write(&steps, script.to_string()).expect("a script");
        let mut command = sandbox.command(&python);
        command.arg(program).arg("--log").arg(&log).arg("--script").arg(&steps).args(["--text", text]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("python3 starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let ready: Value = serde_json::from_str(&line).expect("where it listens");
        Some(Self { child, url: ready["base_url"].as_str().expect("an address").to_owned(), log })
    }

    fn requests(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `extract` with a model that follows a script, and gives what rawko said and what it sent.
fn with_model(
    kind: &str,
    script: Value,
    text: &str,
    input: &str,
) -> Option<(Sandbox, crate::sandbox::Said, Vec<Value>)> {
    let scratch = Sandbox::empty();
    let model = Model::start(&scratch, &script, text)?;
    let sandbox = project(kind, &model.url);
    let said = sandbox.feed("extract --agent developer --json", input);
    let requests = model.requests();
    Some((sandbox, said, requests))
}

#[test]
fn every_dialect_decides() {
    for (kind, path) in [
        ("anthropic", "/v1/messages"),
        ("openai", "/v1/chat/completions"),
        ("responses", "/v1/responses"),
        ("ollama", "/api/chat"),
    ] {
        let Some((sandbox, said, requests)) = with_model(kind, json!([]), &decision().to_string(), FACT)
        else {
            return;
        };
        let value = said.succeeds().json();
        assert_eq!(value["decisions"][0]["decision"], "accept", "{kind}: {value}");
        assert_eq!((&value["tokensIn"], &value["tokensOut"]), (&json!(10), &json!(5)), "{kind}");
        let dollars = if kind == "ollama" { 0.0 } else { 0.02 };
        assert_eq!(value["dollars"], json!(dollars), "{kind}");
        assert_eq!(requests[0]["path"], path);
        let body = requests[0]["body"].to_string();
        assert!(body.contains("additionalProperties") && body.contains("MAX_POOL"), "{body}");
        let log = fs::read_dir(sandbox.project().join(".rawko/log")).expect("a log").flatten();
        let log: String = log
            .filter(|file| file.path().is_file())
            .map(|file| fs::read_to_string(file.path()).expect("text"))
            .collect();
        assert!(log.contains("\"kind\":\"question\"") && log.contains("\"tokensIn\":10"), "{log}");
    }
}

#[test]
fn overload_and_errors_are_tried_again_and_then_the_run_waits() {
    let busy = |status: u16| json!({ "status": status, "retry_after": 0 });
    for status in [429, 529, 500] {
        let Some((_, said, requests)) =
            with_model("anthropic", json!([busy(status), busy(status)]), &decision().to_string(), FACT)
        else {
            return;
        };
        assert_eq!(said.succeeds().json()["decisions"][0]["decision"], "accept");
        assert_eq!(requests.len(), 3, "{status}");
    }
    let script = json!([busy(529), busy(529), busy(529)]);
    let Some((sandbox, said, requests)) = with_model("openai", script, &decision().to_string(), FACT) else {
        return;
    };
    let _ = said.fails(1).says("answered 529").says("the run is kept");
    assert_eq!(requests.len(), 3, "two retries and no more");
    let _ = sandbox.run("extract --pending --provider offline").succeeds().says("1 run waits");
    let Some((_, said, requests)) = with_model("openai", json!([{ "status": 401 }]), "", FACT) else {
        return;
    };
    let _ = said.fails(1).says("answered 401");
    assert_eq!(requests.len(), 1, "a refused key is not tried again");
}

#[test]
fn rubbish_and_wrong_answers_get_one_more_round() {
    for text in ["I would rather not say.", "{\"shouldCreateMemory\": true, \"reasoning\": 7}"] {
        let Some((_, said, requests)) = with_model("ollama", json!([]), text, FACT) else { return };
        let _ = said.fails(1).says("the answer is not in the provider's form").says("the run is kept");
        assert_eq!(requests.len(), 2, "{text}");
        assert!(requests[1]["body"].to_string().contains("An earlier answer did not fit"));
    }
}

#[test]
fn no_secret_on_the_wire() {
    let secret = ["ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    let input = format!("{FACT}\n\nexport GITHUB_TOKEN={secret}\n");
    let Some((sandbox, said, requests)) = with_model("anthropic", json!([]), &decision().to_string(), &input)
    else {
        return;
    };
    let _ = said.succeeds();
    assert!(!requests.is_empty() && !requests[0].to_string().contains(&secret));
    for (path, bytes) in crate::sandbox::snapshot(&sandbox.project().join(".rawko")) {
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "{}", path.display());
    }
}

/// What a server does with one connection.
enum Reply {
    Json(u16, Value),
    /// Half an answer, and the line goes dead.
    Cut,
    /// No answer while the test lasts.
    Silence,
    Redirect(String),
}

/// A server on loopback that gives these replies, one per connection, and keeps what it was sent.
fn server(replies: Vec<Reply>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for (reply, stream) in replies.into_iter().zip(listener.incoming()) {
            let Ok(mut stream) = stream else { return };
            kept.lock().expect("a lock").push(request(&mut stream));
            let answer = match reply {
                Reply::Json(status, value) => {
                    let body = value.to_string();
                    format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nretry-after: 0\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
                }
                Reply::Cut => "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{\"content\":".to_owned(),
                Reply::Redirect(to) => format!("HTTP/1.1 307 X\r\nlocation: {to}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
                Reply::Silence => {
                    silent.push(stream);
                    continue;
                }
            };
            let _ = stream.write_all(answer.as_bytes());
        }
        // Whoever was told nothing must not hear the line go dead either.
        while !silent.is_empty() {
            std::thread::park();
        }
    });
    (url, seen)
}

fn request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return text,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

fn message(stop: &str, text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "stop_reason": stop, "usage": { "input_tokens": 1, "output_tokens": 1 } })
}

#[test]
fn refusals_cuts_and_silence_keep_the_run() {
    let cases = [
        (vec![Reply::Json(200, message("refusal", "no"))], "the model refused"),
        (vec![Reply::Json(200, message("max_tokens", "{"))], "cut at its token limit"),
        (vec![Reply::Cut, Reply::Cut, Reply::Cut], "the connection failed"),
        (vec![Reply::Silence], "no answer within"),
        (vec![Reply::Json(200, json!("text"))], "not in the provider's form"),
    ];
    for (replies, expected) in cases {
        let (url, _) = server(replies);
        let sandbox = project("anthropic", &url);
        let _ = sandbox.feed("extract", FACT).fails(1).says(expected).says("the run is kept");
        let waiting = fs::read_dir(sandbox.project().join(".rawko/log/pending")).expect("a folder").flatten();
        assert_eq!(
            waiting.filter(|file| file.path().extension().is_some_and(|end| end == "json")).count(),
            1,
            "{expected}"
        );
    }
}

#[test]
fn a_provider_that_knows_no_schema_is_asked_more_plainly() {
    let unknown = || {
        Reply::Json(
            400,
            json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "output_config: unknown" } }),
        )
    };
    let tool = json!({ "content": [{ "type": "tool_use", "name": "decide", "input": decision() }], "stop_reason": "tool_use" });
    let (url, seen) = server(vec![unknown(), Reply::Json(200, tool)]);
    let value = project("anthropic", &url).feed("extract --json", FACT).succeeds().json();
    assert_eq!(value["decisions"][0]["decision"], "accept", "{value}");
    let seen = seen.lock().expect("a lock");
    assert!(
        seen[0].contains("output_config")
            && seen[1].contains("tool_choice")
            && seen[1].contains("x-api-key: not-a-real-key")
    );
    let (url, seen) = server(vec![
        unknown(),
        unknown(),
        Reply::Json(200, message("end_turn", &format!("Sure: {} bye", decision()))),
    ]);
    let value = project("anthropic", &url).feed("extract --json", FACT).succeeds().json();
    assert_eq!(value["decisions"][0]["decision"], "accept", "{value}");
    assert!(!seen.lock().expect("a lock")[2].contains("tool_choice"));
}

#[test]
fn a_redirect_is_not_followed() {
    let (there, reached) = server(vec![Reply::Json(200, message("end_turn", &decision().to_string()))]);
    let (url, _) = server(vec![Reply::Redirect(format!("{there}/v1/messages"))]);
    let _ = project("anthropic", &url).feed("extract", FACT).fails(1).says("answered 307");
    assert!(reached.lock().expect("a lock").is_empty());
}

#[test]
fn the_vendors_key_goes_to_no_address_of_the_settings() {
    let answer = || Reply::Json(200, json!({ "choices": [] }));
    for (kind, variable) in
        [("openai", "OPENAI_API_KEY"), ("responses", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")]
    {
        let (url, seen) = server(vec![answer(), answer()]);
        let sandbox = project(kind, &url).with(variable, "the-vendors-key");
        let config = |named: &str| {
            let text = format!(
                "[provider]\nkind = \"{kind}\"\nurl = \"{url}\"\nkeyVariable = \"{named}\"\nmodel = \"m\"\n"
            );
            fs::write(sandbox.scratch().join("home/config.toml"), text).expect("settings");
        };
        let heard = || seen.lock().expect("a lock").join("\n");
        config("");
        let said = sandbox.feed("extract", FACT);
        assert_ne!(said.code, 0, "{kind}: {}", said.text());
        assert!(!heard().contains("the-vendors-key"), "{kind}: {}", heard());
        match kind {
            "anthropic" => assert!(said.err.contains("keyVariable") && heard().is_empty(), "{}", said.err),
            _ => assert!(heard().contains("MAX_POOL"), "{kind}: asked without a key"),
        }
        config(variable);
        let _ = sandbox.feed("extract", FACT);
        assert!(heard().contains("the-vendors-key"), "{kind}: {}", heard());
    }
}

#[test]
fn addresses_that_nobody_should_call_are_refused() {
    for line in json_lines("authored/provider-urls.jsonl") {
        let (url, expect) =
            (line["url"].as_str().expect("an address"), line["expect"].as_str().expect("a word"));
        let taken = rawko::provider::Address::parse(url).is_ok();
        assert_eq!(taken, expect == "allow-user-config-only", "{url}");
    }
}

/// G33, as far as a provider is concerned: not one byte of a credential leaves, in whatever field it came.
#[test]
fn no_secret_on_disk_nor_in_what_a_provider_receives() {
    let secrets = [
        ["ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat(),
        ["sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"].concat(),
        ["AKIA", "QWERTYUIOPASDFGH"].concat(),
    ];
    let [task, error, output] = &secrets;
    let (url, seen) = server(vec![Reply::Json(200, message("end_turn", &decision().to_string()))]);
    let sandbox = project("anthropic", &url);
    let asked = format!("Deploy with token={task}");
    let failed = format!("401 for api_key={error}");
    let words = ["extract", "--task", &asked, "--result", "failure", "--error", &failed];
    let told = format!("{FACT}\n\nexport AWS_ACCESS_KEY_ID={output}\n");
    let _ = sandbox.run_words(&words, told.as_bytes()).succeeds();
    let received = seen.lock().expect("a lock").join("\n");
    assert!(received.contains("MAX_POOL") && received.contains("secret:"), "{received}");
    for secret in &secrets {
        assert!(!received.contains(secret.as_str()), "{secret} left the machine");
        for (path, bytes) in crate::sandbox::snapshot(sandbox.scratch()) {
            assert!(!String::from_utf8_lossy(&bytes).contains(secret.as_str()), "{}", path.display());
        }
    }
}
