//! Programs that cannot start, packages that cannot be had, and commands that run in another place.

use super::*;

#[test]
fn what_is_so_anyway_makes_no_other_move() {
    for (first, second) in [
        ("swift build", "swift build -c debug"),
        ("dotnet test", "dotnet test --configuration Debug"),
        ("cargo build", "cargo build --profile dev"),
        ("bundle", "bundle install"),
        ("yarn --frozen-lockfile", "yarn install --frozen-lockfile"),
        ("pre-commit run --all-files", "pre-commit --all-files"),
        ("phpstan analyze src", "vendor/bin/phpstan analyse src"),
        ("ktlint lint app", "ktlint app"),
        ("redis-cli -p 6379 ping", "redis-cli ping"),
        ("bazel test //a/b:c", "cd a && bazel test b:c"),
        ("bazel build //...", "bazel build ..."),
        ("kustomize build env/prod", "cd env/prod && kustomize build ."),
        ("dotnet ef database update --project src/Web", "cd src/Web && dotnet ef database update"),
    ] {
        assert!(same(first, second), "{first}  and  {second}");
    }
    assert!(!same("swift build", "swift build -c release"));
    assert!(!same("yarn", "yarn --version"));
}

#[test]
fn who_needs_a_program_that_is_not_there_or_cannot_start_is_warned() {
    let stub = "bash: line 1: vendor/bin/pest: No such file or directory";
    assert!(speaks("vendor/bin/pest tests/A.php", stub, "./vendor/bin/pest tests/B.php"));
    assert!(speaks("vendor/bin/pest tests/A.php", stub, "php vendor/bin/pest tests/B.php"));
    assert!(!speaks("vendor/bin/pest tests/A.php", stub, "composer install"));
    let plugin = "error: an executable named kubectl-neat could not be found on the PATH: kubectl-neat";
    assert!(speaks("kubectl neat get pod a", plugin, "kubectl-neat get pod b"));
    assert!(speaks("kubectl neat get pod a", plugin, "kubectl neat get pod b"));
    assert!(!speaks("kubectl neat get pod a", plugin, "kubectl get pod b"));
    assert!(mended("kubectl neat get pod a", plugin, "brew install kubectl-neat", ""));
    let spawn = "Error: spawn protoc ENOENT";
    assert!(speaks("npm run gen", spawn, "protoc --version-info x.proto"));
    let ruby = "Your Ruby version is 3.1.2, but your Gemfile specified 3.3.0";
    assert!(speaks("bundle exec rspec", ruby, "bundle exec rake db:seed"));
    assert!(speaks("bundle exec rspec", ruby, "bundle install"));
    assert!(!speaks("bundle exec rspec", ruby, "bundle --version"));
    assert!(!speaks("bundle exec rspec", ruby, "npm test"));
    assert!(mended("bundle exec rspec", ruby, "rbenv install 3.3.0", ""));
    assert!(!mended("bundle exec rspec", ruby, "npm install", ""));
}

#[test]
fn packages_that_cannot_be_had_stop_every_build_of_the_project() {
    let gone = "error: no matching package named `acme-auth` found\nlocation searched: registry `crates-io`";
    assert!(speaks("cargo build", gone, "cargo test"));
    assert!(speaks("cargo build", gone, "cargo fetch"));
    assert!(!speaks("cargo build", gone, "cd other && cargo test"));
    assert!(!speaks("cargo build", gone, "cargo fmt"));
    assert!(!speaks("npm run build", gone, "npm install"));
    let nuget = "error NU1101: Unable to find package Acme.Auth. No packages exist with this id in source(s)";
    assert!(mended("dotnet build", nuget, "dotnet nuget add source https://feed.test/v3 -n acme", ""));
    assert!(!mended("dotnet build", nuget, "helm repo add web https://charts.test", ""));
}

