//! What is known of programs, in one place: how they spell things, what they read, which exits are answers.
//!
//! One table, in files by topic. A program that is not in it is taken at its
//! word: every option matters, and it reads what its command and its error name.

mod build;
mod data;
mod files;
mod infra;
mod jvm;
mod native;
mod python;
mod script;
mod spellings;
mod web;
mod words;

pub(super) use self::spellings::{CLUSTERS, COMPOSER, ECHOES, RUNNERS, SPELLINGS, is_script, works_alone};
use self::words::GETS_ROUND;
pub(super) use self::words::{
    COMPILERS, CREATES, EQUIPPED, FAILED_TASKS, INSTALLS, LISTS, MANAGERS, MIGRATES, NAMES, REMOVES,
    RESOLVES, SERVICES, SILENT, STARTS, SUPPLIES, TRANSFERS, UNSTARTABLE, WRITES, env_only_shows, is_at_home,
    is_manner, only_asks, only_looks, only_shows,
};

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
    /// The programs that share its services, its packages and its broken files; its own name if empty.
    pub(super) family: &'static str,
    /// The first plain word is a subcommand.
    pub(super) sub: bool,
    /// Subcommands behind which another command stands (`uv run`); empty text if it needs none (`npx`).
    pub(super) runs: &'static [&'static str],
    /// Subcommands with two spellings.
    pub(super) subs: &'static [(&'static str, &'static str)],
    /// Options with two spellings, beyond a short one that is the long one's first letter.
    pub(super) flags: &'static [(&'static str, &'static str)],
    /// Options that take the next word.
    pub(super) values: &'static [&'static str],
    /// Options that take no word.
    pub(super) bare: &'static [&'static str],
    /// Options that change only what is shown.
    pub(super) shows: &'static [&'static str],
    /// Options whose value is prose (a commit's message), by subcommand.
    pub(super) prose: &'static [(&'static str, &'static str)],
    /// Options that say in which folder to work.
    pub(super) folder: &'static [&'static str],
    /// Options that name the manifest to work with; it works where that is.
    pub(super) manifest: &'static [&'static str],
    /// Options that name one package of a workspace.
    pub(super) package: &'static [&'static str],
    /// `-ab` is `-a -b`.
    pub(super) bundles: bool,
    /// Its plain words may stand in any order.
    pub(super) any_order: bool,
    /// It does the same wherever it is started: only its paths matter.
    pub(super) anywhere: bool,
    /// Its settings are elsewhere: where it is started matters for its paths alone.
    pub(super) placeless: bool,
    /// Its first plain word is an expression, and no path.
    pub(super) script: bool,
    pub(super) reads: Reads,
    /// Manifests, lock files and settings that it always reads, here or above.
    pub(super) manifests: &'static [&'static str],
    pub(super) answers: &'static [Answer],
    /// What it works on is far away: whoever keeps that wants to know who asks.
    pub(super) far: bool,
    /// Its first word is the file that it opens, and what is named else is in there.
    pub(super) opens: bool,
    /// The port it talks to unless told otherwise.
    pub(super) port: Option<u16>,
    /// The subcommand that it takes where it is given none.
    pub(super) default: &'static str,
    /// Options, with their values, that say what is so anyway.
    pub(super) anyway: &'static [&'static str],
    /// Variables that stand for options.
    pub(super) env: &'static [(&'static str, &'static str)],
    /// Subcommands that run a command in another place, and how many plain words name that place.
    pub(super) remote: &'static [(&'static str, usize)],
}

const PLAIN: Tool = Tool {
    names: &[],
    family: "",
    sub: false,
    runs: &[],
    subs: &[],
    flags: &[],
    values: &[],
    bare: &[],
    shows: &[],
    prose: &[],
    folder: &[],
    manifest: &[],
    package: &[],
    bundles: false,
    any_order: false,
    anywhere: false,
    placeless: false,
    script: false,
    reads: Reads::Named,
    manifests: &[],
    answers: &[],
    far: false,
    opens: false,
    port: None,
    default: "",
    anyway: &[],
    env: &[],
    remote: &[],
};

/// A question whose "no" is exit 1.
const ASKS: &[Answer] = &[Answer { with: &[], codes: &[1] }];

/// Every program that is known.
static TOOLS: &[&[Tool]] = &[
    web::TOOLS,
    python::TOOLS,
    native::TOOLS,
    jvm::TOOLS,
    script::TOOLS,
    build::TOOLS,
    infra::TOOLS,
    data::TOOLS,
    files::TOOLS,
];

