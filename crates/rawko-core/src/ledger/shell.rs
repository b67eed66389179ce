//! A command line as its parts: enough of a shell's grammar to see which programs run, in which order.
//!
//! Nothing is expanded: a variable or a substitution stays the text it is.
//! What this does not understand (loops, functions) is `None`, and the caller
//! takes the whole text as one opaque move.

/// Longest command that is looked into, in bytes.
const LONGEST: usize = 16 * 1024;
/// Words that open a compound command.
const COMPOUND: &[&str] =
    &["if", "for", "while", "until", "case", "select", "function", "[[", "then", "do", "else"];

/// How a pipeline follows the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// It is the first.
    First,
    /// Only if the one before succeeded.
    And,
    /// Only if the one before failed.
    Or,
    /// Whatever became of the one before.
    Then,
}

/// Programs joined by `|`; the exit code is the last one's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) join: Join,
    pub(super) commands: Vec<Simple>,
    /// Subshells that begin with it.
    pub(super) opens: usize,
    /// Subshells that end with it.
    pub(super) closes: usize,
    /// It goes on behind the shell's back.
    pub(super) background: bool,
}

/// One program with its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) env: Vec<(String, String)>,
    pub(super) words: Vec<String>,
    /// Files, or here-texts, that it reads.
    pub(super) reads: Vec<String>,
    /// Files that its output goes to.
    pub(super) writes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    And,
    Or,
    Then,
    Behind,
    Pipe,
    Open,
    Close,
    Read(String),
    Write(String),
}

/// The pipelines of a command line; `None` for what is not understood.
pub(super) fn parse(text: &str) -> Option<Vec<Pipeline>> {
    if text.len() > LONGEST {
        return None;
    }
    let tokens = Lexer { rest: text, heredocs: Vec::new(), tokens: Vec::new() }.run()?;
    let mut pipelines = Vec::new();
    let (mut join, mut commands, mut now) = (Join::First, Vec::new(), Simple::default());
    let (mut opens, mut closes, mut depth) = (0, 0, 0_usize);
    for token in tokens {
        let background = token == Token::Behind;
        let next = match token {
            // A group of one list is that list: only the folder it moves to is its own.
            Token::Open if now == Simple::default() && commands.is_empty() => {
                opens += 1;
                depth += 1;
                continue;
            }
            Token::Close if depth > 0 => {
                closes += 1;
                depth -= 1;
                continue;
            }
            Token::Open | Token::Close => return None,
            Token::Word(word) => {
                if closes > 0 && commands.is_empty() {
                    return None;
                }
                now.push(word)?;
                continue;
            }
            Token::Read(word) => {
                now.reads.push(word);
                continue;
            }
            Token::Write(word) => {
                now.writes.push(word);
                continue;
            }
            Token::Pipe => {
                commands.push(std::mem::take(&mut now));
                continue;
            }
            Token::And => Join::And,
            Token::Or => Join::Or,
            Token::Then | Token::Behind => Join::Then,
        };
        commands.push(std::mem::take(&mut now));
        if finish(&mut pipelines, join, std::mem::take(&mut commands), (opens, closes)) {
            (opens, closes) = (0, 0);
        }
        if let Some(last) = pipelines.last_mut().filter(|_| background) {
            last.background = true;
        }
        join = next;
    }
    commands.push(now);
    finish(&mut pipelines, join, commands, (opens, closes));
    (depth == 0 && !pipelines.is_empty()).then_some(pipelines)
}

/// Whether there was a pipeline to finish.
fn finish(
    pipelines: &mut Vec<Pipeline>,
    join: Join,
    mut commands: Vec<Simple>,
    (opens, closes): (usize, usize),
) -> bool {
    commands.retain(|command| *command != Simple::default());
    if commands.is_empty() {
        // `(a; )`: the subshell ends with the one before.
        if let Some(last) = pipelines.last_mut().filter(|_| closes > 0) {
            last.opens += opens;
            last.closes += closes;
            return true;
        }
        return false;
    }
    let join = if pipelines.is_empty() { Join::First } else { join };
    pipelines.push(Pipeline { join, commands, opens, closes, background: false });
    true
}

