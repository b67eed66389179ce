//! What is known of programs, in one place: how they spell things, what they read, which exits are answers.
//!
//! A program that is not in the table is taken at its word: every option
//! matters, and it reads what its command and its error name.

/// What a program reads besides the files that its command and its error name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// Nothing.
    Named,
    /// The sources of its package, unless the command names files.
    Sources,
    /// The sources of its package for these subcommands.
    SourcesFor(&'static [&'static str]),
}

/// An exit code that is an answer and no failure.
pub(super) struct Answer {
    /// Words that the command must have, all of them.
    pub(super) with: &'static [&'static str],
    pub(super) codes: &'static [i32],
}

/// What is known of one program.
pub(super) struct Tool {
    /// Its names; the first is the one that counts.
    pub(super) names: &'static [&'static str],
    /// The first plain word is a subcommand.
    pub(super) sub: bool,
    /// Subcommands with two spellings.
    pub(super) subs: &'static [(&'static str, &'static str)],
    /// Options with two spellings.
    pub(super) flags: &'static [(&'static str, &'static str)],
    /// Options that take the next word.
    pub(super) values: &'static [&'static str],
    /// Options that change only what is shown.
    pub(super) shows: &'static [&'static str],
    /// Options whose value is prose (a commit's message), by subcommand.
    pub(super) prose: &'static [(&'static str, &'static str)],
    /// Options that say in which folder to work.
    pub(super) folder: &'static [&'static str],
    /// Options that name one package of a workspace.
    pub(super) package: &'static [&'static str],
    /// `-ab` is `-a -b`.
    pub(super) bundles: bool,
    /// Its plain words may stand in any order.
    pub(super) any_order: bool,
    /// It does the same wherever it is started: only its paths matter.
    pub(super) anywhere: bool,
    /// Its first plain word is an expression, and no path.
    pub(super) script: bool,
    pub(super) reads: Reads,
    /// Manifests, lock files and settings that it always reads, here or above.
    pub(super) manifests: &'static [&'static str],
    pub(super) answers: &'static [Answer],
    /// The port it talks to unless told otherwise.
    pub(super) port: Option<u16>,
}

const PLAIN: Tool = Tool {
    names: &[],
    sub: false,
    subs: &[],
    flags: &[],
    values: &[],
    shows: &[],
    prose: &[],
    folder: &[],
    package: &[],
    bundles: false,
    any_order: false,
    anywhere: false,
    script: false,
    reads: Reads::Named,
    manifests: &[],
    answers: &[],
    port: None,
};

/// A program that shows or changes files that it is given, wherever it is started.
const FILES: Tool = Tool { bundles: true, anywhere: true, ..PLAIN };
/// A question whose "no" is exit 1.
const ASKS: &[Answer] = &[Answer { with: &[], codes: &[1] }];

const NODE: &[&str] = &[
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock",
    "bun.lockb", ".npmrc", ".nvmrc", ".node-version", "tsconfig.json", "tsconfig.base.json", "turbo.json", "nx.json",
];
const PYTHON: &[&str] = &[
    "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", "requirements.txt", "requirements-dev.txt",
    "poetry.lock", "uv.lock", "Pipfile", "Pipfile.lock", "conftest.py", "tests/conftest.py", "mypy.ini", "ruff.toml",
    ".flake8", ".python-version",
];
const CARGO: &[&str] = &[
    "Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml", ".cargo/config.toml", "clippy.toml",
    "rustfmt.toml", "build.rs",
];
const GO: &[&str] = &["go.mod", "go.sum", "go.work", ".golangci.yml", ".golangci.yaml"];
const JAVA: &[&str] = &[
    "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties",
];
const NODE_RUNS: &[&str] = &["test", "run", "start", "exec", "build", "lint", "pack", "publish", "ci"];
const RUBY: &[&str] = &["Gemfile", "Gemfile.lock", "Rakefile", ".rspec", ".rubocop.yml"];

