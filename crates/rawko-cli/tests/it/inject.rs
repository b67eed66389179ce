//! `rawko inject`, `search`, `why` and `why-not`: what reaches an agent, and why.

use serde_json::Value;

use crate::sandbox::{Sandbox, memory};

fn shop() -> Sandbox {
    let sandbox = Sandbox::new();
    for (title, when, importance, content) in [
        (
            "Payments need an idempotency key",
            "payment|refund|charge",
            "critical",
            "Every payment call carries a request key, or a retry charges twice.",
        ),
        (
            "Integration tests need Redis",
            "integration test|test:int",
            "high",
            "The suite hangs without a Redis on port 6380.",
        ),
        (
            "Releases are cut from main",
            "release|deploy",
            "medium",
            "Tag the commit on main and push the tag; the pipeline does the rest.",
        ),
    ] {
        let words =
            ["add", "--title", title, "--when", when, "--importance", importance, "--content", content];
        let _ = sandbox.run_words(&words, b"").succeeds();
    }
    sandbox
}

fn chosen(said: &Value) -> Vec<&str> {
    said["chosen"].as_array().expect("a list").iter().filter_map(|memory| memory["slug"].as_str()).collect()
}

fn inject(sandbox: &Sandbox, task: &str) -> Value {
    sandbox.run_words(&["inject", "--json", "--task", task], b"").succeeds().json()
}

#[test]
fn the_right_memory_comes_in_a_marked_block() {
    let sandbox = shop();
    let block =
        sandbox.run_words(&["inject", "--task", "Retry failed refunds with backoff"], b"").succeeds().out;
    assert!(block.starts_with("[rawko ") && block.trim_end().ends_with(']'), "{block}");
    assert!(block.contains("### Payments need an idempotency key\n*Importance: CRITICAL*"), "{block}");
    assert_eq!(block.matches("\n### ").count(), 1, "{block}");
}

