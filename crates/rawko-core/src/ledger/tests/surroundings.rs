//! Errors about a program's surroundings: whatever it is told next, it meets the same; of no data set.

use super::*;

/// Files that are there, what failed, what it said, and what meets the same.
#[rustfmt::skip]
const MEETS: &[(&str, &str, &str, &str)] = &[
    ("", "npm run test:e2e", "Error: connect ECONNREFUSED 127.0.0.1:4444", "curl http://localhost:4444/status"),
    ("", "docker compose exec db psql -U app", "service \"db\" is not running", "docker compose exec db pg_dump app"),
    ("", "docker exec web ls", "Error response from daemon: container 3f is not running", "docker exec web cat /etc/hosts"),
    ("main.tf", "terraform plan", "Error: Unsupported argument\n\n  on main.tf line 12, in resource \"aws_x\" \"y\":", "terraform validate"),
    ("", "terraform plan", "Error: error configuring S3 Backend: no valid credential sources for S3 Backend found.", "terraform state list"),
    ("pyproject.toml", "uv sync", "error: Failed to parse: `pyproject.toml`\n  TOML parse error at line 3", "uv run pytest"),
    ("package.json", "npm test", "npm error code EJSONPARSE\nnpm error JSON.parse Unexpected token } in JSON at position 20 while parsing near package.json", "npm run build"),
    ("", "cargo build", "error: failed to get `acme` as a dependency of package `x`", "cargo check"),
    ("", "cargo nextest run", "error: no such command: `nextest`", "cargo nextest list"),
    ("", "cargo build --features gpu", "error: Package `x` does not have feature `gpu`", "cargo test --features gpu"),
    ("go.mod", "go build ./...", "go: errors parsing go.mod:\n/home/me/shop/go.mod:5: unknown directive", "go test ./..."),
    ("", "go generate ./...", "gen.go:3: running \"mockgen\": exec: \"mockgen\": executable file not found in $PATH", "mockgen -source a.go"),
    ("", "kubectl apply -f a.yaml", "Error from server (NotFound): namespaces \"shop\" not found", "kubectl -n shop get pods"),
    ("", "kubectl port-forward svc/db 5432", "Error from server (NotFound): services \"db\" not found", "kubectl describe svc db"),
    ("", "aws s3 ls --profile ops", "The config profile (ops) could not be found", "aws ec2 describe-instances --profile ops"),
    ("", "aws ecr get-login-password", "You must specify a region. You can also configure your region by running \"aws configure\".", "aws ecs list-clusters"),
    ("", "gcloud builds submit", "ERROR: (gcloud) The required property [project] is not currently set.", "gcloud run services list"),
    ("", "sqlite3 data/a.db .tables", "Error: unable to open database \"data/a.db\": unable to open database file", "sqlite3 data/a.db 'select 1'"),
    ("", "mysql -h db shop", "ERROR 1045 (28000): Access denied for user 'me'@'db' (using password: NO)", "mysqldump -h db shop"),
    ("", "mysql -h db shop", "ERROR 2005 (HY000): Unknown MySQL server host 'db' (-2)", "mysqladmin -h db status"),
    ("", "psql -h db.local -c 'select 1'", "psql: error: could not translate host name \"db.local\" to address: Name or service not known", "pg_dump -h db.local shop"),
    ("", "redis-cli -a x ping", "NOAUTH Authentication required.", "redis-cli -a x get k"),
    ("", "bundle exec rspec", "ActiveRecord::PendingMigrationError: Migrations are pending. To resolve this issue, run: bin/rails db:migrate RAILS_ENV=test", "bundle exec rspec spec/a_spec.rb"),
    ("", "bundle install", "Could not reach host rubygems.acme.test. Check your network connection and try again.", "bundle update"),
    ("", "php artisan migrate", "SQLSTATE[HY000] [2002] Connection refused (Connection: mysql, SQL: select 1)", "php artisan db:seed"),
    ("", "xcodebuild -scheme App build", "xcodebuild: error: The project named \"App\" does not contain a scheme named \"App\".", "xcodebuild -scheme App test"),
    ("", "fastlane beta", "Could not find lane 'beta'.", "bundle exec fastlane beta"),
    ("", "ansible all -m ping", "[WARNING]: No inventory was parsed\nERROR! Unable to parse /home/me/shop/hosts.ini as an inventory source: does not exist", "ansible-playbook -i hosts.ini a.yml"),
    ("", "vault kv get secret/a", "Get \"https://127.0.0.1:8200/v1/x\": dial tcp 127.0.0.1:8200: connect: connection refused", "vault status"),
    ("", "git fetch upstream", "fatal: 'upstream' does not appear to be a git repository", "git merge upstream/main"),
    ("", "git lfs pull", "git: 'lfs' is not a git command. See 'git --help'.", "git lfs install"),
    ("", "gh run list", "gh: command not found", "gh pr list"),
    ("train.py", "python train.py --epochs 2", "ModuleNotFoundError: No module named 'torch'", "python train.py --epochs 1"),
    ("", "make flash", "make: arm-none-eabi-gcc: No such file or directory\nmake: *** [Makefile:9: a.o] Error 127", "arm-none-eabi-gcc --print-x a.c"),
    ("", "ninja -C build", "ninja: error: loading 'build.ninja': No such file or directory", "ninja -C build test"),
    ("", "protoc --go_out=. a.proto", "protoc-gen-go: program not found or is not executable", "protoc --go_out=. b.proto"),
];

