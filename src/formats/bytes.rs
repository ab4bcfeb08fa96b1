//! Compact encodings of numbers and texts, for data that is written once and seldom read: rules and side records.
//!
//! Numbers are in LEB128: seven bits a byte, lowest first, with the top bit set in all bytes but the last.

/// The bytes end early, or hold a number that is too large.
pub(crate) const TOO_SHORT: &str = "it ends early, or a number in it is too large";

pub(crate) fn push_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes a text, preceded by its length.
pub(crate) fn push_text(text: &[u8], out: &mut Vec<u8>) {
    push_number(text.len() as u64, out);
    out.extend_from_slice(text);
}

/// Reads from a slice; holds the bytes that remain.
pub(crate) struct Reader<'o>(pub &'o [u8]);

impl<'o> Reader<'o> {
    pub fn byte(&mut self) -> Result<u8, &'static str> {
        let (&byte, rest) = self.0.split_first().ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(byte)
    }

    #[inline]
    pub fn number(&mut self) -> Result<u64, &'static str> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(TOO_SHORT);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(TOO_SHORT)
    }

    /// A number that must fit in 32 bits.
    pub fn small(&mut self) -> Result<u32, &'static str> {
        self.number()?.try_into().map_err(|_| TOO_SHORT)
    }

    #[inline]
    pub fn text(&mut self) -> Result<&'o [u8], &'static str> {
        let length = usize::try_from(self.number()?).map_err(|_| TOO_SHORT)?;
        let (text, rest) = self.0.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_come_back_and_cut_ones_are_refused() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            push_number(number, &mut bytes);
            push_text(b"text", &mut bytes);
            let mut reader = Reader(&bytes);
            assert_eq!((reader.number(), reader.text(), reader.0), (Ok(number), Ok(&b"text"[..]), &b""[..]));
            for length in 0..bytes.len() {
                let mut reader = Reader(&bytes[..length]);
                assert!(reader.number().and_then(|_| reader.text()).is_err(), "{number} {length}");
            }
            assert_eq!(Reader(&bytes).small().is_ok(), number <= u64::from(u32::MAX));
        }
        assert!(Reader(&[0xff; 10]).number().is_err());
    }
}