#[test]
fn nothing_is_printed_when_nothing_fits() {
    let said = shop().run_words(&["inject", "--task", "Change the colour of the footer"], b"").succeeds();
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn the_task_may_come_on_standard_input() {
    let said =
        shop().run_words(&["inject", "--json", "--task", "-"], b"deploy the release").succeeds().json();
    assert_eq!(chosen(&said), ["releases-are-cut-from-main"]);
}

#[test]
fn command_and_error_triggers_look_at_theirs() {
    let sandbox = shop();
    let words = [
        "add",
        "--title",
        "Migrations lock the table",
        "--when-command",
        "npm run migrate",
        "--when-error",
        "lock timeout",
        "--content",
        "Run them at night.",
    ];
    let _ = sandbox.run_words(&words, b"").succeeds();
    let by_command = sandbox
        .run_words(&["inject", "--json", "--task", "go on", "--command", "npm run migrate"], b"")
        .json();
    assert_eq!(chosen(&by_command), ["migrations-lock-the-table"]);
    let by_error = sandbox
        .run_words(&["inject", "--json", "--task", "go on", "--error", "ERROR: lock timeout"], b"")
        .json();
    assert_eq!(chosen(&by_error), ["migrations-lock-the-table"]);
    assert!(chosen(&inject(&sandbox, "go on")).is_empty());
}

#[test]
fn what_came_with_the_files_is_found_and_not_injected_before_the_persons_word() {
    let text = memory("Payments are retried by the gateway", "Refund retries are the gateway's job.")
        .replace("whenToUse: [\"deploy\"]", "whenToUse: [\"refund\"]");
    let sandbox = shop().memory("payments-are-retried-by-the-gateway", text);
    let before = inject(&sandbox, "Retry failed refunds at the gateway");
    assert!(!chosen(&before).contains(&"payments-are-retried-by-the-gateway"), "{before}");
    let gate = before["out"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|out| out["slug"] == "payments-are-retried-by-the-gateway");
    assert_eq!(gate.expect("it is looked at")["gate"], "trust");
    let found = sandbox.run_words(&["search", "refund retries gateway", "--json"], b"").json();
    assert_eq!(found["hits"][0]["slug"], "payments-are-retried-by-the-gateway");
    let _ = sandbox.run("trust --yes").succeeds();
    assert!(
        chosen(&inject(&sandbox, "Retry failed refunds at the gateway"))
            .contains(&"payments-are-retried-by-the-gateway")
    );
}

#[test]
fn a_memory_whose_evidence_changed_says_so() {
    let sandbox = shop().file("src/pay.ts", "export const RETRIES = 3;\n");
    let text = "---\ntitle: Retries are three\nwhenToUse: [retries]\nimportance: high\ndiscoveredAt: 2026-01-01\ndiscoveredBy: dev\n\
                evidence:\n  - {file: src/pay.ts, text: \"RETRIES = 3\"}\n---\n\n# Retries\n\nThe client retries three times.\n";
    let _ = sandbox.feed("add --file -", text).succeeds();
    let fresh = inject(&sandbox, "change the number of retries");
    assert_eq!(fresh["chosen"][0]["stale"], Value::Null);
    sandbox.write("src/pay.ts", "export const RETRIES = 5;\n");
    let stale = inject(&sandbox, "change the number of retries");
    assert!(
        stale["block"].as_str().expect("text").contains("*Check first: src/pay.ts"),
        "{}",
        stale["block"]
    );
    assert!(stale["chosen"][0]["score"].as_f64() < fresh["chosen"][0]["score"].as_f64());
}

#[test]
fn what_moved_is_known_whatever_was_added_to_the_memory_since() {
    let sandbox = shop().file("src/pay.ts", "export const RETRIES = 3;\nexport const WAIT = 9;\n");
    let git = |words: &[&str]| {
        let mut command = sandbox.command(&crate::sandbox::which("git").expect("git"));
        command.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]).args(words);
        let _ = sandbox.run_command(&mut command, b"").succeeds();
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "first", "--date", "2026-01-01T00:00:00Z"]);
    let text = "---\ntitle: Retries are three\nwhenToUse: [retries]\nimportance: high\ndiscoveredAt: 2026-02-01\ndiscoveredBy: dev\n\
                evidence:\n  - {file: src/pay.ts, text: \"RETRIES = 3\"}\n---\n\n# Retries\n\nThe client retries three times.\n";
    let _ = sandbox.feed("add --file -", text).succeeds();
    git(&["mv", "src/pay.ts", "src/retry.ts"]);
    let stale = || inject(&sandbox, "change the number of retries")["chosen"][0]["stale"].clone();
    assert_eq!(stale(), "src/pay.ts moved to src/retry.ts");
    let _ = sandbox
        .run(
            "add --title 'Retries are three' --when retries --importance high --content 'Support asked why.'",
        )
        .succeeds();
    assert_eq!(stale(), "src/pay.ts moved to src/retry.ts");
}

#[test]
fn an_agents_file_says_which_memories_reach_it() {
    let sandbox = shop();
    let file = |memory: &str| {
        sandbox.write(
            ".rawko/agents/auditor.md",
            format!("---\nname: auditor\nmemory:\n{memory}---\n\nLook.\n"),
        );
    };
    let reach = || {
        let words = ["inject", "--task", "Retry failed refunds with backoff", "--agent", "auditor", "--json"];
        let said = sandbox.run_words(&words, b"").succeeds().json();
        (chosen(&said).len(), said["chosen"][0]["parts"]["bonus"].clone())
    };
    file("  maxInjected: 0\n");
    assert!(reach().0 > 0, "nobody approved the file");
    let _ = sandbox.run("trust --yes").succeeds();
    assert_eq!(reach().0, 0);
    file("  scoreBonus: 7\n");
    let _ = sandbox.run("trust --yes").succeeds();
    assert_eq!(reach().1, 7.0);
}

