//! Which field of ours a key was meant to be.

use crate::frontmatter::FIELDS;

/// The field that a key is nearly, of those that `may` be meant.
pub(crate) fn nearest(key: &str, may: impl Fn(&str) -> bool) -> Option<&'static str> {
    let key = squeezed(key);
    let far = |field: &str| distance(&key, &squeezed(field));
    let near = |field: &&str| may(field) && far(field) <= if field.len() < 6 { 1 } else { 2 };
    FIELDS.iter().copied().filter(near).min_by_key(|field| far(field))
}

/// `when_to_use`, `When-To-Use` and `whenToUse` are one.
fn squeezed(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How many letters must be added, taken away, changed or swapped with their neighbour to make one word the other.
pub(crate) fn distance(a: &str, b: &str) -> usize {
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
        for key in ["team", "owner", "date", "name", "description"] {
            assert_eq!(nearest(key), None);
        }
    }
}
