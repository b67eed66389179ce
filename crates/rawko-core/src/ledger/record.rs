//! One failed move as the ledger keeps it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::mend::{self, Hints, Matter};
use super::root::{self, Root};
use super::step::Step;
use super::{At, Move, credentials, failure, hash, tools};

/// A failed move: what it was, what it said, what it depended on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Names it.
    pub id: String,
    /// When it failed.
    #[serde(with = "time")]
    pub at: Timestamp,
    /// In which session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// Which agent's it was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The move in one line.
    #[serde(rename = "move")]
    pub moved: String,
    /// The exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// What the error says, in its own words: at most a few lines.
    pub error: Vec<String>,
    /// What stays of it without its accidents.
    pub signature: String,
    /// Why it failed, where somebody found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What was learned, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// What the error says is missing, refusing or broken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<Root>,
    /// The state of the files that it depended on, when the move began.
    pub state: State,
    /// How often the same move has failed, with this time.
    pub times: u32,
    /// The hash of the move's key.
    key: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<Step>,
    #[serde(default)]
    hints: Hints,
    /// Credentials of the command, until they are taken out.
    #[serde(skip)]
    secrets: Vec<String>,
}

/// The state of files: each with its content's hash, `-` where there was none, `?` where the move itself changed it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// Single files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, String)>,
    /// Folders with all sources below them, under one hash.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<(String, String)>,
    /// The languages that the sources are of, where the error told; all others do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
}

impl State {
    /// Takes in what another state has besides.
    fn absorb(&mut self, other: &Self) {
        for (mine, more) in [(&mut self.files, &other.files), (&mut self.folders, &other.folders)] {
            let new: Vec<_> = more.iter().filter(|known| !mine.contains(known)).cloned().collect();
            mine.extend(new);
        }
    }
}

/// Times as text.
mod time {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(time)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Why a failure speaks to a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// It is the same move.
    Same,
    /// It needs the thing that the error named.
    Root(Root),
}

impl Failure {
    /// What a failed move teaches; `is_missing` knows whether a path below the root is not there.
    pub fn new(
        moved: &Move,
        at: At<'_>,
        error: &str,
        time: Timestamp,
        is_missing: &dyn Fn(&str) -> bool,
    ) -> Self {
        let key = hash(&moved.key());
        let step = match moved {
            Move::Command(command) => command.blamed(error).cloned(),
            _ => None,
        };
        Self {
            id: String::new(),
            at: time,
            session: String::new(),
            agent: String::new(),
            moved: moved.text(),
            exit: None,
            error: failure::gist(error, 4),
            signature: failure::signature(error),
            cause: None,
            lesson: None,
            roots: root::roots(moved, at, error, is_missing),
            state: State::default(),
            times: 1,
            key,
            step,
            hints: mend::hints(error),
            secrets: credentials::credentials(moved),
        }
    }

