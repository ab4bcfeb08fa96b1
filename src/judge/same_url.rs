//! Which URLs are the same.
//!
//! URLs are the same if they have the same key. A fetcher sends the same request if two URLs have the same
//! serialisation by the URL standard, except for their fragments, which are never sent. By RFC 3986 (6.2.2), an
//! unreserved character and its escape are equivalent, and so are the cases of an escape's hex digits. Neither the
//! robots.txt nor the dialect matters here.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::origin::{self, InvalidUrl};
use crate::rules::{escaped, fetched_url, push_escape};

named! {
    /// Which URLs are the same.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[non_exhaustive]
    pub enum SameUrl {
        /// URLs for which a fetcher sends the same request: they have the same normal form.
        #[default]
        Fetched = "fetched",
        /// URLs that are written with the same bytes.
        Bytes = "bytes",
        /// URLs that have the same key in an index of web archives (CDX, CDXJ); the key is the first field of a line.
        Surt = "surt",
    }
}

/// Why a URL has no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum NoKey {
    /// It is not valid.
    #[error(transparent)]
    Invalid(#[from] InvalidUrl),
    /// [`SameUrl::Surt`] reads the keys of an index, and computes none.
    #[error("a key of an index is not made from a URL, only read from the index")]
    OfIndex,
}

impl SameUrl {
    /// The key of a URL; two URLs are the same if their keys are equal. For [`SameUrl::Fetched`] it is the
    /// serialisation by the URL standard without the fragment; escapes of letters, digits and `-._~` are decoded, and
    /// other escapes are in upper case. A byte that is not UTF-8 is escaped. Spaces and control characters around the
    /// URL do not count.
    ///
    /// ```
    /// use robosieve::SameUrl;
    ///
    /// let key = SameUrl::Fetched.key(b"HTTP://A.example:80/./%78%c3%a9?#top")?;
    /// assert_eq!(*key, *b"http://a.example/x%C3%A9?");
    /// # Ok::<(), robosieve::NoKey>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NoKey::Invalid`] if it is not an absolute http or https URL, or, for [`SameUrl::Bytes`], if it is empty;
    /// [`NoKey::OfIndex`] for [`SameUrl::Surt`].
    pub fn key(self, url: &[u8]) -> Result<Cow<'_, [u8]>, NoKey> {
        let url = origin::trimmed(url);
        match self {
            SameUrl::Bytes if url.is_empty() => Err(InvalidUrl::Empty.into()),
            SameUrl::Bytes => Ok(Cow::Borrowed(url)),
            SameUrl::Fetched => match quick_key(url) {
                Some(key) => Ok(key),
                None => Ok(serialised(url).map(Cow::Owned)?),
            },
            SameUrl::Surt => Err(NoKey::OfIndex),
        }
    }

    /// The hash of a URL's [key](SameUrl::key), as files of [seen URLs](crate::run::SeenFile) have it; never 0.
    ///
    /// # Errors
    ///
    /// As [`SameUrl::key`]. An invalid URL has no hash for [`SameUrl::Bytes`], either, because lines with invalid URLs
    /// are never left out.
    pub fn hash(self, url: &[u8]) -> Result<u128, NoKey> {
        let key = self.key(url)?;
        if self == SameUrl::Bytes {
            SameUrl::Fetched.key(url)?;
        }
        Ok(key_hash(&key, FILE_SEED))
    }
}

/// The seed of hashes in files, which is the same in all runs.
pub(crate) const FILE_SEED: u64 = 0;

/// The hash of a key, which is not empty: XXH3 with 128 bits; 1 in place of 0.
#[inline]
pub(crate) fn key_hash(key: &[u8], seed: u64) -> u128 {
    xxh3_128_with_seed(key, seed).max(1)
}

/// Bytes that the URL standard keeps in paths and in queries, and that begin neither an escape nor a fragment.
const KEPT: [bool; 256] = {
    let (mut bytes, mut byte) = ([false; 256], 0x21);
    while byte < 0x7f {
        bytes[byte] =
            !matches!(byte as u8, b'"' | b'#' | b'%' | b'\'' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}');
        byte += 1;
    }
    bytes
};

/// The key of a trimmed URL in simple cases: its origin is in canonical form, its path has no dot segments, and nothing
/// has to be escaped.
fn quick_key(url: &[u8]) -> Option<Cow<'_, [u8]>> {
    let url = memchr::memchr(b'#', url).map_or(url, |end| &url[..end]);
    let end = origin::cut(url).filter(|&end| end < url.len() && origin::is_surely_canonical(&url[..end]))?;
    let mut first_escape = None;
    let mut before = b'/';
    for (at, &byte) in url.iter().enumerate().skip(end + 1) {
        match byte {
            b'%' if escaped(&url[at..]) == Some(b'.') => return None,
            b'%' => _ = first_escape.get_or_insert(at),
            b'.' if before == b'/' => return None,
            _ if !KEPT[usize::from(byte)] => return None,
            _ => {}
        }
        before = byte;
    }
    Some(match first_escape {
        None => Cow::Borrowed(url),
        Some(at) => Cow::Owned(with_escapes_undone(url, at)),
    })
}

/// The key of a trimmed URL, by its serialisation.
fn serialised(url: &[u8]) -> Result<Vec<u8>, InvalidUrl> {
    // A copy, because a line of a mapped file may change after it was found to be UTF-8.
    let url = url.to_vec();
    origin::split(&url)?;
    let mut text = String::with_capacity(url.len());
    for part in url.utf8_chunks() {
        text.push_str(part.valid());
        part.invalid().iter().for_each(|&byte| text.push_str(percent_encoding::percent_encode_byte(byte)));
    }
    let url = fetched_url(&text).map_err(|_| InvalidUrl::Host)?;
    Ok(with_escapes_undone(url.as_str().as_bytes(), 0))
}

/// A URL in which escapes of unreserved characters from `at` on are decoded, and other escapes are in upper case. An
/// escape is not decoded if that would complete another one: `%%41` followed by `1` is not `%A1`.
fn with_escapes_undone(url: &[u8], at: usize) -> Vec<u8> {
    let (kept, mut rest) = url.split_at(at);
    let mut out = Vec::with_capacity(url.len());
    out.extend_from_slice(kept);
    // The length of an incomplete escape at the end of the text: `%`, or `%` and a hex digit.
    let mut begun = 0;
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        begun = match &rest[..at] {
            [] => begun,
            [byte] if begun == 1 && byte.is_ascii_hexdigit() => 2,
            _ => 0,
        };
        rest = &rest[at..];
        let Some(byte) = escaped(rest) else {
            out.push(b'%');
            (begun, rest) = (1, &rest[1..]);
            continue;
        };
        rest = &rest[3..];
        let is_digit = byte.is_ascii_hexdigit();
        let completes = is_digit && (begun == 2 || begun == 1 && rest.first().is_some_and(u8::is_ascii_hexdigit));
        if is_unreserved(byte) && !completes {
            out.push(byte);
            begun = if is_digit && begun == 1 { 2 } else { 0 };
        } else {
            push_escape(byte, &mut out);
            begun = 0;
        }
    }
    out.extend_from_slice(rest);
    out
}

/// Whether a byte and its escape are equivalent (RFC 3986, 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}
