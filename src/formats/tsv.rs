//! Tab-separated values.

use super::visible::{escape, is_obeyed};

/// Passes a value to `put` in pieces, escaped so that it breaks neither its column nor its row nor the terminal it is shown on, and
/// so that no two values look the same: a backslash becomes `\\`, a tab `\t`, a line feed `\n`, a carriage return `\r`, any other
/// character that a terminal [obeys](is_obeyed) `\u{...}` with its code, and such a byte that is not UTF-8 `\x..`; all other bytes
/// stay as they are.
///
/// # Errors
///
/// The first error of `put`.
pub(crate) fn escaped<E>(value: &[u8], mut put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    // Nearly all values.
    if value.iter().all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\\') {
        return put(value);
    }
    for chunk in value.utf8_chunks() {
        let mut rest = chunk.valid();
        let is_escaped = |character: char| character == '\\' || is_obeyed(character);
        while let Some((at, character)) = rest.char_indices().find(|(_, character)| is_escaped(*character)) {
            put(&rest.as_bytes()[..at])?;
            put(escape(character).to_string().as_bytes())?;
            rest = &rest[at + character.len_utf8()..];
        }
        put(rest.as_bytes())?;
        for byte in chunk.invalid() {
            match byte {
                // C1, to a terminal that does not expect UTF-8.
                0x80..=0x9f => put(format!("\\x{byte:02x}").as_bytes())?,
                _ => put(&[*byte])?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn of(value: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let Ok(()) = escaped(value, |piece| {
            out.extend_from_slice(piece);
            Ok::<_, Infallible>(())
        });
        out
    }

    #[test]
    fn values_are_plain_text_and_no_two_are_the_same() {
        for (value, expected) in [
            (&b"/a b"[..], &b"/a b"[..]),
            (b"", b""),
            (b"a\tb\nc\rd\\e", b"a\\tb\\nc\\rd\\\\e"),
            (b"\x1b[2J\x07\0\x7f", b"\\u{1b}[2J\\u{7}\\u{0}\\u{7f}"),
            ("é\u{9b}\u{202e}\u{61c}".as_bytes(), "é\\u{9b}\\u{202e}\\u{61c}".as_bytes()),
            (b"\x9b2J\xff\xc3\xe2\x80", b"\\x9b2J\xff\xc3\xe2\\x80"),
            (b"\\x9b", b"\\\\x9b"),
        ] {
            assert_eq!(of(value), expected, "{}", value.escape_ascii());
        }
    }
}
