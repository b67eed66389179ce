//! What is a comment and what is a string, told by a file's name.
//!
//! A language is a handful of marks, not a grammar: enough to leave comments
//! out and to count brackets. A mark that is missing here costs a false
//! "changed" at most, so endings that are not listed get the careful default.

/// The marks of one family of languages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lang {
    /// What opens a comment that ends with its line.
    pub line: &'static [&'static str],
    /// What opens and closes a comment over several lines.
    pub block: Option<(&'static str, &'static str)>,
    /// Line marks count only before white space: what else they may mean is not known.
    pub wary: bool,
    /// `'` encloses one character, or is a lifetime; it does not open a string.
    pub chars: bool,
    /// What opens and closes a string over several lines.
    pub long: &'static [&'static str],
    /// Words for people: every line counts.
    pub page: bool,
    /// A definition may be `name(…) {` without a defining word.
    pub bare_methods: bool,
    /// `(x) =>` and `x =>` are the same.
    pub arrows: bool,
    /// `[name]` opens a section that runs to the next one.
    pub sections: bool,
}

const NONE: Lang = Lang {
    line: &[],
    block: None,
    wary: false,
    chars: false,
    long: &[],
    page: false,
    bare_methods: false,
    arrows: false,
    sections: false,
};
const SLASH_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));

static PAGE: Lang = Lang { page: true, ..NONE };
static C: Lang = Lang { line: &["//"], block: SLASH_BLOCK, chars: true, bare_methods: true, ..NONE };
static RUST: Lang = Lang { line: &["//"], block: SLASH_BLOCK, chars: true, ..NONE };
static GO: Lang = Lang { line: &["//"], block: SLASH_BLOCK, chars: true, long: &["`"], ..NONE };
static SCRIPT: Lang =
    Lang { line: &["//"], block: SLASH_BLOCK, long: &["`"], bare_methods: true, arrows: true, ..NONE };
static SLASH: Lang = Lang { line: &["//"], block: SLASH_BLOCK, long: &["\"\"\""], ..NONE };
static STYLE: Lang = Lang { block: SLASH_BLOCK, ..NONE };
static HASH: Lang = Lang { line: &["#"], ..NONE };
static SHELL: Lang = Lang { line: &["#"], bare_methods: true, ..NONE };
static PYTHON: Lang = Lang { line: &["#"], long: &["\"\"\"", "'''"], ..NONE };
static TOML: Lang = Lang { line: &["#"], long: &["\"\"\"", "'''"], sections: true, ..NONE };
static INI: Lang = Lang { line: &["#", ";"], sections: true, ..NONE };
static SQL: Lang = Lang { line: &["--"], block: SLASH_BLOCK, ..NONE };
static DASH: Lang = Lang { line: &["--"], ..NONE };
static SEMICOLON: Lang = Lang { line: &[";"], chars: true, ..NONE };
static MARKUP: Lang = Lang { block: Some(("<!--", "-->")), ..NONE };
static UNKNOWN: Lang =
    Lang { line: &["//", "#", "--"], block: SLASH_BLOCK, wary: true, bare_methods: true, ..NONE };

impl Lang {
    /// The language that a file's name stands for.
    pub(crate) fn of(path: &str) -> &'static Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        if let Some(lang) = by_name(&name) {
            return lang;
        }
        match ending(&name) {
            "md" | "markdown" | "mdx" | "txt" | "rst" | "adoc" | "org" | "tex" => &PAGE,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ino" | "m" | "mm" | "java" | "cs"
            | "cu" | "glsl" | "wgsl" => &C,
            "rs" | "zig" => &RUST,
            "go" => &GO,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" | "astro"
            | "dart" => &SCRIPT,
            "json" | "jsonc" | "json5" | "kt" | "kts" | "swift" | "scala" | "sc" | "groovy" | "gradle"
            | "php" | "proto" | "scss" | "less" | "sol" | "v" | "d" | "jsonnet" => &SLASH,
            "css" => &STYLE,
            "py" | "pyi" | "pyx" | "bzl" => &PYTHON,
            "sh" | "bash" | "zsh" | "ksh" | "fish" | "bats" => &SHELL,
            "rb" | "rake" | "gemspec" | "pl" | "pm" | "r" | "jl" | "ex" | "exs" | "nix" | "yaml" | "yml"
            | "mk" | "tf" | "tfvars" | "hcl" | "cmake" | "ps1" | "psm1" | "env" | "graphql" | "gql"
            | "awk" | "tcl" | "nim" | "cr" => &HASH,
            "toml" => &TOML,
            "ini" | "cfg" | "conf" | "properties" | "editorconfig" | "desktop" | "service" => &INI,
            "sql" | "psql" => &SQL,
            "lua" | "hs" | "elm" | "adb" | "ads" => &DASH,
            "lisp" | "el" | "clj" | "cljs" | "edn" | "scm" | "rkt" => &SEMICOLON,
            "html" | "htm" | "xml" | "svg" | "xsl" | "plist" | "csproj" | "props" => &MARKUP,
            _ => &UNKNOWN,
        }
    }
}

/// Files known by their name rather than by their ending.
fn by_name(name: &str) -> Option<&'static Lang> {
    match name {
        "makefile" | "gnumakefile" | "dockerfile" | "containerfile" | "justfile" | "rakefile" | "gemfile"
        | "procfile" | "vagrantfile" | "brewfile" | "cmakelists.txt" | "build" | "workspace"
        | ".gitignore" | ".dockerignore" | ".gitattributes" | ".env" => Some(&HASH),
        "cargo.lock" | "poetry.lock" | "uv.lock" => Some(&TOML),
        _ if name.ends_with(".txt")
            && (name.starts_with("requirements") || name.starts_with("constraints")) =>
        {
            Some(&HASH)
        }
        _ if name.starts_with("dockerfile.") || name.starts_with(".env.") => Some(&HASH),
        _ => None,
    }
}

/// What follows the last dot of a file's name, or nothing.
pub(crate) fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}