fn find(program: &str) -> Option<&'static Tool> {
    TOOLS.iter().flat_map(|tools| tools.iter()).find(|tool| tool.names.contains(&program))
}

/// What is known of a program.
pub(super) fn tool(program: &str) -> &'static Tool {
    static UNKNOWN: Tool = PLAIN;
    find(program).unwrap_or(&UNKNOWN)
}

/// Whether a program comes with a project's own packages of JavaScript.
pub(super) fn is_packaged(program: &str) -> bool {
    let own = web::TOOLS.iter().filter(|tool| tool.runs.is_empty() && !tool.names.contains(&"node"));
    own.flat_map(|tool| tool.names).any(|name| *name == program)
}

/// Whether anything is known of a program.
pub(super) fn is_known(program: &str) -> bool {
    find(program).is_some()
}

/// The name under which a program shares services, packages and broken files with others.
pub(super) fn family(program: &str) -> &str {
    let own = |tool: &'static Tool, name| if tool.family.is_empty() { name } else { tool.family };
    if let Some(tool) = find(program) {
        return own(tool, program);
    }
    // `kubectl-neat` is of kubectl's kind.
    let stem = program.split_once('-').map_or(program, |(stem, _)| stem);
    find(stem).map_or(program, |tool| own(tool, stem))
}

/// The one name of a cluster's kind of things, by its short or its plural name.
pub(super) fn known_kind(word: &str) -> Option<&'static str> {
    infra::KINDS.iter().find(|(one, others)| *one == word || others.contains(&word)).map(|(one, _)| *one)
}

/// A kind of things in the spelling that counts.
pub(super) fn kind(word: &str) -> &str {
    known_kind(word).unwrap_or(word)
}

/// Whether two programs call the same things by the same plain names: branches and tags.
pub(super) fn share_names(one: &str, other: &str) -> bool {
    const REFS: &[&str] = &["git", "gh", "glab", "hub", "jj"];
    REFS.contains(&one) && REFS.contains(&other)
}

/// Whether a program runs the script that it is given.
pub(super) fn interprets(program: &str) -> bool {
    #[rustfmt::skip]
    const INTERPRETERS: &[&str] = &[
        "python", "node", "ruby", "php", "sh", "bash", "zsh", "perl", "tsx", "ts-node", "Rscript", "lua", "julia", "elixir",
    ];
    INTERPRETERS.contains(&program)
}

/// Whether a program talks to whatever it is told to: what did not answer one run says nothing of the next.
pub(super) fn is_general(program: &str) -> bool {
    matches!(program, "python" | "node" | "sh" | "bash" | "curl" | "wget" | "make")
}

/// Whether an option makes what may be lacking, or goes round what is in the way.
pub(super) fn gets_round(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    option == "-U" || name.len() > 1 && name.split('-').any(|part| GETS_ROUND.contains(&part))
}

/// What else a program starts from: the machine or the tools that its family shares.
pub(super) fn runtimes(program: &str) -> impl Iterator<Item = &'static str> {
    #[rustfmt::skip]
    const SHARED: &[(&str, &[&str])] = &[
        ("jvm", &["mvn", "gradle", "sbt", "mill", "ant", "scala-cli", "lein", "clojure", "clj", "kotlin", "scala", "java", "javac", "flyway", "liquibase", "ktlint", "detekt"]),
        ("apple", &["git", "make", "clang", "gcc", "cc", "c++", "g++", "swift", "xcodebuild", "xcrun", "swiftlint", "cargo"]),
    ];
    SHARED.iter().filter(move |(_, programs)| programs.contains(&program)).map(|(name, _)| *name)
}

/// Whether a family's files say what shall be, and refer to one another: one that is missing breaks the others.
pub(super) fn declares(family: &str) -> bool {
    matches!(family, "kubernetes" | "ansible" | "docker" | "terraform")
}

/// One name for a program: without its folder, a version of the interpreter, or a second spelling.
pub(super) fn program(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    // A wrapper, a linked tool or a stub in the project is the program it is named after; other paths are scripts.
    if name.contains('/') && !is_known(base) {
        return name;
    }
    let versioned = |stem: &str| {
        base.strip_prefix(stem)
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    };
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
        "gsed" => "sed",
        "gawk" => "awk",
        "mongo" => "mongosh",
        "mariadb" => "mysql",
        "bazelisk" => "bazel",
        "go-task" => "task",
        "apt-get" => "apt",
        other => other,
    }
}