/// Every program that is known.
#[rustfmt::skip]
pub(super) static TOOLS: &[Tool] = &[
    Tool { names: &["npm"], sub: true,
        subs: &[("i", "install"), ("in", "install"), ("add", "install"), ("isntall", "install"), ("t", "test"), ("tst", "test"), ("run-script", "run"), ("rum", "run"),
            ("rm", "uninstall"), ("remove", "uninstall"), ("un", "uninstall"), ("r", "uninstall"), ("up", "update"), ("upgrade", "update"), ("ls", "list"), ("info", "view"), ("show", "view"), ("v", "view"), ("x", "exec"), ("clean-install", "ci"), ("ic", "ci")],
        flags: &[("-D", "--save-dev"), ("-P", "--save-prod"), ("-S", "--save"), ("-g", "--global"), ("-E", "--save-exact"), ("-w", "--workspace"), ("-C", "--prefix"), ("-f", "--force"), ("-y", "--yes"), ("-s", "--silent")],
        values: &["--workspace", "--prefix", "--tag", "--registry", "--loglevel", "--otp", "--omit", "--include"],
        shows: &["--silent", "-q", "-d", "-dd", "--loglevel", "--no-fund", "--fund", "--no-audit", "--no-update-notifier", "--save"],
        folder: &["--prefix"], package: &["--workspace"], any_order: true,
        reads: Reads::SourcesFor(NODE_RUNS), manifests: NODE,
        answers: &[Answer { with: &["outdated"], codes: &[1] }, Answer { with: &["audit"], codes: &[1] }], ..PLAIN },
    Tool { names: &["pnpm"], sub: true,
        subs: &[("i", "install"), ("rm", "remove"), ("un", "remove"), ("uninstall", "remove"), ("up", "update"), ("upgrade", "update"), ("ls", "list"), ("t", "test"), ("tst", "test"), ("run-script", "run"), ("recursive", "-r"), ("multi", "-r"), ("m", "-r")],
        flags: &[("-D", "--save-dev"), ("-P", "--save-prod"), ("-g", "--global"), ("-F", "--filter"), ("-C", "--dir"), ("-w", "--workspace-root"), ("-s", "--silent"), ("--recursive", "-r")],
        values: &["--filter", "--dir", "--reporter", "--loglevel", "--registry"],
        shows: &["--silent", "--reporter", "--loglevel", "--stream", "--aggregate-output"],
        folder: &["--dir"], package: &["--filter"], any_order: true,
        reads: Reads::SourcesFor(NODE_RUNS), manifests: NODE,
        answers: &[Answer { with: &["outdated"], codes: &[1] }, Answer { with: &["audit"], codes: &[1] }], ..PLAIN },
    Tool { names: &["yarn", "yarnpkg"], sub: true, subs: &[("upgrade", "up"), ("why", "explain")],
        flags: &[("-D", "--dev"), ("-s", "--silent")], values: &["--cwd", "--registry"], shows: &["--silent", "--non-interactive"],
        folder: &["--cwd"], package: &["workspace"], any_order: true, reads: Reads::SourcesFor(NODE_RUNS), manifests: NODE,
        answers: &[Answer { with: &["outdated"], codes: &[1] }, Answer { with: &["audit"], codes: &[1] }], ..PLAIN },
    Tool { names: &["bun"], sub: true, subs: &[("i", "install"), ("a", "add"), ("rm", "remove")], values: &["--cwd"], folder: &["--cwd"],
        any_order: true, reads: Reads::SourcesFor(NODE_RUNS), manifests: NODE, ..PLAIN },
    Tool { names: &["npx", "bunx", "pnpx"], sub: true, flags: &[("-y", "--yes"), ("-p", "--package")], values: &["--package"], shows: &["--yes"],
        reads: Reads::Sources, manifests: NODE, ..PLAIN },
    Tool { names: &["jest", "vitest", "mocha", "ava"], flags: &[("-t", "--testNamePattern"), ("-i", "--runInBand"), ("-c", "--config")],
        values: &["--testNamePattern", "--config", "--reporter"], shows: &["--verbose", "--colors", "--silent", "--reporter"], any_order: true,
        reads: Reads::Sources, manifests: NODE, ..PLAIN },
    Tool { names: &["eslint", "prettier", "stylelint", "biome"], flags: &[("-f", "--format"), ("-c", "--config")], values: &["--config", "--format", "--ext", "--max-warnings"],
        shows: &["--format"], any_order: true, reads: Reads::Sources, manifests: NODE, ..PLAIN },
    Tool { names: &["tsc", "vite", "webpack", "next", "rollup", "esbuild", "turbo", "nx"], flags: &[("-p", "--project")], values: &["--project", "--config", "--mode", "--filter"],
        shows: &["--pretty"], package: &["--filter"], reads: Reads::Sources, manifests: NODE, ..PLAIN },
    Tool { names: &["node", "nodejs", "deno", "tsx", "ts-node"], manifests: NODE, ..PLAIN },
    Tool { names: &["pytest", "py.test"], flags: &[("--exitfirst", "-x"), ("--quiet", "-q"), ("--verbose", "-v"), ("--last-failed", "--lf"), ("--junit-xml", "--junitxml")],
        values: &["-k", "-m", "-n", "-p", "-c", "--maxfail", "--tb", "--junitxml", "--cov", "--cov-report", "--rootdir", "--durations", "--log-level"],
        shows: &["-q", "-qq", "-v", "-vv", "-vvv", "-s", "-ra", "-rA", "-rf", "--tb", "--junitxml", "--durations", "--no-header", "--no-summary", "--cov-report", "--capture", "-l", "--showlocals"],
        any_order: true, reads: Reads::Sources, manifests: PYTHON, ..PLAIN },
    Tool { names: &["python", "python3", "python2", "py"], values: &["-c", "-m"], shows: &["-u", "-B"], manifests: &[], ..PLAIN },
    Tool { names: &["pip", "pip3", "pipx"], sub: true, flags: &[("-r", "--requirement"), ("-U", "--upgrade"), ("-e", "--editable"), ("-c", "--constraint"), ("-i", "--index-url"), ("-t", "--target")],
        values: &["--requirement", "--editable", "--constraint", "--index-url", "--extra-index-url", "--target"],
        shows: &["-q", "-qq", "-v", "--disable-pip-version-check", "--no-input", "--progress-bar", "--no-warn-script-location", "--root-user-action"], any_order: true,
        manifests: &["pyproject.toml", "setup.py"], ..PLAIN },
    Tool { names: &["uv", "poetry", "pdm", "pipenv", "hatch", "rye"], sub: true, flags: &[("-C", "--directory"), ("--project", "--directory")], values: &["--directory", "--group", "--with", "--extra"],
        folder: &["--directory"], shows: &["-q", "-v", "-n", "--no-interaction", "--no-ansi"], reads: Reads::SourcesFor(&["run", "build"]), manifests: PYTHON, ..PLAIN },
    Tool { names: &["mypy", "ruff", "flake8", "pylint", "black", "isort", "pyright", "tox", "nox", "bandit"], values: &["--config-file", "--config", "-c", "-e"], any_order: true,
        shows: &["-q", "-v", "--pretty", "--output-format"], reads: Reads::Sources, manifests: PYTHON, ..PLAIN },
    Tool { names: &["alembic"], sub: true, flags: &[("-c", "--config"), ("-n", "--name")], values: &["--config", "--name", "-x"], manifests: &["alembic.ini", "migrations", "alembic"], ..PLAIN },
    Tool { names: &["cargo"], sub: true, subs: &[("b", "build"), ("c", "check"), ("t", "test"), ("r", "run"), ("d", "doc"), ("rm", "remove")],
        flags: &[("-p", "--package"), ("-F", "--features"), ("-r", "--release"), ("-Z", "-Z"), ("--all", "--workspace"), ("-j", "--jobs"), ("-n", "--dry-run"), ("-q", "--quiet"), ("-v", "--verbose")],
        values: &["--package", "--features", "--test", "--bin", "--example", "--bench", "--target", "--manifest-path", "--profile", "--jobs", "--version", "--exclude", "--color", "--message-format", "--git", "--branch", "--tag", "--rev", "--path", "--registry", "--target-dir", "--config", "-Z"],
        shows: &["--quiet", "--verbose", "-vv", "--color", "--message-format", "--jobs", "--target-dir"], package: &["--package"], any_order: true,
        reads: Reads::SourcesFor(&["build", "check", "test", "run", "clippy", "doc", "bench", "fmt", "package", "publish", "nextest", "miri", "rustc", "fix"]), manifests: CARGO, ..PLAIN },
    Tool { names: &["go"], sub: true, values: &["-run", "-count", "-timeout", "-tags", "-o", "-bench", "-C", "-p", "-ldflags", "-coverprofile", "-mod", "-exec", "-parallel", "-cpu"],
        shows: &["-v", "-x", "-json", "-coverprofile", "-cover", "-p"], folder: &["-C"], any_order: true,
        reads: Reads::SourcesFor(&["build", "test", "run", "vet", "generate", "install"]), manifests: GO, ..PLAIN },
    Tool { names: &["golangci-lint", "staticcheck", "gofmt", "goimports", "gotestsum"], sub: false, any_order: true, reads: Reads::Sources, manifests: GO, ..PLAIN },
    Tool { names: &["mvn", "mvnw"], flags: &[("--quiet", "-q"), ("--file", "-f"), ("--projects", "-pl"), ("--batch-mode", "-B")], values: &["-f", "-pl", "-P", "-s"], shows: &["-q", "-B", "-ntp", "--no-transfer-progress", "-e"], package: &["-pl"], reads: Reads::Sources, manifests: JAVA, ..PLAIN },
    Tool { names: &["gradle", "gradlew"], flags: &[("--project-dir", "-p"), ("--quiet", "-q")], values: &["-p", "--tests", "-x"], shows: &["-q", "--info", "--console", "--stacktrace", "--no-daemon", "--warning-mode"], folder: &["-p"], reads: Reads::Sources, manifests: JAVA, ..PLAIN },
    Tool { names: &["dotnet"], sub: true, flags: &[("-v", "--verbosity"), ("-c", "--configuration"), ("-f", "--framework")], values: &["--verbosity", "--configuration", "--framework", "--project", "--filter", "-o"], shows: &["--verbosity", "--nologo"], reads: Reads::SourcesFor(&["build", "test", "run", "publish", "pack"]), manifests: &["global.json", "nuget.config", "Directory.Build.props"], ..PLAIN },
    Tool { names: &["bundle", "bundler"], sub: true, shows: &["--quiet"], reads: Reads::SourcesFor(&["exec"]), manifests: RUBY, ..PLAIN },
    Tool { names: &["rspec", "rake", "rails", "rubocop", "minitest"], any_order: true, reads: Reads::Sources, manifests: RUBY, ..PLAIN },
    Tool { names: &["composer", "php", "phpunit", "artisan"], sub: false, reads: Reads::Named, manifests: &["composer.json", "composer.lock", "phpunit.xml"], ..PLAIN },
    Tool { names: &["mix"], sub: true, reads: Reads::SourcesFor(&["test", "compile", "run", "credo"]), manifests: &["mix.exs", "mix.lock"], ..PLAIN },
    Tool { names: &["swift"], sub: true, reads: Reads::SourcesFor(&["build", "test", "run"]), manifests: &["Package.swift", "Package.resolved"], ..PLAIN },
    Tool { names: &["cmake", "ctest", "ninja", "meson", "bazel"], values: &["-C", "-B", "-S", "-G", "-j", "--build"], shows: &["-j", "--verbose", "--output-on-failure"], reads: Reads::Sources, manifests: &["CMakeLists.txt", "meson.build", "BUILD", "WORKSPACE", "MODULE.bazel"], ..PLAIN },
    Tool { names: &["gcc", "cc", "clang", "g++", "clang++", "c++", "rustc", "javac", "ghc"], values: &["-o", "-I", "-L", "-D"], ..PLAIN },
    Tool { names: &["make", "gmake"], flags: &[("--directory", "-C"), ("--file", "-f"), ("--jobs", "-j"), ("--silent", "-s"), ("--quiet", "-s")], values: &["-C", "-f", "--directory"],
        shows: &["-s", "-j", "-j1", "-j2", "-j4", "-j8", "-w", "--no-print-directory", "--print-directory"], folder: &["-C"], reads: Reads::Sources, manifests: &["Makefile", "makefile", "GNUmakefile"],
        answers: &[Answer { with: &["-q"], codes: &[1] }, Answer { with: &["--question"], codes: &[1] }], ..PLAIN },
    Tool { names: &["just", "task"], values: &["-f", "-d"], reads: Reads::Sources, manifests: &["justfile", "Justfile", "Taskfile.yml"], ..PLAIN },
    Tool { names: &["git"], sub: true, bundles: true, subs: &[("stage", "add")],
        flags: &[("-d", "--delete"), ("-f", "--force"), ("-a", "--all"), ("-u", "--set-upstream"), ("-n", "--dry-run"), ("-q", "--quiet"), ("-v", "--verbose"), ("-m", "--message"), ("--no-edit", "--no-edit"), ("-s", "--signoff"), ("-S", "--gpg-sign")],
        values: &["-C", "-c", "--message", "-b", "-B", "--author", "--git-dir", "--work-tree", "-F", "--file", "--onto", "-X", "--strategy", "--depth", "--branch", "--upstream-branch"],
        shows: &["--quiet", "--verbose", "--no-pager", "--progress", "--no-progress", "--stat"],
        prose: &[("commit", "--message"), ("tag", "--message"), ("merge", "--message"), ("stash", "--message"), ("commit", "--file")],
        folder: &["-C"], reads: Reads::Named, manifests: &[],
        answers: &[Answer { with: &["diff", "--exit-code"], codes: &[1] }, Answer { with: &["diff", "--quiet"], codes: &[1] }, Answer { with: &["diff", "--check"], codes: &[1, 2] },
            Answer { with: &["diff-index", "--quiet"], codes: &[1] }, Answer { with: &["diff-files", "--quiet"], codes: &[1] }, Answer { with: &["diff", "--no-index"], codes: &[1] },
            Answer { with: &["merge-base", "--is-ancestor"], codes: &[1] }, Answer { with: &["show-ref"], codes: &[1] }, Answer { with: &["grep"], codes: &[1] },
            Answer { with: &["check-ignore"], codes: &[1] }, Answer { with: &["config", "--get"], codes: &[1] }, Answer { with: &["ls-remote", "--exit-code"], codes: &[2] },
            Answer { with: &["rev-parse", "--quiet"], codes: &[1, 128] }, Answer { with: &["cat-file", "-e"], codes: &[1, 128] }, Answer { with: &["ls-files", "--error-unmatch"], codes: &[1] },
            Answer { with: &["symbolic-ref", "--quiet"], codes: &[1] }, Answer { with: &["verify-commit"], codes: &[1] }], ..PLAIN },
    Tool { names: &["gh", "glab"], sub: true, flags: &[("-R", "--repo")], values: &["--repo", "--title", "--body", "--base", "--head"], prose: &[("pr", "--title"), ("pr", "--body"), ("issue", "--title"), ("issue", "--body"), ("release", "--notes")],
        answers: &[Answer { with: &["checks"], codes: &[1, 8] }], ..PLAIN },
    Tool { names: &["terraform", "tofu"], sub: true, values: &["-chdir", "-var", "-var-file", "-target", "-out", "-state", "-backend-config", "-lock-timeout", "-parallelism"],
        shows: &["-no-color", "-compact-warnings", "-json", "-input", "-parallelism"], folder: &["-chdir"], any_order: true,
        reads: Reads::Sources, manifests: &[".terraform.lock.hcl"], answers: &[Answer { with: &["plan", "-detailed-exitcode"], codes: &[2] }, Answer { with: &["fmt", "-check"], codes: &[3] }], ..PLAIN },
    Tool { names: &["docker", "podman", "nerdctl"], sub: true, flags: &[("--tag", "-t"), ("--file", "-f"), ("--detach", "-d"), ("--publish", "-p"), ("--env", "-e"), ("--volume", "-v"), ("--project-name", "-p")],
        values: &["-t", "-f", "-p", "-e", "-v", "--name", "--network", "--build-arg", "--target", "--platform", "--progress", "-w", "-u", "--env-file"], shows: &["--progress", "--quiet", "-q", "--ansi"],
        reads: Reads::SourcesFor(&["build", "buildx"]), manifests: &["Dockerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml", ".dockerignore", ".env"], ..PLAIN },
    Tool { names: &["kubectl", "oc", "helm", "minikube", "kind", "k9s"], sub: true, flags: &[("-n", "--namespace"), ("-f", "--filename"), ("-o", "--output"), ("-l", "--selector"), ("-c", "--container")],
        values: &["--namespace", "--filename", "--output", "--selector", "--container", "--context", "--kubeconfig", "--timeout"], shows: &["--output"], any_order: true,
        answers: &[Answer { with: &["diff"], codes: &[1] }], ..PLAIN },
    Tool { names: &["ansible-playbook", "ansible"], flags: &[("-i", "--inventory"), ("-l", "--limit"), ("-e", "--extra-vars")], values: &["--inventory", "--limit", "--extra-vars", "--tags"], shows: &["-v", "-vv", "-vvv"], manifests: &["ansible.cfg"], ..PLAIN },
    Tool { names: &["psql", "pg_dump", "pg_restore", "createdb", "dropdb", "pg_isready", "vacuumdb", "createuser"],
        flags: &[("--host", "-h"), ("--port", "-p"), ("--username", "-U"), ("--dbname", "-d"), ("--command", "-c"), ("--file", "-f"), ("--variable", "-v"), ("--set", "-v"), ("--quiet", "-q"), ("--tuples-only", "-t"), ("--no-align", "-A"), ("--no-psqlrc", "-X"), ("--expanded", "-x")],
        values: &["-h", "-p", "-U", "-d", "-c", "-f", "-v", "-o", "-F", "-P"], shows: &["-q", "-t", "-A", "-X", "-x", "-P", "-e", "-a", "-F", "--csv"], any_order: true, bundles: true, port: Some(5432),
        answers: &[], ..PLAIN },
    Tool { names: &["mysql", "mysqldump", "mariadb", "mysqladmin"], flags: &[("--host", "-h"), ("--port", "-P"), ("--user", "-u"), ("--database", "-D"), ("--execute", "-e")], values: &["-h", "-P", "-u", "-D", "-e"], shows: &["-s", "-N", "-B"], port: Some(3306), ..PLAIN },
    Tool { names: &["redis-cli"], values: &["-h", "-p", "-n", "-a", "-u"], port: Some(6379), ..PLAIN },
    Tool { names: &["mongosh", "mongo", "mongodump"], values: &["--host", "--port", "--eval"], port: Some(27017), ..PLAIN },
    Tool { names: &["sqlite3", "duckdb"], anywhere: true, ..PLAIN },
    Tool { names: &["curl"], flags: &[("--silent", "-s"), ("--show-error", "-S"), ("--fail", "-f"), ("--location", "-L"), ("--request", "-X"), ("--header", "-H"), ("--data", "-d"), ("--output", "-o"), ("--verbose", "-v"), ("--include", "-i"), ("--max-time", "-m"), ("--user", "-u")],
        values: &["-X", "-H", "-d", "-o", "-m", "-u", "-w", "--data-raw", "--data-binary", "-F", "--connect-timeout", "--retry", "-A", "-b", "-c"], shows: &["-s", "-S", "-v", "-i", "-o", "-w", "-m", "--connect-timeout"], bundles: true, any_order: true, ..PLAIN },
    Tool { names: &["wget", "http", "https", "nc", "telnet", "grpcurl"], values: &["-O", "-P"], shows: &["-q", "-O"], ..PLAIN },
    Tool { names: &["ssh", "scp", "rsync", "sftp"], values: &["-i", "-p", "-P", "-o", "-e", "-l"], shows: &["-v", "-q"], ..PLAIN },
    Tool { names: &["aws", "gcloud", "az", "fly", "heroku", "vercel", "doctl"], sub: true, any_order: true, shows: &["--output", "--no-cli-pager"], values: &["--output", "--region", "--profile", "--project"], ..PLAIN },
    Tool { names: &["grep", "egrep", "fgrep", "zgrep"], values: &["-e", "-f", "-A", "-B", "-C", "-m", "--include", "--exclude", "--exclude-dir"], shows: &["-n", "-H", "-h", "-A", "-B", "-C"], answers: ASKS, script: true, ..FILES },
    Tool { names: &["rg", "ag", "ack"], values: &["-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t", "-T"], shows: &["-n", "-H", "-A", "-B", "-C"], answers: ASKS, script: true, ..FILES },
    Tool { names: &["test", "["], answers: ASKS, ..FILES },
    Tool { names: &["diff", "cmp", "colordiff", "sdiff"], shows: &["-u", "-c", "-y", "--side-by-side", "--unified", "-U"], values: &["-U"], answers: ASKS, ..FILES },
    Tool { names: &["pgrep", "pidof", "which", "type", "hash", "lsof", "fuser", "expr", "false", "let", "systemctl is-active", "cksum", "getent"], answers: ASKS, ..PLAIN },
    Tool { names: &["systemctl", "service", "launchctl", "brew"], sub: true, answers: &[Answer { with: &["is-active"], codes: &[3, 4] }, Answer { with: &["is-enabled"], codes: &[1] }, Answer { with: &["is-failed"], codes: &[1] }, Answer { with: &["status"], codes: &[3, 4] }, Answer { with: &["outdated"], codes: &[1] }], ..PLAIN },
    Tool { names: &["sed", "awk", "gawk", "jq", "yq", "perl"], values: &["-e", "-f"], script: true, ..FILES },
    Tool { names: &["cat", "less", "more", "bat", "head", "tail", "nl", "tac", "rev", "wc", "cut", "sort", "uniq", "tr", "paste", "column", "od", "hexdump", "xxd", "strings", "file", "md5sum", "sha256sum", "sha1sum", "tee", "base64", "gzip", "gunzip", "zcat", "unzip", "zip", "tar", "touch", "mkdir", "rmdir", "chmod", "chown", "ln", "cp", "mv", "rm", "ls", "stat", "du", "find", "fd", "tree", "realpath", "readlink", "basename", "dirname", "patch", "shellcheck", "xmllint", "source", "."], ..FILES },
    Tool { names: &["sh", "bash", "zsh", "dash", "ksh"], shows: &["-x"], ..PLAIN },
];

