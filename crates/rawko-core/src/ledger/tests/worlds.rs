//! Short situations in tool worlds of every kind: what failed, what was done since, what comes next, and whether that is
//! warned. They were thought up at a desk, for programs that hardly any rule names, and are of no data set.

use super::*;

/// What failed, its exit code and its words; what succeeded since and what that printed; what comes next; whether it is warned.
pub(super) type Case =
    (&'static str, i32, &'static str, &'static [(&'static str, &'static str)], &'static str, bool);

/// Others that meet the same lack, and others that do not.
#[rustfmt::skip]
const ROOTS: &[Case] = &[
    ("bazel build //svc/api:server", 1, "ERROR: Skipping '//svc/api:server': no such package 'svc/api': BUILD file not found in any of the following directories.", &[], "bazel test //svc/api/...", true),
    ("bazel build //svc/api:server", 1, "ERROR: Skipping '//svc/api:server': no such package 'svc/api': BUILD file not found in any of the following directories.", &[], "bazel test //svc/web/...", false),
    ("fastlane ios staging", 1, "[!] Could not find lane 'ios staging'. Available lanes: ios test, ios beta", &[], "fastlane ios beta", false),
    ("docker run -d -p 5433:5432 postgres:17", 125, "docker: Error response from daemon: Bind for 0.0.0.0:5433 failed: port is already allocated.", &[], "docker run -d --publish 5433:80 nginx", true),
    ("docker run -d -p 5432:5432 postgres:17", 125, "docker: Error response from daemon: Bind for 0.0.0.0:5432 failed: port is already allocated.", &[], "docker run -d --publish 5434:5432 postgres:17", false),
    ("rsync -az -- dist/ deploy@edge-3.lan:/srv/", 255, "deploy@edge-3.lan: Permission denied (publickey).\nrsync: connection unexpectedly closed", &[], "ssh deploy@edge-3.lan uptime", true),
    ("rsync -az -- dist/ deploy@edge-3.lan:/srv/", 255, "deploy@edge-3.lan: Permission denied (publickey).\nrsync: connection unexpectedly closed", &[], "ssh deploy@edge-4.lan uptime", false),
    ("task install", 2, "The driver is missing. Install it, or pass --skip-driver to temporarily ignore this.", &[], "TASK_OPTS=--no-progress task install --no-ansi", true),
    ("zig build", 1, "error: no build.zig file found, in the current directory or any parent directories", &[], "zig build test", true),
    ("nix build .#docker", 1, "error: flake 'git+file:///home/me/shop' does not provide attribute 'packages.x86_64-linux.docker', 'legacyPackages.x86_64-linux.docker' or 'docker'", &[], "nix run .#docker", true),
    ("nix build .#docker", 1, "error: flake 'git+file:///home/me/shop' does not provide attribute 'packages.x86_64-linux.docker', 'legacyPackages.x86_64-linux.docker' or 'docker'", &[], "nix run .#server", false),
    ("gcloud compute instances describe web-1 --zone europe-west1-b", 1, "ERROR: (gcloud.compute.instances.describe) Could not fetch resource:\n - The resource 'projects/p/zones/europe-west1-b/instances/web-1' was not found", &[], "gcloud compute ssh web-1 --zone europe-west1-b", true),
    ("gcloud compute instances describe web-1 --zone europe-west1-b", 1, "ERROR: (gcloud.compute.instances.describe) Could not fetch resource:\n - The resource 'projects/p/zones/europe-west1-b/instances/web-1' was not found", &[], "gcloud compute ssh web-1 --zone europe-west1-c", false),
    ("flutter run -d pixel7", 1, "No supported devices found with name or id matching 'pixel7'.", &[], "flutter screenshot -d pixel7", true),
    ("flutter run -d pixel7", 1, "No supported devices found with name or id matching 'pixel7'.", &[], "flutter run -d chrome", false),
    ("Rscript analysis/fit.R", 1, "Error in library(lme4) : there is no package called ‘lme4’\nExecution halted", &[], "Rscript -e 'library(lme4); packageVersion(\"lme4\")'", true),
    ("Rscript analysis/fit.R", 1, "Error in library(lme4) : there is no package called ‘lme4’\nExecution halted", &[], "Rscript -e 'install.packages(\"lme4\")'", false),
    ("julia --project sim.jl", 1, "ERROR: LoadError: ArgumentError: Package DataFrames not found in current path.\n- Run `import Pkg; Pkg.add(\"DataFrames\")` to install the DataFrames package.", &[], "julia --project -e 'using DataFrames'", true),
    ("julia --project sim.jl", 1, "ERROR: LoadError: ArgumentError: Package DataFrames not found in current path.\n- Run `import Pkg; Pkg.add(\"DataFrames\")` to install the DataFrames package.", &[], "julia --project -e 'using Pkg; Pkg.add(\"DataFrames\")'", false),
    ("sqlite3 shop.db 'select * from invoices'", 1, "Error: in prepare, no such table: invoices", &[], "sqlite3 shop.db 'select count(*) from invoices'", true),
    ("sqlite3 shop.db 'select * from invoices'", 1, "Error: in prepare, no such table: invoices", &[], "sqlite3 shop.db 'select count(*) from orders'", false),
    ("sqlite3 shop.db 'select * from invoices'", 1, "Error: in prepare, no such table: invoices", &[], "sqlite3 old.db 'select count(*) from invoices'", false),
    ("sqlite3 shop.db 'select * from invoices'", 1, "Error: in prepare, no such table: invoices", &[], "sqlite3 shop.db 'create table invoices (id integer)'", false),
    ("mongosh --port 27018 shop --eval 'db.a.count()'", 1, "MongoNetworkError: connect ECONNREFUSED 127.0.0.1:27018", &[], "mongodump --port 27018 -d shop", true),
    ("mongosh --port 27018 shop --eval 'db.a.count()'", 1, "MongoNetworkError: connect ECONNREFUSED 127.0.0.1:27018", &[], "mongodump --port 27017 -d shop", false),
    ("kafka-topics.sh --bootstrap-server localhost:9094 --list", 1, "WARN [AdminClient clientId=adminclient-1] Connection to node -1 (localhost/127.0.0.1:9094) could not be established. Node may not be available.", &[], "kcat -b localhost:9094 -L", true),
    ("kafka-topics.sh --bootstrap-server localhost:9092 --describe --topic orders.v2", 1, "Error while executing topic command : Topic 'orders.v2' does not exist as expected", &[], "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic orders.v2", true),
    ("ffmpeg -i raw/intro.mov out/intro.mp4", 1, "raw/intro.mov: No such file or directory", &[], "ffprobe raw/intro.mov", true),
    ("ffmpeg -i a.mov -c:v libx265 a.mp4", 1, "Unknown encoder 'libx265'\nError opening output file a.mp4.", &[], "ffmpeg -i b.mov -c:v libx265 b.mp4", true),
    ("ffmpeg -i a.mov -c:v libx265 a.mp4", 1, "Unknown encoder 'libx265'\nError opening output file a.mp4.", &[], "ffmpeg -i a.mov -c:v libx264 a.mp4", false),
    ("conda activate gis", 1, "EnvironmentNameNotFound: Could not find conda environment: gis\nYou can list all discoverable environments with `conda info --envs`.", &[], "conda run -n gis python x.py", true),
    ("conda activate gis", 1, "EnvironmentNameNotFound: Could not find conda environment: gis\nYou can list all discoverable environments with `conda info --envs`.", &[], "conda create -n gis python=3.11", false),
    ("terraform apply -target=module.cdn", 1, "Error: Module not installed\n\nThis module is not yet installed. Run \"terraform init\" to install all modules required by this configuration.", &[], "terraform plan", true),
    ("dotnet ef database update", 1, "Could not execute because the specified command or file was not found.\n  * You intended to execute a .NET program, but dotnet-ef does not exist.", &[], "dotnet ef migrations add Price", true),
    ("podman run --rm tools/linter:3", 125, "Error: short-name \"tools/linter:3\" did not resolve to an alias and no unqualified-search registries are defined", &[], "podman run --rm tools/linter:3 --fix", true),
    ("ssh deploy@edge-3.lan uptime", 255, "ssh: Could not resolve hostname edge-3.lan: Name or service not known", &[], "rsync -av dist/ deploy@edge-3.lan:/srv/", true),
    ("ssh deploy@edge-3.lan uptime", 255, "ssh: Could not resolve hostname edge-3.lan: Name or service not known", &[], "ssh deploy@edge-4.lan uptime", false),
    ("git push gitlab main", 128, "fatal: 'gitlab' does not appear to be a git repository", &[], "git fetch gitlab", true),
    ("make release", 2, "make: *** No rule to make target 'dist/app.wasm', needed by 'release'.  Stop.", &[], "wasm-opt dist/app.wasm -o dist/app.min.wasm", true),
    ("mix ecto.migrate", 1, "** (Postgrex.Error) FATAL 3D000 (invalid_catalog_name) database \"shop_dev\" does not exist", &[], "psql shop_dev -c '\\dt'", true),
    ("mix ecto.migrate", 1, "** (Postgrex.Error) FATAL 3D000 (invalid_catalog_name) database \"shop_dev\" does not exist", &[], "psql shop_test -c '\\dt'", false),
    ("perl bin/report.pl", 2, "Can't locate Text/CSV.pm in @INC (you may need to install the Text::CSV module) (@INC entries checked: /etc/perl) at bin/report.pl line 3.", &[], "perl -MText::CSV -e 1", true),
    ("systemctl --user restart sync-agent", 5, "Failed to restart sync-agent.service: Unit sync-agent.service not found.", &[], "systemctl --user start sync-agent", true),
    ("kubectl -n pay rollout status deploy/ledger", 1, "Error from server (NotFound): deployments.apps \"ledger\" not found", &[], "kubectl -n pay scale deploy/ledger --replicas=2", true),
    ("kubectl -n pay rollout status deploy/ledger", 1, "Error from server (NotFound): deployments.apps \"ledger\" not found", &[], "kubectl -n pay rollout status deploy/gateway", false),
    ("kubectl -n pay rollout status deploy/ledger", 1, "Error from server (NotFound): deployments.apps \"ledger\" not found", &[], "kubectl -n fin scale deploy/ledger --replicas=2", false),
    ("helm upgrade web charts/web", 1, "Error: UPGRADE FAILED: \"web\" has no deployed releases", &[], "helm rollback web 1", true),
    ("helm upgrade web charts/web", 1, "Error: UPGRADE FAILED: \"web\" has no deployed releases", &[], "helm install web charts/web", false),
    ("duckdb -c \"select * from 'data/trips.parquet'\"", 1, "IO Error: No files found that match the pattern \"data/trips.parquet\"", &[], "duckdb -c \"describe select * from 'data/trips.parquet'\"", true),
    ("cargo run --bin importer", 101, "error: no bin target named `importer` in default-run packages", &[], "cargo build --bin importer", true),
    ("cargo run --bin importer", 101, "error: no bin target named `importer` in default-run packages", &[], "cargo run --bin exporter", false),
    ("docker exec cache redis-cli ping", 1, "Error response from daemon: No such container: cache", &[], "docker logs cache", true),
    ("docker exec cache redis-cli ping", 1, "Error response from daemon: No such container: cache", &[], "docker run -d --name cache redis:7", false),
    ("python -m build", 1, "/usr/bin/python: No module named build", &[], "python -m build --wheel", true),
    ("golangci-lint run", 127, "bash: golangci-lint: command not found", &[], "golangci-lint run ./api/...", true),
    ("cmake --preset ci", 1, "CMake Error: No such preset in /home/me/shop: \"ci\"", &[], "cmake --build --preset ci", true),
    ("curl -s localhost:9411/api/v2/services", 7, "curl: (7) Failed to connect to localhost port 9411 after 0 ms: Couldn't connect to server", &[], "wget -qO- http://localhost:9411/health", true),
    ("adb install app.apk", 1, "adb: no devices/emulators found", &[], "adb shell pm list packages", true),
    ("fly logs -a shop-staging", 1, "Error: Could not find App \"shop-staging\"", &[], "fly status -a shop-staging", true),
    ("fly logs -a shop-staging", 1, "Error: Could not find App \"shop-staging\"", &[], "fly status -a shop-prod", false),
    ("fly logs -a shop-staging", 1, "Error: Could not find App \"shop-staging\"", &[], "fly apps create shop-staging", false),
    ("tmux attach -t work", 1, "can't find session: work", &[], "tmux send-keys -t work ls Enter", true),
    ("tmux attach -t work", 1, "can't find session: work", &[], "tmux new -s work", false),
    ("az storage blob list -c backups --account-name acmeprod", 3, "The specified container does not exist.\nErrorCode:ContainerNotFound", &[], "az storage blob list -c logs --account-name acmeprod", false),
    ("virsh start build-vm", 1, "error: failed to get domain 'build-vm'", &[], "virsh console build-vm", true),
    ("lxc exec ci -- apt update", 1, "Error: Instance not found: ci", &[], "lxc restart ci", true),
    ("snakemake results/a.bam", 1, "MissingInputException in rule align: Missing input files for rule align:\n    data/a.fastq", &[], "zcat data/a.fastq", true),
    ("dvc pull", 255, "ERROR: failed to pull data from the cloud - config file error: no remote specified. Create a default remote with\n    dvc remote add -d <remote name> <remote url>", &[], "dvc fetch", true),
    ("pulumi up -s dev", 255, "error: no stack named 'dev' found", &[], "pulumi preview -s dev", true),
    ("pulumi up -s dev", 255, "error: no stack named 'dev' found", &[], "pulumi stack init dev", false),
    ("bq query 'select * from shop.orders'", 2, "Error in query string: Not found: Table acme:shop.orders was not found in location EU", &[], "bq show shop.orders", true),
];

