//! Values that only stand for a secret: samples, placeholders, references.

/// The ends of keys that vendors and public pages print as samples.
const PUBLISHED: [&str; 17] = [
    "mnopqrstuvwxyz1234567",
    "eQCxoX-oo6YyIs",
    "OMitrUEke8agEM",
    "myCgHIAODrlU",
    "nHZRR_znhrh0",
    "ITYefhixbX4A",
    "GBdi_UUPwX7c",
    "xcQ9CKctWmLd4",
    "OPjjaXeDQgY",
    "cRLJv_a_p4wtM",
    "RLJv_a_p4wtM",
    "t1sjmdnP5sQ",
    "hhrOq1cS7g",
    "d2AFnzAvvuU",
    "CFu4MJmprNXsw",
    "ucxaOi4FmqE",
    "srVL_n0nvY",
];

/// Words that people write where a secret would stand.
const STAND_INS: [&str; 24] = [
    "password",
    "passwd",
    "pass",
    "pwd",
    "secret",
    "token",
    "test",
    "changeme",
    "changeit",
    "admin",
    "root",
    "guest",
    "user",
    "username",
    "example",
    "postgres",
    "mysql",
    "redacted",
    "hidden",
    "placeholder",
    "foobar",
    "dummy",
    "true",
    "false",
];

/// Whether a value of a secret's form is a sample.
pub(super) fn is_filler(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    lower.contains("example")
        || lower.contains("your_")
        || lower.contains("your-")
        || lower.contains("xxxxx")
        || is_the_alphabet(lower.as_bytes())
        || PUBLISHED.iter().any(|end| value.ends_with(end))
        || is_monotonous(value)
}

/// Whether a value is a stand-in, a reference to where the secret is, or a piece of code.
pub(super) fn is_stand_in(value: &str) -> bool {
    let bare = value.trim_matches(['"', '\'', '`']);
    let lower = bare.to_ascii_lowercase();
    bare.is_empty()
        || STAND_INS.contains(&lower.as_str())
        || bare.starts_with(['$', '<', '{', '[', '%', '@', '(', '*', '‹', '.'])
        || bare.ends_with('>')
        || bare.contains("...")
        || bare.contains('…')
        || bare.contains("‹secret:")
        || is_filler(bare)
}

/// Most of it is the alphabet, in its order.
fn is_the_alphabet(bytes: &[u8]) -> bool {
    /// So many letters in a row are no chance.
    const LONG: usize = 16;
    let stretches = bytes.chunk_by(|letter, next| *next == letter.wrapping_add(1));
    2 * stretches.map(<[u8]>::len).filter(|length| *length >= LONG).sum::<usize>() > bytes.len()
}

/// Few different characters, or most of them in long runs: nobody issues such a key.
fn is_monotonous(value: &str) -> bool {
    let bytes = value.as_bytes();
    let mut seen = [false; 256];
    bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    if bytes.len() >= 8 && seen.iter().filter(|seen| **seen).count() < 4 {
        return true;
    }
    let (mut run, mut in_runs) = (0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        run = if at > 0 && bytes[at - 1] == *byte { run + 1 } else { 1 };
        match run {
            5 => in_runs += 5,
            6.. => in_runs += 1,
            _ => {}
        }
    }
    in_runs * 2 > bytes.len()
}

/// Bits per character: how hard a text is to guess from its own letters.
pub(super) fn entropy(value: &str) -> f32 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len() as f32;
    let share = |count: &u32| *count as f32 / length;
    counts.iter().filter(|count| **count > 0).map(share).map(|share| -share * share.log2()).sum()
}