/// What is known of a program.
pub(super) fn tool(program: &str) -> &'static Tool {
    static UNKNOWN: Tool = PLAIN;
    TOOLS.iter().find(|tool| tool.names.contains(&program)).unwrap_or(&UNKNOWN)
}

/// Whether anything is known of a program.
pub(super) fn is_known(program: &str) -> bool {
    TOOLS.iter().any(|tool| tool.names.contains(&program))
}

/// One name for a program: without its folder, a version of the interpreter, or a second spelling.
pub(super) fn program(name: &str) -> &str {
    let base = if name.starts_with("./") || name.contains('/') && !is_known(name.rsplit('/').next().unwrap_or(name)) {
        return name;
    } else {
        name.rsplit('/').next().unwrap_or(name)
    };
    let versioned = |stem: &str| base.strip_prefix(stem).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    match base {
        _ if versioned("python") => "python",
        _ if versioned("pip") => "pip",
        "[" => "test",
        "nodejs" => "node",
        "py.test" => "pytest",
        "tofu" => "terraform",
        "mvnw" => "mvn",
        "gradlew" => "gradle",
        "gmake" => "make",
        "yarnpkg" => "yarn",
        "bundler" => "bundle",
        other => other,
    }
}

/// Options that only change what is shown, whoever takes them.
pub(super) fn only_shows(flag: &str) -> bool {
    const SHOWS: &[&str] = &["--verbose", "--silent", "--no-pager", "--progress", "--no-progress", "--no-color", "--no-colour", "--color", "--colour", "--colors", "--no-colors"];
    SHOWS.contains(&flag)
}

