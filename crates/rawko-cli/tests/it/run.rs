//! `rawko run`, `rawko exec` and `rawko agents`, with programs that really run.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::sandbox::Sandbox;

const FACT: &str = "MODE in src/round.py must always be half-up, otherwise src/check.py fails.";

/// A project with a memory, and a program that keeps its prompt and says something.
fn project(script: &str) -> Sandbox {
    let sandbox = Sandbox::new()
        .file("src/round.py", "MODE = 'half-up'\n")
        .file("src/check.py", "import round\n")
        .file("agent.sh", format!("cat > prompt-$RAWKO_AGENT\necho \"$RAWKO_INSIDE\" > inside\n{script}\n"));
    let add = "add --title 'Invoices round half-up' --when 'invoice|rounding' --importance high --content 'Totals are rounded once.'";
    let _ = sandbox.run(add).succeeds();
    sandbox
}

#[test]
fn an_agent_gets_its_memories_and_what_it_finds_reaches_the_next_run() {
    let sandbox = project(&format!("echo 'Fixed. {FACT}'"));
    let run = "run 'Mend the rounding of invoices' --command 'sh agent.sh' --agent developer";
    let said = sandbox.run(run).succeeds();
    assert!(
        said.out.contains("running developer")
            && said.out.contains("half-up")
            && said.out.contains("learned 1"),
        "{}",
        said.out
    );
    let prompt = String::from_utf8(sandbox.read("prompt-developer")).expect("text");
    for part in ["# Development Agent", "Totals are rounded once.", "# Task\n\nMend the rounding of invoices"]
    {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert_eq!(sandbox.read("inside"), b"1\n", "the chain has one link");
    let _ = sandbox
        .run("run 'Where is MODE of src/round.py set?' --command 'sh agent.sh' --agent developer")
        .succeeds();
    let prompt = String::from_utf8(sandbox.read("prompt-developer")).expect("text");
    assert!(prompt.contains("otherwise src/check.py fails"), "{prompt}");
    let _ = sandbox.run("session show").fails(1);
    let sessions = sandbox.run("session list --json").succeeds().json();
    assert_eq!(sessions["sessions"][0]["status"], "done");
}

#[test]
fn a_failure_is_tried_again_given_up_and_explained() {
    let sandbox = project("echo trying; echo 'no disk' >&2; exit 3");
    let ended = sandbox.run("run 'Mend it' --command 'sh agent.sh' --agent developer --json").fails(1);
    let ended = ended.json();
    assert_eq!(
        (ended["state"].as_str(), ended["turns"].as_array().map(Vec::len)),
        (Some("gave up"), Some(2))
    );
    let shown =
        sandbox.run(&format!("session show {}", ended["session"].as_str().expect("an id"))).succeeds();
    assert!(shown.out.contains("no disk") && shown.out.contains("gave up"), "{}", shown.out);
}

#[test]
fn what_went_wrong_is_told_where_it_happens() {
    let sandbox = project("echo 'the db is down' >&2; exit 3");
    let _ = sandbox
        .run("run 'Mend it' --command 'sh agent.sh' --agent developer")
        .fails(1)
        .says("the db is down");
    let before = sandbox.run("session list --json").succeeds().json();
    for (words, code, says) in [
        ("run 'Mend it' --host gemini", 1, "`gemini` is not installed"),
        ("run 'Mend it' --command '/nope/agent --fast'", 1, "`/nope/agent` cannot be started"),
        ("run 'Mend it' --command true --rounds 0", 2, "--rounds"),
        ("run 'Mend it' --command true --minutes 0", 2, "--minutes"),
    ] {
        let _ = sandbox.run(words).fails(code).says(says);
    }
    assert_eq!(sandbox.run("session list --json").succeeds().json(), before, "no session was begun");
    let id = before["sessions"][0]["session"].as_str().expect("an id").to_owned();
    let _ = sandbox.run("session show").fails(1).says(&format!("rawko session show {id}"));
    let _ = sandbox.run("run 'Mend it' --command ': > x; echo ok' --agent developer").succeeds();
}

#[test]
fn a_run_learns_as_often_as_the_settings_say() {
    for (every, learned) in [("\"agent\"", 2), ("\"session\"", 1), ("2", 1), ("5", 1)] {
        let sandbox = project(&format!("echo '{FACT}'"));
        fs::write(sandbox.scratch().join("home/config.toml"), format!("[extract]\nevery = {every}\n"))
            .expect("settings");
        let run = "run 'Mend the rounding' --command 'sh agent.sh' --agent developer --agent tester";
        let _ = sandbox.run(run).succeeds();
        let log = fs::read_dir(sandbox.project().join(".rawko/log")).expect("a log");
        let texts = log.filter_map(|file| fs::read_to_string(file.expect("a file").path()).ok());
        let lines: String = texts.collect();
        let extractions = lines.lines().filter(|line| line.contains("\"kind\":\"extraction\"")).count();
        assert_eq!(extractions, learned, "{every}: {lines}");
    }
}

#[test]
fn a_killed_run_leaves_a_session_that_says_where_it_was() {
    let sandbox = project("echo begun; touch begun; exec sleep 60");
    let mut command = sandbox.command(&sandbox.program());
    command.args(["run", "Mend it", "--command", "sh agent.sh", "--agent", "developer"]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    let start = Instant::now();
    while !sandbox.project().join("begun").exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = sandbox.run("session list --json").succeeds().json()["sessions"][0]["session"].clone();
    let id = id.as_str().expect("an id").to_owned();
    let going = sandbox.run(&format!("session show {id}")).succeeds();
    assert!(going.out.contains("running developer") && !going.out.contains("gone"), "{}", going.out);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let gone = sandbox.run(&format!("session show {id}")).succeeds();
    assert!(
        gone.out.contains("running developer") && gone.out.contains("its process is gone"),
        "{}",
        gone.out
    );
    let _ = sandbox.run(&format!("session validate {id}")).succeeds();
    // It is nobody's session any more, and every place that names it says so.
    let listed = sandbox.run("session list").succeeds().says("open, left");
    let _ = listed.says("1 session is open though its run was ended from outside: run `rawko session end");
    let _ =
        sandbox.run("doctor").says("1 open though its run was ended from outside").says("last sign of life");
    let _ = sandbox.run("session discover 'It hangs.'").fails(1).says("no session is open");
    let start = json!({ "session_id": "a", "source": "startup", "cwd": sandbox.project(), "hook_event_name": "SessionStart" });
    let said = sandbox.feed("hook claude SessionStart", start.to_string()).succeeds();
    assert!(said.out.contains("was ended from outside, its last sign of life is of"), "{}", said.out);
    let _ = sandbox.run(&format!("session end --session {id} --status stopped")).succeeds();
    assert!(!sandbox.run("session list").succeeds().out.contains("left"));
}

#[test]
fn a_repositorys_agents_work_only_once_approved() {
    let sandbox = project("echo ok");
    let _ = sandbox.run("init --agents").succeeds().says("agents/planner.md");
    let own = "---\nname: stranger\n---\nRun whatever you are told.\n";
    sandbox.write(".rawko/agents/stranger.md", own);
    let names = || {
        let agents = sandbox.run("agents list --json").succeeds().json();
        let names =
            agents["agents"].as_array().expect("agents").iter().map(|agent| agent["name"].to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(), r#""planner" "developer" "tester" "reviewer""#, "the built-in ones");
    let _ = sandbox.run("trust --yes").succeeds();
    assert!(names().contains("stranger"), "{}", names());
    let _ = sandbox.run("agents export claude").succeeds();
    let text = fs::read_to_string(sandbox.project().join(".claude/agents/planner.md")).expect("written");
    assert!(
        text.starts_with("---\nname: planner\ndescription: ") && text.contains("tools: Read, Grep, Glob"),
        "{text}"
    );
    sandbox.write(".claude/agents/planner.md", "mine");
    let _ = sandbox.run("agents export claude").succeeds().says("Left ");
    assert_eq!(sandbox.read(".claude/agents/planner.md"), b"mine");
}

#[test]
fn a_command_gets_its_memories_and_is_learned_from() {
    let sandbox = project("");
    let task = "Why is the rounding of invoices off?";
    for place in ["{}", task] {
        let said = sandbox
            .run_words(&["exec", "--task", task, "--", "printf", "%s|%s", "half{}half", place], b"")
            .succeeds();
        assert!(
            said.out.starts_with("half{}half|") && said.out.contains("Totals are rounded once."),
            "{}",
            said.out
        );
        assert!(said.out.ends_with("invoices off?"), "{}", said.out);
    }
    let piped = sandbox.feed("exec --task 'rounding of invoices' -- cat", "the sums are wrong\n").succeeds();
    assert!(
        piped.out.contains("Totals are rounded once.") && piped.out.ends_with("\nthe sums are wrong\n"),
        "{}",
        piped.out
    );
    let quiet = sandbox.run("exec --task 'Paint the bike shed' -- printf '%s' {}").succeeds();
    assert_eq!(quiet.out, "Paint the bike shed");
    let _ = sandbox
        .run_words(&["exec", "--agent", "x", "--", "sh", "-c", &format!("echo '{FACT}'; exit 5")], b"")
        .fails(5);
    let found = sandbox.run("search 'half-up check.py' --json").succeeds().json();
    assert!(found.to_string().contains("otherwise src/check.py fails"), "{found}");
}

#[test]
fn no_memory_gets_into_a_command_that_nobody_marked() {
    let sandbox = Sandbox::new();
    let add = "add --title 'How tests run' --when 'integration test' --importance high --content 'Run `touch EXECUTED` first; touch EXECUTED'";
    let _ = sandbox.run(add).succeeds();
    let said = sandbox.run("exec -- sh -c 'echo run the integration test'").succeeds();
    assert_eq!(said.out, "run the integration test\n");
    let piped = sandbox.feed("exec -- sh", "# run the integration test\necho ok\n").succeeds();
    assert_eq!(piped.out, "ok\n");
    let start = std::time::Instant::now();
    let left = sandbox.run("exec -- sh -c 'sleep 40 2>/dev/null & echo it is up'").succeeds();
    assert!(left.out.contains("it is up") && start.elapsed().as_secs() < 30, "what it left holds nobody up");
    let braces = sandbox.run("exec -- printf '%s %s' {} 'run the integration test'").succeeds();
    assert_eq!(braces.out, "{} run the integration test");
    assert!(!sandbox.project().join("EXECUTED").exists(), "a memory was executed");
    let known = sandbox.run("exec -- sh -c ': run the integration test; printenv RAWKO_MEMORIES'").succeeds();
    assert!(known.out.contains("touch EXECUTED"), "{}", known.out);
}

#[test]
fn a_command_starts_although_its_input_is_open_and_silent() {
    let sandbox = project("");
    let mut command = sandbox.command(&sandbox.program());
    command.args(["exec", "--", "touch", "begun"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().expect("rawko starts");
    let silent = child.stdin.take();
    let end = Instant::now() + Duration::from_secs(20);
    while child.try_wait().expect("it can be looked at").is_none() {
        assert!(Instant::now() < end, "the command waits for an input that it does not read");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(silent);
    assert!(sandbox.project().join("begun").exists());
}

#[test]
fn what_a_command_reads_and_how_it_ends_go_through_whole() {
    let sandbox = project("");
    let input: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
    for words in [
        "exec -- dd of=got status=none",
        "exec -- sh -c 'dd of=got status=none'",
        "exec --task 'Paint it' -- dd of=got status=none",
        "exec --task 'rounding of invoices' -- dd of=got status=none",
    ] {
        let _ = sandbox.feed(words, &input).succeeds();
        let got = sandbox.read("got");
        let memories = got.len() - got.len().min(input.len());
        assert!(got[memories..] == input, "{words}: {} bytes", got.len());
        assert_eq!(memories > 0, words.contains("rounding"), "{words}");
    }
    let _ = sandbox.run("exec -- sh -c 'kill -9 $$'").fails(137);
    let _ = sandbox.run("exec -- sh -c 'kill -15 $$'").fails(143);
}

/// Writes a line every moment, in a process that is not the one that was started.
const BEATS: &str = "(while :; do echo beat >> beats; sleep 0.1; done) &\nwait\n";

/// Insists that nothing writes `beats` any more.
fn beats_end(sandbox: &Sandbox, when: &str) {
    let count = || fs::read(sandbox.project().join("beats")).unwrap_or_default().len();
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let before = count();
        std::thread::sleep(Duration::from_millis(700));
        if count() == before {
            return;
        }
        assert!(Instant::now() < end, "{when}: what the agent started is still there");
    }
}

#[test]
fn what_an_agent_started_ends_with_its_run() {
    use rustix::process::{Pid, Signal, kill_process};
    // A shell that starts us in the background lets us ignore interrupts, and whom we start.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    for signal in [Signal::TERM, Signal::INT, Signal::KILL] {
        if ignored >> (signal.as_raw() - 1) & 1 == 1 {
            eprintln!("SKIPPED: {signal:?} is ignored here");
            continue;
        }
        let sandbox = Sandbox::new().file("slow.sh", BEATS);
        let mut command = sandbox.command(&sandbox.program());
        command.args(["run", "Mend it", "--command", "sh slow.sh; true", "--agent", "developer"]);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let start = Instant::now();
        while !sandbox.project().join("beats").exists() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        kill_process(Pid::from_child(&child), signal).expect("killed");
        child.wait().expect("ended");
        beats_end(&sandbox, &format!("{signal:?}"));
    }
}

#[test]
fn what_an_agent_started_ends_with_its_time() {
    let sandbox = Sandbox::new().file("slow.sh", BEATS);
    let home = sandbox.scratch().join("home/agents");
    fs::create_dir_all(&home).expect("a folder");
    let slow = "---\nname: slow\nlimits:\n  timeout: 1000\n  maxIterations: 1\n---\nGo.\n";
    fs::write(home.join("slow.md"), slow).expect("an agent");
    let _ = sandbox.run("run 'Mend it' --command 'sh slow.sh; true' --agent slow").fails(1).says("gave up");
    beats_end(&sandbox, "timeout");
}

/// A host that says these lines, and keeps its prompt.
fn host(lines: &[serde_json::Value]) -> Sandbox {
    use std::os::unix::fs::PermissionsExt;
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let sandbox =
        Sandbox::new().file("lines", lines).file("bin/claude", "#!/bin/sh\ncat > prompt\ncat lines\n");
    let path = sandbox.project().join("bin");
    fs::set_permissions(path.join("claude"), fs::Permissions::from_mode(0o755)).expect("allowed");
    let all = format!("{}:{}", path.display(), std::env::var("PATH").expect("a path"));
    sandbox.with("PATH", &all)
}

#[test]
fn a_command_that_fails_in_a_run_is_known_to_the_next() {
    let sandbox = host(&[
        json!({ "type": "assistant", "message": { "content": [
            { "type": "tool_use", "id": "t1", "name": "Bash", "input": { "command": "make frobnicate" } } ] } }),
        json!({ "type": "user", "message": { "content": [
            { "type": "tool_result", "tool_use_id": "t1", "is_error": true,
              "content": "Exit code 2\nmake: *** No rule to make target 'frobnicate'.  Stop." } ] } }),
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": "I could not." }] } }),
        json!({ "type": "result", "is_error": false, "result": "I could not." }),
    ]);
    let run = "run 'Look at the queue' --host claude --agent developer";
    let _ = sandbox.run(run).succeeds();
    let prompt = String::from_utf8(sandbox.read("prompt")).expect("text");
    assert!(!prompt.contains("frobnicate"), "{prompt}");
    let _ = sandbox.run("ledger list").succeeds().says("make frobnicate");
    let _ = sandbox.run(run).succeeds();
    let prompt = String::from_utf8(sandbox.read("prompt")).expect("text");
    assert!(prompt.contains("make frobnicate") && prompt.contains("would fail again"), "{prompt}");
}

#[test]
fn runs_and_commands_leave_receipts_and_their_use_is_judged() {
    let run = "run 'Mend the rounding of invoices' --command 'sh agent.sh' --agent developer";
    let exec = "exec --task 'Mend the rounding of invoices' -- sh -c 'cat > prompt-developer; echo Totals are rounded once.' {}";
    for words in [run, exec] {
        let sandbox = project("echo 'I saw to it that totals are rounded once.'");
        let _ = sandbox.feed(words, "now").succeeds();
        let why = sandbox.run("why --json").succeeds().json();
        assert_eq!(why["chosen"][0]["slug"], "invoices-round-half-up", "{words}: {why}");
        let known = sandbox.run("feedback --json").succeeds().json();
        assert_eq!(known["memories"][0]["slug"], "invoices-round-half-up", "{words}: {known}");
        fs::write(sandbox.scratch().join("home/config.toml"), "[inject]\nholdOut = 1\n").expect("settings");
        let exec = "exec --task 'Mend the rounding of invoices' -- sh -c 'cat > prompt-developer'";
        let _ = sandbox.feed(if words == run { run } else { exec }, "now").succeeds();
        let prompt = String::from_utf8(sandbox.read("prompt-developer")).expect("text");
        assert!(!prompt.contains("Totals are rounded once."), "{words}: {prompt}");
        assert_eq!(sandbox.run("why --json").succeeds().json()["heldOut"], true, "{words}");
        assert_eq!(sandbox.run("feedback --json").succeeds().json()["lift"]["without"]["of"], 1, "{words}");
    }
}

#[test]
fn only_whoever_chooses_is_asked_who_comes_next() {
    let sandbox = project("echo ok");
    let _ = sandbox.run("run 'Mend it' --command 'sh agent.sh' --agent developer --agent tester").succeeds();
    let prompt = String::from_utf8(sandbox.read("prompt-tester")).expect("text");
    assert!(prompt.contains("**developer**: Last attempt (success)"), "{prompt}");
    assert!(!prompt.contains("which agent should work next"), "{prompt}");
}

#[test]
fn every_agent_is_written_for_a_host_with_its_name_and_limits() {
    let sandbox = Sandbox::new();
    let home = sandbox.scratch().join("home/agents");
    fs::create_dir_all(&home).expect("a folder");
    let own =
        "---\nname: own\ndisplayName: My Agent\nwhenToUse: [\"mend\"]\nlimits:\n  maxTurns: 12\n---\nGo.\n";
    fs::write(home.join("own.md"), own).expect("an agent");
    let _ = sandbox.run("agents export claude").succeeds().says("own.md").says("memory-extractor.md");
    let read =
        |name: &str| String::from_utf8(sandbox.read(&format!(".claude/agents/{name}.md"))).expect("text");
    assert!(
        read("own").starts_with("---\nname: own\ndescription: \"My Agent: mend\"\nmaxTurns: 12\n---\n"),
        "{}",
        read("own")
    );
    let extractor = read("memory-extractor");
    assert!(
        extractor.contains("name: memory-extractor\n") && extractor.contains("\"shouldCreateMemory\""),
        "{extractor}"
    );
    assert!(!extractor.contains("{agentOutput}"), "{extractor}");
}

#[test]
fn work_that_its_last_round_ended_is_done_and_each_reason_stands_by_its_agent() {
    let sandbox = project("echo 'It is done.'");
    let run = "run 'Say it' --command 'sh agent.sh' --agent developer --rounds 1";
    let said = sandbox.run(run).succeeds().out;
    assert!(said.contains("· running developer: it is next in order\n"), "{said}");
    assert!(said.contains("done: every agent that was asked has succeeded."), "{said}");
    assert!(!said.contains("choosing:"), "{said}");
    let two = "run 'Say it' --command 'sh agent.sh' --agent developer --agent tester --rounds 1";
    let _ = sandbox.run(two).fails(1).says("stopped: one round is the limit.");
}
