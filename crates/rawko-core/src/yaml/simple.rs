//! Frontmatter in its simplest form, as nearly all of it is: read without a YAML parser, which takes most of the time.
//!
//! `key: value` lines and lists of one item a line, where a value is plain ASCII without any sign that means
//! something, or stands in double quotes without an escape. Whatever is not surely that is left to the parser; a test
//! holds the two to the same answer.

use super::{Field, Node, Yaml};

/// Lines beyond which the parser's own limits decide.
const MOST_LINES: usize = 200;
/// The parser takes no key of over a thousand letters; nobody writes half of that.
const LONGEST_KEY: usize = 100;

/// The fields of a text of the simplest form; `None` for every other.
pub(super) fn fields(text: &str) -> Option<Vec<Field>> {
    let text = text.strip_suffix('\n')?;
    let mut fields: Vec<Field> = Vec::new();
    for (n, line) in text.split('\n').enumerate() {
        let number = n + 1;
        if number > MOST_LINES {
            return None;
        }
        if let Some(item) = line.strip_prefix("  - ") {
            let item = node(number, 5, scalar(item)?);
            let list = &mut fields.last_mut()?.value;
            let Yaml::List(items) = &mut list.yaml else { return None };
            if items.is_empty() {
                (list.line, list.column) = (number, 3);
            }
            list.end = number;
            items.push(item);
            continue;
        }
        if fields.last().is_some_and(is_empty_list) {
            return None;
        }
        let (key, rest) = line.split_once(':')?;
        let is_key = key.len() <= LONGEST_KEY
            && key.starts_with(|c: char| c.is_ascii_alphabetic())
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_key || fields.iter().any(|field| field.key == key) {
            return None;
        }
        let yaml = if rest.is_empty() { Yaml::List(Vec::new()) } else { scalar(rest.strip_prefix(' ')?)? };
        let value = node(number, key.len() + 3, yaml);
        fields.push(Field { key: key.to_owned(), line: number, column: 1, value });
    }
    (!fields.last().is_some_and(is_empty_list)).then_some(fields)
}

fn node(line: usize, column: usize, yaml: Yaml) -> Node {
    Node { line, column, end: line, flow: false, yaml }
}

fn is_empty_list(field: &Field) -> bool {
    matches!(&field.value.yaml, Yaml::List(items) if items.is_empty())
}

/// A text that means nothing but itself.
fn scalar(text: &str) -> Option<Yaml> {
    if let Some(quoted) = text.strip_prefix('"') {
        let text = quoted.strip_suffix('"')?;
        let is_literal = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
        let text = text.bytes().all(is_literal).then(|| text.to_owned())?;
        return Some(Yaml::Scalar { text, plain: false });
    }
    let bytes = text.as_bytes();
    // A colon before a letter or a digit ends no key: `10:30`.
    let is_plain = |(at, byte): (usize, &u8)| match byte {
        b':' => bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
        byte => byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'.' | b'/' | b'-'),
    };
    let is_plain = bytes.first()?.is_ascii_alphanumeric()
        && !text.ends_with(' ')
        && bytes.iter().enumerate().all(is_plain);
    is_plain.then(|| Yaml::Scalar { text: text.to_owned(), plain: true })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml::{FRONTMATTER, document};

    /// What the parser reads; `None` where it finds a fault.
    fn parsed(text: &str) -> Option<Vec<Field>> {
        match document(text, &FRONTMATTER).ok()??.yaml {
            Yaml::Map(fields) => Some(fields),
            _ => None,
        }
    }

    #[test]
    fn what_rawko_writes_is_of_the_simplest_form() {
        let text = "title: \"Deploys run: from #1\"\nwhenToUse:\n  - \"deploy|release\"\n  - When it fails\n\
                    importance: high\ndiscoveredAt: 2026-11-17T05:49:43.589Z\ndiscoveredBy: mara\n";
        assert_eq!(fields(text), parsed(text));
        assert!(fields(text).is_some());
    }

    #[test]
    fn what_means_something_is_left_to_the_parser() {
        for line in [
            "a: b: c",
            "a: b #c",
            "a: b:",
            "a: [b]",
            "a: {b: c}",
            "a: &b c",
            "a: *b",
            "a: !b",
            "a: |",
            "a: 'b'",
            "a: b ",
            "a:  b",
            "a: \"b\\n\"",
            "a: \"b\" c",
            "a: ",
            "a:",
            "a:b",
            "? a",
            "a b: c",
            "- a",
            "---",
            "...",
            "%YAML 1.2",
            "a: -",
            "a: - b",
            "a: \u{e9}",
            "a: \"\u{2028}\"",
            "a: b\r",
            "a: b\n  c",
            "a: b\n  - c",
            "a:\n- b",
            "a:\n  - b: c",
            "a:\n  -b",
            "a:\n\n  - b",
            "a: b\na: c",
            " a: b",
            "a: b\n\nc: d",
            "<<: a",
            "a: \"b\n",
            "a: \tb",
            "a: ~",
            "a: @b",
            "a: `b`",
        ] {
            assert_eq!(fields(&format!("{line}\n")), None, "{line}");
        }
        assert_eq!(fields("a: b"), None);
        assert_eq!(fields(""), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Wherever the simple form is seen, the parser reads the same, to the column.
        #[test]
        fn the_parser_reads_the_same(
            lines in prop::collection::vec(
                prop_oneof![
                    8 => "(title|whenToUse|[a-d][0-9]?): ([a-z0-9][a-zA-Z0-9 _./:\\-]{0,9}|\"[ -~]{0,9}\")",
                    2 => "(title|whenToUse|[a-d]):",
                    8 => "  - ([a-z0-9][a-zA-Z0-9 _./:\\-]{0,9}|\"[ -~]{0,9}\"|null|true|10:30)",
                    1 => "( |  |  - |- |title|a|-|#|\"){0,2}(|:|: |:  | |: \"|: -|: \\[)[a-z0-9 :#,~]{0,6}(|\"| |\r|:)",
                ],
                1..6,
            )
        ) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            if let Some(fields) = fields(&text) {
                prop_assert_eq!(Some(fields), parsed(&text), "{}", text);
            }
        }
    }
}