impl Simple {
    fn push(&mut self, word: String) -> Option<()> {
        if self.words.is_empty() {
            if COMPOUND.contains(&word.as_str()) {
                return None;
            }
            if let Some((name, value)) = assignment(&word) {
                self.env.push((name.to_owned(), value.to_owned()));
                return Some(());
            }
        }
        self.words.push(word);
        Some(())
    }
}

/// `NAME=value`.
pub(super) fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    (starts && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')).then_some((name, value))
}

struct Lexer<'a> {
    rest: &'a str,
    /// Ends of here-texts whose bodies start on the next line.
    heredocs: Vec<String>,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn run(mut self) -> Option<Vec<Token>> {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            let Some(first) = self.rest.chars().next() else { break };
            match first {
                '\n' => self.newline(),
                '#' => self.rest = self.rest.find('\n').map_or("", |at| &self.rest[at..]),
                '\\' if self.rest.starts_with("\\\n") => self.skip(2),
                '(' => self.operator(1, Token::Open),
                ')' => self.operator(1, Token::Close),
                '{' | '}' if self.is_brace() => {
                    self.operator(1, if first == '{' { Token::Open } else { Token::Close })
                }
                ';' => {
                    if self.rest.starts_with(";;") {
                        return None;
                    }
                    self.operator(1, Token::Then);
                }
                '|' if self.rest.starts_with("||") => self.operator(2, Token::Or),
                '|' => self.operator(if self.rest.starts_with("|&") { 2 } else { 1 }, Token::Pipe),
                '&' if self.rest.starts_with("&&") => self.operator(2, Token::And),
                '&' if self.rest.starts_with("&>") => self.redirect()?,
                '&' => self.operator(1, Token::Behind),
                '<' | '>' if !self.rest[1..].starts_with('(') => self.redirect()?,
                '0'..='9' if is_redirect(self.rest) => self.redirect()?,
                _ => {
                    let word = self.word()?;
                    self.tokens.push(Token::Word(word));
                }
            }
        }
        Some(self.tokens)
    }

    /// Whether a brace stands alone, as one that groups does.
    fn is_brace(&self) -> bool {
        self.rest[1..].chars().next().is_none_or(|next| next.is_whitespace() || ";|&)".contains(next))
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn operator(&mut self, bytes: usize, token: Token) {
        self.skip(bytes);
        self.tokens.push(token);
    }

    /// Ends a command, and takes the bodies of here-texts.
    fn newline(&mut self) {
        self.skip(1);
        for end in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if line.trim() == end {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            self.tokens.push(Token::Read(body));
        }
        self.tokens.push(Token::Then);
    }

    fn redirect(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        let (bytes, reads) = match self.rest {
            rest if rest.starts_with("<<<") => (3, true),
            rest if rest.starts_with("<<") => return self.heredoc(),
            rest if rest.starts_with(">>") || rest.starts_with(">|") => (2, false),
            rest if rest.starts_with(">&") || rest.starts_with("<&") => (2, false),
            rest => (1, rest.starts_with('<')),
        };
        self.skip(bytes);
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let word = self.word()?;
        let copies = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if reads {
            self.tokens.push(Token::Read(word));
        } else if !copies && !word.starts_with("/dev/") {
            self.tokens.push(Token::Write(word));
        }
        Some(())
    }

    fn heredoc(&mut self) -> Option<()> {
        self.skip(2);
        self.rest = self.rest.trim_start_matches(['-', ' ']);
        let end = self.word()?;
        self.heredocs.push(end);
        Some(())
    }

    /// One word with its quotes taken off.
    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        while let Some(first) = self.rest.chars().next() {
            match first {
                // `<( … )` is a file with what a command prints.
                '<' | '>' if self.rest[1..].starts_with('(') => self.substitution(&mut word)?,
                ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | '<' | '>' | ')' => break,
                '(' => return None,
                '\'' => {
                    let end = self.rest[1..].find('\'')?;
                    word.push_str(&self.rest[1..=end]);
                    self.skip(end + 2);
                }
                '"' => self.double(&mut word)?,
                '\\' => {
                    let next = self.rest[1..].chars().next()?;
                    if next != '\n' {
                        word.push(next);
                    }
                    self.skip(1 + next.len_utf8());
                }
                '`' => {
                    let end = self.rest[1..].find('`')?;
                    word.push_str(&self.rest[..end + 2]);
                    self.skip(end + 2);
                }
                '$' if self.rest.starts_with("$(") => self.substitution(&mut word)?,
                other => {
                    word.push(other);
                    self.skip(other.len_utf8());
                }
            }
        }
        Some(word)
    }

    fn double(&mut self, word: &mut String) -> Option<()> {
        self.skip(1);
        loop {
            let first = self.rest.chars().next()?;
            match first {
                '"' => {
                    self.skip(1);
                    return Some(());
                }
                '\\' => {
                    let next = self.rest[1..].chars().next()?;
                    if !matches!(next, '"' | '\\' | '$' | '`' | '\n') {
                        word.push('\\');
                    }
                    if next != '\n' {
                        word.push(next);
                    }
                    self.skip(1 + next.len_utf8());
                }
                '$' if self.rest.starts_with("$(") => self.substitution(word)?,
                other => {
                    word.push(other);
                    self.skip(other.len_utf8());
                }
            }
        }
    }

    /// `$( … )` as it stands.
    fn substitution(&mut self, word: &mut String) -> Option<()> {
        let mut depth = 0_usize;
        for (at, c) in self.rest.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => continue,
            }
            if depth == 0 {
                word.push_str(&self.rest[..=at]);
                self.skip(at + 1);
                return Some(());
            }
        }
        None
    }
}

