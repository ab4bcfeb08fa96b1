//! Percent-encoding: the normal form in which patterns and paths are compared.
//!
//! A literal `*` or `$` stands for itself, because wildcards are gone from the text of a [`Pattern`](super::Pattern).

use std::borrow::Cow;

use crate::dialect::Encoding;

/// A set of octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OctetSet([bool; 256]);

impl OctetSet {
    const EMPTY: OctetSet = OctetSet([false; 256]);

    /// Whether the set holds `octet`.
    #[inline]
    pub const fn contains(&self, octet: u8) -> bool {
        self.0[octet as usize]
    }

    const fn with(mut self, octets: &[u8]) -> OctetSet {
        let mut at = 0;
        while at < octets.len() {
            self.0[octets[at] as usize] = true;
            at += 1;
        }
        self
    }

    const fn complement(mut self) -> OctetSet {
        let mut octet = 0;
        while octet < 256 {
            self.0[octet] = !self.0[octet];
            octet += 1;
        }
        self
    }
}

const UNRESERVED: OctetSet =
    OctetSet::EMPTY.with(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");
const RESERVED: &[u8] = b":/?#[]@!$&'()*+,;=";

/// Octets that the normal form of RFC 9309 2.2.2 changes: neither unreserved nor reserved, or `%`.
const CHANGED_BY_NORMAL_FORM: OctetSet = UNRESERVED.with(RESERVED).complement();
const PERCENT: OctetSet = OctetSet::EMPTY.with(b"%");
const NUL: OctetSet = OctetSet::EMPTY.with(b"\0");

impl Encoding {
    /// The octets of a path that its normal form can change: a path without them is in normal form.
    pub fn changed_octets(self) -> &'static OctetSet {
        match self {
            Encoding::NormalForm => &CHANGED_BY_NORMAL_FORM,
            Encoding::DecodedExceptSlash => &PERCENT,
            Encoding::RuleOnly => &NUL,
            Encoding::Verbatim => &OctetSet::EMPTY,
        }
    }

    /// How many octets at the beginning of a path its normal form surely keeps.
    pub fn unchanged(self, path: &[u8]) -> usize {
        let changed = self.changed_octets();
        path.iter().position(|&octet| changed.contains(octet)).unwrap_or(path.len())
    }

    /// The normal form of a path.
    pub fn path(self, path: &[u8]) -> Cow<'_, [u8]> {
        if self.unchanged(path) == path.len() {
            return Cow::Borrowed(path);
        }
        let mut out = Vec::with_capacity(path.len() + 32);
        self.extend_path(path, &mut out);
        Cow::Owned(out)
    }

    /// Appends the normal form of `path` to `out`.
    pub fn extend_path(self, mut path: &[u8], out: &mut Vec<u8>) {
        match self {
            Encoding::Verbatim => out.extend_from_slice(path),
            // C++ passes the path on as a C string.
            Encoding::RuleOnly => out.extend(path.iter().take_while(|&&octet| octet != 0)),
            Encoding::NormalForm | Encoding::DecodedExceptSlash => loop {
                let (kept, rest) = path.split_at(self.unchanged(path));
                out.extend_from_slice(kept);
                if rest.is_empty() {
                    break;
                }
                path = &rest[self.push(rest, out).0..];
            },
        }
    }

    /// The octets of a pattern that stay as they are under any encoding, and count one: the unreserved and reserved
    /// ones, but for `*` where it is special.
    #[inline]
    pub(super) fn kept_in_patterns(star_is_special: bool) -> &'static OctetSet {
        const KEPT: OctetSet = UNRESERVED.with(RESERVED);
        const KEPT_BUT_STAR: OctetSet = KEPT.complement().with(b"*").complement();
        if star_is_special { &KEPT_BUT_STAR } else { &KEPT }
    }

    /// Appends the normal form of the octet or escape that `pattern` begins with; returns how many octets of it were
    /// taken and how many they count in the length of a rule.
    pub(super) fn push_pattern(self, pattern: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
        self.push(pattern, out)
    }

    fn push(self, text: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
        match self {
            Encoding::NormalForm => push_normal(text, out),
            Encoding::RuleOnly => push_rule_only(text, out),
            Encoding::DecodedExceptSlash => push_decoded(text, out),
            Encoding::Verbatim => {
                out.push(text[0]);
                (1, 1)
            }
        }
    }
}

