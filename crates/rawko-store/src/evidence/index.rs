//! The paths in git's index: versions 2, 3 and 4.
//!
//! Only names are taken, and only of plain files. Whatever does not fit the
//! format ends the reading; what was read until then is kept.

use super::objects::Format;

/// The tracked plain files, in the index's order.
pub(super) fn paths(bytes: &[u8], format: Format) -> Vec<String> {
    let mut found = Vec::new();
    let (Some(b"DIRC"), Some(version), Some(count)) = (bytes.get(..4), number(bytes, 4), number(bytes, 8))
    else {
        return found;
    };
    let (mut at, mut name) = (12, Vec::new());
    for _ in 0..count {
        let Some((mode, next)) = entry(bytes, at, (version, format), &mut name) else { break };
        at = next;
        if mode >> 12 == 0o10
            && let Ok(path) = std::str::from_utf8(&name)
        {
            found.push(path.to_owned());
        }
    }
    found
}

/// Reads the entry at `at` into `name`; gives its mode and where the next one begins.
fn entry(
    bytes: &[u8],
    at: usize,
    (version, format): (u32, Format),
    name: &mut Vec<u8>,
) -> Option<(u32, usize)> {
    let mode = number(bytes, at + 24)?;
    // Ten numbers and the id stand before the flags.
    let behind_id = at + 40 + format.bytes();
    let flags = u16::from_be_bytes(bytes.get(behind_id..behind_id + 2)?.try_into().ok()?);
    let is_extended = version >= 3 && flags & 0x4000 != 0;
    let mut from = behind_id + if is_extended { 4 } else { 2 };
    match version {
        2 | 3 => name.clear(),
        4 => {
            let (drop, behind) = variable(bytes, from)?;
            name.truncate(name.len().checked_sub(drop)?);
            from = behind;
        }
        _ => return None,
    }
    let length = bytes.get(from..)?.iter().position(|b| *b == 0)?;
    name.extend_from_slice(&bytes[from..from + length]);
    let end = from + length;
    // Versions 2 and 3 pad every entry with one to eight zeros.
    let next = if version == 4 { end + 1 } else { at + (end - at + 8) / 8 * 8 };
    Some((mode, next))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// git's offset encoding: seven bits a byte, each continuation adds one.
pub(super) fn variable(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}
