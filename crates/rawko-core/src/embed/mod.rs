//! What a text is about, as 256 numbers: the embedding of the hot path.
//!
//! A sentence vector is the sum of its tokens' rows in a table that was
//! distilled from a sentence encoder and lies in the program itself (see
//! `model/` at the root of the repository for how it is made). The weight of a
//! token is in the length of its row, so rare words count and `the` does not.
//! Nothing is loaded, downloaded or built: the first vector of a process costs
//! the pages of the table that it touches.
//!
//! The order of words does not count, and a long text drowns in its own
//! average: embed [`passages`] and take the best of them.

mod passage;
mod table;
mod wordpiece;

use std::borrow::Cow;
use std::fmt;

pub use self::passage::passages;
use self::table::Table;
pub use self::table::TableError;

/// Numbers in a [`Vector`].
pub const DIMS: usize = 256;

static BUILT_IN: &[u8] = include_bytes!("../../model/static.bin");

/// Turns texts into vectors with one token table.
#[derive(Clone, Copy)]
pub struct Embedder<'a> {
    table: Table<'a>,
}

impl Embedder<'static> {
    /// The embedder over the table in the program.
    pub fn built_in() -> Self {
        Self::read(BUILT_IN).expect("the table in the program is whole: a test reads it")
    }
}

impl<'a> Embedder<'a> {
    /// An embedder over a table in memory, in the format that `model/distill.py` writes.
    pub fn read(bytes: &'a [u8]) -> Result<Self, TableError> {
        Table::read(bytes).map(|table| Self { table })
    }

    /// Names the table: vectors of different ids cannot be compared, so stored vectors carry it.
    pub fn model_id(&self) -> u64 {
        self.table.id()
    }

    /// How many tokens the table has.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.table.count()
    }

    /// Whether the table has a word whole, as one that people use often; of others it knows only how they are spelt.
    pub(crate) fn knows(&self, word: &str) -> bool {
        let mut pieces = Vec::new();
        wordpiece::tokens(&self.table, word, |row, _| pieces.push(row));
        matches!(pieces.as_slice(), [Some(_)])
    }

    /// The vector of `text`; zero where it has no known word.
    ///
    /// The encoder learned English. Of another alphabet it knows the letters, which tell that a text is written
    /// in it and not what it says: two such texts would be alike, whatever they are about.
    pub fn embed(&self, text: &str) -> Vector {
        Vector::in_direction(&self.sum(text))
    }

    /// The vector of `text`, and how much it says: rare words weigh more than common ones, unknown ones nothing.
    pub fn weigh(&self, text: &str) -> (Vector, f32) {
        let sum = self.sum(text);
        (Vector::in_direction(&sum), sum.iter().map(|x| x * x).sum::<f32>().sqrt())
    }

    /// The rows of what can be read of a text, each with its word, in order; `None` is a word that the vocabulary cannot
    /// spell.
    pub(crate) fn tokens(&self, text: &str, each: impl FnMut(Option<u16>, &str)) {
        wordpiece::tokens(&self.table, &readable(text), each);
    }

    fn sum(&self, text: &str) -> [f32; DIMS] {
        let mut sum = [0.0; DIMS];
        self.tokens(text, |row, _| {
            if let Some(row) = row {
                self.table.add(row, &mut sum);
            }
        });
        sum
    }
}

/// What the encoder can read of a text: nothing where most letters are of other alphabets, since the few words
/// between them, or the marks alone, do not tell what it says.
fn readable(text: &str) -> Cow<'_, str> {
    // Greek is the first behind Latin; further on, Latin has one block of accented letters.
    let is_foreign = |c: char| c >= '\u{370}' && c.is_alphabetic() && !matches!(c, '\u{1e00}'..='\u{1eff}');
    let foreign = text.chars().filter(|c| is_foreign(*c)).count();
    match foreign {
        0 => text.into(),
        _ if 2 * foreign > text.chars().filter(|c| c.is_alphabetic()).count() => "".into(),
        _ => text.replace(is_foreign, " ").into(),
    }
}

impl fmt::Debug for Embedder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedder").field("model_id", &self.model_id()).finish_non_exhaustive()
    }
}

/// A direction: length 1 is stored as 127, so the cosine of two is their integer product over 127².
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Vector([i8; DIMS]);

impl Vector {
    /// What 1.0 is stored as.
    pub const ONE: f32 = 127.0;

    /// The vector that is like nothing, itself included.
    pub const ZERO: Self = Self([0; DIMS]);

    /// Takes back what [`Vector::as_array`] gave.
    pub fn from_array(values: [i8; DIMS]) -> Self {
        Self(values)
    }

    /// The stored numbers.
    pub fn as_array(&self) -> &[i8; DIMS] {
        &self.0
    }

    /// How alike two vectors are: about the cosine, from -1 to 1; 0 where either is zero.
    pub fn dot(&self, other: &Self) -> f32 {
        self.wide().dot(&other.0)
    }

    /// The same numbers, ready to be multiplied with many.
    pub fn wide(&self) -> Wide {
        Wide(each(&self.0, i16::from))
    }

    /// The signs of the numbers, one bit each: vectors that are alike differ in few.
    pub fn signs(&self) -> [u64; DIMS / 64] {
        let mut signs = [0; DIMS / 64];
        for (signs, numbers) in signs.iter_mut().zip(self.0.chunks_exact(64)) {
            *signs = numbers.iter().enumerate().fold(0, |bits, (at, &n)| bits | u64::from(n > 0) << at);
        }
        signs
    }

