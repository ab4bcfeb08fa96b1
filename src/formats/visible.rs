//! Text of others, shown to people. A robots.txt, a URL or the name of a file may contain characters that a terminal obeys
//! instead of showing: they move the cursor, change the title of the window, or make text look like other text.

use std::fmt::{self, Display, Formatter, Write};
use std::path::Path;

/// Whether a character is obeyed instead of shown: a control character (C0, DEL, C1), one that changes the direction of other
/// text (Unicode's property `Bidi_Control`), or a separator of lines or paragraphs.
pub(crate) fn is_obeyed(character: char) -> bool {
    let is_bidi =
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || is_bidi() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// A value of others for people: characters that a terminal would obey are shown as escapes, such as `\n` and `\u{1b}`. All other
/// text stays as it is, backslashes too.
pub(crate) fn visible<T: Display>(value: T) -> Visible<T> {
    Visible { value, layout: &[] }
}

/// The same for a whole message, in which these characters are ours.
pub(crate) fn visible_except<T: Display>(layout: &'static [char], message: T) -> Visible<T> {
    Visible { value: message, layout }
}

/// A path for people; bytes that are not UTF-8 are replaced.
pub(crate) fn shown(path: &Path) -> Visible<std::path::Display<'_>> {
    visible(path.display())
}

/// How many characters of a message's text are shown, at most: its beginning and its end, in which our own words are.
const BEGINNING: usize = 200;
const END: usize = 120;

/// A text with others' values in it, of which any may be long: without its middle if it is.
pub(crate) fn shortened<T: Display>(text: T) -> String {
    let text = text.to_string();
    let left_out = text.chars().count().saturating_sub(BEGINNING + END);
    if left_out < END {
        return text;
    }
    let place = |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    format!("{}... ({left_out} characters) ...{}", &text[..place(BEGINNING)], &text[place(BEGINNING + left_out)..])
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Visible<T> {
    value: T,
    layout: &'static [char],
}

impl<T: Display> Display for Visible<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(Escaping { out: f, layout: self.layout }, "{}", self.value)
    }
}

struct Escaping<'e, 'f> {
    out: &'e mut Formatter<'f>,
    layout: &'static [char],
}

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_escaped = |character: char| is_obeyed(character) && !self.layout.contains(&character);
        pieces(text, is_escaped, |piece| self.out.write_str(piece))
    }
}

/// Passes a text to `put` in pieces, with escapes in place of some characters.
fn pieces<E>(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    mut put: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = text;
    while let Some((at, character)) = rest.char_indices().find(|(_, character)| is_escaped(*character)) {
        put(&rest[..at])?;
        put(&character.escape_default().to_string())?;
        rest = &rest[at + character.len_utf8()..];
    }
    put(rest)
}

/// Passes a value to `put` in pieces, escaped so that it breaks neither its column nor its row nor the terminal it is shown on, and
/// so that no two values look the same: a backslash becomes `\\`, a tab `\t`, a line feed `\n`, a carriage return `\r`, any other
/// character that a terminal [obeys](is_obeyed) `\u{...}` with its code, and such a byte that is not UTF-8 `\x..`; all other bytes
/// stay as they are.
pub(crate) fn escaped<E>(value: &[u8], mut put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    // Nearly all values are plain. All bytes are looked at, without a branch for each.
    let is_plain = |byte: u8| byte.wrapping_sub(b' ') < 0x5f && byte != b'\\';
    if value.iter().fold(true, |all, &byte| all & is_plain(byte)) {
        return put(value);
    }
    for chunk in value.utf8_chunks() {
        let is_escaped = |character: char| character == '\\' || is_obeyed(character);
        pieces(chunk.valid(), is_escaped, |piece| put(piece.as_bytes()))?;
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

/// The line, counted from 1, that contains a byte of a text.
pub(crate) fn line_of(text: &[u8], at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text[..at.min(text.len())]).count()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        let obeyed =
            (0..0x20).chain(0x7f..=0x9f).chain([0x61c, 0x200e, 0x200f]).chain(0x202a..=0x202e).chain(0x2066..=0x2069);
        for code in obeyed.chain([0x2028, 0x2029]) {
            let character = char::from_u32(code).unwrap();
            let text = visible(format!("a{character}b")).to_string();
            assert!(text.starts_with("a\\") && text.ends_with('b') && !text.contains(character), "{code:x}: {text:?}");
        }
        assert_eq!(visible("\u{1b}]0;x\u{7}\n\u{202e}\u{9b}2J").to_string(), "\\u{1b}]0;x\\u{7}\\n\\u{202e}\\u{9b}2J");
        for plain in ["", "a\\n é ü \u{5d0}\u{627} \u{1f980} \u{200d}", "{}\"'"] {
            assert_eq!(visible(plain).to_string(), plain);
        }
        assert_eq!(visible_except(&['\n'], "a\nb\tc\r").to_string(), "a\nb\\tc\\r");
        assert_eq!(shown(Path::new("a\nb")).to_string(), "a\\nb");
    }

    #[test]
    fn a_long_text_loses_its_middle() {
        for length in [0, 1, BEGINNING + END, BEGINNING + 2 * END - 1] {
            let text = "\u{e9}".repeat(length);
            assert_eq!(shortened(&text), text);
        }
        let text = format!("{}{}", "\u{e9}".repeat(1_000_000), "; expected something else");
        let short = shortened(&text);
        assert!(
            short.contains("... (999705 characters) ...") && short.ends_with("; expected something else"),
            "{short}"
        );
        assert!(short.starts_with("\u{e9}\u{e9}") && short.chars().count() < 400, "{short}");
    }

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
