//! What a person says against a memory that the session was just given, without naming it.

use rawko::core::{Change, Run, Speaker, Step};
use rawko::{Action, Channel, Draft, HostEvent, How, Moment, Slug, Whose};

use crate::rig::Rig;

/// A project with memories, and a host's session in it.
struct Session {
    rig: Rig,
    known: Vec<Slug>,
    run: Run,
}

impl Session {
    /// The memories are a title and a text each; all of them are by agents, or all by a person.
    fn with(memories: &[(&str, &str)], channel: Channel) -> Self {
        let rig = Rig::new();
        let add = |(title, text): &(&str, &str)| {
            let by = if channel == Channel::Person { "ada" } else { "claude" };
            let draft = Draft::new(*title, format!("# {title}\n\n{text}\n")).by(by).when(*title);
            let entry = draft.entry(rig.engine().now());
            rig.engine().add(&entry, Whose::Project, channel).expect("added").slug
        };
        let known = memories.iter().map(add).collect();
        let run = Run { agent: "claude".to_owned(), session: Some("s".to_owned()), ..Run::default() };
        Self { rig, known, run }
    }

    /// A turn, with the hooks of a host around it; how many memories it was given.
    fn turn(&mut self, asked: &str, answer: &str) -> usize {
        let engine = self.rig.engine();
        let event = HostEvent {
            host: "claude".to_owned(),
            session: "s".to_owned(),
            folder: self.rig.project(),
            key: format!("prompt-{asked}-{}", self.run.steps.len()),
            hears: true,
            moment: Moment::Prompt { text: asked.to_owned(), by_machine: false },
            ..HostEvent::default()
        };
        let mut heard = engine.heard(&event).expect("a store");
        let told = engine.answer(&event, &mut heard).expect("an answer");
        engine.settle(&event, &told, &mut heard);
        self.run.injected.extend(Some(told.text.clone()).filter(|text| !text.is_empty()));
        if self.run.task.is_empty() {
            asked.clone_into(&mut self.run.task);
        }
        let said = [(Speaker::Person, asked), (Speaker::Agent, answer)];
        self.run.steps.extend(said.map(|(by, text)| Step::Said { by, text: text.to_owned() }));
        answer.clone_into(&mut self.run.output);
        self.rig.engine().extract(&self.run, How::default()).expect("learned");
        told.text.matches("\n### ").count()
    }

    fn speaks(&self, n: usize) -> bool {
        self.rig.engine().show(&self.known[n]).expect("there").memory.may_speak()
    }

    /// The places of the memories that are held back, or that what waits would replace.
    fn denied(&self) -> Vec<usize> {
        let items = self.rig.engine().review().expect("a queue");
        let changes: Vec<Slug> =
            items.iter().flat_map(|item| item.found.memory.would_change()).map(|(_, slug)| slug).collect();
        let marked = |slug: &Slug| items.iter().any(|item| item.found.memory.slug == *slug);
        (0..self.known.len())
            .filter(|n| changes.contains(&self.known[*n]) || marked(&self.known[*n]))
            .collect()
    }

    fn waits(&self) -> Vec<(String, String)> {
        let items = self.rig.engine().review().expect("a queue");
        let told = |item: &rawko::Item| item.found.memory.now().map(|fold| fold.text()).unwrap_or_default();
        items.iter().map(|item| (told(item), item.why.clone())).collect()
    }
}

const POOL: (&str, &str) =
    ("Pool size of the database", "The connection pool of the database has 20 connections.");
const ADAPTER: (&str, &str) =
    ("Database adapter", "The database is reached through pgbouncer in transaction mode.");
const FRIDAY: (&str, &str) =
    ("No releases on Friday", "Never run `make release` on a Friday, the on-call desk is empty then.");
const NPM: (&str, &str) =
    ("Packages are installed with npm", "Install packages with npm, the lock file is package-lock.json.");
const REGION: (&str, &str) = ("Region of deployments", "Everything is deployed to eu-west-1.");
const TIMEOUT: (&str, &str) =
    ("Timeout of the payment gateway", "Calls of the payment gateway time out after 30 seconds.");
const REVIEWS: (&str, &str) =
    ("Two approvals for a merge", "Every merge request needs two approvals before it is merged.");

const CACHE: (&str, &str) =
    ("Cache of the search results", "Search results are cached for 10 minutes in redis.");
