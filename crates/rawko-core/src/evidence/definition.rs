//! Where a name is defined, without a parser.
//!
//! A definition is a line on which the name follows a defining word, or reads
//! `name(…) {`, `name =` or `name:`; its block goes on while lines are
//! indented deeper or a bracket is open. That holds in every language that
//! people indent, and being wrong costs a verdict, never a crash.

use std::ops::Range;

use super::words::{Lexed, Place, is_word};

/// How sure a line is to define its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// `name =`, `name:`, a prototype.
    Weak,
    /// A defining word or a body.
    Strong,
}

/// One definition, as the tokens of its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub tokens: Range<usize>,
    pub strength: Strength,
}

/// A line that holds more than a comment.
#[derive(Debug)]
struct Line {
    tokens: Range<usize>,
    indent: usize,
    /// The innermost open bracket is `(`: a parameter or argument list.
    in_call: bool,
}

const DEFINING: &[&str] = &[
    "fn",
    "func",
    "function",
    "fun",
    "def",
    "defp",
    "defmacro",
    "defmodule",
    "defn",
    "sub",
    "proc",
    "class",
    "struct",
    "enum",
    "union",
    "trait",
    "interface",
    "protocol",
    "extension",
    "record",
    "object",
    "actor",
    "namespace",
    "module",
    "package",
    "type",
    "typealias",
    "typedef",
    "const",
    "constexpr",
    "let",
    "var",
    "val",
    "static",
    "mut",
    "mod",
    "impl",
    "macro",
    "macro_rules",
    "define",
    "message",
    "service",
    "rpc",
];
/// After these a name is defined only if a body, a base or the end of the line follows: `struct a *b` uses it.
const SHAPES: &[&str] = &[
    "struct",
    "enum",
    "union",
    "class",
    "interface",
    "object",
    "record",
    "static",
    "extension",
    "module",
    "package",
    "message",
    "service",
];
const CREATED: &[&str] = &["table", "view", "index", "trigger", "procedure", "function", "type", "exists"];
const STATEMENTS: &[&str] = &[
    "return", "if", "elif", "else", "for", "while", "until", "case", "throw", "raise", "new", "await",
    "yield", "import", "from", "use", "assert", "del", "delete", "goto", "not", "and", "or", "is", "in",
    "of", "lambda", "when", "match", "except", "with", "print", "echo", "using", "require", "include",
    "switch", "do", "go", "defer", "unless",
];

/// All definitions of `symbol`: a name, or names joined by `.`, `::` or `#`, each inside the one before.
///
/// Where something is surely the definition, what only looks like one is left out.
pub(crate) fn definitions(file: &Lexed, symbol: &str) -> Vec<Definition> {
    let normal = symbol.replace("::", ".").replace('#', ".");
    let path: Vec<&str> = normal.split('.').map(str::trim).filter(|part| !part.is_empty()).collect();
    let finder = Finder { file, lines: lines(file) };
    let mut found = finder.along(&path);
    let best = found.iter().map(|d| d.strength).max();
    found.retain(|d| Some(d.strength) == best);
    found
}

struct Finder<'f> {
    file: &'f Lexed,
    lines: Vec<Line>,
}