#[test]
fn a_text_may_begin_with_a_dash() {
    let sandbox = shop();
    for words in [
        &["inject", "--task", "-z flag is ignored", "--plan", "- [ ] write tests", "--error", "-bash: no"][..],
        &["add", "--title", "Lists", "--when", "lists", "--content", "- one\n- two"],
    ] {
        let _ = sandbox.run_words(words, b"").succeeds();
    }
}

/// G34: for every injected memory rawko can say which entry, who wrote it, what it is worth, and why it came.
#[test]
fn explain_complete() {
    let sandbox = shop();
    let said = inject(&sandbox, "Retry failed refunds with backoff");
    let receipt = sandbox
        .run_words(&["why", said["receipt"].as_str().expect("an id"), "--json"], b"")
        .succeeds()
        .json();
    let one = &receipt["chosen"][0];
    let parts: f64 = one["parts"].as_object().expect("parts").values().filter_map(Value::as_f64).sum();
    assert!((parts - one["score"].as_f64().expect("a score")).abs() < 0.5, "{one}");
    assert_eq!(one["trigger"], "payment|refund|charge (task)");
    assert_eq!(one["entries"][0]["trust"], "human");
    assert_eq!(one["entries"][0]["came"], "written here by a person");
    assert_eq!(one["entries"][0]["id"].as_str().map(str::len), Some(32));
    let _ = sandbox
        .run("why")
        .succeeds()
        .says("payments-need-an-idempotency-key")
        .says("matched by its trigger payment|refund|charge");
    let _ = sandbox.run("why --list").succeeds().says("1 memory");
    let _ = sandbox.run("why 12345").fails(1).says("there is no such receipt");
}

#[test]
fn why_not_names_what_kept_a_memory_out() {
    let sandbox = shop();
    let words = ["why-not", "integration-tests-need-redis", "--task", "Retry failed refunds"];
    let _ = sandbox.run_words(&words, b"").succeeds().says("stays out: it needs");
    let words = ["why-not", "payments-need-an-idempotency-key", "--task", "Retry failed refunds"];
    let _ = sandbox.run_words(&words, b"").succeeds().says("does reach the agent");
    let _ =
        sandbox.run_words(&["why-not", "nowhere", "--task", "x"], b"").fails(1).says("no memory is named");
}

#[test]
fn explain_shows_parts_that_add_up_and_what_stayed_silent() {
    let sandbox = shop();
    let words = ["inject", "--task", "Retry failed refunds with backoff", "--explain"];
    let _ = sandbox
        .run_words(&words, b"")
        .succeeds()
        .says("= trigger +")
        .says("matched by its trigger payment|refund|charge (task)")
        .says("Nearest of those that stay silent:");
    let words = ["inject", "--task", "Write an integration test", "--explain"];
    let _ = sandbox
        .run_words(&words, b"")
        .succeeds()
        .says("called by its trigger integration test|test:int (task)");
}

#[test]
fn the_classic_profile_needs_a_trigger() {
    let sandbox = shop();
    let words =
        ["inject", "--json", "--profile", "classic", "--task", "Retry the refund", "--agent", "developer"];
    assert_eq!(chosen(&sandbox.run_words(&words, b"").json()), ["payments-need-an-idempotency-key"]);
    let _ = sandbox
        .run_words(&["inject", "--task", "x", "--profile", "best"], b"")
        .fails(2)
        .says("use hybrid or classic");
}

#[test]
fn search_ranks_and_explains() {
    let sandbox = shop();
    let said = sandbox.run_words(&["search", "tests hang without redis", "--explain"], b"").succeeds();
    let first = said.out.lines().next().expect("a hit").to_owned();
    assert!(first.contains("integration-tests-need-redis"), "{first}");
    let _ = said.says("= ").says("port 6380");
    let _ = sandbox.run_words(&["search", "zebra quantum"], b"").succeeds();
    let filtered = sandbox.run_words(&["search", "release", "--importance", "high", "--json"], b"").json();
    assert!(filtered["hits"].as_array().expect("a list").iter().all(|hit| hit["importance"] == "high"));
}

