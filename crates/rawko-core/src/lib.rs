//! What a memory is and which ones matter now: the pure part of rawko.
//!
//! A *memory* is one Markdown file: a thread of *entries*, each a YAML
//! frontmatter block with a body. This crate turns text into entries and back
//! ([`parse`], [`Entry::to_text`]), folds a thread into what it says now
//! ([`Memory`]), and decides which memories deserve a place before a task
//! ([`TaskContext`]).
//!
//! Nothing here touches a file, a clock, the network, the environment or a
//! thread of the machine: `now` is an argument, and text comes in as text.

mod admission;
mod agent;
pub mod arbiter;
mod compare;
mod decision;
mod embed;
mod encoder;
mod ended;
mod entry;
mod episode;
mod errand;
mod evidence;
mod export;
mod extractor;
mod fence;
mod frontmatter;
mod hidden;
mod import;
mod inert;
mod keys;
mod layer;
pub mod ledger;
mod lineage;
mod linear;
mod lint;
mod memory;
mod near_miss;
mod offline;
mod pack;
mod problem;
mod proposal;
pub mod rank;
mod redact;
mod render;
mod run_record;
mod sample;
mod score;
pub mod session;
mod slug;
mod speech;
mod spoken;
mod stem;
mod task;
mod teach;
mod thread;
mod transcript;
mod trigger;
mod trust;
mod used;
mod weights;
mod word_list;
mod words;
mod yaml;

pub use crate::admission::{
    AutoApprove, Background, Circumstances, Decision, Ground, Measured, PERSON, Reason, Screened, Screener,
    Unproven, Verdict as Admission, Wished, admit, entry_without_secrets, measured, only_waits, rests_on,
}; // what is worth remembering
pub use crate::agent::{Agent, Hears}; // an agent as a file
pub use crate::compare::{Relation, between}; // same, update, contradiction, new
pub use crate::decision::{DECISION_SCHEMA, Decided, strict_decision_schema};
pub use crate::embed::{DIMS, Embedder, TableError, Vector, Wide, passages};
pub use crate::encoder::{AskedWords, SentenceEncoder, WORD_BYTES, Worded};
pub use crate::ended::how_it_ended; // whether a run got there
pub use crate::entry::{Entry, EntryId, Frontmatter, Importance, Kind, Status, Trigger};
pub use crate::episode::{Happened, episode_line, gist, read_episode}; // what happened, a line each
pub use crate::errand::asks; // whether a task asks for experience at all
pub use crate::evidence::{
    Content, Evidence, Finding, Item, Judge, Look, Passage, RepoPath, Report, Tree, Verdict, When, complete,
    hash_of_lines, hash_of_symbol,
};
pub use crate::export::{
    ExportedFile, MarkerError, agents_section, claude_file, claude_index, entry_from_json, entry_json,
    exportable, spliced,
}; // memories in other tools' forms
pub use crate::extractor::Extractor;
pub use crate::frontmatter::FIELDS;
pub use crate::hidden::{hidden, invisible};
pub use crate::import::{
    ImportFormat, ImportItem, OwnEntry, Parsed, SkippedItem, detect_import, parse_import,
};
pub use crate::inert::{inert, inert_json, inert_line};
pub use crate::keys::distance; // how far two words are apart
pub use crate::layer::{
    CompactOptions, KnowledgeEntry, Layer, MAX_WORKING_ENTRIES, MemoryEntry, MemoryStats, ProceduralRule,
    SEARCH_LIMIT, summary, summary_head,
}; // the four layers
pub use crate::lineage::{Lineage, Surroundings, is_fetching, is_foreign_tool}; // whose words a proposal is made of
pub use crate::linear::{Encoded, Measures, PAIR, WORD}; // what admission is judged by
pub use crate::lint::{Lint, lint}; // what reads like orders
pub use crate::memory::{
    Awaits, Body, Change, DENIED_BY, Doubts, Fold, Known, LEARNED_KEY, MEMORY_FILE, Memory, Sketch,
    WITHDRAWS, Waiting, relate,
};
pub use crate::near_miss::near_misses;
pub use crate::offline::{CLAIMED, Denial, Given, Reply, STORED, Told, correction, replies}; // what a person denies
pub use crate::offline::{LENIENCE, said_examples}; // what the model of what people say is fitted to
pub use crate::offline::{Lesson, Lore, extract_offline, is_persons, lessons, occasions, wished, wishes}; // what a run taught, by rules
pub use crate::pack::{Budget, cut, share, tokens};
pub use crate::problem::{Problem, Severity};
pub use crate::proposal::Proposal;
pub use crate::redact::{Redactor, Secret, redact}; // secrets out
pub use crate::render::{Shown, in_a_line, quoted, render};
pub use crate::run_record::{Recorder, Run, RunResult, Speaker, Step};
pub use crate::sample::{sample, within};
pub use crate::score::{
    Alike, Called, Candidate, Facts, Gate, Gist, Judged, Outcome, Profile, Score, Settings, Shelf, Whole,
    choose, choose_by, default_tags, rest_of,
}; // which memories enter a prompt, and why the others do not
pub use crate::slug::{Slug, SlugError};
pub use crate::speech::{Speech, question}; // what the sentence encoder reads
pub use crate::spoken::{CUT, spoken}; // what a person said
pub use crate::stem::stem;
pub use crate::task::TaskContext;
pub use crate::thread::{
    CUT_OFF, Found, SEPARATOR, Thread, closing_lines, first_title, glance, parse, torn_at,
};
pub use crate::transcript::{Format, Transcript, opencode_prompt, opencode_tool};
pub use crate::trigger::{
    Compiled, ENOUGH_SHARE, Form, Literals, Match, OTHER_BYTES, Place, Rarity, TASK_BYTES, TaskText, USEFUL,
    Work, breadth, compile, compile_within, examples, literals, problem,
};
pub use crate::trust::{Channel, Standing, Trust};
pub use crate::used::{shows_use, sign_of_use};
pub use crate::weights::{Inject, Weights}; // every number that decides
pub use crate::words::{Term, analyse, terms}; // what counts as the same word