impl Finder<'_> {
    fn along(&self, path: &[&str]) -> Vec<Definition> {
        let Some((name, owners)) = path.split_last() else { return Vec::new() };
        let whole = 0..self.file.tokens.len();
        let Some(owner) = owners.last() else { return self.within(&whole, name, None) };
        let mut found = self.within(&whole, name, Some(owner));
        found.extend(self.section(path));
        for scope in self.along(owners) {
            let inside = scope.tokens.start + 1..scope.tokens.end;
            for inner in self.within(&inside, name, None) {
                if !found.contains(&inner) {
                    found.push(inner);
                }
            }
        }
        found
    }

    /// Definitions of `name` among the tokens of `range`; with an `owner`, only those that name it.
    fn within(&self, range: &Range<usize>, name: &str, owner: Option<&str>) -> Vec<Definition> {
        let mut found = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            if line.tokens.end <= range.start || line.tokens.start >= range.end {
                continue;
            }
            for at in line.tokens.clone().filter(|at| range.contains(at) && self.file.word(*at) == name) {
                if let Some(strength) = self.defines(line, at, owner) {
                    let start =
                        if self.is_member(line, at) { self.member_start(at) } else { line.tokens.start };
                    let tokens = self.block(number, start.max(range.start));
                    found.push(Definition { tokens, strength });
                    break;
                }
            }
        }
        if owner.is_none() {
            found.extend(self.section(&[name]).into_iter().filter(|d| range.contains(&d.tokens.start)));
        }
        found
    }

    fn defines(&self, line: &Line, at: usize, owner: Option<&str>) -> Option<Strength> {
        let place = self.file.tokens[at].place;
        let head = self.file.word(line.tokens.start);
        if place == Place::Comment
            || matches!(head, "import" | "from" | "use" | "using" | "require" | "include")
        {
            return None;
        }
        if place == Place::Text {
            return (owner.is_none() && self.is_quoted_key(line, at)).then_some(Strength::Weak);
        }
        let strong = self.follows_defining_word(line, at, owner) || self.is_method(line, at, owner);
        if strong {
            return Some(Strength::Strong);
        }
        self.is_assigned(line, at, owner).then_some(Strength::Weak)
    }

    fn follows_defining_word(&self, line: &Line, at: usize, owner: Option<&str>) -> bool {
        let start = line.tokens.start;
        let before: Vec<&str> = (start..at).map(|i| self.file.word(i)).collect();
        let after = self.file.word(at + 1);
        let owned = |words: &[&str]| owner.is_none_or(|owner| words.contains(&owner));
        match before.as_slice() {
            // func (r *T) name, def self.name, fun T.name, function M:name
            ["func", "(", receiver @ .., ")"] => owned(receiver),
            [.., "def" | "fun" | "function" | "func", object, "." | ":"] => owned(&[object]),
            [.., word, "!"] if *word == "macro_rules" => owner.is_none(),
            _ if owner.is_some() => false,
            [first, .., "*"] if *first == "function" || before.contains(&"function") => true,
            [.., "impl", ">"] => true,
            ["impl", .., "for" | ">"] | ["unsafe", "impl", .., "for" | ">"] => true,
            [.., word]
                if self.file.lang.line == ["--"] && CREATED.contains(&word.to_lowercase().as_str()) =>
            {
                before.first().is_some_and(|w| w.eq_ignore_ascii_case("create"))
            }
            [.., word] if DEFINING.contains(word) => !SHAPES.contains(word) || self.opens_shape(at, after),
            _ => false,
        }
    }

    /// Whether what follows a name after `struct` and the like can be its body.
    fn opens_shape(&self, at: usize, after: &str) -> bool {
        let same_line =
            self.file.tokens.get(at + 1).is_some_and(|next| next.line == self.file.tokens[at].line);
        let bases = ["extends", "implements", "where", "is", "final", "permits", "with", "do", "mut"];
        !same_line || bases.contains(&after) || matches!(after, "{" | ":" | "<" | "(" | ";" | "=" | "[")
    }

    /// `type name(…) … {`
    fn is_method(&self, line: &Line, at: usize, owner: Option<&str>) -> bool {
        let plain = self.file.lang.bare_methods && self.file.word(at + 1) == "(" && !line.in_call;
        if !plain || !self.is_type_like(line, at, owner) {
            return false;
        }
        let Some(close) = self.closing(at + 1) else { return false };
        for i in close + 1..(close + 40).min(self.file.tokens.len()) {
            match self.file.word(i) {
                "{" => return true,
                ";" | "=" | "}" | ")" => return false,
                _ => {}
            }
        }
        false
    }

    /// `name =`, `name: `, `int name;` with nothing but modifiers and types before it.
    fn is_assigned(&self, line: &Line, at: usize, owner: Option<&str>) -> bool {
        let next = self.file.word(at + 1);
        let second = self.file.word(at + 2);
        let glued =
            |a: usize| self.file.tokens.get(a + 1).map(|t| t.start) == self.file.tokens.get(a).map(|t| t.end);
        let assigns = match next {
            "=" => !(glued(at + 1) && matches!(second, "=" | ">" | "~")),
            ":" => !(second == ":" && glued(at + 1)),
            "?" | "!" => second == ":",
            "(" => at > line.tokens.start && self.is_prototype(at),
            _ => false,
        };
        let starts = self.is_type_like(line, at, owner) || (owner.is_none() && self.is_member(line, at));
        assigns && starts && !line.in_call
    }

    /// `type name(…);`
    fn is_prototype(&self, at: usize) -> bool {
        let typed = at
            .checked_sub(1)
            .is_some_and(|b| matches!(self.file.word(b), "*" | "&") || is_word(self.file.word(b)));
        typed && self.closing(at + 1).is_some_and(|close| self.file.word(close + 1) == ";")
    }

    /// `"name":` at the start of a line or of a list item.
    fn is_quoted_key(&self, line: &Line, at: usize) -> bool {
        let quote = |i: usize| matches!(self.file.word(i), "\"" | "'");
        let opened = at > 0 && quote(at - 1) && quote(at + 1) && matches!(self.file.word(at + 2), ":" | "=");
        opened && !line.in_call && (at - 1 == line.tokens.start || self.is_member(line, at))
    }

    /// Whether the name stands after `{` or `,` within a line, as in `{ a: 1, b: 2 }`.
    fn is_member(&self, line: &Line, at: usize) -> bool {
        let start = self.member_start(at);
        start > line.tokens.start && matches!(self.file.word(start - 1), "{" | ",")
    }

    fn member_start(&self, at: usize) -> usize {
        let quoted = at > 0 && self.file.tokens[at].place == Place::Text;
        if quoted { at - 1 } else { at }
    }

    /// Whether only modifiers, types and owners stand before the name.
    fn is_type_like(&self, line: &Line, at: usize, owner: Option<&str>) -> bool {
        let before: Vec<&str> = (line.tokens.start..at).map(|i| self.file.word(i)).collect();
        if before.iter().any(|w| STATEMENTS.contains(w)) {
            return false;
        }
        let owned = match before.as_slice() {
            [.., object, "." | ":"] if *object != ":" => {
                owner.map_or(matches!(*object, "self" | "this" | "exports" | "prototype"), |o| o == *object)
            }
            [.., object, ".", "prototype", "."] | [.., object, ":", ":"] => {
                owner.is_none_or(|o| o == *object)
            }
            _ => owner.is_none(),
        };
        let type_marks = |w: &&str| {
            is_word(w)
                || matches!(
                    *w,
                    "<" | ">" | "[" | "]" | "*" | "&" | "?" | ":" | "." | "~" | "@" | "," | "-" | "$" | "#"
                )
        };
        let ends_well = before.last().is_none_or(|w| *w != "," && (*w != "-" || before.len() == 1));
        owned && ends_well && before.iter().all(type_marks)
    }

    /// `[a.b]` of a settings file, with everything up to the next section.
    fn section(&self, path: &[&str]) -> Option<Definition> {
        if !self.file.lang.sections {
            return None;
        }
        let is_head =
            |line: &Line| self.file.word(line.tokens.start) == "[" && line.indent == 0 && !line.in_call;
        let named = |line: &Line| {
            let words = line.tokens.clone().map(|i| self.file.word(i)).filter(|w| is_word(w));
            is_head(line) && words.eq(path.iter().copied())
        };
        let first = self.lines.iter().position(named)?;
        let next = self.lines[first + 1..].iter().find(|line| is_head(line));
        let end = next.map_or(self.file.tokens.len(), |line| line.tokens.start);
        Some(Definition { tokens: self.lines[first].tokens.start..end, strength: Strength::Strong })
    }

    /// The tokens from `start` on line `number` that belong to what begins there.
    fn block(&self, number: usize, start: usize) -> Range<usize> {
        let indent = self.lines[number].indent;
        let inline = start > self.lines[number].tokens.start;
        let (mut depth, mut has_body) = (0_i32, false);
        for (count, line) in self.lines[number..].iter().enumerate() {
            let first = line.tokens.start;
            let opens_body = !has_body && matches!(self.file.word(first), "{" | "where");
            let carried = self.file.tokens[first].carried;
            if count > 0 && depth <= 0 && line.indent <= indent && !opens_body && !carried {
                return start..first;
            }
            for at in line.tokens.clone().filter(|at| *at >= start) {
                depth += self.step(at);
                has_body |= self.file.word(at) == "{";
                if depth < 0 || (inline && depth == 0 && self.file.word(at) == ",") {
                    return start..at;
                }
            }
            if inline && depth == 0 {
                return start..line.tokens.end;
            }
        }
        start..self.file.tokens.len()
    }

    /// How a token changes the number of open brackets.
    fn step(&self, at: usize) -> i32 {
        if self.file.tokens[at].place != Place::Code {
            return 0;
        }
        match self.file.word(at) {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        }
    }

    /// The bracket that closes the one at `open`, if it is not too far away.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        (open..(open + 400).min(self.file.tokens.len())).find(|at| {
            depth += self.step(*at);
            depth == 0
        })
    }
}