/// Variables that only change what is shown: colours, notices, pagers, progress, how much is said.
pub(super) fn env_only_shows(name: &str) -> bool {
    const PARTS: &[&str] = &["COLOR", "COLOUR", "PAGER", "PROGRESS", "TELEMETRY", "ANALYTICS", "NOTIFIER", "VERSION_CHECK", "UPDATE_CHECK", "BANNER", "HINTS", "UNBUFFERED", "BACKTRACE", "VERBOS", "IN_AUTOMATION", "LOG_LEVEL", "LOGLEVEL", "NO_UPDATE", "FUNDING", "_FUND", "DONT_PROMPT", "CLICOLOR", "WARN_SCRIPT", "ROOT_USER_ACTION", "NOWARN", "NO_WARN"];
    const NAMES: &[&str] = &["TERM", "LANG", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "COLUMNS", "LINES", "LESS", "RUST_LOG", "TF_LOG", "PS1", "PROMPT", "PYTHONDONTWRITEBYTECODE", "DISABLE_OPENCOLLECTIVE", "ADBLOCK"];
    let upper = name.to_ascii_uppercase();
    NAMES.contains(&upper.as_str()) || PARTS.iter().any(|part| upper.contains(part))
}

/// Programs that only look: they break nothing, mend nothing, and asking again costs nothing.
pub(super) fn only_looks(program: &str, sub: Option<&str>) -> bool {
    const LOOKS: &[&str] = &["ls", "pwd", "echo", "printf", "true", "date", "whoami", "env", "printenv", "which", "type", "stat", "find", "fd", "tree", "test", "pgrep", "lsof", "ps", "du", "df", "realpath", "basename", "dirname", "uname", "id", "sleep", "export", "set", "grep", "rg", "nc", "pg_isready"];
    LOOKS.contains(&program)
        || program == "git" && matches!(sub, Some("status" | "branch" | "remote" | "ls-remote" | "show-ref" | "ls-files" | "reflog"))
}

