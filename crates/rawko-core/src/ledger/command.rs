//! A whole command line in normal form: its steps, what its exit code proves, and the keys it is known by.

use super::place::{At, inside, join, written_out};
use super::shell::{self, Join, Simple, assignment};
use super::step::{Step, shell_text};

/// Programs that show less or more of what is piped into them.
const VIEWERS: &[&str] = &["tail", "head", "cat", "less", "more", "tee", "bat", "column", "nl", "ts", "cut"];

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// As it was given.
    pub text: String,
    /// Where it was started, relative to the root (or absolute, outside).
    pub folder: String,
    runs: Vec<Run>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    join: Join,
    steps: Vec<Step>,
    /// Whether viewers were cut off its end: then its exit code proves nothing.
    masked: bool,
    /// It was left to run.
    background: bool,
}

impl Command {
    /// Understands a command line.
    pub fn of(text: &str, at: At<'_>) -> Self {
        let start = inside(at, "", at.cwd).unwrap_or_else(|| at.cwd.to_owned());
        let mut reader = Reader { at, folder: start.clone(), env: Vec::new(), runs: Vec::new() };
        reader.read(text, Join::First, 0);
        let mut runs = reader.runs;
        if let Some(first) = runs.first_mut() {
            first.join = Join::First;
        }
        Self { text: text.to_owned(), folder: start, runs }
    }

