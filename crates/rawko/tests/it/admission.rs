//! What becomes of proposals, on disk and in the log.

use rawko::core::{Run, Speaker, Step};
use rawko::{Channel, Circumstances, Decision, How, Importance, Proposal, Slug, Status, Trust, Whose};

use crate::rig::{Rig, entry, plain, proposal};

const TRUE_FACT: &str = "`enqueue_job` in `src/queue.rs` drops a job silently when `MAX_TRIES` is reached, so nothing alerts on it.";

#[test]
fn a_proved_fact_becomes_active_and_the_second_time_nothing_is_stored() {
    let rig = Rig::new();
    let first =
        rig.engine().admit(&proposal("Jobs are dropped silently", TRUE_FACT), &plain(), Channel::Agent);
    assert_eq!(first.expect("judged").admission.decision, Decision::Accept);
    assert!(rig.injected("why is a job lost in the queue").contains("drops a job silently"));
    let again =
        rig.engine().admit(&proposal("Dropped jobs", TRUE_FACT), &plain(), Channel::Agent).expect("judged");
    assert_eq!(again.admission.decision, Decision::Refuse);
    assert_eq!(again.admission.reason.to_string(), "`jobs-are-dropped-silently` says it already");
    assert!(again.saved.is_none());
}

#[test]
fn two_facts_about_one_file_are_two_facts() {
    let known = entry(
        "Jobs carry a key",
        "Every call in src/queue.rs carries a key. Without one a retry runs twice.",
    );
    for other in [
        "src/queue.rs must never log the payload, because the logs go to a third party.",
        "src/queue.rs must talk to the sandbox host on weekends, because production is frozen.",
        "Amounts in src/queue.rs are in cents, because floats lost money once.",
    ] {
        let rig = Rig::new();
        rig.engine().add(&known, Whose::Project, Channel::Agent).expect("added");
        let title = other.split([',', ';']).next().unwrap_or(other);
        let judged = rig.engine().admit(&proposal(title, other), &plain(), Channel::Agent).expect("judged");
        let decision = judged.admission.decision;
        assert!(
            !matches!(decision, Decision::Refuse | Decision::Contradict(_)),
            "{other}: {}",
            judged.admission.reason
        );
    }
}

#[test]
fn a_text_that_lies_about_is_no_instruction() {
    let rig = Rig::new();
    rig.file("run.txt", TRUE_FACT);
    let judged =
        rig.engine().admit(&proposal("Jobs are dropped silently", TRUE_FACT), &plain(), Channel::Agent);
    assert_eq!(judged.expect("judged").admission.decision, Decision::Accept);
    let told = Rig::new();
    told.file("CONTRIBUTING.md", TRUE_FACT);
    let judged =
        told.engine().admit(&proposal("Jobs are dropped silently", TRUE_FACT), &plain(), Channel::Agent);
    assert_eq!(
        judged.expect("judged").admission.reason.to_string(),
        "it restates CONTRIBUTING.md, which every agent is given"
    );
}

#[test]
fn every_decision_is_logged_with_its_reason_also_a_no() {
    let rig = Rig::new();
    let refused = proposal("Done", "The endpoint was added successfully and all 12 tests pass.");
    rig.engine().admit(&refused, &plain(), Channel::Agent).expect("judged");
    let line = rig.engine().decisions(5).expect("a log").remove(0);
    assert_eq!(line["decision"], "refuse");
    assert_eq!(line["why"], "it reads like a report of one run");
    assert_eq!(line["reasoning"], "it seemed useful");
}

#[test]
fn what_cannot_be_checked_waits_by_default() {
    let rig = Rig::new();
    let told =
        proposal("Staging is slow", "Staging needs `STAGE_WARMUP=1`, otherwise the first call times out.");
    let held = rig.engine().admit(&told, &plain(), Channel::Agent).expect("judged");
    assert_eq!(held.admission.decision, Decision::Hold);
    let memory = rig.engine().show(&held.saved.expect("saved").slug).expect("stored").memory;
    assert_eq!(memory.now().expect("a fold").status, Status::Pending);
    assert!(!rig.injected("staging is slow, first call").contains("STAGE_WARMUP"));
}

