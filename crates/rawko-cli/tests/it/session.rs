//! `rawko session`: a task from its start to its end, and what a person is told when something is wrong.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;

use crate::sandbox::Sandbox;

/// A project with one open session, begun by `developer`.
fn begun() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let said = sandbox.run("session start 'Add a login' --agent developer --json").succeeds();
    let id = said.json()["session"].as_str().expect("an id").to_owned();
    (sandbox, id)
}

fn folder(sandbox: &Sandbox, id: &str) -> PathBuf {
    sandbox.project().join(".rawko/sessions").join(id)
}

/// Text with the session's name and times replaced.
fn stable(text: &str, id: &str) -> String {
    let times = regex_lite::Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z").expect("a pattern");
    times.replace_all(&text.replace(id, "<id>"), "<time>").into_owned()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one file, shown whole")]
fn a_session_has_its_five_files_and_every_command_adds_to_them() {
    let (sandbox, id) = begun();
    let mut names: Vec<String> = fs::read_dir(folder(&sandbox, &id))
        .expect("a folder")
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["agent-memory.yaml", "context.yaml", "conversation.yaml", "metadata.yaml", "origin", "plan.yaml"],
        "five files, and whose they are"
    );
    for words in [
        "session discover 'Sets req.user' --type code_pattern --importance high --file src/a.ts --action 'Follow it'",
        "session attempt start 'Write the route' --step 2 --approach 'By hand' --command 'touch a' --sub-task 'Route=complete' --sub-task Test",
        "session attempt update --progress 60% --status working --issue 'none yet' --next 'Test it'",
        "session attempt finish --result failure --output 'boom' --error 'no store' --lessons 'read first' --next-attempt JWT --artifact src/l.ts=create --duration-ms 85 --iterations 1 --tokens-in 21 --tokens-out 12",
        "session decide 'Use JWT' --type architectural --reasoning 'It is asked for' --alternative 'OAuth2=too large' --alternative 'API keys' --impact high --reversible true --related discovery-001",
        "session context --step 2 --step-status in_progress --file src/l.ts=in_progress=Login --know runtime=Deno --task authType=JWT --constraint 'No new packages' --question 'Refresh?' --next 'Write tests' --blocker 'CI is red' --assumption 'Users exist'",
    ] {
        let _ = sandbox.run(words).succeeds().says("Saved");
    }
    let text = fs::read_to_string(folder(&sandbox, &id).join("agent-memory.yaml")).expect("a file");
    assert_snapshot!(stable(&text, &id), @r#"
    version: "1"
    schema: "agent-memory"

    sessionId: "<id>"
    agent: "developer"
    createdAt: "<time>"

    discoveries:
      - id: "discovery-001"
        timestamp: "<time>"
        type: "code_pattern"
        importance: "high"
        content: "Sets req.user"
        relatedFiles:
          - "src/a.ts"
        actionItems:
          - "Follow it"

    attempts:
      - id: "attempt-001"
        timestamp: "<time>"
        planStep: 2
        description: "Write the route"
        approach: "By hand"
        commands:
          - "touch a"
        result: "failure"
        subTasks:
          - description: "Route"
            status: "complete"
          - description: "Test"
            status: "pending"
        status: "working"
        progress: "60%"
        currentIssue: "none yet"
        nextStep: "Test it"
        output: "boom"
        error: "no store"
        lessons: "read first"
        nextAttempt: "JWT"
        artifacts:
          - path: "src/l.ts"
            action: "create"
            status: "failure"
        duration_ms: 85
        iterations: 1
        tokensUsed:
          input: 21
          output: 12

    decisions:
      - id: "decision-001"
        timestamp: "<time>"
        type: "architectural"
        description: "Use JWT"
        reasoning: "It is asked for"
        alternatives:
          - name: "OAuth2"
            reason: "too large"
          - "API keys"
        impact: "high"
        reversible: true
        relatedDiscoveries:
          - "discovery-001"

    context:
      currentPlanStep: 2
      planStepStatus: "in_progress"
      filesInScope:
        - path: "src/l.ts"
          status: "in_progress"
          purpose: "Login"
      codebaseUnderstanding:
        runtime: "Deno"
      taskContext:
        authType: "JWT"
      constraints:
        - "No new packages"
      openQuestions:
        - "Refresh?"
      nextSteps:
        - "Write tests"
      blockers:
        - "CI is red"
      assumptions:
        - "Users exist"
    "#);
    let _ = sandbox.run("session validate").succeeds().says("5 files checked: 0 errors, 0 warnings.");
}

#[test]
fn an_agent_and_an_arbiter_are_told_what_the_origin_tells_them() {
    let (sandbox, _) = begun();
    assert_eq!(sandbox.run("session prompt").succeeds().out, "", "nothing is known, so nothing is said");
    let _ = sandbox.run("session discover 'Sets req.user' --type code_pattern").succeeds();
    let _ = sandbox.run("session attempt start 'Write the route'").succeeds();
    let _ = sandbox
        .run("session attempt finish --result failure --output 'boom' --lessons 'use the JWT helper'")
        .succeeds();
    let _ = sandbox.run("session context --step 2 --blocker 'CI is red'").succeeds();
    let _ = sandbox.run("session attempt start 'Run the tests' --agent tester").succeeds();
    let prompt = sandbox.run("session prompt --system 'You are a developer.'").succeeds().out;
    assert_eq!(
        prompt,
        "You are a developer.\n\n## Prior Context from This Session\n\n## Key Discoveries\n- [code_pattern] Sets req.user\n\
         \n## Recently Failed Approaches (Don't Repeat)\n- Write the route: boom\n  - Lesson: use the JWT helper\n\
         \n## Current Task Context\n- Step: 2\n- Blockers: CI is red\n\
         \n\nUse this context to avoid repeating discoveries or failed approaches.\n"
    );
    let arbiter = "\n## Previous Agent Work This Session\n\n**developer**: Last attempt (failure) - Write the route\n\
         **tester**: Last attempt (in_progress) - Run the tests\n\n\
         Use this to make informed decisions about which agent should work next.\n  ";
    assert_eq!(sandbox.run("session arbiter").succeeds().out, format!("{arbiter}\n"));
    assert_eq!(sandbox.run("session arbiter --json").succeeds().json()["prompt"], arbiter);
    // What is archived is remembered still.
    let _ = sandbox.run("session archive --keep 0").succeeds().says("Archived 2 entries");
    assert_eq!(sandbox.run("session prompt --system 'You are a developer.'").succeeds().out, prompt);
    assert_eq!(sandbox.run("session arbiter").succeeds().out, format!("{arbiter}\n"));
}

#[test]
fn a_session_is_named_by_its_id_its_beginning_a_variable_or_is_the_newest_open_one() {
    let (sandbox, first) = begun();
    let second =
        sandbox.run("session start Second --agent tester --json").succeeds().json()["session"].clone();
    let second = second.as_str().expect("an id").to_owned();
    let _ = sandbox.run(&format!("session discover x --session {first}")).succeeds().says(&first);
    let _ = sandbox.run(&format!("session show {}", &first[..20])).succeeds().says("Add a login");
    let _ = sandbox.run("session end --session ''").fails(1);
    let ended = sandbox
        .run(&format!("session end --session {second} --status failed --summary 'too hard'"))
        .succeeds();
    let _ = ended.says("failed");
    let _ = sandbox.run("session discover y").succeeds().says(&first);
    assert_eq!(
        sandbox.run("session list --open --json").succeeds().json()["sessions"].as_array().map(Vec::len),
        Some(1)
    );
    let _ = sandbox.run("session list").succeeds().says(&second);
    let _ = sandbox.run(&format!("session show {second}")).succeeds().says("too hard");
    let sandbox = sandbox.with("RAWKO_SESSION", &second);
    let _ = sandbox.run("session discover z").succeeds().says("discovery-001 of tester");
    let _ = sandbox.run("session show 2").fails(1).says("is the beginning of 2 sessions");
    assert_snapshot!(sandbox.run("session show nothing").text(), @r"
    error: no session is named `nothing`
    hint: `rawko session list` shows the names
    [exit 1]
    ");
}

#[test]
fn what_cannot_be_done_is_said_with_what_to_do() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run("session discover x").text(), @r#"
    error: no session is open
    hint: run `rawko session start "what it is about"`, or name one of `rawko session list`
    [exit 1]
    "#);
    let _ = sandbox.run("session start Task --agent a").succeeds();
    for (words, says) in [
        ("session discover x --type codebase", "use one of: codebase_structure, dependency_check"),
        ("session discover x --importance huge", "low, medium, high or critical"),
        ("session discover ''", "say what was learned"),
        ("session decide x --type other", "use one of: architectural"),
        ("session attempt update", "use --progress"),
        ("session attempt finish --result in_progress", "use one of: success, failure, partial"),
        ("session context --know runtime", "write it as `runtime=Deno`"),
        ("session context --clear everything", "use one of: constraints"),
        ("session end --status open", "use one of: done, failed, stopped"),
        ("session start ''", "say what it is about"),
        ("session discover x --agent ''", "use --agent developer"),
        ("session validate notes.yaml/x", "a session's files are"),
        ("session validate nowhere/plan.yaml", "name a session, or one of its files"),
    ] {
        let _ = sandbox.run(words).fails(2).says(says);
    }
    let _ =
        sandbox.run("session attempt finish --result success").fails(1).says("rawko session attempt start");
    let _ = sandbox
        .run("session attempt update attempt-009 --progress 1%")
        .fails(1)
        .says("has no attempt `attempt-009`");
}

#[test]
fn the_same_name_twice_is_one_entry() {
    let (sandbox, _) = begun();
    let _ = sandbox.run("session discover One --id hook-1").succeeds().says("Saved hook-1");
    let _ = sandbox.run("session discover Two --id hook-1").succeeds().says("Nothing to do");
    let shown = sandbox.run("session show --json").succeeds().json();
    assert_eq!(shown["agents"][0]["discoveries"].as_array().map(Vec::len), Some(1));
}

#[test]
fn text_comes_from_standard_input_and_unknown_fields_are_shown() {
    let (sandbox, id) = begun();
    let _ = sandbox.feed("session discover -", "First line\n\n- second\n\n").succeeds();
    let path = folder(&sandbox, &id).join("agent-memory.yaml");
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, format!("# mine\n{text}team: core\n")).expect("an edit");
    let _ = sandbox.run("session discover more").succeeds();
    let shown = sandbox.run("session show --json").succeeds().json();
    assert_eq!(shown["agents"][0]["discoveries"][0]["content"], "First line\n\n- second\n");
    assert_eq!(shown["agents"][0]["team"], "core");
    assert!(fs::read_to_string(&path).expect("a file").starts_with("# mine\n"));
}

