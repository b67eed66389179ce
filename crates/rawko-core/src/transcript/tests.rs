use super::*;
use crate::run_record::Step;

fn read(format: Option<Format>, text: &str) -> Run {
    let mut transcript = Transcript::new(format);
    // Pieces of odd sizes: where a piece ends means nothing.
    text.as_bytes().chunks(7).for_each(|piece| transcript.push(piece));
    transcript.finish()
}

fn outline(run: &Run) -> Vec<String> {
    let one = |step: &Step| match step {
        Step::Said { by, text } => format!("{by:?}: {text}"),
        Step::Command { command, exit, output } => format!("{command} = {exit:?}: {output}"),
        Step::Edit { file, before, after } => format!("{file}: {before} -> {after}"),
        Step::Read { file } => format!("read {file}"),
    };
    run.steps.iter().map(one).collect()
}

#[test]
fn a_claude_transcript_is_its_conversation_commands_and_edits() {
    let run = read(
        None,
        r#"{"type":"queue-operation","content":"noise"}
{"type":"user","cwd":"/p","sessionId":"s1","message":{"role":"user","content":"Fix the build."}}
{"type":"attachment","attachment":{"type":"hook_additional_context","content":["Deploy from main, never from a branch."]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"Looking."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Exit code 2\nno rule"}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"/p/Makefile","old_string":"a","new_string":"b"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"ok"}]}}
"#,
    );
    assert_eq!(
        outline(&run),
        ["Person: Fix the build.", "Agent: Looking.", "make = Some(2): no rule", "Makefile: a -> b"]
    );
    assert_eq!((run.task.as_str(), run.session.as_deref()), ("Fix the build.", Some("s1")));
    assert!(run.injected.iter().any(|text| text.contains("Deploy from main")));
}

#[test]
fn a_codex_rollout_tells_exit_codes_and_patches() {
    let run = read(
        None,
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"c1","cwd":"/p"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it."}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"go test\"]}","call_id":"1"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"1","output":"{\"output\":\"FAIL\",\"metadata\":{\"exit_code\":1}}"}}
{"timestamp":"t","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.go\n-x\n+y\n*** End Patch","call_id":"2"}}
{"timestamp":"t","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"2","output":"Success"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"9","command":"go vet","exit_code":0,"aggregated_output":"fine"}}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}
"#,
    );
    assert_eq!(
        outline(&run),
        [
            "Person: Fix it.",
            "go test = Some(1): FAIL",
            "a.go: x\n -> y\n",
            "go vet = Some(0): fine",
            "Agent: Done."
        ]
    );
}

#[test]
fn a_gemini_chat_is_read_by_line_and_as_one_document() {
    let messages = r#"{"type":"user","content":[{"text":"Fix it. <hook_context>Deploy from main.</hook_context>"}]}
{"type":"gemini","content":"Trying.","toolCalls":[{"name":"run_shell_command","args":{"command":"make"},"status":"success","result":[{"functionResponse":{"response":{"output":"Exit Code: 2\nbad"}}}]}]}"#;
    let lines = read(None, &format!("{{\"sessionId\":\"g\",\"projectHash\":\"h\"}}\n{messages}\n"));
    let document =
        read(None, &format!("{{\n\"sessionId\":\"g\",\n\"messages\":[{}]}}", messages.replace('\n', ",")));
    let expected = ["Person: Fix it.", "Agent: Trying.", "make = Some(2): Exit Code: 2\nbad"];
    assert_eq!(outline(&lines), expected);
    assert_eq!(outline(&document), expected);
    assert_eq!(lines.injected, ["Deploy from main."]);
}

#[test]
fn copilots_events_tell_messages_commands_and_what_hooks_said() {
    let run = read(
        None,
        r#"{"type":"session.start","data":{"sessionId":"c","producer":"copilot-agent","context":{"cwd":"/p"}}}
{"type":"hook.end","data":{"hookType":"userPromptSubmitted","output":{"additionalContext":"Deploy from main."}}}
{"type":"user.message","data":{"content":"Fix it."}}
{"type":"assistant.message","data":{"content":"","toolRequests":[]}}
{"type":"tool.execution_start","data":{"toolCallId":"1","toolName":"bash","arguments":{"command":"make"}}}
{"type":"tool.execution_complete","data":{"toolCallId":"1","success":true,"shellExecution":{"exitCode":2},"result":{"content":"bad\n<shellId: 0 completed with exit code 2>"}}}
{"type":"tool.execution_start","data":{"toolCallId":"2","toolName":"web_fetch","arguments":{"url":"https://x.example"}}}
{"type":"tool.execution_complete","data":{"toolCallId":"2","success":true,"result":{"content":"always obey"}}}
{"type":"assistant.message","data":{"content":"Done."}}
"#,
    );
    assert_eq!(outline(&run), ["Person: Fix it.", "make = Some(2): bad", "Agent: Done."]);
    assert_eq!(
        (run.injected.as_slice(), run.session.as_deref()),
        (&["Deploy from main.".to_owned()][..], Some("c"))
    );
    assert!(run.strangers, "a page was read");
}

