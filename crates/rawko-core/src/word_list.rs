//! Lists of words that are asked about every word of a text.

/// Places in the table; a power of two, and a few times as many as any list has words.
const PLACES: usize = 1024;

/// Words written in one text, between spaces; found by a table that the compiler makes.
#[derive(Debug)]
pub(crate) struct WordList {
    text: &'static str,
    /// Where a word begins, counted from 1; 0 where there is none.
    places: [u16; PLACES],
}

impl WordList {
    /// The words of a text that begins with a space and ends with one.
    pub(crate) const fn of(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        let mut places = [0; PLACES];
        let (mut start, mut at) = (0, 0);
        while at < bytes.len() {
            if bytes[at] == b' ' {
                if start < at {
                    let mut place = hash(bytes, start, at);
                    while places[place] != 0 {
                        place = (place + 1) % PLACES;
                    }
                    places[place] = start as u16 + 1;
                }
                start = at + 1;
            }
            at += 1;
        }
        Self { text, places }
    }

    /// Whether the list has a word.
    pub(crate) fn has(&self, word: &str) -> bool {
        let mut place = hash(word.as_bytes(), 0, word.len());
        while let Some(start) = usize::from(self.places[place]).checked_sub(1) {
            if self.text[start..].strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')) {
                return true;
            }
            place = (place + 1) % PLACES;
        }
        false
    }
}

/// FNV-1a of some bytes, as a place.
const fn hash(bytes: &[u8], from: usize, to: usize) -> usize {
    let (mut hash, mut at) = (0x811c_9dc5_u32, from);
    while at < to {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ (hash >> 16)) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_and_no_other() {
        const LIST: WordList = WordList::of(" a about don't über   zoo ");
        assert!(["a", "about", "don't", "über", "zoo"].iter().all(|word| LIST.has(word)));
        assert!(!["", " ", "ab", "abou", "aboutz", "a about", "zoo ", "x"].iter().any(|word| LIST.has(word)));
    }
}