/// Words of commands that make, fetch or start what was missing.
pub(super) const SUPPLIES: &[&str] = &["install", "add", "init", "create", "createdb", "createuser", "up", "start", "restart", "pull", "fetch", "login", "apply", "migrate", "upgrade", "mkdir", "touch", "tag", "branch", "sync", "download", "generate", "build", "export", "new", "clone", "restore", "push", "run", "load", "import", "seed", "set", "enable", "use", "switch", "checkout", "update", "register", "auth", "configure", "cp", "mv", "ln", "tee", "serve", "open", "unlock", "mount", "ci", "bootstrap", "setup", "chmod", "grant", "alter", "insert", "commit", "stash", "merge", "rebase", "reset", "kill", "stop", "down", "rm", "prune", "clean", "tidy", "vendor", "download-deps", "submodule", "remote", "-b", "-c", "-B", "-C", "pg_ctl", "ssh-add", "ssh-keygen", "docker-compose", "mkcert", "corepack", "nvm", "asdf", "mise", "rustup"];

/// Words of commands that make a thing which was not there.
pub(super) const CREATES: &[&str] = &["install", "add", "init", "create", "new", "mkdir", "touch", "clone", "restore", "download", "generate", "export", "cp", "mv", "ln", "tee", "fetch", "pull", "createdb", "createuser", "branch", "tag", "push", "dump", "build", "-b", "-c", "-B"];

/// Words of commands that start something which listens.
pub(super) const STARTS: &[&str] = &["up", "start", "restart", "run", "serve", "dev", "server", "runserver", "pg_ctl", "pg_ctlcluster", "redis-server", "mongod", "mysqld", "postgres", "dockerd", "listen", "unpause", "resume", "port-forward"];