    fn in_direction(sum: &[f32; DIMS]) -> Self {
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length == 0.0 {
            return Self::ZERO;
        }
        // Float-to-integer casts saturate, so even a damaged table gives numbers.
        // To the nearest whole number, without the slow call that processors of 2008 need for it.
        let nearest = |x: f32| (x + 0.5_f32.copysign(x)) as i8;
        Self(each(sum, |x| nearest(x / length * Self::ONE)))
    }
}

/// Every number of a vector turned into another; an array's own `map` takes them one by one.
#[inline]
fn each<A: Copy, B: Copy + Default>(numbers: &[A; DIMS], turn: impl Fn(A) -> B) -> [B; DIMS] {
    let mut turned = [B::default(); DIMS];
    turned.iter_mut().zip(numbers).for_each(|(new, old)| *new = turn(*old));
    turned
}

/// A vector in the form in which multiplying it is cheapest.
#[derive(Clone, Copy, Debug)]
pub struct Wide([i16; DIMS]);

impl Wide {
    /// As [`Vector::dot`], with the bytes of another vector as a file keeps them.
    pub fn dot_bytes(&self, other: &[u8; DIMS]) -> f32 {
        self.dot(&each(other, u8::cast_signed))
    }

    /// As [`Vector::dot`], with the stored numbers of another vector.
    ///
    /// Two products of numbers up to 127 fit sixteen bits, which is what makes the loop wide.
    pub fn dot(&self, other: &[i8; DIMS]) -> f32 {
        const LANES: usize = 16;
        let mut sums = [0_i32; LANES];
        for (one, two) in self.0.as_chunks::<{ 2 * LANES }>().0.iter().zip(other.as_chunks().0) {
            let two: &[i8; 2 * LANES] = two;
            let mut pairs = [0_i16; LANES];
            for k in 0..LANES {
                let low = one[k].wrapping_mul(i16::from(two[k]));
                pairs[k] = low.wrapping_add(one[k + LANES].wrapping_mul(i16::from(two[k + LANES])));
            }
            sums.iter_mut().zip(pairs).for_each(|(sum, pair)| *sum += i32::from(pair));
        }
        sums.iter().sum::<i32>() as f32 / (Vector::ONE * Vector::ONE)
    }
}

impl fmt::Debug for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vector({:?}…)", &self.0[..8])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn likeness(a: &str, b: &str) -> f32 {
        let embedder = Embedder::built_in();
        embedder.embed(a).dot(&embedder.embed(b))
    }

    #[test]
    fn equal_texts_have_equal_vectors() {
        let text = "Migrations run before the service starts.";
        assert_eq!(Embedder::built_in().embed(text), Embedder::built_in().embed(text));
        assert!((likeness(text, text) - 1.0).abs() < 0.02);
    }

    #[test]
    fn case_accents_and_spaces_do_not_count() {
        assert_eq!(Embedder::built_in().embed("Café  menu\n"), Embedder::built_in().embed("CAFE MENU"));
    }

    #[test]
    fn a_paraphrase_is_nearer_than_an_unrelated_sentence() {
        for (text, paraphrase, unrelated) in [
            (
                "the login page rejects valid passwords",
                "users cannot sign in",
                "the invoice was printed twice",
            ),
            ("speed up the database query", "the SQL statement is too slow", "write a poem about autumn"),
            ("my dog is ill", "the puppy has to see a vet", "compile the kernel with debug symbols"),
            (
                "delete temporary files on exit",
                "clean up the scratch folder when done",
                "our flight leaves at noon",
            ),
        ] {
            let (near, far) = (likeness(text, paraphrase), likeness(text, unrelated));
            assert!(near > far + 0.1, "{text}: {near} and {far}");
        }
    }

    #[test]
    fn a_text_without_words_has_the_zero_vector() {
        for text in ["", " \n\t", "\u{0}\u{fffd}", &"x".repeat(101)] {
            assert_eq!(Embedder::built_in().embed(text), Vector::ZERO, "{text:?}");
        }
        assert_eq!(Vector::ZERO.dot(&Embedder::built_in().embed("anything")), 0.0);
    }

    #[test]
    fn what_the_encoder_cannot_read_is_like_nothing() {
        assert_eq!(likeness("Перед выпуском запусти миграции", "Сломана вёрстка страницы"), 0.0);
        assert_eq!(likeness("发布前,先运行迁移。", "修复登录,页面。"), 0.0);
        assert_eq!(likeness("Ключи в Redis начинаются с номера", "Redis"), 0.0);
        assert!(likeness("修复 login 页面", "the login page") > 0.5);
    }

    #[test]
    fn a_vector_survives_storage() {
        let vector = Embedder::built_in().embed("keep me");
        assert_eq!(Vector::from_array(*vector.as_array()), vector);
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_vector_of_length_one_or_zero(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let text = String::from_utf8_lossy(&bytes);
            let length = likeness(&text, &text);
            prop_assert!(length == 0.0 || (length - 1.0).abs() < 0.05, "{length}");
        }

        #[test]
        fn a_damaged_table_gives_an_error_or_some_vector(at in 0..BUILT_IN.len().min(400_000), byte: u8) {
            let mut bytes = BUILT_IN.to_vec();
            bytes[at] = byte;
            if let Ok(embedder) = Embedder::read(&bytes) {
                embedder.embed("Any text at all, unbelievably.");
            }
        }
    }
}