/// `2>…`, `0<…`.
fn is_redirect(rest: &str) -> bool {
    rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let pipelines = parse(text)?;
        let command = |simple: &Simple| {
            let mut all: Vec<String> =
                simple.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
            all.extend(simple.words.iter().map(|word| format!("[{word}]")));
            all.extend(simple.reads.iter().map(|word| format!("<{word:?}")));
            all.extend(simple.writes.iter().map(|word| format!(">{word}")));
            all.join(" ")
        };
        let lines = pipelines.iter().map(|pipeline| {
            let all: Vec<String> = pipeline.commands.iter().map(command).collect();
            format!("{:?}: {}", pipeline.join, all.join(" | "))
        });
        Some(lines.collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn quotes_pipes_and_redirects_are_seen() {
        let text = "cd a && FOO='x y' pytest -k \"a \\\"b\\\"\" 2>&1 | tail -5 > out.txt; true || false";
        assert_eq!(
            shown(text).expect("understood"),
            "First: [cd] [a]; And: FOO=x y [pytest] [-k] [a \"b\"] | [tail] [-5] >out.txt; Then: [true]; Or: [false]"
        );
    }

    #[test]
    fn a_here_text_is_what_the_program_reads() {
        assert_eq!(
            shown("psql db <<'SQL'\nselect 1;\nSQL\necho done").expect("understood"),
            "First: [psql] [db] <\"select 1;\\n\"; Then: [echo] [done]"
        );
    }

    #[test]
    fn a_group_is_the_list_in_it() {
        for (text, wanted) in [
            ("(cd a && ls) | tail", "First: [cd] [a]; And: [ls] | [tail]"),
            ("{ cd a; ls; }", "First: [cd] [a]; Then: [ls]"),
            ("find . -exec ls {} +", "First: [find] [.] [-exec] [ls] [{}] [+]"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(wanted), "{text}");
        }
        let scopes: Vec<(usize, usize)> = parse("(cd a && ls); pwd")
            .expect("understood")
            .iter()
            .map(|pipeline| (pipeline.opens, pipeline.closes))
            .collect();
        assert_eq!(scopes, [(1, 0), (0, 1), (0, 0)]);
    }

    #[test]
    fn what_is_not_understood_is_left_whole() {
        for text in ["for f in *; do echo $f; done", "(cd a; ls", "ls)", "echo 'open", "f() { ls; }", ""] {
            assert_eq!(shown(text), None, "{text}");
        }
        assert_eq!(
            shown("git commit -m \"$(cat x)\"").expect("understood"),
            "First: [git] [commit] [-m] [$(cat x)]"
        );
    }
}