#[test]
fn a_memory_that_is_replaced_stays_silent() {
    let sandbox = shop();
    let words = [
        "add",
        "--title",
        "Releases are cut from the release branch",
        "--when",
        "release|deploy",
        "--supersedes",
        "releases-are-cut-from-main",
        "--content",
        "Since May, releases come from the release branch.",
    ];
    let _ = sandbox.run_words(&words, b"").succeeds();
    let said = inject(&sandbox, "deploy the release");
    assert_eq!(chosen(&said), ["releases-are-cut-from-the-release-branch"]);
}

#[test]
fn a_memory_stays_in_use_while_its_replacement_waits() {
    let sandbox = shop();
    let new = memory("Releases come from a branch", "Since May, releases come from the release branch.")
        .replace("title:", "status: pending\nsupersedes: [releases-are-cut-from-main]\ntitle:");
    let _ = sandbox.feed("add", new).succeeds();
    assert_eq!(chosen(&inject(&sandbox, "deploy the release")), ["releases-are-cut-from-main"]);
}

#[test]
fn a_replaced_memory_does_not_take_over_what_the_new_ones_triggers_must_do() {
    let sandbox = shop();
    let new = memory("Ship from a branch", &"Since May, releases come from the release branch. ".repeat(8))
        .replace(
            "title:",
            "supersedes: [releases-are-cut-from-main]\nshouldFire: [Ship from a branch]\ntitle:",
        );
    let _ = sandbox.feed("add", new).succeeds();
    let old = sandbox.read(".rawko/memories/releases-are-cut-from-main.md");
    let old = String::from_utf8(old).expect("text");
    assert!(old.contains("status: superseded") && !old.contains("shouldFire"), "{old}");
}

#[test]
fn a_file_that_nobody_approved_does_not_silence_the_persons_own_memory() {
    let sandbox = Sandbox::new().memory("ask-before-a-push", memory("Ask before a push", "Nothing."));
    let words = [
        "add",
        "--personal",
        "--title",
        "Ask before a push",
        "--when",
        "push",
        "--importance",
        "critical",
        "--content",
        "Never push to main on a Friday.",
    ];
    let _ = sandbox.run_words(&words, b"").succeeds();
    let said = inject(&sandbox, "push the branch");
    assert_eq!(chosen(&said), ["ask-before-a-push"]);
    assert_eq!(said["chosen"][0]["store"], "person");
    assert!(said["block"].as_str().is_some_and(|block| block.contains("on a Friday")), "{said}");
}

#[test]
fn text_that_nobody_approved_changes_no_score_in_a_small_store() {
    let sandbox = shop();
    sandbox.by_table(true);
    let task = "Retry failed refunds with backoff";
    let before = inject(&sandbox, task)["chosen"].clone();
    let stuffed = memory(task, &format!("{task}. {task}. Refunds fail, retry refunds with backoff."))
        .replace("deploy", "refund");
    for n in 0..20 {
        sandbox.write(&format!(".rawko/memories/a-{n}.md"), &stuffed);
    }
    assert_eq!(inject(&sandbox, task)["chosen"], before);
}

#[test]
fn what_a_memory_says_twice_is_said_once() {
    let sandbox = Sandbox::new();
    for _ in 0..3 {
        let _ =
            sandbox.run("add --title Deploy --when deploy --content 'From main, never by hand.'").succeeds();
    }
    let said = sandbox.run("inject --task 'deploy the shop'").succeeds().out;
    assert_eq!(said.matches("From main, never by hand.").count(), 1, "{said}");
    let history = sandbox.run("show deploy --history").succeeds().out;
    assert_eq!(history.matches("From main, never by hand.").count(), 3, "{history}");
}

