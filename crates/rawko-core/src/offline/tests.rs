use super::*;

fn after(text: &str) -> Vec<String> {
    let run = Run { output: text.to_owned(), ..Run::default() };
    lessons(&run).into_iter().map(|lesson| format!("{:?}: {}", lesson.lore, lesson.text)).collect()
}

#[test]
fn a_constraint_with_its_reason_is_worth_remembering() {
    let found = after(
        "The server works again. `config/pool.yml` must keep `max_size: 5`, because the database allows 20 connections.",
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("Constraint: `config/pool.yml` must keep"));
}

#[test]
fn status_counts_and_talk_are_not() {
    for text in [
        "Done! All 42 tests pass and the linter is clean.",
        "I renamed the variable in `export.py` and committed the result. 3 files changed.",
        "Next steps: `deploy.sh` must be run by Maria on Tuesday.",
        "Thanks for the review, let me know if you need anything else in `src/main.rs`.",
        "Finished in 4.21s, 18 examples, 0 failures.",
    ] {
        assert_eq!(after(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_measurement_goes_and_the_rest_of_the_sentence_stays() {
    let found = after("`make check` needs `LC_ALL=C`, otherwise the sort order differs (12 passed in 3.4s).");
    assert_eq!(found, ["Constraint: `make check` needs `LC_ALL=C`, otherwise the sort order differs."]);
}

#[test]
fn counted_reasons_are_lessons_of_their_own_and_counted_steps_are_one() {
    let reasons = after(
        "Reasons: (1) `cache.dir` was missing in `.gitignore`, so stale objects were reused; (2) `--offline` must not be used, because the index is not vendored.",
    );
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    let steps = after(
        "How a table is renamed here: (1) `bin/lock`, (2) `bin/rename` and only then (3) `bin/unlock`, otherwise writes fail.",
    );
    assert_eq!(steps.len(), 1, "{steps:?}");
}

#[test]
fn what_was_injected_is_never_learned_again() {
    let fact = "The gateway `pay.internal` must be called with `--http1.1`, because it refuses HTTP/2.";
    let mut run = Run { output: fact.to_owned(), ..Run::default() };
    assert_eq!(lessons(&run).len(), 1);
    run.injected.push(format!("### Gateway\n\n{fact}"));
    assert!(lessons(&run).is_empty());
}

fn command(command: &str, exit: i32, output: &str) -> Step {
    Step::Command { command: command.to_owned(), exit: Some(exit), output: output.to_owned() }
}

#[test]
fn a_command_that_cured_a_failure_is_a_lesson() {
    let steps = vec![
        command(
            "poetry install",
            1,
            "Error: pyproject.toml changed significantly since poetry.lock was last generated",
        ),
        command("poetry lock --no-update", 0, "Resolving dependencies"),
        command("poetry install", 0, "Installing"),
    ];
    let found = lessons(&Run { steps, ..Run::default() });
    assert_eq!(found.len(), 1);
    assert!(found[0].text.contains("Run `poetry lock --no-update` first."), "{}", found[0].text);
    assert_eq!(
        found[0].commands,
        [("poetry install".to_owned(), 1), ("poetry lock --no-update".to_owned(), 0)]
    );
}

#[test]
fn code_that_makes_its_tests_pass_is_everyday_work() {
    let steps = vec![
        command("cargo test", 101, "error: assertion failed: left == right"),
        Step::Edit { file: "src/lib.rs".to_owned(), before: "1".to_owned(), after: "2".to_owned() },
        command("cargo test", 0, "ok"),
    ];
    assert!(lessons(&Run { steps, ..Run::default() }).is_empty());
}

#[test]
fn a_search_without_a_match_is_no_failure() {
    let steps = vec![
        command("grep -rn error: src", 1, "error: nothing was found here"),
        command("touch x", 0, ""),
        command("grep -rn error: src", 0, "a"),
    ];
    assert!(lessons(&Run { steps, ..Run::default() }).is_empty());
}

#[test]
fn a_person_who_corrects_is_listened_to() {
    let say = |by, text: &str| Step::Said { by, text: text.to_owned() };
    let steps = vec![
        say(Speaker::Person, "Add a cache. It must be fast."),
        say(Speaker::Agent, "I'll add one."),
        say(
            Speaker::Person,
            "No, we never keep tenant data in memory because nodes are shared. Please change it.",
        ),
        say(Speaker::Agent, "Changed."),
    ];
    let found = lessons(&Run { steps, ..Run::default() });
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].text, "we never keep tenant data in memory because nodes are shared.");
    assert!(found[0].by_person);
}

#[test]
fn a_look_into_one_file_leaves_nothing() {
    let steps = vec![
        Step::Read { file: "src/a.rs".to_owned() },
        Step::Said {
            by: Speaker::Agent,
            text: "`clip` in `src/a.rs` must return `0`, because it never fails.".to_owned(),
        },
    ];
    assert!(lessons(&Run { steps, ..Run::default() }).is_empty());
}

#[test]
fn a_proposal_says_when_it_is_wanted_and_what_it_rests_on() {
    let text = "`src/auth/token.rs` must call `refresh_token()` with `--grace 30`, otherwise sessions die.";
    let run = Run {
        agent: "developer".to_owned(),
        task: "Fix logins".to_owned(),
        output: text.to_owned(),
        ..Run::default()
    };
    let proposals = extract_offline(&run, "2026-01-23T10:30:00Z".parse().expect("a time"));
    let front = &proposals[0].entry.frontmatter;
    assert!(
        front.when_to_use.contains(&crate::Trigger::Path("src/auth/token.rs".to_owned())),
        "{:?}",
        front.when_to_use
    );
    assert_eq!(front.evidence[0]["file"], "src/auth/token.rs");
    assert_eq!(front.discovered_in.as_deref(), Some("Task: Fix logins"));
    assert_eq!(front.tags, ["constraints"]);
}

#[test]
fn no_text_stops_the_rules() {
    let mut hostile = vec![
        "`".repeat(5_000),
        "(1) ".repeat(2_000),
        "must ".repeat(3_000),
        "a.".repeat(5_000),
        "(".repeat(5_000),
    ];
    hostile.push("\u{200d}é. Ä`漢字` must (".repeat(300));
    hostile.push(format!("{}: because", "x".repeat(9_000)));
    for text in hostile {
        let _ = after(&text);
        let step = command(&text, 1, &format!("error: {text}"));
        let _ = lessons(&Run { steps: vec![step.clone(), command("x y", 0, ""), step], ..Run::default() });
    }
}

fn say(by: Speaker, text: &str) -> Step {
    Step::Said { by, text: text.to_owned() }
}

fn edit(file: &str, after: &str) -> Step {
    Step::Edit { file: file.to_owned(), before: String::new(), after: after.to_owned() }
}

fn told(steps: Vec<Step>) -> Vec<String> {
    lessons(&Run { steps, ..Run::default() }).into_iter().map(|lesson| lesson.text).collect()
}

#[test]
fn what_the_run_found_wrong_is_not_learned() {
    let suspicion = "The lock in `queue.rs` fails because `drain()` must hold it.";
    let run = |later: &str| {
        let failed = command("cargo bench", 1, "error: it is slow as ever");
        told(vec![failed, say(Speaker::Agent, suspicion), say(Speaker::Agent, later), edit("x.rs", "1")])
    };
    assert_eq!(run("Measuring again."), [suspicion]);
    for later in [
        "So it was not the lock.",
        "That wasn't it.",
        "A red herring.",
        "It has nothing to do with the lock.",
    ] {
        assert_eq!(run(later), Vec::<String>::new(), "{later}");
    }
    let guess = "Probably `drain()` in `queue.rs` fails because the lock must be held.";
    let steps = vec![say(Speaker::Agent, guess), edit("queue.rs", "1")];
    assert_eq!(told(steps), Vec::<String>::new());
}

#[test]
fn a_pronoun_gets_the_name_it_stands_for() {
    let found = after(
        "`ref_no` must be sent with every order, because the partner drops repeats by it. It takes 9 characters at most, so `short_ref()` cuts the year.",
    );
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().any(|text| text.contains("`ref_no` takes 9 characters at most")), "{found:?}");
}

#[test]
fn two_statements_about_two_names_are_two_memories() {
    let found = after(
        "`min_idle` in `pool.toml` must stay above 2 because the first query times out, and `max_age` must not exceed 300 because the proxy cuts older ones.",
    );
    assert_eq!(found.len(), 2, "{found:?}");
    let chain = after(
        "`a.rs` reads the file; `b.rs` must sort it because readers expect that; `c.rs` writes only what changed.",
    );
    assert_eq!(chain.len(), 1, "{chain:?}");
}

#[test]
fn a_sentence_that_says_what_follows_stays_with_its_cause() {
    let found =
        after("The converter `to_utc.rs` stamped local times as UTC. Bookings were therefore shifted.");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("therefore shifted"), "{found:?}");
}

