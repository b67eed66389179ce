//! When two moves are the same, and what a failure says to another one. The words here are of no data set.

use jiff::Timestamp;

use super::*;

const AT: At<'static> = At { root: "/home/me/shop", cwd: "/home/me/shop" };

fn command(text: &str) -> Move {
    Move::command(text, AT)
}

fn failed(text: &str, error: &str) -> Failure {
    Failure::new(&command(text), AT, error, Timestamp::UNIX_EPOCH, &|_| true)
}

/// Whether the second command is the move that failed as the first.
fn same(first: &str, second: &str) -> bool {
    let failure = failed(first, "error: it broke");
    failure.keys().iter().any(|key| command(second).keys().contains(key)) && failure.is_same(&command(second))
}

#[test]
fn what_cannot_matter_makes_no_other_move() {
    for (first, second) in [
        ("mytool --from a --to b", "mytool --to b --from a"),
        ("mytool --size 5 x.bin", "mytool --size=5 ./x.bin"),
        ("cargo test -p api --lib", "CARGO_TERM_COLOR=always cargo test --lib --package=api"),
        ("yarn build", "cd /home/me/shop && yarn run build 2>&1"),
        ("git -C lib push -d origin old", "cd lib && git push origin --delete old"),
        ("git push origin :old", "git push --delete origin old"),
        ("kubectl get pods -n web", "kubectl --namespace=web get pods"),
        ("gradle test > /tmp/out.a81x/log.txt", "gradle test > /tmp/out.Zq22/log.txt"),
        ("ruff check src", "time ruff check './src'"),
        ("mvn -q verify", "mvn verify"),
        ("helm upgrade web ./chart", "helm upgrade web chart/"),
        ("git commit -am 'one'", "git commit -a -m 'another'"),
        ("make deploy", "make deploy | tail -3"),
    ] {
        assert!(same(first, second), "{first}  and  {second}");
    }
}

#[test]
fn what_may_matter_makes_another_move() {
    for (first, second) in [
        ("mytool --from a --to b", "mytool --from b --to a"),
        ("cp a.txt b.txt", "cp b.txt a.txt"),
        ("cargo test -p api", "cargo test -p web"),
        ("PORT=1 yarn start", "PORT=2 yarn start"),
        ("cd web && yarn build", "cd api && yarn build"),
        ("gem install rails -v 7.1", "gem install rails -v 7.2"),
        ("sed -i 's/a/b' x.txt", "sed -i 's/a/b/' x.txt"),
        ("cat /tmp/first.log", "cat /tmp/second.log"),
        ("git push origin main", "git push origin main:next"),
        ("mkdir -p data && mytool data/x", "mytool data/y"),
    ] {
        assert!(!same(first, second), "{first}  and  {second}");
    }
}

#[test]
fn a_command_that_first_does_something_else_is_not_the_one_that_failed() {
    assert!(!same("./convert in.csv", "./fetch in.csv && ./convert in.csv"));
    assert!(same("./convert in.csv", "pwd && ./convert in.csv && echo done"));
}

#[test]
fn answers_interrupts_and_passing_states_teach_nothing() {
    let learned = |text: &str, exit: i32, error: &str| command(text).not_learned(Some(exit), error, false);
    assert_eq!(learned("grep -c x y.txt", 1, ""), Some(NotLearned::Answer));
    assert_eq!(learned("grep -c x y.txt", 2, "grep: y.txt: No such file or directory"), None);
    assert_eq!(learned("cat y.txt | grep x", 1, ""), Some(NotLearned::Answer));
    assert_eq!(learned("[ -d out ] && ls out", 1, ""), Some(NotLearned::Answer));
    assert_eq!(learned("git diff --quiet", 1, ""), Some(NotLearned::Answer));
    assert_eq!(learned("git diff", 128, "fatal: bad revision"), None);
    assert_eq!(learned("curl https://x.test", 28, "Operation timed out"), Some(NotLearned::Passing));
    assert_eq!(learned("curl http://localhost:9", 7, "Connection refused"), None);
    assert_eq!(command("rake").not_learned(Some(1), "", true), Some(NotLearned::Stopped));
    let edit = Move::Edit { path: "a".into(), old: "b".into(), all: false };
    assert_eq!(edit.not_learned(None, "File has not been read yet.", false), Some(NotLearned::Precondition));
    assert_eq!(edit.not_learned(None, "String to replace not found in file.", false), None);
}

/// Whether a failure warns before another command.
fn speaks(text: &str, error: &str, next: &str) -> bool {
    let failure = failed(text, error);
    let found = failure.keys().iter().any(|key| command(next).keys().contains(key));
    found && failure.speaks_to(&command(next)).is_some()
}

