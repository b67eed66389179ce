//! How triggers match as a whole; the origins' matchers as oracles; limits.

mod limits;
mod oracle;

use super::*;

fn text(pattern: &str) -> Trigger {
    Trigger::Text(pattern.to_owned())
}

fn task(task: &str) -> TaskContext {
    TaskContext { agent: "developer".into(), ..TaskContext::of(task) }
}

/// The strength of a bare trigger on a task, 0 without a match.
fn strength(pattern: &str, asked: &str) -> f32 {
    compile(&text(pattern)).matches(&task(asked)).map_or(0.0, |found| found.strength)
}

fn form(pattern: &str, asked: &str) -> Option<Form> {
    compile(&text(pattern)).matches(&task(asked)).map(|found| found.form)
}

#[test]
fn each_form_of_a_trigger_matches_and_is_named() {
    for (pattern, asked, expected) in [
        ("implement.*auth", "Implement OAuth login", Form::Regex),
        ("auth|login", "Fix the login page", Form::Alternative),
        ("*handler.rs", "Refactor src/handler.rs", Form::Glob),
        ("jemalloc", "Why do we link jemalloc?", Form::Substring),
        ("When implementing authentication", "Add authentication to the API", Form::Words),
        (
            "How are files with NUL bytes treated?",
            "a file that has a NUL byte is treated as text",
            Form::Words,
        ),
        ("c++|rust", "bind it to C++ code", Form::Alternative),
        ("agent developer", "agent", Form::Substring),
    ] {
        assert_eq!(form(pattern, asked), Some(expected), "{pattern} on {asked}");
    }
}

#[test]
fn unrelated_tasks_do_not_match() {
    for pattern in
        ["implement.*auth", "auth|login", "*handler.rs", "When implementing authentication", "jemalloc"]
    {
        assert_eq!(form(pattern, "Rename the colour option"), None, "{pattern}");
    }
}

#[test]
fn specific_hits_are_strong_and_common_ones_weak() {
    for (pattern, asked) in [
        ("fix|error|message", "Fix the login page"),
        (".*", "anything at all"),
        ("e", "anything else"),
        ("ci", "a special case"),
        ("auth|", "Rename the colour option"),
        ("(app|blueprint|scaffold).*base class", "move it to the blueprint"),
    ] {
        let weak = strength(pattern, asked);
        assert!(weak > 0.0 && weak < 0.35, "{pattern} on {asked}: {weak}");
    }
    for (pattern, asked) in [
        ("RIPGREP_CONFIG_PATH|config file", "ripgrep_config_path is ignored"),
        ("(add|new).*(flag|switch)", "Add a flag that prints totals"),
        ("jemalloc", "drop jemalloc"),
        ("which ignore rule wins", "say which ignore rule wins here"),
        ("When a task mentions authentication", "Rework authentication"),
    ] {
        let strong = strength(pattern, asked);
        assert!(strong > 0.6, "{pattern} on {asked}: {strong}");
    }
}

#[test]
fn the_best_alternative_counts_wherever_it_stands() {
    assert!(strength("fix|jemalloc", "fix the jemalloc build") > strength("fix|jemalloc", "fix the build"));
}

#[test]
fn plan_history_and_files_count_less_than_the_task() {
    let trigger = compile(&text("jemalloc"));
    let context = TaskContext {
        plan: "drop jemalloc".into(),
        history: "jemalloc failed".into(),
        files: vec!["src/jemalloc.rs".into()],
        ..task("Rework the build")
    };
    let in_plan = trigger.matches(&context).unwrap();
    assert_eq!(in_plan.place, Place::Plan);
    let in_history = trigger.matches(&TaskContext { plan: String::new(), ..context.clone() }).unwrap();
    assert_eq!(in_history.place, Place::History);
    assert!(in_history.strength < in_plan.strength && in_plan.strength < strength("jemalloc", "jemalloc"));
    let in_files = trigger.matches(&TaskContext { plan: String::new(), history: String::new(), ..context });
    assert_eq!(in_files.map(|found| found.place), Some(Place::Files));
}

#[test]
fn typed_triggers_look_only_at_their_own_text() {
    let context = TaskContext {
        files: vec!["src\\auth\\Login.ts".into()],
        command: "git push --force".into(),
        error: "E0382: borrow of moved value".into(),
        ..task("deploy.sh, E0499 and lib/x.rs")
    };
    let hit = |trigger: Trigger| compile(&trigger).matches(&context).map(|found| (found.form, found.place));
    assert_eq!(hit(Trigger::Path("src/auth/*.ts".into())), Some((Form::Path, Place::Files)));
    assert_eq!(hit(Trigger::Path("lib/*.rs".into())), None);
    assert_eq!(hit(Trigger::Command("git push.*--force".into())), Some((Form::Command, Place::Command)));
    assert_eq!(hit(Trigger::Command("deploy".into())), None);
    assert_eq!(hit(Trigger::Error("E0382|E0505".into())), Some((Form::Error, Place::Error)));
    assert_eq!(hit(Trigger::Error("E0499".into())), None);
    assert_eq!(hit(text("borrow of moved")), None);
}