const SIGNED: (&str, &str) = (
    "Commits are signed",
    "Sign every commit with `git commit -S`, unsigned ones are refused by the server.",
);
const DOCS: (&str, &str) =
    ("Docs live in Confluence", "The documentation of the api lives in Confluence, not in the repository.");
const PYTHON: (&str, &str) = ("Python version", "The service runs on Python 3.9.");

/// Memories, what was asked and answered, what the person says then, what is answered, and which memory is meant.
type Case = (&'static [(&'static str, &'static str)], &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const MEANT: [Case; 40] = [
    (&[POOL, ADAPTER], "the appointments page hangs, look at the database pool", "The pool of the database has 20 connections, so slow queries exhaust it.", "it's 50 now", "Right, I will look at the slow query instead."),
    (&[POOL], "why does the database pool run dry", "It is limited to 20 connections, see the note on the pool size.", "that was raised to 80 in spring", "Ok, then it is something else."),
    (&[POOL], "tune the database pool size", "Done.", "it is 50 now", "Ok."),
    (&[FRIDAY], "make a release, it is friday", "Today is Friday, and a note says that no release is made on a Friday. Shall I wait?", "that rule is gone, go", "`make release` finished."),
    (&[FRIDAY], "make a release, it is friday", "I wait until Monday.", "forget that rule", "Ok."),
    (&[FRIDAY, NPM], "run make release although it is friday", "There is a rule against releases on Friday, the desk is empty then.", "this restriction was lifted in may", "Good, I release."),
    (&[NPM], "which tool installs packages here", "Packages are installed with npm.", "no longer true, we moved to pnpm", "Then I use pnpm."),
    (&[NPM, REGION], "install the left-pad package", "I ran npm install left-pad and committed package-lock.json.", "it's pnpm now", "I installed it with pnpm and removed the npm lock file package-lock.json."),
    (&[NPM], "which tool installs packages here", "Packages are installed with npm.", "thats outdated", "What is used instead?"),
    (&[REGION], "which region are deployments in", "Everything is deployed to eu-west-1.", "it moved to eu-central-1", "I changed the region of deployments."),
    (&[TIMEOUT], "the payment gateway times out", "Its calls time out after 30 seconds by design.", "its 90 seconds now", "Then the timeout of the gateway is not the cause."),
    (&[TIMEOUT, POOL], "the payment gateway has a timeout", "The payment gateway gives up after 30 seconds.", "nope, 45", "Changed the timeout of the payment gateway to 45."),
    (&[REVIEWS], "merge this, does it need approvals", "A merge request needs two approvals, I asked Ben and Kim.", "that hasn't been the case since the reorg", "Ok, merged."),
    (&[REVIEWS], "merge this, does it need approvals", "Two approvals are needed before it is merged.", "we don't do that anymore", "Ok, merged."),
    (&[REVIEWS], "merge this, does it need approvals", "It waits for two approvals.", "the two approvals rule was dropped. one is enough", "Merged with one."),
    (&[REVIEWS], "merge this, does it need approvals", "Two approvals are needed for a merge.", "not any more, one person suffices", "Merged."),
    (&[("Line length", "Lines of Python are at most 88 characters long.")], "reformat the python files, watch the line length", "I wrapped all lines at 88 characters.", "it's 100 characters these days", "Changed to 100."),
    (&[("Retention of logs", "Logs are kept for 14 days in the bucket.")], "how long is the retention of logs", "Logs are kept for 14 days.", "we upped that to 30 in june", "Noted."),
    (&[("Staging is shared", "Never deploy to staging before asking in the channel, the QA team shares it.")], "deploy this to staging", "Staging is shared with QA, so I should ask in the channel first. Shall I?", "that's no longer necessary", "Deployed."),
    (&[("Staging is shared", "Never deploy to staging before asking in the channel, the QA team shares it.")], "deploy this to staging", "A note says to ask in the channel first.", "you can forget that note", "Deployed."),
    (&[("Migrations need a DBA", "Every migration must be approved by a DBA.")], "add a migration for the invoices table", "Added. It must be approved by a DBA before it runs.", "that requirement doesn't exist anymore", "Then it can run."),
    (&[("Node version", "The build uses Node 16.")], "set up the build with the right node version", "I pinned Node 16 in the workflow.", "we're on 22 now", "Pinned Node 22."),
    (&[("Test runner", "Tests are run with jest.")], "add a jest test for the parser", "Added a jest test.", "it's vitest now", "Moved it to vitest."),
    (&[("Port of the admin api", "The admin api listens on port 8080.")], "call the admin api", "I called the admin api on port 8080 and got no answer.", "that changed to 9090 last month", "It answers on 9090."),
    (&[("Code owner of billing", "Ask Marta before you change anything in `billing/`.")], "fix the rounding in billing", "Fixed. I should ask Marta before I merge a change of billing.", "not needed anymore, she left", "Merged."),
    (&[("Currency of prices", "Prices are stored in cents.")], "add a discount to the prices", "Added, the discount is in cents as prices are stored in cents.", "nah that's old, they are decimals since march", "Changed to decimals."),
    (&[("Feature branch names", "Branches are named after the ticket, like PAY-123.")], "make a branch for the feature", "Which ticket? Branches are named after the ticket.", "that convention is dead", "Ok, I named it myself."),
    (&[("Rate limit of the partner api", "The partner api allows 5 requests per second.")], "import all orders from the partner api", "I throttle to 5 requests per second, the limit of the partner api.", "they lifted it to 20", "I throttle to 20."),
    (&[CACHE], "why are search results old", "They come from the cache, which keeps them for 10 minutes.", "it was shortened to 1 minute a while ago", "Ok."),
    (&[CACHE], "change the cache of the search results", "The results stay in redis for 10 minutes.", "this doesn't hold any longer, the results aren't cached at all since the rewrite", "Removed."),
    (&[SIGNED], "commit this", "I cannot sign the commit, there is no key.", "the signing rule was abolished, just commit", "Committed."),
    (&[SIGNED], "commit this and sign it", "Commits have to be signed, the server refuses others. I need your key.", "that isn't required anymore", "Committed."),
    (&[SIGNED], "commit this and sign it", "There is a note that every commit is signed.", "scrap that note pls", "Ok."),
    (&[DOCS], "update the documentation of the api", "The documentation of the api lives in Confluence, which I cannot reach.", "that's ancient history", "Where is it?"),
    (&[DOCS], "update the documentation of the api", "It lives in Confluence, not in the repository.", "no longer the case. everything is in docs/api.md", "Updated docs/api.md."),
    (&[PYTHON], "which python version may i use", "The service runs on Python 3.9, so no match statement.", "it's 3.12 now", "Then match is fine."),
    (&[PYTHON], "which python version may i use", "Python 3.9.", "we upgraded to 3.12", "Fine."),
    (&[PYTHON], "use the match statement, which python version is it", "The service runs on Python 3.9, which has none.", "that info is stale", "Which one is it?"),
    (&[TIMEOUT], "the payment gateway times out", "It times out after 30 seconds.", "ops set it to 60 last night", "Ok."),
    (&[REVIEWS, FRIDAY], "merge this, does it need approvals", "Two approvals are needed before a merge.", "that policy got dropped", "Merged."),
];

