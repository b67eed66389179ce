//! A document cut at its headings.

use super::{ImportItem, Parsed, spaced, stem};
use crate::fence::{Fence, Unclosed};

/// A heading with what stands below it, up to the next one.
pub(super) struct Section<'t> {
    /// The heading above it, where there is one.
    pub(super) parent: Option<&'t str>,
    /// Its heading; `None` for what stands above the first.
    pub(super) heading: Option<&'t str>,
    /// How deep the heading is, from 1; 0 where there is none.
    pub(super) level: usize,
    /// The line of the heading, from 1.
    pub(super) line: usize,
    pub(super) body: String,
}

/// Cuts at headings of at most this level; deeper ones stay in the text. Code is no heading.
pub(super) fn cut(text: &str, deepest: usize) -> Vec<Section<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = vec![Section { parent: None, heading: None, level: 0, line: 1, body: String::new() }];
    let mut above: Vec<(usize, &str)> = Vec::new();
    let (mut fence, mut unclosed) = (None::<Fence>, Unclosed::default());
    for (n, &line) in lines.iter().enumerate() {
        match fence {
            Some(open) if open.closed_by(line) => fence = None,
            Some(_) => {}
            None => {
                fence = Fence::opened_by(line)
                    .filter(|&open| unclosed.is_closed(open, lines[n + 1..].iter().copied()));
                if let Some((level, heading)) = heading(line).filter(|(level, _)| *level <= deepest) {
                    above.retain(|(above, _)| *above < level);
                    let parent = above.last().map(|(_, heading)| *heading);
                    above.push((level, heading));
                    found.push(Section {
                        parent,
                        heading: Some(heading),
                        level,
                        line: n + 1,
                        body: String::new(),
                    });
                    continue;
                }
            }
        }
        if let Some(section) = found.last_mut() {
            section.body.push_str(line);
            section.body.push('\n');
        }
    }
    found
}

/// Names the headings that have nothing below them, neither text nor a deeper heading; `first` is the line of the text's first.
pub(super) fn name_empty(sections: &[Section<'_>], first: usize, parsed: &mut Parsed) {
    for (n, section) in sections.iter().enumerate() {
        let has_below = sections.get(n + 1).is_some_and(|next| next.level > section.level);
        if let Some(heading) = section.heading.filter(|_| section.is_empty() && !has_below) {
            parsed.skip(first + section.line - 1, heading, "it says nothing");
        }
    }
}

/// The level and the words of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|&c| c == '#').count();
    let words = line.get(level..)?.strip_prefix([' ', '\t'])?.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !words.is_empty()).then_some((level, words))
}

impl Section<'_> {
    /// The section as an item: titled by its heading and the one above, or by the file.
    pub(super) fn item(&self, path: &str, first: usize) -> ImportItem {
        let heading = self.heading.map(str::to_owned);
        let name = heading.clone().unwrap_or_else(|| "(beginning)".to_owned());
        let title = match (self.parent, heading) {
            (Some(parent), Some(heading)) => format!("{parent}: {heading}"),
            (None, Some(heading)) => heading,
            (_, None) => spaced(stem(path)),
        };
        ImportItem::new(name, first + self.line - 1, &title, self.body.as_str())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.body.trim().is_empty()
    }
}