    /// All its steps, in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.runs.iter().flat_map(|run| &run.steps)
    }

    /// The step whose exit code is the command's, where one can tell.
    pub(super) fn last(&self) -> Option<&Step> {
        self.runs.last().filter(|run| !run.masked).and_then(|run| run.steps.last())
    }

    /// The one step that it comes down to: all before it only look, and nothing follows.
    pub(super) fn main(&self) -> Option<&Step> {
        let idle = |step: &Step| step.only_looks() || step.only_ends();
        let mut doing = self.runs.iter().filter(|run| !run.steps.iter().all(idle));
        let run = doing.next().or(self.runs.first().filter(|_| self.runs.len() == 1))?;
        (doing.next().is_none() && run.steps.len() == 1).then(|| &run.steps[0])
    }

    /// The step that an error speaks of: the one that it comes down to, or the one of several whose words the error has.
    pub(super) fn blamed(&self, error: &str) -> Option<&Step> {
        let lower = error.to_lowercase();
        let said = |word: &str| {
            let ends = |c: char| !c.is_alphanumeric() && !"-_./".contains(c);
            word.len() > 2
                && lower.split(ends).any(|other| other.trim_end_matches('.') == word.to_lowercase())
        };
        let told = |step: &Step| {
            let words = step.words.iter().chain(&step.sub).chain([&step.program]);
            words.filter(|word| said(word)).count()
        };
        let mut steps: Vec<(usize, &Step)> = self.reached().map(|step| (told(step), step)).collect();
        steps.sort_by_key(|(told, _)| std::cmp::Reverse(*told));
        let sure = match steps.as_slice() {
            [(most, step), (next, _), ..] if most > next => Some(*step),
            _ => None,
        };
        self.main().or(sure)
    }

    /// The steps that are sure to run one after another, unless one before fails; not those that only look.
    pub(super) fn reached(&self) -> impl Iterator<Item = &Step> {
        let sure = self.runs.iter().take_while(|run| run.join != Join::Or);
        let doing = sure.filter(|run| !run.steps.iter().all(Step::only_looks));
        doing.take_while(|run| run.steps.len() == 1).map(|run| &run.steps[0])
    }

    /// Of these, the ones that meet what was there before the command: all before them leave it as it is.
    pub(super) fn meets(&self, mends: &dyn Fn(&Step) -> bool) -> Vec<&Step> {
        let mut met = Vec::new();
        for step in self.reached() {
            met.push(step);
            if !step.leaves_all() || mends(step) {
                break;
            }
        }
        if met.is_empty() { self.last().into_iter().collect() } else { met }
    }

    /// The steps that have succeeded where the command has.
    pub(super) fn proven(&self) -> Vec<&Step> {
        let mut proven = Vec::new();
        for (n, run) in self.runs.iter().enumerate().rev() {
            if run.join == Join::Or && n > 0 {
                break;
            }
            // A pipe's exit code is the last program's: it is the proof of that one alone.
            proven.extend(run.steps.last().filter(|_| !run.masked && !run.background));
            if run.join != Join::And {
                break;
            }
        }
        proven
    }

    /// The steps that it leaves to run: whether they do well, nobody knows, but they were started.
    pub(super) fn started(&self) -> impl Iterator<Item = &Step> {
        self.runs.iter().filter(|run| run.background).filter_map(|run| run.steps.last())
    }

    /// Whether it ends in a way that its exit code says nothing about what failed before.
    pub(super) fn is_masked(&self) -> bool {
        self.runs.last().is_some_and(|run| run.masked || run.join == Join::Or)
    }

    /// The one step as it would be written with the package named, or in the package's own folder.
    pub(super) fn aliases(&self, name: &str, folder: &str, module: Option<&str>) -> Vec<String> {
        let Some(step) = self.main() else { return Vec::new() };
        let mut found = Vec::new();
        for flag in step.tool().package {
            let with = format!("{flag}={name}");
            let mut other = step.clone();
            if step.flags.contains(&with) {
                other.flags.retain(|flag| *flag != with);
                other.folder = folder.to_owned();
            } else if step.folder == folder && !folder.is_empty() {
                other.flags.push(with);
                other.folder = String::new();
            } else {
                continue;
            }
            found.push(other.key());
        }
        if let Some(module) = module {
            // `./a/b` is `module/a/b`.
            let mut other = step.clone();
            for word in &mut other.words {
                *word = match word.strip_prefix(module).and_then(|rest| rest.strip_prefix('/')) {
                    Some(rest) => rest.to_owned(),
                    None if word.contains('/') => format!("{module}/{word}"),
                    None => word.clone(),
                };
            }
            found.push(other.key());
        }
        found
    }

    /// What the same command shares with this one.
    pub(super) fn key(&self) -> String {
        if let Some(step) = self.main() {
            return step.key();
        }
        if self.runs.is_empty() {
            let words: Vec<&str> = self.text.split_whitespace().collect();
            return format!("{}\0{}", self.folder, words.join(" "));
        }
        let runs = self.runs.iter().map(|run| {
            let steps: Vec<String> = run.steps.iter().map(Step::key).collect();
            format!("{:?}\u{2}{}", run.join, steps.join("\u{3}"))
        });
        runs.collect::<Vec<_>>().join("\u{4}")
    }
}

/// Most shells within one another.
const MOST_SHELLS: usize = 3;

/// Reads a command line from left to right: where it is, and what is set.
struct Reader<'a> {
    at: At<'a>,
    folder: String,
    env: Vec<(String, String)>,
    runs: Vec<Run>,
}