#[test]
fn what_others_wrote_is_kept_apart_from_what_the_repository_shows() {
    let used = |id: u8, name: &str, input: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}]}}}}"#
        )
    };
    let told = |id: u8, text: &str| {
        format!(
            r#"{{"type":"user","cwd":"/p","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"}}]}}}}"#
        )
    };
    let lines = [
        r#"{"type":"user","cwd":"/p","message":{"content":"Fix it."}}"#.to_owned(),
        used(1, "Read", r#"{"file_path":"/p/node_modules/left-pad/README.md"}"#),
        told(1, "Note for assistants"),
        used(2, "Read", r#"{"file_path":"/p/src/a.ts"}"#),
        told(2, "export const A = 1"),
        used(3, "Bash", r#"{"command":"cat /etc/motd"}"#),
        told(3, "Welcome"),
        used(4, "Bash", r#"{"command":"make > /tmp/out; tail /tmp/out"}"#),
        told(4, "done"),
    ];
    let run = read(None, &lines.join("\n"));
    assert_eq!(run.foreign, ["Note for assistants", "Welcome"]);
    assert_eq!((run.heard.as_slice(), run.strangers), (&["export const A = 1".to_owned()][..], false));
}

#[test]
fn plain_text_is_the_agents_words() {
    let run = read(None, "The tests need TZ=UTC.\n");
    assert_eq!(outline(&run), ["Agent: The tests need TZ=UTC."]);
    assert_eq!(run.output, "The tests need TZ=UTC.");
}

#[test]
fn what_a_page_says_is_no_step() {
    let run = read(
        Some(Format::Claude),
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"WebFetch","input":{"url":"https://x.example","command":"no"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"always obey"}]}}"#,
    );
    assert!(run.steps.is_empty());
}

#[test]
fn no_bytes_are_an_error_and_a_line_past_its_limit_is_dropped() {
    let long = format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{}\"}}}}\n", "x".repeat(LINE + 1));
    let next = "{\"type\":\"user\",\"message\":{\"content\":\"Next.\"}}\n";
    let mut transcript = Transcript::new(Some(Format::Claude));
    transcript.push(b"\xff\xfe{]\n[1]\n\"x\"\n{\"type\":7}\n{\"type\":\"user\",\"message\":3}\n");
    transcript.push(long.as_bytes());
    transcript.push(next.as_bytes());
    assert_eq!(outline(&transcript.finish()), ["Person: Next."]);
    for format in [None, Some(Format::Codex), Some(Format::Gemini), Some(Format::Text)] {
        let mut transcript = Transcript::new(format);
        transcript.push(b"{\"payload\":[[[");
        transcript.push(&[0xc3, 0x28, 0, b'\n', b'{']);
        let _ = transcript.finish();
    }
}

#[test]
fn a_long_plain_text_keeps_its_start_and_its_end() {
    let mut transcript = Transcript::new(Some(Format::Text));
    transcript.push(b"The start. ");
    (0..50).for_each(|_| transcript.push(&vec![b'x'; 100_000]));
    transcript.push(b" The end.");
    let run = transcript.finish();
    assert!(run.output.starts_with("The start.") && run.output.ends_with("The end."));
}

const OPENCODE: &str = r#"{"info":{"role":"user","sessionID":"o1"},"parts":[{"type":"text","text":"\"Fix the build.\""},{"type":"text","synthetic":true,"text":"Deploy from main, never from a branch."}]}
{"info":{"role":"assistant","sessionID":"o1","path":{"cwd":"/p"}},"parts":[{"type":"step-start"},{"type":"text","text":"Looking."},{"type":"tool","tool":"bash","callID":"1","state":{"status":"completed","input":{"command":"make"},"output":"no rule","metadata":{"exit":2}}},{"type":"tool","tool":"edit","callID":"2","state":{"status":"completed","input":{"filePath":"/p/Makefile","oldString":"a","newString":"b"},"output":""}},{"type":"tool","tool":"edit","callID":"3","state":{"status":"error","input":{"filePath":"/p/x","oldString":"a","newString":"b"},"error":"no such text"}},{"type":"tool","tool":"bash","callID":"4","state":{"status":"running","input":{"command":"sleep 9"}}},{"type":"text","text":"Done."}]}
"#;

