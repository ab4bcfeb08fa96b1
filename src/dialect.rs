//! Dialects of robots.txt, as data.
//!
//! Thirty years of documents disagree about the meaning of a robots.txt. A [`Dialect`] is a plain value with one field for
//! each point of disagreement, an axis; the code that parses, normalises, ranks and judges reads the fields and never asks which
//! dialect it has. [`Dialect::ALL`] lists the six values.
//!
//! Each variant of an axis cites the text that defines it, or says "ours: unstated" if no text does: "RFC" is RFC 9309; "C++" is
//! the library google/robotstxt; "1994" is the standard for robot exclusion of 30 June 1994; "1996" is draft-koster-robots-00;
//! "2008" is the SearchTools page on the elements of robots.txt; "Mandelbot" is Fractle's page on Mandelbot's robots.txt support.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// One reading of robots.txt: a value for every axis on which the documents differ. `docs/dialects.md` describes the axes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dialect {
    /// The name used on the command line, for example `rfc9309`.
    pub name: &'static str,
    /// The document or program this dialect follows.
    pub source: &'static str,
    /// Whether `Allow` lines are rules.
    pub allow: AllowLines,
    /// Which matching rule decides when several match.
    pub precedence: Precedence,
    /// Whether `*` and a final `$` are special in a rule.
    pub wildcards: Wildcards,
    /// How the value of a `User-agent` line names crawlers.
    pub agent_line: AgentValue,
    /// The meaning of a list of product tokens.
    pub agent_list: AgentList,
    /// What to do when several groups name one crawler.
    pub groups: Groups,
    /// Where a group's list of agents ends, and where the group ends.
    pub boundary: Boundary,
    /// Which values of an `Allow` or `Disallow` line can be rules.
    pub rule_start: RuleStart,
    /// How the key of a line is recognised.
    pub keys: Keys,
    /// Whether `Allow: /dir/index.htm*` also allows `/dir/` itself.
    pub directory_index: bool,
    /// Which path of a URL is judged.
    pub url_path: UrlPath,
    /// How percent-encoding is compared.
    pub encoding: Encoding,
    /// Whether `/robots.txt` itself is subject to the rules.
    pub robots_txt: RobotsTxtPath,
    /// The bytes skipped or decoded at the start of the file.
    pub file_start: FileStart,
    /// The meaning of a NUL byte in a line.
    pub nul: NulByte,
    /// How many bytes of a file are read, in whole lines.
    pub file_limit: usize,
    /// How many bytes of a line are read.
    pub line_limit: LineLimit,
    /// The meaning of status 401 or 403 for the robots.txt.
    pub unauthorized: StatusMeaning,
    /// The meaning of status 429 for the robots.txt.
    pub too_many_requests: StatusMeaning,
    /// The meaning of status 408 or 425 for the robots.txt.
    pub try_again: StatusMeaning,
    /// How redirects are followed.
    pub redirects: Redirects,
    /// How long a fetched robots.txt may be used, where age is enforced.
    pub lifetime: Lifetime,
    /// What `Crawl-delay` means to the crawler.
    pub crawl_delay: CrawlDelay,
}

impl Dialect {
    /// The dialect called `name`.
    ///
    /// # Errors
    ///
    /// [`UnknownDialect`], which lists the known names, if no dialect has this name.
    pub fn named(name: &str) -> Result<&'static Dialect, UnknownDialect> {
        Dialect::ALL
            .iter()
            .find(|d| d.name == name)
            .ok_or_else(|| UnknownDialect { name: name.to_owned(), known: Dialect::names().join(", ") })
    }

    /// The names of all dialects, the default first.
    pub fn names() -> Vec<&'static str> {
        Dialect::ALL.iter().map(|d| d.name).collect()
    }

    /// The meaning of the HTTP status of the robots.txt response itself. Callers follow 3xx before they ask.
    ///
    /// A status that is not a final answer (below 200, or 600 and above) counts as no answer.
    pub fn status_meaning(&self, status: u16) -> StatusMeaning {
        match status {
            200..=299 => StatusMeaning::Parse,
            304 => StatusMeaning::NotModified,
            300..=399 => StatusMeaning::Redirect,
            401 | 403 => self.unauthorized,
            408 | 425 => self.try_again,
            429 => self.too_many_requests,
            400..=499 => StatusMeaning::Unavailable,
            _ => StatusMeaning::Unreachable,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Dialect, UnknownDialect> {
        Dialect::named(name).cloned()
    }
}

/// The one of [`Dialect::ALL`] with this name, as functions take it.
impl FromStr for &'static Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<&'static Dialect, UnknownDialect> {
        Dialect::named(name)
    }
}