#[test]
fn an_expression_may_end_at_the_task_or_at_the_agent() {
    assert_eq!(form("^fix.*bug$", "fix this bug"), Some(Form::Regex));
    assert_eq!(form("^fix.*developer$", "fix this bug"), Some(Form::Regex));
}

#[test]
fn an_expression_that_names_nearly_all_of_what_it_found_says_as_much() {
    assert!(strength(r"50[0-9]\b", "the proxy answers 503 at night") > 0.9);
    assert!(strength(r"err[a-z]*", "errors of all kinds") < 0.3, "a common word stays one");
    assert!(strength(r"[a-z0-9]+3", "the proxy answers 503 at night") < 0.5, "a shape stays one");
}

#[test]
fn known_rarity_decides_which_word_of_a_sentence_counts() {
    let trigger = compile(&text("Caching proxies"));
    let asked = TaskText::new(&task("the proxies fail"));
    let rarity = |stem: &str| if stem == "proxi" { 0.9 } else { 0.1 };
    assert!(trigger.matches_text(&asked, None, &mut Work::default()).is_none());
    assert!(trigger.matches_text(&asked, Some(&rarity), &mut Work::default()).is_some());
}

#[test]
fn words_far_apart_are_no_sentence() {
    let filler = "lorem ".repeat(200);
    assert_eq!(form("caching proxies", &format!("caching {filler} proxies")), None);
    assert_eq!(form("caching proxies", &format!("{filler} proxies and caching {filler}")), Some(Form::Words));
}

#[test]
fn language_is_offered_to_whoever_compares_meaning() {
    assert_eq!(compile(&text(" When adding a flag ")).natural(), Some("When adding a flag"));
    assert_eq!(compile(&text("When adding a flag")).words(), ["ad", "flag"]);
    for trigger in [text("a.*b"), text("auth|login"), text("when you need to"), Trigger::Path("src".into())] {
        assert_eq!(compile(&trigger).natural(), None, "{trigger:?}");
    }
}

#[test]
fn what_linear_time_cannot_do_still_matches_weakly() {
    for (pattern, asked) in
        [(r"log.*(?=in)", "login"), (r"(\w)\1|zz*\1", "zzz"), ("^(?!.*test).*deploy", "deploy it")]
    {
        let found = strength(pattern, asked);
        assert!(found > 0.0 && found < USEFUL, "{pattern}: {found}");
    }
}

/// The strength of a `command` trigger on a command, 0 without a match.
fn on_command(pattern: &str, command: &str) -> f32 {
    let context = TaskContext { command: command.to_owned(), ..TaskContext::default() };
    compile(&Trigger::Command(pattern.to_owned())).matches(&context).map_or(0.0, |found| found.strength)
}

#[test]
fn a_bound_trigger_means_the_word_it_names_however_common() {
    for (pattern, command) in [
        ("make", "make test"),
        ("make", "cd build && make -j4"),
        ("test", "npm run test:unit"),
        ("rm", "rm -rf target"),
        ("go", "go build ./..."),
        ("python", "python3.12 -m venv x"),
        ("make .*", "make test"),
        ("^make", "make"),
        ("make|ninja", "ninja -C out"),
        (r"npm (run|test)", "npm test"),
        ("*make", "cmake -B out"),
        ("deploy", "./scripts/deploy.sh"),
        ("--force", "git push --force"),
    ] {
        assert!(on_command(pattern, command) >= 0.9, "{pattern} on {command}");
    }
    let error = |pattern: &str, error: &str| {
        let context = TaskContext { error: error.to_owned(), ..TaskContext::default() };
        compile(&Trigger::Error(pattern.to_owned())).matches(&context).map_or(0.0, |found| found.strength)
    };
    assert_eq!(error("null", "TypeError: x is null"), 1.0);
    assert_eq!(error(r"TS\d{4}", "src/a.ts(1,2): error TS2345: Argument"), 1.0);
    assert_eq!(error("超时", "请求超时了"), 1.0);
}

#[test]
fn a_bound_trigger_is_quiet_inside_other_words_and_where_it_names_nothing() {
    for (pattern, command) in [
        ("make", "cmake -B out"),
        ("make.*", "cmake -B out"),
        ("make", "makepkg -si"),
        ("rm", "terraform fmt"),
        ("test", "pytest -q"),
        ("rm", "docker run --rm image"),
        (".*", "make test"),
        (r"\w+", "make test"),
        ("-", "ls -l"),
        ("", "make"),
    ] {
        let found = on_command(pattern, command);
        assert!(found < crate::weights::Inject::TUNED.bound, "{pattern} on {command}: {found}");
    }
}
