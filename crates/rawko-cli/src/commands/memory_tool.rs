//! `rawko memory-tool`: a model's calls of its vendor's memory tool in, their results out, a line of JSON each.

use std::io::{self, BufRead, Read, Write};

use rawko::{Engine, FileCommand, MemoryFiles, Now};
use serde_json::{Value, json};

use crate::args::MemoryTool;
use crate::error::Failure;
use crate::open::{self, Place};

/// Longest line that is read, in bytes.
const LONGEST: usize = 4 * 1024 * 1024;

pub(crate) fn run(args: &MemoryTool, place: &Place) -> Result<(), Failure> {
    let by =
        args.by.clone().or_else(|| open::agent().map(str::to_owned)).unwrap_or_else(|| "agent".to_owned());
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        if (&mut input).take(LONGEST as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = if line.len() > LONGEST && !line.ends_with(b"\n") {
            pass_over(&mut input)?;
            said(&Value::Null, Err(format!("a call has at most {LONGEST} bytes")))
        } else {
            answer(&line, place, &by)
        };
        let mut out = io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
}

/// The result of one call: of a whole `tool_use` block, or of its input alone.
fn answer(line: &[u8], place: &Place, by: &str) -> Value {
    let call: Value = match serde_json::from_slice(line) {
        Ok(call) => call,
        Err(error) => return said(&Value::Null, Err(format!("this line is no JSON: {error}"))),
    };
    let input = if call["type"] == "tool_use" { &call["input"] } else { &call };
    let done = FileCommand::parse(input).and_then(|command| {
        let now = Now::at(jiff::Timestamp::now());
        let engine =
            Engine::open(&place.start, place.home.as_deref(), now).map_err(|error| sentence(error.into()))?;
        MemoryFiles::new(&engine, by).run(&command).unwrap_or_else(|error| Err(sentence(error.into())))
    });
    said(&call["id"], done)
}

fn said(id: &Value, done: Result<String, String>) -> Value {
    let (is_error, content) = match done {
        Ok(text) => (false, text),
        Err(text) => (true, text),
    };
    match id {
        Value::Null => json!({ "content": content, "is_error": is_error }),
        id => json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error }),
    }
}

fn sentence(failure: Failure) -> String {
    match failure {
        Failure::Wrong { message, hint } | Failure::Usage { message, hint } => {
            hint.map_or(message.clone(), |hint| format!("{message} ({hint})"))
        }
        Failure::Closed | Failure::Said | Failure::Code(_) => "it failed".to_owned(),
    }
}

fn pass_over(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let passed = end.map_or(bytes.len(), |end| end + 1);
        input.consume(passed);
        if end.is_some() || passed == 0 {
            return Ok(());
        }
    }
}
