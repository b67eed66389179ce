//! Words that mean the same whoever hears them: what only shows, what only looks, what makes, starts and takes away.

/// Options that only change what is shown, whoever takes them: `--no-color`, `-colors`, `--log-level`.
pub(in super::super) fn only_shows(flag: &str) -> bool {
    #[rustfmt::skip]
    const PARTS: &[&str] = &[
        "color", "colour", "colors", "colours", "nocolor", "progress", "pager", "banner", "logo", "nologo", "ansi", "verbose", "verbosity", "silent", "quiet",
        "loglevel", "console", "spinner", "emoji", "notifier",
    ];
    let name = flag.split('=').next().unwrap_or(flag);
    let Some(name) =
        name.strip_prefix('-').map(|rest| rest.trim_start_matches('-')).filter(|name| name.len() > 2)
    else {
        return false;
    };
    name == "log-level" || name.split('-').any(|part| PARTS.contains(&part))
}

/// Values of such options: how much is said, and how.
pub(in super::super) fn is_manner(word: &str) -> bool {
    #[rustfmt::skip]
    const MANNERS: &[&str] = &[
        "always", "never", "auto", "plain", "quiet", "minimal", "normal", "detailed", "diagnostic", "debug", "info", "warn", "warning", "error", "trace",
        "silent", "verbose",
    ];
    MANNERS.contains(&word)
}

/// Variables that only change what is shown: colours, notices, pagers, progress, how much is said.
pub(in super::super) fn env_only_shows(name: &str) -> bool {
    #[rustfmt::skip]
    const PARTS: &[&str] = &[
        "COLOR", "COLOUR", "PAGER", "PROGRESS", "TELEMETRY", "ANALYTICS", "NOTIFIER", "VERSION_CHECK",
        "UPDATE_CHECK", "BANNER", "WARN", "HINTS", "UNBUFFERED", "BACKTRACE", "VERBOS", "IN_AUTOMATION",
        "LOG_LEVEL", "LOGLEVEL", "NO_UPDATE", "FUNDING", "_FUND", "DONT_PROMPT", "CLICOLOR",
        "ROOT_USER_ACTION", "ANSI", "SILENCE", "QUIET", "NOLOGO", "NO_LOGO",
        "INTERACTI", "DO_NOT_TRACK", "NOTICE", "SPINNER", "EMOJI", "DEPRECATION", "NO_AUTO_UPDATE",
        "AUTO_UPDATE", "CLI_HINTS", "SUPPRESS", "LOGGING", "TERMINAL_PROMPT", "DISABLE_VERSION",
    ];
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "TERM", "LANG", "LANGUAGE", "COLUMNS", "LINES", "LESS", "RUST_LOG",
        "TF_LOG", "PS1", "PROMPT", "PYTHONDONTWRITEBYTECODE", "DISABLE_OPENCOLLECTIVE", "ADBLOCK", "CI",
        "DEBUG", "VERBOSE", "FORCE_COLOR", "NO_COLOR", "PYTHONWARNINGS", "NODE_NO_WARNINGS",
        "DEBIAN_FRONTEND", "PYTHONFAULTHANDLER", "RUST_LIB_BACKTRACE", "GRADLE_CONSOLE", "V",
    ];
    let upper = name.to_ascii_uppercase();
    NAMES.contains(&upper.as_str())
        || upper.starts_with("LC_")
        || PARTS.iter().any(|part| upper.contains(part))
}

/// Programs that only look: they break nothing, mend nothing, and asking again costs nothing.
pub(in super::super) fn only_looks(program: &str, sub: Option<&str>) -> bool {
    only_asks(program, sub) || matches!(program, "grep" | "rg" | "egrep" | "fgrep" | "ag" | "ack")
}