#[test]
fn a_place_has_one_name_however_it_is_written() {
    let ssh = "ssh: connect to host 10.9.0.4 port 22: Connection refused";
    assert!(speaks("ansible-playbook site.yml", ssh, "ssh ops@10.9.0.4 uptime"));
    assert!(speaks("ansible-playbook site.yml", ssh, "scp a.txt ops@10.9.0.4:/srv"));
    assert!(!speaks("ansible-playbook site.yml", ssh, "ssh ops@10.9.0.5 uptime"));
    assert!(!speaks("ssh ops@10.9.0.4 id", ssh, "ssh -p 2022 ops@10.9.0.4 id"));
    assert!(!speaks("ssh ops@10.9.0.4 id", ssh, "ssh ops@10.9.0.5 id"));
    assert!(!speaks("ansible-playbook site.yml", ssh, "ansible-playbook site.yml --limit web9"));
    let sql = "SqlException: cannot open a connection to the server (localhost,1433): Connection refused";
    assert!(speaks("dotnet run", sql, "sqlcmd -Q 'select 1'"));
    assert!(mended("dotnet run", sql, "docker start mssql", "0.0.0.0:1433"));
    let web = "connect to https://git.acme.test/api failed: Connection refused";
    assert!(speaks("curl https://git.acme.test/api", web, "curl -s https://git.acme.test:443/version"));
    assert!(!speaks("curl https://git.acme.test/api", web, "curl http://git.acme.test/version"));
}

#[test]
fn what_is_described_below_the_error_is_what_is_not_there() {
    let gone =
        "error: could not find a device matching this:\n    { os: x, name: Small Tablet }\n\nothers:\n";
    assert!(speaks("build --device 'name=Small Tablet'", gone, "emu boot 'Small Tablet'"));
    assert!(!speaks("build --device 'name=Small Tablet'", gone, "emu boot 'Big Tablet'"));
    assert!(!speaks("build --device 'name=Small Tablet'", gone, "emu create 'Small Tablet'"));
    assert!(mended("build --device 'name=Small Tablet'", gone, "emu create 'Small Tablet'", ""));
}

#[test]
fn a_command_that_runs_elsewhere_answers_and_supplies_there() {
    let learned = |text: &str, exit: i32| command(text).not_learned(Some(exit), "inactive", false);
    assert_eq!(learned("ssh -i key ops@box systemctl is-active web", 3), Some(NotLearned::Answer));
    assert_eq!(learned("ssh ops@box 'test -f /etc/x'", 1), Some(NotLearned::Answer));
    assert_eq!(learned("docker exec -u root web grep -q x /etc/y", 1), Some(NotLearned::Answer));
    assert_eq!(learned("kubectl exec -n a pod-1 -- test -d /data", 1), Some(NotLearned::Answer));
    assert_eq!(learned("ssh ops@box make", 1), None);
    let refused = "connect to 10.9.0.4:22 failed: Connection refused";
    let restart = "ssh -p 2022 ops@10.9.0.4 sudo systemctl restart sshd";
    assert!(mended("ansible-playbook site.yml", refused, restart, "listening on 0.0.0.0:22"));
    let there = "could not connect to localhost:6379: Connection refused";
    assert!(!mended("redis-cli ping", there, "docker exec cache redis-cli -p 7000 ping", "PONG"));
}

#[test]
fn one_kind_of_program_reads_one_kind_of_file() {
    let yaml = "Syntax Error while loading YAML.\n  did not find expected key\nin 'hosts/prod.yml': line 7";
    assert!(speaks_in(
        &["hosts/prod.yml"],
        "ansible-playbook -i hosts/prod.yml a.yml",
        yaml,
        "ansible-doctor -i hosts/prod.yml"
    ));
    assert!(!speaks_in(
        &["hosts/prod.yml"],
        "ansible-playbook -i hosts/prod.yml a.yml",
        yaml,
        "ansible-doctor -i hosts/dev.yml"
    ));
    let placed =
        "ERROR! couldn't resolve module/action 'x.y'.\nThe error appears to be in 'a.yml': line 3, column 7";
    let speaks = |next| speaks_in(&["a.yml", "b.yml"], "ansible-playbook a.yml", placed, next);
    assert!(speaks("ansible-playbook a.yml --syntax-check"));
    assert!(!speaks("ansible-playbook b.yml"));
}

#[test]
fn to_build_a_thing_is_to_need_what_it_is_built_from() {
    let target =
        "ERROR: a/BUILD:1:1: no such target '//api:types': target 'types' not declared in package 'api'";
    assert!(speaks("bazel test //a:a_test", target, "bazel build //api:types"));
    assert!(!speaks("bazel test //a:a_test", target, "bazel build //api:names"));
    let package = "ERROR: no such package 'web/shop': BUILD file not found in any of these directories";
    assert!(speaks("bazel build //web/shop:image", package, "bazel query //web/shop:all"));
    assert!(!speaks("bazel build //web/shop:image", package, "bazel query //web/cart:all"));
    assert!(!speaks("bazel build //web/shop:image", package, "mkdir -p web/shop"));
    let context =
        "ERROR: unable to prepare context: path \"deploy/api\" not found: no such file or directory";
    assert!(speaks("docker build deploy/api", context, "docker buildx build deploy/api"));
}