/// What was done since, and whether the failure still speaks.
#[rustfmt::skip]
const SINCE: &[Case] = &[
    ("ansible-playbook -i inv/prod site.yml", 1, "ERROR! the role 'nginx' was not found in /home/me/shop/roles:/etc/ansible/roles", &[("ansible-galaxy install nginx", "- nginx (1.0) was installed successfully")], "ansible-playbook -i inv/prod site.yml", false),
    ("ansible-playbook site.yml", 1, "ERROR! couldn't resolve module/action 'community.docker.docker_container'. This often indicates a misspelling, missing collection, or incorrect module path.", &[("ansible-galaxy collection install community.docker", "community.docker:3.4 was installed successfully")], "ansible-playbook site.yml", false),
    ("ansible-playbook site.yml", 1, "ERROR! couldn't resolve module/action 'community.docker.docker_container'. This often indicates a misspelling, missing collection, or incorrect module path.", &[("ansible-lint site.yml", "Passed")], "ansible-playbook site.yml", true),
    ("Rscript analysis/fit.R", 1, "Error in library(lme4) : there is no package called ‘lme4’\nExecution halted", &[("Rscript -e 'install.packages(\"lme4\")'", "* DONE (lme4)")], "Rscript analysis/fit.R", false),
    ("Rscript analysis/fit.R", 1, "Error in library(lme4) : there is no package called ‘lme4’\nExecution halted", &[("Rscript -e 'renv::restore()'", "- lme4 [1.1-35]")], "Rscript analysis/fit.R", false),
    ("Rscript analysis/fit.R", 1, "Error in library(lme4) : there is no package called ‘lme4’\nExecution halted", &[("Rscript analysis/plot.R", "ok")], "Rscript analysis/fit.R", true),
    ("julia --project sim.jl", 1, "ERROR: LoadError: ArgumentError: Package DataFrames not found in current path.\n- Run `import Pkg; Pkg.add(\"DataFrames\")` to install the DataFrames package.", &[("julia --project -e 'using Pkg; Pkg.instantiate()'", "  Installed DataFrames ─ v1.6.1")], "julia --project sim.jl", false),
    ("flutter build ios", 1, "Warning: CocoaPods not installed. Skipping pod install.\nError: CocoaPods not installed or not in valid state.", &[("sudo gem install cocoapods", "Successfully installed cocoapods-1.15")], "flutter build ios", false),
    ("gcloud compute instances list", 1, "ERROR: (gcloud.compute.instances.list) API [compute.googleapis.com] not enabled on project [acme].", &[("gcloud services enable compute.googleapis.com", "Operation finished successfully.")], "gcloud compute instances list", false),
    ("mongosh --port 27018 shop --eval 'db.a.count()'", 1, "MongoNetworkError: connect ECONNREFUSED 127.0.0.1:27018", &[("docker start mongo-alt", "mongo-alt")], "mongosh --port 27018 shop --eval 'db.a.count()'", false),
    ("mongosh --port 27018 shop --eval 'db.a.count()'", 1, "MongoNetworkError: connect ECONNREFUSED 127.0.0.1:27018", &[("mongosh --port 27017 shop --eval 'db.a.count()'", "3")], "mongosh --port 27018 shop --eval 'db.a.count()'", true),
    ("kcat -b localhost:9094 -L", 1, "% ERROR: Failed to acquire metadata: Local: Broker transport failure\n%3|FAIL|localhost:9094/bootstrap: Connect to ipv4#127.0.0.1:9094 failed: Connection refused", &[("bin/kafka-server-start.sh -daemon config/server.properties", "")], "kcat -b localhost:9094 -L", false),
    ("conda activate gis", 1, "EnvironmentNameNotFound: Could not find conda environment: gis", &[("conda env create -f environment.yml", "# To activate this environment, use\n#     $ conda activate gis")], "conda activate gis", false),
    ("conda activate gis", 1, "EnvironmentNameNotFound: Could not find conda environment: gis", &[("conda env create -f web/environment.yml", "# To activate this environment, use\n#     $ conda activate web")], "conda activate gis", true),
    ("psql -U app shop -c 'select 1'", 2, "psql: error: connection to server on socket \"/run/postgresql/.s.PGSQL.5432\" failed: FATAL:  role \"app\" does not exist", &[("psql -U postgres -c 'create role app login'", "CREATE ROLE")], "psql -U app shop -c 'select 1'", false),
    ("vault kv get secret/a", 2, "Get \"http://127.0.0.1:8200/v1/x\": dial tcp 127.0.0.1:8200: connect: connection refused", &[("vault server -dev > /tmp/v.log 2>&1 &", "")], "vault kv get secret/a", false),
    ("curl -s localhost:9411/api/v2/services", 7, "curl: (7) Failed to connect to localhost port 9411 after 0 ms: Couldn't connect to server", &[("nohup java -jar zipkin.jar > /tmp/z.log 2>&1 &", "[1] 4711")], "curl -s localhost:9411/api/v2/services", false),
    ("curl -s localhost:9411/api/v2/services", 7, "curl: (7) Failed to connect to localhost port 9411 after 0 ms: Couldn't connect to server", &[("java -jar zipkin.jar --check", "ok")], "curl -s localhost:9411/api/v2/services", true),
    ("aws s3 ls", 255, "Error when retrieving token from sso: Token has expired and refresh failed", &[("aws sso login", "Successfully logged into Start URL")], "aws s3 ls", false),
    ("git push origin main", 1, " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs\nhint: Updates were rejected because the remote contains work that you do not have locally.", &[("git pull --rebase origin main", "Successfully rebased")], "git push origin main", false),
    ("docker run -d --name cache redis:7", 125, "docker: Error response from daemon: Conflict. The container name \"/cache\" is already in use by container \"3f2a\". You have to remove (or rename) that container to be able to reuse that name.", &[("docker rm -f cache", "cache")], "docker run -d --name cache redis:7", false),
    ("docker run -d --name cache redis:7", 125, "docker: Error response from daemon: Conflict. The container name \"/cache\" is already in use by container \"3f2a\". You have to remove (or rename) that container to be able to reuse that name.", &[("docker rm -f web", "web")], "docker run -d --name cache redis:7", true),
    ("createdb shop", 1, "createdb: error: database creation failed: ERROR:  database \"shop\" already exists", &[("dropdb shop", "")], "createdb shop", false),
    ("helm install web charts/web", 1, "Error: INSTALLATION FAILED: cannot re-use a name that is still in use", &[("helm uninstall web", "release \"web\" uninstalled")], "helm install web charts/web", false),
    ("gh release create v1.2", 1, "HTTP 422: Validation Failed\nRelease.tag_name already exists", &[("gh release delete v1.2 -y", "")], "gh release create v1.2", false),
    ("kubectl create ns pay", 1, "Error from server (AlreadyExists): namespaces \"pay\" already exists", &[("kubectl delete ns pay", "namespace \"pay\" deleted")], "kubectl create ns pay", false),
    ("docker build -t web .", 1, "write /var/lib/docker/tmp/x: no space left on device", &[("docker system prune -af", "Total reclaimed space: 12GB")], "docker build -t web .", false),
    ("conda install gdal", 1, "OSError(28, 'No space left on device')", &[("conda clean -a -y", "Removed 12 GB")], "conda install gdal", false),
    ("./bin/sync", 126, "bash: ./bin/sync: Permission denied", &[("chmod +x bin/sync", "")], "./bin/sync", false),
    ("docker ps", 1, "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock", &[("sudo usermod -aG docker me && newgrp docker", "")], "docker ps", false),
    ("golangci-lint run", 127, "bash: golangci-lint: command not found", &[("go install github.com/golangci/golangci-lint/cmd/golangci-lint@latest", "")], "golangci-lint run", false),
    ("golangci-lint run ./a", 127, "bash: golangci-lint: command not found", &[("golangci-lint run ./b", "")], "golangci-lint run ./a", false),
    ("python -m build", 1, "/usr/bin/python: No module named build", &[("pip install build", "Successfully installed build-1.2")], "python -m build", false),
    ("perl bin/report.pl", 2, "Can't locate Text/CSV.pm in @INC (you may need to install the Text::CSV module) at bin/report.pl line 3.", &[("cpanm Text::CSV", "Successfully installed Text-CSV-2.04")], "perl bin/report.pl", false),
    ("latexmk -pdf thesis.tex", 12, "! LaTeX Error: File `siunitx.sty' not found.", &[("tlmgr install siunitx", "")], "latexmk -pdf thesis.tex", false),
    ("adb install app.apk", 1, "adb: no devices/emulators found", &[("adb connect 192.168.1.9:5555", "connected to 192.168.1.9:5555")], "adb install app.apk", false),
    ("vagrant provision", 1, "VM must be running to open SSH connection. Run `vagrant up` to start the virtual machine.", &[("vagrant up", "==> default: Machine booted and ready!")], "vagrant provision", false),
    ("fly logs -a shop-staging", 1, "Error: Could not find App \"shop-staging\"", &[("fly apps create shop-staging", "New app created: shop-staging")], "fly logs -a shop-staging", false),
    ("kubectl -n pay rollout status deploy/ledger", 1, "Error from server (NotFound): deployments.apps \"ledger\" not found", &[("kubectl -n pay apply -f k8s/", "deployment.apps/ledger created")], "kubectl -n pay rollout status deploy/ledger", false),
    ("kubectl -n pay rollout status deploy/ledger", 1, "Error from server (NotFound): deployments.apps \"ledger\" not found", &[("kubectl -n fin rollout status deploy/ledger", "successfully rolled out")], "kubectl -n pay rollout status deploy/ledger", true),
    ("kubectl -n pay rollout status deploy/ledger", 1, "Error from server (NotFound): deployments.apps \"ledger\" not found", &[("kubectl -n pay get deploy ledger", "ledger 1/1")], "kubectl -n pay scale deploy/ledger --replicas=2", false),
    ("dotnet ef database update", 1, "Could not execute because the specified command or file was not found.\n  * You intended to execute a .NET program, but dotnet-ef does not exist.", &[("dotnet tool restore", "Tool 'dotnet-ef' (version '8.0.4') was restored.")], "dotnet ef database update", false),
    ("podman run --rm tools/linter:3", 125, "Error: short-name \"tools/linter:3\" did not resolve to an alias", &[("podman build -t tools/linter:3 .", "Successfully tagged localhost/tools/linter:3")], "podman run --rm tools/linter:3", false),
    ("mix ecto.migrate", 1, "** (Postgrex.Error) FATAL 3D000 (invalid_catalog_name) database \"shop_dev\" does not exist", &[("mix ecto.create", "The database for Shop.Repo has been created")], "mix ecto.migrate", false),
    ("ssh deploy@edge-3.lan uptime", 255, "ssh: Could not resolve hostname edge-3.lan: Name or service not known", &[("rsync -av dist/ deploy@edge-3.lan:/srv/", "sent 3 bytes")], "ssh deploy@edge-3.lan uptime", false),
    ("tmux send-keys -t work ls Enter", 1, "can't find session: work", &[("tmux new -d -s work", "")], "tmux send-keys -t work ls Enter", false),
    ("nats pub a b", 1, "nats: error: nats: no servers available for connection", &[("nats-server -js -D &", "")], "nats pub a b", false),
    ("bazel test //a:b", 1, "ERROR: The project you're trying to build requires Bazel 7.1.0 (specified in /home/me/shop/.bazelversion), but it wasn't found in /usr/bin.", &[("sudo apt install bazel-7.1.0", "Setting up bazel-7.1.0")], "bazel test //a:b", false),
    ("sops -d secrets/prod.yaml", 128, "Failed to get the data key required to decrypt the SOPS file.\nno matching keys", &[("export SOPS_AGE_KEY_FILE=~/.age/prod.txt && sops -d secrets/prod.yaml > /tmp/x.yaml", "")], "sops -d secrets/prod.yaml", true),
    ("git lfs pull", 2, "batch response: Authentication required: Authorization error", &[("git credential-manager github login", "ok")], "git lfs pull", false),
];