#[test]
fn an_update_is_appended_and_a_waiting_one_never_silences_what_is_known() {
    let rig = Rig::new();
    let engine = rig.engine();
    let known = entry("Jobs are dropped silently", TRUE_FACT);
    let slug = engine.add(&known, rawko::Whose::Project, Channel::Agent).expect("added").slug;
    let more = "Jobs that `enqueue_job` in `src/queue.rs` drops leave a line in `dropped.log`; read it before retrying.";
    let update = Proposal { update_of: Some(slug.clone()), ..proposal("Jobs are dropped silently", more) };
    let added = rig.engine().admit(&update, &plain(), Channel::Agent).expect("judged");
    assert_eq!(added.admission.decision, Decision::Update(slug.clone()));
    let unproved = Proposal {
        update_of: Some(slug.clone()),
        ..proposal(
            "Jobs are dropped silently",
            "The dropped jobs come back after `RETRY_ALL=1`, unless the disk is full.",
        )
    };
    let held = rig.engine().admit(&unproved, &plain(), Channel::Agent).expect("judged");
    assert_eq!(held.admission.decision, Decision::Hold);
    assert_ne!(held.saved.expect("saved").slug, slug);
    let block = rig.injected("why is a job dropped by the queue");
    assert!(block.contains("dropped.log") && !block.contains("RETRY_ALL"), "{block}");
}

#[test]
fn a_contradiction_is_appended_with_what_it_replaces() {
    let rig = Rig::new();
    let engine = rig.engine();
    let slug = engine
        .add(
            &entry("Tries of a job", "`MAX_TRIES` in `src/queue.rs` is 3: a job is tried three times."),
            rawko::Whose::Project,
            Channel::Agent,
        )
        .expect("added")
        .slug;
    let changed = proposal(
        "A job is tried five times",
        "`MAX_TRIES` in `src/queue.rs` is 5, not 3: a job is tried five times.",
    );
    let found = rig.engine().admit(&changed, &plain(), Channel::Agent).expect("judged");
    assert_eq!(found.admission.decision, Decision::Contradict(slug.clone()));
    let memory = rig.engine().show(&slug).expect("there").memory;
    assert_eq!(memory.entries.last().expect("an entry").entry.frontmatter.supersedes, [slug.as_str()]);
    assert_eq!(
        memory.now().expect("a fold").title,
        "A job is tried five times",
        "not what is not so any more"
    );
}

#[test]
fn what_would_change_a_persons_memory_waits_beside_it() {
    let old = "`MAX_TRIES` in `src/queue.rs` is 3: a job is tried three times.";
    let other = "`MAX_TRIES` in `src/queue.rs` is 5, not 3: a job is tried five times.";
    let more =
        "`enqueue_job` in `src/queue.rs` reads `MAX_TRIES` once at its start, so a change needs a restart.";
    for (known_by, is_update, text) in [
        (Channel::Person, false, other),
        (Channel::Person, true, more),
        (Channel::Person, false, more),
        (Channel::Agent, false, other),
        (Channel::Agent, true, more),
    ] {
        let rig = Rig::new();
        let mut known = entry("Tries of a job", old);
        known.frontmatter.discovered_by = "ada".to_owned();
        let slug = rig.engine().add(&known, Whose::Project, known_by).expect("added").slug;
        let update_of = is_update.then(|| slug.clone());
        let told = Proposal { update_of, ..proposal("Tries of a job", text) };
        let found = rig.engine().admit(&told, &plain(), Channel::Agent).expect("judged");
        let memory = rig.engine().show(&slug).expect("there").memory;
        let block = rig.injected("how often is a job of the queue tried");
        if known_by == Channel::Agent {
            assert_ne!(found.admission.decision, Decision::Hold, "{text}");
            assert_eq!(memory.entries.len(), 2);
            let (newest, oldest) = (block.find(&text[..40]), block.find("three times"));
            assert!(newest < oldest && newest.is_some(), "{block}");
            assert!(block.contains("\n*Discovered by: ada*\n\n"), "{block}");
        } else {
            assert_eq!(found.admission.decision, Decision::Hold, "{text}");
            let why = "it would change `tries-of-a-job`, which is a person's";
            assert_eq!(found.admission.reason.to_string(), why);
            assert_eq!(memory.entries.len(), 1);
            assert!(block.contains("three times") && !block.contains(&text[..40]), "{block}");
        }
    }
}

