//! A program that answers a prompt on its standard input: the hosts' own command lines, or any other.
//!
//! The program is told that rawko started it, so that a rawko started inside
//! does nothing: the chain has one link.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Answer, Provider, ProviderError, Question, Usage, quoted};
use crate::group::Group;

/// The environment variable that marks whatever rawko starts.
pub const INSIDE: &str = "RAWKO_INSIDE";
/// Most bytes of an answer.
const BODY: u64 = 4 * 1024 * 1024;

/// How a program wants to be asked, and what its answer looks like.
#[derive(Clone, Debug)]
enum Manner {
    Claude,
    /// With a folder for the file that tells it the form of its answer.
    Codex(PathBuf),
    Gemini,
    Plain,
}

/// A program that answers.
#[derive(Clone, Debug)]
pub struct Host {
    name: &'static str,
    words: Vec<String>,
    manner: Manner,
}

impl Host {
    /// `claude -p`: without hooks, tools and a session of its own.
    pub fn claude(program: &str, model: &str) -> Self {
        let model = if model.is_empty() { "haiku" } else { model };
        let words = [
            program,
            "-p",
            "--output-format",
            "json",
            "--tools",
            "",
            "--settings",
            "{\"disableAllHooks\":true}",
            "--strict-mcp-config",
            "--no-session-persistence",
            "--model",
            model,
        ];
        Self { name: "claude", words: words.map(str::to_owned).to_vec(), manner: Manner::Claude }
    }

    /// `codex exec`, read-only and without hooks; a short-lived file of ours is put into `scratch`.
    pub fn codex(program: &str, model: &str, scratch: impl Into<PathBuf>) -> Self {
        let words = [
            program,
            "exec",
            "--json",
            "--ephemeral",
            "--skip-git-repo-check",
            "-s",
            "read-only",
            "--disable",
            "hooks",
        ];
        let mut words: Vec<String> = words.map(str::to_owned).to_vec();
        if !model.is_empty() {
            words.extend(["-m".to_owned(), model.to_owned()]);
        }
        words.push("-".to_owned());
        Self { name: "codex", words, manner: Manner::Codex(scratch.into()) }
    }

    /// `gemini -p`.
    pub fn gemini(program: &str, model: &str) -> Self {
        let words = [program, "-p", "Follow the instructions above.", "--output-format", "json"];
        let mut words: Vec<String> = words.map(str::to_owned).to_vec();
        if !model.is_empty() {
            words.extend(["-m".to_owned(), model.to_owned()]);
        }
        Self { name: "gemini", words, manner: Manner::Gemini }
    }

    /// Any command: the prompt goes in, text with a JSON object comes out.
    pub fn command(words: Vec<String>) -> Self {
        Self { name: "command", words, manner: Manner::Plain }
    }

    fn failed(&self, what: impl Into<String>) -> ProviderError {
        let program = self.words.first().cloned().unwrap_or_default();
        ProviderError::Program { program, what: what.into() }
    }

    /// The words by which the program is told what its answer must look like; none where it has no way to be.
    fn formed(&self, schema: &Value) -> std::io::Result<(Vec<String>, Option<SchemaFile>)> {
        if schema.is_null() {
            return Ok((Vec::new(), None));
        }
        Ok(match &self.manner {
            Manner::Claude => (vec!["--json-schema".to_owned(), schema.to_string()], None),
            Manner::Codex(scratch) => {
                let file = SchemaFile::of(schema, scratch)?;
                (vec!["--output-schema".to_owned(), file.0.display().to_string()], Some(file))
            }
            Manner::Gemini | Manner::Plain => (Vec::new(), None),
        })
    }

    /// Runs the program, with further words behind the first one (`-p`, `exec`).
    fn run(&self, more: &[String], prompt: &str, timeout: Duration) -> Result<String, ProviderError> {
        let Some((program, rest)) = self.words.split_first() else {
            return Err(self.failed("is not set: name a program in `provider.command`"));
        };
        let mut command = Command::new(program);
        command
            .args(rest.iter().take(1))
            .args(more)
            .args(rest.iter().skip(1))
            .env(INSIDE, "1")
            .env("RAWKO_HOOK", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let unable = |error| self.failed(format!("cannot be started: {error}"));
        // Whatever it starts ends with it.
        let group = Group::new().map_err(unable)?;
        let mut child = group.start(&mut command).map_err(unable)?;
        let (mut stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let text = prompt.to_owned();
        // A program may answer before it has read everything: neither side may wait for the other.
        let writer = std::thread::spawn(move || {
            if let Some(stdin) = &mut stdin {
                let _ = stdin.write_all(text.as_bytes());
            }
        });
        let (answer, answered) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(stdout) = stdout {
                let _ = stdout.take(BODY).read_to_end(&mut bytes);
            }
            let _ = answer.send(bytes);
        });
        let start = Instant::now();
        let status = wait(&mut child, timeout).map_err(|error| self.failed(format!("was lost: {error}")))?;
        let Some(status) = status else { return Err(ProviderError::Late(timeout)) };
        // A program may end and leave another behind that holds its output open: the limit is for both.
        let left = timeout.saturating_sub(start.elapsed()).max(Duration::from_millis(100));
        let Ok(bytes) = answered.recv_timeout(left) else { return Err(ProviderError::Late(timeout)) };
        drop(writer);
        if !status.success() {
            return Err(self.failed(format!("ended with {status}")));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A schema in a file that goes when it was used.
struct SchemaFile(PathBuf);

impl SchemaFile {
    fn of(schema: &Value, folder: &Path) -> std::io::Result<Self> {
        let paths = (0..100).map(|n| folder.join(format!("rawko-{}-{n}.json", std::process::id())));
        // A file that is there already is somebody else's.
        let made = |path: PathBuf| Some((fs::File::create_new(&path).ok()?, Self(path)));
        let (mut file, written) =
            { paths }.find_map(made).ok_or_else(|| std::io::Error::other("no place for the schema"))?;
        file.write_all(schema.to_string().as_bytes())?;
        Ok(written)
    }
}

impl Drop for SchemaFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Waits for a child; one that is late is ended, and `None` comes back.
fn wait(
    child: &mut std::process::Child,
    timeout: Duration,
) -> std::io::Result<Option<std::process::ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() >= timeout {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(100));
    }
}

impl Provider for Host {
    fn name(&self) -> &str {
        self.name
    }