/// Builds, migrations and services: who is left alone though he looks alike, and who is not.
#[rustfmt::skip]
const ALIKE: &[Case] = &[
    ("mvn -q -pl billing test", 1, "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project billing: There are test failures.", &[], "mvn -q -pl orders test", false),
    ("mvn flyway:migrate", 1, "[ERROR] Failed to execute goal org.flywaydb:flyway-maven-plugin:10.1:migrate (default-cli) on project db: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': Connection to localhost:5432 refused.", &[], "mvn -q compile", false),
    ("mvn flyway:migrate", 1, "[ERROR] Failed to execute goal org.flywaydb:flyway-maven-plugin:10.1:migrate (default-cli) on project db: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': Connection to localhost:5432 refused.", &[], "mvn flyway:info", true),
    ("mvn flyway:migrate", 1, "[ERROR] Failed to execute goal org.flywaydb:flyway-maven-plugin:10.1:migrate (default-cli) on project db: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': Connection to localhost:5432 refused.", &[], "psql -h localhost shop", true),
    ("mvn flyway:migrate", 1, "[ERROR] Failed to execute goal org.flywaydb:flyway-maven-plugin:10.1:migrate (default-cli) on project db: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': Connection to localhost:5432 refused.", &[("docker compose up -d db", "Container shop-db-1  Started")], "mvn flyway:migrate", false),
    ("flyway migrate", 1, "ERROR: Validate failed: Migrations have failed validation\nMigration checksum mismatch for migration version 3\n-> Applied to database : 1\n-> Resolved locally    : 2", &[], "flyway info", false),
    ("flyway migrate", 1, "ERROR: Validate failed: Migrations have failed validation\nMigration checksum mismatch for migration version 3\n-> Applied to database : 1\n-> Resolved locally    : 2", &[("flyway repair", "Successfully repaired schema history table")], "flyway migrate", false),
    ("flyway -configFiles=conf/dev.conf migrate", 1, "ERROR: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': Connection refused.", &[], "flyway -configFiles=conf/ci.conf migrate", false),
    ("flyway -configFiles=conf/dev.conf migrate", 1, "ERROR: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': FATAL: password authentication failed for user \"shop\"", &[], "flyway -configFiles=conf/dev.conf info", true),
    ("flyway migrate", 1, "ERROR: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': FATAL: database \"shop\" does not exist", &[], "flyway info", true),
    ("flyway migrate", 1, "ERROR: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': FATAL: database \"shop\" does not exist", &[("createdb -h localhost shop", "")], "flyway info", false),
    ("flyway migrate", 1, "ERROR: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': FATAL: database \"shop\" does not exist", &[], "docker compose restart shop", false),
    ("mvn flyway:migrate", 1, "[ERROR] Failed to execute goal org.flywaydb:flyway-maven-plugin:10.1:migrate (default-cli) on project db: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': Connection to localhost:5432 refused.", &[], "mvn flyway:migrate -Dflyway.url=jdbc:postgresql://localhost:5433/shop", false),
    ("mvn flyway:migrate", 1, "[ERROR] Failed to execute goal org.flywaydb:flyway-maven-plugin:10.1:migrate (default-cli) on project db: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': Connection to localhost:5432 refused.", &[], "mvn -Pci flyway:migrate", false),
    ("mvn flyway:migrate", 1, "[ERROR] Failed to execute goal org.flywaydb:flyway-maven-plugin:10.1:migrate (default-cli) on project db: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': Connection to localhost:5432 refused.", &[("docker run -d --name pg -e POSTGRES_PASSWORD=x -p 5432:5432 postgres:16", "3f2a9110c55b6042aa8817")], "mvn flyway:migrate", false),
    ("mvn flyway:migrate", 1, "[ERROR] Failed to execute goal org.flywaydb:flyway-maven-plugin:10.1:migrate (default-cli) on project db: Unable to obtain connection from database (jdbc:postgresql://localhost:5432/shop) for user 'shop': Connection to localhost:5432 refused.", &[("pg_ctl -D data start", "2026-09-01 10:00:05 LOG:  starting PostgreSQL 16.3\nserver started")], "mvn flyway:migrate", false),
    ("mvn flyway:migrate", 1, "[ERROR] Failed to execute goal org.flywaydb:flyway-maven-plugin:10.1:migrate (default-cli) on project db: Migration checksum mismatch for migration version 3", &[("mvn flyway:repair", "[INFO] Successfully repaired schema history table")], "mvn flyway:migrate", false),
    ("mvn -o test", 1, "[ERROR] Failed to execute goal on project api: Could not resolve dependencies for project acme:api:jar:1: Cannot access central (https://repo.maven.apache.org/maven2) in offline mode and the artifact org.acme:kit:jar:2.1 has not been downloaded from it before.", &[("mvn dependency:go-offline", "[INFO] BUILD SUCCESS")], "mvn -o test", false),
    ("bin/rails db:migrate", 1, "ActiveRecord::NoDatabaseError: FATAL:  database \"shop_development\" does not exist", &[], "bin/rails db:prepare", false),
    ("bin/rails db:migrate", 1, "ActiveRecord::NoDatabaseError: FATAL:  database \"shop_development\" does not exist", &[], "bin/rails db:seed", true),
    ("bin/rails db:migrate", 1, "ActiveRecord::NoDatabaseError: FATAL:  database \"shop_development\" does not exist", &[("RAILS_ENV=test bin/rails db:migrate", "")], "bin/rails db:seed", true),
    ("./gradlew :api:test", 1, "> Task :api:test FAILED\nThere were failing tests. See the report at: file:///home/me/shop/api/build/reports/tests/test/index.html", &[], "./gradlew :web:test", false),
    ("./gradlew :api:test", 1, "> Task :api:test FAILED\nThere were failing tests. See the report at: file:///home/me/shop/api/build/reports/tests/test/index.html", &[], "./gradlew :api:compileJava", false),
    ("./gradlew :api:build", 1, "> Could not resolve all files for configuration ':api:compileClasspath'.\n   > Could not find com.acme:core:1.4.", &[], "./gradlew :web:build", false),
    ("mvn -Pit verify", 1, "[ERROR] Could not find a valid Docker environment. Please see logs and check configuration", &[], "mvn test", false),
    ("mvn test -Dtest=OrderTest", 1, "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project api: No tests matching pattern \"OrderTest\" were executed! (Set -Dsurefire.failIfNoSpecifiedTests=false to ignore this error.)", &[], "mvn test -Dtest=OrderServiceTest", false),
    ("mvn spotless:check", 1, "[ERROR] Failed to execute goal com.diffplug.spotless:spotless-maven-plugin:2.43:check (default-cli) on project api: The following files had format violations:\n[ERROR]     src/main/java/A.java\n[ERROR] Run 'mvn spotless:apply' to fix these violations.", &[], "mvn spotless:apply", false),
    ("mvn spotless:check", 1, "[ERROR] Failed to execute goal com.diffplug.spotless:spotless-maven-plugin:2.43:check (default-cli) on project api: The following files had format violations:\n[ERROR]     src/main/java/A.java\n[ERROR] Run 'mvn spotless:apply' to fix these violations.", &[], "mvn -q test", false),
    ("mvn -pl nosuch test", 1, "[ERROR] Could not find the selected project in the reactor: nosuch @", &[], "mvn -pl nosuch package", true),
    ("mvn package", 1, "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project api: Fatal error compiling: error: invalid target release: 21", &[], "JAVA_HOME=/opt/jdk21 mvn package", false),
    ("mvn package", 1, "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project api: Compilation failure\n[ERROR] /home/me/shop/api/src/A.java:[3,1] cannot find symbol", &[], "mvn dependency:tree", false),
    ("docker compose up -d db", 1, "Error response from daemon: driver failed programming external connectivity on endpoint shop-db-1: Bind for 0.0.0.0:5432 failed: port is already allocated", &[], "docker compose up -d cache", false),
    ("docker compose up -d db", 1, "Error response from daemon: driver failed programming external connectivity on endpoint shop-db-1: Bind for 0.0.0.0:5432 failed: port is already allocated", &[("docker stop old-db", "old-db")], "docker compose up -d db", false),
    ("mvn deploy", 1, "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-deploy-plugin:3.1:deploy (default-deploy) on project api: Failed to deploy artifacts: status: 401 Unauthorized", &[], "mvn install", false),
    ("make", 2, "src/a.c:3:10: fatal error: zlib.h: No such file or directory\nmake: *** [Makefile:9: a.o] Error 1", &[], "make clean", false),
    ("make", 2, "src/a.c:3:10: fatal error: zlib.h: No such file or directory\nmake: *** [Makefile:9: a.o] Error 1", &[("sudo apt-get install -y zlib1g-dev", "Setting up zlib1g-dev")], "make", false),
    ("gcc -o relay src/a.c -lssl", 1, "/usr/bin/ld: cannot find -lssl: No such file or directory\ncollect2: error: ld returned 1 exit status", &[("sudo apt-get install -y libssl-dev", "Setting up libssl-dev")], "gcc -o relay src/a.c -lssl", false),
    ("./relay -c relay.conf", 1, "relay: cannot open relay.conf: No such file or directory", &[], "./relay -t -c relay.conf", true),
    ("./relay -c relay.conf", 1, "relay: cannot open relay.conf: No such file or directory", &[], "./relay -c other.conf", false),
    ("make asan", 2, "==4711==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\nmake: *** [Makefile:20: asan] Error 1", &[], "make test", false),
    ("gdb -p 4411 -batch -ex bt", 1, "ptrace: Operation not permitted.", &[("echo 0 | sudo tee /proc/sys/kernel/yama/ptrace_scope", "0")], "gdb -p 4411 -batch -ex bt", false),
    ("ctest --test-dir build -R relay", 8, "No tests were found!!!", &[], "ctest --test-dir build -R tls", false),
    ("openssl s_client -connect localhost:8443", 1, "connect: Connection refused\nconnect:errno=111", &[], "curl -k https://localhost:8443/", true),
    ("openssl s_client -connect localhost:8443", 1, "connect: Connection refused\nconnect:errno=111", &[("./build/relay -c conf/dev.conf & sleep 1", "")], "curl -k https://localhost:8443/", false),
    ("cppcheck --error-exitcode=1 src", 1, "src/a.c:3:5: error: Memory leak: p [memleak]", &[], "cppcheck --error-exitcode=1 src", true),
    ("php artisan migrate", 1, "   Illuminate\\Database\\QueryException\n\n  could not find driver (Connection: mysql, SQL: select 1)", &[], "php artisan db:seed", true),
    ("php artisan migrate", 1, "   Illuminate\\Database\\QueryException\n\n  could not find driver (Connection: mysql, SQL: select 1)", &[], "php artisan route:list", false),
    ("php artisan migrate", 1, "SQLSTATE[HY000] [1045] Access denied for user 'shop'@'localhost' (using password: YES)", &[], "php artisan db:seed", true),
    ("php artisan migrate", 1, "SQLSTATE[HY000] [1049] Unknown database 'shop'", &[("mysql -uroot -e 'create database shop'", "")], "php artisan migrate", false),
    ("composer require acme/pay", 1, "Could not find a matching version of package acme/pay. Check the package spelling, your version constraint and that the package is available in a stability which matches your minimum-stability (stable).", &[], "composer require acme/ship", false),
    ("vendor/bin/phpunit", 127, "bash: vendor/bin/phpunit: No such file or directory", &[], "vendor/bin/phpunit --filter Cart", true),
    ("vendor/bin/phpunit", 127, "bash: vendor/bin/phpunit: No such file or directory", &[("composer install", "Generating autoload files")], "vendor/bin/phpunit", false),
    ("php artisan tinker --execute='Order::count()'", 1, "SQLSTATE[42S02]: Base table or view not found: 1146 Table 'shop.orders' doesn't exist", &[("php artisan migrate", "2024_create_orders ... DONE")], "php artisan tinker --execute='Order::count()'", false),
    ("swift test", 1, "/home/me/shop/Sources/App/main.swift:1:8: error: no such module 'Vapor'", &[], "swift build", true),
    ("swift test", 1, "/home/me/shop/Sources/App/main.swift:1:8: error: no such module 'Vapor'", &[("swift package resolve", "Fetching https://x.test/vapor")], "swift test", false),
    ("swift test --filter Foo", 1, "error: no tests matched the filter 'Foo'", &[], "swift test --filter Bar", false),
    ("swift package resolve", 1, "error: Failed to clone repository https://github.com/acme/kit.git:\n    fatal: could not read Username for 'https://github.com': terminal prompts disabled", &[], "swift build", true),
    ("swift build", 1, "Sources/App/a.swift:3:9: error: cannot find 'foo' in scope\nerror: fatalError", &[], "swift package describe", false),
    ("xcodebuild -scheme Parcel -destination 'name=iPhone 15' test", 70, "xcodebuild: error: Unable to find a device matching the provided destination specifier:\n\t\t{ platform:iOS Simulator, name:iPhone 15 }", &[], "xcodebuild -scheme Parcel -destination 'name=iPhone 16' test", false),
    ("kubectl -n pay get pods", 1, "Error from server (Forbidden): pods is forbidden: User \"me\" cannot list resource \"pods\" in API group \"\" in the namespace \"pay\"", &[], "kubectl -n dev get pods", false),
    ("docker compose run --rm migrate", 1, "FATAL: role \"web\" does not exist", &[], "docker compose logs web", false),
    ("psql -h localhost shop -c 'select * from users'", 1, "ERROR:  relation \"users\" does not exist", &[], "npm run seed -- users", false),
    ("psql -h localhost shop -c 'select * from users'", 1, "ERROR:  relation \"users\" does not exist", &[], "psql -h localhost crm -c 'select * from users'", false),
    ("psql -h localhost shop -c 'select * from users'", 1, "ERROR:  relation \"users\" does not exist", &[], "psql -h localhost shop -c 'select count(*) from users'", true),
    ("git push origin main", 1, "remote: error: GH006: Protected branch update failed for refs/heads/main.\n ! [remote rejected] main -> main (protected branch hook declined)", &[], "git push origin main:feature", false),
    ("git push origin main", 1, "remote: error: GH006: Protected branch update failed for refs/heads/main.\n ! [remote rejected] main -> main (protected branch hook declined)", &[], "git fetch origin", false),
];

