//! A proposal as the sentence encoder hears it: beside the run that it comes from, and beside a memory.
//!
//! What is proposed is heard without the names in it: in what manner somebody speaks is no matter of what they
//! speak of, and names are most of what tells two authors apart. Every part is encoded once, and only for who asks:
//! at most a dozen short texts for one proposal.

use std::cell::OnceCell;

use super::read::{Sentence, Span, bare, is_particular, spans};
use crate::encoder::SentenceEncoder;
use crate::linear::Encoded;

/// Bytes of a text and of a sentence that are heard: what the encoder has places for, and what a hook can wait for.
const TEXT: usize = 1_600;
const SENTENCE: usize = 600;
/// What stands in the place of a name.
const NAME: &str = "it";

/// What the encoder makes of a text; nothing where it cannot read it.
type Heard = OnceCell<Option<Vec<f32>>>;

/// A proposal as the sentence encoder hears it.
pub(crate) struct Voice<'c> {
    encoder: SentenceEncoder,
    title: &'c str,
    text: &'c str,
    heard_title: Heard,
    heard_whole: Heard,
    heard_body: Heard,
}

impl<'c> Voice<'c> {
    pub(crate) fn of(title: &'c str, text: &'c str) -> Self {
        let encoder = SentenceEncoder::built_in();
        let (heard_title, heard_whole, heard_body) = Default::default();
        Self { encoder, title, text, heard_title, heard_whole, heard_body }
    }

    /// How it speaks, and how the run does where it comes nearest to it; nothing without a run.
    pub(super) fn within(&self, run: &[Sentence]) -> Option<Encoded> {
        let body = self.body()?.to_vec();
        let heard: Vec<Vec<f32>> =
            run.iter().filter_map(|sentence| self.hear(&sentence.text, SENTENCE)).collect();
        let mut mean = vec![0.0; heard.first()?.len()];
        for vector in &heard {
            mean.iter_mut().zip(vector).for_each(|(mean, x)| *mean += x / heard.len() as f32);
        }
        Some(Encoded { values: Vec::new(), vectors: vec![("body", body), ("run", mean)] })
    }

    /// How it speaks, and how near it is to a memory.
    pub(crate) fn beside(&self, title: &str, text: &str) -> Option<Encoded> {
        let body = self.body()?.to_vec();
        let whole = self.heard_whole.get_or_init(|| self.hear(&whole(self.title, self.text), TEXT));
        let own = self.heard_title.get_or_init(|| self.hear(self.title, SENTENCE));
        let alike = |one: &Option<Vec<f32>>, other: Option<Vec<f32>>| -> Option<f32> {
            Some(one.as_ref()?.iter().zip(other?).map(|(a, b)| a * b).sum())
        };
        let values = vec![
            ("alike", alike(whole, self.hear(&self::whole(title, text), TEXT))?),
            ("entitled-alike", alike(own, self.hear(title, SENTENCE)).unwrap_or_default()),
        ];
        Some(Encoded { values, vectors: vec![("body", body)] })
    }

    fn body(&self) -> Option<&[f32]> {
        self.heard_body.get_or_init(|| self.hear(&without_names(cut(self.text, TEXT)), TEXT)).as_deref()
    }

    fn hear(&self, text: &str, most: usize) -> Option<Vec<f32>> {
        self.encoder.encode(cut(text, most))
    }
}

fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn whole(title: &str, text: &str) -> String {
    format!("{title}. {text}")
}

/// A text with one word in the place of everything particular in it.
fn without_names(text: &str) -> String {
    let mut plain = String::new();
    for span in spans(text) {
        let prose = match span {
            Span::Code(_) => {
                plain.push_str(NAME);
                continue;
            }
            Span::Prose(prose) => prose,
        };
        for word in prose.split_inclusive(char::is_whitespace) {
            let is_name = is_particular(bare(word));
            let end = word.trim_end_matches(|c: char| c.is_whitespace() || ".,;:!?)".contains(c)).len();
            plain.push_str(if is_name { NAME } else { &word[..end] });
            plain.push_str(&word[end..]);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::read::sentences_of;

    #[test]
    fn names_are_not_heard() {
        assert_eq!(
            without_names("Run `make up` first, then see src/main.rs; port 8080 is taken."),
            "Run it first, then see it; port it is taken."
        );
        let body = |text| Voice::of("", text).body().map(<[f32]>::to_vec);
        assert_eq!(body("`a.rs` waits for `b.rs`."), body("`queue::pop` waits for `3306`."));
    }

    #[test]
    fn what_is_said_in_other_words_is_alike() {
        let voice = Voice::of("Double charges", "Without a request key a retry charges twice.");
        let alike = |title, text| voice.beside(title, text).expect("heard").values[0].1;
        let near = alike("Billing", "A customer is billed two times where a call is repeated.");
        let far = alike("Tests", "The integration tests need Redis on their own machine.");
        assert!(near > far + 0.2, "{near} {far}");
    }

    #[test]
    fn what_cannot_be_read_and_what_has_no_run_is_not_heard() {
        let run = sentences_of("The retry was charged twice.");
        assert!(Voice::of("Сборка", "Он сломал сборку вчера.").within(&run).is_none());
        assert!(Voice::of("Сборка", "Он сломал сборку вчера.").beside("Build", "The build broke.").is_none());
        let voice = Voice::of("Retries", "A retry is charged twice.");
        assert!(voice.within(&[]).is_none());
        assert!(voice.within(&sentences_of("Он сломал сборку вчера.")).is_none());
        assert!(voice.beside("Сборка", "Он сломал сборку вчера.").is_none());
        assert!(voice.within(&run).is_some() && voice.beside("Build", "The build broke.").is_some());
    }
}