    fn ask(&self, question: &Question<'_>) -> Result<Answer, ProviderError> {
        let start = Instant::now();
        let (more, _file) = self.formed(question.schema).unwrap_or_default();
        let out = match self.run(&more, question.prompt, question.timeout) {
            // An older program does not know the setting; the prompt says the form, too.
            Err(ProviderError::Program { .. }) if !more.is_empty() => {
                self.run(&[], question.prompt, question.timeout.saturating_sub(start.elapsed()))?
            }
            out => out?,
        };
        match self.manner {
            Manner::Claude => claude(&out),
            Manner::Codex(_) => codex(&out),
            Manner::Gemini => gemini(&out),
            Manner::Plain => Ok(Answer { text: out, usage: Usage::default() }),
        }
    }
}

fn object(out: &str) -> Result<Value, ProviderError> {
    serde_json::from_str(out.trim()).map_err(|error| ProviderError::Form(error.to_string()))
}

fn claude(out: &str) -> Result<Answer, ProviderError> {
    let value = object(out)?;
    if value["is_error"] == true {
        return Err(ProviderError::Form(quoted(value["result"].as_str().unwrap_or("it says `is_error`"))));
    }
    let text = match &value["structured_output"] {
        decided @ Value::Object(_) => decided.to_string(),
        _ => value["result"].as_str().unwrap_or_default().to_owned(),
    };
    let count = |name: &str| value["usage"][name].as_u64().unwrap_or_default();
    let input =
        count("input_tokens") + count("cache_read_input_tokens") + count("cache_creation_input_tokens");
    let usage = Usage { input, output: count("output_tokens"), dollars: value["total_cost_usd"].as_f64() };
    Ok(Answer { text, usage })
}

fn codex(out: &str) -> Result<Answer, ProviderError> {
    let mut answer = Answer::default();
    for line in out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if line["type"] == "item.completed" && line["item"]["type"] == "agent_message" {
            answer.text = line["item"]["text"].as_str().unwrap_or_default().to_owned();
        }
        if line["type"] == "turn.completed" {
            let count = |name: &str| line["usage"][name].as_u64().unwrap_or_default();
            answer.usage =
                Usage { input: count("input_tokens"), output: count("output_tokens"), dollars: None };
        }
    }
    if answer.text.is_empty() {
        Err(ProviderError::Form("it has no `agent_message`".to_owned()))
    } else {
        Ok(answer)
    }
}

fn gemini(out: &str) -> Result<Answer, ProviderError> {
    let value = object(out)?;
    match value["response"].as_str() {
        Some(text) => Ok(Answer { text: text.to_owned(), usage: gemini_usage(&value["stats"]) }),
        None => {
            let said = value["error"]["message"].as_str().unwrap_or("it has no `response`");
            Err(ProviderError::Form(quoted(said)))
        }
    }
}