#[test]
fn validate_names_line_column_and_remedy() {
    let (sandbox, id) = begun();
    let path = folder(&sandbox, &id).join("agent-memory.yaml");
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(
        &path,
        format!("{text}attempts:\n  - id: a\n    timestamp: now\n    description: x\n    result: won\n"),
    )
    .expect("an edit");
    let said = sandbox.run("session validate").fails(1);
    assert_snapshot!(stable(&said.text(), &id), @r#"
    .rawko/sessions/<id>/agent-memory.yaml:9:16: error: `timestamp` is `now`, which is no time
     9 |     timestamp: now
       do: write ISO 8601, such as "<time>"
    .rawko/sessions/<id>/agent-memory.yaml:11:13: error: `result` is `won`, which is none of its words
     11 |     result: won
       do: write one of: success, failure, partial, in_progress
    5 files checked: 2 errors, 0 warnings.
    [exit 1]
    "#);
    let _ = sandbox.run("session show").succeeds().says("2 problems in its files");
    let _ = sandbox.run("doctor").fails(1).says("rawko session validate --all");
    assert_eq!(sandbox.run("session validate --all --json").fails(1).json()["errors"], 2);
    fs::write(&path, "version: \"1\"\nagent: developer\nattempts: [\n").expect("a bad edit");
    let _ = sandbox.run("session discover x").fails(1).says("rawko session validate");
    assert_eq!(fs::read_to_string(&path).expect("a file"), "version: \"1\"\nagent: developer\nattempts: [\n");
    fs::write(&path, "version: \"2\"\nagent: developer\n").expect("a file from tomorrow");
    let _ = sandbox.run("session discover x").fails(1).says("version 2, and this rawko reads up to 1");
    let _ = sandbox.run("session prompt").fails(1).says("install a newer rawko");
    let _ = sandbox
        .run(&format!("session validate .rawko/sessions/{id}/agent-memory.yaml"))
        .fails(1)
        .says("agent-memory.yaml:1:10");
}

#[test]
fn a_file_past_100_kb_is_archived_and_doctor_says_what_is_too_large() {
    let (sandbox, id) = begun();
    let path = folder(&sandbox, &id).join("agent-memory.yaml");
    let mut text = fs::read_to_string(&path).expect("a file");
    text.push_str("discoveries:\n");
    let old = |n: usize| {
        format!(
            "  - id: discovery-{n:03}\n    timestamp: 2026-01-01T00:00:{:02}Z\n    type: data_model\n    importance: low\n    content: \"{}\"\n",
            n % 60,
            "x".repeat(900)
        )
    };
    (1..=60).for_each(|n| text.push_str(&old(n)));
    fs::write(&path, &text).expect("an edit");
    // Below 100 KB nothing moves, however old it is.
    let _ = sandbox.run("session discover new").succeeds();
    assert!(!folder(&sandbox, &id).join("agent-memory-archive.yaml").exists());
    let text = fs::read_to_string(&path).expect("a file");
    let (head, rest) = text.split_once("discoveries:\n").expect("a section");
    let more: String = (100..=170).map(old).collect();
    fs::write(&path, format!("{head}discoveries:\n{more}{rest}")).expect("an edit");
    let _ = sandbox.run("doctor").succeeds().says("larger than they should be");
    let _ = sandbox.run("session discover newer").succeeds().says("131 older entries went to the archive");
    assert!(fs::metadata(&path).expect("a file").len() < 20_000);
    let whole = sandbox.run("session show --all --json").succeeds().json();
    assert_eq!(whole["agents"][0]["discoveries"].as_array().map(Vec::len), Some(133));
    let _ = sandbox.run("session discover newest").succeeds().says("discovery-172");
    let _ = sandbox.run("session validate").succeeds();
    let _ = sandbox.run("doctor").succeeds().says("1 session");
    let found = sandbox.run("session search 'newest' --json").succeeds().json();
    assert_eq!(found["hits"][0]["id"], "discovery-172");
}

#[test]
fn search_finds_entries_of_every_session_by_words_and_meaning() {
    let (sandbox, id) = begun();
    let _ =
        sandbox.run("session discover 'Refunds are idempotent by request key' --type api_surface").succeeds();
    let _ = sandbox.run("session decide 'Retry payments only once'").succeeds();
    let _ = sandbox.run("session end").succeeds();
    let _ = sandbox.run("session start Other --agent tester").succeeds();
    let _ = sandbox.run("session attempt start 'Render the timeline'").succeeds();
    let found = sandbox.run("session search 'how do refunds stay idempotent' --json").succeeds().json();
    assert_eq!(
        (&found["hits"][0]["id"], &found["hits"][0]["session"]),
        (&"discovery-001".into(), &id.as_str().into())
    );
    let _ = sandbox.run("session search timeline --explain").succeeds().says("Render the timeline");
    let _ = sandbox.run(&format!("session search timeline --session {id}")).succeeds();
}

#[test]
fn links_pipes_and_names_that_lead_outside_are_refused() {
    let (sandbox, id) = begun();
    let outside = sandbox.scratch().join("outside");
    fs::create_dir_all(&outside).expect("a folder");
    fs::write(outside.join("agent-memory.yaml"), "agent: developer\n").expect("a file");
    for name in ["../../outside", "..", "/etc", "20260123-103000-abc1def2-../x"] {
        let _ = sandbox.run(&format!("session discover x --session {name}")).fails(1);
    }
    let link = folder(&sandbox, "20270101-000000-00000000-link");
    std::os::unix::fs::symlink(&outside, &link).expect("a link");
    let _ = sandbox
        .run("session discover x --session 20270101-000000-00000000-link")
        .fails(1)
        .says("symbolic link");
    let _ = sandbox.run("session discover x").succeeds().says(&id);
    assert_eq!(fs::read_to_string(outside.join("agent-memory.yaml")).expect("a file"), "agent: developer\n");
    let path = folder(&sandbox, &id).join("agent-memory.yaml");
    fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink(outside.join("agent-memory.yaml"), &path).expect("a link");
    let _ = sandbox.run("session discover x").fails(1).says("symbolic link");
    fs::remove_file(&path).expect("removed");
    let made = sandbox.command(std::path::Path::new("mkfifo")).arg(&path).status().expect("mkfifo runs");
    assert!(made.success());
    for words in ["session discover x", "session show", "session prompt"] {
        let _ = sandbox.run(words).fails(1).says("pipe");
    }
    let _ = sandbox.run("session validate").fails(1).says("agent-memory.yaml");
}

#[test]
fn text_of_agents_reaches_a_terminal_inert() {
    let (sandbox, _) = begun();
    let nasty = "a\u{1b}[31mred\u{202e}\u{7}";
    for words in [
        vec!["session", "discover", nasty],
        vec!["session", "attempt", "start", nasty],
        vec!["session", "decide", nasty],
    ] {
        let _ = sandbox.run_words(&words, b"").succeeds();
    }
    let _ = sandbox
        .run_words(&["session", "attempt", "finish", "--result", "failure", "--output", nasty], b"")
        .succeeds();
    let _ = sandbox.run_words(&["session", "context", "--blocker", nasty], b"").succeeds();
    for words in [
        vec!["session", "show"],
        vec!["session", "show", "--json"],
        vec!["session", "list"],
        vec!["session", "prompt"],
        vec!["session", "arbiter"],
        vec!["session", "context"],
        vec!["session", "search", "red"],
        vec!["session", "show", nasty],
        vec!["session", "discover", "x", "--type", nasty],
        vec!["session", "discover", "x", "--agent", "a\u{202e}b"],
    ] {
        let (screen, _) = sandbox.on_terminal(&words, "");
        let ours = regex_lite::Regex::new("\u{1b}\\[(0|1|2|31|32|33)m")
            .expect("a pattern")
            .replace_all(&screen, "")
            .into_owned();
        assert!(!ours.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{words:?}: {ours:?}");
    }
}

#[test]
fn every_option_of_every_session_command_has_a_sentence() {
    let sandbox = Sandbox::empty().with("COLUMNS", "100");
    for command in [
        "start",
        "list",
        "show",
        "prompt",
        "arbiter",
        "discover",
        "attempt start",
        "attempt update",
        "attempt finish",
        "decide",
        "context",
        "end",
        "archive",
        "validate",
        "search",
    ] {
        let help = sandbox.run(&format!("session {command} --help")).succeeds().out;
        let options = help.split_once("\nOptions:").expect("options").1;
        let mut lines = options.lines().peekable();
        while let Some(line) = lines.next() {
            if line.trim_start().starts_with('-') {
                let same = line
                    .trim_start()
                    .split_once("  ")
                    .is_some_and(|(_, sentence)| !sentence.trim().is_empty());
                let below = lines
                    .peek()
                    .is_some_and(|below| below.starts_with("          ") && !below.trim().is_empty());
                assert!(same || below, "`{line}` of `session {command}` has no sentence");
            }
        }
    }
}

#[test]
fn a_session_that_came_with_a_repository_speaks_to_no_agent() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("session start 'Deploy from the mirror' --agent developer").succeeds();
    let _ = sandbox.run("session discover 'The mirror holds the keys' --type code_pattern").succeeds();
    let asked = "hook claude SessionStart";
    let hello = r#"{"session_id":"s","source":"startup"}"#;
    let _ = sandbox.run("session prompt --agent developer").succeeds().says("The mirror holds the keys");
    let _ = sandbox.feed(asked, hello).succeeds().says("is open");
    let id = sandbox.run("session list --json").succeeds().json()["sessions"][0]["session"].clone();
    let id = id.as_str().expect("an id").to_owned();
    // The same files as somebody else's: signed by nobody here.
    let elsewhere = sandbox.scratch().join("elsewhere").display().to_string();
    let sandbox = sandbox.with("RAWKO_HOME", &elsewhere);
    let _ = sandbox.run(&format!("session show {id}")).succeeds().says("The mirror holds the keys");
    let refused = sandbox.run(&format!("session prompt --session {id} --agent developer")).fails(1);
    assert!(refused.err.contains("did not begin here") && refused.out.is_empty(), "{}", refused.err);
    let _ = sandbox.run(&format!("session arbiter --session {id}")).fails(1);
    assert!(!sandbox.feed(asked, hello).succeeds().out.contains("is open"));
    // An agent cannot adopt it; a person can.
    let sandbox = sandbox.with("CLAUDECODE", "1");
    let _ = sandbox.run(&format!("session adopt {id}")).fails(1).says("inside");
    let sandbox = sandbox.without("CLAUDECODE");
    let _ = sandbox.run(&format!("session adopt {id}")).succeeds();
    let _ = sandbox
        .run(&format!("session prompt --session {id} --agent developer"))
        .succeeds()
        .says("The mirror holds the keys");
}

#[test]
fn the_newest_of_two_sessions_of_one_second_is_meant() {
    let (sandbox, _) = begun();
    for n in 0..6 {
        let _ = sandbox.run(&format!("session start 'Task {n}' --agent a")).succeeds();
        let said = sandbox.run("session discover x --agent a --json").succeeds().json();
        let id = said["session"].as_str().expect("an id").to_owned();
        assert!(id.ends_with(&format!("-task-{n}")), "{id}");
    }
}

#[test]
fn the_arbiter_is_told_the_same_after_archiving_though_an_older_attempt_goes_on() {
    let (sandbox, _) = begun();
    let _ = sandbox.run("session attempt start Older").succeeds();
    let _ = sandbox.run("session attempt start Newer --id n").succeeds();
    let _ = sandbox.run("session attempt finish n --result failure").succeeds();
    let told = sandbox.run("session arbiter").succeeds().says("Last attempt (failure) - Newer").out;
    let _ = sandbox.run("session archive --keep 0").succeeds().says("Archived 1 entry");
    assert_eq!(sandbox.run("session arbiter").succeeds().out, told);
}

#[test]
fn one_agents_newer_memory_blocks_no_other_agent() {
    let (sandbox, id) = begun();
    let _ = sandbox.run("session attempt start 'Write the route'").succeeds();
    let _ = sandbox.run("session discover 'Sets req.user'").succeeds();
    let path = folder(&sandbox, &id).join("agent-memory.yaml");
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, format!("{text}\n---\nversion: \"2\"\nagent: future\n")).expect("a file from tomorrow");
    let _ = sandbox.run("session prompt").succeeds().says("Sets req.user");
    let said = sandbox.run("session prompt --json").succeeds().json();
    assert_eq!(said["newer"], serde_json::json!([{ "agent": "future", "version": 2 }]));
    let _ = sandbox.run("session prompt --agent future").fails(1).says("install a newer rawko");
    let _ = sandbox.run("session arbiter").succeeds().says("**developer**: Last attempt (in_progress)");
    let _ = sandbox.run("session arbiter").succeeds().says("**future**: Unknown - its memory has version 2");
}