#[test]
fn lineage_min() {
    let rig = Rig::new();
    let facts = [
        "`enqueue_job` in `src/queue.rs` must not be called twice",
        "Raise `MAX_TRIES` in `src/queue.rs` only with the night shift's word",
    ];
    for (lowest, fact) in [Trust::Untrusted, Trust::Imported].into_iter().zip(facts) {
        let from_web = Circumstances { lowest: Some(lowest), ..plain() };
        let body = format!("{fact}: so says a page.");
        let found = rig.engine().admit(
            &proposal(&format!("Said by a page {}", lowest.as_str()), &body),
            &from_web,
            Channel::Agent,
        );
        let found = found.expect("judged");
        assert_eq!(found.admission.decision, Decision::Hold);
        let memory = rig.engine().show(&found.saved.expect("saved").slug).expect("stored").memory;
        assert_eq!(memory.now().expect("a fold").trust, lowest);
    }
    assert_eq!(rig.injected("enqueue_job is called twice"), "");
}

#[test]
fn an_agent_cannot_approve_or_replace_by_proposing() {
    let rig = Rig::new();
    let mut bold = proposal("Bold", TRUE_FACT);
    bold.entry.frontmatter.status = Some(Status::Active);
    bold.entry.frontmatter.supersedes = vec!["jobs".to_owned()];
    let found = rig.engine().admit(&bold, &plain(), Channel::Agent).expect("judged");
    let front = &rig.engine().show(&found.saved.expect("saved").slug).expect("stored").memory.entries[0]
        .entry
        .frontmatter
        .clone();
    assert!(front.supersedes.is_empty() && front.status.is_none());
}

#[test]
fn a_clone_does_not_make_the_agent_forget() {
    let rig = Rig::new();
    rig.file(".rawko/memories/jobs.md", &entry("Jobs are dropped silently", TRUE_FACT).to_text());
    let found =
        rig.engine().admit(&proposal("Dropped jobs", TRUE_FACT), &plain(), Channel::Agent).expect("judged");
    assert_eq!(found.admission.decision, Decision::Accept);
}

#[test]
fn no_secret_on_disk() {
    let secrets = [
        format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
        format!("sk_live_{}", "4eC39HqLyjWDarjtT1zdp7dc"),
        "Tr0ub4dor-and-3".to_owned(),
        "9fk2j3h49fk2j3h49fk2j3h49fk2j3h4".to_owned(),
    ];
    let mut everything = String::new();
    for (n, secret) in secrets.iter().enumerate() {
        let rig = Rig::new();
        let (title, body) = (
            format!("Login {n} {}", if n == 0 { secret } else { "" }),
            format!(
                "`enqueue_job` in `src/queue.rs` needs `SECRET_KEY={secret}`, the address postgres://app:{secret}@db.internal/x, and the token {secret}, otherwise it fails."
            ),
        );
        let mut told = proposal(&title, &body);
        told.reasoning = format!("The run used the password={secret} successfully");
        told.entry.frontmatter.tags = vec![format!("token={secret}")];
        told.entry.frontmatter.discovered_in = Some(format!("log in with api_key={secret}"));
        let found = rig.engine().admit(&told, &plain(), Channel::Agent).expect("judged");
        assert_ne!(found.admission.decision, Decision::Refuse, "{}", found.admission.reason);
        let task = rawko::TaskContext::of(format!("deploy with token={secret}"));
        let engine = rig.engine();
        let injection = engine.inject(&task, &rawko::Wish::default()).expect("an injection");
        let receipt = injection.receipt("r1", &task, engine.now());
        engine.keep_receipt(&receipt).expect("kept");
        everything.push_str(&rig.everything());
    }
    assert!(everything.contains("‹secret:"), "something was written");
    for secret in &secrets {
        assert!(!everything.contains(secret.as_str()), "{secret} is on disk");
    }
}

