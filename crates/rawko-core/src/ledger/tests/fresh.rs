//! Situations thought up after the rules, for tools that no rule names.

use super::worlds::{Case, wrong};

#[rustfmt::skip]
const SAME: &[Case] = &[
    ("hugo --source site --minify", 1, "Error: error building site: failed to render pages: render of \"page\" failed: template: _default/single.html:12", &[], "cd site && hugo --minify", true),
    ("NO_COLOR=1 ginkgo run -r ./pkg/auth", 1, "[Fail] Login refuses an empty password\nRan 12 of 12 Specs\nFAIL! -- 11 Passed | 1 Failed", &[], "ginkgo run -r pkg/auth 2>&1 | tail -30", true),
    ("pio run -e esp32dev", 1, "src/main.cpp:14:3: error: 'Serial1' was not declared in this scope\n*** [.pio/build/esp32dev/src/main.cpp.o] Error 1", &[], "pio run --environment esp32dev", true),
    ("pio run -d firmware -e esp32dev", 1, "src/main.cpp:14:3: error: 'Serial1' was not declared in this scope", &[], "cd firmware && pio run -e esp32dev", true),
    ("west build -b nrf52840dk app", 1, "ERROR: Board nrf52840dk not found", &[], "west build --board nrf52840dk app", true),
    ("sam build --template-file infra/template.yaml", 1, "Error: PythonPipBuilder:ResolveDependencies - {lxml==4.9(wheel)}", &[], "sam build -t infra/template.yaml", true),
    ("k6 run load/smoke.js --vus 5", 99, "ERRO[0012] thresholds on metrics 'http_req_duration' have been crossed", &[], "k6 run --vus=5 ./load/smoke.js", true),
    ("locust -f load/locustfile.py --headless -u 10", 1, "ValueError: bad host", &[], "locust --headless --users 10 --locustfile load/locustfile.py", true),
    ("vale docs/guide.md", 1, "✖ 3 errors, 1 warning and 0 suggestions in 1 file.", &[], "vale --no-wrap ./docs/guide.md", false),
    ("nx test billing --skip-nx-cache", 1, "NX   Running target test for project billing failed", &[], "npx nx test billing --skip-nx-cache", true),
    ("php bin/console doctrine:migrations:migrate -n", 1, "[error] Migration DoctrineMigrations\\Version2026 failed during Execution. Error: \"duplicate column\"", &[], "php bin/console doctrine:migrations:migrate --no-interaction", true),
    ("elm make src/Main.elm --output=dist/elm.js", 1, "-- TYPE MISMATCH ---- src/Main.elm\nThe 1st argument to `view` is not what I expect", &[], "elm make src/Main.elm --output /tmp/elm.js", true),
    ("xcodebuild -scheme App test 2>&1 | xcpretty", 65, "Testing failed: 2 tests", &[], "xcodebuild test -scheme App | xcbeautify", false),
    ("sphinx-build -b html docs docs/_build", 2, "WARNING: treated as error: docs/api.rst:3: undefined label", &[], "sphinx-build -b html docs /tmp/docs-build.a8Bq", false),
    ("buf lint proto", 100, "proto/user.proto:14:3:Field name \"userID\" should be lower_snake_case", &[], "(cd proto && buf lint)", true),
    ("sops -d secrets/prod.yaml > /tmp/prod.x81.yaml", 128, "Failed to get the data key required to decrypt the SOPS file.", &[], "sops --decrypt secrets/prod.yaml", true),
    ("age -d -i key.txt -o out.json secrets.age", 1, "age: error: no identity matched any of the recipients", &[], "age --decrypt -i key.txt secrets.age > /tmp/out.json", true),
    ("act -j build -P ubuntu-latest=node:20", 1, "Error: Job 'build' failed", &[], "act --job build -P ubuntu-latest=node:20", true),
    ("mkdocs build --strict -f docs/mkdocs.yml", 1, "Aborted with 1 warnings in strict mode!", &[], "mkdocs build --strict --config-file docs/mkdocs.yml", true),
    ("typst compile report/main.typ", 1, "error: unknown variable: total\n  ┌─ report/main.typ:9:3", &[], "typst compile ./report/main.typ /tmp/out.pdf", false),
    ("latexmk -pdf paper.tex", 12, "! Undefined control sequence.\nl.42 \\citet", &[], "latexmk -pdf -interaction=nonstopmode paper.tex", false),
    ("R CMD check pkg", 1, "* checking examples ... ERROR", &[], "cd /home/me/shop && R CMD check ./pkg", true),
    ("cabal test all --test-show-details=direct", 1, "1 of 1 test suites (0 of 1 test cases) passed.", &[], "cabal --verbose=0 test all --test-show-details direct", true),
    ("sudo -E env FOO=1 ./install.sh", 1, "install: prefix is not writable by group", &[], "sudo FOO=1 -E ./install.sh", false),
    ("DEBUG=pw:api npx playwright test login.spec.ts", 1, "1 failed\n  login.spec.ts:3:1 › logs in", &[], "npx playwright test ./login.spec.ts --reporter=line", true),
    ("pip install --no-cache-dir -r requirements/dev.txt", 1, "ERROR: Could not find a version that satisfies the requirement torch==9.9", &[], "python3 -m pip install -r ./requirements/dev.txt --no-cache-dir -q", true),
    ("bundle exec rails db:seed RAILS_ENV=test", 1, "ActiveRecord::RecordInvalid: Validation failed: Name can't be blank", &[], "RAILS_ENV=test bin/rails db:seed", true),
    ("mvn -pl api test -Dtest=CartTest", 1, "[ERROR] CartTest.total:14 expected: <3> but was: <4>", &[], "mvn --projects api -Dtest=CartTest test --no-transfer-progress", true),
    ("docker buildx build --platform linux/arm64 -t shop/api:dev api", 1, "ERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1", &[], "docker buildx build -t shop/api:test --platform=linux/arm64 ./api", true),
    ("cat schema.sql | sqlite3 /tmp/t.Ab3x/x.db", 1, "Error: near line 3: near \"TABEL\": syntax error", &[], "sqlite3 /tmp/t.Zz91/x.db < schema.sql", true),
    ("ssh -p 2222 ops@box 'sudo systemctl restart api'", 1, "Failed to restart api.service: Unit api.service not found.", &[], "ssh ops@box -p 2222 \"sudo systemctl restart api\"", true),
    ("kubectl kustomize overlays/dev | kubectl apply -f -", 1, "error: accumulating resources: open overlays/dev/x.yaml: no such file or directory", &[], "kubectl kustomize ./overlays/dev | kubectl apply -f -", true),
    ("pnpm --filter @shop/web build", 1, "src/app.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.", &[], "pnpm -F @shop/web run build", true),
    ("turbo run build --filter=web", 1, "web:build: ERROR: command finished with error", &[], "npx turbo build --filter web", false),
    ("npm run lint --workspace=web", 1, "✖ 2 problems (2 errors, 0 warnings)", &[], "npm -w web run lint --silent", true),
    ("poetry -C services/api run pytest tests/test_a.py -x", 1, "FAILED tests/test_a.py::test_one - assert 1 == 2", &[], "cd services/api && poetry run pytest -x ./tests/test_a.py -q", true),
    ("uv run --directory api alembic upgrade head", 1, "sqlalchemy.exc.ProgrammingError: (psycopg.errors.DuplicateTable) relation \"users\" already exists", &[], "(cd api && uv run alembic upgrade head)", true),
    ("terraform -chdir=envs/dev plan -out=/tmp/plan.x1", 1, "Error: Unsupported argument\n  on main.tf line 3", &[], "cd envs/dev && terraform plan -no-color -input=false", true),
    ("stack build --fast", 1, "src/Lib.hs:12:5: error: Variable not in scope: foo", &[], "stack --color never build --fast", true),
    ("golangci-lint run ./internal/... --timeout 3m", 1, "internal/a.go:3:2: ineffectual assignment to err (ineffassign)", &[], "golangci-lint run --timeout=5m ./internal/...", true),
    ("cargo nextest run -p core -E 'test(parse)'", 100, "FAIL [0.01s] core parse::empty", &[], "CARGO_TERM_COLOR=never cargo nextest run --package core --filter-expr 'test(parse)'", true),
    ("python manage.py test shop.tests.test_cart --keepdb", 1, "FAIL: test_total (shop.tests.test_cart.CartTest)", &[], "DJANGO_COLORS=nocolor python3 manage.py test --keepdb shop.tests.test_cart -v 2", true),
    ("git push origin HEAD", 1, "! [rejected] HEAD -> feature (non-fast-forward)", &[], "git push --quiet origin HEAD", true),
    ("tofu apply -auto-approve -var-file=dev.tfvars", 1, "Error: creating S3 Bucket (x): BucketAlreadyExists", &[], "terraform apply -var-file dev.tfvars -auto-approve", true),
    ("ansible-playbook -i inv/dev site.yml --tags web", 2, "fatal: [web1]: FAILED! => {\"msg\": \"No package matching 'nginx-extras' found available\"}", &[], "ansible-playbook site.yml -t web -i ./inv/dev --diff", false),
    ("helm lint charts/api -f charts/api/values-dev.yaml", 1, "[ERROR] templates/: parse error at (api/templates/deploy.yaml:14)", &[], "helm lint ./charts/api --values charts/api/values-dev.yaml", true),
    ("yarn workspace @shop/api test cart", 1, "Tests: 1 failed, 3 passed", &[], "cd /home/me/shop && yarn workspace @shop/api run test cart", true),
];

