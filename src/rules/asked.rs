//! The paths that can be asked for, in normal form.
//!
//! A question about all paths is about those that a fetcher can ask for: `Disallow: /a b` blocks nothing as it stands, because
//! a blank is always escaped, and `Disallow: /../` nothing at all. So the set of these paths is described here, by regular
//! expressions over bytes. It is what the URL Standard lets through (1.3, the path and query percent-encode sets; 4.4, dot segments), in
//! the normal form of an [`Encoding`]. Where fetchers differ, all that one of them asks for is in it: `^` in a path, which only
//! some escape, and `'` in a query.

use crate::dialect::{Dialect, Encoding, RobotsTxtPath};

/// The paths that can be asked for under a dialect, in its normal form: those of the `form`, but `never` those of any other
/// expression. All are regular expressions over bytes that match whole paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedPaths {
    /// The bytes and escapes that a path and its query consist of.
    pub form: &'static str,
    /// Which of them nobody asks for, or are not judged by rules.
    pub never: Vec<&'static str>,
}

/// RFC 9309 2.2.2: unreserved and reserved bytes without `#`, and the escapes of all other bytes and of reserved ones, but not of
/// `*`, `$` and `'`.
const NORMAL_FORM: &str = r"(?x) /
    (?: [A-Za-z0-9\-._~:/\[\]@!$&'()*+,;=]
      | % (?: [0189A-F][0-9A-F] | 2[0-35689BCF] | 3[A-F] | 40 | 5[B-E] | 60 | 7[B-DF] ) )*
    (?: \?
        (?: [A-Za-z0-9\-._~:/\[\]@!$&'()*+,;=?]
          | % (?: [0189A-F][0-9A-F] | 2[0-35689BCF] | 3[A-F] | 40 | 5[B-E] | 60 | 7[B-DF] ) )* )?";

/// Printable bytes, without those that fetchers escape in a path, or in a query.
const AS_FETCHED: &str = r"/[!$-;=@-Z\[\]\^_a-z|~]*(?:\?[!$-;=?-~]*)?";

/// The same, without those that fetchers escape in either.
const ESCAPED: &str = r"/[!$-;=@-Z\[\]_a-z|~]*(?:\?[!$-;=?-Z\\\[\]_a-z|~]*)?";

/// Escapes stand for any byte.
const DECODED: &str = r"(?s-u)/.*";

/// A dot segment before the query.
const DOTS: &str = r"(?s-u)(?:/[^/?]*)*/\.\.?(?:[/?].*)?";

/// A dot segment whose dots may be escaped.
const ESCAPED_DOTS: &str = r"(?s-u)(?:/[^/?]*)*/(?:\.|%2[Ee]){1,2}(?:[/?].*)?";

/// A dot segment, wherever the query begins: at a `?`, all others being decoded ones of the path, or nowhere. A `?` right after dots begins
/// no query, because they would be a dot segment.
const DECODED_DOTS: &str = r"(?s-u)(?:/(?:\.\.?\?)?[^/?]*)*/\.\.?(?:/.*)?";

/// The escape of `'`, which is the byte itself.
const QUOTE: &str = r"(?s-u).*%27.*";

/// The path that some dialects always allow.
const ROBOTS_TXT: &str = r"/robots\.txt";

impl AskedPaths {
    /// The paths that are judged by rules under a dialect. Where it always allows `/robots.txt`, that is not among them.
    pub fn of(dialect: &Dialect) -> AskedPaths {
        let (form, never) = match dialect.encoding {
            Encoding::NormalForm => (NORMAL_FORM, &[DOTS][..]),
            Encoding::RuleOnly => (AS_FETCHED, &[ESCAPED_DOTS][..]),
            Encoding::DecodedExceptSlash => (DECODED, &[DECODED_DOTS][..]),
            Encoding::Escaped => (ESCAPED, &[ESCAPED_DOTS, QUOTE][..]),
        };
        let robots_txt = (dialect.robots_txt == RobotsTxtPath::AlwaysAllowed).then_some(ROBOTS_TXT);
        AskedPaths { form, never: never.iter().copied().chain(robots_txt).collect() }
    }
}
