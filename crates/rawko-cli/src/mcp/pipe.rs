//! Lines in, lines out: one JSON-RPC message each.
//!
//! Two threads own standard input and output, so that the runtime neither waits
//! for the one nor for the other. What is no message gets an answer too, under
//! its id where one can be read: a client must not wait for ever.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc};

/// Longest line that is read, in bytes: four times the longest memory.
pub(super) const LONGEST: usize = 4 * 1024 * 1024;
/// Messages that may wait on either side.
const WAITING: usize = 64;
/// Bytes at both ends of a line that is too long, in which its id is looked for.
const ENDS: usize = 200;

/// JSON-RPC's codes.
const NO_JSON: i32 = -32700;
const NO_REQUEST: i32 = -32600;

/// Both ends; a copy is the same two.
#[derive(Clone)]
pub(super) struct Pipe {
    messages: Arc<Mutex<mpsc::Receiver<ClientJsonRpcMessage>>>,
    answers: mpsc::Sender<String>,
}

impl Pipe {
    /// Starts to read; `ended` is called when there is no more input. The thread that writes ends with the last copy.
    pub(super) fn open(ended: impl FnOnce() + Send + 'static) -> (Self, JoinHandle<()>) {
        let (to_server, messages) = mpsc::channel(WAITING);
        let (answers, from_server) = mpsc::channel(WAITING);
        let refusals = answers.downgrade();
        thread::spawn(move || {
            read(io::stdin().lock(), &to_server, &refusals);
            ended();
        });
        let writer = thread::spawn(move || write(from_server));
        (Self { messages: Arc::new(Mutex::new(messages)), answers }, writer)
    }
}

impl Transport<RoleServer> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let answers = self.answers.clone();
        async move {
            let line = serde_json::to_string(&message)?;
            answers.send(line).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.lock().await.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}

fn write(mut lines: mpsc::Receiver<String>) {
    while let Some(line) = lines.blocking_recv() {
        let mut out = io::stdout().lock();
        if out
            .write_all(line.as_bytes())
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush())
            .is_err()
        {
            // The client reads no more; without readers there is nothing to serve.
            std::process::exit(0);
        }
    }
}

fn read(
    mut input: impl BufRead,
    to_server: &mpsc::Sender<ClientJsonRpcMessage>,
    refusals: &mpsc::WeakSender<String>,
) {
    loop {
        let mut line = Vec::new();
        let message = match (&mut input).take(LONGEST as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() > LONGEST && !line.ends_with(b"\n") => too_long(&mut input, &line),
            Ok(_) => parse(&line),
        };
        let sent = match message {
            Ok(Some(message)) => to_server.blocking_send(message).is_ok(),
            Ok(None) => true,
            Err(refusal) => {
                refusals.upgrade().is_some_and(|answers| answers.blocking_send(refusal.to_string()).is_ok())
            }
        };
        if !sent {
            return;
        }
    }
}

/// The message in a line; nothing where there is none to answer; or the answer to what is no message.
fn parse(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Value> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(message) => Ok(Some(message)),
        Err(_) => match serde_json::from_slice::<Value>(line) {
            Err(error) => Err(refusal(Value::Null, NO_JSON, &format!("this line is no JSON: {error}"))),
            Ok(Value::Array(_)) => {
                Err(refusal(Value::Null, NO_REQUEST, "send one message a line, not a list of them"))
            }
            // A notification that nobody knows needs no answer.
            Ok(value) if value.get("method").is_some() && value.get("id").is_none() => Ok(None),
            Ok(value) => {
                let id = value.get("id").filter(|id| id.is_string() || id.is_number());
                let what = "this is no JSON-RPC 2.0 request: it needs `jsonrpc`, `id` and `method`";
                Err(refusal(id.cloned().unwrap_or_default(), NO_REQUEST, what))
            }
        },
    }
}

/// Passes over the rest of a line that is too long, and answers it.
fn too_long(input: &mut impl BufRead, head: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Value> {
    let mut tail = Vec::new();
    loop {
        let bytes = input.fill_buf().unwrap_or_default();
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let passed = end.map_or(bytes.len(), |end| end + 1);
        tail.extend_from_slice(&bytes[passed.saturating_sub(ENDS)..passed]);
        tail.drain(..tail.len().saturating_sub(ENDS));
        input.consume(passed);
        if end.is_some() || passed == 0 {
            break;
        }
    }
    let id = id_at_an_end(&head[..ENDS.min(head.len())], &tail);
    Err(refusal(
        id,
        NO_REQUEST,
        &format!("a message has at most {LONGEST} bytes: give the part that matters"),
    ))
}

/// The id of a request of which only both ends are known: clients write it first or last.
fn id_at_an_end(head: &[u8], tail: &[u8]) -> Value {
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    let head = head.split("\"params\"").next().unwrap_or_default();
    let after = |text: &str| {
        let value = text.rsplit_once("\"id\":")?.1.trim_start();
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        values.next()?.ok().filter(|id| id.is_string() || id.is_number())
    };
    // Behind the parameters only the outermost object's own fields can follow.
    let last = tail.trim_end().rsplit_once("},").map(|(_, last)| last).filter(|last| !last.contains('{'));
    after(head).or_else(|| after(last?)).unwrap_or_default()
}

fn refusal(id: Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_line_that_is_too_long_is_found_at_either_end() {
        let id = |head: &str, tail: &str| id_at_an_end(head.as_bytes(), tail.as_bytes());
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":9"#, "xxx\"}}"), json!(7));
        assert_eq!(
            id(r#"{"method":"x","params":{"#, "xx\"}},\"jsonrpc\":\"2.0\",\"id\":\"a\"}\n"),
            json!("a")
        );
        assert_eq!(id(r#"{"method":"x","params":{"#, "{\"id\":3}}}\n"), Value::Null);
        assert_eq!(id("", ""), Value::Null);
    }
}
