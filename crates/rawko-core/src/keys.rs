//! Which field of ours a key was meant to be.

use crate::frontmatter::FIELDS;

/// The field that a key is nearly, or begins, of those that `may` be meant.
pub(crate) fn nearest(key: &str, may: impl Fn(&str) -> bool) -> Option<&'static str> {
    let key = squeezed(key);
    if let Some(field) = begun_by(&key) {
        return Some(field).filter(|field| may(field));
    }
    let far = |field: &str| distance(&key, &squeezed(field));
    let near = |field: &&str| may(field) && far(field) <= if field.len() < 6 { 1 } else { 2 };
    FIELDS.iter().copied().filter(near).min_by_key(|field| far(field))
}

/// The only field whose first word this is, as `when` of `whenToUse`.
fn begun_by(key: &str) -> Option<&'static str> {
    let begins =
        |field: &&str| field.strip_prefix(key).is_some_and(|rest| rest.starts_with(char::is_uppercase));
    let mut begun = FIELDS.iter().copied().filter(begins);
    begun.next().filter(|_| begun.next().is_none())
}

/// `when_to_use`, `When-To-Use` and `whenToUse` are one.
fn squeezed(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How many letters must be added, taken away, changed or swapped with their neighbour to make one word the other.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(40).collect(), b.chars().take(40).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swapped = if swapped { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                changed.min(swapped).min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_nearest_field_or_none() {
        let nearest = |key| nearest(key, |_| true);
        for (key, field) in [("titl", "title"), ("when_to_use", "whenToUse"), ("importence", "importance")] {
            assert_eq!(nearest(key), Some(field));
        }
        for (key, field) in [("Tags", "tags"), ("tag", "tags"), ("discovered_by", "discoveredBy")] {
            assert_eq!(nearest(key), Some(field));
        }
        assert_eq!((nearest("when"), nearest("Related")), (Some("whenToUse"), Some("relatedMemories")));
        for key in ["team", "owner", "date", "name", "description", "should"] {
            assert_eq!(nearest(key), None);
        }
    }
}
