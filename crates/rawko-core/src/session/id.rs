//! A session's name: when it began, a random part, and what it was about.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::slug::Slug;

/// Longest part of an id that comes from the task, in bytes.
const LONGEST_SLUG: usize = 48;
/// How long an id is before that part, in bytes.
const WORDLESS: usize = "YYYYMMDD-HHMMSS-01234567".len();
/// Longest id that is read, in bytes.
const LONGEST: usize = 120;

/// The name of a session's folder: `YYYYMMDD-HHMMSS-<8 hex>-<slug>`.
///
/// Holding one is proof that the text cannot leave the folder of sessions.
/// Ids sort by the time at which their sessions began.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(String);

/// A text is no session's id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no session's id")]
pub struct BadSessionId(pub String);

impl SessionId {
    /// The id of a session that begins now.
    pub fn new(task: &str, now: Timestamp, random: u32) -> Self {
        let at = now.to_zoned(TimeZone::UTC);
        let slug = Slug::from_title(task.lines().next().unwrap_or_default());
        let slug = &slug.as_str()[..slug.as_str().len().min(LONGEST_SLUG)];
        let slug = slug.trim_end_matches('-');
        // A clock beyond the year 9999 still gives an id, though not its own year.
        let year = at.year().clamp(0, 9999);
        Self(format!(
            "{year:04}{:02}{:02}-{:02}{:02}{:02}-{random:08x}-{slug}",
            at.month(),
            at.day(),
            at.hour(),
            at.minute(),
            at.second()
        ))
    }

    /// Its beginning, which finds it and says nothing of what it is about: the time, and the random part.
    pub fn wordless(&self) -> &str {
        &self.0[..WORDLESS]
    }

    /// Checks a text.
    pub fn parse(text: &str) -> Result<Self, BadSessionId> {
        let bad = || BadSessionId(text.chars().take(LONGEST).flat_map(char::escape_debug).collect());
        let mut parts = text.splitn(4, '-');
        let mut part = |long: usize, is: fn(u8) -> bool| {
            parts.next().is_some_and(|part| part.len() == long && part.bytes().all(is))
        };
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let head =
            part(8, |byte| byte.is_ascii_digit()) && part(6, |byte| byte.is_ascii_digit()) && part(8, is_hex);
        let slug = parts.next().unwrap_or_default();
        let is_slug = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let fits = head && !slug.is_empty() && text.len() <= LONGEST && slug.bytes().all(is_slug);
        if fits { Ok(Self(text.to_owned())) } else { Err(bad()) }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_when_a_session_began_and_what_it_was_about() {
        let at = "2026-01-23T10:30:00Z".parse().unwrap();
        let id = SessionId::new("Auth feature\nwith more", at, 0xabc1_def2);
        assert_eq!(id.as_str(), "20260123-103000-abc1def2-auth-feature");
        assert_eq!(SessionId::parse(id.as_str()), Ok(id));
        for task in ["", "…", &"long ".repeat(99), "con", "日本語", "a-".repeat(48).as_str()] {
            let id = SessionId::new(task, at, 7);
            assert_eq!(SessionId::parse(id.as_str()), Ok(id), "{task}");
        }
    }

    #[test]
    fn nothing_that_could_leave_the_folder_is_an_id() {
        for text in [
            "",
            "..",
            "20260123-103000-abc1def2-",
            "20260123-103000-abc1def2-../../etc",
            "20260123-103000-ABC1DEF2-x",
            "20260123-103000-abc1def2-x/y",
            "20260123-103000-abc1def2-x\0",
            "2026012-103000-abc1def2-x",
            "/20260123-103000-abc1def2-x",
        ] {
            assert!(SessionId::parse(text).is_err(), "{text:?}");
        }
    }
}