/// The octet that `text` begins with an escape of.
pub(crate) fn escaped(text: &[u8]) -> Option<u8> {
    let digit = |octet: u8| char::from(octet).to_digit(16).map(|digit| digit as u8);
    match text {
        [b'%', high, low, ..] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    }
}

fn push_escape(octet: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend_from_slice(&[b'%', DIGITS[usize::from(octet >> 4)], DIGITS[usize::from(octet & 15)]]);
}

/// RFC 9309 2.2.2 and 2.2.3. The escapes of `*` and `$` become the octets, which are no wildcards any more, and count
/// as the three octets of an escape.
fn push_normal(text: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
    match (text[0], escaped(text)) {
        (_, Some(octet)) if UNRESERVED.contains(octet) => {
            out.push(octet);
            (3, 1)
        }
        (_, Some(octet @ (b'*' | b'$'))) => {
            out.push(octet);
            (3, 3)
        }
        (_, Some(octet)) => {
            push_escape(octet, out);
            (3, 3)
        }
        (octet, None) if CHANGED_BY_NORMAL_FORM.contains(octet) => {
            push_escape(octet, out);
            (1, 3)
        }
        (octet, None) => {
            out.push(octet);
            (1, 1)
        }
    }
}

/// `MaybeEscapePattern` of C++: a rule's non-ASCII octets escaped, the digits of its escapes in upper case.
fn push_rule_only(text: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
    if let Some(octet) = escaped(text) {
        push_escape(octet, out);
        (3, 3)
    } else if text[0] >= 0x80 {
        push_escape(text[0], out);
        (1, 3)
    } else {
        out.push(text[0]);
        (1, 1)
    }
}

/// 1996 3.2.2: escapes are decoded, but for `/`; what comes out is compared octet by octet.
fn push_decoded(text: &[u8], out: &mut Vec<u8>) -> (usize, u32) {
    match escaped(text) {
        Some(b'/') => {
            push_escape(b'/', out);
            (3, 3)
        }
        Some(octet) => {
            out.push(octet);
            (3, 1)
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
        ];
        for (path, expected) in pairs {
            assert_eq!(form(Encoding::NormalForm, path), expected, "{path}");
            assert_eq!(form(Encoding::NormalForm, expected), expected, "the normal form is its own");
        }
    }

    #[test]
    fn the_other_encodings() {
        assert_eq!(form(Encoding::DecodedExceptSlash, "/%41%2f%2F%252F%23%"), "/A%2F%2F%2F#%");
        for encoding in [Encoding::RuleOnly, Encoding::Verbatim] {
            assert_eq!(form(encoding, "/%41 ツ%2f"), "/%41 ツ%2f");
        }
        assert_eq!(form(Encoding::RuleOnly, "/a\0b"), "/a");
        let mut out = Vec::new();
        assert_eq!(Encoding::RuleOnly.push_pattern(b"%e3x", &mut out), (3, 3));
        assert_eq!(Encoding::RuleOnly.push_pattern("é".as_bytes(), &mut out), (1, 3));
        assert_eq!(out, b"%E3%C3");
    }

    #[test]
    fn a_path_without_changed_octets_is_not_copied() {
        assert!(matches!(Encoding::NormalForm.path(b"/a/b?c=d&e=[f]~"), Cow::Borrowed(_)));
        for octet in 0..=255 {
            let changed = *Encoding::NormalForm.path(&[octet]) != [octet];
            assert_eq!(changed, Encoding::NormalForm.changed_octets().contains(octet), "{octet}");
        }
    }
}
