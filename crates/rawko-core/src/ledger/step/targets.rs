//! Names of what to work on that programs spell in two ways: scripts, tasks, packages, branches.

use super::super::place::join;
use super::super::tools;
use super::Step;

impl Step {
    /// `python -m pytest` is `pytest`; `docker-compose` is `docker compose`; `php artisan` is `artisan`.
    pub(super) fn respell(&mut self, rest: &mut Vec<String>) {
        let first = rest.first().cloned().unwrap_or_default();
        let (place, base) = first.rsplit_once('/').unwrap_or(("", &first));
        let in_bin = matches!(place.rsplit('/').next(), Some("bin" | ".bin"));
        let interprets = matches!(self.program.as_str(), "python" | "php" | "node" | "ruby" | "bun" | "perl");
        if self.program == "python" && first == "-m" && rest.len() > 1 {
            self.program = tools::program(&rest[1]).to_owned();
            rest.drain(..2);
        } else if interprets && (matches!(base, "artisan" | "manage.py") || in_bin && tools::is_known(base)) {
            self.program = tools::program(base).to_owned();
            if let Some(folder) = join(&self.folder, place).filter(|_| !in_bin) {
                self.folder = folder;
            }
            rest.remove(0);
        } else if self.program == "docker-compose" {
            self.program = "docker".to_owned();
            rest.insert(0, "compose".to_owned());
        } else if self.program == "kubectl" && first == "kustomize" {
            self.program = "kustomize".to_owned();
            rest[0] = "build".to_owned();
        } else if self.program == "cargo" && first.starts_with('+') {
            self.flags.push(rest.remove(0));
        }
    }

    /// `npm run test` is `npm test`; `yarn build` is `yarn run build`; a task has one path, from where the build is.
    pub(super) fn rename(&mut self, wrapper: Option<&str>) {
        let runs = matches!(self.program.as_str(), "npm" | "pnpm" | "yarn" | "bun");
        if runs && self.sub.as_deref() == Some("run") && !self.words.is_empty() {
            let script = self.remove_word(0);
            self.sub = Some(format!("run {script}"));
        } else if runs
            && matches!(self.sub.as_deref(), Some("test" | "start" | "stop" | "restart"))
            && !(self.program == "bun" && self.sub.as_deref() == Some("test"))
        {
            self.sub = self.sub.take().map(|script| format!("run {script}"));
        } else if let Some(script) =
            self.sub.clone().filter(|sub| runs && tools::is_script(&self.program, sub))
        {
            self.sub = Some(format!("run {script}"));
        }
        if self.program == "git" && self.sub.as_deref() == Some("push") {
            self.name_branches();
        }
        // A client's first plain word is the database.
        let database = match self.tool().names {
            ["psql", ..] if self.program != "createdb" && self.program != "dropdb" => "-d",
            ["mysql", ..] if self.program != "mysqladmin" => "-D",
            _ => "",
        };
        if !database.is_empty()
            && !self.words.is_empty()
            && !self.flags.iter().any(|flag| same_option(flag, database))
        {
            let name = self.remove_word(0);
            self.flags.push(format!("{database}={name}"));
        }
        if self.program == "gradle" {
            self.name_tasks(wrapper.unwrap_or_default());
        }
    }

    fn name_branches(&mut self) {
        // `git push origin :x` deletes x; `HEAD:refs/heads/x` is x.
        for word in &mut self.words {
            *word = word.replace("refs/heads/", "").replace("refs/tags/", "");
            let to = word.split_once(':').filter(|(from, to)| *from == "HEAD" || from == to);
            if let Some(to) = to.map(|(_, to)| to.to_owned()) {
                *word = to;
            }
            if let Some(name) = word.strip_prefix(':').filter(|name| !name.is_empty()).map(str::to_owned) {
                *word = name;
                self.flags.push("--delete".to_owned());
            }
        }
        // The table knows the option, so it stands there and nowhere else.
        if let Some(at) = self.near.iter().position(|near| near.flag == "--delete") {
            self.near.remove(at);
            self.flags.push("--delete".to_owned());
        }
    }

