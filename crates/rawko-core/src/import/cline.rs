//! Cline's memory bank: six documents, a memory for each heading.

use super::sections::{cut, name_empty};
use super::{Parsed, stem};

pub(super) fn read(path: &str, text: &str) -> Parsed {
    let sections = cut(text, 6);
    let items = sections.iter().filter(|section| !section.is_empty()).map(|section| {
        let mut item = section.item(path, 1);
        item.tag(stem(path));
        item
    });
    let mut parsed = Parsed { items: items.collect(), ..Parsed::default() };
    name_empty(&sections, 1, &mut parsed);
    parsed
}
