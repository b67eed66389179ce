//! The sentence encoder in the program, as searches, injections and hooks use it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hook::said;
use crate::lineage;
use crate::sandbox::{Sandbox, memory, snapshot};

/// Memories, and none of their words in the question.
const MEMORIES: [(&str, &str); 8] = [
    ("Refund retries", "Without an idempotency key the payment provider debits the card a second time."),
    ("Redis for tests", "The integration suite needs a cache server on port 6379 before it starts."),
    ("Node version", "The bundler only builds with release 20 of the runtime."),
    ("Time zones", "Dates are stored in UTC and shown in the zone of the account."),
    ("Feature flags", "A toggle is read once at start, so changing it needs a restart."),
    ("Migrations", "Schema changes are applied by the deploy job and never by hand."),
    ("Log levels", "Debug output is off in production because it fills the volume."),
    ("Uploads", "Pictures above ten megabytes are refused by the proxy."),
];
const QUESTION: &str = "'why was our customer billed twice' --json";

fn add(sandbox: &Sandbox, title: &str, body: &str) {
    let words = ["add", "--title", title, "--when", "zzyzx", "--content", body];
    let _ = sandbox.run_words(&words, b"").succeeds();
}

/// A project whose memories the encoder has not read.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.by_table(true);
    MEMORIES.iter().for_each(|(title, body)| add(&sandbox, title, body));
    sandbox.by_table(false);
    sandbox
}

fn search(sandbox: &Sandbox) -> Value {
    sandbox.run(&format!("search {QUESTION}")).succeeds().json()
}

/// Waits until the process behind a search has read everything.
fn read_behind(sandbox: &Sandbox) -> Value {
    let start = Instant::now();
    loop {
        let found = search(sandbox);
        if found["withoutVector"] == 0 {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "never read: {found}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_search_finds_what_was_said_in_other_words() {
    let sandbox = project();
    let _ = sandbox
        .run("index --embed")
        .succeeds()
        .says("8 memories have vectors of built-in encoder; 16 passages were new and read.");
    let found = search(&sandbox);
    assert_eq!(found["hits"][0]["slug"], "refund-retries", "{found}");
    assert_eq!(found["hits"][0]["meaningBy"], "built-in encoder");
    assert_eq!(found["degraded"], Value::Null);
    let _ = sandbox.run("search 'billed twice' --explain").succeeds().says("meaning (built-in encoder) +");
    // Nothing was asked of anybody.
    let log = snapshot(&sandbox.project().join(".rawko/log"));
    assert!(!log.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("\"kind\":\"embedding\"")));
}

#[test]
fn what_a_search_met_unread_is_read_behind_it() {
    let sandbox = project();
    let first = search(&sandbox);
    assert_eq!(first["withoutVector"], 6, "a search reads few itself: {first}");
    let found = read_behind(&sandbox);
    assert_eq!(found["hits"][0]["slug"], "refund-retries", "{found}");
    assert!(found["hits"].as_array().expect("hits").iter().all(|hit| hit["meaningBy"] == "built-in encoder"));
    let said = sandbox.run(&format!("search {}", QUESTION.replace(" --json", ""))).succeeds();
    assert_eq!(said.err, "", "nobody is told to do what is done by itself");
}

#[test]
fn by_the_table_alone_nothing_is_read_and_nothing_is_kept() {
    let sandbox = project();
    sandbox.by_table(true);
    let found = search(&sandbox);
    assert_eq!((&found["hits"][0]["meaningBy"], &found["withoutVector"]), (&"table".into(), &0.into()));
    assert!(!has_tried(&sandbox));
}

/// Whether a process was started behind a search and came to its work.
fn has_tried(sandbox: &Sandbox) -> bool {
    // Long enough for a process to start; where it should, it is waited for.
    std::thread::sleep(Duration::from_secs(1));
    sandbox.scratch().join("home/cache/encoding").exists()
}

#[test]
fn where_hooks_are_off_nothing_is_started_behind_a_search() {
    let sandbox = project().with("RAWKO_HOOK", "off");
    assert_eq!(search(&sandbox)["withoutVector"], 6);
    assert!(!has_tried(&sandbox));
}

#[test]
fn what_cannot_be_kept_is_tried_once_and_left_alone_for_an_hour() {
    let sandbox = project();
    let _ = sandbox.run("index --embed").succeeds();
    let file = vectors(&sandbox);
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("a folder where the file should be");
    fs::write(file.join("full"), "").expect("that no rename replaces");
    let note = sandbox.scratch().join("home/cache/encoding");
    let start = Instant::now();
    assert_eq!(search(&sandbox)["withoutVector"], 6);
    while !note.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "never tried");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(5));
    let first = fs::read(&note).expect("a note");
    assert!(String::from_utf8_lossy(&first).contains("in vain"), "{}", String::from_utf8_lossy(&first));
    for _ in 0..3 {
        assert_eq!(search(&sandbox)["withoutVector"], 6);
    }
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(fs::read(&note).expect("a note"), first, "the note of the first try, and no other");
}

