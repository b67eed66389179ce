//! Verdicts over a tree in memory, in the languages that people use.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;

/// Files now and then.
#[derive(Default)]
struct Files {
    now: BTreeMap<String, String>,
    then: Option<BTreeMap<String, String>>,
}

impl Tree for Files {
    fn read(&self, path: &RepoPath) -> Content {
        self.now.get(path.as_str()).map_or(Content::Missing, |text| match text.as_str() {
            "<binary>" => Content::Unjudged,
            text => Content::Text(text.to_owned()),
        })
    }

    fn is_blob(&self, path: &RepoPath, id: &str) -> bool {
        self.now.get(path.as_str()).is_some_and(|text| fake_id(text) == id)
    }

    fn files(&self) -> Vec<RepoPath> {
        self.now.keys().filter_map(|path| RepoPath::new(path).ok()).collect()
    }

    fn blob_text(&self, id: &str) -> Option<String> {
        self.then.as_ref()?.values().find(|text| fake_id(text) == id).cloned()
    }

    fn held_then(&self, _: When<'_>, path: &RepoPath) -> Option<Content> {
        let then = self.then.as_ref()?;
        Some(then.get(path.as_str()).map_or(Content::Missing, |text| Content::Text(text.clone())))
    }
}

/// Forty hex digits that stand for a text.
fn fake_id(text: &str) -> String {
    let sum = text.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    format!("{sum:040x}")
}

