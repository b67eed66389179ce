//! Numbers and texts in bytes, read with every bound checked.
//!
//! What is read here may have been written by anybody. A read past the end or
//! a number that does not fit is [`Damage`], never a panic.

/// The index cannot be believed; what is wrong with it, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage(pub(crate) &'static str);

const SHORT: Damage = Damage("a record ends too soon");

/// Appends a number in as few bytes as it needs, seven bits each.
pub(super) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a text with its length.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// Bytes that are read from the front.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(SHORT)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn chunk<const N: usize>(&mut self) -> Result<&'a [u8; N], Damage> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(SHORT)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        self.chunk().copied()
    }

    pub(super) fn u8(&mut self) -> Result<u8, Damage> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Damage> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Damage> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, Damage> {
        self.array().map(i64::from_le_bytes)
    }

    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64, Damage> {
        // Most numbers are deltas and counts of one byte.
        if let Some((&first, rest)) = self.rest.split_first()
            && first < 0x80
        {
            self.rest = rest;
            return Ok(u64::from(first));
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Result<u64, Damage> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Damage("a number is too long"))
    }

    /// A number that counts things of at least one byte each that follow.
    pub(super) fn count(&mut self) -> Result<usize, Damage> {
        let count = self.varint()?;
        if count > self.rest.len() as u64 { Err(SHORT) } else { Ok(count as usize) }
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Damage> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| Damage("a text is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_read_back() {
        let mut out = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        numbers.iter().for_each(|&number| put_varint(&mut out, number));
        put_text(&mut out, "größer");
        let mut cursor = Cursor::new(&out);
        assert_eq!(numbers.map(|_| cursor.varint().unwrap()), numbers);
        assert_eq!(cursor.text(), Ok("größer"));
        assert!(cursor.is_empty());
    }

    #[test]
    fn what_ends_too_soon_is_damage() {
        assert!(Cursor::new(&[0xff; 3]).varint().is_err());
        assert!(Cursor::new(&[0xff; 12]).varint().is_err());
        assert!(Cursor::new(&[9, b'x']).text().is_err());
        assert!(Cursor::new(&[1, 2, 3]).u32().is_err());
    }
}