/// As its name.
impl Serialize for Dialect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// From its name.
impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dialect, D::Error> {
        <&'static Dialect>::deserialize(deserializer).cloned()
    }
}

/// From its name, as functions take it.
impl<'de> Deserialize<'de> for &'static Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<&'static Dialect, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A dialect name that is not in [`Dialect::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("unknown dialect {name:?}; the dialects are {known}")]
pub struct UnknownDialect {
    /// The name requested.
    pub name: String,
    /// The names that exist.
    pub known: String,
}

const HOUR: u64 = 3600;

/// RFC 9309 asks for at least 500 KiB (2.5); ours is about eight times that.
const FILE_LIMIT: usize = 4 << 20;

/// google/robotstxt has no file limit; this one only keeps offsets within 32 bits.
const GOOGLE_FILE_LIMIT: usize = 256 << 20;

/// The line buffer of google/robotstxt: eight times 2,083 bytes, less the terminating NUL.
const GOOGLE_LINE_LIMIT: usize = 2083 * 8 - 1;

/// "at least five consecutive redirects", then unavailable (RFC 2.3.1.2).
const FIVE_THEN_UNAVAILABLE: Redirects = Redirects { hops: 5, beyond: StatusMeaning::Unavailable };

/// Followed to the end; the bound only stops loops, which have no end (ours: no verdict).
const FOLLOWED: Redirects = Redirects { hops: 20, beyond: StatusMeaning::Redirect };

/// 408, 425 and 429 say "not now", and nothing of whether there is a robots.txt. A crawler "MAY access any resources" after 4xx
/// (RFC 2.3.1.3), so it may as well wait: known rules must not end because it asked too fast. (1994, 1996, 2008, Mandelbot: ours,
/// unstated. The page of Google on its robots.txt specification has only 429 among server errors.)
const NOT_NOW: StatusMeaning = StatusMeaning::Unreachable;

const RFC9309: Dialect = Dialect {
    name: "rfc9309",
    source: "RFC 9309, Robots Exclusion Protocol, September 2022",
    allow: AllowLines::Rules,
    precedence: Precedence::Longest,
    wildcards: Wildcards::Special,
    agent_line: AgentValue::Token,
    agent_list: AgentList::Preference,
    groups: Groups::Merged,
    boundary: Boundary::RuleLine,
    rule_start: RuleStart::SlashOrStar,
    keys: Keys::Exact,
    directory_index: false,
    url_path: UrlPath::AsFetched,
    encoding: Encoding::NormalForm,
    robots_txt: RobotsTxtPath::AlwaysAllowed,
    file_start: FileStart::Decoded,
    nul: NulByte::Ordinary,
    file_limit: FILE_LIMIT,
    line_limit: LineLimit::None,
    unauthorized: StatusMeaning::Unavailable,
    too_many_requests: NOT_NOW,
    try_again: NOT_NOW,
    redirects: FIVE_THEN_UNAVAILABLE,
    lifetime: Lifetime { seconds: 24 * HOUR, expires_header: false },
    crawl_delay: CrawlDelay::Kept,
};

const GOOGLE: Dialect = Dialect {
    name: "google",
    source: "google/robotstxt, the C++ library",
    agent_line: AgentValue::LettersToken,
    agent_list: AgentList::Merge,
    rule_start: RuleStart::Any,
    keys: Keys::Lenient,
    directory_index: true,
    url_path: UrlPath::AsWritten,
    encoding: Encoding::RuleOnly,
    robots_txt: RobotsTxtPath::ByRules,
    file_start: FileStart::PartialMark,
    nul: NulByte::EndsLine,
    file_limit: GOOGLE_FILE_LIMIT,
    line_limit: LineLimit::Bytes(GOOGLE_LINE_LIMIT),
    too_many_requests: StatusMeaning::Unreachable,
    try_again: StatusMeaning::Unavailable,
    ..RFC9309
};

const MANDELBOT: Dialect = Dialect {
    name: "mandelbot",
    source: "Fractle's page on Mandelbot's robots.txt support",
    agent_line: AgentValue::Whole,
    robots_txt: RobotsTxtPath::ByRules,
    redirects: FOLLOWED,
    lifetime: Lifetime { seconds: 48 * HOUR, expires_header: false },
    crawl_delay: CrawlDelay::NotObeyed,
    ..RFC9309
};

const EXTENDED_2008: Dialect = Dialect {
    name: "extended-2008",
    source: "SearchTools, Elements of robots.txt, June 2008 (Google, Yahoo, Microsoft)",
    agent_line: AgentValue::OccursInName,
    robots_txt: RobotsTxtPath::ByRules,
    crawl_delay: CrawlDelay::Seconds,
    ..RFC9309
};

const DRAFT_1996: Dialect = Dialect {
    name: "draft-1996",
    source: "draft-koster-robots-00, A Method for Web Robots Control, 1996",
    precedence: Precedence::FirstMatch,
    wildcards: Wildcards::Literal,
    agent_line: AgentValue::ContainsName,
    groups: Groups::First,
    boundary: Boundary::BlankLine,
    rule_start: RuleStart::Slash,
    encoding: Encoding::DecodedExceptSlash,
    unauthorized: StatusMeaning::Forbidden,
    redirects: FOLLOWED,
    lifetime: Lifetime { seconds: 7 * 24 * HOUR, expires_header: true },
    ..RFC9309
};

const ORIGINAL_1994: Dialect = Dialect {
    name: "original-1994",
    source: "A Standard for Robot Exclusion, 30 June 1994",
    allow: AllowLines::Ignored,
    precedence: Precedence::AnyDisallow,
    wildcards: Wildcards::Literal,
    agent_line: AgentValue::OccursInName,
    groups: Groups::First,
    boundary: Boundary::BlankLine,
    rule_start: RuleStart::Slash,
    encoding: Encoding::Escaped,
    robots_txt: RobotsTxtPath::ByRules,
    redirects: FOLLOWED,
    lifetime: Lifetime { seconds: 7 * 24 * HOUR, expires_header: false },
    ..RFC9309
};

impl Dialect {
    /// All dialects, the default (`rfc9309`) first.
    pub const ALL: &'static [Dialect] = &[RFC9309, GOOGLE, MANDELBOT, EXTENDED_2008, DRAFT_1996, ORIGINAL_1994];

    /// RFC 9309, the default.
    pub const DEFAULT: &'static Dialect = &Dialect::ALL[0];
}

/// Whether `Allow` lines are rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowLines {
    /// `Allow` lines are rules (RFC 2.2.2, 1996 3.2.2, 2008, Mandelbot, C++).
    Rules,
    /// `Allow` lines are unrecognised headers and ignored (1994, "The Format").
    Ignored,
}

/// Which matching rule decides when several match. `Patterns::rank` sorts rules by it, and
/// breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Precedence {
    /// The longest pattern; `Allow` wins a tie (RFC 2.2.2, Mandelbot, C++; 2008: ours, unstated).
    Longest,
    /// The first match in file order (1996 3.2.2).
    FirstMatch,
    /// Any matching `Disallow` (1994).
    AnyDisallow,
}

/// Whether `*` and a final `$` are special in a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wildcards {
    /// `*` matches any run of bytes; a final `$` matches the end of path and query (RFC 2.2.3, 2008, Mandelbot, C++).
    Special,
    /// Both are literal bytes (1994: globbing is not supported; 1996 3.2.2: plain prefixes).
    Literal,
}

/// How the value of a `User-agent` line names crawlers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentValue {
    /// Its leading run of `[A-Za-z0-9_-]`, compared as a whole, ignoring case; `*` alone means every crawler
    /// (RFC 2.2.1; accepting digits and trailing text: ours, the common reading).
    Token,
    /// Its leading run of `[A-Za-z_-]`, compared as a whole, ignoring case; `*`, alone or before a blank, means every crawler
    /// (C++).
    LettersToken,
    /// The whole value is the name, ignoring case (Mandelbot).
    Whole,
    /// The value, without its version, occurs in the crawler's name, ignoring case; an empty value names no crawler (1994).
    OccursInName,
    /// The value contains the crawler's name, ignoring case (1996 3.2.1).
    ContainsName,
}

/// The meaning of a list of product tokens for one crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentList {
    /// The first token with a group of its own applies, then `*` (ours: the documents know only single tokens).
    Preference,
    /// The groups of all the tokens are merged (C++).
    Merge,
}

/// What to do when several groups name one crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Groups {
    /// Merge their rules (RFC 2.2.1, C++; Mandelbot calls it invalid: ours, merged with a note; 2008: order is irrelevant).
    Merged,
    /// Use the first (1996 3.2.1; 1994: ours, unstated).
    First,
}

/// Where a group's list of agents ends, and where the group ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Boundary {
    /// An `Allow` or `Disallow` line ends the list of agents; the next `User-agent` line begins a new group
    /// (RFC 2.1 and 2.2, C++, Mandelbot, 2008).
    RuleLine,
    /// A blank line ends the record, as does a `User-agent` line after a rule; a comment line does not
    /// (1994, "The Format"; 1996 3.2).
    BlankLine,
}

/// Which values of an `Allow` or `Disallow` line can be rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleStart {
    /// Those that begin with `/` or `*` (RFC 2.2 `path-pattern`; 2008; Mandelbot: ours, unstated).
    SlashOrStar,
    /// Those that begin with `/`: no other value can be a prefix of a path (1994, 1996).
    Slash,
    /// Any value; one that begins with neither `/` nor `*` matches no path (C++).
    Any,
}

/// How the key of a line is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keys {
    /// By the exact name, ignoring case, before a colon (RFC 2.2, 1994, 1996, 2008, Mandelbot).
    Exact,
    /// By prefix, including known misspellings; the colon is optional on a line of exactly two words (C++).
    Lenient,
}

/// Which path of a URL is judged. "URL" is the URL Standard (WHATWG), which curl, requests, yarl, reqwest and browsers follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlPath {
    /// The path that a fetcher asks for: tabs and line ends are removed, `\\` before the query is `/`, and segments `.` and `..`,
    /// also written with `%2e`, are resolved (URL 4.4, path state; RFC 2.2.2 matches the path of a URI, whose dot segments RFC 3986
    /// 5.2.4 removes; the others: ours, unstated).
    AsFetched,
    /// The path as it is given (C++ leaves all this to its caller).
    AsWritten,
}

/// How percent-encoding is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// Both sides in normal form: escapes of unreserved bytes are decoded, bytes that are neither unreserved nor
    /// reserved are escaped, hex digits are in upper case; `*` equals `%2A` and `$` equals `%24`
    /// (RFC 2.2.2 and 2.2.3; Mandelbot and 2008: ours); `'` equals `%27`, because fetchers escape it in queries and not in
    /// paths (URL 1.3).
    NormalForm,
    /// The rule's non-ASCII bytes are escaped and the hex digits of its escapes put in upper case; the URL is untouched (C++).
    RuleOnly,
    /// `%xx` is decoded on both sides, except `%2F` (1996 3.2.2; keeping the query: ours).
    DecodedExceptSlash,
    /// Bytes are compared as they are (1994) in a URL as fetched, so bytes that fetchers escape anywhere, in the path or the query,
    /// are escaped on both sides (URL 1.3); `'`, which nearly always stays, is unescaped instead.
    Escaped,
}