#[test]
fn an_import_that_waits_is_not_called_a_hand_edit() {
    let sandbox = Sandbox::new().file("CLAUDE.md", "# Deploy\n\nDeploy from main, because CI looks there.\n");
    let _ = sandbox.run("import CLAUDE.md").succeeds();
    let _ = sandbox.run("why-not deploy --task 'deploy from main'").succeeds().says("it was imported");
}

#[test]
fn search_takes_words_without_quotes() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run("add --title 'Redis for tests' --content 'The suite hangs without it.'").succeeds();
    let _ = sandbox.run("search ''").fails(2).says("rawko list");
    let _ = sandbox.run("search tests --limit 0").fails(2).says("0 is not in 1..");
    let _ = sandbox.run("search tests hang --limit 3").succeeds().says("redis-for-tests");
    let _ =
        Sandbox::empty().run("search x").succeeds().says("no store in this folder or above it: rawko init");
}

#[test]
fn each_entry_of_a_memory_is_told_without_its_title_again() {
    let sandbox = Sandbox::new();
    for text in ["It holds ten.", "It holds twenty.", "It holds thirty."] {
        let body = format!("# Use the pool\n\n{text}");
        let words = ["add", "--title", "Use the pool", "--when", "pool", "--content", &body];
        let _ = sandbox.run_words(&words, b"").succeeds();
    }
    let block = sandbox.run("inject --task 'Change the pool'").succeeds().text();
    assert_eq!(block.matches("Use the pool").count(), 1, "{block}");
    let said = "It holds thirty.\n\n*Earlier:*\nIt holds twenty.\n\n*Earlier:*\nIt holds ten.";
    assert!(block.contains(said), "{block}");
}

#[test]
fn a_pasted_log_does_not_drown_what_is_asked() {
    let sandbox = Sandbox::new();
    let words = [
        "add",
        "--title",
        "Integration tests need Redis",
        "--when",
        "integration test|test:int",
        "--content",
    ];
    let _ = sandbox
        .run_words(&[&words[..], &["Start it with docker compose up -d redis-test"]].concat(), b"")
        .succeeds();
    let log: String =
        (10..40).map(|n| format!("2026-01-01T10:{n} INFO GET /api/users/{n}3 handled in {n}ms\n")).collect();
    let task = format!("run the integration tests and find out why they hang. here is the output:\n{log}");
    let block = sandbox.feed("inject --task -", &task).succeeds().text();
    assert!(block.contains("redis-test"), "{block}");
    let other = format!("change the colour of the button, please. here is the output:\n{log}");
    assert_eq!(sandbox.feed("inject --task -", &other).succeeds().text(), "");
}

/// A stack trace of so many bytes; its last line may be cut anywhere.
pub(crate) fn stack_trace(bytes: usize) -> String {
    let frame =
        |n: usize| format!("    at Object.handler{} (src/app/file{}.ts:{}:4)\n", n % 50, n % 31, n % 300);
    let mut trace: String = (1..).map(frame).take(bytes / 20).collect();
    trace.truncate(bytes);
    trace
}

#[test]
fn what_is_asked_before_behind_or_between_long_logs_is_heard() {
    let sandbox = shop();
    let asked = "run the integration tests and find out why they hang";
    // Lengths of which some cut a line of the log in the middle, and one that is not read whole.
    for length in [20_000, 70_069, 79_042, 90_003, 90_045, 100_033, 300_000, 1_500_000] {
        let log = stack_trace(length);
        let between = format!("{log}\n{asked}\n{log}");
        let places = [format!("{asked}\n{log}"), format!("{log}\n{asked}"), between];
        for task in places.iter().take(if length > 300_000 { 2 } else { 3 }) {
            let found = sandbox.feed("inject --json --task -", task).succeeds().json();
            let start = &task[..60];
            assert_eq!(chosen(&found), ["integration-tests-need-redis"], "{length} bytes: {start}");
        }
    }
}
