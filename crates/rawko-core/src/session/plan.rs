//! A plan as an agent says it, as steps.

use super::files::Step;

/// Most steps of a plan that are read from words.
const STEPS: usize = 50;
/// Most characters of a step.
const LONGEST: usize = 900;

/// The steps that a text plans: its longest list of numbered lines, the last of several; where it has none, all of it
/// is one step.
pub fn steps_in(text: &str) -> Vec<Step> {
    let mut lists: Vec<Vec<&str>> = vec![Vec::new()];
    for (number, what) in text.lines().filter_map(numbered) {
        if number <= 1 {
            lists.push(Vec::new());
        }
        lists.last_mut().expect("there is always one").push(what);
    }
    let longest = lists.into_iter().max_by_key(Vec::len).filter(|list| !list.is_empty());
    let steps = longest.unwrap_or_else(|| vec![text.trim()]);
    let step = |what: &str| Step { description: super::prompt::cap_at(what, LONGEST), status: None };
    steps.into_iter().filter(|what| !what.is_empty()).take(STEPS).map(step).collect()
}

/// The number and the words of a line such as `2. Write the route`, `## 2) …` or `**Step 2:** …`; not of one that
/// stands within another.
fn numbered(line: &str) -> Option<(usize, &str)> {
    const MARKS: [char; 4] = ['#', '*', '_', ' '];
    if line.starts_with("  ") || line.starts_with('\t') {
        return None;
    }
    let bare = line.trim_start_matches(MARKS);
    let bare = bare.strip_prefix("Step ").unwrap_or(bare);
    let (number, rest) = bare.split_at(bare.find(|c: char| !c.is_ascii_digit())?);
    let what = rest.strip_prefix(['.', ')', ':'])?;
    let what = what.strip_prefix("**").unwrap_or(what).strip_prefix(' ')?;
    Some((number.parse().ok()?, what.trim_end_matches(MARKS).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<String> {
        steps_in(text).into_iter().map(|step| step.description).collect()
    }

    #[test]
    fn the_longest_numbered_list_is_the_plan() {
        let text = "I read:\n1. a.rs\n\n## Plan\n\n1. Write the route\n   1. in detail\n   more\n2) Test it\n\n**Step 3:** Ship it\n";
        assert_eq!(steps(text), ["Write the route", "Test it", "Ship it"]);
    }

    #[test]
    fn words_without_numbers_are_one_step() {
        assert_eq!(steps("Use argon2.\n- x in 1.5 hours"), ["Use argon2.\n- x in 1.5 hours"]);
        assert_eq!(steps(" \n"), Vec::<String>::new());
        assert_eq!(steps_in(&"1. x\n2. y\n".repeat(90)).len(), 2);
        assert!(steps(&"é".repeat(5_000))[0].chars().count() <= LONGEST + 1);
    }
}