#[test]
fn who_needs_the_same_missing_thing_is_warned() {
    let gone = "awk: cannot open conf/app.ini (No such file or directory)";
    assert!(speaks("awk 1 conf/app.ini", gone, "wc -l conf/app.ini"));
    assert!(!speaks("awk 1 conf/app.ini", gone, "touch conf/app.ini"));
    assert!(!speaks("awk 1 conf/app.ini", gone, "test -f conf/app.ini"));
    assert!(!speaks("awk 1 conf/app.ini", gone, "echo x > conf/app.ini"));
    let refused = "curl: (7) Failed to connect to localhost port 9200: Connection refused";
    assert!(speaks("curl localhost:9200", refused, "wget http://127.0.0.1:9200/_cat"));
    assert!(!speaks("curl localhost:9200", refused, "wget http://127.0.0.1:9201/_cat"));
    assert!(!speaks("curl localhost:9200", refused, "docker run -p 9200:9200 search"));
    let absent = "Error 1049: Unknown database 'stock'";
    assert!(speaks("mysql stock -e 'select 1'", absent, "mysqldump stock"));
    assert!(!speaks("mysql stock -e 'select 1'", absent, "mysql -e 'create database stock'"));
    let program = "bash: line 1: shfmt: command not found";
    assert!(speaks("shfmt -d a.sh", program, "shfmt -w b.sh"));
    assert!(!speaks("shfmt -d a.sh", program, "which shfmt"));
    let inner = "ruff check .\nE501 line too long\nmake: *** [Makefile:9: lint] Error 1";
    assert!(speaks("make ci", inner, "make lint"));
    assert!(speaks("make ci", inner, "ruff check ."));
    assert!(!speaks("make ci", inner, "make fmt"));
}

/// Whether a success clears a failure.
fn mended(text: &str, error: &str, done: &str, output: &str) -> bool {
    failed(text, error).is_mended_by(&command(done), output)
}

#[test]
fn a_command_that_supplies_what_was_missing_clears_the_failure() {
    assert!(mended(
        "helm lint web",
        "Error: missing dependencies, run `helm dependency update`",
        "helm dependency update",
        ""
    ));
    assert!(mended(
        "ruby app.rb",
        "cannot load such file -- 'sinatra' (LoadError)",
        "gem install sinatra",
        ""
    ));
    assert!(mended(
        "python app.py",
        "No module named 'flask'",
        "pip install -r requirements.txt",
        "Successfully installed flask-3.0"
    ));
    assert!(!mended(
        "python app.py",
        "No module named 'flask'",
        "pip install django",
        "Successfully installed django-5"
    ));
    let refused = "could not connect to localhost:6379: Connection refused";
    assert!(mended("redis-cli ping", refused, "brew services start redis", ""));
    assert!(!mended("redis-cli ping", refused, "docker run -d -p 8500:8500 consul", ""));
    assert!(mended("redis-cli ping", refused, "redis-cli info", "redis_version:7"));
    assert!(!mended("redis-cli ping", refused, "ls", ""));
}

#[test]
fn only_an_exit_code_that_is_its_own_disproves_a_failure() {
    let failure = failed("rake test", "1 failure");
    assert!(failure.is_disproved_by(&command("rake test")));
    assert!(failure.is_disproved_by(&command("rake test && rake lint")));
    assert!(!failure.is_disproved_by(&command("rake test | tail")));
    assert!(!failure.is_disproved_by(&command("rake test; echo done")));
    assert!(!failure.is_disproved_by(&command("rake test || true")));
}

#[test]
fn a_tool_call_is_the_move_that_it_makes() {
    let input =
        serde_json::json!({ "file_path": "/home/me/shop/a.rb", "old_string": "x", "new_string": "y" });
    let edit = Move::of_tool("Edit", &input, AT);
    assert_eq!(edit, Move::Edit { path: "a.rb".into(), old: "x".into(), all: false });
    let other = serde_json::json!({ "file_path": "./a.rb", "old_string": "x", "new_string": "z" });
    assert_eq!(Move::of_tool("edit", &other, AT), edit);
    assert_eq!(
        Move::of_tool("Read", &serde_json::json!({ "file_path": "a.rb" }), AT),
        Move::Read { path: "a.rb".into() }
    );
    assert_eq!(Move::of_tool("Bash", &serde_json::json!({ "command": "ls" }), AT), command("ls"));
}

#[test]
fn any_text_is_taken_without_harm() {
    let long = "a ".repeat(50_000);
    let deep = "$(".repeat(5_000);
    for text in [
        "",
        " ",
        "''",
        "&&",
        "| |",
        "<<",
        "a <<E",
        "\\",
        "\"",
        "-",
        "--",
        "=",
        "é=ü 日本 --日本",
        "cd",
        "a\0b",
        &long,
        &deep,
    ] {
        let moved = command(text);
        let failure = Failure::new(&moved, AT, text, Timestamp::UNIX_EPOCH, &|_| true);
        let _ = (
            failure.speaks_to(&moved),
            moved.keys(),
            moved.inputs(AT, text),
            moved.not_learned(Some(1), text, false),
        );
        let _ = failure.is_mended_by(&moved, text);
    }
}