#[test]
fn show_tells_all_that_is_set() {
    let (sandbox, _) = begun();
    for words in [
        "session discover 'Sets req.user' --file src/a.ts --action 'Follow it'",
        "session attempt start 'Write the route' --step 2 --command 'touch a' --sub-task 'Route=complete' --sub-task Test",
        "session attempt update --progress 60% --issue 'none yet' --next 'Test it' --command 'cat a' --sub-task Test=complete",
        "session attempt finish --result failure --error 'no store' --next-attempt JWT --artifact src/l.ts=create --duration-ms 85 --iterations 1 --tokens-in 21 --tokens-out 12",
        "session decide 'Use JWT' --reasoning 'It is asked for' --alternative 'OAuth2=too large' --impact high --reversible true --related discovery-001",
    ] {
        let _ = sandbox.run(words).succeeds();
    }
    let shown = sandbox.run("session show").succeeds().out;
    let times = regex_lite::Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z").expect("a pattern");
    let shown = times.replace_all(&shown, "<time>");
    let (_, entries) = shown.split_once("## developer\n").expect("an agent");
    assert_snapshot!(entries, @r"
    discovery-001 (codebase_structure, medium) <time>
        Sets req.user
        relatedFiles: src/a.ts
        actionItems: Follow it
    attempt-001 (failure) <time>
        Write the route
        planStep: 2
        commands: touch a
        commands: cat a
        error: no store
        artifacts: path src/l.ts, action create, status failure
        duration_ms: 85
        iterations: 1
        tokensUsed: input 21, output 12
        progress: 60%
        subTasks: description Route, status complete
        subTasks: description Test, status complete
        currentIssue: none yet
        nextStep: Test it
        nextAttempt: JWT
    decision-001 (implementation) <time>
        Use JWT
        It is asked for
        not: OAuth2 (too large)
        impact: high
        reversible: true
        relatedDiscoveries: discovery-001
    ");
    let json = sandbox.run("session show --json").succeeds().json();
    assert_eq!(json["conversation"]["messages"][0]["content"], "Add a login");
    assert_eq!(json["state"]["state"], "started");
    assert!(json["plan"].as_object().is_some_and(serde_json::Map::is_empty), "{json}");
}

#[test]
fn every_level_of_importance_is_taken() {
    let (sandbox, _) = begun();
    let levels = ["low", "medium", "high", "critical"];
    for level in levels {
        let _ = sandbox.run(&format!("session discover x --importance {level}")).succeeds();
        let _ = sandbox.run(&format!("session decide x --impact {level}")).succeeds();
    }
    let memory = &sandbox.run("session show --json").succeeds().json()["agents"][0];
    for (n, level) in levels.into_iter().enumerate() {
        assert_eq!(memory["discoveries"][n]["importance"], level);
        assert_eq!(memory["decisions"][n]["impact"], level);
    }
    let _ = sandbox.run("session validate").succeeds().says("0 errors");
}

#[test]
fn a_session_under_two_hours_past_50_kb_is_named_with_a_remedy_that_works() {
    let (sandbox, _) = begun();
    let text = "x ".repeat(30_000);
    let _ = sandbox.feed("session discover -", &text).succeeds();
    let _ = sandbox.run("session archive").succeeds().says("`--keep 0` takes all");
    let _ = sandbox.run("doctor").succeeds().says("--keep 0");
    let _ = sandbox.run("session archive --keep 0").succeeds().says("Archived 1 entry");
    assert!(!sandbox.run("doctor").succeeds().out.contains("larger than they should be"));
}

#[test]
fn a_memory_that_is_gone_is_an_error() {
    let (sandbox, id) = begun();
    fs::remove_file(folder(&sandbox, &id).join("agent-memory.yaml")).expect("removed");
    let said = sandbox.run("session validate").fails(1).says("agent-memory.yaml is not there");
    assert!(said.out.contains("1 error"), "{}", said.out);
}

#[test]
fn a_secret_settles_in_no_name_of_a_session() {
    let (sandbox, id) = begun();
    let key = concat!("ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for words in [
        format!("session discover x --id {key}"),
        format!("session attempt start y --id {key}"),
        format!("session decide z --id {key} --agent by-{key}"),
        format!("session context --know {key}=1"),
        format!("session start 'Use {key}' --agent {key}"),
    ] {
        let _ = sandbox.run(&words).succeeds();
    }
    let mut all = String::new();
    for entry in walk(&sandbox.project().join(".rawko/sessions")) {
        all.push_str(&entry.display().to_string());
        all.push_str(&fs::read_to_string(&entry).unwrap_or_default());
    }
    assert!(all.contains(&id) && !all.contains(key), "{all}");
}

/// Every file below a folder.
fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn an_archive_that_cannot_be_read_stops_no_update() {
    let (sandbox, id) = begun();
    std::fs::write(folder(&sandbox, &id).join("agent-memory-archive.yaml"), b"\xff\xfe").expect("written");
    let _ = sandbox.run("session discover 'Sets req.user' --id mine").succeeds();
    let _ = sandbox.run("session show").succeeds().says("Sets req.user");
}

#[test]
fn a_step_that_the_plan_does_not_have_is_refused() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("session start 'Add a login' --agent developer --step Write --step Test").succeeds();
    let memory = || {
        let sessions = fs::read_dir(sandbox.project().join(".rawko/sessions")).expect("a folder");
        let folder = sessions.flatten().next().expect("a session").path();
        fs::read_to_string(folder.join("agent-memory.yaml")).expect("a file")
    };
    let before = memory();
    for words in ["session attempt start Try --step 9", "session context --step 3"] {
        let _ = sandbox.run(words).fails(1).says("the plan has 2 steps and no step");
    }
    for words in ["session attempt start Try --step 0", "session context --step 0"] {
        let _ = sandbox.run(words).fails(2);
    }
    assert_eq!(memory(), before, "nothing was written");
    for words in ["session attempt start Try --step 2", "session context --step 1"] {
        let _ = sandbox.run(words).succeeds();
    }
}

