//! How alike a task is to the memories that the sentence encoder has read.
//!
//! Before a prompt only the task is encoded, and only where there is anything to hold it against: the vectors of
//! memories were made earlier, by a process that nobody waits for. A store whose vectors are too many to be
//! read in a millisecond or two goes by the token table, as does every memory that has not been read yet.

use std::cell::OnceCell;

use rawko_core::{Alike as Likeness, Memory, Profile, SentenceEncoder, TaskContext, asks};
use rawko_store::{FileStore, TextKey, Vectors};

use super::Wish;
use crate::engine::Engine;
use crate::provider::Encoder;

/// The most memories of a store among which the nearest are looked for, and that are read behind a prompt; and the most
/// bytes of vectors that are read before one.
const MOST: usize = 1_500;
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The encoder, asked about one task.
pub(super) struct Alike<'t> {
    task: &'t str,
    /// Whether the encoder has a say at all.
    is_asked: bool,
    question: OnceCell<Option<Question>>,
}

/// A task as the encoder reads it.
struct Question {
    vector: Vec<f32>,
    asks: f32,
}

impl<'t> Alike<'t> {
    /// Asks where the settings and the caller let meaning decide, and something was said.
    pub(super) fn new(engine: &Engine, task: &'t TaskContext, wish: &Wish, profile: Profile) -> Self {
        let task = task.task.trim();
        let may = profile == Profile::Hybrid && wish.only.is_none() && !task.is_empty();
        Self { task, is_asked: may && engine.reads_sentences(), question: OnceCell::new() }
    }

    /// What the encoder knows of a store of so many memories; nothing where it has no say there.
    pub(super) fn of(&self, store: &FileStore, memories: usize) -> Option<Told<'_>> {
        if !self.is_asked {
            return None;
        }
        let (id, dims) = (Encoder::built_in_id(), SentenceEncoder::DIMS);
        let vectors = Vectors::kept_within(store, &id, dims, MOST_BYTES)?;
        let encode = || {
            let vector = SentenceEncoder::built_in().encode_task(self.task)?;
            Some(Question { asks: asks(&vector), vector })
        };
        let question = match vectors.is_empty() {
            true => None,
            false => self.question.get_or_init(encode).as_ref(),
        };
        Some(Told { vectors, question, is_small: memories <= MOST })
    }
}

/// What the encoder knows of one store.
pub(super) struct Told<'a> {
    vectors: Vectors,
    /// Nothing where there is nothing to compare with, or the task is in no language that the encoder reads.
    question: Option<&'a Question>,
    is_small: bool,
}

impl Told<'_> {
    /// How alike the task is to what a memory may say.
    pub(super) fn likeness(&self, key: &TextKey) -> Option<Likeness> {
        let Question { vector, asks } = self.question?;
        Some(Likeness { asks: *asks, ..self.vectors.likeness(key, vector)? })
    }

    /// Whether the nearest of all memories are to be looked for; else only those that words find are told.
    pub(super) fn finds(&self) -> bool {
        self.question.is_some() && self.is_small
    }

    /// Whether a memory may speak, and is to be read by the encoder behind the prompt.
    pub(super) fn is_unread(&self, memory: &Memory, key: &TextKey) -> bool {
        self.is_small && memory.may_speak() && !self.vectors.has_memory(key)
    }
}
