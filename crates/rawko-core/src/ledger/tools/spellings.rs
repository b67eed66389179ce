//! Commands that have a second spelling, and what programs do with words that are not their own.

use super::super::place::looks_like_path;

/// The first words of a command, and what they are short or long for.
#[rustfmt::skip]
pub(in super::super) const SPELLINGS: &[(&str, &[&str], &[&str])] = &[
    ("docker", &["image", "build"], &["build"]), ("docker", &["image", "pull"], &["pull"]), ("docker", &["image", "push"], &["push"]),
    ("docker", &["image", "ls"], &["images"]), ("docker", &["image", "rm"], &["rmi"]), ("docker", &["image", "tag"], &["tag"]),
    ("docker", &["container", "ls"], &["ps"]), ("docker", &["container", "ps"], &["ps"]), ("docker", &["container"], &[]),
    ("git", &["switch", "-c"], &["checkout", "-b"]), ("git", &["switch", "--create"], &["checkout", "-b"]), ("git", &["switch"], &["checkout"]),
    ("vitest", &["run"], &["--run"]), ("terraform", &["destroy"], &["apply", "-destroy"]),
];

/// Composer's own commands; any other word is a script.
#[rustfmt::skip]
pub(in super::super) const COMPOSER: &[&str] = &[
    "install", "update", "require", "remove", "dump-autoload", "dumpautoload", "validate", "show", "outdated", "run-script", "exec", "create-project",
    "init", "config", "global", "self-update", "diagnose", "why", "why-not", "audit", "clear-cache", "check-platform-reqs", "search", "bump", "reinstall",
];

/// Programs that run others, and print what they run.
#[rustfmt::skip]
pub(in super::super) const ECHOES: &[&str] = &[
    "make", "just", "task", "npm", "pnpm", "yarn", "bun", "npx", "git", "sh", "bash", "tox", "nox", "nx",
    "turbo", "rake", "composer", "deno", "mix", "lefthook", "pre-commit", "ninja", "mage", "invoke",
    "docker",
];

/// Programs that run whatever they are told, each time something else.
#[rustfmt::skip]
pub(in super::super) const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "deno", "make", "just", "task", "python", "node", "ruby", "php", "sh", "bash", "zsh", "perl", "npx", "rake", "rails", "git",
    "curl", "wget", "ssh", "scp", "rsync", "turbo", "nx", "bazel", "pre-commit", "tox", "nox", "invoke", "mage", "docker", "composer", "java", "go",
];

/// Programs that make clusters.
pub(in super::super) const CLUSTERS: &[&str] = &["kind", "k3d", "minikube", "eksctl"];

/// Whether a program works on files alone, though others of its kind talk to a server.
pub(in super::super) fn works_alone(program: &str, sub: Option<&str>) -> bool {
    const READS: &[&str] = &["kustomize", "kubeconform", "kubeval", "kube-linter", "conftest", "kube-score"];
    #[rustfmt::skip]
    const RENDERS: &[&str] = &["lint", "template", "package", "dependency", "repo", "create", "show", "search", "pull"];
    READS.contains(&program) || program == "helm" && sub.is_some_and(|sub| RENDERS.contains(&sub))
}

/// Whether a package manager's word is a script of the package rather than a command of its own.
#[rustfmt::skip]
pub(in super::super) fn is_script(program: &str, sub: &str) -> bool {
    const OWN: &[&str] = &[
        "install", "add", "remove", "update", "up", "list", "exec", "dlx", "create", "init", "outdated", "audit", "publish", "pack", "why",
        "store", "config", "view", "link", "unlink", "import", "patch", "fetch", "prune", "rebuild", "root", "bin", "workspace", "workspaces",
        "dedupe", "set", "info", "login", "logout", "whoami", "ci", "version", "x", "env", "explain", "cache", "deploy", "setup", "server",
        "-r", "licenses", "approve-builds", "doctor", "upgrade", "global", "test", "pm", "repl", "plugin", "constraints", "npm", "node", "help",
    ];
    matches!(program, "pnpm" | "yarn" | "bun")
        && !OWN.contains(&sub)
        && !sub.starts_with("run")
        && !(program == "bun" && (looks_like_path(sub) || sub == "build"))
}