/// Programs that ask whether something is there: a missing thing is an answer to them.
pub(in super::super) fn only_asks(program: &str, sub: Option<&str>) -> bool {
    #[rustfmt::skip]
    const LOOKS: &[&str] = &[
        "ls", "pwd", "echo", "printf", "true", "date", "whoami", "env", "printenv", "which", "type",
        "stat", "find", "fd", "tree", "test", "pgrep", "lsof", "ps", "du", "df", "realpath", "basename",
        "dirname", "uname", "id", "sleep", "export", "set", "nc", "pg_isready", "command", "whereis",
        "hostname", "history", "file", "jobs", "ss", "netstat", "ping", "dig", "nslookup", "clear",
        "popd", "dirs", "uptime", "free", "top", "hash", "alias", "tput", "readlink", "pidof", "who",
        "nproc", "arch", "sw_vers", "false", ":",
    ];
    LOOKS.contains(&program)
        || program == "git"
            && matches!(
                sub,
                Some("status" | "branch" | "remote" | "ls-remote" | "show-ref" | "ls-files" | "reflog")
            )
}

/// Subcommands and options that a program answers without what it works on or talks to.
pub(in super::super) fn is_at_home(word: &str) -> bool {
    matches!(
        word,
        "version"
            | "help"
            | "config"
            | "completion"
            | "completions"
            | "context"
            | "--version"
            | "--help"
            | "-version"
            | "-help"
            | "-V"
            | "fmt"
            | "format"
            | "env"
            | "doctor"
            | "init"
            | "login"
            | "auth"
            | "configure"
            | "plugin"
            | "plugins"
            | "remote"
    )
}

/// Words of commands that make, fetch, start or put away what stood in the way.
#[rustfmt::skip]
pub(in super::super) const SUPPLIES: &[&str] = &[
    "install", "add", "init", "create", "createdb", "createuser", "up", "start", "restart", "pull", "fetch",
    "login", "apply", "migrate", "upgrade", "mkdir", "touch", "tag", "branch", "sync", "download",
    "generate", "build", "export", "new", "clone", "restore", "push", "run", "load", "import", "seed",
    "set", "enable", "use", "switch", "checkout", "update", "register", "auth", "configure", "cp", "mv",
    "ln", "tee", "serve", "open", "unlock", "mount", "ci", "bootstrap", "setup", "chmod", "grant", "alter",
    "insert", "commit", "stash", "merge", "rebase", "reset", "kill", "stop", "down", "rm", "prune", "clean",
    "tidy", "vendor", "download-deps", "submodule", "remote", "-b", "-c", "-B", "-C", "pg_ctl", "ssh-add",
    "ssh-keygen", "ssh-keyscan", "ssh-copy-id", "docker-compose", "mkcert", "corepack", "nvm", "asdf", "mise", "rustup", "get", "deps",
    "publish", "deploy", "require", "compile", "lock", "reload", "provision", "link", "pack", "package",
    "install-deps", "drop", "dropdb", "delete", "remove", "uninstall", "destroy", "scale", "patch",
    "replace", "annotate", "label", "uncordon", "attach", "connect", "resume", "unpause", "dump-autoload",
    "prepare", "hydrate", "copy", "put", "upload", "write", "push-schema", "ensure", "activate",
    "select", "track", "gc", "fix", "repair", "rebuild", "refresh", "dep", "deploy-local", "gen", "make",
    "release", "extract", "unpack", "trust", "allow", "approve", "exec", "daemon-reload", "source", "bake",
    "load-image", "mb", "config", "set-url", "cpanm", "go-offline", "baseline", "stamp", "instantiate", "rollback", "resolve",
];

/// Words of commands that make a thing which was not there.
#[rustfmt::skip]
pub(in super::super) const CREATES: &[&str] = &[
    "install", "add", "init", "create", "new", "mkdir", "touch", "clone", "restore", "download", "generate",
    "export", "cp", "mv", "ln", "tee", "fetch", "pull", "createdb", "createuser", "branch", "tag", "push",
    "dump", "build", "-b", "-c", "-B", "require", "gen", "scaffold", "unpack", "extract", "register",
    "publish", "provision", "put", "upload", "import", "load", "seed", "mb",
];

