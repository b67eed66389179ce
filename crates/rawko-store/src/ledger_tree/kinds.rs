//! Kinds of files by their names: who can import whom, what people read, what tools write.

use super::folder_of;

/// Files that make their folder a package.
#[rustfmt::skip]
pub(super) const MANIFESTS: &[&str] = &[
    "package.json", "Cargo.toml", "go.mod", "pyproject.toml", "setup.py", "pom.xml", "build.gradle", "build.gradle.kts", "mix.exs",
    "Package.swift", "composer.json", "Gemfile", "pubspec.yaml", "deno.json", "dbt_project.yml", "CMakeLists.txt", "build.sbt",
    "BUILD", "BUILD.bazel",
];

/// The word that other files know a source by: its own name, or its folder's where the file is only the entrance.
pub(super) fn called(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let folder = folder_of(path).rsplit('/').next().unwrap_or_default();
    let entrance = matches!(stem, "index" | "mod" | "__init__" | "main" | "lib") || name.ends_with(".go");
    if entrance && !folder.is_empty() { folder } else { stem }
}

/// One spelling of a name: `LeaseTerm` and `lease_term` are one.
pub(super) fn one_spelling(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What a test is about, by its own name: `lease` of `lease_test`, `Points` of `PointsTest`.
pub(super) fn subject(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let ends = ["_test", "-test", "Tests", "Test", "_spec", "-spec", "Spec", "_tests"];
    ends.iter()
        .find_map(|end| stem.strip_suffix(end))
        .or_else(|| stem.strip_prefix("test_"))
        .filter(|rest| rest.len() > 1)
}

/// Whether one file can import the other: of the same kind, or data and settings.
pub(super) fn folder_or_kind(from: &str, to: &str) -> bool {
    family(from) == family(to)
        || matches!(ending(to), "json" | "yaml" | "yml" | "toml" | "sql" | "csv" | "html" | "tmpl")
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// One name for the files that can import one another.
fn family(path: &str) -> &str {
    match ending(path) {
        "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" | "astro" => "js",
        "ex" | "exs" | "eex" | "heex" | "leex" | "erl" => "ex",
        "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" | "inl" | "m" | "mm" | "s" => "c",
        "java" | "kt" | "kts" | "scala" | "groovy" => "jvm",
        "cs" | "fs" | "vb" | "razor" | "cshtml" | "xaml" => "net",
        "rb" | "erb" | "rake" | "haml" | "slim" | "ru" => "rb",
        "py" | "pyi" | "pyx" | "ipynb" => "py",
        "php" | "phtml" | "twig" => "php",
        "clj" | "cljs" | "cljc" | "edn" => "clj",
        "tf" | "tfvars" | "hcl" => "tf",
        other => other,
    }
}

/// The language of a program's source; `None` for data and settings.
pub(super) fn language(path: &str) -> Option<String> {
    #[rustfmt::skip]
    const LANGUAGES: &[&str] = &["js", "ex", "c", "jvm", "net", "rb", "py", "php", "clj", "rs", "go", "swift", "sh", "lua", "dart", "zig", "jl", "R", "hs", "ml", "nim"];
    let family = family(path);
    LANGUAGES.contains(&family).then(|| family.to_owned())
}

/// Whether a file counts where only sources of these languages do: of another language it does not.
pub(super) fn is_of(path: &str, kinds: &[String]) -> bool {
    kinds.is_empty() || language(path).is_none_or(|kind| kinds.contains(&kind))
}

/// What people read and what tools write besides their work.
pub(super) fn is_noise(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    #[rustfmt::skip]
    const READ: &[&str] = &["md", "mdx", "rst", "adoc", "org", "png", "jpg", "jpeg", "gif", "svg", "ico", "pdf", "webp", "drawio"];
    let page = READ.contains(&ending);
    #[rustfmt::skip]
    const PAGES: &[&str] = &[
        "license", "licence", "changelog", "authors", "contributing", "notice", "codeowners", "readme", "todo", "notes", "security",
        "code_of_conduct", "maintainers", "roadmap", ".gitignore", ".gitattributes", ".editorconfig", ".mailmap", "contributors",
    ];
    let named = PAGES.iter().any(|word| {
        lower
            .strip_prefix(word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') && (rest == ".txt" || rest == ".md"))
    }) || ["license", "licence", "changelog"].iter().any(|word| lower.starts_with(word));
    let folder = folder_of(path)
        .split('/')
        .any(|part| matches!(part, "docs" | "doc" | ".github" | ".gitlab" | ".vscode" | "notes" | "adr"));
    page || named || folder || is_made(path)
}

/// Folders that tools write to.
#[rustfmt::skip]
const MADE_FOLDERS: &[&str] = &[
    "logs", "log", "tmp", "temp", ".idea", ".terraform", "node_modules", "__pycache__", "target", "_build", ".build", ".gradle", ".venv",
    "venv", ".tox", ".nox", "coverage", "htmlcov", ".nyc_output", "dist", "build", "obj", ".next", ".nuxt", ".turbo", ".dart_tool", ".bundle",
    "DerivedData", "test-results", "test-reports", "playwright-report", ".serverless", ".elixir_ls", ".vs", ".settings", ".swiftpm",
    "xcuserdata",
];
/// Endings of what tools write.
#[rustfmt::skip]
const MADE_ENDINGS: &[&str] = &[
    "log", "tmp", "bak", "swp", "orig", "pid", "pyc", "class", "o", "beam", "lcov", "coverage", "prof", "cache", "gcda", "gcno", "profraw",
    "profdata", "iml", "xcuserstate", "hprof", "jfr",
];

/// What tools write besides their work.
pub(super) fn is_made(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let folder = folder_of(path).split('/').any(|part| {
        part.ends_with("cache")
            || MADE_FOLDERS.contains(&part)
            || part.ends_with(".egg-info")
            || part.starts_with("cmake-build-")
            || part.starts_with("bazel-")
    });
    folder
        || MADE_ENDINGS.contains(&ending)
        || matches!(name, ".DS_Store" | "tags" | "TAGS" | "cscope.out" | "compile_commands.json")
}