/// Whether `/robots.txt` itself is subject to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsTxtPath {
    /// No: it is always allowed (RFC 2.2.2, 1996 3.2.2).
    AlwaysAllowed,
    /// Yes: it is judged like any other path (C++; Mandelbot, 2008, 1994: ours, unstated).
    ByRules,
}

/// The bytes skipped or decoded at the start of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileStart {
    /// A UTF-8 byte order mark is skipped; UTF-16 with a byte order mark is decoded (RFC 2.3: a bridge for encoding
    /// mismatches; the others: ours).
    Decoded,
    /// A UTF-8 byte order mark is skipped, even if cut short (C++).
    PartialMark,
}

/// The meaning of a NUL byte in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NulByte {
    /// An ordinary byte (ours: unstated).
    Ordinary,
    /// It ends the line (C++: lines are C strings).
    EndsLine,
}

/// How many bytes of a line are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineLimit {
    /// All of them (RFC, 1994, 1996, 2008, Mandelbot: no limit is stated).
    None,
    /// At most this many; the excess is dropped and the bytes before it count (C++: 16,663).
    Bytes(usize),
}

/// The meaning of the HTTP status of a robots.txt response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatusMeaning {
    /// The body is a robots.txt (2xx).
    Parse,
    /// The answer is at another URL (3xx but 304).
    Redirect,
    /// The robots.txt is the one that the crawler has (304; RFC 9110 15.4.5).
    NotModified,
    /// There is no robots.txt: everything is allowed (RFC 2.3.1.3).
    Unavailable,
    /// Everything is forbidden (1996 3.1, for 401 and 403).
    Forbidden,
    /// There is no verdict for now (RFC 2.3.1.4).
    Unreachable,
}