fn files(list: &[(&str, &str)]) -> BTreeMap<String, String> {
    list.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// Writes evidence over `then`, and judges it over `now`: the verdict, and where it moved.
fn judge(item: &Value, then: &[(&str, &str)], now: &[(&str, &str)]) -> String {
    let before = Files { now: files(then), then: Some(files(then)) };
    let id = |path: &RepoPath| before.now.get(path.as_str()).map(|text| fake_id(text));
    let (evidence, problems) = complete(&json!([item]), &before, &id, None);
    assert!(problems.is_empty(), "{problems:?}");
    let after = Files { now: files(now), then: Some(files(then)) };
    match Judge::new(&after).memory(&Evidence::parse(&evidence), None).verdict() {
        Verdict::Moved { to } => format!("moved {}", to.as_str()),
        other => other.as_str().to_owned(),
    }
}

/// As [`judge`], for one file that stays where it is.
#[track_caller]
fn becomes(want: &str, file: &str, look: Value, then: &str, now: &str) {
    let mut item = look;
    item["file"] = json!(file);
    assert_eq!(judge(&item, &[(file, then)], &[(file, now)]), want, "{file}: {then:?} to {now:?}");
}

#[track_caller]
fn text_becomes(want: &str, file: &str, text: &str, then: &str, now: &str) {
    becomes(want, file, json!({ "text": text }), then, now);
}

#[track_caller]
fn symbol_becomes(want: &str, file: &str, symbol: &str, then: &str, now: &str) {
    becomes(want, file, json!({ "symbol": symbol, "hash": true }), then, now);
}

#[test]
fn formatting_leaves_a_definition_fresh_in_every_language() {
    let rust = "impl A {\n    pub fn go(&self, n: u32) -> u32 { n + 1 }\n}\n";
    let rust_now = "impl A {\r\n  /// Goes.\r\n  pub fn go(\r\n    &self,\r\n    n: u32, // steps\r\n  ) -> u32 {\r\n    n + 1\r\n  }\r\n}\r\n";
    symbol_becomes("fresh", "a.rs", "A::go", rust, rust_now);
    let go = "func (s *S) Run(a int, b string) error {\n\treturn s.do(a, b)\n}\n";
    let go_now = "// Run runs.\nfunc (s *S) Run(\n    a int,\n    b string,\n) error {\n    // why\n    return s.do(a, b) // here\n}\n";
    symbol_becomes("fresh", "a.go", "S.Run", go, go_now);
    let python = "def f(a, b):\n    return g(a, 'x')\n";
    let python_now = "def f(\n    a,\n    b,\n):\n    # why\n    return g(\n        a,\n        \"x\",  # there\n    )\n\n\nz = 1\n";
    symbol_becomes("fresh", "a.py", "f", python, python_now);
    let java = "class A {\n  int run(int a) { return a; }\n}\n";
    let java_now = "class A {\n\n    /**\n     * Runs.\n     */\n    int run(int a)\n    {\n        return a; // same\n    }\n}\n";
    symbol_becomes("fresh", "A.java", "A.run", java, java_now);
    let c = "static int run(int a) {\n  return a * 2;\n}\n";
    let c_now = "static int run(int a)\n{\n\t/* twice */\n\treturn a\n\t    * 2;\n}\n";
    symbol_becomes("fresh", "a.c", "run", c, c_now);
    let shell = "run() {\n  curl -s \"$1\" | sh\n}\n";
    let shell_now = "# runs\nrun() {\n    curl -s \\\n        \"$1\" | sh # go\n}\n";
    symbol_becomes("fresh", "a.sh", "run", shell, shell_now);
    let script = "const f = (x) => {\n  return x.map(t => t.id);\n};\n";
    let script_now = "const f = x => {\n    return x.map((t) => t.id)\n}\n";
    symbol_becomes("fresh", "a.ts", "f", script, script_now);
}

#[test]
fn another_body_is_changed_in_every_language() {
    symbol_becomes("changed", "a.rs", "go", "fn go() -> u32 { 1 }\n", "fn go() -> u32 { 11 }\n");
    symbol_becomes(
        "changed",
        "a.go",
        "S.Run",
        "func (s S) Run() int {\n\treturn 1\n}\n",
        "func (s S) Run() int {\n\treturn 2\n}\n",
    );
    symbol_becomes(
        "changed",
        "a.py",
        "f",
        "def f():\n    return 1\n",
        "def f():\n    # return 1\n    return 2\n",
    );
    symbol_becomes(
        "changed",
        "A.java",
        "A.f",
        "class A {\n int f() { return 1; }\n}\n",
        "class A {\n int f() { return 2; }\n}\n",
    );
    symbol_becomes(
        "changed",
        "a.c",
        "f",
        "int f(void)\n{\n  return 1;\n}\n",
        "int f(void)\n{\n  return 2;\n}\n",
    );
    symbol_becomes("changed", "a.sh", "f", "f() {\n  rm a\n}\n", "f() {\n  rm -f a\n}\n");
    symbol_becomes("changed", "a.toml", "tool.x", "[tool.x]\na = 1\n", "[tool.x]\na = 2\n[tool.y]\na = 1\n");
    symbol_becomes("changed", "a.yaml", "env", "env:\n  A: 1\n", "env:\n  A: 1\n  B: 2\nx: 1\n");
}

#[test]
fn a_neighbour_changes_nothing() {
    symbol_becomes(
        "fresh",
        "a.rs",
        "a",
        "fn a() { 1 }\nfn b() { 1 }\n",
        "fn b() { 2 }\nfn c() {}\nfn a() { 1 }\n",
    );
    symbol_becomes(
        "fresh",
        "a.py",
        "a",
        "def a():\n    x\n\ndef b():\n    x\n",
        "def b():\n    y\n\ndef a():\n    x\n",
    );
    symbol_becomes(
        "fresh",
        "a.json",
        "a.b",
        "{\"a\": {\n  \"b\": 1\n}}",
        "{\"a\": {\n  \"b\": 1,\n  \"c\": 2\n}}",
    );
    text_becomes("fresh", "a.toml", "x = 1", "x = 1\ny = 2\n", "y = 3 # was 2\nx = 1\n");
}

#[test]
fn a_value_is_compared_whole() {
    text_becomes("changed", "a.ts", "max: 10", "{ max: 10 }", "{ max: 100 }");
    text_becomes("changed", "a.yaml", "image: web:1.2", "image: web:1.2\n", "image: web:1.2-slim\n");
    text_becomes("changed", "a.py", "LIMIT = 5", "LIMIT = 5\n", "LIMIT = 5 * 60\n");
    text_becomes("changed", "a.py", "LIMIT = 5", "LIMIT = 5\n", "LIMIT = 5.5\n");
    text_becomes("changed", "a.go", "x == 4", "if x == 4 {", "if x == 4 || x == 5 {");
    text_becomes("changed", "a.css", "width: 50", "width: 50;", "width: 50%;");
    text_becomes("changed", "a.yaml", "max: 1", "max: 1\n", "max: 2\nidle-max: 1\n");
    text_becomes("changed", "Cargo.toml", "serde = \"1.0.1\"", "serde = \"1.0.1\"\n", "serde = \"1.0.10\"\n");
    text_becomes("fresh", "a.py", "LIMIT = 5", "LIMIT = 5 * 60\n", "LIMIT = 5 * 60\n\nX = 1\n");
}

#[test]
fn a_type_or_modifier_beside_the_name_is_form() {
    text_becomes("fresh", "a.py", "LIMIT = 5", "LIMIT = 5\n", "LIMIT: Final[int] = 5\n");
    text_becomes("fresh", "a.ts", "const LIMIT = 5;", "const LIMIT = 5;", "export const LIMIT: number = 5");
    text_becomes("changed", "a.ts", "const LIMIT = 5;", "const LIMIT = 5;", "export const LIMIT: number = 6");
    text_becomes("fresh", "a.json", "\"a\": 1,", "{ \"a\": 1, \"b\": 2 }", "{\n \"b\": 2,\n \"a\": 1\n}");
}

#[test]
fn what_only_a_comment_says_is_not_said() {
    text_becomes("changed", "a.py", "LIMIT = 5", "LIMIT = 5\n", "#LIMIT = 5\nLIMIT = 6\n");
    text_becomes("changed", "a.yaml", "a: 5", "a: 5\n", "a: 6 # was a: 5\n");
    text_becomes("gone", "a.go", "limit := 5", "limit := 5\n", "/*\nlimit := 5\n*/\n");
    text_becomes("gone", "a.ini", "limit=5", "limit=5\n", "; limit=5\n");
    text_becomes("gone", "a.html", "<b id=\"x\">", "<b id=\"x\">", "<!-- <b id=\"x\"> -->");
    text_becomes("fresh", "a.py", "# all in UTC", "# all in UTC\nx = 1\n", "\nx = 2\n  # all in  UTC\n");
    text_becomes("fresh", "a.rs", "//! The heart.", "//! The heart.\n", "//! The heart.\n//! More.\n");
    text_becomes("fresh", "a.md", "# Title", "# Title\n", "intro\n\n# Title\n");
}

#[test]
fn lines_are_found_by_what_they_say() {
    let then = "a();\nb();\nc();\nd();\n";
    becomes("fresh", "a.ts", json!({ "lines": "2-3" }), then, "x()\n\nb()\n// new\nc()\n");
    becomes("changed", "a.ts", json!({ "lines": "2-3" }), then, "a();\nc();\nb();\nd();\n");
    becomes("fresh", "a.ts", json!({ "lines": "1" }), "// only this\na();\n", "b();\n// only this\n");
    becomes("changed", "a.ts", json!({ "lines": "1" }), "// only this\na();\n", "// only that\na();\n");
}

#[test]
fn a_reverted_change_is_fresh_again() {
    let then = [("a.ts", "const A = 1;\n")];
    let item = json!({ "file": "a.ts", "text": "const A = 1;" });
    assert_eq!(judge(&item, &then, &[("a.ts", "const A = 2;\n")]), "changed");
    assert_eq!(judge(&item, &then, &then), "fresh");
}

#[test]
fn what_moved_is_found_where_it_is_now() {
    let body = "pub fn open(n: u32) -> u32 {\n    n * 7\n}\n";
    let item = json!({ "file": "src/a.rs", "symbol": "open", "hash": true });
    let then = [("src/a.rs", body), ("src/z.rs", "fn other() {}\n")];
    assert_eq!(judge(&item, &then, &[("src/b.rs", body), ("src/z.rs", "fn other() {}\n")]), "moved src/b.rs");
    let split = format!("fn other() {{}}\n\n{body}");
    assert_eq!(judge(&item, &then, &[("src/a.rs", "mod z;\n"), ("src/z.rs", &split)]), "moved src/z.rs");
    let changed = body.replace('7', "8");
    assert_eq!(judge(&item, &then, &[("src/b.rs", &changed), ("src/z.rs", "")]), "changed");
    assert_eq!(judge(&item, &then, &[("src/z.rs", "fn other() { open(1) }\n")]), "gone");
    assert_eq!(judge(&item, &then, &[("README.md", body)]), "gone");
}

#[test]
fn a_twin_that_was_always_there_is_not_where_it_moved() {
    let then = [("a.go", "const Limit = 5\n"), ("b.go", "const Limit = 5\n")];
    let item = json!({ "file": "a.go", "text": "const Limit = 5" });
    assert_eq!(judge(&item, &then, &[("b.go", "const Limit = 5\n")]), "gone");
    assert_eq!(
        judge(&item, &then, &[("b.go", "const Limit = 5\n"), ("c.go", "const Limit = 5\n")]),
        "moved c.go"
    );
}

#[test]
fn a_bare_name_moves_only_with_something_like_its_definition() {
    let then = [("a.py", "def load(path):\n    with open(path) as f:\n        return parse(f.read())\n")];
    let item = json!({ "file": "a.py", "symbol": "load" });
    let moved =
        "def load(path, strict=False):\n    with open(path) as f:\n        return parse(f.read(), strict)\n";
    assert_eq!(judge(&item, &then, &[("b.py", moved)]), "moved b.py");
    assert_eq!(judge(&item, &then, &[("b.py", "load = None\n")]), "gone");
    assert_eq!(judge(&item, &then, &[("a.py", "from b import load\n"), ("b.py", moved)]), "moved b.py");
    assert_eq!(judge(&item, &then, &[("a.py", moved)]), "fresh");
}

#[test]
fn a_whole_file_is_compared_by_words_and_followed() {
    let then = [("conf/a.yaml", "a: 1\nb:\n  c: 2\n")];
    let item = json!({ "file": "conf/a.yaml", "blob": true });
    assert_eq!(judge(&item, &then, &[("conf/a.yaml", "# form\na: 1\nb:\n    c: 2\n")]), "fresh");
    assert_eq!(judge(&item, &then, &[("conf/a.yaml", "a: 1\nb:\n  c: 3\n")]), "changed");
    assert_eq!(judge(&item, &then, &[("etc/a.yml", "a: 1\nb:\n    c: 2\n")]), "moved etc/a.yml");
    assert_eq!(judge(&item, &then, &[("etc/x.yaml", "other: [5, 6]\n")]), "gone");
    let copy = [("conf/a.yaml", "a: 1\nb:\n  c: 3\n"), ("conf/old.yaml", "a: 1\nb:\n  c: 2\n")];
    assert_eq!(judge(&item, &then, &copy), "changed", "a copy of the old state is not where it moved");
}

#[test]
fn another_file_at_the_old_path_does_not_hide_the_move() {
    let then = [("pool.ts", "export const pool = {\n  host: env.HOST,\n  max: 10,\n  idle: 30,\n};\n")];
    let now = [("pool.ts", "import x from './pg';\nexport default { max: x };\n"), ("pg.ts", then[0].1)];
    assert_eq!(judge(&json!({ "file": "pool.ts", "text": "max: 10" }), &then, &now), "moved pg.ts");
    assert_eq!(judge(&json!({ "file": "pool.ts", "blob": true }), &then, &now), "moved pg.ts");
}

#[test]
fn the_worst_item_decides_and_says_why() {
    let tree = Files { now: files(&[("a.ts", "const A = 2;\n")]), then: None };
    let evidence = Evidence::parse(&json!([
        { "file": "a.ts", "symbol": "A" },
        { "file": "a.ts", "text": "const A = 1" },
        { "file": "package.json", "text": "\"b\": 1" },
    ]));
    let report = Judge::new(&tree).memory(&evidence, None);
    let reasons: Vec<&str> = report.findings.iter().map(|finding| finding.reason.as_str()).collect();
    assert_eq!(reasons, ["a.ts still says so", "a.ts changed", "package.json is gone"]);
    assert_eq!(report.verdict(), Verdict::Gone);
    assert_eq!(report.worst().map(|finding| finding.file.as_str()), Some("package.json"));
}

#[test]
fn reading_is_lenient_and_says_what_is_wrong() {
    let evidence = Evidence::parse(&json!([
        { "command": "npm test", "exit": 0 },
        { "commit": "0123456789012345678901234567890123456789" },
        { "note": "kept" },
        { "file": "../../etc/passwd", "text": "root" },
        { "file": "/etc/passwd", "text": "root" },
        { "file": "a/.git/config", "text": "url" },
        { "file": "C:/x", "text": "a" },
        { "file": "a\\b", "text": "a" },
        { "file": 5 },
        { "file": "a.ts", "text": "" },
        { "file": "a.ts", "symbol": "f", "hash": "md5" },
        { "file": "a.ts", "lines": "1-2" },
        { "file": "a.ts", "blob": "HEAD" },
        { "file": "./a.ts", "text": 5 },
        "src/b.ts",
        7,
    ]));
    assert_eq!(evidence.items.len(), 2);
    assert_eq!(evidence.problems.len(), 11, "{:#?}", evidence.problems);
    assert!(evidence.commit.is_some());
    assert_eq!(Evidence::parse(&Value::Null), Evidence::default());
}

#[test]
fn what_cannot_be_read_is_not_judged() {
    let tree = Files { now: files(&[("a.bin", "<binary>")]), then: None };
    let evidence = Evidence::parse(&json!([{ "file": "a.bin", "text": "x" }]));
    let report = Judge::new(&tree).memory(&evidence, None);
    assert_eq!((report.findings.len(), report.problems.len()), (0, 1));
    assert_eq!(report.verdict(), Verdict::Fresh);
}

#[test]
fn without_a_past_only_a_single_place_is_believed() {
    let evidence = Evidence::parse(&json!([{ "file": "a.rs", "text": "const A: u32 = 1;" }]));
    let verdict = |now: &[(&str, &str)]| {
        let tree = Files { now: files(now), then: None };
        Judge::new(&tree).memory(&evidence, None).verdict().as_str()
    };
    assert_eq!(verdict(&[("b.rs", "const A: u32 = 1;")]), "moved");
    assert_eq!(verdict(&[("b.rs", "const A: u32 = 1;"), ("c.rs", "const A: u32 = 1;")]), "gone");
}

#[test]
fn writing_says_what_does_not_hold_even_now() {
    let tree = Files { now: files(&[("a.rs", "fn a() {}\n")]), then: None };
    let asked = json!([{ "file": "a.rs", "symbol": "b", "hash": true }, { "file": "a.rs", "text": "fn c" }]);
    let (_, problems) = complete(&asked, &tree, &|_| None, Some("0123456789012345678901234567890123456789"));
    assert_eq!(problems[0], "b is not defined in a.rs");
    assert_eq!(problems.len(), 3, "{problems:?}");
}
