//! When two moves are the same, and what a failure says to another one. The words here are of no data set.

use jiff::Timestamp;

use super::*;

mod desk;
mod elsewhere;
mod fresh;
mod kinds;
mod meant;
mod remedies;
mod surroundings;
mod unlisted;
mod worlds;

const AT: At<'static> = At { root: "/home/me/shop", cwd: "/home/me/shop" };

fn command(text: &str) -> Move {
    Move::command(text, AT)
}

/// A failure as it is kept: without credentials.
fn failed(text: &str, error: &str) -> Failure {
    let mut failure = Failure::new(&command(text), AT, error, Timestamp::UNIX_EPOCH, &|_| true);
    failure.redact(&str::to_owned);
    failure
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
fn wrappers_groups_and_spellings_of_many_tools_make_no_other_move() {
    for (first, second) in [
        ("bundle exec rspec spec/models/cart_spec.rb", "bin/rspec ./spec/models/cart_spec.rb"),
        ("bundle exec rspec spec/cart_spec.rb --format documentation", "rspec -fd spec/cart_spec.rb"),
        ("RAILS_ENV=test bin/rails test", "bundle exec rails test"),
        ("bundle exec rubocop -a app", "rubocop app -a"),
        ("dotnet test tests/Api", "cd tests/Api && dotnet test"),
        (
            "dotnet test tests/Api/Api.csproj -c Release",
            "dotnet test ./tests/Api --configuration Release --nologo",
        ),
        ("dotnet run --project src/Web", "cd src/Web && dotnet run"),
        ("bazel test //pkg/auth:auth", "bazel test //pkg/auth --test_output=errors"),
        ("cd pkg/auth && bazel build :lib", "bazel build //pkg/auth:lib"),
        ("cmake --build build --target app -j 8", "cmake --build ./build --target app"),
        ("ctest --test-dir build -R parser", "cd build && ctest --output-on-failure --tests-regex parser"),
        ("ninja -C out tests", "(cd out && ninja tests)"),
        ("swift test --package-path Kit --filter A", "cd Kit && swift test --filter=A"),
        ("composer -d backend install", "cd backend && composer install --no-interaction"),
        ("php vendor/bin/phpunit tests/Unit", "./vendor/bin/phpunit --colors=never tests/Unit/"),
        ("php artisan migrate --force", "./artisan migrate --force --no-interaction"),
        ("deno test -A", "deno test --allow-all"),
        ("cargo build --manifest-path tools/gen/Cargo.toml", "cd tools/gen && cargo build"),
        ("cargo test -- --nocapture", "cargo test"),
        ("go test ./store", "cd store && go test ."),
        ("go test --run TestA ./store", "go test -run=TestA ./store/"),
        ("dbt run -s orders --project-dir warehouse", "cd warehouse && dbt run --select orders"),
        ("ansible-playbook -i hosts.ini site.yml", "ansible-playbook site.yml --inventory=hosts.ini -v"),
        (
            "mysql -h db -u root shop -e 'select 1'",
            "mysql --host=db --user=root --database=shop --execute='select 1'",
        ),
        ("psql shop -c 'select 1'", "psql --dbname shop --command='select 1'"),
        ("docker-compose up -d", "docker compose up --detach"),
        ("docker compose -f docker-compose.yml up -d", "docker compose up -d"),
        ("docker compose exec -T db psql -l", "docker compose exec db psql -l"),
        ("poetry run mypy src", "mypy src/"),
        ("python3 -m mypy src", "uv run mypy src"),
        ("npx eslint src", "node_modules/.bin/eslint ./src"),
        ("pnpm exec vitest run a.test.ts", "npx vitest run ./a.test.ts"),
        ("bash -lc 'cd api && npm test'", "npm --prefix api test"),
        ("(cd api && yarn lint)", "yarn --cwd api lint"),
        ("timeout 60 make e2e", "make e2e"),
        ("timeout -k 5 2m make e2e 2>&1 | tee /tmp/x.log", "make e2e"),
        ("export FLAG=1; ./run.sh", "FLAG=1 ./run.sh"),
        ("env FLAG=1 ./run.sh", "FLAG=1 bash -c './run.sh'"),
        ("rake -f Rakefile build", "rake build"),
        ("make -f Makefile all", "make all"),
        ("sbt -no-colors test", "sbt test"),
        ("gcloud run deploy api --region=eu --project=p", "gcloud run deploy api --project p --region eu"),
        ("tool sync --dest out --force", "tool sync --force --dest=out"),
        ("tool -o out.bin in.txt", "tool --output=out.bin in.txt"),
        (
            "flutter test test/a_test.dart",
            "cd /home/me/shop && flutter test ./test/a_test.dart --reporter expanded",
        ),
        ("../shop/gradlew :lib:check", "./gradlew lib:check --info"),
        ("cd lib && ../gradlew check", "./gradlew :lib:check"),
        ("pod install --project-directory=ios", "cd ios && pod install"),
        ("git -C . commit -m one", "git commit --message=two"),
        ("FORCE_COLOR=1 CI=true npx jest", "jest"),
    ] {
        assert!(same(first, second), "{first}  and  {second}");
    }
}

#[test]
fn what_may_matter_makes_another_move_for_many_tools() {
    for (first, second) in [
        ("bundle exec rspec spec/a_spec.rb", "bundle exec rspec spec/b_spec.rb"),
        ("bundle exec rspec spec/a_spec.rb:3", "bundle exec rspec spec/a_spec.rb:9"),
        ("RAILS_ENV=production rails db:migrate", "rails db:migrate"),
        ("dotnet test tests/Api", "dotnet test tests/Web"),
        ("dotnet build -c Release", "dotnet build -c Debug"),
        ("bazel test //a:x", "bazel test //b:x"),
        ("cmake --build build --target app", "cmake --build build --target lib"),
        ("ctest --test-dir build-a", "ctest --test-dir build-b"),
        ("composer require a/b", "composer require a/c"),
        ("sudo docker ps", "docker ps"),
        ("uv run --with rich python x.py", "uv run python x.py"),
        ("npx tsc@5 -p .", "npx tsc@4 -p ."),
        ("tool --from a --to b c", "tool --from c --to b a"),
        ("tool push --force", "tool push"),
        ("tool push", "tool push --dry-run"),
        ("go test ./a", "go test ./b"),
        ("cd a && go mod tidy", "cd b && go mod tidy"),
        ("gradle :a:test", "gradle :b:test"),
        ("cd a && ./gradlew test", "cd b && ./gradlew test"),
        ("psql shop -c 'select 1'", "psql crm -c 'select 1'"),
        ("docker run -p 80:80 web", "docker run -p 81:80 web"),
        ("bash -c 'cd a && npm test'", "bash -c 'cd b && npm test'"),
        ("./scripts/test a", "test a"),
        ("swift build -c release", "swift build -c debug"),
        ("dbt run -s orders", "dbt run -s items"),
        ("cargo +nightly test", "cargo test"),
    ] {
        assert!(!same(first, second), "{first}  and  {second}");
    }
}

#[test]
fn a_starter_matters_where_something_is_missing_in_its_surroundings() {
    let missing = failed("rspec", "bash: rspec: command not found");
    assert!(!missing.is_same(&command("bundle exec rspec")));
    assert!(missing.is_same(&command("rspec --format doc")));
    let broken = failed("rspec", "1 example, 1 failure");
    assert!(broken.is_same(&command("bundle exec rspec")));
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
    assert_eq!(learned("bundle outdated", 1, "rails (newest 8.0)"), Some(NotLearned::Answer));
    assert_eq!(learned("dart pub outdated", 1, "a 1 2"), Some(NotLearned::Answer));
    assert_eq!(learned("rubocop app", 1, "1 offense"), None);
    assert_eq!(learned("helm upgrade a b", 1, "another operation is in progress"), Some(NotLearned::Passing));
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

#[test]
fn who_needs_what_is_broken_refusing_or_not_set_up_is_warned() {
    let yaml = "error: error parsing deploy/web.yaml: error converting YAML to JSON: yaml: line 4: did not find expected key";
    assert!(speaks_in(
        &["deploy/web.yaml"],
        "kubectl apply -f deploy/web.yaml",
        yaml,
        "kubectl diff -f deploy/web.yaml"
    ));
    assert!(!speaks_in(
        &["deploy/web.yaml"],
        "kubectl apply -f deploy/web.yaml",
        yaml,
        "kubectl diff -f deploy/db.yaml"
    ));
    assert!(!speaks_in(
        &["deploy/web.yaml"],
        "kubectl apply -f deploy/web.yaml",
        yaml,
        "cat deploy/web.yaml"
    ));
    let toml = "error: failed to parse manifest at `/home/me/shop/Cargo.toml`\n  invalid table header";
    assert!(speaks_in(&["Cargo.toml"], "cargo build", toml, "cargo test"));
    assert!(!speaks_in(&["Cargo.toml"], "cargo build", toml, "cd other && cargo test"));
    let login = "Unable to locate credentials. You can configure credentials by running \"aws configure\".";
    assert!(speaks("aws s3 ls", login, "aws ecs list-clusters"));
    assert!(!speaks("aws s3 ls", login, "aws configure"));
    assert!(!speaks("aws s3 ls", login, "aws s3 ls --profile ops"));
    let init = "Error: stack not initialized; run `pulumi init` first";
    assert!(speaks("pulumi up", init, "pulumi preview"));
    assert!(!speaks("pulumi up", init, "cd other && pulumi preview"));
    let daemon =
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";
    assert!(speaks("docker ps", daemon, "docker compose build"));
    assert!(!speaks("docker ps", daemon, "DOCKER_HOST=ssh://box docker ps"));
    let port = "Error: listen EADDRINUSE: address already in use :::4100";
    assert!(speaks("npm run dev", port, "npx vite serve --port 4100"));
    assert!(!speaks("npm run dev", port, "npx vite serve --port 4200"));
    let script = "npm error Missing script: \"typecheck\"";
    assert!(speaks("npm run typecheck", script, "npm run typecheck -- --watch"));
    assert!(!speaks("npm run typecheck", script, "npm run lint"));
    let task = "Could not find task \"assets.build\"";
    assert!(!speaks("mix assets.build", task, "mix compile"));
    let module = "ModuleNotFoundError: No module named 'numpy'";
    assert!(speaks("python plot.py", module, "python -c 'import numpy; print(numpy.__version__)'"));
    assert!(!speaks("python plot.py", module, "pip install numpy"));
    assert!(!speaks("python plot.py", module, "pip show numpy"));
    let db = "PG::ConnectionBad: connection to server at \"127.0.0.1\", port 5432 failed: Connection refused";
    assert!(speaks("bin/rails db:migrate", db, "psql -h localhost shop"));
    assert!(speaks("bin/rails db:migrate", db, "bin/rails db:seed"));
    assert!(!speaks("bin/rails db:migrate", db, "bin/rails routes"));
    let gone = "FileNotFoundError: [Errno 2] No such file or directory: 'conf/app.yml'";
    assert!(speaks("just serve", gone, "grep port conf/app.yml"));
    assert!(!speaks("just serve", gone, "ls conf/app.yml"));
    let inner =
        "bundle exec rubocop\napp/a.rb:1:1: C: Style\nerror: Recipe `lint` failed on line 3 with exit code 1";
    assert!(speaks("just ci", inner, "just lint"));
    assert!(!speaks("just ci", inner, "just test"));
}

/// As `speaks`, where these files are there.
fn speaks_in(there: &[&str], text: &str, error: &str, next: &str) -> bool {
    let is_missing = |path: &str| !there.contains(&path);
    let failure = Failure::new(&command(text), AT, error, Timestamp::UNIX_EPOCH, &is_missing);
    let found = failure.keys().iter().any(|key| command(next).keys().contains(key));
    found && failure.speaks_to(&command(next)).is_some()
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
fn many_tools_supply_and_others_do_not() {
    let gem =
        "Could not find gem 'pg' in locally installed gems. Run `bundle install` to install missing gems.";
    assert!(mended("bundle exec rake", gem, "bundle install", "Bundle complete!"));
    let module = "Error: Cannot find module 'express'\nRequire stack:\n- /home/me/shop/api/server.js";
    assert!(mended("node server.js", module, "npm ci", "added 90 packages"));
    assert!(!mended("cd api && node server.js", module, "cd web && npm ci", "added 90 packages"));
    assert!(mended("cd api && node server.js", module, "npm install", "added 90 packages"));
    assert!(!mended("node server.js", module, "npm install lodash", "added 1 package"));
    assert!(mended("node server.js", module, "npm i express", "added 60 packages"));
    let nuget = "error NETSDK1004: Assets file 'obj/project.assets.json' not found. Run a NuGet package restore to generate this file.";
    assert!(mended("dotnet build --no-restore", nuget, "dotnet restore", "Restored"));
    let table = "PG::UndefinedTable: ERROR: relation \"orders\" does not exist";
    assert!(mended("bin/rails runner x.rb", table, "bin/rails db:migrate", "== migrated"));
    assert!(!mended("bin/rails runner x.rb", table, "bin/rails db:version", "12"));
    let denied = "denied: requested access to the resource is denied: unauthorized, authentication required";
    assert!(mended("docker push reg/web", denied, "docker login reg", "Login Succeeded"));
    let busy = "Error: bind: address already in use 0.0.0.0:8080";
    assert!(mended("./serve", busy, "kill 4711", ""));
    assert!(!mended("./serve", busy, "npm install", "up to date"));
    let crate_ = "error: no such command: `nextest`";
    assert!(mended("cargo nextest run", crate_, "cargo install cargo-nextest", "Installed"));
    let group = "error: Group `ml` is not defined in the project's `dependency-groups` table";
    assert!(!mended("uv sync --group ml", group, "uv sync --group docs", "Resolved"));
    let version = "ERROR: No matching distribution found for flask==99; Could not find package 'flask'";
    assert!(!mended(
        "pip install flask==99",
        version,
        "pip install flask==3.0",
        "Successfully installed flask-3.0"
    ));
    let refused = "dial tcp 127.0.0.1:6443: connect: connection refused";
    assert!(!mended("kubectl --context a get pods", refused, "kubectl --context b get pods", "pod-1"));
    assert!(mended("kubectl --context a get pods", refused, "kubectl --context a get nodes", "n-1"));
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

#[test]
fn a_move_with_a_credential_is_known_again_without_it() {
    let migrate = "mvn -q -pl web flyway:migrate -Dflyway.user=web -Dflyway.password=hunter2";
    assert!(same(migrate, "cd web && mvn flyway:migrate -Dflyway.user=web -Dflyway.password=hunter2"));
    assert!(!same(migrate, "mvn -q -pl api flyway:migrate -Dflyway.user=web -Dflyway.password=hunter2"));
    assert!(same(
        "PGPASSWORD=hunter2 psql -h db -c 'select x'",
        "PGPASSWORD=hunter2 psql --host=db -c 'select x'"
    ));
    let kept = failed(migrate, "Validate failed: hunter2. Run repair to fix the schema history.");
    assert!(!serde_json::to_string(&kept).expect("JSON").contains("hunter2"));
    assert!(
        kept.is_mended_by(
            &command("mvn -pl web flyway:repair -Dflyway.user=web -Dflyway.password=hunter2"),
            ""
        )
    );
    // Another password is another move where the password was the reason.
    let refused =
        failed("PGPASSWORD=hunter2 psql -h db", "FATAL: password authentication failed for user \"web\"");
    assert!(refused.is_same(&command("PGPASSWORD=hunter2 psql -h db")));
    assert!(!refused.is_same(&command("PGPASSWORD=hunter3 psql -h db")));
}

#[test]
fn a_value_for_what_the_error_names_makes_another_move() {
    let error = "Error: template: gateway/templates/deploy.yaml:15: at <.Values.image.tag>: nil pointer evaluating interface {}.tag\n\nUse --debug flag to render out invalid YAML";
    let render = "helm template gateway charts/gateway --values charts/gateway/v.yaml";
    let failure = Failure::new(&command(render), AT, error, Timestamp::UNIX_EPOCH, &|_| false);
    let speaks = |more: &str| failure.speaks_to(&command(&format!("{render} {more}"))).is_some();
    assert!(speaks("--set replicas=2"));
    assert!(!speaks("--set image.tag=1.8.2,replicas=2"));
}

#[test]
fn a_longer_name_is_no_name_for_here() {
    assert!(same("mytool scan $PWD/src", "mytool scan src"));
    assert!(!same("mytool scan $PWD_OLD/src", "mytool scan /home/me/shop_OLD/src"));
}