/// What failed, what it said, and what is left alone.
#[rustfmt::skip]
const LEFT_ALONE: &[(&str, &str, &str)] = &[
    ("aws s3 ls", "You must specify a region. You can also configure your region by running \"aws configure\".", "aws s3 ls --region eu-west-1"),
    ("aws s3 ls", "You must specify a region. You can also configure your region by running \"aws configure\".", "aws configure set region eu-west-1"),
    ("aws s3 ls", "You must specify a region. You can also configure your region by running \"aws configure\".", "aws --version"),
    ("eslint src", "Error: cannot read the config of src: no such rule", "eslint test"),
    ("eslint src", "config ok\n3 problems: expected a semicolon", "eslint test"),
    ("pytest tests/a.py", "tests failed: 1, config: pytest.ini", "pytest tests/b.py"),
    ("npm run lint", "Error: no config was found", "npm run build"),
    ("kubectl get pods", "Error from server (Forbidden): cannot get the current configuration", "kubectl get svc"),
    ("gcloud builds submit", "The required property [project] is not currently set.", "cd other && FLAG=1 gcloud run services list"),
];

#[test]
fn who_meets_the_same_surroundings_is_warned() {
    let wrong = MEETS.iter().filter(|(there, first, error, next)| {
        !speaks_in(&there.split(' ').collect::<Vec<_>>(), first, error, next)
    });
    assert_eq!(wrong.map(|(_, first, _, next)| (first, next)).collect::<Vec<_>>(), []);
    let wrong = LEFT_ALONE.iter().filter(|(first, error, next)| speaks(first, error, next));
    assert_eq!(wrong.map(|(first, _, next)| (first, next)).collect::<Vec<_>>(), []);
}

#[test]
fn surroundings_are_mended_by_what_sets_them_and_shown_by_who_succeeds_in_them() {
    let unset = "ERROR: (gcloud) The required property [project] is not currently set.";
    assert!(mended("gcloud builds submit", unset, "gcloud config set project shop", ""));
    assert!(mended("gcloud builds submit", unset, "gcloud run services list", "api"));
    assert!(!mended("gcloud builds submit", unset, "gcloud --version", "1"));
    assert!(!mended("gcloud builds submit", unset, "aws configure", ""));
    let login = "Please run 'az login' to setup account.";
    assert!(mended("az group list", login, "az vm list", "[]"));
    assert!(!mended("az group list", login, "az version", "2"));
}