#[test]
fn who_does_not_name_what_they_mean_means_what_was_just_given() {
    let mut missed = Vec::new();
    for (memories, asked, answer, said, after) in MEANT {
        let mut session = Session::with(memories, Channel::Agent);
        let given = session.turn(asked, answer);
        session.turn(said, after);
        if session.denied() != [0] || session.speaks(0) {
            missed.push(format!("{said} ({given} given): {:?}", session.denied()));
        }
        // It means the same the next time that it is heard.
        let denied = session.denied();
        session.turn("thanks, that is all", "Welcome.");
        assert_eq!(session.denied(), denied, "{said}");
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Said after an answer that speaks of the memory that was given.
#[rustfmt::skip]
const REMARKS: [Case; 32] = [
    (&[POOL], "why does the database pool run dry", "The pool of the database has 20 connections.", "it's 50 degrees outside, I go home", "Enjoy."),
    (&[POOL], "why does the database pool run dry", "The pool of the database has 20 connections.", "it's 5 pm now", "Good night."),
    (&[POOL], "why does the database pool run dry", "The pool of the database has 20 connections.", "the order row was locked yesterday", "I see."),
    (&[POOL], "why does the database pool run dry", "The pool of the database has 20 connections.", "it works now", "Good."),
    (&[POOL], "why does the database pool run dry", "The pool of the database has 20 connections.", "it's 12 failures now", "I look at them."),
    (&[POOL], "why does the database pool run dry", "The pool of the database has 20 connections.", "it's 20 now", "It was before."),
    (&[POOL], "why does the database pool run dry", "The pool of the database has 20 connections.", "set it to 50", "Done, 50 connections."),
    (&[POOL], "why does the database pool run dry", "The pool of the database has 20 connections.", "is that outdated?", "No."),
    (&[POOL], "why does the database pool run dry", "The pool of the database has 20 connections.", "the docs are outdated, fix them", "Done."),
    (&[POOL], "count the failing tests of the database pool", "48 tests fail.", "it's 50 now", "Two more."),
    (&[POOL], "count the failing tests of the database pool, there were 46", "They fail in setup.", "it's 50 now", "I look."),
    (&[POOL], "raise the size of the database pool", "Raised.", "it's 3.2.1 now on my machine", "Ok."),
    (&[FRIDAY], "make a release, it is friday", "No release on a Friday, as the note says.", "forget that, do the readme first", "Done."),
    (&[FRIDAY], "make a release, it is friday", "No release on a Friday, as the note says.", "ignore that rule for now", "Released."),
    (&[FRIDAY], "make a release, it is friday", "No release on a Friday, as the note says.", "ok, skip that rule just this once", "Released."),
    (&[FRIDAY], "make a release, it is friday", "No release on a Friday, as the note says.", "that's right", "Ok."),
    (&[FRIDAY], "make a release, it is friday", "No release on a Friday, as the note says.", "the error is gone", "Good."),
    (&[FRIDAY], "make a release, it is friday", "No release on a Friday, as the note says.", "it's gone now, thanks", "Good."),
    (&[FRIDAY], "make a release, it is friday", "No release on a Friday, as the note says.", "maybe that rule is gone by now", "Shall I ask?"),
    (&[FRIDAY], "make a release, it is friday", "No release on a Friday, as the note says.", "if that rule is gone, tell me", "It is not."),
    (&[FRIDAY], "add an eslint config, we release on friday", "Added it with the rule no-console.", "drop the no-console rule", "Dropped."),
    (&[NPM], "which tool installs packages here", "Packages are installed with npm.", "that's outdated docs you are reading there", "Ok."),
    (&[NPM], "update the readme of the npm packages", "I followed docs/setup.md for the wording.", "that's outdated", "I reworded it."),
    (&[NPM], "install packages with npm", "Installed.", "i moved it to vendor/", "Ok."),
    (&[NPM], "install packages with npm", "Installed the packages with npm.", "we moved to the big room by the way", "Nice."),
    (&[NPM], "install packages with npm", "Installed the packages with npm.", "that no longer works", "I look at the log."),
    (&[REGION], "which region are deployments in", "Everything is deployed to eu-west-1.", "it's deployed now", "Good."),
    (&[REGION], "which region are deployments in", "Everything is deployed to eu-west-1.", "it's in main now", "Good."),
    (&[TIMEOUT], "the payment gateway times out", "Its calls time out after 30 seconds.", "it's been 5 minutes since i asked", "Sorry."),
    (&[TIMEOUT], "the payment gateway times out", "Its calls time out after 30 seconds.", "it's 2026 now, change the copyright", "Done."),
    (&[REVIEWS], "merge this, does it need approvals", "Two approvals are needed for a merge.", "it's merged now", "Good."),
    (&[REVIEWS], "merge this, does it need approvals", "Two approvals are needed for a merge.", "ran the linter again, it's 7 now", "Seven warnings."),
];

/// Said after it was told how many connections the pool has.
#[rustfmt::skip]
const OF_A_POOL: [&str; 38] = [
    "it's fine now", "that's it for today", "it's all good", "that was quick", "it's 3 in the morning", "it's only 2 lines", "that's 20 too many",
    "it's still 20 in the config, right?", "it's the other one", "that's a good point", "that one is gone already",
    "it was removed in the last commit", "it's been a long day", "it's over, the build passed", "that's old code", "it's 404 now", "now it's a 500",
    "now it's 3 errors", "it's down to 4 warnings", "it went from 12 to 7 failures", "it's 15% faster now", "that took 50 seconds",
    "they moved the standup to 10", "we moved to a new office", "drop that table", "forget the rule of thumb, just measure",
    "delete that note in the readme", "ignore the note at the top of the file", "remove the limit from the query", "the limit clause is gone",
    "the warning is gone now", "this is 50 times slower", "it's v2.3.1 now, i tagged it", "50 is fine", "make it 50", "that's not needed",
    "that doesn't apply here", "it's out of date in my fork",
];

/// Said after it was told how long search results are cached.
#[rustfmt::skip]
const OF_A_CACHE: [&str; 50] = [
    "it's working again", "that's enough for now", "it's 9 already, let's stop", "it's two files", "that was 10 minutes ago",
    "it's cached in the browser", "it's not in redis", "it's slow", "it's redis 7 on my laptop", "that's true", "that's not what i meant",
    "that isn't the problem", "no, that's a different cache", "it's not that", "it's not needed for the demo", "this is obsolete code, right?",
    "the ticket is obsolete", "the branch is stale", "the session expired", "that key is gone", "the lock is gone", "the test was removed",
    "that method is deprecated", "that page was dropped from the sitemap", "ignore it", "forget it", "drop it", "scrap that", "delete that key",
    "it's on 3 nodes", "it's at 80% now", "it went up to 90%", "it increased to 4 GB", "we are at 3 of 10 now", "it took 2 minutes",
    "that makes 3 minutes", "they are 5 now", "5 more now", "now 5 fail", "it's minute 7 now", "we moved the call to 10", "it moved to the left",
    "that no longer compiles", "it doesn't apply cleanly anymore", "not yet", "not now", "no more questions", "that's been fixed",
    "that's been merged since", "that's done since monday",
];

#[test]
fn remarks_after_a_memory_was_given_hold_nothing_back() {
    let mut vain = Vec::new();
    for (memories, asked, answer, said, after) in REMARKS {
        for channel in [Channel::Agent, Channel::Person] {
            let mut session = Session::with(memories, channel);
            let given = session.turn(asked, answer);
            assert!(given > 0, "{asked}: nothing was given");
            session.turn(said, after);
            session.turn("thanks, that is all", "Welcome.");
            if !session.denied().is_empty() || !session.speaks(0) {
                vain.push(format!("{said}: {:?}", session.waits()));
            }
        }
    }
    let told = [
        (POOL, "why does the database pool run dry", &OF_A_POOL[..]),
        (CACHE, "why are the search results old", &OF_A_CACHE[..]),
    ];
    for (memory, asked, remarks) in told {
        for said in remarks {
            let mut session = Session::with(&[memory], Channel::Agent);
            assert_eq!(session.turn(asked, memory.1), 1, "{asked}");
            session.turn(said, "Ok.");
            if !session.denied().is_empty() {
                vain.push(format!("{said}: {:?}", session.waits()));
            }
        }
    }
    assert!(vain.is_empty(), "{vain:#?}");
}

#[test]
fn what_the_session_was_not_given_is_not_meant() {
    let mut session = Session::with(&[FRIDAY], Channel::Agent);
    assert_eq!(session.turn("change the colour of the footer", "Changed."), 0);
    session.turn("forget that rule", "Which one?");
    assert_eq!(session.denied(), [0; 0]);
}

#[test]
fn of_two_that_may_be_meant_neither_is() {
    let mut session = Session::with(
        &[
            ("Releases on Friday", "Never make a release on a Friday."),
            ("Releases in December", "Never make a release in December."),
        ],
        Channel::Agent,
    );
    session.turn("make a release", "I must not make a release on a Friday, nor a release in December.");
    session.turn("that rule is gone", "Which of the two?");
    assert_eq!(session.denied(), [0; 0]);
}

#[test]
fn a_memory_that_was_given_earlier_is_meant_where_the_agent_speaks_of_it() {
    let mut session = Session::with(&[POOL], Channel::Agent);
    session.turn("why does the database pool run dry", "I look at the log.");
    session.turn("and the footer?", "It is fine.");
    session.turn("so what is it", "The pool of the database has 20 connections only.");
    session.turn("it's 50 now", "Ok.");
    assert_eq!(session.denied(), [0]);
}

#[test]
fn what_is_said_instead_names_what_it_is_about_and_takes_the_place() {
    let mut session = Session::with(&[POOL], Channel::Person);
    session.turn("why does the database pool run dry", "The pool of the database has 20 connections.");
    session.turn("it's 50 now", "Ok.");
    assert!(session.speaks(0), "a person's memory stays");
    let items = session.rig.engine().review().expect("a queue");
    let [item] = items.as_slice() else { panic!("{items:#?}") };
    let memory = &item.found.memory;
    assert_eq!(memory.would_change(), [(Change::Replaces, session.known[0].clone())]);
    let text = memory.now().expect("a fold").text();
    assert!(text.contains("“Pool size of the database” does not hold any more: it's 50 now."), "{text}");
    let seen = memory.entries.iter().map(|known| known.id).collect();
    let action = Action::Approve(memory.slug.clone(), seen, memory.would_change());
    session.rig.engine().act(&action, "ada").expect("approved");
    let told = session.rig.injected("what is the pool size of the database");
    assert!(told.contains("it's 50 now") && !told.contains("20 connections"), "{told}");
}

#[test]
fn a_persons_rule_that_is_said_to_be_gone_stays_and_is_shown_in_review() {
    let mut session = Session::with(&[FRIDAY], Channel::Person);
    session.turn("make a release, it is friday", "No release on a Friday, says a note.");
    session.turn("that rule is gone, go", "Released.");
    session.turn("thanks", "Welcome.");
    assert!(session.speaks(0));
    let whys: Vec<String> = session.waits().into_iter().map(|(_, why)| why).collect();
    assert_eq!(whys, ["a person said in a run: “that rule is gone, go”"]);
    let slug = session.known[0].clone();
    let told = || session.rig.injected("make a release on friday");
    session.rig.engine().act(&Action::Reject(slug.clone()), "ada").expect("rejected");
    assert_eq!(told(), "");
    session.rig.engine().undo("ada").expect("undone").expect("something");
    assert!(told().contains("Never run `make release`"));
    // Who says that it stays is not asked again for the same words.
    let memory = session.rig.engine().show(&slug).expect("there").memory;
    let seen = memory.entries.iter().map(|known| known.id).collect();
    session.rig.engine().act(&Action::Approve(slug, seen, Vec::new()), "ada").expect("approved");
    session.turn("bye", "Bye.");
    assert!(session.speaks(0));
    assert_eq!(session.waits(), []);
}

const LIMIT: (&str, &str) =
    ("Rate limit of the api", "The api allows 40 requests per second for a key, see `src/api/limiter.ts`.");
const HOLDS: (&str, &str) = (
    "Seat holds expire after 15 minutes",
    "A seat hold expires after 15 minutes, because the payment page gives up then.",
);
const UTC: (&str, &str) =
    ("Departures are stored in UTC", "Departures are stored in UTC and shown in the zone of the harbour.");
const FLAGS: (&str, &str) =
    ("Feature flags live in LaunchBoat", "Feature flags live in LaunchBoat, not in the database.");

#[test]
fn a_limit_that_is_told_anew_is_the_one_that_was_given_and_no_other() {
    let asked = "document the rate limit of the api";
    let answer = "Written: the api allows 40 requests per second for a key.";
    for said in ["no, the limit is 50 now", "no, it's 50", "the limit is 50 now"] {
        let mut session = Session::with(&[LIMIT, HOLDS, UTC, FLAGS], Channel::Person);
        session.turn(asked, answer);
        session.turn(said, "OK.");
        assert_eq!(session.denied(), [0], "{said}: {:?}", session.waits());
    }
    // What is meant is told by none of its words: nothing else may be taken for it.
    let mut session = Session::with(&[LIMIT, HOLDS, UTC, FLAGS], Channel::Person);
    session.turn(asked, answer);
    session.turn("this is outdated, we raised it to 50", "OK.");
    assert!(session.denied().iter().all(|n| *n == 0), "{:?}", session.waits());
}

#[test]
fn a_task_corrects_nothing_and_neither_does_who_agrees() {
    for task in [
        "Raise the rate limit of the api for partner keys",
        "Lower the rate limit of the api for free keys",
        "Deploy this branch without seat holds",
        "Please change the expiry of seat holds to 10 minutes",
        "Move the feature flags to the database",
    ] {
        let mut session = Session::with(&[LIMIT, HOLDS, UTC, FLAGS], Channel::Person);
        session.turn(task, "Done.");
        assert!(session.waits().is_empty(), "{task}: {:?}", session.waits());
    }
    let mut session = Session::with(&[NPM, POOL], Channel::Person);
    session.turn("install the packages", "I install the packages with npm.");
    session.turn("yes, install packages with npm", "Done.");
    assert!(session.denied().is_empty(), "{:?}", session.waits());
}