#[rustfmt::skip]
const OTHER: &[Case] = &[
    ("hugo --source site", 1, "Error: error building site", &[], "hugo --source blog", false),
    ("mytool sync --from prod --to dev", 1, "error: unknown flag: --from", &[], "mytool sync --source prod --to dev", false),
    ("mytool scan src/a", 1, "error: bad rule", &[], "cd src/b && mytool scan", false),
    ("mytool scan src/a", 1, "error: bad rule", &[], "mytool scan src/a --fix", false),
    ("gcc -o app main.c", 1, "/usr/bin/ld: cannot open output file app: Is a directory", &[], "gcc -o app.bin main.c", false),
    ("docker run --name web nginx:1", 125, "docker: Error response from daemon: Conflict. The container name \"/web\" is already in use", &[], "docker run --name web2 nginx:1", false),
    ("pip install", 1, "ERROR: You must give at least one requirement to install (see \"pip help install\")", &[], "pip install .", false),
    ("npm install", 1, "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree", &[], "npm install ./packages/ui", false),
    ("npm install", 1, "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error Fix the upstream dependency conflict, or retry this command with --force or --legacy-peer-deps", &[], "npm install --legacy-peer-deps", false),
    ("cargo build", 101, "error[E0308]: mismatched types\n --> src/a.rs:3:5", &[], "cargo build -p other", false),
    ("cargo build", 101, "error[E0308]: mismatched types\n --> src/a.rs:3:5", &[], "cargo fmt", false),
    ("cargo build", 101, "error[E0308]: mismatched types\n --> src/a.rs:3:5", &[], "cargo add serde", false),
    ("cargo test", 101, "error[E0308]: mismatched types\n --> tests/a.rs:3:5", &[], "cargo build", false),
    ("tsc -p apps/web", 2, "apps/web/a.ts(1,2): error TS2304: Cannot find name 'x'.", &[], "tsc -p apps/admin", false),
    ("make -C fw flash PORT=/dev/ttyUSB0", 2, "could not open port '/dev/ttyUSB0': No such file or directory", &[], "make -C fw flash PORT=/dev/ttyACM0", false),
    ("aws s3 cp a.txt s3://one/a.txt", 1, "upload failed: An error occurred (NoSuchBucket) when calling the PutObject operation: The specified bucket does not exist", &[], "aws s3 cp a.txt s3://two/a.txt", false),
    ("curl -fsS localhost:8080/health", 7, "curl: (7) Failed to connect to localhost port 8080", &[], "curl -fsS localhost:8081/health", false),
    ("git rebase main", 1, "error: cannot rebase: You have unstaged changes.\nerror: Please commit or stash them.", &[], "git rebase --autostash main", false),
    ("git rebase main", 1, "error: cannot rebase: You have unstaged changes.\nerror: Please commit or stash them.", &[], "git stash && git rebase main", false),
    ("git cherry-pick abc1", 1, "error: your local changes would be overwritten by cherry-pick.", &[], "git log -3", false),
    ("npm test", 1, "FAIL src/a.test.js\n  Expected: 1\n  Received: 2", &[], "npm run lint && npm run build", false),
    ("npm ci && npm test", 1, "FAIL src/a.test.js\n  Expected: 1\n  Received: 2", &[], "npm ci", false),
    ("git add -A && git commit -m one && git push", 1, "! [rejected] main -> main (fetch first)\nerror: failed to push some refs", &[], "git commit -m two", false),
    ("docker compose up -d db && npm run migrate", 1, "Error: P1001: Can't reach database server at localhost:5432", &[], "docker compose up -d db", false),
    ("bash scripts/a.sh | grep ok", 1, "", &[], "bash scripts/a.sh", false),
    ("psql -f db/schema.sql shop", 3, "psql:db/schema.sql:4: ERROR:  type \"money2\" does not exist", &[], "psql -f db/types.sql shop", false),
    ("php artisan test", 1, "FAILED Tests\\Unit\\CartTest > total\nFailed asserting that 3 matches expected 4.", &[], "php artisan migrate", false),
    ("pytest tests/a.py", 1, "E   OperationalError: connection to server at \"localhost\", port 5432 failed: Connection refused", &[], "pytest tests/unit", false),
    ("ninja -C build tests", 1, "FAILED: a.o\nninja: build stopped: subcommand failed.", &[], "ninja -C build docs", false),
    ("cmake --build build --target docs", 1, "ninja: build stopped: subcommand failed.", &[], "ninja -C build", false),
    ("mytool --output json list", 1, "error: list is empty", &[], "mytool --output yaml show", false),
    ("java -jar app.jar --port 8080", 1, "Web server failed to start. Port 8080 was already in use.", &[], "java -jar app.jar --port 8090", false),
];