    /// `core:test` at the root, and `test` in its folder, are `:core:test`.
    fn name_tasks(&mut self, build: &str) {
        let below = match build {
            "" => Some(self.folder.as_str()),
            build if self.folder == build => Some(""),
            build => self.folder.strip_prefix(build).and_then(|rest| rest.strip_prefix('/')),
        };
        let Some(below) = below.map(|below| below.replace('/', ":")) else { return };
        let valued: Vec<usize> =
            self.near.iter().filter_map(|near| near.word.filter(|_| near.joined)).collect();
        for (n, word) in self.words.iter_mut().enumerate() {
            if word.starts_with(':') || valued.contains(&n) || word.contains(['/', '=']) {
                continue;
            }
            if !below.is_empty() {
                *word = format!(":{below}:{word}");
            } else if word.contains(':') {
                *word = format!(":{word}");
            }
        }
        self.folder = build.to_owned();
    }

    /// What is said to be as it is anyway.
    pub(super) fn drop_defaults(&mut self) {
        let verb = self.sub.as_deref().or(self.words.first().map(String::as_str)).unwrap_or_default();
        let tests = verb.split([' ', ':', '.']).any(|part| part == "test" || part == "spec")
            || matches!(self.program.as_str(), "rspec" | "jest" | "vitest" | "phpunit" | "pest" | "minitest");
        let own = match self.program.as_str() {
            "mix" => "dev",
            "rails" | "rake" | "puma" => "development",
            _ => "",
        };
        self.env.retain(|set| {
            let (name, value) = set.split_once('=').unwrap_or((set, ""));
            !(name.ends_with("_ENV")
                && (tests && value == "test" || !tests && value == own && !own.is_empty()))
        });
        let tool = self.tool();
        self.flags.retain(|flag| !tool.anyway.contains(&flag.as_str()));
        while let Some(at) = self.words.iter().position(|word| tool.anyway.contains(&word.as_str())) {
            self.remove_word(at);
        }
        let asks = self.near.iter().any(|near| tools::is_at_home(&near.flag));
        if tool.default.is_empty() || asks {
        } else if !tool.sub && self.words.first().is_some_and(|word| word == tool.default) {
            self.remove_word(0);
        } else if tool.sub && self.sub.is_none() && self.words.is_empty() {
            self.sub = Some(tool.default.to_owned());
        }
    }

    /// Names of packages and projects, wherever the command is started.
    pub(super) fn resolve_targets(&mut self) {
        match self.program.as_str() {
            "go" => self.name_packages(),
            "bazel" | "buck2" => self.name_labels(),
            _ => {}
        }
    }

    /// `go test` in a folder is `go test ./folder`.
    fn name_packages(&mut self) {
        let takes = matches!(self.sub.as_deref(), Some("test" | "build" | "vet" | "generate" | "run"));
        let local = |word: &String| !word.contains('@') && !word.ends_with(".go");
        if !takes || !self.near.is_empty() || !self.words.iter().all(local) || self.folder.starts_with('/') {
            return;
        }
        if self.words.is_empty() && self.sub.as_deref() != Some("run") {
            self.words.push(".".to_owned());
        }
        for word in &mut self.words {
            // `example.org/x/y` is a module's path and the same everywhere.
            let is_module =
                word.split('/').next().is_some_and(|first| first.contains('.') && first.len() > 3);
            if is_module || word == "all" {
                continue;
            }
            *word =
                join(&self.folder, word).filter(|path| !path.is_empty()).unwrap_or_else(|| ".".to_owned());
        }
        self.rooted = true;
    }

    /// `//a/b` is `//a/b:b`, and `:b` in that folder is as well.
    fn name_labels(&mut self) {
        if self.folder.starts_with('/') {
            return;
        }
        let builds =
            matches!(self.sub.as_deref(), Some("build" | "test" | "run" | "coverage" | "query" | "cquery"));
        for word in self.words.iter_mut().filter(|_| builds) {
            let local = !word.starts_with(['/', '@', '-']) && !word.contains([' ', '(', '=']);
            if word.starts_with(':') {
                *word = format!("//{}{word}", self.folder);
            } else if local && (word.contains(':') || word.ends_with("...")) {
                let place = if self.folder.is_empty() { String::new() } else { format!("{}/", self.folder) };
                *word = format!("//{place}{word}");
            }
            let bare = word.starts_with("//") && !word.contains(':') && !word.ends_with("...");
            if bare {
                let last = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
                *word = format!("{}:{last}", word.trim_end_matches('/'));
            }
        }
        self.rooted = self.words.iter().any(|word| word.starts_with("//"));
    }
}

fn same_option(flag: &str, name: &str) -> bool {
    flag.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
}