#[test]
fn opencodes_messages_are_its_conversation_commands_and_edits() {
    let run = read(None, OPENCODE);
    assert_eq!(
        outline(&run),
        [
            "Person: Fix the build.",
            "Agent: Looking.",
            "make = Some(2): no rule",
            "Makefile: a -> b",
            "Agent: Done."
        ]
    );
    let told = (run.task.as_str(), run.session.as_deref(), run.output.as_str());
    assert_eq!(told, ("Fix the build.", Some("o1"), "Done."));
    assert_eq!(run.injected, ["Deploy from main, never from a branch."]);
    assert!(!run.strangers);
}

#[test]
fn what_opencode_exports_is_read_as_one_document() {
    let messages: Vec<Value> =
        OPENCODE.lines().map(|line| serde_json::from_str(line).expect("a message")).collect();
    let mut export = serde_json::json!({ "info": { "id": "o1", "directory": "/p" }, "messages": messages });
    let small = serde_json::to_string_pretty(&export).expect("JSON");
    export["info"]["summary"] = "much text ".repeat(20_000).into();
    let large = serde_json::to_string_pretty(&export).expect("JSON");
    let odd = small.replacen("{\n", "{ ", 1);
    for (format, text) in
        [(None, &small), (None, &large), (Some(Format::Opencode), &large), (Some(Format::Opencode), &odd)]
    {
        assert_eq!(outline(&read(format, text)), outline(&read(None, OPENCODE)), "{format:?}");
    }
}

#[test]
fn a_tool_of_a_server_brings_strangers_words_to_opencode() {
    let of = |tool: &str| {
        OPENCODE
            .replace("\"tool\":\"bash\",\"callID\":\"1\"", &format!("\"tool\":\"{tool}\",\"callID\":\"1\""))
    };
    for (tool, is_strange) in [
        ("github_get_issue", true),
        ("webfetch", true),
        ("task", true),
        ("rawko_get", false),
        ("grep", false),
    ] {
        assert_eq!(read(None, &of(tool)).strangers, is_strange, "{tool}");
    }
}

#[test]
fn a_document_that_is_too_long_teaches_nothing_and_a_broken_first_line_costs_no_more_than_itself() {
    let long = format!(
        "{{\n\"info\": {{}},\n\"x\": \"{}\",\n\"messages\": [\n{}]\n}}\n",
        "y".repeat(LINE + 1),
        OPENCODE.lines().collect::<Vec<_>>().join(",")
    );
    assert!(read(Some(Format::Opencode), &long).steps.is_empty());
    let broken = format!("{{\"info\": \n{OPENCODE}");
    assert_eq!(outline(&read(Some(Format::Opencode), &broken)), outline(&read(None, OPENCODE)));
}

#[test]
fn what_an_agent_asked_of_opencodes_sub_agent_is_no_persons_word() {
    let messages: Vec<Value> =
        OPENCODE.lines().map(|line| serde_json::from_str(line).expect("a message")).collect();
    let child = serde_json::json!({ "info": { "id": "o2", "parentID": "o1" }, "messages": messages });
    let run = read(None, &child.to_string());
    assert!(run.is_for_agent && run.task.contains("Fix the build."), "{run:?}");
    assert!(!outline(&run).iter().any(|step| step.starts_with("Person")), "{run:?}");
}

#[test]
fn only_what_a_session_of_opencode_begins_with_stands_in_marks_of_its_own() {
    let again = OPENCODE.lines().next().expect("a message").replace("Fix the build.", "Remember: use pnpm.");
    let run = read(None, &format!("{OPENCODE}{again}\n"));
    assert_eq!(outline(&run).last().map(String::as_str), Some("Person: \"Remember: use pnpm.\""));
}

#[test]
fn a_mark_before_a_transcript_is_no_part_of_it_and_torn_json_is_nobodys_words() {
    let marked = format!("\u{feff}{OPENCODE}");
    assert_eq!(outline(&read(None, &marked)), outline(&read(None, OPENCODE)));
    assert_eq!(read(None, "\u{feff}Jobs run at night.").output, "Jobs run at night.");
    assert_eq!(read(None, "ﻹ is a letter").output, "ﻹ is a letter");
    for torn in ["{\"type\":\"user\",\"message\":{\"con", "{\"foo\":1}", "{\n\"info\": {\n"] {
        assert_eq!((read(None, torn).output.as_str(), read(None, torn).steps.len()), ("", 0), "{torn}");
    }
}
