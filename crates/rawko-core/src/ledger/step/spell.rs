//! Commands that have a second spelling: older names, resource kinds, variables in the place of options.

use super::super::place::looks_like_path;
use super::super::shell::assignment;
use super::super::tools;
use super::Step;

/// The words of a command in the spelling that counts.
pub(super) fn words(program: &str, rest: &mut Vec<String>) {
    for (name, from, to) in tools::SPELLINGS {
        if *name == program
            && rest.len() >= from.len()
            && rest.iter().zip(*from).all(|(word, from)| word == from)
        {
            rest.splice(..from.len(), to.iter().map(|word| (*word).to_owned()));
            break;
        }
    }
    // `tar xzf a` is `tar -xzf a`.
    if let Some(first) = rest
        .first_mut()
        .filter(|first| program == "tar" && first.bytes().all(|byte| b"xcztvfjJpkC".contains(&byte)))
    {
        first.insert(0, '-');
    }
}

impl Step {
    /// What only this program spells in two ways, once its words are known.
    pub(super) fn spell(&mut self) {
        match self.program.as_str() {
            "kubectl" | "oc" => self.name_kinds(),
            "composer" => {
                if let Some(script) = self.sub.take_if(|sub| !tools::COMPOSER.contains(&sub.as_str())) {
                    self.insert_word(script);
                    self.sub = Some("run-script".to_owned());
                }
            }
            "yarn"
                if self.sub.as_deref() == Some("workspace")
                    && self.words.get(1).is_some_and(|word| word == "run") =>
            {
                self.remove_word(1);
            }
            "nx" if self.words.len() == 2
                && self.words[0] != "run"
                && !self.words[0].contains(':')
                && self.near.is_empty() =>
            {
                let (task, project) = (self.remove_word(0), self.remove_word(0));
                self.words = vec!["run".to_owned(), format!("{project}:{task}")];
            }
            "rake" | "rails" => {
                let sets: Vec<String> = self.words.iter().filter(|word| is_variable(word)).cloned().collect();
                while let Some(at) = self.words.iter().position(|word| is_variable(word)) {
                    self.remove_word(at);
                }
                self.env.extend(sets);
                self.env.sort();
            }
            "curl" | "wget" | "http" | "xh" => {
                for word in &mut self.words {
                    *word = word.strip_prefix("http://").unwrap_or(word).to_owned();
                    // `http :8000/x` is of this machine.
                    if word.starts_with(':') {
                        word.insert_str(0, "localhost");
                    }
                }
            }
            "systemctl" | "journalctl" => {
                for word in &mut self.words {
                    *word = word.trim_end_matches(".service").to_owned();
                }
            }
            _ => {}
        }
        self.name_expression();
        self.take_variables();
    }

    /// `get po/x` is `get pod x`.
    fn name_kinds(&mut self) {
        let kind = |word: &str| tools::known_kind(word);
        let Some(first) =
            self.words.first().cloned().filter(|_| self.near.iter().all(|near| near.word.is_none()))
        else {
            return;
        };
        if let Some(one) = kind(&first) {
            self.words[0] = one.to_owned();
        } else if let Some((one, name)) =
            first.split_once('/').and_then(|(of, name)| Some((kind(of)?, name.to_owned())))
        {
            self.words.splice(..1, [one.to_owned(), name]);
        }
    }

    /// `sed -e x` is `sed x`.
    fn name_expression(&mut self) {
        let mut given = self.flags.iter().filter(|flag| flag.starts_with("-e=") || flag.starts_with("-f="));
        let only = given.next().filter(|flag| flag.starts_with("-e=") && self.tool().script).cloned();
        if let Some(flag) = only.filter(|_| given.next().is_none()) {
            self.flags.retain(|other| *other != flag);
            self.insert_word(flag["-e=".len()..].to_owned());
        }
    }

    /// `AWS_PROFILE=x aws` is `aws --profile x`.
    fn take_variables(&mut self) {
        let tool = self.tool();
        for (name, option) in tool.env {
            let at = self
                .env
                .iter()
                .position(|set| set.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')));
            if let Some(at) = at {
                let value = self.env.remove(at)[name.len()..].to_owned();
                self.flags.push(format!("{option}{value}"));
            }
        }
    }

    fn insert_word(&mut self, word: String) {
        for near in &mut self.near {
            near.word = near.word.map(|at| at + 1);
        }
        self.words.insert(0, word);
    }

    /// `bash x.sh` is `./x.sh`, started by a shell.
    pub(super) fn unshell(&mut self, rest: &mut Vec<String>) {
        let shell = matches!(self.program.as_str(), "sh" | "bash" | "zsh" | "dash");
        // `-euo pipefail`
        let is_set =
            |word: &str| word.starts_with('-') && word[1..].bytes().all(|byte| b"xeuvlo".contains(&byte));
        let named = |at: usize| at > 0 && is_set(&rest[at - 1]) && rest[at - 1].ends_with('o');
        let at = (0..rest.len()).find(|at| !is_set(&rest[*at]) && !named(*at));
        let script = at.filter(|at| {
            shell && looks_like_path(&rest[*at]) && !rest[*at].starts_with(['/', '~', '$', '-'])
        });
        if let Some(at) = script {
            let path = rest.drain(..=at).next_back().unwrap_or_default();
            self.via.push("sh".to_owned());
            self.program = format!("./{}", path.trim_start_matches("./"));
        }
    }
}

fn is_variable(word: &str) -> bool {
    assignment(word)
        .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
}

/// Whether a word says how many jobs to run at once.
pub(super) fn is_jobs(word: &str, tool: &tools::Tool) -> bool {
    let rest = word.strip_prefix("-j").filter(|_| tool.shows.contains(&"-j"));
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()) || rest.starts_with('$'))
}