    /// The hash of the move's own key.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Every hash that it is to be found under.
    pub fn keys(&self) -> Vec<u64> {
        let mut keys = vec![self.key];
        let open = self.step.as_ref().filter(|step| !self.is_hidden(step));
        keys.extend(open.map(|step| hash(&step.loose_key())));
        keys.extend(self.roots.iter().map(|root| hash(&root.key())));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Keeps it also under the names that the same move has elsewhere: its package's name and folder, its module.
    pub fn also(&mut self, moved: &Move, name: &str, folder: &str, module: Option<&str>) {
        let Move::Command(command) = moved else { return };
        let own = moved.key();
        let more = command.aliases(name, folder, module).into_iter().filter(|key| *key != own);
        self.roots.extend(more.map(Root::Inner));
    }

    /// Takes secrets out of all that is kept; a move that held one that no name gives away is then known by its key alone.
    pub fn redact(&mut self, redacted: &dyn Fn(&str) -> String) {
        let secrets = std::mem::take(&mut self.secrets);
        let hide = |text: &str| redacted(&credentials::hidden(text, &secrets));
        let is_clean = |text: &str| hide(text) == text;
        let holds = !secrets.is_empty()
            || !is_clean(&self.moved)
            || self.step.iter().any(|step| !step.all(&is_clean));
        for text in [&mut self.moved, &mut self.signature].into_iter().chain(&mut self.error) {
            *text = hide(text);
        }
        self.cause.iter_mut().chain(&mut self.lesson).for_each(|text| *text = hide(text));
        self.hints.names.retain(|name| is_clean(name));
        self.hints.commands.retain(|(program, sub)| is_clean(program) && is_clean(sub));
        // An inner command's root is the command itself.
        self.roots.retain(|root| is_clean(&root.key()) && !(holds && matches!(root, Root::Inner(_))));
        self.state.files.retain(|(path, _)| is_clean(path));
        let Some(step) = self.step.as_mut().filter(|_| holds) else { return };
        *step = credentials::without(step);
        if !step.all(&is_clean) {
            *step = Step {
                program: hide(&step.program),
                sub: step.sub.take().filter(|sub| is_clean(sub)),
                folder: hide(&step.folder),
                via: std::mem::take(&mut step.via),
                ..Step::default()
            };
        }
    }

    /// Takes over what an earlier failure of the same move, which still holds, knew besides.
    pub fn absorb(&mut self, earlier: &Self) {
        // What the same error depends on was seen best where it was told at length.
        if earlier.signature == self.signature && earlier.state.files.len() >= self.state.files.len() {
            self.state = earlier.state.clone();
        } else {
            self.state.absorb(&earlier.state);
        }
        self.hints.absorb(&earlier.hints);
        let more =
            earlier.roots.iter().filter(|root| !self.roots.contains(root)).cloned().collect::<Vec<_>>();
        self.roots.extend(more);
        self.roots.truncate(16);
        self.cause = self.cause.take().or_else(|| earlier.cause.clone());
        self.lesson = self.lesson.take().or_else(|| earlier.lesson.clone());
    }

    /// Why it speaks to a move that is about to be made; `None` if it does not.
    pub fn speaks_to(&self, moved: &Move) -> Option<Because> {
        if self.is_same(moved) {
            return Some(Because::Same);
        }
        let Move::Command(command) = moved else {
            let needs = root::needs(moved);
            return self.roots.iter().find(|root| needs.contains(root)).cloned().map(Because::Root);
        };
        let inner = |root: &&Root| matches!(root, Root::Inner(key) if *key == command.key());
        let found = self.roots.iter().find(inner).or_else(|| {
            command.meets(&|step| self.is_supplied_by(step)).into_iter().find_map(|step| self.root_of(step))
        });
        found.cloned().map(Because::Root)
    }

    /// The root that a step meets.
    fn root_of(&self, step: &Step) -> Option<&Root> {
        let needs = root::step_needs(step);
        // Who makes what was lacking there does not need it to answer.
        let makes =
            step.has_verb(tools::CREATES) && self.roots.iter().any(|root| matches!(root, Root::Datum(_)));
        let met = |root: &&Root| {
            needs.contains(root)
                && (!makes || !matches!(root, Root::Service(_)))
                && !self.is_elsewhere(root, step)
                && !self.is_got_round(root, step)
        };
        self.roots.iter().find(met)
    }

    /// The file that is not there and that a move names, whatever else it depends on.
    pub fn lacks_of(&self, moved: &Move) -> Option<Because> {
        let needs = match moved {
            Move::Command(command) => {
                let met = command.meets(&|step| self.is_supplied_by(step));
                met.into_iter().flat_map(root::step_needs).collect()
            }
            other => root::needs(other),
        };
        let found = self.roots.iter().find(|root| matches!(root, Root::Missing(_)) && needs.contains(root));
        found.cloned().map(Because::Root)
    }

    /// Whether a step looks for a thing in another place than the one where it was not.
    fn is_elsewhere(&self, root: &Root, step: &Step) -> bool {
        self.step.as_ref().is_some_and(|mine| root::is_elsewhere(mine, &self.hints.kinds, step, root))
    }

    /// Whether a step has an option, a variable or a setting more that the error names, or that makes what was lacking.
    fn is_got_round(&self, root: &Root, step: &Step) -> bool {
        let Some(mine) = &self.step else { return false };
        let is_named = |name: &str| self.hints.settings.iter().any(|known| known == name);
        let mut sets = step.env.iter().filter(|set| !mine.env.contains(set));
        if sets.any(|set| set.split_once('=').is_some_and(|(name, _)| is_named(name))) {
            return true;
        }
        if self.is_told_more(mine, step) {
            return true;
        }
        // What is not there is not got by force.
        let lacks = match root {
            Root::Absent(_) | Root::Datum(_) | Root::Named(_) | Root::Target(_) => true,
            Root::Unready(name) => name.contains(" database "),
            _ => false,
        };
        let helps = |option: &str| tools::gets_round(option) && !(lacks && option.contains("force"));
        let makes = lacks || matches!(root, Root::Unready(_) | Root::Taken(_));
        let kin = step.program == mine.program && step.sub == mine.sub;
        // Who sets a variable more has other surroundings.
        let surrounds = matches!(root, Root::Unready(_)) && step.program == mine.program;
        if surrounds && step.env.iter().any(|set| !mine.env.contains(set)) {
            return true;
        }
        // Who is told more of what the error speaks of: `--device cpu`, where no device was found.
        let lower = self.error.join("\n").to_lowercase();
        let speaks_of = |option: &str| {
            let name = option.trim_start_matches('-');
            name.len() > 3 && lower.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == name)
        };
        let known: Vec<&str> = mine.options().collect();
        if matches!(root, Root::Unready(_))
            && step.options().any(|option| !known.contains(&option) && speaks_of(option))
        {
            return true;
        }
        let mut more = step.options().filter(|option| !known.contains(option));
        let taken =
            |option: &str| matches!(root, Root::Taken(_)) && ["-b", "-B", "-f", "-p"].contains(&option);
        more.any(|option| is_named(option) || kin && (makes && helps(option) || taken(option)))
    }