#[test]
fn a_remark_between_a_failure_and_the_change_explains() {
    let remark = "`open_strict` throws for folders that are links.";
    let failed = command("bin/import", 1, "error: is a directory, not a file");
    let steps =
        vec![failed, say(Speaker::Agent, remark), edit("import.rb", "open_any"), command("ls", 0, "")];
    assert_eq!(told(steps.clone()), [remark]);
    assert_eq!(told(steps[1..].to_vec()), Vec::<String>::new());
}

#[test]
fn a_report_of_what_was_changed_is_no_lesson() {
    for text in [
        "`new_menu` is gone from `menu.tsx`; the other branch was removed as well.",
        "The snapshot of `Menu` had to be updated.",
        "We could split `Store` by tenant, and we might need a router in `front.rs`.",
        "12 imports were changed in `src/index.ts`.",
    ] {
        assert_eq!(after(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_rule_that_a_person_adds_is_heard_before_the_agent_began() {
    let rule = "colours come from palette.json, never write hex values in components";
    let steps = vec![
        say(Speaker::Person, "Add a dark mode."),
        say(Speaker::Person, rule),
        edit("theme.ts", "dark"),
        say(Speaker::Agent, "Done."),
    ];
    assert_eq!(told(steps), [format!("{rule}.")]);
}

#[test]
fn a_command_is_told_without_serial_numbers_and_keys() {
    let run = |flag: &str| format!("API_TOKEN=open-sesame tool -s R90417 deploy{flag}");
    let steps =
        vec![command(&run(""), 1, "error: the region is missing"), command(&run(" --region eu"), 0, "")];
    let found = told(steps);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("`API_TOKEN=… tool -s <id> deploy --region eu` works"), "{found:?}");
    assert!(!found[0].contains("R90417") && !found[0].contains("sesame"));
}

#[test]
fn what_git_says_of_a_clone_teaches_nothing() {
    let steps = vec![
        command("git branch -d old", 1, "error: the branch 'old' is not fully merged"),
        command("git branch -D old", 0, "Deleted"),
    ];
    assert_eq!(told(steps), Vec::<String>::new());
}

#[test]
fn an_echo_is_cut_out_of_what_the_agent_says() {
    let known = "The cluster is reachable only through the bastion `jump.example`.";
    let own = "`HEARTBEAT_MS` must stay below the timeout of the ingress, otherwise clients are dropped.";
    let run = Run { output: format!("{known} {own}"), injected: vec![known.to_owned()], ..Run::default() };
    let found: Vec<String> = lessons(&run).into_iter().map(|lesson| lesson.text).collect();
    assert_eq!(found, [own]);
}

/// A run in which a person objects.
fn corrected(text: &str) -> Run {
    let steps = vec![
        say(Speaker::Person, "Add the dependency."),
        command("npm install left-pad", 0, "added 1 package"),
        say(Speaker::Agent, "I installed it."),
        say(Speaker::Person, text),
        say(Speaker::Agent, "Understood."),
    ];
    Run { task: "Add the dependency.".to_owned(), steps, ..Run::default() }
}

#[test]
fn what_a_person_says_to_keep_is_kept() {
    for (said, kept) in [
        ("No, we use pnpm here, not npm", "we use pnpm here, not npm."),
        ("remember: amounts are in cents", "amounts are in cents."),
        ("Please remember that amounts are in cents.", "amounts are in cents."),
        ("Stop. Never push to main.", "Never push to main."),
        ("Remember to bump the schema version.", "Bump the schema version."),
        ("Remember: `.env.test` has the keys.", "`.env.test` has the keys."),
        ("ok. from now on, run the linter first!", "run the linter first!"),
        ("Looks good. For next time: ask before you delete a branch.", "ask before you delete a branch."),
        ("We don't mock the database in tests.", "We don't mock the database in tests."),
        ("In this repo migrations must be reversible.", "In this repo migrations must be reversible."),
        (
            "Remember this.\n\nThe staging box is rebuilt every night.",
            "The staging box is rebuilt every night.",
        ),
    ] {
        let found = lessons(&corrected(said));
        let is_it =
            |lesson: &Lesson| lesson.by_person && lesson.text.to_lowercase().contains(&kept.to_lowercase());
        assert!(found.iter().any(is_it), "{said}: {found:?}");
        assert!(
            wished(&found[0].text, &super::wishes::wishes(&corrected(said)))
                == crate::admission::Wished::Wholly,
            "{said}"
        );
    }
}

#[test]
fn what_a_person_says_first_or_of_a_question_is_kept_where_they_say_so() {
    let steps = vec![
        say(Speaker::Person, "Where is the retry set? And remember: retries are for reads only."),
        say(Speaker::Agent, "In `a.rs`."),
    ];
    let found = lessons(&Run { task: "Where is the retry set?".to_owned(), steps, ..Run::default() });
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].text, "Retries are for reads only.");
}

#[test]
fn what_a_person_only_asks_for_or_shows_is_not() {
    for said in [
        "Do you remember what we did yesterday?",
        "never mind, go on",
        "I have never seen this error.",
        "Always the same error, look again please.",
        "We don't know yet why it fails, look again.",
        "We need to fix this first.",
        "Use a map there, please.",
        "The issue says:\n\n> Never run the tests as root.\n\n```\nremember: rm -rf\n```\n\nlook into it",
    ] {
        assert_eq!(super::wishes::wishes(&corrected(said)), Vec::<String>::new(), "{said}");
    }
    assert_eq!(super::wishes::wishes(&corrected("The 5\" box is gone. Never push to main.")).len(), 1);
    let many = vec![say(Speaker::Person, &"We use one thing here, not another. ".repeat(500)); 400];
    assert_eq!(super::wishes::wishes(&Run { steps: many, ..Run::default() }).len(), 8);
    let pasted = "Never do a thing like this. ".repeat(40);
    assert_eq!(super::wishes::wishes(&corrected(&pasted)).len(), 3);
}

#[test]
fn what_is_to_be_done_once_is_no_wish_and_a_rule_about_an_end_is_one() {
    let heard = |said: &str| !super::wishes::wishes(&corrected(said)).is_empty();
    for said in [
        "remember: the license text goes at the end of every file",
        "from now on I want a test for every endpoint",
        "use uv, not pip",
        "You must run ruff before each commit",
        "next time please check the Makefile first",
        "when you add an endpoint, also add it to the openapi file",
    ] {
        assert!(heard(said), "{said}");
    }
    for said in [
        "from now on I will be in a meeting",
        "Remember to push when you are done.",
        "my colleague says: always use black. I disagree",
        "i never ran cargo on this machine",
        "can you make it prettier rather than larger",
    ] {
        assert!(!heard(said), "{said}");
    }
}

#[test]
fn what_only_sounds_like_a_wish_is_none() {
    for said in [
        "Can you remember the test that broke yesterday?",
        "Can you remember that weird bug we had?",
        "Never saw this error before today.",
        "We never got around to that one.",
        "Why is it red? It's the lint rule again.",
        "Fix the build. It's the convention checker again.",
        "Use 5\" here and there, ok.\n```\nx \"y\n\nremember: rm the cache every friday\n\nz\" w\n```",
        "The 5\" box is here.\n\nThe issue says: \"look at this. Never run the tests as root.\"",
    ] {
        assert_eq!(wishes(&corrected(said)), Vec::<String>::new(), "{said}");
    }
    let mut run = corrected("I like this layout. Remember this!");
    run.steps.push(say(Speaker::Person, "Run the tests again now."));
    assert_eq!(wishes(&run), Vec::<String>::new(), "what follows is another message");
}

#[test]
fn a_wish_is_heard_however_it_is_typed_and_takes_no_summarys_place() {
    for said in
        ["Don’t forget to bump the schema.", "dont forget to bump the schema", "remember: \"x\n\nBump it."]
    {
        assert_eq!(wishes(&corrected(said)).len(), 1, "{said}");
    }
    let mut run = corrected("remember: amounts are in cents");
    let bullet = |n: usize| {
        format!("- `src/a{n}.rs` must keep `LIMIT_{n}` at {n}, because service {n} allows no more.\n")
    };
    let summary: String = (10..30).map(bullet).collect();
    run.steps.push(say(Speaker::Agent, &summary));
    assert!(lessons(&run).iter().any(|lesson| lesson.text.contains("cents")));
    let sealed = corrected("No allocation after init. That's a hard rule on this board.");
    assert_eq!(wishes(&sealed), ["No allocation after init. That's a hard rule on this board."]);
}

#[test]
fn names_in_code_keep_their_letters_in_titles() {
    for (text, title) in [
        ("listOrders must be called with a user id.", "listOrders must be called with a user id"),
        ("`verify` must run before the release.", "verify must run before the release"),
        ("amounts are in cents.", "Amounts are in cents"),
    ] {
        assert_eq!(super::lesson::title(text), title);
    }
}

/// What a person says in one message, after the agent began: the texts of the memories that it becomes, in the order of what is said.
fn rules_of(said: &str) -> Vec<String> {
    let mut found: Vec<String> = lessons(&corrected(said)).into_iter().map(|lesson| lesson.text).collect();
    let lower = said.to_lowercase();
    let place = |text: &String| {
        let start: Vec<&str> = text.split_whitespace().take(3).collect();
        lower.find(&start.join(" ").to_lowercase()).unwrap_or(usize::MAX)
    };
    found.sort_by_key(place);
    found
}

#[test]
fn each_rule_of_a_message_is_a_memory_of_its_own() {
    for (said, rules) in [
        (
            "always run ruff before committing, and never touch generated/ by hand. Also the API port is 8088 not 8080",
            &[
                "Always run ruff before committing.",
                "Never touch generated/ by hand.",
                "The API port is 8088 not 8080.",
            ][..],
        ),
        (
            "from now on use uv instead of pip and always pin versions in `requirements.txt`",
            &["Use uv instead of pip.", "Always pin versions in `requirements.txt`"],
        ),
        (
            "Never call `pay.internal` without `--http1.1`, and always log to `audit.log`, because the auditors read that.",
            &[
                "Never call `pay.internal` without `--http1.1`.",
                "Always log to `audit.log`, because the auditors read that.",
            ],
        ),
        (
            "two things: never use `any` in TypeScript. always write tests with vitest, not jest",
            &["Never use `any` in TypeScript.", "Always write tests with vitest, not jest."],
        ),
    ] {
        assert_eq!(rules_of(said), rules, "{said}");
    }
}

#[test]
fn a_rule_and_its_reason_are_one_memory() {
    for said in [
        "Use pnpm, because npm breaks the lockfile.",
        "When you add an endpoint, update `openapi.yaml` and run `make client`.",
        "Always use the logger, never print, because stdout is parsed by the runner.",
        "Never edit `generated/` and always regenerate it with `make gen`.",
    ] {
        assert_eq!(rules_of(said), [said], "{said}");
    }
}

#[test]
fn what_is_said_for_the_moment_does_not_last() {
    for said in [
        "never mind, that was my fault",
        "never mind about the cache, always happens",
        "wait, don't run that yet",
        "hold on, don't run that migration script yet please",
        "don't run the migration before I say so",
        "don't start with the refactoring yet, first the bug",
        "wait until I have pulled before you run anything",
        "don't touch the config for now",
        "don't use that file, use the other one",
        "don't add tests for this one",
        "do not commit this",
        "only run the unit tests this time",
        "never had this problem with npm",
        "don't forget to push",
    ] {
        for message in
            [said.to_owned(), format!("i saw it. {said}. i look at the log now"), format!("i saw it. {said}")]
        {
            assert_eq!(rules_of(&message), Vec::<String>::new(), "{message}");
        }
    }
}

#[test]
fn a_rule_of_all_or_of_a_kind_that_is_said_alone_lasts() {
    for said in [
        "Don't read .env files.",
        "Every endpoint needs an entry in openapi.yaml.",
        "Each migration needs a rollback.",
        "All handlers need a test.",
        "Do not edit files in dist/.",
        "Don't push to main directly.",
        "Never seed the production database.",
        "Never feed raw user input into the parser.",
        "Never proceed with a migration without a backup.",
        "Never embed credentials in the image.",
        "Never rebase a branch that is not yet merged.",
        "Always compute ages relative to today.",
    ] {
        assert_eq!(rules_of(said), [said], "{said}");
    }
}

#[test]
fn what_is_to_be_remembered_of_the_work_at_hand_is_no_wish() {
    let heard = |said: &str| !super::wishes::wishes(&corrected(said)).is_empty();
    for said in [
        "don't forget the comma there",
        "remember to close the bracket",
        "remember to update the docs too",
        "don't forget to save the file",
    ] {
        assert!(!heard(said), "{said}");
    }
    for said in [
        "remember to run the linter before each commit",
        "don't forget: the api key is in 1password",
        "remember the staging db is reset nightly",
        "Don't forget that amounts are cents",
        "I never use var in this codebase",
    ] {
        assert!(heard(said), "{said}");
    }
}
