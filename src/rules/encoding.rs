//! Percent-encoding: the normal form in which patterns and paths are compared.
//!
//! In this form `*` and `$` are literal bytes: the text of a [`Pattern`](super::Pattern) holds no wildcards.

use smallvec::SmallVec;
use std::borrow::Cow;

use crate::dialect::Encoding;

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSet([bool; 256]);

impl ByteSet {
    const EMPTY: ByteSet = ByteSet([false; 256]);

    /// Whether the set holds `byte`.
    #[inline]
    pub const fn contains(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }

    const fn with(mut self, bytes: &[u8]) -> ByteSet {
        let mut at = 0;
        while at < bytes.len() {
            self.0[bytes[at] as usize] = true;
            at += 1;
        }
        self
    }

    const fn complement(mut self) -> ByteSet {
        let mut byte = 0;
        while byte < 256 {
            self.0[byte] = !self.0[byte];
            byte += 1;
        }
        self
    }
}

const UNRESERVED: ByteSet = ByteSet::EMPTY.with(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");
const RESERVED: &[u8] = b":/?#[]@!$&'()*+,;=";

/// Bytes that the normal form of RFC 9309 2.2.2 changes: neither unreserved nor reserved, or `%`.
const CHANGED_BY_NORMAL_FORM: ByteSet = UNRESERVED.with(RESERVED).complement();
const PERCENT: ByteSet = ByteSet::EMPTY.with(b"%");
const NUL: ByteSet = ByteSet::EMPTY.with(b"\0");
const SLASH: ByteSet = ByteSet::EMPTY.with(b"/");
const ESCAPED_IN_NORMAL_FORM: ByteSet = UNRESERVED.with(b"*$'").complement();

/// Bytes that fetchers escape, in the path or the query: the path percent-encode set of the URL Standard, 1.3, without `?` and `#`,
/// which end a path. `^` is in it since 2024, so only some fetchers escape it.
const ESCAPED_BY_FETCHERS: ByteSet = UNRESERVED.with(RESERVED).with(b"%\\|").complement();
const CHANGED_BY_ESCAPING: ByteSet = ESCAPED_BY_FETCHERS.with(b"%");
/// Escapes that say the same to every dialect: those of `.` and `'` do not.
const KEPT_AS_ESCAPED: ByteSet = ByteSet::EMPTY.with(b".'").complement();

impl Encoding {
    /// The bytes that the normal form can change: a path without them is already in normal form.
    pub fn changed_bytes(self) -> &'static ByteSet {
        self.kept_bytes().changed
    }

    /// The length of a prefix of `path` that its normal form is sure to leave unchanged.
    pub fn kept(self, path: &[u8]) -> usize {
        self.kept_from(0, path)
    }

    /// [`Encoding::kept`], if the first `from` bytes are known to be kept.
    pub(crate) fn kept_from(self, from: usize, path: &[u8]) -> usize {
        let bytes = self.kept_bytes();
        let mut rest = &path[from..];
        while let Some(at) = rest.iter().position(|&byte| bytes.changed.contains(byte)) {
            rest = &rest[at..];
            if !is_kept_escape(rest, bytes.escapes) {
                return path.len() - rest.len();
            }
            rest = &rest[3..];
        }
        path.len()
    }

    /// What [`Encoding::kept`] goes by, for those who look at one byte at a time.
    #[inline(always)]
    pub(crate) fn kept_bytes(self) -> KeptBytes {
        let (changed, escapes) = match self {
            Encoding::NormalForm => (&CHANGED_BY_NORMAL_FORM, &ESCAPED_IN_NORMAL_FORM),
            Encoding::DecodedExceptSlash => (&PERCENT, &SLASH),
            Encoding::RuleOnly => (&NUL, &ByteSet::EMPTY),
            Encoding::Escaped => (&CHANGED_BY_ESCAPING, &KEPT_AS_ESCAPED),
        };
        KeptBytes { changed, escapes }
    }

    /// The normal form of a path.
    pub fn path(self, path: &[u8]) -> Cow<'_, [u8]> {
        self.path_after(self.kept(path), path)
    }

    /// The normal form of a path, given how much of it is [kept](Encoding::kept).
    pub(crate) fn path_after(self, kept: usize, path: &[u8]) -> Cow<'_, [u8]> {
        let (kept, rest) = path.split_at(kept);
        if rest.is_empty() {
            return Cow::Borrowed(path);
        }
        let mut out = Vec::with_capacity(path.len() + 32);
        out.extend_from_slice(kept);
        self.extend_path(rest, &mut out);
        Cow::Owned(out)
    }

    /// Appends the normal form of `path` to `out`.
    pub fn extend_path(self, mut path: &[u8], out: &mut Vec<u8>) {
        match self {
            // C++ passes the path as a C string.
            Encoding::RuleOnly => out.extend(path.iter().take_while(|&&byte| byte != 0)),
            Encoding::NormalForm | Encoding::DecodedExceptSlash | Encoding::Escaped => loop {
                let (kept, rest) = path.split_at(self.kept(path));
                out.extend_from_slice(kept);
                if rest.is_empty() {
                    break;
                }
                path = &rest[self.push(rest, out).0..];
            },
        }
    }

    /// The bytes of a pattern that every encoding leaves unchanged and counts as one: the unreserved and reserved ones,
    /// except `*` if it is special.
    #[inline]
    pub(super) fn kept_in_patterns(star_is_special: bool) -> &'static ByteSet {
        const KEPT: ByteSet = UNRESERVED.with(RESERVED);
        const KEPT_BUT_STAR: ByteSet = KEPT.complement().with(b"*").complement();
        if star_is_special { &KEPT_BUT_STAR } else { &KEPT }
    }

    /// Appends the normal form of the first byte or escape of a pattern or path. Returns how many bytes were taken and how many
    /// they add to the length of a rule.
    pub(super) fn push(self, text: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
        match self {
            Encoding::NormalForm => push_normal(text, out),
            Encoding::RuleOnly => push_rule_only(text, out),
            Encoding::DecodedExceptSlash => push_decoded(text, out),
            Encoding::Escaped => push_escaped(text, out),
        }
    }
}

