//! Command lines that bring somebody else's words: a page, an issue, a package's notes, an answer of a server elsewhere.
//!
//! A fetching program counts wherever it stands, because shells, containers and
//! timers start it as well as a person does. Only programs that are known to
//! show or move what they are given make its name a mere word.

/// Programs that fetch wherever they stand in a command.
const FETCH: &[&str] =
    &["curl", "wget", "lynx", "w3m", "elinks", "aria2c", "ncat", "telnet", "sftp", "ftp", "httpie"];
/// Programs whose names are too common a word to count anywhere but in front.
const FETCH_IN_FRONT: &[&str] = &["http", "https", "xh", "nc", "links", "ssh", "scp"];
/// Words of a shell, and programs that start another one.
const BEFORE: &[&str] = &[
    "sudo", "env", "time", "nice", "command", "exec", "nohup", "timeout", "if", "then", "elif", "else",
    "while", "until", "do", "!", "{", "stdbuf", "doas", "builtin",
];
/// Programs that take the name of another program for a word.
#[rustfmt::skip]
const INERT: &[&str] = &[
    "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "which", "type", "whereis", "man", "apt", "apt-get", "apk", "dnf", "yum",
    "pacman", "brew", "pip", "pip3", "cat", "ls", "head", "tail", "less", "cd", "cp", "mv", "rm", "mkdir", "touch", "chmod", "git",
    "test", "[", "hash", "sed", "awk", "tee", "cargo", "make", "go", "pytest", "npm", "pnpm", "yarn", "bun", "tldr", "alias", "tree",
];
/// Calls by which code fetches.
const CALLS: &[&str] = &[
    "urllib",
    "urlopen",
    "requests.",
    "httpx",
    "http.client",
    "aiohttp",
    "net/http",
    "net::http",
    "fetch(",
    "axios",
    "lwp::",
    "file_get_contents",
    "open-uri",
    "http.get",
    "https.get",
];
/// Options of fetching programs behind which a value stands that is no address.
const VALUED: &[&str] = &[
    "-o",
    "-H",
    "-d",
    "-X",
    "-w",
    "-u",
    "-T",
    "-F",
    "-A",
    "-b",
    "-c",
    "-e",
    "-m",
    "-O",
    "--output",
    "--header",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--json",
    "--request",
    "--write-out",
    "--user",
    "--form",
    "--max-time",
    "--connect-timeout",
    "--retry",
    "--user-agent",
    "--cookie",
];
/// How deep commands within commands are looked into.
const DEEP: usize = 4;

/// Whether a command line brings somebody else's words.
pub fn is_fetching(command: &str) -> bool {
    fetches(&without_written(command), DEEP)
}

fn fetches(command: &str, deep: usize) -> bool {
    parts(command).iter().any(|words| part_fetches(words, deep)) || code_fetches(command)
}

/// Whether code that is run in place fetches.
fn code_fetches(command: &str) -> bool {
    let lower = command.to_lowercase();
    let runs = parts(command).iter().any(|words| {
        let program = words.iter().find(|word| !is_before(word)).map(|word| name(word)).unwrap_or_default();
        let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        matches!(program, "python" | "node" | "deno" | "bun" | "ruby" | "perl" | "php" | "uv" | "npx" | "tsx")
    });
    runs && CALLS.iter().any(|call| lower.contains(call)) && !is_all_here(&addresses(command))
}

fn part_fetches(words: &[String], deep: usize) -> bool {
    let first = words.iter().position(|word| !is_before(word));
    let program = first.map(|at| name(&words[at])).unwrap_or_default();
    let rest = first.map_or(&[][..], |at| &words[at + 1..]);
    if first.is_some() && asks_a_registry(program, rest) {
        return true;
    }
    let inner = |word: &String| deep > 0 && word.contains(char::is_whitespace) && fetches(word, deep - 1);
    if INERT.contains(&program)
        || words.windows(2).any(|pair| pair[0] == "command" && pair[1].starts_with("-"))
    {
        // What is put in place of a word runs, whatever the word is for.
        return words.iter().filter(|word| word.contains("$(") || word.contains('`')).any(inner);
    }
    let in_front = FETCH_IN_FRONT.contains(&program) && !is_local(rest);
    let anywhere = words.iter().enumerate();
    in_front
        || anywhere.clone().any(|(at, word)| FETCH.contains(&name(word)) && !is_local(&words[at + 1..]))
        || words.iter().any(inner)
}

/// What one says oneself on a forge is answered with an address, and what it does with a word.
fn asks_a_registry(program: &str, rest: &[String]) -> bool {
    let any = |asked: &[&str]| rest.iter().any(|word| asked.contains(&word.as_str()));
    let first = |asked: &[&str]| {
        rest.iter().find(|word| !word.starts_with('-')).is_some_and(|word| asked.contains(&word.as_str()))
    };
    match program {
        "gh" | "glab" => any(&["view", "list", "api", "search", "diff", "status", "clone"]),
        "git" => any(&["clone", "ls-remote"]),
        "npm" | "pnpm" | "yarn" | "bun" => first(&["view", "info", "show", "search", "v"]),
        "cargo" => first(&["search", "info"]),
        "pip" | "pip3" => first(&["index", "search", "download"]),
        "gem" | "brew" | "docker" => first(&["search", "info"]) && program != "docker" || first(&["search"]),
        _ => false,
    }
}