/// Failures that teach nothing, and some that look so and do.
#[rustfmt::skip]
const PASSES: &[Case] = &[
    ("kubectl diff -f k8s/", 1, "diff -u -N /tmp/LIVE-1/apps.v1.Deployment /tmp/MERGED-2/apps.v1.Deployment\n-  replicas: 2\n+  replicas: 3", &[], "kubectl diff -f k8s/", false),
    ("kubectl diff -f k8s/", 1, "error: error parsing k8s/web.yaml: error converting YAML to JSON: yaml: line 4: did not find expected key", &[], "kubectl diff -f k8s/", true),
    ("systemctl is-active sync-agent", 3, "inactive", &[], "systemctl is-active sync-agent", false),
    ("systemctl status sync-agent", 3, "○ sync-agent.service - Sync\n     Active: inactive (dead)", &[], "systemctl status sync-agent", false),
    ("nc -z localhost 5432", 1, "", &[], "nc -z localhost 5432", false),
    ("helm diff upgrade web charts/web --detailed-exitcode", 2, "- replicas: 2\n+ replicas: 3\nError: identified at least one change, exiting with non-zero exit code", &[], "helm diff upgrade web charts/web --detailed-exitcode", false),
    ("trivy image --exit-code 1 web:3", 1, "Total: 2 (HIGH: 2)", &[], "trivy image --exit-code 1 web:3", false),
    ("gcloud auth print-access-token --quiet", 1, "ERROR: (gcloud.auth.print-access-token) You do not currently have an active account selected.", &[], "gcloud auth print-access-token --quiet", true),
    ("brew outdated", 1, "jq (1.6) < 1.7", &[], "brew outdated", false),
    ("julia train.jl", 1, "^CERROR: LoadError: InterruptException:\nStacktrace:", &[], "julia train.jl", false),
    ("bazel test //...", 8, "^C\nBazel caught interrupt signal; cancelling pending invocation.\nERROR: build interrupted", &[], "bazel test //...", false),
    ("terraform apply", 1, "Do you want to perform these actions?\n  Enter a value: no\n\nApply cancelled.", &[], "terraform apply", false),
    ("cargo bench", 101, "error: bench failed\nCaused by:\n  process didn't exit successfully (signal: 2, SIGINT: interrupt)", &[], "cargo bench", false),
    ("go test ./...", 1, "signal: interrupt\nFAIL\tacme/store\t4.2s", &[], "go test ./...", false),
    ("go test ./store", 1, "--- FAIL: TestOrderCancelled (0.00s)\n    order_test.go:14: want cancelled, got open\nFAIL", &[], "go test ./store", true),
    ("./build/relay_test", 1, "relay: reading the config\nrelay: poll: Interrupted system call\nrelay: caught SIGTERM, draining\nok 3\nok 4\nok 5\n1 of 6 failed: drain left 2 sockets open", &[], "./build/relay_test", true),
    ("ansible-playbook site.yml", 99, "[ERROR]: User interrupted execution", &[], "ansible-playbook site.yml", false),
    ("mix test", 143, "Terminated", &[], "mix test", false),
    ("conda install gdal", 1, "CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://conda.acme.test/linux-64/repodata.json>\nAn HTTP error occurred when trying to retrieve this URL.\nHTTP errors are often intermittent, and a simple retry will get you on your way.", &[], "conda install gdal", false),
    ("zig fetch --save https://x.test/a.tar.gz", 1, "error: unable to connect to server: TemporaryNameServerFailure", &[], "zig fetch --save https://x.test/a.tar.gz", false),
    ("gcloud run deploy api", 1, "ERROR: (gcloud.run.deploy) UNAVAILABLE: The service is currently unavailable.", &[], "gcloud run deploy api", false),
    ("flutter pub get", 69, "Got socket error trying to find package http at https://pub.dev.", &[], "flutter pub get", false),
    ("julia -e 'using Pkg; Pkg.update()'", 1, "ERROR: HTTP/2 500 while requesting https://pkg.julialang.org/registries", &[], "julia -e 'using Pkg; Pkg.update()'", false),
    ("nix build", 1, "error: unable to download 'https://cache.acme.test/x.narinfo': HTTP error 504 ('Gateway Time-out')", &[], "nix build", false),
    ("git clone https://x.test/a.git", 128, "error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)\nfatal: early EOF", &[], "git clone https://x.test/a.git", false),
    ("docker pull web:3", 1, "toomanyrequests: You have reached your pull rate limit.", &[], "docker pull web:3", false),
    ("pytest tests/http", 1, "E   assert 500 == 200\nFAILED tests/http/test_pay.py::test_pay - assert 500 == 200", &[], "pytest tests/http", true),
    ("cargo build", 101, "    Blocking waiting for file lock on build directory\nerror[E0308]: mismatched types\n --> src/a.rs:3:5", &[], "cargo build", true),
    ("npx jest retry", 1, "● retries › gives up after a timeout\n    expect(received).toBe(expected)\nTests: 1 failed, 3 passed", &[], "npx jest retry", true),
    ("cargo test retry", 101, "test retry::stops_on_timeout ... FAILED\nassertion `left == right` failed\n  left: 3\n right: 4", &[], "cargo test retry", true),
    ("mvn verify", 1, "[ERROR] Tests run: 4, Failures: 1\n[ERROR] returnsServiceUnavailable: expected 503 but was 200", &[], "mvn verify", true),
];