/// How redirects are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redirects {
    /// The most hops to follow.
    pub hops: u8,
    /// The meaning of a longer chain (RFC 2.3.1.2: unavailable).
    pub beyond: StatusMeaning,
}

/// How long a fetched robots.txt may be used, where age is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lifetime {
    /// Seconds from the fetch.
    pub seconds: u64,
    /// Whether the server's `Expires` header takes their place (1996 3.4).
    pub expires_header: bool,
}

/// What `Crawl-delay` means to the crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrawlDelay {
    /// Nothing: the document gives it no meaning, and the raw value is kept for the operator (RFC, C++, 1996, 1994).
    Kept,
    /// Seconds, with optional decimals (2008).
    Seconds,
    /// Nothing: kept as written but not obeyed (Mandelbot).
    NotObeyed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_unique() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::named(dialect.name).unwrap(), dialect);
            assert_eq!(Dialect::ALL.iter().filter(|d| d.name == dialect.name).count(), 1);
        }
        for dialect in Dialect::ALL {
            let name = dialect.to_string();
            assert_eq!(name.parse(), Ok(dialect));
            assert_eq!(name.parse::<Dialect>().as_ref(), Ok(dialect));
            assert_eq!(serde_json::to_value(dialect).unwrap(), name);
            assert_eq!(serde_json::from_value::<&'static Dialect>(name.clone().into()).unwrap(), dialect);
            assert_eq!(serde_json::from_value::<Dialect>(name.into()).unwrap(), *dialect);
        }
        assert!(serde_json::from_str::<Dialect>("\"rfc9308\"").is_err());
        let error = Dialect::named("rfc9308").unwrap_err().to_string();
        assert!(error.contains("rfc9308") && error.contains("mandelbot"), "{error}");
    }
}