#[rustfmt::skip]
const MENDED: &[Case] = &[
    ("pio device monitor", 1, "Error: Please specify a valid port: /dev/ttyUSB0 permission denied", &[("sudo usermod -aG dialout me", "")], "pio device monitor", false),
    ("conda activate geo", 1, "Could not find conda environment: geo", &[("conda env create -f environment.yml", "done\n# To activate this environment, use\n#     $ conda activate geo")], "conda activate geo", false),
    ("gh pr create --fill", 1, "pull request create failed: GraphQL: No commits between main and feature-x (createPullRequest)", &[("git push -u origin feature-x", "branch 'feature-x' set up to track 'origin/feature-x'.")], "gh pr create --fill", false),
    ("gh pr create --fill", 1, "aborted: you must first push the current branch to a remote, or use the --head flag", &[("git push -u origin HEAD", "")], "gh pr create --fill", false),
    ("kubectl apply -f crds/rollout.yaml", 1, "error: no matches for kind \"Rollout\" in version \"argoproj.io/v1alpha1\"", &[("kubectl apply -f https://x.test/argo-rollouts/install.yaml", "customresourcedefinition.apiextensions.k8s.io/rollouts.argoproj.io created")], "kubectl apply -f crds/rollout.yaml", false),
    ("helm upgrade web ./chart", 1, "Error: found in Chart.yaml, but missing in charts/ directory: redis", &[("helm dependency build ./chart", "Saving 1 charts")], "helm upgrade web ./chart", false),
    ("cargo sqlx prepare", 1, "error: no such command: `sqlx`", &[("cargo install sqlx-cli --no-default-features", "Installed package `sqlx-cli v0.8`")], "cargo sqlx prepare", false),
    ("cargo build --target wasm32-wasip1", 101, "error[E0463]: can't find crate for `core`\n = note: the `wasm32-wasip1` target may not be installed", &[("rustup target add wasm32-wasip1", "")], "cargo build --target wasm32-wasip1", false),
    ("npx playwright test", 1, "browserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1/chrome", &[("npx playwright install chromium", "Chromium downloaded")], "npx playwright test", false),
    ("python -c 'import cv2'", 1, "ImportError: libGL.so.1: cannot open shared object file: No such file or directory", &[("sudo apt-get install -y libgl1", "Setting up libgl1")], "python -c 'import cv2'", false),
    ("bundle install", 5, "An error occurred while installing pg (1.5.4), and Bundler cannot continue.\nCan't find the 'libpq-fe.h header", &[("sudo apt-get install -y libpq-dev", "Setting up libpq-dev")], "bundle install", false),
    ("aws sts get-caller-identity --profile dev", 255, "Error when retrieving token from sso: Token has expired and refresh failed", &[("aws sso login --profile dev", "Successfully logged into Start URL")], "aws sts get-caller-identity --profile dev", false),
    ("terraform apply", 1, "Error: Error acquiring credentials: google: could not find default credentials", &[("gcloud auth application-default login", "Credentials saved")], "terraform apply", false),
    ("docker compose up -d", 1, "network edge declared as external, but could not be found", &[("docker network create edge", "3f1c")], "docker compose up -d", false),
    ("rails db:migrate", 1, "ActiveRecord::NoDatabaseError: We could not find your database: shop_dev", &[("rails db:create", "Created database 'shop_dev'")], "rails db:migrate", false),
    ("mix test", 1, "** (Mix) The database for Shop.Repo couldn't be created: connection refused", &[("brew services start postgresql@16", "==> Successfully started `postgresql@16`")], "mix test", false),
    ("redis-cli -p 6380 ping", 1, "Could not connect to Redis at 127.0.0.1:6380: Connection refused", &[("redis-server --port 6380 --daemonize yes", "")], "redis-cli -p 6380 ping", false),
    ("git push", 128, "fatal: The current branch topic has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream origin topic", &[("git push -u origin topic", "")], "git push", false),
    ("git commit -m x", 1, "error: gpg failed to sign the data\nfatal: failed to write commit object", &[("git config commit.gpgsign false", "")], "git commit -m x", false),
    ("git pull", 128, "fatal: refusing to merge unrelated histories\nhint: You have divergent branches and need to specify how to reconcile them.", &[("git config pull.rebase true", "")], "git pull", false),
    ("./gradlew bootRun", 1, "Could not target platform: 'Java SE 21' using tool chain: 'JDK 17 (17)'.", &[("sdk use java 21.0.2-tem", "Using java version 21.0.2-tem in this shell.")], "./gradlew bootRun", false),
    ("nvm use", 3, "Found '/home/me/shop/.nvmrc' with version <20.11>\nN/A: version \"v20.11\" is not yet installed.", &[("nvm install 20.11", "Now using node v20.11.0")], "nvm use", false),
    ("flutter build apk", 1, "Some Android licenses not accepted. To resolve this, run: flutter doctor --android-licenses", &[("yes | flutter doctor --android-licenses", "All SDK package licenses accepted.")], "flutter build apk", false),
    ("pod install", 1, "[!] CocoaPods could not find compatible versions for pod \"Firebase\": out-of-date source repos which you can update with `pod repo update`", &[("pod repo update", "")], "pod install", false),
    ("make seed", 2, "psql: error: FATAL:  role \"shop\" does not exist", &[("psql -U postgres -c \"CREATE ROLE shop LOGIN\"", "CREATE ROLE")], "make seed", false),
    ("npm run e2e", 1, "Error: connect ECONNREFUSED 127.0.0.1:4200", &[("npm start > /tmp/web.log 2>&1 &", "")], "npm run e2e", false),
    ("airflow dags list", 1, "ERROR: You need to initialize the database. Please run `airflow db init`.", &[("airflow db init", "Initialization done")], "airflow dags list", false),
    ("dvc push", 255, "ERROR: failed to push data to the cloud - config file error: no remote specified", &[("dvc remote add -d store s3://x/y", "Setting 'store' as a default remote.")], "dvc push", false),
    ("docker push localhost:5000/api:1", 1, "Get \"http://localhost:5000/v2/\": dial tcp 127.0.0.1:5000: connect: connection refused", &[("docker run -d -p 5000:5000 --name registry registry:2", "a91f")], "docker push localhost:5000/api:1", false),
    ("python train.py", 1, "OSError: [Errno 28] No space left on device: 'ckpt/1.pt'", &[("rm -rf ckpt/old", "")], "python train.py", false),
    ("ssh box uptime", 255, "Host key verification failed.", &[("ssh-keygen -R box", "")], "ssh box uptime", false),
    ("sls deploy", 1, "Error: Serverless plugin \"serverless-offline\" not found. Make sure it's installed", &[("npm install -D serverless-offline", "added 40 packages")], "sls deploy", false),
    ("tox -e py313", 1, "py313: skipped because could not find python interpreter with spec(s): py313", &[("uv python install 3.13", "Installed Python 3.13.0")], "tox -e py313", false),
    ("go run ./cmd/api", 1, "panic: open config.toml: no such file or directory", &[("cp config.example.toml config.toml", "")], "go run ./cmd/api", false),
    ("minikube kubectl -- get pods", 1, "Profile \"minikube\" not found. Run \"minikube profile list\" to view all profiles.", &[("minikube start", "Done! kubectl is now configured")], "minikube kubectl -- get pods", false),
    // Not a remedy.
    ("redis-cli -p 6380 ping", 1, "Could not connect to Redis at 127.0.0.1:6380: Connection refused", &[("npm ci", "added 3 packages")], "redis-cli -p 6380 ping", true),
    ("npx tsc --noEmit", 2, "src/a.ts(3,5): error TS2304: Cannot find name 'total'.", &[("npm test", "ok"), ("git pull", "Already up to date.")], "npx tsc --noEmit", true),
    ("docker compose up -d", 1, "network edge declared as external, but could not be found", &[("docker network create core", "3f1c")], "docker compose up -d", true),
    ("aws sts get-caller-identity --profile dev", 255, "Error when retrieving token from sso: Token has expired and refresh failed", &[("docker compose up -d", "started")], "aws sts get-caller-identity --profile dev", true),
    ("python -c 'import cv2'", 1, "ModuleNotFoundError: No module named 'cv2'", &[("pip install requests", "Successfully installed requests-2.32")], "python -c 'import cv2'", true),
    ("kubectl -n pay get deploy web", 1, "Error from server (NotFound): deployments.apps \"web\" not found", &[("kubectl -n pay get pods", "No resources found")], "kubectl -n pay get deploy web", true),
    ("cargo build", 101, "error[E0432]: unresolved import `crate::cart`\n --> src/a.rs:1:5", &[("cargo fmt", ""), ("git add -A", "")], "cargo build", true),
];