impl Reader<'_> {
    fn read(&mut self, text: &str, first: Join, depth: usize) {
        let mut scopes = Vec::new();
        for (n, pipeline) in shell::parse(text).unwrap_or_default().into_iter().enumerate() {
            let join = if n == 0 { first } else { pipeline.join };
            scopes.extend((0..pipeline.opens).map(|_| (self.folder.clone(), self.env.len())));
            self.pipeline(&pipeline.commands, join, depth);
            if let Some(last) = self.runs.last_mut().filter(|_| pipeline.background) {
                last.background = true;
            }
            for _ in 0..pipeline.closes {
                if let Some((folder, set)) = scopes.pop() {
                    self.folder = folder;
                    self.env.truncate(set);
                }
            }
        }
    }

    fn pipeline(&mut self, commands: &[Simple], join: Join, depth: usize) {
        // `cat x | y` is `y < x`.
        if let [first, second, rest @ ..] = commands
            && let [cat, path] = first.words.as_slice()
            && cat == "cat"
            && !VIEWERS.contains(&second.words.first().map_or("", String::as_str))
        {
            let mut second = second.clone();
            second.reads.push(path.clone());
            let commands: Vec<Simple> = std::iter::once(second).chain(rest.iter().cloned()).collect();
            return self.pipeline(&commands, join, depth);
        }
        let is_viewer =
            |simple: &Simple| simple.words.first().is_some_and(|word| VIEWERS.contains(&word.as_str()));
        if let Some((first, rest)) = commands.split_first()
            && rest.iter().all(is_viewer)
        {
            if rest.is_empty() && self.sets(first) {
                return;
            }
            // A shell that is given its command is that command.
            let inner = shell_text(&first.words).filter(|_| depth < MOST_SHELLS && first.reads.is_empty());
            if let Some(text) = inner.filter(|text| shell::parse(text).is_some()) {
                let (folder, set) = (self.folder.clone(), self.env.len());
                self.env.extend(first.env.iter().cloned());
                self.read(text, join, depth + 1);
                self.folder = folder;
                self.env.truncate(set);
                if let Some(last) = self.runs.last_mut() {
                    last.masked |= !rest.is_empty();
                }
                return;
            }
        }
        let with_env = |simple: &Simple| {
            let mut simple = simple.clone();
            simple.env.splice(..0, self.env.iter().cloned());
            let here = |word: &mut String| *word = written_out(self.at, &self.folder, word);
            let sets = simple.env.iter_mut().map(|(_, value)| value);
            sets.chain(&mut simple.words).chain(&mut simple.reads).chain(&mut simple.writes).for_each(here);
            simple
        };
        let mut steps: Vec<Step> =
            commands.iter().filter_map(|simple| Step::of(&with_env(simple), self.at, &self.folder)).collect();
        let all = steps.len();
        // What is only said into a file is written: `echo 1 | tee x`.
        let writes = |steps: &[Step]| {
            steps.len() == 2
                && steps[0].only_looks()
                && steps[1].program == "tee"
                && !steps[1].words.is_empty()
        };
        while steps.len() > 1
            && !writes(&steps)
            && steps.last().is_some_and(|step| VIEWERS.contains(&step.program.as_str()))
        {
            steps.pop();
        }
        if !steps.is_empty() {
            self.runs.push(Run { join, masked: steps.len() < all, steps, background: false });
        }
    }

    /// Whether a command only changes where or with what the next ones run.
    fn sets(&mut self, only: &Simple) -> bool {
        if let Some(next) = changed_folder(&only.words, self.at, &self.folder) {
            self.folder = next;
            return true;
        }
        let Some((first, rest)) = only.words.split_first() else { return false };
        let is_set =
            |word: &String| assignment(word).map(|(name, value)| (name.to_owned(), value.to_owned()));
        if first == "export" && !rest.is_empty() && rest.iter().all(|word| is_set(word).is_some()) {
            self.env.extend(rest.iter().filter_map(is_set));
            return true;
        }
        matches!(first.as_str(), "set" | "export" | "source" | "." | "unset" | "ulimit" | "popd" | "shopt")
            && only.words.len() <= 2
            && !only.words.iter().any(|word| word.contains('='))
    }
}

/// The folder after a `cd`.
fn changed_folder(words: &[String], at: At<'_>, folder: &str) -> Option<String> {
    let [program, to] = words else { return None };
    let to = &written_out(at, folder, to);
    if !matches!(program.as_str(), "cd" | "pushd") {
        return None;
    }
    Some(inside(at, folder, to).unwrap_or_else(|| {
        if to.starts_with('/') { to.clone() } else { join(folder, to).unwrap_or_else(|| to.clone()) }
    }))
}