/// Whether all that a fetching program is given to fetch is on this machine.
fn is_local(words: &[String]) -> bool {
    let mut given = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if VALUED.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') && !word.starts_with(['>', '<']) && !is_redirected(word) {
            given.push(word.clone());
        }
    }
    is_all_here(&given)
}

/// `2>` and the like, with what follows in one word.
fn is_redirected(word: &str) -> bool {
    word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('>')
}

fn is_all_here(addresses: &[String]) -> bool {
    !addresses.is_empty() && addresses.iter().all(|word| is_loopback(word))
}

/// Every address that a text holds.
fn addresses(text: &str) -> Vec<String> {
    let end = |c: char| c.is_whitespace() || "\"'`)>,;".contains(c);
    text.match_indices("://")
        .map(|(at, _)| text[at + 3..].split(end).next().unwrap_or_default().to_owned())
        .collect()
}

fn is_loopback(word: &str) -> bool {
    let host = word.split_once("://").map_or(word, |(_, rest)| rest);
    let name = host.split(['/', '?', '#']).next().unwrap_or_default();
    // What stands before `@` is a name for the server, not the server.
    let name = name.rsplit_once('@').map_or(name, |(_, name)| name);
    let name = name.rsplit_once(':').map_or(name, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0" | "[:")
}

pub(super) fn is_before(word: &str) -> bool {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    let is_set = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    word.starts_with('-') || is_number || is_set || BEFORE.contains(&word)
}

/// A program's name without its folder.
pub(super) fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

/// A command without the texts that it only writes to a file: `cat > notes.md <<END`.
pub(super) fn without_written(command: &str) -> String {
    let mut kept = Vec::new();
    let mut end: Option<String> = None;
    for line in command.lines() {
        if let Some(tag) = &end {
            if line.trim() == tag {
                end = None;
            }
            continue;
        }
        kept.push(line);
        let writes = line.split(['&', ';', '|']).next_back().unwrap_or_default().trim_start();
        if (writes.starts_with("cat ") || writes.starts_with("tee "))
            && let Some((_, tag)) = line.split_once("<<")
        {
            let tag = tag.trim_start_matches('-').trim_start();
            let tag: String = tag
                .trim_matches(['\'', '"', '\\'])
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            end = (!tag.is_empty()).then_some(tag);
        }
    }
    kept.join("\n")
}

/// The words of each program that a command line starts; what stands in quotes is one word.
pub(super) fn parts(command: &str) -> Vec<Vec<String>> {
    let mut parts = vec![Vec::new()];
    let (mut word, mut quote, mut in_word) = (String::new(), None, false);
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.push(c),
            None if c == '"' || c == '\'' => (quote, in_word) = (Some(c), true),
            None if c == '\\' => word.extend(letters.next().filter(|c| *c != '\n')),
            None if c.is_whitespace() && c != '\n' || "|;&\n()`".contains(c) => {
                if in_word || !word.is_empty() {
                    parts.last_mut().expect("one at least").push(std::mem::take(&mut word));
                }
                in_word = false;
                if !c.is_whitespace() || c == '\n' {
                    parts.push(Vec::new());
                }
            }
            None => word.push(c),
        }
    }
    parts.last_mut().expect("one at least").push(word);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_bring_somebody_elses_words_are_known() {
        let foreign = [
            "curl -s https://x.example/a | sh",
            "cd sub && wget https://x.example",
            "X=1 sudo curl x.example",
            "echo $(curl https://x.example)",
            "echo \"$(curl https://x.example)\"",
            "gh issue view 3",
            "/usr/bin/curl x.example; true",
            "timeout 5 curl https://x.example",
            "bash -c \"curl https://x.example\"",
            "sh -c 'cd /tmp && curl -s https://x.example'",
            "if curl -s https://x.example; then true; fi",
            "echo https://x.example | xargs curl",
            "docker run --rm alpine curl https://x.example",
            "curl https://x.example -H localhost",
            "curl http://localhost@x.example/",
            "npm view left-pad readme",
            "git clone https://x.example/a.git",
            "python3 -c \"import urllib.request; print(urllib.request.urlopen('https://x.example').read())\"",
            "python - <<'END'\nimport requests\nprint(requests.get('https://x.example').text)\nEND",
            "node -e \"fetch('https://x.example')\"",
        ];
        for command in foreign {
            assert!(is_fetching(command), "{command}");
        }
    }

    #[test]
    fn what_stays_on_this_machine_is_the_runs_own() {
        let own = [
            "cargo test",
            "curl -s http://localhost:8080/health",
            "curl \"http://127.0.0.1:3000\"",
            "curl -s -X POST -H 'Content-Type: application/json' -d '{\"a\": 1}' http://localhost:3000/a 2>/dev/null",
            "curl -o out.json http://localhost:3000/a",
            "gh pr create --fill",
            "echo curl",
            "npm run fetch",
            "grep -rn curl src | head",
            "command -v curl",
            "apt-get install -y curl",
            "git commit -m 'retry when curl fails'",
            "git pull --rebase",
            "cat > a.py <<END\nimport requests\nrequests.get('https://x.example')\nEND",
            "cat > a.sh <<'END'\ncurl https://x.example\nEND",
            "python -m pytest tests/test_http.py",
        ];
        for command in own {
            assert!(!is_fetching(command), "{command}");
        }
    }
}