#[rustfmt::skip]
const MET: &[Case] = &[
    ("pnpm build", 1, "src/app.ts(3,5): error TS2322: Type 'string' is not assignable", &[], "pnpm --filter web build", false),
    ("go build ./...", 1, "internal/cart/cart.go:14:9: undefined: Total", &[], "go vet ./...", true),
    ("go build ./...", 1, "internal/cart/cart.go:14:9: undefined: Total", &[], "go test ./...", true),
    ("mvn compile", 1, "[ERROR] /home/me/shop/src/main/java/Cart.java:[14,9] cannot find symbol\n[ERROR] COMPILATION ERROR", &[], "mvn test", true),
    ("dotnet build", 1, "/home/me/shop/Cart.cs(14,9): error CS0103: The name 'total' does not exist in the current context", &[], "dotnet test", true),
    ("gradle compileKotlin", 1, "e: file:///home/me/shop/src/main/kotlin/Cart.kt:14:9 Unresolved reference: total\nExecution failed for task ':compileKotlin'.", &[], "gradle test", true),
    ("cargo check", 101, "error[E0432]: unresolved import `crate::cart`\n --> src/a.rs:1:5", &[], "cargo test", true),
    ("cargo check", 101, "error[E0432]: unresolved import `crate::cart`\n --> src/a.rs:1:5", &[], "cargo run -- --help", true),
    ("make", 2, "gcc -c cart.c\ncart.c:14:9: error: 'total' undeclared\nmake: *** [Makefile:9: cart.o] Error 1", &[], "make test", false),
    ("python scripts/report.py --month 3", 1, "KeyError: 'STRIPE_KEY'", &[], "python scripts/report.py --month 4", true),
    ("docker compose run api pytest", 1, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", &[], "docker compose up -d", true),
    ("aws s3 ls s3://shop-logs", 254, "An error occurred (NoSuchBucket) when calling the ListObjectsV2 operation: The specified bucket does not exist", &[], "aws s3 cp a.gz s3://shop-logs/a.gz", true),
    ("kubectl -n shop logs deploy/api", 1, "Error from server (NotFound): namespaces \"shop\" not found", &[], "helm -n shop list", true),
    ("psql postgres://localhost:5433/shop -c 'select 1'", 2, "connection to server at \"localhost\" (127.0.0.1), port 5433 failed: Connection refused", &[], "DATABASE_URL=postgres://localhost:5433/shop npx prisma migrate deploy", true),
    ("npm run migrate", 1, "Error: connect ECONNREFUSED 127.0.0.1:5433", &[], "pg_isready -p 5433", false),
    ("npm run migrate", 1, "Error: connect ECONNREFUSED 127.0.0.1:5433", &[], "psql -h 127.0.0.1 -p 5433 shop", true),
    ("terraform plan", 1, "Error: Failed to load state: AccessDenied: Access Denied", &[], "terraform apply", false),
    ("git push origin main", 128, "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.", &[], "git fetch origin", true),
    ("git merge topic", 1, "CONFLICT (content): Merge conflict in a.txt\nAutomatic merge failed; fix conflicts and then commit the result.", &[], "git merge topic", true),
    ("python etl/load.py", 1, "FileNotFoundError: [Errno 2] No such file or directory: 'data/in/orders.csv'", &[], "head -5 data/in/orders.csv", true),
    ("jq '.a' out/report.json", 2, "jq: error: Could not open file out/report.json: No such file or directory", &[], "python -m json.tool out/report.json", true),
    ("npx prisma migrate dev", 1, "Error: P1001: Can't reach database server at `localhost:5432`", &[], "npx prisma db seed", true),
    ("flask db upgrade", 1, "sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to server at \"localhost\", port 5432 failed: Connection refused", &[], "psql -h localhost shop -c '\\dt'", true),
    ("helm install api charts/api", 1, "Error: Kubernetes cluster unreachable: Get \"https://127.0.0.1:6443/version\": dial tcp 127.0.0.1:6443: connect: connection refused", &[], "kubectl get nodes", true),
    ("ruff check src", 1, "src/a.py:3:1: F401 `os` imported but unused", &[], "ruff format src", false),
    ("tilt up", 1, "Error: No Tiltfile found at path /home/me/shop/Tiltfile", &[], "tilt ci", true),
    ("git commit -m x", 1, "yarn run v1\n$ eslint src\nsrc/a.js\n  1:1  error  no-undef\nerror Command failed with exit code 1.\nhusky - pre-commit hook exited with code 1", &[], "yarn eslint src", true),
];

#[test]
fn one_move_however_it_is_written() {
    assert_eq!(wrong(SAME).join("\n"), "");
}

#[test]
fn another_move_however_alike() {
    assert_eq!(wrong(OTHER).join("\n"), "");
}

#[test]
fn a_remedy_is_known_and_what_is_none() {
    assert_eq!(wrong(MENDED).join("\n"), "");
}

#[test]
fn one_lack_met_by_others() {
    assert_eq!(wrong(MET).join("\n"), "");
}