    /// Whether a step is given a value, which the failed one was not, for a name in the error: `--set image.tag=1`.
    fn is_told_more(&self, mine: &Step, step: &Step) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        let ends = |text: &str, name: &str| {
            text.match_indices(name).any(|(at, _)| !text[at + name.len()..].starts_with(is_part))
        };
        let known: Vec<&str> = mine.raw_words().collect();
        let words = step.raw_words().filter(|word| !known.contains(word));
        let names = words.flat_map(|word| word.split([',', ' '])).filter_map(|word| word.split_once('='));
        let names = names.map(|(name, _)| name).filter(|name| name.len() > 3 && !name.starts_with('-'));
        names.into_iter().any(|name| self.error.iter().any(|line| ends(line, name)))
    }

    /// Whether it is the same move that failed here.
    pub fn is_same(&self, moved: &Move) -> bool {
        let Move::Command(command) = moved else { return hash(&moved.key()) == self.key };
        let met = command.meets(&|step| self.is_supplied_by(step));
        hash(&command.key()) == self.key && (self.step.is_none() || command.main().is_none())
            || command.main().into_iter().chain(met).any(|step| self.is_step(step))
    }

    /// Whether its words held a secret: then only the key of them is left.
    fn is_hidden(&self, step: &Step) -> bool {
        step.is_bare() && hash(&step.key()) != self.key
    }

    /// Whether it is the same step that failed here.
    fn is_step(&self, step: &Step) -> bool {
        let Some(mine) = &self.step else { return hash(&step.key()) == self.key };
        let same = |step: &Step| mine.same(step) && (mine.prose == step.prose || !self.is_about_prose());
        let is_key = || hash(&step.key()) == self.key;
        let own = if self.is_hidden(mine) {
            is_key()
        } else if credentials::is_without(mine) {
            // Where it is about who one is, other credentials make another move.
            is_key() || !self.hints.is_about(Matter::Login) && same(&credentials::without(step))
        } else {
            same(step)
        };
        own && self.is_met_via(mine, step) && self.is_met_as(mine, step)
    }

    /// Whether the error speaks of the message itself.
    fn is_about_prose(&self) -> bool {
        let lower = self.error.join("\n").to_lowercase();
        ["message", "subject", "commitlint", "commit-msg"].iter().any(|word| lower.contains(word))
    }

    /// Whether how it is spelled, and what its result is called, makes no difference: not where the error is about that.
    fn is_met_as(&self, mine: &Step, other: &Step) -> bool {
        #[rustfmt::skip]
        const USAGE: &[&str] = &[
            "unknown option", "unrecognized option", "unknown flag", "invalid option", "no such option", "unknown shorthand", "unrecognized argument",
            "unexpected argument", "unknown switch", "not defined: -", "required argument", "missing argument", "usage:", "must specify", "unknown argument",
            // What an option answers that says yes before it is asked.
            "confirm", "prompt", "interactive", "a tty", "a terminal", "stdin", "y/n", "yes/no", "end of file", "eof", "abort",
        ];
        let lower = self.error.join("\n").to_lowercase();
        if USAGE.iter().any(|phrase| lower.contains(phrase)) && !mine.same_words(other) {
            return false;
        }
        let base = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_lowercase();
        let (one, two) = (mine.outputs(), other.outputs());
        one == two || !one.iter().chain(&two).any(|path| lower.contains(&base(path)))
    }

    /// Whether who started it makes no difference: a program's surroundings matter where something is missing in them.
    fn is_met_via(&self, mine: &Step, other: &Step) -> bool {
        #[rustfmt::skip]
        const LACKS: &[&str] = &[
            "command not found", "no module named", "cannot find module", "could not find gem", "not installed", "cannot load such file",
            "executable file not found", "not recognized as", "class not found", "permission denied",
        ];
        let lower = self.error.join("\n").to_lowercase();
        let lacks = LACKS.iter().any(|phrase| lower.contains(phrase))
            || self.roots.iter().any(|root| matches!(root, Root::Program(_)));
        mine.via == other.via || !lacks
    }

    /// Whether a move that succeeded proves that this one can succeed: it is the same, and its exit code says so.
    pub fn is_disproved_by(&self, moved: &Move) -> bool {
        match moved {
            Move::Command(command) => {
                command.proven().iter().any(|step| self.is_step(step))
                    || hash(&command.key()) == self.key && command.main().is_none() && !command.is_masked()
            }
            other => hash(&other.key()) == self.key,
        }
    }

    /// Whether it rests on the content of files alone: then they tell when it no longer holds.
    pub fn rests_on_files(&self) -> bool {
        self.roots.iter().all(|root| matches!(root, Root::Inner(_) | Root::Script(_) | Root::Broken(_)))
    }

    /// Whether a step that succeeds supplies what is missing.
    fn is_supplied_by(&self, step: &Step) -> bool {
        self.step.as_ref().is_some_and(|mine| {
            mend::brings_what_is_said(mine, &self.hints, step, &self.error)
                || mend::supplies(mine, &self.roots, &self.hints, step, "")
        })
    }

    /// Whether a move that succeeded supplied what was missing.
    pub fn is_mended_by(&self, moved: &Move, output: &str) -> bool {
        let (Move::Command(command), Some(step)) = (moved, &self.step) else { return false };
        if command
            .proven()
            .iter()
            .any(|proven| mend::brings_what_is_said(step, &self.hints, proven, &self.error))
        {
            return true;
        }
        command.started().any(|started| mend::is_served_by(step, &self.roots, &self.hints, started))
            || command.proven().iter().any(|proven| {
                mend::mends(step, &self.roots, &self.hints, proven, output)
                    || proven.remote().is_some_and(|remote| {
                        remote
                            .proven()
                            .iter()
                            .any(|there| mend::supplies(step, &self.roots, &self.hints, there, output))
                    })
            })
    }
}