#[test]
fn what_is_about_to_be_made_is_not_missing() {
    let notice = "Release \"web\" does not exist. Installing it now.\nError: image.tag is required";
    assert!(!speaks("helm upgrade -i web chart", notice, "helm upgrade -i web chart --set image.tag=1"));
    let gone = "Error: release \"web\" does not exist";
    assert!(speaks("helm rollback web 1", gone, "helm history web"));
}

#[test]
fn a_file_that_refers_to_what_is_not_there_is_broken_for_its_kind() {
    let gone = "Error: accumulating resources: lstat base/web: no such file or directory";
    let there = &["env/prod", "env/dev", "tests/a.py"];
    assert!(speaks_in(there, "kustomize build env/prod", gone, "kubectl apply -k env/prod"));
    assert!(!speaks_in(there, "kustomize build env/prod", gone, "kubectl apply -k env/dev"));
    assert!(!speaks_in(there, "pytest tests/a.py", gone, "ruff check tests/a.py"));
}

#[test]
fn nothing_starts_where_the_packages_are_to_be_installed_first() {
    let gems = "bundler: failed to load command: puma\nCould not find rack-3.0 in locally installed gems\nRun `bundle install` to install missing gems.";
    assert!(speaks("bundle exec puma", gems, "bundle exec rake db:seed"));
    assert!(!speaks("bundle exec puma", gems, "bundle install"));
    assert!(!speaks("bundle exec puma", gems, "cd other && bundle exec rake db:seed"));
    let deps = "Unchecked dependencies for environment dev:\n* jason: the dependency is not available, run \"mix deps.get\"";
    assert!(speaks("mix test", deps, "mix compile"));
    assert!(!speaks("mix test", deps, "mix deps.get"));
    let plan = "× No solution found when resolving dependencies: your requirements are unsatisfiable.";
    assert!(speaks("uv sync", plan, "uv lock"));
    assert!(!speaks("uv sync", plan, "uv lock --upgrade"));
    assert!(!speaks("uv sync", plan, "uv add other"));
}

#[test]
fn a_language_or_a_library_of_the_system_is_supplied_by_what_installs_it() {
    let python = "skipped because could not find python interpreter with spec(s): py311";
    assert!(mended("tox -e py311", python, "uv python install 3.11", "Installed Python 3.11.9"));
    assert!(mended("tox -e py311", python, "pyenv install 3.11", ""));
    assert!(!mended("tox -e py311", python, "uv python install 3.9", "Installed Python 3.9.1"));
    assert!(!mended("tox -e py311", python, "pip install requests", ""));
    let header = "fatal error: 'libxml2.h' file not found: no such file or directory";
    assert!(mended("pip install lxml", header, "sudo apt-get install -y libxml2-dev", ""));
    let linked = "/usr/bin/ld: cannot find -lcurl: No such file or directory";
    assert!(mended("make", linked, "brew install libcurl", ""));
    assert!(!mended("make", linked, "brew install jq", ""));
}

#[test]
fn the_same_migration_in_another_place_is_no_remedy() {
    let exists = "PG::DuplicateTable: ERROR: relation \"tags\" already exists\ndb/migrate/1_tags.rb:3";
    assert!(!mended("bin/rails db:migrate", exists, "RAILS_ENV=test bin/rails db:migrate", ""));
    assert!(mended("bin/rails db:migrate", exists, "bin/rails db:schema:load", ""));
}

#[test]
fn code_that_reads_a_missing_file_needs_it() {
    let gone = "FileNotFoundError: [Errno 2] No such file or directory: '/home/me/shop/data/may.csv'";
    assert!(speaks("python plot.py", gone, "python -c \"print(open('data/may.csv').read())\""));
    assert!(!speaks("python plot.py", gone, "python -c \"open('data/may.csv', 'w').close()\""));
    let ran = "Missing file 'conf/key', to read secrets. See `bin/rake secrets:help`";
    assert!(!speaks("bin/rake secrets:show", ran, "KEY=1 bin/rake secrets:edit"));
}
