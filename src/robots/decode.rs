//! The start of a robots.txt: byte order marks, UTF-16, and the size limit.

use std::borrow::Cow;

use super::{Note, NoteKind};
use crate::dialect::{Dialect, FileStart};

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const UTF16_LE_MARK: &[u8] = b"\xff\xfe";
const UTF16_BE_MARK: &[u8] = b"\xfe\xff";

/// The text of a robots.txt: the file as served, without its byte order mark, UTF-16 decoded, cut at the dialect's limit.
///
/// The limit counts bytes of the file as served and keeps whole lines. The text need not be UTF-8. Cuts and replaced bytes
/// are added to `notes` at line 0, because they concern the whole file.
pub fn decode<'a>(file: &'a [u8], dialect: &Dialect, notes: &mut Vec<Note>) -> Cow<'a, [u8]> {
    match dialect.file_start {
        FileStart::PartialMark => {
            let mark = file.iter().zip(UTF8_MARK).take_while(|(byte, mark)| byte == mark).count();
            Cow::Borrowed(limited(&file[mark..], dialect.file_limit, notes))
        }
        FileStart::Decoded => {
            if let Some((rest, unit)) = utf16(file) {
                return Cow::Owned(limited_utf16(rest, unit, dialect.file_limit, notes));
            }
            let file = limited(file, dialect.file_limit, notes);
            Cow::Borrowed(file.strip_prefix(UTF8_MARK).unwrap_or(file))
        }
    }
}

/// Reads a UTF-16 code unit in one of the byte orders.
type Unit = fn([u8; 2]) -> u16;

/// The bytes after a UTF-16 byte order mark and the reader for its byte order.
fn utf16(file: &[u8]) -> Option<(&[u8], Unit)> {
    let little = || Some((file.strip_prefix(UTF16_LE_MARK)?, u16::from_le_bytes as Unit));
    little().or_else(|| Some((file.strip_prefix(UTF16_BE_MARK)?, u16::from_be_bytes as _)))
}

/// The whole lines of `text` within `limit` bytes.
fn limited<'a>(text: &'a [u8], limit: usize, notes: &mut Vec<Note>) -> &'a [u8] {
    if text.len() <= limit {
        return text;
    }
    notes.push(Note { kind: NoteKind::FileCut, line: 0 });
    // A line that ends exactly at the limit is whole.
    let end = memchr::memrchr2(b'\n', b'\r', &text[..=limit]);
    &text[..end.map_or(0, |at| limit.min(at + 1))]
}

/// Decodes UTF-16 to UTF-8, keeping the whole lines within `limit` bytes of the UTF-16.
fn limited_utf16(file: &[u8], unit: Unit, limit: usize, notes: &mut Vec<Note>) -> Vec<u8> {
    // The mark is one of the bytes served.
    let within = (limit.max(2) - 2) & !1;
    let pairs = file.chunks_exact(2).take(within / 2 + 1);
    let mut units: Vec<u16> = pairs.map(|pair| unit([pair[0], pair[1]])).collect();
    let mut is_odd = file.len() % 2 == 1;
    if file.len() > within {
        notes.push(Note { kind: NoteKind::FileCut, line: 0 });
        let is_end = |&unit: &u16| unit == u16::from(b'\n') || unit == u16::from(b'\r');
        // A line that ends exactly at the limit is whole.
        let end = units.iter().rposition(is_end);
        units.truncate(end.map_or(0, |at| (within / 2).min(at + 1)));
        is_odd = false;
    }
    let mut mended = is_odd;
    let mend = |character: Result<char, _>| {
        character.unwrap_or_else(|_| {
            mended = true;
            char::REPLACEMENT_CHARACTER
        })
    };
    let rest = is_odd.then_some(char::REPLACEMENT_CHARACTER);
    let text: String = char::decode_utf16(units).map(mend).chain(rest).collect();
    if mended {
        notes.push(Note { kind: NoteKind::EncodingMended, line: 0 });
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(file: &[u8], dialect: &Dialect) -> (Vec<u8>, Vec<NoteKind>) {
        let mut notes = Vec::new();
        let text = decode(file, dialect, &mut notes).into_owned();
        (text, notes.iter().map(|note| note.kind).collect())
    }

    #[test]
    fn marks_are_skipped_as_the_dialect_says() {
        let google = Dialect::named("google").unwrap();
        for dialect in Dialect::ALL {
            assert_eq!(decoded(b"\xef\xbb\xbfabc", dialect).0, b"abc", "{}", dialect.name);
        }
        assert_eq!(decoded(b"\xef\xbbabc", google).0, b"abc");
        assert_eq!(decoded(b"\xef\xbbabc", Dialect::DEFAULT).0, b"\xef\xbbabc");
        assert_eq!(decoded(b"\xff\xfea\0", google).0, b"\xff\xfea\0");
    }

    #[test]
    fn utf16_is_decoded_in_both_orders() {
        let text = "User-agent: *\nDisallow: /é𝄞\n";
        let le: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&le, Dialect::DEFAULT), (text.as_bytes().to_vec(), vec![]));
        assert_eq!(decoded(&be, Dialect::DEFAULT), (text.as_bytes().to_vec(), vec![]));
        let (broken, notes) = decoded(b"\xff\xfe\x00\xd8a\0\x01", Dialect::DEFAULT);
        assert_eq!(broken, "\u{fffd}a\u{fffd}".as_bytes());
        assert_eq!(notes, [NoteKind::EncodingMended]);
    }

    #[test]
    fn the_limit_keeps_whole_lines() {
        let dialect = Dialect { file_limit: 10, ..Dialect::DEFAULT.clone() };
        assert_eq!(decoded(b"12345\n7890", &dialect), (b"12345\n7890".to_vec(), vec![]));
        assert_eq!(decoded(b"12345\n7890x", &dialect), (b"12345\n".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"12345\n7890\nx", &dialect), (b"12345\n7890".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"12345678901\n", &dialect), (b"".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"\xff\xfea\0\n\0b\0c\0", &dialect), (b"a\nbc".to_vec(), vec![]));
        assert_eq!(decoded(b"\xff\xfea\0\n\0b\0c\0d\0", &dialect), (b"a\n".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"\xff\xfea\0\n\0b\0c\0\n\0", &dialect), (b"a\nbc".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"\xff\xfea\0\n\0b\0c\0\n", &dialect), (b"a\n".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"\xfe\xff\0a\0\n\0b\0c\0\r\0d", &dialect), (b"a\nbc".to_vec(), vec![NoteKind::FileCut]));
    }
}