#[test]
fn slugs_of_proposals_are_found_by_name() {
    let rig = Rig::new();
    rig.engine()
        .admit(&proposal("Jobs are dropped silently", TRUE_FACT), &plain(), Channel::Agent)
        .expect("judged");
    assert!(rig.engine().show(&Slug::from_title("Jobs are dropped silently")).is_ok());
}

#[test]
fn what_admission_proved_becomes_evidence_and_goes_stale_at_injection() {
    let rig = Rig::new();
    let told =
        rig.engine().admit(&proposal("Jobs are dropped silently", TRUE_FACT), &plain(), Channel::Agent);
    let evidence = told.expect("judged").admission.entry.frontmatter.evidence;
    assert_eq!(
        (&evidence[0]["file"], &evidence[0]["symbol"]),
        (&"src/queue.rs".into(), &"enqueue_job".into())
    );
    assert!(evidence[0]["hash"].as_str().is_some_and(|hash| !hash.is_empty()), "{evidence}");
    let stale = || {
        let task = rawko::TaskContext::of("why is a job lost in the queue");
        rig.engine().inject(&task, &rawko::Wish::default()).expect("an injection").considered[0].stale.clone()
    };
    assert_eq!(stale(), None);
    rig.file("src/queue.rs", "pub fn enqueue_job() { retry() }\nconst MAX_TRIES: u32 = 5;\n");
    assert!(stale().is_some_and(|why| why.contains("enqueue_job")), "{:?}", stale());
    rig.file("src/queue.rs", "pub fn enqueue_job() {}\nconst MAX_TRIES: u32 = 5;\n");
    assert_eq!(stale(), None, "what is as it was is fresh again");
}

#[test]
fn a_path_is_no_claim_where_its_folder_is_said_to_be_gone() {
    let why = |text: &str| {
        let rig = Rig::new();
        let judged = rig.engine().admit(&proposal("Where the broker is", text), &plain(), Channel::Agent);
        judged.expect("judged").admission.reason.to_string()
    };
    let missing = "Retries are counted in `src/broker/retry.rs`, so `src/queue.rs` never waits.";
    assert_eq!(why(missing), "the repository has no path `src/broker/retry.rs`");
    let old = "On older kernels, retired in 2024, retries are counted in `src/broker/retry.rs`, so `src/queue.rs` waits.";
    assert_eq!(why(old), "the repository has no path `src/broker/retry.rs`");
    let gone = "The folder `src/broker` was dissolved since 2.5. Tickets still point to `src/broker/retry.rs`, \
                but a job is dropped in `src/queue.rs`, so look there.";
    assert!(!why(gone).contains("no path"), "{}", why(gone));
}

#[test]
fn a_word_of_absence_excuses_only_the_path_that_it_is_about() {
    let why = |text: &str| {
        let rig = Rig::new();
        let judged = rig.engine().admit(&proposal("Where the broker is", text), &plain(), Channel::Agent);
        judged.expect("judged").admission.reason.to_string()
    };
    for about_something_else in [
        "Jobs were removed from `src/queue.rs`, so retries are counted in `src/broker/retry.rs`.",
        "The earlier broker is slow, so retries are counted in `src/broker/retry.rs` and never in `src/queue.rs`.",
        "`src/broker/old.rs` was removed, so retries are counted in `src/broker/retry.rs` and `src/queue.rs` waits.",
        "A lost job is counted in `src/queue.rs`, so its retry is in `src/broker/retry.rs`, which must not wait.",
    ] {
        let why = why(about_something_else);
        assert_eq!(why, "the repository has no path `src/broker/retry.rs`", "{about_something_else}");
    }
    for about_it in [
        "`src/broker/retry.rs` was removed, so a job is dropped in `src/queue.rs` without a word.",
        "`src/broker/retry.rs`, removed in 2.5, counted the tries that `src/queue.rs` must count now.",
        "`src/broker/retry.rs` and `src/broker/wait.rs` no longer exist, so `src/queue.rs` drops a job.",
        "In earlier versions, tries were counted in `src/broker/retry.rs`, but `src/queue.rs` must count them now.",
        "There is no `src/broker/retry.rs`, because `src/queue.rs` drops a job that fails.",
        "Tries are counted in `src/queue.rs` (earlier in `src/broker/retry.rs`), so look there.",
    ] {
        assert!(!why(about_it).contains("no path"), "{about_it}: {}", why(about_it));
    }
}

