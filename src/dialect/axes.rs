//! The axes on which dialects differ. Abbreviations: "RFC" is RFC 9309; "C++" is the library google/robotstxt;
//! "1994" is the standard for robot exclusion of 30 June 1994; "1996" is draft-koster-robots-00; "2008" is the SearchTools
//! page on the elements of robots.txt; "Mandelbot" is Fractle's page on Mandelbot's robots.txt support. "Ours" marks our
//! own choice.

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
