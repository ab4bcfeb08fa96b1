//! The axes on which dialects differ. Abbreviations: "RFC" is RFC 9309, "C++" the library google/robotstxt,
//! "1994" the standard for robot exclusion of 30 June 1994, "1996" draft-koster-robots-00, "2008" the SearchTools page
//! on the elements of robots.txt, "Mandelbot" Fractle's page on Mandelbot's robots.txt support.

/// Whether `Allow` lines are rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowLines {
    /// They are (RFC 2.2.2, 1996 3.2.2, 2008, Mandelbot, C++).
    Rules,
    /// They are unrecognised headers, which are ignored (1994, "The Format").
    Ignored,
}

/// Which of several matching rules decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precedence {
    /// The longest pattern; `Allow` wins a tie (RFC 2.2.2, Mandelbot, C++; 2008: ours, unstated).
    Longest,
    /// The first that matches, in the order of the file (1996 3.2.2).
    FirstMatch,
    /// Any `Disallow` that matches (1994).
    AnyDisallow,
}

/// Whether `*` and a final `$` are special in a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wildcards {
    /// `*` is any run of bytes, a final `$` the end of path and query (RFC 2.2.3, 2008, Mandelbot, C++).
    Special,
    /// Both are literal bytes (1994: globbing is not supported; 1996 3.2.2: plain prefixes).
    Literal,
}

/// How the value of a `User-agent` line names crawlers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentLine {
    /// Its leading run of `[A-Za-z0-9_-]`, compared whole and without case; `*` alone is everybody
    /// (RFC 2.2.1; digits and trailing matter: ours, the common reading).
    Token,
    /// Its leading run of `[A-Za-z_-]`, compared whole and without case; `*`, also before a blank, is everybody (C++).
    LettersToken,
    /// The whole value is the name, without case (Mandelbot).
    Whole,
    /// The value, without version, occurs in the crawler's name, without case; an empty value names nobody (1994).
    OccursInName,
    /// The value contains the crawler's name, without case (1996 3.2.1).
    ContainsName,
}

/// The meaning of a list of product tokens, when a crawler has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentList {
    /// The first that has a group of its own counts, then `*` (ours: the texts know one token).
    Preference,
    /// The groups of all of them are merged (C++).
    Merge,
}

/// The rule for several groups that name one crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// Their rules are merged (RFC 2.2.1, C++; Mandelbot calls it invalid: ours, merged with a note; 2008: order is
    /// irrelevant).
    Merged,
    /// The first one counts (1996 3.2.1; 1994: ours, unstated).
    First,
}

/// The end of a group's list of agents, and of the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// An `Allow` or `Disallow` line ends the list of agents; the next `User-agent` line begins a group
    /// (RFC 2.1 and 2.2, C++, Mandelbot, 2008).
    RuleLine,
    /// A blank line ends the record, as does a `User-agent` line after a rule; a comment line does not
    /// (1994, "The Format"; 1996 3.2).
    BlankLine,
}

/// Which values of an `Allow` or `Disallow` line can be rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleStart {
    /// Those that begin with `/` or `*` (RFC 2.2 `path-pattern`; 2008; Mandelbot: ours, unstated).
    SlashOrStar,
    /// Those that begin with `/`: no other value can be a prefix of a path (1994, 1996).
    Slash,
    /// Any; one that begins with neither `/` nor `*` matches no path (C++).
    Any,
}

/// How the key of a line is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Exactly, without case, before a colon (RFC 2.2, 1994, 1996, 2008, Mandelbot).
    Exact,
    /// By prefix, with known misspellings, and without a colon where the line has exactly two words (C++).
    Lenient,
}

/// How percent-encoding is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Both sides in normal form: escapes of unreserved bytes are decoded, bytes that are neither unreserved nor
    /// reserved are escaped, hex digits are upper case; `*` equals `%2A` and `$` equals `%24`
    /// (RFC 2.2.2 and 2.2.3; Mandelbot and 2008: ours).
    NormalForm,
    /// The rule's non-ASCII bytes are escaped and its hex digits upper-cased; the URL is untouched (C++).
    RuleOnly,
    /// `%xx` is decoded on both sides, except `%2F` (1996 3.2.2; that the query is kept: ours).
    DecodedExceptSlash,
    /// Bytes are compared as they are (1994).
    Verbatim,
}

/// Whether `/robots.txt` itself is subject to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsTxtPath {
    /// It is always allowed (RFC 2.2.2, 1996 3.2.2).
    AlwaysAllowed,
    /// It is judged like any path (C++; Mandelbot, 2008, 1994: ours, unstated).
    ByRules,
}

/// The bytes skipped or decoded at the start of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStart {
    /// A UTF-8 byte order mark is skipped, UTF-16 with a byte order mark is decoded (RFC 2.3: a bridge for encoding
    /// mismatches; the others: ours).
    Decoded,
    /// A UTF-8 byte order mark is skipped, also one that is cut short (C++).
    PartialMark,
}

/// The meaning of a NUL byte in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NulByte {
    /// A byte like others (ours: unstated).
    Ordinary,
    /// It ends the line (C++: lines are C strings).
    EndsLine,
}

/// The most bytes of a line that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineLimit {
    /// No limit (RFC, 1994, 1996, 2008, Mandelbot: none is stated).
    None,
    /// This many bytes; what follows is dropped and the rest of the line counts (C++: 16,663).
    Bytes(usize),
}

/// The meaning of an HTTP status of a robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusMeaning {
    /// The body is a robots.txt (2xx).
    Parse,
    /// The answer is elsewhere (3xx).
    Redirect,
    /// There is no robots.txt: all is allowed (RFC 2.3.1.3).
    Unavailable,
    /// All is forbidden (1996 3.1, for 401 and 403).
    Forbidden,
    /// There is no verdict now (RFC 2.3.1.4).
    Unreachable,
}

/// How redirects are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redirects {
    /// The most hops that are followed.
    pub hops: u8,
    /// The meaning of a chain of more hops (RFC 2.3.1.2: unavailable).
    pub beyond: StatusMeaning,
}

/// How long a fetched robots.txt may be used, where age is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// Seconds after it was fetched.
    pub seconds: u64,
    /// Whether the server's `Expires` replaces them (1996 3.4).
    pub expires_header: bool,
}

/// The meaning of `Crawl-delay` to the crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlDelay {
    /// The raw value is kept for the operator; the document gives it no meaning (RFC, C++, 1996, 1994).
    Kept,
    /// Seconds, with decimals (2008).
    Seconds,
    /// Kept as written, and not obeyed (Mandelbot).
    NotObeyed,
}