#[test]
fn a_word_of_absence_excuses_no_name_of_another_clause() {
    let why = |text: &str| {
        let rig = Rig::new();
        let judged = rig.engine().admit(&proposal("Tries", text), &plain(), Channel::Agent);
        judged.expect("judged").admission.reason.to_string()
    };
    let other =
        "The earlier broker is slow, so `src/queue.rs` must ask `retry_later` before a job is dropped.";
    assert_eq!(why(other), "the repository has no name `retry_later`");
    for about_it in [
        "`retry_later` was removed, so `src/queue.rs` must drop a job without a word.",
        "`src/queue.rs` must drop a job without a word, because `retry_later` is gone.",
        "In earlier versions, `src/queue.rs` had to ask `retry_later`, but a job must be dropped now.",
    ] {
        assert!(!why(about_it).contains("no name"), "{about_it}: {}", why(about_it));
    }
}

#[test]
fn options_and_versions_are_looked_up_where_the_project_declares_them() {
    let why = |text: &str| {
        let rig = Rig::new();
        rig.file(
            "src/Command/Remind.php",
            "#[AsCommand(name: 'shop:remind')]\n$this->addOption('dry-run');\n",
        );
        rig.file(
            "lib/mix/tasks/replay.ex",
            "defmodule Mix.Tasks.Shop.Replay do\n  strict: [from: :string]\nend\n",
        );
        rig.file("lib/shop/alarms.ex", "defmodule Shop.Alarms do\n  def check(x), do: x\nend\n");
        rig.file(
            "CMakeLists.txt",
            "option(SHOP_TRACE \"trace\" OFF)\nFetchContent_Declare(Catch2\n  GIT_TAG v3.5.4)\n",
        );
        let judged = rig.engine().admit(&proposal("How it is run", text), &plain(), Channel::Agent);
        judged.expect("judged").admission.reason.to_string()
    };
    for (text, missing) in [
        ("`bin/console shop:remind --since=3` must run after an outage.", "option `--since`"),
        ("`mix shop.replay --speed 2 a.csv` is needed, because it is slow.", "option `--speed`"),
        ("Configure with `-DSHOP_FAST=ON`, because tests are slow.", "option `-DSHOP_FAST=ON`"),
        ("`Alarms.mute/2` must be called before a restart.", "name `Alarms.mute`"),
        ("Tests need Catch2 v3.7.1 because of the matchers.", "version `catch2 3.7.1`"),
    ] {
        assert_eq!(why(text), format!("the repository has no {missing}"), "{text}");
    }
    for known in [
        "`bin/console shop:remind --dry-run` must run before a release.",
        "`mix shop.replay --from 2 a.csv` is needed, because it is slow.",
        "Configure with `-DSHOP_TRACE=ON -DCMAKE_BUILD_TYPE=Debug`, because the log is empty otherwise.",
        "`Alarms.check/1` must be called before a restart.",
        "Tests need Catch2 v3.5.4 because of the matchers.",
    ] {
        assert!(!why(known).contains("has no"), "{known}: {}", why(known));
    }
}

/// What becomes of a text of which nobody knows whose words it repeats.
fn told(title: &str, body: &str) -> (Decision, String) {
    let found = Rig::new().engine().consider(&proposal(title, body), &Circumstances::default());
    let found = found.expect("judged");
    (found.decision, found.reason.to_string())
}

