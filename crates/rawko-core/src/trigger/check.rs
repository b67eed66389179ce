//! What `validate` says of triggers: patterns that do not work, examples that do not hold, how broad they are.
//!
//! Every problem names its remedy. None of them stops anything: a trigger with a problem still matches as it can.

use crate::entry::Trigger;
use crate::task::TaskContext;
use crate::trigger::pattern::{self, Refusal, has_regex_syntax, is_language};
use crate::trigger::{Compiled, Match, TaskText, Work, compile, path};

/// The strength from which a match alone speaks for its memory.
pub const USEFUL: f32 = 0.2;

/// What is wrong with a trigger and what to do about it, if anything.
pub fn problem(trigger: &Trigger) -> Option<String> {
    match trigger {
        Trigger::Text(text) | Trigger::Pattern(text) | Trigger::Command(text) | Trigger::Error(text) => {
            if pattern::trim(text).is_empty() {
                return Some(
                    "the trigger is empty and matches every task: say when the memory is needed".into(),
                );
            }
            pattern_problem(text)
        }
        Trigger::Path(glob) if pattern::trim(glob).is_empty() => {
            Some("the path is empty: name a file, a folder or a glob such as `src/**/*.rs`".into())
        }
        Trigger::Path(glob) if !path::is_balanced(glob) => Some(format!(
            "`{}` has a brace or bracket without its other half, which stands for itself: write `{{a,b}}`, or `*`",
            shown(glob)
        )),
        Trigger::Path(glob) => pattern::build(&path::to_regex(glob)).err().map(|_| {
            format!("`{}` is not a glob that can be used: write `*`, `?`, `**` or `{{a,b}}`", shown(glob))
        }),
    }
}

fn pattern_problem(text: &str) -> Option<String> {
    if pattern::trim(text).len() > 4096 {
        return Some("the trigger is longer than 4096 bytes: split it into several shorter ones".into());
    }
    let units = pattern::units(text);
    let written = units.iter().filter(|unit| !unit.fragment);
    for unit in written {
        if unit.literal.is_empty() {
            return Some(format!(
                "an alternative of `{}` is empty and matches every task: remove the `|`",
                shown(text)
            ));
        }
        if unit.source.contains("\\p") || unit.source.contains("\\P") {
            return Some(format!(
                "`{}` uses \\p, which is read as the letter p: list the letters",
                shown(text)
            ));
        }
        if unit.expressions.regex().is_some_and(|expression| expression.approximate) {
            return Some(format!(
                "`{}` looks around or back, which is left out here, so it matches more and counts little: \
                 write it without",
                shown(text)
            ));
        }
        let unused = unit.expressions.regex().is_none() && unit.expressions.glob().is_none();
        let sentence = is_language(&unit.source) && unit.source.contains(char::is_whitespace);
        if unused && has_regex_syntax(&unit.source) && !sentence {
            return Some(refused(&unit.source));
        }
    }
    None
}

fn refused(source: &str) -> String {
    match pattern::expression(source) {
        Err(Refusal::TooLarge) => format!(
            "`{}` is too large as a regular expression and is used as plain text: lower its repetition counts",
            shown(source)
        ),
        _ => format!(
            "`{}` is not a valid regular expression and is used as plain text: close its brackets, or put `\\` before \
             a character that is meant literally",
            shown(source)
        ),
    }
}

