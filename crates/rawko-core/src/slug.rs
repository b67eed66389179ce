//! Names that are safe as paths, on every file system.
//!
//! A slug is a memory's path below `memories/` without `.md`. Everything that
//! becomes a path goes through [`Slug`], so nothing else has to check for
//! traversal, reserved names, case or Unicode forms.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::hidden::invisible;

/// Longest slug made from a title, in bytes.
const MAX_FROM_TITLE: usize = 80;
/// Longest slug read from a path, in bytes, and deepest folder.
const MAX_BYTES: usize = 240;
const MAX_DEPTH: usize = 8;

/// A memory's permanent name: its path below `memories/`, without `.md`.
///
/// Holding a `Slug` is proof that the text cannot leave that folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slug(String);

/// Why a text is no slug.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlugError {
    /// Empty, or an empty folder name inside.
    #[error("a memory's name, or a folder in it, is empty")]
    Empty,
    /// Longer than any file system takes, or nested too deep.
    #[error("a memory's name has at most {MAX_BYTES} bytes and {MAX_DEPTH} folders")]
    TooLong,
    /// A folder or file name that could leave the store, or that some system reserves.
    #[error("`{0}` cannot be part of a memory's name")]
    Unsafe(String),
}

impl Slug {
    /// Makes the slug of a title: ASCII kebab-case, at most 80 bytes, never empty, never reserved.
    pub fn from_title(title: &str) -> Self {
        let mut slug = String::new();
        for c in title.nfkd().flat_map(char::to_lowercase).flat_map(fold) {
            if c.is_ascii_alphanumeric() {
                slug.push(c);
            } else if !is_joined(c) && !slug.ends_with('-') && !slug.is_empty() {
                slug.push('-');
            }
        }
        slug.truncate(MAX_FROM_TITLE);
        let slug = slug.trim_matches('-');
        if slug.is_empty() {
            // Titles in scripts without an ASCII form still need distinct, stable names.
            return Self(format!(
                "memory-{}",
                &blake3::hash(title.nfc().collect::<String>().as_bytes()).to_hex()[..8]
            ));
        }
        if is_reserved(slug) { Self(format!("{slug}-memory")) } else { Self(slug.to_owned()) }
    }

    /// The `n`th slug for a name that is taken by another title: `name-2`, `name-3`, …
    ///
    /// Always another name than this one, and within the same limit of length.
    pub fn numbered(&self, n: u32) -> Self {
        let suffix = format!("-{n}");
        let limit = if self.0.len() <= MAX_FROM_TITLE { MAX_FROM_TITLE } else { MAX_BYTES };
        let cut = |at: usize| self.0[..self.0.floor_char_boundary(at)].trim_end_matches('-');
        let mut base = cut(limit - suffix.len());
        if format!("{base}{suffix}") == self.0 {
            // A long name that ends with this very number gives itself back: cut one character more.
            base = cut(base.len() - 1);
        }
        Self(format!("{base}{suffix}"))
    }

    /// Checks a path below `memories/`, given with `/` and without `.md`.
    pub fn parse(path: &str) -> Result<Self, SlugError> {
        if path.is_empty() {
            return Err(SlugError::Empty);
        }
        if path.len() > MAX_BYTES || path.split('/').count() > MAX_DEPTH {
            return Err(SlugError::TooLong);
        }
        for part in path.split('/') {
            if part.is_empty() {
                return Err(SlugError::Empty);
            }
            let unsafe_part = part.starts_with('.')
                || part.ends_with(['.', ' '])
                || part.starts_with(' ')
                || part.chars().any(is_unsafe)
                || invisible(part).is_some()
                || is_reserved(&part.to_ascii_lowercase());
            if unsafe_part {
                return Err(SlugError::Unsafe(part.chars().flat_map(char::escape_debug).collect()));
            }
        }
        Ok(Self(path.to_owned()))
    }

    /// The slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Letters that decompose to nothing ASCII by Unicode's rules but have a usual spelling.
fn fold(c: char) -> impl Iterator<Item = char> {
    let spelled = match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ł' => "l",
        'ı' => "i",
        _ => "",
    };
    spelled.chars().chain(spelled.is_empty().then_some(c))
}

/// Marks and quotes that disappear without separating the letters around them.
fn is_joined(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{0300}'..='\u{036f}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{00ad}')
}

fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Names that Windows reserves, with or without an ending.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|rest| {
            matches!(rest, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    };
    matches!(stem, "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" | "clock$")
        || numbered("com")
        || numbered("lpt")
}