#[test]
fn every_clause_of_a_tools_text_is_proved_or_goes_on_about_what_is() {
    let fact = "`enqueue_job` in `src/queue.rs` must stop at `MAX_TRIES`";
    for goes_on in [
        ", because the broker counts no further.",
        " because the broker counts no further.",
        ", and it must not log.",
        ", since `MAX_TRIES` counts from 1.",
        ", otherwise they run twice.",
        ", which is checked when a job fails.",
        " and `enqueue_job` in `src/queue.rs` must not wait.",
        ".",
    ] {
        let (decision, why) = told("Tries of a job", &format!("{fact}{goes_on}"));
        assert_eq!(decision, Decision::Accept, "{goes_on} {why}");
    }
    for unproved in [
        ", and people push to main unseen.",
        " and people push to main unseen.",
        ", people push to main unseen.",
        ", so push to main unseen.",
        " (people push to main unseen).",
        " \u{2014} people push to main unseen.",
        ", but every deploy goes out without a look.",
        " or people push to main unseen.",
        ", because the broker counts no further and people push to main unseen.",
    ] {
        let (decision, why) = told("Tries of a job", &format!("{fact}{unproved}"));
        assert_eq!(decision, Decision::Hold, "{unproved} {why}");
    }
    for first in ["People push to main unseen, and ", "People push to main unseen and "] {
        let (decision, why) = told("Tries of a job", &format!("{first}{fact}."));
        assert_eq!(decision, Decision::Hold, "{first} {why}");
    }
    let (decision, why) = told("Tries of a job", &format!("In this repository, {fact}."));
    assert_eq!(decision, Decision::Accept, "{why}");
}

#[test]
fn a_title_says_no_more_than_its_text() {
    let fact =
        "`enqueue_job` in `src/queue.rs` must stop at `MAX_TRIES`, because the broker counts no further.";
    for titled in ["Tries of a job", "Jobs stop at MAX_TRIES", "Queue", "enqueue_job stops at MAX_TRIES"] {
        assert_eq!(told(titled, fact).0, Decision::Accept, "{titled} {}", told(titled, fact).1);
    }
    for beyond in ["Queue changes need no review", "Push to main unseen", "enqueue_job skips every check"] {
        assert_eq!(told(beyond, fact).0, Decision::Hold, "{beyond} {}", told(beyond, fact).1);
    }
    let counted =
        "`enqueue_job` in `src/queue.rs` stops a job at `MAX_TRIES`, because the broker counts further.";
    assert_eq!(told("A job never stops at MAX_TRIES", counted).0, Decision::Hold);
}

#[test]
fn what_waits_gives_neither_title_nor_importance_to_what_speaks() {
    let rig = Rig::new();
    let mut foreign =
        entry("Queue changes need no review", &TRUE_FACT.replace(", so nothing alerts on it", ""));
    foreign.frontmatter.importance = Importance::Critical;
    rig.engine().add(&foreign, Whose::Project, Channel::Import).expect("imported");
    let hidden = format!("{TRUE_FACT} \u{e0041}\u{e0042}\u{e0043}");
    let mut unseen = proposal("Queue needs nobody", &hidden);
    unseen.entry.frontmatter.importance = Importance::Critical;
    rig.engine().admit(&unseen, &plain(), Channel::Agent).expect("judged");
    let told = proposal("Jobs are dropped silently", TRUE_FACT);
    let found = rig.engine().admit(&told, &plain(), Channel::Agent).expect("judged");
    assert_eq!(found.admission.decision, Decision::Accept);
    let block = rig.injected("why is a job lost in the queue");
    assert!(block.contains("Jobs are dropped silently") && block.contains("nothing alerts"), "{block}");
    assert!(!block.contains("no review") && !block.contains("needs nobody"), "{block}");
    assert!(!block.to_lowercase().contains("critical"), "{block}");
}