/// The begin of an escape in a rule, as the beginning of all escapes that begin so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CutEscape {
    /// As these begin in normal form.
    pub text: SmallVec<[u8; 2]>,
    /// How many bytes it adds to the length of a rule: as many as if it were read literally.
    pub counted: u32,
    /// Whether this matches all that the literal reading does, so that it is the only reading.
    pub is_only: bool,
}

impl Encoding {
    /// How an escape is read that a rule has cut after its `%`, or after one hex digit; `None` if it is only read literally, as a `%`
    /// that begins no escape.
    ///
    /// The author of `Disallow: /*%` means escapes, none of which begins with `%25`, as a bare `%` does in normal form (RFC 9309 2.2.2
    /// knows no cut ones: ours). What a normal form decodes is no escape any more.
    pub(super) fn of_cut(self, digit: Option<u8>) -> Option<CutEscape> {
        let cut = |digit: Option<u8>, counted, is_only| {
            let text = [b'%'].into_iter().chain(digit).collect();
            Some(CutEscape { text, counted, is_only })
        };
        match (self, digit) {
            // A bare `%` begins with `%`, too.
            (Encoding::NormalForm, None) => cut(None, 3, true),
            (Encoding::NormalForm, Some(digit)) => cut(Some(digit.to_ascii_uppercase()), 4, false),
            // Escapes stay as they are: the other case of the digit is the other reading.
            (Encoding::Escaped, Some(digit)) if digit.is_ascii_alphabetic() => cut(Some(digit ^ b' '), 2, false),
            // Escapes that remain begin as they are written.
            (Encoding::Escaped | Encoding::DecodedExceptSlash | Encoding::RuleOnly, _) => None,
        }
    }
}

