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
    /// Overloaded, with this header.
    Busy(String),
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
                Reply::Busy(header) => format!("HTTP/1.1 429 X\r\n{header}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
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
fn cuts_and_silence_keep_the_run() {
    let cases = [
        (vec![Reply::Json(200, message("max_tokens", "{"))], "cut at its token limit"),
        (vec![Reply::Cut, Reply::Cut, Reply::Cut], "the connection failed"),
        (vec![Reply::Silence], "no answer within"),
        (vec![Reply::Json(200, json!("text"))], "not in the provider's form"),
    ];
    for (replies, expected) in cases {
        let (url, _) = server(replies);
        let sandbox = project("anthropic", &url);
        let _ = sandbox.feed("extract", FACT).fails(1).says(expected).says("the run is kept");
        assert_eq!(kept(&sandbox).len(), 1, "{expected}");
    }
}

/// The runs that wait.
fn kept(sandbox: &Sandbox) -> Vec<PathBuf> {
    let folder = sandbox.project().join(".rawko/log/pending");
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect()
}

/// The lines of one kind in the log.
fn logged(sandbox: &Sandbox, kind: &str) -> Vec<Value> {
    let files = fs::read_dir(sandbox.project().join(".rawko/log")).expect("a log").flatten();
    let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok()).collect::<String>();
    let lines = texts.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["kind"] == kind).collect()
}

#[test]
fn a_refusal_is_final_for_its_run_and_what_it_took_is_counted() {
    let counted = |stop: &str| {
        let mut said = message(stop, "no");
        said["usage"] = json!({ "input_tokens": 9_000, "output_tokens": 2_048 });
        Reply::Json(200, said)
    };
    let (url, seen) = server(vec![counted("refusal"), counted("max_tokens")]);
    let sandbox = project("anthropic", &url);
    let _ = sandbox.feed("extract", FACT).fails(1).says("the model refused").says("does not wait");
    let _ = sandbox.run("extract --pending").succeeds().says("0 runs wait");
    let _ = sandbox.feed("extract", FACT).succeeds().says("learned from before");
    assert_eq!((seen.lock().expect("a lock").len(), kept(&sandbox).len()), (1, 0));
    let _ = sandbox.feed("extract --task other", FACT).fails(1).says("cut at its token limit");
    let questions = logged(&sandbox, "question");
    assert_eq!(questions.len(), 2);
    for line in questions {
        assert_eq!((&line["tokensIn"], &line["tokensOut"]), (&json!(9_000), &json!(2_048)), "{line}");
        assert_eq!(line["dollars"].as_f64().map(|dollars| dollars.round()), Some(13.0), "{line}");
    }
}

#[test]
fn a_provider_is_left_alone_for_as_long_as_it_asks() {
    for (asked, least) in [("retry-after: 7200", 7_200), ("retry-after: 2000", 2_000)] {
        let (url, seen) = server((0..3).map(|_| Reply::Busy(asked.to_owned())).collect());
        let sandbox = project("anthropic", &url);
        let _ = sandbox.feed("extract", FACT).fails(1).says("answered 429").says("the run is kept");
        assert_eq!(seen.lock().expect("a lock").len(), 1, "{asked}: asked once");
        let record: Value =
            serde_json::from_slice(&fs::read(&kept(&sandbox)[0]).expect("a run")).expect("JSON");
        let next: jiff::Timestamp = record["run"]["next"].as_str().expect("a time").parse().expect("a time");
        let wait = next.duration_since(jiff::Timestamp::now()).as_secs();
        assert!((least - 120..=least).contains(&wait), "{asked}: {wait}");
        let _ = sandbox.run("extract --pending").succeeds().says("1 run waits");
        assert_eq!(seen.lock().expect("a lock").len(), 1, "{asked}: not before its time");
    }
    // A short pause is waited for; it may be a date, by the server's own clock.
    let date = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after: Sun, 06 Nov 1994 08:49:38 GMT";
    let done = || Reply::Json(200, message("end_turn", &decision().to_string()));
    let (url, seen) = server(vec![Reply::Busy(date.to_owned()), done()]);
    let start = std::time::Instant::now();
    let _ = project("anthropic", &url).feed("extract", FACT).succeeds();
    assert!(start.elapsed().as_millis() >= 1_000, "it waited");
    assert_eq!(seen.lock().expect("a lock").len(), 2);
}

#[test]
fn a_run_is_kept_before_a_provider_is_asked() {
    for words in [vec!["extract"], vec!["hook", "--learn", "claude"]] {
        let (url, seen) =
            server(vec![Reply::Silence, Reply::Json(200, message("end_turn", &decision().to_string()))]);
        let sandbox = project("anthropic", &url);
        let mut command = sandbox.command(&sandbox.program());
        let mut child =
            command.args(&words).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
        let told = json!({ "agent": "claude", "output": FACT }).to_string();
        let input = if words.len() == 1 { FACT } else { &told };
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
        while seen.lock().expect("a lock").is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        child.kill().expect("ended");
        child.wait().expect("ended");
        assert_eq!(kept(&sandbox).len(), 1, "{words:?}");
        let _ = sandbox.run("doctor").says("1 run waits to be learned from");
        let _ = sandbox.run("extract --pending").succeeds().says("1 run was answered; 0 runs wait");
        assert_eq!(kept(&sandbox).len(), 0, "{words:?}");
    }
}

#[test]
fn a_run_that_was_answered_directly_is_not_asked_about_again() {
    let done = || Reply::Json(200, message("end_turn", &decision().to_string()));
    let (url, seen) = server(vec![Reply::Json(401, json!({})), done(), done()]);
    let sandbox = project("anthropic", &url);
    let _ = sandbox.feed("extract", FACT).fails(1);
    assert_eq!(kept(&sandbox).len(), 1);
    let _ = sandbox.feed("extract", FACT).succeeds();
    assert_eq!(kept(&sandbox).len(), 0);
    let _ = sandbox.run("extract --pending").succeeds().says("0 runs wait");
    assert_eq!(seen.lock().expect("a lock").len(), 2);
}

#[test]
fn without_a_key_the_run_is_kept_and_the_doctor_says_so() {
    let (url, _) = server(vec![]);
    for words in [vec!["extract"], vec!["hook", "--learn", "claude"]] {
        let sandbox = project("anthropic", &url).without("KEY");
        let told = json!({ "agent": "claude", "output": FACT }).to_string();
        let said = sandbox.run_words(&words, if words.len() == 1 { FACT } else { &told }.as_bytes());
        assert_eq!(said.code, if words.len() == 1 { 2 } else { 0 }, "{}", said.text());
        assert_eq!(kept(&sandbox).len(), 1, "{words:?}");
        let _ = sandbox.run("doctor").says("1 run waits to be learned from").says("KEY is not set");
    }
}

#[test]
fn a_kept_run_that_is_torn_is_told() {
    let (url, _) = server(vec![Reply::Json(401, json!({}))]);
    let sandbox = project("anthropic", &url);
    let _ = sandbox.feed("extract", FACT).fails(1);
    let path = &kept(&sandbox)[0];
    let text = fs::read(path).expect("a run");
    fs::write(path, &text[..text.len() / 2]).expect("torn");
    let _ = sandbox.run("extract --pending").succeeds().says("1 kept run in `log/pending` cannot be read");
    let _ = sandbox.run("doctor").fails(1).says("1 kept run in `log/pending` cannot be read");
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