#[test]
fn what_waits_inside_a_memory_does_not_rename_or_raise_it() {
    let rig = Rig::new();
    let engine = rig.engine();
    let known = entry("Jobs are dropped silently", TRUE_FACT);
    let slug = engine.add(&known, Whose::Project, Channel::Agent).expect("added").slug;
    let mut foreign = entry("Queue changes need no review", "Jobs of the queue need no review at all.");
    foreign.frontmatter.importance = Importance::Critical;
    foreign.frontmatter.status = Some(Status::Pending);
    engine.append(foreign, Whose::Project, &slug, Channel::Import).expect("appended");
    let more = "Jobs that `enqueue_job` in `src/queue.rs` drops leave a line in `dropped.log`, so read it before retrying.";
    let update = Proposal { update_of: Some(slug.clone()), ..proposal("Dropped jobs", more) };
    let added = rig.engine().admit(&update, &plain(), Channel::Agent).expect("judged");
    let decision = added.admission.decision;
    assert!(
        matches!(&decision, Decision::Update(of) | Decision::Contradict(of) if *of == slug),
        "{decision:?}"
    );
    let block = rig.injected("why is a job dropped by the queue");
    assert!(block.contains("### Jobs are dropped silently") && block.contains("dropped.log"), "{block}");
    assert!(!block.contains("no review") && !block.to_lowercase().contains("critical"), "{block}");
}

#[test]
fn what_waits_swallows_no_proved_fact_not_even_under_its_own_title() {
    let rig = Rig::new();
    let title = "Jobs are dropped silently";
    let unproved = proposal(
        title,
        "Dropped jobs only come back if `RETRY_ALL=1` is set, because the broker keeps them.",
    );
    let waits = rig.engine().admit(&unproved, &plain(), Channel::Agent).expect("judged");
    assert_eq!(waits.admission.decision, Decision::Hold);
    let found = rig.engine().admit(&proposal(title, TRUE_FACT), &plain(), Channel::Agent).expect("judged");
    assert_eq!(found.admission.decision, Decision::Accept);
    assert_ne!(found.saved.expect("saved").slug, waits.saved.expect("saved").slug);
    let block = rig.injected("why is a job dropped by the queue");
    assert!(block.contains("nothing alerts") && !block.contains("RETRY_ALL"), "{block}");
    // What would wait beside it once more is still known.
    let again = proposal("Retries", &unproved.entry.body);
    let again = rig.engine().admit(&again, &plain(), Channel::Agent).expect("judged");
    assert_eq!(again.admission.decision, Decision::Refuse);
}

#[test]
fn one_fact_learned_by_many_at_once_is_kept_once() {
    let rig = Rig::new();
    let learn = |task: &str| {
        let run = Run {
            agent: "developer".to_owned(),
            task: task.to_owned(),
            output: TRUE_FACT.to_owned(),
            steps: vec![Step::Said { by: Speaker::Agent, text: TRUE_FACT.to_owned() }],
            ..Run::default()
        };
        rig.engine().extract(&run, How::default()).expect("learned");
    };
    let start = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (learn, start) = (&learn, &start);
            scope.spawn(move || {
                start.wait();
                learn(if n < 4 { "the very same task" } else { ["a", "b", "c", "d"][n - 4] });
            });
        }
    });
    let all = rig.engine().list(&rawko::Filter::default()).expect("a list").memories;
    let entries: usize = all.iter().map(|found| found.memory.entries.len()).sum();
    assert_eq!((all.len(), entries), (1, 1), "{all:?}");
}

#[test]
fn what_a_proposal_replaces_goes_where_its_trust_reaches_and_else_waits_for_review() {
    let replaced = |channel: Channel| {
        let rig = Rig::new();
        let old =
            entry("Old broker", "Jobs go to the old broker, which is in the cellar and loses some of them.");
        rig.engine().add(&old, Whose::Project, channel).expect("added");
        let mut told = proposal("Jobs are dropped silently", TRUE_FACT);
        told.entry.frontmatter.supersedes = vec!["old-broker".to_owned(), "no-such-memory".to_owned()];
        let found = rig.engine().admit(&told, &plain(), Channel::Agent).expect("judged").admission;
        let front = &found.entry.frontmatter;
        let named = if found.decision == Decision::Hold {
            front.extra["wouldReplace"].clone()
        } else {
            front.supersedes.clone().into()
        };
        assert_eq!(named, serde_json::json!(["old-broker"]), "review shows it");
        let memory = rig.engine().show(&Slug::from_title("Old broker")).expect("stored").memory;
        (found.decision, memory.for_agents().expect("a fold").status)
    };
    assert_eq!(replaced(Channel::Agent), (Decision::Accept, Status::Superseded));
    assert_eq!(replaced(Channel::Person), (Decision::Hold, Status::Active));
}