/// The bytes and escapes that a normal form is sure to leave unchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptBytes {
    changed: &'static ByteSet,
    /// Those whose escapes are kept, if their hex digits are in upper case.
    escapes: &'static ByteSet,
}

impl KeptBytes {
    /// Whether the normal form is sure to leave the first byte or escape of `path` unchanged. `path` may be the rest of a path.
    #[inline(always)]
    pub fn have_first_of(self, path: &[u8]) -> bool {
        !self.changed.contains(path[0]) || is_kept_escape(path, self.escapes)
    }
}

/// Whether `text` begins with an escape, in upper case, of a byte in `kept`.
#[inline(always)]
fn is_kept_escape(text: &[u8], kept: &ByteSet) -> bool {
    escaped_with(text, &UPPER_DIGITS).is_some_and(|byte| kept.contains(byte))
}

/// The values of hexadecimal digits; 255 for all other bytes.
const fn with_values(mut digits: [u8; 256], of: &[u8; 16]) -> [u8; 256] {
    let mut digit = 0;
    while digit < 16 {
        digits[of[digit] as usize] = digit as u8;
        digit += 1;
    }
    digits
}

static UPPER_DIGITS: [u8; 256] = with_values([u8::MAX; 256], b"0123456789ABCDEF");
static DIGITS: [u8; 256] = with_values(UPPER_DIGITS, b"0123456789abcdef");

/// Decodes the escape that `text` begins with.
#[inline]
pub(crate) fn escaped(text: &[u8]) -> Option<u8> {
    escaped_with(text, &DIGITS)
}

#[inline(always)]
fn escaped_with(text: &[u8], digits: &[u8; 256]) -> Option<u8> {
    let &[b'%', high, low, ..] = text else { return None };
    let (high, low) = (digits[usize::from(high)], digits[usize::from(low)]);
    (high | low < 16).then_some(high << 4 | low)
}

/// Appends the escape of a byte.
pub(crate) fn push_escape(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(percent_encoding::percent_encode_byte(byte).as_bytes());
}

/// RFC 9309 2.2.2 and 2.2.3. The escapes of `*` and `$` become the bytes themselves, no longer wildcards, but still
/// count as three bytes. `'` and its escape are one byte: fetchers escape it in queries and not in paths.
fn push_normal(text: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
    match (text[0], escaped(text)) {
        (_, Some(byte)) if UNRESERVED.contains(byte) || byte == b'\'' => {
            out.push(byte);
            (3, 1)
        }
        (_, Some(byte @ (b'*' | b'$'))) => {
            out.push(byte);
            (3, 3)
        }
        (_, Some(byte)) => {
            push_escape(byte, out);
            (3, 3)
        }
        (byte, None) if CHANGED_BY_NORMAL_FORM.contains(byte) => {
            push_escape(byte, out);
            (1, 3)
        }
        (byte, None) => {
            out.push(byte);
            (1, 1)
        }
    }
}

/// `MaybeEscapePattern` of C++: escapes the rule's non-ASCII bytes and puts the hex digits of its escapes in upper case.
fn push_rule_only(text: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
    if let Some(byte) = escaped(text) {
        push_escape(byte, out);
        (3, 3)
    } else if text[0] >= 0x80 {
        push_escape(text[0], out);
        (1, 3)
    } else {
        out.push(text[0]);
        (1, 1)
    }
}

/// 1996 3.2.2: decodes all escapes except that of `/`; the results are compared byte by byte.
fn push_decoded(text: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
    match escaped(text) {
        Some(b'/') => {
            push_escape(b'/', out);
            (3, 3)
        }
        Some(byte) => {
            out.push(byte);
            (3, 1)
        }
        None => {
            out.push(text[0]);
            (1, 1)
        }
    }
}