/// The beginning of a text, enough to recognise it.
fn shown(text: &str) -> String {
    let text = pattern::trim(text);
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Examples that do not hold: a `shouldFire` that no trigger takes with [`USEFUL`] strength, a
/// `shouldNotFire` that one does.
///
/// An example stands for whatever its triggers look at: a task, a command, an error or a file.
pub fn examples(triggers: &[Trigger], should_fire: &[String], should_not_fire: &[String]) -> Vec<String> {
    let compiled: Vec<Compiled> = triggers.iter().map(compile).collect();
    let mut problems = Vec::new();
    for example in should_fire {
        match strongest(&compiled, example) {
            Some(found) if found.strength >= USEFUL => {}
            Some(found) => problems.push(format!(
                "shouldFire `{}` is met only weakly, by `{}`: add a trigger with words of its own",
                shown(example),
                shown(&found.by)
            )),
            None => problems
                .push(format!("shouldFire `{}` is met by no trigger: add one that names it", shown(example))),
        }
    }
    for example in should_not_fire {
        if let Some(found) = strongest(&compiled, example).filter(|found| found.strength >= USEFUL) {
            problems.push(format!(
                "shouldNotFire `{}` is met by `{}`: make that trigger narrower",
                shown(example),
                shown(&found.by)
            ));
        }
    }
    problems
}

fn strongest(compiled: &[Compiled], example: &str) -> Option<Match> {
    let task = TaskContext {
        task: example.to_owned(),
        files: vec![example.to_owned()],
        command: example.to_owned(),
        error: example.to_owned(),
        ..TaskContext::default()
    };
    let (text, mut work) = (TaskText::new(&task), Work::default());
    let found = compiled.iter().filter_map(|trigger| trigger.matches_text(&text, None, &mut work));
    found.max_by(|a, b| a.strength.total_cmp(&b.strength))
}

/// The share of past tasks that a trigger matches; `None` where it matches none.
pub fn breadth<'a>(trigger: &Trigger, tasks: impl IntoIterator<Item = &'a TaskText>) -> Option<f32> {
    let compiled = compile(trigger);
    let (mut met, mut all) = (0_u16, 0_u16);
    for task in tasks.into_iter().take(usize::from(u16::MAX)) {
        all += 1;
        met += u16::from(compiled.matches_text(task, None, &mut Work::default()).is_some());
    }
    (met > 0).then(|| f32::from(met) / f32::from(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pattern: &str) -> Trigger {
        Trigger::Text(pattern.to_owned())
    }

    #[test]
    fn triggers_that_work_have_no_problem() {
        for pattern in
            ["auth|login", "implement.*auth", "How is it treated?", "*.rs", "c++", "rg\\.1", "Is (it) so?"]
        {
            assert_eq!(problem(&text(pattern)), None, "{pattern}");
        }
        assert_eq!(problem(&Trigger::Path("src/**/*.{a,b}".into())), None);
    }

    #[test]
    fn each_problem_names_its_remedy() {
        for (pattern, remedy) in [
            ("", "say when"),
            ("auth|", "remove the `|`"),
            ("fo(o", "close its brackets"),
            ("[z-a]", "close its brackets"),
            ("a{1000}{1000}", "lower its repetition"),
            ("(?<!a)b", "write it without"),
            (r"(\w)\1", "write it without"),
            (r"\p{L}+", "list the letters"),
        ] {
            let problem = problem(&text(pattern)).unwrap_or_else(|| panic!("{pattern} has a problem"));
            assert!(problem.contains(remedy), "{pattern}: {problem}");
        }
    }

    #[test]
    fn examples_are_tests_of_the_triggers() {
        let triggers = [text("oauth|social.*login"), Trigger::Command("git push.*--force".into())];
        let fire =
            ["Add OAuth2 to the API".to_owned(), "git push origin --force".into(), "Rename a file".into()];
        let not = ["Social distancing page".to_owned(), "Fix oauth".into()];
        let problems = examples(&triggers, &fire, &not);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("Rename a file") && problems[1].contains("Fix oauth"));
    }

    #[test]
    fn breadth_tells_nothing_from_everything() {
        let tasks: Vec<TaskText> = ["fix the parser", "fix the cache", "add a flag"]
            .map(|t| TaskText::new(&TaskContext::of(t)))
            .into();
        assert_eq!(breadth(&text("jemalloc"), &tasks), None);
        assert_eq!(breadth(&text(".*"), &tasks), Some(1.0));
        assert!(breadth(&text("fix|bug"), &tasks).is_some_and(|share| (0.6..0.7).contains(&share)));
    }
}