/// Words of commands that make the very files that they name.
#[rustfmt::skip]
pub(in super::super) const WRITES: &[&str] = &[
    "init", "create", "new", "mkdir", "touch", "clone", "download", "generate", "gen", "export", "cp", "mv", "ln", "tee", "dump", "scaffold",
    "unpack", "extract", "add", "fetch", "pull", "restore", "mkcert",
];

/// Words of commands that start something which listens.
#[rustfmt::skip]
pub(in super::super) const STARTS: &[&str] = &[
    "up", "start", "restart", "run", "serve", "dev", "server", "runserver", "pg_ctl", "pg_ctlcluster",
    "redis-server", "mongod", "mysqld", "postgres", "dockerd", "listen", "unpause", "resume",
    "port-forward", "deploy", "launch", "watch", "preview", "phx.server", "foreman", "overmind", "honcho",
    "tilt", "skaffold", "daemon", "tunnel", "proxy",
];

/// Words of commands that bring packages.
#[rustfmt::skip]
pub(in super::super) const INSTALLS: &[&str] = &[
    "install", "add", "ci", "sync", "restore", "download", "pull", "get", "deps.get", "require", "i",
    "update", "fetch", "publish", "publishLocal", "bundle", "tidy", "vendor", "i-all", "link", "upgrade",
    "lock", "setup", "bootstrap", "up", "cpanm",
];

/// Words of commands that take a thing away or stop it.
#[rustfmt::skip]
pub(in super::super) const REMOVES: &[&str] = &[
    "rm", "remove", "delete", "drop", "dropdb", "dropuser", "destroy", "uninstall", "kill", "pkill",
    "killall", "fuser", "stop", "down", "prune", "clean", "reset", "purge", "clear", "-d", "-D", "--delete",
    "unlink", "rmdir", "mv", "teardown", "flush", "evict", "release", "unlock", "force-unlock", "restart",
    "abort", "--abort",
];

/// Words of commands that bring data to another place, or from there.
#[rustfmt::skip]
pub(in super::super) const TRANSFERS: &[&str] = &[
    "push", "pull", "fetch", "sync", "upload", "download", "publish", "deploy", "clone", "release",
];

/// Programs whose builds bring the packages that they lack by themselves.
#[rustfmt::skip]
pub(in super::super) const RESOLVES: &[&str] = &[
    "cargo", "dotnet", "gradle", "mvn", "sbt", "mill", "swift", "go", "dart", "flutter", "stack", "cabal", "lein", "clojure", "bazel", "uv",
    "deno", "gleam", "zig", "elm", "scala-cli", "msbuild", "dub", "crystal",
];

/// Programs that do nothing but bring a database's schema along.
#[rustfmt::skip]
pub(in super::super) const MIGRATES: &[&str] = &[
    "alembic", "flyway", "liquibase", "goose", "dbmate", "sqitch", "migrate", "atlas", "diesel", "sqlx", "tern", "refinery", "sea-orm-cli",
];

/// Programs that install others, or choose which version of them runs.
#[rustfmt::skip]
pub(in super::super) const MANAGERS: &[&str] = &[
    "rustup", "nvm", "fnm", "volta", "asdf", "mise", "rtx", "pyenv", "rbenv", "rvm", "nodenv", "goenv", "tfenv", "tfswitch", "jenv", "sdk", "sdkman",
    "fvm", "xcode-select", "xcodes", "corepack", "brew", "apt", "apt-get", "dnf", "yum", "pacman", "apk", "zypper", "snap", "choco", "winget", "scoop",
    "port", "nix", "nix-env", "conda", "mamba", "sdkmanager", "pecl", "tlmgr", "cpanm", "opam", "luarocks", "vcpkg", "conan",
];

/// Packages that bring a compiler and a linker.
#[rustfmt::skip]
pub(in super::super) const COMPILERS: &[&str] = &[
    "build-essential", "build-base", "base-devel", "gcc", "g++", "clang", "llvm", "make", "cmake", "xcode-select",
];