/// The lines that hold more than a comment.
fn lines(file: &Lexed) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open: Vec<u8> = Vec::new();
    let mut last = u32::MAX;
    for (at, token) in file.tokens.iter().enumerate() {
        if token.place == Place::Comment {
            continue;
        }
        if token.line != last {
            last = token.line;
            let start = token.start as usize;
            let line_start = file.text[..start].rfind('\n').map_or(0, |i| i + 1);
            let indent = file.text[line_start..start].bytes().map(|b| if b == b'\t' { 4 } else { 1 }).sum();
            lines.push(Line { tokens: at..at + 1, indent, in_call: open.last() == Some(&b'(') });
        } else if let Some(line) = lines.last_mut() {
            line.tokens.end = at + 1;
        }
        if token.place == Place::Code {
            match file.text.as_bytes()[token.start as usize] {
                // `const (` and `var (` group definitions; they call nothing.
                b'(' if at > 0 && matches!(file.word(at - 1), "const" | "var" | "type") => open.push(b'{'),
                bracket @ (b'(' | b'[' | b'{') => open.push(bracket),
                b')' | b']' | b'}' => drop(open.pop()),
                _ => {}
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and last word of every definition found.
    fn found(path: &str, text: &str, symbol: &str) -> Vec<String> {
        let file = Lexed::new(path, text.into());
        let texts = definitions(&file, symbol).into_iter().map(|d| {
            let (first, last) = (&file.tokens[d.tokens.start], &file.tokens[d.tokens.end - 1]);
            file.text[first.start as usize..last.end as usize].to_owned()
        });
        texts.collect()
    }

    #[track_caller]
    fn one(path: &str, text: &str, symbol: &str, starts: &str, ends: &str) {
        let found = found(path, text, symbol);
        assert_eq!(found.len(), 1, "{symbol} in {path}: {found:?}");
        assert!(found[0].starts_with(starts) && found[0].ends_with(ends), "{symbol} in {path}: {found:?}");
    }

    #[test]
    fn rust_definitions_are_found() {
        let text = "use a::Pool;\n\npub struct Pool {\n    size: u32,\n}\n\nimpl Pool {\n    /// New.\n    pub fn open(&self, c: char) -> u32 {\n        if c == '{' { return 1; }\n        self.size\n    }\n}\n\nimpl Drop for Pool {\n    fn drop(&mut self) {}\n}\n\npub const MAX: u32 = 4;\nmacro_rules! twice { () => {} }\n";
        one("a.rs", text, "Pool.open", "pub fn open", "}");
        one("a.rs", text, "Pool::drop", "fn drop", "}");
        one("a.rs", text, "MAX", "pub const MAX", ";");
        one("a.rs", text, "twice", "macro_rules", "}");
        one("a.rs", "fn f<T>(t: T)\nwhere\n    T: A,\n{\n    t\n}\nfn g() {}\n", "f", "fn f", "t\n}");
        assert_eq!(found("a.rs", text, "Pool").len(), 3);
        assert_eq!(found("a.rs", text, "Pool.close").len(), 0);
        assert_eq!(found("a.rs", "use a::Pool;\nlet p = Pool::new();\n", "Pool").len(), 0);
    }

    #[test]
    fn go_definitions_are_found() {
        let text = "package a\n\ntype Server struct {\n\tport int\n}\n\nfunc (s *Server) Run(port int) error {\n\treturn nil\n}\n\nfunc (c *Client) Run() error {\n\treturn errors.New(\"{\")\n}\n\nconst (\n\tLimit = 5\n)\n\nvar x = `\n}\n`\n";
        one("a.go", text, "Server.Run", "func (s *Server) Run", "}");
        one("a.go", text, "Client.Run", "func (c *Client) Run", "}");
        one("a.go", text, "Server", "type Server", "}");
        one("a.go", text, "Limit", "Limit", "5");
        one("a.go", text, "x", "var x", "`");
        assert_eq!(found("a.go", text, "Run").len(), 2);
    }

    #[test]
    fn java_definitions_are_found() {
        let text = "import a.Pool;\n\npublic class Pool extends Base implements X {\n    private static final int MAX = 10;\n\n    @Override\n    public List<String> names(int a, Map<String, Integer> b) throws E {\n        return run(a) ;\n    }\n\n    void run(int a)\n    {\n        call(a);\n    }\n}\n";
        one("Pool.java", text, "Pool.names", "public List<String> names", "}");
        one("Pool.java", text, "run", "void run", "}");
        one("Pool.java", text, "MAX", "private static", ";");
        one("Pool.java", text, "Pool", "public class Pool", "}");
        assert_eq!(found("Pool.java", text, "call").len(), 0);
    }

    #[test]
    fn c_definitions_are_found() {
        let text = "#include \"pool.h\"\n#define MAX_POOL 10\nstruct pool { int n; };\nint pool_get(struct pool *p);\n\nstatic int\npool_open(struct pool *p,\n          int n)\n{\n    if (pool_get(p)) {\n        return '{';\n    }\n    return 0;\n}\n";
        one("a.c", text, "pool_open", "pool_open", "}");
        one("a.c", text, "MAX_POOL", "#define", "10");
        one("a.c", text, "pool", "struct pool", ";");
        one("a.c", text, "pool_get", "int pool_get", ";");
        one("a.cpp", "int Pool::open(int a) {\n  return a;\n}\n", "Pool.open", "int Pool::open", "}");
    }

    #[test]
    fn typescript_definitions_are_found() {
        let text = "import { put } from './x';\nexport { get } from './y';\nexport class Store<T> {\n  private items = new Map();\n  async put(id: string): Promise<void> {\n    this.items.set(id, `a ${id} {`);\n  }\n}\nexport const get2 = async (a: string) => {\n  return put(a);\n};\nconst cfg = { max: 10, min: 2 };\n";
        one("a.ts", text, "Store.put", "async put", "}");
        one("a.ts", text, "get2", "export const get2", ";");
        one("a.ts", text, "cfg.max", "max", "10");
        one("a.ts", text, "cfg.min", "min", "2");
        assert_eq!(found("a.ts", text, "get").len(), 0);
    }

    #[test]
    fn python_definitions_are_found() {
        let text = "from x import load\n\nclass A(B):\n    size: int = 3\n\n    @property\n    async def load(\n        self,\n        name: str,\n    ) -> str:\n        \"\"\"Loads\nit (all.\n\"\"\"\n        return call(name=name)\n\nNAME = 5\n";
        one("a.py", text, "A.load", "async def load", ")");
        one("a.py", text, "A.size", "size", "3");
        one("a.py", text, "NAME", "NAME", "5");
        assert_eq!(found("a.py", text, "name").len(), 0, "parameters are not definitions");
    }

    #[test]
    fn shell_and_settings_have_definitions_too() {
        one("a.sh", "run() {\n  x\n}\nfunction go2 {\n  y\n}\nexport A=1\n", "run", "run", "}");
        one("a.sh", "run() {\n  x\n}\nexport A=1\n", "A", "export A", "1");
        one("a.toml", "[tool.ruff]\nline-length = 100\n[tool.x]\na = 1\n", "tool.ruff", "[tool", "100");
        one("a.toml", "[tool.ruff]\nlength = 100\n[tool.x]\nlength = 1\n", "tool.x.length", "length", "1");
        one("a.yaml", "env:\n  TZ: UTC\n  A: b\nother: 1\n", "env", "env", "b");
        one("a.yaml", "read:\n  timeout: 30\nwrite:\n  timeout: 60\n", "write.timeout", "timeout", "60");
        one(
            "a.json",
            "{\n  \"engines\": { \"node\": \"18\", \"npm\": \"9\" }\n}",
            "engines.node",
            "\"node\"",
            "\"18\"",
        );
        one("Makefile", "test:\n\tpytest\n\nload: test\n\tpython\n", "load", "load", "python");
        one("a.sql", "CREATE TABLE users (\n  id int\n);\n", "users", "CREATE", ";");
    }

    #[test]
    fn a_commented_or_imported_name_is_not_defined() {
        assert!(found("a.py", "# def f():\n#     pass\nf()\n", "f").is_empty());
        assert!(found("a.ts", "/*\nfunction f() {}\n*/\nf(); // function f() {}\n", "f").is_empty());
        assert!(found("a.ts", "import type { F } from './f';\n", "F").is_empty());
        assert!(found("a.rs", "pub use crate::x::f;\n", "f").is_empty());
    }
}