/// Escapes what fetchers escape, and leaves escapes as they are, except that of `'`.
fn push_escaped(text: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
    match escaped(text) {
        Some(b'\'') => {
            out.push(b'\'');
            (3, 1)
        }
        Some(_) => {
            out.extend_from_slice(&text[..3]);
            (3, 3)
        }
        None if ESCAPED_BY_FETCHERS.contains(text[0]) => {
            push_escape(text[0], out);
            (1, 3)
        }
        None => {
            out.push(text[0]);
            (1, 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(encoding: Encoding, path: &str) -> String {
        String::from_utf8(encoding.path(path.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn the_normal_form_of_rfc_9309() {
        let pairs = [
            ("/%7Ejoe/%61", "/~joe/a"),
            ("/a%2fb", "/a%2Fb"),
            ("/a b|c", "/a%20b%7Cc"),
            ("/ツ", "/%E3%83%84"),
            ("/%e3%83%84", "/%E3%83%84"),
            ("/100%", "/100%25"),
            ("/%zz%4", "/%25zz%254"),
            ("/x%2A%24*$", "/x*$*$"),
            ("/?a=b&c;d", "/?a=b&c;d"),
            ("/it's?it%27s", "/it's?it's"),
        ];
        for (path, expected) in pairs {
            assert_eq!(form(Encoding::NormalForm, path), expected, "{path}");
            assert_eq!(form(Encoding::NormalForm, expected), expected, "the normal form is its own");
        }
    }

    #[test]
    fn the_other_encodings() {
        assert_eq!(form(Encoding::DecodedExceptSlash, "/%41%2f%2F%252F%23%"), "/A%2F%2F%2F#%");
        assert_eq!(form(Encoding::RuleOnly, "/%41 ツ%2f%27"), "/%41 ツ%2f%27");
        assert_eq!(form(Encoding::Escaped, "/%41 ü%2f%%27?'|\\{^}"), "/%41%20%C3%BC%2f%'?'|\\%7B%5E%7D");
        assert_eq!(form(Encoding::RuleOnly, "/a\0b"), "/a");
        let mut out = Vec::new();
        assert_eq!(Encoding::RuleOnly.push(b"%e3x", &mut out), (3, 3));
        assert_eq!(Encoding::RuleOnly.push("é".as_bytes(), &mut out), (1, 3));
        assert_eq!(out, b"%E3%C3");
    }

    #[test]
    fn a_path_without_changed_bytes_is_not_copied() {
        assert!(matches!(Encoding::NormalForm.path(b"/a/b?c=d&e=[f]~"), Cow::Borrowed(_)));
        for byte in 0..=255 {
            let changed = *Encoding::NormalForm.path(&[byte]) != [byte];
            assert_eq!(changed, Encoding::NormalForm.changed_bytes().contains(byte), "{byte}");
        }
    }

    #[test]
    fn what_is_kept_is_what_the_normal_form_does_not_change() {
        use Encoding::{DecodedExceptSlash, Escaped, NormalForm, RuleOnly};
        for encoding in [NormalForm, DecodedExceptSlash, RuleOnly, Escaped] {
            for (high, low) in (0..=255).flat_map(|high| (0..=255).map(move |low| (high, low))) {
                let path = [b'/', b'%', high, low, b'%', b'2', b'F'];
                let mut form = Vec::new();
                // The expected form, made byte by byte and escape by escape, without `kept`.
                let mut rest = &path[..];
                while rest.first().is_some_and(|&first| encoding != RuleOnly || first != 0) {
                    let taken = if encoding == RuleOnly {
                        form.push(rest[0]);
                        1
                    } else {
                        encoding.push(rest, &mut form).0
                    };
                    rest = &rest[taken..];
                }
                let is_kept = encoding.kept(&path) == path.len();
                assert!(!is_kept || form == path, "{encoding:?}, {high}, {low}");
                // The other encodings also leave a `%` without digits unchanged, which `kept` need not report.
                assert!(is_kept || form != path || encoding != NormalForm, "{high}, {low}");
                assert_eq!(*encoding.path(&path), *form, "{encoding:?}, {high}, {low}");
            }
        }
    }
}
