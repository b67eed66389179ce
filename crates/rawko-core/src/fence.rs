//! Code fences: where Markdown shows text as it is.
//!
//! A fence hides `---` lines and markup from whoever looks for them, so every
//! reader of bodies must agree on where one starts and ends.

/// An open code fence: at least three backticks or tildes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// The fence that a line (without its line end) opens.
    pub(crate) fn opened_by(line: &str) -> Option<Self> {
        let rest = unindented(line)?;
        let mark = rest.chars().next().filter(|&c| c == '`' || c == '~')?;
        let length = run(rest, mark);
        // Backticks after backticks are code within a line of text.
        (length >= 3 && !(mark == '`' && rest[length..].contains('`'))).then_some(Self { mark, length })
    }

    /// The line that closes this fence.
    pub(crate) fn closing(&self) -> String {
        self.mark.to_string().repeat(self.length)
    }

    /// Whether a line closes this fence: the same mark, as long or longer, and nothing else.
    pub(crate) fn closed_by(&self, line: &str) -> bool {
        unindented(line).is_some_and(|rest| {
            let length = run(rest, self.mark);
            length >= self.length && rest[length..].trim_matches([' ', '\t', '\r']).is_empty()
        })
    }
}

/// Which fences nothing below closes; it keeps the search for their ends linear.
#[derive(Default)]
pub(crate) struct Unclosed {
    shortest: [Option<usize>; 2],
}

impl Unclosed {
    /// Whether one of the lines below closes the fence; ask from top to bottom.
    pub(crate) fn is_closed<'a>(&mut self, fence: Fence, mut below: impl Iterator<Item = &'a str>) -> bool {
        let shortest = &mut self.shortest[usize::from(fence.mark == '~')];
        if shortest.is_some_and(|length| fence.length >= length) {
            return false;
        }
        let closed = below.any(|line| fence.closed_by(line));
        if !closed {
            *shortest = Some(fence.length);
        }
        closed
    }
}

fn unindented(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len() <= 3).then_some(rest)
}

fn run(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_closes_with_its_own_mark_at_least_as_long_and_alone() {
        let fence = Fence::opened_by("  ~~~~ yaml").unwrap();
        assert!(fence.closed_by("~~~~~  "));
        for line in ["~~~", "````", "~~~~ yaml", "    ~~~~", ""] {
            assert!(!fence.closed_by(line), "{line:?}");
        }
    }

    #[test]
    fn code_within_a_line_and_indented_code_open_no_fence() {
        for line in ["``` a `b`", "    ```", "``", "a ```", "\t```"] {
            assert_eq!(Fence::opened_by(line), None, "{line:?}");
        }
    }
}