/// What all of its models took together.
fn gemini_usage(stats: &Value) -> Usage {
    let models = || stats["models"].as_object().into_iter().flat_map(|models| models.values());
    let sum = |names: &[&str]| -> u64 {
        let counted = models().flat_map(|model| names.iter().map(|name| model["tokens"][*name].as_u64()));
        counted.flatten().sum()
    };
    Usage { input: sum(&["prompt"]), output: sum(&["candidates", "thoughts"]), dollars: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(words: &[&str], timeout: Duration) -> Result<Answer, ProviderError> {
        let host = Host::command(words.iter().map(|&word| word.to_owned()).collect());
        host.ask(&Question { prompt: "the prompt", schema: &Value::Null, max_tokens: 10, timeout })
    }

    #[test]
    fn a_command_gets_the_prompt_and_knows_who_started_it() {
        let minute = Duration::from_secs(60);
        let answer =
            ask(&["sh", "-c", "cat; echo \" $RAWKO_INSIDE $RAWKO_HOOK\""], minute).expect("an answer");
        assert_eq!(answer.text, "the prompt 1 off\n");
    }

    #[test]
    fn a_program_that_fails_is_missing_or_late_says_so() {
        let minute = Duration::from_secs(60);
        assert!(matches!(ask(&["sh", "-c", "exit 3"], minute), Err(ProviderError::Program { .. })));
        assert!(matches!(ask(&["no-such-program-here"], minute), Err(ProviderError::Program { .. })));
        assert!(matches!(ask(&[], minute), Err(ProviderError::Program { .. })));
        assert!(matches!(
            ask(&["sh", "-c", "exec tail -f /dev/null"], Duration::from_millis(50)),
            Err(ProviderError::Late(_))
        ));
    }

    #[test]
    fn what_a_program_leaves_behind_holds_nobody_up() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let mark = folder.path().join("alive");
        let script = format!("(sleep 3; touch {}) & echo answer", mark.display());
        let late = ask(&["sh", "-c", &script], Duration::from_millis(300));
        assert!(matches!(late, Err(ProviderError::Late(_))), "{late:?}");
        std::thread::sleep(Duration::from_secs(4));
        assert!(!mark.exists(), "what it started ended with it");
    }

    #[test]
    fn the_hosts_own_forms_are_read() {
        let answer = claude(r#"{"is_error":false,"structured_output":{"a":1},"result":"x","total_cost_usd":0.25,"usage":{"input_tokens":7}}"#).expect("an answer");
        assert_eq!(
            (answer.text.as_str(), answer.usage.dollars, answer.usage.input),
            ("{\"a\":1}", Some(0.25), 7)
        );
        assert!(claude(r#"{"is_error":true,"result":"no credit"}"#).is_err());
        let lines = "{\"type\":\"thread.started\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"hi\"}}\n{\"type\":\"turn.completed\",\"usage\":{\"output_tokens\":3}}";
        assert_eq!(codex(lines).expect("an answer").usage.output, 3);
        assert!(codex("nothing").is_err());
        assert_eq!(gemini(r#"{"response":"hi"}"#).expect("an answer").text, "hi");
        assert!(gemini(r#"{"error":{"message":"quota"}}"#).is_err());
        let cached = r#"{"result":"x","usage":{"input_tokens":7,"cache_read_input_tokens":900,"cache_creation_input_tokens":80,"output_tokens":2}}"#;
        assert_eq!(claude(cached).expect("an answer").usage.input, 987);
        let counted = r#"{"response":"hi","stats":{"models":{"a":{"tokens":{"prompt":40,"candidates":5,"thoughts":3,"total":48}},"b":{"tokens":{"prompt":2,"candidates":1}}}}}"#;
        let usage = gemini(counted).expect("an answer").usage;
        assert_eq!((usage.input, usage.output), (42, 9));
    }

    #[test]
    fn a_host_is_told_the_form_of_its_answer_where_it_can_be() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let program = |name: &str, script: &str| {
            let path = folder.path().join(name);
            fs::write(&path, format!("#!/bin/sh\ncat > /dev/null\n{script}\n")).expect("written");
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("set");
            path.display().to_string()
        };
        let schema = serde_json::json!({ "type": "object" });
        let minute = Duration::from_secs(60);
        let ask = |host: Host| {
            host.ask(&Question { prompt: "p", schema: &schema, max_tokens: 10, timeout: minute })
                .expect("an answer")
                .text
        };
        let told = r#"case "$*" in *--json-schema*) echo '{"structured_output":{"formed":1}}';; *) echo '{"result":"plain"}';; esac"#;
        assert_eq!(ask(Host::claude(&program("claude", told), "")), "{\"formed\":1}");
        let older = r#"case "$*" in *schema*) exit 2;; esac; echo '{"result":"plain"}'"#;
        assert_eq!(ask(Host::claude(&program("older", older), "")), "plain");
        let file = r#"test "$1 $2" = "exec --output-schema" && text=$(tr -d '"{}' < "$3") && printf '{"type":"item.completed","item":{"type":"agent_message","text":"%s %s"}}' "$text" "$3""#;
        let answer = ask(Host::codex(&program("codex", file), "", folder.path()));
        let (form, path) = answer.split_once(' ').expect("two words");
        assert_eq!(form, "type:object");
        assert!(!std::path::Path::new(path).exists(), "{path} is left behind");
    }

    #[test]
    fn half_a_secret_is_in_no_error() {
        let secret = ["ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
        for before in [0, 140, 272] {
            let said = format!("{}{secret} was refused", "x ".repeat(before / 2));
            let claude = claude(&serde_json::json!({ "is_error": true, "result": said }).to_string());
            let gemini = gemini(&serde_json::json!({ "error": { "message": said } }).to_string());
            for error in [claude, gemini] {
                let text = error.expect_err("an error").to_string();
                assert!(!text.contains("ghp_") && text.chars().count() < 400, "{text}");
            }
        }
    }
}