#[test]
fn a_name_of_several_lines_is_none() {
    let (sandbox, id) = begun();
    let before = fs::read(folder(&sandbox, &id).join("agent-memory.yaml")).expect("a file");
    let long = "x".repeat(201);
    for name in ["a\nb", " ", "a\u{1b}[2J", &long] {
        for command in [&["discover", "Text"][..], &["attempt", "start", "Try"], &["decide", "Choose"]] {
            let words = [&["session"], command, &["--id", name]].concat();
            let _ = sandbox.run_words(&words, b"").fails(2).says("one line");
        }
    }
    let _ = sandbox.run("session context --know =x").fails(2).says("`=x` is no key with a value");
    assert_eq!(fs::read(folder(&sandbox, &id).join("agent-memory.yaml")).expect("a file"), before);
}

#[test]
fn a_plan_that_cannot_be_read_refuses_no_step() {
    let (sandbox, id) = begun();
    let plan = folder(&sandbox, &id).join("plan.yaml");
    for damage in [&b"\xff\xfe\0"[..], b"revisions: [{steps: [\n"] {
        fs::write(&plan, damage).expect("damaged");
        let _ = sandbox.run("session attempt start 'Write the route' --step 7").succeeds().says("Saved");
    }
    fs::remove_file(&plan).expect("gone");
    fs::create_dir(&plan).expect("no file");
    let _ = sandbox.run("session attempt start 'Write the test' --step 7").succeeds().says("Saved");
}