/// What usually listens at a port.
#[rustfmt::skip]
pub(in super::super) const SERVICES: &[(&str, &str)] = &[
    ("5432", "postgres"), ("3306", "mysql"), ("3306", "mariadb"), ("6379", "redis"), ("6379", "valkey"), ("27017", "mongo"), ("9200", "elastic"),
    ("9200", "opensearch"), ("5672", "rabbit"), ("9092", "kafka"), ("2181", "zookeeper"), ("11211", "memcached"), ("1433", "mssql"), ("8200", "vault"),
    ("8500", "consul"), ("4566", "localstack"), ("9000", "minio"), ("4222", "nats"), ("2379", "etcd"), ("9042", "cassandra"),
];

/// What says, in whosever words, that a kind of program's service does not answer.
#[rustfmt::skip]
pub(in super::super) const SILENT: &[(&str, &str)] = &[
    ("docker", "docker"), ("podman", "docker"), ("docker daemon", "docker"), ("valid docker environment", "docker"), ("docker is not running", "docker"), ("docker engine is not", "docker"),
    ("docker desktop is not", "docker"), ("/var/run/docker.sock", "docker"), ("podman socket", "docker"), ("podman.sock", "docker"),
    ("kubernetes cluster unreachable", "kubernetes"), ("emulator hub", "firebase"),
];

/// What says that a program cannot run as it is installed, whatever it is told; and the family that shares the reason, where one does.
#[rustfmt::skip]
pub(in super::super) const UNSTARTABLE: &[(&str, &str)] = &[
    ("sdk was not found", ""), ("does not support targeting", ""), ("is not installed (set by", ""), ("no version is set for", ""), ("your ruby version is", ""), ("rustup could not choose", ""),
    ("rustup default", ""), ("toolchain not available", ""), ("(running go", ""), ("java_home is not", "jvm"), ("java_home is set to an invalid", "jvm"),
    ("java_home environment variable is not", "jvm"), ("java_home is invalid", "jvm"), ("unable to locate a java runtime", "jvm"), ("invalid active developer path", "apple"),
    ("agreed to the xcode license", "apple"), ("agree to the xcode", "apple"), ("error while loading shared libraries", ""), ("library not loaded", ""),
    ("version `glibc", ""), ("unsupported terraform core version", ""), ("exec format error", ""), ("bad interpreter", ""), ("no android sdk", ""),
    ("bad cpu type", ""), ("sdk location not found", ""),
];

/// How programs say which of their tasks had failed: what stands before its name.
#[rustfmt::skip]
pub(in super::super) const FAILED_TASKS: &[(&str, &str)] = &[
    ("recipe `", "just"), ("failed to run task \"", "task"), ("execution failed for task '", "gradle"), ("lifecycle script `", "npm run"),
];

/// Parts of an option's name that say that it makes what may be lacking, or goes round what is in the way.
#[rustfmt::skip]
pub(in super::super) const GETS_ROUND: &[&str] = &[
    "create", "install", "init", "new", "ensure", "bootstrap", "force", "allow", "skip", "ignore", "no", "without", "insecure", "update", "upgrade", "refresh",
    "fresh", "overwrite", "replace", "recreate", "reconfigure", "missing", "orphan",
];

/// Words of commands that list what there is.
#[rustfmt::skip]
pub(in super::super) const LISTS: &[&str] = &["list", "ls", "get", "describe", "show", "ps", "images", "status", "info", "inspect", "devices", "tags", "branches"];

/// Programs with machinery of their own, to be installed once: every run of theirs wants it.
pub(in super::super) const EQUIPPED: &[&str] =
    &["playwright", "cypress", "puppeteer", "detox", "pre-commit", "chromedriver"];

/// Words of commands that give a name to what they make: one that is taken is in their way.
#[rustfmt::skip]
pub(in super::super) const NAMES: &[&str] = &[
    "create", "new", "add", "init", "tag", "branch", "-b", "-B", "-c", "mb", "mkdir", "createdb", "createuser", "clone", "register", "generate", "gen",
    "install", "run", "launch", "scaffold", "provision",
];
