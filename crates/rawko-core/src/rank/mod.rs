//! Which documents answer a query, best first, and why.
//!
//! Two stages. A cheap one looks at every document through its postings; an
//! exact one looks at the best [`CANDIDATES`] and gives each a score that is the
//! sum of named parts; who needs only words and meaning [`skim`]s. Legs are measured on absolute scales (a share of what the
//! query asks for), so that a leg that finds little says little: a fixed mix
//! of ranks cannot do that.
//!
//! Nothing here knows where documents live: [`search`](search()) asks a [`Source`]. [`Corpus`]
//! is one in memory, for small collections and for what is newer than an index
//! on disk; an index on disk is another.

mod aside;
mod corpus;
mod judge;
pub mod kin;
mod likened;
mod query;
mod search;
mod source;
mod text;

pub use self::corpus::Corpus;
pub use self::judge::{Found, Hit, Part, Statistics, Worth, judge};
pub(crate) use self::likened::USUAL;
pub use self::likened::{Likened, NearWords};
pub use self::query::Query;
pub(crate) use self::query::heard;
pub use self::search::{WORDING, Wanted, search, skim};
pub use self::source::{NOBODY, Source};
pub use self::text::{Analysed, Counts, Document, FIELDS, Field, LONGEST, Lengths, Passage};
pub(crate) use self::text::{clauses, sentences};

/// How many documents the exact stage looks at.
pub const CANDIDATES: usize = 100;