/// Whether the last command is warned.
fn warns((first, exit, error, since, next, _): &Case) -> bool {
    if command(first).not_learned(Some(*exit), error, false).is_some() {
        return false;
    }
    let failure = failed(first, error);
    let holds = since.iter().all(|(done, output)| {
        let done = command(done);
        !failure.is_disproved_by(&done) && !failure.is_mended_by(&done, output)
    });
    let found = failure.keys().iter().any(|key| command(next).keys().contains(key));
    holds && found && failure.speaks_to(&command(next)).is_some()
}

pub(super) fn wrong(cases: &[Case]) -> Vec<String> {
    let wrong = cases.iter().filter(|case| warns(case) != case.5);
    let told = wrong.map(|(first, _, _, since, next, is)| format!("{first} | {since:?} | {next}: {is}"));
    told.collect()
}

#[test]
fn who_meets_the_same_lack_is_warned_in_worlds_that_no_rule_names() {
    assert_eq!(wrong(ROOTS).join("\n"), "");
}

#[test]
fn what_was_done_since_counts_in_worlds_that_no_rule_names() {
    assert_eq!(wrong(SINCE).join("\n"), "");
}

#[test]
fn who_only_looks_alike_is_left_alone() {
    assert_eq!(wrong(ALIKE).join("\n"), "");
}

#[test]
fn answers_interrupts_and_passing_states_are_known_in_worlds_that_no_rule_names() {
    assert_eq!(wrong(PASSES).join("\n"), "");
}

#[test]
fn what_a_build_made_is_known_by_where_it_is() {
    let built = |text: &str| command(text).inputs(AT, "").built;
    for text in ["./build/relay -c a.conf", "java -jar target/app.jar", "gdb build/relay"] {
        assert!(built(text), "{text}");
    }
    for text in ["bin/setup", "cat build/out.txt", "./build/make.sh", "./run"] {
        assert!(!built(text), "{text}");
    }
}

#[test]
fn a_file_that_a_command_names_and_that_is_not_there_stays_the_reason() {
    let failure = failed("./convert in.csv", "convert: cannot open in.csv: No such file or directory");
    assert!(failure.lacks_of(&command("./convert in.csv")).is_some());
    assert!(failure.lacks_of(&command("./convert other.csv")).is_none());
}

#[test]
fn a_project_that_is_named_by_its_manifest_is_its_folder() {
    let inputs = |text| command(text).inputs(AT, "").picked;
    assert_eq!(inputs("dotnet test tests/Cart/Cart.csproj"), inputs("dotnet test tests/Cart"));
}
