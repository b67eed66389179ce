//! A change, as people read it: lines that go and lines that come, with a few around them.

/// Lines around a change.
const AROUND: usize = 3;
/// Cells of the table beyond which the whole file is shown as changed.
const MOST_CELLS: usize = 4_000_000;

/// What changed from one text to another, in the form of `diff -u` without its heads.
pub(crate) fn diff(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let lines = edits(&old, &new);
    let changed = |at: usize| lines[at].0 != ' ';
    let near = |at: usize| (at.saturating_sub(AROUND)..(at + AROUND + 1).min(lines.len())).any(changed);
    let mut out = Vec::new();
    let mut skipped = false;
    for (at, (mark, line)) in lines.iter().enumerate() {
        if near(at) {
            if skipped && !out.is_empty() {
                out.push("  …".to_owned());
            }
            out.push(format!("{mark} {line}").trim_end().to_owned());
        }
        skipped = !near(at);
    }
    out
}

/// Both texts as one list of lines: kept, gone, new.
fn edits<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let width = new.len() + 1;
    if (old.len() + 1).saturating_mul(width) > MOST_CELLS {
        let gone = old.iter().map(|line| ('-', *line));
        return gone.chain(new.iter().map(|line| ('+', *line))).collect();
    }
    // How many lines two ends have in common, longest way.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len()
            && (j == new.len() || common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_shown_with_a_few_lines_around() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9";
        let after = "1\n2\n3\n4\n5\n6\n7\n8,\nnew\n9";
        assert_eq!(diff(before, after), ["  5", "  6", "  7", "- 8", "+ 8,", "+ new", "  9"]);
        assert_eq!(diff("", "a\n"), ["+ a"]);
        assert!(diff("a\n", "a\n").is_empty());
    }
}