#[test]
fn one_store_that_cannot_be_written_does_not_keep_the_other_unread() {
    let sandbox = project();
    sandbox.by_table(true);
    for (title, body) in MEMORIES.map(|(title, body)| (format!("{title} of mine"), body)) {
        let words = ["add", "--personal", "--title", &title, "--when", "zzyzx", "--content", body];
        let _ = sandbox.run_words(&words, b"").succeeds();
    }
    sandbox.by_table(false);
    let _ = sandbox.run("index --embed").succeeds();
    let file = vectors(&sandbox);
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("a folder where the file should be");
    fs::write(file.join("full"), "").expect("that no rename replaces");
    let personal = sandbox.scratch().join("home/cache");
    let own = fs::read_dir(&personal).expect("a cache").flatten().map(|file| file.path());
    let own = own.filter(|path| path.display().to_string().contains("vectors-")).collect::<Vec<_>>();
    own.iter().for_each(|path| fs::remove_file(path).expect("removed"));
    let _ = search(&sandbox);
    let start = Instant::now();
    while !own.iter().all(|path| path.exists()) {
        assert!(start.elapsed() < Duration::from_secs(120), "the person's store is never read");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The project's file of vectors.
fn vectors(sandbox: &Sandbox) -> PathBuf {
    let files = fs::read_dir(sandbox.project().join(".rawko/cache")).expect("a cache").flatten();
    let mut files = files.map(|file| file.path());
    files.find(|path| path.display().to_string().contains("vectors-")).expect("a file of vectors")
}

#[test]
fn a_question_that_the_encoder_cannot_read_is_answered_by_the_table() {
    let sandbox = project();
    // It was not even asked for vectors of memories: else six would be without one.
    let found = sandbox.run("search 'почему клиент заплатил дважды' --json").succeeds().json();
    assert_eq!((&found["degraded"], &found["withoutVector"]), (&Value::Null, &0.into()), "{found}");
    assert_eq!(search(&sandbox)["withoutVector"], 6);
}

#[test]
fn a_memory_that_is_alone_is_found_in_other_words() {
    let sandbox = Sandbox::new();
    let (title, body) = MEMORIES[0];
    add(&sandbox, title, body);
    assert_eq!(search(&sandbox)["hits"][0]["slug"], "refund-retries");
    let _ = sandbox.run("search 'rivers flow to the sea'").succeeds().says("Nothing found.");
}

#[test]
fn damaged_vectors_are_made_anew() {
    let sandbox = project();
    let _ = sandbox.run("index --embed").succeeds();
    let file = vectors(&sandbox);
    let whole = fs::read(&file).expect("its bytes");
    for damaged in [&whole[..whole.len() / 2], b"", &[&whole[..60], &[0xff; 40], &whole[100..]].concat()] {
        fs::write(&file, damaged).expect("damage");
        assert_eq!(read_behind(&sandbox)["hits"][0]["slug"], "refund-retries");
    }
}

/// The points for single words that the first hit has.
fn wording(found: &Value) -> f64 {
    found["hits"][0]["parts"]["wording"].as_f64().unwrap_or(0.0)
}

#[test]
fn a_search_holds_single_words_against_those_that_were_read_and_makes_lost_ones_anew() {
    let sandbox = project();
    let _ = sandbox.run("index --embed").succeeds();
    assert!(wording(&search(&sandbox)) > 1.0, "{}", search(&sandbox));
    for file_of in [list, data] {
        let (file, whole) = file_of(&sandbox);
        fs::write(&file, &whole[..whole.len() / 2]).expect("cut");
        words_return(&sandbox);
        fs::remove_file(file_of(&sandbox).0).expect("removed");
        words_return(&sandbox);
        // One bit in the words of one text.
        let (file, mut bytes) = file_of(&sandbox);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, &bytes).expect("written");
        words_return(&sandbox);
    }
}

/// The list of the words that a project keeps, and what is in it; nothing where there is none.
fn list(sandbox: &Sandbox) -> (PathBuf, Vec<u8>) {
    let files = fs::read_dir(sandbox.project().join(".rawko/cache")).expect("a cache").flatten();
    let is_list = |name: &str| name.strip_prefix("words-").is_some_and(|mark| !mark.contains('-'));
    let list =
        files.map(|file| file.path()).find(|file| is_list(&file.file_name().unwrap().to_string_lossy()));
    list.map(|list| (list.clone(), fs::read(list).expect("its bytes"))).unwrap_or_default()
}

/// The same of the file that the list names.
fn data(sandbox: &Sandbox) -> (PathBuf, Vec<u8>) {
    let (list, bytes) = list(sandbox);
    let number = u64::from_le_bytes(*bytes[56..].first_chunk().expect("a number"));
    let data = PathBuf::from(format!("{}-{number}", list.display()));
    (data.clone(), fs::read(data).expect("its bytes"))
}

/// Waits until all of the words that were just damaged are kept again, and searches go by them; vectors are there all the
/// while.
fn words_return(sandbox: &Sandbox) {
    let (start, damaged) = (Instant::now(), list(sandbox));
    let is_whole = || {
        let found = search(sandbox);
        assert_eq!(found["withoutVector"], 0, "{found}");
        assert_eq!(found["hits"][0]["slug"], "refund-retries");
        // Written last; what was taken off it lies elsewhere once it is back.
        let list = list(sandbox);
        list.1.len() == WHOLE_LIST && list != damaged
    };
    while !is_whole() {
        assert!(start.elapsed() < Duration::from_secs(120), "never read again");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(wording(&search(sandbox)) > 1.0, "{}", search(sandbox));
}

/// Bytes of the list of a store whose sixteen texts all have their words.
const WHOLE_LIST: usize = 68 + 16 * 28;

#[test]
fn the_nearest_words_of_memories_that_are_about_something_else_find_nothing() {
    let sandbox = project();
    let _ = sandbox.run("index --embed").succeeds();
    for question in ["who won the world cup in 1974", "a poem about the moon", "tallest mountain of Peru"] {
        let _ = sandbox.run_words(&["search", question], b"").succeeds().says("Nothing found.");
    }
}

const CARD: (&str, &str) = (
    "Card debited again",
    "A retry of a refund without a request key takes the money from the customer a second time.",
);

/// Memories with a task in other words than the first of them has, and that task.
fn described() -> (Sandbox, &'static str) {
    let sandbox = project();
    sandbox.by_table(true);
    add(&sandbox, CARD.0, CARD.1);
    sandbox.by_table(false);
    (sandbox, "people complain that they were billed two times for a single purchase after we retried")
}

/// Points that the encoder gives beyond what the token table gives.
const MORE: f64 = 2.0;

/// The points for meaning that an injection gives to the memory.
fn meaning(sandbox: &Sandbox, task: &str) -> f64 {
    let all = considered(sandbox, task);
    let memory = all.iter().find(|one| one["slug"] == "card-debited-again").expect("it is looked at");
    memory["parts"]["meaning"].as_f64().unwrap_or(0.0)
}

/// Every memory that an injection looks at.
fn considered(sandbox: &Sandbox, task: &str) -> Vec<Value> {
    all_of(&sandbox.run_words(&["inject", "--task", task, "--json"], b"").succeeds().json())
}

fn all_of(found: &Value) -> Vec<Value> {
    ["chosen", "out"].into_iter().flat_map(|key| found[key].as_array().expect("a list").clone()).collect()
}

#[test]
fn an_injection_goes_by_the_encoder_for_what_it_has_read() {
    let (sandbox, task) = described();
    let quiet = sandbox.with("RAWKO_HOOK", "off");
    let by_table = meaning(&quiet, task);
    let _ = quiet.run("index --embed").succeeds();
    let by_encoder = meaning(&quiet, task);
    assert!(by_encoder > by_table + MORE, "{by_encoder} for {by_table}");
    quiet.by_table(true);
    assert_eq!(meaning(&quiet, task), by_table, "unless the person wants the table alone");
}

#[test]
fn what_an_injection_met_unread_is_read_behind_it() {
    let (sandbox, task) = described();
    let before = meaning(&sandbox, task);
    let start = Instant::now();
    while meaning(&sandbox, task) < before + MORE {
        assert!(start.elapsed() < Duration::from_secs(120), "never read");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_prompt_that_met_unread_memories_has_them_read_and_a_silent_tool_reads_nothing() {
    let (sandbox, task) = described();
    let input = |event: &str, more: &str| {
        let folder = sandbox.project().display().to_string();
        format!("{{\"session_id\":\"s1\",\"cwd\":{folder:?},\"hook_event_name\":{event:?},{more}}}")
    };
    let tool = input("PreToolUse", "\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}");
    let _ = sandbox.run_words(&["hook", "claude", "PreToolUse"], tool.as_bytes()).succeeds();
    assert!(!has_tried(&sandbox), "a tool that calls nothing has nothing read");
    let prompt = input("UserPromptSubmit", &format!("\"prompt\":{task:?}"));
    let _ = sandbox.run_words(&["hook", "claude", "UserPromptSubmit"], prompt.as_bytes()).succeeds();
    let start = Instant::now();
    let kept = || fs::read_dir(sandbox.project().join(".rawko/cache")).expect("a cache").flatten();
    while !kept().any(|file| file.file_name().to_string_lossy().starts_with("vectors-")) {
        assert!(start.elapsed() < Duration::from_secs(120), "never read");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Who tells the meaning of each memory, once the encoder has read them; whoever asks here has nothing read.
fn meant_by(sandbox: &Sandbox, task: &str) -> Vec<String> {
    let start = Instant::now();
    loop {
        let mut ask = sandbox.command(&sandbox.program());
        ask.args(["inject", "--task", task, "--json"]).env("RAWKO_HOOK", "off");
        let all = all_of(&sandbox.run_command(&mut ask, b"").succeeds().json());
        let by: Vec<&str> = all.iter().map(|one| one["meaningBy"].as_str().unwrap_or("nobody")).collect();
        let is_read = !by.is_empty() && by.iter().all(|by| *by == "built-in encoder");
        if is_read || start.elapsed() > Duration::from_secs(60) {
            return by.into_iter().map(str::to_owned).collect();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_was_added_is_read_before_anybody_asks() {
    let sandbox = Sandbox::new();
    // One behind the other, so that most of them find a process at work that began before them.
    MEMORIES.iter().for_each(|(title, body)| add(&sandbox, title, body));
    let by = meant_by(&sandbox, "why was our customer billed twice");
    assert_eq!(by, vec!["built-in encoder"; MEMORIES.len()]);
}

#[test]
fn what_a_person_lets_speak_is_read_before_anybody_asks() {
    let sandbox = Sandbox::new().memory("stranger", memory("Stranger", "Deploys are frozen in December."));
    let _ = sandbox.run("trust --yes").succeeds();
    assert_eq!(meant_by(&sandbox, "may we ship before the holidays"), ["built-in encoder"]);

    let sandbox =
        Sandbox::new().file(".serena/memories/style.md", "Indent by tabs, because the linter wants it.\n");
    let _ = sandbox.run("import .").succeeds();
    assert!(!has_tried(&sandbox), "what waits for a person is not read");
    let _ = sandbox.run("review --approve style").succeeds();
    assert_eq!(meant_by(&sandbox, "which whitespace do we use"), ["built-in encoder"]);
}

#[test]
fn what_was_learned_is_read_before_anybody_asks() {
    // A long transcript is left to a process behind the hook, which reads what it learned itself.
    for (length, command) in [(0, ""), (700_000, ""), (0, "extract notes.jsonl")] {
        let sandbox = lineage::project();
        let output = format!("all passed{}", " ".repeat(length));
        sandbox
            .write("notes.jsonl", lineage::transcript("Bash", json!({ "command": "cargo test" }), &output));
        let notes = sandbox.project().join("notes.jsonl").display().to_string();
        let told = json!({ "transcript_path": notes, "last_assistant_message": lineage::FACT });
        let _ = match command {
            "" => sandbox.feed("hook claude Stop", said(&sandbox, told)).succeeds(),
            command => sandbox.run(command).succeeds(),
        };
        assert_eq!(
            meant_by(&sandbox, "how many database connections"),
            ["built-in encoder"],
            "{length} {command}"
        );
    }
}

#[test]
fn where_hooks_are_off_or_the_table_is_wanted_nothing_is_started_behind_an_addition() {
    let sandbox = Sandbox::new();
    sandbox.by_table(true);
    add(&sandbox, MEMORIES[0].0, MEMORIES[0].1);
    assert!(!has_tried(&sandbox), "the table needs no reading");
    sandbox.by_table(false);
    let sandbox = sandbox.with("RAWKO_HOOK", "off");
    let _ =
        sandbox.run("add --title Word --content 'The shop needs `WORD=1`, otherwise it fails.'").succeeds();
    assert!(!has_tried(&sandbox), "hooks are off");
}

#[test]
fn who_told_the_meaning_is_said() {
    let (sandbox, task) = described();
    let quiet = sandbox.with("RAWKO_HOOK", "off");
    let explained = || quiet.run_words(&["inject", "--explain", "--task", task], b"").succeeds().out;
    let why_not = |more: &[&str]| {
        let words = ["why-not", "card-debited-again", "--task", task];
        quiet.run_words(&[&words[..], more].concat(), b"").succeeds()
    };
    let by = |one: &Value| (one["meaningBy"].clone(), one["unread"].clone());
    let unread = "meaning by the token table: the sentence encoder has not read this memory yet";
    assert!(explained().contains(unread), "{}", explained());
    assert!(quiet.run("why").succeeds().out.contains(unread), "the same of what an agent heard");
    let _ = why_not(&[]).says(unread);
    assert_eq!(by(&why_not(&["--json"]).json()), (json!("table"), json!(true)));
    let _ = quiet.run("index --embed").succeeds();
    let read = "meaning by the sentence encoder";
    assert!(explained().contains(read) && !explained().contains("token table"), "{}", explained());
    assert!(quiet.run("why").succeeds().out.contains(read));
    let _ = why_not(&[]).says(read);
    assert_eq!(by(&why_not(&["--json"]).json()), (json!("built-in encoder"), json!(false)));
    quiet.by_table(true);
    let table = "meaning by the token table\n";
    assert!(explained().contains(table) && !explained().contains(unread), "{}", explained());
    assert_eq!(by(&why_not(&["--json"]).json()), (json!("table"), json!(false)));
    // The origin's rules ask nobody for a meaning.
    assert_eq!(by(&why_not(&["--json", "--profile", "classic"]).json()).0, Value::Null);
}

#[test]
fn a_kind_that_is_misspelt_leaves_hooks_silent_and_to_the_encoder() {
    let (sandbox, task) = described();
    let quiet = sandbox.with("RAWKO_HOOK", "off");
    let _ = quiet.run("index --embed").succeeds();
    fs::write(quiet.scratch().join("home/config.toml"), "[embedding]\nkind = \"bult-in\"\n")
        .expect("settings");
    assert!(considered(&quiet, task).iter().all(|one| one["meaningBy"] == "built-in encoder"));
    let hearing = quiet.without("RAWKO_HOOK");
    let told = said(&hearing, json!({ "prompt": task }));
    let heard = hearing.feed("hook claude UserPromptSubmit", told).succeeds();
    assert_eq!(heard.err, "");
}
